/// Insertion of an edge into a dominator tree.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/detail/linked_tree.hpp"
#include "midend/dominance/detail/update_memory.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/work_stack.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Inserts one edge. `each_successor(n, visit)` visits the successors of `n` after the insertion.
///
/// Georgiadis, Italiano, Laura, Santaroni, "An experimental study of dynamic dominators", ESA 2012: let c be the
/// nearest common dominator of the ends of the new edge. A node v deeper than the children of c is affected
/// exactly if the target reaches it by a path on which no node is less deep than v; c becomes its immediate dominator.
template <class EachSuccessor> class edge_insertion {
public:
  constexpr edge_insertion(linked_tree& tree, update_memory& memory, EachSuccessor each_successor)
      : tree_(tree), m_(memory), each_successor_(each_successor) {}

  constexpr void run(node_id source, node_id target) {
    if (!tree_.is_reachable(source)) {
      return;
    }
    if (tree_.is_reachable(target)) {
      insert_reachable(source, target);
    } else {
      attach_region(source, target);
      insert_edges_out_of_region(source);
    }
  }

private:
  static constexpr std::uint32_t seen = 0;

  constexpr void insert_reachable(node_id source, node_id target) {
    const node_id common = tree_.nearest_common_ancestor(source, target);
    const std::uint32_t top = tree_.depth(common) + 1;
    m_.visited += tree_.depth(source) - tree_.depth(common) + 2;
    if (tree_.depth(target) <= top) {
      return;
    }
    list_affected(target, top);
    for (const node_id n : m_.found) {
      tree_.move(n, common);
    }
    for (const node_id n : m_.found) {
      m_.visited += tree_.update_depths(n);
    }
  }

  /// Depth-based search, from the deepest nodes up: a node that is met from a deeper level, or from its own, is
  /// affected, because less deep nodes come later. Nodes below the present level are searched but not affected.
  constexpr void list_affected(node_id target, std::uint32_t top) {
    m_.heads.assign(tree_.depth(target) - top, no_node);
    m_.found.clear();
    work_stack<node_id> met(m_.met);
    work_stack<node_id> below(m_.pending);
    const auto put_in_bucket = [&](node_id n) {
      node_id& head = m_.heads[tree_.depth(n) - top - 1];
      m_.next[n] = head;
      head = n;
    };
    const auto meet = [&](node_id n) {
      m_.slot[n] = seen;
      met.push(n);
    };
    meet(target);
    put_in_bucket(target);
    for (std::uint32_t level = tree_.depth(target); level != top; --level) {
      node_id& head = m_.heads[level - top - 1];
      while (head != no_node) {
        const node_id affected = head;
        head = m_.next[affected];
        m_.found.push_back(affected);
        below.push(affected);
        while (!below.empty()) {
          each_successor_(below.pop(), [&](node_id n) {
            const std::uint32_t depth = tree_.depth(n);
            MIDEND_ASSERT(depth != no_node, "a graph that has changed as the updates say", n);
            if (depth <= top || m_.slot[n] == seen) {
              return;
            }
            meet(n);
            if (depth > level) {
              below.push(n);
            } else {
              put_in_bucket(n);
            }
          });
        }
      }
    }
    m_.visited += met.size();
    while (!met.empty()) {
      m_.slot[met.pop()] = no_node;
    }
  }

  /// The nodes that become reachable through `top` have their dominators among themselves: they are computed on the
  /// graph of these nodes. Leaves the targets of their edges to other reachable nodes in `found`, each once.
  constexpr void attach_region(node_id source, node_id top) {
    copy_region(top);
    if (m_.part.nodes.size() == 1) {
      tree_.attach(top, source);
      ++m_.visited;
      return;
    }
    dominators(m_.part, semi_nca, m_.solver, m_.solution);
    const flat_array<node_id>& nodes = m_.part.nodes;
    for (const node_id local : m_.solution.preorder()) {
      const node_id parent = m_.solution.immediate_dominator(local);
      tree_.attach(nodes[local], parent == no_node ? source : nodes[parent]);
    }
    m_.visited += nodes.size();
  }

  constexpr void copy_region(node_id top) {
    local_graph& part = m_.part;
    part.nodes.clear();
    part.offsets.clear();
    part.targets.clear();
    m_.found.clear();
    const auto number_of = [&](node_id n) {
      if (m_.slot[n] == no_node) {
        m_.slot[n] = static_cast<std::uint32_t>(part.nodes.size());
        part.nodes.push_back(n);
      }
      return m_.slot[n];
    };
    number_of(top);
    part.offsets.push_back(0);
    for (std::size_t i = 0; i != part.nodes.size(); ++i) {
      each_successor_(part.nodes[i], [&](node_id n) {
        if (!tree_.is_reachable(n)) {
          part.targets.push_back(number_of(n));
        } else if (m_.slot[n] == no_node) {
          m_.slot[n] = seen;
          m_.found.push_back(n);
        }
      });
      part.offsets.push_back(static_cast<std::uint32_t>(part.targets.size()));
    }
    for (const node_id n : part.nodes) {
      m_.slot[n] = no_node;
    }
    for (const node_id n : m_.found) {
      m_.slot[n] = no_node;
    }
  }

  /// The region is below `source`, so an edge out of it has the effect of one from `source`. Edges are inserted one by
  /// one: the search for affected nodes stays in the subtree of a sibling of an ancestor of `source`, so it never
  /// enters the region and does not see edges out of it that are not inserted yet.
  constexpr void insert_edges_out_of_region(node_id source) {
    m_.reached.swap(m_.found);
    for (const node_id target : m_.reached) {
      if (m_.gives_up()) {
        return;
      }
      insert_reachable(source, target);
    }
  }

  linked_tree& tree_;
  update_memory& m_;
  EachSuccessor each_successor_;
};

} // namespace detail

MIDEND_END_NAMESPACE
