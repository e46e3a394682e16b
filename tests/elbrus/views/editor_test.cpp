// The editor, and what the semantics rung says of the Elbrus-like IR.
#include "kit/program_generator.hpp"
#include "kit/run_text.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/views/editor.hpp>

#include <array>
#include <bit>
#include <optional>
#include <span>
#include <string>
#include <vector>

using namespace midend::elbrus;
using namespace midend_tests;
using midend::edge_id;
using midend::no_value;
using midend::operation;
using midend::value_id;

namespace {

value_id value_named(const procedure& p, std::string_view name) {
  for (value_id v = 0; v != p.num_values(); ++v) {
    if (p.value_name(v) == name && p.value(v).kind != value_kind::erased) {
      return v;
    }
  }
  FAIL("no value ", std::string(name));
  return no_value;
}

node_id node_named(const procedure& p, std::string_view name) {
  for (node_id n = 0; n != p.num_nodes(); ++n) {
    if (p.node_name(n) == name) {
      return n;
    }
  }
  FAIL("no node ", std::string(name));
  return no_node;
}

constexpr std::string_view sample = R"(
proc @f(%a: i32, %m: ptr) -> i32 {
  node entry count=10:
    switch.i32 %a [1: one], [2: two], [3: one], default: other(0.5)
  node one count=3:
    %x = phi.i32 [entry: 1], [entry: 3]
    %c = call.i32 @g(%x, i32 7) clobbers=A
    st.i32 %c, [%m + %x*4 + 8] alias=A volatile
    br end
  node two:
    br end
  node other:
    %p = cmp.lt.i32 %a, 0
    %g = add.i32 %a, 5 ? ~%p : 0
    br %p ? end : two
  node end:
    %r = phi.i32 [one: %c], [two: 2], [other: %a]
    ret %r
}
)";

std::string text_after(void (*change)(editor&, procedure&)) {
  program all = program_of(sample);
  editor e(all.procedures[0]);
  change(e, all.procedures[0]);
  for (const diagnostic& d : verify(all)) {
    FAIL_CHECK(d.message);
  }
  return to_text(all);
}

} // namespace

TEST_CASE("editor: an edge is kept, and nodes that lead to each other go") {
  const std::string text = text_after([](editor& e, procedure& p) {
    e.keep_edge(p.out_edges(0)[2]); // case 3, to one
    REQUIRE(p.out_edges(0).size() == 1);
    CHECK(p.edge(p.out_edges(0)[0]).is_default);
    CHECK(p.probability(p.out_edges(0)[0]) < 0);
    CHECK(p.phi_input(value_named(p, "x"), p.out_edges(0)[0]) == p.constant(type::i32, 3));
    const node_id dead[] = {node_named(p, "other"), node_named(p, "two")};
    e.erase_nodes(dead);
  });
  CHECK(text == R"(proc @f(%a: i32, %m: ptr) -> i32 {
  node entry count=10:
    br one
  node one count=3:
    %x = phi.i32 [entry: 3]
    %c = call.i32 @g(%x, i32 7) clobbers=A
    st.i32 %c, [%m + %x*4 + 8] alias=A volatile
    br end
  node end:
    %r = phi.i32 [one: %c]
    ret %r
}
)");
}

TEST_CASE("editor: a node is cloned, with its end") {
  const std::string text = text_after([](editor& e, procedure& p) {
    const node_id one = node_named(p, "one");
    const node_id copy = e.create_node(one);
    std::vector<value_id> originals;
    for (const value_id v : p.values(one)) {
      originals.push_back(v);
    }
    std::vector<value_id> clones;
    for (const value_id v : originals) {
      clones.push_back(e.clone_value(v, copy));
    }
    // The call and the store of the clone read what the clone computes.
    p.set_operand(clones[1], 0, clones[0]);
    p.set_operand(clones[2], 0, clones[1]);
    p.set_operand(clones[2], 2, clones[0]);
    const edge_id third = p.out_edges(0)[2];
    e.redirect_edge(third, copy);
    CHECK(e.phi_input(clones[0], third) == no_value);
    e.set_phi_input(clones[0], third, e.make_constant(originals[0], 3));
    CHECK(e.edge_case(third) == 3);
    e.set_phi_input(value_named(p, "r"), p.out_edges(copy)[0], clones[1]);
  });
  CHECK(text.find("switch.i32 %a [1: one], [2: two], [3: ") != std::string::npos);
  CHECK(text.find("[one: %c], [two: 2], [other: %a], [") != std::string::npos);
  CHECK(text.find("call.i32 @g(", text.find("call.i32 @g(") + 1) != std::string::npos);
}

