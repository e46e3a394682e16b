// Plans, what becomes of programs, and explanations; over the Elbrus-like IR.
#include "kit/parsed_procedure.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/dataflow/domains/interval_domain.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/verify/verifier.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/elbrus/views/views.hpp>
#include <midend/ssa/apply_sccp.hpp>
#include <midend/ssa/explain_sccp.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/ssa/sccp_plan.hpp>
#include <midend/viz/sccp.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using midend::node_id;
using midend::value_id;

namespace {

/// A procedure with what is found of it.
struct analysed : parsed_procedure {
  using parsed_procedure::parsed_procedure;

  auto found(const midend::sccp_options& options = {}) {
    return midend::sccp(elbrus::editor(procedure()), midend::flat_domain<>(), options);
  }

  auto plan(const midend::sccp_options& options = {}) {
    return midend::plan_sccp(elbrus::editor(procedure()), found(options));
  }

  /// The text after a plan was carried out.
  std::string after(const midend::sccp_plan<std::uint64_t>& plan) {
    elbrus::editor editor(procedure());
    midend::apply_sccp(editor, plan);
    const auto errors = elbrus::verify(program);
    return errors.empty() ? elbrus::to_text(program) : errors[0].message;
  }

  std::string why(std::string_view name) {
    const elbrus::editor view(procedure());
    const auto result = found();
    const auto steps = midend::explain_sccp(view, result, value(name));
    return midend::to_text(view, result, steps, names_of{procedure()});
  }
};

constexpr std::string_view decided = R"(
proc @f(%a: i32) -> i32 {
  node n0:
    %c = cmp.lt.i32 1, 2
    %x = add.i32 3, 4
    br %c ? n1 : n2
  node n1:
    %y = add.i32 %x, %a
    br n3
  node n2:
    %z = mul.i32 %x, %a
    br n3
  node n3:
    %r = phi.i32 [n1: %y], [n2: %z]
    %s = phi.i32 [n1: %x], [n2: %a]
    %t = add.i32 %r, %s
    ret %t
}
)";

/// Dead blocks in a cycle whose values use each other, and which a phi outside reads.
constexpr std::string_view dead_cycle = R"(
proc @f(%a: i32) -> i32 {
  node n0:
    br 1 ? n4 : n1
  node n1:
    %i = phi.i32 [n0: 0], [n2: %j]
    br n2
  node n2:
    %j = add.i32 %i, 1
    %c = cmp.lt.i32 %j, %a
    br %c ? n1 : n3
  node n3:
    %k = add.i32 %i, %j
    br n4
  node n4:
    %r = phi.i32 [n0: %a], [n3: %k]
    ret %r
}
)";

} // namespace

TEST_CASE("a decided branch: plan and program") {
  analysed f(decided);
  const auto plan = f.plan();
  CHECK(to_text(elbrus::editor(f.procedure()), plan, names_of{f.procedure()}) == "replace %c by 1\n"
                                                                                 "replace %x by 7\n"
                                                                                 "replace %s by 7\n"
                                                                                 "always n0 -> n1\n"
                                                                                 "erase n2\n"
                                                                                 "forward %r from n1 -> n3\n");
  CHECK(f.after(plan) == R"(proc @f(%a: i32) -> i32 {
  node n0:
    br n1
  node n1:
    %y = add.i32 7, %a
    br n3
  node n3:
    %t = add.i32 %y, 7
    ret %t
}
)");
}

TEST_CASE("what sccp says, in words") {
  analysed f(decided);
  CHECK(midend::to_text(elbrus::editor(f.procedure()), f.found(), names_of{f.procedure()}) == R"(n0
  %c = 1
  %x = 7
  br = top
  never to n2
n1
  %y = top
  br = top
n2: never executed
n3
  %r = top
  %s = 7
  %t = top
  ret = top
)");
}

