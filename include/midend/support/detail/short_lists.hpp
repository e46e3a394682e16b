/// Short lists of numbers, read without branches. Most lists of successors or of variables have at most two elements,
/// and the branch predictor cannot tell how many the next one has.
#pragma once

#include "midend/config.hpp"
#include "midend/support/detail/word_kernels.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// What `first_two` returns.
struct two_numbers {
  std::uint32_t first;
  std::uint32_t second;
};

/// The first two numbers of a list: of a list of one, that number twice; of an empty list, `none` twice.
constexpr two_numbers first_two(span<const std::uint32_t> numbers, const std::uint32_t& none) {
  const std::uint32_t* const places[] = {&none, numbers.data()}; // compilers make a branch of a conditional expression
  const std::uint32_t* const from = places[!numbers.empty()];
  return {from[0], from[numbers.size() > 1]};
}

inline constexpr std::uint32_t no_number = 0;

/// The bits of the rest of a long list. Not inlined: g++ 12 would warn that it reads past the end of short ones.
MIDEND_SELDOM_CALLED constexpr word bits_of_more(span<const std::uint32_t> numbers) {
  word bits = 0;
  for (const std::uint32_t number : numbers) {
    bits |= bit_mask(number);
  }
  return bits;
}

/// The bits of some numbers in one word.
constexpr word bits_of(span<const std::uint32_t> numbers) {
  const auto [first, second] = first_two(numbers, no_number);
  const word bits = (bit_mask(first) | bit_mask(second)) & (word{0} - word{!numbers.empty()});
  return numbers.size() <= 2 ? bits : bits | bits_of_more(numbers.subspan(2));
}

} // namespace detail

MIDEND_END_NAMESPACE
