// After a branch, what reads a value that it decides reads the constant.
#include "kit/affordable.hpp"
#include "kit/random_programs.hpp"
#include "kit/run_text.hpp"
#include "transform/unfolding_checks.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/dataflow/domains/strided_interval_domain.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/elbrus/views/views.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/ssa/apply_sccp.hpp>
#include <midend/ssa/check_ir.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/ssa/sccp_plan.hpp>
#include <midend/ssa/verify_sccp.hpp>
#include <midend/ssa/verify_sccp_plan.hpp>
#include <midend/transform/unroll_loops.hpp>
#include <midend/viz/sccp.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using midend::strided_interval_domain;

namespace {

using facts = midend::sccp_result<strided_interval_domain>;
using plan_of_constants = midend::sccp_plan<std::uint64_t>;

facts facts_of(const elbrus::procedure& p, bool lists = true) {
  return midend::sccp_with_branch_facts(elbrus::semantic_view(p), strided_interval_domain(),
                                        {.lists_decided_uses = lists});
}

/// The uses that branches decide read constants; nothing else changes.
std::string text_after(const std::string& text) {
  elbrus::program all = program_of(text);
  elbrus::procedure& p = all.procedures[0];
  const elbrus::semantic_view view(p);
  const facts found = facts_of(p);
  const plan_of_constants plan = midend::plan_sccp(view, found);
  CHECK(!midend::verify_sccp_with_branch_facts(view, found));
  CHECK(!midend::verify_sccp_plan_with_branch_facts(view, found, plan));
  elbrus::editor e(p);
  for (const auto& use : plan.uses) {
    midend::apply_decided_use(e, use);
  }
  CHECK(facts_of(p).decided_uses().empty());
  return elbrus::to_text(p);
}

bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

std::string branch(const char* before, const char* then, const char* otherwise, const char* after) {
  return std::string("proc @f(%p: i1, %q: i1, %x: i32, %a: ptr) -> i32 {\n  node entry:\n") + before +
         "    br %c ? yes : no\n  node yes:\n" + then + "    br done\n  node no:\n" + otherwise +
         "    br done\n  node done:\n" + after + "}\n";
}

} // namespace

TEST_CASE("decided uses: operands, guards and inputs of phis on both sides, but not after them") {
  const std::string text = text_after(branch(
      "    %c = cmp.lt.i32 %x, 7\n    %z0 = zext.i1.i32 %c\n", "    %z1 = zext.i1.i32 %c\n    st.i32 %z1, [%a] ? %c\n",
      "    %z2 = zext.i1.i32 %c\n    br %c ? yes : last\n  node last:\n",
      "    %r = phi.i1 [yes: %c], [last: %c]\n    %z3 = zext.i1.i32 %c\n    %z4 = zext.i1.i32 %r\n"
      "    %s1 = add.i32 %z3, %z4\n    %s = add.i32 %s1, %z0\n    ret %s\n"));
  CHECK(has(text, "%z0 = zext.i1.i32 %c"));
  CHECK(has(text, "%z2 = zext.i1.i32 0"));
  CHECK(has(text, "%r = phi.i1 [yes: %c], [last: 0]"));
  CHECK(has(text, "%z3 = zext.i1.i32 %c"));
  const std::string plain =
      text_after(branch("    %c = cmp.lt.i32 %x, 7\n", "    st.i32 1, [%a] ? %c\n", "    st.i32 2, [%a] ? ~%c\n",
                        "    %r = phi.i1 [yes: %c], [no: %c]\n    %z = zext.i1.i32 %r\n    ret %z\n"));
  CHECK(has(plain, "st.i32 1, [%a] ? 1"));
  CHECK(has(plain, "st.i32 2, [%a] ? ~0"));
  CHECK(has(plain, "%r = phi.i1 [yes: 1], [no: 0]"));
}

