// to_eir: flat programs as procedures of the Elbrus-like IR, which verify, can be read again, and run as the program.
#include "kit/cases_of_edges.hpp"
#include "kit/parsed_procedure.hpp"
#include "kit/program_generator.hpp"
#include "kit/random_programs.hpp"
#include "kit/semantic_ir.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/equal.hpp>
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/run/run_equivalence.hpp>
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
      // Where nothing shows that it is one, a floating-point number is an integer of the same width.
      const elbrus::type result = original_.core(*v).type;
      return original_.core(*v).code == elbrus::opcode::call && width_of(result) == width_of(call.result)
                 ? random_program_host({callee(*v), call.arguments, result, call.arrays})
                 : elbrus::host_answer::unknown();
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
    std::vector<elbrus::scalar> arguments = g.inputs[i].arguments;
    for (std::size_t k = 0; k != arguments.size(); ++k) { // the type of a parameter that is not used is not known
      arguments[k].type = converted.procedures[0].core(converted.procedures[0].parameters()[k]).type;
    }
    const elbrus::run_result after = elbrus::interpreter(converted).run(0, arguments, g.inputs[i].memory, options);
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

namespace {

/// Arguments that most procedures can do something with: addresses of arrays with small numbers, and small numbers.
generated_input some_input(const elbrus::procedure& p) {
  generated_input in;
  const std::vector<std::uint64_t> numbers(2048, 1);
  for (const midend::value_id v : p.parameters()) {
    const elbrus::type t = p.core(v).type;
    const std::uint64_t small = in.arguments.size() % 2 == 0 ? 5 : 3;
    const std::uint64_t bits = t == elbrus::type::ptr ? in.memory.add(p.value_name(v), elbrus::type::i32, numbers)
                               : elbrus::is_float(t)  ? elbrus::float_bits(t, 1.5)
                                                      : small & midend::low_ones(elbrus::width_of(t));
    in.arguments.push_back({t, bits});
  }
  return in;
}

bool calls_another(const elbrus::program& all, const elbrus::procedure& p) {
  for (midend::node_id n = 0; n != p.num_nodes(); ++n) {
    for (const midend::value_id v : p.values(n)) {
      if (p.core(v).code == elbrus::opcode::call && all.find(p.text(p.call(v).callee)) != nullptr) {
        return true;
      }
    }
  }
  return false;
}

} // namespace

TEST_CASE("to_eir: the sample programs") {
  std::size_t procedures = 0;
  run_counts counts;
  for (const auto& entry : std::filesystem::directory_iterator(MIDEND_TEST_DATA "/../../examples/programs")) {
    if (entry.path().extension() != ".eir") {
      continue;
    }
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    elbrus::program all = program_of(text);
    elbrus::construct_ssa(all);
    for (std::size_t i = 0; i != all.procedures.size(); ++i) {
      const elbrus::procedure& p = all.procedures[i];
      const elbrus::to_eir_result converted = elbrus::to_eir(frozen(elbrus::cost_view(p)));
      REQUIRE_MESSAGE(converted, p.name(), ": ", elbrus::to_text(converted.refusal));
      std::string why = why_unsound(converted.program);
      if (why.empty() && !calls_another(all, p)) {
        generated_program g;
        g.entry = i;
        g.inputs.push_back(some_input(p));
        g.step_bound = 200'000;
        why = why_runs_differ(all, converted.program, g, counts);
      }
      CHECK_MESSAGE(why.empty(), p.name(), ": ", why, "\n", to_text(converted.program));
      ++procedures;
    }
  }
  CHECK(procedures > 50);
  CHECK(counts.same > 40);
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
    call @note(i32 7)
    %i1 = add.i32 %i, 1 nsw
    %q = cmp.lt.i32 %i1, 5
    br %q ? loop(0.8) : exit(0.2)
  node exit:
    ret %s3
}
)") == R"(proc @f(%v0: ptr, %v1: i32, %v2: f64) {
  node n0:
    br n1
  node n1 count=50 hint trip=avg:5:
    %v5 = phi.i32 [n0: 0], [n1: %v20]
    %v6 = phi.i32 [n0: 0], [n1: %v17]
    %v7 = phi.f64 [n0: %v2], [n1: %v15]
    %v8 = ld.i32 [%v0 + %v5*4 + 8] alias=m0
    %v9 = add.i32 %v6, %v8 assoc
    %v11 = cmp.eq.i32 %v5, 3
    %v13 = shl.i32 %v9, 1 ? ~%v11 : %v9
    %v15 = call.f64 @other_fp_add_2098944(%v7, f64 0x1p-1) clobbers=none
    st.f64 %v15, [%v0] ? %v11
    %v17 = call.i32 @other_call_v17(%v13, %v15)
    call @other_call_v19(i32 7)
    %v20 = add.i32 %v5, 1 nsw
    %v22 = cmp.lt.i32 %v20, 5
    br %v22 ? n1(0.8) : n2(0.2)
  node n2:
    call @exit_0(%v17)
    ret
}
)");
}

