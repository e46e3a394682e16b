/// `llvm_editor`: changes an `llvm::Function` through the editing rungs of the IR contract. For LLVM 19.
#pragma once

#include "midend/adapters/detail/llvm_copied_values.hpp"
#include "midend/adapters/detail/llvm_edge_profile.hpp"
#include "midend/adapters/detail/llvm_loop_marks.hpp"
#include "midend/adapters/detail/llvm_make_operation.hpp"
#include "midend/adapters/detail/llvm_numbered_function.hpp"
#include "midend/adapters/detail/llvm_operands.hpp"
#include "midend/adapters/detail/llvm_phi_edges.hpp"
#include "midend/adapters/llvm_bounds.hpp"
#include "midend/adapters/llvm_constants.hpp"
#include "midend/adapters/llvm_editor_graph.hpp"
#include "midend/adapters/llvm_effects.hpp"
#include "midend/adapters/llvm_operations.hpp"
#include "midend/adapters/llvm_refusals.hpp"
#include "midend/adapters/llvm_same_operation.hpp"
#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_description.hpp"
#include "midend/ir/profile.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/support/detail/iterator_base.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/range.hpp"
#include "midend/support/span.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Value.h>
#include <llvm/Support/Alignment.h>
#include <llvm/Support/Casting.h>
#include <llvm/Support/TypeSize.h>
#include <llvm/Transforms/Utils/Local.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// When values get their numbers.
enum class llvm_value_numbers : std::uint8_t {
  of_the_start, ///< before the first change at the latest: the numbers of `llvm_ssa`, so results for that view apply
  when_asked    ///< when a number is asked for: results for other views of the function do not apply after a change
};

/// Memory of editors, one after the other: `llvm_editor(f, options, workspace)` allocates nothing to read a function
/// that is no larger than those before. To be used by one editor at a time.
class llvm_editor_workspace {
public:
  llvm_editor_workspace() = default;
  llvm_editor_workspace(const llvm_editor_workspace&) = delete;
  llvm_editor_workspace& operator=(const llvm_editor_workspace&) = delete;

private:
  friend class llvm_editor;

  struct dropped_promises {
    value_id value;
    llvm::Instruction* kept; ///< a copy of the instruction with its promises
  };

  void start(llvm::Function& f, bool numbers_late) {
    MIDEND_ASSERT(!is_used_, "a workspace that no other editor uses");
    is_used_ = true;
    function_.read(f, numbers_late);
    phis_.start();
    copies_.start();
    marks_.start();
    profile_.start();
    like_.clear();
    erased_.clear();
    erased_nodes_.clear();
    lost_addresses_.clear();
    kept_.clear();
    dropped_.clear();
  }

  detail::llvm_numbered_function function_;
  detail::llvm_phi_edges phis_{function_};
  detail::llvm_copied_values copies_{function_};
  detail::llvm_loop_marks marks_{function_};
  detail::llvm_edge_profile profile_{function_};
  flat_array<node_id> like_; ///< by node: the node that a new one is like
  flat_array<value_id> erased_;
  flat_array<node_id> erased_nodes_;
  flat_array<node_id> lost_addresses_; ///< erased nodes whose address is taken
  flat_array<unsigned char> is_deleted_;
  flat_array<llvm::Instruction*> kept_; ///< copies of instructions whose promises were dropped
  flat_array<dropped_promises> dropped_;
  flat_array<node_id> replaced_;
  bool is_used_ = false;
};

/// Models all editing rungs but those of variables, and the SSA, semantics, effects and profile rungs. It shows the
/// present state of the function, and changes it immediately. While an editor exists, only it may change the function.
///
/// **Numbers** are those of `llvm_ssa(f)` when the editor is made, so results for that view apply. They do not change,
/// and new things get numbers at the end. `block(n)`, `value(v)`, `node(block)` and `number(value)` translate.
///
/// **`finish()`** makes the function one that LLVM accepts where the contract allows more than LLVM does; the
/// destructor calls it. It changes nothing that the editor shows:
/// - Parallel edges may have different phi inputs; in LLVM they cannot, so such an edge leads through a block that only
///   LLVM sees. It is no node, and goes when it is no longer needed.
/// - `llvm.loop` is at the ends of latches. Where edges led elsewhere, it moves to the latches of the innermost loop
///   around, if these have none; otherwise, and in copies that are no latches, it is dropped.
/// - The addresses of erased blocks (`blockaddress`) become `inttoptr (i32 1 to ptr)`, as in LLVM. Until then the
///   editor shows the address, and it is right again if the block is brought back.
/// - Debug records that name a value with copies, and records in copies, name the copy that the operations of their
///   node read; without one, they say "optimized out".
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
/// **Undoing**: erased instructions and blocks are kept until the editor is destroyed, so `recording_editor` can undo
/// everything, except changes of debug records and of `llvm.loop`, and what `finish()` made of addresses of erased
/// blocks.
///
/// **Cost.** Making an editor reads blocks and edges only. The rest is read when it is asked for, so two threads must
/// not read one function at once. Before the first change, all instructions and constants get their numbers, unless
/// `llvm_value_numbers::when_asked` is given: then `clean_control` without witnesses changes a function without looking
/// at most of its instructions, and constants get numbers only if they are asked for. Reading everything takes about 70
/// bytes a value and 40 an edge.
///
/// Requires verified IR.
class llvm_editor {
public:
  using constant_type = std::uint64_t;

  explicit llvm_editor(llvm::Function& f, const llvm_fold_options& options = {},
                       llvm_value_numbers numbers = llvm_value_numbers::of_the_start)
      : llvm_editor(f, options, nullptr, numbers) {}

  llvm_editor(llvm::Function& f, const llvm_fold_options& options, llvm_editor_workspace& w,
              llvm_value_numbers numbers = llvm_value_numbers::of_the_start)
      : llvm_editor(f, options, &w, numbers) {}

  llvm_editor(const llvm_editor&) = delete;
  llvm_editor& operator=(const llvm_editor&) = delete;

  ~llvm_editor() {
    finish();
    delete_erased(w_.erased_, f_.num_numbered_values(), [&](value_id v) {
      if (f_.node_of(v) == no_node) {
        f_.instruction(v).deleteValue();
      }
    });
    for (llvm::Instruction* const i : w_.kept_) {
      i->deleteValue();
    }
    delete_erased(w_.erased_nodes_, f_.num_nodes(), [&](node_id n) {
      if (block(n)->getParent() == nullptr) {
        delete block(n);
      }
    });
    if (had_old_debug_info_) {
      f_.function().setIsNewDbgInfoFormat(false);
    }
    w_.is_used_ = false;
  }

  /// The function, finished.
  llvm::Function& function() {
    finish();
    return f_.function();
  }

  // Reading.

  const llvm_editor_graph& graph() const { return f_.graph(); }

  llvm::BasicBlock* block(node_id n) const { return &f_.block(n); }

  /// The node of a block, or `no_node`.
  node_id node(const llvm::BasicBlock* b) const { return f_.node(b); }

  std::size_t num_values() const { return f_.num_values(); }

  /// The value with a number. Erased instructions exist as long as the editor.
  llvm::Value* value(value_id v) const { return &f_.value(v); }

  /// The number of an instruction, an argument, or a constant that the function uses or used; else `no_value`.
  value_id number(const llvm::Value* v) const { return f_.number(v); }

  class value_iterator : public detail::iterator_base<value_iterator, value_id> {
  public:
    value_iterator() = default;

    value_iterator(const llvm_editor& editor, value_id at) : editor_(&editor), at_(at) {}

