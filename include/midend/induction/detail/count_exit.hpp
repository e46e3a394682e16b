/// `count_exit`: how often a loop runs until one exit is taken, from the comparisons of its condition.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/bounded_trip_count.hpp"
#include "midend/induction/detail/condition_reader.hpp"
#include "midend/induction/detail/count_to_equality.hpp"
#include "midend/induction/detail/count_to_order.hpp"
#include "midend/induction/detail/evolution_solver.hpp"
#include "midend/induction/detail/exit_claims.hpp"
#include "midend/induction/detail/exit_operands.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/loops/loop_edges.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The count until one of two conditions holds.
inline loop_trips until_either(const loop_trips& a, const loop_trips& b) {
  if (b.count.kind == trip_count_kind::endless || a.count.kind == trip_count_kind::endless) {
    return a.count.kind == trip_count_kind::endless ? b : a;
  }
  loop_trips out;
  out.count = combined(a.count, b.count);
  out.ends = a.ends || b.ends;
  return out;
}

/// Replaces an order of x and x + d, modulo 2^width, by one of x and a number: it holds if the sum wraps, or if it does
/// not.
inline value_comparison with_number(const exit_place& x, const value_comparison& c) {
  linear_form a;
  linear_form b;
  linear_form apart;
  if (!is_order(c.code) || c.b == no_value || !x.reader.read_low_bits(c.a, c.width, a) ||
      !x.reader.read_low_bits(c.b, c.width, b) || !linear_difference(b, a, apart) || !apart.is_number() ||
      apart.is_zero() || resolve_operand(x, c.a, c.width, reading_for(c.code)).is_known()) {
    return c;
  }
  const bool is_signed = is_signed_order(c.code);
  const std::uint64_t offset = is_signed ? sign_bit(c.width) : 0;
  const std::uint64_t last = (low_ones(c.width) - apart.constant - offset) & low_ones(c.width); // x + d does not wrap
  const operation code = signed_comparison(c.code);
  const bool is_less = code == operation::less || code == operation::less_equal;
  value_comparison out{is_signed ? operation::less_equal : operation::uless_equal, c.width, c.a, no_value, last};
  out.code = is_less ? out.code : negated(out.code);
  return out;
}

/// Makes a comparison of numbers that fit in fewer bits one of fewer bits.
inline bool in_fewer_bits(const exit_place& x, value_comparison& c) {
  const auto literal = c.b == no_value ? std::optional(c.number) : x.program.constant(c.b);
  const number_facts a = facts_of_operand(x, c.a, c.width);
  const number_facts b =
      literal.has_value() ? number_facts::exactly(c.width, literal.value_or(0)) : facts_of_operand(x, c.b, c.width);
  const std::uint64_t possible =
      x.reader.possible_bits(c.a, c.width) |
      (literal.has_value() ? literal.value_or(0) & low_ones(c.width) : x.reader.possible_bits(c.b, c.width));
  const auto bits = static_cast<unsigned>(std::bit_width(possible));
  const auto places = [](std::int64_t n) { return 1 + std::bit_width(static_cast<std::uint64_t>(n < 0 ? ~n : n)); };
  unsigned signed_bits = 1;
  for (const std::int64_t n : {a.low, a.high, b.low, b.high}) {
    signed_bits = static_cast<unsigned>(places(n)) > signed_bits ? static_cast<unsigned>(places(n)) : signed_bits;
  }
  if (bits != 0 && bits < c.width && bits <= signed_bits) {
    c.code = unsigned_comparison(c.code); // neither is negative
    c.width = bits;
  } else if (signed_bits < c.width) {
    c.width = signed_bits; // then the unsigned order is equal, too
  } else {
    return false;
  }
  return true;
}

inline compared_count count_in_width(const exit_place& x, const value_comparison& c) {
  return is_order(c.code) ? count_to_order(x, c) : count_to_equality(x, c);
}

/// Counts a comparison as it is and in fewer bits. Returns the better count, with the bound of the other one.
inline compared_count count_comparison(const exit_place& x, const value_comparison& c) {
  compared_count out = count_in_width(x, with_number(x, c));
  value_comparison few = c;
  if (says_all(out.trips) || !in_fewer_bits(x, few)) {
    return out;
  }
  compared_count other = count_in_width(x, few);
  if (says_all(other.trips)) {
    note_most(other.trips, small_bound(out.trips.count));
    return other;
  }
  note_most(out.trips, small_bound(other.trips.count));
  note_multiple(out.trips, other.trips.count.multiple);
  out.trips.ends = out.trips.ends || other.trips.ends;
  return out;
}

