// midend on `csr_graph`, the flat copy that is made when several analyses follow. The copies are not part of what is
// timed; midend_linked.cpp has the measurements that include them.

#include "midend_job.hpp"

#include <midend/midend.hpp>

namespace midend_benchmarks {
namespace {

std::optional<std::string> compare_tree(const dataset& d, std::size_t function, const midend::dominator_tree& tree) {
  std::vector<std::uint32_t> found;
  for (midend::node_id n = 0; n != tree.num_nodes(); ++n) {
    found.push_back(tree.immediate_dominator(n));
  }
  return compare_dominators(d, function, found);
}

std::optional<std::string> compare_forest(const dataset& d, std::size_t function, const midend::loop_forest& forest) {
  std::vector<loop_summary> found;
  for (std::uint32_t l = 0; l != forest.num_loops(); ++l) {
    found.push_back({forest.header(l), static_cast<std::uint32_t>(forest.blocks(l).size())});
  }
  return compare_loops(d, function, std::move(found));
}

struct depth_first {
  explicit depth_first(const dataset&) {}

  void analyse(const midend::csr_graph& g, std::size_t) { midend::depth_first_order(g, workspace, order); }

  std::optional<std::string> compare(const dataset& d, std::size_t index) const {
    std::vector<std::uint32_t> preorder;
    std::vector<std::uint32_t> postorder;
    for (midend::node_id n = 0; n != order.num_nodes(); ++n) {
      preorder.push_back(order.preorder_number(n));
      postorder.push_back(order.postorder_number(n));
    }
    return compare_depth_first(d, index, preorder, postorder);
  }

  midend::depth_first_order_workspace workspace;
  midend::depth_first_numbering order;
};

/// The complete tree: immediate dominators, children, intervals, depth.
template <class Algorithm> struct complete_tree {
  explicit complete_tree(const dataset&) {}

  void analyse(const midend::csr_graph& g, std::size_t) { midend::dominators(g, Algorithm(), workspace, tree); }

  std::optional<std::string> compare(const dataset& d, std::size_t index) const { return compare_tree(d, index, tree); }

  midend::dominators_workspace workspace;
  midend::dominator_tree tree;
};

/// The value form: workspace and result are made for each function.
struct fresh_tree {
  explicit fresh_tree(const dataset&) {}

  void analyse(const midend::csr_graph& g, std::size_t) { tree = midend::dominators(g); }

  std::optional<std::string> compare(const dataset& d, std::size_t index) const { return compare_tree(d, index, tree); }

  midend::dominator_tree tree;
};

template <class Algorithm> struct immediate_dominators_only {
  explicit immediate_dominators_only(const dataset&) {}

  void analyse(const midend::csr_graph& g, std::size_t) {
    midend::immediate_dominators(g, Algorithm(), workspace, dominators);
  }

  std::optional<std::string> compare(const dataset& d, std::size_t index) const {
    return compare_dominators(d, index, dominators);
  }

  midend::dominators_workspace workspace;
  midend::flat_array<midend::node_id> dominators;
};

struct components {
  explicit components(const dataset&) {}

  void analyse(const midend::csr_graph& g, std::size_t) {
    midend::strongly_connected_components(g, workspace, partition);
  }

  std::optional<std::string> compare(const dataset& d, std::size_t index) const {
    std::vector<std::uint32_t> found;
    for (midend::node_id n = 0; n != partition.num_nodes(); ++n) {
      found.push_back(partition.component(n));
    }
    return compare_components(d, index, found);
  }

