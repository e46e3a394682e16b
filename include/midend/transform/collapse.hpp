/// `collapse`: an inner loop merges with the loop around it, and two counters become one.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/trip_count.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/fixed_operands.hpp"
#include "midend/ir/frozen.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/collapse_plan.hpp"
#include "midend/transform/detail/local_classes.hpp"
#include "midend/transform/detail/loop_pair_reader.hpp"
#include "midend/transform/detail/value_reads.hpp"
#include "midend/transform/loop_pair_obstacle.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// What `plan_collapse` reads: effects, the vocabulary, and numbers of 64 bits.
template <class IR>
concept collapsible_ir = effect_ir<IR> && freezable_ir<IR> && has_operation<IR> && has_cases_of_edges<IR>;

/// What `apply_collapse` requires of an editor.
template <class E>
concept collapse_editor = operation_editor<E> && has_graph<E> && graph_is_edge_indexed<E> && can_keep_edges<E>;

namespace detail {

/// Plans the collapses of one function.
template <class IR> class collapse_planner {
public:
  collapse_planner(const IR& ir, const loop_forest& loops, const value_evolutions& found,
                   const collapse_options& options, collapse_plan& plan)
      : ir_(ir), g_(ir.graph()), loops_(loops), found_(found), options_(options), plan_(plan), reads_(ir),
        reader_(ir, loops, reads_), marks_(static_cast<std::size_t>(ir.num_values()), 0) {}

  void run() {
    flat_array<unsigned char> is_taken(loops_.num_loops(), 0);
    for (auto outer = static_cast<loop_id>(loops_.num_loops()); outer-- != 0;) { // inner ones first
      if (loops_.subloops(outer).size() < 2 || (options_.only != no_loop && options_.only != outer)) {
        continue;
      }
      const auto inner = static_cast<loop_id>(outer + 1);
      const std::size_t sizes[4] = {plan_.linear.size(), plan_.carried.size(), plan_.dead.size(), plan_.loose.size()};
      loop_collapse r;
      bool fits = plan(outer, inner, r);
      if (fits && is_taken[outer] != 0) {
        fits = reader_.refuse(loop_pair_obstacle::overlaps, r.inner.header);
      }
      for (const value_id v : marked_) {
        marks_[v] = 0;
      }
      marked_.clear();
      if (fits) {
        take_nest(loops_, outer, is_taken);
        plan_.nests.push_back(r);
        continue;
      }
      plan_.linear.shrink(sizes[0]);
      plan_.carried.shrink(sizes[1]);
      plan_.dead.shrink(sizes[2]);
      plan_.loose.shrink(sizes[3]);
      plan_.refused.push_back(reader_.refusal());
    }
  }

private:
  using obstacle = loop_pair_obstacle;

  enum mark : unsigned char { is_linear = 1, is_live = 2, stays_phi = 4, is_listed = 8, was_opened = 16 };

  bool has(value_id v, mark m) const { return v < marks_.size() && (marks_[v] & m) != 0; }

  void set(value_id v, mark m) {
    if (marks_[v] == 0) {
      marked_.push_back(v);
    }
    marks_[v] = static_cast<unsigned char>(marks_[v] | m);
  }

  bool refuse(obstacle why, node_id n, value_id v = no_value) { return reader_.refuse(why, n, v); }

  bool plan(loop_id outer, loop_id inner, loop_collapse& r) {
    if (!reader_.read_shape(outer, inner, r.outer, r.inner)) {
      return false;
    }
    if (r.outer.test != r.outer.latch) {
      return refuse(obstacle::not_rotated, r.outer.header);
    }
    if (!count(r.outer, r.outer_trips) || !count(r.inner, r.inner_trips)) {
      return false;
    }
    if (r.inner_trips > ~std::uint64_t{0} / r.outer_trips) {
      return refuse(obstacle::product_may_wrap, r.outer.header);
    }
    if (!check_operations(r)) {
      return false;
    }
    find_counter(r);
    return find_carried(r) && find_dead(r);
  }

  bool count(const counted_level& level, std::uint64_t& trips) {
    const trip_count& c = found_.trips(level.loop).count;
    const std::optional<std::uint64_t> n = c.header_executions();
    trips = c.kind == trip_count_kind::exact ? n.value_or(0) : 0;
    return trips != 0 || refuse(obstacle::unknown_count, level.header);
  }

  /// Checks the operations between the loops, which run once in each iteration of the new loop.
  bool check_operations(loop_collapse& r) {
    r.first_loose = static_cast<std::uint32_t>(plan_.loose.size());
    value_id wrong = no_value;
    for (const node_id n : loops_.blocks(r.outer.loop)) {
      bool is_fixed = false;
      const bool is_between = !loops_.contains(r.inner.loop, n);
      for_each_id(ir_.values(n), [&](value_id v) {
        if (wrong != no_value || ir_.is_phi(v)) {
          return;
        }
        const bool ends_node = is_terminator(ir_, v) && ir_.effect(v) == effect_kind::none;
        is_fixed = is_convergent(ir_, v);
        if (is_fixed || (is_between && !ends_node && !only_computes(ir_, v))) {
          wrong = v;
        } else if (is_between && !ends_node && ir_.may_trap(v)) {
          plan_.loose.push_back(v);
        }
      });
      if (wrong != no_value) {
        return refuse(is_fixed ? obstacle::fixed_order : obstacle::not_perfect, n, wrong);
      }
    }
    r.last_loose = static_cast<std::uint32_t>(plan_.loose.size());
    for (const node_id n : {r.outer.header, r.outer.latch}) {
      if (!accepts_operations(ir_, n) || !may_redirect(ir_, r.inner.exit)) {
        return refuse(obstacle::no_place, n);
      }
    }
    return true;
  }

  /// Finds a value of the inner loop that can be the counter: it grows by one step in each iteration, also from the
  /// last iteration of a row to the first of the next row.
  void find_counter(loop_collapse& r) {
    const std::uint64_t product = r.outer_trips * r.inner_trips;
    r.first_linear = static_cast<std::uint32_t>(plan_.linear.size());
    for (const node_id n : loops_.own_blocks(r.inner.loop)) {
      for_each_id(ir_.values(n), [&](value_id v) {
        if (ir_.is_phi(v) || is_terminator(ir_, v) || !only_computes(ir_, v) || !may_replace(v)) {
          return;
        }
        const bool is_first = plan_.linear.size() == r.first_linear;
        std::uint64_t start = 0;
        std::uint64_t step = 0;
        if (!read_linear(v, r, start, step)) {
          return;
        }
        const unsigned width = ir_.operation(v).width;
        if (!is_first && (start != r.start || step != r.step || width != r.width)) {
          return;
        }
        const auto zeros = static_cast<unsigned>(std::countr_zero(step));
        if (is_first && width - zeros < 64 && product > std::uint64_t{1} << (width - zeros)) {
          return; // it would reach its last number too early
        }
        r.start = start;
        r.step = step;
        r.width = width;
        plan_.linear.push_back(v);
        set(v, is_linear);
      });
    }
    r.last_linear = static_cast<std::uint32_t>(plan_.linear.size());
    r.bound = (r.start + r.step * product) & low_ones(r.width);
  }

  bool may_replace(value_id v) const {
    bool fits = true;
    for (const value_read& read : reads_.of(v)) {
      fits = fits && read.reader != no_value &&
             (ir_.is_phi(read.reader) || may_replace_operand(ir_, read.reader, read.operand));
    }
    return fits;
  }

  bool read_linear(value_id v, const loop_collapse& r, std::uint64_t& start, std::uint64_t& step) const {
    const unsigned width = ir_.operation(v).width;
    if (ir_.operation(v).code == operation::other || width == 0 || width > 64) {
      return false;
    }
    const nested_evolution e = found_.in_scope(v, r.outer.loop);
    if (!e.is_known() || !e.is_affine() || e.num_loops != 2 || e.width != width) {
      return false;
    }
    std::uint64_t of_outer = 0;
    start = step = 0;
    for (std::uint32_t i = 0; i != e.num_terms; ++i) {
      const nested_evolution::term& t = e.terms[i];
      if (t.value != no_value) {
        return false;
      }
      (t.degrees[0] != 0 ? of_outer : t.degrees[1] != 0 ? step : start) = t.coefficient;
    }
    return step != 0 && ((step * r.inner_trips - of_outer) & low_ones(width)) == 0;
  }

  // ---- Phis of the two headers.

  value_id start_of(value_id phi, const counted_level& level) const {
    return static_cast<value_id>(ir_.phi_input(phi, level.entering));
  }

  value_id next_of(value_id phi, const counted_level& level) const {
    return static_cast<value_id>(ir_.phi_input(phi, level.back));
  }

  bool is_header_phi(value_id v, const counted_level& level) const {
    return v != no_value && ir_.is_phi(v) && reads_.home(v) == level.header;
  }

  /// The input of a phi with a single input, and so on; any other value itself.
  value_id passed_on(value_id v, const loop_collapse& r) const {
    for (int i = 0; i != 8; ++i) {
      if (v == no_value || !ir_.is_phi(v) || !reader_.is_between(v, r.outer.loop, r.inner.loop) ||
          reads_.home(v) != static_cast<node_id>(g_.edge_target(r.inner.exit))) {
        return v;
      }
      std::size_t edges = 0;
      for_each_id(g_.out_edges(r.inner.test), [&](edge_id e) { edges += e == r.inner.exit ? 1u : 0u; });
      v = edges == 1 ? static_cast<value_id>(ir_.phi_input(v, r.inner.exit)) : v;
    }
    return v;
  }

  /// Whether both phis are one variable already: only the inner phi reads the outer one, which gets the inner phi's
  /// last value.
  bool continues(value_id outer_phi, value_id inner_phi, const loop_collapse& r) const {
    const span<const value_read> readers = reads_.of(outer_phi);
    return readers.size() == 1 && readers[0].reader == inner_phi &&
           passed_on(next_of(outer_phi, r.outer), r) == next_of(inner_phi, r.inner);
  }

  bool find_carried(loop_collapse& r) {
    // The needed operations, beginning with those that have effects or other readers.
    flat_array<value_id> work;
    const auto need = [&](value_id v) {
      if (reader_.is_in(v, r.outer.loop) && !has(v, is_live) && !has(v, is_linear)) {
        set(v, is_live);
        work.push_back(v);
      }
    };
    for (const node_id n : loops_.blocks(r.outer.loop)) {
      for_each_id(ir_.values(n), [&](value_id v) {
        bool is_root = !ir_.is_phi(v) && !only_computes(ir_, v);
        const bool is_test = is_terminator(ir_, v) && (n == r.outer.test || n == r.inner.test);
        for (const value_read& read : reads_.of(v)) {
          is_root = is_root || !loops_.contains(r.outer.loop, read.node);
        }
        if (is_root && !is_test) {
          need(v);
        }
      });
      if (n != r.outer.test && n != r.inner.test) {
        need(static_cast<value_id>(ir_.condition(n)));
      }
    }
    r.first_carried = static_cast<std::uint32_t>(plan_.carried.size());
    for (std::size_t i = 0; i != work.size(); ++i) {
      const value_id v = work[i];
      if (is_header_phi(v, r.inner)) {
        const value_id start = start_of(v, r.inner);
        const bool of_phi = is_header_phi(start, r.outer);
        if (of_phi && continues(start, v, r)) {
          set(v, stays_phi);
          set(start, stays_phi);
          need(start);
          need(next_of(start, r.outer));
          need(next_of(v, r.inner));
          continue;
        }
        if (!of_phi && reader_.is_in(start, r.outer.loop)) {
          return refuse(obstacle::carried_value, r.inner.header, v);
        }
        plan_.carried.push_back({v, true, of_phi ? start_of(start, r.outer) : start, next_of(v, r.inner),
                                 of_phi ? next_of(start, r.outer) : start});
      } else if (is_header_phi(v, r.outer)) {
        if (has(v, stays_phi)) {
          continue;
        }
        plan_.carried.push_back({v, false, no_value, v, next_of(v, r.outer)});
      } else {
        for_each_operand(v, [&](value_id x) { need(x); });
        continue;
      }
      need(plan_.carried.back().stays);
      need(plan_.carried.back().leaves);
      need(r.inner.condition);
      const unsigned width = ir_.operation(v).width;
      if (width == 0 || width > 64 || !may_insert_phi(ir_, v)) {
        return refuse(obstacle::no_place, r.outer.header, v);
      }
      for (const value_read& read : reads_.of(v)) {
        if (read.reader != no_value && !ir_.is_phi(read.reader) && !is_terminator(ir_, read.reader) &&
            !may_replace_operand(ir_, read.reader, read.operand)) {
          return refuse(obstacle::fixed_operand, r.outer.header, v);
        }
      }
    }
    r.last_carried = static_cast<std::uint32_t>(plan_.carried.size());
    return true;
  }

  template <class Visit> void for_each_operand(value_id v, Visit visit) const {
    for_each_id(ir_.operands(v), [&](value_id x) {
      if (x != no_value) {
        visit(x);
      }
    });
  }

  /// Lists the rest for erasing, readers before operands. Phis lose their inputs before, so they read nothing.
  bool find_dead(loop_collapse& r) {
    r.first_dead = static_cast<std::uint32_t>(plan_.dead.size());
    flat_array<value_id> stack;
    flat_array<value_id> order; // operands first
    for (const node_id n : loops_.blocks(r.outer.loop)) {
      for_each_id(ir_.values(n), [&](value_id v) { stack.push_back(v); });
      while (!stack.empty()) {
        const value_id v = stack.back();
        const bool goes = reader_.is_in(v, r.outer.loop) && !has(v, is_live) && !has(v, is_listed) &&
                          (ir_.is_phi(v) || only_computes(ir_, v));
        if (!goes || has(v, was_opened)) {
          stack.pop_back();
          if (goes) {
            set(v, is_listed);
            order.push_back(v);
          }
          continue;
        }
        set(v, was_opened);
        if (!ir_.is_phi(v)) {
          for_each_operand(v, [&](value_id x) {
            if (!has(x, was_opened)) {
              stack.push_back(x);
            }
          });
        }
      }
    }
    for (std::size_t i = order.size(); i-- != 0;) {
      plan_.dead.push_back(order[i]);
    }
    r.last_dead = static_cast<std::uint32_t>(plan_.dead.size());
    return true;
  }

  const IR& ir_;
  const decltype(ir_.graph()) g_;
  const loop_forest& loops_;
  const value_evolutions& found_;
  const collapse_options& options_;
  collapse_plan& plan_;
  value_reads<IR> reads_;
  loop_pair_reader<IR> reader_;
  flat_array<unsigned char> marks_; ///< by value
  flat_array<value_id> marked_;
};

} // namespace detail

