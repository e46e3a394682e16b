#include "commands.hpp"

#include "eir_file.hpp"
#include "messages.hpp"
#include "option_list.hpp"
#include "output.hpp"
#include "report_json.hpp"
#include "run_input.hpp"
#include "text.hpp"

#include <midend/elbrus/literal.hpp>
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/run/profile.hpp>
#include <midend/elbrus/run/trap_text.hpp>
#include <midend/elbrus/text/printer.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace midend_tool {
namespace {

/// The options on the command line.
struct run_command_options {
  std::string file;
  std::string procedure;
  std::vector<std::string> arguments;
  std::vector<std::string> memories; ///< NAME:TYPE:v,v,…
  std::string profile_file;          ///< empty: none is written
  std::uint64_t step_limit = 1'000'000'000;
  std::size_t call_depth = 1'000'000;
  bool statistics = false;
  bool json = false;
  bool check_classes = false;
};

using namespace midend::elbrus;

/// What programs may call: `@print(…)` writes its arguments in a line, `@putchar(c)` a byte, `@abort()` ends the run.
host_functions tool_functions(output& out) {
  return [&out](const host_call& call) {
    if (call.callee == "print" && call.result == type::none) {
      std::string line;
      for (const scalar& argument : call.arguments) {
        line += line.empty() ? "" : " ";
        append_scalar(line, argument);
      }
      out.text(line + "\n");
      return host_answer::done();
    }
    if (call.callee == "putchar" && call.arguments.size() == 1 && call.result == type::none) {
      out.character(static_cast<char>(call.arguments[0].bits & 0xff));
      return host_answer::done();
    }
    return call.callee == "abort" && call.arguments.empty() ? host_answer::stop() : host_answer::unknown();
  };
}

std::string trap_message(const std::string& file, const program& all, const trap& t) {
  const source_location at = location_of(all.procedures, t);
  std::string place = file;
  if (at.line != 0) {
    place += ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
  }
  return place + ": trap: " + text_without_location(all.procedures, t);
}

/// The returned value, one line; then each array that changed.
void print_result(const run_input& input, const run_result& result, output& out) {
  if (result.value) {
    out.text(scalar_text(*result.value) + "\n");
  }
  for (std::size_t i = 0; i != input.arrays.num_arrays(); ++i) {
    const auto before = input.arrays.bytes(i);
    const auto after = result.memory.bytes(i);
    if (!std::equal(before.begin(), before.end(), after.begin(), after.end())) {
      out.text(memory_text(result.memory, i, input.element_types[i]) + "\n");
    }
  }
}

/// The same as one object.
void print_json(const std::string& procedure, const run_input& input, const run_result& result, const std::string& trap,
                const std::string& printed, output& out) {
  std::string text;
  append_json_member(text, "{", "procedure", "@" + procedure);
  if (result.value) {
    append_json_member(text, ",", "type", name_of(result.value->type));
    append_json_member(text, ",", "value", scalar_text(*result.value));
  }
  text += ",\"memory\":[";
  bool is_first = true;
  for (std::size_t i = 0; i != input.arrays.num_arrays(); ++i) {
    const type element = input.element_types[i];
    append_json_member(text, is_first ? "{" : ",{", "name", result.memory.name(i));
    append_json_member(text, ",", "type", name_of(element));
    text += ",\"values\":[";
    for (std::size_t k = 0; k != result.memory.size(i) / bytes_of(element); ++k) {
      text += k == 0 ? "" : ",";
      append_json_string(text, scalar_text(result.memory.element(i, element, k)));
    }
    text += "]}";
    is_first = false;
  }
  append(text, "],\"operations\":", result.executed);
  text += ",\"printed\":\"";
  for (std::string_view rest = printed; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string line;
    append_json_string(line, rest.substr(0, end));
    append(text, std::string_view(line).substr(1, line.size() - 2), end != rest.size() ? "\\n" : "");
    rest.remove_prefix(std::min(rest.size(), end + 1));
  }
  text += '"';
  if (!trap.empty()) {
    append_json_member(text, ",", "trap", trap);
  }
  out.text(text + "}\n");
}

void print_statistics(const program& all, const run_result& result, double seconds) {
  std::fprintf(stderr, "%llu operations in %.3f s", static_cast<unsigned long long>(result.executed), seconds);
  if (seconds > 0) {
    std::fprintf(stderr, ", %.1f million a second", static_cast<double>(result.executed) / seconds / 1e6);
  }
  std::fputc('\n', stderr);
  for (std::size_t i = 0; i != all.procedures.size(); ++i) {
    if (const std::uint64_t calls = result.profile[i].calls; calls != 0) {
      std::fprintf(stderr, "@%s: %llu %s\n", std::string(all.procedures[i].name()).c_str(),
                   static_cast<unsigned long long>(calls), calls == 1 ? "call" : "calls");
    }
  }
  std::fprintf(stderr, "%zu calls of host functions and volatile accesses\n", result.events.size());
}

std::optional<std::string> write_profile_file(const std::string& file, program all, const run_profile& counts) {
  write_profile(all, counts);
  return write_text(file, to_text(all));
}

exit_status run(const run_command_options& options) {
  run_input input;
  if (const auto problem = parse_memories(options.memories, input)) {
    return complain(exit_bad_usage, "midend run: " + *problem);
  }
  const std::optional<program> all = read_program(options.file);
  if (!all) {
    return exit_bad_input;
  }
  interpreter in(*all);
  const std::string name = options.procedure.substr(options.procedure.starts_with('@') ? 1 : 0);
  const std::optional<std::size_t> number = in.find(name);
  if (!number) {
    return complain(exit_bad_input, options.file + ": error: there is no procedure '@" + name + "'");
  }
  if (const auto problem = parse_arguments(all->procedures[*number], options.arguments, input)) {
    return complain(exit_bad_usage, "midend run: " + *problem);
  }

  output out(stdout);
  run_options limits;
  limits.step_limit = options.step_limit;
  limits.call_depth = options.call_depth;
  limits.frame_slots = std::size_t{1} << 26;
  std::string printed; // with --json
  output printed_out(printed);
  limits.host = tool_functions(options.json ? printed_out : out);
  limits.record_events = options.statistics;
  limits.check_classes = options.check_classes;
  const auto start = std::chrono::steady_clock::now();
  const run_result result = in.run(*number, input.arguments, input.arrays, limits);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;

  const std::string trap = result.trap ? trap_message(options.file, *all, *result.trap) : std::string();
  if (options.json) {
    printed_out.flush();
    print_json(name, input, result, trap, printed, out);
  } else if (!result.trap) {
    print_result(input, result, out);
  }
  if (!out.flush()) {
    return complain(exit_bad_input, "midend: error: standard output: " + out.error());
  }
  if (options.statistics) {
    print_statistics(*all, result, seconds.count());
  }
  if (!options.profile_file.empty()) {
    if (const auto problem = write_profile_file(options.profile_file, *all, result.profile)) {
      return complain(exit_bad_input, *problem);
    }
  }
  return result.trap ? complain(exit_bad_input, trap) : exit_done;
}

} // namespace

