/// `llvm_numbered_values`: numbers for the values of a function that is being changed, and their order. For LLVM 19.
#pragma once

#include "midend/adapters/detail/llvm_numbered_blocks.hpp"
#include "midend/adapters/detail/llvm_operation_record.hpp"
#include "midend/adapters/detail/llvm_phi_entries.hpp"
#include "midend/adapters/llvm_operations.hpp"
#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/range.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Argument.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Constant.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Use.h>
#include <llvm/IR/Value.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Support/Casting.h>
#include <llvm/Support/Compiler.h>

#include <cstddef>
#include <cstdint>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Which value of LLVM has which number, and the values of each node in order. The numbers are those of `llvm_ssa`, and
/// new values get numbers at the end; an erased value keeps its number, and is in no node.
///
/// Changes of control flow look at few values, so everything is read when it is first asked for:
/// 1. instructions, with their order: one walk over LLVM's lists;
/// 2. constants, whose numbers depend on all operands of the function: for `num_values`, and before the first change;
/// 3. addresses to numbers: a block at a time;
/// 4. operations: a value at a time.
///
/// So a read may complete the tables, and threads must not read at the same time.
class llvm_numbered_values {
public:
  llvm_numbered_values(const llvm_numbered_blocks& blocks, const llvm_phi_entries& entries)
      : blocks_(blocks), entries_(entries) {}

  /// Begins with another function, whose blocks have been read; the memory stays. If `numbers_late`, changes do not
  /// number values.
  void start(bool numbers_late) {
    numbers_late_ = numbers_late;
    has_instructions_ = false;
    has_all_ = false;
    values_.clear();
    records_.clear();
    ends_.clear();
    first_value_.clear();
    numbers_.clear();
  }

  llvm_numbered_values(const llvm_numbered_values&) = delete;
  llvm_numbered_values& operator=(const llvm_numbered_values&) = delete;

  /// Whether instructions have numbers.
  bool has_numbers() const { return has_instructions_; }

  std::size_t num_values() const {
    number_all();
    return values_.size();
  }

  /// Of those that have numbers.
  std::size_t num_numbered_values() const { return values_.size(); }

  llvm::Value& value(value_id v) const {
    require(v);
    return *values_[v];
  }

  llvm::Instruction& instruction(value_id v) const { return llvm::cast<llvm::Instruction>(value(v)); }

  llvm::PHINode& phi(value_id v) const { return llvm::cast<llvm::PHINode>(value(v)); }

  /// The number of an instruction that instruction `user` reads. Most are read right after them.
  value_id number_of_operation(const llvm::Value* v, value_id user) const {
    for (value_id k = 1; k <= 3 && k <= user; ++k) {
      if (values_[user - k] == v) {
        return user - k;
      }
    }
    return number(v);
  }

  /// The number of an instruction, an argument, or a constant that the function uses or used; else `no_value`.
  value_id number(const llvm::Value* v) const {
    const value_id known = numbers_.find(v);
    if (known != no_value) {
      return known;
    }
    if (const auto* const i = llvm::dyn_cast<llvm::Instruction>(v)) {
      const node_id n = i->getParent() == nullptr ? no_node : blocks_.node(i->getParent());
      return n != no_node && number_addresses(n) ? numbers_.find(v) : no_value;
    }
    if (const auto* const a = llvm::dyn_cast<llvm::Argument>(v)) {
      return a->getParent() == &blocks_.function() ? num_instructions() + a->getArgNo() : no_value;
    }
    if (llvm::isa<llvm::Constant>(v) && !has_all_) {
      number_all();
      return numbers_.find(v);
    }
    return no_value;
  }

  value_id number_or_null(const llvm::Value* v) const { return v == nullptr ? no_value : number(v); }

  /// The value, or null for `no_value`.
  llvm::Value* value_or_null(value_id v) const { return v == no_value ? nullptr : &value(v); }

  id_range<value_id> parameters() const {
    const value_id first = num_instructions();
    return {first, first + static_cast<value_id>(blocks_.function().arg_size())};
  }