/// Plans which inner loops merge with the loop around them, so that one counter counts the iterations of both. Legality
/// alone decides, not profit. C. Polychronopoulos, "Loop coalescing: a compiler transformation for parallel machines",
/// ICPP 1987; without its divisions.
///
/// **Form.** Both loops have one entering edge, one backedge and one exit, and test in the latch; between them there is
/// no branch, and only operations that compute. Both trip counts are exact, and their product fits in 64 bits, so the
/// new loop ends after the product. Iterations keep their order, so memory accesses and calls need no check.
///
/// **The counter.** A value of the inner loop that grows by the same step in all iterations, such as i · n + j for an
/// inner loop of n iterations, becomes the counter; then i and j may become dead. It must not reach its final number
/// twice. Without such a value a new counter runs from 0 to the product.
///
/// **What iterations carry.** Phis of the inner header move to the outer one. At the end of an iteration, a select by
/// the old test of the inner loop computes the next value of each phi that is still needed, without a division. Values
/// that go through both loops, such as sums, stay as they are.
///
/// Of each nest, the innermost legal pair is planned. Requires the forest of `ir.graph()`, with boundaries, and `found`
/// the result of `evolutions(ir, loops, …)`. Unreachable code stays. O(values + operands).
///
///     for (i = 0; i != m; ++i)               for (k = 0; k != m · n; ++k)
///       for (j = 0; j != n; ++j)      →        a[k] = …
///         a[i · n + j] = …
template <collapsible_ir IR>
collapse_plan plan_collapse(const IR& ir, const loop_forest& loops, const value_evolutions& found,
                            const collapse_options& options = {}) {
  collapse_plan out;
  out.epoch = graph_epoch(ir.graph());
  if (loops.num_loops() != 0) {
    detail::collapse_planner<IR>(ir, loops, found, options, out).run();
  }
  return out;
}

