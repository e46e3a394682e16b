/// What widening gave away, won back: a step of `sccp`.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ssa/detail/sccp_evaluation.hpp"
#include "midend/ssa/detail/sccp_state.hpp"
#include "midend/ssa/detail/ssa_uses.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Works all facts out anew from a solution, which widening has made greater than the least one. What follows from
/// facts that hold on all runs holds on all runs, so each step is sound and one can stop after any. Nodes and edges
/// stay executable.
template <class IR, class D> class sccp_descent : protected sccp_evaluation<IR, D> {
  using base = sccp_evaluation<IR, D>;

protected:
  using base::domain_;
  using base::evaluate;
  using base::fact;
  using base::ir_;
  using base::layout_;
  using base::memory_;
  using base::out_;

  using base::base;

  /// One sweep in the order of the layout. Phis get what edges bring, those that lead back first: by the time a node is
  /// visited, all edges into it have brought what they can.
  constexpr void descend() {
    memory_.arriving.assign(layout_.num_values(), domain_.bottom());
    for (std::uint32_t position = 0; position != layout_.num_positions(); ++position) {
      for_each_taken_edge(layout_.item(position), [this](edge_id e, bool leads_back) {
        if (leads_back) {
          bring(e);
        }
      });
    }
    for (std::uint32_t position = 0; position != layout_.num_positions(); ++position) {
      const std::uint32_t item = layout_.item(position);
      if (!layout_.is_end(item) && out_.visits[item] != 0) {
        lower(item, ir_.is_phi(item) ? memory_.arriving.data()[item] : evaluate(item));
      }
      for_each_taken_edge(item, [this](edge_id e, bool leads_back) {
        if (!leads_back) {
          bring(e);
        }
      });
    }
  }

private:
  /// Of the node whose end the item is. Back is what leads to a node that is not visited later.
  template <class Visit> constexpr void for_each_taken_edge(std::uint32_t item, Visit visit) {
    if (!layout_.is_end(item)) {
      return;
    }
    const node_id n = layout_.node_of_end(item);
    for_each_id(ir_.graph().out_edges(n), [&](edge_id e) {
      if (out_.executable_edges.test(e)) {
        const auto target = static_cast<node_id>(ir_.graph().edge_target(e));
        visit(e, layout_.first_position(target) <= layout_.first_position(n));
      }
    });
  }

  constexpr void bring(edge_id e) {
    for_each_phi(ir_, static_cast<node_id>(ir_.graph().edge_target(e)), [&](value_id phi) {
      const auto input = static_cast<value_id>(ir_.phi_input(phi, e));
      if (input != no_value) {
        domain_.join(memory_.arriving.data()[phi], fact(input));
      }
    });
  }

  constexpr void lower(value_id v, const element_of<D>& found) {
    if (!is_bottom(domain_, found) && less_or_equal(domain_, found, fact(v))) {
      fact(v) = found;
    }
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
