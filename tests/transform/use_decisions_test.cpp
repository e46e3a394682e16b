// After a branch on a bit, what reads the bit reads the number that the branch has found.
#include "kit/random_programs.hpp"
#include "kit/run_text.hpp"
#include "transform/cleaning_checks.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/elbrus/views/effect_view.hpp>
#include <midend/elbrus/views/views.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/transform/unroll_loops.hpp>
#include <midend/transform/use_decisions.hpp>
#include <midend/transform/verify_use_decisions.hpp>
#include <midend/viz/transformation_plans.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;

namespace {

midend::decision_verdict verify(const elbrus::procedure& before, const elbrus::procedure& after) {
  return midend::verify_use_decisions(elbrus::effect_view(before), elbrus::effect_view(after));
}

/// Uses the decisions of a procedure, has that certified, and returns the new text.
std::string text_after(const std::string& text) {
  elbrus::program all = program_of(text);
  const elbrus::procedure before = all.procedures[0];
  elbrus::editor e(all.procedures[0]);
  midend::use_decisions(e);
  CHECK(verify(before, all.procedures[0]));
  CHECK(midend::use_decisions(e).empty());
  return elbrus::to_text(all.procedures[0]);
}

bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

std::string branch(const char* before, const char* then, const char* otherwise, const char* after) {
  return std::string("proc @f(%p: i1, %q: i1, %x: i32, %a: ptr) -> i32 {\n  node entry:\n") + before +
         "    br %c ? yes : no\n  node yes:\n" + then + "    br done\n  node no:\n" + otherwise +
         "    br done\n  node done:\n" + after + "}\n";
}

/// `visit(change, number, is_dead)` for each use of a bit: `change(editor, bit)` has it read another number, `number`
/// is what it reads now, if that is one. Where two branches on the bit contradict each other, no run comes, as constant
/// propagation shows for the new program: there, both numbers are decided.
template <class Visit>
void each_wrong_bit(const elbrus::procedure& before, const elbrus::procedure& after, Visit visit) {
  const elbrus::effect_view was(before);
  const elbrus::effect_view is(after);
  const auto reached = midend::sccp(elbrus::semantic_view(after), midend::flat_domain<>());
  for (midend::node_id n = 0; n != after.num_nodes(); ++n) {
    for (const midend::value_id v : is.values(n)) {
      if (is.is_phi(v)) {
        for (const midend::edge_id e : after.in_edges(n)) {
          if (was.operation(was.phi_input(v, e)).width == 1 && !was.constant(was.phi_input(v, e))) {
            const auto number = is.constant(is.phi_input(v, e));
            visit([&](elbrus::editor& editor,
                      std::uint64_t bit) { editor.set_phi_input(v, e, editor.make_number(1, bit)); },
                  number, !reached.is_executable_edge(e));
          }
        }
        continue;
      }
      std::vector<midend::value_id> operands(is.operands(v).begin(), is.operands(v).end());
      const std::vector<midend::value_id> old(was.operands(v).begin(), was.operands(v).end());
      for (std::size_t i = 0; i != operands.size(); ++i) {
        if (was.operation(old[i]).width == 1 && !was.constant(old[i])) {
          visit(
              [&](elbrus::editor& editor, std::uint64_t bit) { editor.set_operand(v, i, editor.make_number(1, bit)); },
              is.constant(operands[i]), !reached.is_executable(n));
        }
      }
    }
  }
}

} // namespace

