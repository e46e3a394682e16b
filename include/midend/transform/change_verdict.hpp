/// `change_verdict`: the answer of the checkers that compare a program with the one before a change.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// What is wrong with a changed program: a difference that the change does not explain, or a wrong explanation.
enum class change_fault : std::uint8_t {
  none,

  // How the programs differ. Every checker finds these.
  wrong_size,        ///< the programs have different nodes, or the witness names a value or node that does not exist
  changed_flow,      ///< an edge, its target or its case differs
  missing_operation, ///< an operation is missing that must stay
  extra_operation,   ///< an operation is new, or in another node, or still there although the witness removes it
  changed_operation, ///< an operation computes something else, or promises more
  wrong_order,       ///< operations of a node are in another order
  wrong_operand,     ///< an operand, phi input or condition differs, or is not computed any more
  fixed_operand,     ///< an operation reads another value in an operand that must not be replaced

  // Why nothing explains a difference.
  wrong_witness,         ///< the witness contradicts itself, or names a value of another kind
  different_value,       ///< nothing proves that a value equals the one that replaces it
  not_dominated,         ///< the value that replaces another one is not computed on every path to it
  removed_effect,        ///< a removed branch does more than branch
  deciding_branch,       ///< a removed branch decides where control goes, or which input a phi takes
  endless_loop,          ///< the paths from a removed branch have a cycle that may not end
  not_movable,           ///< a phi, a terminator, an operation with an effect, or one that may not return was moved
  not_repeatable,        ///< a moved operation may give another value at its new place
  convergent,            ///< the result of a moved operation depends on the threads that run it together, and these may
                         ///< differ at the new place
  closed_node,           ///< the new node of a moved operation accepts no operations
  not_above,             ///< the new node of a moved operation does not dominate the old one
  operand_not_available, ///< at the new place, an operand is not computed
  early_trap,            ///< a moved operation may trap where it did not run, or before an effect
  changed_memory,        ///< a moved operation reads memory that may be written between the two places
  not_on_every_path,     ///< a path to a removed load or store does not pass the access of the witness
  written_between,       ///< the place may be written between that access and a removed load or store
  read_before            ///< what a removed store writes may be read before it is overwritten, or is never overwritten
};

/// The first fault and its place, or none.
struct change_verdict {
  change_fault fault = change_fault::none;
  node_id node = no_node;
  value_id value = no_value; ///< of the new program, or of the old one if it is missing there

  explicit constexpr operator bool() const { return fault == change_fault::none; }
};

MIDEND_END_NAMESPACE
