/// A right view of a function in SSA form, from which each mistake departs in one place:
///
///     block 0: jump 1                                   v4
///     block 1: i = phi [0: v0 = 0], [2: v8]             v5
///              p = i < v2 = 10                          v6
///              branch p ? 2 : 3                         v7
///     block 2: next = i + v1 = 1                        v8
///              jump 1                                   v9
///     block 3: return i                                 v10; v3 is a parameter
#ifndef MIDEND_TESTS_MISTAKES_RIGHT_SSA_HPP
#define MIDEND_TESTS_MISTAKES_RIGHT_SSA_HPP

#include "mistakes.hpp"

#include "midend/ir/coverage.hpp"

using midend::edge_id;
using midend::no_value;
using midend::node_id;
using midend::operation;
using midend::value_id;

struct right_ssa {
  using constant_type = std::uint64_t;

  struct value {
    std::vector<value_id> operands = {};
    midend::operation_info info = {operation::other, 32, 32, {}};
    std::optional<std::uint64_t> number = std::nullopt;
    bool is_phi = false;
  };

  midend::csr_graph g = [] {
    const std::vector<midend::edge> edges{{0, 1}, {1, 2}, {1, 3}, {2, 1}};
    return midend::csr_graph::from_edges(4, 0, edges).value();
  }();
  std::vector<value> v{{.number = 0},
                       {.number = 1},
                       {.number = 10},
                       {},
                       {},
                       {.operands = {0, 8}, .is_phi = true},
                       {.operands = {5, 2}, .info = {operation::less, 1, 32, {}}},
                       {.operands = {6}},
                       {.operands = {5, 1}, .info = {operation::add, 32, 32, {}}},
                       {},
                       {.operands = {5}}};
  std::vector<std::vector<value_id>> nodes{{4}, {5, 6, 7}, {8, 9}, {10}};
  std::vector<value_id> conditions{no_value, 6, no_value, no_value};
  std::vector<std::optional<std::uint64_t>> cases{std::nullopt, 1, 0, std::nullopt}; // by edge

  const midend::csr_graph& graph() const { return g; }

  std::size_t num_values() const { return v.size(); }

  const std::vector<value_id>& values(node_id n) const { return nodes[n]; }

  const std::vector<value_id>& operands(value_id x) const { return v[x].operands; }

  bool is_phi(value_id x) const { return v[x].is_phi; }

  /// The inputs of a phi are in the order of the in-edges.
  value_id phi_input(value_id x, edge_id e) const {
    std::size_t i = 0;
    for (const edge_id in : g.in_edges(g.edge_target(e))) {
      if (in == e) {
        return v[x].operands[i];
      }
      ++i;
    }
    return no_value;
  }

  value_id condition(node_id n) const { return conditions[n]; }

  midend::operation_info operation(value_id x) const { return v[x].info; }

  std::optional<std::uint64_t> constant(value_id x) const { return v[x].number; }

  std::optional<std::uint64_t> fold(value_id, std::span<const std::uint64_t>) const { return std::nullopt; }

  std::optional<std::uint64_t> edge_case(edge_id e) const { return cases[e]; }
};

/// The same with the effects and costs of a machine.
struct right_cost : right_ssa {
  std::optional<midend::operation_class> cost(value_id x) const {
    return x == 4 || x == 7 || x >= 9 ? midend::operation_class::branch : midend::usual_class(v[x].info);
  }

  midend::effect_kind effect(value_id) const { return midend::effect_kind::none; }

  std::optional<midend::memory_reference> memory(value_id) const { return std::nullopt; }
};

#endif
