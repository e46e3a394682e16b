/// Splits a graph into regions, and its edges into links, each within one region.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/viz/detail/layout_parts.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Memory of this step.
struct layout_link_memory {
  layout_groups outgoing, incoming; ///< edges by node
  flat_array<std::uint8_t> is_reached;
  flat_array<std::uint32_t> work;
  flat_array<std::uint32_t> exit_links, exit_targets, entry_links, entry_targets; ///< by region
};

/// Marks the nodes that control reaches.
inline void find_reached(const layout_picture& p, node_id entry, layout_link_memory& m) {
  m.outgoing.fill(p.num_nodes(), p.sources.size(), [&](std::uint32_t e) { return p.sources[e]; });
  m.is_reached.assign(p.num_nodes(), 0);
  m.work.clear();
  if (entry != no_node) {
    m.is_reached[entry] = 1;
    m.work.push_back(entry);
  }
  while (!m.work.empty()) {
    const std::uint32_t n = m.work.back();
    m.work.pop_back();
    for (const std::uint32_t e : m.outgoing[n]) {
      const std::uint32_t target = p.targets[e];
      if (m.is_reached[target] == 0) {
        m.is_reached[target] = 1;
        m.work.push_back(target);
      }
    }
  }
}

/// Sets the regions of `p` and their items, without nodes that are not drawn.
inline void make_regions(const loop_forest& loops, const flat_array<std::uint8_t>& is_reached, layout_picture& p) {
  const std::uint32_t num_nodes = p.num_nodes();
  const auto num_loops = static_cast<std::uint32_t>(loops.num_loops());
  const std::uint32_t reached = num_loops;
  const std::uint32_t unreached = num_loops + 1;
  const std::uint32_t outermost = num_loops + 2;
  p.parents.resize_for_overwrite(num_loops + std::size_t{3});
  p.depths.resize_for_overwrite(num_loops + std::size_t{3});
  for (const loop_id l : loops.loops()) {
    p.parents[l] = loops.parent(l) == no_loop ? reached : loops.parent(l);
    p.depths[l] = loops.depth(l) + 1;
  }
  p.parents[reached] = p.parents[unreached] = outermost;
  p.parents[outermost] = layout_none;
  p.depths[reached] = p.depths[unreached] = 1;
  p.depths[outermost] = 0;
  p.region_of.resize_for_overwrite(num_nodes);
  p.boxes.assign(num_nodes + std::size_t{p.num_regions()}, layout_box());
  for (std::uint32_t n = 0; n != num_nodes; ++n) {
    const loop_id l = loops.innermost_loop(n);
    p.region_of[n] = l != no_loop ? l : is_reached[n] != 0 ? reached : unreached;
    p.boxes[n].width = p.extents[n].width;
    p.boxes[n].height = p.extents[n].height;
  }
  p.items.fill(p.num_regions(), num_nodes + std::size_t{outermost}, [&](std::uint32_t item) {
    return item >= num_nodes            ? p.parents[item - num_nodes]
           : p.extents[item].width != 0 ? p.region_of[item]
                                        : layout_none;
  });
}

/// Sets the links of all edges between nodes that are drawn. Links of different edges to one target are shared outside
/// of the loop that they leave, and in the loops that they enter.
inline void make_links(layout_picture& p, layout_link_memory& m) {
  const std::uint32_t num_nodes = p.num_nodes();
  const std::size_t num_regions = p.num_regions();
  m.incoming.fill(num_nodes, p.sources.size(), [&](std::uint32_t e) {
    const bool is_drawn = p.extents[p.sources[e]].width != 0 && p.extents[p.targets[e]].width != 0;
    return is_drawn ? p.targets[e] : layout_none;
  });
  p.links.assign(p.sources.size(), layout_link());
  m.exit_links.assign(num_regions, layout_none);
  m.entry_links.assign(num_regions, layout_none);
  m.exit_targets.assign(num_regions, no_node);
  m.entry_targets.assign(num_regions, no_node);
  const auto add = [&](const layout_link& link) {
    p.links.push_back(link);
    return static_cast<std::uint32_t>(p.links.size() - 1);
  };
  for (node_id v = 0; v != num_nodes; ++v) {
    for (const std::uint32_t e : m.incoming[v]) {
      std::uint32_t current = e;
      std::uint32_t item = p.sources[e];
      std::uint32_t region = p.region_of[item];
      std::uint32_t common = region;
      for (std::uint32_t other = p.region_of[v]; common != other;) {
        (p.depths[common] >= p.depths[other] ? common : other) =
            p.depths[common] >= p.depths[other] ? p.parents[common] : p.parents[other];
      }
      bool is_shared = false;
      for (; region != common && !is_shared; region = p.parents[region]) {
        is_shared = m.exit_targets[region] == v;
        if (!is_shared) {
          m.exit_targets[region] = v;
          m.exit_links[region] = add({});
        }
        p.links[current] = {region, item, layout_none, m.exit_links[region]};
        current = m.exit_links[region];
        item = num_nodes + region;
      }
      if (is_shared) {
        continue;
      }
      std::uint32_t below = v;
      std::uint32_t next = layout_none;
      for (std::uint32_t r = p.region_of[v]; r != common; r = p.parents[r]) {
        if (m.entry_targets[r] != v) {
          m.entry_targets[r] = v;
          m.entry_links[r] = add({r, layout_none, below, next});
        }
        next = m.entry_links[r];
        below = num_nodes + r;
      }
      p.links[current] = {common, item, below, next};
    }
  }
  p.links_of.fill(num_regions, p.links.size(), [&](std::uint32_t k) { return p.links[k].region; });
}

} // namespace detail

MIDEND_END_NAMESPACE
