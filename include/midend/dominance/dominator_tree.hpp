/// `dominator_tree`: the result type and its queries. `dominators.hpp` computes it.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/detail/iterator_base.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/range.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {
struct dominator_tree_builder;
}

/// The dominance relation: `a` dominates `b` if every path from the entry to `b` goes through `a`. (Every reachable
/// node dominates itself; it *strictly* dominates the others.) The tree has the entry as root and
/// `immediate_dominator(n)`, the closest strict dominator, as the parent of `n`.
///
/// Nodes are numbered in preorder of the tree, so that the nodes that `n` dominates are an interval of numbers. 20
/// bytes a node. Unreachable nodes are in no relation: nothing dominates them, not even they themselves, and they
/// dominate nothing.
class dominator_tree {
public:
  constexpr std::size_t num_nodes() const { return num_nodes_; }

  constexpr std::size_t num_reachable() const { return num_reachable_; }

  /// The entry, or `no_node` for a graph without nodes.
  constexpr node_id root() const { return num_reachable_ == 0 ? no_node : preorder().front(); }

  constexpr bool is_reachable(node_id n) const { return of(numbers, n) != no_node; }

  /// The parent of `n` in the tree; `no_node` for the entry and for unreachable nodes.
  constexpr node_id immediate_dominator(node_id n) const { return of(parents, n); }

  /// The immediate dominators by node, as an array.
  constexpr span<const node_id> immediate_dominators() const { return {column(parents), num_nodes_}; }

  /// Whether every path from the entry to `b` goes through `a`. False if either is unreachable. O(1).
  constexpr bool dominates(node_id a, node_id b) const {
    // One comparison: the difference wraps around for numbers before a's, and for an unreachable b it exceeds any size;
    // the size of an unreachable a is 0.
    return of(numbers, b) - of(numbers, a) < of(sizes, a);
  }

  /// `dominates` as a function object, for loops with many queries: two pointers that stay in registers. Valid as long
  /// as the tree.
  class dominance_test {
  public:
    constexpr bool operator()(node_id a, node_id b) const { return number_[b] - number_[a] < size_[a]; }

  private:
    friend dominator_tree;

    constexpr dominance_test(const std::uint32_t* number, const std::uint32_t* size) : number_(number), size_(size) {}

    const std::uint32_t* number_;
    const std::uint32_t* size_;
  };

  constexpr dominance_test test() const { return {column(numbers), column(sizes)}; }

  /// `dominates(a, b)` for different nodes. O(1).
  constexpr bool strictly_dominates(node_id a, node_id b) const { return a != b && dominates(a, b); }

  /// The closest node that dominates both; `no_node` if either is unreachable. O(d), where d is the difference in
  /// depth between the answer and the less deep of the two.
  constexpr node_id nearest_common_dominator(node_id a, node_id b) const {
    if (!is_reachable(a) || !is_reachable(b)) {
      return no_node;
    }
    if (depth(a) > depth(b)) {
      const node_id deeper = a;
      a = b;
      b = deeper;
    }
    while (!dominates(a, b)) {
      a = immediate_dominator(a);
    }
    return a;
  }

  /// The number of strict dominators of `n`: 0 for the entry, `no_node` for unreachable nodes.
  constexpr std::uint32_t depth(node_id n) const { return of(depths, n); }

  /// The reachable nodes in preorder of the tree: each after its immediate dominator, each subtree an interval.
  constexpr span<const node_id> preorder() const { return {column(preorders), num_reachable_}; }

  /// The position of `n` in `preorder()`; `no_node` for unreachable nodes.
  constexpr std::uint32_t preorder_number(node_id n) const { return of(numbers, n); }

  /// The nodes that `n` dominates, `n` first, in preorder; empty for unreachable nodes.
  constexpr span<const node_id> subtree(node_id n) const {
    return is_reachable(n) ? preorder().subspan(of(numbers, n), of(sizes, n)) : span<const node_id>();
  }

  class child_iterator;
  using child_range = iterator_range<child_iterator>;

  /// The nodes that `n` immediately dominates, in preorder; none for unreachable nodes. Steps from a child to the next
  /// one by the interval, in O(1).
  constexpr child_range children(node_id n) const;

  /// The `epoch()` of the graph that the tree was made of.
  constexpr std::uint64_t epoch() const { return epoch_; }

  /// Whether the relation, the nodes and their numbering are equal.
  friend constexpr bool operator==(const dominator_tree&, const dominator_tree&) = default;

private:
  friend detail::dominator_tree_builder;

  /// The columns, by node but for the last: each has `num_nodes()` elements, `preorders` only `num_reachable()`.
  enum column_id : std::size_t { numbers, sizes, parents, depths, preorders };

  constexpr const std::uint32_t* column(column_id c) const { return columns_.data() + c * num_nodes_; }

  constexpr std::uint32_t* column(column_id c) { return columns_.data() + c * num_nodes_; }

  constexpr std::uint32_t of(column_id c, node_id n) const {
    MIDEND_ASSERT(n < num_nodes_, "a node of the graph", n, num_nodes_);
    return column(c)[n];
  }

  std::uint64_t epoch_ = 0;
  std::size_t num_nodes_ = 0;
  std::size_t num_reachable_ = 0;
  flat_array<std::uint32_t> columns_; ///< one after the other, so that a tree is one allocation
};

/// Goes over the children of a node; valid as long as the tree.
class dominator_tree::child_iterator : public detail::iterator_base<dominator_tree::child_iterator, node_id> {
public:
  constexpr child_iterator() = default;

  constexpr child_iterator(const dominator_tree* tree, std::uint32_t number) : tree_(tree), number_(number) {}

  constexpr node_id operator*() const { return tree_->preorder()[number_]; }

  constexpr void advance() { number_ += tree_->of(sizes, **this); }

  friend constexpr bool operator==(child_iterator a, child_iterator b) { return a.number_ == b.number_; }

private:
  const dominator_tree* tree_ = nullptr;
  std::uint32_t number_ = 0;
};

constexpr dominator_tree::child_range dominator_tree::children(node_id n) const {
  if (!is_reachable(n)) {
    return {child_iterator(), child_iterator()};
  }
  const std::uint32_t number = of(numbers, n);
  return {child_iterator(this, number + 1), child_iterator(this, number + of(sizes, n))};
}

namespace detail {

/// Required by every analysis that takes a graph and its dominator tree.
template <class G>
constexpr void require_tree_of([[maybe_unused]] const G& g, [[maybe_unused]] const dominator_tree& tree) {
  MIDEND_ASSERT(tree.num_nodes() == node_count(g), "a dominator tree of this graph", tree.num_nodes(), g.num_nodes());
  MIDEND_ASSERT(tree.epoch() == graph_epoch(g), "a dominator tree that is up to date", tree.epoch(), graph_epoch(g));
}

} // namespace detail

MIDEND_END_NAMESPACE
