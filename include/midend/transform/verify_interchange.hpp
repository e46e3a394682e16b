/// `verify_interchange`: checks that two loops changed places and that nothing else changed.
#pragma once

#include "midend/config.hpp"
#include "midend/dependence/dependence_result.hpp"
#include "midend/dependence/nest_accesses.hpp"
#include "midend/dependence/read_nest.hpp"
#include "midend/dependence/verify_dependences.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/evolutions.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/fixed_operands.hpp"
#include "midend/ir/frozen.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/memory_effects.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/hierarchical_ordering.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/loops/weak_topological_order.hpp"
#include "midend/support/detail/object_array.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/certifiable_ir.hpp"
#include "midend/transform/detail/checked_pair.hpp"
#include "midend/transform/detail/paired_programs.hpp"
#include "midend/transform/detail/value_reads.hpp"
#include "midend/transform/interchange_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// What is wrong with an interchange.
enum class interchange_fault : std::uint8_t {
  none,
  wrong_size,        ///< the programs differ in nodes or entry, or old values are missing
  changed_flow,      ///< an edge, its target or its case changed
  no_nest,           ///< the witness names two loops that are no perfect nest of counted loops
  wrong_counter,     ///< a new counter differs from the old one of the other loop in start, step or test
  bounds_change,     ///< start, step or bound of a counter are computed from more than this counter
  missing_operation, ///< an operation of the old program is missing
  extra_operation,   ///< a new operation, or an old one at another place, is no copy of one that only computes
  changed_operation, ///< an operation computes something else, or promises more
  fixed_operand,     ///< an operation names the value that it read
  different_value,   ///< an operation reads another value
  moved_effect,      ///< an effect or a possible trap runs more or less often
  fixed_order,       ///< there is a call, a volatile access, or an operation that may not return
  carried_value,     ///< an iteration reads a value of an earlier iteration, and that is no reduction
  used_after,        ///< a value that depends on the order is read after the loops
  may_not_end,       ///< a counter counts where it did not, and nothing proves that it ends
  unproven_order,    ///< nothing proves that `value` and `second` do not meet in iterations that change places
  wrong_proof        ///< there is a proof about them, and it is wrong
};

/// The first fault and its place, or none.
struct interchange_verdict {
  interchange_fault fault = interchange_fault::none;
  node_id node = no_node;
  value_id value = no_value;
  value_id second = no_value;

  explicit operator bool() const { return fault == interchange_fault::none; }
};

namespace detail {

template <class Before, class After> class interchange_checker {
  using fault = interchange_fault;

public:
  interchange_checker(const Before& before, const After& after, const interchange_witness& witness,
                      span<const number_facts> facts)
      : pair_(before, after), before_(before), after_(after), witness_(witness), facts_(facts), reads_(before) {}

  interchange_verdict run() {
    if (!pair_.read()) {
      fail(fault::wrong_size, no_node);
      return verdict_;
    }
    for (std::size_t i = 0; ok() && i != pair_.order.size(); ++i) {
      if (!pair_.same_edges(pair_.order[i])) {
        fail(fault::changed_flow, pair_.order[i]);
      }
    }
    if (!ok()) {
      return verdict_;
    }
    flow_ = dominators_and_loops(before_.graph());
    const std::size_t nodes = node_count(before_.graph());
    nest_of_.assign(nodes, none);
    first_.assign(nodes, no_value);
    last_.assign(nodes, no_value);
    part_of_.assign(pair_.num_old_values(), none);
    is_seen_.assign(pair_.num_old_values(), 0);
    read_meanings();
    for (std::uint32_t i = 0; ok() && i != witness_.nests.size(); ++i) {
      check_nest(i);
    }
    for (std::size_t i = 0; ok() && i != pair_.order.size(); ++i) {
      compare_node(pair_.order[i]);
    }
    return verdict_;
  }

private:
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);

  bool ok() const { return verdict_.fault == fault::none; }

  void fail(fault why, node_id n, value_id v = no_value, value_id second = no_value) {
    if (ok()) {
      verdict_ = {why, n, v, second};
    }
  }

