// layout: a picture of a function without Graphviz: layout > picture.svg
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/midend.hpp>
#include <midend/viz/layout.hpp>

#include <cstdio>
#include <vector>

namespace {

using number = long long; // for printf

void print_box(const char* look, const midend::layout_box& box) {
  std::printf("<rect x='%lld' y='%lld' width='%lld' height='%lld' rx='4' %s/>\n", number{box.left}, number{box.top},
              number{box.width}, number{box.height}, look);
}

} // namespace

int main() {
  const std::vector<midend::edge> branches{{0, 1}, {1, 2}, {1, 8}, {2, 3}, {3, 4}, {3, 7},
                                           {4, 5}, {4, 6}, {5, 6}, {6, 3}, {7, 1}};
  const midend::csr_graph g = midend::csr_graph::from_edges(9, 0, branches).value();
  const midend::loop_forest loops = midend::dominators_and_loops(g).loops;

  const auto size = [](midend::node_id n) { return midend::layout_extent{n == 4 ? 80u : 40u, 24}; };
  const midend::graph_layout picture = midend::layout(g, loops, size);

  std::printf("<svg xmlns='http://www.w3.org/2000/svg' viewBox='-1 -1 %lld %lld'>\n", number{picture.width() + 2},
              number{picture.height() + 2});
  for (const midend::loop_id l : loops.loops()) {
    print_box("fill='#1f6feb' fill-opacity='0.08' stroke='#1f6feb'", picture.loop(l));
  }
  for (midend::edge_id e = 0; e != g.num_edges(); ++e) {
    std::printf("<polyline fill='none' stroke='%s' points='", picture.runs_up(e) ? "#d4661a" : "#6b7885");
    for (const midend::layout_point p : picture.route(e)) {
      std::printf("%lld,%lld ", number{p.x}, number{p.y});
    }
    std::printf("'/>\n");
  }
  for (midend::node_id n = 0; n != g.num_nodes(); ++n) {
    print_box("fill='white' stroke='#4a5560'", picture.node(n));
    std::printf("<text x='%lld' y='%lld' font-size='12'>%u</text>\n", number{picture.node(n).left + 6},
                number{picture.node(n).top + 16}, n);
  }
  std::printf("</svg>\n");
}
