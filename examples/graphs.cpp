// graphs: edge lists and their errors, a check of your own view, orders and kinds of edges, strongly connected
// components, and graphs seen differently.
#include <midend/midend.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

using midend::node_id;

namespace {

void print(const char* what, std::span<const node_id> nodes) {
  std::printf("%s", what);
  for (const node_id n : nodes) {
    std::printf(" %u", n);
  }
  std::printf("\n");
}

void edge_lists() {
  // [edge list]
  const std::vector<midend::edge> list{{0, 1}, {0, 2}, {1, 3}, {2, 7}};
  const auto g = midend::csr_graph::from_edges(4, 0, list);
  if (!g && g.error().why == midend::graph_build_error::reason::target_out_of_range) {
    std::printf("edge %zu leads to %ju, which is no node\n", g.error().index, std::uintmax_t{g.error().value});
  }
  // [end]
}

// A view whose predecessors do not fit its successors.
struct wrong_view {
  std::vector<std::vector<node_id>> next{{1, 2}, {2}, {}};
  std::vector<std::vector<node_id>> previous{{}, {0}, {0}}; // 1 is missing

  std::size_t num_nodes() const { return next.size(); }

  node_id entry() const { return 0; }

  const std::vector<node_id>& successors(node_id n) const { return next[n]; }

  const std::vector<node_id>& predecessors(node_id n) const { return previous[n]; }
};

void checks() {
  // [check]
  if (const auto error = midend::check_graph(wrong_view())) {
    if (error->why == midend::graph_error::reason::missing_predecessor) {
      std::printf("block %u does not name its predecessor %ju\n", error->node, std::uintmax_t{error->value});
    }
  }
  // [end]
}

void orders() {
  const std::vector<midend::edge> list{{0, 1}, {0, 4}, {1, 2}, {1, 3}, {2, 3}, {2, 1}, {4, 3}, {5, 4}};
  const midend::csr_graph g = midend::csr_graph::from_edges(6, 0, list).value();

  // [orders]
  const auto order = midend::depth_first_order(g);
  print("preorder:", order.preorder());
  print("postorder:", order.postorder());
  print("reverse postorder:", midend::reverse_post_order(g));

  constexpr std::array names{"unreachable", "tree", "forward", "back", "cross"};
  const auto kinds = midend::edge_kinds(g, order);
  for (midend::edge_id e = 0; e != g.num_edges(); ++e) {
    std::printf("%u -> %u: %s\n", g.edge_source(e), g.edge_target(e), names[static_cast<std::size_t>(kinds[e])]);
  }
  // [end]
}

void components() {
  const std::vector<midend::edge> list{{0, 1}, {0, 2}, {1, 4}, {2, 3}, {3, 4}, {4, 3}, {4, 5}};
  const midend::csr_graph g = midend::csr_graph::from_edges(6, 0, list).value();

  // [components]
  const auto components = midend::strongly_connected_components(g);
  for (midend::component_id c = 0; c != components.num_components(); ++c) {
    print("component:", components.members(c));
  }
  const midend::csr_graph dag = midend::condensation(g, components);
  std::printf("%zu components and %zu edges between them\n", dag.num_nodes(), dag.num_edges());
  // [end]
}

void views() {
  const std::vector<midend::edge> list{{0, 1}, {1, 2}, {1, 3}, {2, 1}, {3, 4}, {3, 5}};
  const midend::csr_graph g = midend::csr_graph::from_edges(6, 0, list).value();

  // [views]
  const auto with_exit = midend::with_virtual_exit(g); // 4 and 5 have no successors: edges 4 -> 6 and 5 -> 6
  const auto backwards = midend::reversed(with_exit);  // entered at 6
  const auto post_dominators = midend::dominators(backwards);
  std::printf("every way from 2 to the end passes %u\n", post_dominators.immediate_dominator(2));

  const auto forward_edges = [](node_id source, node_id target) { return source < target; };
  const auto acyclic = midend::filtered(g, forward_edges);
  std::printf("loops: %zu; without the edges that lead back: %zu\n",
              midend::natural_loops(g, midend::dominators(g)).num_loops(),
              midend::natural_loops(acyclic, midend::dominators(acyclic)).num_loops());
  // [end]
}

} // namespace

int main() {
  edge_lists();
  checks();
  orders();
  components();
  views();
}
