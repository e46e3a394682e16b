/// `span<T>`: a view of a contiguous sequence, like `std::span<T>` but faster to compile.
///
/// Making a `std::span<T>` from a container checks ten concepts for `T`, and so does each overload that is considered
/// but not chosen: this was a fifth of the work of compiling `midend.hpp`. This span requires only `data()` and
/// `size()`.
///
/// The two convert into each other implicitly. Users pass vectors, arrays, `std::span` or this span, and may store what
/// they get as a `std::span`.
#pragma once

#include "midend/config.hpp"

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// `R` has `data()` that gives a `T*` or what converts to it, and `size()`. One requirement, since it is checked often.
template <class R, class T>
concept contiguous_elements = requires(R& r, T*& data) {
  data = r.data();
  r.size();
};

} // namespace detail

/// The elements `data()[0] … data()[size() - 1]`. Cheap to copy. Names are those of `std::span`.
///
/// Requires: the elements live as long as the span is used.
template <class T> class span {
public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using pointer = T*;
  using reference = T&;
  using iterator = T*;

  constexpr span() = default;

  constexpr span(T* data, std::size_t size) : data_(data), size_(size) {}

  constexpr span(T* first, T* last) : data_(first), size_(static_cast<std::size_t>(last - first)) {}

  template <std::size_t N> constexpr span(T (&array)[N]) : data_(array), size_(N) {}

  /// From a container, or a span of either kind. A temporary may be given where the span is used within the call.
  template <class R>
    requires detail::contiguous_elements<R, T>
  constexpr span(R&& r) : data_(r.data()), size_(static_cast<std::size_t>(r.size())) {
    static_assert(sizeof(*r.data()) == sizeof(T), "elements of this type, not of one derived from it");
  }

  constexpr T* data() const { return data_; }

  constexpr std::size_t size() const { return size_; }

  constexpr bool empty() const { return size_ == 0; }

  constexpr T* begin() const { return data_; }

  constexpr T* end() const { return data_ + size_; }

  constexpr T& operator[](std::size_t i) const {
    MIDEND_ASSERT(i < size_, "index within the span", i, size_);
    return data_[i];
  }

  constexpr T& front() const { return (*this)[0]; }

  constexpr T& back() const { return (*this)[size_ - 1]; }

  /// The first `count` elements.
  constexpr span first(std::size_t count) const {
    MIDEND_ASSERT(count <= size_, "no more elements than there are", count, size_);
    return span(data_, count);
  }

  /// The last `count` elements.
  constexpr span last(std::size_t count) const {
    MIDEND_ASSERT(count <= size_, "no more elements than there are", count, size_);
    return span(data_ + (size_ - count), count);
  }

  /// The elements from `offset` on.
  constexpr span subspan(std::size_t offset) const {
    MIDEND_ASSERT(offset <= size_, "an offset within the span", offset, size_);
    return span(data_ + offset, size_ - offset);
  }

  /// `count` elements from `offset` on.
  constexpr span subspan(std::size_t offset, std::size_t count) const {
    MIDEND_ASSERT(offset <= size_ && count <= size_ - offset, "elements within the span", offset, count, size_);
    return span(data_ + offset, count);
  }

private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

template <class T> span(T*, std::size_t) -> span<T>;
template <class T> span(T*, T*) -> span<T>;
template <class T, std::size_t N> span(T (&)[N]) -> span<T>;
template <class R> span(R&&) -> span<std::remove_pointer_t<decltype(std::declval<R&>().data())>>;

MIDEND_END_NAMESPACE

/// Iterators of a span may be kept when the span itself is gone.
template <class T> inline constexpr bool std::ranges::enable_borrowed_range<midend::span<T>> = true;
