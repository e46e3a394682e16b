/// The last step of a layered picture: y of rows and channels, and the corners of the lines of a region.
#pragma once

#include "midend/config.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/order.hpp"
#include "midend/viz/detail/layout_parts.hpp"
#include "midend/viz/detail/layout_tracks.hpp"
#include "midend/viz/layout_options.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// y in a region.
struct layout_heights {
  flat_array<std::int64_t> rows;     ///< tops
  flat_array<std::int64_t> channels; ///< of the first track in the channel below each row
  flat_array<std::int64_t> row_heights;
  std::int64_t all = 0;
};

/// Stacks rows and channels. Rows are as high as their highest vertex, channels as their tracks need.
inline void stack_rows(const layout_region& region, const layout_options& options, const layout_parts& parts,
                       const flat_array<std::uint32_t>& num_tracks, layout_heights& out) {
  const std::int64_t gap = options.line_gap;
  out.row_heights.assign(parts.num_rows, 0);
  for (const layout_vertex& v : parts.vertices) {
    out.row_heights[v.layer] = max(out.row_heights[v.layer], v.height);
  }
  out.rows.assign(parts.num_rows, 0);
  out.channels.assign(parts.num_rows, 0);
  std::int64_t y = 0;
  for (std::uint32_t row = 0; row + 1 != parts.num_rows; ++row) {
    out.rows[row] = y;
    y += out.row_heights[row];
    const std::int64_t tracks = num_tracks[row];
    const std::int64_t lines = tracks == 0 ? 0 : (tracks - 1) * gap;
    if (row == 0) {
      const std::int64_t title = region.is_loop ? options.loop_title : 0;
      const std::int64_t room = tracks != 0 ? lines + 2 * gap : region.is_loop ? gap : 0;
      out.channels[row] = y + title + gap / 2;
      y += title + room;
    } else if (row + 2 == parts.num_rows) {
      out.channels[row] = y + gap;
      y += (tracks != 0 ? lines + gap : 0) + (region.is_loop ? std::int64_t{options.loop_padding} : 0);
    } else {
      const std::int64_t height = max(std::int64_t{options.row_gap}, lines + 2 * gap);
      out.channels[row] = y + (height - lines) / 2;
      y += height;
    }
  }
  out.rows[parts.num_rows - std::size_t{1}] = y;
  out.all = y;
}

/// Sets the boxes of a region and its items. A region without anything drawn has an empty box.
inline void keep_boxes(const layout_region& region, const layout_parts& parts, const layout_heights& heights,
                       std::int64_t width, layout_picture& picture) {
  for (std::uint32_t v = 0; v != parts.num_items; ++v) {
    const layout_vertex& vertex = parts.vertices[v];
    picture.boxes[vertex.item].left = vertex.x;
    picture.boxes[vertex.item].top = heights.rows[vertex.layer];
  }
  picture.boxes[parts.num_nodes + region.id] = width == 0 ? layout_box() : layout_box{0, 0, width, heights.all};
}

/// Adds the corners of all lines to the picture, and x where they enter and leave the region.
inline void draw_lines(const layout_options& options, const layout_parts& parts, const layout_segments& segments,
                       const layout_heights& heights, layout_picture& picture) {
  flat_array<layout_point>& points = picture.points;
  const auto turn = [&](std::uint32_t s) {
    if (s != layout_none) {
      const layout_segment& segment = segments.all[s];
      const std::int64_t y = heights.channels[segment.channel] + segment.track * std::int64_t{options.line_gap};
      points.push_back({segment.from, y});
      points.push_back({segment.to, y});
    }
  };
  for (std::size_t i = 0; i != parts.lines.size(); ++i) {
    const layout_line& line = parts.lines[i];
    const layout_vertex& upper = parts.vertices[line.upper];
    picture.point_begins[line.link] = static_cast<std::uint32_t>(points.size());
    points.push_back({line.port, heights.rows[upper.layer] + upper.height});
    turn(segments.of_lines[i]);
    std::int64_t x = parts.x_of(line.slot);
    if (line.path == layout_path::side_up) {
      turn(segments.of_ups[line.slot]);
      x = up_x_of(line.slot, parts, options);
    } else if (line.path == layout_path::side_down) {
      turn(segments.of_downs[line.slot]);
    } else {
      for (std::uint32_t v = parts.below(line.slot, upper.layer); v != line.lower;
           v = parts.below(line.slot, parts.vertices[v].layer)) {
        turn(segments.of_lanes[v]);
      }
    }
    points.push_back({x, heights.rows[parts.vertices[line.lower].layer]});
    picture.point_ends[line.link] = static_cast<std::uint32_t>(points.size());
    const layout_link& link = picture.links[line.link];
    if (link.source == layout_none) {
      picture.entry_x[line.link] = line.port;
    }
    if (link.target == layout_none) {
      picture.exit_x[link.next] = parts.x_of(line.slot);
    }
  }
}

} // namespace detail

MIDEND_END_NAMESPACE
