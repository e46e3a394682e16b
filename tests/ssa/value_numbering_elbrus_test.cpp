// Random programs of the Elbrus-like IR before and after value numbering.
#include "kit/random_programs.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/dataflow/domains/known_bits_domain.hpp>
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/ssa/apply_value_numbering.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/ssa/value_numbering.hpp>
#include <midend/ssa/value_numbering_plan.hpp>
#include <midend/ssa/verify_congruence.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

using namespace midend_tests;
using midend::node_id;
using midend::value_id;
namespace elbrus = midend::elbrus;

TEST_CASE_TEMPLATE("random programs mean the same after value numbering", D, midend::flat_domain<>,
                   midend::known_bits_domain, midend::number_domain) {
  std::size_t equal = 0;
  std::size_t dropped = 0;
  std::size_t constants = 0;
  comparison_counts runs;
  random_program_options options = all_flow();
  options.traps = true;
  options.endless = true;
  options.known = 40; // much is constant
  for_each_random_program(300, options, [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program p = g.program;
    for (elbrus::procedure& each : p.procedures) {
      elbrus::construct_ssa(each);
      const auto found = midend::value_numbering(elbrus::cost_view(each), D());
      const auto plan = midend::plan_value_numbering(elbrus::cost_view(each), found);
      const auto facts = midend::sccp(elbrus::cost_view(each), D());
      bool is_as_good = true;
      for (value_id v = 0; v != facts.num_values(); ++v) {
        is_as_good = is_as_good && (!facts.constant(v) || found.constant(v) || !found.is_computed(v));
      }
      for (midend::edge_id e = 0; e != facts.num_edges(); ++e) {
        is_as_good = is_as_good && (facts.is_executable_edge(e) || !found.is_executable_edge(e));
      }
      // Widening is not monotone, so in theory knowing more may give less.
      CHECK_MESSAGE(is_as_good, "seed ", seed, "\n", elbrus::to_text(each));
      CHECK_MESSAGE(!midend::verify_congruence(elbrus::cost_view(each), found), "seed ", seed);
      equal += plan.replacements.size();
      dropped += plan.dropped_promises.size();
      constants += plan.constants.replacements.size();
      elbrus::editor editor(each);
      midend::apply_value_numbering(editor, plan);
    }
    const std::string wrong = why_wrong(g, p, &runs);
    CHECK_MESSAGE(wrong.empty(), "seed ", seed, ": ", wrong);
  });
  MESSAGE(equal, " equal values, ", dropped, " promises dropped, ", constants, " constants; ", runs.same,
          " runs the same, ", runs.no_verdict, " without verdict");
  CHECK(equal > 100);
  CHECK(constants > 0);
  CHECK(runs.same > 0);
}
