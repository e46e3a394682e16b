/// `llvm_numbered_function`: numbers for the blocks, edges and values of a function that is being changed. For LLVM 19.
#pragma once

#include "midend/adapters/detail/llvm_operands.hpp"
#include "midend/adapters/llvm_editor_graph.hpp"
#include "midend/adapters/llvm_numbering.hpp"
#include "midend/adapters/llvm_operations.hpp"
#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/detail/growing_lists.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/range.hpp"
#include "midend/support/span.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Argument.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Constant.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Value.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Support/Casting.h>
#include <llvm/Support/Compiler.h>

#include <cstddef>
#include <cstdint>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A function by number, where the numbers are those of `llvm_ssa`, and what is added gets numbers at the end.
///
/// Blocks and edges are read at once. Everything else is read when it is first asked for, because changes of control
/// flow look at few values:
/// 1. instructions, with their order: one walk over LLVM's lists;
/// 2. constants, whose numbers depend on all operands of the function: for `num_values`, and before the first change;
/// 3. addresses to numbers: a block at a time;
/// 4. operands and operations: a value, or the phis of a block, at a time.
///
/// So a read may complete the tables, and threads must not read at the same time. It never moves operands that were
/// read before.
class llvm_numbered_function {
public:
  llvm_numbered_function() = default;

  /// Reads another function; the memory stays. If `numbers_late`, changes do not number values.
  void read(llvm::Function& f, bool numbers_late) {
    function_ = &f;
    numbers_late_ = numbers_late;
    forget();
    list_blocks(f);
    num_initial_nodes_ = static_cast<node_id>(blocks_.size());
    nodes_.clear(num_initial_nodes_);
    for (node_id n = 0; n != num_initial_nodes_; ++n) {
      nodes_.find_or_insert(blocks_[n], n);
    }
    graph_.read(num_initial_nodes_, [&](node_id n, auto add) {
      const llvm::Instruction& end = blocks_[n]->back();
      if (end.hasMetadataOtherThanDebugLoc()) {
        ends_with_metadata_.push_back(n);
      }
      if (const auto* const branch = llvm::dyn_cast<llvm::BranchInst>(&end)) { // without a call
        add(nodes_.find(branch->getSuccessor(0)));
        if (branch->isConditional()) {
          LLVM_PREFETCH(branch->op_begin(), 0, 3); // the condition, which may be a literal
          add(nodes_.find(branch->getSuccessor(1)));
        } else {
          LLVM_PREFETCH(end.getPrevNode(), 0, 3); // shows whether there are operations before it
        }
        return;
      }
      const unsigned count = end.getNumSuccessors();
      for (unsigned slot = 0; slot != count; ++slot) {
        add(nodes_.find(end.getSuccessor(slot)));
      }
    });
  }

  llvm_numbered_function(const llvm_numbered_function&) = delete;
  llvm_numbered_function& operator=(const llvm_numbered_function&) = delete;

  llvm::Function& function() const { return *function_; }

  const llvm_editor_graph& graph() const { return graph_; }

  llvm_editor_graph& graph() { return graph_; }

  const llvm_editor_graph::edge_record& edge(edge_id e) const { return graph_.edges_[e]; }

  // Blocks.

  std::size_t num_nodes() const { return blocks_.size(); }

  llvm::BasicBlock& block(node_id n) const { return *blocks_[n]; }

  /// The node of a block, or `no_node`.
  node_id node(const llvm::BasicBlock* b) const { return nodes_.find(b); }

  node_id add_node(llvm::BasicBlock* b) {
    start_change();
    const node_id n = graph_.add_node();
    blocks_.push_back(b);
    nodes_.find_or_insert(b, n);
    if (has_instructions_) {
      ends_.push_back({no_value, no_value});
    }
    return n;
  }

  /// Nodes of the original function whose end has metadata.
  const flat_array<node_id>& ends_with_metadata() const { return ends_with_metadata_; }

  /// The instruction at the end of a block, or null.
  llvm::Instruction* end_of(node_id n) const { return blocks_[n]->getTerminator(); }

