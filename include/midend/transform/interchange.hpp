/// `interchange`: two loops, one directly inside of the other, change places.
#pragma once

#include "midend/config.hpp"
#include "midend/dependence/dependence.hpp"
#include "midend/dependence/dependence_result.hpp"
#include "midend/dependence/nest_accesses.hpp"
#include "midend/dependence/read_nest.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/editing.hpp"
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
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/loops/weak_topological_order.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/detail/local_classes.hpp"
#include "midend/transform/detail/loop_pair_reader.hpp"
#include "midend/transform/detail/value_reads.hpp"
#include "midend/transform/interchange_plan.hpp"
#include "midend/transform/loop_pair_obstacle.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// What `plan_interchange` reads: effects, memory, the vocabulary, and numbers of 64 bits.
template <class IR>
concept interchangeable_ir = memory_ir<IR> && freezable_ir<IR> && has_operation<IR> && has_cases_of_edges<IR>;

/// What `apply_interchange` requires of an editor.
template <class E>
concept interchange_editor = operation_editor<E> && has_graph<E> && graph_is_edge_indexed<E>;

namespace detail {

/// Plans the interchanges of one function.
template <class IR> class interchange_planner {
public:
  interchange_planner(const IR& ir, const dominators_and_loops_result& flow, const value_evolutions& found,
                      span<const number_facts> facts, const interchange_options& options, interchange_plan& plan)
      : ir_(ir), g_(ir.graph()), flow_(flow), loops_(flow.loops), found_(found), facts_(facts), options_(options),
        plan_(plan), reads_(ir), reader_(ir, flow.loops, reads_), marks_(static_cast<std::size_t>(ir.num_values()), 0),
        at_begin_(node_count(g_), no_value), at_end_(node_count(g_), no_value) {}

  void run() {
    flat_array<unsigned char> is_taken(loops_.num_loops(), 0);
    for (const loop_id outer : loops_.loops()) {
      if (loops_.subloops(outer).size() < 2 || (options_.only != no_loop && options_.only != outer)) {
        continue;
      }
      const auto inner = static_cast<loop_id>(outer + 1);
      loop_interchange r;
      const std::size_t sizes[5] = {plan_.slices.size(), plan_.sunk.size(), plan_.dead.size(), plan_.loose.size(),
                                    plan_.pairs.size()};
      bool fits = plan(outer, inner, r);
      if (fits && is_taken[outer] != 0) {
        fits = reader_.refuse(loop_pair_obstacle::overlaps, r.inner.header);
      }
      clear_marks();
      if (fits) {
        take_nest(loops_, outer, is_taken);
        plan_.nests.push_back(r);
        continue;
      }
      plan_.slices.shrink(sizes[0]);
      plan_.sunk.shrink(sizes[1]);
      plan_.dead.shrink(sizes[2]);
      plan_.loose.shrink(sizes[3]);
      plan_.pairs.resize(sizes[4], {});
      plan_.refused.push_back(reader_.refusal());
    }
  }

private:
  using obstacle = loop_pair_obstacle;

  enum mark : unsigned char {
    between_changes = 1, ///< between the loops, and depends on the outer counter
    needed = 2,          ///< such an operation that the inner loop reads
    controls = 4,        ///< computes a test or a step
    partial = 8,         ///< part of the reduction that is followed
    reduced = 16,        ///< part of some reduction
    is_dead = 32
  };

  bool has(value_id v, mark m) const { return v < marks_.size() && (marks_[v] & m) != 0; }

  void set(value_id v, mark m) {
    if (marks_[v] == 0) {
      marked_.push_back(v);
    }
    marks_[v] = static_cast<unsigned char>(marks_[v] | m);
  }

  void clear_marks() {
    for (const value_id v : marked_) {
      marks_[v] = 0;
    }
    marked_.clear();
  }

  bool refuse(obstacle why, node_id n, value_id v = no_value, value_id second = no_value) {
    return reader_.refuse(why, n, v, second);
  }

  bool plan(loop_id outer, loop_id inner, loop_interchange& r) {
    if (!reader_.read_shape(outer, inner, r.outer, r.inner)) {
      return false;
    }
    r.is_rotated = r.outer.test == r.outer.latch;
    return reader_.read_counters(r.outer, r.inner, plan_.slices) && check_operations(r) && read_between(r) &&
           check_reductions(r) && check_reads(r) && find_dead(r) && check_places(r) && check_ends(r) &&
           find_dependences(r);
  }

  bool is_in(value_id v, loop_id l) const { return reader_.is_in(v, l); }

  bool is_between(value_id v, const loop_interchange& r) const {
    return reader_.is_between(v, r.outer.loop, r.inner.loop);
  }

  /// Effects are allowed in the body only.
  bool check_operations(const loop_interchange& r) {
    value_id wrong = no_value;
    for (const node_id n : loops_.blocks(r.outer.loop)) {
      const bool runs_elsewhere = !loops_.contains(r.inner.loop, n) || (!r.is_rotated && n == r.inner.header);
      bool is_fixed = false;
      for_each_id(ir_.values(n), [&](value_id v) {
        if (wrong != no_value || ir_.is_phi(v)) {
          return;
        }
        is_fixed = ir_.effect(v) == effect_kind::unknown || ir_.may_not_return(v) || is_fixed_access(ir_, v) ||
                   is_convergent(ir_, v);
        const bool ends_node = is_terminator(ir_, v) && ir_.effect(v) == effect_kind::none;
        if (is_fixed || (runs_elsewhere && !ends_node && !only_computes(ir_, v))) {
          wrong = v;
        }
      });
      if (wrong != no_value) {
        return refuse(is_fixed ? obstacle::fixed_order : obstacle::not_perfect, n, wrong);
      }
    }
    return true;
  }

  /// Finds the operations between the loops that depend on the outer counter, and among them those that the inner loop
  /// reads.
  bool read_between(loop_interchange& r) {
    order_.clear();
    for (node_id n = r.outer.header; n != r.inner.header;) { // the operations before the inner loop, in order
      for_each_id(ir_.values(n), [&](value_id v) { order_.push_back(v); });
      n = next_between(r, n);
    }
    for (node_id n = static_cast<node_id>(g_.edge_target(r.inner.exit));;) {
      if (n == r.outer.header) {
        break;
      }
      for_each_id(ir_.values(n), [&](value_id v) { order_.push_back(v); });
      n = next_between(r, n);
    }
    set(r.outer.counter, between_changes);
    for (const value_id v : order_) {
      if (ir_.is_phi(v) || is_terminator(ir_, v)) {
        continue;
      }
      bool changes = false;
      for_each_id(ir_.operands(v), [&](value_id x) { changes = changes || has(x, between_changes); });
      if (changes) {
        set(v, between_changes);
      }
    }
    for (std::size_t i = order_.size(); i-- != 0;) {
      const value_id v = order_[i];
      if (!has(v, between_changes) || v == r.outer.counter) {
        continue;
      }
      bool is_needed = false;
      for (const value_read& read : reads_.of(v)) {
        is_needed = is_needed || loops_.contains(r.inner.loop, read.node) || has(read.reader, needed);
      }
      if (is_needed) {
        set(v, needed);
      }
    }
    r.first_sunk = static_cast<std::uint32_t>(plan_.sunk.size());
    for (const value_id v : order_) {
      if (has(v, needed)) {
        plan_.sunk.push_back(v);
      }
    }
    r.last_sunk = static_cast<std::uint32_t>(plan_.sunk.size());
    return true;
  }

  node_id next_between(const loop_interchange& r, node_id n) const {
    node_id next = no_node;
    for_each_id(g_.out_edges(n),
                [&](edge_id e) { next = e == r.outer.exit ? next : static_cast<node_id>(g_.edge_target(e)); });
    return next;
  }

  // ---- Reductions: a sum that goes through all iterations, and is read nowhere else.

  bool check_reductions(loop_interchange& r) {
    r.first_loose = static_cast<std::uint32_t>(plan_.loose.size());
    value_id wrong = no_value;
    flat_array<value_id> phis;
    for_each_phi(ir_, r.outer.header, [&](value_id phi) {
      if (phi != r.outer.counter) {
        phis.push_back(phi);
      }
    });
    for (const value_id phi : phis) {
      if (!follow_reduction(phi, r)) {
        return false;
      }
    }
    for_each_phi(ir_, r.inner.header,
                 [&](value_id phi) { wrong = phi != r.inner.counter && !has(phi, reduced) ? phi : wrong; });
    for (const node_id n : loops_.own_blocks(r.outer.loop)) {
      for_each_phi(ir_, n, [&](value_id phi) { wrong = phi != r.outer.counter && !has(phi, reduced) ? phi : wrong; });
    }
    if (wrong != no_value) {
      return refuse(obstacle::carried_value, reads_.home(wrong), wrong);
    }
    if (!r.is_rotated) { // operations that stay in the header run for other pairs of counters than before
      for_each_id(ir_.values(r.inner.header), [&](value_id v) { loosen(v); });
      for (const value_id v : order_) {
        loosen(v);
      }
    }
    r.last_loose = static_cast<std::uint32_t>(plan_.loose.size());
    return true;
  }

  void loosen(value_id v) {
    if (!ir_.is_phi(v) && !is_terminator(ir_, v) && ir_.may_trap(v)) {
      plan_.loose.push_back(v);
    }
  }

  /// Checks that the partial results that begin with a phi of the outer header are one variable: at each point one of
  /// them is current, and each operation reads the current one and computes the next one.
  bool follow_reduction(value_id phi, loop_interchange& r) {
    flat_array<value_id> parts;
    set(phi, partial);
    set(phi, reduced);
    parts.push_back(phi);
    operation code = operation::other;
    for (std::size_t i = 0; i != parts.size(); ++i) {
      for (const value_read& read : reads_.of(parts[i])) {
        if (!loops_.contains(r.outer.loop, read.node)) {
          continue; // its reads are checked below
        }
        const value_id reader = read.reader;
        if (reader == no_value || is_terminator(ir_, reader)) {
          return refuse(obstacle::carried_value, read.node, parts[i]);
        }
        if (has(reader, partial)) {
          continue;
        }
        if (has(reader, reduced) || reader == r.outer.counter || reader == r.inner.counter) {
          return refuse(obstacle::carried_value, read.node, reader);
        }
        if (!ir_.is_phi(reader) && !is_step_of_reduction(reader, read, r, code)) {
          return refuse(ir_.effect(reader) == effect_kind::none && ir_.operation(reader).code == operation::other
                            ? obstacle::ordered_reduction
                            : obstacle::carried_value,
                        read.node, reader);
        }
        set(reader, partial);
        set(reader, reduced);
        parts.push_back(reader);
      }
    }
    const bool fits = check_present_value(phi, r);
    for (const value_id v : parts) {
      marks_[v] = static_cast<unsigned char>(marks_[v] & ~static_cast<unsigned>(partial));
      if (fits && !ir_.is_phi(v)) {
        plan_.loose.push_back(v);
      }
    }
    return fits;
  }

  bool is_step_of_reduction(value_id v, const value_read& read, const loop_interchange& r, operation& code) const {
    if (!is_in(v, r.inner.loop) || (!r.is_rotated && reads_.home(v) == r.inner.header) || !only_computes(ir_, v)) {
      return false;
    }
    const operation_info info = ir_.operation(v);
    const operation group = info.code == operation::sub && read.operand == 0 ? operation::add : info.code;
    if (!is_associative(group) || (code != operation::other && code != group)) {
      return false;
    }
    code = group;
    std::size_t count = 0;
    bool same_width = true;
    for_each_id(ir_.operands(v), [&](value_id x) {
      count += has(x, partial) ? 1u : 0u;
      same_width = same_width && ir_.operation(x).width == info.width;
    });
    return count == 1 && same_width;
  }

  /// Propagates the current value from the header along the edges of the loop; all paths to a node must agree on it.
  bool check_present_value(value_id phi, const loop_interchange& r) {
    const span<const node_id> blocks = loops_.blocks(r.outer.loop);
    for (const node_id n : blocks) {
      at_begin_[n] = at_end_[n] = no_value;
    }
    at_begin_[r.outer.header] = phi;
    flat_array<node_id> work;
    work.push_back(r.outer.header);
    value_id wrong = no_value;
    for (std::size_t i = 0; i != work.size() && wrong == no_value; ++i) {
      const node_id n = work[i];
      value_id present = at_begin_[n];
      for_each_id(ir_.values(n), [&](value_id v) {
        if (!has(v, partial)) {
          return;
        }
        bool fits = v == present; // the only phi
        if (!ir_.is_phi(v)) {
          for_each_id(ir_.operands(v), [&](value_id x) { fits = fits || x == present; });
        }
        wrong = fits ? wrong : v;
        present = v;
      });
      at_end_[n] = present;
      for_each_id(g_.out_edges(n), [&](edge_id e) {
        const auto to = static_cast<node_id>(g_.edge_target(e));
        if (!loops_.contains(r.outer.loop, to)) {
          return;
        }
        value_id there = no_value;
        for_each_phi(ir_, to, [&](value_id v) { there = has(v, partial) ? v : there; });
        if (there != no_value && static_cast<value_id>(ir_.phi_input(there, e)) != present) {
          wrong = there;
        }
        there = there == no_value ? present : there;
        if (at_begin_[to] == no_value) {
          at_begin_[to] = there;
          work.push_back(to);
        }
        wrong = at_begin_[to] == there ? wrong : there;
      });
    }
    if (wrong != no_value) {
      return refuse(obstacle::carried_value, reads_.home(wrong), wrong);
    }
    const value_id result = at_end_[r.outer.test];
    for (const node_id n : blocks) {
      for_each_id(ir_.values(n),
                  [&](value_id v) { wrong = has(v, partial) && v != result && is_read_outside(v, r) ? v : wrong; });
      if (wrong != no_value) {
        return refuse(obstacle::used_after, n, wrong);
      }
    }
    return true;
  }

  bool is_read_outside(value_id v, const loop_interchange& r) const {
    for (const value_read& read : reads_.of(v)) {
      if (!loops_.contains(r.outer.loop, read.node)) {
        return true;
      }
    }
    return false;
  }

  // ---- Reads.

  bool check_reads(const loop_interchange& r) {
    for (const counted_level* level : {&r.outer, &r.inner}) {
      for (const value_read& read : reads_.of(level->condition)) {
        if (read.node != level->test || (read.reader != no_value && !is_terminator(ir_, read.reader))) {
          return refuse(obstacle::condition_read, level->test, level->condition);
        }
      }
    }
    for (const node_id n : loops_.blocks(r.outer.loop)) {
      const bool is_inside = loops_.contains(r.inner.loop, n);
      value_id wrong = no_value;
      value_id inside = no_value;
      value_id fixed = no_value;
      for_each_id(ir_.values(n), [&](value_id v) {
        for (const value_read& read : reads_.of(v)) {
          if (has(v, reduced)) {
            continue;
          }
          if (!loops_.contains(r.outer.loop, read.node)) {
            wrong = v;
          } else if (is_inside && !loops_.contains(r.inner.loop, read.node)) {
            inside = read.reader == no_value ? v : read.reader;
          }
        }
        const bool is_replaced = v == r.outer.counter || v == r.inner.counter || has(v, needed) ||
                                 v == r.outer.condition || v == r.inner.condition;
        for (const value_read& read : reads_.of(v)) {
          const bool stays = is_replaced && read.reader != no_value && !ir_.is_phi(read.reader) &&
                             !is_terminator(ir_, read.reader) && !may_replace_operand(ir_, read.reader, read.operand);
          fixed = stays ? v : fixed;
        }
      });
      if (wrong != no_value) {
        return refuse(obstacle::used_after, n, wrong);
      }
      if (inside != no_value) {
        return refuse(obstacle::reads_inner, n, inside);
      }
      if (fixed != no_value) {
        return refuse(obstacle::fixed_operand, n, fixed);
      }
    }
    return true;
  }

  /// Finds operations without readers after the change: those between the loops that depend on the old counter, and
  /// those in the inner loop that only step and test its counter.
  bool find_dead(loop_interchange& r) {
    r.first_dead = static_cast<std::uint32_t>(plan_.dead.size());
    set(r.outer.counter, is_dead);
    set(r.inner.counter, is_dead);
    for (const value_id v : order_) {
      if (has(v, between_changes) && v != r.outer.counter) {
        set(v, is_dead);
      }
    }
    for (std::size_t i = order_.size(); i-- != 0;) {
      if (has(order_[i], is_dead) && order_[i] != r.outer.counter) {
        plan_.dead.push_back(order_[i]);
      }
    }
    for (const std::uint32_t* range : {&r.inner.first_test, &r.inner.first_step}) {
      const std::uint32_t last = range == &r.inner.first_test ? r.inner.last_test : r.inner.last_step;
      for (std::uint32_t i = *range; i != last; ++i) {
        set(plan_.slices[i], controls);
      }
    }
    for (bool changed = true; changed;) { // the slices are short
      changed = false;
      for (std::uint32_t i = r.inner.last_step; i-- != r.inner.first_test;) {
        const value_id v = plan_.slices[i];
        bool is_read = has(v, is_dead);
        for (const value_read& read : reads_.of(v)) {
          const bool goes = v == r.inner.condition || read.reader == r.inner.counter || has(read.reader, is_dead);
          is_read = is_read || !goes;
        }
        if (!is_read) {
          set(v, is_dead);
          plan_.dead.push_back(v);
          changed = true;
        }
      }
    }
    r.last_dead = static_cast<std::uint32_t>(plan_.dead.size());
    return true;
  }

  bool check_places(const loop_interchange& r) {
    for (const counted_level* level : {&r.outer, &r.inner}) {
      for (const node_id n : {level->test, level->latch, level->header}) {
        if (!accepts_operations(ir_, n)) {
          return refuse(obstacle::no_place, n);
        }
      }
      if (!may_insert_phi(ir_, level->counter)) {
        return refuse(obstacle::no_place, level->header, level->counter);
      }
    }
    const bool negates = r.outer.stays_if != r.inner.stays_if;
    for (const counted_level* level : {&r.outer, &r.inner}) {
      if (negates && negated(ir_.operation(level->condition).code) == operation::other) {
        return refuse(obstacle::not_counted, level->test, level->condition);
      }
    }
    return true;
  }

  // ---- Ends: a loop that tests first may run no iteration, and then the other counter did not count.

  bool check_ends(const loop_interchange& r) {
    if (r.is_rotated) {
      return true;
    }
    const trip_count& a = found_.trips(r.outer.loop).count;
    const trip_count& b = found_.trips(r.inner.loop).count;
    if (a.kind == trip_count_kind::exact && b.kind == trip_count_kind::exact && a.backedges != 0 && b.backedges != 0) {
      return true;
    }
    for (const counted_level* level : {&r.outer, &r.inner}) {
      if (!meets_bound(*level)) {
        return refuse(obstacle::may_not_end, level->test, level->counter);
      }
    }
    return true;
  }

  /// Whether the counter steps by 1 or -1 to a bound. Such a loop ends for every start and bound, even if the counter
  /// wraps.
  bool meets_bound(const counted_level& level) const {
    const operation_info test = ir_.operation(level.condition);
    const operation_info step = ir_.operation(level.next);
    if (!is_comparison(test.code) || level.last_step - level.first_step != 1 ||
        (step.code != operation::add && step.code != operation::sub)) {
      return false;
    }
    value_id compared[2] = {no_value, no_value};
    read_two(level.condition, compared);
    value_id added[2] = {no_value, no_value};
    read_two(level.next, added);
    const bool is_second = compared[1] == level.counter;
    const value_id bound = compared[is_second ? 0 : 1];
    const bool step_is_first = step.code == operation::add && added[1] == level.counter;
    const value_id by = added[step_is_first ? 0 : 1];
    const auto number = by == no_value ? std::nullopt : ir_.constant(by);
    const unsigned width = ir_.operation(level.counter).width;
    if (!number || compared[is_second ? 1 : 0] != level.counter || added[step_is_first ? 1 : 0] != level.counter ||
        is_in(bound, level.loop) || test.operand_width != width || step.width != width) {
      return false;
    }
    const std::uint64_t bits =
        step.code == operation::sub ? 0 - static_cast<std::uint64_t>(*number) : static_cast<std::uint64_t>(*number);
    const bool up = (bits & low_ones(width)) == 1;
    const bool down = (bits & low_ones(width)) == low_ones(width);
    operation stays = is_second ? mirrored(test.code) : test.code;
    stays = level.stays_if ? stays : negated(stays);
    const bool to_above = stays == operation::less || stays == operation::uless;
    const bool to_below = stays == operation::greater || stays == operation::ugreater;
    return ((up || down) && stays == operation::not_equal) || (up && to_above) || (down && to_below);
  }

  void read_two(value_id v, value_id (&out)[2]) const {
    std::size_t i = 0;
    for_each_id(ir_.operands(v), [&](value_id x) {
      if (i < 2) {
        out[i] = x;
      }
      ++i;
    });
  }

  // ---- Dependences.

  bool find_dependences(loop_interchange& r) {
    if (order_of_nodes_.num_nodes() == 0) {
      weak_topological_order_workspace workspace;
      weak_topological_order(g_, workspace, order_of_nodes_);
    }
    read_nest(ir_, loops_, flow_.dominators, found_, facts_, r.outer.loop, order_of_nodes_, nest_workspace_, nest_);
    if (nest_.obstacle != nest_obstacle::none) {
      return refuse(obstacle::irreducible, r.inner.header);
    }
    const nest_accesses& accesses = nest_.accesses;
    r.first_pair = static_cast<std::uint32_t>(plan_.pairs.size());
    std::size_t pairs = 0;
    for (access_id a = 0; a != accesses.num_accesses(); ++a) {
      for (access_id b = a; b != accesses.num_accesses(); ++b) {
        if (!accesses.access(a).writes && !accesses.access(b).writes) {
          continue;
        }
        if (++pairs > options_.max_pairs) {
          return refuse(obstacle::too_many_accesses, r.inner.header);
        }
        dependence_result result;
        dependence(accesses, a, b, {}, dependence_workspace_, result);
        for (const dependence_case& c : result.cases) {
          if (c.kind == dependence_case_kind::possible && may_change_places(result.orders_of(c))) {
            return refuse(c.has_witness ? obstacle::dependence : obstacle::maybe_dependence, r.inner.header,
                          accesses.access(a).operation, accesses.access(b).operation);
          }
        }
        plan_.pairs.push_back(result);
      }
    }
    r.last_pair = static_cast<std::uint32_t>(plan_.pairs.size());
    return true;
  }

  /// Whether iterations may be in direction (<, >) or (>, <).
  static bool may_change_places(span<const iteration_order> orders) {
    using enum iteration_order;
    const bool may_be_before = orders.empty() || orders[0] == before;
    const bool may_be_after = orders.empty() || orders[0] == after;
    const bool inner_before = orders.size() < 2 || orders[1] == before;
    const bool inner_after = orders.size() < 2 || orders[1] == after;
    return (may_be_before && inner_after) || (may_be_after && inner_before);
  }

  const IR& ir_;
  const decltype(ir_.graph()) g_;
  const dominators_and_loops_result& flow_;
  const loop_forest& loops_;
  const value_evolutions& found_;
  span<const number_facts> facts_;
  const interchange_options& options_;
  interchange_plan& plan_;
  value_reads<IR> reads_;
  loop_pair_reader<IR> reader_;
  flat_array<unsigned char> marks_; ///< by value
  flat_array<value_id> marked_;
  flat_array<value_id> order_;    ///< the values between the loops, in order
  flat_array<value_id> at_begin_; ///< by node: the current value of the reduction
  flat_array<value_id> at_end_;
  hierarchical_ordering order_of_nodes_;
  read_nest_workspace nest_workspace_;
  function_nest nest_;
  dependence_workspace dependence_workspace_;
};

} // namespace detail

