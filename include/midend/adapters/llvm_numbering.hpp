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

/// `operation_info` in four bytes, and what else is known without a look at the instruction.
struct llvm_operation_record {
  enum : std::uint8_t {
    no_signed_wrap = 1,
    no_unsigned_wrap = 2,
    phi = 4,
    bounded = 8,
    opaque = 16,
    branch = 32,
    choice = 64,
    wrap = no_signed_wrap | no_unsigned_wrap
  };

  operation code;
  std::uint8_t width;
  std::uint8_t operand_width;
  std::uint8_t marks;

  static llvm_operation_record of(const llvm::Instruction& i, bool is_phi) {
    const operation_info info = llvm_operation(i);
    const int marks = (info.flags.no_signed_wrap ? no_signed_wrap : 0) |
                      (info.flags.no_unsigned_wrap ? no_unsigned_wrap : 0) | (is_phi ? phi : 0) |
                      (may_have_llvm_bounds(i) ? bounded : 0) |
                      (info.code == operation::other && is_opaque_llvm_instruction(i) ? opaque : 0) |
                      (i.isTerminator() ? decision(i) : 0);
    return {info.code, info.width, info.operand_width, static_cast<std::uint8_t>(marks)};
  }

  /// `branch` or `choice` if a number decides where a `br` or `switch` goes.
  static int decision(const llvm::Instruction& last) {
    const unsigned opcode = last.getOpcode();
    const bool may_decide = opcode == llvm::Instruction::Br || opcode == llvm::Instruction::Switch;
    if (!may_decide || last.getNumSuccessors() < 2 || !is_llvm_number(last.getOperand(0)->getType())) {
      return 0;
    }
    return opcode == llvm::Instruction::Br ? branch : choice;
  }

  operation_info info() const {
    return {code, width, operand_width, {(marks & no_signed_wrap) != 0, (marks & no_unsigned_wrap) != 0}};
  }
};

/// Instructions get 0, 1, … in the order of the function, then come arguments, then constants in the order of first
/// use.
///
/// Instructions are read in one pass, since most of the time is spent waiting for their memory. Their number is not
/// known before the end of the pass, so until then other values are numbered from `first_other` on; and instructions
/// that are read before they are numbered wait in a list. The operands of phis are in the order of the edges, so they
/// come last.
class llvm_numbering {
public:
  /// All but the operands of phis. With `copies_fields`, `extractvalue` is a copy of what an `insertvalue` has set, or
  /// a part of an overflow intrinsic.
  void read(const llvm::Function& f, bool copies_fields = false) {
    clear(10 * f.size()); // about as many values, to begin with
    copies_fields_ = copies_fields;
    for (const llvm::Argument& a : f.args()) {
      add_other(&a);
    }
    num_arguments_ = static_cast<value_id>(others_.size());
    for (const llvm::BasicBlock& b : f) {
      numbers_.find_or_insert(&b, first_block + static_cast<node_id>(blocks_.size()));
      blocks_.push_back(&b);
      first_value_.push_back(static_cast<value_id>(values_.size()));
      for (const llvm::Instruction& i : b) {
        add(i);
      }
    }
    first_value_.push_back(static_cast<value_id>(values_.size()));
    first_operand_.push_back(static_cast<std::uint32_t>(operands_.size()));
  }

  /// The rest, once the edges are known. `positions` becomes the position of each edge among those into its target, if
  /// that has phis.
  void complete(const csr_graph& g, flat_array<std::uint32_t>& positions) {
    for (const late_operand& late : late_operands_) {
      operands_[late.position] = numbers_.find(late.value);
    }
    copy_phi_inputs(g, positions);
    for (value_id& operand : operands_) {
      operand = final_number(operand);
    }
    for (const llvm::Value* const other : others_) {
      values_.push_back(other);
    }
  }

