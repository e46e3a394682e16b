/// The check of the semantics rung about branches: the cases of a node's edges tell the values of its condition apart.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ir_error.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ssa/detail/check_operations.hpp"
#include "midend/ssa/detail/checked_ir.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/sort.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Whether nothing limits the results of an operation.
template <class IR> constexpr bool may_be_any_number(const IR& ir, value_id v) {
  switch (operation_info_of(ir, v).code) {
  case operation::add:
  case operation::sub:
  case operation::mul:
  case operation::neg:
    return true;
  case operation::other:
    if constexpr (has_bounds<IR>) {
      return !ir.is_phi(v) && !ir.constant(v) && !ir.bounds(v);
    } else {
      return !ir.is_phi(v) && !ir.constant(v);
    }
  default:
    return false;
  }
}

// ---- Edges with one case each.

/// Whether no edge of `n` before `position` has the same case. Constants that are not numbers can only be tested for
/// equality, so each is compared with each. `seen` has the positions of those that are numbers.
template <class IR, class Constant>
constexpr bool is_new_case([[maybe_unused]] const IR& ir, [[maybe_unused]] node_id n, std::size_t position,
                           const Constant& value, [[maybe_unused]] hash_map<std::uint64_t>& seen) {
  if constexpr (has_64_bit_constants<IR>) {
    return seen.find_or_insert(value, static_cast<std::uint32_t>(position)) == position;
  } else {
    for (const auto& id : ir.graph().out_edges(n)) {
      if (position-- == 0) {
        break;
      }
      const std::optional<Constant> earlier = ir.edge_case(static_cast<edge_id>(id));
      if (earlier && *earlier == value) {
        return false;
      }
    }
    return true;
  }
}

/// The cases of a node's edges are different, at most one edge has none, and no value of the condition is left out as
/// far as one can tell. `seen` is only passed to keep its memory.
template <class IR>
constexpr optional<ir_error> check_cases_of(const IR& ir, node_id n, value_id condition,
                                            hash_map<std::uint64_t>& seen) {
  const unsigned width = operation_info_of(ir, condition).width;
  std::size_t edges = 0;
  std::size_t defaults = 0;
  edge_id default_edge = no_edge; // the second one
  std::size_t default_position = 0;
  bool are_bits = true; // the cases are 0 and 1
  edge_id first = no_edge;
  if constexpr (has_64_bit_constants<IR>) {
    seen.clear();
  }
  for (const auto& id : ir.graph().out_edges(n)) {
    const auto e = static_cast<edge_id>(id);
    first = edges == 0 ? e : first;
    if (const std::optional<constant_of<IR>> value = ir.edge_case(e)) {
      std::uint64_t number = 0;
      if constexpr (has_64_bit_constants<IR>) {
        number = *value;
        are_bits = are_bits && number <= 1;
        if (has_bits_above(number, width)) {
          return ir_error{.why = ir_reason::edge_case_too_wide,
                          .node = n,
                          .value = condition,
                          .edge = e,
                          .position = edges,
                          .number = number};
        }
      }
      if (!is_new_case(ir, n, edges, *value, seen)) {
        return ir_error{.why = ir_reason::edge_case_twice, .node = n, .edge = e, .position = edges, .number = number};
      }
    } else if (++defaults == 2) {
      default_edge = e;
      default_position = edges;
    }
    ++edges;
  }
  if (edges >= 2 && defaults == edges) {
    return ir_error{.why = ir_reason::no_edge_cases, .node = n, .value = condition, .number = edges};
  }
  if (defaults >= 2) {
    return ir_error{
        .why = ir_reason::second_default_edge, .node = n, .edge = default_edge, .position = default_position};
  }
  if (edges == 1 && defaults == 0) {
    return ir_error{.why = ir_reason::only_edge_has_case, .node = n, .value = condition, .edge = first};
  }
  if constexpr (has_64_bit_constants<IR>) {
    if (edges == 2 && defaults == 0 && are_bits && width != 1 &&
        !is_comparison(operation_info_of(ir, condition).code)) {
      return ir_error{.why = ir_reason::cases_miss_values, .node = n, .value = condition, .number = width};
    }
    std::uint64_t left = 0; // among edges + 1 numbers, at least one is no case
    if (edges != 0 && defaults == 0 && edges - 1 < low_ones(width) && may_be_any_number(ir, condition)) {
      while (seen.find(left) != hash_map<std::uint64_t>::missing) {
        ++left;
      }
      return ir_error{.why = ir_reason::cases_leave_values, .node = n, .value = condition, .number = left};
    }
  }
  return std::nullopt;
}

// ---- Edges with several cases each.

/// The cases from `low` to `high` of an edge.
struct case_interval {
  std::uint64_t low;
  std::uint64_t high;
  edge_id edge;
  std::uint32_t position;

  friend constexpr bool operator<(const case_interval& a, const case_interval& b) {
    return a.low != b.low ? a.low < b.low : a.position < b.position;
  }

  friend constexpr bool operator<=(const case_interval& a, const case_interval& b) { return !(b < a); }
};

template <class IR, class Case>
constexpr bool case_exceeds([[maybe_unused]] unsigned width, [[maybe_unused]] const Case& one) {
  if constexpr (std::is_same_v<Case, number_range>) {
    return has_bits_above(one.low | one.high, width);
  } else if constexpr (has_64_bit_constants<IR>) {
    return has_bits_above(one, width);
  } else {
    return false;
  }
}

