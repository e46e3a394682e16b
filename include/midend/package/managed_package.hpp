/// `managed_package`: a list of optimizations that give orders, and the manager that accepts and carries out orders.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/depth_first_order.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/fixed_operands.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/memory_effects.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/package/package_context.hpp"
#include "midend/package/package_order.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// An IR with an editor that packages can run on. Operations have a meaning, effects and addresses; they can be made,
/// replaced and erased; their users are known.
template <class E>
concept package_editor = operation_editor<E> && semantic_ir<E> && has_64_bit_constants<E> && memory_ir<E> &&
                         places_values<E> && has_users<E> && graph_has_in_edges<E>;

/// A member of a package has a name, for logs.
template <class M>
concept has_member_name = requires {
  { M::name } -> std::convertible_to<const char*>;
};

struct package_options {
  operation_costs costs = {};
  std::uint64_t without = 0;      ///< bit i: orders of member i are refused
  std::size_t steps = 256;        ///< limit on the steps of one walk over memory
  std::uint32_t generations = 16; ///< limit on new operations that replace new operations
  /// Facts about values, by number, that hold on each run of the program as it is. Empty: none are known. A new
  /// operation gets the facts of the one it replaces, or those that `facts_of_result` infers from operands; null infers
  /// nothing.
  span<const number_facts> facts = {};
  number_facts (*facts_of_result)(const operation_info&, span<const number_facts> operands) = nullptr;
  bool regroups_sums = false; ///< reorders sums of sums into sums of multiples if that costs less
  /// Returns true to refuse an order about a value; null refuses nothing.
  bool (*refuses)(value_id, const package_order&) = nullptr;
};

