/// Plans of transformations in words: changes, and refusals with reasons.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/function_graph.hpp"
#include "midend/ir/ids.hpp"
#include "midend/loops/cycle_forest.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/clean_control.hpp"
#include "midend/transform/close_loops.hpp"
#include "midend/transform/fix_irreducible.hpp"
#include "midend/transform/hoist_common.hpp"
#include "midend/transform/hoist_invariants.hpp"
#include "midend/transform/propagate_copies.hpp"
#include "midend/transform/remove_dead_code.hpp"
#include "midend/transform/replacement_witness.hpp"
#include "midend/transform/rotate_loops.hpp"
#include "midend/transform/separate_loops.hpp"
#include "midend/transform/simplify_loops.hpp"
#include "midend/transform/split_critical_edges.hpp"
#include "midend/transform/unfolding_witness.hpp"
#include "midend/transform/unify_loop_exits.hpp"
#include "midend/transform/unroll_loops.hpp"
#include "midend/transform/unroll_with_remainder.hpp"
#include "midend/transform/untaken_exits.hpp"
#include "midend/viz/certificates.hpp"
#include "midend/viz/report.hpp"
#include "midend/viz/value_names.hpp"
#include "midend/viz/words.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

// Each enumerator as a phrase without full stop.

template <>
inline constexpr auto words_of<loop_node_kind> = word_table<loop_node_kind>({
    {loop_node_kind::preheader, "preheader"},
    {loop_node_kind::latch, "single latch"},
    {loop_node_kind::dedicated_exit, "dedicated exit"},
});

template <>
inline constexpr auto words_of<loop_refusal_reason> = word_table<loop_refusal_reason>({
    {loop_refusal_reason::entry_is_header, "its header is the entry"},
    {loop_refusal_reason::edge_stays, "an edge cannot be led through a new node"},
});

template <>
inline constexpr auto words_of<closing_refusal_reason> = word_table<closing_refusal_reason>({
    {closing_refusal_reason::exit_not_dedicated, "the exit is also entered from elsewhere"},
    {closing_refusal_reason::cannot_have_phi, "the value can take no phi"},
});

template <>
inline constexpr auto words_of<rotation_refusal_reason> = word_table<rotation_refusal_reason>({
    {rotation_refusal_reason::no_preheader, "it has no preheader"},
    {rotation_refusal_reason::several_edges_into_the_body, "several edges lead from its header into it"},
    {rotation_refusal_reason::too_large, "its header has more operations than the limit"},
    {rotation_refusal_reason::may_not_duplicate, "an operation of its header may not be copied"},
    {rotation_refusal_reason::edge_stays, "an edge of its header cannot be redirected"},
});

template <>
inline constexpr auto words_of<separation_reason> = word_table<separation_reason>({
    {separation_reason::unchanged_phi, "a phi keeps its value in the inner one"},
    {separation_reason::profile, "the profile shows the inner one"},
});

template <>
inline constexpr auto words_of<irreducible_refusal_reason> = word_table<irreducible_refusal_reason>({
    {irreducible_refusal_reason::edge_stays, "an edge cannot be led elsewhere"},
    {irreducible_refusal_reason::may_not_duplicate, "an operation may not be copied"},
    {irreducible_refusal_reason::takes_no_phi, "a value can take no phi"},
    {irreducible_refusal_reason::too_large, "more would be copied or led than the limit"},
});

template <>
inline constexpr auto words_of<hoisting_refusal_reason> = word_table<hoisting_refusal_reason>({
    {hoisting_refusal_reason::no_preheader, "the loop has no preheader"},
    {hoisting_refusal_reason::may_trap, "it may trap, and would run earlier or where it did not"},
    {hoisting_refusal_reason::memory_written, "it reads memory that the loop may write"},
    {hoisting_refusal_reason::not_repeatable, "it may give another value each time"},
    {hoisting_refusal_reason::convergent, "it matters which threads run it together"},
    {hoisting_refusal_reason::closed_preheader,
     "no operation may move to the preheader, or what it reads is computed by the end of that"},
});

template <>
inline constexpr auto words_of<unrolling_refusal_reason> = word_table<unrolling_refusal_reason>({
    {unrolling_refusal_reason::one_copy, "one copy is the loop itself"},
    {unrolling_refusal_reason::overlaps, "a loop around it or inside it is unrolled"},
    {unrolling_refusal_reason::may_not_duplicate, "an operation may not be copied"},
    {unrolling_refusal_reason::takes_no_phi, "a value can take no phi"},
    {unrolling_refusal_reason::edge_stays, "an edge cannot be redirected"},
    {unrolling_refusal_reason::too_large, "more would be cloned than the limit"},
});