  bool is_old(value_id v) const { return v < pair_.num_old_values(); }

  node_id old_home(value_id v) const { return is_old(v) ? pair_.old_home[v] : no_node; }

  node_id new_home(value_id v) const { return v < pair_.new_home.size() ? pair_.new_home[v] : no_node; }

  /// Reads which old values the new values stand for.
  void read_meanings() {
    meaning_.assign(pair_.new_home.size(), no_value);
    for (std::size_t v = 0; v != pair_.num_old_values(); ++v) {
      meaning_[v] = static_cast<value_id>(v);
    }
    is_counter_.assign(pair_.new_home.size(), 0);
    for (const interchanged_nest& nest : witness_.nests) {
      for (const bool outer : {false, true}) {
        const value_id counter = outer ? nest.new_outer : nest.new_inner;
        const value_id old = outer ? nest.inner_counter : nest.outer_counter;
        if (!is_new(counter) || !is_old(old) || meaning_[counter] != no_value) {
          fail(fault::no_nest, nest.outer_header, counter);
          return;
        }
        meaning_[counter] = old;
        is_counter_[counter] = 1;
      }
    }
    for (const copied_operation& c : witness_.copies) {
      if (!is_new(c.copy) || !is_old(c.original) || meaning_[c.copy] != no_value) {
        fail(fault::extra_operation, no_node, c.copy);
        return;
      }
      meaning_[c.copy] = c.original;
    }
  }

  bool is_new(value_id v) const { return v >= pair_.num_old_values() && v < pair_.new_home.size(); }

  // ---- The old nest.

  void check_nest(std::uint32_t index) {
    const interchanged_nest& nest = witness_.nests[index];
    checked_pair<Before> p(before_, flow_.loops);
    if (!p.read(nest.outer_header, nest.inner_header) || !(p.is_rotated() || p.tests_first())) {
      fail(fault::no_nest, nest.outer_header);
      return;
    }
    p.outer.counter = nest.outer_counter;
    p.inner.counter = nest.inner_counter;
    for (const checked_level* level : {&p.outer, &p.inner}) {
      if (!before_.is_phi(level->counter) || old_home(level->counter) != level->header) {
        fail(fault::no_nest, level->header, level->counter);
        return;
      }
      const auto start = static_cast<value_id>(before_.phi_input(level->counter, level->entering));
      const auto next = static_cast<value_id>(before_.phi_input(level->counter, level->back));
      if (start == no_value || !p.is_outside(old_home(start)) ||
          !p.is_function_of_counter(next, *level, pair_.old_home, is_seen_) ||
          !p.is_function_of_counter(static_cast<value_id>(before_.condition(level->test)), *level, pair_.old_home,
                                    is_seen_)) {
        fail(fault::bounds_change, level->header, level->counter);
        return;
      }
    }
    for (const node_id n : flow_.loops.blocks(p.outer.loop)) {
      if (nest_of_[n] != none) {
        fail(fault::no_nest, n);
        return;
      }
      nest_of_[n] = index;
    }
    levels_.push_back(p);
    check_operations(p);
    check_new_counters(nest, p);
    check_carried(p);
    if (ok() && !p.is_rotated()) {
      check_ends(p);
    }
    if (ok()) {
      check_order(nest, p);
    }
  }

  /// No operation may be ordered. Effects, and traps that could be new, are allowed in the body only.
  void check_operations(const checked_pair<Before>& p) {
    for (const node_id n : flow_.loops.blocks(p.outer.loop)) {
      for_each_id(before_.values(n), [&](value_id v) {
        if (before_.is_phi(v)) {
          return;
        }
        if (before_.effect(v) == effect_kind::unknown || before_.may_not_return(v) || is_fixed_access(before_, v) ||
            is_convergent(before_, v)) {
          fail(fault::fixed_order, n, v);
        }
      });
      for_each_id(after_.values(n), [&](value_id v) {
        const bool elsewhere = p.is_between(n) || (!p.is_rotated() && n == p.inner.header);
        if (after_.is_phi(v) || !elsewhere) {
          return;
        }
        const bool ends_node = is_terminator(after_, v) && after_.effect(v) == effect_kind::none;
        if (!ends_node &&
            (after_.effect(v) != effect_kind::none || after_.is_volatile(v) || after_.may_not_return(v) ||
             is_convergent(after_, v) || !is_repeatable(after_, v) || (!p.is_rotated() && after_.may_trap(v)))) {
          fail(fault::moved_effect, n, v);
        }
      });
    }
  }

