// boost_graph: midend on a graph of Boost.Graph, and Boost.Graph on a graph of midend.
#include <midend/adapters/boost_graph.hpp>
#include <midend/midend.hpp>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/graphviz.hpp>

#include <iostream>
#include <string>
#include <vector>

namespace {

// A program that keeps its control flow in Boost.Graph finds its loops with midend.
void theirs() {
  struct block {
    std::string name;
  };

  boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, block> flow;
  const auto entry = add_vertex(block{"entry"}, flow);
  const auto head = add_vertex(block{"head"}, flow);
  const auto body = add_vertex(block{"body"}, flow);
  const auto exit = add_vertex(block{"exit"}, flow);
  add_edge(entry, head, flow);
  add_edge(head, body, flow);
  add_edge(body, head, flow);
  add_edge(head, exit, flow);

  const midend::boost_graph_view g(flow, entry);
  const auto tree = midend::dominators(g);
  const auto loops = midend::natural_loops(g, tree);
  for (const midend::loop_id l : loops.loops()) {
    std::cout << "loop " << flow[g.vertex(loops.header(l))].name << ":";
    for (const midend::node_id n : loops.blocks(l)) {
      std::cout << " " << flow[g.vertex(n)].name;
    }
    std::cout << "\n";
  }
}

// A program that has a csr_graph uses Boost's algorithms and its Graphviz writer.
void ours() {
  const std::vector<midend::edge> list{{0, 1}, {1, 2}, {2, 1}, {1, 3}, {2, 3}};
  const midend::csr_graph g = midend::csr_graph::from_edges(4, 0, list).value();

  std::vector<int> distance(g.num_nodes());
  boost::breadth_first_search(
      g, g.entry(),
      boost::visitor(boost::make_bfs_visitor(boost::record_distances(distance.data(), boost::on_tree_edge()))));
  for (midend::node_id n = 0; n != g.num_nodes(); ++n) {
    std::cout << "block " << n << " is " << distance[n] << " branches from the entry\n";
  }

  const auto tree = midend::dominators(g);
  const auto write_vertex = [&](std::ostream& out, midend::node_id n) { out << "[depth=" << tree.depth(n) << "]"; };
  const auto write_edge = [&](std::ostream& out, const midend::csr_edge_descriptor& e) {
    if (tree.dominates(target(e, g), source(e, g))) {
      out << "[style=bold]"; // a backedge
    }
  };
  boost::write_graphviz(std::cout, g, write_vertex, write_edge);
}

} // namespace

int main() {
  theirs();
  ours();
}
