// Graphs, traversals, components, dominators and loops inside constant expressions: what compiles, holds.
#include <doctest/doctest.h>
#include <midend/midend.hpp>

#include <array>

namespace {

using midend::csr_graph;
using midend::edge;
using midend::no_node;
using midend::node_id;

template <std::size_t N> constexpr csr_graph graph_of(std::size_t nodes, const std::array<edge, N>& edges) {
  return csr_graph::from_edges(nodes, 0, edges).value();
}

// Worked example 5: loop {2, 3} (header 2) inside loop {1, 2, 3, 4, 6} (header 1); 7 is unreachable and leads into it.
constexpr std::array nested_edges{edge{0, 1}, edge{1, 2}, edge{2, 3}, edge{2, 5}, edge{3, 2},
                                  edge{3, 4}, edge{4, 6}, edge{6, 1}, edge{6, 5}, edge{7, 1}};

constexpr csr_graph nested() {
  return graph_of(8, nested_edges);
}

// Lengauer, Tarjan, "A fast algorithm for finding dominators in a flowgraph", TOPLAS 1(1), 1979, figure 1.
constexpr csr_graph lengauer_tarjan_figure() {
  return graph_of(13,
                  std::array{edge{0, 1}, edge{0, 2},  edge{0, 3},  edge{1, 4},  edge{2, 1},  edge{2, 4},  edge{2, 5},
                             edge{3, 6}, edge{3, 7},  edge{4, 12}, edge{5, 8},  edge{6, 9},  edge{7, 9},  edge{7, 10},
                             edge{8, 5}, edge{8, 11}, edge{9, 11}, edge{10, 9}, edge{11, 9}, edge{11, 0}, edge{12, 8}});
}

// csr_graph.
static_assert(nested().num_nodes() == 8 && nested().num_edges() == 10);
static_assert(nested().successors(6)[1] == 5 && nested().predecessors(5).size() == 2);
static_assert(nested().edge_source(nested().in_edges(5)[1]) == 6);
static_assert(!csr_graph::from_edges(1, 0, nested_edges).has_value());
static_assert(csr_graph::from_edges(7, 0, nested_edges).error().why ==
              midend::graph_build_error::reason::source_out_of_range);
static_assert(csr_graph(nested()).num_edges() == 10);
static_assert(midend::forward_csr_graph(nested()).edge_source(8) == 6);

// Traversals.
constexpr bool order_holds() {
  const auto order = midend::depth_first_order(nested());
  constexpr std::array<node_id, 7> preorder{0, 1, 2, 3, 4, 6, 5};
  constexpr std::array<node_id, 7> postorder{5, 6, 4, 3, 2, 1, 0};
  bool holds = order.num_reachable() == 7 && !order.is_reachable(7) && order.is_ancestor(2, 5);
  for (std::size_t i = 0; i != 7; ++i) {
    holds = holds && order.preorder()[i] == preorder[i] && order.postorder()[i] == postorder[i];
  }
  return holds && midend::reverse_post_order(nested())[0] == 0;
}

static_assert(order_holds());

constexpr bool kinds_hold() {
  using enum midend::edge_kind;
  constexpr std::array expected{tree, tree, tree, forward, back, tree, tree, back, tree, unreachable};
  const csr_graph g = nested();
  const auto kinds = midend::edge_kinds(g, midend::depth_first_order(g));
  for (std::size_t e = 0; e != expected.size(); ++e) {
    if (kinds[e] != expected[e]) {
      return false;
    }
  }
  return true;
}

static_assert(kinds_hold());

// Strongly connected components.
constexpr bool components_hold() {
  const csr_graph g = nested();
  const auto components = midend::strongly_connected_components(g);
  const auto condensed = midend::condensation(g, components);
  return components.num_components() == 4 && components.num_reachable_components() == 3 &&
         components.same_component(1, 6) && components.same_component(2, 3) && components.same_component(1, 3) &&
         !components.same_component(0, 1) && components.members(components.component(5)).size() == 1 &&
         components.component(5) == 0 && condensed.num_edges() == 3 && condensed.entry() == 2;
}

static_assert(components_hold());

// Dominators.
template <class Algorithm> constexpr bool dominators_hold(Algorithm algorithm) {
  constexpr std::array<node_id, 13> expected{no_node, 0, 0, 0, 0, 0, 3, 3, 0, 0, 7, 0, 4};
  const csr_graph g = lengauer_tarjan_figure();
  const auto tree = midend::dominators(g, algorithm);
  const auto alone = midend::immediate_dominators(g, algorithm);
  for (node_id n = 0; n != 13; ++n) {
    if (tree.immediate_dominator(n) != expected[n] || alone[n] != expected[n]) {
      return false;
    }
  }
  const auto of_nested = midend::dominators(nested(), algorithm);
  return tree.dominates(3, 10) && !tree.dominates(6, 10) && tree.nearest_common_dominator(6, 10) == 3 &&
         tree.depth(10) == 3 && tree.subtree(3).size() == 4 && *tree.children(4).begin() == 12 &&
         of_nested.immediate_dominator(5) == 2 && !of_nested.is_reachable(7) && !of_nested.dominates(7, 7);
}

static_assert(dominators_hold(midend::semi_nca));
static_assert(dominators_hold(midend::lengauer_tarjan));
static_assert(dominators_hold(midend::lengauer_tarjan_simple));
static_assert(dominators_hold(midend::cooper_harvey_kennedy));
static_assert(dominators_hold(midend::naive_dominators));
static_assert(midend::dominators(csr_graph()).root() == no_node);

// Loops.
constexpr bool loops_hold(const midend::loop_forest& loops) {
  if (loops.num_loops() != 2) {
    return false;
  }
  const midend::loop_id outer = loops.innermost_loop(1);
  const midend::loop_id inner = loops.innermost_loop(2);
  return loops.header(outer) == 1 && loops.header(inner) == 2 && loops.parent(inner) == outer &&
         loops.depth(inner) == 2 && loops.blocks(outer).size() == 5 && loops.blocks(inner).size() == 2 &&
         loops.single_latch(outer) == 6 && loops.preheader(inner) == 1 && loops.preheader(outer) == no_node &&
         loops.entering_edges(outer).size() == 2 && loops.exit_blocks(inner).size() == 2 &&
         loops.exit_blocks(outer)[0] == 5 && loops.has_dedicated_exits(outer) && !loops.has_dedicated_exits(inner) &&
         !loops.is_statically_infinite(outer) && loops.contains(outer, 3) && !loops.contains(inner, 4) &&
         loops.innermost_loop(7) == midend::no_loop;
}

static_assert(loops_hold(midend::natural_loops(nested(), midend::dominators(nested()))));
static_assert(loops_hold(midend::natural_loops(nested(), midend::dominators(nested(), midend::cooper_harvey_kennedy))));
static_assert(loops_hold(midend::dominators_and_loops(nested()).loops));

// Views.
constexpr bool views_hold() {
  const csr_graph g = nested();
  const auto with_exit = midend::with_virtual_exit(g);
  const auto post = midend::dominators(midend::reversed(with_exit));
  const auto without_inner = midend::filtered(g, [](node_id n) { return n != 3; });
  return post.immediate_dominator(6) == 5 && post.immediate_dominator(0) == 1 &&
         midend::natural_loops(without_inner, midend::dominators(without_inner)).num_loops() == 0 &&
         !midend::check_graph(with_exit).has_value();
}

static_assert(views_hold());

// Results are values that one evaluation owns; what outlives it is copied out.
constexpr std::array<node_id, 8> immediate_dominators_of_nested = [] {
  std::array<node_id, 8> out{};
  const auto tree = midend::dominators(nested());
  for (node_id n = 0; n != 8; ++n) {
    out[n] = tree.immediate_dominator(n);
  }
  return out;
}();

} // namespace

TEST_CASE("constant expressions: the same answers when the program runs") {
  const auto tree = midend::dominators(nested());
  for (node_id n = 0; n != 8; ++n) {
    CHECK(tree.immediate_dominator(n) == immediate_dominators_of_nested[n]);
  }
  CHECK(order_holds());
  CHECK(kinds_hold());
  CHECK(components_hold());
  CHECK(dominators_hold(midend::semi_nca));
  CHECK(loops_hold(midend::natural_loops(nested(), tree)));
  CHECK(views_hold());
}
