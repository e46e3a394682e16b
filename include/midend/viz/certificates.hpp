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

/// As `change_verdict`; a removal that is right may rest on loops that the witness says to end.
///
///     certified; 2 loops assumed to end
template <value_names Names = numbered_values>
std::string to_text(const removal_verdict& verdict, const Names& names = {}) {
  return verdict && verdict.assumed != 0 ? "certified; " + std::to_string(verdict.assumed) + " loops assumed to end"
                                         : to_text(static_cast<const change_verdict&>(verdict), names);
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
