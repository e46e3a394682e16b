/// `verify_condition_split`: checks that loops were split by a condition and that nothing else changed.
#pragma once

#include "midend/config.hpp"
#include "midend/dependence/dependence_result.hpp"
#include "midend/dependence/nest_accesses.hpp"
#include "midend/dependence/read_nest.hpp"
#include "midend/dependence/verify_dependences.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/evolutions.hpp"
#include "midend/induction/value_evolutions.hpp"
#include "midend/ir/cost.hpp"
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
#include "midend/loops/loop_forest.hpp"
#include "midend/loops/weak_topological_order.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/certifiable_ir.hpp"
#include "midend/transform/condition_split_plan.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// What is wrong with a split by a condition.
enum class condition_split_fault : std::uint8_t {
  none,
  wrong_size,        ///< nodes, edges or values of the old program are missing, or the entry is another node
  wrong_witness,     ///< the witness names something that does not exist, or one thing twice
  no_such_loop,      ///< the old loop does not have the form that is split
  no_arm,            ///< the witness names something that is no arm of the branch
  fixed_order,       ///< the old loop has a call, a volatile access, or an operation that may not return
  changed_flow,      ///< an edge leads elsewhere, its case changed, or loops are now promised to end
  missing_operation, ///< an operation of the old program is missing
  extra_operation,   ///< a new operation, or an old one at another place, is not needed for the split
  changed_operation, ///< an operation computes something else, or promises more
  fixed_operand,     ///< an operation names the value that it read
  different_value,   ///< an operation reads another value
  wrong_count,       ///< records are not counted from 0 by 1 up to the chunk, or not all of them run
  wrong_record,      ///< a value is not stored in, or loaded from, the record of the iteration
  wrong_array,       ///< an array is not local, too small, or accessed elsewhere
  wrong_carry,       ///< a value of the old loop goes on as another one
  unproven_order,    ///< nothing proves that `value` and `second` do not meet in iterations that change order
  wrong_proof        ///< there is a proof about them, and it is wrong
};

/// The first fault and its place, or none.
struct condition_split_verdict {
  condition_split_fault fault = condition_split_fault::none;
  node_id node = no_node;
  value_id value = no_value;
  value_id second = no_value;

  explicit operator bool() const { return fault == condition_split_fault::none; }
};

namespace detail {

template <class Before, class After> class condition_split_checker {
  using fault = condition_split_fault;

public:
  condition_split_checker(const Before& before, const After& after, const condition_split_witness& witness,
                          span<const number_facts> facts)
      : before_(before), after_(after), g_(before.graph()), h_(after.graph()), witness_(witness), facts_(facts) {}

  condition_split_verdict run() {
    if (!read_sizes()) {
      fail(fault::wrong_size, no_node);
      return verdict_;
    }
    read_places();
    if (adds_promise_to_end(before_, after_)) {
      fail(fault::changed_flow, no_node);
    }
    if (ok()) {
      flow_ = dominators_and_loops(g_);
    }
    for (std::uint32_t i = 0; ok() && i != witness_.loops.size(); ++i) {
      read_loop(i);
    }
    for (node_id n = 0; ok() && n != old_nodes_; ++n) {
      compare_edges(n);
    }
    for (std::uint32_t i = 0; ok() && i != witness_.loops.size(); ++i) {
      check_new_nodes(i);
      check_order(i);
    }
    for (std::size_t i = 0; ok() && i != reached_.size(); ++i) {
      compare_node(reached_[i]);
    }
    if (ok()) {
      check_promises();
    }
    if (ok()) {
      check_arrays();
    }
    return verdict_;
  }

private:
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);

  /// An old loop, as the checker has read it.
  struct old_loop {
    loop_id loop = no_loop;
    edge_id entering = no_edge;
    edge_id back = no_edge;
    edge_id exit = no_edge;
    node_id join = no_node;
    node_id after = no_node;  ///< the target of the exit
    edge_id enters = no_edge; ///< in the new program, from the loop over chunks
    edge_id again = no_edge;  ///< from `full` to the header
    edge_id filled = no_edge; ///< from `full` to `drain`
    edge_id next = no_edge;   ///< from `last` to the loop over chunks
    edge_id leaves = no_edge; ///< from `last` to `after`
  };

  bool ok() const { return verdict_.fault == fault::none; }

  void fail(fault why, node_id n, value_id v = no_value, value_id second = no_value) {
    if (ok()) {
      verdict_ = {why, n, v, second};
    }
  }

  // ---- Both programs.

  bool read_sizes() {
    require_apart_literals(before_);
    old_nodes_ = node_count(g_);
    old_values_ = static_cast<std::size_t>(before_.num_values());
    old_edges_ = static_cast<std::size_t>(g_.num_edges());
    return old_nodes_ != 0 && node_count(h_) >= old_nodes_ &&
           static_cast<std::size_t>(after_.num_values()) >= old_values_ &&
           static_cast<std::size_t>(h_.num_edges()) >= old_edges_ &&
           static_cast<node_id>(g_.entry()) == static_cast<node_id>(h_.entry());
  }

  void read_places() {
    const auto place = [](const auto& ir, flat_array<node_id>& home) {
      home.assign(static_cast<std::size_t>(ir.num_values()), no_node);
      for (node_id n = 0; n != node_count(ir.graph()); ++n) {
        for_each_id(ir.values(n), [&](value_id v) { home[v] = n; });
      }
    };
    place(before_, old_home_);
    place(after_, new_home_);
    const std::size_t nodes = node_count(h_);
    const std::size_t values = new_home_.size();
    is_reached_.assign(nodes, 0);
    reached_.push_back(static_cast<node_id>(h_.entry()));
    is_reached_[reached_[0]] = 1;
    is_live_.assign(static_cast<std::size_t>(h_.num_edges()), 0);
    for (std::size_t i = 0; i != reached_.size(); ++i) {
      for_each_id(h_.out_edges(reached_[i]), [&](edge_id e) { is_live_[e] = 1; });
      for_each_id(h_.successors(reached_[i]), [&](node_id s) {
        if (is_reached_[s] == 0) {
          is_reached_[s] = 1;
          reached_.push_back(s);
        }
      });
    }
    loop_of_.assign(nodes, none);
    arm_of_.assign(nodes, none);
    is_new_node_.assign(nodes, 0);
    num_in_.assign(old_nodes_, 0);
    for (node_id n = 0; n != old_nodes_; ++n) {
      for_each_id(g_.out_edges(n), [&](edge_id e) { ++num_in_[g_.edge_target(e)]; });
    }
    target_.assign(old_edges_, no_node);
    for (node_id n = 0; n != old_nodes_; ++n) {
      for_each_id(g_.out_edges(n), [&](edge_id e) { target_[e] = static_cast<node_id>(g_.edge_target(e)); });
    }
    stands_for_.assign(static_cast<std::size_t>(h_.num_edges()), no_edge);
    for (edge_id e = 0; e != old_edges_; ++e) {
      stands_for_[e] = e;
    }
    is_known_.assign(values, 0);
    meaning_.assign(values, no_value);
    address_of_.assign(values, no_value);
    leaves_as_.assign(old_values_, no_value);
    is_in_loop_after_.assign(old_nodes_, 0);
  }

