/// `close_loops`: loop-closed SSA form (LCSSA).
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/dominators_and_loops.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/ssa/repair_ssa.hpp"
#include "midend/support/detail/contract.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/simplify_loops.hpp"
#include "midend/transform/unfolding.hpp"
#include "midend/transform/unfolding_witness.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// A phi for a value of a loop, in an exit block of the loop.
struct closing_phi {
  value_id value;
  node_id exit;

  friend constexpr bool operator==(const closing_phi&, const closing_phi&) = default;
};

/// Why a value that is read outside its loop gets no phi in an exit block.
enum class closing_refusal_reason : std::uint8_t {
  exit_not_dedicated, ///< the block is entered from elsewhere, too
  cannot_have_phi     ///< the value cannot take a phi (`may_insert_phi`)
};

/// A phi that is needed and cannot be made.
struct closing_refusal {
  value_id value;
  node_id exit;
  closing_refusal_reason why;

  friend constexpr bool operator==(const closing_refusal&, const closing_refusal&) = default;
};

/// What `close_loops` will do. To veto the changes for a value, remove all its phis.
struct loop_closing_plan {
  std::uint64_t epoch = 0;
  flat_array<closing_phi> phis;        ///< grouped by value
  flat_array<closing_refusal> refused; ///< grouped by value

  bool empty() const { return phis.empty(); }
};

