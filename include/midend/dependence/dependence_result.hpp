/// `dependence_result`: whether two accesses of a nest meet, with the proof.
#pragma once

#include "midend/config.hpp"
#include "midend/dependence/nest_accesses.hpp"
#include "midend/support/checked_integer.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// The answers. None converts to a truth value, so `unknown` cannot be taken for `independent`.
enum class dependence_answer : std::uint8_t {
  unknown,    ///< they may meet or not: every case that is not excluded is possible
  dependent,  ///< there are two iterations in which they meet, for some numbers of the unknowns
  independent ///< no run has two iterations in which they have a byte in common
};

/// The order of the iterations of the first and the second access, in a loop around both.
enum class iteration_order : std::uint8_t {
  before, ///< <: the first access is in an earlier iteration
  same,   ///< =
  after   ///< >
};

/// A set of orders: bit `o` says whether `o` is in it.
using iteration_orders = std::uint8_t;

inline constexpr iteration_orders all_iteration_orders = 7;

constexpr iteration_orders only(iteration_order o) {
  return static_cast<iteration_orders>(1U << static_cast<unsigned>(o));
}

enum class memory_dependence_kind : std::uint8_t {
  flow,   ///< a write, then a read
  anti,   ///< a read, then a write
  output, ///< two writes
  input   ///< two reads
};

/// The test that decided, from cheap to exact. The subscript tests are those of G. Goff, K. Kennedy, C. Tseng,
/// "Practical dependence testing", PLDI 1991.
enum class dependence_test : std::uint8_t {
  none,
  classes,           ///< different classes of memory
  ziv,               ///< no counter: the places are a number apart
  strong_siv,        ///< one counter, with one factor in both
  weak_zero_siv,     ///< one counter, in one of them
  weak_crossing_siv, ///< one counter, with opposite factors
  exact_siv,         ///< one counter, with any two factors
  rdiv,              ///< two counters, one in each
  gcd,               ///< several counters, whose factors have a common divisor that does not divide the distance
  bounds,            ///< several counters: the least and the greatest distance do not reach the bytes of the other
  elimination        ///< several counters: no integers solve all inequalities
};

/// Why a part of the answer is unknown.
enum class dependence_obstacle : std::uint8_t {
  none,
  unknown_place,   ///< the place of an access is unknown: see its `obstacle`
  unknown_size,    ///< the size of an access is unknown
  different_bases, ///< the bases are different values, which may be one address or not
  too_large,       ///< a number of the computation has more than 127 bits
  budget           ///< the options allow no more work
};

/// An inequality that holds for two iterations in which the accesses meet, as a sum that is at least 0. Variables are
/// the counters of the first access, from outside in, then those of the second one, then the symbols that the places of
/// both or limits of loops around them name, by their numbers, and then, if addresses are modulo 2^n, the multiple of
/// 2^n by which the two addresses differ, which is added to the first.
enum class nest_fact : std::uint8_t {
  counter_low,   ///< `index` is the variable: a counter is not negative
  counter_high,  ///< it is below the number of iterations
  counter_limit, ///< it is below the limit of its loop
  symbol_low,
  symbol_high,
  place_low,      ///< the first access does not end before the second one begins
  place_high,     ///< nor does the second one end before the first one begins
  order_first,    ///< `index` is a level of the case: second counter - first one - (1 if it is `before`)
  order_second,   ///< first counter - second one - (1 if it is `after`)
  distance_below, ///< a claim about a distance d at level `index`: d - 1 - (second counter - first one)
  distance_above  ///< second counter - first one - (d + 1)
};

enum class proof_step_kind : std::uint8_t {
  fact,         ///< an inequality by `fact` and `index`
  combination,  ///< a sum of earlier inequalities times positive numbers; divided by the common divisor of the factors
                ///< of the variables, its constant rounded down
  definition,   ///< a new variable that is a sum: two inequalities, variable - sum, then sum - variable
  split,        ///< two cases: in the first one a sum is at least 0, in the second one at most -1
  contradiction ///< an inequality without variables whose constant is negative: ends the case, the next one begins
};

/// In a combination `index` is an inequality, in definitions and splits a variable, or `constant`.
struct proof_term {
  static constexpr std::uint32_t constant = static_cast<std::uint32_t>(-1);

  std::uint32_t index = 0;
  checked_integer factor;
};

/// Inequalities are numbered from 0 in the order of the steps. Where the second case of a split begins, those and the
/// variables of the first case are forgotten.
struct proof_step {
  proof_step_kind kind = proof_step_kind::fact;
  nest_fact fact = nest_fact::counter_low;
  std::uint32_t index = 0; ///< of a fact; for a contradiction, of its inequality
  std::uint32_t first = 0; ///< position in the terms
  std::uint32_t count = 0;
};

