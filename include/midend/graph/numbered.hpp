/// `numbered`: a graph with dense numbers from blocks that have none.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/forward_csr_graph.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

namespace detail {

template <class Range, class Handle>
concept range_of_handles = requires(Range& r) {
  { *std::begin(r) } -> std::convertible_to<Handle>;
};

} // namespace detail

/// A flat graph over handles, usually pointers to blocks, with the number of each handle and the handle of each number.
///
/// Numbers follow the order of discovery (breadth first, successors in order), never addresses or hashes, so they are
/// the same in every run. The successors are copied; only the handles refer to the IR. Models
/// `edge_indexed_flow_graph`.
template <class Handle> class numbered_graph : public forward_csr_graph {
  static_assert(std::is_trivially_copyable_v<Handle> && std::is_trivially_default_constructible_v<Handle>,
                "a handle is a pointer, an integer or a small struct of them");

public:
  constexpr numbered_graph() = default;

  /// See `numbered`.
  template <class SuccessorsOf> numbered_graph(Handle entry, span<const Handle> all_nodes, SuccessorsOf successors_of) {
    static_assert(
        requires(SuccessorsOf& f, const Handle& block) {
          requires detail::range_of_handles<decltype(f(block)), Handle>;
        },
        "midend: `numbered(entry, successors_of)` calls `successors_of(handle)`, which takes a handle of the type of "
        "`entry` and returns a range of such handles");
    discover(entry);
    flat_array<node_id> targets; // they come after the offsets, whose number is not known yet
    std::size_t next_root = 0;
    for (node_id n = 0;; ++n) {
      for (; n == handles_.size() && next_root != all_nodes.size(); ++next_root) {
        discover(all_nodes[next_root]); // no node so far leads to it
      }
      MIDEND_ASSERT(targets.size() <= max_edges, "at most max_edges edges", targets.size());
      arrays_.push_back(static_cast<edge_id>(targets.size()));
      if (n == handles_.size()) {
        break;
      }
      for (const auto successor : successors_of(handles_[n])) {
        targets.push_back(discover(successor));
      }
    }
    num_offsets_ = arrays_.size();
    num_edges_ = targets.size();
    arrays_.reserve(num_offsets_ + num_edges_);
    for (const node_id target : targets) {
      arrays_.push_back(target);
    }
  }

  constexpr Handle handle(node_id n) const {
    MIDEND_ASSERT(n < handles_.size(), "a node of the graph", n, handles_.size());
    return handles_[n];
  }

  /// All handles by number.
  constexpr span<const Handle> handles() const { return handles_; }

  /// The number of a handle, or `no_node` if it has none.
  node_id number(Handle handle) const { return numbers_.find(handle); }

private:
  /// The number of `handle`. Gives it the next number if it has none.
  node_id discover(Handle handle) {
    const auto next = static_cast<node_id>(handles_.size());
    if constexpr (std::is_pointer_v<Handle>) {
      MIDEND_ASSERT(handle != nullptr, "an entry, and successors without null pointers", next);
    }
    MIDEND_ASSERT(handles_.size() < max_nodes, "at most max_nodes nodes", handles_.size());
    const node_id number = numbers_.find_or_insert(handle, next);
    if (number == next) {
      handles_.push_back(handle);
    }
    return number;
  }

  flat_array<Handle> handles_;
  detail::hash_map<Handle> numbers_;
};

/// Numbers what `entry` reaches. `successors_of(handle)` gives a range of handles and is called once for each; the
/// range may be a temporary. The entry gets 0. O(n + m) expected.
template <class Handle, class SuccessorsOf> numbered_graph<Handle> numbered(Handle entry, SuccessorsOf successors_of) {
  return numbered_graph<Handle>(entry, span<const Handle>(), successors_of);
}

/// Numbers what `entry` reaches, then the other handles of the range `all_nodes` and what they reach, in its order.
template <class Handle, class AllNodes, class SuccessorsOf>
numbered_graph<Handle> numbered(Handle entry, const AllNodes& all_nodes, SuccessorsOf successors_of) {
  static_assert(
      detail::range_of_handles<const AllNodes, Handle>,
      "midend: the second of three arguments of `numbered` is a range of all handles; of a map pass the keys: "
      "`std::views::keys(map)`");
  flat_array<Handle> handles;
  for (const auto& handle : all_nodes) {
    handles.push_back(handle);
  }
  return numbered_graph<Handle>(entry, handles, successors_of);
}

MIDEND_END_NAMESPACE
