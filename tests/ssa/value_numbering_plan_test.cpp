// Plans, what becomes of programs, explanations, and mistakes that others have made; over the Elbrus-like IR.
#include "kit/parsed_procedure.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/dataflow/domains/interval_domain.hpp>
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/verify/verifier.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/ssa/apply_value_numbering.hpp>
#include <midend/ssa/explain_congruence.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/ssa/value_numbering.hpp>
#include <midend/ssa/value_numbering_plan.hpp>
#include <midend/ssa/verify_congruence.hpp>
#include <midend/viz/value_numbering.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using midend::value_id;

namespace {

/// Knows nothing of any value, so all edges are executable: value numbering alone.
struct nothing_known {
  using element = bool; // whether there is a value
  using constant_type = std::uint64_t;

  element bottom() const { return false; }

  element top(unsigned) const { return true; }

  element constant(unsigned, std::uint64_t) const { return true; }

  bool join(element& a, element b) const {
    const bool changes = b && !a;
    a = a || b;
    return changes;
  }

  std::optional<std::uint64_t> as_constant(element) const { return std::nullopt; }
};

struct numbered : parsed_procedure {
  using parsed_procedure::parsed_procedure;

  elbrus::cost_view view() { return elbrus::cost_view(procedure()); }

  template <class D = midend::flat_domain<>> bool are_congruent(std::string_view a, std::string_view b, D d = {}) {
    const auto found = midend::value_numbering(view(), d);
    CHECK(!midend::verify_congruence(view(), found));
    return found.are_congruent(value(a), value(b));
  }

  auto plan() { return midend::plan_value_numbering(view(), midend::value_numbering(view())); }

  std::string planned() { return to_text(view(), plan(), names_of{procedure()}); }

  std::string after() {
    const auto changes = plan();
    elbrus::editor editor(procedure());
    midend::apply_value_numbering(editor, changes);
    const auto errors = elbrus::verify(program);
    return errors.empty() ? elbrus::to_text(program) : errors[0].message;
  }

  std::string why(std::string_view a, std::string_view b) {
    const auto found = midend::value_numbering(view());
    return midend::to_text(view(), found, midend::explain_congruence(view(), found, value(a), value(b)),
                           names_of{procedure()});
  }
};

/// %x and %y stay equal because n2 is never executed, and n2 is never executed because %x and %y are equal.
constexpr std::string_view entangled = R"(
proc @f(%a: i32, %n: i32) -> i32 {
  node n0:
    br n1
  node n1:
    %x = phi.i32 [n0: %a], [n3: %x2]
    %y = phi.i32 [n0: %a], [n3: %y2]
    %d = sub.i32 %x, %y
    %c = cmp.ne.i32 %d, 0
    br %c ? n2 : n3
  node n2:
    %x3 = mul.i32 %x, 3
    br n3
  node n3:
    %x4 = phi.i32 [n1: %x], [n2: %x3]
    %x2 = add.i32 %x4, 1
    %y2 = add.i32 1, %y
    %e = cmp.lt.i32 %y2, %n
    br %e ? n1 : n4
  node n4:
    %r = add.i32 %x2, %d
    ret %r
}
)";

} // namespace

TEST_CASE("the combination finds what neither constants nor congruence find alone or in turn") {
  numbered f(entangled);
  // Constants alone find nothing that could be applied, and neither does congruence alone; so turns change nothing.
  const auto constants = midend::sccp(f.view());
  CHECK(!constants.constant(f.value("d")));
  CHECK(midend::plan_sccp(f.view(), constants).empty());
  CHECK(!f.are_congruent("x", "y", nothing_known{}));
  const auto congruence = midend::value_numbering(f.view(), nothing_known{});
  CHECK(midend::plan_value_numbering(f.view(), congruence).empty());
  // Together:
  CHECK(f.are_congruent("x", "y"));
  CHECK(f.planned() == "replace %y by %x\n"
                       "replace %x4 by %x\n"
                       "replace %y2 by %x2\n"
                       "replace %r by %x2\n"
                       "replace %d by 0\n"
                       "replace %c by 0\n"
                       "always n1 -> n3\n"
                       "erase n2\n");
  CHECK(f.after() == R"(proc @f(%a: i32, %n: i32) -> i32 {
  node n0:
    br n1
  node n1:
    %x = phi.i32 [n0: %a], [n3: %x2]
    br n3
  node n3:
    %x2 = add.i32 %x, 1
    %e = cmp.lt.i32 %x2, %n
    br %e ? n1 : n4
  node n4:
    ret %x2
}
)");
}

