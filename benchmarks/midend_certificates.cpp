// Proofs of dominator trees that are given: what it costs to verify one whose order is given too, and to find the order
// and verify it.

#include "midend_job.hpp"

#include <midend/dominance/certify.hpp>
#include <midend/dominance/dominators.hpp>

namespace midend_benchmarks {
namespace {

struct proven_trees {
  explicit proven_trees(const dataset& d) : trees(d.shared<dominator_trees>().trees) {
    const std::vector<midend::csr_graph>& graphs = d.shared<csr_graphs>().graphs;
    for (std::size_t i = 0; i != graphs.size(); ++i) {
      orders.push_back(midend::low_high_order(graphs[i], trees[i]).value());
    }
  }

  const std::vector<midend::dominator_tree>& trees;
  std::vector<midend::flat_array<midend::node_id>> orders;
};

struct checks {
  explicit checks(const dataset& d) : given(d.shared<proven_trees>()) {}

  std::optional<std::string> compare(const dataset&, std::size_t index) const {
    return error ? std::optional("the tree of function " + std::to_string(index) + " is rejected") : std::nullopt;
  }

  const proven_trees& given;
  std::optional<midend::dominance_error> error;
};

struct verification : checks {
  using checks::checks;

  void analyse(const midend::csr_graph& g, std::size_t index) {
    error = midend::verify_low_high(g, given.trees[index], given.orders[index], workspace);
  }

  midend::verify_low_high_workspace workspace;
};

/// Of immediate dominators alone, as they may come from elsewhere.
struct verification_of_claims : checks {
  using checks::checks;

  void analyse(const midend::csr_graph& g, std::size_t index) {
    error = midend::verify_low_high(g, given.trees[index].immediate_dominators(), given.orders[index], workspace);
  }

  midend::verify_low_high_workspace workspace;
};

struct certification : checks {
  using checks::checks;

  void analyse(const midend::csr_graph& g, std::size_t index) {
    error = midend::certify(g, given.trees[index], workspace);
  }

  midend::certify_workspace workspace;
};

} // namespace

void add_certificates(contestants& all) {
  all.push_back(enter<midend_job<verification>>("verify_low_high", "midend"));
  all.push_back(enter<midend_job<verification_of_claims>>("verify_low_high", "midend_claims"));
  all.push_back(enter<midend_job<certification>>("certify", "midend"));
}

} // namespace midend_benchmarks
