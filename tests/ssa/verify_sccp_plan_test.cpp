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

TEST_CASE("sccp plan: where narrowing has contradicted the path to a branch, the branch stays") {
  const midend::elbrus::program p = program_of(R"(proc @f0() -> i8 {
  node n1:
    br n6
  node n5:
    %v46 = and.i32 %v7, 255
    %v47 = itof.i32.f32 %v46
    %v48 = fcmp.olt.f32 %v47, 0x1.d4cp+14
    %v53 = and.i32 0, 7
    switch.i32 %v53 [1: n54], default: n54
  node n6:
    %v7 = phi.i32 [n1: 0], [n13: %v39]
    %v10 = cmp.lt.i32 %v7, 15
    br %v10 ? n23 : n5
  node n13:
    %v39 = add.i32 %v7, 1 nsw
    br n6
  node n22:
    %v28 = phi.i8 [n23: 9]
    br n13
  node n23:
    br n22
  node n54:
    br 0 ? n64 : n85.1
  node n63:
    ret 0
  node n64:
    %v69 = phi.i8 [n54: 5], [n92.1: 0]
    br n63
  node n85.1:
    br %v48 ? n92.1 : n85.2
  node n85.2:
    br %v48 ? n92.1 : n92.1
  node n92.1:
    br n64
}
)");
  const midend::elbrus::semantic_view view(p.procedures[0]);
  midend::sccp_options options;
  options.lists_decided_uses = true;
  const auto found = midend::sccp_with_branch_facts(view, midend::strided_interval_domain(), options);
  const auto plan = midend::plan_sccp(view, found);
  const auto contradicts = [&](midend::edge_id e) { // what the condition is
    const midend::node_id n = view.graph().edge_source(e);
    const auto c = found.constant(view.condition(n));
    return c && midend::edge_of_case(view, n, *c) != e;
  };
  std::size_t contradicted = 0;
  for (midend::node_id n = 0; n != view.graph().num_nodes(); ++n) {
    std::size_t executable = 0;
    midend::edge_id last = midend::no_edge;
    for (const midend::edge_id e : view.graph().out_edges(n)) {
      executable += found.is_executable_edge(e) ? 1u : 0u;
      last = found.is_executable_edge(e) ? e : last;
    }
    contradicted += executable == 1 && view.condition(n) != midend::no_value && contradicts(last) ? 1u : 0u;
  }
  CHECK(contradicted == 1);
  for (const midend::edge_id e : plan.kept_edges) {
    CHECK(!contradicts(e));
  }
  CHECK(!midend::verify_sccp_plan_with_branch_facts(view, found, plan));
}
