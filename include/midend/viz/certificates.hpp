/// Verdicts about certificates of transformations, in words.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ssa/verify_congruence.hpp"
#include "midend/ssa/verify_sccp.hpp"
#include "midend/transform/unfolding_witness.hpp"
#include "midend/transform/verify_counted_exits.hpp"
#include "midend/transform/verify_motion.hpp"
#include "midend/transform/verify_range_tests.hpp"
#include "midend/transform/verify_removal.hpp"
#include "midend/transform/verify_replacement.hpp"
#include "midend/transform/verify_unfolding.hpp"
#include "midend/transform/verify_untaken_exits.hpp"
#include "midend/viz/value_names.hpp"
#include "midend/viz/words.hpp"

#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

// Each enumerator as a phrase without full stop.

template <>
inline constexpr auto words_of<drop_reason> = word_table<drop_reason>({
    {drop_reason::constant_condition, "the condition is a literal"},
    {drop_reason::equal_edges, "the edges are equal"},
    {drop_reason::assumed, "assumed"},
});

template <>
inline constexpr auto words_of<unfolding_fault> = word_table<unfolding_fault>({
    {unfolding_fault::none, "no fault"},
    {unfolding_fault::witness_size, "the witness does not fit the programs"},
    {unfolding_fault::wrong_entry, "the new program begins elsewhere"},
    {unfolding_fault::lost_edge, "an edge of the original is missing without a reason"},
    {unfolding_fault::extra_edge, "an edge that the original does not have, or not in this place"},
    {unfolding_fault::wrong_case, "an edge is taken for another value of the condition"},
    {unfolding_fault::wrong_target, "an edge leads to a copy of another node"},
    {unfolding_fault::dead_end, "an inserted node leads nowhere"},
    {unfolding_fault::inserted_cycle, "inserted nodes form a cycle"},
    {unfolding_fault::inserted_effect, "an inserted operation has an effect or may trap"},
    {unfolding_fault::unproven_reason, "the reason for which an edge is missing does not hold"},
    {unfolding_fault::broken_chain, "merged nodes do not follow each other in the old program"},
    {unfolding_fault::missing_operation, "an operation with an effect is missing, or not in its place"},
    {unfolding_fault::extra_operation, "an operation is in the wrong node, or in the wrong order"},
    {unfolding_fault::changed_operation, "an operation computes something else, or promises more"},
    {unfolding_fault::wrong_operand, "an operand is not what the old program reads"},
    {unfolding_fault::no_definition, "a value is read that is not computed on some path"},
    {unfolding_fault::too_many_ways, "there are too many paths through inserted nodes"},
    {unfolding_fault::forbidden_copy, "an operation is there twice that must not be copied"},
    {unfolding_fault::new_promise, "loops are promised to end that may run for ever in the old program"},
});

template <>
inline constexpr auto words_of<removal_fault> = word_table<removal_fault>({
    {removal_fault::none, "no fault"},
    {removal_fault::wrong_size, "the programs have other nodes, or the witness names a node that is none"},
    {removal_fault::missing_operation, "an operation is missing that is needed"},
    {removal_fault::extra_operation, "an operation is new, or not in its place"},
    {removal_fault::changed_operation, "an operation computes something else, or promises more"},
    {removal_fault::wrong_operand, "an operand is another one, or is not computed any more"},
    {removal_fault::changed_flow, "an edge was changed that no removed branch has"},
    {removal_fault::removed_effect, "a branch was removed that does more than branch"},
    {removal_fault::deciding_branch, "a removed branch decides where control goes, or what a phi takes"},
    {removal_fault::endless_loop, "a loop was removed that may not end"},
});

template <>
inline constexpr auto words_of<range_test_fault> = word_table<range_test_fault>({
    {range_test_fault::none, "no fault"},
    {range_test_fault::wrong_size, "the programs have other nodes, or values are missing"},
    {range_test_fault::changed_flow, "an edge, its target or its case has changed"},
    {range_test_fault::changed_operation, "an operation is another one, is missing, or has moved"},
    {range_test_fault::wrong_operand, "an operation or a phi reads another value"},
    {range_test_fault::new_operation, "an operation is new that may trap or has an effect"},
    {range_test_fault::other_test, "a branch reads a condition that is no equal test"},
});

