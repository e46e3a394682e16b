/// When the exits of all copies can be taken by one test.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/sort.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"
#include "midend/unrolling/lowering/detail/lower_operations.hpp"
#include "midend/unrolling/lowering/detail/lower_workspace.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace detail {

constexpr bool has_effect(const unrolled_node& n) {
  return n.kind == body_kind::store || n.kind == body_kind::call || n.is_volatile;
}

/// Exits that the data decide: where one of them is taken, the pass is run again as it was before, to find out which.
/// So nothing may have an effect before the last of them.
struct exit_merger {
  const unrolled_body& body;
  flat_array<std::uint64_t>& differences;

  constexpr merged_exits merge() const {
    merged_exits out;
    std::uint32_t last = 0;
    for (const unrolled_exit& e : body.exits) {
      out.count += !e.is_counted;
      last = !e.is_counted && e.behind > last ? e.behind : last;
    }
    out.are_merged = out.count > 1 && !has_effects_before(last);
    out.in_one_comparison = out.are_merged && find_range(out);
    return out;
  }

private:
  /// What a test of equality compares: `other` is as a node `value` plus so much.
  struct compared_values {
    unrolled_operand value;
    unrolled_operand other;
    std::int64_t difference = 0;

    constexpr int num_sums() const { return (value.addend != 0) + (other.addend != 0); }
  };

  constexpr bool has_effects_before(std::uint32_t end) const {
    for (unrolled_id n = 0; n != end; ++n) {
      if (has_effect(body.nodes[n])) {
        return true;
      }
    }
    return false;
  }

  /// v = x, v = x + 1, …, v = x + n - 1: some of them holds exactly if v - x is below n, and also if x + n - 1 - v is.
  /// Either of the two may be a constant.
  constexpr bool find_range(merged_exits& out) const {
    differences.clear();
    compared_values least{};
    compared_values greatest{};
    const unrolled_node* shape = nullptr;
    for (const unrolled_exit& e : body.exits) {
      if (e.is_counted) {
        continue;
      }
      const unrolled_node& test = body.nodes[e.predicate];
      if (test.kind != body_kind::pure || test.info.code != (e.negated ? operation::not_equal : operation::equal)) {
        return false;
      }
      compared_values now{body.operands_of(e.predicate)[0], body.operands_of(e.predicate)[1], 0};
      shape = shape == nullptr ? &test : shape;
      if (!differences.empty() && !is_same_value(now.value, least.value)) {
        std::swap(now.value, now.other);
      }
      if (!differences.empty() && (test.info != shape->info || !is_same_value(now.value, least.value) ||
                                   !is_same_value(now.other, least.other))) {
        return false;
      }
      now.difference = difference_of(now, test.info.operand_width);
      least = differences.empty() || now.difference < least.difference ? now : least;
      greatest = differences.empty() || now.difference > greatest.difference ? now : greatest;
      differences.push_back(static_cast<std::uint64_t>(now.difference) ^ sign_bit);
    }
    const bool is_upwards = least.num_sums() <= greatest.num_sums();
    out.value = is_upwards ? least.value : greatest.other;
    out.first = is_upwards ? least.other : greatest.value;
    return are_consecutive();
  }

  static constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;

  /// As far as the node goes; constants differ by a number as a node and its sums do.
  constexpr bool is_same_value(unrolled_operand a, unrolled_operand b) const {
    return a.node == b.node || (is_constant_operand(body, a) && is_constant_operand(body, b));
  }

  constexpr std::uint64_t number_in(unrolled_operand o) const {
    return is_constant_operand(body, o) ? body.nodes[o.node].bits : o.addend;
  }

  /// In the width of the comparison, with its sign.
  constexpr std::int64_t difference_of(const compared_values& c, std::uint8_t width) const {
    const int unused = 64 - width;
    return static_cast<std::int64_t>((number_in(c.other) - number_in(c.value)) << unused) >> unused;
  }

  constexpr bool are_consecutive() const {
    heap_sort(differences.data(), differences.size());
    for (std::size_t i = 1; i != differences.size(); ++i) {
      if (differences[i] != differences[i - 1] + 1) {
        return false;
      }
    }
    return true;
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
