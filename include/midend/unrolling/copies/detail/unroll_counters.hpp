/// What is known of induction variables at the top of an unrolled body.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_counters.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/unrolling/copies/detail/unroll_values.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"

#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The iterations that may stand at the top: `first`, `first + stride`, …
struct top_iterations {
  std::uint64_t first;
  std::uint64_t stride;
  std::optional<std::uint64_t> count; ///< of all iterations, as far as it is bounded

  constexpr top_iterations(const loop_counters& counters, const unroll_request& request)
      : first(request.knows_position ? request.first_iteration : 0),
        stride(request.knows_position && !request.is_straight_line ? request.copies : 1),
        count(counters.trip.header_executions()) {}

  /// The last of them at which copy `copy` still runs, counted from the first.
  constexpr std::optional<std::uint64_t> last(std::uint64_t copy) const {
    if (!count || *count <= first || *count - first <= copy) {
      return std::nullopt;
    }
    return (*count - first - 1 - copy) / stride * stride;
  }
};

/// What is known of a counter at the top of the body, when copy `copy` runs. With the trip count, or if the program
/// promises it, it does not wrap, and is congruent modulo all that it is moved by in one pass; else only modulo the
/// power of 2 in that, which is the same around the end of the numbers.
constexpr value_facts facts_of_counter(const induction_variable& iv, const top_iterations& top, std::uint64_t copy) {
  value_facts f = value_facts::none(iv.width);
  if (!iv.has_start || (iv.step & low_ones(iv.width)) == 0) {
    return f;
  }
  const std::int64_t step = as_signed(iv.step, iv.width);
  const std::uint64_t size = step < 0 ? 0 - static_cast<std::uint64_t>(step) : static_cast<std::uint64_t>(step);
  std::int64_t at_first = as_signed(iv.start + top.first * iv.step, iv.width);
  bool has_range = false;
  const auto after = [&](std::uint64_t iterations, std::int64_t& out) { // of the start, unless that wraps
    std::int64_t way = 0;
    return iterations <= std::uint64_t{1} << 62 &&
           multiply_exactly(static_cast<std::int64_t>(iterations), step, 64, way) &&
           add_exactly(as_signed(iv.start, iv.width), way, iv.width, out);
  };
  const bool begins_in_range = after(top.first, at_first);
  if (const auto last = top.last(copy); begins_in_range && last) {
    std::int64_t at_last = 0;
    if (after(top.first + *last, at_last)) {
      f.range = step < 0 ? signed_range{at_last, at_first} : signed_range{at_first, at_last};
      has_range = true;
    }
  }
  if (!has_range && begins_in_range && iv.flags.no_signed_wrap) {
    (step < 0 ? f.range.high : f.range.low) = at_first;
    has_range = true;
  }
  const bool fits = size <= ~std::uint64_t{0} / top.stride;
  f.modulus = fits ? size * top.stride : size;
  f.modulus = has_range ? f.modulus : power_of_2_in(f.modulus);
  f.residue = floor_residue(at_first, f.modulus);
  f.limit_modulus(iv.width);
  return f;
}

} // namespace detail

MIDEND_END_NAMESPACE
