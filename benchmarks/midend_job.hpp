/// A job that runs one of midend's analyses on the `csr_graph`s of a set.
#pragma once

#include "csr_graphs.hpp"
#include "suite.hpp"

namespace midend_benchmarks {

/// `Analysis` has a workspace, a result and the members analyse(graph, index) and compare(set, index).
template <class Analysis> class midend_job final : public job {
public:
  explicit midend_job(const dataset& d) : data_(d), graphs_(d.shared<csr_graphs>().graphs), analysis_(d) {}

  void pass() override {
    for (std::size_t i = 0; i != graphs_.size(); ++i) {
      analysis_.analyse(graphs_[i], i);
    }
  }

  std::optional<std::string> check() override {
    for (std::size_t i = 0; i != graphs_.size(); ++i) {
      analysis_.analyse(graphs_[i], i);
      if (auto difference = analysis_.compare(data_, i)) {
        return difference;
      }
    }
    return std::nullopt;
  }

private:
  const dataset& data_;
  const std::vector<midend::csr_graph>& graphs_;
  Analysis analysis_;
};

} // namespace midend_benchmarks
