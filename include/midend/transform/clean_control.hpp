/// `clean_control`: simpler control flow without copying. Known branches become jumps, unreachable nodes go, nodes that
/// follow each other merge, and edges skip nodes that do nothing.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/fixed_operands.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/detail/contract.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/range.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/unfolding.hpp"
#include "midend/transform/unfolding_witness.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// A branch that becomes a jump along an edge.
struct decided_branch {
  edge_id edge;
  drop_reason why; ///< `constant_condition` or `equal_edges`
};

/// Node `node` will be appended to `into`.
struct node_merge {
  node_id into;
  node_id node;
};

/// What `clean_control` will do next. To veto a change, remove it. Changes that depend on it are skipped.
struct control_plan {
  std::uint64_t epoch = 0;
  flat_array<decided_branch> branches;
  flat_array<node_id> unreachable; ///< all of them are erased; clear the list to keep them
  flat_array<node_merge> merges;   ///< chain by chain; in each, from the first node on
  flat_array<node_id> passed;      ///< nodes that do nothing

  bool empty() const { return branches.empty() && unreachable.empty() && merges.empty() && passed.empty(); }

  void clear() {
    branches.clear();
    unreachable.clear();
    merges.clear();
    passed.clear();
  }
};

/// What `clean_control` requires of an editor.
template <class E>
concept control_editor = unfolding_editor<E> && effect_ir<E> && has_constant<E> && has_cases_of_edges<E> &&
                         can_move_values<E> && can_erase_ends<E>;

/// Optional members with which `clean_control` names no values, so that an IR that numbers values on demand need not
/// number them. All or none: an editor that has `append_node` or `pass_over` and lacks another member is an error.
/// Nodes and edges are as in the flow graph.
///
///     bool has_condition(node_id n) const;               // condition(n) is a value
///     bool ends_in_jump(node_id n) const;                // the end of n does nothing but lead to its only edge
///     edge_id literal_edge(node_id n) const;             // the edge that a literal condition takes, or no_edge
///     node_id deciding_phi(node_id n) const;             // the node of that value if it is a phi, or no_node
///     bool have_equal_inputs(edge_id a, edge_id b, node_id end) const;
///     bool does_nothing(node_id n) const;
///     bool is_empty(node_id n) const;                    // n has no values
///     bool is_read_elsewhere(node_id n) const;
///     bool append_node(node_id into, node_id n);
///     void pass_over(node_id n);
///
/// - `have_equal_inputs`: whether phis of `end` have equal inputs along `a` and `b`. Each edge leads to `end`, or to a
///   node with only a jump to `end` and phis, whose inputs are then compared.
/// - `does_nothing`, of a node that ends in a jump: it has no other operations, edges into it may be redirected, and
///   its phis are read by phis of the next node only, for this edge.
/// - `is_read_elsewhere`: values of `n` are read in other nodes, apart from phis along the edges from `n`.
/// - `append_node`: the only edge of `into` is the only one into `n`. Phis of `n` are replaced by their inputs; its
///   operations, end and edges move. Returns whether there were phis.
/// - `pass_over`: edges into a node that does nothing lead to the next one, whose phis get for each what they got. The
///   node, which is erased then, need not keep its end.
template <class E>
concept cleans_nodes = requires(E& editor, const E& view, node_id n, edge_id e) {
  { view.has_condition(n) } -> truth_value;
  { view.ends_in_jump(n) } -> truth_value;
  { view.literal_edge(n) } -> std::convertible_to<edge_id>;
  { view.deciding_phi(n) } -> std::convertible_to<node_id>;
  { view.have_equal_inputs(e, e, n) } -> truth_value;
  { view.does_nothing(n) } -> truth_value;
  { view.is_empty(n) } -> truth_value;
  { view.is_read_elsewhere(n) } -> truth_value;
  { editor.append_node(n, n) } -> truth_value;
  editor.pass_over(n);
};

namespace detail {

template <class E>
concept names_cleaning = requires { &E::append_node; } || requires { &E::pass_over; };

MIDEND_OPTIONAL_ROW(cleaning_row, cleans_nodes, names_cleaning,
                    "an editor with `append_node` or `pass_over` needs all members of `midend::cleans_nodes`, such as "
                    "`bool is_read_elsewhere(midend::node_id n) const`");

struct readable_control_contract : contract<effect_contract, limits_contract, has_constant_type_row, has_constant_row,
                                            says_edge_cases_row, has_node_of_row, graph_has_in_edges_row> {};

struct control_contract
    : contract<unfolding_contract, readable_control_contract, can_move_values_row, can_erase_ends_row, cleaning_row> {};

template <class IR>
concept readable_control_argument = readable_control_contract::fits<IR> || readable_control_contract::explain<IR>();

} // namespace detail

/// What functions take: a `control_editor` with optional members that fit; otherwise an error.
template <class E>
concept control_editor_argument =
    (control_editor<E> && detail::control_contract::fits<E>) || detail::control_contract::explain<E>();

