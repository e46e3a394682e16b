/// `count_loop_trips`: the exact trip counts of all loops of a program, for `estimate`.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/domains/number_domain.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/induction/describe_loop.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/induction/loop_counters.hpp"
#include "midend/induction/loop_trip_counter.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/swap.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// What is known about a program before it is estimated.
struct estimate_knowledge {
  flat_array<std::uint64_t> trips; ///< for `estimate_options::trips`
  flat_array<bool> not_negative;   ///< for `region_facts::not_negative`
};

namespace detail {

/// The exact trip count of a loop that may have others in it: one that has a single exit, which each iteration tests,
/// by a comparison of a counter with a number. The counter begins with a number, and each backedge brings it plus a
/// number.
template <class IR> class nest_trip_counter {
public:
  nest_trip_counter(const IR& ir, const dominator_tree& tree, const loop_forest& loops)
      : ir_(ir), tree_(tree), loops_(loops) {}

  /// Header executions; 0 if they are not known.
  std::uint64_t count(loop_id l) const {
    std::size_t exits = 0;
    loop_edge exit{};
    for (const loop_edge& e : loops_.exiting_edges(l)) {
      exit = e;
      ++exits;
    }
    bool is_tested = exits == 1 && loops_.innermost_loop(exit.source) == l;
    for (const loop_edge& back : loops_.backedges(l)) {
      is_tested = is_tested && tree_.dominates(exit.source, back.source);
    }
    counted_exit e{};
    if (!is_tested || !read_test(l, exit, e)) {
      return 0;
    }
    const trip_count trip = trip_count_of(e);
    return trip.kind == trip_count_kind::exact ? trip.header_executions().value_or(0) : 0;
  }

private:
  /// A value plus a number, as far as one operation says it.
  struct sum {
    value_id base = no_value;
    std::uint64_t number = 0;
    operation_flags flags = {};
  };

  sum sum_of(value_id v) const {
    const operation_info info = ir_.is_phi(v) ? operation_info() : ir_.operation(v);
    if (info.code != operation::add && info.code != operation::sub) {
      return {v, 0, {}};
    }
    value_id operands[2] = {};
    std::size_t i = 0;
    for (const auto& operand : ir_.operands(v)) {
      operands[i++] = static_cast<value_id>(operand);
    }
    if (info.code == operation::add && ir_.constant(operands[0])) {
      swap_values(operands[0], operands[1]);
    }
    const auto number = ir_.constant(operands[1]);
    if (!number || ir_.constant(operands[0])) {
      return {v, 0, {}};
    }
    return info.code == operation::add
               ? sum{operands[0], *number, info.flags}
               : sum{operands[0], (0 - *number) & low_ones(info.width), {}}; // of other promises
  }

  bool read_test(loop_id l, const loop_edge& exit, counted_exit& out) const {
    const value_id test = static_cast<value_id>(ir_.condition(exit.source));
    if (test == no_value || ir_.is_phi(test) || !is_comparison(ir_.operation(test).code)) {
      return false;
    }
    const operation_info info = ir_.operation(test);
    out.comparison = info.code;
    out.width = info.operand_width;
    if (!read_direction(exit, out.exits_when)) {
      return false;
    }
    value_id operands[2] = {};
    std::size_t i = 0;
    for (const auto& operand : ir_.operands(test)) {
      operands[i++] = static_cast<value_id>(operand);
    }
    if (ir_.constant(operands[0])) {
      swap_values(operands[0], operands[1]);
      out.comparison = mirrored(out.comparison);
    }
    const auto bound = ir_.constant(operands[1]);
    const sum compared = sum_of(operands[0]);
    if (!bound || !ir_.is_phi(compared.base)) {
      return false;
    }
    out.bound = *bound;
    return read_counter(l, compared, out);
  }

  /// Whether the edge is taken where the comparison holds.
  bool read_direction(const loop_edge& exit, bool& exits_when) const {
    std::size_t edges = 0;
    for_each_id(ir_.graph().out_edges(exit.source), [&](edge_id) { ++edges; });
    if (edges != 2) {
      return false;
    }
    exits_when = edge_of_case(ir_, exit.source, constant_of<IR>(1)) == exit.id;
    return exits_when != (edge_of_case(ir_, exit.source, constant_of<IR>(0)) == exit.id);
  }

  bool read_counter(loop_id l, const sum& compared, counted_exit& out) const {
    bool is_header_phi = false;
    for (const value_id v : ir_.values(loops_.header(l))) {
      is_header_phi = is_header_phi || (v == compared.base && ir_.is_phi(v));
    }
    if (!is_header_phi) {
      return false;
    }
    optional<std::uint64_t> start;
    for (const loop_edge& e : loops_.entering_edges(l)) {
      const auto number = ir_.constant(static_cast<value_id>(ir_.phi_input(compared.base, e.id)));
      if (!number || (start && *start != *number)) {
        return false;
      }
      start = *number;
    }
    bool is_first = true;
    for (const loop_edge& e : loops_.backedges(l)) {
      const sum next = sum_of(static_cast<value_id>(ir_.phi_input(compared.base, e.id)));
      if (next.base != compared.base || next.number == 0 || (!is_first && next.number != out.step)) {
        return false;
      }
      out.step = next.number;
      out.flags = is_first ? next.flags : operation_flags();
      is_first = false;
    }
    if (!start || is_first) {
      return false;
    }
    out.start = (*start + compared.number) & low_ones(out.width);
    // The promise is about the counter itself, not about what is compared with a number more.
    out.flags = compared.number == 0 || compared.number == out.step ? out.flags : operation_flags();
    return true;
  }

  const IR& ir_;
  const dominator_tree& tree_;
  const loop_forest& loops_;
};

} // namespace detail

/// Counts, for each loop, how often its header runs, if that is always the same number; else 0.
/// Finds out which values are never negative, by the facts that this needs.
///
/// Requires what `loop_trip_counter` requires. The time of `sccp_with_branch_facts`, and of counting each loop.
template <cost_ir_argument IR>
void count_loop_trips(const IR& ir, const dominator_tree& tree, const loop_forest& loops, estimate_knowledge& out) {
  loop_trip_counter<IR> counter(ir, tree, loops);
  loop_body body;
  loop_counters counters;
  out.trips.assign(loops.num_loops(), 0);
  for (const loop_id l : loops.loops()) {
    if (loops.subloops(l).size() != 1) {
      out.trips[l] = detail::nest_trip_counter<IR>(ir, tree, loops).count(l);
    } else if (can_be_counted(counter.count(l, body, counters)) && counters.is_exact()) {
      out.trips[l] = counters.trip.header_executions().value_or(0);
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
