/// `small_array`: a growable array whose first elements are part of the object.
#pragma once

#include "midend/config.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstring>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A `flat_array` that allocates nothing for up to `Own` elements. For objects that are made for one function and
/// thrown away: most functions are small, and allocating would take a good part of the time that they take.
template <class T, std::size_t Own> class small_array {
  static_assert(MIDEND_IS_PLAIN(T));

public:
  constexpr small_array() { start(); }

  constexpr small_array(const small_array& other) : small_array() { assign(other); }

  constexpr small_array(small_array&& other) noexcept : small_array() { take(other); }

  constexpr small_array& operator=(const small_array& other) {
    if (this != &other) {
      assign(other);
    }
    return *this;
  }

  constexpr small_array& operator=(small_array&& other) noexcept {
    swap(other);
    return *this;
  }

  constexpr ~small_array() { release(); }

  constexpr void swap(small_array& other) noexcept {
    small_array kept(static_cast<small_array&&>(*this)); // leaves this empty
    take(other);
    other.take(kept);
  }

  constexpr T* data() { return data_; }

  constexpr const T* data() const { return data_; }

  constexpr std::size_t size() const { return size_; }

  constexpr std::size_t capacity() const { return capacity_; }

  constexpr void clear() { size_ = 0; }

  constexpr void push_back(T value) {
    if (size_ == capacity_) [[unlikely]] {
      reallocate(grown_capacity(capacity_, size_ + 1));
    }
    data_[size_++] = value;
  }

  /// Room for `count` elements; keeps the present ones.
  constexpr void reserve(std::size_t count) {
    if (count > capacity_) [[unlikely]] {
      reallocate(count);
    }
  }

  /// Sets a size that is not smaller. Old elements stay, new ones are indeterminate.
  constexpr void extend_for_overwrite(std::size_t count) {
    reserve(count);
    size_ = count;
  }

  /// Makes this an array of `count` indeterminate elements in new memory. Returns where the old ones are, until `old`
  /// or this object ends. Requires an empty `old`.
  constexpr const T* replace(std::size_t count, small_array& old) {
    const T* const before = data_;
    if (has_memory()) {
      old.data_ = data_;
      old.capacity_ = capacity_;
    }
    data_ = new T[count];
    capacity_ = count;
    size_ = count;
    return before;
  }

  /// Sets the size to `count` copies of `value`.
  constexpr void assign(std::size_t count, T value) {
    size_ = 0;
    extend_for_overwrite(count);
    for (std::size_t i = 0; i != count; ++i) {
      data_[i] = value;
    }
  }

private:
  constexpr void assign(const small_array& other) {
    size_ = 0;
    extend_for_overwrite(other.size_);
    copy(other.data_, size_, data_);
  }

  /// Without memory. An array of a constant expression has no elements of its own, because g++ 12 refuses pointers into
  /// the object itself there.
  constexpr void start() {
    data_ = std::is_constant_evaluated() ? nullptr : own_;
    size_ = 0;
    capacity_ = std::is_constant_evaluated() ? 0 : Own;
  }

  constexpr bool has_memory() const { return std::is_constant_evaluated() || data_ != own_; }

  /// All that `other` has, which becomes empty. Requires that nothing is allocated here.
  constexpr void take(small_array& other) noexcept {
    if (other.has_memory()) {
      data_ = other.data_;
      capacity_ = other.capacity_;
    } else {
      copy(other.own_, other.size_, data_);
    }
    size_ = other.size_;
    other.start();
  }

  static constexpr void copy(const T* from, std::size_t count, T* to) {
    if (std::is_constant_evaluated()) {
      for (std::size_t i = 0; i != count; ++i) {
        to[i] = from[i];
      }
    } else if (count != 0) {
      std::memcpy(to, from, count * sizeof(T));
    }
  }

  constexpr void release() {
    if (has_memory()) {
      delete[] data_;
    }
  }

  MIDEND_SELDOM_CALLED constexpr void reallocate(std::size_t capacity) {
    T* const fresh = new T[capacity];
    copy(data_, size_, fresh);
    release();
    data_ = fresh;
    capacity_ = capacity;
  }

  T* data_;
  std::size_t size_;
  std::size_t capacity_;
  T own_[Own]; ///< indeterminate beyond the size
};

} // namespace detail

MIDEND_END_NAMESPACE