namespace detail {

template <class IR> class control_planner;
template <class E> class control_cleaning;
template <class E, class Visit> class certified_cleaning;
template <class E> class control_rounds;

/// Small, since a procedure has one for each node.
struct control_node {
  edge_id jump;           ///< the only edge of a node that ends in a jump, or will
  bool decided : 1;       ///< whether that is the edge that is kept of a branch
  bool reached : 1;       ///< whether control may come here
  bool entered : 1;       ///< whether an edge that is left leads here
  bool entered_twice : 1; ///< whether two do
  bool follows : 1;       ///< whether it will be appended to another node
  bool merged : 1;
};

/// The neighbours of a node, while the nodes to pass over are chosen.
struct passing_node {
  edge_id passed = no_edge;   ///< valid if this node is passed over: its jump
  edge_id leader = no_edge;   ///< an edge that leads here, directly or through a passed node
  std::uint32_t leads_of = 0; ///< the turn of the node whose edge `leader` is
  bool follows = false;       ///< whether a passed node leads here
  bool leads = false;         ///< whether it leads to a passed node
};

/// Nodes, each once.
class node_worklist {
public:
  void start(std::size_t count) {
    nodes_.clear();
    is_in_.assign(count, 0);
  }

  std::size_t num_possible() const { return is_in_.size(); }

  void add(node_id n) {
    if (is_in_[n] == 0) {
      is_in_[n] = 1;
      nodes_.push_back(n);
    }
  }

  /// Moves all nodes of the list to `to`.
  void take(flat_array<node_id>& to) {
    for (const node_id n : nodes_) {
      is_in_[n] = 0;
    }
    to.swap(nodes_);
    nodes_.clear();
  }

private:
  flat_array<node_id> nodes_;
  flat_array<unsigned char> is_in_;
};

} // namespace detail

/// Memory of `clean_control`, reusable for program after program.
class clean_control_workspace {
  template <class IR> friend class detail::control_planner;
  template <class E> friend class detail::control_cleaning;
  template <class E, class Visit> friend class detail::certified_cleaning;
  template <class E> friend class detail::control_rounds;

  control_plan plan_;
  unfolding_witness witness_;
  flat_array<node_id> todo_;
  // To plan:
  flat_array<unsigned char> fixed_; ///< by value
  flat_array<detail::control_node> nodes_;
  flat_array<detail::passing_node> passing_; ///< between two plans: no node is passed over or leads to such a node
  flat_array<node_id> chosen_;               ///< nodes that may be passed over
  flat_array<node_id> leading_;              ///< nodes that lead to these
  std::uint32_t turn_ = 0;                   ///< of `passing_node::leads_of`
  flat_array<node_id> candidates_;           ///< of this round: nodes with which something may be done now
  detail::node_worklist again_;              ///< of the next round
  // To apply:
  flat_array<unsigned char> reached_;
  flat_array<node_id> gone_;
  flat_array<node_id> left_; ///< nodes to which edges were dropped
  flat_array<value_id> values_;
  flat_array<value_id> inputs_;
  flat_array<edge_id> edges_;
};