TEST_CASE("to_eir: names of externals") {
  const parsed_procedure p(R"(
proc @f(%x: f64) {
  node entry:
    %y = fadd.f64 %x, 0.5
    %z = call.f64 @sine(%y)
    call @exit_1(%z)
    %w = fsqrt.f64 %z
    ret
}
)");
  const auto name = [](const void* context, value_id v) {
    const auto& original = *static_cast<const elbrus::procedure*>(context);
    const elbrus::opcode code = original.core(v).code;
    return code == elbrus::opcode::call    ? original.text(original.call(v).callee)
           : code == elbrus::opcode::fsqrt ? std::string_view()
                                           : name_of(code);
  };
  const elbrus::to_eir_result converted =
      elbrus::to_eir(frozen(elbrus::cost_view(p.procedure())), "g", {&p.procedure(), name});
  REQUIRE(converted);
  CHECK(why_unsound(converted.program) == "");
  CHECK(to_text(converted.program) == R"(proc @g(%v0: f64) {
  node n0:
    %v2 = call.f64 @fadd(%v0, f64 0x1p-1) clobbers=none
    %v3 = call.f64 @sine(%v2)
    call @other_call_v4(%v3)
    %v5 = call.f64 @other_fp_sqrt_double_2426624(%v3) clobbers=none
    call @exit_0()
    ret
}
)");
}

TEST_CASE("to_eir: cases of edges, in every form") {
  const std::string_view text = R"(
proc @f(%x: i8) -> i32 {
  node entry:
    %high = shr.i8 %x, 2
    switch.i8 %high [0: small], [1: small], [63: large], default: other
  node small:
    %p = phi.i32 [entry: 1], [entry: 2]
    ret %p
  node large:
    ret 3
  node other:
    %odd = trunc.i8.i1 %x
    switch.i1 %odd [0: even], default: uneven
  node even:
    ret 4
  node uneven:
    ret 5
}
)";
  const parsed_procedure p(text);
  const auto check = [&](const auto& ir) {
    const elbrus::to_eir_result converted = elbrus::to_eir(frozen(ir));
    REQUIRE(converted);
    CHECK(why_unsound(converted.program) == "");
    const std::string now = to_text(converted.program);
    CHECK(now.find("[-1: n2], default: n3") != std::string::npos);
    CHECK(now.find("? n5 : n4") != std::string::npos);
    run_counts counts;
    for (std::uint64_t x = 0; x != 256; ++x) {
      const elbrus::scalar arguments[] = {{elbrus::type::i8, x}};
      elbrus::run_options options;
      options.host = externals_of(p.procedure());
      const elbrus::run_result before = elbrus::interpreter(p.program).run(0, arguments);
      const elbrus::run_result after = elbrus::interpreter(converted.program).run(0, arguments, {}, options);
      CHECK(why_different(p.procedure(), before, after, counts) == "");
    }
    CHECK(counts.same == 256);
  };
  check(with_cases<elbrus::cost_view, case_form::constants>(p.procedure()));
  check(with_cases<elbrus::cost_view, case_form::ranges>(p.procedure()));
  check(with_cases<elbrus::cost_view, case_form::signed_ranges>(p.procedure()));
}

namespace {

constexpr unsigned widths[] = {1, 8, 16, 32, 64};

/// Operations of the vocabulary in node 0, on values of any width; node 1 has a phi for each value.
struct mixed_widths {
  explicit mixed_widths(std::uint64_t seed) : random(seed), program(2, {{0, 1}}) {
    for (int i = 0; i != 3; ++i) {
      values.push_back(program.parameter(some_width()));
      values.push_back(program.literal(random.one_in(2) ? random.below(70) : random.next(), some_width()));
    }
    for (std::size_t left = 1 + random.below(4); left != 0; --left) {
      add_operation();
    }
    const midend::edge_id e = program.edge_of(0);
    for (const value_id v : std::vector<value_id>(values)) {
      exits.push_back(program.phi(1, program.operation(v).width));
      program.set_input(exits.back(), e, v);
    }
  }

