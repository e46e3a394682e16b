/// `low_high_order`: the witness that a tree is the dominator tree. `verify_low_high.hpp` explains the proof.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominance_error.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/detail/out_edges.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/result.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Children of a node ascend.
struct claimed_preorder {
  flat_array<node_id> first_child;
  flat_array<node_id> next_sibling;
  flat_array<node_id> nodes; ///< in preorder

  /// Fails if the claims, one for each node, do not make a tree.
  constexpr optional<dominance_error> assign(span<const node_id> claims, node_id entry) {
    const std::size_t count = claims.size();
    std::size_t claimed = 1;
    first_child.assign(count, no_node);
    next_sibling.assign(count, no_node);
    for (auto n = static_cast<node_id>(count); n-- != 0;) {
      if (claims[n] == no_node) {
        continue;
      }
      if (claims[n] >= count || n == entry) {
        return dominance_error{dominance_error::reason::not_a_tree, n};
      }
      next_sibling[n] = first_child[claims[n]];
      first_child[claims[n]] = n;
      ++claimed;
    }
    list(claims, entry);
    if (nodes.size() != claimed) {
      return first_not_listed(claims);
    }
    return std::nullopt;
  }

  constexpr void list(span<const node_id> claims, node_id entry) {
    nodes.clear();
    for (node_id n = entry; n != no_node;) {
      nodes.push_back(n);
      node_id next = first_child[n];
      for (; next == no_node && n != entry; n = claims[n]) {
        next = next_sibling[n];
      }
      n = next;
    }
  }

  /// The first node that is on a cycle of claims or below one. There is such a node.
  constexpr dominance_error first_not_listed(span<const node_id> claims) {
    for (const node_id n : nodes) {
      next_sibling[n] = n; // as no node has otherwise
    }
    node_id n = 0;
    while (claims[n] == no_node || next_sibling[n] == n) {
      ++n;
    }
    return {dominance_error::reason::not_a_tree, n};
  }
};

/// The derived edge of u → v leads to v from the sibling of v that is u or an ancestor of u (Georgiadis and Tarjan).
/// Only derived edges into *joins*, nodes without an edge from their parent, matter; other nodes may have any place
/// among their siblings.
///
/// Nodes are preorder numbers of the claimed tree. The claims make a tree; nothing else is assumed of them.
struct derived_edges {
  static constexpr std::uint32_t end_of_list = 0xffff'ffff;

  struct edge {
    std::uint32_t source;
    std::uint32_t target;
    std::uint32_t next; ///< in the list that it is in
  };

  flat_array<std::uint32_t> number; ///< by node; `no_node` outside the tree
  flat_array<bool> from_parent;     ///< by node: whether there is an edge from the parent
  flat_array<std::uint32_t> parent; ///< by number, as all below
  flat_array<std::uint32_t> size;   ///< of the subtree
  flat_array<std::uint32_t> above;  ///< an ancestor; paths are shortened
  flat_array<bool> is_join;
  flat_array<std::uint32_t> first; ///< in the list of derived edges out of it
  flat_array<edge> edges;
  flat_array<std::uint32_t> parents; ///< the nodes that have joins among their children
  flat_array<std::uint32_t> starts;  ///< the nodes that are not joins and have derived edges out of them
  std::size_t num_joins = 0;

  /// Marks the joins. Returns whether there are any.
  template <class G> constexpr bool mark_joins(const G& g, span<const node_id> claims, span<const node_id> preorder) {
    from_parent.assign(claims.size(), false);
    for_each_edge(g, [&](edge_id, node_id u, node_id v) { from_parent[v] |= claims[v] == u; });
    is_join.resize_for_overwrite(preorder.size());
    num_joins = 0;
    for (std::size_t x = 0; x != preorder.size(); ++x) {
      is_join[x] = x != 0 && !from_parent[preorder[x]];
      num_joins += is_join[x];
    }
    return num_joins != 0;
  }

