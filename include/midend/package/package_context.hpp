/// `package_context`: what the optimizations of the low-level package ask, built once and kept up to date by the
/// manager.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/memory_effects.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/package/detail/memory_walk.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// `promises_more(u, v)` says whether `u` promises something that `v` does not. Optional; else `nsw` and `nuw` are
/// compared.
template <class IR>
concept has_package_promises = requires(const IR& ir, value_id v) {
  { ir.promises_more(v, v) } -> truth_value;
};

/// `may_be_undefined(v)` says whether two reads of `v` may give different values, as those of LLVM's `undef` do.
/// Optional; else only literals may (`is_undefined`).
template <class IR>
concept has_may_be_undefined = requires(const IR& ir, value_id v) {
  { ir.may_be_undefined(v) } -> truth_value;
};

/// What an operation costs, by class: the cycles until its result can be used. `of_machine` takes them from a machine
/// model; the default is a small processor.
struct operation_costs {
  std::array<std::uint32_t, num_operation_classes> by_class = usual();

  static constexpr std::array<std::uint32_t, num_operation_classes> usual() {
    std::array<std::uint32_t, num_operation_classes> costs{};
    costs.fill(1);
    costs[static_cast<std::size_t>(operation_class::integer_multiply)] = 4;
    costs[static_cast<std::size_t>(operation_class::integer_divide)] = 20;
    costs[static_cast<std::size_t>(operation_class::load)] = 3;
    return costs;
  }

  template <class Machine> static operation_costs of_machine(const Machine& machine) {
    operation_costs costs;
    for (std::size_t i = 0; i != num_operation_classes; ++i) {
      costs.by_class[i] = machine.latency(static_cast<operation_class>(i));
    }
    return costs;
  }

  constexpr std::uint32_t of(const std::optional<operation_class>& c) const {
    return c ? by_class[static_cast<std::size_t>(*c)] : 0;
  }
};

/// `clone_unguarded(v, p)` copies the guarded operation `v` to a place without its guard. Optional.
template <class E>
concept can_clone_unguarded = requires(E& editor, value_id v, place p) {
  { editor.clone_unguarded(v, p) } -> std::convertible_to<value_id>;
};

namespace detail {

/// What `v` computes if it runs.
template <class IR> constexpr operation_info unguarded_operation(const IR& ir, value_id v) {
  if constexpr (has_guard<IR>) {
    return ir.guard(v).predicate != no_value ? ir.unguarded(v) : ir.operation(v);
  } else {
    return ir.operation(v);
  }
}

} // namespace detail

template <class E, class... Members> class package_manager;

