/// The second step of a layered picture: the order of vertices in their rows.
#pragma once

#include "midend/config.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/order.hpp"
#include "midend/support/sort.hpp"
#include "midend/support/span.hpp"
#include "midend/viz/detail/layout_parts.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Sets the places in a row from its order.
inline void number_row(span<const std::uint32_t> row, layout_parts& parts) {
  for (std::size_t i = 0; i != row.size(); ++i) {
    parts.vertices[row[i]].place = static_cast<std::uint32_t>(i);
  }
}

/// Vertices by row, in each in the order of the depth-first search. Lanes and borders stand where their first line
/// comes from.
inline void list_rows(const layout_steps& steps, const flat_array<std::uint32_t>& preorder, layout_parts& parts,
                      flat_array<layout_key>& keys, layout_groups& rows) {
  const auto count = static_cast<std::uint32_t>(parts.vertices.size());
  keys.clear();
  for (std::uint32_t v = 0; v != parts.num_fixed; ++v) {
    keys.push_back({2 * std::int64_t{preorder[v]}, 0, v});
  }
  for (std::uint32_t v = parts.num_fixed; v != count; ++v) {
    keys.push_back({0x7fff'ffff'ffff, 0, v});
  }
  for (const layout_step& step : steps.all) {
    if (parts.vertices[step.lower].kind != layout_kind::item) {
      layout_key& key = keys[step.lower];
      key.major = min(key.major, keys[step.upper].major + 1);
    }
  }
  heap_sort(keys.data(), keys.size());
  rows.fill(parts.num_rows, count, [&](std::uint32_t i) { return parts.vertices[keys[i].id].layer; });
  for (std::uint32_t row = 0; row != parts.num_rows; ++row) {
    for (std::uint32_t& v : rows[row]) {
      v = keys[v].id;
    }
    number_row(rows[row], parts);
  }
}

/// Orders a row by the mean place of the neighbours above or below.
inline void order_row(span<std::uint32_t> row, const layout_steps& steps, bool looks_up, layout_parts& parts,
                      flat_array<layout_key>& keys) {
  if (row.size() < 2) {
    return;
  }
  keys.clear();
  for (std::size_t i = 0; i != row.size(); ++i) {
    const auto place = static_cast<std::int64_t>(i);
    std::int64_t sum = 0;
    for (const std::uint32_t s : steps.of(row[i], looks_up)) {
      sum += parts.vertices[looks_up ? steps.all[s].upper : steps.all[s].lower].place;
    }
    const auto count = static_cast<std::int64_t>(steps.of(row[i], looks_up).size());
    keys.push_back({count != 0 ? 256 * sum / count : 256 * place, place, row[i]});
  }
  heap_sort(keys.data(), keys.size());
  for (std::size_t i = 0; i != row.size(); ++i) {
    row[i] = keys[i].id;
  }
  number_row(row, parts);
}

/// The rows of a region from left to right; also sets the places of vertices. Three rounds down and two up, as in
/// Sugiyama, Tagawa and Toda. O(v log v) for v vertices and as many steps.
inline void order_rows(const layout_steps& steps, const flat_array<std::uint32_t>& preorder, layout_parts& parts,
                       flat_array<layout_key>& keys, layout_groups& rows) {
  list_rows(steps, preorder, parts, keys, rows);
  constexpr int rounds = 3;
  for (int round = 0; round != rounds; ++round) {
    for (std::uint32_t row = 1; row != parts.num_rows; ++row) {
      order_row(rows[row], steps, true, parts, keys);
    }
    if (round + 1 != rounds) {
      for (std::uint32_t row = parts.num_rows - 1; row-- != 0;) {
        order_row(rows[row], steps, false, parts, keys);
      }
    }
  }
}

} // namespace detail

MIDEND_END_NAMESPACE
