/// `meet_facts`: the intersection of two facts about a number.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/domains/number_domain.hpp"
#include "midend/dataflow/lattices/interval.hpp"
#include "midend/dataflow/lattices/known_bits.hpp"

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Reduces `a` to numbers that `b` allows, too. If the facts contradict each other, the number is never computed: then
/// `a` stays.
constexpr void meet_facts(unsigned width, number_domain::element& a, const number_domain::element& b) {
  if (number_domain().leq(a, b)) {
    return;
  }
  number_domain::element both = a;
  unsigned_interval().meet(both.range.as_unsigned, b.range.as_unsigned);
  signed_interval().meet(both.range.as_signed, b.range.as_signed);
  known_bits().meet(both.bits, b.bits);
  if (both.range.as_unsigned.is_bottom() || both.range.as_signed.is_bottom() || both.bits.is_bottom()) {
    return;
  }
  number_domain().reduce(width, both);
  a = both.is_bottom() ? a : both;
}

} // namespace detail

MIDEND_END_NAMESPACE
