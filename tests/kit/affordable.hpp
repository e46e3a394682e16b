/// How much of a long test is run.
#pragma once

#include <cstddef>
#include <cstdint>

namespace midend_tests {

/// Whether sanitizers or emulators (`MIDEND_EMULATED`) slow the program down.
#if defined(__SANITIZE_ADDRESS__) || defined(MIDEND_EMULATED)
inline constexpr bool tests_are_slowed = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool tests_are_slowed = true;
#else
inline constexpr bool tests_are_slowed = false;
#endif
#else
inline constexpr bool tests_are_slowed = false;
#endif

/// Whether long tests are shortened: where they are slowed down, and where `MIDEND_SHORTENED_TESTS` is set, as
/// `tests/run.sh` does, unless `MIDEND_UNSHORTENED_TESTS` is set. `tests/run.sh --thorough` shortens nothing but what
/// emulators run.
#if defined(MIDEND_UNSHORTENED_TESTS)
inline constexpr bool tests_are_shortened = false;
#elif defined(MIDEND_SHORTENED_TESTS)
inline constexpr bool tests_are_shortened = true;
#else
inline constexpr bool tests_are_shortened = tests_are_slowed;
#endif

/// `count`, or a tenth of it where tests are shortened.
constexpr std::size_t affordable(std::size_t count) {
  return tests_are_shortened ? count / 10 + 1 : count;
}

/// The size of large inputs on a small stack: a million, or a tenth where they are slowed down, which still exceeds a
/// stack of 256 KiB in any recursion.
inline constexpr std::uint32_t million = tests_are_slowed && tests_are_shortened ? 100'000 : 1'000'000;

} // namespace midend_tests
