/// `llvm_editor_graph`: the control flow of a function that is being edited; what `llvm_editor::graph()` returns.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/detail/growing_lists.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/range.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace detail {
class llvm_numbered_blocks;
class llvm_end_edits;
class llvm_phi_edges;
} // namespace detail

/// A flow graph whose edges keep their numbers while it changes; models `edge_indexed_flow_graph`, with `in_edges(n)`.
/// The entry is node 0. Only `llvm_editor` changes it. Memory: 16 bytes an edge and 28 a node, and lists that outgrow
/// their place.
class llvm_editor_graph {
public:
  std::size_t num_nodes() const { return out_.size(); }

  node_id entry() const { return 0; }

  auto successors(node_id n) const {
    return mapped(out_edges(n), [edges = edges_.data()](edge_id e) { return edges[e].target; });
  }

  /// In the order of `in_edges(n)`.
  auto predecessors(node_id n) const {
    return mapped(in_edges(n), [edges = edges_.data()](edge_id e) { return edges[e].source; });
  }

  std::size_t num_edges() const { return edges_.size(); }

  /// In LLVM's order of successors; the edges of `set_switch` in the order of the cases, then the default.
  span<const edge_id> out_edges(node_id n) const { return out_[n]; }

  /// In no particular order.
  span<const edge_id> in_edges(node_id n) const { return in_[n]; }

  /// `no_node` for an edge that was erased.
  node_id edge_source(edge_id e) const { return edges_[e].source; }

  node_id edge_target(edge_id e) const { return edges_[e].target; }

  /// The number of changes.
  std::uint64_t epoch() const { return epoch_; }

private:
  friend class detail::llvm_numbered_blocks;
  friend class detail::llvm_phi_edges;
  friend class detail::llvm_end_edits;

  struct edge_record {
    node_id source;
    node_id target;
    std::uint32_t position; ///< position among the edges into the target
    std::uint32_t slot;     ///< the number of the successor, if the terminator has several
  };

  void clear() {
    out_.clear();
    in_.clear();
    edges_.clear();
    epoch_ = 0;
  }

  /// `visit_targets(n, add)` calls `add` with the targets of the edges out of node `n`, in order.
  template <class VisitTargets> void read(node_id count, VisitTargets visit_targets) {
    entered_.assign(count, 0);
    edges_.reserve(count + count / std::size_t{2});
    for (node_id n = 0; n != count; ++n) {
      std::uint32_t slot = 0;
      visit_targets(n, [&](node_id target) { edges_.push_back({n, target, entered_[target]++, slot++}); });
    }
    const auto num_edges = static_cast<edge_id>(edges_.size());
    out_.reserve(count, num_edges);
    edge_id e = 0;
    for (node_id n = 0; n != count; ++n) {
      const edge_id first = e;
      while (e != num_edges && edges_[e].source == n) {
        ++e;
      }
      out_.add_list(id_range<edge_id>(first, e));
      in_.add_list_of(entered_[n]);
    }
    in_.make_room();
    for (e = 0; e != num_edges; ++e) {
      in_.at(edges_[e].target, edges_[e].position) = e;
    }
  }

  node_id add_node() {
    ++epoch_;
    out_.add_list();
    in_.add_list();
    return static_cast<node_id>(out_.size() - 1);
  }

  edge_id add_edge(node_id source, node_id target, std::uint32_t slot) {
    edges_.push_back({no_node, no_node, 0, slot});
    const auto e = static_cast<edge_id>(edges_.size() - 1);
    attach(e, source, target);
    return e;
  }

  /// Gives an edge that is in no list a source and a target.
  void attach(edge_id e, node_id source, node_id target) {
    edges_[e].source = source;
    out_.push_back(source, e);
    enter(e, target);
  }

  /// Makes an edge that `clear_out_edges` took from a node the only one of `source`.
  void reattach(edge_id e, node_id source) {
    edges_[e].source = source;
    out_.push_back(source, e);
  }

  void enter(edge_id e, node_id target) {
    ++epoch_;
    edges_[e].target = target;
    edges_[e].position = static_cast<std::uint32_t>(in_[target].size());
    in_.push_back(target, e);
  }

  /// Gives edge `e`, which has left its target, the target of `other` and its position among the in-edges there.
  /// `other`, the only edge of its node, is erased.
  void enter_in_place_of(edge_id e, edge_id other) {
    const edge_record r = edges_[other];
    edges_[e].target = r.target;
    edges_[e].position = r.position;
    in_.at(r.target, r.position) = e;
    clear_out_edges(r.source);
  }

  /// Removes the edge from the list of its target.
  void leave(edge_id e) {
    ++epoch_;
    const edge_record r = edges_[e];
    in_.remove(r.target, r.position);
    if (r.position != in_[r.target].size()) {
      edges_[in_[r.target][r.position]].position = r.position;
    }
  }

  /// Removes all edges into a node from its list.
  void leave_all(node_id n) {
    ++epoch_;
    in_.shrink(n, 0);
  }

  /// Removes the edges out of a node, which have left their targets.
  void clear_out_edges(node_id n) {
    ++epoch_;
    for (const edge_id e : out_[n]) {
      edges_[e].source = no_node;
    }
    out_.shrink(n, 0);
  }

  /// Moves edges, which stay in the lists of their targets, to another source.
  void move_out_edges(node_id from, node_id to) {
    ++epoch_;
    for (const edge_id e : out_[from]) {
      edges_[e].source = to;
    }
    for (std::size_t k = 0; k != out_[from].size(); ++k) {
      out_.push_back(to, out_[from][k]);
    }
    out_.shrink(from, 0);
  }

  detail::growing_lists out_;
  detail::growing_lists in_;
  flat_array<edge_record> edges_;
  flat_array<std::uint32_t> entered_; ///< valid while blocks are read
  std::uint64_t epoch_ = 0;
};

static_assert(edge_indexed_flow_graph<llvm_editor_graph> && bidirectional_flow_graph<llvm_editor_graph>);

MIDEND_END_NAMESPACE
