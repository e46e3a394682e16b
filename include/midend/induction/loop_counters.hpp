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

/// A header phi whose value in iteration k = 0, 1, … is `start` + k · `step` modulo 2^width.
struct induction_variable {
  body_id phi;
  std::uint8_t width;
  bool has_start;        ///< `start` is known
  operation_flags flags; ///< of the increment, as one addition of `step`
  std::uint64_t start;
  std::uint64_t step;     ///< not 0
  bool no_borrow = false; ///< the increment, as one subtraction of the opposite of `step`, does not wrap, unsigned
};

/// What a test compares if it is a counter whose step is a value from before the loop: in iteration k = 0, 1, … the
/// header phi is its start plus k times the step, shifted to the left, or minus that.
struct value_step {
  body_id phi = no_body_value;
  body_id step = no_body_value; ///< an invariant
  bool is_subtracted = false;   ///< the next value of the phi is the phi minus the step
  bool is_next = false;         ///< the next value is compared: start ± step at first; else the phi plus `addend`
  std::uint8_t shift = 0;
  std::uint64_t addend = 0;
  body_id offset = no_body_value; ///< an invariant that is added to that, or
  bool subtracts_offset = false;  ///< subtracted from it
  operation_flags flags = {};     ///< of all additions or subtractions
};

/// An edge that leaves the loop.
struct loop_exit {
  std::uint32_t edge;    ///< of the body
  bool is_always_tested; ///< every iteration that no earlier exit ends executes the block of this edge
  bool is_counted;       ///< it compares an induction variable with an invariant: `induction` to `exits_when` are valid
  bool
      is_at_bottom; ///< after the test there are only additions of numbers and comparisons, so that complete iterations
                    ///< are header executions; otherwise the last header execution is not a complete iteration
  bool swapped;     ///< the bound is the first operand of the comparison
  std::uint32_t induction; ///< position in `inductions`
  operation conversion;    ///< what is compared is the induction variable plus `addend`: `copy`; or `zero_extend`,
                           ///< `sign_extend` of it to the width of the bound; or `truncate` of it to that width or,
                           ///< extended again, to less
  std::uint8_t width;      ///< of what is compared, before it is extended to the width of the bound
  operation extension;     ///< how it is extended: `copy`, `zero_extend` or `sign_extend`, also if it was truncated
  std::uint64_t addend;
  body_id bound;
  operation comparison; ///< of counter and bound, in this order
  bool exits_when;      ///< the result of the comparison for which the edge is taken
  trip_count count;     ///< if this were the only exit
  bool has_formula;     ///< `count` is no exact number, but can be computed when the loop is entered, by `formula` of
                    ///< start + addend and bound, each converted to `formula.width` bits, wider ones by `conversion`
  trip_formula formula;  ///< its `requires_no_wrap` is always satisfied
  bool has_step_formula; ///< the same for a counter whose step is a value, `counter`: by `formula.with_step` of that
                         ///< value, the first number that is compared, and `bound`. Neither `is_counted` nor
                         ///< `has_formula`: of the members from `swapped` to `exits_when`, only `bound` is valid
  bool needs_end;        ///< that formula is right because the program promises that the loop ends; without the
                         ///< promise, it is right if the step is towards the bound
  value_step counter;    ///< if such a counter is compared with an invariant, `bound`, in each iteration; also without
                         ///< a formula
  bool is_computable; ///< `count` is exact or says that the exit is never taken, or it can be computed when the loop is
                      ///< entered: by `formula`, as the least number of several comparisons, a && b, or because the
                      ///< program promises that the loop ends. Not if the counter may step over a bound that it has to
                      ///< equal and the loop end in another way, before the counter breaks its promise
};

/// The result of `count_iterations`.
struct loop_counters {
  flat_array<induction_variable> inductions;  ///< in the order of their phis
  flat_array<std::uint32_t> induction_of;     ///< by header phi: its position in `inductions`, or `no_body_value`
  flat_array<loop_exit> exits;                ///< in the order of the edges
  trip_count trip;                            ///< of all exits and hints together
  std::uint64_t trip_multiple = 1;            ///< the number of header executions is a multiple of this
  std::uint32_t counted_exit = no_body_value; ///< the exit that decides how to unroll: always tested; the first taken
                                              ///< of those with an exact count, else one with a formula, else
                                              ///< `no_body_value`
  std::uint64_t phi_period = 1; ///< the least common multiple of the lengths of the cycles of header phis;
                                ///< 1 if it does not fit

  constexpr bool is_exact() const { return trip.kind == trip_count_kind::exact; }

  /// Whether each iteration compares a counter with what no iteration changes. Then a lower bound for the number of
  /// iterations can be computed before the loop, even if the counter may wrap (`emit_unrolled_limit`).
  constexpr bool compares_counter() const {
    for (const loop_exit& x : exits) {
      if (x.is_counted && x.is_always_tested) {
        return true;
      }
    }
    return false;
  }

  /// Whether the number of header executions is known when the loop is entered, whichever exit it takes: each exit
  /// is computable, and one is taken. The number is the least of theirs; a formula that gives 0 although the first
  /// test stays in the loop means 2^width.
  constexpr bool is_computable() const {
    if (is_exact()) {
      return true;
    }
    bool is_taken = false;
    for (const loop_exit& x : exits) {
      if (!x.is_computable) {
        return false;
      }
      is_taken = is_taken || (x.count.kind != trip_count_kind::endless && x.count.kind != trip_count_kind::wraps_first);
    }
    return is_taken;
  }

  /// The number of complete iterations until the counted exit is taken, if it were the only one; nothing if that is
  /// unknown or does not fit. A loop that is tested at the bottom has one more complete iteration than backedges taken.
  constexpr std::optional<std::uint64_t> counted_iterations() const {
    if (counted_exit == no_body_value || exits[counted_exit].count.kind != trip_count_kind::exact) {
      return std::nullopt;
    }
    const trip_count& count = exits[counted_exit].count;
    return exits[counted_exit].is_at_bottom ? count.header_executions() : std::optional(count.backedges);
  }
};

MIDEND_END_NAMESPACE
