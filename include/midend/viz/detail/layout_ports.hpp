/// The fourth step of a layered picture: where lines leave their vertices, and those that run at the sides.
#pragma once

#include "midend/config.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/order.hpp"
#include "midend/support/sort.hpp"
#include "midend/viz/detail/layout_parts.hpp"
#include "midend/viz/layout_options.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Whether all lines of a node leave at one point.
inline bool has_one_port(std::uint32_t v, const layout_parts& parts, const layout_options& options) {
  return parts.is_node(v) && parts.lines_from[v].size() > options.most_ports;
}

/// The lines of a node leave side by side, in the order in which they go on, each as straight down as there is room.
inline void spread_ports(std::uint32_t v, const layout_options& options, layout_parts& parts,
                         flat_array<layout_key>& keys) {
  constexpr std::int64_t far = std::int64_t{1} << 60;
  keys.clear();
  for (const std::uint32_t l : parts.lines_from[v]) {
    const layout_line& line = parts.lines[l];
    std::int64_t x = line.path == layout_path::side_up ? -far : far;
    if (line.path == layout_path::lane) {
      const std::uint32_t next = parts.below(line.slot, parts.vertices[v].layer);
      x = parts.vertices[next].x + (next == line.lower ? parts.slots[line.slot].offset : 0);
    }
    keys.push_back({x, 0, l});
  }
  if (keys.empty()) {
    return;
  }
  heap_sort(keys.data(), keys.size());
  const layout_vertex& node = parts.vertices[v];
  const std::int64_t gap = options.line_gap;
  const auto others = static_cast<std::int64_t>(keys.size() - 1);
  const std::int64_t margin = min(node.width / 4, 2 * gap);
  const std::int64_t room = node.width - 2 * margin;
  const std::int64_t step = others == 0 ? 0 : min(2 * gap, room / (2 * others)); // so that the middle can be used
  std::int64_t least = node.x + margin;
  for (std::int64_t i = 0; i <= others; ++i) {
    const layout_key& key = keys[static_cast<std::size_t>(i)];
    layout_line& line = parts.lines[key.id];
    const std::int64_t most = node.x + margin + room - (others - i) * step;
    line.port =
        others == 0 && line.path != layout_path::lane ? node.x + node.width / 2 : max(least, min(most, key.major));
    least = line.port + step;
  }
}

/// Sets the ports of all lines.
inline void choose_ports(const layout_picture& picture, const layout_options& options, layout_parts& parts,
                         flat_array<layout_key>& keys) {
  for (std::uint32_t v = 0; v != parts.num_fixed; ++v) {
    if (parts.is_node(v) && !has_one_port(v, parts, options)) {
      spread_ports(v, options, parts, keys);
    } else {
      for (const std::uint32_t l : parts.lines_from[v]) {
        parts.lines[l].port = parts.vertices[v].x + exit_offset(picture, parts, parts.lines[l]);
      }
    }
  }
}

/// Memory of `number_rails`.
struct layout_rail_memory {
  layout_groups ending; ///< positions in the sorted slots, by last row
  flat_array<std::uint32_t> free;
};

/// Numbers the lines of one side from outside, by slot: sets `up_x` or `down_x` to numbers. Lines that share a channel
/// have different numbers, and long ones are outside. Returns how many stand side by side.
inline std::uint32_t number_rails(bool up, layout_parts& parts, flat_array<layout_key>& keys, layout_rail_memory& m) {
  const auto top_of = [&](const layout_slot& s) { return up ? parts.vertices[s.vertex].layer - 1 : s.down_begin; };
  const auto bottom_of = [&](const layout_slot& s) { return up ? s.up_begin : parts.vertices[s.vertex].layer - 1; };
  keys.clear();
  for (std::uint32_t s = 0; s != parts.slots.size(); ++s) {
    const layout_slot& slot = parts.slots[s];
    if (up ? slot.up_begin != 0 : slot.down_begin != layout_none) {
      keys.push_back({top_of(slot), -std::int64_t{bottom_of(slot)}, s});
    }
  }
  heap_sort(keys.data(), keys.size());
  m.ending.fill(parts.num_rows, keys.size(), [&](std::uint32_t i) { return bottom_of(parts.slots[keys[i].id]); });
  m.free.clear();
  std::uint32_t count = 0;
  std::size_t next = 0;
  for (std::uint32_t row = 0; row != parts.num_rows; ++row) {
    for (; next != keys.size() && keys[next].major == row; ++next) {
      std::uint32_t number = count;
      if (m.free.empty()) {
        ++count;
      } else {
        number = m.free.back();
        m.free.pop_back();
      }
      layout_slot& slot = parts.slots[keys[next].id];
      (up ? slot.up_x : slot.down_x) = number;
    }
    for (const std::uint32_t i : m.ending[row]) {
      const layout_slot& slot = parts.slots[keys[i].id];
      m.free.push_back(static_cast<std::uint32_t>(up ? slot.up_x : slot.down_x));
    }
  }
  return count;
}

/// Makes room for the lines at the sides and sets their x; vertices and ports move to the right. Returns the width of
/// the region.
inline std::int64_t place_sides(const layout_region& region, const layout_options& options, std::int64_t content_width,
                                layout_parts& parts, flat_array<layout_key>& keys, layout_rail_memory& m) {
  const std::int64_t gap = options.line_gap;
  const std::uint32_t num_up = number_rails(true, parts, keys, m);
  const std::uint32_t num_down = number_rails(false, parts, keys, m);
  const std::int64_t padding = region.is_loop ? options.loop_padding : 0;
  const std::int64_t left = padding + num_up * gap;
  const std::int64_t right = left + content_width;
  for (layout_vertex& v : parts.vertices) {
    v.x += left;
  }
  for (layout_line& line : parts.lines) {
    line.port += left;
  }
  for (layout_slot& slot : parts.slots) {
    slot.up_x = padding + slot.up_x * gap;
    slot.down_x = right + (num_down - slot.down_x) * gap;
  }
  return right + num_down * gap + padding;
}

} // namespace detail

MIDEND_END_NAMESPACE
