/// `lower_region`: lowers a piece of a program to machine operations, and bounds their time.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/code_size.hpp"
#include "midend/machine/critical_path.hpp"
#include "midend/machine/lowering/body_cost.hpp"
#include "midend/machine/lowering/detail/emit_operations.hpp"
#include "midend/machine/lowering/detail/instruction_selection.hpp"
#include "midend/machine/lowering/detail/lowering_choices.hpp"
#include "midend/machine/lowering/detail/memory_order.hpp"
#include "midend/machine/lowering/detail/needed_values.hpp"
#include "midend/machine/lowering/program_region.hpp"
#include "midend/machine/machine.hpp"
#include "midend/machine/recurrence_bound.hpp"
#include "midend/machine/register_need.hpp"
#include "midend/machine/resource_bound.hpp"
#include "midend/machine/straight_line_bound.hpp"
#include "midend/support/order.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

class lower_region_workspace;

template <loop_machine_argument M>
constexpr body_cost lower_region(const program_region& region, const M& machine, const lowering_options& options,
                                 lower_region_workspace& workspace, machine_body& out);

/// The memory of `lower_region`, to be reused from call to call.
class lower_region_workspace {
  template <loop_machine_argument M>
  friend constexpr body_cost lower_region(const program_region& region, const M& machine,
                                          const lowering_options& options, lower_region_workspace& workspace,
                                          machine_body& out);

public:
  /// The needed values of the last region, and how each is lowered.
  constexpr const detail::needed_values& needed() const { return needs_; }

  constexpr const detail::lowering_choices& choices() const { return choices_; }

private:
  // The results of the steps, in their order.
  detail::needed_values needs_;
  detail::lowering_choices choices_;
  detail::memory_order order_;
  detail::emission_state emission_;

  // The memory of later steps.
  flat_array<std::uint32_t> consumers_;
  flat_array<operation_dependence> dependences_;
  recurrence_bound_workspace recurrence_;
  critical_path_workspace critical_;
  critical_path_result path_;
  straight_line_bound_workspace straight_line_;
  register_need_workspace registers_;
};

namespace detail {

/// The operations of each class, and the literals, which use a resource of the machine.
template <loop_machine M> constexpr operation_mix mix_with_literals(const M& machine, const machine_body& lowered) {
  operation_mix mix = mix_of(lowered.graph);
  for (const std::uint8_t words : lowered.literals) {
    mix.literals += words;
  }
  if (machine.literal_resource() != machine.num_resources()) {
    mix.extra_uses[machine.literal_resource()] = mix.literals;
  }
  return mix;
}

/// The longest chain of a body in which operations wait only for values and predicates of their iteration.
constexpr std::uint64_t longest_chain(const dependence_graph& g, const flat_array<std::uint64_t>& start) {
  std::uint64_t longest = 0;
  for (operation_id o = 0; o != g.num_operations(); ++o) {
    longest = max(longest, start[o] + max(g.operation(o).latency, std::uint32_t{1}));
  }
  return longest;
}

/// The obstacle to pipelining of the body, apart from the number of its stages.
template <loop_machine M>
constexpr pipelining_obstacle obstacle_to_pipelining(const M& machine, const program_region& region,
                                                     std::size_t num_operations) {
  const std::uint64_t longest = machine.value(machine_field::longest_pipelined_body);
  if (region.is_straight_line) {
    return pipelining_obstacle::straight_line;
  }
  if (machine.value(machine_field::pipeline_stages) == 0) {
    return pipelining_obstacle::no_pipelining;
  }
  if (region.has_call) {
    return pipelining_obstacle::call;
  }
  return longest != 0 && num_operations > longest ? pipelining_obstacle::too_many_operations
                                                  : pipelining_obstacle::none;
}

/// Sets length, stages and registers. In a pipelined body, there are as many iterations in flight as an iteration has
/// intervals; in any other body there is one.
constexpr void estimate_stages(const dependence_graph& g, std::uint64_t most_stages, register_need_workspace& workspace,
                               body_cost& cost) {
  register_need_result need;
  if (cost.is_pipelined() && cost.recurrence != recurrence_status::impossible) {
    need = register_need(g, cost.interval, workspace);
    cost.length = need.length;
    cost.stages = max<std::uint64_t>((need.length + cost.interval - 1) / cost.interval, 1);
    if (cost.stages > most_stages) {
      cost.obstacle = pipelining_obstacle::too_many_stages;
    }
  }
  if (!cost.is_pipelined()) {
    need = register_need(g, cost.alone, workspace);
    cost.length = cost.alone;
    cost.stages = 1;
  }
  cost.general_registers += need.general;
  cost.predicate_registers += need.predicates;
}

} // namespace detail