  bool is_new_node(node_id n) const { return n >= old_nodes_ && n < node_count(h_); }

  bool is_new_value(value_id v) const { return v >= old_values_ && v < new_home_.size(); }

  /// Notes a new value of the witness. False if it was noted before.
  bool know(value_id v, node_id home, bool is_phi) {
    if (!is_new_value(v) || is_known_[v] != 0 || new_home_[v] != home ||
        (home != no_node && static_cast<bool>(after_.is_phi(v)) != is_phi)) {
      fail(fault::wrong_witness, home, v);
      return false;
    }
    is_known_[v] = 1;
    return true;
  }

  bool know_node(node_id n) {
    if (!is_new_node(n) || is_new_node_[n] != 0 || is_reached_[n] == 0) {
      fail(fault::wrong_witness, n);
      return false;
    }
    is_new_node_[n] = 1;
    return true;
  }

  // ---- The old loop.

  void read_loop(std::uint32_t index) {
    const split_loop& s = witness_.loops[index];
    old_loop o;
    const loop_forest& loops = flow_.loops;
    if (s.header >= old_nodes_ || s.node >= old_nodes_ || !loops.is_header(s.header) ||
        s.header == static_cast<node_id>(g_.entry()) || s.num_arms == 0 || s.num_arms > 2 ||
        s.first_arm > witness_.arms.size() || s.num_arms > witness_.arms.size() - s.first_arm ||
        s.first_carried > witness_.carried.size() || s.num_carried > witness_.carried.size() - s.first_carried ||
        witness_.chunk == 0) {
      fail(fault::wrong_witness, s.header);
      return;
    }
    o.loop = loops.innermost_loop(s.header);
    if (loops.subloops(o.loop).size() != 1 || loops.entering_edges(o.loop).size() != 1 ||
        loops.backedges(o.loop).size() != 1 || num_in_[s.header] != 2 || !loops.contains(o.loop, s.node)) {
      fail(fault::no_such_loop, s.header);
      return;
    }
    o.entering = loops.entering_edges(o.loop)[0].id;
    o.back = loops.backedges(o.loop)[0].id;
    std::size_t exits = 0;
    for (const node_id n : loops.blocks(o.loop)) {
      if (loop_of_[n] != none) {
        fail(fault::wrong_witness, n);
      }
      loop_of_[n] = index;
      for_each_id(g_.out_edges(n), [&](edge_id e) {
        if (!loops.contains(o.loop, static_cast<node_id>(g_.edge_target(e)))) {
          o.exit = e;
          ++exits;
        }
      });
      for_each_id(before_.values(n), [&](value_id v) {
        if (!before_.is_phi(v) && (before_.effect(v) == effect_kind::unknown || before_.may_not_return(v) ||
                                   is_fixed_access(before_, v) || is_convergent(before_, v))) {
          fail(fault::fixed_order, n, v);
        }
      });
    }
    if (exits != 1) {
      fail(fault::no_such_loop, s.header);
    }
    if (!ok()) {
      return;
    }
    o.after = static_cast<node_id>(g_.edge_target(o.exit));
    for (std::uint32_t k = 0; ok() && k != s.num_arms; ++k) {
      read_arm(index, k, o);
    }
    if (!ok()) {
      return;
    }
    read_what_follows(o, s);
    for (const node_id n : {s.outer, s.full, s.drain, s.last}) {
      if (!know_node(n)) {
        return;
      }
    }
    for (std::uint32_t k = 0; k != s.num_arms; ++k) {
      const split_off_arm& a = witness_.arms[s.first_arm + k];
      if (!know_node(a.append) || !know_node(a.header)) {
        return;
      }
      set_target(a.entry, a.append);
      set_target(a.end, a.header);
    }
    set_target(o.entering, s.outer);
    set_target(o.back, s.full);
    set_target(o.exit, s.drain);
    olds_.push_back(o);
    if (ok()) {
      read_new_values(index);
    }
  }

  /// Sets where an edge of the old program must lead now. Each edge is named once.
  void set_target(edge_id e, node_id n) {
    if (target_[e] != static_cast<node_id>(g_.edge_target(e))) {
      fail(fault::wrong_witness, n);
    }
    target_[e] = n;
  }

