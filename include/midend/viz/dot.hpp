/// Pictures of control-flow graphs for Graphviz: `dot -Tsvg FILE.dot`.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/loops/natural_loops.hpp"
#include "midend/viz/detail/dot_writer.hpp"

#include <concepts>
#include <string>
#include <string_view>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// What the picture shows.
struct dot_options {
  std::string_view title = {};
  std::string_view font = "Helvetica";
  bool loop_clusters = true;  ///< a box around each loop
  bool dominator_tree = true; ///< beside the graph
  bool unreachable = true;    ///< blocks that the entry does not reach, in grey
};

/// Gives each node the text that stands in it: `label(n)` converts to `std::string_view`, as a `std::string` does. Any
/// bytes will do; newlines break lines, and the first line alone stands in the dominator tree and in the title of a
/// loop.
template <class Label>
concept dot_label = requires(const Label& label, node_id n) {
  { label(n) } -> std::convertible_to<std::string_view>;
};

/// The label that is used if there is none: the number of the node.
struct dot_node_number {
  std::string operator()(node_id n) const {
    std::string text;
    detail::append_number(text, n);
    return text;
  }
};

/// `g` in the DOT language, with its loops as boxes in each other and its dominator tree beside it.
///
/// The entry points downwards, blocks without successors have a double border, loop headers are yellow. Edges back to a
/// loop header are bold and orange; retreating edges of irreducible flow, which close no natural loop, are bold, dashed
/// and red (which edges those are depends on the depth-first search). Parallel edges are one line with their number
/// beside it. Unreachable blocks and their edges are grey.
///
/// Edges that lead back are stated from their target with `dir=back`, which makes Graphviz draw loops downwards from
/// their headers. Nodes are named `nN` in the graph and `dN` in the tree, boxes `cluster_loopL`, and statements come in
/// the order of numbers, so equal inputs give equal text. Requires that `tree` and `loops` are those of `g`. O(n + m)
/// beside the labels, in one string; no recursion, however deep the loops are (Graphviz itself is happy with some
/// hundred blocks).
template <flow_graph G, dot_label Label = dot_node_number>
std::string to_dot(const G& g, const dominator_tree& tree, const loop_forest& loops, const dot_options& options = {},
                   const Label& label = {}) {
  MIDEND_ASSERT(tree.num_nodes() == g.num_nodes(), "a dominator tree of this graph", tree.num_nodes(), g.num_nodes());
  MIDEND_ASSERT(loops.num_nodes() == g.num_nodes(), "the loops of this graph", loops.num_nodes(), g.num_nodes());
  detail::dot_writer<G, Label> writer(g, tree, loops, label);
  writer.open(options.title, options.font);
  if (g.num_nodes() != 0) {
    writer.graph(options.loop_clusters, options.unreachable);
    if (options.dominator_tree) {
      writer.dominators();
    }
  }
  return std::move(writer).close();
}

/// The same with dominators and loops computed here.
template <flow_graph G, dot_label Label = dot_node_number>
std::string to_dot(const G& g, const dot_options& options = {}, const Label& label = {}) {
  const dominator_tree tree = dominators(g);
  return to_dot(g, tree, natural_loops(g, tree), options, label);
}

MIDEND_END_NAMESPACE
