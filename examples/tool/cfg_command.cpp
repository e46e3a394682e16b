#include "commands.hpp"

#include "analysis.hpp"
#include "dot_files.hpp"
#include "graph_file.hpp"
#include "kinds.hpp"
#include "messages.hpp"
#include "option_list.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "records.hpp"
#include "records_json.hpp"
#include "roots.hpp"
#include "statistics.hpp"
#include "work_split.hpp"

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
  bool json = false;
  work_split split;
};

using seconds = std::chrono::duration<double>;
using clock = std::chrono::steady_clock;

/// Keeps the functions of the shard that are named, or all of them if no name is given. Returns the first name that no
/// function of the file has, if any.
std::optional<std::string> select(const std::vector<std::string>& names, const work_split& split,
                                  std::vector<midend_corpus::cfg_function>& functions) {
  const std::unordered_set<std::string> wanted(names.begin(), names.end());
  std::unordered_set<std::string> found;
  std::size_t number = 0;
  std::erase_if(functions, [&](const midend_corpus::cfg_function& f) {
    const bool is_wanted = names.empty() || wanted.contains(f.name);
    if (is_wanted) {
      found.insert(f.name);
    }
    return !split.contains(number++) || !is_wanted;
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

/// What belongs to a thread.
struct cfg_worker {
  std::optional<analyses> answers;
};

/// What is known of a function until it is its turn.
struct cfg_answer {
  std::string text;
  std::string picture;
  std::string problem; ///< empty: there is none
  statistics sums;
};

void analyse_function(const cfg_options& options, const cfg_choices& chosen, const midend_corpus::cfg_function& f,
                      analyses& answers, output& out, progress* shown, cfg_answer& to) {
  root_policy roots;
  if (answers.needs().post_dominators) {
    const auto found = chosen.roots.policy_for(f, to.problem);
    if (!found) {
      return;
    }
    roots = *found;
  }
  answers.run(f, roots);
  if (options.json) {
    json_record_writer(chosen.kinds, out).write(f.name, answers);
  } else {
    record_writer(chosen.kinds, out, shown).write(f.name, answers);
  }
  if (!options.dot_directory.empty()) {
    to.picture = picture_of(f.name, answers);
  }
  if (options.statistics) {
    to.sums.add(f, answers);
  }
}

exit_status run(const cfg_options& options) {
  const auto start = clock::now();
  cfg_choices chosen;
  if (const auto problem = chosen.set(options)) {
    return complain(exit_bad_usage, "midend cfg: " + *problem);
  }

  std::vector<midend_corpus::cfg_function> functions;
  if (const auto failed = read_graphs(options.file, functions)) {
    return *failed;
  }
  if (!options.roots_from.empty()) {
    if (const auto error = chosen.roots.use_file(options.roots_from)) {
      return complain(exit_bad_input, *error);
    }
  }
  if (const auto name = select(options.functions, options.split, functions)) {
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

  // One worker writes to standard output as it goes, because the lists of one function may be large.
  output out(stdout);
  std::vector<cfg_worker> workers(options.split.jobs);
  for (cfg_worker& w : workers) {
    w.answers.emplace(*chosen.algorithm, chosen.needs(options));
  }
  std::vector<cfg_answer> answers(functions.size());
  statistics sums;
  std::string problem;
  {
    progress shown(functions.size());
    for_each_in_order(
        functions.size(), options.split.jobs,
        [&](std::size_t w, std::size_t i) {
          cfg_answer& to = answers[i];
          if (options.split.jobs == 1) {
            analyse_function(options, chosen, functions[i], *workers[w].answers, out, &shown, to);
          } else {
            output text(to.text);
            analyse_function(options, chosen, functions[i], *workers[w].answers, text, nullptr, to);
            text.flush();
          }
        },
        [&](std::size_t i) {
          shown.at_function(i);
          cfg_answer& from = answers[i];
          out.text(from.text);
          problem = from.problem;
          if (problem.empty() && !options.dot_directory.empty()) {
            problem = pictures.write(functions[i].name, from.picture).value_or("");
          }
          if (options.statistics) {
            sums.add(from.sums);
          }
          from = cfg_answer();
          return problem.empty() && !out.failed();
        });
  }
  if (!out.flush()) {
    return complain(exit_bad_input, "midend: error: standard output: " + out.error());
  }
  if (!problem.empty()) {
    return complain(exit_bad_input, problem);
  }
  if (options.statistics) {
    analysis_times analysed;
    for (const cfg_worker& w : workers) {
      analysed.add(w.answers->times());
    }
    times.total = seconds(clock::now() - start).count();
    sums.print(stderr, options.file, chosen.algorithm->name, analysed, times);
  }
  return exit_done;
}

} // namespace

command add_cfg_command(CLI::App& app) {
  const auto given = std::make_shared<cfg_options>();
  cfg_options& options = *given;
  CLI::App* const sub = app.add_subcommand("cfg", "Analyse control-flow graphs");
  sub->add_option("FILE", options.file, "functions (.cfg, .cfg.gz); - reads standard input")->required();
  sub->add_option("--only", options.only, "print these kinds of records only, separated by commas: " + kind_names())
      ->type_name("KINDS");
  sub->add_option("--dominators", options.dominators, "dominator algorithm: " + dominator_choice_names(", "))
      ->type_name("NAME")
      ->capture_default_str();
  repeatable(sub->add_option("--function", options.functions, "analyse this function only (repeatable)"))
      ->type_name("NAME");
  sub->add_option("--dot", options.dot_directory, "write a picture of each function for Graphviz: DIR/FUNCTION.dot")
      ->type_name("DIR");
  sub->add_flag("--json", options.json, "print a JSON object for each function, one a line");
  add_split_options(*sub, options.split);
  sub->add_flag("--stats", options.statistics, "print a summary of the functions, and times, to standard error");
  sub->add_option("--roots", options.roots,
                  "which blocks get an edge to the virtual exit for post-dominators: " +
                      root_policy_names(" (default), "))
      ->type_name("POLICY");
  sub->add_option("--roots-from", options.roots_from,
                  "read these blocks from the 'proots' lines of an .expect or .expect.gz file")
      ->type_name("FILE");
  return {.app = sub,
          .run = [given] { return run(*given); },
          .notes = "Results go to standard output as records in .expect format, everything else to standard error.\n",
          .examples = {{"cfg FILE.cfg.gz --only=idom,loop", "dominators and natural loops of each function"},
                       {"cfg FILE.cfg --function=main --dot=pictures", "a picture of one function: pictures/main.dot"},
                       {"cfg FILE.cfg.gz --json --jobs=2", "one JSON object a line, by two threads"},
                       {"cfg FILE.cfg --stats > /dev/null",
                        "how large the functions are, and how long each analysis takes"}},
          .words = {{"--only", split_words(kind_names()), true},
                    {"--dominators", split_words(dominator_choice_names(","))},
                    {"--roots", split_words(root_policy_names(","))}}};
}

} // namespace midend_tool
