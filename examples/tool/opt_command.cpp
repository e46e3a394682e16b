#include "commands.hpp"

#include "command_help.hpp"
#include "dot_files.hpp"
#include "eir_file.hpp"
#include "messages.hpp"
#include "option_list.hpp"
#include "pass_list.hpp"
#include "passes.hpp"
#include "prints.hpp"
#include "progress.hpp"
#include "report_json.hpp"
#include "text.hpp"
#include "work_split.hpp"

#include <midend/elbrus/nearest_word.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/verify/verifier.hpp>
#include <midend/graph/concepts.hpp>
#include <midend/ir/ids.hpp>
#include <midend/viz/elbrus.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace midend_tool {
namespace {

/// The options on the command line.
struct opt_options {
  std::string file;
  std::string passes;                  ///< separated by commas
  std::string prints;                  ///< separated by commas
  std::string output;                  ///< empty: standard output, if nothing else is printed
  std::vector<std::string> procedures; ///< empty: all
  std::vector<std::string> explained;  ///< values whose facts are explained
  std::string dot_directory;           ///< empty: no pictures
  bool loops_end = false;
  bool statistics = false;
  bool verify_each = false;
  bool print_changes = false;
  bool json = false;
  work_split split;
};

/// A picture of a procedure that is still to be written.
struct opt_picture {
  std::string text;
  std::string step; ///< what its name ends with
};

/// What the run of one procedure leaves, until it is its turn to be shown.
struct opt_outcome {
  bool is_done = true;      ///< false: the result of a pass is not right
  std::string reports;      ///< for standard output
  std::string messages;     ///< for standard error: what `--stats` says, warnings, errors
  std::string passes_json;  ///< the elements of an array
  std::string reports_json; ///< the same
  std::vector<opt_picture> pictures;
  std::vector<char> is_known; ///< by index of `explained`: the procedure has the value
};

using midend::value_id;
using midend::elbrus::procedure;
using midend::elbrus::program;
using midend::elbrus::value_kind;

/// The options that can be checked before the file is read.
struct opt_choices {
  std::vector<chosen_pass> passes;
  std::vector<std::string> pass_names; ///< as on the command line
  std::vector<const report_kind*> reports;
  const pass_kind* explaining = nullptr; ///< the first pass that has facts, or `sccp` if there is none
  const pass_kind* comparing = nullptr;  ///< the first that compares values, or `value-numbering` if there is none

  std::optional<std::string> set(const opt_options& options) {
    pass_list list;
    if (auto problem = read_passes(options.passes, list)) {
      return problem;
    }
    passes = std::move(list.passes);
    pass_names = std::move(list.names);
    for (const std::string_view name : split_list(options.prints)) {
      reports.push_back(find_report(name));
      if (reports.back() == nullptr) {
        return "--print: unknown report '" + std::string(name) + "'" + meant_by(name, report_kinds());
      }
    }
    for (const std::string& name : options.explained) {
      const std::vector<std::string_view> values = split_list(name);
      if (values.empty() || values.size() > 2) {
        return "--explain: '" + name + "' is neither a value nor a pair %a,%b";
      }
      for (const std::string_view value : values) {
        if (value.size() < 2 || value.front() != '%') {
          return "--explain: '" + std::string(value) + "' is not a value: values begin with %";
        }
      }
    }
    explaining = first_pass([](const pass_kind& pass) { return pass.explain != nullptr; }, "sccp");
    comparing = first_pass([](const pass_kind& pass) { return pass.compare != nullptr; }, "value-numbering");
    return std::nullopt;
  }

private:
  template <class Has> const pass_kind* first_pass(Has has, std::string_view otherwise) const {
    const auto first =
        std::find_if(passes.begin(), passes.end(), [&](const chosen_pass& pass) { return has(*pass.kind); });
    return first != passes.end() ? first->kind : find_pass(otherwise).kind;
  }
};

/// The passes and reports over one procedure.
class procedure_optimizer {
public:
  procedure_optimizer(const opt_options& options, const opt_choices& chosen, procedure& p, opt_outcome& out)
      : options_(options), chosen_(chosen), p_(p), out_(out) {
    out.is_known.assign(options.explained.size(), 0);
  }

