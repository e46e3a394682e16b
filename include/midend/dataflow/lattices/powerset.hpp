/// `powerset`: sets of facts, joined by union.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/lattice.hpp"
#include "midend/dataflow/text.hpp"
#include "midend/support/bit_row.hpp"
#include "midend/support/bit_set.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The subsets of the numbers below `universe()`, which the object stores: "may hold on some path". The `dual` joins by
/// intersection: "holds on every path". Over any `bit_set`; all elements must have the size of the universe, as
/// `bottom()` and `top()` have. Distributive, of height `universe()`. Each operation is O(universe / 64).
template <bit_set Set = bit_row> class powerset {
public:
  using element = Set;

  constexpr explicit powerset(std::size_t universe) : universe_(universe) {}

  constexpr std::size_t universe() const { return universe_; }

  constexpr element bottom() const {
    element none;
    none.resize(universe_);
    return none;
  }

  constexpr element top() const {
    element all;
    all.resize(universe_, true);
    return all;
  }

  constexpr bool join(element& a, const element& b) const {
    require_elements(a, b);
    return unite(a, b);
  }

  constexpr bool meet(element& a, const element& b) const {
    require_elements(a, b);
    return intersect(a, b);
  }

  constexpr bool leq(const element& a, const element& b) const {
    require_elements(a, b);
    return a.is_subset_of(b);
  }

  /// `{1, 4}`
  constexpr void print(text_buffer& out, const element& a) const {
    text_list list(out, '{');
    for (const std::uint32_t fact : set_bits(a)) {
      list.next();
      append_integer(out, fact);
    }
    list.close('}');
  }

  /// The parts are the facts.
  template <class Visit> constexpr void explain_difference(const element& a, const element& b, Visit visit) const {
    for (std::size_t fact = 0; fact != universe_; ++fact) {
      if (a.test(fact) != b.test(fact)) {
        visit(static_cast<std::uint32_t>(fact), b.test(fact) ? order_relation::less : order_relation::greater);
      }
    }
  }

  constexpr void print_part(text_buffer& out, const element& a, std::uint32_t fact) const {
    append_text(out, a.test(fact) ? "in" : "out");
  }

private:
  constexpr void require_elements([[maybe_unused]] const element& a, [[maybe_unused]] const element& b) const {
    MIDEND_ASSERT(a.size() == universe_ && b.size() == universe_, "sets of the size of the powerset", universe_,
                  a.size() == universe_ ? b.size() : a.size());
  }

  std::size_t universe_;
};

MIDEND_END_NAMESPACE