  /// The number of the successor to which an edge leads.
  std::uint32_t slot_of(edge_id e) const {
    const llvm_editor_graph::edge_record& r = graph_.edges_[e];
    const llvm::Instruction& end = *end_of(r.source);
    const auto* const branch = llvm::dyn_cast<llvm::BranchInst>(&end); // without a call
    const bool is_only = branch != nullptr ? branch->isUnconditional() : end.getNumSuccessors() == 1;
    return is_only ? 0 : r.slot;
  }

  /// Changes only LLVM's terminator.
  void set_successor(edge_id e, llvm::BasicBlock* b) const {
    const llvm_editor_graph::edge_record& r = graph_.edges_[e];
    llvm::Instruction& end = *end_of(r.source);
    if (auto* const branch = llvm::dyn_cast<llvm::BranchInst>(&end)) { // without a call
      branch->setSuccessor(branch->isUnconditional() ? 0 : r.slot, b);
    } else {
      end.setSuccessor(slot_of(e), b);
    }
  }

  /// Visits the phis like `phis()` of the block, without a call.
  template <class Visit> static void for_each_llvm_phi(llvm::BasicBlock& b, Visit visit) {
    for (auto i = b.begin(); i != b.end() && llvm::isa<llvm::PHINode>(*i);) {
      visit(llvm::cast<llvm::PHINode>(*i++));
    }
  }

  bool has_phis(node_id n) const { return !blocks_[n]->empty() && llvm::isa<llvm::PHINode>(blocks_[n]->front()); }

  // Inputs of phis.

  /// LLVM's entries of the phis of a node in the order of its edges, from now on: to be called before these change.
  void order(node_id n) {
    while (is_ordered_.size() <= n) {
      is_ordered_.push_back(0);
    }
    if (is_ordered_[n] != 0) {
      return;
    }
    for_each_llvm_phi(*blocks_[n], [&](llvm::PHINode& phi) {
      if (find_entries(phi, n)) {
        permute(phi);
      }
    });
    is_ordered_[n] = 1;
  }

  bool is_ordered(node_id n) const { return n < is_ordered_.size() && is_ordered_[n] != 0; }

  /// What a phi in the target of an edge gets along it. Null if it is not set.
  llvm::Value* input(const llvm::PHINode& phi, edge_id e) const {
    const llvm_editor_graph::edge_record& r = graph_.edges_[e];
    if (is_ordered(r.target) || phi.getIncomingBlock(r.position) == blocks_[r.source]) {
      return phi.getIncomingValue(r.position);
    }
    if (e >= entry_.size()) {
      entry_.assign(graph_.num_edges(), 0);
    }
    const auto is_right = [&] {
      return entry_[e] < phi.getNumIncomingValues() && phi.getIncomingBlock(entry_[e]) == blocks_[r.source];
    };
    if (!is_right()) { // those of all edges, so that they are not looked for one by one
      const span<const edge_id> edges = graph_.in_edges(r.target);
      find_entries(phi, r.target);
      for (std::size_t k = 0; k != edges.size(); ++k) {
        entry_[edges[k]] = entries_[k];
      }
    }
    return phi.getIncomingValue(entry_[e]);
  }

