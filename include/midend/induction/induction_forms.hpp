/// `induction_forms`: what the values of a loop body are in terms of its header phis: a phi plus a number, above all.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/induction/loop_facts.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

enum class induction_form_kind : std::uint8_t {
  varies,    ///< any value
  number,    ///< `number`
  invariant, ///< the same in all iterations as `base`, which can be computed before the first
  counter,   ///< the header phi `base` plus `number`, modulo 2^width
  test       ///< whether the comparison `base` holds; if `negated`, whether it does not hold
};

/// A value of a loop body. Counters and tests may have been extended to more bits.
struct induction_form {
  induction_form_kind kind = induction_form_kind::varies;
  bool negated = false;
  std::uint8_t width = 64;               ///< of a counter, before it was extended
  operation extension = operation::copy; ///< `copy`, or `zero_extend` or `sign_extend` to more bits
  bool no_borrow = false;                ///< as one subtraction of the opposite of `number`, it does not wrap, unsigned
  operation_flags flags = {};            ///< of the one addition of `number` to the phi
  body_id base = no_body_value;
  std::uint64_t number = 0;

  constexpr bool is_number(std::uint64_t n) const { return kind == induction_form_kind::number && number == n; }

  /// A counter that has not been extended.
  constexpr bool is_plain_counter() const {
    return kind == induction_form_kind::counter && extension == operation::copy;
  }

  /// Whether both are known to be the same value; flags do not count.
  friend constexpr bool is_same_value(const induction_form& a, const induction_form& b) {
    return a.kind == b.kind && a.kind != induction_form_kind::varies && a.negated == b.negated && a.width == b.width &&
           a.extension == b.extension && a.base == b.base && a.number == b.number;
  }
};

namespace detail {

constexpr operation_flags promised_by_both(operation_flags a, operation_flags b) {
  return {a.no_signed_wrap && b.no_signed_wrap, a.no_unsigned_wrap && b.no_unsigned_wrap};
}

/// A counter plus a number.
///
/// If all additions of a chain keep their promises, phi plus the exact sum of the numbers is within the bounds of the
/// type, whatever the signs are. So one addition of the sum keeps the promise too, provided that the sum itself is a
/// number of the type; otherwise the promise is dropped.
constexpr induction_form with_addend(induction_form counter, std::uint64_t number, operation_flags flags) {
  if (number == 0) {
    return counter;
  }
  const wrapping_result sum = wrapping_add(counter.number, number, counter.width);
  counter.number = sum.bits & low_ones(counter.width);
  counter.no_borrow = false;
  counter.flags = promised_by_both(promised_by_both(counter.flags, flags), {!sum.signed_wrap, !sum.unsigned_wrap});
  return counter;
}

/// A counter minus a number, as the sum with the negated number. The signed promise for the least number cannot be
/// expressed this way and is dropped, and so are unsigned promises but for that of one subtraction.
constexpr induction_form with_subtrahend(const induction_form& counter, std::uint64_t number, operation_flags flags) {
  const std::uint64_t negative = (0 - number) & low_ones(counter.width);
  induction_form out = with_addend(counter, negative, {flags.no_signed_wrap && negative != number, false});
  out.no_borrow = counter.no_borrow && (number == 0 || (flags.no_unsigned_wrap && counter.number == 0));
  return out;
}

} // namespace detail

/// The forms of all values of a loop body. Recognises additions and subtractions of numbers, `shladd` with numbers,
/// copies, changes of width, masks of low bits, joins and selects whose inputs agree, comparisons and their negations;
/// and computes what has only numbers as operands.
class induction_forms {
public:
  constexpr induction_forms() = default;

  constexpr explicit induction_forms(const loop_body& body) { assign(body); }

  constexpr const induction_form& operator[](body_id v) const { return forms_[v]; }

  /// Refills this object with the forms of another body; what facts say is a number has the form of that number. One
  /// pass, O(size of the body).
  constexpr void assign(const loop_body& body, const loop_facts& facts = {}) {
    forms_.resize_for_overwrite(body.num_values());
    for (body_id v = 0; v != body.num_values(); ++v) {
      const std::optional<std::uint64_t> known = facts.number(v);
      forms_[v] = known ? number_form(*known) : form_of(body, v);
    }
  }

private:
  using enum induction_form_kind;

