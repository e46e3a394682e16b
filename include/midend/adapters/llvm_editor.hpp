/// `llvm_editor`: changes an `llvm::Function` through the editing rungs of the IR contract. For LLVM 19.
#pragma once

#include "midend/adapters/llvm_bounds.hpp"
#include "midend/adapters/llvm_constants.hpp"
#include "midend/adapters/llvm_editor_graph.hpp"
#include "midend/adapters/llvm_effects.hpp"
#include "midend/adapters/llvm_numbering.hpp"
#include "midend/adapters/llvm_operations.hpp"
#include "midend/adapters/llvm_refusals.hpp"
#include "midend/adapters/llvm_same_operation.hpp"
#include "midend/adapters/llvm_ssa.hpp"
#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/profile.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/detail/iterator_base.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/range.hpp"
#include "midend/support/span.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ProfDataUtils.h>
#include <llvm/IR/Value.h>
#include <llvm/Support/Casting.h>
#include <llvm/Transforms/Utils/Local.h>

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// Models all editing rungs but those of variables, and with them the SSA, semantics, effects and profile rungs: it
/// shows the present state of the function, and changes it immediately. While an editor exists, only it may change the
/// function.
///
/// **Numbers** are those of `llvm_ssa(f)` when the editor is made, so results for that view apply; they stay what they
/// are, and new things get numbers at the end. `block(n)`, `value(v)`, `node(block)` and `number(value)` translate.
///
/// **`finish()`** makes the function one that LLVM accepts where the contract allows more than LLVM does; the
/// destructor calls it. It changes nothing that the editor shows:
/// - Parallel edges may have different phi inputs; in LLVM they cannot, so such an edge leads through a block that only
///   LLVM sees. It is no node, and goes when it is no longer needed.
/// - `llvm.loop` is at the ends of latches. Where edges led elsewhere, it moves to the latches of the innermost loop
///   around, if these have none; otherwise, and in copies that are no latches, it is dropped.
/// - Debug records that name a value of which there are copies, and records in copies, name what the operations of
/// their
///   node read of it; if nothing does, they say "optimized out".
///
/// **What is kept and what is dropped.** A clone has all flags, attributes and metadata of the original, apart from
/// `!DIAssignID`; moved operations keep theirs. `drop_promises` removes the flags, attributes and metadata that make
/// poison or undefined behaviour. Jumps that replace branches keep the debug location and `llvm.loop`; new jumps have
/// the location of the first operation of the node that they are like. Before a value that debug records name is
/// erased, they are expressed by its operands where LLVM can do that (`salvageDebugInfo`), else they say "optimized
/// out". Branch weights stay with the terminator; `set_probability` writes them when all edges of a node have one.
/// Functions in the old form of debug information are in the new form while they are edited.
///
/// **What is refused**: see `llvm_refusal`; `redirect_refusal(e)` and `copy_refusal(v)` say why `may_redirect(e)` and
/// `may_duplicate(v)` are false. No edge may lead to the entry, so that must not be the target of a change.
///
/// **Taking back**: erased instructions and blocks are kept until the editor is destroyed, so `recording_editor` can
/// undo everything, except changes of debug records and of `llvm.loop`, and addresses of erased blocks.
///
/// Requires verified IR. Costs what `llvm_ssa` does, and about 70 bytes a value and 40 an edge.
class llvm_editor {
public:
  using constant_type = std::uint64_t;

  explicit llvm_editor(llvm::Function& f, const llvm_fold_options& options = {})
      : function_(&f), options_(options), had_old_debug_info_(!f.IsNewDbgInfoFormat) {
    if (had_old_debug_info_) {
      f.setIsNewDbgInfoFormat(true);
    }
    initial_.assign(f);
    read();
  }

  llvm_editor(const llvm_editor&) = delete;
  llvm_editor& operator=(const llvm_editor&) = delete;

  ~llvm_editor() {
    finish();
    for (value_id v = 0; v != values_.size(); ++v) {
      if ((records_[v].traits & trait::was_erased) != 0 && instruction(v).getParent() == nullptr) {
        instruction(v).deleteValue();
      }
    }
    for (llvm::Instruction* const i : kept_) {
      i->deleteValue();
    }
    for (node_id n = 0; n != blocks_.size(); ++n) {
      if (blocks_[n]->getParent() == nullptr) {
        delete blocks_[n];
      }
    }
    if (had_old_debug_info_) {
      function_->setIsNewDbgInfoFormat(false);
    }
  }

  /// The function, finished.
  llvm::Function& function() {
    finish();
    return *function_;
  }

  // Reading.

  const llvm_editor_graph& graph() const { return graph_; }

  llvm::BasicBlock* block(node_id n) const { return blocks_[n]; }

  /// The node of a block, or `no_node`.
  node_id node(const llvm::BasicBlock* b) const {
    const node_id n = initial_.node(b);
    return n == no_node ? added_nodes_.find(b) : n;
  }

  std::size_t num_values() const { return values_.size(); }

  /// Erased instructions, too, are there as long as the editor is.
  llvm::Value* value(value_id v) const { return values_[v]; }

  /// The number of an instruction, an argument, or a constant that the function uses or used; else `no_value`.
  value_id number(const llvm::Value* v) const {
    const value_id known = initial_.number(v);
    return known == no_value ? added_values_.find(v) : known;
  }

  class value_iterator : public detail::iterator_base<value_iterator, value_id> {
  public:
    value_iterator() = default;

    value_iterator(const llvm_editor& editor, value_id at) : editor_(&editor), at_(at) {}

    value_id operator*() const { return at_; }

    void advance() { at_ = editor_->records_[at_].next; }

    friend bool operator==(value_iterator a, value_iterator b) { return a.at_ == b.at_; }

  private:
    const llvm_editor* editor_ = nullptr;
    value_id at_ = no_value;
  };

  iterator_range<value_iterator> values(node_id n) const {
    return {value_iterator(*this, ends_[n].first), value_iterator(*this, no_value)};
  }

  id_range<value_id> parameters() const { return initial_.parameters(); }

  /// As in `llvm_ssa`: without blocks, metadata and inline assembly. Those of a phi are in the order of
  /// `graph().in_edges(n)`.
  span<const value_id> operands(value_id v) const { return operands_[v]; }

  /// The instructions of the function that read a value, found through LLVM's list of uses. The users of a constant are
  /// searched in its whole context.
  class user_iterator : public detail::iterator_base<user_iterator, value_id> {
  public:
    user_iterator() = default;

    user_iterator(const llvm_editor& editor, llvm::Value::use_iterator at, llvm::Value::use_iterator end)
        : editor_(&editor), at_(at), end_(end) {
      find();
    }

    value_id operator*() const { return number_; }

    void advance() {
      ++at_;
      find();
    }

    friend bool operator==(const user_iterator& a, const user_iterator& b) { return a.at_ == b.at_; }

  private:
    void find() {
      for (; at_ != end_; ++at_) {
        const auto* const user = llvm::dyn_cast<llvm::Instruction>(at_->getUser());
        if (user != nullptr && is_operand(*user, at_->getOperandNo())) {
          number_ = editor_->number(user);
          if (number_ != no_value) {
            return;
          }
        }
      }
    }

    const llvm_editor* editor_ = nullptr;
    llvm::Value::use_iterator at_;
    llvm::Value::use_iterator end_;
    value_id number_ = no_value;
  };

  iterator_range<user_iterator> users(value_id v) const {
    llvm::Value& value = *values_[v];
    return {user_iterator(*this, value.use_begin(), value.use_end()),
            user_iterator(*this, value.use_end(), value.use_end())};
  }

  bool is_phi(value_id v) const { return (marks(v) & record::phi) != 0; }

  value_id phi_input(value_id phi, edge_id e) const { return operands_[phi][graph_.edges_[e].position]; }

  value_id condition(node_id n) const {
    const value_id end = terminator(n);
    return end != no_value && (marks(end) & (record::branch | record::choice)) != 0 ? operands_[end][0] : no_value;
  }

  operation_info operation(value_id v) const { return records_[v].operation.info(); }

  bool is_number(value_id v) const { return detail::is_llvm_number(values_[v]->getType()); }

  std::optional<std::uint64_t> constant(value_id v) const {
    const auto* const c = is_instruction(v) ? nullptr : llvm::dyn_cast<llvm::Constant>(values_[v]);
    return c == nullptr ? std::nullopt : llvm_constant_bits(c);
  }

