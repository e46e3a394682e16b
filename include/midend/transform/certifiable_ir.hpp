/// `certifiable_ir`: what a checker of certificates reads of the programs before and after a transformation.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/support/detail/contract.hpp"

#include <concepts>
#include <cstddef>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// Whether value `w` of another program computes what `v` does from equal operands, and promises no more. Of literals
/// and parameters: whether they are equal.
template <class IR>
concept has_same_operation = requires(const IR& ir, value_id v) {
  { ir.same_operation(v, ir, v) } -> std::convertible_to<bool>;
};

/// What the checkers of certificates read of a program: operations and phis with their effects, literals and cases.
template <class IR>
concept certifiable_ir =
    effect_ir<IR> && has_constant_type<IR> && has_constant<IR> && has_cases_of_edges<IR> && has_same_operation<IR>;

namespace detail {

MIDEND_REQUIRED(has_same_operation,
                "a program that is compared with another one needs `bool same_operation(midend::value_id v, const "
                "other_ir& other, midend::value_id w) const`, whether w computes what v does and promises no more; its "
                "own type must do as other_ir");

struct certifiable_contract
    : contract<effect_contract, has_constant_type_row, has_constant_row, says_edge_cases_row, has_same_operation_row> {
};

} // namespace detail

/// What functions take: a `certifiable_ir` with optional members that fit; otherwise an error.
template <class IR>
concept certifiable_ir_argument =
    (certifiable_ir<IR> && detail::certifiable_contract::fits<IR>) || detail::certifiable_contract::explain<IR>();

namespace detail {

/// In a build with contract checks, compares each literal with the one before it. A `same_operation` that ignores
/// literals would accept a wrong number, and nothing else in a certificate would notice.
template <certifiable_ir IR> void require_apart_literals([[maybe_unused]] const IR& ir) {
#if MIDEND_CHECKS
  value_id last = no_value;
  std::optional<constant_of<IR>> number;
  for (value_id v = 0; v != static_cast<std::size_t>(ir.num_values()); ++v) {
    const std::optional<constant_of<IR>> c = ir.constant(v);
    if (c && number && !(*c == *number)) {
      MIDEND_ASSERT(!static_cast<bool>(ir.same_operation(last, ir, v)),
                    "same_operation(v, other, w) that is false for literals of different constants", last, v);
    }
    if (c) {
      last = v;
      number = c;
    }
  }
#endif
}

/// Whether an edge promises that a loop ends (`must_end`).
template <has_must_end IR> bool promises_ends(const IR& ir) {
  bool promises = false;
  for (node_id n = 0; n != node_count(ir.graph()); ++n) {
    for_each_id(ir.graph().out_edges(n), [&](edge_id e) { promises = promises || static_cast<bool>(ir.must_end(e)); });
  }
  return promises;
}

/// Whether only the new program promises that loops end: a run that stays in a loop for ever would then lose its
/// meaning. A promise may be dropped. IRs without promises are not compared. O(n + m).
template <class Before, class After>
bool adds_promise_to_end([[maybe_unused]] const Before& before, [[maybe_unused]] const After& after) {
  if constexpr (has_must_end<Before> && has_must_end<After>) {
    return promises_ends(after) && !promises_ends(before);
  } else {
    return false;
  }
}

} // namespace detail

MIDEND_END_NAMESPACE
