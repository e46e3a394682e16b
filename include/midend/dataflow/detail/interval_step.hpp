/// What operations make of the bounds of numbers.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/interval_bounds.hpp"
#include "midend/dataflow/detail/range_arithmetic.hpp"
#include "midend/dataflow/detail/range_division.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"

#include <bit>
#include <cstdint>
#include <span>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// What one operation does to arguments that are not bottom.
class interval_step {
  using element = interval_bounds;

public:
  constexpr interval_step(const operation_info& info, std::span<const element> args)
      : info_(info), args_(args), s_(info.width), u_(info.width) {}

  constexpr element result() const {
    switch (info_.code) {
    case operation::add:
      return add(args_[0], args_[1]);
    case operation::sub:
      return sub(args_[0], args_[1]);
    case operation::neg:
      return sub(interval_bounds::exactly(info_.width, 0), args_[0]);
    case operation::mul:
      return {s_.mul(sa(), sb(), info_.flags.no_signed_wrap), u_.mul(ua(), ub(), info_.flags.no_unsigned_wrap)};
    case operation::div:
      return {signed_division(info_.width).quotient(sa(), sb()), u_.all()};
    case operation::rem:
      return {signed_division(info_.width).remainder(sa(), sb()), u_.all()};
    case operation::udiv:
      return {s_.all(), unsigned_quotient(ua(), ub())};
    case operation::urem:
      return {s_.all(), unsigned_remainder(ua(), ub())};
    case operation::bit_and:
    case operation::bit_or:
    case operation::bit_xor:
      return bitwise();
    case operation::bit_not: // -1 - a
      return {{~sa().high, ~sa().low}, {~ua().high & low_ones(info_.width), ~ua().low & low_ones(info_.width)}};
    case operation::shl:
      return shl();
    case operation::shladd:
      return add_if_any(shl(), args_[2]);
    case operation::shr:
    case operation::sar:
      return shift_right();
    default:
      return choice_or_conversion();
    }
  }

private:
  constexpr const signed_ranges::range& sa() const { return args_[0].as_signed; }

  constexpr const signed_ranges::range& sb() const { return args_[1].as_signed; }

  constexpr const unsigned_ranges::range& ua() const { return args_[0].as_unsigned; }

  constexpr const unsigned_ranges::range& ub() const { return args_[1].as_unsigned; }

  constexpr element add(const element& a, const element& b) const {
    return {s_.add(a.as_signed, b.as_signed, info_.flags.no_signed_wrap),
            u_.add(a.as_unsigned, b.as_unsigned, info_.flags.no_unsigned_wrap)};
  }

  constexpr element sub(const element& a, const element& b) const {
    return {s_.sub(a.as_signed, b.as_signed, info_.flags.no_signed_wrap),
            u_.sub(a.as_unsigned, b.as_unsigned, info_.flags.no_unsigned_wrap)};
  }

  constexpr element add_if_any(element shifted, const element& c) const {
    interval_bounds::reduce(info_.width, shifted);
    return shifted.is_bottom() ? shifted : add(shifted, c);
  }

  /// The high bits in which both ends of a range agree are those of all numbers in it; a result has more bits than
  /// both operands for `or` and `xor` never, and is not less than either of `or`, not more than either of `and`.
  constexpr element bitwise() const {
    const std::uint64_t unknown_a = unknown_bits(ua());
    const std::uint64_t unknown_b = unknown_bits(ub());
    const std::uint64_t least_a = ua().low & ~unknown_a;
    const std::uint64_t least_b = ub().low & ~unknown_b;
    unsigned_ranges::range out;
    if (info_.code == operation::bit_and) {
      out = {least_a & least_b, (least_a | unknown_a) & (least_b | unknown_b)};
      out = unsigned_ranges::common(out, {0, ua().high < ub().high ? ua().high : ub().high});
    } else if (info_.code == operation::bit_or) {
      out = {least_a | least_b, least_a | unknown_a | least_b | unknown_b};
      out = unsigned_ranges::common(out, {ua().low > ub().low ? ua().low : ub().low, low_ones(info_.width)});
    } else {
      const std::uint64_t unknown = unknown_a | unknown_b;
      out = {(least_a ^ least_b) & ~unknown, (least_a ^ least_b) | unknown};
    }
    return {s_.all(), out};
  }

