/// Random programs through all passes of the tool: what a pass writes can be read, verifies, runs, and gives the same
/// result, and its certificate is accepted.
///
///     midend_random_passes [FIRST [COUNT [SECONDS]]] [--passes=a,b,…] [--skip=a,b,…] [--chain=N] [--directory=DIR]
///                          [--shown=N] [--no-shrink] [--text]
///
/// Runs the programs of the seeds FIRST … FIRST+COUNT-1, each with all passes (or those given), one at a time on the
/// program, and, if the pass wants no variables, on its SSA form; then N passes in a row, chosen by the seed. SECONDS
/// of CPU time is the limit of one pass on one program, with checks and runs. `--text` prints the programs and does
/// nothing else.
///
/// The first N failures (2 by default) of each pass and kind are printed as seed, passes, kind and reason, with the
/// smallest program on which the same happens, which is also written to DIR; of the others, there is the number. Exit
/// status 1 if there is a failure.
#include "kit/program_generator.hpp"
#include "kit/random_programs.hpp"
#include "kit/shrink_program.hpp"

#include "../examples/tool/eir_file.hpp"
#include "../examples/tool/passes.hpp"

#include <midend/elbrus/equal.hpp>
#include <midend/elbrus/run/run_equivalence.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/verify/verifier.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace elbrus = midend::elbrus;
using midend_tests::generated_program;
using midend_tool::chosen_pass;

struct named_pass {
  std::string name;
  chosen_pass pass;
};

using pass_list = std::vector<named_pass>;

struct settings {
  std::uint64_t first = 0;
  std::uint64_t count = 1000;
  double seconds = 2;
  std::size_t chain = 3;
  std::size_t shown = 2;
  bool shrinks = true;
  bool prints_text = false;
  std::string directory;
  pass_list passes;
};

/// What is wrong: a word, by which failures are counted and made smaller, and the reason.
struct failure {
  std::string kind;
  std::string reason;
};

generated_program program_of(std::uint64_t seed) {
  midend_tests::random_program_options options = midend_tests::everything();
  options.operations = 24;
  options.steps = 4000;
  return midend_tests::random_program(seed, midend_tests::varied(options, seed));
}

// ---- One program, some passes.

std::optional<failure> why_not_sound(const elbrus::program& p) {
  if (const auto errors = verify(p); !errors.empty()) {
    return failure{"verifier", errors[0].message};
  }
  for (const elbrus::procedure& one : p.procedures) {
    if (auto problem = midend_tool::check_views(one)) {
      return failure{"check_ir", *problem};
    }
  }
  return std::nullopt;
}

/// The program as it is read again, or why it cannot be.
std::optional<failure> read_again(const elbrus::program& p, elbrus::program& again) {
  const std::string text = to_text(p);
  elbrus::parse_result parsed = elbrus::parse(text);
  if (!parsed.diagnostics.empty()) {
    return failure{"parser", parsed.diagnostics[0].message};
  }
  if (auto problem = why_not_sound(parsed.program)) {
    return failure{"read " + problem->kind, problem->reason};
  }
  if (to_text(parsed.program) != text) {
    return failure{"text", "the program reads and prints as another one"};
  }
  again = std::move(parsed.program);
  return std::nullopt;
}

/// Runs before the passes, kept for all passes.
class run_comparer {
public:
  explicit run_comparer(const generated_program& g) : g_(g) {
    for (std::size_t i = 0; i != g.inputs.size(); ++i) {
      before_.push_back(run_on(g.program, g, i));
    }
  }

  std::optional<failure> why_different(const elbrus::program& after) const {
    for (std::size_t i = 0; i != before_.size(); ++i) {
      const elbrus::run_comparison result = compare_runs(before_[i], run_on(after, g_, i));
      if (result.verdict == elbrus::run_verdict::different) {
        return failure{"run", "input " + std::to_string(i) + ": " + to_text(result)};
      }
    }
    return std::nullopt;
  }

private:
  const generated_program& g_;
  std::vector<elbrus::run_result> before_;
};