  void check_new_counters(const interchanged_nest& nest, const checked_pair<Before>& p) {
    check_new_counter(nest.new_outer, p.outer, p.inner, p);
    check_new_counter(nest.new_inner, p.inner, p.outer, p);
  }

  /// Checks that a phi in loop `now` counts as the counter of loop `was` did.
  void check_new_counter(value_id phi, const checked_level& now, const checked_level& was,
                         const checked_pair<Before>& p) {
    if (!ok()) {
      return;
    }
    const auto start = static_cast<value_id>(after_.phi_input(phi, now.entering));
    const auto next = static_cast<value_id>(after_.phi_input(phi, now.back));
    const auto condition = static_cast<value_id>(after_.condition(now.test));
    const auto old_condition = static_cast<value_id>(before_.condition(was.test));
    bool good = after_.is_phi(phi) && new_home(phi) == now.header &&
                before_.operation(was.counter).width == after_.operation(phi).width &&
                means(start, static_cast<value_id>(before_.phi_input(was.counter, was.entering))) &&
                means(next, static_cast<value_id>(before_.phi_input(was.counter, was.back)));
    if constexpr (has_same_operation<Before>) {
      good = good && static_cast<bool>(before_.same_operation(was.counter, after_, phi));
    }
    good = good && is_new(condition) && means(condition, old_condition);
    // For the outer loop, all of this is computed outside the inner one, so it changes with the outer counter alone.
    if (now.loop == p.outer.loop) {
      good = good && !p.is_inside(new_home(next)) && !p.is_inside(new_home(condition));
    }
    if (!good) {
      fail(fault::wrong_counter, now.header, phi);
      return;
    }
    const bool negates = now.stays_if_one != was.stays_if_one;
    negated_.push_back({condition, negates ? old_condition : no_value});
  }

  /// Whether `u` of the new program stands for `x`.
  bool means(value_id u, value_id x) const {
    if (u == no_value || x == no_value) {
      return u == x;
    }
    if (!is_old(x) || u >= pair_.new_home.size()) {
      return false;
    }
    if (pair_.old_home[x] == no_node) {
      return pair_.new_home[u] == no_node && static_cast<bool>(before_.same_operation(x, after_, u));
    }
    return pair_.new_home[u] != no_node && pair_.reached[pair_.new_home[u]] != 0 && meaning_[u] == x;
  }

  // ---- What iterations carry.

  /// Checks that all phis of the two headers and between the loops, apart from the counters, belong to reductions.
  void check_carried(const checked_pair<Before>& p) {
    if (ok()) {
      for_each_phi(before_, p.outer.header, [&](value_id phi) {
        if (phi != p.outer.counter && ok()) {
          check_reduction(phi, num_reductions_++, p);
        }
      });
    }
    for (const node_id n : flow_.loops.blocks(p.outer.loop)) {
      if (ok() && (p.is_between(n) || n == p.inner.header)) {
        for_each_phi(before_, n, [&](value_id phi) {
          if (phi != p.outer.counter && phi != p.inner.counter && part_of_[phi] == none) {
            fail(fault::carried_value, n, phi);
          }
        });
      }
    }
  }

  /// Whether `u` is the final value of a reduction.
  bool is_result(value_id u) const {
    for (const value_id r : results_) {
      if (r == u) {
        return true;
      }
    }
    return false;
  }

