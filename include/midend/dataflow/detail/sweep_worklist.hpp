/// A worklist of positions `0 … count - 1` that is emptied in sweeps upwards.
#pragma once

#include "midend/config.hpp"
#include "midend/support/detail/word_kernels.hpp"
#include "midend/support/flat_array.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A bit for each position. What is inserted above the position that is visited comes in the same sweep, anything else
/// in the next one: no position is visited twice in a sweep.
class sweep_worklist {
public:
  constexpr void start(std::size_t count) {
    waiting_.assign(words_for(count), 0);
    count_ = 0;
    lowest_ = waiting_.size();
  }

  constexpr void insert(std::size_t position) {
    word& at = waiting_.data()[position / word_bits];
    const word bit = bit_mask(position);
    count_ += (at & bit) == 0;
    at |= bit;
    lowest_ = position / word_bits < lowest_ ? position / word_bits : lowest_;
  }

  /// Takes positions out and calls `visit(position)`, which may insert others, until there are none.
  template <class Visit> constexpr void drain(Visit visit) {
    word* const waiting = waiting_.data();
    while (count_ != 0) {
      const std::size_t first = lowest_;
      lowest_ = waiting_.size();
      for (std::size_t i = first; i != waiting_.size() && count_ != 0; ++i) {
        for (word rest = waiting[i]; rest != 0;) {
          const auto bit = static_cast<std::size_t>(std::countr_zero(rest));
          waiting[i] ^= bit_mask(bit);
          --count_;
          visit(i * word_bits + bit);
          rest = waiting[i] & (~word{1} << bit); // what is below waits
        }
      }
    }
  }

private:
  flat_array<word> waiting_;
  std::size_t count_ = 0;
  std::size_t lowest_ = 0; ///< no word below is to be looked at in the next sweep
};

} // namespace detail

MIDEND_END_NAMESPACE
