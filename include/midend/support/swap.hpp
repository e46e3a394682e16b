/// `swap_values`: exchanges two values.
#pragma once

#include "midend/config.hpp"

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// `std::swap` instantiates thirty classes for each type, to find out whether it may throw. This asks for nothing but
/// moves.
template <class T> constexpr void swap_values(T& a, T& b) {
  T old = static_cast<T&&>(a);
  a = static_cast<T&&>(b);
  b = static_cast<T&&>(old);
}

} // namespace detail

MIDEND_END_NAMESPACE
