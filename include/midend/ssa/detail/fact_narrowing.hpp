/// `fact_narrowing`: regains precision that widening lost.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/fact_array.hpp"
#include "midend/dataflow/lattice.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ssa/detail/growing_facts.hpp"
#include "midend/ssa/detail/ssa_order.hpp"
#include "midend/support/detail/arena.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Recomputes facts that follow from widened ones, from a solution that widening has made larger than the least one.
/// Facts that follow from facts of all runs hold on all runs, so every step is sound and one can stop after any. Nodes
/// and edges stay executable.
///
/// Phis join `arriving_`. Edges that lead back are read first, so when a node is visited, all edges into it have
/// contributed.
template <class IR, class D> class fact_narrowing {
public:
  using element = element_of<D>;

  /// The facts are a fixpoint. Takes memory from `memory`, or `own` if facts are not trivial.
  constexpr fact_narrowing(const IR& ir, const D& domain, const ssa_order& order, growing_facts<D> facts,
                           [[maybe_unused]] fact_array<element>& own, [[maybe_unused]] arena& memory)
      : ir_(ir), domain_(domain), order_(order), facts_(facts) {
    if constexpr (!is_plain<element> || alignof(element) > arena::alignment) {
      own.stretch(order_.num_values(), domain_.bottom());
      arriving_ = own.data();
    } else {
      arriving_ = memory.template array<element>(order_.num_values());
    }
  }

  /// Recomputes each fact once, in the order of visits, if `may_narrow(v)`. Values that are not phis are evaluated by
  /// `evaluate(v)`. O(values + operands) time.
  template <class MayNarrow, class Evaluate>
  constexpr void step(const MayNarrow& may_narrow, const Evaluate& evaluate) const {
    for (const node_id n : order_.postorder()) {
      for_each_phi(ir_, n, [this](value_id phi) { arriving_[phi] = domain_.bottom(); });
    }
    for (const node_id n : order_.postorder()) {
      join_from(n, true, may_narrow);
    }
    for (std::uint32_t position = 0; position != order_.num_positions(); ++position) {
      const std::uint32_t item = order_.item(position);
      if (order_.is_end(item)) {
        join_from(order_.node_of_end(item), false, may_narrow);
      } else if (may_narrow(item) && facts_.visits(item) != 0 && !domain_.as_constant(facts_[item])) {
        lower(item, ir_.is_phi(item) ? arriving_[item] : evaluate(item));
      }
    }
  }

private:
  /// Joins the inputs of phis for the executable edges from `n` that lead back, or for the others. An edge leads back
  /// if its target comes no later.
  template <class MayNarrow> constexpr void join_from(node_id n, bool back, const MayNarrow& may_narrow) const {
    for_each_id(ir_.graph().out_edges(n), [&](edge_id e) {
      const auto target = static_cast<node_id>(ir_.graph().edge_target(e));
      if (!facts_.is_executable_edge(e) || (order_.first_position(target) <= order_.first_position(n)) != back) {
        return;
      }
      for_each_phi(ir_, target, [&](value_id phi) {
        const auto input = may_narrow(phi) ? static_cast<value_id>(ir_.phi_input(phi, e)) : no_value;
        if (input != no_value) {
          domain_.join(arriving_[phi], facts_[input]);
        }
      });
    });
  }

  constexpr void lower(value_id v, const element& found) const {
    if (!is_bottom(domain_, found) && less_or_equal(domain_, found, facts_[v])) {
      facts_[v] = found;
    }
  }

  const IR& ir_;
  const D& domain_;
  const ssa_order& order_;
  growing_facts<D> facts_;
  element* arriving_; ///< by phi: the join of its inputs
};

} // namespace detail

MIDEND_END_NAMESPACE
