/// `check_ir`: finds the place where a user's view of an IR is wrong.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/check_graph.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/expressions.hpp"
#include "midend/ir/function_graph.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ir_error.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ir/ssa_values.hpp"
#include "midend/ir/statements.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/sort.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The members without which values have no meaning.
template <class IR>
concept has_semantics =
    has_constant_type<IR> && (has_edge_cases<IR> || requires(const IR& ir, edge_id e) { ir.edge_case(e); });

/// Checks one rung after the other, and within a rung first that numbers are in range, so that later questions to the
/// IR name only things that exist. Each check returns whether all is well; otherwise `error_` says what is wrong.
template <class IR> class ir_checker {
public:
  using reason = ir_error::reason;

  constexpr explicit ir_checker(const IR& ir) : ir_(ir) {}

  constexpr optional<ir_error> run() {
    if (!check_all()) {
      return error_;
    }
    return std::nullopt;
  }

private:
  constexpr bool check_all() {
    if constexpr (has_graph<IR>) {
      if (!check_the_graph()) {
        return false;
      }
    }
    if constexpr (ssa_values<IR>) {
      if (!check_operands()) {
        return false;
      }
    }
    if constexpr (ssa_ir<IR>) {
      if (!check_places() || !check_parameters() || !check_unplaced_operands()) {
        return false;
      }
    }
    if constexpr (ssa_values<IR> && has_users<IR>) {
      if (!check_users()) {
        return false;
      }
    }
    if constexpr (ssa_ir<IR>) {
      dominators_ = dominators(ir_.graph());
      if (!check_phis() || !check_uses() || !check_conditions()) {
        return false;
      }
    }
    if constexpr (semantic_ir<IR>) {
      if (!check_meanings() || !check_widths_of_phis() || !check_edge_cases()) {
        return false;
      }
    }
    if constexpr (effect_ir<IR>) {
      if (!check_effects()) {
        return false;
      }
    }
    if constexpr (cost_ir<IR>) {
      if (!check_costs()) {
        return false;
      }
    }
    if constexpr (ssa_ir<IR> && has_probability<IR>) {
      if (!check_probabilities()) {
        return false;
      }
    }
    if constexpr (has_statements_in_nodes<IR>) {
      if (!check_statements()) {
        return false;
      }
    }
    if constexpr (expression_ir<IR>) {
      return check_expressions();
    }
    return true;
  }

  constexpr bool fail(const ir_error& error) {
    error_ = error;
    return false;
  }

  // ---- The graph.

  constexpr bool check_the_graph() {
    if (const optional<graph_error> error = check_graph(ir_.graph())) {
      return fail({.why = reason::wrong_graph, .node = error->node, .graph = *error});
    }
    nodes_ = node_count(ir_.graph());
    return true;
  }

  // ---- The values rung: operands in range. An input of a phi may be `no_value` here: `check_phis` knows its edge.

  constexpr bool check_operands() {
    const auto count = static_cast<std::size_t>(ir_.num_values());
    if (count > no_value) {
      return fail({.why = reason::too_many_values, .number = count});
    }
    values_ = static_cast<value_id>(count);
    for (value_id v = 0; v != values_; ++v) {
      const bool may_be_unset = ssa_ir<IR> && ir_.is_phi(v);
      std::size_t position = 0;
      for (const auto& id : ir_.operands(v)) {
        const auto operand = static_cast<value_id>(id);
        if (operand >= values_ && !(may_be_unset && operand == no_value)) {
          return fail({.why = reason::operand_out_of_range, .value = v, .position = position, .number = operand});
        }
        ++position;
      }
    }
    return true;
  }

  template <class Visit> constexpr void for_each_read(Visit visit) const {
    for (value_id v = 0; v != values_; ++v) {
      std::size_t position = 0;
      for (const auto& id : ir_.operands(v)) {
        if (static_cast<value_id>(id) != no_value) {
          visit(static_cast<value_id>(id), v, position);
        }
        ++position;
      }
    }
  }

  /// Compares `users(v)` with the operands: first counts the reads of each value, then lists the readers by value.
  constexpr bool check_users() {
    flat_array<std::uint32_t> ends(values_ + std::size_t{1}, 0);
    for_each_read([&](value_id read, value_id, std::size_t) { ++ends[read]; });
    counts_to_ends(ends);
    flat_array<value_id> readers;
    readers.resize_for_overwrite(ends.back());
    for_each_read([&](value_id read, value_id reader, std::size_t) { readers[--ends[read]] = reader; });
    flat_array<std::uint32_t> reads(values_, 0); // by reader: reads of `v` not yet matched by its users
    for (value_id v = 0; v != values_; ++v) {
      const std::uint32_t last = ends[v + std::size_t{1}];
      for (std::uint32_t i = ends[v]; i != last; ++i) {
        ++reads[readers[i]];
      }
      std::size_t position = 0;
      for (const auto& id : ir_.users(v)) {
        const auto user = static_cast<value_id>(id);
        if (user >= values_) {
          return fail({.why = reason::user_out_of_range, .value = v, .position = position, .number = user});
        }
        if (reads[user] == 0) {
          return fail({.why = reason::extra_user, .value = v, .position = position, .number = user});
        }
        --reads[user];
        ++position;
      }
      for (std::uint32_t i = ends[v]; i != last; ++i) {
        if (reads[readers[i]] != 0) {
          return fail({.why = reason::missing_user,
                       .value = v,
                       .position = last_position(readers[i], v),
                       .number = readers[i]});
        }
      }
    }
    return true;
  }

  constexpr std::size_t last_position(value_id reader, value_id read) const {
    std::size_t position = 0;
    std::size_t found = 0;
    for (const auto& id : ir_.operands(reader)) {
      found = static_cast<value_id>(id) == read ? position : found;
      ++position;
    }
    return found;
  }

  // ---- The SSA rung: places.

  constexpr bool check_places() {
    node_of_.assign(values_, no_node);
    place_of_.assign(values_, 0);
    for (node_id n = 0; n != nodes_; ++n) {
      std::uint32_t place = 0;
      bool phis_are_over = false;
      for (const auto& id : ir_.values(n)) {
        const auto v = static_cast<value_id>(id);
        if (v >= values_) {
          return fail({.why = reason::value_out_of_range, .node = n, .position = place, .number = v});
        }
        if (node_of_[v] == n) {
          return fail(
              {.why = reason::value_twice_in_node, .node = n, .value = v, .position = place, .number = place_of_[v]});
        }
        if (node_of_[v] != no_node) {
          return fail(
              {.why = reason::value_in_two_nodes, .node = n, .value = v, .position = place, .number = node_of_[v]});
        }
        if (!ir_.is_phi(v)) {
          phis_are_over = true;
        } else if (phis_are_over) {
          return fail({.why = reason::phi_after_other_value, .node = n, .value = v, .position = place});
        } else if (n == static_cast<node_id>(ir_.graph().entry())) {
          return fail({.why = reason::phi_in_entry, .node = n, .value = v, .position = place});
        }
        node_of_[v] = n;
        place_of_[v] = place++;
      }
    }
    return true;
  }

  constexpr bool check_parameters() {
    if constexpr (has_parameters<IR>) {
      flat_array<bool> listed(values_, false);
      std::size_t position = 0;
      for (const auto& id : ir_.parameters()) {
        const auto v = static_cast<value_id>(id);
        if (v >= values_) {
          return fail({.why = reason::parameter_out_of_range, .position = position, .number = v});
        }
        if (listed[v]) {
          return fail({.why = reason::parameter_twice, .value = v, .position = position});
        }
        if (node_of_[v] != no_node) {
          return fail({.why = reason::parameter_in_node, .node = node_of_[v], .value = v, .position = position});
        }
        listed[v] = true;
        ++position;
      }
    }
    return true;
  }

  /// An operation in a node reads values that are in nodes, or values that need no computation.
  constexpr bool check_unplaced_operands() {
    for (value_id v = 0; v != values_; ++v) {
      if (node_of_[v] == no_node) {
        continue;
      }
      std::size_t position = 0;
      for (const auto& id : ir_.operands(v)) {
        const auto operand = static_cast<value_id>(id);
        if (operand != no_value && node_of_[operand] == no_node && is_computed(operand)) {
          return fail({.why = reason::operation_in_no_node,
                       .node = node_of_[v],
                       .value = v,
                       .position = position,
                       .number = operand});
        }
        ++position;
      }
    }
    return true;
  }

  constexpr bool is_computed(value_id v) const {
    if constexpr (semantic_ir<IR>) {
      if (code_of(v) != operation::other) {
        return true;
      }
    }
    return ir_.is_phi(v);
  }

  // ---- The SSA rung: phis.

  constexpr bool check_phis() {
    list_in_edges();
    listed_.assign(values_, 0);
    arriving_.assign(values_, 0);
    for (node_id n = 0; n != nodes_; ++n) {
      for (const auto& id : ir_.values(n)) {
        const auto v = static_cast<value_id>(id);
        if (!ir_.is_phi(v)) {
          break;
        }
        if (!check_inputs(n, v)) {
          return false;
        }
      }
    }
    return true;
  }

  constexpr void list_in_edges() {
    const auto& g = ir_.graph();
    first_in_edge_.assign(nodes_ + std::size_t{1}, 0);
    for (node_id n = 0; n != nodes_; ++n) {
      for (const auto& id : g.out_edges(n)) {
        ++first_in_edge_[static_cast<node_id>(g.edge_target(static_cast<edge_id>(id)))];
      }
    }
    counts_to_ends(first_in_edge_);
    in_edges_.resize_for_overwrite(first_in_edge_.back());
    for (node_id n = nodes_; n-- != 0;) { // filled from the ends: the edges of a node come out in the order of sources
      const std::size_t first = pending_.size();
      for (const auto& id : g.out_edges(n)) {
        pending_.push_back(static_cast<edge_id>(id));
      }
      while (pending_.size() != first) {
        in_edges_[--first_in_edge_[static_cast<node_id>(g.edge_target(pending_.back()))]] = pending_.back();
        pending_.pop_back();
      }
    }
  }

  constexpr bool check_inputs(node_id n, value_id phi) {
    inputs_.clear();
    for (std::uint32_t i = first_in_edge_[n]; i != first_in_edge_[n + std::size_t{1}]; ++i) {
      const edge_id e = in_edges_[i];
      const auto input = static_cast<value_id>(ir_.phi_input(phi, e));
      if (input >= values_) {
        return fail({.why = input == no_value ? reason::phi_input_not_set : reason::phi_input_out_of_range,
                     .node = n,
                     .value = phi,
                     .edge = e,
                     .number = input});
      }
      if (!is_available(input, static_cast<node_id>(ir_.graph().edge_source(e)), at_end)) {
        return fail({.why = reason::phi_input_not_available, .node = n, .value = phi, .edge = e, .number = input});
      }
      inputs_.push_back(input);
      ++arriving_[input];
    }
    for (const auto& id : ir_.operands(phi)) {
      if (static_cast<value_id>(id) != no_value) {
        ++listed_[static_cast<value_id>(id)];
      }
    }
    const bool is_right = compare_inputs(n, phi) && compare_operands(n, phi);
    for (const auto& id : ir_.operands(phi)) {
      if (static_cast<value_id>(id) != no_value) {
        listed_[static_cast<value_id>(id)] = 0;
      }
    }
    for (const value_id input : inputs_) {
      arriving_[input] = 0;
    }
    return is_right;
  }

  constexpr bool compare_inputs(node_id n, value_id phi) {
    for (std::size_t i = 0; i != inputs_.size(); ++i) {
      if (listed_[inputs_[i]] == 0) {
        return fail({.why = reason::phi_input_not_operand,
                     .node = n,
                     .value = phi,
                     .edge = in_edges_[first_in_edge_[n] + i],
                     .number = inputs_[i]});
      }
    }
    return true;
  }

  constexpr bool compare_operands(node_id n, value_id phi) {
    std::size_t position = 0;
    for (const auto& id : ir_.operands(phi)) {
      const auto operand = static_cast<value_id>(id);
      const bool arrives = operand != no_value && arriving_[operand] != 0;
      if (!arrives || listed_[operand] > arriving_[operand]) {
        return fail({.why = arrives ? reason::phi_operand_too_often : reason::phi_operand_not_input,
                     .node = n,
                     .value = phi,
                     .position = position,
                     .number = operand});
      }
      ++position;
    }
    return true;
  }

  // ---- The SSA rung: definitions dominate uses.

  static constexpr std::uint32_t at_end = 0xffff'ffff;

  /// Whether `v` is computed whenever control is in `n`, before `place`. Always true in unreachable nodes.
  constexpr bool is_available(value_id v, node_id n, std::uint32_t place) const {
    const node_id home = node_of_[v];
    if (home == no_node || !dominators_.is_reachable(n)) {
      return true;
    }
    return home == n ? place_of_[v] < place : dominators_.dominates(home, n);
  }

  constexpr bool check_uses() {
    for (value_id v = 0; v != values_; ++v) {
      if (node_of_[v] == no_node || ir_.is_phi(v)) {
        continue;
      }
      std::size_t position = 0;
      for (const auto& id : ir_.operands(v)) {
        const auto operand = static_cast<value_id>(id);
        if (!is_available(operand, node_of_[v], place_of_[v])) {
          return fail({.why = reason::use_not_dominated,
                       .node = node_of_[v],
                       .value = v,
                       .position = position,
                       .number = operand});
        }
        ++position;
      }
    }
    return true;
  }

  constexpr bool check_conditions() {
    for (node_id n = 0; n != nodes_; ++n) {
      const auto condition = static_cast<value_id>(ir_.condition(n));
      if (condition == no_value) {
        continue;
      }
      if (condition >= values_) {
        return fail({.why = reason::condition_out_of_range, .node = n, .number = condition});
      }
      if (!is_available(condition, n, at_end)) {
        return fail({.why = reason::condition_not_available, .node = n, .value = condition});
      }
    }
    return true;
  }

  // ---- The semantics rung.

  static constexpr bool constants_are_numbers = [] {
    if constexpr (semantic_ir<IR>) {
      return std::same_as<constant_of<IR>, std::uint64_t>;
    } else {
      return false;
    }
  }();

  constexpr operation_info info_of(value_id v) const { return ir_.operation(v); }

  constexpr operation code_of(value_id v) const { return info_of(v).code; }

  static constexpr bool is_width(unsigned width) { return width >= 1 && width <= 64; }

  static constexpr std::uint64_t number_of(operation code) { return static_cast<std::uint64_t>(code); }

  constexpr bool check_meanings() {
    for (value_id v = 0; v != values_; ++v) {
      const operation_info info = info_of(v);
      if (!check_operation(v, info) || !check_literal(v, info) || !check_bounds(v, info)) {
        return false;
      }
      if (info.code != operation::other && ir_.is_phi(v)) {
        return fail({.why = reason::operation_of_phi, .value = v, .number = number_of(info.code)});
      }
      if (info.code != operation::other && is_opaque(ir_, v)) {
        return fail({.why = reason::opaque_operation, .value = v, .number = number_of(info.code)});
      }
    }
    return true;
  }

  /// Widths matter to domains of numbers only, unless the operation is in the vocabulary.
  constexpr bool check_operation(value_id v, const operation_info& info) {
    if (info.code > last_operation) {
      return fail({.why = reason::unknown_operation, .value = v, .number = number_of(info.code)});
    }
    const bool is_known = info.code != operation::other;
    if ((is_known || constants_are_numbers) && !is_width(info.width)) {
      return fail({.why = reason::width_out_of_range, .value = v, .number = info.width});
    }
    if (is_known && (has_operand_width(info.code) || is_modulo_shift(info.code)) && !is_width(info.operand_width)) {
      return fail({.why = reason::operand_width_out_of_range, .value = v, .number = info.operand_width});
    }
    const bool widens = info.code == operation::zero_extend || info.code == operation::sign_extend;
    if ((widens && info.operand_width > info.width) ||
        (info.code == operation::truncate && info.operand_width < info.width)) {
      return fail({.why = reason::conversion_width, .value = v, .number = info.operand_width});
    }
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& id : ir_.operands(v)) {
      ++count;
    }
    if (count < arity(info.code)) {
      return fail({.why = reason::too_few_operands, .value = v, .position = count, .number = arity(info.code)});
    }
    if (is_comparison(info.code) && info.operand_width == 1) {
      return check_compared_bits(v);
    }
    return !reads_sign(info.code) || check_signs(v, info);
  }

  /// No IR compares only the low bits of numbers, so such a width is a mistake: the result's width as `operand_width`.
  constexpr bool check_compared_bits(value_id v) {
    unsigned width = 64;
    std::size_t position = 0;
    for (const auto& id : ir_.operands(v)) {
      if (position++ < 2) {
        const unsigned bits = info_of(static_cast<value_id>(id)).width;
        width = bits < width ? bits : width;
      }
    }
    return width == 1 || fail({.why = reason::compares_one_bit, .value = v, .number = width});
  }

  /// An operand with fewer bits than the operation reads has zeros above. A signed operation would never see it as
  /// negative.
  constexpr bool check_signs(value_id v, const operation_info& info) {
    const unsigned read = has_operand_width(info.code) ? info.operand_width : info.width;
    std::size_t position = 0;
    for (const auto& id : ir_.operands(v)) {
      if (position == arity(info.code) || (position == 1 && reads_whole(info.code, 1))) {
        break;
      }
      if (const unsigned width = info_of(static_cast<value_id>(id)).width; width < read) {
        return fail({.why = reason::operand_too_narrow, .value = v, .position = position, .number = width});
      }
      ++position;
    }
    return true;
  }

  static constexpr bool reads_sign(operation code) {
    switch (code) {
    case operation::div:
    case operation::rem:
    case operation::sar:
    case operation::sar_modulo:
    case operation::min:
    case operation::max:
    case operation::less:
    case operation::less_equal:
    case operation::greater:
    case operation::greater_equal:
    case operation::sign_extend:
      return true;
    default:
      return false;
    }
  }

  static constexpr bool has_operand_width(operation code) {
    return is_comparison(code) || code == operation::truncate || code == operation::zero_extend ||
           code == operation::sign_extend;
  }

  static constexpr bool has_bits_above(std::uint64_t bits, unsigned width) { return (bits & ~low_ones(width)) != 0; }

  constexpr bool check_literal(value_id v, const operation_info& info) {
    if constexpr (constants_are_numbers) {
      if (const std::optional<std::uint64_t> c = ir_.constant(v); c && has_bits_above(*c, info.width)) {
        return fail({.why = reason::constant_too_wide, .value = v, .number = *c});
      }
    }
    return true;
  }

  constexpr bool check_bounds([[maybe_unused]] value_id v, [[maybe_unused]] const operation_info& info) {
    if constexpr (constants_are_numbers && has_bounds<IR>) {
      if (info.code != operation::other || ir_.is_phi(v)) {
        return true;
      }
      const std::optional<number_range> bounds = ir_.bounds(v);
      if (!bounds) {
        return true;
      }
      for (const std::uint64_t bound : {bounds->low, bounds->high}) {
        if (has_bits_above(bound, info.width)) {
          return fail({.why = reason::bounds_too_wide, .value = v, .number = bound});
        }
      }
      const bool is_empty = bounds->is_signed ? as_signed(bounds->high, info.width) < as_signed(bounds->low, info.width)
                                              : bounds->high < bounds->low;
      if (is_empty) {
        return fail({.why = reason::bounds_out_of_order, .value = v, .number = bounds->low});
      }
    }
    return true;
  }

  /// A phi does not convert its inputs, as operations do.
  constexpr bool check_widths_of_phis() {
    for (node_id n = 0; constants_are_numbers && n != nodes_; ++n) {
      for (const auto& id : ir_.values(n)) {
        const auto phi = static_cast<value_id>(id);
        if (!ir_.is_phi(phi)) {
          break;
        }
        const unsigned expected = info_of(phi).width;
        for (std::uint32_t i = first_in_edge_[n]; i != first_in_edge_[n + std::size_t{1}]; ++i) {
          const auto input = static_cast<value_id>(ir_.phi_input(phi, in_edges_[i]));
          if (const unsigned width = info_of(input).width; width != expected) {
            return fail(
                {.why = reason::phi_input_width, .node = n, .value = phi, .edge = in_edges_[i], .number = width});
          }
        }
      }
    }
    return true;
  }

  constexpr bool check_edge_cases() {
    for (node_id n = 0; n != nodes_; ++n) {
      if (const auto condition = static_cast<value_id>(ir_.condition(n)); condition != no_value) {
        if constexpr (has_edge_cases<IR>) {
          if (!check_many_cases_of(n, condition)) {
            return false;
          }
        } else if (!check_cases_of(n, condition)) {
          return false;
        }
      }
    }
    return true;
  }

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

  template <class Case> static constexpr bool exceeds([[maybe_unused]] unsigned width, const Case& one) {
    if constexpr (std::is_same_v<Case, number_range>) {
      return has_bits_above(one.low | one.high, width);
    } else if constexpr (constants_are_numbers) {
      return has_bits_above(one, width);
    } else {
      return false;
    }
  }

  /// A signed range from a negative to a non-negative number wraps as unsigned, so it becomes two intervals.
  template <class Case>
  constexpr void add_interval([[maybe_unused]] const Case& one, [[maybe_unused]] unsigned width, edge_id e,
                              std::uint32_t position) {
    if constexpr (std::is_same_v<Case, number_range>) {
      if (one.low <= one.high) {
        intervals_.push_back({one.low, one.high, e, position});
      } else if (one.is_signed && as_signed(one.low, width) <= as_signed(one.high, width)) {
        intervals_.push_back({one.low, low_ones(width), e, position});
        intervals_.push_back({0, one.high, e, position});
      }
    } else if constexpr (constants_are_numbers) {
      intervals_.push_back({one, one, e, position});
    }
  }

  template <class Case>
  constexpr bool is_earlier_case(node_id n, edge_id e, std::size_t cases, [[maybe_unused]] const Case& one) const {
    bool is_equal = false;
    bool is_earlier = true;
    for (const auto& id : ir_.graph().out_edges(n)) {
      std::size_t at = 0;
      for_each_case(ir_, static_cast<edge_id>(id), [&](const auto& other) {
        is_earlier = is_earlier && !(static_cast<edge_id>(id) == e && ++at == cases);
        if constexpr (!constants_are_numbers) {
          is_equal = is_equal || (is_earlier && one == other);
        }
      });
    }
    return is_equal;
  }

  /// Checks edges that serve several cases: numbers have no bits above the width, at most one edge has no case, and no
  /// number belongs to two edges.
  constexpr bool check_many_cases_of(node_id n, value_id condition) {
    const unsigned width = info_of(condition).width;
    std::uint32_t position = 0;
    std::size_t defaults = 0;
    intervals_.clear();
    for (const auto& id : ir_.graph().out_edges(n)) {
      const auto e = static_cast<edge_id>(id);
      optional<ir_error> found;
      std::size_t cases = 0;
      for_each_case(ir_, e, [&](const auto& one) {
        ++cases;
        if (!found && exceeds(width, one)) {
          found = ir_error{
              .why = reason::edge_case_too_wide, .node = n, .value = condition, .edge = e, .position = position};
        } else if (!found) {
          add_interval(one, width, e, position);
          if (!constants_are_numbers && is_earlier_case(n, e, cases, one)) {
            found = ir_error{.why = reason::edge_case_twice, .node = n, .edge = e, .position = position};
          }
        }
      });
      defaults += cases == 0 ? std::size_t{1} : 0;
      if (!found && defaults == 2 && cases == 0) {
        found = ir_error{.why = reason::second_default_edge, .node = n, .edge = e, .position = position};
      }
      if (found) {
        return fail(*found);
      }
      ++position;
    }
    if (position == 1 && defaults == 0) {
      edge_id only = no_edge;
      for (const auto& id : ir_.graph().out_edges(n)) {
        only = static_cast<edge_id>(id);
      }
      return fail({.why = reason::only_edge_has_case, .node = n, .value = condition, .edge = only});
    }
    return check_intervals(n) && (position == 0 || defaults != 0 || check_gaps(n, condition));
  }

  /// Checks that the intervals leave no number out. They are sorted and disjoint.
  constexpr bool check_gaps(node_id n, value_id condition) {
    if (constants_are_numbers && may_be_any_number(condition)) {
      std::uint64_t next = 0; // the smallest number in no interval so far
      bool is_all = false;
      for (std::size_t i = 0; i != intervals_.size() && intervals_[i].low == next; ++i) {
        is_all = intervals_[i].high == low_ones(info_of(condition).width);
        next = intervals_[i].high + 1;
      }
      if (!is_all) {
        return fail({.why = reason::cases_leave_values, .node = n, .value = condition, .number = next});
      }
    }
    return true;
  }

  constexpr bool check_intervals(node_id n) {
    heap_sort(intervals_.data(), intervals_.size());
    std::size_t longest = 0; // the earlier interval that ends last
    for (std::size_t i = 1; i < intervals_.size(); ++i) {
      const case_interval& before = intervals_[longest];
      const case_interval& one = intervals_[i];
      if (one.low <= before.high) {
        const case_interval& later = one.position < before.position ? before : one;
        return fail({.why = reason::edge_case_twice,
                     .node = n,
                     .edge = later.edge,
                     .position = later.position,
                     .number = one.low});
      }
      longest = i;
    }
    return true;
  }

  /// Constants that are not numbers can only be tested for equality, so each is compared with each.
  template <class Constant>
  constexpr bool is_new_case([[maybe_unused]] node_id n, std::size_t position, const Constant& value) {
    if constexpr (constants_are_numbers) {
      return cases_.find_or_insert(value, static_cast<std::uint32_t>(position)) == position;
    } else {
      for (const auto& id : ir_.graph().out_edges(n)) {
        if (position-- == 0) {
          break;
        }
        const std::optional<Constant> earlier = ir_.edge_case(static_cast<edge_id>(id));
        if (earlier && *earlier == value) {
          return false;
        }
      }
      return true;
    }
  }

  constexpr bool check_cases_of(node_id n, value_id condition) {
    const unsigned width = info_of(condition).width;
    std::size_t edges = 0;
    std::size_t defaults = 0;
    edge_id default_edge = no_edge; // the second one
    std::size_t default_position = 0;
    bool are_bits = true; // the cases are 0 and 1
    edge_id first = no_edge;
    start_cases();
    for (const auto& id : ir_.graph().out_edges(n)) {
      const auto e = static_cast<edge_id>(id);
      first = edges == 0 ? e : first;
      if (const std::optional<constant_of<IR>> value = ir_.edge_case(e)) {
        std::uint64_t number = 0;
        if constexpr (constants_are_numbers) {
          number = *value;
          are_bits = are_bits && number <= 1;
          if (has_bits_above(number, width)) {
            return fail({.why = reason::edge_case_too_wide,
                         .node = n,
                         .value = condition,
                         .edge = e,
                         .position = edges,
                         .number = number});
          }
        }
        if (!is_new_case(n, edges, *value)) {
          return fail({.why = reason::edge_case_twice, .node = n, .edge = e, .position = edges, .number = number});
        }
      } else if (++defaults == 2) {
        default_edge = e;
        default_position = edges;
      }
      ++edges;
    }
    if (edges >= 2 && defaults == edges) {
      return fail({.why = reason::no_edge_cases, .node = n, .value = condition, .number = edges});
    }
    if (defaults >= 2) {
      return fail({.why = reason::second_default_edge, .node = n, .edge = default_edge, .position = default_position});
    }
    if (edges == 1 && defaults == 0) {
      return fail({.why = reason::only_edge_has_case, .node = n, .value = condition, .edge = first});
    }
    if (constants_are_numbers && edges == 2 && defaults == 0 && are_bits && width != 1 &&
        !is_comparison(code_of(condition))) {
      return fail({.why = reason::cases_miss_values, .node = n, .value = condition, .number = width});
    }
    if constexpr (constants_are_numbers) {
      std::uint64_t left = 0; // among edges + 1 numbers, at least one is no case
      if (edges != 0 && defaults == 0 && edges - 1 < low_ones(width) && may_be_any_number(condition)) {
        while (cases_.find(left) != hash_map<std::uint64_t>::missing) {
          ++left;
        }
        return fail({.why = reason::cases_leave_values, .node = n, .value = condition, .number = left});
      }
    }
    return true;
  }

  /// Whether nothing limits the results of an operation.
  constexpr bool may_be_any_number(value_id v) const {
    switch (code_of(v)) {
    case operation::add:
    case operation::sub:
    case operation::mul:
    case operation::neg:
      return true;
    case operation::other:
      if constexpr (has_bounds<IR>) {
        return !ir_.is_phi(v) && !ir_.constant(v) && !ir_.bounds(v);
      } else {
        return !ir_.is_phi(v) && !ir_.constant(v);
      }
    default:
      return false;
    }
  }

  constexpr void start_cases() {
    if constexpr (constants_are_numbers) {
      cases_.clear();
    }
  }

  // ---- The effects rung. Its members are asked about operations in nodes only.

  constexpr bool check_effects() {
    for (node_id n = 0; n != nodes_; ++n) {
      value_id terminator = no_value; // the last value so far, if it is a terminator
      for (const auto& id : ir_.values(n)) {
        const auto v = static_cast<value_id>(id);
        if (ir_.is_phi(v)) {
          continue;
        }
        if (terminator != no_value) {
          return fail(
              {.why = reason::branch_not_last, .node = n, .value = terminator, .position = place_of_[terminator]});
        }
        terminator = is_terminator(ir_, v) ? v : no_value;
        if (!check_enumerator(v, ir_.effect(v)) || !check_return(v)) {
          return false;
        }
      }
    }
    return true;
  }

  constexpr bool check_enumerator(value_id v, effect_kind effect) {
    return effect <= effect_kind::unknown ||
           fail({.why = reason::unknown_effect, .value = v, .number = static_cast<std::uint64_t>(effect)});
  }

  constexpr bool check_return([[maybe_unused]] value_id v) {
    if constexpr (has_never_returns<IR>) {
      if (ir_.never_returns(v) && !ir_.may_not_return(v)) {
        return fail({.why = reason::return_disagrees, .value = v});
      }
    }
    return true;
  }

  // ---- The cost rung. Its members are asked about operations in nodes only.

  constexpr bool check_costs() {
    for (node_id n = 0; n != nodes_; ++n) {
      value_id branch = no_value; // the last value so far, if it is a branch
      for (const auto& id : ir_.values(n)) {
        const auto v = static_cast<value_id>(id);
        if (ir_.is_phi(v)) {
          continue;
        }
        if (branch != no_value) {
          return fail({.why = reason::branch_not_last, .node = n, .value = branch, .position = place_of_[branch]});
        }
        const std::optional<operation_class> c = ir_.cost(v);
        branch = c == operation_class::branch ? v : no_value;
        if (!check_class(n, v, c) || !check_guard(v) || !check_memory(n, v)) {
          return false;
        }
      }
    }
    return true;
  }

  constexpr bool is_last_node(node_id n) const {
    bool has_successors = false;
    for_each_id(ir_.graph().out_edges(n), [&](edge_id) { has_successors = true; });
    return !has_successors;
  }

  /// The end of a node without successors may be free: control ends there, or continues right after it.
  constexpr bool check_class(node_id n, value_id v, std::optional<operation_class> c) {
    if (c && static_cast<std::size_t>(*c) >= num_operation_classes) {
      return fail({.why = reason::unknown_class, .value = v, .number = static_cast<std::uint64_t>(*c)});
    }
    const effect_kind effect = ir_.effect(v);
    const auto number = static_cast<std::uint64_t>(effect);
    if (!check_enumerator(v, effect)) {
      return false;
    }
    if constexpr (effect_ir<IR> && has_is_terminator<IR>) {
      if (is_terminator(ir_, v) != (c == operation_class::branch) && (c || !is_last_node(n))) {
        return fail({.why = reason::terminator_class, .value = v});
      }
    }
    if (never_runs(v)) {
      return true;
    }
    if (c == operation_class::load && effect != effect_kind::reads && effect != effect_kind::unknown) {
      return fail({.why = reason::effect_of_load, .value = v, .number = number});
    }
    if (c == operation_class::store && effect != effect_kind::writes && effect != effect_kind::unknown) {
      return fail({.why = reason::effect_of_store, .value = v, .number = number});
    }
    return true;
  }

  /// Whether the guard is a constant for which the operation does not run.
  constexpr bool never_runs([[maybe_unused]] value_id v) const {
    if constexpr (has_guard<IR>) {
      const guard_of_value guard = ir_.guard(v);
      if (guard.predicate < values_) {
        const std::optional<std::uint64_t> bit = ir_.constant(guard.predicate);
        return bit && (*bit != 0) == guard.negated;
      }
    }
    return false;
  }

  constexpr bool check_memory(node_id n, value_id v) {
    const effect_kind effect = ir_.effect(v);
    if (effect != effect_kind::reads && effect != effect_kind::writes) {
      return true;
    }
    const std::optional<memory_reference> place = ir_.memory(v);
    if (!place) {
      return true;
    }
    std::size_t position = 0;
    for (const value_id part : {place->base, place->index, place->stored}) {
      if (part != no_value && part >= values_) {
        return fail({.why = reason::memory_out_of_range, .value = v, .position = position, .number = part});
      }
      if (part != no_value && !is_available(part, n, place_of_[v])) {
        return fail({.why = reason::memory_not_available, .node = n, .value = v, .position = position, .number = part});
      }
      ++position;
    }
    if constexpr (effect_ir<IR>) {
      if (place->is_volatile != static_cast<bool>(ir_.is_volatile(v))) {
        return fail({.why = reason::volatile_disagrees, .value = v, .number = place->is_volatile});
      }
    }
    if (effect == effect_kind::reads && place->stored != no_value) {
      return fail({.why = reason::load_stores, .value = v, .number = place->stored});
    }
    if (effect == effect_kind::writes && place->stored == no_value) {
      return fail({.why = reason::store_without_value, .value = v});
    }
    return true;
  }

  /// The last operands are the predicate and, if there is one, the other value.
  constexpr bool check_guard([[maybe_unused]] value_id v) {
    if constexpr (has_guard<IR>) {
      const guard_of_value guard = ir_.guard(v);
      if (guard.predicate == no_value) {
        return true;
      }
      const bool has_other = guard.otherwise != no_value;
      value_id last = no_value;
      value_id last_but_one = no_value;
      std::size_t count = 0;
      for (const auto& id : ir_.operands(v)) {
        last_but_one = last;
        last = static_cast<value_id>(id);
        ++count;
      }
      std::size_t position = 0;
      for (const value_id part : {guard.predicate, guard.otherwise}) {
        if (part != no_value && part >= values_) {
          return fail({.why = reason::guard_out_of_range, .value = v, .position = position, .number = part});
        }
        if (part != no_value && part != (position == 0 && has_other ? last_but_one : last)) {
          return fail({.why = reason::guard_not_operand, .value = v, .position = position, .number = part});
        }
        ++position;
      }
      if (code_of(v) != operation::other) {
        return fail({.why = reason::guarded_operation, .value = v, .number = number_of(code_of(v))});
      }
      const operation_info unguarded = ir_.unguarded(v);
      if (unguarded.code > last_operation) {
        return fail({.why = reason::unknown_operation, .value = v, .number = number_of(unguarded.code)});
      }
      const std::size_t arguments = count - (has_other ? 2 : 1);
      if (arguments < arity(unguarded.code)) {
        return fail(
            {.why = reason::too_few_operands, .value = v, .position = arguments, .number = arity(unguarded.code)});
      }
    }
    return true;
  }

  constexpr bool check_probabilities() {
    for (node_id n = 0; n != nodes_; ++n) {
      for (const auto& id : ir_.graph().out_edges(n)) {
        const auto e = static_cast<edge_id>(id);
        if (!(static_cast<double>(ir_.probability(e)) <= 1)) { // also true for NaN
          return fail({.why = reason::probability_out_of_range, .node = n, .edge = e});
        }
      }
    }
    return true;
  }

  // ---- The statements and expressions rungs.

  /// Reports `error` with the position and number of the first bad variable.
  template <class Range> constexpr bool check_variables(Range&& range, std::size_t variables, ir_error error) {
    for (const auto& id : range) {
      if (static_cast<variable_id>(id) >= variables) {
        error.number = static_cast<variable_id>(id);
        return fail(error);
      }
      ++error.position;
    }
    return true;
  }

  constexpr bool check_statements() {
    const auto count = static_cast<std::size_t>(ir_.num_statements());
    if (count > no_statement) {
      return fail({.why = reason::too_many_statements, .number = count});
    }
    flat_array<node_id> node_of(count, no_node);
    flat_array<std::uint32_t> place_of(count, 0);
    for (node_id n = 0; n != nodes_; ++n) {
      std::uint32_t place = 0;
      for (const auto& id : ir_.statements(n)) {
        const auto s = static_cast<statement_id>(id);
        if (s >= count) {
          return fail({.why = reason::statement_out_of_range, .node = n, .position = place, .number = s});
        }
        if (node_of[s] != no_node) {
          const bool same = node_of[s] == n;
          return fail({.why = same ? reason::statement_twice_in_node : reason::statement_in_two_nodes,
                       .node = n,
                       .statement = s,
                       .position = place,
                       .number = same ? place_of[s] : node_of[s]});
        }
        node_of[s] = n;
        place_of[s] = place++;
      }
    }
    if constexpr (statement_ir<IR>) {
      const auto variables = static_cast<std::size_t>(ir_.num_variables());
      if (variables > no_variable) {
        return fail({.why = reason::too_many_variables, .number = variables});
      }
      for (statement_id s = 0; s != count; ++s) {
        if (node_of[s] != no_node && !check_variables_of(s, variables)) {
          return false;
        }
      }
      if constexpr (expression_ir<IR>) {
        return check_expressions_of(node_of);
      }
    }
    return true;
  }

  constexpr bool check_variables_of(statement_id s, std::size_t variables) {
    if (!check_variables(ir_.definitions(s), variables, {.why = reason::definition_out_of_range, .statement = s}) ||
        !check_variables(ir_.uses(s), variables, {.why = reason::use_out_of_range, .statement = s})) {
      return false;
    }
    if constexpr (has_may_definitions<IR>) {
      return check_variables(ir_.may_definitions(s), variables,
                             {.why = reason::may_definition_out_of_range, .statement = s});
    }
    return true;
  }

  constexpr bool check_expressions_of(const flat_array<node_id>& node_of) {
    const auto expressions = static_cast<std::size_t>(ir_.num_expressions());
    if (expressions > no_expression) {
      return fail({.why = reason::too_many_expressions, .number = expressions});
    }
    for (statement_id s = 0; s != node_of.size(); ++s) {
      if (node_of[s] == no_node) {
        continue;
      }
      const auto e = static_cast<expression_id>(ir_.expression(s));
      if (e != no_expression && e >= expressions) {
        return fail({.why = reason::expression_out_of_range, .statement = s, .number = e});
      }
    }
    return true;
  }

  constexpr bool check_expressions() {
    const auto count = static_cast<expression_id>(ir_.num_expressions());
    const auto variables = static_cast<std::size_t>(ir_.num_variables());
    for (expression_id e = 0; e != count; ++e) {
      if (!check_variables(ir_.expression_operands(e), variables,
                           {.why = reason::expression_operand_out_of_range, .expression = e})) {
        return false;
      }
    }
    return true;
  }

  const IR& ir_;
  ir_error error_;
  node_id nodes_ = 0;
  value_id values_ = 0;
  flat_array<node_id> node_of_;        ///< by value
  flat_array<std::uint32_t> place_of_; ///< by value: its position in its node
  dominator_tree dominators_;
  flat_array<std::uint32_t> first_in_edge_; ///< by node, and one more: where its edges start in `in_edges_`
  flat_array<edge_id> in_edges_;
  flat_array<edge_id> pending_;
  flat_array<value_id> inputs_;         ///< of the current phi, by in-edge
  flat_array<std::uint32_t> listed_;    ///< by value: how often it is an operand of the current phi
  flat_array<std::uint32_t> arriving_;  ///< by value: the number of edges along which the current phi takes it
  flat_array<case_interval> intervals_; ///< of the current branch, if its edges have several cases
  hash_map<std::uint64_t> cases_;       ///< of the current branch, with their positions
};

} // namespace detail

