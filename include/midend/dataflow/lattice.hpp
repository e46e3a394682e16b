/// The lattice contract: what an analysis may ask of a domain of facts. A lattice is an object (it may carry context:
/// how many variables, how wide a number) with plain values as elements, and with the members below; there is nothing
/// to specialise and nothing to derive from.
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
/// **Upward, everywhere.** `join` brings together what holds on several paths; `bottom()` is its neutral element: no
/// path has brought anything yet. Going up means to know less. A must-analysis, which intersects, is the `dual` of a
/// lattice of sets. That a node has not been reached is a matter of the solver; no domain needs an element for it.
///
/// **Required** are `element`, `bottom()` and `join`. All that is optional has a concept of its own, named below, and
/// what composes lattices (`product`, `map`, …) has it if its parts do. `check_lattice` tests the laws.
///
/// **Elements** are copied, kept in arrays and compared: equivalent elements (each below the other) should be equal if
/// there is an `==`, so that there is one way only to write down each. The ready lattices keep to that, and their
/// elements are trivially copyable where they can be.
#pragma once

#include "midend/config.hpp"
#include "midend/support/flat_array.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The element type of a lattice.
template <class L> using element_of = typename L::element;

/// `L::element` is a type, which can be copied.
template <class L>
concept has_elements = requires { typename L::element; } && std::copyable<typename L::element>;

/// `bottom()` gives the least element.
template <class L>
concept has_bottom = requires(const L& l) {
  { l.bottom() } -> std::convertible_to<element_of<L>>;
};

/// `join(a, b)` makes `a` the least upper bound of both and says whether that changed it.
template <class L>
concept has_join = requires(const L& l, element_of<L>& a, const element_of<L>& b) {
  { l.join(a, b) } -> std::same_as<bool>;
};

/// What every analysis needs: strictly speaking a join-semilattice with a least element.
template <class L>
concept lattice = has_elements<L> && has_bottom<L> && has_join<L>;

/// `leq(a, b)`: whether `a` is below `b` or equivalent, that is, whether joining `a` to `b` leaves `b` as it is.
/// `less_or_equal` does without, by a copy and a join.
template <class L>
concept has_leq = requires(const L& l, const element_of<L>& a) {
  { l.leq(a, a) } -> std::same_as<bool>;
};

/// `top()` gives the greatest element: anything may be.
template <class L>
concept has_top = requires(const L& l) {
  { l.top() } -> std::convertible_to<element_of<L>>;
};

/// `meet(a, b)` makes `a` the greatest lower bound of both and says whether that changed it.
template <class L>
concept has_meet = requires(const L& l, element_of<L>& a, const element_of<L>& b) {
  { l.meet(a, b) } -> std::same_as<bool>;
};

/// A lattice in the full sense, with a least and a greatest element.
template <class L>
concept bounded_lattice = lattice<L> && has_top<L> && has_meet<L>;

/// `widen(a, b)` makes `a` an upper bound of both, not the least one, and says whether that changed it. However the `b`
/// are chosen, `a` changes only so often: this is what ends loops over lattices with long ascending chains. Cousot,
/// Cousot, "Abstract interpretation: a unified lattice model for static analysis of programs by construction or
/// approximation of fixpoints", POPL 1977.
template <class L>
concept has_widen = requires(const L& l, element_of<L>& a, const element_of<L>& b) {
  { l.widen(a, b) } -> std::same_as<bool>;
};

/// `narrow(a, b)`, for `b` below `a`, moves `a` towards `b`, not below it, and says whether that changed it. However
/// the `b` are chosen, `a` changes only so often. Wins back what `widen` gave away.
template <class L>
concept has_narrow = requires(const L& l, element_of<L>& a, const element_of<L>& b) {
  { l.narrow(a, b) } -> std::same_as<bool>;
};

/// Characters: what `print` appends to. `std::string_view(text.data(), text.size())` reads it.
using text_buffer = flat_array<char>;

/// `print(out, a)` appends a short text, without line ends, to `out`.
template <class L>
concept has_print = requires(const L& l, const element_of<L>& a, text_buffer& out) { l.print(out, a); };

/// How two elements stand to each other.
enum class order_relation : std::uint8_t { equal, less, greater, incomparable };

namespace detail {
struct any_difference {
  constexpr void operator()(std::uint32_t, order_relation) const {}
};
} // namespace detail

/// For lattices whose elements are made of parts (the keys of a map, the members of a set): `explain_difference(a, b,
/// visit)` calls `visit(part, relation)` for each part in which they differ, ascending, with how the part of `a` stands
/// to that of `b`; with none if they differ as a whole. Reports show these instead of two long texts.
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

/// How `a` stands to `b`.
template <lattice L> constexpr order_relation compare(const L& l, const element_of<L>& a, const element_of<L>& b) {
  const bool below = less_or_equal(l, a, b);
  const bool above = less_or_equal(l, b, a);
  return below && above ? order_relation::equal
         : below        ? order_relation::less
         : above        ? order_relation::greater
                        : order_relation::incomparable;
}

MIDEND_END_NAMESPACE