    value_id operator*() const { return at_; }

    void advance() { at_ = editor_->value_after(at_); }

    friend bool operator==(value_iterator a, value_iterator b) { return a.at_ == b.at_; }

  private:
    const llvm_editor* editor_ = nullptr;
    value_id at_ = no_value;
  };

  iterator_range<value_iterator> values(node_id n) const {
    return {value_iterator(*this, f_.first(n)), value_iterator(*this, no_value)};
  }

  id_range<value_id> parameters() const { return f_.parameters(); }

  /// Operands as in `llvm_ssa`: without blocks, metadata and inline assembly. The operands of a phi are in the order of
  /// `graph().in_edges(n)`.
  span<const value_id> operands(value_id v) const { return f_.operands(v); }

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
        if (user != nullptr && detail::is_llvm_operand(*user, at_->getOperandNo())) {
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
    llvm::Value& value = f_.value(v);
    return {user_iterator(*this, value.use_begin(), value.use_end()),
            user_iterator(*this, value.use_end(), value.use_end())};
  }

  /// The nodes in which a value is read: for each use by an operation its node, for each input of a phi the source of
  /// the edge.
  class reading_node_iterator : public detail::iterator_base<reading_node_iterator, node_id> {
  public:
    reading_node_iterator() = default;

    reading_node_iterator(const llvm_editor& editor, llvm::Value::use_iterator at) : editor_(&editor), at_(at) {}

    node_id operator*() const {
      const auto& user = *llvm::cast<llvm::Instruction>(at_->getUser());
      const auto* const phi = llvm::dyn_cast<llvm::PHINode>(&user);
      const llvm::BasicBlock* const b = phi == nullptr ? user.getParent() : phi->getIncomingBlock(*at_);
      const node_id n = editor_->node(b);
      return n != no_node ? n : editor_->node(b->getSinglePredecessor()); // of a block that separates parallel edges
    }

    void advance() { ++at_; }

    friend bool operator==(const reading_node_iterator& a, const reading_node_iterator& b) { return a.at_ == b.at_; }

  private:
    const llvm_editor* editor_ = nullptr;
    llvm::Value::use_iterator at_;
  };

  /// For an instruction or parameter. Reads LLVM's list of uses, and needs no numbers of values.
  iterator_range<reading_node_iterator> reading_nodes(value_id v) const {
    llvm::Value& value = f_.value(v);
    return {reading_node_iterator(*this, value.use_begin()), reading_node_iterator(*this, value.use_end())};
  }

  /// The operations among the operands, found through LLVM's operands.
  class operand_operation_iterator : public detail::iterator_base<operand_operation_iterator, value_id> {
  public:
    operand_operation_iterator() = default;

    operand_operation_iterator(const llvm_editor& editor, value_id user, const llvm::Use* at, const llvm::Use* end)
        : editor_(&editor), at_(at), end_(end), user_(user) {
      find();
    }

    value_id operator*() const { return editor_->f_.number_of_operation(at_->get(), user_); }

    void advance() {
      ++at_;
      find();
    }

    friend bool operator==(const operand_operation_iterator& a, const operand_operation_iterator& b) {
      return a.at_ == b.at_;
    }

  private:
    void find() {
      while (at_ != end_ && !llvm::isa_and_nonnull<llvm::Instruction>(at_->get())) {
        ++at_;
      }
    }

    const llvm_editor* editor_ = nullptr;
    const llvm::Use* at_ = nullptr;
    const llvm::Use* end_ = nullptr;
    value_id user_ = no_value;
  };

  /// For an instruction. Needs no numbers of constants.
  iterator_range<operand_operation_iterator> operand_operations(value_id v) const {
    const llvm::Instruction& i = f_.instruction(v);
    return {operand_operation_iterator(*this, v, i.op_begin(), i.op_end()),
            operand_operation_iterator(*this, v, i.op_end(), i.op_end())};
  }

  bool is_phi(value_id v) const { return f_.is_phi(v); }

  value_id phi_input(value_id phi, edge_id e) const { return f_.operands(phi)[f_.edge(e).position]; }

  value_id condition(node_id n) const {
    if (graph().out_edges(n).size() < 2) {
      return no_value;
    }
    const value_id end = f_.terminator(n);
    return end != no_value && decides(end) ? f_.first_operand(end) : no_value;
  }

  operation_info operation(value_id v) const { return f_.operation(v).info; }

  bool is_number(value_id v) const { return detail::is_llvm_integer(f_.value(v).getType()); }

  /// Pointers and numbers may have the same width.
  bool same_type(value_id v, value_id w) const { return value(v)->getType() == value(w)->getType(); }

  std::optional<std::uint64_t> constant(value_id v) const {
    const auto* const c = f_.is_instruction(v) ? nullptr : llvm::dyn_cast<llvm::Constant>(&f_.value(v));
    return c == nullptr ? std::nullopt : llvm_constant_bits(c);
  }

  std::optional<number_range> bounds(value_id v) const {
    const bool may_have = f_.is_instruction(v) ? (marks(v) & record::bounded) != 0
                                               : is_number(v) && llvm::isa<llvm::Argument>(f_.value(v));
    return may_have ? llvm_bounds(f_.value(v)) : std::nullopt;
  }

  bool is_undefined(value_id v) const { return !f_.is_instruction(v) && llvm::isa<llvm::UndefValue>(f_.value(v)); }

  bool is_opaque(value_id v) const { return (marks(v) & record::opaque) != 0; }

  std::optional<std::uint64_t> fold(value_id v, span<const std::uint64_t> args) const {
    const operation_info info = operation(v);
    if (info.code == operation::other) {
      return detail::fold_other_llvm_instruction(f_.instruction(v), args, options_);
    }
    const evaluation result = evaluate(info, args.first(arity(info.code)));
    return result ? std::optional(result.bits) : std::nullopt;
  }

  std::optional<std::uint64_t> edge_case(edge_id e) const {
    const value_id end = f_.terminator(f_.edge(e).source);
    MIDEND_ASSERT(end != no_value && decides(end), "an edge from a block that ends in a condition", e);
    return case_of(f_.instruction(end), f_.edge(e).slot);
  }

  /// Whether an edge is taken by exceptions.
  bool is_exceptional(edge_id e) const { return block(f_.edge(e).target)->isEHPad(); }

  // Effects.

  effect_kind effect(value_id v) const { return llvm_operation_effect(f_.instruction(v)); }

  bool may_trap(value_id v) const { return llvm_may_trap(f_.instruction(v)); }

  bool may_trap_without_promises(value_id v) const { return llvm_may_trap_without_promises(f_.instruction(v)); }

  /// Whether a branch on a value may be undefined: a branch on poison is undefined, and does not trap.
  bool may_be_indeterminate(value_id v) const { return !llvm::isGuaranteedNotToBeUndefOrPoison(value(v)); }

  bool is_repeatable(value_id v) const { return llvm_is_repeatable(f_.instruction(v)); }

  bool is_convergent(value_id v) const { return llvm_is_convergent(f_.instruction(v)); }

  bool accepts_operations(node_id n) const { return llvm_accepts_operations(*block(n)); }

  bool may_not_return(value_id v) const { return llvm_may_not_return(f_.instruction(v)); }

  bool is_volatile(value_id v) const { return llvm_is_volatile(f_.instruction(v)); }

  bool is_terminator(value_id v) const { return f_.is_terminator(v); }

  bool may_duplicate(value_id v) const { return copy_refusal(v) == llvm_refusal::none; }

  /// Why a value must not be copied, or `none`.
  llvm_refusal copy_refusal(value_id v) const { return llvm_copy_refusal(f_.instruction(v)); }

