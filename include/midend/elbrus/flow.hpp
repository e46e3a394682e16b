/// `flow`: the nodes and edges of a procedure of the Elbrus-like IR.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/detail/list_pool.hpp"
#include "midend/elbrus/detail/name_table.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/support/range.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// Nodes, and edges with numbers that stay: models `edge_indexed_flow_graph` and `bidirectional_flow_graph`. Node 0 is
/// the entry. `out_edges(n)` are in the order of the terminator, `in_edges(n)` in the order of the operands of phis.
///
/// What is erased leaves its number behind: an erased node is unreachable and empty, an erased edge comes from
/// `no_node`. `epoch()` counts the changes. Edges are made and removed through the procedure, which keeps its phis in
/// step.
class flow {
public:
  std::size_t num_nodes() const { return nodes_.size(); }

  node_id entry() const { return 0; }

  auto successors(node_id n) const { return mapped(out_edges(n), end_of_edge{this, &edge_record::target}); }

  auto predecessors(node_id n) const { return mapped(in_edges(n), end_of_edge{this, &edge_record::source}); }

  std::size_t num_edges() const { return edges_.size(); }

  std::span<const edge_id> out_edges(node_id n) const { return edge_lists_.elements(nodes_[n].out); }

  std::span<const edge_id> in_edges(node_id n) const { return edge_lists_.elements(nodes_[n].in); }

  node_id edge_source(edge_id e) const { return edges_[e].source; }

  node_id edge_target(edge_id e) const { return edges_[e].target; }

  std::uint64_t epoch() const { return epoch_; }

  const node_record& node(node_id n) const { return nodes_[n]; }

  const edge_record& edge(edge_id e) const { return edges_[e]; }

  /// A name in the table of this procedure.
  std::string_view text(name_id name) const { return names_[name]; }

  std::string_view node_name(node_id n) const { return names_[nodes_[n].name]; }

  node_id create_node(std::string_view name, source_location location = {}) {
    node_record fresh;
    fresh.name = names_.add(name);
    fresh.location = location;
    nodes_.push_back(fresh);
    ++epoch_;
    return static_cast<node_id>(nodes_.size() - 1);
  }

  void set_node_name(node_id n, std::string_view name) { nodes_[n].name = names_.add(name); }

  void set_node_count(node_id n, std::uint64_t count) { nodes_[n].count = count; }

  void set_hint(node_id n, trip_hint hint) { nodes_[n].hint = hint; }

  void set_probability(edge_id e, double probability) { edges_[e].probability = probability; }

  /// The edge is taken for all values that no other edge of its source is for: the only edge of a jump.
  void clear_case(edge_id e) {
    edges_[e].is_default = true;
    edges_[e].case_value = 0;
  }

protected:
  flow() = default;
  flow(const flow&) = default;
  flow(flow&&) = default;
  flow& operator=(const flow&) = default;
  flow& operator=(flow&&) = default;
  ~flow() = default;

  /// One more edge, last among those of its source, which leads nowhere yet.
  edge_id begin_edge(node_id source) {
    const auto e = static_cast<edge_id>(edges_.size());
    edges_.emplace_back();
    edges_[e].source = source;
    edge_lists_.push_back(nodes_[source].out, e);
    return e;
  }

  void enter(edge_id e, node_id target) {
    edges_[e].target = target;
    edges_[e].position = nodes_[target].in.count;
    edge_lists_.push_back(nodes_[target].in, e);
    ++epoch_;
  }

  /// Takes an edge from its target: the last one there moves into its place.
  void leave(edge_id e) {
    node_record& target = nodes_[edges_[e].target];
    const std::span<edge_id> in = edge_lists_.elements(target.in);
    const std::uint32_t position = edges_[e].position;
    in[position] = in.back();
    edges_[in[position]].position = position;
    edge_lists_.erase(target.in, in.size() - 1);
    ++epoch_;
  }

  /// Takes an edge, which has left its target, from its source.
  void end_edge(edge_id e) {
    node_record& source = nodes_[edges_[e].source];
    const std::span<const edge_id> out = out_edges(edges_[e].source);
    std::size_t position = out.size() - 1; // usually they go from the last one on
    while (out[position] != e) {
      --position;
    }
    edge_lists_.erase(source.out, position);
    edges_[e].source = no_node;
    edges_[e].target = no_node;
  }

  detail::name_table names_;
  std::vector<node_record> nodes_;
  std::vector<edge_record> edges_;

private:
  /// One end of an edge.
  struct end_of_edge {
    const flow* f = nullptr;
    node_id edge_record::* end = &edge_record::target;

    node_id operator()(edge_id e) const { return f->edges_[e].*end; }
  };

  detail::list_pool edge_lists_;
  std::uint64_t epoch_ = 0;
};

} // namespace elbrus

MIDEND_END_NAMESPACE