template <>
inline constexpr auto words_of<remainder_refusal_reason> = word_table<remainder_refusal_reason>({
    {remainder_refusal_reason::not_innermost, "it contains a loop, or control that cannot be described"},
    {remainder_refusal_reason::no_counted_exit, "no exit compares a counter with a bound that it approaches"},
    {remainder_refusal_reason::step_is_value, "the step of the counter is no number"},
    {remainder_refusal_reason::other_comparison, "what is compared is no number, or one of too many bits"},
    {remainder_refusal_reason::step_too_large, "the step has more than 64 bits"},
    {remainder_refusal_reason::factor_too_large, "the factor is no number of the counter's width"},
    {remainder_refusal_reason::no_guard, "there is no place for a guard"},
    {remainder_refusal_reason::early_trap, "computing the trip count before the loop might trap"},
    {remainder_refusal_reason::not_copied, "it cannot be copied"},
});

namespace detail {

/// The ends of an edge: `entry -> test`.
template <class G, class Names> std::string ends_text(const G& g, edge_id e, const Names& names) {
  return std::string(names.node(static_cast<node_id>(g.edge_source(e)))) + " -> " +
         std::string(names.node(static_cast<node_id>(g.edge_target(e))));
}

template <class G, class Names> std::string list_of_edges(const G& g, span<const edge_id> edges, const Names& names) {
  std::string out;
  for (const edge_id e : edges) {
    out += (out.empty() ? "" : ", ") + ends_text(g, e, names);
  }
  return out;
}

} // namespace detail

/// A line for each new node with the edges that are led through it, and for each part of the form that a loop does not
/// get. `ir` and `loops` are those of the plan.
///
///     preheader of the loop of test: entry -> test
///     dedicated exit of the loop of test: body -> exit, test -> exit
///     no preheader of the loop of test: its header is the entry
template <class IR, value_names Names = numbered_values>
  requires has_graph<IR> && graph_is_edge_indexed<IR>
std::string to_text(const IR& ir, const loop_forest& loops, const loop_simplification_plan& plan,
                    const Names& names = {}) {
  std::string out;
  const auto subject = [&](loop_node_kind kind, loop_id l) {
    return std::string(to_text(kind)) + " of the loop of " + std::string(names.node(loops.header(l)));
  };
  for (const loop_route& r : plan.routes) {
    const span<const edge_id> edges(plan.edges.data() + r.first_edge, r.num_edges);
    out += subject(r.kind, r.loop) + ": " + detail::list_of_edges(ir.graph(), edges, names) + '\n';
  }
  for (const loop_refusal& r : plan.refused) {
    out += "no " + subject(r.kind, r.loop) + ": " + std::string(to_text(r.why));
    out += r.edge == no_edge ? "\n" : ", " + detail::ends_text(ir.graph(), r.edge, names) + '\n';
  }
  return out;
}

/// Changes and refusals, counted by kind and reason, in one line.
inline std::string summary_text(const loop_simplification_plan& plan) {
  detail::plan_counts counts("no new nodes");
  for (const auto& [kind, words] : words_of<loop_node_kind>) {
    std::size_t count = 0;
    for (const loop_route& r : plan.routes) {
      count += r.kind == kind ? 1u : 0u;
    }
    counts.done(count, words);
  }
  for (const auto& [kind, words] : words_of<loop_node_kind>) {
    counts.refused(plan.refused, words, [kind](const loop_refusal& r) { return r.kind == kind; });
  }
  return counts.text();
}

/// A line for each loop that gets a header of its own. `loops` is that of the plan.
///
///     separate the loops of test: outer -> test, entry -> test; a phi keeps its value in the inner one
///     the loops of test stay one: outer -> test cannot be led through a new node
template <class IR, value_names Names = numbered_values>
  requires has_graph<IR> && graph_is_edge_indexed<IR>
std::string to_text(const IR& ir, const loop_forest& loops, const separation_plan& plan, const Names& names = {}) {
  std::string out;
  for (const loop_separation& s : plan.separations) {
    out += "separate the loops of " + std::string(names.node(loops.header(s.loop))) + ": " +
           detail::list_of_edges(ir.graph(), {plan.edges.data() + s.first_edge, s.num_edges}, names) + "; " +
           std::string(to_text(s.why)) + '\n';
  }
  for (const separation_refusal& r : plan.refused) {
    out += "the loops of " + std::string(names.node(loops.header(r.loop))) +
           " stay one: " + detail::ends_text(ir.graph(), r.edge, names) + " cannot be led through a new node\n";
  }
  return out;
}

