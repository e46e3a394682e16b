/// What the values of a loop body are in terms of its header phis: phi plus number, above all.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/flat_array.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

MIDEND_BEGIN_NAMESPACE

namespace detail {

enum class body_form_kind : std::uint8_t {
  varies,    ///< anything
  number,    ///< `number`
  invariant, ///< as `base`, a value that is the same in all iterations, and can be computed before the first
  counter,   ///< the header phi `base` plus `number`, modulo 2^width
  test       ///< whether the comparison `base` holds, or, if `negated`, does not
};

/// A value, as far as counting asks. Counters and tests may have been widened since.
struct body_form {
  body_form_kind kind = body_form_kind::varies;
  bool negated = false;
  std::uint8_t width = 64;             ///< of a counter, before it was widened
  operation seen_as = operation::copy; ///< or zero_extend or sign_extend, to more bits
  operation_flags flags = {};          ///< promised of the one addition of `number` to the phi
  body_id base = no_body_value;
  std::uint64_t number = 0;

  constexpr bool is_number(std::uint64_t n) const { return kind == body_form_kind::number && number == n; }
};

/// The same but for promises.
constexpr bool is_same_value(const body_form& a, const body_form& b) {
  return a.kind == b.kind && a.kind != body_form_kind::varies && a.negated == b.negated && a.width == b.width &&
         a.seen_as == b.seen_as && a.base == b.base && a.number == b.number;
}

constexpr operation_flags promised_by_both(operation_flags a, operation_flags b) {
  return {a.no_signed_wrap && b.no_signed_wrap, a.no_unsigned_wrap && b.no_unsigned_wrap};
}

/// The sum of a counter and a number.
///
/// If all additions of a chain keep their promise, phi plus the exact sum of the numbers is within the bounds of the
/// type, whatever signs they have. So one addition of the sum keeps it too, if the sum itself is a number of the type;
/// else the promise is forgotten.
constexpr body_form plus(body_form counter, std::uint64_t number, operation_flags flags) {
  if (number == 0) {
    return counter;
  }
  const wrapping_result sum = wrapping_add(counter.number, number, counter.width);
  counter.number = sum.bits & low_ones(counter.width);
  counter.flags = promised_by_both(promised_by_both(counter.flags, flags), {!sum.signed_wrap, !sum.unsigned_wrap});
  return counter;
}

/// The difference, as the sum with the negated number. An unsigned promise has no such form, nor has the signed one of
/// the least number.
constexpr body_form minus(const body_form& counter, std::uint64_t number, operation_flags flags) {
  const std::uint64_t negative = (0 - number) & low_ones(counter.width);
  return plus(counter, negative, {flags.no_signed_wrap && negative != number, false});
}

/// The forms of all values of a body, in one pass.
class body_forms {
public:
  constexpr const body_form& operator[](body_id v) const { return forms_[v]; }

  constexpr void assign(const loop_body& body) {
    forms_.resize_for_overwrite(body.num_values());
    for (body_id v = 0; v != body.num_values(); ++v) {
      forms_[v] = form_of(body, v);
    }
  }

private:
  using enum body_form_kind;

