/// The numbers of an LLVM function: blocks, instructions, and what they read. For LLVM 19.
#pragma once

#include "midend/adapters/llvm_bounds.hpp"
#include "midend/adapters/llvm_operations.hpp"
#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/ssa_values.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/range.hpp"
#include "midend/support/span.hpp"

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Use.h>
#include <llvm/Support/Compiler.h>

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// What is known of a value without a look at it.
struct llvm_operation_record {
  enum : std::uint8_t { phi = 1, bounded = 2, opaque = 4, branch = 8, choice = 16, constant = 32, undefined = 64 };

  operation_info info;
  std::uint8_t marks;

  static llvm_operation_record of(const llvm::Instruction& i) {
    const llvm_opcode& opcode = llvm_opcode::of(i.getOpcode());
    return visit_llvm_kind(opcode.is, [&](auto is) { return of<is()>(i, opcode); });
  }

  /// Of an argument or a constant.
  static llvm_operation_record outside(const llvm::Value& v) {
    const std::uint8_t width = llvm_width(v.getType());
    const int mark = llvm::isa<llvm::Argument>(v)     ? is_llvm_number(v.getType()) ? bounded : 0
                     : llvm::isa<llvm::UndefValue>(v) ? undefined
                     : llvm::isa<llvm::Constant>(v)   ? constant
                                                      : 0;
    return {{operation::other, width, width, {}}, static_cast<std::uint8_t>(mark)};
  }

  /// Of an instruction of a kind.
  template <llvm_opcode::kind Is>
  static llvm_operation_record of(const llvm::Instruction& i, const llvm_opcode& opcode) {
    const operation_info info = llvm_operation_of<Is>(i, opcode);
    return {info, static_cast<std::uint8_t>(marks_of<Is>(i, opcode, info.code))};
  }

  template <llvm_opcode::kind Is>
  static int marks_of(const llvm::Instruction& i, const llvm_opcode& opcode, [[maybe_unused]] operation code) {
    using kind = llvm_opcode::kind;
    const int known = opcode.is_opaque ? opaque : 0;
    if constexpr (Is == kind::phi) {
      return phi;
    } else if constexpr (Is == kind::load || Is == kind::invocation) {
      return known | (may_have_llvm_bounds(i) ? bounded : 0);
    } else if constexpr (Is == kind::call) {
      const bool is_opaque =
          code == operation::other && (i.getType()->isVoidTy() || is_opaque_llvm_call(llvm::cast<llvm::CallBase>(i)));
      return (is_opaque ? opaque : 0) | (may_have_llvm_bounds(i) ? bounded : 0);
    } else if constexpr (Is == kind::branch) {
      return llvm::cast<llvm::BranchInst>(i).isConditional() ? known | branch : known;
    } else if constexpr (Is == kind::choice) {
      return decides(llvm::cast<llvm::SwitchInst>(i)) ? known | choice : known;
    } else {
      return known;
    }
  }

  /// `branch` or `choice` if a number decides where a `br` or `switch` goes.
  static int decision(const llvm::Instruction& last) {
    if (const auto* const b = llvm::dyn_cast<llvm::BranchInst>(&last)) {
      return b->isConditional() ? branch : 0;
    }
    const auto* const s = llvm::dyn_cast<llvm::SwitchInst>(&last);
    return s != nullptr && decides(*s) ? choice : 0;
  }

  /// Whether a number decides where it goes.
  static bool decides(const llvm::SwitchInst& i) {
    return i.getNumCases() != 0 && is_llvm_number(i.getCondition()->getType());
  }
};

/// Instructions get 0, 1, … in the order of the function, then come arguments, then constants in the order of first
/// use.
///
/// One pass over the instructions numbers and reads them, because walking LLVM's lists waits for memory, and reading
/// one instruction takes about as long as fetching the next. The others get their final numbers when the instructions
/// have been counted. Operands that come later in the function are filled in after the pass; those of phis are in the
/// order of the edges, so they come last.
class llvm_numbering {
public:
  /// All but the operands of phis. With `copies_fields`, `extractvalue` is a copy of what an `insertvalue` has set, or
  /// a part of an overflow intrinsic.
  void read(const llvm::Function& f, bool copies_fields = false) {
    copies_fields_ = copies_fields;
    number_blocks(f);
    others_.clear();
    others_.reserve(f.arg_size() + 16);
    for (const llvm::Argument& a : f.args()) {
      add_other(&a);
    }
    num_arguments_ = static_cast<value_id>(f.arg_size());
    read_instructions();
    MIDEND_ASSERT(num_instructions_ < first_other, "less than 2^30 instructions", num_instructions_);
    for (const late_operand& late : late_) {
      operands_[late.at] = numbers_.find(late.value);
    }
  }

