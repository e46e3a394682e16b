/// `for_each_edge_from`, `condition_of`, `through_copies`, `adds_number`, `is_free_end`: questions about a program that
/// several phases of reading a region ask. Each answer depends on the program alone.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Calls `visit(edge, target)` for each edge out of a node.
template <class IR, class Visit> constexpr void for_each_edge_from(const IR& ir, node_id n, Visit visit) {
  for (const auto& edge : ir.graph().out_edges(n)) {
    const auto e = static_cast<edge_id>(edge);
    visit(e, node_in(ir.graph(), ir.graph().edge_target(e)));
  }
}

/// The value that decides between the edges of a node; `no_value` if there are fewer than two.
template <class IR> constexpr value_id condition_of(const IR& ir, node_id n) {
  bool is_first = true;
  bool has_several = false;
  for_each_edge_from(ir, n, [&](edge_id, node_id) {
    has_several = !is_first;
    is_first = false;
  });
  return has_several ? static_cast<value_id>(ir.condition(n)) : no_value;
}

/// The value that `v` copies, through at most 16 copies: a chain may be as long as the program.
template <class IR> constexpr value_id through_copies(const IR& ir, value_id v) {
  constexpr unsigned longest_chain = 16;
  for (unsigned i = 0; i != longest_chain && !ir.is_phi(v) && ir.operation(v).code == operation::copy; ++i) {
    v = static_cast<value_id>(*std::begin(ir.operands(v)));
  }
  return v;
}

/// Whether the operation adds a number to a value, or subtracts one from it.
template <class IR> constexpr bool adds_number(const IR& ir, value_id v) {
  if (v == no_value || ir.is_phi(v)) {
    return false;
  }
  const operation code = ir.operation(v).code;
  if (code != operation::add && code != operation::sub) {
    return false;
  }
  auto&& operands = ir.operands(v);
  auto at = std::begin(operands);
  const bool first = ir.constant(through_copies(ir, static_cast<value_id>(*at))).has_value();
  ++at;
  const bool second = ir.constant(through_copies(ir, static_cast<value_id>(*at))).has_value();
  return second ? !first : first && code == operation::add;
}

/// Whether a value is a terminator that takes no operation, because the next code follows directly.
template <class IR> constexpr bool is_free_end(const IR& ir, value_id v) {
  return !ir.cost(v) && midend::is_terminator(ir, v);
}

} // namespace detail

MIDEND_END_NAMESPACE
