#include "kit/run_text.hpp"
#include "transform/cleaning_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/transform/remove_dead_loops.hpp>
#include <midend/transform/verify_loop_ends.hpp>
#include <midend/transform/verify_removal.hpp>

#include <cstddef>
#include <string>

using namespace midend_tests;
namespace elbrus = midend::elbrus;

namespace {

/// Whether the loop of i8 with this start, increment and exit goes, since it ends. `%n` is unknown, `%m` changes.
bool ends(const std::string& start, const std::string& increment, const std::string& test, bool exits_when = false) {
  const std::string text = "proc @f(%n: i8, %c: i1) -> i32 {\n  node entry:\n    br head\n  node head:\n"
                           "    %i = phi.i8 [entry: " +
                           start +
                           "], [latch: %i1]\n    %m = phi.i8 [entry: %n], [latch: %m1]\n    %m1 = mul.i8 %m, 3\n"
                           "    %i1 = " +
                           increment + (test.find("%q0") == test.npos ? "\n    %q = " : "\n    %q0 = ") + test +
                           "\n    br %q ? " + (exits_when ? "exit : latch" : "latch : exit") +
                           "\n  node latch:\n    br head\n  node exit:\n    ret 0\n}\n";
  elbrus::procedure p = program_of(text).procedures[0];
  const elbrus::procedure before = p;
  elbrus::cost_editor e(p);
  const midend::removal_witness w = midend::remove_dead_loops(e);
  CHECK(midend::verify_loop_ends(elbrus::cost_view(before), w.ending_loops));
  return midend::dominators_and_loops(p).loops.num_loops() == 0;
}

} // namespace

TEST_CASE("remove_dead_loops: those that end by their counters") {
  CHECK(ends("0", "add.i8 %i, 1", "cmp.lt.i8 %i, 100"));
  CHECK(ends("0", "add.i8 %i, 3", "cmp.ne.i8 %i, 100")); // it wraps, and meets 100 some time
  CHECK(!ends("0", "add.i8 %i, 2", "cmp.ne.i8 %i, 101"));
  CHECK(ends("1", "add.i8 %i, 2", "cmp.ne.i8 %i, 101"));
  CHECK(ends("100", "sub.i8 %i, 1", "cmp.gt.i8 %i1, 0"));
  CHECK(!ends("0", "add.i8 %i, 0", "cmp.lt.i8 %i, 100"));
  CHECK(!ends("0", "add.i8 %i, 1", "cmp.le.i8 %i, 127"));
  CHECK(ends("0", "add.i8 %i, 1", "cmp.lt.i8 %i, 100", true)); // it is left at once
  CHECK(!ends("0", "add.i8 %i, 1", "cmp.ne.i8 %i, undef"));
  CHECK(ends("%n", "add.i8 %i, 1", "cmp.ne.i8 %i, %n"));
  CHECK(ends("0", "add.i8 %i, 1", "cmp.lt.i8 %i, %n"));
  CHECK(ends("%n", "add.i8 3, %i", "cmp.lt.i8 %i1, %n"));
  CHECK(!ends("0", "add.i8 %i, 2", "cmp.lt.i8 %i, %n"));
  CHECK(!ends("0", "add.i8 %i, 1", "cmp.le.i8 %i, %n"));
  CHECK(!ends("0", "add.i8 %i, 1", "cmp.ne.i8 %i, %m"));
  CHECK(!ends("0", "add.i8 %i, %n", "cmp.ne.i8 %i, 5"));
  CHECK(!ends("0", "sub.i8 1, %i", "cmp.ne.i8 %i, 5"));
  CHECK(ends("0", "add.i8 %i, 2 nsw", "cmp.le.i8 %i, %m"));
  CHECK(!ends("0", "mul.i8 %i, 3", "cmp.ne.i8 %i, 5"));
  CHECK(!ends("0", "add.i8 %i, 4", "cmp.le.i8 %i, 124")); // of 125, 126 and 127 it meets none
  CHECK(ends("1", "add.i8 %i, 4", "cmp.le.i8 %i, 124"));
  CHECK(!ends("%n", "add.i8 %i, 4", "cmp.le.i8 %i, 124"));
  CHECK(ends("%n", "add.i8 %i, 4", "cmp.le.i8 %i, 123"));
  CHECK(ends("0", "add.i8 %i, 1", "cmp.ne.i8 %m, 5\n    %r = cmp.ge.i8 %i, %n\n    %q = or.i1 %q0, %r", true));
  CHECK(ends("0", "add.i8 %i, 1", "cmp.ne.i8 %m, 5\n    %r = cmp.lt.i8 %i, %n\n    %q = and.i1 %q0, %r"));
  CHECK(!ends("0", "add.i8 %i, 1", "cmp.ne.i8 %m, 5\n    %r = cmp.lt.i8 %i, %n\n    %q = or.i1 %q0, %r"));
}

TEST_CASE("remove_dead_loops: dead loops of random programs go, endless ones stay") {
  random_program_options options = all_flow();
  options.endless = true;
  std::size_t loops = 0;
  std::size_t removed = 0;
  for_each_random_program(600, options, [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program all = in_ssa_form(g);
    for (elbrus::procedure& p : all.procedures) {
      const elbrus::procedure before = p;
      elbrus::cost_editor e(p);
      const auto w = midend::remove_dead_loops(e);
      loops += w.ending_loops.size();
      CHECK(midend::verify_removal(elbrus::effect_view(before), elbrus::effect_view(p), w));
      const midend::node_id wrong = midend::verify_loop_ends(elbrus::cost_view(before), w.ending_loops).node;
      CHECK_MESSAGE(wrong == midend::no_node, "seed ", seed, ": ", before.name(), ", node ", wrong);
      removed +=
          midend::dominators_and_loops(before).loops.num_loops() - midend::dominators_and_loops(p).loops.num_loops();
    }
    const std::string wrong = why_wrong(g, all);
    CHECK_MESSAGE(wrong.empty(), "seed ", seed, ": ", wrong);
  });
  MESSAGE(loops, " loops end, ", removed, " removed");
  CHECK(loops > affordable(300));
}
