/// Trees of one operation, grouped anew.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/machine/machine.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"
#include "midend/unrolling/lowering/body_cost.hpp"
#include "midend/unrolling/lowering/detail/lower_emitter.hpp"
#include "midend/unrolling/lowering/detail/lower_recurrences.hpp"
#include "midend/unrolling/lowering/detail/lower_workspace.hpp"
#include "midend/unrolling/lowering/detail/regroup.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Trees whose inner nodes were left for their root. What goes round the loop with the result enters last.
template <loop_machine M> struct tree_lowering {
  operation_emitter<M>& ops;
  header_recurrences recurrences{ops.body, ops.w};

  constexpr bool is_root(unrolled_id n) const {
    for (const unrolled_operand o : ops.body.operands_of(n)) {
      if (o.addend == 0 && ops.w.nodes[o.node].as == lowered_as::in_group) {
        return true;
      }
    }
    return false;
  }

  /// As many operations as before, each standing for one of the nodes, the last for the root.
  constexpr operation_id add(unrolled_id root) {
    collect_tree(root);
    return combine_leaves(ops.body.nodes[root].cost, [this] {
      const unrolled_id n = ops.w.tree.back();
      ops.w.tree.pop_back();
      return machine_operation_origin{n, ops.body.nodes[n].copy, ops.body.nodes[n].origin};
    });
  }

  constexpr void collect_tree(unrolled_id root) {
    ops.w.tree.clear();
    ops.w.leaves.clear();
    ops.w.tree.push_back(root);
    for (std::size_t next = 0; next != ops.w.tree.size(); ++next) {
      for (const unrolled_operand o : ops.body.operands_of(ops.w.tree[next])) {
        if (o.addend == 0 && ops.w.nodes[o.node].as == lowered_as::in_group) {
          ops.w.tree.push_back(o.node);
        } else {
          add_leaf(o, ops.body.nodes[root].cost, recurrences.connect(root, o.node));
        }
      }
    }
  }

  constexpr void add_leaf(unrolled_operand o, operation_class consumer, bool comes_last) {
    regrouped_leaf leaf;
    leaf.position = static_cast<std::uint32_t>(ops.w.leaves.size());
    leaf.value = o;
    leaf.comes_last = comes_last;
    ops.for_each_source(
        o,
        [&](operation_id p) {
          const operation_class producer = ops.out.graph.operation(p).kind;
          const std::uint64_t ready = ops.w.start[p] + ops.machine.latency(producer, consumer, dependence_kind::value);
          leaf.ready = ready > leaf.ready ? ready : leaf.ready;
        },
        [](std::uint32_t) {}, [](unrolled_id) {});
    ops.w.leaves.push_back(leaf);
  }

  template <class Origin> constexpr operation_id combine_leaves(operation_class c, const Origin& next_origin) {
    const auto read_term = [&](operation_id o, const regrouped_leaf& term) {
      if (term.operation != no_lowered) {
        ops.wait(term.operation, o, dependence_kind::value);
      } else {
        ops.read(o, term.value, dependence_kind::value);
      }
    };
    const auto combine = [&](const regrouped_leaf& a, const regrouped_leaf& b) {
      regrouped_leaf both;
      both.operation = ops.add(c, next_origin());
      read_term(both.operation, a);
      read_term(both.operation, b);
      both.ready = ops.w.start[both.operation] + ops.machine.latency(c);
      return both;
    };
    return regroup(ops.w.leaves, ops.w.partial_results, combine).operation;
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
