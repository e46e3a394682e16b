/// `verify_motion`: checks the certificate of moved code.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/memory_effects.hpp"
#include "midend/ir/memory_places.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/certifiable_ir.hpp"
#include "midend/transform/change_verdict.hpp"
#include "midend/transform/detail/compared_programs.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// The answer of `verify_motion`.
using motion_verdict = change_verdict;

namespace detail {

/// Operations may be in other nodes.
template <class Before, class After> class motion_checker : public allowed_changes {
public:
  motion_checker(const Before& before, const After& after) : pair_(before, after), before_(before), after_(after) {}

  motion_verdict run() {
    if (!pair_.read()) {
      fail(change_fault::wrong_size, no_node);
      return verdict_;
    }
    pair_.compare_flow(*this);
    pair_.compare_operations(*this);
    pair_.compare_reads(*this);
    if (ok() && !targets_.empty()) {
      list_places();
      tree_ = dominators(after_.graph());
      chain_.assign(pair_.reached.size(), no_node);
      between_.assign(pair_.reached.size(), 0);
    }
    for (std::size_t i = 0; ok() && i != targets_.size(); ++i) {
      check_moved_to(targets_[i]);
    }
    return verdict_;
  }

  /// `check_moved_to` checks the conditions of a move, for all operations of a node together.
  change_fault moved(node_id n, value_id v) {
    if (before_.is_phi(v)) {
      return change_fault::not_movable;
    }
    if (targets_.empty() || targets_.back() != n) {
      targets_.push_back(n);
    }
    return change_fault::none;
  }

private:
  using ids = flat_array<std::uint32_t>;

  static constexpr std::uint32_t none = 0xffff'ffff;

  /// Whether no trap may move across an operation.
  template <class IR> static bool is_barrier(const IR& ir, value_id v) {
    return !ir.is_phi(v) && (writes(ir, v) || ir.may_not_return(v) || ir.is_volatile(v));
  }

  template <class IR> static bool writes(const IR& ir, value_id v) {
    return ir.effect(v) != effect_kind::none && ir.effect(v) != effect_kind::reads;
  }

  void list_places() {
    old_place_.assign(pair_.num_old_values(), 0);
    new_place_.assign(static_cast<std::size_t>(after_.num_values()), 0);
    first_barrier_.assign(pair_.reached.size(), none);
    last_barrier_.assign(pair_.reached.size(), none);
    last_write_.assign(pair_.reached.size(), none);
    for (const node_id n : pair_.order) {
      std::uint32_t at = 0;
      for_each_id(before_.values(n), [&](value_id v) {
        first_barrier_[n] = first_barrier_[n] == none && is_barrier(before_, v) ? at : first_barrier_[n];
        old_place_[v] = at++;
      });
      at = 0;
      for_each_id(after_.values(n), [&](value_id v) {
        last_barrier_[n] = is_barrier(after_, v) ? at : last_barrier_[n];
        last_write_[n] = !after_.is_phi(v) && writes(after_, v) ? at : last_write_[n];
        new_place_[v] = at++;
      });
    }
  }

  /// Whether `v` only computes a value in both programs, perhaps from memory, and lets control pass.
  bool computes_only(value_id v) const { return computes_only(before_, v) && computes_only(after_, v); }

  template <class IR> static bool computes_only(const IR& ir, value_id v) {
    return !ir.is_phi(v) && !is_terminator(ir, v) && !writes(ir, v) && !ir.is_volatile(v) && !ir.may_not_return(v);
  }

  /// Checks the values that were moved to a node.
  void check_moved_to(node_id n) {
    loads_.clear();
    bool has_chain = false;
    for_each_id(after_.values(n), [&](value_id v) {
      const node_id from = pair_.old_home[v];
      if (from == n || !ok()) {
        return;
      }
      if (!computes_only(v)) {
        fail(change_fault::not_movable, n, v);
      } else if (!is_repeatable(before_, v) || !is_repeatable(after_, v)) {
        fail(change_fault::not_repeatable, n, v);
      } else if (is_convergent(before_, v) || is_convergent(after_, v)) {
        fail(change_fault::convergent, n, v);
      } else if (!accepts_operations(after_, n)) {
        fail(change_fault::closed_node, n, v);
      } else if (!tree_.strictly_dominates(n, from)) {
        fail(change_fault::not_above, n, v);
      }
      for_each_id(after_.operands(v), [&](value_id u) {
        const node_id home = u == no_value ? no_node : pair_.new_home[u];
        if (home != no_node && !tree_.strictly_dominates(home, n) && (home != n || new_place_[u] >= new_place_[v])) {
          fail(change_fault::operand_not_available, n, v);
        }
      });
      if (ok() && after_.may_trap(v)) {
        if (!has_chain) {
          follow_chain(n);
          has_chain = true;
        }
        const bool leaves = last_barrier_[n] == none || last_barrier_[n] < new_place_[v];
        const bool arrives =
            chain_[from] == n && (first_barrier_[from] == none || first_barrier_[from] > old_place_[v]);
        if (!leaves || !arrives) {
          fail(change_fault::early_trap, n, v);
        }
      }
      if (ok() && after_.effect(v) == effect_kind::reads) {
        loads_.push_back(v);
      }
    });
    check_loads(n);
  }

  /// Checks the loads that were moved to `n`, one class of memory after the other. With more than `most_classes`, the
  /// others count as loads of any memory.
  void check_loads(node_id n) {
    std::array<std::uint32_t, most_classes> seen{};
    std::size_t count = 0;
    bool reads_others = false;
    for (const value_id v : loads_) {
      const std::uint32_t memory = memory_of(v);
      std::size_t k = 0;
      while (k != count && seen[k] != memory) {
        ++k;
      }
      if (memory == any_memory || k == most_classes) {
        reads_others = true;
      } else if (k == count) {
        seen[count++] = memory;
        check_memory(n, memory, [&](value_id x) { return memory_of(x) == memory; });
      }
    }
    if (reads_others) {
      check_memory(n, any_memory, [&](value_id x) {
        bool is_other = true;
        for (std::size_t k = 0; k != count; ++k) {
          is_other = is_other && memory_of(x) != seen[k];
        }
        return is_other;
      });
    }
  }

  /// Follows the nodes where control surely arrives from a node, without a barrier before.
  void follow_chain(node_id n) {
    for (node_id at = n;;) {
      node_id next = no_node;
      bool branches = false; // whether one of them leads to several nodes
      for_each_id(after_.graph().successors(at), [&](node_id s) {
        branches = branches || (next != no_node && next != s);
        next = s;
      });
      if (branches || next == no_node || next == n || chain_[next] == n || (at != n && last_barrier_[at] != none)) {
        return;
      }
      chain_[next] = n;
      at = next;
    }
  }

  /// Checks that no operation in `n` after the first of some loads writes memory of a class, and none in a node on a
  /// path from `n` to the loads' old nodes that does not pass `n` again.
  template <class Chosen> void check_memory(node_id n, std::uint32_t memory, Chosen is_chosen) {
    todo_.clear();
    ++walk_;
    const auto pass = [&](node_id p) {
      if (p != n && pair_.reached[p] != 0 && between_[p] != walk_) {
        between_[p] = walk_;
        todo_.push_back(p);
      }
    };
    value_id first = no_value;
    for (const value_id v : loads_) {
      if (is_chosen(v)) {
        first = first == no_value ? v : first;
        pass(pair_.old_home[v]);
      }
    }
    if (writes_after(n, new_place_[first], memory)) {
      fail(change_fault::changed_memory, n, first);
    }
    while (ok() && !todo_.empty()) {
      const node_id p = todo_.back();
      todo_.pop_back();
      if (writes_after(p, 0, memory)) {
        fail(change_fault::changed_memory, p, first);
      }
      for_each_id(after_.graph().in_edges(p),
                  [&](edge_id e) { pass(static_cast<node_id>(after_.graph().edge_source(e))); });
    }
  }

  /// Whether an operation of a node, at a position or after it, may write memory of a class.
  bool writes_after(node_id n, std::uint32_t place, std::uint32_t memory) const {
    bool found = false;
    if (last_write_[n] != none && last_write_[n] >= place) {
      for_each_id(after_.values(n),
                  [&](value_id w) { found = found || (new_place_[w] >= place && writes_class(w, memory)); });
    }
    return found;
  }

  /// The class of memory of an access, or any memory.
  std::uint32_t memory_of([[maybe_unused]] value_id v) const {
    if constexpr (has_memory<After>) {
      const optional<memory_reference> m = after_.memory(v);
      return m ? m->memory : any_memory;
    } else {
      return any_memory;
    }
  }

  bool writes_class(value_id w, [[maybe_unused]] std::uint32_t memory) const {
    if (after_.is_phi(w) || !writes(after_, w)) {
      return false;
    }
    if (after_.effect(w) == effect_kind::writes) {
      return !classes_are_apart(memory_of(w), memory);
    }
    if constexpr (has_may_write<After>) {
      return static_cast<bool>(after_.may_write(w, memory));
    } else {
      return true;
    }
  }

  static constexpr std::size_t most_classes = 16;

  compared_programs<Before, After> pair_;
  const Before& before_;
  const After& after_;
  dominator_tree tree_;
  ids targets_;       ///< the nodes to which operations moved
  ids old_place_;     ///< by value, in its node
  ids new_place_;     ///< position in its node in the new program, by value
  ids first_barrier_; ///< by node, of the old program, or `none`
  ids last_barrier_;  ///< by node, of the new program
  ids last_write_;    ///< by node, of the new program
  ids chain_;         ///< by node: the last node from which control surely arrives there
  ids between_;       ///< by node: the last walk that looked for writes in it
  std::uint32_t walk_ = 0;
  ids loads_;
  ids todo_;
};

} // namespace detail

