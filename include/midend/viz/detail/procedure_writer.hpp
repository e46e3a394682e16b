/// The picture of a procedure, statement by statement.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/text/printer.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/depth_first_order.hpp"
#include "midend/graph/edge_kinds.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/loops/natural_loops.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/viz/detail/dot_text.hpp"
#include "midend/viz/detail/heat_scale.hpp"
#include "midend/viz/detail/node_tables.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Appends to one string. Loops come in preorder, so clusters open and close like brackets, without recursion.
class procedure_writer {
public:
  procedure_writer(const elbrus::procedure& p, const elbrus::picture_options& options)
      : p_(p), options_(options), tree_(dominators(p)), loops_(natural_loops(p, tree_)), heat_(heat_scale::of(p)),
        text_(p), tables_(p, options, heat_, text_) {}

  void open() {
    out_ += "digraph midend {\n  graph";
    dot_attributes(out_)
        .add("fontname", options_.font)
        .add("fontsize", "13")
        .add("label", options_.title.empty() ? head() : std::string(options_.title))
        .add("labelloc", "t")
        .add("nodesep", "0.35")
        .add("ranksep", "0.4")
        .add("bgcolor", "white");
    out_ += "  node";
    dot_attributes(out_).add("fontname", options_.font).add("fontsize", "11").add("shape", "plain");
    out_ += "  edge";
    dot_attributes(out_)
        .add("fontname", options_.font)
        .add("fontsize", "9")
        .add("color", picture_line_color)
        .add("fontcolor", picture_line_color)
        .add("arrowsize", "0.7");
  }

  void nested_loops() {
    std::uint32_t open = 0;
    for (const loop_id l : loops_.loops()) {
      for (; open >= loops_.depth(l); --open) {
        out_ += "  }\n";
      }
      open_loop(l);
      ++open;
      for (const node_id n : loops_.own_blocks(l)) {
        node(n);
      }
    }
    for (; open != 0; --open) {
      out_ += "  }\n";
    }
  }

  void nodes_outside_of_loops() {
    for (node_id n = 0; n != p_.num_nodes(); ++n) {
      if (!p_.node(n).erased && !(options_.loops && loops_.innermost_loop(n) != no_loop)) {
        node(n);
      }
    }
  }

  void edges() {
    const flat_array<edge_kind> kinds = edge_kinds(p_, depth_first_order(p_));
    for (node_id n = 0; n != p_.num_nodes(); ++n) {
      for (const edge_id e : p_.out_edges(n)) {
        edge(e, kinds[e]);
      }
    }
  }

  std::string close() && {
    out_ += "}\n";
    return std::move(out_);
  }

private:
  static constexpr std::array<std::string_view, 5> loop_colors = {"#f2f6fb", "#e4edf7", "#d5e3f2", "#c5d9ed",
                                                                  "#b4cee8"};

  /// What the procedure takes and gives, and how often it is called.
  std::string head() {
    std::string text = "@" + std::string(p_.name()) + "(";
    std::string_view separator = "";
    for (const value_id v : p_.parameters()) {
      text += separator;
      text += text_.value(v) + ": ";
      text += name_of(p_.value(v).type);
      separator = ", ";
    }
    text += ')';
    if (p_.result_type() != elbrus::type::none) {
      text += " -> ";
      text += name_of(p_.result_type());
    }
    if (p_.count() != elbrus::no_count) {
      text += " × ";
      append_number(text, p_.count());
    }
    return text;
  }

  void node(node_id n) {
    out_ += "  n";
    append_number(out_, n);
    out_ += " [label=<";
    tables_.append(out_, n, tree_.is_reachable(n));
    out_ += ">];\n";
  }

  // Loops.

  void open_loop(loop_id l) {
    const std::uint32_t depth = loops_.depth(l);
    out_ += "  subgraph cluster_loop";
    append_number(out_, l);
    out_ += " {\n  graph";
    std::string title = "loop ";
    title += text_.node(loops_.header(l));
    title += ", depth ";
    append_number(title, depth);
    average_trip(title, l);
    if (loops_.is_statically_infinite(l)) {
      title += ", no exit";
    }
    dot_attributes(out_)
        .add("label", title)
        .add("labeljust", "l")
        .add("fontsize", "10")
        .add("fontcolor", "#2b5a8c")
        .add("style", "rounded,filled")
        .add("color", "#7ea3c9")
        .add("fillcolor", loop_colors[(depth < loop_colors.size() ? depth : loop_colors.size()) - 1]);
  }