  std::optional<number_range> bounds(value_id v) const {
    const bool may_have =
        is_instruction(v) ? (marks(v) & record::bounded) != 0 : is_number(v) && llvm::isa<llvm::Argument>(values_[v]);
    return may_have ? llvm_bounds(*values_[v]) : std::nullopt;
  }

  bool is_undefined(value_id v) const { return !is_instruction(v) && llvm::isa<llvm::UndefValue>(values_[v]); }

  bool is_opaque(value_id v) const { return (marks(v) & record::opaque) != 0; }

  std::optional<std::uint64_t> fold(value_id v, span<const std::uint64_t> args) const {
    const operation_info info = operation(v);
    if (info.code == operation::other) {
      return detail::fold_other_llvm_instruction(instruction(v), args, options_);
    }
    const evaluation result = evaluate(info, args.first(arity(info.code)));
    return result ? std::optional(result.bits) : std::nullopt;
  }

  std::optional<std::uint64_t> edge_case(edge_id e) const {
    const value_id end = terminator(graph_.edges_[e].source);
    const std::uint32_t slot = graph_.edges_[e].slot;
    if (end == no_value || (marks(end) & (record::branch | record::choice)) == 0) {
      return std::nullopt;
    }
    if ((marks(end) & record::branch) != 0) {
      return 1 - slot;
    }
    if (slot == 0) {
      return std::nullopt;
    }
    const auto& choice = llvm::cast<llvm::SwitchInst>(instruction(end));
    return llvm::SwitchInst::ConstCaseIt(&choice, slot - 1)->getCaseValue()->getZExtValue();
  }

  /// Whether an edge is taken by exceptions.
  bool is_exceptional(edge_id e) const { return blocks_[graph_.edges_[e].target]->isEHPad(); }

  // Effects.

  effect_kind effect(value_id v) const { return llvm_operation_effect(instruction(v)); }

  bool may_trap(value_id v) const { return llvm_may_trap(instruction(v)); }

  bool may_not_return(value_id v) const { return llvm_may_not_return(instruction(v)); }

  bool is_volatile(value_id v) const { return instruction(v).isVolatile(); }

  bool is_terminator(value_id v) const { return (records_[v].traits & trait::ends) != 0; }

  bool may_duplicate(value_id v) const { return copy_refusal(v) == llvm_refusal::none; }

  /// Why a value must not be copied, or `none`.
  llvm_refusal copy_refusal(value_id v) const { return llvm_copy_refusal(instruction(v)); }

  bool may_redirect(edge_id e) const { return redirect_refusal(e) == llvm_refusal::none; }

  bool may_split(edge_id e) const { return may_redirect(e); }

  /// Why the target of an edge cannot be changed, or `none`.
  llvm_refusal redirect_refusal(edge_id e) const {
    const value_id end = terminator(graph_.edges_[e].source);
    const llvm_refusal refusal = llvm_edge_refusal(instruction(end), slot_of(e));
    return refusal != llvm_refusal::none || !has_via(e)          ? refusal
           : blocks_[graph_.edges_[e].target]->hasAddressTaken() ? llvm_refusal::address_taken
                                                                 : llvm_refusal::none;
  }

  /// Whether a phi can have the type of the value: not if it is a token.
  bool may_insert_phi(value_id v) const { return !values_[v]->getType()->isTokenTy(); }

  // Places.

  node_id node_of(value_id v) const { return records_[v].node; }

  value_id value_after(value_id v) const { return records_[v].next; }

  /// Whether a literal or parameter is the same, or an instruction computes the same and promises no more; see
  /// `is_same_llvm_operation`. The other function is this one or a copy with the same numbers of blocks, in the same
  /// context.
  bool same_operation(value_id v, const llvm_editor& other, value_id w) const {
    const llvm::Value* const a = values_[v];
    const llvm::Value* const b = other.values_[w];
    if (is_instruction(v)) {
      return other.is_instruction(w) && is_same_llvm_operation(instruction(v), other.instruction(w));
    }
    if (const auto* const x = llvm::dyn_cast<llvm::Argument>(a)) {
      const auto* const y = llvm::dyn_cast<llvm::Argument>(b);
      return y != nullptr && x->getArgNo() == y->getArgNo();
    }
    const auto* const x = llvm::dyn_cast<llvm::BlockAddress>(a);
    const auto* const y = llvm::dyn_cast<llvm::BlockAddress>(b);
    if (x != nullptr && y != nullptr && x->getFunction() == function_ && y->getFunction() == other.function_) {
      return node(x->getBasicBlock()) == other.node(y->getBasicBlock());
    }
    return a == b;
  }

  // Values.

  value_id insert_phi(node_id n, value_id like) {
    MIDEND_ASSERT(n != graph_.entry(), "a node other than the entry");
    MIDEND_ASSERT(may_insert_phi(like), "a value that phis may have", like);
    order_inputs(n);
    auto* const phi = llvm::PHINode::Create(values_[like]->getType(), num_in_edges(n));
    phi->insertBefore(*blocks_[n], blocks_[n]->begin());
    if (values_[like]->hasName()) {
      phi->setName(values_[like]->getName());
    }
    const value_id v = add_phi(phi, n, ends_[n].first);
    set_root(v, root_of(like));
    return v;
  }

  void set_phi_input(value_id phi, edge_id e, value_id v) {
    const node_id n = graph_.edges_[e].target;
    MIDEND_ASSERT(is_phi(phi) && records_[phi].node == n, "a phi in the target of the edge", phi, e);
    order_inputs(n);
    const std::uint32_t position = graph_.edges_[e].position;
    operands_.at(phi, position) = v;
    set_use(llvm::cast<llvm::PHINode>(instruction(phi)).getOperandUse(position), v);
    note_parallel_edges(graph_.edges_[e].source);
  }

  void replace_uses(value_id v, value_id by) {
    if (v == by) {
      return;
    }
    llvm::Value& old = *values_[v];
    const bool is_shared = llvm::isa<llvm::Constant>(old);
    replaced_.clear();
    for (const value_id user : users(v)) {
      if (is_phi(user) && is_ordered_[records_[user].node] == 0) {
        replaced_.push_back(records_[user].node);
      }
    }
    for (const node_id n : replaced_) { // before, because it changes the list of uses
      order_inputs(n);
    }
    for (auto it = old.use_begin(); it != old.use_end();) {
      llvm::Use& use = *it++;
      const auto* const user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
      const value_id u = user == nullptr ? no_value : number(user);
      if (u == no_value || !is_operand(*user, use.getOperandNo())) {
        continue;
      }
      operands_.at(u, operand_number(*user, use.getOperandNo())) = by;
      use.set(values_[by]);
    }
    if (!is_shared && old.isUsedByMetadata()) {
      llvm::ValueAsMetadata::handleRAUW(&old, values_[by]);
    }
  }

  void erase_value(value_id v) {
    MIDEND_ASSERT(is_instruction(v) && !is_terminator(v), "an operation or phi", v);
    MIDEND_ASSERT(values_[v]->use_empty(), "a value without users", v);
    erase(v);
  }

  value_id clone_value(value_id v, node_id n) {
    if (is_phi(v)) {
      return clone_phi(v, n);
    }
    if (is_terminator(v)) {
      return clone_end(v, n);
    }
    return clone_value(v, place_at_end(n));
  }

  value_id clone_value(value_id v, place p) {
    MIDEND_ASSERT(is_instruction(v) && !is_phi(v) && !is_terminator(v), "neither a phi nor a terminator", v);
    llvm::Instruction* const clone = instruction(v).clone();
    const node_id n = node_at(p);
    const value_id before = value_at(p);
    insert(*clone, n, before);
    const value_id c = add_instruction(clone, v);
    link(c, n, before);
    complete_clone(c, v);
    return c;
  }

  value_id make_constant(value_id like, constant_type c) {
    return number_of(llvm_constant(values_[like]->getType(), c));
  }

  void set_operand(value_id user, std::size_t i, value_id v) {
    MIDEND_ASSERT(!is_phi(user), "an operation that is no phi", user);
    llvm::Instruction& instr = instruction(user);
    if (v == no_value && instr.isUsedByMetadata()) {
      llvm::salvageDebugInfo(instr); // while it still reads what it is expressed by
    }
    operands_.at(user, i) = v;
    set_use(instr.getOperandUse(llvm_operand_number(instr, static_cast<unsigned>(i))), v);
  }

