/// The numbers that analyses use for the parts of a user's IR, beside those of nodes and edges. All are dense, from 0.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"

#include <concepts>
#include <cstdint>
#include <type_traits>

MIDEND_BEGIN_NAMESPACE

/// A statement: one step of a node, executed as a whole.
using statement_id = std::uint32_t;

/// A variable: what statements define and use.
using variable_id = std::uint32_t;

/// An expression. Equal numbers mean the same operation of the same operands.
using expression_id = std::uint32_t;

/// A value of SSA form: it has exactly one definition.
using value_id = std::uint32_t;

inline constexpr statement_id no_statement = 0xffff'ffff;
inline constexpr variable_id no_variable = 0xffff'ffff;
inline constexpr expression_id no_expression = 0xffff'ffff;
inline constexpr value_id no_value = 0xffff'ffff;

/// A range, in the sense of `begin` and `end`, whose elements convert to an id.
template <class Range>
concept range_of_ids = range_of_nodes<Range>;

/// The answer of a yes-or-no member: a `bool`, or a number, as in C, where 0 means no.
template <class T>
concept truth_value = std::integral<std::remove_cvref_t<T>>;

namespace detail {

/// Whether a range has no element, without its size.
template <class Range> constexpr bool is_empty_range(Range&& range) {
  for ([[maybe_unused]] auto&& id : range) {
    return false;
  }
  return true;
}

/// Calls `visit(id)` for each element of a range.
template <class Range, class Visit> constexpr void for_each_id(Range&& range, Visit visit) {
  for (auto&& id : range) {
    visit(static_cast<std::uint32_t>(id));
  }
}

} // namespace detail

MIDEND_END_NAMESPACE
