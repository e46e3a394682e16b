/// Dominators by their definition: the oracle.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/detail/workspace.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// a dominates b if the entry does not reach b once a is taken out. Shares no search with the algorithms it judges:
/// nodes are numbered breadth first, where dominators come before what they dominate too, and the last strict dominator
/// of a node is the immediate one.
struct naive_dominators_algorithm {
  template <class G> static constexpr std::uint32_t run(const G& g, std::uint32_t* number, dominance_arrays& a) {
    const node_id count = node_count(g);
    a.vertex.clear();
    a.idom.assign(count, 0);
    a.ancestor.assign(count, no_node);
    if (count == 0) {
      return 0;
    }
    search_avoiding(g, no_node, 0, a.vertex, a.ancestor);
    const auto reached = static_cast<std::uint32_t>(a.vertex.size());
    for (std::uint32_t w = 0; w != reached; ++w) {
      number[a.vertex[w]] = w;
    }
    for (std::uint32_t removed = 1; removed < reached; ++removed) { // without the entry nothing is reached
      a.label.clear();
      search_avoiding(g, a.vertex[removed], removed, a.label, a.ancestor);
      for (std::uint32_t w = removed + 1; w < reached; ++w) {
        if (a.ancestor[a.vertex[w]] != removed) {
          a.idom[w] = removed;
        }
      }
    }
    return reached;
  }

  /// Breadth-first search that does not enter `avoided`; gives what it reaches the stamp `mark` and appends it to
  /// `order`.
  template <class G>
  static constexpr void search_avoiding(const G& g, node_id avoided, std::uint32_t mark, flat_array<node_id>& order,
                                        flat_array<std::uint32_t>& stamp) {
    const auto entry = static_cast<node_id>(g.entry());
    stamp[entry] = mark;
    order.push_back(entry);
    for (std::size_t i = 0; i != order.size(); ++i) {
      auto&& successors = g.successors(order[i]);
      const auto last = std::end(successors);
      for (auto it = std::begin(successors); it != last; ++it) {
        const auto n = static_cast<node_id>(*it);
        if (n != avoided && stamp[n] != mark) {
          stamp[n] = mark;
          order.push_back(n);
        }
      }
    }
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
