/// `package_context`: answers the questions of the optimizations. It is built once, and the manager keeps it up to
/// date.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/depth_first_order.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/number_facts.hpp"
#include "midend/ir/operation.hpp"
#include "midend/ir/operation_class.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/package/detail/memory_walk.hpp"
#include "midend/package/package_order.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

/// `promises_more(u, v)` says whether `u` promises something that `v` does not. Optional; otherwise `nsw` and `nuw` are
/// compared.
template <class IR>
concept has_package_promises = requires(const IR& ir, value_id v) {
  { ir.promises_more(v, v) } -> truth_value;
};

/// `may_be_undefined(v)` says whether two reads of `v` may give different values, as for LLVM's `undef`. Optional;
/// otherwise only literals may (`is_undefined`).
template <class IR>
concept has_may_be_undefined = requires(const IR& ir, value_id v) {
  { ir.may_be_undefined(v) } -> truth_value;
};

/// The cost of an operation, by class: cycles until its result can be used. `of_machine` reads them from a machine
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

template <class E, class... Members> class package_manager;

namespace detail {

/// A visited operation in the hash table of available ones.
struct package_entry {
  std::uint64_t hash;
  value_id value;
  std::uint32_t next; ///< in the list of its bucket
};

} // namespace detail

/// The memory of a managed package, for reuse from program to program.
class managed_package_workspace {
public:
  /// Facts about each value at the end of the last run. Empty if that run was given no facts.
  span<const number_facts> facts() const { return {facts_.data(), facts_.size()}; }

private:
  template <class IR> friend class package_context;
  template <class E, class... Members> friend class package_manager;

  dominators_workspace dominating_;
  dominator_tree tree_;
  depth_first_order_workspace searching_;
  depth_first_numbering order_;
  detail::memory_walk_workspace walk_;
  flat_array<number_facts> facts_;       ///< by value; empty: no facts were given
  flat_array<node_id> home_;             ///< by value: the node of an operation, `no_node` if it is erased
  flat_array<std::uint64_t> key_;        ///< by value: increases along a node
  flat_array<value_id> previous_;        ///< by value: the one before it in its node
  flat_array<unsigned char> reads_news_; ///< by value: see `reads_news()`
  flat_array<std::uint32_t> buckets_;
  flat_array<detail::package_entry> entries_;
  flat_array<value_id> operands_;
  flat_array<value_id> other_operands_;
  flat_array<std::uint64_t> keys_;
  // of the manager
  flat_array<node_id> nodes_; ///< in reverse post-order
  flat_array<value_id> queue_;
  flat_array<unsigned char> is_queued_;   ///< by value
  flat_array<std::uint32_t> generation_;  ///< by value
  flat_array<value_id> fresh_;            ///< made, and not visited yet
  flat_array<value_id> made_;             ///< the new operations of the current tree
  flat_array<value_id> users_;            ///< of the replaced operation
  flat_array<value_id> operands_of_gone_; ///< or of values that an order names
  flat_array<value_id> stores_;
};