/// Plans which pairs of perfectly nested loops are interchanged: the inner counter then counts in the outer loop.
/// Legality alone decides, not profit. J. R. Allen, K. Kennedy, "Automatic loop interchange", SIGPLAN Symposium on
/// Compiler Construction, 1984.
///
/// **Form.** Both loops have one entering edge, one backedge and one exit, and test both in the header or both in the
/// latch, by a comparison that one phi of the header decides, with start, step and bound from outside of both loops.
/// Between the loops there is no branch, and only operations that compute; those that depend on the outer counter move
/// into the inner loop. After the loops, only the result of a reduction is read.
///
/// **Order.** No dependence may have the direction (<, >), and each pair of accesses with a write must be proven to
/// have none. Calls, volatile accesses and operations that may not return must stay in order, so they prevent the
/// interchange. An operation that traps does so in both orders; the memory that a trapping run leaves is not defined.
/// Reductions by integer addition, multiplication, bits, minimum and maximum are reordered; their partial results must
/// not be read, and their operations lose their promises.
///
/// **Loops that may not run.** Loops that test in the latch run at least once, with or without interchange. If they
/// test in the header, the inner counter afterwards counts even where the outer loop ran no iteration. So it must be
/// known to end: both loops run a known number of times, at least once, or count by one to a bound.
///
/// Of each nest, the outermost legal pair is planned. Requires the flow of `ir.graph()`, and `found` from
/// `evolutions(ir, flow.loops, facts)`; `facts` may be empty. Unreachable code stays. O(values + operands), and one
/// `dependence` query for each pair of accesses.
///
///     for (i = 0; i != m; ++i)          for (j = 0; j != n; ++j)
///       for (j = 0; j != n; ++j)   →      for (i = 0; i != m; ++i)
///         a[j][i] = …                       a[j][i] = …
template <interchangeable_ir IR>
interchange_plan plan_interchange(const IR& ir, const dominators_and_loops_result& flow, const value_evolutions& found,
                                  span<const number_facts> facts = {}, const interchange_options& options = {}) {
  interchange_plan out;
  out.epoch = graph_epoch(ir.graph());
  if (flow.loops.num_loops() != 0) {
    detail::interchange_planner<IR>(ir, flow, found, facts, options, out).run();
  }
  return out;
}