  /// The rest, once the edges are known. `positions` becomes the position of each edge among those into its target, if
  /// that has phis.
  void complete(const csr_graph& g, flat_array<std::uint32_t>& positions) {
    positions.resize_for_overwrite(has_phis_ ? g.num_edges() : 0);
    if (has_phis_) {
      entries_.resize_for_overwrite(g.num_edges() + num_blocks());
      for (std::size_t n = 0; n != num_blocks(); ++n) {
        read_phis(g, static_cast<node_id>(n), positions);
      }
    }
    const value_id count = num_instructions();
    for (value_id& operand : operands_) {
      operand = final_number(operand, count);
    }
    const auto end = static_cast<std::uint32_t>(operands_.size());
    values_.reserve(values_.size() + others_.size() + 1);
    for (const llvm::Value* const other : others_) {
      values_.push_back({other, llvm_operation_record::outside(*other), end});
    }
    num_values_ = values_.size();
    values_.push_back({nullptr, {}, end});
  }

  /// The number of a value; `no_value` if it has none.
  value_id number(const llvm::Value* v) const {
    const std::uint32_t found = numbers_.find(v);
    return found < first_block ? final_number(found, num_instructions()) : no_value;
  }

  node_id node(const llvm::BasicBlock* b) const {
    const std::uint32_t found = numbers_.find(b);
    return found == no_value ? no_node : found - first_block;
  }

  std::size_t num_blocks() const { return blocks_.size() - 1; }

  const llvm::BasicBlock* block(std::size_t n) const { return blocks_[n].block; }

  std::size_t num_values() const { return num_values_; }

  const llvm::Value* value(value_id v) const { return values_[v].value; }

  value_id num_instructions() const { return static_cast<value_id>(num_instructions_); }

  value_id num_arguments() const { return num_arguments_; }

  value_id first_value(std::size_t n) const { return blocks_[n].first_value; }

  const llvm_operation_record& record(value_id v) const { return values_[v].record; }

  llvm_operation_record& record(value_id v) { return values_[v].record; }

  /// `of` instead of the first operand.
  void set_first_operand(value_id v, value_id of) {
    MIDEND_ASSERT(!operands(v).empty(), "an instruction with operands", v);
    operands_[values_[v].first_operand] = of;
  }

  /// None of arguments and constants.
  span<const value_id> operands(value_id v) const {
    const numbered_value* const at = values_.data() + v;
    return {operands_.data() + at[0].first_operand, operands_.data() + at[1].first_operand};
  }

private:
  // What the map holds: below the first of these numbers, instructions.
  static constexpr std::uint32_t first_other = 0x4000'0000; ///< from here on, arguments and constants
  static constexpr std::uint32_t first_block = 0x8000'0000;

  struct numbered_block {
    const llvm::BasicBlock* block;
    value_id first_value; ///< its values end where those of the next one start
  };

  struct numbered_value {
    const llvm::Value* value;
    llvm_operation_record record;
    std::uint32_t first_operand; ///< its operands end where those of the next one start
  };

  /// An operand that had no number yet when it was read.
  struct late_operand {
    std::uint32_t at;
    const llvm::Value* value;
  };

  void number_blocks(const llvm::Function& f) {
    blocks_.clear();
    blocks_.reserve(32); // enough for most functions
    for (const llvm::BasicBlock& b : f) {
      blocks_.push_back({&b, 0});
    }
    numbers_.clear(10 * blocks_.size()); // about as many values, to begin with
    for (std::size_t n = 0; n != blocks_.size(); ++n) {
      numbers_.find_or_insert(blocks_.data()[n].block, first_block + static_cast<node_id>(n));
    }
    blocks_.push_back({nullptr, 0});
  }

