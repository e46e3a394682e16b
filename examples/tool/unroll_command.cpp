#include "unroll_command.hpp"

#include "eir_file.hpp"
#include "machine_choice.hpp"
#include "program_names.hpp"
#include "text.hpp"
#include "unroll_json.hpp"

#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/unrolling/advise_unrolling.hpp>
#include <midend/viz/unrolling.hpp>
#include <midend/viz/unrolling_chart.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace midend_tool {
namespace {

using midend::loop_id;
using midend::unrolling_advice;
using midend::elbrus::procedure;
using midend::elbrus::program;

/// The kinds that can be allowed, and where.
struct kind_switch {
  std::string_view name;
  bool midend::unrolling_options::* allowed;
};

constexpr std::array<kind_switch, 5> kind_switches = {{{"full", &midend::unrolling_options::allows_full},
                                                       {"partial", &midend::unrolling_options::allows_partial},
                                                       {"runtime", &midend::unrolling_options::allows_runtime},
                                                       {"uncounted", &midend::unrolling_options::allows_uncounted},
                                                       {"peel", &midend::unrolling_options::allows_peeling}}};

struct remainder_name {
  std::string_view name;
  midend::remainder_placement placement;
};

constexpr std::array<remainder_name, 3> remainder_names = {{{"epilogue", midend::remainder_placement::epilogue},
                                                            {"prologue", midend::remainder_placement::prologue},
                                                            {"mid-exit", midend::remainder_placement::mid_exit}}};

template <class Named> std::string names_of(const Named& all) {
  std::string out;
  for (const auto& one : all) {
    append(out, out.empty() ? "" : ", ", one.name);
  }
  return out;
}

template <class Named> auto find_named(const Named& all, std::string_view name) {
  const auto it = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
  return it == all.end() ? nullptr : &*it;
}

/// The options of the library; nothing, and `problem`, if one cannot be understood.
std::optional<midend::unrolling_options> library_options(const unroll_options& given, std::string& problem) {
  midend::unrolling_options out;
  out.lowering.reassociates = !given.no_reassociation;
  out.lowering.counts_in_hardware = given.hardware_counter;
  out.lowering.divides_by_multiplying = given.divide_by_multiplying;
  out.max_factor = std::max(given.max_factor, given.factor);
  out.max_operations = given.max_operations;
  out.max_bytes = given.max_bytes;
  out.assumed_trip = given.assumed_trip;
  out.forced_factor = given.factor;
  if (std::isnan(given.least_gain)) { // which the range lets through
    problem = "--least-gain: not a number";
    return std::nullopt;
  }
  out.least_gain = midend::fraction(static_cast<std::uint64_t>(given.least_gain * 1000 + 0.5), 1000);
  const remainder_name* const remainder = find_named(remainder_names, given.remainder);
  if (remainder == nullptr) {
    problem = "--remainder: unknown place '" + given.remainder + "', there are: " + names_of(remainder_names);
    return std::nullopt;
  }
  out.remainder = remainder->placement;
  if (given.kinds.empty()) {
    return out;
  }
  for (const kind_switch& k : kind_switches) {
    out.*k.allowed = false;
  }
  for (std::string_view rest = given.kinds; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const kind_switch* const kind = find_named(kind_switches, rest.substr(0, comma));
    if (kind == nullptr) {
      problem =
          "--kinds: unknown kind '" + std::string(rest.substr(0, comma)) + "', there are: " + names_of(kind_switches);
      return std::nullopt;
    }
    out.*kind->allowed = true;
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return out;
}

/// One run of the command over one program.
class adviser {
public:
  adviser(const unroll_options& options, const midend::unrolling_options& chosen, const midend::machine_model& machine)
      : options_(options), chosen_(chosen), machine_(machine), json_(options.file, machine_name()) {}

  exit_status run() {
    std::optional<program> read = read_program(options_.file);
    if (!read) {
      return exit_bad_input;
    }
    warn_about(options_.file, *read);
    for (const std::string& name : options_.procedures) {
      if (read->find(name) == nullptr) {
        return complain(exit_bad_input, options_.file + ": error: there is no procedure '@" + name + "'");
      }
    }
    for (procedure& p : read->procedures) {
      if (is_chosen(p)) {
        advise_procedure(p);
      }
    }
    if (!options_.loop.empty() && num_loops_ == 0) {
      return complain(exit_bad_input, options_.file + ": error: there is no loop '" + options_.loop + "'");
    }
    if (!options_.chart.empty()) {
      if (num_charts_ != 1) {
        return complain(exit_bad_usage, "midend unroll: --chart: there are " + std::to_string(num_charts_) +
                                            " loops to draw, choose one by --procedure and --loop");
      }
      if (const auto problem = write_text(options_.chart, chart_)) {
        return complain(exit_bad_input, *problem);
      }
    }
    const auto problem = write_text("-", options_.json ? json_.text() : text_);
    return problem ? complain(exit_bad_input, *problem) : exit_done;
  }

private:
  bool is_chosen(const procedure& p) const {
    return options_.procedures.empty() ||
           std::find(options_.procedures.begin(), options_.procedures.end(), p.name()) != options_.procedures.end();
  }

  /// The advisor looks at values: variables become some first.
  void advise_procedure(procedure& p) {
    if (!p.variables().empty()) {
      midend::elbrus::construct_ssa(p);
    }
    const midend::elbrus::cost_view view(p);
    const program_names names(p);
    const midend::loop_forest forest = midend::dominators_and_loops(p).loops;
    for (const loop_id l : forest.loops()) {
      if (!options_.loop.empty() && p.node_name(forest.header(l)) != options_.loop) {
        continue;
      }
      ++num_loops_;
      midend::advise_unrolling(view, forest, l, machine_, chosen_, workspace_, advice_);
      report(p, names);
      if (!options_.chart.empty() && advice_.obstacle == midend::unrolling_obstacle::none && num_charts_++ == 0) {
        draw(p, view, forest, names);
      }
    }
  }

  void report(const procedure& p, const program_names& names) {
    if (options_.json) {
      json_.add(advice_, machine_, p.name(), names);
    } else {
      append(text_, text_.empty() ? "" : "\n", "@", p.name(), ", ", midend::to_text(advice_, machine_, names));
    }
  }

  std::string machine_name() const { return {machine_.name.begin(), machine_.name.end()}; }

  /// Every factor, not only the candidates.
  void draw(const procedure& p, const midend::elbrus::cost_view& view, const midend::loop_forest& forest,
            const program_names& names) {
    const std::uint32_t chosen =
        advice_.decision().kind == midend::unrolling_kind::peel ? 1 : advice_.decision().factor;
    const std::uint32_t last = std::min(chosen_.max_factor, std::max(16U, 2 * chosen));
    std::vector<midend::unrolling_point> points;
    midend::unrolling_options each = chosen_;
    unrolling_advice advice;
    for (std::uint32_t factor = 1; factor <= last; ++factor) {
      each.forced_factor = factor;
      midend::advise_unrolling(view, forest, advice_.loop, machine_, each, workspace_, advice);
      for (midend::unrolling_point point : midend::chart_points(advice)) {
        if (point.factor == factor) {
          point.is_chosen = factor == chosen;
          points.push_back(point);
        }
      }
    }
    std::string title = "@";
    append(title, p.name(), ", ", names.node(advice_.header), " on ", machine_name());
    chart_ = midend::unrolling_chart_svg(points, title);
  }

  const unroll_options& options_;
  const midend::unrolling_options& chosen_;
  const midend::machine_model& machine_;
  midend::unrolling_workspace workspace_;
  unrolling_advice advice_;
  std::size_t num_loops_ = 0;
  std::size_t num_charts_ = 0;
  std::string text_;
  std::string chart_;
  json_report json_;
};

} // namespace

exit_status run_unroll(const unroll_options& options) {
  std::string problem;
  const auto chosen = library_options(options, problem);
  if (!chosen) {
    return complain(exit_bad_usage, "midend unroll: " + problem);
  }
  if (options.json && !json_report::is_available()) {
    return complain(exit_bad_usage, "midend unroll: --json: this tool was built without nlohmann/json");
  }
  const auto machine = find_machine(options.machine);
  return machine ? adviser(options, *chosen, *machine).run() : exit_bad_input;
}

} // namespace midend_tool