  constexpr induction_form form_of(const loop_body& body, body_id v) const {
    const body_value& value = body.values[v];
    induction_form out;
    out.base = v;
    switch (value.kind) {
    case body_kind::phi:
      out.kind = counter;
      out.width = value.info.width;
      out.flags = {true, true}; // nothing is added
      out.no_borrow = true;
      return out;
    case body_kind::constant:
      return number_form(value.bits & low_ones(value.info.width));
    case body_kind::invariant:
      out.kind = invariant;
      return out;
    case body_kind::join:
      return common_form(body.operands_of(v));
    case body_kind::pure:
      return computed_form(value.info, v, body.operands_of(v));
    default:
      return {};
    }
  }

  static constexpr induction_form number_form(std::uint64_t n) {
    induction_form out;
    out.kind = number;
    out.number = n;
    return out;
  }

  constexpr induction_form common_form(span<const body_id> operands) const {
    induction_form out = operands.empty() ? induction_form{} : forms_[operands[0]];
    for (const body_id o : operands) {
      if (!is_same_value(out, forms_[o])) {
        return {};
      }
      out.flags = detail::promised_by_both(out.flags, forms_[o].flags);
      out.no_borrow = out.no_borrow && forms_[o].no_borrow;
    }
    return out;
  }

  constexpr induction_form computed_form(const operation_info& info, body_id v, span<const body_id> operands) const {
    if (info.code == operation::other || operands.size() != arity(info.code)) {
      return {};
    }
    const induction_form& a = forms_[operands[0]];
    const induction_form& b = operands.size() < 2 ? a : forms_[operands[1]];
    induction_form out;
    switch (info.code) {
    case operation::copy:
      return a;
    case operation::truncate:
      out = truncated(a, info);
      break;
    case operation::zero_extend:
    case operation::sign_extend:
      out = extended(a, info);
      break;
    case operation::select:
      out = common_form(operands.subspan(1));
      break;
    case operation::add:
    case operation::sub:
    case operation::shladd:
      out = sum_form(info, operands);
      break;
    case operation::bit_and:
      out = a.kind == number ? masked(b, a.number) : masked(a, b.kind == number ? b.number : 0);
      break;
    default:
      out = test_form(info, v, a, b);
      break;
    }
    return out.kind == varies ? invariant_form(info, v, operands) : out;
  }

  /// The sum of a counter and a number.
  constexpr induction_form sum_form(const operation_info& info, span<const body_id> operands) const {
    const induction_form& a = forms_[operands[0]];
    const induction_form& b = forms_[operands.back()];
    switch (info.code) {
    case operation::add:
      if (a.is_plain_counter() && b.kind == number) {
        return detail::with_addend(a, b.number, info.flags);
      }
      return b.is_plain_counter() && a.kind == number ? detail::with_addend(b, a.number, info.flags) : induction_form{};
    case operation::sub:
      return a.is_plain_counter() && b.kind == number ? detail::with_subtrahend(a, b.number, info.flags)
                                                      : induction_form{};
    case operation::shladd: {
      const induction_form& amount = forms_[operands[1]];
      if (a.is_plain_counter() && amount.is_number(0) && b.kind == number) {
        return detail::with_addend(a, b.number, info.flags);
      }
      if (b.is_plain_counter() && a.kind == number && amount.kind == number && amount.number < info.width) {
        return detail::with_addend(b, a.number << amount.number & low_ones(info.width), info.flags);
      }
      return {};
    }
    default:
      return {};
    }
  }

  /// A comparison with a result of several bits is a bit with zeros above it.
  static constexpr operation extension_of_comparison(const operation_info& info) {
    return info.width == 1 ? operation::copy : operation::zero_extend;
  }