  /// Reads the nodes that an arm reaches before its end. No other edges may lead into them.
  void read_arm(std::uint32_t index, std::uint32_t k, old_loop& o) {
    const split_loop& s = witness_.loops[index];
    const split_off_arm& a = witness_.arms[s.first_arm + k];
    bool is_from_branch = false;
    if (a.entry < old_edges_ && a.end < old_edges_) {
      for_each_id(g_.out_edges(s.node), [&](edge_id e) { is_from_branch = is_from_branch || e == a.entry; });
    }
    if (!is_from_branch || a.first_value > witness_.kept.size() ||
        a.num_values > witness_.kept.size() - a.first_value) {
      fail(fault::no_arm, s.node);
      return;
    }
    const auto join = static_cast<node_id>(g_.edge_target(a.end));
    const auto first = static_cast<node_id>(g_.edge_target(a.entry));
    const loop_forest& loops = flow_.loops;
    if ((o.join != no_node && o.join != join) || !loops.contains(o.loop, join) || join == s.header || first == join ||
        num_in_[first] != 1) {
      fail(fault::no_arm, s.node);
      return;
    }
    for_each_phi(before_, first, [&](value_id) { fail(fault::no_arm, first); });
    o.join = join;
    const std::uint32_t name = s.first_arm + k;
    flat_array<node_id> nodes(1, first);
    bool has_end = false;
    const auto add = [&](node_id n) {
      if (arm_of_[n] != none || !loops.contains(o.loop, n) || n == s.header || n == s.node || n == join) {
        fail(fault::no_arm, n);
      } else {
        arm_of_[n] = name;
      }
    };
    add(first);
    for (std::size_t i = 0; ok() && i != nodes.size(); ++i) {
      for_each_id(g_.out_edges(nodes[i]), [&](edge_id e) {
        const auto to = static_cast<node_id>(g_.edge_target(e));
        if (e == a.end) {
          has_end = true;
        } else if (to >= old_nodes_ || arm_of_[to] != name) {
          add(to);
          nodes.push_back(to);
        }
      });
    }
    if (ok() && !has_end) {
      fail(fault::no_arm, s.node);
    }
    std::size_t inside = 1;
    std::size_t into = 0;
    for (const node_id n : nodes) {
      into += num_in_[n];
      for_each_id(g_.out_edges(n), [&](edge_id e) { inside += e == a.end ? 0u : 1u; });
    }
    if (into != inside) {
      fail(fault::no_arm, first); // other edges lead into it
    }
  }

  /// Reads the nodes of the loop that an iteration may reach after its arms have met.
  void read_what_follows(const old_loop& o, const split_loop& s) {
    flat_array<node_id> nodes(1, o.join);
    is_in_loop_after_[o.join] = 1;
    for (std::size_t i = 0; i != nodes.size(); ++i) {
      for_each_id(g_.successors(nodes[i]), [&](node_id to) {
        if (flow_.loops.contains(o.loop, to) && to != s.header && is_in_loop_after_[to] == 0) {
          is_in_loop_after_[to] = 1;
          nodes.push_back(to);
        }
      });
    }
  }

  bool is_in_loop(value_id x, std::uint32_t index) const {
    return x < old_values_ && old_home_[x] != no_node && loop_of_[old_home_[x]] == index;
  }

  // ---- What is new.

  void read_new_values(std::uint32_t index) {
    const split_loop& s = witness_.loops[index];
    const old_loop& o = olds_[index];
    know(s.done, s.drain, true);
    for (std::uint32_t k = 0; ok() && k != s.num_arms; ++k) {
      const split_off_arm& a = witness_.arms[s.first_arm + k];
      if (!know(a.count, s.header, true) || !know(a.joined, o.join, true) || !know(a.appended, a.append, false) ||
          !know(a.drained, s.drain, true) || !know(a.index, a.header, true) || !know(a.next, a.header, false)) {
        return;
      }
      for (std::uint32_t i = 0; ok() && i != a.num_values; ++i) {
        const kept_value& kept = witness_.kept[a.first_value + i];
        if (kept.load >= new_home_.size() || new_home_[kept.load] == no_node || new_home_[kept.load] >= old_nodes_ ||
            arm_of_[new_home_[kept.load]] != s.first_arm + k || !is_in_loop(kept.value, index) ||
            arm_of_[old_home_[kept.value]] == s.first_arm + k) {
          fail(fault::wrong_record, a.append, kept.value);
          return;
        }
        know(kept.load, new_home_[kept.load], false);
        know(kept.store, a.append, false);
        know_array(kept.array);
        know_address(kept.load);
        know_address(kept.store);
        if (ok()) {
          meaning_[kept.load] = kept.value;
        }
      }
    }
    for (std::uint32_t i = 0; ok() && i != s.num_carried; ++i) {
      const carried_value& c = witness_.carried[s.first_carried + i];
      if (!is_in_loop(c.value, index)) {
        fail(fault::wrong_carry, s.drain, c.value);
        return;
      }
      know(c.drained, s.drain, true);
      if (c.outer != no_value) {
        know(c.outer, s.outer, true);
      } else if (leaves_as_[c.value] != no_value) {
        fail(fault::wrong_witness, s.drain, c.value);
      } else {
        leaves_as_[c.value] = c.drained;
      }
    }
  }

  /// Notes an array. It is in no node, or it is an operation of the entry, to which no edge leads. An IR may claim that
  /// making one traps, since it must stay there.
  void know_array(value_id v) {
    const auto entry = static_cast<node_id>(h_.entry());
    const bool is_operation = is_new_value(v) && new_home_[v] == entry;
    if (!know(v, is_operation ? entry : no_node, false) || !is_operation) {
      return;
    }
    bool fits = after_.effect(v) == effect_kind::none && !after_.may_not_return(v) && !is_terminator(after_, v);
    for_each_id(after_.operands(v),
                [&](value_id x) { fits = fits && x < new_home_.size() && new_home_[x] == no_node; });
    for_each_id(h_.in_edges(entry), [&](edge_id) { fits = false; });
    if (!fits) {
      fail(fault::wrong_array, entry, v);
    }
  }

  /// Notes the operations that compute the address of an access, in IRs that have them.
  void know_address(value_id access) {
    if (!ok() || after_.effect(access) == effect_kind::none) {
      return;
    }
    for_each_id(after_.operands(access), [&](value_id x) {
      if (is_new_value(x) && is_known_[x] == 0 && new_home_[x] == new_home_[access] && !after_.is_phi(x) &&
          after_.effect(x) == effect_kind::none && !after_.may_trap(x) && !after_.may_not_return(x) &&
          !is_terminator(after_, x) && midend::is_repeatable(after_, x)) {
        is_known_[x] = 1;
        address_of_[x] = access;
      }
    });
  }

  // ---- New nodes.

  /// The only edge of `n`, or its edge for a condition; `no_edge` if it has other edges.
  edge_id way(node_id n, std::size_t count, bool holds) const {
    std::size_t edges = 0;
    edge_id only = no_edge;
    for_each_id(h_.out_edges(n), [&](edge_id e) {
      only = e;
      ++edges;
    });
    if (edges != count) {
      return no_edge;
    }
    return count == 1 ? only : edge_of_case(after_, n, static_cast<constant_of<After>>(holds ? 1 : 0));
  }

