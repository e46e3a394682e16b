/// A small IR in SSA form whose values can be computed, to test with: operations of the library's vocabulary in the
/// nodes of a flat graph, an interpreter, and random programs.
#pragma once

#include "kit/test_graph.hpp"

#include <midend/dominance/dominators.hpp>
#include <midend/graph/csr_graph.hpp>
#include <midend/ir/evaluate.hpp>
#include <midend/ir/operation.hpp>
#include <midend/ir/semantics.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace midend_tests {

using midend::no_value;
using midend::operation;
using midend::operation_info;
using midend::value_id;

/// Models `semantic_ir`. Literals, parameters and `undef` stand in no node.
class semantic_program {
public:
  using constant_type = std::uint64_t;

  semantic_program() = default;

  explicit semantic_program(midend::csr_graph g)
      : graph_(std::move(g)), blocks_(graph_.num_nodes()), conditions_(graph_.num_nodes(), no_value),
        cases_(graph_.num_edges()) {}

  explicit semantic_program(std::size_t nodes, const std::vector<midend::edge>& edges, node_id entry = 0)
      : semantic_program(make_csr({"", nodes, entry, edges})) {}

  // Making it.

  value_id literal(std::uint64_t c, unsigned width = 64) {
    const value_id v = add(no_node, kind::literal, {operation::other, byte(width), byte(width), {}}, {});
    values_[v].constant = c & midend::low_ones(width);
    return v;
  }

  value_id parameter(unsigned width = 64) {
    const value_id v = add(no_node, kind::parameter, {operation::other, byte(width), byte(width), {}}, {});
    parameters_.push_back(v);
    return v;
  }

  value_id undefined(unsigned width = 64) {
    return add(no_node, kind::undefined, {operation::other, byte(width), byte(width), {}}, {});
  }

  /// An operation whose operands have `width` bits, or, of a conversion, `operand_width`.
  value_id op(node_id n, operation code, std::vector<value_id> operands, unsigned width = 64,
              unsigned operand_width = 0, midend::operation_flags flags = {}) {
    const unsigned from = operand_width == 0 ? width : operand_width;
    const unsigned to = midend::is_comparison(code) ? 1 : width;
    return add(n, kind::known, {code, byte(to), byte(from), flags}, std::move(operands));
  }

  /// A comparison of numbers of `operand_width` bits, with a result of `width` bits.
  value_id compare(node_id n, operation code, value_id a, value_id b, unsigned width, unsigned operand_width) {
    return add(n, kind::known, {code, byte(width), byte(operand_width), {}}, {a, b});
  }

  /// A call: nobody knows what it gives.
  value_id call(node_id n, std::vector<value_id> operands = {}, unsigned width = 64) {
    return add(n, kind::call, {operation::other, byte(width), byte(width), {}}, std::move(operands));
  }

  /// An operation that only `fold` knows: 2 · a + b, or nothing if b is 0.
  value_id strange(node_id n, value_id a, value_id b, unsigned width = 64) {
    return add(n, kind::strange, {operation::other, byte(width), byte(width), {}}, {a, b});
  }

  value_id phi(node_id n, unsigned width = 64) {
    std::vector<value_id> inputs(graph_.in_edges(n).size(), no_value);
    return add(n, kind::phi, {operation::other, byte(width), byte(width), {}}, std::move(inputs));
  }

  /// A phi before all that the node has.
  value_id phi_at_head(node_id n, unsigned width = 64) {
    const value_id v = phi(n, width);
    blocks_[n].pop_back();
    blocks_[n].insert(blocks_[n].begin(), v);
    return v;
  }

  /// A phi with its inputs, in the order of `in_edges(n)`.
  value_id merge(node_id n, std::vector<value_id> inputs, unsigned width = 64) {
    return add(n, kind::phi, {operation::other, byte(width), byte(width), {}}, std::move(inputs));
  }

  void set_input(value_id phi, edge_id e, value_id v) { values_[phi].operands[place(phi, e)] = v; }

  void set_operands(value_id v, std::vector<value_id> operands) { values_[v].operands = std::move(operands); }

  /// `n` has two edges: the first for 1, the second for 0.
  void branch(node_id n, value_id condition) { switch_on(n, condition, {1, 0}); }

  /// The cases of the edges of `n`, in their order.
  void switch_on(node_id n, value_id condition, std::vector<std::optional<std::uint64_t>> cases) {
    conditions_[n] = condition;
    for (std::size_t i = 0; i != cases.size(); ++i) {
      cases_[edge_of(n, i)] = cases[i];
    }
  }

  void stop_at(value_id v) { values_[v].stops = true; }

  /// The edge from `source` to its successor number `i`.
  edge_id edge_of(node_id source, std::size_t i = 0) const {
    return *graph_.out_edges(source).begin() + static_cast<edge_id>(i); // ids of a node's edges follow each other
  }

  // As an IR.

  const midend::csr_graph& graph() const { return graph_; }

  std::size_t num_values() const { return values_.size(); }

  std::span<const value_id> values(node_id n) const { return blocks_[n]; }

  std::span<const value_id> operands(value_id v) const { return values_[v].operands; }

  bool is_phi(value_id v) const { return values_[v].what == kind::phi; }

  value_id phi_input(value_id v, edge_id e) const { return values_[v].operands[place(v, e)]; }

  value_id condition(node_id n) const { return conditions_[n]; }

  operation_info operation(value_id v) const { return values_[v].info; }

  std::optional<std::uint64_t> constant(value_id v) const {
    return values_[v].what == kind::literal ? std::optional(values_[v].constant) : std::nullopt;
  }

