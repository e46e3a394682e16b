/// What is known about values while the copies of a loop body are evaluated: `known_value`, which node plus which
/// number a value is, and `value_facts`, the range and congruence of a node.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/lattices/congruence.hpp"
#include "midend/dataflow/lattices/interval.hpp"
#include "midend/dataflow/lattices/interval_congruence.hpp"
#include "midend/induction/loop_counters.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"

#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The value of `known_value::node` for a number. A number becomes a node only when an operation uses it.
inline constexpr unrolled_id literal_node = no_unrolled - 1;

/// A value of the loop body in one copy: node + addend modulo 2^width, or the number `addend`. The sum is *exact* if it
/// does not wrap wherever the program computes it; the addend is read as a signed number, the node as a signed or as an
/// unsigned one.
struct known_value {
  unrolled_id node = no_unrolled; ///< `no_unrolled`: not known, control does not reach the value
  std::uint8_t width = 0;
  bool exact_signed = true;
  bool exact_unsigned = true;
  std::uint64_t addend = 0;

  constexpr bool is_literal() const { return node == literal_node; }

  constexpr bool is_literal(std::uint64_t bits) const { return is_literal() && addend == bits; }

  constexpr bool is_none() const { return node == no_unrolled; }

  constexpr bool is_same(const known_value& other) const { return node == other.node && addend == other.addend; }

  constexpr std::int64_t signed_addend() const { return as_signed(addend, width); }
};

constexpr known_value literal(std::uint64_t bits, unsigned width) {
  return {literal_node, static_cast<std::uint8_t>(width), true, true, bits & low_ones(width)};
}

constexpr known_value value_of_node(unrolled_id n, unsigned width) {
  return {n, static_cast<std::uint8_t>(width), true, true, 0};
}

/// `p` xor `flip`, for values of one bit, in which to add 1 is to negate.
constexpr known_value flipped(known_value p, std::uint64_t flip) {
  p.addend = (p.addend + flip) & 1;
  p.exact_signed = p.exact_unsigned = p.is_literal() || p.addend == 0;
  return p;
}

/// The negation of a value of one bit.
constexpr known_value inverted(const known_value& p) {
  return flipped(p, 1);
}

/// Whether a + b is a number of the width; if so, stores it in `sum`.
constexpr bool add_exactly(std::int64_t a, std::int64_t b, unsigned width, std::int64_t& sum) {
  sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  const bool wraps = ((a ^ sum) & (b ^ sum)) < 0;
  return !wraps && fits_signed(sum, width);
}

/// Whether a · b is a number of the width; if so, stores it in `product`.
constexpr bool multiply_exactly(std::int64_t a, std::int64_t b, unsigned width, std::int64_t& product) {
  const wrapping_result p = wrapping_mul(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b), 64);
  product = static_cast<std::int64_t>(p.bits);
  return !p.signed_wrap && fits_signed(product, width);
}

/// ⌊a / m⌋. Requires m > 0.
constexpr std::int64_t floor_quotient(std::int64_t a, std::int64_t m) {
  return a / m - (a % m < 0 ? 1 : 0);
}

/// The largest power of 2 that divides the number; 0 for 0.
constexpr std::uint64_t power_of_2_in(std::uint64_t x) {
  return x & (0 - x);
}

/// `x` + `by`, computed by one operation with these promises.
constexpr known_value sum_with(known_value x, std::int64_t by, operation_flags promised) {
  std::int64_t sum = 0;
  const bool fits = add_exactly(x.signed_addend(), by, x.width, sum);
  x.addend = (x.addend + static_cast<std::uint64_t>(by)) & low_ones(x.width);
  x.exact_signed = x.addend == 0 || (x.exact_signed && promised.no_signed_wrap && fits);
  x.exact_unsigned = x.addend == 0 || (x.exact_unsigned && promised.no_unsigned_wrap && fits);
  return x;
}

/// `x` + `by` modulo 2^width.
constexpr known_value sum_with(const known_value& x, std::uint64_t by) {
  return sum_with(x, as_signed(by, x.width), {});
}

/// What holds for a node wherever it is used: its number, read as a signed one, is in the range and in the congruence,
/// which are reduced against each other (`interval_and_congruence`). Later copies may know more than earlier ones,
/// never less, because a copy runs only after those before it.
struct value_facts {
  signed_interval::element range;
  signed_congruence::element stride;

  static constexpr value_facts none(unsigned width) {
    return {signed_interval::full(width), signed_congruence::full()};
  }

  static constexpr value_facts number(std::int64_t n) { return {{n, n}, signed_congruence().constant(n)}; }