namespace detail {

template <class E> class collapse_writer {
public:
  collapse_writer(E& editor, const collapse_plan& plan) : editor_(editor), plan_(plan) {}

  /// Whether the IR can represent the counter, and each phi that a select computes is a number. Called for all nests
  /// before the first change.
  bool can_write(const loop_collapse& r) {
    bool fits = static_cast<value_id>(editor_.make_number(r.width, r.start)) != no_value;
    for (std::uint32_t i = r.first_linear; i != r.last_linear; ++i) {
      fits = fits && is_number(plan_.linear[i], r.width);
    }
    for (std::uint32_t i = r.first_carried; i != r.last_carried; ++i) {
      const value_id v = plan_.carried[i].phi;
      fits = fits && is_number(v, editor_.operation(v).width);
    }
    return fits;
  }

  void write(const loop_collapse& r) {
    collapsed_nest done{r.outer.header, r.inner.header, no_value, r.first_linear, r.last_linear};
    const auto start = static_cast<value_id>(editor_.make_number(r.width, r.start));
    const auto step = static_cast<value_id>(editor_.make_number(r.width, r.step));
    const auto bound = static_cast<value_id>(editor_.make_number(r.width, r.bound));
    done.counter = static_cast<value_id>(editor_.insert_phi(r.outer.header, start));
    const place end = place_at_end(r.outer.latch);
    const value_id next = make({operation::add, byte(r.width), byte(r.width), {}}, {done.counter, step}, 2, end);
    const operation test = r.outer.stays_if ? operation::not_equal : operation::equal;
    const value_id condition = make({test, 1, byte(r.width), {}}, {next, bound}, 2, end);
    editor_.set_phi_input(done.counter, r.outer.entering, start);
    editor_.set_phi_input(done.counter, r.outer.back, next);
    const std::size_t first_moved = witness_.moved.size();
    for (std::uint32_t i = r.first_carried; i != r.last_carried; ++i) {
      const carried_phi& c = plan_.carried[i];
      const auto width = byte(editor_.operation(c.phi).width);
      const bool holds = r.inner.stays_if;
      const value_id chosen = make({operation::select, width, width, {}},
                                   {r.inner.condition, holds ? c.stays : c.leaves, holds ? c.leaves : c.stays}, 3, end);
      if (!c.moves) {
        editor_.set_phi_input(c.phi, r.outer.back, chosen);
        continue;
      }
      const auto phi = static_cast<value_id>(editor_.insert_phi(r.outer.header, c.phi));
      editor_.set_phi_input(phi, r.outer.entering, c.start);
      editor_.set_phi_input(phi, r.outer.back, chosen);
      witness_.moved.push_back({phi, c.phi});
    }
    for (std::size_t i = first_moved; i != witness_.moved.size(); ++i) {
      editor_.replace_uses(witness_.moved[i].original, witness_.moved[i].copy);
    }
    for (std::uint32_t i = r.first_linear; i != r.last_linear; ++i) {
      editor_.replace_uses(plan_.linear[i], done.counter);
    }
    set_test(r, condition);
    forget_counts(editor_, r.outer, r.inner);
    editor_.keep_edge(r.inner.exit);
    for (std::uint32_t i = r.first_dead; i != r.last_dead; ++i) {
      if (editor_.is_phi(plan_.dead[i])) {
        take_inputs(plan_.dead[i]);
      }
    }
    for (std::size_t i = first_moved; i != witness_.moved.size(); ++i) {
      take_inputs(witness_.moved[i].original);
      editor_.erase_value(witness_.moved[i].original);
    }
    for (std::uint32_t i = r.first_dead; i != r.last_dead; ++i) {
      editor_.erase_value(plan_.dead[i]);
    }
    for (std::uint32_t i = r.first_loose; i != r.last_loose; ++i) {
      if (!is_dead(r, plan_.loose[i])) {
        editor_.drop_promises(plan_.loose[i]);
      }
    }
    witness_.nests.push_back(done);
  }

  collapse_witness take_witness() {
    witness_.linear = plan_.linear;
    return witness_;
  }

private:
  static std::uint8_t byte(unsigned width) { return static_cast<std::uint8_t>(width); }

  value_id make(const operation_info& info, const value_id (&operands)[3], std::size_t count, place where) {
    return static_cast<value_id>(editor_.make_operation(info, span<const value_id>(operands, count), where));
  }

  /// If the condition is read elsewhere, too, only the branch may change.
  void set_test(const loop_collapse& r, value_id condition) {
    value_id terminator = no_value;
    for_each_id(editor_.values(r.outer.test),
                [&](value_id v) { terminator = is_terminator(editor_, v) ? v : terminator; });
    if (terminator == no_value) {
      editor_.replace_uses(r.outer.condition, condition);
      return;
    }
    std::size_t at = 0;
    std::size_t i = 0;
    for_each_id(editor_.operands(terminator), [&](value_id x) {
      at = x == r.outer.condition ? i : at;
      ++i;
    });
    editor_.set_operand(terminator, at, condition);
  }

  void take_inputs(value_id phi) {
    const node_id n = home_of(phi);
    edges_.clear();
    for_each_id(editor_.graph().in_edges(n), [&](edge_id e) { edges_.push_back(e); });
    for (const edge_id e : edges_) {
      editor_.set_phi_input(phi, e, no_value);
    }
  }

  node_id home_of(value_id v) {
    if constexpr (has_node_of<E>) {
      return static_cast<node_id>(editor_.node_of(v));
    } else {
      node_id home = no_node;
      for (node_id n = 0; n != node_count(editor_.graph()); ++n) {
        for_each_phi(editor_, n, [&](value_id x) { home = x == v ? n : home; });
      }
      return home;
    }
  }

  bool is_dead(const loop_collapse& r, value_id v) const {
    bool found = false;
    for (std::uint32_t i = r.first_dead; i != r.last_dead; ++i) {
      found = found || plan_.dead[i] == v;
    }
    return found;
  }

  bool is_number(value_id v, unsigned width) {
    const auto number = static_cast<value_id>(editor_.make_number(width, 0));
    if constexpr (has_same_type<E>) {
      return number != no_value && static_cast<bool>(editor_.same_type(v, number));
    } else {
      return number != no_value;
    }
  }

  E& editor_;
  const collapse_plan& plan_;
  collapse_witness witness_;
  flat_array<edge_id> edges_;
};

} // namespace detail

