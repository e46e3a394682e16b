/// Bounds of numbers that are truncated, extended, or moved by a number.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_facts.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The low bits of a value.
constexpr value_bounds truncated(const value_bounds& a, unsigned width) {
  value_bounds out = value_bounds::all(width);
  if (a.high <= out.high) {
    out.low = a.low;
    out.high = a.high;
  }
  if (out.signed_low <= a.signed_low && a.signed_high <= out.signed_high) {
    out.signed_low = a.signed_low;
    out.signed_high = a.signed_high;
  }
  return out;
}

/// The sum with a number. Bounds that it takes across the end of the numbers are lost.
constexpr value_bounds shifted(const value_bounds& a, std::uint64_t number, unsigned width) {
  value_bounds out = value_bounds::all(width);
  const std::uint64_t low = (a.low + number) & low_ones(width);
  const std::uint64_t high = (a.high + number) & low_ones(width);
  if (low <= high) {
    out.low = low;
    out.high = high;
  }
  const std::int64_t least = as_signed(static_cast<std::uint64_t>(a.signed_low) + number, width);
  const std::int64_t greatest = as_signed(static_cast<std::uint64_t>(a.signed_high) + number, width);
  if (least <= greatest) {
    out.signed_low = least;
    out.signed_high = greatest;
  }
  return out;
}

/// The sum of two values, or their difference. Bounds that it may take across the end of the numbers are lost.
constexpr value_bounds combined(const value_bounds& a, const value_bounds& b, bool subtracts, unsigned width) {
  const auto combine = [&](auto x, auto of_sum, auto of_difference) {
    const auto first = static_cast<std::uint64_t>(x) & low_ones(width);
    const auto second = static_cast<std::uint64_t>(subtracts ? of_difference : of_sum) & low_ones(width);
    return subtracts ? wrapping_sub(first, second, width) : wrapping_add(first, second, width);
  };
  value_bounds out = value_bounds::all(width);
  const wrapping_result low = combine(a.low, b.low, b.high);
  const wrapping_result high = combine(a.high, b.high, b.low);
  if (!low.unsigned_wrap && !high.unsigned_wrap) {
    out.low = low.bits & low_ones(width);
    out.high = high.bits & low_ones(width);
  }
  const wrapping_result least = combine(a.signed_low, b.signed_low, b.signed_high);
  const wrapping_result greatest = combine(a.signed_high, b.signed_high, b.signed_low);
  if (!least.signed_wrap && !greatest.signed_wrap) {
    out.signed_low = as_signed(least.bits, width);
    out.signed_high = as_signed(greatest.bits, width);
  }
  return out;
}

/// What two facts about one value say together. Facts that contradict each other are about what is never computed.
constexpr value_bounds met(value_bounds a, const value_bounds& b) {
  a.low = b.low > a.low && b.low <= a.high ? b.low : a.low;
  a.high = b.high < a.high && b.high >= a.low ? b.high : a.high;
  a.signed_low = b.signed_low > a.signed_low && b.signed_low <= a.signed_high ? b.signed_low : a.signed_low;
  a.signed_high = b.signed_high < a.signed_high && b.signed_high >= a.signed_low ? b.signed_high : a.signed_high;
  return a;
}

/// A value of fewer bits, extended.
constexpr value_bounds extended(const value_bounds& a, operation extension, unsigned width) {
  value_bounds out = value_bounds::all(width);
  if (extension == operation::sign_extend) {
    out.signed_low = a.signed_low;
    out.signed_high = a.signed_high;
    if (a.signed_low >= 0) {
      out.low = static_cast<std::uint64_t>(a.signed_low);
      out.high = static_cast<std::uint64_t>(a.signed_high);
    }
  } else {
    out.low = a.low;
    out.high = a.high;
    out.signed_low = static_cast<std::int64_t>(a.low);
    out.signed_high = static_cast<std::int64_t>(a.high);
  }
  return out;
}

} // namespace detail

MIDEND_END_NAMESPACE
