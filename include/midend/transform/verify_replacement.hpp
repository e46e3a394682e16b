/// `verify_replacement`: checks the certificate of replaced values.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/memory_places.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/certifiable_ir.hpp"
#include "midend/transform/change_verdict.hpp"
#include "midend/transform/detail/compared_programs.hpp"
#include "midend/transform/replacement_witness.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The answer of `verify_replacement`.
using replacement_verdict = change_verdict;

namespace detail {

/// A value may be read in place of another one if it is its source. What nobody reads any more may be missing.
template <class Before, class After> class replacement_checker : public allowed_changes {
public:
  replacement_checker(const Before& before, const After& after, const replacement_witness& w)
      : pair_(before, after), before_(before), w_(w) {}

  replacement_verdict run() {
    if (!pair_.read()) {
      fail(change_fault::wrong_size, no_node);
      return verdict_;
    }
    list_sources();
    pair_.compare_flow(*this);
    if (ok()) {
      prove_sources(); // after the flow: both programs reach the same nodes
    }
    pair_.compare_operations(*this);
    pair_.compare_reads(*this);
    return verdict_;
  }

  change_fault missing(node_id, value_id x) const {
    return before_.is_phi(x) || is_removable(before_, x) ? change_fault::none : change_fault::missing_operation;
  }

  change_fault read(const changed_read& r) const {
    const bool is_source = r.x != no_value && source_[r.x] != r.x && pair_.same_value(source_[r.x], r.u);
    return is_source ? change_fault::none : change_fault::wrong_operand;
  }

private:
  void list_sources() {
    const std::size_t count = pair_.num_old_values();
    source_.resize_for_overwrite(count);
    for (value_id v = 0; v != count; ++v) {
      source_[v] = v;
    }
    for (const value_replacement& r : w_.same) {
      if (r.value >= count || r.by >= count) {
        fail(change_fault::wrong_size, no_node, r.value);
        return;
      }
      if (source_[r.value] != r.value || r.value == r.by) {
        fail(change_fault::wrong_witness, pair_.old_home[r.value], r.value);
      }
      source_[r.value] = r.by;
    }
    for (const value_replacement& r : w_.same) {
      if (source_[r.by] != r.by) {
        fail(change_fault::wrong_witness, pair_.old_home[r.value], r.value);
      }
    }
  }

  void prove_sources() {
    const dominator_tree tree = dominators(before_.graph());
    position_.assign(pair_.num_old_values(), 0);
    for (const node_id n : pair_.order) {
      std::uint32_t at = 0;
      for_each_id(before_.values(n), [&](value_id v) { position_[v] = at++; });
    }
    for (const value_replacement& r : w_.same) {
      const node_id n = pair_.old_home[r.value];
      if (n == no_node) {
        fail(change_fault::different_value, n, r.value);
      } else if (tree.is_reachable(n)) {
        prove(tree, n, r);
      }
    }
  }

  void prove(const dominator_tree& tree, node_id n, const value_replacement& r) {
    const bool is_phi = before_.is_phi(r.value);
    const node_id home = pair_.old_home[r.by];
    if (home != no_node && !tree.strictly_dominates(home, n) &&
        (is_phi || home != n || position_[r.by] >= position_[r.value])) {
      fail(change_fault::not_dominated, n, r.value);
      return;
    }
    bool same = true;
    if constexpr (has_is_undefined<Before>) {
      same = !before_.is_undefined(r.by);
    }
    if (is_phi) {
      for_each_id(before_.graph().in_edges(n), [&](edge_id e) {
        const auto input = static_cast<value_id>(before_.phi_input(r.value, e));
        same = same && (!tree.is_reachable(static_cast<node_id>(before_.graph().edge_source(e))) ||
                        (input != no_value && source_[input] == r.by));
      });
    } else if (before_.effect(r.value) != effect_kind::none) { // a copy of a variable may change this in the variable
      same = same && is_same_load(n, r);
    } else if (const value_id other = value_without_running(r.value); other != no_value) {
      same = same && source_[other] == r.by;
    } else {
      same = same && is_copy(r.value);
      for_each_id(before_.operands(r.value), [&](value_id x) { same = same && source_[x] == r.by; });
    }
    if (!same || !is_of_type(r.value, r.by)) {
      fail(change_fault::different_value, n, r.value);
    }
  }

  /// Whether the IR lets readers of `v` read `by`.
  bool is_of_type([[maybe_unused]] value_id v, [[maybe_unused]] value_id by) const {
    if constexpr (has_same_type<Before>) {
      return static_cast<bool>(before_.same_type(v, by));
    } else {
      return true;
    }
  }

  /// The value of a guarded operation that a literal predicate keeps from running; else `no_value`.
  value_id value_without_running([[maybe_unused]] value_id v) const {
    if constexpr (has_guard<Before>) {
      const guard_of_value guard = before_.is_phi(v) ? guard_of_value() : before_.guard(v);
      if (guard.predicate != no_value) {
        const auto bit = before_.constant(guard.predicate);
        return bit && (static_cast<std::uint64_t>(*bit) != 0) == guard.negated ? guard.otherwise : no_value;
      }
    }
    return no_value;
  }

  /// Whether both are loads of one place by one operation, and the first reaches the second on one path only, on which
  /// nothing writes there. `n` is the node of the second.
  bool is_same_load(node_id n, const value_replacement& r) {
    const value_id v = r.value;
    if (before_.is_phi(v) || is_terminator(before_, v) || before_.effect(v) != effect_kind::reads ||
        pair_.old_home[r.by] == no_node || before_.is_phi(r.by) || is_terminator(before_, r.by) ||
        before_.effect(r.by) != effect_kind::reads || before_.is_volatile(v) || before_.is_volatile(r.by) ||
        !before_.same_operation(v, before_, r.by) || !before_.same_operation(r.by, before_, v)) {
      return false;
    }
    operands_.clear();
    for_each_id(before_.operands(v), [&](value_id x) { operands_.push_back(x); });
    std::size_t i = 0;
    bool same = true;
    for_each_id(before_.operands(r.by), [&](value_id x) {
      same = same && i < operands_.size() && x != no_value && source_[x] == source_[operands_[i]];
      ++i;
    });
    same = same && i == operands_.size();
    const node_id home = pair_.old_home[r.by];
    for (std::size_t steps = 0; same; ++steps) {
      for_each_id(before_.values(n), [&](value_id x) {
        const bool is_later = n == home && position_[x] <= position_[r.by];
        const bool is_past = steps == 0 && position_[x] >= position_[v];
        same = same && (is_later || is_past || before_.is_phi(x) || !may_write_for(x, v));
      });
      if (n == home) {
        return same && (steps != 0 || position_[r.by] < position_[v]);
      }
      node_id above = no_node;
      std::size_t ways = 0;
      for_each_id(before_.graph().in_edges(n), [&](edge_id e) {
        const auto from = static_cast<node_id>(before_.graph().edge_source(e));
        if (from < pair_.reached.size() && pair_.reached[from] != 0) {
          above = from;
          ++ways;
        }
      });
      same = same && ways == 1 && steps != pair_.order.size();
      n = above;
    }
    return false;
  }

  /// Whether `x` may write the memory that the load `v` reads. If the IR has classes of memory, different ones do not
  /// overlap.
  bool may_write_for(value_id x, [[maybe_unused]] value_id v) const {
    if (before_.effect(x) == effect_kind::none ||
        (before_.effect(x) == effect_kind::reads && !before_.is_volatile(x))) {
      return false;
    }
    if constexpr (requires { before_.memory(x)->memory; }) {
      if (before_.effect(x) == effect_kind::writes && !before_.is_volatile(x)) {
        const auto written = before_.memory(x);
        const auto read = before_.memory(v);
        return !written || !read || !classes_are_apart(written->memory, read->memory);
      }
    }
    return true;
  }

  /// Whether `v` is a copy with the width of its only operand.
  bool is_copy([[maybe_unused]] value_id v) const {
    if constexpr (has_operation<Before>) {
      const operation_info info = before_.operation(v);
      std::size_t operands = 0;
      bool same_width = true;
      for_each_id(before_.operands(v), [&](value_id x) {
        same_width = same_width && before_.operation(x).width == info.width;
        ++operands;
      });
      return info.code == operation::copy && operands == 1 && same_width;
    } else {
      return false;
    }
  }

  compared_programs<Before, After> pair_;
  const Before& before_;
  const replacement_witness& w_;
  flat_array<value_id> source_;        ///< by old value; itself if the witness names none
  flat_array<std::uint32_t> position_; ///< by old value, in its node
  flat_array<value_id> operands_;
};

} // namespace detail

