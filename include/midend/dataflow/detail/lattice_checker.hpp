/// How `check_lattice` tries the laws on elements, looks for long chains, and shrinks a counterexample.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/dense_values.hpp"
#include "midend/dataflow/detail/lattice_law_test.hpp"
#include "midend/dataflow/lattice.hpp"
#include "midend/dataflow/lattice_elements.hpp"
#include "midend/dataflow/lattice_laws.hpp"
#include "midend/support/flat_array.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

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

  static constexpr std::size_t enough = 1024; ///< elements to keep, and to look for chains in

  constexpr void check(lattice_law law) {
    if (law_descriptions[static_cast<std::size_t>(law)].is_chain) {
      check_chains(law);
    } else if (all_fit(arity_of(law))) {
      check_all(law);
    } else {
      check_some(law);
    }
  }

  /// Whether the list to the power of `arity` is within the limit.
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

  /// Replaces one element after the other by a simpler one for which the law is broken too, until there is none. The
  /// elements that a broken law compared last are then those of what is returned.
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

  /// Starts a chain at each element, on its way up from bottom if it goes up, and drives it on by the element that
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

  /// The element that changes `at` and leaves it closest to where it was, or their number if none changes it.
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

  /// The longest path upwards. An element with fewer elements below it is never above one with more.
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
  dense_values<element> first_; ///< the first elements of the list, since it may compute them each time
  std::size_t size_;
  std::size_t cases_;
  std::size_t chain_;
  lattice_law_test<L> test_;
  lattice_report<element> report_;
};

} // namespace detail

MIDEND_END_NAMESPACE
