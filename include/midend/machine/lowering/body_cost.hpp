/// `body_cost`: the cost of a region on a machine; `machine_body`: its operations there.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/ids.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/machine/lowering/program_region.hpp"
#include "midend/machine/recurrence_bound.hpp"
#include "midend/machine/resource_bound.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/fraction.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The limit of the time of a body.
enum class body_limit : std::uint8_t {
  nothing,       ///< there are no operations
  resources,     ///< see `body_cost::resources`
  recurrence,    ///< see the cycle in `machine_body::recurrence`
  critical_path, ///< the longest chain, of a body that is not pipelined
  straight_line, ///< latencies and resources together, of a body that is not pipelined
  schedule       ///< no bound: the shortest interval for which a schedule was found
};

/// Why a body cannot be pipelined.
enum class pipelining_obstacle : std::uint8_t {
  none,
  straight_line,       ///< there is no next iteration to overlap with
  no_pipelining,       ///< the machine does not pipeline loops
  call,                ///< nothing moves across a call
  too_many_operations, ///< machine_field::longest_pipelined_body
  too_many_stages,     ///< machine_field::pipeline_stages
  no_schedule,         ///< `body_timer` found none
  too_few_passes       ///< machine_field::shortest_pipelined_trip; set by `advise_unrolling`, which knows the trip
};

/// Lower bounds and estimates for one body. Times are in cycles, sizes in bytes. With a `body_timer`, times are those
/// of schedules.
struct body_cost {
  std::uint64_t operations = 0;           ///< issued in one iteration, without branches
  std::uint64_t branches = 0;             ///< issued in one iteration
  std::uint64_t invariant_operations = 0; ///< issued once before the loop, or before the loop around a straight line
  operation_mix mix;
  resource_bound_result resources;
  recurrence_status recurrence = recurrence_status::none;
  fraction recurrence_exact;       ///< RecMII before rounding
  std::uint64_t critical_path = 0; ///< of one iteration alone
  pipelining_obstacle obstacle = pipelining_obstacle::none;
  bool is_attained = false;   ///< the times are those of schedules
  std::uint64_t interval = 0; ///< II: max(ResMII, RecMII), or that of a schedule; at least 1
  std::uint64_t alone = 0;  ///< time of an iteration without overlap: `straight_line_bound`, or a schedule; at least 1
  std::uint64_t length = 0; ///< of an iteration, to its last result, if one starts every `interval` cycles
  std::uint64_t stages = 1; ///< iterations in flight: ⌈length / interval⌉
  std::uint64_t bytes = 0;  ///< code of one iteration
  std::uint64_t general_registers = 0;
  std::uint64_t predicate_registers = 0;

  constexpr bool is_pipelined() const { return obstacle == pipelining_obstacle::none; }

  /// Whether it is pipelined if it runs often enough.
  constexpr bool may_be_pipelined() const { return is_pipelined() || obstacle == pipelining_obstacle::too_few_passes; }

  /// The cycles of one iteration in a long run.
  constexpr std::uint64_t cycles() const { return is_pipelined() ? interval : alone; }

  /// The limit that attains the bound. If a recurrence and a resource both attain it: the one that is larger before
  /// rounding, or the recurrence if they are equal, because then more resources would not help. A recurrence of one
  /// cycle does not count, because every counter is one.
  constexpr body_limit limit() const {
    const bool recurs = recurrence_exact > fraction(1) && recurrence_exact.ceiling() == cycles();
    if (is_pipelined() && recurs && recurrence_exact >= resources.limit_exact) {
      return body_limit::recurrence;
    }
    if (cycles() == resources.cycles) {
      return resources.cycles == 0 ? body_limit::nothing : body_limit::resources;
    }
    if (is_pipelined()) {
      const bool is_bound = cycles() == 1 || recurrence_exact.ceiling() == cycles();
      return is_attained && !is_bound ? body_limit::schedule : body_limit::recurrence;
    }
    return cycles() > critical_path && cycles() > 1 ? body_limit::straight_line : body_limit::critical_path;
  }
};

/// The origin of a machine operation.
struct machine_operation_origin {
  region_id node; ///< `no_region_value` for the sum of a node and a constant, and for a branch
  std::uint32_t copy;
  value_id value; ///< of the program, or `no_value`
};

/// Two accesses that would keep their order if their bases could overlap: values of the program.
struct unordered_accesses {
  value_id first;
  value_id second;
};

/// No operation computes a value: it comes from outside, or its readers compute it.
inline constexpr operation_id no_machine_operation = static_cast<operation_id>(-1);

/// A region as operations of a machine. The bounds are computed from it, and it can be scheduled.
struct machine_body {
  dependence_graph graph;                       ///< operations, branches among them
  flat_array<machine_operation_origin> origins; ///< by operation
  flat_array<std::uint8_t> literals;            ///< by operation: number of 32-bit literal words
  flat_array<operation_id> results;             ///< by node of the region: the last operation that computes it, or
                                                ///< `no_machine_operation`
  operation_id first_exit = 0;                  ///< the branch of the first exit; those of the others follow it
  recurrence_bound_result recurrence;           ///< with the cycle that attains it
  flat_array<unordered_accesses> unordered;     ///< with `lowering_options::bases_are_apart`
  bool is_regrouped = false;                    ///< operations have other operands than in the program
};

/// Computes times of bodies in place of the bounds: `attained_times` schedules them.
class body_timer {
public:
  /// Sets the times, the obstacle and the stages of the cost of a body, and adds its registers. The bounds are there.
  constexpr virtual void time(const machine_body& body, body_cost& cost) = 0;

protected:
  constexpr body_timer() = default;
  constexpr body_timer(const body_timer&) = default;
  constexpr body_timer& operator=(const body_timer&) = default;
  constexpr ~body_timer() = default;
};

/// Options of instruction selection.
struct lowering_options {
  /// Regroup sums and other trees of one operation: always for integers; where the program allows it, if they round.
  bool reassociates = true;

  /// Accesses at different bases, whose addresses both change by known steps, do not overlap: a test before the loop
  /// has shown that.
  bool bases_are_apart = false;

  /// The hardware counts iterations: a comparison used only by the counted exit takes no operation, nor does a counter
  /// that has no other use.
  bool counts_in_hardware = false;

  /// Division by a constant becomes a multiplication and a shift.
  bool divides_by_multiplying = false;

  /// Constants up to this one are encoded in their operation and take no literal.
  std::uint64_t largest_small_constant = 15;

  /// Times the bodies; must outlive its users. Null: the times are lower bounds.
  body_timer* timer = nullptr;
};

MIDEND_END_NAMESPACE
