// The verifier: each error is found once, with words and place; what is right is not complained of.
#include "kit/affordable.hpp"
#include "kit/small_stack.hpp"

#include <midend/elbrus/builder.hpp>
#include <midend/elbrus/program.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/verify/detail/structure_check.hpp>
#include <midend/elbrus/verify/verifier.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace midend;
using namespace midend::elbrus;

/// The messages, one a line, with the place in the file where there is one.
std::string said(const std::vector<diagnostic>& errors) {
  std::string all;
  for (const diagnostic& error : errors) {
    if (error.location != source_location()) {
      all += std::to_string(error.location.line) + ':' + std::to_string(error.location.column) + ": ";
    }
    all += error.message;
    all += '\n';
  }
  return all;
}

template <class Errors> void expect(const Errors& errors, std::string_view wanted) {
  CHECK(said(errors) == wanted);
}

/// `proc @f(%x: i32) -> i32`: counts to %x.
procedure counting_loop() {
  procedure p;
  p.set_name("f");
  p.set_result_type(type::i32);
  builder b(p);
  const value_id x = b.parameter(type::i32, "x");
  const node_id entry = b.node("entry");
  const node_id loop = b.node("loop");
  const node_id exit = b.node("exit");
  b.at(entry);
  const edge_id in = b.jump(loop);
  b.at(loop);
  const value_id i = b.phi(type::i32, "i");
  const value_id next = b.add(type::i32, i, b.i32(1), {.name = "next", .nsw = true});
  const value_id again = b.compare(opcode::cmp_lt, type::i32, next, x, {.name = "again"});
  const branch_edges out = b.branch(again, loop, exit, 0.9);
  b.input(i, in, b.i32(0));
  b.input(i, out.when_true, next);
  b.at(exit);
  b.ret(next);
  return p;
}

} // namespace

TEST_CASE("verify: a loop made by API") {
  expect(verify(counting_loop()), "");
}

namespace {

/// A procedure that answers wrongly where a member of it is set: what no sequence of edits can make.
struct broken_procedure : procedure {
  explicit broken_procedure(const procedure& sound) : procedure(sound) {}

  value_record value(value_id v) const { return v == bad_value ? bad_value_record : procedure::value(v); }

  value_core core(value_id v) const { return v == bad_value ? bad_value_record : procedure::core(v); }

  node_record node(node_id n) const { return n == bad_node ? bad_node_record : procedure::node(n); }

  elbrus::node_core node_core(node_id n) const { return n == bad_node ? bad_node_record : procedure::node_core(n); }

  edge_record edge(edge_id e) const { return e == bad_edge ? bad_edge_record : procedure::edge(e); }

  std::vector<edge_id> out_edges(node_id n) const {
    return of(procedure::out_edges(n), n == bad_out ? bad_list : none);
  }

  std::vector<edge_id> in_edges(node_id n) const { return of(procedure::in_edges(n), n == bad_in ? bad_list : none); }

  std::vector<value_id> operands(value_id v) const {
    return of(procedure::operands(v), v == bad_operands ? bad_list : none);
  }

  std::vector<value_id> users(value_id v) const { return of(procedure::users(v), v == bad_users ? bad_list : none); }

  template <class Range>
  static std::vector<std::uint32_t> of(const Range& right, const std::optional<std::vector<std::uint32_t>>& wrong) {
    if (wrong) {
      return *wrong;
    }
    std::vector<std::uint32_t> out;
    for (const std::uint32_t id : right) {
      out.push_back(id);
    }
    return out;
  }

  value_id bad_value = no_value;
  value_record bad_value_record = {};
  node_id bad_node = no_node;
  node_record bad_node_record = {};
  edge_id bad_edge = 0xffff'ffff;
  edge_record bad_edge_record = {};
  node_id bad_out = no_node;
  node_id bad_in = no_node;
  value_id bad_operands = no_value;
  value_id bad_users = no_value;
  std::optional<std::vector<std::uint32_t>> bad_list = {};
  std::optional<std::vector<std::uint32_t>> none = {};
};

/// Numbers of `counting_loop`: values x i 1 next again branch …, nodes entry loop exit, edges entry→loop, loop→loop,
/// loop→exit.
enum : value_id { x = 0, jump = 1, i = 2, one = 3, next = 4, again = 5, branch = 6, zero = 7, ret = 8 };

std::string structure_faults(const broken_procedure& p) {
  std::vector<diagnostic> found;
  midend::elbrus::detail::error_list errors(p, found);
  midend::elbrus::detail::structure_check(p, errors).run();
  return said(found);
}

} // namespace

