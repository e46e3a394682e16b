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

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// What is known of an instruction without a look at it.
struct llvm_operation_record {
  enum : std::uint8_t { phi = 1, bounded = 2, opaque = 4, branch = 8, choice = 16 };

  operation_info info;
  std::uint8_t marks;

  static llvm_operation_record of(const llvm::Instruction& i) {
    const unsigned opcode = i.getOpcode();
    const llvm_opcode& known = llvm_opcode::of(opcode);
    const operation_info info = llvm_operation_of(i, known);
    const int marks = (info.code == operation::other ? marks_of_other(i, opcode, known) : 0) |
                      (known.is == llvm_opcode::kind::call && may_have_llvm_bounds(i) ? bounded : 0);
    return {info, static_cast<std::uint8_t>(marks)};
  }

  static int marks_of_other(const llvm::Instruction& i, unsigned opcode, const llvm_opcode& known) {
    switch (opcode) {
    case llvm::Instruction::PHI:
      return phi;
    case llvm::Instruction::Load:
    case llvm::Instruction::Invoke:
    case llvm::Instruction::CallBr:
      return (known.is_opaque ? opaque : 0) | (may_have_llvm_bounds(i) ? bounded : 0);
    case llvm::Instruction::Br:
      return llvm::cast<llvm::BranchInst>(i).isConditional() ? opaque | branch : opaque;
    case llvm::Instruction::Switch:
      return decides(llvm::cast<llvm::SwitchInst>(i)) ? opaque | choice : opaque;
    default:
      return is_opaque_llvm_instruction(i, known) ? opaque : 0;
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
/// A first pass over the instructions gives them numbers, a second one reads them: then it meets no operand that has
/// none yet. The operands of phis are in the order of the edges, so they come last.
class llvm_numbering {
public:
  /// All but the operands of phis. With `copies_fields`, `extractvalue` is a copy of what an `insertvalue` has set, or
  /// a part of an overflow intrinsic.
  void read(const llvm::Function& f, bool copies_fields = false) {
    copies_fields_ = copies_fields;
    const std::size_t most_operands = number_instructions(f);
    for (const llvm::Argument& a : f.args()) {
      add_other(&a);
    }
    num_arguments_ = static_cast<value_id>(f.arg_size());
    read_instructions(most_operands);
  }

  /// The rest, once the edges are known. `positions` becomes the position of each edge among those into its target, if
  /// that has phis.
  void complete(const csr_graph& g, flat_array<std::uint32_t>& positions) {
    positions.resize_for_overwrite(g.num_edges());
    const llvm::PHINode* last = nullptr;
    for (const value_id v : phis_) {
      const auto& phi = llvm::cast<llvm::PHINode>(*values_[v]);
      if (last == nullptr || !have_same_entries(phi, *last)) {
        find_entries(g, phi, positions);
      }
      MIDEND_ASSERT(phi.getNumIncomingValues() == entries_.size(), "an entry of the phi for each edge", v);
      value_id* to = operands_.data() + first_operand_[v];
      for (const unsigned entry : entries_) {
        const llvm::Value* const input = phi.getIncomingValue(entry);
        const std::uint32_t number = numbers_.find(input);
        *to++ = number == no_value ? add_other(input) : number;
      }
      last = &phi;
    }
  }

  /// The number of a value; `no_value` if it has none.
  value_id number(const llvm::Value* v) const {
    const std::uint32_t found = numbers_.find(v);
    return found < first_block ? found : no_value;
  }

  node_id node(const llvm::BasicBlock* b) const {
    const std::uint32_t found = numbers_.find(b);
    return found == no_value ? no_node : found - first_block;
  }

  span<const llvm::BasicBlock* const> blocks() const { return blocks_; }

  span<const llvm::Value* const> values() const { return values_; }

  value_id num_instructions() const { return static_cast<value_id>(records_.size()); }

  value_id num_arguments() const { return num_arguments_; }

  value_id first_value(std::size_t n) const { return first_value_[n]; }

  const llvm_operation_record& record(value_id v) const { return records_[v]; }

  llvm_operation_record& record(value_id v) { return records_[v]; }

  /// `of` instead of the first operand.
  void set_first_operand(value_id v, value_id of) {
    MIDEND_ASSERT(!operands(v).empty(), "an instruction with operands", v);
    operands_[first_operand_[v]] = of;
  }

  /// The operands of an instruction.
  span<const value_id> operands(value_id v) const {
    const std::uint32_t* const offset = first_operand_.data() + v;
    return {operands_.data() + offset[0], operands_.data() + offset[1]};
  }

private:
  static constexpr std::uint32_t first_block = 0x8000'0000; ///< what the map holds for blocks; values are below

  /// Returns how many operands there may be.
  std::size_t number_instructions(const llvm::Function& f) {
    blocks_.clear();
    values_.clear();
    first_value_.clear();
    numbers_.clear(10 * f.size()); // about as many values, to begin with
    std::size_t most_operands = 0;
    for (const llvm::BasicBlock& b : f) {
      numbers_.find_or_insert(&b, first_block + static_cast<node_id>(blocks_.size()));
      blocks_.push_back(&b);
      first_value_.push_back(static_cast<value_id>(values_.size()));
      for (const llvm::Instruction& i : b) {
        numbers_.find_or_insert(&i, static_cast<value_id>(values_.size()));
        values_.push_back(&i);
        most_operands += i.getNumOperands();
      }
    }
    MIDEND_ASSERT(values_.size() < first_block, "less than 2^31 instructions", values_.size());
    first_value_.push_back(static_cast<value_id>(values_.size()));
    return most_operands + 2 * values_.size(); // fields may be replaced by two
  }

  void read_instructions(std::size_t most_operands) {
    phis_.clear();
    const auto count = first_value_.data()[blocks_.size()];
    records_.resize_for_overwrite(count);
    first_operand_.resize_for_overwrite(count + std::size_t{1});
    operands_.resize_for_overwrite(most_operands);
    value_id* end = operands_.data();
    for (value_id v = 0; v != count; ++v) {
      const auto& i = llvm::cast<llvm::Instruction>(*values_.data()[v]);
      first_operand_.data()[v] = static_cast<std::uint32_t>(end - operands_.data());
      llvm_operation_record& r = records_.data()[v];
      r = llvm_operation_record::of(i);
      end = read_operands(i, v, r, end);
    }
    const auto num_operands = static_cast<std::size_t>(end - operands_.data());
    first_operand_.data()[count] = static_cast<std::uint32_t>(num_operands);
    operands_.shrink(num_operands);
  }

  value_id* read_operands(const llvm::Instruction& i, value_id v, llvm_operation_record& r, value_id* to) {
    switch (i.getOpcode()) {
    case llvm::Instruction::PHI:
      phis_.push_back(v);
      return to + i.getNumOperands(); // to be filled in
    case llvm::Instruction::Br:
      return (r.marks & llvm_operation_record::branch) == 0 ? to : add_operand(i.getOperand(0), to);
    case llvm::Instruction::Switch:
      return add_operand(i.getOperand(0), to); // and not its cases
    case llvm::Instruction::ExtractValue:
      if (copies_fields_) {
        return read_field(i, r, to);
      }
      break;
    default:
      break;
    }
    for (const llvm::Use& use : i.operands()) {
      to = add_operand(use.get(), to);
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
    std::uint32_t number = numbers_.find(v);
    if (number >= first_block) {
      if (number != no_value || !llvm::isa<llvm::Constant>(v)) {
        return to;
      }
      number = add_other(v);
    }
    *to = number;
    return to + 1;
  }

  value_id add_other(const llvm::Value* v) {
    const auto number = static_cast<value_id>(values_.size());
    values_.push_back(v);
    return numbers_.find_or_insert(v, number);
  }

  static bool have_same_entries(const llvm::PHINode& a, const llvm::PHINode& b) {
    if (a.getParent() != b.getParent()) {
      return false;
    }
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
    entries_.resize_for_overwrite(edges.size());
    bool is_ordered = edges.size() == phi.getNumIncomingValues();
    for (std::uint32_t position = 0; position != edges.size(); ++position) {
      positions[edges[position]] = position;
      entries_[position] = position;
      is_ordered = is_ordered && phi.getIncomingBlock(position) == blocks_[g.edge_source(edges[position])];
    }
    if (is_ordered) {
      return;
    }
    if (entry_of_.size() < blocks_.size()) {
      entry_of_.resize_for_overwrite(blocks_.size());
    }
    for (unsigned i = 0; i != phi.getNumIncomingValues(); ++i) {
      entry_of_[node(phi.getIncomingBlock(i))] = i;
    }
    for (std::uint32_t position = 0; position != edges.size(); ++position) {
      entries_[position] = entry_of_[g.edge_source(edges[position])];
    }
  }

  hash_map<const llvm::Value*> numbers_;
  flat_array<const llvm::BasicBlock*> blocks_;
  flat_array<const llvm::Value*> values_;
  value_id num_arguments_ = 0;
  bool copies_fields_ = false;
  flat_array<value_id> first_value_; ///< by node, and one more
  flat_array<llvm_operation_record> records_;
  flat_array<value_id> operands_;
  flat_array<std::uint32_t> first_operand_; ///< by instruction, and one more
  flat_array<value_id> phis_;
  flat_array<unsigned> entry_of_; ///< by node: of a phi
  flat_array<unsigned> entries_;  ///< by position of the edge: of a phi
};

} // namespace detail

MIDEND_END_NAMESPACE
