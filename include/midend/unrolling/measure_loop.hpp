/// `measure_loop`: what a loop costs as the program has it now. `compare_with_deed`: a prediction beside that.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/count_iterations.hpp"
#include "midend/induction/describe_loop.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/induction/loop_counters.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/machine/lowering/body_cost.hpp"
#include "midend/machine/machine.hpp"
#include "midend/machine/recurrence_bound.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/fraction.hpp"
#include "midend/unrolling/copies/unroll_body.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"
#include "midend/unrolling/lowering/estimate_body.hpp"
#include "midend/unrolling/unrolling_advice.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// One iteration of a loop as the program writes it, and its cost.
struct loop_measure {
  unrolling_obstacle obstacle = unrolling_obstacle::none; ///< with one, nothing below is valid
  body_cost cost;
  loop_body body;
  loop_counters counters;
  machine_body machine;
};

class measure_loop_workspace;

template <cost_ir_argument IR, loop_machine_argument M>
constexpr void measure_loop(const IR& ir, const loop_forest& forest, loop_id loop, const M& machine,
                            const lowering_options& options, measure_loop_workspace& workspace, loop_measure& out,
                            bool runs_once = false);

/// The memory of `measure_loop`, to be reused from loop to loop.
class measure_loop_workspace {
  template <cost_ir_argument IR, loop_machine_argument M>
  friend constexpr void measure_loop(const IR& ir, const loop_forest& forest, loop_id loop, const M& machine,
                                     const lowering_options& options, measure_loop_workspace& workspace,
                                     loop_measure& out, bool runs_once);

  describe_loop_workspace description_;
  count_iterations_workspace count_;
  unroll_body_workspace unroll_;
  estimate_body_workspace estimate_;
  unrolled_body copy_;
};

/// Counts the operations of a loop as they are in the program, and bounds its time, by the model of `advise_unrolling`.
/// Refills `out`.
///
/// The advice evaluates copies: it folds and shares. This function does neither (`unroll_request::as_written`), so
/// what no transformation has removed is counted, and an operation that does not change in the loop is counted as one
/// of the loop. Instruction selection is that of `estimate_body`, for both. So the measure of an unrolled loop says
/// whether the program got what was predicted for it.
///
/// With `runs_once`, the body is straight code: no next iteration follows, and all that it computes counts.
///
/// Requires what `describe_loop` requires. Linear in the loop, as `describe_loop`, and the time of the bounds.
template <cost_ir_argument IR, loop_machine_argument M>
constexpr void measure_loop(const IR& ir, const loop_forest& forest, loop_id loop, const M& machine,
                            const lowering_options& options, measure_loop_workspace& workspace, loop_measure& out,
                            bool runs_once) {
  measure_loop_workspace& w = workspace;
  out.obstacle = to_unrolling_obstacle(describe_loop(ir, forest, loop, w.description_, out.body));
  if (out.obstacle != unrolling_obstacle::none) {
    return;
  }
  detail::iteration_counter(out.body, {}, w.count_, out.counters).run();
  unroll_request request;
  request.as_written = true;
  request.is_straight_line = runs_once;
  request.begins_at_entry = runs_once;
  unroll_body(out.body, out.counters, request, w.unroll_, w.copy_);
  out.cost = estimate_body(w.copy_, machine, options, w.estimate_, out.machine);
  if (out.cost.resources.is_impossible) {
    out.obstacle = unrolling_obstacle::impossible_machine;
  } else if (out.cost.recurrence == recurrence_status::impossible) {
    out.obstacle = unrolling_obstacle::cyclic_body;
  }
}

/// The measure of one loop.
template <cost_ir_argument IR, loop_machine_argument M>
constexpr loop_measure measure_loop(const IR& ir, const loop_forest& forest, loop_id loop, const M& machine,
                                    const lowering_options& options = {}) {
  measure_loop_workspace workspace;
  loop_measure out;
  measure_loop(ir, forest, loop, machine, options, workspace, out);
  return out;
}

/// What of a body is compared.
enum class body_item : std::uint8_t {
  operations,
  branches,
  interval,   ///< II; of straight code its cycles
  resources,  ///< ResMII before rounding
  recurrence, ///< RecMII before rounding
  chain,      ///< the critical path of one pass
  bytes,
  general_registers,
  predicate_registers
};

inline constexpr std::size_t num_body_items = 9;