TEST_CASE("verify: structures that are torn") {
  broken_procedure p(counting_loop());
  REQUIRE(p.value(next).code == opcode::add);
  REQUIRE(p.value(ret).code == opcode::ret);
  CHECK(structure_faults(p) == "");

  const auto with_value = [&](value_id v, auto&& change) {
    p.bad_value = v;
    p.bad_value_record = p.procedure::value(v);
    change(p.bad_value_record);
    const std::string found = structure_faults(p);
    p.bad_value = no_value;
    return found;
  };
  CHECK(with_value(next, [](value_record& r) { r.next = no_value; }) ==
        "the list of operations does not end where the node says (in @f, node loop)\n"
        "an operation stands in no node (in @f)\n");
  CHECK(with_value(again, [](value_record& r) { r.next = next; }) ==
        "the list of operations is torn at value #4 (in @f, node loop)\nan operation stands in no node (in @f)\n");
  CHECK(with_value(again, [](value_record& r) { r.previous = i; }) ==
        "the list of operations is torn at value #5 (in @f, node loop)\nan operation stands in no node (in @f)\n");
  CHECK(with_value(next, [](value_record& r) { r.node = 2; }) ==
        "the list of operations is torn at value #4 (in @f, node loop)\nan operation stands in no node (in @f)\n");
  CHECK(with_value(next, [](value_record& r) { r.next = 99; }) ==
        "the list of operations is torn at value #99 (in @f, node loop)\nan operation stands in no node (in @f)\n");
  CHECK(with_value(jump, [](value_record& r) { r.guarded = true; }) ==
        "value #1 has too many or too few operands for what it is (in @f, node entry, br)\n");
  CHECK(with_value(ret, [](value_record& r) { r.kind = value_kind::erased; }).find("value #8 has too many") !=
        std::string::npos);

  const auto with_edge = [&](edge_id e, auto&& change) {
    p.bad_edge = e;
    p.bad_edge_record = p.procedure::edge(e);
    change(p.bad_edge_record);
    const std::string found = structure_faults(p);
    p.bad_edge = 0xffff'ffff;
    return found;
  };
  CHECK(with_edge(0, [](edge_record& e) { e.position = 1; }) ==
        "edge #0 is not where it says among those into the node (in @f, node loop)\n");
  CHECK(with_edge(0, [](edge_record& e) { e.position = 7; }) ==
        "edge #0 is not where it says among those into the node (in @f, node loop)\n");
  CHECK(with_edge(0, [](edge_record& e) { e.target = 9; }).find("edge #0 leads from or to a node that is not there") ==
        0);
  CHECK(with_edge(2, [](edge_record& e) { e.source = 0; }) ==
        "edge #2 does not belong into the list of those from the node (in @f, node loop)\n"
        "an edge is missing in the list of its source (in @f)\n");
  CHECK(with_edge(2, [](edge_record& e) { e.source = no_node; }) ==
        "edge #2 does not belong into the list of those from the node (in @f, node loop)\n"
        "edge #2 does not belong into the list of those into the node (in @f, node exit)\n");

  const auto with_list = [&](std::uint32_t broken_procedure::* where, std::uint32_t id,
                             std::vector<std::uint32_t> list) {
    const std::uint32_t old = p.*where;
    p.*where = id;
    p.bad_list = list;
    const std::string found = structure_faults(p);
    p.*where = old;
    return found;
  };
  CHECK(with_list(&broken_procedure::bad_out, 1, {1, 2, 2}) ==
        "edge #2 does not belong into the list of those from the node (in @f, node loop)\n");
  CHECK(with_list(&broken_procedure::bad_out, 1, {1}) == "an edge is missing in the list of its source (in @f)\n");
  CHECK(with_list(&broken_procedure::bad_out, 2, {77}) ==
        "edge #77 does not belong into the list of those from the node (in @f, node exit)\n");
  CHECK(with_list(&broken_procedure::bad_in, 0, {2}) ==
        "edge #2 does not belong into the list of those into the node (in @f, node entry)\n");
  CHECK(
      with_list(&broken_procedure::bad_operands, next, {i, 55}) ==
      "operand #55 is not there (in @f, node loop, %next)\nthe users of value #3 are not those that read it (in @f)\n");
  CHECK(with_list(&broken_procedure::bad_users, x, {}) == "the users of value #0 are not those that read it (in @f)\n");
  CHECK(with_list(&broken_procedure::bad_users, x, {again, again}) ==
        "the users of value #0 are not those that read it (in @f)\n");
  CHECK(with_list(&broken_procedure::bad_users, x, {x}) ==
        "the users of value #0 are not those that read it (in @f)\n");
  CHECK(with_list(&broken_procedure::bad_users, zero, {i, i}) ==
        "the users of value #7 are not those that read it (in @f)\n");

  CHECK(with_value(x, [](value_record& r) { r.kind = value_kind::erased; })
            .find("operand #0 is not there (in @f, node "
                  "loop, %again)") == 0);

  p.bad_node = 2;
  p.bad_node_record = p.procedure::node(2);
  p.bad_node_record.erased = true;
  CHECK(structure_faults(p) == "an erased node has edges or operations (in @f, node exit)\n");
}