  /// Requires that some number is in both.
  static constexpr value_facts reduced(const signed_interval::element& range,
                                       const signed_congruence::element& stride) {
    value_facts out{range, stride};
    reduce_interval_and_congruence()(out.range, out.stride);
    return out;
  }
};

/// The range of node + addend.
constexpr signed_interval::element range_of_sum(const value_facts& f, const known_value& x) {
  if (x.addend == 0 || x.is_literal()) {
    return f.range;
  }
  const std::int64_t by = x.signed_addend();
  signed_interval::element out{};
  const bool low_fits = add_exactly(f.range.low, by, x.width, out.low);
  const bool high_fits = add_exactly(f.range.high, by, x.width, out.high);
  const signed_interval::element all = signed_interval::full(x.width);
  if (!(low_fits && high_fits) && !x.exact_signed) {
    return all;
  }
  return {low_fits ? out.low : all.low, high_fits ? out.high : all.high};
}

/// Whether node + addend never wraps, both read as signed numbers.
constexpr bool is_exact_sum(const value_facts& f, const known_value& x) {
  std::int64_t sum = 0;
  return x.addend == 0 || x.exact_signed ||
         (add_exactly(f.range.low, x.signed_addend(), x.width, sum) &&
          add_exactly(f.range.high, x.signed_addend(), x.width, sum));
}

/// The iterations that copy 0 can be: `first`, `first` + `stride`, …
struct top_iterations {
  std::uint64_t first;
  std::uint64_t stride;

  /// Of all iterations of straight code, if it has a bound. In a new loop none is known: `sccp`, which knows no
  /// branches, finds none in the copies.
  std::optional<std::uint64_t> count;

  constexpr top_iterations(const loop_counters& counters, const unroll_request& request)
      : first(request.knows_position ? request.first_iteration : 0),
        stride(request.knows_position && !request.is_straight_line ? request.copies : 1),
        count(request.is_straight_line ? counters.trip.header_executions() : std::nullopt) {}

  /// The last of them in which copy `copy` still runs, counted from `first`.
  constexpr std::optional<std::uint64_t> last(std::uint64_t copy) const {
    if (!count || *count <= first || *count - first <= copy) {
      return std::nullopt;
    }
    return (*count - first - 1 - copy) / stride * stride;
  }
};

/// The facts of an induction variable in copy 0, given that copy `copy` runs. If the trip count or a promise shows that
/// the variable does not wrap, its modulus is what one iteration of the new loop adds to it; else only the power of 2
/// in that, which a wrap keeps.
constexpr value_facts facts_of_induction(const induction_variable& iv, const top_iterations& top, std::uint64_t copy) {
  value_facts f = value_facts::none(iv.width);
  if (!iv.has_start || (iv.step & low_ones(iv.width)) == 0) {
    return f;
  }
  const std::int64_t step = as_signed(iv.step, iv.width);
  const std::uint64_t size = step < 0 ? 0 - static_cast<std::uint64_t>(step) : static_cast<std::uint64_t>(step);
  const auto after = [&](std::uint64_t iterations, std::int64_t& out) { // false if it wraps before
    std::int64_t distance = 0;
    return iterations <= std::uint64_t{1} << 62 &&
           multiply_exactly(static_cast<std::int64_t>(iterations), step, 64, distance) &&
           add_exactly(as_signed(iv.start, iv.width), distance, iv.width, out);
  };
  std::int64_t at_first = as_signed(iv.start + top.first * iv.step, iv.width);
  const bool begins_in_range = after(top.first, at_first);
  bool has_range = false;
  if (const auto last = top.last(copy); begins_in_range && last) {
    std::int64_t at_last = 0;
    if (after(top.first + *last, at_last)) {
      f.range.low = step < 0 ? at_last : at_first;
      f.range.high = step < 0 ? at_first : at_last;
      has_range = true;
    }
  }
  if (!has_range && begins_in_range && iv.flags.no_signed_wrap) {
    (step < 0 ? f.range.high : f.range.low) = at_first;
    has_range = true;
  }
  const bool fits = size <= ~std::uint64_t{0} / top.stride;
  const std::uint64_t modulus = fits ? size * top.stride : size;
  const std::uint64_t residue = remainder_of(at_first, modulus);
  const signed_congruence of_width(iv.width);
  return value_facts::reduced(f.range,
                              has_range ? of_width.of(modulus, residue) : of_width.wrapped({modulus, residue}));
}

} // namespace detail

MIDEND_END_NAMESPACE
