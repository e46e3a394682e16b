/// `control_canonicalization`: simplifies control flow as a package. It asks before each change, accepts a refusal, and
/// logs what it did.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/package/package_order.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/clean_control.hpp"
#include "midend/transform/unfolding.hpp"
#include "midend/transform/unfolding_witness.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// The kinds of changes.
///
///                     before                                      after
///     known_branch    a: if 1 then b else c                       a: goto b
///     equal_edges     a: if p then b else b                       a: goto b
///     implied_branch  a: if p then b else c; b: if p then d else e   b: goto d
///     unreachable     b: ...                                      nothing
///     merge           a: x; goto b        b: y                    a: x; y
///     pass            a: goto b           b: goto c               a: goto c
enum class control_change : std::uint8_t {
  known_branch,   ///< a branch on a literal becomes a jump
  equal_edges,    ///< a branch whose edges do the same becomes a jump
  implied_branch, ///< a branch on a value that a dominating branch has decided becomes a jump
  unreachable,    ///< a node that control does not reach is erased
  merge,          ///< a node becomes part of its only predecessor
  pass            ///< edges into an empty node lead to its successor
};

inline constexpr std::size_t num_control_changes = 6;

/// One change, and why it was refused. Possible vetoes: `none`, `switched_off`, `caller`, and `not_removable` for a
/// change that depends on a refused one.
struct control_event {
  control_change change = control_change::known_branch;
  package_veto veto = package_veto::none;
  node_id node = no_node; ///< the node that branches, is erased, is merged or is skipped
  std::uint32_t round = 0;
};

/// First the changes that were made, in order; then the refused ones that still stand at the end.
struct control_log {
  flat_array<control_event> events;
  std::size_t rounds = 0;

  /// Empties the log, and keeps its memory.
  void clear() {
    events.clear();
    rounds = 0;
  }

  /// Counts the changes of a kind that ended with this veto; `none` counts those that were made.
  std::size_t count(control_change change, package_veto veto = package_veto::none) const {
    std::size_t count = 0;
    for (const control_event& e : events) {
      count += e.change == change && e.veto == veto ? 1u : 0u;
    }
    return count;
  }
};

struct control_options {
  std::uint64_t without = 0; ///< bit i: no change of kind i
  /// Returns true to refuse a change at a node; null refuses nothing. If one unreachable node is refused, all stay.
  bool (*refuses)(control_change, node_id) = nullptr;
  span<const unsigned char> stays = {}; ///< by node: edges into it are not led past it; nodes without a number may be
};

namespace detail {

template <class IR> class implied_branches;
template <class E> class control_manager;

/// A fact that holds in all nodes that `node` dominates: a branch on the value took `in`, the only edge into `node`.
struct implied_fact {
  node_id node;
  std::uint32_t previous; ///< the value's fact before this one
  edge_id in;
};

} // namespace detail

/// The memory of control canonicalization, to be reused.
class control_workspace {
  template <class IR> friend class detail::implied_branches;
  template <class E> friend class detail::control_manager;

  clean_control_workspace cleaning_;
  control_plan all_;
  control_plan allowed_;            ///< the allowed part of the plan
  flat_array<control_event> asked_; ///< this round's changes, like the next field
  flat_array<control_event> refused_;
  flat_array<unsigned char> is_decided_; ///< by node
  dominators_workspace dominating_;
  dominator_tree tree_;
  flat_array<std::uint64_t> seen_; ///< a bit for each value
  flat_array<detail::implied_fact> facts_;
  flat_array<std::uint32_t> last_; ///< by value: its last fact that may dominate
};

