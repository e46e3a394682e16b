/// The algorithm of `sccp`.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/pending_set.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ssa/detail/branch_conditions.hpp"
#include "midend/ssa/detail/constant_thresholds.hpp"
#include "midend/ssa/detail/ssa_uses.hpp"
#include "midend/ssa/sccp_options.hpp"
#include "midend/ssa/sccp_result.hpp"
#include "midend/support/bit_row.hpp"
#include "midend/support/bit_set.hpp"
#include "midend/support/flat_array.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// `implied(v)` is what is known of a value that is a copy of another one behind a branch, or null.
template <class IR>
concept has_implied = requires(const IR& ir, value_id v) {
  { ir.implied(v) } -> std::convertible_to<const branch_fact<constant_of<IR>>*>;
};

/// Memory of a solver.
template <class Constant> struct sccp_memory {
  ssa_layout layout;
  ssa_uses uses;
  pending_set pending;
  flat_array<std::uint32_t> end_visits; ///< by node
  flat_array<std::uint32_t> waiting;    ///< items that wait for what is undefined
  bit_row resolved;                     ///< values that wait no longer: to them, undefined operands are top
  constant_thresholds thresholds;
  std::vector<Constant> constants; ///< the operands of what is being folded
};

/// The steps are those of the paper: edges and values wait to be visited, here as the items of a layout, of which
/// those whose operands or edges have changed are pending. Sweeps go through them in the order of the layout.
template <class IR, class D> class sccp_solver {
public:
  using element = element_of<D>;
  using constant_type = domain_constant<D>;

  constexpr sccp_solver(const IR& ir, const D& domain, const sccp_options& options, sccp_memory<constant_type>& memory,
                        sccp_result<D>& out)
      : ir_(ir), domain_(domain), options_(options), memory_(memory), layout_(memory.layout), out_(out) {}

  /// The result is about the first `num_values` values.
  constexpr void run(std::size_t num_values) {
    out_.num_values_ = num_values;
    layout_.assign(ir_, options_.order);
    memory_.uses.assign(ir_, layout_);
    start();
    if (num_nodes() != 0) {
      enter(static_cast<node_id>(ir_.graph().entry()));
    }
    while (drain() && resolve_undefined()) {
    }
    finish();
  }

private:
  static constexpr bool widens = has_widen_of_width<D>;

  constexpr std::size_t num_nodes() const { return static_cast<std::size_t>(ir_.graph().num_nodes()); }

  /// Nothing is executed and nothing known but of what stands in no node.
  constexpr void start() {
    const value_id count = layout_.num_values();
    out_.domain_ = domain_;
    out_.facts_.assign(count, domain_.bottom());
    clear(out_.executable_nodes_, num_nodes());
    clear(out_.executable_edges_, static_cast<std::size_t>(ir_.graph().num_edges()));
    clear(out_.undefined_, count);
    out_.visits_.assign(count, 0);
    out_.widenings_.assign(widens ? count : 0, 0);
    out_.counters_ = {};
    out_.broken_value_ = no_value;
    out_.epoch_ = graph_epoch(ir_.graph());
    memory_.end_visits.assign(num_nodes(), 0);
    memory_.pending.assign(layout_.num_positions(), false);
    memory_.waiting.clear();
    clear(memory_.resolved, count);
    for (value_id v = 0; v != count; ++v) {
      if (layout_.position(v) == ssa_layout::none) {
        start_literal(v);
      }
    }
    const auto nodes = static_cast<node_id>(num_nodes());
    for (node_id n = 0; n != nodes; ++n) {
      if (!layout_.is_reachable(n)) {
        for_each_id(ir_.values(n), [this](value_id v) { fact(v) = domain_.bottom(); });
      }
    }
    if constexpr (widens) {
      memory_.thresholds.assign(ir_);
    }
  }

  static constexpr void clear(bit_row& bits, std::size_t count) {
    bits.resize(count);
    bits.reset();
  }

  constexpr void start_literal(value_id v) {
    if (may_choose(v)) {
      out_.undefined_.set(v);
    } else {
      fact(v) = constant_or_top(v, ir_.constant(v));
    }
  }

  /// Whether `v` is a literal `undef` that is taken for whatever is convenient.
  constexpr bool may_choose([[maybe_unused]] value_id v) const {
    if constexpr (has_is_undefined<IR>) {
      return options_.undefined == undef_policy::any_value && ir_.is_undefined(v);
    } else {
      return false;
    }
  }

  /// Visits what is pending until nothing is; false if the run has failed.
  constexpr bool drain() {
    return memory_.pending.drain([this](std::uint32_t position) {
      const std::uint32_t item = layout_.item(position);
      if (layout_.is_end(item)) {
        visit_end(layout_.node_of_end(item));
      } else {
        visit_value(item);
      }
      return out_.broken_value_ == no_value;
    });
  }

  // Flow.

  /// Control may come to `n`: everything in it is to be visited.
  constexpr void enter(node_id n) {
    out_.executable_nodes_.set(n);
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
    if (out_.executable_edges_.test(e)) {
      return;
    }
    out_.executable_edges_.set(e);
    ++out_.counters_.edge_visits;
    const auto target = static_cast<node_id>(ir_.graph().edge_target(e));
    for_each_phi(ir_, target, [&](value_id phi) { raise_phi(phi, ir_.phi_input(phi, e), e); });
    if (!out_.executable_nodes_.test(target)) {
      enter(target);
    }
  }

  /// Takes the edges that the condition allows.
  constexpr void visit_end(node_id n) {
    ++memory_.end_visits[n];
    ++out_.counters_.branch_visits;
    const value_id condition = ir_.condition(n);
    if (condition == no_value) {
      for_each_id(ir_.graph().out_edges(n), [this](edge_id e) { take(e); });
    } else if (!is_unknown(condition)) {
      take_feasible_edges(n, condition);
    } else if (out_.undefined_.test(condition)) {
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

  constexpr element& fact(value_id v) { return out_.facts_.data()[v]; }

  constexpr bool is_unknown(value_id v) { return is_bottom(domain_, fact(v)); }

  constexpr element constant_or_top(value_id v, const std::optional<constant_type>& c) const {
    const unsigned width = ir_.operation(v).width;
    return c ? domain_.constant(width, *c) : domain_.top(width);
  }

  constexpr void visit_value(value_id v) {
    ++out_.visits_[v];
    ++out_.counters_.value_visits;
    if (ir_.is_phi(v)) { // has risen already
      announce(v);
      return;
    }
    const element found = evaluate(v);
    if (options_.checked && !less_or_equal(domain_, fact(v), found)) {
      out_.broken_value_ = v;
    } else if (domain_.join(fact(v), found)) {
      announce(v);
    } else if (options_.undefined == undef_policy::any_value && is_unknown(v)) {
      wait_or_pass_on(v);
    }
  }

  constexpr element evaluate(value_id v) {
    if constexpr (has_implied<IR>) {
      if (const auto* const implied = ir_.implied(v)) {
        return sharpened(*implied);
      }
    }
    if constexpr (has_value_transfer<D>) {
      const operation_info info = ir_.operation(v);
      if (info.code != operation::other) {
        return transfer(v, info);
      }
    }
    return fold(v);
  }

  constexpr element transfer(value_id v, const operation_info& info) {
    std::array<element, 3> args{domain_.bottom(), domain_.bottom(), domain_.bottom()};
    std::size_t count = 0;
    const std::size_t wanted = arity(info.code);
    for_each_id(ir_.operands(v), [&](value_id operand) {
      if (count != wanted) {
        args[count++] = has_become_top(v, operand) ? domain_.top(ir_.operation(operand).width) : fact(operand);
      }
    });
    MIDEND_ASSERT(count == wanted, "as many operands as the operation needs", v, count);
    return domain_.transfer(info, std::span<const element>(args.data(), count));
  }

  /// What only the IR knows to compute, and only from constants.
  constexpr element fold(value_id v) {
    if (const std::optional<constant_type> literal = ir_.constant(v)) {
      return constant_or_top(v, literal);
    }
    bool waits = false;
    bool varies = false;
    memory_.constants.clear();
    for_each_id(ir_.operands(v), [&](value_id operand) {
      if (has_become_top(v, operand)) {
        varies = true;
      } else if (is_unknown(operand)) {
        waits = true;
      } else if (const std::optional<constant_type> c = domain_.as_constant(fact(operand))) {
        memory_.constants.push_back(*c);
      } else {
        varies = true;
      }
    });
    if (waits) {
      return domain_.bottom();
    }
    return constant_or_top(v, varies ? std::nullopt : ir_.fold(v, std::span<const constant_type>(memory_.constants)));
  }

  /// A copy behind a branch. Nothing, as long as nothing is known of what it is compared with.
  constexpr element sharpened(const branch_fact<constant_type>& implied) {
    element subject = fact(implied.subject);
    element other = implied.constant ? domain_.constant(implied.width, *implied.constant) : fact(implied.other);
    if (is_bottom(domain_, subject) || is_bottom(domain_, other)) {
      return domain_.bottom();
    }
    if constexpr (has_assume<D>) {
      domain_.assume(implied.code, implied.width, subject, other);
    }
    return subject;
  }

  /// Tells everybody who reads `v` and has been visited. Who has not, will be.
  constexpr void announce(value_id v) {
    for (const ssa_use use : memory_.uses.of(v)) {
      ++out_.counters_.use_visits;
      if (use.edge != no_edge) {
        if (out_.executable_edges_.test(use.edge)) {
          raise_phi(use.item, v, use.edge);
        }
      } else if (was_visited(use.item)) {
        memory_.pending.insert(layout_.position(use.item));
      }
    }
  }

  constexpr bool was_visited(std::uint32_t item) const {
    return layout_.is_end(item) ? memory_.end_visits[layout_.node_of_end(item)] != 0 : out_.visits_[item] != 0;
  }

  /// Joins what a phi is on arrival by an executable edge.
  constexpr void raise_phi(value_id phi, value_id input, edge_id e) {
    if (input == no_value) { // not set
      return;
    }
    if (is_unknown(input)) {
      if (is_undefined(input) && !out_.undefined_.test(phi)) {
        out_.undefined_.set(phi);
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
    std::uint32_t& growths = out_.widenings_[phi];
    ++growths;
    if (growths <= options_.widen_after) {
      return domain_.join(fact(phi), by);
    }
    ++out_.counters_.widenings;
    const bool stops_on_the_way = growths - options_.widen_after <= options_.threshold_steps;
    return domain_.widen(ir_.operation(phi).width, fact(phi), by,
                         stops_on_the_way ? memory_.thresholds.get() : thresholds{});
  }

  // What is undefined.

  constexpr bool is_undefined(value_id v) { return out_.undefined_.test(v) && is_unknown(v); }

  /// Whether `v` does not wait for this operand any more.
  constexpr bool has_become_top(value_id v, value_id operand) {
    return options_.undefined == undef_policy::any_value && memory_.resolved.test(v) && is_undefined(operand);
  }

  /// A copy of `undef` is `undef`; what else reads one waits for the others of its operands first.
  constexpr void wait_or_pass_on(value_id v) {
    bool reads_undefined = false;
    for_each_id(ir_.operands(v), [&](value_id operand) { reads_undefined = reads_undefined || is_undefined(operand); });
    if (!reads_undefined || is_undefined(v)) {
      return;
    }
    if (ir_.operation(v).code == operation::copy) {
      out_.undefined_.set(v);
      announce(v);
    } else {
      memory_.waiting.push_back(v);
    }
  }

  /// When nothing else moves, `undef` is top for the operations that wait for it, and branches on it go where the
  /// policy says. Not before, so that it does not depend on the order of visits what they wait for. Whether that
  /// changed anything.
  constexpr bool resolve_undefined() {
    bool changed = false;
    for (std::size_t i = 0, count = memory_.waiting.size(); i != count; ++i) {
      const std::uint32_t item = memory_.waiting[i];
      changed |= layout_.is_end(item) ? resolve_branch(layout_.node_of_end(item)) : resolve_value(item);
    }
    memory_.waiting.clear();
    return changed;
  }

  constexpr bool resolve_value(value_id v) {
    if (memory_.resolved.test(v)) {
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

  /// What has no value although it is executed reads as top.
  constexpr void finish() {
    for (const std::uint32_t v : set_bits(out_.undefined_)) {
      if (is_unknown(v)) {
        fact(v) = domain_.top(ir_.operation(v).width);
      } else {
        out_.undefined_.reset(v); // has become a value since
      }
    }
    for (const node_id n : layout_.postorder()) {
      if (!out_.executable_nodes_.test(n)) {
        continue;
      }
      for_each_id(ir_.values(n), [this](value_id v) {
        if (is_unknown(v)) {
          fact(v) = domain_.top(ir_.operation(v).width);
        }
      });
    }
    if constexpr (widens) {
      for (std::uint32_t& growths : out_.widenings_) {
        growths = growths > options_.widen_after ? growths - options_.widen_after : 0;
      }
    }
  }

  const IR& ir_;
  const D& domain_;
  const sccp_options& options_;
  sccp_memory<constant_type>& memory_;
  ssa_layout& layout_;
  sccp_result<D>& out_;
};

} // namespace detail

MIDEND_END_NAMESPACE
