/// The summary of `--stats`.
#pragma once

#include "analysis.hpp"

#include <corpus/corpus.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace midend_tool {

/// A number and the function that it was largest in.
struct extreme {
  std::size_t value = 0;
  std::string function;

  void offer(std::size_t candidate, std::string_view name);
};

/// Sums over all functions.
class statistics {
public:
  /// Requires dominators, components and loops in `answers`.
  void add(const midend_corpus::cfg_function& f, const analyses& answers);

  /// The sums of functions that come after those of this object.
  void add(const statistics& others);

  struct run_times {
    double reading = 0;
    double total = 0;
  };

  void print(std::FILE* to, const std::string& file, std::string_view algorithm, const analysis_times& analysed,
             const run_times& run) const;

private:
  void add_blocks(const midend_corpus::cfg_function& f, const midend::dominator_tree& tree);
  void add_components(std::string_view name, const midend::csr_graph& g, const midend::component_partition& components);
  void add_loops(std::string_view name, const midend::loop_forest& loops);
  void add_reducibility(const midend::csr_graph& g, const midend::dominator_tree& tree);

  std::size_t functions_ = 0;
  std::size_t blocks_ = 0;
  std::size_t edges_ = 0;
  std::size_t unreachable_ = 0;
  extreme largest_function_;
  extreme deepest_tree_;

  std::size_t cycles_ = 0; ///< strongly connected components with an edge inside, reachable ones
  extreme largest_cycle_;
  std::size_t irreducible_functions_ = 0;

  std::size_t loops_ = 0;
  std::size_t functions_with_loops_ = 0;
  std::vector<std::size_t> loops_by_depth_; ///< [0] are those of depth 1
  std::size_t without_preheader_ = 0;
  std::size_t with_several_latches_ = 0;
  std::size_t without_dedicated_exits_ = 0;
  std::size_t without_exit_ = 0;
  extreme largest_loop_;
  extreme deepest_loop_;
};

} // namespace midend_tool
