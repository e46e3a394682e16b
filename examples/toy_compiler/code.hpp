// The compiler's own code: nodes with instructions in SSA form.
#pragma once
#include <midend/graph/concepts.hpp>
#include <midend/ir/ids.hpp>
#include <midend/ir/operation.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

using midend::edge_id;
using midend::node_id;
using midend::value_id;
using midend::variable_id;

struct instruction {
  enum kind_of_instruction { number, array, argument, phi, compute, load, branch, result } kind;

  std::vector<value_id> operands = {}; // of a phi: one for each edge into its node, in the order of `in_edges`
  midend::operation code = midend::operation::other;
  std::uint8_t width = 32;
  std::uint32_t value = 0; // of a number
  node_id node = midend::no_node;
};

struct flow_edge {
  node_id source, target;
};

struct flow_node {
  std::vector<node_id> successors; // of a branch: first the one that is taken if the condition holds
  std::vector<edge_id> out, in;
};

struct flow {
  std::vector<flow_node> nodes;
  std::vector<flow_edge> edges;

  std::size_t num_nodes() const { return nodes.size(); }

  node_id entry() const { return 0; }

  const std::vector<node_id>& successors(node_id n) const { return nodes[n].successors; }

  std::size_t num_edges() const { return edges.size(); }

  const std::vector<edge_id>& out_edges(node_id n) const { return nodes[n].out; }

  const std::vector<edge_id>& in_edges(node_id n) const { return nodes[n].in; }

  node_id edge_source(edge_id e) const { return edges[e].source; }

  node_id edge_target(edge_id e) const { return edges[e].target; }
};

struct code {
  flow cfg;
  std::vector<instruction> values;          // by value_id
  std::vector<std::vector<value_id>> nodes; // by node_id: what is in it

  // What the front end needs.
  value_id add(const instruction& i) {
    values.push_back(i);
    const auto v = static_cast<value_id>(values.size() - 1);
    if (i.node != midend::no_node) {
      nodes[i.node].push_back(v);
    }
    return v;
  }

  node_id add_node() {
    nodes.emplace_back();
    cfg.nodes.emplace_back();
    return static_cast<node_id>(nodes.size() - 1);
  }

  void add_edge(node_id from, node_id to) {
    const auto e = static_cast<edge_id>(cfg.edges.size());
    cfg.edges.push_back({from, to});
    cfg.nodes[from].successors.push_back(to);
    cfg.nodes[from].out.push_back(e);
    cfg.nodes[to].in.push_back(e);
  }

  // What midend needs to make SSA form.
  const flow& graph() const { return cfg; }

  value_id insert_variable_phi(node_id n, variable_id) {
    const value_id v = add({.kind = instruction::phi});
    values[v].node = n;
    nodes[n].insert(nodes[n].begin(), v);
    return v;
  }

  void set_phi_input(value_id phi, edge_id e, value_id input) {
    const std::vector<edge_id>& in = cfg.in_edges(values[phi].node);
    values[phi].operands.resize(in.size(), midend::no_value);
    values[phi].operands[static_cast<std::size_t>(std::ranges::find(in, e) - in.begin())] = input;
  }

  value_id undefined_value(variable_id) { return add({.kind = instruction::number}); } // variables begin as 0

  void replace_uses(value_id v, value_id by) {
    for (instruction& i : values) {
      std::ranges::replace(i.operands, v, by);
    }
  }

  void erase_value(value_id v) {
    std::erase(nodes[values[v].node], v);
    values[v].node = midend::no_node;
    values[v].operands.clear();
  }
};
