/// A flow graph on the page of `midend report`: what its blocks show, and where they stand.
#pragma once

#include "report_json.hpp"
#include "text.hpp"

#include <midend/dominance/dominators.hpp>
#include <midend/graph/concepts.hpp>
#include <midend/graph/depth_first_order.hpp>
#include <midend/graph/edge_kinds.hpp>
#include <midend/loops/natural_loops.hpp>
#include <midend/viz/layout.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace midend_tool {

/// A line of a block.
struct report_line {
  std::uint32_t id = 0; ///< of the operation
  std::string text;
  char mark = ' ';  ///< by the last pass: `+` new, `~` changed, `>` from another block, `-` gone
  std::string fact; ///< what is known of the result, or empty
};

/// A block; without a name it is not drawn.
struct report_block {
  std::string name;
  std::string note;     ///< in the title: count, hints
  char mark = ' ';      ///< `+`: the last pass made it
  bool is_dead = false; ///< never executed, as the facts say
  double heat = -1;     ///< from 0 to 1 by how often it runs; negative if that is unknown
  std::vector<report_line> lines;
};

/// An edge.
struct report_edge {
  std::string label;
};

/// Sizes of text on the page, in its unit: page.css has the same font, and page.js the same numbers.
struct report_font {
  static constexpr std::uint32_t title_height = 22;
  static constexpr std::uint32_t line_height = 17;
  static constexpr std::uint32_t padding = 8;
  static constexpr std::uint32_t longest_line = 92; ///< characters; the page cuts longer ones

  static std::uint32_t width(std::size_t characters) {
    return static_cast<std::uint32_t>(std::min<std::size_t>(characters, longest_line) * 74 / 10) + 2 * padding;
  }

  /// The size of a block on the page.
  static midend::layout_extent extent(const report_block& block) {
    if (block.name.empty()) {
      return {};
    }
    constexpr std::size_t mark_width = 2; // before each line
    std::size_t longest = block.name.size() + 2 + block.note.size();
    for (const report_line& line : block.lines) {
      longest = std::max(longest, line.text.size() + mark_width);
    }
    const auto lines = static_cast<std::uint32_t>(block.lines.size());
    return {width(std::max<std::size_t>(longest, 6)), title_height + (lines == 0 ? 0 : lines * line_height + padding)};
  }
};

/// Lays out graphs one after another.
class report_painter {
public:
  /// Appends members of a JSON object: the size, blocks, edges and loops. `blocks` are by node, `edges` by the id of
  /// the edge.
  template <class G>
  void append(std::string& out, const G& g, const std::vector<report_block>& blocks,
              const std::vector<report_edge>& edges) {
    const midend::dominator_tree tree = midend::dominators(g);
    const midend::loop_forest loops = midend::natural_loops(g, tree);
    midend::layout(
        g, loops, [&](midend::node_id n) { return report_font::extent(blocks[n]); }, {}, workspace_, picture_);
    midend_tool::append(out, "\"w\":", picture_.width(), ",\"h\":", picture_.height());
    append_blocks(out, tree, loops, blocks);
    append_edges(out, g, tree, edges);
    append_loops(out, loops, blocks);
  }

private:
  void append_blocks(std::string& out, const midend::dominator_tree& tree, const midend::loop_forest& loops,
                     const std::vector<report_block>& blocks) const {
    out += ",\"blocks\":[";
    std::string_view separator = "\n";
    for (midend::node_id n = 0; n != blocks.size(); ++n) {
      const report_block& block = blocks[n];
      if (block.name.empty()) {
        continue;
      }
      const midend::layout_box& box = picture_.node(n);
      midend_tool::append(out, separator, "{\"i\":", n, ",");
      append_json_member(out, "", "n", block.name);
      midend_tool::append(out, ",\"x\":", box.left, ",\"y\":", box.top, ",\"w\":", box.width, ",\"h\":", box.height,
                          ",\"d\":", loops.loop_depth(n));
      if (loops.is_header(n)) {
        out += ",\"header\":1";
      }
      if (!tree.is_reachable(n)) {
        out += ",\"unreachable\":1";
      } else if (tree.immediate_dominator(n) != midend::no_node) {
        midend_tool::append(out, ",\"dom\":", tree.immediate_dominator(n));
      }
      if (!block.note.empty()) {
        append_json_member(out, ",", "note", block.note);
      }
      if (block.mark != ' ') {
        append_json_member(out, ",", "m", {&block.mark, 1});
      }
      if (block.is_dead) {
        out += ",\"dead\":1";
      }
      if (block.heat >= 0) {
        midend_tool::append(out, ",\"heat\":", static_cast<int>(block.heat * 100 + 0.5));
      }
      append_lines(out, block.lines);
      out += '}';
      separator = ",\n";
    }
    out += ']';
  }

