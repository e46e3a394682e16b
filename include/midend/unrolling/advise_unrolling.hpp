/// `advise_unrolling`: whether to unroll a loop, how, how often, and why.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/count_iterations.hpp"
#include "midend/induction/describe_loop.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/induction/loop_counters.hpp"
#include "midend/induction/unfold_inner_loop.hpp"
#include "midend/ir/cost.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/machine/lowering/body_cost.hpp"
#include "midend/machine/machine_model.hpp"
#include "midend/support/span.hpp"
#include "midend/support/swap.hpp"
#include "midend/unrolling/copies/unroll_body.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"
#include "midend/unrolling/detail/invariant_numbers.hpp"
#include "midend/unrolling/detail/unrolling_candidates.hpp"
#include "midend/unrolling/detail/unrolling_rule.hpp"
#include "midend/unrolling/detail/unrolling_search.hpp"
#include "midend/unrolling/detail/unrolling_times.hpp"
#include "midend/unrolling/lowering/estimate_body.hpp"
#include "midend/unrolling/unrolling_advice.hpp"
#include "midend/unrolling/unrolling_options.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

class advise_unrolling_workspace;

namespace detail {

/// Computes a value of the loop body that is `other` from constants, or returns nothing. Hides the type of the user's
/// function, so that the evaluation of copies is compiled once for all; it is called for such values alone.
class body_folder {
public:
  virtual constexpr std::optional<std::uint64_t> operator()(body_id v, span<const std::uint64_t> constants) const = 0;

protected:
  constexpr ~body_folder() = default;
};

template <class Function> class body_folder_of final : public body_folder {
public:
  constexpr explicit body_folder_of(const Function& f) : f_(f) {}

  constexpr std::optional<std::uint64_t> operator()(body_id v, span<const std::uint64_t> constants) const override {
    return f_(v, constants);
  }

private:
  const Function& f_;
};

template <loop_machine M>
constexpr void advise_on_body(const M& machine, const unrolling_options& options, const body_folder& folder,
                              advise_unrolling_workspace& workspace, unrolling_advice& out);

template <loop_machine M>
constexpr void advise_on_nest(const M& machine, const unrolling_options& options, const body_folder& folder,
                              const body_folder& nest_folder, advise_unrolling_workspace& workspace,
                              unrolling_advice& out);

} // namespace detail

/// The memory of `advise_unrolling`, to be reused from loop to loop: after warm-up, nothing is allocated.
class advise_unrolling_workspace {
  template <cost_ir IR, loop_machine M> friend class unrolling_adviser;
  template <loop_machine M>
  friend constexpr void detail::advise_on_body(const M& machine, const unrolling_options& options,
                                               const detail::body_folder& folder, advise_unrolling_workspace& workspace,
                                               unrolling_advice& out);
  template <loop_machine M>
  friend constexpr void detail::advise_on_nest(const M& machine, const unrolling_options& options,
                                               const detail::body_folder& folder,
                                               const detail::body_folder& nest_folder,
                                               advise_unrolling_workspace& workspace, unrolling_advice& out);

  describe_loop_workspace description_;
  count_iterations_workspace count_;
  unroll_body_workspace unroll_;
  estimate_body_workspace estimate_;
  detail::unrolling_search_memory search_;
  unrolling_advice apart_; ///< the advice for the loop after a test for overlapping memory
  unfold_inner_loop_workspace unfold_;
  loop_body around_; ///< the loop around
  loop_counters nest_counters_;
};