inline std::string summary_text(const separation_plan& plan) {
  return detail::plan_counts("no loop separated")
      .done(plan.separations.size(), "new header")
      .refused(plan.refused.size(), "loop", "an edge cannot be led through a new node")
      .text();
}

/// A line for each phi, and for each value that is still read outside its loop without one.
///
///     close %s by a phi in exit
///     %s stays open in exit: the exit is also entered from elsewhere
template <value_names Names = numbered_values>
std::string to_text(const loop_closing_plan& plan, const Names& names = {}) {
  std::string out;
  for (const closing_phi& c : plan.phis) {
    out += "close " + std::string(names.value(c.value)) + " by a phi in " + std::string(names.node(c.exit)) + '\n';
  }
  for (const closing_refusal& r : plan.refused) {
    out += std::string(names.value(r.value)) + " stays open in " + std::string(names.node(r.exit)) + ": " +
           std::string(to_text(r.why)) + '\n';
  }
  return out;
}

inline std::string summary_text(const loop_closing_plan& plan) {
  detail::plan_counts counts("no closing phis");
  counts.done(plan.phis.size(), "closing phi");
  counts.refused(plan.refused, "value");
  return counts.text();
}

/// A line for each loop. `loops` is that of the plan.
///
///     rotate the loop of test: a copy of test guards it, and body follows
///     rotate the loop of loop: it runs, and body follows
///     the loop of test stays: it has no preheader
template <class IR, value_names Names = numbered_values>
  requires has_graph<IR> && graph_is_edge_indexed<IR>
std::string to_text(const IR& ir, const loop_forest& loops, const rotation_plan& plan, const Names& names = {}) {
  std::string out;
  for (const rotation& r : plan.rotations) {
    const std::string header(names.node(r.header));
    out += "rotate the loop of " + header + (r.runs ? ": it runs" : ": a copy of " + header + " guards it") + ", and " +
           std::string(names.node(static_cast<node_id>(ir.graph().edge_target(r.body)))) + " follows\n";
  }
  for (const rotation_refusal& r : plan.refused) {
    out += "the loop of " + std::string(names.node(loops.header(r.loop))) + " stays: " + std::string(to_text(r.why)) +
           '\n';
  }
  return out;
}

inline std::string summary_text(const rotation_plan& plan) {
  detail::plan_counts counts("no loop rotated");
  std::size_t running = 0;
  for (const rotation& r : plan.rotations) {
    running += r.runs ? 1u : 0u;
  }
  counts.done(plan.rotations.size(), "rotated loop").done(running, "known guard");
  counts.refused(plan.refused, "loop");
  return counts.text();
}

/// A line for each critical edge.
///
///     split test -> exit
///     test -> exit stays critical: the IR allows no node on it
template <class IR, value_names Names = numbered_values>
  requires has_graph<IR> && graph_is_edge_indexed<IR>
std::string to_text(const IR& ir, const critical_edges_plan& plan, const Names& names = {}) {
  std::string out;
  for (const edge_id e : plan.edges) {
    out += "split " + detail::ends_text(ir.graph(), e, names) + '\n';
  }
  for (const edge_id e : plan.refused) {
    out += detail::ends_text(ir.graph(), e, names) + " stays critical: the IR allows no node on it\n";
  }
  return out;
}

inline std::string summary_text(const critical_edges_plan& plan) {
  return detail::plan_counts("no edge split")
      .done(plan.edges.size(), "split edge")
      .refused(plan.refused.size(), "critical edge", "the IR allows no node on it")
      .text();
}

/// A line for each change of a round.
///
///     always test -> exit: the condition is a literal
///     erase body
///     append exit to test
///     pass over join
template <class IR, value_names Names = numbered_values>
  requires has_graph<IR> && graph_is_edge_indexed<IR>
std::string to_text(const IR& ir, const control_plan& plan, const Names& names = {}) {
  std::string out;
  for (const decided_branch& b : plan.branches) {
    out += "always " + detail::ends_text(ir.graph(), b.edge, names) + ": " + std::string(to_text(b.why)) + '\n';
  }
  for (const node_id n : plan.unreachable) {
    out += "erase " + std::string(names.node(n)) + '\n';
  }
  for (const node_merge& m : plan.merges) {
    out += "append " + std::string(names.node(m.node)) + " to " + std::string(names.node(m.into)) + '\n';
  }
  for (const node_id n : plan.passed) {
    out += "pass over " + std::string(names.node(n)) + '\n';
  }
  return out;
}