/// What members of a package read besides the IR. The manager changes the program and updates the context.
template <class IR> class package_context {
public:
  const IR& ir() const { return ir_; }

  const operation_costs& costs() const { return costs_; }

  /// Whether `a` is computed before `v` on every path to it. True for literals and parameters, false for erased
  /// operations.
  bool precedes(value_id a, value_id v) const {
    const node_id from = home(a);
    const node_id to = home(v);
    if (a < key_.size() && key_[a] == gone) {
      return false;
    }
    return from == no_node || (from == to ? key_[a] < key_[v] : tree_.strictly_dominates(from, to));
  }

  /// The node of an operation; `no_node` for literals, parameters and erased operations.
  node_id home(value_id v) const { return v < home_.size() ? home_[v] : no_node; }

  bool is_reachable(node_id n) const { return tree_.is_reachable(n); }

  bool has_users(value_id v) const {
    for (const auto user : ir_.users(v)) {
      static_cast<void>(user);
      return true;
    }
    return false;
  }

  /// Whether `user`, and nothing else, reads `v`.
  bool is_only_user(value_id v, value_id user) const {
    for (const auto u : ir_.users(v)) {
      if (static_cast<value_id>(u) != user) {
        return false;
      }
    }
    return true;
  }

  /// Whether `v` may be copied, shared and run elsewhere, apart from its guard. It has no effect, control continues
  /// after it, it gives the same result each time, and it does not depend on which threads run it together.
  bool is_pure(value_id v) const {
    return !ir_.is_phi(v) && !midend::is_terminator(ir_, v) && ir_.effect(v) == effect_kind::none &&
           !ir_.may_not_return(v) && !ir_.is_volatile(v) && is_repeatable(ir_, v) && !is_convergent(ir_, v);
  }

  /// Whether `u` promises something that `v` does not. Both compute or load the same.
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

  /// Facts that hold whenever `v` is computed: a literal, or what the caller told the package.
  number_facts facts(value_id v) const {
    const unsigned width = ir_.operation(v).width;
    if (const auto c = ir_.constant(v)) {
      return number_facts::exactly(width, static_cast<std::uint64_t>(*c));
    }
    return v < facts_.size() && facts_[v].most <= low_ones(width) ? facts_[v] : number_facts::any(width);
  }

  /// Adds the fact `f` to those about `v`.
  void refine_facts(value_id v, const number_facts& f) {
    if (has_facts()) {
      const number_facts old = facts(v);
      const number_facts both = facts_of_both(old, f);
      if (!(both == old)) {
        set_facts(v, both);
        tell_readers(v);
      }
    }
  }

  bool regroups_sums() const { return regroups_sums_; }

  bool has_facts() const { return !facts_.empty(); }

  /// Whether `v` is new, or facts about an operand changed since the start. Otherwise the facts about `v` already
  /// include those of its operands.
  bool reads_news(value_id v) const { return v >= reads_news_.size() || reads_news_[v] != 0; }

  /// Derives facts about the result of `v` from its operands alone. `v` is an operation of the vocabulary.
  number_facts facts_by_operands(value_id v) const {
    number_facts operands[3] = {};
    std::size_t count = 0;
    detail::for_each_id(ir_.operands(v), [&](value_id x) {
      if (count < 3 && x != no_value) {
        operands[count++] = facts(x);
      }
    });
    return facts_of(ir_.operation(v), span<const number_facts>(operands, count));
  }

  /// Derives facts about an operation that does not exist yet.
  number_facts facts_of(const operation_info& info, span<const number_facts> operands) const {
    return facts_of_result_ == nullptr || facts_.empty() || operands.size() != arity(info.code) || operands.empty()
               ? number_facts::any(info.width)
               : facts_of_result_(info, operands);
  }

  /// An operation that precedes `v` and computes the same, or `no_value`. Compares with the last 64 visited operations
  /// of the same hash.
  value_id equal_before(value_id v) {
    const std::optional<std::uint64_t> hash = hash_of(v);
    std::size_t tries = 64;
    for (std::uint32_t e = hash ? bucket_of(*hash) : no_entry; e != no_entry && tries != 0;
         e = entries_[e].next, --tries) {
      const value_id u = entries_[e].value;
      if (entries_[e].hash == *hash && u != v && is_here(u) && precedes(u, v) && is_equal(u, v)) {
        return u;
      }
    }
    return no_value;
  }

  /// A guarded operation that precedes `v`, has the same predicate and computes the same if it runs; or `no_value`. The
  /// other values may differ.
  value_id equal_if_run_before(value_id v) {
    const std::optional<std::uint64_t> hash = hash_if_run(v);
    std::size_t tries = 64;
    for (std::uint32_t e = hash ? bucket_of(*hash) : no_entry; e != no_entry && tries != 0;
         e = entries_[e].next, --tries) {
      const value_id u = entries_[e].value;
      if (entries_[e].hash == *hash && u != v && is_here(u) && precedes(u, v) && is_equal_if_run(u, v)) {
        return u;
      }
    }
    return no_value;
  }

  /// For each operation of an order about `v`: an equal operation before `v`, or `no_value`.
  void find_existing(value_id v, const package_order& order,
                     value_id (&existing)[package_order::max_operations]) const {
    for (std::size_t i = 0; i != order.num_operations; ++i) {
      const ordered_operation& o = order.operations[i];
      existing[i] = no_value;
      if (o.like != no_value || o.info.code == operation::other) {
        continue;
      }
      order_operand operands[3];
      bool known = true;
      for (std::size_t k = 0; k != o.num_operands; ++k) {
        operands[k] = o.operands[k];
        if (operands[k].what == order_operand::kind::made) {
          operands[k] = order_operand::value(existing[operands[k].index]);
          known = known && operands[k].index != no_value;
        }
      }
      existing[i] = known ? computed_before(v, o.info, operands, o.num_operands) : no_value;
    }
  }

  std::uint32_t cost_of(value_id v) const {
    if constexpr (has_cost<IR>) {
      return costs_.of(ir_.cost(v));
    } else {
      return costs_.of(usual_class(ir_.operation(v)));
    }
  }

  /// Whether the new operations of an order cost no more than `v` and the operation that is erased with it.
  bool pays(value_id v, const package_order& order) const {
    return order.kind != order_kind::tree ||
           cost_of_order(v, order) <= cost_of(v) + cost_of_dying(v, order) + order.saves;
  }

  /// The cost of a tree's operations that do not exist before `v` yet.
  std::uint32_t cost_of_order(value_id v, const package_order& order) const {
    value_id existing[package_order::max_operations];
    find_existing(v, order, existing);
    return new_cost(order, existing);
  }

  /// What memory holds where the load or store `v` accesses it. With `must_be_whole`, all bits must be known.
  detail::held_value held_before(value_id v, const memory_reference& place, const guard_of_value& same_guard = {},
                                 bool must_be_whole = false) {
    return walk_.held_before(v, place, same_guard, [](value_id x) { return x; }, must_be_whole);
  }

  /// Whether the value that the store `v` writes is overwritten before anything may read it.
  bool is_overwritten(value_id v, const memory_reference& place) {
    return walk_.is_overwritten(v, place, [](value_id x) { return x; });
  }

  /// The address of a load or store. Nothing if it is volatile or its node is unreachable.
  std::optional<memory_reference> plain_access(value_id v, effect_kind effect) const {
    return walk_.plain_access(v, effect);
  }

private:
  template <class E, class... Members> friend class package_manager;

  static constexpr std::uint32_t no_entry = 0xffff'ffff;
  static constexpr std::uint64_t gone = ~std::uint64_t{0};
  static constexpr std::uint64_t key_step = std::uint64_t{1} << 32;

  package_context(const IR& ir, const operation_costs& costs, std::size_t steps, managed_package_workspace& workspace)
      : ir_(ir), costs_(costs), w_(workspace), tree_(tree_of(ir, workspace)), walk_(ir, tree_, steps, workspace.walk_) {
    entries_.clear();
    const auto count = static_cast<std::size_t>(ir.num_values());
    home_.assign(count, no_node);
    key_.assign(count, 0);
    previous_.assign(count, no_value);
    reads_news_.assign(count, 0);
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

  static const dominator_tree& tree_of(const IR& ir, managed_package_workspace& workspace) {
    dominators(ir.graph(), semi_nca, workspace.dominating_, workspace.tree_);
    return workspace.tree_;
  }

  /// Marks the readers of `v`: they will read another value, or facts about `v` changed.
  void tell_readers(value_id v) {
    for (const auto user : ir_.users(v)) {
      const auto w = static_cast<value_id>(user);
      if (w < reads_news_.size()) {
        reads_news_[w] = 1;
      }
    }
  }

  /// `by` gets the readers of `v`, and computes the same. It keeps only facts that both have: each value's own facts
  /// may hold only because of promises where its own readers read it.
  void gets_readers_of(value_id by, value_id v) {
    tell_readers(v);
    if (has_facts() && !ir_.constant(by)) {
      set_facts(by, facts_of_either(facts(by), facts(v)));
    }
  }

  /// The promises of an operation that facts prove, whatever it promises itself.
  operation_flags proves(const operation_info& info, span<const value_id> operands) const {
    if (!has_facts() || (info.code != operation::add && info.code != operation::sub) || operands.size() != 2) {
      return {};
    }
    const number_facts a = facts(operands[0]);
    const number_facts b = facts(operands[1]);
    const unsigned w = info.width;
    if (ir_.operation(operands[0]).width != w || ir_.operation(operands[1]).width != w) {
      return {};
    }
    const auto bits = [](std::int64_t x) { return static_cast<std::uint64_t>(x); };
    operation_flags holds;
    if (info.code == operation::add) {
      holds.no_signed_wrap = !detail::wrapping_add(bits(a.low), bits(b.low), w).signed_wrap &&
                             !detail::wrapping_add(bits(a.high), bits(b.high), w).signed_wrap;
      holds.no_unsigned_wrap = !detail::wrapping_add(a.most, b.most, w).unsigned_wrap;
    } else {
      holds.no_signed_wrap = !detail::wrapping_sub(bits(a.low), bits(b.high), w).signed_wrap &&
                             !detail::wrapping_sub(bits(a.high), bits(b.low), w).signed_wrap;
      holds.no_unsigned_wrap = a.least >= b.most;
    }
    return holds;
  }

  /// Whether facts prove all promises of `v`.
  bool promises_hold(value_id v) const {
    const operation_info info = ir_.is_phi(v) ? operation_info() : ir_.operation(v);
    if (info.code != operation::add && info.code != operation::sub) {
      return false;
    }
    value_id operands[2] = {no_value, no_value};
    std::size_t count = 0;
    detail::for_each_id(ir_.operands(v), [&](value_id x) {
      if (count < 2) {
        operands[count] = x;
      }
      ++count;
    });
    const operation_flags holds = count == 2 ? proves(info, span<const value_id>(operands, 2)) : operation_flags();
    return (holds.no_signed_wrap || !info.flags.no_signed_wrap) &&
           (holds.no_unsigned_wrap || !info.flags.no_unsigned_wrap) && (holds != operation_flags());
  }

  /// Replaces the facts about `v`.
  void set_facts(value_id v, const number_facts& f) {
    if (facts_.empty()) {
      return;
    }
    while (facts_.size() <= v) {
      facts_.push_back(number_facts());
    }
    facts_[v] = f;
  }

  /// The operations that the tree must make, as bits: those that the result needs and that do not exist.
  static std::uint32_t to_be_made(const package_order& order,
                                  const value_id (&existing)[package_order::max_operations]) {
    static_assert(package_order::max_operations <= 32);
    std::uint32_t read = std::uint32_t{1} << (order.num_operations - 1);
    for (std::size_t i = order.num_operations; i-- != 0;) {
      const ordered_operation& o = order.operations[i];
      if (existing[i] != no_value) {
        read &= ~(std::uint32_t{1} << i);
      }
      for (std::size_t k = 0; (read >> i & 1) != 0 && k != o.num_operands; ++k) {
        read |= o.operands[k].what == order_operand::kind::made ? std::uint32_t{1} << o.operands[k].index : 0u;
      }
    }
    return read;
  }

  std::uint32_t new_cost(const package_order& order, const value_id (&existing)[package_order::max_operations]) const {
    const std::uint32_t made = to_be_made(order, existing);
    std::uint32_t cost = 0;
    for (std::size_t i = 0; i != order.num_operations; ++i) {
      const ordered_operation& o = order.operations[i];
      cost += (made >> i & 1) == 0 ? 0 : o.like != no_value ? cost_of(o.like) : costs_.of(usual_class(o.info));
    }
    return cost;
  }

  std::uint32_t cost_of_dying(value_id v, const package_order& order) const {
    return order.dies != no_value && is_only_user(order.dies, v) ? cost_of(order.dies) : 0;
  }

  /// An operation before `v` with this meaning and these operands, or `no_value`.
  value_id computed_before(value_id v, const operation_info& info, const order_operand (&operands)[3],
                           std::size_t count) const {
    std::uint64_t keys[3] = {};
    for (std::size_t k = 0; k != count; ++k) {
      keys[k] = operands[k].what == order_operand::kind::literal ? key_of_literal(operands[k].literal)
                                                                 : key_of(operands[k].index);
    }
    const std::uint64_t hash = hash_of_operation(kind_of(info), info.code, span<const std::uint64_t>(keys, count));
    std::size_t tries = 64;
    for (std::uint32_t e = bucket_of(hash); e != no_entry && tries != 0; e = entries_[e].next, --tries) {
      const value_id u = entries_[e].value;
      if (entries_[e].hash == hash && u != v && is_here(u) && !ir_.is_phi(u) && precedes(u, v) &&
          computes(u, info, operands, count)) {
        return u;
      }
    }
    return no_value;
  }

  bool computes(value_id u, const operation_info& info, const order_operand (&operands)[3], std::size_t count) const {
    const operation_info own = ir_.operation(u);
    if (!is_pure(u) || own.code == operation::other || kind_of(own) != kind_of(info)) {
      return false;
    }
    value_id read[3] = {no_value, no_value, no_value};
    std::size_t size = 0;
    detail::for_each_id(ir_.operands(u), [&](value_id x) {
      if (size < 3) {
        read[size] = x;
      }
      ++size;
    });
    const auto is_operand = [&](value_id x, const order_operand& wanted) {
      if (x == no_value || is_undefined(x)) {
        return false;
      }
      const auto c = ir_.constant(x);
      return wanted.what == order_operand::kind::literal
                 ? c && static_cast<std::uint64_t>(*c) == wanted.literal && ir_.operation(x).width == wanted.width
                 : x == wanted.index;
    };
    bool same = size == count;
    for (std::size_t k = 0; same && k != count; ++k) {
      same = is_operand(read[k], operands[k]);
    }
    return same || (size == 2 && count == 2 && is_commutative(info.code) && is_operand(read[1], operands[0]) &&
                    is_operand(read[0], operands[1]));
  }

  static std::uint64_t kind_of(const operation_info& info) {
    return std::uint64_t{static_cast<std::uint8_t>(info.code)} << 16 | std::uint64_t{info.width} << 8 |
           (is_comparison(info.code) || info.code == operation::truncate || is_modulo_shift(info.code) ||
                    info.code == operation::zero_extend || info.code == operation::sign_extend
                ? info.operand_width
                : std::uint8_t{0});
  }

  /// Equal literals get one key, wherever they stand.
  std::uint64_t key_of(value_id x) const {
    const auto c = x == no_value ? decltype(ir_.constant(x))() : ir_.constant(x);
    return c ? key_of_literal(static_cast<std::uint64_t>(*c)) : std::uint64_t{x};
  }

  static std::uint64_t key_of_literal(std::uint64_t bits) { return bits ^ 0x9e37'79b9'7f4a'7c15; }

  static std::uint64_t hash_of_operation(std::uint64_t kind, operation code, span<const std::uint64_t> keys) {
    if (keys.size() == 2 && is_commutative(code)) { // operands in either order give one key
      return detail::mix_hash(kind, detail::mix_hash(0, keys[0]) + detail::mix_hash(0, keys[1]));
    }
    std::uint64_t hash = kind;
    for (const std::uint64_t k : keys) {
      hash = detail::mix_hash(hash, k);
    }
    return hash;
  }

  bool is_here(value_id v) const { return home(v) != no_node; }

  operation_flags flags_of(value_id v) const {
    if constexpr (has_guard<IR>) {
      return ir_.guard(v).predicate != no_value ? ir_.unguarded(v).flags : ir_.operation(v).flags;
    } else {
      return ir_.operation(v).flags;
    }
  }

  /// Stores the options, except for costs and steps.
  void be_told(span<const number_facts> facts,
               number_facts (*facts_of_result)(const operation_info&, span<const number_facts>), bool regroups_sums) {
    facts_.assign(facts);
    facts_of_result_ = facts_of_result;
    regroups_sums_ = regroups_sums;
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

  /// Updates the context: `w` was made directly before `v`.
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

  /// Updates the context before `v` is erased; `next` comes after it.
  void leaves(value_id v, value_id next) {
    if (next != no_value) {
      previous_[next] = previous_[v];
    }
    home_[v] = no_node;
    key_[v] = gone;
    walk_.remove(v);
  }

  /// Makes `v` available as an equal operation. Returns an available one that `v` precedes, so that it is visited
  /// again.
  value_id offer(value_id v) {
    const std::optional<std::uint64_t> hash = hash_of(v);
    if (!hash) {
      return no_value;
    }
    value_id later = no_value;
    std::size_t tries = 64;
    for (std::uint32_t e = bucket_of(*hash); e != no_entry && tries != 0; e = entries_[e].next, --tries) {
      const value_id u = entries_[e].value;
      if (entries_[e].hash == *hash && is_here(u)) {
        if (u == v) {
          return later; // already in the table
        }
        if (precedes(v, u)) {
          later = is_equal(v, u) ? u : later;
        } else if (!has_equal_apart_ && !precedes(u, v)) {
          has_equal_apart_ = is_equal(v, u);
        }
      }
    }
    insert(*hash, v);
    if (const auto if_run = hash_if_run(v)) {
      insert(*if_run, v);
    }
    return later;
  }

  /// The first of a list in `entries_`. The number of buckets is a power of two, and fits where a pointer does.
  std::uint32_t& bucket_of(std::uint64_t hash) { return buckets_[static_cast<std::size_t>(hash & mask_)]; }

  std::uint32_t bucket_of(std::uint64_t hash) const { return buckets_[static_cast<std::size_t>(hash & mask_)]; }

  void insert(std::uint64_t hash, value_id v) {
    std::uint32_t& first = bucket_of(hash);
    entries_.push_back({hash, v, first});
    first = static_cast<std::uint32_t>(entries_.size() - 1);
  }

  /// The hash of a pure guarded operation without its last operand, which is its other value.
  std::optional<std::uint64_t> hash_if_run([[maybe_unused]] value_id v) {
    if constexpr (has_guard<IR>) {
      if (ir_.is_phi(v) || ir_.guard(v).predicate == no_value || ir_.guard(v).otherwise == no_value || !is_pure(v)) {
        return std::nullopt;
      }
      std::uint64_t hash = detail::mix_hash(kind_of(ir_.unguarded(v)), ir_.guard(v).negated ? 3 : 2);
      value_id last = no_value;
      detail::for_each_id(ir_.operands(v), [&](value_id x) {
        hash = last == no_value ? hash : detail::mix_hash(hash, key_of(last));
        last = x;
      });
      return hash;
    } else {
      return std::nullopt;
    }
  }

  bool is_equal_if_run([[maybe_unused]] value_id u, [[maybe_unused]] value_id v) {
    if constexpr (has_guard<IR>) {
      if (ir_.is_phi(u) || !is_pure(u) || !same_type(ir_, u, v)) {
        return false;
      }
      const guard_of_value a = ir_.guard(u);
      const guard_of_value b = ir_.guard(v);
      const operation_info first = ir_.unguarded(u);
      const operation_info second = ir_.unguarded(v);
      if (a.predicate != b.predicate || a.negated != b.negated || a.otherwise == no_value ||
          kind_of(first) != kind_of(second) || first.code == operation::other) {
        return false;
      }
      operands_.clear();
      other_operands_.clear();
      detail::for_each_id(ir_.operands(u), [&](value_id x) { other_operands_.push_back(x); });
      detail::for_each_id(ir_.operands(v), [&](value_id x) { operands_.push_back(x); });
      bool same = operands_.size() == other_operands_.size() && !operands_.empty();
      for (std::size_t i = 0; same && i + 1 != operands_.size(); ++i) {
        same = operands_[i] == other_operands_[i] && operands_[i] != no_value && !is_undefined(operands_[i]);
      }
      return same;
    } else {
      return false;
    }
  }

  /// A number for what `v` computes; nothing if that is unknown or may differ from run to run.
  std::optional<std::uint64_t> kind_of(value_id v) const {
    const operation_info info = ir_.operation(v);
    if (info.code != operation::other) {
      return kind_of(info);
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
    keys_.clear();
    detail::for_each_id(ir_.operands(v), [&](value_id x) { keys_.push_back(key_of(x)); });
    return hash_of_operation(*kind, ir_.operation(v).code, span<const std::uint64_t>(keys_.data(), keys_.size()));
  }

  /// The operands; those of commutative operations are sorted.
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
  managed_package_workspace& w_;
  const dominator_tree& tree_;
  detail::memory_walk<IR> walk_;
  number_facts (*facts_of_result_)(const operation_info&, span<const number_facts>) = nullptr;
  bool regroups_sums_ = false;
  bool has_equal_apart_ = false; ///< two equal operations were seen, and neither precedes the other
  std::uint64_t mask_ = 0;
  flat_array<number_facts>& facts_ = w_.facts_;
  flat_array<node_id>& home_ = w_.home_;
  flat_array<std::uint64_t>& key_ = w_.key_;
  flat_array<value_id>& previous_ = w_.previous_;
  flat_array<unsigned char>& reads_news_ = w_.reads_news_;
  flat_array<std::uint32_t>& buckets_ = w_.buckets_;
  flat_array<detail::package_entry>& entries_ = w_.entries_;
  flat_array<value_id>& operands_ = w_.operands_;
  flat_array<value_id>& other_operands_ = w_.other_operands_;
  flat_array<std::uint64_t>& keys_ = w_.keys_;
};

MIDEND_END_NAMESPACE
