// A million nodes on a stack of 256 KiB: no analysis recurses over its input. Answers by formula.
#include "kit/affordable.hpp"
#include "kit/print.hpp"
#include "kit/small_stack.hpp"

#include <doctest/doctest.h>
#include <midend/midend.hpp>

#include <functional>
#include <string>

using namespace midend_tests;
using midend::csr_graph;
using midend::loop_forest;
using midend::no_loop;

namespace {

/// A graph given by a function from a node to its successors, at most two, so that nothing large has to be built.
template <class Successors> csr_graph two_successors(node_id nodes, Successors successors_of) {
  std::vector<edge> edges;
  for (node_id n = 0; n != nodes; ++n) {
    for (const node_id s : successors_of(n)) {
      edges.push_back({n, s});
    }
  }
  return csr_graph::from_edges(nodes, 0, edges).value();
}

using few = std::vector<node_id>;

/// What must be true of a graph for each node; -1 for "no node" fits no number here.
struct formulas {
  std::function<node_id(node_id)> immediate_dominator;
  std::function<std::uint32_t(node_id)> depth;
  std::size_t components = 0;
  std::size_t loops = 0;
  /// Of the loop with the header given; empty if right.
  std::function<std::string(const loop_forest&, midend::loop_id, node_id)> check_loop;
};

template <class Algorithm>
std::string wrong_dominators(const csr_graph& g, Algorithm algorithm, const char* name, const formulas& expected) {
  const auto tree = midend::dominators(g, algorithm);
  for (node_id n = 0; n != g.num_nodes(); ++n) {
    if (tree.immediate_dominator(n) != (n == 0 ? no_node : expected.immediate_dominator(n))) {
      return join(name, ": immediate dominator of ", n);
    }
    if (tree.depth(n) != expected.depth(n)) {
      return join(name, ": depth of ", n);
    }
  }
  const auto alone = midend::immediate_dominators(g, algorithm);
  for (node_id n = 1; n != g.num_nodes(); ++n) {
    if (alone[n] != expected.immediate_dominator(n)) {
      return join(name, ": immediate_dominators of ", n);
    }
  }
  return {};
}

std::string wrong_forest(const loop_forest& forest, const formulas& expected) {
  if (forest.num_loops() != expected.loops) {
    return join(forest.num_loops(), " loops");
  }
  for (const midend::loop_id l : forest.loops()) {
    const std::string wrong = expected.check_loop(forest, l, forest.header(l));
    if (!wrong.empty()) {
      return join(wrong, " of the loop with header ", forest.header(l));
    }
  }
  return {};
}

/// Everything but `cooper_harvey_kennedy`, which is quadratic on deep dominator trees.
std::string wrong_answers(const csr_graph& g, const formulas& expected) {
  const node_id count = static_cast<node_id>(g.num_nodes());
  const auto order = midend::depth_first_order(g);
  if (order.num_reachable() != count || order.preorder()[0] != 0 || order.postorder()[count - 1] != 0) {
    return "depth_first_order";
  }
  const auto kinds = midend::edge_kinds(g, order);
  std::size_t tree_edges = 0;
  for (edge_id e = 0; e != g.num_edges(); ++e) {
    const node_id u = g.edge_source(e);
    const node_id v = g.edge_target(e);
    tree_edges += kinds[e] == midend::edge_kind::tree ? 1 : 0;
    const bool back = order.postorder_number(v) >= order.postorder_number(u);
    if ((kinds[e] == midend::edge_kind::back) != back) {
      return join("kind of edge ", e);
    }
  }
  if (tree_edges != count - 1) {
    return "number of tree edges";
  }
  const auto components = midend::strongly_connected_components(g);
  if (components.num_components() != expected.components) {
    return join(components.num_components(), " components");
  }
  const auto condensed = midend::condensation(g, components);
  if (condensed.num_nodes() != expected.components) {
    return "condensation";
  }
  for (edge_id e = 0; e != condensed.num_edges(); ++e) {
    if (condensed.edge_source(e) <= condensed.edge_target(e)) {
      return "condensation has an edge upwards";
    }
  }
  if (std::string wrong = wrong_dominators(g, midend::semi_nca, "semi_nca", expected); !wrong.empty()) {
    return wrong;
  }
  if (std::string wrong = wrong_dominators(g, midend::lengauer_tarjan, "lengauer_tarjan", expected); !wrong.empty()) {
    return wrong;
  }
  if (std::string wrong = wrong_dominators(g, midend::lengauer_tarjan_simple, "lengauer_tarjan_simple", expected);
      !wrong.empty()) {
    return wrong;
  }
  const auto tree = midend::dominators(g);
  if (std::string wrong = wrong_forest(midend::natural_loops(g, tree), expected); !wrong.empty()) {
    return wrong;
  }
  const auto both = midend::dominators_and_loops(g);
  if (!(both.dominators == tree)) {
    return "dominators of dominators_and_loops";
  }
  return wrong_forest(both.loops, expected);
}

std::string no_loops(const loop_forest&, midend::loop_id, node_id) {
  return "there is a loop";
}

template <class Range> bool is_only(Range&& range, node_id expected) {
  auto it = range.begin();
  return it != range.end() && *it == expected && ++it == range.end();
}

} // namespace