namespace detail {

/// Unrolls a body and estimates it on a machine.
template <loop_machine M> class machine_copies_estimator final : public copies_estimator {
public:
  constexpr machine_copies_estimator(const M& machine, const lowering_options& options, const body_folder& folder,
                                     const loop_body& body, const loop_counters& counters,
                                     unroll_body_workspace& unroll, estimate_body_workspace& estimate)
      : machine_(machine), options_(options), folder_(folder), body_(body), counters_(counters), unroll_(unroll),
        estimate_(estimate) {}

  constexpr body_cost estimate(const unroll_request& request, unrolling_search_memory& memory) override {
    unroll_body(body_, counters_, request, folder_, unroll_, memory.unrolled);
    return estimate_body(memory.unrolled, machine_, options_, estimate_, memory.lowered);
  }

private:
  const M& machine_;
  const lowering_options& options_;
  const body_folder& folder_;
  const loop_body& body_;
  const loop_counters& counters_;
  unroll_body_workspace& unroll_;
  estimate_body_workspace& estimate_;
};

constexpr void clear_advice(unrolling_advice& out) {
  out.obstacle = unrolling_obstacle::none;
  out.candidates.clear();
  out.chosen = 0;
  out.savings.clear();
  out.assumptions = {};
  out.iterations = 0;
  out.without_overlap.is_worthwhile = false;
  out.nest.is_evaluated = false;
}

/// Whether the loop has two accesses at different bases, one of them a store.
constexpr bool may_store_where_it_loads(const loop_body& body) {
  bool stores = false;
  bool differ = false;
  for (const body_value& v : body.values) {
    stores = stores || v.kind == body_kind::store;
  }
  for (const body_access& a : body.accesses) {
    differ = differ || a.base != body.accesses[0].base;
  }
  return stores && differ;
}

constexpr void add_pair(const loop_body& body, const unordered_accesses& accesses, flat_array<base_pair>& pairs) {
  const body_id a = body.accesses[body.values[accesses.first].access].base;
  const body_id b = body.accesses[body.values[accesses.second].access].base;
  for (const base_pair& p : pairs) {
    if ((p.first == a && p.second == b) || (p.first == b && p.second == a)) {
      return;
    }
  }
  pairs.push_back({a, b});
}

/// All that `unrolling_search` fills in.
constexpr void swap_results(unrolling_advice& a, unrolling_advice& b) {
  swap_values(a.obstacle, b.obstacle);
  a.candidates.swap(b.candidates);
  swap_values(a.chosen, b.chosen);
  swap_values(a.iterations, b.iterations);
  swap_values(a.machine, b.machine);
  swap_values(a.rolled_machine, b.rolled_machine);
  a.savings.swap(b.savings);
  swap_values(a.assumptions, b.assumptions);
}

/// Searches once more, as if a test before the loop had shown that different bases are apart, and notes in
/// `out.without_overlap` whether that is faster than the decision. Requires a complete advice.
///
/// The test computes the ends of both ranges, compares each with the other's start (a cycle for each further pair), and
/// branches.
template <loop_machine M>
constexpr void advise_on_overlap(const M& machine, const unrolling_options& options, const body_folder& folder,
                                 const loop_machine_times& times, const machine_limits& limits,
                                 unroll_body_workspace& unroll, estimate_body_workspace& estimate,
                                 unrolling_search_memory& search, unrolling_advice& spare, unrolling_advice& out) {
  if (!out.counters.is_computable() || out.decision().kind == unrolling_kind::full ||
      !may_store_where_it_loads(out.body) || options.lowering.bases_are_apart || options.forced_factor != 0) {
    return;
  }
  unrolling_options apart = options;
  apart.lowering.bases_are_apart = true;
  apart.allows_full = false;
  apart.allows_peeling = false;
  machine_copies_estimator<M> estimator(machine, apart.lowering, folder, out.body, out.counters, unroll, estimate);
  estimator.estimate({}, search);
  overlap_advice& advice = out.without_overlap;
  advice.pairs.clear();
  for (const unordered_accesses& accesses : search.lowered.unordered) {
    add_pair(out.body, accesses, advice.pairs);
  }
  if (advice.pairs.empty()) {
    return;
  }
  swap_results(spare, out); // the body stays: `folder` refers to it
  clear_advice(out);
  unrolling_search(times, limits, apart, estimator, search, out).run();
  swap_results(spare, out);
  if (spare.obstacle != unrolling_obstacle::none) {
    return;
  }
  const unrolling_candidate& now = out.decision();
  const unrolling_candidate& c = spare.decision();
  const bool computes_count = c.kind == unrolling_kind::runtime;
  advice.kind = c.kind;
  advice.factor = c.factor;
  advice.cycles_per_iteration = c.cycles_per_iteration;
  advice.test_cycles = 2 * times.subtraction + (advice.pairs.size() - 1) + times.compare_to_branch;
  const unrolled_times unrolled{times,
                                out.rolled().body,
                                c.body,
                                c.factor,
                                advice.test_cycles + (computes_count ? times.preparation(c.factor) : 0),
                                c.kind == unrolling_kind::uncounted};
  advice.break_even = break_even_search{unrolled}();
  const std::uint64_t after = c.total_cycles + c.setup_cycles + advice.test_cycles;
  advice.is_worthwhile = advice.break_even != 0 && c.cycles_per_iteration < now.cycles_per_iteration &&
                         after < now.total_cycles + now.setup_cycles;
}

/// All of the advice that does not depend on the type of the user's IR. Requires the body of the loop and its counters
/// in `out`.
template <loop_machine M>
constexpr void advise_on_body(const M& machine, const unrolling_options& options, const body_folder& folder,
                              advise_unrolling_workspace& workspace, unrolling_advice& out) {
  clear_advice(out);
  const loop_machine_times times(machine);
  const machine_limits limits(machine);
  machine_copies_estimator<M> estimator(machine, options.lowering, folder, out.body, out.counters, workspace.unroll_,
                                        workspace.estimate_);
  unrolling_search(times, limits, options, estimator, workspace.search_, out).run();
  if (out.obstacle == unrolling_obstacle::none) {
    advise_on_overlap(machine, options, folder, times, limits, workspace.unroll_, workspace.estimate_,
                      workspace.search_, workspace.apart_, out);
  }
}

/// Whether the loop was evaluated as unrolled completely, with a number of iterations that is known.
constexpr bool may_be_unfolded(const unrolling_advice& advice, const unrolling_options& options) {
  return advice.obstacle == unrolling_obstacle::none && options.forced_factor == 0 && advice.counters.is_exact() &&
         advice.candidates.back().kind == unrolling_kind::full && advice.candidates.back().is_evaluated;
}

/// Compares the decision in the loop around, `workspace.around_`, with complete unrolling in it, `out.nest.body`. The
/// loops otherwise run one after the other: in each iteration of the loop around the inner loop, and before and after
/// it the longest chain of the rest. Requires a complete advice that `may_be_unfolded`.
template <loop_machine M>
constexpr void advise_on_nest(const M& machine, const unrolling_options& options, const body_folder& folder,
                              const body_folder& nest_folder, advise_unrolling_workspace& workspace,
                              unrolling_advice& out) {
  advise_unrolling_workspace& w = workspace;
  const loop_machine_times times(machine);
  const machine_limits limits(machine);
  const auto knows_nothing = [](body_id, span<const std::uint64_t>) { return std::optional<std::uint64_t>(); };
  const body_folder_of<decltype(knows_nothing)> around_folder(knows_nothing);
  const auto estimate = [&](const loop_body& body, const body_folder& f) {
    iteration_counter(body, {}, w.count_, w.nest_counters_).run();
    return machine_copies_estimator<M>(machine, options.lowering, f, body, w.nest_counters_, w.unroll_, w.estimate_)
        .estimate({}, w.search_);
  };
  const body_cost around = estimate(w.around_, around_folder);
  nest_advice& nest = out.nest;
  unrolling_candidate& c = nest.unfolded;
  c = {};
  c.body = estimate(nest.body, nest_folder);
  swap_values(nest.machine, w.search_.lowered);
  if (c.body.resources.is_impossible || c.body.recurrence == recurrence_status::impossible) {
    return;
  }
  const iteration_count count = iterations_of(nest.body, w.nest_counters_, options);
  const std::uint64_t call = machine.latency(operation_class::call);
  nest.is_evaluated = true;
  nest.header = nest.body.blocks[0].origin;
  nest.iterations = count.expected;
  nest.around_cycles = (around.alone > call ? around.alone - call : 0) + times.branch_penalty;
  nest.total_cycles = count.expected * (out.decision().total_cycles + out.decision().setup_cycles + nest.around_cycles);

  c.kind = unrolling_kind::full;
  c.factor = out.candidates.back().factor;
  c.is_evaluated = true;
  const loop_time time = times.loop(c.body, count.expected);
  c.total_cycles = time.cycles;
  c.setup_cycles = time.setup;
  c.cycles_per_iteration = times.cycles_per_pass(c.body, count.expected);
  c.total_bytes = c.body.bytes;
  if (c.body.is_pipelined() && !times.is_pipelined(c.body, count.expected)) {
    c.body.obstacle = pipelining_obstacle::too_few_passes;
  }
  unrolling_candidate otherwise = out.decision();
  otherwise.total_cycles = nest.total_cycles;
  otherwise.setup_cycles = 0;
  otherwise.body.operations += around.operations;
  otherwise.body.bytes = otherwise.total_bytes + around.bytes;
  otherwise.total_bytes = otherwise.body.bytes;
  c.why = unrolling_rule{limits, options, otherwise, otherwise, count.is_exact}.judge(c);
  if (c.why == rejection::none) {
    machine_copies_estimator<M> estimator(machine, options.lowering, folder, out.body, out.counters, w.unroll_,
                                          w.estimate_);
    unrolling_search(times, limits, options, estimator, w.search_, out).choose_full();
    out.without_overlap.is_worthwhile = false;
    const auto also_assume = [&](assumption a, bool made) {
      out.assumptions[static_cast<std::size_t>(a)] = made || out.assumes(a);
    };
    also_assume(assumption::assumed_trip, count.is_assumed);
    also_assume(assumption::profile, count.is_profiled);
  }
}

namespace compiled {

void advise_on_nest(const machine_model& machine, const unrolling_options& options, const body_folder& folder,
                    const body_folder& nest_folder, advise_unrolling_workspace& workspace, unrolling_advice& out);

void advise_on_body(const machine_model& machine, const unrolling_options& options, const body_folder& folder,
                    advise_unrolling_workspace& workspace, unrolling_advice& out);

} // namespace compiled

/// Folds `v` where it is executed: `args` are constants for the operands without its guard, if it has one.
template <cost_ir IR>
constexpr std::optional<std::uint64_t> fold_if_it_runs(const IR& ir, value_id v, span<const std::uint64_t> args) {
  if (is_opaque(ir, v)) {
    return std::nullopt;
  }
  if constexpr (has_guard<IR>) {
    const guard_of_value guard = ir.guard(v);
    std::array<std::uint64_t, 8> all{};
    if (guard.predicate != no_value) {
      std::size_t count = 0;
      for (const value_id operand : ir.operands(v)) {
        if (count == all.size()) {
          return std::nullopt;
        }
        const std::uint64_t runs = operand == guard.predicate && !guard.negated ? 1 : 0;
        all[count] = count < args.size() ? args[count] : runs;
        ++count;
      }
      return ir.fold(v, span<const std::uint64_t>(all).first(count));
    }
  }
  return ir.fold(v, args);
}

} // namespace detail

