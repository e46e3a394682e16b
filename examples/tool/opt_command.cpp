#include "commands.hpp"

#include "dot_files.hpp"
#include "eir_file.hpp"
#include "option_list.hpp"
#include "pass_list.hpp"
#include "passes.hpp"
#include "prints.hpp"
#include "text.hpp"

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
    for (procedure& p : program_.procedures) {
      if (is_chosen(p) && !run_passes(p)) {
        return exit_bad_input;
      }
    }
    if (const auto name = unknown_value()) {
      return complain(exit_bad_input,
                      options_.file + ": error: " +
                          (name->find(',') == std::string::npos ? "there is no value '" + *name + "'"
                                                                : "no procedure has both values of '" + *name + "'"));
    }
    if (const auto problem = draw()) {
      return complain(exit_bad_input, *problem);
    }
    if (const auto problem = write()) {
      return complain(exit_bad_input, *problem);
    }
    return exit_done;
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

  bool run_passes(procedure& p) {
    bool is_explained = false;
    bool is_compared = false;
    bool is_warned = false;
    if (!chosen_.passes.empty() && !picture_of_step(p, 0, "before")) {
      return false;
    }
    for (std::size_t i = 0; i != chosen_.passes.size(); ++i) {
      const pass_kind& pass = *chosen_.passes[i].kind;
      if (&pass == chosen_.explaining && !is_explained) {
        explain(p, 1);
        is_explained = true;
      }
      if (&pass == chosen_.comparing && !is_compared) {
        explain(p, 2);
        is_compared = true;
      }
      const bool is_refused = pass.variables == variable_policy::refuses && !p.variables().empty();
      if (pass.variables != variable_policy::handles && !p.variables().empty() && (is_refused || !is_warned)) {
        warn_about_variables(p, is_refused ? chosen_.pass_names[i] : "");
        is_warned = true;
      }
      if (!is_refused && !run_pass(p, i)) {
        return false;
      }
      if (!picture_of_step(p, i + 1, chosen_.pass_names[i])) {
        return false;
      }
    }
    if (!is_explained) {
      explain(p, 1);
    }
    if (!is_compared) {
      explain(p, 2);
    }
    return true;
  }

  /// False if the result is not verified.
  bool run_pass(procedure& p, std::size_t i) {
    const chosen_pass& pass = chosen_.passes[i];
    const std::string& name = chosen_.pass_names[i];
    const pass_request request{pass.number, options_.verify_each, options_.print_changes};
    pass_report report;
    const sizes before = options_.statistics ? sizes(p) : sizes();
    const auto begin = std::chrono::steady_clock::now();
    pass.kind->run(p, request, report);
    if (options_.statistics) {
      const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - begin;
      const sizes after(p);
      std::string said = report.summary;
      append(said, said.empty() ? "" : "; ", before.nodes, " -> ", after.nodes, " nodes, ", before.operations, " -> ",
             after.operations, " operations", report.is_certified && !report.fault ? "; certified" : "");
      std::fprintf(stderr, "@%s: %s: %s; %.1f us\n", std::string(p.name()).c_str(), name.c_str(), said.c_str(),
                   taken.count());
    }
    if (options_.print_changes) {
      append(reports_, "changes of @", p.name(), " by ", name, "\n");
      append_indented(reports_, report.changes.empty() ? "none" : report.changes);
    }
    if (report.fault) {
      std::fprintf(stderr, "%s: error: pass %s on @%s: the certificate is rejected: %s\n", options_.file.c_str(),
                   name.c_str(), std::string(p.name()).c_str(), report.fault->c_str());
    }
    return !options_.verify_each || (verify_after(p, name) && !report.fault);
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

  /// `refused`: the pass that is not run because of the variables, or empty.
  void warn_about_variables(const procedure& p, const std::string& refused) const {
    const std::size_t count = p.variables().size();
    std::string said;
    append(said, options_.file, ":", p.location().line, ":", p.location().column, ": warning: @", p.name(), ": ", count,
           count == 1 ? " variable is" : " variables are", " not in SSA form: construct-ssa first");
    if (!refused.empty()) {
      append(said, "; ", refused, " is not run");
    }
    std::fprintf(stderr, "%s\n", said.c_str());
  }

  /// With `--dot`: `PROCEDURE.NN-PASS.dot`. False if it cannot be written.
  bool picture_of_step(const procedure& p, std::size_t number, const std::string& what) {
    if (options_.dot_directory.empty()) {
      return true;
    }
    const std::string digits = std::to_string(number);
    const std::string title = "@" + std::string(p.name()) + (number == 0 ? " before the passes" : " after " + what);
    midend::elbrus::picture_options look;
    look.title = title;
    const auto problem = pictures_.write(p.name(), midend::elbrus::to_dot(p, look),
                                         "." + std::string(digits.size() < 2 ? "0" : "") + digits + "-" + what);
    if (problem) {
      std::fprintf(stderr, "%s\n", problem->c_str());
    }
    return !problem;
  }

  /// Explains single values or pairs. Runs before the explaining pass, which replaces the values.
  void explain(const procedure& p, std::size_t count) {
    for (std::size_t i = 0; i != options_.explained.size(); ++i) {
      const std::vector<std::string_view> names = split_list(options_.explained[i]);
      if (names.size() != count) {
        continue;
      }
      const value_id v = value_called(p, names.front());
      const value_id w = value_called(p, names.back());
      if (v == midend::no_value || w == midend::no_value) {
        continue;
      }
      is_known_[i] = true;
      if (count == 1) {
        append(reports_, "why ", names.front(), " of @", p.name(), "\n");
        chosen_.explaining->explain(p, v, reports_);
      } else {
        append(reports_, "why ", names.front(), " and ", names.back(), " of @", p.name(), "\n");
        chosen_.comparing->compare(p, v, w, reports_);
      }
    }
  }

  static value_id value_called(const procedure& p, std::string_view name) {
    for (value_id v = 0; v != p.num_values(); ++v) {
      const value_kind kind = p.value(v).kind;
      const bool is_value = kind == value_kind::operation || kind == value_kind::parameter;
      if (is_value && !p.value_name(v).empty() && p.value_name(v) == name.substr(1)) {
        return v;
      }
    }
    return midend::no_value;
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

  bool verify_after(const procedure& p, const std::string& pass) const {
    const std::vector<midend::elbrus::diagnostic> errors = midend::elbrus::verify(p);
    std::optional<std::string> problem;
    if (errors.empty()) {
      problem = check_views(p);
    }
    if (errors.empty() && !problem) {
      return true;
    }
    complain_about(options_.file, errors);
    if (problem) {
      std::fprintf(stderr, "%s: error: %s\n", options_.file.c_str(), problem->c_str());
    }
    std::fprintf(stderr, "%s: error: the result of pass %s on @%s does not verify\n", options_.file.c_str(),
                 pass.c_str(), std::string(p.name()).c_str());
    return false;
  }

  std::optional<std::string> draw() {
    if (options_.dot_directory.empty()) {
      return std::nullopt;
    }
    for (const procedure& p : program_.procedures) {
      if (is_chosen(p)) {
        if (auto problem = pictures_.write(p.name(), midend::elbrus::to_dot(p))) {
          return problem;
        }
      }
    }
    return std::nullopt;
  }

  std::optional<std::string> write() {
    for (const procedure& p : program_.procedures) {
      if (!is_chosen(p)) {
        continue;
      }
      if (!p.variables().empty() && chosen_.passes.empty() &&
          std::any_of(chosen_.reports.begin(), chosen_.reports.end(), [](const report_kind* r) {
            return r->name.starts_with("sccp") || r->name.starts_with("value-numbering");
          })) {
        warn_about_variables(p, "");
      }
      for (const report_kind* const report : chosen_.reports) {
        append(reports_, report->name, " of @", p.name(), "\n");
        report->append(p, reports_);
      }
    }
    if (!reports_.empty()) {
      if (auto problem = write_text("-", reports_)) {
        return problem;
      }
    }
    const bool is_report_only = !reports_.empty() || !options_.dot_directory.empty();
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
  for (const report_kind& report : report_kinds()) {
    append(out, "\n  ", report.name);
    out.append(report.name.size() < 26 ? 26 - report.name.size() : 1, ' ');
    out += report.summary;
  }
  return out + "\n";
}

} // namespace

command add_opt_command(CLI::App& app) {
  const auto given = std::make_shared<opt_options>();
  opt_options& options = *given;
  CLI::App* const sub = app.add_subcommand("opt", "Optimise a program in the Elbrus-like IR");
  sub->footer(listed_passes("Passes, run on each procedure in the given order:") + listed_reports("Reports:") +
              "The program goes to standard output unless -o, --print, --print-changes, --explain or --dot is given.\n"
              "Exit status: 0 done, 1 the input is bad or the output cannot be written, 2 wrong usage.");
  sub->add_option("FILE", options.file, "the program (.eir); - reads standard input")->required();
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
  sub->add_flag("--stats", options.statistics, "print what each pass did, and its time, to standard error");
  sub->add_flag("--print-changes", options.print_changes, "print each change of each pass");
  sub->add_flag("--verify-each", options.verify_each, "verify the program and the certificate after each pass");
  return {sub, [given] { return run(*given); }};
}

} // namespace midend_tool
