/// An unrolled body as operations of a machine, with what they wait for; memory apart.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/machine/machine.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"
#include "midend/unrolling/lowering/detail/lower_classes.hpp"
#include "midend/unrolling/lowering/detail/lower_emitter.hpp"
#include "midend/unrolling/lowering/detail/lower_needs.hpp"
#include "midend/unrolling/lowering/detail/lower_trees.hpp"
#include "midend/unrolling/lowering/detail/lower_values.hpp"
#include "midend/unrolling/lowering/detail/lower_workspace.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Values, then exits, then what header phis are given; what is read of the pass before is resolved at the very end,
/// when it is known what computes it.
template <loop_machine M> struct body_lowering {
  operation_emitter<M>& ops;
  const machine_classes& classes;
  tree_lowering<M> trees{ops};

  constexpr void lower() {
    find_next_values();
    trees.recurrences.find();
    value_lowering<M>{ops, trees, classes}.lower();
    lower_exits();
    add_moves();
  }

  /// Header phis that take no operation may give each other: as far back as there are phis, no further.
  constexpr void resolve_phi_uses() {
    for (std::size_t i = 0; i != ops.w.phi_uses.size(); ++i) {
      lowered_use use = ops.w.phi_uses[i];
      const lowered_next& next = ops.w.next[use.phi];
      if (next.takes_move) {
        ops.wait(next.move, use, use.distance + 1);
      } else if (use.distance <= ops.body.phis.size()) {
        ++use.distance;
        ops.read(use, next.value);
      }
    }
  }

private:
  /// The branch back shares with one of them. A branch that stays inside the body costs one where there are no
  /// predicates.
  constexpr void lower_exits() {
    std::uint64_t branches = 0;
    const auto add_branch = [&] {
      ++branches;
      return ops.add(operation_class::branch, {no_unrolled, 0, no_body_value});
    };
    for (const unrolled_exit& e : ops.body.exits) {
      const operation_id branch = add_branch();
      ops.read(branch, is_tested(e, ops.options) ? e.predicate : no_unrolled, dependence_kind::guard);
    }
    while (branches < (ops.body.is_straight_line ? 0 : 1)) {
      add_branch();
    }
    for (std::uint32_t inner = 0; !classes.has_predication() && inner != ops.body.inner_branches; ++inner) {
      add_branch();
    }
    ops.cost.branches = branches;
  }

  /// A header phi takes a move unless its next value is computed for it alone, or it stays what it is.
  constexpr void find_next_values() {
    ops.w.next.assign(ops.body.phis.size(), {});
    for (std::uint32_t p = 0; p != ops.body.phis.size(); ++p) {
      if (is_header_phi(p)) {
        const unrolled_operand next = without_negation(ops.body, look_through(ops.body, ops.body.next[p]));
        ops.w.next[p].value = next;
        ops.w.next[p].takes_move = !claim(next);
      }
    }
  }

  constexpr bool is_header_phi(std::uint32_t p) const {
    const unrolled_id phi = ops.body.phis[p];
    return phi != no_unrolled && ops.w.nodes[phi].as == lowered_as::header_phi;
  }

  constexpr bool claim(unrolled_operand next) {
    lowered_node& node = ops.w.nodes[next.node];
    bool& is_next = next.addend != 0 ? sum_of(ops.w, next).is_next : node.is_next;
    const bool is_computed = next.addend != 0 ? node.as != lowered_as::outside : node.as == lowered_as::operations;
    const bool is_free = node.as == lowered_as::alias || (is_computed && !is_next);
    is_next = true;
    return is_free;
  }

  constexpr void add_moves() {
    for (std::uint32_t p = 0; p != ops.body.phis.size(); ++p) {
      if (ops.w.next[p].takes_move) {
        const unrolled_id phi = ops.body.phis[p];
        const bool is_predicate = ops.body.nodes[phi].info.width == 1;
        ops.w.next[p].move = ops.add(is_predicate ? operation_class::predicate_logic : operation_class::move, phi);
        ops.read(ops.w.next[p].move, ops.w.next[p].value, dependence_kind::value);
      }
    }
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