namespace detail {

struct closable_contract : contract<ssa_contract, graph_has_in_edges_row> {};

template <class IR>
concept closable_ir_argument = closable_contract::fits<IR> || closable_contract::explain<IR>();

template <class IR> class loop_closing_planner {
public:
  loop_closing_planner(const IR& ir, const dominator_tree& tree, const loop_forest& loops, loop_closing_plan& out)
      : ir_(ir), tree_(tree), loops_(loops), out_(out) {}

  /// Plans for all values, or for those in `only`.
  void run(const flat_array<value_id>* only) {
    out_.epoch = graph_epoch(ir_.graph());
    if (loops_.num_loops() == 0) {
      return;
    }
    mark_dominators_of_exits();
    if constexpr (has_reading_nodes<IR>) {
      for_each_candidate(only, [&](value_id v, node_id n) { plan_by_readers(v, n); });
    } else {
      plan_by_operands(only);
    }
  }

private:
  struct outside_read {
    value_id value;
    node_id node; ///< the value is live at the end of this node, or before a use in it
  };

  node_id source(edge_id e) const { return static_cast<node_id>(ir_.graph().edge_source(e)); }

  /// Marks nodes that dominate an exit block of their loop. Only their values can be read outside: the last exit block
  /// on a path to such a read is dominated by the value, or the value could be read without being computed.
  void mark_dominators_of_exits() {
    reaches_exit_.assign(node_count(ir_.graph()), 0);
    for (const loop_id l : loops_.loops()) {
      for (const loop_edge& e : loops_.own_exiting_edges(l)) {
        mark_dominators(tree_.immediate_dominator(e.target));
      }
    }
  }

  void mark_dominators(node_id n) {
    while (n != no_node && reaches_exit_[n] == 0 && loops_.innermost_loop(n) != no_loop) {
      reaches_exit_[n] = 1;
      n = tree_.immediate_dominator(n);
    }
  }

  template <class Visit> void for_each_candidate(const flat_array<value_id>* only, Visit visit) {
    if constexpr (has_node_of<IR>) {
      if (only != nullptr) {
        for (const value_id v : *only) {
          const auto n = static_cast<node_id>(ir_.node_of(v));
          if (n != no_node && reaches_exit_[n] != 0) {
            visit(v, n);
          }
        }
        return;
      }
    }
    for (node_id n = 0; n != reaches_exit_.size(); ++n) {
      if (reaches_exit_[n] != 0) {
        for_each_id(ir_.values(n), [&](value_id v) { visit(v, n); });
      }
    }
  }

  void plan_by_readers(value_id v, node_id n)
    requires has_reading_nodes<IR>
  {
    const loop_id l = loops_.innermost_loop(n);
    nodes_.clear();
    for_each_id(ir_.reading_nodes(v), [&](node_id reader) {
      if (reader != n && !loops_.contains(l, reader) && tree_.is_reachable(reader)) {
        nodes_.push_back(reader);
      }
    });
    if (!nodes_.empty()) {
      plan_value(v, l, nodes_);
    }
  }

  /// Used without lists of readers: looks at all operands of the program.
  void plan_by_operands(const flat_array<value_id>* only) {
    const node_id count = node_count(ir_.graph());
    home_.assign(static_cast<std::size_t>(ir_.num_values()), no_node);
    for_each_candidate(only, [&](value_id v, node_id n) { home_[v] = n; });
    reads_end_.assign(home_.size() + 1, 0);
    for (node_id n = 0; n != count; ++n) {
      if (tree_.is_reachable(n)) {
        list_reads(n);
      }
    }
    for (const outside_read& r : reads_) {
      ++reads_end_[r.value];
    }
    counts_to_ends(reads_end_);
    nodes_.resize_for_overwrite(reads_.size());
    for (std::size_t i = reads_.size(); i-- != 0;) {
      nodes_[--reads_end_[reads_[i].value]] = reads_[i].node;
    }
    for (value_id v = 0; v != home_.size(); ++v) {
      if (reads_end_[v] != reads_end_[v + std::size_t{1}]) {
        plan_value(v, loops_.innermost_loop(home_[v]),
                   {nodes_.data() + reads_end_[v], nodes_.data() + reads_end_[v + std::size_t{1}]});
      }
    }
  }

  /// Lists the reads in a node, and by phis at its end, of values whose loops do not contain the node.
  void list_reads(node_id n) {
    const auto note = [&](value_id v) {
      if (v != no_value && home_[v] != no_node && !loops_.contains(loops_.innermost_loop(home_[v]), n)) {
        reads_.push_back({v, n});
      }
    };
    for_each_id(ir_.values(n), [&](value_id user) {
      if (!ir_.is_phi(user)) {
        for_each_id(ir_.operands(user), note);
      }
    });
    for_each_id(ir_.graph().out_edges(n), [&](edge_id e) {
      for_each_phi(ir_, static_cast<node_id>(ir_.graph().edge_target(e)),
                   [&](value_id phi) { note(static_cast<value_id>(ir_.phi_input(phi, e))); });
    });
  }

  /// Walks back from the reads to the loop. Each exit block on the path, of the loop or of one around it, gets a phi.
  void plan_value(value_id v, loop_id l, span<const node_id> reads) {
    if (live_.empty()) {
      live_.assign(node_count(ir_.graph()), no_value);
    }
    todo_.clear();
    const auto mark = [&](node_id n) {
      if (live_[n] != v) {
        live_[n] = v;
        todo_.push_back(n);
      }
    };
    for (const node_id n : reads) {
      mark(n);
    }
    while (!todo_.empty()) {
      const node_id n = todo_.back();
      todo_.pop_back();
      bool leaves = false;
      bool enters = false;
      for_each_id(ir_.graph().in_edges(n), [&](edge_id e) {
        const node_id p = source(e);
        if (!tree_.is_reachable(p)) {
          return;
        }
        (leaves_loop_of(l, p, n) ? leaves : enters) = true;
        if (!loops_.contains(l, p)) {
          mark(p);
        }
      });
      if (!leaves) {
        continue;
      }
      if (!may_insert_phi(ir_, v)) {
        out_.refused.push_back({v, n, closing_refusal_reason::cannot_have_phi});
      } else if (enters) {
        out_.refused.push_back({v, n, closing_refusal_reason::exit_not_dedicated});
      } else {
        out_.phis.push_back({v, n});
      }
    }
  }

  /// Whether an edge from `p` to `n` leaves loop `l`, or a loop around it.
  bool leaves_loop_of(loop_id l, node_id p, node_id n) const {
    while (l != no_loop && !loops_.contains(l, p)) {
      l = loops_.parent(l);
    }
    return l != no_loop && !loops_.contains(l, n);
  }

  const IR& ir_;
  const dominator_tree& tree_;
  const loop_forest& loops_;
  loop_closing_plan& out_;
  flat_array<unsigned char> reaches_exit_; ///< by node of a loop: whether it dominates an exit block
  flat_array<node_id> nodes_;              ///< where values are read outside
  flat_array<node_id> home_;               ///< by value: its node, if that is in a loop
  flat_array<outside_read> reads_;
  flat_array<std::uint32_t> reads_end_;
  flat_array<value_id> live_; ///< by node: the last value found to be live there, outside its loop
  flat_array<node_id> todo_;
};

/// Redirects reads outside a loop to the closing phis where these suffice. They usually do, and this is cheaper than
/// `repair_ssa`.
template <class E> class closing_phi_reader {
public:
  closing_phi_reader(E& editor, const dominator_tree& tree, const loop_forest& loops)
      : editor_(editor), tree_(tree), loops_(loops) {}

  /// Makes room for at most this many values.
  void start(std::size_t num_values) { seen_.resize_for(num_values); }

  /// Redirects the reads of `v`. `phis[k]` is the phi of `v` in block `places[k].exit`. False, and nothing is done, if
  /// further phis are needed.
  ///
  /// Let all blocks be exits of the innermost loop. The value dominates them, and every path from one to another passes
  /// the value again. So a closing phi that dominates a read is the only definition that reaches it.
  bool lead(value_id v, span<const closing_phi> places, span<const value_id> phis) {
    if constexpr (has_users<E>) {
      const loop_id l = loops_.innermost_loop(static_cast<node_id>(editor_.node_of(v)));
      if (places.size() > max_places || !are_left_to(l, places)) {
        return false;
      }
      reads_.clear();
      bool is_complete = true;
      for_each_id(editor_.users(v), [&](value_id user) {
        if (is_complete && seen_.set(user, v)) {
          is_complete = list_reads(user, v, l, places, phis);
        }
      });
      if (is_complete) {
        for (const outside_use& r : reads_) {
          r.edge != no_edge ? editor_.set_phi_input(r.user, r.edge, r.phi)
                            : editor_.set_operand(r.user, r.operand, r.phi);
        }
      }
      return is_complete;
    } else {
      return false;
    }
  }

private:
  static constexpr std::size_t max_places = 4; ///< they are tried one after the other

  struct outside_use {
    value_id user;
    edge_id edge; ///< of a phi
    std::uint32_t operand;
    value_id phi; ///< that it will read
  };

  bool are_left_to(loop_id l, span<const closing_phi> places) const {
    bool all = true;
    for (const closing_phi& p : places) {
      for_each_id(editor_.graph().in_edges(p.exit), [&](edge_id e) {
        all = all && loops_.contains(l, static_cast<node_id>(editor_.graph().edge_source(e)));
      });
    }
    return all;
  }

  /// False if a read is dominated by no phi.
  bool list_reads(value_id user, value_id v, loop_id l, span<const closing_phi> places, span<const value_id> phis) {
    const auto n = static_cast<node_id>(editor_.node_of(user));
    bool is_complete = true;
    const auto list = [&](node_id reader, edge_id e, std::uint32_t operand) {
      if (!tree_.is_reachable(reader) || loops_.contains(l, reader)) {
        return;
      }
      for (std::size_t k = 0; k != places.size(); ++k) {
        if (tree_.dominates(places[k].exit, reader)) {
          reads_.push_back({user, e, operand, phis[k]});
          return;
        }
      }
      is_complete = false;
    };
    if (editor_.is_phi(user)) {
      for_each_id(editor_.graph().in_edges(n), [&](edge_id e) {
        if (static_cast<value_id>(editor_.phi_input(user, e)) == v) {
          list(static_cast<node_id>(editor_.graph().edge_source(e)), e, 0);
        }
      });
    } else {
      std::uint32_t i = 0;
      for_each_id(editor_.operands(user), [&](value_id operand) {
        if (operand == v) {
          list(n, no_edge, i);
        }
        ++i;
      });
    }
    return is_complete;
  }

  /// By value: the value for which it was seen last.
  class last_seen {
  public:
    void resize_for(std::size_t count) {
      by_value_.reserve(count);
      while (by_value_.size() < count) {
        by_value_.push_back(no_value);
      }
    }

    bool set(value_id user, value_id v) {
      const bool is_new = by_value_[user] != v;
      by_value_[user] = v;
      return is_new;
    }

  private:
    flat_array<value_id> by_value_;
  };

  E& editor_;
  const dominator_tree& tree_;
  const loop_forest& loops_;
  flat_array<outside_use> reads_;
  last_seen seen_;
};

} // namespace detail

