/// `share_loads`: a load of what an earlier load has read is replaced by that.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/induction/loop_body.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/fixed_operands.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/propagate_copies.hpp"
#include "midend/transform/replacement_witness.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// What `share_loads` will do. To veto a replacement, remove it from `replacements` and from the witness.
struct load_plan {
  std::uint64_t epoch = 0;
  flat_array<value_replacement> replacements; ///< in the order in which the loads run
  replacement_witness witness;

  bool empty() const { return replacements.empty(); }
};

namespace detail {

template <class IR> class load_planner {
public:
  load_planner(const IR& ir, load_plan& out) : ir_(ir), out_(out), fixed_(ir) {}

  void run() {
    out_.epoch = graph_epoch(ir_.graph());
    source_.resize_for_overwrite(static_cast<std::size_t>(ir_.num_values()));
    for (value_id v = 0; v != source_.size(); ++v) {
      source_[v] = v;
    }
    count_ways();
    for (const node_id n : order_) {
      if (way_[n] == no_node) {
        follow(n);
      }
    }
    out_.witness.same = out_.replacements;
  }

private:
  /// By node, the only reachable node before it, or `no_node`.
  void count_ways() {
    const auto& g = ir_.graph();
    const node_id count = node_count(g);
    flat_array<unsigned char> reached(count, 0);
    flat_array<std::uint32_t> ways(count, 0);
    way_.assign(count, no_node);
    if (count == 0) {
      return;
    }
    order_.push_back(static_cast<node_id>(g.entry()));
    reached[order_[0]] = 1;
    for (std::size_t i = 0; i != order_.size(); ++i) {
      for_each_id(g.successors(order_[i]), [&](node_id s) {
        way_[s] = ++ways[s] == 1 ? order_[i] : no_node;
        if (reached[s] == 0) {
          reached[s] = 1;
          order_.push_back(s);
        }
      });
    }
    way_[order_[0]] = no_node;
  }

  /// The tree of nodes that are reached from `root` in one way each, in preorder: what is known at the end of a node
  /// holds at the head of those after it.
  void follow(node_id root) {
    pending_.push_back({root, 0});
    while (!pending_.empty()) {
      const branch at = pending_.back();
      pending_.pop_back();
      known_.shrink(at.known);
      read(at.node);
      const std::size_t known = known_.size();
      for_each_id(ir_.graph().successors(at.node), [&](node_id s) {
        if (way_[s] == at.node) {
          pending_.push_back({s, known});
        }
      });
    }
  }

  void read(node_id n) {
    for_each_id(ir_.values(n), [&](value_id v) {
      if (ir_.is_phi(v) || is_terminator(ir_, v) || ir_.effect(v) == effect_kind::none) {
        return;
      }
      if (ir_.effect(v) == effect_kind::reads && !ir_.is_volatile(v)) {
        if (ir_.memory(v) && is_repeatable(ir_, v) && !is_convergent(ir_, v)) {
          load(v);
        }
      } else {
        forget(v);
      }
    });
  }

  void load(value_id v) {
    const std::size_t first = known_.size() > most_known ? known_.size() - most_known : 0;
    for (std::size_t i = known_.size(); i-- != first;) {
      const value_id u = known_[i];
      if (u != no_value && fixed_.may_replace(v) && is_same(u, v)) {
        out_.replacements.push_back({v, u});
        source_[v] = u;
        return;
      }
    }
    known_.push_back(v);
  }

  bool is_same(value_id u, value_id v) {
    if (!ir_.same_operation(u, ir_, v) || !ir_.same_operation(v, ir_, u)) {
      return false;
    }
    operands_.clear();
    for_each_id(ir_.operands(u), [&](value_id x) { operands_.push_back(x); });
    std::size_t i = 0;
    bool same = true;
    for_each_id(ir_.operands(v), [&](value_id x) {
      same = same && i < operands_.size() && x != no_value && source_[x] == source_[operands_[i]];
      ++i;
    });
    return same && i == operands_.size();
  }

  /// What `v` may write is not known any more. Entries stay in their places, because other branches share them: those
  /// that end here are hidden by a barrier of copies.
  void forget(value_id v) {
    const std::size_t count = known_.size();
    const std::size_t first = count > most_known ? count - most_known : 0;
    bool is_any_known = false;
    for (std::size_t i = first; i != count; ++i) {
      is_any_known = is_any_known || (known_[i] != no_value && may_write(v, known_[i]));
    }
    if (!is_any_known) {
      return;
    }
    for (std::size_t i = first; i != count; ++i) {
      const value_id u = known_[i];
      known_.push_back(u != no_value && !may_write(v, u) ? u : no_value);
    }
    // Nothing before the copies is looked at, because they are as many as are looked at.
    for (std::size_t i = count - first; i != most_known; ++i) {
      known_.push_back(no_value);
    }
  }

  bool may_write(value_id v, value_id load) const {
    if (ir_.effect(v) != effect_kind::writes || ir_.is_volatile(v)) {
      return true;
    }
    const auto written = ir_.memory(v);
    const auto read = ir_.memory(load);
    return !written || !read || written->memory == any_memory || read->memory == any_memory ||
           written->memory == read->memory;
  }

  static constexpr std::size_t most_known = 64;

  struct branch {
    node_id node;
    std::size_t known; ///< entries at its head
  };

  const IR& ir_;
  load_plan& out_;
  fixed_operands<IR> fixed_;
  flat_array<node_id> order_;
  flat_array<node_id> way_;
  flat_array<value_id> source_; ///< by value: what replaces it, or itself
  flat_array<value_id> known_;  ///< loads whose places nothing has written since, on the way to the present node
  flat_array<branch> pending_;
  flat_array<value_id> operands_;
};

} // namespace detail

/// Loads that read what an earlier load of the same extended basic block has read, where nothing in between may write
/// there. An extended basic block is a tree of nodes, each with one reachable predecessor; several copies of a loop
/// body with their exits form one. It is superlocal value numbering for loads (Cooper, Torczon, Engineering a Compiler,
/// 2nd ed. 2012, section 8.5.1).
///
/// Loads are equal if their operations are, and their operands are the same values; number values first
/// (`value_numbering`) and fold additions. A store to another class of memory does not disturb them, any other store or
/// call does. Volatile loads stay, and so do unreachable ones.
///
/// Of the loads on a way the last 64 are remembered: O(n + m + values), and 64 steps for each access.
template <cost_ir_argument IR>
  requires graph_of_ir_argument<IR>
load_plan plan_share_loads(const IR& ir) {
  load_plan plan;
  detail::load_planner<IR>(ir, plan).run();
  return plan;
}

/// Applies a plan for the program as it is; the loads that are replaced are erased. Returns the witness for
/// `verify_replacement`.
template <copy_editor_argument E> replacement_witness apply_share_loads(E& editor, const load_plan& plan) {
  MIDEND_ASSERT(plan.epoch == graph_epoch(editor.graph()), "a plan for this graph as it is now", plan.epoch);
  for (const value_replacement& r : plan.replacements) {
    editor.replace_uses(r.value, r.by);
  }
  for (const value_replacement& r : plan.replacements) {
    editor.erase_value(r.value);
  }
  return plan.witness;
}

MIDEND_END_NAMESPACE
