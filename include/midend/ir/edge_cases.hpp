/// `edge_cases`: the values of a condition for which an edge is taken, from `edge_case` or `edge_cases` of the IR.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"

#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

namespace detail {

template <class IR>
concept lists_constants = requires(const IR& ir, edge_id e) {
  { *std::begin(ir.edge_cases(e)) } -> std::convertible_to<constant_of<IR>>;
};

} // namespace detail

/// An IR that gives the values for which an edge is taken, in either form. If they are ranges, the width of the
/// condition must be known.
template <class IR>
concept has_cases_of_edges =
    has_constant_type<IR> &&
    (has_edge_cases<IR> ? detail::lists_constants<IR> || has_operation<IR> : has_edge_case<IR>);

/// Whether an edge has cases, so that it is not taken for all other values. Like the functions below, requires that its
/// source has a condition.
template <has_cases_of_edges IR> constexpr bool has_cases(const IR& ir, edge_id e) {
  bool found = false;
  for_each_case(ir, e, [&](const auto&) { found = true; });
  return found;
}

namespace detail {

/// `beyond` + 1 numbers from `first` on, modulo 2^width. Signed and unsigned ranges are both arcs.
struct case_arc {
  std::uint64_t first;
  std::uint64_t beyond;
};

constexpr std::optional<case_arc> arc_of(unsigned, std::uint64_t one) {
  return case_arc{one, 0};
}

/// Nothing if the range is empty.
constexpr std::optional<case_arc> arc_of(unsigned width, const number_range& range) {
  const bool is_empty =
      range.is_signed ? as_signed(range.low, width) > as_signed(range.high, width) : range.low > range.high;
  return is_empty ? std::nullopt : std::optional(case_arc{range.low, (range.high - range.low) & low_ones(width)});
}

} // namespace detail

namespace detail {

/// A number is the same case as a range of this number alone.
template <class A, class B> constexpr bool is_same_case(const A& a, const B& b) {
  if constexpr (std::is_same_v<A, B>) {
    return a == b;
  } else if constexpr (std::is_same_v<A, number_range>) {
    return a.low == a.high && a.low == b;
  } else if constexpr (std::is_same_v<B, number_range>) {
    return is_same_case(b, a);
  } else {
    return a == b;
  }
}

} // namespace detail

/// Whether each value of case `b` is one of case `a`, of a condition of `width` bits.
template <class A, class B> constexpr bool case_includes([[maybe_unused]] unsigned width, const A& a, const B& b) {
  if constexpr (std::is_same_v<A, number_range> || std::is_same_v<B, number_range>) {
    const auto x = detail::arc_of(width, a);
    const auto y = detail::arc_of(width, b);
    if (!x || !y) {
      return !y;
    }
    const std::uint64_t ahead = (y->first - x->first) & low_ones(width);
    const bool is_all = x->beyond == low_ones(width);
    return is_all || (ahead <= x->beyond && y->beyond <= x->beyond - ahead);
  } else {
    return a == b;
  }
}

/// Whether two cases have a value in common.
template <class A, class B> constexpr bool cases_meet([[maybe_unused]] unsigned width, const A& a, const B& b) {
  if constexpr (std::is_same_v<A, number_range> || std::is_same_v<B, number_range>) {
    const auto x = detail::arc_of(width, a);
    const auto y = detail::arc_of(width, b);
    return x && y &&
           (((y->first - x->first) & low_ones(width)) <= x->beyond ||
            ((x->first - y->first) & low_ones(width)) <= y->beyond);
  } else {
    return a == b;
  }
}

/// The width of the condition of a node, for `case_includes` and `cases_meet`. Any number if no edge has ranges.
template <has_cases_of_edges IR>
constexpr unsigned width_of_cases([[maybe_unused]] const IR& ir, [[maybe_unused]] node_id n) {
  unsigned width = 0;
  if constexpr (has_edge_cases<IR> && has_operation<IR>) {
    width = ir.operation(static_cast<value_id>(ir.condition(n))).width;
  }
  return width == 0 ? 64 : width; // without a known width, only single numbers are cases
}

/// The value for which an edge is taken, if it is the only one.
template <has_cases_of_edges IR> constexpr std::optional<constant_of<IR>> only_case(const IR& ir, edge_id e) {
  std::optional<constant_of<IR>> only;
  bool is_one = true;
  for_each_case(ir, e, [&](const auto& one) {
    is_one = is_one && !only;
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(one)>, number_range>) {
      is_one = is_one && one.low == one.high;
      only = one.low;
    } else {
      only = one;
    }
  });
  return is_one ? only : std::nullopt;
}

/// Whether an edge of `n` has the value `c` among its cases.
template <has_cases_of_edges IR> constexpr bool has_case(const IR& ir, node_id n, edge_id e, const constant_of<IR>& c) {
  bool found = false;
  for_each_case(ir, e, [&](const auto& one) { found = found || case_includes(width_of_cases(ir, n), one, c); });
  return found;
}

/// The edge that `n` takes if its condition is `c`: the edge of this case, or else the edge of all other values;
/// `no_edge` if there is neither. O(edges + cases).
template <has_cases_of_edges IR> constexpr edge_id edge_of_case(const IR& ir, node_id n, const constant_of<IR>& c) {
  edge_id taken = no_edge;
  edge_id otherwise = no_edge;
  detail::for_each_id(ir.graph().out_edges(n), [&](edge_id e) {
    bool has_any = false;
    for_each_case(ir, e, [&](const auto& one) {
      has_any = true;
      taken = case_includes(width_of_cases(ir, n), one, c) ? e : taken;
    });
    otherwise = has_any ? otherwise : e;
  });
  return taken != no_edge ? taken : otherwise;
}

/// Whether two edges of two programs list equal cases in one order. O(cases).
template <has_cases_of_edges A, has_cases_of_edges B>
constexpr bool same_cases(const A& a, edge_id e, const B& b, edge_id f) {
  if constexpr (has_edge_cases<A> && has_edge_cases<B>) {
    auto&& xs = a.edge_cases(e);
    auto&& ys = b.edge_cases(f);
    auto x = std::begin(xs);
    auto y = std::begin(ys);
    while (x != std::end(xs) && y != std::end(ys) && detail::is_same_case(*x, *y)) {
      ++x;
      ++y;
    }
    return x == std::end(xs) && y == std::end(ys);
  } else if constexpr (has_edge_cases<A>) {
    return has_cases(a, e) == has_cases(b, f) && only_case(a, e) == only_case(b, f);
  } else if constexpr (has_edge_cases<B>) {
    return same_cases(b, f, a, e);
  } else {
    return a.edge_case(e) == b.edge_case(f);
  }
}

MIDEND_END_NAMESPACE
