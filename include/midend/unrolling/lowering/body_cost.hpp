/// `body_cost`: what an unrolled body takes on a machine.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/machine/recurrence_bound.hpp"
#include "midend/machine/resource_bound.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/fraction.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Why a body takes as long as it does.
enum class body_limit : std::uint8_t {
  nothing,      ///< there are no operations
  resources,    ///< `body_cost::resources` says which
  recurrence,   ///< the cycle in `machine_body::recurrence`
  critical_path ///< not pipelined: the longest chain
};

/// Why a body cannot be pipelined.
enum class pipelining_obstacle : std::uint8_t {
  none,
  straight_line,       ///< there is no iteration to overlap with
  no_pipelining,       ///< the machine has no stages
  call,                ///< nothing is moved across
  too_many_operations, ///< machine_field::longest_pipelined_body
  too_many_stages,     ///< machine_field::pipeline_stages
  too_few_passes       ///< machine_field::shortest_pipelined_trip; set by who knows how often it runs
};

/// Lower bounds and estimates of one body. Times are cycles, sizes bytes.
struct body_cost {
  std::uint64_t operations = 0;           ///< issued in one pass, without branches
  std::uint64_t branches = 0;             ///< issued in one pass
  std::uint64_t invariant_operations = 0; ///< computed once before the loop, or for a straight line, in `operations`
  operation_mix mix;
  resource_bound_result resources;
  recurrence_status recurrence = recurrence_status::none;
  fraction recurrence_exact;       ///< RecMII before rounding
  std::uint64_t critical_path = 0; ///< of one pass alone
  pipelining_obstacle obstacle = pipelining_obstacle::none;
  std::uint64_t interval = 0; ///< II: max(ResMII, RecMII); at least 1
  std::uint64_t alone = 0;    ///< of a pass that is not overlapped: max(critical path, ResMII); at least 1
  std::uint64_t length = 0;   ///< of a pass that starts every `interval` cycles, until its last result is there
  std::uint64_t stages = 1;   ///< passes in flight: ⌈length / interval⌉
  std::uint64_t bytes = 0;    ///< of code, of one pass
  std::uint64_t general_registers = 0;
  std::uint64_t predicate_registers = 0;

  constexpr bool is_pipelined() const { return obstacle == pipelining_obstacle::none; }

  /// If it runs often enough.
  constexpr bool may_be_pipelined() const { return is_pipelined() || obstacle == pipelining_obstacle::too_few_passes; }

  /// Of one pass in a long run.
  constexpr std::uint64_t cycles() const { return is_pipelined() ? interval : alone; }

  /// Of two that attain it the recurrence, if it is no less before rounding: other resources would not help. One of a
  /// single cycle does not count: every counter is one.
  constexpr body_limit limit() const {
    const bool recurs = recurrence_exact > fraction(1) && recurrence_exact.ceiling() == cycles();
    if (is_pipelined() && recurs && recurrence_exact >= resources.limit_exact) {
      return body_limit::recurrence;
    }
    if (cycles() == resources.cycles) {
      return resources.cycles == 0 ? body_limit::nothing : body_limit::resources;
    }
    return is_pipelined() ? body_limit::recurrence : body_limit::critical_path;
  }
};

/// What an operation of the machine stands for.
struct machine_operation_origin {
  unrolled_id node; ///< `no_unrolled` of a move, an addition of a literal or a branch that belongs to no node
  std::uint32_t copy;
  body_id value; ///< of the loop body, or `no_body_value`
};

/// An unrolled body as operations of a machine, which is what is bounded and could be scheduled.
struct machine_body {
  dependence_graph graph;                       ///< operations, branches among them
  flat_array<machine_operation_origin> origins; ///< by operation
  flat_array<std::uint8_t> literals;            ///< by operation, words of 32 bits that come with it
  recurrence_bound_result recurrence;           ///< with its cycle
  flat_array<unrolling_saving> savings;         ///< `dead_operation` and `vanished_phi`
};

/// How operations are chosen for a machine.
struct lowering_options {
  /// Group sums and the like anew where the program allows it.
  bool reassociates = true;

  /// The loop is counted by the hardware: a comparison that serves the counted exit alone takes no operation, nor does
  /// a counter that nobody else needs.
  bool counts_in_hardware = false;

  /// A division by a constant becomes a multiplication and a shift.
  bool divides_by_multiplying = false;

  /// Constants up to this one are part of their operation and take no literal.
  std::uint64_t largest_small_constant = 15;
};

MIDEND_END_NAMESPACE
