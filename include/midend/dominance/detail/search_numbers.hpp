/// The common part of the dominator algorithms: the search that numbers a graph, and the arrays of one call.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/detail/arena.hpp"

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

/// An edge that the search has not followed yet: from a number to a node.
struct pending_edge {
  std::uint32_t source;
  node_id target;
};

/// The first capacity of a search's stacks: enough, if the graph knows the number of its edges.
template <class G> constexpr std::size_t stack_capacity(const G& g) {
  if constexpr (edge_indexed_flow_graph<G>) {
    return static_cast<std::size_t>(g.num_edges()) + 1;
  } else {
    return static_cast<std::size_t>(g.num_nodes()) + 16;
  }
}

/// Four columns with one number for each node. They may be columns of a result that is written last: on large graphs
/// the memory that is touched decides the speed.
struct scratch_columns {
  std::uint32_t* chain;
  std::uint32_t* label;
  std::uint32_t* ancestor;
  std::uint32_t* selected;
};

/// The arrays of one call. All but `vertex` are indexed by the number that a search gave to a node and hold such
/// numbers: the algorithms never use node ids. An algorithm allocates its own arrays from `memory`.
struct dominance_arrays {
  /// Ends the life of all other arrays in `arrays`.
  template <class G>
  constexpr dominance_arrays(const G& g, arena& arrays) : dominance_arrays(g, arrays, std::size_t{7}) {
    const std::size_t count = node_count(g);
    chain = semi + count + 2;
    label = chain + count;
    ancestor = label + count;
    selected = ancestor + count;
  }

  template <class G>
  constexpr dominance_arrays(const G& g, arena& arrays, const scratch_columns& columns)
      : dominance_arrays(g, arrays, std::size_t{3}) {
    chain = columns.chain;
    label = columns.label;
    ancestor = columns.ancestor;
    selected = columns.selected;
  }

  arena& memory;
  node_id* vertex = nullptr;      ///< number → node
  std::uint32_t* idom = nullptr;  ///< the result, idom[w] < w but for 0; at first the parent in the search tree
  std::uint32_t* semi = nullptr;  ///< semidominator; after the search the best that tree and forward edges give
  std::uint32_t* chain = nullptr; ///< first edge, neither tree nor forward, into w: an index of `edges`
  std::uint32_t* label = nullptr; ///< scratch of the algorithms, as the next two
  std::uint32_t* ancestor = nullptr;
  std::uint32_t* selected = nullptr;
  chained_edge* edges = nullptr; ///< in the order in which the search found them
  std::size_t num_chained = 0;   ///< how many `edges` there are

private:
  template <class G> constexpr dominance_arrays(const G& g, arena& arrays, std::size_t num_columns) : memory(arrays) {
    const std::size_t count = node_count(g);
    const std::size_t numbers = num_columns * count + 2; // balanced linking has two numbers after the last
    const std::size_t stacks = stack_capacity(g) * (sizeof(chained_edge) + sizeof(pending_edge));
    memory.reset(numbers * sizeof(std::uint32_t) + stacks + 16);
    vertex = memory.array<std::uint32_t>(numbers);
    idom = vertex + count;
    semi = idom + count;
  }
};

/// Whether the entry of a graph is a virtual node, as in `reversed_to_exit`. The search enters `g.roots()` from there.
/// When it has no edge left, it enters the node that `g.late_root(number, met)` returns, until that is `no_node`. For
/// all other nodes it calls `g.inner_successors(n)`.
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

/// Depth-first search from the entry that turns the graph into numbers, as the semidominator algorithms need it:
///
/// - `number[n]` becomes the preorder number of `n`; it must be `no_node` everywhere before.
/// - A forward edge u → w only makes u a candidate for the semidominator of w, because u is
///   not yet in the forest when w is evaluated: it is merged into `semi[w]` at once and
///   forgotten.
/// - Back and cross edges are chained by target. No list of predecessors is needed.
///
/// Successors are followed last to first, so that each range is read once, in order, and pushed. Returns the number of
/// reachable nodes. O(n + m).
template <class G> constexpr std::uint32_t number_and_chain(const G& g, std::uint32_t* number, dominance_arrays& a) {
  a.num_chained = 0;
  if (node_count(g) == 0) {
    return 0;
  }
  node_id* const vertex = a.vertex;
  std::uint32_t* const parent = a.idom;
  std::uint32_t* const semi = a.semi;
  std::uint32_t* const chain = a.chain;
  arena_stack<pending_edge> pending(a.memory, stack_capacity(g));
  arena_stack<chained_edge> edges(a.memory, stack_capacity(g));
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
    pending.push({0, node_in(g, g.entry())});
  }
  for (;;) {
    std::uint32_t source = 0;
    node_id at = no_node;
    for (;;) { // follow edges until there is a new target
      if (pending.empty()) {
        at = late_root(g, number, met);
        if (at == no_node) {
          a.edges = edges.data();
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
    for (;;) { // go to last successors while they are new
      const std::uint32_t w = enter(at, source);
      auto&& successors = inner_successors(g, at);
      auto it = std::begin(successors);
      const auto last = std::end(successors);
      if (it == last) {
        break;
      }
      at = node_in(g, *it);
      while (++it != last) {
        if (number[at] == no_node) {
          pending.push({w, at});
        } else {
          chain_edge(w, number[at]); // met before w, so no forward edge
        }
        at = node_in(g, *it);
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

MIDEND_END_NAMESPACE