  /// The number of a value; `no_value` if it has none.
  value_id number(const llvm::Value* v) const {
    const std::uint32_t found = numbers_.find(v);
    return found < first_block ? final_number(found) : no_value;
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
  // What the map holds.
  static constexpr std::uint32_t first_other = 0x8000'0000; ///< values other than instructions, until all are known
  static constexpr std::uint32_t first_block = 0xc000'0000;

  struct late_operand {
    std::uint32_t position;
    const llvm::Value* value;
  };

  void copy_phi_inputs(const csr_graph& g, flat_array<std::uint32_t>& positions) {
    positions.resize_for_overwrite(g.num_edges());
    entry_of_.resize_for_overwrite(blocks_.size());
    const llvm::PHINode* last = nullptr;
    for (const value_id v : phis_) {
      const auto& phi = llvm::cast<llvm::PHINode>(*values_[v]);
      if (last == nullptr || !have_same_entries(phi, *last)) {
        find_entries(g, phi, positions);
      }
      MIDEND_ASSERT(phi.getNumIncomingValues() == entries_.size(), "an entry of the phi for each edge", v);
      std::uint32_t to = first_operand_[v];
      for (const unsigned entry : entries_) {
        operands_[to++] = number_of_input(phi.getIncomingValue(entry));
      }
      last = &phi;
    }
  }

  void clear(std::size_t expected) {
    numbers_.clear(expected);
    blocks_.clear();
    values_.clear();
    others_.clear();
    first_value_.clear();
    records_.clear();
    operands_.clear();
    first_operand_.clear();
    phis_.clear();
    late_operands_.clear();
  }

  void add(const llvm::Instruction& i) {
    const auto v = static_cast<value_id>(values_.size());
    MIDEND_ASSERT(v < first_other, "less than 2^31 instructions", v);
    numbers_.find_or_insert(&i, v);
    values_.push_back(&i);
    first_operand_.push_back(static_cast<std::uint32_t>(operands_.size()));
    const auto* const phi = llvm::dyn_cast<llvm::PHINode>(&i);
    records_.push_back(llvm_operation_record::of(i, phi != nullptr));
    if (phi != nullptr) {
      phis_.push_back(v);
      for (unsigned left = phi->getNumIncomingValues(); left != 0; --left) {
        operands_.push_back(no_value);
      }
    } else if (const auto* const branch = llvm::dyn_cast<llvm::SwitchInst>(&i)) {
      add_operand(branch->getCondition()); // and not its cases
    } else if (const llvm::Value* const field = copies_fields_ ? llvm_known_field(i) : nullptr) {
      records_.back().code = operation::copy;
      add_operand(field);
    } else if (const llvm_replacement r = copies_fields_ ? llvm_field_with_overflow(i) : llvm_replacement();
               r.code != operation::other) {
      records_.back() = {r.code, r.width, r.operand_width, 0};
      add_operand(r.left);
      add_operand(r.right);
    } else {
      for (const llvm::Use& use : i.operands()) {
        add_operand(use.get());
      }
    }
  }

  /// Looks at the value itself only if it has no number yet: it may be far away in memory.
  void add_operand(const llvm::Value* v) {
    const std::uint32_t number = numbers_.find(v);
    if (number < first_block) {
      operands_.push_back(number);
    } else if (number == no_value) {
      add_new_operand(v);
    }
  }

  void add_new_operand(const llvm::Value* v) {
    if (llvm::isa<llvm::Instruction>(v)) {
      late_operands_.push_back({static_cast<std::uint32_t>(operands_.size()), v});
      operands_.push_back(no_value);
    } else if (llvm::isa<llvm::Constant>(v)) {
      operands_.push_back(add_other(v));
    }
  }

  std::uint32_t add_other(const llvm::Value* v) {
    const std::uint32_t number = first_other + static_cast<std::uint32_t>(others_.size());
    others_.push_back(v);
    return numbers_.find_or_insert(v, number);
  }

  /// The number of an instruction or a constant.
  std::uint32_t number_of_input(const llvm::Value* v) {
    const std::uint32_t number = numbers_.find(v);
    return number == no_value ? add_other(v) : number;
  }

  std::uint32_t final_number(std::uint32_t number) const {
    return number < first_other ? number : number - first_other + num_instructions();
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
    for (unsigned i = 0; i != phi.getNumIncomingValues(); ++i) {
      entry_of_[node(phi.getIncomingBlock(i))] = i;
    }
    const span<const edge_id> edges = g.in_edges(node(phi.getParent()));
    entries_.resize_for_overwrite(edges.size());
    for (std::uint32_t position = 0; position != edges.size(); ++position) {
      positions[edges[position]] = position;
      entries_[position] = entry_of_[g.edge_source(edges[position])];
    }
  }

  hash_map<const llvm::Value*> numbers_;
  flat_array<const llvm::BasicBlock*> blocks_;
  flat_array<const llvm::Value*> values_;
  flat_array<const llvm::Value*> others_; ///< until they are among `values_`
  value_id num_arguments_ = 0;
  bool copies_fields_ = false;
  flat_array<value_id> first_value_; ///< by node, and one more
  flat_array<llvm_operation_record> records_;
  flat_array<value_id> operands_;
  flat_array<std::uint32_t> first_operand_; ///< by instruction, and one more
  flat_array<value_id> phis_;
  flat_array<late_operand> late_operands_;
  flat_array<unsigned> entry_of_; ///< by node: of a phi
  flat_array<unsigned> entries_;  ///< by position of the edge: of a phi
};

} // namespace detail

MIDEND_END_NAMESPACE
