#include "cost_report.hpp"

#include "text.hpp"

#include <midend/elbrus/views/cost_view.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/machine/cost/count_loop_trips.hpp>
#include <midend/machine/cost/estimate.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/support/nearest_number.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace midend_tool {
namespace {

using midend::loop_estimate;
using midend::program_estimate;
using midend::elbrus::procedure;

/// To two decimals, without zeros at the end; large numbers to the nearest whole one.
std::string decimal(double x) {
  if (x >= 1e12) {
    return std::to_string(midend::nearest_number(x));
  }
  const std::uint64_t hundredths = midend::nearest_number(x * 100);
  std::string out = std::to_string(hundredths / 100);
  if (hundredths % 100 != 0) {
    append(out, ".", hundredths % 100 / 10);
    if (hundredths % 10 != 0) {
      append(out, hundredths % 10);
    }
  }
  return out;
}

std::string times(double x) {
  return x == 1 ? "once" : decimal(x) + " times";
}

std::string text_of(const midend::fraction& f) {
  std::string out = std::to_string(f.numerator());
  if (f.denominator() != 1) {
    append(out, "/", f.denominator());
  }
  return out;
}

void append_recurrence(const procedure& p, const program_estimate& e, midend::loop_id l, std::string& out) {
  append(out, ", RecMII ", text_of(e.loops[l].cost.recurrence_exact));
  constexpr std::size_t most_steps = 12;
  const char* before = " (";
  std::size_t left = most_steps;
  for (const midend::estimated_recurrence_step& s : e.recurrence(l)) {
    const bool is_named = s.value != midend::no_value && !p.value_name(s.value).empty();
    append(out, before, is_named ? "%" + std::string(p.value_name(s.value)) : std::string(name_of(s.operation)));
    before = " ";
    if (--left == 0 && e.recurrence(l).size() > most_steps) {
      append(out, ", ", e.recurrence(l).size() - most_steps, " more");
      break;
    }
  }
  out += e.recurrence(l).empty() ? "" : ")";
}

void append_loop(const procedure& p, const midend::loop_forest& loops, const program_estimate& e, midend::loop_id l,
                 std::string& out) {
  constexpr std::array<std::string_view, 3> sources = {"exactly", "by a profile", "assumed"};
  const loop_estimate& x = e.loops[l];
  out.append(2 * static_cast<std::size_t>(loops.depth(l)), ' ');
  append(out, "loop ", p.node_name(loops.header(l)), ": entered ", times(x.frequency.entries), ", ",
         decimal(x.frequency.executions), " executions of the header (",
         sources[static_cast<std::size_t>(x.frequency.source)], "), ", decimal(x.cycles), " cycles\n");
  if (x.obstacle != midend::region_obstacle::none) {
    return;
  }
  out.append(2 * static_cast<std::size_t>(loops.depth(l)) + 2, ' ');
  append(out, x.cost.operations, " operations, ResMII ", text_of(x.cost.resources.exact));
  append_recurrence(p, e, l, out);
  if (x.is_pipelined) {
    append(out, "; II ", x.cost.interval, ", ", x.cost.stages, " stages");
  } else {
    append(out, "; not pipelined, ", x.cycles_per_pass, " cycles a pass");
  }
  append(out, "; ", x.passes, " passes take ", x.cycles_per_entry, " cycles\n");
}

} // namespace

void append_cost_report(const procedure& p, std::string& out) {
  if (!p.variables().empty()) {
    out += "  not in SSA form: construct-ssa first\n";
    return;
  }
  // [estimate]
  const midend::elbrus::cost_view ir(p);
  const auto found = midend::dominators_and_loops(p);
  midend::estimate_knowledge known; // exact trip counts, and what is never negative
  midend::count_loop_trips(ir, found.loops, known);
  midend::estimate_options options;
  options.trips = known.trips;
  options.facts.not_negative = known.not_negative;
  const midend::program_estimate e = midend::estimate(ir, found.loops, midend::e2k_reference_v6(), options);
  // [estimate]
  append(out, "  ", decimal(e.cycles), " cycles each time; ", e.operations, " operations, ", e.branches, " branches, ",
         e.bytes, " bytes\n");
  for (const midend::loop_id l : found.loops.loops()) {
    append_loop(p, found.loops, e, l, out);
  }
  for (midend::node_id n = 0; n != p.num_nodes(); ++n) {
    const midend::node_estimate& x = e.nodes[n];
    if (!p.node(n).erased && !x.is_in_region && x.cycles != 0) {
      append(out, "  node ", p.node_name(n), ": ", times(x.frequency), " ", x.cycles, " cycles (chain ", x.chain,
             ", ResMII ", x.resources, "); ", x.operations, " operations\n");
    }
  }
}

} // namespace midend_tool
