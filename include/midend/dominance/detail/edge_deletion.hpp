/// Deletion of edges from a dominator tree.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/detail/linked_tree.hpp"
#include "midend/dominance/detail/update_memory.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

enum class sibling_fate : std::uint8_t { stays, moves, becomes_unreachable };

/// The children of a node d, the *dominator*, after edges into some of them were deleted: which ones d still dominates
/// immediately, which ones are now below another child, which ones are unreachable.
///
/// This depends on the children alone. Contract each subtree to its root: an edge of the graph into a child becomes one
/// from a child or from d, and in the contracted graph d is the immediate dominator of exactly the children that stay.
/// Two simple rules decide most children: a child stays if it has an edge from d itself, or edges from two different
/// siblings that stay. Only for the others the sources of all edges are needed. So the contracted graph is built
/// backwards, starting with the children in question.
template <class G> class sibling_fates {
public:
  constexpr sibling_fates(const G& g, const linked_tree& tree, update_memory& memory)
      : g_(g), tree_(tree), m_(memory) {}

  /// The fate of one child of `dominator`. The knowledge is kept until `forget`.
  constexpr sibling_fate of(node_id dominator, node_id child) {
    start(dominator);
    const std::uint32_t number = number_child(child);
    return m_.stays[number] ? sibling_fate::stays : fate_by_edges(number);
  }

  /// The predecessor of that child if it has only one that is not below it, else `no_node`.
  constexpr node_id only_predecessor() const { return only_predecessor_; }

  /// Decides for all children of the dominator, when that child moves: adds those that move to `moving`, unreachable
  /// ones to `unreachable`.
  constexpr void of_all(flat_array<node_id>& moving, flat_array<node_id>& unreachable) {
    const std::size_t known = m_.undecided.size();
    for (const node_id child : tree_.children(dominator_)) {
      ++m_.visited;
      if (m_.slot[child] == no_node && !has_edge_from_dominator(child)) {
        m_.undecided.push_back(number(child));
      }
    }
    follow_undecided();
    if (m_.undecided.size() == 1) {
      moving.push_back(m_.part.nodes[m_.undecided[0]]);
      return;
    }
    if (!is_solved_ || m_.undecided.size() != known) {
      solve();
    }
    for (const std::uint32_t number : m_.undecided) {
      const sibling_fate fate = solved_fate(number);
      if (fate == sibling_fate::moves) {
        moving.push_back(m_.part.nodes[number]);
      } else if (fate == sibling_fate::becomes_unreachable) {
        unreachable.push_back(m_.part.nodes[number]);
      }
    }
  }

  constexpr void forget() {
    m_.visited += m_.touched.size();
    for (const node_id n : m_.touched) {
      m_.slot[n] = no_node;
    }
  }

private:
  constexpr void start(node_id dominator) {
    dominator_ = dominator;
    only_predecessor_ = no_node;
    followed_ = 0;
    is_solved_ = false;
    child_depth_ = tree_.depth(dominator) + 1;
    m_.part.nodes.clear();
    m_.stays.clear();
    m_.undecided.clear();
    m_.edges.clear();
    m_.touched.clear();
    m_.part.nodes.push_back(dominator);
    m_.stays.push_back(true);
  }

  constexpr void touch(node_id n, std::uint32_t number) {
    m_.slot[n] = number;
    m_.touched.push_back(n);
  }

  constexpr std::uint32_t number(node_id child) {
    MIDEND_ASSERT(tree_.parent(child) == dominator_, "a graph that has changed as the updates say", child, dominator_);
    const auto number = static_cast<std::uint32_t>(m_.part.nodes.size());
    touch(child, number);
    m_.part.nodes.push_back(child);
    m_.stays.push_back(false);
    return number;
  }

  constexpr std::uint32_t number_child(node_id child) {
    const std::uint32_t n = number(child);
    if (has_edge_from_dominator(child)) {
      m_.stays[n] = true;
    } else {
      m_.undecided.push_back(n);
    }
    return n;
  }

  constexpr bool has_edge_from_dominator(node_id n) const {
    for (const auto predecessor : g_.predecessors(n)) {
      if (node_in(g_, predecessor) == dominator_) {
        return true;
      }
    }
    return false;
  }

  /// The number of the child of the dominator that is `n` or above `n`. The nodes between remember it.
  constexpr std::uint32_t child_above(node_id n) {
    node_id at = n;
    while (m_.slot[at] == no_node && tree_.depth(at) > child_depth_) {
      at = tree_.parent(at);
    }
    const std::uint32_t number = m_.slot[at] != no_node ? m_.slot[at] : number_child(at);
    for (; n != at; n = tree_.parent(n)) {
      touch(n, number);
    }
    return number;
  }

  /// Visits no further nodes if the edges into this child decide.
  constexpr sibling_fate fate_by_edges(std::uint32_t number) {
    const std::uint32_t sources = follow_edges_into(number);
    followed_ = 1;
    if (m_.stays[number]) {
      return sibling_fate::stays;
    }
    if (sources < 2) {
      return sources == 0 ? sibling_fate::becomes_unreachable : sibling_fate::moves;
    }
    follow_undecided();
    only_predecessor_ = no_node; // belongs to another child
    solve();
    return solved_fate(number);
  }

  /// Returns the number of different children from which edges lead to this one, at most 2. Edges from below the child
  /// itself do not count. Stops when two of them stay.
  constexpr std::uint32_t follow_edges_into(std::uint32_t number) {
    std::uint32_t first = number;
    std::uint32_t first_that_stays = number;
    std::uint32_t different = 0;
    only_predecessor_ = no_node;
    for (const auto p : g_.predecessors(m_.part.nodes[number])) {
      const node_id predecessor = node_in(g_, p);
      const std::uint32_t source = tree_.is_reachable(predecessor) ? child_above(predecessor) : number;
      if (source == number) {
        continue;
      }
      m_.edges.push_back({source, number});
      if (different == 0) {
        first = source;
        different = 1;
        only_predecessor_ = predecessor;
      } else {
        different = source == first ? different : 2;
        only_predecessor_ = predecessor == only_predecessor_ ? predecessor : no_node;
      }
      if (m_.stays[source]) {
        if (first_that_stays != number && first_that_stays != source) {
          m_.stays[number] = true;
          break;
        }
        first_that_stays = source;
      }
    }
    return different;
  }

  /// Follows the edges into the undecided children, which adds further ones, and keeps those that are still undecided.
  constexpr void follow_undecided() {
    std::size_t kept = followed_;
    for (std::size_t i = kept; i != m_.undecided.size(); ++i) {
      const std::uint32_t number = m_.undecided[i];
      follow_edges_into(number);
      if (!m_.stays[number]) {
        m_.undecided[kept++] = number;
      }
    }
    m_.undecided.shrink(kept);
    followed_ = kept;
  }

  constexpr void solve() {
    for (std::uint32_t number = 1; number != m_.stays.size(); ++number) {
      if (m_.stays[number]) {
        m_.edges.push_back({0, number});
      }
    }
    m_.part.sort_by_source(m_.edges);
    immediate_dominators(m_.part, semi_nca, m_.solver, m_.solved_parents);
    is_solved_ = true;
  }

  constexpr sibling_fate solved_fate(std::uint32_t number) const {
    if (m_.stays[number] || m_.solved_parents[number] == 0) {
      return sibling_fate::stays;
    }
    return m_.solved_parents[number] == no_node ? sibling_fate::becomes_unreachable : sibling_fate::moves;
  }

  const G& g_;
  const linked_tree& tree_;
  update_memory& m_;
  node_id dominator_ = no_node;
  node_id only_predecessor_ = no_node;
  std::size_t followed_ = 0; ///< how many of the undecided children were visited
  std::uint32_t child_depth_ = 0;
  bool is_solved_ = false;
};