inline std::string summary_text(const control_plan& plan) {
  return detail::plan_counts("nothing to clean")
      .done(plan.branches.size(), "decided branch")
      .done(plan.unreachable.size(), "unreachable node")
      .done(plan.merges.size(), "merged node")
      .done(plan.passed.size(), "passed node")
      .text();
}

/// A line for each value, branch and node.
///
///     erase %x
///     always from test to exit: the branch decides nothing
///     erase body
///     the branch of test stays: its edge to exit cannot be redirected
template <class IR, value_names Names = numbered_values>
  requires has_graph<IR> && graph_is_edge_indexed<IR>
std::string to_text(const IR& ir, const dead_code_plan& plan, const Names& names = {}) {
  std::string out;
  for (const value_id v : plan.values) {
    out += "erase " + std::string(names.value(v)) + '\n';
  }
  for (const dead_branch& b : plan.branches) {
    out += "always from " + std::string(names.node(b.node)) + " to " + std::string(names.node(b.target)) +
           ": the branch decides nothing\n";
  }
  for (const node_id n : plan.unreachable) {
    out += "erase " + std::string(names.node(n)) + '\n';
  }
  for (const dead_branch_refusal& r : plan.refused) {
    out += "the branch of " + std::string(names.node(r.node)) + " stays: its edge to " +
           std::string(names.node(static_cast<node_id>(ir.graph().edge_target(r.edge)))) + " cannot be redirected\n";
  }
  return out;
}

inline std::string summary_text(const dead_code_plan& plan) {
  return detail::plan_counts("nothing dead")
      .done(plan.values.size(), "dead value")
      .done(plan.branches.size(), "dead branch")
      .done(plan.unreachable.size(), "unreachable node")
      .done(plan.removed_loops.size(), "dead loop")
      .refused(plan.refused.size(), "dead branch", "an edge cannot be redirected")
      .text();
}

/// A line for each cycle. `cycles` is that of the plan.
///
///     a dispatch before the cycle of a: entry -> a, entry -> b
///     split the cycle of a: b is copied for entry -> b
///     the cycle of a stays irreducible: an edge cannot be led elsewhere, entry -> b
template <class IR, value_names Names = numbered_values>
  requires has_graph<IR> && graph_is_edge_indexed<IR>
std::string to_text(const IR& ir, const cycle_forest& cycles, const irreducible_plan& plan, const Names& names = {}) {
  std::string out;
  const auto edges = [&](std::uint32_t first, std::uint32_t count) {
    return detail::list_of_edges(ir.graph(), {plan.edges.data() + first, count}, names);
  };
  for (const cycle_dispatch& d : plan.dispatches) {
    out += "a dispatch before the cycle of " + std::string(names.node(cycles.header(d.cycle))) + ": " +
           edges(d.first_edge, d.num_edges) + '\n';
  }
  for (const cycle_split& s : plan.splits) {
    out += "split the cycle of " + std::string(names.node(s.header)) + ": ";
    for (std::uint32_t i = 0; i != s.num_nodes; ++i) {
      out += (i == 0 ? "" : ", ") + std::string(names.node(plan.nodes[s.first_node + i]));
    }
    out += (s.num_nodes == 1 ? " is copied for " : " are copied for ") + edges(s.first_edge, s.num_edges) + '\n';
  }
  for (const irreducible_refusal& r : plan.refused) {
    out += "the cycle of " + std::string(names.node(r.header)) + " stays irreducible: " + std::string(to_text(r.why));
    out += r.edge == no_edge ? std::string() : ", " + detail::ends_text(ir.graph(), r.edge, names);
    out += r.operation == no_value ? "\n" : ", " + std::string(names.value(r.operation)) + '\n';
  }
  return out;
}

inline std::string summary_text(const irreducible_plan& plan) {
  detail::plan_counts counts("no cycle changed");
  counts.done(plan.dispatches.size(), "dispatch").done(plan.splits.size(), "split cycle");
  return counts.refused(plan.refused, "cycle").text();
}

/// The changes of all rounds.
inline std::string summary_text(const irreducible_result& done) {
  detail::plan_counts counts("no cycle changed");
  counts.done(done.dispatches, "dispatch").done(done.splits, "split cycle");
  counts.done(done.cloned, "clone");
  return counts.refused(done.plan.refused, "cycle").text();
}

