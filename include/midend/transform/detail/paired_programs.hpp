/// `paired_programs`: two programs in which nodes, edges and values have equal numbers, so that they can be compared
/// number by number.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/cost.hpp"
#include "midend/ir/edge_cases.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/optional.hpp"
#include "midend/transform/certifiable_ir.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {

template <class Before, class After> class paired_programs {
public:
  paired_programs(const Before& old_program, const After& new_program) : before(old_program), after(new_program) {}

  /// Whether both programs have equal nodes and edges, and the new one no fewer values. Also reads where values are.
  bool read() {
    require_apart_literals(before);
    const auto& g = before.graph();
    const auto& h = after.graph();
    const node_id count = node_count(g);
    if (count != node_count(h) || static_cast<std::size_t>(after.num_values()) < num_old_values() ||
        (count != 0 && static_cast<node_id>(g.entry()) != static_cast<node_id>(h.entry()))) {
      return false;
    }
    place(before, old_home);
    place(after, new_home);
    reached.assign(count, 0);
    if (count != 0) {
      order.push_back(static_cast<node_id>(h.entry()));
      reached[order[0]] = 1;
    }
    for (std::size_t i = 0; i != order.size(); ++i) {
      for_each_id(h.successors(order[i]), [&](node_id s) {
        if (reached[s] == 0) {
          reached[s] = 1;
          order.push_back(s);
        }
      });
    }
    return true;
  }

  std::size_t num_old_values() const { return static_cast<std::size_t>(before.num_values()); }

  /// Whether the new program may read `u` where the old one reads `x`: the same operation, still computed, or an equal
  /// literal.
  bool same_value(value_id x, value_id u) const {
    if (x == no_value || u == no_value || x >= num_old_values() || u >= new_home.size()) {
      return x == no_value && u == no_value;
    }
    if (old_home[x] == no_node) { // equal numbers prove nothing: another program may give this number to another
                                  // literal
      return new_home[u] == no_node && static_cast<bool>(before.same_operation(x, after, u));
    }
    return x == u && is_computed(u);
  }

  /// Whether a node that the new program reaches has the operation or phi `u`.
  bool is_computed(value_id u) const { return new_home[u] != no_node && reached[new_home[u]] != 0; }

  /// Whether an operation or phi of both programs is equal apart from its operands.
  bool same_operation(value_id x, value_id v) const {
    return before.is_phi(x) == after.is_phi(v) &&
           (before.is_phi(x) || is_terminator(before, x) == is_terminator(after, v)) &&
           before.same_operation(x, after, v);
  }

  /// Whether an access of the new program has no local class, or that of the old one. Classes may have other numbers,
  /// and two of them may become one, but accesses of one class may not get two.
  bool keeps_local_class([[maybe_unused]] value_id x, [[maybe_unused]] value_id v) {
    if constexpr (has_memory<After>) {
      const auto m = local_class_of(after, v);
      if (m) {
        if constexpr (has_memory<Before>) {
          const auto was = local_class_of(before, x);
          return was && was->scope == m->scope &&
                 local_classes_.find_or_insert({was->scope, was->local}, m->local) == m->local;
        }
        return false;
      }
    }
    return true;
  }

  /// The loop in whose runs an access of the new program has a local class, or `no_node`.
  node_id scope_of([[maybe_unused]] value_id v) const {
    if constexpr (has_memory<After>) {
      const auto m = local_class_of(after, v);
      return m ? m->scope : no_node;
    } else {
      return no_node;
    }
  }

  /// Whether only the new program promises that the loop with this header ends.
  bool promises_new_end(node_id n) const { return loop_ends(after, n) && !loop_ends(before, n); }

  /// Whether the edges of a node have equal targets and cases in both programs, and promise no more about loops in the
  /// new one.
  bool same_edges(node_id n) {
    old_edges_.clear();
    for_each_id(before.graph().out_edges(n), [&](edge_id e) { old_edges_.push_back(e); });
    std::size_t i = 0;
    bool same = !promises_new_end(n);
    for_each_id(after.graph().out_edges(n), [&](edge_id e) {
      same = same && i < old_edges_.size() && old_edges_[i] == e &&
             static_cast<node_id>(before.graph().edge_target(e)) == static_cast<node_id>(after.graph().edge_target(e));
      ++i;
    });
    same = same && i == old_edges_.size();
    if constexpr (has_must_end<Before> && has_must_end<After>) {
      for (std::size_t k = 0; same && k != old_edges_.size(); ++k) {
        same = !static_cast<bool>(after.must_end(old_edges_[k])) || static_cast<bool>(before.must_end(old_edges_[k]));
      }
    }
    if (same && static_cast<value_id>(before.condition(n)) != no_value) {
      for (const edge_id e : old_edges_) {
        same = same && same_cases(before, e, after, e);
      }
    }
    return same;
  }

  const Before& before;
  const After& after;
  flat_array<node_id> old_home; ///< by value
  flat_array<node_id> new_home;
  flat_array<node_id> order; ///< the nodes that the new program reaches
  flat_array<unsigned char> reached;

private:
  template <class IR> static void place(const IR& ir, flat_array<node_id>& home) {
    home.assign(static_cast<std::size_t>(ir.num_values()), no_node);
    for (node_id n = 0; n != node_count(ir.graph()); ++n) {
      for_each_id(ir.values(n), [&](value_id v) { home[v] = n; });
    }
  }

  struct local_class {
    node_id scope;
    std::uint32_t local;

    friend bool operator==(const local_class&, const local_class&) = default;
  };

  struct hash_of_class {
    std::uint64_t operator()(const local_class& c) const { return mix_hash(c.scope, c.local); }
  };

  /// The local class of a load or store, if it has one.
  template <class IR> static optional<local_class> local_class_of(const IR& ir, value_id v) {
    const effect_kind effect = ir.is_phi(v) ? effect_kind::none : ir.effect(v);
    if (effect == effect_kind::reads || effect == effect_kind::writes) {
      if (const optional<memory_reference> m = ir.memory(v); m && m->local != any_memory) {
        return local_class{m->scope, m->local};
      }
    }
    return {};
  }

  hash_map<local_class, hash_of_class> local_classes_; ///< by class of the old program: that of the new one
  flat_array<edge_id> old_edges_;
};

} // namespace detail

MIDEND_END_NAMESPACE
