/// `unfolding_witness`: how a transformed program stands for the original one. `verify_unfolding` checks it.
///
/// The graph of the new program is an *unfolding* of the old one: a reachable node of the new graph is either a *copy*
/// of an old node, or it is *inserted* and holds no operation of the program. Edges of a copy correspond to the edges
/// of the old node. Numbers of both programs may coincide: a node, edge or value that was not changed stands for
/// itself.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Why a copy lacks an edge of its original.
enum class drop_reason : std::uint8_t {
  constant_condition, ///< the condition is a value of the new program that `known_constant` knows, with another case
  equal_edges,        ///< another edge of the node leads to the same node with the same phi inputs, perhaps through
                      ///< empty nodes
  assumed             ///< a reason that the checker cannot see, such as a trip count; it counts these edges
};

/// An edge that a copy lacks.
struct dropped_edge {
  node_id node;       ///< of the new program
  edge_id edge;       ///< of the old program
  std::uint32_t like; ///< for `constant_condition` the value; for `equal_edges` the old edge that is taken instead
  drop_reason why;
};

/// An old node that was appended to another one.
struct merged_node {
  node_id into; ///< of the new program
  node_id node; ///< of the old program: the only successor of the last node that `into` stood for before
};

/// The origin of each node, edge and value of the new program in the old one.
struct unfolding_witness {
  flat_array<node_id> node_origin;   ///< the old node, or the first of several; `no_node` if inserted
  flat_array<merged_node> merged;    ///< in the order in which they follow each other
  flat_array<edge_id> edge_origin;   ///< valid for edges of copies; `no_edge` for edges of inserted nodes
  flat_array<value_id> value_origin; ///< the origin of operations, and of phis that copy old ones; else `no_value`.
                                     ///< Empty if all values are old and stand for themselves
  flat_array<dropped_edge> dropped;

  /// The value for which a value of the new program stands.
  constexpr value_id origin_of_value(value_id v) const { return value_origin.empty() ? v : value_origin[v]; }

  /// Everything stands for itself: `nodes` nodes, `edges` edges and all values.
  constexpr void start(std::size_t nodes, std::size_t edges) {
    merged.clear();
    dropped.clear();
    count_up(node_origin, nodes);
    count_up(edge_origin, edges);
    value_origin.clear();
  }

  /// Also lists `values` values, to which others may be added.
  constexpr void start(std::size_t nodes, std::size_t edges, std::size_t values) {
    start(nodes, edges);
    start_values(values);
  }

  /// Lists the values if all stand for themselves without being listed, so that others can be added.
  constexpr void start_values(std::size_t values) {
    if (value_origin.empty()) {
      count_up(value_origin, values);
    }
  }

  /// Makes room for more nodes, edges and values, which have no origin yet.
  constexpr void grow(std::size_t nodes, std::size_t edges, std::size_t values) {
    extend(node_origin, nodes);
    extend(edge_origin, edges);
    extend(value_origin, values);
  }

private:
  static constexpr void count_up(flat_array<std::uint32_t>& ids, std::size_t count) {
    ids.resize_for_overwrite(count);
    for (std::size_t i = 0; i != count; ++i) {
      ids[i] = static_cast<std::uint32_t>(i);
    }
  }

  static constexpr void extend(flat_array<std::uint32_t>& ids, std::size_t count) {
    while (ids.size() < count) {
      ids.push_back(0xffff'ffff);
    }
  }
};

/// Whether some edge was dropped for a reason that `verify_unfolding` cannot see.
constexpr bool has_assumptions(const unfolding_witness& witness) {
  for (const dropped_edge& d : witness.dropped) {
    if (d.why == drop_reason::assumed) {
      return true;
    }
  }
  return false;
}

MIDEND_END_NAMESPACE