/// What members of a package read besides the IR. The manager changes the program, and tells the context.
template <class IR> class package_context {
public:
  const IR& ir() const { return ir_; }

  const operation_costs& costs() const { return costs_; }

  /// Whether `a` is computed before `v` on every way to it. Literals and parameters are, what is gone is not.
  bool precedes(value_id a, value_id v) const {
    const node_id from = home(a);
    const node_id to = home(v);
    if (a < key_.size() && key_[a] == gone) {
      return false;
    }
    return from == no_node || (from == to ? key_[a] < key_[v] : tree_.strictly_dominates(from, to));
  }

  /// The node of an operation, `no_node` for anything else.
  node_id home(value_id v) const { return v < home_.size() ? home_[v] : no_node; }

  bool is_reachable(node_id n) const { return tree_.is_reachable(n); }

  /// Whether an operation reads `v`.
  bool has_users(value_id v) const {
    for (const auto user : ir_.users(v)) {
      static_cast<void>(user);
      return true;
    }
    return false;
  }

  /// Whether `user` is the only one that reads `v`.
  bool is_only_user(value_id v, value_id user) const {
    for (const auto u : ir_.users(v)) {
      if (static_cast<value_id>(u) != user) {
        return false;
      }
    }
    return true;
  }

  /// Whether nothing but the guard of `v`, if it has one, keeps it from being copied, shared and run elsewhere: it has
  /// no effect, control passes it, it may give the same again, and which threads run it together does not matter.
  bool is_pure(value_id v) const {
    return !ir_.is_phi(v) && !midend::is_terminator(ir_, v) && ir_.effect(v) == effect_kind::none &&
           !ir_.may_not_return(v) && !ir_.is_volatile(v) && is_repeatable(ir_, v) && !is_convergent(ir_, v);
  }

  /// Whether `u` promises something that `v`, which computes or loads the same, does not.
  bool promises_more(value_id u, value_id v) const {
    if constexpr (has_package_promises<IR>) {
      return static_cast<bool>(ir_.promises_more(u, v));
    } else if (ir_.is_phi(u) || ir_.is_phi(v)) {
      return false;
    } else {
      const operation_flags a = flags_of(u);
      const operation_flags b = flags_of(v);
      return (a.no_signed_wrap && !b.no_signed_wrap) || (a.no_unsigned_wrap && !b.no_unsigned_wrap);
    }
  }

  /// Whether two reads of `v` may give different values.
  bool may_be_undefined(value_id v) const {
    if constexpr (has_may_be_undefined<IR>) {
      return static_cast<bool>(ir_.may_be_undefined(v));
    } else {
      return is_undefined(v);
    }
  }

  bool is_undefined([[maybe_unused]] value_id v) const {
    if constexpr (has_is_undefined<IR>) {
      return static_cast<bool>(ir_.is_undefined(v));
    } else {
      return false;
    }
  }

  /// An operation that precedes `v` and computes the same, or `no_value`. Of those that were visited, the last 64 with
  /// the same hash are compared.
  value_id equal_before(value_id v) {
    const std::optional<std::uint64_t> hash = hash_of(v);
    std::size_t tries = 64;
    for (std::uint32_t e = hash ? buckets_[*hash & mask_] : no_entry; e != no_entry && tries != 0;
         e = entries_[e].next, --tries) {
      const value_id u = entries_[e].value;
      if (entries_[e].hash == *hash && u != v && is_here(u) && precedes(u, v) && is_equal(u, v)) {
        return u;
      }
    }
    return no_value;
  }

  /// What memory holds where the load or store `v` accesses it.
  detail::held_value held_before(value_id v, const memory_reference& place, const guard_of_value& same_guard = {}) {
    return walk_.held_before(v, place, same_guard, [](value_id x) { return x; });
  }

  /// Whether what the store `v` writes is overwritten before it may be read.
  bool is_overwritten(value_id v, const memory_reference& place) {
    return walk_.is_overwritten(v, place, [](value_id x) { return x; });
  }

  /// The address of a load or store that is not volatile, in a node that control reaches; or nothing.
  std::optional<memory_reference> plain_access(value_id v, effect_kind effect) const {
    if (!walk_.is_listed(v) || ir_.effect(v) != effect || is_fixed_access(ir_, v) || ir_.may_not_return(v)) {
      return std::nullopt;
    }
    const std::optional<memory_reference> m = accessed_place(ir_, v);
    return m && m->base != no_value && m->bytes != 0 ? m : std::nullopt;
  }

private:
  template <class E, class... Members> friend class package_manager;

  static constexpr std::uint32_t no_entry = 0xffff'ffff;
  static constexpr std::uint64_t gone = ~std::uint64_t{0};
  static constexpr std::uint64_t key_step = std::uint64_t{1} << 32;

  struct entry {
    std::uint64_t hash;
    value_id value;
    std::uint32_t next;
  };

  package_context(const IR& ir, const operation_costs& costs, std::size_t steps)
      : ir_(ir), costs_(costs), tree_(dominators(ir.graph())), walk_(ir, tree_, steps) {
    const auto count = static_cast<std::size_t>(ir.num_values());
    home_.assign(count, no_node);
    key_.assign(count, 0);
    previous_.assign(count, no_value);
    for (node_id n = 0; n != detail::node_count(ir.graph()); ++n) {
      number(n, true);
    }
    std::size_t buckets = 16;
    while (buckets < count) {
      buckets *= 2;
    }
    mask_ = buckets - 1;
    buckets_.assign(buckets, no_entry);
  }

  bool is_here(value_id v) const { return home(v) != no_node; }

  operation_flags flags_of(value_id v) const {
    if constexpr (has_guard<IR>) {
      return ir_.guard(v).predicate != no_value ? ir_.unguarded(v).flags : ir_.operation(v).flags;
    } else {
      return ir_.operation(v).flags;
    }
  }

  void number(node_id n, bool is_new) {
    std::uint64_t key = 0;
    value_id before = no_value;
    detail::for_each_id(ir_.values(n), [&](value_id v) {
      if (is_new) {
        home_[v] = n;
        previous_[v] = before;
      }
      key_[v] = key += key_step;
      before = v;
    });
  }

  /// `w` was made directly before `v`.
  void made_before(value_id w, value_id v) {
    while (home_.size() <= w) {
      home_.push_back(no_node);
      key_.push_back(0);
      previous_.push_back(no_value);
    }
    const value_id before = previous_[v];
    home_[w] = home_[v];
    previous_[w] = before;
    previous_[v] = w;
    const std::uint64_t low = before == no_value ? 0 : key_[before];
    key_[w] = low + (key_[v] - low) / 2;
    if (key_[w] == low) {
      number(home_[v], false);
    }
    if (walk_.is_listed(v) && ir_.effect(w) != effect_kind::none) {
      walk_.put(v, w);
    } else {
      walk_.note(w, home_[v]);
    }
  }

  /// `v` is about to be erased; `next` comes after it.
  void leaves(value_id v, value_id next) {
    if (next != no_value) {
      previous_[next] = previous_[v];
    }
    home_[v] = no_node;
    key_[v] = gone;
    walk_.remove(v);
  }

  /// Other operations can be found equal to `v` from now on. Returns one that was found before and comes later.
  value_id offer(value_id v) {
    const std::optional<std::uint64_t> hash = hash_of(v);
    if (!hash) {
      return no_value;
    }
    value_id later = no_value;
    std::size_t tries = 64;
    for (std::uint32_t e = buckets_[*hash & mask_]; e != no_entry && tries != 0; e = entries_[e].next, --tries) {
      const value_id u = entries_[e].value;
      if (entries_[e].hash == *hash && is_here(u)) {
        if (u == v) {
          return later; // as it is
        }
        later = precedes(v, u) && is_equal(v, u) ? u : later;
      }
    }
    entries_.push_back({*hash, v, buckets_[*hash & mask_]});
    buckets_[*hash & mask_] = static_cast<std::uint32_t>(entries_.size() - 1);
    return later;
  }

  /// What `v` computes, as a number; nothing if it is unknown or not the same each time.
  std::optional<std::uint64_t> kind_of(value_id v) const {
    const operation_info info = ir_.operation(v);
    if (info.code != operation::other) {
      return std::uint64_t{static_cast<std::uint8_t>(info.code)} << 16 | std::uint64_t{info.width} << 8 |
             (is_comparison(info.code) ? info.operand_width : std::uint8_t{0});
    }
    if constexpr (has_identity<IR>) {
      const std::uint32_t identity = ir_.identity(v);
      const guard_of_value guard = detail::guard_or_none(ir_, v);
      if (identity != 0) {
        return std::uint64_t{1} << 63 | std::uint64_t{identity} << 2 | (guard.negated ? 2u : 0u) |
               (guard.otherwise != no_value ? 1u : 0u);
      }
    }
    return std::nullopt;
  }

  std::optional<std::uint64_t> hash_of(value_id v) {
    if (ir_.is_phi(v)) {
      std::uint64_t hash = detail::mix_hash(~std::uint64_t{0}, home_[v]);
      detail::for_each_id(ir_.graph().in_edges(home_[v]), [&](edge_id e) {
        hash = detail::mix_hash(hash, static_cast<value_id>(ir_.phi_input(v, e)));
      });
      return hash;
    }
    const std::optional<std::uint64_t> kind = is_pure(v) ? kind_of(v) : std::nullopt;
    if (!kind) {
      return std::nullopt;
    }
    read_operands(v, operands_);
    std::uint64_t hash = *kind;
    for (const value_id x : operands_) {
      hash = detail::mix_hash(hash, x);
    }
    return hash;
  }

  /// Exchangeable operands in order of their numbers.
  void read_operands(value_id v, flat_array<value_id>& out) const {
    out.clear();
    detail::for_each_id(ir_.operands(v), [&](value_id x) { out.push_back(x); });
    if (out.size() == 2 && is_commutative(ir_.operation(v).code) && out[1] < out[0]) {
      const value_id first = out[0];
      out[0] = out[1];
      out[1] = first;
    }
  }

  bool is_equal(value_id u, value_id v) {
    if (ir_.is_phi(u) || ir_.is_phi(v)) {
      bool same = ir_.is_phi(u) && ir_.is_phi(v) && home_[u] == home_[v] && same_type(ir_, u, v);
      if (same) {
        detail::for_each_id(ir_.graph().in_edges(home_[v]), [&](edge_id e) {
          const auto x = static_cast<value_id>(ir_.phi_input(v, e));
          same = same && x == static_cast<value_id>(ir_.phi_input(u, e)) && x != no_value && !is_undefined(x);
        });
      }
      return same;
    }
    if (!is_pure(u) || kind_of(u) != kind_of(v) || !same_type(ir_, u, v)) {
      return false;
    }
    read_operands(u, other_operands_);
    read_operands(v, operands_);
    bool same = operands_.size() == other_operands_.size();
    for (std::size_t i = 0; same && i != operands_.size(); ++i) {
      same = operands_[i] == other_operands_[i] && operands_[i] != no_value && !is_undefined(operands_[i]);
    }
    return same;
  }

  const IR& ir_;
  const operation_costs& costs_;
  dominator_tree tree_;
  detail::memory_walk<IR> walk_;
  flat_array<node_id> home_;      ///< by value: the node of an operation that is there
  flat_array<std::uint64_t> key_; ///< by value: grows along a node
  flat_array<value_id> previous_; ///< by value, in its node
  flat_array<std::uint32_t> buckets_;
  flat_array<entry> entries_;
  std::uint64_t mask_ = 0;
  flat_array<value_id> operands_;
  flat_array<value_id> other_operands_;
};

MIDEND_END_NAMESPACE
