/// `verify_removal`: checks the certificate of removed code.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/certifiable_ir.hpp"
#include "midend/transform/detail/paired_programs.hpp"
#include "midend/transform/removal_witness.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// What is wrong with a removal.
enum class removal_fault : std::uint8_t {
  none,
  wrong_size,        ///< the programs have different nodes, or the witness names a node that does not exist
  missing_operation, ///< an operation is missing that is not removable
  extra_operation,   ///< the old program does not have this operation there
  changed_operation, ///< an operation computes something else, or promises more
  wrong_operand,     ///< an operand, phi input or condition differs, or is not computed any more
  changed_flow,      ///< edges changed without a removed branch
  removed_effect,    ///< a removed branch does more than branch
  deciding_branch,   ///< a removed branch decides where control goes, or which input a phi takes
  endless_loop       ///< the paths from a removed branch have a cycle that may not end
};

/// The answer of `verify_removal`: the first fault and its place, or none.
struct removal_verdict {
  removal_fault fault = removal_fault::none;
  node_id node = no_node;
  value_id value = no_value; ///< of the new program, or of the old one if it is missing there
  std::size_t assumed = 0;   ///< loops that end only by the claim of the witness

  explicit operator bool() const { return fault == removal_fault::none; }
};

namespace detail {

template <class Before, class After> class removal_checker {
public:
  removal_checker(const Before& before, const After& after, const removal_witness& w)
      : pair_(before, after), before_(before), after_(after), w_(w) {}

  removal_verdict run() {
    if (!pair_.read()) {
      fail(removal_fault::wrong_size, no_node);
      return verdict_;
    }
    for (const node_id n : w_.ending_loops) {
      if (n >= node_count(before_.graph())) {
        fail(removal_fault::wrong_size, n);
        return verdict_;
      }
    }
    jump_.assign(node_count(before_.graph()), no_node);
    has_jump_.assign(jump_.size(), 0);
    for (std::size_t i = 0; ok() && i != pair_.order.size(); ++i) {
      compare_end(pair_.order[i]);
    }
    for (std::size_t i = 0; ok() && i != pair_.order.size(); ++i) {
      compare_values(pair_.order[i]);
      compare_inputs(pair_.order[i]);
    }
    if (ok() && !branches_.empty()) {
      list_passed();
      find_stops();
      check_stops();
      check_cycles();
    }
    return verdict_;
  }

private:
  using ids = flat_array<std::uint32_t>;

  bool ok() const { return verdict_.fault == removal_fault::none; }

  void fail(removal_fault fault, node_id n, value_id v = no_value) {
    if (ok()) {
      verdict_.fault = fault;
      verdict_.node = n;
      verdict_.value = v;
    }
  }

  static constexpr std::uint32_t none = 0xffff'ffff;

  template <class IR> static value_id end_of(const IR& ir, node_id n) {
    value_id end = no_value;
    for_each_id(ir.values(n), [&](value_id v) { end = !ir.is_phi(v) && is_terminator(ir, v) ? v : end; });
    return end;
  }

  /// Checks that a node has its old edges, or that its branch became a jump.
  void compare_end(node_id n) {
    std::size_t old_edges = 0;
    std::size_t edges = 0;
    edge_id old_edge = no_edge;
    edge_id edge = no_edge;
    for_each_id(before_.graph().out_edges(n), [&](edge_id e) {
      old_edge = e;
      ++old_edges;
    });
    for_each_id(after_.graph().out_edges(n), [&](edge_id e) {
      edge = e;
      ++edges;
    });
    const auto condition = static_cast<value_id>(before_.condition(n));
    const auto new_condition = static_cast<value_id>(after_.condition(n));
    const bool is_jump = edges == 1 && new_condition == no_value && (condition != no_value || old_edges > 1);
    if (!is_jump && !pair_.same_edges(n)) {
      fail(removal_fault::changed_flow, n);
    } else if (!is_jump && !pair_.same_value(condition, new_condition)) {
      fail(removal_fault::wrong_operand, n, new_condition);
    } else if (is_jump) {
      has_jump_[n] = 1;
      check_jump(n);
      const auto target = static_cast<node_id>(after_.graph().edge_target(edge));
      if (old_edges != 1 || old_edge != edge || static_cast<node_id>(before_.graph().edge_target(edge)) != target) {
        jump_[n] = target;
        branches_.push_back(n);
      }
    }
  }

  /// Checks that the old end only branches, and the new one only jumps.
  void check_jump(node_id n) {
    const value_id end = end_of(after_, n);
    if (!is_plain_end(n)) {
      fail(removal_fault::removed_effect, n, end_of(before_, n));
    } else if (end != no_value) {
      bool reads = false;
      for_each_id(after_.operands(end), [&](value_id) { reads = true; });
      if (reads || after_.effect(end) != effect_kind::none || after_.may_trap(end) || after_.may_not_return(end)) {
        fail(removal_fault::changed_flow, n, end);
      }
    }
  }

  /// Whether the program before shows that only readers need an operation.
  bool may_go(value_id x) const {
    const effect_kind effect = before_.effect(x);
    if (is_terminator(before_, x) || before_.is_volatile(x) || before_.may_not_return(x) ||
        (effect != effect_kind::none && effect != effect_kind::reads)) {
      return false;
    }
    if constexpr (has_is_removable<Before>) {
      return static_cast<bool>(before_.is_removable(x));
    } else {
      return true;
    }
  }

  /// Whether the terminator of the old node only branches.
  bool is_plain_end(node_id n) const {
    const value_id end = end_of(before_, n);
    return end == no_value ||
           (before_.effect(end) == effect_kind::none && !before_.may_not_return(end) && !before_.is_volatile(end));
  }

  /// Checks that the remaining operations of a node are in the old order with the old operands, and that missing ones
  /// are removable.
  void compare_values(node_id n) {
    values_.clear();
    for_each_id(after_.values(n), [&](value_id v) {
      const bool is_new_jump = has_jump_[n] != 0 && !after_.is_phi(v) && is_terminator(after_, v);
      if (!is_new_jump && (v >= pair_.num_old_values() || pair_.old_home[v] != n)) {
        fail(removal_fault::extra_operation, n, v);
      }
      values_.push_back(v);
    });
    std::size_t at = 0;
    for_each_id(before_.values(n), [&](value_id x) {
      const bool is_end = !before_.is_phi(x) && is_terminator(before_, x);
      const bool is_left = is_end && has_jump_[n] != 0; // the jump may have the number of the branch
      if (at != values_.size() && values_[at] == x && !is_left) {
        compare_operation(n, x);
        ++at;
      } else if (is_end ? has_jump_[n] == 0 : !before_.is_phi(x) && !may_go(x)) {
        fail(removal_fault::missing_operation, n, x);
      }
    });
    const bool has_new_jump = at + 1 == values_.size() && has_jump_[n] != 0 && !after_.is_phi(values_[at]) &&
                              is_terminator(after_, values_[at]);
    if (at != values_.size() && !has_new_jump) {
      fail(removal_fault::extra_operation, n, values_[at]);
    }
  }

  void compare_operation(node_id n, value_id x) {
    if (!pair_.same_operation(x, x)) {
      fail(removal_fault::changed_operation, n, x);
      return;
    }
    if (before_.is_phi(x)) {
      return; // edge by edge
    }
    if (!pair_.same_operands(x)) {
      fail(removal_fault::wrong_operand, n, x);
    }
  }

  /// Compares the phis that edges of a node lead to. A removed branch may not lead to a phi: it would decide the input.
  void compare_inputs(node_id n) {
    for_each_id(after_.graph().out_edges(n), [&](edge_id e) {
      for_each_phi(after_, static_cast<node_id>(after_.graph().edge_target(e)), [&](value_id phi) {
        if (jump_[n] != no_node) {
          fail(removal_fault::deciding_branch, n, phi);
        } else if (phi >= pair_.num_old_values() || pair_.old_home[phi] != pair_.new_home[phi] ||
                   !before_.is_phi(phi)) {
          fail(removal_fault::extra_operation, pair_.new_home[phi], phi);
        } else if (!pair_.same_value(static_cast<value_id>(before_.phi_input(phi, e)),
                                     static_cast<value_id>(after_.phi_input(phi, e)))) {
          fail(removal_fault::wrong_operand, pair_.new_home[phi], phi);
        }
      });
    });
  }

  /// Lists the passed nodes: old nodes on the paths from removed branches without operations that must stay, or that
  /// remain.
  void list_passed() {
    passed_.assign(jump_.size(), none);
    is_target_.assign(jump_.size(), 0);
    for (const node_id n : branches_) {
      is_target_[jump_[n]] = 1;
    }
    const auto pass = [&](node_id s) {
      if (passed_[s] == none && is_idle(s)) {
        passed_[s] = static_cast<std::uint32_t>(nodes_.size());
        nodes_.push_back(s);
      }
    };
    for (const node_id n : branches_) {
      for_each_id(before_.graph().successors(n), pass);
    }
    for (std::size_t i = 0; i != nodes_.size(); ++i) {
      for_each_id(before_.graph().successors(nodes_[i]), pass);
    }
  }

  bool is_idle(node_id n) const {
    bool has_edge = false;
    for_each_id(before_.graph().out_edges(n), [&](edge_id) { has_edge = true; });
    bool idle = has_edge && is_target_[n] == 0 && is_plain_end(n);
    for_each_id(before_.values(n),
                [&](value_id x) { idle = idle && (before_.is_phi(x) || is_terminator(before_, x) || may_go(x)); });
    if (idle && pair_.reached[n] != 0) {
      idle = static_cast<value_id>(after_.condition(n)) == no_value;
      for_each_id(after_.values(n), [&](value_id v) { idle = idle && !after_.is_phi(v) && is_terminator(after_, v); });
    }
    return idle;
  }

  bool is_passed(node_id n) const { return passed_[n] != none; }

  /// Finds the stop of each passed node, backwards: a node on some path that is not passed.
  void find_stops() {
    ids ends(nodes_.size() + 1, 0);
    ids sources;
    ids queue;
    stop_.assign(nodes_.size(), no_node);
    const auto each_edge = [&](auto visit) {
      for (const node_id n : nodes_) {
        for_each_id(before_.graph().successors(n), [&](node_id s) { visit(n, s); });
      }
    };
    each_edge([&](node_id n, node_id s) {
      if (is_passed(s)) {
        ++ends[passed_[s]];
      } else if (stop_[passed_[n]] == no_node) {
        stop_[passed_[n]] = s;
        queue.push_back(passed_[n]);
      }
    });
    counts_to_ends(ends);
    sources.resize_for_overwrite(ends[nodes_.size()]);
    each_edge([&](node_id n, node_id s) {
      if (is_passed(s)) {
        sources[--ends[passed_[s]]] = passed_[n];
      }
    });
    for (std::size_t i = 0; i != queue.size(); ++i) {
      for (std::uint32_t k = ends[queue[i]]; k != ends[queue[i] + std::size_t{1}]; ++k) {
        if (stop_[sources[k]] == no_node) {
          stop_[sources[k]] = stop_[queue[i]];
          queue.push_back(sources[k]);
        }
      }
    }
  }

  node_id stop_of(node_id n) const { return is_passed(n) ? stop_[passed_[n]] : n; }

  /// Checks that all paths lead to one stop, and that the removed branch jumps there.
  void check_stops() {
    const auto check = [&](node_id n, node_id stop) {
      for_each_id(before_.graph().successors(n), [&](node_id s) {
        if (stop_of(s) == no_node) {
          fail(removal_fault::endless_loop, n);
        } else if (stop_of(s) != stop) {
          fail(removal_fault::deciding_branch, n);
        }
      });
    };
    for (const node_id n : nodes_) {
      check(n, stop_of(n));
    }
    for (const node_id n : branches_) {
      check(n, jump_[n]);
    }
  }

  /// By node: whether it is the header of a loop of the witness, and the program promises that the loop ends, for all
  /// edges by which it goes back.
  flat_array<unsigned char> promised_ends(const dominator_tree& tree) const {
    flat_array<unsigned char> out(jump_.size(), 0);
    for (const node_id n : w_.ending_loops) {
      out[n] = has_must_end<Before> || loop_ends(before_, n) ? 1 : 0;
    }
    if constexpr (has_must_end<Before>) {
      for (node_id n = 0; n != jump_.size() && !w_.ending_loops.empty(); ++n) {
        for_each_id(before_.graph().out_edges(n), [&](edge_id e) {
          const auto s = static_cast<node_id>(before_.graph().edge_target(e));
          if (tree.dominates(s, n) && !static_cast<bool>(before_.must_end(e)) && !loop_ends(before_, s)) {
            out[s] = 0;
          }
        });
      }
    }
    return out;
  }

  /// Checks that passed nodes form no cycle without the backedges of loops that end.
  void check_cycles() {
    flat_array<unsigned char> ends(jump_.size(), 0);
    for (const node_id n : w_.ending_loops) {
      ends[n] = 1;
    }
    const dominator_tree tree = w_.ending_loops.empty() ? dominator_tree() : dominators(before_.graph());
    const auto each_edge = [&](node_id n, auto visit) {
      for_each_id(before_.graph().successors(n), [&](node_id s) {
        if (is_passed(s)) {
          visit(s, ends[s] != 0 && tree.dominates(s, n));
        }
      });
    };
    const flat_array<unsigned char> promised = promised_ends(tree);
    ids entered(nodes_.size(), 0);
    for (const node_id n : nodes_) {
      each_edge(n, [&](node_id s, bool goes_back) {
        entered[passed_[s]] += goes_back ? 0u : 1u;
        if (goes_back && ends[s] == 1) {
          ends[s] = 2;
          verdict_.assumed += promised[s] != 0 ? 0u : 1u;
        }
      });
    }
    ids todo;
    for (std::size_t i = 0; i != nodes_.size(); ++i) {
      if (entered[i] == 0) {
        todo.push_back(nodes_[i]);
      }
    }
    std::size_t done = 0;
    for (; !todo.empty(); ++done) {
      const node_id n = todo.back();
      todo.pop_back();
      each_edge(n, [&](node_id s, bool goes_back) {
        if (!goes_back && --entered[passed_[s]] == 0) {
          todo.push_back(s);
        }
      });
    }
    for (std::size_t i = 0; done != nodes_.size() && i != nodes_.size(); ++i) {
      if (entered[i] != 0) {
        fail(removal_fault::endless_loop, nodes_[i]);
      }
    }
  }

  paired_programs<Before, After> pair_;
  const Before& before_;
  const After& after_;
  const removal_witness& w_;
  removal_verdict verdict_;
  flat_array<unsigned char> has_jump_; ///< by node: whether it ended in a branch that became a jump
  ids jump_;                           ///< by node: where it jumps in place of its branch, or `no_node`
  ids branches_;                       ///< the nodes whose branches were removed
  ids values_;
  flat_array<unsigned char> is_target_; ///< by node: whether a removed branch jumps there
  ids nodes_;                           ///< the passed nodes
  ids passed_;                          ///< by node: its position in `nodes_`, or `none`
  ids stop_;                            ///< by position
};

} // namespace detail

