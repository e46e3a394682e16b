// Bytes to a graph; the fast algorithms against the oracle and against definitions.
//
// The first byte is the number of nodes, the second the entry, each following pair of bytes an edge. Every input is a
// graph: numbers are taken modulo the number of nodes, so parallel edges, self loops and unreachable nodes abound.
#include <midend/midend.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
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
  return 0;
}