/// Counts until a claim about a bit holds for the first time: one comparison, or several that all hold.
inline loop_trips count_bit(const exit_place& x, const bit_fact& bit) {
  bit_facts parts;
  if (!x.conditions.split_into(bit, true, parts)) {
    return {};
  }
  if (parts.size == 1) {
    return count_comparison(x, x.conditions.comparison_of(parts.bits[0])).trips;
  }
  const exit_place part{x, x.loop};
  // All hold for the first time when the last one first holds, if the others hold then.
  loop_trips out;
  counted_exit exits[bit_facts::most];
  std::uint64_t last = 0;
  bool are_numbers = true;
  for (std::size_t i = 0; i != parts.size; ++i) {
    const compared_count one = count_comparison(part, x.conditions.comparison_of(parts.bits[i]));
    const trip_count& count = one.trips.count;
    if (count.kind == trip_count_kind::endless) {
      out.count.kind = trip_count_kind::endless;
      return out;
    }
    are_numbers = are_numbers && one.has_numbers && count.kind == trip_count_kind::exact;
    last = count.backedges > last ? count.backedges : last;
    exits[i] = one.numbers;
  }
  for (std::size_t i = 0; i != parts.size && are_numbers; ++i) {
    exits[i].start += last * exits[i].step;
    are_numbers = first_leaving_test(exits[i]) == std::optional(std::uint64_t{0});
  }
  if (are_numbers) {
    out.count = {trip_count_kind::exact, last, last + 1 == 0 ? std::uint64_t{1} << 63 : last + 1};
  }
  return out;
}

/// Counts an exit that is taken if the condition is one of some numbers, or is not one number.
inline loop_trips count_cases(const exit_place& x, const loop_edge& exit) {
  const value_id condition = x.program.condition(exit.source);
  loop_trips out;
  if (condition == no_value || x.program.operation(condition).width < 1 || x.program.operation(condition).width > 64) {
    return out;
  }
  value_comparison c{operation::equal, x.program.operation(condition).width, condition};
  std::size_t numbers = 0;
  bool has_range = false;
  bool is_default = x.program.edge_cases(exit.id).empty();
  loop_trips total;
  total.count.kind = trip_count_kind::endless;
  c.code = is_default ? operation::not_equal : operation::equal;
  for (const edge_id e : x.program.graph().out_edges(exit.source)) {
    if (!is_default && e != exit.id) {
      continue;
    }
    for (const number_range& r : x.program.edge_cases(e)) {
      has_range = has_range || r.low != r.high;
      c.number = r.low;
      if (++numbers <= bit_facts::most && !has_range) {
        total = until_either(total, count_comparison(x, c).trips);
      }
    }
  }
  const bool is_counted = !has_range && (is_default ? numbers == 1 : numbers <= bit_facts::most);
  out = is_counted ? total : out;
  out.ends = false; // there is no checker for it
  out.test = numbers == 1 ? out.test : counter_test();
  return out;
}

/// Counts the iterations until this exit is taken. Each iteration that no earlier exit ends must test it. One of
/// several comparisons must hold, or all, or the condition must be one of some numbers.
inline loop_trips count_exit(const exit_place& x, const loop_edge& exit) {
  bit_fact bit;
  bit_facts parts;
  const exit_place part{x, x.loop};
  if (!x.conditions.read_branch(exit.source, exit.id, bit)) {
    return count_cases(part, exit);
  }
  loop_trips out;
  if (x.conditions.split_into(bit, false, parts)) {
    out.count.kind = trip_count_kind::endless;
    bool are_known = true;
    for (std::size_t i = 0; i != parts.size; ++i) {
      const loop_trips one = count_bit(parts.size == 1 ? x : part, parts.bits[i]);
      are_known = are_known && is_known_on_entry(one);
      out = until_either(out, one);
    }
    out.are_parts_known = are_known;
    out.test = parts.size == 1 ? out.test : counter_test();
  }
  return out;
}

} // namespace detail

MIDEND_END_NAMESPACE
