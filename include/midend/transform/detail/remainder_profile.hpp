/// `remainder_profile`: divides the profile of a loop between its new body and the remainder.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/cost.hpp"
#include "midend/support/flat_array.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// How a loop is unrolled, as far as its profile needs it.
struct remainder_shape {
  std::uint32_t copies;
  std::uint64_t factor;
  bool runs_rest_first; ///< the copies run the remainder first, then the old loop runs whole rounds
};

/// The counts of a loop before it is unrolled.
struct remainder_counts {
  double entered; ///< entries from outside
  double headers; ///< executions of the header
  double repeats; ///< the probability of one more iteration
};

struct remainder_shares {
  double inserted[4]; ///< guard to copies, guard to the old loop, latch to the old loop, latch to copies
};

/// Divides the counts of a loop between the copies and the old loop. The number of rounds follows from the average trip
/// count, if (factor - 1) / 2 iterations are left on average. In the copies and in the old loop the next iteration is
/// as probable as before. `of_counts` gets the share of each copy and of the old loop.
inline remainder_shares divide_remainder_counts(const remainder_shape& shape, const remainder_counts& counts,
                                                flat_array<double>& of_counts) {
  of_counts.clear();
  const double entered = counts.entered;
  const double all = counts.headers;
  const double copies = shape.copies;
  double passes = entered == 0 ? 0 : (all / entered - (copies + 1) / 2) / copies;
  double enters = passes >= 1 ? 1 : passes <= 0 ? 0 : passes;
  if (shape.runs_rest_first && entered != 0) { // 0 to factor - 1 iterations, each number as probable
    const double rest = static_cast<double>(shape.factor) / 2;
    passes = rest < all / entered ? rest : all / entered;
    enters = 1 - 1 / static_cast<double>(shape.factor);
  }
  double repeats = 1; // the probability to get through a round
  double header = 0;  // executions of headers in a round
  for (std::uint32_t k = 0; k != shape.copies; ++k) {
    header += repeats;
    repeats *= counts.repeats;
  }
  const double wanted = passes > 1 ? 1 - 1 / passes : 0; // as long as copies have their tests, some runs leave there
  const double again = wanted < repeats ? wanted / repeats : repeats == 0 ? 0 : 1;
  const double first = entered == 0 ? 0 : entered * enters / (1 - again * repeats); // executions of the first copy
  remainder_shares result{
      {entered * enters, entered * (1 - enters), first * repeats * (1 - again), first * repeats * again}};
  double share = all == 0 ? 0 : first / all;
  for (std::uint32_t k = 0; k != shape.copies; ++k) {
    of_counts.push_back(share);
    share *= counts.repeats;
  }
  of_counts.push_back(all == 0 ? 1 : 1 - first * header / all);
  return result;
}

struct remainder_hints {
  loop_hints copies;
  loop_hints rest; ///< of the old loop
};

/// The hints for the old loop: it may run as often as before, but usually does not.
inline remainder_hints divide_remainder_hints(const remainder_shape& shape, const loop_hints& old) {
  remainder_hints result{{}, {0, old.maximum, 0}};
  if (shape.runs_rest_first) {
    const auto most = shape.factor - 1;
    result.copies.maximum = old.maximum == 0 || old.maximum > most ? most : old.maximum;
    if (old.average != 0) {
      const double before = static_cast<double>(most) / 2;
      result.copies.average = static_cast<double>(shape.factor) / 2;
      result.rest.average = old.average > before + 1 ? old.average - before : 1;
    }
    return result;
  }
  const double copies = shape.copies;
  const std::uint64_t most = (old.maximum - 1) / shape.copies; // one is always left for the old loop
  result.copies.maximum = old.maximum == 0 ? 0 : most == 0 ? 1 : most;
  if (old.average != 0) {
    const double passes = (old.average - (copies + 1) / 2) / copies;
    result.copies.average = passes < 1 ? 1 : passes;
    result.rest.average = (copies + 1) / 2;
  }
  return result;
}

} // namespace detail

MIDEND_END_NAMESPACE
