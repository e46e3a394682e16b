/// The edges between siblings of a tree that stand for the edges of a graph.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominance_error.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/detail/out_edges.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The derived edge of u → v leads to v from the sibling of v that is u or above u (Georgiadis and Tarjan). What
/// matters are those into *joins*, nodes without an edge from their parent; the others may stand anywhere among their
/// siblings.
///
/// In preorder numbers of the claimed tree. Nothing is assumed of the claims but that they make a tree.
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
  flat_array<std::uint32_t> above;  ///< an ancestor, where paths have been shortened
  flat_array<bool> is_join;
  flat_array<std::uint32_t> first; ///< in the list of derived edges out of it
  flat_array<edge> edges;
  flat_array<std::uint32_t> parents; ///< those that have joins among their children
  flat_array<std::uint32_t> starts;  ///< what is no join and has derived edges out of it
  std::size_t num_joins = 0;

  /// Gives false, and lists nothing, if there is no join.
  template <class G>
  constexpr bool find_joins(const G& g, std::span<const node_id> claims, std::span<const node_id> preorder) {
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
  constexpr std::optional<dominance_error> derive(const G& g, std::span<const node_id> claims,
                                                  std::span<const node_id> preorder) {
    number_nodes(claims, preorder);
    if (const auto error = list_by_parent(g)) {
      return error;
    }
    list_by_source();
    return std::nullopt;
  }

private:
  constexpr void number_nodes(std::span<const node_id> claims, std::span<const node_id> preorder) {
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

  /// Lists the edges into the joins below each parent. Those from below their own target are left out: a path to the
  /// target has been there before.
  template <class G> constexpr std::optional<dominance_error> list_by_parent(const G& g) {
    std::optional<dominance_error> error;
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

  /// Moves each edge into the list of its derived source, a child of the parent that lists it. The last parent goes
  /// first, so that paths are shortened from the bottom up and lead to the children of any parent that is still to
  /// come.
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

} // namespace detail

MIDEND_END_NAMESPACE
