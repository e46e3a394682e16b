/// `llvm_package_editor`: an `llvm_memory_editor` that also shows costs, as packages require. For LLVM 19.
#pragma once

#include "midend/adapters/llvm_congruence.hpp"
#include "midend/adapters/llvm_editor.hpp"
#include "midend/adapters/llvm_memory_editor.hpp"
#include "midend/adapters/llvm_operation_class.hpp"
#include "midend/adapters/llvm_same_operation.hpp"
#include "midend/config.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/memory_effects.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/package/managed_package.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Value.h>
#include <llvm/Support/Casting.h>

#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// An `llvm_memory_editor` on which `low_level_package` runs. It adds
/// - identities of instructions outside of the vocabulary, from `llvm_congruence`, for those that existed when the
///   editor was made;
/// - which values may be `undef`, so that no rule reads them twice, and which promises differ.
///
/// Making one reads all instructions and asks LLVM's simplifier about each.
class llvm_package_editor : public llvm_memory_editor {
public:
  explicit llvm_package_editor(llvm::Function& f, const llvm_fold_options& options = {})
      : llvm_memory_editor(f, options), congruence_(f, options) {}

  /// As in `llvm_editor`, but a `select` of floating point that may give another result is `other`.
  operation_info operation(value_id v) const {
    operation_info info = llvm_editor::operation(v);
    const auto* const i = info.code == midend::operation::select ? instruction_or_null(v) : nullptr;
    if (i != nullptr && detail::llvm_rewriting_flags(*i) != 0) {
      info.code = midend::operation::other;
    }
    return info;
  }

  std::optional<operation_class> cost(value_id v) const {
    const llvm::Instruction* const i = instruction_or_null(v);
    return i == nullptr ? std::nullopt : llvm_class(*i);
  }

  std::uint32_t identity(value_id v) const { return congruence_.identity(v); }

  /// Whether two reads of a value may differ. For erased values LLVM cannot be asked.
  bool may_be_undefined(value_id v) const {
    const llvm::Instruction* const i = instruction_or_null(v);
    return (i != nullptr && i->getParent() == nullptr) || !llvm::isGuaranteedNotToBeUndef(value(v));
  }

  /// Whether `v` promises something that `w` does not, or is no instruction of the same opcode.
  bool promises_more(value_id v, value_id w) const {
    const llvm::Instruction* const i = instruction_or_null(v);
    const llvm::Instruction* const other = instruction_or_null(w);
    return i != nullptr &&
           (other == nullptr || i->getOpcode() != other->getOpcode() || detail::llvm_promises_more(*i, *other));
  }

private:
  llvm_congruence congruence_; ///< of the original function; only identities are read
};

static_assert(package_editor<llvm_package_editor> && has_cost<llvm_package_editor> &&
              has_identity<llvm_package_editor> && has_is_little_endian<llvm_package_editor>);

MIDEND_END_NAMESPACE
