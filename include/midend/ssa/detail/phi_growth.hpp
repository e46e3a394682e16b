/// `phi_growth`: how the fact of a phi grows, by its inputs.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/lattice.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ssa/detail/constant_thresholds.hpp"
#include "midend/ssa/detail/fact_traits.hpp"
#include "midend/ssa/detail/growing_facts.hpp"
#include "midend/ssa/detail/ssa_order.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// When phis are widened: see `sccp_options`.
struct widening_steps {
  std::uint32_t widen_after;
  std::uint32_t threshold_steps;
};

/// Joins inputs into phis. Every cycle of values goes through a phi along a retreating edge. So widening along those
/// edges bounds all chains, and inputs along other edges are joined exactly.
template <class IR, class D> class phi_growth {
public:
  using element = element_of<D>;

  /// `known` collects the program's constants on first use.
  constexpr phi_growth(const IR& ir, const D& domain, const ssa_order& order, growing_facts<D> facts,
                       fact_traits traits, widening_steps steps, constant_thresholds& known)
      : ir_(ir), domain_(domain), order_(order), facts_(facts), traits_(traits), steps_(steps), thresholds_(known) {}

  /// Joins `by`, the fact of the input of `phi` for `e`, into that of `phi`. Returns whether this has risen. Notes phis
  /// that it widens.
  constexpr bool grow(value_id phi, const element& by, [[maybe_unused]] edge_id e) const {
    if constexpr (widens<D>) {
      if (order_.is_retreating(ir_.graph().edge_source(e), ir_.graph().edge_target(e))) {
        return grow_around_loop(phi, by);
      }
    }
    return domain_.join(facts_[phi], by);
  }

private:
  constexpr bool grow_around_loop(value_id phi, const element& by) const {
    if (less_or_equal(domain_, by, facts_[phi])) {
      return false;
    }
    const std::uint32_t growths = ++facts_.growths(phi);
    if (growths <= steps_.widen_after) {
      return domain_.join(facts_[phi], by);
    }
    ++facts_.counters().widenings;
    traits_.add(phi, fact_trait::widened);
    if constexpr (has_widen_of_width<D>) {
      const bool may_stop_at_threshold = growths - steps_.widen_after <= steps_.threshold_steps;
      return domain_.widen(ir_.operation(phi).width, facts_[phi], by,
                           may_stop_at_threshold ? thresholds_.get(ir_) : thresholds{});
    } else {
      return domain_.widen(facts_[phi], by);
    }
  }

  const IR& ir_;
  const D& domain_;
  const ssa_order& order_;
  growing_facts<D> facts_;
  fact_traits traits_;
  widening_steps steps_;
  constant_thresholds& thresholds_;
};

} // namespace detail

MIDEND_END_NAMESPACE
