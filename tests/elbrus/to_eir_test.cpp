// to_eir: flat programs as procedures of the Elbrus-like IR, which verify, can be read again, and run as the program.
#include "kit/cases_of_edges.hpp"
#include "kit/parsed_procedure.hpp"
#include "kit/program_generator.hpp"
#include "kit/random_programs.hpp"
#include "kit/semantic_ir.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/equal.hpp>
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/to_eir.hpp>
#include <midend/elbrus/verify/verifier.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/ir/frozen.hpp>
#include <midend/ssa/check_ir.hpp>
#include <midend/transform/remove_dead_code.hpp>
#include <midend/viz/eir_refusals.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using elbrus::eir_refusal;
using midend::flat_program;
using midend::frozen;
using midend::no_node;

namespace {

/// What is wrong with a converted program in itself, or nothing: it verifies, and its text is read as the same program.
std::string why_unsound(const elbrus::program& p) {
  for (const elbrus::diagnostic& error : verify(p)) {
    return error.message;
  }
  const elbrus::parse_result again = elbrus::parse(to_text(p));
  if (!again) {
    return again.diagnostics[0].message;
  }
  return difference(p, again.program);
}

/// The number at the end of a text.
std::uint32_t number_after(std::string_view text, std::size_t place) {
  std::uint32_t number = 0;
  std::from_chars(text.data() + place, text.data() + text.size(), number);
  return number;
}

/// An event of a run, apart from how addresses are typed.
struct seen_event {
  elbrus::event_kind kind;
  std::string callee;
  std::vector<std::uint64_t> arguments;
  std::uint64_t result;

  friend bool operator==(const seen_event&, const seen_event&) = default;
};

/// Gives the externals of a converted procedure the meaning that they have in the original.
class externals_of {
public:
  explicit externals_of(const elbrus::procedure& original) : original_(original) {}

  elbrus::host_answer operator()(const elbrus::host_call& call) const {
    if (is_exit(call.callee)) {
      return elbrus::host_answer::done();
    }
    if (const std::optional<midend::value_id> v = origin(call.callee)) {
      if (original_.core(*v).code != elbrus::opcode::call || original_.core(*v).type != call.result) {
        return elbrus::host_answer::unknown();
      }
      return random_program_host({callee(*v), call.arguments, call.result, call.arrays});
    }
    // The identities of `cost_view` say which operation it is, with its types.
    const std::uint32_t identity = number_after(call.callee, call.callee.rfind('_') + 1);
    elbrus::value_core record;
    record.code = static_cast<elbrus::opcode>((identity >> 16) - 1);
    record.type = static_cast<elbrus::type>(identity >> 8 & 0xff);
    record.operand_type = static_cast<elbrus::type>(identity & 0xff);
    std::vector<std::uint64_t> bits;
    for (const elbrus::scalar& a : call.arguments) {
      bits.push_back(a.bits);
    }
    const auto result = elbrus::detail::fold_arguments(record, bits);
    return result ? elbrus::host_answer::of(*result) : elbrus::host_answer::stop();
  }

  static bool is_exit(std::string_view callee) { return callee.substr(0, 5) == "exit_"; }

  /// The operation of the original that the external stands for, if it is one with an effect.
  static std::optional<midend::value_id> origin(std::string_view callee) {
    const std::size_t last = callee.rfind('_') + 1;
    return callee[last] == 'v' ? std::optional(number_after(callee, last + 1)) : std::nullopt;
  }

