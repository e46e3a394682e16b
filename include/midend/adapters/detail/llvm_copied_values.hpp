/// `llvm_copied_values`: debug records of values that have several copies. For LLVM 19.
#pragma once

#include "midend/adapters/detail/llvm_numbered_blocks.hpp"
#include "midend/adapters/detail/llvm_numbered_values.hpp"
#include "midend/adapters/detail/llvm_operand_lists.hpp"
#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/flat_array.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Value.h>
#include <llvm/Support/Casting.h>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Knows which values are copies of one value, or phis for its copies. Debug records that name such a value, and
/// records in copies, name the copy that the operations of their node read; without one, they say "optimized out".
class llvm_copied_values {
public:
  llvm_copied_values(const llvm_numbered_blocks& blocks, const llvm_numbered_values& values,
                     const llvm_operand_lists& operands)
      : blocks_(blocks), values_(values), operands_(operands) {}

  /// Begins with another function; the memory stays.
  void start() {
    root_.clear();
    has_copies_.clear();
    copied_.clear();
    recorded_copies_.clear();
  }

  /// Notes that `phi` has the value of `like`, or of a copy of it.
  void add_phi(value_id phi, value_id like) { set_root(phi, root_of(like)); }

  /// Notes a new clone of `original`, which gets its name, and records of its own.
  void add_copy(value_id copy, value_id original) {
    const llvm::Instruction& i = values_.instruction(original);
    llvm::Instruction& c = values_.instruction(copy);
    if (i.hasName()) {
      c.setName(i.getName());
    }
    if (c.hasMetadata()) {
      c.setMetadata(llvm::LLVMContext::MD_DIAssignID, nullptr);
    }
    const value_id root = root_of(original);
    set_root(copy, root);
    while (has_copies_.size() <= root) {
      has_copies_.push_back(0);
    }
    if (has_copies_[root] == 0) {
      has_copies_[root] = 1;
      copied_.push_back(root);
    }
    if (i.hasDbgRecords()) {
      c.cloneDebugInfoFrom(&i);
      recorded_copies_.push_back(copy);
    }
  }

  /// Renames the records. O(copies since the last call, and records that name their originals).
  void rename_records() {
    for (const value_id copy : recorded_copies_) {
      if (values_.node_of(copy) == no_node) {
        continue;
      }
      for (llvm::DbgVariableRecord& r : llvm::filterDbgVars(values_.instruction(copy).getDbgRecordRange())) {
        if (r.isDbgAssign()) { // its identity is that of a store, which has several copies now
          r.setKillLocation();
          r.setKillAddress();
        } else {
          rename(r);
        }
      }
    }
    recorded_copies_.clear();
    for (const value_id root : copied_) {
      if (values_.node_of(root) == no_node) {
        continue; // no record names it any more
      }
      llvm::Instruction& i = values_.instruction(root);
      if (i.isUsedByMetadata()) {
        llvm::SmallVector<llvm::DbgVariableIntrinsic*, 1> none;
        llvm::SmallVector<llvm::DbgVariableRecord*, 8> records;
        llvm::findDbgUsers(none, &i, &records);
        for (llvm::DbgVariableRecord* const r : records) {
          rename(*r);
        }
      }
    }
    for (const value_id root : copied_) {
      has_copies_[root] = 0;
    }
    copied_.clear();
  }

private:
  /// The original of `v`, if it is a copy, of a copy perhaps, or a phi for copies; else `v`.
  value_id root_of(value_id v) const { return v < root_.size() && root_[v] != no_value ? root_[v] : v; }

  void set_root(value_id v, value_id root) {
    while (root_.size() <= v) {
      root_.push_back(no_value);
    }
    root_[v] = root;
  }

  bool has_copies(value_id v) const { return root_of(v) < has_copies_.size() && has_copies_[root_of(v)] != 0; }

  /// The copy of a value that a node computes or reads, or `no_value`.
  value_id present_in(node_id n, value_id v) const {
    const value_id root = root_of(v);
    for (value_id at = values_.first(n); at != no_value; at = values_.next(at)) {
      if (root_of(at) == root) {
        return at;
      }
      if (!values_.is_phi(at)) {
        for (const value_id operand : operands_.of(at)) {
          if (operand != no_value && root_of(operand) == root) {
            return operand;
          }
        }
      }
    }
    return no_value;
  }

  void rename(llvm::DbgVariableRecord& r) const {
    const node_id n = r.getParent() == nullptr ? no_node : blocks_.node(r.getParent());
    if (n == no_node) {
      return;
    }
    bool is_lost = false;
    for (unsigned k = 0; k != r.getNumVariableLocationOps(); ++k) {
      llvm::Value* const named = r.getVariableLocationOp(k);
      const value_id v = named == nullptr || !llvm::isa<llvm::Instruction>(named) ? no_value : values_.number(named);
      if (v != no_value && has_copies(v)) {
        const value_id present = present_in(n, v);
        is_lost = is_lost || present == no_value;
        if (present != no_value && present != v) {
          r.replaceVariableLocationOp(k, &values_.value(present));
        }
      }
    }
    if (is_lost) {
      r.setKillLocation();
    }
  }

  const llvm_numbered_blocks& blocks_;
  const llvm_numbered_values& values_;
  const llvm_operand_lists& operands_;
  flat_array<value_id> root_;            ///< by value; see `root_of`
  flat_array<unsigned char> has_copies_; ///< by root, since the last `rename_records`
  flat_array<value_id> copied_;
  flat_array<value_id> recorded_copies_;
};

} // namespace detail

MIDEND_END_NAMESPACE
