/// `loop_counts`: how often a loop runs, with the facts that a decision to unroll it needs.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/trip_formula.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/operation.hpp"

#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// How often a loop runs.
struct loop_counts {
  trip_count trip;  ///< from all exits and hints together; its multiple is valid for each kind. Upper bounds of more
                    ///< than 2^16 backedges are left out: most are only the greatest number of the counter's type
  loop_hints hints; ///< of the program; the average is 0 without a profile
  std::uint32_t num_exits = 0;
  bool is_computable = false; ///< whether the number of header executions is known when the loop is entered, for every
                              ///< exit
  bool compares_counter = false; ///< whether each iteration compares a counter, whose step is a number, with an
                                 ///< invariant. Then a lower bound for the number of iterations can be computed before
                                 ///< the loop, even if the counter may wrap (`emit_unrolled_limit`)
  bool is_counted = false;       ///< whether `exit` has an exact count, or a formula and a step that is a number: then
                                 ///< rounds of several iterations can be counted by this exit
  bool has_formula = false;      ///< whether the count of `exit` is no exact number, but a formula of its test
  bool is_at_bottom = false; ///< whether only additions of numbers and comparisons follow the test of `exit`, so that
                             ///< complete iterations are header executions; otherwise the last header execution is not
                             ///< a complete iteration
  exit_trips exit;           ///< valid if `is_counted` or `has_formula`: among the exits that each iteration tests, the
                             ///< one that is taken first, if counts are exact; else the first with a formula
  std::uint64_t phi_period = 1; ///< the least number of iterations after which all header phis that change places have
                                ///< their own value again; 1 if it does not fit

  constexpr bool is_exact() const { return trip.kind == trip_count_kind::exact; }

  /// The number of complete iterations until `exit` is taken, as if it were the only exit; nothing if that is unknown
  /// or does not fit.
  constexpr std::optional<std::uint64_t> counted_iterations() const {
    if (!is_counted || exit.trips.count.kind != trip_count_kind::exact) {
      return std::nullopt;
    }
    const trip_count& count = exit.trips.count;
    return is_at_bottom ? count.header_executions() : std::optional(count.backedges);
  }
};

/// Whether the test of an exit gives a formula: the counter meets its bound before it wraps, or the loop ends at
/// equality with an odd step.
constexpr bool has_trip_formula(const counter_test& test) {
  return test.is_known() && (test.is_direct || (test.ends == operation::equal && test.step % 2 == 1));
}

/// The formula of the number of backedges, whose step may be a value (`trip_formula::with_step`). Requires
/// `has_trip_formula`.
constexpr trip_formula formula_of(const counter_test& test) {
  MIDEND_ASSERT(has_trip_formula(test), "a test with a formula");
  if (test.is_direct) {
    trip_formula f = direct_trip_formula(test.ends, test.first.width, test.step == 0 ? 1 : test.step);
    if (test.step == 0) {
      f.divisor = 0;
      f.negates_step = f.is_down;
    }
    return f;
  }
  return *trip_formula_of({static_cast<std::uint8_t>(test.first.width), 0, test.step, 0, test.ends, true, {}});
}

MIDEND_END_NAMESPACE
