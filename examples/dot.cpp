// dot: a picture of a function with its loops and dominators, for Graphviz: dot | dot -Tsvg > picture.svg
#include <midend/midend.hpp>
#include <midend/viz/dot.hpp>

#include <cstdio>
#include <string>
#include <vector>

int main() {
  const std::vector<std::string> code{
      "i = 0",          "i < n ?", "sum = 0\nj = 0",  "j < m ?", "a[i][j] == 0 ?",
      "sum += a[i][j]", "j++",     "b[i] = sum\ni++", "return",
  };
  const std::vector<midend::edge> branches{{0, 1}, {1, 2}, {1, 8}, {2, 3}, {3, 4}, {3, 7},
                                           {4, 5}, {4, 6}, {5, 6}, {6, 3}, {7, 1}};
  const midend::csr_graph g = midend::csr_graph::from_edges(code.size(), 0, branches).value();

  const auto label = [&](midend::node_id n) { return std::to_string(n) + ": " + code[n]; };
  std::fputs(midend::to_dot(g, {.title = "sums of rows"}, label).c_str(), stdout);
}
