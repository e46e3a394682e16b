#include "kit/run_text.hpp"
#include "transform/cleaning_checks.hpp"

#include <doctest/doctest.h>
#include <midend/transform/close_loops.hpp>
#include <midend/transform/propagate_copies.hpp>
#include <midend/transform/verify_replacement.hpp>

using namespace midend_tests;
using midend::value_id;
namespace elbrus = midend::elbrus;

namespace {

const auto certify_replacement = [](const elbrus::effect_view& before, const elbrus::effect_view& after,
                                    const midend::replacement_witness& w) {
  return midend::verify_replacement(before, after, w);
};

} // namespace

TEST_CASE("propagate_copies on random programs") {
  std::size_t replaced = 0;
  const auto counts = clean_random_programs(
      800, endless_flow(), worsen,
      [&](elbrus::editor& e) {
        const midend::copy_propagation_plan plan = midend::plan_propagate_copies(e);
        replaced += plan.replacements.size();
        return midend::apply_propagate_copies(e, plan);
      },
      certify_replacement);
  MESSAGE(replaced, " values replaced");
  CHECK(counts.changed > affordable(300));
  CHECK(counts.runs.same > affordable(300));
  CHECK(replaced > affordable(1000));
}

TEST_CASE("propagate_copies keeps the closed form of loops") {
  std::size_t closing = 0;
  clean_random_programs(
      400, endless_flow(),
      [](elbrus::editor& e, elbrus::procedure& p, std::uint64_t seed) {
        worsen(e, p, seed);
        midend::close_loops(e);
      },
      [&](elbrus::editor& e) {
        const auto found = midend::dominators_and_loops(e.graph());
        const std::string before = elbrus::to_text(e.graph());
        const auto w = midend::propagate_copies(e, found.loops);
        const auto open = midend::plan_close_loops(e, found.dominators, found.loops);
        CHECK_MESSAGE(open.empty(), "value ", open.phis[0].value, " at node ", open.phis[0].exit, "\n", before,
                      elbrus::to_text(e.graph()));
        closing += midend::plan_propagate_copies(e).replacements.size();
        return w;
      },
      certify_replacement);
  MESSAGE(closing, " phis kept");
  CHECK(closing > affordable(100));
}
