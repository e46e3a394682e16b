/// `trip_formula_text`: the trip count of a loop as an expression in the values of the program.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_counts.hpp"
#include "midend/viz/value_names.hpp"

#include <string>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The formula of the exit, with its start, bound and step.
MIDEND_FUNCTION std::string trip_formula_words(const counter_test& test, const function_words& names);

} // namespace detail

/// The number of backedges taken, as an expression in values from before the loop, such as `0 if (%start + 1) >= %len,
/// else %len - (%start + 1), in 32 bits`: arithmetic modulo 2^32, unsigned except for the first comparison. Values of
/// more bits are cut to 32; extended values are written so, `sext(%n)`. Empty if the loop has no formula. If the loop
/// leaves by another exit earlier, the number is smaller.
template <class Names> std::string trip_formula_text(const loop_counts& counts, const Names& names) {
  static_assert(value_names_argument<Names>);
  return counts.has_formula
             ? detail::trip_formula_words(counts.exit.trips.test, detail::function_words_of<Names>(names))
             : std::string();
}

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

#include "midend/induction/trip_formula.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/operation.hpp"
#include "midend/viz/explain_evolution.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Writes a formula with its start, bound and step.
class trip_formula_writer {
public:
  trip_formula_writer(const counter_test& test, const function_words& names)
      : formula_(formula_of(test)), start_(linear_form_words(test.first, names)),
        bound_(linear_form_words(test.bound, names)) {
    divisor_ = std::to_string(formula_.divisor);
    if (test.step == 0) {
      linear_form step = test.value_step;
      static_cast<void>(!formula_.negates_step || step.multiply(~std::uint64_t{0}));
      divisor_ = in_brackets(linear_form_words(step, names));
    }
    linear_form distance;
    if (linear_difference(goes_down() ? test.first : test.bound, goes_down() ? test.bound : test.first, distance)) {
      distance_ = linear_form_words(distance, names);
    } else {
      distance_ = goes_down() ? difference(start_, bound_) : difference(bound_, start_);
    }
  }

  std::string text() const {
    return (formula_.ends == operation::equal ? up_to_equality() : by_order()) + ", in " +
           std::to_string(formula_.width) + " bits";
  }

private:
  /// A sum in brackets.
  static std::string in_brackets(const std::string& text) {
    return text.find(' ') == std::string::npos ? text : "(" + text + ")";
  }

  static std::string difference(const std::string& a, const std::string& b) {
    return b == "0" ? a : in_brackets(a) + " - " + in_brackets(b);
  }

  /// Whether the step is a power of 2 down: the quotient times -1 is that of the opposite distance.
  bool goes_down() const {
    return formula_.ends == operation::equal && formula_.inverse == low_ones(formula_.width) >> formula_.shift;
  }

  std::string up_to_equality() const {
    const std::string out = formula_.shift == 0
                                ? distance_
                                : in_brackets(distance_) + " / " + std::to_string(std::uint64_t{1} << formula_.shift);
    if (formula_.inverse == 1 || goes_down()) {
      return out;
    }
    const std::string product = in_brackets(out) + " * " + std::to_string(formula_.inverse);
    const std::uint64_t most = low_ones(formula_.width) >> formula_.shift; // a product of fewer bits than the distance
    return formula_.shift == 0 ? product : "(" + product + ") % " + std::to_string(most + 1);
  }

  /// ⌈distance / divisor⌉, unsigned; 0 if the first test ends the loop.
  std::string by_order() const {
    const std::string distance = formula_.is_down ? difference(start_, bound_) : difference(bound_, start_);
    const std::string more = formula_.adjustment == 0 ? "" : " + " + std::to_string(formula_.adjustment);
    const bool is_one = formula_.divisor == 1;
    const std::string count =
        is_one ? distance + more
               : "(" + distance + (formula_.adjustment == 0 ? " - 1" : "") + ") / " + divisor_ + " + 1";
    return "0 if " + in_brackets(start_) + " " + symbol() + " " + in_brackets(bound_) + ", else " + count;
  }

  std::string symbol() const {
    switch (formula_.ends) {
    case operation::less:
    case operation::uless:
      return formula_.ends == operation::less ? "<" : "< (unsigned)";
    case operation::less_equal:
    case operation::uless_equal:
      return formula_.ends == operation::less_equal ? "<=" : "<= (unsigned)";
    case operation::greater:
    case operation::ugreater:
      return formula_.ends == operation::greater ? ">" : "> (unsigned)";
    default:
      return formula_.ends == operation::greater_equal ? ">=" : ">= (unsigned)";
    }
  }

  trip_formula formula_;
  std::string start_;
  std::string bound_;
  std::string divisor_;
  std::string distance_; ///< up to equality
};

MIDEND_FUNCTION std::string trip_formula_words(const counter_test& test, const function_words& names) {
  return trip_formula_writer(test, names).text();
}

} // namespace detail

MIDEND_END_NAMESPACE

#endif
