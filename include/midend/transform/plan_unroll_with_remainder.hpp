/// `plan_unroll_with_remainder`: which loops can run several iterations without testing each, because their trip count
/// is computed before they run.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/trip_formula.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/span.hpp"
#include "midend/support/wide_number.hpp"
#include "midend/transform/detail/counted_tests.hpp"
#include "midend/transform/unroll_loops.hpp"
#include "midend/transform/unrolled_limit.hpp"
#include "midend/transform/unrolling_form.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Why a loop is not unrolled with a remainder.
enum class remainder_refusal_reason : std::uint8_t {
  not_innermost,    ///< the loop contains loops
  no_counted_exit,  ///< no exit that each iteration tests compares a counter with an invariant that it approaches
  step_is_value,    ///< no such exit has a step that is a number, but one has a step that is a value: the trip count is
                    ///< a quotient by it
  other_comparison, ///< each iteration compares by no operation of the library: no numbers, or numbers of more bits
                    ///< than the IR describes
  step_too_large,   ///< the step has more than 64 bits, and the trip count is a quotient by it
  factor_too_large, ///< the factor is no number of the counter's width
  no_guard,         ///< the header is the entry, or an edge into the loop cannot be split
  early_trap,       ///< the trip count, computed before the loop, or the test in the latch might trap
  not_copied        ///< `unroll_loops` refuses, for the reason in `copying`
};

struct remainder_refusal {
  loop_id loop;
  remainder_refusal_reason why;
  unrolling_refusal_reason copying; ///< valid for `not_copied`
};

/// A loop that gets a remainder.
struct remainder_unrolling {
  loop_id loop;
  std::uint32_t copies; ///< copies in the body of the new loop
  value_id counter;     ///< a phi of the header
  value_id comparison;  ///< compares the counter plus a number with the bound
  bool bound_is_first;  ///< operand of the comparison
  passed_test test;
  std::uint32_t first_node; ///< into `remainder_plan::nodes`; the header
  std::uint32_t num_nodes;
};

/// What `unroll_with_remainder` will do. To veto an unrolling, remove it.
struct remainder_plan {
  std::uint64_t epoch = 0;
  flat_array<remainder_unrolling> unrollings;
  flat_array<node_id> nodes;
  flat_array<remainder_refusal> refused;

  bool empty() const { return unrollings.empty(); }
};

namespace detail {

/// Whether a branch reads a value that no operation of the library describes.
template <class IR> bool compares_no_numbers(const IR& ir, const counted_tests<IR>& counted, node_id n) {
  const auto condition = static_cast<value_id>(ir.condition(n));
  return condition != no_value && counted.is_inside(condition) && !ir.is_phi(condition) &&
         ir.effect(condition) == effect_kind::none && operation_of_any_width(ir, condition).code == operation::other;
}

/// The exit by which a loop can run several iterations without tests, as an index into `tests`: the first exit that
/// each iteration tests and that has a formula. If there is none, the number of tests, and `why` is the reason.
template <class IR>
std::size_t passable_exit(const IR& ir, const loop_forest& loops, loop_id l, const dominator_tree& tree,
                          const counted_tests<IR>& counted, passed_test& test, remainder_refusal_reason& why) {
  const flat_array<optional<counted_test>>& tests = counted.tests();
  why = remainder_refusal_reason::no_counted_exit;
  std::size_t i = 0;
  for (const loop_edge& e : loops.exiting_edges(l)) {
    bool is_always_tested = true;
    for (const loop_edge& back : loops.backedges(l)) {
      is_always_tested = is_always_tested && tree.dominates(e.source, back.source);
    }
    const auto t = tests[i] && is_always_tested ? passed_test_of(*tests[i], tests[i]->step) : std::nullopt;
    if (t && t->formula.divisor.fits_in_64_bits()) {
      test = *t;
      return i;
    }
    why = t                           ? remainder_refusal_reason::step_too_large
          : counted.has_value_step(i) ? remainder_refusal_reason::step_is_value
          : is_always_tested && !tests[i] && compares_no_numbers(ir, counted, e.source)
              ? remainder_refusal_reason::other_comparison
              : why;
    ++i;
  }
  return i;
}

} // namespace detail

/// Memory of `plan_unroll_with_remainder`, to be reused.
class plan_unroll_with_remainder_workspace {
  template <cost_ir_argument IR>
    requires effect_ir_argument<IR> && graph_of_ir_argument<IR>
  friend void plan_unroll_with_remainder(const IR& ir, const loop_forest& loops, span<const unrolling_request> requests,
                                         const unrolling_limits& limits,
                                         plan_unroll_with_remainder_workspace& workspace, remainder_plan& plan);

