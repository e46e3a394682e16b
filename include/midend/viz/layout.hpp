/// Positions for nodes and edges of a control-flow graph: a layered layout by its loops.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/detail/out_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The size of a node, in the unit of the picture. A node of width 0 is not drawn, and its edges are not either.
struct layout_extent {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};

/// A point; y grows downwards.
struct layout_point {
  std::int64_t x = 0;
  std::int64_t y = 0;

  friend constexpr bool operator==(layout_point, layout_point) = default;
};

/// A rectangle. All members are 0 if nothing is drawn.
struct layout_box {
  std::int64_t left = 0;
  std::int64_t top = 0;
  std::int64_t width = 0;
  std::int64_t height = 0;

  constexpr std::int64_t right() const { return left + width; }

  constexpr std::int64_t bottom() const { return top + height; }

  constexpr std::int64_t middle() const { return left + width / 2; }

  constexpr bool is_empty() const { return width == 0; }

  friend constexpr bool operator==(layout_box, layout_box) = default;
};

/// Distances, in the unit of the picture.
struct layout_options {
  std::uint32_t node_gap = 28;     ///< between neighbours in a row
  std::uint32_t row_gap = 26;      ///< between rows, at least
  std::uint32_t line_gap = 8;      ///< between parallel lines
  std::uint32_t loop_padding = 12; ///< between the border of a loop and what is in it
  std::uint32_t loop_title = 18;   ///< room for a title at the top of a loop
  std::uint32_t longest_lane = 6;  ///< an edge across more rows than this runs at the side
  std::uint32_t most_ports = 8;    ///< a node with more edges than this lets them start at one point
};

/// `sizes(n)` returns the size of node `n`, a `layout_extent`.
template <class Sizes>
concept layout_sizes = requires(const Sizes& sizes, node_id n) {
  { sizes(n) } -> std::convertible_to<layout_extent>;
};

namespace detail {
struct layout_algorithm;
}

/// Positions of nodes, loops and edges.
class graph_layout {
public:
  std::size_t num_nodes() const { return nodes_.size(); }

  std::size_t num_loops() const { return loops_.size(); }

  std::size_t num_edges() const { return route_ends_.size(); }

  std::int64_t width() const { return width_; }

  std::int64_t height() const { return height_; }

  const layout_box& node(node_id n) const { return nodes_[n]; }

  /// The rectangle of a loop: it has all of its nodes and no other, and holds those of the loops inside it. Empty if no
  /// node of the loop is drawn.
  const layout_box& loop(loop_id l) const { return loops_[l]; }

  /// The corners of the line of an edge: it begins at the bottom of the source and ends at the top of the target. Lines
  /// are horizontal and vertical in turn. Empty if the edge is not drawn. `e` is the id that the graph gives, or the
  /// number of the edge, node by node in the order of the successors.
  span<const layout_point> route(edge_id e) const {
    const std::size_t first = e == 0 ? 0 : route_ends_[e - std::size_t{1}];
    return {points_.data() + first, points_.data() + route_ends_[e]};
  }

  /// Whether the edge is drawn upwards, at the left side: backedges, self loops, and one edge or more of each
  /// irreducible cycle.
  bool runs_up(edge_id e) const {
    const span<const layout_point> line = route(e);
    return !line.empty() && line[line.size() - 1].y < line[0].y;
  }

  /// The `epoch()` of the graph that was laid out.
  std::uint64_t epoch() const { return epoch_; }

private:
  friend detail::layout_algorithm;

  std::uint64_t epoch_ = 0;
  std::int64_t width_ = 0;
  std::int64_t height_ = 0;
  flat_array<layout_box> nodes_;
  flat_array<layout_box> loops_;
  flat_array<std::size_t> route_ends_; ///< by edge, in `points_`
  flat_array<layout_point> points_;
};

namespace detail {

inline constexpr std::uint32_t layout_none = 0xffff'ffff;

/// A part of an edge, within one region. A *region* is a loop without the loops inside it, or the nodes outside of all
/// loops; its *items* are its nodes and the regions directly inside it, which are boxes by then.
struct layout_link {
  std::uint32_t region = layout_none;
  std::uint32_t source = layout_none; ///< an item, or none: the link enters the region at its top
  std::uint32_t target = layout_none; ///< an item, or none: the link leaves the region at its bottom
  std::uint32_t next = layout_none;   ///< the link that goes on in the region around or inside
};

/// A sort entry: `id` by `major`, then `minor`, then `id` itself.
struct layout_key {
  std::int64_t major;
  std::int64_t minor;
  std::uint32_t id;

  friend bool operator<(const layout_key& a, const layout_key& b) {
    return a.major != b.major ? a.major < b.major : a.minor != b.minor ? a.minor < b.minor : a.id < b.id;
  }

  friend bool operator<=(const layout_key& a, const layout_key& b) { return !(b < a); }
};

/// The kinds of things in the rows of a region.
enum class layout_kind : std::uint8_t {
  item,
  top,    ///< a point at the top border, where a link enters
  bottom, ///< a point at the bottom border, where links leave
  lane    ///< where links to one target cross a row
};

struct layout_vertex {
  layout_kind kind;
  std::uint32_t item;  ///< of an item
  std::uint32_t layer; ///< its row; 0 is the top border, the last one is the bottom border
  std::int64_t width;
  std::int64_t height;
  std::int64_t x;      ///< left
  std::uint32_t place; ///< in the row
};

/// The path of a link in the picture.
enum class layout_way : std::uint8_t {
  lane,      ///< from row to row
  side_down, ///< across many rows, at the right side
  side_up    ///< upwards, at the left side
};

/// A link in the region that is being laid out.
struct layout_line {
  std::uint32_t link;
  std::uint32_t upper; ///< vertices
  std::uint32_t lower;
  std::uint32_t slot;
  layout_way way;
  std::int64_t port;     ///< x where it leaves the upper vertex
  std::uint32_t segment; ///< below the upper vertex
};

/// Where lines end: a point at the top of a vertex.
struct layout_slot {
  std::uint32_t vertex;
  std::int64_t offset;                    ///< from the left of the vertex
  std::uint32_t lane_begin = layout_none; ///< the row above its lane
  std::uint32_t lane_first = layout_none; ///< the first vertex of the lane
  std::uint32_t down_begin = layout_none; ///< the highest row from which a line runs to it at the right side
  std::uint32_t up_begin = 0;             ///< the lowest row from which one runs to it at the left side, or 0
  std::int64_t down_x = 0;                ///< x of these lines; while they are made, their number
  std::int64_t up_x = 0;
  std::uint32_t down_segment = layout_none; ///< the last of them, above the vertex
  std::uint32_t up_segment = layout_none;
};

/// Two vertices in neighbouring rows that should stand below each other.
struct layout_step {
  std::uint32_t upper;
  std::uint32_t lower;
  std::int64_t upper_offset;
  std::int64_t lower_offset;
};

/// A horizontal part of a line, in the channel below a row.
struct layout_segment {
  std::uint32_t channel;
  std::uint32_t key; ///< segments with equal keys may lie on each other
  std::int64_t from; ///< x above
  std::int64_t to;   ///< x below
  std::uint32_t track = 0;
};

/// Segments of one key and direction in one channel.
struct layout_bundle {
  std::int64_t low;
  std::int64_t high;
  bool goes_right;
  std::uint32_t track;
};

/// A row or line number and x, for `assign_tracks`.
struct layout_front {
  std::int64_t x;
  std::uint32_t track;
};

/// Blocks of vertices that touch, for `place_row`.
struct layout_run {
  std::int64_t sum;
  std::int64_t weight;
  std::uint32_t count;

