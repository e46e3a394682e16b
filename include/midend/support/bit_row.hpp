/// `bit_row`: a set of small numbers; up to 64 of them need no heap.
#pragma once

#include "midend/config.hpp"
#include "midend/support/bit_set.hpp"
#include "midend/support/detail/short_lists.hpp"
#include "midend/support/detail/word_kernels.hpp"
#include "midend/support/span.hpp"
#include "midend/support/swap.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// A set of the numbers below `size()`, one bit each: a model of `bit_set`, so that code over it works over
/// `boost::dynamic_bitset<>` too.
///
/// Up to 64 bits are in the object (24 bytes), larger sets on the heap. As with `flat_array`, only destruction gives up
/// capacity: sets that are assigned, copied to and resized again and again do not allocate. A small set ignores the
/// heap memory that a larger one has left. Moving exchanges two sets, so a set that was moved from holds the value of
/// the other: assign to it or destroy it. Requires sizes below 2^32. `unite`, `intersect` and `subtract` also return
/// whether the set changed, in one walk over the words. All are O(size / 64).
class bit_row {
public:
  /// What searches return if there is no such bit.
  static constexpr std::size_t npos = detail::no_bit;

  constexpr bit_row() = default;

  constexpr explicit bit_row(std::size_t size, bool value = false) { resize(size, value); }

  constexpr bit_row(const bit_row& other) { copy(other); }

  constexpr bit_row(bit_row&& other) noexcept { swap(other); }

  constexpr bit_row& operator=(const bit_row& other) {
    copy(other);
    return *this;
  }

  constexpr bit_row& operator=(bit_row&& other) noexcept {
    swap(other);
    return *this;
  }

  constexpr ~bit_row() { delete[] heap_; }

  constexpr void swap(bit_row& other) noexcept {
    detail::swap_values(word_, other.word_);
    detail::swap_values(heap_, other.heap_);
    detail::swap_values(size_, other.size_);
    detail::swap_values(heap_words_, other.heap_words_);
  }

  constexpr std::size_t size() const { return size_; }

  /// How many bits the set can have without allocating.
  constexpr std::size_t capacity() const {
    return heap_words_ == 0 ? detail::word_bits : heap_words_ * detail::word_bits;
  }

