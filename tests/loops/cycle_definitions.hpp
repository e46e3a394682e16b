/// What a cycle forest must answer, worked out from the definition: a depth-first search, then for each header the
/// blocks that come back to it. Nothing here uses an algorithm of the library.
#pragma once

#include "kit/test_graph.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace midend_tests {

struct cycle_facts {
  node_id header = 0;
  node_id parent_header = no_node;
  std::uint32_t depth = 0;
  std::vector<node_id> entries; ///< the header, then the others, ascending
  std::vector<node_id> blocks;  ///< ascending

  bool contains(node_id n) const { return std::binary_search(blocks.begin(), blocks.end(), n); }

  friend bool operator==(const cycle_facts&, const cycle_facts&) = default;
};

/// The tree of a depth-first search and the cycles that it defines.
class cycle_definitions {
public:
  cycle_definitions(const test_graph& g, bool last_to_first) : num_nodes_(g.num_nodes) {
    successors_.resize(num_nodes_);
    predecessors_.resize(num_nodes_);
    for (const edge& e : edges_by_id(num_nodes_, g.edges)) {
      successors_[e.source].push_back(e.target);
      predecessors_[e.target].push_back(e.source);
    }
    if (last_to_first) {
      for (auto& list : successors_) {
        std::reverse(list.begin(), list.end());
      }
    }
    preorder_.assign(num_nodes_, no_node);
    postorder_.assign(num_nodes_, no_node);
    if (num_nodes_ != 0) {
      search(g.entry);
    }
    find_cycles();
  }

  bool is_reachable(node_id n) const { return preorder_[n] != no_node; }

  /// Whether `a` is `n` or above it in the search tree.
  bool is_ancestor(node_id a, node_id n) const {
    return is_reachable(a) && is_reachable(n) && preorder_[a] <= preorder_[n] && postorder_[a] >= postorder_[n];
  }

  node_id preorder_number(node_id n) const { return preorder_[n]; }

  node_id postorder_number(node_id n) const { return postorder_[n]; }

  /// In the order of the search.
  const std::vector<node_id>& successors(node_id n) const { return successors_[n]; }

  /// By depth, then by header.
  const std::vector<cycle_facts>& cycles() const { return cycles_; }

  bool is_reducible() const {
    return std::all_of(cycles_.begin(), cycles_.end(), [](const cycle_facts& c) { return c.entries.size() == 1; });
  }

private:
  void search(node_id entry) {
    struct frame {
      node_id node;
      std::size_t next;
    };

    node_id met = 0;
    node_id left = 0;
    preorder_[entry] = met++;
    std::vector<frame> path{{entry, 0}};
    while (!path.empty()) {
      frame& top = path.back();
      if (top.next == successors_[top.node].size()) {
        postorder_[top.node] = left++;
        path.pop_back();
        continue;
      }
      const node_id target = successors_[top.node][top.next++];
      if (preorder_[target] == no_node) {
        preorder_[target] = met++;
        path.push_back({target, 0});
      }
    }
  }

  void find_cycles() {
    for (node_id header = 0; header != num_nodes_; ++header) {
      std::vector<char> inside(num_nodes_, 0);
      std::vector<node_id> todo;
      for (const node_id p : predecessors_[header]) {
        if (is_ancestor(header, p)) {
          todo.push_back(p);
        }
      }
      if (todo.empty()) {
        continue;
      }
      inside[header] = 1;
      while (!todo.empty()) {
        const node_id n = todo.back();
        todo.pop_back();
        if (inside[n] == 0 && is_ancestor(header, n)) {
          inside[n] = 1;
          todo.insert(todo.end(), predecessors_[n].begin(), predecessors_[n].end());
        }
      }
      cycles_.push_back(describe(header, inside));
    }
    for (cycle_facts& c : cycles_) {
      const cycle_facts* parent = nullptr;
      for (const cycle_facts& other : cycles_) {
        if (other.contains(c.header)) {
          ++c.depth;
          if (&other != &c && (parent == nullptr || other.blocks.size() < parent->blocks.size())) {
            parent = &other;
          }
        }
      }
      c.parent_header = parent == nullptr ? no_node : parent->header;
    }
    std::sort(cycles_.begin(), cycles_.end(), [](const cycle_facts& a, const cycle_facts& b) {
      return a.depth != b.depth ? a.depth < b.depth : a.header < b.header;
    });
  }

  cycle_facts describe(node_id header, const std::vector<char>& inside) const {
    cycle_facts c;
    c.header = header;
    c.entries.push_back(header);
    for (node_id n = 0; n != num_nodes_; ++n) {
      if (inside[n] == 0) {
        continue;
      }
      c.blocks.push_back(n);
      const auto& from = predecessors_[n];
      if (n != header &&
          std::any_of(from.begin(), from.end(), [&](node_id p) { return is_reachable(p) && inside[p] == 0; })) {
        c.entries.push_back(n);
      }
    }
    return c;
  }

  std::size_t num_nodes_;
  std::vector<std::vector<node_id>> successors_;
  std::vector<std::vector<node_id>> predecessors_;
  std::vector<node_id> preorder_;
  std::vector<node_id> postorder_;
  std::vector<cycle_facts> cycles_;
};

} // namespace midend_tests
