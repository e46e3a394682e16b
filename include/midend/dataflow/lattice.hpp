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
/// lattices (`product`, `map`, …) have it if their parts do. A member of such a name that does not fit is an error
/// where a function takes the lattice. `check_lattice` tests the laws.
///
/// **Elements** are copied, stored in arrays and compared. If there is an `==`, equivalent elements (each below the
/// other) should be equal: one representation for each. The ready lattices do that, and their elements are trivially
/// copyable where possible.
#pragma once

#include "midend/config.hpp"
#include "midend/support/detail/contract.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/regular.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The element type of a lattice.
template <class L> using element_of = typename L::element;

/// `L::element` is a copyable type.
template <class L>
concept has_elements = requires { typename L::element; } && detail::copyable_type<typename L::element>;

/// `bottom()` returns the least element.
template <class L>
concept has_bottom = requires(const L& l) {
  { l.bottom() } -> std::convertible_to<element_of<L>>;
};

/// `join(a, b)` sets `a` to the least upper bound of both and returns whether that changed it. `a` must be taken by
/// reference: the caller would never see a changed copy.
template <class L>
concept has_join = requires(const L& l, element_of<L>& a, const element_of<L>& b) {
  { l.join(a, b) } -> std::same_as<bool>;
} && !requires(const L& l, const element_of<L>& b) { l.join(element_of<L>(b), b); };

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
} && !requires(const L& l, const element_of<L>& b) { l.meet(element_of<L>(b), b); };

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
} && !requires(const L& l, const element_of<L>& b) { l.widen(element_of<L>(b), b); };

/// `narrow(a, b)`, for `b` below `a`, lowers `a` towards `b`, not below it, and returns whether that changed it. For
/// any sequence of `b`, `a` changes only a bounded number of times. Regains precision that `widen` lost.
template <class L>
concept has_narrow = requires(const L& l, element_of<L>& a, const element_of<L>& b) {
  { l.narrow(a, b) } -> std::same_as<bool>;
} && !requires(const L& l, const element_of<L>& b) { l.narrow(element_of<L>(b), b); };

/// Text that `print` appends to. `std::string_view(text.data(), text.size())` reads it.
using text_buffer = flat_array<char>;

/// `print(out, a)` appends a short text, without line ends, to `out`. `out` must be taken by reference.
template <class L>
concept has_print = requires(const L& l, const element_of<L>& a, text_buffer& out) { l.print(out, a); } &&
                    !requires(const L& l, const element_of<L>& a) { l.print(text_buffer(), a); };

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
concept has_print_part = requires(const L& l, const element_of<L>& a, text_buffer& out) {
  l.print_part(out, a, std::uint32_t{});
} && !requires(const L& l, const element_of<L>& a) { l.print_part(text_buffer(), a, std::uint32_t{}); };

namespace detail {

// A value domain, which has constants, has `top` and `widen` with a width.
template <class L>
concept has_constants_of_a_domain = requires { typename L::constant_type; };
template <class L>
concept names_top = requires(L& l) { l.top(); } || (!has_constants_of_a_domain<L> && requires { &L::top; });
template <class L>
concept names_widen =
    requires(L& l, element_of<L>& a) { l.widen(a, a); } || (!has_constants_of_a_domain<L> && requires { &L::widen; });

MIDEND_REQUIRED(has_elements, "a lattice needs `using element = …;`, a type that can be copied");
MIDEND_REQUIRED(has_bottom, "a lattice needs `element bottom() const`, the least element");
MIDEND_REQUIRED(has_join, "a lattice needs `bool join(element& a, const element& b) const`, which sets a to the least "
                          "upper bound of both and returns whether that changed it");
MIDEND_OPTIONAL_MEMBER(leq, has_leq, it.leq(std::declval<element_of<T>&>(), std::declval<element_of<T>&>()),
                       "of a lattice would never be called",
                       "`bool leq(const element& a, const element& b) const`, whether a is below b or equal");
MIDEND_OPTIONAL_ROW(
    top_row, has_top, names_top,
    "`top` of a lattice would never be called; write `element top() const`, or give the member another name");
MIDEND_OPTIONAL_MEMBER(meet, has_meet, it.meet(std::declval<element_of<T>&>(), std::declval<element_of<T>&>()),
                       "of a lattice would never be called",
                       "`bool meet(element& a, const element& b) const`, which changes a and returns whether it did");
MIDEND_OPTIONAL_ROW(widen_row, has_widen, names_widen,
                    "`widen` of a lattice would never be called; write `bool widen(element& a, const element& b) "
                    "const`, which changes a and returns whether it did, or give the member another name");
MIDEND_OPTIONAL_MEMBER(narrow, has_narrow, it.narrow(std::declval<element_of<T>&>(), std::declval<element_of<T>&>()),
                       "of a lattice would never be called",
                       "`bool narrow(element& a, const element& b) const`, which changes a and returns whether it did");

struct lattice_contract
    : contract<has_elements_row, has_bottom_row, has_join_row, leq_row, top_row, meet_row, widen_row, narrow_row> {};

MIDEND_REQUIRED(has_top, "this needs a lattice with `element top() const`, the greatest element");
MIDEND_REQUIRED(has_meet, "this needs a lattice with `bool meet(element& a, const element& b) const`, which sets a to "
                          "the greatest lower bound of both and returns whether that changed it");

struct bounded_lattice_contract : contract<lattice_contract, has_top_row, has_meet_row> {};

// What only reports call is checked where one is made: a lattice may have a `print` of its own for something else.
MIDEND_REQUIRED(has_print, "reports need a lattice with `void print(midend::text_buffer& out, const element& a) "
                           "const`, which appends a short text to out");
MIDEND_OPTIONAL_MEMBER(explain_difference, has_explain_difference,
                       it.explain_difference(std::declval<element_of<T>&>(), std::declval<element_of<T>&>(),
                                             any_difference()),
                       "of a lattice would never be called",
                       "`template <class Visit> void explain_difference(const element& a, const element& b, Visit "
                       "visit) const`, which calls `visit(part, relation)`");
MIDEND_OPTIONAL_MEMBER(print_part, has_print_part,
                       it.print_part(std::declval<text_buffer&>(), std::declval<element_of<T>&>(), std::uint32_t()),
                       "of a lattice would never be called",
                       "`void print_part(midend::text_buffer& out, const element& a, std::uint32_t part) const`");

struct printable_lattice_contract : contract<lattice_contract, has_print_row, explain_difference_row, print_part_row> {
};

/// Of a domain, whose facts are printed if it says how.
MIDEND_OPTIONAL_MEMBER(
    print, has_print, it.print(std::declval<text_buffer&>(), std::declval<element_of<T>&>()),
    "of a domain would never be called",
    "`void print(midend::text_buffer& out, const element& a) const`, which appends a short text to out");

} // namespace detail

/// For signatures: a `lattice` with optional members that fit; any other type is an error with a reason.
template <class L>
concept lattice_argument = (lattice<L> && detail::lattice_contract::fits<L>) || detail::lattice_contract::explain<L>();

/// For signatures: a `bounded_lattice` with optional members that fit.
template <class L>
concept bounded_lattice_argument =
    (bounded_lattice<L> && detail::bounded_lattice_contract::fits<L>) || detail::bounded_lattice_contract::explain<L>();

/// For signatures of reports: a lattice that reports can print.
template <class L>
concept printable_lattice_argument =
    detail::printable_lattice_contract::fits<L> || detail::printable_lattice_contract::explain<L>();

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
