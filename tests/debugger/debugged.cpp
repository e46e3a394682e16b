// What debugger.sh looks at: gdb stops in `look_here`.
#include "midend/dominance/dominators.hpp"
#include "midend/elbrus/text/parser.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/loops/natural_loops.hpp"
#include "midend/support/bit_matrix.hpp"
#include "midend/support/bit_row.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/fraction.hpp"
#include "midend/support/optional.hpp"

#include <vector>

[[gnu::noinline]] void look_here(const void*) {
  asm volatile("" ::: "memory");
}

int main() {
  const std::vector<midend::edge> edges{{0, 1}, {1, 2}, {2, 2}, {2, 1}, {1, 3}};
  const midend::csr_graph graph = midend::csr_graph::from_edges(5, 0, edges).value();
  const midend::dominator_tree tree = midend::dominators(graph);
  const midend::loop_forest loops = midend::natural_loops(graph, tree);
  const midend::loop_forest nesting = midend::natural_loops(graph, tree, midend::nesting_only);
  midend::bit_row small(10);
  small.set(3);
  small.set(9);
  midend::bit_row large(200);
  large.set(0);
  large.set(64);
  large.set(199);
  midend::bit_matrix matrix(2, 70);
  matrix.set(1, 69);
  midend::flat_array<std::uint32_t> array(3, 7);
  const midend::fraction half(2, 4);
  const midend::optional<int> some = 5;
  const midend::optional<int> none;
  const auto parsed =
      midend::elbrus::parse("proc @f(%x: i32) -> i32 {\n  node entry:\n    %y = add.i32 %x, 41\n    br last\n"
                            "  node last:\n    ret %y\n}\n");
  const midend::elbrus::procedure& procedure = parsed.program.procedures.front();
  look_here(&graph);
  return static_cast<int>(tree.num_nodes() + loops.num_loops() + nesting.num_loops() + small.size() + large.size() +
                          matrix.num_rows() + array.size() + (half < midend::fraction(1, 1) ? 1u : 0u) +
                          (some ? 1u : 0u) + (none ? 1u : 0u) + procedure.num_nodes()) == 0;
}
