/// `trip_formula_text`: the trip count of a loop as an expression in the values of the program.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/induction/loop_counters.hpp"
#include "midend/viz/value_names.hpp"

#include <cstdint>
#include <string>

MIDEND_BEGIN_NAMESPACE

/// The exit whose formula says how often the loop runs: the counted one, or the first whose step is a value;
/// `no_body_value` if there is none.
constexpr std::uint32_t exit_with_formula(const loop_counters& counters) {
  for (std::uint32_t i = 0; i != counters.exits.size(); ++i) {
    const loop_exit& x = counters.exits[i];
    if (i == counters.counted_exit ? x.has_formula : counters.counted_exit == no_body_value && x.has_step_formula) {
      return i;
    }
  }
  return no_body_value;
}

namespace detail {

/// The formula of an exit with its start, bound and step.
MIDEND_FUNCTION std::string trip_formula_words(const loop_body& body, const loop_counters& counters,
                                               const function_words& names);

} // namespace detail

/// The number of backedges taken, as an expression in values from before the loop, such as
/// `0 if (%start + 1) >= %len, else %len - (%start + 1), in 32 bits`: arithmetic modulo 2^32, unsigned except for the
/// first comparison, after wider values have been converted to 32 bits. Empty if there is no
/// `exit_with_formula`. If another exit is taken before, the number is smaller.
template <class Names>
std::string trip_formula_text(const loop_body& body, const loop_counters& counters, const Names& names) {
  static_assert(value_names_argument<Names>);
  return exit_with_formula(counters) != no_body_value
             ? detail::trip_formula_words(body, counters, detail::function_words_of<Names>(names))
             : std::string();
}

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

#include "midend/induction/trip_formula.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/order.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Writes the formula of an exit with its start, bound and step.
class trip_formula_writer {
public:
  trip_formula_writer(const loop_body& body, const loop_counters& counters, const function_words& names)
      : body_(body), exit_(counters.exits[exit_with_formula(counters)]), formula_(exit_.formula), names_(names) {
    bound_ = value(exit_.bound);
    if (exit_.has_step_formula) {
      write_with_value(exit_.counter);
      return;
    }
    const induction_variable& counter = counters.inductions[exit_.induction];
    start_ = counter.has_start ? first_number(counter) : sum(value(body.initial(counter.phi)), exit_.addend);
    divisor_ = std::to_string(formula_.divisor);
  }

  std::string text() const {
    return (formula_.ends == operation::equal ? up_to_equality() : by_order()) + ", in " +
           std::to_string(formula_.width) + " bits";
  }

private:
  /// Start and divisor, if the step is a value.
  void write_with_value(const value_step& counter) {
    const std::string start = value(body_.initial(counter.phi));
    const std::string value_of_step = value(counter.step);
    const std::string step =
        counter.shift == 0 ? value_of_step : "(" + value_of_step + " << " + std::to_string(counter.shift) + ")";
    start_ = counter.is_next ? "(" + start + (counter.is_subtracted ? " - " : " + ") + step + ")"
                             : sum(start, counter.addend);
    if (counter.offset != no_body_value) {
      start_ = "(" + start_ + (counter.subtracts_offset ? " - " : " + ") + value(counter.offset) + ")";
    }
    divisor_ = formula_.negates_step ? "(0 - " + step + ")" : step;
    divisor_ = exit_.needs_end ? "max(1, " + divisor_ + ")" : divisor_;
  }

  /// The value of the first test, if the start is a number.
  std::string first_number(const induction_variable& counter) const {
    const std::uint64_t bits = (counter.start + exit_.addend) & low_ones(counter.width);
    const unsigned width = min(counter.width, formula_.width);
    return exit_.conversion == operation::zero_extend ? std::to_string(bits) : std::to_string(as_signed(bits, width));
  }

  /// A number as the program writes it.
  std::string number(std::uint64_t bits) const { return std::to_string(as_signed(bits, formula_.width)); }

  std::string value(body_id v) const {
    const body_value& x = body_.values[v];
    return x.kind == body_kind::constant ? number(x.bits) : names_.value(x.origin);
  }

  /// The value of the first test otherwise: the start plus the addend.
  std::string sum(const std::string& start, std::uint64_t addend) const {
    const std::int64_t by = as_signed(addend, formula_.width);
    return by == 0 ? start : "(" + with_addend(start, by) + ")";
  }

  static std::string with_addend(const std::string& text, std::int64_t by) {
    const auto size = by < 0 ? 0 - static_cast<std::uint64_t>(by) : static_cast<std::uint64_t>(by);
    return by == 0 ? text : text + (by < 0 ? " - " : " + ") + std::to_string(size);
  }

  std::string up_to_equality() const {
    const bool goes_down = formula_.inverse == low_ones(formula_.width) && formula_.shift == 0;
    std::string out = goes_down ? start_ + " - " + bound_ : bound_ + " - " + start_;
    if (formula_.shift != 0) {
      out = "(" + out + ") / " + std::to_string(std::uint64_t{1} << formula_.shift);
    }
    return formula_.inverse == 1 || goes_down ? out : "(" + out + ") * " + std::to_string(formula_.inverse);
  }

  /// ⌈distance / divisor⌉, unsigned; 0 if the first test ends the loop.
  std::string by_order() const {
    const std::string distance = formula_.is_down ? start_ + " - " + bound_ : bound_ + " - " + start_;
    const auto adjustment = static_cast<std::int64_t>(formula_.adjustment);
    const std::string count = formula_.divisor == 1
                                  ? with_addend(distance, adjustment)
                                  : "(" + with_addend(distance, adjustment - 1) + ") / " + divisor_ + " + 1";
    return "0 if " + start_ + " " + symbol() + " " + bound_ + ", else " + count;
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

  const loop_body& body_;
  const loop_exit& exit_;
  const trip_formula& formula_;
  const function_words& names_;
  std::string start_;
  std::string bound_;
  std::string divisor_;
};

MIDEND_FUNCTION std::string trip_formula_words(const loop_body& body, const loop_counters& counters,
                                               const function_words& names) {
  return trip_formula_writer(body, counters, names).text();
}

} // namespace detail

MIDEND_END_NAMESPACE

#endif