TEST_CASE("each change can be vetoed, and the others are still right") {
  SUBCASE("the value") {
    analysed f(decided);
    auto plan = f.plan();
    std::erase_if(plan.replacements, [&](const auto& change) { return change.value == f.value("x"); });
    CHECK(f.after(plan).find("%x = add.i32 3, 4") != std::string::npos);
    CHECK(elbrus::to_text(f.program).find("%y = add.i32 %x, %a") != std::string::npos);
  }
  SUBCASE("the branch: then the node and the phi have to stay, too") {
    analysed f(decided);
    auto plan = f.plan();
    plan.kept_edges.clear();
    const std::string text = f.after(plan);
    CHECK(text.find("br 1 ? n1 : n2") != std::string::npos);
    CHECK(text.find("node n2:") != std::string::npos);
    CHECK(text.find("%r = phi.i32 [n1: %y], [n2: %z]") != std::string::npos);
  }
  SUBCASE("a node: what it needs stays") {
    analysed f(dead_cycle);
    auto plan = f.plan();
    midend::flat_array<node_id> erased;
    for (const node_id n : plan.erased_nodes) {
      if (n != f.node("n3")) {
        erased.push_back(n);
      }
    }
    plan.erased_nodes = erased;
    const std::string text = f.after(plan);
    CHECK(text.find("node n3:") != std::string::npos);
    CHECK(text.find("node n1:") != std::string::npos); // n3 uses its %i, and n2's %j
    CHECK(text.find("%r = phi.i32") != std::string::npos);
  }
  SUBCASE("all of it") {
    analysed f(decided);
    const std::string before = elbrus::to_text(f.program);
    CHECK(f.after({}) == before);
  }
}

TEST_CASE("dead nodes go together, whatever leads to or uses what") {
  analysed f(dead_cycle);
  CHECK(f.after(f.plan()) == R"(proc @f(%a: i32) -> i32 {
  node n0:
    br n4
  node n4:
    ret %a
}
)");
}

TEST_CASE("sccp-checklist 30: what replaces a copy or a phi dominates its uses") {
  // %x is a copy of %v and constant nowhere: it stays. %r is left with the input of n2, which dominates n3.
  analysed f(R"(
proc @f(%a: i32, %p: i1) -> i32 {
  node n0:
    br 0 ? n1 : n2
  node n1:
    br n3
  node n2:
    %v = add.i32 %a, 1
    %x = mov.i32 %v
    br n3
  node n3:
    %r = phi.i32 [n1: 0], [n2: %x]
    br %p ? n4 : n5
  node n4:
    br n5
  node n5:
    %q = phi.i32 [n3: %r], [n4: %a]
    ret %q
}
)");
  CHECK(f.after(f.plan()) == R"(proc @f(%a: i32, %p: i1) -> i32 {
  node n0:
    br n2
  node n2:
    %v = add.i32 %a, 1
    %x = mov.i32 %v
    br n3
  node n3:
    br %p ? n4 : n5
  node n4:
    br n5
  node n5:
    %q = phi.i32 [n3: %x], [n4: %a]
    ret %q
}
)");
}

TEST_CASE("sccp-checklist 49: thousands of values and constants that come up meanwhile") {
  std::string text = "proc @f(%a: i32) -> i32 {\n  node n0:\n    %v0 = add.i32 1, 2\n";
  constexpr int count = 3000;
  for (int i = 1; i != count; ++i) {
    text += "    %v" + std::to_string(i) + " = add.i32 %v" + std::to_string(i - 1) + ", " + std::to_string(i) + "\n";
  }
  text += "    %r = add.i32 %v" + std::to_string(count - 1) + ", %a\n    ret %r\n}\n";
  analysed f(text);
  const std::string after = f.after(f.plan());
  CHECK(after == "proc @f(%a: i32) -> i32 {\n  node n0:\n    %r = add.i32 " +
                     std::to_string(3 + count * (count - 1) / 2) + ", %a\n    ret %r\n}\n");
}

