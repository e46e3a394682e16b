/// `value_numbering`: finds equal values, constants and executed nodes together.
///
/// Three analyses share one fixpoint, because each needs the others' results first. All start from the best case,
/// "nothing is executed, no value is known, all values are equal", and give up only what is refuted:
///
///      facts ───── x - y is 0 as long as x and y may be equal ──── classes
///        │                                                            │
///        └── a branch on a constant     phis compare and join over ───┘
///            takes only one edge        executable edges only
///                       └──── executable nodes and edges ────┘
///
/// Facts and edges are those of `sccp`, by its solver. At its fixpoint, the partition of the values is refined; if
/// values turn out to differ, facts that relied on them rise, and so on until neither changes.
#pragma once

#include "midend/config.hpp"
#include "midend/dataflow/detail/pending_set.hpp"
#include "midend/dataflow/domains/flat_domain.hpp"
#include "midend/dataflow/value_domain.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ssa/detail/branch_congruence.hpp"
#include "midend/ssa/detail/congruence_classes.hpp"
#include "midend/ssa/detail/congruence_rules.hpp"
#include "midend/ssa/detail/found_nodes.hpp"
#include "midend/ssa/detail/number_classes.hpp"
#include "midend/ssa/detail/ssa_order.hpp"
#include "midend/ssa/sccp.hpp"
#include "midend/ssa/value_numbering_result.hpp"
#include "midend/support/bit_row.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/sort.hpp"
#include "midend/support/span.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A value with the key that tells it apart from others of its class.
struct congruence_record {
  std::uint32_t group; ///< by which records are sorted first
  std::uint32_t key;
  value_id value;

  constexpr std::uint64_t order() const { return std::uint64_t{group} << 32 | key; }

  friend constexpr bool operator<(const congruence_record& a, const congruence_record& b) {
    return a.order() != b.order() ? a.order() < b.order() : a.value < b.value;
  }

  friend constexpr bool operator<=(const congruence_record& a, const congruence_record& b) { return !(b < a); }
};

} // namespace detail

/// Memory of `value_numbering`, reusable for program after program.
template <value_domain D> class value_numbering_workspace {
  template <class IR, class Domain> friend class detail::congruence_solver;

  sccp_workspace<D> facts_;
  detail::found_nodes found_;
  detail::congruence_classes classes_;
  bit_row alone_;                         ///< by value: never equal to another one
  bit_row unequal_operands_;              ///< by value: facts say that its operands are not equal
  bit_row relied_;                        ///< by value: its fact relies on equal operands
  detail::pending_set doubtful_;          ///< positions of values whose operands facts may tell apart
  flat_array<std::uint32_t> batch_;       ///< by value: the last batch with it
  flat_array<std::uint32_t> mark_;        ///< by value: the last walk that met it
  flat_array<std::uint32_t> pending_;     ///< classes
  flat_array<std::uint32_t> undescribed_; ///< classes of operations whose description has changed
  flat_array<value_id> visited_;          ///< by `sccp`, since the last refinement
  flat_array<edge_id> new_edges_;         ///< since the last refinement
  flat_array<value_id> moving_;           ///< values to be put into classes
  flat_array<value_id> entering_;         ///< values to be put into classes for the first time
  flat_array<std::uint64_t> order_;       ///< of values to be put into classes
  flat_array<value_id> changed_;
  flat_array<value_id> affected_; ///< operations that read something changed
  flat_array<detail::congruence_record> phis_;
  flat_array<detail::congruence_record> records_;
  flat_array<detail::congruence_record> checks_; ///< passed values, and which operand may differ now
  flat_array<value_id> revisits_;                ///< values whose operands may no longer be equal
  flat_array<std::uint32_t> fresh_;              ///< new classes for the phis of a node, one a type
  flat_array<value_id> fresh_phis_;              ///< in new classes, node by node
  flat_array<std::uint32_t> numbers_;            ///< by class: in the result
  flat_array<std::uint32_t> description_;
  detail::hash_map<std::uint64_t> constants_;  ///< classes by constant
  detail::hash_map<std::uint64_t> operations_; ///< classes by what they compute
  detail::hash_map<std::uint64_t> groups_;     ///< of affected operations
};

