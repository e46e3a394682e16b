/// `llvm_uses`: who reads a value, and changes of that. For LLVM 19.
#pragma once

#include "midend/adapters/detail/llvm_numbered_blocks.hpp"
#include "midend/adapters/detail/llvm_numbered_values.hpp"
#include "midend/adapters/detail/llvm_operand_lists.hpp"
#include "midend/adapters/detail/llvm_operands.hpp"
#include "midend/adapters/detail/llvm_phi_entries.hpp"
#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/detail/iterator_base.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/range.hpp"
#include "midend/support/span.hpp"

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Use.h>
#include <llvm/IR/Value.h>
#include <llvm/Support/Casting.h>
#include <llvm/Transforms/Utils/Local.h>

#include <cstddef>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The instructions of the function that read a value, found through LLVM's list of uses. The users of a constant are
/// searched in its whole context.
class llvm_user_iterator : public iterator_base<llvm_user_iterator, value_id> {
public:
  llvm_user_iterator() = default;

  llvm_user_iterator(const llvm_numbered_values& values, llvm::Value::use_iterator at, llvm::Value::use_iterator end)
      : values_(&values), at_(at), end_(end) {
    find();
  }

  value_id operator*() const { return number_; }

  void advance() {
    ++at_;
    find();
  }

  friend bool operator==(const llvm_user_iterator& a, const llvm_user_iterator& b) { return a.at_ == b.at_; }

private:
  void find() {
    for (; at_ != end_; ++at_) {
      const auto* const user = llvm::dyn_cast<llvm::Instruction>(at_->getUser());
      if (user != nullptr && is_llvm_operand(*user, at_->getOperandNo())) {
        number_ = values_->number(user);
        if (number_ != no_value) {
          return;
        }
      }
    }
  }

  const llvm_numbered_values* values_ = nullptr;
  llvm::Value::use_iterator at_;
  llvm::Value::use_iterator end_;
  value_id number_ = no_value;
};

/// The nodes in which a value is read: for each use by an operation its node, for each input of a phi the source of
/// the edge.
class llvm_reading_node_iterator : public iterator_base<llvm_reading_node_iterator, node_id> {
public:
  llvm_reading_node_iterator() = default;

  llvm_reading_node_iterator(const llvm_numbered_blocks& blocks, llvm::Value::use_iterator at)
      : blocks_(&blocks), at_(at) {}

  node_id operator*() const {
    const auto& user = *llvm::cast<llvm::Instruction>(at_->getUser());
    const auto* const phi = llvm::dyn_cast<llvm::PHINode>(&user);
    const llvm::BasicBlock* const b = phi == nullptr ? user.getParent() : phi->getIncomingBlock(*at_);
    const node_id n = blocks_->node(b);
    return n != no_node ? n : blocks_->node(b->getSinglePredecessor()); // of a block that separates parallel edges
  }

  void advance() { ++at_; }

  friend bool operator==(const llvm_reading_node_iterator& a, const llvm_reading_node_iterator& b) {
    return a.at_ == b.at_;
  }

private:
  const llvm_numbered_blocks* blocks_ = nullptr;
  llvm::Value::use_iterator at_;
};

/// The operations among the operands, found through LLVM's operands.
class llvm_operand_operation_iterator : public iterator_base<llvm_operand_operation_iterator, value_id> {
public:
  llvm_operand_operation_iterator() = default;

  llvm_operand_operation_iterator(const llvm_numbered_values& values, value_id user, const llvm::Use* at,
                                  const llvm::Use* end)
      : values_(&values), at_(at), end_(end), user_(user) {
    find();
  }

  value_id operator*() const { return values_->number_of_operation(at_->get(), user_); }

  void advance() {
    ++at_;
    find();
  }

  friend bool operator==(const llvm_operand_operation_iterator& a, const llvm_operand_operation_iterator& b) {
    return a.at_ == b.at_;
  }

private:
  void find() {
    while (at_ != end_ && !llvm::isa_and_nonnull<llvm::Instruction>(at_->get())) {
      ++at_;
    }
  }

  const llvm_numbered_values* values_ = nullptr;
  const llvm::Use* at_ = nullptr;
  const llvm::Use* end_ = nullptr;
  value_id user_ = no_value;
};

