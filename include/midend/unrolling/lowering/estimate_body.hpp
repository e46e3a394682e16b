/// `estimate_body`: an unrolled body as operations of a machine, and what they take at least.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/code_size.hpp"
#include "midend/machine/critical_path.hpp"
#include "midend/machine/machine.hpp"
#include "midend/machine/recurrence_bound.hpp"
#include "midend/machine/register_need.hpp"
#include "midend/machine/resource_bound.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"
#include "midend/unrolling/lowering/body_cost.hpp"
#include "midend/unrolling/lowering/detail/body_dependences.hpp"
#include "midend/unrolling/lowering/detail/lower_body.hpp"
#include "midend/unrolling/lowering/detail/lower_choice.hpp"
#include "midend/unrolling/lowering/detail/lower_emitter.hpp"
#include "midend/unrolling/lowering/detail/lower_needs.hpp"
#include "midend/unrolling/lowering/detail/lower_workspace.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// What `estimate_body` works with; keeps its memory from call to call.
class estimate_body_workspace {
public:
  detail::lowering_memory lowering;
  recurrence_bound_workspace recurrence;
  critical_path_workspace critical;
  critical_path_result path;
  flat_array<std::uint32_t> consumers;
  flat_array<dependence> dependences;
  register_need_workspace registers;
};

namespace detail {

constexpr void clear(lowering_memory& w, machine_body& out) {
  w.start.clear();
  w.phi_uses.clear();
  w.readings = 0;
  out.graph.clear();
  out.origins.clear();
  out.literals.clear();
  out.savings.clear();
}

/// The bounds of the operations that were found.
template <loop_machine M> struct body_bounds {
  const M& machine;
  const unrolled_body& body;
  estimate_body_workspace& workspace;
  machine_body& out;
  body_cost& cost;

  constexpr void find() {
    cost.operations = out.graph.num_operations() - num_branches();
    count_operations();
    cost.resources = resource_bound(machine, cost.mix);
    recurrence_bound(out.graph, workspace.recurrence, out.recurrence);
    cost.recurrence = out.recurrence.status;
    cost.recurrence_exact = out.recurrence.exact;
    cost.critical_path = longest_chain();
    cost.interval = at_least_one(greater(cost.resources.cycles, out.recurrence.cycles()));
    cost.alone = at_least_one(greater(cost.resources.cycles, cost.critical_path));
    cost.obstacle = obstacle();
    find_registers();
    cost.bytes = least_code_bytes(machine, cost.mix, cost.cycles());
  }

private:
  static constexpr std::uint64_t greater(std::uint64_t a, std::uint64_t b) { return a < b ? b : a; }

  static constexpr std::uint64_t at_least_one(std::uint64_t cycles) { return greater(cycles, 1); }

  /// Known from when the operations were added, unless memory has a say.
  constexpr std::uint64_t longest_chain() {
    if (workspace.lowering.has_order) {
      critical_path(out.graph, workspace.critical, workspace.path);
      return workspace.path.cycles;
    }
    std::uint64_t longest = 0;
    for (operation_id o = 0; o != out.graph.num_operations(); ++o) {
      longest = greater(longest, workspace.lowering.start[o] + out.graph.operation(o).latency);
    }
    return longest;
  }

  constexpr std::uint64_t num_branches() const {
    std::uint64_t branches = 0;
    for (const body_operation& o : out.graph.operations()) {
      branches += o.kind == operation_class::branch;
    }
    return branches;
  }

  constexpr void count_operations() {
    cost.mix = mix_of(out.graph);
    for (const std::uint8_t words : out.literals) {
      cost.mix.literals += words;
    }
    if (machine.literal_resource() != machine.num_resources()) {
      cost.mix.extra_uses[machine.literal_resource()] = cost.mix.literals;
    }
  }

  constexpr pipelining_obstacle obstacle() const {
    const std::uint64_t longest = machine.value(machine_field::longest_pipelined_body);
    if (body.is_straight_line) {
      return pipelining_obstacle::straight_line;
    }
    if (machine.value(machine_field::pipeline_stages) == 0) {
      return pipelining_obstacle::no_pipelining;
    }
    if (body.has_call) {
      return pipelining_obstacle::call;
    }
    return longest != 0 && out.graph.num_operations() > longest ? pipelining_obstacle::too_many_operations
                                                                : pipelining_obstacle::none;
  }

  /// With as many passes in flight as a pass takes intervals; a body that is not pipelined is alone.
  constexpr void find_registers() {
    register_need_result need;
    if (cost.is_pipelined() && cost.recurrence != recurrence_status::impossible) {
      need = register_need(out.graph, cost.interval, workspace.registers);
      cost.length = need.length;
      cost.stages = at_least_one((need.length + cost.interval - 1) / cost.interval);
      if (cost.stages > machine.value(machine_field::pipeline_stages)) {
        cost.obstacle = pipelining_obstacle::too_many_stages;
      }
    }
    if (!cost.is_pipelined()) {
      need = register_need(out.graph, cost.alone, workspace.registers);
      cost.length = cost.alone;
      cost.stages = 1;
    }
    cost.general_registers += need.general;
    cost.predicate_registers += need.predicates;
  }
};

/// What nobody needs, in the order of copies, after the header phis that are given themselves.
struct body_savings {
  const unrolled_body& body;
  const lowering_memory& w;
  flat_array<unrolling_saving>& savings;

