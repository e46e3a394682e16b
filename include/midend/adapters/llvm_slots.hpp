/// `llvm_slots`: the stack slots of an `llvm::Function` as variables, read straight from the function. For LLVM 19.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/statements.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/range.hpp"
#include "midend/support/span.hpp"

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Successors in one array, to be copied.
struct listed_successors {
  span<const node_id> targets;
  span<const std::uint32_t> first; ///< by node, and one more

  std::size_t num_nodes() const { return first.size() - 1; }

  node_id entry() const { return 0; }

  span<const node_id> successors(node_id n) const {
    return targets.subspan(first[n], first[n + std::size_t{1}] - first[n]);
  }
};

/// Finds few addresses that are close together among many others, without reading memory there.
template <class T> class address_map {
public:
  void clear(std::size_t expected) {
    numbers_.clear(expected);
    lowest_ = ~std::uintptr_t{0};
    extent_ = 0;
  }

  void insert(const T* address, std::uint32_t number) {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    if (lowest_ > at) {
      extent_ += extent_ == 0 ? 1 : lowest_ - at;
      lowest_ = at;
    } else if (at - lowest_ >= extent_) {
      extent_ = at - lowest_ + 1;
    }
    numbers_.find_or_insert(address, number);
  }

  /// `missing` of `hash_map` if there is none.
  std::uint32_t find(const T* address) const {
    return reinterpret_cast<std::uintptr_t>(address) - lowest_ < extent_ ? numbers_.find(address)
                                                                         : hash_map<const T*>::missing;
  }

private:
  hash_map<const T*> numbers_;
  std::uintptr_t lowest_ = 0;
  std::uintptr_t extent_ = 0;
};

} // namespace detail

/// The local variables that `clang -O0` leaves in memory: models `statement_ir`.
///
/// **Variables** are the slots that LLVM's mem2reg promotes: an `alloca` of one element in the entry block that is only
/// read and written as a whole, by non-volatile loads and stores of its type, and whose address is otherwise only
/// passed to `llvm.lifetime` intrinsics. (mem2reg also accepts slots whose address has an unused cast.) They are
/// numbered in the order of the function.
///
/// **Statements** are the loads and stores of variables, numbered in the order of the function; other instructions are
/// none. A load uses a variable, a store defines one. The start of a lifetime is not a definition.
///
/// **Nodes** are the blocks in the order of the function, as in `llvm_ssa`, with the same edges.
///
/// `llvm_variables` has the same variables; its statements have the numbers of an `llvm_ssa`, which it needs. This view
/// numbers only what it needs, so it is made faster.
///
/// The view is a flat copy that refers to the function; make it again when the function changes. A declaration has no
/// nodes. One walk over the instructions; 24 bytes a statement, 20 a variable, about 50 a block.
class llvm_slots {
public:
  llvm_slots() = default;

  explicit llvm_slots(const llvm::Function& f) { assign(f); }

  /// Makes this the view of another function; allocates nothing if an earlier one was at least as large.
  void assign(const llvm::Function& f) {
    clear();
    if (!f.isDeclaration()) {
      find_candidates(f.getEntryBlock());
    }
    for (const llvm::BasicBlock& b : f) {
      blocks_.push_back(&b);
      first_statement_.push_back(static_cast<statement_id>(accesses_.size()));
      first_successor_.push_back(static_cast<std::uint32_t>(successors_.size()));
      read(b);
    }
    first_statement_.push_back(static_cast<statement_id>(accesses_.size()));
    first_successor_.push_back(static_cast<std::uint32_t>(successors_.size()));
    find_late_loads();
    if (num_escaping_ != 0) {
      drop_escaping();
    }
    copy_graph();
  }

  const csr_graph& graph() const { return graph_; }

  const llvm::BasicBlock* block(node_id n) const { return blocks_[n]; }

  /// The node of a block, or `no_node` if it is of another function.
  node_id node(const llvm::BasicBlock* b) const { return nodes_.find(b); }

  std::size_t num_statements() const { return accesses_.size(); }

  id_range<statement_id> statements(node_id n) const {
    return {first_statement_[n], first_statement_[n + std::size_t{1}]};
  }

  std::size_t num_variables() const { return slots_.size(); }

