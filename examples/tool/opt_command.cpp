#include "opt_command.hpp"

#include "dot_files.hpp"
#include "eir_file.hpp"
#include "passes.hpp"
#include "prints.hpp"
#include "text.hpp"

#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/verify/verifier.hpp>
#include <midend/viz/elbrus.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string_view>

namespace midend_tool {
namespace {

using midend::value_id;
using midend::elbrus::procedure;
using midend::elbrus::program;
using midend::elbrus::value_kind;

/// The parts between commas; none of nothing.
std::vector<std::string_view> split(std::string_view list) {
  std::vector<std::string_view> out;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    out.push_back(list.substr(0, comma));
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  }
  return out;
}

/// What there is by name: `a, b, c`.
template <class Kinds> std::string names_of(const Kinds& kinds) {
  std::string out;
  for (const auto& kind : kinds) {
    append(out, out.empty() ? "" : ", ", kind.name);
  }
  return out;
}

/// The options that can be checked before the file is read.
struct choices {
  std::vector<const pass_kind*> passes;
  std::vector<const report_kind*> reports;
  const pass_kind* explaining = nullptr; ///< the first that can, or the plainest

  std::optional<std::string> set(const opt_options& options) {
    for (const std::string_view name : split(options.passes)) {
      passes.push_back(find_pass(name));
      if (passes.back() == nullptr) {
        return "--passes: unknown pass '" + std::string(name) + "', there are: " + names_of(pass_kinds());
      }
    }
    for (const std::string_view name : split(options.prints)) {
      reports.push_back(find_report(name));
      if (reports.back() == nullptr) {
        return "--print: unknown report '" + std::string(name) + "', there are: " + names_of(report_kinds());
      }
    }
    for (const std::string& name : options.explained) {
      if (name.size() < 2 || name.front() != '%') {
        return "--explain: '" + name + "' is no value: it begins with %";
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
      const std::string said = pass->run(p);
      if (options_.statistics) {
        const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - begin;
        std::fprintf(stderr, "@%s: %s: %s; %.1f us\n", std::string(p.name()).c_str(), std::string(pass->name).c_str(),
                     said.c_str(), taken.count());
      }
      if (options_.verify_each && !verify_behind(*pass)) {
        return false;
      }
    }
    if (!is_explained) {
      explain(p);
    }
    return true;
  }

  /// Before the pass in question has replaced the values.
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

  /// One that is to be explained and is in none of the procedures.
  std::optional<std::string> unknown_value() const {
    for (std::size_t i = 0; i != options_.explained.size(); ++i) {
      if (!is_known_[i]) {
        return options_.explained[i];
      }
    }
    return std::nullopt;
  }

  bool verify_behind(const pass_kind& pass) const {
    const std::vector<midend::elbrus::diagnostic> errors = midend::elbrus::verify(program_);
    if (errors.empty()) {
      return true;
    }
    complain_about(options_.file, errors);
    std::fprintf(stderr, "%s: error: what pass %s has made does not verify\n", options_.file.c_str(),
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
    const bool only_looked = !reports_.empty() || !options_.dot_directory.empty();
    if (options_.output.empty() && only_looked) {
      return std::nullopt;
    }
    return write_text(options_.output.empty() ? "-" : options_.output, midend::elbrus::to_text(program_));
  }

  const opt_options& options_;
  const choices& chosen_;
  program program_;
  std::string reports_;
  std::vector<bool> is_known_; ///< by value that is to be explained
};

} // namespace

exit_status run_opt(const opt_options& options) {
  choices chosen;
  if (const auto problem = chosen.set(options)) {
    return complain(exit_bad_usage, "midend opt: " + *problem);
  }
  return optimizer(options, chosen).run();
}

} // namespace midend_tool
