/// What all iterators of midend that give values have in common.
#pragma once

#include "midend/config.hpp"
#include "midend/support/span.hpp"

#include <cstddef>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The types and the two `++` of a forward iterator that makes its values. `Derived` adds `operator*`, `advance()`,
/// which goes to the next value, and `==`.
template <class Derived, class Value, class Reference = Value> class iterator_base {
public:
  using value_type = Value;
  using difference_type = std::ptrdiff_t;
  using reference = Reference;
  using pointer = void;
  using iterator_category = std::input_iterator_tag; // before C++20, a forward iterator had to give real references
  using iterator_concept = std::forward_iterator_tag;
  using own_iterator_base = iterator_base;

  constexpr Derived& operator++() {
    static_cast<Derived&>(*this).advance();
    return static_cast<Derived&>(*this);
  }

  constexpr Derived operator++(int) {
    const Derived old = static_cast<const Derived&>(*this);
    static_cast<Derived&>(*this).advance();
    return old;
  }
};

/// Made with `iterator_base`.
template <class Iterator>
concept own_iterator = requires { typename Iterator::own_iterator_base; };

} // namespace detail

MIDEND_END_NAMESPACE