  /// Fails at an edge into a join that does not come from below its parent. `preorder` lists the nodes of the tree.
  template <class G>
  constexpr optional<dominance_error> derive(const G& g, span<const node_id> claims, span<const node_id> preorder) {
    number_nodes(claims, preorder);
    if (const auto error = list_by_parent(g)) {
      return error;
    }
    list_by_source();
    return std::nullopt;
  }

private:
  constexpr void number_nodes(span<const node_id> claims, span<const node_id> preorder) {
    const auto count = static_cast<std::uint32_t>(preorder.size());
    number.assign(claims.size(), no_node);
    parent.resize_for_overwrite(count);
    above.resize_for_overwrite(count);
    size.resize_for_overwrite(count);
    first.resize_for_overwrite(count);
    for (std::uint32_t x = 0; x != count; ++x) {
      number[preorder[x]] = x;
      parent[x] = above[x] = x == 0 ? 0 : number[claims[preorder[x]]];
      size[x] = 1;
      first[x] = end_of_list;
    }
    for (std::uint32_t x = count; x-- > 1;) {
      size[parent[x]] += size[x];
    }
  }

  /// Lists the edges into the joins below each parent. Leaves out edges from below their own target: each path along
  /// them has already gone through the target.
  template <class G> constexpr optional<dominance_error> list_by_parent(const G& g) {
    optional<dominance_error> error;
    edges.clear();
    for_each_edge(g, [&](edge_id, node_id u, node_id v) {
      if (from_parent[v] || number[u] == no_node || number[v] == no_node) {
        return;
      }
      const std::uint32_t source = number[u];
      const std::uint32_t target = number[v];
      const std::uint32_t up = parent[target];
      if (source - target < size[target]) {
        return;
      }
      if (source - up >= size[up]) {
        error = error ? error : dominance_error{dominance_error::reason::edge_avoids_claim, v, u};
        return;
      }
      edges.push_back({source, target, first[up]});
      first[up] = static_cast<std::uint32_t>(edges.size() - 1);
    });
    return error;
  }

  /// Moves each edge into the list of its derived source, a child of the parent that lists it. Parents are
  /// processed from the last to the first, so that paths are shortened from the bottom up and lead to the children of
  /// all parents that follow.
  constexpr void list_by_source() {
    parents.clear();
    starts.clear();
    for (auto p = static_cast<std::uint32_t>(first.size()); p-- != 0;) {
      std::uint32_t i = first[p];
      if (i == end_of_list) {
        continue;
      }
      parents.push_back(p);
      first[p] = end_of_list;
      while (i != end_of_list) {
        edge& e = edges[i];
        const std::uint32_t next = e.next;
        e.source = child_above(e.source, p);
        e.next = first[e.source];
        if (e.next == end_of_list && !is_join[e.source]) {
          starts.push_back(e.source);
        }
        first[e.source] = i;
        i = next;
      }
    }
  }

  /// The child of `p` that is `x` or above `x`, with path halving.
  constexpr std::uint32_t child_above(std::uint32_t x, std::uint32_t p) {
    for (;;) {
      const std::uint32_t second = above[x];
      if (second == p) {
        return x;
      }
      const std::uint32_t third = above[second];
      if (third == p) {
        return second;
      }
      above[x] = third;
      x = third;
    }
  }
};

/// Orders siblings so that each join has a derived edge from a sibling before it and one from a sibling after it.
///
/// 1. `search`: depth-first over derived edges, from each node that is not a join. Numbers are preorder numbers from 1
///    on, in which 0 stands for the parent of the siblings.
/// 2. `evaluate_semidominators`, in that search. The edge that determines the semidominator of v leads from
///    `via[v]` to v.
/// 3. `order_joins`: by semidominator, ascending, those with the same by number, descending. They will be placed in
///    this order, after all nodes that are not joins.
/// 4. `choose_neighbours`: the closest ancestors of `parent[v]` and of `via[v]`, or these nodes
///    themselves, that are placed before v. They differ, because a node that is placed before v is on one
///    of the paths up to where the two meet: the node from which `via[v]` has the semidominator, or, if
///    `via[v]` is the semidominator itself, a node below it with a lesser one, without which `via[v]`
///    would dominate v.
/// 5. `place_joins`: v is placed next to the first neighbour, on the side of the second. An ancestor that is not placed
///    yet is placed later next to the same neighbour, or to a node placed there, so it stays on the side that v needs.
///
/// Each placed node reserves positions for the nodes that will be placed next to it, so positions are final at once and
/// show the sides.
struct sibling_placement {
  static constexpr std::uint32_t none = 0xffff'ffff;