  /// Checks that the phi and everything computed from it in the loops is one variable, which only its own operations
  /// read.
  void check_reduction(value_id phi, std::uint32_t number, const checked_pair<Before>& p) {
    operation code = operation::other;
    flat_array<value_id> parts;
    part_of_[phi] = number;
    parts.push_back(phi);
    for (std::size_t i = 0; ok() && i != parts.size(); ++i) {
      for (const value_read& r : reads_.of(parts[i])) {
        if (p.is_outside(r.node) || is_part(r.reader, number)) {
          continue;
        }
        if (r.reader == no_value || part_of_[r.reader] != none || r.reader == p.outer.counter ||
            r.reader == p.inner.counter) {
          fail(fault::carried_value, r.node, parts[i]);
          return;
        }
        part_of_[r.reader] = number;
        parts.push_back(r.reader);
      }
    }
    for (const value_id v : parts) { // all parts are known now
      if (ok() && !before_.is_phi(v) && !is_step(v, number, code, p)) {
        fail(fault::carried_value, old_home(v), v);
      }
    }
    if (ok()) {
      check_variable(phi, number, p);
    }
  }

  bool is_part(value_id v, std::uint32_t number) const { return is_old(v) && part_of_[v] == number; }

  /// An operation that is commutative and associative, runs at most once in each iteration, and has no promises.
  bool is_step(value_id v, std::uint32_t number, operation& code, const checked_pair<Before>& p) {
    const node_id n = old_home(v);
    const operation_info info = before_.operation(v);
    std::size_t count = 0;
    std::size_t at = 0;
    bool is_first = false;
    bool same_width = true;
    for_each_id(before_.operands(v), [&](value_id x) {
      count += is_part(x, number) ? 1u : 0u;
      is_first = is_first || (at == 0 && is_part(x, number));
      same_width = same_width && before_.operation(x).width == info.width;
      ++at;
    });
    const operation kind = info.code == operation::sub && is_first ? operation::add : info.code;
    const bool good = p.is_inside(n) && (p.is_rotated() || n != p.inner.header) && count == 1 && same_width &&
                      p.is_pure(v) && is_associative(kind) && (code == operation::other || code == kind);
    code = kind;
    return good && after_.operation(v).flags == operation_flags() && !after_.may_trap(v);
  }

  /// Checks that on all paths to a node the variable has one current value.
  void check_variable(value_id phi, std::uint32_t number, const checked_pair<Before>& p) {
    for (const node_id n : flow_.loops.blocks(p.outer.loop)) {
      first_[n] = last_[n] = no_value;
    }
    first_[p.outer.header] = phi;
    flat_array<node_id> work;
    work.push_back(p.outer.header);
    for (std::size_t i = 0; ok() && i != work.size(); ++i) {
      const node_id n = work[i];
      value_id present = first_[n];
      for_each_id(before_.values(n), [&](value_id v) {
        if (!is_part(v, number)) {
          return;
        }
        if (before_.is_phi(v)) {
          if (v != present) {
            fail(fault::carried_value, n, v);
          }
          return;
        }
        bool reads_present = false;
        for_each_id(before_.operands(v), [&](value_id x) { reads_present = reads_present || x == present; });
        if (!reads_present) {
          fail(fault::carried_value, n, v);
        }
        present = v;
      });
      last_[n] = present;
      for_each_id(before_.graph().out_edges(n), [&](edge_id e) {
        const auto to = static_cast<node_id>(before_.graph().edge_target(e));
        if (!flow_.loops.contains(p.outer.loop, to) || !ok()) {
          return;
        }
        value_id begins = present;
        for_each_phi(before_, to, [&](value_id v) {
          if (is_part(v, number)) {
            begins = v;
            if (static_cast<value_id>(before_.phi_input(v, e)) != present) {
              fail(fault::carried_value, to, v);
            }
          }
        });
        if (first_[to] == no_value) {
          first_[to] = begins;
          work.push_back(to);
        } else if (first_[to] != begins) {
          fail(fault::carried_value, to, begins);
        }
      });
    }
    results_.push_back(last_[p.outer.test]);
  }

  // ---- Ends.

