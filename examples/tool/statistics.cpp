#include "statistics.hpp"

#include <midend/graph/depth_first_order.hpp>
#include <midend/graph/edge_kinds.hpp>

#include <algorithm>

namespace midend_tool {
namespace {

/// 1234567 as 1,234,567.
std::string grouped(std::size_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string percent(std::size_t part, std::size_t whole) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%",
                whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole));
  return text;
}

std::string milliseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, seconds < 0.1 ? "%.2f" : "%.0f", seconds * 1e3);
  return text;
}

/// Lines of the summary: what, how many, and a remark.
class table {
public:
  explicit table(std::FILE* to) : to_(to) {}

  void row(const char* what, std::size_t value, const std::string& remark = {}) { row(what, grouped(value), remark); }

  void row(const char* what, const std::string& value, const std::string& remark) {
    std::fprintf(to_, "  %-34s %12s%s%s\n", what, value.c_str(), remark.empty() ? "" : "   ", remark.c_str());
  }

  void extreme_row(const char* what, const extreme& e, const char* unit = "") {
    row(what, grouped(e.value) + unit, e.value == 0 ? std::string() : "in " + e.function);
  }

  void time_row(const char* what, double seconds, std::size_t blocks) {
    char remark[48];
    std::snprintf(remark, sizeof remark, "%.1f ns a block",
                  blocks == 0 ? 0.0 : seconds * 1e9 / static_cast<double>(blocks));
    row(what, milliseconds(seconds) + " ms", remark);
  }

private:
  std::FILE* to_;
};

bool has_self_loop(const midend::csr_graph& g, midend::node_id n) {
  const auto successors = g.successors(n);
  return std::find(successors.begin(), successors.end(), n) != successors.end();
}

} // namespace

void extreme::offer(std::size_t candidate, std::string_view name) {
  if (candidate > value) {
    value = candidate;
    function = name;
  }
}

void statistics::add(const statistics& others) {
  functions_ += others.functions_;
  blocks_ += others.blocks_;
  edges_ += others.edges_;
  unreachable_ += others.unreachable_;
  cycles_ += others.cycles_;
  irreducible_functions_ += others.irreducible_functions_;
  loops_ += others.loops_;
  functions_with_loops_ += others.functions_with_loops_;
  without_preheader_ += others.without_preheader_;
  with_several_latches_ += others.with_several_latches_;
  without_dedicated_exits_ += others.without_dedicated_exits_;
  without_exit_ += others.without_exit_;
  for (extreme statistics::* const which :
       {&statistics::largest_function_, &statistics::deepest_tree_, &statistics::largest_cycle_,
        &statistics::largest_loop_, &statistics::deepest_loop_}) {
    (this->*which).offer((others.*which).value, (others.*which).function);
  }
  loops_by_depth_.resize(std::max(loops_by_depth_.size(), others.loops_by_depth_.size()));
  for (std::size_t i = 0; i != others.loops_by_depth_.size(); ++i) {
    loops_by_depth_[i] += others.loops_by_depth_[i];
  }
}

void statistics::add(const midend_corpus::cfg_function& f, const analyses& answers) {
  add_blocks(f, answers.dominators());
  add_components(f.name, answers.graph(), answers.components());
  add_loops(f.name, answers.loops());
  add_reducibility(answers.graph(), answers.dominators());
}

void statistics::add_blocks(const midend_corpus::cfg_function& f, const midend::dominator_tree& tree) {
  ++functions_;
  blocks_ += f.num_nodes();
  edges_ += f.successor_list.size();
  unreachable_ += f.num_nodes() - tree.num_reachable();
  largest_function_.offer(f.num_nodes(), f.name);
  for (const midend::node_id n : tree.preorder()) {
    deepest_tree_.offer(tree.depth(n), f.name);
  }
}

void statistics::add_components(std::string_view name, const midend::csr_graph& g,
                                const midend::component_partition& components) {
  for (midend::component_id c = 0; c != components.num_reachable_components(); ++c) {
    const auto members = components.members(c);
    if (members.size() > 1 || has_self_loop(g, members[0])) {
      ++cycles_;
      largest_cycle_.offer(members.size(), name);
    }
  }
}