/// Finds values of loops that are read outside, and where they need phis: in each exit block of the loop, and of loops
/// around it, from which a read can be reached. A read by a phi is at the end of the edge's source. Reads in
/// unreachable code do not count; a loop without exits has none.
///
/// Requires results of this graph as it is. Exit blocks should be dedicated (`simplify_loops`): a value that would need
/// a phi elsewhere is in `refused` with that block. So is a value that no phi can take, by the IR
/// (`may_insert_phi`): it is read outside as before, and keeps its loop from being in closed form.
///
/// O(n + m + values + operands), plus for each value that leaves its loop the nodes outside in which it is live, times
/// the difference in depth of the loops there.
///
///     loop: x = …        loop: x = …
///     exit: use(x)       exit: y = phi(x); use(y)
template <detail::closable_ir_argument IR>
loop_closing_plan plan_close_loops(const IR& ir, const dominator_tree& tree, const loop_forest& loops) {
  MIDEND_ASSERT(tree.epoch() == graph_epoch(ir.graph()) && loops.epoch() == tree.epoch(), "results of this graph",
                tree.epoch(), loops.epoch());
  loop_closing_plan plan;
  detail::loop_closing_planner<IR>(ir, tree, loops, plan).run(nullptr);
  return plan;
}

/// Applies a plan for the program as it is. SSA repair may insert phis where exits meet. If these are in other loops,
/// they get closing phis, too. Returns the number of inserted phis.
template <class E>
std::size_t apply_close_loops(unfolding<E>& u, loop_closing_plan plan, const dominator_tree& tree,
                              const loop_forest& loops) {
  MIDEND_ASSERT(plan.epoch == graph_epoch(u.program().graph()), "a plan for this graph as it is now", plan.epoch);
  if (plan.phis.empty()) {
    return 0;
  }
  E& editor = u.editor();
  std::size_t count = 0;
  detail::closing_phi_reader<E> reader(editor, tree, loops);
  flat_array<value_id> phis;
  flat_array<value_copy> copies;
  flat_array<value_id> inserted;
  while (!plan.phis.empty()) {
    copies.clear();
    inserted.clear();
    reader.start(static_cast<std::size_t>(editor.num_values()) + plan.phis.size());
    for (std::size_t first = 0; first != plan.phis.size();) { // value by value, while its program is in the caches
      const value_id v = plan.phis[first].value;
      std::size_t last = first;
      phis.clear();
      for (; last != plan.phis.size() && plan.phis[last].value == v; ++last) {
        const node_id exit = plan.phis[last].exit;
        const auto phi = static_cast<value_id>(editor.insert_phi(exit, v));
        detail::for_each_id(editor.graph().in_edges(exit), [&](edge_id e) { editor.set_phi_input(phi, e, v); });
        phis.push_back(phi);
      }
      if (!reader.lead(v, {plan.phis.data() + first, phis.size()}, phis)) {
        for (const value_id phi : phis) {
          copies.push_back({v, phi});
        }
      }
      first = last;
    }
    if (!copies.empty()) {
      const auto stays = [&](value_id v, node_id n) { // reads in its loop
        return loops.contains(loops.innermost_loop(static_cast<node_id>(editor.node_of(v))), n);
      };
      repair_ssa_workspace workspace;
      detail::ssa_repair<E, decltype(stays)>(editor, tree, workspace, inserted, stays)
          .run(span<const value_copy>(copies));
    }
    count += plan.phis.size() + inserted.size();
    plan.phis.clear();
    if (!inserted.empty()) {
      detail::loop_closing_planner<E>(editor, tree, loops, plan).run(&inserted);
    }
  }
  u.grow_witness();
  return count;
}

