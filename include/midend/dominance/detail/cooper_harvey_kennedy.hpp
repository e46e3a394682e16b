/// The iterative algorithm of Cooper, Harvey and Kennedy.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/detail/search_numbers.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/detail/arena.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Cooper, Harvey, Kennedy, "A simple, fast dominance algorithm", Rice University TR-06-33870, 2001 (revised 2006).
///
/// Two departures. Fingers are compared by preorder instead of postorder numbers; that is enough because a dominator
/// has the smaller number. And the second sweep visits only retreating edges: if their targets dominate their sources,
/// as in reducible flow, there is no further sweep.
struct cooper_harvey_kennedy_algorithm {
  static constexpr std::uint32_t leave_mark = 0x8000'0000;

  /// Numbers the graph and leaves idom[] in the arrays. Returns the number of reachable nodes.
  template <class G> static constexpr std::uint32_t run(const G& g, std::uint32_t* number, dominance_arrays& a) {
    const std::uint32_t reached = number_in_postorder(g, number, a);
    if (reached != 0 && !first_sweep(a, reached)) {
      while (!sweep(a, reached)) {
      }
    }
    return reached;
  }

  /// Gives nodes preorder numbers. Leaves the tree parents in `semi`, all other edges chained by target, and the
  /// numbers in postorder in `label`.
  template <class G>
  static constexpr std::uint32_t number_in_postorder(const G& g, std::uint32_t* number, dominance_arrays& a) {
    if (node_count(g) == 0) {
      return 0;
    }
    std::uint32_t* const parent = a.semi;
    std::uint32_t* const chain = a.chain;
    std::uint32_t* const postorder = a.label;
    arena_stack<pending_edge> pending(a.memory,
                                      stack_capacity(g)); // with a leave mark, `target` is the number to leave
    arena_stack<chained_edge> edges(a.memory, stack_capacity(g));
    const auto chain_edge = [&](std::uint32_t from, std::uint32_t to) {
      edges.push({from, chain[to]});
      chain[to] = static_cast<std::uint32_t>(edges.size() - 1);
    };
    std::uint32_t met = 0;
    std::uint32_t left = 0;
    std::uint32_t source = 0;
    node_id at = node_in(g, g.entry());
    for (;;) {
      const std::uint32_t w = met++;
      number[at] = w;
      a.vertex[w] = at;
      a.idom[w] = no_node;
      parent[w] = source;
      chain[w] = end_of_chain;
      pending.push({0, w | leave_mark});
      auto&& successors = g.successors(at);
      auto it = std::begin(successors);
      const auto last = std::end(successors);
      if (it != last) {
        at = node_in(g, *it);
        while (++it != last) {
          if (number[at] == no_node) {
            pending.push({w, at});
          } else {
            chain_edge(w, number[at]);
          }
          at = node_in(g, *it);
        }
        source = w;
        if (number[at] == no_node) {
          continue;
        }
        chain_edge(w, number[at]);
      }
      for (;;) { // leave nodes and follow edges until there is a new target
        if (pending.empty()) {
          a.edges = edges.data();
          a.num_chained = edges.size();
          return met;
        }
        const pending_edge next = pending.pop();
        if ((next.target & leave_mark) != 0) {
          postorder[left++] = next.target & ~leave_mark;
        } else if (number[next.target] == no_node) {
          source = next.source;
          at = next.target;
          break;
        } else {
          chain_edge(next.source, number[next.target]);
        }
      }
    }
  }

  /// One sweep in reverse postorder over the edges whose source is done. Returns whether the other edges, the
  /// retreating ones, change nothing.
  static constexpr bool first_sweep(dominance_arrays& a, std::uint32_t reached) {
    std::uint32_t* const idom = a.idom;
    const std::uint32_t* const parent = a.semi;
    const std::uint32_t* const postorder = a.label;
    arena_stack<pending_edge> retreating(a.memory, a.num_chained);
    idom[0] = 0;
    for (std::uint32_t i = reached - 1; i-- > 0;) {
      const std::uint32_t w = postorder[i];
      std::uint32_t d = parent[w];
      for (std::uint32_t edge = a.chain[w]; edge != end_of_chain;) {
        const auto [source, next] = a.edges[edge];
        if (idom[source] == no_node) {
          retreating.push({source, w});
        } else {
          d = intersect(d, source, idom);
        }
        edge = next;
      }
      idom[w] = d;
    }
    while (!retreating.empty()) {
      const auto [source, target] = retreating.pop();
      if (intersect(idom[target], source, idom) != idom[target]) {
        return false;
      }
    }
    return true;
  }

  /// One sweep over all edges. Returns whether nothing changed.
  static constexpr bool sweep(dominance_arrays& a, std::uint32_t reached) {
    std::uint32_t* const idom = a.idom;
    bool stable = true;
    for (std::uint32_t i = reached - 1; i-- > 0;) {
      const std::uint32_t w = a.label[i];
      std::uint32_t d = a.semi[w];
      for (std::uint32_t edge = a.chain[w]; edge != end_of_chain; edge = a.edges[edge].next) {
        d = intersect(d, a.edges[edge].source, idom);
      }
      stable = stable && idom[w] == d;
      idom[w] = d;
    }
    return stable;
  }

  static constexpr std::uint32_t intersect(std::uint32_t a, std::uint32_t b, const std::uint32_t* idom) {
    while (a != b) {
      while (a > b) {
        a = idom[a];
      }
      while (b > a) {
        b = idom[b];
      }
    }
    return a;
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
