/// `interval_domain`: the bounds of numbers, signed and unsigned, with what operations do to them.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/range_arithmetic.hpp"
#include "midend/dataflow/detail/range_division.hpp"
#include "midend/dataflow/detail/text.hpp"
#include "midend/dataflow/lattices/interval.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

MIDEND_BEGIN_NAMESPACE

/// Two intervals of each number, of what it is if signed and of what it is if not, since programs compare both ways.
/// Neither wraps around: intervals that do are no lattice (two of them may have no least upper bound). The two learn
/// from each other after each transfer, so that both are the least ones around the numbers that both allow; never in
/// `join` or `widen`. Cousot, Cousot, 1976, see `interval`.
///
/// Ascending chains are as long as there are numbers: loops need `widen`.
struct interval_domain {
  struct element {
    signed_interval::element as_signed;
    unsigned_interval::element as_unsigned;

    constexpr bool is_bottom() const { return as_unsigned.is_bottom(); }

    friend constexpr bool operator==(const element&, const element&) = default;
  };

  using constant_type = std::uint64_t;

  constexpr element bottom() const { return {signed_ranges::none(), unsigned_ranges::none()}; }

  constexpr element top(unsigned width) const { return {signed_interval::full(width), unsigned_interval::full(width)}; }

  constexpr element constant(unsigned width, std::uint64_t c) const {
    const std::int64_t s = midend::as_signed(c, width);
    return {{s, s}, {c, c}};
  }

  constexpr std::optional<std::uint64_t> as_constant(const element& a) const {
    return a.as_unsigned.is_constant() ? std::optional(a.as_unsigned.low) : std::nullopt;
  }

  constexpr bool contains(unsigned width, const element& a, std::uint64_t c) const {
    return a.as_unsigned.contains(c) && a.as_signed.contains(midend::as_signed(c, width));
  }

  constexpr std::uint64_t size(unsigned, const element& a) const {
    if (a.is_bottom()) {
      return 0;
    }
    const std::uint64_t u = a.as_unsigned.high - a.as_unsigned.low;
    const std::uint64_t s = static_cast<std::uint64_t>(a.as_signed.high) - static_cast<std::uint64_t>(a.as_signed.low);
    const std::uint64_t least = u < s ? u : s;
    return least == ~std::uint64_t{0} ? least : least + 1;
  }

  constexpr bool join(element& a, const element& b) const {
    const bool changed = signed_interval().join(a.as_signed, b.as_signed);
    return unsigned_interval().join(a.as_unsigned, b.as_unsigned) || changed;
  }

  constexpr bool leq(const element& a, const element& b) const {
    return signed_interval().leq(a.as_signed, b.as_signed) && unsigned_interval().leq(a.as_unsigned, b.as_unsigned);
  }

  constexpr bool widen(unsigned width, element& a, const element& b, const thresholds& t) const {
    const bool changed = signed_ranges(width).widen(a.as_signed, b.as_signed, t.as_signed);
    return unsigned_ranges(width).widen(a.as_unsigned, b.as_unsigned, t.as_unsigned) || changed;
  }

  /// Makes both intervals the least ones around the numbers that both allow.
  constexpr void reduce(unsigned width, element& a) const {
    const std::int64_t highest = signed_interval::full(width).high;
    const std::uint64_t middle = static_cast<std::uint64_t>(highest);
    const auto positive =
        unsigned_ranges::common(a.as_unsigned, pattern(width, signed_ranges::common(a.as_signed, {0, highest})));
    const auto negative = unsigned_ranges::common(
        unsigned_ranges::common(a.as_unsigned, {middle + 1, low_ones(width)}),
        pattern(width, signed_ranges::common(a.as_signed, {signed_interval::full(width).low, -1})));
    a.as_unsigned = unsigned_ranges::hull(positive, negative);
    a.as_signed = signed_ranges::hull(meaning(width, positive), meaning(width, negative));
  }

  constexpr element transfer(const operation_info& info, std::span<const element> args) const;

  constexpr void assume(operation code, unsigned width, element& a, element& b) const;

  /// `[-3, 5]`, or `[-3, 5] u[0, 253]` if the unsigned bounds say more.
  constexpr void print(text_buffer& out, const element& a) const {
    signed_interval().print(out, a.as_signed);
    const bool same =
        a.is_bottom() || (a.as_signed.low >= 0 && static_cast<std::uint64_t>(a.as_signed.low) == a.as_unsigned.low);
    if (!same) {
      detail::append_text(out, " u");
      unsigned_interval().print(out, a.as_unsigned);
    }
  }

private:
  using signed_ranges = detail::signed_ranges;
  using unsigned_ranges = detail::unsigned_ranges;

  /// Numbers of one sign, by their bits.
  static constexpr unsigned_ranges::range pattern(unsigned width, const signed_ranges::range& a) {
    return a.is_bottom() ? unsigned_ranges::none()
                         : unsigned_ranges::range{static_cast<std::uint64_t>(a.low) & low_ones(width),
                                                  static_cast<std::uint64_t>(a.high) & low_ones(width)};
  }

