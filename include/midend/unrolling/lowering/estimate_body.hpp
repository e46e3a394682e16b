/// `estimate_body`: lowers an unrolled body to the operations of a machine, and bounds the time they take.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/body_kind.hpp"
#include "midend/machine/lowering/body_cost.hpp"
#include "midend/machine/lowering/detail/lowering_choices.hpp"
#include "midend/machine/lowering/detail/needed_values.hpp"
#include "midend/machine/lowering/lower_region.hpp"
#include "midend/machine/machine.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The memory of `estimate_body`.
using estimate_body_workspace = lower_region_workspace;

namespace detail {

/// Lists what needs no operation: first the header phis that need no move, then, in the order of copies, the operations
/// and sums that nothing needs.
constexpr void list_savings(const unrolled_body& body, const needed_values& needs, const lowering_choices& choices,
                            flat_array<unrolling_saving>& savings) {
  savings.clear();
  for (const unrolled_id phi : body.phis) {
    const bool vanishes = phi != no_unrolled && choices.is(phi, lowered_as::outside) && !body.is_straight_line;
    if (vanishes && body.copies > 1) {
      savings.push_back({saving_kind::vanished_phi, 0, body.values[phi].origin, 0});
    }
  }
  std::size_t sum = 0;
  const auto add_sums_before = [&](std::uint32_t copy) {
    for (; sum != body.sums.size() && body.sums[sum].copy < copy; ++sum) {
      const unrolled_sum& s = body.sums[sum];
      if (s.sum.addend != 0 && needs.find_sum(s.sum) == no_sum) {
        savings.push_back({saving_kind::dead_operation, s.copy, s.value, 0});
      }
    }
  };
  for (unrolled_id n = 0; n != body.values.size(); ++n) {
    const unrolled_node& node = body.values[n];
    const bool computes = node.kind == body_kind::load || (node.kind == body_kind::pure && !node.is_free);
    if (computes && !needs.nodes[n].is_needed && node.origin != no_body_value) {
      add_sums_before(node.copy);
      savings.push_back({saving_kind::dead_operation, node.copy, node.origin, 0});
    }
  }
  add_sums_before(body.copies);
}

} // namespace detail

/// Lowers an unrolled body to the operations of a machine and bounds the time they take, by `lower_region`. Refills
/// `out`.
template <loop_machine_argument M>
constexpr body_cost estimate_body(const unrolled_body& body, const M& machine, const lowering_options& options,
                                  estimate_body_workspace& workspace, machine_body& out) {
  return lower_region(body, machine, options, workspace, out);
}

/// The same, with what needs no operation.
template <loop_machine_argument M>
constexpr body_cost estimate_body(const unrolled_body& body, const M& machine, const lowering_options& options,
                                  estimate_body_workspace& workspace, lowered_copies& out) {
  const body_cost cost = lower_region(body, machine, options, workspace, out);
  detail::list_savings(body, workspace.needed(), workspace.choices(), out.savings);
  return cost;
}

/// Lowers an unrolled body to a machine, and bounds the time it takes.
template <loop_machine_argument M>
constexpr body_cost estimate_body(const unrolled_body& body, const M& machine, const lowering_options& options = {}) {
  estimate_body_workspace workspace;
  machine_body out;
  return estimate_body(body, machine, options, workspace, out);
}

MIDEND_END_NAMESPACE