  /// The edge of a new node that must lead to `to`.
  edge_id way_to(node_id n, std::size_t count, bool holds, node_id to) {
    const edge_id e = way(n, count, holds);
    if (e == no_edge || e < old_edges_ || static_cast<node_id>(h_.edge_target(e)) != to) {
      fail(fault::changed_flow, n);
      return no_edge;
    }
    return e;
  }

  void check_new_nodes(std::uint32_t index) {
    const split_loop& s = witness_.loops[index];
    old_loop& o = olds_[index];
    o.enters = way_to(s.outer, 1, false, s.header);
    o.filled = way_to(s.full, 2, true, s.drain);
    o.again = way_to(s.full, 2, false, s.header);
    o.leaves = way_to(s.last, 2, true, o.after);
    o.next = way_to(s.last, 2, false, s.outer);
    edge_id enters_arm[2] = {no_edge, no_edge};
    enters_arm[0] = way_to(s.drain, 1, false, witness_.arms[s.first_arm].header);
    flat_array<edge_id> meets;
    for (std::uint32_t k = 0; ok() && k != s.num_arms; ++k) {
      const split_off_arm& a = witness_.arms[s.first_arm + k];
      const bool is_last = k + 1 == s.num_arms;
      const node_id next = is_last ? s.last : witness_.arms[s.first_arm + k + 1].header;
      way_to(a.header, 2, true, static_cast<node_id>(g_.edge_target(a.entry)));
      const edge_id e = way_to(a.header, 2, false, next);
      if (!is_last) {
        enters_arm[k + 1] = e;
      }
      const edge_id m = way_to(a.append, 1, false, o.join);
      meets.push_back(m);
      if (ok()) {
        stands_for_[m] = a.end;
      }
    }
    if (!ok()) {
      return;
    }
    stands_for_[o.again] = o.back;
    stands_for_[o.leaves] = o.exit;
    // The end of a chunk: an `or` of a comparison for each arm.
    flat_array<value_id> others;
    const std::uint32_t compared = check_full(static_cast<value_id>(after_.condition(s.full)), s, others);
    if (compared != (1U << s.num_arms) - 1) {
      fail(fault::wrong_count, s.full);
    }
    check_contents(s.full, others, false);
    // Records.
    for (std::uint32_t k = 0; ok() && k != s.num_arms; ++k) {
      const split_off_arm& a = witness_.arms[s.first_arm + k];
      if (!is_sum_with_one(a.appended, a.count) || !is_sum_with_one(a.next, a.index) ||
          !is_input(a.count, o.enters, 0) || input(a.count, o.again) != a.joined ||
          input(a.drained, o.filled) != a.joined || !is_input(a.index, enters_arm[k], 0) ||
          input(a.index, a.end) != a.next || after_.operation(a.count).width != 64 ||
          after_.operation(a.index).width != 64) {
        fail(fault::wrong_count, a.header, a.count);
        return;
      }
      const value_id at_exit = input(a.drained, o.exit);
      const bool is_after = is_in_loop_after_[source_of(o.exit, o.loop)] != 0;
      if (at_exit != (is_after ? a.joined : a.count)) {
        fail(fault::wrong_count, s.drain, a.drained);
        return;
      }
      check_joined(a, o, meets[k]);
      const auto goes_on = static_cast<value_id>(after_.condition(a.header));
      value_id x[2] = {no_value, no_value};
      read_two(goes_on, x);
      if (!is_new_value(goes_on) || new_home_[goes_on] != a.header || is_known_[goes_on] != 0 ||
          after_.operation(goes_on).code != operation::uless || after_.operation(goes_on).operand_width != 64 ||
          x[0] != a.index || x[1] != a.drained || after_.may_trap(goes_on)) {
        fail(fault::wrong_count, a.header, goes_on);
        return;
      }
      others.clear();
      others.push_back(goes_on);
      others.push_back(a.next);
      check_contents(a.header, others, true);
      others.clear();
      others.push_back(a.appended);
      for (std::uint32_t i = 0; i != a.num_values; ++i) {
        const kept_value& kept = witness_.kept[a.first_value + i];
        check_record(kept, a);
        others.push_back(kept.store);
        for_each_id(after_.operands(kept.store), [&](value_id y) {
          if (y != no_value && address_of_[y] == kept.store) {
            others.push_back(y);
          }
        });
      }
      check_contents(a.append, others, false);
    }
    // What goes on.
    others.clear();
    check_contents(s.drain, others, true);
    check_contents(s.outer, others, true);
    check_contents(s.last, others, false);
    if (!ok() || static_cast<value_id>(after_.condition(s.last)) != s.done || !is_input(s.done, o.exit, 1) ||
        !is_input(s.done, o.filled, 0)) {
      fail(fault::wrong_carry, s.last, s.done);
      return;
    }
    check_carried(s, o);
  }

  node_id source_of(edge_id e, loop_id l) const {
    node_id source = no_node;
    for (const node_id n : flow_.loops.blocks(l)) {
      for_each_id(g_.out_edges(n), [&](edge_id x) { source = x == e ? n : source; });
    }
    return source;
  }

  value_id input(value_id phi, edge_id e) const { return static_cast<value_id>(after_.phi_input(phi, e)); }

  bool is_number(value_id v, std::uint64_t bits) const {
    if (v == no_value || v >= new_home_.size() || new_home_[v] != no_node) {
      return false;
    }
    const auto c = after_.constant(v);
    return c && static_cast<std::uint64_t>(*c) == bits;
  }

  bool is_input(value_id phi, edge_id e, std::uint64_t bits) const { return is_number(input(phi, e), bits); }

  void read_two(value_id v, value_id (&out)[2]) const {
    std::size_t i = 0;
    if (v < new_home_.size() && new_home_[v] != no_node && !after_.is_phi(v)) {
      for_each_id(after_.operands(v), [&](value_id x) {
        if (i < 2) {
          out[i] = x;
        }
        ++i;
      });
    }
  }

  bool is_sum_with_one(value_id v, value_id x) const {
    value_id a[2] = {no_value, no_value};
    read_two(v, a);
    const operation_info info = after_.operation(v);
    return info.code == operation::add && info.width == 64 && info.flags == operation_flags() && a[0] == x &&
           is_number(a[1], 1) && !after_.may_trap(v) && after_.effect(v) == effect_kind::none;
  }

