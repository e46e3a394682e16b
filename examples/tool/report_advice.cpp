#include "report_advice.hpp"

#include "program_names.hpp"
#include "unroll_json.hpp"

#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/induction/loop_trip_counter.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/unrolling/advise_unrolling.hpp>

namespace midend_tool {

std::string unrolling_advice_json(const midend::elbrus::program& all, const std::string& file,
                                  const midend::machine_model& machine) {
  if (!json_report::is_available()) {
    return "null";
  }
  json_report json(file, {machine.name.begin(), machine.name.end()});
  midend::advise_unrolling_workspace workspace;
  midend::unrolling_advice advice;
  for (const midend::elbrus::procedure& as_given : all.procedures) {
    midend::elbrus::procedure p = as_given;
    if (!p.variables().empty()) {
      midend::elbrus::construct_ssa(p);
    }
    const midend::elbrus::cost_view view(p);
    const program_names names(p);
    const auto found = midend::dominators_and_loops(p);
    midend::loop_trip_counter counter(view, found.dominators, found.loops);
    const midend::unrolling_options options;
    midend::unrolling_adviser adviser(view, found.loops, machine, options, workspace);
    for (const midend::loop_id l : found.loops.loops()) {
      adviser.advise(l, counter, advice);
      json.add(advice, machine, p.name(), names);
    }
  }
  return json.text();
}

} // namespace midend_tool
