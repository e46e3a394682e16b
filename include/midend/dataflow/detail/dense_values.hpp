/// `dense_values`: an array for elements of any lattice.
#pragma once

#include "midend/config.hpp"
#include "midend/support/flat_array.hpp"

#include <type_traits>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A `flat_array` if the elements are trivial, so that copies are fast and reuse capacity.
template <class T> using dense_values = std::conditional_t<MIDEND_IS_PLAIN(T), flat_array<T>, std::vector<T>>;

} // namespace detail

MIDEND_END_NAMESPACE