TEST_CASE("use_decisions: operands, guards, conditions and inputs of phis on both sides, but not after them") {
  const std::string text = text_after(branch(
      "    %c = cmp.lt.i32 %x, 7\n    %z0 = zext.i1.i32 %c\n", "    %z1 = zext.i1.i32 %c\n    st.i32 %z1, [%a] ? %c\n",
      "    %z2 = zext.i1.i32 %c\n    br %c ? yes : last\n  node last:\n",
      "    %r = phi.i1 [yes: %c], [last: %c]\n    %z3 = zext.i1.i32 %c\n    %z4 = zext.i1.i32 %r\n"
      "    %s1 = add.i32 %z3, %z4\n    %s = add.i32 %s1, %z0\n    ret %s\n"));
  CHECK(has(text, "%z0 = zext.i1.i32 %c"));
  CHECK(has(text, "%z1 = zext.i1.i32 %c")); // `yes` is entered from `no`, too
  CHECK(has(text, "%z2 = zext.i1.i32 0"));
  CHECK(has(text, "br 0 ? yes : last"));
  CHECK(has(text, "%r = phi.i1 [yes: %c], [last: 0]"));
  CHECK(has(text, "%z3 = zext.i1.i32 %c"));
  const std::string plain =
      text_after(branch("    %c = cmp.lt.i32 %x, 7\n", "    st.i32 1, [%a] ? %c\n", "    st.i32 2, [%a] ? ~%c\n",
                        "    %r = phi.i1 [yes: %c], [no: %c]\n    %z = zext.i1.i32 %r\n    ret %z\n"));
  CHECK(has(plain, "st.i32 1, [%a] ? 1"));
  CHECK(has(plain, "st.i32 2, [%a] ? ~0"));
  CHECK(has(plain, "%r = phi.i1 [yes: 1], [no: 0]"));
}

TEST_CASE("use_decisions: what the condition is computed from, and what is computed from decided bits") {
  const char* const uses = "    %zp = zext.i1.i32 %p\n    %zq = zext.i1.i32 %q\n    %zd = zext.i1.i32 %d\n"
                           "    st.i32 %zp, [%a]\n    st.i32 %zq, [%a + 4]\n    st.i32 %zd, [%a + 8]\n";

  struct sample {
    const char* condition;
    const char* yes[3]; ///< %p, %q, %d where it holds
    const char* no[3];
  };

  for (const sample x : {
           sample{"    %c = and.i1 %p, %q\n    %d = or.i1 %p, %q\n", {"1", "1", "1"}, {"%p", "%q", "%d"}},
           sample{"    %c = or.i1 %p, %q\n    %d = and.i1 %p, %q\n", {"%p", "%q", "%d"}, {"0", "0", "0"}},
           sample{"    %n = not.i1 %p\n    %c = and.i1 %n, %q\n    %d = and.i1 %p, %q\n",
                  {"0", "1", "0"},
                  {"%p", "%q", "%d"}},
           sample{"    %c = xor.i1 %p, %q\n    %d = and.i1 %p, %q\n", {"%p", "%q", "%d"}, {"%p", "%q", "%d"}},
           sample{"    %d = not.i1 %p\n    %c = not.i1 %d\n", {"1", "%q", "0"}, {"0", "%q", "1"}},
       }) {
    const std::string yes = text_after(branch(x.condition, uses, "", "    ret 0\n"));
    const std::string no = text_after(branch(x.condition, "", uses, "    ret 0\n"));
    const char* const names[] = {"%zp", "%zq", "%zd"};
    for (std::size_t i = 0; i != 3; ++i) {
      const std::string line = std::string("    ") + names[i] + " = zext.i1.i32 ";
      CHECK_MESSAGE(has(yes, (line + x.yes[i] + "\n").c_str()), x.condition, yes);
      CHECK_MESSAGE(has(no, (line + x.no[i] + "\n").c_str()), x.condition, no);
    }
  }
}

