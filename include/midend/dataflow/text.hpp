/// What `print` of a lattice appends to a `text_buffer`: words, numbers, lists.
///
///     constexpr void print(midend::text_buffer& out, const element& a) const {   // [2, 5, 7]
///       midend::text_list list(out, '[');
///       for (const int n : a) {
///         list.next();
///         midend::append_integer(out, n);
///       }
///       list.close(']');
///     }
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/lattice.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

/// Appends the characters of `text`, which ends in a zero.
constexpr void append_text(text_buffer& out, const char* text) {
  for (; *text != '\0'; ++text) {
    out.push_back(*text);
  }
}

/// Appends a number in decimal, or `true` or `false`.
template <std::integral T> constexpr void append_integer(text_buffer& out, T value) {
  if constexpr (std::is_same_v<T, bool>) {
    append_text(out, value ? "true" : "false");
  } else {
    char digits[20]{};
    std::size_t count = 0;
    auto rest = static_cast<std::uint64_t>(value);
    if (value < T{0}) {
      out.push_back('-');
      rest = 0 - rest;
    }
    do {
      digits[count++] = static_cast<char>('0' + rest % 10);
      rest /= 10;
    } while (rest != 0);
    while (count != 0) {
      out.push_back(digits[--count]);
    }
  }
}

/// A list in brackets, with commas between the items: `(out, '[')` opens it, `close(']')` closes it.
class text_list {
public:
  constexpr text_list(text_buffer& out, char open) : out_(out) { out.push_back(open); }

  /// To be called before each item.
  constexpr void next() {
    append_text(out_, first_ ? "" : ", ");
    first_ = false;
  }

  constexpr void close(char bracket) { out_.push_back(bracket); }

private:
  text_buffer& out_;
  bool first_ = true;
};

MIDEND_END_NAMESPACE
