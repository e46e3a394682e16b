/// Which nodes of a list must not be erased.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/bit_row.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The nodes that stay: those that are not in the list, the targets of their edges, and the nodes that define values
/// used there.
template <class IR> class staying_nodes {
public:
  /// The sources of `kept` edges lose all other edges.
  staying_nodes(const IR& ir, span<const edge_id> kept, span<const node_id> erased)
      : ir_(ir), stays_(num_nodes(), true), kept_edge_(num_nodes(), no_edge) {
    for (const edge_id e : kept) {
      kept_edge_[static_cast<node_id>(ir.graph().edge_source(e))] = e;
    }
    for (const node_id n : erased) {
      stays_.reset(n);
    }
    home_.assign(ir.num_values(), no_node);
    for (node_id n = 0; n != num_nodes(); ++n) {
      for_each_id(ir.values(n), [&](value_id v) { home_[v] = n; });
      if (stays_.test(n)) {
        pending_.push_back(n);
      }
    }
    while (!pending_.empty()) {
      const node_id n = pending_.back();
      pending_.pop_back();
      keep_what_it_needs(n);
    }
  }

  /// Removes the nodes that stay from a list.
  void remove_from(flat_array<node_id>& nodes) const {
    std::size_t left = 0;
    for (const node_id n : nodes) {
      nodes[left] = n;
      left += stays_.test(n) ? 0u : 1u;
    }
    nodes.shrink(left);
  }

private:
  node_id num_nodes() const { return static_cast<node_id>(ir_.graph().num_nodes()); }

  void keep(node_id n) {
    if (n != no_node && !stays_.test(n)) {
      stays_.set(n);
      pending_.push_back(n);
    }
  }

  void keep_home(value_id v) {
    if (v != no_value) {
      keep(home_[v]);
    }
  }

  void keep_what_it_needs(node_id n) {
    for_each_id(ir_.values(n), [&](value_id v) {
      if (!ir_.is_phi(v)) {
        for_each_id(ir_.operands(v), [&](value_id operand) { keep_home(operand); });
      }
    });
    for_each_id(ir_.graph().out_edges(n), [&](edge_id e) {
      if (kept_edge_[n] != no_edge && kept_edge_[n] != e) {
        return;
      }
      const auto target = static_cast<node_id>(ir_.graph().edge_target(e));
      keep(target);
      for_each_phi(ir_, target, [&](value_id phi) { keep_home(ir_.phi_input(phi, e)); });
    });
  }

  const IR& ir_;
  bit_row stays_;
  flat_array<edge_id> kept_edge_;
  flat_array<node_id> home_;
  flat_array<node_id> pending_;
};

} // namespace detail

MIDEND_END_NAMESPACE
