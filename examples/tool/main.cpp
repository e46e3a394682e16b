// midend: the library from the command line. `midend --help` lists the commands.
#include "command_help.hpp"
#include "commands.hpp"
#include "eir_file.hpp"
#include "messages.hpp"
#include "shell_commands.hpp"
#include "usage_errors.hpp"

#include <midend/version.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <new>
#include <string>
#include <vector>

namespace {

#define MIDEND_TOOL_TEXT_OF(x) #x
#define MIDEND_TOOL_TEXT(x) MIDEND_TOOL_TEXT_OF(x)
constexpr const char* version_line = "midend " MIDEND_TOOL_TEXT(MIDEND_VERSION_MAJOR) "." MIDEND_TOOL_TEXT(
    MIDEND_VERSION_MINOR) "." MIDEND_TOOL_TEXT(MIDEND_VERSION_PATCH);

using namespace midend_tool;

exit_status print(const std::string& text) {
  const auto problem = write_text("-", text);
  return problem ? complain(exit_bad_input, *problem) : exit_done;
}

exit_status run(int argc, char** argv) {
  CLI::App app("the middle end of an optimizing compiler, from the command line", "midend");
  app.set_help_flag("-h,--help", "print this and exit");
  app.set_version_flag("--version", version_line, "print the version and exit");
  app.require_subcommand(1);
  std::vector<command> commands = {add_cfg_command(app),    add_opt_command(app),      add_run_command(app),
                                   add_unroll_command(app), add_schedule_command(app), add_report_command(app)};
  commands.push_back(add_completion_command(app, commands));
  commands.push_back(add_man_command(app, commands, version_line));
  if (argc < 2) {
    return complain(exit_bad_usage, "midend: which command?\n\n" + help_text(app, commands));
  }
  const auto parsed = [&] {
    return std::find_if(commands.begin(), commands.end(), [](const command& c) { return c.app->parsed(); });
  };
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion&) {
    return print(std::string(version_line) + "\n");
  } catch (const CLI::CallForHelp&) {
    return print(parsed() == commands.end() ? help_text(app, commands) : help_text(*parsed()));
  } catch (const CLI::ParseError& error) {
    const std::string name = parsed() == commands.end() ? "midend" : "midend " + parsed()->app->get_name();
    return complain(exit_bad_usage, usage_error(error, app, commands) + "\nRun `" + name + " --help` for its options.");
  }
  return parsed()->run();
}

} // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    return complain(exit_bad_input, "midend: error: out of memory");
  }
}
