/// `sccp`: sparse conditional constant propagation, over any domain and any IR in SSA form.
///
/// A fact starts at bottom, "no value so far", and only rises. Nodes and edges start as not executed:
///
///       top           any value            entry → node executable → visit its values and its end
///     / / \ \                                ↑                              │
///    … 0 1 2 …        one constant           └── edges whose case the ──────┘
///     \ \ / /                                    condition allows
///      bottom         no value so far      value rises → visit its users; phis join over executable edges only
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/fact_array.hpp"
#include "midend/dataflow/detail/pending_set.hpp"
#include "midend/dataflow/domains/flat_domain.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ssa/detail/branch_facts.hpp"
#include "midend/ssa/detail/constant_thresholds.hpp"
#include "midend/ssa/detail/decided_use_lister.hpp"
#include "midend/ssa/detail/fact_narrowing.hpp"
#include "midend/ssa/detail/fact_readers.hpp"
#include "midend/ssa/detail/fact_traits.hpp"
#include "midend/ssa/detail/feasible_edges.hpp"
#include "midend/ssa/detail/growing_facts.hpp"
#include "midend/ssa/detail/operation_evaluator.hpp"
#include "midend/ssa/detail/phi_growth.hpp"
#include "midend/ssa/detail/promised_facts.hpp"
#include "midend/ssa/detail/ssa_order.hpp"
#include "midend/ssa/sccp_result.hpp"
#include "midend/support/detail/arena.hpp"
#include "midend/support/span.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The meaning of a value that is `undef`.
enum class undef_policy : std::uint8_t {
  top,      ///< any value, which the optimizer may not choose: phi(undef, 1) is not constant
  any_value ///< the optimizer chooses at each use: phi(undef, 1) is 1
};

/// Where control goes at a branch on an undefined value, under `undef_policy::any_value`.
enum class undef_branch : std::uint8_t {
  none, ///< nowhere: such a branch is never executed
  any,  ///< along the first edge
  all   ///< along every edge
};

/// Options of `sccp`.
struct sccp_options {
  undef_policy undefined = undef_policy::top;
  undef_branch branch_on_undefined = undef_branch::all;

  /// Stop at the first value whose fact did not rise although its operands' facts did: see `sccp_result::broken_value`.
  bool checked = false;

  /// The number of times a phi may grow along a back edge before it is widened, in domains that widen.
  std::uint32_t widen_after = 3;

  /// The number of times a widened phi may stop at a constant of the program before it goes to the end of its range.
  std::uint32_t threshold_steps = 8;

  /// The number of times that facts which follow from widened ones are recomputed, to regain precision.
  std::uint32_t narrowing_steps = 1;

  /// Whether `sccp_with_branch_facts` also lists the uses that branches decide (`sccp_result::decided_uses`).
  bool lists_decided_uses = false;

  /// The order of visits: all nodes that the entry reaches, each once; reverse postorder if empty. Another order costs
  /// more. It gives the same result if nothing is widened.
  span<const node_id> order = {};
};

/// A domain whose constants are those of the IR.
template <class D, class IR>
concept domain_of_ir = value_domain<D> && std::same_as<domain_constant<D>, constant_of<IR>>;

namespace detail {

template <class D, class IR>
concept has_constants_of = std::same_as<domain_constant<D>, constant_of<IR>>;

MIDEND_REQUIRED_WITH(has_constants_of, "`constant_type` of the domain and of the IR must be the same type");

template <class IR> struct domain_of_ir_contract : contract<value_domain_contract, has_constants_of_row<IR>> {};

} // namespace detail

/// For signatures: a `domain_of_ir` with optional members that fit; any other type is an error with a reason.
template <class D, class IR>
concept domain_of_ir_argument = (domain_of_ir<D, IR> && detail::domain_of_ir_contract<IR>::template fits<D>) ||
                                detail::domain_of_ir_contract<IR>::template explain<D>();

namespace detail {

template <class IR, class D, class Congruence = no_congruence> class sccp_solver;

} // namespace detail

