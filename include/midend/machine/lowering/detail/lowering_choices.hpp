/// `choose_lowering`: how each needed value of a region is lowered to a machine.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/machine/lowering/body_cost.hpp"
#include "midend/machine/lowering/detail/instruction_selection.hpp"
#include "midend/machine/lowering/detail/needed_values.hpp"
#include "midend/machine/lowering/program_region.hpp"
#include "midend/machine/lowering/region_value_kind.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// How a node is lowered.
enum class lowered_as : std::uint8_t {
  nothing,     ///< it is not needed
  outside,     ///< it is known before the body: a constant, or computed before the loop
  header_phi,  ///< the previous iteration computes it
  alias,       ///< it takes no operation: its readers read its operands
  operations,  ///< it takes one or more operations of its own
  with_select, ///< it is predicated, and computed at the select that is its only reader
  in_tree      ///< it is an inner node of a tree that is regrouped and computed at its root
};

struct lowering_choice {
  lowered_as as = lowered_as::nothing;
  std::uint8_t fused_operand = 0; ///< of a select: the operand (1 or 2) that is computed under its predicate; 0: none
};

/// The result of `choose_lowering`.
struct lowering_choices {
  flat_array<lowering_choice> nodes;         ///< by node of the body
  flat_array<std::uint8_t> sums_with_select; ///< by needed sum: 1 if it is computed at the select that is its only user
  bool has_trees = false;                    ///< some node is `in_tree`

  constexpr bool is(region_id n, lowered_as as) const { return nodes[n].as == as; }
};

/// The algorithm of `choose_lowering`.
class lowering_chooser {
public:
  constexpr lowering_chooser(const program_region& body, const lowering_options& options,
                             const machine_classes& classes, const needed_values& needs, lowering_choices& out)
      : body_(body), options_(options), classes_(classes), needs_(needs), out_(out) {}

  constexpr void run() {
    out_.nodes.assign(body_.values.size(), {});
    out_.sums_with_select.assign(needs_.sums.size(), 0);
    out_.has_trees = false;
    for (region_id n = 0; n != body_.values.size(); ++n) {
      last_effect_ = may_have_effect(body_.values[n]) ? n : last_effect_;
      if (needs_.nodes[n].is_needed) {
        out_.nodes[n].as = choice_of(n);
        if (out_.is(n, lowered_as::operations)) {
          take_over_operands(n);
        }
      }
    }
  }

private:
  constexpr lowered_as choice_of(region_id n) const {
    const region_value& node = body_.values[n];
    switch (node.kind) {
    case region_value_kind::constant:
    case region_value_kind::invariant:
      return lowered_as::outside;
    case region_value_kind::phi:
      return body_.is_straight_line || is_self_copy(n) ? lowered_as::outside : lowered_as::header_phi;
    case region_value_kind::load:
      return node.is_invariant && !body_.is_straight_line ? lowered_as::outside : lowered_as::operations;
    case region_value_kind::pure:
      return choice_of_pure(n);
    default:
      return lowered_as::operations;
    }
  }

  constexpr lowered_as choice_of_pure(region_id n) const {
    const region_value& node = body_.values[n];
    const bool is_part_of_zero_test = selects_low_bits(body_, n) && needs_.nodes[n].uses == needs_.nodes[n].zero_tests;
    const bool is_done_by_branch = node.is_join && !classes_.has_predication();
    return node.is_free || negates_predicate(body_, n) || is_part_of_zero_test || is_done_by_branch
               ? lowered_as::alias
               : lowered_as::operations;
  }

  /// Whether the next value of a header phi is the phi itself.
  constexpr bool is_self_copy(region_id phi) const {
    return look_through(body_, body_.next[needs_.nodes[phi].phi]) == region_operand{phi, 0};
  }

  /// Decides about operands that only `n` reads.
  constexpr void take_over_operands(region_id n) {
    const region_value& node = body_.values[n];
    if (node.kind == region_value_kind::pure && node.info.code == operation::select && node.info.width != 1) {
      predicate_operand(n);
    } else if (may_regroup(n)) {
      for (const region_operand o : body_.operands_of(n)) {
        if (o.addend == 0 && has_one_reader(o.node) && may_share_tree(n, o.node)) {
          put_in_tree(o.node);
        }
      }
    } else if (may_regroup_fused(n)) {
      const region_operand addend = body_.operands_of(n)[2];
      if (addend.addend == 0 && has_one_reader(addend.node) && may_share_sum(n, addend.node)) {
        put_in_tree(addend.node);
      }
    }
  }

