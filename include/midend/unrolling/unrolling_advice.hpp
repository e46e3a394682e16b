/// `unrolling_advice`: whether and how to unroll a loop, with all numbers and reasons.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/induction/loop_counters.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/fraction.hpp"
#include "midend/unrolling/copies/unrolled_body.hpp"
#include "midend/unrolling/lowering/body_cost.hpp"
#include "midend/unrolling/unrolling_options.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// How a loop is unrolled.
enum class unrolling_kind : std::uint8_t {
  none,
  full,                   ///< all iterations follow each other, no loop is left; with their exit tests, if their number
                          ///< is an upper bound
  partial,                ///< the factor divides the trip count
  partial_with_remainder, ///< it does not, and the rest is known
  runtime,                ///< the trip count is computed before the loop
  uncounted,              ///< each copy keeps its exit test
  peel                    ///< the first iterations come before the loop
};

inline constexpr std::size_t num_unrolling_kinds = 7;

/// Why a loop is not looked at.
enum class unrolling_obstacle : std::uint8_t {
  none,
  contains_loop,      ///< only innermost loops are unrolled
  irreducible,        ///< there is a cycle inside that is no natural loop
  unusual_control,    ///< control leaves a block in a way that no condition decides
  too_large,          ///< one iteration has more operations than the limit
  impossible_machine, ///< an operation needs a channel or a resource that the machine does not have
  cyclic_body         ///< the dependences of one iteration are a cycle: the view is wrong
};

/// The obstacle to unrolling a loop that has no body.
constexpr unrolling_obstacle to_unrolling_obstacle(loop_obstacle o) {
  switch (o) {
  case loop_obstacle::contains_loop:
    return unrolling_obstacle::contains_loop;
  case loop_obstacle::irreducible:
    return unrolling_obstacle::irreducible;
  case loop_obstacle::unusual_control:
    return unrolling_obstacle::unusual_control;
  default:
    return unrolling_obstacle::none;
  }
}

/// Why a candidate was not taken.
enum class rejection : std::uint8_t {
  none,             ///< this is the one
  not_allowed,      ///< by the options
  outdone,          ///< was the best of the smaller ones, until a larger one was better
  not_faster,       ///< takes as many cycles an iteration as one that is smaller, or more
  tie,              ///< as many, with more operations or bytes
  gain_too_small,   ///< for its size: the rule of `unrolling_options::least_gain`
  slower_in_total,  ///< over all iterations, remainder and preparation included
  trip_too_short,   ///< the loop runs less often, as far as is known
  below_break_even, ///< it pays from `break_even` iterations on, and the profile says that there are fewer
  too_many_operations,
  too_many_bytes,
  too_many_registers,
  leaves_loop_buffer, ///< the new body does not fit in the loop buffer, the old one does
  too_many_copies,    ///< more than `unrolling_options::max_copies` were evaluated before
  not_asked_for       ///< another factor is forced
};

inline constexpr std::size_t num_rejections = 15;

/// What a decision rests on.
enum class assumption : std::uint8_t {
  lower_bound,                  ///< always: cycles are bounds that a schedule may not reach
  branch_is_free_of_recurrence, ///< always: no operation waits for the branch back
  no_signed_wrap,               ///< increments of counters keep their promise
  alias_classes,                ///< accesses of different classes do not overlap
  reassociation,                ///< operations were regrouped
  if_conversion,                ///< branches inside the body became guards
  speculated_loads,             ///< loads of later copies run before the exits of earlier ones are decided
  profile,                      ///< an average was used as the trip count
  assumed_trip,                 ///< nothing is known of the trip count
  trip_hint,                    ///< the program says something of the trip count
  hardware_counter,             ///< `lowering_options::counts_in_hardware`
  first_level_loads             ///< loads hit the first level of the cache
};

inline constexpr std::size_t num_assumptions = 12;

/// A way to run the loop, the one as it is (factor 1, `none`) among them.
struct unrolling_candidate {
  unrolling_kind kind = unrolling_kind::none;
  std::uint32_t factor = 1; ///< copies in the new body; peeled iterations for `peel`
  remainder_placement remainder = remainder_placement::none;
  std::uint64_t remainder_iterations = 0; ///< that are left; if the count is unknown, at most
  rejection reason = rejection::none;
  bool is_evaluated = false; ///< else the numbers below say nothing
  body_cost body;
  body_cost rest;                 ///< of the remainder, or what is peeled
  fraction cycles_per_iteration;  ///< of the new body
  std::uint64_t total_cycles = 0; ///< for `unrolling_advice::iterations`, without set-up
  std::uint64_t setup_cycles = 0; ///< before the first pass: loop set-up, computing the trip count
  std::uint64_t total_bytes = 0;  ///< all code that replaces the loop
  fraction fall;                  ///< in cycles an iteration, against the last one accepted before it
  double gain = 0;                ///< fall / log2(ratio of bytes), as far as it was asked for
  std::uint64_t break_even = 0;   ///< from so many iterations on never slower than the loop as it is; 0: never
};

/// The advice for one loop.
struct unrolling_advice {
  loop_id loop = 0;
  node_id header = no_node;
  unrolling_obstacle obstacle = unrolling_obstacle::none; ///< if there is one, nothing else is filled in
  flat_array<unrolling_candidate> candidates;             ///< the loop as it is first, then by factor
  std::uint32_t chosen = 0;                               ///< among them
  loop_counters counters;
  loop_body body;               ///< what the numbers of values in `savings` refer to
  std::uint64_t iterations = 0; ///< complete ones that totals are for: header executions, or backedges where the work
                                ///< is behind the test; at most 2^40
  machine_body machine;         ///< of the chosen body, with the cycle that bounds it
  machine_body rolled_machine;  ///< the same of the loop as it is
  flat_array<unrolling_saving> savings; ///< of the chosen body
  std::array<bool, num_assumptions> assumptions{};

  constexpr const unrolling_candidate& rolled() const { return candidates[0]; }

  constexpr const unrolling_candidate& decision() const { return candidates[chosen]; }

  constexpr bool assumes(assumption a) const { return assumptions[static_cast<std::size_t>(a)]; }
};

namespace detail {

inline constexpr std::array<const char*, num_unrolling_kinds> unrolling_kind_names = {
    "none", "full", "partial", "partial_with_remainder", "runtime", "uncounted", "peel"};

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
                                                                            "not_asked_for"};

inline constexpr std::array<const char*, num_assumptions> assumption_names = {
    "lower_bound",      "branch_is_free_of_recurrence",
    "no_signed_wrap",   "alias_classes",
    "reassociation",    "if_conversion",
    "speculated_loads", "profile",
    "assumed_trip",     "trip_hint",
    "hardware_counter", "first_level_loads"};

inline constexpr std::array<const char*, 7> unrolling_obstacle_names = {
    "none", "contains_loop", "irreducible", "unusual_control", "too_large", "impossible_machine", "cyclic_body"};

inline constexpr std::array<const char*, 4> remainder_placement_names = {"none", "prologue", "epilogue", "mid_exit"};

} // namespace detail

/// The enumerator's name.
constexpr const char* name_of(unrolling_kind k) {
  return detail::unrolling_kind_names[static_cast<std::size_t>(k)];
}

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

/// The enumerator's name.
constexpr const char* name_of(remainder_placement p) {
  return detail::remainder_placement_names[static_cast<std::size_t>(p)];
}

MIDEND_END_NAMESPACE