/// Checks that `after` is `before` without code that nothing needs, so that both do the same: the same operations with
/// effects, with the same operands, in the same order, and both end or neither does. It shares no code with the
/// transformation; one must trust this function, `dominators`, and the effects and `same_operation` of the IR. Requires
/// IRs that `check_ir` accepts; the witness may be anything.
///
/// **What is checked** of the reachable part of the new program, node by node (they keep their numbers):
/// 1. Its operations are unchanged old ones of this node, in their order. Missing ones are removable. Operands are the
///    old ones and still computed: removed code is read by nobody.
/// 2. It has its old edges and condition, and the phis at their ends their old inputs; or its branch became a jump.
/// 3. Say that an old node is *passed* if a removed branch leads to it, perhaps through passed nodes, if it holds
///    nothing that is not removable, nothing of it remains, and no removed branch jumps to it. All paths from a removed
///    branch through passed nodes end at the same node, to which it jumps now, and at which no phi remains: the branch
///    decides nothing that remains.
/// 4. Passed nodes form no cycle, except loops that end: those that the witness names. Loops that end without a promise
///    of the IR are counted as `assumed`.
///
/// **Why this is enough.** Run both programs side by side. As long as no removed branch is met, they do the same by 1
/// and 2. At a removed branch the old program runs through passed nodes; by 4 it leaves them, and by 3 it arrives where
/// the new program jumps. Nothing on the path is read later: it does not remain. Proof of 4: an endless run in passed
/// nodes finally stays in a strongly connected set of them. One of its cycles visits each of its nodes, so it uses an
/// edge that goes back to the header of a loop that ends. The largest of these loops contains the set: a path that
/// leaves it and comes back uses no such edge, or one of a larger loop. So the loop would not end.
///
/// O(n + m + values + operands).
template <certifiable_ir_argument Before, certifiable_ir_argument After>
removal_verdict verify_removal(const Before& before, const After& after, const removal_witness& witness) {
  return detail::removal_checker<Before, After>(before, after, witness).run();
}

MIDEND_END_NAMESPACE
