/// `entry_ranges`: ranges of sums when a loop is entered, also by the branches before it.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/induction/detail/condition_reader.hpp"
#include "midend/induction/detail/held_comparisons.hpp"
#include "midend/induction/detail/integer_ends.hpp"
#include "midend/induction/detail/value_form_reader.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/form_range.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/optional.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

constexpr operation signed_comparison(operation code) {
  switch (code) {
  case operation::uless:
    return operation::less;
  case operation::uless_equal:
    return operation::less_equal;
  case operation::ugreater:
    return operation::greater;
  case operation::ugreater_equal:
    return operation::greater_equal;
  default:
    return code;
  }
}

/// Bounds of sums at an edge, or when a loop is entered: from facts about their values, and from branches that lead
/// there. A comparison bounds a sum in two forms.
///
/// As integers: if the difference that it compares, or its opposite, is that sum plus a number. As bits: a sum that is
/// compared with a number is on an arc of numbers modulo 2^width. So by `x + 254 < 20`, unsigned and of 8 bits, x is
/// one of 2 to 21; by `x & 3 == 1`, the two low bits of x are 1. A sum that differs by a number modulo 2^width is on an
/// arc, too. If the range of an integer is shorter than 2^width, the arc narrows it.
class entry_ranges {
public:
  entry_ranges(const flat_program& program, const loop_forest& loops, const dominator_tree& tree,
               const value_form_reader& reader)
      : loops_(loops), reader_(reader), branches_(program, tree, reader) {}

  /// The range of an exact sum, each time that loop `l` is entered.
  integer_ends of(const linear_form& form, loop_id l) const { return at(form, entering(l)); }

  /// The range of an exact sum, wherever its values are.
  integer_ends of(const linear_form& form) const { return {end_of(form, false), end_of(form, true)}; }

  /// The range of an exact sum, where these comparisons held.
  integer_ends at(const linear_form& form, const held_comparisons& held) const {
    integer_ends out = ends_at(form, held);
    linear_form seen = form;
    if (see_through_masks(held, seen)) {
      const integer_ends more = ends_at(seen, held);
      out.raise(more.least);
      out.lower(more.most);
    }
    return out;
  }

  /// The range of a sum modulo 2^width, each time that loop `l` is entered; for an exact sum, of its low bits.
  form_range range_at(const linear_form& form, loop_id l) const { return range_at(form, entering(l)); }

  form_range range_at(const linear_form& form, const held_comparisons& held) const {
    form_range out = range_of(form, [this](value_id v) { return reader_.facts_of(v); });
    for (std::size_t i = 0; i != held.num_arcs && !out.is_number(); ++i) {
      const form_on_arc& known = held.arcs[i];
      number_arc arc{0, 0};
      if (known.form.width > form.width || !arc_of(form, known, arc)) {
        continue;
      }
      if (known.form.width == form.width && !form.is_exact) {
        const std::uint8_t zeros = arc.more == 0 ? 64 : 0;
        out = in_both_ranges(out, {arc.first, arc.more, zeros}, form.width);
      } else if (arc.more == 0) {
        out = with_low_bits(out, arc.first, known.form.width, form.width);
      }
    }
    return out;
  }

  /// The branches that lead to places.
  const held_comparison_reader& branches() const { return branches_; }

  /// Narrows the range of `form` by `other`, an exact form with known bounds.
  static void narrow(const linear_form& form, const linear_form& other, const integer_ends& ends, integer_ends& out) {
    linear_form rest;
    if (linear_difference(form, other, rest) && rest.is_number()) {
      const optional by(static_cast<std::int64_t>(rest.constant));
      out.raise(checked_sum(ends.least, by));
      out.lower(checked_sum(ends.most, by));
    }
    rest = form;
    if (rest.add(other) && rest.is_number()) {
      const optional sum(static_cast<std::int64_t>(rest.constant));
      out.raise(checked_difference(sum, ends.most));
      out.lower(checked_difference(sum, ends.least));
    }
  }

private:
  /// The comparisons that held when loop `l` was entered. Kept for the next question about that loop.
  const held_comparisons& entering(loop_id l) const {
    if (l != last_loop_) {
      last_loop_ = l;
      branches_.above(loops_.header(l), entering_);
    }
    return entering_;
  }

  optional<std::int64_t> end_of(const linear_form& form, bool greatest) const {
    optional<std::int64_t> sum(static_cast<std::int64_t>(form.constant));
    for (std::uint32_t i = 0; i != form.num_terms; ++i) {
      const linear_form::term& t = form.terms[i];
      const number_facts f = reader_.facts_of(t.value);
      const bool takes_high = (as_signed(t.coefficient, 64) > 0) == greatest;
      if (t.reading == number_reading::as_unsigned && f.most >> 63 != 0) {
        return std::nullopt;
      }
      const std::uint64_t end = t.reading == number_reading::as_signed
                                    ? static_cast<std::uint64_t>(takes_high ? f.high : f.low)
                                    : (takes_high ? f.most : f.least);
      const wrapping_result product = wrapping_mul(t.coefficient, end, 64);
      if (product.signed_wrap) {
        return std::nullopt;
      }
      sum = checked_sum(sum, static_cast<std::int64_t>(product.bits));
    }
    return sum;
  }

