/// `pending_set`: the positions of an order that are still to be visited.
#pragma once

#include "midend/config.hpp"
#include "midend/support/detail/word_kernels.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

class pending_set {
public:
  static constexpr std::uint32_t none = 0xffff'ffff;

  constexpr void assign(std::size_t count, bool value) {
    words_.resize_for_overwrite(words_for(count));
    fill_words(words_.data(), count, value);
  }

  constexpr bool test(std::uint32_t i) const { return (words_.data()[i / word_bits] & bit_mask(i)) != 0; }

  constexpr void set(std::uint32_t i) { words_.data()[i / word_bits] |= bit_mask(i); }

  /// Without a branch: whether a fact has changed cannot be predicted.
  constexpr void set_if(std::uint32_t i, bool wanted) {
    words_.data()[i / word_bits] |= word{wanted} << (i % word_bits);
  }

  constexpr void reset(std::uint32_t i) { words_.data()[i / word_bits] &= ~bit_mask(i); }

  /// The first position from `first` on and before `last`, or `none`. O(last − first), 64 at a time.
  constexpr std::uint32_t find(std::uint32_t first, std::uint32_t last) const {
    const std::size_t found = first < last ? find_bit(words_.data(), words_for(last), first) : no_bit;
    return found < last ? static_cast<std::uint32_t>(found) : none;
  }

private:
  flat_array<word> words_;
};

} // namespace detail

MIDEND_END_NAMESPACE