  void run() {
    out_.is_done = run_passes();
    if (out_.is_done) {
      if (!options_.dot_directory.empty()) {
        out_.pictures.push_back({midend::elbrus::to_dot(p_), ""});
      }
      report();
    }
  }

private:
  bool run_passes() {
    bool is_explained = false;
    bool is_compared = false;
    bool is_warned = false;
    if (!chosen_.passes.empty()) {
      picture_of_step(0, "before");
    }
    for (std::size_t i = 0; i != chosen_.passes.size(); ++i) {
      const pass_kind& pass = *chosen_.passes[i].kind;
      if (&pass == chosen_.explaining && !is_explained) {
        explain(1);
        is_explained = true;
      }
      if (&pass == chosen_.comparing && !is_compared) {
        explain(2);
        is_compared = true;
      }
      const bool is_refused = pass.variables == variable_policy::refuses && !p_.variables().empty();
      if (pass.variables != variable_policy::handles && !p_.variables().empty() && (is_refused || !is_warned)) {
        warn_about_variables(is_refused ? chosen_.pass_names[i] : "");
        is_warned = true;
      }
      if (!is_refused && !run_pass(i)) {
        return false;
      }
      picture_of_step(i + 1, chosen_.pass_names[i]);
    }
    if (!is_explained) {
      explain(1);
    }
    if (!is_compared) {
      explain(2);
    }
    return true;
  }

  /// False if the result is not verified.
  bool run_pass(std::size_t i) {
    const chosen_pass& pass = chosen_.passes[i];
    const std::string& name = chosen_.pass_names[i];
    const bool is_counted = options_.statistics || options_.json;
    const pass_request request{pass.number, options_.verify_each, options_.print_changes};
    pass_report report;
    const sizes before = is_counted ? sizes(p_) : sizes();
    const auto begin = std::chrono::steady_clock::now();
    pass.kind->run(p_, request, report);
    const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - begin;
    const sizes after = is_counted ? sizes(p_) : sizes();
    const bool is_certified = report.is_certified && !report.fault;
    if (options_.statistics) {
      std::string said = report.summary;
      append(said, said.empty() ? "" : "; ", before.nodes, " -> ", after.nodes, " nodes, ", before.operations, " -> ",
             after.operations, " operations", is_certified ? "; certified" : "");
      char time[48];
      std::snprintf(time, sizeof time, "; %.1f us\n", taken.count());
      append(out_.messages, "@", p_.name(), ": ", name, ": ", said, time);
    }
    if (options_.json) {
      append_pass(name, report, before, after, is_certified);
    } else if (options_.print_changes) {
      append(out_.reports, "changes of @", p_.name(), " by ", name, "\n");
      append_indented(out_.reports, report.changes.empty() ? "none" : report.changes);
    }
    if (report.fault) {
      say(options_.file + ": error: pass " + name + " on @" + std::string(p_.name()) +
          ": the certificate is rejected: " + *report.fault);
    }
    return !options_.verify_each || (verify_after(name) && !report.fault);
  }

  /// What is left of a procedure.
  struct sizes {
    std::size_t nodes = 0;
    std::size_t operations = 0; ///< with phis and ends

    sizes() = default;

    explicit sizes(const procedure& p) {
      for (midend::node_id n = 0; n != p.num_nodes(); ++n) {
        nodes += p.node(n).erased ? 0u : 1u;
        for (value_id v = p.node(n).first; v != midend::no_value; v = p.value(v).next) {
          ++operations;
        }
      }
    }
  };

  void append_pass(const std::string& name, const pass_report& report, const sizes& before, const sizes& after,
                   bool is_certified) {
    std::string& out = out_.passes_json;
    append_json_member(out, out.empty() ? "{" : ",{", "pass", name);
    append_json_member(out, ",", "summary", report.summary);
    append(out, ",\"nodes\":[", before.nodes, ",", after.nodes, "],\"operations\":[", before.operations, ",",
           after.operations, "],\"certified\":", is_certified ? "true" : "false");
    if (options_.print_changes) {
      out += ",\"changes\":";
      append_json_lines(out, report.changes);
    }
    out += '}';
  }