TEST_CASE("a million nodes: chain") {
  const std::string wrong = on_a_small_stack([] {
    const csr_graph g = two_successors(million, [](node_id n) { return n + 1 != million ? few{n + 1} : few{}; });
    const formulas expected{[](node_id n) { return n - 1; }, [](node_id n) { return n; }, million, 0, no_loops};
    const auto components = midend::strongly_connected_components(g);
    for (node_id n = 0; n != million; ++n) {
      if (components.component(n) != million - 1 - n) {
        return join("component of ", n);
      }
    }
    const std::string by_sweeps = wrong_dominators(g, midend::cooper_harvey_kennedy, "cooper_harvey_kennedy", expected);
    return by_sweeps.empty() ? wrong_answers(g, expected) : by_sweeps;
  });
  CHECK(wrong == "");
}

// Each node has an edge to the next and one to the end: the deepest dominator tree without loops.
TEST_CASE("a million nodes: ladder") {
  const std::string wrong = on_a_small_stack([] {
    const node_id end = million - 1;
    const csr_graph g = two_successors(million, [](node_id n) {
      return n == end ? few{} : n + 1 == end ? few{end} : few{n + 1, end};
    });
    const formulas expected{[](node_id n) { return n == end ? 0 : n - 1; }, [](node_id n) { return n == end ? 1 : n; },
                            million, 0, no_loops};
    return wrong_answers(g, expected);
  });
  CHECK(wrong == "");
}

// A nest of half a million loops: 0, then headers 1 … k, then latches k + 1 … 2k, innermost first, then the end.
TEST_CASE("a million nodes: nest of half a million loops") {
  const std::string wrong = on_a_small_stack([] {
    constexpr node_id k = (million - 2) / 2;
    const csr_graph g = two_successors(2 * k + 2, [](node_id n) {
      return n <= k ? few{n + 1} : n <= 2 * k ? few{2 * k + 1 - n, n + 1} : few{};
    });
    const formulas expected{
        [](node_id n) { return n - 1; }, [](node_id n) { return n; }, 3, k,
        [](const loop_forest& f, midend::loop_id l, node_id header) -> std::string {
          const node_id latch = 2 * k + 1 - header;
          if (f.depth(l) != header || (header == 1 ? f.parent(l) != no_loop : f.header(f.parent(l)) != header - 1)) {
            return "nesting";
          }
          if (f.blocks(l).size() != 2 * (k + 1 - header) || !f.contains(l, k) || f.contains(l, header - 1) ||
              f.contains(l, latch + 1)) {
            return "blocks";
          }
          if (f.single_latch(l) != latch || f.preheader(l) != header - 1 || !is_only(f.latches(l), latch)) {
            return "latch or preheader";
          }
          if (!is_only(f.exiting_blocks(l), latch) || !is_only(f.exit_blocks(l), latch + 1) ||
              !f.has_dedicated_exits(l) || f.is_statically_infinite(l)) {
            return "exits";
          }
          return {};
        }};
    return wrong_answers(g, expected);
  });
  CHECK(wrong == "");
}

