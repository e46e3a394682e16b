// The printer: how each part looks, and that what it writes is read back as the same.
#include <midend/elbrus/equal.hpp>
#include <midend/elbrus/procedure.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/text/printer.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

using namespace midend::elbrus;
using midend::edge_id;
using midend::no_value;
using midend::node_id;
using midend::value_id;

namespace {

/// A text with each element of the language, as it is printed.
constexpr std::string_view everything = R"(proc @all(%a: ptr, %x: i32, %0: f64) -> i32 mustprogress count=7 {
  var $s: i32
  var $0: f32
  node entry count=7 hint trip=avg:20 trip=max:32 trip=multiple:4:
    $s = mov.i32 -1
    $0 = mov.f32 -0x1.8p+1
    %1 = fma.f64 %0, 0x1.89374bc6a7efap-10, nan.0x1
    %h = ftoi.f64.i32 %1 spec
    %q = fcmp.olt.f64 %0, inf
    %n = ld.i32 [%a + 3*4 - 8] alias=A spec volatile
    %k = ld.f32 [65535 + undef - 9223372036854775808]
    %l = ld.f32 [%a + i32 1*1 + 9223372036854775807]
    %m = add.i32 $s, %x nsw assoc ? ~%q : undef
    %o = select.ptr %q, %a, 0x10000
    st.i32 %m, [%a + %x*4 + 16] alias=B ? %q
    st.i8 i16 5, [i64 8]
    call @host(%m, i32 3, f64 -nan) clobbers=A,B noreturn ? 1
    %c = call.i32 @all(%a, i32 7, f64 0x0p+0) clobbers=none
    %2 = call.i1 @p(i8 undef)
    switch.i32 %c [1: two(0.25)], [-2: two(0.25)], default: two(0.5)
  node two hint trip=avg:3:
    %i = phi.i32 [entry: 0], [entry: %c], [entry: 1], [0: %z] assoc
    %z = zext.i1.i32 %2
    br %2 ? 0 : 1(1e-05)
  node 0:
    br two
  node 1 count=0:
    br 1 ? dead : dead
  node dead:
    %e = phi.i8 [1: 1], [1: i16 2]
    switch.i8 %e default: end
  node end:
    ret %i
  node trap:
    unreachable
}

proc @none() {
  node only:
    ret
}
)";

parse_result read(std::string_view text) {
  parse_result r = parse(text);
  for (const diagnostic& d : r.diagnostics) {
    FAIL(d.location.line, ":", d.location.column, ": ", d.message);
  }
  return r;
}

procedure read_one(std::string_view text) {
  parse_result r = read(text);
  REQUIRE(r.program.procedures.size() == 1);
  return r.program.procedures[0];
}

void check_round_trip(const procedure& p, std::string_view expected) {
  const std::string text = to_text(p);
  CHECK(text == expected);
  const procedure again = read_one(text);
  CHECK(equal(p, again));
  CHECK(to_text(again) == text);
}

} // namespace

TEST_CASE("printer: each element of the language") {
  const program p = read(everything).program;
  CHECK(to_text(p) == everything);
  CHECK(equal(p, read(to_text(p)).program));
}

TEST_CASE("printer: every operation, guarded and not, with every flag") {
  for (const opcode_info& info : opcode_table) {
    if (info.form == opcode_form::memory || info.form == opcode_form::call || info.form == opcode_form::phi ||
        info.form == opcode_form::terminator) {
      continue;
    }
    std::string operation = "%r = " + std::string(info.name);
    operation += info.form == opcode_form::conversion ? ".i64.f32" : ".i64";
    for (unsigned k = 0; k != info.operands; ++k) {
      operation += k == 0 ? " %x" : ", %x";
    }
    operation += " nsw assoc spec volatile noreturn";
    for (const char* const guard : {"", " ? %x : %x", " ? ~%x"}) {
      const std::string text = "proc @f(%x: i64) {\n  node n:\n    " + operation + guard + "\n    ret\n}\n";
      CHECK(to_text(read(text).program) == text);
    }
  }
}

TEST_CASE("printer: what has no name, no good name or another one's is numbered in the order of the text") {
  procedure p;
  p.set_name("f");
  const value_id a = p.add_parameter("", type::i32);
  const value_id b = p.add_parameter("x", type::i32);
  const value_id v = p.add_variable("", type::i32);
  p.add_variable("x", type::i8);
  const node_id n = p.create_node("");
  const node_id m = p.create_node("n");
  const node_id o = p.create_node("n");
  const std::array<value_id, 2> ab = {a, b};
  const value_id c = p.append(m, {.code = opcode::add, .type = type::i32, .operands = ab, .name = "x"});
  const std::array<value_id, 2> cv = {c, v};
  const value_id d = p.append(m, {.code = opcode::add, .type = type::i32, .operands = cv, .name = "not a name"});
  const std::array<value_id, 1> dd = {d};
  p.append(n, {.code = opcode::neg, .type = type::i32, .operands = dd, .name = "1"});
  p.append(n, {.code = opcode::jump});
  p.add_edge(n, m);
  p.append(m, {.code = opcode::jump});
  p.add_edge(m, o);
  p.append(o, {.code = opcode::ret});
  CHECK(to_text(p) == R"(proc @f(%0: i32, %x: i32) {
  var $0: i32
  var $x: i8
  node 0:
    %1 = neg.i32 %3
    br n
  node n:
    %2 = add.i32 %0, %x
    %3 = add.i32 %2, $0
    br 1
  node 1:
    ret
}
)");
  const procedure again = read_one(to_text(p));
  CHECK(to_text(again) == to_text(p));
  CHECK(again.value_name(again.parameters()[0]).empty());
}

