/// `known_bits_domain`: the known bits of numbers, and the effect of operations on them.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/interval_step.hpp"
#include "midend/dataflow/detail/shift_modulo.hpp"
#include "midend/dataflow/domains/interval_domain.hpp"
#include "midend/dataflow/lattices/interval_known_bits.hpp"
#include "midend/dataflow/lattices/known_bits.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/span.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Arithmetic on the known bits of numbers of one width. Requires arguments that are not bottom.
class bit_arithmetic {
public:
  using bits = known_bits::element;

  constexpr explicit bit_arithmetic(unsigned width) : width_(width), mask_(low_ones(width)) {}

  constexpr bits all() const { return known_bits::full(width_); }

  static constexpr bits exactly(std::uint64_t value) { return {~value, value}; }

  /// The greatest number that the bits allow.
  static constexpr std::uint64_t greatest(const bits& a) { return ~a.zeros; }

  static constexpr std::uint64_t least(const bits& a) { return a.ones; }

  /// A bit of a sum is known if those of both operands and the carry into it are. The carry is known if the carries of
  /// the least and of the greatest operands agree, because it is monotone in the operands.
  constexpr bits add(const bits& a, const bits& b, bool carry = false) const {
    const std::uint64_t carried = carry ? 1 : 0;
    const std::uint64_t low = least(a) + least(b) + carried;
    const std::uint64_t high = greatest(a) + greatest(b) + carried;
    const std::uint64_t low_carries = low ^ least(a) ^ least(b);
    const std::uint64_t high_carries = high ^ greatest(a) ^ greatest(b);
    const std::uint64_t known = (a.zeros | a.ones) & (b.zeros | b.ones) & ~(low_carries ^ high_carries);
    return within(~low & known, low & known);
  }

  constexpr bits sub(const bits& a, const bits& b) const { return add(a, bit_not(b), true); }

  constexpr bits bit_not(const bits& a) const { return within(a.ones, a.zeros); }

  /// Long multiplication that keeps known ones apart from unknown bits: the known ones sum to a number, and each row of
  /// unknown bits may or may not be added. Vishwanathan, Shachnai, Narayana,
  /// Nagarakatte, "Sound, precise, and fast abstract interpretation with tristate numbers", CGO 2022.
  constexpr bits mul(const bits& a, const bits& b) const {
    bits doubts = exactly(0);
    const std::uint64_t unknown_b = ~(b.zeros | b.ones);
    for (std::uint64_t rest = greatest(a); rest != 0; rest &= rest - 1) {
      const auto row = static_cast<unsigned>(std::countr_zero(rest));
      const bool is_there = (a.ones >> row & 1) != 0;
      const std::uint64_t unknown = (is_there ? unknown_b : greatest(b)) << row & mask_;
      doubts = add(doubts, {~unknown, 0});
    }
    return add(exactly(a.ones * b.ones & mask_), doubts);
  }

  /// Shifts by one amount, less than the width.
  constexpr bits shl(const bits& a, unsigned amount) const {
    return within(a.zeros << amount | low_zeros(amount), a.ones << amount);
  }

  static constexpr bits shr(const bits& a, unsigned amount) {
    return {a.zeros >> amount | ~(~std::uint64_t{0} >> amount), a.ones >> amount};
  }

  constexpr bits sar(const bits& a, unsigned amount) const {
    const auto signed_shift = [&](std::uint64_t x) {
      return static_cast<std::uint64_t>(as_signed(x, width_) >> amount);
    };
    return within(signed_shift(a.zeros), signed_shift(a.ones));
  }

  constexpr bits truncate(const bits& a) const { return within(a.zeros, a.ones); }

  /// Extends numbers of `from` bits.
  constexpr bits sign_extend(const bits& a, unsigned from) const {
    return within(static_cast<std::uint64_t>(as_signed(a.zeros, from)),
                  static_cast<std::uint64_t>(as_signed(a.ones, from)));
  }

  /// These bits, with zeros above the width.
  constexpr bits within(std::uint64_t zeros, std::uint64_t ones) const { return {zeros | ~mask_, ones & mask_}; }

private:
  static constexpr std::uint64_t low_zeros(unsigned count) { return (std::uint64_t{1} << count) - 1; }

  unsigned width_;
  std::uint64_t mask_;
};

} // namespace detail