  /// Debug records before the operation stay, unless it is the first one of a node and moves to the end of the only
  /// predecessor, where control goes nowhere else; and a terminator takes along what is before it.
  void move_value(value_id v, place p) {
    if (is_phi(v)) {
      move_phi(v, p);
    } else if (is_terminator(v)) {
      move_end(v, p.node);
    } else {
      const node_id n = node_at(p);
      const value_id before = value_at(p);
      if (before == v) {
        return;
      }
      const bool keeps_records =
          ends_[records_[v].node].first == v && follows_only(records_[v].node, n) && p.where == place::kind::end;
      llvm::BasicBlock& b = *blocks_[n];
      const auto at = before == no_value ? b.end() : instruction(before).getIterator();
      if (keeps_records) {
        instruction(v).moveBeforePreserving(b, at);
        instruction(v).adoptDbgRecords(&b, at, true); // those that were before the place are now before these
      } else {
        instruction(v).moveBefore(b, at);
      }
      unlink(v);
      link(v, n, before);
    }
  }

  void drop_promises(value_id v) {
    llvm::Instruction& i = instruction(v);
    llvm::Instruction* const kept = i.clone();
    kept->dropAllReferences();
    dropped_.push_back({v, kept});
    kept_.push_back(kept);
    i.dropPoisonGeneratingAnnotations();
    i.dropUBImplyingAttrsAndMetadata();
    update(v);
  }

  /// How often promises were dropped: what is dropped from now on can be set again with this word.
  std::uint64_t promises(value_id) const { return dropped_.size(); }

  void set_promises(value_id v, std::uint64_t promises) {
    for (std::size_t k = static_cast<std::size_t>(promises); k < dropped_.size(); ++k) {
      if (dropped_[k].value == v) {
        llvm::Instruction& i = instruction(v);
        const llvm::Instruction& kept = *dropped_[k].kept;
        i.copyIRFlags(&kept);
        i.copyMetadata(kept);
        if (auto* const call = llvm::dyn_cast<llvm::CallBase>(&i)) {
          call->setAttributes(llvm::cast<llvm::CallBase>(kept).getAttributes());
        }
        update(v);
        break;
      }
    }
    while (dropped_.size() > promises && dropped_.back().value == v) {
      dropped_.pop_back();
    }
  }

  value_id make_operation(const operation_info& info, span<const value_id> operands, place p) {
    MIDEND_ASSERT(operands.size() == arity(info.code), "the operands of the operation", operands.size());
    llvm::Instruction* const made = make_instruction(info, operands);
    if (made == nullptr) {
      return no_value;
    }
    const node_id n = node_at(p);
    const value_id before = value_at(p);
    insert(*made, n, before);
    const auto v = add_instruction(made);
    operands_.assign(v, operands);
    if (auto* const call = llvm::dyn_cast<llvm::CallInst>(made)) {
      operands_.push_back(v, number_of(call->getCalledOperand()));
    }
    link(v, n, before);
    return v;
  }

  value_id make_number(unsigned width, std::uint64_t bits) {
    if (width == 0 || width > 64) {
      return no_value;
    }
    return number_of(llvm::ConstantInt::get(llvm::IntegerType::get(function_->getContext(), width), bits));
  }

  /// `undef`.
  value_id undefined_like(value_id v) { return number_of(llvm::UndefValue::get(values_[v]->getType())); }

  // Flow.

  /// The new block is before the one of `like`, or after it if that is the entry.
  node_id create_node(node_id like) {
    llvm::BasicBlock* const original = blocks_[like];
    llvm::BasicBlock* const next = like == graph_.entry() ? original->getNextNode() : original;
    auto* const b = llvm::BasicBlock::Create(function_->getContext(), original->getName(), function_, next);
    const node_id n = graph_.add_node();
    blocks_.push_back(b);
    added_nodes_.find_or_insert(b, n);
    ends_.push_back({no_value, no_value});
    is_ordered_.push_back(1);
    is_noted_.push_back(0);
    like_.push_back(like);
    return n;
  }

  void redirect_edge(edge_id e, node_id target) {
    MIDEND_ASSERT(target != graph_.entry(), "a target that is not the entry");
    keep_loop_metadata(e, target);
    leave_target(e);
    graph_.enter(e, target);
    instruction(terminator(graph_.edges_[e].source)).setSuccessor(slot_of(e), blocks_[target]);
    enter_target(e);
  }

  void set_jump(node_id n, node_id target) {
    auto* const jump = llvm::BranchInst::Create(blocks_[target]);
    jump->setDebugLoc(location_of(n));
    add_end(jump, n);
    add_edge(n, target, 0);
  }

  void keep_edge(edge_id e) {
    const node_id n = graph_.edges_[e].source;
    MIDEND_ASSERT(n != no_node, "an edge that was not erased", e);
    const value_id end = terminator(n);
    const node_id target = graph_.edges_[e].target;
    llvm::Instruction& old = instruction(end);
    auto* const jump = llvm::BranchInst::Create(blocks_[target]);
    jump->setDebugLoc(old.getDebugLoc());
    jump->setMetadata(llvm::LLVMContext::MD_loop, old.getMetadata(llvm::LLVMContext::MD_loop));
    drop_via(e);
    for (const edge_id other : graph_.out_edges(n)) {
      if (other != e) {
        leave_target(other);
      }
    }
    graph_.clear_out_edges(n);
    erase(end);
    add_end(jump, n);
    graph_.edges_[e].source = n;
    graph_.out_.push_back(n, e);
  }

  void erase_nodes(span<const node_id> nodes) {
    for (const node_id n : nodes) {
      MIDEND_ASSERT(n != graph_.entry(), "a node other than the entry");
      if (terminator(n) != no_value) {
        erase_end(n);
      }
    }
    for (const node_id n : nodes) {
      for (const value_id v : values(n)) {
        forget(v);
      }
    }
    for (const node_id n : nodes) {
      while (ends_[n].last != no_value) {
        erase(ends_[n].last);
      }
      llvm::BasicBlock& b = *blocks_[n];
      if (b.getParent() != nullptr) {
        if (b.hasAddressTaken()) {
          llvm::BlockAddress* const address = llvm::BlockAddress::get(&b);
          address->replaceAllUsesWith(llvm::ConstantExpr::getIntToPtr(
              llvm::ConstantInt::get(llvm::Type::getInt32Ty(b.getContext()), 1), address->getType()));
          address->destroyConstant();
        }
        b.deleteTrailingDbgRecords();
        b.removeFromParent();
      }
    }
  }

  void erase_end(node_id n) {
    const value_id end = terminator(n);
    if (end == no_value) {
      return;
    }
    for (const edge_id e : graph_.out_edges(n)) {
      leave_target(e);
    }
    graph_.clear_out_edges(n);
    if (llvm::MDNode* const loop = instruction(end).getMetadata(llvm::LLVMContext::MD_loop)) {
      lost_loops_.push_back({n, loop});
    }
    erase(end);
  }

  void set_branch(node_id n, value_id condition, node_id then, node_id otherwise) {
    auto* const branch = llvm::BranchInst::Create(blocks_[then], blocks_[otherwise], values_[condition]);
    branch->setDebugLoc(location_of(n));
    const value_id end = add_end(branch, n);
    operands_.push_back(end, condition);
    add_edge(n, then, 0);
    add_edge(n, otherwise, 1);
  }

  void set_switch(node_id n, value_id v, span<const constant_type> cases, span<const node_id> targets,
                  node_id otherwise) {
    MIDEND_ASSERT(cases.size() == targets.size(), "a target for each case", cases.size(), targets.size());
    const auto count = static_cast<unsigned>(cases.size());
    auto* const choice = llvm::SwitchInst::Create(values_[v], blocks_[otherwise], count);
    auto* const type = llvm::cast<llvm::IntegerType>(values_[v]->getType());
    for (unsigned k = 0; k != count; ++k) {
      choice->addCase(llvm::ConstantInt::get(type, cases[k]), blocks_[targets[k]]);
    }
    choice->setDebugLoc(location_of(n));
    const value_id end = add_end(choice, n);
    operands_.push_back(end, v);
    for (unsigned k = 0; k != count; ++k) {
      add_edge(n, targets[k], k + 1);
    }
    add_edge(n, otherwise, 0);
  }

  // Profile.

