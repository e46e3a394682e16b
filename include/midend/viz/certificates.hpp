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

#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

// Each enumerator as a phrase without full stop.

constexpr std::string_view to_text(drop_reason r) {
  switch (r) {
  case drop_reason::constant_condition:
    return "the condition is a literal";
  case drop_reason::equal_edges:
    return "the edges are equal";
  default:
    return "assumed";
  }
}

constexpr std::string_view to_text(unfolding_fault f) {
  switch (f) {
    using enum unfolding_fault;
  case none:
    return "no fault";
  case witness_size:
    return "the witness does not fit the programs";
  case wrong_entry:
    return "the new program begins elsewhere";
  case lost_edge:
    return "an edge of the original is missing without a reason";
  case extra_edge:
    return "an edge that the original does not have, or not in this place";
  case wrong_case:
    return "an edge is taken for another value of the condition";
  case wrong_target:
    return "an edge leads to a copy of another node";
  case dead_end:
    return "an inserted node leads nowhere";
  case inserted_cycle:
    return "inserted nodes form a cycle";
  case inserted_effect:
    return "an inserted operation has an effect or may trap";
  case unproven_reason:
    return "the reason for which an edge is missing does not hold";
  case broken_chain:
    return "merged nodes do not follow each other in the old program";
  case missing_operation:
    return "an operation with an effect is missing, or not in its place";
  case extra_operation:
    return "an operation is in the wrong node, or in the wrong order";
  case changed_operation:
    return "an operation computes something else, or promises more";
  case wrong_operand:
    return "an operand is not what the old program reads";
  case no_definition:
    return "a value is read that is not computed on some path";
  case forbidden_copy:
    return "an operation is there twice that must not be copied";
  case new_promise:
    return "loops are promised to end that may run for ever in the old program";
  default:
    return "there are too many paths through inserted nodes";
  }
}

constexpr std::string_view to_text(removal_fault f) {
  switch (f) {
    using enum removal_fault;
  case none:
    return "no fault";
  case wrong_size:
    return "the programs have other nodes, or the witness names a node that is none";
  case missing_operation:
    return "an operation is missing that is needed";
  case extra_operation:
    return "an operation is new, or not in its place";
  case changed_operation:
    return "an operation computes something else, or promises more";
  case wrong_operand:
    return "an operand is another one, or is not computed any more";
  case changed_flow:
    return "an edge was changed that no removed branch has";
  case removed_effect:
    return "a branch was removed that does more than branch";
  case deciding_branch:
    return "a removed branch decides where control goes, or what a phi takes";
  default:
    return "a loop was removed that may not end";
  }
}

constexpr std::string_view to_text(range_test_fault f) {
  switch (f) {
    using enum range_test_fault;
  case none:
    return "no fault";
  case wrong_size:
    return "the programs have other nodes, or values are missing";
  case changed_flow:
    return "an edge, its target or its case has changed";
  case changed_operation:
    return "an operation is another one, is missing, or has moved";
  case wrong_operand:
    return "an operation or a phi reads another value";
  case new_operation:
    return "an operation is new that may trap or has an effect";
  default:
    return "a branch reads a condition that is no equal test";
  }
}

constexpr std::string_view to_text(replacement_fault f) {
  switch (f) {
    using enum replacement_fault;
  case none:
    return "no fault";
  case wrong_size:
    return "the programs have other nodes, or the witness names a value that is none";
  case wrong_witness:
    return "the witness replaces a value twice, or by one that is replaced";
  case different_value:
    return "a value is neither a copy nor a phi of what replaces it, nor the same load";
  case not_dominated:
    return "what replaces a value is not computed on every path to it";
  case missing_operation:
    return "an operation is missing that is needed";
  case extra_operation:
    return "an operation is new, or not in its place";
  case changed_operation:
    return "an operation computes something else, or promises more";
  case wrong_operand:
    return "an operand is neither the old one nor what replaces it, or is not computed any more";
  default:
    return "an edge was changed";
  }
}

