/// The flat copy that an algorithm works on, which remembers the edge ids of the graph.
#pragma once

#include "midend/config.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/graph/csr_graph.hpp"
#include "midend/graph/detail/out_edges.hpp"
#include "midend/support/flat_array.hpp"

#include <type_traits>

MIDEND_BEGIN_NAMESPACE

namespace detail {

/// A graph as a `csr_graph`: the user's graph, if it is one, or a copy. The edges of the copy are numbered anew;
/// `original_edge` gives the ids that the graph itself has, if it has any.
class flat_copy {
public:
  /// Refers to `g` if that is a `csr_graph`. Edge ids are read only if requested.
  template <class G> constexpr void assign(const G& g, bool with_edge_ids) {
    original_edges_.clear();
    if constexpr (std::is_same_v<G, csr_graph>) {
      graph_ = &g;
    } else {
      copy_.assign(g);
      graph_ = &copy_;
      if constexpr (edge_indexed_flow_graph<G>) {
        if (with_edge_ids) {
          original_edges_.reserve(copy_.num_edges());
          for_each_edge(g, [&](edge_id e, node_id, node_id) { original_edges_.push_back(e); });
        }
      }
    }
  }

  constexpr const csr_graph& graph() const { return *graph_; }

  /// Whether edges have other ids in the graph than here.
  constexpr bool renames_edges() const { return !original_edges_.empty(); }

  constexpr edge_id original_edge(edge_id e) const { return renames_edges() ? original_edges_[e] : e; }

private:
  const csr_graph* graph_ = nullptr; ///< the user's graph or `copy_`
  csr_graph copy_;
  flat_array<edge_id> original_edges_; ///< by edge of the copy; empty if the ids are the same
};

/// Like `flat_copy`, for a graph that need not be copied.
class no_copy {
public:
  constexpr void assign(const csr_graph& g, bool) { graph_ = &g; }

  constexpr const csr_graph& graph() const { return *graph_; }

  constexpr bool renames_edges() const { return false; }

  constexpr edge_id original_edge(edge_id e) const { return e; }

private:
  const csr_graph* graph_ = nullptr;
};

/// The copy of its graph that a function without a workspace needs: none of a `csr_graph`.
template <class G> using copy_if_needed = std::conditional_t<std::is_same_v<G, csr_graph>, no_copy, flat_copy>;

} // namespace detail

MIDEND_END_NAMESPACE