namespace detail {

template <class IR, class D> class congruence_reference;

/// The partition. A *passed* value always equals one of its operands or inputs, which it passes on: a copy, or a phi
/// with equal inputs. Such values form trees; a *root* is a value that is not passed. Roots are in lists by class, and
/// a passed value hangs on its root.
///
/// Between two refinements the partition is *stable*: operations of a class agree in the classes of their operands,
/// phis of a class in those of their inputs for each executable edge, passed values in the classes of what they pass
/// on. Each step below keeps it stable, and refutes only equalities that contradict a stable partition, which equal
/// values never do. So it ends at the coarsest one, whatever the order.
template <class IR, class D> class congruence_solver {
public:
  using workspace = value_numbering_workspace<D>;
  using role = congruence_role;
  using constant_type = domain_constant<D>;

  constexpr congruence_solver(const IR& ir, const D& domain, workspace& w, value_numbering_result<D>& out)
      : ir_(ir), domain_(domain), w_(w), out_(out) {}

  /// Memory for a view with copies.
  static constexpr auto& branches(workspace& w) {
    return sccp_solver<IR, D, congruence_reference<IR, D>>::branches(w.facts_);
  }

  /// The result covers the first `num_values` values; the others are copies after branches.
  constexpr void run(std::size_t num_values, sccp_options options) {
    options.undefined = undef_policy::top;
    sccp_solver<IR, D, congruence_reference<IR, D>>(ir_, domain_, options, w_.facts_, out_.facts_,
                                                    congruence_reference<IR, D>(*this))
        .run(num_values);
    number_classes(num_values, w_.classes_, w_.found_, *positions_, w_.changed_, w_.numbers_,
                   {out_.class_, out_.starts_, out_.members_, out_.without_value_});
  }

  // ---- Calls and questions of the solver of facts.

  constexpr void start(const ssa_order& order, const ssa_uses& uses, pending_set& pending,
                       const sccp_result<D>& facts) {
    positions_ = &order;
    uses_ = &uses;
    revisit_ = &pending;
    facts_ = &facts;
    const std::size_t count = order.num_values();
    w_.classes_.start(count);
    w_.alone_.resize(count);
    w_.alone_.reset();
    w_.unequal_operands_.resize(count);
    w_.unequal_operands_.reset();
    w_.relied_.resize(count);
    w_.relied_.reset();
    w_.doubtful_.assign(order.num_positions(), false);
    w_.batch_.assign(count, 0);
    w_.mark_.assign(count, 0);
    w_.pending_.clear();
    w_.undescribed_.clear();
    w_.visited_.clear();
    w_.new_edges_.clear();
    w_.checks_.clear();
    w_.revisits_.clear();
    w_.constants_.clear(32);
    w_.operations_.clear(count);
    out_.counters_ = {};
    w_.found_.start(ir_, count);
    for (value_id v = 0; v != count; ++v) {
      if (order.position(v) == ssa_order::none && w_.found_.homes()[v] == no_node) {
        place_outside(v);
      }
    }
  }

  constexpr void on_node(node_id n) { w_.found_.enter(n); }

  constexpr void on_edge(edge_id e) { w_.new_edges_.push_back(e); }

  constexpr void on_visit(value_id v) {
    if (has_placed_) {
      w_.visited_.push_back(v);
    }
  }

  /// The fact of `v` if its two operands may still be equal and the result for equal ones is known.
  constexpr std::optional<element_of<D>> fact_of_equal_operands(value_id v, const operation_info& info) {
    return follows_from_equal_operands(info) ? fact_if_equal(v, info) : std::nullopt;
  }

  /// Puts changed values into classes until the partition is stable. Returns whether facts have to be computed again.
  ///
  /// Values that leave a class go first; values that enter the partition follow, with the edges that have become
  /// executable. So both find the classes of their operands up to date.
  constexpr bool refine() {
    if (refute_by_facts()) {
      return true;
    }
    ++out_.counters_.refinements;
    if (has_placed_) {
      collect_changes();
      settle();
      compare_new_edges();
      ++batch_;
      w_.moving_.clear();
      for (const value_id v : w_.entering_) {
        add_moving(v);
      }
      place();
      compare_along_new_edges();
    } else {
      compare_new_edges();
      place_all();
    }
    w_.new_edges_.clear();
    tell_users_of_pending();
    collect_differing();
    settle();
    return revisit();
  }

private:
  static constexpr std::uint32_t key_of_none = 0xffff'ffff;      ///< of an input that has no value so far
  static constexpr std::uint32_t key_of_undefined = 0x8000'0000; ///< plus the phi: unlike all other keys
  static constexpr std::uint32_t key_of_absent = 0x8000'0000;    ///< plus the operand

  // ---- Start.

  /// A literal, a parameter, or another value in no node.
  constexpr void place_outside(value_id v) {
    if (const std::optional<constant_type> c = constant(v); c && !is_undefined_literal(ir_, v)) {
      w_.classes_.attach(v, role::constant, class_of_constant(v, *c));
    } else {
      w_.alone_.set(v);
      w_.classes_.attach_alone(v);
    }
  }

  // ---- What has changed.

  /// Finds a value with one constant operand and one that is not, so they are not equal. Runs before anything is put
  /// into a class. Otherwise x - y would join the class of the constant 0, and leave it when y turns out to be 0 and x
  /// not.
  ///
  /// Handles one such value at a time, the first in the order of visits: operands of the others may be constant only
  /// because they follow from it. If two depend on each other, either could be given up, so the order decides.
  constexpr bool refute_by_facts() {
    const auto end = static_cast<std::uint32_t>(positions_->num_positions());
    for (;; ++first_doubtful_) {
      first_doubtful_ = w_.doubtful_.find(first_doubtful_, end);
      if (first_doubtful_ == pending_set::none) {
        return false;
      }
      w_.doubtful_.erase(first_doubtful_);
      const value_id v = positions_->item(first_doubtful_);
      const auto [a, b, c] = operands_of_known(ir_, v, ir_.operation(v).code);
      if (has_value(a) && has_value(b) && constant(a).has_value() != constant(b).has_value()) {
        w_.unequal_operands_.set(v);
        revisit_->insert(first_doubtful_);
        return true;
      }
    }
  }

  /// The fact of `v` for equal operands. If only one operand is constant, `v` keeps its fact: either the other becomes
  /// constant, too, or `refute_by_facts` sees it. If the constant is a literal, the operands can never be equal, so
  /// users must not wait for the result. Not inlined, because few operations get here.
  MIDEND_SELDOM_CALLED constexpr std::optional<element_of<D>> fact_if_equal(value_id v, const operation_info& info) {
    if (w_.unequal_operands_.test(v)) {
      return std::nullopt;
    }
    const std::uint32_t position = positions_->position(v);
    w_.doubtful_.insert(position);
    first_doubtful_ = position < first_doubtful_ ? position : first_doubtful_;
    const auto [a, b, c] = operands_of_known(ir_, v, info.code);
    if (is_undefined_literal(ir_, a) || is_undefined_literal(ir_, b) || !has_value(a) || !has_value(b) ||
        !may_be_equal(a, b)) {
      return std::nullopt;
    }
    const bool a_is_constant = constant(a).has_value();
    const bool b_is_constant = constant(b).has_value();
    if (a_is_constant != b_is_constant) {
      return ir_.constant(a) || ir_.constant(b) ? std::nullopt : std::optional(facts_->fact(v));
    }
    if (a_is_constant) {
      return std::nullopt;
    }
    w_.relied_.set(v);
    return constant_for_equal_operands(info);
  }

  constexpr std::optional<element_of<D>>
  constant_for_equal_operands([[maybe_unused]] const operation_info& info) const {
    if constexpr (std::same_as<constant_type, std::uint64_t>) {
      return domain_.constant(info.width, *result_for_equal_operands(info.code));
    } else {
      return std::nullopt;
    }
  }

  static constexpr bool follows_from_equal_operands([[maybe_unused]] const operation_info& info) {
    if constexpr (std::same_as<constant_type, std::uint64_t>) {
      return result_for_equal_operands(info.code).has_value();
    } else {
      return false;
    }
  }

  /// Collects the values that enter the partition, and those that are no longer constant with all that pass them on.
  constexpr void collect_changes() {
    ++batch_;
    ++pass_;
    w_.moving_.clear();
    w_.entering_.clear();
    for (const value_id v : w_.visited_) {
      if (w_.mark_[v] == pass_ || !has_value(v)) {
        continue;
      }
      w_.mark_[v] = pass_;
      if (w_.classes_.role(v) == role::absent) {
        w_.entering_.push_back(v);
      } else if (w_.classes_.role(v) == role::constant && !constant(v)) {
        add_moving(v);
      }
    }
    w_.visited_.clear();
    follow_passed();
  }

  constexpr void add_moving(value_id v) {
    if (w_.batch_[v] != batch_) {
      w_.batch_[v] = batch_;
      w_.moving_.push_back(v);
    }
  }

  /// Also moves their copies: operations that pass on a moving value, and phis along edges that have been judged (see
  /// `input_passed_by`). Along other edges, phis are compared after the moving values have arrived.
  constexpr void follow_passed() {
    for (std::size_t i = 0; i != w_.moving_.size(); ++i) {
      for (const ssa_use use : uses_->of(w_.moving_[i])) {
        if (!positions_->is_end(use.item) && w_.classes_.role(use.item) == role::passed &&
            (use.edge == no_edge ? !still_passes(use.item, w_.moving_[i])
                                 : is_early(use.edge) || !arrives_early(use.item))) {
          add_moving(use.item);
        }
      }
    }
  }

  /// Whether an operation still passes on the value of its class, while `moving` leaves. A select that was decided so
  /// far may choose between equal values. If it moved, it would be split from its equals, although it comes back to its
  /// class.
  constexpr bool still_passes(value_id v, value_id moving) const {
    if (class_of(v) == class_of(moving)) {
      return false;
    }
    const value_id operand = operand_passed_by(v);
    return operand != no_value && is_placed(operand) && class_of(operand) == class_of(v);
  }

  /// Moves the values, then those that differ because of that, until none is left.
  constexpr void settle() {
    while (!w_.moving_.empty()) {
      place();
      tell_users_of_pending();
      collect_differing();
    }
  }

  /// A passed value whose inputs differ gets its own class. Values that pass it on move, too.
  constexpr void collect_differing() {
    ++batch_;
    w_.moving_.clear();
    for (const congruence_record& check : w_.checks_) {
      const value_id v = check.value;
      if (w_.classes_.role(v) != role::passed || w_.batch_[v] == batch_) {
        continue;
      }
      if (ir_.is_phi(v)) {
        if (check.key == no_value ? !has_equal_inputs(v) : is_unlike(check.key, v)) {
          add_moving(v);
          w_.classes_.stop_passing(v);
        }
      } else if (const value_id operand = operand_passed_by(v); operand == no_value) {
        add_moving(v);
        w_.classes_.stop_passing(v);
      } else if (class_of(operand) != class_of(v)) {
        add_moving(v);
      }
    }
    w_.checks_.clear();
    follow_passed();
  }

  constexpr bool has_equal_inputs(value_id phi) const {
    bool are_equal = true;
    w_.found_.for_each_compared_edge(w_.found_.home(phi),
                                     [&](edge_id e) { are_equal = are_equal && !is_unlike(input(phi, e), phi); });
    return are_equal;
  }

  constexpr bool is_unlike(value_id operand, value_id phi) const {
    return operand != no_value &&
           (is_undefined_literal(ir_, operand) || (is_placed(operand) && class_of(operand) != class_of(phi)));
  }

  /// Queues values whose facts rely on two operands that are no longer equal.
  constexpr bool revisit() {
    bool any = false;
    for (const value_id v : w_.revisits_) {
      const auto [a, b, c] = operands_of_known(ir_, v, ir_.operation(v).code);
      if (w_.relied_.test(v) && !may_be_equal(a, b)) {
        w_.relied_.reset(v);
        revisit_->insert(positions_->position(v));
        any = true;
      }
    }
    w_.revisits_.clear();
    return any;
  }

  // ---- Placement.

  /// Puts the moving values into classes, in the order in which control found them. So operands come first, and so do
  /// the inputs of phis along edges from nodes that were found earlier.
  constexpr void place() {
    describe_classes();
    for (const value_id v : w_.moving_) {
      w_.classes_.detach(v);
    }
    order_moving();
    w_.fresh_phis_.clear();
    node_of_fresh_ = no_node;
    for (const std::uint64_t key : w_.order_) {
      place_value(positions_->item(static_cast<std::uint32_t>(key)));
    }
    split_fresh_phis();
    tell_users(w_.moving_, true);
  }

  /// Places all values for the first time: none has to leave a class, and all users are in this batch.
  constexpr void place_all() {
    has_placed_ = true;
    ++batch_;
    w_.fresh_phis_.clear();
    node_of_fresh_ = no_node;
    for (const node_id n : w_.found_.nodes()) {
      const std::uint32_t end = positions_->last_position(n);
      for (std::uint32_t position = positions_->first_position(n); position != end; ++position) {
        if (const value_id v = positions_->item(position); has_value(v)) {
          place_value(v);
        }
      }
    }
    split_fresh_phis();
  }

  constexpr void place_value(value_id v) {
    ++out_.counters_.placements;
    note_equal_operands(v);
    MIDEND_ASSERT(w_.classes_.first_passed(v) == no_value, "what passes a value on moves with it", v);
    if (const std::optional<constant_type> c = constant(v)) {
      w_.classes_.attach(v, role::constant, class_of_constant(v, *c));
    } else if (ir_.is_phi(v)) {
      if (node_of_fresh_ != w_.found_.home(v)) {
        node_of_fresh_ = w_.found_.home(v);
        w_.fresh_.clear();
      }
      place_phi(v);
    } else {
      place_operation(v);
    }
  }

  /// Sorts the moving values; or walks over all values if many move, which is faster.
  constexpr void order_moving() {
    w_.order_.clear();
    if (w_.moving_.size() < positions_->num_positions() / 8) {
      for (const value_id v : w_.moving_) {
        w_.order_.push_back(std::uint64_t{w_.found_.time_of(w_.found_.home(v))} << 32 | positions_->position(v));
      }
      heap_sort(w_.order_.data(), w_.order_.size());
      return;
    }
    for (const node_id n : w_.found_.nodes()) {
      const std::uint32_t end = positions_->last_position(n);
      for (std::uint32_t position = positions_->first_position(n); position != end; ++position) {
        if (w_.batch_[positions_->item(position)] == batch_) {
          w_.order_.push_back(position);
        }
      }
    }
    MIDEND_ASSERT(w_.order_.size() == w_.moving_.size(), "each moving value once", w_.order_.size());
  }

  constexpr void place_phi(value_id phi) {
    const value_id passed = w_.classes_.role(phi) == role::own ? no_value : input_passed_by(phi);
    if (passed != no_value) {
      w_.classes_.attach_passed(phi, passed);
      w_.checks_.push_back({0, no_value, phi}); // inputs along edges that lead back
      return;
    }
    w_.fresh_phis_.push_back(phi);
    for (const std::uint32_t c : w_.fresh_) {
      if (same_type(ir_, phi, w_.classes_[c].first)) {
        w_.classes_.attach(phi, role::own, c);
        return;
      }
    }
    w_.fresh_.push_back(w_.classes_.new_class());
    w_.classes_.attach(phi, role::own, w_.fresh_.back());
  }

  /// The input that a phi always equals, judged by the edges from nodes that were found earlier; by all edges if those
  /// bring no value.
  constexpr value_id input_passed_by(value_id phi) const {
    const node_id home = w_.found_.home(phi);
    const bool judges_early = arrives_early(phi);
    value_id out = no_value;
    bool are_equal = true;
    w_.found_.for_each_compared_edge(home, [&](edge_id e) {
      const value_id v = input(phi, e);
      if ((judges_early && !is_early(e)) || v == no_value) {
        return;
      }
      if (is_undefined_literal(ir_, v)) {
        are_equal = false;
      } else if (is_placed(v)) {
        are_equal = are_equal && (out == no_value || class_of(out) == class_of(v));
        out = out == no_value ? v : out;
      }
    });
    return are_equal && out != no_value && same_type(ir_, phi, out) ? out : no_value;
  }

  /// Whether an early edge, from a node that was found earlier, brings a value.
  constexpr bool arrives_early(value_id phi) const {
    bool arrives = false;
    w_.found_.for_each_compared_edge(w_.found_.home(phi), [&](edge_id e) {
      const value_id v = input(phi, e);
      arrives = arrives || (is_early(e) && v != no_value && is_placed(v));
    });
    return arrives;
  }

  constexpr bool is_early(edge_id e) const {
    return w_.found_.time_of(static_cast<node_id>(ir_.graph().edge_source(e))) <
           w_.found_.time_of(static_cast<node_id>(ir_.graph().edge_target(e)));
  }

  constexpr void place_operation(value_id v) {
    if (w_.alone_.test(v)) {
      w_.classes_.attach_alone(v);
    } else if (is_new(v) && is_opaque(ir_, v)) { // the most frequent reason, so before anything else is asked
      w_.alone_.set(v);
      w_.classes_.attach_alone(v);
    } else {
      place_compared(v, ir_.operation(v));
    }
  }

  /// Whether no class has held `v` because of what it computes.
  constexpr bool is_new(value_id v) const {
    return w_.classes_.role(v) == role::absent || w_.classes_.role(v) == role::constant;
  }

  constexpr void place_compared(value_id v, const operation_info& info) {
    if (is_new(v) && !depends_on_operands_alone(ir_, v, info)) {
      w_.alone_.set(v);
      w_.classes_.attach_alone(v);
      return;
    }
    if (const value_id operand = w_.classes_.role(v) == role::own ? no_value : operand_passed_by(v, info);
        operand != no_value && is_placed(operand)) {
      w_.classes_.attach_passed(v, operand);
      return;
    }
    const std::uint64_t hash = hash_of_operation(v, info);
    const auto fresh = w_.classes_.num_classes();
    const std::uint32_t c = w_.operations_.find_or_insert(hash, fresh, [&](std::uint32_t other) {
      const value_id first = w_.classes_[other].first;
      if (first == no_value || ir_.is_phi(first) || !same_type(ir_, v, first)) {
        return false;
      }
      return compute_the_same(v, first);
    });
    if (c == fresh) {
      w_.classes_.attach_alone(v);
    } else {
      w_.classes_.attach(v, role::own, c);
    }
  }

  constexpr value_id operand_passed_by(value_id v) const { return operand_passed_by(v, ir_.operation(v)); }

  constexpr value_id operand_passed_by(value_id v, const operation_info& info) const {
    return operand_passed_on(
        ir_, v, info,
        [this](value_id a, value_id b) { return is_placed(a) && is_placed(b) && class_of(a) == class_of(b); },
        [this](value_id a) { return constant(a); });
  }

  /// Compares the phis of new classes along all edges at once.
  constexpr void split_fresh_phis() {
    for (std::size_t i = 0; i != w_.fresh_phis_.size();) {
      const node_id home = w_.found_.home(w_.fresh_phis_[i]);
      std::size_t end = i;
      while (end != w_.fresh_phis_.size() && w_.found_.home(w_.fresh_phis_[end]) == home) {
        ++end;
      }
      w_.found_.for_each_compared_edge(home, [&](edge_id e) {
        w_.records_.clear();
        for (std::size_t k = i; k != end; ++k) {
          add_phi_record(w_.fresh_phis_[k], e);
        }
        split();
      });
      i = end;
    }
  }

  constexpr void compare_new_edges() {
    for (const edge_id e : w_.new_edges_) {
      w_.found_.compare_along(e);
    }
  }

  constexpr void compare_along_new_edges() {
    for (const edge_id e : w_.new_edges_) {
      w_.records_.clear();
      for_each_phi(ir_, static_cast<node_id>(ir_.graph().edge_target(e)), [&](value_id phi) {
        if (w_.batch_[phi] == batch_) {
          return; // already compared
        }
        if (w_.classes_.role(phi) == role::own) {
          add_phi_record(phi, e);
        } else if (w_.classes_.role(phi) == role::passed) {
          w_.checks_.push_back({0, input(phi, e), phi});
        }
      });
      split();
    }
  }

  // ---- Refinement.

  constexpr void tell_users_of_pending() {
    while (!w_.pending_.empty()) {
      const std::uint32_t c = w_.pending_.back();
      w_.pending_.pop_back();
      w_.classes_[c].is_pending = false;
      w_.changed_.clear();
      for (value_id r = w_.classes_[c].first; r != no_value; r = w_.classes_.next(r)) {
        w_.changed_.push_back(r);
        for (value_id v = w_.classes_.first_passed(r); v != no_value; v = w_.classes_.next(v)) {
          w_.changed_.push_back(v);
          w_.checks_.push_back({0, no_value, v});
        }
      }
      tell_users(w_.changed_, false);
    }
  }

  /// Compares the users of changed values with the others of their classes. Users of the present batch were compared
  /// when they were placed.
  constexpr void tell_users(const flat_array<value_id>& changed, bool is_placement) {
    ++pass_;
    w_.affected_.clear();
    w_.phis_.clear();
    for (const value_id v : changed) {
      for (const ssa_use use : uses_->of(v)) {
        ++out_.counters_.use_visits;
        const std::uint32_t user = use.item;
        if (positions_->is_end(user) || (is_placement && w_.batch_[user] == batch_)) {
          continue;
        }
        if (use.edge == no_edge || w_.found_.is_compared(use.edge)) {
          tell_user(user, v, use.edge);
        }
      }
    }
    w_.groups_.clear(w_.affected_.size());
    w_.records_.clear();
    for (std::uint32_t i = 0; i != w_.affected_.size(); ++i) {
      w_.records_.push_back({class_of(w_.affected_[i]), group_of_affected(i), w_.affected_[i]});
    }
    split();
    heap_sort(w_.phis_.data(), w_.phis_.size());
    for (std::size_t i = 0; i != w_.phis_.size();) {
      const edge_id e = w_.phis_[i].group;
      w_.records_.clear();
      for (; i != w_.phis_.size() && w_.phis_[i].group == e; ++i) {
        add_phi_record(w_.phis_[i].value, e);
      }
      split();
    }
  }

  constexpr void tell_user(value_id user, value_id operand, edge_id e) {
    note_equal_operands(user);
    switch (w_.classes_.role(user)) {
    case role::own:
      if (e != no_edge) {
        w_.phis_.push_back({e, 0, user});
      } else if (w_.mark_[user] != pass_ && !w_.alone_.test(user)) {
        w_.mark_[user] = pass_;
        if (w_.classes_.is_only_root(user)) {
          note_changed_operands(class_of(user));
          break;
        }
        w_.affected_.push_back(user);
      }
      break;
    case role::passed:
      w_.checks_.push_back({0, operand, user});
      break;
    case role::constant:
    case role::absent:
      break;
    }
  }

  constexpr void note_equal_operands(value_id v) {
    if (w_.relied_.test(v)) {
      w_.revisits_.push_back(v);
    }
  }

  /// The first affected operation of this class that now computes the same.
  constexpr std::uint32_t group_of_affected(std::uint32_t i) {
    const value_id v = w_.affected_[i];
    return w_.groups_.find_or_insert(mix_hash(hash_of_operation(v), class_of(v)), i, [&](std::uint32_t k) {
      const value_id other = w_.affected_[k];
      return class_of(other) == class_of(v) && compute_the_same(v, other);
    });
  }

  constexpr void add_phi_record(value_id phi, edge_id e) {
    if (w_.classes_.is_only_root(phi)) {
      return;
    }
    const value_id v = input(phi, e);
    const std::uint32_t key = v == no_value                  ? key_of_none
                              : is_undefined_literal(ir_, v) ? key_of_undefined | phi
                              : is_placed(v)                 ? class_of(v)
                                                             : key_of_none;
    w_.records_.push_back({class_of(phi), key, phi});
  }

  /// Splits each class by the keys of its values; those without a record stay together. The largest part keeps the
  /// number of the class, so a value that gets another number is in a class of at most half the size (Hopcroft, "An n
  /// log n algorithm for minimizing states in a finite automaton", 1971).
  constexpr void split() {
    heap_sort(w_.records_.data(), w_.records_.size());
    for (std::size_t i = 0; i != w_.records_.size();) {
      std::size_t end = i;
      while (end != w_.records_.size() && w_.records_[end].group == w_.records_[i].group) {
        ++end;
      }
      split_class(w_.records_.data() + i, w_.records_.data() + end);
      i = end;
    }
  }

  constexpr void split_class(const congruence_record* first, const congruence_record* last) {
    const std::uint32_t c = first->group;
    note_changed_operands(c);
    std::uint32_t rest = w_.classes_[c].weight;
    std::uint32_t heaviest = 0;
    const congruence_record* heaviest_part = nullptr;
    for_each_part(first, last, [&](const congruence_record* from, const congruence_record* to) {
      std::uint32_t weight = 0;
      for (const congruence_record* r = from; r != to; ++r) {
        weight += w_.classes_.weight_of(r->value);
      }
      rest -= weight;
      if (weight > heaviest) {
        heaviest = weight;
        heaviest_part = from;
      }
    });
    if (rest == 0 && heaviest == w_.classes_[c].weight) {
      return;
    }
    const bool rest_stays = rest >= heaviest;
    if (!rest_stays && rest != 0) {
      move_rest(c, first, last);
    }
    for_each_part(first, last, [&](const congruence_record* from, const congruence_record* to) {
      if (rest_stays || from != heaviest_part) {
        const std::uint32_t fresh = split_off(c);
        for (const congruence_record* r = from; r != to; ++r) {
          w_.classes_.move_root(r->value, fresh);
        }
      }
    });
  }

  template <class Visit>
  static constexpr void for_each_part(const congruence_record* first, const congruence_record* last, Visit visit) {
    while (first != last) {
      const congruence_record* end = first;
      while (end != last && end->key == first->key) {
        ++end;
      }
      visit(first, end);
      first = end;
    }
  }

  /// Moves the values without a record to a class of their own.
  constexpr void move_rest(std::uint32_t c, const congruence_record* first, const congruence_record* last) {
    ++pass_;
    for (; first != last; ++first) {
      w_.mark_[first->value] = pass_;
    }
    const std::uint32_t fresh = split_off(c);
    for (value_id v = w_.classes_[c].first; v != no_value;) {
      const value_id next = w_.classes_.next(v);
      if (w_.mark_[v] != pass_) {
        w_.classes_.move_root(v, fresh);
      }
      v = next;
    }
  }

  constexpr std::uint32_t split_off(std::uint32_t c) {
    ++out_.counters_.splits;
    const std::uint32_t fresh = w_.classes_.new_class();
    w_.classes_[fresh].is_pending = true;
    w_.pending_.push_back(fresh);
    if (!ir_.is_phi(w_.classes_[c].first)) {
      w_.classes_[fresh].is_undescribed = true;
      w_.undescribed_.push_back(fresh);
    }
    return fresh;
  }

  // ---- The table of operations. An entry whose class now computes something else matches nothing.

  constexpr void note_changed_operands(std::uint32_t c) {
    if (!w_.classes_[c].is_undescribed && !ir_.is_phi(w_.classes_[c].first)) {
      w_.classes_[c].is_undescribed = true;
      w_.undescribed_.push_back(c);
    }
  }

  constexpr void describe_classes() {
    for (const std::uint32_t c : w_.undescribed_) {
      w_.classes_[c].is_undescribed = false;
      if (w_.classes_[c].first != no_value) {
        w_.operations_.find_or_insert(hash_of_operation(w_.classes_[c].first), c,
                                      [c](std::uint32_t other) { return other == c; });
      }
    }
    w_.undescribed_.clear();
  }

  /// An operand without a value equals itself only, so nothing follows for its known readers.
  constexpr auto class_or_operand() const {
    return [this](value_id operand) { return is_placed(operand) ? class_of(operand) : key_of_absent | operand; };
  }

  constexpr std::uint64_t hash_of_operation(value_id v, const operation_info& info) const {
    return detail::hash_of_operation(ir_, v, info, class_or_operand());
  }

  constexpr std::uint64_t hash_of_operation(value_id v) const { return hash_of_operation(v, ir_.operation(v)); }

  constexpr bool compute_the_same(value_id v, value_id w) {
    describe_operation(ir_, v, class_or_operand(), w_.description_);
    std::size_t agreeing = 0;
    bool is_same = true;
    for_each_part_of_operation(ir_, w, ir_.operation(w), class_or_operand(), [&](std::uint32_t part) {
      is_same = is_same && agreeing != w_.description_.size() && w_.description_[agreeing++] == part;
    });
    return is_same && agreeing == w_.description_.size();
  }

  /// The class of this constant with the type of `v`. Reuses a class that all values have left, so that entries for
  /// constants that values take and leave in turn do not pile up.
  constexpr std::uint32_t class_of_constant(value_id v, const constant_type& c) {
    const auto fresh = w_.classes_.num_classes();
    const std::uint32_t found = w_.constants_.find_or_insert(hash_of_constant(c), fresh, [&](std::uint32_t other) {
      const value_id first = w_.classes_[other].first;
      if (first == no_value) {
        return true;
      }
      const std::optional<constant_type> its = constant(first);
      return its && *its == c && same_type(ir_, v, first);
    });
    return found == fresh ? w_.classes_.new_class() : found;
  }

  // ---- Shorthands.

  constexpr bool has_value(value_id v) const { return !is_bottom(domain_, facts_->fact(v)); }

  constexpr bool is_placed(value_id v) const { return w_.classes_.is_placed(v); }

  constexpr std::uint32_t class_of(value_id v) const { return w_.classes_.class_of(v); }

  constexpr bool may_be_equal(value_id a, value_id b) const {
    return a == b || !is_placed(a) || !is_placed(b) || class_of(a) == class_of(b);
  }

  constexpr std::optional<constant_type> constant(value_id v) const {
    const std::optional<constant_type> known = domain_.as_constant(facts_->fact(v));
    return known ? known : ir_.constant(v); // a domain need not know all literals
  }

  constexpr value_id input(value_id phi, edge_id e) const { return static_cast<value_id>(ir_.phi_input(phi, e)); }

  const IR& ir_;
  const D& domain_;
  workspace& w_;
  value_numbering_result<D>& out_;
  const ssa_order* positions_ = nullptr;
  const ssa_uses* uses_ = nullptr;
  pending_set* revisit_ = nullptr;
  const sccp_result<D>* facts_ = nullptr;
  bool has_placed_ = false;                          ///< some values of nodes are in classes
  std::uint32_t first_doubtful_ = pending_set::none; ///< no position before it is doubtful
  node_id node_of_fresh_ = no_node;                  ///< the node whose phis have the classes `fresh_`
  std::uint32_t batch_ = 0;
  std::uint32_t pass_ = 0;
};

/// Forwards to the solver, so that `sccp_solver` can hold its partition by value.
template <class IR, class D> class congruence_reference {
public:
  constexpr explicit congruence_reference(congruence_solver<IR, D>& solver) : solver_(&solver) {}

  constexpr void start(const ssa_order& order, const ssa_uses& uses, pending_set& pending,
                       const sccp_result<D>& facts) const {
    solver_->start(order, uses, pending, facts);
  }

  constexpr void on_node(node_id n) const { solver_->on_node(n); }

  constexpr void on_edge(edge_id e) const { solver_->on_edge(e); }

  constexpr void on_visit(value_id v) const { solver_->on_visit(v); }

  constexpr auto fact_of_equal_operands(value_id v, const operation_info& info) const {
    return solver_->fact_of_equal_operands(v, info);
  }

  constexpr bool refine() const { return solver_->refine(); }

private:
  congruence_solver<IR, D>* solver_;
};

} // namespace detail