  /// A line for standard error, in its turn.
  void say(const std::string& message) { append(out_.messages, message, "\n"); }

  /// `refused`: the pass that is not run because of the variables, or empty.
  void warn_about_variables(const std::string& refused) {
    const std::size_t count = p_.variables().size();
    std::string said;
    append(said, options_.file, ":", p_.location().line, ":", p_.location().column, ": warning: @", p_.name(), ": ",
           count, count == 1 ? " variable is" : " variables are", " not in SSA form: construct-ssa first");
    if (!refused.empty()) {
      append(said, "; ", refused, " is not run");
    }
    say(said);
  }

  /// With `--dot`: `PROCEDURE.NN-PASS.dot`.
  void picture_of_step(std::size_t number, const std::string& what) {
    if (options_.dot_directory.empty()) {
      return;
    }
    const std::string digits = std::to_string(number);
    const std::string title = "@" + std::string(p_.name()) + (number == 0 ? " before the passes" : " after " + what);
    midend::elbrus::picture_options look;
    look.title = title;
    out_.pictures.push_back(
        {midend::elbrus::to_dot(p_, look), "." + std::string(digits.size() < 2 ? "0" : "") + digits + "-" + what});
  }

  /// Explains single values or pairs. Runs before the explaining pass, which replaces the values.
  void explain(std::size_t count) {
    for (std::size_t i = 0; i != options_.explained.size(); ++i) {
      const std::vector<std::string_view> names = split_list(options_.explained[i]);
      if (names.size() != count) {
        continue;
      }
      const value_id v = value_called(names.front());
      const value_id w = value_called(names.back());
      if (v == midend::no_value || w == midend::no_value) {
        continue;
      }
      out_.is_known[i] = 1;
      std::string title = "why ";
      append(title, names.front(), count == 1 ? "" : " and ", count == 1 ? "" : names.back());
      std::string text;
      if (count == 1) {
        chosen_.explaining->explain(p_, v, text);
      } else {
        chosen_.comparing->compare(p_, v, w, text);
      }
      add_report(title, text);
    }
  }

  value_id value_called(std::string_view name) const {
    for (value_id v = 0; v != p_.num_values(); ++v) {
      const value_kind kind = p_.value(v).kind;
      const bool is_value = kind == value_kind::operation || kind == value_kind::parameter || kind == value_kind::local;
      if (is_value && !p_.value_name(v).empty() && p_.value_name(v) == name.substr(1)) {
        return v;
      }
    }
    return midend::no_value;
  }

  void add_report(std::string_view title, const std::string& text) {
    if (options_.json) {
      append_json_member(out_.reports_json, out_.reports_json.empty() ? "{" : ",{", "report", title);
      out_.reports_json += ",\"lines\":";
      append_json_lines(out_.reports_json, text);
      out_.reports_json += '}';
    } else {
      append(out_.reports, title, " of @", p_.name(), "\n", text);
    }
  }

  bool verify_after(const std::string& pass) {
    const std::vector<midend::elbrus::diagnostic> errors = midend::elbrus::verify(p_);
    std::optional<std::string> problem;
    if (errors.empty()) {
      problem = check_views(p_);
    }
    if (errors.empty() && !problem) {
      return true;
    }
    for (const std::string& said : messages_of(options_.file, "error", errors)) {
      say(said);
    }
    if (problem) {
      say(options_.file + ": error: " + *problem);
    }
    say(options_.file + ": error: the result of pass " + pass + " on @" + std::string(p_.name()) + " does not verify");
    return false;
  }

  void report() {
    if (!p_.variables().empty() && chosen_.passes.empty() &&
        std::any_of(chosen_.reports.begin(), chosen_.reports.end(), [](const report_kind* r) {
          return r->name.starts_with("sccp") || r->name.starts_with("value-numbering");
        })) {
      warn_about_variables("");
    }
    for (const report_kind* const report : chosen_.reports) {
      std::string text;
      report->append(p_, text);
      add_report(report->name, text);
    }
  }