/// Memory of `sccp`, reusable for program after program.
template <value_domain_argument D> class sccp_workspace {
public:
  constexpr sccp_workspace() = default;

private:
  template <class IR, class Domain, class Congruence> friend class detail::sccp_solver;

  /// Memory for one call. A small program needs no other.
  constexpr explicit sccp_workspace(detail::call_buffer& buffer) : memory_(buffer) {}

  detail::arena memory_; ///< holds the arrays of `order_`, `uses_` or `readers_`, and the solver
  detail::ssa_order order_;
  detail::ssa_uses uses_;                     ///< used with a partition
  detail::noted_uses readers_;                ///< used without one
  detail::pending_set pending_;               ///< positions of `order_` to visit
  detail::arena_list<std::uint32_t> waiting_; ///< items that have no value because an operand has none
  detail::constant_thresholds thresholds_;
  detail::folded_operands<domain_constant<D>> operands_; ///< of the value that is being folded
  detail::fact_array<element_of<D>> arriving_;           ///< used by the solver if facts are not trivial
  detail::branch_facts_workspace<domain_constant<D>> branches_;
};

namespace detail {

/// The algorithm. Items of work are values and ends of nodes (`ssa_order`). Visits pending items in sweeps along the
/// order until none is pending. What a visit finds is computed elsewhere:
///
///      visit_value ── operation_evaluator: the fact of an operation, from the facts of its operands
///      visit_end ──── feasible_edges: the edges that the fact of the condition allows
///      raise_phi ──── phi_growth: joins an input into a phi, or widens it
///
/// The solver keeps what is pending, what waits and who reads what; it writes by `growing_facts`.
///
/// A `Congruence` other than `no_congruence` is a partition of the values that is refined while facts rise
/// (`value_numbering`). The solver tells it about visits and executed nodes, and asks it which operands may be equal.
/// When nothing is pending, the partition is refined, which may make values pending whose operands turn out to differ.
template <class IR, class D, class Congruence> class sccp_solver {
public:
  using element = element_of<D>;
  using constant_type = domain_constant<D>;

  constexpr sccp_solver(const IR& ir, const D& domain, const sccp_options& options, sccp_workspace<D>& workspace,
                        sccp_result<D>& out, Congruence congruence = {})
      : ir_(ir), domain_(domain), options_(options), w_(workspace), out_(out), order_(ordered(ir, options, workspace)),
        facts_(domain, out), traits_(order_.num_values(), workspace.memory_), readers_(workspace.readers_, traits_),
        end_visits_(workspace.memory_.template array<std::uint32_t>(num_nodes(), 0)), congruence_(congruence),
        evaluator_(ir, domain, facts_, traits_, readers_, workspace.operands_, options.checked, congruence),
        growth_(ir, domain, order_, facts_, traits_, {options.widen_after, options.threshold_steps},
                workspace.thresholds_) {}

  /// Memory for a view with copies.
  static constexpr auto& branches(sccp_workspace<D>& workspace) { return workspace.branches_; }

  /// Memory for one call.
  static constexpr sccp_workspace<D> workspace_in(call_buffer& buffer) { return sccp_workspace<D>(buffer); }

  /// The result covers the first `num_values` values. The steps of Wegman and Zadeck, and what domains, `undef` and a
  /// partition add to them.
  constexpr void run(std::size_t num_values) {
    start(num_values); // nothing is executed, only values in no node are known
    if constexpr (numbers_values) {
      congruence_.start(order_, w_.uses_, w_.pending_, out_);
    }
    if (num_nodes() != 0) {
      enter(static_cast<node_id>(ir_.graph().entry())); // control reaches the entry
    }
    while (visit_pending() && (refine() || resolve_waiting())) {
    }
    if constexpr (widens<D>) {
      if (facts_.counters().widenings != 0 && options_.narrowing_steps != 0) {
        narrow();
      }
    }
    if (has_undefined_) {
      facts_.finish_undefined(ir_);
    }
    if (has_unknown_) {
      facts_.finish_unknown(ir_, order_);
    }
  }

private:
  static constexpr bool numbers_values = !std::same_as<Congruence, no_congruence>;

  /// Finds the order of visits, in memory of the workspace, which it empties first.
  static constexpr ssa_order& ordered(const IR& ir, const sccp_options& options, sccp_workspace<D>& w) {
    const auto nodes = static_cast<std::size_t>(ir.graph().num_nodes());
    w.memory_.reset(28 * static_cast<std::size_t>(ir.num_values()) + 52 * nodes +
                    4 * static_cast<std::size_t>(ir.graph().num_edges()) + 512); // enough for most programs
    w.order_.assign(ir, options.order, w.memory_);
    return w.order_;
  }

  // ---- Start: nothing is executed, and only values outside of all nodes are known.

  constexpr void start(std::size_t num_values) {
    if constexpr (numbers_values) {
      w_.uses_.assign(ir_, order_, w_.memory_);
    } else {
      w_.readers_.assign(order_.num_values(), order_.num_positions(), w_.memory_);
    }
    const value_id count = order_.num_values();
    facts_.start(num_values, count, num_nodes(), static_cast<std::size_t>(ir_.graph().num_edges()), widens<D>,
                 options_.widen_after, graph_epoch(ir_.graph()));
    w_.pending_.assign(order_.num_positions(), false, w_.memory_);
    w_.waiting_.start(w_.memory_);
    w_.operands_.start(w_.memory_);
    if constexpr (widens<D>) {
      w_.thresholds_.reset(w_.memory_);
    }
    for (value_id v = 0; v != count; ++v) {
      if (order_.position(v) == ssa_order::none) {
        start_outside(v);
      }
    }
    const auto nodes = static_cast<node_id>(num_nodes());
    for (node_id n = 0; n != nodes; ++n) {
      if (!order_.is_reachable(n)) {
        for_each_id(ir_.values(n), [this](value_id v) { facts_[v] = domain_.bottom(); });
      }
    }
  }

  constexpr void start_outside(value_id v) {
    traits_.add(v, fact_trait::settled);
    if (options_.undefined == undef_policy::any_value && is_undefined_literal(ir_, v)) {
      mark_undefined(v);
    } else {
      facts_[v] = constant_or_promised(ir_, domain_, v, ir_.constant(v));
    }
  }

  // ---- Control: nodes and edges become executable.

  /// Visits items until none is pending; false if a checked run has failed.
  constexpr bool visit_pending() {
    return w_.pending_.drain([this](std::uint32_t position) MIDEND_ALWAYS_INLINED {
      const std::uint32_t item = order_.item(position);
      if (order_.is_end(item)) {
        visit_end(order_.node_of_end(item));
      } else {
        visit_value(item);
      }
      return !facts_.has_failed();
    });
  }

  /// Refines the partition by what has changed. Returns whether values are pending again.
  constexpr bool refine() {
    if constexpr (numbers_values) {
      return congruence_.refine();
    } else {
      return false;
    }
  }

  /// Control may reach `n`: everything in it becomes pending.
  constexpr void enter(node_id n) {
    facts_.execute(n);
    if constexpr (numbers_values) {
      congruence_.on_node(n);
    }
    std::uint32_t last = order_.last_position(n);
    if constexpr (has_never_returns<IR>) {
      last = position_of_stop(n, last);
    }
    w_.pending_.insert(order_.first_position(n), last);
  }

  /// The position of the first value in `n` after which control does not continue, or `last`.
  constexpr std::uint32_t position_of_stop(node_id n, std::uint32_t last) {
    for (std::uint32_t position = order_.first_position(n); position != last; ++position) {
      if (ir_.never_returns(order_.item(position))) {
        has_unknown_ = true;
        return position;
      }
    }
    return last;
  }

  /// Takes the edges that the condition allows.
  constexpr void visit_end(node_id n) {
    ++end_visits_[n];
    ++facts_.counters().branch_visits;
    const value_id condition = ir_.condition(n);
    MIDEND_ASSERT(condition == no_value || is_value(condition), "the condition of a branch is a value of the program",
                  n, condition);
    if (condition != no_value && end_visits_[n] == 1) {
      note_reader(condition, {order_.end_of(n), no_edge}); // before an edge is taken, which may raise the condition
    }
    if (condition == no_value) {
      for_each_id(ir_.graph().out_edges(n), [this](edge_id e) { take(e); });
    } else if (!facts_.is_unknown(condition)) {
      const feasible_edges decide(ir_, domain_, n, ir_.operation(condition).width, facts_[condition]);
      decide.for_each([this](edge_id e) { take(e); });
    } else if (facts_.is_marked(condition)) {
      w_.waiting_.push_back(order_.end_of(n));
    }
  }

  /// Control may take `e`: the phis at its target join their inputs for it.
  constexpr void take(edge_id e) {
    if (facts_.is_executable_edge(e)) {
      return;
    }
    facts_.execute_edge(e);
    ++facts_.counters().edge_visits;
    if constexpr (numbers_values) {
      congruence_.on_edge(e);
    }
    const auto target = static_cast<node_id>(ir_.graph().edge_target(e));
    for_each_phi(ir_, target, [&](value_id phi) {
      const auto input = static_cast<value_id>(ir_.phi_input(phi, e));
      if (input != no_value) { // it is set
        MIDEND_ASSERT(is_value(input), "an input of a phi is a value of the program", phi, input);
        note_reader(input, {phi, e});
        raise_phi(phi, input, e);
      }
    });
    if (!facts_.is_executable(target)) {
      enter(target);
    }
  }

  // ---- Values: raise facts, queue users.

  MIDEND_ALWAYS_INLINED constexpr void visit_value(value_id v) {
    const bool is_first = facts_.visits(v)++ == 0;
    ++facts_.counters().value_visits;
    if constexpr (numbers_values) {
      congruence_.on_visit(v);
    }
    if (ir_.is_phi(v)) { // has risen already, in raise_phi
      has_unknown_ = has_unknown_ || facts_.is_unknown(v);
      notify_users(v);
      return;
    }
    if (is_first && evaluator_.follows_from_nothing(v)) {
      facts_[v] = promised_fact(ir_, domain_, v, ir_.operation(v).width);
      traits_.add(v, numbers_values ? 0u : fact_traits::settled);
      notify_users(v);
      return;
    }
    operand_traits of_operands(!numbers_values);
    const element found = evaluator_.evaluate(v, is_first, of_operands);
    if (is_bottom(domain_, found)) {
      if (options_.checked && !facts_.is_unknown(v)) {
        facts_.fail(v);
      } else if (facts_.is_unknown(v)) {
        has_unknown_ = true;
        wait_or_pass_on_undef(v);
      }
    } else if (is_first) {
      facts_[v] = found;
      has_risen(v, of_operands);
    } else if (options_.checked && !less_or_equal(domain_, facts_[v], found)) {
      facts_.fail(v);
    } else if (domain_.join(facts_[v], found)) {
      has_risen(v, of_operands);
    } else {
      traits_.add(v, of_operands.widened());
    }
  }

  constexpr void has_risen(value_id v, const operand_traits& of_operands) {
    traits_.add(v, of_operands.inherited());
    settle_if_top(v);
    notify_users(v);
  }

  /// Queues the users of `v`. Users without a visit so far are pending anyway.
  constexpr void notify_users(value_id v) {
    if constexpr (numbers_values) {
      for (const ssa_use use : w_.uses_.of(v)) {
        if (use.edge == no_edge ? was_visited(use.item) : facts_.is_executable_edge(use.edge)) {
          notify(v, use);
        }
      }
    } else {
      readers_.for_each(v, [&](ssa_use use) { notify(v, use); });
    }
  }

  constexpr void notify(value_id v, ssa_use use) {
    ++facts_.counters().use_visits;
    if (use.edge != no_edge) {
      raise_phi(use.item, v, use.edge);
    } else if (order_.is_end(use.item) || options_.checked || !traits_.has(use.item, fact_trait::settled)) {
      w_.pending_.insert(order_.position(use.item));
    }
  }

  constexpr bool was_visited(std::uint32_t item) const {
    return order_.is_end(item) ? end_visits_[order_.node_of_end(item)] != 0 : facts_.visits(item) != 0;
  }

  /// Notes that `reader` has read the fact of `v`, if that may still change.
  constexpr void note_reader([[maybe_unused]] value_id v, [[maybe_unused]] ssa_use reader) {
    if constexpr (!numbers_values) {
      readers_.note(v, reader);
    }
  }

  constexpr bool is_value(value_id v) const { return v < order_.num_values(); }

  constexpr void settle_if_top([[maybe_unused]] value_id v) {
    if constexpr (!numbers_values) {
      if ((traits_.of(v) & (fact_traits::settled | fact_traits::widened)) == 0 &&
          less_or_equal(domain_, domain_.top(ir_.operation(v).width), facts_[v])) {
        traits_.add(v, fact_trait::settled);
      }
    }
  }

  /// Whether narrowing may lower the fact of a value. With a partition, any fact may: classes are no operands.
  constexpr bool may_narrow(value_id v) const { return numbers_values || traits_.has(v, fact_trait::widened); }

  /// Joins the input of a phi for an executable edge into the phi.
  constexpr void raise_phi(value_id phi, value_id input, edge_id e) {
    traits_.add(phi, traits_.of(input) & fact_traits::widened);
    if (facts_.is_unknown(input)) {
      if (facts_.is_undefined(input) && !facts_.is_marked(phi)) {
        mark_undefined(phi);
        w_.pending_.insert(order_.position(phi));
      }
    } else if (!traits_.has(phi, fact_trait::settled) && growth_.grow(phi, facts_[input], e)) {
      settle_if_top(phi);
      w_.pending_.insert(order_.position(phi));
    }
  }

  // ---- Undefined values, and operations that have no result so far.

  /// A copy of `undef` is `undef`. Any other operation on `undef` waits until its other operands have settled; so does
  /// an operation that only the IR can compute. Known operations whose operands have no value have none either.
  constexpr void wait_or_pass_on_undef(value_id v) {
    const operation code = ir_.operation(v).code;
    bool reads_undefined = false;
    for_each_id(ir_.operands(v),
                [&](value_id operand) { reads_undefined = reads_undefined || facts_.is_undefined(operand); });
    if (code == operation::copy && reads_undefined) {
      if (!facts_.is_marked(v)) {
        mark_undefined(v);
        notify_users(v);
      }
    } else if (code == operation::other || reads_undefined) {
      w_.waiting_.push_back(v);
    }
  }

  /// Call it when nothing is pending. From now on, `undef` is top for the operations that wait for it, operands without
  /// a value are top for operations that only the IR can compute, and branches on `undef` go where the policy says.
  /// Doing this earlier would make the result depend on the order of visits. Returns whether anything changed.
  constexpr bool resolve_waiting() {
    bool changed = false;
    for (std::size_t i = 0, count = w_.waiting_.size(); i != count; ++i) {
      const std::uint32_t item = w_.waiting_.data()[i];
      changed |= order_.is_end(item) ? resolve_branch(order_.node_of_end(item)) : resolve_value(item);
    }
    w_.waiting_.clear();
    return changed;
  }

  constexpr bool resolve_value(value_id v) {
    if (!facts_.is_unknown(v) || traits_.has(v, fact_trait::resolved)) {
      return false;
    }
    traits_.add(v, fact_trait::resolved);
    w_.pending_.insert(order_.position(v));
    return true;
  }

  constexpr bool resolve_branch(node_id n) {
    if (!facts_.is_unknown(ir_.condition(n)) || options_.branch_on_undefined == undef_branch::none) {
      return false;
    }
    bool is_wanted = true;
    for_each_id(ir_.graph().out_edges(n), [&](edge_id e) {
      if (is_wanted) {
        take(e);
      }
      is_wanted = options_.branch_on_undefined == undef_branch::all;
    });
    return true;
  }

  // ---- Narrowing, see `fact_narrowing`.

  constexpr void narrow() {
    const fact_narrowing<IR, D> narrowing(ir_, domain_, order_, facts_, w_.arriving_, w_.memory_);
    for (std::uint32_t i = 0; i != options_.narrowing_steps; ++i) {
      narrowing.step([this](value_id v) { return may_narrow(v); }, [this](value_id v) { return evaluate_again(v); });
    }
  }

  MIDEND_NEVER_INLINED constexpr element evaluate_again(value_id v) {
    operand_traits ignored(false);
    return evaluator_.evaluate(v, false, ignored);
  }

  // ---- Shorthands.

  constexpr std::size_t num_nodes() const { return static_cast<std::size_t>(ir_.graph().num_nodes()); }

  constexpr void mark_undefined(value_id v) {
    has_undefined_ = true;
    facts_.mark_undefined(v);
  }

  const IR& ir_;
  const D& domain_;
  const sccp_options& options_;
  sccp_workspace<D>& w_;
  sccp_result<D>& out_; ///< written by `facts_`
  ssa_order& order_;
  growing_facts<D> facts_;
  fact_traits traits_;
  fact_readers readers_;       ///< unused with a partition
  std::uint32_t* end_visits_;  ///< by node
  bool has_unknown_ = false;   ///< a value that is executed may have no value
  bool has_undefined_ = false; ///< a value was marked as undefined
  [[no_unique_address]] Congruence congruence_;
  operation_evaluator<IR, D, Congruence> evaluator_;
  phi_growth<IR, D> growth_;
};

} // namespace detail

