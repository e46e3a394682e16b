/// `number_domain`: bounds and known bits of numbers, reduced by each other.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/interval_step.hpp"
#include "midend/dataflow/detail/range_product.hpp"
#include "midend/dataflow/detail/shift_modulo.hpp"
#include "midend/dataflow/domains/interval_domain.hpp"
#include "midend/dataflow/domains/known_bits_domain.hpp"
#include "midend/dataflow/lattices/interval_known_bits.hpp"
#include "midend/dataflow/text.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/number_facts.hpp"
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

/// An element of `number_domain`.
struct ranges_and_bits {
  interval_domain::element range;
  known_bits_domain::element bits;

  constexpr bool is_bottom() const { return range.is_bottom(); }

  friend constexpr bool operator==(const ranges_and_bits&, const ranges_and_bits&) = default;
};

} // namespace detail

/// The reduced product of `interval_domain` and `known_bits_domain`: signed bounds, unsigned bounds and known bits of
/// each number. Choose it for precision: bounds alone miss alignment, bits alone miss that a loop ends, and signed and
/// unsigned comparisons need both kinds of bounds. Reduced elements are optimal: each part is the smallest around the
/// numbers that all parts allow. Operations on constants are evaluated, at the cost of `flat_domain`.
struct number_domain
    : detail::range_product<number_domain, detail::ranges_and_bits, known_bits_domain, &detail::ranges_and_bits::bits> {
  /// The facts of an element that is not bottom: bounds, and the low bits that are known.
  constexpr number_facts facts(const element& a) const {
    const auto& [s, u] = a.range;
    const auto known = static_cast<unsigned>(std::countr_one(a.bits.zeros | a.bits.ones));
    const std::uint64_t modulus = u.low == u.high || known > 63 ? 0 : std::uint64_t{1} << known;
    return {s.low, s.high, u.low, u.high, modulus, modulus == 0 ? u.low : a.bits.ones & (modulus - 1)};
  }

  /// Without thresholds, a number that becomes longer gets unknown bits up to the next of 8, 16, 32 and 64, as far as
  /// the bounds allow: otherwise a counter would lose its bits one at a time.
  constexpr bool widen(unsigned width, element& a, const element& b, const thresholds& t) const {
    const bool grows = !a.is_bottom();
    const unsigned length = unknown_length(a.bits);
    const bool changed = ranges().widen(width, a.range, b.range, t);
    if (!bits().join(a.bits, b.bits)) {
      return changed;
    }
    if (grows && t.as_signed.empty() && t.as_unsigned.empty() && unknown_length(a.bits) > length) {
      forget_up_to_usual_length(a);
    }
    return true;
  }

  constexpr element transfer(const operation_info& info, span<const element> args) const {
    MIDEND_RETURN_COMPILED(library_transfer(info, args));
    return compute(info, args);
  }

  constexpr void assume(operation code, unsigned width, element& a, element& b) const {
    MIDEND_RETURN_COMPILED(library_assume(code, width, a, b));
    restrict_both(code, width, a, b);
  }

  /// Reduces each part to the smallest around the numbers that all parts allow. Works on the numbers with and without
  /// sign bit separately, on which signed and unsigned bounds agree.
  constexpr void reduce(unsigned width, element& a) const {
    if (a == top(width)) {
      return;
    }
    const std::uint64_t sign = std::uint64_t{1} << (width - 1);
    const element negative = half(width, interval_domain::element::negative(width, a.range), a.bits, {0, sign});
    a = half(width, interval_domain::element::not_negative(width, a.range), a.bits, {sign, 0});
    join(a, negative);
  }

  /// `[4, 12] ??00`: the bounds, and the bits if any is known except leading zeros.
  constexpr void print(text_buffer& out, const element& a) const {
    ranges().print(out, a.range);
    const std::uint64_t greatest = ~a.bits.zeros;
    const bool knows_bits = a.bits.ones != 0 || (greatest & (greatest + 1)) != 0;
    if (!a.is_bottom() && !as_constant(a) && knows_bits) {
      append_text(out, " ");
      bits().print(out, a.bits);
    }
  }

private:
  friend range_product;

  static element library_transfer(const operation_info& info, span<const element> args);

  static void library_assume(operation code, unsigned width, element& a, element& b);

  constexpr element compute(const operation_info& info, span<const element> args) const {
    if (info.code == operation::select) {
      return select(info.width, args);
    }
    detail::width_check check(read_width(info));
    std::uint64_t may_be_set = 0;
    for (const element& a : args) {
      if (a.is_bottom()) {
        return bottom();
      }
      check.add(a.range);
      may_be_set |= ~a.bits.zeros;
    }
    if (const optional<element> result = folded(*this, info, args)) {
      return *result;
    }
    if (is_modulo_shift(info.code)) {
      return detail::shift_modulo(*this, info, args[0], args[1]);
    }
    const bool fits = check.fits() && (may_be_set & ~low_ones(read_width(info))) == 0;
    return fits ? step(info, args) : step_of_any_width(info, args);
  }

  MIDEND_SELDOM_CALLED constexpr element step_of_any_width(const operation_info& info, span<const element> args) const {
    const unsigned width = read_width(info);
    std::array<element, 3> read{};
    for (unsigned i = 0; i != args.size(); ++i) {
      read[i] = reads_whole(info.code, i) ? args[i]
                                          : element{interval_domain::element::read(width, args[i].range),
                                                    known_bits_domain::read(width, args[i].bits)};
    }
    return step(info, {read.data(), args.size()});
  }

  /// The result for arguments of the width that the operation reads.
  constexpr element step(const operation_info& info, span<const element> args) const {
    const detail::argument_references<interval_domain::element> range_args(args, &element::range);
    element out{detail::interval_step(info, range_args).result(), bits().top(info.width)};
    if (is_comparison(info.code) && (as_constant(out) || !compares_bits(info.code))) {
      bits().sharpen(out.bits, out.range);
      return out;
    }
    operation_info unpromised = info; // the bounds handle the promises
    unpromised.flags = {};
    out.bits = bits().step(unpromised, {args, &element::bits});
    if (info.code != operation::copy || !args[0].range.fits(info.width)) {
      reduce(info.width, out);
    }
    return out;
  }

  constexpr void restrict_both(operation code, unsigned width, element& a, element& b) const {
    if (!is_comparison(code)) {
      return;
    }
    restrict_to_bits(width, a);
    restrict_to_bits(width, b);
    interval_domain::element::assume_unreduced(code, a.range, b.range);
    if (code == operation::equal) {
      bits().assume(code, width, a.bits, b.bits);
    }
    reduce(width, a);
    if (!(b.bits.is_constant() && b.range.as_signed.is_constant() && b.range.as_unsigned.is_constant())) {
      reduce(width, b);
    }
    if (a.is_bottom() || b.is_bottom()) {
      a = b = bottom();
    }
  }

  /// The number of bits up to the highest one that is unknown.
  static constexpr unsigned unknown_length(const known_bits_domain::element& a) {
    return static_cast<unsigned>(std::bit_width(~(a.zeros | a.ones)));
  }

  static constexpr void forget_up_to_usual_length(element& a) {
    const unsigned length = unknown_length(a.bits);
    const unsigned usual = length <= 8 ? 8 : std::bit_ceil(length);
    const auto allowed = static_cast<unsigned>(std::bit_width(a.range.as_unsigned.low ^ a.range.as_unsigned.high));
    const unsigned last = usual < allowed ? usual : allowed; // both ends of the range agree in the bits above `allowed`
    if (last > length) {
      const std::uint64_t forgotten = low_ones(last) & ~low_ones(length);
      a.bits.zeros &= ~forgotten;
      a.bits.ones &= ~forgotten;
    }
  }

  /// Restricts bounds to those that the bits imply.
  static constexpr void restrict_to_bits(unsigned width, element& a) {
    const interval_domain::element implied = known_bits_domain::range_of(width, a.bits);
    a.range.as_signed = detail::signed_ranges::common(a.range.as_signed, implied.as_signed);
    a.range.as_unsigned = detail::unsigned_ranges::common(a.range.as_unsigned, implied.as_unsigned);
  }

  static constexpr known_bits_domain bits() { return {}; }

  /// The low bits.
  constexpr element read(unsigned width, const element& a) const {
    if (a.is_bottom() || a.range.fits(width)) {
      return a;
    }
    element out{interval_domain::element::read(width, a.range), known_bits_domain::read(width, a.bits)};
    reduce(width, out);
    return out;
  }

  /// Whether bits add something to the bounds: for other operations, the bounds imply all that bits do.
  static constexpr bool compares_bits(operation code) {
    return code == operation::equal || code == operation::not_equal;
  }

  /// The numbers with this sign bit.
  constexpr element half(unsigned width, unsigned_interval::element range, known_bits_domain::element known,
                         const known_bits_domain::element& highest_bit) const {
    if (range.is_bottom()) {
      return bottom();
    }
    known_bits().meet(known, highest_bit);
    reduce_interval_and_bits()(range, known);
    return {{interval_domain::element::meaning(width, range), range}, known};
  }
};

#if defined(MIDEND_COMPILED_SOURCE)

number_domain::element number_domain::library_transfer(const operation_info& info, span<const element> args) {
  return number_domain().compute(info, args);
}

void number_domain::library_assume(operation code, unsigned width, element& a, element& b) {
  number_domain().restrict_both(code, width, a, b);
}

#endif

MIDEND_END_NAMESPACE