TEST_CASE("explain_congruence says why two values are equal, or what tells them apart") {
  numbered f(entangled);
  CHECK(f.why("x2", "y2") == "%x2 and %y2 are equal: they compute the same from equal operands\n"
                             "%x4 and %y are equal: %x4 passes %x on\n"
                             "1 and 1 are the same\n"
                             "%x and %y are equal: phis of n1 with equal inputs\n"
                             "%a and %a are the same\n");
  CHECK(f.why("x", "a") == "%x and %a differ: nothing says that they are equal\n");
  CHECK(f.why("x", "x2") == "%x and %x2 differ: they compute different things\n");
  CHECK(f.why("d", "c") == "%d and %c differ: they have different types\n");
  numbered g(R"(
proc @f(%a: i32, %b: i32) -> i32 {
  node n0:
    %x = add.i32 %a, 1
    %y = add.i32 %b, 1
    %u = mul.i32 %x, 2
    %v = mul.i32 2, %y
    %c = sub.i32 5, 3
    %w = sub.i32 4, 3
    ret %u
}
)");
  CHECK(g.why("u", "v") == "%u and %v differ: an operand does\n"
                           "%x and %y differ: an operand does\n"
                           "%a and %b differ: nothing says that they are equal\n");
  CHECK(g.why("c", "w") == "%c and %w differ: one is 2, the other 1\n");
}

TEST_CASE("transform-regressions 37: what traps stays where neither block dominates the other (wasmtime 5796)") {
  numbered f(R"(
proc @f(%a: i32, %b: i32, %p: i1) -> i32 {
  node n0:
    br %p ? n1 : n2
  node n1:
    %x = div.i32 %a, %b
    br n3
  node n2:
    %y = div.i32 %a, %b
    br n3
  node n3:
    %z = phi.i32 [n1: %x], [n2: %y]
    ret %z
}
)");
  CHECK(f.are_congruent("x", "y"));
  CHECK(f.are_congruent("x", "z"));
  CHECK(f.plan().empty());
}

TEST_CASE("transform-regressions 37: a load is not redundant past a store (LLVM 129141)") {
  numbered f(R"(
proc @f(%p: ptr, %q: ptr) -> i32 {
  node n0:
    %x = ld.i32 [%p]
    st.i32 7, [%q + 2]
    %y = ld.i32 [%p]
    %r = sub.i32 %x, %y
    ret %r
}
)");
  CHECK(!f.are_congruent("x", "y"));
  CHECK(f.plan().empty());
}

TEST_CASE("transform-regressions 37: the merged operation does not keep the stronger flag (LLVM 59777)") {
  const auto program = [](std::string_view first, std::string_view second) {
    return "proc @f(%a: i32, %b: i32) -> i32 {\n  node n0:\n    %x = add.i32 %a, %b" + std::string(first) +
           "\n    %y = add.i32 %b, %a" + std::string(second) + "\n    %r = mul.i32 %x, %y\n    ret %r\n}\n";
  };
  const auto merged = [](std::string_view flags) {
    return "proc @f(%a: i32, %b: i32) -> i32 {\n  node n0:\n    %x = add.i32 %a, %b" + std::string(flags) +
           "\n    %r = mul.i32 %x, %x\n    ret %r\n}\n";
  };
  CHECK(numbered(program(" nsw", "")).after() == merged(""));
  CHECK(numbered(program(" nsw", " nsw")).after() == merged(" nsw"));
  CHECK(numbered(program("", " nsw")).after() == merged(""));
  CHECK(numbered(program(" nsw", "")).plan().dropped_promises.size() == 1);
}

TEST_CASE(
    "transform-regressions 38: nothing moves: not out of a loop, not out of its guard (LLVM 195513, MLIR 128273)") {
  // The division after the loop is equal to that in the loop, which may run zero times.
  numbered f(R"(
proc @f(%p: ptr, %a: i64, %n: i64) -> i64 {
  node n0:
    %guard = cmp.gt.i64 %n, 0
    br %guard ? n1 : n3
  node n1:
    br n2
  node n2:
    %i = phi.i64 [n1: 0], [n2: %i2]
    %l = ld.i64 [%p + %i*8]
    st.i64 %a, [%p]
    %q = div.i64 %a, %n
    %i2 = add.i64 %i, 1
    %c = cmp.lt.i64 %i2, %n
    br %c ? n2 : n3
  node n3:
    %r = div.i64 %a, %n
    ret %r
}
)");
  CHECK(f.are_congruent("q", "r"));
  const std::string before = elbrus::to_text(f.program);
  CHECK(f.plan().empty());
  CHECK(f.after() == before);
}