  void check_ends(const checked_pair<Before>& p) {
    const value_evolutions& found = evolve();
    const trip_count& a = found.trips(p.outer.loop).count;
    const trip_count& b = found.trips(p.inner.loop).count;
    const bool both_run =
        a.kind == trip_count_kind::exact && a.backedges >= 1 && b.kind == trip_count_kind::exact && b.backedges >= 1;
    if (both_run) {
      return;
    }
    for (const checked_level* level : {&p.outer, &p.inner}) {
      if (!counts_by_one(*level)) {
        fail(fault::may_not_end, level->header, level->counter);
      }
    }
  }

  /// The loop continues while counter < bound (> for steps of -1; or ≠): it reaches a number that ends it, even if it
  /// wraps.
  bool counts_by_one(const checked_level& level) const {
    const auto condition = static_cast<value_id>(before_.condition(level.test));
    const auto next = static_cast<value_id>(before_.phi_input(level.counter, level.back));
    const unsigned width = before_.operation(level.counter).width;
    value_id a[2] = {no_value, no_value};
    value_id b[2] = {no_value, no_value};
    first_two(condition, a);
    first_two(next, b);
    operation relation = before_.operation(condition).code;
    if (!is_comparison(relation) || before_.operation(condition).operand_width != width ||
        before_.operation(next).width != width) {
      return false;
    }
    if (a[1] == level.counter && a[0] != level.counter) {
      relation = mirrored(relation);
    } else if (a[0] != level.counter || a[1] == level.counter) {
      return false;
    }
    relation = level.stays_if_one ? relation : negated(relation);
    const operation step = before_.operation(next).code;
    const bool swapped = step == operation::add && b[1] == level.counter;
    const value_id by = b[swapped ? 0 : 1];
    if ((step != operation::add && step != operation::sub) || b[swapped ? 1 : 0] != level.counter || by == no_value ||
        before_.operation(by).width != width) {
      return false;
    }
    const auto number = before_.constant(by);
    if (!number) {
      return false;
    }
    std::uint64_t amount = static_cast<std::uint64_t>(*number);
    amount = (step == operation::sub ? 0 - amount : amount) & low_ones(width);
    // The bound is invariant: by `is_function_of_counter` it depends on the counter alone, and it is not the counter's
    // operand, so it must be outside.
    const value_id bound = a[a[0] == level.counter ? 1 : 0];
    if (bound == no_value || (old_home(bound) != no_node && flow_.loops.contains(level.loop, old_home(bound)))) {
      return false;
    }
    if (relation == operation::not_equal) {
      return amount == 1 || amount == low_ones(width);
    }
    const bool below = relation == operation::less || relation == operation::uless;
    const bool above = relation == operation::greater || relation == operation::ugreater;
    return (below && amount == 1) || (above && amount == low_ones(width));
  }

  void first_two(value_id v, value_id (&out)[2]) const {
    std::size_t i = 0;
    if (is_old(v) && pair_.old_home[v] != no_node && !before_.is_phi(v)) {
      for_each_id(before_.operands(v), [&](value_id x) {
        if (i < 2) {
          out[i++] = x;
        }
      });
    }
  }

  const value_evolutions& evolve() {
    if (!has_evolutions_) {
      has_evolutions_ = true;
      found_ = evolutions(before_, flow_.loops, facts_);
    }
    return found_;
  }

  const hierarchical_ordering& order_of_nodes() {
    if (order_.num_nodes() == 0) {
      weak_topological_order_workspace workspace;
      weak_topological_order(before_.graph(), workspace, order_);
    }
    return order_;
  }

  // ---- Order of accesses.

