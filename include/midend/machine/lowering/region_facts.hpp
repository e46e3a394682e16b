/// `region_facts`: what is known about the values of a program that is read into regions.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/span.hpp"

MIDEND_BEGIN_NAMESPACE

/// Facts about the values of a program, in addition to what the program says.
struct region_facts {
  /// By value: whether it is a number that is not negative, read as a signed one. May be shorter than there are values:
  /// nothing is known about the others.
  span<const bool> not_negative;

  constexpr bool is_not_negative(value_id v) const { return v < not_negative.size() && not_negative[v]; }
};

MIDEND_END_NAMESPACE