  /// Those of the original function, which have the first numbers.
  value_id num_instructions() const {
    number_instructions();
    return num_instructions_;
  }

  /// LLVM's operands of these, when they got their numbers.
  std::uint32_t num_operands() const {
    number_instructions();
    return num_operands_;
  }

  bool is_instruction(value_id v) const { return has(v, trait::of_instruction); }

  bool is_phi(value_id v) const { return has(v, trait::of_phi); }

  bool is_terminator(value_id v) const { return has(v, trait::ends_block); }

  const llvm_operation_record& operation(value_id v) const {
    require(v);
    value_record& r = records_[v];
    if ((r.traits & trait::known_operation) == 0) {
      r.traits |= trait::known_operation;
      r.operation = llvm_operation_record::of(instruction(v));
    }
    return r.operation;
  }

  /// After the flags or attributes of an instruction have changed.
  void read_operation_again(value_id v) {
    require(v);
    records_[v].traits &= static_cast<std::uint8_t>(~trait::known_operation);
  }

  /// The number of a constant or argument, which is added if it is new.
  value_id number_of(llvm::Value* v) {
    const value_id known = number(v);
    return known == no_value ? add_other(v) : known;
  }

  /// A new instruction, which is in no node yet. Its list of operands is empty.
  value_id add_instruction(llvm::Instruction* i) {
    start_change();
    number_instructions();
    const auto fresh = static_cast<value_id>(values_.size());
    const bool is_phi = llvm::isa<llvm::PHINode>(i);
    const int traits = trait::of_instruction | trait::known_operands | (is_phi ? +trait::of_phi : 0) |
                       (i->isTerminator() ? +trait::ends_block : 0);
    values_.push_back(i);
    records_.push_back({no_value, no_value, no_node, {}, static_cast<std::uint8_t>(traits)});
    numbers_.find_or_insert(i, fresh);
    return fresh;
  }

  /// After a block got a number.
  void add_node() {
    if (has_instructions_) {
      ends_.push_back({no_value, no_value});
    }
  }

  /// A mark for `llvm_operand_lists`, with values since it keeps a list for each of them.
  bool has_known_operands(value_id v) const { return has(v, trait::known_operands); }

  void note_known_operands(value_id v) const { records_[v].traits |= trait::known_operands; }

  // The values of a node, in order.

  node_id node_of(value_id v) const {
    require(v);
    return records_[v].node;
  }

  value_id next(value_id v) const {
    require(v);
    return records_[v].next;
  }

  value_id first(node_id n) const {
    number_instructions();
    return ends_[n].first;
  }

  value_id last(node_id n) const {
    number_instructions();
    return ends_[n].last;
  }

  value_id terminator(node_id n) const {
    const value_id v = last(n);
    return v != no_value && is_terminator(v) ? v : no_value;
  }

  value_id first_after_phis(node_id n) const {
    value_id v = first(n);
    while (v != no_value && is_phi(v)) {
      v = records_[v].next;
    }
    return v;
  }

  /// With the number `no_value` if instructions have none.
  template <class Visit> void for_each_phi(node_id n, Visit visit) const {
    value_id v = has_instructions_ ? ends_[n].first : no_value;
    llvm_numbered_blocks::for_each_llvm_phi(blocks_.block(n), [&](llvm::PHINode& phi) {
      visit(v, phi);
      v = v == no_value ? no_value : records_[v].next;
    });
  }