namespace detail {

/// Finds branches that an edge of a dominating branch on the same value decides.
template <class IR> class implied_branches {
public:
  implied_branches(const IR& ir, control_workspace& workspace) : ir_(ir), w_(workspace) {}

  /// Calls `visit(edge)` with the edge that each decided branch takes.
  template <class Visit> void run(Visit visit) {
    if (!has_repeated_condition()) {
      return;
    }
    dominators(ir_.graph(), semi_nca, w_.dominating_, w_.tree_);
    facts_.clear();
    last_.assign(static_cast<std::size_t>(ir_.num_values()), none);
    for (const node_id n : tree_.preorder()) {
      add_fact(n);
      const auto condition = static_cast<value_id>(ir_.condition(n));
      if (condition == no_value || ir_.constant(condition)) {
        continue;
      }
      if (const std::uint32_t last = last_at(n, condition); last != none) {
        if (const edge_id e = edge_taken(n, facts_[last]); e != no_edge) {
          visit(e);
        }
      }
    }
  }

private:
  static constexpr std::uint32_t none = 0xffff'ffff;

  using fact = implied_fact;

  /// Whether two branches read the same value. Otherwise none is implied; most programs so need no dominators.
  bool has_repeated_condition() {
    const auto count = static_cast<node_id>(node_count(ir_.graph()));
    flat_array<std::uint64_t>& seen = w_.seen_;
    seen.assign(static_cast<std::size_t>(ir_.num_values()) / 64 + 1, 0);
    for (node_id n = 0; n != count; ++n) {
      const auto condition = static_cast<value_id>(ir_.condition(n));
      if (condition == no_value || ir_.constant(condition)) {
        continue;
      }
      const std::uint64_t bit = std::uint64_t{1} << condition % 64;
      if ((seen[condition / 64] & bit) != 0) {
        return true;
      }
      seen[condition / 64] |= bit;
    }
    return false;
  }

  /// The last fact about a value that dominates `n`. In preorder, a fact that does not dominate `n` dominates no later
  /// node.
  std::uint32_t last_at(node_id n, value_id v) {
    std::uint32_t& last = last_[v];
    while (last != none && !tree_.dominates(facts_[last].node, n)) {
      last = facts_[last].previous;
    }
    return last;
  }

  /// Records what the only edge into `n` says.
  void add_fact(node_id n) {
    edge_id in = no_edge;
    std::size_t entered = n == static_cast<node_id>(ir_.graph().entry()) ? 1 : 0;
    for_each_id(ir_.graph().in_edges(n), [&](edge_id e) {
      in = e;
      ++entered;
    });
    if (in == no_edge || entered != 1) {
      return;
    }
    const auto from = static_cast<node_id>(ir_.graph().edge_source(in));
    const auto condition = static_cast<value_id>(ir_.condition(from));
    if (condition == no_value || ir_.constant(condition)) {
      return;
    }
    facts_.push_back({n, last_at(n, condition), in});
    last_[condition] = static_cast<std::uint32_t>(facts_.size() - 1);
  }

  edge_id edge_taken(node_id n, const fact& known) const {
    std::size_t edges = 0;
    for_each_id(ir_.graph().out_edges(n), [&](edge_id) { ++edges; });
    return edges < 2 ? no_edge : has_cases(ir_, known.in) ? edge_of_cases(n, known.in) : edge_of_rest(n, known.in);
  }

  /// The edge of `n` that every case of `in` takes, or `no_edge`.
  edge_id edge_of_cases(node_id n, edge_id in) const {
    const unsigned width = width_of_cases(ir_, n);
    edge_id all = no_edge;
    bool is_one = true;
    for_each_case(ir_, in, [&](const auto& one) {
      edge_id taken = no_edge;
      edge_id otherwise = no_edge;
      bool is_split = false;
      for_each_id(ir_.graph().out_edges(n), [&](edge_id e) {
        bool has_any = false;
        for_each_case(ir_, e, [&](const auto& other) {
          has_any = true;
          taken = case_includes(width, other, one) ? e : taken;
          is_split = is_split || cases_meet(width, other, one);
        });
        otherwise = has_any ? otherwise : e;
      });
      taken = taken != no_edge ? taken : is_split ? no_edge : otherwise;
      is_one = is_one && taken != no_edge && (all == no_edge || all == taken);
      all = taken;
    });
    return is_one ? all : no_edge;
  }

  /// For an edge `in` without cases: the edge of `n` that the remaining values take. Returns `no_edge` if several are
  /// possible or the source of `in` does not have two edges.
  edge_id edge_of_rest(node_id n, edge_id in) const {
    const auto from = static_cast<node_id>(ir_.graph().edge_source(in));
    std::size_t edges = 0;
    edge_id other = no_edge;
    for_each_id(ir_.graph().out_edges(from), [&](edge_id e) {
      ++edges;
      other = e == in ? other : e;
    });
    if (edges != 2 || other == no_edge) {
      return no_edge;
    }
    const unsigned width = width_of_cases(ir_, n);
    edge_id possible = no_edge;
    std::size_t count = 0;
    for_each_id(ir_.graph().out_edges(n), [&](edge_id e) {
      bool is_excluded = has_cases(ir_, e);
      for_each_case(ir_, e, [&](const auto& one) {
        bool is_case = false;
        for_each_case(ir_, other,
                      [&](const auto& excluded) { is_case = is_case || case_includes(width, excluded, one); });
        is_excluded = is_excluded && is_case;
      });
      possible = is_excluded ? possible : e;
      count += is_excluded ? 0 : 1;
    });
    return count == 1 ? possible : no_edge;
  }

  const IR& ir_;
  control_workspace& w_;
  const dominator_tree& tree_ = w_.tree_;
  flat_array<fact>& facts_ = w_.facts_;
  flat_array<std::uint32_t>& last_ = w_.last_;
};

template <class E> class control_manager {
public:
  control_manager(E& editor, const control_options& options, control_workspace& workspace, control_log& log)
      : editor_(editor), options_(options), w_(workspace), log_(log) {
    log_.clear();
  }

  template <class Visit> void run(Visit visit) {
    while (run_round(visit)) {
      ++log_.rounds;
    }
    for (const control_event& e : refused_) {
      log_.events.push_back(e);
    }
  }

private:
  template <class Visit> bool run_round(Visit& visit) {
    asked_.clear();
    refused_.clear();
    plan_clean_control(std::as_const(editor_), workspace_, all_);
    choose_allowed(all_);
    if (plan_.empty()) {
      return false;
    }
    if constexpr (std::same_as<Visit, no_visit>) { // no witness is made
      const bool changes = control_cleaning<E>(editor_, workspace_).run(plan_);
      log_changes();
      return changes;
    } else {
      unfolding<E> u(editor_);
      const bool changes = apply_clean_control(u, plan_, workspace_);
      log_changes();
      visit(u.witness());
      return changes;
    }
  }

  void log_changes() {
    for (control_event& e : asked_) {
      if (is_done(e)) {
        log_.events.push_back(e);
      } else {
        e.veto = package_veto::not_removable;
        refused_.push_back(e);
      }
    }
  }

  void choose_allowed(const control_plan& all) {
    control_plan& plan = plan_;
    plan.clear();
    plan.epoch = all.epoch;
    for (const decided_branch& b : all.branches) {
      const auto n = static_cast<node_id>(editor_.graph().edge_source(b.edge));
      if (ask(b.why == drop_reason::equal_edges ? control_change::equal_edges : control_change::known_branch, n)) {
        plan.branches.push_back(b);
      }
    }
    if (is_on(control_change::implied_branch)) {
      flat_array<unsigned char>& is_decided = w_.is_decided_; // made when a branch is implied
      is_decided.clear();
      implied_branches<E>(editor_, w_).run([&](edge_id e) {
        const auto n = static_cast<node_id>(editor_.graph().edge_source(e));
        if (is_decided.empty()) {
          is_decided.assign(node_count(editor_.graph()), 0);
          for (const decided_branch& b : all.branches) {
            is_decided[static_cast<node_id>(editor_.graph().edge_source(b.edge))] = 1;
          }
        }
        if (is_decided[n] == 0 && ask(control_change::implied_branch, n)) {
          plan.branches.push_back({e, drop_reason::assumed});
        }
      });
    }
    bool go = true;
    const std::size_t first = asked_.size();
    for (const node_id n : all.unreachable) {
      go = ask(control_change::unreachable, n) && go;
    }
    if (go) {
      plan.unreachable = all.unreachable;
    }
    while (!go && asked_.size() != first) { // the other unreachable nodes stay, too
      asked_.back().veto = package_veto::not_removable;
      refused_.push_back(asked_.back());
      asked_.pop_back();
    }
    for (const node_merge& m : all.merges) {
      if (ask(control_change::merge, m.node)) {
        plan.merges.push_back(m);
      }
    }
    for (const node_id n : all.passed) {
      if (ask(control_change::pass, n)) {
        plan.passed.push_back(n);
      }
    }
  }

  bool is_on(control_change change) const { return (options_.without >> static_cast<unsigned>(change) & 1) == 0; }

  bool ask(control_change change, node_id n) {
    control_event event{change, package_veto::none, n, static_cast<std::uint32_t>(log_.rounds)};
    if (!is_on(change)) {
      event.veto = package_veto::switched_off;
    } else if ((options_.refuses != nullptr && options_.refuses(change, n)) ||
               (change == control_change::pass && n < options_.stays.size() && options_.stays[n] != 0)) {
      event.veto = package_veto::caller;
    }
    (event.veto == package_veto::none ? asked_ : refused_).push_back(event);
    return event.veto == package_veto::none;
  }

  /// A requested branch always changes. Its node may have been merged into another one since.
  bool is_done(const control_event& e) const {
    bool empty = true;
    if (e.change > control_change::implied_branch) {
      for_each_id(editor_.graph().out_edges(e.node), [&](edge_id) { empty = false; });
      for_each_id(editor_.values(e.node), [&](value_id) { empty = false; });
    }
    return empty;
  }

  E& editor_;
  control_options options_;
  control_workspace& w_;
  control_log& log_;
  clean_control_workspace& workspace_ = w_.cleaning_;
  control_plan& all_ = w_.all_;
  control_plan& plan_ = w_.allowed_;
  flat_array<control_event>& asked_ = w_.asked_;
  flat_array<control_event>& refused_ = w_.refused_;
};

} // namespace detail

