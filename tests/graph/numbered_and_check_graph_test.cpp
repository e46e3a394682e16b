// numbered.hpp, check_graph.hpp.
#include "kit/definitions.hpp"
#include "kit/print.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/graph/check_graph.hpp>
#include <midend/graph/numbered.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>

using namespace midend_tests;
using midend::check_graph;
using midend::graph_error;
using reason = midend::graph_error::reason;

namespace {

struct block {
  char name;
  std::vector<const block*> targets;
};

/// A handle that is no pointer, as an index into one of several lists.
struct position {
  std::uint16_t list;
  std::uint16_t index;

  friend bool operator==(position, position) = default;
};

std::string names(const midend::numbered_graph<const block*>& g) {
  std::string out;
  for (const block* b : g.handles()) {
    out += b->name;
  }
  return out;
}

/// A graph that says what it is told to say; nothing is checked.
struct told_graph {
  std::size_t nodes = 0;
  node_id first = 0;
  std::vector<std::vector<node_id>> out;
  std::vector<std::vector<node_id>> in;
  std::size_t edges = 0;
  std::vector<std::vector<edge_id>> out_ids;
  std::vector<std::vector<edge_id>> in_ids;
  std::vector<edge> ends;

  std::size_t num_nodes() const { return nodes; }

  node_id entry() const { return first; }

  const std::vector<node_id>& successors(node_id n) const { return out[n]; }

  const std::vector<node_id>& predecessors(node_id n) const { return in[n]; }

  std::size_t num_edges() const { return edges; }

  const std::vector<edge_id>& out_edges(node_id n) const { return out_ids[n]; }

  const std::vector<edge_id>& in_edges(node_id n) const { return in_ids[n]; }

  node_id edge_source(edge_id e) const { return ends[e].source; }

  node_id edge_target(edge_id e) const { return ends[e].target; }
};

static_assert(midend::bidirectional_flow_graph<told_graph> && midend::edge_indexed_flow_graph<told_graph>);

/// 0 → 1, 0 → 2, 1 → 2, 2 → 1, 0 → 2 with edge ids 4, 3, 2, 1, 0, all right.
told_graph right_graph() {
  return {3,
          0,
          {{1, 2, 2}, {2}, {1}},
          {{}, {2, 0}, {0, 1, 0}},
          5,
          {{4, 3, 0}, {2}, {1}},
          {{}, {1, 4}, {3, 2, 0}},
          {{0, 2}, {2, 1}, {1, 2}, {0, 2}, {0, 1}}};
}

graph_error error_of(const told_graph& g) {
  const std::optional<graph_error> error = check_graph(g);
  REQUIRE(error.has_value());
  return *error;
}

/// Gives different successors each time.
struct fickle_graph {
  std::vector<node_id> lists[2];
  mutable std::size_t reads = 0;

  std::size_t num_nodes() const { return 2; }

  node_id entry() const { return 0; }

  std::span<const node_id> successors(node_id n) const {
    if (n > 1) {
      FAIL("check_graph asks for the successors of a node that is not there");
    }
    return n == 1 ? std::span<const node_id>() : std::span<const node_id>(lists[reads++ == 0 ? 0 : 1]);
  }
};

struct huge_graph {
  std::size_t num_nodes() const { return midend::max_nodes + 1; }

  node_id entry() const { return 0; }

  std::span<const node_id> successors(node_id) const { return {}; }
};

} // namespace

TEST_CASE("numbered: what the entry reaches, in the order of discovery, breadth first") {
  block a{'a', {}};
  block b{'b', {}};
  block c{'c', {}};
  block d{'d', {}};
  block unreachable{'u', {&a}};
  a.targets = {&c, &b, &c};
  c.targets = {&d};
  b.targets = {&a, &b};
  std::size_t calls = 0;
  const auto g = midend::numbered(static_cast<const block*>(&a), [&calls](const block* at) {
    ++calls;
    return at->targets; // a temporary
  });
  CHECK(names(g) == "acbd");
  CHECK(calls == 4);
  CHECK(g.entry() == 0);
  CHECK(g.num_edges() == 6);
  CHECK(listed(g.successors(0)) == std::vector<node_id>{1, 2, 1});
  CHECK(listed(g.successors(2)) == std::vector<node_id>{0, 2});
  for (const block* known : {&a, &b, &c, &d}) {
    CHECK(g.handle(g.number(known)) == known);
  }
  CHECK(g.number(&unreachable) == no_node);
  CHECK(g.number(nullptr) == no_node);
  CHECK_FALSE(check_graph(g).has_value());
}

