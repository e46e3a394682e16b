/// The check of the SSA rung that asks about each phi and each edge into its node.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ir_error.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ssa/detail/checked_ir.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/optional.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Lists the edges of a graph by target. The edges into a node are in the order of their sources, since phis are
/// checked in that order.
template <class G> constexpr void list_in_edges(const G& g, checked_ir& known) {
  flat_array<std::uint32_t>& first_in = known.first_in;
  first_in.assign(known.nodes + std::size_t{1}, 0);
  for (node_id n = 0; n != known.nodes; ++n) {
    for (const auto& id : g.out_edges(n)) {
      ++first_in[static_cast<node_id>(g.edge_target(static_cast<edge_id>(id)))];
    }
  }
  counts_to_ends(first_in);
  known.in_edges.resize_for_overwrite(first_in.back());
  flat_array<edge_id> pending;               // a node's edges, which come out last first, too
  for (node_id n = known.nodes; n-- != 0;) { // filled from the ends, so that the first source is first
    for (const auto& id : g.out_edges(n)) {
      pending.push_back(static_cast<edge_id>(id));
    }
    while (!pending.empty()) {
      known.in_edges[--first_in[static_cast<node_id>(g.edge_target(pending.back()))]] = pending.back();
      pending.pop_back();
    }
  }
}

/// The inputs of one phi. All phis use the same arrays, so the counts are zero between two phis.
struct inputs_of_phi {
  flat_array<value_id> inputs;        ///< by in-edge
  flat_array<std::uint32_t> listed;   ///< by value: how often the phi lists it as an operand
  flat_array<std::uint32_t> arriving; ///< by value: along how many edges the phi takes it
};

/// An input is a value that is computed whenever control leaves the source of its edge. Fills the inputs in `found`,
/// and how often each arrives.
template <class IR>
constexpr optional<ir_error> check_inputs(const IR& ir, const checked_ir& known, node_id n, value_id phi,
                                          inputs_of_phi& found) {
  found.inputs.clear();
  for (std::uint32_t i = known.first_in[n]; i != known.first_in[n + std::size_t{1}]; ++i) {
    const edge_id e = known.in_edges[i];
    const auto input = static_cast<value_id>(ir.phi_input(phi, e));
    if (input >= known.values) {
      return ir_error{.why = input == no_value ? ir_reason::phi_input_not_set : ir_reason::phi_input_out_of_range,
                      .node = n,
                      .value = phi,
                      .edge = e,
                      .number = input};
    }
    if (!known.is_available(input, static_cast<node_id>(ir.graph().edge_source(e)), checked_ir::at_end)) {
      return ir_error{.why = ir_reason::phi_input_not_available, .node = n, .value = phi, .edge = e, .number = input};
    }
    found.inputs.push_back(input);
    ++found.arriving[input];
  }
  return std::nullopt;
}

/// A phi lists each of its inputs at least once and at most once for each edge along which it arrives.
template <class IR>
constexpr optional<ir_error> compare_with_operands(const IR& ir, const checked_ir& known, node_id n, value_id phi,
                                                   const inputs_of_phi& found) {
  for (std::size_t i = 0; i != found.inputs.size(); ++i) {
    if (found.listed[found.inputs[i]] == 0) {
      return ir_error{.why = ir_reason::phi_input_not_operand,
                      .node = n,
                      .value = phi,
                      .edge = known.in_edges[known.first_in[n] + i],
                      .number = found.inputs[i]};
    }
  }
  std::size_t position = 0;
  for (const auto& id : ir.operands(phi)) {
    const auto operand = static_cast<value_id>(id);
    const bool arrives = operand != no_value && found.arriving[operand] != 0;
    if (!arrives || found.listed[operand] > found.arriving[operand]) {
      return ir_error{.why = arrives ? ir_reason::phi_operand_too_often : ir_reason::phi_operand_not_input,
                      .node = n,
                      .value = phi,
                      .position = position,
                      .number = operand};
    }
    ++position;
  }
  return std::nullopt;
}

/// Calls `visit(v)` for the operands of a phi that are set.
template <class IR, class Visit> constexpr void for_each_set_operand(const IR& ir, value_id phi, Visit visit) {
  for (const auto& id : ir.operands(phi)) {
    if (static_cast<value_id>(id) != no_value) {
      visit(static_cast<value_id>(id));
    }
  }
}

/// Phis have an input for each edge. Fills what the checks after it need to know about paths, too.
template <class IR> constexpr optional<ir_error> check_phis(const IR& ir, checked_ir& known) {
  known.dominators = dominators(ir.graph());
  list_in_edges(ir.graph(), known);
  inputs_of_phi found;
  found.listed.assign(known.values, 0);
  found.arriving.assign(known.values, 0);
  for (node_id n = 0; n != known.nodes; ++n) {
    for (const auto& id : ir.values(n)) {
      const auto phi = static_cast<value_id>(id);
      if (!ir.is_phi(phi)) {
        break;
      }
      if (const optional<ir_error> error = check_inputs(ir, known, n, phi, found)) {
        return error;
      }
      for_each_set_operand(ir, phi, [&](value_id v) { ++found.listed[v]; });
      if (const optional<ir_error> error = compare_with_operands(ir, known, n, phi, found)) {
        return error;
      }
      for_each_set_operand(ir, phi, [&](value_id v) { found.listed[v] = 0; });
      for (const value_id input : found.inputs) {
        found.arriving[input] = 0;
      }
    }
  }
  return std::nullopt;
}

} // namespace detail

MIDEND_END_NAMESPACE
