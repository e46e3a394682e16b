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
#include "midend/dataflow/detail/dense_values.hpp"
#include "midend/dataflow/detail/fact_array.hpp"
#include "midend/dataflow/detail/pending_set.hpp"
#include "midend/dataflow/domains/flat_domain.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ssa/detail/branch_facts.hpp"
#include "midend/ssa/detail/constant_thresholds.hpp"
#include "midend/ssa/detail/decided_use_lister.hpp"
#include "midend/ssa/detail/feasible_edges.hpp"
#include "midend/ssa/detail/promised_facts.hpp"
#include "midend/ssa/detail/ssa_order.hpp"
#include "midend/ssa/sccp_result.hpp"
#include "midend/support/detail/arena.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/optional.hpp"
#include "midend/support/sort.hpp"
#include "midend/support/span.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

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

/// A list in the memory of a workspace if the elements are trivial.
template <class T>
using list_of_call = std::conditional_t<is_plain<T> && alignof(T) <= arena::alignment, arena_list<T>, dense_values<T>>;

template <class List> constexpr void start_list(List& list, arena& memory) {
  if constexpr (requires { list.start(memory); }) {
    list.start(memory);
  } else {
    list.clear();
  }
}

/// Values of this IR may be copies after a branch; `implied(v)` is the branch's fact about `v`, or null.
template <class IR>
concept has_implied = requires(const IR& ir, value_id v) {
  { ir.implied(v) } -> std::convertible_to<const branch_fact<constant_of<IR>>*>;
};

/// The partition of `sccp`, which knows no equal values.
struct no_congruence {};

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
  detail::list_of_call<domain_constant<D>> constants_; ///< operands of the value that is being folded
  detail::list_of_call<std::optional<domain_constant<D>>> partial_constants_; ///< operands, some unknown
  detail::fact_array<element_of<D>> arriving_; ///< used by the solver if facts are not trivial
  detail::branch_facts_workspace<domain_constant<D>> branches_;
};

namespace detail {

/// The algorithm. Items of work are values and ends of nodes (`ssa_order`). Visits pending items in sweeps along the
/// order until none is pending.
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
      : ir_(ir), domain_(domain), options_(options), w_(workspace), order_(workspace.order_), out_(out),
        congruence_(congruence) {}

  /// Memory for a view with copies.
  static constexpr auto& branches(sccp_workspace<D>& workspace) { return workspace.branches_; }

  /// Memory for one call.
  static constexpr sccp_workspace<D> workspace_in(call_buffer& buffer) { return sccp_workspace<D>(buffer); }

  /// The result covers the first `num_values` values.
  constexpr void run(std::size_t num_values) {
    out_.num_values_ = num_values;
    start();
    if constexpr (numbers_values) {
      congruence_.start(order_, w_.uses_, w_.pending_, out_);
    }
    if (num_nodes() != 0) {
      enter(static_cast<node_id>(ir_.graph().entry()));
    }
    while (visit_pending() && (refine() || resolve_waiting())) {
    }
    if constexpr (widens) {
      if (out_.counters_.widenings != 0 && options_.narrowing_steps != 0) {
        for (std::uint32_t i = 0; i != options_.narrowing_steps; ++i) {
          narrow();
        }
      }
    }
    finish();
  }

private:
  static constexpr bool widens = has_widen_of_width<D> || has_widen<D>;
  static constexpr bool numbers_values = !std::same_as<Congruence, no_congruence>;

  /// Properties of a value's fact. With a partition no fact is settled, because equal operands may turn out to differ.
  enum class trait : std::uint8_t {
    settled = 1, ///< it will not change: known from the start, follows from such facts, or top
    widened = 2, ///< it follows from one that was widened, and narrowing may lower it
    resolved = 4 ///< an operand without a value is top for this value
  };

  /// The traits that operands of a value have.
  struct operand_traits {
    unsigned all = numbers_values ? 0 : static_cast<unsigned>(trait::settled); ///< traits that all operands have
    unsigned any = 0;                                                          ///< traits that some operand has