TEST_CASE("verify: what only the API can make") {
  procedure empty;
  expect(verify(empty), "there is no node (in @)\n");

  procedure p = counting_loop();
  p.set_name("two words");
  p.set_node_name(1, "1st");
  p.set_value_name(x, "a-b");
  expect(verify(p), "'two words' is no name for a procedure (in @two words)\n"
                    "'1st' is no name for a node (in @two words, node 1st)\n"
                    "'a-b' is no name for a value (in @two words)\n");

  p = counting_loop();
  p.alias_class("a b");
  p.set_value_name(x, "");
  expect(verify(p), "'' is no name for a value (in @f)\n'a b' is no name for an alias class (in @f)\n");

  p = counting_loop();
  p.set_operand(next, 1, no_value);
  p.set_phi_input(i, 0, no_value);
  p.set_value_name(branch, "none");
  expect(verify(p), "an operand of add.i32 is not set (in @f, node loop, %next)\n"
                    "br has no result that could be kept (in @f, node loop, %none)\n"
                    "the phi has no entry for an edge from entry (in @f, node loop, %i)\n");

  p = counting_loop();
  p.set_operand(next, 0, branch);
  expect(verify(p),
         "br has no result that could be read (in @f, node loop, %next)\n"
         "%#6 is read where it need not have been computed: it stands further down (in @f, node loop, %next)\n");

  p = counting_loop();
  p.erase_edge(1);
  p.set_probability(2, 1.5);
  expect(verify(p), "the probability of the edge to exit is more than 1 (in @f, node loop)\n"
                    "br has 1 edge, not 2 (in @f, node loop, br)\n");
  p.set_probability(2, std::numeric_limits<double>::quiet_NaN());
  CHECK(verify(p).size() == 2);

  p = counting_loop();
  p.erase_value(ret);
  p.append(2, {.code = opcode::unreachable});
  p.append(2, {.code = opcode::unreachable});
  p.create_node("");
  expect(verify(p), "unreachable must be the last operation of its node (in @f, node exit, unreachable)\n"
                    "the node does not end with a terminator (in @f, node #3)\n");
  p = counting_loop();
  p.add_edge(2, 1);
  expect(verify(p), "the phi has no entry for an edge from exit (in @f, node loop, %i)\n"
                    "ret has 1 edge, not 0 (in @f, node exit, ret)\n");
  p = counting_loop();
  const value_id operands[] = {x, x, x};
  p.insert_before(next, {.code = opcode::add, .type = type::i32, .operands = operands});
  p.insert_before(next, {.code = opcode::add, .type = type::none, .operands = operands});
  p.insert_before(next, {.code = opcode::cmp_eq, .type = type::i32, .operand_type = type::i32});
  p.insert_before(next, {.code = opcode::ld, .type = type::i32, .operands = {operands, 1}, .access = {.alias = 4}});
  p.insert_before(next, {.code = opcode::mov, .type = type::i32, .operands = {operands, 1}, .otherwise = x});
  p.insert_before(next, {.code = opcode::mov, .type = type::i32, .operands = {operands, 1}, .variable = next});
  expect(verify(p), "add.i32 has 3 operands, not 2 (in @f, node loop, add.i32)\n"
                    "add: the type must be an integer (in @f, node loop, add)\n"
                    "cmp.eq.i32: a comparison gives an i1 (in @f, node loop, cmp.eq.i32)\n"
                    "%x is i32, ld.i32 takes ptr (in @f, node loop, ld.i32)\n"
                    "there is no such alias class (in @f, node loop, ld.i32)\n"
                    "there is nothing that could be otherwise (in @f, node loop, mov.i32)\n"
                    "what is written is no variable (in @f, node loop, %next)\n");
}