TEST_CASE("numbered: all nodes; those not reached follow in their order, with what they reach") {
  block a{'a', {}};
  block b{'b', {}};
  block x{'x', {}};
  block y{'y', {}};
  block z{'z', {}};
  a.targets = {&b};
  x.targets = {&z, &b};
  const std::vector<const block*> all{&b, &x, &y, &z, &a};
  const auto g = midend::numbered(static_cast<const block*>(&a), all,
                                  [](const block* at) -> const std::vector<const block*>& { return at->targets; });
  CHECK(names(g) == "abxzy");
  CHECK(g.num_nodes() == 5);
  CHECK(listed(g.successors(2)) == std::vector<node_id>{3, 1});
  CHECK_FALSE(midend::depth_first_order(g).is_reachable(2));
}

TEST_CASE("numbered: handles need not be pointers") {
  const auto next = [](position p) {
    return p.index < 999 ? std::vector<position>{{p.list, static_cast<std::uint16_t>(p.index + 1)},
                                                 {static_cast<std::uint16_t>(1 - p.list), p.index}}
                         : std::vector<position>();
  };
  const auto g = midend::numbered(position{0, 0}, next);
  CHECK(g.num_nodes() == 2000);
  bool all_found = true;
  for (node_id n = 0; n != g.num_nodes(); ++n) {
    all_found = all_found && g.number(g.handle(n)) == n;
  }
  CHECK(all_found);
  CHECK(g.number(position{2, 0}) == no_node);
  const auto integers = midend::numbered(100, [](int i) { return std::vector<int>{i / 2}; });
  CHECK(std::vector<int>(integers.handles().begin(), integers.handles().end()) ==
        std::vector<int>{100, 50, 25, 12, 6, 3, 1, 0});
}

TEST_CASE("numbered: the numbers do not depend on where the blocks lie") {
  for (const test_graph& graph : random_graphs()) {
    std::vector<block> storage(graph.num_nodes * 2);
    std::vector<std::size_t> place(graph.num_nodes);
    random_source random(graph.num_nodes);
    std::vector<node_id> numbers[2];
    for (std::vector<node_id>& order : numbers) {
      for (std::size_t n = 0; n != graph.num_nodes; ++n) { // any free place
        do {
          place[n] = random.below(storage.size());
        } while (std::find(place.begin(), place.begin() + static_cast<std::ptrdiff_t>(n), place[n]) !=
                 place.begin() + static_cast<std::ptrdiff_t>(n));
        storage[place[n]].targets.clear();
      }
      for (const edge e : graph.edges) {
        storage[place[e.source]].targets.push_back(&storage[place[e.target]]);
      }
      const auto g = midend::numbered(static_cast<const block*>(&storage[place[graph.entry]]),
                                      [](const block* at) -> const auto& { return at->targets; });
      for (const block* b : g.handles()) {
        const auto at = std::find(place.begin(), place.end(), static_cast<std::size_t>(b - storage.data()));
        order.push_back(static_cast<node_id>(at - place.begin()));
      }
    }
    REQUIRE(numbers[0] == numbers[1]);
    REQUIRE(numbers[0].size() == definitions(graph).num_reachable());
  }
}

TEST_CASE("check_graph: good graphs, also ugly ones") {
  CHECK_FALSE(check_graph(right_graph()).has_value());
  for (const test_graph& graph : ugly_graphs()) {
    CHECK_MESSAGE(!check_graph(make_csr(graph)).has_value(), graph.name);
  }
  for_each_digraph(3, [](const bit_graph& g) { CHECK_FALSE(check_graph(g).has_value()); });
}

TEST_CASE("check_graph: entry and successors") {
  told_graph g = right_graph();
  g.first = 3;
  CHECK(error_of(g) == graph_error{reason::entry_out_of_range, no_node, 0, 3});
  g = right_graph();
  g.out[1] = {2, 1, 7};
  CHECK(error_of(g) == graph_error{reason::successor_out_of_range, 1, 2, 7});
  g = right_graph();
  g.out[0][0] = no_node;
  CHECK(error_of(g) == graph_error{reason::successor_out_of_range, 0, 0, no_node});
  const auto error = check_graph(huge_graph());
  REQUIRE(error.has_value());
  CHECK(*error == graph_error{reason::too_many_nodes, no_node, 0, midend::max_nodes + 1});
}

