/// The domain contract: a lattice of facts about values, with the effect of operations on them, for sparse conditional
/// constant propagation. A domain is a lattice object (`lattice.hpp`) for the values of all widths at once, with
///
///     using constant_type = std::uint64_t;                                    // of literals; that of the IR
///     element top(unsigned width) const;                                      // any value of that width
///     element constant(unsigned width, constant_type c) const;                // this value
///     std::optional<constant_type> as_constant(const element& a) const;       // the only value that `a` allows
///
/// and, to know more than constants, these optional members:
///
///     element transfer(const midend::operation_info& info, std::span<const element> args) const;
///     bool contains(unsigned width, const element& a, constant_type c) const; // whether `a` allows c
///     std::uint64_t size(unsigned width, const element& a) const;             // at least how many values `a` allows
///     bool widen(unsigned width, element& a, const element& b, const thresholds& t) const;
///     void assume(midend::operation code, unsigned width, element& a, element& b) const;  // `a code b` holds
///     static constexpr bool reads_any_width = true;                           // `transfer` does; see below
///
/// The optional `bool is_bottom() const` of elements replaces a comparison with `bottom()`.
///
/// **Bottom** is "no value so far". `transfer` must be monotone, and its result must allow every result of `evaluate`
/// for values that the arguments allow. If an operation has no result at all (a division by zero), bottom is right: no
/// run continues after it. `args` has `arity(info.code)` elements. `transfer` is never called for `operation::other`:
/// the IR folds that.
///
/// Arguments are facts about values of the width that the operation reads (`read_width`), except for the amount of a
/// shift and the condition of a `select`, which have any width. A caller that has a fact about a value of another width
/// converts it by `read_as` first, as `sccp` does. A domain with `reads_any_width` needs no conversion: its facts show
/// which numbers they are about, and its `transfer` reads them modulo 2^`read_width`, as `evaluate` does. All ready
/// domains except `congruence_domain` are such; without `transfer`, nothing is converted.
///
/// `assume` removes from `a` and `b` what contradicts `a code b`, and makes both bottom if nothing is left.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/lattice.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/detail/contract.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/regular.hpp"
#include "midend/support/span.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// Numbers at which a widened bound stops for a while, ascending: constants of the program. Both lists hold the same
/// numbers, read as signed and as unsigned.
struct thresholds {
  span<const std::int64_t> as_signed = {};
  span<const std::uint64_t> as_unsigned = {};
};

/// The constants of a domain.
template <class D> using domain_constant = typename D::constant_type;

/// `top(width)` returns the element that allows every value.
template <class D>
concept has_top_of_width = requires(const D& d, unsigned width) {
  { d.top(width) } -> std::convertible_to<element_of<D>>;
};

/// `constant(width, c)` returns the element that allows one value.
template <class D>
concept has_constant_elements = requires(const D& d, unsigned width, const domain_constant<D>& c) {
  { d.constant(width, c) } -> std::convertible_to<element_of<D>>;
};

/// `as_constant(a)` returns the only value that an element allows, if there is one.
template <class D>
concept has_as_constant = requires(const D& d, const element_of<D>& a) {
  { d.as_constant(a) } -> std::convertible_to<std::optional<domain_constant<D>>>;
} && !requires(const D& d, const element_of<D>& a) {
  { d.as_constant(a) } -> std::convertible_to<domain_constant<D>>; // every element would be a constant
};

/// A lattice of facts about values of all widths.
template <class D>
concept value_domain =
    lattice<D> && detail::semiregular_type<D> && has_top_of_width<D> && has_constant_elements<D> && has_as_constant<D>;

/// `transfer(info, args)` returns the result of an operation. Optional.
template <class D>
concept has_value_transfer = requires(const D& d, const operation_info& info, span<const element_of<D>> args) {
  { d.transfer(info, args) } -> std::convertible_to<element_of<D>>;
};

/// `transfer` accepts facts about values of any width, and reads their low bits. Optional.
template <class D>
concept reads_any_width = requires { requires D::reads_any_width; };

