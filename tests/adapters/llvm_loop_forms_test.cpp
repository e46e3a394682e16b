// The forms and guards of loops, as LLVM sees them.
#include "kit/test_graph.hpp"

#include <midend/adapters/llvm.hpp>

#include <midend/dominance/dominators.hpp>
#include <midend/loops/loop_forms.hpp>
#include <midend/loops/loop_guard.hpp>
#include <midend/loops/natural_loops.hpp>

#include <doctest/doctest.h>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <array>
#include <vector>

using namespace midend_tests;

namespace {

/// A function whose first block leads to node 0 of the graph, in which each block in `full` has an instruction, without
/// what is unreachable (LLVM counts dead predecessors of exits).
llvm::Function* make_function(llvm::Module& module, node_id nodes, const std::vector<edge>& edges,
                              const std::vector<bool>& full) {
  llvm::IRBuilder<> builder(module.getContext());
  auto* const type = llvm::FunctionType::get(builder.getVoidTy(), {builder.getInt32Ty()}, false);
  auto* const f = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "f", module);
  std::vector<llvm::BasicBlock*> blocks(nodes + 1);
  for (auto& block : blocks) {
    block = llvm::BasicBlock::Create(module.getContext(), "", f);
  }
  builder.SetInsertPoint(blocks[0]);
  builder.CreateBr(blocks[1]);
  for (node_id n = 0; n != nodes; ++n) {
    std::vector<llvm::BasicBlock*> successors;
    for (const edge& e : edges) {
      if (e.source == n) {
        successors.push_back(blocks[e.target + 1]);
      }
    }
    builder.SetInsertPoint(blocks[n + 1]);
    if (full[n]) {
      builder.CreateAdd(f->getArg(0), builder.getInt32(1));
    }
    if (successors.empty()) {
      builder.CreateRetVoid();
    } else if (successors.size() == 1) {
      builder.CreateBr(successors[0]);
    } else if (successors.size() == 2) {
      builder.CreateCondBr(builder.CreateTrunc(f->getArg(0), builder.getInt1Ty()), successors[0], successors[1]);
    } else {
      auto* const branch = builder.CreateSwitch(f->getArg(0), successors[0]);
      for (unsigned i = 1; i != successors.size(); ++i) {
        branch->addCase(builder.getInt32(i), successors[i]);
      }
    }
  }
  llvm::EliminateUnreachableBlocks(*f);
  return f;
}

/// Compares each loop of a function.
class llvm_comparison {
public:
  std::string operator()(llvm::Function& f) {
    const llvm::DominatorTree llvm_tree(f);
    const llvm::LoopInfo llvm_loops(llvm_tree);
    const auto g = midend::llvm_graph(f);
    const auto loops = midend::natural_loops(g, midend::dominators(g));
    for (const midend::loop_id l : loops.loops()) {
      const llvm::Loop* const loop = llvm_loops.getLoopFor(g.handle(loops.header(l)));
      if (loop->isLoopSimplifyForm() != midend::is_loop_simplify_form(g, loops, l)) {
        return "isLoopSimplifyForm";
      }
      if (loop->isRotatedForm() != midend::is_rotated(g, loops, l)) {
        return "isRotatedForm";
      }
      if (loop->hasDedicatedExits() != midend::is_lcssa_ready(g, loops, l)) {
        return "hasDedicatedExits";
      }
      const auto guard = midend::find_loop_guard(g, loops, l, [&](node_id n) { return g.handle(n)->size() == 1; });
      const llvm::BranchInst* const branch = loop->getLoopGuardBranch();
      if (guard.has_value() != (branch != nullptr) || (guard && g.handle(guard->block) != branch->getParent())) {
        return "getLoopGuardBranch";
      }
      ++seen_[loop->isLoopSimplifyForm()];
      guarded_ += guard.has_value();
    }
    return {};
  }

  const std::array<std::size_t, 2>& seen() const { return seen_; }

  std::size_t guarded() const { return guarded_; }

private:
  std::array<std::size_t, 2> seen_{};
  std::size_t guarded_ = 0;
};

} // namespace

TEST_CASE("llvm: loop-simplify form, rotated form, dedicated exits and guards") {
  // 0: guard, 1: preheader, 2 and 3: loop, 4: exit, 5 and 6: between, 7: after.
  const std::vector<edge> plain{{0, 1}, {0, 7}, {1, 2}, {2, 3}, {3, 2}, {3, 4}, {4, 5}, {5, 6}, {6, 7}};
  constexpr node_id nodes = 8;
  llvm::LLVMContext context;
  llvm::Module module("forms", context);
  llvm_comparison compare;
  random_source random(23);
  std::size_t failed = 0;
  for (std::size_t round = 0; round != 4000; ++round) {
    std::vector<edge> edges = plain;
    for (std::size_t changes = random.below(4); changes-- != 0;) {
      edge& e = edges[random.below(edges.size())];
      (random.one_in(2) ? e.source : e.target) = random.below(nodes);
      if (random.one_in(2)) {
        edges.push_back({random.below(nodes), random.below(nodes)});
      }
    }
    std::vector<bool> full(nodes);
    for (std::size_t n = 0; n != nodes; ++n) {
      full[n] = random.one_in(5);
    }
    llvm::Function* const f = make_function(module, nodes, edges, full);
    const std::string wrong = compare(*f);
    if (!wrong.empty() && ++failed <= 3) {
      std::string list;
      for (const edge& e : edges) {
        list += join(" ", e.source, "->", e.target);
      }
      FAIL_CHECK(wrong << " of" << list);
    }
    f->eraseFromParent();
  }
  CHECK(failed == 0);
  CHECK(compare.seen()[0] > 500);
  CHECK(compare.seen()[1] > 500);
  CHECK(compare.guarded() > 200);
}