namespace detail {

/// Exchanges the counters of the planned nests.
template <class E> class interchange_writer {
public:
  interchange_writer(E& editor, const interchange_plan& plan) : editor_(editor), plan_(plan) {}

  void write(const loop_interchange& r) {
    interchanged_nest done{r.outer.header, r.inner.header, r.outer.counter, r.inner.counter,
                           no_value,       no_value,       r.first_pair,    r.last_pair};
    done.new_outer = static_cast<value_id>(editor_.insert_phi(r.outer.header, r.inner.counter));
    done.new_inner = static_cast<value_id>(editor_.insert_phi(r.inner.header, r.outer.counter));
    const bool negates = r.outer.stays_if != r.inner.stays_if;
    const value_id outer_condition = count(r.inner, done.new_outer, r.outer, negates, r.is_rotated);
    const value_id inner_condition = count(r.outer, done.new_inner, r.inner, negates, r.is_rotated);
    sink(r, done.new_inner);
    editor_.replace_uses(r.inner.counter, done.new_outer);
    editor_.replace_uses(r.outer.counter, done.new_inner);
    editor_.replace_uses(r.outer.condition, outer_condition);
    editor_.replace_uses(r.inner.condition, inner_condition);
    for (const counted_level* level : {&r.outer, &r.inner}) {
      editor_.set_phi_input(level->counter, level->entering, no_value);
      editor_.set_phi_input(level->counter, level->back, no_value);
    }
    for (std::uint32_t i = r.first_dead; i != r.last_dead; ++i) {
      editor_.erase_value(plan_.dead[i]);
    }
    editor_.erase_value(r.outer.counter);
    editor_.erase_value(r.inner.counter);
    for (std::uint32_t i = r.first_loose; i != r.last_loose; ++i) {
      if (!is_erased(r, plan_.loose[i])) {
        editor_.drop_promises(plan_.loose[i]);
      }
    }
    forget_counts(editor_, r.outer, r.inner);
    witness_.nests.push_back(done);
  }

  interchange_witness take_witness() {
    witness_.pairs = plan_.pairs;
    return witness_;
  }

private:
  bool is_erased(const loop_interchange& r, value_id v) const {
    for (std::uint32_t i = r.first_dead; i != r.last_dead; ++i) {
      if (plan_.dead[i] == v) {
        return true;
      }
    }
    return false;
  }

  /// Rebuilds the counter of loop `from` in loop `to`, with `phi`. Returns the condition.
  value_id count(const counted_level& from, value_id phi, const counted_level& to, bool negates, bool keeps_promises) {
    editor_.set_phi_input(phi, to.entering, from.start);
    images_.clear();
    images_.push_back({phi, from.counter});
    value_id condition = no_value;
    for (std::uint32_t i = from.first_test; i != from.last_test; ++i) {
      const value_id v = plan_.slices[i];
      const bool is_negated = negates && v == from.condition;
      const value_id copy =
          is_negated ? negated_copy(v, place_at_end(to.test)) : copied(v, place_at_end(to.test), keeps_promises);
      condition = v == from.condition ? copy : condition;
    }
    if (to.test != to.latch) {
      images_.clear();
      images_.push_back({phi, from.counter});
    }
    for (std::uint32_t i = from.first_step; i != from.last_step; ++i) {
      if (image(plan_.slices[i]) == plan_.slices[i]) {
        copied(plan_.slices[i], place_at_end(to.latch), keeps_promises);
      }
    }
    editor_.set_phi_input(phi, to.back, image(from.next));
    return condition;
  }

  /// Copies the operations that depend on the outer counter to the inner header, where the new counter is.
  void sink(const loop_interchange& r, value_id phi) {
    const std::size_t first = witness_.copies.size();
    images_.clear();
    images_.push_back({phi, r.outer.counter});
    for (std::uint32_t i = r.last_sunk; i-- != r.first_sunk;) { // each to before the one after it
      const auto copy = static_cast<value_id>(editor_.clone_value(plan_.sunk[i], place_at_head(r.inner.header)));
      images_.push_back({copy, plan_.sunk[i]});
      witness_.copies.push_back({copy, plan_.sunk[i]});
    }
    for (std::size_t i = first; i != witness_.copies.size(); ++i) {
      read_images(witness_.copies[i].copy);
      if (!r.is_rotated) {
        editor_.drop_promises(witness_.copies[i].copy);
      }
    }
    // Runs after the operands of all copies are right.
    for (std::size_t i = first; i != witness_.copies.size(); ++i) {
      editor_.replace_uses(witness_.copies[i].original, witness_.copies[i].copy);
    }
  }

  value_id copied(value_id v, place where, bool keeps_promises) {
    const auto copy = static_cast<value_id>(editor_.clone_value(v, where));
    read_images(copy);
    if (!keeps_promises) {
      editor_.drop_promises(copy);
    }
    images_.push_back({copy, v});
    witness_.copies.push_back({copy, v});
    return copy;
  }

  value_id negated_copy(value_id v, place where) {
    operation_info info = editor_.operation(v);
    info.code = negated(info.code);
    value_id operands[2] = {no_value, no_value};
    std::size_t i = 0;
    for_each_id(editor_.operands(v), [&](value_id x) { operands[i++ & 1] = image(x); });
    const auto copy = static_cast<value_id>(editor_.make_operation(info, span<const value_id>(operands, 2), where));
    images_.push_back({copy, v});
    witness_.copies.push_back({copy, v});
    return copy;
  }

  void read_images(value_id copy) {
    operands_.clear();
    for_each_id(editor_.operands(copy), [&](value_id x) { operands_.push_back(x); });
    for (std::size_t i = 0; i != operands_.size(); ++i) {
      if (image(operands_[i]) != operands_[i]) {
        editor_.set_operand(copy, i, image(operands_[i]));
      }
    }
  }

  value_id image(value_id v) const {
    for (const copied_operation& c : images_) {
      if (c.original == v) {
        return c.copy;
      }
    }
    return v;
  }

  E& editor_;
  const interchange_plan& plan_;
  interchange_witness witness_;
  flat_array<copied_operation> images_; ///< for the level that is rebuilt
  flat_array<value_id> operands_;
};

} // namespace detail

/// Applies a plan for the program as it is. Nodes and edges stay. The two counters, with their steps and tests, and the
/// operations between the loops are rebuilt at the other level. Profile counts that change become unknown.
/// `verify_interchange` checks the result. O(copied operations · their reads).
template <interchange_editor E> interchange_witness apply_interchange(E& editor, const interchange_plan& plan) {
  MIDEND_ASSERT(plan.epoch == graph_epoch(editor.graph()), "a plan for this graph as it is now", plan.epoch);
  detail::interchange_writer<E> writer(editor, plan);
  for (const loop_interchange& r : plan.nests) {
    writer.write(r);
  }
  flat_array<node_id> headers; // of loops whose iterations have changed
  for (const loop_interchange& r : plan.nests) {
    headers.push_back(r.outer.header);
    headers.push_back(r.inner.header);
  }
  detail::clear_local_classes(editor, headers);
  return writer.take_witness();
}

MIDEND_END_NAMESPACE
