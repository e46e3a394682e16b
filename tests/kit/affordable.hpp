/// How much of a long test is run.
#pragma once

#include <cstddef>

namespace midend_tests {

/// Whether long tests are shortened: where `MIDEND_SHORTENED_TESTS` is set, as `tests/run.sh` does, and under
/// sanitizers and emulators (`MIDEND_EMULATED`), which slow programs down, unless `MIDEND_UNSHORTENED_TESTS` is set.
/// `tests/run.sh --thorough` shortens nothing but what emulators run.
#if defined(MIDEND_UNSHORTENED_TESTS)
inline constexpr bool tests_are_shortened = false;
#elif defined(__SANITIZE_ADDRESS__) || defined(MIDEND_EMULATED) || defined(MIDEND_SHORTENED_TESTS)
inline constexpr bool tests_are_shortened = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool tests_are_shortened = true;
#else
inline constexpr bool tests_are_shortened = false;
#endif
#else
inline constexpr bool tests_are_shortened = false;
#endif

/// `count`, or a tenth of it where tests are shortened.
constexpr std::size_t affordable(std::size_t count) {
  return tests_are_shortened ? count / 10 + 1 : count;
}

} // namespace midend_tests
