#include "kit/run_text.hpp"
#include "transform/cleaning_checks.hpp"

#include <doctest/doctest.h>
#include <midend/transform/remove_dead_code.hpp>
#include <midend/transform/verify_removal.hpp>

using namespace midend_tests;
namespace elbrus = midend::elbrus;

namespace {

const auto certify_removal = [](const elbrus::effect_view& before, const elbrus::effect_view& after,
                                const midend::removal_witness& w) { return midend::verify_removal(before, after, w); };

} // namespace

TEST_CASE("remove_dead_code on random programs") {
  std::size_t branches = 0;
  const auto counts = clean_random_programs(
      800, endless_flow(), worsen,
      [&](elbrus::editor& e) {
        const midend::dead_code_plan plan = midend::plan_remove_dead_code(e);
        branches += plan.branches.size();
        return midend::apply_remove_dead_code(e, plan);
      },
      certify_removal);
  MESSAGE(branches, " branches removed");
  CHECK(counts.changed > affordable(300));
  CHECK(counts.runs.same > affordable(300));
  CHECK(branches > affordable(30));
}

TEST_CASE("remove_dead_code where loops end") {
  std::size_t loops = 0;
  const auto counts = clean_random_programs(
      600, all_flow(), worsen,
      [&](elbrus::editor& e) {
        const midend::dead_code_plan plan = midend::plan_remove_dead_code(e, {.loops_end = true});
        loops += plan.removed_loops.size();
        return midend::apply_remove_dead_code(e, plan);
      },
      certify_removal);
  MESSAGE(loops, " loops may have been removed");
  CHECK(counts.changed > affordable(200));
}
