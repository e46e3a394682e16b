/// `edge_update`: one change of a graph, for results that follow it.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

enum class edge_change : std::uint8_t { insert, erase };

/// One edge `source → target` was inserted or erased. Each of several parallel edges is an update of its own.
struct edge_update {
  edge_change change;
  node_id source;
  node_id target;

  friend constexpr bool operator==(edge_update, edge_update) = default;
};

MIDEND_END_NAMESPACE
