/// `llvm_operand_lists`: the operands of each value by number, while a function is being changed. For LLVM 19.
#pragma once

#include "midend/adapters/detail/llvm_numbered_values.hpp"
#include "midend/adapters/detail/llvm_operands.hpp"
#include "midend/adapters/detail/llvm_phi_entries.hpp"
#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/detail/growing_lists.hpp"
#include "midend/support/span.hpp"

#include <llvm/IR/Instruction.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Value.h>
#include <llvm/Support/Casting.h>

#include <cstddef>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A list of operands, or inputs by edge, for each value; read from LLVM when it is first asked for: a value, or the
/// phis of a node, at a time. A list that is known follows all changes; LLVM's operands are always right, so the others
/// are read later. No read moves operands that were read before.
class llvm_operand_lists {
public:
  llvm_operand_lists(const llvm_phi_entries& entries, const llvm_numbered_values& values)
      : entries_(entries), values_(values) {}

  /// Begins with another function; the memory stays.
  void start() { operands_.clear(); }

  span<const value_id> of(value_id v) const {
    if (!values_.has_known_operands(v)) {
      read(v);
    }
    return lists()[v];
  }

  /// Of an instruction that reads something. Does not read the others.
  value_id first(value_id v) const {
    return values_.has_known_operands(v) ? lists()[v][0]
                                         : values_.number_of_operation(values_.instruction(v).getOperand(0), v);
  }

  /// Whether the list was read.
  bool are_known(value_id v) const { return values_.has_known_operands(v); }

  /// For changes: the lists, with that of `v` read.
  growing_lists& lists_with(value_id v) {
    static_cast<void>(of(v));
    return lists();
  }

  /// The list of a new value `copy`, which has none yet, as that of `v`.
  void copy(value_id v, value_id copy) {
    const std::size_t count = of(v).size();
    for (std::size_t k = 0; k != count; ++k) {
      lists().push_back(copy, operands_[v][k]);
    }
  }

  /// Sets operand `k`, or input, if the list is known; LLVM's instruction has it already.
  void set_known(value_id v, std::size_t k, value_id operand) {
    if (v != no_value && values_.has_known_operands(v)) {
      lists().at(v, k) = operand;
    }
  }

  void set_known_input(value_id v, std::size_t k, const llvm::Value* input) {
    if (v != no_value && values_.has_known_operands(v)) {
      const value_id number = values_.number_or_null(input);
      lists().at(v, k) = number;
    }
  }

  /// One input more, likewise.
  void add_known_input(value_id v, const llvm::Value* input) {
    if (v != no_value && values_.has_known_operands(v)) {
      const value_id number = values_.number_or_null(input);
      lists().push_back(v, number);
    }
  }

  /// One input less, likewise; the last one takes its place.
  void remove_known_input(value_id v, std::size_t k) {
    if (v != no_value && values_.has_known_operands(v)) {
      lists().remove(v, k);
    }
  }

  /// Nothing is read any more.
  void clear(value_id v) {
    if (values_.has_known_operands(v)) {
      lists().shrink(v, 0);
    } else { // nothing is in the list yet
      values_.note_known_operands(v);
    }
  }

private:
  /// One list for each value that has a number. They are made when the first one is read.
  growing_lists& lists() const {
    if (operands_.size() != values_.num_numbered_values()) {
      make_lists();
    }
    return operands_;
  }

  MIDEND_SELDOM_CALLED void make_lists() const {
    if (operands_.size() == 0) {
      operands_.reserve(values_.num_numbered_values() + values_.num_numbered_values() / 8, 0);
      operands_.add_lists(values_.num_numbered_values(), values_.num_operands());
    }
    while (operands_.size() != values_.num_numbered_values()) {
      operands_.add_list();
    }
  }

  /// LLVM's operands are those of the editor, so they can be read at any time; those of phis, until the edges into
  /// their node change.
  MIDEND_SELDOM_CALLED void read(value_id v) const {
    const auto& i = llvm::cast<llvm::Instruction>(values_.value(v));
    if (values_.is_phi(v)) {
      read_phis(values_.node_of(v));
      return;
    }
    values_.note_known_operands(v);
    growing_lists& operands = lists();
    operands.place(v, i.getNumOperands());
    if (i.getOpcode() == llvm::Instruction::Switch) {
      operands.push_back(v, values_.number_or_null(i.getOperand(0)));
      return;
    }
    for (unsigned at = 0; at != i.getNumOperands(); ++at) {
      if (is_llvm_operand(i, at)) {
        operands.push_back(v, values_.number_or_null(i.getOperand(at)));
      }
    }
  }

  void read_phis(node_id n) const {
    values_.number_all(); // inputs are often constants
    lists();
    const llvm::PHINode* last = nullptr;
    for (value_id v = values_.first(n); v != no_value && values_.is_phi(v); v = values_.next(v)) {
      if (values_.has_known_operands(v)) {
        continue;
      }
      values_.note_known_operands(v);
      const auto& phi = llvm::cast<llvm::PHINode>(values_.value(v));
      if (last == nullptr || !llvm_phi_entries::have_same_blocks(phi, *last)) {
        entries_.find(phi, n);
      }
      last = &phi;
      operands_.place(v, phi.getNumOperands());
      for (unsigned k = 0; k != phi.getNumIncomingValues(); ++k) {
        operands_.push_back(v, values_.number_or_null(phi.getIncomingValue(entries_.entry(k))));
      }
    }
  }

  const llvm_phi_entries& entries_;
  const llvm_numbered_values& values_;
  mutable growing_lists operands_;
};

} // namespace detail

MIDEND_END_NAMESPACE