  std::int64_t mean() const { return sum >= 0 ? sum / weight : -((-sum + weight - 1) / weight); }
};

struct layout_frame {
  std::uint32_t vertex;
  std::uint32_t next;
};

/// The graph, and the state of the whole picture.
struct layout_memory {
  // The graph: edges in the order of nodes and successors.
  flat_array<std::uint32_t> edge_ids, sources, targets;
  flat_array<layout_extent> extents;
  flat_array<std::uint32_t> incoming_ends, incoming; ///< edges by target
  flat_array<std::uint8_t> is_reached;
  flat_array<std::uint32_t> work;

  // Regions: the loops, then the nodes that are in none, then unreachable nodes, then these two together.
  flat_array<std::uint32_t> region_of, parents, depths;
  flat_array<std::uint32_t> item_ends, items; ///< by region
  flat_array<std::uint32_t> exit_links, exit_targets, entry_links, entry_targets;

  flat_array<layout_link> links; ///< the first link of each edge, then the others
  flat_array<std::uint32_t> link_ends, links_of;
  flat_array<std::int64_t> entry_x, exit_x; ///< by link, in its region, and in the item that it comes from
  flat_array<std::uint32_t> slots_of_entries, bottoms_of_exits; ///< by link
  flat_array<layout_box> boxes;                                 ///< by item: nodes, then regions
  flat_array<std::uint32_t> point_begins, point_ends;           ///< by link
  flat_array<layout_point> points;                              ///< relative to the region

  // The region that is being laid out.
  flat_array<std::uint32_t> vertex_of; ///< by item
  flat_array<layout_vertex> vertices;
  flat_array<layout_line> lines;
  flat_array<layout_slot> slots;
  flat_array<std::uint32_t> slots_of; ///< by vertex
  flat_array<std::uint32_t> line_ends, lines_of, num_incoming;
  flat_array<std::uint32_t> preorder, finished, postorder; ///< by vertex; vertices; by vertex
  flat_array<layout_frame> search;
  flat_array<layout_step> steps;
  flat_array<std::uint32_t> upper_ends, upper_steps, lower_ends, lower_steps; ///< by vertex
  flat_array<std::uint32_t> row_ends, rows;                                   ///< vertices by row
  flat_array<layout_key> keys;
  flat_array<layout_run> runs;
  flat_array<layout_segment> segments;
  flat_array<std::uint32_t> lane_segments; ///< by vertex
  flat_array<std::uint32_t> channel_ends, channels;
  flat_array<layout_bundle> bundles;
  flat_array<std::uint32_t> bundle_of; ///< by position in a channel
  flat_array<layout_front> fronts;
  flat_array<std::uint32_t> track_counts; ///< by channel
  flat_array<std::int64_t> row_tops, row_heights, channel_tops;
  flat_array<std::uint32_t> rail_ends, rails, free_rails;
};

} // namespace detail

/// Memory for `layout` that is called again and again.
class layout_workspace {
  friend detail::layout_algorithm;

  detail::layout_memory memory_;
};

namespace detail {

struct layout_algorithm {
  template <class G, class Sizes>
  static void run(const G& g, const loop_forest& loops, const Sizes& sizes, const layout_options& options,
                  layout_workspace& workspace, graph_layout& out) {
    layout_memory& m = workspace.memory_;
    const node_id count = node_count(g);
    m.edge_ids.clear();
    m.sources.clear();
    m.targets.clear();
    for_each_edge(g, [&](edge_id e, node_id source, node_id target) {
      m.edge_ids.push_back(e);
      m.sources.push_back(source);
      m.targets.push_back(target);
    });
    m.extents.resize_for_overwrite(count);
    for (node_id n = 0; n != count; ++n) {
      m.extents[n] = sizes(n);
    }
    out.route_ends_.assign(count_edges(g), 0);
    out.epoch_ = graph_epoch(g);
    lay_out(count == 0 ? no_node : static_cast<node_id>(g.entry()), loops, options, m, out);
  }

private:
  static void lay_out(node_id entry, const loop_forest& loops, const layout_options& options, layout_memory& m,
                      graph_layout& out);
};

/// The size of nodes that have none: a short name.
struct layout_same_size {
  layout_extent extent{48, 24};

  layout_extent operator()(node_id) const { return extent; }
};

} // namespace detail

/// Draws `g` in rows, by its loops.
///
/// Each loop is a rectangle that has its nodes, the rectangles of the loops inside it, and nothing else: it is laid out
/// by itself and is then one box in the region around it. In each region the rows are those of Sugiyama, Tagawa and
/// Toda, "Methods for visual understanding of hierarchical system structures", IEEE Trans. SMC 11(2), 1981: an edge
/// leads to a lower row, so code after a loop stands below it; each row is ordered by the places of its neighbours.
/// Places in a row are the nearest to below the predecessors, by isotonic regression. Lines are horizontal and
/// vertical: they leave at the bottom of the source, turn in the channels between rows and arrive at the top of the
/// target; lines to one target join. No line crosses a node.
///
/// Edges that close a cycle run at the left side of the innermost region that has the cycle: backedges, self loops, and
/// of irreducible cycles those that retreat in a depth-first search. Edges across more than `longest_lane` rows run at
/// the right side. Each of several parallel edges has a line of its own out of the source. Unreachable nodes stand at
/// the right of the others.
///
/// Requires that `loops` is a loop forest of `g` (a forest made with `nesting_only` will do). Equal inputs give equal
/// pictures, on every platform. O(n + m log m), for each edge also the loops that it leaves and at most `longest_lane`
/// rows; no recursion. Allocates nothing once the workspace and the result have seen a graph as large.
template <flow_graph_argument G, layout_sizes Sizes>
void layout(const G& g, const loop_forest& loops, const Sizes& sizes, const layout_options& options,
            layout_workspace& workspace, graph_layout& out) {
  MIDEND_ASSERT(loops.num_nodes() == g.num_nodes(), "the loops of this graph", loops.num_nodes(), g.num_nodes());
  detail::layout_algorithm::run(g, loops, sizes, options, workspace, out);
}

/// Returns the layout, with a workspace of its own.
template <flow_graph_argument G, layout_sizes Sizes>
graph_layout layout(const G& g, const loop_forest& loops, const Sizes& sizes, const layout_options& options = {}) {
  layout_workspace workspace;
  graph_layout out;
  layout(g, loops, sizes, options, workspace, out);
  return out;
}

/// Lays out nodes of 48 by 24.
template <flow_graph_argument G> graph_layout layout(const G& g, const loop_forest& loops) {
  return layout(g, loops, detail::layout_same_size());
}

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

#include "midend/support/order.hpp"
#include "midend/support/sort.hpp"

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Lays out one region; the regions inside it are done.
class layout_region {
public:
  layout_region(layout_memory& m, const layout_options& options, std::uint32_t region, std::uint32_t first,
                bool is_loop, bool is_outermost)
      : m_(m), options_(options), region_(region), first_(first), is_loop_(is_loop), is_outermost_(is_outermost),
        num_nodes_(static_cast<std::uint32_t>(m.extents.size())) {}

  void run() {
    collect_items();
    collect_lines();
    search();
    assign_rows();
    choose_ways();
    make_lanes();
    index_rows();
    order_rows();
    place_rows();
    choose_ports();
    place_sides();
    make_segments();
    assign_tracks();
    place_channels();
    keep_boxes();
    draw_lines();
  }

private:
  std::int64_t gap() const { return options_.line_gap; }

  std::uint32_t add_vertex(layout_kind kind, std::uint32_t item, std::uint32_t row, std::int64_t width,
                           std::int64_t height) {
    m_.vertices.push_back({kind, item, row, width, height, 0, 0});
    m_.slots_of.push_back(layout_none);
    return static_cast<std::uint32_t>(m_.vertices.size() - 1);
  }