  flat_array<unrolling_request> wanted_;
  flat_array<std::size_t> request_of_; ///< by loop
  unroll_loops_workspace planning_;
  unrolling_plan copies_;
  dominators_workspace dominating_;
  dominator_tree tree_;
  detail::counted_tests_memory tests_;
};

/// Finds which of these innermost loops can run several iterations without testing each, up to a limit. For a prologue,
/// only the prologue is copied. Plan again for the loop that is left: its trip count is then a multiple of the factor.
/// Each iteration of the loop must compare a counter with a bound that does not change in the loop. There may be other
/// exits, which each copy tests as before. Flags are not needed, and the counter may wrap: see `emit_unrolled_limit`.
///
/// Requires a forest of this graph as it is, with boundaries. Linear.
template <cost_ir_argument IR>
  requires effect_ir_argument<IR> && graph_of_ir_argument<IR>
remainder_plan plan_unroll_with_remainder(const IR& ir, const loop_forest& loops,
                                          span<const unrolling_request> requests, const unrolling_limits& limits = {}) {
  plan_unroll_with_remainder_workspace workspace;
  remainder_plan plan;
  plan_unroll_with_remainder(ir, loops, requests, limits, workspace, plan);
  return plan;
}

/// Refills `plan`.
template <cost_ir_argument IR>
  requires effect_ir_argument<IR> && graph_of_ir_argument<IR>
void plan_unroll_with_remainder(const IR& ir, const loop_forest& loops, span<const unrolling_request> requests,
                                const unrolling_limits& limits, plan_unroll_with_remainder_workspace& workspace,
                                remainder_plan& plan) {
  const auto& g = ir.graph();
  plan.epoch = graph_epoch(g);
  plan.unrollings.clear();
  plan.nodes.clear();
  plan.refused.clear();
  flat_array<unrolling_request>& wanted = workspace.wanted_;
  wanted.clear();
  flat_array<std::size_t>& request_of = workspace.request_of_;
  request_of.assign(loops.num_loops(), requests.size()); // the first request counts: a plan unrolls a loop once
  for (std::size_t i = 0; i != requests.size(); ++i) {
    std::size_t& first = request_of[requests[i].loop];
    first = first == requests.size() && requests[i].form.iterations_in_pass() != 0 ? i : first;
  }
  for (const unrolling_request& r : requests) { // one copy more than the new body has: the old loop
    wanted.push_back({r.loop, {unrolling_kind::partial, r.form.iterations_in_pass() + 1}});
  }
  unrolling_plan& copies = workspace.copies_;
  plan_unroll_loops(ir, loops, {wanted.data(), wanted.size()}, limits, workspace.planning_, copies);
  for (const unrolling_refusal& r : copies.refused) {
    plan.refused.push_back({r.loop, remainder_refusal_reason::not_copied, r.why});
  }
  if (!copies.unrollings.empty()) {
    dominators(g, semi_nca, workspace.dominating_, workspace.tree_);
  }
  detail::counted_tests<IR> counted(ir, loops, workspace.tests_);
  for (const loop_unrolling& x : copies.unrollings) {
    const auto refuse = [&](remainder_refusal_reason reason) {
      plan.refused.push_back({x.loop, reason, unrolling_refusal_reason::one_copy});
    };
    if (loops.subloops(x.loop).size() != 1) {
      refuse(remainder_refusal_reason::not_innermost);
      continue;
    }
    passed_test test{};
    remainder_refusal_reason why{};
    const auto& tests = counted.read(x.loop);
    const std::size_t exit = detail::passable_exit(ir, loops, x.loop, workspace.tree_, counted, test, why);
    const std::uint32_t copies_in_pass = x.copies - 1;
    const unrolling_form& form = requests[request_of[x.loop]].form;
    bool has_guard = loops.header(x.loop) != static_cast<node_id>(g.entry());
    for (const loop_edge& e : loops.entering_edges(x.loop)) {
      has_guard = has_guard && may_split(ir, e.id);
    }
    for (const loop_edge& e : loops.backedges(x.loop)) {
      has_guard = has_guard && may_split(ir, e.id);
    }
    if (exit == tests.size()) {
      refuse(why);
    } else if (low_ones_of_width(test.formula.width) < wide_number(detail::number_of_guard(form))) {
      refuse(remainder_refusal_reason::factor_too_large);
    } else if (!has_guard) {
      refuse(remainder_refusal_reason::no_guard);
    } else {
      const counted_test& t = *tests[exit];
      test.form = form;
      const auto first = static_cast<std::uint32_t>(plan.nodes.size());
      for (std::uint32_t i = 0; i != x.num_nodes; ++i) {
        plan.nodes.push_back(copies.nodes[x.first_node + i]);
      }
      plan.unrollings.push_back({x.loop, copies_in_pass, t.phi, t.comparison, t.swapped, test, first, x.num_nodes});
    }
  }
}

MIDEND_END_NAMESPACE
