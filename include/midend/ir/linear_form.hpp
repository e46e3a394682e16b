/// `linear_form`: a number as a sum of multiples of values and a constant, modulo 2^width or exact.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/simplify.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// How a value is read as a number in a sum.
enum class number_reading : std::uint8_t {
  low_bits,    ///< its low bits, as many as the sum has; requires that it has so many
  as_signed,   ///< all its bits, as a signed number: the result of sign extension
  as_unsigned, ///< all its bits, as an unsigned number: the result of zero extension
};

/// Σ cᵢ · xᵢ + c of at most `max_terms` values, each with one coefficient that is not 0. Terms stay in the order in
/// which they were added; `same_sum` and `linear_difference` do not depend on it.
///
/// A form is one of two kinds. *Modular*: equal modulo 2^width, whatever wraps. *Exact* (`is_exact`): equal as integers
/// of any size; coefficients and the constant are signed 64-bit numbers, `width` is 64, and each value is read as
/// signed or unsigned. An exact form results where promises and ranges allow to look through an extension. Operations
/// on forms that return `bool` return false if there are too many terms or an exact number does not fit; the form is
/// then as before.
struct linear_form {
  static constexpr std::size_t max_terms = 6;

  struct term {
    value_id value = no_value;
    number_reading reading = number_reading::low_bits;
    std::uint64_t coefficient = 0;

    constexpr term() = default;

    constexpr term(value_id v, std::uint64_t by, number_reading r = number_reading::low_bits)
        : value(v), reading(r), coefficient(by) {}

    constexpr bool reads_as(const term& other) const { return value == other.value && reading == other.reading; }

    friend constexpr bool operator==(const term&, const term&) = default;
  };

  unsigned width = 64;
  bool is_exact = false;
  std::uint64_t constant = 0;
  std::uint32_t num_terms = 0;
  term terms[max_terms] = {};

  /// The number 0.
  static constexpr linear_form zero(unsigned width) {
    linear_form out;
    out.width = width;
    return out;
  }

  static constexpr linear_form exact_zero() {
    linear_form out;
    out.is_exact = true;
    return out;
  }

  /// The number 0 of the same kind.
  constexpr linear_form none_of() const { return is_exact ? exact_zero() : zero(width); }

  constexpr bool is_number() const { return num_terms == 0; }

  constexpr bool is_zero() const { return num_terms == 0 && constant == 0; }

  /// Adds `by` · `v`.
  constexpr bool add(value_id v, std::uint64_t by, number_reading reading = number_reading::low_bits) {
    by = cut(by);
    for (std::uint32_t i = 0; i != num_terms; ++i) {
      if (terms[i].value == v && terms[i].reading == reading) {
        if (!sum_fits(terms[i].coefficient, by)) {
          return false;
        }
        terms[i].coefficient = cut(terms[i].coefficient + by);
        if (terms[i].coefficient == 0) { // the others keep their order
          for (std::uint32_t k = i + 1; k != num_terms; ++k) {
            terms[k - 1] = terms[k];
          }
          --num_terms;
        }
        return true;
      }
    }
    if (by == 0) {
      return true;
    }
    if (num_terms == max_terms) {
      return false;
    }
    terms[num_terms++] = {v, by, reading};
    return true;
  }

  /// Adds a number.
  constexpr bool add(std::uint64_t number) {
    if (!sum_fits(constant, cut(number))) {
      return false;
    }
    constant = cut(constant + number);
    return true;
  }

  /// Adds `by` times another form of the same kind.
  constexpr bool add(const linear_form& other, std::uint64_t by = 1) {
    MIDEND_ASSERT(width == other.width && is_exact == other.is_exact, "forms of one kind", width, other.width);
    linear_form scaled = other;
    linear_form sum = *this;
    if (!scaled.multiply(by) || !sum.add(scaled.constant)) {
      return false;
    }
    for (std::uint32_t i = 0; i != scaled.num_terms; ++i) {
      const term& t = scaled.terms[i];
      if (!sum.add(t.value, t.coefficient, t.reading)) {
        return false;
      }
    }
    *this = sum;
    return true;
  }

