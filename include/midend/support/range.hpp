/// Small borrowed ranges: an iterator pair, dense ids, and a range with a function applied to each element.
#pragma once

#include "midend/config.hpp"
#include "midend/support/detail/iterator_base.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// Two iterators as a range. Its iterators do not refer to it, so they outlive it.
template <class Iterator, class Sentinel = Iterator> class iterator_range {
public:
  constexpr iterator_range() = default;

  constexpr iterator_range(Iterator first, Sentinel last) : first_(first), last_(last) {}

  constexpr Iterator begin() const { return first_; }

  constexpr Sentinel end() const { return last_; }

  constexpr bool empty() const { return first_ == last_; }

private:
  Iterator first_{};
  Sentinel last_{};
};

/// The ids `first … last - 1` in order.
template <class Id = std::uint32_t> class id_range {
public:
  class iterator : public detail::iterator_base<iterator, Id> {
  public:
    constexpr iterator() = default;

    constexpr explicit iterator(Id at) : at_(at) {}

    constexpr Id operator*() const { return at_; }

    constexpr void advance() { ++at_; }

    friend constexpr bool operator==(iterator a, iterator b) { return a.at_ == b.at_; }

  private:
    Id at_{};
  };

  constexpr id_range() = default;

  constexpr id_range(Id first, Id last) : first_(first), last_(last) {}

  constexpr iterator begin() const { return iterator(first_); }

  constexpr iterator end() const { return iterator(last_); }

  constexpr std::size_t size() const { return last_ - first_; }

  constexpr bool empty() const { return first_ == last_; }

  /// The first id. Requires that there is one.
  constexpr Id front() const {
    MIDEND_ASSERT(first_ != last_, "a range that is not empty");
    return first_;
  }

private:
  Id first_{};
  Id last_{};
};

namespace detail {

/// A function object in an iterator. Iterators must be default constructible and assignable. Closures with captures are
/// neither, so an `optional` holds them and assignment constructs a new one.
template <class F> class assignable_function {
public:
  constexpr assignable_function() = default;

  constexpr explicit assignable_function(const F& f) : function_(f) {}

  constexpr assignable_function(const assignable_function&) = default;

  constexpr assignable_function& operator=(const assignable_function& other) {
    if (this != &other) {
      function_.reset();
      if (other.function_) {
        function_.emplace(*other.function_);
      }
    }
    return *this;
  }

  constexpr ~assignable_function() = default;

  constexpr const F& operator*() const { return *function_; }

private:
  std::optional<F> function_;
};

template <class F>
  requires(std::is_default_constructible_v<F> && std::is_copy_assignable_v<F>)
class assignable_function<F> {
public:
  constexpr assignable_function() = default;

  constexpr explicit assignable_function(const F& f) : function_(f) {}

  constexpr const F& operator*() const { return function_; }

private:
  [[no_unique_address]] F function_{};
};

} // namespace detail

/// A range whose iterators outlive it: an lvalue container, a span, a view that declares it
/// (`std::ranges::enable_borrowed_range`), or any range of this header.
template <class Range>
concept borrowed_range =
    std::is_lvalue_reference_v<Range> || std::ranges::enable_borrowed_range<std::remove_cvref_t<Range>>;

namespace detail {

template <class F, class Iterator>
using mapped_value = std::remove_cvref_t<decltype(std::declval<const F&>()(*std::declval<const Iterator&>()))>;

} // namespace detail

/// An iterator whose values are `f(*it)`.
template <class Iterator, class F>
class mapped_iterator : public detail::iterator_base<mapped_iterator<Iterator, F>, detail::mapped_value<F, Iterator>> {
public:
  constexpr mapped_iterator() = default;

  constexpr mapped_iterator(Iterator at, const F& f) : at_(at), function_(f) {}

  constexpr detail::mapped_value<F, Iterator> operator*() const { return (*function_)(*at_); }

  constexpr void advance() { ++at_; }

  constexpr const Iterator& base() const { return at_; }

  friend constexpr bool operator==(const mapped_iterator& a, const mapped_iterator& b) { return a.at_ == b.at_; }

private:
  Iterator at_{};
  [[no_unique_address]] detail::assignable_function<F> function_{};
};

/// The range of `f(x)` for each `x` of `range`. Makes successors from blocks and an index function:
/// `mapped(block->successors, [](const block* b) { return b->index; })`. No value is stored: the iterators hold a copy
/// of `f` and call it at each read.
template <class Range, class F>
  requires borrowed_range<Range>
constexpr auto mapped(Range&& range, F f) {
  using iterator = mapped_iterator<decltype(std::begin(range)), F>;
  return iterator_range<iterator>(iterator(std::begin(range), f), iterator(std::end(range), f));
}

MIDEND_END_NAMESPACE

template <class Iterator, class Sentinel>
inline constexpr bool std::ranges::enable_borrowed_range<midend::iterator_range<Iterator, Sentinel>> = true;

template <class Id> inline constexpr bool std::ranges::enable_borrowed_range<midend::id_range<Id>> = true;
