/// `llvm_determinate_counters`: starts and bounds of counters that may be read before the loop does. For LLVM 19.
#pragma once

#include "midend/adapters/llvm_unrolling_view.hpp"
#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/transform/unroll_with_remainder.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Use.h>
#include <llvm/IR/Value.h>
#include <llvm/Support/Casting.h>

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// A branch on poison is undefined behaviour in LLVM, and the guard of a loop with a remainder branches on what it
/// computes from the start and the bound, where the loop might have called `exit` before its first test. So they have
/// to be *determinate*: neither poison nor undefined.
///
/// A value that is not known to be determinate is replaced by its `freeze`, once for a value: in the phi of the counter
/// and in the test. This change is always allowed, and afterwards the guard computes with numbers. (Freezing the result
/// of the arithmetic is not enough: each read of an undefined start may give another number.)
///
/// The latch of the new body compares the counter after a round with the limit. If the header may leave the function
/// before its test, that comparison is earlier, too, and a step that promises not to wrap may have made poison: then
/// the steps lose `nsw` and `nuw`.
class llvm_determinate_counters {
public:
  /// Finds the changes for the loops of a plan. Removes loops for which they are impossible: counters and bounds that
  /// are neither integers nor pointers, and results of `invoke` without a place after them. O(size of the plan).
  llvm_determinate_counters(const llvm_unrolling_view& view, remainder_plan& plan) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i != plan.unrollings.size(); ++i) {
      if (collect(view, plan, plan.unrollings[i])) {
        plan.unrollings[kept++] = plan.unrollings[i];
      } else {
        plan.refused.push_back({plan.unrollings[i].loop, remainder_refusal_reason::early_trap, {}});
      }
    }
    while (plan.unrollings.size() != kept) {
      plan.unrollings.pop_back();
    }
  }

  bool empty() const { return uses_.empty() && steps_.empty(); }

  /// Changes the function. No editor of it may exist, since its numbers would become wrong.
  void apply() {
    llvm::DenseMap<llvm::Value*, llvm::Value*> frozen;
    for (llvm::Use* const use : uses_) {
      llvm::Value*& now = frozen[use->get()];
      if (now == nullptr) {
        llvm::Value& old = *use->get();
        now = new llvm::FreezeInst(&old, old.getName() + ".fr", *place_after(old, *use));
      }
      use->set(now);
    }
    for (llvm::Instruction* const step : steps_) {
      step->dropPoisonGeneratingFlags();
    }
  }

private:
  /// Where a value may be frozen, or nothing.
  static std::optional<llvm::BasicBlock::iterator> place_after(llvm::Value& v, const llvm::Use& use) {
    if (auto* const i = llvm::dyn_cast<llvm::Instruction>(&v)) {
      return i->getInsertionPointAfterDef();
    }
    return llvm::cast<llvm::Instruction>(use.getUser())->getFunction()->getEntryBlock().getFirstInsertionPt();
  }

  bool collect(const llvm_unrolling_view& view, const remainder_plan& plan, const remainder_unrolling& x) {
    const std::size_t uses = uses_.size();
    const std::size_t steps = steps_.size();
    const bool is_possible = collect_uses(view, plan, x);
    if (!is_possible) {
      uses_.truncate(uses);
      steps_.truncate(steps);
    }
    return is_possible;
  }

  bool collect_uses(const llvm_unrolling_view& view, const remainder_plan& plan, const remainder_unrolling& x) {
    auto* const phi = llvm::dyn_cast<llvm::PHINode>(view.editor().value(x.counter));
    auto* const test = llvm::dyn_cast<llvm::ICmpInst>(view.editor().value(x.comparison));
    if (phi == nullptr || test == nullptr || !phi->getType()->isIntOrPtrTy() ||
        !test->getOperand(0)->getType()->isIntOrPtrTy()) {
      return false;
    }
    llvm::SmallPtrSet<const llvm::BasicBlock*, 16> blocks;
    for (std::uint32_t i = 0; i != x.num_nodes; ++i) {
      blocks.insert(view.editor().block(plan.nodes[x.first_node + i]));
    }
    const bool is_at_once = is_tested_at_once(*phi->getParent(), *test);
    const llvm::Value& tested = converted_value(*test->getOperand(x.bound_is_first ? 1 : 0));
    for (unsigned i = 0; i != phi->getNumIncomingValues(); ++i) {
      const bool is_start = !blocks.contains(phi->getIncomingBlock(i));
      llvm::Value* const value = phi->getIncomingValue(i);
      // If the last test of a round reads the next value of the counter, the latch may read it after that.
      const bool keeps_steps = is_at_once || &tested == value;
      if (is_start ? !add_use(phi->getOperandUse(i)) : !keeps_steps && !add_steps(*phi, value)) {
        return false;
      }
    }
    return add_use(test->getOperandUse(x.bound_is_first ? 0 : 1));
  }

  /// The compared value, before it was extended or truncated: the comparison is poison if it is.
  static const llvm::Value& converted_value(const llvm::Value& v) {
    const llvm::Value* source = &v;
    while (const auto* const cast = llvm::dyn_cast<llvm::CastInst>(source)) {
      source = cast->getOperand(0);
    }
    return *source;
  }

  /// Whether every execution of the header reaches the test.
  static bool is_tested_at_once(const llvm::BasicBlock& header, const llvm::ICmpInst& test) {
    const auto* const branch = llvm::dyn_cast<llvm::BranchInst>(header.getTerminator());
    return branch != nullptr && branch->isConditional() && branch->getCondition() == &test &&
           llvm::isGuaranteedToTransferExecutionToSuccessor(&header);
  }

  bool add_use(llvm::Use& use) {
    if (!llvm::isGuaranteedNotToBeUndefOrPoison(use.get())) {
      if (!place_after(*use.get(), use)) {
        return false;
      }
      uses_.push_back(&use);
    }
    return true;
  }

  /// Follows the next value of the counter back to the phi, through additions and subtractions of numbers.
  bool add_steps(const llvm::PHINode& phi, llvm::Value* next) {
    while (next != &phi) {
      if (auto* const step = llvm::dyn_cast<llvm::GetElementPtrInst>(next)) {
        steps_.push_back(step);
        if (!step->hasAllConstantIndices()) {
          return false;
        }
        next = step->getPointerOperand();
        continue;
      }
      auto* const step = llvm::dyn_cast<llvm::BinaryOperator>(next);
      if (step == nullptr) {
        return false;
      }
      steps_.push_back(step);
      const bool is_second = llvm::isa<llvm::Constant>(step->getOperand(0));
      if (!is_second && !llvm::isa<llvm::Constant>(step->getOperand(1))) {
        return false;
      }
      next = step->getOperand(is_second ? 1 : 0);
    }
    return true;
  }

  llvm::SmallVector<llvm::Use*, 8> uses_;
  llvm::SmallVector<llvm::Instruction*, 8> steps_;
};

MIDEND_END_NAMESPACE
