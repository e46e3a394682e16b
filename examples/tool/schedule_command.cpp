#include "commands.hpp"

#include "eir_file.hpp"
#include "machine_choice.hpp"
#include "messages.hpp"
#include "option_list.hpp"
#include "program_names.hpp"
#include "schedule_json.hpp"
#include "text.hpp"

#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/graph/depth_first_order.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/machine/lowering/lower_region.hpp>
#include <midend/machine/lowering/read_region.hpp>
#include <midend/schedule/explain_interval.hpp>
#include <midend/schedule/modulo_schedule.hpp>
#include <midend/schedule/verify_schedule.hpp>
#include <midend/viz/schedule.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace midend_tool {
namespace {

/// The options on the command line.
struct schedule_options {
  std::string file;
  std::string machine = "e2k_reference_v6"; ///< a name or a file
  std::vector<std::string> procedures;      ///< empty: all
  std::string loop;                         ///< the name of a header; empty: all
  std::string picture;                      ///< a file for the SVG; empty: none
  std::uint32_t interval = 0;               ///< the first to try
  bool no_reassociation = false;
  bool hardware_counter = false;
  bool divide_by_multiplying = false;
  bool json = false;
};

using midend::loop_id;
using midend::elbrus::procedure;

/// One run of the command over one program.
class loop_scheduler {
public:
  loop_scheduler(const schedule_options& options, const midend::machine_model& machine)
      : options_(options), machine_(machine), json_(options.file, machine_name()) {
    lowering_.reassociates = !options.no_reassociation;
    lowering_.counts_in_hardware = options.hardware_counter;
    lowering_.divides_by_multiplying = options.divide_by_multiplying;
  }

  exit_status run() {
    auto read = read_program(options_.file);
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
      if (options_.procedures.empty() ||
          std::find(options_.procedures.begin(), options_.procedures.end(), p.name()) != options_.procedures.end()) {
        schedule_procedure(p);
      }
    }
    if (!options_.loop.empty() && num_loops_ == 0) {
      return complain(exit_bad_input, options_.file + ": error: there is no loop '" + options_.loop + "'");
    }
    if (!options_.picture.empty()) {
      if (num_pictures_ != 1) {
        return complain(exit_bad_usage, "midend schedule: --svg: there are " + std::to_string(num_pictures_) +
                                            " kernels to draw, choose one by --procedure and --loop");
      }
      if (const auto problem = write_text(options_.picture, picture_)) {
        return complain(exit_bad_input, *problem);
      }
    }
    if (const auto problem = write_text("-", options_.json ? json_.text() : text_)) {
      return complain(exit_bad_input, *problem);
    }
    return is_valid_ ? exit_done : exit_difference;
  }

private:
  std::string machine_name() const { return {machine_.name.begin(), machine_.name.end()}; }

  /// Lowering needs SSA form: variables become values first.
  void schedule_procedure(procedure& p) {
    if (!p.variables().empty()) {
      midend::elbrus::construct_ssa(p);
    }
    const midend::elbrus::cost_view view(p);
    const program_names names(p);
    const auto found = midend::dominators_and_loops(p);
    const auto order = midend::depth_first_order(p);
    midend::region_reader<midend::elbrus::cost_view> reader(view, order, found.loops, {}, reading_);
    for (const loop_id l : found.loops.loops()) {
      const std::string header = names.node(found.loops.header(l));
      if (!options_.loop.empty() && p.node_name(found.loops.header(l)) != options_.loop) {
        continue;
      }
      ++num_loops_;
      append(text_, text_.empty() ? "" : "\n", "@", p.name(), ", ", header, ": ");
      const midend::region_obstacle obstacle = reader.read_loop(l, region_);
      if (obstacle != midend::region_obstacle::none) {
        const std::string why = obstacle == midend::region_obstacle::contains_loop
                                    ? "it contains a loop, and only innermost loops are scheduled"
                                    : "it contains a cycle that is no natural loop";
        append(text_, "not scheduled: ", why, "\n");
        json_.refuse(p.name(), header, why);
        continue;
      }
      if (region_.has_call) {
        const std::string why = "it calls something, and nothing moves across a call";
        append(text_, "not scheduled: ", why, "\n");
        json_.refuse(p.name(), header, why);
        continue;
      }
      schedule_loop(p, header, names);
    }
  }

