/// `llvm_erased_code`: instructions and blocks that were taken out of a function. For LLVM 19.
#pragma once

#include "midend/adapters/detail/llvm_numbered_blocks.hpp"
#include "midend/adapters/detail/llvm_numbered_values.hpp"
#include "midend/adapters/detail/llvm_operand_lists.hpp"
#include "midend/adapters/detail/llvm_operands.hpp"
#include "midend/adapters/detail/llvm_phi_edges.hpp"
#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/flat_array.hpp"

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Type.h>
#include <llvm/IR/Use.h>
#include <llvm/IR/User.h>
#include <llvm/IR/Value.h>
#include <llvm/Support/Casting.h>
#include <llvm/Transforms/Utils/Local.h>

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// What was erased keeps its number and exists until `delete_all`, so that it can be restored. An erased instruction is
/// in no block, reads nothing, and no debug record names it.
class llvm_erased_code {
public:
  llvm_erased_code(llvm_numbered_blocks& blocks, llvm_numbered_values& values, llvm_operand_lists& operands)
      : blocks_(blocks), values_(values), operands_(operands) {}

  /// Begins with another function; the memory stays.
  void start() {
    erased_.clear();
    unnumbered_.clear();
    erased_nodes_.clear();
    lost_addresses_.clear();
  }

  /// Forgets an instruction without operands that no debug record names.
  void forget(llvm::Instruction& i) {
    auto* const phi = llvm::dyn_cast<llvm::PHINode>(&i);
    if (i.isUsedByMetadata()) {
      if (phi == nullptr && reads_all(i)) {
        llvm::salvageDebugInfo(i);
      }
      if (i.isUsedByMetadata()) {
        llvm::ValueAsMetadata::handleRAUW(&i, llvm::PoisonValue::get(i.getType()));
      }
    }
    if (phi != nullptr) {
      llvm_phi_edges::clear_inputs(*phi);
      return;
    }
    for (unsigned at = 0; at != i.getNumOperands(); ++at) {
      if (is_llvm_operand(i, at) || llvm::isa_and_nonnull<llvm::BasicBlock>(i.getOperand(at))) {
        i.getOperandUse(at).set(nullptr);
      }
    }
  }

  void erase(value_id v) {
    forget(values_.instruction(v));
    take_out(v);
  }

  /// Erases an instruction of a node that has lost its operands.
  void erase_instruction(llvm::Instruction& i, node_id n) {
    if (values_.has_numbers()) {
      take_out(&i == &blocks_.block(n).back() ? values_.last(n) : values_.number(&i));
    } else {
      i.removeFromParent();
      unnumbered_.push_back(&i);
    }
  }

  /// Takes out an empty block, if it is still there.
  void erase_block(node_id n) {
    llvm::BasicBlock& b = blocks_.block(n);
    if (b.getParent() == nullptr) {
      return;
    }
    if (b.hasAddressTaken()) {
      lost_addresses_.push_back(n);
    }
    if (llvm::DbgMarker* const records = b.getTrailingDbgRecords()) {
      records->eraseFromParent(); // the next line only forgets the records, and their values would still know them
      b.deleteTrailingDbgRecords();
    }
    b.removeFromParent();
    erased_nodes_.push_back(n);
  }

  /// Puts an empty block back among the others, if it was erased.
  void restore_block(node_id n) {
    if (blocks_.block(n).getParent() != nullptr) {
      return;
    }
    node_id next = n + 1; // the first blocks of the function are in the order of their numbers
    while (next != blocks_.num_nodes() && blocks_.block(next).getParent() == nullptr) {
      ++next;
    }
    blocks_.block(n).insertInto(&blocks_.function(), next == blocks_.num_nodes() ? nullptr : &blocks_.block(next));
  }

  /// The addresses of blocks that are still erased become 1. O(numbered values), if there are any.
  void complete() {
    if (!lost_addresses_.empty()) {
      replace_lost_addresses();
    }
  }

  /// Nothing can be restored afterwards.
  void delete_all() {
    delete_each(erased_, values_.num_numbered_values(), [&](value_id v) {
      if (values_.node_of(v) == no_node) {
        values_.instruction(v).deleteValue();
      }
    });
    for (llvm::Instruction* const i : unnumbered_) {
      i->deleteValue();
    }
    delete_each(erased_nodes_, blocks_.num_nodes(), [&](node_id n) {
      if (blocks_.block(n).getParent() == nullptr) {
        delete &blocks_.block(n);
      }
    });
  }

private:
  static bool reads_all(const llvm::Instruction& i) {
    for (const llvm::Use& use : i.operands()) {
      if (use.get() == nullptr) {
        return false;
      }
    }
    return true;
  }

  void take_out(value_id v) {
    operands_.clear(v);
    values_.unlink(v);
    erased_.push_back(v);
    values_.instruction(v).removeFromParent();
  }

  /// The address of an erased block becomes 1, as in LLVM, and the block keeps the constant until it is deleted.
  MIDEND_SELDOM_CALLED void replace_lost_addresses() {
    values_.replace_constants([&] {
      for (const node_id n : lost_addresses_) {
        llvm::BasicBlock& b = blocks_.block(n);
        if (b.getParent() != nullptr) {
          continue; // it was restored
        }
        for (llvm::User* const user : b.users()) {
          if (auto* const address = llvm::dyn_cast<llvm::BlockAddress>(user)) {
            address->replaceAllUsesWith(llvm::ConstantExpr::getIntToPtr(
                llvm::ConstantInt::get(llvm::Type::getInt32Ty(b.getContext()), 1), address->getType()));
          }
        }
      }
    });
    lost_addresses_.clear();
  }

  /// Visits each number once: a restored thing may have been erased again.
  template <class Visit> void delete_each(const flat_array<std::uint32_t>& erased, std::size_t count, Visit visit) {
    is_deleted_.assign(erased.empty() ? 0 : count, 0);
    for (const std::uint32_t id : erased) {
      if (is_deleted_[id] == 0) {
        is_deleted_[id] = 1;
        visit(id);
      }
    }
  }

  llvm_numbered_blocks& blocks_;
  llvm_numbered_values& values_;
  llvm_operand_lists& operands_;
  flat_array<value_id> erased_;
  flat_array<llvm::Instruction*> unnumbered_; ///< erased, from a function whose instructions have no numbers
  flat_array<node_id> erased_nodes_;
  flat_array<node_id> lost_addresses_;   ///< erased nodes whose address is taken
  flat_array<unsigned char> is_deleted_; ///< valid in `delete_each`
};

} // namespace detail

MIDEND_END_NAMESPACE