/// A proof by linear arithmetic over integers that there are no two iterations of a kind: J. Farkas' lemma with
/// rounding (Chvátal-Gomory cuts) and splits.
struct proof_range {
  std::uint32_t first = 0; ///< position in the steps
  std::uint32_t count = 0;
};

enum class dependence_case_kind : std::uint8_t {
  refuted,        ///< `proof` shows that there is no such pair
  other_class,    ///< different classes of memory exclude it
  same_operation, ///< one run of one operation: no pair
  possible,       ///< with a witness, there is such a pair; without one, there may be
};

/// The pairs of iterations that have given orders in the outermost loops around both accesses, and any in the others.
struct dependence_case {
  dependence_case_kind kind = dependence_case_kind::possible;
  dependence_test by = dependence_test::none;               ///< valid if it is refuted: by which test
  dependence_obstacle obstacle = dependence_obstacle::none; ///< valid if it is possible and has no witness
  bool has_witness = false;
  std::uint32_t first_order = 0; ///< position in the orders
  std::uint32_t num_orders = 0;
  std::uint32_t witness = 0; ///< position of the first number in the witnesses: one for each variable
  std::uint32_t num_variables = 0;
  proof_range proof;
};

/// In all pairs of a case, the second counter at a level is `distance` more than the first one.
struct distance_claim {
  std::uint32_t of_case = 0;
  std::uint32_t level = 0;
  std::int64_t distance = 0;
  proof_range below; ///< proves that the distance is not less
  proof_range above;
};

/// Facts about the iterations in which `first` and `second` meet, that is, have a byte in common. Valid for each run of
/// the nest. For which of the accesses write, see `dependence_kind_of`.
///
/// Cases are disjoint, in the order of their vectors of orders (before, same, after), and all vectors are in one. An
/// access and itself are a pair, too, in different iterations.
struct dependence_result {
  access_id first = 0;
  access_id second = 0;
  dependence_answer answer = dependence_answer::unknown;
  bool is_exact = false;                      ///< whether each possible case has a witness
  bool forward = true;                        ///< whether `first` may run before `second` and meet it
  bool backward = true;                       ///< whether `first` may run after `second` and meet it
  bool loop_independent = false;              ///< whether both may meet in one iteration of all loops around both
  std::uint32_t levels = 0;                   ///< number of loops around both
  std::uint64_t work = 0;                     ///< numbers that were computed and compared: see `dependence_options`
  dependence_test by = dependence_test::none; ///< valid if independent: the most exact test that was needed
  dependence_obstacle obstacle = dependence_obstacle::none; ///< that of the first case that has one
  flat_array<iteration_orders> orders;                      ///< by level, from outside in: the orders of all possible
                                                            ///< cases
  flat_array<dependence_case> cases;
  flat_array<distance_claim> distances;
  flat_array<iteration_order> case_orders;
  flat_array<checked_integer> witnesses;
  flat_array<proof_step> steps;
  flat_array<proof_term> terms;

  bool is_independent() const { return answer == dependence_answer::independent; }

  span<const iteration_order> orders_of(const dependence_case& c) const {
    return {case_orders.data() + c.first_order, c.num_orders};
  }

  span<const checked_integer> witness_of(const dependence_case& c) const {
    return {witnesses.data() + c.witness, c.has_witness ? c.num_variables : 0};
  }

  span<const proof_step> steps_of(const proof_range& p) const { return {steps.data() + p.first, p.count}; }

  /// The difference of the second counter and the first one at a level, if it is one number in all cases.
  std::optional<std::int64_t> distance(std::uint32_t level) const {
    std::optional<std::int64_t> out;
    for (std::uint32_t i = 0; i != cases.size(); ++i) {
      const dependence_case& c = cases[i];
      if (c.kind != dependence_case_kind::possible) {
        continue;
      }
      std::optional<std::int64_t> here;
      if (level < c.num_orders && orders_of(c)[level] == iteration_order::same) {
        here = 0;
      }
      for (const distance_claim& d : distances) {
        if (d.of_case == i && d.level == level) {
          here = d.distance;
        }
      }
      if (!here || (out && *out != *here)) {
        return std::nullopt;
      }
      out = here;
    }
    return out;
  }
};

/// The kind of a pair if `first` runs first (`forward`), or if `second` does.
constexpr memory_dependence_kind dependence_kind_of(bool earlier_writes, bool later_writes) {
  return earlier_writes ? (later_writes ? memory_dependence_kind::output : memory_dependence_kind::flow)
                        : (later_writes ? memory_dependence_kind::anti : memory_dependence_kind::input);
}

MIDEND_END_NAMESPACE