  struct path {
    std::uint32_t ancestor; ///< a node further up
    std::uint32_t least;    ///< the least semidominator on the path to it, without the ancestor's
  };

  // By number in the search.
  flat_array<std::uint32_t> node;   ///< its number in the dominator tree
  flat_array<std::uint32_t> parent; ///< in the search, then the first neighbour
  flat_array<std::uint32_t> semi;
  flat_array<std::uint32_t> via;   ///< then the second neighbour
  flat_array<std::uint32_t> first; ///< in the list of edges into it, then of joins that have it as semidominator
  flat_array<std::uint32_t> next;
  flat_array<path> paths;
  flat_array<std::uint32_t> room;  ///< positions for itself and the nodes next to it
  flat_array<std::uint32_t> joins; ///< in placement order

  // By number in the dominator tree.
  flat_array<std::uint32_t> search_number; ///< `none` if the search does not get there
  flat_array<std::uint32_t> position;

  std::uint32_t met = 0; ///< the number of nodes that the search has met

  /// Computes the positions of all nodes. Returns a join for which the claims are wrong, or 0 if there is none.
  constexpr std::uint32_t run(derived_edges& derived) {
    reserve(derived);
    for (const std::uint32_t start : derived.starts) {
      search(derived, start);
    }
    if (met - derived.starts.size() != derived.num_joins) {
      return first_unmet(derived);
    }
    evaluate_semidominators(derived);
    order_joins();
    if (const std::uint32_t wrong = choose_neighbours()) {
      return wrong;
    }
    place_others(derived);
    place_joins();
    add_up(derived);
    return 0;
  }

  constexpr void reserve(const derived_edges& derived) {
    const std::size_t most = derived.starts.size() + derived.num_joins + 1;
    for (flat_array<std::uint32_t>* by_search_number : {&node, &parent, &semi, &via, &first, &next, &room}) {
      by_search_number->resize_for_overwrite(most);
    }
    paths.resize_for_overwrite(most);
    search_number.assign(derived.size.size(), none);
    met = 0;
  }

  /// Back and cross edges move into the list of their target.
  constexpr void search(derived_edges& derived, std::uint32_t start) {
    meet(start, 0, derived);
    for (std::uint32_t at = met; at != 0;) {
      const std::uint32_t i = derived.first[node[at]];
      if (i == derived.end_of_list) {
        at = parent[at];
        continue;
      }
      derived_edges::edge& e = derived.edges[i];
      derived.first[node[at]] = e.next;
      const std::uint32_t to = search_number[e.target];
      if (to == none) {
        meet(e.target, at, derived);
        at = met;
      } else if (at > to) {
        e.source = at;
        e.next = first[to];
        first[to] = i;
      } else if (at < semi[to]) {
        semi[to] = via[to] = at;
      }
    }
  }

  constexpr void meet(std::uint32_t x, std::uint32_t from, const derived_edges& derived) {
    const std::uint32_t n = ++met;
    search_number[x] = n;
    node[n] = x;
    parent[n] = semi[n] = via[n] = from;
    first[n] = derived.end_of_list;
    room[n] = derived.size[x];
  }

  constexpr std::uint32_t first_unmet(const derived_edges& derived) const {
    std::uint32_t x = 1;
    while (!derived.is_join[x] || search_number[x] != none) {
      ++x;
    }
    return x;
  }

