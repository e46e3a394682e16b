#include <midend/viz/layout.hpp>

#include "kit/affordable.hpp"
#include "kit/allocations.hpp"
#include "kit/small_stack.hpp"
#include "kit/test_graph.hpp"

#include <midend/dominance/dominators.hpp>
#include <midend/graph/csr_graph.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/loops/natural_loops.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

using midend::edge_id;
using midend::graph_layout;
using midend::layout_box;
using midend::layout_extent;
using midend::layout_point;
using midend::loop_forest;
using midend::loop_id;
using midend::node_id;
using namespace midend_tests;

bool overlap(const layout_box& a, const layout_box& b) {
  return a.left < b.right() && b.left < a.right() && a.top < b.bottom() && b.top < a.bottom();
}

bool holds(const layout_box& outer, const layout_box& inner) {
  return outer.left <= inner.left && inner.right() <= outer.right() && outer.top <= inner.top &&
         inner.bottom() <= outer.bottom();
}

/// Whether the line from `a` to `b` passes the inside of a box.
bool crosses(layout_point a, layout_point b, const layout_box& box) {
  return std::max(a.x, b.x) > box.left && std::min(a.x, b.x) < box.right() && std::max(a.y, b.y) > box.top &&
         std::min(a.y, b.y) < box.bottom();
}

/// Sizes that differ; node 5 and its like are not drawn if `hides`.
struct various_sizes {
  bool hides = false;

  layout_extent operator()(node_id n) const {
    if (hides && n % 7 == 5) {
      return {};
    }
    return {20 + n * 37 % 90, 14 + n * 23 % 60};
  }
};

std::string at(const char* what, std::size_t a, std::size_t b = 0) {
  return std::string(what) + " " + std::to_string(a) + ", " + std::to_string(b);
}

/// A horizontal piece of a line.
struct piece {
  std::int64_t y;
  std::int64_t low;
  std::int64_t high;
  node_id source;
  node_id target;
};

std::string fault_of_pieces(std::vector<piece>& pieces) {
  std::sort(pieces.begin(), pieces.end(),
            [](const piece& a, const piece& b) { return std::pair(a.y, a.low) < std::pair(b.y, b.low); });
  for (std::size_t i = 0; i != pieces.size(); ++i) {
    for (std::size_t j = i + 1; j != pieces.size() && pieces[j].y == pieces[i].y && pieces[j].low < pieces[i].high;
         ++j) {
      if (pieces[i].source != pieces[j].source && pieces[i].target != pieces[j].target) {
        return at("lines to different nodes lie on each other: to", pieces[i].target, pieces[j].target);
      }
    }
  }
  return {};
}

std::string fault_of_route(const midend::csr_graph& g, const graph_layout& picture, edge_id e,
                           std::vector<piece>& pieces) {
  const node_id source = g.edge_source(e);
  const node_id target = g.edge_target(e);
  const auto line = picture.route(e);
  const layout_box& from = picture.node(source);
  const layout_box& to = picture.node(target);
  if (from.is_empty() || to.is_empty()) {
    return line.empty() ? std::string() : at("a line of an edge that is not drawn", e);
  }
  if (line.size() < 2) {
    return at("no line of edge", e);
  }
  const layout_point first = line[0];
  const layout_point last = line[line.size() - 1];
  if (first.y != from.bottom() || first.x < from.left || first.x > from.right()) {
    return at("does not begin at the bottom of the source: edge", e);
  }
  if (last.y != to.top || last.x < to.left || last.x > to.right()) {
    return at("does not end at the top of the target: edge", e);
  }
  for (std::size_t i = 0; i + 1 != line.size(); ++i) {
    const layout_point a = line[i];
    const layout_point b = line[i + 1];
    if ((a.x == b.x) == (a.y == b.y)) {
      return at("neither horizontal nor vertical, or no length: edge", e);
    }
    if (i != 0 && (line[i - 1].x == a.x) == (a.x == b.x)) {
      return at("does not turn at a corner: edge", e);
    }
    for (node_id n = 0; n != g.num_nodes(); ++n) {
      if (crosses(a, b, picture.node(n))) {
        return at("a line crosses a node: edge, node", e, n);
      }
    }
    if (a.y == b.y) {
      pieces.push_back({a.y, std::min(a.x, b.x), std::max(a.x, b.x), source, target});
    }
  }
  return {};
}