/// Checks that `after` is `before` with values replaced by equal ones, so that both do the same. It shares no code with
/// the transformation; one must trust this function, `dominators`, `operation` and `same_operation` of the IR. Requires
/// IRs that `check_ir` accepts; the witness may be anything.
///
/// **What is checked** of the reachable part of the program. All is as it was (`compared_programs`), but removable
/// operations may be missing, and the source of a value may be read in its place.
/// 1. Each value of the witness is a copy, which keeps all bits, of a value that has its source, or a phi whose inputs
///    along all reachable edges have its source, or a guarded operation that a literal keeps from running, and then its
///    other value has that source. Or both are loads by the same operation, whose operands have the same sources, and
///    each node on the path from the first to the second has one reachable predecessor, and nothing on it may write
///    what they read. A value without an entry is its own source. A source has the type of the value, if the IR has
///    `same_type`.
/// 2. The source is a literal or parameter, or it is computed before the value on every path: its node strictly
///    dominates that of the value, or, for a copy, it is earlier in the node. The literal `undef` is no source.
///
/// **Why this is enough.** Where v may be read, v has the present value of its source d. When v is computed, it gets
/// what d is at that moment, by 1 and induction over the run: the value that it takes has d's present value. It stays
/// so: if d were computed again before v is read and without v being computed in between, there would be a path to d
/// without v, since d dominates v, and from there to the read without v; but v dominates its reads.
///
/// O(n + m + values + operands).
template <certifiable_ir_argument Before, certifiable_ir_argument After>
replacement_verdict verify_replacement(const Before& before, const After& after, const replacement_witness& witness) {
  return detail::replacement_checker<Before, After>(before, after, witness).run();
}

MIDEND_END_NAMESPACE
