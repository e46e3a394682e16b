/// `explain_dependence` and dependences in words.
#pragma once

#include "midend/config.hpp"
#include "midend/dependence/dependence_result.hpp"
#include "midend/dependence/nest_accesses.hpp"
#include "midend/dependence/read_nest.hpp"
#include "midend/dependence/runtime_checks.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/viz/value_names.hpp"
#include "midend/viz/words.hpp"

#include <cstdint>
#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

template <>
inline constexpr auto words_of<dependence_answer> = word_table<dependence_answer>({
    {dependence_answer::unknown, "unknown"},
    {dependence_answer::dependent, "dependent"},
    {dependence_answer::independent, "independent"},
});

template <>
inline constexpr auto words_of<memory_dependence_kind> = word_table<memory_dependence_kind>({
    {memory_dependence_kind::flow, "flow"},
    {memory_dependence_kind::anti, "anti"},
    {memory_dependence_kind::output, "output"},
    {memory_dependence_kind::input, "input"},
});

/// The deciding test, as a phrase.
template <>
inline constexpr auto words_of<dependence_test> = word_table<dependence_test>({
    {dependence_test::none, "one run"},
    {dependence_test::classes, "different classes of memory"},
    {dependence_test::ziv, "a constant distance"},
    {dependence_test::strong_siv, "one counter, the same factor"},
    {dependence_test::weak_zero_siv, "one counter in one of them"},
    {dependence_test::weak_crossing_siv, "one counter, opposite factors"},
    {dependence_test::exact_siv, "one counter"},
    {dependence_test::rdiv, "two counters"},
    {dependence_test::gcd, "a common divisor"},
    {dependence_test::bounds, "bounds of the counters"},
    {dependence_test::elimination, "exact elimination"},
});

/// The unknown part, as a phrase.
template <>
inline constexpr auto words_of<dependence_obstacle> = word_table<dependence_obstacle>({
    {dependence_obstacle::none, "it is known"},
    {dependence_obstacle::unknown_place, "the place is not known"},
    {dependence_obstacle::unknown_size, "the number of bytes is not known"},
    {dependence_obstacle::different_bases, "different bases"},
    {dependence_obstacle::too_large, "numbers are too large"},
    {dependence_obstacle::budget, "too much work"},
});

template <>
inline constexpr auto words_of<place_obstacle> = word_table<place_obstacle>({
    {place_obstacle::none, "it is known"},
    {place_obstacle::no_reference, "a call"},
    {place_obstacle::volatile_place, "volatile"},
    {place_obstacle::unknown_base, "the loops change the base"},
    {place_obstacle::not_affine, "no sum of counters times numbers"},
});

namespace detail {

MIDEND_FUNCTION std::string nest_place_words(const function_nest& nest, const loop_forest& loops, access_id a,
                                             const function_words& names);
MIDEND_FUNCTION std::string dependence_words(const nest_accesses& nest, const dependence_result& result,
                                             const std::string& first, const std::string& second);
MIDEND_FUNCTION std::string byte_interval_words(const function_nest& nest, const runtime_check_plan& plan,
                                                std::uint32_t interval, const function_words& names);

} // namespace detail

/// The place of an access, such as `%a + 4*k(loop) - 4, 4 bytes, class 1`; or `unknown: ` and why.
template <class Names>
std::string nest_place_text(const function_nest& nest, const loop_forest& loops, access_id a, const Names& names) {
  static_assert(value_names_argument<Names>);
  return detail::nest_place_words(nest, loops, a, detail::function_words_of<Names>(names));
}

/// An interval of a plan for this nest, such as `[%a, %a + 4*zext(%n))`: the bytes from the first address up to, and
/// without, the second one.
template <class Names>
std::string byte_interval_text(const function_nest& nest, const runtime_check_plan& plan, std::uint32_t interval,
                               const Names& names) {
  static_assert(value_names_argument<Names>);
  return detail::byte_interval_words(nest, plan, interval, detail::function_words_of<Names>(names));
}

/// The dependences of a pair, whose accesses are called `first` and `second`: `independent: a common divisor`; or kinds
/// with their vectors, from the earlier access to the later one, and two iterations that meet: `flow 1 -> 2 (1, 0);
/// such as 1 in (0, 0), 2 in (1, 0)`. A vector has distances where they are constant, and else `<`, `=`, `>`, or `*`
/// for any.
inline std::string dependence_text(const nest_accesses& nest, const dependence_result& result, const std::string& first,
                                   const std::string& second) {
  return detail::dependence_words(nest, result, first, second);
}

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

#include "midend/dependence/explain_dependence.hpp"
#include "midend/support/checked_integer.hpp"
#include "midend/viz/explain_evolution.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

inline std::string integer_text(checked_integer n) {
  if (n.fits_in_64_bits()) {
    return std::to_string(n.low());
  }
  std::string digits;
  for (checked_integer rest = n.magnitude(); rest.is_positive(); rest = rest.floor_divided(10)) {
    digits.insert(digits.begin(), static_cast<char>('0' + (rest - rest.floor_divided(10) * 10).low()));
  }
  return (n.is_negative() ? "-" : "") + digits;
}

inline std::string symbol_text(const nest_accesses& nest, symbol_id s, const function_words& names) {
  const nest_symbol& symbol = nest.symbol(s);
  return read_value(symbol.value, symbol.reading, names);
}

