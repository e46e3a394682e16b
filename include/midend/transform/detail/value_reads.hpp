/// `value_reads`: the readers of values, for planners that ask about many values.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// An operand, an input of a phi, or a condition.
struct value_read {
  value_id reader = no_value; ///< `no_value`: the condition of `node`
  node_id node = no_node;     ///< of the reader
  std::uint32_t operand = 0;  ///< of a reader that is no phi
};

/// All reads by value, and where values are. O(values + operands).
template <class IR> class value_reads {
public:
  explicit value_reads(const IR& ir) : home_(static_cast<std::size_t>(ir.num_values()), no_node) {
    offsets_.assign(home_.size() + 1, 0);
    for_each_read(ir, [&](value_id v, const value_read&) { ++offsets_[v + 1]; });
    for (std::size_t v = 0; v != home_.size(); ++v) {
      offsets_[v + 1] += offsets_[v];
    }
    reads_.assign(offsets_.back(), {});
    flat_array<std::uint32_t> next = offsets_;
    for_each_read(ir, [&](value_id v, const value_read& r) { reads_[next[v]++] = r; });
  }

  span<const value_read> of(value_id v) const {
    return {reads_.data() + offsets_[v], offsets_[v + std::size_t{1}] - offsets_[v]};
  }

  /// The node of a value; `no_node` for literals, parameters and the like.
  node_id home(value_id v) const { return v < home_.size() ? home_[v] : no_node; }

private:
  template <class Visit> void for_each_read(const IR& ir, Visit visit) {
    const auto& g = ir.graph();
    for (node_id n = 0; n != node_count(g); ++n) {
      for_each_id(ir.values(n), [&](value_id v) {
        home_[v] = n;
        if (ir.is_phi(v)) {
          return;
        }
        std::uint32_t i = 0;
        for_each_id(ir.operands(v), [&](value_id x) {
          if (x != no_value) {
            visit(x, value_read{v, n, i});
          }
          ++i;
        });
      });
      for_each_id(g.out_edges(n), [&](edge_id e) {
        const auto to = static_cast<node_id>(g.edge_target(e));
        for_each_phi(ir, to, [&](value_id phi) {
          if (const auto x = static_cast<value_id>(ir.phi_input(phi, e)); x != no_value) {
            visit(x, value_read{phi, to, 0});
          }
        });
      });
      if (const auto c = static_cast<value_id>(ir.condition(n)); c != no_value) {
        visit(c, value_read{no_value, n, 0});
      }
    }
  }

  flat_array<node_id> home_;
  flat_array<std::uint32_t> offsets_;
  flat_array<value_read> reads_;
};

} // namespace detail

MIDEND_END_NAMESPACE
