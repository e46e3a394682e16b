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
/// Looked for when they are first asked for: few programs have loops that need them.
class constant_thresholds {
public:
  /// Another program comes.
  constexpr void forget() { are_known_ = false; }

  template <class IR> constexpr thresholds get(const IR& ir) {
    if (!are_known_) {
      assign(ir);
      are_known_ = true;
    }
    return {{near_signed_.data(), near_signed_.size()}, {near_unsigned_.data(), near_unsigned_.size()}};
  }

private:
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
    add_neighbours(signed_, near_signed_);
    add_neighbours(unsigned_, near_unsigned_);
  }

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
    signed_.push_back(as_signed(bits, width));
    unsigned_.push_back(bits);
  }

  template <class T> static constexpr void add_neighbours(flat_array<T>& numbers, flat_array<T>& out) {
    sort_and_deduplicate(numbers);
    out.clear();
    const auto add_new = [&out](T number) {
      if (out.empty() || out.back() < number) {
        out.push_back(number);
      }
    };
    for (const T number : numbers) { // at the ends of the range, one of the neighbours is the other end
      const auto below = static_cast<T>(static_cast<std::uint64_t>(number) - 1);
      const auto above = static_cast<T>(static_cast<std::uint64_t>(number) + 1);
      if (below < number) {
        add_new(below);
      }
      add_new(number);
      if (number < above) {
        add_new(above);
      }
    }
  }

  bool are_known_ = false;
  flat_array<std::int64_t> signed_;
  flat_array<std::uint64_t> unsigned_;
  flat_array<std::int64_t> near_signed_;
  flat_array<std::uint64_t> near_unsigned_;
};

} // namespace detail

MIDEND_END_NAMESPACE
