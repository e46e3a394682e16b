/// `llvm_ssa`: an `llvm::Function` as a model of the SSA and semantics rungs of the IR contract. For LLVM 19.
#pragma once

#include "midend/adapters/llvm_bounds.hpp"
#include "midend/adapters/llvm_constants.hpp"
#include "midend/adapters/llvm_numbering.hpp"
#include "midend/adapters/llvm_operations.hpp"
#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/range.hpp"
#include "midend/support/span.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The successors of numbered blocks, to be copied.
struct llvm_successors {
  const llvm_numbering& numbering;

  std::size_t num_nodes() const { return numbering.num_blocks(); }

  node_id entry() const { return 0; }

  auto successors(node_id n) const {
    const llvm::Instruction& last = numbering.block(n)->back();
    const auto* const branch = llvm::dyn_cast<llvm::BranchInst>(&last); // they answer without a call
    const unsigned count = branch == nullptr ? last.getNumSuccessors() : branch->getNumSuccessors();
    return mapped(id_range<unsigned>(0, count), [this, &last, branch](unsigned i) {
      return numbering.node(branch == nullptr ? last.getSuccessor(i) : branch->getSuccessor(i));
    });
  }
};

} // namespace detail

/// A function of LLVM in SSA form: models `semantic_ir`.
///
/// **Nodes** are the blocks in the order of the function, so the entry is node 0; unreachable blocks are included.
/// Edges are in the order of `llvm::successors`, parallel edges are kept.
///
/// **Values**: first all instructions in the order of the function, including those without a result, so that the
/// values of a node have consecutive numbers; then the arguments, then the constants and globals that instructions use,
/// in the order of first use. Operands are in LLVM's order, without blocks, metadata and inline assembly; the only
/// operand of a switch is its condition. A phi has an operand for each edge into its block, in the order of
/// `graph().in_edges(n)`.
///
/// `condition(n)` is the condition of a `br` or `switch` with at least two successors; other terminators (`invoke`,
/// `indirectbr`, `callbr`, `catchswitch`) have none and may go to any successor.
///
/// Operations are those of `llvm_operation`, constants those of `llvm_constant_bits`. Operations outside of
/// the vocabulary are folded by LLVM's own folder: loads from constant memory, address arithmetic, casts, vectors,
/// aggregates, intrinsics, floating point where only one result is correct, and what `llvm_fold_options` adds. The
/// folder creates constants in the function's context, so views of functions of one context must not fold on different
/// threads at the same time.
///
/// The view is a flat copy that refers to LLVM's values; make it again when the function changes. Requires verified IR.
/// A declaration has no nodes. Expected time linear in the instructions and their operands; 20 bytes an instruction, 4
/// an operand, and about 12 a value for finding numbers by address. The view of a small function, up to about 10 blocks
/// and 90 values, is all in the object, which therefore has 5 KB: keep it where it is made.
class llvm_ssa {
public:
  using constant_type = std::uint64_t;

  llvm_ssa() = default;

  explicit llvm_ssa(const llvm::Function& f, const llvm_fold_options& options = {}) { assign(f, options); }

  /// Makes this the view of another function; allocates nothing if an earlier one was at least as large.
  void assign(const llvm::Function& f, const llvm_fold_options& options = {}) {
    options_ = options;
    numbering_.read(f, options);
    graph_.assign(detail::llvm_successors{numbering_});
    numbering_.complete(graph_);
  }

  const csr_graph& graph() const { return graph_; }

  const llvm::BasicBlock* block(node_id n) const { return numbering_.block(n); }

  /// The node of a block, or `no_node` if it is of another function.
  node_id node(const llvm::BasicBlock* b) const { return numbering_.node(b); }

  std::size_t num_values() const { return numbering_.num_values(); }

  /// Values below this are instructions.
  std::size_t num_instructions() const { return numbering_.num_instructions(); }

  const llvm::Value* value(value_id v) const { return numbering_.value(v); }

  /// The number of an instruction, an argument, or a constant that the function uses; else `no_value`.
  value_id number(const llvm::Value* v) const { return numbering_.number(v); }

  id_range<value_id> values(node_id n) const {
    return {numbering_.first_value(n), numbering_.first_value(n + std::size_t{1})};
  }

  id_range<value_id> parameters() const {
    const value_id first = numbering_.num_instructions();
    return {first, first + numbering_.num_arguments()};
  }

  span<const value_id> operands(value_id v) const { return numbering_.operands(v); }

  bool is_phi(value_id v) const { return has(v, record::phi); }

  value_id phi_input(value_id phi, edge_id e) const { return operands(phi)[numbering_.position(e)]; }

