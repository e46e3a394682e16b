#include "kit/test_graph.hpp"

#include "kit/definitions.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>

namespace midend_tests {

midend::csr_graph make_csr(const test_graph& g) {
  auto result = midend::csr_graph::from_edges(g.num_nodes, g.entry, g.edges);
  REQUIRE_MESSAGE(result.has_value(), to_string(g));
  return std::move(*result);
}

std::vector<edge> edges_by_id(std::size_t num_nodes, std::span<const edge> edges) {
  std::vector<edge> out;
  for (node_id n = 0; n != num_nodes; ++n) {
    for (const edge e : edges) {
      if (e.source == n) {
        out.push_back(e);
      }
    }
  }
  return out;
}

std::string to_string(const test_graph& g) {
  std::string out = join(g.name, ": ", g.num_nodes, " nodes, entry ", g.entry, ",");
  for (const edge e : g.edges) {
    out += join(" ", e.source, "->", e.target);
  }
  return out;
}

test_graph to_test_graph(const bit_graph& g) {
  test_graph out{"bits", g.num_nodes(), g.entry(), {}};
  for (node_id n = 0; n != g.num_nodes(); ++n) {
    for (const node_id s : g.successors(n)) {
      out.edges.push_back({n, s});
    }
  }
  return out;
}

test_graph random_digraph(random_source& random, std::size_t nodes, std::size_t edges) {
  test_graph g{"random digraph", nodes, random.below(nodes), {}};
  for (std::size_t i = 0; i != edges; ++i) {
    g.edges.push_back({random.below(nodes), random.below(nodes)});
  }
  return g;
}

namespace {

/// Starts as one node; each step replaces a node by a small construct.
class structured_builder {
public:
  explicit structured_builder(random_source& random) : random_(random), successors_(1) {}

  std::size_t size() const { return successors_.size(); }

  void step() {
    const node_id n = random_.below(size());
    std::vector<node_id> rest = std::exchange(successors_[n], {});
    const node_id after = add(std::move(rest));
    switch (random_.below(10)) {
    case 0: // one after the other
      successors_[n] = {after};
      break;
    case 1: // if
      successors_[n] = {add({after}), after};
      break;
    case 2: { // if, else
      const node_id then_arm = add({after});
      successors_[n] = {then_arm, add({after})};
      break;
    }
    case 3: // a block that branches to itself
      successors_[n] = {n, after};
      break;
    case 4: // while
      successors_[n] = {add({n}), after};
      break;
    case 5: // do, while
      successors_[n] = {add({n, after})};
      break;
    case 6: // a loop with two latches
      successors_[n] = {add({n}), add({n}), after};
      break;
    case 7: // an arm that never ends
      successors_[n] = {after, add({})};
      successors_[successors_[n][1]] = {successors_[n][1]};
      break;
    case 8: // an early end
      successors_[n] = {add({}), after};
      break;
    default: { // a switch, one arm named twice, one falling through
      const node_id second = add({after});
      const node_id first = add({second});
      successors_[n] = {first, second, second, after};
      break;
    }
    }
  }

  std::vector<edge> edges() const {
    std::vector<edge> out;
    for (node_id n = 0; n != size(); ++n) {
      for (const node_id s : successors_[n]) {
        out.push_back({n, s});
      }
    }
    return out;
  }

private:
  node_id add(std::vector<node_id> successors) {
    successors_.push_back(std::move(successors));
    return static_cast<node_id>(size() - 1);
  }

