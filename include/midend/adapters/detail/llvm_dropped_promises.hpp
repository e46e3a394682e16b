/// `llvm_dropped_promises`: flags, attributes and metadata that were taken from instructions. For LLVM 19.
#pragma once

#include "midend/adapters/detail/llvm_numbered_values.hpp"
#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/flat_array.hpp"

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instruction.h>
#include <llvm/Support/Casting.h>

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Drops what makes poison or undefined behaviour, and keeps copies of the instructions as they were, so that it can be
/// restored, the last one first.
class llvm_dropped_promises {
public:
  explicit llvm_dropped_promises(llvm_numbered_values& values) : values_(values) {}

  /// Begins with another function; the memory stays.
  void start() {
    dropped_.clear();
    kept_.clear();
  }

  /// The number of instructions whose promises are dropped now: a mark for `restore`.
  std::uint64_t mark() const { return dropped_.size(); }

  void drop(value_id v) {
    values_.start_change();
    llvm::Instruction& i = values_.instruction(v);
    llvm::Instruction* const kept = i.clone();
    kept->dropAllReferences();
    dropped_.push_back({v, kept});
    kept_.push_back(kept);
    i.dropPoisonGeneratingAnnotations();
    i.dropUBImplyingAttrsAndMetadata();
    values_.read_operation_again(v);
  }

  /// Restores those of a value that were dropped since a mark.
  void restore(value_id v, std::uint64_t promises) {
    for (std::size_t k = static_cast<std::size_t>(promises); k < dropped_.size(); ++k) {
      if (dropped_[k].value == v) {
        llvm::Instruction& i = values_.instruction(v);
        const llvm::Instruction& kept = *dropped_[k].kept;
        i.copyIRFlags(&kept);
        i.copyMetadata(kept);
        if (auto* const call = llvm::dyn_cast<llvm::CallBase>(&i)) {
          call->setAttributes(llvm::cast<llvm::CallBase>(kept).getAttributes());
        }
        values_.read_operation_again(v);
        break;
      }
    }
    while (dropped_.size() > promises && dropped_.back().value == v) {
      dropped_.pop_back();
    }
  }

  void delete_all() {
    for (llvm::Instruction* const i : kept_) {
      i->deleteValue();
    }
  }

private:
  struct dropped_promises {
    value_id value;
    llvm::Instruction* kept; ///< a copy of the instruction with its promises
  };

  llvm_numbered_values& values_;
  flat_array<dropped_promises> dropped_; ///< those that are not restored
  flat_array<llvm::Instruction*> kept_;  ///< all copies, which are in no block and read nothing
};

} // namespace detail

MIDEND_END_NAMESPACE
