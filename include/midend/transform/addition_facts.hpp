/// `addition_facts`: bounds of values, from which transformations of additions see that a sum does not wrap.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/domains/strided_interval_domain.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/span.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// What is known about values, by number: `sccp(ir, strided_interval_domain()).facts()`. They hold for the
/// program that was analysed, and as long as its values keep their meaning; `verify_sccp` checks them. The span may be
/// empty, or shorter than the values are many.
using addition_facts = span<const strided_interval_domain::element>;

namespace detail {

/// What is known about `v`, or null.
constexpr const strided_interval_domain::element* fact_about(addition_facts facts, value_id v) {
  return v >= facts.size() || facts[v].is_bottom() ? nullptr : &facts[v];
}

/// Whether a fact, or null, shows that the value plus `by`, both read as signed numbers, does not wrap.
constexpr bool signed_sum_fits(const strided_interval_domain::element* known, std::uint64_t by, unsigned width) {
  if (known == nullptr) {
    return false;
  }
  const std::int64_t end = as_signed(by, width) < 0 ? known->range.as_signed.low : known->range.as_signed.high;
  return !wrapping_add(static_cast<std::uint64_t>(end), by, width).signed_wrap;
}

/// Whether it shows that the value, read as an unsigned number, plus `by`, read as a signed one, is an unsigned number.
constexpr bool unsigned_sum_fits(const strided_interval_domain::element* known, std::uint64_t by, unsigned width) {
  if (known == nullptr) {
    return false;
  }
  const auto wide = static_cast<std::uint64_t>(as_signed(by, width));
  const auto& range = known->range.as_unsigned;
  return as_signed(by, width) < 0 ? range.low >= 0 - wide : low_ones(width) - range.high >= wide;
}

} // namespace detail

MIDEND_END_NAMESPACE