  void schedule_loop(const procedure& p, const std::string& header, const program_names& names) {
    midend::lower_region(region_, machine_, lowering_, lowering_memory_, body_);
    midend::modulo_schedule_options searching;
    searching.first_interval = options_.interval;
    modulo_schedule(body_, machine_, searching, scheduling_, result_);
    if (!result_.attained()) {
      append(text_, "not scheduled: ", midend::to_text(result_.status), "\n");
      json_.refuse(p.name(), header, std::string(midend::to_text(result_.status)));
      return;
    }
    const midend::operation_labels labels = labels_of(names);
    const midend::schedule& s = result_.found;
    const auto mistakes = verify_schedule(body_, machine_, s);
    append(text_, "interval ", s.interval,
           result_.is_at_bound()   ? ", the bound"
           : result_.is_shortest() ? ", proven to be the shortest; the bound is " + std::to_string(result_.bound)
                                   : "; the bound is " + std::to_string(result_.bound),
           "\n");
    append(text_, "  ", body_.graph.num_operations(), " operations in ", s.stages, s.stages == 1 ? " stage" : " stages",
           ", ", s.length, " cycles a pass; registers ", result_.lifetimes.general, ", predicates ",
           result_.lifetimes.predicates, "; without rotating registers ", result_.lifetimes.unroll_factor,
           result_.lifetimes.unroll_factor == 1 ? " copy" : " copies", " of the kernel\n");
    std::string why;
    if (s.interval > 1 && options_.interval == 0) {
      const auto explanation = explain_interval(body_, machine_, s.interval - 1);
      why = to_text(explanation, body_, machine_, labels);
      append(text_, "  ", s.interval - 1, s.interval == 2 ? " cycle" : " cycles", ": ", why, "\n");
    }
    append(text_, midend::schedule_text(body_, machine_, s, labels));
    for (const midend::schedule_mistake& m : mistakes) {
      is_valid_ = false;
      append(text_, "  mistake: ", to_text(m, machine_, labels), "\n");
    }
    json_.add(p.name(), header, machine_, body_, result_, labels, why);
    if (!options_.picture.empty() && num_pictures_++ == 0) {
      std::string title = "@";
      append(title, p.name(), ", ", header, " on ", machine_name(), ": a pass every ", s.interval,
             s.interval == 1 ? " cycle" : " cycles");
      const bool binds = body_.recurrence.cycles() == s.interval && s.interval > 1;
      picture_ = midend::schedule_svg(body_, machine_, s, labels,
                                      binds ? midend::span<const std::uint32_t>(body_.recurrence.cycle)
                                            : midend::span<const std::uint32_t>(),
                                      title);
    }
  }

  /// The value that an operation computes alone or with others, and its class.
  midend::operation_labels labels_of(const program_names& names) const {
    midend::operation_labels labels;
    for (midend::operation_id o = 0; o != body_.graph.num_operations(); ++o) {
      const midend::value_id v = body_.origins[o].value;
      std::string label = midend::name_of(body_.graph.operation(o).kind);
      if (v != midend::no_value) {
        const std::string name = names.value(v);
        label = name.empty() ? label : label + " " + name;
      }
      labels.push_back(label);
    }
    return labels;
  }

  const schedule_options& options_;
  const midend::machine_model& machine_;
  midend::lowering_options lowering_;
  midend::region_reader_workspace reading_;
  midend::lower_region_workspace lowering_memory_;
  midend::modulo_schedule_workspace scheduling_;
  midend::program_region region_;
  midend::machine_body body_;
  midend::modulo_schedule_result result_;
  std::size_t num_loops_ = 0;
  std::size_t num_pictures_ = 0;
  bool is_valid_ = true;
  std::string text_;
  std::string picture_;
  schedule_json json_;
};

exit_status run(schedule_options options) {
  drop_signs(options.procedures);
  if (options.json && !schedule_json::is_available()) {
    return complain(exit_bad_usage, "midend schedule: --json: this tool was built without nlohmann/json");
  }
  const auto machine = find_machine(options.machine);
  return machine ? loop_scheduler(options, *machine).run() : exit_bad_input;
}

} // namespace

command add_schedule_command(CLI::App& app) {
  const auto given = std::make_shared<schedule_options>();
  schedule_options& options = *given;
  CLI::App* const sub =
      app.add_subcommand("schedule", "Schedule each innermost loop of a program as a software pipeline");
  sub->add_option("FILE", options.file, "the program (.eir, .eir.gz); - reads standard input")->required();
  sub->add_option("--machine", options.machine, "the target machine: a name, or a machine file")
      ->type_name("NAME|FILE")
      ->capture_default_str();
  sub->add_flag("--json", options.json, "print the schedules as JSON");
  repeatable(sub->add_option("--procedure", options.procedures, "this procedure only (repeatable)"))->type_name("NAME");
  sub->add_option("--loop", options.loop, "only the loops with this header")->type_name("HEADER");
  sub->add_option("--svg", options.picture, "draw the kernel of one loop as SVG")->type_name("FILE");
  sub->add_option("--interval", options.interval, "try intervals from this one on, if it is above the bound")
      ->type_name("N")
      ->check(whole_number_between(1, 1'000'000));
  sub->add_flag("--no-reassociation", options.no_reassociation, "keep the order of additions");
  sub->add_flag("--hardware-counter", options.hardware_counter,
                "the machine counts iterations without extra operations");
  sub->add_flag("--divide-by-multiplying", options.divide_by_multiplying,
                "lower division by a constant to multiplication and shifts");
  return {
      .app = sub,
      .run = [given] { return run(*given); },
      .notes =
          "In the table of a kernel, [n] is the stage of an operation: it belongs to the pass that began n intervals\n"
          "before.\n\nMachines: " +
          machine_names() + ", or a file (docs/machine-model.md).\n",
      .examples = {{"schedule FILE.eir", "each innermost loop as a kernel, and why it is not shorter"},
                   {"schedule FILE.eir --procedure=dot --svg=dot.svg", "the kernel of one loop as a picture"},
                   {"schedule FILE.eir --machine=c6x.machine --json", "for another machine, and for programs"}},
      .difference = "a schedule is not valid, which is an error of midend",
      .words = {{"--machine", split_machine_names()}}};
}

} // namespace midend_tool
