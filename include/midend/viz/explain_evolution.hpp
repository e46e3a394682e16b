/// `explain_evolution`: evolutions of values, and how often loops run, in words.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/evolution.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/viz/value_names.hpp"
#include "midend/viz/words.hpp"

#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

/// An obstacle as a phrase without full stop.
template <>
inline constexpr auto words_of<evolution_obstacle> = word_table<evolution_obstacle>({
    {evolution_obstacle::none, "it is known"},
    {evolution_obstacle::unknown_value, "from an operation that is not looked through"},
    {evolution_obstacle::joined_paths, "paths of an iteration bring different sums"},
    {evolution_obstacle::several_starts, "edges into the loop bring different sums"},
    {evolution_obstacle::recurrence, "the next value is not the value plus something known"},
    {evolution_obstacle::first_iteration, "the first iteration does not continue what the others do"},
    {evolution_obstacle::inner_loop, "how often a loop runs is not known"},
    {evolution_obstacle::irreducible_cycle, "changed in a cycle with several entries"},
    {evolution_obstacle::may_wrap, "extended, and it may wrap"},
    {evolution_obstacle::not_linear, "a product of values"},
    {evolution_obstacle::too_large, "too large"},
    {evolution_obstacle::undefined, "undefined or unreachable"},
    {evolution_obstacle::not_last, "the last iteration may end before it is computed"},
});

namespace detail {

MIDEND_FUNCTION std::string linear_form_words(const linear_form& form, const function_words& names);
MIDEND_FUNCTION std::string evolution_words(const evolution& e, const function_words& names);
MIDEND_FUNCTION std::string nested_evolution_words(const nested_evolution& e, const loop_forest& loops,
                                                   const function_words& names);
MIDEND_FUNCTION std::string loop_trips_words(const loop_trips& trips, const function_words& names);

} // namespace detail

/// A sum, such as `2*%x + sext(%y) - 3`. A value that the sum extends stands in `sext(…)` if it is read as signed, in
/// `zext(…)` if not; also in exact forms.
template <class Names> std::string linear_form_text(const linear_form& form, const Names& names) {
  static_assert(value_names_argument<Names>);
  return detail::linear_form_words(form, detail::function_words_of<Names>(names));
}

/// An evolution as a chain of recurrences: `{%n, +, 2}`, `{0, +, 1} + %x*3^k`; a sum if the value does not change; or
/// `unknown: ` and why.
template <class Names> std::string explain_evolution(const evolution& e, const Names& names) {
  static_assert(value_names_argument<Names>);
  return detail::evolution_words(e, detail::function_words_of<Names>(names));
}

/// An evolution in several loops, such as `4*k(rows) + k(columns) + %n`, where `k(rows)` is the iteration of the loop
/// with this header, from 0, and `(k(rows) over 2)` is a binomial coefficient.
template <class Names>
std::string explain_evolution(const nested_evolution& e, const loop_forest& loops, const Names& names) {
  static_assert(value_names_argument<Names>);
  return detail::nested_evolution_words(e, loops, detail::function_words_of<Names>(names));
}

/// The number of backedges taken: `10 backedges`, `at most 10 backedges`, `%n - 1 backedges`, `endless`, `unknown`.
template <class Names> std::string loop_trips_text(const loop_trips& trips, const Names& names) {
  static_assert(value_names_argument<Names>);
  return detail::loop_trips_words(trips, detail::function_words_of<Names>(names));
}

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

#include "midend/induction/trip_count.hpp"
#include "midend/induction/trip_formula.hpp"
#include "midend/ir/evaluate.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A sum of products that is written term by term.
class sum_writer {
public:
  explicit sum_writer(unsigned width) : width_(width) {}

  /// `number` times `product`; an empty product is 1.
  void add(std::uint64_t number, const std::string& product) {
    const std::int64_t by = as_signed(number, width_);
    if (by == 0) {
      return;
    }
    const std::uint64_t size = by < 0 ? 0 - static_cast<std::uint64_t>(by) : static_cast<std::uint64_t>(by);
    text_ += text_.empty() ? (by < 0 ? "-" : "") : (by < 0 ? " - " : " + ");
    if (product.empty() || size != 1) {
      text_ += std::to_string(size & low_ones(width_));
    }
    if (!product.empty()) {
      text_ += size != 1 ? "*" + product : product;
    }
  }

  std::string text() const { return text_.empty() ? "0" : text_; }

private:
  unsigned width_;
  std::string text_;
};

inline std::string read_value(value_id v, number_reading r, const function_words& names) {
  const std::string name = names.value(v);
  return r == number_reading::low_bits ? name : (r == number_reading::as_signed ? "sext(" : "zext(") + name + ")";
}