  constexpr void evaluate_semidominators(const derived_edges& derived) {
    for (std::uint32_t n = met; n != 0; --n) {
      for (std::uint32_t i = first[n]; i != derived.end_of_list; i = derived.edges[i].next) {
        const std::uint32_t source = derived.edges[i].source;
        const std::uint32_t found = least_above(source, n);
        if (found < semi[n]) {
          semi[n] = found;
          via[n] = source;
        }
      }
      paths[n] = {parent[n], semi[n]};
    }
  }

  /// The least semidominator from `v` up to the last node above number `n`, with path halving.
  constexpr std::uint32_t least_above(std::uint32_t v, std::uint32_t n) {
    std::uint32_t found = paths[v].least;
    while (paths[v].ancestor > n) {
      const path up = paths[paths[v].ancestor];
      if (up.least < paths[v].least) {
        paths[v].least = up.least;
      }
      found = paths[v].least < found ? paths[v].least : found;
      paths[v].ancestor = up.ancestor;
      if (up.ancestor <= n) {
        break;
      }
      v = up.ancestor;
      found = paths[v].least < found ? paths[v].least : found;
    }
    return found;
  }

  constexpr void order_joins() {
    for (std::uint32_t n = 0; n <= met; ++n) {
      first[n] = none;
    }
    for (std::uint32_t n = 1; n <= met; ++n) {
      if (parent[n] != 0) {
        next[n] = first[semi[n]];
        first[semi[n]] = n;
      }
    }
    joins.clear();
    for (std::uint32_t s = 0; s <= met; ++s) {
      for (std::uint32_t n = first[s]; n != none; n = next[n]) {
        joins.push_back(n);
      }
    }
  }

  /// Walks backwards; at first all nodes are placed. A node that is no longer placed is replaced by its closest placed
  /// ancestor.
  constexpr std::uint32_t choose_neighbours() {
    for (std::uint32_t n = 0; n <= met; ++n) {
      paths[n].ancestor = n;
    }
    for (std::size_t i = joins.size(); i-- != 0;) {
      const std::uint32_t n = joins[i];
      parent[n] = closest_placed(parent[n]);
      via[n] = closest_placed(via[n]);
      if (parent[n] == via[n]) {
        return node[n];
      }
      paths[n].ancestor = parent[n];
      room[parent[n]] += room[n];
    }
    return 0;
  }

  constexpr std::uint32_t closest_placed(std::uint32_t n) {
    while (paths[n].ancestor != n) {
      paths[n].ancestor = paths[paths[n].ancestor].ancestor;
      n = paths[n].ancestor;
    }
    return n;
  }

  /// Places all nodes but joins. Positions are relative to the parent at first, and change only if there are joins.
  constexpr void place_others(const derived_edges& derived) {
    const auto count = static_cast<std::uint32_t>(derived.size.size());
    position.resize_for_overwrite(count);
    for (std::uint32_t x = 0; x != count; ++x) {
      position[x] = x - derived.parent[x];
    }
    for (const std::uint32_t p : derived.parents) {
      std::uint32_t at = 1;
      for (std::uint32_t x = p + 1; x != p + derived.size[p]; x += derived.size[x]) {
        if (!derived.is_join[x]) {
          position[x] = at;
          at += search_number[x] == none ? derived.size[x] : room[search_number[x]];
        }
      }
    }
  }

  constexpr void place_joins() {
    for (const std::uint32_t n : joins) {
      const std::uint32_t beside = parent[n];
      std::uint32_t& at = position[node[beside]];
      room[beside] -= room[n];
      if (at < position[node[via[n]]]) {
        position[node[n]] = at + room[beside];
      } else {
        position[node[n]] = at;
        at += room[n];
      }
    }
  }

  /// Makes positions absolute. Parents have smaller numbers, so their positions are absolute already.
  constexpr void add_up(const derived_edges& derived) {
    for (std::uint32_t x = 1; x < position.size(); ++x) {
      position[x] += position[derived.parent[x]];
    }
  }
};

struct low_high_builder;

} // namespace detail

/// Memory for orders that are built again and again.
class low_high_order_workspace {
  friend detail::low_high_builder;

  detail::claimed_preorder preorder_;
  detail::derived_edges derived_;
  detail::sibling_placement placement_;
};

