/// `values_without_phis`: values that no phi can have, where transformations might need one.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/order.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Memory of `values_without_phis`, to be reused.
struct values_without_phis_memory {
  struct read {
    value_id value;
    node_id reader;
  };

  flat_array<std::uint32_t> ends; ///< by node, and one more: its part of `reads`, if there are any
  flat_array<read> reads;
  flat_array<node_id> home; ///< by value
};

/// The values of an IR that no phi can take (`may_insert_phi`) and that another node reads. A value that only its own
/// node reads needs no phi, whatever is copied. Linear in the program if the IR has `may_insert_phi`, else O(1).
template <class IR> class values_without_phis {
public:
  explicit values_without_phis(const IR& ir) : values_without_phis(ir, nullptr) {}

  values_without_phis(const IR& ir, values_without_phis_memory& memory) : values_without_phis(ir, &memory) {}

  values_without_phis(const values_without_phis&) = delete;
  values_without_phis& operator=(const values_without_phis&) = delete;

  bool empty() const { return reads_.empty(); }

  /// Such a value of node `n`, or `no_value`. Copying the node alone would require a phi for it.
  value_id read_elsewhere(node_id n) const {
    return empty() || ends_[n] == end_of(n) ? no_value : reads_[ends_[n]].value;
  }

  /// Such a value of loop `l` that is read outside, or `no_value`. Copying the loop would require a phi for it; a read
  /// inside reads the copy of its own iteration. Linear in the nodes of the loop and the reads.
  value_id read_outside(const loop_forest& loops, loop_id l) const {
    if (empty()) {
      return no_value;
    }
    for (const node_id n : loops.blocks(l)) {
      for (std::uint32_t i = ends_[n]; i != end_of(n); ++i) {
        if (!loops.contains(l, reads_[i].reader)) {
          return reads_[i].value;
        }
      }
    }
    return no_value;
  }

  /// Such a value that may no longer reach its reads if edges meet in a dispatch, or `no_value`: its node dominates a
  /// target, but not all edges. `tree` may be empty if there is no value. O(edges, and the dominators of their targets
  /// that do not dominate all edges).
  value_id lost_by_dispatch(const dominator_tree& tree, span<const edge_id> edges) {
    if (empty()) {
      return no_value;
    }
    std::uint32_t first = 0xffff'ffff; // the first of their sources in preorder of the tree
    std::uint32_t last = 0;
    for (const edge_id e : edges) {
      const auto source = static_cast<node_id>(ir_.graph().edge_source(e));
      if (tree.is_reachable(source)) {
        const std::uint32_t number = tree.preorder_number(source);
        first = min(first, number);
        last = last < number ? number : last;
      }
    }
    const auto dominates_all = [&](node_id n) {
      const std::uint32_t number = tree.preorder_number(n);
      return number <= first && last - number < tree.subtree(n).size();
    };
    if (seen_.empty()) {
      seen_.assign(ends_.size() - 1, 0);
    }
    ++search_;
    for (const edge_id e : edges) {
      const auto target = static_cast<node_id>(ir_.graph().edge_target(e));
      node_id n = tree.is_reachable(target) ? tree.immediate_dominator(target) : no_node;
      for (; n != no_node && seen_[n] != search_ && !dominates_all(n); n = tree.immediate_dominator(n)) {
        seen_[n] = search_;
        if (const value_id v = read_elsewhere(n); v != no_value) {
          return v;
        }
      }
    }
    return no_value;
  }

private:
  using read = values_without_phis_memory::read;

  values_without_phis(const IR& ir, values_without_phis_memory* memory)
      : ir_(ir), memory_(memory == nullptr ? own_ : *memory), ends_(memory_.ends), reads_(memory_.reads) {
    ends_.clear();
    reads_.clear();
    if constexpr (has_may_insert_phi<IR>) {
      list_reads();
    }
  }

  std::uint32_t end_of(node_id n) const { return ends_[n + std::size_t{1}]; }

  void list_reads() {
    flat_array<node_id>& home = memory_.home;
    home.assign(static_cast<std::size_t>(ir_.num_values()), no_node);
    const node_id count = node_count(ir_.graph());
    bool any = false;
    for (node_id n = 0; n != count; ++n) {
      for_each_id(ir_.values(n), [&](value_id v) {
        if (!may_insert_phi(ir_, v)) {
          home[v] = n;
          any = true;
        }
      });
    }
    if (!any) {
      return;
    }
    const auto for_each_read = [&](auto visit) {
      for (node_id n = 0; n != count; ++n) {
        const auto see = [&](value_id v) {
          if (v != no_value && home[v] != no_node && home[v] != n) {
            visit(v, n);
          }
        };
        for_each_id(ir_.values(n), [&](value_id v) { for_each_id(ir_.operands(v), see); });
        if constexpr (requires { ir_.condition(n); }) {
          see(static_cast<value_id>(ir_.condition(n)));
        }
      }
    };
    std::size_t reads = 0;
    ends_.assign(count + std::size_t{1}, 0);
    for_each_read([&](value_id v, node_id) {
      ++ends_[home[v]];
      ++reads;
    });
    counts_to_ends(ends_);
    reads_.assign(reads, read{no_value, no_node});
    for_each_read([&](value_id v, node_id n) { reads_[--ends_[home[v]]] = {v, n}; });
  }

  const IR& ir_;
  values_without_phis_memory own_; ///< used if the caller has none
  values_without_phis_memory& memory_;
  flat_array<std::uint32_t>& ends_;
  flat_array<read>& reads_;
  flat_array<std::uint32_t> seen_; ///< by node: the last search
  std::uint32_t search_ = 0;
};

} // namespace detail

MIDEND_END_NAMESPACE
