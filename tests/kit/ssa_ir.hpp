/// A small IR in SSA form to test with: values in the nodes of a flat graph, phis first, with an input for each edge.
#pragma once

#include "kit/test_graph.hpp"

#include <midend/dominance/dominators.hpp>
#include <midend/graph/csr_graph.hpp>
#include <midend/ir/ssa.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace midend_tests {

using midend::value_id;

enum class ssa_operation : std::uint8_t { phi, constant, parameter, add, multiply };

/// Models `ssa_ir`; nothing says which way control goes.
class ssa_program {
public:
  explicit ssa_program(midend::csr_graph g) : graph_(std::move(g)), blocks_(graph_.num_nodes()) {}

  /// Adds a value at the end of node `n`. A phi has an operand for each edge into `n`, in the order of `in_edges(n)`.
  value_id add(node_id n, ssa_operation operation, std::vector<value_id> operands = {}, std::int64_t constant = 0) {
    const auto v = static_cast<value_id>(values_.size());
    values_.push_back({n, operation, std::move(operands), constant});
    if (n != no_node) {
      blocks_[n].push_back(v);
    }
    return v;
  }

  /// A parameter that stands in no node.
  value_id add_parameter() {
    parameters_.push_back(add(no_node, ssa_operation::parameter));
    return parameters_.back();
  }

  /// A literal that stands in no node.
  value_id add_literal(std::int64_t constant = 0) { return add(no_node, ssa_operation::constant, {}, constant); }

  void set_operands(value_id v, std::vector<value_id> operands) { values_[v].operands = std::move(operands); }

  const midend::csr_graph& graph() const { return graph_; }

  std::size_t num_values() const { return values_.size(); }

  std::span<const value_id> parameters() const { return parameters_; }

  std::span<const value_id> values(node_id n) const { return blocks_[n]; }

  std::span<const value_id> operands(value_id v) const { return values_[v].operands; }

  bool is_phi(value_id v) const { return values_[v].operation == ssa_operation::phi; }

  value_id phi_input(value_id v, midend::edge_id e) const {
    const std::span<const midend::edge_id> edges = graph_.in_edges(values_[v].node);
    std::size_t i = 0;
    while (edges[i] != e) {
      ++i;
    }
    return values_[v].operands[i];
  }

  value_id condition(node_id) const { return midend::no_value; }

  /// `no_node` if it stands in none.
  node_id node(value_id v) const { return values_[v].node; }

  ssa_operation operation(value_id v) const { return values_[v].operation; }

  std::int64_t constant(value_id v) const { return values_[v].constant; }

private:
  struct value_data {
    node_id node;
    ssa_operation operation;
    std::vector<value_id> operands;
    std::int64_t constant;
  };

  midend::csr_graph graph_;
  std::vector<value_data> values_;
  std::vector<std::vector<value_id>> blocks_;
  std::vector<value_id> parameters_;
};

static_assert(midend::ssa_ir<ssa_program>);

/// A program over `g`, all of whose nodes must be reachable: each operand is defined before its use on every path.
inline ssa_program random_ssa_program(random_source& random, const midend::csr_graph& g, std::size_t most) {
  ssa_program program(g);
  const midend::dominator_tree tree = midend::dominators(g);
  const auto visible_at_end = [&](node_id n) {
    std::vector<value_id> out;
    for (node_id at = n; at != no_node; at = tree.immediate_dominator(at)) {
      const auto values = program.values(at);
      out.insert(out.end(), values.begin(), values.end());
    }
    return out;
  };
  for (const node_id n : tree.preorder()) { // dominators first
    for (std::size_t phis = g.predecessors(n).empty() || n == g.entry() ? 0 : random.below(3); phis != 0; --phis) {
      program.add(n, ssa_operation::phi); // its operands follow
    }
    for (std::size_t left = (n == g.entry()) + random.below(most + 1); left != 0; --left) {
      const std::vector<value_id> visible = visible_at_end(n);
      const std::size_t kind = visible.empty() ? random.below(2) : random.below(8);
      if (kind == 0) {
        program.add(n, random.one_in(4) ? ssa_operation::parameter : ssa_operation::constant, {},
                    static_cast<std::int64_t>(random.below(3)));
      } else if (kind == 1) {
        program.add(n, ssa_operation::constant, {}, static_cast<std::int64_t>(random.below(3)));
      } else {
        const value_id first = visible[random.below(visible.size())];
        const value_id second = visible[random.below(visible.size())];
        program.add(n, random.one_in(2) ? ssa_operation::add : ssa_operation::multiply, {first, second});
      }
    }
  }
  for (node_id n = 0; n != g.num_nodes(); ++n) {
    for (const value_id v : program.values(n)) {
      if (program.is_phi(v)) {
        std::vector<value_id> inputs;
        for (const node_id from : g.predecessors(n)) {
          const std::vector<value_id> visible = visible_at_end(from);
          inputs.push_back(visible[random.below(visible.size())]);
        }
        program.set_operands(v, std::move(inputs));
      }
    }
  }
  return program;
}

} // namespace midend_tests
