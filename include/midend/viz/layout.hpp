/// Positions for nodes and edges of a control-flow graph: a layered layout by its loops.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/detail/out_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/viz/detail/layout_layers.hpp"
#include "midend/viz/detail/layout_lines.hpp"
#include "midend/viz/detail/layout_links.hpp"
#include "midend/viz/detail/layout_order.hpp"
#include "midend/viz/detail/layout_parts.hpp"
#include "midend/viz/detail/layout_places.hpp"
#include "midend/viz/detail/layout_ports.hpp"
#include "midend/viz/detail/layout_tracks.hpp"
#include "midend/viz/layout_options.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

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

/// Memory of all steps.
struct layout_memory {
  layout_picture picture;
  layout_link_memory link_memory;
  layout_parts parts;
  layout_part_memory part_memory;
  layout_search search;
  layout_steps steps;
  layout_groups rows;
  flat_array<layout_run> runs;
  layout_rail_memory rails;
  layout_segments segments;
  layout_track_memory tracks;
  layout_heights heights;
  flat_array<layout_key> keys;
  flat_array<std::uint32_t> edge_of; ///< by edge id
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
    layout_picture& picture = workspace.memory_.picture;
    const node_id count = node_count(g);
    picture.edge_ids.clear();
    picture.sources.clear();
    picture.targets.clear();
    for_each_edge(g, [&](edge_id e, node_id source, node_id target) {
      picture.edge_ids.push_back(e);
      picture.sources.push_back(source);
      picture.targets.push_back(target);
    });
    picture.extents.resize_for_overwrite(count);
    for (node_id n = 0; n != count; ++n) {
      picture.extents[n] = sizes(n);
    }
    out.route_ends_.assign(count_edges(g), 0);
    out.epoch_ = graph_epoch(g);
    lay_out(count == 0 ? no_node : static_cast<node_id>(g.entry()), loops, options, workspace.memory_, out);
  }

private:
  static void lay_out(node_id entry, const loop_forest& loops, const layout_options& options, layout_memory& m,
                      graph_layout& out);
  static void join_boxes(std::uint32_t num_loops, layout_picture& picture, graph_layout& out);
  static void join_routes(const layout_picture& picture, flat_array<std::uint32_t>& edge_of, graph_layout& out);
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

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Lays out one region; the regions inside it are done.
MIDEND_FUNCTION void lay_out_region(const layout_region& region, const layout_options& options, layout_memory& m);

MIDEND_FUNCTION void lay_out_region(const layout_region& region, const layout_options& options, layout_memory& m) {
  layout_picture& picture = m.picture;
  layout_parts& parts = m.parts;
  collect_parts(picture, region, m.part_memory, parts);
  search_parts(parts, m.search);
  assign_rows(region, m.search, parts);
  choose_paths(region, m.search, options.longest_lane, parts);
  make_lanes(picture, parts, m.steps);
  order_rows(m.steps, m.search.preorder, parts, m.keys, m.rows);
  const std::int64_t content_width = place_rows(m.rows, m.steps, options, parts, m.runs);
  choose_ports(picture, options, parts, m.keys);
  const std::int64_t width = place_sides(region, options, content_width, parts, m.keys, m.rails);
  make_segments(parts, options, m.segments);
  assign_tracks(parts.num_rows, m.segments, m.keys, m.tracks);
  stack_rows(region, options, parts, m.segments.num_tracks, m.heights);
  keep_boxes(region, parts, m.heights, content_width == 0 ? 0 : width, picture);
  draw_lines(options, parts, m.segments, m.heights, picture);
}

