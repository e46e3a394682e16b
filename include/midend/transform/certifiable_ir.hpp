/// `certifiable_ir`: what a checker of certificates reads of the programs before and after a transformation.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/semantics.hpp"

#include <concepts>

MIDEND_BEGIN_NAMESPACE

/// `same_operation(v, other, w)` says whether value `w` of another program computes what `v` does from the same
/// operands, and promises no more. For literals and parameters: whether they are the same.
template <class IR>
concept has_same_operation = requires(const IR& ir, value_id v) {
  { ir.same_operation(v, ir, v) } -> std::convertible_to<bool>;
};

/// What the checkers of certificates read of a program: operations and phis with their effects, literals and cases.
template <class IR>
concept certifiable_ir =
    effect_ir<IR> && has_constant_type<IR> && has_constant<IR> && has_cases_of_edges<IR> && has_same_operation<IR>;

MIDEND_END_NAMESPACE