/// `contains(width, a, c)` says whether an element allows a value. Optional.
template <class D>
concept has_contains = requires(const D& d, unsigned width, const element_of<D>& a, const domain_constant<D>& c) {
  { d.contains(width, a, c) } -> std::integral;
};

/// `size(width, a)` is at least the number of values that an element allows; saturates at 2^64 - 1. Optional.
template <class D>
concept has_size = requires(const D& d, unsigned width, const element_of<D>& a) {
  { d.size(width, a) } -> std::convertible_to<std::uint64_t>;
};

/// `widen(width, a, b, thresholds)` is `widen(a, b)` of a lattice, for values of a width. Optional; without it, `sccp`
/// calls `widen(a, b)`, if there is one.
template <class D>
concept has_widen_of_width =
    requires(const D& d, unsigned width, element_of<D>& a, const element_of<D>& b, const thresholds& t) {
      { d.widen(width, a, b, t) } -> std::same_as<bool>;
    } && !requires(const D& d, unsigned width, const element_of<D>& b, const thresholds& t) {
      d.widen(width, element_of<D>(b), b, t);
    };

/// `assume(code, width, a, b)` sharpens two elements by a comparison that holds. Optional.
template <class D>
concept has_assume = requires(const D& d, operation code, unsigned width, element_of<D>& a) {
  d.assume(code, width, a, a);
} && !requires(const D& d, operation code, unsigned width, element_of<D>& a) {
  d.assume(code, width, element_of<D>(a), a); // by reference: nobody would see changed copies
} && !requires(const D& d, operation code, unsigned width, element_of<D>& a) {
  d.assume(code, width, a, element_of<D>(a));
};

/// The fact about a value of `fact_width` bits, read as a number of `width` bits: modulo 2^width, or with zeros above.
template <value_domain D>
  requires has_value_transfer<D>
constexpr element_of<D> read_as(const D& domain, unsigned width, const element_of<D>& fact, unsigned fact_width) {
  if (width == fact_width) {
    return fact;
  }
  const operation code = width < fact_width ? operation::truncate : operation::zero_extend;
  const operation_info info{code, static_cast<std::uint8_t>(width), static_cast<std::uint8_t>(fact_width), {}};
  return domain.transfer(info, span<const element_of<D>>(&fact, 1));
}

/// Whether an element allows a value: by `contains`, or else whether it is not another constant.
template <value_domain D>
constexpr bool may_be(const D& domain, unsigned width, const element_of<D>& a, const domain_constant<D>& c) {
  if constexpr (has_contains<D>) {
    return static_cast<bool>(domain.contains(width, a, c));
  } else {
    const std::optional<domain_constant<D>> only = domain.as_constant(a);
    return !only || *only == c;
  }
}

/// The number of values of a width, saturating at 2^64 - 1.
constexpr std::uint64_t number_of_values(unsigned width) {
  return width < 64 ? std::uint64_t{1} << width : ~std::uint64_t{0};
}

/// At least the number of values that an element allows: by `size`, or else 1 for constants and all for others.
template <value_domain D> constexpr std::uint64_t size_bound(const D& domain, unsigned width, const element_of<D>& a) {
  if constexpr (has_size<D>) {
    return domain.size(width, a);
  } else {
    return domain.as_constant(a) ? 1 : number_of_values(width);
  }
}

/// `is_bottom()` of an element says whether it is bottom. Optional.
template <class D>
concept has_is_bottom = requires(const element_of<D>& a) {
  { a.is_bottom() } -> std::integral;
};

/// Whether an element is bottom: by its `is_bottom()`, or else by comparing.
template <value_domain D> constexpr bool is_bottom(const D& domain, const element_of<D>& a) {
  if constexpr (has_is_bottom<D>) {
    return static_cast<bool>(a.is_bottom());
  } else {
    return less_or_equal(domain, a, domain.bottom());
  }
}

/// The result of an operation on constants, as an element; bottom if it has none. `std::nullopt` if an operand is not
/// constant.
///
/// For a domain's own `transfer`: `D` need not be complete or checked yet.
template <class D>
  requires std::same_as<domain_constant<D>, std::uint64_t>
