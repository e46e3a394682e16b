/// Pictures of control-flow graphs for Graphviz: `dot -Tsvg FILE.dot`.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/depth_first_order.hpp"
#include "midend/graph/detail/out_edges.hpp"
#include "midend/graph/edge_kinds.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/loops/natural_loops.hpp"
#include "midend/support/detail/contract.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/viz/detail/dot_text.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// The parts of a picture.
struct dot_options {
  std::string_view title = {};
  std::string_view font = "Helvetica";
  bool loop_clusters = true;  ///< a box around each loop
  bool dominator_tree = true; ///< next to the graph
  bool unreachable = true;    ///< blocks that the entry does not reach, in grey
};

/// The text of each node: `label(n)` converts to `std::string_view`, as a `std::string` does. It may hold any bytes;
/// newlines break lines. The dominator tree and the titles of loops show the first line only.
template <class Label>
concept dot_label = requires(const Label& label, node_id n) {
  { label(n) } -> std::convertible_to<std::string_view>;
};

namespace detail {

MIDEND_REQUIRED(dot_label, "the label of a graph needs `label(n)`, const, which returns what converts to "
                           "std::string_view: the text of node n");

} // namespace detail

/// For signatures: a `dot_label`; any other type is an error with a reason.
template <class Label>
concept dot_label_argument = dot_label<Label> || detail::dot_label_row::explain<Label>();

/// The default label: the number of the node.
struct dot_node_number {
  std::string operator()(node_id n) const {
    std::string text;
    detail::append_number(text, n);
    return text;
  }
};

