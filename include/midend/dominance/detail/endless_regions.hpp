/// The regions of a graph that control never leaves, and the node of each that is its root.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/depth_first_order.hpp"
#include "midend/graph/strongly_connected_components.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/sort.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A flat copy of the nodes that reach no exit, with new numbers. Their successors do not reach an exit either, so no
/// edge leaves this part.
class endless_part {
public:
  template <class G, class ReachesExit> constexpr void assign(const G& g, ReachesExit reaches_exit) {
    number_nodes(node_count(g), reaches_exit);
    offsets_.resize_for_overwrite(nodes_.size() + 1);
    targets_.clear();
    for (std::size_t i = 0; i != nodes_.size(); ++i) {
      offsets_[i] = static_cast<std::uint32_t>(targets_.size());
      for (const auto successor : g.successors(nodes_[i])) {
        targets_.push_back(number_[node_in(g, successor)]);
      }
    }
    offsets_[nodes_.size()] = static_cast<std::uint32_t>(targets_.size());
  }

  constexpr std::size_t num_nodes() const { return nodes_.size(); }

  constexpr span<const node_id> successors(node_id n) const {
    return {targets_.data() + offsets_[n], targets_.data() + offsets_[n + std::size_t{1}]};
  }

  /// The node of the graph that a node of the part stands for.
  constexpr node_id original(node_id n) const { return nodes_[n]; }

private:
  template <class ReachesExit> constexpr void number_nodes(node_id count, ReachesExit reaches_exit) {
    number_.resize_for_overwrite(count);
    nodes_.clear();
    for (node_id n = 0; n != count; ++n) {
      if (!reaches_exit(n)) {
        number_[n] = static_cast<std::uint32_t>(nodes_.size());
        nodes_.push_back(n);
      }
    }
  }

  flat_array<node_id> nodes_;
  flat_array<std::uint32_t> number_;
  flat_array<std::uint32_t> offsets_;
  flat_array<std::uint32_t> targets_;
};

/// Finds one root for each endless region. Only the nodes that reach no exit are decomposed into components.
class endless_region_search {
public:
  /// Fills `roots()`, ascending; `reaches_exit(n)` says whether `n` reaches an exit.
  template <class G, class ReachesExit> constexpr void run(const G& g, ReachesExit reaches_exit) {
    clear();
    part_.assign(g, reaches_exit);
    strongly_connected_components(part_, component_memory_, components_);
    for (component_id c = 0; c != components_.num_components(); ++c) {
      if (is_terminal(c)) {
        roots_.push_back(last_member(g, components_.members(c)));
      }
    }
    sort(roots_);
  }

  constexpr void clear() {
    roots_.clear();
    given_ = 0;
    is_ordered_ = false;
  }

  constexpr span<const node_id> roots() const { return roots_; }

  /// Returns one root after the other.
  constexpr node_id next_root() { return roots_[given_++]; }

private:
  constexpr bool is_terminal(component_id c) const {
    for (const node_id n : components_.members(c)) {
      for (const node_id successor : part_.successors(n)) {
        if (components_.component(successor) != c) {
          return false;
        }
      }
    }
    return true;
  }

  /// The entry reaches all nodes of a component or none. Only a region of several nodes needs a search.
  template <class G> constexpr node_id last_member(const G& g, span<const node_id> members) {
    node_id last = part_.original(members[0]);
    if (members.size() != 1 && !is_ordered_) {
      depth_first_order(g, order_memory_, order_);
      is_ordered_ = true;
    }
    for (const node_id member : members.subspan(1)) {
      last = later(last, part_.original(member));
    }
    return last;
  }

  /// The later one in reverse postorder, unreachable nodes last, ascending.
  constexpr node_id later(node_id a, node_id b) const {
    const std::uint32_t post_a = order_.postorder_number(a);
    const std::uint32_t post_b = order_.postorder_number(b);
    return post_a != post_b ? (post_a < post_b ? a : b) : (a > b ? a : b);
  }

  flat_array<node_id> roots_;
  std::size_t given_ = 0; ///< how many of them `next_root` returned
  endless_part part_;
  strongly_connected_components_workspace component_memory_;
  component_partition components_;
  depth_first_order_workspace order_memory_;
  depth_first_numbering order_;
  bool is_ordered_ = false;
};

/// Merges `more` into `ids`; both ascend.
constexpr void merge_ascending(flat_array<node_id>& ids, span<const node_id> more) {
  std::size_t left = ids.size();
  for (const node_id n : more) {
    ids.push_back(n);
  }
  std::size_t to = ids.size();
  for (std::size_t i = more.size(); i-- != 0;) {
    while (left != 0 && ids[left - 1] > more[i]) {
      ids[--to] = ids[--left];
    }
    ids[--to] = more[i];
  }
}

} // namespace detail

MIDEND_END_NAMESPACE