/// One run of a package: the context and the queues.
template <class E, class... Members> class package_manager {
public:
  package_manager(E& editor, const package_options& options, managed_package_workspace& workspace, package_log& log)
      : editor_(editor), options_(options), w_(workspace), context_(editor, options_.costs, options.steps, workspace),
        log_(log) {
    log_.clear();
    nodes_.clear();
    queue_.clear();
    is_queued_.clear();
    generation_.clear();
    fresh_.clear();
    context_.be_told(options.facts, options.facts_of_result, options.regroups_sums);
  }

  /// Visits all nodes, or only the operations of `only`.
  template <class Package> void run(Package& package, node_id only = no_node) {
    const auto visit = [&](value_id v) {
      std::uint32_t member = 0;
      bool done = false;
      ((done = done || offer_to(static_cast<Members&>(package), member++, v)), ...);
      if (!done) {
        finish(v);
      }
    };
    grow(static_cast<std::size_t>(editor_.num_values()));
    depth_first_order(editor_.graph(), w_.searching_, w_.order_);
    for (std::size_t i = w_.order_.postorder().size(); i-- != 0;) {
      const node_id n = w_.order_.postorder()[i];
      if (only != no_node && n != only) { // known for comparison only: never visited, never queued
        detail::for_each_id(editor_.values(n), [&](value_id v) { static_cast<void>(context_.offer(v)); });
        continue;
      }
      nodes_.push_back(n);
      for (value_id v = first_of(n); v != no_value;) {
        const auto next = static_cast<value_id>(editor_.value_after(v));
        visit_with_new(v, visit);
        v = next;
      }
    }
    run_queue(visit);
    if (loads_left_) { // stores that erased loads read may be dead now; last stores first
      for (std::size_t i = nodes_.size(); i-- != 0;) {
        stores_.clear();
        detail::for_each_id(editor_.values(nodes_[i]), [&](value_id v) {
          if (context_.plain_access(v, effect_kind::writes)) {
            stores_.push_back(v);
          }
        });
        for (std::size_t k = stores_.size(); k-- != 0;) {
          visit_with_new(stores_[k], visit);
        }
      }
      run_queue(visit);
    }
    log_.has_equal_apart = context_.has_equal_apart_;
  }

private:
  void grow(std::size_t count) {
    while (log_.visits.size() < count) {
      log_.visits.push_back(0);
      is_queued_.push_back(0);
      generation_.push_back(0);
    }
  }

  value_id first_of(node_id n) const {
    for (const auto v : editor_.values(n)) {
      return static_cast<value_id>(v);
    }
    return no_value;
  }

  template <class Visit> void visit_with_new(value_id v, const Visit& visit) {
    count_visit(v);
    visit(v);
    for (std::size_t i = 0; i != fresh_.size(); ++i) { // new operations, and those made in their place
      const value_id w = fresh_[i];
      if (context_.home(w) != no_node) {
        count_visit(w);
        visit(w);
      }
    }
    fresh_.clear();
  }

  void count_visit(value_id v) {
    log_.num_operations += log_.visits[v] == 0 ? 1u : 0u;
    ++log_.visits[v];
  }

  template <class Visit> void run_queue(const Visit& visit) {
    for (std::size_t i = 0; i != queue_.size(); ++i) {
      const value_id v = queue_[i];
      is_queued_[v] = 0;
      if (context_.home(v) != no_node) {
        visit_with_new(v, visit);
      }
    }
    queue_.clear();
  }

  /// Queues `v` for another visit, unless its first visit is still to come.
  void queue(value_id v) {
    if (v < is_queued_.size() && log_.visits[v] != 0 && is_queued_[v] == 0 && context_.home(v) != no_node) {
      is_queued_[v] = 1;
      queue_.push_back(v);
    }
  }

  /// Called if no optimization has an order for `v`: offers `v` as an equal operation for later ones.
  void finish(value_id v) {
    if (context_.home(v) != no_node && context_.is_reachable(context_.home(v))) {
      queue(context_.offer(v));
    }
  }

  /// Whether an order of this member was carried out; `v` is erased then.
  template <class Member> bool offer_to(Member& member, std::uint32_t number, value_id v) {
    const package_order order = member.visit(context_, v);
    if (order.kind == order_kind::none) {
      return false;
    }
    package_event event{number, order.kind, package_veto::none, v, no_value, order.why, order.regroups};
    if (number < 64 && (options_.without >> number & 1) != 0) {
      event.veto = package_veto::switched_off;
    } else if (options_.refuses != nullptr && options_.refuses(v, order)) {
      event.veto = package_veto::caller;
    } else {
      event.veto = perform(v, order, event.by);
    }
    log_.events.push_back(event);
    return event.veto == package_veto::none;
  }

  package_veto perform(value_id v, const package_order& order, value_id& by) {
    const bool has_readers = context_.has_users(v);
    if (order.kind == order_kind::erase) {
      // A redundant store may be erased though it has an effect: its member vouches for that.
      const bool is_store = context_.plain_access(v, effect_kind::writes).has_value();
      if (has_readers || (!editor_.is_phi(v) && !is_removable(editor_, v) && !is_store)) {
        return package_veto::not_removable;
      }
      erase(v);
      return package_veto::none;
    }
    if ((!editor_.is_phi(v) && !is_removable(editor_, v)) || !may_replace(v)) {
      return package_veto::not_removable;
    }
    package_veto veto = package_veto::none;
    if (order.kind == order_kind::constant) {
      context_.tell_readers(v);
      by = static_cast<value_id>(editor_.make_constant(v, order.constant));
    } else if (order.kind == order_kind::existing) {
      by = order.by;
      MIDEND_ASSERT(by < static_cast<value_id>(editor_.num_values()), "an order names a value of the program", by);
      veto = why_not_existing(v, by);
    } else {
      veto = make(v, order, by);
    }
    if (veto != package_veto::none) {
      by = no_value;
      return veto;
    }
    if (order.drops_promises_of != no_value) {
      drop_promises(order.drops_promises_of);
    }
    if (order.kind == order_kind::existing) {
      context_.gets_readers_of(by, v);
    }
    users_.clear();
    detail::for_each_id(editor_.users(v), [&](value_id user) { users_.push_back(user); });
    editor_.replace_uses(v, by);
    for (const value_id user : users_) {
      queue(user);
    }
    erase(v);
    return package_veto::none;
  }

  /// Whether all readers of `v` may read another value.
  bool may_replace([[maybe_unused]] value_id v) const {
    bool may = true;
    if constexpr (has_may_replace_operand<E>) {
      detail::for_each_id(editor_.users(v), [&](value_id user) {
        std::size_t i = 0;
        if (!editor_.is_phi(user)) {
          detail::for_each_id(editor_.operands(user), [&](value_id x) {
            may = may && (x != v || editor_.may_replace_operand(user, i));
            ++i;
          });
        }
      });
    }
    return may;
  }

  package_veto why_not_existing(value_id v, value_id by) const {
    if (by == v || !context_.precedes(by, v)) {
      return package_veto::not_computed;
    }
    if (context_.is_undefined(by)) {
      return package_veto::undefined;
    }
    return same_type(editor_, by, v) ? package_veto::none : package_veto::wrong_type;
  }

  void erase(value_id v) {
    loads_left_ = loads_left_ || (!editor_.is_phi(v) && editor_.effect(v) == effect_kind::reads);
    operands_.clear();
    detail::for_each_id(editor_.operands(v), [&](value_id x) {
      if (x != no_value) {
        operands_.push_back(x);
      }
    });
    context_.leaves(v, static_cast<value_id>(editor_.value_after(v)));
    editor_.erase_value(v);
    for (const value_id x : operands_) {
      if (context_.home(x) != no_node && !context_.has_users(x)) {
        queue(x);
      }
    }
  }

  /// Checks that an order names existing values, and that each ordered operation reads earlier ones only.
  void check_operands([[maybe_unused]] const package_order& order) const {
    for (std::size_t i = 0; i != order.num_operations; ++i) {
      for (std::size_t k = 0; k != order.operations[i].num_operands; ++k) {
        [[maybe_unused]] const order_operand& x = order.operations[i].operands[k];
        MIDEND_ASSERT(x.what != order_operand::kind::value || x.index < static_cast<value_id>(editor_.num_values()),
                      "an order names a value of the program", x.index);
        MIDEND_ASSERT(x.what != order_operand::kind::made || x.index < i, "made before it is read", x.index);
      }
    }
  }

  /// Makes the operations of a tree before `v`, or none.
  package_veto make(value_id v, const package_order& order, value_id& result) {
    if (editor_.is_phi(v) || order.num_operations == 0) {
      return package_veto::wrong_type;
    }
    check_operands(order);
    if (generation_[v] >= options_.generations) {
      return package_veto::too_many;
    }
    context_.find_existing(v, order, results_);
    for (std::size_t i = 0; i != order.num_operations; ++i) {
      value_id& u = results_[i];
      u = u != no_value && is_number(u) ? u : no_value;
    }
    const std::uint32_t new_cost = context_.new_cost(order, results_);
    const bool needs_dying = new_cost > context_.cost_of(v);
    if (needs_dying && new_cost > context_.cost_of(v) + context_.cost_of_dying(v, order) + order.saves) {
      return package_veto::no_gain;
    }
    if (reads_undefined_twice(order)) {
      return package_veto::undefined;
    }
    // A tree that replaces two operations runs where one of them ran. It may trap only if both may.
    const bool may_trap =
        editor_.may_trap(v) && (order.dies == no_value || !needs_dying || editor_.may_trap(order.dies));
    const std::uint32_t to_be_made = context_.to_be_made(order, results_);
    made_.clear();
    package_veto veto = package_veto::none;
    for (std::size_t i = 0; veto == package_veto::none && i != order.num_operations; ++i) {
      if ((to_be_made >> i & 1) != 0) {
        veto = make_operation(v, order.operations[i], may_trap, results_[i]);
      }
    }
    const value_id last = results_[order.num_operations - std::size_t{1}];
    if (veto == package_veto::none && !same_type(editor_, last, v)) {
      veto = package_veto::wrong_type;
    }
    if (veto == package_veto::none && made_.size() == 1 && is_as_before(made_[0], v)) {
      veto = package_veto::no_gain;
    }
    if (veto != package_veto::none) {
      while (!made_.empty()) {
        editor_.erase_value(made_.back());
        made_.pop_back();
      }
      return veto;
    }
    share_existing(order, to_be_made);
    grow(static_cast<std::size_t>(editor_.num_values()));
    for (const value_id w : made_) {
      context_.made_before(w, v);
      generation_[w] = generation_[v] + 1;
      fresh_.push_back(w);
      if (context_.has_facts()) {
        context_.set_facts(w, context_.facts_by_operands(w));
      }
    }
    if (made_.empty() || made_.back() != last) {
      context_.gets_readers_of(last, v);
    } else {
      context_.tell_readers(v);
      context_.refine_facts(last, context_.facts(v));
    }
    result = last;
    return package_veto::none;
  }

  /// Weakens existing operations that new operations, or readers of the result, will read. They keep only promises that
  /// facts prove, because the ordered operations promised less.
  void share_existing(const package_order& order, std::uint32_t made) {
    for (std::size_t i = 0; i != order.num_operations; ++i) {
      const value_id u = results_[i];
      if (u != no_value && (made >> i & 1) == 0) {
        drop_promises(u);
        if (context_.has_facts()) {
          context_.set_facts(u, facts_of_either(context_.facts(u), context_.facts_by_operands(u)));
        }
      }
    }
  }

  void drop_promises(value_id v) {
    if (!context_.promises_hold(v)) {
      editor_.drop_promises(v);
    }
  }

  /// Whether `w` computes exactly what `v` does: some IRs store -x as 0 - x, so the order would change nothing.
  bool is_as_before(value_id w, value_id v) {
    const operation_info a = editor_.operation(w);
    const operation_info b = editor_.operation(v);
    if (a.code != b.code || a.code == operation::other || a.width != b.width) {
      return false;
    }
    operands_.clear();
    detail::for_each_id(editor_.operands(w), [&](value_id x) { operands_.push_back(x); });
    std::size_t i = 0;
    bool same = true;
    detail::for_each_id(editor_.operands(v), [&](value_id x) {
      same = same && i < operands_.size() && operands_[i] == x;
      ++i;
    });
    return same && i == operands_.size();
  }

  /// Whether a tree reads twice a value whose reads may differ, or an operation on such a value. The pattern may have
  /// read it once.
  bool reads_undefined_twice([[maybe_unused]] const package_order& order) {
    if constexpr (has_may_be_undefined<E>) {
      operands_.clear();
      bool may_be_undefined = false;
      bool is_shared = false;
      std::uint32_t read = 0; // bit i: operation i
      static_assert(package_order::max_operations <= 32);
      for (std::size_t i = 0; i != order.num_operations; ++i) {
        for (std::size_t k = 0; k != order.operations[i].num_operands; ++k) {
          const order_operand& x = order.operations[i].operands[k];
          if (x.what == order_operand::kind::made) {
            is_shared = is_shared || (read >> x.index & 1) != 0;
            read |= std::uint32_t{1} << x.index;
          }
          if (x.what == order_operand::kind::value) {
            for (const value_id other : operands_) {
              if (other == x.index && context_.may_be_undefined(x.index)) {
                return true;
              }
            }
            operands_.push_back(x.index);
            may_be_undefined = may_be_undefined || context_.may_be_undefined(x.index);
          }
        }
      }
      return is_shared && may_be_undefined;
    }
    return false;
  }

  package_veto make_operation(value_id v, const ordered_operation& o, bool may_trap, value_id& result) {
    value_id operands[3] = {no_value, no_value, no_value};
    for (std::size_t i = 0; i != o.num_operands; ++i) {
      const order_operand& x = o.operands[i];
      operands[i] = x.what == order_operand::kind::made      ? results_[x.index]
                    : x.what == order_operand::kind::literal ? literal_of(v, o, x)
                                                             : x.index;
      if (operands[i] == no_value) {
        return package_veto::wrong_type;
      }
      if (x.what == order_operand::kind::value) {
        if (context_.is_undefined(operands[i])) {
          return package_veto::undefined;
        }
        if (!context_.precedes(operands[i], v)) {
          return package_veto::not_computed;
        }
        if (o.like == no_value && !is_number(operands[i])) {
          return package_veto::wrong_type;
        }
      }
    }
    value_id w = no_value;
    if (o.drops_guard) {
      if constexpr (can_clone_unguarded<E>) {
        w = static_cast<value_id>(editor_.clone_unguarded(o.like, place_before(v)));
      }
    } else if (o.like != no_value) {
      w = static_cast<value_id>(editor_.clone_value(o.like, place_before(v)));
      for (std::size_t i = 0; i != o.num_operands; ++i) {
        editor_.set_operand(w, o.positions[i], operands[i]);
      }
      editor_.drop_promises(w);
    } else {
      operation_info info = o.info;
      if (may_trap && context_.proves(info, span<const value_id>(operands, o.num_operands)).no_signed_wrap) {
        info.flags.no_signed_wrap = true;
      }
      if (!may_trap) {
        info.flags = {};
      }
      w = static_cast<value_id>(
          editor_.make_operation(info, span<const value_id>(operands, o.num_operands), place_before(v)));
    }
    if (w == no_value) {
      return package_veto::wrong_type;
    }
    made_.push_back(w);
    result = w;
    return editor_.may_trap(w) && !may_trap ? package_veto::may_trap : package_veto::none;
  }

  /// A literal for a new operation. It has the type of another operand of its width, or else the type of `v`.
  value_id literal_of(value_id v, const ordered_operation& o, const order_operand& x) {
    value_id like = editor_.operation(v).width == x.width ? v : no_value;
    for (std::size_t i = o.num_operands; i-- != 0;) {
      const order_operand& other = o.operands[i];
      const value_id beside = other.what == order_operand::kind::made    ? results_[other.index]
                              : other.what == order_operand::kind::value ? other.index
                                                                         : no_value;
      like = beside != no_value && editor_.operation(beside).width == x.width ? beside : like;
    }
    return like != no_value && is_number(like) ? number_like(editor_, like, x.width, x.literal)
                                               : static_cast<value_id>(editor_.make_number(x.width, x.literal));
  }

  /// Whether new operations of the vocabulary may read `v`: an integer, not a pointer or a floating-point number.
  /// Without `is_number` of the editor, `v` must have the type of `make_number`.
  bool is_number(value_id v) {
    if constexpr (has_is_number<E>) {
      return static_cast<bool>(editor_.is_number(v));
    } else {
      const auto like = static_cast<value_id>(editor_.make_number(editor_.operation(v).width, 0));
      return like != no_value && same_type(editor_, v, like);
    }
  }

  E& editor_;
  package_options options_;
  managed_package_workspace& w_;
  package_context<E> context_;
  package_log& log_;
  bool loads_left_ = false;                              ///< some loads were erased
  value_id results_[package_order::max_operations] = {}; ///< of the current tree, by operation: new or existing
  flat_array<node_id>& nodes_ = w_.nodes_;
  flat_array<value_id>& queue_ = w_.queue_;
  flat_array<unsigned char>& is_queued_ = w_.is_queued_;
  flat_array<std::uint32_t>& generation_ = w_.generation_;
  flat_array<value_id>& fresh_ = w_.fresh_;
  flat_array<value_id>& made_ = w_.made_;
  flat_array<value_id>& users_ = w_.users_;
  flat_array<value_id>& operands_ = w_.operands_of_gone_;
  flat_array<value_id>& stores_ = w_.stores_;
};