  /// Puts a value before another one, or at the end.
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
    if (v < num_instructions_) {
      number_addresses(r.node); // later it could not be found by its block
    }
    node_values& own = ends_[r.node];
    (r.previous == no_value ? own.first : records_[r.previous].next) = r.next;
    (r.next == no_value ? own.last : records_[r.next].previous) = r.previous;
    r.node = no_node;
    r.next = no_value;
    r.previous = no_value;
  }

  /// The values of a node become the last ones of another node.
  void append_values(node_id into, node_id n) {
    number_addresses(n);
    node_values& to = ends_[into];
    node_values& from = ends_[n];
    for (value_id v = from.first; v != no_value; v = records_[v].next) {
      records_[v].node = into;
    }
    if (from.first != no_value) {
      records_[from.first].previous = to.last;
      (to.last == no_value ? to.first : records_[to.last].next) = from.first;
      to.last = from.last;
      from = {no_value, no_value};
    }
  }

  // When everything gets its number.

  /// `change()` makes LLVM replace constants by others, which get their numbers. O(numbered values).
  template <class Change> void replace_constants(Change change) {
    llvm::SmallVector<std::pair<value_id, llvm::WeakTrackingVH>, 0> followed;
    for (value_id v = 0; v != values_.size(); ++v) {
      if (llvm::isa<llvm::Constant>(values_[v]) && !llvm::isa<llvm::ConstantData>(values_[v])) {
        followed.emplace_back(v, llvm::WeakTrackingVH(values_[v]));
      }
    }
    change();
    for (const auto& [v, now] : followed) {
      values_[v] = now;
    }
    if (has_instructions_) { // LLVM may give the place of a constant that has gone to another one
      numbers_.clear(values_.size());
      for (value_id v = 0; v != values_.size(); ++v) {
        numbers_.find_or_insert(values_[v], v);
      }
    }
  }

  /// To be called before a change. Unless numbers are to be given late, everything gets its number as in `llvm_ssa`.
  void start_change() const {
    if (!numbers_late_) {
      number_all();
    }
  }

  /// Instructions, arguments and constants get numbers: if nothing was changed before, those of `llvm_ssa`.
  void number_all() const {
    if (!has_all_) {
      number_instructions();
      number_constants();
    }
  }