    constexpr void add(unsigned traits) {
      all &= traits;
      any |= traits;
    }
  };

  // ---- Start: nothing is executed, and only values outside of all nodes are known.

  constexpr void start() {
    w_.memory_.reset(28 * static_cast<std::size_t>(ir_.num_values()) + 52 * num_nodes() +
                     4 * static_cast<std::size_t>(ir_.graph().num_edges()) + 512); // enough for most programs
    order_.assign(ir_, options_.order, w_.memory_);
    if constexpr (numbers_values) {
      w_.uses_.assign(ir_, order_, w_.memory_);
    } else {
      w_.readers_.assign(order_.num_values(), order_.num_positions(), w_.memory_);
    }
    traits_ = w_.memory_.template array<std::uint8_t>(order_.num_values(), 0);
    has_unknown_ = false;
    has_undefined_ = false;
    end_visits_ = w_.memory_.template array<std::uint32_t>(num_nodes(), 0);
    const value_id count = order_.num_values();
    out_.decided_uses_.clear();
    out_.domain_ = domain_;
    out_.facts_.assign(count, domain_.bottom());
    out_.clear(count, num_nodes(), static_cast<std::size_t>(ir_.graph().num_edges()), widens);
    out_.widen_after_ = options_.widen_after;
    out_.counters_ = {};
    out_.broken_value_ = no_value;
    out_.epoch_ = graph_epoch(ir_.graph());
    w_.pending_.assign(order_.num_positions(), false, w_.memory_);
    w_.waiting_.start(w_.memory_);
    start_list(w_.constants_, w_.memory_);
    start_list(w_.partial_constants_, w_.memory_);
    arriving_ = nullptr;
    if constexpr (widens) {
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
        for_each_id(ir_.values(n), [this](value_id v) { fact(v) = domain_.bottom(); });
      }
    }
  }

  constexpr void start_outside(value_id v) {
    add_traits(v, is(trait::settled));
    if (options_.undefined == undef_policy::any_value && is_undefined_literal(ir_, v)) {
      mark_undefined(v);
    } else {
      fact(v) = constant_or_promised(ir_, domain_, v, ir_.constant(v));
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
      return out_.broken_value_ == no_value;
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
    out_.set(out_.executable_nodes_, n);
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
    ++out_.counters_.branch_visits;
    const value_id condition = ir_.condition(n);
    MIDEND_ASSERT(condition == no_value || is_value(condition), "the condition of a branch is a value of the program",
                  n, condition);
    if (condition != no_value && end_visits_[n] == 1) {
      note_reader(condition, {order_.end_of(n), no_edge}); // before an edge is taken, which may raise the condition
    }
    if (condition == no_value) {
      for_each_id(ir_.graph().out_edges(n), [this](edge_id e) { take(e); });
    } else if (!is_unknown(condition)) {
      const feasible_edges decide(ir_, domain_, n, ir_.operation(condition).width, fact(condition));
      decide.for_each([this](edge_id e) { take(e); });
    } else if (out_.test(out_.undefined_, condition)) {
      w_.waiting_.push_back(order_.end_of(n));
    }
  }

  /// Control may take `e`: the phis at its target join their inputs for it.
  constexpr void take(edge_id e) {
    if (out_.test(out_.executable_edges_, e)) {
      return;
    }
    out_.set(out_.executable_edges_, e);
    ++out_.counters_.edge_visits;
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
    if (!out_.test(out_.executable_nodes_, target)) {
      enter(target);
    }
  }

  // ---- Values: raise facts, queue users.

  MIDEND_ALWAYS_INLINED constexpr void visit_value(value_id v) {
    const bool is_first = out_.numbers_.data()[v]++ == 0;
    ++out_.counters_.value_visits;
    if constexpr (numbers_values) {
      congruence_.on_visit(v);
    }
    if (ir_.is_phi(v)) { // has risen already, in raise_phi
      has_unknown_ = has_unknown_ || is_unknown(v);
      notify_users(v);
      return;
    }
    if (is_first && follows_from_nothing(v)) {
      fact(v) = promised_fact(ir_, domain_, v, ir_.operation(v).width);
      add_traits(v, numbers_values ? 0 : is(trait::settled));
      notify_users(v);
      return;
    }
    operand_traits of_operands;
    const element found = evaluate(v, is_first, of_operands);
    if (is_bottom(domain_, found)) {
      if (options_.checked && !is_unknown(v)) {
        out_.broken_value_ = v;
      } else if (is_unknown(v)) {
        has_unknown_ = true;
        wait_or_pass_on_undef(v);
      }
    } else if (is_first) {
      fact(v) = found;
      has_risen(v, of_operands);
    } else if (options_.checked && !less_or_equal(domain_, fact(v), found)) {
      out_.broken_value_ = v;
    } else if (domain_.join(fact(v), found)) {
      has_risen(v, of_operands);
    } else {
      add_traits(v, of_operands.any & is(trait::widened));
    }
  }

  constexpr void has_risen(value_id v, const operand_traits& of_operands) {
    add_traits(v, (of_operands.all & is(trait::settled)) | (of_operands.any & is(trait::widened)));
    settle_if_top(v);
    notify_users(v);
  }

  /// Queues the users of `v`. Users without a visit so far are pending anyway.
  constexpr void notify_users(value_id v) {
    if constexpr (numbers_values) {
      for (const ssa_use use : w_.uses_.of(v)) {
        if (use.edge == no_edge ? was_visited(use.item) : out_.test(out_.executable_edges_, use.edge)) {
          notify(v, use);
        }
      }
    } else {
      w_.readers_.for_each(v, [&](ssa_use use) { notify(v, use); });
    }
  }

  constexpr void notify(value_id v, ssa_use use) {
    ++out_.counters_.use_visits;
    if (use.edge != no_edge) {
      raise_phi(use.item, v, use.edge);
    } else if (order_.is_end(use.item) || options_.checked || !has(use.item, trait::settled)) {
      w_.pending_.insert(order_.position(use.item));
    }
  }

  constexpr bool was_visited(std::uint32_t item) const {
    return order_.is_end(item) ? end_visits_[order_.node_of_end(item)] != 0 : out_.numbers_.data()[item] != 0;
  }

  /// Notes that `reader` has read the fact of `v`, if that may still change.
  constexpr void note_reader([[maybe_unused]] value_id v, [[maybe_unused]] ssa_use reader) {
    if constexpr (!numbers_values) {
      if (!has(v, trait::settled)) {
        w_.readers_.add(v, reader);
      }
    }
  }

  /// Notes that the operation `reader` reads the fact of `v`.
  constexpr void note_operand([[maybe_unused]] value_id v, [[maybe_unused]] value_id reader,
                              [[maybe_unused]] bool is_first, [[maybe_unused]] operand_traits& of_operands) {
    MIDEND_ASSERT(is_value(v), "an operand is a value of the program", reader, v);
    if constexpr (!numbers_values) {
      of_operands.add(traits_[v]);
      if (is_first) {
        note_reader(v, {reader, no_edge});
      }
    }
  }

  constexpr bool is_value(value_id v) const { return v < order_.num_values(); }

  static constexpr unsigned is(trait t) { return static_cast<unsigned>(t); }

  constexpr bool has(value_id v, trait t) const { return (traits_[v] & is(t)) != 0; }

  constexpr void add_traits(value_id v, unsigned traits) {
    traits_[v] = static_cast<std::uint8_t>(traits_[v] | traits);
  }

  constexpr void settle_if_top([[maybe_unused]] value_id v) {
    if constexpr (!numbers_values) {
      if ((traits_[v] & (is(trait::settled) | is(trait::widened))) == 0 &&
          less_or_equal(domain_, domain_.top(ir_.operation(v).width), fact(v))) {
        add_traits(v, is(trait::settled));
      }
    }
  }

  /// Whether narrowing may lower the fact of a value. With a partition, any fact may: classes are no operands.
  constexpr bool may_narrow(value_id v) const { return numbers_values || has(v, trait::widened); }

  /// Joins the input of a phi for an executable edge into the phi.
  constexpr void raise_phi(value_id phi, value_id input, edge_id e) {
    add_traits(phi, traits_[input] & is(trait::widened));
    if (is_unknown(input)) {
      if (is_undefined(input) && !out_.test(out_.undefined_, phi)) {
        mark_undefined(phi);
        w_.pending_.insert(order_.position(phi));
      }
    } else if (!has(phi, trait::settled) && grow(phi, fact(input), e)) {
      settle_if_top(phi);
      w_.pending_.insert(order_.position(phi));
    }
  }

  constexpr bool grow(value_id phi, const element& by, [[maybe_unused]] edge_id e) {
    if constexpr (widens) {
      if (order_.is_retreating(ir_.graph().edge_source(e), ir_.graph().edge_target(e))) {
        return grow_around_loop(phi, by);
      }
    }
    return domain_.join(fact(phi), by);
  }

  /// Every cycle of values goes through a phi along a retreating edge. So widening along those edges bounds all chains,
  /// and inputs along other edges are joined exactly.
  constexpr bool grow_around_loop(value_id phi, const element& by) {
    if (less_or_equal(domain_, by, fact(phi))) {
      return false;
    }
    std::uint32_t& growths = out_.numbers_.data()[order_.num_values() + std::size_t{phi}];
    ++growths;
    if (growths <= options_.widen_after) {
      return domain_.join(fact(phi), by);
    }
    ++out_.counters_.widenings;
    add_traits(phi, is(trait::widened));
    if constexpr (has_widen_of_width<D>) {
      const bool may_stop_at_threshold = growths - options_.widen_after <= options_.threshold_steps;
      return domain_.widen(ir_.operation(phi).width, fact(phi), by,
                           may_stop_at_threshold ? w_.thresholds_.get(ir_) : thresholds{});
    } else {
      return domain_.widen(fact(phi), by);
    }
  }

  // ---- Evaluation: the fact of a value that is not a phi, from its operands.

  /// Evaluates a value while narrowing.
  MIDEND_NEVER_INLINED constexpr element evaluate_again(value_id v) {
    operand_traits ignored;
    return evaluate(v, false, ignored);
  }

  /// Whether no fact about an operand, now or later, says anything about `v`. Either `v` is opaque, or only the IR can
  /// compute it and the fact of an operand is settled and no constant. Most values are such: loads, calls, addresses.
  MIDEND_ALWAYS_INLINED constexpr bool follows_from_nothing(value_id v) {
    if constexpr (has_implied<IR>) {
      if (ir_.implied(v) != nullptr) {
        return false;
      }
    }
    if (is_opaque(ir_, v)) {
      return true;
    }
    if constexpr (numbers_values || has_partial_fold<IR> || !has_value_transfer<D>) {
      return false;
    } else {
      if (ir_.operation(v).code != operation::other) {
        return false;
      }
      for (auto&& id : ir_.operands(v)) {
        const auto operand = static_cast<value_id>(id);
        if (has(operand, trait::settled) && !is_unknown(operand) && !domain_.as_constant(fact(operand))) {
          return !ir_.constant(v);
        }
      }
      return false;
    }
  }

  /// Evaluates `v`, and collects the traits of the operands. On the first evaluation, notes `v` as their reader.
  MIDEND_ALWAYS_INLINED constexpr element evaluate(value_id v, bool is_first, operand_traits& of_operands) {
    if constexpr (has_implied<IR>) {
      if (const auto* const implied = ir_.implied(v)) {
        for_each_id(ir_.operands(v), [&](value_id operand) { note_operand(operand, v, is_first, of_operands); });
        return sharpened(*implied);
      }
    }
    if (is_opaque(ir_, v)) {
      return promised_fact(ir_, domain_, v, ir_.operation(v).width);
    }
    if constexpr (numbers_values || has_value_transfer<D>) {
      const operation_info info = ir_.operation(v);
      std::optional<element> of_equal;
      if constexpr (numbers_values) {
        of_equal = congruence_.fact_of_equal_operands(v, info);
      }
      if constexpr (has_value_transfer<D>) {
        if (info.code != operation::other) {
          const element known = transfer(v, info, is_first, of_operands); // the only call, so that it is inlined
          if (of_equal) {
            return not_equal_or(*of_equal, known);
          }
          if constexpr (has_partial_fold<IR>) {
            return folded_or(v, info.width, known);
          } else {
            return known;
          }
        }
      }
      if (of_equal) {
        return *of_equal;
      }
    }
    return fold(v, is_first, of_operands);
  }

  /// The fact for equal operands; or `known`, the fact from the operands' facts, if these exclude it: then the operands
  /// are not equal. So nothing is lost if they turn out to differ.
  constexpr element not_equal_or(const element& of_equal, const element& known) const {
    return less_or_equal(domain_, of_equal, known) ? of_equal : known;
  }

  /// The constant that the IR knows for an operation of the vocabulary, or else `out`, the fact from the operands. A
  /// fact that has risen above constants cannot become one again.
  constexpr element folded_or(value_id v, unsigned width, const element& out) {
    const bool may_gain = is_unknown(v) || domain_.as_constant(fact(v));
    if (!may_gain || is_bottom(domain_, out) || domain_.as_constant(out)) {
      return out;
    }
    w_.partial_constants_.clear();
    for_each_id(ir_.operands(v), [&](value_id operand) {
      w_.partial_constants_.push_back(is_unknown(operand) ? std::nullopt : domain_.as_constant(fact(operand)));
    });
    const std::optional<constant_type> c = fold_some(v);
    if (c && options_.checked && !may_be(domain_, width, out, *c)) {
      out_.broken_value_ = v;
    }
    return c ? domain_.constant(width, *c) : out;
  }

  /// Folds `v` by the IR, from `partial_constants_`.
  constexpr std::optional<constant_type> fold_some(value_id v) const {
    return ir_.fold(
        v, span<const std::optional<constant_type>>(w_.partial_constants_.data(), w_.partial_constants_.size()));
  }

  MIDEND_ALWAYS_INLINED constexpr element transfer(value_id v, const operation_info& info, bool is_first,
                                                   operand_traits& of_operands) {
    if constexpr (std::is_trivially_default_constructible_v<element>) {
      element args[3]; // only the elements that are read are set
      return transfer(v, info, is_first, of_operands, args);
    } else {
      element args[3]{domain_.bottom(), domain_.bottom(), domain_.bottom()};
      return transfer(v, info, is_first, of_operands, args);
    }
  }

  MIDEND_ALWAYS_INLINED constexpr element transfer(value_id v, const operation_info& info, bool is_first,
                                                   operand_traits& of_operands, element (&args)[3]) {
    std::size_t count = 0;
    const std::size_t wanted = arity(info.code);
    const bool is_resolved = has(v, trait::resolved);
    for_each_id(ir_.operands(v), [&](value_id operand) {
      if (count != wanted) {
        note_operand(operand, v, is_first, of_operands);
        args[count] = is_resolved && is_undefined(operand) ? domain_.top(ir_.operation(operand).width) : fact(operand);
        if constexpr (!reads_any_width<D>) {
          if (const auto i = static_cast<unsigned>(count); !reads_whole(info.code, i)) {
            args[i] = read_as(domain_, read_width(info), args[i], ir_.operation(operand).width);
          }
        }
        ++count;
      }
    });
    MIDEND_ASSERT(count == wanted, "as many operands as the operation needs", v, count);
    return domain_.transfer(info, span<const element>(args, count));
  }

  /// Evaluates an operation that only the IR can compute, from constants; or from some constants, if the IR can do
  /// that. An operand without a value does not mean that there is no result: the operation may not need it.
  constexpr element fold(value_id v, bool is_first, operand_traits& of_operands) {
    if (const std::optional<constant_type> literal = ir_.constant(v)) {
      return constant_or_promised(ir_, domain_, v, literal);
    }
    bool waits = false;
    if constexpr (has_partial_fold<IR>) {
      w_.partial_constants_.clear();
      for_each_id(ir_.operands(v), [&](value_id operand) {
        note_operand(operand, v, is_first, of_operands);
        waits = waits || is_unknown(operand);
        w_.partial_constants_.push_back(is_unknown(operand) ? std::nullopt : domain_.as_constant(fact(operand)));
      });
      return waits && !has(v, trait::resolved) ? domain_.bottom() : constant_or_promised(ir_, domain_, v, fold_some(v));
    } else {
      bool varies = false;
      w_.constants_.clear();
      for_each_id(ir_.operands(v), [&](value_id operand) {
        note_operand(operand, v, is_first, of_operands);
        if (is_unknown(operand)) {
          waits = true;
        } else if (const std::optional<constant_type> c = domain_.as_constant(fact(operand))) {
          w_.constants_.push_back(*c);
        } else {
          varies = true;
        }
      });
      if (waits && !has(v, trait::resolved)) {
        return domain_.bottom();
      }
      return constant_or_promised(
          ir_, domain_, v,
          waits || varies ? std::nullopt
                          : ir_.fold(v, span<const constant_type>(w_.constants_.data(), w_.constants_.size())));
    }
  }

  /// The fact of a copy after a branch: that of the original, refined by the comparison. Bottom as long as the other
  /// side of the comparison has no value.
  constexpr element sharpened(const branch_fact<constant_type>& implied) {
    element subject = fact(implied.subject);
    element other = implied.constant ? domain_.constant(implied.width, *implied.constant) : fact(implied.other);
    if (is_bottom(domain_, subject) || is_bottom(domain_, other)) {
      return domain_.bottom();
    }
    if constexpr (has_assume<D>) {
      domain_.assume(implied.code, implied.width, subject, other);
    }
    return subject;
  }

  // ---- Undefined values, and operations that have no result so far.

  /// A copy of `undef` is `undef`. Any other operation on `undef` waits until its other operands have settled; so does
  /// an operation that only the IR can compute. Known operations whose operands have no value have none either.
  constexpr void wait_or_pass_on_undef(value_id v) {
    const operation code = ir_.operation(v).code;
    bool reads_undefined = false;
    for_each_id(ir_.operands(v), [&](value_id operand) { reads_undefined = reads_undefined || is_undefined(operand); });
    if (code == operation::copy && reads_undefined) {
      if (!out_.test(out_.undefined_, v)) {
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
    if (!is_unknown(v) || has(v, trait::resolved)) {
      return false;
    }
    add_traits(v, is(trait::resolved));
    w_.pending_.insert(order_.position(v));
    return true;
  }

  constexpr bool resolve_branch(node_id n) {
    if (!is_unknown(ir_.condition(n)) || options_.branch_on_undefined == undef_branch::none) {
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

  // ---- Narrowing: regains precision that widening lost.

  /// Recomputes facts that follow from widened ones, once, in the order of visits, from a solution that widening has
  /// made larger than the least one. Facts that follow from facts of all runs hold on all runs, so every step is sound
  /// and one can stop after any. Nodes and edges stay executable.
  ///
  /// Phis join `arriving_`. Edges that lead back are read first, so when a node is visited, all edges into it have
  /// contributed.
  constexpr void narrow() {
    if constexpr (!is_plain<element> || alignof(element) > arena::alignment) {
      w_.arriving_.stretch(order_.num_values(), domain_.bottom());
      arriving_ = w_.arriving_.data();
    } else if (arriving_ == nullptr) {
      arriving_ = w_.memory_.template array<element>(order_.num_values());
    }
    for (const node_id n : order_.postorder()) {
      for_each_phi(ir_, n, [this](value_id phi) { arriving_[phi] = domain_.bottom(); });
    }
    for (const node_id n : order_.postorder()) {
      for_each_taken_edge(n, [this](edge_id e, bool leads_back) {
        if (leads_back) {
          join_arriving(e);
        }
      });
    }
    for (std::uint32_t position = 0; position != order_.num_positions(); ++position) {
      const std::uint32_t item = order_.item(position);
      if (order_.is_end(item)) {
        for_each_taken_edge(order_.node_of_end(item), [this](edge_id e, bool leads_back) {
          if (!leads_back) {
            join_arriving(e);
          }
        });
      } else if (may_narrow(item) && out_.numbers_.data()[item] != 0 && !domain_.as_constant(fact(item))) {
        lower(item, ir_.is_phi(item) ? arriving_[item] : evaluate_again(item));
      }
    }
  }

  /// The executable edges from `n`. An edge leads back if its target comes no later.
  template <class Visit> constexpr void for_each_taken_edge(node_id n, Visit visit) {
    for_each_id(ir_.graph().out_edges(n), [&](edge_id e) {
      if (out_.test(out_.executable_edges_, e)) {
        const auto target = static_cast<node_id>(ir_.graph().edge_target(e));
        visit(e, order_.first_position(target) <= order_.first_position(n));
      }
    });
  }

  constexpr void join_arriving(edge_id e) {
    for_each_phi(ir_, static_cast<node_id>(ir_.graph().edge_target(e)), [&](value_id phi) {
      const auto input = may_narrow(phi) ? static_cast<value_id>(ir_.phi_input(phi, e)) : no_value;
      if (input != no_value) {
        domain_.join(arriving_[phi], fact(input));
      }
    });
  }

  constexpr void lower(value_id v, const element& found) {
    if (!is_bottom(domain_, found) && less_or_equal(domain_, found, fact(v))) {
      fact(v) = found;
    }
  }

  // ---- Finish: executed values that still have no value are reported as top.

  constexpr void finish() {
    for (value_id v = 0; has_undefined_ && v != order_.num_values(); ++v) {
      if (!out_.test(out_.undefined_, v)) {
        continue;
      }
      if (is_unknown(v)) {
        fact(v) = domain_.top(ir_.operation(v).width);
      } else {
        out_.reset(out_.undefined_, v); // got a value after it was marked
      }
    }
    for (const node_id n : order_.postorder()) {
      if (!has_unknown_ || !out_.test(out_.executable_nodes_, n)) {
        continue;
      }
      for (std::uint32_t position = order_.first_position(n); position != order_.last_position(n); ++position) {
        const value_id v = order_.item(position);
        if (is_unknown(v)) {
          fact(v) = domain_.top(ir_.operation(v).width);
          out_.set(out_.without_value_, v);
        }
      }
    }
  }

  // ---- Shorthands.

  constexpr std::size_t num_nodes() const { return static_cast<std::size_t>(ir_.graph().num_nodes()); }

  constexpr element& fact(value_id v) { return out_.facts_.data()[v]; }

  constexpr bool is_unknown(value_id v) { return is_bottom(domain_, fact(v)); }

  constexpr bool is_undefined(value_id v) { return out_.test(out_.undefined_, v) && is_unknown(v); }

  constexpr void mark_undefined(value_id v) {
    has_undefined_ = true;
    out_.set(out_.undefined_, v);
  }

  const IR& ir_;
  const D& domain_;
  const sccp_options& options_;
  sccp_workspace<D>& w_;
  ssa_order& order_;
  sccp_result<D>& out_;
  std::uint32_t* end_visits_ = nullptr; ///< by node
  std::uint8_t* traits_ = nullptr;      ///< by value: bits of `trait`
  element* arriving_ = nullptr;         ///< by phi: the join of its inputs, while narrowing
  bool has_unknown_ = false;            ///< a value that is executed may have no value
  bool has_undefined_ = false;          ///< a value was marked as undefined
  [[no_unique_address]] Congruence congruence_;
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
