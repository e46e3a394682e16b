#include "strength_pass.hpp"

#include <midend/viz/strength.hpp> // the words of the certificate

#include "number_rewriting.hpp"

#include <midend/machine/scalar_core.hpp>
#include <midend/transform/reduce_strength.hpp>
#include <midend/transform/verify_strength.hpp>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Value.h>
#include <llvm/Support/Casting.h>

llvm::PreservedAnalyses strength_pass::run(llvm::Function& f, llvm::FunctionAnalysisManager&) const {
  return rewrite_numbers(
      f, pass_name, verify_, [](midend::llvm_editor& editor, certificate& proof, midend::value_id first) {
        midend::strength_plan plan = midend::plan_reduce_strength(editor, midend::scalar_core());
        midend::apply_reduce_strength(editor, plan);
        proof.check(editor,
                    [](const auto& before, const auto& after) { return midend::verify_strength(before, after); });
        llvm::DenseMap<const llvm::BasicBlock*, llvm::BasicBlock*> place_of; // by header
        for (const midend::strength_counter& c : plan.counters) {
          place_of[editor.block(c.header)] = editor.block(c.place);
        }
        // The step is the same in all iterations, so its `freeze` is before the loop.
        freeze_operands(editor, first, [&](llvm::Instruction& i) {
          const auto* const phi = llvm::dyn_cast<llvm::PHINode>(i.getOperand(0));
          const bool is_next =
              phi != nullptr && phi->getParent() == i.getParent() && llvm::is_contained(phi->operands(), &i);
          return is_next ? place_of.lookup(i.getParent()) : i.getParent();
        });
        return !plan.empty();
      });
}
