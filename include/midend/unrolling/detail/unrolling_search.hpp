/// The search for the best way to unroll a loop: evaluates candidates one after the other, and keeps the best.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/induction/loop_counters.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/machine/lowering/body_cost.hpp"
#include "midend/machine/recurrence_bound.hpp"
#include "midend/support/fraction.hpp"
#include "midend/support/order.hpp"
#include "midend/support/span.hpp"
#include "midend/support/swap.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"
#include "midend/unrolling/detail/unrolling_candidates.hpp"
#include "midend/unrolling/detail/unrolling_rule.hpp"
#include "midend/unrolling/detail/unrolling_times.hpp"
#include "midend/unrolling/unrolling_advice.hpp"
#include "midend/unrolling/unrolling_options.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The memory of the search.
struct unrolling_search_memory {
  unrolled_body unrolled; ///< the copies that were estimated last
  lowered_copies lowered; ///< their operations
  unrolling_factors factors;
};

/// Unrolls the loop body and estimates the result, which is left in `memory`. The only step of the search that depends
/// on the type of the machine. It is called once or twice a candidate; the search is compiled once for all machines.
class copies_estimator {
public:
  virtual constexpr body_cost estimate(const unroll_request& request, unrolling_search_memory& memory) = 0;

protected:
  constexpr ~copies_estimator() = default;
};

/// Tries the rolled loop, then factors, then peeling, then complete unrolling, and fills in the advice. A candidate is
/// accepted against the last accepted one by `unrolling_rule`. Requires the body and the counters of the loop in `out`.
class unrolling_search {
public:
  constexpr unrolling_search(const loop_machine_times& times, const machine_limits& limits,
                             const unrolling_options& options, copies_estimator& estimator,
                             unrolling_search_memory& memory, unrolling_advice& out)
      : times_(times), limits_(limits), options_(options), estimator_(estimator), memory_(memory), out_(out),
        count_(iterations_of(out.body, out.counters, options)) {}

  constexpr void run() {
    out_.iterations = count_.expected;
    if (is_surely_too_large()) {
      out_.obstacle = unrolling_obstacle::too_large;
      return;
    }
    if (num_exits() * out_.body.live_out.size() > options_.max_exit_values) {
      out_.obstacle = unrolling_obstacle::too_many_exits;
      return;
    }
    try_rolled();
    if (out_.obstacle != unrolling_obstacle::none) {
      return;
    }
    try_factors();
    try_peeling();
    try_full();
    finish();
  }

  /// Makes complete unrolling the decision. Requires that `run` evaluated it as the last candidate, for the same
  /// advice.
  constexpr void choose_full() {
    const std::size_t full = out_.candidates.size() - 1;
    if (out_.chosen != full) {
      regroups_ = out_.assumes(assumption::reassociation);
      estimate(request_for_full(out_.candidates[full].factor));
      accept(full);
      finish();
    }
  }

private:
  constexpr body_cost estimate(const unroll_request& request) {
    const body_cost cost = estimator_.estimate(request, memory_);
    regroups_ = regroups_ || memory_.lowered.is_regrouped;
    return cost;
  }

  /// An iteration with 16 times as many operations as allowed is not estimated: clean-up would have to remove all but
  /// one in 16, and the estimate takes more than linear time where a loop has many latches.
  constexpr bool is_surely_too_large() const {
    constexpr std::uint64_t slack = 16;
    std::uint64_t operations = 0;
    for (const body_value& value : out_.body.values) {
      operations += value.kind >= body_kind::join ? 1u : 0u; // not phis and what comes from outside
    }
    return operations / slack > options_.max_operations;
  }

  constexpr std::size_t num_exits() const {
    std::size_t count = 0;
    for (const body_edge& e : out_.body.edges) {
      count += e.target == body_edge::leaves ? 1u : 0u;
    }
    return count;
  }

  // The rolled loop.

