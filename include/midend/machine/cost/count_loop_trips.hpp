/// `count_loop_trips`: the exact trip counts of all loops of a program, for `estimate`.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/domains/number_domain.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/induction/loop_trip_counter.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Facts about a program, found before it is estimated.
struct estimate_knowledge {
  flat_array<std::uint64_t> trips; ///< for `estimate_options::trips`
  flat_array<bool> not_negative;   ///< for `region_facts::not_negative`
};

/// Notes which values are never negative: literals, and values by facts.
template <cost_ir_argument IR>
void note_signs(const IR& ir, span<const number_facts> facts, flat_array<bool>& not_negative) {
  not_negative.assign(static_cast<std::size_t>(ir.num_values()), false);
  for (value_id v = 0; v != not_negative.size(); ++v) {
    const unsigned width = ir.operation(v).width;
    const auto c = ir.constant(v);
    not_negative[v] = width != 0 && (c ? as_signed(*c, width) >= 0 : v < facts.size() && facts[v].is_natural());
  }
}

/// Counts the header executions of each loop, by `loop_trip_counter`; 0 if the number is not always the same. Also
/// finds the values that are never negative, from the facts that this needs.
///
/// Requires what `loop_trip_counter` requires. The time of `sccp_with_branch_facts`, and of counting each loop.
template <cost_ir_argument IR> void count_loop_trips(const IR& ir, const loop_forest& loops, estimate_knowledge& out) {
  loop_trip_counter<IR> counter(ir, loops);
  out.trips.assign(loops.num_loops(), 0);
  for (const loop_id l : loops.loops()) {
    const trip_count& trip = counter.evolutions().trips(l).count;
    if (trip.kind == trip_count_kind::exact) {
      out.trips[l] = trip.header_executions().value_or(0);
    }
  }
  out.not_negative.assign(static_cast<std::size_t>(ir.num_values()), false);
  for (value_id v = 0; v != out.not_negative.size(); ++v) {
    const unsigned width = ir.operation(v).width;
    const number_domain::element& fact = counter.facts().fact(v);
    out.not_negative[v] = width != 0 && !fact.is_bottom() && fact.range.as_signed.low >= 0;
  }
}

MIDEND_END_NAMESPACE
