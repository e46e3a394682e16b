#include "kit/parsed_procedure.hpp"
#include "kit/random_programs.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/dataflow/domains/strided_interval_domain.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/views.hpp>
#include <midend/ir/edge_cases.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/ssa/sccp_plan.hpp>
#include <midend/ssa/verify_sccp.hpp>
#include <midend/ssa/verify_sccp_plan.hpp>

#include <cstddef>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using midend::sccp_fault;

namespace {

struct planned {
  parsed_procedure p = parsed_procedure(R"(
proc @f(%a: i32, %c: i1) -> i32 {
  node entry:
    %x = add.i32 2, 4
    %y = and.i32 %a, 7
    %q = cmp.lt.i32 %y, 8
    br %q ? left : right
  node left:
    %z = add.i32 %x, %y
    br %c ? right : right
  node right:
    %r = phi.i32 [entry: 0], [left: %z], [left: %x]
    ret %r
}
)");
  elbrus::semantic_view view = elbrus::semantic_view(p.procedure());
  midend::sccp_result<midend::number_domain> found = midend::sccp(view, midend::number_domain());
  midend::sccp_plan<std::uint64_t> plan = midend::plan_sccp(view, found);

  midend::sccp_error error() const { return midend::verify_sccp_plan(view, found, plan); }
};

} // namespace

TEST_CASE("verify_sccp_plan: a plan says what the facts say") {
  const planned right;
  CHECK(!midend::verify_sccp(right.view, right.found));
  REQUIRE(right.plan.replacements.size() == 2); // x and q
  REQUIRE(right.plan.kept_edges.size() == 1);
  CHECK(right.plan.replacements[0].constant == 6);
  CHECK(!right.error());
  {
    planned t; // the facts say 6
    t.plan.replacements[0].constant = 8;
    CHECK(t.error().fault == sccp_fault::fact);
    CHECK(t.error().value == t.p.value("x"));
  }
  {
    planned t; // nothing is known about y but a range
    t.plan.replacements.push_back({t.p.value("y"), 7, true});
    CHECK(t.error().fault == sccp_fault::fact);
  }
  {
    planned t;
    t.plan.replacements.push_back({1000, 7, true});
    CHECK(t.error().fault == sccp_fault::fact);
  }
  {
    planned t; // the branch goes the other way
    t.plan.kept_edges[0] = t.p.procedure().out_edges(0)[1];
    CHECK(t.error().fault == sccp_fault::edge);
    CHECK(t.error().edge == t.p.procedure().out_edges(0)[0]);
  }
  {
    planned t; // both edges are taken
    t.plan.kept_edges.push_back(t.p.procedure().out_edges(t.p.node("left"))[0]);
    CHECK(t.error().fault == sccp_fault::edge);
    CHECK(t.error().node == t.p.node("left"));
  }
  {
    planned t;
    t.plan.kept_edges.push_back(1000);
    CHECK(t.error().fault == sccp_fault::edge);
  }
  {
    planned t; // a plan may do less
    t.plan.replacements.clear();
    CHECK(!t.error());
  }
}

TEST_CASE("verify_sccp_plan accepts the plans of random programs") {
  std::size_t entries = 0;
  random_program_options options = all_flow();
  options.known = 40;
  for_each_random_program(200, options, [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program p = g.program;
    elbrus::construct_ssa(p);
    for (const elbrus::procedure& each : p.procedures) {
      const elbrus::semantic_view view(each);
      const auto found = midend::sccp(view, midend::number_domain());
      const auto plan = midend::plan_sccp(view, found);
      CHECK_MESSAGE(!midend::verify_sccp_plan(view, found, plan), "seed ", seed);
      entries += plan.replacements.size() + plan.kept_edges.size();
    }
  });
  CHECK(entries > affordable(200));
}

TEST_CASE("sccp plan: where narrowing has contradicted the way to a branch, the branch stays") {
  const midend::elbrus::program p = program_of("proc @f(%x: i32) -> i32 {\n  node entry:\n    br head\n"
                                               "  node head:\n    %i = phi.i32 [entry: 0], [body: %j]\n"
                                               "    %t = cmp.lt.i32 %i, 15\n    br %t ? body : after\n"
                                               "  node body:\n    %j = add.i32 %i, 1\n    br head\n"
                                               "  node after:\n    %c = cmp.lt.i32 %i, 100\n    br %c ? yes : no\n"
                                               "  node yes:\n    ret 1\n"
                                               "  node no:\n    br %c ? never : also\n"
                                               "  node never:\n    ret 2\n"
                                               "  node also:\n    ret 3\n}\n");
  const midend::elbrus::semantic_view view(p.procedures[0]);
  midend::sccp_options options;
  options.lists_decided_uses = true;
  const auto found = midend::sccp_with_branch_facts(view, midend::strided_interval_domain(), options);
  std::size_t branches = 0;
  for (midend::node_id n = 0; n != view.graph().num_nodes(); ++n) {
    const midend::value_id condition = view.condition(n);
    branches += condition != midend::no_value && found.constant(condition) ? 1u : 0u;
  }
  CHECK(branches == 2); // both on %c, which is 1
  const auto plan = midend::plan_sccp(view, found);
  for (const midend::edge_id e : plan.kept_edges) {
    const midend::node_id n = view.graph().edge_source(e);
    const auto c = found.constant(view.condition(n));
    CHECK((!c || midend::edge_of_case(view, n, *c) == e));
  }
  CHECK(!midend::verify_sccp_plan_with_branch_facts(view, found, plan));
}
