/// `numbered_ssa`: the SSA rung of the IR contract for blocks and values without dense numbers.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/graph/numbered.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/range.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>

MIDEND_BEGIN_NAMESPACE

template <class Block, class Value> class numbered_ssa_reader;

/// A function in SSA form with dense numbers: models `ssa_ir`. Derive your view from it, and add the members of the
/// next rungs. See `numbered_ssa` for how to make it.
///
/// `Block` and `Value` are handles of your IR: pointers, integers, or small structs of them with `==` and without
/// padding. Values in nodes have the first numbers, in the order in which they were read; those that are only read
/// (parameters, literals) follow in the order of first use. Handles and flat arrays are all it keeps.
template <class Block, class Value> class numbered_ssa_form {
public:
  numbered_ssa_form() = default;

  /// See `numbered_ssa`. For the constructor of a derived view: `read` may fill members of it.
  template <class Read> void assign(numbered_graph<Block> blocks, Value none, Read read) {
    *this = numbered_ssa_form();
    blocks_ = std::move(blocks);
    graph_.assign(blocks_);
    numbered_ssa_reader<Block, Value>(*this, none).run(read);
  }

  const csr_graph& graph() const { return graph_; }

  /// The handle of each node, and the number of each block.
  const numbered_graph<Block>& blocks() const { return blocks_; }

  Block block_of(node_id n) const { return blocks_.handle(n); }

  std::size_t num_values() const { return handles_.size(); }

  /// Values below this one are in nodes.
  value_id num_placed() const { return first_value_.empty() ? 0 : first_value_.back(); }

  id_range<value_id> values(node_id n) const { return {first_value_[n], first_value_[n + std::size_t{1}]}; }

  /// The values in no node.
  id_range<value_id> outside() const { return {num_placed(), static_cast<value_id>(num_values())}; }

  /// The operands of a phi are in the order of `graph().in_edges(n)`.
  span<const value_id> operands(value_id v) const {
    return v < num_placed() ? span<const value_id>(operands_.data() + first_operand_[v],
                                                   operands_.data() + first_operand_[v + std::size_t{1}])
                            : span<const value_id>();
  }

  bool is_phi(value_id v) const { return v < num_placed() && is_phi_[v]; }

  value_id phi_input(value_id v, edge_id e) const { return operands_[first_operand_[v] + position_[e]]; }

  value_id condition(node_id n) const { return conditions_[n]; }

  /// The handle of a value; `none` for an operation that was listed without one.
  Value handle(value_id v) const { return handles_[v]; }

  /// The number of a handle, or `no_value`.
  value_id number(Value handle) const { return numbers_.find(handle); }

  /// `e` leads to successor number `successor_position(e)` of its source.
  std::size_t successor_position(edge_id e) const { return e - graph_.offsets()[graph_.edge_source(e)]; }

private:
  friend numbered_ssa_reader<Block, Value>;

  numbered_graph<Block> blocks_;
  csr_graph graph_;
  detail::hash_map<Value> numbers_;
  flat_array<Value> handles_;               ///< by value
  flat_array<value_id> first_value_;        ///< by node, and one more
  flat_array<bool> is_phi_;                 ///< by value in a node
  flat_array<std::uint32_t> first_operand_; ///< by value in a node, and one more
  flat_array<value_id> operands_;
  flat_array<std::uint32_t> position_; ///< by edge: its position among the edges into its target
  flat_array<value_id> conditions_;    ///< by node
};

