/// Graphs to test with: edge lists with a name, generators, collections.
#pragma once

#include "kit/affordable.hpp"

#include <midend/graph/csr_graph.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace midend_tests {

using midend::edge;
using midend::edge_id;
using midend::no_node;
using midend::node_id;

/// An edge list. Edge ids are those that `csr_graph` gives: by source, then by position here.
struct test_graph {
  std::string name;
  std::size_t num_nodes = 0;
  node_id entry = 0;
  std::vector<edge> edges;
};

midend::csr_graph make_csr(const test_graph& g);

/// The edges by id: those of node 0 in their order, then those of node 1, and so on.
std::vector<edge> edges_by_id(std::size_t num_nodes, std::span<const edge> edges);

/// Name, size, entry and edges, to reproduce a failure.
std::string to_string(const test_graph& g);

/// The same numbers on every platform (splitmix64; the distributions of <random> may differ).
class random_source {
public:
  explicit random_source(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e37'79b9'7f4a'7c15;
    z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9;
    z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11eb;
    return z ^ (z >> 31);
  }

  std::uint32_t below(std::size_t bound) { return static_cast<std::uint32_t>(next() % bound); }

  bool one_in(std::size_t n) { return below(n) == 0; }

private:
  std::uint64_t state_;
};

/// All edges equally likely; self loops, parallel edges and unreachable nodes as they come.
test_graph random_digraph(random_source& random, std::size_t nodes, std::size_t edges);

/// Composed of sequences, branches, switches, loops of all forms, early ends and endless arms, and of jumps that keep
/// it reducible; with parallel edges, then unreachable nodes that jump into it, numbered and ordered at random.
/// Has `nodes` nodes.
test_graph random_reducible(random_source& random, std::size_t nodes);

/// Any node is reached, or nearly so, from one shortly before it; jumps anywhere, into loops too. At least one cycle
/// has two entries. Some nodes are unreachable. Has `nodes` nodes, at least 4.
test_graph random_irreducible(random_source& random, std::size_t nodes);

/// A mix of the three kinds, sizes 5 to 200, always the same; where tests are shortened, the first third of it.
std::vector<test_graph> random_graphs();

/// Worked example 4 of the definitions of loops, numbered as there: a self loop (3), an irreducible cycle (4 to 7) and
/// a loop of two blocks (8, 9).
test_graph three_kinds_of_cycles();

/// What is legal and easily forgotten.
std::vector<test_graph> ugly_graphs();

/// The digraph of up to 8 nodes without parallel edges whose edge u → v is bit `u * nodes + v` of a number. A model of
/// `flow_graph` whose successors are worked out from the bits, ascending.
class bit_graph {
public:
  class iterator {
  public:
    using value_type = node_id;
    using difference_type = std::ptrdiff_t;
    using reference = node_id;
    using pointer = void;
    using iterator_category = std::forward_iterator_tag;

    constexpr iterator() = default;

    constexpr explicit iterator(std::uint64_t bits) : bits_(bits) {}

    constexpr node_id operator*() const {
      node_id n = 0;
      while ((bits_ >> n & 1) == 0) {
        ++n;
      }
      return n;
    }

    constexpr iterator& operator++() {
      bits_ &= bits_ - 1;
      return *this;
    }

    constexpr iterator operator++(int) {
      const iterator old = *this;
      ++*this;
      return old;
    }

    friend constexpr bool operator==(iterator, iterator) = default;

  private:
    std::uint64_t bits_ = 0;
  };

  constexpr bit_graph(std::size_t nodes, std::uint64_t bits, node_id entry)
      : nodes_(nodes), bits_(bits), entry_(entry) {}

  constexpr std::size_t num_nodes() const { return nodes_; }

  constexpr node_id entry() const { return entry_; }

  constexpr bool has_edge(node_id u, node_id v) const { return (bits_ >> (u * nodes_ + v) & 1) != 0; }

  constexpr midend::iterator_range<iterator> successors(node_id n) const {
    return {iterator(bits_ >> (n * nodes_) & ((std::uint64_t{1} << nodes_) - 1)), iterator()};
  }

private:
  std::size_t nodes_;
  std::uint64_t bits_;
  node_id entry_;
};

static_assert(midend::flow_graph<bit_graph>);

/// The same as an edge list.
test_graph to_test_graph(const bit_graph& g);

/// Calls `visit` with every digraph of `nodes` nodes, from each root.
template <class Visit> void for_each_digraph(std::size_t nodes, Visit visit) {
  const std::uint64_t graphs = std::uint64_t{1} << (nodes * nodes);
  for (std::uint64_t bits = 0; bits != graphs; ++bits) {
    for (node_id root = 0; root != nodes; ++root) {
      visit(bit_graph(nodes, bits, root));
    }
  }
}

/// The same, but of 4 nodes and more only every seventh graph where tests are shortened.
template <class Visit> void for_each_affordable_digraph(std::size_t nodes, Visit visit) {
  const std::uint64_t graphs = std::uint64_t{1} << (nodes * nodes);
  const std::uint64_t stride = tests_are_shortened && nodes >= 4 ? 7 : 1; // odd, so that every edge comes and goes
  for (std::uint64_t bits = 0; bits < graphs; bits += stride) {
    for (node_id root = 0; root != nodes; ++root) {
      visit(bit_graph(nodes, bits, root));
    }
  }
}

/// For `FAIL_CHECK` and `INFO`: the arguments one after the other.
inline std::string text(const std::string& s) {
  return s;
}

inline std::string text(const char* s) {
  return s;
}

inline std::string text(std::uint64_t number) {
  return std::to_string(number);
}

template <class... Parts> std::string join(const Parts&... parts) {
  std::string out;
  ((out += text(parts)), ...);
  return out;
}

} // namespace midend_tests
