#include "output.hpp"

#include <cerrno>
#include <charconv>
#include <cstring>

namespace midend_tool {

output::output(std::FILE* file) : file_(file), buffer_(new char[capacity]) {}

void output::text(std::string_view words) {
  while (!words.empty()) {
    if (used_ == capacity) {
      flush();
    }
    const std::size_t part = std::min(words.size(), capacity - used_);
    std::memcpy(buffer_.get() + used_, words.data(), part);
    used_ += part;
    words.remove_prefix(part);
  }
}

void output::number(std::uint32_t value) {
  constexpr std::size_t most_digits = 10;
  if (capacity - used_ < most_digits) {
    flush();
  }
  char* const at = buffer_.get() + used_;
  used_ += static_cast<std::size_t>(std::to_chars(at, at + most_digits, value).ptr - at);
}

bool output::flush() {
  if (text_ != nullptr) {
    text_->append(buffer_.get(), used_);
  } else if (!failed()) {
    errno = 0;
    if (std::fwrite(buffer_.get(), 1, used_, file_) != used_ || std::fflush(file_) != 0) {
      error_ = errno != 0 ? std::strerror(errno) : "cannot be written";
    }
  }
  used_ = 0;
  return !failed();
}

} // namespace midend_tool
