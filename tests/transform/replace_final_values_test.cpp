#include "kit/run_text.hpp"
#include "transform/cleaning_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/transform/remove_dead_code.hpp>
#include <midend/transform/replace_final_values.hpp>
#include <midend/transform/verify_final_values.hpp>

#include <cstdint>
#include <string>

using namespace midend_tests;
namespace elbrus = midend::elbrus;

namespace {

using elbrus::cost_view;

midend::final_value_witness replace(elbrus::procedure& p, midend::final_value_plan* kept = nullptr) {
  const midend::final_value_plan plan = midend::plan_replace_final_values(cost_view(p));
  elbrus::editor e(p);
  if (kept != nullptr) {
    *kept = plan;
  }
  return midend::apply_replace_final_values(e, plan);
}

} // namespace

TEST_CASE("replace_final_values: by hand") {
  elbrus::program all = program_of(R"(proc @f(%a: i32, %b: i32, %c: i32) -> i32 {
  node entry:
    br head
  node head:
    %i = phi.i32 [entry: 0], [body: %i1]
    %sum = phi.i32 [entry: 0], [body: %sum3]
    %more = cmp.lt.i32 %i, 3000
    br %more ? body : exit
  node body:
    %sum1 = add.i32 %sum, %a
    %sum2 = add.i32 %sum1, %b
    %sum3 = add.i32 %sum2, %c
    %i1 = add.i32 %i, 1
    br head
  node exit:
    ret %sum
}
proc @g(%n: i32) -> i64 {
  node entry:
    br head
  node head:
    %i = phi.i32 [entry: 0], [body: %i1]
    %sum = phi.i64 [entry: 0], [body: %sum1]
    %tri = phi.i32 [entry: 0], [body: %tri1]
    %more = cmp.lt.i32 %i, %n
    br %more ? body : exit
  node body:
    %sum1 = add.i64 %sum, 3
    %tri1 = add.i32 %tri, %i
    %i1 = add.i32 %i, 1
    br head
  node exit:
    %w = sext.i32.i64 %tri
    %x = add.i64 %w, %sum
    %y = sext.i32.i64 %i
    %z = add.i64 %x, %y
    ret %z
}
)");
  for (elbrus::procedure& p : all.procedures) {
    const elbrus::procedure before = p;
    midend::final_value_plan plan;
    const auto w = replace(p, &plan);
    for (auto& r : plan.refused) MESSAGE("refused ", r.value, " ", (int)r.why);
    MESSAGE(elbrus::to_text(p));
    const auto v = midend::verify_final_values(cost_view(before), cost_view(p), w);
    CHECK_MESSAGE(v, (int)v.fault, " ", v.node, " ", v.value);
  }
}
