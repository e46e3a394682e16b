// Dominance frontiers of functions whose trees are given.

#include "frontiers.hpp"
#include "midend_job.hpp"

#include <midend/dominance/dominance_frontier.hpp>
#include <midend/dominance/dominators.hpp>

#include <algorithm>

namespace midend_benchmarks {
namespace {

struct frontiers {
  explicit frontiers(const dataset& d) : trees(d.shared<dominator_trees>().trees) {}

  void analyse(const midend::csr_graph& g, std::size_t index) {
    midend::dominance_frontier(g, trees[index], workspace, result);
  }

  std::optional<std::string> compare(const dataset& d, std::size_t index) const {
    std::vector<std::vector<std::uint32_t>> found;
    for (midend::node_id n = 0; n != result.num_nodes(); ++n) {
      found.emplace_back(result[n].begin(), result[n].end());
    }
    return compare_frontiers(d, index, found);
  }

  const std::vector<midend::dominator_tree>& trees;
  midend::dominance_frontier_workspace workspace;
  midend::frontier_sets result;
};

} // namespace

std::optional<std::string> compare_frontiers(const dataset& d, std::size_t function,
                                             std::span<const std::vector<std::uint32_t>> found) {
  const flat_function& f = d.functions()[function];
  const midend::dominator_tree tree = midend::dominators(f);
  std::vector<std::vector<std::uint32_t>> expected(f.num_nodes());
  for (std::uint32_t source = 0; source != f.num_nodes(); ++source) {
    for (const std::uint32_t target : f.successors(source)) {
      for (std::uint32_t n = source; tree.is_reachable(source) && n != tree.immediate_dominator(target);
           n = tree.immediate_dominator(n)) {
        expected[n].push_back(target);
      }
    }
  }
  for (std::uint32_t n = 0; n != f.num_nodes(); ++n) {
    std::sort(expected[n].begin(), expected[n].end());
    expected[n].erase(std::unique(expected[n].begin(), expected[n].end()), expected[n].end());
    if (found[n] != expected[n]) {
      return "frontier of block " + std::to_string(n) + " of function " + std::to_string(function);
    }
  }
  return std::nullopt;
}

bool has_quadratic_frontiers(const dataset_name& d) {
  return d.generated() && d.shape != "structured" && d.shape != "chain" && d.size > 10'000;
}

void add_frontiers(contestants& all) {
  all.push_back(enter<midend_job<frontiers>>("dominance_frontiers", "midend"));
  all.back().left_out = has_quadratic_frontiers;
}

} // namespace midend_benchmarks
