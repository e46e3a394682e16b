/// `attained_times`: times of loop bodies and straight lines by schedules, in place of lower bounds.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/lowering/body_cost.hpp"
#include "midend/machine/machine.hpp"
#include "midend/schedule/modulo_schedule.hpp"
#include "midend/schedule/schedule.hpp"
#include "midend/schedule/schedule_block.hpp"
#include "midend/schedule/schedule_lifetimes.hpp"
#include "midend/support/order.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Schedules each body that is lowered: as `lowering_options::timer`, it makes `estimate`, `advise_unrolling` and the
/// loop package decide by cycles that are attained.
///
///     midend::attained_times attained(machine);
///     midend::unrolling_options options;
///     options.lowering.timer = &attained;
///
/// The interval, the stages and the registers of a loop are those of `modulo_schedule`, and the time of an iteration
/// alone, or of a straight line, is that of `schedule_block`. So a pipelined loop takes exactly the cycles of
/// `simulate`, plus the losses of the machine at the branch back and the exit. A loop without a schedule within the
/// stages of the machine is not pipelined (`pipelining_obstacle::too_many_stages` or `no_schedule`). A straight line
/// that cannot be scheduled keeps its bound.
///
/// Keeps workspaces: use one for each thread. The cost of a body is that of the two schedulers.
template <loop_machine_argument M> class attained_times final : public body_timer {
public:
  /// The machine must outlive this.
  constexpr explicit attained_times(const M& machine, const modulo_schedule_options& options = {})
      : machine_(machine), options_(options) {
    const std::uint32_t most = machine.value(machine_field::pipeline_stages);
    options_.most_stages = options_.most_stages == 0 ? most : detail::min(options_.most_stages, most);
  }

  constexpr void time(const machine_body& body, body_cost& cost) override {
    cost.is_attained = true;
    time_alone(body, cost);
    if (cost.is_pipelined()) {
      time_loop(body, cost);
    }
    if (!cost.is_pipelined()) {
      cost.length = cost.alone;
      cost.stages = 1;
      add_registers(body, line_.found, line_.attained(), cost);
    }
  }

private:
  constexpr void time_alone(const machine_body& body, body_cost& cost) {
    schedule_block(body, machine_, line_workspace_, line_);
    cost.alone = line_.attained() ? detail::max<std::uint64_t>(line_.found.length, 1) : cost.alone;
  }

  constexpr void time_loop(const machine_body& body, body_cost& cost) {
    modulo_schedule(body, machine_, options_, loop_workspace_, loop_);
    if (!loop_.attained()) {
      cost.obstacle = loop_.status == schedule_status::too_many_stages ? pipelining_obstacle::too_many_stages
                                                                       : pipelining_obstacle::no_schedule;
      return;
    }
    cost.interval = loop_.found.interval;
    cost.length = loop_.found.length;
    cost.stages = loop_.found.stages;
    cost.general_registers += loop_.lifetimes.general;
    cost.predicate_registers += loop_.lifetimes.predicates;
  }

  constexpr void add_registers(const machine_body& body, const schedule& s, bool is_attained, body_cost& cost) {
    if (is_attained) {
      compute_lifetimes(body, s, lifetimes_workspace_, lifetimes_);
      cost.general_registers += lifetimes_.general;
      cost.predicate_registers += lifetimes_.predicates;
    }
  }

  const M& machine_;
  modulo_schedule_options options_;
  modulo_schedule_workspace loop_workspace_;
  modulo_schedule_result loop_;
  schedule_block_workspace line_workspace_;
  block_schedule_result line_;
  schedule_lifetimes_workspace lifetimes_workspace_;
  schedule_lifetimes lifetimes_;
};

MIDEND_END_NAMESPACE