  const opt_options& options_;
  const opt_choices& chosen_;
  procedure& p_;
  opt_outcome& out_;
};

/// One run of the command over one program.
class optimizer {
public:
  optimizer(const opt_options& options, const opt_choices& chosen)
      : options_(options), chosen_(chosen), is_known_(options.explained.size()) {}

  exit_status run() {
    std::optional<program> read = read_program(options_.file);
    if (!read) {
      return exit_bad_input;
    }
    program_ = std::move(*read);
    if (options_.loops_end) {
      assume_loops_end(program_);
    }
    warn_about(options_.file, program_);
    if (!options_.dot_directory.empty()) {
      if (const auto problem = pictures_.open(options_.dot_directory)) {
        return complain(exit_bad_input, *problem);
      }
    }
    if (const auto name = missing_procedure()) {
      const std::string_view meant = midend::nearest_word(
          *name, program_.procedures, [](const procedure& p) -> std::string_view { return p.name(); });
      return complain(exit_bad_input, options_.file + ": error: there is no procedure '@" + *name + "'" +
                                          (meant.empty() ? "" : ": did you mean @" + std::string(meant) + "?"));
    }
    keep_shard();
    if (!run_procedures()) {
      return exit_bad_input;
    }
    if (const auto name = unknown_value()) {
      return complain(exit_bad_input,
                      options_.file + ": error: " +
                          (name->find(',') == std::string::npos ? "there is no value '" + *name + "'"
                                                                : "no procedure has both values of '" + *name + "'"));
    }
    const auto problem = write();
    return problem ? complain(exit_bad_input, *problem) : exit_done;
  }

private:
  bool is_chosen(const procedure& p) const {
    return options_.procedures.empty() ||
           std::find(options_.procedures.begin(), options_.procedures.end(), p.name()) != options_.procedures.end();
  }

  std::optional<std::string> missing_procedure() const {
    for (const std::string& name : options_.procedures) {
      if (program_.find(name) == nullptr) {
        return name;
      }
    }
    return std::nullopt;
  }

  void keep_shard() {
    std::size_t number = 0;
    std::erase_if(program_.procedures, [&](const procedure&) { return !options_.split.contains(number++); });
  }

  bool run_procedures() {
    std::vector<procedure*> chosen;
    for (procedure& p : program_.procedures) {
      if (is_chosen(p)) {
        chosen.push_back(&p);
      }
    }
    std::vector<opt_outcome> outcomes(chosen.size());
    bool is_done = true;
    progress shown(chosen.size());
    for_each_in_order(
        chosen.size(), options_.split.jobs,
        [&](std::size_t, std::size_t i) { procedure_optimizer(options_, chosen_, *chosen[i], outcomes[i]).run(); },
        [&](std::size_t i) {
          shown.at_function(i);
          is_done = take(*chosen[i], outcomes[i]);
          outcomes[i] = opt_outcome();
          return is_done;
        });
    return is_done;
  }

  bool take(const procedure& p, const opt_outcome& from) {
    for (std::string_view rest = from.messages; !rest.empty();) {
      const std::size_t end = rest.find('\n');
      print_message(rest.substr(0, end));
      rest.remove_prefix(end + 1);
    }
    if (!from.is_done) {
      return false;
    }
    for (const opt_picture& picture : from.pictures) {
      if (const auto problem = pictures_.write(p.name(), picture.text, picture.step)) {
        print_message(*problem);
        return false;
      }
    }
    for (std::size_t i = 0; i != is_known_.size(); ++i) {
      is_known_[i] = is_known_[i] || from.is_known[i] != 0;
    }
    reports_ += from.reports;
    if (options_.json) {
      append_json_member(reports_, "{", "procedure", "@" + std::string(p.name()));
      append(reports_, ",\"passes\":[", from.passes_json, "],\"reports\":[", from.reports_json, "]}\n");
    }
    return true;
  }

