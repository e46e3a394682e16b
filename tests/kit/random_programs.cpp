#include "kit/random_programs.hpp"

#include "kit/test_graph.hpp"

#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/run/profile.hpp>
#include <midend/elbrus/run/run_equivalence.hpp>
#include <midend/elbrus/run/trap_text.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/verify/verifier.hpp>

#include <algorithm>

namespace midend_tests {

namespace elbrus = midend::elbrus;
using elbrus::type;
using midend::value_id;

namespace {

std::uint64_t mixed(const elbrus::host_call& call) {
  std::uint64_t bits = 0x9e37'79b9'7f4a'7c15;
  for (const elbrus::scalar& a : call.arguments) {
    bits = (bits ^ a.bits) * 0xbf58'476d'1ce4'e5b9;
    bits ^= bits >> 29;
  }
  return bits;
}

} // namespace

elbrus::host_answer random_program_host(const elbrus::host_call& call) {
  if (call.callee == "host_note") {
    return elbrus::host_answer::done();
  }
  if (call.callee == "host_mix") {
    return elbrus::host_answer::of(mixed(call));
  }
  if (call.callee == "host_scale" && call.arguments.size() == 1) {
    const double x = elbrus::float_value(type::f64, call.arguments[0].bits);
    return elbrus::host_answer::of(elbrus::float_bits(type::f64, x * 0.5 + 1));
  }
  return elbrus::host_answer::unknown();
}

random_program_options varied(random_program_options options, std::uint64_t number) {
  random_source random(number);
  const auto sometimes_not = [&](bool& feature) { feature = feature && !random.one_in(8); };
  options.form = static_cast<midend_tests::program_form>(number % 3);
  options.operations = random.one_in(4) ? options.operations * 2 : 3 + random.below(options.operations);
  options.known = random.one_in(3) ? 10 * static_cast<unsigned>(random.below(6)) : options.known;
  sometimes_not(options.loops);
  sometimes_not(options.guards);
  sometimes_not(options.memory);
  sometimes_not(options.floats);
  sometimes_not(options.speculation);
  sometimes_not(options.unreachable_nodes);
  options.irreducible = options.irreducible && random.one_in(3);
  options.endless = options.endless && random.one_in(3);
  options.traps = options.traps && random.one_in(3);
  if (options.literal_guards != 0 && random.one_in(3)) {
    options.literal_guards = 0;
  }
  const auto often_not = [&](bool& feature) { feature = feature && !random.one_in(3); };
  often_not(options.mixed_accesses);
  often_not(options.overlapping_classes);
  often_not(options.undefined);
  return options;
}

elbrus::run_result run_on(const elbrus::program& p, const generated_program& g, std::size_t input) {
  elbrus::run_options options;
  options.step_limit = 2 * g.step_bound + 1000;
  options.host = random_program_host;
  const midend_tests::generated_input& in = g.inputs[input];
  return elbrus::interpreter(p).run(g.entry, in.arguments, in.memory, options);
}

std::string why_wrong(const generated_program& g, const elbrus::program& transformed, comparison_counts* counts) {
  const auto texts = [&] { return join("\n--- before\n", to_text(g.program), "--- after\n", to_text(transformed)); };
  const std::vector<elbrus::diagnostic> errors = verify(transformed);
  if (!errors.empty()) {
    return errors[0].message + texts();
  }
  for (std::size_t i = 0; i != g.inputs.size(); ++i) {
    const elbrus::run_result before = run_on(g.program, g, i);
    const elbrus::run_result after = run_on(transformed, g, i);
    const elbrus::run_comparison result = compare_runs(before, after);
    if (result.verdict == elbrus::run_verdict::different) {
      const std::string trap = after.trap ? to_text(transformed.procedures, *after.trap) : std::string();
      return join("input ", i, ": ", to_text(result), " ", trap, texts());
    }
    if (counts != nullptr) {
      ++(result.verdict == elbrus::run_verdict::same ? counts->same : counts->no_verdict);
    }
  }
  return {};
}

void program_statistics::add(const generated_program& g) {
  elbrus::run_profile profile;
  bool differs = false;
  const elbrus::run_result first = run_on(g.program, g, 0);
  for (std::size_t i = 0; i != g.inputs.size(); ++i) {
    const elbrus::run_result result = run_on(g.program, g, i);
    elbrus::add_profile(profile, result.profile);
    steps += result.executed;
    const elbrus::run_difference what = compare_runs(first, result).what; // memories differ from the beginning
    differs = differs || what == elbrus::run_difference::value || what == elbrus::run_difference::event;
  }
  ++programs;
  input_matters += differs;
  for (std::size_t i = 0; i != g.program.procedures.size(); ++i) {
    const elbrus::procedure& p = g.program.procedures[i];
    for (midend::node_id n = 0; n != p.num_nodes(); ++n) {
      const bool entered = elbrus::node_count(p, profile[i], n) != 0;
      for (const value_id v : p.values(n)) {
        const auto operands = p.operands(v);
        ++operations;
        executed += entered;
        without_operand += !operands.empty() && std::all_of(operands.begin(), operands.end(), [&](value_id operand) {
          return p.value(operand).kind == elbrus::value_kind::constant;
        });
        const value_id result = p.value(v).variable == midend::no_value ? v : p.value(v).variable;
        unread += p.value(v).type != type::none && !p.has_users(result);
      }
    }
  }
}

} // namespace midend_tests
