/// The bounds of a number, signed and unsigned at once, and the bounds that operations compute from them.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/range_arithmetic.hpp"
#include "midend/dataflow/lattices/interval.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/order.hpp"
#include "midend/support/span.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The bounds of a number, read as signed and as unsigned.
struct interval_bounds {
  signed_interval::element as_signed;
  unsigned_interval::element as_unsigned;

  constexpr bool is_bottom() const { return as_unsigned.is_bottom(); }

  friend constexpr bool operator==(const interval_bounds&, const interval_bounds&) = default;

  static constexpr interval_bounds none() { return {signed_ranges::none(), unsigned_ranges::none()}; }

  static constexpr interval_bounds all(unsigned width) {
    return {signed_interval::full(width), unsigned_interval::full(width)};
  }

  static constexpr interval_bounds exactly(unsigned width, std::uint64_t c) {
    const std::int64_t s = midend::as_signed(c, width);
    return {{s, s}, {c, c}};
  }

  static constexpr interval_bounds hull(const interval_bounds& a, const interval_bounds& b) {
    return {signed_ranges::hull(a.as_signed, b.as_signed), unsigned_ranges::hull(a.as_unsigned, b.as_unsigned)};
  }

  /// Reduces both intervals to the smallest ones around the numbers that both allow.
  static constexpr void reduce(unsigned width, interval_bounds& a) {
    if (a == all(width)) {
      return;
    }
    const unsigned_ranges::range positive = not_negative(width, a);
    const unsigned_ranges::range negative = interval_bounds::negative(width, a);
    a.as_unsigned = unsigned_ranges::hull(positive, negative);
    a.as_signed = signed_ranges::hull(meaning(width, positive), meaning(width, negative));
  }

  /// The numbers without sign bit that both intervals allow.
  static constexpr unsigned_ranges::range not_negative(unsigned width, const interval_bounds& a) {
    const std::int64_t highest = signed_interval::full(width).high;
    return unsigned_ranges::common(a.as_unsigned, pattern(width, signed_ranges::common(a.as_signed, {0, highest})));
  }

  /// The numbers with sign bit that both intervals allow.
  static constexpr unsigned_ranges::range negative(unsigned width, const interval_bounds& a) {
    const std::int64_t lowest = signed_interval::full(width).low;
    return unsigned_ranges::common(a.as_unsigned, pattern(width, signed_ranges::common(a.as_signed, {lowest, -1})));
  }

  /// Unsigned numbers that all have the sign bit, or all do not, read as signed.
  static constexpr signed_ranges::range meaning(unsigned width, const unsigned_ranges::range& a) {
    return a.is_bottom() ? signed_ranges::none()
                         : signed_ranges::range{midend::as_signed(a.low, width), midend::as_signed(a.high, width)};
  }

  /// Whether these are bounds of a number of `width` bits, so that `read` changes nothing.
  constexpr bool fits(unsigned width) const;

  /// The bounds of the low `width` bits of a number with the bounds `a`, whatever its width.
  static constexpr interval_bounds read(unsigned width, const interval_bounds& a) {
    if (a.is_bottom() || a.fits(width)) {
      return a;
    }
    if (a.as_unsigned.high <= low_ones(width) >> 1) { // the number has no sign bit
      return {{static_cast<std::int64_t>(a.as_unsigned.low), static_cast<std::int64_t>(a.as_unsigned.high)},
              a.as_unsigned};
    }
    interval_bounds out{signed_ranges(width).truncate(a.as_signed), unsigned_ranges(width).truncate(a.as_unsigned)};
    reduce(width, out);
    return out;
  }

  /// Removes from `a` and `b` what contradicts `a code b`.
  static constexpr void assume(operation code, unsigned width, interval_bounds& a, interval_bounds& b) {
    assume_unreduced(code, a, b);
    reduce(width, a);
    reduce(width, b);
    if (a.is_bottom() || b.is_bottom()) {
      a = b = none();
    }
  }