  /// What was set, or the count of the function for its entry. LLVM derives the others from the branch weights.
  std::optional<std::uint64_t> count(node_id n) const {
    if (n < counts_.size() && counts_[n].is_set) {
      return counts_[n].is_known ? std::optional(counts_[n].count) : std::nullopt;
    }
    const auto entry_count = n == graph_.entry() ? function_->getEntryCount() : std::nullopt;
    return entry_count ? std::optional(entry_count->getCount()) : std::nullopt;
  }

  /// Only that of the entry is written to the function.
  void set_count(node_id n, std::optional<std::uint64_t> count) {
    while (counts_.size() <= n) {
      counts_.push_back({0, false, false});
    }
    counts_[n] = {count.value_or(0), true, count.has_value()};
    if (n == graph_.entry() && count) {
      function_->setEntryCount(*count);
    }
  }

  /// What was set, or the share of the branch weights.
  double probability(edge_id e) const {
    if (e < probabilities_.size() && probabilities_[e] != unread) {
      return probabilities_[e];
    }
    return probability_in_weights(e);
  }

  void set_probability(edge_id e, double p) {
    const node_id n = graph_.edges_[e].source;
    for (const edge_id each : graph_.out_edges(n)) {
      while (probabilities_.size() <= each) {
        probabilities_.push_back(unread);
      }
      probabilities_[each] = probabilities_[each] == unread ? probability_in_weights(each) : probabilities_[each];
    }
    probabilities_[e] = p;
    write_weights(n);
  }

  // Taking back.

  void restore_value(value_id v, place p, span<const value_id> operands) {
    const node_id n = node_at(p);
    const value_id before = is_phi(v) && p.where == place::kind::head ? first_after_phis(n) : value_at(p);
    llvm::Instruction& i = instruction(v);
    if (is_phi(v)) {
      order_inputs(n);
      insert_phi_before(i, n, before);
      link(v, n, before);
      add_inputs(v, n);
    } else {
      insert(i, n, before);
      link(v, n, before);
      set_operands(v, operands);
    }
  }

  void restore_end(value_id end, node_id n, span<const value_id> operands, span<const edge_id> edges,
                   span<const node_id> targets) {
    MIDEND_ASSERT(terminator(n) == no_value, "a node without an end", n);
    if (end == no_value) {
      return;
    }
    llvm::Instruction& i = instruction(end);
    insert(i, n, no_value);
    link(end, n, no_value);
    for (std::size_t k = 0; k != edges.size(); ++k) {
      graph_.attach(edges[k], n, targets[k]);
      i.setSuccessor(slot_of(edges[k]), blocks_[targets[k]]);
      enter_target(edges[k]);
    }
    set_operands(end, operands);
  }

  void restore_node(node_id n) {
    if (blocks_[n]->getParent() != nullptr) {
      return;
    }
    node_id next = n + 1; // the order of the function is that of the numbers, as far as it was at first
    while (next != blocks_.size() && blocks_[next]->getParent() == nullptr) {
      ++next;
    }
    blocks_[n]->insertInto(function_, next == blocks_.size() ? nullptr : blocks_[next]);
  }

  // Completing.

  /// See the class. O(what changed), and the dominators and loops if a loop has metadata and the flow changed.
  void finish() {
    for (const node_id n : noted_) {
      is_noted_[n] = 0;
      separate_parallel_edges(n);
    }
    noted_.clear();
    complete_debug_records();
    if (graph_.epoch() != placed_epoch_) {
      place_loop_metadata();
      placed_epoch_ = graph_.epoch();
    }
  }

  /// Whether the numbers, lists and operands that the editor keeps are those of the function: for tests. O(function).
  bool is_consistent() const {
    std::size_t blocks = 0;
    for (const llvm::BasicBlock& b : *function_) {
      const node_id n = node(&b);
      if (n == no_node) {
        continue; // it separates parallel edges
      }
      ++blocks;
      value_id v = ends_[n].first;
      for (const llvm::Instruction& i : b) {
        if (v == no_value || values_[v] != &i || records_[v].node != n || !has_operands_of(v, i)) {
          return false;
        }
        v = records_[v].next;
      }
      const llvm::Instruction* const end = b.getTerminator();
      if (v != no_value || graph_.out_edges(n).size() != (end == nullptr ? 0 : end->getNumSuccessors())) {
        return false;
      }
      for (const edge_id e : graph_.out_edges(n)) {
        const llvm::BasicBlock* const target =
            has_via(e) ? via_[e] : static_cast<const llvm::BasicBlock*>(blocks_[graph_.edges_[e].target]);
        if (graph_.edges_[e].source != n || end->getSuccessor(slot_of(e)) != target) {
          return false;
        }
      }
    }
    std::size_t present = 0;
    for (const llvm::BasicBlock* const b : blocks_) {
      present += b->getParent() != nullptr ? 1u : 0u;
    }
    return blocks == present;
  }

private:
  using record = detail::llvm_operation_record;

  struct trait {
    enum : std::uint8_t { instruction = 1, ends = 2, was_erased = 4 };
  };

  struct value_record {
    value_id next;
    value_id previous;
    node_id node; ///< or `no_node`
    record operation;
    std::uint8_t traits;
  };

  struct node_values {
    value_id first;
    value_id last;
  };

  struct known_count {
    std::uint64_t count;
    bool is_set;
    bool is_known;
  };

  struct dropped_promises {
    value_id value;
    llvm::Instruction* kept; ///< a copy of the instruction with its promises
  };

  struct lost_loop {
    node_id node;
    llvm::MDNode* metadata;
  };

  static constexpr double unread = -2;

  // Reading the function.

  void read() {
    const csr_graph& g = initial_.graph();
    const auto nodes = static_cast<node_id>(g.num_nodes());
    const auto values = static_cast<value_id>(initial_.num_values());
    const auto instructions = static_cast<value_id>(initial_.num_instructions());
    graph_.read(g);
    blocks_.reserve(nodes + std::size_t{8});
    ends_.reserve(nodes + std::size_t{8});
    is_ordered_.assign(nodes, 0);
    is_noted_.assign(nodes, 0);
    like_.assign(nodes, no_node);
    values_.reserve(values + std::size_t{16});
    records_.reserve(values + std::size_t{16});
    for (node_id n = 0; n != nodes; ++n) {
      blocks_.push_back(const_cast<llvm::BasicBlock*>(initial_.block(n)));
      const id_range<value_id> own = initial_.values(n);
      const value_id first = own.front();
      const value_id last = first + static_cast<value_id>(own.size()) - 1;
      ends_.push_back({first, last});
      for (value_id v = first; v <= last; ++v) {
        records_.push_back(
            {v == last ? no_value : v + 1, v == first ? no_value : v - 1, n, initial_.record_of(v),
             static_cast<std::uint8_t>(v == last ? trait::instruction | trait::ends : +trait::instruction)});
      }
    }
    for (value_id v = 0; v != values; ++v) {
      values_.push_back(const_cast<llvm::Value*>(initial_.value(v)));
      operands_.add_list(initial_.operands(v));
      if (v >= instructions) {
        records_.push_back(record_of_other(*values_[v]));
      }
    }
  }

  static value_record record_of_other(const llvm::Value& v) {
    const std::uint8_t width = detail::llvm_width(v.getType());
    return {no_value, no_value, no_node, {operation::other, width, width, 0}, 0};
  }

  unsigned marks(value_id v) const { return records_[v].operation.marks; }

  bool is_instruction(value_id v) const { return (records_[v].traits & trait::instruction) != 0; }

  llvm::Instruction& instruction(value_id v) const { return *llvm::cast<llvm::Instruction>(values_[v]); }

  value_id terminator(node_id n) const {
    const value_id last = ends_[n].last;
    return last != no_value && is_terminator(last) ? last : no_value;
  }

  unsigned num_in_edges(node_id n) const { return static_cast<unsigned>(graph_.in_edges(n).size()); }

  bool has_operands_of(value_id v, const llvm::Instruction& i) const {
    const span<const value_id> mine = operands_[v];
    const auto is_of = [&](value_id operand, const llvm::Value* theirs) {
      return operand == no_value ? theirs == nullptr : values_[operand] == theirs;
    };
    if (const auto* const phi = llvm::dyn_cast<llvm::PHINode>(&i)) {
      const node_id n = records_[v].node;
      bool same = phi->getNumIncomingValues() == mine.size() && mine.size() == num_in_edges(n);
      for (unsigned k = 0; same && is_ordered_[n] != 0 && k != mine.size(); ++k) {
        same = is_of(mine[k], phi->getIncomingValue(k)) &&
               phi->getIncomingBlock(k) == incoming_block(graph_.in_edges(n)[k]);
      }
      return same;
    }
    unsigned k = 0;
    bool same = true;
    for (unsigned at = 0; at != i.getNumOperands(); ++at) {
      if (is_operand(i, at)) {
        same = same && k < mine.size() && is_of(mine[k], i.getOperand(at));
        ++k;
      }
    }
    return same && k == mine.size();
  }

