/// What the deletion of edges does to a dominator tree.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/detail/linked_tree.hpp"
#include "midend/dominance/detail/sibling_fates.hpp"
#include "midend/dominance/detail/update_memory.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The deletion of edges: each of them is gone from `g`, and its target is in `lost`.
///
/// Deleting undoes inserting (see `edge_insertion`), so what is affected are siblings of the target: children of its
/// immediate dominator d. What is elsewhere below d keeps its parent, and what is not below d is as before. So first it
/// is found out which children of d move (see `sibling_fates`): if the target does not, none does. Where to is found
/// out on a small graph of those that move and of what is above their predecessors, up to the children of d. Nodes that
/// keep their parent have the edge from it for their only one; what moves has its edges of `g`. This graph has the
/// dominators of `g`: each of its edges is one of `g` or leads from a dominator, and a path of `g` to w that avoids v
/// holds the dominators of all its nodes, so that among its nodes there is a path of the small graph.
///
/// A departure from Georgiadis, Italiano, Laura, Santaroni, "An experimental study of dynamic dominators", ESA 2012,
/// and from LLVM, which compute dominators anew of everything below d.
template <class G> class edge_deletion {
public:
  constexpr edge_deletion(const G& g, linked_tree& tree, update_memory& memory)
      : g_(g), tree_(tree), m_(memory), fates_(g, tree, memory) {}

  /// Settles the nodes of `lost`, and those that lose edges on the way because others become unreachable.
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

  /// The dominator is 0, and what moves comes next.
  constexpr void number_moving(node_id dominator) {
    m_.part.nodes.clear();
    m_.edges.clear();
    number(dominator);
    for (const node_id n : m_.moving) {
      number(n);
    }
  }

  constexpr void copy_edges_into(node_id target) {
    auto&& predecessors = g_.predecessors(target);
    const auto last = std::end(predecessors);
    for (auto it = std::begin(predecessors); it != last; ++it) {
      const auto source = static_cast<node_id>(*it);
      if (tree_.is_reachable(source)) {
        number_path(source);
        m_.edges.push_back({m_.slot[source], m_.slot[target]});
      }
    }
  }

  /// Numbers `n` and what is above it, up to what has a number.
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

  /// All are moved first, and depths worked out in preorder, so that none is worked out twice.
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

  /// What `top` dominates is unreachable with it; what edges lead to from there has lost them.
  constexpr void detach(node_id top) {
    tree_.detach(top, m_.region);
    m_.visited += m_.region.size();
    const std::size_t first = m_.lost.size();
    for (const node_id source : m_.region) {
      auto&& successors = g_.successors(source);
      const auto last = std::end(successors);
      for (auto it = std::begin(successors); it != last; ++it) {
        const auto target = static_cast<node_id>(*it);
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