  /// Multiplies by a number.
  constexpr bool multiply(std::uint64_t by) {
    by = cut(by);
    linear_form out = none_of();
    if (!product_fits(constant, by)) {
      return false;
    }
    out.constant = cut(constant * by);
    for (std::uint32_t i = 0; i != num_terms; ++i) {
      if (!product_fits(terms[i].coefficient, by)) {
        return false;
      }
      const std::uint64_t coefficient = cut(terms[i].coefficient * by);
      if (coefficient != 0) {
        out.terms[out.num_terms++] = {terms[i].value, coefficient, terms[i].reading};
      }
    }
    *this = out;
    return true;
  }

  constexpr bool negate() { return multiply(~std::uint64_t{0}); }

  /// The coefficient of a value; 0 if it is not in the sum.
  constexpr std::uint64_t coefficient_of(value_id v, number_reading reading = number_reading::low_bits) const {
    for (std::uint32_t i = 0; i != num_terms; ++i) {
      if (terms[i].value == v && terms[i].reading == reading) {
        return terms[i].coefficient;
      }
    }
    return 0;
  }

  /// Replaces a value, in one reading, by a form of the same kind that is equal to it.
  constexpr bool substitute(value_id v, const linear_form& by, number_reading reading = number_reading::low_bits) {
    const std::uint64_t factor = coefficient_of(v, reading);
    linear_form out = *this;
    if (!out.add(v, 0 - factor, reading) || !out.add(by, factor)) {
      return false;
    }
    *this = out;
    return true;
  }

  /// Makes an exact form modular, modulo 2^width. `width_of(v)` is the width of a value: the low bits of values that
  /// are as wide are read.
  template <class WidthOf> constexpr bool reduce(unsigned to_width, const WidthOf& width_of) {
    linear_form out = zero(to_width);
    out.constant = out.cut(constant);
    for (std::uint32_t i = 0; i != num_terms; ++i) {
      const term& t = terms[i];
      const bool has_all = static_cast<unsigned>(width_of(t.value)) >= to_width;
      if (!out.add(t.value, t.coefficient, has_all ? number_reading::low_bits : t.reading)) {
        return false;
      }
    }
    *this = out;
    return true;
  }

  /// The number of the form, modulo 2^width; for an exact form, modulo 2^64. `number_of(t)` is the value of a term,
  /// in the reading of the term, as a number of 64 bits.
  template <class NumberOf> constexpr std::uint64_t evaluate(const NumberOf& number_of) const {
    std::uint64_t sum = constant;
    for (std::uint32_t i = 0; i != num_terms; ++i) {
      sum += terms[i].coefficient * static_cast<std::uint64_t>(number_of(terms[i]));
    }
    return cut(sum);
  }

private:
  constexpr std::uint64_t cut(std::uint64_t bits) const { return bits & low_ones(width); }

  constexpr bool sum_fits(std::uint64_t a, std::uint64_t b) const {
    return !is_exact || !detail::wrapping_add(a, b, 64).signed_wrap;
  }

  constexpr bool product_fits(std::uint64_t a, std::uint64_t b) const {
    return !is_exact || !detail::wrapping_mul(a, b, 64).signed_wrap;
  }
};

/// `a` - `b`, for forms of one kind. False as in `linear_form`.
constexpr bool linear_difference(const linear_form& a, const linear_form& b, linear_form& out) {
  out = a;
  return out.add(b, ~std::uint64_t{0});
}

/// Whether two forms of one kind are equal sums, in any order.
constexpr bool same_sum(const linear_form& a, const linear_form& b) {
  if (a.width != b.width || a.is_exact != b.is_exact || a.constant != b.constant || a.num_terms != b.num_terms) {
    return false;
  }
  for (std::uint32_t i = 0; i != a.num_terms; ++i) {
    if (b.coefficient_of(a.terms[i].value, a.terms[i].reading) != a.terms[i].coefficient) {
      return false;
    }
  }
  return true;
}