  unsigned some_width() { return widths[random.below(5)]; }

  value_id any() { return values[random.below(values.size())]; }

  void add_operation() {
    const auto code = static_cast<operation>(1 + random.below(static_cast<std::size_t>(midend::last_operation)));
    unsigned to = some_width();
    unsigned from = some_width();
    if (code == operation::truncate || code == operation::zero_extend || code == operation::sign_extend) {
      if ((code == operation::truncate) != (to <= from)) {
        std::swap(to, from);
      }
    } else if (midend::is_modulo_shift(code)) {
      from = static_cast<unsigned>(1 + random.below(64));
    }
    std::vector<value_id> operands;
    for (unsigned i = 0; i != midend::arity(code); ++i) {
      operands.push_back(any());
    }
    if (midend::is_comparison(code)) {
      values.push_back(program.compare(0, code, operands[0], operands[1], to, from));
    } else {
      values.push_back(program.op(0, code, operands, to, from, {random.one_in(4), false}));
    }
  }

  random_source random;
  semantic_program program;
  std::vector<value_id> values;
  std::vector<value_id> exits;
};

} // namespace

TEST_CASE("to_eir: operands of all widths, shifts modulo a number: as the vocabulary defines them") {
  std::size_t finished = 0;
  std::size_t trapped = 0;
  for (std::uint64_t seed = 0; seed != affordable(20000); ++seed) {
    mixed_widths m(seed);
    const elbrus::to_eir_result converted = elbrus::to_eir(frozen(m.program));
    REQUIRE_MESSAGE(converted, "seed ", seed, ": ", elbrus::to_text(converted.refusal), "\n", to_string(m.program));
    const std::string why = why_unsound(converted.program);
    REQUIRE_MESSAGE(why.empty(), "seed ", seed, ": ", why, "\n", to_text(converted.program));
    for (int run = 0; run != 4; ++run) {
      std::vector<std::uint64_t> bits;
      std::vector<elbrus::scalar> arguments;
      const auto parameters = converted.program.procedures[0].parameters();
      for (std::size_t i = 0; i != m.program.parameters().size(); ++i) {
        const unsigned width = m.program.operation(m.program.parameters()[i]).width;
        bits.push_back((m.random.one_in(2) ? m.random.below(70) : m.random.next()) & midend::low_ones(width));
        arguments.push_back({converted.program.procedures[0].core(parameters[i]).type, bits.back()});
      }
      std::vector<std::uint64_t> found(m.program.num_values(), 0);
      const bool ends = interpret(
          m.program, bits, 1000, [](unsigned) { return std::uint64_t{0}; },
          [&](value_id v, std::uint64_t b) { found[v] = b; }, [](midend::edge_id) {});
      elbrus::run_options options;
      options.host = [](const elbrus::host_call&) { return elbrus::host_answer::done(); };
      const elbrus::run_result after = elbrus::interpreter(converted.program).run(0, arguments, {}, options);
      REQUIRE_MESSAGE(ends != after.trap.has_value(), "seed ", seed, "\n", to_string(m.program),
                      to_text(converted.program));
      ++(ends ? finished : trapped);
      if (ends) {
        std::vector<std::uint64_t> expected;
        for (const value_id v : m.exits) {
          expected.push_back(found[v]);
        }
        REQUIRE(after.events.size() == 1);
        const bool same = seen(after.events[0]).arguments == expected && after.events[0].callee == "exit_0";
        REQUIRE_MESSAGE(same, "seed ", seed, "\n", to_string(m.program), to_text(converted.program));
      }
    }
  }
  CHECK(finished > affordable(20000));
  CHECK(trapped > affordable(20000) / 4);
}