constexpr detail::any_optional<element_of<D>> folded(const D& domain, const operation_info& info,
                                                     span<const element_of<D>> args) {
  std::uint64_t values[3] = {};
  for (std::size_t i = 0; i != args.size(); ++i) {
    const std::optional<std::uint64_t> c = domain.as_constant(args[i]);
    if (!c) {
      return std::nullopt;
    }
    values[i] = *c;
  }
  const evaluation result = evaluate(info, span<const std::uint64_t>(values, args.size()));
  return result ? domain.constant(info.width, result.bits) : domain.bottom();
}

namespace detail {

template <class D>
concept names_value_transfer = requires {
  &D::transfer;
} || requires(D& d, const operation_info& info, span<const element_of<D>> args) { d.transfer(info, args); };
template <class D>
concept widens = has_widen_of_width<D> || has_widen<D>;
template <class D>
concept names_any_widen = requires { &D::widen; } || requires(D& d, unsigned width, element_of<D>& a,
                                                              const thresholds& t) { d.widen(width, a, a, t); };
template <class D>
concept names_is_bottom = requires { &element_of<D>::is_bottom; } || requires(element_of<D>& a) { a.is_bottom(); };

MIDEND_REQUIRED(has_constants_of_a_domain, "a domain needs `using constant_type = std::uint64_t;`, that of the IR");
MIDEND_REQUIRED(semiregular_type, "a domain must be default constructible and assignable");
MIDEND_REQUIRED(has_top_of_width, "a domain needs `element top(unsigned width) const`, any value");
MIDEND_REQUIRED(has_constant_elements,
                "a domain needs `element constant(unsigned width, constant_type c) const`, the value c");
MIDEND_REQUIRED(has_as_constant, "a domain needs `std::optional<constant_type> as_constant(const element& a) const`, "
                                 "which returns std::nullopt unless `a` allows exactly one value");
MIDEND_OPTIONAL_ROW(
    value_transfer_row, has_value_transfer, names_value_transfer,
    "`transfer` of a domain would never be called; write `element transfer(const midend::operation_info& info, "
    "std::span<const element> args) const`, or give the member another name");
MIDEND_OPTIONAL_MEMBER(contains, has_contains,
                       it.contains(unsigned(), std::declval<element_of<T>&>(),
                                   std::declval<const domain_constant<T>&>()),
                       "of a domain would never be called",
                       "`bool contains(unsigned width, const element& a, constant_type c) const`");
MIDEND_OPTIONAL_MEMBER(size, has_size, it.size(unsigned(), std::declval<element_of<T>&>()),
                       "of a domain would never be called",
                       "`std::uint64_t size(unsigned width, const element& a) const`");
MIDEND_OPTIONAL_ROW(
    any_widen_row, widens, names_any_widen,
    "`widen` of a domain would never be called; write `bool widen(unsigned width, element& a, const element& b, const "
    "midend::thresholds& t) const`, which changes a, or give the member another name");
MIDEND_OPTIONAL_MEMBER(
    assume, has_assume,
    it.assume(operation(), unsigned(), std::declval<element_of<T>&>(), std::declval<element_of<T>&>()),
    "of a domain would never be called",
    "`void assume(midend::operation code, unsigned width, element& a, element& b) const`, which changes both");
MIDEND_OPTIONAL_ROW(is_bottom_row, has_is_bottom, names_is_bottom,
                    "`is_bottom` of the elements of a domain would never be called; write `bool is_bottom() const`, or "
                    "give the member another name");

struct value_domain_contract
    : contract<has_constants_of_a_domain_row, lattice_contract, semiregular_type_row, has_top_of_width_row,
               has_constant_elements_row, has_as_constant_row, value_transfer_row, contains_row, size_row,
               any_widen_row, assume_row, is_bottom_row> {};

} // namespace detail

/// For signatures: a `value_domain` with optional members that fit; any other type is an error with a reason.
template <class D>
concept value_domain_argument =
    (value_domain<D> && detail::value_domain_contract::fits<D>) || detail::value_domain_contract::explain<D>();

MIDEND_END_NAMESPACE