/// What `domain` knows about the values of `ir` if everything that is never executed is left out. Refills `out`.
/// Allocates nothing once workspace and result have seen a program as large.
///
/// Wegman, Zadeck, "Constant propagation with conditional branches", TOPLAS 13(2), 1991. Optimistic: it starts from
/// "nothing is executed", follows an edge when the condition at its source may have the edge's case, and evaluates a
/// value when an operand or an edge into its phi has changed. So `x = 1; do { if (x != 1) x = 2; } while (…)` leaves x
/// constant, which no sequence of constant propagation and dead code elimination achieves. Departures: joins upward,
/// from bottom; any domain in place of constants, with widening around loops; one set of pending items in reverse
/// postorder in place of two worklists; one visit of an operation covers all operands that changed before its turn.
///
/// Values in no node (other than literals) are top. `undef` is treated as `sccp_options` says. Unreachable nodes and
/// their edges are not executable. Parallel edges are separate edges: a constant takes only one of them. A branch whose
/// condition has no value (it always traps) takes no edge. Requires a monotone domain; `checked` tests that.
///
/// Without widening the result is the least solution and does not depend on any order. O(h (m + u)) time for m edges, u
/// operands and a domain of height h, which `widen_after` and the thresholds bound if the domain widens; phis with many
/// inputs included. The workspace takes about 26 bytes for each value, 50 for each node and 4 for each edge, 12 for
/// each reader beyond one a value and node, and a fact for each value if something was widened.
template <semantic_ir_argument IR, domain_of_ir_argument<IR> D>
constexpr void sccp(const IR& ir, const D& domain, const sccp_options& options, sccp_workspace<D>& workspace,
                    sccp_result<D>& out) {
  detail::sccp_solver<IR, D>(ir, domain, options, workspace, out).run(static_cast<std::size_t>(ir.num_values()));
}