  value_id condition(node_id n) const {
    const value_id last = terminator(n);
    return has(last, record::branch | record::choice) ? numbering_.operands(last)[0] : no_value;
  }

  /// Facts about a value that are known without reading it.
  const detail::llvm_operation_record& record_of(value_id v) const { return numbering_.record(v); }

  operation_info operation(value_id v) const { return numbering_.record(v).info; }

  /// Whether a value is an integer of up to 64 bits. The constants of others are addresses, see `llvm_constant_bits`.
  bool is_number(value_id v) const { return detail::is_llvm_number(value(v)->getType()); }

  /// Always inlined, because g++ returns an optional through memory, byte by byte, and reading it back as words waits
  /// for that.
  MIDEND_ALWAYS_INLINED std::optional<std::uint64_t> constant(value_id v) const {
    return has(v, record::constant) ? llvm_constant_bits(llvm::cast<llvm::Constant>(value(v))) : std::nullopt;
  }

  /// The range that `!range`, attributes and LLVM's intrinsics guarantee, see `llvm_bounds`.
  std::optional<number_range> bounds(value_id v) const {
    return has(v, record::bounded) ? known_bounds(v) : std::nullopt;
  }

  /// Whether a value is `undef` or `poison`.
  bool is_undefined(value_id v) const { return has(v, record::undefined); }

  /// Whether two values have one type of LLVM.
  bool same_type(value_id v, value_id w) const { return value(v)->getType() == value(w)->getType(); }

  /// Whether an instruction is never folded: those without result, terminators, and most calls.
  bool is_opaque(value_id v) const { return has(v, record::opaque); }

  std::optional<std::uint64_t> fold(value_id v, span<const std::uint64_t> args) const {
    MIDEND_ASSERT(is_instruction(v) && !is_phi(v), "an instruction that is no phi", v);
    const operation_info info = operation(v);
    if (info.code == operation::other) {
      return detail::fold_other_llvm_instruction(llvm::cast<llvm::Instruction>(*value(v)), args, options_);
    }
    const evaluation result = evaluate(info, args.first(arity(info.code)));
    return result ? std::optional(result.bits) : std::nullopt;
  }

  MIDEND_ALWAYS_INLINED std::optional<std::uint64_t> edge_case(edge_id e) const { // always inlined, like `constant`
    const node_id n = graph_.edge_source(e);
    MIDEND_ASSERT(condition(n) != no_value, "an edge from a block that ends in a condition", e);
    const edge_id position = e - graph_.offsets()[n];
    const value_id last = terminator(n);
    if (has(last, record::branch)) {
      return 1 - position; // the true edge comes first
    }
    if (position == 0) {
      return std::nullopt; // the default edge comes first
    }
    const auto* const choice = llvm::cast<llvm::SwitchInst>(value(last));
    return llvm::SwitchInst::ConstCaseIt(choice, position - 1)->getCaseValue()->getZExtValue();
  }

  /// Whether an edge is taken by exceptions: it leads to a landing pad or a similar block. The result of a terminator
  /// is available on its other edges only.
  bool is_exceptional(edge_id e) const { return block(graph_.edge_target(e))->isEHPad(); }

protected:
  /// For derived views with more facts: from now on, `v` is a copy of `of`, and its other operands do not matter.
  void describe_as_copy(value_id v, value_id of) {
    const detail::llvm_operation_record r = numbering_.record(v);
    numbering_.record(v) = {{midend::operation::copy, r.info.width, r.info.width, {}},
                            static_cast<std::uint8_t>(r.marks & ~record::opaque)};
    numbering_.set_first_operand(v, of);
  }

  /// From now on, `v` is an operation outside of the vocabulary that is not opaque.
  void describe_as_other(value_id v) {
    numbering_.record(v).info.code = midend::operation::other;
    numbering_.record(v).marks &= static_cast<std::uint8_t>(~record::opaque);
  }

private:
  using record = detail::llvm_operation_record;

  MIDEND_SELDOM_CALLED std::optional<number_range> known_bounds(value_id v) const { return llvm_bounds(*value(v)); }

  /// Whether a value has one of the marks.
  bool has(value_id v, unsigned marks) const { return (numbering_.record(v).marks & marks) != 0; }

  bool is_instruction(value_id v) const { return v < numbering_.num_instructions(); }

  value_id terminator(node_id n) const { return numbering_.first_value(n + std::size_t{1}) - 1; }

  llvm_fold_options options_;
  detail::llvm_numbering numbering_;
  csr_graph graph_;
};

static_assert(semantic_ir<llvm_ssa> && has_is_undefined<llvm_ssa> && has_bounds<llvm_ssa>);

MIDEND_END_NAMESPACE
