/// The form of names in the Elbrus-like IR.
#pragma once

#include "midend/config.hpp"

#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

namespace detail {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr bool begins_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

constexpr bool continues_word(char c) {
  return begins_word(c) || is_digit(c) || c == '.';
}

} // namespace detail

/// Whether a text can be a name: a letter or `_`, then letters, digits, `_` and `.`.
constexpr bool is_identifier(std::string_view text) {
  if (text.empty() || !detail::begins_word(text[0])) {
    return false;
  }
  for (const char c : text) {
    if (!detail::continues_word(c)) {
      return false;
    }
  }
  return true;
}

/// Whether a text has only digits: it stands for something without a name.
constexpr bool is_anonymous(std::string_view text) {
  for (const char c : text) {
    if (!detail::is_digit(c)) {
      return false;
    }
  }
  return true;
}

} // namespace elbrus

MIDEND_END_NAMESPACE