/// Returns the result, with a workspace of its own.
template <semantic_ir_argument IR, domain_of_ir_argument<IR> D>
constexpr auto sccp(const IR& ir, const D& domain, const sccp_options& options = {}) {
  sccp_result<D> out;
  detail::call_buffer buffer;
  sccp_workspace<D> workspace = detail::sccp_solver<IR, D>::workspace_in(buffer);
  sccp(ir, domain, options, workspace, out);
  return out;
}

/// Propagates the constants of `ir`.
template <semantic_ir_argument IR> constexpr auto sccp(const IR& ir) {
  return sccp(ir, flat_domain<constant_of<IR>>());
}

/// Also refines facts by branches: after the edge that is taken if x < 10, x is less than 10. Works on a view of the
/// program in which such values have copies (see `detail::branch_facts_view`). It is a separate function because the
/// solver is compiled once more for that view. Each call copies the operand lists and builds a dominator tree, both in
/// the workspace; not for constant expressions. A branch's fact holds where the edge dominates, and for phis on the
/// edge itself; the fact of a value is the one at its definition.
template <semantic_ir_argument IR, domain_of_ir_argument<IR> D>
  requires has_assume<D>
void sccp_with_branch_facts(const IR& ir, const D& domain, const sccp_options& options, sccp_workspace<D>& workspace,
                            sccp_result<D>& out) {
  using solver = detail::sccp_solver<detail::branch_facts_view<IR>, D>;
  const detail::branch_facts_view<IR> view(ir, solver::branches(workspace));
  solver(view, domain, options, workspace, out).run(static_cast<std::size_t>(ir.num_values()));
  if (options.lists_decided_uses) {
    detail::decided_use_lister<IR, D>(ir, view, out).run();
  }
}

/// Returns the result, with a workspace of its own.
template <semantic_ir_argument IR, domain_of_ir_argument<IR> D>
  requires has_assume<D>
auto sccp_with_branch_facts(const IR& ir, const D& domain, const sccp_options& options = {}) {
  sccp_result<D> out;
  detail::call_buffer buffer;
  sccp_workspace<D> workspace = detail::sccp_solver<IR, D>::workspace_in(buffer);
  sccp_with_branch_facts(ir, domain, options, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