  random_source& random_;
  std::vector<std::vector<node_id>> successors_;
};

template <class T> void shuffle(random_source& random, std::vector<T>& values) {
  for (std::size_t i = values.size(); i > 1; --i) {
    std::swap(values[i - 1], values[random.below(i)]);
  }
}

/// Up to `nodes` nodes, with unreachable ones that jump anywhere; then renames the nodes.
void add_unreachable_and_rename(random_source& random, std::size_t nodes, test_graph& g) {
  const std::size_t reachable = g.num_nodes;
  for (std::size_t n = reachable; n != nodes; ++n) {
    for (std::uint32_t jumps = random.below(3); jumps != 0; --jumps) {
      const node_id target = random.below(reachable + 1) == 0
                                 ? random.below(nodes - reachable) + static_cast<node_id>(reachable)
                                 : random.below(reachable);
      g.edges.push_back({static_cast<node_id>(n), target});
    }
  }
  g.num_nodes = nodes;
  std::vector<node_id> name(nodes);
  for (node_id n = 0; n != nodes; ++n) {
    name[n] = n;
  }
  shuffle(random, name);
  g.entry = name[g.entry];
  for (edge& e : g.edges) {
    e = {name[e.source], name[e.target]};
  }
}

} // namespace

test_graph random_reducible(random_source& random, std::size_t nodes) {
  const std::size_t unreachable = random.below(nodes / 8 + 1);
  structured_builder builder(random);
  while (builder.size() + 3 + unreachable <= nodes) { // a step adds up to three
    builder.step();
  }
  test_graph g{"random reducible", builder.size(), 0, builder.edges()};
  for (std::size_t jumps = g.num_nodes / 8; jumps != 0; --jumps) {
    test_graph more = g;
    more.edges.push_back({random.below(g.num_nodes), random.below(g.num_nodes)});
    if (definitions(more).is_reducible()) {
      g = std::move(more);
    }
  }
  for (std::size_t i = 0; i != g.num_nodes / 10; ++i) {
    g.edges.push_back(edge(g.edges[random.below(g.edges.size())])); // parallel
  }
  shuffle(random, g.edges);
  add_unreachable_and_rename(random, nodes, g);
  return g;
}

test_graph random_irreducible(random_source& random, std::size_t nodes) {
  const std::size_t reachable = std::max<std::size_t>(nodes - random.below(nodes / 8 + 1), 4);
  test_graph g{"random irreducible", reachable, 0, {}};
  for (node_id n = 1; n != reachable; ++n) {
    const node_id back = random.one_in(20) ? random.below(n) : random.below(std::min<std::size_t>(n, 4));
    g.edges.push_back({n - 1 - back, n});
  }
  for (std::size_t i = 0; i != reachable * 7 / 10; ++i) {
    g.edges.push_back({random.below(reachable), random.below(reachable - 1) + 1});
  }
  const node_id low = random.below(reachable - 2) + 1;
  g.edges.insert(g.edges.end(), {{0, low}, {0, low + 1}, {low, low + 1}, {low + 1, low}});
  shuffle(random, g.edges);
  add_unreachable_and_rename(random, nodes, g);
  return g;
}

std::vector<test_graph> random_graphs() {
  std::vector<test_graph> out;
  random_source random(20250607);
  constexpr std::size_t rounds = tests_are_shortened ? 50 : 150;
  for (std::size_t round = 0; round != rounds; ++round) {
    const std::size_t nodes = round % 10 == 9 ? 60 + random.below(141) : 5 + random.below(36);
    out.push_back(random_digraph(random, nodes, nodes + random.below(nodes)));
    out.push_back(random_reducible(random, nodes));
    out.push_back(random_irreducible(random, nodes));
    for (std::size_t i = out.size() - 3; i != out.size(); ++i) {
      out[i].name += join(" ", round);
    }
  }
  return out;
}

test_graph three_kinds_of_cycles() {
  const std::vector<edge> edges{{1, 2}, {2, 3}, {3, 3}, {3, 4}, {3, 5}, {4, 6}, {5, 6},
                                {6, 7}, {7, 4}, {7, 5}, {7, 8}, {8, 9}, {9, 8}, {9, 10}};
  return {"three kinds of cycles", 11, 1, edges};
}

std::vector<test_graph> ugly_graphs() {
  return {
      {"no nodes", 0, 0, {}},
      {"one node", 1, 0, {}},
      {"self loop", 1, 0, {{0, 0}}},
      {"parallel self loops", 1, 0, {{0, 0}, {0, 0}, {0, 0}}},
      {"parallel edges", 2, 0, {{0, 1}, {0, 1}, {0, 1}}},
      {"parallel backedges", 3, 0, {{0, 1}, {1, 0}, {1, 0}, {1, 2}}},
      {"a switch whose arms all enter the loop", 3, 0, {{0, 1}, {0, 1}, {1, 1}, {1, 2}}},
      {"two nodes, neither reaches the other", 2, 1, {}},
      {"the entry is the last node", 3, 2, {{2, 1}, {1, 0}}},
      {"the entry has predecessors", 3, 0, {{0, 1}, {1, 2}, {2, 0}}},
      {"the entry is a header with an exit", 3, 0, {{0, 1}, {1, 0}, {0, 2}}},
      {"an unreachable node jumps to the entry", 3, 1, {{1, 2}, {0, 1}}},
      {"an unreachable node jumps to a reachable one", 4, 0, {{0, 1}, {1, 2}, {3, 2}}},
      {"an unreachable node jumps to a header", 4, 0, {{0, 1}, {1, 1}, {1, 2}, {3, 1}}},
      {"an unreachable node jumps into a loop", 4, 0, {{0, 1}, {1, 2}, {2, 1}, {3, 2}}},
      {"an unreachable node jumps to an exit block", 5, 0, {{0, 1}, {1, 1}, {1, 2}, {2, 3}, {4, 2}}},
      {"an unreachable loop", 4, 0, {{0, 1}, {2, 3}, {3, 2}, {3, 1}}},
      {"an unreachable latch", 3, 0, {{0, 1}, {2, 1}, {2, 0}}},
      {"an unreachable self loop", 2, 0, {{1, 1}, {1, 0}}},
      {"a reachable node jumps nowhere near the rest", 4, 3, {{0, 1}, {1, 2}, {2, 0}}},
      {"endless loop", 3, 0, {{0, 1}, {1, 2}, {2, 1}}},
      {"endless self loop in a loop", 4, 0, {{0, 1}, {1, 0}, {1, 2}, {2, 2}, {0, 3}}},
      {"many exits", 5, 0, {{0, 1}, {0, 2}, {0, 3}, {0, 4}}},
      {"two entries to a cycle", 3, 0, {{0, 1}, {0, 2}, {1, 2}, {2, 1}}},
      {"two entries to a cycle, one self loop", 3, 0, {{0, 1}, {0, 2}, {1, 2}, {2, 1}, {2, 2}}},
      {"a natural loop in an irreducible one", 4, 0, {{0, 1}, {0, 2}, {1, 2}, {2, 1}, {2, 3}, {3, 2}}},
      {"an irreducible cycle in a natural loop", 5, 0, {{0, 1}, {1, 2}, {1, 3}, {2, 3}, {3, 2}, {3, 1}, {1, 4}}},
      {"two backedges to one header", 4, 0, {{0, 1}, {1, 2}, {1, 3}, {2, 1}, {3, 1}}},
      {"loops that share a latch", 4, 0, {{0, 1}, {1, 2}, {2, 3}, {3, 2}, {3, 1}, {3, 0}}},
      {"an exit that leaves three loops", 5, 0, {{0, 1}, {1, 2}, {2, 3}, {3, 3}, {3, 2}, {3, 1}, {3, 0}, {3, 4}}},
      {"an exit block shared with the code around", 4, 0, {{0, 1}, {0, 3}, {1, 1}, {1, 3}}},
      {"an exit that is an inner header's", 4, 0, {{0, 1}, {1, 1}, {1, 2}, {2, 2}, {2, 0}, {0, 3}}},
      {"complete graph",
       4,
       2,
       {{0, 0},
        {0, 1},
        {0, 2},
        {0, 3},
        {1, 0},
        {1, 1},
        {1, 2},
        {1, 3},
        {2, 0},
        {2, 1},
        {2, 2},
        {2, 3},
        {3, 0},
        {3, 1},
        {3, 2},
        {3, 3}}},
  };
}

} // namespace midend_tests
