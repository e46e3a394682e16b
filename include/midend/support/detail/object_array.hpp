/// `object_array<T>`: a growable array of elements that are not trivial, for results and workspaces.
#pragma once

#include "midend/config.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/optional.hpp"

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <new>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// What midend uses of `std::vector`, at a third of its compile time. Elements that are removed stay constructed until
/// new ones are assigned to them, so they keep their memory for these.
///
/// Requires: `T` can be copied and assigned. In constant expressions it must also have a default value.
template <class T> class object_array {
public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  constexpr object_array() = default;

  constexpr object_array(std::size_t count, const T& value) : object_array() { assign(count, value); }

  constexpr object_array(std::initializer_list<T> values) : object_array() {
    for (const T& value : values) {
      push_back(value);
    }
  }

  constexpr object_array(const object_array& other) : object_array() { copy_from(other); }

  constexpr object_array(object_array&& other) noexcept { swap(other); }

  constexpr object_array& operator=(const object_array& other) {
    if (this != &other) {
      copy_from(other);
    }
    return *this;
  }

  constexpr object_array& operator=(object_array&& other) noexcept {
    swap(other);
    return *this;
  }

  constexpr ~object_array() {
    if constexpr (has_default_value<T>) {
      delete[] data_;
    } else {
      while (num_constructed_ != 0) {
        data_[--num_constructed_].~T();
      }
      ::operator delete(data_, std::align_val_t(alignof(T)));
    }
  }

  constexpr void swap(object_array& other) noexcept {
    exchange(data_, other.data_);
    exchange(size_, other.size_);
    exchange(num_constructed_, other.num_constructed_);
    exchange(capacity_, other.capacity_);
  }

  /// To a `std::vector<T>`, or what can be made from iterators as that is.
  template <class List>
    requires std::same_as<typename List::value_type, T> && requires { typename List::allocator_type; }
  constexpr operator List() const {
    return List(begin(), end());
  }

  constexpr T* data() { return data_; }

  constexpr const T* data() const { return data_; }

  constexpr std::size_t size() const { return size_; }

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

  constexpr void clear() { size_ = 0; }

  constexpr void push_back(T value) {
    if (size_ == capacity_) {
      reallocate(grown_capacity(capacity_, size_ + 1));
    }
    set(size_, std::move(value));
    ++size_;
  }

  /// Sets the size. Old elements stay, and new ones are copies of `value`, which is no element of this array.
  constexpr void resize(std::size_t count, const T& value) {
    if (count > capacity_) {
      reallocate(count);
    }
    while (size_ < count) {
      set(size_, value);
      ++size_;
    }
    size_ = count;
  }

  /// Sets the size to `count` copies of `value`, which is no element of this array.
  constexpr void assign(std::size_t count, const T& value) {
    size_ = 0;
    resize(count, value);
  }

  friend constexpr bool operator==(const object_array& a, const object_array& b) {
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
  template <class U> static constexpr void exchange(U& a, U& b) {
    const U kept = a;
    a = b;
    b = kept;
  }

  constexpr void copy_from(const object_array& other) {
    size_ = 0;
    if (other.size_ > capacity_) {
      reallocate(other.size_);
    }
    for (; size_ != other.size_; ++size_) {
      set(size_, other.data_[size_]);
    }
  }

  /// The element `i`, which has a place but may not be constructed yet. Elements before it are constructed.
  template <class U> constexpr void set(std::size_t i, U&& value) {
    if constexpr (!has_default_value<T>) {
      if (i == num_constructed_) {
        ::new (static_cast<void*>(data_ + i)) T(std::forward<U>(value));
        ++num_constructed_;
        return;
      }
    }
    data_[i] = std::forward<U>(value);
  }

  /// Moves the elements, also those that are kept for new ones.
  MIDEND_SELDOM_CALLED constexpr void reallocate(std::size_t capacity) {
    object_array fresh;
    if constexpr (has_default_value<T>) {
      fresh.data_ = new T[capacity]();
      fresh.num_constructed_ = capacity;
    } else {
      fresh.data_ = static_cast<T*>(::operator new(capacity * sizeof(T), std::align_val_t(alignof(T))));
    }
    fresh.capacity_ = capacity;
    for (std::size_t i = 0; i != num_constructed_; ++i) {
      fresh.set(i, std::move(data_[i]));
    }
    fresh.size_ = size_;
    swap(fresh);
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t num_constructed_ = 0; ///< not less than `size_`; all that have a place, if there is a default value
  std::size_t capacity_ = 0;
};

} // namespace detail

MIDEND_END_NAMESPACE
