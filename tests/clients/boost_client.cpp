// A client of midend::boost: any Boost graph is a flow graph.
#include <midend/adapters/boost_graph.hpp>

#include <boost/graph/adjacency_list.hpp>

int main() {
  boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS> g(2);
  boost::add_edge(0, 1, g);
  return boost::num_edges(g) == 1 ? 0 : 1;
}