TEST_CASE("verify: names that are there twice") {
  procedure p = counting_loop();
  p.set_value_name(again, "next");
  p.add_variable("x", type::i32); // which is no value
  expect(verify(p), "there are two values %next (in @f, node loop, %next)\n");
  p.add_variable("x", type::i32);
  CHECK(verify(p).back().message == "there are two variables $x (in @f)");

  program all;
  all.procedures.assign(2, counting_loop());
  expect(verify(all), "there are two procedures @f (in @f)\n");
}

TEST_CASE("verify: flow that only the API can make") {
  procedure p = counting_loop();
  p.redirect_edge(1, 0);
  expect(verify(p), "the entry must not have predecessors (in @f, node entry)\n");

  p = counting_loop();
  p.erase_edge(0);
  expect(verify(p), "br has 0 edges, not 1 (in @f, node entry, br)\n");

  p = counting_loop();
  p.insert_before(i, {.code = opcode::phi, .type = type::i32});
  expect(verify(p), "the phi has 0 inputs for 2 edges (in @f, node loop, phi.i32)\n");

  p = counting_loop();
  p.insert_before(branch, {.code = opcode::phi, .type = type::i32});
  expect(verify(p), "a phi must stand at the head of its node (in @f, node loop, phi.i32)\n");

  p = counting_loop();
  p.erase_edge(1);
  p.erase_edge(2);
  p.add_edge(1, 1, 0);
  p.add_edge(1, 2, 1);
  p.set_phi_input(i, 3, next);
  expect(verify(p), "the edges of a branch must have the cases 1 and 0 (in @f, node loop, br)\n");
  p.erase_edge(4);
  p.add_edge(1, 2, 0);
  expect(verify(p), "the edges of a branch must have the cases 1 and 0 (in @f, node loop, br)\n");
  p.erase_edge(3);
  p.erase_edge(5);
  p.add_edge(1, 1);
  p.add_edge(1, 2);
  p.set_phi_input(i, 6, next);
  expect(verify(p), "the edges of a branch must have the cases 1 and 0 (in @f, node loop, br)\n");
}

TEST_CASE("verify: switches that only the API can make") {
  procedure p;
  p.set_name("f");
  builder b(p);
  const value_id v = b.parameter(type::i8, "v");
  for (const char* const name : {"a", "b"}) {
    b.node(name);
  }
  b.at(1);
  b.ret();
  b.at(0);
  b.switch_on(v, {{256, 1}}, 1);
  expect(verify(p), "case 256 does not fit into i8 (in @f, node a, switch.i8)\n");
  p.erase_edge(1);
  expect(verify(p), "the last edge of a switch must be its default (in @f, node a, switch.i8)\n");
  p.erase_edge(0);
  p.add_edge(0, 1);
  p.add_edge(0, 1);
  expect(verify(p), "a switch has one default, at its end (in @f, node a, switch.i8)\n");
  p.erase_edge(2);
  p.erase_edge(3);
  expect(verify(p), "the last edge of a switch must be its default (in @f, node a, switch.i8)\n");
}