template <>
inline constexpr auto words_of<replacement_fault> = word_table<replacement_fault>({
    {replacement_fault::none, "no fault"},
    {replacement_fault::wrong_size, "the programs have other nodes, or the witness names a value that is none"},
    {replacement_fault::wrong_witness, "the witness replaces a value twice, or by one that is replaced"},
    {replacement_fault::different_value, "a value is neither a copy nor a phi of what replaces it, nor the same load"},
    {replacement_fault::not_dominated, "what replaces a value is not computed on every path to it"},
    {replacement_fault::missing_operation, "an operation is missing that is needed"},
    {replacement_fault::extra_operation, "an operation is new, or not in its place"},
    {replacement_fault::changed_operation, "an operation computes something else, or promises more"},
    {replacement_fault::wrong_operand,
     "an operand is neither the old one nor what replaces it, or is not computed any more"},
    {replacement_fault::changed_flow, "an edge was changed"},
});

template <>
inline constexpr auto words_of<motion_fault> = word_table<motion_fault>({
    {motion_fault::none, "no fault"},
    {motion_fault::wrong_size, "the programs have other nodes"},
    {motion_fault::changed_flow, "an edge was changed"},
    {motion_fault::missing_operation, "an operation is missing"},
    {motion_fault::extra_operation, "an operation is new"},
    {motion_fault::changed_operation, "an operation computes something else, or promises more"},
    {motion_fault::wrong_operand, "an operand is another one"},
    {motion_fault::wrong_order, "operations that were not moved are in another order"},
    {motion_fault::not_movable, "what was moved has an effect, is a phi, or ends a node"},
    {motion_fault::not_repeatable, "what was moved may give another value at the new place"},
    {motion_fault::convergent, "of what was moved it matters which threads run it together"},
    {motion_fault::closed_node, "an operation was moved to a node that accepts none"},
    {motion_fault::not_above, "an operation was moved where control does not come by before"},
    {motion_fault::operand_not_available, "an operand is not computed at the new place"},
    {motion_fault::early_trap, "an operation may trap where it did not run, or before an effect"},
    {motion_fault::changed_memory, "a load was moved over what may write"},
});

template <>
inline constexpr auto words_of<sccp_fault> = word_table<sccp_fault>({
    {sccp_fault::none, "no fault"},
    {sccp_fault::other_program, "the result is that of another program"},
    {sccp_fault::node, "a node may be executed"},
    {sccp_fault::edge, "an edge may be taken"},
    {sccp_fault::fact, "more is claimed to be known about a value than follows"},
    {sccp_fault::not_computed, "a value may be computed"},
    {sccp_fault::undefined, "a value need not be undefined"},
});

template <>
inline constexpr auto words_of<congruence_fault> = word_table<congruence_fault>({
    {congruence_fault::none, "no fault"},
    {congruence_fault::other_program, "the result is that of another program"},
    {congruence_fault::fact, "more is claimed to be known about a value than follows"},
    {congruence_fault::edge, "an edge may be taken"},
    {congruence_fault::not_computed, "a value that is not computed is in a class with others"},
    {congruence_fault::not_equal, "it does not follow that two values are equal"},
});

namespace detail {

/// Adds what a fault names: `; v9, edge 3`.
class named_places {
public:
  explicit named_places(std::string& out) : out_(out) {}

  void add(std::string_view which, const std::string& name) {
    out_ += joined({separator_, which, name});
    separator_ = ", ";
  }

private:
  std::string& out_;
  std::string_view separator_ = "; ";
};

/// `block 4: an edge may be taken; v9, edge 3`. Ids that are none are left out.
template <class Names>
std::string fault_text(std::string_view fault, const Names& names, node_id n, std::initializer_list<value_id> values,
                       edge_id e = no_edge) {
  std::string out = n == no_node ? std::string() : std::string(names.node(n)) + ": ";
  out += fault;
  named_places places(out);
  for (const value_id v : values) {
    if (v != no_value) {
      places.add("", std::string(names.value(v)));
    }
  }
  if constexpr (flow_names<Names>) {
    if (e != no_edge) {
      places.add("", std::string(names.edge(e)));
    }
  }
  return out;
}

/// `certified`, with the number of things that the certificate assumes.
inline std::string certified_text(std::uint64_t count, std::string_view what, std::string_view how) {
  return count == 0 ? std::string("certified") : joined({"certified; ", counted_text(count, what), " ", how});
}

/// Of a verdict that names a node and a value.
template <class Verdict, class Names> std::string verdict_text(const Verdict& verdict, const Names& names) {
  return verdict ? std::string("certified") : fault_text(to_text(verdict.fault), names, verdict.node, {verdict.value});
}

} // namespace detail