/// Simplifies control flow until nothing is left to do. Makes the changes that `plan_clean_control` plans, and decides
/// branches by dominating branches on the same value:
///
///     before                         after
///     a: if p then b else c          a: if p then b else c
///     b: if p then d else e          b: goto d
///
/// Asks the options before each change; a change that depends on a refused one is not made either. In a macro package
/// it runs beside the low-level package: that one turns predicates into literals, this one uses them.
///
/// Unreachable nodes are erased; endless loops stay; loop forms may be lost. The log lists the changes round by round,
/// in the order of nodes. A round takes O(n + m + phi inputs), with the dominators; each but the last removes a node or
/// an edge.
struct control_canonicalization {
  static constexpr const char* name = "control";

  template <control_editor_argument E> control_log run(E& editor, const control_options& options = {}) const {
    return run(editor, options, detail::no_visit{});
  }

  /// Calls `visit(witness)` after each round. `verify_unfolding` checks a witness against the program before its round
  /// and counts the edges of implied branches as assumed; `verify_implied_branches` proves these.
  template <control_editor_argument E, class Visit>
  control_log run(E& editor, const control_options& options, Visit visit) const {
    control_workspace workspace;
    control_log log;
    run(editor, options, visit, workspace, log);
    return log;
  }

  /// Refills `log`.
  template <control_editor_argument E, class Visit>
  void run(E& editor, const control_options& options, Visit visit, control_workspace& workspace,
           control_log& log) const {
    detail::control_manager<E>(editor, options, workspace, log).run(visit);
  }

  /// Makes no witnesses.
  template <control_editor_argument E>
  void run(E& editor, const control_options& options, control_workspace& workspace, control_log& log) const {
    run(editor, options, detail::no_visit{}, workspace, log);
  }
};

MIDEND_END_NAMESPACE
