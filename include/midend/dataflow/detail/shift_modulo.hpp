/// `shift_modulo`: the transfer function of shifts by an amount modulo a number, in each domain.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/lattice.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/span.hpp"

#include <bit>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The result for one amount, which is less than 64.
template <class D>
constexpr element_of<D> shift_by_amount(const D& domain, const operation_info& info, const element_of<D>& a,
                                        unsigned amount) {
  if (amount >= info.width && info.code != operation::sar_modulo) {
    return domain.constant(info.width, 0);
  }
  const unsigned by = amount < info.width ? amount : info.width - 1u;
  const element_of<D> args[] = {a, domain.constant(64, by)};
  return domain.transfer({plain_shift(info.code), info.width, info.width, {}}, span<const element_of<D>>(args, 2));
}

/// Joins the results for all amounts that `b` allows modulo `info.operand_width`, by the domain's own remainder, bits
/// and shifts. Requires arguments that are not bottom. At most 64 shifts.
template <class D>
MIDEND_SELDOM_CALLED constexpr element_of<D> shift_modulo(const D& domain, const operation_info& info,
                                                          const element_of<D>& a, const element_of<D>& b) {
  using element = element_of<D>;
  const unsigned modulus = info.operand_width;
  const element divided[] = {b, domain.constant(64, modulus)};
  const element masked[] = {b, domain.constant(64, modulus - 1)};
  const element amounts = domain.transfer({operation::urem, 64, 64, {}}, span<const element>(divided, 2));
  const element low_bits = std::has_single_bit(modulus)
                               ? domain.transfer({operation::bit_and, 64, 64, {}}, span<const element>(masked, 2))
                               : amounts;
  const element all = domain.top(info.width);
  element out = domain.bottom();
  for (unsigned amount = 0; amount != modulus && !(out == all); ++amount) {
    if (may_be(domain, 64, amounts, amount) && may_be(domain, 64, low_bits, amount)) {
      domain.join(out, shift_by_amount(domain, info, a, amount));
    }
  }
  return out;
}

} // namespace detail

MIDEND_END_NAMESPACE