TEST_CASE("verify: operations that only the API can make") {
  procedure p;
  p.set_name("f");
  builder b(p);
  const value_id v = b.parameter(type::i8, "v");
  const value_id c = b.parameter(type::i1, "c");
  const value_id variable = b.variable(type::i8, "w");
  b.node("a");
  b.node("b");
  b.at(0);
  const value_id written = b.mov(type::i8, v, {.into = variable});
  b.mov(type::i8, written);
  b.mov(type::i8, v, {.name = "both", .into = variable});
  b.call(type::none, "", {v});
  b.call(type::none, "g", {v}, {}, clobber_kind::listed, {alias_id{3}});
  b.store(type::i8, v, {.base = b.literal(type::ptr, 0), .index = c, .scale = 4});
  p.append(0, {.code = opcode::jump, .guard = c});
  p.add_edge(0, 1);
  b.at(1);
  p.append(1, {.code = opcode::phi, .type = type::i8, .operands = {&v, 1}, .guard = c, .otherwise = v});
  p.append(1, {.code = opcode::unreachable, .type = type::i8});
  p.add_parameter("nothing", type::none);
  expect(verify(p), "%nothing has no type (in @f)\n"
                    "what was written to $w is read as a value (in @f, node a, mov.i8)\n"
                    "what is written to $w cannot be a value, too (in @f, node a, $w)\n"
                    "a call of nothing (in @f, node a, call)\n"
                    "there is no such alias class (in @f, node a, call)\n"
                    "br cannot be guarded (in @f, node a, br)\n"
                    "phi.i8 cannot be guarded (in @f, node b, phi.i8)\n"
                    "unreachable.i8: a terminator has no result (in @f, node b, unreachable.i8)\n");
}

TEST_CASE("verify: what is erased does not count") {
  procedure p = counting_loop();
  const node_id gone = p.create_node("loop");
  p.append(gone, {.code = opcode::jump});
  p.add_edge(gone, 2);
  CHECK(said(verify(p)) == "there are two nodes loop (in @f, node loop)\n");
  p.erase_node(gone);
  CHECK(said(verify(p)) == "");
}