  // Operands.

  /// Whether LLVM's operand is one for midend.
  static bool is_operand(const llvm::Instruction& i, unsigned at) {
    if (llvm::isa<llvm::SwitchInst>(i)) {
      return at == 0;
    }
    const llvm::Value* const v = i.getOperand(at);
    return v == nullptr ||
           !(llvm::isa<llvm::BasicBlock>(v) || llvm::isa<llvm::MetadataAsValue>(v) || llvm::isa<llvm::InlineAsm>(v));
  }

  /// Whether both count the operands in the same way, as far as there are any.
  static bool counts_alike(const llvm::Instruction& i) {
    switch (i.getOpcode()) {
    case llvm::Instruction::Call:
    case llvm::Instruction::Invoke:
    case llvm::Instruction::CallBr:
    case llvm::Instruction::CatchSwitch:
    case llvm::Instruction::CatchRet:
    case llvm::Instruction::CleanupRet:
      return false;
    default:
      return true;
    }
  }

  static unsigned operand_number(const llvm::Instruction& i, unsigned llvm_number) {
    if (counts_alike(i)) {
      return llvm_number;
    }
    unsigned number = 0;
    for (unsigned at = 0; at != llvm_number; ++at) {
      number += is_operand(i, at) ? 1u : 0u;
    }
    return number;
  }

  static unsigned llvm_operand_number(const llvm::Instruction& i, unsigned number) {
    if (counts_alike(i)) {
      return number;
    }
    unsigned at = 0;
    while (number != 0 || !is_operand(i, at)) {
      number -= is_operand(i, at) ? 1u : 0u;
      ++at;
    }
    return at;
  }

  void set_use(llvm::Use& use, value_id v) const { use.set(v == no_value ? nullptr : values_[v]); }

  void set_operands(value_id v, span<const value_id> operands) {
    llvm::Instruction& i = instruction(v);
    operands_.assign(v, operands);
    unsigned k = 0;
    for (unsigned at = 0; k != operands.size(); ++at) {
      if (is_operand(i, at)) {
        set_use(i.getOperandUse(at), operands[k++]);
      }
    }
  }

  // Numbers.

  value_id number_of(llvm::Value* v) {
    const value_id known = number(v);
    if (known != no_value) {
      return known;
    }
    const value_id fresh = add_value(v);
    records_.push_back(record_of_other(*v));
    return fresh;
  }

  value_id add_value(llvm::Value* v) {
    const auto fresh = static_cast<value_id>(values_.size());
    values_.push_back(v);
    operands_.add_list();
    added_values_.find_or_insert(v, fresh);
    return fresh;
  }

  value_id add_instruction(llvm::Instruction* i) {
    const value_id fresh = add_value(i);
    const bool ends = i->isTerminator();
    records_.push_back({no_value, no_value, no_node, record::of(*i, llvm::isa<llvm::PHINode>(i)),
                        static_cast<std::uint8_t>(trait::instruction | (ends ? trait::ends : 0))});
    return fresh;
  }

  /// With the operands of `like`.
  value_id add_instruction(llvm::Instruction* i, value_id like) {
    const value_id fresh = add_instruction(i);
    for (std::size_t k = 0; k != operands_[like].size(); ++k) {
      operands_.push_back(fresh, operands_[like][k]);
    }
    return fresh;
  }

  void update(value_id v) { records_[v].operation = record::of(instruction(v), is_phi(v)); }

  // The values of nodes, and where they are in blocks.

  void link(value_id v, node_id n, value_id before) {
    value_record& r = records_[v];
    node_values& own = ends_[n];
    r.node = n;
    r.next = before;
    r.previous = before == no_value ? own.last : records_[before].previous;
    (r.previous == no_value ? own.first : records_[r.previous].next) = v;
    (before == no_value ? own.last : records_[before].previous) = v;
  }

  void unlink(value_id v) {
    value_record& r = records_[v];
    node_values& own = ends_[r.node];
    (r.previous == no_value ? own.first : records_[r.previous].next) = r.next;
    (r.next == no_value ? own.last : records_[r.next].previous) = r.previous;
    r.node = no_node;
    r.next = no_value;
    r.previous = no_value;
  }

  node_id node_at(place p) const { return p.where == place::kind::before ? records_[p.value].node : p.node; }

  value_id first_after_phis(node_id n) const {
    value_id v = ends_[n].first;
    while (v != no_value && is_phi(v)) {
      v = records_[v].next;
    }
    return v;
  }

  /// The value before which a place is, or `no_value`. The head of a node is after the pad of an exception.
  value_id value_at(place p) const {
    if (p.where == place::kind::before) {
      return p.value;
    }
    if (p.where == place::kind::end) {
      return terminator(p.node);
    }
    const value_id v = first_after_phis(p.node);
    const bool is_pad = v != no_value && instruction(v).isEHPad() && !is_terminator(v);
    return is_pad ? records_[v].next : v;
  }

  void insert(llvm::Instruction& i, node_id n, value_id before) const {
    llvm::BasicBlock& b = *blocks_[n];
    i.insertBefore(b, before == no_value ? b.end() : instruction(before).getIterator());
  }

  /// Whether `s` is the only successor of `n`, and `n` the only predecessor of `s`.
  bool follows_only(node_id s, node_id n) const {
    return graph_.out_edges(n).size() == 1 && num_in_edges(s) == 1 && graph_.edges_[graph_.out_edges(n)[0]].target == s;
  }

  /// What reads no more and is not named by debug records.
  void forget(value_id v) {
    llvm::Instruction& i = instruction(v);
    if (i.isUsedByMetadata()) {
      if (!is_phi(v) && reads_all(v)) {
        llvm::salvageDebugInfo(i);
      }
      if (i.isUsedByMetadata()) {
        llvm::ValueAsMetadata::handleRAUW(&i, llvm::PoisonValue::get(i.getType()));
      }
    }
    if (is_phi(v)) {
      auto& phi = llvm::cast<llvm::PHINode>(i);
      while (phi.getNumIncomingValues() != 0) {
        phi.removeIncomingValue(phi.getNumIncomingValues() - 1, false);
      }
    } else {
      for (unsigned at = 0; at != i.getNumOperands(); ++at) {
        if (is_operand(i, at) || llvm::isa_and_nonnull<llvm::BasicBlock>(i.getOperand(at))) {
          i.getOperandUse(at).set(nullptr);
        }
      }
    }
    operands_.shrink(v, 0);
  }

  bool reads_all(value_id v) const {
    for (const value_id operand : operands_[v]) {
      if (operand == no_value) {
        return false;
      }
    }
    return true;
  }

  void erase(value_id v) {
    forget(v);
    unlink(v);
    records_[v].traits |= trait::was_erased;
    instruction(v).removeFromParent();
  }

  // Phis.

  /// LLVM's entries of the phis of a node in the order of its edges.
  void order_inputs(node_id n) {
    if (is_ordered_[n] != 0) {
      return;
    }
    is_ordered_[n] = 1;
    const span<const edge_id> edges = graph_.in_edges(n);
    for (value_id v = ends_[n].first; v != no_value && is_phi(v); v = records_[v].next) {
      auto& phi = llvm::cast<llvm::PHINode>(instruction(v));
      for (unsigned k = 0; k != edges.size(); ++k) {
        llvm::BasicBlock* const from = incoming_block(edges[k]);
        if (phi.getIncomingBlock(k) != from || phi.getIncomingValue(k) != values_[operands_[v][k]]) {
          phi.setIncomingBlock(k, from);
          set_use(phi.getOperandUse(k), operands_[v][k]);
        }
      }
    }
  }

  static void add_input(llvm::PHINode& phi, llvm::BasicBlock* from) {
    phi.addIncoming(llvm::PoisonValue::get(phi.getType()), from);
    phi.getOperandUse(phi.getNumIncomingValues() - 1).set(nullptr);
  }

