/// `llvm_node_questions`: what `clean_control` asks about nodes. For LLVM 19.
#pragma once

#include "midend/adapters/detail/llvm_numbered_blocks.hpp"
#include "midend/adapters/detail/llvm_operation_record.hpp"
#include "midend/adapters/detail/llvm_phi_edges.hpp"
#include "midend/adapters/detail/llvm_phi_entries.hpp"
#include "midend/adapters/llvm_constants.hpp"
#include "midend/adapters/llvm_refusals.hpp"
#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Use.h>
#include <llvm/IR/Value.h>
#include <llvm/Support/Casting.h>

#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The case of a successor of a branch or switch on a number, or nothing for the default.
inline std::optional<std::uint64_t> llvm_case_of(const llvm::Instruction& end, std::uint32_t slot) {
  const auto* const choice = llvm::dyn_cast<llvm::SwitchInst>(&end);
  if (choice == nullptr) {
    return 1 - slot;
  }
  if (slot == 0) {
    return std::nullopt;
  }
  return llvm::SwitchInst::ConstCaseIt(choice, slot - 1)->getCaseValue()->getZExtValue();
}

/// Reads LLVM's instructions, so that values need no numbers. Valid at any time.
class llvm_node_questions {
public:
  llvm_node_questions(const llvm_numbered_blocks& blocks, const llvm_phi_entries& entries, const llvm_phi_edges& phis)
      : blocks_(blocks), entries_(entries), phis_(phis) {}

  /// Begins with the function whose blocks were read.
  void start() {
    true_ = llvm::ConstantInt::getTrue(blocks_.function().getContext());
    false_ = llvm::ConstantInt::getFalse(blocks_.function().getContext());
  }

  /// Whether a value decides where control goes: then it is `condition(n)`.
  bool has_condition(node_id n) const {
    return blocks_.graph().out_edges(n).size() > 1 && llvm_operation_record::decision(*blocks_.end_of(n)) != 0;
  }

  /// Whether the end of a node only leads to its only edge. A `callbr` with one successor does more.
  bool ends_in_jump(node_id n) const {
    const llvm::Instruction* const end = blocks_.end_of(n);
    return end != nullptr && blocks_.graph().out_edges(n).size() == 1 && is_plain(*end);
  }

  /// The edge that a literal condition takes, or `no_edge`.
  edge_id literal_edge(node_id n) const {
    const llvm::Instruction& end = *blocks_.end_of(n);
    const llvm::Value* const read = end.getOperand(0);
    if (llvm::isa<llvm::BranchInst>(end)) { // there is one `true` and one `false`, so the condition is not looked at
      const bool is_true = read == true_;
      const bool is_literal = is_true || read == false_;
      return is_literal ? edge_of_slot(n, is_true ? 0 : 1) : no_edge;
    }
    const auto* const condition = llvm::dyn_cast<llvm::Constant>(read);
    const std::optional<std::uint64_t> number = condition == nullptr ? std::nullopt : llvm_constant_bits(condition);
    edge_id taken = no_edge;
    if (number) {
      edge_id otherwise = no_edge;
      for (const edge_id e : blocks_.graph().out_edges(n)) {
        const std::optional<std::uint64_t> value = llvm_case_of(*blocks_.end_of(n), blocks_.edge(e).slot);
        taken = value == number ? e : taken;
        otherwise = value ? otherwise : e;
      }
      taken = taken != no_edge ? taken : otherwise;
    }
    return taken;
  }

  /// The node of the condition if that is a phi, or `no_node`. Requires `has_condition(n)`. O(1).
  node_id deciding_phi(node_id n) const {
    MIDEND_ASSERT(has_condition(n), "a node that has a condition", n);
    const auto* const phi = llvm::dyn_cast<llvm::PHINode>(blocks_.end_of(n)->getOperand(0));
    return phi == nullptr ? no_node : blocks_.node(phi->getParent());
  }

  /// Whether phis of node `end` get equal inputs along two edges. Each leads there, or to a node that has only phis and
  /// a jump there.
  bool have_equal_inputs(edge_id a, edge_id b, node_id end) const {
    for (const llvm::PHINode& phi : blocks_.block(end).phis()) {
      if (input_by(phi, a, end) != input_by(phi, b, end)) {
        return false;
      }
    }
    return true;
  }

  /// Whether a node has only phis and a jump, the edges at both sides may be redirected, and only phis of the next node
  /// read its phis, along its edge.
  bool does_nothing(node_id n) const {
    const auto& b = blocks_.block(n);
    const llvm::Instruction* const end = blocks_.end_of(n);
    const llvm::Instruction* const last = end == nullptr ? nullptr : end->getPrevNode(); // the first may be far away
    if (end == nullptr || (last != nullptr && !llvm::isa<llvm::PHINode>(last)) || !is_plain(*end)) {
      return false;
    }
    for (const edge_id e : blocks_.graph().in_edges(n)) {
      if (phis_.refusal(e) != llvm_refusal::none) {
        return false;
      }
    }
    const llvm::BasicBlock* const next = &blocks_.block(blocks_.edge(blocks_.graph().out_edges(n)[0]).target);
    for (const llvm::PHINode& phi : b.phis()) {
      for (const llvm::Use& use : phi.uses()) {
        const auto* const user = llvm::dyn_cast<llvm::PHINode>(use.getUser());
        if (user == nullptr || user->getParent() != next || user->getIncomingBlock(use) != &b) {
          return false;
        }
      }
    }
    return true;
  }

  /// Whether values of a node are read in others, apart from phis along the edges from it.
  bool is_read_elsewhere(node_id n) const {
    for (const llvm::Instruction& i : blocks_.block(n)) {
      for (const llvm::Use& use : i.uses()) {
        const auto* const user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
        const auto* const phi = llvm::dyn_cast_or_null<llvm::PHINode>(user);
        if (user == nullptr || (phi == nullptr ? user->getParent() : phi->getIncomingBlock(use)) != &blocks_.block(n)) {
          return true;
        }
      }
    }
    return false;
  }

private:
  /// Whether a terminator only chooses the successor.
  static bool is_plain(const llvm::Instruction& end) {
    return llvm::isa<llvm::BranchInst>(end) || llvm::isa<llvm::SwitchInst>(end);
  }

  edge_id edge_of_slot(node_id n, std::uint32_t slot) const {
    const edge_id first = blocks_.graph().out_edges(n)[0];
    return blocks_.edge(first).slot == slot ? first : edge_id{blocks_.graph().out_edges(n)[1]};
  }

  /// The input of a phi of node `end` along an edge, which leads there directly or through a node that passes it on.
  llvm::Value* input_by(const llvm::PHINode& phi, edge_id e, node_id end) const {
    const node_id n = blocks_.edge(e).target;
    if (n == end) {
      return entries_.input(phi, e);
    }
    llvm::Value* const input = entries_.input(phi, blocks_.graph().out_edges(n)[0]);
    const auto* const passes = llvm::dyn_cast_or_null<llvm::PHINode>(input);
    return passes != nullptr && passes->getParent() == &blocks_.block(n) ? entries_.input(*passes, e) : input;
  }

  const llvm_numbered_blocks& blocks_;
  const llvm_phi_entries& entries_;
  const llvm_phi_edges& phis_;
  const llvm::Value* true_ = nullptr; ///< the literals of the context
  const llvm::Value* false_ = nullptr;
};

} // namespace detail

MIDEND_END_NAMESPACE
