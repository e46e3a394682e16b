#include "final_values_pass.hpp"

#include <midend/viz/final_values.hpp> // the words of the certificate

#include "certificate.hpp"
#include "number_rewriting.hpp"

#include <midend/transform/remove_dead_loops.hpp>
#include <midend/transform/replace_final_values.hpp>
#include <midend/transform/verify_final_values.hpp>
#include <midend/transform/verify_loop_ends.hpp>
#include <midend/transform/verify_removal.hpp>

#include <llvm/IR/Instruction.h>

llvm::PreservedAnalyses final_values_pass::run(llvm::Function& f, llvm::FunctionAnalysisManager&) const {
  return rewrite_numbers(f, pass_name, verify_,
                         [](midend::llvm_editor& editor, certificate& proof, midend::value_id first) {
                           midend::final_value_plan plan = midend::plan_replace_final_values(editor);
                           const midend::final_value_witness witness = midend::apply_replace_final_values(editor, plan);
                           proof.check(editor, [&](const auto& before, const auto& after) {
                             return midend::verify_final_values(before, after, witness);
                           });
                           freeze_operands(editor, first, [](llvm::Instruction& i) { return i.getParent(); });
                           return !plan.empty();
                         });
}

llvm::PreservedAnalyses dead_loops_pass::run(llvm::Function& f, llvm::FunctionAnalysisManager&) const {
  certificate proof(f, pass_name, verify_);
  bool changed = false;
  {
    midend::llvm_editor editor(f);
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
