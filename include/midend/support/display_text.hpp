/// Which characters of a text may be displayed unchanged: for messages and lists that quote an input.
#pragma once

#include "midend/config.hpp"
#include "midend/support/span.hpp"

#include <cstddef>

MIDEND_BEGIN_NAMESPACE

/// The number of bytes of the character at a position of a text in UTF-8, if it may be displayed. 0 if it is no
/// character, or would change how a terminal or browser displays its surroundings: control characters, also those above
/// 0x7f, separators of lines and paragraphs, marks and overrides of the direction of writing. Requires a position in
/// the text. Time: O(1).
constexpr std::size_t displayed_length(span<const char> text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? unsigned{static_cast<unsigned char>(text[at + i])} : 0u;
  };
  const unsigned first = byte(0);
  if (first < 0x80) {
    return first >= 0x20 && first != 0x7f ? 1 : 0;
  }
  const std::size_t length = first < 0xc2 || first > 0xf4 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) {
      return 0;
    }
  }
  unsigned code = first & (length == 2 ? 0x1fu : length == 3 ? 0xfu : 7u);
  for (std::size_t i = 1; i < length; ++i) {
    code = code << 6 | (byte(i) & 0x3f);
  }
  const bool is_control = code < 0xa0;
  const bool directs = code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
                       (code >= 0x2066 && code <= 0x2069);
  return is_control || directs ? 0 : length;
}

/// Whether all characters of a text may be displayed unchanged.
constexpr bool is_displayable(span<const char> text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = displayed_length(text, at);
    if (length == 0) {
      return false;
    }
    at += length;
  }
  return true;
}

MIDEND_END_NAMESPACE
