// Bytes to a graph; the fast algorithms against the oracle and against definitions.
//
// The first byte is the number of nodes, the second the entry, each following pair of bytes an edge. Every input is a
// graph: numbers are taken modulo the number of nodes, so parallel edges, self loops and unreachable nodes abound.
#include <midend/midend.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

namespace {

void require(bool condition, const char* what) {
  if (!condition) {
    std::fprintf(stderr, "fuzz_graph: %s\n", what);
    std::abort();
  }
}

template <class Algorithm>
void check_dominators(const midend::csr_graph& g, const midend::dominator_tree& expected, Algorithm algorithm,
                      const char* what) {
  const midend::dominator_tree tree = midend::dominators(g, algorithm);
  for (midend::node_id n = 0; n != g.num_nodes(); ++n) {
    require(tree.is_reachable(n) == expected.is_reachable(n), what);
    require(tree.immediate_dominator(n) == expected.immediate_dominator(n), what);
    require(tree.depth(n) == expected.depth(n), what);
  }
}

// The loops by definition: a header with a latch that it dominates; the blocks reach a latch without passing the
// header.
void check_loops(const midend::csr_graph& g, const midend::dominator_tree& dom) {
  const auto loops = midend::natural_loops(g, dom);
  const auto count = static_cast<midend::node_id>(g.num_nodes());
  std::size_t headers = 0;
  for (midend::node_id header = 0; header != count; ++header) {
    std::vector<char> inside(count, 0);
    std::vector<midend::node_id> todo;
    for (midend::node_id n = 0; n != count; ++n) {
      for (const midend::node_id s : g.successors(n)) {
        if (s == header && dom.dominates(header, n) && inside[n] == 0) {
          inside[n] = 1;
          todo.push_back(n);
        }
      }
    }
    if (todo.empty()) {
      continue;
    }
    ++headers;
    inside[header] = 1;
    while (!todo.empty()) {
      const midend::node_id n = todo.back();
      todo.pop_back();
      if (n == header) {
        continue;
      }
      for (midend::node_id p = 0; p != count; ++p) {
        for (const midend::node_id s : g.successors(p)) {
          if (s == n && inside[p] == 0 && dom.is_reachable(p)) {
            inside[p] = 1;
            todo.push_back(p);
          }
        }
      }
    }
    const auto loop = loops.innermost_loop(header);
    require(loops.header(loop) == header, "a header's innermost loop is its own");
    for (midend::node_id n = 0; n != count; ++n) {
      require(loops.contains(loop, n) == (inside[n] != 0), "blocks of a loop");
    }
  }
  require(headers == loops.num_loops(), "number of loops");
}

void check_certificate(const midend::csr_graph& g, const midend::dominator_tree& tree) {
  require(!midend::certify(g, tree), "a right tree has a certificate");
  std::vector<midend::node_id> claims(tree.immediate_dominators().begin(), tree.immediate_dominators().end());
  for (midend::node_id n = 0; n != g.num_nodes(); ++n) { // one wrong entry
    const midend::node_id right = claims[n];
    claims[n] = right == midend::no_node ? 0 : (right + 1) % static_cast<midend::node_id>(g.num_nodes());
    if (claims[n] != right) {
      require(midend::certify(g, std::span<const midend::node_id>(claims)).has_value(), "a wrong tree has none");
    }
    claims[n] = right;
  }
}

void check_frontiers(const midend::csr_graph& g, const midend::dominator_tree& tree) {
  const auto frontiers = midend::dominance_frontier(g, tree);
  const auto count = static_cast<midend::node_id>(g.num_nodes());
  for (midend::node_id n = 0; n != count; ++n) {
    std::vector<midend::node_id> expected;
    for (midend::node_id join = 0; join != count; ++join) {
      for (const midend::node_id p : g.predecessors(join)) {
        if (tree.dominates(n, p) && !tree.strictly_dominates(n, join)) {
          expected.push_back(join);
          break;
        }
      }
    }
    require(std::equal(expected.begin(), expected.end(), frontiers[n].begin(), frontiers[n].end()), "frontiers");
  }
}

/// The default policy leaves no node diverging, and the certificate of the reversed graph is the proof of the tree.
void check_post_dominators(const midend::csr_graph& g) {
  const auto tree = midend::post_dominators(g);
  for (midend::node_id n = 0; n != g.num_nodes(); ++n) {
    require(!tree.is_diverging(n), "a diverging node");
  }
  const auto with_exit = midend::with_virtual_exit(g, tree.roots());
  require(!midend::certify(midend::reversed(with_exit), tree.tree()), "certificate of the post-dominators");
}

/// Outermost cycles are the components with an edge inside; in a weak topological order every edge leads forward or to
/// the head of a component that contains its source.
void check_cycles(const midend::csr_graph& g, const midend::dominator_tree& tree) {
  const auto cycles = midend::cycles(g);
  const auto components = midend::strongly_connected_components(g);
  const auto loops = midend::natural_loops(g, tree);
  const auto order = midend::weak_topological_order(g);
  const auto outermost = [&](midend::node_id n) {
    midend::cycle_id c = cycles.innermost_cycle(n);
    while (c != midend::no_cycle && cycles.parent(c) != midend::no_cycle) {
      c = cycles.parent(c);
    }
    return c;
  };
  for (midend::edge_id e = 0; e != g.num_edges(); ++e) {
    const midend::node_id u = g.edge_source(e);
    const midend::node_id v = g.edge_target(e);
    if (!tree.is_reachable(u)) {
      continue;
    }
    const bool same = outermost(u) != midend::no_cycle && outermost(u) == outermost(v);
    require(same == components.same_component(u, v), "outermost cycles");
    const bool to_head = order.is_head(v) && order.contains(order.innermost_component(v), u);
    require(order.position(u) < order.position(v) || to_head, "weak topological order");
  }
  for (const midend::loop_id l : loops.loops()) {
    const midend::cycle_id c = cycles.innermost_cycle(loops.header(l));
    require(c != midend::no_cycle && cycles.is_header(loops.header(l)), "a loop header heads a cycle");
    for (const midend::node_id n : loops.blocks(l)) {
      require(cycles.contains(c, n), "the cycle of a loop contains it");
    }
  }
  require(midend::is_reducible(g) == cycles.is_reducible(), "is_reducible");
}

/// Takes the edges out from the last to the first, then puts them in again in the same order.
void check_updates(const midend::csr_graph& g, std::span<const midend::edge> edges) {
  const auto count = g.num_nodes();
  const auto without = [&](std::size_t kept, std::size_t from) {
    std::vector<midend::edge> some(edges.begin(), edges.begin() + static_cast<std::ptrdiff_t>(kept));
    some.insert(some.end(), edges.begin() + static_cast<std::ptrdiff_t>(from), edges.end());
    return midend::csr_graph::from_edges(count, g.entry(), some).value();
  };
  const auto agree = [&](const midend::csr_graph& now, const midend::dynamic_dominator_tree& tree) {
    const auto expected = midend::dominators(now);
    for (midend::node_id n = 0; n != count; ++n) {
      require(tree.immediate_dominator(n) == expected.immediate_dominator(n), "updated immediate dominator");
      require(tree.depth(n) == expected.depth(n), "updated depth");
    }
  };
  midend::dynamic_dominator_tree tree(g);
  const std::size_t steps = std::min<std::size_t>(edges.size(), 24);
  const std::size_t first = edges.size() - steps;
  for (std::size_t i = edges.size(); i-- != first;) {
    const auto now = without(i, edges.size());
    tree.delete_edge(now, edges[i].source, edges[i].target);
    agree(now, tree);
  }
  for (std::size_t i = edges.size(); i-- != first;) {
    const auto now = without(first, i);
    tree.insert_edge(now, edges[i].source, edges[i].target);
    agree(now, tree);
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) {
    return 0;
  }
  const auto nodes = static_cast<midend::node_id>(data[0] % 48 + 1);
  const midend::node_id entry = data[1] % nodes;
  std::vector<midend::edge> edges;
  for (std::size_t i = 2; i + 1 < size && edges.size() < 256; i += 2) {
    edges.push_back({data[i] % nodes, data[i + 1] % nodes});
  }
  const auto graph = midend::csr_graph::from_edges(nodes, entry, edges);
  require(graph.has_value(), "from_edges takes edges between nodes");

  const midend::dominator_tree expected = midend::dominators(*graph, midend::naive_dominators);
  check_dominators(*graph, expected, midend::semi_nca, "semi_nca");
  check_dominators(*graph, expected, midend::lengauer_tarjan, "lengauer_tarjan");
  check_dominators(*graph, expected, midend::lengauer_tarjan_simple, "lengauer_tarjan_simple");
  check_dominators(*graph, expected, midend::cooper_harvey_kennedy, "cooper_harvey_kennedy");
  check_loops(*graph, expected);
  check_certificate(*graph, expected);
  check_frontiers(*graph, expected);
  check_post_dominators(*graph);
  check_cycles(*graph, expected);
  check_updates(*graph, edges);
  return 0;
}
