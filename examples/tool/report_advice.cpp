#include "report_advice.hpp"

#include "program_names.hpp"
#include "unroll_json.hpp"
#include "work_split.hpp"

#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/induction/loop_trip_counter.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/unrolling/advise_unrolling.hpp>

#include <memory>
#include <vector>

namespace midend_tool {
namespace {

void advise(midend::elbrus::procedure p, const midend::machine_model& machine,
            midend::advise_unrolling_workspace& workspace, json_report& json) {
  if (!p.variables().empty()) {
    midend::elbrus::construct_ssa(p);
  }
  const midend::elbrus::cost_view view(p);
  const program_names names(p);
  const auto found = midend::dominators_and_loops(p);
  midend::loop_trip_counter counter(view, found.loops);
  const midend::unrolling_options options;
  midend::unrolling_adviser adviser(view, found.loops, machine, options, workspace);
  midend::unrolling_advice advice;
  for (const midend::loop_id l : found.loops.loops()) {
    adviser.advise(l, counter, advice);
    json.add(advice, machine, p.name(), names);
  }
}

} // namespace

std::string unrolling_advice_json(const midend::elbrus::program& all, const std::string& file,
                                  const midend::machine_model& machine, std::size_t jobs) {
  if (!json_report::is_available()) {
    return "null";
  }
  const std::string machine_name(machine.name.begin(), machine.name.end());
  json_report json(file, machine_name);
  std::vector<std::unique_ptr<json_report>> parts(all.procedures.size());
  std::vector<midend::advise_unrolling_workspace> workspaces(jobs);
  for_each_in_order(
      parts.size(), jobs,
      [&](std::size_t worker, std::size_t i) {
        parts[i] = std::make_unique<json_report>(file, machine_name);
        advise(all.procedures[i], machine, workspaces[worker], *parts[i]);
      },
      [&](std::size_t i) {
        json.append(*parts[i]);
        parts[i].reset();
        return true;
      });
  return json.text();
}

} // namespace midend_tool
