/// Whether the counts of a profile agree with each other.
#pragma once

#include "kit/test_graph.hpp"

#include <midend/elbrus/procedure.hpp>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace midend_tests {

inline std::vector<midend::node_id> reachable(const midend::elbrus::procedure& p) {
  std::vector<midend::node_id> nodes{p.entry()};
  std::vector<bool> reached(p.num_nodes());
  reached[p.entry()] = true;
  for (std::size_t i = 0; i != nodes.size(); ++i) {
    for (const midend::node_id s : p.successors(nodes[i])) {
      if (!reached[s]) {
        reached[s] = true;
        nodes.push_back(s);
      }
    }
  }
  return nodes;
}

/// Where what flows in is not the count, or what flows out is not. Each edge may be off by a half, because counts are
/// whole numbers.
inline std::string why_inconsistent(const midend::elbrus::procedure& p) {
  const std::vector<midend::node_id> nodes = reachable(p);
  std::vector<double> flow(p.num_nodes(), 0);
  std::vector<double> slack(p.num_nodes(), 0.01);
  flow[p.entry()] += static_cast<double>(p.count());
  for (const midend::node_id n : nodes) {
    if (p.node_count(n) == midend::elbrus::no_count) {
      return join("no count of node ", n);
    }
    const auto count = static_cast<double>(p.node_count(n));
    double out = 0;
    for (const midend::edge_id e : p.out_edges(n)) {
      const double probability = p.out_edges(n).size() == 1 ? 1.0 : count == 0 ? 0.0 : p.probability(e);
      if (probability < 0) {
        return join("no probability of edge ", e);
      }
      out += probability;
      flow[p.edge_target(e)] += count * probability;
      slack[p.edge_target(e)] += 0.5;
    }
    if (!p.out_edges(n).empty() && count != 0 && std::abs(out - 1) > 1e-9) {
      return join("probabilities of node ", n);
    }
  }
  for (const midend::node_id n : nodes) {
    if (std::abs(flow[n] - static_cast<double>(p.node_count(n))) > slack[n]) {
      return join("node ", n, ": count ", p.node_count(n), ", flow ", std::to_string(flow[n]));
    }
  }
  return {};
}

} // namespace midend_tests
