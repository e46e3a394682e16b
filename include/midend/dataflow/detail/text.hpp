/// The text functions under the names that the folder's own lattices use.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/lattice.hpp"
#include "midend/dataflow/text.hpp"

#include <concepts>

MIDEND_BEGIN_NAMESPACE

namespace detail {

using midend::append_text;
using midend::text_list;

template <std::integral T> constexpr void append_number(text_buffer& out, T value) {
  append_integer(out, value);
}

} // namespace detail

MIDEND_END_NAMESPACE
