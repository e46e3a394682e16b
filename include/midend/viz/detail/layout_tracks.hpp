/// The fifth step of a layered picture: the horizontal parts of lines, and their tracks in the channels between rows.
#pragma once

#include "midend/config.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/order.hpp"
#include "midend/support/sort.hpp"
#include "midend/support/span.hpp"
#include "midend/viz/detail/layout_parts.hpp"
#include "midend/viz/detail/layout_ports.hpp"
#include "midend/viz/layout_options.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A horizontal part of a line, in the channel below a row.
struct layout_segment {
  std::uint32_t channel;
  std::uint32_t key; ///< segments with equal keys may lie on each other
  std::int64_t from; ///< x above
  std::int64_t to;   ///< x below
  std::uint32_t track = 0;
};

/// The segments of a region, and which part of a line each is; none where a line goes straight down.
struct layout_segments {
  flat_array<layout_segment> all;
  flat_array<std::uint32_t> of_lines;   ///< below the upper vertex
  flat_array<std::uint32_t> of_lanes;   ///< by vertex: below it
  flat_array<std::uint32_t> of_downs;   ///< by slot: the last part of lines at the right side
  flat_array<std::uint32_t> of_ups;     ///< by slot: of lines at the left side
  flat_array<std::uint32_t> num_tracks; ///< by channel
};

/// Where lines that run up arrive: beside the middle of a node, where the others arrive.
inline std::int64_t up_x_of(std::uint32_t s, const layout_parts& parts, const layout_options& options) {
  const std::uint32_t v = parts.slots[s].vertex;
  const std::int64_t beside = min(parts.vertices[v].width / 4, 2 * std::int64_t{options.line_gap});
  return parts.x_of(s) - (parts.is_node(v) ? beside : 0);
}

/// x at which lines to a slot reach the row below `row`.
inline std::int64_t x_below(std::uint32_t s, std::uint32_t row, const layout_parts& parts) {
  const std::uint32_t next = parts.below(s, row);
  return next == parts.slots[s].vertex ? parts.x_of(s) : parts.vertices[next].x;
}

/// The segments of all lines, without tracks. Those to one slot have equal keys, and so have those of a node whose
/// lines leave at one point.
inline void make_segments(const layout_parts& parts, const layout_options& options, layout_segments& out) {
  const auto num_slots = static_cast<std::uint32_t>(parts.slots.size());
  out.all.clear();
  const auto add = [&](std::uint32_t channel, std::uint32_t key, std::int64_t from, std::int64_t to) {
    if (from == to) {
      return layout_none;
    }
    out.all.push_back({channel, key, from, to});
    return static_cast<std::uint32_t>(out.all.size() - 1);
  };
  out.of_lines.resize_for_overwrite(parts.lines.size());
  for (std::size_t i = 0; i != parts.lines.size(); ++i) {
    const layout_line& line = parts.lines[i];
    const layout_slot& slot = parts.slots[line.slot];
    const std::uint32_t row = parts.vertices[line.upper].layer;
    const bool is_up = line.path == layout_path::side_up;
    const std::int64_t to = is_up                            ? slot.up_x
                            : line.path == layout_path::lane ? x_below(line.slot, row, parts)
                                                             : slot.down_x;
    const std::uint32_t key =
        has_one_port(line.upper, parts, options) ? 2 * num_slots + line.upper : 2 * line.slot + (is_up ? 1u : 0u);
    out.of_lines[i] = add(row, key, line.port, to);
  }
  out.of_lanes.assign(parts.vertices.size(), layout_none);
  for (std::size_t v = parts.num_fixed; v != parts.vertices.size(); ++v) {
    const layout_vertex& lane = parts.vertices[v];
    out.of_lanes[v] = add(lane.layer, 2 * lane.item, lane.x, x_below(lane.item, lane.layer, parts));
  }
  out.of_ups.assign(num_slots, layout_none);
  out.of_downs.assign(num_slots, layout_none);
  for (std::uint32_t s = 0; s != num_slots; ++s) {
    const layout_slot& slot = parts.slots[s];
    const std::uint32_t channel = parts.vertices[slot.vertex].layer - 1;
    if (slot.up_begin != 0) {
      out.of_ups[s] = add(channel, 2 * s + 1, slot.up_x, up_x_of(s, parts, options));
    }
    if (slot.down_begin != layout_none) {
      out.of_downs[s] = add(channel, 2 * s, slot.down_x, parts.x_of(s));
    }
  }
}

/// Segments of one key and direction in one channel.
struct layout_bundle {
  std::int64_t low;
  std::int64_t high;
  bool goes_right;
  std::uint32_t track;
};

/// Memory of `assign_tracks`.
struct layout_track_memory {
  /// A track, and from which x on it is taken.
  struct front {
    std::int64_t x;
    std::uint32_t track;
  };