  void add_inputs(value_id v, node_id n) {
    auto& phi = llvm::cast<llvm::PHINode>(instruction(v));
    operands_.shrink(v, 0);
    for (const edge_id e : graph_.in_edges(n)) {
      add_input(phi, incoming_block(e));
      operands_.push_back(v, no_value);
      note_parallel_edges(graph_.edges_[e].source);
    }
  }

  value_id add_phi(llvm::PHINode* phi, node_id n, value_id before) {
    const value_id v = add_instruction(phi);
    link(v, n, before);
    add_inputs(v, n);
    return v;
  }

  value_id clone_phi(value_id v, node_id n) {
    MIDEND_ASSERT(n != graph_.entry(), "a node other than the entry");
    auto& original = llvm::cast<llvm::PHINode>(instruction(v));
    order_inputs(n);
    auto* const phi = llvm::PHINode::Create(original.getType(), num_in_edges(n));
    const value_id before = first_after_phis(n);
    insert_phi_before(*phi, n, before);
    const value_id clone = add_phi(phi, n, before);
    phi->copyMetadata(original);
    phi->setDebugLoc(original.getDebugLoc());
    phi->copyIRFlags(&original);
    complete_clone(clone, v);
    return clone;
  }

  /// Before debug records that precede the first operation.
  void insert_phi_before(llvm::Instruction& phi, node_id n, value_id before) const {
    llvm::BasicBlock& b = *blocks_[n];
    const bool is_last = before == no_value || !is_phi(before);
    phi.insertBefore(b, is_last ? b.getFirstNonPHIIt() : instruction(before).getIterator());
  }

  void move_phi(value_id v, place p) {
    const node_id n = node_at(p);
    const value_id before = p.where == place::kind::before ? p.value : first_after_phis(n);
    if (before == v) {
      return;
    }
    auto& phi = llvm::cast<llvm::PHINode>(instruction(v));
    const bool stays = records_[v].node == n;
    order_inputs(n);
    unlink(v);
    phi.removeFromParent();
    insert_phi_before(phi, n, before);
    link(v, n, before);
    if (!stays) {
      while (phi.getNumIncomingValues() != 0) {
        phi.removeIncomingValue(phi.getNumIncomingValues() - 1, false);
      }
      add_inputs(v, n);
    }
  }

  template <class Visit> void for_each_phi_of(node_id n, Visit visit) {
    for (value_id v = ends_[n].first; v != no_value && is_phi(v); v = records_[v].next) {
      visit(v, llvm::cast<llvm::PHINode>(instruction(v)));
    }
  }

  // Edges.

  std::uint32_t slot_of(edge_id e) const {
    const llvm_editor_graph::edge_record& r = graph_.edges_[e];
    return instruction(terminator(r.source)).getNumSuccessors() == 1 ? 0 : r.slot;
  }

  bool has_via(edge_id e) const { return e < via_.size() && via_[e] != nullptr; }

  /// The block from which phis in the target of an edge get their input.
  llvm::BasicBlock* incoming_block(edge_id e) const { return has_via(e) ? via_[e] : blocks_[graph_.edges_[e].source]; }

  void add_edge(node_id source, node_id target, std::uint32_t slot) {
    MIDEND_ASSERT(target != graph_.entry(), "a target that is not the entry");
    order_inputs(target);
    enter_target(graph_.add_edge(source, target, slot));
  }

  /// Phis of the target have one more input, for an edge that is the last one into it.
  void enter_target(edge_id e) {
    const node_id target = graph_.edges_[e].target;
    bool has_phis = false;
    if (is_ordered_[target] == 0) {
      order_all_but_last(target);
    }
    for_each_phi_of(target, [&](value_id v, llvm::PHINode& phi) {
      add_input(phi, incoming_block(e));
      operands_.push_back(v, no_value);
      has_phis = true;
    });
    if (has_phis) {
      note_parallel_edges(graph_.edges_[e].source);
    }
  }

  void order_all_but_last(node_id n) {
    is_ordered_[n] = 1;
    const span<const edge_id> edges = graph_.in_edges(n);
    for_each_phi_of(n, [&](value_id v, llvm::PHINode& phi) {
      for (unsigned k = 0; k + 1 < edges.size(); ++k) {
        phi.setIncomingBlock(k, incoming_block(edges[k]));
        set_use(phi.getOperandUse(k), operands_[v][k]);
      }
    });
  }

  /// Removes the inputs for an edge, and the edge from its target.
  void leave_target(edge_id e) {
    const node_id target = graph_.edges_[e].target;
    order_inputs(target);
    const std::uint32_t position = graph_.edges_[e].position;
    for_each_phi_of(target, [&](value_id v, llvm::PHINode& phi) {
      const unsigned last = phi.getNumIncomingValues() - 1;
      if (position != last) {
        phi.setIncomingBlock(position, phi.getIncomingBlock(last));
        phi.getOperandUse(position).set(phi.getIncomingValue(last));
      }
      phi.removeIncomingValue(last, false);
      operands_.remove(v, position);
    });
    graph_.leave(e);
    drop_via_block(e);
  }

  value_id add_end(llvm::Instruction* end, node_id n) {
    MIDEND_ASSERT(terminator(n) == no_value, "a node without an end", n);
    insert(*end, n, no_value);
    const value_id v = add_instruction(end);
    link(v, n, no_value);
    return v;
  }

  value_id clone_end(value_id v, node_id n) {
    llvm::Instruction& original = instruction(v);
    llvm::Instruction* const clone = original.clone();
    MIDEND_ASSERT(terminator(n) == no_value, "a node without an end", n);
    insert(*clone, n, no_value);
    const value_id end = add_instruction(clone, v);
    link(end, n, no_value);
    const node_id from = records_[v].node;
    for (std::size_t k = 0; k != graph_.out_edges(from).size(); ++k) {
      const edge_id e = graph_.out_edges(from)[k];
      const auto slot = static_cast<std::uint32_t>(slot_of(e));
      const node_id target = graph_.edges_[e].target;
      clone->setSuccessor(slot, blocks_[target]);
      add_edge(n, target, slot);
      const auto copy = static_cast<edge_id>(graph_.num_edges() - 1);
      if (e < probabilities_.size() && probabilities_[e] != unread) {
        while (probabilities_.size() <= copy) {
          probabilities_.push_back(unread);
        }
        probabilities_[copy] = probabilities_[e];
      }
    }
    complete_clone(end, v);
    if (clone->getMetadata(llvm::LLVMContext::MD_loop) != nullptr) {
      cloned_ends_.push_back(end);
    }
    return end;
  }

  void move_end(value_id end, node_id n) {
    MIDEND_ASSERT(terminator(n) == no_value, "a node without an end", n);
    const node_id from = records_[end].node;
    if (from == n) {
      return;
    }
    for (const edge_id e : graph_.out_edges(from)) {
      order_inputs(graph_.edges_[e].target);
    }
    llvm::BasicBlock& b = *blocks_[n];
    instruction(end).moveBeforePreserving(b, b.end());
    unlink(end);
    link(end, n, no_value);
    graph_.move_out_edges(from, n);
    for (const edge_id e : graph_.out_edges(n)) {
      if (!has_via(e)) {
        for_each_phi_of(graph_.edges_[e].target,
                        [&](value_id, llvm::PHINode& phi) { phi.setIncomingBlock(graph_.edges_[e].position, &b); });
      }
    }
    if (is_noted_[from] != 0) {
      note_parallel_edges(n);
    }
  }

  // Parallel edges.

  void note_parallel_edges(node_id n) {
    if (is_noted_[n] == 0 && graph_.out_edges(n).size() > 1) {
      is_noted_[n] = 1;
      noted_.push_back(n);
    }
  }

  /// Edges from `n` that lead to the same node with different phi inputs get blocks of their own.
  void separate_parallel_edges(node_id n) {
    const span<const edge_id> edges = graph_.out_edges(n);
    leaders_.clear();
    leader_of_.clear(edges.size());
    for (const edge_id e : edges) {
      const node_id target = graph_.edges_[e].target;
      const auto fresh = static_cast<std::uint32_t>(leaders_.size());
      const std::uint32_t k = leader_of_.find_or_insert(target, fresh);
      if (k == fresh) {
        leaders_.push_back(e);
        drop_via(e);
      } else {
        bool equal = true;
        for_each_phi_of(target, [&](value_id phi, llvm::PHINode&) {
          equal = equal && phi_input(phi, e) == phi_input(phi, leaders_[k]);
        });
        equal ? drop_via(e) : make_via(e);
      }
    }
  }

