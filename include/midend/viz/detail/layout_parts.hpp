/// What the steps of `layout` pass on: the picture with its regions and links, and the parts of one region.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/order.hpp"
#include "midend/support/span.hpp"
#include "midend/viz/layout_options.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

inline constexpr std::uint32_t layout_none = 0xffff'ffff;

/// Numbers 0, 1, …, each in the group of its key.
class layout_groups {
public:
  span<const std::uint32_t> operator[](std::uint32_t key) const {
    return {members_.data() + begin_of(key), members_.data() + ends_[key]};
  }

  span<std::uint32_t> operator[](std::uint32_t key) {
    return {members_.data() + begin_of(key), members_.data() + ends_[key]};
  }

  /// Groups the numbers below `count`, ascending in each group; `key_of(i)` is below `keys`, or `layout_none` to leave
  /// `i` out. O(keys + count).
  template <class Key> void fill(std::size_t keys, std::size_t count, Key key_of) {
    ends_.assign(keys + 1, 0);
    const auto last = static_cast<std::uint32_t>(count);
    for (std::uint32_t i = 0; i != last; ++i) {
      if (const std::uint32_t key = key_of(i); key != layout_none) {
        ++ends_[key + std::size_t{1}];
      }
    }
    counts_to_ends({ends_.data(), ends_.size()});
    members_.resize_for_overwrite(ends_[keys]);
    for (std::uint32_t i = 0; i != last; ++i) {
      if (const std::uint32_t key = key_of(i); key != layout_none) {
        members_[ends_[key]++] = i;
      }
    }
    ends_.pop_back(); // what was the beginning of a group is now its end
  }

private:
  std::size_t begin_of(std::uint32_t key) const { return key == 0 ? 0 : ends_[key - std::size_t{1}]; }

  flat_array<std::uint32_t> ends_;
  flat_array<std::uint32_t> members_;
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

/// A part of an edge, within one region. A *region* is a loop without the loops inside it, or the nodes outside of all
/// loops; its *items* are its nodes and the regions directly inside it, which are boxes by then.
struct layout_link {
  std::uint32_t region = layout_none;
  std::uint32_t source = layout_none; ///< an item, or none: the link enters the region at its top
  std::uint32_t target = layout_none; ///< an item, or none: the link leaves the region at its bottom
  std::uint32_t next = layout_none;   ///< the link that goes on in the region around or inside
};

/// The graph, its regions and their links, and what is known of their places. Items are numbered: nodes, then regions.
struct layout_picture {
  // The graph: edges in the order of nodes and successors.
  flat_array<std::uint32_t> edge_ids, sources, targets;
  flat_array<layout_extent> extents; ///< by node

  // Regions: the loops, then the nodes that are in none, then unreachable nodes, then these two together.
  flat_array<std::uint32_t> region_of;       ///< by node
  flat_array<std::uint32_t> parents, depths; ///< by region
  layout_groups items;                       ///< by region

  flat_array<layout_link> links; ///< the first link of each edge, then the others
  layout_groups links_of;        ///< by region

  // Of regions that are laid out; positions are relative to the region.
  flat_array<layout_box> boxes;                       ///< by item; nodes have their sizes from the beginning
  flat_array<std::int64_t> entry_x, exit_x;           ///< by link, in its region, and in the item that it comes from
  flat_array<std::uint32_t> point_begins, point_ends; ///< by link, in `points`
  flat_array<layout_point> points;

  std::uint32_t num_nodes() const { return static_cast<std::uint32_t>(extents.size()); }

  std::uint32_t num_regions() const { return static_cast<std::uint32_t>(parents.size()); }

  std::uint32_t outermost() const { return num_regions() - 1; }
};

/// A region to lay out.
struct layout_region {
  std::uint32_t id;
  std::uint32_t first; ///< the item where control enters, or none
  bool is_loop;
  bool is_outermost;
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
  std::uint32_t item; ///< of an item; the slot of a lane
  std::int64_t width;
  std::int64_t height;
  std::uint32_t layer = 1; ///< its row; 0 is the top border, the last one is the bottom border
  std::uint32_t place = 0; ///< in the row; set by the order
  std::int64_t x = 0;      ///< left; set by the places
};

/// The path of a link in the picture.
enum class layout_path : std::uint8_t {
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
  layout_path path = layout_path::lane;
  std::int64_t port = 0; ///< x where it leaves the upper vertex; set by the ports
};

/// Where lines end: a point at the top of a vertex.
struct layout_slot {
  std::uint32_t vertex;
  std::int64_t offset;                    ///< from the left of the vertex
  std::uint32_t lane_begin = layout_none; ///< the row above its lane
  std::uint32_t lane_first = layout_none; ///< the first vertex of the lane
  std::uint32_t down_begin = layout_none; ///< the highest row from which a line runs to it at the right side
  std::uint32_t up_begin = 0;             ///< the lowest row from which one runs to it at the left side, or 0
  std::int64_t down_x = 0;                ///< x of these lines; set by the sides
  std::int64_t up_x = 0;
};

/// The vertices and lines of one region. Rows, lanes and paths are set by the layers.
struct layout_parts {
  flat_array<layout_vertex> vertices; ///< items, then points at the borders, then lanes
  flat_array<layout_line> lines;
  flat_array<layout_slot> slots;
  layout_groups lines_from; ///< by upper vertex
  std::uint32_t num_items = 0;
  std::uint32_t num_fixed = 0; ///< items and points at borders
  std::uint32_t num_rows = 0;
  std::uint32_t num_nodes = 0; ///< of the picture: items below it are nodes

  bool is_node(std::uint32_t vertex) const {
    return vertices[vertex].kind == layout_kind::item && vertices[vertex].item < num_nodes;
  }

  /// The vertex of the lane of a slot in the row below `row`, or the vertex of the slot.
  std::uint32_t below(std::uint32_t s, std::uint32_t row) const {
    const layout_slot& slot = slots[s];
    return row + 1 == vertices[slot.vertex].layer ? slot.vertex : slot.lane_first + (row - slot.lane_begin);
  }

  /// x of a slot, once its vertex has a place.
  std::int64_t x_of(std::uint32_t s) const { return vertices[slots[s].vertex].x + slots[s].offset; }
};

/// Two vertices in neighbouring rows that should stand below each other.
struct layout_step {
  std::uint32_t upper;
  std::uint32_t lower;
  std::int64_t upper_offset;
  std::int64_t lower_offset;
};

/// The steps of all lines of a region.
struct layout_steps {
  flat_array<layout_step> all;
  layout_groups above, below; ///< by lower and by upper vertex

  /// The steps of a vertex to its neighbours above or below.
  span<const std::uint32_t> of(std::uint32_t vertex, bool looks_up) const {
    return looks_up ? above[vertex] : below[vertex];
  }
};

/// Where a line leaves its upper vertex, from the left of the vertex, before it has a port.
inline std::int64_t exit_offset(const layout_picture& picture, const layout_parts& parts, const layout_line& line) {
  const layout_vertex& upper = parts.vertices[line.upper];
  const bool is_region = upper.kind == layout_kind::item && upper.item >= parts.num_nodes;
  return is_region ? picture.exit_x[line.link] : upper.width / 2;
}

} // namespace detail

MIDEND_END_NAMESPACE
