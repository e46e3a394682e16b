/// Orders in which sweeps visit nodes: `node(position)` and `position(node)`.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/flow_direction.hpp"
#include "midend/graph/concepts.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Nodes by number, in the direction of flow. Most front ends number blocks in the order of the source, which is as
/// good an order as a search would find.
template <flow_direction Direction> struct number_order {
  std::uint32_t size;

  constexpr node_id node(std::uint32_t position) const {
    return Direction == flow_direction::forward ? position : size - 1 - position;
  }

  constexpr std::uint32_t position(node_id n) const { return Direction == flow_direction::forward ? n : size - 1 - n; }
};

/// Nodes in an order that a search has found.
struct listed_order {
  std::uint32_t size;
  const node_id* nodes;
  const std::uint32_t* positions;

  constexpr node_id node(std::uint32_t position) const { return nodes[position]; }

  constexpr std::uint32_t position(node_id n) const { return positions[n]; }
};

} // namespace detail

MIDEND_END_NAMESPACE
