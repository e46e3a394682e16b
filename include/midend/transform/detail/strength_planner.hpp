/// `strength_planner`: which values of loops become counters, with which start and step.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/evolution.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/linear_form.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/machine/machine_model.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/detail/final_value_planner.hpp"
#include "midend/transform/strength_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

class strength_planner {
public:
  strength_planner(const flat_program& program, const dominator_tree& tree, const loop_forest& loops,
                   const value_evolutions& found, const machine_model& machine, const strength_options& options,
                   strength_plan& out)
      : p_(program), tree_(tree), loops_(loops), found_(found), machine_(machine), options_(options), out_(out) {}

  /// An operand precedes its readers, so the largest expressions are tried first.
  void run() {
    count_uses();
    planned_.assign(p_.num_values(), 0);
    is_start_.assign(p_.num_values(), 0);
    seen_.assign(p_.num_values(), 0);
    flat_array<value_id> values;
    for (std::size_t i = tree_.preorder().size(); i-- != 0;) {
      const node_id n = tree_.preorder()[i];
      const loop_id l = loops_.innermost_loop(n);
      if (l == no_loop || !runs_each_time(l, n)) {
        continue;
      }
      values.clear();
      for (const value_id v : p_.values(n)) {
        values.push_back(v);
      }
      while (!values.empty()) {
        plan_value(values.back(), l);
        values.pop_back();
      }
    }
  }

private:
  static constexpr std::size_t most_visits = 64;

  void count_uses() {
    uses_.assign(p_.num_values(), 0);
    is_fixed_.assign(p_.num_values(), 0);
    for (const node_id n : tree_.preorder()) {
      for (const value_id v : p_.values(n)) {
        if (p_.is_phi(v)) {
          for (const edge_id e : p_.graph().in_edges(n)) {
            count_use(p_.phi_input(v, e));
          }
          continue;
        }
        std::size_t i = 0;
        for (const value_id x : p_.operands(v)) {
          count_use(x);
          if (x != no_value && !p_.may_replace_operand(v, i)) {
            is_fixed_[x] = 1;
          }
          ++i;
        }
      }
      count_use(p_.condition(n));
    }
    forget_dead_reads();
  }

  /// Forgets reads by operations that an earlier plan left without readers.
  void forget_dead_reads() {
    flat_array<value_id> dead;
    const auto is_dead = [&](value_id v) {
      return uses_[v] == 0 && p_.node_of(v) != no_node && !p_.is_phi(v) && !p_.is_terminator(v) && p_.is_removable(v);
    };
    for (const node_id n : tree_.preorder()) {
      for (const value_id v : p_.values(n)) {
        if (is_dead(v)) {
          dead.push_back(v);
        }
      }
    }
    while (!dead.empty()) {
      const value_id v = dead.back();
      dead.pop_back();
      for (const value_id x : p_.operands(v)) {
        if (x != no_value && --uses_[x] == 0 && is_dead(x)) {
          dead.push_back(x);
        }
      }
    }
  }

  void count_use(value_id v) {
    if (v != no_value) {
      ++uses_[v];
    }
  }

  bool runs_each_time(loop_id l, node_id n) const {
    bool each = true;
    for (const loop_edge& e : loops_.backedges(l)) {
      each = each && tree_.dominates(n, e.source);
    }
    return each;
  }

  std::uint64_t cost_of(std::optional<operation_class> c) const { return c ? machine_.latency(*c) : 0; }

  void plan_value(value_id v, loop_id l) {
    if (p_.is_phi(v) || p_.is_terminator(v) || uses_[v] == 0 || !is_followed(v) || p_.operation(v).width < 2 ||
        planned_[v] != 0 || is_start_[v] != 0) {
      return;
    }
    const evolution e = found_.evolution_of(v, l);
    if (!e.is_known() || e.degree != 1 || e.has_power() || e.is_exact() || e.start().width != p_.operation(v).width) {
      return;
    }
    const std::size_t mark = dying_.size();
    const std::uint64_t goes = cost_of_dying(v, l);
    const std::uint64_t comes = cost_of(usual_class(add_of(e.start().width)));
    strength_obstacle why = strength_obstacle::costs_more;
    if (goes > comes) {
      why = place_counter(v, l, e, goes - comes);
    }
    if (why == strength_obstacle::none) {
      for (std::size_t i = mark; i != dying_.size(); ++i) {
        planned_[dying_[i]] = 1;
      }
      return;
    }
    while (dying_.size() != mark) { // they stay
      for_each_dying_operand(dying_.back(), l, [&](value_id x) { ++uses_[x]; });
      dying_.pop_back();
    }
    if (goes > comes) {
      out_.refused.push_back({v, why});
    }
  }

