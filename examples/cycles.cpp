// cycles: irreducible cycles, and an iteration in weak topological order.
#include <midend/graph/csr_graph.hpp>
#include <midend/loops/cycles.hpp>
#include <midend/loops/is_reducible.hpp>
#include <midend/loops/weak_topological_order.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

using midend::cycle_id;
using midend::node_id;
using midend::wto_component_id;

static void print(const char* what, const auto& nodes) {
  std::printf("  %s:", what);
  for (const node_id n : nodes) {
    std::printf(" %u", n);
  }
  std::printf("\n");
}

static void print_components(const midend::hierarchical_ordering& wto) {
  // [notation]
  for (std::uint32_t at = 0; at != wto.order().size(); ++at) {
    const node_id n = wto.order()[at];
    std::printf(wto.is_head(n) ? " (%u" : " %u", n);
    wto_component_id ending = wto.innermost_component(n);
    for (; ending != midend::no_wto_component && wto.end_position(ending) == at + 1; ending = wto.parent(ending)) {
      std::printf(")");
    }
  }
  std::printf("\n");
  // [end]
}

// Which remainders of division by 16 a counter may have at each node, if it starts at 0 and node n adds `step[n]`.
class remainders {
public:
  remainders(const midend::csr_graph& g, std::vector<int> step)
      : g_(g), step_(std::move(step)), at_(g.num_nodes(), std::uint16_t{0}) {}

  // Recomputes node n; returns whether that changed anything.
  bool update(node_id n) {
    ++updates;
    unsigned all = n == g_.entry() ? 1 : 0;
    for (const node_id p : g_.predecessors(n)) {
      all |= std::rotl(at_[p], step_[p]);
    }
    const bool changed = all != at_[n];
    at_[n] = static_cast<std::uint16_t>(all);
    return changed;
  }

  unsigned at(node_id n) const { return at_[n]; }

  int updates = 0;

private:
  const midend::csr_graph& g_;
  std::vector<int> step_;
  std::vector<std::uint16_t> at_;
};

// [iteration]
static void stabilise(const midend::hierarchical_ordering& wto, remainders& problem) {
  std::uint32_t at = 0;
  wto_component_id inside = midend::no_wto_component; // the component that is being stabilised
  for (;;) {
    if (inside != midend::no_wto_component && at == wto.end_position(inside)) {
      if (problem.update(wto.head(inside))) { // this is the place to widen
        at = wto.head_position(inside) + 1;
      } else {
        inside = wto.parent(inside);
      }
    } else if (at == wto.order().size()) {
      break;
    } else {
      const node_id n = wto.order()[at++];
      if (wto.is_head(n)) {
        inside = wto.innermost_component(n);
      }
      problem.update(n);
    }
  }
}

// [end]

int main() {
  // The graph `three_kinds` of the documents.
  const std::vector<midend::edge> list{{0, 1}, {1, 2}, {2, 2}, {2, 3}, {2, 4}, {3, 5}, {4, 5},
                                       {5, 6}, {6, 3}, {6, 4}, {6, 7}, {7, 8}, {8, 7}, {8, 9}};
  const midend::csr_graph g = midend::csr_graph::from_edges(10, 0, list).value();

  // [queries]
  const midend::cycle_forest cycles = midend::cycles(g);
  for (const cycle_id c : cycles.cycles()) {
    std::printf("cycle of block %u, depth %u, %s\n", cycles.header(c), cycles.depth(c),
                cycles.is_reducible(c) ? "reducible" : "irreducible");
    print("entries", cycles.entries(c));
    print("blocks", cycles.blocks(c));
  }
  std::printf("cycles around block 3: %u\n", cycles.cycle_depth(3));
  std::printf("reducible: %s\n", midend::is_reducible(g) ? "yes" : "no");
  // [end]

  // [weights]
  // How often a block runs, if each cycle around it is taken ten times.
  std::printf("weights:");
  for (node_id n = 0; n != g.num_nodes(); ++n) {
    std::uint64_t weight = 1;
    for (std::uint32_t depth = std::min(cycles.cycle_depth(n), 15u); depth != 0; --depth) {
      weight *= 10;
    }
    std::printf(" %llu", static_cast<unsigned long long>(weight));
  }
  std::printf("\n");
  // [end]

  // [order]
  const midend::hierarchical_ordering wto = midend::weak_topological_order(g);
  print_components(wto);
  const midend::hierarchical_ordering other = midend::weak_topological_order(g, midend::first_to_last);
  print_components(other);
  // [end]

  // [solve]
  remainders problem(g, {0, 2, 4, 0, 8, 0, 0, 1, 1, 0}); // what each block adds
  stabilise(wto, problem);
  std::printf("remainders at block 6: %04x, at block 9: %04x, after %d updates\n", problem.at(6), problem.at(9),
              problem.updates);
  // [end]
  return 0;
}