  /// The edge leads directly to its target.
  void drop_via(edge_id e) {
    if (!has_via(e)) {
      return;
    }
    const llvm_editor_graph::edge_record& r = graph_.edges_[e];
    instruction(terminator(r.source)).setSuccessor(slot_of(e), blocks_[r.target]);
    order_inputs(r.target);
    for_each_phi_of(r.target,
                    [&](value_id, llvm::PHINode& phi) { phi.setIncomingBlock(r.position, blocks_[r.source]); });
    drop_via_block(e);
  }

  /// The block that separated an edge, to which nothing leads any more.
  void drop_via_block(edge_id e) {
    if (has_via(e)) {
      llvm::BasicBlock* const b = via_[e];
      via_[e] = nullptr;
      if (graph_.edges_[e].source != no_node && terminator(graph_.edges_[e].source) != no_value) {
        llvm::Instruction& end = instruction(terminator(graph_.edges_[e].source));
        if (end.getSuccessor(slot_of(e)) == b) {
          end.setSuccessor(slot_of(e), blocks_[graph_.edges_[e].target]);
        }
      }
      b->eraseFromParent();
    }
  }

  void make_via(edge_id e) {
    if (has_via(e)) {
      return;
    }
    while (via_.size() <= e) {
      via_.push_back(nullptr);
    }
    const llvm_editor_graph::edge_record& r = graph_.edges_[e];
    llvm::Instruction& end = instruction(terminator(r.source));
    auto* const b =
        llvm::BasicBlock::Create(function_->getContext(), blocks_[r.target]->getName(), function_, blocks_[r.target]);
    llvm::BranchInst::Create(blocks_[r.target], b)->setDebugLoc(end.getDebugLoc());
    via_[e] = b;
    end.setSuccessor(slot_of(e), b);
    order_inputs(r.target);
    for_each_phi_of(r.target, [&](value_id, llvm::PHINode& phi) { phi.setIncomingBlock(r.position, b); });
  }

  // Clones.

  void complete_clone(value_id clone, value_id original) {
    llvm::Instruction& c = instruction(clone);
    const llvm::Instruction& o = instruction(original);
    if (o.hasName()) {
      c.setName(o.getName());
    }
    if (c.hasMetadata()) {
      c.setMetadata(llvm::LLVMContext::MD_DIAssignID, nullptr);
    }
    const value_id root = root_of(original);
    set_root(clone, root);
    if (has_copies_.size() <= root || has_copies_[root] == 0) {
      while (has_copies_.size() <= root) {
        has_copies_.push_back(0);
      }
      has_copies_[root] = 1;
      copied_.push_back(root);
    }
    if (o.hasDbgRecords()) {
      c.cloneDebugInfoFrom(&o);
      recorded_clones_.push_back(clone);
    }
  }

  /// The value that `v` is a copy of, directly or not, or for whose copies it is a phi.
  value_id root_of(value_id v) const { return v < root_.size() && root_[v] != no_value ? root_[v] : v; }

  void set_root(value_id v, value_id root) {
    while (root_.size() <= v) {
      root_.push_back(no_value);
    }
    root_[v] = root;
  }

  bool has_copies(value_id v) const { return root_of(v) < has_copies_.size() && has_copies_[root_of(v)] != 0; }

  /// What a node computes or reads of a value that has copies, or `no_value`.
  value_id present_in(node_id n, value_id v) const {
    const value_id root = root_of(v);
    for (value_id at = ends_[n].first; at != no_value; at = records_[at].next) {
      if (root_of(at) == root) {
        return at;
      }
      if (!is_phi(at)) {
        for (const value_id operand : operands_[at]) {
          if (operand != no_value && root_of(operand) == root) {
            return operand;
          }
        }
      }
    }
    return no_value;
  }

  void rename_record(llvm::DbgVariableRecord& r) const {
    const node_id n = r.getParent() == nullptr ? no_node : node(r.getParent());
    if (n == no_node) {
      return;
    }
    bool is_lost = false;
    for (unsigned k = 0; k != r.getNumVariableLocationOps(); ++k) {
      llvm::Value* const named = r.getVariableLocationOp(k);
      const value_id v = named == nullptr || !llvm::isa<llvm::Instruction>(named) ? no_value : number(named);
      if (v != no_value && has_copies(v)) {
        const value_id present = present_in(n, v);
        is_lost = is_lost || present == no_value;
        if (present != no_value && present != v) {
          r.replaceVariableLocationOp(k, values_[present]);
        }
      }
    }
    if (is_lost) {
      r.setKillLocation();
    }
  }

  void complete_debug_records() {
    for (const value_id clone : recorded_clones_) {
      if (records_[clone].node == no_node) {
        continue;
      }
      for (llvm::DbgVariableRecord& r : llvm::filterDbgVars(instruction(clone).getDbgRecordRange())) {
        if (r.isDbgAssign()) { // its identity is that of a store, of which there are several now
          r.setKillLocation();
          r.setKillAddress();
        } else {
          rename_record(r);
        }
      }
    }
    recorded_clones_.clear();
    for (const value_id root : copied_) {
      llvm::Instruction& i = instruction(root);
      if (i.isUsedByMetadata()) {
        llvm::SmallVector<llvm::DbgVariableIntrinsic*, 1> none;
        llvm::SmallVector<llvm::DbgVariableRecord*, 8> records;
        llvm::findDbgUsers(none, &i, &records);
        for (llvm::DbgVariableRecord* const r : records) {
          rename_record(*r);
        }
      }
    }
    for (const value_id root : copied_) {
      has_copies_[root] = 0;
    }
    copied_.clear();
  }

  // Locations and metadata of terminators.

  /// That of the first operation of the node that `n` is like.
  llvm::DebugLoc location_of(node_id n) const {
    const node_id like = like_[n] == no_node ? n : like_[n];
    const value_id v = first_after_phis(like);
    return v == no_value ? llvm::DebugLoc() : instruction(v).getDebugLoc();
  }

  /// The jump of a node that is passed over may carry `llvm.loop`: the edge that now goes on takes it.
  void keep_loop_metadata(edge_id e, node_id target) {
    const value_id jump = terminator(graph_.edges_[e].target);
    llvm::Instruction& end = instruction(terminator(graph_.edges_[e].source));
    if (jump == no_value || graph_.out_edges(graph_.edges_[e].target).size() != 1 ||
        graph_.edges_[graph_.out_edges(graph_.edges_[e].target)[0]].target != target) {
      return;
    }
    llvm::MDNode* const loop = instruction(jump).getMetadata(llvm::LLVMContext::MD_loop);
    if (loop != nullptr && end.getMetadata(llvm::LLVMContext::MD_loop) == nullptr) {
      end.setMetadata(llvm::LLVMContext::MD_loop, loop);
    }
  }

  static llvm::MDNode* loop_metadata(const llvm::Instruction& end) {
    return end.hasMetadataOtherThanDebugLoc() ? end.getMetadata(llvm::LLVMContext::MD_loop) : nullptr;
  }

  void place_loop_metadata() {
    flat_array<lost_loop> marked;
    for (node_id n = 0; n != blocks_.size(); ++n) {
      const value_id end = terminator(n);
      if (end != no_value && loop_metadata(instruction(end)) != nullptr) {
        marked.push_back({n, loop_metadata(instruction(end))});
      }
    }
    const std::size_t present = marked.size();
    for (const lost_loop& l : lost_loops_) {
      marked.push_back(l);
    }
    lost_loops_.clear();
    if (!marked.empty()) {
      const auto found = dominators_and_loops(graph_);
      flat_array<unsigned char> is_clone(values_.size(), 0);
      for (const value_id end : cloned_ends_) {
        is_clone[end] = 1;
      }
      for (std::size_t i = 0; i != marked.size(); ++i) {
        place_loop_metadata(found.loops, marked[i], i < present, is_clone);
      }
    }
    cloned_ends_.clear();
  }

  bool is_latch(const loop_forest& loops, loop_id l, node_id n) const {
    for (const edge_id e : graph_.out_edges(n)) {
      if (graph_.edges_[e].target == loops.header(l) && loops.contains(l, n)) {
        return true;
      }
    }
    return false;
  }

