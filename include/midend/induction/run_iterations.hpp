/// `run_iterations`: counts the iterations of a loop by running them on facts about its values.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/domains/number_domain.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/ids.hpp"
#include "midend/loops/detail/acyclic_order.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/ssa/sccp_result.hpp"
#include "midend/support/flat_array.hpp"

#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The limits of `run_iterations`.
struct run_limits {
  std::uint32_t iterations = 100;    ///< the limit for the iterations of a loop; 0: no loop is run
  std::uint32_t operations = 10'000; ///< the limit for evaluated operations in all
};

namespace detail {

class iteration_runner;

/// A value in one iteration: a number, and if `base` is a value of the IR, also `base` + `offset`.
struct run_value {
  number_domain::element number;
  value_id base = no_value;
  std::uint64_t offset = 0;

  friend constexpr bool operator==(const run_value&, const run_value&) = default;
};

} // namespace detail

/// Memory of `run_iterations`, reused from call to call.
class run_iterations_workspace {
  friend class detail::iteration_runner;

  flat_array<detail::run_value> values_; ///< by value, in this iteration
  flat_array<std::uint8_t> is_needed_;   ///< by value: whether a condition depends on it
  flat_array<value_id> needed_;          ///< the needed values
  flat_array<std::uint8_t> is_executed_; ///< by node: whether some run reaches it in this iteration
  flat_array<std::uint8_t> is_feasible_; ///< by edge
  detail::acyclic_order order_;
  flat_array<value_id> phis_;          ///< needed phis of the header
  flat_array<detail::run_value> next_; ///< their values in the next iteration
};

/// Runs the iterations of loop `l` on facts about its values until none can go on. The number of backedges is exact if
/// no earlier iteration could leave; else it is an upper bound. `unknown` if the limits do not suffice, if an iteration
/// changes no value on which its conditions depend, or if the loop contains another cycle.
///
/// Conditional constant propagation over as many copies of the body as the loop has iterations, one after the other,
/// with bounds and bits of numbers, and with addresses as sums of a base and a number. So it finds the ends of walks
/// over tables in memory that never changes (`constant_memory` of the program), of counters that shift, multiply or
/// depend on each other, and of other values with a known or bounded start. Only values on which conditions depend are
/// evaluated.
///
/// `known` has facts that hold for all values everywhere, `found` their forms. O(limits + size of the loop); the
/// workspace's first call for a program also clears a byte a value and an edge.
MIDEND_FUNCTION trip_count run_iterations(const flat_program& program, const loop_forest& loops, loop_id l,
                                          const sccp_result<number_domain>& known, const value_evolutions& found,
                                          const run_limits& limits, run_iterations_workspace& workspace);

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

#include "midend/induction/detail/meet_facts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/span.hpp"

#include <array>
#include <cstddef>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// One call of `run_iterations`.
class iteration_runner {
public:
  using element = number_domain::element;

  iteration_runner(const flat_program& program, const loop_forest& loops, loop_id l,
                   const sccp_result<number_domain>& known, const value_evolutions& found, run_iterations_workspace& w)
      : p_(program), loops_(loops), l_(l), known_(known), found_(found), w_(w) {}

  trip_count run(const run_limits& limits) {
    reserve();
    trip_count out;
    if (w_.order_.find(p_.graph(), loops_, l_)) {
      find_needed();
      out = w_.phis_.empty() ? trip_count() : run_needed(limits);
    }
    forget();
    return out;
  }

private:
  trip_count run_needed(const run_limits& limits) {
    enter();
    bool may_have_left = false;
    std::uint64_t evaluated = 0;
    for (std::uint64_t k = 0; k != limits.iterations && evaluated <= limits.operations; ++k) {
      evaluated += run_iteration();
      if (!may_continue_) {
        return may_have_left ? trip_count{trip_count_kind::at_most, k, 1}
                             : trip_count{trip_count_kind::exact, k, k + 1};
      }
      may_have_left = may_have_left || may_leave_;
      if (!begin_next()) {
        return {};
      }
    }
    return {};
  }

  // Memory, which is clean between calls.

