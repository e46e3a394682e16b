/// A thread with a small stack, on which recursion over a large input would not survive.
#pragma once

#include <functional>
#include <string>

namespace midend_tests {

/// Runs `check` in a thread with a stack of 256 KiB and passes on what it found wrong.
std::string on_a_small_stack(const std::function<std::string()>& check);

} // namespace midend_tests
