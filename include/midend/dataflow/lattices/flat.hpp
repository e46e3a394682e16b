/// `flat<T>`: no value yet, one value, or any value: the lattice of constant propagation.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/lattice.hpp"
#include "midend/dataflow/text.hpp"
#include "midend/support/regular.hpp"

#include <concepts>
#include <cstdint>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// The values of `T`, no two of them comparable, with a bottom below and a top above. Kildall, "A unified approach to
/// global program optimization", POPL 1973, where the lattice is upside down. Height 2; not distributive with three or
/// more values. Requires a regular `T`: `==`, and a default value, which is stored where there is no constant. Elements
/// are trivially copyable if `T` is.
template <detail::regular_type T> struct flat {
  enum class state : std::uint8_t { bottom, constant, top };

  struct element {
    state kind;
    T value; ///< `T{}` if not constant

    constexpr bool is_bottom() const { return kind == state::bottom; }

    constexpr bool is_constant() const { return kind == state::constant; }

    constexpr bool is_top() const { return kind == state::top; }

    friend constexpr bool operator==(const element&, const element&) = default;
  };

  constexpr element bottom() const { return {state::bottom, T{}}; }

  constexpr element top() const { return {state::top, T{}}; }

  constexpr element constant(T value) const { return {state::constant, std::move(value)}; }

  constexpr bool join(element& a, const element& b) const {
    if (leq(b, a)) {
      return false;
    }
    a = a.is_bottom() ? b : top();
    return true;
  }

  constexpr bool meet(element& a, const element& b) const {
    if (leq(a, b)) {
      return false;
    }
    a = a.is_top() ? b : bottom();
    return true;
  }

  constexpr bool leq(const element& a, const element& b) const { return a.is_bottom() || b.is_top() || a == b; }

  constexpr void print(text_buffer& out, const element& a) const
    requires std::integral<T>
  {
    if (a.is_constant()) {
      append_integer(out, a.value);
    } else {
      append_text(out, a.is_bottom() ? "bottom" : "top");
    }
  }
};

MIDEND_END_NAMESPACE