  void place_loop_metadata(const loop_forest& loops, const lost_loop& mark, bool is_present,
                           const flat_array<unsigned char>& is_clone) {
    const value_id end = terminator(mark.node);
    loop_id l = loops.innermost_loop(mark.node);
    if (end == no_value) {
      return;
    }
    for (loop_id around = l; is_present && around != no_loop; around = loops.parent(around)) {
      if (is_latch(loops, around, mark.node)) {
        return;
      }
    }
    if (is_present) {
      instruction(end).setMetadata(llvm::LLVMContext::MD_loop, nullptr);
    }
    if (l == no_loop || is_clone[end] != 0) {
      return;
    }
    for (const bool writes : {false, true}) { // first whether a latch has some
      for (const edge_id e : graph_.in_edges(loops.header(l))) {
        const node_id source = graph_.edges_[e].source;
        if (loops.contains(l, source)) {
          llvm::Instruction& latch = instruction(terminator(source));
          if (writes) {
            latch.setMetadata(llvm::LLVMContext::MD_loop, mark.metadata);
          } else if (loop_metadata(latch) != nullptr) {
            return;
          }
        }
      }
    }
  }

  // Profile.

  double probability_in_weights(edge_id e) const {
    const node_id n = graph_.edges_[e].source;
    const value_id end = n == no_node ? no_value : terminator(n);
    if (end == no_value || graph_.out_edges(n).size() < 2) {
      return -1;
    }
    const llvm::Instruction& last = instruction(end);
    llvm::SmallVector<std::uint32_t, 8> weights;
    const std::uint32_t slot = graph_.edges_[e].slot;
    if (llvm::hasBranchWeightOrigin(last) || !llvm::extractBranchWeights(last, weights) || slot >= weights.size()) {
      return -1;
    }
    double all = 0;
    for (const std::uint32_t weight : weights) {
      all += weight;
    }
    return all > 0 ? weights[slot] / all : -1;
  }

  void write_weights(node_id n) {
    const value_id end = terminator(n);
    const span<const edge_id> edges = graph_.out_edges(n);
    if (end == no_value || edges.size() < 2) {
      return;
    }
    llvm::SmallVector<std::uint32_t, 8> weights(edges.size(), 0);
    for (const edge_id e : edges) {
      if (probabilities_[e] < 0) {
        instruction(end).setMetadata(llvm::LLVMContext::MD_prof, nullptr);
        return;
      }
      weights[slot_of(e)] = static_cast<std::uint32_t>(probabilities_[e] * (1u << 30) + 0.5);
    }
    llvm::setBranchWeights(instruction(end), weights, false);
  }

  // Operations of the vocabulary.

  llvm::Instruction* make_instruction(const operation_info& info, span<const value_id> operands) const {
    const auto arg = [&](std::size_t i) { return values_[operands[i]]; };
    llvm::LLVMContext& context = function_->getContext();
    const auto type = [&](unsigned width) { return llvm::IntegerType::get(context, width); };
    for (std::size_t i = 0; i != operands.size(); ++i) {
      if (!detail::is_llvm_number(arg(i)->getType()) && info.code != operation::select) {
        return nullptr;
      }
    }
    switch (info.code) {
    case operation::other:
    case operation::shladd:
      return nullptr;
    case operation::neg:
      return with_flags(llvm::BinaryOperator::CreateNeg(arg(0)), info);
    case operation::bit_not:
      return llvm::BinaryOperator::CreateNot(arg(0));
    case operation::copy:
      return llvm::CastInst::Create(llvm::Instruction::BitCast, arg(0), arg(0)->getType());
    case operation::truncate:
      return llvm::CastInst::Create(llvm::Instruction::Trunc, arg(0), type(info.width));
    case operation::zero_extend:
      return llvm::CastInst::Create(llvm::Instruction::ZExt, arg(0), type(info.width));
    case operation::sign_extend:
      return llvm::CastInst::Create(llvm::Instruction::SExt, arg(0), type(info.width));
    case operation::select:
      return arg(0)->getType()->isIntegerTy(1) ? llvm::SelectInst::Create(arg(0), arg(1), arg(2)) : nullptr;
    case operation::min:
      return make_intrinsic(llvm::Intrinsic::smin, arg(0), arg(1));
    case operation::max:
      return make_intrinsic(llvm::Intrinsic::smax, arg(0), arg(1));
    case operation::umin:
      return make_intrinsic(llvm::Intrinsic::umin, arg(0), arg(1));
    case operation::umax:
      return make_intrinsic(llvm::Intrinsic::umax, arg(0), arg(1));
    default:
      break;
    }
    if (arg(0)->getType() != arg(1)->getType()) {
      return nullptr;
    }
    if (is_comparison(info.code)) {
      return new llvm::ICmpInst(predicate_of(info.code), arg(0), arg(1));
    }
    for (unsigned opcode = llvm::Instruction::BinaryOpsBegin; opcode != llvm::Instruction::BinaryOpsEnd; ++opcode) {
      if (detail::llvm_binary_operation(opcode) == info.code) {
        return with_flags(
            llvm::BinaryOperator::Create(static_cast<llvm::Instruction::BinaryOps>(opcode), arg(0), arg(1)), info);
      }
    }
    return nullptr;
  }

  static llvm::Instruction* with_flags(llvm::Instruction* i, const operation_info& info) {
    if (llvm::isa<llvm::OverflowingBinaryOperator>(i)) {
      i->setHasNoSignedWrap(info.flags.no_signed_wrap);
      i->setHasNoUnsignedWrap(info.flags.no_unsigned_wrap);
    }
    return i;
  }

  static llvm::CmpInst::Predicate predicate_of(midend::operation code) {
    for (unsigned p = llvm::CmpInst::FIRST_ICMP_PREDICATE; p != llvm::CmpInst::LAST_ICMP_PREDICATE; ++p) {
      if (detail::llvm_comparison(static_cast<llvm::CmpInst::Predicate>(p)) == code) {
        return static_cast<llvm::CmpInst::Predicate>(p);
      }
    }
    return llvm::CmpInst::LAST_ICMP_PREDICATE;
  }

  llvm::Instruction* make_intrinsic(llvm::Intrinsic::ID id, llvm::Value* a, llvm::Value* b) const {
    return a->getType() != b->getType()
               ? nullptr
               : llvm::CallInst::Create(llvm::Intrinsic::getDeclaration(function_->getParent(), id, {a->getType()}),
                                        {a, b});
  }

  llvm::Function* function_;
  llvm_fold_options options_;
  bool had_old_debug_info_;
  llvm_ssa initial_; ///< the numbers of what was there at first
  llvm_editor_graph graph_;
  flat_array<llvm::BasicBlock*> blocks_;
  flat_array<node_values> ends_;         ///< by node
  flat_array<unsigned char> is_ordered_; ///< by node: LLVM has the inputs of its phis in the order of the edges
  flat_array<unsigned char> is_noted_;   ///< by node
  flat_array<node_id> like_;             ///< by node
  flat_array<node_id> noted_;            ///< whose edges may be parallel with different phi inputs
  flat_array<llvm::Value*> values_;
  flat_array<value_record> records_; ///< by value
  detail::growing_lists operands_;
  detail::hash_map<const llvm::Value*> added_values_;
  detail::hash_map<const llvm::BasicBlock*> added_nodes_;
  flat_array<llvm::Instruction*> kept_; ///< copies of instructions whose promises were dropped
  flat_array<dropped_promises> dropped_;
  flat_array<llvm::BasicBlock*> via_; ///< by edge: blocks that separate parallel edges
  flat_array<node_id> replaced_;
  flat_array<edge_id> leaders_;
  detail::hash_map<node_id> leader_of_;
  flat_array<value_id> root_;            ///< by value; see `root_of`
  flat_array<unsigned char> has_copies_; ///< by root, since `finish()`
  flat_array<value_id> copied_;
  flat_array<value_id> recorded_clones_;
  flat_array<value_id> cloned_ends_;
  flat_array<lost_loop> lost_loops_;
  std::uint64_t placed_epoch_ = 0;
  flat_array<known_count> counts_;
  flat_array<double> probabilities_; ///< by edge
};

static_assert(ir_editor<llvm_editor> && operation_editor<llvm_editor> && branch_editor<llvm_editor> &&
              restoring_editor<llvm_editor> && places_values<llvm_editor> && semantic_ir<llvm_editor> &&
              effect_ir<llvm_editor> && profile_editor<llvm_editor> && has_users<llvm_editor>);

MIDEND_END_NAMESPACE