  void add_item(std::uint32_t item) {
    const layout_box& box = m_.boxes[item];
    m_.vertex_of[item] = add_vertex(layout_kind::item, item, 1, box.width, box.height);
  }

  /// The first item, where control enters, is vertex 0.
  void collect_items() {
    m_.vertices.clear();
    m_.slots_of.clear();
    if (first_ != layout_none) {
      add_item(first_);
    }
    for (std::uint32_t i = region_ == 0 ? 0 : m_.item_ends[region_ - std::size_t{1}]; i != m_.item_ends[region_]; ++i) {
      if (m_.items[i] != first_) {
        add_item(m_.items[i]);
      }
    }
    num_items_ = static_cast<std::uint32_t>(m_.vertices.size());
  }

  std::uint32_t add_slot(std::uint32_t vertex, std::int64_t offset) {
    m_.slots.push_back({vertex, offset});
    return static_cast<std::uint32_t>(m_.slots.size() - 1);
  }

  bool is_node(std::uint32_t vertex) const {
    return m_.vertices[vertex].kind == layout_kind::item && m_.vertices[vertex].item < num_nodes_;
  }

  /// Where a link arrives: in the middle of a node, at a point of the top of a loop, at a point of the bottom border.
  std::uint32_t slot_of(const layout_link& link, std::uint32_t lower) {
    if (link.target == layout_none || is_node(lower)) {
      std::uint32_t& slot = m_.slots_of[lower];
      if (slot == layout_none) {
        const std::uint32_t fresh = add_slot(lower, m_.vertices[lower].width / 2);
        slot = fresh;
      }
      return slot;
    }
    std::uint32_t& slot = m_.slots_of_entries[link.next];
    if (slot == layout_none) {
      slot = add_slot(lower, m_.entry_x[link.next]);
    }
    return slot;
  }

  void collect_lines() {
    m_.lines.clear();
    m_.slots.clear();
    for (std::uint32_t i = region_ == 0 ? 0 : m_.link_ends[region_ - std::size_t{1}]; i != m_.link_ends[region_]; ++i) {
      const std::uint32_t k = m_.links_of[i];
      const layout_link link = m_.links[k];
      const std::uint32_t upper =
          link.source == layout_none ? add_vertex(layout_kind::top, layout_none, 0, 0, 0) : m_.vertex_of[link.source];
      std::uint32_t lower;
      if (link.target != layout_none) {
        lower = m_.vertex_of[link.target];
      } else {
        std::uint32_t& bottom = m_.bottoms_of_exits[link.next];
        if (bottom == layout_none) {
          bottom = add_vertex(layout_kind::bottom, layout_none, 0, 0, 0);
        }
        lower = bottom;
      }
      m_.lines.push_back({k, upper, lower, slot_of(link, lower), layout_way::lane, 0, layout_none});
    }
    num_fixed_ = static_cast<std::uint32_t>(m_.vertices.size());
    index(m_.line_ends, m_.lines_of, num_fixed_, m_.lines, [](const layout_line& line) { return line.upper; });
  }

  /// Numbers of `things` by `key`, stable.
  template <class Things, class Key>
  static void index(flat_array<std::uint32_t>& ends, flat_array<std::uint32_t>& order, std::size_t keys,
                    const Things& things, Key key) {
    ends.assign(keys + 1, 0);
    const auto count = static_cast<std::uint32_t>(things.size());
    for (std::uint32_t i = 0; i != count; ++i) {
      ++ends[key(things[i]) + std::size_t{1}];
    }
    counts_to_ends({ends.data(), ends.size()});
    order.resize_for_overwrite(count);
    for (std::uint32_t i = 0; i != count; ++i) {
      order[ends[key(things[i])]++] = i;
    }
    ends.pop_back(); // what was a beginning is now an end
  }

  static std::uint32_t begin_of(const flat_array<std::uint32_t>& ends, std::uint32_t i) {
    return i == 0 ? 0 : ends[i - std::size_t{1}];
  }

  /// Depth first: from where control enters, then from items without predecessor here, then from the rest.
  void search() {
    m_.preorder.assign(num_fixed_, layout_none);
    m_.postorder.assign(num_fixed_, layout_none);
    m_.finished.clear();
    m_.num_incoming.assign(num_fixed_, 0);
    for (const layout_line& line : m_.lines) {
      m_.num_incoming[line.lower] += line.upper != line.lower ? 1u : 0u;
    }
    next_preorder_ = 0;
    if (num_items_ != 0) {
      search_from(0);
    }
    for (std::uint32_t v = 0; v != num_fixed_; ++v) {
      if (m_.num_incoming[v] == 0) {
        search_from(v);
      }
    }
    for (std::uint32_t v = 0; v != num_fixed_; ++v) {
      search_from(v);
    }
  }

  void search_from(std::uint32_t root) {
    if (m_.preorder[root] != layout_none) {
      return;
    }
    m_.preorder[root] = next_preorder_++;
    m_.search.clear();
    m_.search.push_back({root, begin_of(m_.line_ends, root)});
    while (!m_.search.empty()) {
      layout_frame& frame = m_.search.back();
      if (frame.next == m_.line_ends[frame.vertex]) {
        m_.postorder[frame.vertex] = static_cast<std::uint32_t>(m_.finished.size());
        m_.finished.push_back(frame.vertex);
        m_.search.pop_back();
        continue;
      }
      const std::uint32_t target = m_.lines[m_.lines_of[frame.next++]].lower;
      if (m_.preorder[target] == layout_none) {
        m_.preorder[target] = next_preorder_++;
        m_.search.push_back({target, begin_of(m_.line_ends, target)});
      }
    }
  }

  /// Retreating lines run up, and all from inside a loop to its header; the two parts of the outermost region stand
  /// side by side.
  bool runs_up(const layout_line& line) const {
    return is_outermost_ || m_.postorder[line.upper] <= m_.postorder[line.lower] ||
           (is_loop_ && first_ != layout_none && line.lower == 0 && m_.vertices[line.upper].kind == layout_kind::item);
  }

  /// The longest path; the bottom border is one below.
  void assign_rows() {
    last_row_ = 1;
    for (std::size_t i = m_.finished.size(); i-- != 0;) {
      const std::uint32_t v = m_.finished[i];
      const std::uint32_t row = m_.vertices[v].layer;
      last_row_ = max(last_row_, row);
      for (std::uint32_t j = begin_of(m_.line_ends, v); j != m_.line_ends[v]; ++j) {
        const layout_line& line = m_.lines[m_.lines_of[j]];
        layout_vertex& lower = m_.vertices[line.lower];
        if (lower.kind == layout_kind::item && !runs_up(line)) {
          lower.layer = max(lower.layer, row + 1);
        }
      }
    }
    for (std::uint32_t v = num_items_; v != num_fixed_; ++v) {
      if (m_.vertices[v].kind == layout_kind::bottom) {
        m_.vertices[v].layer = last_row_ + 1;
      }
    }
    num_rows_ = last_row_ + 2;
  }

  void choose_ways() {
    for (layout_line& line : m_.lines) {
      layout_slot& slot = m_.slots[line.slot];
      const std::uint32_t upper = m_.vertices[line.upper].layer;
      const std::uint32_t lower = m_.vertices[line.lower].layer;
      if (runs_up(line)) {
        line.way = layout_way::side_up;
        slot.up_begin = max(slot.up_begin, upper);
      } else if (lower - upper > options_.longest_lane + std::uint64_t{1}) {
        line.way = layout_way::side_down;
        slot.down_begin = min(slot.down_begin, upper);
      } else {
        line.way = layout_way::lane;
        slot.lane_begin = min(slot.lane_begin, upper);
      }
    }
  }

