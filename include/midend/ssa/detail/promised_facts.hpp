/// What an IR promises of a value, as a fact.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ssa/detail/restricted_facts.hpp"
#include "midend/support/optional.hpp"

#include <concepts>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The numbers of `width` bits in a range. Not inlined, because few values have bounds.
template <value_domain D>
MIDEND_SELDOM_CALLED constexpr element_of<D> fact_within(const D& domain, const number_range& bounds, unsigned width) {
  return restricted(domain, domain.top(width), bounds, width);
}

/// The fact of `v`, of `width` bits, if nothing follows from its operands: what the IR promises, or top. Always
/// inlined, so that the element is not returned through memory: copying it would wait for its parts.
template <class IR, value_domain D>
MIDEND_ALWAYS_INLINED constexpr element_of<D> promised_fact([[maybe_unused]] const IR& ir, const D& domain,
                                                            [[maybe_unused]] value_id v, unsigned width) {
  if constexpr (has_facts<IR> && has_known<D>) {
    if (const optional<number_facts> facts = ir.facts(v)) {
      return domain.known(*facts);
    }
  }
  if constexpr (has_bounds<IR> && has_assume<D>) {
    if (const optional<number_range> bounds = ir.bounds(v)) {
      return fact_within(domain, *bounds, width);
    }
  }
  return domain.top(width);
}

/// The fact of `v` if it is `c`, or if nothing follows from its operands. A number has no bits above the width of `v`.
template <class IR, value_domain D>
constexpr element_of<D> constant_or_promised(const IR& ir, const D& domain, value_id v,
                                             const std::optional<domain_constant<D>>& c) {
  const unsigned width = ir.operation(v).width;
  if constexpr (std::same_as<domain_constant<D>, std::uint64_t>) {
    MIDEND_ASSERT(!c || width == 0 || width >= 64 || *c >> width == 0,
                  "a constant without bits above the width of its value", v, *c, width);
  }
  return c ? domain.constant(width, *c) : promised_fact(ir, domain, v, width);
}

} // namespace detail

MIDEND_END_NAMESPACE