  static constexpr std::uint64_t unknown_bits(const unsigned_ranges::range& a) {
    const std::uint64_t differ = a.low ^ a.high;
    return differ == 0 ? 0 : ~std::uint64_t{0} >> std::countl_zero(differ);
  }

  /// Amount by amount: there are not many.
  constexpr element shl() const {
    element out = interval_bounds::none();
    for (std::uint64_t amount = ub().low; amount <= ub().high && amount < info_.width; ++amount) {
      const auto by = static_cast<unsigned>(amount);
      out = interval_bounds::hull(
          out, {s_.shl(sa(), by, info_.flags.no_signed_wrap), u_.shl(ua(), by, info_.flags.no_unsigned_wrap)});
    }
    return out;
  }

  constexpr element shift_right() const {
    if (ub().low >= info_.width) {
      return interval_bounds::none();
    }
    const auto least = static_cast<unsigned>(ub().low);
    const unsigned most = ub().high < info_.width ? static_cast<unsigned>(ub().high) : info_.width - 1u;
    if (info_.code == operation::sar) {
      return {s_.shr(sa(), least, most), u_.all()};
    }
    return {s_.all(), u_.shr(ua(), least, most)};
  }

  constexpr element choice_or_conversion() const {
    switch (info_.code) {
    case operation::min:
      return {{lesser(sa().low, sb().low), lesser(sa().high, sb().high)}, unsigned_ranges::hull(ua(), ub())};
    case operation::max:
      return {{greater(sa().low, sb().low), greater(sa().high, sb().high)}, unsigned_ranges::hull(ua(), ub())};
    case operation::umin:
      return {signed_ranges::hull(sa(), sb()), {lesser(ua().low, ub().low), lesser(ua().high, ub().high)}};
    case operation::umax:
      return {signed_ranges::hull(sa(), sb()), {greater(ua().low, ub().low), greater(ua().high, ub().high)}};
    case operation::truncate:
      return {s_.truncate(sa()), u_.truncate(ua())};
    case operation::zero_extend:
      return {s_.all(), ua()};
    case operation::sign_extend:
      return {sa(), u_.all()};
    case operation::copy:
      return args_[0];
    default:
      return comparison();
    }
  }

  template <class T> static constexpr T lesser(T x, T y) { return x < y ? x : y; }

  template <class T> static constexpr T greater(T x, T y) { return x < y ? y : x; }

  constexpr element comparison() const {
    const bool may_hold = may_be(info_.code);
    const bool may_fail = may_be(negated(info_.code));
    return may_hold == may_fail ? may_hold ? interval_bounds::all(1) : interval_bounds::none()
                                : interval_bounds::exactly(1, may_hold ? 1 : 0);
  }

  /// Whether a comparison holds for some of the numbers: bounds are numbers that can be.
  constexpr bool may_be(operation code) const {
    switch (code) {
    case operation::equal:
      return may_be_equal();
    case operation::not_equal:
      return !ua().is_constant() || !ub().is_constant() || ua().low != ub().low;
    case operation::less:
      return sa().low < sb().high;
    case operation::less_equal:
      return sa().low <= sb().high;
    case operation::greater:
      return sa().high > sb().low;
    case operation::greater_equal:
      return sa().high >= sb().low;
    case operation::uless:
      return ua().low < ub().high;
    case operation::uless_equal:
      return ua().low <= ub().high;
    case operation::ugreater:
      return ua().high > ub().low;
    default: // ugreater_equal
      return ua().high >= ub().low;
    }
  }

  constexpr bool may_be_equal() const {
    element both{signed_ranges::common(sa(), sb()), unsigned_ranges::common(ua(), ub())};
    if (both.as_signed.is_bottom() || both.as_unsigned.is_bottom()) {
      return false;
    }
    if (!ua().is_constant() && !ub().is_constant()) {
      interval_bounds::reduce(info_.operand_width, both);
    }
    return !both.is_bottom();
  }

  const operation_info& info_;
  std::span<const element> args_;
  signed_ranges s_;
  unsigned_ranges u_;
};

} // namespace detail

MIDEND_END_NAMESPACE
