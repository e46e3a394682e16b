/// Problems to test solvers with, and what their solution is by definition.
#pragma once

#include "kit/test_graph.hpp"

#include <midend/dataflow/lattices/dual.hpp>
#include <midend/dataflow/lattices/powerset.hpp>
#include <midend/dataflow/problem.hpp>
#include <midend/dataflow/solution.hpp>
#include <midend/graph/csr_graph.hpp>
#include <midend/support/bit_row.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace midend_tests {

using midend::bit_row;
using midend::flow_direction;
using midend::flow_edge;

/// Sets of facts that nodes generate and kill, on some path (`powerset`) or on every path (`dual<powerset>`).
template <flow_direction Direction, class Lattice> struct gen_kill_rows {
  static constexpr flow_direction direction = Direction;

  Lattice lattice_;
  std::vector<bit_row> gen;
  std::vector<bit_row> kill;
  bit_row start;

  const Lattice& lattice() const { return lattice_; }

  bit_row boundary(node_id) const { return start; }

  void transfer(node_id n, bit_row& facts) const {
    facts -= kill[n];
    facts |= gen[n];
  }
};

/// Of 1 to `nodes` nodes and less than `edges` edges.
inline test_graph small_digraph(random_source& random, std::size_t nodes, std::size_t edges) {
  const std::size_t num_nodes = 1 + random.below(nodes); // one by one, so that the order is the same everywhere
  const std::size_t num_edges = random.below(edges);
  return random_digraph(random, num_nodes, num_edges);
}

using some_path = midend::powerset<>;
using every_path = midend::dual<midend::powerset<>>;

template <class Lattice> Lattice lattice_of_sets(std::size_t facts) {
  return Lattice(midend::powerset<>(facts));
}

inline bit_row random_row(random_source& random, std::size_t facts, std::size_t one_in) {
  bit_row row(facts);
  for (std::size_t i = 0; i != facts; ++i) {
    row.set(i, random.one_in(one_in));
  }
  return row;
}

template <flow_direction Direction, class Lattice>
gen_kill_rows<Direction, Lattice> random_gen_kill(random_source& random, std::size_t nodes, std::size_t facts) {
  gen_kill_rows<Direction, Lattice> p{lattice_of_sets<Lattice>(facts), {}, {}, random_row(random, facts, 3)};
  for (std::size_t n = 0; n != nodes; ++n) {
    p.gen.push_back(random_row(random, facts, 4));
    p.kill.push_back(random_row(random, facts, 3));
  }
  return p;
}

/// The same, but edges change facts too, and some let nothing pass that lacks a certain fact.
template <flow_direction Direction, class Lattice> struct gen_kill_edges : gen_kill_rows<Direction, Lattice> {
  std::vector<bit_row> edge_kill;
  std::vector<std::optional<std::size_t>> needs;
  std::vector<bool> more_boundaries;

  bool transfer_edge(const flow_edge& e, bit_row& facts) const {
    if (needs[e.id] && !facts.test(*needs[e.id])) {
      return false;
    }
    facts -= edge_kill[e.id];
    return true;
  }

  bool is_boundary(node_id n) const { return more_boundaries[n]; }
};

/// What a solution is by its equations, iterated all at once from below until they hold: nothing but the definition.
/// `reached` is worked out with them. In the direction of flow, `input` is what comes to a node.
template <class P> struct defined_solution {
  using fact = midend::fact_of<P>;

  std::vector<fact> input;
  std::vector<fact> output;
  std::vector<bool> reached;

  defined_solution(const midend::csr_graph& g, const P& p) {
    const std::size_t count = g.num_nodes();
    input.assign(count, p.lattice().bottom());
    output = input;
    reached.assign(count, !forward);
    for (bool changed = true; changed;) {
      changed = false;
      defined_solution next = *this;
      for (node_id n = 0; n != count; ++n) {
        fact in = p.lattice().bottom();
        bool flows = !forward;
        if (begins_at(g, p, n)) {
          flows = true;
          p.lattice().join(in, p.boundary(n));
        }
        for (midend::edge_id e = 0; e != g.num_edges(); ++e) {
          const flow_edge edge{e, g.edge_source(e), g.edge_target(e)};
          const node_id from = forward ? edge.source : edge.target;
          if ((forward ? edge.target : edge.source) != n || !reached[from]) {
            continue;
          }
          fact arriving = output[from];
          if (carries(p, edge, arriving)) {
            flows = true;
            p.lattice().join(in, arriving);
          }
        }
        next.reached[n] = flows;
        if (flows) {
          next.input[n] = next.output[n] = in;
          p.transfer(n, next.output[n]);
        }
        changed =
            changed || next.reached[n] != reached[n] || !(next.input[n] == input[n]) || !(next.output[n] == output[n]);
      }
      *this = next;
    }
  }

  /// The first difference, in words.
  std::string difference(const midend::solution<fact>& s) const {
    for (node_id n = 0; n != reached.size(); ++n) {
      if (s.is_reached(n) != reached[n]) {
        return join("node ", n, " reached: ", std::uint64_t{s.is_reached(n)});
      }
      if (!((forward ? s.in(n) : s.out(n)) == input[n])) {
        return join("what flows into node ", n);
      }
      if (!((forward ? s.out(n) : s.in(n)) == output[n])) {
        return join("what flows out of node ", n);
      }
    }
    return s.num_nodes() == reached.size() ? "" : "number of nodes";
  }

private:
  static constexpr bool forward = P::direction == flow_direction::forward;

  static bool begins_at(const midend::csr_graph& g, const P& p, node_id n) {
    if constexpr (midend::has_more_boundaries<P>) {
      if (p.is_boundary(n)) {
        return true;
      }
    }
    return forward ? n == g.entry() : g.successors(n).empty();
  }

  static bool carries(const P& p, const flow_edge& e, fact& f) {
    if constexpr (midend::has_edge_transfer<P>) {
      return p.transfer_edge(e, f);
    } else {
      return true;
    }
  }
};

} // namespace midend_tests
