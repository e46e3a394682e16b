/// The iteration behind iterated dominance frontiers.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/flat_array.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

struct iterated_frontier_computation;

/// The edges whose source does not immediately dominate their target, the only ones that lead out of a subtree of the
/// dominator tree, by preorder number of the source. So the edges out of the nodes of a subtree are an interval.
struct join_edges {
  flat_array<std::uint32_t> first;  ///< by preorder number, and one more
  flat_array<std::uint32_t> target; ///< preorder numbers

  template <class G> constexpr void assign(const G& g, const dominator_tree& tree) {
    require_tree_of(g, tree);
    first.resize_for_overwrite(tree.num_reachable() + 1);
    target.clear();
    std::size_t number = 0;
    for (const node_id source : tree.preorder()) {
      first[number++] = static_cast<std::uint32_t>(target.size());
      auto&& successors = g.successors(source);
      const auto last = std::end(successors);
      for (auto it = std::begin(successors); it != last; ++it) {
        if (tree.immediate_dominator(static_cast<node_id>(*it)) != source) {
          target.push_back(tree.preorder_number(static_cast<node_id>(*it)));
        }
      }
    }
    first[number] = static_cast<std::uint32_t>(target.size());
  }
};

/// Definitions and frontier nodes wait by depth and are taken from the deepest up. Of the edges out of the subtree of a
/// node those that do not lead below its own depth are its frontier. An edge looked at for a deeper node need not be
/// looked at again: it led deeper than that one, or its target is known.
class frontier_iteration {
public:
  /// Sizes for graphs with this tree.
  constexpr void start(const dominator_tree& tree) {
    std::uint32_t deepest = 0;
    for (const node_id n : tree.preorder()) {
      deepest = tree.depth(n) > deepest ? tree.depth(n) : deepest;
    }
    state_.assign(tree.num_reachable(), unknown);
    next_.resize_for_overwrite(tree.num_reachable());
    waiting_.resize_for_overwrite(deepest + std::size_t{1});
    is_waiting_.assign(deepest / 64 + std::size_t{1}, 0);
    skip_to_.clear();
  }

  /// Appends the frontier nodes to `out` in the order in which they are found.
  template <class Nodes, class LiveIn>
  constexpr void run(const join_edges& edges, const dominator_tree& tree, const Nodes& definitions, LiveIn live_in,
                     flat_array<node_id>& out) {
    if (skip_to_.size() != edges.target.size()) {
      skip_to_.assign(edges.target.size(), 0);
    }
    for (const auto definition : definitions) {
      const auto n = static_cast<node_id>(definition);
      if (tree.is_reachable(n) && state_[tree.preorder_number(n)] == unknown) {
        enqueue(tree.preorder_number(n), tree.depth(n));
      }
    }
    while (num_waiting_ != 0) {
      const std::uint32_t root = take_deepest();
      visit_subtree(root, edges, tree, live_in, out);
    }
    forget();
  }

private:
  enum node_state : std::uint8_t { unknown, is_root, not_live, is_root_and_in_frontier };

  constexpr void enqueue(std::uint32_t number, std::uint32_t depth) {
    state_[number] = is_root;
    known_.push_back(number);
    std::uint64_t& word = is_waiting_[depth / 64];
    const std::uint64_t bit = std::uint64_t{1} << depth % 64;
    next_[number] = (word & bit) != 0 ? waiting_[depth] : end_of_list;
    waiting_[depth] = number;
    word |= bit;
    level_ = num_waiting_ == 0 || depth > level_ ? depth : level_;
    ++num_waiting_;
  }

  constexpr std::uint32_t take_deepest() {
    std::size_t word = level_ / 64;
    while (is_waiting_[word] == 0) {
      --word;
    }
    const auto bit = static_cast<std::uint32_t>(63 - std::countl_zero(is_waiting_[word]));
    level_ = static_cast<std::uint32_t>(word) * 64 + bit;
    const std::uint32_t number = waiting_[level_];
    waiting_[level_] = next_[number];
    if (next_[number] == end_of_list) {
      is_waiting_[word] ^= std::uint64_t{1} << bit;
    }
    --num_waiting_;
    return number;
  }

  template <class LiveIn>
  constexpr void visit_subtree(std::uint32_t root, const join_edges& edges, const dominator_tree& tree, LiveIn live_in,
                               flat_array<node_id>& out) {
    const node_id root_node = tree.preorder()[root];
    const std::uint32_t depth = tree.depth(root_node);
    const std::uint32_t first = edges.first[root];
    const std::uint32_t last = edges.first[root + tree.subtree(root_node).size()];
    for (std::uint32_t edge = first; edge != last;) {
      if (skip_to_[edge] != 0) {
        edge = skip_to_[edge];
        continue;
      }
      const std::uint32_t target = edges.target[edge++];
      if (state_[target] == not_live || state_[target] == is_root_and_in_frontier) {
        continue;
      }
      const node_id target_node = tree.preorder()[target];
      if (tree.depth(target_node) <= depth) {
        join_frontier(target, target_node, tree.depth(target_node), live_in, out);
      }
    }
    if (first != last) {
      skip_to_[first] = last;
      skipping_.push_back(first);
    }
  }

  template <class LiveIn>
  constexpr void join_frontier(std::uint32_t number, node_id n, std::uint32_t depth, LiveIn live_in,
                               flat_array<node_id>& out) {
    const bool is_definition = state_[number] == is_root;
    if (static_cast<bool>(live_in(n))) {
      if (!is_definition) {
        enqueue(number, depth);
      }
      state_[number] = is_root_and_in_frontier;
      out.push_back(n);
      return;
    }
    if (!is_definition) {
      known_.push_back(number);
    }
    state_[number] = not_live;
  }

  /// Ready for other definitions, without a pass over the graph.
  constexpr void forget() {
    for (const std::uint32_t number : known_) {
      state_[number] = unknown;
    }
    for (const std::uint32_t edge : skipping_) {
      skip_to_[edge] = 0;
    }
    known_.clear();
    skipping_.clear();
    level_ = 0;
  }

  static constexpr std::uint32_t end_of_list = 0xffff'ffff;

  std::uint32_t level_ = 0; ///< nothing that waits is deeper
  std::uint32_t num_waiting_ = 0;
  flat_array<node_state> state_;         ///< by preorder number, as `next_`
  flat_array<std::uint32_t> next_;       ///< that waits at the same depth
  flat_array<std::uint32_t> waiting_;    ///< by depth, where a bit is set
  flat_array<std::uint64_t> is_waiting_; ///< a bit by depth
  flat_array<std::uint32_t> skip_to_;    ///< by edge: the end of an interval that was looked at from here on, or 0
  flat_array<std::uint32_t> known_;      ///< numbers whose state is not `unknown`
  flat_array<std::uint32_t> skipping_;   ///< edges whose `skip_to_` is not 0
};

} // namespace detail

MIDEND_END_NAMESPACE
