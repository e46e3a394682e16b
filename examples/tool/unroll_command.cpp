#include "commands.hpp"

#include "eir_file.hpp"
#include "machine_choice.hpp"
#include "messages.hpp"
#include "option_list.hpp"
#include "program_names.hpp"
#include "progress.hpp"
#include "show_unrolled.hpp"
#include "text.hpp"
#include "unroll_json.hpp"
#include "work_split.hpp"

#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/induction/loop_trip_counter.hpp>
#include <midend/ir/coverage.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/schedule/attained_times.hpp>
#include <midend/unrolling/advise_unrolling.hpp>
#include <midend/unrolling/measure_unrolling.hpp>
#include <midend/viz/coverage.hpp>
#include <midend/viz/unrolling.hpp>
#include <midend/viz/unrolling_chart.hpp>
#include <midend/viz/unrolling_deed.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace midend_tool {
namespace {

/// The options on the command line.
struct unroll_options {
  std::string file;
  std::string machine = "e2k_reference_v6"; ///< a name or a file
  std::vector<std::string> procedures;      ///< empty: all
  std::string loop;                         ///< the name of a header; empty: all
  std::string chart;                        ///< a file for the picture; empty: none
  std::string kinds;                        ///< the allowed ones, separated by commas; empty: all
  std::string show;                         ///< kind and factor of a trial to print; empty: the advice
  std::string remainder = "epilogue";
  std::uint32_t factor = 0; ///< 0: choose
  std::uint32_t max_factor = 64;
  std::uint64_t max_operations = 300;
  std::uint64_t max_bytes = 4096;
  std::uint64_t assumed_trip = 100;
  double least_gain = 0.1;
  bool no_reassociation = false;
  bool hardware_counter = false;
  bool attained = false;
  bool divide_by_multiplying = false;
  bool json = false;
  bool loops_end = false;
  bool verify = false;
  bool statistics = false;
  work_split split;
};

using midend::loop_id;
using midend::unrolling_advice;
using midend::elbrus::procedure;
using midend::elbrus::program;

/// A kind of unrolling by its name on the command line, and the option that allows it.
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

/// The entry with this name, or null.
template <class Table> auto find_named(const Table& table, std::string_view name) {
  const auto it = std::find_if(table.begin(), table.end(), [&](const auto& entry) { return entry.name == name; });
  return it == table.end() ? nullptr : &*it;
}

/// The library's options. Returns nothing and sets `problem` if an option has no meaning.
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
  out.least_gain = midend::fraction(static_cast<std::uint64_t>(given.least_gain * 1000 + 0.5), 1000);
  const remainder_name* const remainder = find_named(remainder_names, given.remainder);
  if (remainder == nullptr) {
    problem = "--remainder: unknown place '" + given.remainder + "', expected one of: " + names_of(remainder_names);
    return std::nullopt;
  }
  out.remainder = remainder->placement;
  if (given.kinds.empty()) {
    return out;
  }
  for (const kind_switch& k : kind_switches) {
    out.*k.allowed = false;
  }
  for (const std::string_view name : split_list(given.kinds)) {
    const kind_switch* const kind = find_named(kind_switches, name);
    if (kind == nullptr) {
      problem = "--kinds: unknown kind '" + std::string(name) + "', expected one of: " + names_of(kind_switches);
      return std::nullopt;
    }
    out.*kind->allowed = true;
  }
  return out;
}

/// One run of the command over one program.
class adviser {
public:
  adviser(const unroll_options& options, const midend::unrolling_options& chosen,
          const std::optional<midend::unrolling_form>& shown, const midend::machine_model& machine)
      : options_(options), chosen_(chosen), shown_(shown), machine_(machine), attained_(machine),
        json_(options.file, machine_name()) {
    if (options.attained) {
      chosen_.lowering.timer = &attained_;
    }
  }

