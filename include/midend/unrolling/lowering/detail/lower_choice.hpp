/// What becomes of each value on a machine.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"
#include "midend/unrolling/lowering/body_cost.hpp"
#include "midend/unrolling/lowering/detail/lower_classes.hpp"
#include "midend/unrolling/lowering/detail/lower_needs.hpp"
#include "midend/unrolling/lowering/detail/lower_operations.hpp"
#include "midend/unrolling/lowering/detail/lower_workspace.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// One pass from operands to users, in which a user also decides about operands that it alone reads.
struct lowering_choice {
  const unrolled_body& body;
  const lowering_options& options;
  const machine_classes& classes;
  lowering_memory& w;
  unrolled_id last_effect = no_unrolled; ///< so far

  constexpr void choose() {
    for (unrolled_id n = 0; n != body.nodes.size(); ++n) {
      last_effect = has_effect(body.nodes[n]) ? n : last_effect;
      if (w.nodes[n].is_needed) {
        w.nodes[n].as = choice_of(n);
        if (w.nodes[n].as == lowered_as::operations) {
          take_over_operands(n);
        }
      }
    }
  }

  /// Of a loop what does not change is there before; a straight line runs once, so that it makes no difference.
  constexpr bool is_outside(unrolled_operand o) const { return w.nodes[o.node].as == lowered_as::outside; }

  /// Regrouping keeps trees of one operation, on one width, each flagged.
  constexpr bool may_regroup(unrolled_id n) const {
    const unrolled_node& node = body.nodes[n];
    return options.reassociates && node.reassociates && node.kind == body_kind::pure && node.num_operands == 2 &&
           (node.info.code == operation::other || is_commutative(node.info.code)) && !is_comparison(node.info.code) &&
           !is_shift_by_power(n);
  }

private:
  constexpr lowered_as choice_of(unrolled_id n) const {
    const unrolled_node& node = body.nodes[n];
    switch (node.kind) {
    case body_kind::constant:
    case body_kind::invariant:
      return lowered_as::outside;
    case body_kind::phi:
      return body.is_straight_line || is_given_itself(n) ? lowered_as::outside : lowered_as::header_phi;
    case body_kind::load:
      return node.is_invariant && !body.is_straight_line ? lowered_as::outside : lowered_as::operations;
    case body_kind::pure:
    case body_kind::join:
      return choice_of_pure(n);
    default:
      return lowered_as::operations;
    }
  }

  constexpr lowered_as choice_of_pure(unrolled_id n) const {
    const unrolled_node& node = body.nodes[n];
    if (!body.is_straight_line && (node.is_invariant || has_only_outside_operands(n))) {
      return lowered_as::outside;
    }
    const bool tests_bits = selects_low_bits(body, n) && w.nodes[n].uses == w.nodes[n].zero_tests;
    const bool is_branch = node.is_join && !classes.has_predication();
    return node.is_free || negates_predicate(body, n) || tests_bits || is_branch ? lowered_as::alias
                                                                                 : lowered_as::operations;
  }

  constexpr bool is_given_itself(unrolled_id phi) const {
    return look_through(body, body.next[w.nodes[phi].phi]) == unrolled_operand{phi, 0};
  }

  /// Also if some are header phis that are always given themselves.
  constexpr bool has_only_outside_operands(unrolled_id n) const {
    for (const unrolled_operand o : body.operands_of(n)) {
      if (!is_outside(o)) {
        return false;
      }
    }
    return body.nodes[n].num_operands != 0;
  }

  constexpr void take_over_operands(unrolled_id n) const {
    const unrolled_node& node = body.nodes[n];
    if (node.kind == body_kind::pure && node.info.code == operation::select && node.info.width != 1) {
      predicate_operand(n);
    } else if (may_regroup(n)) {
      for (const unrolled_operand o : body.operands_of(n)) {
        if (o.addend == 0 && is_read_here_only(o.node) && is_same_operation(n, o.node)) {
          w.nodes[o.node].as = lowered_as::in_group;
        }
      }
    }
  }

  constexpr bool is_read_here_only(unrolled_id n) const {
    return w.nodes[n].uses == 1 && w.nodes[n].as == lowered_as::operations && w.nodes[n].first_sum == no_lowered;
  }

  constexpr bool is_same_operation(unrolled_id n, unrolled_id other) const {
    const unrolled_node& a = body.nodes[n];
    const unrolled_node& b = body.nodes[other];
    return may_regroup(other) && a.info.code == b.info.code && a.info.width == b.info.width && a.cost == b.cost &&
           a.identity == b.identity;
  }

  /// A select of x + y or y becomes one addition under the predicate.
  constexpr void predicate_operand(unrolled_id n) const {
    const auto operands = body.operands_of(n);
    for (std::uint8_t k = 1; k != 3; ++k) {
      const unrolled_operand o = operands[k];
      if (o.addend != 0 && !is_outside(o)) {
        lowered_sum& s = sum_of(w, o);
        if (s.uses == 1 && classes.is_predicated(operation_class::alu)) {
          s.with_select = true;
          w.nodes[n].fused = k;
          return;
        }
      } else if (o.addend == 0 && is_read_here_only(o.node) && can_be_predicated(o.node) &&
                 can_wait(o.node, operands[3 - k].node, operands[0].node)) {
        w.nodes[o.node].as = lowered_as::with_select;
        w.nodes[n].fused = k;
        return;
      }
    }
  }

  constexpr bool can_be_predicated(unrolled_id n) const {
    const unrolled_node& node = body.nodes[n];
    if (node.kind != body_kind::pure && node.kind != body_kind::load) {
      return false;
    }
    const operation_sequence s = sequence_of(body, n, options, classes);
    const bool is_select = node.kind == body_kind::pure && node.info.code == operation::select;
    return s.count == 1 && !is_select && classes.is_predicated(s.steps[0]);
  }

  /// A load that has to come before an effect cannot wait for what comes behind that.
  constexpr bool can_wait(unrolled_id n, unrolled_id other, unrolled_id predicate) const {
    return body.nodes[n].kind != body_kind::load || last_effect == no_unrolled || last_effect < n ||
           (other < n && predicate < n);
  }

  constexpr bool is_shift_by_power(unrolled_id n) const {
    return body.nodes[n].info.code == operation::mul &&
           sequence_of(body, n, options, classes).steps[0] != body.nodes[n].cost;
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
