/// `narrow_choices`, `narrow_counters`: facts about values from branches, from conditions, and from trip counts.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/bounded_trip_count.hpp"
#include "midend/induction/detail/condition_reader.hpp"
#include "midend/induction/detail/entry_ranges.hpp"
#include "midend/induction/detail/exit_claims.hpp"
#include "midend/induction/detail/exit_operands.hpp"
#include "midend/induction/detail/held_comparisons.hpp"
#include "midend/induction/detail/integer_ends.hpp"
#include "midend/induction/detail/value_form_reader.hpp"
#include "midend/induction/evolution.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/value_bounds.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/form_range.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

// The intersection of facts and bounds.

inline void meet(number_facts& f, const value_bounds& b) {
  const value_bounds narrow = narrower({f.least, f.most, f.low, f.high}, b);
  f.least = narrow.low;
  f.most = narrow.high;
  f.low = narrow.signed_low;
  f.high = narrow.signed_high;
}

inline void meet(number_facts& f, const integer_ends& ends, number_reading r) {
  value_bounds b{f.least, f.most, f.low, f.high};
  if (r == number_reading::as_signed) {
    b.signed_low = ends.least && *ends.least > b.signed_low ? *ends.least : b.signed_low;
    b.signed_high = ends.most && *ends.most < b.signed_high ? *ends.most : b.signed_high;
  } else {
    const auto bits = [](std::int64_t n) { return n < 0 ? 0 : static_cast<std::uint64_t>(n); };
    b.low = ends.least && bits(*ends.least) > b.low ? bits(*ends.least) : b.low;
    b.high = ends.most && bits(*ends.most) < b.high ? bits(*ends.most) : b.high;
  }
  meet(f, b);
}

/// Narrows a value that is one of several inputs. For each input, its comparisons held.
inline void narrow_choice(const entry_ranges& ranges, value_id v, span<const value_id> inputs,
                          const held_comparisons* held, value_form_reader& reader) {
  number_facts f = reader.facts_of(v);
  for (const number_reading r : {number_reading::as_signed, number_reading::as_unsigned}) {
    integer_ends joined;
    for (std::size_t i = 0; i != inputs.size(); ++i) {
      linear_form form;
      const bool is_read = reader.read_operand(inputs[i], reader.width_of(v), r, form);
      const integer_ends one = is_read ? ranges.at(form, held[i]) : integer_ends();
      joined = i == 0 ? one : either_of(joined, one);
    }
    meet(f, joined, r);
  }
  reader.narrow(v, f);
}

/// Narrows phis and selects by the branches that lead to their inputs, and by their conditions. `order` has the nodes
/// in reverse postorder. Phis of more than four inputs stay unchanged.
inline void narrow_choices(const trip_inputs& in, span<const node_id> order, value_form_reader& reader) {
  constexpr std::size_t most = 4;
  const flat_program& p = in.program;
  held_comparisons held[most];
  for (const node_id n : order) {
    bool has_phis = false;
    for (const value_id v : p.values(n)) {
      has_phis = has_phis || p.is_phi(v);
    }
    std::size_t edges = 0;
    std::size_t comparisons = 0;
    for (const edge_id e : has_phis ? p.graph().in_edges(n) : span<const edge_id>()) {
      if (reader.is_reachable(p.graph().edge_source(e)) && ++edges <= most) {
        in.ranges.branches().passing(e, held[edges - 1]);
        comparisons += held[edges - 1].size;
      }
    }
    const bool knows_more = comparisons != 0 && edges <= most; // whether the bounds are narrower than the facts
    for (const value_id v : p.values(n)) {
      if (!knows_more || !p.is_phi(v) || p.constant(v) || reader.width_of(v) != p.operation(v).width) {
        continue;
      }
      value_id inputs[most] = {};
      edges = 0;
      for (const edge_id e : p.graph().in_edges(n)) {
        if (reader.is_reachable(p.graph().edge_source(e))) {
          inputs[edges++] = p.phi_input(v, e);
        }
      }
      narrow_choice(in.ranges, v, {inputs, edges}, held, reader);
    }
    for (const value_id v : p.values(n)) {
      const bool is_select = !p.is_phi(v) && !p.constant(v) && p.operation(v).code == operation::select;
      const span<const value_id> operands = is_select ? p.operands(v) : span<const value_id>();
      if (operands.size() == 3 && operands[0] != no_value && !p.constant(operands[0]) &&
          reader.width_of(operands[0]) == 1 && reader.width_of(v) == p.operation(v).width) {
        in.ranges.branches().choosing({operands[0], true}, held[0]);
        in.ranges.branches().choosing({operands[0], false}, held[1]);
        narrow_choice(in.ranges, v, {operands.data() + 1, 2}, held, reader);
      }
    }
  }
}

/// Joins the facts of all values of an invariant plus a multiple of a number.
inline void meet_all_values(const evolution& bits, std::uint64_t backedges, number_facts& f) {
  value_bounds all{};
  for (std::uint64_t k = 0; k <= backedges; ++k) {
    linear_form now;
    if (!bits.value_at(k, now) || !now.is_number()) {
      return;
    }
    const value_bounds one = value_bounds::exactly(now.constant, now.width);
    all = k == 0 ? one : bounds_of_either(all, one);
  }
  meet(f, all);
}

/// Narrows a header phi by an upper bound of the backedges.
inline void narrow_counter(const exit_place& x, value_id v, std::uint64_t backedges, value_form_reader& reader) {
  constexpr std::uint64_t max_listed = 100; // of a longer loop, not each iteration is listed
  const unsigned width = reader.width_of(v);
  number_facts f = reader.facts_of(v);
  const evolution bits = resolve_operand(x, v, width, number_reading::low_bits);
  if (bits.is_counter()) {
    form_range range = x.ranges.range_at(bits.start(), x.loop);
    range = sum_of_ranges(range, multiple_of_range({0, backedges, 0}, bits.step().constant, width), width);
    meet(f, bounds_of_range(range, width));
  } else if (bits.is_known() && backedges <= max_listed) {
    meet_all_values(bits, backedges, f);
  }
  for (const number_reading r : {number_reading::as_signed, number_reading::as_unsigned}) {
    const evolution e = resolve_operand(x, v, width, r);
    if (is_first_degree(e) && (e.degree == 0 || e.step().is_number())) {
      integer_ends ends = x.ranges.of(e.start(), x.loop);
      const wrapping_result moved = wrapping_mul(e.degree == 0 ? 0 : e.step().constant, backedges, 64);
      const auto by = static_cast<std::int64_t>(moved.bits);
      ends.least = moved.signed_wrap ? std::nullopt : by < 0 ? checked_sum(ends.least, by) : ends.least;
      ends.most = moved.signed_wrap ? std::nullopt : by > 0 ? checked_sum(ends.most, by) : ends.most;
      meet(f, ends, r);
    }
  }
  reader.narrow(v, f);
}

/// Narrows the header phis of loop `l` by its trip count.
inline void narrow_counters(const trip_inputs& in, loop_id l, const trip_count& count, value_form_reader& reader) {
  const bool is_bounded = count.kind == trip_count_kind::exact || count.kind == trip_count_kind::at_most;
  if (!is_bounded || count.backedges > largest_upper_bound) {
    return;
  }
  for (const value_id v : in.program.values(in.loops.header(l))) {
    if (in.program.is_phi(v) && !in.program.constant(v) && reader.width_of(v) == in.program.operation(v).width) {
      narrow_counter({in, l}, v, count.backedges, reader);
    }
  }
}

} // namespace detail

MIDEND_END_NAMESPACE
