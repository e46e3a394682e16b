/// The search for cycles, which `cycles`, `weak_topological_order` and `is_reducible` share.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/detail/search_numbers.hpp"
#include "midend/dominance/detail/semi_nca.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/loops/detail/loop_drafts.hpp"
#include "midend/loops/search_order.hpp"
#include "midend/support/detail/arena.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// An edge into a cycle from outside that waits until the walk over the headers reaches the lowest common ancestor of
/// its ends.
struct deferred_edge {
  std::uint32_t edge;   ///< an index of the chained edges
  std::uint32_t target; ///< the block that it enters
  std::uint32_t next;   ///< the next edge that waits for the same node
};

/// An entry of a cycle other than its header, and the innermost cycle that the edge enters.
struct entered_draft {
  std::uint32_t block;
  std::uint32_t draft;
};

/// The memory of the search. Nodes are the numbers that the search gave them, except in `number` and `turned`.
struct cycle_memory {
  arena search;
  const node_id* vertex = nullptr;             ///< by number: the node; this and the next two belong to the last search
  const std::uint32_t* parent = nullptr;       ///< by number: the parent in the search tree
  const std::uint32_t* entered_from = nullptr; ///< by number: the least number that an edge into the node comes from
  flat_array<std::uint32_t> number;            ///< by node, for callers that have no result to keep it in
  flat_array<node_id> turned;
  flat_array<std::uint32_t> last;          ///< by node: the largest number of a descendant in the search tree
  flat_array<std::uint64_t> marked;        ///< a bit by node: a header, or edges wait for it
  flat_array<std::uint32_t> draft_of;      ///< by node: the innermost draft
  flat_array<std::uint32_t> with_edges;    ///< stack of nodes whose chains are still to visit
  flat_array<std::uint32_t> ancestor;      ///< by node: some ancestor; filled when the first edge is deferred
  flat_array<std::uint32_t> first_waiting; ///< by node: an index of `waiting`; filled likewise
  flat_array<deferred_edge> waiting;
  flat_array<entered_draft> entered; ///< draft by draft
  loop_drafts drafts;                ///< of numbers
};

/// Havlak, "Nesting of reducible and irreducible loops", TOPLAS 19(4), 1997, made almost linear as by Ramalingam,
/// "Identifying loops in almost linear time", TOPLAS 21(2), 1999. A node is a header if an edge comes back to it from a
/// descendant in the search tree. In descending order of numbers, and thus from inner cycles to outer ones, a header
/// takes the nodes that reach these edges through its descendants; an inner cycle is treated as one node, found by
/// union-find.
///
/// No predecessors are needed: with a node, the tree path from the header to it is in the cycle, forward edges within
/// the cycle start on such paths, and the search has chained the other edges by target. An edge into the cycle from
/// elsewhere makes it irreducible. Havlak moves it to the header, and to the next header, and so on. Here it waits
/// until the walk over the headers reaches the lowest common ancestor of its ends: no header before is above both, and
/// each header from then on that is above the target is above the source. Such edges, and the ancestor, are
/// searched only in irreducible cycles, so a reducible graph has no extra cost.
struct cycle_search {
  static constexpr std::uint32_t none = loop_drafts::none;

  cycle_memory& m;
  dominance_arrays a;

  template <class G> constexpr cycle_search(const G& g, cycle_memory& memory) : m(memory), a(g, memory.search) {}

