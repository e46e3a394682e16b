/// Pictures of procedures of the Elbrus-like IR for Graphviz: `dot -Tsvg FILE.dot`.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/procedure.hpp"

#include <cstddef>
#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// The parts of a picture of a procedure.
struct picture_options {
  std::string_view title = {}; ///< if empty, the head of the procedure
  std::string_view font = "Helvetica";
  std::string_view code_font = "DejaVu Sans Mono";
  bool loops = true;                ///< a box around each loop
  bool operations = true;           ///< in the nodes
  std::size_t most_operations = 40; ///< in a node; a longer one shows its first and last operations
  std::size_t longest_line = 88;    ///< characters of an operation
};

/// `p` in the DOT language: operations in the nodes, phis above them, the profile as heat, loops as boxes.
///
/// - The title of a node has its name, count and trip hints, and a colour from white to red by the logarithm of the
///   count, relative to the highest count of the procedure; without a count it is grey.
/// - The label of an edge has its case and probability. Edges that are taken more often are thicker, in the same scale.
///   Edges back to the header of a loop are orange, retreating edges of irreducible flow red and dashed. Parallel edges
///   are separate lines.
/// - Boxes are natural loops, with their depth and, if the profile has it, the average trip count.
/// - The entry has a green border; unreachable nodes are dashed and grey. Erased nodes are not shown.
///
/// Nodes are named `nN`, boxes `cluster_loopL`; statements come in the order of numbers, so equal procedures give equal
/// text. Requires a procedure without errors of structure. O(size), plus dominators and loops; no recursion.
MIDEND_FUNCTION std::string to_dot(const procedure& p, const picture_options& options = {});

} // namespace elbrus

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/text/printer.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/depth_first_order.hpp"
#include "midend/graph/edge_kinds.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/loops/natural_loops.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/viz/detail/dot_text.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Colours for counts: shares of the highest count by logarithm, because counts are orders of magnitude apart.
class heat_scale {
public:
  explicit heat_scale(double highest) : highest_(std::log2(1 + highest)) {}

  /// The scale of the nodes of a procedure.
  static heat_scale of(const elbrus::procedure& p) {
    double highest = 0;
    for (node_id n = 0; n != p.num_nodes(); ++n) {
      const std::uint64_t count = p.node_count(n);
      highest = count == elbrus::no_count ? highest : std::fmax(highest, static_cast<double>(count));
    }
    return heat_scale(highest);
  }

  /// From 0 for never to 1 for the highest count.
  double share(double count) const { return highest_ > 0 ? std::log2(1 + count) / highest_ : 0; }

  /// From white through yellow and orange to red, light enough for black text.
  std::string color(double count) const {
    const double place = share(count) * static_cast<double>(stops.size() - 1);
    const std::size_t first = place < 1 ? 0 : place < 2 ? 1 : place < 3 ? 2 : stops.size() - 2;
    const double part = place - static_cast<double>(first);
    std::string text = "#";
    for (std::size_t i = 0; i != 3; ++i) {
      const double mixed = stops[first][i] + part * (stops[first + 1][i] - stops[first][i]);
      append_hexadecimal(text, static_cast<unsigned>(std::lround(mixed < 0 ? 0 : mixed > 255 ? 255 : mixed)));
    }
    return text;
  }

private:
  static constexpr std::array<std::array<double, 3>, 5> stops = {
      {{255, 255, 255}, {255, 247, 214}, {255, 224, 138}, {253, 174, 97}, {240, 112, 80}}};

  static void append_hexadecimal(std::string& text, unsigned byte) {
    constexpr const char* digits = "0123456789abcdef";
    text += digits[byte / 16];
    text += digits[byte % 16];
  }

  double highest_;
};

inline constexpr std::string_view picture_line_color = "#4a5560";
inline constexpr std::string_view picture_pale_color = "#a0a8b0";

/// Writes the labels of nodes in the HTML subset of Graphviz: a title, phis, other operations.
class node_tables {
public:
  node_tables(const elbrus::procedure& p, const elbrus::picture_options& options, const heat_scale& heat,
              elbrus::procedure_text& text)
      : p_(p), options_(options), heat_(heat), text_(text) {}

  void append(std::string& out, node_id n, bool reachable) const {
    out += n == p_.entry() ? "<table border=\"2\" color=\"#2f7d4f\"" : "<table border=\"1\" color=\"";
    if (n != p_.entry()) {
      out += reachable ? picture_line_color : picture_pale_color;
      out += reachable ? "\"" : "\" style=\"dashed\"";
    }
    out += " cellborder=\"0\" cellspacing=\"0\" cellpadding=\"4\">";
    title(out, n, reachable);
    if (options_.operations) {
      operations(out, n, reachable);
    }
    out += "</table>";
  }

private:
  void title(std::string& out, node_id n, bool reachable) const {
    const bool counted = p_.node_count(n) != elbrus::no_count;
    out += "<tr><td align=\"left\" bgcolor=\"";
    out += reachable && counted ? heat_.color(static_cast<double>(p_.node_count(n))) : "#eceff1";
    out += "\"><font color=\"";
    out += reachable ? "#000000" : picture_pale_color;
    out += "\"><b>";
    append_html(out, text_.node(n));
    out += "</b></font>";
    if (counted) {
      small(out, "× ");
      append_number(out, p_.node_count(n));
      out += "</font>";
    }
    hint(out, p_.hint(n));
    out += "</td></tr>";
  }

