/// Execution counts of nodes and edges, and `write_profile`, which writes them into a procedure.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/program.hpp"
#include "midend/graph/concepts.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// The counts of a procedure; empty arrays if it was never called.
struct procedure_profile {
  std::uint64_t calls = 0;
  std::vector<std::uint64_t> edges; ///< by number

  friend bool operator==(const procedure_profile&, const procedure_profile&) = default;
};

/// By procedure.
using run_profile = std::vector<procedure_profile>;

/// The number of times that a node was entered: the entry by calls, other nodes by the edges into them.
inline std::uint64_t node_count(const procedure& p, const procedure_profile& counts, node_id n) {
  std::uint64_t sum = n == p.entry() ? counts.calls : 0;
  for (const edge_id e : p.in_edges(n)) {
    sum += e < counts.edges.size() ? counts.edges[e] : 0;
  }
  return sum;
}

/// Adds the counts of another run of the same procedures.
inline void add_profile(run_profile& sum, const run_profile& counts) {
  sum.resize(counts.size() < sum.size() ? sum.size() : counts.size());
  for (std::size_t i = 0; i != counts.size(); ++i) {
    sum[i].calls += counts[i].calls;
    sum[i].edges.resize(counts[i].edges.size() < sum[i].edges.size() ? sum[i].edges.size() : counts[i].edges.size());
    for (std::size_t e = 0; e != counts[i].edges.size(); ++e) {
      sum[i].edges[e] += counts[i].edges[e];
    }
  }
}

/// Writes counts into the procedure that was run: its own count, the counts of nodes, and the probabilities of the
/// edges of nodes with several successors; unknown if none of them was taken. Overwrites the old profile. O(n + m).
inline void write_profile(procedure& p, const procedure_profile& counts) {
  p.set_count(counts.calls);
  for (node_id n = 0; n != p.num_nodes(); ++n) {
    if (p.node_core(n).erased) {
      continue;
    }
    p.set_node_count(n, node_count(p, counts, n));
    std::uint64_t sum = 0;
    for (const edge_id e : p.out_edges(n)) {
      sum += e < counts.edges.size() ? counts.edges[e] : 0;
    }
    for (const edge_id e : p.out_edges(n)) {
      const bool known = sum != 0 && p.out_edges(n).size() > 1;
      p.set_probability(e, known ? static_cast<double>(counts.edges[e]) / static_cast<double>(sum) : -1.0);
    }
  }
}

/// Writes counts into each procedure of a program.
inline void write_profile(program& all, const run_profile& counts) {
  for (std::size_t i = 0; i != counts.size(); ++i) {
    write_profile(all.procedures[i], counts[i]);
  }
}

} // namespace elbrus

MIDEND_END_NAMESPACE