  /// Numbers the graph and leaves drafts of its cycles: of all, or of those up to the first irreducible one. Returns
  /// the number of reachable nodes.
  template <class G> constexpr std::uint32_t run(const G& g, std::uint32_t* number, bool all) {
    const std::uint32_t reached = number_and_chain(g, number, a);
    m.vertex = a.vertex;
    m.parent = a.idom;
    m.entered_from = a.semi;
    m.entered.clear();
    m.waiting.clear();
    m.drafts.count = 0;
    if (const std::uint32_t headers = mark_headers(reached)) {
      m.drafts.start(a.memory, headers + std::size_t{1}, reached); // the weak topological order opens one more
      collect_cycles(reached, all);
    }
    return reached;
  }

private:
  /// Finds the last descendants and marks the headers. Returns how many headers there are. The search meets backedges
  /// of a node while it is below it, and other edges into it later. So the edge that was chained first, which is the
  /// last in the chain, tells whether there are edges back.
  constexpr std::uint32_t mark_headers(std::uint32_t reached) {
    m.marked.assign((reached + std::size_t{63}) / 64, 0);
    m.last.resize_for_overwrite(reached);
    std::uint32_t* const last = m.last.data();
    const std::uint32_t* const parent = a.idom;
    const std::uint32_t* const chain = a.chain;
    const chained_edge* const edges = a.edges;
    m.draft_of.resize_for_overwrite(reached);
    const span<const std::uint32_t> targets = semi_nca_algorithm::select(
        m.draft_of.data(), reached, [](std::uint32_t n) { return n; },
        [&](std::uint32_t n) {
          last[n] = n;
          return chain[n] != end_of_chain;
        });
    for (std::uint32_t n = reached; n-- > 1;) {
      std::uint32_t& last_of_parent = last[parent[n]];
      last_of_parent = last_of_parent < last[n] ? last[n] : last_of_parent;
    }
    std::uint32_t headers = 0;
    for (const std::uint32_t n : targets) {
      std::uint32_t edge = chain[n];
      while (edges[edge].next != end_of_chain) {
        edge = edges[edge].next;
      }
      const bool is_header = edges[edge].source <= last[n];
      m.marked.data()[n / 64] |= std::uint64_t{is_header} << n % 64;
      headers += is_header;
    }
    return headers;
  }

  /// Over the marked nodes in descending order.
  constexpr void collect_cycles(std::uint32_t reached, bool all) {
    m.draft_of.assign(reached, none);
    m.with_edges.resize_for_overwrite(reached + std::size_t{1});
    std::uint32_t* end = m.drafts.blocks;
    for (std::size_t i = m.marked.size(); i-- != 0;) {
      while (m.marked[i] != 0 && (all || m.entered.empty())) { // bits of lower numbers are added meanwhile
        const auto bit = static_cast<std::uint32_t>(63 - std::countl_zero(m.marked[i]));
        m.marked[i] ^= std::uint64_t{1} << bit;
        const std::uint32_t n = static_cast<std::uint32_t>(64 * i) + bit;
        chain_waiting_edges(n);
        if (const std::uint32_t backedge = cut_backedges(n); backedge != end_of_chain) {
          end = collect_cycle(n, backedge, end);
        }
      }
    }
    m.drafts.num_blocks = static_cast<std::uint32_t>(end - m.drafts.blocks);
  }

  /// The first of the edges back to `n`, which end its chain and leave it; `end_of_chain` if there are none.
  constexpr std::uint32_t cut_backedges(std::uint32_t n) {
    std::uint32_t* link = &a.chain[n];
    while (*link != end_of_chain && a.edges[*link].source > m.last.data()[n]) {
      link = &a.edges[*link].next;
    }
    const std::uint32_t first = *link;
    *link = end_of_chain;
    return first;
  }

  /// Where a cycle that is being collected grows.
  struct collection {
    std::uint32_t header;
    std::uint32_t draft;
    std::uint32_t* end;        ///< of the blocks that were taken
    std::uint32_t* with_edges; ///< top of the stack of nodes whose chains are still to visit
  };

  /// Appends the blocks of the cycle of `header` that are in no inner one to the list that ends at `end`.
  constexpr std::uint32_t* collect_cycle(std::uint32_t header, std::uint32_t backedge, std::uint32_t* end) {
    collection c{header, m.drafts.open(header), end, m.with_edges.data()};
    m.draft_of.data()[header] = c.draft;
    *c.end++ = header;
    for (; backedge != end_of_chain; backedge = a.edges[backedge].next) {
      take_path(a.edges[backedge].source, c);
    }
    const std::uint32_t last = m.last.data()[header];
    while (c.with_edges != m.with_edges.data()) {
      const std::uint32_t target = *--c.with_edges;
      for (std::uint32_t edge = a.chain[target]; edge != end_of_chain;) {
        const auto [source, next] = a.edges[edge];
        if (source <= last) {
          take_path(source, c);
        } else {
          defer(edge, target, header, c.draft);
        }
        edge = next;
      }
    }
    m.drafts.own_blocks[c.draft] = static_cast<std::uint32_t>(c.end - end);
    return c.end;
  }

