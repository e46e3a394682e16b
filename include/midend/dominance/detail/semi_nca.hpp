/// Semi-NCA.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/detail/path_minimum.hpp"
#include "midend/dominance/detail/search_numbers.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Georgiadis, Tarjan, Werneck, "Finding dominators in practice", J. Graph Algorithms Appl. 10(1), 2006.
///
/// Nodes are preorder numbers. The forest of evaluated nodes then needs no links: when w is evaluated, it consists of
/// the numbers above w, so "v has an ancestor in the forest" is `ancestor[v] > w`.
struct semi_nca_algorithm {
  /// Numbers the graph and leaves idom[] in the arrays. Returns the number of reachable nodes.
  template <class G> static constexpr std::uint32_t run(const G& g, std::uint32_t* number, dominance_arrays& a) {
    const std::uint32_t reached = number_and_chain(g, number, a);
    if (a.num_chained != 0) {
      evaluate_semidominators(a, reached, [](std::uint32_t, std::uint32_t) {});
    }
    ascend_to_idoms(a, reached);
    return reached;
  }

  /// Calls `backedge(v, w)` for each edge v → w whose target dominates its source: exactly if w itself is the least
  /// semidominator between w and v, that is, if no edge enters the path from outside. Targets come in
  /// descending order.
  template <class Backedge>
  static constexpr void evaluate_semidominators(dominance_arrays& a, std::uint32_t reached, Backedge backedge) {
    std::uint32_t* const semi = a.semi;
    std::uint32_t* const label = a.label;
    std::uint32_t* const ancestor = a.ancestor;
    const std::uint32_t* const parent = a.idom;
    const std::uint32_t* const chain = a.chain;
    const chained_edge* const edges = a.edges;
    const span<const std::uint32_t> targets = select(
        a.selected, reached, [&](std::uint32_t i) { return reached - 1 - i; },
        [&](std::uint32_t w) {
          label[w] = semi[w];
          ancestor[w] = parent[w];
          return chain[w] != end_of_chain;
        });
    for (const std::uint32_t w : targets) {
      std::uint32_t best = semi[w];
      std::uint32_t edge = chain[w];
      do {
        const std::uint32_t source = edges[edge].source;
        const std::uint32_t found = least_label_on_path(source, w, label, ancestor);
        best = min(best, found);
        if (found == w || source == w) {
          backedge(source, w);
        }
        edge = edges[edge].next;
      } while (edge != end_of_chain);
      semi[w] = label[w] = best;
    }
  }

  /// The numbers `at(0) … at(count - 1)` that are `wanted`, selected without branches: whether a node has chained
  /// edges, or must ascend, is unpredictable, so selecting first is cheaper.
  template <class At, class Wanted>
  static constexpr span<const std::uint32_t> select(std::uint32_t* selected, std::uint32_t count, At at,
                                                    Wanted wanted) {
    std::size_t used = 0;
    for (std::uint32_t i = 0; i != count; ++i) {
      const std::uint32_t w = at(i);
      selected[used] = w;
      used += wanted(w);
    }
    return {selected, used};
  }

  /// The immediate dominator of w is the closest ancestor of its parent, in the tree of dominators so far, that is not
  /// below its semidominator. If the semidominator is the parent, so is the immediate dominator.
  static constexpr void ascend_to_idoms(dominance_arrays& a, std::uint32_t reached) {
    std::uint32_t* const idom = a.idom;
    const std::uint32_t* const semi = a.semi;
    const span<const std::uint32_t> below = select(
        a.selected, reached, [](std::uint32_t w) { return w; }, [&](std::uint32_t w) { return semi[w] != idom[w]; });
    for (const std::uint32_t w : below) {
      std::uint32_t d = idom[idom[w]];
      while (d > semi[w]) {
        d = idom[d];
      }
      idom[w] = d;
    }
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
