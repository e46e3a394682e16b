/// The guard of a rotated loop: the branch that decides whether the loop runs at all.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/loops/loop_forms.hpp"
#include "midend/support/optional.hpp"

#include <concepts>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// The branch and the blocks around a loop that control may skip:
///
///     block ──→ preheader ──→ loop ──→ exit ──→ … ──→ after
///       └──────────────────────────────────────────────↑
struct loop_guard {
  node_id block = no_node;     ///< has two edges, one to the preheader and one to `after`
  node_id preheader = no_node; ///< has no other predecessor
  node_id exit = no_node;      ///< the only exit block
  node_id after = no_node;     ///< where both paths meet

  friend constexpr bool operator==(const loop_guard&, const loop_guard&) = default;
};

/// Treats every block as empty: considers the graph only.
struct any_block_may_be_empty {
  constexpr bool operator()(node_id) const { return true; }
};

namespace detail {

struct loop_guard_search {
  /// The only node in the range, once or repeated; `no_node` if there are several or none.
  template <class G, class Range> static constexpr node_id only_node(const G& g, Range&& nodes) {
    auto it = std::begin(nodes);
    const auto last = std::end(nodes);
    if (it == last) {
      return no_node;
    }
    const node_id first = node_in(g, *it);
    while (++it != last) {
      if (node_in(g, *it) != first) {
        return no_node;
      }
    }
    return first;
  }

  template <class G> static constexpr node_id only_successor(const G& g, node_id n) {
    return only_node(g, g.successors(n));
  }

  /// The only node from which control reaches `n`; `no_node` for the entry of the graph, which control enters from
  /// outside.
  template <class G> static constexpr node_id only_predecessor(const G& g, node_id n) {
    return n == node_in(g, g.entry()) ? no_node : only_node(g, g.predecessors(n));
  }

  /// The target of the edge of `n` that does not lead to `one`, if `n` has two edges with different targets; else
  /// `no_node`.
  template <class G> static constexpr node_id other_target(const G& g, node_id n, node_id one) {
    auto&& successors = g.successors(n);
    auto it = std::begin(successors);
    const auto last = std::end(successors);
    const node_id first = node_in(g, *it);
    if (++it == last) {
      return no_node;
    }
    const node_id second = node_in(g, *it);
    if (++it != last || first == second) {
      return no_node;
    }
    return first == one ? second : first;
  }

  static constexpr node_id only_exit_block(const loop_forest& loops, loop_id l) {
    node_id exit = no_node;
    for (const loop_edge& e : loops.exiting_edges(l)) {
      if (exit != no_node && e.target != exit) {
        return no_node;
      }
      exit = e.target;
    }
    return exit;
  }

  /// Whether the only path from `exit` leads to `after`, through empty blocks that are on no other path.
  ///
  /// The walk ends. Suppose it visits some block a second time, and take the first such block. The blocks that it goes
  /// through have one predecessor, so this block is the successor of `exit`, and the walk went through `exit`. But all
  /// reachable predecessors of `exit` are in the loop, which the walk could enter only by the header, which has two
  /// predecessors: preheader and latch.
  template <class G, class IsEmpty>
  static constexpr bool leads_to(const G& g, node_id exit, node_id after, const IsEmpty& is_empty) {
    node_id at = only_successor(g, exit);
    while (at != after) {
      if (at == no_node || only_predecessor(g, at) == no_node || !is_empty(at)) {
        return false;
      }
      at = only_successor(g, at);
    }
    return true;
  }

  template <class G, class IsEmpty>
  static constexpr optional<loop_guard> run(const G& g, const loop_forest& loops, loop_id l, const IsEmpty& is_empty) {
    if (!is_loop_simplify_form(g, loops, l) || !is_rotated(g, loops, l)) {
      return std::nullopt;
    }
    loop_guard guard;
    guard.preheader = loops.preheader(l);
    guard.exit = only_exit_block(loops, l);
    guard.block = only_predecessor(g, guard.preheader);
    if (guard.exit == no_node || guard.block == no_node) {
      return std::nullopt;
    }
    guard.after = other_target(g, guard.block, guard.preheader);
    if (guard.after == no_node || !leads_to(g, guard.exit, guard.after, is_empty)) {
      return std::nullopt;
    }
    return guard;
  }
};

} // namespace detail

/// The graph part of the guard of `l`, or nothing. There is one exactly if
///
/// 1. `l` is in loop-simplify form and rotated, and all its exiting edges lead to one block, `exit`;
/// 2. all edges into the preheader, which is not the entry of the graph, come from one block, `block`;
/// 3. `block` has exactly two edges, one to the preheader and one to another block, `after`;
/// 4. all edges of `exit` lead to one block, and from there control reaches `after` through blocks, possibly none,
///    each of which is not the entry, has one predecessor and one successor (by any number of parallel edges), and is
///    empty by `is_empty(n)`.
///
/// So control reaches the loop only from `block`, by a branch whose other arm skips the loop. LLVM's
/// `Loop::getLoopGuardBranch` looks for the same. The IR must still check: that the two edges of `block` are those of a
/// conditional branch; and, unless `is_empty` knows the instructions, that the blocks between `exit` and `after` have
/// none but the jump. `exit` itself may have some. Unreachable blocks count as predecessors in 2 and 4.
///
/// Requires a forest of this graph, up to date and with boundaries. O(exiting edges, edges of the blocks named and of
/// those between). A graph without predecessors is copied first, O(n + m): for many loops, make the `csr_graph`
/// once.
template <flow_graph_argument G, std::predicate<node_id> IsEmpty = any_block_may_be_empty>
constexpr optional<loop_guard> find_loop_guard(const G& g, const loop_forest& loops, loop_id l,
                                               const IsEmpty& is_empty = {}) {
  if constexpr (bidirectional_flow_graph<G>) {
    return detail::loop_guard_search::run(g, loops, l, is_empty);
  } else {
    return detail::loop_guard_search::run(csr_graph(g), loops, l, is_empty);
  }
}

MIDEND_END_NAMESPACE