  /// Adds n and its ancestors to the draft, up to one that is in it.
  constexpr void take_path(std::uint32_t n, collection& c) {
    std::uint32_t* const draft_of = m.draft_of.data();
    for (;;) {
      const std::uint32_t known = draft_of[n];
      if (known == c.draft) {
        return;
      }
      if (known == none) {
        draft_of[n] = c.draft;
        *c.end++ = n;
      } else {
        const std::uint32_t inner = m.drafts.outermost(known);
        if (inner == c.draft) {
          return;
        }
        m.drafts.put_inside(inner, c.draft);
        n = m.drafts.header[inner];
      }
      if (a.semi[n] < c.header) [[unlikely]] { // by a forward edge
        m.entered.push_back({n, c.draft});
      }
      *c.with_edges = n; // stays if there are edges, which is unpredictable
      c.with_edges += a.chain[n] != end_of_chain;
      n = a.idom[n]; // the parent in the search tree
    }
  }

  /// An edge from outside makes `target` an entry. From now on it counts as an edge to the whole cycle.
  constexpr void defer(std::uint32_t edge, std::uint32_t target, std::uint32_t header, std::uint32_t draft) {
    if (m.waiting.empty()) {
      m.ancestor.assign(span<const std::uint32_t>(a.idom, m.draft_of.size()));
      m.first_waiting.assign(m.draft_of.size(), end_of_chain);
    }
    const std::uint32_t common = ancestor_above(a.edges[edge].source, header);
    std::uint32_t& entered_from = a.semi[target];
    if (entered_from >= header) {
      m.entered.push_back({target, draft});
    }
    entered_from = common < entered_from ? common : entered_from;
    std::uint32_t& first = m.first_waiting.data()[common];
    m.waiting.push_back({edge, target, first});
    first = static_cast<std::uint32_t>(m.waiting.size() - 1);
    m.marked.data()[common / 64] |= std::uint64_t{1} << common % 64;
  }

  /// The lowest ancestor of n that was met before `header`. It is an ancestor of both, because n was met after all
  /// descendants of `header`. Paths are halved during the walk, which is correct because headers descend.
  constexpr std::uint32_t ancestor_above(std::uint32_t n, std::uint32_t header) {
    std::uint32_t* const ancestor = m.ancestor.data();
    for (;;) {
      const std::uint32_t up = ancestor[n];
      if (up < header) {
        return up;
      }
      const std::uint32_t further = ancestor[up];
      if (further < header) {
        return further;
      }
      n = ancestor[n] = further;
    }
  }

  /// The edges that waited for n become edges to the outermost cycles around their targets.
  constexpr void chain_waiting_edges(std::uint32_t n) {
    if (m.waiting.empty()) {
      return;
    }
    for (std::uint32_t i = m.first_waiting.data()[n]; i != end_of_chain;) {
      const auto [edge, target, next] = m.waiting.data()[i];
      const std::uint32_t header = m.drafts.header[m.drafts.outermost(m.draft_of.data()[target])];
      a.edges[edge].next = a.chain[header];
      a.chain[header] = edge;
      i = next;
    }
  }
};

/// Runs the search with successors in the order given; see `cycle_search::run`.
template <class G, class Order>
constexpr std::uint32_t search_cycles(const G& g, Order, bool all, std::uint32_t* number, cycle_memory& m) {
  if constexpr (std::is_same_v<Order, last_to_first_t>) {
    return cycle_search(g, m).run(g, number, all);
  } else {
    const turned_successors<G> turned(g, m.turned);
    return cycle_search(turned, m).run(turned, number, all);
  }
}

} // namespace detail

MIDEND_END_NAMESPACE
