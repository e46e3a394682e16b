/// `dual`: a lattice in the opposite order.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/lattice.hpp"

#include <cstdint>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// The elements of `L` in the opposite order: `join` is the meet of `L`, and bottom its top. Turns a may-analysis into
/// a must-analysis: `dual<powerset<>>` joins by intersection and starts with all facts. It has no `widen` and no
/// `narrow`, because those of `L` move in the opposite direction.
template <bounded_lattice_argument L> class dual {
public:
  using element = element_of<L>;

  constexpr dual() = default;

  constexpr explicit dual(L original) : original_(std::move(original)) {}

  /// The original lattice.
  constexpr const L& original() const { return original_; }

  constexpr element bottom() const { return original_.top(); }

  constexpr element top() const { return original_.bottom(); }

  constexpr bool join(element& a, const element& b) const { return original_.meet(a, b); }

  constexpr bool meet(element& a, const element& b) const { return original_.join(a, b); }

  constexpr bool leq(const element& a, const element& b) const { return less_or_equal(original_, b, a); }

  constexpr void print(text_buffer& out, const element& a) const
    requires has_print<L>
  {
    original_.print(out, a);
  }

  template <class Visit>
  constexpr void explain_difference(const element& a, const element& b, Visit visit) const
    requires has_explain_difference<L>
  {
    original_.explain_difference(b, a, visit);
  }

  constexpr void print_part(text_buffer& out, const element& a, std::uint32_t part) const
    requires has_print_part<L>
  {
    original_.print_part(out, a, part);
  }

private:
  [[no_unique_address]] L original_;
};

MIDEND_END_NAMESPACE