/// Which values of `ir` are always equal, what `domain` knows about them, and what is executed. Refills `out`.
/// Allocates nothing once workspace and result have seen a program as large.
///
/// Click, Cooper, "Combining analyses, combining optimizations", TOPLAS 17(2), 1995, over any domain: the least facts
/// and the coarsest partition that agree with each other. So it finds what no order of constant propagation, value
/// numbering and removal of dead code finds, however often they are repeated. Departures: facts are computed by `sccp`,
/// and the partition is refined at each of its fixpoints; values join the partition when control finds them, by hash;
/// the partition also covers values that always equal an operand or input (copies, phis with equal inputs, x + 0, x &
/// x).
///
/// **Equal are**
/// - equal constants of one type (`same_type`);
/// - operations of the vocabulary with equal operands, which may be exchanged where that changes nothing (a + b and
///   b + a, a < b and b > a). Flags are not compared: see `plan_value_numbering`;
/// - operations that are `other` with the same `identity` (cost rung) and equal operands, if the effects rung says that
///   they have no effect;
/// - phis of one node with equal inputs along all executable edges;
/// - a value and the operand or input that it always equals.
///
/// Never equal to another value are parameters, loads, calls, volatile and opaque operations, guarded operations, and
/// readers of the literal `undef`, which is always treated as in `undef_policy::top`.
///
/// The result of x - x, x == x and the like is known whenever the operands are equal, with 64-bit numbers as constants.
/// Unreachable nodes are not executed. Parallel edges are separate; a phi compares its inputs along each.
///
/// Without widening the result does not depend on any order. `sccp` takes O(h (m + u)) time; the partition O(u log u)
/// expected, and time linear in the length of a chain of copies for each copy that turns out to be none. About 80 bytes
/// a value, 8 an edge and 8 a node in addition to those of `sccp`.
template <semantic_ir_argument IR, domain_of_ir_argument<IR> D>
constexpr void value_numbering(const IR& ir, const D& domain, const sccp_options& options,
                               value_numbering_workspace<D>& workspace, value_numbering_result<D>& out) {
  detail::congruence_solver<IR, D>(ir, domain, workspace, out).run(static_cast<std::size_t>(ir.num_values()), options);
}

