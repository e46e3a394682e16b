/// The constants of a program as thresholds for widening.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/sort.hpp"

#include <concepts>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Literals and cases, with the numbers beside them: a loop to n stops at n, at n - 1 or, counting down, at n + 1.
class constant_thresholds {
public:
  template <class IR> constexpr void assign(const IR& ir) {
    signed_.clear();
    unsigned_.clear();
    if constexpr (std::same_as<constant_of<IR>, std::uint64_t>) {
      const auto count = static_cast<value_id>(ir.num_values());
      for (value_id v = 0; v != count; ++v) {
        if (const auto c = ir.constant(v)) {
          add(*c, ir.operation(v).width);
        }
      }
      const auto nodes = static_cast<node_id>(ir.graph().num_nodes());
      for (node_id n = 0; n != nodes; ++n) {
        add_cases(ir, n);
      }
    }
    sort_and_deduplicate(signed_);
    sort_and_deduplicate(unsigned_);
  }

  constexpr thresholds get() const { return {{signed_.data(), signed_.size()}, {unsigned_.data(), unsigned_.size()}}; }

private:
  template <class IR> constexpr void add_cases(const IR& ir, node_id n) {
    const value_id condition = ir.condition(n);
    if (condition == no_value || ir.operation(condition).width == 1) {
      return;
    }
    for_each_id(ir.graph().out_edges(n), [&](edge_id e) {
      if (const auto c = ir.edge_case(e)) {
        add(*c, ir.operation(condition).width);
      }
    });
  }

  constexpr void add(std::uint64_t bits, unsigned width) {
    for (const std::uint64_t near : {bits - 1, bits, bits + 1}) {
      signed_.push_back(as_signed(near, width));
      unsigned_.push_back(near & low_ones(width));
    }
  }

  flat_array<std::int64_t> signed_;
  flat_array<std::uint64_t> unsigned_;
};

} // namespace detail

MIDEND_END_NAMESPACE
