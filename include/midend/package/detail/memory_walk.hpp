/// `memory_walk`: what memory holds before an operation, and whether what a store writes is read. Shared by
/// `memory_redundancy` and the low-level package.
#pragma once

#include "midend/config.hpp"
#include "midend/dominance/dominator_tree.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/memory_effects.hpp"
#include "midend/ir/semantics.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// What memory holds at a place.
struct held_value {
  value_id access = no_value; ///< the load or store that says it; none: unknown
  value_id value = no_value;  ///< what it loads or stores
  std::uint64_t distance = 0; ///< where the place starts in it, in bytes
  std::uint32_t bytes = 0;    ///< of the access
  bool is_whole = false;      ///< the value is all that the bytes hold, or more: storing it writes them as they are
  bool is_exact = false;      ///< a load of the bytes gives the value, if it has as many bits
};

/// How many bits the value of the access `v` to `m` has; 0 if that is unknown.
template <class IR>
constexpr std::uint32_t bits_of_access([[maybe_unused]] const IR& ir, value_id v, const memory_reference& m) {
  if (m.bits != 0) {
    return m.bits;
  }
  if constexpr (has_operation<IR>) {
    return ir.operation(ir.effect(v) == effect_kind::writes ? m.stored : v).width;
  } else {
    return 0;
  }
}

/// Whether a load of `bits` bits gives what is in its bytes, or the low ones of them, and does not extend them.
constexpr bool fits_in_bytes(std::uint32_t bits, std::uint32_t bytes) {
  return bits != 0 && bits <= std::uint64_t{8} * bytes;
}

/// The guard of an operation, or none.
template <class IR> guard_of_value guard_or_none([[maybe_unused]] const IR& ir, [[maybe_unused]] value_id v) {
  if constexpr (has_guard<IR>) {
    return ir.guard(v);
  } else {
    return {};
  }
}

/// The guard of a load or store; none if that always runs.
template <class IR> guard_of_value guard_of_access(const IR& ir, value_id v) {
  const guard_of_value guard = guard_or_none(ir, v);
  const auto bit = guard.predicate != no_value ? ir.constant(guard.predicate) : std::nullopt;
  return bit && ((static_cast<std::uint64_t>(*bit) & 1) != 0) != guard.negated ? guard_of_value() : guard;
}

/// The memory of a walk, to be reused from program to program.
class memory_walk_workspace {
  template <class IR> friend class memory_walk;

  struct way {
    node_id node;
    bool leaves; ///< everything after the node was seen
  };

  flat_array<value_id> accesses_; ///< node by node, in order; `no_value` where one has left
  flat_array<std::uint32_t> begin_;
  flat_array<std::uint32_t> position_; ///< by value, in `accesses_`
  flat_array<node_id> home_;           ///< by value
  flat_array<std::uint32_t> mark_;     ///< by node
  flat_array<way> ways_;
};

