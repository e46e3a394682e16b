/// `memory_redundancy`: loads whose result is known, and stores that change nothing or that nobody reads.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/depth_first_order.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/fixed_operands.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/memory_effects.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/package/detail/memory_walk.hpp"
#include "midend/package/memory_witness.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/transform/propagate_copies.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// What `memory_redundancy` will do. The witness has one entry for each load and store that goes.
struct memory_plan {
  std::uint64_t epoch = 0;
  memory_witness witness;

  bool empty() const { return witness.loads.empty() && witness.stores.empty(); }
};

struct memory_options {
  std::size_t steps = 256; ///< operations and edges that the walk from one load or store may pass
};

namespace detail {

/// Whether a load promises something of its result that another one of the same type does not: if the IR has the member
/// `promises_more` of value numbering.
template <class IR>
constexpr bool promises_more_than([[maybe_unused]] const IR& ir, [[maybe_unused]] value_id load,
                                  [[maybe_unused]] value_id other) {
  if constexpr (requires {
                  { ir.promises_more(load, other) } -> truth_value;
                }) {
    return static_cast<bool>(ir.promises_more(load, other));
  } else {
    return false;
  }
}

template <class IR> class memory_planner {
public:
  memory_planner(const IR& ir, memory_plan& out, const dominator_tree& tree, const memory_options& options)
      : ir_(ir), out_(out), fixed_(ir), walk_(ir, tree, options.steps, walking_) {}

  void run() {
    out_.epoch = graph_epoch(ir_.graph());
    source_.resize_for_overwrite(static_cast<std::size_t>(ir_.num_values()));
    for (value_id v = 0; v != source_.size(); ++v) {
      source_[v] = v;
    }
    const flat_array<node_id> order = reverse_post_order(ir_.graph());
    for (const node_id n : order) {
      for_each_id(ir_.values(n), [&](value_id v) { look_back(v); });
    }
    for (std::size_t i = order.size(); i-- != 0;) {
      stores_.clear();
      for_each_id(ir_.values(order[i]), [&](value_id v) { stores_.push_back(v); });
      for (std::size_t k = stores_.size(); k-- != 0;) {
        look_forward(stores_[k]);
      }
    }
  }

private:
  auto resolver() const {
    return [this](value_id v) { return v < source_.size() ? source_[v] : v; };
  }

  void look_back(value_id v) {
    if (const auto m = walk_.plain_access(v, effect_kind::reads); m && fixed_.may_replace(v)) {
      const held_value held = walk_.held_before(v, *m, guard_of_access(ir_, v), resolver());
      if (held.access != no_value && held.distance == 0 && held.bytes == m->bytes && held.is_exact &&
          fits_in_bytes(bits_of_access(ir_, v, *m), m->bytes) && can_stand_for(held.value, v) &&
          (held.value != held.access || may_get_readers_of(held.value, v))) {
        source_[v] = source_[held.value];
        out_.witness.loads.push_back({v, source_[v], held.access});
        walk_.remove(v);
      }
    } else if (const auto s = walk_.plain_access(v, effect_kind::writes); s && s->stored != no_value) {
      const held_value held = walk_.held_before(v, *s, {}, resolver(), true);
      if (held.access != no_value && held.distance == 0 && held.bytes == s->bytes &&
          source_[held.value] == source_[s->stored] && !is_undefined(held.value)) {
        out_.witness.stores.push_back({v, held.access});
        walk_.remove(v);
      }
    }
  }

  void look_forward(value_id v) {
    if (const auto m = walk_.plain_access(v, effect_kind::writes)) {
      if (walk_.is_overwritten(v, *m, resolver())) {
        out_.witness.stores.push_back({v, no_value});
        walk_.remove(v);
      }
    }
  }

  bool is_undefined([[maybe_unused]] value_id v) const {
    if constexpr (has_is_undefined<IR>) {
      return static_cast<bool>(ir_.is_undefined(v));
    } else {
      return false;
    }
  }

  bool can_stand_for(value_id x, value_id v) const {
    if constexpr (has_same_type<IR>) {
      return static_cast<bool>(ir_.same_type(x, v)) && !is_undefined(x);
    } else {
      return !is_undefined(x) && ir_.operation(x).width == ir_.operation(v).width;
    }
  }

  /// Whether a load promises no more than another one, or can lose its promises.
  bool may_get_readers_of(value_id load, value_id v) const {
    return can_drop_promises<IR> || !promises_more_than(ir_, load, v);
  }

  const IR& ir_;
  memory_plan& out_;
  fixed_operands<IR> fixed_;
  memory_walk_workspace walking_;
  memory_walk<IR> walk_;
  flat_array<value_id> source_; ///< by value: what replaces it, or itself
  flat_array<value_id> stores_; ///< the values of a node
};

} // namespace detail