MIDEND_FUNCTION void layout_algorithm::lay_out(node_id entry, const loop_forest& loops, const layout_options& options,
                                               layout_memory& m, graph_layout& out) {
  layout_picture& picture = m.picture;
  find_reached(picture, entry, m.link_memory);
  make_regions(loops, m.link_memory.is_reached, picture);
  make_links(picture, m.link_memory);
  m.part_memory.prepare(picture);
  picture.entry_x.assign(picture.links.size(), 0);
  picture.exit_x.assign(picture.links.size(), 0);
  picture.point_begins.assign(picture.links.size(), 0);
  picture.point_ends.assign(picture.links.size(), 0);
  picture.points.clear();

  const std::uint32_t num_nodes = picture.num_nodes();
  const auto num_loops = static_cast<std::uint32_t>(loops.num_loops());
  const std::uint32_t outermost = picture.outermost();
  const auto item_in = [&](node_id n, std::uint32_t region) { // the item of `region` that has `n`
    std::uint32_t item = n;
    std::uint32_t r = picture.region_of[n];
    for (; r != region && r != outermost; r = picture.parents[r]) {
      item = num_nodes + r;
    }
    return r == region && (item != n || picture.extents[n].width != 0) ? item : layout_none;
  };
  for (std::uint32_t i = 0; i <= outermost; ++i) { // what is inside comes first
    const std::uint32_t id = i < num_loops ? num_loops - 1 - i : i;
    const bool is_loop = id < num_loops;
    const node_id first = is_loop ? loops.header(id) : id == num_loops ? entry : no_node;
    lay_out_region({id, first == no_node ? layout_none : item_in(first, id), is_loop, id == outermost}, options, m);
  }
  join_boxes(num_loops, picture, out);
  join_routes(picture, m.edge_of, out);
}

/// Positions in the whole picture, from the outside to the inside.
MIDEND_FUNCTION void layout_algorithm::join_boxes(std::uint32_t num_loops, layout_picture& picture, graph_layout& out) {
  const std::uint32_t num_nodes = picture.num_nodes();
  const std::uint32_t outermost = picture.outermost();
  for (std::uint32_t i = outermost; i-- != 0;) {
    const std::uint32_t region = i < num_loops ? num_loops - 1 - i : i;
    picture.boxes[num_nodes + region].left += picture.boxes[num_nodes + picture.parents[region]].left;
    picture.boxes[num_nodes + region].top += picture.boxes[num_nodes + picture.parents[region]].top;
  }
  out.width_ = picture.boxes[num_nodes + outermost].width;
  out.height_ = picture.boxes[num_nodes + outermost].height;
  out.nodes_.resize_for_overwrite(num_nodes);
  for (std::uint32_t n = 0; n != num_nodes; ++n) {
    const layout_box& region = picture.boxes[num_nodes + picture.region_of[n]];
    const layout_box& box = picture.boxes[n];
    out.nodes_[n] =
        box.width == 0 ? layout_box() : layout_box{region.left + box.left, region.top + box.top, box.width, box.height};
  }
  out.loops_.resize_for_overwrite(num_loops);
  for (std::uint32_t l = 0; l != num_loops; ++l) {
    const layout_box& box = picture.boxes[num_nodes + l];
    out.loops_[l] = box.width == 0 ? layout_box() : box;
  }
}

/// Each edge is the points of its links, without those that lie between two others.
MIDEND_FUNCTION void layout_algorithm::join_routes(const layout_picture& picture, flat_array<std::uint32_t>& edge_of,
                                                   graph_layout& out) {
  const std::uint32_t num_nodes = picture.num_nodes();
  out.points_.clear();
  const auto edges = static_cast<std::uint32_t>(picture.edge_ids.size());
  edge_of.assign(out.route_ends_.size(), layout_none);
  for (std::uint32_t i = 0; i != edges; ++i) {
    edge_of[picture.edge_ids[i]] = i;
  }
  for (std::size_t e = 0; e != out.route_ends_.size(); ++e) {
    const std::size_t begin = out.points_.size();
    const bool is_drawn = edge_of[e] != layout_none && picture.links[edge_of[e]].region != layout_none;
    for (std::uint32_t k = is_drawn ? edge_of[e] : layout_none; k != layout_none; k = picture.links[k].next) {
      const layout_box& region = picture.boxes[num_nodes + picture.links[k].region];
      for (std::uint32_t p = picture.point_begins[k]; p != picture.point_ends[k]; ++p) {
        const layout_point point{region.left + picture.points[p].x, region.top + picture.points[p].y};
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