/// Lists the operations of each node that concern memory, once, and answers from these lists. Each question passes at
/// most `limit` operations and edges. Operations may leave (`remove`) and be replaced by others (`put`); nodes and
/// edges must stay. Values are compared by what `resolve` of each question gives.
template <class IR> class memory_walk {
public:
  memory_walk(const IR& ir, const dominator_tree& tree, std::size_t limit, memory_walk_workspace& workspace)
      : ir_(ir), tree_(tree), limit_(limit), w_(workspace) {
    accesses_.clear();
    const node_id count = node_count(ir.graph());
    position_.assign(static_cast<std::size_t>(ir.num_values()), no_position);
    home_.assign(position_.size(), no_node);
    begin_.assign(count + std::size_t{1}, 0);
    mark_.assign(count, 0);
    for (node_id n = 0; n != count; ++n) {
      begin_[n] = static_cast<std::uint32_t>(accesses_.size());
      for_each_id(ir.values(n), [&](value_id v) {
        home_[v] = n;
        if (tree.is_reachable(n) && !ir.is_phi(v) &&
            (ir.effect(v) != effect_kind::none || ir.is_volatile(v) || ir.may_not_return(v))) {
          position_[v] = static_cast<std::uint32_t>(accesses_.size());
          accesses_.push_back(v);
        }
      });
    }
    begin_[count] = static_cast<std::uint32_t>(accesses_.size());
  }

  bool is_listed(value_id v) const { return v < position_.size() && position_[v] != no_position; }

  /// The place of a load or store with a known address and size that is not volatile and returns, in a node that
  /// control reaches; else nothing.
  std::optional<memory_reference> plain_access(value_id v, effect_kind effect) const {
    if (!is_listed(v) || ir_.effect(v) != effect || is_fixed_access(ir_, v) || ir_.may_not_return(v)) {
      return std::nullopt;
    }
    const std::optional<memory_reference> m = accessed_place(ir_, v);
    return m && m->base != no_value && m->bytes != 0 ? m : std::nullopt;
  }

  /// `v` is no more.
  void remove(value_id v) {
    if (is_listed(v)) {
      accesses_[position_[v]] = no_value;
      position_[v] = no_position;
    }
  }

  /// `by` is made in place of `v`, which is listed, and in its node.
  void put(value_id v, value_id by) {
    const std::uint32_t at = position_[v];
    const node_id n = home_[v];
    note(by, n);
    position_[by] = at;
    accesses_[at] = by;
    position_[v] = no_position;
  }

  /// `v` is in node `n` and does not concern memory.
  void note(value_id v, node_id n) {
    while (position_.size() <= v) {
      position_.push_back(no_position);
      home_.push_back(no_node);
    }
    home_[v] = n;
  }

  /// What is at `place` before `v` runs, from the last access on all paths there. The answer was computed before `v` on
  /// every path, and has not changed since. If `same_guard` has a predicate, only loads under the same guard answer:
  /// the one that is its other value, and those with the same other value. Otherwise accesses without a guard answer.
  /// If the answer must be whole, loads that do not read all bits of their bytes are passed.
  template <class Resolve>
  held_value held_before(value_id v, const memory_reference& place, const guard_of_value& same_guard,
                         const Resolve& resolve, bool must_be_whole = false) {
    steps_ = 0;
    node_id n = home_[v];
    std::uint32_t i = position_[v];
    while (true) {
      while (i != begin_[n]) {
        const value_id x = accesses_[--i];
        if (x == no_value) {
          continue;
        }
        const held_value found = held_by(x, place, same_guard, resolve);
        if (found.access != no_value && (found.is_whole || !must_be_whole)) {
          return found;
        }
        if (++steps_ > limit_ || may_write_to(ir_, x, place, resolve)) {
          return {};
        }
      }
      const node_id above = tree_.immediate_dominator(n);
      if (above == no_node || ++steps_ > limit_ || !is_clear_between(above, n, place, resolve)) {
        return {};
      }
      n = above;
      i = begin_[n + std::size_t{1}];
    }
  }

  /// Whether on every path from the store `v` another store writes all its bytes, and nothing reads one before. Ways on
  /// which control may stay for ever, and ways that compute the address anew, count as reads.
  template <class Resolve> bool is_overwritten(value_id v, const memory_reference& place, const Resolve& resolve) {
    steps_ = 0;
    const guard_of_value guard = guard_of_access(ir_, v);
    const node_id start = home_[v];
    const std::uint32_t grey = next_marks(2);
    const std::uint32_t black = grey + 1;
    ways_.clear();
    mark_[start] = grey;
    ways_.push_back({start, true});
    if (!pass_forward(start, position_[v] + 1, place, guard, resolve)) {
      return false;
    }
    while (!ways_.empty()) {
      const way at = ways_.back();
      ways_.pop_back();
      if (at.leaves) {
        mark_[at.node] = black;
      } else if (mark_[at.node] == grey) {
        return false; // a cycle
      } else if (mark_[at.node] != black) {
        mark_[at.node] = grey;
        ways_.push_back({at.node, true});
        if (defines(at.node, place.base) || defines(at.node, place.index) || defines(at.node, guard.predicate) ||
            !pass_forward(at.node, begin_[at.node], place, guard, resolve)) {
          return false;
        }
      }
    }
    return true;
  }

private:
  static constexpr std::uint32_t no_position = 0xffff'ffff;

  using way = memory_walk_workspace::way;

  /// The first of some marks that no node has: nodes keep those of earlier questions.
  std::uint32_t next_marks(std::uint32_t count) {
    if (marks_ > 0xffff'fff0) {
      mark_.assign(mark_.size(), 0);
      marks_ = 1;
    }
    const std::uint32_t first = marks_;
    marks_ += count;
    return first;
  }

  bool defines(node_id n, value_id v) const { return v != no_value && v < home_.size() && home_[v] == n; }

  static bool same_guards(const guard_of_value& a, const guard_of_value& b) {
    return a.predicate == b.predicate && a.negated == b.negated;
  }

  template <class Resolve>
  held_value held_by(value_id x, const memory_reference& place, const guard_of_value& same_guard,
                     const Resolve& resolve) const {
    const effect_kind effect = ir_.effect(x);
    if ((effect != effect_kind::reads && effect != effect_kind::writes) || is_fixed_access(ir_, x)) {
      return {};
    }
    const std::optional<memory_reference> m = accessed_place(ir_, x);
    const std::optional<std::uint64_t> distance = m ? distance_of(*m, place, resolve) : std::nullopt;
    if (!distance || !covers(*distance, m->bytes, place.bytes)) {
      return {};
    }
    const guard_of_value guard = guard_of_access(ir_, x);
    if (same_guard.predicate != no_value) {
      const bool same =
          effect == effect_kind::reads && guard.predicate != no_value &&
          resolve(guard.predicate) == resolve(same_guard.predicate) && guard.negated == same_guard.negated &&
          guard.otherwise != no_value && same_guard.otherwise != no_value &&
          (resolve(same_guard.otherwise) == resolve(x) || resolve(guard.otherwise) == resolve(same_guard.otherwise)) &&
          *distance == 0 && m->bytes == place.bytes;
      return same ? answer(x, *m, 0) : held_value();
    }
    if (guard.predicate != no_value || (effect == effect_kind::writes && m->stored == no_value)) {
      return {};
    }
    return answer(x, *m, *distance);
  }

  /// A store writes its bytes from its value, so writing them again changes nothing. A load may leave bits out.
  held_value answer(value_id x, const memory_reference& m, std::uint64_t distance) const {
    const std::uint32_t bits = bits_of_access(ir_, x, m);
    const bool is_load = ir_.effect(x) == effect_kind::reads;
    return {x,
            is_load ? x : m.stored,
            distance,
            m.bytes,
            !is_load || bits >= std::uint64_t{8} * m.bytes,
            fits_in_bytes(bits, m.bytes)};
  }

  /// Whether nothing writes `place` on the ways from the end of `above` to the head of `n`, which it dominates.
  template <class Resolve>
  bool is_clear_between(node_id above, node_id n, const memory_reference& place, const Resolve& resolve) {
    const std::uint32_t seen = next_marks(1);
    ways_.clear();
    const auto list_ways_to = [&](node_id to) {
      for (const auto id : ir_.graph().in_edges(to)) {
        const auto from = static_cast<node_id>(ir_.graph().edge_source(static_cast<edge_id>(id)));
        if (++steps_ > limit_) {
          return false;
        }
        if (from != above && tree_.is_reachable(from) && mark_[from] != seen) {
          mark_[from] = seen;
          ways_.push_back({from, false});
        }
      }
      return true;
    };
    if (!list_ways_to(n)) {
      return false;
    }
    while (!ways_.empty()) {
      const node_id at = ways_.back().node;
      ways_.pop_back();
      for (std::uint32_t i = begin_[at]; i != begin_[at + std::size_t{1}]; ++i) {
        const value_id x = accesses_[i];
        if (x != no_value && (++steps_ > limit_ || may_write_to(ir_, x, place, resolve))) {
          return false;
        }
      }
      if (!list_ways_to(at)) {
        return false;
      }
    }
    return true;
  }

  /// From an operation to the end of its node; lists the nodes after it unless the place is overwritten before. False
  /// if it may be read.
  template <class Resolve>
  bool pass_forward(node_id n, std::uint32_t from, const memory_reference& place, const guard_of_value& guard,
                    const Resolve& resolve) {
    if (++steps_ > limit_) {
      return false;
    }
    for (std::uint32_t i = from; i != begin_[n + std::size_t{1}]; ++i) {
      const value_id x = accesses_[i];
      if (x == no_value) {
        continue;
      }
      if (++steps_ > limit_ || may_read_from(ir_, x, place, resolve)) {
        return false;
      }
      if (overwrites(x, place, guard, resolve)) {
        return true;
      }
    }
    bool continues = false;
    for (const auto id : ir_.graph().successors(n)) {
      if (++steps_ > limit_) {
        return false;
      }
      continues = true;
      ways_.push_back({static_cast<node_id>(id), false});
    }
    return continues; // what remains in memory at the end is read
  }

  template <class Resolve>
  bool overwrites(value_id x, const memory_reference& place, const guard_of_value& guard,
                  const Resolve& resolve) const {
    if (ir_.effect(x) != effect_kind::writes || is_fixed_access(ir_, x)) {
      return false;
    }
    const std::optional<memory_reference> m = accessed_place(ir_, x);
    const std::optional<std::uint64_t> distance = m ? distance_of(*m, place, resolve) : std::nullopt;
    const guard_of_value own = guard_of_access(ir_, x);
    return distance && covers(*distance, m->bytes, place.bytes) &&
           (own.predicate == no_value || same_guards(own, guard));
  }

  const IR& ir_;
  const dominator_tree& tree_;
  std::size_t limit_;
  std::size_t steps_ = 0;
  std::uint32_t marks_ = 1; ///< the next one; 0 is none
  memory_walk_workspace& w_;
  flat_array<value_id>& accesses_ = w_.accesses_;
  flat_array<std::uint32_t>& begin_ = w_.begin_;
  flat_array<std::uint32_t>& position_ = w_.position_;
  flat_array<node_id>& home_ = w_.home_;
  flat_array<std::uint32_t>& mark_ = w_.mark_;
  flat_array<way>& ways_ = w_.ways_;
};

} // namespace detail

MIDEND_END_NAMESPACE
