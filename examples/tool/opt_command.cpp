#include "commands.hpp"

#include "dot_files.hpp"
#include "eir_file.hpp"
#include "option_list.hpp"
#include "passes.hpp"
#include "prints.hpp"
#include "text.hpp"

#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/verify/verifier.hpp>
#include <midend/viz/elbrus.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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
  bool statistics = false;
  bool verify_each = false;
};

using midend::value_id;
using midend::elbrus::procedure;
using midend::elbrus::program;
using midend::elbrus::value_kind;

/// The options that can be checked before the file is read.
struct choices {
  std::vector<const pass_kind*> passes;
  std::vector<const report_kind*> reports;
  const pass_kind* explaining = nullptr; ///< the first sccp pass, or `sccp` if there is none

  std::optional<std::string> set(const opt_options& options) {
    for (const std::string_view name : split_list(options.passes)) {
      passes.push_back(find_pass(name));
      if (passes.back() == nullptr) {
        return "--passes: unknown pass '" + std::string(name) + "', expected one of: " + names_of(pass_kinds());
      }
    }
    for (const std::string_view name : split_list(options.prints)) {
      reports.push_back(find_report(name));
      if (reports.back() == nullptr) {
        return "--print: unknown report '" + std::string(name) + "', expected one of: " + names_of(report_kinds());
      }
    }
    for (const std::string& name : options.explained) {
      if (name.size() < 2 || name.front() != '%') {
        return "--explain: '" + name + "' is not a value: values begin with %";
      }
    }
    const auto explains = [](const pass_kind* pass) { return pass->explain != nullptr; };
    const auto first = std::find_if(passes.begin(), passes.end(), explains);
    explaining = first != passes.end() ? *first : find_pass("sccp");
    return std::nullopt;
  }
};

/// One run of the command over one program.
class optimizer {
public:
  optimizer(const opt_options& options, const choices& chosen)
      : options_(options), chosen_(chosen), is_known_(options.explained.size()) {}

  exit_status run() {
    std::optional<program> read = read_program(options_.file);
    if (!read) {
      return exit_bad_input;
    }
    program_ = std::move(*read);
    warn_about(options_.file, program_);
    if (const auto name = missing_procedure()) {
      return complain(exit_bad_input, options_.file + ": error: there is no procedure '@" + *name + "'");
    }
    for (procedure& p : program_.procedures) {
      if (is_chosen(p) && !run_passes(p)) {
        return exit_bad_input;
      }
    }
    if (const auto name = unknown_value()) {
      return complain(exit_bad_input, options_.file + ": error: there is no value '" + *name + "'");
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
    for (const pass_kind* const pass : chosen_.passes) {
      if (pass == chosen_.explaining && !is_explained) {
        explain(p);
        is_explained = true;
      }
      const auto begin = std::chrono::steady_clock::now();
      const std::string summary = pass->run(p);
      if (options_.statistics) {
        const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - begin;
        std::fprintf(stderr, "@%s: %s: %s; %.1f us\n", std::string(p.name()).c_str(), std::string(pass->name).c_str(),
                     summary.c_str(), taken.count());
      }
      if (options_.verify_each && !verify_after(*pass)) {
        return false;
      }
    }
    if (!is_explained) {
      explain(p);
    }
    return true;
  }

  /// Runs before the explaining pass, which replaces the values.
  void explain(const procedure& p) {
    for (std::size_t i = 0; i != options_.explained.size(); ++i) {
      for (value_id v = 0; v != p.num_values(); ++v) {
        const value_kind kind = p.value(v).kind;
        const bool is_value = kind == value_kind::operation || kind == value_kind::parameter;
        if (is_value && !p.value_name(v).empty() && p.value_name(v) == options_.explained[i].substr(1)) {
          is_known_[i] = true;
          append(reports_, "why ", options_.explained[i], " of @", p.name(), "\n");
          chosen_.explaining->explain(p, v, reports_);
        }
      }
    }
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

  bool verify_after(const pass_kind& pass) const {
    const std::vector<midend::elbrus::diagnostic> errors = midend::elbrus::verify(program_);
    std::optional<std::string> problem;
    for (std::size_t i = 0; errors.empty() && !problem && i != program_.procedures.size(); ++i) {
      problem = check_views(program_.procedures[i]);
    }
    if (errors.empty() && !problem) {
      return true;
    }
    complain_about(options_.file, errors);
    if (problem) {
      std::fprintf(stderr, "%s: error: %s\n", options_.file.c_str(), problem->c_str());
    }
    std::fprintf(stderr, "%s: error: the result of pass %s does not verify\n", options_.file.c_str(),
                 std::string(pass.name).c_str());
    return false;
  }

  std::optional<std::string> draw() const {
    if (options_.dot_directory.empty()) {
      return std::nullopt;
    }
    dot_files pictures;
    if (auto problem = pictures.open(options_.dot_directory)) {
      return problem;
    }
    for (const procedure& p : program_.procedures) {
      if (is_chosen(p)) {
        if (auto problem = pictures.write(p.name(), midend::elbrus::to_dot(p))) {
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
  const choices& chosen_;
  program program_;
  std::string reports_;
  std::vector<bool> is_known_; ///< by index of `explained`
};

exit_status run(const opt_options& options) {
  choices chosen;
  if (const auto problem = chosen.set(options)) {
    return complain(exit_bad_usage, "midend opt: " + *problem);
  }
  return optimizer(options, chosen).run();
}

/// A table of names and summaries, one line each.
template <class Table> std::string listed(const char* title, const Table& table) {
  std::string out = title;
  for (const auto& entry : table) {
    append(out, "\n  ", entry.name);
    out.append(entry.name.size() < 26 ? 26 - entry.name.size() : 1, ' ');
    out += entry.summary;
  }
  return out + "\n";
}

} // namespace

command add_opt_command(CLI::App& app) {
  const auto given = std::make_shared<opt_options>();
  opt_options& options = *given;
  CLI::App* const sub = app.add_subcommand("opt", "Optimise a program in the Elbrus-like IR");
  sub->footer(listed("Passes, run on each procedure in the given order:", pass_kinds()) +
              listed("Reports:", report_kinds()) +
              "The program goes to standard output unless -o, --print, --explain or --dot is given.\n"
              "Exit status: 0 done, 1 the input is bad or the output cannot be written, 2 wrong usage.");
  sub->add_option("FILE", options.file, "the program (.eir); - reads standard input")->required();
  sub->add_option("--passes", options.passes, "passes to run, separated by commas")->type_name("PASSES");
  sub->add_option("--print", options.prints, "reports to print after the passes, separated by commas")
      ->type_name("REPORTS");
  repeatable(sub->add_option("--explain", options.explained,
                             "explain what the first sccp pass knows about this value (repeatable)"))
      ->type_name("%VALUE");
  sub->add_option("-o,--output", options.output, "write the program to this file; - writes standard output")
      ->type_name("FILE");
  repeatable(sub->add_option("--procedure", options.procedures, "this procedure only (repeatable)"))->type_name("NAME");
  sub->add_option("--dot", options.dot_directory, "write a picture of each procedure for Graphviz: DIR/PROCEDURE.dot")
      ->type_name("DIR");
  sub->add_flag("--stats", options.statistics, "print what each pass did, and its time, to standard error");
  sub->add_flag("--verify-each", options.verify_each, "verify the program after each pass");
  return {sub, [given] { return run(*given); }};
}

} // namespace midend_tool
