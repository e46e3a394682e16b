/// `chained_range`: a range followed by an array.
#pragma once

#include "midend/config.hpp"
#include "midend/support/detail/iterator_base.hpp"
#include "midend/support/range.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The ids of a range, then those of an array. Either may be empty. The iterators outlive the range.
template <class Iterator, class Sentinel> class chained_range {
public:
  class iterator : public detail::iterator_base<iterator, std::uint32_t> {
  public:
    constexpr iterator() = default;

    constexpr iterator(Iterator at, Sentinel last, span<const std::uint32_t> tail)
        : at_(at), last_(last), in_range_(at != last), tail_(tail.data()), tail_last_(tail.data() + tail.size()) {}

    constexpr explicit iterator(span<const std::uint32_t> tail)
        : tail_(tail.data()), tail_last_(tail.data() + tail.size()) {}

    constexpr std::uint32_t operator*() const { return in_range_ ? static_cast<std::uint32_t>(*at_) : *tail_; }

    constexpr void advance() {
      if (in_range_) {
        ++at_;
        in_range_ = at_ != last_;
      } else {
        ++tail_;
      }
    }

    friend constexpr bool operator==(const iterator& a, const iterator& b) {
      return a.in_range_ == b.in_range_ && (!a.in_range_ || a.at_ == b.at_) && a.tail_ == b.tail_;
    }

    friend constexpr bool operator==(const iterator& it, std::default_sentinel_t) {
      return !it.in_range_ && it.tail_ == it.tail_last_;
    }

  private:
    Iterator at_{};
    Sentinel last_{};
    bool in_range_ = false; // else `at_` may be singular and is not read
    const std::uint32_t* tail_ = nullptr;
    const std::uint32_t* tail_last_ = nullptr;
  };

  constexpr chained_range() = default;

  constexpr chained_range(Iterator first, Sentinel last, span<const std::uint32_t> tail) : first_(first, last, tail) {}

  constexpr explicit chained_range(span<const std::uint32_t> tail) : first_(tail) {}

  constexpr iterator begin() const { return first_; }

  constexpr std::default_sentinel_t end() const { return {}; }

private:
  iterator first_{};
};

MIDEND_END_NAMESPACE

template <class Iterator, class Sentinel>
inline constexpr bool std::ranges::enable_borrowed_range<midend::chained_range<Iterator, Sentinel>> = true;