TEST_CASE("decided uses: what the condition is computed from") {
  const char* const uses = "    %zp = zext.i1.i32 %p\n    %zq = zext.i1.i32 %q\n    %zx = add.i32 %x, 1\n"
                           "    st.i32 %zp, [%a]\n    st.i32 %zq, [%a + 4]\n    st.i32 %zx, [%a + 8]\n";

  struct sample {
    const char* condition;
    const char* yes[3]; ///< %p, %q, %x where it holds
    const char* no[3];
  };

  for (const sample x : {
           sample{"    %c = and.i1 %p, %q\n", {"1", "1", "%x"}, {"%p", "%q", "%x"}},
           sample{"    %c = or.i1 %p, %q\n", {"%p", "%q", "%x"}, {"0", "0", "%x"}},
           sample{"    %n = not.i1 %p\n    %c = and.i1 %n, %q\n", {"0", "1", "%x"}, {"%p", "%q", "%x"}},
           sample{"    %d = cmp.eq.i32 %x, 5\n    %c = and.i1 %d, %q\n", {"%p", "1", "5"}, {"%p", "%q", "%x"}},
           sample{"    %c = cmp.ne.i32 %x, 9\n", {"%p", "%q", "%x"}, {"%p", "%q", "9"}},
           sample{"    %m = and.i32 %x, 7\n    %c = cmp.gt.i32 %m, 6\n", {"%p", "%q", "%x"}, {"%p", "%q", "%x"}},
       }) {
    const std::string yes = text_after(branch(x.condition, uses, "", "    ret 0\n"));
    const std::string no = text_after(branch(x.condition, "", uses, "    ret 0\n"));
    const char* const lines[] = {"    %zp = zext.i1.i32 ", "    %zq = zext.i1.i32 ", "    %zx = add.i32 "};
    for (std::size_t i = 0; i != 3; ++i) {
      const char* const rest = i == 2 ? ", 1\n" : "\n";
      CHECK_MESSAGE(has(yes, (lines[i] + std::string(x.yes[i]) + rest).c_str()), x.condition, yes);
      CHECK_MESSAGE(has(no, (lines[i] + std::string(x.no[i]) + rest).c_str()), x.condition, no);
    }
  }
}

TEST_CASE("decided uses: a value whose range a branch leaves one number of") {
  const std::string text = text_after(branch("    %m = and.i32 %x, 7\n    %c = cmp.gt.i32 %m, 6\n",
                                             "    st.i32 %m, [%a]\n", "    st.i32 %m, [%a + 4]\n", "    ret %m\n"));
  CHECK(has(text, "st.i32 7, [%a]"));
  CHECK(has(text, "st.i32 %m, [%a + 4]"));
  CHECK(has(text, "ret %m"));
}

TEST_CASE("decided uses: in a loop after a branch, but not in the loop around, where the bit is another one") {
  const std::string text =
      text_after("proc @f(%n: i32, %a: ptr) -> i32 {\n  node entry:\n    br around\n"
                 "  node around:\n    %i = phi.i32 [entry: 0], [inner: %i1]\n    %z0 = phi.i1 [entry: 0], [inner: %c]\n"
                 "    %c = cmp.lt.i32 %i, %n\n    st.i32 %i, [%a] ? %z0\n    br %c ? inner : done\n"
                 "  node inner:\n    %j = phi.i32 [around: 0], [inner: %j1]\n    %z = zext.i1.i32 %c\n"
                 "    %j1 = add.i32 %j, %z\n    %i1 = add.i32 %i, 1\n"
                 "    %q = cmp.lt.i32 %j1, 3\n    br %q ? inner : around\n"
                 "  node done:\n    %y = zext.i1.i32 %c\n    ret %y\n}\n");
  CHECK(has(text, "%z = zext.i1.i32 1"));
  CHECK(has(text, "[inner: 1]"));
  CHECK(has(text, "? %z0"));
  CHECK(has(text, "%y = zext.i1.i32 0"));
}

TEST_CASE("decided uses: only if asked for; what the plan says, and what is vetoed stays") {
  elbrus::program all =
      program_of(branch("    %c = cmp.lt.i32 %x, 7\n", "    st.i32 1, [%a] ? %c\n", "",
                        "    %r = phi.i1 [yes: %p], [no: %c]\n    %z = zext.i1.i32 %r\n    ret %z\n"));
  elbrus::procedure& p = all.procedures[0];
  CHECK(facts_of(p, false).decided_uses().empty());
  const elbrus::semantic_view view(p);
  plan_of_constants plan = midend::plan_sccp(view, facts_of(p));
  REQUIRE(plan.uses.size() == 2);
  CHECK(!plan.empty());
  CHECK(has(midend::to_text(view, plan), " reads 0 on block 2 -> block 3"));
  CHECK(has(midend::to_text(view, plan), " reads 1 in place of operand 2"));
  plan.uses.pop_back();
  elbrus::editor e(p);
  midend::apply_sccp(e, plan);
  CHECK(facts_of(p).decided_uses().size() == 1);
}