TEST_CASE("editor: switches and branches are cloned with cases and probabilities") {
  program all = program_of(sample);
  procedure& p = all.procedures[0];
  editor e(p);
  const node_id copy = e.create_node(0);
  CHECK(p.node_count(copy) == 10);
  e.clone_value(p.terminator(0), copy);
  REQUIRE(p.out_edges(copy).size() == 4);
  for (std::size_t i = 0; i != 4; ++i) {
    const edge_id original = p.out_edges(0)[i];
    const edge_id clone = p.out_edges(copy)[i];
    CHECK(p.edge_target(clone) == p.edge_target(original));
    CHECK(p.edge(clone).is_default == p.edge(original).is_default);
    CHECK(p.case_value(clone) == p.case_value(original));
    CHECK(p.probability(clone) == p.probability(original));
  }
  CHECK(e.condition(copy) == p.parameters()[0]);
  const node_id jump = e.create_node(copy);
  e.set_jump(jump, copy);
  CHECK(p.edge_target(p.out_edges(jump)[0]) == copy);
  const value_id guarded = e.clone_value(value_named(p, "g"), jump);
  CHECK(p.guard(guarded) == value_named(p, "p"));
  CHECK(p.value(guarded).guard_negated);
  CHECK(p.otherwise(guarded) == p.constant(type::i32, 0));
  CHECK(p.value(guarded).next == p.terminator(jump));
}

TEST_CASE("editor: phis and uses") {
  program all = program_of(sample);
  procedure& p = all.procedures[0];
  editor e(p);
  const value_id r = value_named(p, "r");
  const value_id phi = e.insert_phi(node_named(p, "end"), r);
  CHECK(p.value(phi).type == type::i32);
  CHECK(p.operands(phi).size() == 3);
  for (const edge_id edge : p.in_edges(node_named(p, "end"))) {
    e.set_phi_input(phi, edge, e.phi_input(r, edge));
  }
  e.replace_uses(r, phi);
  e.erase_value(r);
  CHECK(verify(all).empty());
  CHECK(p.operands(p.terminator(node_named(p, "end")))[0] == phi);
}

