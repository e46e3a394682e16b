// Random programs with numeric code, numbers of 80 bits among it, mean the same after constant propagation, value
// numbering, the low-level package and the clean-up; and their text is theirs.
#include "kit/affordable.hpp"
#include "kit/program_generator.hpp"
#include "kit/random_programs.hpp"
#include "kit/run_clean_up.hpp"
#include "kit/run_low_level.hpp"

#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/elbrus/equal.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/ssa/apply_sccp.hpp>
#include <midend/ssa/apply_value_numbering.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/ssa/value_numbering.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace {

namespace elbrus = midend::elbrus;
using midend_tests::comparison_counts;
using midend_tests::generated_program;
using midend_tests::random_program_options;

std::size_t num_operations(const elbrus::procedure& p, bool (*counts)(const elbrus::value_record&)) {
  std::size_t out = 0;
  for (midend::node_id n = 0; n != p.num_nodes(); ++n) {
    for (const midend::value_id v : p.values(n)) {
      out += counts(p.value(v)) ? 1U : 0U;
    }
  }
  return out;
}

} // namespace

TEST_CASE("numeric code: random programs mean the same after transformations") {
  random_program_options options;
  options.irreducible = true;
  options.traps = true;
  options.numeric = true;
  options.extended = true;
  options.known = 30;
  options.literal_guards = 20;
  comparison_counts runs;
  std::size_t numeric = 0;
  std::size_t extended = 0;
  std::size_t folded = 0;
  midend_tests::for_each_random_program(
      midend_tests::affordable(400), options, [&](const generated_program& g, std::uint64_t seed) {
        CAPTURE(seed);
        const auto again = elbrus::parse(elbrus::to_text(g.program));
        CHECK(again.diagnostics.empty());
        CHECK(elbrus::equal(again.program, g.program));
        elbrus::program in_ssa = g.program;
        elbrus::construct_ssa(in_ssa);
        elbrus::program constants = in_ssa;
        elbrus::program numbered = in_ssa;
        elbrus::program packaged = in_ssa;
        elbrus::program cleaned = in_ssa;
        for (std::size_t i = 0; i != in_ssa.procedures.size(); ++i) {
          const elbrus::procedure& p = in_ssa.procedures[i];
          numeric += num_operations(p, [](const elbrus::value_record& v) {
            return v.code >= elbrus::opcode::fneg && v.code <= elbrus::opcode::fround;
          });
          extended += num_operations(p, [](const elbrus::value_record& v) { return v.type == elbrus::type::f80; });
          elbrus::editor e(constants.procedures[i]);
          const auto plan = midend::plan_sccp(e, midend::sccp(e, midend::number_domain()));
          folded += plan.replacements.size();
          midend::apply_sccp(e, plan);
          const auto found = midend::value_numbering(elbrus::cost_view(p), midend::number_domain());
          const auto equal = midend::plan_value_numbering(elbrus::cost_view(p), found);
          elbrus::editor f(numbered.procedures[i]);
          midend::apply_value_numbering(f, equal);
          midend_tests::run_low_level(packaged.procedures[i]);
          midend_tests::run_clean_up(cleaned.procedures[i]);
        }
        for (const elbrus::program* const p : {&in_ssa, &constants, &numbered, &packaged, &cleaned}) {
          CHECK(why_wrong(g, *p, &runs) == "");
        }
      });
  MESSAGE(numeric, " numeric operations, ", extended, " of 80 bits, ", folded, " constants; ", runs.same,
          " runs the same, ", runs.no_verdict, " without verdict");
  CHECK((midend_tests::tests_are_shortened || numeric > 200));
  CHECK((midend_tests::tests_are_shortened || extended > 50));
}
