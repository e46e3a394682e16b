/// `dense_values`: an array for elements of any lattice.
#pragma once

#include "midend/config.hpp"
#include "midend/support/detail/object_array.hpp"
#include "midend/support/flat_array.hpp"

#include <type_traits>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// By name, since a compiler's own word may not be part of the signature of a function.
template <class T> inline constexpr bool is_plain = MIDEND_IS_PLAIN(T);

/// A `flat_array` if the elements are trivial, so that copies are fast and reuse capacity.
template <class T> using dense_values = std::conditional_t<is_plain<T>, flat_array<T>, object_array<T>>;

} // namespace detail

MIDEND_END_NAMESPACE
