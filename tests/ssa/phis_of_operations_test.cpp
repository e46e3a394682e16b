// Operations that become phis: what is found, what is refused, what becomes of the program, and wrong claims.
#include "kit/parsed_procedure.hpp"
#include "ssa/phis_of_operations_mistakes.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/verify/verifier.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/ssa/apply_value_numbering.hpp>
#include <midend/ssa/phis_of_operations.hpp>
#include <midend/ssa/value_numbering.hpp>
#include <midend/ssa/value_numbering_plan.hpp>
#include <midend/ssa/verify_phis_of_operations.hpp>
#include <midend/viz/value_numbering.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using midend::no_value;
using midend::value_id;

namespace {

using plan = midend::value_numbering_plan<std::uint64_t>;

struct planned : parsed_procedure {
  explicit planned(std::string_view text) : parsed_procedure(text), found(midend::value_numbering(view())) {
    changes = midend::plan_value_numbering(view(), found);
    midend::add_phis_of_operations(view(), found, changes);
    CHECK(!error(changes));
  }

  elbrus::cost_view view() { return elbrus::cost_view(procedure()); }

  midend::congruence_error error(const plan& p) { return midend::verify_phis_of_operations(view(), found, p); }

  std::string text() { return to_text(view(), changes, names_of{procedure()}); }

  std::string after() {
    elbrus::editor editor(procedure());
    midend::apply_value_numbering(editor, changes);
    const auto errors = elbrus::verify(program);
    return errors.empty() ? elbrus::to_text(program) : errors[0].message;
  }

  midend::value_numbering_result<midend::flat_domain<>> found;
  plan changes;
};

} // namespace

TEST_CASE("an operation of phis becomes a phi of what the edges have computed") {
  planned f(wrong_phis::joined);
  CHECK(f.text() == "replace %q by %p\n"
                    "replace %z by %y\n"
                    "replace %y by a new phi(%x1, %x2)\n"
                    "replace %w by a new phi(%m1, %m2)\n");
  const std::string after = f.after();
  CHECK(after.find("add.i32 %p") == std::string::npos);
  CHECK(after.find("[n1: %x1], [n2: %x2]") != std::string::npos);
  CHECK(after.find("[n1: %m1], [n2: %m2]") != std::string::npos);
  CHECK(after.find("%v = sub.i32 %p, %c") != std::string::npos); // on no edge
}

TEST_CASE("an operation of phis is a phi of the program, a constant on an edge, or passes an operand on") {
  planned f(R"(
proc @f(%a: i32, %k: i1) -> i32 {
  node n0:
    br %k ? n1 : n2
  node n1:
    br n3
  node n2:
    %x = mul.i32 %a, 3
    br n3
  node n3:
    %p = phi.i32 [n1: 2], [n2: %a]
    %six = phi.i32 [n1: 6], [n2: %x]
    %one = phi.i32 [n1: 1], [n2: 1]
    %zero = phi.i32 [n1: 0], [n2: 7]
    %y = mul.i32 %p, 3
    %b = and.i32 %zero, 8
    %u = or.i32 %zero, %a
    %r = add.i32 %y, %six
    %r1 = add.i32 %r, %b
    %r2 = add.i32 %r1, %p
    %r3 = add.i32 %r2, %u
    ret %r3
}
)");
  CHECK(f.text().find("replace %y by %six\n") != std::string::npos);
  CHECK(f.text().find("replace %b by a new phi(0, 0)\n") != std::string::npos);
  CHECK(f.text().find("replace %u") == std::string::npos); // 7 | %a is on no edge
}

TEST_CASE("a condition that was extended, joined and compared again is the phi of conditions") {
  constexpr std::string_view text = R"(
proc @f(%a: i32, %b: i32, %k: i1, %t: i1, %w: i8) -> i32 {
  node n0:
    br %k ? n1 : n2
  node n1:
    %c1 = cmp.lt.i32 %a, %b
    %x1 = zext.i1.i32 %c1
    br n3
  node n2:
    %x2 = zext.i1.i32 %t
    br %c2 ? n3 : n4
  node n3:
    %p = phi.i32 [n1: %x1], [n2: %x2], [n4: 0]
    %y = cmp.ne.i32 %p, 0
    %z = cmp.eq.i32 %p, 0
    br %y ? n5 : n6
  node n4:
    br n3
  node n5:
    br n6
  node n6:
    %q = phi.i1 [n3: %z], [n5: %k]
    %r = zext.i1.i32 %q
    ret %r
}
)";
  std::string conditions(text);
  conditions.replace(conditions.find("%c2"), 3, "%k");
  CHECK(planned(conditions).text() == "replace %y by a new phi(%c1, %t, 0)\n");
  std::string wide(conditions); // more than a bit is extended
  wide.replace(wide.find("zext.i1.i32 %c1"), 15, "zext.i8.i32 %w");
  CHECK(planned(wide).text().empty());
}

TEST_CASE("what an operation would be on an edge has to be computed before the edge, and to have a result") {
  planned f(R"(
proc @f(%a: i32, %b: i32, %k: i1) -> i32 {
  node n0:
    br n1
  node n1:
    %i = phi.i32 [n0: %a], [n3: %j]
    br %k ? n2 : n3
  node n2:
    %y = add.i32 %i, %b
    call @note(%y)
    br n3
  node n3:
    %d = phi.i32 [n1: 0], [n2: 2]
    %t = div.i32 %a, %d
    %j = add.i32 %a, %b
    %late = add.i32 %d, %j
    %e = cmp.lt.i32 %late, %t
    br %e ? n1 : n4
  node n4:
    ret %t
}
)");
  CHECK(f.changes.phis.empty()); // on the first edge into n1 nothing is there, and on one into n3 %t would trap
}

TEST_CASE("operations of loops become phis that lead around") {
  planned f(R"(
proc @f(%a: i32, %n: i32) -> i32 {
  node n0:
    %s0 = mul.i32 %a, 4
    br n1
  node n1:
    %i = phi.i32 [n0: %a], [n1: %j]
    %s = mul.i32 %i, 4
    %j = add.i32 %i, 1
    %t = mul.i32 %j, 4
    call @note(%s, %t)
    %e = cmp.lt.i32 %j, %n
    br %e ? n1 : n2
  node n2:
    ret %s0
}
)");
  CHECK(f.text() == "replace %s by a new phi(%s0, %t)\n");
  CHECK(f.after().find("mul.i32 %i, 4") == std::string::npos);
}

TEST_CASE("inputs keep no promise that the operation does not make") {
  planned f(R"(
proc @f(%a: i32, %b: i32, %k: i1) -> i32 {
  node n0:
    br %k ? n1 : n2
  node n1:
    %x1 = add.i32 %a, 1 nsw
    call @note(%x1)
    br n3
  node n2:
    %x2 = add.i32 %b, 1
    call @note(%x2)
    br n3
  node n3:
    %p = phi.i32 [n1: %a], [n2: %b]
    %y = add.i32 %p, 1
    %r = mul.i32 %y, %p
    ret %r
}
)");
  CHECK(f.text() == "replace %y by a new phi(%x1, %x2)\n"
                    "drop the promises of %x1\n");
}

TEST_CASE("wrong claims about phis of operations are rejected") {
  REQUIRE(wrong_phis::planned().changes.phis.size() == 2);
  CHECK(!wrong_phis::planned().error());
  for (const wrong_phis::mistake& m : wrong_phis::mistakes()) {
    wrong_phis::planned wrong;
    m.make(wrong);
    CHECK_MESSAGE(wrong.error(), m.name);
  }
}
