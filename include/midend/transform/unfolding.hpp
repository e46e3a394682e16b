/// `unfolding`: the engine of transformations that route edges and copy regions.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/editing.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/profile.hpp"
#include "midend/ir/ssa.hpp"
#include "midend/ssa/repair_ssa.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"
#include "midend/transform/unfolding_witness.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

MIDEND_BEGIN_NAMESPACE

/// What the engine requires of an editor.
template <class E>
concept unfolding_editor = ir_editor<E> && repairing_editor<E>;

/// Changes a program so that it remains an unfolding of what it was, and keeps the witness. A transformation makes one,
/// calls the members below, then `finish`, and returns `take_witness()`. Several transformations may use one: the
/// witness then says how the last program stands for the first.
///
/// Between `duplicate_region` or `lead` and `finish`, phis may have inputs that are not set, and copies read the values
/// of the originals. `route_edges` leaves the program complete and may be called at any time but then.
template <unfolding_editor E> class unfolding {
public:
  explicit unfolding(E& editor) : editor_(editor) { witness_.start(node_count(), edge_count(), value_count()); }

  /// The program that was started from must be the first of `earlier`, as it is now.
  unfolding(E& editor, unfolding_witness earlier) : editor_(editor), witness_(std::move(earlier)) {
    witness_.grow(node_count(), edge_count(), value_count());
  }

  /// The program as it is.
  const E& program() const { return editor_; }

  E& editor() { return editor_; }

  /// Nodes that have operations or edges, and edges that are not erased.
  std::size_t num_present_nodes() const {
    std::size_t count = 0;
    for (node_id n = 0; n != node_count(); ++n) {
      bool present = false;
      detail::for_each_id(editor_.values(n), [&](value_id) { present = true; });
      detail::for_each_id(editor_.graph().out_edges(n), [&](edge_id) { present = true; });
      count += present ? 1u : 0u;
    }
    return count;
  }

  std::size_t num_present_edges() const {
    std::size_t count = 0;
    for (node_id n = 0; n != node_count(); ++n) {
      detail::for_each_id(editor_.graph().out_edges(n), [&](edge_id) { ++count; });
    }
    return count;
  }

  const unfolding_witness& witness() const { return witness_; }

  /// For transformations that change more than this class does.
  unfolding_witness& witness() { return witness_; }

  /// The witness has room for all nodes, edges and values that there are now.
  void grow_witness() { witness_.grow(node_count(), edge_count(), value_count()); }

  unfolding_witness take_witness() { return std::move(witness_); }

  /// Leads edges, which have the same target, through a new node, and returns it; its only edge leads on to the target.
  /// Each phi of the target keeps its input if all of these edges have the same, and otherwise gets a phi in the new
  /// node. Parallel edges keep inputs of their own. The new node counts what the edges do.
  ///
  /// Requires at least one edge, and edges that may be split. O(edges · phis of the target).
  node_id route_edges(span<const edge_id> edges) {
    MIDEND_ASSERT(!edges.empty(), "at least one edge");
    const node_id target = target_of(edges[0]);
    phis_.clear();
    inputs_.clear();
    detail::for_each_phi(view(), target, [&](value_id phi) { phis_.push_back(phi); });
    for (const value_id phi : phis_) {
      for (const edge_id e : edges) {
        inputs_.push_back(static_cast<value_id>(editor_.phi_input(phi, e)));
      }
    }
    for ([[maybe_unused]] const edge_id e : edges) {
      MIDEND_ASSERT(target_of(e) == target, "edges with the same target", e, target_of(e), target);
      MIDEND_ASSERT(may_split(view(), e), "edges that may be split", e);
    }
    const node_id n = create_node(target, edges);
    for (const edge_id e : edges) {
      editor_.redirect_edge(e, n);
    }
    editor_.set_jump(n, target);
    const edge_id on = only_edge(n);
    for (std::size_t i = phis_.size(); i-- != 0;) { // the last one first, because phis are inserted at the head
      const value_id* const inputs = inputs_.data() + i * edges.size();
      value_id input = inputs[0];
      for (std::size_t k = 1; k != edges.size(); ++k) {
        input = inputs[k] == input ? input : no_value;
      }
      if (input == no_value) {
        input = static_cast<value_id>(editor_.insert_phi(n, phis_[i]));
        for (std::size_t k = 0; k != edges.size(); ++k) {
          editor_.set_phi_input(input, edges[k], inputs[k]);
        }
      }
      editor_.set_phi_input(phis_[i], on, input);
    }
    witness_.grow(node_count(), edge_count(), value_count());
    return n;
  }

  /// Copies nodes with their operations and edges. `copies[k]` becomes the copy of `nodes[k]`. Edges of copies lead
  /// where those of the originals do; `lead` changes that. Repeat it for more copies.
  ///
  /// Requires that all operations may be duplicated and all edges redirected. O(size of the nodes, and of the phis in
  /// targets of their edges).
  void duplicate_region(span<const node_id> nodes, flat_array<node_id>& copies) {
    copies.clear();
    for (const node_id n : nodes) {
      copies.push_back(static_cast<node_id>(editor_.create_node(n)));
    }
    witness_.grow(node_count(), edge_count(), value_count());
    for (std::size_t i = 0; i != nodes.size(); ++i) {
      copy_node(nodes[i], copies[i]);
    }
  }

  /// Leads an edge to another copy of its target. The phis there get, in `finish`, the inputs that the phis of the
  /// present target have for the edge.
  void lead(edge_id e, node_id target) {
    MIDEND_ASSERT(may_redirect(view(), e), "an edge that may be redirected", e);
    note_inputs(e, e);
    editor_.redirect_edge(e, target);
  }

  /// The source of an edge always continues along it, because its condition is a literal or because the others are
  /// equal to it.
  void keep_edge(edge_id e, drop_reason reason) {
    const auto n = static_cast<node_id>(editor_.graph().edge_source(e));
    const std::uint32_t like = reason == drop_reason::constant_condition ? static_cast<value_id>(editor_.condition(n))
                                                                         : witness_.edge_origin[e];
    detail::for_each_id(editor_.graph().out_edges(n), [&](edge_id other) {
      if (other != e && witness_.edge_origin[other] != no_edge) {
        witness_.dropped.push_back({n, witness_.edge_origin[other], like, reason});
      }
    });
    editor_.keep_edge(e);
    witness_.grow(node_count(), edge_count(), value_count());
  }

  /// Completes phis and repairs SSA form. Phis that had to be inserted are appended to `inserted`.
  void finish(flat_array<value_id>& inserted) {
    complete_phis();
    repair_ssa(editor_, span<const value_copy>(value_copies_), inserted);
    value_copies_.clear();
    pending_.clear();
    pending_number_.clear();
    for (const value_id v : copied_) {
      root_[v] = no_value;
    }
    copied_.clear();
    witness_.grow(node_count(), edge_count(), value_count());
  }

  void finish() {
    flat_array<value_id> inserted;
    finish(inserted);
  }

private:
  struct edge_and_phi {
    edge_id edge;
    value_id phi;

    friend bool operator==(const edge_and_phi&, const edge_and_phi&) = default;
  };

  std::size_t node_count() const { return static_cast<std::size_t>(editor_.graph().num_nodes()); }

  std::size_t edge_count() const { return static_cast<std::size_t>(editor_.graph().num_edges()); }

  std::size_t value_count() const { return static_cast<std::size_t>(editor_.num_values()); }

  const E& view() const { return editor_; }

  node_id target_of(edge_id e) const { return static_cast<node_id>(editor_.graph().edge_target(e)); }

  edge_id only_edge(node_id n) const {
    edge_id only = no_edge;
    detail::for_each_id(editor_.graph().out_edges(n), [&](edge_id e) { only = e; });
    return only;
  }

  node_id create_node(node_id like, span<const edge_id> edges) {
    if constexpr (profile_editor<E>) {
      std::optional<std::uint64_t> total = 0;
      for (const edge_id e : edges) {
        const std::optional<std::uint64_t> count = midend::edge_count(view(), editor_.graph(), e);
        total = total && count ? std::optional(*total + *count) : std::nullopt;
      }
      const auto n = static_cast<node_id>(editor_.create_node(like));
      editor_.set_count(n, total);
      return n;
    } else {
      return static_cast<node_id>(editor_.create_node(like));
    }
  }

  /// The value of which `v` is a copy that is not finished, or `v`.
  value_id root_of(value_id v) const { return v < root_.size() && root_[v] != no_value ? root_[v] : v; }

  void set_root(value_id v, value_id root) {
    while (root_.size() <= v) {
      root_.push_back(no_value);
    }
    root_[v] = root;
    copied_.push_back(v);
  }

  void copy_node(node_id n, node_id copy) {
    values_.clear();
    detail::for_each_id(editor_.values(n), [&](value_id v) { values_.push_back(v); });
    edges_.clear();
    detail::for_each_id(editor_.graph().out_edges(n), [&](edge_id e) { edges_.push_back(e); });
    for (const value_id v : values_) {
      if constexpr (has_may_duplicate<E>) {
        MIDEND_ASSERT(view().is_phi(v) || view().may_duplicate(v), "operations that may be duplicated", v, n);
      }
      const auto clone = static_cast<value_id>(editor_.clone_value(v, copy));
      witness_.grow(node_count(), edge_count(), value_count());
      witness_.value_origin[clone] = witness_.value_origin[v];
      if (!is_terminator(view(), v)) {
        set_root(clone, root_of(v));
        value_copies_.push_back({root_of(v), clone});
      }
    }
    std::size_t i = 0;
    detail::for_each_id(editor_.graph().out_edges(copy), [&](edge_id e) {
      witness_.edge_origin[e] = witness_.edge_origin[edges_[i]];
      note_inputs(edges_[i], e);
      ++i;
    });
    MIDEND_ASSERT(i == edges_.size(), "a clone with the edges of the original", n, i);
    witness_.node_origin[copy] = witness_.node_origin[n];
    const std::size_t merged = witness_.merged.size();
    for (std::size_t k = 0; k != merged; ++k) {
      if (witness_.merged[k].into == n) {
        witness_.merged.push_back({copy, witness_.merged[k].node});
      }
    }
  }

  /// Keeps what the phis in the target of an edge, or their copies, take along edge `e`, which is this edge or a clone.
  void note_inputs(edge_id from, edge_id e) {
    detail::for_each_phi(view(), target_of(from), [&](value_id phi) {
      const auto fresh = static_cast<std::uint32_t>(pending_.size());
      const edge_and_phi key{e, root_of(phi)};
      value_id input = static_cast<value_id>(editor_.phi_input(phi, from));
      if (input == no_value) { // of a clone that is not complete either
        const std::uint32_t known = pending_number_.find({from, root_of(phi)});
        input = known == detail::hash_map<edge_and_phi>::missing ? no_value : pending_[known].input;
      }
      if (pending_number_.find_or_insert(key, fresh) == fresh) {
        pending_.push_back({e, root_of(phi), input});
      }
    });
  }

  void complete_phis() {
    edge_id last = no_edge;
    for (const pending_input& each : pending_) {
      const edge_id e = each.edge;
      if (e == last) {
        continue; // the inputs for an edge follow each other
      }
      last = e;
      detail::for_each_phi(view(), target_of(e), [&](value_id phi) {
        const std::uint32_t known = pending_number_.find({e, root_of(phi)});
        if (known != detail::hash_map<edge_and_phi>::missing &&
            static_cast<value_id>(editor_.phi_input(phi, e)) == no_value) {
          editor_.set_phi_input(phi, e, pending_[known].input);
        }
      });
    }
  }

  struct pending_input {
    edge_id edge;
    value_id phi; ///< a root
    value_id input;
  };

  E& editor_;
  unfolding_witness witness_;
  flat_array<value_id> root_;   ///< by value: of copies that are not finished
  flat_array<value_id> copied_; ///< that have a root
  flat_array<value_copy> value_copies_;
  flat_array<pending_input> pending_;
  detail::hash_map<edge_and_phi> pending_number_;
  flat_array<value_id> phis_;
  flat_array<value_id> inputs_;
  flat_array<value_id> values_;
  flat_array<edge_id> edges_;
};

MIDEND_END_NAMESPACE