  bool must_end(edge_id backedge) const { return llvm_must_end(*f_.end_of(f_.edge(backedge).source)); }

  bool may_redirect(edge_id e) const { return redirect_refusal(e) == llvm_refusal::none; }

  bool may_split(edge_id e) const { return may_redirect(e); }

  /// Why the target of an edge cannot be changed, or `none`.
  llvm_refusal redirect_refusal(edge_id e) const {
    if (llvm::isa<llvm::BranchInst>(f_.end_of(f_.edge(e).source))) { // the slot does not matter
      return block(f_.edge(e).target)->hasAddressTaken() ? llvm_refusal::address_taken : llvm_refusal::none;
    }
    const llvm_refusal refusal = llvm_edge_refusal(*f_.end_of(f_.edge(e).source), f_.slot_of(e));
    return refusal != llvm_refusal::none || !phis_.has_separator(e) ? refusal
           : block(f_.edge(e).target)->hasAddressTaken()            ? llvm_refusal::address_taken
                                                                    : llvm_refusal::none;
  }

  /// LLVM's phis name blocks, so edges of one block with different inputs need blocks of their own.
  bool separates_parallel_edges() const { return true; }

  /// Whether a phi can have the type of the value: not if it is a token.
  bool may_insert_phi(value_id v) const { return !f_.value(v).getType()->isTokenTy(); }

  // Places.

  node_id node_of(value_id v) const { return f_.node_of(v); }

  value_id value_after(value_id v) const { return f_.next(v); }

  /// Describes a value for comparison with values of this function and its copies in one context: an instruction by
  /// `describe_llvm_operation`, a parameter by its number, the address of an own block by the node, and other constants
  /// by themselves. Optional member, for certificates.
  void describe(value_id v, operation_description& out) const {
    enum : std::uint64_t { erased, instruction, argument, address_of_node, parts, other_constant };

    if (f_.is_instruction(v) && node_of(v) == no_node) {
      out.attribute(erased);
      return;
    }
    if (f_.is_instruction(v)) {
      out.attribute(instruction);
      describe_llvm_operation(f_.instruction(v), out);
      return;
    }
    const llvm::Value* const a = value(v);
    if (const auto* const parameter = llvm::dyn_cast<llvm::Argument>(a)) {
      out.attribute(argument);
      out.attribute(parameter->getArgNo());
      return;
    }
    llvm::SmallVector<const llvm::Value*, 4> todo{a};
    while (!todo.empty()) { // addresses of blocks may be deep inside
      const llvm::Value* const x = todo.pop_back_val();
      const auto* const address = llvm::dyn_cast<llvm::BlockAddress>(x);
      const auto* const cast = llvm::dyn_cast<llvm::ConstantExpr>(x);
      if (address != nullptr && address->getFunction() == &f_.function()) {
        out.attribute(address_of_node);
        out.attribute(node(address->getBasicBlock()));
      } else if ((cast != nullptr && cast->isCast()) || llvm::isa<llvm::ConstantAggregate>(x)) {
        out.attribute(parts);
        out.attribute(reinterpret_cast<std::uintptr_t>(x->getType()));
        out.attribute(cast == nullptr ? 0 : cast->getOpcode());
        for (const llvm::Use& part : llvm::cast<llvm::User>(x)->operands()) {
          todo.push_back(part.get());
        }
      } else {
        out.attribute(other_constant);
        out.attribute(reinterpret_cast<std::uintptr_t>(x));
      }
    }
  }

  /// Whether a literal or parameter is equal, or an instruction computes an equal result and promises no more; see
  /// `describe`. The other function is this one or a copy with equal numbers of blocks, in one context.
  bool same_operation(value_id v, const llvm_editor& other, value_id w) const {
    return same_description(*this, v, other, w);
  }

  // Values.

  value_id insert_phi(node_id n, value_id like) {
    MIDEND_ASSERT(n != graph().entry(), "a node other than the entry");
    MIDEND_ASSERT(may_insert_phi(like), "a value that phis may have", like);
    f_.start_change();
    f_.order(n);
    auto* const phi = llvm::PHINode::Create(value(like)->getType(), num_in_edges(n));
    phi->insertBefore(*block(n), block(n)->begin());
    if (value(like)->hasName()) {
      phi->setName(value(like)->getName());
    }
    const value_id v = add_phi(phi, n, f_.first(n));
    copies_.add_phi(v, like);
    return v;
  }

  void set_phi_input(value_id phi, edge_id e, value_id v) {
    MIDEND_ASSERT(is_phi(phi) && node_of(phi) == f_.edge(e).target, "a phi in the target of the edge", phi, e);
    f_.start_change();
    phis_.set(phi, e, v);
  }

  void replace_uses(value_id v, value_id by) {
    if (v == by) {
      return;
    }
    f_.start_change();
    llvm::Value& old = *value(v);
    w_.replaced_.clear();
    for (const value_id user : users(v)) {
      if (is_phi(user) && !f_.is_ordered(node_of(user))) {
        w_.replaced_.push_back(node_of(user));
      }
    }
    for (const node_id n : w_.replaced_) { // before, because it changes the list of uses
      f_.order(n);
    }
    for (auto it = old.use_begin(); it != old.use_end();) {
      llvm::Use& use = *it++;
      const auto* const user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
      const value_id u = user == nullptr ? no_value : number(user);
      if (u == no_value || !detail::is_llvm_operand(*user, use.getOperandNo())) {
        continue;
      }
      if (f_.has_known_operands(u)) { // others are read from LLVM later
        f_.set_known_operand(u, detail::operand_number(*user, use.getOperandNo()), by);
      }
      use.set(value(by));
    }
    if (!llvm::isa<llvm::Constant>(old) && old.isUsedByMetadata()) {
      llvm::ValueAsMetadata::handleRAUW(&old, value(by));
    }
  }

  void erase_value(value_id v) {
    MIDEND_ASSERT(f_.is_instruction(v) && !is_terminator(v), "an operation or phi", v);
    MIDEND_ASSERT(value(v)->use_empty(), "a value without users", v);
    f_.start_change();
    erase(v);
  }

  value_id clone_value(value_id v, node_id n) {
    f_.start_change();
    if (is_phi(v)) {
      return clone_phi(v, n);
    }
    if (is_terminator(v)) {
      return clone_end(v, n);
    }
    return clone_value(v, place_at_end(n));
  }

  value_id clone_value(value_id v, place p) {
    MIDEND_ASSERT(f_.is_instruction(v) && !is_phi(v) && !is_terminator(v), "neither a phi nor a terminator", v);
    f_.start_change();
    llvm::Instruction* const clone = f_.instruction(v).clone();
    const node_id n = node_at(p);
    const value_id before = value_at(p);
    insert(*clone, n, before);
    const value_id c = f_.add_instruction(clone, v);
    f_.link(c, n, before);
    complete_clone(c, v);
    return c;
  }

  /// A constant. The number 0 for a type without numbers is its null.
  value_id make_constant(value_id like, constant_type c) {
    llvm::Type* const type = value(like)->getType();
    const bool is_null = c == 0 && !detail::is_llvm_number(type);
    return f_.number_of(is_null ? llvm::Constant::getNullValue(type) : llvm_constant(type, c));
  }

  void set_operand(value_id user, std::size_t i, value_id v) {
    MIDEND_ASSERT(!is_phi(user), "an operation that is no phi", user);
    f_.start_change();
    llvm::Instruction& instr = f_.instruction(user);
    if (v == no_value && instr.isUsedByMetadata()) {
      llvm::salvageDebugInfo(instr); // while the operands that express it are still there
    }
    f_.set_known_operand(user, i, v);
    const unsigned at = detail::llvm_operand_number(instr, static_cast<unsigned>(i));
    instr.getOperandUse(at).set(f_.value_or_null(v));
  }

