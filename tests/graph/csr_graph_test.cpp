// concepts.hpp, csr_graph.hpp, forward_csr_graph.hpp.
#include "kit/print.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/graph/csr_graph.hpp>

#include <utility>

using namespace midend_tests;
using midend::csr_graph;
using midend::forward_csr_graph;
using midend::graph_build_error;
using reason = midend::graph_build_error::reason;

namespace {

/// Successors by value; a model of `readable_graph` alone.
struct returns_temporaries {
  std::vector<std::vector<node_id>> lists;
  node_id first = 0;
  mutable std::size_t reads = 0;

  std::size_t num_nodes() const { return lists.size(); }

  node_id entry() const { return first; }

  std::vector<node_id> successors(node_id n) const {
    ++reads;
    return lists[n];
  }
};

struct claims_many_nodes {
  std::size_t num_nodes() const { return midend::max_nodes + 1; }

  node_id entry() const { return 0; }

  std::span<const node_id> successors(node_id) const { return {}; }
};

struct counts_changes {
  std::vector<node_id> none;

  std::size_t num_nodes() const { return 1; }

  node_id entry() const { return 0; }

  const std::vector<node_id>& successors(node_id) const { return none; }

  std::uint64_t epoch() const { return 42; }
};

struct never_ask_for_the_entry {
  std::vector<node_id> none;

  std::size_t num_nodes() const { return 0; }

  node_id entry() const {
    FAIL("entry() of a graph without nodes");
    return 0;
  }

  const std::vector<node_id>& successors(node_id) const { return none; }
};

static_assert(midend::readable_graph<returns_temporaries> && !midend::directed_graph<returns_temporaries>);
static_assert(midend::flow_graph<counts_changes> && !midend::bidirectional_flow_graph<counts_changes>);
static_assert(midend::edge_indexed_flow_graph<forward_csr_graph> && !midend::has_predecessors<forward_csr_graph>);

/// A copy of `g` is right if edges have the ids of the stable order by source, and the lists agree with the edges.
std::string wrong_copy(const csr_graph& g, const test_graph& expected) {
  const std::vector<edge> edges = edges_by_id(expected.num_nodes, expected.edges);
  if (g.num_nodes() != expected.num_nodes || g.num_edges() != edges.size() ||
      (expected.num_nodes != 0 && g.entry() != expected.entry)) {
    return "size or entry";
  }
  for (edge_id e = 0; e != edges.size(); ++e) {
    if (edge{g.edge_source(e), g.edge_target(e)} != edges[e]) {
      return join("ends of edge ", e);
    }
    if (forward_csr_graph(g).edge_source(e) != edges[e].source) {
      return join("source of edge ", e, " by search");
    }
    if (g.sources()[e] != edges[e].source || g.targets()[e] != edges[e].target) {
      return join("arrays at edge ", e);
    }
  }
  for (node_id n = 0; n != g.num_nodes(); ++n) {
    std::vector<edge_id> out;
    std::vector<edge_id> in;
    std::vector<node_id> successors;
    std::vector<node_id> predecessors;
    for (edge_id e = 0; e != edges.size(); ++e) {
      if (edges[e].source == n) {
        out.push_back(e);
        successors.push_back(edges[e].target);
      }
      if (edges[e].target == n) {
        in.push_back(e);
        predecessors.push_back(edges[e].source);
      }
    }
    std::vector<edge_id> said;
    for (const edge_id e : g.out_edges(n)) {
      said.push_back(e);
    }
    if (said != out || listed(g.in_edges(n)) != in || listed(g.successors(n)) != successors ||
        listed(g.predecessors(n)) != predecessors) {
      return join("lists of node ", n);
    }
    if (g.offsets().size() != g.num_nodes() + 1 || g.offsets()[n + std::size_t{1}] - g.offsets()[n] != out.size()) {
      return join("offsets of node ", n);
    }
  }
  return {};
}

} // namespace

TEST_CASE("csr_graph: from an edge list") {
  for (const test_graph& g : ugly_graphs()) {
    CHECK_MESSAGE(wrong_copy(make_csr(g), g).empty(), to_string(g) << ": " << wrong_copy(make_csr(g), g));
  }
  random_source random(3);
  for (std::size_t i = 0; i != 50; ++i) {
    const test_graph g = random_digraph(random, 1 + random.below(20), random.below(60));
    CHECK_MESSAGE(wrong_copy(make_csr(g), g).empty(), to_string(g) << ": " << wrong_copy(make_csr(g), g));
  }
}

TEST_CASE("csr_graph: parallel edges are different edges and keep their order") {
  const auto g = make_csr({"", 3, 0, {{1, 2}, {0, 2}, {0, 1}, {0, 2}, {0, 2}}});
  CHECK(listed(g.successors(0)) == std::vector<node_id>{2, 1, 2, 2});
  CHECK(listed(g.predecessors(2)) == std::vector<node_id>{0, 0, 0, 1});
  CHECK(listed(g.in_edges(2)) == std::vector<edge_id>{0, 2, 3, 4});
  CHECK(listed(g.in_edges(1)) == std::vector<edge_id>{1});
}

