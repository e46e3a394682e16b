/// `loop_counters`: the induction variables of a loop body, its exits and how often it runs.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/trip_formula.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// A header phi that is, in iteration k = 0, 1, …, `start` + k · `step` modulo 2^width.
struct induction_variable {
  body_id phi;
  std::uint8_t width;
  bool has_start;        ///< the number at which it starts is known
  operation_flags flags; ///< of the increment, as one addition of `step`
  std::uint64_t start;
  std::uint64_t step; ///< not 0
};

/// An edge that leaves the loop.
struct loop_exit {
  std::uint32_t edge;    ///< of the body
  bool is_always_tested; ///< its source runs in each iteration that gets past the exits before it
  bool is_counted;       ///< compares an induction variable with a number that does not change: the next members
  bool is_at_bottom; ///< behind the test there is nothing but additions of numbers and comparisons, so that iterations
                     ///< are header executions; else the last one of these is not complete
  bool swapped;      ///< the bound is the first operand of the comparison
  std::uint32_t induction; ///< which
  operation seen_as;       ///< what is compared is the induction variable plus `addend`: `copy`; or `zero_extend`,
                           ///< `sign_extend` or `truncate` of that, to the width of the bound
  std::uint64_t addend;
  body_id bound;
  operation comparison; ///< of counter and bound, in this order
  bool exits_when;      ///< this comes out
  trip_count count;     ///< were it the only exit
  bool has_formula; ///< that is not known, but computable when the loop is entered: `formula`, of start + addend and
                    ///< bound, both brought to `formula.width` bits, wider ones by `seen_as`
  trip_formula formula; ///< never one whose `requires_no_wrap` is not kept
};

/// What `count_iterations` finds out.
struct loop_counters {
  flat_array<induction_variable> inductions;  ///< in the order of their phis
  flat_array<std::uint32_t> induction_of;     ///< by header phi, its place in `inductions`, or `no_body_value`
  flat_array<loop_exit> exits;                ///< in the order of the edges
  trip_count trip;                            ///< of all exits and hints together
  std::uint64_t trip_multiple = 1;            ///< header executions are a multiple of it
  std::uint32_t counted_exit = no_body_value; ///< the exit to unroll by: always tested, exact if there is one that is
                                              ///< (counted, or decided by a flag), else one with a formula; or
                                              ///< `no_body_value`
  std::uint64_t phi_period = 1;               ///< least common multiple of the lengths of the cycles of header phis;
                                              ///< 1 if it does not fit

  constexpr bool is_exact() const { return trip.kind == trip_count_kind::exact; }

  /// How many complete iterations the counted exit lets through, were it the only one; nothing if that is not known, or
  /// does not fit. A loop that is tested at the bottom runs its body once more than its edge back.
  constexpr std::optional<std::uint64_t> counted_iterations() const {
    if (counted_exit == no_body_value || exits[counted_exit].count.kind != trip_count_kind::exact) {
      return std::nullopt;
    }
    const trip_count& count = exits[counted_exit].count;
    return exits[counted_exit].is_at_bottom ? count.header_executions() : std::optional(count.backedges);
  }
};

MIDEND_END_NAMESPACE