  integer_ends ends_at(const linear_form& form, const held_comparisons& held) const {
    integer_ends out = of(form);
    if (form.is_number()) {
      return out;
    }
    for (unsigned round = 0; round != 2; ++round) { // `!=` excludes numbers that are bounds
      for (std::size_t i = 0; i != held.size; ++i) {
        narrow_by(held.comparisons[i], form, out);
      }
      for (std::size_t i = 0; i != held.num_arcs; ++i) {
        number_arc arc{0, 0};
        if (arc_of(form, held.arcs[i], arc)) {
          narrow_to_arc(arc, held.arcs[i].form.width, out);
        }
      }
    }
    const form_range range = range_at(form, held);
    round_ends(range.first, range.zeros, out);
    return out;
  }

  /// Replaces one value whose high bits are 0 by the sum of its low bits, if that sum has no more bits. False if there
  /// is no such value.
  bool see_through_masks(const held_comparisons& held, linear_form& form) const {
    for (std::uint32_t i = 0; i != form.num_terms; ++i) {
      const linear_form::term t = form.terms[i];
      const unsigned width = reader_.width_of(t.value);
      const auto bits = static_cast<unsigned>(std::bit_width(reader_.possible_bits(t.value, width)));
      linear_form low;
      linear_form sum = linear_form::exact_zero();
      if (bits == 0 || bits >= width || !reader_.read_low_bits(t.value, bits, low) ||
          low.coefficient_of(t.value) != 0 || !sum.add(static_cast<std::uint64_t>(as_signed(low.constant, bits)))) {
        continue;
      }
      bool fits = true;
      for (std::uint32_t k = 0; k != low.num_terms && fits; ++k) {
        const linear_form::term& x = low.terms[k];
        const bool is_exact = x.reading != number_reading::low_bits;
        fits = sum.add(x.value, static_cast<std::uint64_t>(as_signed(x.coefficient, bits)),
                       is_exact ? x.reading : number_reading::as_unsigned);
      }
      const integer_ends ends = fits ? ends_at(sum, held) : integer_ends();
      if (ends.is_at_least(0) && ends.is_at_most(static_cast<std::int64_t>(low_ones(bits))) &&
          form.substitute(t.value, sum, t.reading)) {
        return true; // one is enough
      }
    }
    return false;
  }

  /// The arc of a sum, from a known one modulo 2^width.
  bool arc_of(const linear_form& form, const form_on_arc& known, number_arc& out) const {
    const unsigned width = known.form.width;
    linear_form bits = linear_form::zero(width);
    linear_form rest;
    if (!form.is_exact && form.width < width) {
      return false;
    }
    bool fits = bits.add(form.constant);
    for (std::uint32_t i = 0; i != form.num_terms && fits; ++i) {
      const linear_form::term& t = form.terms[i];
      fits = reader_.read_low_bits_of_term(t, width, rest) && bits.add(rest, t.coefficient);
    }
    if (!fits) {
      return false;
    }
    if (linear_difference(bits, known.form, rest) && rest.is_number()) {
      out = {(known.arc.first + rest.constant) & low_ones(width), known.arc.more};
      return true;
    }
    rest = bits;
    if (rest.add(known.form) && rest.is_number()) {
      out = {(rest.constant - known.arc.first - known.arc.more) & low_ones(width), known.arc.more};
      return true;
    }
    return false;
  }

  void narrow_by(const value_comparison& c, const linear_form& form, integer_ends& out) const {
    const bool is_equality = c.code == operation::equal || c.code == operation::not_equal;
    if (is_equality || is_signed_order(c.code)) {
      narrow_by(c, number_reading::as_signed, form, out);
    }
    if (is_equality || !is_signed_order(c.code)) {
      narrow_by(c, number_reading::as_unsigned, form, out);
    }
  }

  void narrow_by(const value_comparison& c, number_reading r, const linear_form& form, integer_ends& out) const {
    linear_form a;
    linear_form b;
    linear_form apart;
    if (!reader_.read_operand(c.a, c.width, r, a) || !read_second(c, r, b) || !linear_difference(a, b, apart)) {
      return;
    }
    switch (signed_comparison(c.code)) {
    case operation::equal:
      return narrow(form, apart, {std::int64_t{0}, std::int64_t{0}}, out);
    case operation::not_equal:
      return step_over(form, apart, out);
    case operation::less:
      return narrow(form, apart, {std::nullopt, std::int64_t{-1}}, out);
    case operation::less_equal:
      return narrow(form, apart, {std::nullopt, std::int64_t{0}}, out);
    case operation::greater:
      return narrow(form, apart, {std::int64_t{1}, std::nullopt}, out);
    default:
      return narrow(form, apart, {std::int64_t{0}, std::nullopt}, out);
    }
  }

  bool read_second(const value_comparison& c, number_reading r, linear_form& out) const {
    if (c.b != no_value) {
      return reader_.read_operand(c.b, c.width, r, out);
    }
    out = linear_form::exact_zero();
    return value_form_reader::read_number(c.number, c.width, r, out);
  }

  /// `apart` is not 0, so `form` is not the number that it would be then. Moves bounds away from that number.
  static void step_over(const linear_form& form, const linear_form& apart, integer_ends& out) {
    integer_ends excluded;
    narrow(form, apart, {std::int64_t{0}, std::int64_t{0}}, excluded);
    if (!excluded.least) {
      return;
    }
    const std::int64_t number = *excluded.least;
    if (out.least && *out.least == number) {
      out.raise(checked_sum(number, std::int64_t{1}));
    }
    if (out.most && *out.most == number) {
      out.lower(checked_difference(number, std::int64_t{1}));
    }
  }

  const loop_forest& loops_;
  const value_form_reader& reader_;
  held_comparison_reader branches_;
  mutable held_comparisons entering_;
  mutable loop_id last_loop_ = no_loop;
};

} // namespace detail

MIDEND_END_NAMESPACE
