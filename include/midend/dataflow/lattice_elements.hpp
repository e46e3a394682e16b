/// Elements of the ready lattices, to check laws with: all elements of a small lattice, or many of a large one.
///
/// A list of elements is any type with `size()` and `list[i]`, such as an array or a list from here. The simplest
/// elements come first, because `check_lattice` prefers counterexamples with small indices. Lists from here compute an
/// element on access, so they may be very long.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/lattice.hpp"
#include "midend/dataflow/lattices/boolean.hpp"
#include "midend/dataflow/lattices/congruence.hpp"
#include "midend/dataflow/lattices/flat.hpp"
#include "midend/dataflow/lattices/interval.hpp"
#include "midend/dataflow/lattices/known_bits.hpp"
#include "midend/dataflow/lattices/lifted.hpp"
#include "midend/dataflow/lattices/map.hpp"
#include "midend/dataflow/lattices/powerset.hpp"
#include "midend/dataflow/lattices/sign.hpp"
#include "midend/support/detail/contract.hpp"
#include "midend/support/span.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// A list of elements of `L`.
template <class List, class L>
concept element_list = requires(const List& list, std::size_t i) {
  { list.size() } -> std::convertible_to<std::size_t>;
  { list[i] } -> std::convertible_to<element_of<L>>;
};

namespace detail {

MIDEND_REQUIRED_WITH(element_list,
                     "the elements of a lattice that are tested need `size()` and `list[i]`, const: a std::vector, or "
                     "`midend::made_elements(size, make)`");

} // namespace detail

/// For signatures: an `element_list`; any other type is an error with a reason.
template <class List, class L>
concept element_list_argument = element_list<List, L> || detail::element_list_row<L>::template explain<List>();

/// The elements `make(0) … make(size - 1)`.
template <class Make> class made_elements {
public:
  constexpr made_elements(std::size_t size, Make make) : size_(size), make_(std::move(make)) {}

  constexpr std::size_t size() const { return size_; }

  constexpr auto operator[](std::size_t i) const { return make_(i); }

private:
  std::size_t size_;
  Make make_;
};

namespace detail {

/// A number that looks random, equal for equal `i` everywhere (the finalizer of splitmix64: Steele, Lea, Flood, "Fast
/// splittable pseudorandom number generators", OOPSLA 2014).
constexpr std::uint64_t scramble(std::uint64_t i) {
  std::uint64_t z = (i + 1) * 0x9e37'79b9'7f4a'7c15;
  z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9;
  z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11eb;
  return z ^ (z >> 31);
}

/// A place from 0 to `i` that looks random.
constexpr std::size_t earlier(std::size_t i) {
  return static_cast<std::size_t>(scramble(i) % (i + 1));
}

/// A number in `range`: the first of `count` numbers are close to the low end or to 0, later ones anywhere, many at the
/// ends.
template <class T> constexpr T some_number(typename interval<T>::element range, std::size_t i, std::size_t count) {
  const auto bits = static_cast<unsigned>(2 + i * 62 / count);
  const std::uint64_t random = scramble(i);
  const auto small = static_cast<T>(random >> 2 & ~(~std::uint64_t{0} << bits));
  const auto up = static_cast<T>(static_cast<std::uint64_t>(range.low) + static_cast<std::uint64_t>(small));
  const auto down = static_cast<T>(static_cast<std::uint64_t>(range.high) - static_cast<std::uint64_t>(small));
  const T candidate = (random & 3) == 0 ? up : (random & 3) == 1 ? down : small;
  return range.contains(candidate) ? candidate : range.contains(T{0}) ? T{0} : range.low;
}

/// Calls `visit` with smaller indices, in ascending order, until it returns true; returns whether it did.
template <class List, class Visit> constexpr bool visit_simpler(const List& list, std::size_t i, Visit visit) {
  if constexpr (requires { list.simpler(i, visit); }) {
    return list.simpler(i, visit);
  } else {
    constexpr std::size_t enough = 4096;
    for (std::size_t k = 0; k != i && k != enough; ++k) {
      if (visit(k)) {
        return true;
      }
    }
    return i > enough && visit(i / 2);
  }
}

} // namespace detail

constexpr auto all_booleans() {
  return made_elements(2, [](std::size_t i) { return i != 0; });
}

