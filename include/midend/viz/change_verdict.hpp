/// Words for the verdicts about changed programs.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/transform/change_verdict.hpp"
#include "midend/viz/detail/fault_text.hpp"
#include "midend/viz/value_names.hpp"
#include "midend/viz/words.hpp"

#include <string>

MIDEND_BEGIN_NAMESPACE

/// Each enumerator as a phrase without full stop.
template <>
inline constexpr auto words_of<change_fault> = word_table<change_fault>({
    {change_fault::none, "no fault"},
    {change_fault::wrong_size,
     "the programs have other nodes, or the witness names a node or value that does not exist"},
    {change_fault::changed_flow, "an edge was changed"},
    {change_fault::missing_operation, "an operation is missing that is needed"},
    {change_fault::extra_operation, "an operation is new, or not in its place, or should be gone"},
    {change_fault::changed_operation, "an operation computes something else, or promises more"},
    {change_fault::wrong_order, "operations are in another order"},
    {change_fault::wrong_operand, "an operand is another one, or is not computed any more"},
    {change_fault::fixed_operand, "an operand is another one that must stay"},
    {change_fault::wrong_witness, "the witness contradicts itself, or names what it cannot be about"},
    {change_fault::different_value, "nothing proves that what is read is the same"},
    {change_fault::not_dominated, "what replaces a value is not computed on every path to it"},
    {change_fault::removed_effect, "a branch was removed that does more than branch"},
    {change_fault::deciding_branch, "a removed branch decides where control goes, or what a phi takes"},
    {change_fault::endless_loop, "a loop was removed that may not end"},
    {change_fault::not_movable, "what was moved has an effect, is a phi, or ends a node"},
    {change_fault::not_repeatable, "what was moved may give another value at the new place"},
    {change_fault::convergent, "the result of what was moved depends on the threads that run it together"},
    {change_fault::closed_node, "an operation was moved to a node that accepts none"},
    {change_fault::not_above, "an operation was moved to a node that is not on every path to the old place"},
    {change_fault::operand_not_available, "an operand is not computed at the new place"},
    {change_fault::early_trap, "an operation may trap where it did not run, or before an effect"},
    {change_fault::changed_memory, "a load was moved over what may write"},
    {change_fault::not_on_every_path, "the access of the witness is not on every path"},
    {change_fault::written_between, "the place may be written in between"},
    {change_fault::read_before, "what is stored may be read before it is overwritten"},
});

/// The verdict in one line, without a line break. Nodes and values have equal numbers in both programs, so one set of
/// names is enough: that of the old one.
///
///     block 4: an operation is missing that is needed; v9
template <value_names Names = numbered_values>
std::string to_text(const change_verdict& verdict, const Names& names = {}) {
  return detail::verdict_text(verdict, names);
}

MIDEND_END_NAMESPACE