/// Why the passes do not keep what they must. As in the tool, a pass that wants no variables does not run on a
/// procedure that has some.
std::optional<failure> why_wrong(const generated_program& g, const run_comparer& runs, const pass_list& passes) {
  elbrus::program p = g.program;
  for (const named_pass& pass : passes) {
    for (elbrus::procedure& one : p.procedures) {
      if (pass.pass.kind->variables == midend_tool::variable_policy::refuses && !one.variables().empty()) {
        continue;
      }
      midend_tool::pass_report report;
      pass.pass.kind->run(one, {.number = pass.pass.number, .certify = true}, report);
      if (report.fault) {
        return failure{"certificate", *report.fault};
      }
    }
    if (auto problem = why_not_sound(p)) {
      return problem;
    }
  }
  elbrus::program again;
  if (auto problem = read_again(p, again)) {
    return problem;
  }
  return runs.why_different(again);
}

bool has_variables(const elbrus::program& p) {
  return std::any_of(p.procedures.begin(), p.procedures.end(),
                     [](const elbrus::procedure& one) { return !one.variables().empty(); });
}

// ---- Steps of a program: number 0 is no pass at all, then each pass, then several in a row.

const named_pass& ssa_pass() {
  static const named_pass pass{"construct-ssa", midend_tool::find_pass("construct-ssa")};
  return pass;
}

std::size_t num_steps(const settings& s) {
  return 1 + 2 * s.passes.size() + (s.chain != 0 ? 1 : 0);
}

/// The passes of a step; nothing if the step would only repeat another.
std::optional<pass_list> passes_of_step(const settings& s, std::uint64_t seed, std::size_t step, bool variables) {
  if (step == 0) {
    return pass_list{};
  }
  --step;
  pass_list out;
  if (step == 2 * s.passes.size()) {
    if (variables) {
      out.push_back(ssa_pass());
    }
    std::uint64_t random = seed * 0x9e37'79b9'7f4a'7c15 + 1;
    for (std::size_t i = 0; i != s.chain; ++i) {
      random = (random ^ random >> 31) * 0xbf58'476d'1ce4'e5b9;
      out.push_back(s.passes[static_cast<std::size_t>((random >> 33) % s.passes.size())]);
    }
    return out;
  }
  const named_pass& pass = s.passes[step / 2];
  const bool refuses = pass.pass.kind->variables == midend_tool::variable_policy::refuses;
  if (step % 2 == 0) { // on the program as it is
    return variables && refuses ? std::nullopt : std::optional(pass_list{pass});
  }
  if (!variables || pass.name.starts_with("construct-ssa")) {
    return std::nullopt;
  }
  return pass_list{ssa_pass(), pass};
}

std::string names_of(const pass_list& passes) {
  std::string out;
  for (const named_pass& pass : passes) {
    out += (out.empty() ? "" : ",") + pass.name;
  }
  return out.empty() ? "no pass" : out;
}

// ---- In a process of its own, with limits.

/// What a process says to the one that started it; in memory of both.
struct message {
  std::uint64_t seed = 0;
  std::size_t step = 0;
  bool failed = false;
  char kind[32] = {};
  char reason[1024] = {};

  void set(const failure& f) {
    failed = true;
    std::snprintf(kind, sizeof kind, "%s", f.kind.c_str());
    std::snprintf(reason, sizeof reason, "%s", f.reason.c_str());
  }
};

message* shared_message() {
  void* const place = mmap(nullptr, sizeof(message), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) {
    std::perror("midend_random_passes: mmap");
    std::exit(2);
  }
  return new (place) message;
}

/// From now on, so many seconds of CPU time are left.
void start_clock(double seconds) {
  itimerval limit{};
  limit.it_value.tv_sec = static_cast<time_t>(seconds);
  limit.it_value.tv_usec = static_cast<suseconds_t>((seconds - static_cast<double>(limit.it_value.tv_sec)) * 1e6);
  setitimer(ITIMER_PROF, &limit, nullptr);
}

/// Runs `work` in another process. Nothing if it ended well, else how it died.
template <class Work> std::optional<failure> in_process(double seconds, Work work) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) {
    std::perror("midend_random_passes: fork");
    std::exit(2);
  }
  if (child == 0) {
#if !defined(__SANITIZE_ADDRESS__)
    const rlimit space{rlim_t{2} << 30, rlim_t{2} << 30};
    setrlimit(RLIMIT_AS, &space);
#endif
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    start_clock(seconds);
    work();
    std::fflush(nullptr);
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    return std::nullopt;
  }
  if (WIFSIGNALED(status)) {
    return WTERMSIG(status) == SIGPROF ? failure{"time", "no end within the limit"}
                                       : failure{"crash", std::string("signal ") + std::to_string(WTERMSIG(status))};
  }
  return failure{"crash", "exit status " + std::to_string(WEXITSTATUS(status))};
}

