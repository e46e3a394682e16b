// midend: the library from the command line. `midend --help` says what there is.
#include "analysis.hpp"
#include "cfg_command.hpp"
#include "kinds.hpp"
#include "machine_choice.hpp"
#include "opt_command.hpp"
#include "passes.hpp"
#include "prints.hpp"
#include "roots.hpp"
#include "run_command.hpp"
#include "unroll_command.hpp"

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

/// An option that may be given several times, with one value each time: what stands behind that is something else.
CLI::Option* repeatable(CLI::Option* option) {
  return option->expected(1)->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

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
  repeatable(cfg->add_option("--function", options.functions, "this function only; may be given several times"))
      ->type_name("NAME");
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

CLI::App* add_run(CLI::App& app, midend_tool::run_command_options& options) {
  CLI::App* const run = app.add_subcommand("run", "Run a procedure of a file of Elbrus IR");
  run->footer(
      "Arguments have the types of the procedure's parameters; '@NAME' is the address of a memory. The value and\n"
      "the memories that have changed go to standard output; programs may call @print(...), @putchar(c) and\n"
      "@abort().\n"
      "Exit status: 0 done, 1 the input is bad, the run traps or a file cannot be written, 2 wrong usage.");
  run->add_option("FILE", options.file, "the program")->required();
  run->add_option("PROCEDURE", options.procedure, "which one to run: @NAME")->required();
  run->add_option("ARGUMENTS", options.arguments, "what to give it");
  repeatable(
      run->add_option("--memory", options.memories, "an array: NAME:TYPE:v,v,... where v*COUNT stands for as many"))
      ->type_name("ARRAY");
  run->add_option("--profile-out", options.profile_file, "write the program with the counts of this run")
      ->type_name("FILE");
  run->add_option("--step-limit", options.step_limit, "the most operations to execute")
      ->type_name("N")
      ->capture_default_str();
  run->add_option("--call-depth", options.call_depth, "the most calls within each other")
      ->type_name("N")
      ->capture_default_str();
  run->add_flag("--stats", options.statistics, "print operations, time and calls to standard error");
  return run;
}

/// What there is, a line each.
template <class Kinds> std::string listed(const char* title, const Kinds& kinds) {
  std::string out = title;
  for (const auto& kind : kinds) {
    out += "\n  ";
    out += kind.name;
    out.append(kind.name.size() < 26 ? 26 - kind.name.size() : 1, ' ');
    out += kind.summary;
  }
  return out + "\n";
}

CLI::App* add_opt(CLI::App& app, midend_tool::opt_options& options) {
  CLI::App* const opt = app.add_subcommand("opt", "Optimise a file of Elbrus IR");
  opt->footer(listed("Passes, which run on each procedure in the order given:", midend_tool::pass_kinds()) +
              listed("Reports:", midend_tool::report_kinds()) +
              "The program goes to standard output unless -o, --print, --explain or --dot is given.\n"
              "Exit status: 0 done, 1 the input is bad or the output cannot be written, 2 wrong usage.");
  opt->add_option("FILE", options.file, "the program; - is standard input")->required();
  opt->add_option("--passes", options.passes, "what to do, separated by commas")->type_name("PASSES");
  opt->add_option("--print", options.prints, "reports on the result, separated by commas")->type_name("REPORTS");
  repeatable(opt->add_option("--explain", options.explained,
                             "why so much is known of this value by the first sccp pass; may be given several times"))
      ->type_name("%VALUE");
  opt->add_option("-o,--output", options.output, "write the program to this file; - is standard output")
      ->type_name("FILE");
  repeatable(opt->add_option("--procedure", options.procedures, "this procedure only; may be given several times"))
      ->type_name("NAME");
  opt->add_option("--dot", options.dot_directory, "draw each procedure into a file DIR/PROCEDURE.dot for Graphviz")
      ->type_name("DIR");
  opt->add_flag("--stats", options.statistics, "print what each pass has done to standard error");
  opt->add_flag("--verify-each", options.verify_each, "verify the program after each pass");
  return opt;
}

CLI::App* add_unroll(CLI::App& app, midend_tool::unroll_options& options) {
  CLI::App* const unroll =
      app.add_subcommand("unroll", "Say of every loop of a file of Elbrus IR how to unroll it, and why");
  unroll->footer("Cycles are lower bounds. Machines: " + midend_tool::machine_names() +
                 ", or a file (docs/machine-model.md).\n"
                 "Exit status: 0 done, 1 the input is bad or the output cannot be written, 2 wrong usage.");
  const CLI::Range factors(1U, 1024U);
  unroll->add_option("FILE", options.file, "the program; - is standard input")->required();
  unroll->add_option("--machine", options.machine, "the machine, by name or as a file")
      ->type_name("NAME|FILE")
      ->capture_default_str();
  unroll->add_flag("--json", options.json, "print JSON");
  repeatable(unroll->add_option("--procedure", options.procedures, "this procedure only; may be given several times"))
      ->type_name("NAME");
  unroll->add_option("--loop", options.loop, "the loops with this header only")->type_name("HEADER");
  unroll->add_option("--chart", options.chart, "draw cycles and bytes over the factor, of one loop, as SVG")
      ->type_name("FILE");
  unroll->add_option("--factor", options.factor, "unroll by this factor where that is legal")
      ->type_name("U")
      ->check(factors);
  unroll->add_option("--kinds", options.kinds, "what is allowed: full, partial, runtime, uncounted, peel (all)")
      ->type_name("KINDS");
  unroll
      ->add_option("--remainder", options.remainder, "where iterations that are left go: epilogue, prologue, mid-exit")
      ->type_name("PLACE")
      ->capture_default_str();
  unroll->add_option("--max-factor", options.max_factor, "the largest factor")
      ->type_name("U")
      ->check(factors)
      ->capture_default_str();
  unroll->add_option("--max-operations", options.max_operations, "the most operations of a new body")
      ->type_name("N")
      ->check(CLI::Range(0U, 1000000000U))
      ->capture_default_str();
  unroll->add_option("--max-bytes", options.max_bytes, "the most bytes of code")
      ->type_name("N")
      ->check(CLI::Range(0U, 1000000000U))
      ->capture_default_str();
  unroll->add_option("--least-gain", options.least_gain, "the least (fall in cycles) / log2(ratio of bytes)")
      ->type_name("X")
      ->check(CLI::Range(0.0, 1000.0))
      ->capture_default_str();
  unroll->add_option("--assumed-trip", options.assumed_trip, "iterations of a loop about which nothing is known")
      ->type_name("N")
      ->check(CLI::Range(1U, 1000000000U))
      ->capture_default_str();
  unroll->add_flag("--no-reassociation", options.no_reassociation, "do not group sums anew");
  unroll->add_flag("--hardware-counter", options.hardware_counter, "counting the iterations takes no operations");
  unroll->add_flag("--divide-by-multiplying", options.divide_by_multiplying,
                   "divisions by constants are multiplications and shifts");
  return unroll;
}

int run(int argc, char** argv) {
  CLI::App app("midend: the middle end of an optimizing compiler, from the command line", "midend");
  app.set_version_flag("--version", version_line);
  app.require_subcommand(1);
  app.footer("midend COMMAND --help says more of each command.");

  cfg_options options;
  options.dominators = midend_tool::dominator_choices().front().name;
  const CLI::App* const cfg = add_cfg(app, options);
  midend_tool::opt_options opt_options;
  const CLI::App* const opt_command = add_opt(app, opt_options);
  midend_tool::run_command_options run_options;
  const CLI::App* const run_command = add_run(app, run_options);
  midend_tool::unroll_options unroll_options;
  add_unroll(app, unroll_options);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error, std::cout, std::cerr) == 0 ? midend_tool::exit_done : midend_tool::exit_bad_usage;
  }
  if (cfg->parsed()) {
    options.only_given = cfg->get_option("--only")->count() != 0;
    return midend_tool::run_cfg(options);
  }
  if (opt_command->parsed()) {
    return midend_tool::run_opt(opt_options);
  }
  if (run_command->parsed()) {
    return midend_tool::run_run(run_options);
  }
  return midend_tool::run_unroll(unroll_options);
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
