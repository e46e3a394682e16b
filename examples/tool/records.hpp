/// The lines of the `.expect` format.
#pragma once

#include "analysis.hpp"
#include "kinds.hpp"
#include "output.hpp"
#include "progress.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace midend_tool {

/// Writes one record per function. For nested loops the format lists blocks once per loop, which is quadratic; the
/// lists are never in memory together.
class record_writer {
public:
  record_writer(kind_set kinds, output& out, progress* shown = nullptr) : kinds_(kinds), out_(out), progress_(shown) {}

  void write(std::string_view name, const analyses& answers);

private:
  void write_idom(const midend::dominator_tree& tree);
  void write_frontiers(const midend::frontier_sets& frontiers);
  void write_post_dominators(const midend::post_dominator_tree& tree);
  void write_scc(const midend::component_partition& components);
  void write_loops(const midend::loop_forest& loops);
  void write_loop(const midend::loop_forest& loops, midend::loop_id l);

  void write_cycles(const midend::cycle_forest& cycles);
  void write_phis(const midend::iterated_frontiers& phis);
  void write_live_variables(const midend::flow_facts<>& live);

  void id(midend::node_id n); ///< a space and a block, -1 for `no_node`

  template <class Nodes> void list(const Nodes& nodes);
  template <class Nodes> void sorted(const Nodes& nodes);

  kind_set kinds_;
  output& out_;
  progress* progress_;                ///< null: of a thread
  std::vector<std::uint32_t> order_;  ///< loops or cycles, as they are printed
  std::vector<std::uint32_t> number_; ///< by cycle: its place in that order
  std::vector<midend::node_id> nodes_;
};

} // namespace midend_tool
