/// `check_lattice`: tests whether a lattice obeys the laws.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/dense_values.hpp"
#include "midend/dataflow/lattice.hpp"
#include "midend/dataflow/lattice_elements.hpp"
#include "midend/dataflow/lattice_laws.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/regular.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Tests a law on given elements, and keeps the two elements that a broken law compared. Trusts `join` and the other
/// members only in the laws about them.
template <lattice L> class lattice_law_test {
public:
  using element = element_of<L>;

  constexpr explicit lattice_law_test(const L& l) : l_(l), left_(l.bottom()), right_(l.bottom()) {}

  constexpr element bottom() const { return l_.bottom(); }

  /// The elements that the last broken law compared.
  constexpr const element& left() const { return left_; }

  constexpr const element& right() const { return right_; }

  /// Whether the lattice has the members that the law is about.
  static constexpr bool offers(lattice_law law) {
    switch (level_of(law)) {
    case lattice_level::order:
      return law != lattice_law::leq_antisymmetric || comparable_type<element>;
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

  /// One step of a chain for `widen_ends` or `narrow_ends`. Returns whether it changed `at`.
  constexpr bool move(lattice_law law, element& at, const element& by) const {
    const element old = at;
    if (law == lattice_law::widen_ends) {
      at = widened(at, by);
    } else if (is_below(by, at)) {
      at = narrowed(at, by);
    }
    return !is_same(at, old);
  }

  /// Whether `a` is strictly closer than `b` to the start of the step.
  constexpr bool is_smaller_step(lattice_law law, const element& a, const element& b) const {
    const bool upwards = law == lattice_law::widen_ends;
    return upwards ? is_below(a, b) && !is_below(b, a) : is_below(b, a) && !is_below(a, b);
  }

  /// x ≤ y, as defined by `join`.
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

  /// The laws about a single step of `widen` or `narrow`.
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
    if constexpr (comparable_type<element>) {
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

template <lattice L, class List> class lattice_checker {
public:
  using element = element_of<L>;

  constexpr lattice_checker(const L& l, const List& elements, std::size_t cases, std::size_t chain)
      : elements_(elements), size_(static_cast<std::size_t>(elements.size())), cases_(cases), chain_(chain), test_(l) {
    for (std::size_t i = 0; i != size_ && i != enough; ++i) {
      first_.push_back(elements[i]);
    }
  }

  constexpr lattice_report<element> run() {
    report_.exhaustive = all_fit(3);
    for (std::size_t i = 0; i != num_lattice_laws; ++i) {
      const auto law = static_cast<lattice_law>(i);
      if (test_.offers(law) && size_ != 0) {
        const auto level = static_cast<std::size_t>(level_of(law));
        report_.tested[level] = true;
        if (!report_.violations[level]) {
          check(law);
        }
      }
    }
    report_.height = size_ == first_.size() ? height() : 0;
    return report_;
  }

private:
  using triple = std::array<std::size_t, 3>;

  static constexpr std::size_t enough = 1024; ///< limit of stored elements, among which chains are searched

  constexpr void check(lattice_law law) {
    if (law_descriptions[static_cast<std::size_t>(law)].is_chain) {
      check_chains(law);
    } else if (all_fit(arity_of(law))) {
      check_all(law);
    } else {
      check_some(law);
    }
  }

  /// Whether the limit allows to test all tuples of `arity` elements.
  constexpr bool all_fit(std::size_t arity) const {
    std::size_t rest = cases_;
    for (std::size_t i = 0; i != arity; ++i) {
      rest /= size_ == 0 ? 1 : size_;
    }
    return rest != 0;
  }

  constexpr bool breaks(lattice_law law, const triple& at) {
    return size_ == first_.size() ? !test_.holds(law, first_[at[0]], first_[at[1]], first_[at[2]])
                                  : !test_.holds(law, elements_[at[0]], elements_[at[1]], elements_[at[2]]);
  }

  constexpr void check_all(lattice_law law) {
    const std::size_t arity = arity_of(law);
    for (std::size_t x = 0; x != size_; ++x) {
      for (std::size_t y = 0; y != (arity > 1 ? size_ : 1); ++y) {
        for (std::size_t z = 0; z != (arity > 2 ? size_ : 1); ++z) {
          if (breaks(law, {x, y, z})) {
            return record_simplest(law, {x, y, z});
          }
        }
      }
    }
  }

  constexpr void check_some(lattice_law law) {
    for (std::size_t i = 0; i != cases_; ++i) {
      triple at{};
      for (std::size_t k = 0; k != arity_of(law); ++k) {
        at[k] = static_cast<std::size_t>(scramble(3 * i + k) % size_);
      }
      if (breaks(law, at)) {
        return record_simplest(law, at);
      }
    }
  }

  /// Replaces elements by simpler ones as long as the law stays broken. Afterwards `test_` holds the elements that the
  /// law compared for the returned tuple.
  constexpr triple shrunk(lattice_law law, triple at) {
    bool simplified = true;
    while (simplified) {
      simplified = false;
      for (std::size_t k = 0; k != arity_of(law); ++k) {
        const auto still_breaks = [&](std::size_t simpler) {
          triple candidate = at;
          candidate[k] = simpler;
          if (!breaks(law, candidate)) {
            return false;
          }
          at = candidate;
          return true;
        };
        simplified |= visit_simpler(elements_, at[k], still_breaks);
      }
    }
    return at;
  }

  constexpr void record_simplest(lattice_law law, const triple& found) {
    const triple at = shrunk(law, found);
    record(law, at, test_.left(), test_.right());
  }

  constexpr void record(lattice_law law, const triple& at, const element& left, const element& right) {
    report_.violations[static_cast<std::size_t>(level_of(law))] =
        lattice_violation<element>{law, at, {elements_[at[0]], elements_[at[1]], elements_[at[2]]}, left, right};
  }

  /// Starts a chain at each element (upwards: at bottom, with that element first), and continues it by the element that
  /// moves it least, until none does or the chain is longer than allowed.
  constexpr void check_chains(lattice_law law) {
    const bool upwards = law == lattice_law::widen_ends;
    std::size_t& longest = upwards ? report_.widenings : report_.narrowings;
    const std::size_t count = first_.size();
    for (std::size_t start = 0; start != count; ++start) {
      element at = upwards ? test_.bottom() : first_[start];
      std::size_t steps = 0;
      std::size_t by = upwards ? start : smallest_step(law, at);
      while (by != count) {
        const element before = at;
        if (!test_.move(law, at, first_[by])) {
          break;
        }
        longest = ++steps > longest ? steps : longest;
        if (steps > chain_) {
          return record(law, {start, by, 0}, before, at);
        }
        by = smallest_step(law, at);
      }
    }
  }

  /// The element that changes `at` least, or the number of elements if none changes it.
  constexpr std::size_t smallest_step(lattice_law law, const element& at) const {
    const std::size_t count = first_.size();
    std::size_t best = count;
    element closest = at;
    for (std::size_t i = 0; i != count; ++i) {
      element moved = at;
      if (test_.move(law, moved, first_[i]) && (best == count || test_.is_smaller_step(law, moved, closest))) {
        best = i;
        closest = moved;
      }
    }
    return best;
  }

  /// The longest ascending chain. An element with fewer elements below it is never above one with more.
  constexpr std::size_t height() {
    flat_array<std::size_t> below(size_, 0);
    for (std::size_t i = 0; i != size_; ++i) {
      for (std::size_t k = 0; k != size_; ++k) {
        below[i] += strictly_below(k, i);
      }
    }
    flat_array<std::size_t> steps(size_, 0);
    std::size_t highest = 0;
    for (std::size_t count = 0; count != size_; ++count) {
      for (std::size_t i = 0; i != size_; ++i) {
        for (std::size_t k = 0; below[i] == count && k != size_; ++k) {
          if (below[k] < count && steps[k] >= steps[i] && strictly_below(k, i)) {
            steps[i] = steps[k] + 1;
          }
        }
        highest = steps[i] > highest ? steps[i] : highest;
      }
    }
    return highest;
  }

  constexpr bool strictly_below(std::size_t i, std::size_t k) const {
    return test_.is_below(first_[i], first_[k]) && !test_.is_below(first_[k], first_[i]);
  }

  const List& elements_;
  dense_values<element> first_; ///< the first elements of the list, which may compute them on each access
  std::size_t size_;
  std::size_t cases_;
  std::size_t chain_;
  lattice_law_test<L> test_;
  lattice_report<element> report_;
};

} // namespace detail

/// Limits of `check_lattice`.
struct lattice_check_limits {
  std::size_t cases = std::size_t{1} << 22; ///< the most tests of one law; all pairs or triples if these are fewer
  std::size_t chain = 64;                   ///< changes allowed in a chain of widenings or narrowings
};

/// Tests the laws of lattices (`lattice_law`) on the elements of a list, for all levels that `l` has the members for.
/// If the list has all elements of a small lattice, this is a proof; on a large lattice it searches for
/// counterexamples.
///
///     const midend::signed_interval l(4);
///     const auto report = midend::check_lattice(l, midend::all_intervals(l));
///     report.ok(), report.violation(midend::lattice_level::join), report.height, …
///
/// A law of one, two or three elements is tested on all elements, pairs or triples; if there are more than
/// `limits.cases`, on that many pseudo-random ones, the same in each call. Chains of widenings (narrowings) are
/// continued by the element of the list that moves them least. For each level, the first broken law in the order of
/// `lattice_law` is reported. Its counterexample is simplified: elements are replaced by earlier ones of the list as
/// long as the law stays broken, so the simplest elements should come first.
///
/// The list must not be empty; it may be incomplete, have duplicates, and need not be closed under `join`. Laws with a
/// condition (x ≤ z and y ≤ z) are tested only where it holds, so the list should have comparable elements.
///
/// O(laws · cases) operations of `l`; O(1024² · chain) for chains and the height, which are searched among the first
/// 1,024 elements.
template <lattice_argument L, element_list_argument<L> List>
constexpr auto check_lattice(const L& l, const List& elements, lattice_check_limits limits = {}) {
  MIDEND_ASSERT(elements.size() != 0, "a list with elements");
  return detail::lattice_checker<L, List>(l, elements, limits.cases, limits.chain).run();
}

MIDEND_END_NAMESPACE
