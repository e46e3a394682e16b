/// How much of a long test is run.
#pragma once

#include <cstddef>

namespace midend_tests {

/// How much of a long test is run: all where `MIDEND_UNSHORTENED_TESTS` is set, a tenth where `MIDEND_SHORTENED_TESTS`
/// is set, as `tests/run.sh` does, and under emulators (`MIDEND_EMULATED`); a twentieth under sanitizers, which slow
/// programs down most. `tests/run.sh --thorough` shortens nothing but what emulators run.
#if defined(MIDEND_UNSHORTENED_TESTS)
inline constexpr std::size_t share_of_long_tests = 1;
#elif defined(__SANITIZE_ADDRESS__)
inline constexpr std::size_t share_of_long_tests = 20;
#elif defined(MIDEND_EMULATED) || defined(MIDEND_SHORTENED_TESTS)
inline constexpr std::size_t share_of_long_tests = 10;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr std::size_t share_of_long_tests = 20;
#else
inline constexpr std::size_t share_of_long_tests = 1;
#endif
#else
inline constexpr std::size_t share_of_long_tests = 1;
#endif

inline constexpr bool tests_are_shortened = share_of_long_tests != 1;

/// `count`, or the share of it that is run where tests are shortened.
constexpr std::size_t affordable(std::size_t count) {
  return tests_are_shortened ? count / share_of_long_tests + 1 : count;
}

} // namespace midend_tests
