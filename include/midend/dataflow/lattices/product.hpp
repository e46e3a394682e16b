/// `product`: two facts side by side.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/lattice.hpp"
#include "midend/dataflow/text.hpp"

#include <cstdint>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// Pairs of an element of `A` and one of `B`, compared and joined part by part; for three use `product<A, product<B,
/// C>>`. Has the optional members that both have. Its height is the sum of theirs; it is distributive if both are.
/// Elements are trivially copyable if both are. For parts that sharpen each other see `reduced_product`.
template <lattice_argument A, lattice_argument B> class product {
public:
  struct element {
    element_of<A> first;
    element_of<B> second;

    friend constexpr bool operator==(const element&, const element&) = default;
  };

  constexpr product() = default;

  constexpr product(A first, B second) : first_(std::move(first)), second_(std::move(second)) {}

  constexpr const A& first() const { return first_; }

  constexpr const B& second() const { return second_; }

  constexpr element pair(element_of<A> a, element_of<B> b) const { return {std::move(a), std::move(b)}; }

  constexpr element bottom() const { return {first_.bottom(), second_.bottom()}; }

  constexpr element top() const
    requires(has_top<A> && has_top<B>)
  {
    return {first_.top(), second_.top()};
  }

  constexpr bool join(element& a, const element& b) const {
    const bool changed = first_.join(a.first, b.first);
    return second_.join(a.second, b.second) || changed;
  }

  constexpr bool meet(element& a, const element& b) const
    requires(has_meet<A> && has_meet<B>)
  {
    const bool changed = first_.meet(a.first, b.first);
    return second_.meet(a.second, b.second) || changed;
  }

  constexpr bool leq(const element& a, const element& b) const {
    return less_or_equal(first_, a.first, b.first) && less_or_equal(second_, a.second, b.second);
  }

  /// Widens the parts that have `widen` and joins the others, which is enough if their chains are short. Exists if
  /// either part has `widen`.
  constexpr bool widen(element& a, const element& b) const
    requires(has_widen<A> || has_widen<B>)
  {
    const bool changed = widen_or_join(first_, a.first, b.first);
    return widen_or_join(second_, a.second, b.second) || changed;
  }

  /// Narrows the parts that have `narrow` and leaves the others.
  constexpr bool narrow(element& a, const element& b) const
    requires(has_narrow<A> || has_narrow<B>)
  {
    const bool changed = narrow_or_stay(first_, a.first, b.first);
    return narrow_or_stay(second_, a.second, b.second) || changed;
  }

  /// `(x, y)`
  constexpr void print(text_buffer& out, const element& a) const
    requires(has_print<A> && has_print<B>)
  {
    text_list list(out, '(');
    list.next();
    first_.print(out, a.first);
    list.next();
    second_.print(out, a.second);
    list.close(')');
  }

  /// The parts are 0, the first, and 1, the second.
  template <class Visit> constexpr void explain_difference(const element& a, const element& b, Visit visit) const {
    visit_if_different(0, compare(first_, a.first, b.first), visit);
    visit_if_different(1, compare(second_, a.second, b.second), visit);
  }

  constexpr void print_part(text_buffer& out, const element& a, std::uint32_t part) const
    requires(has_print<A> && has_print<B>)
  {
    if (part == 0) {
      first_.print(out, a.first);
    } else {
      second_.print(out, a.second);
    }
  }

private:
  template <class L> static constexpr bool widen_or_join(const L& l, element_of<L>& a, const element_of<L>& b) {
    if constexpr (has_widen<L>) {
      return l.widen(a, b);
    } else {
      return l.join(a, b);
    }
  }

  template <class L>
  static constexpr bool narrow_or_stay([[maybe_unused]] const L& l, [[maybe_unused]] element_of<L>& a,
                                       [[maybe_unused]] const element_of<L>& b) {
    if constexpr (has_narrow<L>) {
      return l.narrow(a, b);
    } else {
      return false;
    }
  }

  template <class Visit>
  static constexpr void visit_if_different(std::uint32_t part, order_relation relation, Visit& visit) {
    if (relation != order_relation::equal) {
      visit(part, relation);
    }
  }

  [[no_unique_address]] A first_;
  [[no_unique_address]] B second_;
};

MIDEND_END_NAMESPACE