/// The known bits of each number. Sums, differences, bitwise operations, shifts and conversions without flags are as
/// exact as the domain allows. For products, low and high bits are known. The bits of quotients, minima and comparisons
/// follow from the bounds that the operands' bits imply. Height 65, so no widening is needed.
struct known_bits_domain {
  using element = known_bits::element;
  using constant_type = std::uint64_t;

  static constexpr bool reads_any_width = true;

  constexpr element bottom() const { return known_bits().bottom(); }

  constexpr element top(unsigned width) const { return known_bits::full(width); }

  constexpr element constant(unsigned, std::uint64_t c) const { return {~c, c}; }

  constexpr std::optional<std::uint64_t> as_constant(const element& a) const {
    return a.is_constant() ? std::optional(a.ones) : std::nullopt;
  }

  constexpr bool contains(unsigned, const element& a, std::uint64_t c) const { return a.contains(c); }

  constexpr std::uint64_t size(unsigned, const element& a) const {
    const int unknown = std::popcount(~(a.zeros | a.ones));
    return a.is_bottom() ? 0 : number_of_values(static_cast<unsigned>(unknown));
  }

  constexpr bool join(element& a, const element& b) const { return known_bits().join(a, b); }

  constexpr bool leq(const element& a, const element& b) const { return known_bits().leq(a, b); }

  constexpr element transfer(const operation_info& info, span<const element> args) const {
    if (info.code == operation::select) {
      return select(info.width, args);
    }
    std::uint64_t may_be_set = 0;
    for (const element& a : args) {
      if (a.is_bottom()) {
        return bottom();
      }
      may_be_set |= ~a.zeros;
    }
    if (const optional<element> result = folded(*this, info, args)) {
      return *result;
    }
    if (is_modulo_shift(info.code)) {
      return detail::shift_modulo(*this, info, args[0], args[1]);
    }
    return (may_be_set & ~low_ones(read_width(info))) == 0 ? step(info, arguments(args))
                                                           : step_of_other_widths(info, args);
  }

  /// Sharpens both by equality, and by the bounds that the bits imply.
  constexpr void assume(operation code, unsigned width, element& a, element& b) const {
    if (code == operation::equal) {
      known_bits().meet(a, b);
      b = a;
      return;
    }
    interval_domain::element range_a = range_of(width, a);
    interval_domain::element range_b = range_of(width, b);
    interval_domain().assume(code, width, range_a, range_b);
    sharpen(a, range_a);
    sharpen(b, range_b);
    if (a.is_bottom() || b.is_bottom()) {
      a = b = bottom();
    }
  }

  /// `1??0`, without leading zeros.
  constexpr void print(text_buffer& out, const element& a) const {
    const auto digits = static_cast<unsigned>(std::bit_width(~a.zeros));
    known_bits(digits == 0 ? 1 : digits).print(out, a);
  }

  /// The bounds that the bits imply.
  static constexpr interval_domain::element range_of(unsigned width, const element& a) {
    const std::uint64_t sign = std::uint64_t{1} << (width - 1);
    const std::uint64_t unknown_sign = sign & ~(a.zeros | a.ones);
    const std::uint64_t lowest = a.ones | unknown_sign;
    const std::uint64_t highest = ~a.zeros & ~unknown_sign;
    return {{as_signed(lowest, width), as_signed(highest, width)}, {a.ones, ~a.zeros}};
  }

  /// The low bits, with zeros above. Requires an element that is not bottom.
  static constexpr element read(unsigned width, const element& a) {
    return {a.zeros | ~low_ones(width), a.ones & low_ones(width)};
  }

  /// Adds the bits that bounds imply.
  static constexpr void sharpen(element& a, interval_domain::element range) {
    reduce_interval_and_bits()(range.as_unsigned, a);
  }

private:
  friend struct number_domain;
  using arguments = detail::argument_references<element>;

  constexpr element select(unsigned width, span<const element> args) const {
    if (args[0].is_bottom()) {
      return bottom();
    }
    const auto read_any = [width](const element& a) { return a.is_bottom() ? a : read(width, a); };
    if (args[0].ones != 0 || ~args[0].zeros == 0) {
      return read_any(args[args[0].ones != 0 ? 1 : 2]);
    }
    element either = read_any(args[1]);
    join(either, read_any(args[2]));
    return either;
  }