TEST_CASE("check_graph: successors that are others when read again") {
  CHECK(check_graph(fickle_graph{{{0, 1}, {0, 0}}}) == graph_error{reason::successors_change, 0, 1, 0});
  CHECK(check_graph(fickle_graph{{{0}, {0, 1}}}) == graph_error{reason::successors_change, 0, 1, 1});
  CHECK(check_graph(fickle_graph{{{0, 1}, {0}}}) == graph_error{reason::successors_change, 0, 1, no_node});
}

TEST_CASE("check_graph: successors that are out of range the first time only") {
  const auto error = check_graph(fickle_graph{{{0, 9}, {}}});
  CHECK(error.has_value());
}

TEST_CASE("check_graph: predecessors") {
  told_graph g = right_graph();
  g.in[1] = {0, 2, 3};
  CHECK(error_of(g) == graph_error{reason::predecessor_out_of_range, 1, 2, 3});
  g = right_graph();
  g.in[2] = {0, 1}; // once where there are two edges
  CHECK(error_of(g) == graph_error{reason::missing_predecessor, 2, 0, 0});
  g = right_graph();
  g.in[1] = {0};
  CHECK(error_of(g) == graph_error{reason::missing_predecessor, 1, 0, 2});
  g = right_graph();
  g.in[0] = {1};
  CHECK(error_of(g) == graph_error{reason::extra_predecessor, 0, 0, 1});
  g = right_graph();
  g.in[2] = {1, 0, 1, 0};
  CHECK(error_of(g) == graph_error{reason::extra_predecessor, 2, 0, 1});
}

TEST_CASE("check_graph: edges") {
  told_graph g = right_graph();
  g.edges = 4;
  CHECK(error_of(g) == graph_error{reason::edge_count, no_node, 0, 5});
  g = right_graph();
  g.edges = 6; // one number more than edges
  g.ends.push_back({0, 1});
  CHECK(error_of(g) == graph_error{reason::edge_not_listed, 0, 0, 5});
  g.ends[5] = {no_node, no_node}; // of an edge that was removed
  CHECK_FALSE(midend::check_graph(g));
  g = right_graph();
  g.out_ids[1] = {5};
  CHECK(error_of(g) == graph_error{reason::edge_out_of_range, 1, 0, 5});
  g = right_graph();
  g.out_ids[0] = {4, 3, 3};
  CHECK(error_of(g) == graph_error{reason::edge_listed_twice, 0, 2, 3});
  g = right_graph();
  g.out_ids[0] = {4, 3};
  CHECK(error_of(g) == graph_error{reason::edges_do_not_match, 0, 2, midend::no_edge});
  g = right_graph();
  g.out_ids[1] = {2, 1};
  CHECK(error_of(g) == graph_error{reason::edges_do_not_match, 1, 1, 1});
  g = right_graph();
  g.ends[3] = {0, 1};
  CHECK(error_of(g) == graph_error{reason::edge_ends, 0, 1, 3});
  g = right_graph();
  g.ends[1] = {1, 1};
  CHECK(error_of(g) == graph_error{reason::edge_ends, 2, 0, 1});
  g = right_graph();
  std::swap(g.out_ids[0][0], g.out_ids[0][1]); // not in the order of successors
  CHECK(error_of(g) == graph_error{reason::edge_ends, 0, 0, 3});
}

TEST_CASE("check_graph: in-edges") {
  told_graph g = right_graph();
  std::swap(g.in_ids[1][0], g.in_ids[1][1]);
  CHECK(error_of(g) == graph_error{reason::in_edges_do_not_match, 1, 0, 4});
  g = right_graph();
  g.in_ids[2] = {3, 2};
  CHECK(error_of(g) == graph_error{reason::in_edges_do_not_match, 2, 2, midend::no_edge});
  g = right_graph();
  g.in_ids[0] = {0};
  CHECK(error_of(g) == graph_error{reason::in_edges_do_not_match, 0, 0, 0});
  g = right_graph();
  g.in_ids[1] = {1, 9};
  CHECK(error_of(g) == graph_error{reason::in_edges_do_not_match, 1, 1, 9});
  g = right_graph();
  g.in_ids[2].push_back(g.in_ids[2][0]);
  CHECK(error_of(g) == graph_error{reason::in_edges_do_not_match, 2, 3, g.in_ids[2][0]});
}