  static void small(std::string& out, std::string_view words) {
    out += "<font point-size=\"9\" color=\"#404850\">  ";
    out += words;
  }

  static void hint(std::string& out, const elbrus::trip_hint& hint) {
    const auto say = [&out](std::string_view what, std::uint64_t value) {
      if (value != 0) {
        small(out, what);
        append_number(out, value);
        out += "</font>";
      }
    };
    say("trip ≈ ", hint.average);
    say("trip ≤ ", hint.maximum);
    say("trip a multiple of ", hint.multiple);
  }

  void operations(std::string& out, node_id n, bool reachable) const {
    std::string phis;
    std::string others;
    const std::size_t count = number_of_operations(n);
    const std::size_t shown = options_.most_operations == 0 ? 1 : options_.most_operations; // always the last one
    const std::size_t left_out = count <= shown ? 0 : count - shown;
    std::size_t number = 0;
    for (const value_id v : p_.values(n)) {
      ++number;
      if (number != count && number + left_out >= count) {
        continue; // left out
      }
      if (number == count && left_out != 0) {
        line(others, "… " + std::to_string(left_out) + " more");
      }
      line(p_.is_phi(v) && number != count ? phis : others, text_.operation(v));
    }
    cell(out, phis, reachable ? "#f1ecf8" : "#ffffff", reachable);
    cell(out, others, "#ffffff", reachable);
  }

  std::size_t number_of_operations(node_id n) const {
    std::size_t count = 0;
    for (value_id v = p_.node_core(n).first; v != no_value; v = p_.core(v).next) {
      ++count;
    }
    return count;
  }

  static void append_html(std::string& text, std::string_view words) {
    for (const char c : words) {
      switch (c) {
      case '&':
        text += "&amp;";
        break;
      case '<':
        text += "&lt;";
        break;
      case '>':
        text += "&gt;";
        break;
      default:
        text += c;
      }
    }
  }

  void line(std::string& lines, std::string_view words) const {
    const bool too_long = words.size() > options_.longest_line;
    append_html(lines, words.substr(0, options_.longest_line));
    lines += too_long ? " …<br align=\"left\"/>" : "<br align=\"left\"/>";
  }

  void cell(std::string& out, std::string_view lines, std::string_view background, bool reachable) const {
    if (lines.empty()) {
      return;
    }
    out += "<tr><td align=\"left\" balign=\"left\" bgcolor=\"";
    out += background;
    out += "\"><font face=\"";
    out += options_.code_font;
    out += "\" point-size=\"9\" color=\"";
    out += reachable ? std::string_view("#101418") : picture_pale_color;
    out += "\">";
    out += lines;
    out += "</font></td></tr>";
  }

  const elbrus::procedure& p_;
  const elbrus::picture_options& options_;
  const heat_scale& heat_;
  elbrus::procedure_text& text_;
};

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
      if (!p_.node_core(n).erased && !(options_.loops && loops_.innermost_loop(n) != no_loop)) {
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

  /// Parameters, result and count of the procedure.
  std::string head() {
    std::string text = "@" + std::string(p_.name()) + "(";
    std::string_view separator = "";
    for (const value_id v : p_.parameters()) {
      text += separator;
      text += text_.value(v) + ": ";
      text += name_of(p_.core(v).type);
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

  /// The header executions for each entry of the loop.
  void average_trip(std::string& title, loop_id l) const {
    const node_id header = loops_.header(l);
    double entered = 0;
    for (const edge_id e : p_.in_edges(header)) {
      if (!loops_.contains(l, p_.edge_source(e)) && tree_.is_reachable(p_.edge_source(e))) {
        entered += edge_count(e);
      }
    }
    if (p_.node_count(header) != elbrus::no_count && entered > 0) {
      title += ", average trip ";
      append_tenths(title, static_cast<double>(p_.node_count(header)) / entered);
    }
  }

  // Edges.

  /// The number of times that an edge is taken; negative if the profile does not have it.
  double edge_count(edge_id e) const {
    const elbrus::edge_record& edge = p_.edge(e);
    const std::uint64_t count = p_.node_count(edge.source);
    const double probability = p_.out_edges(edge.source).size() == 1 ? 1 : p_.probability(e);
    return count == elbrus::no_count || probability < 0 ? -1 : static_cast<double>(count) * probability;
  }

  /// A back edge is written from its target and drawn in reverse, which puts the header of a loop above its latches.
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
        a.add("constraint", "false"); // unreachable nodes must not change the layout of the others
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
    if (end != no_value && p_.core(end).code == elbrus::opcode::branch) {
      text = p_.case_value(e) != 0 ? " true" : " false";
    } else if (end != no_value && p_.core(end).code == elbrus::opcode::switch_) {
      text = edge.is_default
                 ? std::string(" default")
                 : " " + std::to_string(as_signed(p_.case_value(e), elbrus::width_of(p_.core(end).operand_type)));
    }
    if (p_.probability(e) >= 0) {
      text += ' ';
      append_tenths(text, 100 * p_.probability(e));
      text += '%';
    }
    return text;
  }

  /// With one digit after the point if it is not 0. Requires a number that is not negative.
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

namespace elbrus {

MIDEND_FUNCTION std::string to_dot(const procedure& p, const picture_options& options) {
  midend::detail::procedure_writer writer(p, options);
  writer.open();
  if (options.loops) {
    writer.nested_loops();
  }
  writer.nodes_outside_of_loops();
  writer.edges();
  return std::move(writer).close();
}

} // namespace elbrus

MIDEND_END_NAMESPACE

#endif