/// Deletes edges: `g` no longer has them, and `lost` holds their targets.
///
/// A deletion is the inverse of an insertion (see `edge_insertion`), so the affected nodes are siblings of the target:
/// children of its immediate dominator d. Other nodes below d keep their parent, and nodes not below d do not change.
/// First, `sibling_fates` computes which children of d move: if the target does not, none does. Their new parents are
/// computed on a small graph of the nodes that move and of the ancestors of their predecessors, up to the children of
/// d. In this graph, nodes that keep their parent have one edge, from it; nodes that move have their edges of `g`. It
/// has the dominators of `g`: each of its edges is one of `g` or leads from a dominator, and a path of `g` to w that
/// avoids v contains the dominators of all its nodes, so its nodes include a path of the small graph.
///
/// A departure from Georgiadis, Italiano, Laura, Santaroni, "An experimental study of dynamic dominators", ESA 2012,
/// and from LLVM, which recompute the dominators of all nodes below d.
template <class G> class edge_deletion {
public:
  constexpr edge_deletion(const G& g, linked_tree& tree, update_memory& memory)
      : g_(g), tree_(tree), m_(memory), fates_(g, tree, memory) {}

  /// Updates the nodes of `lost`, and the nodes that lose edges because others become unreachable.
  constexpr void run() {
    for (std::size_t i = 0; i != m_.lost.size() && !m_.gives_up(); ++i) {
      const node_id target = m_.lost[i];
      if (tree_.is_reachable(target) && target != tree_.root()) {
        settle(target);
      }
    }
    m_.lost.clear();
  }

private:
  constexpr void settle(node_id target) {
    const node_id dominator = tree_.parent(target);
    const sibling_fate fate = fates_.of(dominator, target);
    const node_id only_predecessor = fates_.only_predecessor();
    m_.moving.clear();
    m_.unreachable.clear();
    if (fate == sibling_fate::moves) {
      fates_.of_all(m_.moving, m_.unreachable);
    } else if (fate == sibling_fate::becomes_unreachable) {
      m_.unreachable.push_back(target);
    }
    fates_.forget();
    for (const node_id n : m_.unreachable) {
      detach(n);
    }
    if (m_.moving.size() == 1 && m_.moving[0] == target && only_predecessor != no_node) {
      move(target, only_predecessor);
    } else if (!m_.moving.empty()) {
      place_moving(dominator);
    }
  }

  constexpr void place_moving(node_id dominator) {
    number_moving(dominator);
    for (const node_id n : m_.moving) {
      copy_edges_into(n);
    }
    for (const node_id n : m_.part.nodes) {
      m_.slot[n] = no_node;
    }
    m_.visited += m_.part.nodes.size();
    m_.part.sort_by_source(m_.edges);
    dominators(m_.part, semi_nca, m_.solver, m_.solution);
    move_as_solved();
  }

  constexpr void number(node_id n) {
    m_.slot[n] = static_cast<std::uint32_t>(m_.part.nodes.size());
    m_.part.nodes.push_back(n);
  }

  /// The dominator gets 0, the nodes that move come next.
  constexpr void number_moving(node_id dominator) {
    m_.part.nodes.clear();
    m_.edges.clear();
    number(dominator);
    for (const node_id n : m_.moving) {
      number(n);
    }
  }

  constexpr void copy_edges_into(node_id target) {
    for (const auto predecessor : g_.predecessors(target)) {
      const node_id source = node_in(g_, predecessor);
      if (tree_.is_reachable(source)) {
        number_path(source);
        m_.edges.push_back({m_.slot[source], m_.slot[target]});
      }
    }
  }

  /// Numbers `n` and its ancestors, up to the first one that has a number.
  constexpr void number_path(node_id n) {
    while (m_.slot[n] == no_node) {
      number(n);
      const node_id parent = tree_.parent(n);
      const std::uint32_t child = m_.slot[n];
      m_.edges.push_back({m_.slot[parent] != no_node ? m_.slot[parent] : child + 1, child});
      n = parent;
    }
  }

  constexpr void move(node_id n, node_id parent) {
    tree_.move(n, parent);
    m_.visited += tree_.update_depths(n);
  }

  /// Moves all nodes first, then computes depths in preorder, so that none is computed twice.
  constexpr void move_as_solved() {
    const flat_array<node_id>& nodes = m_.part.nodes;
    const std::size_t last = m_.moving.size();
    m_.found.clear();
    for (const std::uint32_t number : m_.solution.preorder()) {
      if (number != 0 && number <= last) {
        tree_.move(nodes[number], nodes[m_.solution.immediate_dominator(number)]);
        m_.found.push_back(nodes[number]);
      }
    }
    for (const node_id n : m_.found) {
      m_.visited += tree_.update_depths(n);
    }
  }

  /// All nodes that `top` dominates become unreachable. The targets of their edges have lost these edges.
  constexpr void detach(node_id top) {
    tree_.detach(top, m_.region);
    m_.visited += m_.region.size();
    const std::size_t first = m_.lost.size();
    for (const node_id source : m_.region) {
      for (const auto successor : g_.successors(source)) {
        const node_id target = node_in(g_, successor);
        if (tree_.is_reachable(target) && m_.slot[target] == no_node) {
          m_.slot[target] = 0;
          m_.lost.push_back(target);
        }
      }
    }
    for (std::size_t i = first; i != m_.lost.size(); ++i) {
      m_.slot[m_.lost[i]] = no_node;
    }
  }

  const G& g_;
  linked_tree& tree_;
  update_memory& m_;
  sibling_fates<G> fates_;
};

} // namespace detail

MIDEND_END_NAMESPACE