namespace detail {

struct low_high_builder {
  /// `preorder` is one of the tree that the claims make.
  template <class G>
  static constexpr optional<dominance_error> run(const G& g, span<const node_id> claims, span<const node_id> preorder,
                                                 low_high_order_workspace& workspace, flat_array<node_id>& out) {
    derived_edges& derived = workspace.derived_;
    sibling_placement& placement = workspace.placement_;
    if (!derived.mark_joins(g, claims, preorder)) {
      out.assign(preorder); // all have an edge from their parent
      return std::nullopt;
    }
    if (const auto error = derived.derive(g, claims, preorder)) {
      return error;
    }
    if (const std::uint32_t wrong = placement.run(derived)) {
      return dominance_error{dominance_error::reason::not_closest, preorder[wrong]};
    }
    out.resize_for_overwrite(preorder.size());
    for (std::size_t x = 0; x != preorder.size(); ++x) {
      out[placement.position[x]] = preorder[x];
    }
    return std::nullopt;
  }

  template <class G>
  static constexpr optional<dominance_error> run(const G& g, span<const node_id> claims,
                                                 low_high_order_workspace& workspace, flat_array<node_id>& out) {
    out.clear();
    if (claims.size() != node_count(g)) {
      return dominance_error{dominance_error::reason::wrong_size};
    }
    if (claims.empty()) {
      return std::nullopt;
    }
    const auto error = workspace.preorder_.assign(claims, static_cast<node_id>(g.entry()));
    return error ? error : run(g, claims, workspace.preorder_.nodes, workspace, out);
  }
};

} // namespace detail

/// A low-high order of a dominator tree: a preorder in which each node but the entry has an edge from its parent, or
/// one from a node before it and one from a node after its subtree. Refills `out` with the nodes of the tree. May
/// return an error if the tree is not that of `g`; `out` is then indeterminate. An order may also be returned for a
/// wrong tree: only `verify_low_high` proves the tree.
///
/// The order is that of Georgiadis, Tarjan, "Dominator tree certification and divergent spanning trees", ACM Trans.
/// Algorithms 12(1), 2015. As there, it is computed for the children of each node separately, from the derived edges
/// between siblings. The method differs: only children without an edge from their parent are considered, and they are
/// placed by semidominators of a search among siblings (see `detail::sibling_placement`), without contraction of edges,
/// without spanning trees, and without a data structure for order in lists. No code is shared with the dominator
/// algorithms.
///
/// Duplicate edges, self loops and edges from unreachable nodes change nothing. Where the order of siblings is free, it
/// is that of the tree's preorder. O((n + m) log n) time, in practice linear; at most 80 bytes a
/// node and 12 an edge of workspace. Allocates nothing once workspace and result have seen a graph as large.
template <flow_graph_argument G>
constexpr optional<dominance_error> low_high_order(const G& g, const dominator_tree& tree,
                                                   low_high_order_workspace& workspace, flat_array<node_id>& out) {
  detail::require_tree_of(g, tree);
  return detail::low_high_builder::run(g, tree.immediate_dominators(), tree.preorder(), workspace, out);
}

/// For immediate dominators by node, `no_node` for the entry and for unreachable nodes. Any values are allowed. 8 bytes
/// a node more.
template <flow_graph_argument G>
constexpr optional<dominance_error> low_high_order(const G& g, span<const node_id> immediate_dominators,
                                                   low_high_order_workspace& workspace, flat_array<node_id>& out) {
  return detail::low_high_builder::run(g, immediate_dominators, workspace, out);
}

/// The order, or the error. `Claims` is a `dominator_tree` or a range of immediate dominators by node.
template <flow_graph_argument G, class Claims>
constexpr result<flat_array<node_id>, dominance_error> low_high_order(const G& g, const Claims& claims) {
  low_high_order_workspace workspace;
  flat_array<node_id> out;
  if (const auto error = low_high_order(g, claims, workspace, out)) {
    return *error;
  }
  return out;
}

MIDEND_END_NAMESPACE