/// A line for each loop. `loops` is that of the plan.
///
///     a common exit of the loop of test: test -> done, body -> found
///     the loop of test keeps its exits: body -> found cannot be led through a new node
template <class IR, value_names Names = numbered_values>
  requires has_graph<IR> && graph_is_edge_indexed<IR>
std::string to_text(const IR& ir, const loop_forest& loops, const exit_unification_plan& plan,
                    const Names& names = {}) {
  std::string out;
  for (const unified_exit& x : plan.exits) {
    out += "a common exit of the loop of " + std::string(names.node(loops.header(x.loop))) + ": " +
           detail::list_of_edges(ir.graph(), {plan.edges.data() + x.first_edge, x.num_edges}, names) + '\n';
  }
  for (const exit_refusal& r : plan.refused) {
    out += "the loop of " + std::string(names.node(loops.header(r.loop))) + " keeps its exits: " +
           (r.value != no_value ? std::string(names.value(r.value)) + " cannot take a phi\n"
            : r.edge == no_edge ? std::string("phis would have more inputs than the limit\n")
                                : detail::ends_text(ir.graph(), r.edge, names) + " cannot be led through a new node\n");
  }
  return out;
}

inline std::string summary_text(const exit_unification_plan& plan) {
  std::size_t edges = 0;
  std::size_t values = 0;
  for (const exit_refusal& r : plan.refused) {
    edges += r.edge != no_edge ? 1u : 0u;
    values += r.edge == no_edge && r.value != no_value ? 1u : 0u;
  }
  return detail::plan_counts("no common exits")
      .done(plan.exits.size(), "common exit")
      .refused(edges, "loop", "an edge cannot be led through a new node")
      .refused(values, "loop", "a value cannot take a phi")
      .refused(plan.refused.size() - edges - values, "loop", "phis would have more inputs than the limit")
      .text();
}

/// A line for each value.
///
///     replace %x by %y
template <value_names Names = numbered_values>
std::string to_text(const copy_propagation_plan& plan, const Names& names = {}) {
  std::string out;
  for (const value_replacement& r : plan.replacements) {
    out += "replace " + std::string(names.value(r.value)) + " by " + std::string(names.value(r.by)) + '\n';
  }
  return out;
}

inline std::string summary_text(const copy_propagation_plan& plan) {
  return detail::plan_counts("no copies").done(plan.replacements.size(), "replaced value").text();
}

/// A line for each invariant operation. `loops` is the forest of the plan.
///
///     move %x from the loop of test to entry
///     move %y from the loop of test to entry without its promises
///     %z stays in the loop of test: it may trap, and would run earlier or where it did not
template <value_names Names = numbered_values>
std::string to_text(const loop_forest& loops, const hoisting_plan& plan, const Names& names = {}) {
  std::string out;
  const auto loop_of = [&](loop_id l) { return "the loop of " + std::string(names.node(loops.header(l))); };
  for (const hoisted_value& h : plan.moves) {
    out += "move " + std::string(names.value(h.value)) + " from " + loop_of(h.loop) + " to " +
           std::string(names.node(h.preheader)) + (h.drops_promises ? " without its promises\n" : "\n");
  }
  for (const hoisting_refusal& r : plan.refused) {
    out +=
        std::string(names.value(r.value)) + " stays in " + loop_of(r.loop) + ": " + std::string(to_text(r.why)) + '\n';
  }
  return out;
}

inline std::string summary_text(const hoisting_plan& plan) {
  detail::plan_counts counts("nothing moved");
  counts.done(plan.moves.size(), "moved operation");
  counts.refused(plan.refused, "operation");
  return counts.text();
}

/// A line for each operation.
///
///     move %x to test
///     move %y to test without its promises
template <value_names Names = numbered_values>
std::string to_text(const common_value_plan& plan, const Names& names = {}) {
  std::string out;
  for (const common_value& c : plan.moves) {
    out += "move " + std::string(names.value(c.value)) + " to " + std::string(names.node(c.where)) +
           (c.drops_promises ? " without its promises\n" : "\n");
  }
  return out;
}

inline std::string summary_text(const common_value_plan& plan) {
  return detail::plan_counts("nothing moved").done(plan.moves.size(), "moved operation").text();
}

/// A line for each loop. `loops` is that of the plan.
///
///     unroll the loop of test: 4 copies are the new body
///     peel the loop of test: 2 copies run before it
///     the loop of test is not unrolled: an operation may not be copied, %call
template <class IR, value_names Names = numbered_values>
  requires has_graph<IR> && graph_is_edge_indexed<IR>
