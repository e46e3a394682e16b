/// Sets of bits as rows of 64-bit words: the loops of `bit_row` and of engines that keep many rows in a matrix.
///
/// A row of `n` bits takes `words_for(n)` words; the bits of its last word from `n` on are 0, so that rows can be
/// compared, counted and searched word by word. All functions but `fill_words` keep these bits 0 if they are 0 in the
/// operands. Each kernel writes a row and returns whether that changed it, in the same pass, which is what a dataflow
/// engine needs.
#pragma once

#include "midend/config.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

using word = std::uint64_t;

inline constexpr std::size_t word_bits = 64;

/// The result of a search that finds nothing.
inline constexpr std::size_t no_bit = ~std::size_t{0};

constexpr std::size_t words_for(std::size_t bits) {
  return bits / word_bits + (bits % word_bits != 0);
}

constexpr word bit_mask(std::size_t bit) {
  return word{1} << (bit % word_bits);
}

/// The bits of the last word of a row of `bits` bits that are part of the row.
constexpr word last_word_mask(std::size_t bits) {
  return ~word{0} >> (word_bits - 1 - (bits - 1) % word_bits);
}

/// `row[i] = value_at(i)` for all words; returns whether any word changed. `value_at(i)` may read word `i` of any row,
/// including the row that is written.
///
/// Changes are collected without branches, so that compilers use vector instructions. Callers with rows of one word, by
/// far the most frequent case, avoid this loop and its setup.
template <class ValueAt> constexpr bool update_words(word* row, std::size_t words, ValueAt value_at) {
  word difference = 0;
  for (std::size_t i = 0; i != words; ++i) {
    const word value = value_at(i);
    difference |= row[i] ^ value;
    row[i] = value;
  }
  return difference != 0;
}

/// row = other; the row may be uninitialised.
constexpr void copy_words(word* row, const word* other, std::size_t words) {
  for (std::size_t i = 0; i != words; ++i) {
    row[i] = other[i];
  }
}

/// row = row ∪ other
constexpr bool unite_words(word* row, const word* other, std::size_t words) {
  return update_words(row, words, [=](std::size_t i) { return row[i] | other[i]; });
}

/// row = row ∩ other
constexpr bool intersect_words(word* row, const word* other, std::size_t words) {
  return update_words(row, words, [=](std::size_t i) { return row[i] & other[i]; });
}

/// row = row \ other
constexpr bool subtract_words(word* row, const word* other, std::size_t words) {
  return update_words(row, words, [=](std::size_t i) { return row[i] & ~other[i]; });
}

/// row = gen ∪ (in \ kill)
constexpr bool transfer_words(word* row, const word* gen, const word* in, const word* kill, std::size_t words) {
  return update_words(row, words, [=](std::size_t i) { return gen[i] | (in[i] & ~kill[i]); });
}

/// Sets all `bits` bits of a row to `value`, and the rest of the last word to 0.
constexpr void fill_words(word* row, std::size_t bits, bool value) {
  const std::size_t words = words_for(bits);
  for (std::size_t i = 0; i != words; ++i) {
    row[i] = value ? ~word{0} : 0;
  }
  if (words != 0) {
    row[words - 1] &= last_word_mask(bits);
  }
}

/// row ⊆ other
constexpr bool is_subset_of_words(const word* row, const word* other, std::size_t words) {
  for (std::size_t i = 0; i != words; ++i) {
    if ((row[i] & ~other[i]) != 0) {
      return false;
    }
  }
  return true;
}

constexpr bool equal_words(const word* row, const word* other, std::size_t words) {
  for (std::size_t i = 0; i != words; ++i) {
    if (row[i] != other[i]) {
      return false;
    }
  }
  return true;
}

constexpr bool any_of_words(const word* row, std::size_t words) {
  for (std::size_t i = 0; i != words; ++i) {
    if (row[i] != 0) {
      return true;
    }
  }
  return false;
}

constexpr std::size_t count_words(const word* row, std::size_t words) {
  std::size_t count = 0;
  for (std::size_t i = 0; i != words; ++i) {
    count += static_cast<std::size_t>(std::popcount(row[i]));
  }
  return count;
}

/// The first bit that is set from bit `from` on, or `no_bit`.
constexpr std::size_t find_bit(const word* row, std::size_t words, std::size_t from) {
  std::size_t i = from / word_bits;
  if (i >= words) {
    return no_bit;
  }
  word rest = row[i] & (~word{0} << (from % word_bits));
  while (rest == 0) {
    if (++i == words) {
      return no_bit;
    }
    rest = row[i];
  }
  return i * word_bits + static_cast<std::size_t>(std::countr_zero(rest));
}

} // namespace detail

MIDEND_END_NAMESPACE
