/// `bit_matrix`: many sets of one size in one array of words, and the view of one of them.
#pragma once

#include "midend/config.hpp"
#include "midend/support/detail/iterator_base.hpp"
#include "midend/support/detail/word_kernels.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// A read-only view of a set of the numbers below `size()`: the const members of `bit_row`, and a range of the numbers
/// in the set, ascending: `for (std::uint32_t fact : row)`. Valid as long as the memory that it refers to.
class bit_row_view {
public:
  static constexpr std::size_t npos = detail::no_bit;

  /// Removes the lowest bit of the current word until the word is 0.
  class iterator : public detail::iterator_base<iterator, std::uint32_t> {
  public:
    constexpr iterator() = default;

    /// At the first number in the words, or at their end.
    constexpr iterator(const detail::word* words, const detail::word* last) : at_(words), last_(last) {
      if (at_ != last_) {
        rest_ = *at_;
        skip_empty_words();
      }
    }

    constexpr std::uint32_t operator*() const { return base_ + static_cast<std::uint32_t>(std::countr_zero(rest_)); }

    constexpr void advance() {
      rest_ &= rest_ - 1;
      skip_empty_words();
    }

    friend constexpr bool operator==(const iterator& a, const iterator& b) {
      return a.at_ == b.at_ && a.rest_ == b.rest_;
    }

  private:
    constexpr void skip_empty_words() {
      while (rest_ == 0 && ++at_ != last_) {
        rest_ = *at_;
        base_ += detail::word_bits;
      }
    }

    const detail::word* at_ = nullptr;
    const detail::word* last_ = nullptr;
    detail::word rest_ = 0; ///< of the word at `at_`
    std::uint32_t base_ = 0;
  };

  constexpr bit_row_view() = default;

  /// The row of `size` bits whose words start at `words`; see `word_kernels.hpp` for the bits after the last one.
  constexpr bit_row_view(const std::uint64_t* words, std::size_t size) : words_(words), size_(size) {}

  constexpr std::size_t size() const { return size_; }

  /// Whether `n` is in the set.
  constexpr bool test(std::size_t n) const {
    MIDEND_ASSERT(n < size_, "a bit within the set", n, size_);
    return (words_[n / detail::word_bits] & detail::bit_mask(n)) != 0;
  }

  constexpr bool any() const { return detail::any_of_words(words_, num_words()); }

  constexpr bool none() const { return !any(); }

  /// How many bits are set.
  constexpr std::size_t count() const { return detail::count_words(words_, num_words()); }

  constexpr bool is_subset_of(bit_row_view other) const {
    MIDEND_ASSERT(size_ == other.size_, "sets of the same size", size_, other.size_);
    return detail::is_subset_of_words(words_, other.words_, num_words());
  }

  /// The lowest number in the set, or `npos`.
  constexpr std::size_t find_first() const { return detail::find_bit(words_, num_words(), 0); }

  /// The lowest number in the set above `n`, or `npos`.
  constexpr std::size_t find_next(std::size_t n) const {
    return n == npos ? npos : detail::find_bit(words_, num_words(), n + 1);
  }

  constexpr span<const std::uint64_t> words() const { return {words_, num_words()}; }

  constexpr iterator begin() const { return {words_, words_ + num_words()}; }

  constexpr iterator end() const { return {words_ + num_words(), words_ + num_words()}; }

  /// Whether both have one size and equal members.
  friend constexpr bool operator==(bit_row_view a, bit_row_view b) {
    return a.size_ == b.size_ && detail::equal_words(a.words_, b.words_, a.num_words());
  }

private:
  constexpr std::size_t num_words() const { return detail::words_for(size_); }

  const std::uint64_t* words_ = nullptr;
  std::size_t size_ = 0;
};

/// The view itself, which is a range of its numbers. Code over `bit_set`s calls `set_bits` too.
constexpr bit_row_view set_bits(bit_row_view row) {
  return row;
}

/// `num_rows()` sets of the numbers below `num_bits()`, row after row, each on a word boundary. Assigning allocates
/// only if the matrix has never been as large.
class bit_matrix {
public:
  constexpr bit_matrix() = default;

  constexpr bit_matrix(std::size_t rows, std::size_t bits, bool value = false) { assign(rows, bits, value); }

  /// Sets the sizes, and all bits to `value`.
  constexpr void assign(std::size_t rows, std::size_t bits, bool value = false) {
    resize_for_overwrite(rows, bits);
    if (words_in_row_ == 1) {
      words_.assign(rows, value ? detail::last_word_mask(bits) : 0);
    } else {
      for (std::size_t i = 0; i != rows; ++i) {
        detail::fill_words(words(i), bits, value);
      }
    }
  }

  /// Sets the sizes. All bits of a row, also those from `bits` on, are indeterminate until the row is written.
  constexpr void resize_for_overwrite(std::size_t rows, std::size_t bits) {
    rows_ = rows;
    bits_ = bits;
    words_in_row_ = detail::words_for(bits);
    words_.resize_for_overwrite(rows * words_in_row_);
  }

  constexpr std::size_t num_rows() const { return rows_; }

  constexpr std::size_t num_bits() const { return bits_; }

  constexpr std::size_t words_in_row() const { return words_in_row_; }

  constexpr bit_row_view operator[](std::size_t row) const {
    MIDEND_ASSERT(row < rows_, "a row of the matrix", row, rows_);
    return {words_.data() + row * words_in_row_, bits_};
  }

  constexpr bool test(std::size_t row, std::size_t bit) const { return (*this)[row].test(bit); }

  constexpr void set(std::size_t row, std::size_t bit, bool value = true) {
    MIDEND_ASSERT(row < rows_, "a row of the matrix", row, rows_);
    MIDEND_ASSERT(bit < bits_, "a bit within the row", bit, bits_);
    std::uint64_t& at = words(row)[bit / detail::word_bits];
    at = value ? at | detail::bit_mask(bit) : at & ~detail::bit_mask(bit);
  }

  /// The words of a row. Bits from `num_bits()` on must stay 0.
  constexpr std::uint64_t* words(std::size_t row) { return words_.data() + row * words_in_row_; }

  constexpr const std::uint64_t* words(std::size_t row) const { return words_.data() + row * words_in_row_; }

  friend constexpr bool operator==(const bit_matrix&, const bit_matrix&) = default;

private:
  std::size_t rows_ = 0;
  std::size_t bits_ = 0;
  std::size_t words_in_row_ = 0;
  flat_array<std::uint64_t> words_;
};

MIDEND_END_NAMESPACE

template <> inline constexpr bool std::ranges::enable_borrowed_range<midend::bit_row_view> = true;