/// Returns the witness.
template <detail::edits_alone E>
  requires unfolding_editor_argument<E>
unfolding_witness apply_close_loops(E& editor, loop_closing_plan plan, const dominator_tree& tree,
                                    const loop_forest& loops) {
  unfolding<E> u(editor);
  apply_close_loops(u, std::move(plan), tree, loops);
  return u.take_witness();
}

namespace detail {

template <unfolding_editor E>
loop_transformation<loop_closing_plan> close_simple_loops(unfolding<E>& u, dominators_and_loops_result& found) {
  loop_transformation<loop_closing_plan> out;
  out.plan = plan_close_loops(u.program(), found.dominators, found.loops);
  apply_close_loops(u, out.plan, found.dominators, found.loops);
  out.witness = u.take_witness();
  out.dominators = std::move(found.dominators);
  out.loops = std::move(found.loops);
  return out;
}

} // namespace detail

/// Brings all loops of a function into loop-simplify form and then into closed form, so that a value of a loop is read
/// outside only by phis in its exit blocks. Returns the witness, what was refused, and dominators and loops of the new
/// graph.
template <unfolding_editor_argument E> loop_transformation<loop_closing_plan> close_loops(E& editor) {
  unfolding<E> u(editor);
  dominators_and_loops_workspace workspace;
  dominators_and_loops_result found;
  dominators_and_loops(editor.graph(), workspace, found);
  detail::simplify_all_loops(u, workspace, found);
  return detail::close_simple_loops(u, found);
}

