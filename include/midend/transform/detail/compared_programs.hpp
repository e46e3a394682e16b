/// `compared_programs`: shows that everything in a program is as it was before a change, except for differences that
/// the checker of the change allows.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/fixed_operands.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/change_verdict.hpp"
#include "midend/transform/detail/paired_programs.hpp"

#include <cstddef>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A place where the new program reads `u`, and the old one `x`.
struct changed_read {
  value_id user; ///< the operation or phi that reads, or `no_value` for the condition of a node
  value_id x;
  value_id u;
  node_id from; ///< the node of the operation, or the source of the edge by which a phi reads
  node_id to;   ///< the node of the phi; otherwise equal to `from`
};

/// The questions that `compared_programs` asks. Each answer is `none` if the difference is allowed, otherwise the
/// fault. Here nothing is allowed. The checker of a change derives from this class and answers the questions that its
/// change raises; it also keeps the first fault here.
class allowed_changes {
public:
  /// The edges of node `n` are not the old ones.
  static change_fault changed_edges(node_id) { return change_fault::changed_flow; }

  /// The old operation or phi `x` of node `n` is not computed in the new program.
  static change_fault missing(node_id, value_id) { return change_fault::missing_operation; }

  /// The new program has `v` in node `n`, and the old one does not have it anywhere.
  static change_fault added(node_id, value_id) { return change_fault::extra_operation; }

  /// The old operation or phi `v` is in node `n`, and was in another one.
  static change_fault moved(node_id, value_id) { return change_fault::extra_operation; }

  static change_fault read(const changed_read&) { return change_fault::wrong_operand; }

  /// Whether `v` of the new program is another operation than `v` of the old one: the first counts as added, the second
  /// as missing.
  static bool is_replaced(node_id, value_id) { return false; }

  bool ok() const { return static_cast<bool>(verdict_); }

  void fail(change_fault fault, node_id n, value_id v = no_value) {
    if (fault != change_fault::none && ok()) {
      verdict_ = {fault, n, v};
    }
  }

protected:
  change_verdict verdict_;
};

