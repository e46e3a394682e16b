#include "dependence_report.hpp"

#include "program_names.hpp"
#include "text.hpp"

#include <midend/dependence/dependence.hpp>
#include <midend/dependence/read_nest.hpp>
#include <midend/dependence/runtime_checks.hpp>
#include <midend/dependence/verify_dependences.hpp>
#include <midend/elbrus/opcode.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/induction/evolutions.hpp>
#include <midend/ir/number_facts.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/loops/loop_forest.hpp>
#include <midend/ssa/facts_of_numbers.hpp>
#include <midend/support/flat_array.hpp>
#include <midend/viz/dependences.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace midend_tool {
namespace {

using midend::access_id;
using midend::elbrus::cost_view;
using midend::elbrus::procedure;

/// `2 st.i32`, or `1 ld.i32 %x`.
std::string access_name(const procedure& p, const midend::nest_accesses& nest, access_id a) {
  const midend::value_id v = nest.access(a).operation;
  std::string out = std::to_string(a + 1) + " " + std::string(midend::elbrus::name_of(p.value(v).code));
  return p.value_name(v).empty() ? out : out + " %" + std::string(p.value_name(v));
}

void append_nest(const procedure& p, const midend::loop_forest& loops, const midend::function_nest& nest,
                 std::string& out) {
  const program_names names(p);
  const midend::nest_accesses& accesses = nest.accesses;
  for (access_id a = 0; a != accesses.num_accesses(); ++a) {
    append(out, "    ", access_name(p, accesses, a), ": ", midend::nest_place_text(nest, loops, a, names), "\n");
  }
  std::vector<midend::access_pair> unresolved;
  // [pairs]
  midend::dependence_workspace workspace;
  midend::dependence_result found;
  for (access_id a = 0; a != accesses.num_accesses(); ++a) {
    for (access_id b = a; b != accesses.num_accesses(); ++b) {
      if (!accesses.access(a).writes && !accesses.access(b).writes) {
        continue;
      }
      midend::dependence(accesses, a, b, {}, workspace, found);
      // [end]
      const std::string first = std::to_string(a + 1);
      const std::string second = std::to_string(b + 1);
      append(out, "    ", first, ", ", second, ": ", midend::dependence_text(accesses, found, first, second), "\n");
      if (midend::verify_dependences(accesses, {&found, 1})) {
        out += "    and the proof is wrong\n";
      }
      if (found.obstacle == midend::dependence_obstacle::different_bases) {
        unresolved.push_back({a, b});
      }
    }
  }
  if (!unresolved.empty()) {
    const midend::runtime_check_plan plan = midend::runtime_checks(accesses, unresolved);
    for (const midend::interval_comparison& c : plan.comparisons) {
      append(out, "    checked at run time: ", midend::byte_interval_text(nest, plan, c.first, names), " apart from ",
             midend::byte_interval_text(nest, plan, c.second, names), "\n");
    }
  }
}

} // namespace

void append_dependences(const procedure& p, std::string& out) {
  if (!p.variables().empty()) {
    out += "  not in SSA form: construct-ssa first\n";
    return;
  }
  const cost_view ir(p);
  const auto flow = midend::dominators_and_loops(p);
  const midend::loop_forest& loops = flow.loops;
  if (loops.num_loops() == 0) {
    out += "  no loops\n";
  }
  const midend::flat_array<midend::number_facts> facts = midend::facts_of_numbers(ir);
  // [nest]
  const midend::value_evolutions found = midend::evolutions(ir, loops, {facts.data(), facts.size()});
  midend::read_nest_workspace workspace;
  midend::function_nest nest;
  for (const midend::loop_id l : loops.top_level()) {
    midend::read_nest(ir, loops, flow.dominators, found, {facts.data(), facts.size()}, l, workspace, nest);
    // [end]
    out += "  nest";
    for (const midend::loop_id inner : loops.subloops(l)) {
      append(out, " ", program_names(p).node(loops.header(inner)));
    }
    if (nest.obstacle != midend::nest_obstacle::none) {
      out += nest.obstacle == midend::nest_obstacle::too_deep ? ": too deep\n" : ": a cycle with several entries\n";
      continue;
    }
    out += ":\n";
    append_nest(p, loops, nest, out);
  }
}

} // namespace midend_tool