  /// Lines to one slot share a lane through the rows between.
  void make_lanes() {
    m_.steps.clear();
    const auto num_slots = static_cast<std::uint32_t>(m_.slots.size());
    for (std::uint32_t s = 0; s != num_slots; ++s) {
      layout_slot& slot = m_.slots[s];
      if (slot.lane_begin == layout_none) {
        continue;
      }
      const std::uint32_t target_row = m_.vertices[slot.vertex].layer;
      slot.lane_first = static_cast<std::uint32_t>(m_.vertices.size());
      for (std::uint32_t row = slot.lane_begin + 1; row < target_row; ++row) {
        const std::uint32_t v = add_vertex(layout_kind::lane, s, row, 0, 0);
        const bool is_last = row + 1 == target_row;
        m_.steps.push_back({v, is_last ? slot.vertex : v + 1, 0, is_last ? slot.offset : 0});
      }
    }
    for (const layout_line& line : m_.lines) {
      if (line.way == layout_way::lane) {
        const std::uint32_t next = below(line.slot, m_.vertices[line.upper].layer);
        const std::int64_t offset = next == line.lower ? m_.slots[line.slot].offset : 0;
        m_.steps.push_back({line.upper, next, exit_offset(line), offset});
      }
    }
  }

  /// The vertex of the lane of a slot in the row below `row`, or the vertex of the slot.
  std::uint32_t below(std::uint32_t s, std::uint32_t row) const {
    const layout_slot& slot = m_.slots[s];
    return row + 1 == m_.vertices[slot.vertex].layer ? slot.vertex : slot.lane_first + (row - slot.lane_begin);
  }

  /// The place where a line leaves its upper vertex, as far as known before places are.
  std::int64_t exit_offset(const layout_line& line) const {
    const layout_vertex& upper = m_.vertices[line.upper];
    return upper.kind == layout_kind::item && upper.item >= num_nodes_ ? m_.exit_x[line.link] : upper.width / 2;
  }

  // The order in rows.

  /// Vertices by row, in each in the order of the depth-first search.
  void index_rows() {
    const auto count = static_cast<std::uint32_t>(m_.vertices.size());
    m_.keys.clear();
    for (std::uint32_t v = 0; v != num_fixed_; ++v) {
      m_.keys.push_back({2 * std::int64_t{m_.preorder[v]}, 0, v});
    }
    for (std::uint32_t v = num_fixed_; v != count; ++v) {
      m_.keys.push_back({0x7fff'ffff'ffff, 0, v});
    }
    for (const layout_step& step : m_.steps) { // lanes and borders stand where their first line comes from
      if (m_.vertices[step.lower].kind != layout_kind::item) {
        layout_key& key = m_.keys[step.lower];
        key.major = min(key.major, m_.keys[step.upper].major + 1);
      }
    }
    heap_sort(m_.keys.data(), m_.keys.size());
    m_.row_ends.assign(num_rows_ + std::size_t{1}, 0);
    for (const layout_vertex& v : m_.vertices) {
      ++m_.row_ends[v.layer + std::size_t{1}];
    }
    counts_to_ends({m_.row_ends.data(), m_.row_ends.size()});
    m_.rows.resize_for_overwrite(count);
    for (const layout_key& key : m_.keys) {
      m_.rows[m_.row_ends[m_.vertices[key.id].layer]++] = key.id;
    }
    m_.row_ends.pop_back();
    for (std::uint32_t row = 0; row != num_rows_; ++row) {
      number_row(row);
    }
    index(m_.upper_ends, m_.upper_steps, count, m_.steps, [](const layout_step& s) { return s.lower; });
    index(m_.lower_ends, m_.lower_steps, count, m_.steps, [](const layout_step& s) { return s.upper; });
  }

  void number_row(std::uint32_t row) {
    const std::uint32_t begin = begin_of(m_.row_ends, row);
    for (std::uint32_t i = begin; i != m_.row_ends[row]; ++i) {
      m_.vertices[m_.rows[i]].place = i - begin;
    }
  }

  void order_rows() {
    constexpr int rounds = 3;
    for (int round = 0; round != rounds; ++round) {
      for (std::uint32_t row = 1; row != num_rows_; ++row) {
        order_row(row, true);
      }
      if (round + 1 != rounds) {
        for (std::uint32_t row = num_rows_ - 1; row-- != 0;) {
          order_row(row, false);
        }
      }
    }
  }

  /// By the mean place of the neighbours above or below.
  void order_row(std::uint32_t row, bool looks_up) {
    const std::uint32_t begin = begin_of(m_.row_ends, row);
    const std::uint32_t end = m_.row_ends[row];
    if (end - begin < 2) {
      return;
    }
    const flat_array<std::uint32_t>& ends = looks_up ? m_.upper_ends : m_.lower_ends;
    const flat_array<std::uint32_t>& steps = looks_up ? m_.upper_steps : m_.lower_steps;
    m_.keys.clear();
    for (std::uint32_t i = begin; i != end; ++i) {
      const std::uint32_t v = m_.rows[i];
      std::int64_t sum = 0;
      const std::uint32_t first = begin_of(ends, v);
      for (std::uint32_t j = first; j != ends[v]; ++j) {
        const layout_step& step = m_.steps[steps[j]];
        sum += m_.vertices[looks_up ? step.upper : step.lower].place;
      }
      const std::int64_t count = ends[v] - first;
      m_.keys.push_back({count != 0 ? 256 * sum / count : 256 * std::int64_t{i - begin}, i - begin, v});
    }
    heap_sort(m_.keys.data(), m_.keys.size());
    for (std::uint32_t i = begin; i != end; ++i) {
      m_.rows[i] = m_.keys[i - begin].id;
    }
    number_row(row);
  }

  // Places in rows.

  void place_rows() {
    for (std::uint32_t row = 0; row != num_rows_; ++row) {
      place_row(row, true);
    }
    for (std::uint32_t row = num_rows_; row-- != 0;) {
      place_row(row, false);
    }
    for (std::uint32_t row = 0; row != num_rows_; ++row) {
      place_row(row, true);
    }
  }

  /// How far the left sides of neighbours are apart.
  std::int64_t distance(const layout_vertex& left, const layout_vertex& right) const {
    const bool is_item = left.kind == layout_kind::item && right.kind == layout_kind::item;
    const bool is_line = left.kind != layout_kind::item && right.kind != layout_kind::item;
    if (is_item && (left.width == 0 || right.width == 0)) {
      return left.width; // a loop or the unreachable nodes, of which nothing is drawn
    }
    return left.width + (is_item   ? std::int64_t{options_.node_gap}
                         : is_line ? gap()
                                   : max(gap(), std::int64_t{options_.node_gap} / 2));
  }

  /// The places that are nearest to below (or above) the neighbours, with the least distances between: isotonic
  /// regression by merging neighbours that are too close (Barlow, Bartholomew, Bremner, Brunk, "Statistical inference
  /// under order restrictions", 1972).
  void place_row(std::uint32_t row, bool looks_up) {
    const std::uint32_t begin = begin_of(m_.row_ends, row);
    const std::uint32_t end = m_.row_ends[row];
    m_.runs.clear();
    std::int64_t offset = 0;
    for (std::uint32_t i = begin; i != end; ++i) {
      if (i != begin) {
        offset += distance(m_.vertices[m_.rows[i - std::size_t{1}]], m_.vertices[m_.rows[i]]);
      }
      std::int64_t weight = 0;
      const std::int64_t wish = wish_of(m_.rows[i], looks_up, weight);
      m_.runs.push_back({(wish - offset) * weight, weight, 1});
      while (m_.runs.size() > 1 && m_.runs.back().mean() < m_.runs[m_.runs.size() - 2].mean()) {
        const layout_run last = m_.runs.back();
        m_.runs.pop_back();
        m_.runs.back().sum += last.sum;
        m_.runs.back().weight += last.weight;
        m_.runs.back().count += last.count;
      }
    }
    std::uint32_t i = begin;
    offset = 0;
    for (const layout_run& run : m_.runs) {
      for (std::uint32_t last = i + run.count; i != last; ++i) {
        if (i != begin) {
          offset += distance(m_.vertices[m_.rows[i - std::size_t{1}]], m_.vertices[m_.rows[i]]);
        }
        m_.vertices[m_.rows[i]].x = run.mean() + offset;
      }
    }
  }

