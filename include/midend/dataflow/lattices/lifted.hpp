/// `lifted` and `topped`: a lattice with an added least or greatest element.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/lattice.hpp"
#include "midend/dataflow/text.hpp"

#include <cstdint>
#include <utility>

MIDEND_BEGIN_NAMESPACE

enum class extreme : std::uint8_t { bottom, top };

/// `L` with an added element; use the names `lifted` and `topped`.
///
/// `lifted<L>` adds a bottom, "nothing is known yet", for lattices whose own bottom already has a meaning: the empty
/// set of locks, a variable that holds no value. (Whether a *node* has been reached is known to the solver.)
/// `topped<L>` adds a top, "given up", also to lattices without one: sets over an open universe, terms of any size.
///
/// The height is that of `L` plus one. All optional members of `L` are kept, and `topped` always has a top. Elements
/// are trivially copyable if those of `L` are.
template <lattice_argument L, extreme Added> class with_extreme {
public:
  struct element {
    element_of<L> value; ///< the bottom of `L` if this is the added element
    bool is_new;

    friend constexpr bool operator==(const element&, const element&) = default;
  };

  constexpr with_extreme() = default;

  constexpr explicit with_extreme(L original) : original_(std::move(original)) {}

  constexpr const L& original() const { return original_; }

  /// An element of `L` as an element of this lattice.
  constexpr element lift(element_of<L> value) const { return {std::move(value), false}; }

  constexpr element bottom() const { return {original_.bottom(), Added == extreme::bottom}; }

  constexpr element top() const
    requires(Added == extreme::top || has_top<L>)
  {
    if constexpr (Added == extreme::top) {
      return new_element();
    } else {
      return lift(original_.top());
    }
  }

  constexpr bool join(element& a, const element& b) const {
    return go_up(a, b, [this](element_of<L>& x, const element_of<L>& y) { return original_.join(x, y); });
  }

  constexpr bool meet(element& a, const element& b) const
    requires has_meet<L>
  {
    if (is_above(a, b)) {
      a = b;
      return true;
    }
    return !is_above(b, a) && !a.is_new && original_.meet(a.value, b.value);
  }

  constexpr bool leq(const element& a, const element& b) const {
    return is_above(b, a) || (a.is_new == b.is_new && less_or_equal(original_, a.value, b.value));
  }

  constexpr bool widen(element& a, const element& b) const
    requires has_widen<L>
  {
    return go_up(a, b, [this](element_of<L>& x, const element_of<L>& y) { return original_.widen(x, y); });
  }

  /// An added top narrows to `b` at once.
  constexpr bool narrow(element& a, const element& b) const
    requires has_narrow<L>
  {
    if (is_above(a, b)) {
      a = b;
      return true;
    }
    return !a.is_new && original_.narrow(a.value, b.value);
  }

  constexpr void print(text_buffer& out, const element& a) const
    requires has_print<L>
  {
    if (a.is_new) {
      append_text(out, Added == extreme::bottom ? "<bottom>" : "<top>");
    } else {
      original_.print(out, a.value);
    }
  }

  /// The parts of elements of `L`; none if one of the two is the added element, which differs as a whole.
  template <class Visit>
  constexpr void explain_difference(const element& a, const element& b, Visit visit) const
    requires has_explain_difference<L>
  {
    if (!a.is_new && !b.is_new) {
      original_.explain_difference(a.value, b.value, visit);
    }
  }

  constexpr void print_part(text_buffer& out, const element& a, std::uint32_t part) const
    requires has_print_part<L>
  {
    original_.print_part(out, a.value, part);
  }

private:
  constexpr element new_element() const { return {original_.bottom(), true}; }

  /// Whether exactly one of them is the added element, and `a` is the greater one.
  static constexpr bool is_above(const element& a, const element& b) {
    return a.is_new != b.is_new && a.is_new == (Added == extreme::top);
  }

  template <class Up> static constexpr bool go_up(element& a, const element& b, Up up) {
    if (is_above(b, a)) {
      a = b;
      return true;
    }
    return !a.is_new && up(a.value, b.value); // a new bottom holds the neutral value
  }

  [[no_unique_address]] L original_;
};

/// `L` with an added bottom.
template <lattice_argument L> using lifted = with_extreme<L, extreme::bottom>;

/// `L` with an added top.
template <lattice_argument L> using topped = with_extreme<L, extreme::top>;

MIDEND_END_NAMESPACE