void statistics::add_loops(std::string_view name, const midend::loop_forest& loops) {
  loops_ += loops.num_loops();
  functions_with_loops_ += loops.num_loops() != 0 ? 1 : 0;
  for (const midend::loop_id l : loops.loops()) {
    const std::size_t depth = loops.depth(l);
    loops_by_depth_.resize(std::max(loops_by_depth_.size(), depth));
    ++loops_by_depth_[depth - 1];
    without_preheader_ += loops.preheader(l) == midend::no_node ? 1 : 0;
    with_several_latches_ += loops.single_latch(l) == midend::no_node ? 1 : 0;
    without_dedicated_exits_ += loops.has_dedicated_exits(l) ? 0 : 1;
    without_exit_ += loops.is_statically_infinite(l) ? 1 : 0;
    largest_loop_.offer(loops.blocks(l).size(), name);
    deepest_loop_.offer(depth, name);
  }
}

/// Reducible means that each edge back to an ancestor in the depth-first search leads to a dominator.
void statistics::add_reducibility(const midend::csr_graph& g, const midend::dominator_tree& tree) {
  const auto kinds = midend::edge_kinds(g, midend::depth_first_order(g));
  for (midend::edge_id e = 0; e != kinds.size(); ++e) {
    if (kinds[e] == midend::edge_kind::back && !tree.dominates(g.edge_target(e), g.edge_source(e))) {
      ++irreducible_functions_;
      return;
    }
  }
}

void statistics::print(std::FILE* to, const std::string& file, std::string_view algorithm,
                       const analysis_times& analysed, const run_times& run) const {
  std::fprintf(to, "%s\n", file.c_str());
  table t(to);
  t.row("functions", functions_);
  t.row("blocks", blocks_);
  t.row("unreachable blocks", unreachable_);
  t.row("edges", edges_);
  t.extreme_row("largest function", largest_function_, " blocks");
  t.extreme_row("deepest dominator tree", deepest_tree_, " levels");
  t.row("cycles (SCCs with an edge inside)", cycles_);
  t.extreme_row("largest cycle", largest_cycle_, " blocks");
  t.row("functions with irreducible flow", irreducible_functions_);
  t.row("natural loops", loops_, "in " + grouped(functions_with_loops_) + " functions");
  constexpr std::size_t most_depths = 6;
  for (std::size_t i = 0; i != std::min(loops_by_depth_.size(), most_depths); ++i) {
    t.row(("  of depth " + std::to_string(i + 1)).c_str(), loops_by_depth_[i]);
  }
  t.extreme_row("deepest loop", deepest_loop_, " levels");
  t.extreme_row("largest loop", largest_loop_, " blocks");
  t.row("loops without a preheader", without_preheader_, percent(without_preheader_, loops_));
  t.row("loops with several latches", with_several_latches_, percent(with_several_latches_, loops_));
  t.row("loops without dedicated exits", without_dedicated_exits_, percent(without_dedicated_exits_, loops_));
  t.row("loops without any exit", without_exit_, percent(without_exit_, loops_));
  t.row("time to read the file", milliseconds(run.reading) + " ms", "");
  t.time_row("  flat copy (csr_graph)", analysed.copy, blocks_);
  t.time_row(("  dominators (" + std::string(algorithm) + ")").c_str(), analysed.dominators, blocks_);
  t.time_row("  strongly connected components", analysed.components, blocks_);
  t.time_row("  natural loops", analysed.loops, blocks_);
  t.time_row("  dominance frontiers", analysed.frontiers, blocks_);
  t.time_row("  post-dominators", analysed.post_dominators, blocks_);
  t.time_row("  cycles", analysed.cycles, blocks_);
  t.time_row("  live variables", analysed.live_variables, blocks_);
  t.time_row("  phis", analysed.phis, blocks_);
  t.row("time in all, with the records", milliseconds(run.total) + " ms", "");
}

} // namespace midend_tool
