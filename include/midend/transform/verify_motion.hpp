/// `verify_motion`: checks the certificate of moved code.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/certifiable_ir.hpp"
#include "midend/transform/detail/paired_programs.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// What is wrong with a motion.
enum class motion_fault : std::uint8_t {
  none,
  wrong_size,            ///< the programs have other nodes
  changed_flow,          ///< an edge, its target or its case
  missing_operation,     ///< an operation is nowhere
  extra_operation,       ///< an operation that the old program does not have
  changed_operation,     ///< it computes something else, or promises more
  wrong_operand,         ///< an operand, phi input or condition is another one
  wrong_order,           ///< operations that were not moved are in another order
  not_movable,           ///< a phi, a terminator, or an operation with an effect or from which control may not return
  not_above,             ///< the new node does not dominate the old one
  operand_not_available, ///< at the new place, an operand is not computed
  early_trap,            ///< it may trap where it did not run, or before an effect
  changed_memory         ///< it reads memory that may be written between the two places
};

/// The answer of `verify_motion`: the first fault and its place in the new program, or none.
struct motion_verdict {
  motion_fault fault = motion_fault::none;
  node_id node = no_node;
  value_id value = no_value;

  explicit operator bool() const { return fault == motion_fault::none; }
};

namespace detail {

template <class Before, class After> class motion_checker {
public:
  motion_checker(const Before& before, const After& after) : pair_(before, after), before_(before), after_(after) {}

  motion_verdict run() {
    if (!pair_.read()) {
      fail(motion_fault::wrong_size, no_node);
      return verdict_;
    }
    for (std::size_t i = 0; ok() && i != pair_.order.size(); ++i) {
      const node_id n = pair_.order[i];
      if (!pair_.same_edges(n)) {
        fail(motion_fault::changed_flow, n);
      } else if (!pair_.same_value(static_cast<value_id>(before_.condition(n)),
                                   static_cast<value_id>(after_.condition(n)))) {
        fail(motion_fault::wrong_operand, n, static_cast<value_id>(after_.condition(n)));
      }
    }
    list_places();
    for (std::size_t i = 0; ok() && i != pair_.order.size(); ++i) {
      compare_node(pair_.order[i]);
    }
    if (ok()) {
      tree_ = dominators(after_.graph());
      chain_.assign(pair_.reached.size(), no_node);
      between_.assign(pair_.reached.size(), no_node);
    }
    for (std::size_t i = 0; ok() && i != pair_.order.size(); ++i) {
      check_moved_to(pair_.order[i]);
    }
    return verdict_;
  }

private:
  using ids = flat_array<std::uint32_t>;

  static constexpr std::uint32_t none = 0xffff'ffff;

  bool ok() const { return verdict_.fault == motion_fault::none; }

  void fail(motion_fault fault, node_id n, value_id v = no_value) {
    if (ok()) {
      verdict_ = {fault, n, v};
    }
  }

  /// What no trap may move across.
  template <class IR> static bool is_barrier(const IR& ir, value_id v) {
    return !ir.is_phi(v) && (writes(ir, v) || ir.may_not_return(v) || ir.is_volatile(v));
  }

  template <class IR> static bool writes(const IR& ir, value_id v) {
    return ir.effect(v) != effect_kind::none && ir.effect(v) != effect_kind::reads;
  }

  void list_places() {
    old_place_.assign(pair_.num_old_values(), 0);
    new_place_.assign(static_cast<std::size_t>(after_.num_values()), 0);
    first_barrier_.assign(pair_.reached.size(), none);
    last_barrier_.assign(pair_.reached.size(), none);
    last_write_.assign(pair_.reached.size(), none);
    for (const node_id n : pair_.order) {
      std::uint32_t at = 0;
      for_each_id(before_.values(n), [&](value_id v) {
        first_barrier_[n] = first_barrier_[n] == none && is_barrier(before_, v) ? at : first_barrier_[n];
        old_place_[v] = at++;
      });
      at = 0;
      for_each_id(after_.values(n), [&](value_id v) {
        last_barrier_[n] = is_barrier(after_, v) ? at : last_barrier_[n];
        last_write_[n] = !after_.is_phi(v) && writes(after_, v) ? at : last_write_[n];
        new_place_[v] = at++;
      });
    }
  }

  void compare_node(node_id n) {
    value_id last = no_value;
    for_each_id(after_.values(n), [&](value_id v) {
      if (v >= pair_.num_old_values() || pair_.old_home[v] == no_node) {
        fail(motion_fault::extra_operation, n, v);
        return;
      }
      if (pair_.old_home[v] == n) {
        if (last != no_value && old_place_[v] < old_place_[last]) {
          fail(motion_fault::wrong_order, n, v);
        }
        last = v;
      }
      compare_operation(n, v);
    });
    for_each_id(before_.values(n), [&](value_id x) {
      if (pair_.new_home[x] == no_node) {
        fail(motion_fault::missing_operation, n, x);
      }
    });
    for_each_id(after_.graph().out_edges(n), [&](edge_id e) {
      for_each_phi(after_, static_cast<node_id>(after_.graph().edge_target(e)), [&](value_id phi) {
        if (phi >= pair_.num_old_values() || pair_.old_home[phi] != pair_.new_home[phi] || !before_.is_phi(phi)) {
          fail(motion_fault::not_movable, pair_.new_home[phi], phi);
        } else if (!pair_.same_value(static_cast<value_id>(before_.phi_input(phi, e)),
                                     static_cast<value_id>(after_.phi_input(phi, e)))) {
          fail(motion_fault::wrong_operand, pair_.new_home[phi], phi);
        }
      });
    });
  }

  void compare_operation(node_id n, value_id x) {
    if (!pair_.same_operation(x, x)) {
      fail(motion_fault::changed_operation, n, x);
      return;
    }
    if (before_.is_phi(x)) {
      return; // edge by edge
    }
    if (!pair_.same_operands(x)) {
      fail(motion_fault::wrong_operand, n, x);
    }
  }

  /// The values that were moved to a node.
  void check_moved_to(node_id n) {
    loads_.clear();
    bool has_chain = false;
    for_each_id(after_.values(n), [&](value_id v) {
      const node_id from = pair_.old_home[v];
      if (from == n || !ok()) {
        return;
      }
      if (after_.is_phi(v) || is_terminator(after_, v) || !is_removable(after_, v)) {
        fail(motion_fault::not_movable, n, v);
      } else if (!tree_.strictly_dominates(n, from)) {
        fail(motion_fault::not_above, n, v);
      }
      for_each_id(after_.operands(v), [&](value_id u) {
        const node_id home = u == no_value ? no_node : pair_.new_home[u];
        if (home != no_node && !tree_.strictly_dominates(home, n) && (home != n || new_place_[u] >= new_place_[v])) {
          fail(motion_fault::operand_not_available, n, v);
        }
      });
      if (ok() && after_.may_trap(v)) {
        if (!has_chain) {
          follow_chain(n);
          has_chain = true;
        }
        const bool leaves = last_barrier_[n] == none || last_barrier_[n] < new_place_[v];
        const bool arrives =
            chain_[from] == n && (first_barrier_[from] == none || first_barrier_[from] > old_place_[v]);
        if (!leaves || !arrives) {
          fail(motion_fault::early_trap, n, v);
        }
      }
      if (ok() && after_.effect(v) == effect_kind::reads) {
        if (last_write_[n] != none && last_write_[n] > new_place_[v]) {
          fail(motion_fault::changed_memory, n, v);
        }
        loads_.push_back(v);
      }
    });
    if (ok() && !loads_.empty()) {
      check_memory(n);
    }
  }

  /// The nodes where control surely arrives from a node, with no barrier before.
  void follow_chain(node_id n) {
    for (node_id at = n;;) {
      node_id next = no_node;
      bool branches = false; // to several nodes
      for_each_id(after_.graph().successors(at), [&](node_id s) {
        branches = branches || (next != no_node && next != s);
        next = s;
      });
      if (branches || next == no_node || next == n || chain_[next] == n || (at != n && last_barrier_[at] != none)) {
        return;
      }
      chain_[next] = n;
      at = next;
    }
  }

  /// No node on a way from `n` to where a load was, without passing `n` again, writes.
  void check_memory(node_id n) {
    todo_.clear();
    const auto pass = [&](node_id p) {
      if (p != n && pair_.reached[p] != 0 && between_[p] != n) {
        between_[p] = n;
        todo_.push_back(p);
      }
    };
    for (const value_id v : loads_) {
      pass(pair_.old_home[v]);
    }
    while (!todo_.empty()) {
      const node_id p = todo_.back();
      todo_.pop_back();
      if (last_write_[p] != none) {
        fail(motion_fault::changed_memory, p, loads_[0]);
        return;
      }
      for_each_id(after_.graph().in_edges(p),
                  [&](edge_id e) { pass(static_cast<node_id>(after_.graph().edge_source(e))); });
    }
  }

  paired_programs<Before, After> pair_;
  const Before& before_;
  const After& after_;
  motion_verdict verdict_;
  dominator_tree tree_;
  ids old_place_;     ///< by value, in its node
  ids new_place_;     ///< the same in the new program
  ids first_barrier_; ///< by node, of the old program, or `none`
  ids last_barrier_;  ///< by node, of the new program
  ids last_write_;    ///< by node, of the new program
  ids chain_;         ///< by node: the last node from which control surely arrives
  ids between_;       ///< by node: the last node for which it was checked that it does not write
  ids loads_;
  ids todo_;
};

} // namespace detail

