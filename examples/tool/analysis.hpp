/// Runs the analyses on one function after another; memory is reused.
#pragma once

#include <corpus/corpus.hpp>

#include <midend/dataflow/live_variables.hpp>
#include <midend/dominance/dominance_frontier.hpp>
#include <midend/dominance/dominators.hpp>
#include <midend/dominance/iterated_dominance_frontier.hpp>
#include <midend/dominance/post_dominators.hpp>
#include <midend/graph/csr_graph.hpp>
#include <midend/graph/strongly_connected_components.hpp>
#include <midend/loops/cycles.hpp>
#include <midend/loops/natural_loops.hpp>

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace midend_tool {

/// The policy that chooses the roots of a post-dominator tree.
using root_policy = std::variant<midend::virtual_edge_per_endless_region_t, midend::exits_only_t, midend::given_roots>;

/// A dominator algorithm by its name on the command line.
struct dominator_choice {
  std::string_view name;
  void (*run)(const midend::csr_graph& g, midend::dominators_workspace& workspace, midend::dominator_tree& out);
  void (*run_post)(const midend::csr_graph& g, const root_policy& roots, midend::post_dominators_workspace& workspace,
                   midend::post_dominator_tree& out);
};

/// The first one is the default.
std::span<const dominator_choice> dominator_choices();

/// The names, separated by `separator`.
std::string dominator_choice_names(std::string_view separator);

/// Null if there is no such algorithm.
const dominator_choice* find_dominator_choice(std::string_view name);

/// Which analyses to run.
struct analysis_needs {
  bool dominators = false;
  bool components = false;
  bool loops = false;     ///< needs the dominators
  bool frontiers = false; ///< needs the dominators
  bool post_dominators = false;
  bool cycles = false;
  bool live_variables = false;
  bool phis = false; ///< needs the dominators and the live variables
};

/// How long each analysis took, over all functions; in seconds.
struct analysis_times {
  double copy = 0;
  double dominators = 0;
  double components = 0;
  double loops = 0;
  double frontiers = 0;
  double post_dominators = 0;
  double cycles = 0;
  double live_variables = 0;
  double phis = 0;

  void add(const analysis_times& others) {
    for (double analysis_times::* const each :
         {&analysis_times::copy, &analysis_times::dominators, &analysis_times::components, &analysis_times::loops,
          &analysis_times::frontiers, &analysis_times::post_dominators, &analysis_times::cycles,
          &analysis_times::live_variables, &analysis_times::phis}) {
      this->*each += others.*each;
    }
  }
};

/// The answers for the function that was analysed last.
class analyses {
public:
  analyses(const dominator_choice& algorithm, analysis_needs needs) : algorithm_(algorithm), needs_(needs) {}

  void run(const midend_corpus::cfg_function& f, const root_policy& roots);

  const midend::csr_graph& graph() const { return graph_; }

  const midend::dominator_tree& dominators() const { return dominators_; }

  const midend::component_partition& components() const { return components_; }

  const midend::loop_forest& loops() const { return loops_; }

  const midend::frontier_sets& frontiers() const { return frontiers_; }

  const midend::post_dominator_tree& post_dominators() const { return post_dominators_; }

  const midend::cycle_forest& cycles() const { return cycles_; }

  const midend::flow_facts<>& live_variables() const { return live_variables_; }

  const midend::iterated_frontiers& phis() const { return phis_; }

  const analysis_needs& needs() const { return needs_; }

  const analysis_times& times() const { return times_; }

private:
  void place_phis(const midend_corpus::cfg_function& f);

  const dominator_choice& algorithm_;
  analysis_needs needs_;
  analysis_times times_;

  midend::csr_graph graph_;
  midend::dominators_workspace dominators_workspace_;
  midend::dominator_tree dominators_;
  midend::strongly_connected_components_workspace components_workspace_;
  midend::component_partition components_;
  midend::natural_loops_workspace loops_workspace_;
  midend::loop_forest loops_;
  midend::dominance_frontier_workspace frontiers_workspace_;
  midend::frontier_sets frontiers_;
  midend::post_dominators_workspace post_dominators_workspace_;
  midend::post_dominator_tree post_dominators_;
  midend::cycles_workspace cycles_workspace_;
  midend::cycle_forest cycles_;
  midend::gen_kill_workspace<> live_variables_workspace_;
  midend::flow_facts<> live_variables_;
  midend::iterated_dominance_frontier_workspace phis_workspace_;
  midend::iterated_frontiers phis_;
  std::vector<midend::definition_site> definitions_;
};

} // namespace midend_tool