  /// Without the implications between signed and unsigned bounds.
  static constexpr void assume_unreduced(operation code, interval_bounds& a, interval_bounds& b) {
    switch (code) {
    case operation::equal:
      a.as_signed = b.as_signed = signed_ranges::common(a.as_signed, b.as_signed);
      a.as_unsigned = b.as_unsigned = unsigned_ranges::common(a.as_unsigned, b.as_unsigned);
      break;
    case operation::not_equal: {
      const interval_bounds old_a = a;
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
      return assume_unreduced(mirrored(code), b, a);
    default:
      return;
    }
  }

private:
  /// Signed numbers of one sign, read as unsigned.
  static constexpr unsigned_ranges::range pattern(unsigned width, const signed_ranges::range& a) {
    return a.is_bottom() ? unsigned_ranges::none()
                         : unsigned_ranges::range{static_cast<std::uint64_t>(a.low) & low_ones(width),
                                                  static_cast<std::uint64_t>(a.high) & low_ones(width)};
  }
};

/// Whether bounds belong to numbers of one width. Bounds of a wider number show by one that is out of range; bounds of
/// a narrower number, by a negative number that is positive with zeros above.
class width_check {
public:
  constexpr explicit width_check(unsigned width)
      : ones_(low_ones(width)), sign_(std::uint64_t{1} << (width - 1)), with_sign_(sign_) {}

  constexpr void add(const interval_bounds& a) {
    // From the least number of the width: in range, these are at most `ones_`, and `low` has the sign bit if it is
    // not negative.
    const std::uint64_t low = static_cast<std::uint64_t>(a.as_signed.low) + sign_;
    const std::uint64_t high = static_cast<std::uint64_t>(a.as_signed.high) + sign_;
    used_ |= low | high | a.as_unsigned.high;
    with_sign_ &= low | a.as_unsigned.high;
  }

  /// Whether the added bounds belong to the width.
  constexpr bool fits() const { return used_ <= ones_ && with_sign_ != 0; }

private:
  std::uint64_t ones_;
  std::uint64_t sign_;
  std::uint64_t used_ = 0;
  std::uint64_t with_sign_; ///< the sign bit, unless a bound is that of a narrower number
};

constexpr bool interval_bounds::fits(unsigned width) const {
  width_check check(width);
  check.add(*this);
  return check.fits();
}

/// The one to three arguments of an operation, or a part of each, by reference.
template <class T> class argument_references {
public:
  constexpr argument_references(span<const T> args)
      : at_{args.data(), args.data() + (args.size() > 1 ? 1 : 0), args.data() + (args.size() > 2 ? 2 : 0)},
        size_(args.size()) {}

  template <class Whole>
  constexpr argument_references(span<const Whole> args, T Whole::* part)
      : at_{&(args[0].*part), &(args[args.size() > 1 ? 1 : 0].*part), &(args[args.size() > 2 ? 2 : 0].*part)},
        size_(args.size()) {}

  constexpr const T& operator[](std::size_t i) const { return *at_[i]; }

  constexpr std::size_t size() const { return size_; }

private:
  const T* at_[3];
  std::size_t size_;
};

/// One operation on arguments that are not bottom.
class interval_step {
  using element = interval_bounds;

public:
  /// Requires arguments of the width that the operation reads (`fits`).
  constexpr interval_step(const operation_info& info, const argument_references<element>& args)
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
      return bitwise();
    case operation::bit_xor:
      return is_all_ones(ub()) ? complement(args_[0]) : is_all_ones(ua()) ? complement(args_[1]) : bitwise();
    case operation::bit_not:
      return complement(args_[0]);
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

  /// -1 - a
  constexpr element complement(const element& a) const {
    const std::uint64_t ones = low_ones(info_.width);
    return {{~a.as_signed.high, ~a.as_signed.low}, {~a.as_unsigned.high & ones, ~a.as_unsigned.low & ones}};
  }

  constexpr bool is_all_ones(const unsigned_ranges::range& a) const { return a.low == low_ones(info_.width); }

