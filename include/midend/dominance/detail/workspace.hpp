/// What the dominator algorithms share: the search into preorder numbers, and the memory.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/work_stack.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

inline constexpr std::uint32_t end_of_chain = 0xffff'ffff;

/// An edge in a list of edges, and the position of the next one in the list.
struct chained_edge {
  std::uint32_t source;
  std::uint32_t next;
};

/// An edge that the search has not looked at: from a number to a node.
struct pending_edge {
  std::uint32_t source;
  node_id target;
};

/// What the dominator algorithms own between calls.
struct dominance_memory {
  flat_array<node_id> vertex;
  flat_array<std::uint32_t> idom;
  flat_array<std::uint32_t> semi;
  flat_array<chained_edge> edges;
  flat_array<pending_edge> pending;
  flat_array<std::uint64_t> ranked_label;
  flat_array<std::uint32_t> bucket;
  flat_array<std::uint32_t> bucket_next;
  flat_array<std::uint32_t> size;
  flat_array<std::uint32_t> child;
  flat_array<std::uint32_t> chain;
  flat_array<std::uint32_t> label;
  flat_array<std::uint32_t> ancestor;
  flat_array<std::uint32_t> selected;
};

/// The arrays of one call. Everything but `vertex` is indexed by the number that a search gave to a node and holds such
/// numbers: the algorithms never touch a node id. Four of them may lie in the columns of a result that are written
/// last: large graphs are bound by the memory they touch.
struct dominance_arrays {
  constexpr explicit dominance_arrays(dominance_memory& m)
      : dominance_arrays(m, m.chain, m.label, m.ancestor, m.selected) {}

  constexpr dominance_arrays(dominance_memory& m, flat_array<std::uint32_t>& chain_column,
                             flat_array<std::uint32_t>& label_column, flat_array<std::uint32_t>& ancestor_column,
                             flat_array<std::uint32_t>& selected_column)
      : vertex(m.vertex), idom(m.idom), semi(m.semi), edges(m.edges), pending(m.pending), chain(chain_column),
        label(label_column), ancestor(ancestor_column), selected(selected_column), ranked_label(m.ranked_label),
        bucket(m.bucket), bucket_next(m.bucket_next), size(m.size), child(m.child) {}

  flat_array<node_id>& vertex;       ///< number → node
  flat_array<std::uint32_t>& idom;   ///< the result, idom[w] < w but for 0; at first the parent in the search tree
  flat_array<std::uint32_t>& semi;   ///< semidominator; after the search the best that tree and forward edges give
  flat_array<chained_edge>& edges;   ///< in the order in which they were found
  flat_array<pending_edge>& pending; ///< stack of the search
  flat_array<std::uint32_t>& chain;  ///< first edge, neither tree nor forward, into w: an index of `edges`
  flat_array<std::uint32_t>& label;  ///< scratch of the algorithms from here on
  flat_array<std::uint32_t>& ancestor;
  flat_array<std::uint32_t>& selected;
  flat_array<std::uint64_t>& ranked_label;
  flat_array<std::uint32_t>& bucket;
  flat_array<std::uint32_t>& bucket_next;
  flat_array<std::uint32_t>& size;
  flat_array<std::uint32_t>& child;
  std::size_t num_chained = 0;
};

/// Whether the entry of a graph is none of its own nodes, as that of `reversed_to_exit`. The search enters `g.roots()`
/// from there, and whenever it has no edge left to look at, the node without a number that `g.late_root(number, met)`
/// gives, until that is `no_node`. `g.inner_successors(n)` is asked of all other nodes.
template <class G> inline constexpr bool has_virtual_entry = false;

template <class G> constexpr node_id late_root(const G& g, const std::uint32_t* number, std::uint32_t met) {
  if constexpr (has_virtual_entry<G>) {
    return g.late_root(number, met);
  } else {
    return no_node;
  }
}