/// The same for a loop body that is described and counted already: `out.body` and `out.counters`. `folder(value,
/// constants)` computes a value of the body that is `other` from constants, or returns nothing.
template <loop_machine M, class Folder>
constexpr void advise_unrolling_of_body(const M& machine, const unrolling_options& options, const Folder& folder,
                                        advise_unrolling_workspace& workspace, unrolling_advice& out) {
  const detail::body_folder_of<Folder> any_folder(folder);
  if constexpr (std::is_same_v<M, machine_model>) {
    MIDEND_RETURN_COMPILED(detail::compiled::advise_on_body(machine, options, any_folder, workspace, out));
  }
  detail::advise_on_body(machine, options, any_folder, workspace, out);
}

/// Advises on the loops of one function, one after the other. What `loop_describer` finds out about the function as a
/// whole is computed once. See `advise_unrolling`.
template <cost_ir IR, loop_machine M> class unrolling_adviser {
public:
  /// Requires that all arguments outlive the adviser.
  constexpr unrolling_adviser(const IR& ir, const loop_forest& forest, const M& machine,
                              const unrolling_options& options, advise_unrolling_workspace& workspace)
      : ir_(ir), forest_(forest), machine_(machine), options_(options), workspace_(workspace),
        describer_(ir, forest, workspace.description_) {}

  /// Refills `out`. The iterations are counted by `count_iterations`.
  constexpr void advise(loop_id loop, unrolling_advice& out) {
    body_trip_counter counter(workspace_.count_);
    advise(loop, counter, out);
  }

  /// The same with counts by `counter`, which has to know this function.
  template <trip_counter C> constexpr void advise(loop_id loop, C& counter, unrolling_advice& out) {
    const unrolling_obstacle obstacle = to_unrolling_obstacle(describer_.describe(loop, out.body));
    out.loop = loop;
    out.header = forest_.header(loop);
    if (obstacle != unrolling_obstacle::none) {
      detail::clear_advice(out);
      out.obstacle = obstacle;
      return;
    }
    const auto folder = [&](body_id v, span<const std::uint64_t> args) {
      return detail::fold_if_it_runs(ir_, out.body.values[v].origin, args);
    };
    counter.count(out.body, out.counters);
    detail::note_invariant_numbers(ir_, forest_, loop, out.body);
    advise_unrolling_of_body(machine_, options_, folder, workspace_, out);
    if (detail::may_be_unfolded(out, options_)) {
      advise_with_loop_around(loop, folder, out);
    }
  }

private:
  template <class Folder>
  constexpr void advise_with_loop_around(loop_id loop, const Folder& folder, unrolling_advice& out) {
    advise_unrolling_workspace& w = workspace_;
    if (describer_.describe_around(loop, w.around_) != loop_obstacle::none ||
        !unfold_inner_loop(w.around_, out.body, out.counters, w.unfold_, out.nest.body)) {
      return;
    }
    const auto nest_folder = [&](body_id v, span<const std::uint64_t> args) {
      return detail::fold_if_it_runs(ir_, out.nest.body.values[v].origin, args);
    };
    const detail::body_folder_of<Folder> inner(folder);
    const detail::body_folder_of<decltype(nest_folder)> nest(nest_folder);
    if constexpr (std::is_same_v<M, machine_model>) {
      MIDEND_RETURN_COMPILED(detail::compiled::advise_on_nest(machine_, options_, inner, nest, w, out));
    }
    detail::advise_on_nest(machine_, options_, inner, nest, w, out);
  }

  const IR& ir_;
  const loop_forest& forest_;
  const M& machine_;
  const unrolling_options& options_;
  advise_unrolling_workspace& workspace_;
  loop_describer<IR> describer_;
};

