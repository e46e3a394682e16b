/// `branch_tests`: when each edge of a node is taken.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/machine/lowering/detail/program_questions.hpp"
#include "midend/machine/lowering/detail/region_builder.hpp"
#include "midend/machine/lowering/detail/region_values.hpp"
#include "midend/machine/lowering/program_region.hpp"
#include "midend/machine/lowering/region_value_kind.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// When an edge is taken.
struct edge_test {
  region_bit taken;      ///< valid if `has_case`
  bool has_case = false; ///< else the edge is taken if no other is

  constexpr bool may_be_taken() const { return !has_case || !taken.is(false); }
};

/// Whether `value` is in the circular range from `low` to `high`: a number if that is known, else a test.
constexpr region_bit is_in_range(region_builder& builder, const region_operand& value, std::uint64_t low,
                                 std::uint64_t high) {
  const std::uint8_t width = builder.width_of(value);
  const std::uint64_t beyond = (high - low) & low_ones(width);
  if (!builder.is_number(value) && builder.is_bit(value)) {
    const bool has_zero = ((0 - low) & low_ones(width)) <= beyond;
    const bool has_one = ((1 - low) & low_ones(width)) <= beyond;
    const region_bit bit = builder.bit_in(value);
    return has_zero && has_one ? true_bit : has_one ? bit : has_zero ? bit.inverted() : false_bit;
  }
  if (beyond == 0) {
    return builder.is_equal(value, low & low_ones(width), width);
  }
  if (builder.is_number(value)) {
    return {no_region_value, ((builder.number(value) - low) & low_ones(width)) <= beyond};
  }
  const region_operand from_low{value.node, (value.addend - low) & low_ones(width)};
  const region_operand operands[] = {from_low, builder.constant(beyond, width)};
  region_value& test = builder.append_pure({operation::uless_equal, 1, width, {}}, operands);
  test.cost = operation_class::compare;
  test.is_free = false;
  return {builder.last(), false};
}

/// Takes a node whose operations have been read, and returns a test for each of its edges. Appends the comparisons of
/// the condition with the cases to the region, but no exit and no predicate: the next phase decides what an
/// edge means for the region.
class branch_tests {
public:
  /// Linear in the cases, and for each edge in the phis of its target.
  template <class IR> constexpr void read(const value_reader<IR>& values, node_id n) {
    const IR& ir = values.ir();
    const value_id condition = condition_of(ir, n);
    is_decided_ = false;
    tests_.clear();
    for_each_edge_from(ir, n, [&](edge_id e, node_id) {
      edge_test test;
      if (condition != no_value) {
        test = test_of(ir, values.builder(), e, values.operand_of(condition));
      }
      is_decided_ = is_decided_ || is_surely_taken(test);
      tests_.push_back(test);
    });
    if (condition == no_value && tests_.size() > 1) {
      decide_by_nothing_known(values.builder());
    }
    drop_idle_tests(ir, n);
    for (edge_test& t : tests_) {
      if (is_decided_ && !is_surely_taken(t)) {
        t = {false_bit, true};
      }
    }
  }

  /// Whether one of the edges is surely taken.
  constexpr bool is_decided() const { return is_decided_; }

  constexpr std::size_t size() const { return tests_.size(); }

  /// By edge of the node.
  constexpr const edge_test& operator[](std::size_t i) const { return tests_[i]; }

  /// The bit under which an edge is taken. Appends it for an edge that is taken if no other is.
  constexpr region_bit taken(region_builder& builder, std::size_t i) const {
    return tests_[i].has_case ? tests_[i].taken : none_of_the_cases(builder);
  }

private:
  static constexpr bool is_surely_taken(const edge_test& t) { return t.has_case && t.taken.is(true); }

  template <class IR>
  static constexpr edge_test test_of(const IR& ir, region_builder& builder, edge_id e,
                                     const region_operand& condition) {
    edge_test test;
    region_bit none = true_bit;
    for_each_case(ir, e, [&](const auto& one) {
      test.has_case = true;
      region_bit is_this;
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(one)>, number_range>) {
        is_this = is_in_range(builder, condition, one.low, one.high);
      } else {
        is_this = is_in_range(builder, condition, one, one);
      }
      none = builder.conjunction(none, is_this.inverted());
    });
    test.taken = none.inverted();
    return test;
  }

  /// A branch whose decision is unknown: a bit of its own takes each edge but the last.
  constexpr void decide_by_nothing_known(region_builder& builder) {
    for (std::size_t i = 0; i + 1 != tests_.size(); ++i) {
      builder.set_origin(no_value);
      builder.append(region_value_kind::invariant, 1).is_invariant = true;
      tests_[i] = {{builder.last(), false}, true};
    }
  }

  /// Drops the test of a case that does what all other cases do: it leads to the same node, whose phis have equal
  /// inputs.
  template <class IR> constexpr void drop_idle_tests(const IR& ir, node_id n) {
    edge_id rest = no_edge;
    std::size_t i = 0;
    for_each_edge_from(ir, n, [&](edge_id e, node_id) { rest = tests_[i++].has_case ? rest : e; });
    i = 0;
    for_each_edge_from(ir, n, [&](edge_id e, node_id target) {
      edge_test& test = tests_[i++];
      if (rest != no_edge && test.has_case && !test.taken.is_number() && has_same_inputs(ir, e, rest, target)) {
        test.taken = false_bit;
      }
    });
  }

  template <class IR> static constexpr bool has_same_inputs(const IR& ir, edge_id e, edge_id other, node_id target) {
    if (node_in(ir.graph(), ir.graph().edge_target(other)) != target) {
      return false;
    }
    for (const value_id v : ir.values(target)) {
      if (!ir.is_phi(v)) {
        return true;
      }
      if (ir.phi_input(v, e) != ir.phi_input(v, other)) {
        return false;
      }
    }
    return true;
  }

  /// Whether the condition equals no case.
  constexpr region_bit none_of_the_cases(region_builder& builder) const {
    region_bit none = true_bit;
    for (const edge_test& t : tests_) {
      if (t.has_case) {
        none = builder.conjunction(none, t.taken.inverted());
      }
    }
    return none;
  }

  flat_array<edge_test> tests_; ///< by edge of the node
  bool is_decided_ = false;
};

} // namespace detail

MIDEND_END_NAMESPACE
