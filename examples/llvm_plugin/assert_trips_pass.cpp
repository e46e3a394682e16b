#include "assert_trips_pass.hpp"

#include <midend/adapters/llvm_cost.hpp>
#include <midend/dominance/dominators.hpp>
#include <midend/induction/loop_trip_counter.hpp>
#include <midend/loops/natural_loops.hpp>

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/Twine.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace {

using block_edge = std::pair<llvm::BasicBlock*, llvm::BasicBlock*>;

/// What is known about a loop.
struct trip_claim {
  llvm::BasicBlock* header = nullptr;
  std::vector<llvm::BasicBlock*> latches;
  std::vector<block_edge> exits; ///< for an exact number, or a multiple
  std::uint64_t backedges = 0;
  std::uint64_t multiple = 1; ///< of which the header executions are one, if no number is known
  bool is_exact = false;
  bool has_most = false;
};

std::vector<trip_claim> claims_of(llvm::Function& f) {
  const midend::llvm_cost ir(f);
  const midend::dominator_tree tree = midend::dominators(ir.graph());
  const midend::loop_forest forest = midend::natural_loops(ir.graph(), tree);
  const auto block = [&](midend::node_id n) { return const_cast<llvm::BasicBlock*>(ir.ssa().block(n)); };
  const midend::loop_trip_counter counter(ir, forest);
  std::vector<trip_claim> out;
  for (const midend::loop_id l : forest.loops()) {
    const midend::trip_count& known = counter.evolutions().trips(l).count;
    const bool is_exact = known.kind == midend::trip_count_kind::exact;
    const bool has_most = known.kind == midend::trip_count_kind::at_most;
    const bool has_multiple = known.multiple > 1 && (has_most || known.kind == midend::trip_count_kind::unknown);
    if ((!is_exact && !has_most && !has_multiple) || block(forest.header(l))->isEHPad()) {
      continue;
    }
    const std::uint64_t multiple = has_multiple ? known.multiple : 1;
    trip_claim claim{block(forest.header(l)), {}, {}, known.backedges, multiple, is_exact, has_most};
    for (const midend::loop_edge& e : forest.backedges(l)) {
      claim.latches.push_back(block(e.source));
    }
    for (const midend::loop_edge& e : forest.exiting_edges(l)) {
      if (claim.is_exact || has_multiple) {
        claim.exits.emplace_back(block(e.source), block(e.target));
      }
    }
    out.push_back(std::move(claim));
  }
  return out;
}

/// A block on an edge, or null where there can be none.
llvm::BasicBlock* block_on(const block_edge& e) {
  const llvm::Instruction& end = *e.first->getTerminator();
  const bool can_split = !llvm::isa<llvm::IndirectBrInst, llvm::CallBrInst>(end) && !e.second->isEHPad() &&
                         llvm::is_contained(llvm::successors(e.first), e.second); // parallel edges are split once
  return can_split ? llvm::SplitEdge(e.first, e.second) : nullptr;
}

/// An exit of a loop may be the backedge of one around: then the block on it is the latch of that.
void move_latches(const block_edge& e, llvm::BasicBlock* on_edge, std::vector<trip_claim>& claims) {
  for (trip_claim& around : claims) {
    if (around.header == e.second && llvm::is_contained(around.latches, e.first)) {
      around.latches.push_back(on_edge);
    }
  }
}

/// How many backedges of the loop were taken until now, in its header.
llvm::PHINode* count_backedges(const trip_claim& claim) {
  llvm::Type* const type = llvm::Type::getInt64Ty(claim.header->getContext());
  llvm::IRBuilder<> at(claim.header, claim.header->begin());
  llvm::PHINode* const taken = at.CreatePHI(type, 2, "midend.taken");
  at.SetInsertPoint(claim.header, claim.header->getFirstInsertionPt());
  llvm::Value* const next = at.CreateAdd(taken, llvm::ConstantInt::get(type, 1));
  for (llvm::BasicBlock* const from : llvm::predecessors(claim.header)) {
    const bool goes_on = llvm::is_contained(claim.latches, from);
    taken->addIncoming(goes_on ? next : llvm::ConstantInt::get(type, 0), from);
  }
  return taken;
}

/// Where a block may be split: after its phis, and after the heart of a cycle, which controls convergence in it. A test
/// before that would end the block that enters the cycle, and the heart of the cycle would not be in it.
llvm::BasicBlock::iterator split_point(llvm::BasicBlock& b) {
  llvm::BasicBlock::iterator point = b.getFirstInsertionPt();
  for (auto at = point; at != b.end(); ++at) {
    const auto* const control = llvm::dyn_cast<llvm::ConvergenceControlInst>(&*at);
    if (control != nullptr && control->getIntrinsicID() != llvm::Intrinsic::experimental_convergence_anchor) {
      point = std::next(at);
    }
  }
  return point;
}

/// Aborts the program before `place` if `taken` compares with what was claimed, `claimed`, as `wrong` says; or if no
/// number is claimed, if one more is no multiple of it.
void abort_if(llvm::CmpInst::Predicate wrong, llvm::Value* taken, const trip_claim& claim, std::uint64_t claimed,
              const char* text, llvm::BasicBlock::iterator place) {
  llvm::Module& module = *claim.header->getModule();
  llvm::Type* const number = llvm::Type::getInt32Ty(module.getContext());
  llvm::IRBuilder<> at(place->getParent(), place);
  llvm::Value* const constant = llvm::ConstantInt::get(taken->getType(), claimed);
  llvm::Value* const one = llvm::ConstantInt::get(taken->getType(), 1);
  llvm::Value* const is_wrong = wrong == llvm::CmpInst::BAD_ICMP_PREDICATE
                                    ? at.CreateIsNotNull(at.CreateURem(at.CreateAdd(taken, one), constant))
                                    : at.CreateICmp(wrong, taken, constant);
  at.SetInsertPoint(llvm::SplitBlockAndInsertIfThen(is_wrong, place, true));
  const std::string where = (claim.header->getParent()->getName() + ", loop " + claim.header->getName()).str();
  const auto print =
      module.getOrInsertFunction("dprintf", llvm::FunctionType::get(number, {number, at.getPtrTy()}, true));
  const std::string line = std::string("midend-assert-trips: %s: %llu backedges, not ") + text + "%llu\n";
  at.CreateCall(print, {llvm::ConstantInt::get(number, 2), at.CreateGlobalString(line), at.CreateGlobalString(where),
                        taken, constant});
  at.CreateCall(module.getOrInsertFunction("abort", llvm::FunctionType::get(at.getVoidTy(), false)));
}

/// Where the loop is left.
void assert_at_exit(const trip_claim& claim, llvm::Value* taken, llvm::BasicBlock* exit) {
  if (claim.is_exact) {
    abort_if(llvm::CmpInst::ICMP_NE, taken, claim, claim.backedges, "", split_point(*exit));
  } else {
    abort_if(llvm::CmpInst::BAD_ICMP_PREDICATE, taken, claim, claim.multiple, "one less than a multiple of ",
             split_point(*exit));
  }
}

} // namespace

llvm::PreservedAnalyses assert_trips_pass::run(llvm::Function& f, llvm::FunctionAnalysisManager&) {
  std::vector<trip_claim> claims = claims_of(f);
  std::vector<std::vector<llvm::BasicBlock*>> left(claims.size()); // blocks on the exits, by claim
  for (std::size_t i = 0; i != claims.size(); ++i) {
    for (const block_edge& e : claims[i].exits) {
      left[i].push_back(block_on(e));
      if (left[i].back() != nullptr) {
        move_latches(e, left[i].back(), claims);
      }
    }
  }
  std::vector<llvm::PHINode*> taken;
  for (const trip_claim& claim : claims) {
    taken.push_back(count_backedges(claim));
  }
  for (std::size_t i = 0; i != claims.size(); ++i) {
    for (llvm::BasicBlock* const b : left[i]) {
      if (b != nullptr) {
        assert_at_exit(claims[i], taken[i], b);
      }
    }
    if (claims[i].is_exact || claims[i].has_most) {
      abort_if(llvm::CmpInst::ICMP_UGT, taken[i], claims[i], claims[i].backedges, claims[i].is_exact ? "" : "at most ",
               split_point(*claims[i].header));
    }
  }
  return claims.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}
