/// The third step of a layered picture: x of the vertices of each row.
#pragma once

#include "midend/config.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/order.hpp"
#include "midend/support/span.hpp"
#include "midend/viz/detail/layout_parts.hpp"
#include "midend/viz/layout_options.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A sum of wishes; neighbours in a row that touch share one.
struct layout_run {
  std::int64_t sum = 0;
  std::int64_t weight = 0;
  std::uint32_t count = 0;

  std::int64_t mean() const { return sum >= 0 ? sum / weight : -((-sum + weight - 1) / weight); }
};

/// How far the left sides of neighbours are apart.
inline std::int64_t distance(const layout_vertex& left, const layout_vertex& right, const layout_options& options) {
  const bool is_item = left.kind == layout_kind::item && right.kind == layout_kind::item;
  const bool is_line = left.kind != layout_kind::item && right.kind != layout_kind::item;
  if (is_item && (left.width == 0 || right.width == 0)) {
    return left.width; // a loop or the unreachable nodes, of which nothing is drawn
  }
  const std::int64_t line_gap = options.line_gap;
  const std::int64_t node_gap = options.node_gap;
  return left.width + (is_item ? node_gap : is_line ? line_gap : max(line_gap, node_gap / 2));
}

/// The x that a vertex should have, and how much that counts. Lanes are straight, and bend where they begin. Items
/// stand at the middle of the items that lead to them; of lanes only if there are no items.
inline layout_run wish_of(std::uint32_t v, const layout_steps& steps, bool looks_up, const layout_parts& parts) {
  layout_run items;
  layout_run lanes;
  for (const std::uint32_t s : steps.of(v, looks_up)) {
    const layout_step& step = steps.all[s];
    const layout_vertex& other = parts.vertices[looks_up ? step.upper : step.lower];
    layout_run& sum = other.kind == layout_kind::lane ? lanes : items;
    sum.sum += other.x + (looks_up ? step.upper_offset - step.lower_offset : step.lower_offset - step.upper_offset);
    ++sum.weight;
  }
  constexpr std::int64_t of_straight_lanes = 32;
  constexpr std::int64_t of_items = 8;
  const bool is_lane = parts.vertices[v].kind == layout_kind::lane;
  if (is_lane && lanes.weight != 0) {
    return {lanes.mean() * of_straight_lanes, of_straight_lanes, 1};
  }
  const std::int64_t weight = is_lane || items.weight + lanes.weight == 0 ? 1 : of_items;
  const std::int64_t x = items.weight != 0 ? items.mean() : lanes.weight != 0 ? lanes.mean() : parts.vertices[v].x;
  return {x * weight, weight, 1};
}

/// Sets the places of a row that are nearest to below (or above) the neighbours, with the least distances between:
/// isotonic regression by merging neighbours that are too close (Barlow, Bartholomew, Bremner, Brunk, "Statistical
/// inference under order restrictions", 1972).
inline void place_row(span<const std::uint32_t> row, const layout_steps& steps, bool looks_up,
                      const layout_options& options, layout_parts& parts, flat_array<layout_run>& runs) {
  const auto step_to = [&](std::size_t i) { // from the one before
    return i == 0 ? 0 : distance(parts.vertices[row[i - 1]], parts.vertices[row[i]], options);
  };
  runs.clear();
  std::int64_t offset = 0;
  for (std::size_t i = 0; i != row.size(); ++i) {
    offset += step_to(i);
    layout_run wish = wish_of(row[i], steps, looks_up, parts);
    wish.sum -= offset * wish.weight;
    runs.push_back(wish);
    while (runs.size() > 1 && runs.back().mean() < runs[runs.size() - 2].mean()) {
      const layout_run last = runs.back();
      runs.pop_back();
      runs.back().sum += last.sum;
      runs.back().weight += last.weight;
      runs.back().count += last.count;
    }
  }
  std::size_t i = 0;
  offset = 0;
  for (const layout_run& run : runs) {
    for (const std::size_t last = i + run.count; i != last; ++i) {
      offset += step_to(i);
      parts.vertices[row[i]].x = run.mean() + offset;
    }
  }
}

/// Sets x of all vertices, so that the least is 0: once down, once up, once down. Returns the width of all of them.
inline std::int64_t place_rows(const layout_groups& rows, const layout_steps& steps, const layout_options& options,
                               layout_parts& parts, flat_array<layout_run>& runs) {
  for (std::uint32_t row = 0; row != parts.num_rows; ++row) {
    place_row(rows[row], steps, true, options, parts, runs);
  }
  for (std::uint32_t row = parts.num_rows; row-- != 0;) {
    place_row(rows[row], steps, false, options, parts, runs);
  }
  for (std::uint32_t row = 0; row != parts.num_rows; ++row) {
    place_row(rows[row], steps, true, options, parts, runs);
  }
  std::int64_t left = parts.vertices.empty() ? 0 : parts.vertices[0].x;
  for (const layout_vertex& v : parts.vertices) {
    left = min(left, v.x);
  }
  std::int64_t width = 0;
  for (layout_vertex& v : parts.vertices) {
    v.x -= left;
    width = max(width, v.x + v.width);
  }
  return width;
}

} // namespace detail

MIDEND_END_NAMESPACE