TEST_CASE("decided uses of random unrolled programs are certified, and the results are the same") {
  std::size_t used = 0;
  std::size_t wide = 0;
  comparison_counts runs;
  for_each_random_program(600, all_flow(), [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program after = in_ssa_form(g);
    for (elbrus::procedure& p : after.procedures) {
      elbrus::editor e(p);
      const auto loops = midend::dominators_and_loops(p).loops;
      std::vector<midend::unrolling_request> requests;
      for (const midend::loop_id l : loops.loops()) {
        requests.push_back({l, {midend::unrolling_kind::partial, 1 + static_cast<std::uint32_t>(seed % 3)}});
      }
      midend::unroll_loops(e, loops, requests);
      const elbrus::semantic_view view(p);
      const facts found = facts_of(p);
      const plan_of_constants plan = midend::plan_sccp(view, found);
      CHECK_MESSAGE(!midend::verify_sccp_with_branch_facts(view, found), "seed ", seed);
      CHECK_MESSAGE(!midend::verify_sccp_plan_with_branch_facts(view, found, plan), "seed ", seed);
      used += plan.uses.size();
      for (const auto& use : plan.uses) {
        wide += view.operation(midend::used_value(view, use)).width > 1 ? 1u : 0u;
      }
      midend::apply_sccp(e, plan);
      CHECK_MESSAGE(!midend::check_ir(elbrus::semantic_view(p)), "seed ", seed);
    }
    const std::string wrong = why_wrong(g, after, &runs);
    CHECK_MESSAGE(wrong.empty(), "seed ", seed, ": ", wrong);
  });
  MESSAGE(used, " uses, ", wide, " of them of numbers; ", runs.same, " runs the same");
  CHECK(used > affordable(600));
  CHECK(wide > affordable(20));
  CHECK(runs.same > affordable(300));
}

TEST_CASE("the checker of plans rejects every other constant, and every use that nothing decides") {
  std::size_t wrong = 0;
  std::size_t undecided = 0;
  for_each_random_program(60, all_flow(), [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program all = in_ssa_form(g);
    for (const elbrus::procedure& p : all.procedures) {
      const elbrus::semantic_view view(p);
      const facts found = facts_of(p);
      const plan_of_constants right = midend::plan_sccp(view, found);
      const auto fault_of = [&](const midend::decided_use<std::uint64_t>& use) {
        plan_of_constants plan;
        plan.uses.push_back(use);
        CHECK(midend::verify_sccp_plan(view, found, plan).fault == midend::sccp_fault::fact);
        return midend::verify_sccp_plan_with_branch_facts(view, found, plan).fault;
      };
      for (midend::decided_use<std::uint64_t> use : right.uses) {
        CHECK_MESSAGE(fault_of(use) == midend::sccp_fault::none, "seed ", seed);
        use.constant ^= 1;
        CHECK_MESSAGE(fault_of(use) == midend::sccp_fault::fact, "seed ", seed);
        ++wrong;
      }
      const auto is_decided = [&](midend::value_id user, midend::edge_id e, std::uint32_t i) {
        bool is = false;
        for (const auto& use : right.uses) {
          is = is || (use.user == user && use.edge == e && use.operand == i);
        }
        return is;
      };
      for (midend::node_id n = 0; n != p.num_nodes(); ++n) {
        for (const midend::value_id v : view.values(n)) {
          std::uint32_t i = 0;
          for (const midend::value_id x : view.operands(v)) {
            if (!view.is_phi(v) && found.is_executable(n) && !is_decided(v, midend::no_edge, i) && !found.constant(x)) {
              CHECK_MESSAGE(fault_of({v, midend::no_edge, i, 0}) == midend::sccp_fault::fact, "seed ", seed);
              ++undecided;
            }
            ++i;
          }
        }
      }
    }
  });
  MESSAGE(wrong, " wrong constants, ", undecided, " uses that nothing decides");
  CHECK(wrong > affordable(30));
  CHECK(undecided > affordable(600));
}

TEST_CASE("the checker of plans rejects what is no use") {
  const elbrus::program written = program_of(
      branch("    %c = cmp.lt.i32 %x, 7\n", "    %z = zext.i1.i32 %c\n    st.i32 %z, [%a]\n", "", "    ret 3\n"));
  const elbrus::semantic_view view(written.procedures[0]);
  const facts found = facts_of(written.procedures[0]);
  const plan_of_constants right = midend::plan_sccp(view, found);
  REQUIRE(right.uses.size() == 1);
  const auto fault_of = [&](auto change) {
    plan_of_constants plan = right;
    change(plan.uses[0]);
    return midend::verify_sccp_plan_with_branch_facts(view, found, plan).fault;
  };
  using midend::sccp_fault;
  CHECK(fault_of([](auto&) {}) == sccp_fault::none);
  CHECK(fault_of([](auto& use) { use.user = 1'000; }) == sccp_fault::fact);
  CHECK(fault_of([](auto& use) { use.operand = 7; }) == sccp_fault::fact);
  CHECK(fault_of([](auto& use) { use.edge = 0; }) == sccp_fault::fact);
  CHECK(fault_of([](auto& use) { use.edge = 1'000; }) == sccp_fault::fact);
  CHECK(fault_of([](auto& use) { use.constant = 0; }) == sccp_fault::fact);
  plan_of_constants only_uses;
  only_uses.uses = right.uses;
  const facts of_less = midend::sccp(view, strided_interval_domain());
  CHECK(midend::verify_sccp_plan_with_branch_facts(view, of_less, only_uses).fault == sccp_fault::other_program);
}