/// What is wrong with a picture.
std::string fault_of(const midend::csr_graph& g, const loop_forest& loops, const graph_layout& picture) {
  const layout_box all{0, 0, picture.width(), picture.height()};
  for (node_id n = 0; n != g.num_nodes(); ++n) {
    if (!holds(all, picture.node(n))) {
      return at("outside of the picture: node", n);
    }
    for (node_id k = n + 1; k != g.num_nodes(); ++k) {
      if (overlap(picture.node(n), picture.node(k))) {
        return at("nodes overlap:", n, k);
      }
    }
    for (const loop_id l : loops.loops()) {
      if (picture.node(n).is_empty()) {
        continue;
      }
      if (loops.contains(l, n) ? !holds(picture.loop(l), picture.node(n)) : overlap(picture.loop(l), picture.node(n))) {
        return at("a loop has not just its nodes: loop, node", l, n);
      }
    }
  }
  for (const loop_id l : loops.loops()) {
    for (const loop_id k : loops.loops()) {
      const bool inside = loops.contains_loop(l, k);
      if (l < k && !picture.loop(k).is_empty() &&
          (inside ? !holds(picture.loop(l), picture.loop(k)) : overlap(picture.loop(l), picture.loop(k)))) {
        return at("loops are not nested:", l, k);
      }
    }
  }
  std::vector<piece> pieces;
  for (edge_id e = 0; e != g.num_edges(); ++e) {
    if (const std::string fault = fault_of_route(g, picture, e, pieces); !fault.empty()) {
      return fault;
    }
  }
  return fault_of_pieces(pieces);
}

/// What is wrong with the directions: backedges run up; what leaves a loop leads below it; the edges that run down have
/// no cycle by their places.
std::string fault_of_directions(const midend::csr_graph& g, const midend::dominator_tree& tree,
                                const loop_forest& loops, const graph_layout& picture) {
  for (edge_id e = 0; e != g.num_edges(); ++e) {
    const node_id source = g.edge_source(e);
    const node_id target = g.edge_target(e);
    if (picture.node(source).is_empty() || picture.node(target).is_empty() || !tree.is_reachable(source)) {
      continue;
    }
    const bool is_backedge = tree.dominates(target, source);
    if (is_backedge && !picture.runs_up(e)) {
      return at("a backedge runs down: edge", e);
    }
    if (picture.runs_up(e)) {
      continue;
    }
    if (picture.node(target).top < picture.node(source).bottom()) {
      return at("an edge that runs down leads up: edge", e);
    }
    for (const loop_id l : loops.loops()) {
      if (loops.contains(l, source) && !loops.contains(l, target) &&
          picture.node(target).top < picture.loop(l).bottom()) {
        return at("what follows a loop is not below it: loop, edge", l, e);
      }
    }
  }
  return {};
}

bool equal(const graph_layout& a, const graph_layout& b) {
  if (a.num_nodes() != b.num_nodes() || a.num_edges() != b.num_edges() || a.width() != b.width() ||
      a.height() != b.height()) {
    return false;
  }
  for (node_id n = 0; n != a.num_nodes(); ++n) {
    if (!(a.node(n) == b.node(n))) {
      return false;
    }
  }
  for (edge_id e = 0; e != a.num_edges(); ++e) {
    const auto one = a.route(e);
    const auto other = b.route(e);
    if (!std::equal(one.begin(), one.end(), other.begin(), other.end())) {
      return false;
    }
  }
  return true;
}

/// Checks the picture of a graph in three ways, and that a used workspace changes nothing.
std::string fault_of_all(const test_graph& graph, midend::layout_workspace& workspace, graph_layout& used) {
  const midend::csr_graph g = make_csr(graph);
  if (g.num_nodes() == 0) {
    return {};
  }
  const midend::dominator_tree tree = midend::dominators(g);
  const loop_forest loops = midend::natural_loops(g, tree);
  for (const bool hides : {false, true}) {
    midend::layout_options options;
    options.longest_lane = hides ? 1 : 6;
    options.most_ports = hides ? 2 : 8;
    const graph_layout picture = midend::layout(g, loops, various_sizes{hides}, options);
    std::string fault = fault_of(g, loops, picture);
    fault = fault.empty() ? fault_of_directions(g, tree, loops, picture) : fault;
    if (!fault.empty()) {
      return fault + (hides ? " (some nodes hidden) of " : " of ") + to_string(graph);
    }
    midend::layout(g, loops, various_sizes{hides}, options, workspace, used);
    if (!equal(picture, used)) {
      return "a used workspace changes the picture of " + to_string(graph);
    }
  }
  return {};
}

midend::csr_graph graph_of(std::size_t nodes, const std::vector<midend::edge>& edges) {
  return midend::csr_graph::from_edges(nodes, 0, edges).value();
}

graph_layout picture_of(const midend::csr_graph& g) {
  return midend::layout(g, midend::dominators_and_loops(g).loops);
}

TEST_CASE("layout: nodes, loops and lines keep apart on ugly graphs") {
  midend::layout_workspace workspace;
  graph_layout used;
  for (const test_graph& g : ugly_graphs()) {
    if (g.num_nodes <= 300) {
      CHECK(fault_of_all(g, workspace, used) == "");
    }
  }
  CHECK(fault_of_all(three_kinds_of_cycles(), workspace, used) == "");
}

TEST_CASE("layout: nodes, loops and lines keep apart on random graphs") {
  midend::layout_workspace workspace;
  graph_layout used;
  for (const test_graph& g : random_graphs()) {
    const std::string fault = fault_of_all(g, workspace, used);
    REQUIRE(fault == "");
  }
}

