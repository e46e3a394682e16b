/// `llvm_variables`: the stack slots of an `llvm::Function` as variables, for functions before mem2reg. For LLVM 19.
#pragma once

#include "midend/adapters/llvm_ssa.hpp"
#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ssa_values.hpp"
#include "midend/ir/statements.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/range.hpp"
#include "midend/support/span.hpp"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <cstddef>

MIDEND_BEGIN_NAMESPACE

/// The local variables that `clang -O0` leaves in memory: models `statement_ir`.
///
/// A variable is an `alloca` of one element that is only read and written as a whole, by non-volatile loads and stores
/// of its type, and whose address is otherwise only passed to `llvm.lifetime` intrinsics: the slots that LLVM's mem2reg
/// would promote. Variables are numbered in the order of the function. Statements are the instructions, with their
/// numbers in `llvm_ssa`. A load uses a variable, a store defines one. The start of a lifetime is not a definition.
///
/// Refers to the view that it is made from. O(instructions and operands); 8 bytes an instruction.
class llvm_variables {
public:
  explicit llvm_variables(const llvm_ssa& ir) : ir_(&ir) {
    find_slots();
    drop_escaping_slots();
    number_accesses();
  }

  const csr_graph& graph() const { return ir_->graph(); }

  std::size_t num_statements() const { return ir_->num_instructions(); }

  id_range<statement_id> statements(node_id n) const { return ir_->values(n); }

  std::size_t num_variables() const { return slots_.size(); }

  /// The `alloca` of a variable.
  value_id slot(variable_id x) const { return slots_[x]; }

  /// The variable whose address a value is, or `no_variable`.
  variable_id variable(value_id v) const { return v < num_statements() ? variables_[v] : no_variable; }

  span<const variable_id> definitions(statement_id s) const {
    return accessed_by(s, llvm::isa<llvm::StoreInst>(ir_->value(s)));
  }

  span<const variable_id> uses(statement_id s) const {
    return accessed_by(s, llvm::isa<llvm::LoadInst>(ir_->value(s)));
  }

private:
  void find_slots() {
    variables_.assign(num_statements(), no_variable);
    for (value_id v = 0; v != num_statements(); ++v) {
      const auto* const slot = llvm::dyn_cast<llvm::AllocaInst>(ir_->value(v));
      if (slot != nullptr && !slot->isArrayAllocation()) {
        variables_[v] = 0; // a candidate; numbered later
      }
    }
  }

  void drop_escaping_slots() {
    for (value_id v = 0; v != num_statements(); ++v) {
      for (const value_id operand : ir_->operands(v)) {
        if (variable(operand) != no_variable && !accesses_whole(v, operand)) {
          variables_[operand] = no_variable;
        }
      }
    }
  }

  /// Whether an instruction uses a slot only as a variable may be used.
  bool accesses_whole(value_id v, value_id slot) const {
    const llvm::Value* const value = ir_->value(v);
    const llvm::Type* const type = llvm::cast<llvm::AllocaInst>(ir_->value(slot))->getAllocatedType();
    if (const auto* const load = llvm::dyn_cast<llvm::LoadInst>(value)) {
      return !load->isVolatile() && load->getType() == type;
    }
    if (const auto* const store = llvm::dyn_cast<llvm::StoreInst>(value)) {
      return !store->isVolatile() && store->getValueOperand() != ir_->value(slot) &&
             store->getValueOperand()->getType() == type;
    }
    return llvm::cast<llvm::Instruction>(value)->isLifetimeStartOrEnd();
  }

  void number_accesses() {
    for (value_id v = 0; v != num_statements(); ++v) {
      if (variables_[v] != no_variable) {
        variables_[v] = static_cast<variable_id>(slots_.size());
        slots_.push_back(v);
      }
    }
    accessed_.assign(num_statements(), no_variable);
    for (value_id v = 0; v != num_statements(); ++v) {
      if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(ir_->value(v))) {
        accessed_[v] = variable(ir_->operands(v).back());
      }
    }
  }

  span<const variable_id> accessed_by(statement_id s, bool is_meant) const {
    return {accessed_.data() + s, is_meant && accessed_[s] != no_variable ? std::size_t{1} : 0};
  }

  const llvm_ssa* ir_;
  flat_array<value_id> slots_;
  flat_array<variable_id> variables_; ///< by instruction: the variable whose address it is
  flat_array<variable_id> accessed_;  ///< by instruction: the variable that it loads or stores
};

static_assert(statement_ir<llvm_variables>);

MIDEND_END_NAMESPACE
