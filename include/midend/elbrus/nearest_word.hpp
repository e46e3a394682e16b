/// `nearest_word`: guesses the word that was meant by a misspelled one.
#pragma once

#include "midend/config.hpp"

#include <array>
#include <cstddef>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Words that are longer are not compared.
inline constexpr std::size_t longest_compared_word = 48;

constexpr std::size_t smallest_of(std::size_t a, std::size_t b, std::size_t c) {
  const std::size_t d = a < b ? a : b;
  return d < c ? d : c;
}

} // namespace detail

/// The number of characters to insert, remove, replace or exchange with their right neighbour to turn `a` into `b`; no
/// character is changed twice (F. Damerau, *A technique for computer detection and correction of spelling errors*,
/// Comm. ACM 7(3), 1964). Requires words of at most 48 characters. O(|a| · |b|).
constexpr std::size_t spelling_distance(std::string_view a, std::string_view b) {
  using row = std::array<std::size_t, detail::longest_compared_word + 1>;
  MIDEND_ASSERT(a.size() < row().size() && b.size() < row().size(), "words that are compared", a.size(), b.size());
  row before_last{};
  row last{};
  row now{};
  for (std::size_t j = 0; j <= b.size(); ++j) {
    now[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last = last;
    last = now;
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0u : 1u);
      now[j] = detail::smallest_of(last[j] + 1, now[j - 1] + 1, replaced);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before_last[j - 2] + 1 < now[j]) {
        now[j] = before_last[j - 2] + 1;
      }
    }
  }
  return now[b.size()];
}

/// The word that is spelled most like `wrong`, the first of equals; empty if none is near: one in three characters may
/// be wrong. `words` is a range, and `spelling(word)` converts to `std::string_view`. O(sum of lengths · |wrong|).
template <class Words, class Spelling>
constexpr std::string_view nearest_word(std::string_view wrong, const Words& words, Spelling spelling) {
  std::string_view nearest;
  std::size_t least = (wrong.size() + 2) / 3 + 1;
  for (const auto& word : words) {
    const std::string_view candidate = spelling(word);
    if (candidate.size() > detail::longest_compared_word || wrong.size() > detail::longest_compared_word) {
      continue;
    }
    const std::size_t distance = spelling_distance(wrong, candidate);
    if (distance < least && distance < candidate.size()) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

MIDEND_END_NAMESPACE
