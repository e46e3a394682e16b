// midend: the library from the command line. `midend --help` lists the commands.
#include "commands.hpp"

#include <midend/version.hpp>

#include <CLI/CLI.hpp>

#include <array>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <new>

namespace {

#define MIDEND_TOOL_TEXT_OF(x) #x
#define MIDEND_TOOL_TEXT(x) MIDEND_TOOL_TEXT_OF(x)
constexpr const char* version_line = "midend " MIDEND_TOOL_TEXT(MIDEND_VERSION_MAJOR) "." MIDEND_TOOL_TEXT(
    MIDEND_VERSION_MINOR) "." MIDEND_TOOL_TEXT(MIDEND_VERSION_PATCH);

int run(int argc, char** argv) {
  CLI::App app("midend: the middle end of an optimizing compiler, from the command line", "midend");
  app.set_version_flag("--version", version_line);
  app.require_subcommand(1);
  app.footer("'midend COMMAND --help' explains a command.");
  const std::array commands = {midend_tool::add_cfg_command(app), midend_tool::add_opt_command(app),
                               midend_tool::add_run_command(app), midend_tool::add_unroll_command(app),
                               midend_tool::add_report_command(app)};
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const auto left = app.remaining();
    if (error.get_exit_code() != 0 && app.get_subcommands().empty() && !left.empty()) {
      std::fprintf(stderr, "midend: unknown command '%s'\nRun with --help for more information.\n", left[0].c_str());
      return midend_tool::exit_bad_usage;
    }
    return app.exit(error, std::cout, std::cerr) == 0 ? midend_tool::exit_done : midend_tool::exit_bad_usage;
  }
  for (const midend_tool::command& c : commands) {
    if (c.app->parsed()) {
      return c.run();
    }
  }
  return midend_tool::exit_bad_usage; // unreachable: one command is required
}

} // namespace

int main(int argc, char** argv) {
#ifdef SIGPIPE
  std::signal(SIGPIPE, SIG_IGN); // a closed pipe becomes a write error, which gets a message
#endif
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("midend: error: out of memory\n", stderr);
    return midend_tool::exit_bad_input;
  }
}
