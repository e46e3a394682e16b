// Interchange and collapse of random programs of any flow: certified, and run.
#include "kit/affordable.hpp"
#include "transform/cleaning_checks.hpp"
#include "transform/nest_checks.hpp"

#include <doctest/doctest.h>
#include <midend/transform/rotate_loops.hpp>
#include <midend/viz/nests.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using elbrus::cost_view;
using elbrus::procedure;

TEST_CASE("interchange and collapse: random programs run the same, and all certificates are accepted") {
  std::size_t interchanged = 0;
  std::size_t collapsed = 0;
  std::size_t refused = 0;
  comparison_counts runs;
  for_each_random_program(1500, all_flow(), [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program all = in_ssa_form(g);
    for (procedure& p : all.procedures) {
      elbrus::editor e(p);
      if (seed % 2 == 0) {
        midend::rotate_loops(e);
      }
      procedure before = p;
      const midend::interchange_plan exchange = planned_interchange(p);
      const auto first = midend::verify_interchange(cost_view(before), cost_view(p), {});
      CHECK(first); // nothing has changed
      const midend::interchange_witness witness = midend::apply_interchange(e, exchange);
      const auto verdict = midend::verify_interchange(cost_view(before), cost_view(p), witness);
      CHECK_MESSAGE(verdict, "seed ", seed, ": ", midend::to_text(verdict), "\n", midend::to_text(exchange),
                    elbrus::to_text(before), elbrus::to_text(p));
      CHECK(why_ill_formed(p) == "");
      before = p;
      midend::collapse_plan merge = planned_collapse(p);
      const midend::collapse_witness merged = midend::apply_collapse(e, merge);
      const auto second = midend::verify_collapse(cost_view(before), cost_view(p), merged);
      CHECK_MESSAGE(second, "seed ", seed, ": ", midend::to_text(second), "\n", midend::to_text(merge),
                    elbrus::to_text(before), elbrus::to_text(p));
      CHECK(why_ill_formed(p) == "");
      interchanged += exchange.nests.size();
      collapsed += merge.nests.size();
      refused += exchange.refused.size() + merge.refused.size();
    }
    const std::string wrong = why_wrong(g, all, &runs);
    CHECK_MESSAGE(wrong.empty(), "seed ", seed, ": ", wrong);
  });
  MESSAGE(interchanged, " interchanged, ", collapsed, " collapsed, ", refused, " refused; ", runs.same,
          " runs the same");
  CHECK(refused > affordable(100));
}

namespace {

/// `depth` loops in each other, each of which runs `bound` times.
std::string deep_nest(std::size_t depth, const std::string& bound) {
  std::string text = "proc @f(%x: i32) -> i32 {\n  node h0:\n    br h1\n";
  std::string ends;
  for (std::size_t i = 1; i <= depth; ++i) {
    const std::string k = std::to_string(i);
    const std::string before = std::to_string(i - 1);
    text += "  node h" + k + ":\n    %i" + k + " = phi.i32 [h" + before + ": 0], [t" + k + ": %n" + k + "]\n    br " +
            (i == depth ? "t" + k : "h" + std::to_string(i + 1)) + "\n";
    ends = "  node t" + k + ":\n    %n" + k + " = add.i32 %i" + k + ", 1\n    %q" + k + " = cmp.lt.i32 %n" + k + ", " +
           bound + "\n    br %q" + k + " ? h" + k + " : " + (i == 1 ? "out" : "t" + before) + "\n" + ends;
  }
  return text + ends + "  node out:\n    ret 0\n}\n";
}

} // namespace

TEST_CASE("interchange and collapse: one pair of each nest, however deep") {
  for (std::size_t depth = 2; depth != 9; ++depth) {
    elbrus::program all = program_of(deep_nest(depth, "%x"));
    procedure& p = all.procedures[0];
    procedure before = p;
    const midend::interchange_plan exchange = planned_interchange(p);
    CHECK(exchange.nests.size() == 1);
    elbrus::editor e(p);
    CHECK(midend::verify_interchange(cost_view(before), cost_view(p), midend::apply_interchange(e, exchange)));
    elbrus::program counted = program_of(deep_nest(depth, "3"));
    procedure& q = counted.procedures[0];
    before = q;
    midend::collapse_plan merge = planned_collapse(q);
    CHECK(merge.nests.size() == 1);
    elbrus::editor f(q);
    CHECK(midend::verify_collapse(cost_view(before), cost_view(q), midend::apply_collapse(f, merge)));
  }
}

TEST_CASE("interchange and collapse: words") {
  const elbrus::program all = program_of(nest_text({}, {}, true, "", "    st.i64 %i, [%a]\n"));
  const procedure& p = all.procedures[0];
  CHECK(midend::to_text(planned_interchange(p)).find("two accesses meet in iterations that would change order") !=
        std::string::npos);
  CHECK(midend::summary_text(planned_interchange(p)) ==
        "nothing interchanged; refused: 1 loop pair (two accesses meet in iterations that would change order)");
  CHECK(midend::summary_text(planned_collapse(p)) == "1 collapse");
  CHECK(midend::to_text(planned_collapse(p)) == "block 2 becomes one loop with block 1, of 16 iterations\n");
  for (unsigned o = 0; o <= static_cast<unsigned>(midend::loop_pair_obstacle::not_made); ++o) {
    for (unsigned other = 0; other != o; ++other) {
      CHECK(midend::to_text(static_cast<midend::loop_pair_obstacle>(o)) !=
            midend::to_text(static_cast<midend::loop_pair_obstacle>(other)));
    }
  }
}

TEST_CASE("interchange: a long row of nests") {
  // 2000 nests in a row, each planned, changed and certified.
  std::string text = "proc @f(%a: ptr) {\n  node entry:\n    br rows0\n";
  const char* const many = std::getenv("MIDEND_ROW_OF_NESTS");
  const int count = many != nullptr ? std::atoi(many) : 2000;
  for (int i = 0; i != count; ++i) {
    const std::string n = std::to_string(i);
    const std::string before = i == 0 ? "entry" : "next" + std::to_string(i - 1);
    text += "  node rows" + n + ":\n    %i" + n + " = phi.i64 [" + before + ": 0], [next" + n + ": %k" + n +
            "]\n    br columns" + n + "\n  node columns" + n + ":\n    %j" + n + " = phi.i64 [rows" + n +
            ": 0], [columns" + n + ": %l" + n + "]\n    %r" + n + " = mul.i64 %i" + n + ", 4\n    %at" + n +
            " = add.i64 %r" + n + ", %j" + n + "\n    st.i64 %j" + n + ", [%a + %at" + n + "*8]\n    %l" + n +
            " = add.i64 %j" + n + ", 1\n    %c" + n + " = cmp.lt.i64 %l" + n + ", 4\n    br %c" + n + " ? columns" + n +
            " : next" + n + "\n  node next" + n + ":\n    %k" + n + " = add.i64 %i" + n + ", 1\n    %d" + n +
            " = cmp.lt.i64 %k" + n + ", 3\n    br %d" + n + " ? rows" + n + " : " +
            (i + 1 == count ? "exit" : "rows" + std::to_string(i + 1)) + "\n";
  }
  elbrus::program all = program_of(text + "  node exit:\n    ret\n}\n");
  procedure& p = all.procedures[0];
  const procedure before = p;
  const midend::interchange_plan plan = planned_interchange(p);
  CHECK(plan.nests.size() == static_cast<std::size_t>(count));
  elbrus::editor e(p);
  const midend::interchange_witness witness = midend::apply_interchange(e, plan);
  CHECK(midend::verify_interchange(cost_view(before), cost_view(p), witness));
}