  /// Bits of numbers of one sign, as these.
  static constexpr signed_ranges::range meaning(unsigned width, const unsigned_ranges::range& a) {
    return a.is_bottom() ? signed_ranges::none()
                         : signed_ranges::range{midend::as_signed(a.low, width), midend::as_signed(a.high, width)};
  }

  /// One step of `transfer`; the parts have not learned from each other yet.
  class step;
};

/// What one operation does to arguments that are not bottom.
class interval_domain::step {
public:
  constexpr step(const operation_info& info, std::span<const element> args)
      : info_(info), args_(args), s_(info.width), u_(info.width) {}

  constexpr element result() const {
    switch (info_.code) {
    case operation::add:
      return add(args_[0], args_[1]);
    case operation::sub:
      return sub(args_[0], args_[1]);
    case operation::neg:
      return sub(interval_domain().constant(info_.width, 0), args_[0]);
    case operation::mul:
      return {s_.mul(sa(), sb(), info_.flags.no_signed_wrap), u_.mul(ua(), ub(), info_.flags.no_unsigned_wrap)};
    case operation::div:
      return {detail::signed_division(info_.width).quotient(sa(), sb()), u_.all()};
    case operation::rem:
      return {detail::signed_division(info_.width).remainder(sa(), sb()), u_.all()};
    case operation::udiv:
      return {s_.all(), detail::unsigned_quotient(ua(), ub())};
    case operation::urem:
      return {s_.all(), detail::unsigned_remainder(ua(), ub())};
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
    interval_domain().reduce(info_.width, shifted);
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
    element out = interval_domain().bottom();
    for (std::uint64_t amount = ub().low; amount <= ub().high && amount < info_.width; ++amount) {
      const auto by = static_cast<unsigned>(amount);
      interval_domain().join(
          out, {s_.shl(sa(), by, info_.flags.no_signed_wrap), u_.shl(ua(), by, info_.flags.no_unsigned_wrap)});
    }
    return out;
  }

  constexpr element shift_right() const {
    if (ub().low >= info_.width) {
      return interval_domain().bottom();
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

  /// What is left if the comparison is assumed to hold, or not to, says whether it may.
  constexpr element comparison() const {
    element out = interval_domain().bottom();
    for (const bool holds : {false, true}) {
      element a = args_[0];
      element b = args_[1];
      interval_domain().assume(holds ? info_.code : negated(info_.code), info_.operand_width, a, b);
      if (!a.is_bottom()) {
        interval_domain().join(out, interval_domain().constant(1, holds ? 1 : 0));
      }
    }
    return out;
  }

  const operation_info& info_;
  std::span<const element> args_;
  signed_ranges s_;
  unsigned_ranges u_;
};

constexpr interval_domain::element interval_domain::transfer(const operation_info& info,
                                                             std::span<const element> args) const {
  if (info.code == operation::select) {
    if (args[0].is_bottom() || args[0].as_unsigned.is_constant()) {
      return args[0].is_bottom() ? bottom() : args[0].as_unsigned.low != 0 ? args[1] : args[2];
    }
    element either = args[1];
    join(either, args[2]);
    return either;
  }
  for (const element& a : args) {
    if (a.is_bottom()) {
      return bottom();
    }
  }
  if (const std::optional<element> constant = folded(*this, info, args)) {
    return *constant;
  }
  element out = step(info, args).result();
  reduce(info.width, out);
  return out;
}

constexpr void interval_domain::assume(operation code, unsigned width, element& a, element& b) const {
  switch (code) {
  case operation::equal:
    a.as_signed = b.as_signed = signed_ranges::common(a.as_signed, b.as_signed);
    a.as_unsigned = b.as_unsigned = unsigned_ranges::common(a.as_unsigned, b.as_unsigned);
    break;
  case operation::not_equal: {
    const element old_a = a;
    if (b.as_unsigned.is_constant()) {
      unsigned_ranges::assume_not(a.as_unsigned, b.as_unsigned.low);
      signed_ranges::assume_not(a.as_signed, b.as_signed.low);
    }
    if (old_a.as_unsigned.is_constant()) {
      unsigned_ranges::assume_not(b.as_unsigned, old_a.as_unsigned.low);
      signed_ranges::assume_not(b.as_signed, old_a.as_signed.low);
    }
    break;
  }
  case operation::less:
    signed_ranges::assume_less(a.as_signed, b.as_signed);
    break;
  case operation::less_equal:
    signed_ranges::assume_less_equal(a.as_signed, b.as_signed);
    break;
  case operation::uless:
    unsigned_ranges::assume_less(a.as_unsigned, b.as_unsigned);
    break;
  case operation::uless_equal:
    unsigned_ranges::assume_less_equal(a.as_unsigned, b.as_unsigned);
    break;
  case operation::greater:
  case operation::greater_equal:
  case operation::ugreater:
  case operation::ugreater_equal:
    return assume(mirrored(code), width, b, a);
  default:
    return;
  }
  reduce(width, a);
  reduce(width, b);
  if (a.is_bottom() || b.is_bottom()) {
    a = b = bottom();
  }
}

static_assert(value_domain<interval_domain> && has_value_transfer<interval_domain> && has_contains<interval_domain>);
static_assert(has_size<interval_domain> && has_widen_of_width<interval_domain> && has_assume<interval_domain>);

MIDEND_END_NAMESPACE