namespace detail {

template <class IR> bool has_no_values(const IR& ir, node_id n) {
  if constexpr (cleans_nodes<IR>) {
    return static_cast<bool>(ir.is_empty(n));
  } else {
    return is_empty_range(ir.values(n));
  }
}

template <class IR> bool ends_by_condition(const IR& ir, node_id n) {
  if constexpr (cleans_nodes<IR>) {
    return static_cast<bool>(ir.has_condition(n));
  } else {
    return static_cast<value_id>(ir.condition(n)) != no_value;
  }
}

/// Whether only the flow changes if the end of a node becomes a jump: the end has no effect and no reader. An end that
/// `values(n)` does not name is a plain one. O(1) if the editor knows, else O(values of n).
template <class IR> bool only_leads_on(const IR& ir, node_id n) {
  if constexpr (cleans_nodes<IR>) {
    return ir.has_condition(n) || ir.ends_in_jump(n);
  } else {
    bool plain = true;
    for_each_id(ir.values(n), [&](value_id v) {
      if (plain && is_terminator(ir, v)) {
        plain = ir.effect(v) == effect_kind::none && !ir.may_not_return(v) && !ir.is_volatile(v);
        if constexpr (has_users<IR>) {
          plain = plain && is_empty_range(ir.users(v));
        }
      }
    });
    return plain;
  }
}

template <class IR> class control_planner {
public:
  control_planner(const IR& ir, clean_control_workspace& workspace, control_plan& out)
      : ir_(ir), w_(workspace), out_(out), fixed_(ir, workspace.fixed_) {}

  /// Looks at all nodes.
  void run() {
    start();
    w_.again_.start(count_);
    w_.nodes_.assign(count_, untouched);
    reach();
    const auto follower_of = [&](node_id n) { return follower(n); };
    const id_range<node_id> all(0, count_);
    for (const node_id n : all) {
      if (w_.nodes_[n].reached) {
        note_follower(follower_of(n));
      } else if (!is_erased(n)) {
        out_.unreachable.push_back(n);
      }
    }
    plan_merges(all, follower_of);
    plan_passed(all);
  }

  /// Plans the next round, which looks only at the candidates. Requires a round that looked at all nodes.
  void run_on_candidates() {
    start();
    w_.again_.take(w_.candidates_);
    for (const node_id n : w_.candidates_) {
      w_.nodes_[n] = untouched;
      w_.nodes_[n].reached = true;
      decide(n);
    }
    const auto follower_of = [&](node_id n) { return late_follower(n); };
    for (const node_id n : w_.candidates_) {
      note_follower(follower_of(n));
    }
    plan_merges(w_.candidates_, follower_of);
    plan_passed(w_.candidates_);
  }

private:
  static constexpr control_node untouched = {no_edge, false, false, false, false, false, false};

  void start() {
    count_ = node_count(ir_.graph());
    some_follow_ = false;
    out_.clear();
    out_.epoch = graph_epoch(ir_.graph());
  }

  node_id entry() const { return static_cast<node_id>(ir_.graph().entry()); }

  node_id target(edge_id e) const { return static_cast<node_id>(ir_.graph().edge_target(e)); }

  node_id source(edge_id e) const { return static_cast<node_id>(ir_.graph().edge_source(e)); }

  bool is_erased(node_id n) const { return is_empty_range(ir_.graph().out_edges(n)) && has_no_values(ir_, n); }

  /// Marks the nodes that control still reaches when decided branches are jumps, and counts the edges into each.
  void reach() {
    flat_array<node_id>& todo = w_.todo_;
    todo.clear();
    if (count_ != 0) {
      todo.push_back(entry());
      w_.nodes_[entry()].reached = true;
    }
    while (!todo.empty()) {
      const node_id n = todo.back();
      todo.pop_back();
      decide(n);
      const control_node from = w_.nodes_[n];
      for_each_id(ir_.graph().out_edges(n), [&](edge_id e) {
        if (from.decided && from.jump != e) {
          return;
        }
        const node_id next = target(e);
        control_node& to = w_.nodes_[next];
        to.entered_twice = to.entered;
        to.entered = true;
        if (!to.reached) {
          to.reached = true;
          todo.push_back(next);
        }
      });
    }
  }

  void decide(node_id n) {
    edge_id first = no_edge;
    std::size_t edges = 0;
    bool have_one_target = true;
    for_each_id(ir_.graph().out_edges(n), [&](edge_id e) {
      ++edges;
      first = first == no_edge ? e : first;
      have_one_target = have_one_target && target(e) == target(first);
    });
    edge_id taken = no_edge;
    if constexpr (cleans_nodes<IR>) {
      if (!ir_.has_condition(n)) {
        decide_jump(n, edges, first);
        return;
      }
      taken = edges < 2 ? no_edge : static_cast<edge_id>(ir_.literal_edge(n));
    } else {
      const auto condition = static_cast<value_id>(ir_.condition(n));
      if (condition == no_value) {
        decide_jump(n, edges, first);
        return;
      }
      taken = edges < 2 ? no_edge : taken_edge(n, condition);
    }
    if (taken != no_edge) {
      keep(n, taken, drop_reason::constant_condition);
    } else if (edges > 1 && have_one_target && bring_all_the_same(n, first)) {
      keep(n, first, drop_reason::equal_edges);
    }
  }

  void decide_jump(node_id n, std::size_t edges, edge_id first) {
    w_.nodes_[n].jump = edges == 1 && may_redirect(ir_, first) ? first : no_edge;
  }

  /// The edge that a literal condition takes, or `no_edge`.
  edge_id taken_edge(node_id n, value_id condition) const {
    const auto constant = ir_.constant(condition);
    return constant ? edge_of_case(ir_, n, *constant) : no_edge;
  }

  bool bring_all_the_same(node_id n, edge_id first) const {
    bool equal = true;
    for_each_id(ir_.graph().out_edges(n),
                [&](edge_id e) { equal = equal && (e == first || have_equal_inputs(first, e, target(first))); });
    return equal;
  }

  void keep(node_id n, edge_id e, drop_reason reason) {
    if (!only_leads_on(ir_, n)) {
      return;
    }
    w_.nodes_[n].decided = true;
    w_.nodes_[n].jump = e;
    out_.branches.push_back({e, reason});
  }

  /// Whether all readers of the phis of a node may read their inputs instead.
  bool phis_may_go([[maybe_unused]] node_id n) const {
    bool may = true;
    if constexpr (has_may_replace_operand<IR>) {
      for_each_phi(ir_, n, [&](value_id phi) { may = may && fixed_.may_replace(phi); });
    }
    return may;
  }

  /// The node that `n` alone leads to, by a jump; else `no_node`.
  node_id follower(node_id n) const {
    const edge_id e = w_.nodes_[n].jump;
    const node_id s = e == no_edge ? no_node : target(e);
    const bool follows = s != no_node && s != n && s != entry() && w_.nodes_[s].entered && !w_.nodes_[s].entered_twice;
    return follows && only_leads_on(ir_, n) && phis_may_go(s) ? s : no_node;
  }

  /// The follower of a candidate. Reads no numbers of edges: a decided branch has one edge left.
  node_id late_follower(node_id n) const {
    const edge_id e = w_.nodes_[n].jump;
    const node_id s = e == no_edge ? no_node : target(e);
    if (s == no_node || s == n || s == entry() || !phis_may_go(s)) {
      return no_node;
    }
    for (const auto into : ir_.graph().in_edges(s)) {
      if (source(static_cast<edge_id>(into)) != n) {
        return no_node;
      }
    }
    return only_leads_on(ir_, n) ? s : no_node;
  }

  void note_follower(node_id s) {
    if (s != no_node) {
      w_.nodes_[s].follows = true;
      some_follow_ = true;
    }
  }

  /// Plans merges of reached nodes; other nodes have no jump. Notes the followers.
  template <class Nodes, class Follower> void plan_merges(const Nodes& nodes, const Follower& follower_of) {
    if (!some_follow_) {
      return;
    }
    for (const node_id n : nodes) {
      if (w_.nodes_[n].follows) {
        continue;
      }
      for (node_id s = follower_of(n); s != no_node; s = follower_of(s)) {
        out_.merges.push_back({n, s});
        w_.nodes_[n].merged = true;
        w_.nodes_[s].merged = true;
      }
    }
  }

  template <class Nodes> void plan_passed(const Nodes& nodes) {
    const bool separates = separates_parallel_edges(ir_);
    if (separates && w_.passing_.size() < count_) {
      w_.passing_.assign(count_, passing_node{});
      w_.turn_ = 0;
    }
    for (const node_id n : nodes) {
      if (w_.nodes_[n].merged || n == entry() || !does_nothing(n)) {
        continue;
      }
      if (separates) {
        choose(n);
      } else {
        out_.passed.push_back(n);
      }
    }
    if (!w_.chosen_.empty()) {
      keep_separating_nodes();
    }
  }

  bool has_several_edges(node_id n) const {
    std::size_t count = 0;
    for_each_id(ir_.graph().out_edges(n), [&](edge_id) { ++count; });
    return count > 1;
  }

  /// Passes over `n`, unless a neighbour is passed over in this round; the other one waits for the next.
  void choose(node_id n) {
    const edge_id jump = w_.nodes_[n].jump;
    passing_node& next = w_.passing_[target(jump)];
    if (w_.passing_[n].follows || next.passed != no_edge) {
      w_.again_.add(n);
      return;
    }
    w_.passing_[n].passed = jump;
    next.follows = true;
    w_.chosen_.push_back(n);
    for_each_id(ir_.graph().in_edges(n), [&](edge_id e) {
      const node_id from = source(e);
      if (!w_.passing_[from].leads && w_.nodes_[from].reached && has_several_edges(from)) {
        w_.passing_[from].leads = true;
        w_.leading_.push_back(from);
      }
    });
  }

  /// Keeps nodes that separate edges from one source whose phi inputs differ.
  void keep_separating_nodes() {
    for (const node_id n : w_.leading_) {
      w_.passing_[n].leads = false;
      keep_separating_nodes(n);
    }
    w_.leading_.clear();
    for (const node_id n : w_.chosen_) {
      w_.passing_[target(w_.nodes_[n].jump)].follows = false;
      if (w_.passing_[n].passed != no_edge) {
        w_.passing_[n].passed = no_edge;
        out_.passed.push_back(n);
      }
    }
    w_.chosen_.clear();
  }

  void keep_separating_nodes(node_id n) {
    if (++w_.turn_ == 0) { // turns begin again at 1
      for (passing_node& p : w_.passing_) {
        p.leads_of = 0;
      }
      w_.turn_ = 1;
    }
    for (const bool passes : {false, true}) { // what leads to the target anyway comes first
      for_each_id(ir_.graph().out_edges(n), [&](edge_id e) {
        const edge_id jump = w_.passing_[target(e)].passed;
        if ((jump != no_edge) != passes) {
          return;
        }
        const node_id end = jump == no_edge ? target(e) : target(jump);
        passing_node& there = w_.passing_[end];
        if (there.leads_of != w_.turn_) {
          there.leads_of = w_.turn_;
          there.leader = e;
        } else if (passes && !have_equal_inputs(e, there.leader, end)) {
          w_.passing_[target(e)].passed = no_edge;
          if (target(there.leader) != end) {
            w_.again_.add(target(e)); // perhaps the other one stays, too
          }
        }
      });
    }
  }

  /// Whether phis of `end` get equal inputs along two edges, each of which leads there directly or through a passed
  /// node.
  bool have_equal_inputs(edge_id a, edge_id b, node_id end) const {
    if constexpr (cleans_nodes<IR>) {
      return static_cast<bool>(ir_.have_equal_inputs(a, b, end));
    } else {
      bool same = true;
      for_each_phi(ir_, end, [&](value_id phi) { same = same && input_by(phi, a, end) == input_by(phi, b, end); });
      return same;
    }
  }

  value_id input_by(value_id phi, edge_id e, node_id end) const {
    if (target(e) == end) {
      return static_cast<value_id>(ir_.phi_input(phi, e));
    }
    const auto input = static_cast<value_id>(ir_.phi_input(phi, w_.nodes_[target(e)].jump));
    const bool is_passed_on = ir_.is_phi(input) && static_cast<node_id>(ir_.node_of(input)) == target(e);
    return is_passed_on ? static_cast<value_id>(ir_.phi_input(input, e)) : input;
  }

  bool does_nothing(node_id n) const {
    const edge_id jump = w_.nodes_[n].jump;
    if (jump == no_edge || w_.nodes_[n].decided || target(jump) == n) { // a decided branch waits for the next round
      return false;
    }
    if constexpr (cleans_nodes<IR>) {
      return static_cast<bool>(ir_.does_nothing(n));
    } else {
      if (!only_leads_on(ir_, n)) {
        return false;
      }
      bool has_phis = false;
      for (const auto id : ir_.values(n)) {
        const auto v = static_cast<value_id>(id);
        if (ir_.is_phi(v)) {
          has_phis = true;
        } else if (!is_terminator(ir_, v)) {
          return false;
        }
      }
      for (const auto e : ir_.graph().in_edges(n)) {
        if (!may_redirect(ir_, static_cast<edge_id>(e))) {
          return false;
        }
      }
      return !has_phis || phis_only_pass_on(n, jump);
    }
  }

  /// Whether phis of `n` are read only by phis of the next node, along `jump`.
  bool phis_only_pass_on(node_id n, edge_id jump) const {
    if constexpr (has_users<IR>) {
      bool only = true;
      for_each_phi(ir_, n, [&](value_id phi) {
        for_each_id(ir_.users(phi), [&](value_id user) {
          only = only && ir_.is_phi(user) && static_cast<node_id>(ir_.node_of(user)) == target(jump);
          if (only) {
            for_each_id(ir_.graph().in_edges(target(jump)), [&](edge_id e) {
              only = only && (e == jump || static_cast<value_id>(ir_.phi_input(user, e)) != phi);
            });
          }
        });
      });
      return only;
    } else {
      return false;
    }
  }

  const IR& ir_;
  clean_control_workspace& w_;
  control_plan& out_;
  fixed_operands<IR> fixed_; ///< phis take their place in merged nodes only
  node_id count_ = 0;
  bool some_follow_ = false; ///< whether a node will be appended to another one
};

/// Applies a plan, with a witness or without one.
template <class E> class control_cleaning {
public:
  control_cleaning(unfolding<E>& u, clean_control_workspace& workspace) : u_(&u), editor_(u.editor()), w_(workspace) {}

  control_cleaning(E& editor, clean_control_workspace& workspace) : editor_(editor), w_(workspace) {}

  /// Whether anything changes. With `erases_left`, the plan is one for candidates only, and nodes that decided branches
  /// leave without edges are erased, too.
  bool run(const control_plan& plan, bool erases_left = false) {
    const auto count = static_cast<std::size_t>(editor_.graph().num_nodes());
    if (w_.again_.num_possible() != count) {
      w_.again_.start(count);
    }
    bool changes = !plan.branches.empty();
    w_.left_.clear();
    for (const decided_branch& b : plan.branches) {
      keep(b);
    }
    if (erases_left) {
      erase_left();
    }
    if (!plan.unreachable.empty() && erase_unreachable()) {
      changes = true;
      changes_much_ = true;
    }
    w_.gone_.clear();
    for (const node_merge& m : plan.merges) {
      merge(m.into, m.node);
    }
    for (const node_id n : plan.passed) {
      pass(n);
    }
    editor_.erase_nodes(w_.gone_);
    if (u_ != nullptr) {
      u_->grow_witness();
    }
    return changes || !w_.gone_.empty();
  }

  /// Whether nodes beyond those marked for the next round may have something to do.
  bool changes_much() const { return changes_much_; }

  /// Whether edges may be equal now that were not equal in the program before, except through nodes that were empty
  /// there.
  bool changes_inputs() const { return changes_inputs_; }

private:
  const E& view() const { return editor_; }

  node_id target(edge_id e) const { return static_cast<node_id>(editor_.graph().edge_target(e)); }

  std::size_t entered(node_id n) const {
    std::size_t count = 0;
    for_each_id(editor_.graph().in_edges(n), [&](edge_id) { ++count; });
    return count;
  }

  edge_id only_edge(node_id n) const {
    edge_id only = no_edge;
    std::size_t count = 0;
    for_each_id(editor_.graph().out_edges(n), [&](edge_id e) {
      only = e;
      ++count;
    });
    return count == 1 && !ends_by_condition(view(), n) ? only : no_edge;
  }

  void keep(const decided_branch& b) {
    const auto n = static_cast<node_id>(editor_.graph().edge_source(b.edge));
    w_.again_.add(n);
    w_.again_.add(target(b.edge));
    if (b.why == drop_reason::equal_edges) {                     // neither reachability nor inputs of phis change
      if (const node_id phi = deciding_phi(n); phi != no_node) { // a phi without readers keeps no node
        w_.again_.add(phi);
      }
    } else {
      changes_much_ = true;
      changes_inputs_ = true;
      for_each_id(editor_.graph().out_edges(n), [&](edge_id e) {
        if (e != b.edge) {
          w_.left_.push_back(target(e));
        }
      });
    }
    u_ != nullptr ? u_->keep_edge(b.edge, b.why) : void(editor_.keep_edge(b.edge));
  }

  /// Erases nodes that lost their last edge, then the nodes that only these led to. Cycles, and nodes whose values are
  /// read elsewhere, wait for the next look at all nodes. O(1) for each node that stays, and linear in what is erased.
  void erase_left() {
    const auto& g = editor_.graph();
    while (!w_.left_.empty()) {
      const node_id n = w_.left_.back();
      w_.left_.pop_back();
      if (n == static_cast<node_id>(g.entry())) {
        continue;
      }
      if (!is_empty_range(g.in_edges(n))) {
        w_.again_.add(n);
        w_.again_.add(
            static_cast<node_id>(g.edge_source(static_cast<edge_id>(*g.in_edges(n).begin())))); // it may follow
      } else if (!has_no_values(view(), n) && !is_read_elsewhere(n)) {
        for_each_id(g.out_edges(n), [&](edge_id e) { w_.left_.push_back(target(e)); });
        editor_.erase_nodes(span<const node_id>(&n, 1));
      }
    }
  }

  /// Whether values of a node are read in others, apart from phis along the edges from it.
  bool is_read_elsewhere(node_id n) const {
    if constexpr (cleans_nodes<E>) {
      return static_cast<bool>(view().is_read_elsewhere(n));
    } else if constexpr (has_users<E>) {
      bool is_read = false;
      for_each_id(view().values(n), [&](value_id v) {
        for_each_id(view().users(v), [&](value_id user) {
          const auto reader = static_cast<node_id>(view().node_of(user));
          if (reader == n || is_read) {
            return;
          }
          is_read = !view().is_phi(user);
          for_each_id(editor_.graph().in_edges(reader), [&](edge_id e) {
            is_read = is_read || (static_cast<value_id>(view().phi_input(user, e)) == v &&
                                  static_cast<node_id>(editor_.graph().edge_source(e)) != n);
          });
        });
      });
      return is_read;
    } else {
      return true;
    }
  }

  /// The node of the phi that decides where control goes at the end of `n`, or `no_node`.
  node_id deciding_phi(node_id n) const {
    if constexpr (cleans_nodes<E>) {
      return static_cast<node_id>(view().deciding_phi(n));
    } else {
      const auto v = static_cast<value_id>(view().condition(n));
      return v != no_value && editor_.is_phi(v) ? static_cast<node_id>(editor_.node_of(v)) : no_node;
    }
  }

  bool erase_unreachable() {
    const auto& g = editor_.graph();
    flat_array<unsigned char>& reached = w_.reached_;
    flat_array<node_id>& todo = w_.todo_;
    reached.assign(node_count(g), 0);
    todo.clear();
    todo.push_back(static_cast<node_id>(g.entry()));
    reached[todo[0]] = 1;
    while (!todo.empty()) {
      const node_id n = todo.back();
      todo.pop_back();
      for_each_id(g.successors(n), [&](node_id s) {
        if (reached[s] == 0) {
          reached[s] = 1;
          todo.push_back(s);
        }
      });
    }
    flat_array<node_id>& erased = todo; // which is empty by now
    for (node_id n = 0; n != reached.size(); ++n) {
      const bool has_parts = !is_empty_range(g.out_edges(n)) || !has_no_values(view(), n);
      if (reached[n] == 0 && has_parts) {
        erased.push_back(n);
      }
    }
    editor_.erase_nodes(erased);
    return !erased.empty();
  }

  /// Moves the operations, the end and the edges of `s` to `n`.
  void merge(node_id n, node_id s) {
    const edge_id e = only_edge(n);
    if (e == no_edge || target(e) != s || entered(s) != 1 || (u_ != nullptr && !merge_origins(n, s, e))) {
      return;
    }
    bool has_phis = false;
    if constexpr (cleans_nodes<E>) {
      has_phis = static_cast<bool>(editor_.append_node(n, s));
    } else {
      has_phis = append(n, s, e);
    }
    changes_much_ = changes_much_ || has_phis;
    changes_inputs_ = changes_inputs_ || has_phis;
    w_.again_.add(n); // perhaps all of it does nothing
    w_.gone_.push_back(s);
  }

  /// Whether there were phis.
  bool append(node_id n, node_id s, edge_id e) {
    w_.values_.clear();
    bool has_phis = false;
    value_id end = no_value;
    for_each_id(view().values(s),
                [&](value_id v) { is_terminator(view(), v) ? void(end = v) : w_.values_.push_back(v); });
    for (const value_id v : w_.values_) {
      if (editor_.is_phi(v)) {
        if constexpr (has_users<E>) { // branches may be on literals now
          for_each_id(editor_.users(v),
                      [&](value_id user) { w_.again_.add(static_cast<node_id>(editor_.node_of(user))); });
        }
        editor_.replace_uses(v, static_cast<value_id>(editor_.phi_input(v, e)));
        has_phis = true;
      }
    }
    for (const value_id v : w_.values_) {
      editor_.is_phi(v) ? editor_.erase_value(v) : editor_.move_value(v, place_at_end(n));
    }
    editor_.erase_end(n);
    if (end != no_value) {
      editor_.move_value(end, place_at_end(n));
    }
    return has_phis;
  }

  /// Notes what the merged node stands for. False if an inserted node with a branch would become part of a copy.
  bool merge_origins(node_id n, node_id s, edge_id e) {
    unfolding_witness& w = u_->witness();
    const node_id origin = w.node_origin[s];
    if (origin == no_node) {
      if (w.node_origin[n] == no_node) {
        return true;
      }
      const edge_id on = only_edge(s);
      if (on == no_edge) {
        return false;
      }
      w.edge_origin[on] = w.edge_origin[e];
      return true;
    }
    if (w.node_origin[n] == no_node) {
      w.node_origin[n] = origin;
    } else {
      w.merged.push_back({n, origin});
    }
    u_->copy_merged(s, n);
    u_->move_dropped(s, n);
    return true;
  }

  /// Leads the edges into a node that does nothing to its successor.
  void pass(node_id n) {
    const edge_id jump = only_edge(n);
    if (jump == no_edge || target(jump) == n) {
      return;
    }
    w_.gone_.push_back(n);
    for_each_id(editor_.graph().in_edges(n), [&](edge_id e) { // edges may be equal now
      w_.again_.add(static_cast<node_id>(editor_.graph().edge_source(e)));
    });
    if (u_ != nullptr) {
      for_each_phi(view(), n, [&](value_id) { changes_inputs_ = true; });
    }
    if constexpr (cleans_nodes<E>) {
      editor_.pass_over(n);
    } else {
      lead_on(n, jump);
    }
  }

  void lead_on(node_id n, edge_id jump) {
    const node_id next = target(jump);
    w_.edges_.clear();
    for_each_id(editor_.graph().in_edges(n), [&](edge_id e) { w_.edges_.push_back(e); });
    w_.values_.clear();
    for_each_phi(view(), next, [&](value_id phi) { w_.values_.push_back(phi); });
    w_.inputs_.clear();
    for (const edge_id e : w_.edges_) {
      for (const value_id phi : w_.values_) {
        auto input = static_cast<value_id>(editor_.phi_input(phi, jump));
        if (editor_.is_phi(input) && static_cast<node_id>(editor_.node_of(input)) == n) {
          input = static_cast<value_id>(editor_.phi_input(input, e));
        }
        w_.inputs_.push_back(input);
      }
    }
    for (std::size_t i = 0; i != w_.edges_.size(); ++i) {
      editor_.redirect_edge(w_.edges_[i], next);
      for (std::size_t k = 0; k != w_.values_.size(); ++k) {
        editor_.set_phi_input(w_.values_[k], w_.edges_[i], w_.inputs_[i * w_.values_.size() + k]);
      }
    }
  }

  unfolding<E>* u_ = nullptr; ///< has the witness; null if no witness is made
  bool changes_much_ = false;
  bool changes_inputs_ = false;
  E& editor_;
  clean_control_workspace& w_;
};

/// Applies plans, and calls `visit` with one witness for as many of them as it can describe.
template <class E, class Visit> class certified_cleaning {
public:
  certified_cleaning(E& editor, Visit& visit, clean_control_workspace& workspace)
      : editor_(editor), visit_(visit), w_(workspace) {}

  /// Returns `control_cleaning::run`, and sets whether more nodes may have something to do.
  bool apply(const control_plan& plan, bool erases_left, bool& changed_much) {
    if (u_ && !may_join(plan)) {
      finish();
    }
    if (!u_) {
      w_.witness_.start(node_count(editor_.graph()), static_cast<std::size_t>(editor_.graph().num_edges()));
      u_.emplace(editor_, std::move(w_.witness_));
    }
    control_cleaning<E> cleaning(*u_, w_);
    const bool changes = cleaning.run(plan, erases_left);
    changed_much = changed_much || cleaning.changes_much();
    changed_inputs_ = changed_inputs_ || cleaning.changes_inputs();
    return changes;
  }

  void finish() {
    if (u_) {
      visit_(std::as_const(*u_).witness());
      w_.witness_ = u_->take_witness();
      u_.reset();
    }
    changed_inputs_ = false;
  }

private:
  /// Whether the checker can see the reasons for this plan in the program where the present witness begins. There,
  /// edges must be equal without an earlier plan. A decided node must not be passed over: it was not empty there.
  bool may_join(const control_plan& plan) {
    for (const decided_branch& b : plan.branches) {
      if (changed_inputs_ && b.why == drop_reason::equal_edges) {
        return false;
      }
    }
    for (const node_id n : plan.passed) {
      if (u_->is_decided(n)) {
        return false;
      }
    }
    return true;
  }

  E& editor_;
  Visit& visit_;
  clean_control_workspace& w_;
  std::optional<unfolding<E>> u_;
  bool changed_inputs_ = false; ///< since the witness began
};

/// Takes the place of a visitor where no witnesses are made.
struct no_visit {};

template <class E> class certified_cleaning<E, no_visit> {
public:
  certified_cleaning(E& editor, no_visit&, clean_control_workspace& workspace) : editor_(editor), w_(workspace) {}

  bool apply(const control_plan& plan, bool erases_left, bool& changed_much) {
    control_cleaning<E> cleaning(editor_, w_);
    const bool changes = cleaning.run(plan, erases_left);
    changed_much = changed_much || cleaning.changes_much();
    return changes;
  }

  void finish() {}

private:
  E& editor_;
  clean_control_workspace& w_;
};

/// Rounds of planning and applying.
template <class E> class control_rounds {
public:
  control_rounds(E& editor, clean_control_workspace& workspace) : editor_(editor), w_(workspace) {}

  template <class Visit> std::size_t run(Visit& visit) {
    certified_cleaning<E, Visit> cleaning(editor_, visit, w_);
    std::size_t rounds = 0;
    bool changed_much = false; // since the last look at all nodes
    bool is_at_all_nodes = true;
    for (bool goes_on = true; goes_on;) {
      control_planner<E> planner(editor_, w_, w_.plan_);
      if (!is_at_all_nodes) {
        planner.run_on_candidates();
        is_at_all_nodes = w_.plan_.empty() && changed_much;
      }
      if (is_at_all_nodes) {
        changed_much = false;
        planner.run();
      }
      goes_on = !w_.plan_.empty();
      if (goes_on) {
        ++rounds;
        const bool changes = cleaning.apply(w_.plan_, !is_at_all_nodes, changed_much);
        is_at_all_nodes = !changes;
        goes_on = changes || changed_much; // otherwise nothing is left that could be done
      }
    }
    cleaning.finish();
    return rounds;
  }

private:
  E& editor_;
  clean_control_workspace& w_;
};

} // namespace detail

