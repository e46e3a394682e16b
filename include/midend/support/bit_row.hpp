/// `bit_row`: a set of small numbers; up to 64 of them need no heap.
#pragma once

#include "midend/config.hpp"
#include "midend/support/bit_set.hpp"
#include "midend/support/detail/word_kernels.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// A set of the numbers below `size()`, one bit each: a model of `bit_set`, so that code over it works over
/// `boost::dynamic_bitset<>` too.
///
/// Up to 64 bits lie in the object (24 bytes), larger sets on the heap. As with `flat_array`, capacity is only given up
/// by destruction: sets that are assigned, copied to and resized again and again do not allocate, and moving exchanges.
/// A set that was moved into another is in a state like that other's before: assign to it or let it go.
/// `unite`, `intersect` and `subtract` say in the same pass whether the set changed. All are O(size / 64).
class bit_row {
public:
  /// What searches return if there is no such bit.
  static constexpr std::size_t npos = detail::no_bit;

  constexpr bit_row() = default;

  constexpr explicit bit_row(std::size_t size, bool value = false) { resize(size, value); }

  constexpr bit_row(const bit_row& other) { copy(other); }

  constexpr bit_row(bit_row&& other) noexcept { swap(other); }

  constexpr bit_row& operator=(const bit_row& other) {
    if (this != &other) {
      copy(other);
    }
    return *this;
  }

  constexpr bit_row& operator=(bit_row&& other) noexcept {
    swap(other);
    return *this;
  }

  constexpr ~bit_row() { delete[] heap_words(); }

  constexpr void swap(bit_row& other) noexcept {
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(storage_, other.storage_);
  }

  constexpr std::size_t size() const { return size_; }

  /// The number of bits that can be had without allocating.
  constexpr std::size_t capacity() const { return capacity_ * detail::word_bits; }

  /// Sets the number of bits. Those below `size` stay, new ones become `value`.
  constexpr void resize(std::size_t size, bool value = false) {
    const std::size_t old_size = size_;
    const std::size_t old_words = num_words();
    const std::size_t words = detail::words_for(size);
    detail::word* const row = words > capacity_ ? reallocate(words) : data();
    size_ = size;
    for (std::size_t i = old_words; i < words; ++i) {
      row[i] = value ? ~detail::word{0} : 0;
    }
    if (value && size > old_size && old_size % detail::word_bits != 0) {
      row[old_words - 1] |= ~detail::last_word_mask(old_size);
    }
    if (size != 0) {
      row[words - 1] &= detail::last_word_mask(size);
    }
  }

  /// Whether `n` is in the set.
  constexpr bool test(std::size_t n) const {
    require_bit(n);
    return (data()[n / detail::word_bits] & detail::bit_mask(n)) != 0;
  }

  constexpr bit_row& set(std::size_t n, bool value = true) {
    require_bit(n);
    detail::word& at = data()[n / detail::word_bits];
    at = value ? at | detail::bit_mask(n) : at & ~detail::bit_mask(n);
    return *this;
  }

  /// All numbers below `size()`.
  constexpr bit_row& set() {
    detail::fill_words(data(), size_, true);
    return *this;
  }

  constexpr bit_row& reset(std::size_t n) { return set(n, false); }

  constexpr bit_row& reset() {
    detail::fill_words(data(), size_, false);
    return *this;
  }

  constexpr bool any() const { return detail::any_of_words(data(), num_words()); }

  constexpr bool none() const { return !any(); }

  /// How many bits are set.
  constexpr std::size_t count() const { return detail::count_words(data(), num_words()); }

  /// `*this |= other`; whether that changed this set. Requires equal sizes, as all that follow.
  constexpr bool unite(const bit_row& other) {
    require_same_size(other);
    return detail::unite_words(data(), other.data(), num_words());
  }

  /// `*this &= other`; whether that changed this set.
  constexpr bool intersect(const bit_row& other) {
    require_same_size(other);
    return detail::intersect_words(data(), other.data(), num_words());
  }

  /// `*this -= other`; whether that changed this set.
  constexpr bool subtract(const bit_row& other) {
    require_same_size(other);
    return detail::subtract_words(data(), other.data(), num_words());
  }

  /// Becomes gen ∪ (in \ kill); whether that changed this set.
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

  /// Takes the members of `other` out.
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

  /// The bits, number 0 lowest in the first word; those of the last word behind `size()` are 0.
  constexpr std::span<const std::uint64_t> words() const { return {data(), num_words()}; }

  /// The same sets of the same size.
  friend constexpr bool operator==(const bit_row& a, const bit_row& b) {
    return a.size_ == b.size_ && detail::equal_words(a.data(), b.data(), a.num_words());
  }

private:
  union storage {
    detail::word word;
    detail::word* heap;
  };

  constexpr std::size_t num_words() const { return detail::words_for(size_); }

  constexpr detail::word* heap_words() { return capacity_ > 1 ? storage_.heap : nullptr; }

  constexpr detail::word* data() { return capacity_ > 1 ? storage_.heap : &storage_.word; }

  constexpr const detail::word* data() const { return capacity_ > 1 ? storage_.heap : &storage_.word; }

  constexpr void copy(const bit_row& other) {
    const std::size_t words = other.num_words();
    if (words > capacity_) {
      size_ = 0; // nothing to be kept
    }
    detail::word* const row = words > capacity_ ? reallocate(words) : data();
    size_ = other.size_;
    const detail::word* const from = other.data();
    for (std::size_t i = 0; i != words; ++i) {
      row[i] = from[i];
    }
  }

  /// Moves the words to a heap array of `capacity` words, more than one, which it returns: compilers see that what is
  /// written there is not written into the object.
  MIDEND_SELDOM_CALLED constexpr detail::word* reallocate(std::size_t capacity) {
    detail::word* const fresh = new detail::word[capacity];
    const detail::word* const old = data();
    for (std::size_t i = 0; i != num_words(); ++i) {
      fresh[i] = old[i];
    }
    delete[] heap_words();
    storage_.heap = fresh;
    capacity_ = capacity;
    return fresh;
  }

  constexpr void require_bit([[maybe_unused]] std::size_t n) const {
    MIDEND_ASSERT(n < size_, "a bit within the set", n, size_);
  }

  constexpr void require_same_size([[maybe_unused]] const bit_row& other) const {
    MIDEND_ASSERT(size_ == other.size_, "sets of the same size", size_, other.size_);
  }

  std::size_t size_ = 0;
  std::size_t capacity_ = 1; ///< in words; 1 is the one in the object
  storage storage_{0};
};

static_assert(change_reporting_bit_set<bit_row>);

MIDEND_END_NAMESPACE
