/// `strided_interval_domain`: bounds and remainders of numbers, which learn from each other.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/interval_step.hpp"
#include "midend/dataflow/detail/range_product.hpp"
#include "midend/dataflow/detail/shift_modulo.hpp"
#include "midend/dataflow/domains/congruence_domain.hpp"
#include "midend/dataflow/domains/interval_domain.hpp"
#include "midend/dataflow/lattices/interval_congruence.hpp"
#include "midend/dataflow/text.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/span.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// An element of `strided_interval_domain`.
struct ranges_and_stride {
  interval_domain::element range;
  congruence_domain::element stride;

  constexpr bool is_bottom() const { return range.is_bottom(); }

  friend constexpr bool operator==(const ranges_and_stride&, const ranges_and_stride&) = default;
};

} // namespace detail

/// The reduced product of `interval_domain` and `congruence_domain`: signed bounds, unsigned bounds and the remainder
/// of each number, read as unsigned. Choose it where loops count in steps: bounds alone cannot show that a counter is a
/// multiple of 3, and remainders alone cannot show that it does not wrap. G. Balakrishnan, T. Reps, "Analyzing memory
/// accesses in x86 executables", CC 2004, where such elements are called reduced interval congruences.
///
/// Bounds show which operations do not wrap, so that remainders modulo any number survive, and which numbers are not
/// negative, so that signed operations are unsigned ones.
struct strided_interval_domain : detail::range_product<strided_interval_domain, detail::ranges_and_stride,
                                                       congruence_domain, &detail::ranges_and_stride::stride> {
  /// Converts facts to an element, and an element that is not bottom to facts.
  constexpr element known(const number_facts& f) const {
    return {{{f.low, f.high}, {f.least, f.most}}, {f.modulus, f.residue}};
  }

  constexpr number_facts facts(const element& a) const {
    return {a.range.as_signed.low,    a.range.as_signed.high, a.range.as_unsigned.low,
            a.range.as_unsigned.high, a.stride.modulus,       a.stride.residue};
  }

  constexpr bool widen(unsigned width, element& a, const element& b, const thresholds& t) const {
    const bool changed = ranges().widen(width, a.range, b.range, t);
    return strides().join(a.stride, b.stride) || changed;
  }

  constexpr element transfer(const operation_info& info, span<const element> args) const {
    if (info.code == operation::select) {
      return select(info.width, args);
    }
    for (const element& a : args) {
      if (a.is_bottom()) {
        return bottom();
      }
    }
    if (loses_all(info, args)) {
      return top(info.width);
    }
    if (const optional<element> result = folded(*this, info, args)) {
      return *result;
    }
    if (is_modulo_shift(info.code)) {
      return detail::shift_modulo(*this, info, args[0], args[1]);
    }
    bool fit = true;
    for (unsigned i = 0; i != args.size(); ++i) {
      fit = fit && (reads_whole(info.code, i) || args[i].range.fits(read_width(info)));
    }
    if (fit) {
      return compute(info, args);
    }
    std::array<element, 3> low{};
    for (unsigned i = 0; i != args.size(); ++i) {
      low[i] = reads_whole(info.code, i) ? args[i] : read(read_width(info), args[i]);
    }
    return compute(info, {low.data(), args.size()});
  }

  constexpr void assume(operation code, unsigned width, element& a, element& b) const {
    ranges().assume(code, width, a.range, b.range);
    strides().assume(code, width, a.stride, b.stride);
    reduce(width, a);
    reduce(width, b);
    if (a.is_bottom() || b.is_bottom()) {
      a = b = bottom();
    }
  }

  /// Makes each part the least one around the numbers that all of them allow. Handles the numbers with and without the
  /// highest bit separately, because signed and unsigned bounds agree on each half.
  constexpr void reduce(unsigned width, element& a) const {
    if (is_reduced(width, a)) {
      return;
    }
    const element negative = half(width, interval_domain::element::negative(width, a.range), a.stride);
    a = half(width, interval_domain::element::not_negative(width, a.range), a.stride);
    join(a, negative);
  }

  /// `[4, 12] 0 mod 4`: the bounds, and the remainder if one is known.
  constexpr void print(text_buffer& out, const element& a) const {
    ranges().print(out, a.range);
    if (!a.is_bottom() && !as_constant(a) && a.stride.modulus != 1) {
      append_text(out, " ");
      strides().print(out, a.stride);
    }
  }

private:
  friend range_product;

  using argument_bounds = detail::argument_references<interval_domain::element>;

  static constexpr congruence_domain strides() { return {}; }

  /// Computes with arguments as the operation reads them.
  constexpr element compute(const operation_info& info, span<const element> args) const {
    const argument_bounds bounds(args, &element::range);
    congruence_domain::element stride_args[3] = {args[0].stride, args[args.size() > 1 ? 1 : 0].stride,
                                                 args[args.size() > 2 ? 2 : 0].stride};
    element out{detail::interval_step(info, bounds).result(),
                strides().transfer(seen_by_bounds(info, bounds), {stride_args, args.size()})};
    reduce(info.width, out);
    return out;
  }

  /// A quick test: whether the parts surely have nothing to learn from each other.
  constexpr bool is_reduced(unsigned width, const element& a) const {
    const auto& s = a.range.as_signed;
    const auto& u = a.range.as_unsigned;
    const std::uint64_t m = a.stride.modulus;
    if (s.low >= 0 && s.low < s.high) { // the same bounds, and numbers of the stride
      return u.low == static_cast<std::uint64_t>(s.low) && u.high == static_cast<std::uint64_t>(s.high) &&
             (m == 1 || (m != 0 && u.low % m == a.stride.residue && u.high % m == a.stride.residue));
    }
    return s.low < 0 && s.high >= 0 && m == 1 && u == interval_domain::element::all(width).as_unsigned;
  }

  /// A quick test: whether the result is unknown because an operand is.
  constexpr bool loses_all(const operation_info& info, span<const element> args) const {
    switch (info.code) {
    case operation::add:
    case operation::sub:
      if (info.flags.no_signed_wrap || info.flags.no_unsigned_wrap) {
        return false;
      }
      [[fallthrough]];
    case operation::bit_xor:
      return args[0] == top(info.width) || args[1] == top(info.width);
    default:
      return is_comparison(info.code) && info.width == 1 && args[0] == top(info.operand_width) &&
             args[1] == top(info.operand_width);
    }
  }

  /// The low bits.
  constexpr element read(unsigned width, const element& a) const {
    if (a.is_bottom() || a.range.fits(width)) {
      return a;
    }
    const bool is_wide = a.range.as_unsigned.high > low_ones(width);
    element out{interval_domain::element::read(width, a.range),
                is_wide ? unsigned_congruence(width).wrapped(a.stride) : a.stride};
    reduce(width, out);
    return out;
  }

  /// The numbers of one sign.
  constexpr element half(unsigned width, unsigned_interval::element range, congruence_domain::element stride) const {
    reduce_interval_and_congruence()(range, stride);
    return range.is_bottom() ? bottom() : element{{interval_domain::element::meaning(width, range), range}, stride};
  }

  /// Simplifies an operation by the bounds of its arguments: sets the flag if it does not wrap, and makes it unsigned
  /// where no sign matters.
  static constexpr operation_info seen_by_bounds(operation_info info, const argument_bounds& args) {
    info.flags.no_unsigned_wrap = info.flags.no_unsigned_wrap || never_wraps(info, args);
    info.flags.no_signed_wrap = false; // the bounds handle it
    const bool is_natural = args[0].as_signed.low >= 0;
    switch (info.code) {
    case operation::div:
    case operation::rem:
      if (is_natural && args[1].as_signed.low >= 0) {
        info.code = info.code == operation::div ? operation::udiv : operation::urem;
      }
      return info;
    case operation::sar:
      info.code = is_natural ? operation::shr : info.code;
      return info;
    case operation::sign_extend:
      info.code = is_natural ? operation::zero_extend : info.code;
      return info;
    case operation::truncate:
      info.code = args[0].as_unsigned.high <= low_ones(info.width) ? operation::copy : info.code;
      return info;
    default:
      return info;
    }
  }

  static constexpr bool never_wraps(const operation_info& info, const argument_bounds& args) {
    const unsigned width = info.width;
    const std::uint64_t a = args[0].as_unsigned.high;
    switch (info.code) {
    case operation::add:
      return !detail::wrapping_add(a, args[1].as_unsigned.high, width).unsigned_wrap;
    case operation::sub:
      return args[0].as_unsigned.low >= args[1].as_unsigned.high;
    case operation::mul:
      return !detail::wrapping_mul(a, args[1].as_unsigned.high, width).unsigned_wrap;
    case operation::shl:
    case operation::shladd: {
      const std::uint64_t amount = args[1].as_unsigned.high;
      if (amount >= width || detail::wrapping_shl(a, amount, width).unsigned_wrap) {
        return false;
      }
      return info.code == operation::shl ||
             !detail::wrapping_add(a << amount, args[2].as_unsigned.high, width).unsigned_wrap;
    }
    default:
      return false;
    }
  }
};

MIDEND_END_NAMESPACE