  /// The `alloca` of a variable.
  const llvm::AllocaInst* slot(variable_id x) const { return slots_[x]; }

  /// The load or store.
  const llvm::Instruction* instruction(statement_id s) const { return accesses_[s].instruction; }

  bool is_store(statement_id s) const { return accesses_[s].stored != nullptr; }

  /// What a statement reads or writes.
  variable_id variable(statement_id s) const { return accesses_[s].variable; }

  /// The operand that a store writes; of a load null.
  const llvm::Value* stored(statement_id s) const { return accesses_[s].stored; }

  /// The statement whose result a store writes, or `no_statement` if it writes something else.
  statement_id stored_load(statement_id s) const { return stored_loads_[s]; }

  span<const variable_id> definitions(statement_id s) const { return accessed_by(s, is_store(s)); }

  span<const variable_id> uses(statement_id s) const { return accessed_by(s, !is_store(s)); }

private:
  struct access {
    const llvm::Instruction* instruction;
    const llvm::Value* stored; ///< null: a load
    variable_id variable;
  };

  /// An `alloca` that may be a variable.
  struct candidate {
    const llvm::AllocaInst* slot;
    const llvm::Type* type;
    statement_id last_load; ///< that was read
    variable_id variable;   ///< `no_variable`: its address has other uses
  };

  void clear() {
    blocks_.clear();
    successors_.clear();
    first_successor_.clear();
    first_statement_.clear();
    accesses_.clear();
    stored_loads_.clear();
    slots_.clear();
    candidates_.clear();
    late_.clear();
    num_escaping_ = 0;
  }

  void find_candidates(const llvm::BasicBlock& entry) {
    for (const llvm::Instruction& i : entry) {
      const auto* const slot = llvm::dyn_cast<llvm::AllocaInst>(&i);
      if (slot != nullptr && !slot->isArrayAllocation()) {
        candidates_.push_back({slot, slot->getAllocatedType(), no_statement, 0});
        slots_.push_back(slot);
      }
    }
    candidate_of_.clear(candidates_.size());
    for (variable_id x = 0; x != candidates_.size(); ++x) {
      candidates_[x].variable = x;
      candidate_of_.insert(candidates_[x].slot, x);
    }
  }

  void read(const llvm::BasicBlock& b) {
    for (const llvm::Instruction& i : b) {
      if (const auto* const load = llvm::dyn_cast<llvm::LoadInst>(&i)) {
        add(*load);
      } else if (const auto* const store = llvm::dyn_cast<llvm::StoreInst>(&i)) {
        add(*store);
      } else if (const auto* const branch = llvm::dyn_cast<llvm::BranchInst>(&i)) {
        successors_.push_back(branch->getSuccessor(0));
        if (branch->isConditional()) {
          successors_.push_back(branch->getSuccessor(1));
        }
      } else {
        read_other(i);
      }
    }
  }

  void read_other(const llvm::Instruction& i) {
    for (const llvm::Use& use : i.operands()) {
      const variable_id x = candidate_of_.find(use.get());
      if (x != no_variable && !i.isLifetimeStartOrEnd()) {
        escapes(x);
      }
    }
    if (i.isTerminator()) {
      for (unsigned k = 0; k != i.getNumSuccessors(); ++k) {
        successors_.push_back(i.getSuccessor(k));
      }
    }
  }

  void add(const llvm::LoadInst& load) {
    const variable_id x = candidate_of_.find(load.getPointerOperand());
    if (x == no_variable) {
      return;
    }
    candidate& slot = candidates_[x];
    if (load.isVolatile() || load.getType() != slot.type) {
      escapes(x);
    }
    slot.last_load = static_cast<statement_id>(accesses_.size());
    accesses_.push_back({&load, nullptr, x});
    stored_loads_.push_back(no_statement);
  }

  void add(const llvm::StoreInst& store) {
    const llvm::Value* const value = store.getValueOperand();
    if (const variable_id x = candidate_of_.find(value); x != no_variable) {
      escapes(x);
    }
    const variable_id x = candidate_of_.find(store.getPointerOperand());
    if (x == no_variable) {
      return;
    }
    if (store.isVolatile() || value->getType() != candidates_[x].type) {
      escapes(x);
    }
    accesses_.push_back({&store, value, x});
    stored_loads_.push_back(load_of(value));
  }

