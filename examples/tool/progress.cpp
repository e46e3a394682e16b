#include "progress.hpp"

#include <cstdio>

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

namespace midend_tool {
namespace {

bool only_errors_on_terminal() {
#if __has_include(<unistd.h>)
  return isatty(STDERR_FILENO) != 0 && isatty(STDOUT_FILENO) == 0;
#else
  return false;
#endif
}

} // namespace

progress::progress(std::size_t total)
    : shown_(only_errors_on_terminal()), total_(total),
      next_(std::chrono::steady_clock::now() + std::chrono::milliseconds(500)) {}

progress::~progress() {
  if (written_) {
    std::fputs("\r\x1b[K", stderr);
  }
}

void progress::show(std::size_t loops_done, std::size_t loops) {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) {
    return;
  }
  next_ = now + std::chrono::milliseconds(200);
  written_ = true;
  std::fprintf(stderr, "\r%zu of %zu functions", done_, total_);
  if (loops != 0) {
    std::fprintf(stderr, ", %zu of %zu loops of the next", loops_done, loops);
  }
  std::fputs("\x1b[K", stderr);
}

} // namespace midend_tool