  static void append_lines(std::string& out, const std::vector<report_line>& lines) {
    if (lines.empty()) {
      return;
    }
    out += ",\"o\":[";
    for (const report_line& line : lines) {
      midend_tool::append(out, &line == lines.data() ? "" : ",", "[", line.id, ",");
      append_json_string(out, line.text);
      if (line.mark != ' ' || !line.fact.empty()) {
        out += ',';
        append_json_string(out, {&line.mark, 1});
      }
      if (!line.fact.empty()) {
        out += ',';
        append_json_string(out, line.fact);
      }
      out += ']';
    }
    out += ']';
  }

  template <class G>
  void append_edges(std::string& out, const G& g, const midend::dominator_tree& tree,
                    const std::vector<report_edge>& edges) const {
    const auto kinds = midend::edge_kinds(g, midend::depth_first_order(g));
    out += ",\"edges\":[";
    std::string_view separator = "\n";
    const auto write = [&](midend::edge_id e, midend::node_id source, midend::node_id target) {
      const auto line = picture_.route(e);
      if (line.empty()) {
        return;
      }
      midend_tool::append(out, separator, "{\"s\":", source, ",\"t\":", target);
      separator = ",\n";
      if (!edges[e].label.empty()) {
        append_json_member(out, ",", "l", edges[e].label);
      }
      if (!tree.is_reachable(source)) {
        out += ",\"k\":\"unreachable\"";
      } else if (tree.dominates(target, source)) {
        out += ",\"k\":\"back\"";
      } else if (kinds[e] == midend::edge_kind::back) {
        out += ",\"k\":\"retreating\"";
      }
      out += ",\"p\":[";
      for (const midend::layout_point& point : line) {
        midend_tool::append(out, &point == line.begin() ? "" : ",", point.x, ",", point.y);
      }
      out += "]}";
    };
    for (midend::node_id n = 0; n != g.num_nodes(); ++n) {
      for (const midend::edge_id e : g.out_edges(n)) {
        write(e, n, g.edge_target(e));
      }
    }
    out += ']';
  }

  void append_loops(std::string& out, const midend::loop_forest& loops, const std::vector<report_block>& blocks) const {
    out += ",\"loops\":[";
    for (const midend::loop_id l : loops.loops()) {
      const midend::layout_box& box = picture_.loop(l);
      const std::int64_t parent = loops.parent(l) == midend::no_loop ? -1 : std::int64_t{loops.parent(l)};
      midend_tool::append(out, l == 0 ? "\n" : ",\n", "{\"header\":", loops.header(l), ",\"parent\":", parent,
                          ",\"d\":", loops.depth(l), ",\"n\":", loops.blocks(l).size(), ",\"x\":", box.left,
                          ",\"y\":", box.top, ",\"w\":", box.width, ",\"h\":", box.height);
      if (loops.is_statically_infinite(l)) {
        out += ",\"endless\":1";
      }
      append_json_member(out, ",", "name", blocks[loops.header(l)].name);
      out += '}';
    }
    out += ']';
  }

  midend::layout_workspace workspace_;
  midend::graph_layout picture_;
};

} // namespace midend_tool
