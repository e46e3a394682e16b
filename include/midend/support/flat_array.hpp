/// `flat_array<T>`: the growable array of results and workspaces.
#pragma once

#include "midend/config.hpp"
#include "midend/support/span.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace detail {

constexpr std::size_t grown_capacity(std::size_t capacity, std::size_t needed) {
  const std::size_t grown = 2 * capacity + 8;
  return needed > grown ? needed : grown;
}

} // namespace detail

/// A contiguous array of trivial elements that can be resized without initialising them.
///
/// It differs from `std::vector` in two ways. `resize_for_overwrite` leaves the elements indeterminate, because
/// analyses fill nearly every array completely before they read it. And only destruction gives up capacity, so a result
/// or workspace that is used again does not allocate. Elements may have default member initialisers, which new memory
/// does not get.
template <class T> class flat_array {
  static_assert(MIDEND_IS_PLAIN(T) && alignof(T) <= alignof(std::max_align_t));

public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  constexpr flat_array() = default;

  constexpr flat_array(std::size_t count, T value) { assign(count, value); }

  /// Copies `values`. A template, so that copies of arrays do not check whether an array converts to a span.
  template <class U>
    requires std::same_as<const U, const T>
  constexpr explicit flat_array(span<U> values) {
    copy_from(values.data(), values.size());
  }

  /// Copies a span of fixed size.
  template <class U, std::size_t Extent>
    requires std::same_as<const U, const T>
  constexpr explicit flat_array(std::span<U, Extent> values) {
    copy_from(values.data(), values.size());
  }

  constexpr flat_array(const flat_array& other) { copy_from(other.data_, other.size_); }

  constexpr flat_array(flat_array&& other) noexcept { swap(other); }

  constexpr flat_array& operator=(const flat_array& other) {
    if (this != &other) {
      copy_from(other.data_, other.size_);
    }
    return *this;
  }

  constexpr flat_array& operator=(flat_array&& other) noexcept {
    swap(other);
    return *this;
  }

  constexpr ~flat_array() { release(data_); }

  constexpr void swap(flat_array& other) noexcept {
    T* const data = data_;
    const std::size_t size = size_;
    const std::size_t capacity = capacity_;
    data_ = other.data_;
    size_ = other.size_;
    capacity_ = other.capacity_;
    other.data_ = data;
    other.size_ = size;
    other.capacity_ = capacity;
  }

  constexpr T* data() { return data_; }

  constexpr const T* data() const { return data_; }

  constexpr std::size_t size() const { return size_; }

  constexpr std::size_t capacity() const { return capacity_; }

  constexpr bool empty() const { return size_ == 0; }

  constexpr iterator begin() { return data_; }

  constexpr iterator end() { return data_ + size_; }

  constexpr const_iterator begin() const { return data_; }

  constexpr const_iterator end() const { return data_ + size_; }

  constexpr T& operator[](std::size_t i) {
    MIDEND_ASSERT(i < size_, "index within the array", i, size_);
    return data_[i];
  }

  constexpr const T& operator[](std::size_t i) const {
    MIDEND_ASSERT(i < size_, "index within the array", i, size_);
    return data_[i];
  }

  constexpr T& back() { return (*this)[size_ - 1]; }

  constexpr const T& back() const { return (*this)[size_ - 1]; }

  /// Sets the size. Afterwards *all* elements are indeterminate, old ones too.
  constexpr void resize_for_overwrite(std::size_t count) {
    if (count > capacity_) {
      reallocate(count, 0);
    }
    size_ = count;
  }

  /// Sets the size to `count` copies of `value`.
  constexpr void assign(std::size_t count, T value) {
    resize_for_overwrite(count);
    for (std::size_t i = 0; i != count; ++i) {
      data_[i] = value;
    }
  }

  /// Copies `values`, which must not be part of this array.
  constexpr void assign(span<const T> values) { copy_from(values.data(), values.size()); }

  constexpr void push_back(T value) {
    if (size_ == capacity_) {
      reallocate(detail::grown_capacity(capacity_, size_ + 1), size_);
    }
    data_[size_++] = value;
  }

  constexpr void pop_back() {
    MIDEND_ASSERT(size_ != 0, "pop_back of an array with elements");
    --size_;
  }

  constexpr void clear() { size_ = 0; }

  /// Sets a size that is not smaller. Old elements stay, new ones are indeterminate.
  constexpr void extend_for_overwrite(std::size_t count) {
    reserve(count);
    size_ = count;
  }

  /// Removes the elements from `count` on.
  constexpr void shrink(std::size_t count) {
    MIDEND_ASSERT(count <= size_, "a size that is not larger", count, size_);
    size_ = count;
  }

  /// Room for `count` elements; keeps the present ones.
  constexpr void reserve(std::size_t count) {
    if (count > capacity_) {
      reallocate(detail::grown_capacity(capacity_, count), size_);
    }
  }

  friend constexpr bool operator==(const flat_array& a, const flat_array& b) {
    if (a.size_ != b.size_) {
      return false;
    }
    for (std::size_t i = 0; i != a.size_; ++i) {
      if (!(a.data_[i] == b.data_[i])) {
        return false;
      }
    }
    return true;
  }

private:
  constexpr void copy_from(const T* values, std::size_t count) {
    resize_for_overwrite(count);
    copy(values, count, data_);
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

  MIDEND_SELDOM_CALLED constexpr void reallocate(std::size_t capacity, std::size_t kept) {
    T* const fresh = allocated(capacity);
    copy(data_, kept, fresh);
    release(data_);
    data_ = fresh;
    capacity_ = capacity;
  }

  /// Without initialising elements, which would write large arrays twice.
  static constexpr T* allocated(std::size_t capacity) {
    return std::is_constant_evaluated() ? new T[capacity] : static_cast<T*>(::operator new(capacity * sizeof(T)));
  }

  static constexpr void release(T* data) { std::is_constant_evaluated() ? delete[] data : ::operator delete(data); }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

namespace detail {

/// Replaces each count by the end of its group, so that filling groups downwards with `--ends[i]` leaves their starts.
/// The last element must be 0 and becomes the total.
constexpr void counts_to_ends(span<std::uint32_t> counts) {
  std::uint32_t total = 0;
  for (std::uint32_t& count : counts) {
    total += count;
    count = total;
  }
}

} // namespace detail

MIDEND_END_NAMESPACE