TEST_CASE("a million cases of a switch") {
  const std::string wrong = on_a_small_stack([] {
    constexpr node_id end = million + 1;
    std::vector<edge> edges;
    for (node_id n = 1; n != end; ++n) {
      edges.push_back({0, n});
      if (n % 10 == 0) {
        edges.push_back({0, n}); // named twice
      }
      edges.push_back({n, end});
    }
    const csr_graph g = csr_graph::from_edges(end + std::size_t{1}, 0, edges).value();
    const formulas expected{[](node_id) { return node_id{0}; }, [](node_id n) { return n == 0 ? 0u : 1u; },
                            end + std::size_t{1}, 0, no_loops};
    const std::string by_sweeps = wrong_dominators(g, midend::cooper_harvey_kennedy, "cooper_harvey_kennedy", expected);
    return by_sweeps.empty() ? wrong_answers(g, expected) : by_sweeps;
  });
  CHECK(wrong == "");
}

TEST_CASE("a million nodes: comb of self loops") {
  const std::string wrong = on_a_small_stack([] {
    const csr_graph g = two_successors(million, [](node_id n) { return n + 1 != million ? few{n, n + 1} : few{n}; });
    const formulas expected{
        [](node_id n) { return n - 1; }, [](node_id n) { return n; }, million, million,
        [](const loop_forest& f, midend::loop_id l, node_id header) -> std::string {
          if (f.depth(l) != 1 || f.parent(l) != no_loop || f.blocks(l).size() != 1 || f.single_latch(l) != header) {
            return "blocks or latch";
          }
          if (f.preheader(l) != no_node ||
              (header == 0 ? !f.entering_edges(l).empty() : !is_only(f.entering_blocks(l), header - 1))) {
            return "entering blocks";
          }
          const bool last = header == million - 1;
          if (f.is_statically_infinite(l) != last || (!last && !is_only(f.exit_blocks(l), header + 1))) {
            return "exits";
          }
          return f.has_dedicated_exits(l) == last ? std::string()
                                                  : "has_dedicated_exits"; // the next one is its own predecessor
        }};
    return wrong_answers(g, expected);
  });
  CHECK(wrong == "");
}

TEST_CASE("a million nodes: one cycle") {
  const std::string wrong = on_a_small_stack([] {
    const csr_graph g = two_successors(million, [](node_id n) { return few{(n + 1) % million}; });
    const formulas expected{[](node_id n) { return n - 1; }, [](node_id n) { return n; }, 1, 1,
                            [](const loop_forest& f, midend::loop_id l, node_id header) -> std::string {
                              return header == 0 && f.blocks(l).size() == million && f.single_latch(l) == million - 1 &&
                                             f.is_statically_infinite(l) && f.entering_edges(l).empty()
                                         ? std::string()
                                         : "shape";
                            }};
    return wrong_answers(g, expected);
  });
  CHECK(wrong == "");
}

// Every node of a chain jumps back to its start: one loop with a million latches.
TEST_CASE("a million latches of one loop") {
  const std::string wrong = on_a_small_stack([] {
    const csr_graph g = two_successors(million, [](node_id n) { return n + 1 != million ? few{n + 1, 0} : few{0}; });
    const formulas expected{[](node_id n) { return n - 1; }, [](node_id n) { return n; }, 1, 1,
                            [](const loop_forest& f, midend::loop_id l, node_id header) -> std::string {
                              return header == 0 && f.backedges(l).size() == million && f.single_latch(l) == no_node
                                         ? std::string()
                                         : "latches";
                            }};
    return wrong_answers(g, expected);
  });
  CHECK(wrong == "");
}

TEST_CASE("a million nodes: views, numbering and check_graph") {
  const std::string wrong = on_a_small_stack([] {
    const csr_graph g = two_successors(million, [](node_id n) { return n + 1 != million ? few{n + 1} : few{}; });
    if (midend::check_graph(g)) {
      return "check_graph";
    }
    const auto with_exit = midend::with_virtual_exit(g);
    const auto post = midend::dominators(midend::reversed(with_exit));
    for (node_id n = 0; n != million; ++n) {
      if (post.immediate_dominator(n) != n + 1) {
        return "post-dominators";
      }
    }
    const auto numbers = midend::numbered(
        0, [](int n) { return n + 1 < static_cast<int>(million) ? std::vector<int>{n + 1} : std::vector<int>(); });
    return numbers.num_nodes() == million && numbers.number(static_cast<int>(million) - 1) == million - 1 ? ""
                                                                                                          : "numbered";
  });
  CHECK(wrong == "");
}