  /// How often the header runs each time that the loop is entered.
  void average_trip(std::string& title, loop_id l) const {
    const node_id header = loops_.header(l);
    double entered = 0;
    for (const edge_id e : p_.in_edges(header)) {
      if (!loops_.contains(l, p_.edge_source(e)) && tree_.is_reachable(p_.edge_source(e))) {
        entered += edge_count(e);
      }
    }
    if (p_.node(header).count != elbrus::no_count && entered > 0) {
      title += ", average trip ";
      append_tenths(title, static_cast<double>(p_.node(header).count) / entered);
    }
  }

  // Edges.

  /// How often an edge is taken; negative if the profile does not tell.
  double edge_count(edge_id e) const {
    const elbrus::edge_record& edge = p_.edge(e);
    const std::uint64_t count = p_.node(edge.source).count;
    const double probability = p_.out_edges(edge.source).size() == 1 ? 1 : edge.probability;
    return count == elbrus::no_count || probability < 0 ? -1 : static_cast<double>(count) * probability;
  }

  /// Edges that lead back are stated from their target, drawn the other way round, which puts the header of a loop
  /// above its latches.
  void edge(edge_id e, edge_kind kind) {
    const node_id source = p_.edge_source(e);
    const node_id target = p_.edge_target(e);
    const bool back = kind == edge_kind::back;
    out_ += "  n";
    append_number(out_, back ? target : source);
    out_ += " -> n";
    append_number(out_, back ? source : target);
    dot_attributes a(out_);
    if (const std::string text = edge_label(e); !text.empty()) {
      a.add("label", text);
    }
    if (kind == edge_kind::unreachable) {
      a.add("style", "dashed").add("color", picture_pale_color).add("fontcolor", picture_pale_color);
      if (tree_.is_reachable(target)) {
        a.add("constraint", "false"); // what is never run must not change the layout of what is
      }
      return;
    }
    if (const double count = edge_count(e); count >= 0) {
      std::string width;
      append_tenths(width, 0.7 + 1.8 * heat_.share(count));
      a.add("penwidth", width);
    }
    if (back) {
      const bool natural = tree_.dominates(target, source);
      a.add("dir", "back").add("color", natural ? "#c2571a" : "#b3123f").add("style", natural ? "solid" : "dashed");
    }
  }

  std::string edge_label(edge_id e) const {
    const elbrus::edge_record& edge = p_.edge(e);
    const value_id end = p_.terminator(edge.source);
    std::string text;
    if (end != no_value && p_.value(end).code == elbrus::opcode::branch) {
      text = edge.case_value != 0 ? " true" : " false";
    } else if (end != no_value && p_.value(end).code == elbrus::opcode::switch_) {
      text = edge.is_default
                 ? std::string(" default")
                 : " " + std::to_string(as_signed(edge.case_value, elbrus::width_of(p_.value(end).operand_type)));
    }
    if (edge.probability >= 0) {
      text += ' ';
      append_tenths(text, 100 * edge.probability);
      text += '%';
    }
    return text;
  }

  /// With one digit behind the point if it is not 0. Requires that it is not negative.
  static void append_tenths(std::string& text, double value) {
    const auto tenths = static_cast<unsigned long long>(std::llround(10 * value));
    append_number(text, tenths / 10);
    if (tenths % 10 != 0) {
      text += '.';
      append_number(text, tenths % 10);
    }
  }

  const elbrus::procedure& p_;
  const elbrus::picture_options& options_;
  dominator_tree tree_;
  loop_forest loops_;
  heat_scale heat_;
  elbrus::procedure_text text_;
  node_tables tables_;
  std::string out_;
};

} // namespace detail

MIDEND_END_NAMESPACE
