/// `bit_set`: the requirements of a set of dataflow facts. `bit_row` and `boost::dynamic_bitset<>` fulfil them.
#pragma once

#include "midend/config.hpp"
#include "midend/support/detail/iterator_base.hpp"
#include "midend/support/regular.hpp"
#include "midend/support/span.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The number of bits can be changed: `resize(n, value)` keeps the bits below `n`; new ones become `value`, by default
/// false.
template <class S>
concept resizable_bits = requires(S& set, const S& other, std::size_t n) {
  { other.size() } -> std::convertible_to<std::size_t>;
  set.resize(n);
  set.resize(n, true);
};

/// One bit, or all at once: `test(n)`, `set(n)`, `set(n, value)`, `reset(n)`, `set()`, `reset()`.
template <class S>
concept settable_bits = requires(S& set, const S& other, std::size_t n) {
  { other.test(n) } -> std::convertible_to<bool>;
  set.set(n);
  set.set(n, true);
  set.set();
  set.reset(n);
  set.reset();
};

/// Union `|=`, intersection `&=` and difference `-=`, `is_subset_of` and `==`, for sets of one size.
template <class S>
concept bit_set_algebra = requires(S& set, const S& other) {
  set |= other;
  set &= other;
  set -= other;
  { other.is_subset_of(other) } -> std::convertible_to<bool>;
  { other == other } -> std::convertible_to<bool>;
};

/// `find_first()` is the lowest bit that is set, `find_next(n)` the lowest above `n`. A number that is not less than
/// `size()` means that there is none.
template <class S>
concept searchable_bits = requires(const S& set, std::size_t n) {
  { set.find_first() } -> std::convertible_to<std::size_t>;
  { set.find_next(n) } -> std::convertible_to<std::size_t>;
};

/// A set of the numbers below `size()`. `boost::dynamic_bitset` has all these members.
template <class S>
concept bit_set =
    detail::semiregular_type<S> && resizable_bits<S> && settable_bits<S> && bit_set_algebra<S> && searchable_bits<S>;

/// `unite(s)`, `intersect(s)` and `subtract(s)` are the operators that also return whether the set changed, in one
/// walk.
template <class S>
concept change_reporting_bit_set = bit_set<S> && requires(S& set, const S& other) {
  { set.unite(other) } -> std::same_as<bool>;
  { set.intersect(other) } -> std::same_as<bool>;
  { set.subtract(other) } -> std::same_as<bool>;
};

/// `a |= b`; returns whether `a` changed. One walk over the words for `bit_row`, at most two for other sets.
template <bit_set S> constexpr bool unite(S& a, const S& b) {
  if constexpr (change_reporting_bit_set<S>) {
    return a.unite(b);
  } else {
    if (b.is_subset_of(a)) {
      return false;
    }
    a |= b;
    return true;
  }
}

/// `a &= b`; returns whether `a` changed.
template <bit_set S> constexpr bool intersect(S& a, const S& b) {
  if constexpr (change_reporting_bit_set<S>) {
    return a.intersect(b);
  } else {
    if (a.is_subset_of(b)) {
      return false;
    }
    a &= b;
    return true;
  }
}

/// The bits of a set that are set, ascending; see `set_bits`.
template <bit_set S> class set_bit_range {
public:
  class iterator : public detail::iterator_base<iterator, std::uint32_t> {
  public:
    constexpr iterator() = default;

    constexpr iterator(const S* set, std::size_t bit) : set_(set), bit_(bit) {}

    constexpr std::uint32_t operator*() const { return static_cast<std::uint32_t>(bit_); }

    constexpr void advance() { bit_ = set_->find_next(bit_); }

    friend constexpr bool operator==(iterator a, iterator b) { return a.bit_ == b.bit_; }

    friend constexpr bool operator==(iterator it, std::default_sentinel_t) { return it.bit_ >= it.set_->size(); }

  private:
    const S* set_ = nullptr;
    std::size_t bit_ = 0;
  };

  constexpr explicit set_bit_range(const S& set) : set_(&set) {}

  constexpr iterator begin() const { return iterator(set_, set_->find_first()); }

  constexpr std::default_sentinel_t end() const { return {}; }

private:
  const S* set_;
};

/// The bits of `set` that are set, ascending: `for (std::uint32_t fact : set_bits(facts))`. Valid while `set` lives and
/// is not changed.
template <bit_set S> constexpr set_bit_range<S> set_bits(const S& set) {
  return set_bit_range<S>(set);
}

template <bit_set S> void set_bits(const S&&) = delete;

MIDEND_END_NAMESPACE