private:
  struct trait {
    enum : std::uint8_t { of_instruction = 1, ends_block = 2, of_phi = 4, known_operation = 8, known_operands = 16 };
  };

  struct value_record {
    value_id next;
    value_id previous;
    node_id node; ///< or `no_node`
    llvm_operation_record operation;
    std::uint8_t traits;
  };

  struct node_values {
    value_id first;
    value_id last;
  };

  void require(value_id v) const {
    if (v >= values_.size()) {
      number_all();
    }
  }

  bool has(value_id v, unsigned traits) const {
    require(v);
    return (records_[v].traits & traits) != 0;
  }

  void number_instructions() const {
    if (!has_instructions_) {
      read_instructions();
    }
  }

  MIDEND_SELDOM_CALLED void read_instructions() const {
    has_instructions_ = true;
    num_operands_ = 0;
    num_initial_nodes_ = static_cast<node_id>(blocks_.num_nodes());
    const std::size_t expected = 8 * std::size_t{num_initial_nodes_} + blocks_.function().arg_size() + 8;
    values_.reserve(expected);
    records_.reserve(expected);
    ends_.reserve(num_initial_nodes_ + std::size_t{8});
    first_value_.reserve(num_initial_nodes_ + std::size_t{1});
    for (node_id n = 0; n != num_initial_nodes_; ++n) {
      const auto first = static_cast<value_id>(values_.size());
      auto v = first;
      if (num_initial_nodes_ - n > 4 && !blocks_.block(n + 4).empty()) {
        fetch_llvm_instruction(blocks_.block(n + 4).front());
      }
      for (llvm::Instruction& i : blocks_.block(n)) {
        LLVM_PREFETCH(reinterpret_cast<const char*>(&i) - 64, 0, 3); // its operands, which are often asked for next
        const int traits = trait::of_instruction | (i.getOpcode() == llvm::Instruction::PHI ? +trait::of_phi : 0);
        num_operands_ += i.getNumOperands();
        values_.push_back(&i);
        records_.push_back({v + 1, v - 1, n, {}, static_cast<std::uint8_t>(traits)});
        ++v;
      }
      first_value_.push_back(first);
      if (v == first) { // it was erased, or is not complete
        ends_.push_back({no_value, no_value});
        continue;
      }
      records_[first].previous = no_value;
      records_[v - 1].next = no_value;
      if (blocks_.block(n).back().isTerminator()) {
        records_[v - 1].traits |= trait::ends_block;
      }
      ends_.push_back({first, v - 1});
    }
    num_instructions_ = static_cast<value_id>(values_.size());
    first_value_.push_back(num_instructions_);
    for (llvm::Argument& a : blocks_.function().args()) {
      push_other(&a);
    }
    has_addresses_.assign(num_initial_nodes_, 0);
    numbers_.clear(num_instructions_);
  }

  value_id push_other(llvm::Value* v) const {
    const std::uint8_t width = llvm_width(v->getType());
    values_.push_back(v);
    records_.push_back({no_value,
                        no_value,
                        no_node,
                        {{operation::other, width, width, {}}, 0},
                        trait::known_operation | trait::known_operands});
    return static_cast<value_id>(values_.size() - 1);
  }

  value_id add_other(llvm::Value* v) const {
    const value_id fresh = push_other(v);
    numbers_.find_or_insert(v, fresh);
    return fresh;
  }

  void number_constant(llvm::Value* v) const {
    if (llvm::isa_and_nonnull<llvm::Constant>(v) && numbers_.find(v) == no_value) {
      add_other(v);
    }
  }

  /// In order of first use; inputs of phis come last, and those of one phi are in the order of the edges.
  MIDEND_SELDOM_CALLED void number_constants() const {
    has_all_ = true;
    flat_array<value_id> phis;
    const auto count = static_cast<value_id>(values_.size());
    for (value_id v = 0; v != count; ++v) {
      if ((records_[v].traits & trait::of_instruction) == 0) {
        continue;
      }
      const auto& i = llvm::cast<llvm::Instruction>(*values_[v]);
      if ((records_[v].traits & trait::of_phi) != 0) {
        phis.push_back(v);
      } else if (i.getOpcode() == llvm::Instruction::Switch) {
        number_constant(i.getOperand(0));
      } else {
        for (const llvm::Use& use : i.operands()) {
          number_constant(use.get());
        }
      }
    }
    for (const value_id v : phis) {
      const auto& phi = llvm::cast<llvm::PHINode>(*values_[v]);
      unsigned fresh = 0;
      for (const llvm::Use& use : phi.incoming_values()) {
        fresh += llvm::isa_and_nonnull<llvm::Constant>(use.get()) && numbers_.find(use.get()) == no_value ? 1u : 0u;
      }
      if (fresh > 1) {
        entries_.find(phi, records_[v].node);
      }
      for (unsigned k = 0; fresh != 0 && k != phi.getNumIncomingValues(); ++k) {
        number_constant(phi.getIncomingValue(fresh > 1 ? entries_.entry(k) : k));
      }
    }
  }

  /// Whether the addresses of the instructions that were in a node at first had no numbers yet; now they do.
  bool number_addresses(node_id n) const {
    number_instructions();
    if (n >= num_initial_nodes_ || has_addresses_[n] != 0) {
      return false;
    }
    has_addresses_[n] = 1;
    for (value_id v = first_value_[n]; v != first_value_[n + std::size_t{1}]; ++v) {
      numbers_.find_or_insert(values_[v], v);
    }
    return true;
  }

  const llvm_numbered_blocks& blocks_;
  const llvm_phi_entries& entries_;
  bool numbers_late_ = false;
  mutable bool has_instructions_ = false;
  mutable bool has_all_ = false;
  mutable node_id num_initial_nodes_ = 0; ///< when instructions got their numbers
  mutable value_id num_instructions_ = 0;
  mutable std::uint32_t num_operands_ = 0;
  mutable flat_array<llvm::Value*> values_;
  mutable flat_array<value_record> records_;
  mutable flat_array<node_values> ends_;
  mutable flat_array<value_id> first_value_;        ///< by initial node, and one more
  mutable flat_array<unsigned char> has_addresses_; ///< by initial node
  mutable hash_map<const llvm::Value*> numbers_;
};

} // namespace detail

MIDEND_END_NAMESPACE
