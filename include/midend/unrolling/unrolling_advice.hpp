/// `unrolling_advice`: whether and how to unroll a loop, with all numbers and reasons.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/loop_counts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/machine/lowering/body_cost.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/fraction.hpp"
#include "midend/transform/unrolling_form.hpp"
#include "midend/unrolling/unrolling_savings.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Why there is no advice for a loop.
enum class unrolling_obstacle : std::uint8_t {
  none,
  contains_loop,      ///< only innermost loops are unrolled
  irreducible,        ///< it contains a cycle that is not a natural loop
  unusual_control,    ///< a block has several successors and no condition
  too_large,          ///< one iteration has more operations than the limit; `candidates` holds the rolled loop, unless
                      ///< there are more than 16 times as many
  impossible_machine, ///< an operation needs a channel or a resource that the machine does not have
  cyclic_body,        ///< the dependences of one iteration form a cycle: the view is wrong
  too_many_exits      ///< exits times values used after the loop exceed `unrolling_options::max_exit_values`
};

/// Why a candidate was rejected.
enum class rejection : std::uint8_t {
  none,             ///< it was not rejected but chosen
  not_allowed,      ///< the options forbid it
  outdone,          ///< it was the best so far, until a later candidate was better
  not_faster,       ///< it takes more cycles per iteration than the best so far
  tie,              ///< it takes equally many cycles, with more operations or bytes
  gain_too_small,   ///< the gain is too small for its size: see `unrolling_options::least_gain`
  slower_in_total,  ///< it is slower over all iterations, with remainder and preparation
  trip_too_short,   ///< the loop has fewer iterations, as far as is known
  below_break_even, ///< it pays from `break_even` iterations on, and fewer are expected
  too_many_operations,
  too_many_bytes,
  too_many_registers,
  leaves_loop_buffer, ///< the new body does not fit in the loop buffer, but the rolled one does
  too_many_copies,    ///< its trial would exceed `unrolling_options::max_copies`
  not_asked_for,      ///< `unrolling_options::forced_factor` is another one
  refused             ///< the transformation cannot unroll the loop in this form
};

inline constexpr std::size_t num_rejections = 16;

/// What a decision assumes.
enum class assumption : std::uint8_t {
  lower_bound, ///< cycles are bounds that a schedule may not reach; made without `lowering_options::timer`
  branch_is_free_of_recurrence, ///< no operation waits for the backward branch; made if a loop remains
  no_signed_wrap,               ///< counters do not wrap, as the program promises
  alias_classes,                ///< accesses to different classes do not overlap
  reassociation,                ///< operations are regrouped where the program allows it
  if_conversion,                ///< branches inside the body became predicates
  speculated_loads,             ///< loads of later copies run before the exits of earlier ones are decided
  profile,                      ///< the average of a profile is used as the trip count
  assumed_trip,                 ///< nothing is known about the trip count
  trip_hint,                    ///< the hint of the program about the trip count is correct
  hardware_counter,             ///< `lowering_options::counts_in_hardware`
  first_level_loads             ///< loads hit the first level of the cache
};

inline constexpr std::size_t num_assumptions = 12;

/// A form of the loop and its cost. The rolled loop is one. For complete unrolling, the factor is the number of
/// complete iterations: `unrolling_form_of` adds the copy for the last test.
struct unrolling_candidate : unrolling_form {
  bool has_exact_count = false;           ///< the number of iterations is known
  std::uint64_t remainder_iterations = 0; ///< of a prologue or epilogue: exact if the count is, else the most that
                                          ///< are possible; 0 if the new body may end anywhere
  rejection why = rejection::none;
  bool is_evaluated = false; ///< else the numbers below are not valid
  bool is_tried = false;     ///< its trial ran; else the numbers are extrapolated from two trials
  body_cost body;
  body_cost rest; ///< code that runs once: unchanging operations, the count of new iterations, an unrolled
                  ///< remainder, peeled iterations
  fraction cycles_per_iteration;  ///< of the new body
  std::uint64_t total_cycles = 0; ///< for `unrolling_advice::iterations`, without set-up
  std::uint64_t setup_cycles = 0; ///< before the first new iteration: loop set-up, unchanging operations, computing the
                                  ///< trip count
  std::uint64_t total_bytes = 0;  ///< all code that replaces the loop
  fraction fall;                  ///< relative fall of the cycles per iteration against the last accepted candidate
  double gain = 0;                ///< fall / log2(ratio of bytes); 0 if not computed
  std::uint64_t break_even = 0;   ///< from this many iterations on never slower than the rolled loop; 0: never
};

/// Two bases of accesses that may overlap, as values of the IR.
struct base_pair {
  value_id first;
  value_id second;
};

/// The gain of a test before the loop that shows pairs of bases to be disjoint and leads to the new loop. If the test
/// fails, the rolled loop runs.
struct overlap_advice {
  bool is_worthwhile = false;   ///< faster than the decision over all iterations, test included; else nothing is valid
  unrolling_form form;          ///< `none`: the rolled loop is faster with the test
  bool has_exact_count = false; ///< see `unrolling_candidate`
  fraction cycles_per_iteration;
  std::uint64_t test_cycles = 0; ///< of the tests of all pairs
  std::uint64_t break_even = 0;  ///< from this many iterations on never slower than the rolled loop, test included
  flat_array<base_pair> pairs;   ///< each once
};