  void escapes(variable_id x) {
    num_escaping_ += candidates_[x].variable != no_variable ? 1u : 0u;
    candidates_[x].variable = no_variable;
  }

  /// The load of a candidate that a value is. Usually it is the last one; others are looked for later.
  statement_id load_of(const llvm::Value* v) {
    const auto* const load = llvm::dyn_cast<llvm::LoadInst>(v);
    const variable_id from = load == nullptr ? no_variable : candidate_of_.find(load->getPointerOperand());
    if (from == no_variable) {
      return no_statement;
    }
    const statement_id last = candidates_[from].last_load;
    if (last != no_statement && accesses_[last].instruction == load) {
      return last;
    }
    late_.push_back(static_cast<statement_id>(stored_loads_.size()));
    return no_statement;
  }

  void find_late_loads() {
    if (late_.empty()) {
      return;
    }
    loads_.clear(accesses_.size());
    for (statement_id s = 0; s != accesses_.size(); ++s) {
      if (accesses_[s].stored == nullptr) {
        loads_.find_or_insert(accesses_[s].instruction, s);
      }
    }
    for (const statement_id s : late_) {
      stored_loads_[s] = loads_.find(accesses_[s].stored);
    }
  }

  void copy_graph() {
    nodes_.clear(blocks_.size());
    for (node_id n = 0; n != blocks_.size(); ++n) {
      nodes_.find_or_insert(blocks_[n], n);
    }
    targets_.resize_for_overwrite(successors_.size());
    for (std::size_t i = 0; i != successors_.size(); ++i) {
      targets_[i] = nodes_.find(successors_[i]);
    }
    graph_.assign(detail::listed_successors{targets_, first_successor_});
  }

  /// Removes candidates that are no variables, and their accesses.
  void drop_escaping() {
    variable_id next = 0;
    for (candidate& c : candidates_) {
      if (c.variable != no_variable) {
        slots_[next] = c.slot;
        c.variable = next++;
      }
    }
    slots_.shrink(next);
    moved_to_.resize_for_overwrite(accesses_.size());
    statement_id to = 0;
    for (node_id n = 0; n != blocks_.size(); ++n) {
      const statement_id first = first_statement_[n];
      first_statement_[n] = to;
      for (statement_id s = first; s != first_statement_[n + std::size_t{1}]; ++s) {
        access& at = accesses_[s];
        at.variable = candidates_[at.variable].variable;
        moved_to_[s] = no_statement;
        if (at.variable != no_variable) {
          moved_to_[s] = to;
          stored_loads_[to] = stored_loads_[s];
          accesses_[to++] = at;
        }
      }
    }
    first_statement_[blocks_.size()] = to;
    accesses_.shrink(to);
    stored_loads_.shrink(to);
    for (statement_id& load : stored_loads_) {
      load = load == no_statement ? no_statement : moved_to_[load];
    }
  }

  span<const variable_id> accessed_by(statement_id s, bool is_meant) const {
    return {&accesses_[s].variable, is_meant ? std::size_t{1} : 0};
  }

  csr_graph graph_;
  flat_array<const llvm::BasicBlock*> blocks_;
  flat_array<statement_id> first_statement_; ///< by node, and one more
  flat_array<access> accesses_;
  flat_array<statement_id> stored_loads_;
  flat_array<const llvm::AllocaInst*> slots_;
  detail::hash_map<const llvm::BasicBlock*> nodes_;
  // Valid while the view is made.
  flat_array<const llvm::BasicBlock*> successors_; ///< block by block
  flat_array<std::uint32_t> first_successor_;      ///< by node, and one more
  flat_array<node_id> targets_;
  flat_array<candidate> candidates_;
  detail::address_map<llvm::Value> candidate_of_;
  std::size_t num_escaping_ = 0;
  flat_array<statement_id> late_; ///< stores whose load was not the last one
  detail::hash_map<const llvm::Value*> loads_;
  flat_array<statement_id> moved_to_; ///< by statement
};

static_assert(statement_ir<llvm_slots>);

MIDEND_END_NAMESPACE
