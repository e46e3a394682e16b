#include "kit/allocations.hpp"
#include "kit/run_text.hpp"
#include "transform/cleaning_checks.hpp"

#include <doctest/doctest.h>
#include <midend/transform/remove_dead_code.hpp>
#include <midend/transform/verify_removal.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;

namespace {

const auto certify_removal = [](const elbrus::effect_view& before, const elbrus::effect_view& after,
                                const midend::removal_witness& w) { return midend::verify_removal(before, after, w); };

/// A workspace and a plan that have seen other programs change nothing.
void check_same_plan(const midend::dead_code_plan& a, const midend::dead_code_plan& b) {
  CHECK(a.epoch == b.epoch);
  CHECK(std::ranges::equal(a.values, b.values));
  CHECK(std::ranges::equal(a.branches, b.branches));
  CHECK(std::ranges::equal(a.unreachable, b.unreachable));
  CHECK(std::ranges::equal(a.bypassed, b.bypassed));
  CHECK(std::ranges::equal(a.removed_loops, b.removed_loops));
  CHECK(std::ranges::equal(a.refused, b.refused));
}

} // namespace

TEST_CASE("the tree of minima takes what an array of keys has below a limit") {
  random_source random(15);
  for (std::size_t round = 0; round != affordable(200); ++round) {
    const std::size_t count = 1 + random.below(70);
    std::vector<std::uint32_t> keys;
    midend::detail::edges_by_subtree tree;
    tree.resize(count);
    for (std::size_t i = 0; i != count; ++i) {
      keys.push_back(random.below(5)); // many are equal
      tree.set(i, keys[i]);
    }
    tree.build();
    for (std::size_t step = 0; step != 20; ++step) {
      const std::size_t first = random.below(static_cast<std::uint32_t>(count));
      const std::size_t last = first + random.below(static_cast<std::uint32_t>(count - first + 1));
      const std::uint32_t limit = random.below(6);
      std::vector<std::size_t> expected;
      for (std::size_t i = first; i != last; ++i) {
        if (keys[i] < limit) {
          expected.push_back(i);
          keys[i] = midend::detail::edges_by_subtree::taken;
        }
      }
      std::vector<std::size_t> taken;
      tree.take(first, last, limit, [&](std::size_t i) { taken.push_back(i); });
      std::ranges::sort(taken);
      CHECK(taken == expected);
    }
  }
}

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

TEST_CASE("remove_dead_code: what a literal keeps from running has no effect") {
  for (const bool runs : {false, true}) {
    elbrus::program all =
        program_of(std::string("proc @f(%a: ptr) {\n  node entry:\n    st.i32 1, [%a] ? ~") + (runs ? "0" : "1") +
                   "\n    call @host_note(i32 1) ? " + (runs ? "1" : "0") + "\n    ret\n}\n");
    const elbrus::procedure before = all.procedures[0];
    elbrus::editor e(all.procedures[0]);
    const auto witness = midend::remove_dead_code(e);
    CHECK((elbrus::to_text(all.procedures[0]).find("host_note") != std::string::npos) == runs);
    CHECK((elbrus::to_text(all.procedures[0]).find("st.i32") != std::string::npos) == runs);
    CHECK(midend::verify_removal(elbrus::effect_view(before), elbrus::effect_view(all.procedures[0]), witness));
  }
}

TEST_CASE("remove_dead_code where loops end") {
  std::size_t loops = 0;
  std::size_t allocations = 0;
  midend::dead_code_workspace workspace; // of all programs
  midend::dead_code_plan plan;
  const auto counts = clean_random_programs(
      600, all_flow(), worsen,
      [&](elbrus::editor& e) {
        const midend::dead_code_options options{.loops_end = true};
        midend::plan_remove_dead_code(e, options, workspace, plan);
        check_same_plan(plan, midend::plan_remove_dead_code(e, options));
        allocations += allocations_of([&] { midend::plan_remove_dead_code(e, options, workspace, plan); });
        loops += plan.removed_loops.size();
        return midend::apply_remove_dead_code(e, plan, workspace);
      },
      certify_removal);
  MESSAGE(loops, " loops may have been removed");
  CHECK(allocations == 0); // the program was planned before
  CHECK(counts.changed > affordable(200));
}