  std::string_view callee(midend::value_id v) const { return original_.text(original_.call(v).callee); }

private:
  const elbrus::procedure& original_;
};

seen_event seen(const elbrus::event_trace::event& e) {
  seen_event out{e.kind, std::string(e.callee), {}, e.result.bits};
  for (const elbrus::scalar& a : e.arguments) {
    out.arguments.push_back(a.bits);
  }
  return out;
}

std::vector<seen_event> events_of(const elbrus::run_result& run) {
  std::vector<seen_event> out;
  for (std::size_t i = 0; i != run.events.size(); ++i) {
    out.push_back(seen(run.events[i]));
  }
  return out;
}

struct run_counts {
  std::size_t same = 0;
  std::size_t trapped = 0;
  std::size_t no_verdict = 0;
};

/// Why the run of a converted procedure does not show what the original did, or nothing.
std::string why_different(const elbrus::procedure& original, const elbrus::run_result& before,
                          const elbrus::run_result& after, run_counts& counts) {
  const auto limited = [](const elbrus::run_result& r) { return r.trap && elbrus::is_limit(r.trap->kind); };
  if (limited(before) || limited(after)) {
    ++counts.no_verdict;
    return limited(before) && limited(after) ? "" : "only one run reaches a limit";
  }
  const externals_of externals(original);
  const std::vector<seen_event> expected = events_of(before);
  std::vector<seen_event> found;
  std::optional<seen_event> exit;
  for (seen_event e : events_of(after)) {
    if (exit) {
      return "something happens after the exit";
    }
    if (externals_of::is_exit(e.callee)) {
      exit = e;
    } else if (e.kind != elbrus::event_kind::call) {
      found.push_back(e);
    } else if (const auto v = externals_of::origin(e.callee)) {
      e.callee = externals.callee(*v);
      found.push_back(e);
    }
  }
  if (before.trap) {
    ++counts.trapped;
    return found.size() >= expected.size() && std::equal(expected.begin(), expected.end(), found.begin())
               ? ""
               : "other events before the trap";
  }
  ++counts.same;
  if (after.trap) {
    return "a trap, " + std::string(name_of(after.trap->kind));
  }
  if (found != expected) {
    return "other events";
  }
  if (!exit || exit->arguments.size() != (before.value ? 1u : 0u) ||
      (before.value && exit->arguments[0] != before.value->bits)) {
    return "another value at the exit";
  }
  return elbrus::detail::compare_memories(before.memory, after.memory).verdict == elbrus::run_verdict::same
             ? ""
             : "another memory";
}

/// Runs the original and what it was converted to, on all inputs.
std::string why_runs_differ(const elbrus::program& original, const elbrus::program& converted,
                            const generated_program& g, run_counts& counts) {
  const elbrus::procedure& p = original.procedures[g.entry];
  for (std::size_t i = 0; i != g.inputs.size(); ++i) {
    elbrus::run_options options;
    options.step_limit = 2 * g.step_bound + 1000;
    options.host = externals_of(p);
    const elbrus::run_result after =
        elbrus::interpreter(converted).run(0, g.inputs[i].arguments, g.inputs[i].memory, options);
    const std::string why = why_different(p, run_on(original, g, i), after, counts);
    if (!why.empty()) {
      return "input " + std::to_string(i) + ": " + why;
    }
  }
  return {};
}

/// Everything but calls of other procedures, which the host cannot do.
random_program_options one_procedure() {
  random_program_options options = everything();
  options.procedures = 1;
  return options;
}

/// Random programs, converted and run. `change(procedure)` is called first.
template <class Change>
run_counts convert_and_run(std::size_t count, const random_program_options& options, Change change) {
  run_counts counts;
  std::size_t programs = 0;
  for_each_random_program(count, options, [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program original = g.program;
    elbrus::construct_ssa(original);
    elbrus::procedure& p = original.procedures[g.entry];
    change(p);
    const elbrus::to_eir_result converted = elbrus::to_eir(frozen(elbrus::cost_view(p)), "converted");
    REQUIRE_MESSAGE(converted, "seed ", seed, ": ", elbrus::to_text(converted.refusal), "\n", to_text(p));
    std::string why = why_unsound(converted.program);
    if (why.empty()) {
      why = why_runs_differ(original, converted.program, g, counts);
    }
    REQUIRE_MESSAGE(why.empty(), "seed ", seed, ": ", why, "\n", to_text(p), to_text(converted.program));
    ++programs;
  });
  CHECK(programs == affordable(count));
  return counts;
}

std::string converted_text(const flat_program& p) {
  const elbrus::to_eir_result converted = elbrus::to_eir(p, "f");
  REQUIRE_MESSAGE(converted, elbrus::to_text(converted.refusal));
  CHECK(why_unsound(converted.program) == "");
  return to_text(converted.program);
}

std::string converted_text(std::string_view text) {
  const parsed_procedure p(text);
  return converted_text(frozen(elbrus::cost_view(p.procedure())));
}

} // namespace

TEST_CASE("to_eir: random programs verify, are read again and run equally: floating point") {
  random_program_options options = one_procedure();
  options.speculation = false; // an external does not pass on diagnostic values
  const run_counts counts = convert_and_run(1500, options, [](elbrus::procedure&) {});
  CHECK(counts.same > 2 * affordable(1500));
}

TEST_CASE("to_eir: random programs verify, are read again and run equally: speculation") {
  random_program_options options = one_procedure();
  options.floats = false;
  const run_counts counts = convert_and_run(1500, options, [](elbrus::procedure&) {});
  CHECK(counts.same > 2 * affordable(1500));
  CHECK(counts.trapped > affordable(1500) / 50);
  CHECK(counts.no_verdict > 0);
}

TEST_CASE("to_eir: random programs after edits, which leave erased nodes, edges and values") {
  random_program_options options = one_procedure();
  options.floats = false;
  const run_counts counts = convert_and_run(300, options, [](elbrus::procedure& p) {
    elbrus::cost_editor e(p);
    midend::remove_dead_code(e);
  });
  CHECK(counts.same > affordable(300));
}

TEST_CASE("to_eir: the sample programs") {
  std::size_t procedures = 0;
  for (const auto& entry : std::filesystem::directory_iterator(MIDEND_TEST_DATA "/../../examples/programs")) {
    if (entry.path().extension() != ".eir") {
      continue;
    }
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    elbrus::program all = program_of(text);
    elbrus::construct_ssa(all);
    for (const elbrus::procedure& p : all.procedures) {
      const elbrus::to_eir_result converted = elbrus::to_eir(frozen(elbrus::cost_view(p)));
      REQUIRE_MESSAGE(converted, p.name(), ": ", elbrus::to_text(converted.refusal));
      const std::string why = why_unsound(converted.program);
      CHECK_MESSAGE(why.empty(), p.name(), ": ", why);
      ++procedures;
    }
  }
  CHECK(procedures > 80);
}

TEST_CASE("to_eir: a loop as people see it") {
  CHECK(converted_text(R"(
proc @f(%a: ptr, %x: i32, %y: f64) -> i32 {
  node entry:
    br loop
  node loop count=50 hint trip=avg:5:
    %i = phi.i32 [entry: 0], [loop: %i1]
    %s = phi.i32 [entry: 0], [loop: %s3]
    %z = phi.f64 [entry: %y], [loop: %z1]
    %v = ld.i32 [%a + %i*4 + 8] alias=A
    %s1 = add.i32 %s, %v assoc
    %p = cmp.eq.i32 %i, 3
    %s2 = shl.i32 %s1, 1 ? ~%p : %s1
    %z1 = fadd.f64 %z, 0.5
    st.f64 %z1, [%a] ? %p
    %s3 = call.i32 @mix(%s2, %z1) clobbers=A
    call @note(7)
    %i1 = add.i32 %i, 1 nsw
    %q = cmp.lt.i32 %i1, 5
    br %q ? loop(0.8) : exit(0.2)
  node exit:
    ret %s3
}
)") == R"(proc @f(%v0: ptr, %v1: i32, %v2: f64) {
}
)");
}