TEST_CASE("sccp-checklist 50: phis are repaired after edges have gone") {
  // Chains of phis that are left with one input each, several edges of one switch, and a loop whose back edge is dead.
  analysed f(R"(
proc @f(%a: i32) -> i32 {
  node n0:
    switch.i32 2 [1: n1], [2: n2], [3: n1], default: n2
  node n1:
    %p = phi.i32 [n0: 1], [n0: 3]
    br n2
  node n2:
    %q = phi.i32 [n0: %a], [n0: 7], [n1: %p], [n3: %s]
    %r = phi.i32 [n0: 5], [n0: %a], [n1: %p], [n3: %q]
    br 1 ? n4 : n3
  node n3:
    %s = add.i32 %q, %r
    br n2
  node n4:
    %t = phi.i32 [n2: %q]
    %u = add.i32 %t, %r
    ret %u
}
)");
  const std::string after = f.after(f.plan());
  CHECK(after == R"(proc @f(%a: i32) -> i32 {
  node n0:
    br n2
  node n2:
    br n4
  node n4:
    %t = phi.i32 [n2: %a]
    %u = add.i32 %t, 5
    ret %u
}
)"); // %t had one input before and is not touched
}

TEST_CASE("what never returns and what traps keeps its edges") {
  analysed f(R"(
proc @f(%b: i1) -> i32 {
  node n0:
    call @exit() noreturn
    br %b ? n1 : n2
  node n1:
    ret 1
  node n2:
    %x = div.i32 1, 0
    %c = cmp.eq.i32 %x, 3
    br %c ? n1 : n2
}
)");
  const std::string before = elbrus::to_text(f.program);
  CHECK_FALSE(f.found().is_executable(f.node("n1")));
  CHECK(f.after(f.plan()) == before);
}

TEST_CASE("operations that may trap stay when their value is replaced") {
  analysed f(R"(
proc @f(%a: i32) -> i32 {
  node n0:
    %x = div.i32 0, %a
    %y = mul.i32 %a, 0
    %z = add.i32 %x, %y
    ret %z
}
)");
  CHECK(f.after(f.plan()) == R"(proc @f(%a: i32) -> i32 {
  node n0:
    %x = div.i32 0, %a
    ret 0
}
)");
}

TEST_CASE("what does not run does not need its operands") {
  // %d is a diagnostic value, which %x does not read: so %x is 5, and n1 is executed.
  analysed f(R"(
proc @f(%p: i1) -> i32 {
  node n0:
    %d = div.i32 1, 0 spec
    %x = add.i32 %d, 1 ? %p : 5
    %c = cmp.eq.i32 %x, 5
    br %c ? n1 : n2
  node n1:
    ret 1
  node n2:
    ret 2
}
)");
  CHECK(f.found().is_executable(f.node("n1")));
  CHECK(f.found().is_executable(f.node("n2")));
  CHECK(f.plan().empty());
}

TEST_CASE("undef") {
  constexpr std::string_view text = R"(
proc @f(%p: i1) -> i32 {
  node n0:
    br %p ? n1 : n2
  node n1:
    br n2
  node n2:
    %x = phi.i32 [n0: undef], [n1: 4]
    ret %x
}
)";
  analysed f(text);
  CHECK(f.plan().empty());
  const auto plan = f.plan({.undefined = midend::undef_policy::any_value});
  REQUIRE(plan.replacements.size() == 1);
  CHECK(plan.replacements[0].constant == 4);
}

TEST_CASE("explanations name definitions and branches") {
  analysed f(decided);
  CHECK(f.why("s") == R"(%s is 7: a phi in n3
  by n1 -> n3: %x is 7
  never by n2 -> n3: n2 is never executed
  never by n0 -> n2: %c is 1
%x is 7: follows from its operands
%c is 1: follows from its operands
3 is 3: a literal
4 is 4: a literal
1 is 1: a literal
2 is 2: a literal
)");
  CHECK(f.why("z") == R"(%z is bottom: n2 is never executed
  never by n0 -> n2: %c is 1
%c is 1: follows from its operands
1 is 1: a literal
2 is 2: a literal
)");
  CHECK(f.why("a") == "%a is top: from outside\n");
}
