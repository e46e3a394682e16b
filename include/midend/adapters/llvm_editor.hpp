/// `llvm_editor`: changes an `llvm::Function` through the editing rungs of the IR contract. For LLVM 19.
#pragma once

#include "midend/adapters/detail/llvm_consistency.hpp"
#include "midend/adapters/detail/llvm_copied_values.hpp"
#include "midend/adapters/detail/llvm_described_values.hpp"
#include "midend/adapters/detail/llvm_dropped_promises.hpp"
#include "midend/adapters/detail/llvm_edge_profile.hpp"
#include "midend/adapters/detail/llvm_end_edits.hpp"
#include "midend/adapters/detail/llvm_erased_code.hpp"
#include "midend/adapters/detail/llvm_loop_marks.hpp"
#include "midend/adapters/detail/llvm_memory_edits.hpp"
#include "midend/adapters/detail/llvm_node_edits.hpp"
#include "midend/adapters/detail/llvm_node_questions.hpp"
#include "midend/adapters/detail/llvm_numbered_blocks.hpp"
#include "midend/adapters/detail/llvm_numbered_values.hpp"
#include "midend/adapters/detail/llvm_operand_lists.hpp"
#include "midend/adapters/detail/llvm_operation_edits.hpp"
#include "midend/adapters/detail/llvm_operation_record.hpp"
#include "midend/adapters/detail/llvm_phi_edges.hpp"
#include "midend/adapters/detail/llvm_phi_entries.hpp"
#include "midend/adapters/detail/llvm_uses.hpp"
#include "midend/adapters/llvm_bounds.hpp"
#include "midend/adapters/llvm_constants.hpp"
#include "midend/adapters/llvm_editor_graph.hpp"
#include "midend/adapters/llvm_editor_workspace.hpp"
#include "midend/adapters/llvm_effects.hpp"
#include "midend/adapters/llvm_operations.hpp"
#include "midend/adapters/llvm_refusals.hpp"
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
#include "midend/support/range.hpp"
#include "midend/support/span.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Argument.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Type.h>
#include <llvm/IR/Value.h>
#include <llvm/Support/Casting.h>

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// When values get their numbers.
enum class llvm_value_numbers : std::uint8_t {
  of_the_start, ///< before the first change at the latest: the numbers of `llvm_ssa`, so results for that view apply
  when_asked    ///< when a number is asked for: results for other views of the function do not apply after a change
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
/// **Parts.** `llvm_editor_workspace` lists them in order: the numbers of blocks and values, what follows the changes,
/// and the changes themselves. Each is a header of `detail/` that says what it holds.
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
    erased_.delete_all();
    promises_.delete_all();
    if (had_old_debug_info_) {
      blocks_.function().setIsNewDbgInfoFormat(false);
    }
    w_.is_used_ = false;
  }

  /// The function, finished.
  llvm::Function& function() {
    finish();
    return blocks_.function();
  }

  // Reading.

  const llvm_editor_graph& graph() const { return blocks_.graph(); }

  llvm::BasicBlock* block(node_id n) const { return &blocks_.block(n); }

  /// The node of a block, or `no_node`.
  node_id node(const llvm::BasicBlock* b) const { return blocks_.node(b); }

  std::size_t num_values() const { return values_.num_values(); }

  /// The value with a number. Erased instructions exist as long as the editor.
  llvm::Value* value(value_id v) const { return &values_.value(v); }

  /// The number of an instruction, an argument, or a constant that the function uses or used; else `no_value`.
  value_id number(const llvm::Value* v) const { return values_.number(v); }

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
    return {value_iterator(*this, values_.first(n)), value_iterator(*this, no_value)};
  }

  id_range<value_id> parameters() const { return values_.parameters(); }

  /// Operands as in `llvm_ssa`: without blocks, metadata and inline assembly. The operands of a phi are in the order of
  /// `graph().in_edges(n)`.
  span<const value_id> operands(value_id v) const { return operands_.of(v); }

  /// The instructions of the function that read a value, found through LLVM's list of uses. The users of a constant are
  /// searched in its whole context.
  auto users(value_id v) const { return uses_.users(v); }

  /// The nodes in which a value is read: for each use by an operation its node, for each input of a phi the source of
  /// the edge. For an instruction or parameter. Reads LLVM's list of uses, and needs no numbers of values.
  auto reading_nodes(value_id v) const { return uses_.reading_nodes(v); }

  /// The operations among the operands of an instruction, found through LLVM's operands. Needs no numbers of constants.
  auto operand_operations(value_id v) const { return uses_.operand_operations(v); }

  bool is_phi(value_id v) const { return values_.is_phi(v); }

  value_id phi_input(value_id phi, edge_id e) const { return operands_.of(phi)[blocks_.edge(e).position]; }

  value_id condition(node_id n) const {
    if (graph().out_edges(n).size() < 2) {
      return no_value;
    }
    const value_id end = values_.terminator(n);
    return end != no_value && decides(end) ? operands_.first(end) : no_value;
  }

  operation_info operation(value_id v) const { return values_.operation(v).info; }

  bool is_number(value_id v) const { return detail::is_llvm_integer(values_.value(v).getType()); }

  /// Pointers and numbers may have the same width.
  bool same_type(value_id v, value_id w) const { return value(v)->getType() == value(w)->getType(); }

  std::optional<std::uint64_t> constant(value_id v) const {
    const auto* const c = values_.is_instruction(v) ? nullptr : llvm::dyn_cast<llvm::Constant>(&values_.value(v));
    return c == nullptr ? std::nullopt : llvm_constant_bits(c);
  }

  std::optional<number_range> bounds(value_id v) const {
    const bool may_have = values_.is_instruction(v) ? (marks(v) & record::bounded) != 0
                                                    : is_number(v) && llvm::isa<llvm::Argument>(values_.value(v));
    return may_have ? llvm_bounds(values_.value(v)) : std::nullopt;
  }

  bool is_undefined(value_id v) const {
    return !values_.is_instruction(v) && llvm::isa<llvm::UndefValue>(values_.value(v));
  }

  bool is_opaque(value_id v) const { return (marks(v) & record::opaque) != 0; }

  std::optional<std::uint64_t> fold(value_id v, span<const std::uint64_t> args) const {
    const operation_info info = operation(v);
    if (info.code == operation::other) {
      return detail::fold_other_llvm_instruction(values_.instruction(v), args, options_);
    }
    const evaluation result = evaluate(info, args.first(arity(info.code)));
    return result ? std::optional(result.bits) : std::nullopt;
  }

  std::optional<std::uint64_t> edge_case(edge_id e) const {
    const value_id end = values_.terminator(blocks_.edge(e).source);
    MIDEND_ASSERT(end != no_value && decides(end), "an edge from a block that ends in a condition", e);
    return detail::llvm_case_of(values_.instruction(end), blocks_.edge(e).slot);
  }

  /// Whether an edge is taken by exceptions.
  bool is_exceptional(edge_id e) const { return block(blocks_.edge(e).target)->isEHPad(); }

  // Effects.

  effect_kind effect(value_id v) const { return llvm_operation_effect(values_.instruction(v)); }

  bool may_trap(value_id v) const { return llvm_may_trap(values_.instruction(v)); }

  bool may_trap_without_promises(value_id v) const { return llvm_may_trap_without_promises(values_.instruction(v)); }

  /// Whether a branch on a value may be undefined: a branch on poison is undefined, and does not trap.
  bool may_be_indeterminate(value_id v) const { return !llvm::isGuaranteedNotToBeUndefOrPoison(value(v)); }

  bool is_repeatable(value_id v) const { return llvm_is_repeatable(values_.instruction(v)); }

  bool is_convergent(value_id v) const { return llvm_is_convergent(values_.instruction(v)); }

  bool accepts_operations(node_id n) const { return llvm_accepts_operations(*block(n)); }

  bool may_not_return(value_id v) const { return llvm_may_not_return(values_.instruction(v)); }

  bool is_volatile(value_id v) const { return llvm_is_volatile(values_.instruction(v)); }

  bool is_terminator(value_id v) const { return values_.is_terminator(v); }

  bool may_duplicate(value_id v) const { return copy_refusal(v) == llvm_refusal::none; }

  /// Why a value must not be copied, or `none`.
  llvm_refusal copy_refusal(value_id v) const { return llvm_copy_refusal(values_.instruction(v)); }

  bool must_end(edge_id backedge) const { return llvm_must_end(*blocks_.end_of(blocks_.edge(backedge).source)); }

  bool may_redirect(edge_id e) const { return redirect_refusal(e) == llvm_refusal::none; }

  bool may_split(edge_id e) const { return may_redirect(e); }

  /// Why the target of an edge cannot be changed, or `none`.
  llvm_refusal redirect_refusal(edge_id e) const { return phis_.refusal(e); }

  /// LLVM's phis name blocks, so edges of one block with different inputs need blocks of their own.
  bool separates_parallel_edges() const { return true; }

  /// Whether a phi can have the type of the value: not if it is a token.
  bool may_insert_phi(value_id v) const { return !values_.value(v).getType()->isTokenTy(); }

  // Places.

  node_id node_of(value_id v) const { return values_.node_of(v); }

  value_id value_after(value_id v) const { return values_.next(v); }

  /// Describes a value for comparison with values of this function and its copies in one context: an instruction by
  /// `describe_llvm_operation`, a parameter by its number, the address of an own block by the node, and other constants
  /// by themselves. Optional member, for certificates.
  void describe(value_id v, operation_description& out) const { detail::describe_llvm_value(blocks_, values_, v, out); }

  /// Whether a literal or parameter is equal, or an instruction computes an equal result and promises no more; see
  /// `describe`. The other function is this one or a copy with equal numbers of blocks, in one context.
  bool same_operation(value_id v, const llvm_editor& other, value_id w) const {
    return same_description(*this, v, other, w);
  }

  // Values.

  value_id insert_phi(node_id n, value_id like) { return w_.phi_edits_.insert(n, like); }

  void set_phi_input(value_id phi, edge_id e, value_id v) {
    MIDEND_ASSERT(is_phi(phi) && node_of(phi) == blocks_.edge(e).target, "a phi in the target of the edge", phi, e);
    values_.start_change();
    phis_.set(phi, e, v);
  }

  void replace_uses(value_id v, value_id by) { uses_.replace(v, by); }

  void erase_value(value_id v) {
    MIDEND_ASSERT(values_.is_instruction(v) && !is_terminator(v), "an operation or phi", v);
    MIDEND_ASSERT(value(v)->use_empty(), "a value without users", v);
    values_.start_change();
    erased_.erase(v);
  }

  value_id clone_value(value_id v, node_id n) {
    values_.start_change();
    if (is_phi(v)) {
      return w_.phi_edits_.clone(v, n);
    }
    if (is_terminator(v)) {
      return ends_.clone(v, n);
    }
    return operations_.clone(v, place_at_end(n));
  }

  value_id clone_value(value_id v, place p) { return operations_.clone(v, p); }

  /// A constant. The number 0 for a type without numbers is its null.
  value_id make_constant(value_id like, constant_type c) {
    llvm::Type* const type = value(like)->getType();
    const bool is_null = c == 0 && !detail::is_llvm_number(type);
    return values_.number_of(is_null ? llvm::Constant::getNullValue(type) : llvm_constant(type, c));
  }

  void set_operand(value_id user, std::size_t i, value_id v) { uses_.set(user, i, v); }

  /// Moves a value. Debug records before it stay, with two exceptions: the first operation of a node that moves to the
  /// end of the only predecessor, whose only successor the node is; and a terminator.
  void move_value(value_id v, place p) {
    values_.start_change();
    if (is_phi(v)) {
      w_.phi_edits_.move(v, p);
    } else if (is_terminator(v)) {
      ends_.move(v, p.node);
    } else {
      operations_.move(v, p);
    }
  }

  void drop_promises(value_id v) { promises_.drop(v); }

  /// A mark for `set_promises`: the number of promises dropped so far. Promises that are dropped from now on can be
  /// restored by it.
  std::uint64_t promises(value_id) const { return promises_.mark(); }

  void set_promises(value_id v, std::uint64_t promises) { promises_.restore(v, promises); }

  value_id make_operation(const operation_info& info, span<const value_id> operands, place p) {
    return operations_.make(info, operands, p);
  }

  value_id make_number(unsigned width, std::uint64_t bits) {
    if (width == 0 || width > widest_number) {
      return no_value;
    }
    return values_.number_of(
        llvm::ConstantInt::get(llvm::IntegerType::get(blocks_.function().getContext(), width), bits));
  }

  /// `poison`: where it arrives, the program before had no value to read.
  value_id undefined_like(value_id v) { return values_.number_of(llvm::PoisonValue::get(value(v)->getType())); }

  // Memory of its own.

  /// A slot on the stack, at the head of the entry. `no_value` if addresses of slots do not have 64 bits.
  value_id make_local_array(std::uint32_t bytes) { return memory_.make_local_array(bytes); }

  /// Of a slot of constant size in the entry.
  std::uint32_t local_array_bytes(value_id v) const { return memory_.local_array_bytes(v); }

  /// 0 for aggregates, whose padding is not kept, for pointers that are no numbers, and for types without a fixed size.
  std::uint32_t storage_bytes(value_id v) const { return memory_.storage_bytes(v); }

  /// Makes a load, after a `getelementptr` if the address is not the base. The class is that of the object, and `m`
  /// cannot change it. `no_value` if the base is no pointer of 64 bits, the index is no number, its scale is not
  /// positive, or `m` has other bytes than the type.
  value_id make_load(value_id like, const memory_reference& m, place p) { return memory_.make_load(like, m, p); }

  value_id make_store(value_id v, const memory_reference& m, place p) { return memory_.make_store(v, m, p); }

  // Flow.

  /// Puts the new block before that of `like`; if that is the entry, after it.
  node_id create_node(node_id like) { return nodes_.create(like); }

  void redirect_edge(edge_id e, node_id target) {
    MIDEND_ASSERT(target != graph().entry(), "a target that is not the entry");
    values_.start_change();
    marks_.pass_over(e, target);
    phis_.redirect(e, target);
  }

  void set_jump(node_id n, node_id target) { ends_.set_jump(n, target); }

  void keep_edge(edge_id e) { ends_.keep_edge(e); }

  void erase_nodes(span<const node_id> nodes) { nodes_.erase(nodes); }

  void erase_end(node_id n) { ends_.erase(n); }

  // Whole nodes, without numbers of values (`cleans_nodes`).

  /// Whether a value decides where control goes: then it is `condition(n)`.
  bool has_condition(node_id n) const { return questions_.has_condition(n); }

  /// Whether the end of a node only leads to its only edge. A `callbr` with one successor does more.
  bool ends_in_jump(node_id n) const { return questions_.ends_in_jump(n); }

  /// The edge that a literal condition takes, or `no_edge`.
  edge_id literal_edge(node_id n) const { return questions_.literal_edge(n); }

  /// The node of the condition if that is a phi, or `no_node`. Requires `has_condition(n)`. O(1).
  node_id deciding_phi(node_id n) const { return questions_.deciding_phi(n); }

  /// Whether phis of node `end` get equal inputs along two edges. Each leads there, or to a node that has only phis and
  /// a jump there.
  bool have_equal_inputs(edge_id a, edge_id b, node_id end) const { return questions_.have_equal_inputs(a, b, end); }

  /// Whether a node has only phis and a jump, the edges at both sides may be redirected, and only phis of the next node
  /// read its phis, along its edge.
  bool does_nothing(node_id n) const { return questions_.does_nothing(n); }

  /// Whether a node has no values.
  bool is_empty(node_id n) const { return block(n)->empty(); }

  /// Whether values of a node are read in others, apart from phis along the edges from it.
  bool is_read_elsewhere(node_id n) const { return questions_.is_read_elsewhere(n); }

  /// Appends a node to `into`, its only predecessor, which has no other successor: phis are replaced by their input,
  /// and operations, end and edges move. Returns whether there were phis.
  bool append_node(node_id into, node_id n) { return nodes_.append(into, n); }

  /// Leads the edges into a node that `does_nothing` to the next node, whose phis get the inputs that the node passed
  /// on. The node has no end afterwards.
  void pass_over(node_id n) { nodes_.pass_over(n); }

  void set_branch(node_id n, value_id condition, node_id then, node_id otherwise) {
    ends_.set_branch(n, condition, then, otherwise);
  }

  void set_switch(node_id n, value_id v, span<const constant_type> cases, span<const node_id> targets,
                  node_id otherwise) {
    ends_.set_switch(n, v, cases, targets, otherwise);
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
    if (is_phi(v)) {
      w_.phi_edits_.restore(v, p);
    } else {
      operations_.restore(v, p);
      uses_.set_all(v, operands);
    }
  }

  void restore_end(value_id end, node_id n, span<const value_id> operands, span<const edge_id> edges,
                   span<const node_id> targets) {
    ends_.restore(end, n, operands, edges, targets);
  }

  void restore_node(node_id n) { erased_.restore_block(n); }

  // Completing.

  /// See the class. O(what changed), and the dominators and loops if a loop has metadata and the flow changed.
  void finish() {
    phis_.separate();
    copies_.rename_records();
    marks_.place();
    erased_.complete();
  }

  /// Whether the editor's numbers, lists and operands agree with the function: for tests. O(function).
  bool is_consistent() const {
    return detail::llvm_consistency(blocks_, entries_, values_, operands_, uses_, phis_).is_consistent();
  }

