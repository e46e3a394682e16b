/// The parts of facts that satisfy comparisons with constants.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"

#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The part of `a` that satisfies `a code c`, for a comparison `code` of numbers of `width` bits. Without `assume`,
/// only constants are decided: the result is then `a` or bottom.
template <value_domain D>
constexpr element_of<D> compared(const D& domain, operation code, element_of<D> a, std::uint64_t c, unsigned width) {
  if constexpr (has_assume<D>) {
    element_of<D> other = domain.constant(width, c);
    domain.assume(code, width, a, other);
  } else if (const std::optional<std::uint64_t> only = domain.as_constant(a);
             only && !comparison_holds(code, *only, c, width)) {
    a = domain.bottom();
  }
  return a;
}

/// The part of `a` in a range of numbers of `width` bits.
template <value_domain D>
constexpr element_of<D> restricted(const D& domain, const element_of<D>& a, const number_range& range, unsigned width) {
  const element_of<D> above =
      compared(domain, range.is_signed ? operation::greater_equal : operation::ugreater_equal, a, range.low, width);
  return compared(domain, range.is_signed ? operation::less_equal : operation::uless_equal, above, range.high, width);
}

/// Removes the numbers of a range from `rest` if they are at one of its ends.
template <value_domain D>
constexpr void remove_range(const D& domain, element_of<D>& rest, const number_range& range, unsigned width) {
  const operation less = range.is_signed ? operation::less : operation::uless;
  const operation greater = range.is_signed ? operation::greater : operation::ugreater;
  const element_of<D> below = compared(domain, less, rest, range.low, width);
  if (is_bottom(domain, below)) {
    rest = compared(domain, greater, rest, range.high, width);
  } else if (is_bottom(domain, compared(domain, greater, rest, range.high, width))) {
    rest = below;
  }
}

} // namespace detail

MIDEND_END_NAMESPACE