TEST_CASE(
    "what was a constant of different operands first is not the constant of equal ones later (sqlite3FindIndex)") {
  // The first iteration has %x = 0 ^ 1 = 1. Then both operands vary, and may be equal until they are compared.
  numbered f(R"(
proc @f(%a: i32, %p: ptr) -> i32 {
  node n0:
    br n1
  node n1:
    %i = phi.i32 [n0: 0], [n1: %a]
    %c = cmp.ult.i32 %i, 1
    %z = zext.i1.i32 %c
    %x = xor.i32 %i, %z
    st.i32 %x, [%p]
    br n1
}
)");
  CHECK(!f.are_congruent("i", "z", midend::interval_domain()));
  const auto found = midend::value_numbering(f.view(), midend::interval_domain());
  CHECK(found.fact(f.value("x")) == midend::interval_domain().top(32));
}

TEST_CASE("undef is not equal to itself") {
  numbered f(R"(
proc @f(%p: i1) -> i32 {
  node n0:
    %x = add.i32 undef, 1
    %y = add.i32 undef, 1
    br %p ? n1 : n2
  node n1:
    br n2
  node n2:
    %u = phi.i32 [n0: 1], [n1: undef]
    %v = phi.i32 [n0: 1], [n1: undef]
    %r = add.i32 %u, %v
    ret %r
}
)");
  CHECK(!f.are_congruent("x", "y"));
  CHECK(!f.are_congruent("u", "v"));
  CHECK(f.plan().empty());
}

TEST_CASE("a replacement can be vetoed") {
  numbered f(entangled);
  auto plan = f.plan();
  std::erase_if(plan.replacements, [&](const auto& change) { return change.value == f.value("y2"); });
  elbrus::editor editor(f.procedure());
  midend::apply_value_numbering(editor, plan);
  CHECK(elbrus::verify(f.program).empty());
  CHECK(elbrus::to_text(f.program).find("%y2 = add.i32 1, %x") != std::string::npos);
}

TEST_CASE("what was decided at first and chooses between equal values stays equal to what it was equal to") {
  // %s passes %a on, at first because %c is 1, later because both choices are %a.
  numbered f(R"(
proc @f(%a: i32, %n: i32) -> i32 {
  node n0:
    br n1
  node n1:
    %i = phi.i32 [n0: 0], [n1: %i1]
    %c = cmp.lt.i32 %i, 1
    %b = or.i32 %a, 0
    %s = select.i32 %c, %a, %b
    %u = mul.i32 %s, 3
    %v = mul.i32 %a, 3
    %i1 = add.i32 %i, %v
    %e = cmp.lt.i32 %i1, %n
    br %e ? n1 : n2
  node n2:
    %r = add.i32 %u, %v
    ret %r
}
)");
  CHECK(f.are_congruent("s", "a"));
  CHECK(f.are_congruent("u", "v"));
}

TEST_CASE("after a branch, values that it compares are equal, and so is what is computed from them") {
  numbered f(R"(
proc @f(%a: i32, %b: i32, %n: i32) -> i32 {
  node n0:
    %x = add.i32 %a, 1
    %y = mul.i32 %b, 3
    %x2 = mul.i32 %x, %x
    %c = cmp.eq.i32 %y, %x
    br %c ? n1 : n2
  node n1:
    %y2 = mul.i32 %y, %y
    %d = sub.i32 %x, %y
    br n2
  node n2:
    %p = phi.i32 [n0: %x], [n1: %y]
    %z = cmp.eq.i32 %n, 0
    br %z ? n4 : n3
  node n3:
    br n4
  node n4:
    %q = phi.i32 [n2: %n], [n3: 0]
    %m = mul.i32 %y, %y
    %r = add.i32 %p, %q
    ret %r
}
)");
  const auto found = midend::value_numbering_with_branch_facts(f.view(), midend::flat_domain<>());
  CHECK(!midend::verify_congruence_with_branch_facts(f.view(), found));
  CHECK(to_text(f.view(), midend::plan_value_numbering(f.view(), found), names_of{f.procedure()}) ==
        "replace %y2 by %x2\n"
        "replace %p by %x\n"
        "replace %r by %x\n"
        "replace %d by 0\n"
        "replace %q by 0\n");
  CHECK(!found.are_congruent(f.value("m"), f.value("x2"))); // after the branch only
  CHECK(!found.are_congruent(f.value("x"), f.value("y")));
  CHECK(!f.are_congruent("y2", "x2"));
  CHECK(midend::verify_congruence(f.view(), found).fault == midend::congruence_fault::other_program);
}