  constexpr void try_rolled() {
    unrolling_candidate c;
    c.body = estimate({});
    set_times(c, times_.loop(c.body, count_.expected), count_.expected, 1);
    c.total_bytes = c.body.bytes;
    if (c.body.resources.is_impossible) {
      out_.obstacle = unrolling_obstacle::impossible_machine;
    } else if (c.body.recurrence == recurrence_status::impossible) {
      out_.obstacle = unrolling_obstacle::cyclic_body;
    } else {
      out_.obstacle = c.body.operations > options_.max_operations ? unrolling_obstacle::too_large : out_.obstacle;
      out_.candidates.push_back(c);
      accept(0);
    }
  }

  constexpr const unrolling_candidate& rolled() const { return out_.candidates[0]; }

  // Factors, ascending.

  constexpr void try_factors() {
    if (rolled().body.operations == 0) {
      return; // nothing to gain
    }
    unrolling_factors& all = memory_.factors;
    const fraction bound = rolled().body.resources.exact;
    all.collect(out_.body, out_.counters, count_.divisible, bound.denominator(), options_.max_factor);
    all.insert(options_.forced_factor, 2, options_.forced_factor);
    std::uint32_t copies = 0;
    for (std::size_t i = 0; i != all.factors.size(); ++i) { // factors are added on the way
      const std::uint32_t factor = all.factors[i];
      copies += factor;
      if (count_.is_exact && factor >= count_.exact) {
        break; // that is complete unrolling
      }
      unrolling_candidate c = describe_factor(factor);
      if (c.why == rejection::none && copies > options_.max_copies && factor != options_.forced_factor) {
        c.why = rejection::too_many_copies;
      }
      if (c.why == rejection::none && is_expected_too_large(factor, is_modulus(factor) ? 8 : 1)) {
        c.why = rejection::too_many_operations;
      }
      if (c.why == rejection::none) {
        estimate_factor(c);
        last_operations_ = c.body.operations;
        last_factor_ = factor;
      }
      add(c);
      if (factor == 2 && c.is_evaluated && bound < c.body.resources.exact) {
        // From one copy to two the bound grows by the part that copies do not share. If the factor is the denominator
        // of that part, no fraction of a cycle is lost.
        all.insert(difference(c.body.resources.exact, bound).denominator(), 3, options_.max_factor);
      }
    }
  }

  /// The kind and the remainder of a factor, and whether it is out of the question.
  constexpr unrolling_candidate describe_factor(std::uint32_t factor) const {
    unrolling_candidate c;
    c.factor = factor;
    const bool divides = count_.divisible % factor == 0;
    bool is_allowed = options_.allows_uncounted;
    if (count_.is_exact) {
      c.kind = divides ? unrolling_kind::partial : unrolling_kind::partial_with_remainder;
      c.remainder_iterations = count_.exact % factor;
      is_allowed = options_.allows_partial;
    } else if (count_.is_computable && (divides || options_.remainder != remainder_placement::mid_exit)) {
      c.kind = unrolling_kind::runtime;
      c.remainder_iterations = divides ? 0 : factor - 1;
      is_allowed = options_.allows_runtime;
    } else { // a last pass that may end in any copy needs the exit test in each
      c.kind = unrolling_kind::uncounted;
    }
    c.remainder = c.remainder_iterations == 0 ? remainder_placement::none : options_.remainder;
    c.why = factor > count_.most ? rejection::trip_too_short : is_allowed ? rejection::none : rejection::not_allowed;
    return c;
  }

  constexpr bool is_modulus(std::uint32_t factor) const {
    return is_among(span<const std::uint64_t>(memory_.factors.moduli), std::uint64_t{factor});
  }

  /// Judged by the operations of a copy in the last factor that was estimated. `slack` is above 1 where most operations
  /// may fold, as at a modulus.
  constexpr bool is_expected_too_large(std::uint64_t factor, std::uint64_t slack) const {
    const std::uint64_t operations = last_factor_ == 0 ? rolled().body.operations : last_operations_;
    return operations * factor > options_.max_operations * slack * (last_factor_ == 0 ? 1 : last_factor_);
  }