/// Lowers a region to the operations of a machine and bounds their time. Refills `out` with the operations and their
/// dependences.
///
/// **Needed values.** Those that lead to an effect, to an exit test, or to a value used after the body, whatever the
/// exit; and the next value of each needed header phi. A sum of a value and a constant is one operation, however often
/// it is used. It takes none in an address, in a value used only after the body, and in the test of the counted exit,
/// whose bound includes the constant. The reader of a predicate negates it.
///
/// **Instruction selection.** An operation takes the class that the IR names, except:
/// - A shift and addition, or a multiplication and addition, that the machine does not have in one are two operations.
/// - Division by a power of two takes shifts and additions; with `options.divides_by_multiplying`, division by another
///   constant takes a multiplication and a shift.
/// - A comparison of masked bits with 0 is one operation.
/// - A select and an operand that only the select reads are one predicated operation, where the machine can predicate
///   it. It comes late enough to write after the value that it keeps if the predicate is false.
/// - A header phi takes a move if its next value is another phi, comes from outside, or is the next value of another
///   phi already. A phi that is its own next value (a self-copy) is a value from before the loop.
/// - Invariant values are computed before the loop.
/// - With `options.reassociates`, trees of one operation are regrouped, so that a value carried around the loop goes
///   through one of their operations: integers always, since regrouping drops `nsw` and `nuw`; rounding operations
///   where the program allows it. The number of operations stays. Sums of fused multiplications and additions are
///   regrouped, too: the products are summed in a chain of their own, and one addition more adds them to the value
///   carried around the loop.
///
/// **Dependences.** Operations wait for values of this and of the previous iteration; predicated operations for their
/// predicate, unless they are speculated; accesses to memory for each other if they may overlap or are volatile; calls
/// for all accesses; effects for the exits before them that depend on data. No operation waits for the branch back.
///
/// **The bounds** are those of `resource_bound`, `recurrence_bound`, `critical_path` and `straight_line_bound`;
/// `register_need` estimates the registers. Constants above `options.largest_small_constant` are literals: they add to
/// the size of the code and use `machine.literal_resource()`.
///
/// Requires that operands come before their users. Linear in the region, except for sorting the terms of trees, for the
/// different constants added to one value, for exits times effects, and for the bounds themselves. An access is
/// compared with the 128 before it.
template <loop_machine_argument M>
constexpr body_cost lower_region(const program_region& region, const M& machine, const lowering_options& options,
                                 lower_region_workspace& workspace, machine_body& out) {
  lower_region_workspace& w = workspace;
  const detail::machine_classes classes(machine);
  detail::find_needed_values(region, options, w.needs_);
  detail::choose_lowering(region, options, classes, w.needs_, w.choices_);
  detail::order_memory(region, w.needs_, w.choices_, options.bases_are_apart, w.order_);
  out.unordered = w.order_.unordered;
  out.is_regrouped = w.choices_.has_trees;
  detail::emit_operations(region, machine, options, classes, w.needs_, w.choices_, w.order_, w.emission_, out);
  out.graph.order_by_consumer(w.consumers_, w.dependences_);

  body_cost cost;
  cost.branches = w.emission_.num_branches;
  cost.invariant_operations = w.emission_.invariant_operations;
  cost.mix = detail::mix_with_literals(machine, out);
  cost.operations = out.graph.num_operations() - cost.mix[operation_class::branch];
  cost.resources = resource_bound(machine, cost.mix);
  recurrence_bound(out.graph, w.recurrence_, out.recurrence);
  cost.recurrence = out.recurrence.status;
  cost.recurrence_exact = out.recurrence.exact;
  if (w.order_.has_effects) {
    critical_path(out.graph, w.critical_, w.path_);
    cost.critical_path = w.path_.cycles;
  } else {
    cost.critical_path = detail::longest_chain(out.graph, w.emission_.start);
  }
  const std::uint64_t at_least = detail::max<std::uint64_t>(cost.resources.cycles, 1);
  cost.interval = detail::max(at_least, out.recurrence.cycles());
  cost.alone = detail::max(at_least, straight_line_bound(out.graph, out.literals, machine, w.straight_line_));
  cost.obstacle = detail::obstacle_to_pipelining(machine, region, out.graph.num_operations());
  cost.general_registers = w.emission_.general_outside;
  cost.predicate_registers = w.emission_.predicates_outside;
  if (options.timer != nullptr && cost.recurrence != recurrence_status::impossible && !cost.resources.is_impossible) {
    options.timer->time(out, cost);
  } else {
    detail::estimate_stages(out.graph, machine.value(machine_field::pipeline_stages), w.registers_, cost);
  }
  cost.bytes = least_code_bytes(machine, cost.mix, cost.cycles());
  return cost;
}

MIDEND_END_NAMESPACE
