/// The analyses of one function after the other, in memory that is used again.
#pragma once

#include "support/corpus.hpp"

#include <midend/dominance/dominators.hpp>
#include <midend/graph/csr_graph.hpp>
#include <midend/graph/strongly_connected_components.hpp>
#include <midend/loops/natural_loops.hpp>

#include <span>
#include <string>
#include <string_view>

namespace midend_tool {

/// A dominator algorithm by its name on the command line.
struct dominator_choice {
  std::string_view name;
  void (*run)(const midend::csr_graph& g, midend::dominators_workspace& workspace, midend::dominator_tree& out);
};

/// The first one is the default.
std::span<const dominator_choice> dominator_choices();

/// The names, separated by `separator`.
std::string dominator_choice_names(std::string_view separator);

/// Null if there is no such algorithm.
const dominator_choice* find_dominator_choice(std::string_view name);

/// Which of the analyses are wanted.
struct analysis_needs {
  bool dominators = false;
  bool components = false;
  bool loops = false; ///< needs the dominators
};

/// How long each analysis took, over all functions; in seconds.
struct analysis_times {
  double copy = 0;
  double dominators = 0;
  double components = 0;
  double loops = 0;
};

/// The answers for the function that was analysed last.
class analyses {
public:
  analyses(const dominator_choice& algorithm, analysis_needs needs) : algorithm_(algorithm), needs_(needs) {}

  void run(const midend_examples::cfg_function& f);

  const midend::csr_graph& graph() const { return graph_; }

  const midend::dominator_tree& dominators() const { return dominators_; }

  const midend::component_partition& components() const { return components_; }

  const midend::loop_forest& loops() const { return loops_; }

  const analysis_times& times() const { return times_; }

private:
  const dominator_choice& algorithm_;
  analysis_needs needs_;
  analysis_times times_;

  midend::csr_graph graph_;
  midend::dominators_workspace dominators_workspace_;
  midend::dominator_tree dominators_;
  midend::component_workspace components_workspace_;
  midend::component_partition components_;
  midend::loops_workspace loops_workspace_;
  midend::loop_forest loops_;
};

} // namespace midend_tool