  constexpr void put_in_tree(region_id n) {
    out_.nodes[n].as = lowered_as::in_tree;
    out_.has_trees = true;
  }

  constexpr bool has_one_reader(region_id n) const {
    return needs_.nodes[n].uses == 1 && out_.is(n, lowered_as::operations) && needs_.nodes[n].first_sum == no_sum;
  }

  /// Trees consist of one operation at one width; each of their nodes must allow regrouping.
  constexpr bool may_regroup(region_id n) const {
    const region_value& node = body_.values[n];
    return options_.reassociates && node.reassociates && node.kind == region_value_kind::pure &&
           node.num_operands == 2 && (node.info.code == operation::other || is_associative(node.info.code)) &&
           !is_shift_by_power(n);
  }

  constexpr bool is_shift_by_power(region_id n) const {
    return body_.values[n].info.code == operation::mul &&
           sequence_of(body_, n, options_, classes_).steps[0] != body_.values[n].cost;
  }

  constexpr bool may_share_tree(region_id n, region_id operand) const {
    const region_value& a = body_.values[n];
    const region_value& b = body_.values[operand];
    return may_regroup(operand) && a.info.code == b.info.code && a.info.width == b.info.width && a.cost == b.cost &&
           a.identity == b.identity;
  }

  /// A sum of products, whose operations add one product each. To regroup it takes a sum and a product that are not
  /// fused.
  constexpr bool may_regroup_fused(region_id n) const {
    const region_value& node = body_.values[n];
    return options_.reassociates && node.reassociates && node.kind == region_value_kind::pure &&
           node.num_operands == 3 && node.cost == operation_class::fused_multiply_add &&
           !classes_.is_missing(operation_class::fp_add) && !classes_.is_missing(operation_class::fp_multiply);
  }

  constexpr bool may_share_sum(region_id n, region_id addend) const {
    const region_value& a = body_.values[n];
    const region_value& b = body_.values[addend];
    return may_regroup_fused(addend) && a.info.width == b.info.width && a.identity == b.identity;
  }

  /// A select between x + y and y becomes an addition under the predicate of the select.
  constexpr void predicate_operand(region_id select) {
    const auto operands = body_.operands_of(select);
    for (std::uint8_t k = 1; k != 3; ++k) {
      const region_operand o = operands[k];
      if (o.addend != 0 && !out_.is(o.node, lowered_as::outside)) {
        const std::uint32_t s = needs_.find_sum(o);
        if (needs_.sums[s].uses == 1 && classes_.is_predicated(operation_class::alu)) {
          out_.sums_with_select[s] = 1;
          out_.nodes[select].fused_operand = k;
          return;
        }
      } else if (o.addend == 0 && has_one_reader(o.node) && can_be_predicated(o.node) &&
                 can_wait(o.node, operands[3 - k].node, operands[0].node)) {
        out_.nodes[o.node].as = lowered_as::with_select;
        out_.nodes[select].fused_operand = k;
        return;
      }
    }
  }

  constexpr bool can_be_predicated(region_id n) const {
    const region_value& node = body_.values[n];
    if (node.kind != region_value_kind::pure && node.kind != region_value_kind::load) {
      return false;
    }
    const operation_sequence s = sequence_of(body_, n, options_, classes_);
    const bool is_select = node.kind == region_value_kind::pure && node.info.code == operation::select;
    return s.count == 1 && !is_select && classes_.is_predicated(s.steps[0]);
  }

  /// A load that must come before an effect cannot wait for values computed after that effect.
  constexpr bool can_wait(region_id n, region_id other, region_id predicate) const {
    return body_.values[n].kind != region_value_kind::load || last_effect_ == no_region_value || last_effect_ < n ||
           (other < n && predicate < n);
  }

  const program_region& body_;
  const lowering_options& options_;
  const machine_classes& classes_;
  const needed_values& needs_;
  lowering_choices& out_;
  region_id last_effect_ = no_region_value; ///< up to the current node
};

/// Chooses for each needed value whether it takes operations of its own. Walks once from operands to users; a user also
/// decides about the operands that only it reads. Refills `out`. Linear.
constexpr void choose_lowering(const program_region& body, const lowering_options& options,
                               const machine_classes& classes, const needed_values& needs, lowering_choices& out) {
  lowering_chooser(body, options, classes, needs, out).run();
}

} // namespace detail

MIDEND_END_NAMESPACE
