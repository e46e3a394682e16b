/// What one exit of a loop body compares, and how often the loop runs until it is taken.
#pragma once

#include "midend/config.hpp"
#include "midend/induction/detail/body_forms.hpp"
#include "midend/induction/detail/body_ways.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/induction/loop_counters.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/trip_formula.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"

#include <cstdint>
#include <optional>
#include <span>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The comparison of unsigned numbers that a comparison is for numbers that are not negative.
constexpr operation as_unsigned(operation comparison) {
  switch (comparison) {
  case operation::less:
    return operation::uless;
  case operation::less_equal:
    return operation::uless_equal;
  case operation::greater:
    return operation::ugreater;
  case operation::greater_equal:
    return operation::ugreater_equal;
  default:
    return comparison;
  }
}

/// A number of `from` bits with more of them.
constexpr std::uint64_t extended(operation how, std::uint64_t bits, unsigned from, unsigned to) {
  return how == operation::sign_extend ? static_cast<std::uint64_t>(as_signed(bits, from)) & low_ones(to) : bits;
}

/// Whether the counter of an exit with a formula comes to its end without passing the end of the numbers before.
/// `bound_is_known`: then it may be that more values than a step end the loop, and it cannot jump over them.
constexpr bool cannot_pass(const trip_formula& f, const counted_exit& e, bool bound_is_known) {
  if (!f.requires_no_wrap) {
    return true;
  }
  if (f.ends == operation::equal) {
    return e.flags.no_signed_wrap || e.flags.no_unsigned_wrap;
  }
  const bool is_signed = trip_count_solver::is_signed(f.ends);
  if (is_signed ? e.flags.no_signed_wrap : e.flags.no_unsigned_wrap && !f.is_down) {
    return true;
  }
  const std::uint64_t most = low_ones(e.width);
  const std::uint64_t offset = is_signed ? trip_count_solver::sign(e.width) : 0;
  return bound_is_known && trip_count_solver::ending_values(f.ends, (e.bound + offset) & most, most).size >= f.divisor;
}

struct exit_counting {
  const loop_body& body;
  const body_forms& forms;
  const body_ways& ways;
  std::span<const induction_variable> inductions;
  std::span<const std::uint32_t> induction_of;

  constexpr loop_exit exit_at(std::uint32_t edge) const {
    const std::uint32_t source = body.edges[edge].source;
    loop_exit x{};
    x.edge = edge;
    x.is_always_tested = ways.is_unavoidable(source);
    x.is_at_bottom = ways.is_behind_work(source);
    x.induction = no_body_value;
    x.bound = no_body_value;
    const body_id condition = body.blocks[source].condition;
    if (condition == no_body_value || body.values[condition].info.width != 1 ||
        is_taken(edge, 0) == is_taken(edge, 1)) {
      return x;
    }
    const bool leaves_when = is_taken(edge, 1);
    const body_form& f = forms[condition];
    if (f.kind == body_form_kind::test) {
      compare(x, f.base, leaves_when != f.negated);
    }
    if (x.is_always_tested && !x.is_counted) {
      x.count = count_first_iterations(condition, leaves_when);
    }
    return x;
  }

private:
  constexpr bool is_taken(std::uint32_t edge, std::uint64_t condition) const {
    if (body.edges[edge].has_case) {
      return body.edges[edge].case_value == condition;
    }
    const body_block& block = body.blocks[body.edges[edge].source];
    for (std::uint32_t e = block.first_edge; e != block.last_edge; ++e) {
      if (body.edges[e].has_case && body.edges[e].case_value == condition) {
        return false;
      }
    }
    return true;
  }

  /// A flag that says whether this is the first iteration, and everything else that is a number in it or behind it: the
  /// exit is taken in the first iteration, in the second, or if the phis do not change after that, never.
  constexpr trip_count count_first_iterations(body_id condition, bool leaves_when) const {
    const std::optional<bool> first = holds(condition, 0);
    if (!first) {
      return {};
    }
    if (*first == leaves_when) {
      return {trip_count_kind::exact, 0, 1};
    }
    const std::optional<bool> second = holds(condition, 1);
    if (second && *second == leaves_when) {
      return {trip_count_kind::exact, 1, 2};
    }
    return second && is_settled(condition) ? trip_count{trip_count_kind::endless, 0, 1} : trip_count{};
  }

  constexpr std::optional<bool> holds(body_id condition, unsigned iteration) const {
    const body_form& f = forms[condition];
    if (f.kind != body_form_kind::test) {
      const std::optional<std::uint64_t> bit = number_in(condition, iteration);
      return bit ? std::optional(*bit != 0) : std::nullopt;
    }
    const std::span<const body_id> operands = body.operands_of(f.base);
    const std::optional<std::uint64_t> a = number_in(operands[0], iteration);
    const std::optional<std::uint64_t> b = number_in(operands[1], iteration);
    const operation_info& info = body.values[f.base].info;
    return a && b ? std::optional(detail::compare(info.code, *a, *b, info.operand_width) != f.negated) : std::nullopt;
  }

  /// A number or counter in iteration 0 or 1, if the phi of which it is made is a number then.
  constexpr std::optional<std::uint64_t> number_in(body_id v, unsigned iteration) const {
    const body_form& f = forms[v];
    if (f.kind == body_form_kind::number) {
      return f.number;
    }
    if (f.kind != body_form_kind::counter) {
      return std::nullopt;
    }
    const body_id source = iteration == 0 ? body.initial(f.base) : body.next(f.base);
    const bool is_next_counter = iteration == 1 && forms[source].kind == body_form_kind::counter;
    const auto phi = is_next_counter ? number_in(source, 0) : settled_number(source);
    const std::uint64_t sum = (phi.value_or(0) + f.number) & low_ones(f.width);
    return phi ? std::optional(extended(f.seen_as, sum, f.width, body.values[v].info.width)) : std::nullopt;
  }

