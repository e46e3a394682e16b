/// The plain types of `layout`: sizes, points, boxes, distances.
#pragma once

#include "midend/config.hpp"

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

MIDEND_END_NAMESPACE
