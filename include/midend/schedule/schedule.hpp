/// `schedule`: the cycle and the channel in which each operation of a body is issued.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/dependence_graph.hpp"
#include "midend/machine/lowering/body_cost.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The channel of an operation whose class needs none.
inline constexpr std::uint32_t no_channel = static_cast<std::uint32_t>(-1);

/// The longest interval that searches try: their tables have a row for each of its cycles.
inline constexpr std::uint32_t longest_interval = std::uint32_t{1} << 16;

/// The body to schedule: operations with their dependences, and by operation the number of words of literals; an empty
/// span if there are no literals. A view: the graph and the literals must outlive it.
struct schedulable_body {
  const dependence_graph& graph;
  span<const std::uint8_t> literals;

  constexpr schedulable_body(const dependence_graph& g, span<const std::uint8_t> literal_words = {})
      : graph(g), literals(literal_words) {}

  constexpr schedulable_body(const machine_body& body) : graph(body.graph), literals(body.literals) {}

  constexpr std::size_t size() const { return graph.num_operations(); }

  constexpr operation_class kind(operation_id o) const { return graph.operation(o).kind; }

  constexpr std::uint32_t literal_words(operation_id o) const { return o < literals.size() ? literals[o] : 0; }
};

/// The place of an operation.
struct operation_slot {
  std::uint32_t cycle = 0;            ///< in which it is issued, from the start of its iteration on
  std::uint32_t channel = no_channel; ///< on which it is issued

  friend constexpr bool operator==(const operation_slot&, const operation_slot&) = default;
};

/// A schedule of a loop body, whose iterations start every `interval` cycles, or of a straight line.
struct schedule {
  std::uint32_t interval = 0;       ///< II; 0: a straight line
  std::uint32_t stages = 1;         ///< the number of iterations from which the kernel issues operations
  std::uint32_t length = 0;         ///< cycles from the start of an iteration until its last result can be used
  flat_array<operation_slot> slots; ///< by operation

  /// The cycle of the kernel in which the operation is issued.
  constexpr std::uint32_t row(operation_id o) const {
    return interval == 0 ? slots[o].cycle : slots[o].cycle % interval;
  }

  /// The stage: the number of whole intervals from the start of its iteration to the operation's issue.
  constexpr std::uint32_t stage(operation_id o) const { return interval == 0 ? 0 : slots[o].cycle / interval; }

  /// The cycles in which all operations of `passes` iterations are issued, without set-up.
  constexpr std::uint64_t cycles(std::uint64_t passes) const {
    return interval == 0 ? passes * length : passes == 0 ? 0 : (passes + stages - 1) * interval;
  }

  friend constexpr bool operator==(const schedule&, const schedule&) = default;
};

/// The outcome of a scheduler.
enum class schedule_status : std::uint8_t {
  attained,           ///< there is a schedule
  impossible,         ///< the machine does not have an operation, or operations wait for each other within an iteration
  infeasible,         ///< proven: no schedule with this interval exists
  budget_exhausted,   ///< the search stopped before it knew
  interval_too_long,  ///< no interval up to the limit was attained
  too_many_registers, ///< schedules exist, but each needs more registers than there are
  too_many_stages     ///< schedules exist, but each has more stages than the machine allows
};

namespace detail {

/// Computes `stages` and `length` from the slots.
constexpr void finish_schedule(const schedulable_body& body, schedule& s) {
  s.stages = 1;
  s.length = 0;
  for (operation_id o = 0; o != body.size(); ++o) {
    const std::uint32_t end = s.slots[o].cycle + body.graph.operation(o).latency;
    const std::uint32_t issued = s.slots[o].cycle + 1;
    const std::uint32_t last = end > issued ? end : issued;
    s.length = last > s.length ? last : s.length;
    s.stages = s.stage(o) + 1 > s.stages ? s.stage(o) + 1 : s.stages;
  }
}

} // namespace detail

MIDEND_END_NAMESPACE
