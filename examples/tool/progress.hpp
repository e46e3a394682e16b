/// Progress of long work, shown on standard error if that is a terminal.
#pragma once

#include <chrono>
#include <cstddef>

namespace midend_tool {

class progress {
public:
  /// Shows nothing unless standard error is a terminal and standard output is not the same one.
  explicit progress(std::size_t total);

  ~progress();

  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  /// Cheap enough to call for each function: the line is written at most five times a second.
  void at_function(std::size_t done) {
    done_ = done;
    if (shown_) {
      show(0, 0);
    }
  }

  /// Within a function.
  void at_loop(std::size_t done, std::size_t total) {
    if (shown_) {
      show(done, total);
    }
  }

private:
  void show(std::size_t loops_done, std::size_t loops);

  bool shown_;
  bool written_ = false;
  std::size_t total_;
  std::size_t done_ = 0;
  std::chrono::steady_clock::time_point next_;
};

} // namespace midend_tool
