/// `loop_pair_reader`: reads two perfectly nested counted loops, or finds the obstacle.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/profile.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/detail/value_reads.hpp"
#include "midend/transform/interchange_plan.hpp"
#include "midend/transform/loop_pair_obstacle.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// Marks a nest as planned: the loops inside the outer one and around it are then excluded, because a certificate
/// describes one pair of a nest.
constexpr void take_nest(const loop_forest& loops, loop_id outer, flat_array<unsigned char>& is_taken) {
  for (const loop_id l : loops.subloops(outer)) {
    is_taken[l] = 1;
  }
  for (loop_id l = loops.parent(outer); l != no_loop; l = loops.parent(l)) {
    is_taken[l] = 1;
  }
}

/// Whether an operation only computes: it gives one result whenever and however often it runs, and does not trap
/// without its promises.
template <class IR> bool only_computes(const IR& ir, value_id v) {
  return ir.effect(v) == effect_kind::none && !ir.may_not_return(v) && !ir.is_volatile(v) && !is_terminator(ir, v) &&
         !may_trap_without_promises(ir, v) && is_repeatable(ir, v) && !is_convergent(ir, v);
}

/// Removes the counts that a change of two loops makes wrong: between the loops, of the inner header if it tests first,
/// and the probabilities of the tests.
template <class E>
void forget_counts([[maybe_unused]] E& editor, [[maybe_unused]] const counted_level& outer,
                   [[maybe_unused]] const counted_level& inner) {
  if constexpr (profile_editor<E>) {
    const auto& g = editor.graph();
    for (node_id n = outer.header;;) {
      editor.set_count(n, std::nullopt);
      node_id next = no_node;
      for_each_id(g.out_edges(n),
                  [&](edge_id e) { next = e == outer.exit ? next : static_cast<node_id>(g.edge_target(e)); });
      n = next == inner.header ? static_cast<node_id>(g.edge_target(inner.exit)) : next;
      if (n == outer.header) {
        break;
      }
    }
    if (inner.test != inner.latch) {
      editor.set_count(inner.header, std::nullopt);
    }
    for (const edge_id e : {outer.stays, outer.exit, inner.stays, inner.exit}) {
      editor.set_probability(e, -1);
    }
  }
}

