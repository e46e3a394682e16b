#include "kit/random_programs.hpp"
#include "kit/shrink_program.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>

#include <midend/elbrus/opcode.hpp>
#include <midend/elbrus/procedure.hpp>
#include <midend/elbrus/run/run_equivalence.hpp>
#include <midend/elbrus/run/trap.hpp>
#include <midend/elbrus/verify/verifier.hpp>

namespace elbrus = midend::elbrus;
using elbrus::opcode;
using elbrus::type;
using midend::node_id;
using midend::value_id;
using midend_tests::generated_program;

namespace {

/// A transformation with an error: arithmetic shifts become logical ones.
elbrus::program with_logical_shifts(elbrus::program all) {
  for (elbrus::procedure& p : all.procedures) {
    for (value_id v = 0, values = static_cast<value_id>(p.num_values()); v != values; ++v) {
      if (!p.is_operation(v) || p.value(v).code != opcode::sar || p.value(v).guarded) {
        continue;
      }
      const value_id operands[] = {p.operands(v)[0], p.operands(v)[1]};
      const value_id shr = p.insert_before(v, {.code = opcode::shr,
                                               .type = p.value(v).type,
                                               .operands = operands,
                                               .flags = p.value(v).flags,
                                               .variable = p.value(v).variable});
      p.replace_uses(v, shr);
      p.erase_value(v);
    }
  }
  return all;
}

bool shifts_wrongly(const generated_program& g) {
  const elbrus::program transformed = with_logical_shifts(g.program);
  for (std::size_t i = 0; i != g.inputs.size(); ++i) {
    const elbrus::run_result before = midend_tests::run_on(g.program, g, i);
    const elbrus::run_result after = midend_tests::run_on(transformed, g, i);
    if (!before.trap && compare_runs(before, after).verdict == elbrus::run_verdict::different) {
      return true;
    }
  }
  return false;
}

bool divides_by_zero(const generated_program& g) {
  for (std::size_t i = 0; i != g.inputs.size(); ++i) {
    const elbrus::run_result result = midend_tests::run_on(g.program, g, i);
    if (result.trap && result.trap->kind == elbrus::trap_kind::division_by_zero) {
      return true;
    }
  }
  return false;
}

/// Shrinks the first few programs that fail.
void check_shrinks(const midend_tests::random_program_options& options, bool (*fails)(const generated_program&),
                   std::size_t most_operations) {
  std::size_t found = 0;
  for (std::uint64_t seed = 0; found != 3 && seed != 5000; ++seed) {
    const generated_program g = midend_tests::random_program(seed, options);
    if (!fails(g)) {
      continue;
    }
    ++found;
    const generated_program small = midend_tests::shrink(g, fails);
    CAPTURE(seed);
    CAPTURE(midend_tests::to_report(small));
    CHECK(verify(small.program).empty());
    CHECK(fails(small));
    CHECK(small.inputs.size() == 1);
    CHECK(midend_tests::num_operations(small.program) <= most_operations);
  }
  CHECK(found == 3);
}

} // namespace

TEST_CASE("shrinking a program that a wrong transformation breaks") {
  check_shrinks({}, shifts_wrongly, 8);
}

TEST_CASE("shrinking a program that divides by zero") {
  midend_tests::random_program_options options;
  options.traps = true;
  options.form = midend_tests::program_form::variables;
  check_shrinks(options, divides_by_zero, 8);
}
