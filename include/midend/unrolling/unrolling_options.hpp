/// The options of `advise_unrolling`: limits and policy.
#pragma once

#include "midend/config.hpp"
#include "midend/support/fraction.hpp"
#include "midend/unrolling/lowering/body_cost.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// Where the iterations go that are too few for a pass of the new body.
enum class remainder_placement : std::uint8_t {
  none,     ///< there are none
  prologue, ///< before the loop
  epilogue, ///< behind it
  mid_exit  ///< in the new body, which is left in the middle
};

/// Limits and policy of `advise_unrolling`.
struct unrolling_options {
  lowering_options lowering;

  // Limits. Candidates beyond them are rejected, with that reason.
  std::uint32_t max_factor = 64;
  std::uint64_t max_operations = 300; ///< of the new body
  std::uint64_t max_bytes = 4096;     ///< of the new body and its remainder
  std::uint32_t max_copies = 256;     ///< that are evaluated in all, the smallest factors first
  std::uint32_t max_peeled = 4;

  /// A larger factor is taken if (fall in cycles an iteration, as a fraction) / log2(ratio of bytes) is at least this.
  fraction least_gain = {1, 10};

  remainder_placement remainder = remainder_placement::epilogue;

  bool allows_full = true;
  bool allows_partial = true;
  bool allows_runtime = true;
  bool allows_uncounted = true;
  bool allows_peeling = true;

  /// Trips of a loop about which nothing is known. Every conclusion from it is marked as an assumption.
  std::uint64_t assumed_trip = 100;

  /// Take this factor if it is legal, whatever the others give; 0: choose.
  std::uint32_t forced_factor = 0;
};

MIDEND_END_NAMESPACE