/// Reads pairs of loops of one function.
template <class IR> class loop_pair_reader {
public:
  loop_pair_reader(const IR& ir, const loop_forest& loops, const value_reads<IR>& reads)
      : ir_(ir), g_(ir.graph()), loops_(loops), reads_(reads), state_(static_cast<std::size_t>(ir.num_values()), 0) {}

  const loop_pair_refusal& refusal() const { return refusal_; }

  /// Reads edges and tests. The counters are read by `read_counters`.
  bool read_shape(loop_id outer, loop_id inner, counted_level& out, counted_level& in) {
    refusal_ = {outer, inner, loop_pair_obstacle::none, no_node, no_value, no_value};
    out = in = {};
    for (const loop_id l : loops_.subloops(outer)) {
      if (l != outer && l != inner && loops_.parent(l) == outer) {
        return refuse(loop_pair_obstacle::several_inner_loops, loops_.header(l));
      }
    }
    if (!read_level(outer, out) || !read_level(inner, in)) {
      return false;
    }
    for (const node_id n : loops_.own_blocks(outer)) {
      std::size_t count = 0;
      for_each_id(g_.out_edges(n), [&](edge_id) { ++count; });
      if (count != (n == out.test ? 2 : 1)) {
        return refuse(loop_pair_obstacle::guarded, n);
      }
    }
    if ((out.test == out.latch) != (in.test == in.latch)) {
      return refuse(loop_pair_obstacle::different_forms, in.header);
    }
    return true;
  }

  /// Reads the operands of the tests, and appends the operations that compute them to `slices`.
  bool read_counters(counted_level& out, counted_level& in, flat_array<value_id>& slices) {
    return read_counter(out, out, slices) && read_counter(in, out, slices);
  }

  bool refuse(loop_pair_obstacle why, node_id n, value_id v = no_value, value_id second = no_value) {
    refusal_.why = why;
    refusal_.node = n;
    refusal_.value = v;
    refusal_.second = second;
    return false;
  }

  /// Whether a value is computed in a loop.
  bool is_in(value_id v, loop_id l) const {
    return v != no_value && reads_.home(v) != no_node && loops_.contains(l, reads_.home(v));
  }

  /// Whether a value is computed in the outer loop and not in the inner one.
  bool is_between(value_id v, loop_id outer, loop_id inner) const { return is_in(v, outer) && !is_in(v, inner); }

private:
  enum : unsigned char { unseen, open, done };

  bool read_level(loop_id l, counted_level& out) {
    out.loop = l;
    out.header = loops_.header(l);
    if (loops_.entering_edges(l).size() != 1 || loops_.backedges(l).size() != 1 ||
        out.header == static_cast<node_id>(g_.entry())) {
      return refuse(loop_pair_obstacle::several_entries, out.header);
    }
    out.entering = loops_.entering_edges(l)[0].id;
    out.back = loops_.backedges(l)[0].id;
    out.latch = loops_.backedges(l)[0].source;
    std::size_t exits = 0;
    for (const loop_edge& e : loops_.exiting_edges(l)) {
      ++exits;
      out.test = e.source;
      out.exit = e.id;
    }
    if (exits != 1) {
      return refuse(loop_pair_obstacle::several_exits, out.header);
    }
    std::size_t edges = 0;
    for_each_id(g_.out_edges(out.test), [&](edge_id e) {
      ++edges;
      out.stays = e == out.exit ? out.stays : e;
    });
    if (edges != 2 || (out.test != out.header && out.test != out.latch) || loops_.innermost_loop(out.test) != l) {
      return refuse(loop_pair_obstacle::test_elsewhere, out.test);
    }
    out.condition = static_cast<value_id>(ir_.condition(out.test));
    if (out.condition == no_value || edge_of_case(ir_, out.test, constant_of<IR>(0)) == no_edge) {
      return refuse(loop_pair_obstacle::test_elsewhere, out.test);
    }
    const edge_id if_zero = edge_of_case(ir_, out.test, constant_of<IR>(0));
    const edge_id if_one = edge_of_case(ir_, out.test, constant_of<IR>(1));
    if (if_zero == if_one || ir_.operation(out.condition).width != 1) {
      return refuse(loop_pair_obstacle::test_elsewhere, out.test);
    }
    out.stays_if = if_one == out.stays;
    return true;
  }

  bool read_counter(counted_level& level, const counted_level& out, flat_array<value_id>& slices) {
    level.first_test = static_cast<std::uint32_t>(slices.size());
    bool fits = slice(level.condition, level, out, slices);
    level.last_test = static_cast<std::uint32_t>(slices.size());
    forget(slices, level.first_test);
    if (!fits) {
      return false;
    }
    if (level.counter == no_value || level.condition == level.counter) {
      return refuse(loop_pair_obstacle::not_counted, level.test, level.condition);
    }
    level.start = static_cast<value_id>(ir_.phi_input(level.counter, level.entering));
    level.next = static_cast<value_id>(ir_.phi_input(level.counter, level.back));
    level.first_step = level.last_test;
    fits = check_outside(level.start, level, out) && slice(level.next, level, out, slices);
    level.last_step = static_cast<std::uint32_t>(slices.size());
    forget(slices, level.first_step);
    return fits;
  }

  /// Appends the operations that compute `root` from the counter and from values outside both loops.
  bool slice(value_id root, counted_level& level, const counted_level& out, flat_array<value_id>& slices) {
    stack_.clear();
    stack_.push_back(root);
    while (!stack_.empty()) {
      const value_id v = stack_.back();
      if (state_of(v) != unseen) {
        if (state_of(v) == open) {
          state_[v] = done;
          slices.push_back(v);
        }
        stack_.pop_back();
        continue;
      }
      const bool is_own = is_in(v, level.loop) && loops_.innermost_loop(reads_.home(v)) == level.loop;
      if (!is_own) {
        if (!check_outside(v, level, out)) {
          return leave();
        }
        stack_.pop_back();
        continue;
      }
      if (ir_.is_phi(v)) {
        if (reads_.home(v) != level.header || (level.counter != no_value && level.counter != v)) {
          refuse(loop_pair_obstacle::not_counted, level.test, v);
          return leave();
        }
        level.counter = v;
        stack_.pop_back();
        continue;
      }
      if (!only_computes(ir_, v)) {
        refuse(loop_pair_obstacle::not_counted, level.test, v);
        return leave();
      }
      state_[v] = open;
      opened_.push_back(v);
      for_each_id(ir_.operands(v), [&](value_id x) {
        if (x != no_value && state_of(x) == unseen) {
          stack_.push_back(x);
        }
      });
    }
    opened_.clear();
    return true;
  }

  bool leave() {
    for (const value_id v : opened_) {
      state_[v] = unseen;
    }
    opened_.clear();
    return false;
  }

  unsigned char state_of(value_id v) const { return v < state_.size() ? state_[v] : static_cast<unsigned char>(done); }

  void forget(const flat_array<value_id>& slices, std::uint32_t first) {
    for (std::size_t i = first; i != slices.size(); ++i) {
      state_[slices[i]] = unseen;
    }
  }

  /// Checks a value that a counter needs and its own loop does not compute.
  bool check_outside(value_id v, const counted_level& level, const counted_level& out) {
    if (!is_in(v, out.loop)) {
      return true;
    }
    if (level.loop == out.loop) {
      return refuse(loop_pair_obstacle::reads_inner, level.test, v);
    }
    if (is_in(v, level.loop)) { // of a loop inside
      return refuse(loop_pair_obstacle::not_counted, level.test, v);
    }
    return refuse(depends_on_phi(v, out) ? loop_pair_obstacle::bounds_change : loop_pair_obstacle::computed_inside,
                  level.test, v);
  }

  /// Whether a value between the loops depends on what changes in the outer loop.
  bool depends_on_phi(value_id v, const counted_level& out) const {
    flat_array<value_id> seen;
    seen.push_back(v);
    for (std::size_t i = 0; i != seen.size() && i != 64; ++i) {
      if (!is_in(seen[i], out.loop)) {
        continue;
      }
      if (ir_.is_phi(seen[i]) || !only_computes(ir_, seen[i])) {
        return true;
      }
      for_each_id(ir_.operands(seen[i]), [&](value_id x) { seen.push_back(x); });
    }
    return seen.size() > 64;
  }

  const IR& ir_;
  const decltype(ir_.graph()) g_;
  const loop_forest& loops_;
  const value_reads<IR>& reads_;
  loop_pair_refusal refusal_;
  flat_array<unsigned char> state_; ///< by value, of the slice that is read
  flat_array<value_id> stack_;
  flat_array<value_id> opened_;
};

} // namespace detail

MIDEND_END_NAMESPACE