  MIDEND_SELDOM_CALLED constexpr element step_of_other_widths(const operation_info& info,
                                                              span<const element> args) const {
    std::array<element, 3> low_bits{};
    for (unsigned i = 0; i != args.size(); ++i) {
      low_bits[i] = reads_whole(info.code, i) ? args[i] : read(read_width(info), args[i]);
    }
    return step(info, span<const element>(low_bits.data(), args.size()));
  }

  /// The result for arguments of the width that the operation reads.
  constexpr element step(const operation_info& info, const arguments& args) const {
    const detail::bit_arithmetic of(info.width);
    const element& a = args[0];
    switch (info.code) {
    case operation::add:
      return with_promises(info, args, of.add(a, args[1]));
    case operation::sub:
      return with_promises(info, args, of.sub(a, args[1]));
    case operation::neg:
      return with_promises(info, args, of.sub(of.exactly(0), a));
    case operation::mul:
      return by_range(info, args, of.mul(a, args[1]));
    case operation::bit_and:
      return {a.zeros | args[1].zeros, a.ones & args[1].ones};
    case operation::bit_or:
      return {a.zeros & args[1].zeros, a.ones | args[1].ones};
    case operation::bit_xor:
      return {(a.zeros & args[1].zeros) | (a.ones & args[1].ones), (a.zeros & args[1].ones) | (a.ones & args[1].zeros)};
    case operation::bit_not:
      return of.bit_not(a);
    case operation::shl:
    case operation::shr:
    case operation::sar:
      return with_promises(info, args, shift(info, args));
    case operation::shladd: {
      const element shifted = shift(info, args);
      return with_promises(info, args, shifted.is_bottom() ? shifted : of.add(shifted, args[2]));
    }
    case operation::sign_extend:
      return of.sign_extend(a, info.operand_width);
    case operation::truncate:
    case operation::zero_extend:
    case operation::copy:
      return of.truncate(a);
    case operation::equal:
    case operation::not_equal:
      return equality(info, args);
    case operation::min:
    case operation::max:
    case operation::umin:
    case operation::umax: {
      element either = a;
      join(either, args[1]);
      return by_range(info, args, either);
    }
    default:
      return by_range(info, args, of.all());
    }
  }

  /// Joins the results for all amounts that the bits allow, in ascending order, until nothing is known.
  constexpr element shift(const operation_info& info, const arguments& args) const {
    const detail::bit_arithmetic of(info.width);
    element out = bottom();
    for (std::uint64_t at = args[1].ones; at < info.width && out != of.all();) {
      const auto amount = static_cast<unsigned>(at);
      join(out, info.code == operation::shr   ? of.shr(args[0], amount)
                : info.code == operation::sar ? of.sar(args[0], amount)
                                              : of.shl(args[0], amount));
      const std::uint64_t next = next_member(at, args[1]);
      if (next <= at) {
        break;
      }
      at = next;
    }
    return out;
  }

  /// The next number that the bits allow after `at`, which is one; the least if there is none.
  static constexpr std::uint64_t next_member(std::uint64_t at, const element& a) {
    const std::uint64_t known = a.zeros | a.ones; // filled with ones, so that a carry runs through them
    return (((at | known) + 1) & ~known) | a.ones;
  }

  constexpr element equality(const operation_info& info, const arguments& args) const {
    element both = args[0];
    known_bits().meet(both, args[1]);
    const bool may_be_equal = !both.is_bottom();
    const bool may_differ = !(args[0].is_constant() && args[0] == args[1]);
    const bool may_hold = info.code == operation::equal ? may_be_equal : may_differ;
    const bool may_fail = info.code == operation::equal ? may_differ : may_be_equal;
    return may_hold && may_fail ? top(1) : constant(1, may_hold ? 1 : 0);
  }

  constexpr element with_promises(const operation_info& info, const arguments& args, const element& out) const {
    return info.flags == operation_flags{} || out.is_bottom() ? out : by_range(info, args, out);
  }

  /// `out`, with the bits that follow from bounds.
  constexpr element by_range(const operation_info& info, const arguments& args, element out) const {
    std::array<interval_domain::element, 3> ranges{};
    for (std::size_t i = 0; i != args.size(); ++i) {
      ranges[i] = range_of(is_comparison(info.code) ? info.operand_width : info.width, args[i]);
    }
    interval_domain::element range =
        detail::interval_step(info, span<const interval_domain::element>(ranges.data(), args.size())).result();
    interval_domain().reduce(info.width, range);
    sharpen(out, range);
    return out;
  }
};

MIDEND_END_NAMESPACE