/// Goes through the steps from the one that the message names, to the first failure.
void run_steps(const settings& s, message& told) {
  for (; told.seed != s.first + s.count; ++told.seed, told.step = 0) {
    const generated_program g = program_of(told.seed);
    const bool variables = has_variables(g.program);
    start_clock(s.seconds);
    const run_comparer runs(g);
    for (; told.step != num_steps(s); ++told.step) {
      if (const std::optional<pass_list> passes = passes_of_step(s, told.seed, told.step, variables)) {
        start_clock(s.seconds);
        if (const auto f = why_wrong(g, runs, *passes)) {
          told.set(*f);
          return;
        }
      }
    }
  }
}

/// The smallest program on which the same kind of failure happens, as text, within a number of attempts.
std::string smallest(const settings& s, generated_program g, const pass_list& passes, const failure& wrong,
                     message& told) {
  pass_list rest = passes;
  if (!rest.empty() && rest.size() > 1 && rest[0].name == "construct-ssa") { // the smaller one has no variables at once
    generated_program ssa = g;
    construct_ssa(ssa.program);
    elbrus::parse_result parsed = elbrus::parse(to_text(ssa.program));
    if (parsed.diagnostics.empty()) {
      ssa.program = std::move(parsed.program);
      rest.erase(rest.begin());
      g = std::move(ssa);
    }
  }
  const auto fails_with = [&](const generated_program& candidate, const pass_list& chosen) {
    told.failed = false;
    const auto died = in_process(s.seconds, [&] {
      const run_comparer runs(candidate);
      if (const auto f = why_wrong(candidate, runs, chosen)) {
        told.set(*f);
      }
    });
    return died ? died->kind == wrong.kind : told.failed && wrong.kind == told.kind;
  };
  if (!fails_with(g, rest)) {
    return "# not shrunk: the SSA form, read again, does not fail\n" + to_report(g);
  }
  for (std::size_t i = rest.size(); i-- != 0 && rest.size() > 1;) { // fewer passes first
    pass_list fewer = rest;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (fails_with(g, fewer)) {
      rest = fewer;
    }
  }
  std::size_t attempts = wrong.kind == "time" ? 60 : 3000;
  g = shrink(std::move(g), [&](const generated_program& candidate) {
    return attempts != 0 && --attempts != 0 && fails_with(candidate, rest);
  });
  return "# passes: " + names_of(rest) + "\n# " + wrong.kind + ": " + wrong.reason + "\n" + to_report(g);
}

/// Prints a small program, and writes it to a file that is called by what is wrong and its seed.
void report(const settings& s, std::string what, std::uint64_t seed, const std::string& text) {
  std::printf("%s\n", text.c_str());
  if (s.directory.empty()) {
    return;
  }
  std::erase(what, ' ');
  std::replace(what.begin(), what.end(), ':', '-');
  if (const auto problem =
          midend_tool::write_text(s.directory + "/" + what + "-" + std::to_string(seed) + ".eir", text)) {
    std::fprintf(stderr, "%s\n", problem->c_str());
  }
}

int run(const settings& s) {
  message& told = *shared_message();
  message& tried = *shared_message();
  told.seed = s.first;
  std::map<std::string, std::size_t> counts; // by pass and kind
  while (told.seed != s.first + s.count) {
    told.failed = false;
    const auto died = in_process(s.seconds, [&] { run_steps(s, told); });
    if (!died && !told.failed) {
      break;
    }
    const failure wrong = died ? *died : failure{told.kind, told.reason};
    const generated_program g = program_of(told.seed);
    const auto passes = passes_of_step(s, told.seed, told.step, has_variables(g.program));
    const bool is_chain = s.chain != 0 && told.step + 1 == num_steps(s);
    const std::string names = names_of(*passes);
    const std::string what = (is_chain ? "chain" : passes->empty() ? names : passes->back().name) + ": " + wrong.kind;
    if (++counts[what] <= s.shown) {
      std::printf("seed %llu: %s: %s: %s\n", static_cast<unsigned long long>(told.seed), names.c_str(),
                  wrong.kind.c_str(), wrong.reason.c_str());
      if (s.shrinks) {
        report(s, what, told.seed, smallest(s, g, *passes, wrong, tried));
      }
    }
    told.step = passes->empty() ? num_steps(s) - 1 : told.step; // a program that is wrong by itself
    std::fflush(stdout);
    if (++told.step == num_steps(s)) {
      told.step = 0;
      ++told.seed;
    }
  }
  std::size_t all = 0;
  for (const auto& [what, count] : counts) {
    std::printf("%6zu %s\n", count, what.c_str());
    all += count;
  }
  std::printf("%llu programs, %zu passes, %zu failures\n", static_cast<unsigned long long>(s.count), s.passes.size(),
              all);
  return all == 0 ? 0 : 1;
}

