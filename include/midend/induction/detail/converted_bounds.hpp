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