/// Checks that `after` is `before` with operations moved to nodes above, so that both do the same. It shares no code
/// with the transformation; what remains to be trusted is this function, `dominators`, and the effects and
/// `same_operation` of the IR. Requires IRs that `check_ir` accepts. Values keep their numbers, so there is no witness.
///
/// **What is checked** of the reachable part of the program.
/// 1. Edges, conditions and phis are the old ones. Operations read what they read and promise no more. Those that were
///    not moved are in the old order.
/// 2. An operation that was moved has no effect, control passes it, its new node strictly dominates the old one, and
///    its operands are computed before it there.
/// 3. If it may trap: from its new place, control arrives at the old one without a branch, and on the way is no effect,
///    no volatile access, and nothing from which control may not return. So it traps early or it would have trapped.
/// 4. If it reads memory: nothing on a way from the new place to the old one that does not pass the new node again may
///    write.
///
/// **Why this is enough.** Let v move from node a to b, and follow a run to a read of v. Since b dominates a, b was run
/// before a; take the last time. No operand u was computed between then and the run of a: there would be a way to u
/// that avoids b, as u's node is above b or u is earlier in b, and from u to a without b; but b dominates a. Nor
/// was memory written that v reads, by 4. So what v got in b is what it would get in a, each time that a runs
/// until b runs again. A run of b that a does not follow computes what nobody reads, and by 3 it does not trap.
///
/// O(n + m + values + operands), plus, for each node that traps or loads were moved to, the nodes on the way.
template <certifiable_ir Before, certifiable_ir After>
  requires requires(const After& after, node_id n) { after.graph().in_edges(n); }
motion_verdict verify_motion(const Before& before, const After& after) {
  return detail::motion_checker<Before, After>(before, after).run();
}

MIDEND_END_NAMESPACE