namespace {

/// A program without errors of the parser, and what is wrong with it.
struct wrong_program {
  std::string_view text;
  std::string_view errors;
};

constexpr wrong_program wrong_programs[] = {
    {"proc @f(%x: i64) {\n"
     " node a:\n"
     "  %y = trunc.i64.ptr %x\n"
     "  %z = sext.i8.i8 1\n"
     "  %w = ftoi.f64.i32 1.5\n"
     "  %v = ftoi.i32.i32 1\n"
     "  ret\n"
     "}",
     "3:3: trunc.i64.ptr: there is no such conversion\n"
     "4:3: sext.i8.i8: there is no such conversion\n"
     "6:3: ftoi.i32.i32: there is no such conversion\n"},
    {"proc @f() {\n"
     " node a:\n"
     "  %y = add.i32 %y, 1\n"
     "  ret\n"
     "}",
     "3:3: %y is read where it need not have been computed: it stands further down\n"},
    {"proc @f(%x: i32) {\n"
     " node a:\n"
     "  %y = add.i64 %x, 1\n"
     "  ret\n"
     "}",
     "3:3: %x is i32, add.i64 takes i64\n"},
    {"proc @f(%x: i32) {\n"
     " node a:\n"
     "  %y = add.f64 1, 2\n"
     "  ret\n"
     "}",
     "3:3: add.f64: the type must be an integer\n"},
    {"proc @f(%x: i32) {\n"
     " node a:\n"
     "  %y = fadd.i32 %x, %x\n"
     "  ret\n"
     "}",
     "3:3: fadd.i32: the type must be floating point\n"},
    {"proc @f(%x: i32) {\n"
     " node a:\n"
     "  %y = fcmp.olt.i32 %x, %x\n"
     "  ret\n"
     "}",
     "3:3: fcmp.olt.i32: the type must be floating point\n"},
    {"proc @f(%x: f32) {\n"
     " node a:\n"
     "  %y = cmp.lt.f32 %x, %x\n"
     "  ret\n"
     "}",
     "3:3: cmp.lt.f32: the type must be an integer\n"},
    {"proc @f(%x: i32) {\n"
     " node a:\n"
     "  %y = trunc.i32.i64 %x\n"
     "  ret\n"
     "}",
     "3:3: trunc.i32.i64: there is no such conversion\n"},
    {"proc @f(%x: i32) {\n"
     " node a:\n"
     "  %y = zext.i32.i32 %x\n"
     "  ret\n"
     "}",
     "3:3: zext.i32.i32: there is no such conversion\n"},
    {"proc @f(%x: i32) {\n"
     " node a:\n"
     "  %y = itof.f32.f64 1\n"
     "  ret\n"
     "}",
     "3:3: itof.f32.f64: there is no such conversion\n"},
    {"proc @f(%x: i32) {\n"
     " node a:\n"
     "  %y = select.i32 %x, 1, 2\n"
     "  ret\n"
     "}",
     "3:3: %x is i32, select.i32 takes i1\n"},
    {"proc @f(%x: i32) {\n"
     " node a:\n"
     "  %y = shladd.i32 %x, %x, 2\n"
     "  ret\n"
     "}",
     "3:3: the number of bits that shladd shifts by must be a literal\n"},
    {"proc @f(%x: i32) {\n"
     " node a:\n"
     "  %y = ld.i32 [%x]\n"
     "  ret\n"
     "}",
     "3:3: %x is i32, ld.i32 takes ptr\n"},
    {"proc @f(%x: i32, %p: ptr, %g: f32) {\n"
     " node a:\n"
     "  %y = ld.i32 [%p + %g*4]\n"
     "  st.i64 %x, [%p]\n"
     "  ret\n"
     "}",
     "3:3: %g is f32, ld.i32 takes an integer\n"
     "4:3: %x is i32, st.i64 takes i64\n"},
    {"proc @f(%x: i32) {\n"
     " node a:\n"
     "  %y = add.i32 %x, 1 ? %x : 2\n"
     "  ret\n"
     "}",
     "3:3: %x is i32, a guard must be an i1\n"},
    {"proc @f(%x: i32, %p: i1) {\n"
     " node a:\n"
     "  %y = add.i32 %x, 1 ? %p\n"
     "  ret\n"
     "}",
     "3:3: what the result is if the guard does not hold is missing\n"},
    {"proc @f(%x: i32, %p: i1) {\n"
     " node a:\n"
     "  call @g() ? %p : %x\n"
     "  ret\n"
     "}",
     "3:3: there is nothing that could be otherwise\n"},
    {"proc @f(%x: i32, %p: i1, %d: f32) {\n"
     " node a:\n"
     "  %y = add.i32 %x, 1 ? %p : %d\n"
     "  ret\n"
     "}",
     "3:3: %d is f32, add.i32 gives i32\n"},
    {"proc @f(%x: i32, %p: ptr) {\n"
     " node a:\n"
     "  st.i32 %x, [%p] spec\n"
     "  %v = ld.i32 [%p] volatile spec\n"
     "  call @g() spec\n"
     "  ret\n"
     "}",
     "3:3: st.i32 has side effects, so it cannot be speculative\n"
     "4:3: a volatile access has side effects, so it cannot be speculative\n"
     "5:3: call has side effects, so it cannot be speculative\n"},
    {"proc @f(%x: i32, %p: ptr) {\n"
     " node a:\n"
     "  %y = div.i32 %x, 2 nsw\n"
     "  %z = div.i32 %x, 2 assoc\n"
     "  %a = mov.i32 %x volatile\n"
     "  %b = mov.i32 %x noreturn\n"
     "  ret\n"
     "}",
     "3:3: nsw means nothing on div.i32\n"
     "4:3: assoc means nothing on div.i32\n"
     "5:3: volatile means nothing on mov.i32\n"
     "6:3: noreturn means nothing on mov.i32\n"},
    {"proc @f(%x: i32) -> i64 {\n"
     " node a:\n"
     "  ret %x\n"
     "}",
     "3:3: %x is i32, ret has to give i64\n"},
    {"proc @f(%x: i32) {\n"
     " node a:\n"
     "  ret %x\n"
     "}",
     "3:3: ret gives a value, the procedure has no result\n"},
    {"proc @f(%x: i32) -> i32 {\n"
     " node a:\n"
     "  ret\n"
     "}",
     "3:3: ret gives nothing, the result of the procedure is i32\n"},
    {"proc @f(%x: i32) {\n"
     " node a:\n"
     "  br %x ? b : b\n"
     " node b:\n"
     "  ret\n"
     "}",
     "3:3: %x is i32, br takes i1\n"},
    {"proc @f(%x: f32) {\n"
     " node a:\n"
     "  switch.f32 %x default: b\n"
     " node b:\n"
     "  ret\n"
     "}",
     "3:3: switch.f32: the type must be an integer\n"},
    {"proc @f(%x: i8) {\n"
     " node a:\n"
     "  switch.i8 %x [1: b], [-1: b], [255: b], default: b\n"
     " node b:\n"
     "  ret\n"
     "}",
     "3:3: the switch has two cases -1\n"},
    {"proc @f(%x: i32) {\n"
     " node a:\n"
     "  %y = add.i32 %z, 1\n"
     "  %z = add.i32 %x, 1\n"
     "  ret\n"
     "}",
     "3:3: %z is read where it need not have been computed: it stands further down\n"},
    {"proc @f(%p: i1) {\n"
     " node a:\n"
     "  br %p ? b : c\n"
     " node b:\n"
     "  %z = mov.i32 1\n"
     "  br c\n"
     " node c:\n"
     "  %y = mov.i32 %z\n"
     "  ret\n"
     "}",
     "8:3: %z is read where it need not have been computed: not all paths come by node b\n"},
    {"proc @f(%p: i1) {\n"
     " node a:\n"
     "  br %p ? b : c\n"
     " node b:\n"
     "  %z = mov.i32 1\n"
     "  br c\n"
     " node c:\n"
     "  %y = phi.i32 [a: %z], [b: %z]\n"
     "  ret\n"
     "}",
     "8:3: %z need not have been computed at the end of node a: not all paths come by node b\n"},
    {"proc @f(%p: i1) {\n"
     " var $v: i32\n"
     " node a:\n"
     "  br b\n"
     " node b:\n"
     "  %y = phi.i32 [a: $v]\n"
     "  ret\n"
     "}",
     "6:3: an input of a phi must be a value, $v is a variable\n"},
    {"proc @f(%p: i1) {\n"
     " var $v: i32\n"
     " node a:\n"
     "  br b\n"
     " node b:\n"
     "  $v = phi.i32 [a: 1]\n"
     "  ret\n"
     "}",
     "6:3: a phi makes a value, it cannot write to $v\n"},
    {"proc @f(%p: i1) {\n"
     " var $v: i32\n"
     " node a:\n"
     "  $v = mov.i64 1\n"
     "  ret\n"
     "}",
     "4:3: $v is i32, mov.i64 gives i64\n"},
    {"proc @f(%p: i1) {\n"
     " node a:\n"
     "  br b\n"
     " node b:\n"
     "  %y = phi.i32 [a: %p] nsw\n"
     "  ret\n"
     "}",
     "5:3: %p is i1, phi.i32 takes i32\n"
     "5:3: nsw means nothing on phi.i32\n"},
    {"proc @f() {\n"
     " node a:\n"
     "  call @g(i32 1)\n"
     "  %x = call.i32 @g(i64 1, i64 2)\n"
     "  %y = call.i64 @h()\n"
     "  ret\n"
     "}\n"
     "proc @g(%a: i64) {\n"
     " node a:\n"
     "  ret\n"
     "}\n"
     "proc @h() -> f64 {\n"
     " node a:\n"
     "  ret 0.0\n"
     "}",
     "3:3: 1 is i32, parameter %a of @g is i64\n"
     "4:3: @g gives nothing, not i32\n"
     "4:3: @g has 1 parameter, the call has 2 arguments\n"
     "5:3: @h gives f64, not i64\n"},
    {"proc @f(%p: i1) {\n"
     " node a:\n"
     "  %y = phi.i32\n"
     "  ret\n"
     "}",
     "3:3: there cannot be a phi in the entry\n"},
    {"proc @f(%p: i1) {\n"
     " node a:\n"
     "  ret\n"
     " node b:\n"
     "  %y = mov.i32 %y\n"
     "  %z = mov.i64 %y\n"
     "  ret\n"
     "}",
     "6:3: %y is i32, mov.i64 takes i64\n"},
};

} // namespace

