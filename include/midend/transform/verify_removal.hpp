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
#include "midend/transform/change_verdict.hpp"
#include "midend/transform/detail/compared_programs.hpp"
#include "midend/transform/removal_witness.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The answer of `verify_removal`: the first fault and its place, or none.
struct removal_verdict : change_verdict {
  std::size_t assumed = 0; ///< loops that end only by the claim of the witness
};

namespace detail {

/// Operations may be missing, and branches may become jumps.
template <class Before, class After> class removal_checker : public allowed_changes {
public:
  removal_checker(const Before& before, const After& after, const removal_witness& w)
      : pair_(before, after), before_(before), after_(after), w_(w) {}

  removal_verdict run() {
    if (!pair_.read()) {
      fail(change_fault::wrong_size, no_node);
    } else {
      find_jumps();
      pair_.compare_flow(*this);
      check_targets();
      pair_.compare_operations(*this);
      pair_.compare_reads(*this);
    }
    if (ok() && !branches_.empty()) {
      list_passed();
      find_stops();
      check_stops();
      check_cycles();
    }
    if (ok()) {
      check_promises();
    }
    return {verdict_, assumed_};
  }

  change_fault changed_edges(node_id n) const {
    return has_jump_[n] != 0 ? change_fault::none : change_fault::changed_flow; // `check_promises` compares promises
  }

  /// The jump may have the number of the branch.
  bool is_replaced(node_id n, value_id v) const {
    return has_jump_[n] != 0 && !after_.is_phi(v) && is_terminator(after_, v);
  }

  change_fault added(node_id n, value_id v) const {
    return is_replaced(n, v) ? change_fault::none : change_fault::extra_operation;
  }

  change_fault missing(node_id n, value_id x) const {
    const bool is_allowed = before_.is_phi(x) || (is_terminator(before_, x) ? has_jump_[n] != 0 : may_go(x));
    return is_allowed ? change_fault::none : change_fault::missing_operation;
  }

  /// A jump has no condition.
  change_fault read(const changed_read& r) const {
    return r.user == no_value && has_jump_[r.from] != 0 ? change_fault::none : change_fault::wrong_operand;
  }

private:
  using ids = flat_array<std::uint32_t>;

  static constexpr std::uint32_t none = 0xffff'ffff;

  template <class IR> static value_id end_of(const IR& ir, node_id n) {
    value_id end = no_value;
    for_each_id(ir.values(n), [&](value_id v) { end = !ir.is_phi(v) && is_terminator(ir, v) ? v : end; });
    return end;
  }

  /// Finds the branches that became jumps.
  void find_jumps() {
    jump_.assign(node_count(before_.graph()), no_node);
    has_jump_.assign(jump_.size(), 0);
    for (const node_id n : w_.ending_loops) {
      if (n >= jump_.size()) {
        fail(change_fault::wrong_size, n);
      }
    }
    for (std::size_t i = 0; ok() && i != pair_.order.size(); ++i) {
      find_jump(pair_.order[i]);
    }
  }

  void find_jump(node_id n) {
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
    const bool has_condition = static_cast<value_id>(before_.condition(n)) != no_value;
    if (edges == 1 && static_cast<value_id>(after_.condition(n)) == no_value && (has_condition || old_edges > 1)) {
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
      fail(change_fault::removed_effect, n, end_of(before_, n));
    } else if (end != no_value) {
      bool reads = false;
      for_each_id(after_.operands(end), [&](value_id) { reads = true; });
      if (reads || after_.effect(end) != effect_kind::none || after_.may_trap(end) || after_.may_not_return(end)) {
        fail(change_fault::changed_flow, n, end);
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

  /// Checks that no removed branch jumps to a phi: it would decide the input.
  void check_targets() {
    for (std::size_t i = 0; ok() && i != branches_.size(); ++i) {
      for_each_phi(after_, jump_[branches_[i]],
                   [&](value_id phi) { fail(change_fault::deciding_branch, branches_[i], phi); });
    }
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
          fail(change_fault::endless_loop, n);
        } else if (stop_of(s) != stop) {
          fail(change_fault::deciding_branch, n);
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

  /// Checks that jumps promise no more about loops than the old edges by which control arrived at their targets: those
  /// of the branch, and those of the passed nodes.
  void check_promises() {
    if constexpr (has_must_end<Before> && has_must_end<After>) {
      flat_array<unsigned char> lacks_promise; // by node: whether an edge from a passed node to it promises nothing
      lacks_promise.assign(jump_.size(), 0);
      const auto note = [&](node_id n, node_id target) {
        for_each_id(before_.graph().out_edges(n), [&](edge_id e) {
          const bool leads_there = static_cast<node_id>(before_.graph().edge_target(e)) == target;
          if (leads_there && !static_cast<bool>(before_.must_end(e))) {
            lacks_promise[target] = 1;
          }
        });
      };
      for (const node_id n : nodes_) {
        note(n, stop_of(n));
      }
      for (const node_id n : pair_.order) {
        for_each_id(after_.graph().out_edges(n), [&](edge_id e) {
          if (has_jump_[n] != 0 && static_cast<bool>(after_.must_end(e))) {
            check_promise(n, static_cast<node_id>(after_.graph().edge_target(e)), lacks_promise);
          }
        });
      }
    }
  }

  void check_promise(node_id n, node_id target, const flat_array<unsigned char>& lacks_promise) {
    for_each_id(before_.graph().out_edges(n), [&](edge_id e) {
      const bool leads_there = static_cast<node_id>(before_.graph().edge_target(e)) == target;
      if (leads_there ? !static_cast<bool>(before_.must_end(e)) : lacks_promise[target] != 0) {
        fail(change_fault::changed_flow, n);
      }
    });
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
          assumed_ += promised[s] != 0 ? 0u : 1u;
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
        fail(change_fault::endless_loop, nodes_[i]);
      }
    }
  }

  compared_programs<Before, After> pair_;
  const Before& before_;
  const After& after_;
  const removal_witness& w_;
  std::size_t assumed_ = 0;
  flat_array<unsigned char> has_jump_;  ///< by node: whether it ended in a branch that became a jump
  ids jump_;                            ///< by node: where it jumps in place of its branch, or `no_node`
  ids branches_;                        ///< the nodes whose branches were removed
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
/// **What is checked** of the reachable part of the new program. All is as it was (`compared_programs`), but:
/// 1. Removable operations may be missing. What is read is still computed: nobody reads removed code.
/// 2. A branch that has no effect may have become a jump. It promises no more about a loop than all edges by which the
///    branch, or a passed node, led to its target.
/// 3. Say that an old node is *passed* if a removed branch leads to it, perhaps through passed nodes, if it holds
///    nothing that is not removable, nothing of it remains, and no removed branch jumps to it. All paths from a removed
///    branch through passed nodes end at the same node, to which it jumps now, and at which no phi remains: the branch
///    decides nothing that remains.
/// 4. Passed nodes form no cycle, except loops that end: those that the witness names. Loops that end without a promise
///    of the IR are counted as `assumed`.
///
/// **Why this is enough.** Run both programs side by side. As long as no removed branch is met, they do the same. At a
/// removed branch the old program runs through passed nodes; by 4 it leaves them, and by 3 it arrives where
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
