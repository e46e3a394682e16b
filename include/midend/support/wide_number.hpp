/// `wide_number`: unsigned integers of up to 256 bits, for arithmetic modulo 2^width.
#pragma once

#include "midend/config.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// An unsigned integer of 256 bits, in words of 64, the low one first. Arithmetic is modulo 2^256: for a width below
/// that, mask results with `low_ones_of_width`. All operations take constant time.
class wide_number {
public:
  static constexpr unsigned bits = 256;
  static constexpr std::size_t num_words = bits / 64;

  constexpr wide_number() = default;

  /// The number itself.
  constexpr wide_number(std::uint64_t n) : words_{n} {} // NOLINT: a number is one

  constexpr std::uint64_t word(std::size_t i) const { return words_[i]; }

  constexpr void set_word(std::size_t i, std::uint64_t word) { words_[i] = word; }

  constexpr std::uint64_t low() const { return words_[0]; }

  constexpr bool fits_in_64_bits() const { return (words_[1] | words_[2] | words_[3]) == 0; }

  /// Bit number `i`, below 256.
  constexpr bool bit(unsigned i) const { return (words_[i / 64] >> i % 64 & 1) != 0; }

  /// How often 2 divides this; 256 for 0.
  constexpr unsigned num_low_zeros() const {
    for (unsigned i = 0; i != num_words; ++i) {
      if (words_[i] != 0) {
        return 64 * i + static_cast<unsigned>(std::countr_zero(words_[i]));
      }
    }
    return bits;
  }

  friend constexpr wide_number operator+(const wide_number& a, const wide_number& b) {
    wide_number sum;
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i != num_words; ++i) {
      const std::uint64_t word = a.words_[i] + b.words_[i];
      sum.words_[i] = word + carry;
      carry = word < a.words_[i] || sum.words_[i] < word ? 1 : 0;
    }
    return sum;
  }

  friend constexpr wide_number operator~(const wide_number& a) {
    wide_number out;
    for (std::size_t i = 0; i != num_words; ++i) {
      out.words_[i] = ~a.words_[i];
    }
    return out;
  }

  friend constexpr wide_number operator-(const wide_number& a, const wide_number& b) {
    return a + (~b + wide_number(1));
  }

  friend constexpr wide_number operator&(const wide_number& a, const wide_number& b) {
    wide_number out;
    for (std::size_t i = 0; i != num_words; ++i) {
      out.words_[i] = a.words_[i] & b.words_[i];
    }
    return out;
  }

  friend constexpr wide_number operator|(const wide_number& a, const wide_number& b) { return ~(~a & ~b); }

  /// By words of 32 bits, whose products fit in 64.
  friend constexpr wide_number operator*(const wide_number& a, const wide_number& b) {
    wide_number product;
    for (unsigned i = 0; i != 2 * num_words; ++i) {
      std::uint64_t carry = 0;
      for (unsigned k = 0; i + k != 2 * num_words; ++k) {
        const std::uint64_t sum = a.half(i) * b.half(k) + product.half(i + k) + carry; // at most 2^64 - 1
        product.set_half(i + k, sum);
        carry = sum >> 32;
      }
    }
    return product;
  }

  /// By less than 256.
  friend constexpr wide_number operator<<(const wide_number& a, unsigned by) {
    wide_number out;
    for (std::size_t i = by / 64; i != num_words; ++i) {
      const std::size_t from = i - by / 64;
      const std::uint64_t below = from != 0 && by % 64 != 0 ? a.words_[from - 1] >> (64 - by % 64) : 0;
      out.words_[i] = a.words_[from] << by % 64 | below;
    }
    return out;
  }

  /// By less than 256; zeros come in.
  friend constexpr wide_number operator>>(const wide_number& a, unsigned by) {
    wide_number out;
    for (std::size_t i = 0; i + by / 64 != num_words; ++i) {
      const std::size_t from = i + by / 64;
      const std::uint64_t above = from + 1 != num_words && by % 64 != 0 ? a.words_[from + 1] << (64 - by % 64) : 0;
      out.words_[i] = a.words_[from] >> by % 64 | above;
    }
    return out;
  }

  friend constexpr bool operator==(const wide_number&, const wide_number&) = default;

  friend constexpr bool operator<(const wide_number& a, const wide_number& b) {
    for (std::size_t i = num_words; i != 0; --i) {
      if (a.words_[i - 1] != b.words_[i - 1]) {
        return a.words_[i - 1] < b.words_[i - 1];
      }
    }
    return false;
  }

private:
  constexpr std::uint64_t half(unsigned i) const { return words_[i / 2] >> i % 2 * 32 & 0xffff'ffff; }

  constexpr void set_half(unsigned i, std::uint64_t n) {
    const unsigned shift = i % 2 * 32;
    words_[i / 2] = (words_[i / 2] & ~(std::uint64_t{0xffff'ffff} << shift)) | (n & 0xffff'ffff) << shift;
  }

  std::array<std::uint64_t, num_words> words_{};
};

/// Ones in the low `width` bits, 1 … 256.
constexpr wide_number low_ones_of_width(unsigned width) {
  return ~wide_number() >> (wide_number::bits - width);
}

MIDEND_END_NAMESPACE