/// Continues after `simplify_loops` or `rotate_loops`, with their result, so nothing is computed again. The program
/// must not have changed in between. The witness describes both steps.
template <unfolding_editor_argument E, class Plan>
loop_transformation<loop_closing_plan> close_loops(E& editor, loop_transformation<Plan> simple) {
  unfolding<E> u(editor, std::move(simple.witness));
  dominators_and_loops_result found{std::move(simple.dominators), std::move(simple.loops)};
  return detail::close_simple_loops(u, found);
}

/// The two forms of loops of a program, as the last call of `close_loops` with a workspace left it.
struct closed_loops {
  loop_simplification_plan simplified; ///< what was done for loop-simplify form, and what was refused
  loop_closing_plan closed;            ///< what was done after it
  dominators_and_loops_result found;   ///< of the graph as it is now
};

/// Memory of `close_loops`, kept from program to program.
class close_loops_workspace {
public:
  /// The witness of the last call, of both steps. Valid until the next one.
  const unfolding_witness& witness() const { return unfolding_.witness(); }

private:
  template <unfolding_editor_argument E>
  friend void close_loops(E& editor, close_loops_workspace& workspace, closed_loops& out);

  unfolding_workspace unfolding_;
  dominators_and_loops_workspace analyses_;
};

/// Does what `close_loops(editor)` does, and refills `out`: for one program after the other. Plans, their planners and
/// SSA repair still allocate.
template <unfolding_editor_argument E>
void close_loops(E& editor, close_loops_workspace& workspace, closed_loops& out) {
  unfolding<E> u(editor, workspace.unfolding_);
  dominators_and_loops(editor.graph(), workspace.analyses_, out.found);
  out.simplified = detail::simplify_all_loops(u, workspace.analyses_, out.found);
  out.closed = plan_close_loops(u.program(), out.found.dominators, out.found.loops);
  apply_close_loops(u, out.closed, out.found.dominators, out.found.loops);
}

MIDEND_END_NAMESPACE