  /// The arms, as bits, whose arrays a condition asks whether they are full. Requires that it asks about nothing else.
  std::uint32_t check_full(value_id root, const split_loop& s, flat_array<value_id>& seen) {
    std::uint32_t found = 0;
    flat_array<value_id> work(1, root);
    for (std::size_t i = 0; ok() && i != work.size(); ++i) {
      const value_id v = work[i];
      value_id x[2] = {no_value, no_value};
      if (!is_new_value(v) || new_home_[v] != s.full || is_known_[v] != 0 || after_.is_phi(v) || work.size() > 8) {
        fail(fault::wrong_count, s.full, v);
        return 0;
      }
      read_two(v, x);
      const operation_info info = after_.operation(v);
      seen.push_back(v);
      if (info.code == operation::bit_or && info.width == 1) {
        work.push_back(x[0]);
        work.push_back(x[1]);
        continue;
      }
      std::uint32_t k = 0;
      while (k != s.num_arms && witness_.arms[s.first_arm + k].joined != x[0]) {
        ++k;
      }
      if (info.code != operation::equal || info.operand_width != 64 || k == s.num_arms ||
          !is_number(x[1], witness_.chunk)) {
        fail(fault::wrong_count, s.full, v);
        return 0;
      }
      found |= 1U << k;
    }
    return found;
  }

  /// Checks that the number of records after the arms is one more after `meets`, and unchanged otherwise.
  void check_joined(const split_off_arm& a, const old_loop& o, edge_id meets) {
    for_each_id(h_.in_edges(o.join), [&](edge_id e) {
      if (input(a.joined, e) != (e == meets ? a.appended : a.count)) {
        fail(fault::wrong_count, o.join, a.joined);
      }
    });
  }

  void check_record(const kept_value& kept, const split_off_arm& a) {
    const optional<memory_reference> to = after_.memory(kept.store);
    const optional<memory_reference> from = after_.memory(kept.load);
    const auto bytes = static_cast<std::uint32_t>(before_.storage_bytes(kept.value));
    const bool is_access = to && from && after_.effect(kept.store) == effect_kind::writes &&
                           after_.effect(kept.load) == effect_kind::reads && !after_.is_volatile(kept.store) &&
                           !after_.is_volatile(kept.load);
    if (!is_access || bytes == 0 || to->stored != kept.value || to->index != a.count || from->index != a.index ||
        to->base != kept.array || from->base != kept.array || to->bytes != bytes || from->bytes != bytes ||
        to->scale != static_cast<std::int64_t>(bytes) || from->scale != static_cast<std::int64_t>(bytes) ||
        to->offset != 0 || from->offset != 0 || to->memory != from->memory || to->local != any_memory ||
        from->local != any_memory || !has_type_of(kept.load, kept.value) || !reads_only(kept.store, *to, 3) ||
        !reads_only(kept.load, *from, 2)) {
      fail(fault::wrong_record, a.append, kept.value);
      return;
    }
    const std::uint64_t size = std::uint64_t{bytes} * witness_.chunk;
    if (static_cast<std::uint64_t>(after_.local_array_bytes(kept.array)) < size) {
      fail(fault::wrong_array, a.append, kept.array);
      return;
    }
    arrays_.push_back(kept);
  }

  /// Whether an access has exactly the operands of its reference: an access with a guard may not run. For an address,
  /// the operands of the operation that computes it.
  bool reads_only(value_id v, const memory_reference& m, std::size_t count) const {
    std::size_t found = 0;
    bool only = true;
    for_each_id(after_.operands(v), [&](value_id x) {
      if (x != no_value && x < address_of_.size() && address_of_[x] == v) {
        for_each_id(after_.operands(x), [&](value_id y) {
          only = only && (y == m.base || y == m.index);
          ++found;
        });
        return;
      }
      only = only && (x == m.stored || x == m.base || x == m.index);
      ++found;
    });
    return only && found == count;
  }

  bool has_type_of(value_id load, value_id v) const {
    bool same =
        after_.operation(load).width == before_.operation(v).width &&
        static_cast<std::uint32_t>(after_.storage_bytes(load)) == static_cast<std::uint32_t>(before_.storage_bytes(v));
    if constexpr (has_same_type<After>) {
      same = same && static_cast<bool>(after_.same_type(load, v));
    }
    return same;
  }

  /// Checks the values of a new node: known phis if it may have some, `others`, and a terminator.
  void check_contents(node_id n, const flat_array<value_id>& others, bool may_have_phis) {
    std::size_t found = 0;
    bool ended = false;
    for_each_id(after_.values(n), [&](value_id v) {
      bool is_expected = false;
      if (after_.is_phi(v)) {
        is_expected = may_have_phis && is_new_value(v) && is_known_[v] != 0;
      } else if (is_terminator(after_, v)) {
        is_expected = !ended && after_.effect(v) == effect_kind::none && !after_.may_not_return(v);
        ended = true;
      } else {
        for (const value_id x : others) {
          is_expected = is_expected || x == v;
        }
        ++found;
      }
      if (!is_expected) {
        fail(fault::extra_operation, n, v);
      }
    });
    if (found != others.size()) {
      fail(fault::missing_operation, n);
    }
  }

  /// Checks the phis of the header in the loop over chunks, and the values that are read after the loop.
  void check_carried(const split_loop& s, const old_loop& o) {
    std::size_t phis = 0;
    for_each_phi(before_, s.header, [&](value_id) { ++phis; });
    for (std::uint32_t i = 0; ok() && i != s.num_carried; ++i) {
      const carried_value& c = witness_.carried[s.first_carried + i];
      if (c.outer == no_value) {
        if (input(c.drained, o.exit) != c.value) {
          fail(fault::wrong_carry, s.drain, c.value);
        }
        continue;
      }
      --phis;
      const bool is_phi = static_cast<bool>(before_.is_phi(c.value)) && old_home_[c.value] == s.header &&
                          static_cast<bool>(after_.is_phi(c.value)) && new_home_[c.value] == s.header;
      if (!is_phi || input(c.value, o.enters) != c.outer || input(c.outer, o.next) != c.drained ||
          !same_read(static_cast<value_id>(before_.phi_input(c.value, o.entering)), input(c.outer, o.entering),
                     no_node) ||
          !same_read(static_cast<value_id>(before_.phi_input(c.value, o.back)), input(c.drained, o.filled), s.header) ||
          !static_cast<bool>(before_.same_operation(c.value, after_, c.outer)) ||
          !static_cast<bool>(before_.same_operation(c.value, after_, c.drained))) {
        fail(fault::wrong_carry, s.outer, c.value);
      }
    }
    if (ok() && phis != 0) { // each phi is carried; two entries for one phi would give it two inputs for an edge
      fail(fault::wrong_carry, s.outer);
    }
  }

