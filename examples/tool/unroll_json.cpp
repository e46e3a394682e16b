#include "unroll_json.hpp"

#include <midend/induction/trip_count.hpp>
#include <midend/machine/lowering/body_cost.hpp>
#include <midend/support/fraction.hpp>
#include <midend/viz/report.hpp>
#include <midend/viz/trip_formula.hpp>
#include <midend/viz/unrolling.hpp>
#include <midend/viz/unrolling_reasons.hpp>
#include <midend/viz/unrolling_words.hpp>

#include <nlohmann/json.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace midend_tool {
namespace {

using json = nlohmann::ordered_json;
using midend::body_cost;
using midend::body_limit;
using midend::fraction;
using midend::machine_body;
using midend::machine_model;
using midend::unrolling_advice;
using midend::unrolling_candidate;

constexpr std::array<const char*, 5> trip_kind_names = {"unknown", "exact", "at_most", "endless", "wraps_first"};
constexpr std::array<const char*, 6> limit_names = {"nothing",       "resources",     "recurrence",
                                                    "critical_path", "straight_line", "schedule"};
constexpr std::array<const char*, 8> pipelining_names = {
    "none",        "straight_line",  "no_pipelining", "call", "too_many_operations", "too_many_stages",
    "no_schedule", "too_few_passes",
};
constexpr std::array<const char*, 5> resource_kind_names = {"none", "channels", "resource", "occupancy", "exclusion"};

template <class Enumerator, std::size_t N>
const char* name_in(const std::array<const char*, N>& names, Enumerator enumerator) {
  return names[static_cast<std::size_t>(enumerator)];
}

json fraction_json(const fraction& f) {
  return json::parse(midend::report_value(f).json());
}

json table_json(const midend::report_table& table) {
  return json::parse(midend::to_json(table));
}

/// A number, or null for 0.
json unless_zero(std::uint64_t number) {
  return number == 0 ? json() : json(number);
}

std::string value_name(midend::value_id v, const program_names& names) {
  return v == midend::no_value ? std::string() : names.value(v);
}

json trip_json(const unrolling_advice& advice, const program_names& names) {
  const midend::loop_counts& counts = advice.counts;
  const bool has_count =
      counts.trip.kind == midend::trip_count_kind::exact || counts.trip.kind == midend::trip_count_kind::at_most;
  const auto executions = counts.trip.header_executions();
  json out;
  out["kind"] = name_in(trip_kind_names, counts.trip.kind);
  out["header_executions"] = executions ? json(*executions) : json();
  out["backedges_taken"] = has_count ? json(counts.trip.backedges) : json();
  out["multiple"] = counts.trip.multiple;
  out["is_computable"] = counts.has_formula;
  const std::string formula = midend::trip_formula_text(counts, names);
  out["backedges_formula"] = formula.empty() ? json() : json(formula);
  out["phi_period"] = counts.phi_period;
  out["profile_average"] = counts.hints.average > 0 ? json(counts.hints.average) : json();
  return out;
}

json resource_json(const machine_model& machine, const midend::resource_bound_result& bound) {
  json out;
  out["kind"] = name_in(resource_kind_names, bound.limit);
  if (bound.limit == midend::resource_limit::channels) {
    out["name"] = midend::channels_text(machine, bound.channels);
  } else if (bound.limit == midend::resource_limit::scalar_resource) {
    out["name"] = midend::resource_text(machine, bound.resource);
  }
  out["cycles"] = fraction_json(bound.limit_exact);
  return out;
}

/// Why a body takes so long.
json bound_json(const body_cost& cost, const machine_body& body, const machine_model& machine,
                const program_names& names, bool has_copies) {
  json out;
  out["limit"] = name_in(limit_names, cost.limit());
  out["text"] = midend::limit_text(cost, body, machine, names, has_copies);
  if (cost.limit() == body_limit::resources) {
    out["resource"] = resource_json(machine, cost.resources);
  } else if (cost.limit() == body_limit::recurrence) {
    out["recurrence"] = table_json(midend::recurrence_table(midend::recurrence_steps(body, names)));
  }
  return out;
}

/// The numbers of a body.
json body_json(const body_cost& cost) {
  return {{"operations", cost.operations},
          {"branches", cost.branches},
          {"resource_bound", fraction_json(cost.resources.exact)},
          {"recurrence_bound", fraction_json(cost.recurrence_exact)},
          {"critical_path", cost.critical_path},
          {"interval", cost.interval},
          {"stages", cost.stages},
          {"pipelining_obstacle", name_in(pipelining_names, cost.obstacle)},
          {"bytes", cost.bytes},
          {"general_registers", cost.general_registers},
          {"predicate_registers", cost.predicate_registers}};
}

/// Nowhere if no iterations are left for it.
json remainder_json(const unrolling_candidate& c) {
  const bool is_known = c.remainder_iterations != 0;
  return {{"placement", name_of(is_known ? c.remainder : midend::remainder_placement::none)},
          {"iterations", c.remainder_iterations}};
}

json candidate_json(const unrolling_candidate& c) {
  json out;
  out["factor"] = c.factor;
  out["kind"] = name_of(c);
  out["remainder"] = remainder_json(c);
  out["is_evaluated"] = c.is_evaluated;
  out["is_tried"] = c.is_tried;
  out["reason"] = name_of(c.why);
  if (c.is_evaluated) {
    out["cycles_per_iteration"] = fraction_json(c.cycles_per_iteration);
    out["limit"] = name_in(limit_names, c.body.limit());
    out["total_cycles"] = c.total_cycles;
    out["setup_cycles"] = c.setup_cycles;
    out["total_bytes"] = c.total_bytes;
    out["fall"] = fraction_json(c.fall);
    out["gain"] = c.gain;
    out["break_even"] = unless_zero(c.break_even);
    out["body"] = body_json(c.body);
  }
  return out;
}

json assumptions_json(const unrolling_advice& advice) {
  json out = json::array();
  for (std::size_t a = 0; a != midend::num_assumptions; ++a) {
    if (advice.assumptions[a]) {
      out.push_back(name_of(static_cast<midend::assumption>(a)));
    }
  }
  return out;
}

json overlap_json(const unrolling_advice& advice, const program_names& names) {
  const midend::overlap_advice& apart = advice.without_overlap;
  if (!apart.is_worthwhile) {
    return {};
  }
  json pairs = json::array();
  for (const midend::base_pair& p : apart.pairs) {
    pairs.push_back({value_name(p.first, names), value_name(p.second, names)});
  }
  return {{"decision", name_of(apart.form, apart.has_exact_count)},
          {"factor", apart.form.factor},
          {"cycles_per_iteration", fraction_json(apart.cycles_per_iteration)},
          {"test_cycles", apart.test_cycles},
          {"break_even", apart.break_even},
          {"pairs", std::move(pairs)}};
}

json nest_json(const unrolling_advice& advice, const program_names& names) {
  const midend::nest_advice& nest = advice.nest;
  if (!nest.is_evaluated) {
    return {};
  }
  return {{"header", names.node(nest.header)},
          {"iterations", nest.iterations},
          {"total_cycles",
           {{"before", nest.total_cycles}, {"after", nest.unfolded.total_cycles + nest.unfolded.setup_cycles}}},
          {"unfolded", candidate_json(nest.unfolded)}};
}

/// Before and after.
template <class Before, class After> json change(Before&& before, After&& after) {
  return {{"before", std::forward<Before>(before)}, {"after", std::forward<After>(after)}};
}

/// One loop.
json loop_json(const unrolling_advice& advice, const machine_model& machine, std::string_view procedure,
               const program_names& names) {
  json out;
  out["procedure"] = procedure;
  out["header"] = names.node(advice.header);
  out["obstacle"] = name_of(advice.obstacle);
  if (advice.obstacle != midend::unrolling_obstacle::none) {
    return out;
  }
  const unrolling_candidate& before = advice.rolled();
  const unrolling_candidate& after = advice.decision();
  out["decision"] = name_of(after);
  out["factor"] = after.factor;
  out["remainder"] = remainder_json(after);
  out["legality"] = midend::legality_text(advice);
  out["trip_count"] = trip_json(advice, names);
  out["iterations"] = advice.iterations;
  out["is_lower_bound"] = !advice.decision().body.is_attained;
  out["cycles_per_iteration"] =
      change(fraction_json(before.cycles_per_iteration), fraction_json(after.cycles_per_iteration));
  out["bound"] = change(bound_json(before.body, advice.rolled_machine, machine, names, false),
                        bound_json(after.body, advice.machine, machine, names, after.factor > 1));
  out["body"] = change(body_json(before.body), body_json(after.body));
  out["total_cycles"] = change(before.total_cycles, after.total_cycles);
  out["setup_cycles"] = change(before.setup_cycles, after.setup_cycles);
  out["total_bytes"] = change(before.total_bytes, after.total_bytes);
  out["break_even"] = unless_zero(after.break_even);
  out["savings"] = table_json(midend::savings_table(advice, names));
  out["assumptions"] = assumptions_json(advice);
  out["runs_no_iteration"] = advice.runs_no_iteration();
  out["nest"] = nest_json(advice, names);
  out["without_overlap"] = overlap_json(advice, names);
  json candidates = json::array();
  for (const unrolling_candidate& c : advice.candidates) {
    candidates.push_back(candidate_json(c));
  }
  out["candidates"] = std::move(candidates);
  return out;
}

/// What became of the advice: the obstacle, or the figures of trial and program.
json deed_json(const midend::unrolling_deed& deed) {
  json out = {{"obstacle", name_of(deed.obstacle)}};
  if (deed.obstacle != midend::deed_obstacle::none) {
    return out;
  }
  out["is_as_advised"] = deed.is_as_advised();
  out["is_equal"] = deed.is_equal();
  out["dropped_exits"] = deed.dropped_exits;
  out["operations"] = {{"trial", deed.advised.operations}, {"there", deed.there.operations}};
  out["body"] =
      deed.is_straight ? json() : json({{"trial", body_json(deed.advised)}, {"there", body_json(deed.there)}});
  return out;
}

} // namespace

struct json_report::object {
  json all;
};

bool json_report::is_available() {
  return true;
}

json_report::json_report(std::string_view file, std::string_view machine)
    : object_(new object{{{"file", file}, {"machine", machine}, {"loops", json::array()}}}) {}

json_report::~json_report() = default;

void json_report::add(const unrolling_advice& advice, const machine_model& machine, std::string_view procedure,
                      const program_names& names, const midend::unrolling_deed* deed) {
  json loop = loop_json(advice, machine, procedure, names);
  if (deed != nullptr) {
    loop["deed"] = deed_json(*deed);
  }
  object_->all["loops"].push_back(std::move(loop));
}

void json_report::append(const json_report& other) {
  for (const json& loop : other.object_->all["loops"]) {
    object_->all["loops"].push_back(loop);
  }
}

std::string json_report::text() const {
  return object_->all.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

} // namespace midend_tool