TEST_CASE("to_eir: an entry with predecessors, unreachable nodes, parallel edges, a node without terminator") {
  semantic_program p(6, {{2, 2}, {2, 0}, {0, 1}, {0, 1}, {3, 3}, {4, 5}}, 2);
  const value_id x = p.parameter(8);
  p.branch(2, p.op(2, operation::less, {x, p.literal(3, 8)}, 8));
  p.switch_on(0, x, {5, std::nullopt});
  const value_id phi = p.merge(1, {p.literal(1, 8), x}, 8);
  p.op(1, operation::add, {phi, phi}, 8);
  p.call(4, {x}, 8);
  CHECK(converted_text(frozen(p)) == R"(proc @f(%v0: i8) {
  node entry:
    br n2
  node n2:
    %v2 = cmp.lt.i8 %v0, 3
    br %v2 ? n2 : n0
  node n0:
    switch.i8 %v0 [5: n1], default: n1
  node n1:
    %v4 = phi.i8 [n0: 1], [n0: %v0]
    %v5 = add.i8 %v4, %v4
    call @exit_0(%v4)
    ret
  node n3:
    br n3
  node n4:
    call @other_call_v6(%v0)
    br n5
  node n5:
    call @exit_1()
    ret
}
)");
}

TEST_CASE("to_eir: calls keep what they may write, and that they never return") {
  CHECK(converted_text(R"(
proc @f(%a: ptr, %b: ptr) {
  node entry:
    %x = ld.i32 [%a] alias=A
    %y = ld.i8 [%b - 1] alias=B volatile
    %p = cmp.eq.i32 %x, 0
    call @none(%y) clobbers=none
    call @one(%y) clobbers=B
    call @other(%y) clobbers=C
    call @all(%y)
    br %p ? stop : end
  node stop:
    call @abort() clobbers=none noreturn
    unreachable
  node end:
    %q = div.i32 1, %x spec
    %r = add.i32 %q, 2 spec
    %s = select.i32 %p, %r, undef
    ret
}
)") == R"(proc @f(%v0: ptr, %v1: ptr) {
  node n0:
    %v2 = ld.i32 [%v0] alias=m0
    %v3 = ld.i8 [%v1 - 1] alias=m1 volatile
    %v5 = cmp.eq.i32 %v2, 0
    call @other_call_v6(%v3) clobbers=none
    call @other_call_v7(%v3) clobbers=m1
    call @other_call_v8(%v3) clobbers=elsewhere
    call @other_call_v9(%v3)
    br %v5 ? n1 : n2
  node n1:
    call @other_call_v11() clobbers=none noreturn
    unreachable
  node n2:
    %v14 = div.i32 1, %v2 spec
    %v16 = add.i32 %v14, 2 spec
    %v18 = select.i32 %v5, %v16, undef
    call @exit_0()
    ret
}
)");
}

TEST_CASE("to_eir: what may be diagnostic is found through phis, and only what needs it is speculative") {
  const std::string text = converted_text(R"(
proc @f(%x: i32, %n: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %next]
    %old = phi.i32 [entry: 0], [loop: %copy]
    %one = add.i32 %old, 1 spec
    %sure = add.i32 %i, 1 spec
    %quotient = div.i32 %one, %x spec
    %copy = mov.i32 %quotient
    %next = add.i32 %i, 1 nsw
    %more = cmp.lt.i32 %next, %n
    br %more ? loop : exit
  node exit:
    ret %sure
}
)");
  CHECK(text == R"(proc @f(%v0: i32, %v1: i32) {
  node n0:
    br n1
  node n1:
    %v4 = phi.i32 [n0: 0], [n1: %v11]
    %v5 = phi.i32 [n0: 0], [n1: %v10]
    %v7 = add.i32 %v5, 1 spec
    %v8 = add.i32 %v4, 1
    %v9 = div.i32 %v7, %v0 spec
    %v10 = mov.i32 %v9
    %v11 = add.i32 %v4, 1 nsw
    %v12 = cmp.lt.i32 %v11, %v1
    br %v12 ? n1 : n2
  node n2:
    call @exit_0(%v8)
    ret
}
)");
}

namespace {

/// A program with one guarded operation. Its operands end with the predicate and the other value.
struct with_guard : semantic_program {
  using semantic_program::semantic_program;

  midend::guard_of_value guard(value_id v) const {
    return v == guarded ? midend::guard_of_value{predicate, otherwise, true} : midend::guard_of_value();
  }

  operation_info unguarded(value_id v) const { return semantic_program::operation(v); }

  operation_info operation(value_id v) const {
    return v == guarded ? operation_info{operation::other, unguarded(v).width, unguarded(v).width, {}} : unguarded(v);
  }