  static operation_info add_of(unsigned width) {
    return {operation::add, static_cast<std::uint8_t>(width), static_cast<std::uint8_t>(width), {}};
  }

  /// The cost of operations of the loop that only `v` needs. Takes their reads from `uses_`.
  std::uint64_t cost_of_dying(value_id v, loop_id l) {
    std::size_t at = dying_.size();
    dying_.push_back(v);
    std::uint64_t cost = 0;
    for (; at != dying_.size(); ++at) {
      const value_id x = dying_[at];
      cost += cost_of(p_.cost(x));
      for_each_dying_operand(x, l, [&](value_id y) {
        if (--uses_[y] == 0) {
          dying_.push_back(y);
        }
      });
    }
    return cost;
  }

  template <class Visit> void for_each_dying_operand(value_id x, loop_id l, Visit visit) const {
    for (const value_id y : p_.operands(x)) {
      if (y != no_value && found_.home_loop(y) == l && !p_.is_phi(y) && p_.is_removable(y)) {
        visit(y);
      }
    }
  }

  strength_obstacle place_counter(value_id v, loop_id l, const evolution& e, std::uint64_t saved) {
    using enum strength_obstacle;
    strength_counter c;
    c.like = v;
    c.loop = l;
    c.header = loops_.header(l);
    c.place = tree_.immediate_dominator(c.header);
    if (is_fixed_[v] != 0) {
      return fixed_operand;
    }
    if (c.place == no_node || loops_.innermost_loop(c.place) != loops_.parent(l) || !p_.accepts_operations(c.place) ||
        !p_.accepts_operations(c.header) || !p_.may_insert_phi(v)) {
      return no_place;
    }
    if (!is_outside(e.start(), c.place) || !is_outside(e.coefficients[1], c.place)) {
      return changes_inside;
    }
    if (!is_proven(v, l)) {
      return not_proven;
    }
    const std::size_t before = out_.steps.size();
    final_value_builder builder(found_, static_cast<value_id>(p_.num_values()), out_.steps);
    c.first_step = static_cast<std::uint32_t>(before);
    c.start = builder.sum(e.start());
    c.step = builder.sum(e.coefficients[1]);
    c.last_step = static_cast<std::uint32_t>(out_.steps.size());
    std::uint64_t once = 0;
    for (std::uint32_t i = c.first_step; i != c.last_step; ++i) {
      once += cost_of(usual_class(out_.steps[i].info));
    }
    if (once > saved * iterations(l)) {
      out_.steps.shrink(before);
      return costs_more;
    }
    c.first_edge = static_cast<std::uint32_t>(out_.backedges.size());
    for (const loop_edge& back : loops_.backedges(l)) {
      out_.backedges.push_back(back.id);
    }
    c.last_edge = static_cast<std::uint32_t>(out_.backedges.size());
    keep_values(e.start());
    keep_values(e.coefficients[1]);
    out_.values.push_back({v, static_cast<std::uint32_t>(out_.counters.size())});
    out_.counters.push_back(c);
    return none;
  }

  void keep_values(const linear_form& form) {
    for (std::uint32_t i = 0; i != form.num_terms; ++i) {
      ++uses_[form.terms[i].value];
      is_start_[form.terms[i].value] = 1;
    }
  }

  std::uint64_t iterations(loop_id l) const {
    const trip_count& count = found_.trips(l).count;
    const bool is_known = count.kind == trip_count_kind::exact && count.backedges < 1'000'000;
    return is_known ? count.backedges + 1 : options_.assumed_iterations;
  }

  /// Whether all values of the form are computed at the end of `place` and stay. A value that becomes a counter itself
  /// does not stay; it waits for the next plan.
  bool is_outside(const linear_form& form, node_id place) const {
    bool outside = true;
    for (std::uint32_t i = 0; i != form.num_terms; ++i) {
      const value_id v = form.terms[i].value;
      const node_id n = p_.node_of(v);
      outside = outside && !p_.may_be_undefined(v) && planned_[v] == 0 &&
                (n == no_node || (tree_.dominates(n, place) && !(n == place && p_.is_terminator(v))));
    }
    return outside;
  }

