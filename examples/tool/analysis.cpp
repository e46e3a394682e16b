#include "analysis.hpp"

#include <array>
#include <chrono>

namespace midend_tool {
namespace {

template <class Algorithm>
void run_dominators(const midend::csr_graph& g, midend::dominators_workspace& workspace, midend::dominator_tree& out) {
  midend::dominators(g, Algorithm{}, workspace, out);
}

template <class Algorithm>
void run_post_dominators(const midend::csr_graph& g, const root_policy& roots,
                         midend::post_dominators_workspace& workspace, midend::post_dominator_tree& out) {
  std::visit([&](auto policy) { midend::post_dominators(g, policy, Algorithm{}, workspace, out); }, roots);
}

template <class Algorithm> constexpr dominator_choice choice(std::string_view name) {
  return {name, run_dominators<Algorithm>, run_post_dominators<Algorithm>};
}

constexpr std::array choices{
    choice<midend::semi_nca_t>("semi_nca"),
    choice<midend::lengauer_tarjan_t>("lengauer_tarjan"),
    choice<midend::lengauer_tarjan_simple_t>("lengauer_tarjan_simple"),
    choice<midend::cooper_harvey_kennedy_t>("cooper_harvey_kennedy"),
    choice<midend::naive_dominators_t>("naive_dominators"),
};

template <class F> void timed(double& seconds, F f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

std::span<const dominator_choice> dominator_choices() {
  return choices;
}

std::string dominator_choice_names(std::string_view separator) {
  std::string names;
  for (const dominator_choice& choice : choices) {
    names += names.empty() ? "" : separator;
    names += choice.name;
  }
  return names;
}

const dominator_choice* find_dominator_choice(std::string_view name) {
  for (const dominator_choice& choice : choices) {
    if (choice.name == name) {
      return &choice;
    }
  }
  return nullptr;
}

void analyses::run(const midend_corpus::cfg_function& f, const root_policy& roots) {
  timed(times_.copy, [&] { graph_.assign(f); });
  if (needs_.dominators || needs_.loops || needs_.frontiers || needs_.phis) {
    timed(times_.dominators, [&] { algorithm_.run(graph_, dominators_workspace_, dominators_); });
  }
  if (needs_.components) {
    timed(times_.components,
          [&] { midend::strongly_connected_components(graph_, components_workspace_, components_); });
  }
  if (needs_.loops) {
    timed(times_.loops, [&] { midend::natural_loops(graph_, dominators_, loops_workspace_, loops_); });
  }
  if (needs_.frontiers) {
    timed(times_.frontiers, [&] { midend::dominance_frontier(graph_, dominators_, frontiers_workspace_, frontiers_); });
  }
  if (needs_.post_dominators) {
    timed(times_.post_dominators,
          [&] { algorithm_.run_post(graph_, roots, post_dominators_workspace_, post_dominators_); });
  }
  if (needs_.cycles) {
    timed(times_.cycles, [&] { midend::cycles(graph_, cycles_workspace_, cycles_); });
  }
  if (needs_.live_variables || needs_.phis) {
    timed(times_.live_variables, [&] {
      midend::live_variables(graph_, midend_corpus::cfg_variables{f}, live_variables_workspace_, live_variables_);
    });
  }
  if (needs_.phis) {
    timed(times_.phis, [&] { place_phis(f); });
  }
}

void analyses::place_phis(const midend_corpus::cfg_function& f) {
  definitions_.clear();
  for (midend::node_id n = 0; n != graph_.num_nodes(); ++n) {
    for (const midend::variable_id v : f.defined_in(n)) {
      definitions_.push_back({v, n});
    }
  }
  const auto live_in = [&](midend::variable_id v, midend::node_id n) { return live_variables_.in(n).test(v); };
  midend::iterated_dominance_frontiers(graph_, dominators_, f.num_variables, definitions_, live_in, phis_workspace_,
                                       phis_);
}

} // namespace midend_tool
