/// Semi-NCA.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/detail/workspace.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Georgiadis, Tarjan, Werneck, "Finding dominators in practice", J. Graph Algorithms Appl. 10(1), 2006.
///
/// In preorder numbers. Here the forest of evaluated nodes needs no links: at the time of w it is exactly the nodes
/// above w, so "v has an ancestor in the forest" reads `ancestor[v] > w`.
struct semi_nca_algorithm {
  /// Numbers the graph and leaves idom[] in the arrays. Returns the number of reachable nodes.
  template <class G> static constexpr std::uint32_t run(const G& g, std::uint32_t* number, dominance_arrays& a) {
    const std::uint32_t reached = number_and_chain(g, number, a);
    if (a.num_chained != 0) {
      evaluate_semidominators(a, reached);
    }
    ascend_to_idoms(a, reached);
    return reached;
  }

  static constexpr void evaluate_semidominators(dominance_arrays& a, std::uint32_t reached) {
    a.label.assign(std::span<const std::uint32_t>(a.semi.data(), reached));
    a.ancestor.assign(std::span<const std::uint32_t>(a.idom.data(), reached));
    std::uint32_t* const semi = a.semi.data();
    std::uint32_t* const label = a.label.data();
    std::uint32_t* const ancestor = a.ancestor.data();
    const std::uint32_t* const chain = a.chain.data();
    const chained_edge* const edges = a.edges.data();
    for (std::uint32_t w = reached; w-- > 1;) {
      std::uint32_t edge = chain[w];
      if (edge == end_of_chain) {
        continue;
      }
      std::uint32_t best = semi[w];
      do {
        const std::uint32_t found = evaluate(edges[edge].source, w, label, ancestor);
        best = found < best ? found : best;
        edge = edges[edge].next;
      } while (edge != end_of_chain);
      semi[w] = label[w] = best;
    }
  }

  /// The least semidominator on the tree path from v up to the last node above w. Paths are halved on the way (Tarjan
  /// and van Leeuwen, "Worst-case analysis of set union algorithms", J. ACM 31(2), 1984): O(log n) amortised.
  static constexpr std::uint32_t evaluate(std::uint32_t v, std::uint32_t w, std::uint32_t* label,
                                          std::uint32_t* ancestor) {
    // Most paths are one or two nodes long, unpredictably: both cases are done without a branch.
    std::uint32_t up = ancestor[v];
    std::uint32_t least = label[v];
    const std::uint32_t above = up > w ? label[up] : least;
    least = above < least ? above : least;
    std::uint32_t next = ancestor[up];
    if (next <= w) {
      return least;
    }
    label[v] = least;
    ancestor[v] = next;
    for (v = next;;) {
      least = label[v] < least ? label[v] : least;
      up = ancestor[v];
      if (up <= w) {
        return least;
      }
      least = label[up] < least ? label[up] : least;
      next = ancestor[up];
      if (next <= w) {
        return least;
      }
      label[v] = label[up] < label[v] ? label[up] : label[v];
      ancestor[v] = next;
      v = next;
    }
  }

  /// The immediate dominator of w is the closest ancestor of its parent, in the tree of dominators so far, that is not
  /// below its semidominator.
  static constexpr void ascend_to_idoms(dominance_arrays& a, std::uint32_t reached) {
    std::uint32_t* const idom = a.idom.data();
    const std::uint32_t* const semi = a.semi.data();
    for (std::uint32_t w = 1; w < reached; ++w) {
      std::uint32_t d = idom[w];
      while (d > semi[w]) {
        d = idom[d];
      }
      idom[w] = d;
    }
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