TEST_CASE("printer: names of procedures") {
  program p;
  p.procedures.resize(3);
  for (procedure& f : p.procedures) {
    f.append(f.create_node("n"), {.code = opcode::ret});
  }
  p.procedures[1].set_name("not good");
  p.procedures[2].set_name("good");
  const std::string text = to_text(p);
  CHECK(text.find("proc @0()") == 0);
  CHECK(text.find("\n\nproc @1()") != std::string::npos);
  CHECK(text.find("\n\nproc @good()") != std::string::npos);
  CHECK(to_text(read(text).program) == text);
}

TEST_CASE("printer: entries of phis in the order of the text, whatever was done to the edges") {
  procedure p = read_one(R"(proc @f(%x: i32) {
  node n:
    switch.i32 %x [1: a], [2: j], [3: b], [4: j], default: j
  node a:
    br j
  node b:
    br j
  node j:
    %p = phi.i32 [b: 6], [n: 1], [n: 2], [a: 5], [n: 3]
    ret
}
)");
  constexpr std::string_view sorted = "[n: 1], [n: 2], [n: 3], [a: 5], [b: 6]";
  CHECK(to_text(p).find(sorted) != std::string::npos);
  // Away and back: now the edges into j have another order, and the input is lost.
  const node_id j = 3;
  const edge_id second_parallel = p.out_edges(0)[3];
  p.redirect_edge(second_parallel, 1);
  CHECK(to_text(p).find("[n: 1], [n: 3], [a: 5], [b: 6]") != std::string::npos);
  p.redirect_edge(second_parallel, j);
  CHECK(p.in_edges(j).back() == second_parallel);
  CHECK(to_text(p).find("[n: 1], [n: ?], [n: 3], [a: 5], [b: 6]") != std::string::npos);
  p.set_phi_input(p.node(j).first, second_parallel, p.constant(type::i32, 2));
  CHECK(to_text(p).find(sorted) != std::string::npos);
  CHECK(equal(p, read_one(to_text(p))));
}

TEST_CASE("printer: what was erased is not there") {
  procedure p = read_one("proc @f(%x: i32) { node a: %u = neg.i32 %x %v = neg.i32 %x br c node b: %w = neg.i32 %x br c "
                         "node c: ret }");
  p.erase_value(p.node(0).first);
  p.erase_node(1);
  check_round_trip(p, "proc @f(%x: i32) {\n  node a:\n    %v = neg.i32 %x\n    br c\n  node c:\n    ret\n}\n");
}

TEST_CASE("printer: probabilities are exact") {
  for (const double probability :
       {0.0, 1.0, 0.1, 1.0 / 3, 2.0 / 3, 1e-300, 5e-324, 0.9999999999999999, std::numeric_limits<double>::epsilon()}) {
    procedure p = read_one("proc @f() { node a: br b node b: ret }");
    p.set_probability(0, probability);
    const procedure again = read_one(to_text(p));
    CHECK(again.probability(0) == probability);
  }
  procedure p = read_one("proc @f() { node a: br b(0.5) node b: ret }");
  p.set_probability(0, std::numeric_limits<double>::quiet_NaN()); // as good as unknown
  check_round_trip(read_one(to_text(p)), "proc @f() {\n  node a:\n    br b\n  node b:\n    ret\n}\n");
}

TEST_CASE("printer: what is not finished is shown") {
  procedure p;
  p.set_name("f");
  CHECK(to_text(p) == "proc @f() {\n}\n");
  const node_id n = p.create_node("n");
  const std::array<value_id, 2> unset = {no_value, no_value};
  p.append(n, {.code = opcode::add, .type = type::i8, .operands = unset, .name = "x"});
  p.append(n, {.code = opcode::branch, .operand_type = type::i1});
  CHECK(to_text(p) == "proc @f() {\n  node n:\n    %x = add.i8 ?, ?\n    br\n}\n");
}

TEST_CASE("printer: parts of a procedure are called as in its text") {
  const procedure p = read_one(R"(proc @f(%x: f32, %0: i8) {
  var $v: i8
  node n:
    $v = add.i8 %0, 200 nsw
    br 0
  node 0:
    %p = phi.f32 [n: 1], [0: %x]
    br 0
}
)");
  procedure_text text(p);
  const value_id add = p.node(0).first;
  CHECK(text.operation(add) == "$v = add.i8 %0, -56 nsw");
  CHECK(text.value(p.operands(add)[0]) == "%0");
  CHECK(text.value(p.operands(add)[1]) == "-56");
  CHECK(text.value(p.value(add).variable) == "$v");
  CHECK(text.value(no_value) == "?");
  CHECK(text.node(0) == "n");
  CHECK(text.node(1) == "0");
  CHECK(text.operation(p.node(1).first) == "%p = phi.f32 [n: 0x1p+0], [0: %x]");
  CHECK(text.operation(p.terminator(1)) == "br 0");
}