constexpr auto all_signs() {
  return made_elements(8, [](std::size_t i) { return static_cast<signs>(i); });
}

/// Bottom, top, and a constant for each of `values`, which must outlive the list.
template <class T> constexpr auto flat_elements(const flat<T>& l, std::type_identity_t<span<const T>> values) {
  return made_elements(values.size() + 2, [l, values](std::size_t i) {
    return i == 0 ? l.bottom() : i <= values.size() ? l.constant(values[i - 1]) : l.top();
  });
}

/// All subsets of a universe of at most 63.
template <class Set> constexpr auto all_subsets(const powerset<Set>& l) {
  MIDEND_ASSERT(l.universe() < 64, "a universe of at most 63", l.universe());
  return made_elements(std::size_t{1} << l.universe(), [l](std::size_t bits) {
    Set out = l.bottom();
    for (std::size_t fact = 0; fact != l.universe(); ++fact) {
      if ((bits >> fact & 1) != 0) {
        out.set(fact);
      }
    }
    return out;
  });
}

/// Subsets of any universe, the first of them with few members.
template <class Set> constexpr auto some_subsets(const powerset<Set>& l, std::size_t count) {
  return made_elements(count, [l, count](std::size_t i) {
    Set out = l.bottom();
    for (std::size_t fact = 0; fact != l.universe(); ++fact) {
      if (detail::scramble(i * l.universe() + fact) % count < i) {
        out.set(fact);
      }
    }
    return out;
  });
}