/// The uses are those of LLVM, in both directions, so nothing is kept here. Known lists of operands follow the changes.
class llvm_uses {
public:
  llvm_uses(const llvm_numbered_blocks& blocks, llvm_phi_entries& entries, const llvm_numbered_values& values,
            llvm_operand_lists& operands)
      : blocks_(blocks), entries_(entries), values_(values), operands_(operands) {}

  iterator_range<llvm_user_iterator> users(value_id v) const {
    llvm::Value& value = values_.value(v);
    return {llvm_user_iterator(values_, value.use_begin(), value.use_end()),
            llvm_user_iterator(values_, value.use_end(), value.use_end())};
  }

  /// For an instruction or parameter. Reads LLVM's list of uses, and needs no numbers of values.
  iterator_range<llvm_reading_node_iterator> reading_nodes(value_id v) const {
    llvm::Value& value = values_.value(v);
    return {llvm_reading_node_iterator(blocks_, value.use_begin()),
            llvm_reading_node_iterator(blocks_, value.use_end())};
  }

  /// For an instruction. Needs no numbers of constants.
  iterator_range<llvm_operand_operation_iterator> operand_operations(value_id v) const {
    const llvm::Instruction& i = values_.instruction(v);
    return {llvm_operand_operation_iterator(values_, v, i.op_begin(), i.op_end()),
            llvm_operand_operation_iterator(values_, v, i.op_end(), i.op_end())};
  }

  void replace(value_id v, value_id by) {
    if (v == by) {
      return;
    }
    values_.start_change();
    llvm::Value& old = values_.value(v);
    replaced_.clear();
    for (const value_id user : users(v)) {
      if (values_.is_phi(user) && !entries_.is_ordered(values_.node_of(user))) {
        replaced_.push_back(values_.node_of(user));
      }
    }
    for (const node_id n : replaced_) { // before, because it changes the list of uses
      entries_.order(n);
    }
    for (auto it = old.use_begin(); it != old.use_end();) {
      llvm::Use& use = *it++;
      const auto* const user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
      const value_id u = user == nullptr ? no_value : values_.number(user);
      if (u == no_value || !is_llvm_operand(*user, use.getOperandNo())) {
        continue;
      }
      if (operands_.are_known(u)) { // others are read from LLVM later
        operands_.set_known(u, operand_number(*user, use.getOperandNo()), by);
      }
      use.set(&values_.value(by));
    }
    if (!llvm::isa<llvm::Constant>(old) && old.isUsedByMetadata()) {
      llvm::ValueAsMetadata::handleRAUW(&old, &values_.value(by));
    }
  }

  /// LLVM expresses debug records by the operands, if it can, before one is taken away.
  void set(value_id user, std::size_t i, value_id v) {
    MIDEND_ASSERT(!values_.is_phi(user), "an operation that is no phi", user);
    values_.start_change();
    llvm::Instruction& instr = values_.instruction(user);
    if (v == no_value && instr.isUsedByMetadata()) {
      llvm::salvageDebugInfo(instr); // while the operands that express it are still there
    }
    operands_.set_known(user, i, v);
    const unsigned at = llvm_operand_number(instr, static_cast<unsigned>(i));
    instr.getOperandUse(at).set(values_.value_or_null(v));
  }

  /// All operands of an instruction that has none.
  void set_all(value_id v, span<const value_id> operands) {
    llvm::Instruction& i = values_.instruction(v);
    operands_.clear(v);
    operands_.lists_with(v).assign(v, operands);
    unsigned k = 0;
    for (unsigned at = 0; k != operands.size(); ++at) {
      if (is_llvm_operand(i, at)) {
        i.getOperandUse(at).set(values_.value_or_null(operands[k++]));
      }
    }
  }

private:
  const llvm_numbered_blocks& blocks_;
  llvm_phi_entries& entries_;
  const llvm_numbered_values& values_;
  llvm_operand_lists& operands_;
  flat_array<node_id> replaced_; ///< nodes whose phis read the value that is replaced
};

} // namespace detail

MIDEND_END_NAMESPACE