namespace detail {

/// Appends to one string. Loops are in preorder, so clusters open and close like brackets, without recursion.
template <class G, class Label> class dot_writer {
public:
  dot_writer(const G& g, const dominator_tree& tree, const loop_forest& loops, const Label& label)
      : g_(g), tree_(tree), loops_(loops), label_(label), count_(node_count(g)) {}

  void open(std::string_view title, std::string_view font) {
    out_ += "digraph midend {\n";
    out_ += "  graph";
    attributes()
        .add("fontname", font)
        .add("fontsize", "12")
        .add("label", title)
        .add("labelloc", "t")
        .add("nodesep", "0.3")
        .add("ranksep", "0.35")
        .add("bgcolor", "white");
    out_ += "  node";
    attributes()
        .add("fontname", font)
        .add("fontsize", "11")
        .add("shape", "box")
        .add("style", "rounded,filled")
        .add("fillcolor", "white")
        .add("color", "#4a5560")
        .add("height", "0.3")
        .add("width", "0.5")
        .add("margin", "0.08,0.04");
    out_ += "  edge";
    attributes().add("fontname", font).add("fontsize", "9").add("color", "#4a5560").add("arrowsize", "0.7");
  }

  void graph(bool clusters, bool unreachable) {
    out_ += "\n  subgraph cluster_graph {\n    graph";
    attributes().add("label", "control flow").add("color", "transparent").add("fontcolor", "#4a5560");
    for (node_id n = 0; n != count_; ++n) {
      const bool in_cluster = clusters && loops_.innermost_loop(n) != no_loop;
      if (!in_cluster && (unreachable || tree_.is_reachable(n))) {
        node(n, 2);
      }
    }
    if (clusters) {
      nested_loops();
    }
    edges(unreachable);
    out_ += "  }\n";
  }

  void dominators() {
    out_ += "\n  subgraph cluster_dominators {\n    graph";
    attributes()
        .add("label", "dominator tree")
        .add("color", "transparent")
        .add("fontcolor", "#4a5560")
        .add("ordering", "out");
    out_ += "    node";
    attributes().add("fillcolor", "#f4f5f6").add("color", "#8a949e");
    out_ += "    edge";
    attributes().add("color", "#8a949e").add("arrowhead", "none");
    for (const node_id n : tree_.preorder()) {
      out_ += "    d";
      append_number(out_, n);
      dot_attributes a = attributes();
      a.add("label", first_line(std::string_view(label_(n))));
      if (loops_.is_header(n)) {
        a.add("fillcolor", header_color);
      }
    }
    for (const node_id n : tree_.preorder()) {
      if (tree_.immediate_dominator(n) != no_node) {
        out_ += "    d";
        append_number(out_, tree_.immediate_dominator(n));
        out_ += " -> d";
        append_number(out_, n);
        out_ += ";\n";
      }
    }
    out_ += "  }\n";
  }

  std::string close() && {
    out_ += "}\n";
    return std::move(out_);
  }

private:
  static constexpr std::string_view header_color = "#ffe8a3";
  static constexpr std::array<std::string_view, 6> loop_colors = {"#eef4fb", "#dce9f7", "#c8dcf1",
                                                                  "#b3ceeb", "#9dbfe3", "#86afda"};

  dot_attributes attributes() { return dot_attributes(out_); }

  void indent(std::size_t levels) {
    constexpr std::size_t most = 12; // text stays linear in the size of the graph
    out_.append(2 * (levels < most ? levels : most), ' ');
  }

  /// The short label of a node.
  static std::string_view first_line(std::string_view label) { return label.substr(0, label.find('\n')); }

  void node(node_id n, std::size_t levels) {
    indent(levels);
    out_ += 'n';
    append_number(out_, n);
    dot_attributes a = attributes();
    a.add("label", std::string_view(label_(n)));
    if (!tree_.is_reachable(n)) {
      a.add("style", "rounded,filled,dashed")
          .add("fillcolor", "#f0f0f0")
          .add("color", "#b0b0b0")
          .add("fontcolor", "#909090");
      return;
    }
    if (n == tree_.root()) {
      a.add("shape", "invhouse").add("style", "filled").add("penwidth", "2").add("color", "#2f7d4f");
      a.add("fillcolor", loops_.is_header(n) ? header_color : "#e3f3e8");
    } else if (is_exit(n)) {
      a.add("style", "filled").add("peripheries", "2").add("fillcolor", "#f3f3f3");
    } else if (loops_.is_header(n)) {
      a.add("fillcolor", header_color).add("color", "#a8780a").add("penwidth", "1.5");
    }
  }

  bool is_exit(node_id n) const {
    auto&& successors = g_.successors(n);
    return std::begin(successors) == std::end(successors);
  }

  void nested_loops() {
    std::uint32_t open = 0;
    for (const loop_id l : loops_.loops()) {
      for (; open >= loops_.depth(l); --open) {
        close_loop(open);
      }
      open_loop(l);
      ++open;
      for (const node_id n : loops_.own_blocks(l)) {
        node(n, open + std::size_t{2});
      }
    }
    for (; open != 0; --open) {
      close_loop(open);
    }
  }

  void close_loop(std::uint32_t depth) {
    indent(depth + std::size_t{1});
    out_ += "}\n";
  }

  void open_loop(loop_id l) {
    const std::uint32_t depth = loops_.depth(l);
    indent(depth + std::size_t{1});
    out_ += "subgraph cluster_loop";
    append_number(out_, l);
    out_ += " {\n";
    indent(depth + std::size_t{2});
    out_ += "graph";
    std::string title = "loop ";
    title += first_line(std::string_view(label_(loops_.header(l))));
    title += ", depth ";
    append_number(title, depth);
    if (loops_.has_boundaries() && loops_.is_statically_infinite(l)) {
      title += ", no exit";
    }
    attributes()
        .add("label", title)
        .add("labeljust", "l")
        .add("fontsize", "10")
        .add("fontcolor", "#2b5a8c")
        .add("style", "rounded,filled")
        .add("color", "#7ea3c9")
        .add("fillcolor", loop_colors[(depth - 1 < loop_colors.size() ? depth : loop_colors.size()) - 1]);
  }

  /// Parallel edges are one line with their number.
  void edges(bool unreachable) {
    const flat_array<edge_kind> kinds = edge_kinds(g_, depth_first_order(g_));
    flat_array<std::uint32_t> parallel(count_, 0);
    edge_id next = 0;
    for (node_id n = 0; n != count_; ++n) {
      for_each_out_edge(g_, n, next, [&](edge_id, node_id target) { ++parallel[target]; });
      next = for_each_out_edge(g_, n, next, [&](edge_id e, node_id target) {
        if (parallel[target] != 0 && (unreachable || tree_.is_reachable(n))) {
          edge(n, target, kinds[e], parallel[target]);
        }
        parallel[target] = 0;
      });
    }
  }

  /// Back edges are written from their target and drawn in the opposite direction: Graphviz then puts the header of a
  /// loop above its latches, and draws better lines than with `constraint=false`.
  void edge(node_id source, node_id target, edge_kind kind, std::uint32_t parallel) {
    const bool back = kind == edge_kind::back;
    out_ += "    n";
    append_number(out_, back ? target : source);
    out_ += " -> n";
    append_number(out_, back ? source : target);
    dot_attributes a = attributes();
    if (parallel > 1) {
      std::string times = "×";
      append_number(times, parallel);
      a.add("label", times);
    }
    if (kind == edge_kind::unreachable) {
      a.add("style", "dashed").add("color", "#b0b0b0");
      if (tree_.is_reachable(target)) {
        a.add("constraint", "false"); // code that never runs must not change the layout of other code
      }
    } else if (back) {
      const bool natural = tree_.dominates(target, source);
      a.add("dir", "back").add("style", natural ? "bold" : "bold,dashed").add("color", natural ? "#c2571a" : "#b3123f");
    }
  }

  const G& g_;
  const dominator_tree& tree_;
  const loop_forest& loops_;
  const Label& label_;
  node_id count_;
  std::string out_;
};

} // namespace detail

/// `g` in the DOT language, with its loops as nested boxes and its dominator tree next to it.
///
/// The entry points downwards, blocks without successors have a double border, loop headers are yellow. Edges back to a
/// loop header are bold and orange; retreating edges of irreducible flow, which close no natural loop, are bold, dashed
/// and red (which edges those are depends on the depth-first search). Parallel edges are one line with their number.
/// Unreachable blocks and their edges are grey.
///
/// Back edges are written from their target with `dir=back`, which makes Graphviz draw loops downwards from their
/// headers. Nodes are named `nN` in the graph and `dN` in the tree, boxes `cluster_loopL`, and statements are in
/// the order of numbers, so equal inputs give equal text. Requires that `tree` and `loops` are those of `g`. O(n + m)
/// and the size of the labels, in one string; no recursion, at any depth of loops (Graphviz itself handles some hundred
/// blocks well).
template <flow_graph_argument G, class Label = dot_node_number>
std::string to_dot(const G& g, const dominator_tree& tree, const loop_forest& loops, const dot_options& options = {},
                   const Label& label = {}) {
  static_assert(dot_label_argument<Label>);
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

/// Computes dominators and loops itself.
template <flow_graph_argument G, class Label = dot_node_number>
std::string to_dot(const G& g, const dot_options& options = {}, const Label& label = {}) {
  static_assert(dot_label_argument<Label>);
  const dominator_tree tree = dominators(g);
  return to_dot(g, tree, natural_loops(g, tree), options, label);
}

MIDEND_END_NAMESPACE
