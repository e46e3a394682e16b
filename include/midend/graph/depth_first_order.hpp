/// Depth-first order: preorder, postorder and reverse postorder of what the entry reaches.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/support/work_stack.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {
struct depth_first_search;
}

/// The orders of one depth-first search. Numbers start at 0. Unreachable nodes have the number `no_node` and are in
/// neither sequence. 16 bytes a node.
class depth_first_numbering {
public:
  constexpr std::size_t num_nodes() const { return preorder_number_.size(); }

  constexpr std::size_t num_reachable() const { return preorder_.size(); }

  constexpr bool is_reachable(node_id n) const { return preorder_number_[n] != no_node; }

  /// The reachable nodes in the order in which the search met them; the entry is first.
  constexpr span<const node_id> preorder() const { return preorder_; }

  /// The reachable nodes in the order in which the search left them; the entry is last. Reversed, it is the reverse
  /// postorder.
  constexpr span<const node_id> postorder() const { return postorder_; }

  constexpr node_id preorder_number(node_id n) const { return preorder_number_[n]; }

  constexpr node_id postorder_number(node_id n) const { return postorder_number_[n]; }

  /// Whether `a` is `b` or an ancestor of `b` in the tree of the search; false if either is unreachable. O(1).
  constexpr bool is_ancestor(node_id a, node_id b) const {
    return is_reachable(a) && is_reachable(b) && preorder_number_[a] <= preorder_number_[b] &&
           postorder_number_[a] >= postorder_number_[b];
  }

  friend constexpr bool operator==(const depth_first_numbering&, const depth_first_numbering&) = default;

private:
  friend detail::depth_first_search;

  flat_array<node_id> preorder_number_;
  flat_array<node_id> postorder_number_;
  flat_array<node_id> preorder_;
  flat_array<node_id> postorder_;
};

/// Memory for searches that are done again and again.
class depth_first_order_workspace {
  friend detail::depth_first_search;

  flat_array<std::uint32_t> stack_;
};

namespace detail {

/// Where a search writes, by node and by number.
struct depth_first_arrays {
  node_id* preorder_number; ///< `no_node` everywhere before
  node_id* postorder_number;
  node_id* preorder;
  node_id* postorder;
};

/// One stack holds the work left: a target that was not visited yet or, marked by the high bit, a node to leave.
/// Successors are read once, when their node is met. The first is followed at once; only the others are pushed.
struct depth_first_search {
  static constexpr std::uint32_t leave_mark = 0x8000'0000;

  template <flow_graph G>
  static constexpr void run(const G& g, depth_first_order_workspace& workspace, depth_first_numbering& out) {
    const node_id count = node_count(g);
    out.preorder_number_.assign(count, no_node);
    out.postorder_number_.resize_for_overwrite(count);
    out.preorder_.resize_for_overwrite(count);
    out.postorder_.resize_for_overwrite(count);
    work_stack<std::uint32_t> stack(workspace.stack_);
    const depth_first_arrays arrays{out.preorder_number_.data(), out.postorder_number_.data(), out.preorder_.data(),
                                    out.postorder_.data()};
    const node_id reached = count == 0 ? 0 : search(g, stack, arrays);
    for (node_id n = 0; reached != count && n != count; ++n) {
      if (out.preorder_number_[n] == no_node) {
        out.postorder_number_[n] = no_node;
      }
    }
    out.preorder_.shrink(reached);
    out.postorder_.shrink(reached);
  }

  /// Requires a node. Returns how many are reachable; others get no postorder number.
  template <class G, class Stack>
  static constexpr node_id search(const G& g, Stack& stack, const depth_first_arrays& arrays) {
    node_id* const preorder_number = arrays.preorder_number;
    node_id* const postorder_number = arrays.postorder_number;
    node_id* const preorder = arrays.preorder;
    node_id* const postorder = arrays.postorder;
    node_id met = 0;
    node_id left = 0;
    node_id at = node_in(g, g.entry());
    for (;;) {
      preorder_number[at] = met;
      preorder[met++] = at;
      stack.push(at | leave_mark);
      auto&& successors = g.successors(at);
      auto it = std::begin(successors);
      const auto last = std::end(successors);
      if (it != last) {
        at = node_in(g, *it);
        if (++it != last) {
          push_reversed(g, it, last, stack);
        }
        if (preorder_number[at] == no_node) {
          continue;
        }
      }
      for (;;) { // leave nodes until there is a new target
        if (stack.empty()) {
          return met;
        }
        const std::uint32_t next = stack.pop();
        if ((next & leave_mark) != 0) {
          const node_id done = next & ~leave_mark;
          postorder_number[done] = left;
          postorder[left++] = done;
        } else if (preorder_number[next] == no_node) {
          at = next;
          break;
        }
      }
    }
  }

  /// Pushes the nodes of a range so that the first one is popped first.
  template <class G, class Iterator, class Sentinel, class Stack>
  static constexpr void push_reversed(const G& g, Iterator it, Sentinel last, Stack& stack) {
    const std::size_t base = stack.size();
    do {
      stack.push(node_in(g, *it));
    } while (++it != last);
    if (stack.size() - base > 1) {
      stack.reverse_from(base);
    }
  }
};

} // namespace detail

/// Searches `g` depth first from its entry, taking the successors of a node in their order.
///
/// Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput. 1(2), 1972; without recursion.
/// Duplicate edges and self loops change nothing; unreachable nodes get no number. O(n + m) time; the stack holds at
/// most one entry for each reachable node and edge.
template <flow_graph_argument G> constexpr depth_first_numbering depth_first_order(const G& g) {
  depth_first_numbering out;
  depth_first_order_workspace workspace;
  detail::depth_first_search::run(g, workspace, out);
  return out;
}

/// Refills `out`; allocates nothing once workspace and result have seen a graph as large.
template <flow_graph_argument G>
constexpr void depth_first_order(const G& g, depth_first_order_workspace& workspace, depth_first_numbering& out) {
  detail::depth_first_search::run(g, workspace, out);
}

/// The reachable nodes, each before its successors except along edges back to an ancestor: the order for forward
/// problems. The reversed `postorder()` of `depth_first_order(g)`. O(n + m).
template <flow_graph_argument G> constexpr flat_array<node_id> reverse_post_order(const G& g) {
  const depth_first_numbering order = depth_first_order(g);
  const span<const node_id> postorder = order.postorder();
  flat_array<node_id> reversed;
  reversed.resize_for_overwrite(postorder.size());
  for (std::size_t i = 0; i != postorder.size(); ++i) {
    reversed[i] = postorder[postorder.size() - 1 - i];
  }
  return reversed;
}

MIDEND_END_NAMESPACE