  constexpr void estimate_factor(unrolling_candidate& c) {
    const bool leaves_in_the_middle = c.remainder == remainder_placement::mid_exit;
    if (has_exact_remainder(c) && !leaves_in_the_middle) {
      estimate_remainder(c);
    }
    unroll_request request;
    request.copies = c.factor;
    request.drops_counted_tests = c.kind != unrolling_kind::uncounted;
    request.first_iteration = c.remainder == remainder_placement::prologue ? c.remainder_iterations : 0;
    request.knows_position = c.remainder != remainder_placement::prologue || count_.is_exact;
    request.continues_rolled = c.kind == unrolling_kind::runtime || c.remainder == remainder_placement::epilogue;
    if (leaves_in_the_middle && count_.is_exact) {
      request.mid_exit_copy = static_cast<std::uint32_t>(c.remainder_iterations - 1);
    }
    c.body = estimate(request);
    const unrolled_times unrolled = times_of(c);
    const std::uint64_t passes = unrolled.passes(count_.expected);
    loop_time time = unrolled(count_.expected);
    if (has_exact_remainder(c)) { // a straight line in place of passes of the old body
      time = times_.loop(c.body, passes);
      time.cycles += leaves_in_the_middle ? 0 : c.rest.alone;
    }
    set_times(c, time, passes, c.factor);
    c.total_bytes = c.body.bytes;
    if (c.remainder_iterations != 0 && !leaves_in_the_middle) {
      c.total_bytes += count_.is_exact ? c.rest.bytes : rolled().body.bytes;
    }
  }

  constexpr bool has_exact_remainder(const unrolling_candidate& c) const {
    return count_.is_exact && c.remainder_iterations != 0;
  }

  /// The iterations that are left, as a straight line.
  constexpr void estimate_remainder(unrolling_candidate& c) {
    unroll_request request;
    request.copies = static_cast<std::uint32_t>(c.remainder_iterations);
    request.is_straight_line = true;
    request.begins_at_entry = c.remainder == remainder_placement::prologue;
    request.first_iteration = request.begins_at_entry ? 0 : count_.exact - c.remainder_iterations;
    c.rest = estimate(request);
  }

  constexpr unrolled_times times_of(const unrolling_candidate& c) const {
    const bool leaves_anywhere = c.kind == unrolling_kind::uncounted || c.remainder == remainder_placement::mid_exit;
    const std::uint64_t preparation = c.kind == unrolling_kind::runtime ? times_.preparation(c.factor) : 0;
    return {times_, rolled().body, c.body, c.factor, preparation, leaves_anywhere};
  }

  // Peeling.

  constexpr void try_peeling() {
    for (std::uint32_t peeled = 1; peeled <= options_.max_peeled; ++peeled) {
      if (count_.is_exact && peeled >= count_.exact) {
        return;
      }
      if (may_pay_to_peel(out_.body, out_.counters, count_, peeled)) {
        unrolling_candidate c;
        c.kind = unrolling_kind::peel;
        c.factor = peeled;
        c.why = options_.allows_peeling ? rejection::none : rejection::not_allowed;
        if (c.why == rejection::none) {
          estimate_peeled(c);
        }
        add(c);
      }
    }
  }

  constexpr void estimate_peeled(unrolling_candidate& c) {
    unroll_request before;
    before.copies = c.factor;
    before.is_straight_line = true;
    before.begins_at_entry = true;
    before.drops_counted_tests = count_.is_exact;
    c.rest = estimate(before);
    unroll_request after;
    after.first_iteration = c.factor;
    c.body = estimate(after);
    const std::uint64_t passes = count_.expected > c.factor ? count_.expected - c.factor : 0;
    loop_time time = times_.loop(c.body, passes);
    time.cycles += c.rest.alone;
    set_times(c, time, passes, 1);
    c.total_bytes = c.body.bytes + c.rest.bytes;
  }

