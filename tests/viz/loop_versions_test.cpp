#include "kit/parsed_procedure.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/induction/loop_trip_counter.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/viz/loop_versions.hpp>

#include <string>

using namespace midend_tests;

TEST_CASE("words for unswitching, index split and peeling by profile") {
  const parsed_procedure p(R"(
proc @f(%n: i32, %c: i1) -> i32 count=10 {
  node entry count=10:
    br head
  node head count=12:
    %i = phi.i32 [entry: 0], [a: %i1], [b: %i1]
    %q = cmp.lt.i32 %i, %n
    %i1 = add.i32 %i, 1
    br %q ? body(0.166667) : exit(0.833333)
  node body count=2:
    br %c ? test(1) : b(0)
  node test count=2:
    %d = cmp.lt.i32 %i, 5
    br %d ? a(1) : b(0)
  node a count=2:
    br head
  node b count=0:
    br head
  node exit count=10:
    ret %i
}
)");
  const midend::elbrus::cost_view view(p.procedure());
  const auto found = midend::dominators_and_loops(p.procedure());
  const names_of names{p.procedure()};
  const auto taken = midend::plan_unswitch(view, found.loops);
  CHECK(midend::to_text(found.loops, taken, names) == "unswitch the loop of head on %c: 2 versions, 9 operations "
                                                      "cloned\n");
  CHECK(midend::summary_text(taken) == "1 unswitched loop");
  const auto refused = midend::plan_unswitch(view, found.loops, {5, 8});
  CHECK(midend::to_text(found.loops, refused, names) ==
        "%c in body stays in the loop of head: more would be cloned than the limit\n");
  CHECK(midend::summary_text(refused) == "no loop unswitched; refused: 1 branch (more would be cloned than the limit)");
  const midend::loop_trip_counter counter(view, found.loops);
  const auto split = midend::plan_index_split(view, found.loops, counter.evolutions());
  CHECK(midend::to_text(found.loops, split, names) == "split the loop of head where %d no longer holds\n");
  CHECK(midend::summary_text(split) == "1 split loop");
  const auto whole = midend::plan_index_split(view, found.loops, counter.evolutions(), {5, 8, false});
  CHECK(midend::to_text(found.loops, whole, names) ==
        "the loop of head is not split at %d: more would be cloned than the limit\n");
  const auto peeled = midend::plan_peel_by_profile(view, found.loops);
  CHECK(midend::to_text(found.loops, peeled, names) == "peel 2 iterations of the loop of head\n");
  CHECK(midend::summary_text(peeled) == "1 peeled loop");
  const auto kept = midend::plan_peel_by_profile(view, found.loops, {0.125, 1});
  CHECK(midend::to_text(found.loops, kept, names) ==
        "the loop of head is not peeled: it would still be entered after the iterations that may be peeled\n");
}