std::string to_text(const IR& ir, const loop_forest& loops, const unrolling_plan& plan, const Names& names = {}) {
  std::string out;
  const auto loop_of = [&](loop_id l) { return "the loop of " + std::string(names.node(loops.header(l))); };
  for (const loop_unrolling& x : plan.unrollings) {
    const std::uint32_t before = x.form.num_peeled();
    if (!x.is_chain()) {
      out += "unroll " + loop_of(x.loop) + ": " + std::to_string(x.copies - before) + " copies are the new body";
      out += before == 0   ? std::string("\n")
             : before == 1 ? std::string(", and 1 runs before it\n")
                           : ", and " + std::to_string(before) + " run before it\n";
    } else {
      out += "peel " + loop_of(x.loop) + ": " + std::to_string(x.copies - 1) +
             (x.copies == 2 ? " copy runs before it" : " copies run before it") +
             (x.num_ends != 0 ? ", and it does not repeat\n" : "\n");
    }
  }
  for (const unrolling_refusal& r : plan.refused) {
    out += loop_of(r.loop) + " is not unrolled: " + std::string(to_text(r.why));
    out += r.edge == no_edge ? std::string() : ", " + detail::ends_text(ir.graph(), r.edge, names);
    out += r.value == no_value ? "\n" : ", " + std::string(names.value(r.value)) + '\n';
  }
  return out;
}

inline std::string summary_text(const unrolling_plan& plan) {
  detail::plan_counts counts("no loop unrolled");
  std::size_t cycles = 0;
  for (const loop_unrolling& x : plan.unrollings) {
    cycles += x.is_chain() ? 0u : 1u;
  }
  counts.done(cycles, "unrolled loop").done(plan.unrollings.size() - cycles, "peeled loop").done(plan.cloned, "clone");
  counts.refused(plan.refused, "loop");
  return counts.text();
}

/// A line for each loop. `loops` is that of the plan.
///
///     unroll the loop of test by 4: the limit is computed before it, and the rest of the iterations run after it
///     the loop of test gets no remainder: the counter is converted twice before it is compared
template <value_names Names = numbered_values>
std::string to_text(const loop_forest& loops, const remainder_plan& plan, const Names& names = {}) {
  std::string out;
  const auto loop_of = [&](loop_id l) { return "the loop of " + std::string(names.node(loops.header(l))); };
  for (const remainder_unrolling& x : plan.unrollings) {
    const std::string factor = std::to_string(x.test.form.factor);
    if (x.test.form.kind == unrolling_kind::peel_last) {
      out += "peel the last iteration of " + loop_of(x.loop) + '\n';
    } else if (x.test.form.is_prologue()) {
      out += "copy " + loop_of(x.loop) + " before it, for the iterations modulo " + factor + '\n';
    } else {
      out += "unroll " + loop_of(x.loop) + " by " + factor +
             ": the limit is computed before it, and the rest of the iterations run after it\n";
    }
  }
  for (const remainder_refusal& r : plan.refused) {
    out += loop_of(r.loop) + " gets no remainder: " +
           std::string(r.why == remainder_refusal_reason::not_copied ? to_text(r.copying) : to_text(r.why)) + '\n';
  }
  return out;
}

inline std::string summary_text(const remainder_plan& plan) {
  detail::plan_counts counts("no remainder");
  counts.done(plan.unrollings.size(), "remainder");
  counts.refused(plan.refused, "loop");
  return counts.text();
}

/// A line for each exit.
///
///     never test -> exit: the loop leaves by body -> exit before
///     never test -> exit: no iteration leaves there
template <class IR, value_names Names = numbered_values>
  requires has_graph<IR> && graph_is_edge_indexed<IR>
std::string to_text(const IR& ir, const untaken_exits_plan& plan, const Names& names = {}) {
  std::string out;
  for (const untaken_exit& x : plan.exits) {
    out += "never " + detail::ends_text(ir.graph(), x.edge, names);
    out += x.before == no_edge ? ": no iteration leaves there\n"
                               : ": the loop leaves by " + detail::ends_text(ir.graph(), x.before, names) + " before\n";
  }
  return out;
}

inline std::string summary_text(const untaken_exits_plan& plan) {
  return detail::plan_counts("all exits stay").done(plan.exits.size(), "untaken exit").text();
}

MIDEND_END_NAMESPACE
