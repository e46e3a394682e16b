/// `edge_update`: what is said of a change of a graph to those who keep results up to date.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

enum class edge_change : std::uint8_t { insert, erase };

/// One edge `source → target` came or went. Parallel edges come and go one by one.
struct edge_update {
  edge_change change;
  node_id source;
  node_id target;

  friend constexpr bool operator==(edge_update, edge_update) = default;
};

MIDEND_END_NAMESPACE
