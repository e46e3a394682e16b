/// `advise_unrolling`: whether a loop should be unrolled, how, how often, and why.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/count_iterations.hpp"
#include "midend/induction/describe_loop.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/ir/cost.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/unrolling/copies/unroll_body.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"
#include "midend/unrolling/detail/unrolling_search.hpp"
#include "midend/unrolling/lowering/body_cost.hpp"
#include "midend/unrolling/lowering/estimate_body.hpp"
#include "midend/unrolling/unrolling_advice.hpp"
#include "midend/unrolling/unrolling_options.hpp"
#include "midend/unrolling/unrolling_workspace.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Empties an advice, and keeps its memory.
constexpr void clear_advice(unrolling_advice& out) {
  out.obstacle = unrolling_obstacle::none;
  out.candidates.clear();
  out.chosen = 0;
  out.savings.clear();
  out.assumptions = {};
  out.iterations = 0;
}

constexpr void note_assumptions(const unrolling_options& options, const iteration_count& count,
                                const unrolling_workspace& workspace, unrolling_advice& out) {
  const auto assume = [&](assumption a, bool made) { out.assumptions[static_cast<std::size_t>(a)] = made; };
  bool loads = false;
  bool stores = false;
  bool classes = false;
  bool regroups = false;
  for (const body_value& v : out.body.values) {
    loads = loads || v.kind == body_kind::load;
    stores = stores || v.kind == body_kind::store;
    regroups = regroups || v.reassociates;
  }
  for (const body_access& a : out.body.accesses) {
    classes = classes || a.memory != any_memory;
  }
  bool promises = false;
  for (const induction_variable& i : out.counters.inductions) {
    promises = promises || i.flags.no_signed_wrap || i.flags.no_unsigned_wrap;
  }
  const bool unrolls = out.chosen != 0;
  assume(assumption::lower_bound, true);
  assume(assumption::branch_is_free_of_recurrence, out.decision().kind != unrolling_kind::full);
  assume(assumption::no_signed_wrap, promises);
  assume(assumption::alias_classes, stores && classes);
  assume(assumption::reassociation, regroups && options.lowering.reassociates);
  assume(assumption::if_conversion, workspace.accepted_branches_ != 0);
  assume(assumption::speculated_loads, unrolls && loads && workspace.accepted_exits_ > 1);
  assume(assumption::profile, count.is_profiled);
  assume(assumption::assumed_trip, count.is_assumed);
  assume(assumption::trip_hint, out.body.hints.maximum != 0 || out.body.hints.multiple != 0);
  assume(assumption::hardware_counter, options.lowering.counts_in_hardware);
  assume(assumption::first_level_loads, loads);
}

/// The last pass over the candidates: for those with an unknown number of iterations, from how many on they pay.
template <class Search> constexpr void find_break_even(const Search& search, unrolling_advice& out) {
  for (unrolling_candidate& c : out.candidates) {
    if (c.is_evaluated && (c.kind == unrolling_kind::runtime || c.kind == unrolling_kind::uncounted)) {
      const unrolled_times times = search.evaluation.times_of(c);
      c.break_even = break_even_search{times}();
    }
  }
}

/// What `v` computes from constants for the operands that are not about its guard, if it has one, where it runs.
template <cost_ir IR>
constexpr std::optional<std::uint64_t> fold_if_it_runs(const IR& ir, value_id v, std::span<const std::uint64_t> args) {
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
      return ir.fold(v, std::span<const std::uint64_t>(all).first(count));
    }
  }
  return ir.fold(v, args);
}

} // namespace detail

/// The same for a loop body that was described already: in `out.body`. `folder(value, constants)` computes a value
/// that is `other` from constants, or nothing.
template <loop_machine M, class Folder>
constexpr void advise_unrolling_of_body(const M& machine, const unrolling_options& options, const Folder& folder,
                                        unrolling_workspace& workspace, unrolling_advice& out) {
  detail::clear_advice(out);
  count_iterations(out.body, workspace.count_, out.counters);
  detail::unrolling_search<M, Folder> search{
      machine, options, folder, workspace, out, detail::iterations_of(out.body, out.counters, options)};
  out.iterations = search.count.expected;
  if (!search.estimate_rolled()) {
    return;
  }
  if (out.rolled().body.operations > options.max_operations) {
    out.obstacle = unrolling_obstacle::too_large;
    return;
  }
  search.estimate_factors();
  search.estimate_peeling();
  search.estimate_full();
  out.chosen = search.accepted;
  if (out.chosen == 0) {
    out.machine = out.rolled_machine;
  }
  for (const unrolling_saving& s : out.machine.savings) {
    out.savings.push_back(s);
  }
  detail::find_break_even(search, out);
  detail::note_assumptions(options, search.count, workspace, out);
}