  /// A value to explain that no procedure has.
  std::optional<std::string> unknown_value() const {
    for (std::size_t i = 0; i != options_.explained.size(); ++i) {
      if (!is_known_[i]) {
        return options_.explained[i];
      }
    }
    return std::nullopt;
  }

  std::optional<std::string> write() {
    if (!reports_.empty()) {
      if (auto problem = write_text("-", reports_)) {
        return problem;
      }
    }
    const bool is_report_only = options_.json || !reports_.empty() || !options_.dot_directory.empty();
    if (options_.output.empty() && is_report_only) {
      return std::nullopt;
    }
    return write_text(options_.output.empty() ? "-" : options_.output, midend::elbrus::to_text(program_));
  }

  const opt_options& options_;
  const opt_choices& chosen_;
  program program_;
  dot_files pictures_;
  std::string reports_;
  std::vector<bool> is_known_; ///< by index of `explained`
};

exit_status run(opt_options options) {
  drop_signs(options.procedures);
  opt_choices chosen;
  if (const auto problem = chosen.set(options)) {
    return complain(exit_bad_usage, "midend opt: " + *problem);
  }
  return optimizer(options, chosen).run();
}

/// The reports, one line each.
std::string listed_reports(const char* title) {
  std::string out = title;
  out += '\n';
  for (const report_kind& report : report_kinds()) {
    append_help_row(out, report.name, report.summary);
  }
  return out;
}

} // namespace

command add_opt_command(CLI::App& app) {
  const auto given = std::make_shared<opt_options>();
  opt_options& options = *given;
  CLI::App* const sub = app.add_subcommand("opt", "Optimise a program in the Elbrus-like IR");
  sub->add_option("FILE", options.file, "the program (.eir, .eir.gz); - reads standard input")->required();
  sub->add_option("--passes", options.passes, "passes to run, separated by commas")->type_name("PASSES");
  sub->add_option("--print", options.prints, "reports to print after the passes, separated by commas")
      ->type_name("REPORTS");
  repeatable(sub->add_option("--explain", options.explained,
                             "explain what the first pass with facts knows about this value, or, of %A,%B, why value "
                             "numbering finds two values equal or not (repeatable)"))
      ->type_name("%VALUE");
  sub->add_option("-o,--output", options.output, "write the program to this file; - writes standard output")
      ->type_name("FILE");
  repeatable(sub->add_option("--procedure", options.procedures, "this procedure only (repeatable)"))->type_name("NAME");
  sub->add_option(
         "--dot", options.dot_directory,
         "write pictures for Graphviz: DIR/PROCEDURE.dot, and before and after each pass DIR/PROCEDURE.NN-PASS.dot")
      ->type_name("DIR");
  sub->add_flag("--loops-end", options.loops_end,
                "assume that loops without effects end: all procedures become mustprogress");
  sub->add_flag("--json", options.json, "print a JSON object for each procedure, one a line: passes and reports");
  add_split_options(*sub, options.split);
  sub->add_flag("--stats", options.statistics, "print what each pass did, and its time, to standard error");
  sub->add_flag("--print-changes", options.print_changes, "print each change of each pass");
  sub->add_flag("--verify-each", options.verify_each, "verify the program and the certificate after each pass");
  return {
      .app = sub,
      .run = [given] { return run(*given); },
      .notes = listed_passes("passes, run on each procedure in the given order") + "\n" + listed_reports("reports") +
               "\nThe program goes to standard output unless -o, --print, --print-changes, --explain or --dot is "
               "given.\n",
      .examples = {{"opt FILE.eir --passes=construct-ssa,sccp,clean-up -o OUT.eir", "optimise"},
                   {"opt FILE.eir --passes=construct-ssa,unroll --verify-each --stats",
                    "check the certificate of each pass, and say what each did"},
                   {"opt FILE.eir --print=loops,evolutions", "what the analyses find"},
                   {"opt FILE.eir --explain=%x", "why SCCP knows what it knows about a value"}},
      .words = {{"--passes", words_of_table(pass_kinds()), true}, {"--print", words_of_table(report_kinds()), true}}};
}

} // namespace midend_tool
