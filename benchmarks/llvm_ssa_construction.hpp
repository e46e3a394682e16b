/// SSA construction from the stack slots of LLVM's functions, by midend and by LLVM.
#pragma once

#include <midend/adapters/llvm_slot_values.hpp>
#include <midend/ssa/construct_ssa.hpp>

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <cstddef>
#include <vector>

namespace midend_benchmarks {

/// Registers what llvm_ssa_construction.cpp measures.
void register_llvm_ssa_construction();

/// Everything from the function on: graph and statements, dominators, phis, values of loads. The function is not
/// changed.
class midend_ssa_construction {
public:
  void run(const llvm::Function& f, midend::agreeing_phis agreeing = midend::agreeing_phis::remove) {
    values_.assign(f);
    midend::construct_ssa(values_, agreeing, workspace_, result_);
  }

  const midend::llvm_slots& slots() const { return values_.slots(); }

  const midend::inserted_phis& result() const { return result_; }

private:
  midend::llvm_slot_values values_;
  midend::construct_ssa_workspace workspace_;
  midend::inserted_phis result_;
};

/// What the pass `mem2reg` does once: slots that can be promoted, dominators, `PromoteMemToReg`.
class llvm_ssa_construction {
public:
  void run(llvm::Function& f) {
    slots_.clear();
    for (llvm::Instruction& i : f.getEntryBlock()) {
      auto* const slot = llvm::dyn_cast<llvm::AllocaInst>(&i);
      if (slot != nullptr && llvm::isAllocaPromotable(slot)) {
        slots_.push_back(slot);
      }
    }
    if (!slots_.empty()) {
      llvm::DominatorTree tree(f);
      llvm::PromoteMemToReg(slots_, tree);
    }
  }

  std::size_t num_slots() const { return slots_.size(); }

private:
  std::vector<llvm::AllocaInst*> slots_;
};

/// The functions with stack slots.
inline std::vector<llvm::Function*> functions_with_slots(llvm::Module& m) {
  std::vector<llvm::Function*> out;
  for (llvm::Function& f : m) {
    bool has_slots = false;
    if (!f.isDeclaration()) {
      for (const llvm::Instruction& i : f.getEntryBlock()) {
        has_slots = has_slots || llvm::isa<llvm::AllocaInst>(i);
      }
    }
    if (has_slots) {
      out.push_back(&f);
    }
  }
  return out;
}

inline std::size_t num_phis(const llvm::BasicBlock& b) {
  std::size_t count = 0;
  for (const llvm::PHINode& phi : b.phis()) {
    count += phi.getParent() == &b ? 1u : 0u;
  }
  return count;
}

/// Both constructions of one function.
struct phi_counts {
  std::size_t midend_slots = 0;
  std::size_t llvm_slots = 0;
  std::size_t midend_phis = 0;
  std::size_t placed_phis = 0; ///< by midend, with those whose inputs agree
  std::size_t llvm_phis = 0;
  std::size_t blocks_that_differ = 0; ///< in the number of phis

  bool agree() const { return midend_slots == llvm_slots && blocks_that_differ == 0; }
};

/// Promotes the slots of `f`, which stays so.
inline phi_counts compare_phis(midend_ssa_construction& ours, llvm_ssa_construction& theirs, llvm::Function& f) {
  phi_counts out;
  ours.run(f, midend::agreeing_phis::keep);
  out.placed_phis = ours.result().num_phis();
  ours.run(f);
  const std::size_t num_blocks = ours.slots().graph().num_nodes();
  std::vector<std::size_t> expected(num_blocks);
  for (midend::node_id n = 0; n != num_blocks; ++n) {
    expected[n] = num_phis(*ours.slots().block(n));
    out.llvm_phis -= expected[n];
  }
  for (const midend::variable_phi& phi : ours.result().phis()) {
    ++expected[phi.node];
  }
  theirs.run(f);
  for (midend::node_id n = 0; n != num_blocks; ++n) {
    const std::size_t found = num_phis(*ours.slots().block(n));
    out.llvm_phis += found;
    out.blocks_that_differ += found == expected[n] ? 0u : 1u;
  }
  out.midend_phis = ours.result().num_phis();
  out.midend_slots = ours.slots().num_variables();
  out.llvm_slots = theirs.num_slots();
  return out;
}

} // namespace midend_benchmarks