  // ---- What the checker follows.

  /// Whether it is a sum, a product, a truncation or an extension.
  bool is_followed(value_id v) const {
    switch (p_.operation(v).code) {
    case operation::copy:
    case operation::neg:
    case operation::bit_not:
    case operation::add:
    case operation::sub:
    case operation::mul:
    case operation::truncate:
    case operation::zero_extend:
    case operation::sign_extend:
      return true;
    case operation::shl:
    case operation::shladd:
      return p_.constant(p_.operands(v)[1]).has_value();
    default:
      return false;
    }
  }

  /// Whether the checker can follow `v`: it consists of header phis, invariants and operations that the checker knows,
  /// and each iteration adds an invariant to each of these phis.
  bool is_proven(value_id v, loop_id l) {
    phis_.clear();
    bool good = is_made_of_phis(v, l, no_value);
    const std::size_t count = phis_.size();
    for (std::size_t i = 0; good && i != count; ++i) {
      const value_id phi = phis_[i];
      for (const loop_edge& e : loops_.backedges(l)) {
        good = good && is_made_of_phis(p_.phi_input(phi, e.id), l, phi);
      }
    }
    return good;
  }

  /// Whether `v` consists of the phi `only`, or of any phis if that is `no_value`. Appends the phis to `phis_`.
  bool is_made_of_phis(value_id v, loop_id l, value_id only) {
    visited_.clear();
    visit(v, l);
    bool good = true;
    for (std::size_t at = 0; good && at != visited_.size(); ++at) {
      const value_id x = visited_[at];
      good = visited_.size() <= most_visits && found_.home_loop(x) == l;
      if (good && p_.is_phi(x)) {
        good = p_.node_of(x) == loops_.header(l) && (only == no_value || only == x);
        phis_.push_back(x);
      } else if (good) {
        const operation code = p_.operation(x).code;
        const bool is_extended = code == operation::zero_extend || code == operation::sign_extend;
        good = is_followed(x) && (!is_extended || keeps_number(p_.operands(x)[0], l, code == operation::sign_extend));
        for (const value_id y : p_.operands(x)) {
          visit(y, l);
        }
      }
    }
    for (const value_id x : visited_) {
      seen_[x] = 0;
    }
    return good;
  }

  void visit(value_id v, loop_id l) {
    const loop_id home = v == no_value ? no_loop : found_.home_loop(v);
    if (home != no_loop && loops_.contains_loop(l, home) && seen_[v] == 0 && visited_.size() <= most_visits) {
      seen_[v] = 1;
      visited_.push_back(v);
    }
  }

  /// Whether an extended value is an invariant, or a phi to which additions that promise not to wrap are applied.
  bool keeps_number(value_id v, loop_id l, bool is_signed) const {
    if (v == no_value || found_.home_loop(v) != l) {
      return v != no_value && (found_.home_loop(v) == no_loop || !loops_.contains_loop(l, found_.home_loop(v)));
    }
    bool keeps = p_.is_phi(v) && p_.node_of(v) == loops_.header(l);
    for (const loop_edge& e : loops_.backedges(l)) {
      const value_id next = keeps ? p_.phi_input(v, e.id) : no_value;
      const operation_info info = next == no_value || p_.constant(next) ? operation_info() : p_.operation(next);
      const bool adds = info.code == operation::add || info.code == operation::sub;
      keeps = keeps && adds && (is_signed ? info.flags.no_signed_wrap : info.flags.no_unsigned_wrap) &&
              (p_.operands(next)[0] == v || (info.code == operation::add && p_.operands(next)[1] == v));
    }
    return keeps;
  }

  const flat_program& p_;
  const dominator_tree& tree_;
  const loop_forest& loops_;
  const value_evolutions& found_;
  const machine_model& machine_;
  const strength_options& options_;
  strength_plan& out_;
  flat_array<std::uint32_t> uses_; ///< by value: its reads, except by values that will go
  flat_array<unsigned char> is_fixed_;
  flat_array<unsigned char> planned_;  ///< by value: it goes
  flat_array<unsigned char> is_start_; ///< by value: whether a counter starts with it or adds it
  flat_array<unsigned char> seen_;
  flat_array<value_id> dying_;
  flat_array<value_id> visited_;
  flat_array<value_id> phis_;
};

} // namespace detail

MIDEND_END_NAMESPACE