  /// Lanes are straight, and bend where they begin. Items stand at the middle of the items that lead to them; of lanes
  /// only if there are no items.
  std::int64_t wish_of(std::uint32_t v, bool looks_up, std::int64_t& weight) const {
    const flat_array<std::uint32_t>& ends = looks_up ? m_.upper_ends : m_.lower_ends;
    const flat_array<std::uint32_t>& steps = looks_up ? m_.upper_steps : m_.lower_steps;
    const bool is_lane = m_.vertices[v].kind == layout_kind::lane;
    layout_run items{0, 0, 0};
    layout_run lanes{0, 0, 0};
    for (std::uint32_t j = begin_of(ends, v); j != ends[v]; ++j) {
      const layout_step& step = m_.steps[steps[j]];
      const layout_vertex& other = m_.vertices[looks_up ? step.upper : step.lower];
      layout_run& sum = other.kind == layout_kind::lane ? lanes : items;
      sum.sum += other.x + (looks_up ? step.upper_offset - step.lower_offset : step.lower_offset - step.upper_offset);
      ++sum.weight;
    }
    constexpr std::int64_t of_straight_lanes = 32;
    constexpr std::int64_t of_items = 8;
    if (is_lane && lanes.weight != 0) {
      weight = of_straight_lanes;
      return lanes.mean();
    }
    weight = is_lane || items.weight + lanes.weight == 0 ? 1 : of_items;
    return items.weight != 0 ? items.mean() : lanes.weight != 0 ? lanes.mean() : m_.vertices[v].x;
  }

  // Lines.

  std::int64_t x_of(std::uint32_t s) const { return m_.vertices[m_.slots[s].vertex].x + m_.slots[s].offset; }

  std::uint32_t num_lines_of(std::uint32_t v) const { return m_.line_ends[v] - begin_of(m_.line_ends, v); }

  bool has_one_port(std::uint32_t v) const { return is_node(v) && num_lines_of(v) > options_.most_ports; }

  /// The lines of a node leave side by side, in the order in which they go on, each as straight down as there is room.
  void choose_ports() {
    std::int64_t left = 0;
    for (std::size_t v = 0; v != m_.vertices.size(); ++v) {
      left = v == 0 ? m_.vertices[v].x : min(left, m_.vertices[v].x);
    }
    content_width_ = 0;
    for (layout_vertex& v : m_.vertices) {
      v.x -= left;
      content_width_ = max(content_width_, v.x + v.width);
    }
    for (std::uint32_t v = 0; v != num_fixed_; ++v) {
      if (is_node(v) && !has_one_port(v)) {
        spread_ports(v);
      } else {
        for (std::uint32_t j = begin_of(m_.line_ends, v); j != m_.line_ends[v]; ++j) {
          layout_line& line = m_.lines[m_.lines_of[j]];
          line.port = m_.vertices[v].x + exit_offset(line);
        }
      }
    }
  }

  void spread_ports(std::uint32_t v) {
    constexpr std::int64_t far = std::int64_t{1} << 60;
    m_.keys.clear();
    for (std::uint32_t j = begin_of(m_.line_ends, v); j != m_.line_ends[v]; ++j) {
      const std::uint32_t l = m_.lines_of[j];
      const layout_line& line = m_.lines[l];
      std::int64_t x = line.way == layout_way::side_up ? -far : far;
      if (line.way == layout_way::lane) {
        const std::uint32_t next = below(line.slot, m_.vertices[v].layer);
        x = m_.vertices[next].x + (next == line.lower ? m_.slots[line.slot].offset : 0);
      }
      m_.keys.push_back({x, 0, l});
    }
    if (m_.keys.empty()) {
      return;
    }
    heap_sort(m_.keys.data(), m_.keys.size());
    const layout_vertex& node = m_.vertices[v];
    const auto others = static_cast<std::int64_t>(m_.keys.size() - 1);
    const std::int64_t margin = min(node.width / 4, 2 * gap());
    const std::int64_t room = node.width - 2 * margin;
    const std::int64_t step = others == 0 ? 0 : min(2 * gap(), room / (2 * others)); // so that the middle can be used
    std::int64_t least = node.x + margin;
    for (std::int64_t i = 0; i <= others; ++i) {
      const layout_key& key = m_.keys[static_cast<std::size_t>(i)];
      const std::int64_t most = node.x + margin + room - (others - i) * step;
      const std::int64_t x = others == 0 && m_.lines[key.id].way != layout_way::lane ? node.x + node.width / 2
                                                                                     : max(least, min(most, key.major));
      m_.lines[key.id].port = x;
      least = x + step;
    }
  }

  /// Sets x of the lines at the sides: those that share a channel are apart, long ones are outside.
  void place_sides() {
    const std::uint32_t num_up = number_rails(true);
    const std::uint32_t num_down = number_rails(false);
    const std::int64_t padding = is_loop_ ? options_.loop_padding : 0;
    const std::int64_t left = padding + num_up * gap();
    const std::int64_t right = left + content_width_;
    width_ = right + num_down * gap() + padding;
    for (layout_vertex& v : m_.vertices) {
      v.x += left;
    }
    for (layout_line& line : m_.lines) {
      line.port += left;
    }
    for (layout_slot& slot : m_.slots) {
      slot.up_x = padding + slot.up_x * gap();
      slot.down_x = right + (num_down - slot.down_x) * gap();
    }
  }

  /// Numbers the lines of one side from outside; returns how many stand side by side.
  std::uint32_t number_rails(bool up) {
    const auto top_of = [&](const layout_slot& s) { return up ? m_.vertices[s.vertex].layer - 1 : s.down_begin; };
    const auto bottom_of = [&](const layout_slot& s) { return up ? s.up_begin : m_.vertices[s.vertex].layer - 1; };
    m_.keys.clear();
    for (std::uint32_t s = 0; s != m_.slots.size(); ++s) {
      if (up ? m_.slots[s].up_begin != 0 : m_.slots[s].down_begin != layout_none) {
        m_.keys.push_back({top_of(m_.slots[s]), -std::int64_t{bottom_of(m_.slots[s])}, s});
      }
    }
    heap_sort(m_.keys.data(), m_.keys.size());
    index(m_.rail_ends, m_.rails, num_rows_, m_.keys,
          [&](const layout_key& key) { return bottom_of(m_.slots[key.id]); });
    m_.free_rails.clear();
    std::uint32_t count = 0;
    std::size_t next = 0;
    for (std::uint32_t row = 0; row != num_rows_; ++row) {
      for (; next != m_.keys.size() && m_.keys[next].major == row; ++next) {
        std::uint32_t number = count;
        if (m_.free_rails.empty()) {
          ++count;
        } else {
          number = m_.free_rails.back();
          m_.free_rails.pop_back();
        }
        layout_slot& slot = m_.slots[m_.keys[next].id];
        (up ? slot.up_x : slot.down_x) = number;
      }
      for (std::uint32_t i = begin_of(m_.rail_ends, row); i != m_.rail_ends[row]; ++i) {
        const layout_slot& slot = m_.slots[m_.keys[m_.rails[i]].id];
        m_.free_rails.push_back(static_cast<std::uint32_t>(up ? slot.up_x : slot.down_x));
      }
    }
    return count;
  }