MIDEND_FUNCTION std::string linear_form_words(const linear_form& form, const function_words& names) {
  sum_writer out(form.width);
  for (const bool is_negative : {false, true}) { // `%n - %s` reads better than `-%s + %n`
    for (std::uint32_t i = 0; i != form.num_terms; ++i) {
      const linear_form::term& t = form.terms[i];
      if ((as_signed(t.coefficient, form.width) < 0) == is_negative) {
        out.add(t.coefficient, read_value(t.value, t.reading, names));
      }
    }
  }
  out.add(form.constant, "");
  return out.text();
}

MIDEND_FUNCTION std::string evolution_words(const evolution& e, const function_words& names) {
  if (!e.is_known()) {
    return "unknown: " + std::string(to_text(e.obstacle));
  }
  std::string out = linear_form_words(e.coefficients[0], names);
  if (e.degree != 0) {
    out = "{" + out;
    for (unsigned d = 1; d <= e.degree; ++d) {
      out += ", +, " + linear_form_words(e.coefficients[d], names);
    }
    out += "}";
  }
  if (e.has_power()) {
    const std::string scale = linear_form_words(e.scale, names);
    const std::int64_t ratio = as_signed(e.ratio, e.scale.width);
    const std::string power = (ratio < 0 ? "(" + std::to_string(ratio) + ")" : std::to_string(ratio)) + "^k";
    const std::string scaled = scale == "1" ? power
                               : e.scale.is_number() || e.scale.num_terms + (e.scale.constant != 0 ? 1 : 0) == 1
                                   ? scale + "*" + power
                                   : "(" + scale + ")*" + power;
    out = out == "0" ? scaled : out + " + " + scaled;
  }
  return out;
}

MIDEND_FUNCTION std::string nested_evolution_words(const nested_evolution& e, const loop_forest& loops,
                                                   const function_words& names) {
  if (!e.is_known()) {
    return "unknown: " + std::string(to_text(e.obstacle));
  }
  sum_writer out(e.width);
  std::uint64_t constant = 0;
  for (std::uint32_t i = 0; i != e.num_terms; ++i) {
    const nested_evolution::term& t = e.terms[i];
    std::string product = t.value == no_value ? "" : read_value(t.value, t.reading, names);
    for (std::uint32_t l = 0; l != e.num_loops; ++l) {
      if (t.degrees[l] != 0) {
        const std::string k = "k(" + names.node(loops.header(e.loops[l])) + ")";
        product += product.empty() ? "" : "*";
        product += t.degrees[l] == 1 ? k : "(" + k + " over " + std::to_string(t.degrees[l]) + ")";
      }
    }
    if (product.empty()) {
      constant = t.coefficient; // comes last
    } else {
      out.add(t.coefficient, product);
    }
  }
  out.add(constant, "");
  return out.text();
}

/// The distance from the first number that is tested to the bound, over the step; empty if that is not known.
inline std::string trip_quotient_words(const counter_test& t, const function_words& names) {
  if (!t.is_known() || !t.is_direct || !is_order(t.ends)) {
    return {};
  }
  const trip_formula f = direct_trip_formula(t.ends, t.first.width, t.step);
  linear_form distance;
  linear_form step = t.value_step;
  const bool fits =
      (f.is_down ? linear_difference(t.first, t.bound, distance) : linear_difference(t.bound, t.first, distance)) &&
      distance.add(f.adjustment) && (t.step != 0 || !f.is_down || step.negate());
  if (!fits) {
    return {};
  }
  const std::string by = t.step != 0 ? std::to_string(f.divisor) : "(" + linear_form_words(step, names) + ")";
  const std::string steps = linear_form_words(distance, names);
  return (by == "1" ? steps : "(" + steps + ") / " + by + ", rounded up,") +
         " backedges, none if the first test ends the loop";
}

MIDEND_FUNCTION std::string loop_trips_words(const loop_trips& trips, const function_words& names) {
  const std::string number = std::to_string(trips.count.backedges) + " backedges";
  if (trips.count.kind == trip_count_kind::exact) {
    return number;
  }
  if (trips.count.kind == trip_count_kind::endless) {
    return "endless";
  }
  const bool has_most = trips.count.kind == trip_count_kind::at_most;
  if (trips.has_formula) {
    const std::string width =
        trips.backedges.is_exact ? std::string() : ", modulo 2^" + std::to_string(trips.backedges.width);
    return linear_form_words(trips.backedges, names) + " backedges" + width + (has_most ? ", at most " + number : "");
  }
  const std::string most = has_most ? "at most " + number : std::string();
  const std::string quotient = trip_quotient_words(trips.test, names);
  return quotient.empty() ? (has_most ? most : "unknown") : quotient + (has_most ? "; " + most : "");
}

} // namespace detail

MIDEND_END_NAMESPACE

#endif
