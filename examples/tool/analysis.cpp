#include "analysis.hpp"

#include <array>
#include <chrono>

namespace midend_tool {
namespace {

template <class Algorithm>
void run_dominators(const midend::csr_graph& g, midend::dominators_workspace& workspace, midend::dominator_tree& out) {
  midend::dominators(g, Algorithm{}, workspace, out);
}

constexpr std::array choices{
    dominator_choice{"semi_nca", run_dominators<midend::semi_nca_t>},
    dominator_choice{"lengauer_tarjan", run_dominators<midend::lengauer_tarjan_t>},
    dominator_choice{"lengauer_tarjan_simple", run_dominators<midend::lengauer_tarjan_simple_t>},
    dominator_choice{"cooper_harvey_kennedy", run_dominators<midend::cooper_harvey_kennedy_t>},
    dominator_choice{"naive_dominators", run_dominators<midend::naive_dominators_t>},
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

void analyses::run(const midend_examples::cfg_function& f) {
  timed(times_.copy, [&] { graph_.assign(f); });
  if (needs_.dominators || needs_.loops) {
    timed(times_.dominators, [&] { algorithm_.run(graph_, dominators_workspace_, dominators_); });
  }
  if (needs_.components) {
    timed(times_.components,
          [&] { midend::strongly_connected_components(graph_, components_workspace_, components_); });
  }
  if (needs_.loops) {
    timed(times_.loops, [&] { midend::natural_loops(graph_, dominators_, loops_workspace_, loops_); });
  }
}

} // namespace midend_tool