/// Returns the result, with a workspace of its own.
template <semantic_ir_argument IR, domain_of_ir_argument<IR> D>
constexpr auto value_numbering(const IR& ir, const D& domain, const sccp_options& options = {}) {
  value_numbering_result<D> out;
  value_numbering_workspace<D> workspace;
  value_numbering(ir, domain, options, workspace, out);
  return out;
}

/// Uses the constants of `ir`.
template <semantic_ir_argument IR> constexpr auto value_numbering(const IR& ir) {
  return value_numbering(ir, flat_domain<constant_of<IR>>());
}

/// Also derives facts and classes from branches. Where an edge is taken only if x == y, x and y are equal, and so are
/// values computed from them; after x == 0, x is 0. Works on the view of `sccp_with_branch_facts`, so a value stays in
/// its class, and its readers after the branch may be in another one. Costs as much in addition.
///
/// x == y has to mean that x may be read in place of y, as for numbers. It does not mean that if branches on `undef` or
/// poison do not stop the program.
template <semantic_ir_argument IR, domain_of_ir_argument<IR> D>
  requires has_assume<D>
void value_numbering_with_branch_facts(const IR& ir, const D& domain, const sccp_options& options,
                                       value_numbering_workspace<D>& workspace, value_numbering_result<D>& out) {
  using view = detail::branch_congruence_view<IR>;
  using solver = detail::congruence_solver<view, D>;
  const view with_copies(ir, solver::branches(workspace));
  solver(with_copies, domain, workspace, out).run(static_cast<std::size_t>(ir.num_values()), options);
}

/// Returns the result, with a workspace of its own.
template <semantic_ir_argument IR, domain_of_ir_argument<IR> D>
  requires has_assume<D>
auto value_numbering_with_branch_facts(const IR& ir, const D& domain, const sccp_options& options = {}) {
  value_numbering_result<D> out;
  value_numbering_workspace<D> workspace;
  value_numbering_with_branch_facts(ir, domain, options, workspace, out);
  return out;
}

MIDEND_END_NAMESPACE
