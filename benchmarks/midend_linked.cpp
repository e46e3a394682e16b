// midend on a pointer-linked function, as compilers have them: the dominator tree with everything included, and the
// flat copies alone.

#include "linked_function.hpp"
#include "suite.hpp"

#include <midend/midend.hpp>

#include <algorithm>

namespace midend_benchmarks {
namespace {

/// The view that midend asks its user for.
struct linked_cfg {
  const linked_function* f;

  std::size_t num_nodes() const { return f->blocks.size(); }

  midend::node_id entry() const { return 0; }

  auto successors(midend::node_id n) const {
    return midend::mapped(f->blocks[n]->successors, [](const linked_block* b) { return b->index; });
  }
};

class linked_job : public job {
public:
  explicit linked_job(const dataset& d) : data_(d), functions_(d.shared<linked_functions>().functions) {}

protected:
  const dataset& data_;
  const std::vector<linked_function>& functions_;
};

/// The complete dominator tree, by asking the view for successors or by way of a flat copy.
template <bool Copy> class dominators_job final : public linked_job {
public:
  using linked_job::linked_job;

  void pass() override {
    for (const linked_function& f : functions_) {
      analyse(f);
    }
  }

  std::optional<std::string> check() override {
    for (std::size_t i = 0; i != functions_.size(); ++i) {
      analyse(functions_[i]);
      std::vector<std::uint32_t> found;
      for (midend::node_id n = 0; n != tree_.num_nodes(); ++n) {
        found.push_back(tree_.immediate_dominator(n));
      }
      if (auto difference = compare_dominators(data_, i, found)) {
        return difference;
      }
    }
    return std::nullopt;
  }

private:
  void analyse(const linked_function& f) {
    const linked_cfg cfg{&f};
    if constexpr (Copy) {
      copy_.assign(cfg);
      midend::dominators(copy_, midend::semi_nca, workspace_, tree_);
    } else {
      midend::dominators(cfg, midend::semi_nca, workspace_, tree_);
    }
  }

  midend::forward_csr_graph copy_;
  midend::dominators_workspace workspace_;
  midend::dominator_tree tree_;
};

template <class Graph> class build_job final : public linked_job {
public:
  using linked_job::linked_job;

  void pass() override {
    for (const linked_function& f : functions_) {
      graph_.assign(linked_cfg{&f});
    }
  }

  std::optional<std::string> check() override {
    for (std::size_t i = 0; i != functions_.size(); ++i) {
      graph_.assign(linked_cfg{&functions_[i]});
      const flat_function& f = data_.functions()[i];
      if (!std::ranges::equal(graph_.offsets(), f.offsets) || !std::ranges::equal(graph_.targets(), f.targets)) {
        return "function " + std::to_string(i) + ": successors differ";
      }
      if constexpr (midend::bidirectional_flow_graph<Graph>) {
        if (!predecessors_agree()) {
          return "function " + std::to_string(i) + ": predecessors differ from successors";
        }
      }
    }
    return std::nullopt;
  }

private:
  /// Equal as bags of edges.
  bool predecessors_agree() const {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> forward;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> backward;
    for (midend::node_id n = 0; n != graph_.num_nodes(); ++n) {
      for (const midend::node_id s : graph_.successors(n)) {
        forward.emplace_back(n, s);
      }
      for (const midend::node_id p : graph_.predecessors(n)) {
        backward.emplace_back(p, n);
      }
    }
    std::sort(forward.begin(), forward.end());
    std::sort(backward.begin(), backward.end());
    return forward == backward;
  }

  Graph graph_;
};

} // namespace

void add_midend_linked(contestants& all) {
  all.push_back(enter<dominators_job<false>>("dominators", "midend_semi_nca_pointer"));
  all.push_back(enter<dominators_job<true>>("dominators", "midend_semi_nca_pointer_copy"));
  all.push_back(enter<build_job<midend::csr_graph>>("csr_build", "midend"));
  all.push_back(enter<build_job<midend::forward_csr_graph>>("csr_build", "midend_successors"));
}

} // namespace midend_benchmarks