  // ---- The order of accesses.

  void check_order(std::uint32_t index) {
    if (!ok()) {
      return;
    }
    const split_loop& s = witness_.loops[index];
    if (order_.num_nodes() == 0) {
      weak_topological_order_workspace workspace;
      weak_topological_order(g_, workspace, order_);
      found_ = evolutions(before_, flow_.loops, facts_);
    }
    function_nest read;
    read_nest(before_, flow_.loops, flow_.dominators, found_, facts_, olds_[index].loop, order_, nest_workspace_, read);
    if (read.obstacle != nest_obstacle::none || s.first_pair > s.last_pair || s.last_pair > witness_.pairs.size()) {
      fail(fault::unproven_order, s.header);
      return;
    }
    const nest_accesses& accesses = read.accesses;
    std::uint32_t at = s.first_pair;
    for (access_id a = 0; ok() && a != accesses.num_accesses(); ++a) {
      for (access_id b = a; ok() && b != accesses.num_accesses(); ++b) {
        const value_id first = accesses.access(a).operation;
        const value_id second = accesses.access(b).operation;
        const std::uint32_t in_a = arm_of_[old_home_[first]];
        const std::uint32_t in_b = arm_of_[old_home_[second]];
        if (in_a == in_b || (!accesses.access(a).writes && !accesses.access(b).writes)) {
          continue; // two parts of one loop stay in order, and so do two reads
        }
        if (at == s.last_pair || witness_.pairs[at].first != a || witness_.pairs[at].second != b) {
          fail(fault::unproven_order, s.header, first, second);
          return;
        }
        const dependence_result& proof = witness_.pairs[at++];
        if (verify_dependences(accesses, span<const dependence_result>(&proof, 1), proofs_)) {
          fail(fault::wrong_proof, s.header, first, second);
        } else if (!keeps_order(proof, first, in_a, second, in_b)) {
          fail(fault::unproven_order, s.header, first, second);
        }
      }
    }
  }

  /// Whether the proof excludes all pairs of iterations that the split reorders. The parts run in turn: the first loop,
  /// then the arms in the order of the witness.
  bool keeps_order(const dependence_result& proof, value_id first, std::uint32_t in_a, value_id second,
                   std::uint32_t in_b) const {
    const std::uint32_t turn_a = in_a == none ? 0 : in_a + 1;
    const std::uint32_t turn_b = in_b == none ? 0 : in_b + 1;
    for (const dependence_case& c : proof.cases) {
      if (c.kind != dependence_case_kind::possible) {
        continue;
      }
      const span<const iteration_order> orders = proof.orders_of(c);
      if (orders.empty()) {
        return false;
      }
      bool keeps = true;
      switch (orders[0]) {
      case iteration_order::before: // `first` ran before
        keeps = turn_a < turn_b;
        break;
      case iteration_order::after:
        keeps = turn_b < turn_a;
        break;
      case iteration_order::same: // only one arm runs; otherwise the first loop must have run first
        keeps = (turn_a != 0 && turn_b != 0) || is_in_loop_after_[old_home_[turn_a == 0 ? first : second]] == 0;
        break;
      }
      if (!keeps) {
        return false;
      }
    }
    return true;
  }

  // ---- What is said about the number of iterations.

  /// Compares hints, since unrolling trusts them. A chunk has at most as many iterations as the old loop, but their
  /// number need not be a multiple of what the old number was a multiple of.
  void compare_hints(node_id n) {
    if constexpr (has_trip_hints<After>) {
      loop_hints was;
      if constexpr (has_trip_hints<Before>) {
        was = n < old_nodes_ ? static_cast<loop_hints>(before_.trip_hints(n)) : loop_hints();
      }
      const loop_hints is = after_.trip_hints(n);
      const std::uint32_t loop = loop_of_[n];
      const bool is_split = loop != none && witness_.loops[loop].header == n;
      const std::uint64_t multiple = is_split ? 0 : was.multiple;
      const bool promises_more = (is.maximum != 0 && (was.maximum == 0 || is.maximum < was.maximum)) ||
                                 (is.multiple > 1 && (multiple == 0 || multiple % is.multiple != 0));
      if (promises_more) {
        fail(fault::changed_operation, n);
      }
    }
  }

  // ---- Old nodes.

  /// Whether `u` is how the value `x` must be read in a node. Within its arm or loop it is itself. An arm reads other
  /// values of the loop from memory. After the loop, values are read from phis. `no_node` is outside of all loops.
  bool same_read(value_id x, value_id u, node_id at) const {
    if (x == no_value || u == no_value) {
      return x == u;
    }
    if (x >= old_values_ || u >= new_home_.size()) {
      return false;
    }
    if (old_home_[x] == no_node) {
      return new_home_[u] == no_node && static_cast<bool>(before_.same_operation(x, after_, u));
    }
    if (new_home_[u] == no_node || is_reached_[new_home_[u]] == 0) {
      return false;
    }
    const std::uint32_t loop = loop_of_[old_home_[x]];
    const std::uint32_t here = at == no_node ? none : loop_of_[at];
    if (loop != none && loop != here) {
      return leaves_as_[x] != no_value && u == leaves_as_[x];
    }
    const std::uint32_t arm = loop == none || at == no_node ? none : arm_of_[at];
    const std::uint32_t home = loop == none ? none : arm_of_[old_home_[x]];
    if (home != arm) {
      return arm != none && u >= old_values_ && meaning_[u] == x && arm_of_[new_home_[u]] == arm;
    }
    return u == x;
  }