  value_id guarded = no_value;
  value_id predicate = no_value;
  value_id otherwise = no_value;
};

} // namespace

TEST_CASE("to_eir: the steps of a guarded operation do not trap if it does not run") {
  with_guard p(2, {{0, 1}});
  const value_id a = p.parameter(32);
  const value_id by = p.parameter(8);
  p.predicate = p.parameter(16); // it runs if this is 0
  p.otherwise = p.parameter(32);
  p.guarded = p.op(0, operation::shladd, {a, by, a, p.predicate, p.otherwise}, 32);
  p.merge(1, {p.guarded}, 32);
  CHECK(converted_text(frozen(p)) == R"(proc @f(%v0: i32, %v1: i8, %v2: i16, %v3: i32) {
  node n0:
    %v4.1 = zext.i8.i32 %v1
    %v4.2 = shl.i32 %v0, %v4.1 spec
    %v4.3 = cmp.ne.i16 %v2, 0
    %v4 = add.i32 %v4.2, %v0 ? ~%v4.3 : %v3
    br n1
  node n1:
    %v5 = phi.i32 [n0: %v4]
    call @exit_0(%v5)
    ret
}
)");
  const elbrus::to_eir_result converted = elbrus::to_eir(frozen(p));
  const auto run = [&](std::uint64_t shift, std::uint64_t predicate) {
    using elbrus::type;
    const elbrus::scalar arguments[] = {{type::i32, 5}, {type::i8, shift}, {type::i16, predicate}, {type::i32, 77}};
    elbrus::run_options options;
    options.host = [](const elbrus::host_call&) { return elbrus::host_answer::done(); };
    const elbrus::run_result result = elbrus::interpreter(converted.program).run(0, arguments, {}, options);
    return result.trap ? std::string(name_of(result.trap->kind)) : std::to_string(seen(result.events[0]).arguments[0]);
  };
  CHECK(run(2, 0) == "25");
  CHECK(run(40, 0) == "use of a diagnostic value");
  CHECK(run(40, 256) == "77");
}

namespace {

/// The frozen program and its refusal, in words.
template <class IR> std::string refusal_of(const IR& ir) {
  const elbrus::to_eir_result converted = elbrus::to_eir(frozen(ir));
  CHECK(!converted);
  CHECK(converted.program.procedures.empty());
  return elbrus::to_text(converted.refusal);
}

/// The same with one edge that has all cases of a range.
struct long_range : semantic_program {
  using semantic_program::semantic_program;

  std::vector<midend::number_range> edge_cases(midend::edge_id e) const {
    return e == 0 ? std::vector<midend::number_range>{{0, last, false}} : std::vector<midend::number_range>();
  }

  std::uint64_t last = 0;
};

/// Memory at `address`, in any format.
struct with_memory : semantic_program {
  using semantic_program::semantic_program;

  std::optional<midend::memory_reference> memory(value_id v) const {
    return v == accessed ? std::optional(place) : std::nullopt;
  }

  midend::effect_kind effect(value_id v) const {
    return v != accessed                      ? midend::effect_kind::none
           : place.stored == midend::no_value ? midend::effect_kind::reads
                                              : midend::effect_kind::writes;
  }

  bool may_trap(value_id) const { return true; }

  value_id accessed = midend::no_value;
  midend::memory_reference place;
};

} // namespace

TEST_CASE("to_eir: what cannot be written is refused with its reason") {
  const elbrus::to_eir_result nothing = elbrus::to_eir(flat_program());
  CHECK(nothing.refusal.why == eir_refusal::reason::no_node);
  CHECK(elbrus::to_text(nothing.refusal) == "the program has no node");
  {
    semantic_program p(1, {});
    p.op(0, operation::add, {p.parameter(12), p.parameter(12)}, 12);
    CHECK(refusal_of(p) == "v0 has 12 bits: there is no such type");
  }
  {
    semantic_program p(1, {});
    p.compare(0, operation::less, p.parameter(8), p.parameter(8), 1, 5);
    CHECK(refusal_of(p) == "v2 works on 5 bits: there is no such type");
  }
  {
    semantic_program p(2, {{0, 1}});
    p.phi(1, 8);
    CHECK(refusal_of(p) == "v0 reads an operand that is not set");
  }
  {
    semantic_program p(2, {{0, 1}});
    p.merge(1, {p.parameter(16)}, 8);
    CHECK(refusal_of(p) == "v1 reads a value of another type");
  }
  {
    semantic_program p(2, {{0, 1}, {0, 1}});
    CHECK(refusal_of(p) == "block 0 has several successors, and no value decides which one follows");
  }
  {
    long_range p(3, {{0, 1}, {0, 2}});
    p.switch_on(0, p.parameter(32), {0, std::nullopt});
    p.last = 256;
    CHECK(refusal_of(p) == "block 0 has 257 cases; at most 256 are allowed");
    p.last = 255;
    CHECK(elbrus::to_eir(frozen(p)));
  }
}

