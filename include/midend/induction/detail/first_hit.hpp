/// When an arithmetic progression modulo m first meets an interval.
#pragma once

#include "midend/config.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

__extension__ typedef unsigned __int128 wide_number;

/// One step of the descent: step and modulus, and the low end of the interval.
struct first_hit_frame {
  wide_number step;
  wide_number modulus;
  wide_number low;
};

/// The least k with low ≤ k · step mod modulus ≤ high, or nothing. Requires low ≤ high < modulus ≤ 2^64.
///
/// If no multiple of the step lies in the interval itself, the progression has to wrap around y times, and y is the
/// answer to the same question with the step as the modulus: as in Euclid's algorithm. A step of more than half the
/// modulus goes backwards, and is mirrored, so that the modulus halves at least and there are at most 64 steps.
/// Constant memory.
constexpr std::optional<std::uint64_t> first_hit(wide_number step, wide_number modulus, wide_number low,
                                                 wide_number high) {
  std::array<first_hit_frame, 66> frames{};
  std::size_t depth = 0;
  wide_number found = 0;
  for (;;) {
    step %= modulus;
    if (low == 0) {
      break;
    }
    if (2 * step > modulus) {
      const wide_number mirrored_low = modulus - high;
      high = modulus - low;
      low = mirrored_low;
      step = modulus - step;
    }
    if (step == 0) {
      return std::nullopt;
    }
    const wide_number steps = (low + step - 1) / step;
    if (steps * step <= high) {
      found = steps;
      break;
    }
    frames[depth++] = {step, modulus, low};
    const wide_number next_step = step - modulus % step;
    low %= step;
    high %= step;
    modulus = step;
    step = next_step;
  }
  while (depth != 0) {
    const first_hit_frame& f = frames[--depth];
    found = (f.modulus * found + f.low + f.step - 1) / f.step;
  }
  return static_cast<std::uint64_t>(found);
}

} // namespace detail

MIDEND_END_NAMESPACE