/// Loads and stores that a walk over the effects on memory shows to be redundant, across nodes:
/// - a load where an earlier load or store of the same bytes, which runs on every path, says what is there;
/// - a store of what is there;
/// - a store whose bytes are all written again on every path before anything may read one of them.
///
/// Nothing between may write (or read) one of the bytes: other classes of memory and other parts of the same object do
/// not overlap, calls do what `may_write` says, and volatile accesses end each walk. These are the *available* loads
/// and *dead* stores of Muchnick, "Advanced Compiler Design and Implementation", 1997, chapters 12 and 18, found as
/// over memory SSA (Novillo, "Memory SSA: a unified approach for sparsely representing memory operations", GCC Summit
/// 2007) but without building it: at a join the walk up goes on at the immediate dominator if no node between writes
/// there.
///
/// Addresses are equal if base and index are the same values; number values and fold additions first. A guarded load is
/// replaced by one with the same guard and the same other value, or by one with the same guard that is its other value;
/// a guarded store goes like another, and overwrites those with the same guard alone. The end of the program reads all
/// memory. A store stays if control may stay in a cycle before it is overwritten, or may pass where its address is
/// computed again. Loads whose bytes were stored by different stores on different ways stay, since that takes a phi; so
/// do those that are narrower than what is there, which the low-level package takes apart. Unreachable operations stay.
/// A store to memory that nobody can read after the procedure returns stays, too: the contract does not name such
/// memory.
///
/// Returns loads and stores in reverse post-order, overwritten stores after the others and last first. In a cycle, one
/// redundant store may hide another from a single plan.
/// O(n + m + values), and at most `steps` for each load and twice for each store.
template <memory_ir_argument IR>
  requires graph_of_ir_argument<IR>
memory_plan plan_memory_redundancy(const IR& ir, const memory_options& options = {}) {
  memory_plan plan;
  const dominator_tree tree = dominators(ir.graph());
  detail::memory_planner<IR>(ir, plan, tree, options).run();
  return plan;
}

/// Applies a plan for the program as it is: loads are replaced and erased, stores erased. A load that replaces one
/// which promises less (`promises_more` of value numbering) loses its promises. Returns the witness for
/// `verify_memory_redundancy`.
template <copy_editor_argument E> memory_witness apply_memory_redundancy(E& editor, const memory_plan& plan) {
  MIDEND_ASSERT(plan.epoch == graph_epoch(editor.graph()), "a plan for this graph as it is now", plan.epoch);
  for (const known_load& l : plan.witness.loads) {
    if constexpr (can_drop_promises<E>) {
      if (l.value == l.access && detail::promises_more_than(static_cast<const E&>(editor), l.value, l.load)) {
        editor.drop_promises(l.value);
      }
    }
    editor.replace_uses(l.load, l.value);
  }
  for (const known_load& l : plan.witness.loads) {
    editor.erase_value(l.load);
  }
  for (const removed_store& s : plan.witness.stores) {
    editor.erase_value(s.store);
  }
  return plan.witness;
}

MIDEND_END_NAMESPACE
