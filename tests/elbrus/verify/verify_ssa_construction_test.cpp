#include "kit/parsed_procedure.hpp"
#include "kit/random_programs.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/verify/verifier.hpp>
#include <midend/elbrus/verify/verify_ssa_construction.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/editor.hpp>

#include <functional>
#include <string_view>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using elbrus::procedure;
using elbrus::ssa_algorithm;
using elbrus::ssa_construction_fault;
using midend::no_value;
using midend::value_id;

namespace {

constexpr std::string_view loop = R"(
proc @f(%a: ptr, %n: i32, %c: i1) -> i32 {
  var $i: i32
  var $s: i32
  node entry:
    $i = mov.i32 0
    $s = mov.i32 %n
    br head
  node head:
    %t = add.i32 $s, $i
    br %c ? left : right
  node left:
    $s = sub.i32 $s, %t
    $s = mul.i32 $s, $i
    br latch
  node right:
    st.i32 $s, [%a] alias=A
    br latch
  node latch:
    $i = add.i32 $i, 1
    %d = cmp.lt.i32 $i, %n
    br %d ? head : exit
  node exit:
    %r = add.i32 $s, $i
    ret %r
}
)";

struct constructed {
  procedure before = program_of(loop).procedures[0];
  procedure after = before;

  constructed() { elbrus::construct_ssa(after); }

  value_id value(std::string_view name) const {
    const value_id v = value_named(after, name);
    REQUIRE_MESSAGE(v != no_value, "no value ", name);
    return v;
  }

  ssa_construction_fault fault() const { return elbrus::verify_ssa_construction(before, after).fault; }
};

struct mistake {
  std::string_view name;
  ssa_construction_fault expected;
  std::function<void(constructed&)> make;
};

} // namespace

TEST_CASE("verify_ssa_construction accepts what both algorithms make of random programs") {
  std::size_t with_variables = 0;
  for_each_random_program(400, all_flow(), [&](const generated_program& g, std::uint64_t seed) {
    for (const procedure& before : g.program.procedures) {
      with_variables += before.variables().empty() ? 0u : 1u;
      for (const ssa_algorithm algorithm : {ssa_algorithm::dominance_frontiers, ssa_algorithm::on_the_fly}) {
        procedure after = before;
        elbrus::construct_ssa(after, algorithm);
        const auto verdict = elbrus::verify_ssa_construction(before, after);
        CHECK_MESSAGE(verdict, "seed ", seed, ": fault ", static_cast<int>(verdict.fault), ", node ", verdict.node,
                      ", value ", verdict.value, "\n", elbrus::to_text(before), elbrus::to_text(after));
      }
    }
  });
  CHECK(with_variables > affordable(300));
}

TEST_CASE("verify_ssa_construction rejects seeded mistakes") {
  using enum ssa_construction_fault;
  const std::vector<mistake> all = {
      {"a read takes the value before the last write", wrong_value,
       [](constructed& t) { t.after.set_operand(t.value("s.3"), 0, t.value("s.1")); }},
      {"a read takes another variable", wrong_value,
       [](constructed& t) { t.after.set_operand(t.value("r"), 0, t.after.operands(t.value("r"))[1]); }},
      {"the readers of a phi read its first input", wrong_value,
       [](constructed& t) { t.after.replace_uses(t.value("s.1"), t.value("s")); }},
      {"the inputs of a phi are exchanged", wrong_value,
       [](constructed& t) {
         const value_id phi = t.value("i.1");
         const value_id first = t.after.operands(phi)[0];
         t.after.set_operand(phi, 0, t.after.operands(phi)[1]);
         t.after.set_operand(phi, 1, first);
       }},
      {"an input of a phi is undefined", wrong_value,
       [](constructed& t) { t.after.set_operand(t.value("i.1"), 0, t.after.undefined(elbrus::type::i32)); }},
      {"the counter after the loop is the one before the last step", wrong_value,
       [](constructed& t) { t.after.set_operand(t.value("r"), 1, t.value("i.1")); }},
      {"a literal is another one", wrong_operand,
       [](constructed& t) { t.after.set_operand(t.value("i.2"), 1, t.after.constant(elbrus::type::i32, 2)); }},
      {"a value is another one", wrong_operand,
       [](constructed& t) { t.after.set_operand(t.value("s.2"), 1, t.after.parameters()[1]); }},
      {"a parameter is another one", wrong_operand,
       [](constructed& t) { t.after.set_operand(t.value("d"), 1, t.value("t")); }},
      {"a store is missing", changed_operation,
       [](constructed& t) { t.after.erase_value(*t.after.values(node_named(t.after, "right")).begin()); }},
      {"an operation runs twice", changed_operation,
       [](constructed& t) { elbrus::editor(t.after).clone_value(t.value("t"), midend::place_before(t.value("t"))); }},
      {"operations are exchanged", changed_operation,
       [](constructed& t) { t.after.move_value(t.value("s.3"), node_named(t.after, "left"), t.value("s.2")); }},
      {"an operation promises more", changed_operation,
       [](constructed& t) { t.after.set_flags(t.value("t"), {.nsw = true}); }},
      {"the edges of a branch are exchanged", changed_flow,
       [](constructed& t) {
         const auto edges = t.after.out_edges(node_named(t.after, "head"));
         t.after.set_case(edges[0], false, 0);
         t.after.set_case(edges[1], false, 1);
       }},
      {"an edge leads elsewhere", changed_flow,
       [](constructed& t) {
         t.after.redirect_edge(t.after.out_edges(node_named(t.after, "left"))[0], node_named(t.after, "exit"));
       }},
      {"a variable is left", wrong_size, [](constructed& t) { t.after.add_variable("more", elbrus::type::i32); }},
      {"another type of the result", wrong_size, [](constructed& t) { t.after.set_result_type(elbrus::type::i64); }},
      {"a node more", wrong_size, [](constructed& t) { t.after.create_node("more"); }},
  };
  const constructed right;
  CHECK(right.fault() == none);
  for (const mistake& m : all) {
    constructed t;
    m.make(t);
    CHECK_MESSAGE(t.fault() == m.expected, m.name, ": ", static_cast<int>(t.fault()), "\n", elbrus::to_text(t.after));
  }
}

TEST_CASE("verify_ssa_construction: what was not written is undef, and nothing else") {
  constexpr std::string_view text = R"(
proc @f(%c: i1, %n: i32) -> i32 {
  var $x: i32
  node entry:
    br %c ? a : b
  node a:
    $x = mov.i32 %n
    br b
  node b:
    ret $x
}
)";
  const procedure before = program_of(text).procedures[0];
  procedure after = before;
  elbrus::construct_ssa(after);
  CHECK(elbrus::verify_ssa_construction(before, after));
  const value_id phi = *after.values(2).begin();
  REQUIRE(after.is_phi(phi));
  after.set_phi_input(phi, after.out_edges(0)[1], after.parameters()[1]);
  CHECK(elbrus::verify_ssa_construction(before, after).fault == ssa_construction_fault::wrong_value);
}
