/// The commands of the tool: each registers its options and says how to run it.
#pragma once

#include "exit_status.hpp"

#include <functional>

namespace CLI {
class App;
} // namespace CLI

namespace midend_tool {

/// A command that was added to the command line. `run` uses the options that were parsed.
struct command {
  const CLI::App* app;
  std::function<exit_status()> run;
};

command add_cfg_command(CLI::App& app);
command add_opt_command(CLI::App& app);
command add_report_command(CLI::App& app);
command add_run_command(CLI::App& app);
command add_unroll_command(CLI::App& app);

} // namespace midend_tool