TEST_CASE("verify: each error of a file, with its place") {
  for (const wrong_program& wrong : wrong_programs) {
    CAPTURE(std::string(wrong.text));
    const parse_result read = parse(wrong.text);
    REQUIRE(read.diagnostics.empty());
    expect(verify(read.program), wrong.errors);
  }
}

TEST_CASE("verify: errors come by place, procedure by procedure") {
  const parse_result read = parse("proc @f(%x: i32) {\n"
                                  " node a:\n  br c\n"
                                  " node b:\n  %late = mov.i64 %x\n  br c\n"
                                  " node c:\n  %soon = add.i64 %x, 1\n  %y = mov.i64 %late\n  ret %x\n}\n"
                                  "proc @g() {\n node a:\n  call @f()\n  ret\n}\n");
  REQUIRE(read.diagnostics.empty());
  expect(verify(read.program), "5:3: %x is i32, mov.i64 takes i64\n"
                               "8:3: %x is i32, add.i64 takes i64\n"
                               "9:3: %late is read where it need not have been computed: not all paths come by node b\n"
                               "10:3: ret gives a value, the procedure has no result\n"
                               "14:3: @f has 1 parameter, the call has 0 arguments\n");
}

TEST_CASE("verify: where the entry does not lead, values need not be computed") {
  const parse_result read = parse("proc @f() -> i32 {\n"
                                  " node a:\n  br d\n"
                                  " node b:\n  %x = mov.i32 %y\n  br c\n"
                                  " node c:\n  %y = mov.i32 %x\n  br d\n"
                                  " node d:\n  %z = phi.i32 [a: 1], [c: %x]\n  ret %z\n}\n");
  REQUIRE(read.diagnostics.empty());
  expect(verify(read.program), "");
}

