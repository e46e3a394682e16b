/// The laws of lattices, each on given elements.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/lattice.hpp"
#include "midend/dataflow/lattice_laws.hpp"

#include <concepts>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Tries a law on elements and keeps the two that a broken one compared. Nothing here believes what `join` and the
/// others say of their changes, except the laws about that.
template <lattice L> class lattice_law_test {
public:
  using element = element_of<L>;

  constexpr explicit lattice_law_test(const L& l) : l_(l), left_(l.bottom()), right_(l.bottom()) {}

  constexpr element bottom() const { return l_.bottom(); }

  /// The elements that the last broken law compared.
  constexpr const element& left() const { return left_; }

  constexpr const element& right() const { return right_; }

  /// Whether the lattice has the members that the law speaks of.
  static constexpr bool offers(lattice_law law) {
    switch (level_of(law)) {
    case lattice_level::order:
      return law != lattice_law::leq_antisymmetric || std::equality_comparable<element>;
    case lattice_level::join:
      return true;
    case lattice_level::meet:
      return law == lattice_law::top_greatest ? has_top<L> : has_meet<L>;
    case lattice_level::distributive:
      return has_meet<L>;
    case lattice_level::widening:
      return has_widen<L>;
    case lattice_level::narrowing:
      return has_narrow<L>;
    }
    return false;
  }

  constexpr bool holds(lattice_law law, const element& x, const element& y, const element& z) {
    switch (level_of(law)) {
    case lattice_level::order:
      return order_holds(law, x, y, z);
    case lattice_level::join:
      return join_holds(law, x, y, z);
    case lattice_level::meet:
    case lattice_level::distributive:
      return meet_holds(law, x, y, z);
    case lattice_level::widening:
    case lattice_level::narrowing:
      return limit_holds(law, x, y);
    }
    return true;
  }

  /// One step of a chain of `widen_ends` or `narrow_ends`; whether it changed `at`.
  constexpr bool move(lattice_law law, element& at, const element& by) const {
    const element old = at;
    if (law == lattice_law::widen_ends) {
      at = widened(at, by);
    } else if (is_below(by, at)) {
      at = narrowed(at, by);
    }
    return !is_same(at, old);
  }

  /// Whether `a` is strictly closer than `b` to where the chain came from.
  constexpr bool is_smaller_step(lattice_law law, const element& a, const element& b) const {
    const bool upwards = law == lattice_law::widen_ends;
    return upwards ? is_below(a, b) && !is_below(b, a) : is_below(b, a) && !is_below(a, b);
  }

  /// x ≤ y by what `join` does.
  constexpr bool is_below(const element& x, const element& y) const { return is_same(joined(y, x), y); }

private:
  constexpr bool order_holds(lattice_law law, const element& x, const element& y, const element& z) {
    const auto leq = [this](const element& a, const element& b) { return less_or_equal(l_, a, b); };
    switch (law) {
    case lattice_law::leq_reflexive:
      return leq(x, x) || broken(x, x);
    case lattice_law::leq_bottom_least:
      return leq(l_.bottom(), x) || broken(l_.bottom(), x);
    case lattice_law::leq_antisymmetric:
      return !leq(x, y) || !leq(y, x) || require_same(x, y);
    case lattice_law::leq_agrees_with_join:
      return leq(x, y) == is_same(joined(x, y), y) || broken(joined(x, y), y);
    default:
      return !leq(x, y) || !leq(y, z) || leq(x, z) || broken(x, z);
    }
  }

  constexpr bool join_holds(lattice_law law, const element& x, const element& y, const element& z) {
    switch (law) {
    case lattice_law::join_idempotent:
      return require_same(joined(x, x), x);
    case lattice_law::join_bottom_neutral:
      return require_same(joined(l_.bottom(), x), x) && require_same(joined(x, l_.bottom()), x);
    case lattice_law::join_says_changed:
      return says_changed(x, [&](element& a) { return l_.join(a, y); });
    case lattice_law::join_upper_bound:
      return require_below(x, joined(x, y)) && require_below(y, joined(x, y));
    case lattice_law::join_commutative:
      return require_same(joined(x, y), joined(y, x));
    case lattice_law::join_associative:
      return require_same(joined(joined(x, y), z), joined(x, joined(y, z)));
    default:
      return !is_below(x, z) || !is_below(y, z) || require_below(joined(x, y), z);
    }
  }

  constexpr bool meet_holds(lattice_law law, const element& x, const element& y, const element& z) {
    if constexpr (has_top<L>) {
      if (law == lattice_law::top_greatest) {
        return require_below(x, l_.top());
      }
    }
    if constexpr (has_meet<L>) {
      switch (law) {
      case lattice_law::meet_idempotent:
        return require_same(met(x, x), x);
      case lattice_law::meet_says_changed:
        return says_changed(x, [&](element& a) { return l_.meet(a, y); });
      case lattice_law::meet_lower_bound:
        return require_below(met(x, y), x) && require_below(met(x, y), y);
      case lattice_law::meet_commutative:
        return require_same(met(x, y), met(y, x));
      case lattice_law::meet_absorbs:
        return require_same(met(x, joined(x, y)), x) && require_same(joined(x, met(x, y)), x);
      case lattice_law::meet_associative:
        return require_same(met(met(x, y), z), met(x, met(y, z)));
      case lattice_law::meet_greatest:
        return !is_below(z, x) || !is_below(z, y) || require_below(z, met(x, y));
      default:
        return require_same(met(x, joined(y, z)), joined(met(x, y), met(x, z)));
      }
    }
    return true;
  }

  /// What is asked of a single step of `widen` and `narrow`.
  constexpr bool limit_holds(lattice_law law, const element& x, const element& y) {
    if constexpr (has_widen<L>) {
      if (law == lattice_law::widen_says_changed) {
        return says_changed(x, [&](element& a) { return l_.widen(a, y); });
      }
      if (law == lattice_law::widen_upper_bound) {
        return require_below(x, widened(x, y)) && require_below(y, widened(x, y));
      }
    }
    if constexpr (has_narrow<L>) {
      if (!is_below(y, x)) {
        return true;
      }
      if (law == lattice_law::narrow_says_changed) {
        return says_changed(x, [&](element& a) { return l_.narrow(a, y); });
      }
      if (law == lattice_law::narrow_between) {
        return require_below(y, narrowed(x, y)) && require_below(narrowed(x, y), x);
      }
    }
    return true;
  }

  constexpr element joined(element a, const element& b) const {
    l_.join(a, b);
    return a;
  }

  constexpr element met(element a, const element& b) const {
    l_.meet(a, b);
    return a;
  }

  constexpr element widened(element a, const element& b) const {
    if constexpr (has_widen<L>) {
      l_.widen(a, b);
    }
    return a;
  }

  constexpr element narrowed(element a, const element& b) const {
    if constexpr (has_narrow<L>) {
      l_.narrow(a, b);
    }
    return a;
  }

  constexpr bool is_same(const element& a, const element& b) const {
    if constexpr (std::equality_comparable<element>) {
      return a == b;
    } else {
      return less_or_equal(l_, a, b) && less_or_equal(l_, b, a);
    }
  }

  template <class Change> constexpr bool says_changed(const element& x, Change change) {
    element after = x;
    const bool said = change(after);
    return said != is_same(x, after) || broken(x, after);
  }

  constexpr bool require_same(const element& a, const element& b) { return is_same(a, b) || broken(a, b); }

  constexpr bool require_below(const element& a, const element& b) { return is_below(a, b) || broken(a, b); }

  constexpr bool broken(const element& left, const element& right) {
    left_ = left;
    right_ = right;
    return false;
  }

  const L& l_;
  element left_;
  element right_;
};

} // namespace detail

MIDEND_END_NAMESPACE