/// All intervals of a width of at most 16 bits, the short ones first.
template <class T> constexpr auto all_intervals(const interval<T>& l) {
  const auto range = l.top();
  MIDEND_ASSERT(static_cast<std::uint64_t>(range.high - range.low) < 0x1'0000, "a width of at most 16 bits");
  const auto numbers = static_cast<std::size_t>(range.high - range.low) + 1;
  return made_elements(1 + numbers * (numbers + 1) / 2, [l, range, numbers](std::size_t i) {
    if (i == 0) {
      return l.bottom();
    }
    --i;
    std::size_t extent = 0;
    for (; i >= numbers - extent; ++extent) {
      i -= numbers - extent;
    }
    const T low = range.low + static_cast<T>(i);
    return l.between(low, low + static_cast<T>(extent));
  });
}

/// Intervals of any width, the first of them between small numbers and numbers at the ends of the range.
template <class T> constexpr auto some_intervals(const interval<T>& l, std::size_t count) {
  return made_elements(count, [l, count](std::size_t i) {
    const T a = detail::some_number<T>(l.top(), i, count);
    const T b = detail::some_number<T>(l.top(), detail::earlier(i), count);
    return i == 0 ? l.bottom() : i == 1 ? l.top() : a < b ? l.between(a, b) : l.between(b, a);
  });
}

/// All known bits of numbers of a width of at most 40 bits, the constants first.
constexpr auto all_known_bits(const known_bits& l) {
  MIDEND_ASSERT(l.width() <= 40, "a width of at most 40 bits", l.width());
  std::size_t count = 1;
  for (unsigned bit = 0; bit != l.width(); ++bit) {
    count *= 3;
  }
  return made_elements(1 + count, [l](std::size_t i) {
    if (i == 0) {
      return l.bottom();
    }
    known_bits::element out = l.top();
    std::size_t rest = i - 1;
    for (unsigned bit = 0; bit != l.width(); ++bit) {
      out.zeros |= std::uint64_t{rest % 3 == 0} << bit;
      out.ones |= std::uint64_t{rest % 3 == 1} << bit;
      rest /= 3;
    }
    return out;
  });
}

/// Bottom, and masks of any width.
constexpr auto some_known_bits(const known_bits& l, std::size_t count) {
  return made_elements(count, [l, count](std::size_t i) {
    const auto range = unsigned_interval::full(l.width());
    const std::uint64_t known = detail::some_number<std::uint64_t>(range, i, count) & range.high;
    const std::uint64_t value = detail::scramble(i + count);
    const known_bits::element top = l.top();
    return i == 0 ? l.bottom() : known_bits::element{top.zeros | (known & ~value), known & value};
  });
}

/// All congruences of a width of at most 16 bits: bottom, the single numbers, then by modulus.
template <class T> constexpr auto all_congruences(const congruence<T>& l) {
  MIDEND_ASSERT(l.width() <= 16, "a width of at most 16 bits", l.width());
  const std::size_t numbers = std::size_t{1} << l.width();
  const T low = interval<T>::full(l.width()).low;
  return made_elements(1 + numbers + numbers * numbers / 4, [l, numbers, low](std::size_t i) {
    if (i == 0) {
      return l.bottom();
    }
    std::size_t first = i - 1; // above the least number of the width
    std::size_t modulus = 0;
    for (std::size_t count = numbers; first >= count;
         count = modulus < numbers - modulus ? modulus : numbers - modulus) {
      first -= count;
      ++modulus;
    }
    const T number = static_cast<T>(low + static_cast<T>(first));
    return modulus == 0 ? l.constant(number) : l.of(modulus, detail::remainder_of(number, modulus));
  });
}

/// Congruences of any width, the first of them with small moduli.
template <class T> constexpr auto some_congruences(const congruence<T>& l, std::size_t count) {
  return made_elements(count, [l, count](std::size_t i) {
    const T number = detail::some_number<T>(interval<T>::full(l.width()), i, count);
    const std::uint64_t modulus =
        detail::some_number<std::uint64_t>(unsigned_interval::full(l.width()), detail::earlier(i), count);
    return i == 0                       ? l.bottom()
           : i == 1                     ? l.top()
           : i % 3 == 0 || modulus == 0 ? l.constant(number)
                                        : l.of(modulus, detail::remainder_of(number, modulus));
  });
}

/// The pairs `l.pair(a, b)` of a product, reduced or not.
template <class L, class A, class B> class pair_elements {
public:
  constexpr pair_elements(const L& l, A first, B second)
      : l_(l), first_(std::move(first)), second_(std::move(second)) {}

  constexpr std::size_t size() const { return first_.size() * second_.size(); }

  constexpr element_of<L> operator[](std::size_t i) const {
    return l_.pair(first_[i % first_.size()], second_[i / first_.size()]);
  }

  template <class Visit> constexpr bool simpler(std::size_t i, Visit visit) const {
    const std::size_t a = i % first_.size();
    const std::size_t b = i / first_.size();
    return detail::visit_simpler(first_, a, [&](std::size_t k) { return visit(i - a + k); }) ||
           detail::visit_simpler(second_, b, [&](std::size_t k) { return visit(a + k * first_.size()); });
  }

private:
  L l_;
  A first_;
  B second_;
};

/// The maps whose values are all in a list; there must be fewer than 2^64.
template <class L, class List> class map_elements {
public:
  constexpr map_elements(const map<L>& l, List values) : l_(l), values_(std::move(values)) {}

  constexpr std::size_t size() const {
    std::size_t count = 1;
    for (std::size_t key = 0; key != l_.num_keys(); ++key) {
      count *= values_.size();
    }
    return count;
  }

  constexpr element_of<map<L>> operator[](std::size_t i) const {
    element_of<map<L>> out = l_.bottom();
    for (std::size_t key = 0; key != l_.num_keys(); ++key) {
      out[key] = values_[i % values_.size()];
      i /= values_.size();
    }
    return out;
  }

  template <class Visit> constexpr bool simpler(std::size_t i, Visit visit) const {
    std::size_t unit = 1;
    for (std::size_t key = 0; key != l_.num_keys(); ++key) {
      const std::size_t value = i / unit % values_.size();
      if (detail::visit_simpler(values_, value, [&](std::size_t k) { return visit(i - (value - k) * unit); })) {
        return true;
      }
      unit *= values_.size();
    }
    return false;
  }

private:
  map<L> l_;
  List values_;
};

/// The added element of `lifted` or `topped`, and those of a list.
template <class L, extreme Added, class List>
constexpr auto lifted_elements(const with_extreme<L, Added>& l, List original) {
  return made_elements(original.size() + 1, [l, original = std::move(original)](std::size_t i) {
    if (i != 0) {
      return l.lift(original[i - 1]);
    }
    if constexpr (Added == extreme::bottom) {
      return l.bottom();
    } else {
      return l.top();
    }
  });
}

MIDEND_END_NAMESPACE
