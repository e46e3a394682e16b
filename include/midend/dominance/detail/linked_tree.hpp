/// A dominator tree whose nodes can be moved: parent, depth and child links.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/detail/iterator_base.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/range.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The links of a node, in one place: a climb reads parent and depth, a walk reads all of them.
struct tree_links {
  node_id parent;
  std::uint32_t depth; ///< `no_node` if unreachable
  node_id first_child;
  node_id next_sibling;
  node_id previous_sibling;
};

/// The links of an unreachable node.
inline constexpr tree_links no_links{no_node, no_node, no_node, no_node, no_node};

/// The links of all nodes. Unreachable nodes are in no tree and have no children.
class linked_tree {
public:
  class child_iterator;
  using child_range = iterator_range<child_iterator>;

  constexpr std::size_t num_nodes() const { return links_.size(); }

  constexpr std::size_t num_reachable() const { return num_reachable_; }

  constexpr node_id root() const { return root_; }

  constexpr node_id parent(node_id n) const { return links_[n].parent; }

  constexpr std::uint32_t depth(node_id n) const { return links_[n].depth; }

  constexpr bool is_reachable(node_id n) const { return links_[n].depth != no_node; }

  constexpr child_range children(node_id n) const;

  /// Requires reachable nodes.
  constexpr node_id nearest_common_ancestor(node_id a, node_id b) const {
    const tree_links* const links = links_.data();
    while (a != b) {
      if (links[a].depth < links[b].depth) {
        b = links[b].parent;
      } else {
        a = links[a].parent;
      }
    }
    return a;
  }

  /// Requires reachable nodes.
  constexpr bool is_ancestor(node_id a, node_id b) const {
    const tree_links* const links = links_.data();
    while (links[b].depth > links[a].depth) {
      b = links[b].parent;
    }
    return a == b;
  }

  constexpr void assign(const dominator_tree& tree) {
    links_.assign(tree.num_nodes(), no_links);
    num_reachable_ = tree.num_reachable();
    root_ = tree.root();
    const auto preorder = tree.preorder();
    for (std::size_t i = preorder.size(); i-- != 0;) { // backwards, so that children are listed in preorder
      const node_id n = preorder[i];
      links_[n].depth = tree.depth(n);
      if (n != root_) {
        link(n, tree.immediate_dominator(n));
      }
    }
  }

  /// New nodes are unreachable.
  constexpr void grow(std::size_t count) {
    links_.reserve(count);
    while (links_.size() != count) {
      links_.push_back(no_links);
    }
  }

  /// Makes the unreachable node `n`, which has no children, a child of `parent`.
  constexpr void attach(node_id n, node_id parent) {
    link(n, parent);
    links_[n].depth = links_[parent].depth + 1;
    ++num_reachable_;
  }

  /// Moves `n` and its subtree below `parent`. Call `update_depths` afterwards.
  constexpr void move(node_id n, node_id parent) {
    unlink(n);
    link(n, parent);
  }

  /// Sets the depths of `top` and its descendants according to the depth of its parent. Returns how many nodes it
  /// visited, 0 if the depths were right.
  constexpr std::size_t update_depths(node_id top) {
    tree_links* const links = links_.data();
    std::size_t count = 0;
    if (links[top].depth != links[links[top].parent].depth + 1) {
      for (node_id n = top; n != no_node; n = next_in_subtree(n, top)) {
        links[n].depth = links[links[n].parent].depth + 1;
        ++count;
      }
    }
    return count;
  }

  /// Makes the subtree of `top` unreachable and leaves its nodes, `top` first, in `nodes`.
  constexpr void detach(node_id top, flat_array<node_id>& nodes) {
    unlink(top);
    nodes.clear();
    for (node_id n = top; n != no_node; n = next_in_subtree(n, top)) {
      nodes.push_back(n);
    }
    for (const node_id n : nodes) {
      links_[n] = no_links;
    }
    num_reachable_ -= nodes.size();
  }

  /// Gives the root another number, that of an unreachable node. The old number becomes an unreachable node.
  constexpr void rename_root(node_id to) {
    links_[to] = links_[root_];
    links_[root_] = no_links;
    root_ = to;
    for (node_id child = links_[to].first_child; child != no_node; child = links_[child].next_sibling) {
      links_[child].parent = to;
    }
  }

private:
  constexpr void link(node_id n, node_id parent) {
    const node_id next = links_[parent].first_child;
    links_[n].parent = parent;
    links_[n].next_sibling = next;
    links_[n].previous_sibling = no_node;
    links_[parent].first_child = n;
    if (next != no_node) {
      links_[next].previous_sibling = n;
    }
  }

  constexpr void unlink(node_id n) {
    const tree_links& old = links_[n];
    if (old.previous_sibling != no_node) {
      links_[old.previous_sibling].next_sibling = old.next_sibling;
    } else {
      links_[old.parent].first_child = old.next_sibling;
    }
    if (old.next_sibling != no_node) {
      links_[old.next_sibling].previous_sibling = old.previous_sibling;
    }
  }

  /// The node after `n` in preorder of the subtree of `top`; `no_node` after the last one.
  constexpr node_id next_in_subtree(node_id n, node_id top) const {
    const tree_links* const links = links_.data();
    if (links[n].first_child != no_node) {
      return links[n].first_child;
    }
    while (n != top && links[n].next_sibling == no_node) {
      n = links[n].parent;
    }
    return n == top ? no_node : links[n].next_sibling;
  }

  flat_array<tree_links> links_;
  std::size_t num_reachable_ = 0;
  node_id root_ = no_node;
};

class linked_tree::child_iterator : public detail::iterator_base<linked_tree::child_iterator, node_id> {
public:
  constexpr child_iterator() = default;

  constexpr child_iterator(const linked_tree* tree, node_id at) : tree_(tree), at_(at) {}

  constexpr node_id operator*() const { return at_; }

  constexpr void advance() { at_ = tree_->links_[at_].next_sibling; }

  friend constexpr bool operator==(child_iterator a, child_iterator b) { return a.at_ == b.at_; }

private:
  const linked_tree* tree_ = nullptr;
  node_id at_ = no_node;
};

constexpr linked_tree::child_range linked_tree::children(node_id n) const {
  return {child_iterator(this, links_[n].first_child), child_iterator(this, no_node)};
}

/// The tree as a graph. It is its own dominator tree, from which a snapshot is made.
struct tree_as_graph {
  const linked_tree* tree;
  std::uint64_t changes;

  constexpr std::size_t num_nodes() const { return tree->num_nodes(); }

  constexpr node_id entry() const { return tree->root(); }

  constexpr linked_tree::child_range successors(node_id n) const { return tree->children(n); }

  constexpr std::uint64_t epoch() const { return changes; }
};

} // namespace detail

MIDEND_END_NAMESPACE