  void read_instructions() {
    values_.resize_for_overwrite(values_.capacity());
    operands_.resize_for_overwrite(operands_.capacity());
    has_phis_ = false;
    late_.clear();
    value_id v = 0;
    std::size_t end = 0; // of the operands
    for (std::size_t n = 0; n != num_blocks(); ++n) {
      blocks_.data()[n].first_value = v;
      for (const llvm::Instruction& i : *blocks_.data()[n].block) {
        prefetch_next(i);
        make_room(v, end + i.getNumOperands());
        numbers_.find_or_insert(&i, v);
        numbered_value& at = values_.data()[v];
        at.value = &i;
        at.first_operand = static_cast<std::uint32_t>(end);
        value_id* const to = operands_.data() + end;
        end += static_cast<std::size_t>(read_instruction(i, at.record, to) - to);
        ++v;
      }
    }
    num_instructions_ = v;
    blocks_.data()[num_blocks()].first_value = v;
    values_.shrink(v);
    operands_.shrink(end);
  }

  /// For an instruction `v`, and for operands up to `last`; fields may be replaced by two.
  void make_room(value_id v, std::size_t last) {
    if (v >= values_.size()) [[unlikely]] {
      values_.extend_for_overwrite(2 * std::size_t{v} + 8 * blocks_.size() + 16);
    }
    if (last >= operands_.size()) [[unlikely]] {
      operands_.extend_for_overwrite(2 * last + 16 * blocks_.size() + 16);
    }
  }

  /// Operands are in front of their instruction.
  static void prefetch_next(const llvm::Instruction& i) {
    if (const auto* const next = reinterpret_cast<const char*>(i.getNextNode())) {
      LLVM_PREFETCH(next - sizeof(llvm::Use), 0, 3);
      LLVM_PREFETCH(next + sizeof(llvm::Instruction) - 1, 0, 3);
    }
  }

  MIDEND_ALWAYS_INLINED value_id* read_instruction(const llvm::Instruction& i, llvm_operation_record& r, value_id* to) {
    const llvm_opcode& opcode = llvm_opcode::of(i.getOpcode());
    return visit_llvm_kind(opcode.is, [&](auto is) MIDEND_ALWAYS_INLINED {
      r = llvm_operation_record::of<is()>(i, opcode);
      return read_operands<is()>(i, r, to);
    });
  }

  template <llvm_opcode::kind Is>
  value_id* read_operands(const llvm::Instruction& i, llvm_operation_record& r, value_id* to) {
    using kind = llvm_opcode::kind;
    if constexpr (Is == kind::phi) {
      has_phis_ = true;
      return to + i.getNumOperands(); // to be filled in
    } else if constexpr (Is == kind::branch) {
      return (r.marks & llvm_operation_record::branch) == 0 ? to : add_first_operands<1>(i, to);
    } else if constexpr (Is == kind::field) {
      return copies_fields_ ? read_field(i, r, to) : add_first_operands<1>(i, to);
    } else if constexpr (Is == kind::cast || Is == kind::load || Is == kind::choice) { // and not its cases
      return add_first_operands<1>(i, to);
    } else if constexpr (Is == kind::binary || Is == kind::comparison) {
      return add_first_operands<2>(i, to);
    } else if constexpr (Is == kind::select) {
      return add_first_operands<3>(i, to);
    } else {
      for (const llvm::Use& use : i.operands()) {
        to = add_operand(use.get(), to);
      }
      return to;
    }
  }

  template <unsigned Count> value_id* add_first_operands(const llvm::Instruction& i, value_id* to) {
    const llvm::Use* const uses = i.op_begin();
    for (unsigned k = 0; k != Count; ++k) {
      to = add_operand(uses[k].get(), to);
    }
    return to;
  }

  MIDEND_SELDOM_CALLED value_id* read_field(const llvm::Instruction& i, llvm_operation_record& r, value_id* to) {
    if (const llvm::Value* const field = llvm_known_field(i)) {
      r.info.code = operation::copy;
      return add_operand(field, to);
    }
    if (const llvm_replacement known = llvm_field_with_overflow(i); known.code != operation::other) {
      r = {{known.code, known.width, known.operand_width, {}}, 0};
      return add_operand(known.right, add_operand(known.left, to));
    }
    return add_operand(i.getOperand(0), to);
  }