/// Compares what both programs reach, in three steps. Each asks `Allowed`, which derives from `allowed_changes`, about
/// every difference, and stops at the first fault. A step does nothing if there was a fault before.
///
/// **Why this is enough** if nothing differs. Run both programs side by side. An operation reads equal values, so it
/// has the same result and effect; a condition is equal, so both take the same edge, and the phis at its end take equal
/// values. At a difference, the checker has to show that both programs still do the same, and that each value that may
/// be read later is equal.
template <class Before, class After> class compared_programs : public paired_programs<Before, After> {
  using pair = paired_programs<Before, After>;

public:
  using pair::after;
  using pair::before;
  using pair::pair;

  /// The edges of each node are the old ones, with their targets and cases.
  template <class Allowed> void compare_flow(Allowed& allowed) {
    for_each_node(allowed, [&](node_id n) {
      if (pair::promises_new_end(n)) {
        allowed.fail(change_fault::changed_flow, n);
      } else if (!pair::same_edges(n)) {
        allowed.fail(allowed.changed_edges(n), n);
      }
    });
  }

  /// Each node has its old operations and phis in their order, and each of them is what it was, apart from its
  /// operands. Nodes come after all nodes that dominate them.
  template <class Allowed> void compare_operations(Allowed& allowed) {
    for_each_node(allowed, [&](node_id n) {
      list(before.values(n));
      std::size_t at = 0;
      bool follows_operation = false;
      for_each_id(after.values(n), [&](value_id v) {
        if (!is_kept(allowed, n, v)) {
          const bool is_late_phi = after.is_phi(v) && follows_operation;
          allowed.fail(is_late_phi ? change_fault::extra_operation : allowed.added(n, v), n, v);
        } else {
          if (pair::old_home[v] == n) {
            while (at != old_.size() && old_[at] != v) {
              pass_over(allowed, n, old_[at++]);
            }
            at += at != old_.size() ? 1u : 0u;
          } else {
            allowed.fail(allowed.moved(n, v), n, v);
          }
          if (!pair::same_operation(v, v) || !pair::keeps_local_class(v, v)) {
            allowed.fail(change_fault::changed_operation, n, v);
          }
        }
        follows_operation = follows_operation || !after.is_phi(v);
      });
      while (at != old_.size()) {
        pass_over(allowed, n, old_[at++]);
      }
    });
  }

  /// Conditions, old operations and old phis read the old values, which are still computed.
  template <class Allowed> void compare_reads(Allowed& allowed) {
    for_each_node(allowed, [&](node_id n) {
      is_changed(allowed, {no_value, static_cast<value_id>(before.condition(n)),
                           static_cast<value_id>(after.condition(n)), n, n});
      for_each_id(after.values(n), [&](value_id v) {
        if (is_kept(allowed, n, v) && !before.is_phi(v)) {
          compare_operands(allowed, n, v);
        }
      });
      for_each_id(after.graph().out_edges(n), [&](edge_id e) {
        const auto to = static_cast<node_id>(after.graph().edge_target(e));
        for_each_phi(after, to, [&](value_id phi) {
          if (is_kept(allowed, to, phi)) {
            is_changed(allowed, {phi, static_cast<value_id>(before.phi_input(phi, e)),
                                 static_cast<value_id>(after.phi_input(phi, e)), n, to});
          }
        });
      });
    });
  }

private:
  template <class Allowed, class Visit> void for_each_node(const Allowed& allowed, Visit visit) {
    for (std::size_t i = 0; allowed.ok() && i != pair::order.size(); ++i) {
      visit(pair::order[i]);
    }
  }

  /// Whether `v` in node `n` of the new program is an operation or phi of the old one.
  template <class Allowed> bool is_kept(const Allowed& allowed, node_id n, value_id v) const {
    return v < pair::num_old_values() && pair::old_home[v] != no_node && !allowed.is_replaced(n, v);
  }

  /// The new program does not have `x` of node `n` next.
  template <class Allowed> void pass_over(Allowed& allowed, node_id n, value_id x) {
    if (!pair::is_computed(x) || !is_kept(allowed, pair::new_home[x], x)) {
      allowed.fail(allowed.missing(n, x), n, x);
    } else if (pair::new_home[x] == n) {
      allowed.fail(change_fault::wrong_order, n, x);
    }
  }

  template <class Allowed> void compare_operands(Allowed& allowed, node_id n, value_id v) {
    list(before.operands(v));
    std::size_t i = 0;
    for_each_id(after.operands(v), [&](value_id u) {
      if (i < old_.size() && is_changed(allowed, {v, old_[i], u, n, n}) && !may_replace_operand(before, v, i)) {
        allowed.fail(change_fault::fixed_operand, n, v);
      }
      ++i;
    });
    if (i != old_.size()) {
      allowed.fail(change_fault::wrong_operand, n, v);
    }
  }

  template <class Allowed> bool is_changed(Allowed& allowed, const changed_read& r) {
    if (!allowed.ok() || pair::same_value(r.x, r.u)) {
      return false;
    }
    allowed.fail(allowed.read(r), r.to, r.user != no_value ? r.user : r.u);
    return true;
  }

  template <class Ids> void list(const Ids& ids) {
    old_.clear();
    for_each_id(ids, [&](value_id v) { old_.push_back(v); });
  }

  flat_array<value_id> old_;
};

/// Whether an operation only computes its result, and promises nothing.
template <class IR> bool computes_without_promises(const IR& ir, value_id v) {
  return !ir.is_phi(v) && !is_terminator(ir, v) && ir.effect(v) == effect_kind::none && !ir.may_trap(v) &&
         !ir.may_not_return(v) && !ir.is_volatile(v) && ir.operation(v).code != operation::other &&
         ir.operation(v).flags == operation_flags();
}

} // namespace detail

MIDEND_END_NAMESPACE
