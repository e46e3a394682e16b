/// `replacement_witness`: which values are equal. `verify_replacement` checks it.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/flat_array.hpp"

MIDEND_BEGIN_NAMESPACE

/// Wherever `value` may be read, it has the present value of `by`.
struct value_replacement {
  value_id value;
  value_id by;

  friend constexpr bool operator==(const value_replacement&, const value_replacement&) = default;
};

/// Values of the program before, which keep their numbers. No `by` is a `value` of another entry.
struct replacement_witness {
  flat_array<value_replacement> same;
};

MIDEND_END_NAMESPACE
