/// `form_range`: the range of a linear form, from facts about its values.
#pragma once

#include "midend/config.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/number_facts.hpp"

#include <bit>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// A number of some width: `first` plus a multiple of 2^zeros from 0 to `more`, modulo 2^width. So the low `zeros` bits
/// are those of `first`. A known number has `more` 0 and `zeros` 64.
struct form_range {
  std::uint64_t first = 0;
  std::uint64_t more = 0; ///< a multiple of 2^zeros
  std::uint8_t zeros = 64;

  constexpr bool is_number() const { return more == 0; }

  friend constexpr bool operator==(const form_range&, const form_range&) = default;
};

/// The numbers of a range of `width` bits whose low `bits` are those of `number`. If there is none, the range itself:
/// that code never runs.
constexpr form_range with_low_bits(form_range range, std::uint64_t number, unsigned bits, unsigned width) {
  const unsigned known = bits < width ? bits : width;
  const std::uint64_t up = (number - range.first) & ones_below(known); // distance to the first number that fits
  if (known <= range.zeros || up > range.more) {
    return range;
  }
  range.first = (range.first + up) & low_ones(width);
  range.more = known == 64 ? 0 : (range.more - up) >> known << known;
  range.zeros = static_cast<std::uint8_t>(range.is_number() ? 64 : known);
  return range;
}

/// A range that contains the intersection of two ranges of `width` bits: the shorter one, with the low bits of the
/// other.
constexpr form_range in_both_ranges(const form_range& a, const form_range& b, unsigned width) {
  return a.more <= b.more ? with_low_bits(a, b.first, b.zeros, width) : with_low_bits(b, a.first, a.zeros, width);
}

namespace detail {

/// A value in a term of a form, without its coefficient, as a number of 64 bits.
constexpr form_range range_of_value(number_reading reading, const number_facts& f) {
  const auto low = static_cast<std::uint64_t>(f.low);
  const std::uint64_t signed_more = static_cast<std::uint64_t>(f.high) - low;
  const std::uint64_t unsigned_more = f.most - f.least;
  const bool is_signed =
      reading == number_reading::as_signed || (reading == number_reading::low_bits && signed_more < unsigned_more);
  const form_range all{is_signed ? low : f.least, is_signed ? signed_more : unsigned_more, 0};
  return all.is_number() ? form_range{all.first, 0, 64} : with_low_bits(all, f.residue, f.known_low_bits(), 64);
}

/// The sum of two ranges of `width` bits.
constexpr form_range sum_of_ranges(const form_range& a, const form_range& b, unsigned width) {
  const std::uint64_t all = low_ones(width);
  form_range out{(a.first + b.first) & all, 0, a.zeros < b.zeros ? a.zeros : b.zeros};
  if (out.zeros < width) {
    out.more = a.more > all - b.more ? all >> out.zeros << out.zeros : a.more + b.more;
  }
  out.zeros = out.is_number() ? 64 : out.zeros;
  return out;
}

/// A range of 64 bits, times a number, modulo 2^width.
constexpr form_range multiple_of_range(const form_range& a, std::uint64_t by, unsigned width) {
  const std::uint64_t all = low_ones(width);
  const bool is_negative = as_signed(by, width) < 0;
  const std::uint64_t size = (is_negative ? 0 - by : by) & all;
  const auto zeros = static_cast<unsigned>(a.zeros) + static_cast<unsigned>(std::countr_zero(by));
  form_range out{a.first * by & all, 0, 64};
  if (a.is_number() || size == 0 || zeros >= width) {
    return out;
  }
  out.zeros = static_cast<std::uint8_t>(zeros);
  if (a.more > all / size) {
    out.more = all >> zeros << zeros;
    return out;
  }
  out.more = a.more * size;
  out.first = (is_negative ? out.first - out.more : out.first) & all;
  return out;
}

} // namespace detail

/// The range of a modular form. `facts_of(v)` are the facts about a value of it. The range is an arc on the circle of
/// all numbers of its width, as long as the arcs of its terms together. Low bits are known if they are known in all
/// terms. O(terms).
template <class FactsOf> constexpr form_range range_of(const linear_form& form, const FactsOf& facts_of) {
  form_range out{form.constant, 0, 64};
  for (std::uint32_t i = 0; i != form.num_terms; ++i) {
    const linear_form::term& t = form.terms[i];
    const form_range value = detail::range_of_value(t.reading, facts_of(t.value));
    out = detail::sum_of_ranges(out, detail::multiple_of_range(value, t.coefficient, form.width), form.width);
  }
  return out;
}

MIDEND_END_NAMESPACE