  void reserve() {
    if (w_.is_needed_.size() < p_.num_values()) {
      w_.is_needed_.assign(p_.num_values(), 0);
      w_.values_.resize_for_overwrite(p_.num_values());
    }
    if (w_.is_executed_.size() < p_.graph().num_nodes()) {
      w_.is_executed_.assign(p_.graph().num_nodes(), 0);
    }
    if (w_.is_feasible_.size() < p_.graph().num_edges()) {
      w_.is_feasible_.assign(p_.graph().num_edges(), 0);
    }
  }

  void forget() {
    for (const value_id v : w_.needed_) {
      w_.is_needed_[v] = 0;
    }
    w_.needed_.clear();
  }

  bool is_inside(node_id n) const { return loops_.innermost_loop(n) == l_; }

  bool is_backedge(edge_id e) const { return p_.graph().edge_target(e) == loops_.header(l_); }

  // Values on which conditions depend.

  bool is_of_loop(value_id v) const {
    const node_id n = p_.node_of(v);
    return n != no_node && is_inside(n) && !p_.constant(v);
  }

  void need(value_id v) {
    if (v != no_value && w_.is_needed_[v] == 0) {
      w_.is_needed_[v] = 1;
      w_.needed_.push_back(v);
    }
  }

  void find_needed() {
    w_.phis_.clear();
    for (const node_id n : w_.order_.nodes()) {
      need(p_.condition(n));
    }
    for (std::size_t i = 0; i != w_.needed_.size(); ++i) {
      const value_id v = w_.needed_[i];
      if (!is_of_loop(v)) {
        continue;
      }
      if (p_.is_phi(v)) {
        if (p_.node_of(v) == loops_.header(l_)) {
          w_.phis_.push_back(v);
        }
        for (const edge_id e : p_.graph().in_edges(p_.node_of(v))) {
          need(p_.phi_input(v, e));
        }
      } else if (const auto m = p_.memory(v)) {
        need(m->base);
        need(m->index);
      } else if (p_.operation(v).code != operation::other) {
        for (const value_id operand : p_.operands(v)) {
          need(operand);
        }
      }
    }
  }

  // Values.

  /// The facts about a value that hold in each iteration.
  run_value always(value_id v) const {
    const std::uint8_t width = p_.operation(v).width;
    const bool has_number = width >= 1 && width <= 64;
    const element& fact = known_.fact(v);
    const auto literal = p_.constant(v);
    const element number = !has_number        ? number_domain().top(64)
                           : literal          ? number_domain().constant(width, *literal & low_ones(width))
                           : fact.is_bottom() ? number_domain().top(width)
                                              : fact;
    if (width != 64) {
      return {number, no_value, 0};
    }
    const linear_form sum = found_.form_of(v);
    const bool has_base =
        sum.num_terms == 1 && sum.terms[0].coefficient == 1 && sum.terms[0].reading == number_reading::low_bits;
    return {number, has_base ? sum.terms[0].value : v, has_base ? sum.constant : 0};
  }

  static run_value number(element e) { return {e, no_value, 0}; }

  void enter() {
    for (const value_id v : w_.needed_) {
      w_.values_[v] = always(v);
    }
    w_.next_.clear();
    for (const value_id phi : w_.phis_) {
      w_.next_.push_back(joined_inputs(phi, loops_.entering_edges(l_), [](edge_id) { return true; }));
    }
    for (std::size_t i = 0; i != w_.phis_.size(); ++i) {
      w_.values_[w_.phis_[i]] = w_.next_[i];
    }
  }

  /// Begins the next iteration. False if its values equal those of this one: then all further iterations are alike.
  bool begin_next() {
    w_.next_.clear();
    for (const value_id phi : w_.phis_) {
      w_.next_.push_back(
          joined_inputs(phi, loops_.backedges(l_), [this](edge_id e) { return w_.is_feasible_[e] != 0; }));
    }
    bool changes = false;
    for (std::size_t i = 0; i != w_.phis_.size(); ++i) {
      if (w_.next_[i].base != no_value && is_of_loop(w_.next_[i].base)) { // the base is another value in the next
                                                                          // iteration
        w_.next_[i].base = no_value;
        w_.next_[i].offset = 0;
      }
      run_value& now = w_.values_[w_.phis_[i]];
      changes = changes || !(w_.next_[i] == now);
      now = w_.next_[i];
    }
    return changes;
  }