command add_run_command(CLI::App& app) {
  const auto given = std::make_shared<run_command_options>();
  run_command_options& options = *given;
  CLI::App* const sub = app.add_subcommand("run", "Run a procedure of a program in the Elbrus-like IR");
  sub->add_option("FILE", options.file, "the program (.eir, .eir.gz); - reads standard input")->required();
  sub->add_option("PROCEDURE", options.procedure, "the procedure to run: @NAME")->required();
  sub->add_option("ARGUMENTS", options.arguments, "its arguments");
  repeatable(sub->add_option("--memory", options.memories,
                             "an array: NAME:TYPE:v,v,...; v*COUNT repeats a value (repeatable)"))
      ->type_name("ARRAY");
  sub->add_option("--profile-out", options.profile_file, "write the program with the execution counts of this run")
      ->type_name("FILE");
  sub->add_option("--step-limit", options.step_limit, "stop after this many operations")
      ->type_name("N")
      ->check(whole_number_between(0, 1'000'000'000'000'000'000))
      ->capture_default_str();
  sub->add_option("--call-depth", options.call_depth, "the deepest nesting of calls")
      ->type_name("N")
      ->check(whole_number_between(0, 1'000'000'000))
      ->capture_default_str();
  sub->add_flag("--check-classes", options.check_classes,
                "trap where an access meets what another alias class has stored, or stores what it has accessed");
  sub->add_flag("--json", options.json, "print a JSON object: value, arrays, what the program printed, a trap");
  sub->add_flag("--stats", options.statistics,
                "print the numbers of operations and calls, and the time, to standard error");
  return {.app = sub,
          .run = [given] { return run(*given); },
          .notes =
              "Arguments have the types of the procedure's parameters; @NAME is the address of an array (--memory).\n"
              "The returned value and the changed arrays go to standard output. Programs may call @print(...),\n"
              "@putchar(c) and @abort().\n",
          .examples = {{"run FILE.eir @gcd 12 18", "the returned value"},
                       {"run FILE.eir @sum @a 4 --memory=a:i32:1,2,3,4", "with an array"},
                       {"run FILE.eir @main --profile-out=OUT.eir", "a program with the counts of this run"}},
          .bad_input = "the input is bad, the run traps, or a file cannot be written"};
}

} // namespace midend_tool