  /// Looks at the value itself only if it has no number yet: it may be far away in memory.
  value_id* add_operand(const llvm::Value* v, value_id* to) {
    const std::uint32_t number = numbers_.find(v);
    if (number < first_block) [[likely]] {
      *to = number;
      return to + 1;
    }
    return number == no_value ? add_new_operand(v, to) : to;
  }

  MIDEND_SELDOM_CALLED value_id* add_new_operand(const llvm::Value* v, value_id* to) {
    if (llvm::isa<llvm::Constant>(v)) {
      *to = add_other(v);
    } else if (llvm::isa<llvm::Instruction>(v)) {
      late_.push_back({static_cast<std::uint32_t>(to - operands_.data()), v});
    } else {
      return to;
    }
    return to + 1;
  }

  std::uint32_t add_other(const llvm::Value* v) {
    const std::uint32_t number = first_other + static_cast<std::uint32_t>(others_.size());
    others_.push_back(v);
    return numbers_.find_or_insert(v, number);
  }

  static value_id final_number(std::uint32_t number, value_id num_instructions) {
    return number < first_other ? number : number - first_other + num_instructions;
  }

  void read_phis(const csr_graph& g, node_id n, flat_array<std::uint32_t>& positions) {
    const std::size_t num_edges = g.in_edges(n).size();
    const llvm::PHINode* last = nullptr;
    for (value_id v = first_value(n); (record(v).marks & llvm_operation_record::phi) != 0; ++v) {
      const auto& phi = llvm::cast<llvm::PHINode>(*values_[v].value);
      if (last == nullptr || !have_same_entries(phi, *last)) {
        find_entries(g, phi, positions);
      }
      MIDEND_ASSERT(phi.getNumIncomingValues() == num_edges, "an entry of the phi for each edge", v);
      value_id* const to = operands_.data() + values_[v].first_operand;
      for (std::size_t position = 0; position != num_edges; ++position) {
        const llvm::Value* const input = phi.getIncomingValue(entries_[position]);
        const std::uint32_t number = numbers_.find(input);
        to[position] = number == no_value ? add_other(input) : number;
      }
      last = &phi;
    }
  }

  /// Of two phis of a block.
  static bool have_same_entries(const llvm::PHINode& a, const llvm::PHINode& b) {
    for (unsigned i = 0; i != a.getNumIncomingValues(); ++i) {
      if (a.getIncomingBlock(i) != b.getIncomingBlock(i)) {
        return false;
      }
    }
    return true;
  }

  /// Which entry of the phi belongs to each edge into its block. Entries of parallel edges have the same value.
  void find_entries(const csr_graph& g, const llvm::PHINode& phi, flat_array<std::uint32_t>& positions) {
    const span<const edge_id> edges = g.in_edges(node(phi.getParent()));
    bool is_ordered = edges.size() == phi.getNumIncomingValues();
    for (std::uint32_t position = 0; position != edges.size(); ++position) {
      positions[edges[position]] = position;
      entries_[position] = position;
      is_ordered = is_ordered && phi.getIncomingBlock(position) == blocks_[g.edge_source(edges[position])].block;
    }
    if (is_ordered) {
      return;
    }
    unsigned* const entry_of = entries_.data() + g.num_edges();
    for (unsigned i = 0; i != phi.getNumIncomingValues(); ++i) {
      entry_of[node(phi.getIncomingBlock(i))] = i;
    }
    for (std::uint32_t position = 0; position != edges.size(); ++position) {
      entries_[position] = entry_of[g.edge_source(edges[position])];
    }
  }

  hash_map<const llvm::Value*> numbers_;
  flat_array<numbered_block> blocks_; ///< and one more
  flat_array<numbered_value> values_; ///< instructions, in the end also `others_`, and one more
  std::size_t num_values_ = 0;
  flat_array<const llvm::Value*> others_; ///< arguments and constants
  std::size_t num_instructions_ = 0;
  value_id num_arguments_ = 0;
  bool copies_fields_ = false;
  flat_array<value_id> operands_;
  flat_array<late_operand> late_;
  bool has_phis_ = false;
  flat_array<unsigned> entries_; ///< of a phi: by position of the edge, and from the number of edges on by node
};

} // namespace detail

MIDEND_END_NAMESPACE