/// Checks that `after` is `before` with operations moved to nodes above, so that both do the same. It shares no code
/// with the transformation; one must trust this function, `dominators`, and the effects and `same_operation` of the IR.
/// Requires IRs that `check_ir` accepts. Values keep their numbers, so there is no witness.
///
/// **What is checked** of the reachable part of the program. All is as it was (`compared_programs`), but operations may
/// be in other nodes.
/// 1. A moved operation has no effect and lets control pass. It may keep its result when it runs again
///    (`is_repeatable`), and its result does not depend on threads that run it together (`is_convergent`).
/// 2. Its new node accepts operations and strictly dominates the old one, and its operands are computed before its new
///    place.
/// 3. If it may trap: from its new place, control arrives at the old one without a branch. On the path is no effect, no
///    volatile access, and no operation that may not return. So it traps early or it would have trapped.
/// 4. If it reads memory: nothing on a path from the new place to the old one that does not pass the new node again may
///    write that memory. Where the IR names places (`memory`), stores to other classes and calls that do not write the
///    class of the load (`may_write`) may be there.
///
/// **Why this is enough.** Let v move from node a to b, and follow a run to a read of v. Since b dominates a, b was run
/// before a; take the last time. No operand u was computed between then and the run of a: there would be a path to u
/// that avoids b, as u's node is above b or u is earlier in b, and one from u to a without b; but b dominates a. Nor
/// was memory written that v reads, by 4. So by 1 the value that v got in b is one that it may get in a, each time that
/// a runs until b runs again. A run of b without a run of a afterwards computes a value that is not read, and by 3 it
/// does not trap.
///
/// O(n + m + values + operands), plus the nodes on the path for each node that traps were moved to, and the nodes on
/// the paths with their operations for each node and class that loads were moved to. Of more than 16 classes, the
/// others count as one that everything writes.
template <certifiable_ir_argument Before, certifiable_ir_argument After>
  requires requires(const After& after, node_id n) { after.graph().in_edges(n); }
motion_verdict verify_motion(const Before& before, const After& after) {
  return detail::motion_checker<Before, After>(before, after).run();
}

MIDEND_END_NAMESPACE
