/// Operations of a machine one after the other, and what they read.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/machine/machine.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"
#include "midend/unrolling/lowering/body_cost.hpp"
#include "midend/unrolling/lowering/detail/lower_needs.hpp"
#include "midend/unrolling/lowering/detail/lower_operations.hpp"
#include "midend/unrolling/lowering/detail/lower_workspace.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Adds operations to a body. What an operation waits for within the pass has to be there before it; what it waits for
/// of the pass before is noted in `phi_uses`. Along the way `start` tells how early an operation can be issued.
template <loop_machine M> struct operation_emitter {
  const unrolled_body& body;
  const M& machine;
  const lowering_options& options;
  lowering_memory& w;
  machine_body& out;
  body_cost& cost;
  std::size_t num_literals = 0; ///< of the operation that was added last
  std::array<std::uint64_t, 4> literals{};

  constexpr operation_id add(operation_class c, machine_operation_origin origin) {
    const operation_id o = out.graph.add_operation(machine, c);
    out.origins.push_back(origin);
    out.literals.push_back(0);
    w.start.push_back(0);
    num_literals = 0;
    return o;
  }

  constexpr operation_id add(operation_class c, unrolled_id n) {
    return add(c, {n, body.nodes[n].copy, body.nodes[n].origin});
  }

  constexpr void wait(operation_id producer, operation_id consumer, dependence_kind kind, std::uint32_t distance = 0) {
    wait(producer, consumer, latency_between(producer, consumer, kind), kind, distance);
  }

  constexpr void wait(operation_id producer, operation_id consumer, std::uint32_t latency, dependence_kind kind,
                      std::uint32_t distance) {
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
    read({consumer, no_lowered, distance, kind, false}, o);
  }

  constexpr void read(operation_id consumer, unrolled_id n, dependence_kind kind, std::uint32_t distance = 0) {
    if (n != no_unrolled) {
      read(consumer, unrolled_operand{n, 0}, kind, distance);
    }
  }

  /// `consumer`, under a predicate, writes the register that has the value.
  constexpr void keep(operation_id consumer, unrolled_operand o) {
    read({consumer, no_lowered, 0, dependence_kind::value, true}, o);
  }

  constexpr void read(const lowered_use& use, unrolled_operand o) {
    for_each_source(
        o, [&](operation_id producer) { wait(producer, use, use.distance); },
        [&](std::uint32_t phi) { read_phi(phi, use); }, [&](unrolled_id n) { read_outside(use.consumer, n); });
  }

  /// At once if what computes it is there already, as it is of counters.
  constexpr void read_phi(std::uint32_t phi, lowered_use use) {
    const lowered_next& next = w.next[phi];
    const operation_id producer = next.takes_move          ? next.move
                                  : next.value.addend != 0 ? sum_of(w, next.value).result
                                                           : w.nodes[next.value.node].result;
    if (producer != no_lowered) {
      wait(producer, use, use.distance + 1);
    } else {
      use.phi = phi;
      w.phi_uses.push_back(use);
    }
  }

  /// What is kept is only to be written first.
  constexpr void wait(operation_id producer, const lowered_use& use, std::uint32_t distance) {
    const std::uint32_t latency = latency_between(producer, use.consumer, use.kind);
    const std::uint32_t own = out.graph.operation(use.consumer).latency;
    const std::uint32_t kept = latency + 1 > own ? latency + 1 - own : 0;
    wait(producer, use.consumer, use.is_kept ? kept : latency, use.kind, distance);
  }

  /// Visits what has the value: operations, header phis, what comes from outside. Values that take no operation are
  /// looked through.
  template <class OnOperation, class OnPhi, class OnOutside>
  constexpr void for_each_source(unrolled_operand o, const OnOperation& on_operation, const OnPhi& on_phi,
                                 const OnOutside& on_outside) {
    w.aliases.clear();
    ++w.readings;
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

  /// Each once. A select that a branch does in effect waits for no predicate.
  constexpr void look_into(unrolled_id n) {
    if (w.nodes[n].reading == w.readings) {
      return;
    }
    w.nodes[n].reading = w.readings;
    const auto operands = body.operands_of(n);
    const bool is_branch = body.nodes[n].is_join && body.nodes[n].info.code == operation::select;
    for (std::size_t i = is_branch ? 1 : 0; i != operands.size(); ++i) {
      w.aliases.push_back(operands[i]);
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
    for (std::size_t i = 0; i != num_literals; ++i) {
      if (literals[i] == bits) {
        return;
      }
    }
    if (words != 0 && num_literals != literals.size()) {
      literals[num_literals++] = bits;
      out.literals[o] = static_cast<std::uint8_t>(out.literals[o] + words);
    }
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