  void check_order(const interchanged_nest& nest, const checked_pair<Before>& p) {
    function_nest read;
    read_nest(before_, flow_.loops, flow_.dominators, evolve(), facts_, p.outer.loop, order_of_nodes(), nest_workspace_,
              read);
    if (read.obstacle != nest_obstacle::none || nest.first_pair > nest.last_pair ||
        nest.last_pair > witness_.pairs.size()) {
      fail(fault::unproven_order, nest.outer_header);
      return;
    }
    const nest_accesses& accesses = read.accesses;
    std::uint32_t at = nest.first_pair;
    for (access_id a = 0; ok() && a != accesses.num_accesses(); ++a) {
      for (access_id b = a; ok() && b != accesses.num_accesses(); ++b) {
        if (!accesses.access(a).writes && !accesses.access(b).writes) {
          continue;
        }
        const value_id first = accesses.access(a).operation;
        const value_id second = accesses.access(b).operation;
        if (at == nest.last_pair || witness_.pairs[at].first != a || witness_.pairs[at].second != b) {
          fail(fault::unproven_order, nest.outer_header, first, second);
          return;
        }
        const dependence_result& proof = witness_.pairs[at++];
        if (verify_dependences(accesses, span<const dependence_result>(&proof, 1), proofs_)) {
          fail(fault::wrong_proof, nest.outer_header, first, second);
        } else if (!keeps_order(proof)) {
          fail(fault::unproven_order, nest.outer_header, first, second);
        }
      }
    }
  }

  /// Whether no possible case has a pair of iterations that the interchange reverses: opposite orders in the two loops.
  static bool keeps_order(const dependence_result& proof) {
    for (const dependence_case& c : proof.cases) {
      if (c.kind != dependence_case_kind::possible) {
        continue;
      }
      const span<const iteration_order> orders = proof.orders_of(c);
      const bool any_outer = orders.empty();
      const bool any_inner = orders.size() < 2;
      const iteration_order outer = any_outer ? iteration_order::same : orders[0];
      const iteration_order inner = any_inner ? iteration_order::same : orders[1];
      const bool outer_differs = any_outer || outer != iteration_order::same;
      const bool inner_differs = any_inner || inner != iteration_order::same;
      if (outer_differs && inner_differs && (any_outer || any_inner || outer != inner)) {
        return false;
      }
    }
    return true;
  }

  // ---- The new program.

  void compare_node(node_id n) {
    const checked_pair<Before>* const p = nest_of_[n] == none ? nullptr : &levels_[nest_of_[n]];
    old_values_.clear();
    for_each_id(before_.values(n), [&](value_id v) { old_values_.push_back(v); });
    std::size_t at = 0;
    for_each_id(after_.values(n), [&](value_id v) {
      if (!is_old(v)) {
        compare_new(n, v, p);
        return;
      }
      while (at != old_values_.size() && old_values_[at] != v) {
        check_removed(n, old_values_[at++], p);
      }
      if (at == old_values_.size()) {
        fail(fault::extra_operation, n, v);
        return;
      }
      ++at;
      if (!pair_.same_operation(v, v)) {
        fail(fault::changed_operation, n, v);
      }
      // One run of these loops has other iterations now.
      const node_id scope = pair_.scope_of(v);
      if (!pair_.keeps_local_class(v, v) || (p != nullptr && (scope == p->outer.header || scope == p->inner.header))) {
        fail(fault::changed_operation, n, v);
      }
      compare_operands(n, v, v, p);
    });
    while (at != old_values_.size()) {
      check_removed(n, old_values_[at++], p);
    }
    if (p == nullptr || (n != p->outer.test && n != p->inner.test)) {
      compare_read(n, static_cast<value_id>(before_.condition(n)), static_cast<value_id>(after_.condition(n)), p);
    }
    for_each_id(after_.graph().out_edges(n), [&](edge_id e) {
      const auto to = static_cast<node_id>(after_.graph().edge_target(e));
      for_each_phi(after_, to, [&](value_id phi) {
        if (is_old(phi)) {
          const checked_pair<Before>* const there = nest_of_[to] == none ? nullptr : &levels_[nest_of_[to]];
          compare_read(to, static_cast<value_id>(before_.phi_input(phi, e)),
                       static_cast<value_id>(after_.phi_input(phi, e)), there);
        }
      });
    });
  }