namespace {

/// Edges into a node without predecessors, as SSA construction on the fly needs them.
struct graph_with_in_edges_only {
  std::vector<std::vector<node_id>> next;
  std::vector<std::vector<midend::edge_id>> out;
  std::vector<std::vector<midend::edge_id>> in;
  std::vector<std::array<node_id, 2>> ends;

  std::size_t num_nodes() const { return next.size(); }

  node_id entry() const { return 0; }

  const std::vector<node_id>& successors(node_id n) const { return next[n]; }

  std::size_t num_edges() const { return ends.size(); }

  const std::vector<midend::edge_id>& out_edges(node_id n) const { return out[n]; }

  const std::vector<midend::edge_id>& in_edges(node_id n) const { return in[n]; }

  node_id edge_source(midend::edge_id e) const { return ends[e][0]; }

  node_id edge_target(midend::edge_id e) const { return ends[e][1]; }
};

} // namespace

TEST_CASE("check_graph: in-edges of a graph that does not know predecessors") {
  const graph_with_in_edges_only right = {{{1, 1}, {1}}, {{0, 1}, {2}}, {{}, {2, 0, 1}}, {{0, 1}, {0, 1}, {1, 1}}};
  CHECK_FALSE(midend::check_graph(right));
  graph_with_in_edges_only g = right;
  g.in[1] = {2, 0};
  CHECK(midend::check_graph(g) == graph_error{reason::in_edges_do_not_match, 1, 2, midend::no_edge});
  g.in[1] = {2, 0, 0}; // parallel edges are two edges
  CHECK(midend::check_graph(g) == graph_error{reason::in_edges_do_not_match, 1, 2, 0});
  g.in[1] = {2, 0, 3};
  CHECK(midend::check_graph(g) == graph_error{reason::in_edges_do_not_match, 1, 2, 3});
  g = right;
  g.in = {{0}, {2, 1}};
  CHECK(midend::check_graph(g) == graph_error{reason::in_edges_do_not_match, 0, 0, 0});
}

namespace {

/// Edges into nodes are known, as `repair_ssa` and others need them, and predecessors follow from these.
struct in_edges_alone {
  const told_graph& g;

  std::size_t num_nodes() const { return g.num_nodes(); }

  node_id entry() const { return g.entry(); }

  decltype(auto) successors(node_id n) const { return g.successors(n); }

  std::size_t num_edges() const { return g.num_edges(); }

  decltype(auto) out_edges(node_id n) const { return g.out_edges(n); }

  decltype(auto) in_edges(node_id n) const { return g.in_edges(n); }

  node_id edge_source(edge_id e) const { return g.edge_source(e); }

  node_id edge_target(edge_id e) const { return g.edge_target(e); }
};

} // namespace

TEST_CASE("check_graph: in-edges of a graph without predecessors") {
  told_graph g = right_graph();
  const auto error = [&g] {
    const auto found = midend::check_graph(in_edges_alone{g});
    return found ? *found : graph_error{};
  };
  CHECK_FALSE(midend::check_graph(in_edges_alone{g}));
  std::swap(g.in_ids[1][0], g.in_ids[1][1]); // any order
  CHECK_FALSE(midend::check_graph(in_edges_alone{g}));
  g = right_graph();
  g.in_ids[2] = {3, 2};
  CHECK(error() == graph_error{reason::in_edges_do_not_match, 2, 2, midend::no_edge});
  g = right_graph();
  g.in_ids[0] = {0};
  CHECK(error() == graph_error{reason::in_edges_do_not_match, 0, 0, 0});
  g = right_graph();
  g.in_ids[1] = {1, 9};
  CHECK(error() == graph_error{reason::in_edges_do_not_match, 1, 1, 9});
  g = right_graph();
  g.in_ids[1].pop_back();
  CHECK(error() == graph_error{reason::in_edges_do_not_match, 1, 1, midend::no_edge});
  g = right_graph();
  g.in_ids[1][1] = g.in_ids[1][0];
  CHECK(error() == graph_error{reason::in_edges_do_not_match, 1, 1, g.in_ids[1][0]});
}