  midend::strongly_connected_components_workspace workspace;
  midend::component_partition partition;
};

/// What the peers' loop analyses compute: headers, nesting and blocks. With boundaries, also the edges into, in and out
/// of each loop, which peers look up on request.
template <bool Boundaries> struct loops_of_given_trees {
  explicit loops_of_given_trees(const dataset& d) : trees(d.shared<dominator_trees>().trees) {}

  void analyse(const midend::csr_graph& g, std::size_t index) {
    if constexpr (Boundaries) {
      midend::natural_loops(g, trees[index], workspace, forest);
    } else {
      midend::natural_loops(g, trees[index], midend::nesting_only, workspace, forest);
    }
  }

  std::optional<std::string> compare(const dataset& d, std::size_t index) const {
    return compare_forest(d, index, forest);
  }

  const std::vector<midend::dominator_tree>& trees;
  midend::natural_loops_workspace workspace;
  midend::loop_forest forest;
};

/// The value form.
template <bool Boundaries> struct fresh_loops_of_given_trees {
  explicit fresh_loops_of_given_trees(const dataset& d) : trees(d.shared<dominator_trees>().trees) {}

  void analyse(const midend::csr_graph& g, std::size_t index) {
    if constexpr (Boundaries) {
      forest = midend::natural_loops(g, trees[index]);
    } else {
      forest = midend::natural_loops(g, trees[index], midend::nesting_only);
    }
  }

  std::optional<std::string> compare(const dataset& d, std::size_t index) const {
    return compare_forest(d, index, forest);
  }

  const std::vector<midend::dominator_tree>& trees;
  midend::loop_forest forest;
};

template <bool Boundaries> struct dominators_with_loops {
  explicit dominators_with_loops(const dataset&) {}

  void analyse(const midend::csr_graph& g, std::size_t) {
    if constexpr (Boundaries) {
      midend::dominators_and_loops(g, workspace, result);
    } else {
      midend::dominators_and_loops(g, midend::nesting_only, workspace, result);
    }
  }

  std::optional<std::string> compare(const dataset& d, std::size_t index) const {
    auto difference = compare_tree(d, index, result.dominators);
    return difference ? difference : compare_forest(d, index, result.loops);
  }

  midend::dominators_and_loops_workspace workspace;
  midend::dominators_and_loops_result result;
};

bool deep(const dataset_name& d) {
  return d.shape == "ladder" || d.shape == "nest";
}

bool generated(const dataset_name& d) {
  return d.generated();
}

template <class Algorithm>
void add_algorithm(contestants& all, const std::string& name, bool (*left_out)(const dataset_name&) = nullptr) {
  all.push_back(enter<midend_job<complete_tree<Algorithm>>>("dominators", "midend_" + name));
  all.back().left_out = left_out;
  all.push_back(enter<midend_job<immediate_dominators_only<Algorithm>>>("idoms", "midend_" + name));
  all.back().left_out = left_out;
}

} // namespace

void add_midend(contestants& all) {
  all.push_back(enter<midend_job<depth_first>>("dfs", "midend"));
  add_algorithm<midend::semi_nca_t>(all, "semi_nca");
  add_algorithm<midend::lengauer_tarjan_t>(all, "lengauer_tarjan");
  add_algorithm<midend::lengauer_tarjan_simple_t>(all, "lengauer_tarjan_simple");
  // Quadratic on deep dominator trees: hours at 10^6 blocks.
  add_algorithm<midend::cooper_harvey_kennedy_t>(all, "cooper_harvey_kennedy", deep);
  // The oracle of the tests, quadratic everywhere.
  add_algorithm<midend::naive_dominators_t>(all, "naive_dominators", generated);
  all.push_back(enter<midend_job<fresh_tree>>("dominators", "midend_fresh"));
  all.push_back(enter<midend_job<components>>("scc", "midend"));
  all.push_back(enter<midend_job<loops_of_given_trees<false>>>("loops", "midend"));
  all.push_back(enter<midend_job<loops_of_given_trees<true>>>("loops", "midend_boundaries"));
  all.push_back(enter<midend_job<fresh_loops_of_given_trees<false>>>("loops", "midend_fresh"));
  all.push_back(enter<midend_job<fresh_loops_of_given_trees<true>>>("loops", "midend_boundaries_fresh"));
  all.push_back(enter<midend_job<dominators_with_loops<false>>>("dominators+loops", "midend"));
  all.push_back(enter<midend_job<dominators_with_loops<true>>>("dominators+loops", "midend_boundaries"));
}

} // namespace midend_benchmarks
