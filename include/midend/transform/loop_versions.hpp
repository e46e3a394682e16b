/// `loop_versions`: copies of a whole loop between which new branches choose. Shared by unswitching and index split.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/profile.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/loops/loop_edges.hpp"
#include "midend/loops/loop_forest.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/detail/values_without_phis.hpp"
#include "midend/transform/unfolding.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// A loop that is wanted, and perhaps one of its branches: what `plan_unswitch` and `plan_index_split` are restricted
/// to.
struct wanted_loop {
  loop_id loop = no_loop;
  node_id branch = no_node; ///< `no_node`: any

  friend constexpr bool operator==(const wanted_loop&, const wanted_loop&) = default;
};

namespace detail {

/// Which loops and branches are wanted: all, if none is named.
class wanted_loops {
public:
  wanted_loops(const loop_forest& loops, span<const wanted_loop> named) : is_any_(named.empty()) {
    if (!is_any_) {
      branches_.assign(loops.num_loops(), no_node);
      is_wanted_.assign(loops.num_loops(), 0);
      for (const wanted_loop& w : named) {
        if (w.loop != no_loop) {
          is_wanted_[w.loop] = 1;
          branches_[w.loop] = w.branch;
        }
      }
    }
  }

  bool is_any() const { return is_any_; }

  bool has(loop_id l) const { return is_any_ || is_wanted_[l] != 0; }

  bool has(loop_id l, node_id branch) const {
    return has(l) && (is_any_ || branches_[l] == no_node || branches_[l] == branch);
  }

private:
  bool is_any_;
  flat_array<node_id> branches_;        ///< by loop
  flat_array<unsigned char> is_wanted_; ///< by loop
};

} // namespace detail

/// Why a loop cannot be copied, with a new branch before it.
enum class loop_copy_obstacle : std::uint8_t {
  none,
  may_not_duplicate, ///< an operation may not be duplicated, or is convergent
  takes_no_phi,      ///< no phi can join the copies of a value that is read after the loop
  edge_stays,        ///< an edge of the loop cannot be redirected
  no_guard           ///< the header is the entry, or an edge into it cannot be split
};

/// The cost of a copy of a loop, or the obstacle.
struct loop_copy_cost {
  loop_copy_obstacle obstacle = loop_copy_obstacle::none;
  std::size_t operations = 0; ///< operations and phis, or nodes if there are more of these
  value_id value = no_value;  ///< valid for `may_not_duplicate` and `takes_no_phi`
  edge_id edge = no_edge;     ///< valid for `edge_stays` and `no_guard`; else `no_edge`
};

/// What `unswitch` and `index_split` require of an editor to branch between copies of a loop.
template <class E>
concept loop_version_editor = unfolding_editor<E> && effect_ir<E> && can_erase_ends<E>;

/// `may_be_indeterminate(v)` says whether a branch on `v` may be undefined although nothing traps; in LLVM, `v` may be
/// poison or undef. Optional.
template <class IR>
concept has_may_be_indeterminate = requires(const IR& ir, value_id v) {
  { ir.may_be_indeterminate(v) } -> truth_value;
};