  layout_groups channels; ///< segments by channel
  flat_array<layout_bundle> bundles;
  flat_array<std::uint32_t> bundle_of; ///< by position in the channel
  flat_array<front> fronts;
};

/// The bundles of a channel, and the bundle of each segment.
inline void bundle_segments(span<const std::uint32_t> channel, const flat_array<layout_segment>& segments,
                            flat_array<layout_key>& keys, layout_track_memory& m) {
  keys.clear();
  for (std::uint32_t i = 0; i != channel.size(); ++i) {
    const layout_segment& s = segments[channel[i]];
    keys.push_back({2 * std::int64_t{s.key} + (s.from < s.to ? 1 : 0), 0, i});
  }
  heap_sort(keys.data(), keys.size());
  m.bundles.clear();
  m.bundle_of.resize_for_overwrite(channel.size());
  for (std::size_t i = 0; i != keys.size(); ++i) {
    const layout_segment& s = segments[channel[keys[i].id]];
    const std::int64_t low = min(s.from, s.to);
    const std::int64_t high = max(s.from, s.to);
    if (i != 0 && keys[i].major == keys[i - 1].major) {
      m.bundles.back().low = min(m.bundles.back().low, low);
      m.bundles.back().high = max(m.bundles.back().high, high);
    } else {
      m.bundles.push_back({low, high, s.from < s.to, 0});
    }
    m.bundle_of[keys[i].id] = static_cast<std::uint32_t>(m.bundles.size() - 1);
  }
}

/// Sets the tracks of the bundles of one direction. Those that come from further in their direction are higher, so they
/// do not cross twice. A bundle is one below those of its direction that it meets.
inline void number_tracks(bool right, flat_array<layout_key>& keys, layout_track_memory& m) {
  keys.clear();
  for (std::uint32_t b = 0; b != m.bundles.size(); ++b) {
    const layout_bundle& bundle = m.bundles[b];
    if (bundle.goes_right == right) {
      keys.push_back({right ? -bundle.low : bundle.high, right ? bundle.high : -bundle.low, b});
    }
  }
  heap_sort(keys.data(), keys.size());
  m.fronts.clear(); // of those so far, the ones that no later one exceeds; their tracks fall
  for (const layout_key& key : keys) {
    layout_bundle& bundle = m.bundles[key.id];
    const std::int64_t reach = key.minor;
    std::size_t low = 0;
    std::size_t high = m.fronts.size();
    while (low != high) { // the first that begins within reach
      const std::size_t middle = low + (high - low) / 2;
      if (m.fronts[middle].x <= reach) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    bundle.track = low == m.fronts.size() ? 0 : m.fronts[low].track + 1;
    while (!m.fronts.empty() && m.fronts.back().track <= bundle.track) {
      m.fronts.pop_back();
    }
    m.fronts.push_back({-key.major, bundle.track});
  }
}

/// Where both directions meet, moves those to the left below the others. Returns the number of tracks.
inline std::uint32_t separate_directions(flat_array<layout_bundle>& bundles, flat_array<layout_key>& keys) {
  keys.clear();
  for (std::uint32_t b = 0; b != bundles.size(); ++b) {
    keys.push_back({bundles[b].low, bundles[b].high, b});
  }
  heap_sort(keys.data(), keys.size());
  std::uint32_t tracks = 0;
  for (std::size_t i = 0; i != keys.size();) {
    std::int64_t end = keys[i].minor;
    std::uint32_t below_right = 0;
    std::size_t j = i;
    for (; j != keys.size() && (j == i || keys[j].major < end); ++j) {
      end = max(end, keys[j].minor);
      const layout_bundle& bundle = bundles[keys[j].id];
      below_right = bundle.goes_right ? max(below_right, bundle.track + 1) : below_right;
    }
    for (; i != j; ++i) {
      layout_bundle& bundle = bundles[keys[i].id];
      bundle.track += bundle.goes_right ? 0 : below_right;
      tracks = max(tracks, bundle.track + 1);
    }
  }
  return tracks;
}

/// Sets the tracks of all segments, and how many each channel has. O(s log s) for s segments.
inline void assign_tracks(std::uint32_t num_rows, layout_segments& segments, flat_array<layout_key>& keys,
                          layout_track_memory& m) {
  m.channels.fill(num_rows, segments.all.size(), [&](std::uint32_t s) { return segments.all[s].channel; });
  segments.num_tracks.assign(num_rows, 0);
  for (std::uint32_t c = 0; c != num_rows; ++c) {
    const span<const std::uint32_t> channel = m.channels[c];
    bundle_segments(channel, segments.all, keys, m);
    number_tracks(true, keys, m);
    number_tracks(false, keys, m);
    segments.num_tracks[c] = separate_directions(m.bundles, keys);
    for (std::size_t i = 0; i != channel.size(); ++i) {
      segments.all[channel[i]].track = m.bundles[m.bundle_of[i]].track;
    }
  }
}

} // namespace detail

MIDEND_END_NAMESPACE