  constexpr body_form form_of(const loop_body& body, body_id v) const {
    const body_value& value = body.values[v];
    body_form out;
    out.base = v;
    switch (value.kind) {
    case body_kind::phi:
      out.kind = counter;
      out.width = value.info.width;
      out.flags = {true, true}; // nothing is added
      return out;
    case body_kind::constant:
      return number_of(value.bits & low_ones(value.info.width));
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

  static constexpr body_form number_of(std::uint64_t n) {
    body_form out;
    out.kind = number;
    out.number = n;
    return out;
  }

  constexpr body_form common_form(std::span<const body_id> operands) const {
    body_form out = operands.empty() ? body_form{} : forms_[operands[0]];
    for (const body_id o : operands) {
      if (!is_same_value(out, forms_[o])) {
        return {};
      }
      out.flags = promised_by_both(out.flags, forms_[o].flags);
    }
    return out;
  }

  constexpr body_form computed_form(const operation_info& info, body_id v, std::span<const body_id> operands) const {
    if (info.code == operation::other || operands.size() != arity(info.code)) {
      return {};
    }
    const body_form& a = forms_[operands[0]];
    const body_form& b = operands.size() < 2 ? a : forms_[operands[1]];
    body_form out;
    switch (info.code) {
    case operation::copy:
      return a;
    case operation::truncate:
      out = narrowed(a, info);
      break;
    case operation::zero_extend:
    case operation::sign_extend:
      out = widened(a, info);
      break;
    case operation::select:
      out = common_form(operands.subspan(1));
      break;
    case operation::add:
    case operation::sub:
    case operation::shladd:
      out = sum_form(info, operands);
      break;
    default:
      out = test_form(info, v, a, b);
      break;
    }
    return out.kind == varies ? unchanging(info, v, operands) : out;
  }

  /// Of additions of a counter and a number.
  constexpr body_form sum_form(const operation_info& info, std::span<const body_id> operands) const {
    const auto is_counter = [](const body_form& f) { return f.kind == counter && f.seen_as == operation::copy; };
    const body_form& a = forms_[operands[0]];
    const body_form& b = forms_[operands.back()];
    switch (info.code) {
    case operation::add:
      if (is_counter(a) && b.kind == number) {
        return plus(a, b.number, info.flags);
      }
      return is_counter(b) && a.kind == number ? plus(b, a.number, info.flags) : body_form{};
    case operation::sub:
      return is_counter(a) && b.kind == number ? minus(a, b.number, info.flags) : body_form{};
    case operation::shladd: {
      const body_form& amount = forms_[operands[1]];
      if (is_counter(a) && amount.is_number(0) && b.kind == number) {
        return plus(a, b.number, info.flags);
      }
      if (is_counter(b) && a.kind == number && amount.kind == number && amount.number < info.width) {
        return plus(b, a.number << amount.number & low_ones(info.width), info.flags);
      }
      return {};
    }
    default:
      return {};
    }
  }

  /// Of comparisons, and of what negates them.
  static constexpr body_form test_form(const operation_info& info, body_id v, const body_form& a, const body_form& b) {
    const bool a_is_number = a.kind == number;
    const body_form& n = a_is_number ? a : b;
    body_form out = a_is_number ? b : a;
    const bool tests_test = out.kind == test && n.kind == number;
    const bool is_bit = out.seen_as != operation::sign_extend; // 0 or 1
    switch (info.code) {
    case operation::bit_not:
      if (out.kind == counter && info.width == 1) {
        return plus(out, 1, {});
      }
      out.negated = !out.negated;
      return out.kind == test && info.width == 1 ? out : body_form{};
    case operation::bit_xor:
      if (out.kind == counter && info.width == 1 && n.kind == number) {
        return plus(out, n.number, {}); // of one bit, it is an addition
      }
      out.negated = out.negated != (n.number == 1);
      return tests_test && is_bit && n.number <= 1 ? out : body_form{};
    case operation::equal:
    case operation::not_equal:
      if (tests_test && (n.number == 0 || (n.number == 1 && is_bit))) {
        out.negated = out.negated != ((info.code == operation::equal) == (n.number == 0));
        out.seen_as = operation::copy;
        return out;
      }
      break;
    default:
      break;
    }
    out = {};
    out.base = v;
    out.kind = is_comparison(info.code) ? test : varies;
    return a_is_number && b.kind == number ? body_form{} : out;
  }

  /// Only the low bits count, and those of a sum come from those of its terms.
  static constexpr body_form narrowed(body_form f, const operation_info& info) {
    if (f.kind == test) {
      f.seen_as = info.width == 1 ? operation::copy : f.seen_as;
      return f;
    }
    if (f.kind == counter && info.width <= f.width) {
      f.flags = info.width == f.width ? f.flags : operation_flags{};
      f.width = info.width;
      f.seen_as = operation::copy;
      f.number &= low_ones(info.width);
    }
    return f.kind == counter ? f : body_form{};
  }

  /// A number that was widened with zeros is not negative any more, and its sign is a zero.
  static constexpr body_form widened(body_form f, const operation_info& info) {
    const bool has_form = f.kind == counter || f.kind == test;
    if (!has_form || (f.seen_as == operation::sign_extend && info.code == operation::zero_extend)) {
      return {};
    }
    const bool is_wider = info.width > info.operand_width;
    f.seen_as = is_wider && f.seen_as == operation::copy ? info.code : f.seen_as;
    return f;
  }

  /// Of numbers and invariants. If nothing can go wrong with the operation, it can be computed before the loop, without
  /// what is promised of it.
  constexpr body_form unchanging(const operation_info& info, body_id v, std::span<const body_id> operands) const {
    std::array<std::uint64_t, 3> numbers{};
    bool all_known = true;
    for (std::size_t i = 0; i != operands.size(); ++i) {
      const body_form& f = forms_[operands[i]];
      if (f.kind != number && f.kind != invariant) {
        return {};
      }
      all_known = all_known && f.kind == number;
      numbers[i] = f.number;
    }
    if (all_known) {
      const evaluation result = evaluate(info, std::span<const std::uint64_t>(numbers).first(operands.size()));
      return result ? number_of(result.bits) : body_form{};
    }
    body_form out;
    out.kind = operands.size() < 2 || is_total(info, forms_[operands[1]]) ? invariant : varies;
    out.base = v;
    return out;
  }

  static constexpr bool is_total(const operation_info& info, const body_form& divisor_or_amount) {
    const bool divides = info.code >= operation::div && info.code <= operation::urem;
    const bool shifts = info.code >= operation::shl && info.code <= operation::shladd;
    const std::uint64_t n = divisor_or_amount.number;
    const bool is_harmless = divides ? n != 0 && n != low_ones(info.width) : n < info.width;
    return (!divides && !shifts) || (divisor_or_amount.kind == number && is_harmless);
  }

  flat_array<body_form> forms_;
};

} // namespace detail

MIDEND_END_NAMESPACE