  /// The value of a phi of the header along these edges.
  template <class Edges, class Comes>
  run_value joined_inputs(value_id phi, const Edges& edges, const Comes& comes) const {
    optional<run_value> out;
    for (const loop_edge& e : edges) {
      if (comes(e.id)) {
        join(w_.values_[p_.phi_input(phi, e.id)], out);
      }
    }
    return out.value_or(always(phi));
  }

  static void join(const run_value& input, optional<run_value>& out) {
    if (!out) {
      out = input;
      return;
    }
    number_domain().join(out->number, input.number);
    if (out->base != input.base || out->offset != input.offset) {
      out->base = no_value;
      out->offset = 0;
    }
  }

  run_value value_of(value_id v) const {
    run_value out = always(v);
    if (p_.is_phi(v)) {
      return joined(v);
    }
    const operation_info info = p_.operation(v);
    if (const auto m = p_.memory(v)) {
      if (const optional<element> found = loaded(v, *m)) {
        meet_facts(info.width, out.number, *found);
      }
      return out;
    }
    return info.code == operation::other ? out : computed(info, p_.operands(v), out);
  }

  run_value joined(value_id v) const {
    optional<run_value> out;
    for (const edge_id e : p_.graph().in_edges(p_.node_of(v))) {
      if (w_.is_feasible_[e] != 0) {
        join(w_.values_[p_.phi_input(v, e)], out);
      }
    }
    return out.value_or(always(v));
  }

  run_value computed(const operation_info& info, span<const value_id> operands, run_value out) const {
    std::array<run_value, 3> args{};
    std::array<element, 3> numbers{};
    if (operands.size() != arity(info.code) || operands.size() > args.size()) {
      return out;
    }
    for (std::size_t i = 0; i != operands.size(); ++i) {
      if (operands[i] == no_value) {
        return out;
      }
      args[i] = w_.values_[operands[i]];
      numbers[i] = args[i].number;
    }
    meet_facts(info.width, out.number,
               number_domain().transfer(info, span<const element>(numbers.data(), operands.size())));
    if (info.width == 64 || is_comparison(info.code)) {
      relate_bases(info, args, out);
    }
    return out;
  }

  /// Sums with a base, and their differences and comparisons.
  static void relate_bases(const operation_info& info, const std::array<run_value, 3>& args, run_value& out) {
    const auto constant = [](const run_value& a) { return number_domain().as_constant(a.number); };
    const auto add = [&](const run_value& a, std::uint64_t n) {
      out.base = a.base;
      out.offset = a.offset + n;
    };
    const bool has_one_base = args[0].base != no_value && args[0].base == args[1].base;
    switch (info.code) {
    case operation::copy:
      add(args[0], 0);
      break;
    case operation::add:
      if (const auto n = constant(args[1]); n && args[0].base != no_value) {
        add(args[0], *n);
      } else if (const auto m = constant(args[0]); m && args[1].base != no_value) {
        add(args[1], *m);
      }
      break;
    case operation::sub:
      if (has_one_base) {
        out.number = number_domain().constant(64, args[0].offset - args[1].offset);
      } else if (const auto n = constant(args[1]); n && args[0].base != no_value) {
        add(args[0], 0 - *n);
      }
      break;
    case operation::shladd:
      if (const auto n = constant(args[0]), by = constant(args[1]); n && by && *by < 64 && args[2].base != no_value) {
        add(args[2], *n << *by);
      }
      break;
    case operation::select:
      if (const auto n = constant(args[0])) {
        add(args[*n != 0 ? 1 : 2], 0);
      }
      break;
    case operation::equal:
    case operation::not_equal:
      if (has_one_base && info.operand_width == 64) {
        const bool are_equal = args[0].offset == args[1].offset;
        out.number = number_domain().constant(info.width, are_equal == (info.code == operation::equal) ? 1 : 0);
      }
      break;
    default:
      break;
    }
  }

