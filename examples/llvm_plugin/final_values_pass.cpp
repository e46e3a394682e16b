#include "final_values_pass.hpp"

#include <midend/viz/final_values.hpp> // the words of the certificate

#include "certificate.hpp"

#include <midend/adapters/llvm_editor.hpp>
#include <midend/transform/remove_dead_loops.hpp>
#include <midend/transform/replace_final_values.hpp>
#include <midend/transform/verify_final_values.hpp>
#include <midend/transform/verify_loop_ends.hpp>
#include <midend/transform/verify_removal.hpp>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Value.h>
#include <llvm/Support/Casting.h>

#include <utility>

namespace {

using midend::value_id;

/// Pointers and numbers may have the same width.
class typed_editor : public midend::llvm_editor {
public:
  using midend::llvm_editor::llvm_editor;

  bool same_type(value_id v, value_id w) const { return value(v)->getType() == value(w)->getType(); }
};

/// A closed form reads values that the loop may not read: of no iteration, `start + 0 * step` is poison if the step is.
/// And it reads one number where the loop may read an undefined value twice. So the operations that were made, from
/// `first` on, read a `freeze` of what may be poison or undefined.
void freeze_operands(typed_editor& editor, value_id first) {
  llvm::SmallPtrSet<const llvm::Value*, 16> made;
  for (value_id v = first; v < editor.num_values(); ++v) {
    if (auto* const i = llvm::dyn_cast<llvm::Instruction>(editor.value(v)); i != nullptr && i->getParent() != nullptr) {
      made.insert(i);
    }
  }
  llvm::DenseMap<std::pair<const llvm::BasicBlock*, const llvm::Value*>, llvm::Value*> frozen;
  for (value_id v = first; v < editor.num_values(); ++v) { // what is read by another one comes first
    auto* const i = llvm::dyn_cast<llvm::Instruction>(editor.value(v));
    if (i == nullptr || i->getParent() == nullptr) {
      continue;
    }
    for (llvm::Use& use : i->operands()) {
      llvm::Value* const old = use.get();
      if (made.contains(old) || !old->getType()->isIntegerTy() || llvm::isGuaranteedNotToBeUndefOrPoison(old)) {
        continue;
      }
      llvm::Value*& now = frozen[{i->getParent(), old}];
      if (now == nullptr) {
        now = new llvm::FreezeInst(old, old->getName() + ".fr", i->getIterator());
      }
      use.set(now);
    }
  }
}

/// Whether something was replaced.
bool replace_round(llvm::Function& f, bool verify) {
  certificate proof(f, final_values_pass::pass_name, verify);
  midend::final_value_plan plan;
  {
    typed_editor editor(f);
    const auto first = static_cast<value_id>(editor.num_values());
    plan = midend::plan_replace_final_values(editor);
    const midend::final_value_witness witness = midend::apply_replace_final_values(editor, plan);
    proof.check(editor, [&](const auto& before, const auto& after) {
      return midend::verify_final_values(before, after, witness);
    });
    freeze_operands(editor, first);
  }
  proof.check_function();
  return !plan.empty();
}

} // namespace

llvm::PreservedAnalyses final_values_pass::run(llvm::Function& f, llvm::FunctionAnalysisManager&) const {
  bool changed = false;
  while (replace_round(f, verify_)) {
    changed = true;
  }
  llvm::PreservedAnalyses preserved = llvm::PreservedAnalyses::all();
  if (changed) {
    preserved = llvm::PreservedAnalyses::none();
    preserved.preserveSet<llvm::CFGAnalyses>();
  }
  return preserved;
}

llvm::PreservedAnalyses dead_loops_pass::run(llvm::Function& f, llvm::FunctionAnalysisManager&) const {
  certificate proof(f, pass_name, verify_);
  bool changed = false;
  {
    typed_editor editor(f);
    const midend::dead_code_plan plan = midend::plan_remove_dead_loops(editor);
    const midend::removal_witness witness = midend::apply_remove_dead_code(editor, plan);
    changed = !plan.empty();
    proof.check(editor, [&](const auto& before, const auto& after) {
      midend::removal_verdict verdict = midend::verify_removal(before, after, witness);
      if (verdict && midend::verify_loop_ends(before, {witness.ending_loops.data(), witness.ending_loops.size()})) {
        verdict.assumed = 0;
      }
      return verdict;
    });
  }
  proof.check_function();
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}