/// A signed range from a negative to a non-negative number wraps as unsigned, so it becomes two intervals.
template <class IR, class Case>
constexpr void add_interval([[maybe_unused]] const Case& one, [[maybe_unused]] unsigned width,
                            [[maybe_unused]] edge_id e, [[maybe_unused]] std::uint32_t position,
                            [[maybe_unused]] flat_array<case_interval>& intervals) {
  if constexpr (std::is_same_v<Case, number_range>) {
    if (one.low <= one.high) {
      intervals.push_back({one.low, one.high, e, position});
    } else if (one.is_signed && as_signed(one.low, width) <= as_signed(one.high, width)) {
      intervals.push_back({one.low, low_ones(width), e, position});
      intervals.push_back({0, one.high, e, position});
    }
  } else if constexpr (has_64_bit_constants<IR>) {
    intervals.push_back({one, one, e, position});
  }
}

/// Whether `one`, case number `cases` of `e`, is equal to an earlier case of the node. For constants that are not
/// numbers.
template <class IR, class Case>
constexpr bool is_earlier_case(const IR& ir, node_id n, edge_id e, std::size_t cases,
                               [[maybe_unused]] const Case& one) {
  bool is_equal = false;
  bool is_earlier = true;
  for (const auto& id : ir.graph().out_edges(n)) {
    std::size_t at = 0;
    for_each_case(ir, static_cast<edge_id>(id), [&](const auto& other) {
      is_earlier = is_earlier && !(static_cast<edge_id>(id) == e && ++at == cases);
      if constexpr (!has_64_bit_constants<IR>) {
        is_equal = is_equal || (is_earlier && one == other);
      }
    });
  }
  return is_equal;
}

/// No number is in two intervals. Sorts them.
constexpr optional<ir_error> check_intervals(node_id n, flat_array<case_interval>& intervals) {
  heap_sort(intervals.data(), intervals.size());
  for (std::size_t i = 1; i < intervals.size(); ++i) {
    const case_interval& before = intervals[i - 1]; // ends last of all before, since those are disjoint
    const case_interval& one = intervals[i];
    if (one.low <= before.high) {
      const case_interval& later = one.position < before.position ? before : one;
      return ir_error{.why = ir_reason::edge_case_twice,
                      .node = n,
                      .edge = later.edge,
                      .position = later.position,
                      .number = one.low};
    }
  }
  return std::nullopt;
}

/// The intervals, sorted and disjoint, leave out no number that the condition may have.
template <class IR>
constexpr optional<ir_error> check_gaps(const IR& ir, node_id n, value_id condition,
                                        const flat_array<case_interval>& intervals) {
  if (has_64_bit_constants<IR> && may_be_any_number(ir, condition)) {
    std::uint64_t next = 0; // the smallest number in no interval so far
    bool is_all = false;
    for (std::size_t i = 0; i != intervals.size() && intervals[i].low == next; ++i) {
      is_all = intervals[i].high == low_ones(operation_info_of(ir, condition).width);
      next = intervals[i].high + 1;
    }
    if (!is_all) {
      return ir_error{.why = ir_reason::cases_leave_values, .node = n, .value = condition, .number = next};
    }
  }
  return std::nullopt;
}

/// Numbers have no bits above the width, at most one edge has no case, and no number belongs to two edges. `intervals`
/// is only passed to keep its memory.
template <class IR>
constexpr optional<ir_error> check_many_cases_of(const IR& ir, node_id n, value_id condition,
                                                 flat_array<case_interval>& intervals) {
  const unsigned width = operation_info_of(ir, condition).width;
  std::uint32_t position = 0;
  std::size_t defaults = 0;
  edge_id last = no_edge;
  intervals.clear();
  for (const auto& id : ir.graph().out_edges(n)) {
    const auto e = static_cast<edge_id>(id);
    optional<ir_error> found;
    std::size_t cases = 0;
    for_each_case(ir, e, [&](const auto& one) {
      ++cases;
      if (!found && case_exceeds<IR>(width, one)) {
        found = ir_error{
            .why = ir_reason::edge_case_too_wide, .node = n, .value = condition, .edge = e, .position = position};
      } else if (!found) {
        add_interval<IR>(one, width, e, position, intervals);
        if (!has_64_bit_constants<IR> && is_earlier_case(ir, n, e, cases, one)) {
          found = ir_error{.why = ir_reason::edge_case_twice, .node = n, .edge = e, .position = position};
        }
      }
    });
    defaults += cases == 0 ? std::size_t{1} : 0;
    if (!found && defaults == 2 && cases == 0) {
      found = ir_error{.why = ir_reason::second_default_edge, .node = n, .edge = e, .position = position};
    }
    if (found) {
      return found;
    }
    last = e;
    ++position;
  }
  if (position == 1 && defaults == 0) {
    return ir_error{.why = ir_reason::only_edge_has_case, .node = n, .value = condition, .edge = last};
  }
  if (const optional<ir_error> error = check_intervals(n, intervals)) {
    return error;
  }
  return position == 0 || defaults != 0 ? std::nullopt : check_gaps(ir, n, condition, intervals);
}

/// At the end of each node with a condition, exactly one edge is taken.
template <class IR> constexpr optional<ir_error> check_edge_cases(const IR& ir, const checked_ir& known) {
  hash_map<std::uint64_t> seen;
  flat_array<case_interval> intervals;
  for (node_id n = 0; n != known.nodes; ++n) {
    const auto condition = static_cast<value_id>(ir.condition(n));
    if (condition == no_value) {
      continue;
    }
    if constexpr (has_edge_cases<IR>) {
      if (const optional<ir_error> error = check_many_cases_of(ir, n, condition, intervals)) {
        return error;
      }
    } else if (const optional<ir_error> error = check_cases_of(ir, n, condition, seen)) {
      return error;
    }
  }
  return std::nullopt;
}

} // namespace detail

MIDEND_END_NAMESPACE