constexpr std::string_view to_text(motion_fault f) {
  switch (f) {
    using enum motion_fault;
  case none:
    return "no fault";
  case wrong_size:
    return "the programs have other nodes";
  case changed_flow:
    return "an edge was changed";
  case missing_operation:
    return "an operation is missing";
  case extra_operation:
    return "an operation is new";
  case changed_operation:
    return "an operation computes something else, or promises more";
  case wrong_operand:
    return "an operand is another one";
  case wrong_order:
    return "operations that were not moved are in another order";
  case not_movable:
    return "what was moved has an effect, is a phi, or ends a node";
  case not_repeatable:
    return "what was moved may give another value at the new place";
  case convergent:
    return "of what was moved it matters which threads run it together";
  case closed_node:
    return "an operation was moved to a node that accepts none";
  case not_above:
    return "an operation was moved where control does not come by before";
  case operand_not_available:
    return "an operand is not computed at the new place";
  case early_trap:
    return "an operation may trap where it did not run, or before an effect";
  default:
    return "a load was moved over what may write";
  }
}

constexpr std::string_view to_text(sccp_fault f) {
  switch (f) {
    using enum sccp_fault;
  case none:
    return "no fault";
  case other_program:
    return "the result is that of another program";
  case node:
    return "a node may be executed";
  case edge:
    return "an edge may be taken";
  case fact:
    return "more is claimed to be known about a value than follows";
  case not_computed:
    return "a value may be computed";
  default:
    return "a value need not be undefined";
  }
}

constexpr std::string_view to_text(congruence_fault f) {
  switch (f) {
    using enum congruence_fault;
  case none:
    return "no fault";
  case other_program:
    return "the result is that of another program";
  case fact:
    return "more is claimed to be known about a value than follows";
  case edge:
    return "an edge may be taken";
  case not_computed:
    return "a value that is not computed is in a class with others";
  default:
    return "it does not follow that two values are equal";
  }
}

/// The verdict in one line, without a line break. Names of the new program and of the old one differ.
///
///     block 4: an operand is not what the old program reads; new v9, old v3
///     block 2: an edge of the original is missing without a reason; old edge 5
template <flow_names After = numbered_values, flow_names Before = numbered_values>
std::string to_text(const unfolding_verdict& verdict, const After& after = {}, const Before& before = {}) {
  if (verdict) {
    return verdict.assumed == 0 ? "certified" : "certified; " + std::to_string(verdict.assumed) + " reasons assumed";
  }
  std::string out = verdict.node == no_node ? std::string() : std::string(after.node(verdict.node)) + ": ";
  out += to_text(verdict.fault);
  const bool is_old_edge =
      verdict.fault == unfolding_fault::lost_edge || verdict.fault == unfolding_fault::unproven_reason;
  std::string separator = "; ";
  const auto add = [&](bool is_there, std::string_view what, const auto& name) {
    if (is_there) {
      out += separator;
      out += what;
      out += name();
      separator = ", ";
    }
  };
  add(verdict.value != no_value, "new ", [&] { return std::string(after.value(verdict.value)); });
  add(verdict.old_value != no_value, "old ", [&] { return std::string(before.value(verdict.old_value)); });
  add(verdict.edge != no_edge && is_old_edge, "old ", [&] { return std::string(before.edge(verdict.edge)); });
  add(verdict.edge != no_edge && !is_old_edge, "new ", [&] { return std::string(after.edge(verdict.edge)); });
  return out;
}

namespace detail {

template <class Verdict, class Names> std::string verdict_text(const Verdict& verdict, const Names& names) {
  std::string out = verdict.node == no_node ? std::string() : std::string(names.node(verdict.node)) + ": ";
  out += to_text(verdict.fault);
  return verdict.value == no_value ? out : out + "; " + std::string(names.value(verdict.value));
}

} // namespace detail

