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

// A member of this name exists, whether it fits or not; see `graph/concepts.hpp`. A value domain, which has constants,
// has `top` and `widen` with a width.
template <class L>
concept has_constants_of_a_domain = requires { typename L::constant_type; };
template <class L>
concept names_leq = requires { &L::leq; } || requires(L& l, element_of<L>& a) { l.leq(a, a); };
template <class L>
concept names_top = requires(L& l) { l.top(); } || (!has_constants_of_a_domain<L> && requires { &L::top; });
template <class L>
concept names_meet = requires { &L::meet; } || requires(L& l, element_of<L>& a) { l.meet(a, a); };
template <class L>
concept names_widen =
    requires(L& l, element_of<L>& a) { l.widen(a, a); } || (!has_constants_of_a_domain<L> && requires { &L::widen; });
template <class L>
concept names_narrow = requires { &L::narrow; } || requires(L& l, element_of<L>& a) { l.narrow(a, a); };

template <class L>
concept leq_fits = has_leq<L> || !names_leq<L>;
template <class L>
concept top_fits = has_top<L> || !names_top<L>;
template <class L>
concept meet_fits = has_meet<L> || !names_meet<L>;
template <class L>
concept widen_fits = has_widen<L> || !names_widen<L>;
template <class L>
concept narrow_fits = has_narrow<L> || !names_narrow<L>;
template <class L>
concept lattice_members_fit = leq_fits<L> && top_fits<L> && meet_fits<L> && widen_fits<L> && narrow_fits<L>;

/// Diagnostics for `lattice`: one sentence for the first thing that is wrong. Always false.
template <class L> constexpr bool explain_lattice() {
  if constexpr (!has_elements<L>) {
    static_assert(has_elements<L>, "midend: a lattice needs `using element = …;`, a type that can be copied");
  } else if constexpr (!has_bottom<L>) {
    static_assert(has_bottom<L>, "midend: a lattice needs `element bottom() const`, the least element");
  } else if constexpr (!has_join<L>) {
    static_assert(has_join<L>,
                  "midend: a lattice needs `bool join(element& a, const element& b) const`, which sets a to "
                  "the least upper bound of both and returns whether that changed it");
  } else if constexpr (!leq_fits<L>) {
    static_assert(has_leq<L>,
                  "midend: `leq` of a lattice would never be called; write `bool leq(const element& a, const "
                  "element& b) const`, whether a is below b or equal, or give the member another name");
  } else if constexpr (!top_fits<L>) {
    static_assert(has_top<L>, "midend: `top` of a lattice would never be called; write `element top() const`, or give "
                              "the member another name");
  } else if constexpr (!meet_fits<L>) {
    static_assert(has_meet<L>, "midend: `meet` of a lattice would never be called; write `bool meet(element& a, const "
                               "element& b) const`, which changes a and returns whether it did, or give the member "
                               "another name");
  } else if constexpr (!widen_fits<L>) {
    static_assert(has_widen<L>,
                  "midend: `widen` of a lattice would never be called; write `bool widen(element& a, const "
                  "element& b) const`, which changes a and returns whether it did, or give the member "
                  "another name");
  } else if constexpr (!narrow_fits<L>) {
    static_assert(has_narrow<L>, "midend: `narrow` of a lattice would never be called; write `bool narrow(element& a, "
                                 "const element& b) const`, which changes a and returns whether it did, or give the "
                                 "member another name");
  }
  return false;
}

/// Diagnostics for `bounded_lattice`, that is, also for `top` and `meet`.
template <class L> constexpr bool explain_bounded_lattice() {
  if constexpr (lattice<L> && lattice_members_fit<L>) {
    static_assert(has_top<L>, "midend: this needs a lattice with `element top() const`, the greatest element");
    static_assert(has_meet<L>,
                  "midend: this needs a lattice with `bool meet(element& a, const element& b) const`, which "
                  "sets a to the greatest lower bound of both and returns whether that changed it");
  }
  return explain_lattice<L>();
}

// Members that only reports call are checked where a report is made: elsewhere, a lattice may have a `print` for
// something else.
template <class L>
concept names_print =
    requires { &L::print; } || requires(L& l, element_of<L>& a, text_buffer& out) { l.print(out, a); };
template <class L>
concept names_explain_difference = requires { &L::explain_difference; } ||
                                   requires(L& l, element_of<L>& a) { l.explain_difference(a, a, any_difference{}); };
template <class L>
concept names_print_part = requires { &L::print_part; } || requires(L& l, element_of<L>& a, text_buffer& out) {
  l.print_part(out, a, std::uint32_t{});
};

template <class L>
concept print_fits = has_print<L> || !names_print<L>;
template <class L>
concept parts_fit =
    (has_explain_difference<L> || !names_explain_difference<L>) && (has_print_part<L> || !names_print_part<L>);

/// Diagnostics for `printable_lattice`. Always false.
template <class L> constexpr bool explain_printable_lattice() {
  if constexpr (!lattice<L> || !lattice_members_fit<L>) {
    explain_lattice<L>();
  } else if constexpr (!has_print<L>) {
    static_assert(has_print<L>,
                  "midend: reports need a lattice with `void print(midend::text_buffer& out, const element& a) const`, "
                  "which appends a short text to out");
  } else {
    static_assert(has_explain_difference<L> || !names_explain_difference<L>,
                  "midend: `explain_difference` of a lattice would never be called; write `template <class Visit> void "
                  "explain_difference(const element& a, const element& b, Visit visit) const`, which calls "
                  "`visit(part, relation)`, or give the member another name");
    static_assert(
        has_print_part<L> || !names_print_part<L>,
        "midend: `print_part` of a lattice would never be called; write `void print_part(midend::text_buffer& "
        "out, const element& a, std::uint32_t part) const`, or give the member another name");
  }
  return false;
}

} // namespace detail

/// For signatures: a `lattice` with optional members that fit; any other type is an error with a reason.
template <class L>
concept lattice_argument = (lattice<L> && detail::lattice_members_fit<L>) || detail::explain_lattice<L>();

/// For signatures: a `bounded_lattice` with optional members that fit.
template <class L>
concept bounded_lattice_argument =
    (bounded_lattice<L> && detail::lattice_members_fit<L>) || detail::explain_bounded_lattice<L>();

/// For signatures of reports: a lattice that reports can print.
template <class L>
concept printable_lattice_argument =
    (lattice<L> && detail::lattice_members_fit<L> && has_print<L> && detail::parts_fit<L>) ||
    detail::explain_printable_lattice<L>();

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
