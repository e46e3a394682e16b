// The interpreter against one that follows the words of the specification, on random programs.
#include "kit/affordable.hpp"
#include "kit/random_programs.hpp"
#include "kit/reference_interpreter.hpp"

#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/run/profile.hpp>
#include <midend/elbrus/run/trap_text.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace {

using namespace midend::elbrus;
using midend_tests::generated_input;
using midend_tests::generated_program;
using midend_tests::random_program_options;
using midend_tests::reference_interpreter;

std::string text_of(const program& p, const std::optional<trap>& t) {
  return t ? to_text(p.procedures, *t) : "none";
}

bool same_trap(const std::optional<trap>& a, const std::optional<trap>& b) {
  if (!a || !b) {
    return !a && !b;
  }
  return a->kind == b->kind && a->procedure == b->procedure && a->node == b->node && a->value == b->value;
}

run_result run_of(const generated_program& g, const generated_input& input, std::uint64_t limit) {
  return interpreter(g.program).run(g.entry, input.arguments, input.memory,
                                    {.step_limit = limit, .host = midend_tests::random_program_host});
}

/// What differs; empty if nothing.
std::string difference(const generated_program& g, const generated_input& input, std::uint64_t limit) {
  reference_interpreter reference(g.program, midend_tests::random_program_host, limit);
  const auto value = reference.run(g.entry, input.arguments, input.memory);
  const run_result result = run_of(g, input, limit);
  if (!same_trap(result.trap, reference.trap)) {
    return "trap: " + text_of(g.program, result.trap) + " and " + text_of(g.program, reference.trap);
  }
  if (result.value != value) {
    return "value";
  }
  if (!(result.memory == reference.memory)) {
    return "memory";
  }
  if (result.executed != reference.executed) {
    return "executed: " + std::to_string(result.executed) + " and " + std::to_string(reference.executed);
  }
  for (std::size_t i = 0; i != g.program.procedures.size(); ++i) {
    const procedure& p = g.program.procedures[i];
    for (midend::node_id n = 0; n != p.num_nodes(); ++n) {
      if (node_count(p, result.profile[i], n) != reference.node_counts[i][n]) {
        return "count of a node";
      }
    }
  }
  std::size_t calls = 0;
  for (std::size_t i = 0; i != result.events.size(); ++i) {
    calls += result.events[i].kind == event_kind::call ? 1 : 0;
  }
  return calls == reference.host_calls ? "" : "calls of host functions";
}

} // namespace

TEST_CASE("interpreter: random programs do what the specification says") {
  random_program_options options;
  options.irreducible = true;
  options.endless = true;
  options.traps = true;
  options.steps = 3000;
  std::size_t runs = 0;
  std::size_t traps = 0;
  midend_tests::for_each_random_program(1500, options, [&](const generated_program& g, std::uint64_t seed) {
    for (std::size_t i = 0; i != g.inputs.size(); ++i) {
      for (const std::uint64_t limit : {std::uint64_t{20'000}, std::uint64_t{37}}) {
        CAPTURE(seed);
        CAPTURE(i);
        CHECK(difference(g, g.inputs[i], limit) == "");
        ++runs;
      }
      const run_result result = run_of(g, g.inputs[i], 20'000);
      traps += result.trap && !is_limit(result.trap->kind) ? 1 : 0;
    }
  });
  CHECK(traps * 30 > runs); // there is something to disagree about
}

TEST_CASE("interpreter: random programs with numeric code do what the specification says") {
  random_program_options options;
  options.numeric = true;
  std::size_t numeric = 0;
  midend_tests::for_each_random_program(600, options, [&](const generated_program& g, std::uint64_t seed) {
    for (const procedure& p : g.program.procedures) {
      for (midend::node_id n = 0; n != p.num_nodes(); ++n) {
        for (const midend::value_id v : p.values(n)) {
          const opcode code = p.value(v).code;
          numeric += code >= opcode::fneg && code <= opcode::fround ? 1U : 0U;
        }
      }
    }
    for (std::size_t i = 0; i != g.inputs.size(); ++i) {
      CAPTURE(seed);
      CAPTURE(i);
      CHECK(difference(g, g.inputs[i], 20'000) == "");
    }
  });
  CHECK((midend_tests::tests_are_shortened || numeric > 300));
}