  /// Moves a value. Debug records before it stay, with two exceptions: the first operation of a node that moves to the
  /// end of the only predecessor, whose only successor the node is; and a terminator.
  void move_value(value_id v, place p) {
    f_.start_change();
    if (is_phi(v)) {
      move_phi(v, p);
    } else if (is_terminator(v)) {
      move_end(v, p.node);
    } else {
      move_operation(v, p);
    }
  }

  void drop_promises(value_id v) {
    f_.start_change();
    llvm::Instruction& i = f_.instruction(v);
    llvm::Instruction* const kept = i.clone();
    kept->dropAllReferences();
    w_.dropped_.push_back({v, kept});
    w_.kept_.push_back(kept);
    i.dropPoisonGeneratingAnnotations();
    i.dropUBImplyingAttrsAndMetadata();
    f_.read_operation_again(v);
  }

  /// A mark for `set_promises`: the number of promises dropped so far. Promises that are dropped from now on can be
  /// restored by it.
  std::uint64_t promises(value_id) const { return w_.dropped_.size(); }

  void set_promises(value_id v, std::uint64_t promises) {
    for (std::size_t k = static_cast<std::size_t>(promises); k < w_.dropped_.size(); ++k) {
      if (w_.dropped_[k].value == v) {
        llvm::Instruction& i = f_.instruction(v);
        const llvm::Instruction& kept = *w_.dropped_[k].kept;
        i.copyIRFlags(&kept);
        i.copyMetadata(kept);
        if (auto* const call = llvm::dyn_cast<llvm::CallBase>(&i)) {
          call->setAttributes(llvm::cast<llvm::CallBase>(kept).getAttributes());
        }
        f_.read_operation_again(v);
        break;
      }
    }
    while (w_.dropped_.size() > promises && w_.dropped_.back().value == v) {
      w_.dropped_.pop_back();
    }
  }

  value_id make_operation(const operation_info& info, span<const value_id> operands, place p) {
    MIDEND_ASSERT(operands.size() == arity(info.code), "the operands of the operation", operands.size());
    f_.start_change();
    llvm::SmallVector<llvm::Value*, 3> args;
    for (const value_id operand : operands) {
      args.push_back(value(operand));
    }
    llvm::Instruction* const made = detail::make_llvm_operation(*f_.function().getParent(), info, args);
    if (made == nullptr) {
      return no_value;
    }
    return add_operation(*made, p);
  }

  value_id make_number(unsigned width, std::uint64_t bits) {
    if (width == 0 || width > widest_number) {
      return no_value;
    }
    return f_.number_of(llvm::ConstantInt::get(llvm::IntegerType::get(f_.function().getContext(), width), bits));
  }

  /// `poison`: where it arrives, the program before had no value to read.
  value_id undefined_like(value_id v) { return f_.number_of(llvm::PoisonValue::get(value(v)->getType())); }

  // Memory of its own.

  /// A slot on the stack, at the head of the entry. `no_value` if addresses of slots do not have 64 bits.
  value_id make_local_array(std::uint32_t bytes) {
    llvm::LLVMContext& context = f_.function().getContext();
    const llvm::DataLayout& layout = f_.function().getDataLayout();
    const unsigned space = layout.getAllocaAddrSpace();
    if (!detail::is_llvm_address(llvm::PointerType::get(context, space), layout)) {
      return no_value;
    }
    f_.start_change();
    auto* const type = llvm::ArrayType::get(llvm::Type::getInt8Ty(context), bytes);
    auto* const slot = new llvm::AllocaInst(type, space, nullptr, llvm::Align(16));
    return add_operation(*slot, place_at_head(graph().entry()));
  }

  /// Of a slot of constant size in the entry.
  std::uint32_t local_array_bytes(value_id v) const {
    const auto* const slot = llvm::dyn_cast<llvm::AllocaInst>(&f_.value(v));
    if (slot == nullptr || node_of(v) != graph().entry() || slot->isUsedWithInAlloca() || slot->isSwiftError()) {
      return 0;
    }
    const std::optional<llvm::TypeSize> size = slot->getAllocationSize(f_.function().getDataLayout());
    const bool fits = size && !size->isScalable() && size->getFixedValue() <= ~std::uint32_t{0};
    return fits ? static_cast<std::uint32_t>(size->getFixedValue()) : 0;
  }

  /// 0 for aggregates, whose padding is not kept, for pointers that are no numbers, and for types without a fixed size.
  std::uint32_t storage_bytes(value_id v) const {
    llvm::Type* const type = f_.value(v).getType();
    const llvm::DataLayout& layout = f_.function().getDataLayout();
    const bool is_pointer = type->isPtrOrPtrVectorTy();
    const bool is_kept =
        (type->isIntegerTy() || type->isFloatingPointTy() || is_pointer || llvm::isa<llvm::FixedVectorType>(type)) &&
        !llvm::isa<llvm::ScalableVectorType>(type) &&
        !(is_pointer && layout.isNonIntegralPointerType(type->getScalarType()));
    const std::uint64_t bytes = is_kept ? layout.getTypeStoreSize(type).getFixedValue() : std::uint64_t{0};
    return bytes <= ~std::uint32_t{0} ? static_cast<std::uint32_t>(bytes) : 0;
  }

  /// Makes a load, after a `getelementptr` if the address is not the base. The class is that of the object, and `m`
  /// cannot change it. `no_value` if the base is no pointer of 64 bits, the index is no number, its scale is not
  /// positive, or `m` has other bytes than the type.
  value_id make_load(value_id like, const memory_reference& m, place p) {
    if (!can_access(like, m)) {
      return no_value;
    }
    p = settled(p);
    llvm::Value* const address = make_address(m, p);
    return add_operation(*new llvm::LoadInst(value(like)->getType(), address, "", false, alignment_of(m)), p);
  }

  value_id make_store(value_id v, const memory_reference& m, place p) {
    if (!can_access(v, m)) {
      return no_value;
    }
    p = settled(p);
    llvm::Value* const address = make_address(m, p);
    return add_operation(*new llvm::StoreInst(value(v), address, false, alignment_of(m)), p);
  }

  // Flow.

  /// Puts the new block before that of `like`; if that is the entry, after it.
  node_id create_node(node_id like) {
    llvm::BasicBlock* const original = block(like);
    llvm::BasicBlock* const next = like == graph().entry() ? original->getNextNode() : original;
    auto* const b = llvm::BasicBlock::Create(f_.function().getContext(), original->getName(), &f_.function(), next);
    const node_id n = f_.add_node(b);
    while (w_.like_.size() < n) {
      w_.like_.push_back(no_node);
    }
    w_.like_.push_back(like);
    return n;
  }

  void redirect_edge(edge_id e, node_id target) {
    MIDEND_ASSERT(target != graph().entry(), "a target that is not the entry");
    f_.start_change();
    marks_.pass_over(e, target);
    phis_.redirect(e, target);
  }

  void set_jump(node_id n, node_id target) {
    auto* const jump = llvm::BranchInst::Create(block(target));
    jump->setDebugLoc(location_of(n));
    add_end(jump, n);
    phis_.add_edge(n, target, 0);
  }