template <class G> constexpr decltype(auto) inner_successors(const G& g, node_id n) {
  if constexpr (has_virtual_entry<G>) {
    return g.inner_successors(n);
  } else {
    return g.successors(n);
  }
}

/// Depth-first search from the entry that turns the graph into numbers, as the semidominator algorithms need them:
///
/// - `number[n]` becomes the preorder number of `n`; it must be `no_node` everywhere before.
/// - A forward edge u → w only ever offers u as a semidominator, because u is not yet in the forest when w is
///   evaluated: it is folded into `semi[w]` at once and forgotten.
/// - Back and cross edges are chained by target. No list of predecessors is needed.
///
/// Successors are taken last to first, which lets each range be read once, in order, and stacked as it comes. Returns
/// the number of reachable nodes. O(n + m).
template <class G> constexpr std::uint32_t number_and_chain(const G& g, std::uint32_t* number, dominance_arrays& a) {
  const node_id count = node_count(g);
  a.vertex.resize_for_overwrite(count);
  a.idom.resize_for_overwrite(count);
  a.semi.resize_for_overwrite(count + std::size_t{2}); // balanced linking has two numbers behind the last
  a.chain.resize_for_overwrite(count);
  a.num_chained = 0;
  if (count == 0) {
    return 0;
  }
  node_id* const vertex = a.vertex.data();
  std::uint32_t* const parent = a.idom.data();
  std::uint32_t* const semi = a.semi.data();
  std::uint32_t* const chain = a.chain.data();
  work_stack<pending_edge> pending(a.pending);
  work_stack<chained_edge> edges(a.edges);
  const auto chain_edge = [&](std::uint32_t from, std::uint32_t to) {
    edges.push({from, chain[to]});
    chain[to] = static_cast<std::uint32_t>(edges.size() - 1);
  };
  const auto fold_or_chain = [&](std::uint32_t from, std::uint32_t to) {
    if (from < to) {
      semi[to] = from < semi[to] ? from : semi[to];
    } else {
      chain_edge(from, to);
    }
  };
  std::uint32_t met = 0;
  const auto enter = [&](node_id n, std::uint32_t source) {
    const std::uint32_t w = met++;
    number[n] = w;
    vertex[w] = n;
    parent[w] = source;
    semi[w] = source;
    chain[w] = end_of_chain;
    return w;
  };
  if constexpr (has_virtual_entry<G>) {
    enter(g.entry(), 0);
    for (const node_id root : g.roots()) {
      pending.push({0, root});
    }
  } else {
    pending.push({0, static_cast<node_id>(g.entry())});
  }
  for (;;) {
    std::uint32_t source = 0;
    node_id at = no_node;
    for (;;) { // look at edges until a target turns up that is new
      if (pending.empty()) {
        at = late_root(g, number, met);
        if (at == no_node) {
          a.num_chained = edges.size();
          return met;
        }
        break;
      }
      const pending_edge next = pending.pop();
      if (number[next.target] == no_node) {
        source = next.source;
        at = next.target;
        break;
      }
      fold_or_chain(next.source, number[next.target]);
    }
    for (;;) { // follow last successors as long as they are new
      const std::uint32_t w = enter(at, source);
      auto&& successors = inner_successors(g, at);
      auto it = std::begin(successors);
      const auto last = std::end(successors);
      if (it == last) {
        break;
      }
      at = static_cast<node_id>(*it);
      while (++it != last) {
        if (number[at] == no_node) {
          pending.push({w, at});
        } else {
          chain_edge(w, number[at]); // met before w, so no forward edge
        }
        at = static_cast<node_id>(*it);
      }
      if (number[at] != no_node) {
        chain_edge(w, number[at]);
        break;
      }
      source = w;
    }
  }
}

} // namespace detail

/// Memory for dominator computations that are done again and again, by any of the algorithms.
class dominators_workspace {
public:
  /// For the algorithms; not part of the interface.
  detail::dominance_memory memory_;
};

MIDEND_END_NAMESPACE