  /// Checks old values that may be missing: the counters, and operations that only compute. Their readers are checked
  /// elsewhere.
  void check_removed(node_id n, value_id v, const checked_pair<Before>* p) {
    const bool is_counter = p != nullptr && (v == p->outer.counter || v == p->inner.counter);
    const bool only_computes = p != nullptr && !before_.is_phi(v) && p->is_pure(v);
    if (!is_counter && !only_computes) {
      fail(fault::missing_operation, n, v);
    }
  }

  void compare_new(node_id n, value_id v, const checked_pair<Before>* p) {
    const value_id x = meaning_[v];
    if (p == nullptr || x == no_value) {
      fail(fault::extra_operation, n, v);
      return;
    }
    if (is_counter_[v] != 0) {
      if (!after_.is_phi(v) || (x != p->outer.counter && x != p->inner.counter)) {
        fail(fault::extra_operation, n, v);
      }
      return; // `check_new_counter` has compared it
    }
    const node_id home = old_home(x);
    const loop_id l = home == no_node ? no_loop : flow_.loops.innermost_loop(home);
    if (after_.is_phi(v) || before_.is_phi(x) || (l != p->outer.loop && l != p->inner.loop) || !p->is_pure(x) ||
        is_terminator(after_, v) || after_.effect(v) != effect_kind::none) {
      fail(fault::extra_operation, n, v);
      return;
    }
    if (is_negation(v, x)) {
      const operation_info was = before_.operation(x);
      const operation_info is = after_.operation(v);
      if (!is_comparison(was.code) || is.code != negated(was.code) || is.operand_width != was.operand_width ||
          is.width != was.width || is.flags != operation_flags() || after_.may_trap(v)) {
        fail(fault::changed_operation, n, v);
      }
    } else if (!pair_.same_operation(x, v)) {
      fail(fault::changed_operation, n, v);
    }
    compare_operands(n, x, v, p);
    for_each_id(after_.operands(v), [&](value_id u) {
      const bool is_plain = u != no_value && (!is_old(u) || !p->is_inside(old_home(u)));
      if (!is_plain) {
        fail(fault::different_value, n, v); // its operands in the body may have changed since
      }
    });
  }

  /// Whether `v` stands for the negation of `x`: the condition of a test with exchanged cases.
  bool is_negation(value_id v, value_id x) const {
    for (const copied_operation& c : negated_) {
      if (c.copy == v && c.original == x) {
        return true;
      }
    }
    return false;
  }

  void compare_operands(node_id n, value_id x, value_id v, const checked_pair<Before>* p) {
    if (before_.is_phi(x)) {
      return; // edge by edge
    }
    operands_.clear();
    for_each_id(before_.operands(x), [&](value_id y) { operands_.push_back(y); });
    const bool is_test = p != nullptr && is_terminator(after_, v) && (n == p->outer.test || n == p->inner.test);
    std::size_t i = 0;
    for_each_id(after_.operands(v), [&](value_id u) {
      const bool is_condition = is_test && u == static_cast<value_id>(after_.condition(n)) && i < operands_.size() &&
                                operands_[i] == static_cast<value_id>(before_.condition(n));
      if (i < operands_.size() && !is_condition) {
        compare_read(n, operands_[i], u, p);
        if (u != operands_[i] && new_home(u) != no_node && !may_replace_operand(before_, x, i)) {
          fail(fault::fixed_operand, n, v);
        }
      }
      ++i;
    });
    if (i != operands_.size()) {
      fail(fault::changed_operation, n, v);
    }
  }

  /// Checks a read in node `n`. Only in the nest may another value stand for the old one. Between the loops, only
  /// reductions may read values of the inner loop; after the loops, only final values of reductions are read.
  void compare_read(node_id n, value_id x, value_id u, const checked_pair<Before>* p) {
    if (x == no_value || u == no_value) {
      if (x != u) {
        fail(fault::different_value, n, u);
      }
      return;
    }
    const node_id home = new_home(u);
    if (!means(u, x) || is_opposite(u) || (home != no_node && nest_of_[n] == none && u != x)) {
      fail(fault::different_value, n, u);
      return;
    }
    if (home != no_node && nest_of_[home] != none && nest_of_[home] != nest_of_[n] && !is_result(u)) {
      fail(fault::used_after, n, u);
      return;
    }
    const bool is_reduced = is_old(u) && part_of_[u] != none;
    if (p != nullptr && p->is_between(n) && p->is_inside(home) && !is_reduced) {
      fail(fault::different_value, n, u);
    }
  }

