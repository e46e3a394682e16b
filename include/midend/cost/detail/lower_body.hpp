/// An unrolled body as operations of a machine, with what they wait for; memory apart.
#pragma once

#include "midend/config.hpp"
#include "midend/cost/body_cost.hpp"
#include "midend/cost/dependence_graph.hpp"
#include "midend/cost/dependence_kind.hpp"
#include "midend/cost/detail/lower_choice.hpp"
#include "midend/cost/detail/lower_exits.hpp"
#include "midend/cost/detail/lower_needs.hpp"
#include "midend/cost/detail/lower_operations.hpp"
#include "midend/cost/detail/lower_recurrences.hpp"
#include "midend/cost/detail/lower_workspace.hpp"
#include "midend/cost/detail/regroup.hpp"
#include "midend/cost/loop_body.hpp"
#include "midend/cost/machine.hpp"
#include "midend/cost/operation_class.hpp"
#include "midend/cost/unrolled_body.hpp"
#include "midend/ir/operation.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Emits operations in the order of the values, so that what an operation waits for within the pass is there before it;
/// what it waits for of the pass before is resolved at the end. Along the way `start` tells how early an operation can
/// be issued, by which trees are grouped.
template <loop_machine M> struct body_lowering {
  const unrolled_body& body;
  const M& machine;
  const lowering_options& options;
  const lowering_choice& choice;
  const merged_exits& merged;
  lowering_memory& w;
  machine_body& out;
  body_cost& cost;
  header_recurrences recurrences{body, w};
  operation_id merged_test = no_lowered; ///< of all exits that the data decide

  constexpr void lower() {
    recurrences.find();
    for (unrolled_id n = 0; n != body.nodes.size(); ++n) {
      if (w.nodes[n].is_needed) {
        lower_node(n);
        lower_sums(n);
      }
    }
    lower_exits();
    add_moves();
  }

  // Operations and what they wait for.

  constexpr operation_id add(operation_class c, machine_operation_origin origin) {
    const operation_id o = out.graph.add_operation(machine, c);
    out.origins.push_back(origin);
    out.literals.push_back(0);
    w.start.push_back(0);
    num_literals_ = 0;
    return o;
  }

  constexpr operation_id add(operation_class c, unrolled_id n) {
    return add(c, {n, body.nodes[n].copy, body.nodes[n].origin});
  }

  constexpr void wait(operation_id producer, operation_id consumer, dependence_kind kind, std::uint32_t distance = 0) {
    const std::uint32_t latency = latency_between(producer, consumer, kind);
    out.graph.add_dependence({producer, consumer, latency, distance, kind});
    if (distance == 0 && w.start[producer] + latency > w.start[consumer]) {
      w.start[consumer] = w.start[producer] + latency;
    }
  }

  constexpr std::uint32_t latency_between(operation_id producer, operation_id consumer, dependence_kind kind) const {
    return machine.latency(out.graph.operation(producer).kind, out.graph.operation(consumer).kind, kind);
  }

  /// `consumer` reads a value, in the pass `distance` after this one.
  constexpr void read(operation_id consumer, unrolled_operand o, dependence_kind kind, std::uint32_t distance = 0) {
    for_each_source(
        o, [&](operation_id producer) { wait(producer, consumer, kind, distance); },
        [&](std::uint32_t phi) { w.phi_uses.push_back({consumer, phi, distance, kind}); },
        [&](unrolled_id n) { read_outside(consumer, n); });
  }

  constexpr void read(operation_id consumer, unrolled_id n, dependence_kind kind, std::uint32_t distance = 0) {
    if (n != no_unrolled) {
      read(consumer, unrolled_operand{n, 0}, kind, distance);
    }
  }

  /// Visits what has the value: operations, header phis, what comes from outside. Values that take no operation are
  /// looked through.
  template <class OnOperation, class OnPhi, class OnOutside>
  constexpr void for_each_source(unrolled_operand o, const OnOperation& on_operation, const OnPhi& on_phi,
                                 const OnOutside& on_outside) {
    w.aliases.clear();
    for (std::size_t seen = 0;; o = w.aliases[seen++]) {
      o = without_negation(body, o);
      const lowered_node& node = w.nodes[o.node];
      if (o.addend != 0) {
        const operation_id sum = sum_of(w, o).result;
        sum == no_lowered ? on_outside(o.node) : on_operation(sum);
      } else if (node.as == lowered_as::alias) {
        look_into(o.node);
      } else if (node.as == lowered_as::header_phi) {
        on_phi(node.phi);
      } else if (node.result != no_lowered) {
        on_operation(node.result);
      } else {
        on_outside(o.node);
      }
      if (seen == w.aliases.size()) {
        return;
      }
    }
  }

  /// A select that a branch does in effect waits for no predicate. Each value is looked into once.
  constexpr void look_into(unrolled_id n) {
    const auto operands = body.operands_of(n);
    const bool is_branch = body.nodes[n].is_join && body.nodes[n].info.code == operation::select;
    for (std::size_t i = is_branch ? 1 : 0; i != operands.size(); ++i) {
      bool is_new = true;
      for (const unrolled_operand o : w.aliases) {
        is_new = is_new && o != operands[i];
      }
      if (is_new) {
        w.aliases.push_back(operands[i]);
      }
    }
  }

  /// A constant is a literal if it is not small; anything else is in a register, once.
  constexpr void read_outside(operation_id consumer, unrolled_id n) {
    const unrolled_node& node = body.nodes[n];
    if (node.kind == body_kind::constant) {
      add_literal(consumer, node.bits, node.info.width);
    } else if (!w.nodes[n].has_register) {
      w.nodes[n].has_register = true;
      ++(node.info.width == 1 ? cost.predicate_registers : cost.general_registers);
    }
  }

  /// Of equal ones an operation needs one.
  constexpr void add_literal(operation_id o, std::uint64_t bits, std::uint8_t width) {
    const std::uint32_t words = literal_words(bits, width, options.largest_small_constant);
    for (std::size_t i = 0; i != num_literals_; ++i) {
      if (literals_[i] == bits) {
        return;
      }
    }
    if (words != 0 && num_literals_ != literals_.size()) {
      literals_[num_literals_++] = bits;
      out.literals[o] = static_cast<std::uint8_t>(out.literals[o] + words);
    }
  }

  // Values.

  constexpr void lower_node(unrolled_id n) {
    switch (w.nodes[n].as) {
    case lowered_as::outside:
      count_outside(n);
      break;
    case lowered_as::operations:
      w.nodes[n].result = w.nodes[n].fused != 0 ? add_predicated(n) : add_operations(n);
      break;
    default:
      break;
    }
  }

  constexpr void count_outside(unrolled_id n) {
    const unrolled_node& node = body.nodes[n];
    const bool is_computed = node.kind == body_kind::load || (node.kind == body_kind::pure && !node.is_free);
    cost.invariant_operations += is_computed ? sequence_of(body, n, options).count : 0;
  }

  constexpr void lower_sums(unrolled_id n) {
    for (std::uint32_t s = w.nodes[n].first_sum; s != no_lowered; s = w.sums[s].next_sum) {
      if (w.nodes[n].as == lowered_as::outside && !body.is_straight_line) {
        ++cost.invariant_operations;
      } else if (!w.sums[s].with_select) {
        add_sum(w.sums[s]);
      }
    }
  }

  constexpr operation_id add_sum(lowered_sum& sum) {
    const unrolled_node& node = body.nodes[sum.value.node];
    const operation_id o = add(operation_class::alu, {no_unrolled, node.copy, node.origin});
    read(o, {sum.value.node, 0}, dependence_kind::value);
    add_literal(o, smaller_addend(sum.value.addend, node.info.width), node.info.width);
    sum.result = o;
    return o;
  }

  constexpr operation_id add_operations(unrolled_id n) {
    if (is_root_of_tree(n)) {
      return add_tree(n);
    }
    const operation_sequence s = sequence_of(body, n, options);
    operation_id last = no_lowered;
    for (std::size_t step = 0; step != s.count; ++step) {
      const operation_id o = add(s.steps[step], n);
      if (last != no_lowered) {
        wait(last, o, dependence_kind::value);
      }
      if (s.reads(step)) {
        read_operands(o, n);
      }
      last = o;
    }
    return last;
  }

  constexpr void read_operands(operation_id o, unrolled_id n) {
    const unrolled_node& node = body.nodes[n];
    const auto operands = body.operands_of(n);
    for (std::size_t i = 0; i != operands.size(); ++i) {
      const bool is_predicate = i == 0 && node.info.code == operation::select && node.info.width != 1;
      const unrolled_operand read_here =
          w.nodes[n].is_counted_test ? unrolled_operand{operands[i].node, 0} : operands[i];
      read(o, read_here, is_predicate ? dependence_kind::guard : dependence_kind::value);
    }
    if (node.kind == body_kind::load || node.kind == body_kind::store) {
      read_address(o, body.accesses[node.access]);
    }
    const operation_class c = out.graph.operation(o).kind;
    if (choice.classes.is_predicated(c) && !choice.classes.is_speculated(c)) {
      read(o, node.guard, dependence_kind::guard);
    }
  }

  constexpr void read_address(operation_id o, const unrolled_access& a) {
    read(o, a.base, dependence_kind::value);
    read(o, a.index, dependence_kind::value);
    if (a.stored.node != no_unrolled) {
      read(o, a.stored, dependence_kind::value);
    }
    add_literal(o, static_cast<std::uint64_t>(a.offset), 64);
  }

  /// The operand of the select under its predicate; if that does not hold, the register keeps what was there.
  constexpr operation_id add_predicated(unrolled_id select) {
    const auto operands = body.operands_of(select);
    const std::uint8_t k = w.nodes[select].fused;
    const unrolled_operand chosen = operands[k];
    operation_id o = no_lowered;
    if (chosen.addend != 0) {
      o = add_sum(sum_of(w, chosen));
    } else {
      o = add_operations(chosen.node);
      w.nodes[chosen.node].result = o;
    }
    read(o, operands[0], dependence_kind::guard);
    read(o, operands[3 - k], dependence_kind::value);
    return o;
  }

  // Trees.

  constexpr bool is_root_of_tree(unrolled_id n) const {
    for (const unrolled_operand o : body.operands_of(n)) {
      if (o.addend == 0 && w.nodes[o.node].as == lowered_as::in_group) {
        return true;
      }
    }
    return false;
  }

  /// As many operations as before, each standing for one of the nodes, the last for the root.
  constexpr operation_id add_tree(unrolled_id root) {
    collect_tree(root);
    return combine_leaves(body.nodes[root].cost, [this] {
      const unrolled_id n = w.tree.back();
      w.tree.pop_back();
      return machine_operation_origin{n, body.nodes[n].copy, body.nodes[n].origin};
    });
  }

  constexpr void collect_tree(unrolled_id root) {
    w.tree.clear();
    w.leaves.clear();
    w.tree.push_back(root);
    for (std::size_t next = 0; next != w.tree.size(); ++next) {
      for (const unrolled_operand o : body.operands_of(w.tree[next])) {
        if (o.addend == 0 && w.nodes[o.node].as == lowered_as::in_group) {
          w.tree.push_back(o.node);
        } else {
          add_leaf(o, body.nodes[root].cost, recurrences.connect(root, o.node));
        }
      }
    }
  }

  constexpr void add_leaf(unrolled_operand o, operation_class consumer, bool comes_last) {
    regrouped_leaf leaf;
    leaf.position = static_cast<std::uint32_t>(w.leaves.size());
    leaf.value = o;
    leaf.comes_last = comes_last;
    for_each_source(
        o,
        [&](operation_id p) {
          const operation_class producer = out.graph.operation(p).kind;
          const std::uint64_t ready = w.start[p] + machine.latency(producer, consumer, dependence_kind::value);
          leaf.ready = ready > leaf.ready ? ready : leaf.ready;
        },
        [](std::uint32_t) {}, [](unrolled_id) {});
    w.leaves.push_back(leaf);
  }

  template <class Origin> constexpr operation_id combine_leaves(operation_class c, const Origin& next_origin) {
    const auto read_term = [&](operation_id o, const regrouped_leaf& term) {
      if (term.operation != no_lowered) {
        wait(term.operation, o, dependence_kind::value);
      } else {
        read(o, term.value, dependence_kind::value);
      }
    };
    const auto combine = [&](const regrouped_leaf& a, const regrouped_leaf& b) {
      regrouped_leaf both;
      both.operation = add(c, next_origin());
      read_term(both.operation, a);
      read_term(both.operation, b);
      both.ready = w.start[both.operation] + machine.latency(c);
      return both;
    };
    return regroup(w.leaves, w.partial_results, combine).operation;
  }

  // Exits.

  /// The branch back shares with one of them. A branch that stays inside the body costs one where there are no
  /// predicates.
  constexpr void lower_exits() {
    std::uint64_t branches = 0;
    const auto add_branch = [&] {
      ++branches;
      return add(operation_class::branch, {no_unrolled, 0, no_body_value});
    };
    if (merged.are_merged) {
      merged_test = merged.in_one_comparison ? add_range_test() : add_union_of_predicates();
      wait(merged_test, add_branch(), dependence_kind::guard);
    }
    for (const unrolled_exit& e : body.exits) {
      if (!(merged.are_merged && !e.is_counted)) {
        const operation_id branch = add_branch();
        read(branch, is_tested(e, options) ? e.predicate : no_unrolled, dependence_kind::guard);
      }
    }
    while (branches < (body.is_straight_line ? 0 : 1)) {
      add_branch();
    }
    for (std::uint32_t inner = 0; !choice.classes.has_predication() && inner != body.inner_branches; ++inner) {
      add_branch();
    }
    cost.branches = branches;
  }

  constexpr operation_id add_range_test() {
    const operation_id difference = add(operation_class::alu, {no_unrolled, 0, no_body_value});
    read(difference, merged.value, dependence_kind::value);
    read(difference, merged.first, dependence_kind::value);
    const operation_id test = add(operation_class::compare, {no_unrolled, 0, no_body_value});
    wait(difference, test, dependence_kind::value);
    add_literal(test, merged.count, 32);
    return test;
  }

  constexpr operation_id add_union_of_predicates() {
    w.leaves.clear();
    for (const unrolled_exit& e : body.exits) {
      if (!e.is_counted) {
        add_leaf({e.predicate, 0}, operation_class::predicate_logic, false);
      }
    }
    return combine_leaves(operation_class::predicate_logic,
                          [] { return machine_operation_origin{no_unrolled, 0, no_body_value}; });
  }

  // The pass before.

  /// A header phi takes a move unless its next value is computed for it alone, or it stays what it is.
  constexpr void add_moves() {
    w.moves.assign(body.phis.size(), no_lowered);
    for (std::uint32_t p = 0; p != body.phis.size(); ++p) {
      const unrolled_id phi = body.phis[p];
      if (phi == no_unrolled || w.nodes[phi].as != lowered_as::header_phi) {
        continue;
      }
      const unrolled_operand next = look_through(body, body.next[p]);
      if (!claim(next)) {
        const bool is_predicate = body.nodes[phi].info.width == 1;
        w.moves[p] = add(is_predicate ? operation_class::predicate_logic : operation_class::move, phi);
        read(w.moves[p], next, dependence_kind::value);
      }
    }
  }

  constexpr bool claim(unrolled_operand next) {
    next = without_negation(body, next);
    if (next.addend != 0) {
      lowered_sum& sum = sum_of(w, next);
      const bool is_free = sum.result != no_lowered && !sum.is_next;
      sum.is_next = true;
      return is_free;
    }
    lowered_node& node = w.nodes[next.node];
    const bool is_free = node.as == lowered_as::alias || (node.result != no_lowered && !node.is_next);
    node.is_next = true;
    return is_free;
  }

  /// Header phis that take no operation may give each other: as far back as there are phis, no further.
  constexpr void resolve_phi_uses() {
    for (std::size_t i = 0; i != w.phi_uses.size(); ++i) {
      const lowered_phi_use use = w.phi_uses[i];
      if (w.moves[use.phi] != no_lowered) {
        wait(w.moves[use.phi], use.consumer, use.kind, use.distance + 1);
      } else if (use.distance <= body.phis.size()) {
        read(use.consumer, body.next[use.phi], use.kind, use.distance + 1);
      }
    }
  }

  std::size_t num_literals_ = 0;
  std::array<std::uint64_t, 4> literals_{};
};

} // namespace detail

MIDEND_END_NAMESPACE