/// The loop around an innermost one of few iterations, if the inner one is unrolled completely in it: a candidate of
/// its own, with the cycles of both loops.
struct nest_advice {
  bool is_evaluated = false;      ///< else nothing below is valid
  node_id header = no_node;       ///< of the loop around
  unrolling_candidate unfolded;   ///< `body`: of the loop around; totals of all its iterations. If `why` is `none`,
                                  ///< the inner loop is unrolled completely because of it
  std::uint64_t iterations = 0;   ///< of the loop around, which totals are for
  std::uint64_t total_cycles = 0; ///< of both loops with the best form for the inner loop alone, or, if that is
                                  ///< complete unrolling, with the rolled loop
};

/// The name of a form: that of its kind, but for `partial` one of
///
/// - `partial_with_remainder`: the number of iterations is known, and not a multiple of the factor;
/// - `runtime`: it is computed before the loop;
/// - `uncounted`: neither, and each copy keeps its exit tests.
constexpr const char* name_of(const unrolling_form& form, bool has_exact_count) {
  if (form.kind != unrolling_kind::partial || (has_exact_count && form.remainder == remainder_placement::none)) {
    return name_of(form.kind);
  }
  return has_exact_count ? "partial_with_remainder" : form.has_limit() ? "runtime" : "uncounted";
}

/// The name of a candidate's form.
constexpr const char* name_of(const unrolling_candidate& c) {
  return name_of(c, c.has_exact_count);
}

/// The advice for one loop: all candidates with their numbers, the decision, and what it assumes.
struct unrolling_advice {
  loop_id loop = 0;
  node_id header = no_node;
  unrolling_obstacle obstacle = unrolling_obstacle::none; ///< with one, nothing below is valid but as it says
  flat_array<unrolling_candidate> candidates;             ///< in the order of trials, rolled first
  std::uint32_t chosen = 0;                               ///< the decision's position in `candidates`
  loop_counts counts;
  std::uint64_t iterations = 0; ///< complete iterations that totals are for: header executions, or backedges if the
                                ///< work comes after the test; at most 2^40
  machine_body machine;         ///< the operations of the chosen body; their origins are values of the IR
  machine_body rolled_machine;  ///< likewise of the rolled body
  std::uint32_t num_exits = 0;  ///< of the chosen body
  std::uint32_t num_inner_branches = 0; ///< branches of the chosen body that become predicates
  bool is_regrouped = false;            ///< the clean-up or the lowering regrouped sums of the chosen body
  flat_array<unrolling_saving> savings; ///< of the chosen body
  std::array<bool, num_assumptions> assumptions{};
  overlap_advice without_overlap; ///< what a test for overlapping memory would gain
  nest_advice nest;               ///< complete unrolling in the loop around

  constexpr const unrolling_candidate& rolled() const { return candidates[0]; }

  constexpr const unrolling_candidate& decision() const { return candidates[chosen]; }

  /// Whether the loop ends before its first iteration is complete.
  constexpr bool runs_no_iteration() const { return counts.is_exact() && counts.counted_iterations() == 0; }

  constexpr bool assumes(assumption a) const { return assumptions[static_cast<std::size_t>(a)]; }
};

namespace detail {

inline constexpr std::array<const char*, num_rejections> rejection_names = {"none",
                                                                            "not_allowed",
                                                                            "outdone",
                                                                            "not_faster",
                                                                            "tie",
                                                                            "gain_too_small",
                                                                            "slower_in_total",
                                                                            "trip_too_short",
                                                                            "below_break_even",
                                                                            "too_many_operations",
                                                                            "too_many_bytes",
                                                                            "too_many_registers",
                                                                            "leaves_loop_buffer",
                                                                            "too_many_copies",
                                                                            "not_asked_for",
                                                                            "refused"};

inline constexpr std::array<const char*, num_assumptions> assumption_names = {
    "lower_bound",      "branch_is_free_of_recurrence",
    "no_signed_wrap",   "alias_classes",
    "reassociation",    "if_conversion",
    "speculated_loads", "profile",
    "assumed_trip",     "trip_hint",
    "hardware_counter", "first_level_loads"};

inline constexpr std::array<const char*, 8> unrolling_obstacle_names = {
    "none",      "contains_loop",      "irreducible", "unusual_control",
    "too_large", "impossible_machine", "cyclic_body", "too_many_exits"};

} // namespace detail

/// The enumerator's name.
constexpr const char* name_of(rejection r) {
  return detail::rejection_names[static_cast<std::size_t>(r)];
}

/// The enumerator's name.
constexpr const char* name_of(assumption a) {
  return detail::assumption_names[static_cast<std::size_t>(a)];
}

/// The enumerator's name.
constexpr const char* name_of(unrolling_obstacle o) {
  return detail::unrolling_obstacle_names[static_cast<std::size_t>(o)];
}

MIDEND_END_NAMESPACE