  std::optional<std::uint64_t> fold(value_id v, std::span<const std::uint64_t> args) const {
    const value_data& value = values_[v];
    if (value.what == kind::known) {
      const midend::evaluation result = midend::evaluate(value.info, args);
      return result ? std::optional(result.bits) : std::nullopt;
    }
    if (value.what == kind::strange && args[1] != 0) {
      return (2 * args[0] + args[1]) & midend::low_ones(value.info.width);
    }
    return std::nullopt;
  }

  std::optional<std::uint64_t> edge_case(edge_id e) const { return cases_[e]; }

  bool is_undefined(value_id v) const { return values_[v].what == kind::undefined; }

  bool never_returns(value_id v) const { return values_[v].stops; }

  // For tests.

  node_id node(value_id v) const { return values_[v].node; }

  bool is_call(value_id v) const { return values_[v].what == kind::call; }

  const std::vector<value_id>& parameters() const { return parameters_; }

private:
  enum class kind : std::uint8_t { literal, parameter, undefined, known, call, strange, phi };

  struct value_data {
    node_id node;
    kind what;
    bool stops = false;
    operation_info info;
    std::vector<value_id> operands;
    std::uint64_t constant = 0;
  };

  static std::uint8_t byte(unsigned width) { return static_cast<std::uint8_t>(width); }

  value_id add(node_id n, kind what, operation_info info, std::vector<value_id> operands) {
    const auto v = static_cast<value_id>(values_.size());
    values_.push_back({n, what, false, info, std::move(operands), 0});
    if (n != no_node) {
      blocks_[n].push_back(v);
    }
    return v;
  }

  std::size_t place(value_id phi, edge_id e) const { // ids of the edges into a node ascend
    const std::span<const edge_id> edges = graph_.in_edges(values_[phi].node);
    std::size_t first = 0;
    for (std::size_t last = edges.size(); first + 1 < last;) {
      const std::size_t middle = first + (last - first) / 2;
      (edges[middle] <= e ? first : last) = middle;
    }
    return first;
  }

  midend::csr_graph graph_;
  std::vector<value_data> values_;
  std::vector<std::vector<value_id>> blocks_;
  std::vector<value_id> conditions_;
  std::vector<std::optional<std::uint64_t>> cases_;
  std::vector<value_id> parameters_;
};

static_assert(midend::semantic_ir<semantic_program> && midend::has_is_undefined<semantic_program> &&
              midend::has_never_returns<semantic_program>);

/// Runs a program: calls `on_value(v, bits)` for everything computed, literals and parameters first, and `on_edge(e)`.
/// `outside(width)` is what calls give and `undef` is, at each use anew. Stops at an operation without result, at one
/// that never returns, at a node without the edge that is wanted, and after so many operations. Whether it got to a
/// node without successors.
template <class Outside, class OnValue, class OnEdge>
bool interpret(const semantic_program& program, std::span<const std::uint64_t> arguments, std::size_t steps,
               Outside outside, OnValue on_value, OnEdge on_edge) {
  std::vector<std::uint64_t> bits(program.num_values(), 0);
  for (value_id v = 0; v != program.num_values(); ++v) {
    if (const auto c = program.constant(v)) {
      bits[v] = *c;
      on_value(v, *c);
    }
  }
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    bits[program.parameters()[i]] = arguments[i];
    on_value(program.parameters()[i], arguments[i]);
  }
  const auto read = [&](value_id v) { return program.is_undefined(v) ? outside(program.operation(v).width) : bits[v]; };
  node_id at = program.graph().entry();
  edge_id by = midend::no_edge;
  for (;;) {
    std::vector<std::uint64_t> arrived; // phis are simultaneous
    for (const value_id v : program.values(at)) {
      if (program.is_phi(v)) {
        arrived.push_back(read(program.phi_input(v, by)));
      }
    }
    std::size_t phi = 0;
    for (const value_id v : program.values(at)) {
      if (steps-- == 0) {
        return false;
      }
      if (program.is_phi(v)) {
        bits[v] = arrived[phi++];
      } else if (program.is_call(v)) {
        bits[v] = outside(program.operation(v).width);
      } else {
        std::vector<std::uint64_t> args;
        for (const value_id operand : program.operands(v)) {
          args.push_back(read(operand));
        }
        const auto result = program.fold(v, args);
        if (!result) {
          return false;
        }
        bits[v] = *result;
      }
      on_value(v, bits[v]);
      if (program.never_returns(v)) {
        return false;
      }
    }
    by = midend::no_edge;
    const value_id condition = program.condition(at);
    const std::uint64_t decides = condition == no_value ? 0 : read(condition);
    for (const edge_id e : program.graph().out_edges(at)) {
      const bool is_default = condition == no_value || !program.edge_case(e);
      if (is_default ? by == midend::no_edge : *program.edge_case(e) == decides) {
        by = e;
      }
    }
    if (by == midend::no_edge || steps-- == 0) {
      return program.graph().out_edges(at).empty();
    }
    on_edge(by);
    at = program.graph().edge_target(by);
  }
}

/// A program over `g` (its reachable part) of numbers of `width` bits: parameters, few constants, all operations, calls
/// and `undef` now and then, conditions that are mostly comparisons, switches of up to `width` bits.
struct random_semantics {
  unsigned width = 3;
  std::size_t parameters = 2;
  std::size_t most = 4;  ///< operations a node
  bool undefined = true; ///< some operands are `undef`
  bool calls = true;
  std::size_t wide = 0; ///< one in so many operands has another width, and conditions are computed in several steps
};

semantic_program random_semantic_program(random_source& random, const test_graph& g, const random_semantics& options);

/// Graph and values, to reproduce a failure.
std::string to_string(const semantic_program& program);

} // namespace midend_tests
