/// Words for the verdicts about changed programs.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/transform/change_verdict.hpp"
#include "midend/viz/value_names.hpp"

#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

/// A phrase without full stop.
constexpr std::string_view to_text(change_fault f) {
  switch (f) {
    using enum change_fault;
  case none:
    return "no fault";
  case wrong_size:
    return "the programs have other nodes, or the witness names a node or value that is none";
  case changed_flow:
    return "an edge was changed";
  case missing_operation:
    return "an operation is missing that is needed";
  case extra_operation:
    return "an operation is new, or not in its place, or should be gone";
  case changed_operation:
    return "an operation computes something else, or promises more";
  case wrong_order:
    return "operations are in another order";
  case wrong_operand:
    return "an operand is another one, or is not computed any more";
  case fixed_operand:
    return "an operand is another one that must stay";
  case wrong_witness:
    return "the witness contradicts itself, or names what it cannot be about";
  case different_value:
    return "nothing proves that what is read is the same";
  case not_dominated:
    return "what replaces a value is not computed on every path to it";
  case removed_effect:
    return "a branch was removed that does more than branch";
  case deciding_branch:
    return "a removed branch decides where control goes, or what a phi takes";
  case endless_loop:
    return "a loop was removed that may not end";
  case not_movable:
    return "what was moved has an effect, is a phi, or ends a node";
  case not_repeatable:
    return "what was moved may give another value at the new place";
  case convergent:
    return "the result of what was moved depends on the threads that run it together";
  case closed_node:
    return "an operation was moved to a node that accepts none";
  case not_above:
    return "an operation was moved to a node that is not on every path to the old place";
  case operand_not_available:
    return "an operand is not computed at the new place";
  case early_trap:
    return "an operation may trap where it did not run, or before an effect";
  case changed_memory:
    return "a load was moved over what may write";
  case not_on_every_path:
    return "the access of the witness is not on every path";
  case written_between:
    return "the place may be written in between";
  default:
    return "what is stored may be read before it is overwritten";
  }
}

namespace detail {

template <class Verdict, class Names> std::string verdict_text(const Verdict& verdict, const Names& names) {
  std::string out = verdict.node == no_node ? std::string() : std::string(names.node(verdict.node)) + ": ";
  out += to_text(verdict.fault);
  return verdict.value == no_value ? out : out + "; " + std::string(names.value(verdict.value));
}

} // namespace detail

/// The verdict in one line, without a line break. Nodes and values have equal numbers in both programs, so one set of
/// names is enough: that of the old one.
///
///     block 4: an operation is missing that is needed; v9
template <value_names Names = numbered_values>
std::string to_text(const change_verdict& verdict, const Names& names = {}) {
  return verdict ? "certified" : detail::verdict_text(verdict, names);
}

MIDEND_END_NAMESPACE
