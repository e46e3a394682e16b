/// `unrolling_options`: limits and policy of `advise_unrolling`.
#pragma once

#include "midend/config.hpp"
#include "midend/machine/lowering/body_cost.hpp"
#include "midend/support/fraction.hpp"
#include "midend/transform/unrolling_form.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Limits and policy of `advise_unrolling`.
struct unrolling_options {
  lowering_options lowering;

  // Limits: candidates beyond them are rejected.
  std::uint32_t max_factor = 64;
  std::uint64_t max_operations = 300;  ///< of the new body; above 4,096, raise `unrolling_limits`, too
  std::uint64_t max_bytes = 4096;      ///< of the new body and its remainder
  std::uint32_t max_copies = 256;      ///< copies tried for all factors together, the smallest factors first
  std::uint32_t max_peeled = 4;        ///< iterations to peel at most
  std::uint32_t max_unrolled_rest = 8; ///< remainders of a known length up to this one are unrolled completely
  /// Each exit needs each value that is read after the loop. Loops with a larger product of both numbers are refused.
  std::uint64_t max_exit_values = 1 << 16;

  /// A larger factor is accepted if (fall in cycles per iteration, as a fraction) / log2(ratio of bytes) is at least
  /// this.
  fraction least_gain = {1, 10};

  remainder_placement remainder = remainder_placement::epilogue; ///< where leftover iterations run; `none`: epilogue

  bool allows_full = true;
  bool allows_partial = true;
  bool allows_runtime = true;
  bool allows_uncounted = true;
  bool allows_peeling = true;

  /// The trip count of a loop about which nothing is known. Using it is listed as an assumption.
  std::uint64_t assumed_trip = 100;

  /// Takes this factor if it is legal, even if others are better; 0: choose.
  std::uint32_t forced_factor = 0;
};

MIDEND_END_NAMESPACE
