/// What the analyses must answer, worked out from the definitions: reachability, paths that avoid a node, and sets.
/// Nothing here uses an algorithm of the library.
#pragma once

#include "kit/test_graph.hpp"

#include <midend/dominance/dominator_tree.hpp>
#include <midend/graph/depth_first_order.hpp>
#include <midend/graph/strongly_connected_components.hpp>
#include <midend/loops/loop_forest.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace midend_tests {

/// A natural loop; lists ascend and have no duplicates, edges are in the order of their ids.
struct loop_facts {
  node_id header = 0;
  node_id parent_header = no_node;
  std::uint32_t depth = 0;
  std::vector<node_id> blocks;
  std::vector<node_id> latches;
  std::vector<node_id> entering_blocks;
  std::vector<node_id> exiting_blocks;
  std::vector<node_id> exit_blocks;
  std::vector<midend::loop_edge> backedges;
  std::vector<midend::loop_edge> entering_edges;
  std::vector<midend::loop_edge> exiting_edges;
  node_id preheader = no_node;
  bool has_dedicated_exits = false;
  bool is_statically_infinite = false;
};

class definitions {
public:
  definitions() = default;

  explicit definitions(const test_graph& g) { assign(g.num_nodes, g.entry, g.edges); }

  /// Works everything out for another graph.
  void assign(std::size_t num_nodes, node_id entry, std::span<const edge> edges);

  std::size_t num_nodes() const { return num_nodes_; }

  node_id entry() const { return entry_; }

  /// By edge id.
  const std::vector<edge>& edges() const { return edges_; }

  std::span<const edge> out_edges(node_id n) const {
    return std::span(edges_).subspan(offsets_[n], offsets_[n + std::size_t{1}] - offsets_[n]);
  }

  /// Whether there is a path of any length, 0 included.
  bool reaches(node_id from, node_id to) const { return reaches_[from * num_nodes_ + to] != 0; }

  bool is_reachable(node_id n) const { return num_nodes_ != 0 && reaches(entry_, n); }

  /// Whether `b` is reachable, but not once `a` is taken out.
  bool dominates(node_id a, node_id b) const { return dominates_[a * num_nodes_ + b] != 0; }

  /// The strict dominator that all strict dominators dominate; `no_node` if there is none.
  node_id immediate_dominator(node_id n) const;

  std::size_t num_reachable() const;

  /// Without the edges whose target dominates the source what is reachable is acyclic (Hecht and Ullman,
  /// "Characterizations of reducible flow graphs", J. ACM 21(3), 1974).
  bool is_reducible() const;

  /// In the order of headers.
  std::vector<loop_facts> loops() const;

private:
  void mark_reached(node_id from, node_id avoiding, char* reached);
  std::vector<char> loop_body(node_id header) const;

  std::size_t num_nodes_ = 0;
  node_id entry_ = 0;
  std::vector<edge> edges_;
  std::vector<std::size_t> offsets_;
  std::vector<char> reaches_;
  std::vector<char> dominates_;
  std::vector<char> reached_;
  std::vector<node_id> todo_;
};

/// Whether loops with the same parent must be in the dominator tree's preorder of their headers.
enum class sibling_order { by_preorder, any };

// Each of these compares all that a result answers with the definitions, including the documented orders, and gives the
// first difference in words, or nothing. Of a forest without boundaries the boundaries are left out.
std::string difference(const midend::dominator_tree& tree, const definitions& facts);
std::string difference(const midend::component_partition& components, const definitions& facts);
std::string difference(const midend::depth_first_numbering& order, const definitions& facts);
std::string difference(const midend::loop_forest& forest, const midend::dominator_tree& tree, const definitions& facts,
                       sibling_order siblings = sibling_order::by_preorder);

} // namespace midend_tests