  exit_status run() {
    std::optional<program> read = read_program(options_.file);
    if (!read) {
      return exit_bad_input;
    }
    if (options_.loops_end) {
      assume_loops_end(*read);
    }
    warn_about(options_.file, *read);
    for (const std::string& name : options_.procedures) {
      if (read->find(name) == nullptr) {
        return complain(exit_bad_input, options_.file + ": error: there is no procedure '@" + name + "'");
      }
    }
    std::vector<procedure*> chosen;
    for (std::size_t i = 0; i != read->procedures.size(); ++i) {
      if (options_.split.contains(i) && is_chosen(read->procedures[i])) {
        chosen.push_back(&read->procedures[i]);
      }
    }
    std::vector<std::unique_ptr<adviser>> parts(chosen.size());
    {
      progress shown(chosen.size());
      for_each_in_order(
          chosen.size(), options_.split.jobs,
          [&](std::size_t, std::size_t i) {
            parts[i] = std::make_unique<adviser>(options_, chosen_, shown_, machine_);
            parts[i]->advise_procedure(*chosen[i]);
          },
          [&](std::size_t i) {
            shown.at_function(i);
            take(*parts[i]);
            parts[i].reset();
            return true;
          });
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
    if (options_.verify) {
      append_summary();
    }
    if (const auto problem = write_text("-", options_.json ? json_.text() : text_)) {
      return complain(exit_bad_input, *problem);
    }
    return num_compared_ == num_as_advised_ ? exit_done : exit_difference;
  }

private:
  bool is_chosen(const procedure& p) const {
    return options_.procedures.empty() ||
           std::find(options_.procedures.begin(), options_.procedures.end(), p.name()) != options_.procedures.end();
  }

  /// What another adviser has found in the procedure that comes next.
  void take(adviser& part) {
    std::fputs(part.messages_.c_str(), stderr);
    append(text_, text_.empty() || part.text_.empty() ? "" : "\n", part.text_);
    json_.append(part.json_);
    chart_ = chart_.empty() ? std::move(part.chart_) : std::move(chart_);
    num_loops_ += part.num_loops_;
    num_charts_ += part.num_charts_;
    num_compared_ += part.num_compared_;
    num_as_advised_ += part.num_as_advised_;
    num_equal_ += part.num_equal_;
  }

  /// The advisor needs SSA form: variables become values first.
  void advise_procedure(procedure& p) {
    if (!p.variables().empty()) {
      midend::elbrus::construct_ssa(p);
    }
    const midend::elbrus::cost_editor view(p);
    const program_names names(p);
    const auto found = midend::dominators_and_loops(p);
    const midend::loop_forest& forest = found.loops;
    midend::loop_trip_counter counter(view, forest);
    midend::unrolling_adviser unrolling(view, forest, machine_, chosen_, workspace_);
    for (const loop_id l : forest.loops()) {
      if (!options_.loop.empty() && p.node_name(forest.header(l)) != options_.loop) {
        continue;
      }
      ++num_loops_;
      if (shown_) {
        append(text_, text_.empty() ? "" : "\n", "# @", p.name(), ", ", names.node(forest.header(l)), ": ",
               options_.show, "\n",
               shown_unrolling(p, found, l, *shown_, machine_, chosen_.lowering, chosen_.assumed_trip));
        continue;
      }
      unrolling.advise(l, counter, advice_);
      if (options_.verify) {
        verify(p, names);
      } else {
        report(p, names);
      }
      if (options_.statistics) {
        append(messages_, "@", p.name(), ", ", names.node(forest.header(l)), ": ",
               midend::to_text(midend::coverage(view, forest.blocks(l))), "\n");
      }
      if (!options_.chart.empty() && advice_.obstacle == midend::unrolling_obstacle::none && num_charts_++ == 0) {
        draw(p, view, forest, counter, names);
      }
    }
  }

  /// Carries the advice out on a copy.
  void verify(const procedure& p, const program_names& names) {
    procedure unrolled = p;
    procedure plain = p;
    midend::elbrus::cost_editor editor(unrolled);
    midend::elbrus::cost_editor rolled(plain);
    const auto counts_of = [](const auto& view, const auto&, const auto& loops) {
      return midend::loop_trip_counter(view, loops);
    };
    const midend::unrolling_deed deed =
        midend::measure_unrolling(editor, rolled, advice_, machine_, chosen_.lowering, counts_of);
    if (deed.obstacle == midend::deed_obstacle::none) {
      ++num_compared_;
      num_as_advised_ += deed.is_as_advised() ? 1u : 0u;
      num_equal_ += deed.is_equal() ? 1u : 0u;
    }
    if (options_.json) {
      json_.add(advice_, machine_, p.name(), names, &deed);
      return;
    }
    const bool is_advice = advice_.obstacle == midend::unrolling_obstacle::none;
    append(text_, text_.empty() ? "" : "\n", "@", p.name(), ", ", names.node(advice_.header), ": ",
           is_advice ? name_of(advice_.decision()) : name_of(advice_.obstacle),
           is_advice && advice_.chosen != 0 ? " " + std::to_string(advice_.decision().factor) : "", ", ",
           midend::to_text(deed));
  }

  void append_summary() {
    if (!options_.json) {
      append(text_, text_.empty() ? "" : "\n", num_compared_, num_compared_ == 1 ? " loop" : " loops", " compared, ",
             num_equal_, " as advised, ", num_as_advised_ - num_equal_, " better, ", num_compared_ - num_as_advised_,
             " worse\n");
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

  /// The chart shows every factor, not only the candidates.
  void draw(const procedure& p, const midend::elbrus::cost_editor& view, const midend::loop_forest& forest,
            midend::loop_trip_counter<midend::elbrus::cost_editor>& counter, const program_names& names) {
    const std::uint32_t chosen =
        advice_.decision().kind == midend::unrolling_kind::peel ? 1 : advice_.decision().factor;
    const std::uint32_t last = std::min(chosen_.max_factor, std::max(16U, 2 * chosen));
    std::vector<midend::unrolling_point> points;
    midend::unrolling_options each = chosen_;
    unrolling_advice advice;
    for (std::uint32_t factor = 1; factor <= last; ++factor) {
      each.forced_factor = factor;
      midend::advise_unrolling(view, forest, advice_.loop, machine_, each, counter, workspace_, advice);
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
  midend::unrolling_options chosen_;
  std::optional<midend::unrolling_form> shown_; ///< a trial to print; nothing: the advice
  const midend::machine_model& machine_;
  midend::attained_times<midend::machine_model> attained_;
  midend::advise_unrolling_workspace workspace_;
  unrolling_advice advice_;
  std::size_t num_loops_ = 0;
  std::size_t num_charts_ = 0;
  std::size_t num_compared_ = 0;
  std::size_t num_as_advised_ = 0; ///< with no more operations and cycles than in the trial
  std::size_t num_equal_ = 0;      ///< with as many
  std::string text_;
  std::string messages_; ///< for standard error
  std::string chart_;
  json_report json_;
};

exit_status run(unroll_options options) {
  drop_signs(options.procedures);
  std::string problem;
  const auto chosen = library_options(options, problem);
  if (!chosen) {
    return complain(exit_bad_usage, "midend unroll: " + problem);
  }
  if (options.json && !json_report::is_available()) {
    return complain(exit_bad_usage, "midend unroll: --json: this tool was built without nlohmann/json");
  }
  std::optional<midend::unrolling_form> shown;
  if (!options.show.empty()) {
    shown = read_shown_form(options.show, problem);
    if (!shown) {
      return complain(exit_bad_usage, "midend unroll: " + problem);
    }
    if (options.json || options.verify || !options.chart.empty()) {
      return complain(exit_bad_usage, "midend unroll: --show prints programs, so it goes without --json, --verify and "
                                      "--chart");
    }
  }
  const auto machine = find_machine(options.machine);
  return machine ? adviser(options, *chosen, shown, *machine).run() : exit_bad_input;
}

} // namespace

command add_unroll_command(CLI::App& app) {
  const auto given = std::make_shared<unroll_options>();
  unroll_options& options = *given;
  CLI::App* const sub =
      app.add_subcommand("unroll", "Advise how to unroll each loop of a program in the Elbrus-like IR");
  const CLI::Validator factors = whole_number_between(1, 1024);
  sub->add_option("FILE", options.file, "the program (.eir, .eir.gz); - reads standard input")->required();
  sub->add_option("--machine", options.machine, "the target machine: a name, or a machine file")
      ->type_name("NAME|FILE")
      ->capture_default_str();
  sub->add_flag("--json", options.json, "print the advice as JSON");
  repeatable(sub->add_option("--procedure", options.procedures, "this procedure only (repeatable)"))->type_name("NAME");
  sub->add_option("--loop", options.loop, "only the loops with this header")->type_name("HEADER");
  sub->add_option("--show", options.show,
                  "unroll each loop so on trial, clean up, and print what is left: rolled, or full, peel, partial, "
                  "uncounted, runtime or prologue with a factor, as in partial:4")
      ->type_name("KIND:FACTOR");
  sub->add_option("--chart", options.chart, "write an SVG chart of cycles and bytes by factor, for one loop")
      ->type_name("FILE");
  sub->add_option("--factor", options.factor, "use this factor where it is legal")->type_name("U")->check(factors);
  sub->add_option("--kinds", options.kinds,
                  "allowed kinds, separated by commas: " + names_of(kind_switches) + " (default: all)")
      ->type_name("KINDS");
  sub->add_option("--remainder", options.remainder, "where the remaining iterations run: " + names_of(remainder_names))
      ->type_name("PLACE")
      ->capture_default_str();
  sub->add_option("--max-factor", options.max_factor, "the largest factor")
      ->type_name("U")
      ->check(factors)
      ->capture_default_str();
  sub->add_option("--max-operations", options.max_operations, "the most operations in the unrolled body")
      ->type_name("N")
      ->check(whole_number_between(0, 1'000'000'000))
      ->capture_default_str();
  sub->add_option("--max-bytes", options.max_bytes, "the most bytes of code")
      ->type_name("N")
      ->check(whole_number_between(0, 1'000'000'000))
      ->capture_default_str();
  sub->add_option("--least-gain", options.least_gain, "the least gain: relative cycles saved / log2(growth of code)")
      ->type_name("X")
      ->check(number_between(0, 1000))
      ->capture_default_str();
  sub->add_option("--assumed-trip", options.assumed_trip, "iterations to assume where the trip count is unknown")
      ->type_name("N")
      ->check(whole_number_between(1, 1'000'000'000))
      ->capture_default_str();
  sub->add_flag("--no-reassociation", options.no_reassociation, "keep the order of additions");
  sub->add_flag("--hardware-counter", options.hardware_counter,
                "the machine counts iterations without extra operations");
  sub->add_flag("--divide-by-multiplying", options.divide_by_multiplying,
                "lower division by a constant to multiplication and shifts");
  sub->add_flag("--attained", options.attained,
                "decide by the cycles of schedules that are found, not by lower bounds");
  sub->add_flag("--loops-end", options.loops_end,
                "assume that loops without effects end: all procedures become mustprogress");
  sub->add_flag("--verify", options.verify,
                "carry each advice out on a copy, clean up, and compare the new loop, or the operations after complete "
                "unrolling, with those of the trial");
  add_split_options(*sub, options.split);
  sub->add_flag("--stats", options.statistics,
                "print how many operations of each loop are understood, to standard error");
  return {
      .app = sub,
      .run = [given] { return run(*given); },
      .notes = "Cycles are lower bounds. Machines: " + machine_names() + ", or a file (docs/machine-model.md).\n",
      .examples = {{"unroll FILE.eir", "what to do with each loop, and why"},
                   {"unroll FILE.eir --procedure=dot --show=partial:4", "what is left of a loop that is unrolled so"},
                   {"unroll FILE.eir --json", "the same for programs"},
                   {"unroll FILE.eir --verify", "carry it out, and compare"}},
      .difference = "--verify: the program has more operations, or takes more cycles, than the trial had",
      .words = {{"--machine", split_machine_names()},
                {"--kinds", words_of_table(kind_switches), true},
                {"--remainder", words_of_table(remainder_names)},
                {"--show", {"rolled", "full:", "peel:", "partial:", "uncounted:", "runtime:", "prologue:"}}}};
}

} // namespace midend_tool