/// Estimates the ways to unroll a loop for a machine, and chooses one. Refills `out`.
///
/// **Algorithm.** `describe_loop` reads one iteration from the IR, and `count_iterations` counts the trips. Then the
/// factors that may pay are collected: 2, 4, 8, 16, divisors of the trip count, moduli by which the body divides with
/// their greatest common divisors and least common multiples, the period of header phis that change places, the
/// denominator of the resource bound. For each factor `unroll_body` really evaluates that many copies: counters are
/// bound, or known modulo the factor; constants are folded as in constant propagation; loads and expressions are
/// shared; tests are dropped. `estimate_body` lowers the result to the machine and bounds it: II = max(ResMII, RecMII),
/// or max(critical path, ResMII) for a body that is not pipelined. So all cycles are lower bounds, not predictions.
///
/// **The rule.** Factors are tried in ascending order. A factor is accepted against the last accepted one if it is no
/// slower over all iterations (set-up, remainder and preparation included), and if its fall in cycles per iteration, as
/// a fraction, divided by the binary logarithm of the ratio of bytes, is at least `options.least_gain`. One that takes
/// more cycles per iteration, but fewer over all iterations, is accepted by the fall in those. Equal cycles
/// per iteration are a tie: then fewer operations of the new body win, then fewer bytes, then the smaller factor.
/// Peeling and complete unrolling come last and are compared by the cycles of all iterations. So in the model a
/// decision is never slower than the rolled loop.
///
/// **Overlapping memory.** If accesses keep their order only because their bases may overlap, and a test before the
/// loop could show that they do not, all is searched once more without that order; `without_overlap` holds what it
/// gains, if it is faster than the decision. The decision itself does not rest on it.
///
/// **The loop around.** Where the loop is the only one in another loop and complete unrolling was evaluated, the loop
/// around is evaluated with all copies in it, as an innermost loop: `nest`. If both loops together take fewer cycles
/// than with the decision, by the rule above, complete unrolling is the decision, even if the inner loop
/// alone would be slower.
///
/// After B. R. Rau, "Iterative modulo scheduling", MICRO-27, 1994, for the bounds, and J. Davidson and S. Jinturkar,
/// "Aggressive loop unrolling in a retargetable, optimizing compiler", CC 1996, for the kinds.
///
/// **Requires** a forest of the IR's graph made with boundaries, and one of its loops. A loop that contains another
/// loop, or that `describe_loop` cannot read, gets an `obstacle` and no candidates. Unreachable predecessors of the
/// header are ignored.
///
/// **Returns** the candidates in the order in which they were tried: the rolled loop, factors ascending, peeling,
/// complete unrolling. **Cost**: a few passes over the copies of all candidates, at most `options.max_copies` times the
/// body in all, and in bad cases the time of `recurrence_bound`.
template <cost_ir_argument IR, loop_machine_argument M>
constexpr void advise_unrolling(const IR& ir, const loop_forest& forest, loop_id loop, const M& machine,
                                const unrolling_options& options, advise_unrolling_workspace& workspace,
                                unrolling_advice& out) {
  unrolling_adviser<IR, M>(ir, forest, machine, options, workspace).advise(loop, out);
}