  // Values.

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
      const node_id n = i->getParent() == nullptr ? no_node : node(i->getParent());
      return n < num_initial_nodes_ && number_addresses(n) ? numbers_.find(v) : no_value;
    }
    if (const auto* const a = llvm::dyn_cast<llvm::Argument>(v)) {
      return a->getParent() == function_ ? num_instructions() + a->getArgNo() : no_value;
    }
    if (llvm::isa<llvm::Constant>(v) && !has_all_) {
      number_all();
      return numbers_.find(v);
    }
    return no_value;
  }

  id_range<value_id> parameters() const {
    const value_id first = num_instructions();
    return {first, first + static_cast<value_id>(function_->arg_size())};
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

  /// A new instruction, which is in no node yet. Its operands are those of `like`, or none.
  value_id add_instruction(llvm::Instruction* i, value_id like = no_value) {
    start_change();
    number_instructions();
    const auto fresh = static_cast<value_id>(values_.size());
    const bool is_phi = llvm::isa<llvm::PHINode>(i);
    const int traits = trait::of_instruction | trait::known_operands | (is_phi ? +trait::of_phi : 0) |
                       (i->isTerminator() ? +trait::ends_block : 0);
    values_.push_back(i);
    records_.push_back({no_value, no_value, no_node, {}, static_cast<std::uint8_t>(traits)});
    numbers_.find_or_insert(i, fresh);
    lists().add_list();
    if (like != no_value) {
      for (std::size_t k = 0; k != operands(like).size(); ++k) {
        operands_.push_back(fresh, operands_[like][k]);
      }
    }
    return fresh;
  }

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
    for_each_llvm_phi(*blocks_[n], [&](llvm::PHINode& phi) {
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

  // Operands.

  span<const value_id> operands(value_id v) const {
    require(v);
    if ((records_[v].traits & trait::known_operands) == 0) {
      read_operands(v);
    }
    return lists()[v];
  }

  /// Of an instruction that reads something. Does not read the others.
  value_id first_operand(value_id v) const {
    return has_known_operands(v) ? lists()[v][0] : number_of_operation(instruction(v).getOperand(0), v);
  }

  bool has_known_operands(value_id v) const { return has(v, trait::known_operands); }

  /// For changes: the lists, with that of `v` read.
  growing_lists& lists_with(value_id v) {
    static_cast<void>(operands(v));
    return operands_;
  }

  /// Sets operand `k`, or input, if the list is known; LLVM's instruction has it already.
  void set_known_operand(value_id v, std::size_t k, value_id operand) {
    if (v != no_value && has_known_operands(v)) {
      lists().at(v, k) = operand;
    }
  }

  void set_known_input(value_id v, std::size_t k, const llvm::Value* input) {
    if (v != no_value && has_known_operands(v)) {
      const value_id number = number_or_null(input);
      lists().at(v, k) = number;
    }
  }

  /// One input more, likewise.
  void add_known_input(value_id v, const llvm::Value* input) {
    if (v != no_value && has_known_operands(v)) {
      const value_id number = number_or_null(input);
      lists().push_back(v, number);
    }
  }

  /// One input less, likewise; the last one takes its place.
  void remove_known_input(value_id v, std::size_t k) {
    if (v != no_value && has_known_operands(v)) {
      lists().remove(v, k);
    }
  }

  /// Nothing is read any more.
  void clear_operands(value_id v) {
    if (has_known_operands(v)) {
      lists().shrink(v, 0);
    } else { // nothing is in the list yet
      records_[v].traits |= trait::known_operands;
    }
  }

  /// The value, or null for `no_value`.
  llvm::Value* value_or_null(value_id v) const { return v == no_value ? nullptr : &value(v); }

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
  /// From both ends at once, since nearly all of the time is spent waiting for one block to name the next.
  void list_blocks(llvm::Function& f) {
    last_blocks_.clear();
    auto first = f.begin();
    auto last = f.end();
    while (first != last) {
      fetch(first->back());
      blocks_.push_back(&*first++);
      if (first != last) {
        --last;
        fetch(last->back());
        last_blocks_.push_back(&*last);
      }
    }
    while (!last_blocks_.empty()) {
      blocks_.push_back(last_blocks_.back());
      last_blocks_.pop_back();
    }
  }

  void forget() {
    has_instructions_ = false;
    has_all_ = false;
    graph_.clear();
    blocks_.clear();
    ends_with_metadata_.clear();
    values_.clear();
    records_.clear();
    operands_.clear();
    ends_.clear();
    first_value_.clear();
    numbers_.clear();
    is_ordered_.clear();
    entry_.clear();
  }

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

  /// Has an instruction and its operands brought from memory, where they follow each other.
  static void fetch([[maybe_unused]] const llvm::Instruction& i) {
    LLVM_PREFETCH(&i, 0, 3);
    LLVM_PREFETCH(reinterpret_cast<const char*>(&i) - 64, 0, 3);
  }

  void require(value_id v) const {
    if (v >= values_.size()) {
      number_all();
    }
  }

  bool has(value_id v, unsigned traits) const {
    require(v);
    return (records_[v].traits & traits) != 0;
  }

  value_id num_instructions() const {
    number_instructions();
    return num_instructions_;
  }

  void number_instructions() const {
    if (!has_instructions_) {
      read_instructions();
    }
  }

  MIDEND_SELDOM_CALLED void read_instructions() const {
    has_instructions_ = true;
    num_initial_nodes_ = static_cast<node_id>(blocks_.size());
    const std::size_t expected = 8 * std::size_t{num_initial_nodes_} + function_->arg_size() + 8;
    values_.reserve(expected);
    records_.reserve(expected);
    ends_.reserve(num_initial_nodes_ + std::size_t{8});
    first_value_.reserve(num_initial_nodes_ + std::size_t{1});
    for (node_id n = 0; n != num_initial_nodes_; ++n) {
      const auto first = static_cast<value_id>(values_.size());
      auto v = first;
      if (num_initial_nodes_ - n > 4 && !blocks_[n + std::size_t{4}]->empty()) {
        fetch(blocks_[n + std::size_t{4}]->front());
      }
      for (llvm::Instruction& i : *blocks_[n]) {
        LLVM_PREFETCH(reinterpret_cast<const char*>(&i) - 64, 0, 3); // its operands, which are often asked for next
        const int traits = trait::of_instruction | (i.getOpcode() == llvm::Instruction::PHI ? +trait::of_phi : 0);
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
      if (blocks_[n]->back().isTerminator()) {
        records_[v - 1].traits |= trait::ends_block;
      }
      ends_.push_back({first, v - 1});
    }
    num_instructions_ = static_cast<value_id>(values_.size());
    first_value_.push_back(num_instructions_);
    for (llvm::Argument& a : function_->args()) {
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
    if (operands_.size() != 0) {
      operands_.add_list();
    }
    return static_cast<value_id>(values_.size() - 1);
  }

  /// A list for each value. There is none before the first one is needed.
  growing_lists& lists() const {
    if (operands_.size() == 0) {
      make_lists();
    }
    return operands_;
  }

  MIDEND_SELDOM_CALLED void make_lists() const {
    operands_.reserve(values_.size() + values_.size() / 8, 0);
    for (value_id v = 0; v != num_instructions_; ++v) {
      operands_.add_list_with_room(llvm::cast<llvm::Instruction>(*values_[v]).getNumOperands());
    }
    operands_.make_room();
    while (operands_.size() != values_.size()) {
      operands_.add_list();
    }
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
        find_entries(phi, records_[v].node);
      }
      for (unsigned k = 0; fresh != 0 && k != phi.getNumIncomingValues(); ++k) {
        number_constant(phi.getIncomingValue(fresh > 1 ? entries_[k] : k));
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

  /// LLVM's operands are those of the editor, so they can be read at any time; those of phis, until the edges into
  /// their node change.
  MIDEND_SELDOM_CALLED void read_operands(value_id v) const {
    const auto& i = llvm::cast<llvm::Instruction>(*values_[v]);
    if ((records_[v].traits & trait::of_phi) != 0) {
      read_phis(records_[v].node);
      return;
    }
    records_[v].traits |= trait::known_operands;
    growing_lists& operands = lists();
    if (i.getOpcode() == llvm::Instruction::Switch) {
      operands.push_back(v, number_or_null(i.getOperand(0)));
      return;
    }
    for (unsigned at = 0; at != i.getNumOperands(); ++at) {
      if (is_llvm_operand(i, at)) {
        operands.push_back(v, number_or_null(i.getOperand(at)));
      }
    }
  }

  value_id number_or_null(const llvm::Value* v) const { return v == nullptr ? no_value : number(v); }

  void read_phis(node_id n) const {
    number_all(); // inputs are often constants
    lists();
    const llvm::PHINode* last = nullptr;
    for (value_id v = ends_[n].first; v != no_value && is_phi(v); v = records_[v].next) {
      if ((records_[v].traits & trait::known_operands) != 0) {
        continue;
      }
      records_[v].traits |= trait::known_operands;
      const auto& phi = llvm::cast<llvm::PHINode>(*values_[v]);
      if (last == nullptr || !have_same_blocks(phi, *last)) {
        find_entries(phi, n);
      }
      last = &phi;
      for (unsigned k = 0; k != phi.getNumIncomingValues(); ++k) {
        operands_.push_back(v, number_or_null(phi.getIncomingValue(entries_[k])));
      }
    }
  }

  static bool have_same_blocks(const llvm::PHINode& a, const llvm::PHINode& b) {
    for (unsigned k = 0; k != a.getNumIncomingValues(); ++k) {
      if (a.getIncomingBlock(k) != b.getIncomingBlock(k)) {
        return false;
      }
    }
    return true;
  }

  /// Which entry of a phi belongs to each edge into its node. Entries of parallel edges have the same value. Returns
  /// whether they are in another order than the edges.
  bool find_entries(const llvm::PHINode& phi, node_id n) const {
    const span<const edge_id> edges = graph_.in_edges(n);
    MIDEND_ASSERT(phi.getNumIncomingValues() == edges.size(), "an entry of the phi for each edge", n);
    entries_.resize_for_overwrite(edges.size());
    bool is_in_order = true;
    for (unsigned k = 0; k != edges.size(); ++k) {
      entries_[k] = k;
      is_in_order =
          is_in_order && (is_ordered(n) || phi.getIncomingBlock(k) == blocks_[graph_.edges_[edges[k]].source]);
    }
    if (is_in_order) {
      return false;
    }
    if (entry_of_.size() < blocks_.size()) {
      entry_of_.resize_for_overwrite(blocks_.size());
    }
    for (unsigned k = 0; k != edges.size(); ++k) {
      entry_of_[nodes_.find(phi.getIncomingBlock(k))] = k;
    }
    for (unsigned k = 0; k != edges.size(); ++k) {
      entries_[k] = entry_of_[graph_.edges_[edges[k]].source];
    }
    return true;
  }

  /// Entry `entries_[k]` becomes entry `k`.
  void permute(llvm::PHINode& phi) const {
    inputs_.clear();
    for (const unsigned entry : entries_) {
      inputs_.push_back({phi.getIncomingValue(entry), phi.getIncomingBlock(entry)});
    }
    for (unsigned k = 0; k != inputs_.size(); ++k) {
      phi.getOperandUse(k).set(inputs_[k].value);
      phi.setIncomingBlock(k, inputs_[k].block);
    }
  }

  struct phi_entry {
    llvm::Value* value;
    llvm::BasicBlock* block;
  };

  llvm::Function* function_ = nullptr;
  llvm_editor_graph graph_;
  flat_array<llvm::BasicBlock*> blocks_;
  flat_array<llvm::BasicBlock*> last_blocks_; ///< while they are listed
  hash_map<const llvm::BasicBlock*> nodes_;
  flat_array<node_id> ends_with_metadata_;
  bool numbers_late_ = false;
  flat_array<unsigned char> is_ordered_;  ///< by node
  mutable node_id num_initial_nodes_ = 0; ///< when instructions got their numbers
  mutable bool has_instructions_ = false;
  mutable bool has_all_ = false;
  mutable value_id num_instructions_ = 0;
  mutable flat_array<llvm::Value*> values_;
  mutable flat_array<value_record> records_;
  mutable growing_lists operands_;
  mutable flat_array<node_values> ends_;
  mutable flat_array<value_id> first_value_;        ///< by initial node, and one more
  mutable flat_array<unsigned char> has_addresses_; ///< by initial node
  mutable hash_map<const llvm::Value*> numbers_;
  mutable flat_array<unsigned> entries_;
  mutable flat_array<unsigned> entry_of_;
  mutable flat_array<unsigned> entry_; ///< by edge: that of the phis of its target, if they are not ordered
  mutable flat_array<phi_entry> inputs_;
};

} // namespace detail

MIDEND_END_NAMESPACE