TEST_CASE("to_eir: loads and stores in formats that no type has are externals") {
  const auto text_with = [](midend::memory_reference place, unsigned width, bool stores) {
    with_memory p(1, {});
    place.base = p.parameter(64);
    place.index = p.parameter(16);
    place.stored = stores ? p.parameter(width) : midend::no_value;
    p.accessed = p.call(0, {}, width);
    p.place = place;
    return converted_text(frozen(p));
  };
  const auto has = [](const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; };
  CHECK(has(text_with({.bytes = 4, .memory = 3, .scale = 12, .offset = -8}, 32, false),
            "%v2 = ld.i32 [%v0 + %v1*12 - 8] alias=m3\n"));
  CHECK(has(text_with({.bytes = 8, .scale = -2, .bits = 64}, 64, false),
            "%v2.1 = sext.i16.i64 %v1\n    %v2.2 = mul.i64 %v2.1, -2\n    %v2 = ld.ptr [%v0 + %v2.2]\n"));
  CHECK(has(text_with({.bytes = 1, .bits = 1}, 1, false), "%v2 = ld.i1 [%v0 + %v1]\n"));
  CHECK(has(text_with({.bytes = 4, .bits = 1}, 1, false), "call @other_load_v2() clobbers=none\n"));
  CHECK(has(text_with({.bytes = 4, .bits = 32}, 64, false), "call @other_load_v2() clobbers=none\n"));
  CHECK(has(text_with({.bytes = 2, .bits = 16}, 32, true), "%v3.1 = trunc.i32.i16 %v2\n    st.i16 %v3.1, [%v0 + %v1]"));
  CHECK(has(text_with({.bytes = 4, .is_volatile = true}, 32, true), "st.i32 %v2, [%v0 + %v1] volatile\n"));
  CHECK(has(text_with({.bytes = 3, .memory = 1, .bits = 24}, 32, true), "call @other_store_v3() clobbers=m1\n"));
  CHECK(has(text_with({.bytes = 3, .bits = 24}, 32, true), "call @other_store_v3()\n"));
}

namespace {

/// One operation is of class `fp_add`. Types are widths.
struct with_floats : semantic_program {
  using semantic_program::semantic_program;

  std::optional<midend::operation_class> cost(value_id v) const {
    return v == sum ? std::optional(midend::operation_class::fp_add) : std::nullopt;
  }

  value_id sum = no_value;
};

} // namespace

TEST_CASE("to_eir: where types are only widths, a number is floating point if nothing uses one as an integer") {
  with_floats p(1, {});
  const value_id x = p.parameter(32);
  p.sum = p.call(0, {x, x}, 32);
  const value_id same = p.op(0, operation::copy, {p.sum}, 32);
  CHECK(converted_text(frozen(p)).find("%v2 = mov.f32 %v1\n") != std::string::npos);
  p.op(0, operation::add, {same, same}, 32);
  CHECK(converted_text(frozen(p)).find("%v2 = mov.i32 %v1\n    %v3 = add.i32 %v2, %v2\n") != std::string::npos);
}

TEST_CASE("to_eir: a long chain of nodes and values") {
  constexpr std::size_t length = 200'000;
  std::vector<midend::edge> edges;
  for (node_id n = 0; n + 1 != length; ++n) {
    edges.push_back({n, n + 1});
  }
  semantic_program p(length, edges);
  value_id last = p.parameter(32);
  for (node_id n = 0; n != length; ++n) {
    last = n == 0 ? p.op(n, operation::neg, {last}, 32) : p.merge(n, {last}, 32);
  }
  const elbrus::to_eir_result converted = elbrus::to_eir(frozen(p));
  REQUIRE(converted);
  CHECK(converted.program.procedures[0].num_nodes() == length);
  CHECK(verify(converted.program).empty());
}
