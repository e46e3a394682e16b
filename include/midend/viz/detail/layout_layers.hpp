/// The first step of a layered picture: the vertices and lines of a region, their rows, and lanes for long lines.
#pragma once

#include "midend/config.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/order.hpp"
#include "midend/viz/detail/layout_parts.hpp"
#include "midend/viz/layout_options.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Memory of `collect_parts`.
struct layout_part_memory {
  flat_array<std::uint32_t> vertex_of;        ///< by item
  flat_array<std::uint32_t> slots_of;         ///< by vertex: of a node or a point at the bottom border
  flat_array<std::uint32_t> slots_of_entries; ///< by link
  flat_array<std::uint32_t> bottoms_of_exits; ///< by link

  void prepare(const layout_picture& picture) {
    vertex_of.assign(picture.num_nodes() + std::size_t{picture.num_regions()}, layout_none);
    slots_of_entries.assign(picture.links.size(), layout_none);
    bottoms_of_exits.assign(picture.links.size(), layout_none);
  }
};

/// The vertices and lines of a region; rows, lanes and paths are not set yet. The first item, where control enters, is
/// vertex 0. Lines end in the middle of a node, at a point of the top of a loop, or at a point of the bottom border.
inline void collect_parts(const layout_picture& picture, const layout_region& region, layout_part_memory& m,
                          layout_parts& out) {
  out.num_nodes = picture.num_nodes();
  out.vertices.clear();
  out.lines.clear();
  out.slots.clear();
  m.slots_of.clear();
  const auto add_vertex = [&](layout_kind kind, std::uint32_t item, std::int64_t width, std::int64_t height) {
    out.vertices.push_back({kind, item, width, height});
    m.slots_of.push_back(layout_none);
    return static_cast<std::uint32_t>(out.vertices.size() - 1);
  };
  const auto add_border = [&](layout_kind kind) {
    const std::uint32_t v = add_vertex(kind, layout_none, 0, 0);
    out.vertices[v].layer = 0;
    return v;
  };
  const auto add_item = [&](std::uint32_t item) {
    m.vertex_of[item] = add_vertex(layout_kind::item, item, picture.boxes[item].width, picture.boxes[item].height);
  };
  const auto add_slot = [&](std::uint32_t& slot, std::uint32_t vertex, std::int64_t offset) {
    if (slot == layout_none) {
      slot = static_cast<std::uint32_t>(out.slots.size());
      out.slots.push_back({vertex, offset});
    }
    return slot;
  };
  if (region.first != layout_none) {
    add_item(region.first);
  }
  for (const std::uint32_t item : picture.items[region.id]) {
    if (item != region.first) {
      add_item(item);
    }
  }
  out.num_items = static_cast<std::uint32_t>(out.vertices.size());
  for (const std::uint32_t k : picture.links_of[region.id]) {
    const layout_link& link = picture.links[k];
    const std::uint32_t upper = link.source == layout_none ? add_border(layout_kind::top) : m.vertex_of[link.source];
    const bool leaves = link.target == layout_none;
    if (leaves && m.bottoms_of_exits[link.next] == layout_none) {
      m.bottoms_of_exits[link.next] = add_border(layout_kind::bottom);
    }
    const std::uint32_t lower = leaves ? m.bottoms_of_exits[link.next] : m.vertex_of[link.target];
    const std::uint32_t slot = leaves || out.is_node(lower)
                                   ? add_slot(m.slots_of[lower], lower, out.vertices[lower].width / 2)
                                   : add_slot(m.slots_of_entries[link.next], lower, picture.entry_x[link.next]);
    out.lines.push_back({k, upper, lower, slot});
  }
  out.num_fixed = static_cast<std::uint32_t>(out.vertices.size());
  out.lines_from.fill(out.num_fixed, out.lines.size(), [&](std::uint32_t l) { return out.lines[l].upper; });
}

/// A depth-first search of a region, by vertex.
struct layout_search {
  flat_array<std::uint32_t> preorder, postorder; ///< numbers
  flat_array<std::uint32_t> finished;            ///< vertices in postorder

  // Memory of the search.
  struct frame {
    std::uint32_t vertex;
    std::uint32_t next; ///< among its lines
  };

  flat_array<frame> frames;
  flat_array<std::uint32_t> num_incoming;
};

/// Numbers the vertices that `root` reaches and that have no number yet.
inline void search_from(std::uint32_t root, const layout_parts& parts, std::uint32_t& next_number, layout_search& s) {
  if (s.preorder[root] != layout_none) {
    return;
  }
  s.preorder[root] = next_number++;
  s.frames.clear();
  s.frames.push_back({root, 0});
  while (!s.frames.empty()) {
    layout_search::frame& f = s.frames.back();
    const span<const std::uint32_t> lines = parts.lines_from[f.vertex];
    if (f.next == lines.size()) {
      s.postorder[f.vertex] = static_cast<std::uint32_t>(s.finished.size());
      s.finished.push_back(f.vertex);
      s.frames.pop_back();
      continue;
    }
    const std::uint32_t target = parts.lines[lines[f.next++]].lower;
    if (s.preorder[target] == layout_none) {
      s.preorder[target] = next_number++;
      s.frames.push_back({target, 0});
    }
  }
}

