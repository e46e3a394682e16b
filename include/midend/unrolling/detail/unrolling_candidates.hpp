/// The forms of a loop that are worth a try, by its iteration count, its moduli and its counters.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_counts.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/fraction.hpp"
#include "midend/support/order.hpp"
#include "midend/support/sort.hpp"
#include "midend/unrolling/detail/unrolling_features.hpp"
#include "midend/unrolling/unrolling_advice.hpp"
#include "midend/unrolling/unrolling_options.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The number of iterations of a loop. Only complete ones count: a loop that is tested before its work has one less
/// than header executions.
struct iteration_count {
  bool is_exact = false;                  ///< the counted exit ends the loop after exactly `exact` iterations
  std::uint64_t exact = 0;                ///< valid if it is exact
  std::uint64_t divisible = 1;            ///< the number is a multiple of this
  bool is_computable = false;             ///< the number is not constant, but can be computed before the loop
  std::uint64_t expected = 0;             ///< the number on which totals are based
  bool is_assumed = false;                ///< nothing is known: `expected` is `unrolling_options::assumed_trip`
  bool is_profiled = false;               ///< `expected` comes from a profile
  std::uint64_t most = ~std::uint64_t{0}; ///< more are impossible, or not expected
};

/// Totals are for at most this many iterations, so that they fit in 64 bits.
inline constexpr std::uint64_t longest_total = std::uint64_t{1} << 40;

/// The nearest number of iterations to an average, at least 1.
constexpr std::uint64_t rounded_trip(double average) {
  if (average >= static_cast<double>(longest_total)) {
    return longest_total;
  }
  return average < 1 ? 1 : static_cast<std::uint64_t>(average + 0.5);
}

constexpr iteration_count iterations_of(const loop_counts& counts, const unrolling_options& options) {
  iteration_count n;
  const std::uint64_t extra = counts.is_counted && !counts.is_at_bottom ? 0 : 1; // besides the taken backedges
  n.expected = min(options.assumed_trip, longest_total);
  n.is_assumed = true;
  if (counts.hints.average > 0) {
    n.expected = rounded_trip(counts.hints.average - (extra == 0 ? 1 : 0));
    n.is_profiled = true;
    n.is_assumed = false;
    n.most = n.expected;
  }
  if (counts.trip.kind == trip_count_kind::at_most && counts.trip.header_executions()) {
    n.most = min(n.most, counts.trip.backedges + extra);
    n.expected = min(n.expected, n.most);
  }
  if (counts.is_exact()) {
    n.most = counts.trip.backedges + extra >= extra ? counts.trip.backedges + extra : n.most;
    n.expected = min(n.most, longest_total);
    n.is_profiled = n.is_assumed = false;
  }
  if (const auto exact = counts.counted_iterations()) {
    n.is_exact = true;
    n.exact = *exact;
    n.divisible = n.exact;
  } else if (counts.is_counted && counts.has_formula) {
    n.is_computable = true;
    n.divisible = extra == 1 ? counts.trip.multiple : 1;
  }
  return n;
}

/// The candidate for a factor: where its remainder runs, and whether the options exclude it.
constexpr unrolling_candidate candidate_of_factor(std::uint32_t factor, const iteration_count& count,
                                                  const unrolling_options& options) {
  unrolling_candidate c;
  c.kind = unrolling_kind::partial;
  c.factor = factor;
  c.has_exact_count = count.is_exact;
  const bool divides = count.divisible % factor == 0;
  const remainder_placement placement =
      options.remainder == remainder_placement::none ? remainder_placement::epilogue : options.remainder;
  bool is_allowed = options.allows_uncounted;
  if (count.is_exact) {
    static_cast<unrolling_form&>(c) = partial_unrolling(factor, count.exact, placement, options.max_unrolled_rest);
    c.remainder_iterations = c.known_remainder;
    is_allowed = options.allows_partial;
  } else if (count.is_computable && divides) { // the old loop stays, for its last test only
    c.remainder = remainder_placement::epilogue;
    is_allowed = options.allows_runtime;
  } else if (count.is_computable && placement != remainder_placement::mid_exit) {
    c.remainder = placement;
    c.remainder_iterations = factor - 1;
    is_allowed = options.allows_runtime;
  } else { // the loop may end in any copy, so each needs the exit test
    c.remainder = remainder_placement::mid_exit;
  }
  c.why = factor > count.most ? rejection::trip_too_short : is_allowed ? rejection::none : rejection::not_allowed;
  return c;
}

struct unrolling_factors {
  flat_array<std::uint32_t> factors; ///< ascending, each once, at least 2

  /// Refills the factors, up to `most`:
  /// - divisors of the trip count, which leave no remainder;
  /// - powers of two up to 16, which often divide it; dividing the trip count by them is cheap;
  /// - moduli, with the greatest common divisors and least common multiples of each two: at a multiple of a modulus its
  ///   quotients and remainders are known;
  /// - the period of header phis that change places, whose moves vanish at its multiples;
  /// - the denominator of the resource bound, at which no part of a cycle is lost.
  constexpr void collect(const unrolling_features& features, std::uint64_t phi_period, std::uint64_t trip_multiple,
                         std::uint64_t denominator, std::uint64_t most) {
    factors.clear();
    for (std::uint64_t f = 2; f <= 16; f *= 2) {
      offer(f, most);
    }
    for (std::uint64_t d = 2; d <= most && d <= trip_multiple; ++d) {
      if (trip_multiple % d == 0) {
        offer(d, most);
      }
    }
    const flat_array<std::uint64_t>& moduli = features.moduli;
    for (std::size_t i = 0; i != moduli.size() && moduli[i] <= most; ++i) {
      offer(moduli[i], most);
      for (std::size_t j = 0; j != i; ++j) {
        const std::uint64_t common = greatest_common_divisor(moduli[i], moduli[j]);
        offer(common, most);
        offer(moduli[i] / common * moduli[j], most);
      }
    }
    offer(phi_period, most);
    offer(denominator, most);
    sort_and_deduplicate(factors);
  }

  /// Adds one more factor if it is at least `least`.
  constexpr void insert(std::uint64_t factor, std::uint64_t least, std::uint64_t most) {
    if (factor >= least) {
      offer(factor, most);
      sort_and_deduplicate(factors);
    }
  }

private:
  constexpr void offer(std::uint64_t factor, std::uint64_t most) {
    if (factor >= 2 && factor <= most) {
      factors.push_back(static_cast<std::uint32_t>(factor));
    }
  }
};

/// Whether there is a reason to peel this many iterations: a counter reaches a constant that it is compared with, a
/// header phi has its final value, or the profile expects exactly this many iterations.
constexpr bool may_pay_to_peel(const unrolling_features& features, const iteration_count& count, std::uint32_t peeled) {
  if ((count.is_profiled && count.expected == peeled) || (peeled == 1 && features.has_settling_phi)) {
    return true;
  }
  for (const compared_counter& c : features.comparisons) {
    if (c.passes_after(peeled)) {
      return true;
    }
  }
  return false;
}

} // namespace detail

MIDEND_END_NAMESPACE
