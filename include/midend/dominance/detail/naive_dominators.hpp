/// Dominators by their definition: the oracle.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/detail/search_numbers.hpp"
#include "midend/graph/concepts.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// a dominates b if the entry does not reach b when a is removed. Shares no search with the algorithms that it tests:
/// nodes are numbered breadth first, so that dominators come before the nodes that they dominate, and the last strict
/// dominator of a node is the immediate one.
struct naive_dominators_algorithm {
  template <class G> static constexpr std::uint32_t run(const G& g, std::uint32_t* number, dominance_arrays& a) {
    const node_id count = node_count(g);
    if (count == 0) {
      return 0;
    }
    std::uint32_t* const stamp = a.ancestor;
    for (node_id n = 0; n != count; ++n) {
      a.idom[n] = 0;
      stamp[n] = no_node;
    }
    const std::uint32_t reached = search_avoiding(g, no_node, 0, a.vertex, stamp);
    for (std::uint32_t w = 0; w != reached; ++w) {
      number[a.vertex[w]] = w;
    }
    for (std::uint32_t removed = 1; removed < reached; ++removed) { // without the entry nothing is reached
      search_avoiding(g, a.vertex[removed], removed, a.label, stamp);
      for (std::uint32_t w = removed + 1; w < reached; ++w) {
        if (stamp[a.vertex[w]] != removed) {
          a.idom[w] = removed;
        }
      }
    }
    return reached;
  }

  /// Breadth-first search that does not enter `avoided`. Gives each node that it reaches the stamp `mark`, lists these
  /// nodes in `order`, and returns how many there are.
  template <class G>
  static constexpr std::uint32_t search_avoiding(const G& g, node_id avoided, std::uint32_t mark, node_id* order,
                                                 std::uint32_t* stamp) {
    const node_id entry = node_in(g, g.entry());
    stamp[entry] = mark;
    order[0] = entry;
    std::uint32_t found = 1;
    for (std::uint32_t i = 0; i != found; ++i) {
      for (const auto successor : g.successors(order[i])) {
        const node_id n = node_in(g, successor);
        if (n != avoided && stamp[n] != mark) {
          stamp[n] = mark;
          order[found++] = n;
        }
      }
    }
    return found;
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