namespace detail {

/// The costs of copies of the loops of a function. Requires a forest of this graph as it is, with boundaries. O(n + m)
/// for the construction. A query takes O(edges into the loop), and with `may_insert_phi`, if some value takes no phi,
/// also O(size of the loop).
template <class IR> class loop_copy_costs {
public:
  loop_copy_costs(const IR& ir, const loop_forest& loops) : ir_(ir), loops_(loops), stuck_(ir) {
    const auto& g = ir.graph();
    costs_.assign(loops.num_loops(), {});
    nodes_.assign(loops.num_loops(), 0);
    for (std::size_t i = loops.num_loops(); i-- != 0;) { // a loop comes before those in it
      const auto l = static_cast<loop_id>(i);
      loop_copy_cost& c = costs_[l];
      for (const node_id n : loops.own_blocks(l)) {
        ++nodes_[l];
        for_each_id(ir.values(n), [&](value_id v) {
          ++c.operations;
          if (!ir.is_phi(v) && !may_copy(ir, v)) {
            c = {loop_copy_obstacle::may_not_duplicate, c.operations, v, no_edge};
          }
        });
        for_each_id(g.out_edges(n), [&](edge_id e) {
          if (!may_redirect(ir, e) && c.obstacle == loop_copy_obstacle::none) {
            c = {loop_copy_obstacle::edge_stays, c.operations, no_value, e};
          }
        });
      }
      if (const loop_id outer = loops.parent(l); outer != no_loop) {
        nodes_[outer] += nodes_[l];
        loop_copy_cost& around = costs_[outer];
        around.operations += c.operations;
        if (around.obstacle == loop_copy_obstacle::none && c.obstacle != loop_copy_obstacle::none) {
          around = {c.obstacle, around.operations, c.value, c.edge};
        }
      }
    }
  }

  /// Of a copy of loop `l`.
  loop_copy_cost of(loop_id l) const {
    loop_copy_cost c = costs_[l];
    c.operations = c.operations < nodes_[l] ? nodes_[l] : c.operations;
    if (c.obstacle != loop_copy_obstacle::none) {
      return c;
    }
    if (loops_.header(l) == static_cast<node_id>(ir_.graph().entry())) {
      c.obstacle = loop_copy_obstacle::no_guard;
    }
    for (const loop_edge& e : loops_.entering_edges(l)) {
      if (!may_split(ir_, e.id)) {
        c.obstacle = loop_copy_obstacle::no_guard;
        c.edge = e.id;
      }
    }
    if (c.obstacle == loop_copy_obstacle::none) {
      c.value = stuck_.read_outside(loops_, l);
      c.obstacle = c.value != no_value ? loop_copy_obstacle::takes_no_phi : c.obstacle;
    }
    return c;
  }

private:
  const IR& ir_;
  const loop_forest& loops_;
  values_without_phis<IR> stuck_;
  flat_array<loop_copy_cost> costs_; ///< by loop
  flat_array<std::size_t> nodes_;
};

/// The copies of one loop. Call `gather`, `copy` and `open`, then direct edges of the gate and of other new nodes to
/// the results of `enter`, then call `unfolding::finish`.
template <class E> class loop_versions {
public:
  /// `nodes` are those of the loop, the header first. `position` is shared by all loops: it has `no_node` for each
  /// node.
  loop_versions(unfolding<E>& u, span<const node_id> nodes, flat_array<std::uint32_t>& position)
      : u_(u), nodes_(nodes), position_(position) {}

  /// Stores the positions of the nodes of this loop in `position`, until `unmark`.
  void mark() {
    while (position_.size() < static_cast<std::size_t>(graph().num_nodes())) {
      position_.push_back(no_node);
    }
    for (std::uint32_t i = 0; i != nodes_.size(); ++i) {
      position_[nodes_[i]] = i;
    }
  }

  void unmark() {
    for (const node_id n : nodes_) {
      position_[n] = no_node;
    }
  }

  const flat_array<std::uint32_t>& position() const { return position_; }

  /// Redirects the edges into the header to a new node, the gate.
  node_id gather(span<const edge_id> edges) {
    gate_ = u_.route_edges(edges);
    for_each_id(graph().out_edges(gate_), [&](edge_id e) {
      for_each_phi(u_.program(), nodes_[0],
                   [&](value_id phi) { inputs_.push_back(static_cast<value_id>(u_.program().phi_input(phi, e))); });
    });
    return gate_;
  }

  /// Makes `more` copies of the loop. Internal edges of a copy stay in the copy, including those from the loop to the
  /// gate.
  void copy(std::uint32_t more) {
    mark();
    for (const node_id n : nodes_) {
      copies_.push_back(n);
    }
    flat_array<node_id> made;
    flat_array<edge_id> old;
    flat_array<edge_id> edges;
    for (std::uint32_t k = 0; k != more; ++k) {
      u_.duplicate_region(nodes_, made);
      for (const node_id n : made) {
        copies_.push_back(n);
      }
      for (std::size_t i = 0; i != nodes_.size(); ++i) {
        old.clear();
        edges.clear();
        for_each_id(graph().out_edges(nodes_[i]), [&](edge_id e) { old.push_back(e); });
        for_each_id(graph().out_edges(made[i]), [&](edge_id e) { edges.push_back(e); });
        for (std::size_t slot = 0; slot != edges.size(); ++slot) {
          const auto target = static_cast<node_id>(graph().edge_target(edges[slot]));
          const std::uint32_t at = target < position_.size() ? position_[target] : no_node;
          if (at != no_node) {
            u_.lead(edges[slot], made[at]);
          } else if (target == gate_) {
            go_back(old[slot], edges[slot], made[0]);
          }
        }
      }
    }
    unmark();
  }

  /// Erases the terminator of the gate.
  void open() { u_.editor().erase_end(gate_); }

  /// A new node from which control enters copy `k`; 0 is the original.
  node_id enter(std::uint32_t k) {
    const auto n = static_cast<node_id>(u_.editor().create_node(nodes_[0]));
    forget_count(n);
    enter_from(n, k);
    return n;
  }

  /// Adds a jump from a node without terminator to the header of copy `k`.
  void enter_from(node_id n, std::uint32_t k) {
    u_.editor().set_jump(n, header(k));
    for_each_id(graph().out_edges(n), [&](edge_id e) { set_inputs(e, k); });
  }

  /// Sets the inputs of the header phis of copy `k` along an edge from the gate, or from a node after the gate.
  void set_inputs(edge_id e, std::uint32_t k) {
    std::size_t i = 0;
    phis_.clear();
    for_each_phi(u_.program(), header(k), [&](value_id phi) { phis_.push_back(phi); });
    MIDEND_ASSERT(phis_.size() == inputs_.size(), "as many phis in each copy of a header", phis_.size(),
                  inputs_.size());
    for (const value_id phi : phis_) {
      u_.editor().set_phi_input(phi, e, inputs_[i++]);
    }
  }

  /// A new node for a branch, without operations.
  node_id make_node() {
    const auto n = static_cast<node_id>(u_.editor().create_node(nodes_[0]));
    forget_count(n);
    return n;
  }

  /// The input of a header phi along the edge from the gate; any other value itself.
  value_id from_gate(value_id v) const {
    std::size_t i = 0;
    value_id input = v;
    for_each_phi(u_.program(), nodes_[0], [&](value_id phi) {
      input = phi == v ? inputs_[i] : input;
      ++i;
    });
    return input;
  }

  node_id gate() const { return gate_; }

  node_id header(std::uint32_t k) const { return copies_[std::size_t{k} * nodes_.size()]; }

  /// The nodes copy by copy, the original first.
  span<const node_id> copies() const { return {copies_.data(), copies_.size()}; }

private:
  const auto& graph() const { return u_.program().graph(); }

  void forget_count([[maybe_unused]] node_id n) {
    if constexpr (profile_editor<E>) {
      u_.editor().set_count(n, {});
    }
  }

  /// Redirects the copy `e` of a backedge `old` from the gate to the header of its own copy.
  void go_back(edge_id old, edge_id e, node_id header) {
    E& editor = u_.editor();
    editor.redirect_edge(e, header);
    phis_.clear();
    for_each_phi(u_.program(), header, [&](value_id phi) { phis_.push_back(phi); });
    MIDEND_ASSERT(phis_.size() == inputs_.size(), "as many phis in each copy of a header", phis_.size(),
                  inputs_.size());
    for (std::size_t i = 0; i != phis_.size(); ++i) {
      const value_id v = inputs_[i];
      const bool is_joined = v != no_value && editor.is_phi(v) && static_cast<node_id>(editor.node_of(v)) == gate_;
      editor.set_phi_input(phis_[i], e, is_joined ? static_cast<value_id>(editor.phi_input(v, old)) : v);
    }
  }

  unfolding<E>& u_;
  span<const node_id> nodes_;
  flat_array<std::uint32_t>& position_;
  node_id gate_ = no_node;
  flat_array<value_id> inputs_; ///< by phi of the header: what it takes along the edge from the gate
  flat_array<node_id> copies_;
  flat_array<value_id> phis_;
};

/// The terminator of a node, or `no_value`.
template <class IR> value_id end_of_node(const IR& ir, node_id n) {
  value_id end = no_value;
  for_each_id(ir.values(n), [&](value_id v) { end = !ir.is_phi(v) && is_terminator(ir, v) ? v : end; });
  return end;
}

/// Whether the terminator only chooses an edge by its only operand, the condition.
template <class IR> bool is_plain_branch(const IR& ir, node_id n) {
  const value_id end = end_of_node(ir, n);
  const auto condition = static_cast<value_id>(ir.condition(n));
  if (end == no_value || condition == no_value || ir.effect(end) != effect_kind::none || ir.may_not_return(end) ||
      ir.is_volatile(end)) {
    return false;
  }
  std::size_t operands = 0;
  bool is_condition = true;
  for_each_id(ir.operands(end), [&](value_id v) {
    ++operands;
    is_condition = is_condition && v == condition;
  });
  std::size_t edges = 0;
  for_each_id(ir.graph().out_edges(n), [&](edge_id) { ++edges; });
  return operands == 1 && is_condition && edges > 1;
}

/// The node with the first branch of an iteration, if control always reaches it from the header and nothing on the path
/// has an effect or ends the run; else `no_node`.
template <class IR> node_id first_branch_of_loop(const IR& ir, const loop_forest& loops, loop_id l) {
  node_id n = loops.header(l);
  for (std::size_t steps = loops.blocks(l).size(); steps != 0 && n != no_node; --steps) {
    bool stops = false;
    for_each_id(ir.values(n), [&](value_id v) {
      if (!ir.is_phi(v) && !is_terminator(ir, v)) {
        const effect_kind effect = ir.effect(v);
        stops = stops || effect == effect_kind::writes || effect == effect_kind::unknown || ir.may_not_return(v) ||
                ir.is_volatile(v);
      }
    });
    if (stops) {
      return no_node;
    }
    if (static_cast<value_id>(ir.condition(n)) != no_value) {
      return n;
    }
    node_id only = no_node;
    std::size_t edges = 0;
    for_each_id(ir.graph().out_edges(n), [&](edge_id e) {
      only = static_cast<node_id>(ir.graph().edge_target(e));
      ++edges;
    });
    n = edges == 1 && loops.contains(l, only) ? only : no_node;
  }
  return no_node;
}

} // namespace detail

MIDEND_END_NAMESPACE
