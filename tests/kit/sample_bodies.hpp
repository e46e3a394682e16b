// The loops of sample programs as bodies for a machine.
#pragma once

#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/graph/depth_first_order.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/machine/lowering/lower_region.hpp>
#include <midend/machine/lowering/read_region.hpp>
#include <midend/machine/machine_file.hpp>
#include <midend/machine/machine_model.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace midend_tests {

inline std::string contents_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline midend::machine_model example_machine(const char* name) {
  return midend::read_machine(contents_of(std::string(MIDEND_TEST_DATA "/../../examples/machines/") + name)).value();
}

/// The sample programs in SSA form, in the order of their names.
inline std::vector<std::pair<std::string, midend::elbrus::program>> sample_programs() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(MIDEND_TEST_DATA "/../../examples/programs")) {
    if (entry.path().extension() == ".eir") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<std::pair<std::string, midend::elbrus::program>> all;
  for (const auto& file : files) {
    auto parsed = midend::elbrus::parse(contents_of(file));
    REQUIRE(parsed.diagnostics.empty());
    midend::elbrus::construct_ssa(parsed.program);
    all.emplace_back(file.filename().string(), std::move(parsed.program));
  }
  return all;
}

/// Calls `visit(region, body, cost)` for each innermost loop and each node of a program, lowered.
template <class Visit>
void for_each_lowered(const midend::elbrus::program& program, const midend::machine_model& m,
                      const midend::lowering_options& options, Visit visit) {
  for (const midend::elbrus::procedure& p : program.procedures) {
    const midend::elbrus::cost_view view(p);
    const auto found = midend::dominators_and_loops(p);
    const auto order = midend::depth_first_order(p);
    midend::region_reader_workspace reading;
    midend::region_reader<midend::elbrus::cost_view> reader(view, order, found.loops, {}, reading);
    midend::lower_region_workspace lowering;
    midend::program_region region;
    midend::machine_body body;
    for (const midend::loop_id l : found.loops.loops()) {
      if (reader.read_loop(l, region) == midend::region_obstacle::none) {
        const midend::body_cost cost = midend::lower_region(region, m, options, lowering, body);
        visit(region, body, cost, lowering);
      }
    }
    for (const midend::node_id n : order.preorder()) {
      reader.read_node(n, region);
      const midend::body_cost cost = midend::lower_region(region, m, options, lowering, body);
      if (cost.operations != 0) {
        visit(region, body, cost, lowering);
      }
    }
  }
}

} // namespace midend_tests