/// Lists what can be done at once. Before and after:
///
///     if (1) → a, b        jump → a                     decided branch
///     n → s (only edge)    n with the operations of s   merge
///     a → empty → b        a → b                        passed node
///
/// - A branch on a literal keeps one edge. So does a branch whose edges lead to one node with equal phi inputs.
/// - Nodes that are then unreachable are erased.
/// - A node whose only predecessor ends in a jump to it is appended to that one, chain by chain.
/// - Edges into a node lead to its successor if the node has only a jump, and phis that only the successor's phis read.
///
/// A node that jumps to itself stays, so endless loops stay. Conditions count only if they are literals: run `sccp`
/// before. Loop forms may be lost. If the IR separates parallel edges (`separates_parallel_edges`), empty nodes that do
/// so stay, and of two empty nodes in a row one is passed over at a time. Without `users(v)`, nodes with phis are not
/// passed over. O(n + m + phi inputs).
template <detail::readable_control_argument IR>
void plan_clean_control(const IR& ir, clean_control_workspace& workspace, control_plan& out) {
  detail::control_planner<IR>(ir, workspace, out).run();
}

/// Returns the plan as a value.
template <detail::readable_control_argument IR> control_plan plan_clean_control(const IR& ir) {
  clean_control_workspace workspace;
  control_plan plan;
  plan_clean_control(ir, workspace, plan);
  return plan;
}