/// The function `read` of `numbered_ssa` calls these members for the values of a block, in the order of execution. A
/// value may be read before it is listed. Ranges may be temporaries. Each call returns the number of the value: the
/// calls number values 0, 1, …, so that arrays of your own can follow.
template <class Block, class Value> class numbered_ssa_reader {
public:
  /// A phi: `inputs[i]` arrives from `predecessors[i]`. A predecessor that is listed once brings its input along all
  /// its edges to the block, as in SPIR-V and QBE; one that is listed more than once brings one along each edge, in the
  /// order of its successors. Predecessors without a number, which control does not reach, are left out.
  template <class Predecessors, class Inputs>
  value_id phi(Value result, const Predecessors& predecessors, const Inputs& inputs) {
    const value_id v = add(result, true);
    auto input = std::begin(inputs);
    for (const auto& predecessor : predecessors) {
      MIDEND_ASSERT(input != std::end(inputs), "as many inputs as predecessors", v);
      arrivals_.push_back({*input, form_.blocks_.number(predecessor)});
      ++input;
    }
    MIDEND_ASSERT(input == std::end(inputs), "as many inputs as predecessors", v);
    return v;
  }

  /// An operation. `result` is `none` if it has no result; operands that are `none` are left out.
  template <class Operands> value_id operation(Value result, const Operands& operands) {
    const value_id v = add(result, false);
    for (const auto& operand : operands) {
      if (!(static_cast<Value>(operand) == none_)) {
        arrivals_.push_back({operand, no_node});
      }
    }
    return v;
  }

  value_id operation(Value result, std::initializer_list<Value> operands) {
    return operation(result, span<const Value>(operands.begin(), operands.end()));
  }

  /// A terminator with the value that decides the successor: an operation without a result.
  value_id branch(Value condition) { return branch(none_, condition); }

  /// A terminator with a handle, for IRs in which each instruction has one. `handle` returns it.
  value_id branch(Value terminator, Value condition) {
    condition_ = condition;
    return operation(terminator, {condition});
  }

  /// A terminator that compares its operands and branches on the result: it is itself the condition.
  template <class Operands> value_id comparing_branch(const Operands& operands) {
    return comparing_branch(none_, operands);
  }

  /// A comparing terminator with a handle.
  template <class Operands> value_id comparing_branch(Value terminator, const Operands& operands) {
    branch_ = operation(terminator, operands);
    return branch_;
  }

private:
  friend numbered_ssa_form<Block, Value>;

  /// An operand as it was read; for phis, with the node from which it arrives.
  struct arrival {
    Value value;
    node_id from;
  };

  /// The edges from one node into the present node, and how often a phi has listed the node.
  struct source {
    std::uint32_t first_edge; ///< position among the edges into the node
    std::uint32_t edges;
    std::uint32_t listed;
    std::uint32_t taken;
  };

  numbered_ssa_reader(numbered_ssa_form<Block, Value>& form, Value none)
      : form_(form), none_(none), condition_(none), branch_(no_value) {}

  /// Operands stay handles until all values in nodes have a number.
  template <class Read> void run(Read& read) {
    const auto nodes = static_cast<node_id>(form_.graph_.num_nodes());
    flat_array<Value> conditions;
    for (node_id n = 0; n != nodes; ++n) {
      form_.first_value_.push_back(static_cast<value_id>(form_.handles_.size()));
      condition_ = none_;
      branch_ = no_value;
      read(form_.blocks_.handle(n), *this);
      conditions.push_back(condition_);
      form_.conditions_.push_back(branch_);
    }
    form_.first_value_.push_back(static_cast<value_id>(form_.handles_.size()));
    first_arrival_.push_back(static_cast<std::uint32_t>(arrivals_.size()));
    sources_.assign(nodes, {0, 0, 0, 0});
    form_.position_.assign(form_.graph_.num_edges(), 0);
    for (node_id n = 0; n != nodes; ++n) {
      number_operands(n);
      if (!(conditions[n] == none_)) {
        form_.conditions_[n] = number(conditions[n]);
      }
    }
    form_.first_operand_.push_back(static_cast<std::uint32_t>(form_.operands_.size()));
  }

  value_id add(Value result, bool is_phi) {
    const auto v = static_cast<value_id>(form_.handles_.size());
    MIDEND_ASSERT(v != no_value, "at most 2^32 - 1 values", v);
    if (!(result == none_)) {
      [[maybe_unused]] const value_id number = form_.numbers_.find_or_insert(result, v);
      MIDEND_ASSERT(number == v, "one operation for each result", number, v);
    }
    form_.handles_.push_back(result);
    form_.is_phi_.push_back(is_phi);
    first_arrival_.push_back(static_cast<std::uint32_t>(arrivals_.size()));
    return v;
  }

  /// The number of an operand. A handle without a number is computed in no node.
  value_id number(Value operand) {
    if (operand == none_) {
      return no_value;
    }
    const auto fresh = static_cast<value_id>(form_.handles_.size());
    const value_id v = form_.numbers_.find_or_insert(operand, fresh);
    if (v == fresh) {
      form_.handles_.push_back(operand);
    }
    return v;
  }

  void number_operands(node_id n) {
    std::uint32_t position = 0;
    for (const edge_id e : form_.graph_.in_edges(n)) { // parallel edges follow each other
      source& from = sources_[form_.graph_.edge_source(e)];
      from.first_edge = from.edges++ == 0 ? position : from.first_edge;
      form_.position_[e] = position++;
    }
    for (const value_id v : form_.values(n)) {
      form_.first_operand_.push_back(static_cast<std::uint32_t>(form_.operands_.size()));
      const span<const arrival> arrivals(arrivals_.data() + first_arrival_[v],
                                         arrivals_.data() + first_arrival_[v + std::size_t{1}]);
      if (form_.is_phi_[v]) {
        number_inputs(arrivals, position);
      } else {
        for (const arrival& a : arrivals) {
          form_.operands_.push_back(number(a.value));
        }
      }
    }
    for (const edge_id e : form_.graph_.in_edges(n)) {
      sources_[form_.graph_.edge_source(e)].edges = 0;
    }
  }

  /// Sorts inputs by edge. `check_ir` reports mismatches: an edge without input has `no_value`, and an input without
  /// edge is one operand too many.
  void number_inputs(span<const arrival> arrivals, std::uint32_t edges) {
    const std::size_t first = form_.operands_.size();
    for (std::uint32_t i = 0; i != edges; ++i) {
      form_.operands_.push_back(no_value);
    }
    for (const arrival& a : arrivals) {
      if (a.from != no_node) {
        sources_[a.from].listed = 0;
        sources_[a.from].taken = 0;
      }
    }
    for (const arrival& a : arrivals) {
      if (a.from != no_node) {
        ++sources_[a.from].listed;
      }
    }
    for (const arrival& a : arrivals) {
      if (a.from == no_node) {
        continue;
      }
      const value_id input = number(a.value);
      source& from = sources_[a.from];
      if (from.taken == from.edges) {
        form_.operands_.push_back(input);
        continue;
      }
      const std::uint32_t last = from.listed == 1 ? from.edges : from.taken + 1;
      for (; from.taken != last; ++from.taken) {
        form_.operands_[first + from.first_edge + from.taken] = input;
      }
    }
  }

  numbered_ssa_form<Block, Value>& form_;
  Value none_;
  Value condition_; ///< of the present block, if it has a handle
  value_id branch_; ///< of the present block, if its terminator is its condition
  flat_array<arrival> arrivals_;
  flat_array<std::uint32_t> first_arrival_; ///< by value in a node, and one more
  flat_array<source> sources_;              ///< by node
};

/// Numbers the values of a function and lists their operands. `blocks` is a result of `numbered`; `none` is the handle
/// that stands for no value: a null pointer, say, or an id that is not used. `read(block, out)` is called once for each
/// block, in the order of their numbers, and describes its values by calls of `numbered_ssa_reader`:
///
///     auto ir = midend::numbered_ssa(midend::numbered(f.entry, successors_of), no_name, [](block* b, auto& out) {
///       for (const phi& p : b->phis)      out.phi(p.result, p.blocks, p.values);
///       for (const insn& i : b->insns)    out.operation(i.result, i.operands);
///       if (b->ends_in_branch)            out.branch(b->condition);
///     });
///
/// Requires that each result belongs to one operation. What else may be wrong, such as phis after other values or
/// inputs from blocks that are no predecessors, `check_ir` finds in the result. Expected time linear in values,
/// operands and edges.
template <class Block, class Value, class Read>
numbered_ssa_form<Block, Value> numbered_ssa(numbered_graph<Block> blocks, Value none, Read read) {
  numbered_ssa_form<Block, Value> form;
  form.assign(std::move(blocks), none, std::move(read));
  return form;
}

MIDEND_END_NAMESPACE