  /// Where lines that run up arrive: beside the middle of a node, where the others arrive.
  std::int64_t up_x_of(std::uint32_t s) const {
    const layout_vertex& v = m_.vertices[m_.slots[s].vertex];
    return x_of(s) - (is_node(m_.slots[s].vertex) ? min(v.width / 4, 2 * gap()) : 0);
  }

  std::uint32_t add_segment(std::uint32_t channel, std::uint32_t key, std::int64_t from, std::int64_t to) {
    if (from == to) {
      return layout_none;
    }
    m_.segments.push_back({channel, key, from, to});
    return static_cast<std::uint32_t>(m_.segments.size() - 1);
  }

  void make_segments() {
    m_.segments.clear();
    const auto num_slots = static_cast<std::uint32_t>(m_.slots.size());
    for (layout_line& line : m_.lines) {
      const layout_slot& slot = m_.slots[line.slot];
      const std::uint32_t row = m_.vertices[line.upper].layer;
      std::uint32_t key = 2 * line.slot + (line.way == layout_way::side_up ? 1u : 0u);
      std::int64_t to = line.way == layout_way::side_up ? slot.up_x : slot.down_x;
      if (line.way == layout_way::lane) {
        to = x_below(line.slot, row);
      }
      if (has_one_port(line.upper)) {
        key = 2 * num_slots + line.upper;
      }
      line.segment = add_segment(row, key, line.port, to);
    }
    m_.lane_segments.assign(m_.vertices.size(), layout_none);
    for (auto v = num_fixed_; v != m_.vertices.size(); ++v) {
      const layout_vertex& lane = m_.vertices[v];
      m_.lane_segments[v] = add_segment(lane.layer, 2 * lane.item, lane.x, x_below(lane.item, lane.layer));
    }
    for (std::uint32_t s = 0; s != num_slots; ++s) {
      layout_slot& slot = m_.slots[s];
      const std::uint32_t channel = m_.vertices[slot.vertex].layer - 1;
      if (slot.up_begin != 0) {
        slot.up_segment = add_segment(channel, 2 * s + 1, slot.up_x, up_x_of(s));
      }
      if (slot.down_begin != layout_none) {
        slot.down_segment = add_segment(channel, 2 * s, slot.down_x, x_of(s));
      }
    }
  }

  /// x at which lines to a slot reach the row below `row`.
  std::int64_t x_below(std::uint32_t s, std::uint32_t row) const {
    const std::uint32_t next = below(s, row);
    return next == m_.slots[s].vertex ? x_of(s) : m_.vertices[next].x;
  }

  void assign_tracks() {
    index(m_.channel_ends, m_.channels, num_rows_, m_.segments, [](const layout_segment& s) { return s.channel; });
    m_.track_counts.assign(num_rows_, 0);
    for (std::uint32_t channel = 0; channel != num_rows_; ++channel) {
      const std::uint32_t begin = begin_of(m_.channel_ends, channel);
      const std::uint32_t count = m_.channel_ends[channel] - begin;
      if (count != 0) {
        bundle_segments(begin, count);
        number_tracks(true);
        number_tracks(false);
        m_.track_counts[channel] = separate_directions();
        for (std::uint32_t i = 0; i != count; ++i) {
          m_.segments[m_.channels[begin + i]].track = m_.bundles[m_.bundle_of[i]].track;
        }
      }
    }
  }

  /// Joins segments with equal keys and directions.
  void bundle_segments(std::uint32_t begin, std::uint32_t count) {
    m_.keys.clear();
    for (std::uint32_t i = 0; i != count; ++i) {
      const layout_segment& s = m_.segments[m_.channels[begin + i]];
      m_.keys.push_back({2 * std::int64_t{s.key} + (s.from < s.to ? 1 : 0), 0, i});
    }
    heap_sort(m_.keys.data(), m_.keys.size());
    m_.bundles.clear();
    m_.bundle_of.resize_for_overwrite(count);
    for (std::uint32_t i = 0; i != count; ++i) {
      const layout_segment& s = m_.segments[m_.channels[begin + m_.keys[i].id]];
      const std::int64_t low = min(s.from, s.to);
      const std::int64_t high = max(s.from, s.to);
      if (i != 0 && m_.keys[i].major == m_.keys[i - 1].major) {
        m_.bundles.back().low = min(m_.bundles.back().low, low);
        m_.bundles.back().high = max(m_.bundles.back().high, high);
      } else {
        m_.bundles.push_back({low, high, s.from < s.to, 0});
      }
      m_.bundle_of[m_.keys[i].id] = static_cast<std::uint32_t>(m_.bundles.size() - 1);
    }
  }