TEST_CASE("layout: a chain is a straight line") {
  const midend::csr_graph g = graph_of(4, {{0, 1}, {1, 2}, {2, 3}});
  const graph_layout picture = picture_of(g);
  for (edge_id e = 0; e != 3; ++e) {
    CHECK(picture.route(e).size() == 2);
    CHECK(picture.node(e).middle() == picture.node(e + 1).middle());
    CHECK(picture.node(e).bottom() < picture.node(e + 1).top);
  }
  CHECK(picture.width() == picture.node(0).width);
}

TEST_CASE("layout: the arms of a branch stand side by side in the order of successors, the join in the middle") {
  const midend::csr_graph g = graph_of(4, {{0, 2}, {0, 1}, {1, 3}, {2, 3}});
  const graph_layout picture = picture_of(g);
  CHECK(picture.node(1).top == picture.node(2).top);
  CHECK(picture.node(2).right() < picture.node(1).left);
  CHECK(2 * picture.node(3).middle() == picture.node(1).middle() + picture.node(2).middle());
  CHECK(picture.node(0).middle() == picture.node(3).middle());
}

TEST_CASE("layout: parallel edges leave the source apart") {
  const midend::csr_graph g = graph_of(2, {{0, 1}, {0, 1}, {0, 1}});
  const graph_layout picture = picture_of(g);
  CHECK(picture.route(0)[0].x != picture.route(1)[0].x);
  CHECK(picture.route(1)[0].x != picture.route(2)[0].x);
  CHECK(picture.route(0)[0].x != picture.route(2)[0].x);
}

TEST_CASE("layout: a loop is a box with its backedge inside, and the exit is below it") {
  const midend::csr_graph g = graph_of(4, {{0, 1}, {1, 2}, {1, 3}, {2, 1}});
  const graph_layout picture = picture_of(g);
  CHECK(picture.runs_up(3));
  for (const layout_point p : picture.route(3)) {
    CHECK(p.x > picture.loop(0).left);
    CHECK(p.x < picture.loop(0).right());
  }
  CHECK(picture.node(3).top > picture.loop(0).bottom());
  CHECK(picture.node(0).bottom() < picture.loop(0).top);
}

TEST_CASE("layout: a graph without nodes") {
  const midend::csr_graph g;
  const graph_layout picture = picture_of(g);
  CHECK(picture.num_nodes() == 0);
  CHECK(picture.num_edges() == 0);
  CHECK(picture.width() == 0);
  CHECK(picture.height() == 0);
}

TEST_CASE("layout: nothing is drawn of nodes of width 0") {
  const midend::csr_graph g = graph_of(3, {{0, 1}, {1, 2}, {2, 1}});
  const auto loops = midend::dominators_and_loops(g).loops;
  const graph_layout picture = midend::layout(g, loops, [](node_id n) { return layout_extent{n == 0 ? 10U : 0U, 9}; });
  CHECK(picture.loop(0).is_empty());
  CHECK(picture.route(0).empty());
  CHECK(picture.width() == 10);
  CHECK(picture.height() == 9);
}

TEST_CASE("layout: the second call allocates nothing") {
  random_source random(3);
  const midend::csr_graph g = make_csr(random_reducible(random, 500));
  const auto loops = midend::dominators_and_loops(g).loops;
  midend::layout_workspace workspace;
  graph_layout picture;
  const auto draw = [&] { midend::layout(g, loops, various_sizes(), {}, workspace, picture); };
  CHECK(allocations_of(draw) != 0);
  CHECK(allocations_of(draw) == 0);
}

/// `links` blocks in a row, or loops each inside the one before, or edges to one end from each block.
std::vector<midend::edge> chain(std::size_t nodes) {
  std::vector<midend::edge> edges;
  for (node_id n = 0; n + 1 < nodes; ++n) {
    edges.push_back({n, n + 1});
  }
  return edges;
}

TEST_CASE("layout: long chains, deep nests and common ends need no stack and little time") {
  CHECK(on_a_small_stack([] {
          const midend::csr_graph line = graph_of(million, chain(million));
          const graph_layout picture = picture_of(line);
          if (picture.width() != 48 || picture.height() <= static_cast<std::int64_t>(24 * million)) {
            return std::string("a chain has a wrong size");
          }
          std::vector<midend::edge> nest = chain(20'001);
          for (node_id n = 0; n != 10'000; ++n) { // node 20000 - n leads back to node n
            nest.push_back({20'000 - n, n});
          }
          const midend::csr_graph loops = graph_of(20'001, nest);
          const graph_layout deep = picture_of(loops);
          if (deep.num_loops() != 10'000 || !holds(deep.loop(0), deep.node(10'000))) {
            return std::string("a nest is wrong");
          }
          std::vector<midend::edge> ends = chain(20'000);
          for (node_id n = 0; n + 2 < 20'000; ++n) {
            ends.push_back({n, 19'999});
          }
          const graph_layout wide = picture_of(graph_of(20'000, ends));
          return wide.width() < 2'000 ? std::string() : std::string("edges to one end do not join");
        }) == "");
}

} // namespace
