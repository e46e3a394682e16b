/// `loop_time`: the time of a loop over all its iterations, from the cost of its body.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/machine/lowering/body_cost.hpp"
#include "midend/machine/machine.hpp"

#include <bit>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The cycles in the loop; and, not among them, those before its first iteration.
struct loop_time {
  std::uint64_t cycles = 0;
  std::uint64_t setup = 0;
  bool is_pipelined = false;

  constexpr std::uint64_t total() const { return cycles + setup; }
};

/// The times that a machine gives for loops.
struct loop_machine_times {
  std::uint64_t shortest_pipelined_trip = 0;
  std::uint64_t setup = 0;
  std::uint64_t branch_penalty = 0;
  std::uint64_t exit_penalty = 0;
  std::uint64_t subtraction = 0;
  std::uint64_t division = 0;
  std::uint64_t compare_to_branch = 0;

  template <loop_machine M>
  constexpr explicit loop_machine_times(const M& m)
      : shortest_pipelined_trip(m.value(machine_field::shortest_pipelined_trip)),
        setup(m.value(machine_field::loop_setup)), branch_penalty(m.value(machine_field::loop_branch_penalty)),
        exit_penalty(m.value(machine_field::loop_exit_penalty)), subtraction(m.latency(operation_class::alu)),
        division(m.latency(operation_class::integer_divide)),
        compare_to_branch(m.latency(operation_class::compare, operation_class::branch, dependence_kind::value)) {}

  constexpr bool is_pipelined(const body_cost& body, std::uint64_t passes) const {
    return body.may_be_pipelined() && passes >= shortest_pipelined_trip;
  }

  /// The cycles of one iteration in a run of `passes` iterations.
  constexpr std::uint64_t cycles_per_pass(const body_cost& body, std::uint64_t passes) const {
    return (is_pipelined(body, passes) ? body.interval : body.alone) + branch_penalty;
  }

  /// The time of a loop that runs `passes` iterations. It is not pipelined if that is slower.
  constexpr loop_time loop(const body_cost& body, std::uint64_t passes) const {
    if (passes == 0) {
      return {};
    }
    const loop_time alone{passes * (body.alone + branch_penalty) + exit_penalty, 0, false};
    if (!is_pipelined(body, passes)) {
      return alone;
    }
    const loop_time pipelined{(passes + body.stages - 1) * body.interval + passes * branch_penalty + exit_penalty,
                              setup, true};
    return pipelined.total() <= alone.total() ? pipelined : alone;
  }

  /// The cycles to compute the number of iterations from the trip count, and to branch on it. A power of two takes a
  /// mask or a shift, any other factor a division.
  constexpr std::uint64_t preparation(std::uint32_t factor) const {
    return subtraction + (std::has_single_bit(factor) ? subtraction : division) + compare_to_branch;
  }
};

MIDEND_END_NAMESPACE
