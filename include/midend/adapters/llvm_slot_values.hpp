/// `llvm_slot_values`: the values that the loads of stack slots have in SSA form. For LLVM 19.
#pragma once

#include "midend/adapters/llvm_slots.hpp"
#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/range.hpp"
#include "midend/support/span.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Value.h>

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// An editor for `construct_ssa` that does not change the function: it records what mem2reg would do. Models
/// `variable_editor`, and removes phis.
///
/// **Values** are numbers: first an unwritten value for each variable, then phis and stored values, which have an
/// `llvm::Value`. A store of a load of a variable stores the value that the load reads, so loads of variables are no
/// values. Equal operands of stores are one value, so that phis agree that select between them.
class llvm_slot_values {
public:
  llvm_slot_values() = default;

  explicit llvm_slot_values(const llvm::Function& f) { assign(f); }

  /// Makes this the editor of another function; allocates nothing if an earlier one was at least as large.
  void assign(const llvm::Function& f) {
    slots_.assign(f);
    numbers_.clear(slots_.num_variables());
    read_.assign(slots_.num_statements(), no_value);
    values_.clear();
    inputs_.clear();
    const csr_graph& g = slots_.graph();
    positions_.resize_for_overwrite(g.num_edges());
    for (node_id n = 0; n != g.num_nodes(); ++n) {
      std::uint32_t position = 0;
      for (const edge_id e : g.in_edges(n)) {
        positions_[e] = position++;
      }
    }
  }

  const llvm_slots& slots() const { return slots_; }

  const csr_graph& graph() const { return slots_.graph(); }

  std::size_t num_statements() const { return slots_.num_statements(); }

  id_range<statement_id> statements(node_id n) const { return slots_.statements(n); }

  std::size_t num_variables() const { return slots_.num_variables(); }

  span<const variable_id> definitions(statement_id s) const { return slots_.definitions(s); }

  span<const variable_id> uses(statement_id s) const { return slots_.uses(s); }

  value_id undefined_value(variable_id x) const { return x; }

  value_id insert_variable_phi(node_id n, variable_id x) {
    values_.push_back({nullptr, static_cast<std::uint32_t>(inputs_.size()), n, x, no_value});
    for (std::size_t i = graph().in_edges(n).size(); i != 0; --i) {
      inputs_.push_back(no_value);
    }
    return static_cast<value_id>(num_variables() + values_.size() - 1);
  }

  void set_phi_input(value_id phi, edge_id e, value_id v) { inputs_[record(phi).first_input + positions_[e]] = v; }

  void rename_use(statement_id s, variable_id, value_id v) { read_[s] = v; }

  value_id rename_definition(statement_id s, variable_id x) {
    const statement_id load = slots_.stored_load(s);
    if (load != no_statement) {
      return read_[load] != no_value ? read_[load] : undefined_value(x); // in an unreachable node
    }
    const auto fresh = static_cast<value_id>(num_variables() + values_.size());
    const value_id v = numbers_.find_or_insert(slots_.stored(s), fresh);
    if (v == fresh) {
      values_.push_back({slots_.stored(s), 0, no_node, no_variable, no_value});
    }
    return v;
  }

  void replace_uses(value_id v, value_id by) { record(v).replaced_by = by; }

  void erase_value(value_id) {}

  /// What LLVM's simplification of phis allows.
  bool can_replace_undefined(value_id v, node_id n, const dominator_tree& tree) const {
    const llvm::Value* const known = value(v);
    if (known == nullptr || !llvm::isGuaranteedNotToBePoison(known)) {
      return false;
    }
    const auto* const i = llvm::dyn_cast<llvm::Instruction>(known);
    return i == nullptr || (!i->isTerminator() && tree.strictly_dominates(slots_.node(i->getParent()), n));
  }

  /// The value that a load of a variable reads.
  value_id value_read(statement_id s) const { return present(read_[s]); }

  /// Whether a value is that of an unwritten variable, or `undef` or `poison`.
  bool is_undefined(value_id v) const {
    const llvm::Value* const known = value(v);
    return is_unwritten(v) || (known != nullptr && llvm::isa<llvm::UndefValue>(known));
  }

  bool is_phi(value_id v) const { return !is_unwritten(v) && record(v).value == nullptr; }

  /// The stored value; null for phis and unwritten values.
  const llvm::Value* value(value_id v) const { return is_unwritten(v) ? nullptr : record(v).value; }

  node_id node_of_phi(value_id phi) const { return record(phi).node; }

  /// The input of a phi for an edge into its node.
  value_id phi_input(value_id phi, edge_id e) const {
    return present(inputs_[record(phi).first_input + positions_[e]]);
  }

private:
  struct value_record {
    const llvm::Value* value; ///< null: a phi
    std::uint32_t first_input;
    node_id node;
    variable_id variable;
    value_id replaced_by;
  };

  bool is_unwritten(value_id v) const { return v < num_variables(); }

  value_record& record(value_id v) { return values_[v - num_variables()]; }

  const value_record& record(value_id v) const { return values_[v - num_variables()]; }

  value_id present(value_id v) const {
    while (!is_unwritten(v) && record(v).replaced_by != no_value) {
      v = record(v).replaced_by;
    }
    return v;
  }

  llvm_slots slots_;
  detail::hash_map<const llvm::Value*> numbers_; ///< of what is stored
  flat_array<value_record> values_;              ///< from the number of variables on
  flat_array<value_id> inputs_;                  ///< phi by phi
  flat_array<value_id> read_;                    ///< by statement, if it is a load
  flat_array<std::uint32_t> positions_;          ///< by edge: its position among those into its target
};

static_assert(phi_removing_editor<llvm_slot_values>);

MIDEND_END_NAMESPACE
