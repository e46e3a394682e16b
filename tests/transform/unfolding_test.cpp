#include "transform/unfolding_checks.hpp"

#include <doctest/doctest.h>

using namespace midend_tests;
namespace elbrus = midend::elbrus;

TEST_CASE("random unfoldings are certified and mean the same") {
  comparison_counts runs;
  std::size_t nodes = 0;
  std::size_t phis = 0;
  random_program_options options = all_flow();
  options.endless = true;
  for_each_random_program(1000, options, [&](const generated_program& g, std::uint64_t seed) {
    const elbrus::program before = in_ssa_form(g);
    elbrus::program after = before;
    random_source random(seed);
    for (std::size_t i = 0; i != after.procedures.size(); ++i) {
      elbrus::procedure& p = after.procedures[i];
      elbrus::editor e(p);
      midend::unfolding<elbrus::editor> u(e);
      unfold_at_random(p, u, random);
      if (seed % 2 == 0) {
        unfold_at_random(p, u, random);
      }
      nodes += p.num_nodes() - before.procedures[i].num_nodes();
      phis += p.num_values() - before.procedures[i].num_values();
      const auto verdict = certificate(before.procedures[i], p, u.witness());
      CHECK_MESSAGE(verdict, "seed ", seed, ": ", to_text(verdict), "\n", elbrus::to_text(before.procedures[i]),
                    elbrus::to_text(p));
    }
    const std::string wrong = why_wrong(g, after, &runs);
    CHECK_MESSAGE(wrong.empty(), "seed ", seed, ": ", wrong);
  });
  MESSAGE(nodes, " nodes, ", phis, " values; ", runs.same, " runs the same, ", runs.no_verdict, " without verdict");
  CHECK(nodes > affordable(1000));
  CHECK(runs.same > affordable(300));
}
