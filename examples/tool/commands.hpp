/// The commands of the tool: each registers its options, describes itself and says how to run.
#pragma once

#include "exit_status.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace midend_tool {

/// A command line and what it does.
struct command_example {
  std::string_view line; ///< without `midend`
  std::string_view what;
};

/// The words that may stand as the value of an option, or of a positional argument.
struct option_words {
  std::string_view option; ///< `--passes`, or the name of a positional
  std::vector<std::string> words;
  bool is_list = false; ///< several, with commas between them
};

/// A command that was added to the command line. `--help`, the manual page and the completion of shells are made from
/// it and from the options of `app`.
struct command {
  CLI::App* app;
  std::function<exit_status()> run; ///< uses the options that were parsed
  std::string notes = {};           ///< paragraphs after the options
  std::vector<command_example> examples = {};
  std::string_view bad_input = "the input is bad, or the output cannot be written"; ///< exit status 1
  std::string_view difference = {};                                                 ///< exit status 3, if there is one
  std::vector<option_words> words = {};
};

command add_cfg_command(CLI::App& app);
command add_opt_command(CLI::App& app);
command add_report_command(CLI::App& app);
command add_run_command(CLI::App& app);
command add_schedule_command(CLI::App& app);
command add_unroll_command(CLI::App& app);

} // namespace midend_tool
