#include "commands.hpp"

#include "analysis.hpp"
#include "dot_files.hpp"
#include "kinds.hpp"
#include "option_list.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "records.hpp"
#include "roots.hpp"
#include "statistics.hpp"

#include <corpus/corpus.hpp>

#include <midend/viz/dot.hpp>

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace midend_tool {
namespace {

/// The options on the command line.
struct cfg_options {
  std::string file;
  std::optional<std::string> only; ///< nothing: all kinds
  std::string dominators{dominator_choices().front().name};
  std::vector<std::string> functions; ///< empty: all
  std::string dot_directory;          ///< empty: no pictures
  std::string roots;
  std::string roots_from;
  bool statistics = false;
};

using seconds = std::chrono::duration<double>;
using clock = std::chrono::steady_clock;

/// Keeps the named functions only. Returns the first name that no function has, if any.
std::optional<std::string> select(const std::vector<std::string>& names,
                                  std::vector<midend_corpus::cfg_function>& functions) {
  if (names.empty()) {
    return std::nullopt;
  }
  const std::unordered_set<std::string> wanted(names.begin(), names.end());
  std::unordered_set<std::string> found;
  std::erase_if(functions, [&](const midend_corpus::cfg_function& f) {
    if (!wanted.contains(f.name)) {
      return true;
    }
    found.insert(f.name);
    return false;
  });
  for (const std::string& name : names) {
    if (!found.contains(name)) {
      return name;
    }
  }
  return std::nullopt;
}

/// The options that can be checked before the file is read.
struct cfg_choices {
  kind_set kinds;
  const dominator_choice* algorithm = nullptr;
  root_source roots;

  std::optional<std::string> set(const cfg_options& options) {
    if (!options.roots.empty() && !options.roots_from.empty()) {
      return "--roots and --roots-from exclude each other";
    }
    if (!options.roots.empty() && !roots.use_policy(options.roots)) {
      return "--roots: unknown policy '" + options.roots + "', expected one of: " + root_policy_names(", ");
    }
    if (!options.only) {
      kinds = all_kinds();
    } else if (auto problem = parse_kinds(*options.only, kinds)) {
      return "--only: " + *problem;
    }
    algorithm = find_dominator_choice(options.dominators);
    if (algorithm == nullptr) {
      return "--dominators: unknown algorithm '" + options.dominators +
             "', expected one of: " + dominator_choice_names(", ");
    }
    return std::nullopt;
  }

  analysis_needs needs(const cfg_options& options) const {
    const bool all = options.statistics;
    const bool pictures = !options.dot_directory.empty();
    return {.dominators = all || pictures || kinds.contains(kind::idom),
            .components = all || kinds.contains(kind::scc),
            .loops = all || pictures || kinds.contains(kind::loop),
            .frontiers = all || kinds.contains(kind::df),
            .post_dominators = all || kinds.contains(kind::ipdom),
            .cycles = all || kinds.contains(kind::cycle),
            .live_variables = all || kinds.contains(kind::livein),
            .phis = all || kinds.contains(kind::phi)};
  }
};

std::string picture_of(const std::string& name, const analyses& answers) {
  midend::dot_options options;
  options.title = name;
  return midend::to_dot(answers.graph(), answers.dominators(), answers.loops(), options);
}

exit_status run(const cfg_options& options) {
  const auto start = clock::now();
  cfg_choices chosen;
  if (const auto problem = chosen.set(options)) {
    return complain(exit_bad_usage, "midend cfg: " + *problem);
  }

  std::vector<midend_corpus::cfg_function> functions;
  if (const auto error = midend_corpus::read_cfg(options.file, functions)) {
    return complain(exit_bad_input, error->to_string());
  }
  if (!options.roots_from.empty()) {
    if (const auto error = chosen.roots.use_file(options.roots_from)) {
      return complain(exit_bad_input, *error);
    }
  }
  if (const auto name = select(options.functions, functions)) {
    return complain(exit_bad_input, options.file + ": error: there is no function '" + *name + "'");
  }
  statistics::run_times times;
  times.reading = seconds(clock::now() - start).count();

  dot_files pictures;
  if (!options.dot_directory.empty()) {
    if (const auto error = pictures.open(options.dot_directory)) {
      return complain(exit_bad_input, *error);
    }
  }

  analyses answers(*chosen.algorithm, chosen.needs(options));
  output out(stdout);
  statistics sums;
  {
    progress shown(functions.size());
    record_writer records(chosen.kinds, out, shown);
    for (std::size_t i = 0; i != functions.size() && !out.failed(); ++i) {
      shown.at_function(i);
      root_policy roots;
      if (answers.needs().post_dominators) {
        std::string problem;
        const auto found = chosen.roots.policy_for(functions[i], problem);
        if (!found) {
          out.flush();
          return complain(exit_bad_input, problem);
        }
        roots = *found;
      }
      answers.run(functions[i], roots);
      records.write(functions[i].name, answers);
      if (!options.dot_directory.empty()) {
        if (const auto error = pictures.write(functions[i].name, picture_of(functions[i].name, answers))) {
          out.flush();
          return complain(exit_bad_input, *error);
        }
      }
      if (options.statistics) {
        sums.add(functions[i], answers);
      }
    }
  }
  if (!out.flush()) {
    return complain(exit_bad_input, "midend: error: standard output: " + out.error());
  }
  if (options.statistics) {
    times.total = seconds(clock::now() - start).count();
    sums.print(stderr, options.file, chosen.algorithm->name, answers.times(), times);
  }
  return exit_done;
}

} // namespace

command add_cfg_command(CLI::App& app) {
  const auto given = std::make_shared<cfg_options>();
  cfg_options& options = *given;
  CLI::App* const sub = app.add_subcommand("cfg", "Analyse control-flow graphs");
  sub->footer("Results go to standard output as records in .expect format, everything else to standard error.\n"
              "Exit status: 0 done, 1 the input is bad or the output cannot be written, 2 wrong usage.");
  sub->add_option("FILE", options.file, "functions in .cfg format, plain or compressed with gzip")->required();
  sub->add_option("--only", options.only, "print these kinds of records only, separated by commas: " + kind_names())
      ->type_name("KINDS");
  sub->add_option("--dominators", options.dominators, "dominator algorithm: " + dominator_choice_names(", "))
      ->type_name("NAME")
      ->capture_default_str();
  repeatable(sub->add_option("--function", options.functions, "analyse this function only (repeatable)"))
      ->type_name("NAME");
  sub->add_option("--dot", options.dot_directory, "write a picture of each function for Graphviz: DIR/FUNCTION.dot")
      ->type_name("DIR");
  sub->add_flag("--stats", options.statistics, "print a summary of the functions, and times, to standard error");
  sub->add_option("--roots", options.roots,
                  "which blocks get an edge to the virtual exit for post-dominators: " +
                      root_policy_names(" (default), "))
      ->type_name("POLICY");
  sub->add_option("--roots-from", options.roots_from,
                  "read these blocks from the 'proots' lines of an .expect or .expect.gz file")
      ->type_name("FILE");
  return {sub, [given] { return run(*given); }};
}

} // namespace midend_tool
