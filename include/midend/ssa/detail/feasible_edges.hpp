/// `feasible_edges`: the edges that control may take at a branch, by the fact of its condition.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ssa/detail/restricted_facts.hpp"

#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The edges from `n` whose cases the fact `known` of the condition allows, and those without a case if the fact may
/// have further values. A greater fact allows no fewer edges.
///
/// Holds a copy of the fact, because taking an edge may raise the condition. Refers to the IR and the domain.
template <class IR, value_domain D> class feasible_edges {
public:
  using element = element_of<D>;
  using constant_type = domain_constant<D>;

  /// `known` is not bottom; `width` is that of the condition.
  constexpr feasible_edges(const IR& ir, const D& domain, node_id n, unsigned width, const element& known)
      : ir_(ir), domain_(domain), known_(known), n_(n), width_(width) {}

  /// Visits edges with cases before those without. O(edges + cases) time.
  template <class Visit> constexpr void for_each(const Visit& visit) const {
    if constexpr (has_edge_cases<IR>) {
      for_each_of_cases(visit);
    } else {
      std::uint64_t cases = 0;
      for_each_id(ir_.graph().out_edges(n_), [&](edge_id e) {
        if (const std::optional<constant_type> value = ir_.edge_case(e); value && may_be_case(*value)) {
          ++cases;
          visit(e);
        }
      });
      if (cases < size_bound(domain_, width_, known_)) { // values without an edge case of their own are left
        for_each_id(ir_.graph().out_edges(n_), [&](edge_id e) {
          if (!ir_.edge_case(e)) {
            visit(e);
          }
        });
      }
    }
  }

private:
  /// For edges that serve several cases or ranges.
  template <class Visit> constexpr void for_each_of_cases(const Visit& visit) const {
    std::uint64_t listed = 0; // the number of values in the feasible cases, saturating
    bool has_ranges = false;  // among the feasible cases
    bool has_default = false;
    for_each_id(ir_.graph().out_edges(n_), [&](edge_id e) {
      bool has_cases = false;
      bool is_feasible = false;
      for_each_case(ir_, e, [&](const auto& one) {
        has_cases = true;
        if (may_be_case(one)) {
          is_feasible = true;
          const std::uint64_t beyond_first = distance_in_case(one);
          has_ranges = has_ranges || beyond_first != 0;
          listed = listed + beyond_first + 1 > listed ? listed + beyond_first + 1 : ~std::uint64_t{0};
        }
      });
      has_default = has_default || !has_cases;
      if (is_feasible) {
        visit(e);
      }
    });
    if (!has_default) {
      return;
    }
    const bool may_cover = listed >= size_bound(domain_, width_, known_);
    if (!may_cover || (has_ranges && !cases_cover())) {
      for_each_id(ir_.graph().out_edges(n_), [&](edge_id e) {
        bool has_cases = false;
        for_each_case(ir_, e, [&](const auto&) { has_cases = true; });
        if (!has_cases) {
          visit(e);
        }
      });
    }
  }

  constexpr bool may_be_case(const constant_type& value) const { return may_be(domain_, width_, known_, value); }

  constexpr bool may_be_case(const number_range& range) const {
    return range.low == range.high ? may_be(domain_, width_, known_, range.low)
                                   : !is_bottom(domain_, restricted(domain_, known_, range, width_));
  }

  constexpr std::uint64_t distance_in_case(const constant_type&) const { return 0; }

  constexpr std::uint64_t distance_in_case(const number_range& range) const {
    return (range.high - range.low) & low_ones(width_);
  }

  /// Whether each number that the fact allows is in a case. Removes cases from the ends of the fact, in a fixed number
  /// of rounds. The number must not depend on the fact, so that a greater fact is never covered better.
  constexpr bool cases_cover() const {
    element rest = known_;
    for (int round = 0; round != 4 && !is_bottom(domain_, rest); ++round) {
      for_each_id(ir_.graph().out_edges(n_), [&](edge_id e) {
        for_each_case(ir_, e, [&](const auto& one) { remove_range(domain_, rest, as_range(one), width_); });
      });
    }
    return is_bottom(domain_, rest);
  }

  static constexpr number_range as_range(std::uint64_t value) { return {value, value, false}; }

  static constexpr const number_range& as_range(const number_range& range) { return range; }

  const IR& ir_;
  const D& domain_;
  const element known_;
  node_id n_;
  unsigned width_;
};

} // namespace detail

MIDEND_END_NAMESPACE
