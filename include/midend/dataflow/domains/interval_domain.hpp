/// `interval_domain`: the bounds of numbers, signed and unsigned, and the effect of operations on them.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/interval_step.hpp"
#include "midend/dataflow/detail/range_arithmetic.hpp"
#include "midend/dataflow/detail/shift_modulo.hpp"
#include "midend/dataflow/lattices/interval.hpp"
#include "midend/dataflow/text.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/span.hpp"

#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// Two intervals for each number, read as signed and as unsigned, because programs compare both ways. Neither wraps
/// around: intervals that do are not a lattice (two of them may have no least upper bound). Transfers reduce them to
/// the smallest intervals around the numbers that both allow; `join` and `widen` do not. Cousot, Cousot, 1976, see
/// `interval`.
///
/// Ascending chains can be as long as the range of numbers, so loops need `widen`.
struct interval_domain {
  using element = detail::interval_bounds;
  using constant_type = std::uint64_t;

  static constexpr bool reads_any_width = true;

  constexpr element bottom() const { return element::none(); }

  constexpr element top(unsigned width) const { return element::all(width); }

  constexpr element constant(unsigned width, std::uint64_t c) const { return element::exactly(width, c); }

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
    const bool changed = detail::signed_ranges(width).widen(a.as_signed, b.as_signed, t.as_signed);
    return detail::unsigned_ranges(width).widen(a.as_unsigned, b.as_unsigned, t.as_unsigned) || changed;
  }

  /// Reduces both intervals to the smallest ones around the numbers that both allow.
  constexpr void reduce(unsigned width, element& a) const { element::reduce(width, a); }

  constexpr element transfer(const operation_info& info, span<const element> args) const {
    if (info.code == operation::select) {
      return select(info.width, args);
    }
    detail::width_check check(read_width(info));
    for (const element& a : args) {
      if (a.is_bottom()) {
        return bottom();
      }
      check.add(a);
    }
    if (const optional<element> constant = folded(*this, info, args)) {
      return *constant;
    }
    if (is_modulo_shift(info.code)) {
      return detail::shift_modulo(*this, info, args[0], args[1]);
    }
    return check.fits() ? step(info, args) : step_of_any_width(info, args);
  }

  constexpr void assume(operation code, unsigned width, element& a, element& b) const {
    element::assume(code, width, a, b);
  }

  /// `[-3, 5]`, or `[-3, 5] u[2, 253]` if the unsigned bounds add information. A single bit has no sign: `[0, 1]`.
  constexpr void print(text_buffer& out, const element& a) const {
    if (a.as_signed.low == -1 && a.as_unsigned.high == 1) { // of one bit: -1 is 1
      unsigned_interval().print(out, a.as_unsigned);
      return;
    }
    signed_interval().print(out, a.as_signed);
    const bool has_both_signs = !a.is_bottom() && a.as_signed.low < 0 && a.as_signed.high >= 0;
    const bool is_full = a.as_unsigned.low == 0 && (a.as_unsigned.high & (a.as_unsigned.high + 1)) == 0;
    if (has_both_signs && !is_full) {
      append_text(out, " u");
      unsigned_interval().print(out, a.as_unsigned);
    }
  }

private:
  MIDEND_SELDOM_CALLED constexpr element step_of_any_width(const operation_info& info, span<const element> args) const {
    element read[3] = {};
    for (unsigned i = 0; i != args.size(); ++i) {
      read[i] = reads_whole(info.code, i) ? args[i] : element::read(read_width(info), args[i]);
    }
    return step(info, {read, args.size()});
  }

  /// The result for arguments of the width that the operation reads.
  constexpr element step(const operation_info& info, span<const element> args) const {
    element out = detail::interval_step(info, args).result();
    if (!is_comparison(info.code)) {
      reduce(info.width, out);
    }
    return out;
  }

  constexpr element select(unsigned width, span<const element> args) const {
    if (args[0].is_bottom()) {
      return bottom();
    }
    if (!args[0].as_unsigned.contains(0) || args[0].as_unsigned.high == 0) {
      return element::read(width, args[args[0].as_unsigned.low != 0 ? 1 : 2]);
    }
    element either = element::read(width, args[1]);
    join(either, element::read(width, args[2]));
    return either;
  }
};

MIDEND_END_NAMESPACE