  /// The number that a load reads from memory that never changes.
  optional<element> loaded(value_id load, const memory_reference& m) const {
    const unsigned width = p_.operation(load).width;
    if (m.stored != no_value || m.is_volatile || p_.guard(load).predicate != no_value || m.base == no_value ||
        m.bytes == 0 || m.bytes > 8 || width != 8 * m.bytes || (m.bits != 0 && m.bits != width)) {
      return std::nullopt;
    }
    const run_value& base = w_.values_[m.base];
    std::uint64_t offset = base.offset + static_cast<std::uint64_t>(m.offset);
    if (m.index != no_value) {
      const std::uint8_t bits = p_.operation(m.index).width;
      const auto index = number_domain().as_constant(w_.values_[m.index].number);
      if (!index || bits < 1 || bits > 64) {
        return std::nullopt;
      }
      offset += static_cast<std::uint64_t>(as_signed(*index, bits)) * static_cast<std::uint64_t>(m.scale);
    }
    const std::optional<number_range> found =
        base.base == no_value ? std::nullopt : p_.constant_memory(base.base, offset, m.bytes);
    return found ? optional(within(*found, width)) : std::nullopt;
  }

  static element within(const number_range& range, unsigned width) {
    element out = number_domain().top(width);
    element low = number_domain().constant(width, range.low);
    element high = number_domain().constant(width, range.high);
    number_domain().assume(range.is_signed ? operation::greater_equal : operation::ugreater_equal, width, out, low);
    number_domain().assume(range.is_signed ? operation::less_equal : operation::uless_equal, width, out, high);
    return out;
  }

  // Control.

  /// Returns the number of values that it has evaluated.
  std::uint64_t run_iteration() {
    std::uint64_t evaluated = w_.order_.nodes().size();
    may_leave_ = false;
    may_continue_ = false;
    for (const node_id n : w_.order_.nodes()) {
      w_.is_executed_[n] = n == loops_.header(l_) ? 1 : 0;
    }
    for (const node_id n : w_.order_.nodes()) {
      if (w_.is_executed_[n] != 0) {
        for (const value_id v : p_.values(n)) {
          if (w_.is_needed_[v] != 0 && is_of_loop(v) && !(p_.is_phi(v) && n == loops_.header(l_))) {
            w_.values_[v] = value_of(v);
            ++evaluated;
          }
        }
      }
      for (const edge_id e : p_.graph().out_edges(n)) {
        w_.is_feasible_[e] = w_.is_executed_[n] != 0 && may_take(n, e) ? 1 : 0;
        if (w_.is_feasible_[e] != 0) {
          take(e);
        }
      }
    }
    return evaluated;
  }

  void take(edge_id e) {
    const node_id to = p_.graph().edge_target(e);
    if (!is_inside(to)) {
      may_leave_ = true;
    } else if (is_backedge(e)) {
      may_continue_ = true;
    } else {
      w_.is_executed_[to] = 1;
    }
  }

  bool may_take(node_id n, edge_id e) const {
    const value_id condition = p_.condition(n);
    if (condition == no_value) {
      return true;
    }
    const std::uint8_t width = p_.operation(condition).width;
    const element& known = w_.values_[condition].number;
    if (width < 1 || width > 64) {
      return true;
    }
    if (const std::optional<std::uint64_t> only = number_domain().as_constant(known)) {
      return edge_of_case(p_, n, *only) == e;
    }
    const span<const number_range> cases = p_.edge_cases(e);
    bool may = cases.empty();
    for (const number_range& r : cases) {
      may = may || r.low != r.high || number_domain().contains(width, known, r.low & low_ones(width));
    }
    return may;
  }

  const flat_program& p_;
  const loop_forest& loops_;
  loop_id l_;
  const sccp_result<number_domain>& known_;
  const value_evolutions& found_;
  run_iterations_workspace& w_;
  bool may_leave_ = false;    ///< whether this iteration may leave the loop
  bool may_continue_ = false; ///< whether another iteration may follow
};

} // namespace detail

MIDEND_FUNCTION trip_count run_iterations(const flat_program& program, const loop_forest& loops, loop_id l,
                                          const sccp_result<number_domain>& known, const value_evolutions& found,
                                          const run_limits& limits, run_iterations_workspace& workspace) {
  return detail::iteration_runner(program, loops, l, known, found, workspace).run(limits);
}

MIDEND_END_NAMESPACE

#endif
