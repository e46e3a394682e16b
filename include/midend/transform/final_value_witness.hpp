/// `final_value_witness`: how values evolve in loops. `verify_final_values` proves it.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/support/flat_array.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// In iteration k of its loop, the phi of a header, or the number that it is with or without a sign, is
///
///     c₀ + c₁ · k + c₂ · (k over 2) + c₃ · (k over 3) + scale · ratio^k
///
/// where coefficients are sums of values from outside the loop.
struct claimed_evolution {
  static constexpr unsigned max_degree = 3;

  value_id phi = no_value;
  number_reading reading = number_reading::low_bits;
  linear_form coefficients[max_degree + 1];
  std::uint64_t ratio = 1; ///< 1: the form has no power
  linear_form scale;
};

/// How many backedges a loop takes each time that it is entered.
struct claimed_count {
  node_id header = no_node;
  std::uint64_t backedges = 0;
};

/// Claims about the program before. The checker believes none without a proof.
struct final_value_witness {
  flat_array<claimed_evolution> evolutions;
  flat_array<claimed_count> counts; ///< one for a loop
};

MIDEND_END_NAMESPACE