TEST_CASE("semantic_view: operations, constants, cases and folding") {
  const program all = program_of(R"(
proc @f(%a: i32, %b: i32, %x: f64) -> i32 {
  node entry:
    %sum = add.i32 %a, %b nsw
    %lt = cmp.ult.i32 %a, %b
    %wide = sext.i8.i64 -1
    %guarded = sub.i32 %a, %b ? ~%lt : %b
    %quotient = div.i32 %a, %b spec
    %fsum = fadd.f64 %x, 0x1p+0
    %flt = fcmp.olt.f64 %x, %fsum
    %int = ftoi.f64.i32 %fsum
    %float = itof.i32.f64 %a
    %pick = select.f64 %flt, %x, %fsum
    %u = mov.i32 undef
    br %lt ? one : two
  node one:
    ret %sum
  node two:
    ret %int
}
)");
  const procedure& p = all.procedures[0];
  const semantic_view view(p);
  const auto v = [&](std::string_view name) { return value_named(p, name); };
  const auto fold = [&](std::string_view name, std::vector<std::uint64_t> args) { return view.fold(v(name), args); };
  using bits = std::optional<std::uint64_t>;

  CHECK(view.operation(v("sum")) ==
        midend::operation_info{
            .code = operation::add, .width = 32, .operand_width = 32, .flags = {.no_signed_wrap = true}});
  CHECK(view.operation(v("lt")) ==
        midend::operation_info{.code = operation::uless, .width = 1, .operand_width = 32, .flags = {}});
  CHECK(view.operation(v("wide")) ==
        midend::operation_info{.code = operation::sign_extend, .width = 64, .operand_width = 8, .flags = {}});
  for (const char* name : {"guarded", "fsum", "flt", "int", "float", "a"}) {
    CHECK(view.operation(v(name)).code == operation::other);
  }
  CHECK(view.operation(v("pick")).code == operation::select);

  CHECK(view.constant(p.operands(v("wide"))[0]) == bits(0xff));
  CHECK(view.constant(v("a")) == bits());
  CHECK(view.is_undefined(p.operands(v("u"))[0]));
  CHECK(!view.is_undefined(v("u")));

  CHECK(fold("sum", {3, 4}) == bits(7));
  CHECK(fold("sum", {0x7fff'ffff, 1}) == bits());
  CHECK(fold("wide", {0xff}) == bits(~std::uint64_t{0}));
  CHECK(fold("guarded", {9, 4, 0, 4}) == bits(5));
  CHECK(fold("guarded", {9, 4, 1, 4}) == bits(4));
  CHECK(fold("quotient", {9, 0}) == bits());
  const auto number = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  CHECK(fold("fsum", {number(1.5), number(1.0)}) == bits(number(2.5)));
  CHECK(fold("flt", {number(1.5), number(2.5)}) == bits(1));
  CHECK(fold("int", {number(-2.5)}) == bits(0xffff'fffe));
  CHECK(fold("int", {number(1e30)}) == bits());
  CHECK(fold("float", {0xffff'fffd}) == bits(number(-3.0)));

  CHECK(view.condition(0) == v("lt"));
  CHECK(view.condition(node_named(p, "one")) == no_value);
  CHECK(view.edge_case(p.out_edges(0)[0]) == bits(1));
  CHECK(view.edge_case(p.out_edges(0)[1]) == bits(0));
}

TEST_CASE("fold agrees with the interpreter on random programs") {
  // What a run of an operation alone gives, in a procedure of literals.
  random_source random(7);
  std::size_t folded = 0;
  for (std::uint64_t seed = 1; seed != 60; ++seed) {
    const generated_program generated = random_program(seed, {.form = program_form::ssa, .traps = true});
    for (const procedure& p : generated.program.procedures) {
      for (value_id v = 0; v != p.num_values(); ++v) {
        const value_record& record = p.value(v);
        if (!p.is_operation(v) || record.type == type::none || record.code == opcode::ld ||
            record.code == opcode::call || record.code == opcode::phi || record.flags.spec) {
          continue;
        }
        program alone;
        alone.procedures.emplace_back();
        procedure& q = alone.procedures[0];
        q.set_name("f");
        q.set_result_type(record.type);
        q.create_node("entry");
        std::vector<std::uint64_t> args;
        std::vector<value_id> operands;
        for (const value_id operand : p.operands(v)) {
          const type t = p.value(operand).type;
          const std::uint64_t number = random.one_in(3) ? random.below(3) : random.next();
          operands.push_back(q.constant(t, number));
          args.push_back(q.literal_bits(operands.back()));
        }
        const std::size_t arguments = p.arguments(v).size();
        const value_id result = q.append(0, {.code = record.code,
                                             .type = record.type,
                                             .operand_type = record.operand_type,
                                             .operands = std::span(operands).first(arguments),
                                             .flags = record.flags,
                                             .guard = record.guarded ? operands[arguments] : no_value,
                                             .guard_negated = record.guard_negated,
                                             .otherwise = record.has_otherwise ? operands.back() : no_value});
        const value_id returned[] = {result};
        q.append(0, {.code = opcode::ret, .operand_type = record.type, .operands = returned});
        const run_result run = interpreter(alone).run(0, {});
        const std::optional<std::uint64_t> expected = run.value ? std::optional(run.value->bits) : std::nullopt;
        CHECK_MESSAGE(midend::elbrus::fold(q, result, args) == expected, to_text(alone));
        folded += expected.has_value();
      }
    }
  }
  CHECK(folded > 500);
}