TEST_CASE("verify: what converts freely, and what may be ignored") {
  const parse_result read = parse("proc @f(%p: ptr, %n: i64) -> i64 {\n var $q: ptr\n"
                                  " node a:\n  %a = add.i64 %p, %n\n  $q = mov.i64 %a\n  %v = ld.i32 [%n + $q]\n"
                                  "  call @f($q, %p)\n  %r = call.ptr @f(%n, %n) clobbers=A,B noreturn\n  ret %r\n}\n");
  REQUIRE(read.diagnostics.empty());
  expect(verify(read.program), "");
}

TEST_CASE("verify: flags on all that they mean something on") {
  const parse_result read = parse("proc @f(%a: i32, %p: ptr, %d: f64) {\n node a:\n"
                                  "  %1 = add.i32 %a, 1 nsw assoc spec\n  %2 = sub.i32 %a, 1 nsw assoc\n"
                                  "  %3 = mul.i32 %a, 2 nsw assoc\n  %4 = neg.i32 %a nsw\n  %5 = shl.i32 %a, 1 nsw\n"
                                  "  %6 = shladd.i32 %a, 1, %a nsw assoc\n  %7 = min.i32 %a, 1 assoc\n"
                                  "  %8 = umax.i32 %a, 1 assoc\n  %9 = xor.i32 %a, 1 assoc\n"
                                  "  %10 = fadd.f64 %d, %d assoc\n  %11 = fma.f64 %d, %d, %d assoc spec\n"
                                  "  %12 = ld.i32 [%p] spec\n  %13 = ld.i32 [%p] volatile\n"
                                  "  st.i32 1, [%p] volatile\n  call @g() noreturn\n  ret\n}\n");
  REQUIRE(read.diagnostics.empty());
  expect(verify(read.program), "");
}

TEST_CASE("verify: a million nodes on a small stack") {
  procedure p;
  p.set_name("chain");
  builder b(p);
  constexpr node_id count = midend_tests::million;
  const value_id x = b.parameter(type::i32, "x");
  for (node_id n = 0; n != count; ++n) {
    b.node("n" + std::to_string(n));
  }
  value_id last = x;
  for (node_id n = 0; n + 1 != count; ++n) {
    b.at(n);
    last = b.add(type::i32, last, x);
    b.jump(n + 1);
  }
  b.at(count - 1);
  b.ret();
  CHECK(midend_tests::on_a_small_stack([&] { return said(verify(p)); }) == "");
}
