/// `constant_thresholds`: the numbers at which a growing fact may stop, found in the program.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/support/detail/arena.hpp"
#include "midend/support/sort.hpp"
#include "midend/support/span.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The constants of a program as thresholds for widening: literals and edge cases, each with its two neighbours,
/// because a loop up to n stops at n, at n - 1 or, counting down, at n + 1. Collected on first use, since few programs
/// need them.
class constant_thresholds {
public:
  /// Empties the list for another program. The arrays come from `memory` and live until it is reset.
  constexpr void reset(arena& memory) {
    is_collected_ = false;
    memory_ = &memory;
  }

  template <class IR> constexpr thresholds get(const IR& ir) {
    if (!is_collected_) {
      collect(ir);
      is_collected_ = true;
    }
    return near_;
  }

private:
  template <class IR> MIDEND_NEVER_INLINED constexpr void collect(const IR& ir) {
    signed_.start(*memory_);
    unsigned_.start(*memory_);
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
    near_.as_signed = with_neighbours(signed_);
    near_.as_unsigned = with_neighbours(unsigned_);
  }

  template <class IR> constexpr void add_cases(const IR& ir, node_id n) {
    const value_id condition = ir.condition(n);
    if (condition == no_value || ir.operation(condition).width == 1) {
      return;
    }
    const unsigned width = ir.operation(condition).width;
    for_each_id(ir.graph().out_edges(n), [&](edge_id e) {
      for_each_case(ir, e, [&](const auto& one) {
        if constexpr (std::same_as<std::remove_cvref_t<decltype(one)>, number_range>) {
          add(one.low, width);
          add(one.high, width);
        } else {
          add(one, width);
        }
      });
    });
  }

  constexpr void add(std::uint64_t bits, unsigned width) {
    signed_.push_back(as_signed(bits, width));
    unsigned_.push_back(bits);
  }

  template <class T> constexpr span<const T> with_neighbours(arena_list<T>& numbers) {
    const std::size_t count = sort_and_deduplicate(numbers.data(), numbers.size());
    T* const out = memory_->array<T>(3 * count);
    std::size_t size = 0;
    const auto add_new = [&](T number) {
      if (size == 0 || out[size - 1] < number) {
        out[size++] = number;
      }
    };
    // At the ends of the range, one of the neighbours wraps to the other end.
    for (const T number : span<const T>(numbers.data(), count)) {
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
    return {out, size};
  }

  bool is_collected_ = false;
  arena* memory_ = nullptr;
  arena_list<std::int64_t> signed_;
  arena_list<std::uint64_t> unsigned_;
  thresholds near_;
};

} // namespace detail

MIDEND_END_NAMESPACE