/// The verdict about removed, replaced or moved code in one line. Nodes and values have equal numbers in both programs,
/// so one set of names is enough: that of the old one.
///
///     block 4: an operation is missing that is needed; v9
template <value_names Names = numbered_values>
std::string to_text(const removal_verdict& verdict, const Names& names = {}) {
  if (!verdict) {
    return detail::verdict_text(verdict, names);
  }
  return verdict.assumed == 0 ? "certified" : "certified; " + std::to_string(verdict.assumed) + " loops assumed to end";
}

template <value_names Names = numbered_values>
std::string to_text(const replacement_verdict& verdict, const Names& names = {}) {
  return verdict ? "certified" : detail::verdict_text(verdict, names);
}

template <value_names Names = numbered_values>
std::string to_text(const range_test_verdict& verdict, const Names& names = {}) {
  return verdict ? "certified" : detail::verdict_text(verdict, names);
}

template <value_names Names = numbered_values>
std::string to_text(const motion_verdict& verdict, const Names& names = {}) {
  return verdict ? "certified" : detail::verdict_text(verdict, names);
}

/// The answer of `verify_sccp` in one line, without a line break.
///
///     block 4: more is claimed to be known about a value than follows; v9, edge 3
template <flow_names Names = numbered_values> std::string to_text(const sccp_error& error, const Names& names = {}) {
  std::string out = error.node == no_node ? std::string() : std::string(names.node(error.node)) + ": ";
  out += to_text(error.fault);
  std::string separator = "; ";
  if (error.value != no_value) {
    out += separator + std::string(names.value(error.value));
    separator = ", ";
  }
  return error.edge == no_edge ? out : out + separator + std::string(names.edge(error.edge));
}

/// The answer of `verify_congruence` in one line, without a line break.
///
///     it does not follow that two values are equal; v9, v4
template <flow_names Names = numbered_values>
std::string to_text(const congruence_error& error, const Names& names = {}) {
  std::string out(to_text(error.fault));
  std::string separator = "; ";
  for (const value_id v : {error.value, error.other}) {
    if (v != no_value) {
      out += separator + std::string(names.value(v));
      separator = ", ";
    }
  }
  return error.edge == no_edge ? out : out + separator + std::string(names.edge(error.edge));
}

/// The verdict in words. The edge that it names is one of the program before the change.
///
///     an edge was dropped that may be taken; edge 5
///     certified; 3 edges trusted
template <flow_names Names = numbered_values>
std::string to_text(const untaken_exits_verdict& verdict, const Names& names = {}) {
  if (!verdict) {
    return "an edge was dropped that may be taken; " + std::string(names.edge(verdict.edge));
  }
  return verdict.trusted == 0 ? "certified" : "certified; " + std::to_string(verdict.trusted) + " edges trusted";
}

/// The reason why nothing proves that an edge is never taken.
constexpr std::string_view to_string(counted_exit_fault fault) {
  switch (fault) {
  case counted_exit_fault::none:
    return "certified";
  case counted_exit_fault::unknown_edge:
    return "no edge of a branch that a run reaches";
  case counted_exit_fault::no_comparison:
    return "the condition compares no two numbers of up to 64 bits";
  case counted_exit_fault::no_induction:
    return "the condition compares no counter of a loop around it";
  case counted_exit_fault::no_exit:
    return "the edge does not leave the loop that is counted";
  case counted_exit_fault::no_step:
    return "the counter does not change by a number";
  case counted_exit_fault::unknown_start:
    return "the counter starts with different values";
  case counted_exit_fault::unknown_bound:
    return "nothing says how far the counter is from its bound";
  case counted_exit_fault::may_be_taken:
    return "the edge may be taken before the loop ends";
  }
  return "unknown";
}

/// The verdict in words. The edge that it names is one of the program before the change.
///
///     the edge may be taken before the loop ends; edge 5
template <flow_names Names = numbered_values>
std::string to_text(const counted_exits_verdict& verdict, const Names& names = {}) {
  const std::string out(to_string(verdict.fault));
  return verdict ? out : out + "; " + std::string(names.edge(verdict.edge));
}

MIDEND_END_NAMESPACE
