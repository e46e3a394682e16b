// midend: the library from the command line. `midend --help` says what there is.
#include "analysis.hpp"
#include "cfg_command.hpp"
#include "kinds.hpp"
#include "roots.hpp"

#include <midend/version.hpp>

#include <CLI/CLI.hpp>

#include <csignal>
#include <cstdio>
#include <iostream>
#include <new>

namespace {

using midend_tool::cfg_options;

#define MIDEND_TOOL_TEXT_OF(x) #x
#define MIDEND_TOOL_TEXT(x) MIDEND_TOOL_TEXT_OF(x)
constexpr const char* version_line = "midend " MIDEND_TOOL_TEXT(MIDEND_VERSION_MAJOR) "." MIDEND_TOOL_TEXT(
    MIDEND_VERSION_MINOR) "." MIDEND_TOOL_TEXT(MIDEND_VERSION_PATCH);

CLI::App* add_cfg(CLI::App& app, cfg_options& options) {
  CLI::App* const cfg = app.add_subcommand("cfg", "Analyse the control-flow graphs of a .cfg or .cfg.gz file");
  cfg->footer("Records in the .expect format of the corpus go to standard output, everything else to standard error.\n"
              "Exit status: 0 done, 1 the input is bad or the output cannot be written, 2 wrong usage.");
  cfg->add_option("FILE", options.file, "the functions, plain or gzip")->required();
  cfg->add_option("--only", options.only, "kinds of answers, separated by commas: " + midend_tool::kind_names())
      ->type_name("KINDS");
  cfg->add_option("--dominators", options.dominators, "the algorithm: " + midend_tool::dominator_choice_names(", "))
      ->type_name("NAME")
      ->capture_default_str();
  cfg->add_option("--function", options.functions, "this function only; may be given several times")
      ->type_name("NAME")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  cfg->add_option("--dot", options.dot_directory, "draw each function into a file DIR/FUNCTION.dot for Graphviz")
      ->type_name("DIR");
  cfg->add_flag("--stats", options.statistics, "print a summary of the functions and the times taken");
  cfg->add_option("--roots", options.roots,
                  "which blocks lead to the virtual exit of the post-dominator tree: " +
                      midend_tool::root_policy_names(" (default), "))
      ->type_name("POLICY");
  cfg->add_option("--roots-from", options.roots_from,
                  "take the 'proots' lines of an .expect or .expect.gz file instead")
      ->type_name("FILE");
  return cfg;
}

/// A command of a later version: it has a help, and whatever is asked of it ends with a clear message.
CLI::App* add_later(CLI::App& app, const char* name, const char* what) {
  CLI::App* const later = app.add_subcommand(name, std::string(what) + " (not built yet)");
  later->footer("This command comes with a later version of midend.");
  later->allow_extras()->prefix_command();
  return later;
}

int run(int argc, char** argv) {
  CLI::App app("midend: the middle end of an optimizing compiler, from the command line", "midend");
  app.set_version_flag("--version", version_line);
  app.require_subcommand(1);
  app.footer("midend COMMAND --help says more of each command.");

  cfg_options options;
  options.dominators = midend_tool::dominator_choices().front().name;
  const CLI::App* const cfg = add_cfg(app, options);
  add_later(app, "opt", "Optimise a file of Elbrus IR");
  add_later(app, "run", "Run a procedure of a file of Elbrus IR");
  add_later(app, "unroll", "Say of every loop how to unroll it, and why");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error, std::cout, std::cerr) == 0 ? midend_tool::exit_done : midend_tool::exit_bad_usage;
  }
  if (cfg->parsed()) {
    options.only_given = cfg->get_option("--only")->count() != 0;
    return midend_tool::run_cfg(options);
  }
  std::fprintf(stderr, "midend: '%s' is not built yet, it comes with a later version\n",
               app.get_subcommands().front()->get_name().c_str());
  return midend_tool::exit_bad_usage;
}

} // namespace

int main(int argc, char** argv) {
#ifdef SIGPIPE
  std::signal(SIGPIPE, SIG_IGN); // a reader that goes away is a write error with a message
#endif
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("midend: error: out of memory\n", stderr);
    return midend_tool::exit_bad_input;
  }
}