  /// Whether `u` is the negation of the value for which it stands: only the test reads it.
  bool is_opposite(value_id u) const {
    for (const copied_operation& c : negated_) {
      if (c.copy == u && c.original != no_value) {
        return true;
      }
    }
    return false;
  }

  paired_programs<Before, After> pair_;
  const Before& before_;
  const After& after_;
  const interchange_witness& witness_;
  span<const number_facts> facts_;
  value_reads<Before> reads_;
  interchange_verdict verdict_;
  std::uint32_t num_reductions_ = 0;
  dominators_and_loops_result flow_;
  value_evolutions found_;
  bool has_evolutions_ = false;
  flat_array<std::uint32_t> nest_of_;         ///< by node
  object_array<checked_pair<Before>> levels_; ///< by nest
  flat_array<value_id> meaning_;              ///< by new value
  flat_array<unsigned char> is_counter_;      ///< by new value
  flat_array<copied_operation> negated_;      ///< conditions that must be the negation of an old one
  flat_array<std::uint32_t> part_of_;         ///< by old value: its reduction
  flat_array<value_id> results_;              ///< of reductions
  flat_array<value_id> first_;                ///< by node: the current value of a reduction
  flat_array<value_id> last_;
  flat_array<unsigned char> is_seen_; ///< by old value
  flat_array<value_id> old_values_;
  flat_array<value_id> operands_;
  hierarchical_ordering order_;
  read_nest_workspace nest_workspace_;
  verify_dependences_workspace proofs_;
};

} // namespace detail

/// Checks that `after` is `before`, where the counters of pairs of loops changed places, as `witness` says. It shares
/// no code with the transformation. One must trust this function; `dominators_and_loops`, `evolutions` and `read_nest`
/// on the old program; `verify_dependences`; the semantics, effects and `same_operation` of the IRs; and `facts`, which
/// must hold for the old program. Requires IRs that `check_ir` accepts.
///
/// **What is checked.** Nodes, edges and cases are the old ones. For each pair of loops:
/// 1. In the old program they are a perfect nest: one entering edge, one backedge and one exit of each loop, no branch
///    between them, both tests in the headers or both in the latches. Start, step and test of each counter are computed
///    from this counter and from values outside both loops. So the iterations are all pairs of both counters.
/// 2. The new phi of the outer header has the start, step and test of the old inner counter, computed outside the inner
///    loop. The new phi of the inner header has those of the old outer counter.
/// 3. Every other operation is the old one at the old place, or a copy of one that only computes. It reads values that
///    stand for the old ones; copies read only counters, copies, and values that the body does not compute. Effects are
///    in the body, and operations that run more or less often than before do not trap.
/// 4. Values carried between iterations are reductions: one variable each, read only by its own operations, which are
///    all of one commutative and associative kind without promises. After the loops, only their final values are read.
/// 5. For each pair of accesses with a write, a proof that `verify_dependences` accepts shows that they do not meet in
///    iterations with opposite orders, (<, >) or (>, <). The accesses are read from the old program, not from the
///    witness.
/// 6. If the loops test in the headers, both run, or both count by one up to a bound.
/// 7. No access has a local class of one of the two loops, or a new one.
///
/// O(n + m + values + operands), and the cost of reading the nests and of checking the proofs.
template <certifiable_ir Before, certifiable_ir After>
  requires memory_ir<Before> && freezable_ir<Before> && has_operation<Before> && has_operation<After>
interchange_verdict verify_interchange(const Before& before, const After& after, const interchange_witness& witness,
                                       span<const number_facts> facts = {}) {
  return detail::interchange_checker<Before, After>(before, after, witness, facts).run();
}

MIDEND_END_NAMESPACE