/// Advises on the loops of one function, one after the other: what `loop_describer` finds out of the function as a
/// whole is found once. See `advise_unrolling`.
template <cost_ir IR, loop_machine M> class unrolling_adviser {
public:
  /// Requires that all of it outlives the adviser.
  constexpr unrolling_adviser(const IR& ir, const loop_forest& forest, const M& machine,
                              const unrolling_options& options, unrolling_workspace& workspace)
      : ir_(ir), forest_(forest), machine_(machine), options_(options), workspace_(workspace),
        describer_(ir, forest, workspace.description) {}

  /// Refills `out`.
  constexpr void advise(loop_id loop, unrolling_advice& out) {
    const unrolling_obstacle obstacle = to_unrolling_obstacle(describer_.describe(loop, out.body));
    out.loop = loop;
    out.header = forest_.header(loop);
    if (obstacle != unrolling_obstacle::none) {
      detail::clear_advice(out);
      out.obstacle = obstacle;
      return;
    }
    const auto folder = [&](body_id v, std::span<const std::uint64_t> args) {
      return detail::fold_if_it_runs(ir_, out.body.values[v].origin, args);
    };
    advise_unrolling_of_body(machine_, options_, folder, workspace_, out);
  }

private:
  const IR& ir_;
  const loop_forest& forest_;
  const M& machine_;
  const unrolling_options& options_;
  unrolling_workspace& workspace_;
  loop_describer<IR> describer_;
};

/// Estimates the ways to unroll a loop for a machine, refilling `out`.
///
/// **What is computed.** One iteration is read from the IR (`describe_loop`) and its trips are counted
/// (`count_iterations`). Factors that may pay are collected: 2, 4, 8, 16, divisors of the trip count, moduli by which
/// the body divides, with their greatest common divisors and least common multiples, the period of header phis that
/// change places, the denominator of the resource bound. For each of them so many copies are really evaluated
/// (`unroll_body`): counters bound or known modulo the factor, constants folded by the folder of constant propagation,
/// loads and expressions shared, tests dropped. What is left is brought on the machine and bounded (`estimate_body`): II =
/// max(ResMII, RecMII), or for a body that is not pipelined max(critical path, ResMII). So cycles are lower bounds, no
/// predictions.
///
/// **The rule.** From the loop as it is upwards, a factor is accepted against the last one accepted if it is not slower
/// over all iterations (set-up, remainder and preparation included), and if the fall in cycles per iteration, as a
/// fraction, over the binary logarithm of the ratio of bytes is at least `options.least_gain`. Equal cycles per
/// iteration are a tie: then fewer operations of the new body win, fewer bytes, the smaller factor. Peeling and
/// complete unrolling come last and are compared by the cycles of all iterations. So a decision is never slower in the
/// model than the loop as it is.
///
/// After B. R. Rau, "Iterative modulo scheduling", MICRO-27, 1994, for the bounds, and J. Davidson and S. Jinturkar,
/// "Aggressive loop unrolling in a retargetable, optimizing compiler", CC 1996, for the kinds.
///
/// **Requires** a forest of the IR's graph that was made with boundaries, and one of its loops. **Loops** that contain
/// others, or that `describe_loop` cannot read, get an `obstacle` and no candidates. Unreachable predecessors of the
/// header do not count.
///
/// **Returns** candidates in the order in which they were estimated: the loop as it is, factors ascending, peeling, the
/// complete one. **Cost**: a few passes over the copies of all candidates together, at most `options.max_copies` times
/// the body, and in bad cases what `recurrence_bound` takes.
template <cost_ir IR, loop_machine M>
constexpr void advise_unrolling(const IR& ir, const loop_forest& forest, loop_id loop, const M& machine,
                                const unrolling_options& options, unrolling_workspace& workspace,
                                unrolling_advice& out) {
  unrolling_adviser<IR, M>(ir, forest, machine, options, workspace).advise(loop, out);
}

/// The advice for one loop.
template <cost_ir IR, loop_machine M>
constexpr unrolling_advice advise_unrolling(const IR& ir, const loop_forest& forest, loop_id loop, const M& machine,
                                            const unrolling_options& options = {}) {
  unrolling_workspace workspace;
  unrolling_advice out;
  advise_unrolling(ir, forest, loop, machine, options, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
