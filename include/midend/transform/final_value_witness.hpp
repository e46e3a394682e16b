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
  std::uint64_t ratio = 1; ///< 1: there is no power
  linear_form scale;
};

/// A loop takes so many backedges each time that it is entered.
struct claimed_count {
  node_id header = no_node;
  std::uint64_t backedges = 0;
};

/// Of the program before. What is not true is not believed.
struct final_value_witness {
  flat_array<claimed_evolution> evolutions;
  flat_array<claimed_count> counts; ///< one of a loop
};

MIDEND_END_NAMESPACE