  /// A comparison, or the negation of one.
  static constexpr induction_form test_form(const operation_info& info, body_id v, const induction_form& a,
                                            const induction_form& b) {
    const bool a_is_number = a.kind == number;
    const induction_form& n = a_is_number ? a : b;
    induction_form out = a_is_number ? b : a;
    const bool is_test_with_number = out.kind == test && n.kind == number;
    const bool is_0_or_1 = out.extension != operation::sign_extend;
    switch (info.code) {
    case operation::bit_not:
      if (out.kind == counter && info.width == 1) {
        return detail::with_addend(out, 1, {});
      }
      out.negated = !out.negated;
      return out.kind == test && info.width == 1 ? out : induction_form{};
    case operation::bit_xor:
      if (out.kind == counter && info.width == 1 && n.kind == number) {
        return detail::with_addend(out, n.number, {}); // on one bit, xor is an addition
      }
      out.negated = out.negated != (n.number == 1);
      return is_test_with_number && is_0_or_1 && n.number <= 1 ? out : induction_form{};
    case operation::equal:
    case operation::not_equal:
      if (is_test_with_number && (n.number == 0 || (n.number == 1 && is_0_or_1))) {
        out.negated = out.negated != ((info.code == operation::equal) == (n.number == 0));
        out.extension = extension_of_comparison(info);
        return out;
      }
      break;
    default:
      break;
    }
    out = {};
    out.base = v;
    out.kind = is_comparison(info.code) ? test : varies;
    out.extension = is_comparison(info.code) ? extension_of_comparison(info) : operation::copy;
    return a_is_number && b.kind == number ? induction_form{} : out;
  }

  /// The low bits of a sum depend only on the low bits of its terms.
  static constexpr induction_form truncated(induction_form f, const operation_info& info) {
    if (f.kind == test) {
      f.extension = info.width == 1 ? operation::copy : f.extension;
      return f;
    }
    if (f.kind == counter && info.width <= f.width) {
      f.flags = info.width == f.width ? f.flags : operation_flags{};
      f.no_borrow = f.no_borrow && info.width == f.width;
      f.width = info.width;
      f.extension = operation::copy;
      f.number &= low_ones(info.width);
    }
    return f.kind == counter ? f : induction_form{};
  }

  /// The low bits of a counter, as `mask` keeps them, with zeros above: truncated and zero-extended.
  static constexpr induction_form masked(const induction_form& f, std::uint64_t mask) {
    const auto bits = static_cast<std::uint8_t>(std::bit_width(mask));
    if (f.kind != counter || mask == 0 || mask != low_ones(bits) || bits > f.width) {
      return {};
    }
    operation_info to_bits{};
    to_bits.width = bits;
    induction_form out = truncated(f, to_bits);
    const bool is_whole = bits == f.width && f.extension == operation::copy;
    out.extension = is_whole ? operation::copy : operation::zero_extend;
    return out;
  }

  /// A zero-extended number is not negative, so sign-extending it further adds zeros.
  static constexpr induction_form extended(induction_form f, const operation_info& info) {
    const bool has_form = f.kind == counter || f.kind == test;
    if (!has_form || (f.extension == operation::sign_extend && info.code == operation::zero_extend)) {
      return {};
    }
    const bool is_wider = info.width > info.operand_width;
    f.extension = is_wider && f.extension == operation::copy ? info.code : f.extension;
    return f;
  }

  /// An operation on numbers and invariants. If it cannot fail, it can be computed before the loop, without its flags.
  constexpr induction_form invariant_form(const operation_info& info, body_id v, span<const body_id> operands) const {
    std::array<std::uint64_t, 3> numbers{};
    bool all_known = true;
    for (std::size_t i = 0; i != operands.size(); ++i) {
      const induction_form& f = forms_[operands[i]];
      if (f.kind != number && f.kind != invariant) {
        return {};
      }
      all_known = all_known && f.kind == number;
      numbers[i] = f.number;
    }
    if (all_known) {
      const evaluation result = evaluate(info, span<const std::uint64_t>(numbers).first(operands.size()));
      return result ? number_form(result.bits) : induction_form{};
    }
    induction_form out;
    out.kind = operands.size() < 2 || cannot_fail(info, forms_[operands[1]]) ? invariant : varies;
    out.base = v;
    return out;
  }

  static constexpr bool cannot_fail(const operation_info& info, const induction_form& divisor_or_amount) {
    return !is_partial(info.code) ||
           (divisor_or_amount.kind == number && is_total_with(info, divisor_or_amount.number));
  }

  flat_array<induction_form> forms_;
};

MIDEND_END_NAMESPACE