  constexpr std::optional<std::uint64_t> settled_number(body_id v) const {
    return forms[v].kind == body_form_kind::number ? std::optional(forms[v].number) : std::nullopt;
  }

  /// Whether the phis behind a condition are numbers from the second iteration on.
  constexpr bool is_settled(body_id condition) const {
    const auto settles = [this](body_id v) {
      return forms[v].kind == body_form_kind::number || settled_number(body.next(forms[v].base)).has_value();
    };
    const body_form& f = forms[condition];
    if (f.kind != body_form_kind::test) {
      return settles(condition);
    }
    const std::span<const body_id> operands = body.operands_of(f.base);
    return settles(operands[0]) && settles(operands[1]);
  }

  /// Phis that stay as they are do not change either.
  constexpr bool is_unchanging(body_id v) const {
    const body_form& f = forms[v];
    if (f.kind != body_form_kind::counter) {
      return f.kind == body_form_kind::number || f.kind == body_form_kind::invariant;
    }
    const body_form& next = forms[body.next(f.base)];
    return next.kind == body_form_kind::counter && next.base == f.base && next.number == 0 &&
           next.seen_as == operation::copy;
  }

  constexpr void compare(loop_exit& x, body_id comparison, bool exits_when) const {
    const std::span<const body_id> operands = body.operands_of(comparison);
    const bool swapped = is_unchanging(operands[0]);
    const body_form& counter = forms[operands[swapped ? 1 : 0]];
    const body_id bound = operands[swapped ? 0 : 1];
    if (counter.kind != body_form_kind::counter || induction_of[counter.base] == no_body_value ||
        !is_unchanging(bound)) {
      return;
    }
    const operation code = body.values[comparison].info.code;
    const bool is_narrow = counter.width < body.values[counter.base].info.width;
    if (is_narrow && counter.seen_as != operation::copy) {
      return; // two conversions
    }
    x.is_counted = true;
    x.swapped = swapped;
    x.induction = induction_of[counter.base];
    x.seen_as = is_narrow ? operation::truncate : counter.seen_as;
    x.addend = counter.number;
    x.bound = bound;
    x.comparison = swapped ? mirrored(code) : code;
    x.exits_when = exits_when;
    if (x.is_always_tested) {
      count(x, counter);
    }
  }

  constexpr void count(loop_exit& x, const body_form& counter) const {
    const induction_variable& i = inductions[x.induction];
    const body_form& bound = forms[x.bound];
    const bool bound_is_known = bound.kind == body_form_kind::number;
    const std::uint64_t most = low_ones(counter.width);
    counted_exit e{counter.width,
                   (i.start + counter.number) & most,
                   i.step & most,
                   bound_is_known ? bound.number : 0,
                   x.comparison,
                   x.exits_when,
                   promised_by_both(i.flags, counter.flags)};
    if (counter.seen_as != operation::copy &&
        !(bound_is_known ? narrow_bound(e, x) : widen_counter(e, x, i.has_start))) {
      return;
    }
    if (i.has_start && bound_is_known) {
      x.count = keeps_promise(i, counter) ? trip_count_of(e) : trip_count{trip_count_kind::wraps_first, 0, 1};
    } else if (const auto formula = trip_formula_of(e); formula && cannot_pass(*formula, e, bound_is_known)) {
      x.has_formula = true;
      x.formula = *formula;
    }
  }

  /// Widened numbers have the order of those they come from, zeros making it one without signs. So a bound that is such
  /// a number can be compared with the counter itself.
  constexpr bool narrow_bound(counted_exit& e, const loop_exit& x) const {
    const std::uint64_t narrow = e.bound & low_ones(e.width);
    if (extended(x.seen_as, narrow, e.width, body.values[x.bound].info.width) != e.bound) {
      return false;
    }
    e.bound = narrow;
    e.comparison = x.seen_as == operation::zero_extend ? as_unsigned(e.comparison) : e.comparison;
    return true;
  }

  /// A counter that does not pass the end of its numbers is a counter in more bits as well. One that begins at 0 or
  /// above and rises is the same with or without its sign.
  constexpr bool widen_counter(counted_exit& e, const loop_exit& x, bool has_start) const {
    const std::uint8_t width = body.values[x.bound].info.width;
    const bool rises = as_signed(e.step, e.width) >= 0 && has_start && as_signed(e.start, e.width) >= 0;
    const bool has_zeros = x.seen_as == operation::zero_extend;
    if (!(has_zeros ? e.flags.no_unsigned_wrap || (rises && e.flags.no_signed_wrap) : e.flags.no_signed_wrap)) {
      return false;
    }
    e.start = extended(x.seen_as, e.start, e.width, width);
    e.step = extended(x.seen_as, e.step, e.width, width);
    e.flags = {true, has_zeros};
    e.width = width;
    return true;
  }

  /// Whether the first number that is compared is what was promised: the trip count begins with it.
  static constexpr bool keeps_promise(const induction_variable& i, const body_form& counter) {
    const wrapping_result first = wrapping_add(i.start & low_ones(counter.width), counter.number, counter.width);
    return !(counter.flags.no_signed_wrap && first.signed_wrap) &&
           !(counter.flags.no_unsigned_wrap && first.unsigned_wrap);
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