/// A package: a list of optimizations. Each operation is offered to them in this order.
///
///     midend::managed_package package{midend::dead_operations(), midend::known_constants(), my_optimization()};
///     const midend::package_log log = package.run(editor);
///
/// An optimization is an object with
///
///     static constexpr const char* name = "…";
///     template <class Context> midend::package_order visit(Context& context, midend::value_id v);
///
/// `visit` may read `context.ir()`, the editor as an IR, and everything else that `package_context` offers. It returns
/// an order about `v` or an order of kind `none`, and changes nothing. Control reaches the node of `v`. All members
/// have different types.
///
/// **The manager** visits operations node by node, in reverse post-order. It offers each one to the members in turn,
/// and carries out the first order that it does not refuse (`package_veto`); the operation is then erased. It visits
/// new operations at once. After the first visits, it visits again the users of replaced operations, and operands that
/// lost their last reader. If loads were erased, it then visits the stores again, the last ones first. Nodes and edges
/// stay, so dominators are computed once.
///
/// **It ends.** Each order removes an operation. Only trees make operations: at most 8, each one generation younger, up
/// to `generations`. In practice the new ones cost no more than the old. Each event queues only operands and users of
/// erased operations.
///
/// Source: A. Drozdov and A. Stepanenkov, "Managed optimization packages". Departure: this manager also visits the
/// operands of deleted operations again. Unreachable operations stay. Loops may lose their closed form.
///
/// Time is O(n + m + values + users of replaced values), and the members' time for each visit.
template <class... Members> struct managed_package : Members... {
  static_assert((has_member_name<Members> && ...),
                "midend: a member of a package has no name; write `static constexpr const char* name = \"...\";`");

  static constexpr std::size_t size = sizeof...(Members);

  explicit managed_package(Members... members)
    requires(sizeof...(Members) != 0)
      : Members(members)... {}

  managed_package() = default;

  static constexpr const char* name(std::size_t i) {
    constexpr const char* names[] = {Members::name...};
    return names[i];
  }

  template <package_editor E> package_log run(E& editor, const package_options& options = {}) {
    managed_package_workspace workspace;
    package_log log;
    run(editor, options, workspace, log);
    return log;
  }

  /// Replaces the content of `log`. Allocates nothing after an earlier program as large.
  template <package_editor E>
  void run(E& editor, const package_options& options, managed_package_workspace& workspace, package_log& log) {
    package_manager<E, Members...>(editor, options, workspace, log).run(*this);
  }

  /// Visits only the operations of node `n`, and those that are made there. Other operations are read, and may read the
  /// replacements. Does nothing if `n` is unreachable. Sets up like `run`, in O(n + m + values).
  template <package_editor E> package_log run_on_node(E& editor, node_id n, const package_options& options = {}) {
    MIDEND_ASSERT(n < static_cast<node_id>(editor.graph().num_nodes()), "a node of the graph", n);
    managed_package_workspace workspace;
    package_log log;
    package_manager<E, Members...>(editor, options, workspace, log).run(*this, n);
    return log;
  }
};

MIDEND_END_NAMESPACE