  /// Sets the number of bits. Those below `size` stay, new ones become `value`.
  constexpr void resize(std::size_t size, bool value = false) {
    MIDEND_ASSERT(size <= 0xffff'ffff, "a size of 32 bits", size);
    const std::size_t old_size = size_;
    const std::size_t old_words = num_words();
    const std::size_t words = detail::words_for(size);
    detail::word* const row = move_to_place_of(size);
    size_ = static_cast<std::uint32_t>(size);
    for (std::size_t i = old_words; i < words; ++i) {
      row[i] = value ? ~detail::word{0} : 0;
    }
    if (value && size > old_size && old_size % detail::word_bits != 0) {
      row[old_words - 1] |= ~detail::last_word_mask(old_size);
    }
    row[words == 0 ? 0 : words - 1] &= size == 0 ? 0 : detail::last_word_mask(size);
  }

  /// Whether `n` is in the set.
  constexpr bool test(std::size_t n) const {
    require_bit(n);
    return (data()[n / detail::word_bits] & detail::bit_mask(n)) != 0;
  }

  constexpr bit_row& set(std::size_t n) {
    require_bit(n);
    word_of(n) |= detail::bit_mask(n);
    return *this;
  }

  constexpr bit_row& set(std::size_t n, bool value) { return value ? set(n) : reset(n); }

  /// Adds all of `numbers`, in any order. Faster than one by one.
  constexpr bit_row& set(span<const std::uint32_t> numbers) {
    require_bits(numbers);
    if (is_small()) {
      word_ |= detail::bits_of(numbers);
    } else {
      for (const std::uint32_t n : numbers) {
        heap_[n / detail::word_bits] |= detail::bit_mask(n);
      }
    }
    return *this;
  }

  /// Adds all numbers below `size()`.
  constexpr bit_row& set() {
    detail::fill_words(data(), size_, true);
    return *this;
  }

  constexpr bit_row& reset(std::size_t n) {
    require_bit(n);
    word_of(n) &= ~detail::bit_mask(n);
    return *this;
  }

  /// Removes all of `numbers`.
  constexpr bit_row& reset(span<const std::uint32_t> numbers) {
    require_bits(numbers);
    if (is_small()) {
      word_ &= ~detail::bits_of(numbers);
    } else {
      for (const std::uint32_t n : numbers) {
        heap_[n / detail::word_bits] &= ~detail::bit_mask(n);
      }
    }
    return *this;
  }

  constexpr bit_row& reset() {
    detail::fill_words(data(), size_, false);
    return *this;
  }

  constexpr bool any() const { return detail::any_of_words(data(), num_words()); }

  constexpr bool none() const { return !any(); }

  /// How many bits are set.
  constexpr std::size_t count() const { return detail::count_words(data(), num_words()); }

  /// `*this |= other`; returns whether this set changed. Requires equal sizes, as all operations on two sets do.
  constexpr bool unite(const bit_row& other) {
    require_same_size(other);
    return is_small() ? detail::unite_words(&word_, &other.word_, 1)
                      : detail::unite_words(heap_, other.heap_, num_words());
  }

  /// `*this &= other`; returns whether this set changed.
  constexpr bool intersect(const bit_row& other) {
    require_same_size(other);
    return is_small() ? detail::intersect_words(&word_, &other.word_, 1)
                      : detail::intersect_words(heap_, other.heap_, num_words());
  }

  /// `*this -= other`; returns whether this set changed.
  constexpr bool subtract(const bit_row& other) {
    require_same_size(other);
    return is_small() ? detail::subtract_words(&word_, &other.word_, 1)
                      : detail::subtract_words(heap_, other.heap_, num_words());
  }

  /// Becomes gen ∪ (in \ kill); returns whether this set changed.
  constexpr bool assign_transfer(const bit_row& gen, const bit_row& in, const bit_row& kill) {
    require_same_size(gen);
    require_same_size(in);
    require_same_size(kill);
    return detail::transfer_words(data(), gen.data(), in.data(), kill.data(), num_words());
  }

  constexpr bit_row& operator|=(const bit_row& other) {
    unite(other);
    return *this;
  }

  constexpr bit_row& operator&=(const bit_row& other) {
    intersect(other);
    return *this;
  }

  /// Removes the members of `other`.
  constexpr bit_row& operator-=(const bit_row& other) {
    subtract(other);
    return *this;
  }

  constexpr bool is_subset_of(const bit_row& other) const {
    require_same_size(other);
    return detail::is_subset_of_words(data(), other.data(), num_words());
  }

  /// The lowest number in the set, or `npos`.
  constexpr std::size_t find_first() const { return detail::find_bit(data(), num_words(), 0); }

  /// The lowest number in the set above `n`, or `npos`.
  constexpr std::size_t find_next(std::size_t n) const {
    return n == npos ? npos : detail::find_bit(data(), num_words(), n + 1);
  }

  /// The bits, number 0 lowest in the first word. The bits of the last word from `size()` on are 0.
  constexpr span<const std::uint64_t> words() const { return {data(), num_words()}; }

  /// Whether both have one size and equal members.
  friend constexpr bool operator==(const bit_row& a, const bit_row& b) {
    return a.size_ == b.size_ &&
           (a.is_small() ? a.word_ == b.word_ : detail::equal_words(a.heap_, b.heap_, a.num_words()));
  }

private:
  /// Whether the set is in the object. Callers branch on it once: all sets of a function are of one size.
  constexpr bool is_small() const { return size_ <= detail::word_bits; }

  constexpr std::size_t num_words() const { return detail::words_for(size_); }

  constexpr detail::word* data() { return is_small() ? &word_ : heap_; }

  constexpr const detail::word* data() const { return is_small() ? &word_ : heap_; }

  constexpr detail::word& word_of(std::size_t n) { return is_small() ? word_ : heap_[n / detail::word_bits]; }

  constexpr void copy(const bit_row& other) {
    if (other.is_small()) {
      word_ = other.word_;
      size_ = other.size_;
    } else {
      copy_large(other);
    }
  }

  constexpr void copy_large(const bit_row& other) {
    const std::size_t words = other.num_words();
    if (words > heap_words_) {
      size_ = 0; // there are no bits to keep
      reallocate(words);
    }
    size_ = other.size_;
    detail::copy_words(heap_, other.heap_, words);
  }

  /// The storage of a set of `size` bits. Moves the present bits there.
  constexpr detail::word* move_to_place_of(std::size_t size) {
    if (size <= detail::word_bits) {
      word_ = is_small() ? word_ : heap_[0];
      return &word_;
    }
    if (const std::size_t words = detail::words_for(size); words > heap_words_) {
      reallocate(words);
    } else if (is_small()) {
      heap_[0] = word_;
    }
    return heap_;
  }

  MIDEND_SELDOM_CALLED constexpr void reallocate(std::size_t words) {
    detail::word* const fresh = new detail::word[words];
    detail::copy_words(fresh, data(), num_words());
    delete[] heap_;
    heap_ = fresh;
    heap_words_ = static_cast<std::uint32_t>(words);
  }

  constexpr void require_bit([[maybe_unused]] std::size_t n) const {
    MIDEND_ASSERT(n < size_, "a bit within the set", n, size_);
  }

  constexpr void require_bits([[maybe_unused]] span<const std::uint32_t> numbers) const {
#if MIDEND_CHECKS
    for (const std::uint32_t n : numbers) {
      require_bit(n);
    }
#endif
  }

  constexpr void require_same_size([[maybe_unused]] const bit_row& other) const {
    MIDEND_ASSERT(size_ == other.size_, "sets of the same size", size_, other.size_);
  }

  detail::word word_ = 0; ///< valid for a set of up to 64 numbers
  detail::word* heap_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t heap_words_ = 0;
};

MIDEND_END_NAMESPACE