/// The value of an item.
constexpr fraction item_of(const body_cost& cost, body_item item) {
  switch (item) {
  case body_item::operations:
    return cost.operations;
  case body_item::branches:
    return cost.branches;
  case body_item::interval:
    return cost.obstacle == pipelining_obstacle::straight_line ? cost.alone : cost.interval;
  case body_item::resources:
    return cost.resources.exact;
  case body_item::recurrence:
    return cost.recurrence_exact;
  case body_item::chain:
    return cost.critical_path;
  case body_item::bytes:
    return cost.bytes;
  case body_item::general_registers:
    return cost.general_registers;
  default:
    return cost.predicate_registers;
  }
}

/// A value of the loop body, and how many operations of the machine it takes in all copies.
struct operation_count {
  value_id origin; ///< in the program before; `no_value`: sums with a number, and what stands for no value of it
  std::uint64_t predicted = 0;
  std::uint64_t there = 0;

  friend constexpr bool operator==(const operation_count&, const operation_count&) = default;
};

/// A prediction beside what became of it.
struct unrolling_comparison {
  body_cost predicted;
  body_cost there;
  std::array<bool, num_body_items> differs{};
  flat_array<operation_count> operations; ///< by value of the program before, ascending; those that differ

  constexpr bool differs_in(body_item item) const { return differs[static_cast<std::size_t>(item)]; }

  /// Whether the operations of a pass and the interval between passes are as predicted.
  constexpr bool is_as_predicted() const {
    return !differs_in(body_item::operations) && !differs_in(body_item::interval);
  }

  /// Whether all items are.
  constexpr bool is_equal() const {
    for (const bool item : differs) {
      if (item) {
        return false;
      }
    }
    return true;
  }
};

namespace detail {

/// Counts the operations of `machine` by `origin(value of the body)`, in ascending order of it; `add(count)` gets 1.
template <class Origin, class Member>
constexpr void count_operations(const machine_body& machine, const Origin& origin, Member member,
                                flat_array<operation_count>& out) {
  for (operation_id o = 0; o != machine.graph.num_operations(); ++o) {
    if (machine.graph.operation(o).kind == operation_class::branch) {
      continue;
    }
    const machine_operation_origin& from = machine.origins[o];
    const bool is_sum = from.node == no_unrolled; // of a value and a number, which no operation of the program need be
    const value_id v = is_sum || from.value == no_body_value ? no_value : origin(from.value);
    std::size_t at = out.size();
    while (at != 0 && out[at - 1].origin >= v) {
      --at;
    }
    if (at == out.size() || out[at].origin != v) {
      out.push_back({v});
      for (std::size_t i = out.size() - 1; i != at; --i) {
        out[i] = out[i - 1];
      }
      out[at] = {v};
    }
    ++(out[at].*member);
  }
}

} // namespace detail

/// Sets the prediction of a body beside a measured one. `origin_of(v)` is the value of the program before that the
/// value `v` of the measured program stands for, or `no_value`.
template <class Origin>
constexpr void compare_with_deed(const body_cost& predicted, const loop_body& old_body, const machine_body& expected,
                                 const loop_measure& there, const Origin& origin_of, unrolling_comparison& out) {
  out.predicted = predicted;
  out.there = there.cost;
  for (std::size_t i = 0; i != num_body_items; ++i) {
    const auto item = static_cast<body_item>(i);
    out.differs[i] = item_of(predicted, item) != item_of(there.cost, item);
  }
  flat_array<operation_count> all;
  detail::count_operations(
      expected, [&](body_id v) { return old_body.values[v].origin; }, &operation_count::predicted, all);
  detail::count_operations(
      there.machine, [&](body_id v) { return origin_of(there.body.values[v].origin); }, &operation_count::there, all);
  out.operations.clear();
  for (const operation_count& c : all) {
    if (c.predicted != c.there) {
      out.operations.push_back(c);
    }
  }
}

namespace detail {

inline constexpr std::array<const char*, num_body_items> body_item_names = {
    "operations", "branches", "interval",          "resources",          "recurrence",
    "chain",      "bytes",    "general_registers", "predicate_registers"};

} // namespace detail

/// The enumerator's name.
constexpr const char* name_of(body_item item) {
  return detail::body_item_names[static_cast<std::size_t>(item)];
}

MIDEND_END_NAMESPACE
