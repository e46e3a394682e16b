/// `pending_set`: the worklist of a sweep, a bit for each position of an order.
#pragma once

#include "midend/config.hpp"
#include "midend/support/detail/arena.hpp"
#include "midend/support/detail/word_kernels.hpp"
#include "midend/support/flat_array.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A set of positions `0 … count - 1` that are still to be visited.
class pending_set {
public:
  static constexpr std::uint32_t none = 0xffff'ffff;

  /// Makes the set empty, or full.
  constexpr void assign(std::size_t count, bool value) {
    own_.resize_for_overwrite(words_for(count));
    assign(own_.data(), count, value);
  }

  /// Takes memory that lives until it is reset.
  constexpr void assign(std::size_t count, bool value, arena& memory) {
    assign(memory.array<word>(words_for(count)), count, value);
  }

  constexpr bool contains(std::uint32_t i) const { return (words_[i / word_bits] & bit_mask(i)) != 0; }

  constexpr void insert(std::uint32_t i) {
    const std::size_t at = i / word_bits;
    words_[at] |= bit_mask(i);
    lowest_ = at < lowest_ ? at : lowest_;
    end_ = at < end_ ? end_ : at + 1;
  }

  /// Inserts `first … last`.
  constexpr void insert(std::uint32_t first, std::uint32_t last) {
    const std::size_t low = first / word_bits;
    const std::size_t high = last / word_bits;
    const word from_first = ~word{0} << first % word_bits;
    const word to_last = ~word{0} >> (word_bits - 1 - last % word_bits);
    if (low == high) {
      words_[low] |= from_first & to_last;
    } else {
      words_[low] |= from_first;
      for (std::size_t i = low + 1; i != high; ++i) {
        words_[i] = ~word{0};
      }
      words_[high] |= to_last;
    }
    lowest_ = low < lowest_ ? low : lowest_;
    end_ = high < end_ ? end_ : high + 1;
  }

  constexpr void erase(std::uint32_t i) { words_[i / word_bits] &= ~bit_mask(i); }

  /// The first position from `first` on and before `last`, or `none`. O(last − first), 64 at a time.
  constexpr std::uint32_t find(std::uint32_t first, std::uint32_t last) const {
    const std::size_t found = first < last ? find_bit(words_, words_for(last), first) : no_bit;
    return found < last ? static_cast<std::uint32_t>(found) : none;
  }

  /// Removes positions in ascending sweeps and calls `visit(position)`, which may insert others, until the set is empty
  /// or `visit` returns false; returns whether the set is empty. A position inserted above the visited one is visited
  /// in the same sweep, any other in the next one: no position is visited twice in a sweep.
  template <class Visit> constexpr bool drain(Visit visit) {
    word* const words = words_;
    while (lowest_ < end_) {
      const std::size_t last = end_;
      std::size_t i = lowest_;
      lowest_ = size_;
      end_ = 0;
      for (; i < last || i < end_; ++i) {
        for (word rest = words[i]; rest != 0;) {
          const auto bit = static_cast<std::size_t>(std::countr_zero(rest));
          words[i] ^= bit_mask(bit);
          if (!visit(static_cast<std::uint32_t>(i * word_bits + bit))) {
            return false;
          }
          rest = words[i] & (~word{1} << bit); // lower bits wait for the next sweep
        }
      }
    }
    return true;
  }

private:
  constexpr void assign(word* words, std::size_t count, bool value) {
    words_ = words;
    size_ = words_for(count);
    fill_words(words_, count, value);
    lowest_ = value ? 0 : size_;
    end_ = value ? size_ : 0;
  }

  flat_array<word> own_;
  word* words_ = nullptr;
  std::size_t size_ = 0;
  std::size_t lowest_ = 0; ///< since the sweep began, nothing was inserted into a lower word
  std::size_t end_ = 0;    ///< nor into this word or a higher one
};

} // namespace detail

MIDEND_END_NAMESPACE