TEST_CASE("what narrowing makes a constant after a branch stays in a class of values that are none") {
  // %y has a lower number than %x, 12 as its fact, and passes on what is 0 to 12: so the class is one of what passes %x
  // on, and not of the constant.
  numbered f(R"(
proc @f() -> i64 {
  node n0:
    %n = and.i64 -5, 15
    br n1
  node n3:
    %y = xor.i64 %x, 0
    ret %y
  node n1:
    %x = phi.i64 [n0: 0], [n2: %x2]
    %c = cmp.lt.i64 %x, %n
    br %c ? n2 : n3
  node n2:
    %x2 = add.i64 %x, 2 nsw
    br n1
}
)");
  const auto found = midend::value_numbering_with_branch_facts(f.view(), midend::number_domain());
  CHECK(f.value("y") < f.value("x"));
  CHECK(found.constant(f.value("y")) == 12);
  CHECK(!found.constant(f.value("x")));
  CHECK(found.are_congruent(f.value("x"), f.value("y")));
  CHECK(!midend::verify_congruence_with_branch_facts(f.view(), found));
}

TEST_CASE("where no value arrives at a phi, what only the IR can fold is not known, although sccp folds it") {
  // %t never has a value. Equal operands decide %c, so 0 does not arrive, and %z may not need %p.
  numbered f(R"(
proc @f(%a: i64) -> f32 {
  node n0:
    %t = rem.i64 %a, 0 spec
    %c = cmp.le.i64 %a, %a
    br %c ? n1 : n2
  node n1:
    br n3
  node n2:
    br n3
  node n3:
    %p = phi.i64 [n1: %t], [n2: 0]
    %z = itof.i64.f32 %p
    ret %z
}
)");
  const auto facts = midend::sccp(f.view(), midend::number_domain());
  const auto found = midend::value_numbering(f.view(), midend::number_domain());
  CHECK(!facts.is_computed(f.value("t")));
  CHECK(facts.constant(f.value("p")) == 0u);
  CHECK(facts.constant(f.value("z")) == 0u);
  CHECK(!found.is_computed(f.value("t")));
  CHECK(found.constant(f.value("c")) == 1u);
  CHECK(!found.is_computed(f.value("p")));
  CHECK(found.is_computed(f.value("z")));
  CHECK(!found.constant(f.value("z")));
  CHECK(!midend::verify_congruence(f.view(), found));
}

TEST_CASE("a loop that what is equal leaves smaller at first may be widened where sccp does not widen it") {
  // As long as %a and %b may be equal, %c is false and %t is 0 to 4. When they turn out to differ, %t grows; the loop
  // has used its exact steps by then, and the next one is widened.
  numbered f(R"(
proc @f(%p: ptr, %x: i64) -> i1 {
  node n0:
    %a = ld.i64 [%p]
    %b = ld.i64 [%p + 8]
    %c = cmp.ult.i64 %a, %b
    %small = and.i64 %x, 4
    %m = add.i64 9, 11
    %large = and.i64 %x, %m
    br %c ? n1 : n2
  node n1:
    br n3
  node n2:
    br n3
  node n3:
    %t = phi.i64 [n1: %large], [n2: %small]
    br n4
  node n4:
    %i = phi.i64 [n3: 0], [n4: %k]
    %j = phi.i64 [n3: %t], [n4: %i]
    %k = not.i64 %j
    %e = cmp.ne.i64 %k, 1000
    %q = cmp.lt.i64 %x, 7
    br %q ? n4 : n5
  node n5:
    ret %e
}
)");
  const midend::number_domain domain;
  const auto facts = midend::sccp(f.view(), domain);
  const auto found = midend::value_numbering(f.view(), domain);
  CHECK(facts.constant(f.value("e")) == 1u);
  CHECK(!found.constant(f.value("e")));
  CHECK(!midend::verify_congruence(f.view(), found));
  const midend::sccp_options later = {.widen_after = 10};
  CHECK(midend::value_numbering(f.view(), domain, later).constant(f.value("e")) == 1u);
}
