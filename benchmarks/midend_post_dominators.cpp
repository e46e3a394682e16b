// Post-dominators with all that belongs to them: the search for the roots, and for those of endless regions.

#include "midend_job.hpp"
#include "post_dominators.hpp"
#include "reference.hpp"

#include <midend/dominance/post_dominators.hpp>
#include <midend/graph/reversed.hpp>
#include <midend/graph/with_virtual_exit.hpp>

namespace midend_benchmarks {
namespace {

/// The oracle takes quadratic time, so it only gets functions of up to this many blocks.
constexpr std::size_t most_blocks_for_oracle = 5'000;

struct post_dominators {
  explicit post_dominators(const dataset&) {}

  void analyse(const midend::csr_graph& g, std::size_t) {
    midend::post_dominators(g, midend::virtual_edge_per_endless_region, workspace, post);
  }

  std::optional<std::string> compare(const dataset& d, std::size_t index) const {
    std::vector<std::uint32_t> found;
    for (midend::node_id n = 0; n != post.num_nodes(); ++n) {
      found.push_back(post.immediate_post_dominator(n));
    }
    return compare_post_dominators(d, index, post.roots(), found);
  }

  midend::post_dominators_workspace workspace;
  midend::post_dominator_tree post;
};

} // namespace

/// By the public views, not by the code that is measured.
std::optional<std::string> compare_post_dominators(const dataset& d, std::size_t function,
                                                   std::span<const std::uint32_t> roots,
                                                   std::span<const std::uint32_t> immediate_post_dominators) {
  const midend::csr_graph& g = d.shared<csr_graphs>().graphs[function];
  const std::string place = "function " + std::to_string(function) + ": ";
  if (immediate_post_dominators.size() != g.num_nodes() || roots.size() != midend::post_dominance_roots(g).size()) {
    return place + "number of blocks or roots";
  }
  const auto with_exit = midend::with_virtual_exit(g, roots);
  const auto reversed = midend::reversed(with_exit);
  const auto wanted = g.num_nodes() <= most_blocks_for_oracle
                          ? midend::immediate_dominators(reversed, midend::naive_dominators)
                          : midend::immediate_dominators(reversed, midend::lengauer_tarjan);
  for (midend::node_id n = 0; n != g.num_nodes(); ++n) {
    if (wanted[n] == midend::no_node ||
        (wanted[n] == with_exit.exit() ? none : wanted[n]) != immediate_post_dominators[n]) {
      return place + "immediate post-dominator of block " + std::to_string(n);
    }
  }
  return std::nullopt;
}

void add_post_dominators(contestants& all) {
  all.push_back(enter<midend_job<post_dominators>>("post_dominators", "midend"));
}

} // namespace midend_benchmarks