  // Complete unrolling.

  constexpr void try_full() {
    const std::uint64_t copies = copies_of_full();
    if (copies == 0 || copies > options_.max_factor || is_expected_too_large(copies, 8)) {
      return;
    }
    unrolling_candidate c;
    c.kind = unrolling_kind::full;
    c.factor = static_cast<std::uint32_t>(copies);
    c.why = options_.allows_full ? rejection::none : rejection::not_allowed;
    if (c.why == rejection::none) {
      c.body = estimate(request_for_full(c.factor));
      c.is_evaluated = true;
      c.total_cycles = c.body.alone;
      c.cycles_per_iteration = fraction(c.body.alone) / c.factor;
      c.total_bytes = c.body.bytes;
    }
    add(c);
  }

  constexpr unroll_request request_for_full(std::uint32_t copies) const {
    unroll_request request;
    request.copies = copies;
    request.is_straight_line = true;
    request.begins_at_entry = true;
    request.drops_counted_tests = out_.counters.is_exact() && is_decided_by_numbers();
    if (begins_once_more(copies)) { // up to the test that ends the loop
      ++request.copies;
    }
    request.ends_loop = out_.counters.trip.header_executions() == request.copies;
    return request;
  }

  /// Whether the loop is left in the iteration after `copies`, where the test is known to end it.
  constexpr bool begins_once_more(std::uint32_t copies) const {
    return out_.counters.is_exact() && out_.counters.trip.header_executions() == std::uint64_t{copies} + 1 &&
           (is_decided_by_numbers() || out_.counters.exits.size() == 1);
  }

  /// Whether numbers decide the tests of the counted exit in a straight line. They do not if start and bound only lie a
  /// number apart: such tests are dropped in loops, where trip counts prove that they are never true.
  constexpr bool is_decided_by_numbers() const {
    const std::uint32_t x = out_.counters.counted_exit;
    return x == no_body_value || !out_.counters.exits[x].is_counted ||
           out_.counters.inductions[out_.counters.exits[x].induction].has_start;
  }

  /// The exact number of iterations of the counted exit; without one, the number of header executions, or its upper
  /// bound if no fewer are expected; 0 for neither.
  constexpr std::uint64_t copies_of_full() const {
    if (count_.is_exact && out_.counters.is_exact()) {
      return count_.exact;
    }
    const auto most = out_.counters.trip.header_executions();
    const bool is_expected = most && count_.expected + 1 >= *most;
    return is_expected ? *most : 0;
  }

  // A candidate and its place.

  /// `passes` is the number of passes of the new body, each of which does `iterations_per_pass` iterations.
  constexpr void set_times(unrolling_candidate& c, const loop_time& time, std::uint64_t passes,
                           std::uint32_t iterations_per_pass) const {
    c.is_evaluated = true;
    c.total_cycles = time.cycles;
    c.setup_cycles = time.setup;
    c.cycles_per_iteration = fraction(times_.cycles_per_pass(c.body, passes)) / iterations_per_pass;
    if (c.body.is_pipelined() && !times_.is_pipelined(c.body, passes)) {
      c.body.obstacle = pipelining_obstacle::too_few_passes;
    }
  }

  /// Adds a candidate, and accepts it if it was estimated and is the best so far, or the one that is forced.
  constexpr void add(const unrolling_candidate& candidate) {
    const std::size_t index = out_.candidates.size();
    out_.candidates.push_back(candidate);
    unrolling_candidate& c = out_.candidates[index];
    if (!c.is_evaluated) {
      return;
    }
    c.why = unrolling_rule{limits_, options_, rolled(), out_.candidates[out_.chosen], count_.is_exact}.judge(c);
    const bool is_forced =
        c.factor == options_.forced_factor && c.kind != unrolling_kind::peel && !c.body.resources.is_impossible;
    if (options_.forced_factor == 0 ? c.why == rejection::none : is_forced) {
      accept(index);
    } else if (c.why == rejection::none) {
      c.why = rejection::not_asked_for;
    }
  }