  void compare_node(node_id n) {
    compare_hints(n);
    if (n >= old_nodes_) {
      if (is_new_node_[n] == 0) {
        fail(fault::changed_flow, n);
      }
      return;
    }
    old_list_.clear();
    for_each_id(before_.values(n), [&](value_id v) { old_list_.push_back(v); });
    std::size_t at = 0;
    for_each_id(after_.values(n), [&](value_id v) {
      if (v >= old_values_) {
        if (is_known_[v] == 0) {
          fail(fault::extra_operation, n, v);
        }
        return;
      }
      if (at == old_list_.size() || old_list_[at] != v) {
        fail(at == old_list_.size() ? fault::extra_operation : fault::missing_operation, n, v);
        return;
      }
      ++at;
      compare_operation(n, v);
    });
    if (at != old_list_.size()) {
      fail(fault::missing_operation, n, old_list_[at]);
    }
    if (ok() &&
        !same_read(static_cast<value_id>(before_.condition(n)), static_cast<value_id>(after_.condition(n)), n)) {
      fail(fault::different_value, n, static_cast<value_id>(after_.condition(n)));
    }
    compare_phis(n);
  }

  void compare_edges(node_id n) {
    edges_.clear();
    for_each_id(g_.out_edges(n), [&](edge_id e) { edges_.push_back(e); });
    std::size_t i = 0;
    bool same = true;
    for_each_id(h_.out_edges(n), [&](edge_id e) {
      same = same && i < edges_.size() && edges_[i] == e && static_cast<node_id>(h_.edge_target(e)) == target_[e];
      ++i;
    });
    same = same && i == edges_.size();
    if (same && static_cast<value_id>(before_.condition(n)) != no_value) {
      for (const edge_id e : edges_) {
        same = same && same_cases(before_, e, after_, e);
      }
    }
    if (!same) {
      fail(fault::changed_flow, n);
    }
  }

  /// Whether a node is the header of a loop that was split. Other iterations are in one run of it now.
  bool is_split(node_id header) const {
    return header < old_nodes_ && loop_of_[header] != none && witness_.loops[loop_of_[header]].header == header;
  }

  /// No old edge and no header promises more about the end of loops. New ones promise what the old loop did: a run that
  /// stays in a new loop stays in that one.
  void check_promises() {
    flat_array<std::uint32_t> split(static_cast<std::size_t>(node_count(h_)), none); // by new node: for which loop
    for (std::uint32_t i = 0; i != witness_.loops.size(); ++i) {
      const split_loop& s = witness_.loops[i];
      for (const node_id n : {s.outer, s.full, s.drain, s.last}) {
        split[n] = i;
      }
      for (std::uint32_t k = 0; k != s.num_arms; ++k) {
        split[witness_.arms[s.first_arm + k].append] = i;
        split[witness_.arms[s.first_arm + k].header] = i;
      }
    }
    for (const node_id n : reached_) {
      const std::uint32_t i = split[n];
      bool was_promised =
          i == none ? n < old_nodes_ && loop_ends(before_, n) : loop_ends(before_, witness_.loops[i].header);
      if constexpr (has_must_end<Before>) {
        was_promised = was_promised || (i != none && static_cast<bool>(before_.must_end(olds_[i].back)));
      }
      bool is_more = loop_ends(after_, n) && !was_promised;
      if constexpr (has_must_end<Before> && has_must_end<After>) {
        for_each_id(h_.out_edges(n), [&](edge_id e) {
          const bool was = e < old_edges_ && i == none ? static_cast<bool>(before_.must_end(e)) : was_promised;
          is_more = is_more || (static_cast<bool>(after_.must_end(e)) && !was);
        });
      }
      if (is_more) {
        fail(fault::changed_flow, n);
      }
    }
  }

  void compare_operation(node_id n, value_id v) {
    const bool is_phi = static_cast<bool>(before_.is_phi(v));
    if (is_phi != static_cast<bool>(after_.is_phi(v)) ||
        (!is_phi && is_terminator(before_, v) != is_terminator(after_, v)) ||
        !static_cast<bool>(before_.same_operation(v, after_, v))) {
      fail(fault::changed_operation, n, v);
      return;
    }
    if (is_phi) {
      return;
    }
    if (before_.effect(v) == effect_kind::reads || before_.effect(v) == effect_kind::writes) {
      const optional<memory_reference> was = before_.memory(v);
      const optional<memory_reference> is = after_.memory(v);
      if (is && is->local != any_memory &&
          (!was || was->local != is->local || was->scope != is->scope || is_split(is->scope))) {
        fail(fault::changed_operation, n, v);
      }
    }
    list_.clear();
    for_each_id(before_.operands(v), [&](value_id x) { list_.push_back(x); });
    std::size_t i = 0;
    for_each_id(after_.operands(v), [&](value_id u) {
      if (i < list_.size() && !same_read(list_[i], u, n)) {
        fail(fault::different_value, n, v);
      } else if (i < list_.size() && u != list_[i] && new_home_[u] != no_node && !may_replace_operand(before_, v, i)) {
        fail(fault::fixed_operand, n, v);
      }
      ++i;
    });
    if (i != list_.size()) {
      fail(fault::changed_operation, n, v);
    }
  }

  /// Compares the inputs of old phis on the edges out of `n`, and out of new nodes that stand for old edges.
  void compare_phis(node_id n) {
    for_each_id(h_.in_edges(n), [&](edge_id e) {
      const edge_id old = stands_for_[e];
      if (old == no_edge || is_live_[e] == 0) {
        return; // from the loop over chunks: `check_carried` has compared it; or from unreachable code
      }
      const node_id from = source_in_old(old);
      for_each_phi(after_, n, [&](value_id phi) {
        if (phi >= old_values_ || !ok()) {
          return;
        }
        // An exit stands for an edge from outside: its values are those after the loop.
        const bool is_exit = e != old && from != no_node && loop_of_[from] != none && old == olds_[loop_of_[from]].exit;
        // An edge from a node that appends is in the first loop.
        const bool is_end = e != old && from != no_node && arm_of_[from] != none;
        const auto x = static_cast<value_id>(before_.phi_input(phi, old));
        const auto u = input(phi, e);
        const bool comes_from_arm =
            is_end && x < old_values_ && old_home_[x] != no_node && arm_of_[old_home_[x]] == arm_of_[from];
        const node_id at = is_exit ? no_node : is_end ? witness_.loops[loop_of_[from]].node : from;
        if (comes_from_arm || !same_read(x, u, at)) {
          fail(fault::different_value, n, phi);
        }
      });
    });
  }

  node_id source_in_old(edge_id e) {
    if (source_.empty()) {
      source_.assign(old_edges_, no_node);
      for (node_id n = 0; n != old_nodes_; ++n) {
        for_each_id(g_.out_edges(n), [&](edge_id x) { source_[x] = n; });
      }
    }
    return source_[e];
  }