  void keep_edge(edge_id e) {
    const node_id n = f_.edge(e).source;
    MIDEND_ASSERT(n != no_node, "an edge that was not erased", e);
    f_.start_change();
    const node_id target = f_.edge(e).target;
    llvm::Instruction& old = *f_.end_of(n);
    auto* const jump = llvm::BranchInst::Create(block(target));
    jump->setDebugLoc(old.getDebugLoc());
    if (llvm::MDNode* const mark = detail::llvm_loop_marks::mark_of(old)) {
      jump->setMetadata(llvm::LLVMContext::MD_loop, mark);
    }
    marks_.note(n);
    phis_.lead_directly(e);
    for (const edge_id other : graph().out_edges(n)) {
      if (other != e) {
        phis_.leave(other);
      }
    }
    f_.graph().clear_out_edges(n);
    forget(old);
    erase_instruction(old, n);
    add_end(jump, n);
    f_.graph().reattach(e, n);
  }

  void erase_nodes(span<const node_id> nodes) {
    f_.start_change();
    const std::uint64_t before = graph().epoch();
    bool are_entered = false;
    for (const node_id n : nodes) {
      MIDEND_ASSERT(n != graph().entry(), "a node other than the entry");
      are_entered = are_entered || !graph().in_edges(n).empty();
    }
    for (const node_id n : nodes) {
      erase_end(n);
    }
    if (!are_entered) {
      marks_.keep_since(before);
    }
    for (const node_id n : nodes) {
      for (llvm::Instruction& i : *block(n)) {
        forget(i);
      }
    }
    for (const node_id n : nodes) {
      while (!block(n)->empty()) {
        erase_instruction(block(n)->back(), n);
      }
      llvm::BasicBlock& b = *block(n);
      if (b.getParent() != nullptr) {
        if (b.hasAddressTaken()) {
          w_.lost_addresses_.push_back(n);
        }
        if (llvm::DbgMarker* const records = b.getTrailingDbgRecords()) {
          records->eraseFromParent(); // the next line only forgets the records, and their values would still know them
          b.deleteTrailingDbgRecords();
        }
        b.removeFromParent();
        w_.erased_nodes_.push_back(n);
      }
    }
  }

  void erase_end(node_id n) {
    f_.start_change();
    llvm::Instruction* const end = f_.end_of(n);
    if (end == nullptr) {
      return;
    }
    for (const edge_id e : graph().out_edges(n)) {
      phis_.leave(e);
    }
    f_.graph().clear_out_edges(n);
    marks_.note_erased_end(n);
    forget(*end);
    erase_instruction(*end, n);
  }

  // Whole nodes, without numbers of values (`cleans_nodes`).

  /// Whether a value decides where control goes: then it is `condition(n)`.
  bool has_condition(node_id n) const {
    return graph().out_edges(n).size() > 1 && record::decision(*f_.end_of(n)) != 0;
  }

  /// Whether the end of a node only leads to its only edge. A `callbr` with one successor does more.
  bool ends_in_jump(node_id n) const {
    const llvm::Instruction* const end = f_.end_of(n);
    return end != nullptr && graph().out_edges(n).size() == 1 && is_plain(*end);
  }