/// Checks that a view keeps the contract of each rung that it models: statements, expressions, values, SSA, semantics,
/// effects and cost, after its graph (`check_graph`). `ir_error::reason` lists all checks. Values that a node lists are
/// computed there and nowhere else, phis before all others; definitions dominate their uses; phis have an input for
/// each edge; `users` agree with `operands`; conditions have cases that tell their values apart; widths, numbers and
/// enumerators are in range.
///
/// A phi lists each of its inputs at least once and at most once for each edge along which it arrives. So it may have
/// an operand for each edge, for each predecessor, or for each different input.
///
/// Requires nothing: checks a number before it asks the view about it. Asks the members of a rung only where the rung
/// defines them: `phi_input(v, e)` for phis and edges into their node, `edge_case(e)` where there is a condition,
/// members of the effects and cost rungs for values in nodes that are not phis, `memory(v)` if `v` reads or writes.
/// Checks unreachable nodes, too, but counts every value as computed there.
///
/// Returns the first error with its place, or nothing; in the order in which `reason` groups them. Call it in tests of
/// a view, and on data that you do not trust. O(n + m + u) time for u operands, expected if cases are numbers, and k
/// log k for k cases in `edge_cases`; a branch with k cases of another type takes O(k²). 24 bytes a value, 50 a node,
/// 25 an edge, 4 an operand if there are users.
template <class IR> [[nodiscard]] constexpr optional<ir_error> check_ir(const IR& ir) {
  static_assert(has_num_values<IR> || has_num_statements<IR>,
                "midend: check_ir needs values (ir/ssa_values.hpp) or statements (ir/statements.hpp)");
  // A view with one member of a rung is meant to have all, and its optional members are meant to be called.
  if constexpr (has_cost<IR>) {
    static_assert(cost_ir_argument<IR>);
  } else if constexpr (detail::has_semantics<IR>) {
    static_assert(semantic_ir_argument<IR>);
  } else if constexpr (has_values<IR>) {
    static_assert(ssa_ir_argument<IR>);
  } else if constexpr (has_num_values<IR>) {
    static_assert(ssa_values_argument<IR>);
  }
  if constexpr (has_expression<IR>) {
    static_assert(expression_ir_argument<IR>);
  } else if constexpr (has_definitions<IR>) {
    static_assert(statement_ir_argument<IR>);
  } else if constexpr (!has_num_values<IR>) {
    static_assert(has_statements_in_nodes<IR>, "midend: statements need graph(), num_statements() and statements(n)");
  }
  if constexpr (has_may_trap<IR>) {
    static_assert(effect_ir_argument<IR>);
  }
  return detail::ir_checker<IR>(ir).run();
}

MIDEND_END_NAMESPACE