/// An operation of the vocabulary as a sum of multiples of its operands: operand `i` times `factors[i]`, plus
/// `constant`. Empty if it is none, or if its result and operands differ in width.
struct linear_step {
  bool is_linear = false;
  std::uint64_t factors[2] = {};
  std::size_t num_operands = 0; ///< operands that are multiplied; other operands are literals
};

/// The step of an operation. `literals[i]` is operand `i` if that is a literal, else empty.
template <class Literal>
constexpr linear_step linear_step_of(const operation_info& info, const Literal (&literals)[3]) {
  const std::uint64_t minus_one = ~std::uint64_t{0};
  switch (info.code) {
  case operation::copy:
    return {true, {1, 0}, 1};
  case operation::neg:
    return {true, {minus_one, 0}, 1};
  case operation::add:
    return {true, {1, 1}, 2};
  case operation::sub:
    return {true, {1, minus_one}, 2};
  case operation::mul:
    return literals[1]   ? linear_step{true, {static_cast<std::uint64_t>(*literals[1]), 0}, 1}
           : literals[0] ? linear_step{true, {0, static_cast<std::uint64_t>(*literals[0])}, 2}
                         : linear_step();
  case operation::shl:
    return literals[1] && *literals[1] < info.width
               ? linear_step{true, {std::uint64_t{1} << static_cast<std::uint64_t>(*literals[1]), 0}, 1}
               : linear_step();
  default:
    return {};
  }
}

namespace detail {

/// An operation that is still to be read, times a factor.
struct waiting_term {
  value_id value;
  std::uint64_t factor;
};

} // namespace detail

/// Reads the form of an operation with these operands. If `looks_through(v)`, the operands of operation `v` are read in
/// its place; this is asked once for each use, and `reads(v)` is called then. False if there are more terms than a form
/// has, or more than 16 operations.
template <definition_reader Reader, class LooksThrough, class Reads>
constexpr bool read_linear_form(const Reader& reader, const operation_info& root, span<const value_id> operands,
                                const LooksThrough& looks_through, const Reads& reads, linear_form& out) {
  out = linear_form();
  out.width = root.width;
  detail::waiting_term waiting[34] = {};
  std::size_t count = 0;
  std::size_t operations = 0;
  const auto push = [&](const operation_info& info, span<const value_id> of, std::uint64_t factor) {
    decltype(reader.constant(no_value)) literals[3] = {};
    for (std::size_t i = 0; i != of.size() && i != 3; ++i) {
      literals[i] = of[i] == no_value ? decltype(reader.constant(no_value))() : reader.constant(of[i]);
    }
    const linear_step step = linear_step_of(info, literals);
    if (!step.is_linear || of.size() < step.num_operands || of.size() != arity(info.code)) {
      return false;
    }
    for (std::size_t i = step.num_operands; i-- != 0;) { // the first operand is read first
      if (of[i] == no_value || reader.is_undefined(of[i]) || reader.width(of[i]) != out.width) {
        return false;
      }
    }
    for (std::size_t i = step.num_operands; i-- != 0;) {
      if (step.factors[i] != 0) {
        waiting[count++] = {of[i], factor * step.factors[i]};
      }
    }
    return true;
  };
  if (!push(root, operands, 1)) {
    return false;
  }
  while (count != 0) {
    const detail::waiting_term at = waiting[--count];
    if (const auto c = reader.constant(at.value)) {
      out.add(static_cast<std::uint64_t>(*c) * at.factor);
      continue;
    }
    const operation_info info = reader.definition(at.value);
    if (info.code != operation::other && info.width == out.width && operations != 16 && looks_through(at.value)) {
      value_id read[3] = {no_value, no_value, no_value};
      std::size_t size = 0;
      detail::for_each_id(reader.operands(at.value), [&](value_id x) {
        if (size < 3) {
          read[size] = x;
        }
        ++size;
      });
      if (size <= 3 && push(info, span<const value_id>(read, size), at.factor)) {
        ++operations;
        reads(at.value);
        continue;
      }
    }
    if (!out.add(at.value, at.factor)) {
      return false;
    }
  }
  return true;
}

MIDEND_END_NAMESPACE
