/// Puts siblings of a dominator tree into low-high order.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/detail/derived_edges.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Joins are placed so that a derived edge comes from before them and another one from behind.
///
/// 1. `search`: depth-first over derived edges, from each node that is no join. Numbers are preorder numbers from 1 on,
///    in which 0 stands for the parent of the siblings, whichever that is.
/// 2. `evaluate_semidominators`, in that search. The edge that shows the one of v leads from `via[v]` to v.
/// 3. `order_joins`: by semidominator, ascending, those with the same by number, descending. In this order, and behind
///    all that is no join, they will be placed.
/// 4. `choose_neighbours`: of `parent[v]` and of `via[v]` the closest ancestors, or they themselves, that are placed
///    before v. They differ, because something that is placed before v lies on one of the paths up to where these meet:
///    the node from which `via[v]` has the semidominator, or, if `via[v]` is the semidominator itself, a node below it
///    with a lesser one, without which `via[v]` would dominate v.
/// 5. `place_joins`: v goes next to the first neighbour, on the side of the second. An ancestor that is not placed yet
///    goes next to the same neighbour later, or next to what has gone there, so it stays on the side where v needs it.
///
/// Each node that is placed holds room for what will go next to it. So positions are final at once and tell the sides.
struct sibling_placement {
  static constexpr std::uint32_t none = 0xffff'ffff;

  struct path {
    std::uint32_t ancestor; ///< a node further up
    std::uint32_t least;    ///< the least semidominator on the way there, the ancestor's left out
  };

  // By number in the search.
  flat_array<std::uint32_t> node;   ///< its number in the dominator tree
  flat_array<std::uint32_t> parent; ///< in the search, then the first neighbour
  flat_array<std::uint32_t> semi;
  flat_array<std::uint32_t> via;   ///< then the second neighbour
  flat_array<std::uint32_t> first; ///< in the list of edges into it, then of joins that have it as semidominator
  flat_array<std::uint32_t> next;
  flat_array<path> paths;
  flat_array<std::uint32_t> room;  ///< for itself and what will go next to it
  flat_array<std::uint32_t> joins; ///< in the order in which they are placed

  // By number in the dominator tree.
  flat_array<std::uint32_t> search_number; ///< `none` if the search does not get there
  flat_array<std::uint32_t> position;

  std::uint32_t met = 0; ///< how many the search has met

  /// Leaves the positions of all nodes, or gives a join for which the claims are wrong. 0 if there is none.
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

  /// Edges that turn out to lead back or across move into the list of their target.
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

  /// Backwards, from where all are placed: what is no longer placed passes on to what is above.
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

  /// All but joins. Positions are counted from the parent on, for now, and change only where there are joins.
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

  /// Parents have smaller numbers, so theirs are counted from the entry on by then.
  constexpr void add_up(const derived_edges& derived) {
    for (std::uint32_t x = 1; x < position.size(); ++x) {
      position[x] += position[derived.parent[x]];
    }
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
