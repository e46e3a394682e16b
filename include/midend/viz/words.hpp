/// Words for enumerators and numbers: one table for each enumeration, one `to_text` for all of them.
#pragma once

#include "midend/config.hpp"
#include "midend/support/fraction.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Whether `V` has a name, as far as compilers tell. They write one that has none as a cast: `(rejection)16`.
template <auto V> consteval bool is_enumerator() {
  const std::string_view name(MIDEND_FUNCTION_NAME);
  const std::size_t at = name.find("V = ");
  return at != std::string_view::npos && name[at + 4] != '(';
}

struct no_words {};

/// Not a constant expression: the error that names it is the diagnostic.
inline void a_row_is_missing_or_out_of_order() {}

} // namespace detail

/// A row of a table of words: a phrase without full stop.
template <class E> struct enumerator_row {
  E enumerator;
  std::string_view words;
};

/// The words of all enumerators of `E`, in their order.
template <class E, std::size_t N> struct enumerator_words {
  enumerator_row<E> rows[N];

  constexpr const enumerator_row<E>* begin() const { return rows; }

  constexpr const enumerator_row<E>* end() const { return rows + N; }

  constexpr std::string_view operator[](E e) const {
    const auto i = static_cast<std::size_t>(e);
    return i < N ? rows[i].words : std::string_view("unknown");
  }
};

/// Makes a table. Requires a row for each enumerator, in order, and enumerators 0, 1, …; anything else does not
/// compile.
template <class E, std::size_t N> consteval enumerator_words<E, N> word_table(const enumerator_row<E> (&rows)[N]) {
  static_assert(!detail::is_enumerator<static_cast<E>(N)>(), "midend: an enumerator has no words");
  enumerator_words<E, N> table{};
  for (std::size_t i = 0; i != N; ++i) {
    if (static_cast<std::size_t>(rows[i].enumerator) != i) {
      detail::a_row_is_missing_or_out_of_order();
    }
    table.rows[i] = rows[i];
  }
  return table;
}

/// The words of the enumerators of `E`. Specialise it to give an enumeration words:
///
///     template <>
///     inline constexpr auto words_of<color> = word_table<color>({
///         {color::red, "red"},
///         {color::green, "green"},
///     });
template <class E> inline constexpr detail::no_words words_of{};

template <class E>
concept has_words = std::is_enum_v<E> && !std::is_same_v<std::remove_cvref_t<decltype(words_of<E>)>, detail::no_words>;

/// The words of an enumerator, a phrase without full stop. O(1).
template <has_words E> constexpr std::string_view to_text(E e) {
  return words_of<E>[e];
}

namespace detail {

// These are hardly inlined: text of many pieces would be most of the code of a program that prints advice.

/// The pieces, one after the other.
MIDEND_COLD MIDEND_FUNCTION std::string joined(std::initializer_list<std::string_view> pieces);

MIDEND_COLD MIDEND_FUNCTION std::string number_text(std::uint64_t number);

/// `1 cycle`, `2 cycles`, `3 branches with equal edges`: the noun ends before ` of ` or ` with `.
MIDEND_COLD MIDEND_FUNCTION std::string counted_text(std::uint64_t count, std::string_view what);

} // namespace detail

/// A fraction in lowest terms: `9/4`, and `3` for a whole number.
MIDEND_COLD MIDEND_FUNCTION std::string exact_text(const fraction& f);

/// A fraction as a decimal number, rounded to the nearest thousandth: `2.25`, `1.333`, `3.00`.
MIDEND_COLD MIDEND_FUNCTION std::string decimal_text(const fraction& f);

/// Ascending numbers, with runs of three or more as ranges: `0-2, 4`.
MIDEND_COLD MIDEND_FUNCTION std::string ranges_text(span<const std::uint32_t> numbers);

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

#include <algorithm>

MIDEND_BEGIN_NAMESPACE

namespace detail {

std::string joined(std::initializer_list<std::string_view> pieces) {
  std::string text;
  for (const std::string_view piece : pieces) {
    text += piece;
  }
  return text;
}

std::string number_text(std::uint64_t number) {
  return std::to_string(number);
}

std::string counted_text(std::uint64_t count, std::string_view what) {
  const std::string_view noun = what.substr(0, std::min(what.find(" of "), what.find(" with ")));
  const std::string_view ending = count == 1 ? "" : noun.ends_with("ch") ? "es" : "s";
  return joined({number_text(count), " ", noun, ending, what.substr(noun.size())});
}

} // namespace detail

std::string exact_text(const fraction& f) {
  const std::string numerator = detail::number_text(f.numerator());
  return f.denominator() == 1 ? numerator : detail::joined({numerator, "/", detail::number_text(f.denominator())});
}

std::string decimal_text(const fraction& f) {
  std::uint64_t whole = f.numerator() / f.denominator();
  std::uint64_t thousandths = ((f.numerator() % f.denominator()) * 1000 + f.denominator() / 2) / f.denominator();
  whole += thousandths / 1000;
  thousandths %= 1000;
  std::string digits = detail::number_text(1000 + thousandths);
  if (digits.back() == '0') {
    digits.pop_back();
  }
  return detail::joined({detail::number_text(whole), ".", std::string_view(digits).substr(1)});
}

std::string ranges_text(span<const std::uint32_t> numbers) {
  std::string text;
  for (std::size_t first = 0; first != numbers.size();) {
    std::size_t last = first;
    while (last + 1 != numbers.size() && numbers[last + 1] == numbers[last] + 1) {
      ++last;
    }
    text += detail::joined({text.empty() ? "" : ", ", detail::number_text(numbers[first])});
    if (last != first) {
      text += detail::joined({last == first + 1 ? ", " : "-", detail::number_text(numbers[last])});
    }
    first = last + 1;
  }
  return text;
}

MIDEND_END_NAMESPACE

#endif