  /// Those that come from further in their direction are higher, so those of one direction do not cross twice. A bundle
  /// is one below those of its direction that it meets.
  void number_tracks(bool right) {
    m_.keys.clear();
    for (std::uint32_t b = 0; b != m_.bundles.size(); ++b) {
      const layout_bundle& bundle = m_.bundles[b];
      if (bundle.goes_right == right) {
        m_.keys.push_back({right ? -bundle.low : bundle.high, right ? bundle.high : -bundle.low, b});
      }
    }
    heap_sort(m_.keys.data(), m_.keys.size());
    m_.fronts.clear(); // of those so far, the ones that no later one exceeds; their tracks fall
    for (const layout_key& key : m_.keys) {
      layout_bundle& bundle = m_.bundles[key.id];
      const std::int64_t reach = key.minor;
      std::size_t low = 0;
      std::size_t high = m_.fronts.size();
      while (low != high) { // the first that begins within reach
        const std::size_t middle = low + (high - low) / 2;
        if (m_.fronts[middle].x <= reach) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      bundle.track = low == m_.fronts.size() ? 0 : m_.fronts[low].track + 1;
      while (!m_.fronts.empty() && m_.fronts.back().track <= bundle.track) {
        m_.fronts.pop_back();
      }
      m_.fronts.push_back({-key.major, bundle.track});
    }
  }

  /// Where both directions meet, those to the left are below the others. Returns the number of tracks.
  std::uint32_t separate_directions() {
    m_.keys.clear();
    for (std::uint32_t b = 0; b != m_.bundles.size(); ++b) {
      m_.keys.push_back({m_.bundles[b].low, m_.bundles[b].high, b});
    }
    heap_sort(m_.keys.data(), m_.keys.size());
    std::uint32_t tracks = 0;
    for (std::size_t i = 0; i != m_.keys.size();) {
      std::int64_t end = m_.keys[i].minor;
      std::uint32_t below_right = 0;
      std::size_t j = i;
      for (; j != m_.keys.size() && (j == i || m_.keys[j].major < end); ++j) {
        end = max(end, m_.keys[j].minor);
        const layout_bundle& bundle = m_.bundles[m_.keys[j].id];
        below_right = bundle.goes_right ? max(below_right, bundle.track + 1) : below_right;
      }
      for (; i != j; ++i) {
        layout_bundle& bundle = m_.bundles[m_.keys[i].id];
        bundle.track += bundle.goes_right ? 0 : below_right;
        tracks = max(tracks, bundle.track + 1);
      }
    }
    return tracks;
  }

  /// y of rows and channels.
  void place_channels() {
    m_.row_heights.assign(num_rows_, 0);
    for (const layout_vertex& v : m_.vertices) {
      m_.row_heights[v.layer] = max(m_.row_heights[v.layer], v.height);
    }
    m_.row_tops.assign(num_rows_, 0);
    m_.channel_tops.assign(num_rows_, 0); // of the first track
    std::int64_t y = 0;
    for (std::uint32_t row = 0; row + 1 != num_rows_; ++row) {
      m_.row_tops[row] = y;
      y += m_.row_heights[row];
      const std::int64_t tracks = m_.track_counts[row];
      const std::int64_t lines = tracks == 0 ? 0 : (tracks - 1) * gap();
      if (row == 0) {
        const std::int64_t title = is_loop_ ? options_.loop_title : 0;
        const std::int64_t room = tracks != 0 ? lines + 2 * gap() : is_loop_ ? gap() : 0;
        m_.channel_tops[row] = y + title + gap() / 2;
        y += title + room;
      } else if (row + 2 == num_rows_) {
        m_.channel_tops[row] = y + gap();
        y += (tracks != 0 ? lines + gap() : 0) + (is_loop_ ? std::int64_t{options_.loop_padding} : 0);
      } else {
        const std::int64_t height = max(std::int64_t{options_.row_gap}, lines + 2 * gap());
        m_.channel_tops[row] = y + (height - lines) / 2;
        y += height;
      }
    }
    m_.row_tops[num_rows_ - std::size_t{1}] = y;
    height_ = y;
  }

  void keep_boxes() {
    for (std::uint32_t v = 0; v != num_items_; ++v) {
      const layout_vertex& vertex = m_.vertices[v];
      m_.boxes[vertex.item].left = vertex.x;
      m_.boxes[vertex.item].top = m_.row_tops[vertex.layer];
    }
    m_.boxes[num_nodes_ + region_] = content_width_ == 0 ? layout_box() : layout_box{0, 0, width_, height_};
  }

  void draw_lines() {
    for (const layout_line& line : m_.lines) {
      m_.point_begins[line.link] = static_cast<std::uint32_t>(m_.points.size());
      draw(line);
      m_.point_ends[line.link] = static_cast<std::uint32_t>(m_.points.size());
      const layout_link& link = m_.links[line.link];
      if (link.source == layout_none) {
        m_.entry_x[line.link] = line.port;
      }
      if (link.target == layout_none) {
        m_.exit_x[link.next] = x_of(line.slot);
      }
    }
  }

  void draw(const layout_line& line) {
    const layout_vertex& upper = m_.vertices[line.upper];
    const layout_slot& slot = m_.slots[line.slot];
    m_.points.push_back({line.port, m_.row_tops[upper.layer] + upper.height});
    turn(line.segment);
    std::int64_t x = x_of(line.slot);
    if (line.way == layout_way::side_up) {
      turn(slot.up_segment);
      x = up_x_of(line.slot);
    } else if (line.way == layout_way::side_down) {
      turn(slot.down_segment);
    } else {
      for (std::uint32_t v = below(line.slot, upper.layer); v != line.lower;
           v = below(line.slot, m_.vertices[v].layer)) {
        turn(m_.lane_segments[v]);
      }
    }
    m_.points.push_back({x, m_.row_tops[m_.vertices[line.lower].layer]});
  }

  void turn(std::uint32_t s) {
    if (s != layout_none) {
      const layout_segment& segment = m_.segments[s];
      const std::int64_t y = m_.channel_tops[segment.channel] + segment.track * gap();
      m_.points.push_back({segment.from, y});
      m_.points.push_back({segment.to, y});
    }
  }

  layout_memory& m_;
  const layout_options& options_;
  std::uint32_t region_;
  std::uint32_t first_;
  bool is_loop_;
  bool is_outermost_;
  std::uint32_t num_nodes_;
  std::uint32_t num_items_ = 0;
  std::uint32_t num_fixed_ = 0; ///< items and points at borders; lanes follow
  std::uint32_t next_preorder_ = 0;
  std::uint32_t last_row_ = 0;
  std::uint32_t num_rows_ = 0;
  std::int64_t content_width_ = 0;
  std::int64_t width_ = 0;
  std::int64_t height_ = 0;
};

/// Lists edges by target, and reachable nodes; leaves out undrawn nodes.
MIDEND_FUNCTION void layout_find_reached(layout_memory& m, node_id entry);
MIDEND_FUNCTION void layout_make_regions(layout_memory& m, const loop_forest& loops);
MIDEND_FUNCTION void layout_make_links(layout_memory& m);

MIDEND_FUNCTION void layout_find_reached(layout_memory& m, node_id entry) {
  const std::size_t count = m.extents.size();
  flat_array<std::uint32_t>& ends = m.item_ends; // of the outgoing edges; used for something else later
  ends.assign(count + 1, 0);
  m.incoming_ends.assign(count + 1, 0);
  for (std::size_t i = 0; i != m.sources.size(); ++i) {
    if (m.extents[m.sources[i]].width != 0 && m.extents[m.targets[i]].width != 0) {
      ++m.incoming_ends[m.targets[i] + std::size_t{1}];
    }
    ++ends[m.sources[i]];
  }
  counts_to_ends({m.incoming_ends.data(), m.incoming_ends.size()});
  counts_to_ends({ends.data(), ends.size()});
  m.incoming.resize_for_overwrite(m.incoming_ends[count]);
  for (std::uint32_t i = 0; i != m.sources.size(); ++i) {
    if (m.extents[m.sources[i]].width != 0 && m.extents[m.targets[i]].width != 0) {
      m.incoming[m.incoming_ends[m.targets[i]]++] = i;
    }
  }
  m.is_reached.assign(count, 0);
  m.work.clear();
  if (entry != no_node) {
    m.is_reached[entry] = 1;
    m.work.push_back(entry);
  }
  while (!m.work.empty()) {
    const std::uint32_t n = m.work.back();
    m.work.pop_back();
    for (std::uint32_t i = n == 0 ? 0 : ends[n - std::size_t{1}]; i != ends[n]; ++i) { // edges are grouped by source
      const std::uint32_t target = m.targets[i];
      if (m.is_reached[target] == 0) {
        m.is_reached[target] = 1;
        m.work.push_back(target);
      }
    }
  }
}

MIDEND_FUNCTION void layout_make_regions(layout_memory& m, const loop_forest& loops) {
  const auto num_nodes = static_cast<std::uint32_t>(m.extents.size());
  const auto num_loops = static_cast<std::uint32_t>(loops.num_loops());
  const std::uint32_t reached = num_loops;
  const std::uint32_t unreached = num_loops + 1;
  const std::uint32_t outermost = num_loops + 2;
  const std::uint32_t num_regions = num_loops + 3;
  m.parents.resize_for_overwrite(num_regions);
  m.depths.resize_for_overwrite(num_regions);
  for (const loop_id l : loops.loops()) {
    m.parents[l] = loops.parent(l) == no_loop ? reached : loops.parent(l);
    m.depths[l] = loops.depth(l) + 1;
  }
  m.parents[reached] = m.parents[unreached] = outermost;
  m.parents[outermost] = layout_none;
  m.depths[reached] = m.depths[unreached] = 1;
  m.depths[outermost] = 0;
  m.region_of.resize_for_overwrite(num_nodes);
  m.item_ends.assign(num_regions + std::size_t{1}, 0);
  m.boxes.assign(num_nodes + std::size_t{num_regions}, layout_box());
  const auto is_drawn = [&](std::uint32_t n) { return m.extents[n].width != 0; };
  for (std::uint32_t n = 0; n != num_nodes; ++n) {
    const loop_id l = loops.innermost_loop(n);
    m.region_of[n] = l != no_loop ? l : m.is_reached[n] != 0 ? reached : unreached;
    m.boxes[n].width = m.extents[n].width;
    m.boxes[n].height = m.extents[n].height;
    m.item_ends[m.region_of[n] + std::size_t{1}] += is_drawn(n) ? 1u : 0u;
  }
  for (std::uint32_t r = 0; r != outermost; ++r) {
    ++m.item_ends[m.parents[r] + std::size_t{1}];
  }
  counts_to_ends({m.item_ends.data(), m.item_ends.size()});
  m.items.resize_for_overwrite(m.item_ends[num_regions]);
  for (std::uint32_t n = 0; n != num_nodes; ++n) {
    if (is_drawn(n)) {
      m.items[m.item_ends[m.region_of[n]]++] = n;
    }
  }
  for (std::uint32_t r = 0; r != outermost; ++r) {
    m.items[m.item_ends[m.parents[r]]++] = num_nodes + r;
  }
}

/// The links of all edges. Links of different edges to one target are shared outside of the loop that they leave, and
/// in the loops that they enter.
MIDEND_FUNCTION void layout_make_links(layout_memory& m) {
  const auto num_nodes = static_cast<std::uint32_t>(m.extents.size());
  const std::size_t num_regions = m.parents.size();
  m.links.assign(m.sources.size(), layout_link());
  m.exit_links.assign(num_regions, layout_none);
  m.entry_links.assign(num_regions, layout_none);
  m.exit_targets.assign(num_regions, no_node);
  m.entry_targets.assign(num_regions, no_node);
  const auto add = [&](const layout_link& link) {
    m.links.push_back(link);
    return static_cast<std::uint32_t>(m.links.size() - 1);
  };
  for (node_id v = 0; v != num_nodes; ++v) {
    for (std::uint32_t i = v == 0 ? 0 : m.incoming_ends[v - std::size_t{1}]; i != m.incoming_ends[v]; ++i) {
      std::uint32_t current = m.incoming[i];
      std::uint32_t item = m.sources[current];
      std::uint32_t region = m.region_of[item];
      std::uint32_t common = region;
      for (std::uint32_t other = m.region_of[v]; common != other;) {
        (m.depths[common] >= m.depths[other] ? common : other) =
            m.depths[common] >= m.depths[other] ? m.parents[common] : m.parents[other];
      }
      bool is_shared = false;
      for (; region != common && !is_shared; region = m.parents[region]) {
        is_shared = m.exit_targets[region] == v;
        if (!is_shared) {
          m.exit_targets[region] = v;
          m.exit_links[region] = add({});
        }
        m.links[current] = {region, item, layout_none, m.exit_links[region]};
        current = m.exit_links[region];
        item = num_nodes + region;
      }
      if (is_shared) {
        continue;
      }
      std::uint32_t below = v;
      std::uint32_t next = layout_none;
      for (std::uint32_t r = m.region_of[v]; r != common; r = m.parents[r]) {
        if (m.entry_targets[r] != v) {
          m.entry_targets[r] = v;
          m.entry_links[r] = add({r, layout_none, below, next});
        }
        next = m.entry_links[r];
        below = num_nodes + r;
      }
      m.links[current] = {common, item, below, next};
    }
  }
}

MIDEND_FUNCTION void layout_algorithm::lay_out(node_id entry, const loop_forest& loops, const layout_options& options,
                                               layout_memory& m, graph_layout& out) {
  layout_find_reached(m, entry);
  layout_make_regions(m, loops);
  layout_make_links(m);
  const auto num_nodes = static_cast<std::uint32_t>(m.extents.size());
  const auto num_loops = static_cast<std::uint32_t>(loops.num_loops());
  const std::uint32_t outermost = num_loops + 2;

  m.link_ends.assign(m.parents.size() + 1, 0);
  std::uint32_t num_links = 0;
  for (const layout_link& link : m.links) {
    if (link.region != layout_none) {
      ++m.link_ends[link.region + std::size_t{1}];
      ++num_links;
    }
  }
  counts_to_ends({m.link_ends.data(), m.link_ends.size()});
  m.links_of.resize_for_overwrite(num_links);
  for (std::uint32_t k = 0; k != m.links.size(); ++k) {
    if (m.links[k].region != layout_none) {
      m.links_of[m.link_ends[m.links[k].region]++] = k;
    }
  }
  m.entry_x.assign(m.links.size(), 0);
  m.exit_x.assign(m.links.size(), 0);
  m.slots_of_entries.assign(m.links.size(), layout_none);
  m.bottoms_of_exits.assign(m.links.size(), layout_none);
  m.point_begins.assign(m.links.size(), 0);
  m.point_ends.assign(m.links.size(), 0);
  m.points.clear();
  m.vertex_of.assign(num_nodes + m.parents.size(), layout_none);

  const auto item_in = [&](node_id n, std::uint32_t region) { // the item of `region` that has `n`
    std::uint32_t item = n;
    std::uint32_t r = m.region_of[n];
    for (; r != region && r != outermost; r = m.parents[r]) {
      item = num_nodes + r;
    }
    return r == region && (item != n || m.extents[n].width != 0) ? item : layout_none;
  };
  for (std::uint32_t i = 0; i <= outermost; ++i) { // what is inside comes first
    const std::uint32_t region = i < num_loops ? num_loops - 1 - i : i;
    const bool is_loop = region < num_loops;
    const node_id first = is_loop ? loops.header(region) : region == num_loops ? entry : no_node;
    layout_region(m, options, region, first == no_node ? layout_none : item_in(first, region), is_loop,
                  region == outermost)
        .run();
  }

  // From the outside to the inside: positions in the whole picture.
  for (std::uint32_t i = outermost; i-- != 0;) {
    const std::uint32_t region = i < num_loops ? num_loops - 1 - i : i;
    m.boxes[num_nodes + region].left += m.boxes[num_nodes + m.parents[region]].left;
    m.boxes[num_nodes + region].top += m.boxes[num_nodes + m.parents[region]].top;
  }
  out.width_ = m.boxes[num_nodes + outermost].width;
  out.height_ = m.boxes[num_nodes + outermost].height;
  out.nodes_.resize_for_overwrite(num_nodes);
  for (std::uint32_t n = 0; n != num_nodes; ++n) {
    const layout_box& region = m.boxes[num_nodes + m.region_of[n]];
    const layout_box& box = m.boxes[n];
    out.nodes_[n] =
        box.width == 0 ? layout_box() : layout_box{region.left + box.left, region.top + box.top, box.width, box.height};
  }
  out.loops_.resize_for_overwrite(num_loops);
  for (std::uint32_t l = 0; l != num_loops; ++l) {
    const layout_box& box = m.boxes[num_nodes + l];
    out.loops_[l] = box.width == 0 ? layout_box() : box;
  }

  // Each edge is the points of its links, without those that lie between two others.
  out.points_.clear();
  const auto edges = static_cast<std::uint32_t>(m.edge_ids.size());
  m.work.assign(out.route_ends_.size(), layout_none);
  for (std::uint32_t i = 0; i != edges; ++i) {
    m.work[m.edge_ids[i]] = i;
  }
  for (std::size_t e = 0; e != out.route_ends_.size(); ++e) {
    const std::size_t begin = out.points_.size();
    const bool is_drawn = m.work[e] != layout_none && m.links[m.work[e]].region != layout_none;
    for (std::uint32_t k = is_drawn ? m.work[e] : layout_none; k != layout_none; k = m.links[k].next) {
      const layout_box& region = m.boxes[num_nodes + m.links[k].region];
      for (std::uint32_t p = m.point_begins[k]; p != m.point_ends[k]; ++p) {
        const layout_point point{region.left + m.points[p].x, region.top + m.points[p].y};
        const std::size_t count = out.points_.size() - begin;
        if (count != 0 && out.points_.back() == point) {
          continue;
        }
        if (count > 1) {
          const layout_point a = out.points_[out.points_.size() - 2];
          const layout_point b = out.points_.back();
          if ((a.x == b.x && b.x == point.x) || (a.y == b.y && b.y == point.y)) {
            out.points_.pop_back();
          }
        }
        out.points_.push_back(point);
      }
    }
    out.route_ends_[e] = out.points_.size();
  }
}

} // namespace detail

MIDEND_END_NAMESPACE

#endif