  /// The edge that a literal condition takes, or `no_edge`.
  edge_id literal_edge(node_id n) const {
    const llvm::Instruction& end = *f_.end_of(n);
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
      for (const edge_id e : graph().out_edges(n)) {
        const std::optional<std::uint64_t> value = case_of(*f_.end_of(n), f_.edge(e).slot);
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
    const auto* const phi = llvm::dyn_cast<llvm::PHINode>(f_.end_of(n)->getOperand(0));
    return phi == nullptr ? no_node : node(phi->getParent());
  }

  /// Whether phis of node `end` get equal inputs along two edges. Each leads there, or to a node that has only phis and
  /// a jump there.
  bool have_equal_inputs(edge_id a, edge_id b, node_id end) const {
    for (const llvm::PHINode& phi : block(end)->phis()) {
      if (input_by(phi, a, end) != input_by(phi, b, end)) {
        return false;
      }
    }
    return true;
  }

  /// Whether a node has only phis and a jump, the edges at both sides may be redirected, and only phis of the next node
  /// read its phis, along its edge.
  bool does_nothing(node_id n) const {
    const auto& b = *block(n);
    const llvm::Instruction* const end = f_.end_of(n);
    const llvm::Instruction* const last = end == nullptr ? nullptr : end->getPrevNode(); // the first may be far away
    if (end == nullptr || (last != nullptr && !llvm::isa<llvm::PHINode>(last)) || !is_plain(*end)) {
      return false;
    }
    for (const edge_id e : graph().in_edges(n)) {
      if (!may_redirect(e)) {
        return false;
      }
    }
    const llvm::BasicBlock* const next = block(f_.edge(graph().out_edges(n)[0]).target);
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

  /// Whether a node has no values.
  bool is_empty(node_id n) const { return block(n)->empty(); }

  /// Whether values of a node are read in others, apart from phis along the edges from it.
  bool is_read_elsewhere(node_id n) const {
    for (const llvm::Instruction& i : *block(n)) {
      for (const llvm::Use& use : i.uses()) {
        const auto* const user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
        const auto* const phi = llvm::dyn_cast_or_null<llvm::PHINode>(user);
        if (user == nullptr || (phi == nullptr ? user->getParent() : phi->getIncomingBlock(use)) != block(n)) {
          return true;
        }
      }
    }
    return false;
  }

  /// Appends a node to `into`, its only predecessor, which has no other successor: phis are replaced by their input,
  /// and operations, end and edges move. Returns whether there were phis.
  bool append_node(node_id into, node_id n) {
    MIDEND_ASSERT(follows_only(n, into), "a node that alone follows another one, and is reached by it alone", into, n);
    f_.start_change();
    const std::uint64_t before = graph().epoch();
    llvm::BasicBlock& to = *block(into);
    llvm::BasicBlock& from = *block(n);
    const bool had_phis = f_.has_phis(n);
    while (f_.has_phis(n)) {
      auto& phi = llvm::cast<llvm::PHINode>(from.front());
      llvm::Value* const input = phi.getIncomingValue(0);
      if (f_.has_numbers()) {
        replace_uses(f_.first(n), f_.number(input));
      } else {
        phi.replaceAllUsesWith(input != &phi ? input : llvm::PoisonValue::get(phi.getType()));
      }
      forget(phi);
      erase_instruction(phi, n);
    }
    llvm::Instruction* const end = f_.end_of(n);
    to.splice(f_.end_of(into)->getIterator(), &from, from.begin(), end == nullptr ? from.end() : end->getIterator());
    erase_end(into);
    if (end != nullptr) {
      end->moveBeforePreserving(to, to.end());
    }
    if (f_.has_numbers()) {
      f_.append_values(into, n);
    }
    phis_.move_out_edges(n, into);
    marks_.note(into);
    marks_.keep_since(before);
    return had_phis;
  }

  /// Leads the edges into a node that `does_nothing` to the next node, whose phis get the inputs that the node passed
  /// on. The node has no end afterwards.
  void pass_over(node_id n) {
    f_.start_change();
    const std::uint64_t before = graph().epoch();
    if (detail::llvm_loop_marks::mark_of(*f_.end_of(n)) != nullptr) {
      const node_id next = f_.edge(graph().out_edges(n)[0]).target;
      for (const edge_id e : graph().in_edges(n)) {
        marks_.pass_over(e, next);
      }
      marks_.move_on(n);
    }
    phis_.pass_over(n);
    erase_end(n);
    marks_.keep_since(before);
  }

  void set_branch(node_id n, value_id condition, node_id then, node_id otherwise) {
    auto* const branch = llvm::BranchInst::Create(block(then), block(otherwise), value(condition));
    branch->setDebugLoc(location_of(n));
    const value_id end = add_end(branch, n);
    f_.lists_with(end).push_back(end, condition);
    phis_.add_edge(n, then, 0);
    phis_.add_edge(n, otherwise, 1);
  }

  void set_switch(node_id n, value_id v, span<const constant_type> cases, span<const node_id> targets,
                  node_id otherwise) {
    MIDEND_ASSERT(cases.size() == targets.size(), "a target for each case", cases.size(), targets.size());
    const auto count = static_cast<unsigned>(cases.size());
    auto* const choice = llvm::SwitchInst::Create(value(v), block(otherwise), count);
    auto* const type = llvm::cast<llvm::IntegerType>(value(v)->getType());
    for (unsigned k = 0; k != count; ++k) {
      choice->addCase(llvm::ConstantInt::get(type, cases[k]), block(targets[k]));
    }
    choice->setDebugLoc(location_of(n));
    const value_id end = add_end(choice, n);
    f_.lists_with(end).push_back(end, v);
    for (unsigned k = 0; k != count; ++k) {
      phis_.add_edge(n, targets[k], k + 1);
    }
    phis_.add_edge(n, otherwise, 0);
  }

  // Profile.

  /// The count that was set, or for the entry the count of the function. LLVM derives other counts from the branch
  /// weights.
  std::optional<std::uint64_t> count(node_id n) const { return profile_.count(n); }

  /// Writes only the count of the entry to the function.
  void set_count(node_id n, std::optional<std::uint64_t> count) { profile_.set_count(n, count); }

  /// The probability that was set, or the share of the branch weights.
  double probability(edge_id e) const { return profile_.probability(e); }

  void set_probability(edge_id e, double p) { profile_.set_probability(e, p); }

  // Taking back.

  void restore_value(value_id v, place p, span<const value_id> operands) {
    const node_id n = node_at(p);
    const value_id before = is_phi(v) && p.where == place::kind::head ? f_.first_after_phis(n) : value_at(p);
    llvm::Instruction& i = f_.instruction(v);
    if (is_phi(v)) {
      f_.order(n);
      insert_phi_before(i, n, before);
      f_.link(v, n, before);
      phis_.add_inputs(v, n);
    } else {
      insert(i, n, before);
      f_.link(v, n, before);
      set_operands(v, operands);
    }
  }

  void restore_end(value_id end, node_id n, span<const value_id> operands, span<const edge_id> edges,
                   span<const node_id> targets) {
    MIDEND_ASSERT(f_.terminator(n) == no_value, "a node without an end", n);
    if (end == no_value) {
      return;
    }
    insert(f_.instruction(end), n, no_value);
    f_.link(end, n, no_value);
    marks_.note(n);
    for (std::size_t k = 0; k != edges.size(); ++k) {
      phis_.restore_edge(edges[k], n, targets[k]);
    }
    set_operands(end, operands);
  }

  void restore_node(node_id n) {
    if (block(n)->getParent() != nullptr) {
      return;
    }
    node_id next = n + 1; // the first blocks of the function are in the order of their numbers
    while (next != f_.num_nodes() && block(next)->getParent() == nullptr) {
      ++next;
    }
    block(n)->insertInto(&f_.function(), next == f_.num_nodes() ? nullptr : block(next));
  }

  // Completing.

  /// See the class. O(what changed), and the dominators and loops if a loop has metadata and the flow changed.
  void finish() {
    phis_.separate();
    copies_.rename_records();
    marks_.place();
    if (!w_.lost_addresses_.empty()) {
      replace_lost_addresses();
    }
  }

  /// Whether the editor's numbers, lists and operands agree with the function: for tests. O(function).
  bool is_consistent() const {
    std::size_t blocks = 0;
    for (const llvm::BasicBlock& b : f_.function()) {
      const node_id n = node(&b);
      if (n == no_node) {
        continue; // it separates parallel edges
      }
      ++blocks;
      value_id v = f_.first(n);
      for (const llvm::Instruction& i : b) {
        if (v == no_value || value(v) != &i || node_of(v) != n || number(&i) != v || !has_operands_of(v, i) ||
            !has_operations_of(v)) {
          return false;
        }
        v = f_.next(v);
      }
      const llvm::Instruction* const end = b.getTerminator();
      if (v != no_value || graph().out_edges(n).size() != (end == nullptr ? 0 : end->getNumSuccessors())) {
        return false;
      }
      for (const edge_id e : graph().out_edges(n)) {
        if (f_.edge(e).source != n || end->getSuccessor(f_.slot_of(e)) != phis_.next_block(e)) {
          return false;
        }
      }
    }
    std::size_t present = 0;
    for (node_id n = 0; n != f_.num_nodes(); ++n) {
      present += block(n)->getParent() != nullptr ? 1u : 0u;
    }
    return blocks == present;
  }

private:
  using record = detail::llvm_operation_record;

  llvm_editor(llvm::Function& f, const llvm_fold_options& options, llvm_editor_workspace* w, llvm_value_numbers numbers)
      : options_(options), w_(w == nullptr ? own_.emplace() : *w), had_old_debug_info_(!f.IsNewDbgInfoFormat),
        true_(llvm::ConstantInt::getTrue(f.getContext())), false_(llvm::ConstantInt::getFalse(f.getContext())) {
    w_.start(f, numbers == llvm_value_numbers::when_asked);
    options_.subtracts_addresses = false; // operands are those of the instruction
    if (had_old_debug_info_) {            // before instructions are read
      f.setIsNewDbgInfoFormat(true);
    }
  }

  unsigned marks(value_id v) const { return f_.operation(v).marks; }

  /// The case of a successor of a branch or switch on a number, or nothing for the default.
  static std::optional<std::uint64_t> case_of(const llvm::Instruction& end, std::uint32_t slot) {
    const auto* const choice = llvm::dyn_cast<llvm::SwitchInst>(&end);
    if (choice == nullptr) {
      return 1 - slot;
    }
    if (slot == 0) {
      return std::nullopt;
    }
    return llvm::SwitchInst::ConstCaseIt(choice, slot - 1)->getCaseValue()->getZExtValue();
  }

  /// The input of a phi of node `end` along an edge, which leads there directly or through a node that passes it on.
  llvm::Value* input_by(const llvm::PHINode& phi, edge_id e, node_id end) const {
    const node_id n = f_.edge(e).target;
    if (n == end) {
      return f_.input(phi, e);
    }
    llvm::Value* const input = f_.input(phi, graph().out_edges(n)[0]);
    const auto* const passes = llvm::dyn_cast_or_null<llvm::PHINode>(input);
    return passes != nullptr && passes->getParent() == block(n) ? f_.input(*passes, e) : input;
  }

  edge_id edge_of_slot(node_id n, std::uint32_t slot) const {
    const edge_id first = graph().out_edges(n)[0];
    return f_.edge(first).slot == slot ? first : edge_id{graph().out_edges(n)[1]};
  }

  /// Whether a number decides where a terminator goes.
  bool decides(value_id end) const { return (marks(end) & (record::branch | record::choice)) != 0; }

  /// Whether a terminator only chooses the successor.
  static bool is_plain(const llvm::Instruction& end) {
    return llvm::isa<llvm::BranchInst>(end) || llvm::isa<llvm::SwitchInst>(end);
  }

  unsigned num_in_edges(node_id n) const { return static_cast<unsigned>(graph().in_edges(n).size()); }

  bool has_operands_of(value_id v, const llvm::Instruction& i) const {
    const span<const value_id> mine = operands(v);
    const auto is_of = [&](value_id operand, const llvm::Value* theirs) { return f_.value_or_null(operand) == theirs; };
    if (const auto* const phi = llvm::dyn_cast<llvm::PHINode>(&i)) {
      const node_id n = node_of(v);
      bool same = phi->getNumIncomingValues() == mine.size() && mine.size() == num_in_edges(n);
      for (unsigned k = 0; same && f_.is_ordered(n) && k != mine.size(); ++k) {
        same = is_of(mine[k], phi->getIncomingValue(k)) &&
               phi->getIncomingBlock(k) == phis_.incoming_block(graph().in_edges(n)[k]);
      }
      return same;
    }
    unsigned k = 0;
    bool same = true;
    for (unsigned at = 0; at != i.getNumOperands(); ++at) {
      if (detail::is_llvm_operand(i, at)) {
        same = same && k < mine.size() && is_of(mine[k], i.getOperand(at));
        ++k;
      }
    }
    return same && k == mine.size();
  }

  /// Whether the operations that the editor lists for an instruction are those among its operands; compares their sums.
  bool has_operations_of(value_id v) const {
    std::uint64_t left = 0;
    for (const value_id operand : operands(v)) {
      left += operand != no_value && f_.is_instruction(operand) ? operand + std::uint64_t{1} : 0;
    }
    for (const value_id operand : operand_operations(v)) {
      left -= operand + std::uint64_t{1};
    }
    return left == 0;
  }

  void set_operands(value_id v, span<const value_id> operands) {
    llvm::Instruction& i = f_.instruction(v);
    f_.clear_operands(v);
    f_.lists_with(v).assign(v, operands);
    unsigned k = 0;
    for (unsigned at = 0; k != operands.size(); ++at) {
      if (detail::is_llvm_operand(i, at)) {
        i.getOperandUse(at).set(f_.value_or_null(operands[k++]));
      }
    }
  }

  // Places.

  node_id node_at(place p) const { return p.where == place::kind::before ? node_of(p.value) : p.node; }

  /// The value before which a place is, or `no_value`. The head of a node is after the pad of an exception.
  value_id value_at(place p) const {
    if (p.where == place::kind::before) {
      return p.value;
    }
    if (p.where == place::kind::end) {
      return f_.terminator(p.node);
    }
    const value_id v = f_.first_after_phis(p.node);
    const bool is_pad = v != no_value && f_.instruction(v).isEHPad() && !is_terminator(v);
    return is_pad ? f_.next(v) : v;
  }

  /// A place that stays valid when several operations are put there, the first one first.
  place settled(place p) const {
    const value_id before = value_at(p);
    return before == no_value ? place_at_end(p.node) : place_before(before);
  }

  void insert(llvm::Instruction& i, node_id n, value_id before) const {
    llvm::BasicBlock& b = *block(n);
    i.insertBefore(b, before == no_value ? b.end() : f_.instruction(before).getIterator());
  }

  /// Adds a new operation, and numbers for constants that it reads.
  value_id add_operation(llvm::Instruction& made, place p) {
    const node_id n = node_at(p);
    const value_id before = value_at(p);
    insert(made, n, before);
    llvm::SmallVector<value_id, 4> read; // operands of LLVM: a negation reads 0, a complement -1, an intrinsic its
                                         // function
    for (unsigned at = 0; at != made.getNumOperands(); ++at) {
      read.push_back(f_.number_of(made.getOperand(at)));
    }
    const auto v = f_.add_instruction(&made);
    f_.lists_with(v).assign(v, span<const value_id>(read.data(), read.size()));
    f_.link(v, n, before);
    return v;
  }

  // Accesses.

  bool can_access(value_id v, const memory_reference& m) const {
    return m.base != no_value && detail::is_llvm_address(value(m.base)->getType(), f_.function().getDataLayout()) &&
           (m.index == no_value || (is_number(m.index) && m.scale > 0)) && m.bytes != 0 && m.bytes == storage_bytes(v);
  }

  /// base + index · scale + offset.
  llvm::Value* make_address(const memory_reference& m, place p) {
    f_.start_change();
    llvm::Type* const byte = llvm::Type::getInt8Ty(f_.function().getContext());
    llvm::Value* address = value(m.base);
    const auto add = [&](llvm::Type* type, llvm::Value* index) {
      auto* const sum = llvm::GetElementPtrInst::Create(type, address, {index});
      add_operation(*sum, p);
      address = sum;
    };
    if (m.index != no_value) {
      add(llvm::ArrayType::get(byte, static_cast<std::uint64_t>(m.scale)), value(m.index));
    }
    if (m.offset != 0) {
      add(byte, llvm::ConstantInt::getSigned(llvm::Type::getInt64Ty(f_.function().getContext()), m.offset));
    }
    return address;
  }

  /// The alignment of an access: known for slots and globals, else one byte.
  llvm::Align alignment_of(const memory_reference& m) const {
    const llvm::Value& base = *value(m.base);
    if (!llvm::isa<llvm::AllocaInst, llvm::GlobalVariable>(base)) {
      return llvm::Align(1);
    }
    llvm::Align known = base.getPointerAlignment(f_.function().getDataLayout());
    known = m.index == no_value ? known : llvm::commonAlignment(known, static_cast<std::uint64_t>(m.scale));
    return llvm::commonAlignment(known, static_cast<std::uint64_t>(m.offset));
  }

  /// Inserts a phi before debug records that precede the first operation.
  void insert_phi_before(llvm::Instruction& phi, node_id n, value_id before) const {
    llvm::BasicBlock& b = *block(n);
    const bool is_last = before == no_value || !is_phi(before);
    phi.insertBefore(b, is_last ? b.getFirstNonPHIIt() : f_.instruction(before).getIterator());
  }

  /// Whether `s` is the only successor of `n`, and `n` the only predecessor of `s`.
  bool follows_only(node_id s, node_id n) const {
    return graph().out_edges(n).size() == 1 && num_in_edges(s) == 1 && f_.edge(graph().out_edges(n)[0]).target == s;
  }

  void move_operation(value_id v, place p) {
    const node_id n = node_at(p);
    const value_id before = value_at(p);
    if (before == v) {
      return;
    }
    const node_id from = node_of(v);
    const bool keeps_records = f_.first(from) == v && follows_only(from, n) && p.where == place::kind::end;
    llvm::BasicBlock& b = *block(n);
    const auto at = before == no_value ? b.end() : f_.instruction(before).getIterator();
    if (keeps_records) {
      f_.instruction(v).moveBeforePreserving(b, at);
      f_.instruction(v).adoptDbgRecords(&b, at, true); // records that were before the place are now before these
    } else {
      f_.instruction(v).moveBefore(b, at);
    }
    f_.unlink(v);
    f_.link(v, n, before);
  }

  // Erasing.

  /// Visits each number once: a restored thing may have been erased again.
  template <class Visit> void delete_erased(const flat_array<std::uint32_t>& erased, std::size_t count, Visit visit) {
    w_.is_deleted_.assign(erased.empty() ? 0 : count, 0);
    for (const std::uint32_t id : erased) {
      if (w_.is_deleted_[id] == 0) {
        w_.is_deleted_[id] = 1;
        visit(id);
      }
    }
  }

  /// Forgets an instruction without operands that no debug record names.
  void forget(llvm::Instruction& i) {
    auto* const phi = llvm::dyn_cast<llvm::PHINode>(&i);
    if (i.isUsedByMetadata()) {
      if (phi == nullptr && reads_all(i)) {
        llvm::salvageDebugInfo(i);
      }
      if (i.isUsedByMetadata()) {
        llvm::ValueAsMetadata::handleRAUW(&i, llvm::PoisonValue::get(i.getType()));
      }
    }
    if (phi != nullptr) {
      detail::llvm_phi_edges::clear_inputs(*phi);
      return;
    }
    for (unsigned at = 0; at != i.getNumOperands(); ++at) {
      if (detail::is_llvm_operand(i, at) || llvm::isa_and_nonnull<llvm::BasicBlock>(i.getOperand(at))) {
        i.getOperandUse(at).set(nullptr);
      }
    }
  }

  static bool reads_all(const llvm::Instruction& i) {
    for (const llvm::Use& use : i.operands()) {
      if (use.get() == nullptr) {
        return false;
      }
    }
    return true;
  }

  void erase(value_id v) {
    forget(f_.instruction(v));
    take_out(v);
  }

  /// Erases an instruction of a node that has lost its operands.
  void erase_instruction(llvm::Instruction& i, node_id n) {
    if (f_.has_numbers()) {
      take_out(&i == &block(n)->back() ? f_.last(n) : f_.number(&i));
    } else {
      i.removeFromParent();
      w_.kept_.push_back(&i);
    }
  }

  void take_out(value_id v) {
    f_.clear_operands(v);
    f_.unlink(v);
    w_.erased_.push_back(v);
    f_.instruction(v).removeFromParent();
  }

  /// The address of an erased block becomes 1, as in LLVM, and the block keeps the constant until it is deleted.
  MIDEND_SELDOM_CALLED void replace_lost_addresses() {
    f_.replace_constants([&] {
      for (const node_id n : w_.lost_addresses_) {
        llvm::BasicBlock& b = *block(n);
        if (b.getParent() != nullptr) {
          continue; // it was restored
        }
        for (llvm::User* const user : b.users()) {
          if (auto* const address = llvm::dyn_cast<llvm::BlockAddress>(user)) {
            address->replaceAllUsesWith(llvm::ConstantExpr::getIntToPtr(
                llvm::ConstantInt::get(llvm::Type::getInt32Ty(b.getContext()), 1), address->getType()));
          }
        }
      }
    });
    w_.lost_addresses_.clear();
  }

  // Phis.

  value_id add_phi(llvm::PHINode* phi, node_id n, value_id before) {
    const value_id v = f_.add_instruction(phi);
    f_.link(v, n, before);
    phis_.add_inputs(v, n);
    return v;
  }

  value_id clone_phi(value_id v, node_id n) {
    MIDEND_ASSERT(n != graph().entry(), "a node other than the entry");
    llvm::PHINode& original = f_.phi(v);
    f_.order(n);
    auto* const phi = llvm::PHINode::Create(original.getType(), num_in_edges(n));
    const value_id before = f_.first_after_phis(n);
    insert_phi_before(*phi, n, before);
    const value_id clone = add_phi(phi, n, before);
    phi->copyMetadata(original);
    phi->setDebugLoc(original.getDebugLoc());
    phi->copyIRFlags(&original);
    complete_clone(clone, v);
    return clone;
  }

  void move_phi(value_id v, place p) {
    const node_id n = node_at(p);
    const value_id before = p.where == place::kind::before ? p.value : f_.first_after_phis(n);
    if (before == v) {
      return;
    }
    llvm::PHINode& phi = f_.phi(v);
    const bool stays = node_of(v) == n;
    f_.order(node_of(v));
    f_.order(n);
    f_.unlink(v);
    phi.removeFromParent();
    insert_phi_before(phi, n, before);
    f_.link(v, n, before);
    if (!stays) {
      detail::llvm_phi_edges::clear_inputs(phi);
      phis_.add_inputs(v, n);
    }
  }

  // Terminators.

  /// Notes a new end. Returns `no_value` if instructions have no numbers.
  value_id add_end(llvm::Instruction* end, node_id n) {
    f_.start_change();
    MIDEND_ASSERT(f_.end_of(n) == nullptr, "a node without an end", n);
    insert(*end, n, no_value);
    if (!f_.has_numbers()) {
      return no_value;
    }
    const value_id v = f_.add_instruction(end);
    f_.link(v, n, no_value);
    return v;
  }

  value_id clone_end(value_id v, node_id n) {
    llvm::Instruction* const clone = f_.instruction(v).clone();
    MIDEND_ASSERT(f_.terminator(n) == no_value, "a node without an end", n);
    insert(*clone, n, no_value);
    const value_id end = f_.add_instruction(clone, v);
    f_.link(end, n, no_value);
    const node_id from = node_of(v);
    for (std::size_t k = 0; k != graph().out_edges(from).size(); ++k) {
      const edge_id e = graph().out_edges(from)[k];
      const std::uint32_t slot = f_.slot_of(e);
      const node_id target = f_.edge(e).target;
      clone->setSuccessor(slot, block(target));
      profile_.copy(e, phis_.add_edge(n, target, slot));
    }
    complete_clone(end, v);
    marks_.note_clone(n, end);
    return end;
  }

  void move_end(value_id end, node_id n) {
    MIDEND_ASSERT(f_.terminator(n) == no_value, "a node without an end", n);
    const node_id from = node_of(end);
    if (from == n) {
      return;
    }
    for (const edge_id e : graph().out_edges(from)) {
      f_.order(f_.edge(e).target);
    }
    llvm::BasicBlock& b = *block(n);
    f_.instruction(end).moveBeforePreserving(b, b.end());
    f_.unlink(end);
    f_.link(end, n, no_value);
    phis_.move_out_edges(from, n);
    marks_.note(n);
  }

  /// The location of the first operation of the node that `n` is like.
  llvm::DebugLoc location_of(node_id n) const {
    const node_id like = n < w_.like_.size() && w_.like_[n] != no_node ? w_.like_[n] : n;
    const llvm::BasicBlock& b = *block(like);
    const auto i = b.getFirstNonPHIIt();
    return i == b.end() ? llvm::DebugLoc() : i->getDebugLoc();
  }

  // Clones.

  void complete_clone(value_id clone, value_id original) {
    llvm::Instruction& c = f_.instruction(clone);
    const llvm::Instruction& o = f_.instruction(original);
    if (o.hasName()) {
      c.setName(o.getName());
    }
    if (c.hasMetadata()) {
      c.setMetadata(llvm::LLVMContext::MD_DIAssignID, nullptr);
    }
    copies_.add_copy(clone, original);
  }

  llvm_fold_options options_;
  std::optional<llvm_editor_workspace> own_; ///< unless one was given
  llvm_editor_workspace& w_;
  detail::llvm_numbered_function& f_ = w_.function_;
  detail::llvm_phi_edges& phis_ = w_.phis_;
  detail::llvm_copied_values& copies_ = w_.copies_;
  detail::llvm_loop_marks& marks_ = w_.marks_;
  detail::llvm_edge_profile& profile_ = w_.profile_;
  bool had_old_debug_info_;
  const llvm::Value* true_;
  const llvm::Value* false_;
};

static_assert(ir_editor<llvm_editor> && operation_editor<llvm_editor> && branch_editor<llvm_editor> &&
              restoring_editor<llvm_editor> && places_values<llvm_editor> && semantic_ir<llvm_editor> &&
              effect_ir<llvm_editor> && profile_editor<llvm_editor> && has_users<llvm_editor> &&
              can_make_local_arrays<llvm_editor> && has_local_array_bytes<llvm_editor> && can_make_loads<llvm_editor> &&
              can_make_stores<llvm_editor> && has_storage_bytes<llvm_editor>);

MIDEND_END_NAMESPACE
