/// The array for elements of any lattice.
#pragma once

#include "midend/config.hpp"
#include "midend/support/flat_array.hpp"

#include <type_traits>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Flat where it can be: then elements are copied like memory, into capacity that they keep.
template <class T>
using dense_values = std::conditional_t<std::is_trivially_copyable_v<T> && std::is_trivially_default_constructible_v<T>,
                                        flat_array<T>, std::vector<T>>;

} // namespace detail

MIDEND_END_NAMESPACE
