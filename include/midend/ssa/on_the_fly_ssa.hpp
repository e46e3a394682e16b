/// `on_the_fly_ssa`: SSA form while a program is being made, without analyses.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/ssa_values.hpp"
#include "midend/ir/statements.hpp"
#include "midend/ssa/detail/on_the_fly_phis.hpp"
#include "midend/ssa/detail/redundant_phis.hpp"
#include "midend/ssa/ssa_construction.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

/// What variables hold at the ends of nodes, for those who read and write them in the order of a source program and
/// want values at once. A front end does, node by node:
///
///     midend::on_the_fly_ssa ssa(editor);
///     ssa.write_variable(x, n, v);                       // n ends with x = v, so far
///     const value_id v = ssa.read_variable(x, n);        // what x holds there
///     ssa.seal(n);                                       // no more edges will lead to n
///
/// A node is *filled* in the order of execution: reads see the writes before them. Reads in a node that is not sealed
/// get a phi, which gets its inputs when the node is sealed. Requires that nodes are sealed at last, that no edge leads
/// to a sealed node later on, and none to the entry; a successor may be filled before its predecessors if it is not
/// sealed before they are filled.
///
/// Braun, Buchwald, Hack, Leißa, Mallon, Zwinkau, "Simple and efficient construction of static single assignment form",
/// CC 2013. The recursive search for inputs is a stack here: what a recursive call gives is known before its phi has
/// inputs. Trivial phis are found by watching two different inputs of each phi, so that an input is seen once (see
/// `detail::on_the_fly_phis`).
///
/// The result is pruned, and minimal if the flow is reducible; `remove_redundant_phis` makes it so if it is not. Where
/// nothing was written, `undefined_value` stands in. Nodes are not known to be unreachable here: edges from such nodes
/// count as any other, so that there may be phis because of them.
///
/// Values that were read may be phis that are removed later: what stands in operands is replaced by the editor; for
/// what the caller keeps elsewhere `resolve` says what it is now. Results do not depend on the numbers of nodes.
/// Time: one look into a hash table for each read and write and each node that a read passes, which remembers what it
/// saw; near-linear in the inputs of the phis made. 12 to 36 bytes for each of these, 50 bytes a phi and 8 an input.
template <on_the_fly_editor E> class on_the_fly_ssa {
public:
  explicit on_the_fly_ssa(E& editor) : editor_(&editor), phis_(editor) {}

  /// From here on `x` is `v` in `n`, and at its end.
  void write_variable(variable_id x, node_id n, value_id v) { known_value(x, n) = v; }

  /// What `x` is at the end of `n` as far as it is filled.
  value_id read_variable(variable_id x, node_id n) {
    const value_id v = value_at_end(x, n);
    fill_phis();
    return phis_.resolve(v);
  }

  /// All edges into `n` are there.
  void seal(node_id n) {
    node_state& node = state_of(n);
    node.is_sealed = true;
    for (std::uint32_t i = node.first_incomplete; i != none; i = incomplete_[i].next) {
      begin_inputs(incomplete_[i].phi);
    }
    node.first_incomplete = none;
    fill_phis();
  }

  bool is_sealed(node_id n) const { return n < nodes_.size() && nodes_[n].is_sealed; }

  /// What a value is now that phis were removed.
  value_id resolve(value_id v) { return phis_.resolve(v); }

  std::size_t num_phis() const { return phis_.num_alive(); }

  /// Removes sets of phis whose inputs are these phis and one other value: the phis of irreducible flow that are too
  /// many. Requires that all nodes are sealed. Linear for each level of strongly connected sets within others.
  void remove_redundant_phis() {
    if (num_phis() > 1) {
      detail::redundant_phi_removal<E>(phis_).run();
    }
  }

  /// Calls `visit(phi)` for each phi there is, in the order in which they were made.
  template <class Visit> void for_each_phi(Visit visit) const {
    for (detail::phi_number phi = 0; phi != phis_.size(); ++phi) {
      if (phis_.is_alive(phi)) {
        visit(variable_phi{phis_.variable(phi), phis_.node(phi), phis_.value(phi)});
      }
    }
  }

  /// Whether `undefined_value` had to stand in for `x`, even if that was in a phi that is gone.
  bool is_undefined(variable_id x) const { return phis_.is_undefined(x); }

private:
  static constexpr std::uint32_t none = 0xffff'ffff;
  static constexpr value_id being_read = no_value - 1;

  struct node_state {
    std::uint32_t first_incomplete; ///< phis that wait for the node to be sealed
    bool is_sealed;
  };

  struct incomplete_phi {
    detail::phi_number phi;
    std::uint32_t next;
  };

  /// A phi that is getting its inputs.
  struct frame {
    detail::phi_number phi;
    std::uint32_t next_input;
  };

  /// `no_value` if nothing is known yet. The reference is good until the next call.
  value_id& known_value(variable_id x, node_id n) {
    const auto fresh = static_cast<std::uint32_t>(values_.size());
    const std::uint32_t at = place_of_.find_or_insert(std::uint64_t{x} << 32 | n, fresh);
    if (at == fresh) {
      values_.push_back(no_value);
    }
    return values_[at];
  }

  node_state& state_of(node_id n) {
    while (nodes_.size() <= n) {
      nodes_.push_back({none, false});
    }
    return nodes_[n];
  }

  /// What `x` is at the end of `n`, perhaps a phi that waits in `frames_` for its inputs. Goes up as long as there is
  /// one way only, and leaves the answer at all nodes on the way.
  value_id value_at_end(variable_id x, node_id n) {
    passed_.clear();
    value_id v = no_value;
    while (v == no_value) {
      value_id& known = known_value(x, n);
      if (known == being_read) {
        v = phis_.undefined_value(x); // a cycle that nothing leads into
      } else if (known != no_value) {
        v = known = phis_.resolve(known);
      } else if (const edge_id e = only_way_into(n); e != none) {
        known = being_read;
        passed_.push_back(n);
        n = static_cast<node_id>(editor_->graph().edge_source(e));
      } else {
        v = known = value_at_start(x, n);
      }
    }
    for (const node_id passed : passed_) {
      known_value(x, passed) = v;
    }
    return v;
  }

  /// The edge into a sealed node, if there is one only.
  edge_id only_way_into(node_id n) {
    if (!is_sealed(n)) {
      return none;
    }
    edge_id only = none;
    std::size_t count = 0;
    detail::for_each_id(editor_->graph().in_edges(n), [&](edge_id e) {
      only = e;
      ++count;
    });
    return count == 1 ? only : none;
  }

  value_id value_at_start(variable_id x, node_id n) {
    const auto in = editor_->graph().in_edges(n);
    if (is_sealed(n) && std::begin(in) == std::end(in)) {
      return phis_.undefined_value(x);
    }
    MIDEND_ASSERT(n != editor_->graph().entry() || !is_sealed(n), "an entry without predecessors", n);
    const detail::phi_number phi = phis_.make(x, n);
    if (is_sealed(n)) {
      begin_inputs(phi);
    } else {
      incomplete_.push_back({phi, state_of(n).first_incomplete});
      state_of(n).first_incomplete = static_cast<std::uint32_t>(incomplete_.size() - 1);
    }
    return phis_.value(phi);
  }

  void begin_inputs(detail::phi_number phi) {
    phis_.list_inputs(phi);
    frames_.push_back({phi, 0});
  }

  /// Sets the inputs of all phis that wait for them; more may come up on the way.
  void fill_phis() {
    while (!frames_.empty()) {
      const frame top = frames_.back();
      if (top.next_input == phis_.num_inputs(top.phi)) {
        frames_.pop_back();
        phis_.complete(top.phi);
        continue;
      }
      ++frames_.back().next_input;
      const edge_id e = phis_.input_edge(top.phi, top.next_input);
      const auto from = static_cast<node_id>(editor_->graph().edge_source(e));
      phis_.set_input(top.phi, top.next_input, value_at_end(phis_.variable(top.phi), from));
    }
  }

  E* editor_;
  detail::on_the_fly_phis<E> phis_;
  detail::hash_map<std::uint64_t> place_of_; ///< of variable and node, in `values_`
  flat_array<value_id> values_;
  flat_array<node_state> nodes_;
  flat_array<incomplete_phi> incomplete_;
  flat_array<frame> frames_;
  flat_array<node_id> passed_;
};

MIDEND_END_NAMESPACE
