/// Verdicts about certificates of transformations, in words.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ssa/verify_congruence.hpp"
#include "midend/ssa/verify_sccp.hpp"
#include "midend/transform/unfolding_witness.hpp"
#include "midend/transform/verify_counted_exits.hpp"
#include "midend/transform/verify_removal.hpp"
#include "midend/transform/verify_unfolding.hpp"
#include "midend/transform/verify_untaken_exits.hpp"
#include "midend/viz/change_verdict.hpp"
#include "midend/viz/detail/fault_text.hpp"
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
    {unfolding_fault::too_many_paths, "there are too many paths through inserted nodes"},
    {unfolding_fault::forbidden_copy, "an operation is there twice that must not be copied"},
    {unfolding_fault::new_promise, "loops are promised to end that may run for ever in the old program"},
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

/// As `change_verdict`; a removal that is right may rest on loops that the witness says to end.
///
///     certified; 2 loops assumed to end
template <value_names Names = numbered_values>
std::string to_text(const removal_verdict& verdict, const Names& names = {}) {
  return verdict && verdict.assumed != 0 ? detail::certified_text(verdict.assumed, "loop", "assumed to end")
                                         : to_text(static_cast<const change_verdict&>(verdict), names);
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
