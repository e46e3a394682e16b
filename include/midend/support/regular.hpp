/// `copyable_type`, `semiregular_type`, `regular_type`: what `std::copyable`, `std::semiregular` and `std::regular`
/// ask, said with the expressions themselves. The standard concepts instantiate about ninety classes for each type.
#pragma once

#include "midend/config.hpp"

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// An object type whose values can be copied, moved and assigned.
template <class T>
concept copyable_type = requires(T* object, T& to, const T& from) {
  T(from);
  T(static_cast<T&&>(to));
  to = from;
  to = static_cast<T&&>(to);
  object->~T();
};

/// The two give a truth value with `==` and `!=`.
template <class T>
concept comparable_type = requires(const T& a, const T& b) {
  a == b ? 0 : 1;
  a != b ? 0 : 1;
};

/// Copyable, with a value of its own.
template <class T>
concept semiregular_type = copyable_type<T> && requires { T(); };

/// Also comparable by `==` and `!=`.
template <class T>
concept regular_type = semiregular_type<T> && comparable_type<T>;

} // namespace detail

MIDEND_END_NAMESPACE