TEST_CASE("use_decisions: in a loop after a branch, but not in the loop around, where the bit is another one") {
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

TEST_CASE("use_decisions: what the plan says, and what is vetoed stays") {
  elbrus::program all =
      program_of(branch("    %c = cmp.lt.i32 %x, 7\n", "    st.i32 1, [%a] ? %c\n", "",
                        "    %r = phi.i1 [yes: %p], [no: %c]\n    %z = zext.i1.i32 %r\n    ret %z\n"));
  elbrus::procedure& p = all.procedures[0];
  elbrus::editor e(p);
  midend::decision_plan plan = midend::plan_use_decisions(e);
  REQUIRE(plan.uses.size() == 2);
  CHECK(summary_text(plan) == "2 decided uses");
  CHECK(has(to_text(p, plan), " reads 0 in place of its input from "));
  plan.uses.pop_back();
  midend::apply_use_decisions(e, plan);
  CHECK(midend::plan_use_decisions(e).uses.size() == 1);
}

TEST_CASE("use_decisions on random unrolled programs is certified, and the results are the same") {
  std::size_t used = 0;
  const auto prepare = [](elbrus::editor& e, const elbrus::procedure& p, std::uint64_t seed) {
    const auto loops = midend::dominators_and_loops(p).loops;
    std::vector<midend::unrolling_request> requests;
    for (const midend::loop_id l : loops.loops()) {
      requests.push_back({l, {midend::unrolling_kind::partial, 1 + static_cast<std::uint32_t>(seed % 3)}});
    }
    midend::unroll_loops(e, loops, requests);
  };
  const cleaning_counts counts = clean_random_programs(
      600, endless_flow(), prepare,
      [&](elbrus::editor& e) {
        midend::decision_plan plan = midend::use_decisions(e);
        used += plan.uses.size();
        return plan;
      },
      [](const auto& before, const auto& after, const auto&) { return midend::verify_use_decisions(before, after); });
  MESSAGE(used, " uses");
  CHECK(counts.changed > affordable(150));
  CHECK(counts.runs.same > affordable(300));
}

TEST_CASE("verify_use_decisions rejects every other bit, and every bit that nothing decides") {
  std::size_t wrong = 0;
  std::size_t undecided = 0;
  for_each_random_program(60, all_flow(), [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program all = in_ssa_form(g);
    for (elbrus::procedure& p : all.procedures) {
      const elbrus::procedure before = p;
      elbrus::editor e(p);
      midend::use_decisions(e);
      REQUIRE(verify(before, p));
      each_wrong_bit(before, p, [&](auto change, const auto& number, bool is_dead) {
        for (const std::uint64_t bit : {0U, 1U}) {
          if (number && *number == bit) {
            continue; // as decided
          }
          elbrus::procedure broken = p;
          elbrus::editor breaker(broken);
          change(breaker, bit);
          const midend::decision_verdict verdict = verify(before, broken);
          const bool is_found = verdict.fault == midend::decision_fault::not_decided;
          CHECK_MESSAGE((is_found || !number || is_dead), "seed ", seed, elbrus::to_text(broken));
          wrong += number ? 1U : 0U;
          undecided += !number && is_found ? 1U : 0U;
          CHECK_MESSAGE((is_found || (verdict && is_dead) || (verdict && !number)), "seed ", seed);
        }
      });
    }
  });
  MESSAGE(wrong, " wrong bits, ", undecided, " that nothing decides");
  CHECK(wrong > affordable(60));
  CHECK(undecided > affordable(600));
}

TEST_CASE("verify_use_decisions rejects what is no use of a decision") {
  const elbrus::program written = program_of(
      branch("    %c = cmp.lt.i32 %x, 7\n", "    %z = zext.i1.i32 %c\n    st.i32 %z, [%a]\n", "", "    ret 3\n"));
  const elbrus::procedure& before = written.procedures[0];
  const auto value = [&](const char* name) {
    for (midend::value_id v = 0;; ++v) {
      if (before.value_name(v) == name) {
        return v;
      }
    }
  };
  const auto fault_of = [&](auto change) {
    elbrus::program all = written;
    elbrus::editor e(all.procedures[0]);
    change(e);
    const auto verdict = verify(before, all.procedures[0]);
    CHECK(to_text(verdict) != "certified");
    return verdict.fault;
  };
  using enum midend::decision_fault;
  CHECK(fault_of([&](auto& e) { e.set_operand(value("z"), 0, value("p")); }) == wrong_operand);
  CHECK(fault_of([&](auto& e) { e.set_operand(value("c"), 0, e.make_number(32, 1)); }) == wrong_operand);
  CHECK(fault_of([&](auto& e) { e.set_operand(value("z"), 0, e.make_number(1, 0)); }) == not_decided);
  CHECK(fault_of([&](auto& e) { e.keep_edge(before.out_edges(before.entry())[0]); }) == changed_flow);
  CHECK(fault_of([&](auto& e) { e.create_node(before.entry()); }) == wrong_size);
  CHECK(fault_of([&](auto& e) { e.clone_value(value("z"), midend::place_before(value("z"))); }) == changed_operation);
}
