/// `filtered_range`: the elements of a range for which a predicate holds.
#pragma once

#include "midend/config.hpp"
#include "midend/support/detail/iterator_base.hpp"
#include "midend/support/range.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The ids of a range for which `keep(id)` holds. The iterators hold the predicate and outlive the range.
template <class Iterator, class Sentinel, class Keep> class filtered_range {
public:
  class iterator : public detail::iterator_base<iterator, std::uint32_t> {
  public:
    constexpr iterator() = default;

    constexpr iterator(Iterator at, Sentinel last, Keep keep) : at_(at), last_(last), keep_(keep) { skip(); }

    constexpr std::uint32_t operator*() const { return static_cast<std::uint32_t>(*at_); }

    constexpr void advance() {
      ++at_;
      skip();
    }

    friend constexpr bool operator==(const iterator& a, const iterator& b) { return a.at_ == b.at_; }

    friend constexpr bool operator==(const iterator& it, std::default_sentinel_t) { return it.at_ == it.last_; }

  private:
    constexpr void skip() {
      while (at_ != last_ && !keep_(static_cast<std::uint32_t>(*at_))) {
        ++at_;
      }
    }

    Iterator at_{};
    Sentinel last_{};
    Keep keep_{};
  };

  constexpr explicit filtered_range(iterator first) : first_(first) {}

  constexpr iterator begin() const { return first_; }

  constexpr std::default_sentinel_t end() const { return {}; }

private:
  iterator first_;
};

template <class Iterator, class Sentinel, class Keep>
constexpr filtered_range<Iterator, Sentinel, Keep> make_filtered_range(Iterator first, Sentinel last, Keep keep) {
  using range = filtered_range<Iterator, Sentinel, Keep>;
  return range(typename range::iterator(first, last, keep));
}

MIDEND_END_NAMESPACE

template <class Iterator, class Sentinel, class Keep>
inline constexpr bool std::ranges::enable_borrowed_range<midend::filtered_range<Iterator, Sentinel, Keep>> = true;
