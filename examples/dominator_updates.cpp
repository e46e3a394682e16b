// dominator_updates: dominators of a function that a pass edits.
#include <midend/dominance/dynamic_dominator_tree.hpp>
#include <midend/dominance/dynamic_post_dominator_tree.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

using midend::node_id;

// [graph]
struct editable_cfg {
  std::vector<std::vector<node_id>> next;
  std::vector<std::vector<node_id>> previous;

  std::size_t num_nodes() const { return next.size(); }

  node_id entry() const { return 0; }

  const std::vector<node_id>& successors(node_id n) const { return next[n]; }

  const std::vector<node_id>& predecessors(node_id n) const { return previous[n]; }

  midend::edge_update insert(node_id source, node_id target) {
    next[source].push_back(target);
    previous[target].push_back(source);
    return {midend::edge_change::insert, source, target};
  }

  midend::edge_update erase(node_id source, node_id target) {
    next[source].erase(std::find(next[source].begin(), next[source].end(), target));
    previous[target].erase(std::find(previous[target].begin(), previous[target].end(), source));
    return {midend::edge_change::erase, source, target};
  }

  node_id add_block() {
    next.emplace_back();
    previous.emplace_back();
    return static_cast<node_id>(next.size() - 1);
  }
};

// [end]

int main() {
  // 0: if (...) 1; else 2; 3: while (...) 4; 5: return
  editable_cfg g{std::vector<std::vector<node_id>>(6), std::vector<std::vector<node_id>>(6)};
  for (const midend::edge e : {midend::edge{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}, {4, 3}, {3, 5}}) {
    g.insert(e.source, e.target);
  }

  // [one]
  midend::dynamic_dominator_tree tree(g);
  std::printf("idom of 3: %u\n", tree.immediate_dominator(3));
  g.erase(1, 3); // the then-arm ends in a call that does not return
  tree.delete_edge(g, 1, 3);
  std::printf("idom of 3: %u, depth of 5: %u\n", tree.immediate_dominator(3), tree.depth(5));
  g.insert(1, 5); // or jumps to the end
  tree.insert_edge(g, 1, 5);
  std::printf("idom of 5: %u, 3 dominates 5: %d\n", tree.immediate_dominator(5), tree.dominates(3, 5));
  // [end]

  // [batch]
  const node_id preheader = g.add_block(); // in the middle of 2 -> 3
  const std::array updates{g.erase(2, 3), g.insert(2, preheader), g.insert(preheader, 3)};
  tree.apply(g, updates);
  std::printf("idom of 3: %u, of %u: %u\n", tree.immediate_dominator(3), preheader,
              tree.immediate_dominator(preheader));
  // [end]

  // [snapshot]
  const midend::dominator_tree fixed = tree.snapshot();
  std::printf("2 dominates %zu blocks\n", fixed.subtree(2).size());
  // [end]

  // [post]
  midend::dynamic_post_dominator_tree post(g);
  std::printf("5 post-dominates 0: %d\n", post.post_dominates(5, 0));
  g.erase(1, 5); // 1 is an exit now, a root as 5 is
  post.delete_edge(g, 1, 5);
  std::printf("5 post-dominates 0: %d, roots: %zu, searched for: %zu times\n", post.post_dominates(5, 0),
              post.roots().size(), post.root_searches());
  // [end]
}
