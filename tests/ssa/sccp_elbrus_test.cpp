#include "support/random_programs.hpp"
#include "support/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/dataflow/domains/interval_domain.hpp>
#include <midend/dataflow/domains/known_bits_domain.hpp>
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/elbrus/construct_ssa.hpp>
#include <midend/elbrus/editor.hpp>
#include <midend/elbrus/parser.hpp>
#include <midend/elbrus/printer.hpp>
#include <midend/elbrus/views.hpp>
#include <midend/ssa/apply_sccp.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/ssa/sccp_plan.hpp>

#include <cstdint>
#include <string>

using namespace midend_tests;
namespace elbrus = midend::elbrus;

namespace {

struct transformation_counts {
  std::size_t constants = 0;
  std::size_t branches = 0;
  std::size_t nodes = 0;
  std::size_t phis = 0;
};

template <class D>
void transform(elbrus::procedure& p, const D& domain, const midend::sccp_options& options,
               transformation_counts& counts) {
  elbrus::editor editor(p);
  const auto found = midend::sccp(editor, domain, options);
  const auto plan = midend::plan_sccp(editor, found);
  counts.constants += plan.replacements.size();
  counts.branches += plan.kept_edges.size();
  counts.nodes += plan.erased_nodes.size();
  counts.phis += plan.forwardings.size();
  midend::apply_sccp(editor, plan);
}

template <class D> std::string to_text_after(const char* text, const midend::sccp_options& options = {}) {
  auto parsed = elbrus::parse(text);
  REQUIRE(parsed.diagnostics.empty());
  transformation_counts counts;
  transform(parsed.program.procedures[0], D(), options, counts);
  return elbrus::to_text(parsed.program);
}

} // namespace

TEST_CASE_TEMPLATE("random programs mean the same after sccp", D, midend::flat_domain<>, midend::interval_domain,
                   midend::known_bits_domain, midend::number_domain) {
  transformation_counts counts;
  comparison_counts runs;
  random_program_options options = all_flow();
  options.traps = true;
  options.endless = true;
  for_each_random_program(2500, options, [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program p = g.program;
    for (elbrus::procedure& each : p.procedures) {
      elbrus::construct_ssa(each);
      const midend::sccp_options how{.undefined =
                                         seed % 2 == 0 ? midend::undef_policy::top : midend::undef_policy::any_value};
      transform(each, D(), how, counts);
    }
    const std::string wrong = why_wrong(g, p, &runs);
    CHECK_MESSAGE(wrong.empty(), "seed ", seed, ": ", wrong);
  });
  MESSAGE(counts.constants, " constants, ", counts.branches, " branches, ", counts.nodes, " nodes, ", counts.phis,
          " phis; ", runs.same, " runs the same, ", runs.no_verdict, " without verdict");
  CHECK(counts.constants > 0);
  CHECK(runs.same > 0);
}