private:
  using record = detail::llvm_operation_record;

  llvm_editor(llvm::Function& f, const llvm_fold_options& options, llvm_editor_workspace* w, llvm_value_numbers numbers)
      : options_(options), w_(w == nullptr ? own_.emplace() : *w), had_old_debug_info_(!f.IsNewDbgInfoFormat) {
    w_.start(f, numbers == llvm_value_numbers::when_asked);
    options_.subtracts_addresses = false; // operands are those of the instruction
    if (had_old_debug_info_) {            // before instructions are read
      f.setIsNewDbgInfoFormat(true);
    }
  }

  unsigned marks(value_id v) const { return values_.operation(v).marks; }

  /// Whether a number decides where a terminator goes.
  bool decides(value_id end) const { return (marks(end) & (record::branch | record::choice)) != 0; }

  llvm_fold_options options_;
  std::optional<llvm_editor_workspace> own_; ///< unless one was given
  llvm_editor_workspace& w_;
  bool had_old_debug_info_;
  detail::llvm_numbered_blocks& blocks_ = w_.blocks_;
  detail::llvm_phi_entries& entries_ = w_.entries_;
  detail::llvm_numbered_values& values_ = w_.values_;
  detail::llvm_operand_lists& operands_ = w_.operands_;
  detail::llvm_phi_edges& phis_ = w_.phis_;
  detail::llvm_copied_values& copies_ = w_.copies_;
  detail::llvm_loop_marks& marks_ = w_.marks_;
  detail::llvm_edge_profile& profile_ = w_.profile_;
  detail::llvm_erased_code& erased_ = w_.erased_;
  detail::llvm_dropped_promises& promises_ = w_.promises_;
  detail::llvm_uses& uses_ = w_.uses_;
  detail::llvm_operation_edits& operations_ = w_.operations_;
  detail::llvm_memory_edits& memory_ = w_.memory_;
  detail::llvm_end_edits& ends_ = w_.ends_;
  detail::llvm_node_edits& nodes_ = w_.nodes_;
  detail::llvm_node_questions& questions_ = w_.questions_;
};

static_assert(ir_editor<llvm_editor> && operation_editor<llvm_editor> && branch_editor<llvm_editor> &&
              restoring_editor<llvm_editor> && places_values<llvm_editor> && semantic_ir<llvm_editor> &&
              effect_ir<llvm_editor> && profile_editor<llvm_editor> && has_users<llvm_editor> &&
              can_make_local_arrays<llvm_editor> && has_local_array_bytes<llvm_editor> && can_make_loads<llvm_editor> &&
              can_make_stores<llvm_editor> && has_storage_bytes<llvm_editor>);

MIDEND_END_NAMESPACE