  /// Requires that the candidate was estimated last.
  constexpr void accept(std::size_t index) {
    unrolling_candidate& c = out_.candidates[index];
    unrolling_candidate& last = out_.candidates[out_.chosen];
    if (index != out_.chosen) {
      last.why = c.cycles_per_iteration == last.cycles_per_iteration ? rejection::tie : rejection::outdone;
    }
    c.why = rejection::none;
    out_.chosen = static_cast<std::uint32_t>(index);
    swap_values(index == 0 ? out_.rolled_machine : out_.machine, memory_.lowered);
    out_.savings.swap(memory_.unrolled.savings);
    accepted_exits_ = memory_.unrolled.exits.size();
    accepted_branches_ = memory_.unrolled.inner_branches;
  }

  // The rest of the advice.

  constexpr void finish() {
    if (out_.chosen == 0) {
      out_.machine = out_.rolled_machine;
    }
    for (const unrolling_saving& s : out_.machine.savings) {
      out_.savings.push_back(s);
    }
    for (unrolling_candidate& c : out_.candidates) {
      if (c.is_evaluated && (c.kind == unrolling_kind::runtime || c.kind == unrolling_kind::uncounted)) {
        const unrolled_times times = times_of(c);
        c.break_even = break_even_search{times}();
      }
    }
    note_assumptions();
  }

  constexpr void note_assumptions() {
    bool loads = false;
    bool stores = false;
    for (const body_value& v : out_.body.values) {
      loads = loads || v.kind == body_kind::load;
      stores = stores || v.kind == body_kind::store;
    }
    bool classes = false;
    for (const body_access& a : out_.body.accesses) {
      classes = classes || a.memory != any_memory;
    }
    bool promises = false;
    for (const induction_variable& i : out_.counters.inductions) {
      promises = promises || i.flags.no_signed_wrap || i.flags.no_unsigned_wrap;
    }
    const loop_hints& hints = out_.body.hints;
    const auto assume = [&](assumption a, bool made) { out_.assumptions[static_cast<std::size_t>(a)] = made; };
    assume(assumption::lower_bound, true);
    assume(assumption::branch_is_free_of_recurrence, out_.decision().kind != unrolling_kind::full);
    assume(assumption::no_signed_wrap, promises);
    assume(assumption::alias_classes, stores && classes);
    assume(assumption::reassociation, regroups_);
    assume(assumption::if_conversion, accepted_branches_ != 0);
    assume(assumption::speculated_loads, out_.chosen != 0 && loads && accepted_exits_ > 1);
    assume(assumption::profile, count_.is_profiled);
    assume(assumption::assumed_trip, count_.is_assumed);
    assume(assumption::trip_hint, hints.maximum != 0 || hints.multiple != 0);
    assume(assumption::hardware_counter, options_.lowering.counts_in_hardware);
    assume(assumption::first_level_loads, loads);
  }

  const loop_machine_times& times_;
  const machine_limits& limits_;
  const unrolling_options& options_;
  copies_estimator& estimator_;
  unrolling_search_memory& memory_;
  unrolling_advice& out_; ///< `chosen` is the last accepted candidate
  const iteration_count count_;
  std::uint64_t last_operations_ = 0;   ///< of the factor that was estimated last
  std::uint32_t last_factor_ = 0;       ///< 0: none was
  std::size_t accepted_exits_ = 0;      ///< of the last accepted body
  std::uint32_t accepted_branches_ = 0; ///< branches inside it
  bool regroups_ = false;               ///< the operations of some candidate are regrouped
};

} // namespace detail

MIDEND_END_NAMESPACE