[[noreturn]] void complain(const std::string& what) {
  std::fprintf(stderr, "midend_random_passes: %s\n", what.c_str());
  std::exit(2);
}

std::uint64_t number(std::string_view text) {
  std::uint64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size()) {
    complain("'" + std::string(text) + "' is no number");
  }
  return out;
}

pass_list passes_called(std::string_view names) {
  pass_list out;
  while (!names.empty()) {
    const std::size_t comma = std::min(names.find(','), names.size());
    const std::string_view name = names.substr(0, comma);
    names.remove_prefix(std::min(comma + 1, names.size()));
    out.push_back({std::string(name), midend_tool::find_pass(name)});
    if (out.back().pass.kind == nullptr) {
      complain("unknown pass '" + std::string(name) + "'");
    }
  }
  return out;
}

/// All passes of the tool, and some with numbers.
pass_list all_passes() {
  pass_list out;
  for (const midend_tool::pass_kind& kind : midend_tool::pass_kinds()) {
    out.push_back({std::string(kind.name), {&kind, std::nullopt}});
  }
  for (const char* const name :
       {"unroll:2", "unroll:full", "unroll:3+as-written", "unroll:full+as-written", "unroll:3+prologue",
        "unroll:4+unrolled-remainder", "unroll:5+prologue+as-written", "peel:2", "rotate:40",
        "sccp:branch-facts+any-undef", "sccp:strided+branch-facts+any-undef"}) {
    out.push_back({name, midend_tool::find_pass(name)});
  }
  return out;
}

settings read(int argc, char** argv) {
  settings s;
  pass_list skipped;
  int place = 0;
  for (int i = 1; i != argc; ++i) {
    const std::string_view text = argv[i];
    const auto after = [&](std::string_view option) { return text.substr(option.size()); };
    if (text.starts_with("--passes=")) {
      s.passes = passes_called(after("--passes="));
    } else if (text.starts_with("--skip=")) {
      skipped = passes_called(after("--skip="));
    } else if (text.starts_with("--chain=")) {
      s.chain = static_cast<std::size_t>(number(after("--chain=")));
    } else if (text.starts_with("--shown=")) {
      s.shown = static_cast<std::size_t>(number(after("--shown=")));
    } else if (text.starts_with("--directory=")) {
      s.directory = after("--directory=");
    } else if (text == "--no-shrink") {
      s.shrinks = false;
    } else if (text == "--text") {
      s.prints_text = true;
    } else if (text.starts_with("--")) {
      complain("unknown option '" + std::string(text) + "'");
    } else if (place == 0) {
      s.first = number(text);
      ++place;
    } else if (place == 1) {
      s.count = number(text);
      ++place;
    } else {
      s.seconds = static_cast<double>(number(text));
      ++place;
    }
  }
  if (s.passes.empty()) {
    s.passes = all_passes();
  }
  std::erase_if(s.passes, [&](const named_pass& pass) {
    return std::any_of(skipped.begin(), skipped.end(), [&](const named_pass& one) { return one.name == pass.name; });
  });
  if (s.passes.empty()) {
    complain("no passes");
  }
  return s;
}

} // namespace

int main(int argc, char** argv) {
  const settings s = read(argc, argv);
  if (s.prints_text) {
    for (std::uint64_t seed = s.first; seed != s.first + s.count; ++seed) {
      std::printf("# seed %llu\n%s", static_cast<unsigned long long>(seed),
                  midend_tests::to_report(program_of(seed)).c_str());
    }
    return 0;
  }
  return run(s);
}
