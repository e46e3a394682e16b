/// `reduced_product`: two facts about one thing that sharpen each other.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/lattice.hpp"
#include "midend/dataflow/lattices/product.hpp"

#include <concepts>
#include <cstdint>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// `reduce(a, b)` lowers each element by what the other implies, and returns whether that changed one.
template <class Reduce, class A, class B>
concept reduction_of = requires(const Reduce& reduce, element_of<A>& a, element_of<B>& b) {
  { reduce(a, b) } -> std::same_as<bool>;
};

/// The reduced pairs of `product<A, B>`: those in which neither part implies more about the other. For a number of
/// three bits, for example, the interval [4, 7] and "bit 2 is set" imply each other. Cousot, Cousot, "Systematic design
/// of program analysis frameworks", POPL 1979. The user gives the reduction; it is applied until nothing changes.
///
/// Requires that `Reduce` keeps the meaning of a pair, never raises a part, is monotone, and that repeating it ends.
/// Then the reduced pairs form a lattice with the join of the product. Proof: let x and y be reduced. By monotonicity,
/// reducing x ∨ y gives a pair above the reduction of x, which is x, and above y. It is not above x ∨ y, so it is x ∨
/// y. A meet has to be reduced.
///
/// The results of `widen` and `narrow` are not reduced: a reduction could undo a widening, and chains would not end.
/// Transfer functions call `reduce` on their results.
template <lattice_argument A, lattice_argument B, reduction_of<A, B> Reduce> class reduced_product {
public:
  using element = typename product<A, B>::element;

  constexpr reduced_product() = default;

  constexpr reduced_product(A first, B second, Reduce reduction = {})
      : pairs_(std::move(first), std::move(second)), reduction_(std::move(reduction)) {}

  constexpr const A& first() const { return pairs_.first(); }

  constexpr const B& second() const { return pairs_.second(); }

  /// Reduces the parts by each other until nothing changes; returns whether one changed.
  constexpr bool reduce(element& a) const {
    bool changed = false;
    while (reduction_(a.first, a.second)) {
      changed = true;
    }
    return changed;
  }

  /// The pair, reduced.
  constexpr element pair(element_of<A> a, element_of<B> b) const { return reduced({std::move(a), std::move(b)}); }

  constexpr element bottom() const { return reduced(pairs_.bottom()); }

  constexpr element top() const
    requires has_top<product<A, B>>
  {
    return reduced(pairs_.top());
  }

  constexpr bool join(element& a, const element& b) const { return pairs_.join(a, b); }

  constexpr bool meet(element& a, const element& b) const
    requires has_meet<product<A, B>>
  {
    const bool changed = pairs_.meet(a, b);
    if (changed) {
      reduce(a);
    }
    return changed;
  }

  constexpr bool leq(const element& a, const element& b) const { return pairs_.leq(a, b); }

  constexpr bool widen(element& a, const element& b) const
    requires has_widen<product<A, B>>
  {
    return pairs_.widen(a, b);
  }

  constexpr bool narrow(element& a, const element& b) const
    requires has_narrow<product<A, B>>
  {
    return pairs_.narrow(a, b);
  }

  constexpr void print(text_buffer& out, const element& a) const
    requires has_print<product<A, B>>
  {
    pairs_.print(out, a);
  }

  /// The parts are 0, the first, and 1, the second.
  template <class Visit> constexpr void explain_difference(const element& a, const element& b, Visit visit) const {
    pairs_.explain_difference(a, b, visit);
  }

  constexpr void print_part(text_buffer& out, const element& a, std::uint32_t part) const
    requires has_print_part<product<A, B>>
  {
    pairs_.print_part(out, a, part);
  }

private:
  constexpr element reduced(element a) const {
    reduce(a);
    return a;
  }

  [[no_unique_address]] product<A, B> pairs_;
  [[no_unique_address]] Reduce reduction_;
};

MIDEND_END_NAMESPACE
