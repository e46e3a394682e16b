/// The values of an unrolled body as operations of a machine.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/machine/machine.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"
#include "midend/unrolling/lowering/detail/lower_choice.hpp"
#include "midend/unrolling/lowering/detail/lower_emitter.hpp"
#include "midend/unrolling/lowering/detail/lower_operations.hpp"
#include "midend/unrolling/lowering/detail/lower_trees.hpp"
#include "midend/unrolling/lowering/detail/lower_workspace.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// In the order of the values, so that an operation comes behind those whose results it reads.
template <loop_machine M> struct value_lowering {
  operation_emitter<M>& ops;
  tree_lowering<M>& trees;
  const machine_classes& classes;

  constexpr void lower() {
    for (unrolled_id n = 0; n != ops.body.nodes.size(); ++n) {
      if (ops.w.nodes[n].is_needed) {
        lower_node(n);
        lower_sums(n);
      }
    }
  }

private:
  constexpr void lower_node(unrolled_id n) {
    switch (ops.w.nodes[n].as) {
    case lowered_as::outside:
      count_outside(n);
      break;
    case lowered_as::operations:
      ops.w.nodes[n].result = ops.w.nodes[n].fused != 0 ? add_predicated(n) : add_operations(n);
      break;
    default:
      break;
    }
  }

  constexpr void count_outside(unrolled_id n) {
    const unrolled_node& node = ops.body.nodes[n];
    const bool is_computed = node.kind == body_kind::load || (node.kind == body_kind::pure && !node.is_free);
    if (is_computed) {
      ops.cost.invariant_operations += sequence_of(ops.body, n, ops.options, classes).count;
    }
  }

  constexpr void lower_sums(unrolled_id n) {
    for (std::uint32_t s = ops.w.nodes[n].first_sum; s != no_lowered; s = ops.w.sums[s].next_sum) {
      if (ops.w.nodes[n].as == lowered_as::outside && !ops.body.is_straight_line) {
        ++ops.cost.invariant_operations;
      } else if (!ops.w.sums[s].with_select) {
        add_sum(ops.w.sums[s]);
      }
    }
  }

  constexpr operation_id add_sum(lowered_sum& sum) {
    const unrolled_node& node = ops.body.nodes[sum.value.node];
    const operation_id o = ops.add(operation_class::alu, {no_unrolled, node.copy, node.origin});
    ops.read(o, {sum.value.node, 0}, dependence_kind::value);
    ops.add_literal(o, smaller_addend(sum.value.addend, node.info.width), node.info.width);
    sum.result = o;
    return o;
  }

  constexpr operation_id add_operations(unrolled_id n) {
    if (trees.is_root(n)) {
      return trees.add(n);
    }
    const operation_sequence s = sequence_of(ops.body, n, ops.options, classes);
    operation_id last = no_lowered;
    for (std::size_t step = 0; step != s.count; ++step) {
      const operation_id o = ops.add(s.steps[step], n);
      if (last != no_lowered) {
        ops.wait(last, o, dependence_kind::value);
      }
      if (s.reads(step)) {
        const std::size_t all = ops.body.operands_of(n).size();
        read_operands(o, n, s.is_split && step == 1 ? all - 1 : 0, s.is_split && step == 0 ? all - 1 : all);
      }
      last = o;
    }
    return last;
  }

  constexpr void read_operands(operation_id o, unrolled_id n, std::size_t from, std::size_t to) {
    const unrolled_node& node = ops.body.nodes[n];
    const auto operands = ops.body.operands_of(n);
    for (std::size_t i = from; i != to; ++i) {
      const bool is_predicate = i == 0 && node.info.code == operation::select && node.info.width != 1;
      const unrolled_operand read_here =
          ops.w.nodes[n].is_counted_test ? unrolled_operand{operands[i].node, 0} : operands[i];
      ops.read(o, read_here, is_predicate ? dependence_kind::guard : dependence_kind::value);
    }
    if (node.kind == body_kind::load || node.kind == body_kind::store) {
      read_address(o, ops.body.accesses[node.access]);
    }
    if (classes.has_predication() && !classes.is_speculated(ops.out.graph.operation(o).kind)) {
      ops.read(o, node.guard, dependence_kind::guard);
    }
  }

  constexpr void read_address(operation_id o, const unrolled_access& a) {
    ops.read(o, a.base, dependence_kind::value);
    ops.read(o, a.index, dependence_kind::value);
    if (a.stored.node != no_unrolled) {
      ops.read(o, a.stored, dependence_kind::value);
    }
    ops.add_literal(o, static_cast<std::uint64_t>(a.offset), 64);
  }

  /// The operand of the select under its predicate; if that does not hold, the register keeps what was there.
  constexpr operation_id add_predicated(unrolled_id select) {
    const auto operands = ops.body.operands_of(select);
    const std::uint8_t k = ops.w.nodes[select].fused;
    const unrolled_operand chosen = operands[k];
    operation_id o = no_lowered;
    if (chosen.addend != 0) {
      o = add_sum(sum_of(ops.w, chosen));
    } else {
      o = add_operations(chosen.node);
      ops.w.nodes[chosen.node].result = o;
    }
    ops.read(o, operands[0], dependence_kind::guard);
    ops.keep(o, operands[3 - k]);
    return o;
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