/// The verdict in one line, without a line break. Names of the new program and of the old one differ.
///
///     block 4: an operand is not what the old program reads; new v9, old v3
///     block 2: an edge of the original is missing without a reason; old edge 5
template <flow_names After = numbered_values, flow_names Before = numbered_values>
std::string to_text(const unfolding_verdict& verdict, const After& after = {}, const Before& before = {}) {
  if (verdict) {
    return detail::certified_text(verdict.assumed, "reason", "assumed");
  }
  std::string out = detail::fault_text(to_text(verdict.fault), after, verdict.node, {});
  const bool is_old_edge =
      verdict.fault == unfolding_fault::lost_edge || verdict.fault == unfolding_fault::unproven_reason;
  const bool has_edge = verdict.edge != no_edge;
  detail::named_places places(out);
  if (verdict.value != no_value) {
    places.add("new ", std::string(after.value(verdict.value)));
  }
  if (verdict.old_value != no_value) {
    places.add("old ", std::string(before.value(verdict.old_value)));
  }
  if (has_edge && is_old_edge) {
    places.add("old ", std::string(before.edge(verdict.edge)));
  } else if (has_edge) {
    places.add("new ", std::string(after.edge(verdict.edge)));
  }
  return out;
}

/// The verdict about removed, replaced or moved code in one line. Nodes and values have equal numbers in both programs,
/// so one set of names is enough: that of the old one.
///
///     block 4: an operation is missing that is needed; v9
template <value_names Names = numbered_values>
std::string to_text(const removal_verdict& verdict, const Names& names = {}) {
  return verdict ? detail::certified_text(verdict.assumed, "loop", "assumed to end")
                 : detail::verdict_text(verdict, names);
}

template <value_names Names = numbered_values>
std::string to_text(const replacement_verdict& verdict, const Names& names = {}) {
  return detail::verdict_text(verdict, names);
}

template <value_names Names = numbered_values>
std::string to_text(const range_test_verdict& verdict, const Names& names = {}) {
  return detail::verdict_text(verdict, names);
}

template <value_names Names = numbered_values>
std::string to_text(const motion_verdict& verdict, const Names& names = {}) {
  return detail::verdict_text(verdict, names);
}

/// The answer of `verify_sccp` in one line, without a line break.
///
///     block 4: more is claimed to be known about a value than follows; v9, edge 3
template <flow_names Names = numbered_values> std::string to_text(const sccp_error& error, const Names& names = {}) {
  return detail::fault_text(to_text(error.fault), names, error.node, {error.value}, error.edge);
}

/// The answer of `verify_congruence` in one line, without a line break.
///
///     it does not follow that two values are equal; v9, v4
template <flow_names Names = numbered_values>
std::string to_text(const congruence_error& error, const Names& names = {}) {
  return detail::fault_text(to_text(error.fault), names, no_node, {error.value, error.other}, error.edge);
}

/// The verdict in words. The edge that it names is one of the program before the change.
///
///     an edge was dropped that may be taken; edge 5
///     certified; 3 edges trusted
template <flow_names Names = numbered_values>
std::string to_text(const untaken_exits_verdict& verdict, const Names& names = {}) {
  return verdict ? detail::certified_text(verdict.trusted, "edge", "trusted")
                 : detail::fault_text("an edge was dropped that may be taken", names, no_node, {}, verdict.edge);
}

/// The reason why nothing proves that an edge is never taken.
template <>
inline constexpr auto words_of<counted_exit_fault> = word_table<counted_exit_fault>({
    {counted_exit_fault::none, "certified"},
    {counted_exit_fault::unknown_edge, "no edge of a branch that a run reaches"},
    {counted_exit_fault::no_comparison, "the condition compares no two numbers of up to 64 bits"},
    {counted_exit_fault::no_induction, "the condition compares no counter of a loop around it"},
    {counted_exit_fault::no_exit, "the edge does not leave the loop that is counted"},
    {counted_exit_fault::no_step, "the counter does not change by a number"},
    {counted_exit_fault::unknown_start, "the counter starts with different values"},
    {counted_exit_fault::unknown_bound, "nothing says how far the counter is from its bound"},
    {counted_exit_fault::may_be_taken, "the edge may be taken before the loop ends"},
});

/// The verdict in words. The edge that it names is one of the program before the change.
///
///     the edge may be taken before the loop ends; edge 5
template <flow_names Names = numbered_values>
std::string to_text(const counted_exits_verdict& verdict, const Names& names = {}) {
  return detail::fault_text(to_text(verdict.fault), names, no_node, {}, verdict ? no_edge : verdict.edge);
}

MIDEND_END_NAMESPACE
