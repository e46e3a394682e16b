/// How one way to unroll a loop is evaluated.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/machine/machine.hpp"
#include "midend/support/fraction.hpp"
#include "midend/unrolling/copies/unroll_body.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"
#include "midend/unrolling/detail/iteration_count.hpp"
#include "midend/unrolling/detail/unrolling_times.hpp"
#include "midend/unrolling/lowering/body_cost.hpp"
#include "midend/unrolling/lowering/estimate_body.hpp"
#include "midend/unrolling/unrolling_advice.hpp"
#include "midend/unrolling/unrolling_options.hpp"
#include "midend/unrolling/unrolling_workspace.hpp"

#include <bit>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Fills in the numbers of a candidate. What was evaluated last is left in `workspace.unrolled_` and
/// `workspace.machine_`.
template <class M, class Folder> struct candidate_evaluation {
  const M& machine;
  const unrolling_options& options;
  const Folder& folder;
  unrolling_workspace& workspace;
  const unrolling_advice& out; ///< its body and counters; the first candidate is the loop as it is
  const iteration_count& count;
  const loop_machine_times times{machine};

  constexpr const body_cost& rolled() const { return out.candidates[0].body; }

  constexpr void evaluate_rolled(unrolling_candidate& c) {
    c.body = evaluate_copies({});
    c.is_evaluated = true;
    const loop_time time = times.loop(c.body, count.expected);
    mark_pipelining(c.body, count.expected);
    c.cycles_per_iteration = times.cycles_per_pass(c.body, count.expected);
    c.total_cycles = time.cycles;
    c.setup_cycles = time.setup;
    c.total_bytes = c.body.bytes;
  }

  constexpr void evaluate_factor(unrolling_candidate& c) {
    const bool exact_rest =
        count.is_exact && c.remainder_iterations != 0 && c.remainder != remainder_placement::mid_exit;
    if (exact_rest) {
      evaluate_rest(c);
    }
    unroll_request request;
    request.copies = c.factor;
    request.drops_counted_tests = c.kind != unrolling_kind::uncounted;
    request.first_iteration = c.remainder == remainder_placement::prologue ? c.remainder_iterations : 0;
    request.knows_position = c.remainder != remainder_placement::prologue || count.is_exact;
    if (c.remainder == remainder_placement::mid_exit && count.is_exact) {
      request.mid_exit_copy = static_cast<std::uint32_t>(c.remainder_iterations - 1);
    }
    c.body = evaluate_copies(request);
    c.is_evaluated = true;
    sum_up(c);
  }

  /// What is left follows in a straight line.
  constexpr void evaluate_rest(unrolling_candidate& c) {
    unroll_request request;
    request.copies = static_cast<std::uint32_t>(c.remainder_iterations);
    request.is_straight_line = true;
    request.begins_at_entry = c.remainder == remainder_placement::prologue;
    request.first_iteration = request.begins_at_entry ? 0 : count.exact - c.remainder_iterations;
    c.rest = evaluate_copies(request);
  }

  /// Totals for the iterations that are expected.
  constexpr void sum_up(unrolling_candidate& c) const {
    const unrolled_times unrolled = times_of(c);
    loop_time time;
    if (c.remainder_iterations != 0 && count.is_exact) {
      time = times.loop(c.body, unrolled.passes(count.expected));
      time.cycles += c.rest.alone * (c.remainder != remainder_placement::mid_exit);
    } else {
      time = unrolled(count.expected);
    }
    c.total_cycles = time.cycles;
    c.setup_cycles = time.setup;
    mark_pipelining(c.body, unrolled.passes(count.expected));
    c.cycles_per_iteration = fraction(times.cycles_per_pass(c.body, unrolled.passes(count.expected))) / c.factor;
    c.total_bytes = c.body.bytes + bytes_of_rest(c);
  }

  constexpr std::uint64_t bytes_of_rest(const unrolling_candidate& c) const {
    if (c.remainder_iterations == 0 || c.remainder == remainder_placement::mid_exit) {
      return 0;
    }
    return count.is_exact ? c.rest.bytes : rolled().bytes;
  }

  constexpr unrolled_times times_of(const unrolling_candidate& c) const {
    const bool leaves_anywhere = c.kind == unrolling_kind::uncounted || c.remainder == remainder_placement::mid_exit;
    return {times, rolled(), c.body, c.factor, preparation(c), leaves_anywhere};
  }

  /// Computing how many passes there are, from the trip count that the loop would have computed implicitly.
  constexpr std::uint64_t preparation(const unrolling_candidate& c) const {
    if (c.kind != unrolling_kind::runtime) {
      return 0;
    }
    const std::uint64_t to_branch =
        machine.latency(operation_class::compare, operation_class::branch, dependence_kind::value);
    const operation_class split =
        std::has_single_bit(c.factor) ? operation_class::alu : operation_class::integer_divide;
    return std::uint64_t{machine.latency(operation_class::alu)} + machine.latency(split) + to_branch;
  }

  constexpr void evaluate_full(unrolling_candidate& c) {
    unroll_request request;
    request.copies = c.factor;
    request.is_straight_line = true;
    request.begins_at_entry = true;
    request.drops_counted_tests = out.counters.is_exact();
    c.body = evaluate_copies(request);
    c.is_evaluated = true;
    c.total_cycles = c.body.alone;
    c.cycles_per_iteration = fraction(c.body.alone) / c.factor;
    c.total_bytes = c.body.bytes;
  }

  constexpr void evaluate_peeled(unrolling_candidate& c) {
    unroll_request before;
    before.copies = c.factor;
    before.is_straight_line = true;
    before.begins_at_entry = true;
    before.drops_counted_tests = count.is_exact;
    c.rest = evaluate_copies(before);
    unroll_request behind;
    behind.first_iteration = c.factor;
    c.body = evaluate_copies(behind);
    c.is_evaluated = true;
    const std::uint64_t passes = count.expected > c.factor ? count.expected - c.factor : 0;
    const loop_time time = times.loop(c.body, passes);
    c.total_cycles = time.cycles + c.rest.alone;
    c.setup_cycles = time.setup;
    mark_pipelining(c.body, passes);
    c.cycles_per_iteration = fraction(times.cycles_per_pass(c.body, passes));
    c.total_bytes = c.body.bytes + c.rest.bytes;
  }

private:
  /// The copies of a request, evaluated: in `workspace.unrolled_` and `workspace.machine_`.
  constexpr body_cost evaluate_copies(const unroll_request& request) {
    unroll_body(out.body, out.counters, request, folder, workspace.unroll_, workspace.unrolled_);
    return estimate_body(workspace.unrolled_, machine, options.lowering, workspace.estimate_, workspace.machine_);
  }

  constexpr void mark_pipelining(body_cost& body, std::uint64_t passes) const {
    if (body.is_pipelined() && !times.is_pipelined(body, passes)) {
      body.obstacle = pipelining_obstacle::too_few_passes;
    }
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