  // ---- Arrays.

  /// Checks that only its store and its load access an array.
  void check_arrays() {
    flat_array<std::uint32_t> array_of(new_home_.size(), none);
    for (std::uint32_t i = 0; i != arrays_.size(); ++i) {
      array_of[arrays_[i].array] = i;
    }
    const auto look = [&](value_id x, value_id reader, node_id n) {
      const value_id access = reader != no_value && address_of_[reader] != no_value ? address_of_[reader] : reader;
      if (x != no_value && array_of[x] != none && access != arrays_[array_of[x]].store &&
          access != arrays_[array_of[x]].load) {
        fail(fault::wrong_array, n, x);
      }
      if (x != no_value && address_of_[x] != no_value && address_of_[x] != reader) {
        fail(fault::wrong_array, n, x);
      }
    };
    for (const node_id n : reached_) {
      for_each_id(after_.values(n), [&](value_id v) {
        if (!after_.is_phi(v)) {
          std::size_t reads = 0;
          for_each_id(after_.operands(v), [&](value_id x) {
            look(x, v, n);
            reads += x != no_value && array_of[x] != none ? 1u : 0u;
          });
          if (reads > 1) {
            fail(fault::wrong_array, n, v); // a store of an address
          }
        }
      });
      look(static_cast<value_id>(after_.condition(n)), no_value, n);
      for_each_id(h_.out_edges(n), [&](edge_id e) {
        for_each_phi(after_, static_cast<node_id>(h_.edge_target(e)),
                     [&](value_id phi) { look(input(phi, e), phi, n); });
      });
    }
  }

  const Before& before_;
  const After& after_;
  const decltype(before_.graph()) g_;
  const decltype(after_.graph()) h_;
  const condition_split_witness& witness_;
  span<const number_facts> facts_;
  condition_split_verdict verdict_;
  std::size_t old_nodes_ = 0;
  std::size_t old_values_ = 0;
  std::size_t old_edges_ = 0;
  flat_array<node_id> old_home_; ///< by value
  flat_array<node_id> new_home_;
  flat_array<node_id> reached_;
  flat_array<unsigned char> is_reached_; ///< by node
  flat_array<unsigned char> is_live_;    ///< by edge: whether its source is reached
  dominators_and_loops_result flow_;     ///< of the old program
  flat_array<old_loop> olds_;
  flat_array<std::uint32_t> loop_of_;          ///< by node: the split loop in which it was
  flat_array<std::uint32_t> arm_of_;           ///< by node: its arm in the witness
  flat_array<unsigned char> is_new_node_;      ///< by node: whether the witness names it
  flat_array<unsigned char> is_in_loop_after_; ///< by old node: whether it follows the arms in an iteration
  flat_array<std::uint32_t> num_in_;           ///< by old node
  flat_array<node_id> target_;                 ///< by old edge: where it must lead
  flat_array<edge_id> stands_for_;             ///< by edge: the old edge that brings the same values
  flat_array<node_id> source_;                 ///< by old edge
  flat_array<unsigned char> is_known_;         ///< by value: whether the witness names it
  flat_array<value_id> meaning_;               ///< by load: the value that it loads
  flat_array<value_id> address_of_;            ///< by value: the new access whose address it computes
  flat_array<value_id> leaves_as_;             ///< by old value: the phi that is read for it after the loop
  flat_array<kept_value> arrays_;
  flat_array<value_id> old_list_;
  flat_array<value_id> list_;
  flat_array<edge_id> edges_;
  hierarchical_ordering order_;
  value_evolutions found_;
  read_nest_workspace nest_workspace_;
  verify_dependences_workspace proofs_;
};

} // namespace detail

/// Checks that `after` is `before`, where loops were split by a condition as `witness` says. It shares no code with the
/// transformation. One must trust this function; `dominators_and_loops`, `evolutions` and `read_nest` on the old
/// program; `verify_dependences`; the semantics, effects, `same_operation`, `storage_bytes` and `local_array_bytes` of
/// the IRs; and `facts`, which must hold for the old program. Requires IRs that `check_ir` accepts.
///
/// **What is checked.** For each loop:
/// 1. In the old program it is innermost, with one entering edge, one backedge and one exit. An arm is what the edge
///    `entry` of the branch reaches before the edge `end`: nothing else leads into it or out of it. No operation of the
///    loop is a call, is volatile or may not return.
/// 2. All old operations are at their old places, in the same order, with the same operands. But an arm reads the loads
///    of values of the loop outside of it, and what follows the loop reads phis. Old edges lead where they did, but
///    those of the witness: into, back to and out of the loop, into the arms and out of them.
/// 3. The new nodes have exactly what the split needs: an iteration that enters an arm stores what it reads in the
///    record of the current count, and adds one to it. A chunk ends where the count of an arm reaches its size, so all
///    records are in bounds. After a chunk, or after the loop, the loop of each arm runs the records from 0 up to the
///    count. Then the program goes on where the loop had left, or with the next chunk and the phis of the header as
///    they were.
/// 4. Each array is a local one that is large enough, and only its store and its load read its address. Where these
/// read
///    what another operation computes from array and count, it is in the same node, and nothing else reads it.
/// 5. Hints about numbers of iterations promise no more than before; that of a split loop names no multiple.
/// 6. For each pair of accesses in different parts with a write, a proof that `verify_dependences` accepts shows that
///    they do not meet in iterations whose order changes. The accesses are read from the old program, not from the
///    witness.
///
/// O(n + m + values + operands), for each loop its nodes, and the cost of reading the loops and of checking the proofs.
template <certifiable_ir Before, certifiable_ir After>
  requires memory_ir<Before> && memory_ir<After> && freezable_ir<Before> && has_operation<Before> &&
           has_operation<After> && has_storage_bytes<Before> && has_storage_bytes<After> &&
           has_local_array_bytes<After> && graph_has_in_edges<After>
condition_split_verdict verify_condition_split(const Before& before, const After& after,
                                               const condition_split_witness& witness,
                                               span<const number_facts> facts = {}) {
  return detail::condition_split_checker<Before, After>(before, after, witness, facts).run();
}

MIDEND_END_NAMESPACE