/// Applies a plan for the program as it is; returns whether anything changes. Linear in what changes.
template <class E>
bool apply_clean_control(unfolding<E>& u, const control_plan& plan, clean_control_workspace& workspace) {
  MIDEND_ASSERT(plan.epoch == graph_epoch(u.program().graph()), "a plan for this graph as it is now", plan.epoch);
  return detail::control_cleaning<E>(u, workspace).run(plan);
}

/// Needs no workspace.
template <class E> bool apply_clean_control(unfolding<E>& u, const control_plan& plan) {
  clean_control_workspace workspace;
  return apply_clean_control(u, plan, workspace);
}

/// Returns the witness.
template <detail::edits_alone E>
  requires control_editor_argument<E>
unfolding_witness apply_clean_control(E& editor, const control_plan& plan) {
  unfolding<E> u(editor);
  apply_clean_control(u, plan);
  return u.take_witness();
}

/// Plans and applies until nothing is left to do, and calls `visit(witness)` after one or several rounds. A witness
/// ends before a round whose reasons the checker could not see: it uses edges that an earlier round made equal, or
/// passes over a node whose branch was on a literal. To check all witnesses, copy the program after each. Each round
/// but the last removes a node or an edge, so it ends. Chains of any length merge in one round.
///
/// After a look at all nodes, rounds look only at nodes near a change. When these have nothing to do, all nodes are
/// looked at again, but only if a branch on a literal was decided, an unreachable node erased or a phi replaced since
/// the last time. So a chain of branches that fold one after another takes time linear in what changes. Each witness
/// takes time linear in the program; one witness describes many such rounds. Unreachable loops, and nodes whose values
/// are read elsewhere, wait for a look at all nodes: where many depend on each other, apply `sccp` first, which decides
/// them all at once. Returns the number of rounds.
template <control_editor_argument E, std::invocable<const unfolding_witness&> Visit>
std::size_t clean_control(E& editor, Visit visit, clean_control_workspace& workspace) {
  return detail::control_rounds<E>(editor, workspace).run(visit);
}

/// Needs no workspace.
template <control_editor_argument E, std::invocable<const unfolding_witness&> Visit>
std::size_t clean_control(E& editor, Visit visit) {
  clean_control_workspace workspace;
  return clean_control(editor, visit, workspace);
}

/// Makes no witnesses. Then an editor that `cleans_nodes` is not asked about values.
template <control_editor_argument E> std::size_t clean_control(E& editor, clean_control_workspace& workspace) {
  detail::no_visit none;
  return detail::control_rounds<E>(editor, workspace).run(none);
}

template <control_editor_argument E> std::size_t clean_control(E& editor) {
  clean_control_workspace workspace;
  return clean_control(editor, workspace);
}

MIDEND_END_NAMESPACE