/// The same with counts by `counter`, which has to know this function: a `loop_trip_counter` finds numbers and upper
/// bounds that the loop alone does not show.
template <cost_ir_argument IR, loop_machine_argument M, trip_counter C>
constexpr void advise_unrolling(const IR& ir, const loop_forest& forest, loop_id loop, const M& machine,
                                const unrolling_options& options, C& counter, advise_unrolling_workspace& workspace,
                                unrolling_advice& out) {
  unrolling_adviser<IR, M>(ir, forest, machine, options, workspace).advise(loop, counter, out);
}

/// The advice for one loop.
template <cost_ir_argument IR, loop_machine_argument M>
constexpr unrolling_advice advise_unrolling(const IR& ir, const loop_forest& forest, loop_id loop, const M& machine,
                                            const unrolling_options& options = {}) {
  advise_unrolling_workspace workspace;
  unrolling_advice out;
  advise_unrolling(ir, forest, loop, machine, options, workspace, out);
  return out;
}

#if defined(MIDEND_COMPILED_SOURCE)

namespace detail::compiled {

void advise_on_nest(const machine_model& machine, const unrolling_options& options, const body_folder& folder,
                    const body_folder& nest_folder, advise_unrolling_workspace& workspace, unrolling_advice& out) {
  detail::advise_on_nest<machine_model>(machine, options, folder, nest_folder, workspace, out);
}

void advise_on_body(const machine_model& machine, const unrolling_options& options, const body_folder& folder,
                    advise_unrolling_workspace& workspace, unrolling_advice& out) {
  detail::advise_on_body<machine_model>(machine, options, folder, workspace, out);
}

} // namespace detail::compiled

#endif

MIDEND_END_NAMESPACE