  /// All numbers of a range share the high bits in which its ends agree. A result of `and` is at most either operand, a
  /// result of `or` at least either operand.
  constexpr element bitwise() const {
    const std::uint64_t unknown_a = unknown_bits(ua());
    const std::uint64_t unknown_b = unknown_bits(ub());
    const std::uint64_t least_a = ua().low & ~unknown_a;
    const std::uint64_t least_b = ub().low & ~unknown_b;
    unsigned_ranges::range out;
    if (info_.code == operation::bit_and) {
      out = {least_a & least_b, (least_a | unknown_a) & (least_b | unknown_b)};
      out = unsigned_ranges::common(out, {0, min(ua().high, ub().high)});
    } else if (info_.code == operation::bit_or) {
      out = {least_a | least_b, least_a | unknown_a | least_b | unknown_b};
      out = unsigned_ranges::common(out, {max(ua().low, ub().low), low_ones(info_.width)});
    } else {
      const std::uint64_t unknown = unknown_a | unknown_b;
      out = {(least_a ^ least_b) & ~unknown, (least_a ^ least_b) | unknown};
    }
    out = with_constant(unknown_a, ua(), ub(), out);
    out = with_constant(unknown_b, ub(), ua(), out);
    return {s_.all(), out};
  }

  /// `out`, or the exact range if `b` is a number that leaves the unknown bits of `a` as they are. These are its low
  /// ones, so the order of numbers stays. `b` leaves them if `and` and `or` give the lowest of them one value.
  constexpr unsigned_ranges::range with_constant(std::uint64_t unknown_of_a, const unsigned_ranges::range& a,
                                                 const unsigned_ranges::range& b,
                                                 const unsigned_ranges::range& out) const {
    const std::uint64_t changed = unknown_of_a & (info_.code == operation::bit_and ? ~b.low : b.low);
    const bool keeps_order = changed == 0 || (info_.code != operation::bit_xor && (changed & (changed + 1)) == 0);
    if (b.low != b.high || !keeps_order) {
      return out;
    }
    switch (info_.code) {
    case operation::bit_and:
      return {a.low & b.low, a.high & b.low};
    case operation::bit_or:
      return {a.low | b.low, a.high | b.low};
    default:
      return {a.low ^ b.low, a.high ^ b.low};
    }
  }

  static constexpr std::uint64_t unknown_bits(const unsigned_ranges::range& a) {
    const std::uint64_t differ = a.low ^ a.high;
    return differ == 0 ? 0 : ~std::uint64_t{0} >> std::countl_zero(differ);
  }

  /// Joins the results amount by amount, of fewer than `width`, until further ones cannot add anything: they give
  /// multiples of greater powers of 2.
  constexpr element shl() const {
    element out = interval_bounds::none();
    for (std::uint64_t amount = ub().low; amount <= ub().high && amount < info_.width; ++amount) {
      const auto by = static_cast<unsigned>(amount);
      if (interval_bounds::hull(out, {s_.multiples(by), u_.multiples(by)}) == out) {
        break;
      }
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
      return {{min(sa().low, sb().low), min(sa().high, sb().high)}, unsigned_ranges::hull(ua(), ub())};
    case operation::max:
      return {{max(sa().low, sb().low), max(sa().high, sb().high)}, unsigned_ranges::hull(ua(), ub())};
    case operation::umin:
      return {signed_ranges::hull(sa(), sb()), {min(ua().low, ub().low), min(ua().high, ub().high)}};
    case operation::umax:
      return {signed_ranges::hull(sa(), sb()), {max(ua().low, ub().low), max(ua().high, ub().high)}};
    case operation::truncate:
    case operation::zero_extend:
      return interval_bounds::read(info_.width, args_[0]);
    case operation::sign_extend:
      return {s_.truncate(sa()), u_.all()};
    case operation::copy:
      return args_[0];
    default:
      return comparison();
    }
  }

  constexpr element comparison() const {
    const bool may_hold = may_be(info_.code);
    const bool may_fail = may_be(negated(info_.code));
    if (may_hold == may_fail) {
      return may_hold ? either_truth() : interval_bounds::none();
    }
    return interval_bounds::exactly(info_.width, may_hold ? 1 : 0);
  }

  /// Both truth values, 0 and 1.
  constexpr element either_truth() const {
    return info_.width == 1 ? interval_bounds::all(1) : interval_bounds{{0, 1}, {0, 1}};
  }

  /// Whether a comparison holds for some of the numbers; the bounds themselves are possible.
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
  const argument_references<element>& args_;
  signed_ranges s_;
  unsigned_ranges u_;
};

} // namespace detail

MIDEND_END_NAMESPACE
