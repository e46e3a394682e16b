/// The lattice contract: what an analysis requires of a domain of facts. A lattice is an object (it may carry context:
/// the number of variables, the width of a number) with plain values as elements and the members below; there is
/// nothing to specialise and nothing to derive from.
///
///     struct parity {                                   // which parities a number may have: bit 0 even, bit 1 odd
///       using element = unsigned;
///       element bottom() const { return 0; }
///       bool join(element& a, element b) const {
///         const element old = a;
///         a |= b;
///         return a != old;
///       }
///     };
///
/// **Analyses go up.** `join` combines what holds on several paths; `bottom()` is its neutral element: no path has
/// arrived yet. Higher means less is known. A must-analysis, which intersects, uses the `dual` of a lattice of sets.
/// The solver knows which nodes are unreached; no domain needs an element for that.
///
/// **Required** are `element`, `bottom()` and `join`. Each optional member has a concept of its own below, and composed
/// lattices (`product`, `map`, …) have it if their parts do. `check_lattice` tests the laws.
///
/// **Elements** are copied, stored in arrays and compared. If there is an `==`, equivalent elements (each below the
/// other) should be equal: one representation for each. The ready lattices do that, and their elements are trivially
/// copyable where possible.
#pragma once

#include "midend/config.hpp"
#include "midend/support/flat_array.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The element type of a lattice.
template <class L> using element_of = typename L::element;

/// `L::element` is a copyable type.
template <class L>
concept has_elements = requires { typename L::element; } && std::copyable<typename L::element>;

/// `bottom()` returns the least element.
template <class L>
concept has_bottom = requires(const L& l) {
  { l.bottom() } -> std::convertible_to<element_of<L>>;
};

/// `join(a, b)` sets `a` to the least upper bound of both and returns whether that changed it.
template <class L>
concept has_join = requires(const L& l, element_of<L>& a, const element_of<L>& b) {
  { l.join(a, b) } -> std::same_as<bool>;
};

/// The members that every analysis needs; strictly speaking a join-semilattice with a least element.
template <class L>
concept lattice = has_elements<L> && has_bottom<L> && has_join<L>;

/// `leq(a, b)`: whether `a` is below `b` or equivalent, that is, whether joining `a` to `b` leaves `b` as it is.
/// Without it, `less_or_equal` uses a copy and a join.
template <class L>
concept has_leq = requires(const L& l, const element_of<L>& a) {
  { l.leq(a, a) } -> std::same_as<bool>;
};

/// `top()` returns the greatest element: anything is possible.
template <class L>
concept has_top = requires(const L& l) {
  { l.top() } -> std::convertible_to<element_of<L>>;
};

/// `meet(a, b)` sets `a` to the greatest lower bound of both and returns whether that changed it.
template <class L>
concept has_meet = requires(const L& l, element_of<L>& a, const element_of<L>& b) {
  { l.meet(a, b) } -> std::same_as<bool>;
};

/// A lattice in the full sense, with a least and a greatest element.
template <class L>
concept bounded_lattice = lattice<L> && has_top<L> && has_meet<L>;

/// `widen(a, b)` sets `a` to an upper bound of both, perhaps not the least one, and returns whether that changed it.
/// For any sequence of `b`, `a` changes only a bounded number of times: this terminates loops over lattices with long
/// ascending chains. Cousot, Cousot, "Abstract interpretation: a unified lattice model for static analysis of programs
/// by construction or approximation of fixpoints", POPL 1977.
template <class L>
concept has_widen = requires(const L& l, element_of<L>& a, const element_of<L>& b) {
  { l.widen(a, b) } -> std::same_as<bool>;
};

/// `narrow(a, b)`, for `b` below `a`, lowers `a` towards `b`, not below it, and returns whether that changed it. For
/// any sequence of `b`, `a` changes only a bounded number of times. Wins back precision that `widen` lost.
template <class L>
concept has_narrow = requires(const L& l, element_of<L>& a, const element_of<L>& b) {
  { l.narrow(a, b) } -> std::same_as<bool>;
};

/// Text that `print` appends to. `std::string_view(text.data(), text.size())` reads it.
using text_buffer = flat_array<char>;

/// `print(out, a)` appends a short text, without line ends, to `out`.
template <class L>
concept has_print = requires(const L& l, const element_of<L>& a, text_buffer& out) { l.print(out, a); };

/// How two elements compare.
enum class order_relation : std::uint8_t { equal, less, greater, incomparable };

namespace detail {
struct any_difference {
  constexpr void operator()(std::uint32_t, order_relation) const {}
};
} // namespace detail

/// For lattices whose elements have parts (the keys of a map, the members of a set): `explain_difference(a, b, visit)`
/// calls `visit(part, relation)` for each part in which they differ, ascending, with how the part of `a` compares to
/// that of `b`; for none if they differ as a whole. Reports show these parts instead of two long texts.
template <class L>
concept has_explain_difference =
    requires(const L& l, const element_of<L>& a) { l.explain_difference(a, a, detail::any_difference{}); };

/// `print_part(out, a, part)` appends the text of one part, as `explain_difference` numbers them.
template <class L>
concept has_print_part =
    requires(const L& l, const element_of<L>& a, text_buffer& out) { l.print_part(out, a, std::uint32_t{}); };

/// Whether `a` is below `b` or equivalent: by `leq`, or else by joining `a` to a copy of `b`.
template <lattice L> constexpr bool less_or_equal(const L& l, const element_of<L>& a, const element_of<L>& b) {
  if constexpr (has_leq<L>) {
    return l.leq(a, b);
  } else {
    element_of<L> joined = b;
    return !l.join(joined, a);
  }
}

/// How `a` compares to `b`.
template <lattice L> constexpr order_relation compare(const L& l, const element_of<L>& a, const element_of<L>& b) {
  const bool below = less_or_equal(l, a, b);
  const bool above = less_or_equal(l, b, a);
  return below && above ? order_relation::equal
         : below        ? order_relation::less
         : above        ? order_relation::greater
                        : order_relation::incomparable;
}

MIDEND_END_NAMESPACE
