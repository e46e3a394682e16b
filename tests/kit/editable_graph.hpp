/// A graph to be changed, with lists of successors and predecessors as compilers keep them.
#pragma once

#include "kit/test_graph.hpp"

#include <midend/graph/concepts.hpp>
#include <midend/graph/edge_update.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace midend_tests {

class editable_graph {
public:
  editable_graph() = default;

  explicit editable_graph(const test_graph& g) : entry_(g.entry), next_(g.num_nodes), previous_(g.num_nodes) {
    for (const edge e : g.edges) {
      insert(e);
    }
  }

  std::size_t num_nodes() const { return next_.size(); }

  node_id entry() const { return entry_; }

  const std::vector<node_id>& successors(node_id n) const { return next_[n]; }

  const std::vector<node_id>& predecessors(node_id n) const { return previous_[n]; }

  std::uint64_t epoch() const { return changes_; }

  /// In no particular order.
  const std::vector<edge>& edges() const { return edges_; }

  midend::edge_update insert(edge e) {
    edges_.push_back(e);
    next_[e.source].push_back(e.target);
    previous_[e.target].push_back(e.source);
    ++changes_;
    return {midend::edge_change::insert, e.source, e.target};
  }

  /// Requires that there is one.
  midend::edge_update erase(edge e) {
    drop(edges_, e);
    drop(next_[e.source], e.target);
    drop(previous_[e.target], e.source);
    ++changes_;
    return {midend::edge_change::erase, e.source, e.target};
  }

  /// About as many insertions as deletions; some of the edges that come are parallel to others.
  midend::edge_update change_at_random(random_source& random) {
    if (!edges_.empty() && random.one_in(2)) {
      return erase(edges_[random.below(edges_.size())]);
    }
    if (!edges_.empty() && random.one_in(8)) {
      return insert(edges_[random.below(edges_.size())]);
    }
    return insert({random.below(num_nodes()), random.below(num_nodes())});
  }

  node_id add_node() {
    next_.emplace_back();
    previous_.emplace_back();
    ++changes_;
    return static_cast<node_id>(num_nodes() - 1);
  }

private:
  template <class T> static void drop(std::vector<T>& list, T value) {
    for (T& element : list) {
      if (element == value) {
        element = list.back();
        list.pop_back();
        return;
      }
    }
  }

  node_id entry_ = 0;
  std::uint64_t changes_ = 0;
  std::vector<std::vector<node_id>> next_;
  std::vector<std::vector<node_id>> previous_;
  std::vector<edge> edges_;
};

static_assert(midend::bidirectional_flow_graph<editable_graph>);

/// The graph as it is now.
inline test_graph to_test_graph(const editable_graph& g) {
  return {"after an update", g.num_nodes(), g.entry(), g.edges()};
}

} // namespace midend_tests