  constexpr void find() {
    add_vanished_phis();
    std::size_t sum = 0;
    for (unrolled_id n = 0; n != body.nodes.size(); ++n) {
      const unrolled_node& node = body.nodes[n];
      const bool computes = node.kind == body_kind::load || (node.kind == body_kind::pure && !node.is_free);
      if (computes && !w.nodes[n].is_needed && node.origin != no_body_value) {
        sum = add_sums_before(node.copy, sum);
        savings.push_back({saving_kind::dead_operation, node.copy, node.origin, 0});
      }
    }
    add_sums_before(body.copies, sum);
  }

private:
  constexpr void add_vanished_phis() {
    for (const unrolled_id phi : body.phis) {
      const bool vanishes = phi != no_unrolled && w.nodes[phi].as == lowered_as::outside && !body.is_straight_line;
      if (vanishes && body.copies > 1) {
        savings.push_back({saving_kind::vanished_phi, 0, body.nodes[phi].origin, 0});
      }
    }
  }

  constexpr std::size_t add_sums_before(std::uint32_t copy, std::size_t sum) {
    for (; sum != body.sums.size() && body.sums[sum].copy < copy; ++sum) {
      const unrolled_sum& s = body.sums[sum];
      if (s.sum.addend != 0 && find_sum(w, s.sum) == no_lowered) {
        savings.push_back({saving_kind::dead_operation, s.copy, s.value, 0});
      }
    }
    return sum;
  }
};

} // namespace detail

/// Brings an unrolled body on a machine and bounds what it takes, refilling `out` with the operations and what they
/// wait for.
///
/// **Which values are needed.** Those from which follows what has an effect, which way control goes at the exits, or
/// what is used behind the body, by whichever exit; of header phis that are needed, what the pass before gave them. A
/// sum of a value and a number is one operation, wherever and how often it is wanted, and none in addresses, behind the
/// body, and in the test of the counted exit, whose bound takes it up. A predicate is negated by who reads it.
///
/// **Which operations.** That of the class that the IR named, but: a shift and addition, or a multiplication and
/// addition, that the machine does not have in one are two; division by a power of two takes shifts and
/// additions, by another number on demand a multiplication and a shift; a comparison of masked bits with 0 is one
/// operation; a select and the operand that it alone reads are one predicated operation where the machine can predicate
/// it, which comes so late that it writes behind what it keeps otherwise. A header phi takes a move where its next
/// value is another phi, comes from outside or is the next value of another phi already; one that is given itself is a
/// value from before the loop. What does not change while the loop runs is computed before it. With
/// `options.reassociates` trees of one operation that the program allows to regroup are grouped so that what goes round
/// the loop passes one of them; their number stays.
///
/// **What waits.** Values, within the pass and from pass to pass; guarded operations for their predicate, unless they
/// may run in advance; memory as `body_dependences` says; effects for the exits before them that the data decide. No
/// operation waits for the branch back.
///
/// **The bounds** are those of `resource_bound`, `recurrence_bound` and `critical_path`; `register_need` estimates.
/// Literals of more than `options.largest_small_constant` count for the size of the code and as a use of
/// `machine.literal_resource()`.
///
/// Requires operands that come before their users. Linear in the body but for terms of trees, which are sorted, for
/// the different numbers that are added to one value, for exits and effects behind them, and for what the bounds say of
/// themselves. An access of memory is held against the 128 before it.
template <loop_machine M>
constexpr body_cost estimate_body(const unrolled_body& body, const M& machine, const lowering_options& options,
                               estimate_body_workspace& workspace, machine_body& out) {
  body_cost cost;
  detail::lowering_memory& w = workspace.lowering;
  const detail::machine_classes classes(machine);
  detail::needed_values{body, options, w}.find();
  detail::lowering_choice{body, options, classes, w}.choose();
  detail::clear(w, out);
  detail::operation_emitter<M> emitter{body, machine, options, w, out, cost};
  detail::body_lowering<M> lowering{emitter, classes};
  lowering.lower();
  detail::body_dependences<M>{body, w, lowering, out}.add();
  lowering.resolve_phi_uses();
  out.graph.order_by_consumer(workspace.consumers, workspace.dependences);
  detail::body_savings{body, w, out.savings}.find();
  detail::body_bounds<M>{machine, body, workspace, out, cost}.find();
  return cost;
}

/// What an unrolled body takes on a machine.
template <loop_machine M>
constexpr body_cost estimate_body(const unrolled_body& body, const M& machine, const lowering_options& options = {}) {
  estimate_body_workspace workspace;
  machine_body out;
  return estimate_body(body, machine, options, workspace, out);
}

MIDEND_END_NAMESPACE