/// Applies a plan for the program as it is. Removes the backedges of the inner loops; nodes and other edges stay. If
/// the IR has no select for a carried value, such as a floating-point number, the pair moves to `refused` (`not_made`)
/// before any change. Profile counts that change become unknown. `verify_collapse` checks the result. O(erased
/// operations and their reads).
template <collapse_editor E> collapse_witness apply_collapse(E& editor, collapse_plan& plan) {
  MIDEND_ASSERT(plan.epoch == graph_epoch(editor.graph()), "a plan for this graph as it is now", plan.epoch);
  detail::collapse_writer<E> writer(editor, plan);
  std::size_t kept = 0;
  for (std::size_t i = 0; i != plan.nests.size(); ++i) {
    const loop_collapse r = plan.nests[i];
    if (writer.can_write(r)) {
      plan.nests[kept++] = r;
    } else {
      plan.refused.push_back(
          {r.outer.loop, r.inner.loop, loop_pair_obstacle::not_made, r.outer.header, no_value, no_value});
    }
  }
  plan.nests.shrink(kept);
  for (const loop_collapse& r : plan.nests) {
    writer.write(r);
  }
  flat_array<node_id> headers; // of loops whose iterations have changed
  for (const loop_collapse& r : plan.nests) {
    headers.push_back(r.outer.header);
    headers.push_back(r.inner.header);
  }
  detail::clear_local_classes(editor, headers);
  return writer.take_witness();
}

MIDEND_END_NAMESPACE
