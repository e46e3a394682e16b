/// Buffered standard output that reports write errors.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace midend_tool {

/// Writes to `file`. After the first error nothing more is written, and `error()` says why.
class output {
public:
  explicit output(std::FILE* file);

  /// Appends to a text.
  explicit output(std::string& text) : text_(&text), buffer_(new char[capacity]) {}

  output(const output&) = delete;
  output& operator=(const output&) = delete;

  void text(std::string_view words);

  void number(std::uint32_t value);

  void character(char c) {
    if (used_ == capacity) {
      flush();
    }
    buffer_[used_++] = c;
  }

  /// Writes everything out. False if this or an earlier write failed.
  bool flush();

  bool failed() const { return !error_.empty(); }

  const std::string& error() const { return error_; }

private:
  static constexpr std::size_t capacity = std::size_t{1} << 20;

  std::FILE* file_ = nullptr;
  std::string* text_ = nullptr;
  std::unique_ptr<char[]> buffer_;
  std::size_t used_ = 0;
  std::string error_;
};

} // namespace midend_tool