TEST_CASE("csr_graph: from any readable graph, each list read once") {
  const returns_temporaries original{{{1, 2}, {2, 2, 0}, {}}, 1};
  const csr_graph g(original);
  CHECK(original.reads == 3);
  CHECK(wrong_copy(g, {"", 3, 1, {{0, 1}, {0, 2}, {1, 2}, {1, 2}, {1, 0}}}).empty());
}

TEST_CASE("csr_graph: assign refills, also with smaller graphs and none") {
  csr_graph g;
  CHECK(g.num_nodes() == 0);
  CHECK(g.num_edges() == 0);
  random_source random(4);
  for (std::size_t i = 0; i != 40; ++i) {
    const test_graph next = i % 8 == 7 ? test_graph() : random_digraph(random, 1 + random.below(30), random.below(90));
    const csr_graph other = make_csr(next);
    g.assign(other);
    CHECK_MESSAGE(wrong_copy(g, next).empty(), to_string(next));
  }
}

TEST_CASE("csr_graph: remembers the epoch of what it copies") {
  CHECK(csr_graph(counts_changes()).epoch() == 42);
  CHECK(forward_csr_graph(counts_changes()).epoch() == 42);
  CHECK(make_csr({"", 1, 0, {}}).epoch() == 0);
  CHECK(midend::graph_epoch(counts_changes()) == 42);
  CHECK(midend::graph_epoch(bit_graph(1, 0, 0)) == 0);
}

TEST_CASE("csr_graph: entry() of a graph without nodes is not called") {
  CHECK(csr_graph(never_ask_for_the_entry()).num_nodes() == 0);
  CHECK(csr_graph::from_graph(never_ask_for_the_entry()).has_value());
}

TEST_CASE("csr_graph: from_edges names what does not fit") {
  const auto error = [](std::size_t num_nodes, node_id entry, std::vector<edge> edges) {
    const auto result = csr_graph::from_edges(num_nodes, entry, edges);
    REQUIRE_FALSE(result.has_value());
    return result.error();
  };
  CHECK(error(3, 0, {{0, 1}, {1, 2}, {1, 3}, {7, 7}}) == graph_build_error{reason::target_out_of_range, 2, 3});
  CHECK(error(3, 0, {{0, 1}, {3, 9}}) == graph_build_error{reason::source_out_of_range, 1, 3});
  CHECK(error(3, 0, {{no_node, 0}}) == graph_build_error{reason::source_out_of_range, 0, no_node});
  CHECK(error(3, 3, {{0, 9}}) == graph_build_error{reason::entry_out_of_range, 0, 3});
  CHECK(error(0, 0, {{0, 0}}) == graph_build_error{reason::source_out_of_range, 0, 0});
  CHECK(error(midend::max_nodes + 1, 0, {}) == graph_build_error{reason::too_many_nodes, 0, midend::max_nodes + 1});
  CHECK(csr_graph::from_edges(0, 5, {}).has_value());
}

TEST_CASE("csr_graph: from_graph names the edge by its position, or the entry") {
  const auto copy = csr_graph::from_graph(returns_temporaries{{{1}, {}, {0, 1, 3}}, 0});
  REQUIRE_FALSE(copy.has_value());
  CHECK(copy.error() == graph_build_error{reason::target_out_of_range, 3, 3});
  const auto entry = csr_graph::from_graph(returns_temporaries{{{1}, {}}, 2});
  REQUIRE_FALSE(entry.has_value());
  CHECK(entry.error() == graph_build_error{reason::entry_out_of_range, 0, 2});
  const auto many = csr_graph::from_graph(claims_many_nodes());
  REQUIRE_FALSE(many.has_value());
  CHECK(many.error() == graph_build_error{reason::too_many_nodes, 0, midend::max_nodes + 1});
  const auto forward = forward_csr_graph::from_graph(returns_temporaries{{{9}}, 0});
  REQUIRE_FALSE(forward.has_value());
  CHECK(forward.error() == graph_build_error{reason::target_out_of_range, 0, 9});
  const auto good = csr_graph::from_graph(returns_temporaries{{{1, 1}, {0}}, 1});
  REQUIRE(good.has_value());
  CHECK(wrong_copy(*good, {"", 2, 1, {{0, 1}, {0, 1}, {1, 0}}}).empty());
}

TEST_CASE("csr_graph: copies and moves own their arrays") {
  const test_graph expected{"", 3, 0, {{0, 1}, {1, 2}, {1, 0}}};
  csr_graph original = make_csr(expected);
  csr_graph copy = original;
  const csr_graph moved = std::move(original);
  CHECK(wrong_copy(copy, expected).empty());
  CHECK(wrong_copy(moved, expected).empty());
  copy.assign(make_csr({"", 1, 0, {{0, 0}}}));
  CHECK(wrong_copy(moved, expected).empty());
}