MIDEND_FUNCTION std::string byte_interval_words(const function_nest& nest, const runtime_check_plan& plan,
                                                std::uint32_t interval, const function_words& names) {
  const byte_interval& bytes = plan.intervals[interval];
  std::string out = "[";
  for (const nest_form* form : {&bytes.begin, &bytes.end}) {
    sum_writer sum(64);
    if (bytes.base != no_base) {
      sum.add(1, names.value(bytes.base));
    }
    for (const nest_term& t : plan.terms_of(*form)) {
      sum.add(static_cast<std::uint64_t>(t.coefficient), symbol_text(nest.accesses, t.index, names));
    }
    sum.add(static_cast<std::uint64_t>(form->constant), "");
    out += sum.text() + (form == &bytes.begin ? ", " : ")");
  }
  return out;
}

MIDEND_FUNCTION std::string nest_place_words(const function_nest& nest, const loop_forest& loops, access_id a,
                                             const function_words& names) {
  const nest_access& access = nest.accesses.access(a);
  std::string out;
  if (access.obstacle != place_obstacle::none) {
    out = "unknown: ";
    out += to_text(access.obstacle);
    if (access.why != evolution_obstacle::none) {
      out += ", ";
      out += to_text(access.why);
    }
  } else {
    sum_writer sum(64);
    if (access.base != no_base) {
      sum.add(1, names.value(access.base));
    }
    for (const nest_term& t : nest.accesses.terms(access.place)) {
      const std::string factor = t.is_symbol ? symbol_text(nest.accesses, t.index, names)
                                             : "k(" + names.node(loops.header(nest.loops[t.index])) + ")";
      sum.add(static_cast<std::uint64_t>(t.coefficient), factor);
    }
    sum.add(static_cast<std::uint64_t>(access.place.constant), "");
    out = sum.text();
  }
  if (access.bytes != 0) {
    out += ", " + std::to_string(access.bytes) + (access.bytes == 1 ? " byte" : " bytes");
  }
  return access.memory == any_memory ? out : out + ", class " + std::to_string(access.memory);
}

/// The vector of a case, from the earlier access to the later one.
inline std::string case_vector_text(const dependence_result& r, std::uint32_t number, bool forward) {
  const dependence_case& c = r.cases[number];
  std::string out = "(";
  for (std::uint32_t i = 0; i != r.levels; ++i) {
    out += i == 0 ? "" : ", ";
    std::string text = "*";
    if (i < c.num_orders) {
      const unsigned o = static_cast<unsigned>(r.orders_of(c)[i]);
      text = o == 1 ? "0" : (o == 0) == forward ? "<" : ">";
    }
    for (const distance_claim& d : r.distances) {
      if (d.of_case == number && d.level == i) {
        text = integer_text(forward ? checked_integer(d.distance) : -checked_integer(d.distance));
      }
    }
    out += text;
  }
  return out + ")";
}

/// The first order that is not `same` decides which access is first; if there is none, both may be.
inline bool case_may_be(const dependence_result& r, const dependence_case& c, bool forward) {
  for (const iteration_order o : r.orders_of(c)) {
    if (o != iteration_order::same) {
      return (o == iteration_order::before) == forward;
    }
  }
  return c.num_orders < r.levels || (forward ? r.first <= r.second : r.second <= r.first);
}

inline std::string iteration_text(span<const checked_integer> counters) {
  std::string out = "(";
  for (std::size_t i = 0; i != counters.size(); ++i) {
    out += (i == 0 ? "" : ", ") + integer_text(counters[i]);
  }
  return out + ")";
}

MIDEND_FUNCTION std::string dependence_words(const nest_accesses& nest, const dependence_result& result,
                                             const std::string& first, const std::string& second) {
  const dependence_explanation why = explain_dependence(nest, result);
  std::string out(to_text(result.answer));
  if (result.is_independent()) {
    return out + ": " + std::string(to_text(why.by));
  }
  out.clear();
  const bool is_pair = result.first != result.second;
  for (const bool forward : {true, false}) {
    const nest_access& earlier = nest.access(forward ? result.first : result.second);
    const nest_access& later = nest.access(forward ? result.second : result.first);
    std::string vectors;
    for (std::uint32_t i = 0; i != result.cases.size() && (forward || is_pair); ++i) {
      const dependence_case& c = result.cases[i];
      if (c.kind == dependence_case_kind::possible && case_may_be(result, c, forward)) {
        vectors += " " + case_vector_text(result, i, forward);
      }
    }
    if (!vectors.empty()) {
      out += out.empty() ? "" : ", ";
      out += to_text(dependence_kind_of(earlier.writes, later.writes));
      out += " " + (forward ? first + " -> " + second : second + " -> " + first) + vectors;
    }
  }
  if (why.has_witness) {
    out += "; such as " + first + " in " + iteration_text(why.first_iteration) + ", " + second + " in " +
           iteration_text(why.second_iteration);
  }
  if (why.obstacle != dependence_obstacle::none) {
    out += "; unknown: ";
    out += why.place != place_obstacle::none ? to_text(why.place) : to_text(why.obstacle);
  }
  return out;
}

} // namespace detail

MIDEND_END_NAMESPACE

#endif
