/// The algorithm of `sccp`.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ssa/detail/sccp_descent.hpp"
#include "midend/ssa/detail/sccp_state.hpp"
#include "midend/ssa/detail/ssa_uses.hpp"
#include "midend/ssa/sccp_options.hpp"
#include "midend/ssa/sccp_result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// The steps are those of the paper: edges and values wait to be visited, here as the items of a layout, of which
/// those whose operands or edges have changed are pending. Sweeps go through them in the order of the layout.
template <class IR, class D> class sccp_solver : sccp_descent<IR, D> {
  using base = sccp_descent<IR, D>;
  using base::descend;
  using base::domain_;
  using base::evaluate;
  using base::fact;
  using base::finish;
  using base::ir_;
  using base::is_undefined;
  using base::is_unknown;
  using base::layout_;
  using base::memory_;
  using base::num_nodes;
  using base::options_;
  using base::out_;
  using base::start;
  using base::widens;

public:
  using element = element_of<D>;
  using constant_type = domain_constant<D>;

  constexpr sccp_solver(const IR& ir, const D& domain, const sccp_options& options, sccp_memory<D>& memory,
                        sccp_columns<D>& out)
      : base(ir, domain, options, memory, out) {}

  /// The result is about the first `num_values` values.
  constexpr void run(std::size_t num_values) {
    out_.num_values = num_values;
    layout_.assign(ir_, options_.order);
    memory_.uses.assign(ir_, layout_);
    start();
    if (num_nodes() != 0) {
      enter(static_cast<node_id>(ir_.graph().entry()));
    }
    while (drain() && resolve()) {
    }
    for (std::uint32_t i = 0; out_.counters.widenings != 0 && i != options_.narrowing_steps; ++i) {
      descend();
    }
    finish();
  }

private:
  /// Visits what is pending until nothing is; false if the run has failed.
  constexpr bool drain() {
    return memory_.pending.drain([this](std::uint32_t position) {
      const std::uint32_t item = layout_.item(position);
      if (layout_.is_end(item)) {
        visit_end(layout_.node_of_end(item));
      } else {
        visit_value(item);
      }
      return out_.broken_value == no_value;
    });
  }

  // Flow.

  /// Control may come to `n`: everything in it is to be visited.
  constexpr void enter(node_id n) {
    out_.executable_nodes.set(n);
    std::uint32_t last = layout_.last_position(n);
    if constexpr (has_never_returns<IR>) {
      last = last_before_stop(n, last);
    }
    for (std::uint32_t position = layout_.first_position(n); position <= last; ++position) {
      memory_.pending.insert(position);
    }
  }

  /// The position of the first value of `n` past which control does not go, or `last`.
  constexpr std::uint32_t last_before_stop(node_id n, std::uint32_t last) const {
    for (std::uint32_t position = layout_.first_position(n); position != last; ++position) {
      if (ir_.never_returns(layout_.item(position))) {
        return position;
      }
    }
    return last;
  }

  /// Control may go by `e`: the phis behind it take over what they are on arrival.
  constexpr void take(edge_id e) {
    if (out_.executable_edges.test(e)) {
      return;
    }
    out_.executable_edges.set(e);
    ++out_.counters.edge_visits;
    const auto target = static_cast<node_id>(ir_.graph().edge_target(e));
    for_each_phi(ir_, target, [&](value_id phi) { raise_phi(phi, ir_.phi_input(phi, e), e); });
    if (!out_.executable_nodes.test(target)) {
      enter(target);
    }
  }

  /// Takes the edges that the condition allows.
  constexpr void visit_end(node_id n) {
    ++memory_.end_visits[n];
    ++out_.counters.branch_visits;
    const value_id condition = ir_.condition(n);
    if (condition == no_value) {
      for_each_id(ir_.graph().out_edges(n), [this](edge_id e) { take(e); });
    } else if (!is_unknown(condition)) {
      take_feasible_edges(n, condition);
    } else if (out_.undefined.test(condition)) {
      memory_.waiting.push_back(layout_.end_of(n));
    }
  }

  constexpr void take_feasible_edges(node_id n, value_id condition) {
    const element known = fact(condition); // a copy, because edges may raise the condition
    const unsigned width = ir_.operation(condition).width;
    std::uint64_t cases = 0;
    for_each_id(ir_.graph().out_edges(n), [&](edge_id e) {
      if (const std::optional<constant_type> value = ir_.edge_case(e); value && may_be(domain_, width, known, *value)) {
        ++cases;
        take(e);
      }
    });
    if (cases < size_bound(domain_, width, known)) { // it may be something else
      for_each_id(ir_.graph().out_edges(n), [&](edge_id e) {
        if (!ir_.edge_case(e)) {
          take(e);
        }
      });
    }
  }

  // Values.

  constexpr void visit_value(value_id v) {
    ++out_.visits[v];
    ++out_.counters.value_visits;
    if (ir_.is_phi(v)) { // has risen already
      announce(v);
      return;
    }
    const element found = evaluate(v);
    if (options_.checked && !less_or_equal(domain_, fact(v), found)) {
      out_.broken_value = v;
    } else if (domain_.join(fact(v), found)) {
      announce(v);
    } else if (is_unknown(v)) {
      wait_or_pass_on(v);
    }
  }

  /// Tells everybody who reads `v` and has been visited. Who has not, will be.
  constexpr void announce(value_id v) {
    for (const ssa_use use : memory_.uses.of(v)) {
      ++out_.counters.use_visits;
      if (use.edge != no_edge) {
        if (out_.executable_edges.test(use.edge)) {
          raise_phi(use.item, v, use.edge);
        }
      } else if (was_visited(use.item)) {
        memory_.pending.insert(layout_.position(use.item));
      }
    }
  }

  constexpr bool was_visited(std::uint32_t item) const {
    return layout_.is_end(item) ? memory_.end_visits[layout_.node_of_end(item)] != 0 : out_.visits[item] != 0;
  }

  /// Joins what a phi is on arrival by an executable edge.
  constexpr void raise_phi(value_id phi, value_id input, edge_id e) {
    if (input == no_value) { // not set
      return;
    }
    if (is_unknown(input)) {
      if (is_undefined(input) && !out_.undefined.test(phi)) {
        out_.undefined.set(phi);
        memory_.pending.insert(layout_.position(phi));
      }
    } else if (grow(phi, fact(input), e)) {
      memory_.pending.insert(layout_.position(phi));
    }
  }

  constexpr bool grow(value_id phi, const element& by, [[maybe_unused]] edge_id e) {
    if constexpr (widens) {
      if (layout_.is_retreating(ir_.graph().edge_source(e), ir_.graph().edge_target(e))) {
        return grow_around_loop(phi, by);
      }
    }
    return domain_.join(fact(phi), by);
  }

  /// Every cycle of values comes around by such an edge, so what is widened there cannot climb for ever; and what
  /// other edges bring need not be.
  constexpr bool grow_around_loop(value_id phi, const element& by) {
    if (less_or_equal(domain_, by, fact(phi))) {
      return false;
    }
    std::uint32_t& growths = out_.widenings[phi];
    ++growths;
    if (growths <= options_.widen_after) {
      return domain_.join(fact(phi), by);
    }
    ++out_.counters.widenings;
    const bool stops_on_the_way = growths - options_.widen_after <= options_.threshold_steps;
    return domain_.widen(ir_.operation(phi).width, fact(phi), by,
                         stops_on_the_way ? memory_.thresholds.get(ir_) : thresholds{});
  }

  // What waits.

  /// A copy of `undef` is `undef`; what else reads one waits for its other operands first, and so does what only the IR
  /// knows to compute. Known operations whose operands have no value have none themselves.
  constexpr void wait_or_pass_on(value_id v) {
    const operation code = ir_.operation(v).code;
    bool reads_undefined = false;
    for_each_id(ir_.operands(v), [&](value_id operand) { reads_undefined = reads_undefined || is_undefined(operand); });
    if (code == operation::copy && reads_undefined) {
      if (!out_.undefined.test(v)) {
        out_.undefined.set(v);
        announce(v);
      }
    } else if (code == operation::other || reads_undefined) {
      memory_.waiting.push_back(v);
    }
  }

  /// When nothing else moves, `undef` is top for the operations that wait for it, whatever has no value is so for those
  /// that only the IR knows, and branches on `undef` go where the policy says. Not before, so that it does not depend
  /// on the order of visits what they wait for. Whether that changed anything.
  constexpr bool resolve() {
    bool changed = false;
    for (std::size_t i = 0, count = memory_.waiting.size(); i != count; ++i) {
      const std::uint32_t item = memory_.waiting[i];
      changed |= layout_.is_end(item) ? resolve_branch(layout_.node_of_end(item)) : resolve_value(item);
    }
    memory_.waiting.clear();
    return changed;
  }

  constexpr bool resolve_value(value_id v) {
    if (!is_unknown(v) || memory_.resolved.test(v)) {
      return false;
    }
    memory_.resolved.set(v);
    memory_.pending.insert(layout_.position(v));
    return true;
  }

  constexpr bool resolve_branch(node_id n) {
    if (!is_unknown(ir_.condition(n)) || options_.branch_on_undefined == undef_branch::none) {
      return false;
    }
    bool is_wanted = true;
    for_each_id(ir_.graph().out_edges(n), [&](edge_id e) {
      if (is_wanted) {
        take(e);
      }
      is_wanted = options_.branch_on_undefined == undef_branch::all;
    });
    return true;
  }
};

} // namespace detail

MIDEND_END_NAMESPACE