/// Depth first: from where control enters, then from items without predecessor here, then from the rest.
inline void search_parts(const layout_parts& parts, layout_search& s) {
  s.preorder.assign(parts.num_fixed, layout_none);
  s.postorder.assign(parts.num_fixed, layout_none);
  s.finished.clear();
  s.num_incoming.assign(parts.num_fixed, 0);
  for (const layout_line& line : parts.lines) {
    s.num_incoming[line.lower] += line.upper != line.lower ? 1u : 0u;
  }
  std::uint32_t next_number = 0;
  if (parts.num_items != 0) {
    search_from(0, parts, next_number, s);
  }
  for (std::uint32_t v = 0; v != parts.num_fixed; ++v) {
    if (s.num_incoming[v] == 0) {
      search_from(v, parts, next_number, s);
    }
  }
  for (std::uint32_t v = 0; v != parts.num_fixed; ++v) {
    search_from(v, parts, next_number, s);
  }
}

/// Whether a line runs up: retreating lines, and all from inside a loop to its header. The two parts of the outermost
/// region stand side by side.
inline bool runs_up(const layout_region& region, const layout_parts& parts, const layout_search& s,
                    const layout_line& line) {
  return region.is_outermost || s.postorder[line.upper] <= s.postorder[line.lower] ||
         (region.is_loop && region.first != layout_none && line.lower == 0 &&
          parts.vertices[line.upper].kind == layout_kind::item);
}

/// Sets rows: the longest path of lines that do not run up; the bottom border is one below.
inline void assign_rows(const layout_region& region, const layout_search& s, layout_parts& parts) {
  std::uint32_t last_row = 1;
  for (std::size_t i = s.finished.size(); i-- != 0;) {
    const std::uint32_t v = s.finished[i];
    const std::uint32_t row = parts.vertices[v].layer;
    last_row = max(last_row, row);
    for (const std::uint32_t l : parts.lines_from[v]) {
      const layout_line& line = parts.lines[l];
      layout_vertex& lower = parts.vertices[line.lower];
      if (lower.kind == layout_kind::item && !runs_up(region, parts, s, line)) {
        lower.layer = max(lower.layer, row + 1);
      }
    }
  }
  for (std::uint32_t v = parts.num_items; v != parts.num_fixed; ++v) {
    if (parts.vertices[v].kind == layout_kind::bottom) {
      parts.vertices[v].layer = last_row + 1;
    }
  }
  parts.num_rows = last_row + 2;
}

/// Sets the paths of lines, and for each slot the rows that its lines cross.
inline void choose_paths(const layout_region& region, const layout_search& s, std::uint32_t longest_lane,
                         layout_parts& parts) {
  for (layout_line& line : parts.lines) {
    layout_slot& slot = parts.slots[line.slot];
    const std::uint32_t upper = parts.vertices[line.upper].layer;
    const std::uint32_t lower = parts.vertices[line.lower].layer;
    if (runs_up(region, parts, s, line)) {
      line.path = layout_path::side_up;
      slot.up_begin = max(slot.up_begin, upper);
    } else if (lower - upper > longest_lane + std::uint64_t{1}) {
      line.path = layout_path::side_down;
      slot.down_begin = min(slot.down_begin, upper);
    } else {
      slot.lane_begin = min(slot.lane_begin, upper);
    }
  }
}

/// Adds a vertex for each row that a lane crosses, and returns the steps between rows. Lines to one slot share a lane.
inline void make_lanes(const layout_picture& picture, layout_parts& parts, layout_steps& out) {
  out.all.clear();
  const auto num_slots = static_cast<std::uint32_t>(parts.slots.size());
  for (std::uint32_t s = 0; s != num_slots; ++s) {
    layout_slot& slot = parts.slots[s];
    if (slot.lane_begin == layout_none) {
      continue;
    }
    const std::uint32_t target_row = parts.vertices[slot.vertex].layer;
    slot.lane_first = static_cast<std::uint32_t>(parts.vertices.size());
    for (std::uint32_t row = slot.lane_begin + 1; row < target_row; ++row) {
      const auto v = static_cast<std::uint32_t>(parts.vertices.size());
      parts.vertices.push_back({layout_kind::lane, s, 0, 0, row});
      const bool is_last = row + 1 == target_row;
      out.all.push_back({v, is_last ? slot.vertex : v + 1, 0, is_last ? slot.offset : 0});
    }
  }
  for (const layout_line& line : parts.lines) {
    if (line.path == layout_path::lane) {
      const std::uint32_t next = parts.below(line.slot, parts.vertices[line.upper].layer);
      const std::int64_t offset = next == line.lower ? parts.slots[line.slot].offset : 0;
      out.all.push_back({line.upper, next, exit_offset(picture, parts, line), offset});
    }
  }
  out.above.fill(parts.vertices.size(), out.all.size(), [&](std::uint32_t i) { return out.all[i].lower; });
  out.below.fill(parts.vertices.size(), out.all.size(), [&](std::uint32_t i) { return out.all[i].upper; });
}

} // namespace detail

MIDEND_END_NAMESPACE
