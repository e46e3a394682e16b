/// `known_bits_domain`: the known bits of numbers, with what operations do to them.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/bit_arithmetic.hpp"
#include "midend/dataflow/domains/interval_domain.hpp"
#include "midend/dataflow/lattices/interval_known_bits.hpp"
#include "midend/dataflow/lattices/known_bits.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

MIDEND_BEGIN_NAMESPACE

/// Which bits of each number are known. Sums, differences, bitwise operations, shifts and conversions are as exact as
/// the domain allows where nothing is promised of wrapping; products know low and high bits; of divisions, minima and
/// comparisons the bits follow from the bounds that the operands' bits give. Knowledge only shrinks: height 65, no
/// widening.
struct known_bits_domain {
  using element = known_bits::element;
  using constant_type = std::uint64_t;

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

  constexpr element transfer(const operation_info& info, std::span<const element> args) const {
    if (info.code == operation::select) {
      return select(args);
    }
    for (const element& a : args) {
      if (a.is_bottom()) {
        return bottom();
      }
    }
    const std::optional<element> result = folded(*this, info, args);
    return result ? *result : step(info, args);
  }

  /// Sharpens what is equal, and by the bounds.
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

  /// `1??0`, without zeros in front.
  constexpr void print(text_buffer& out, const element& a) const {
    const auto digits = static_cast<unsigned>(std::bit_width(~a.zeros));
    known_bits(digits == 0 ? 1 : digits).print(out, a);
  }

  /// The bounds of what the bits allow.
  static constexpr interval_domain::element range_of(unsigned width, const element& a) {
    const std::uint64_t sign = std::uint64_t{1} << (width - 1);
    const std::uint64_t unknown_sign = sign & ~(a.zeros | a.ones);
    const std::uint64_t lowest = a.ones | unknown_sign;
    const std::uint64_t highest = ~a.zeros & ~unknown_sign;
    return {{as_signed(lowest, width), as_signed(highest, width)}, {a.ones, ~a.zeros}};
  }

  /// Takes over what bounds say of bits.
  static constexpr void sharpen(element& a, interval_domain::element range) {
    reduce_interval_and_bits()(range.as_unsigned, a);
  }

private:
  constexpr element select(std::span<const element> args) const {
    if (args[0].is_bottom() || args[0].is_constant()) {
      return args[0].is_bottom() ? bottom() : args[0].ones != 0 ? args[1] : args[2];
    }
    element either = args[1];
    join(either, args[2]);
    return either;
  }

  constexpr element step(const operation_info& info, std::span<const element> args) const {
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
    case operation::truncate:
      return of.truncate(a);
    case operation::sign_extend:
      return of.sign_extend(a, info.operand_width);
    case operation::zero_extend:
    case operation::copy:
      return a;
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

  /// Amount by amount, of those whose bits are allowed.
  constexpr element shift(const operation_info& info, std::span<const element> args) const {
    const detail::bit_arithmetic of(info.width);
    element out = bottom();
    for (unsigned amount = 0; amount != info.width; ++amount) {
      if (args[1].contains(amount)) {
        join(out, info.code == operation::shr   ? of.shr(args[0], amount)
                  : info.code == operation::sar ? of.sar(args[0], amount)
                                                : of.shl(args[0], amount));
      }
    }
    return out;
  }

  constexpr element equality(const operation_info& info, std::span<const element> args) const {
    element both = args[0];
    known_bits().meet(both, args[1]);
    const bool may_be_equal = !both.is_bottom();
    const bool may_differ = !(args[0].is_constant() && args[0] == args[1]);
    const bool may_hold = info.code == operation::equal ? may_be_equal : may_differ;
    const bool may_fail = info.code == operation::equal ? may_differ : may_be_equal;
    return may_hold && may_fail ? top(1) : constant(1, may_hold ? 1 : 0);
  }

  constexpr element with_promises(const operation_info& info, std::span<const element> args, const element& out) const {
    return info.flags == operation_flags{} || out.is_bottom() ? out : by_range(info, args, out);
  }

  /// With what follows from bounds.
  constexpr element by_range(const operation_info& info, std::span<const element> args, element out) const {
    std::array<interval_domain::element, 3> ranges{};
    for (std::size_t i = 0; i != args.size(); ++i) {
      ranges[i] = range_of(is_comparison(info.code) ? info.operand_width : info.width, args[i]);
    }
    sharpen(out, interval_domain().transfer(info, {ranges.data(), args.size()}));
    return out;
  }
};

MIDEND_END_NAMESPACE
