// The clean-up: what its members plan follows from facts and classes that hold for the program as it is then.
#include "kit/random_programs.hpp"
#include "kit/run_text.hpp"
#include "transform/cleaning_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/package/clean_up.hpp>
#include <midend/ssa/verify_congruence.hpp>
#include <midend/ssa/verify_sccp.hpp>
#include <midend/transform/unroll_loops.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;

namespace {

struct fact_checker : midend::clean_up_observer {
  using midend::clean_up_observer::planned;

  template <class E, class Found, class Constant>
  void planned(const E& editor, const Found& found, const midend::value_numbering_plan<Constant>&) {
    wrong += midend::verify_congruence(editor, found) ? 1U : 0U;
    ++plans;
  }

  template <class E, class Found, class Constant>
  void planned(const E& editor, const Found& found, const midend::sccp_plan<Constant>&) {
    wrong += midend::verify_sccp_with_branch_facts(editor, found) ? 1U : 0U;
    ++plans;
  }

  std::size_t plans = 0;
  std::size_t wrong = 0;
};

void unroll_by_three(elbrus::procedure& p) {
  const auto loops = midend::dominators_and_loops(p).loops;
  std::vector<midend::unrolling_request> requests;
  for (const midend::loop_id l : loops.loops()) {
    if (loops.subloops(l).size() == 1) {
      requests.push_back({l, {midend::unrolling_kind::partial, 3}});
    }
  }
  elbrus::editor e(p);
  midend::unroll_loops(e, loops, requests);
}

void clean(elbrus::procedure& p, fact_checker& checker) {
  elbrus::cost_editor e(p);
  midend::clean_up(e, {}, checker);
}

/// In the copies, the sum is computed where no copy before need have computed it. It does not wrap where it runs;
/// before the branch, where it moves to, it may.
constexpr std::string_view one_sum = R"(
proc @main(%a2: i64) -> i16 {
  node n1:
    br n18
  node n17:
    br n42
  node n18:
    %v19 = phi.i64 [n1: 0], [n18: %v36]
    %v21 = phi.i64 [n1: -3931939000495498684], [n18: %v19]
    %v36 = add.i64 %v19, 2 nsw
    %v37 = cmp.lt.i64 0, %a2
    br %v37 ? n18 : n17
  node n42:
    br 1 ? n52 : n51
  node n51:
    br n42
  node n52:
    %v54 = add.i64 %v21, %v36 nsw
    br n51
}
)";

} // namespace

TEST_CASE("clean_up: facts and classes hold for the program in which they are used, also after operations have moved") {
  fact_checker checker;
  elbrus::program one = program_of(one_sum);
  unroll_by_three(one.procedures[0]);
  clean(one.procedures[0], checker);
  CHECK(checker.plans != 0);
  for_each_random_program(150, endless_flow(), [&](const generated_program& g, std::uint64_t) {
    elbrus::program all = in_ssa_form(g);
    for (elbrus::procedure& p : all.procedures) {
      unroll_by_three(p);
      clean(p, checker);
    }
  });
  MESSAGE(checker.plans, " plans");
  CHECK(checker.wrong == 0);
}
