// The parser: each production gives what it says, each error is found at its place, one for each line, and nothing
// that is fed to it harms.
#include "kit/affordable.hpp"
#include "kit/small_stack.hpp"
#include "kit/test_graph.hpp"

#include <midend/elbrus/diagnostic.hpp>
#include <midend/elbrus/procedure.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/verify/verifier.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace midend::elbrus;
using midend::edge_id;
using midend::no_value;
using midend::node_id;
using midend::value_id;
using midend_tests::random_source;

namespace {

constexpr std::string_view spec_example = R"(proc @ex1(%a: ptr, %x: i32) -> i32 count=1000 {
  node entry count=1000:
    %x2 = shl.i32 %x, 1
    br loop
  node loop count=5000:
    %i  = phi.i32 [entry: 0], [loop: %i1]
    %s  = phi.i32 [entry: 0], [loop: %s3]
    %v  = ld.i32 [%a + %i*4] alias=A spec
    %s1 = add.i32 %s, %v assoc
    %s2 = add.i32 %s1, %x2 assoc
    %p  = cmp.eq.i32 %i, 3
    %s3 = shl.i32 %s2, 1 ? %p : %s2
    %i1 = add.i32 %i, 1 nsw
    %q  = cmp.lt.i32 %i1, 5
    br %q ? loop(0.8) : exit(0.2)
  node exit count=1000:
    %r = phi.i32 [loop: %s3]
    ret %r
}
)";

/// `LINE:COLUMN: MESSAGE` for each error.
std::vector<std::string> errors_of(std::string_view text) {
  std::vector<std::string> all;
  for (const diagnostic& d : parse(text).diagnostics) {
    all.push_back(std::to_string(d.location.line) + ':' + std::to_string(d.location.column) + ": " + d.message);
  }
  return all;
}

using errors = std::vector<std::string>;

/// The only procedure of a text without errors.
procedure read(std::string_view text) {
  parse_result result = parse(text);
  for (const diagnostic& d : result.diagnostics) {
    FAIL(d.location.line, ":", d.location.column, ": ", d.message);
  }
  REQUIRE(result.program.procedures.size() == 1);
  return result.program.procedures[0];
}

/// A procedure of one node with these operations before a `ret`. They begin in line 3, column 1.
std::string with_body(std::string_view operations) {
  return "proc @f(%a: ptr, %i: i64, %x: i32, %f: f64, %c: i1) { var $v: i32\nnode n:\n" + std::string(operations) +
         "\nret }";
}

/// The first operation of `with_body`.
struct one_operation {
  explicit one_operation(std::string_view text) : p(read(with_body(text))), v(p.node(0).first) {}

  value_record record() const { return p.value(v); }

  std::string name(value_id o) const {
    const value_record& r = p.value(o);
    return r.kind == value_kind::constant ? std::string(name_of(r.type)) + ' ' + literal_text(r.type, p.literal_bits(o))
           : r.kind == value_kind::undefined ? std::string(name_of(r.type)) + " undef"
                                             : std::string(p.value_name(o));
  }

  std::string arguments() const {
    std::string all;
    for (const value_id o : p.arguments(v)) {
      all += (all.empty() ? "" : ", ") + name(o);
    }
    return all;
  }

  procedure p;
  value_id v;
};

value_id value_named(const procedure& p, std::string_view name) {
  for (value_id v = 0; v != p.num_values(); ++v) {
    if (p.value_name(v) == name) {
      return v;
    }
  }
  return no_value;
}

} // namespace

// What is read.

TEST_CASE("parser: the example of the specification") {
  const procedure p = read(spec_example);
  CHECK(p.name() == "ex1");
  CHECK(p.result_type() == type::i32);
  CHECK(p.count() == 1000);
  CHECK(p.location() == source_location{1, 1});
  REQUIRE(p.parameters().size() == 2);
  CHECK(p.value(p.parameters()[0]).type == type::ptr);
  CHECK(p.value_name(p.parameters()[1]) == "x");
  REQUIRE(p.num_nodes() == 3);
  CHECK(p.node_name(1) == "loop");
  CHECK(p.node_count(1) == 5000);
  CHECK(p.node_location(1) == source_location{5, 3});
  REQUIRE(p.num_edges() == 3);
  CHECK(p.case_value(1) == 1);
  CHECK(p.probability(1) == 0.8);
  CHECK(p.edge_target(1) == 1);
  CHECK(p.case_value(2) == 0);
  CHECK(!p.edge(2).is_default);
  CHECK(p.edge(0).is_default);
  CHECK(p.probability(0) < 0);

  const value_id i = value_named(p, "i");
  CHECK(p.is_phi(i));
  CHECK(p.value_location(i) == source_location{6, 5});
  CHECK(p.phi_input(i, 0) == p.operands(i)[0]);
  CHECK(p.value(p.phi_input(i, 0)).kind == value_kind::constant);
  CHECK(p.phi_input(i, 1) == value_named(p, "i1"));

  const value_id v = value_named(p, "v");
  CHECK(p.access(v) == memory_access{true, 4, 0, 0});
  CHECK(p.alias_name(0) == "A");
  CHECK(p.value(v).flags == attributes{.spec = true});

  const value_id s3 = value_named(p, "s3");
  CHECK(p.guard(s3) == value_named(p, "p"));
  CHECK(!p.value(s3).guard_negated);
  CHECK(p.otherwise(s3) == value_named(p, "s2"));
  CHECK(p.arguments(s3).size() == 2);
  CHECK(p.value(p.terminator(2)).operand_type == type::i32);
}

TEST_CASE("parser: an empty file is a program") {
  CHECK(errors_of("").empty());
  CHECK(parse(" # nothing").program.procedures.empty());
}

TEST_CASE("parser: every operation with all types that it can be written with") {
  for (const opcode_info& info : opcode_table) {
    std::string text = "%r = " + std::string(info.name);
    switch (info.form) {
    case opcode_form::memory:
    case opcode_form::call:
    case opcode_form::phi:
    case opcode_form::terminator:
      continue;
    case opcode_form::conversion:
      text += ".i32.f64";
      break;
    default:
      text += ".f32";
    }
    for (unsigned k = 0; k != info.operands; ++k) {
      text += k == 0 ? " %x" : ", %x";
    }
    CAPTURE(text);
    const one_operation one(text);
    CHECK(one.record().code == static_cast<opcode>(&info - opcode_table.data()));
    CHECK(one.p.arguments(one.v).size() == info.operands);
    const bool compares = info.form == opcode_form::comparison;
    const bool converts = info.form == opcode_form::conversion;
    CHECK(one.record().type == (compares ? type::i1 : converts ? type::f64 : type::f32));
    CHECK(one.record().operand_type == (compares ? type::f32 : converts ? type::i32 : type::none));
  }
  CHECK(one_operation("%r = sqrt.f64 %f").record().code == opcode::fsqrt);
  CHECK(one_operation("%r = ffma.f64 %f, %f, %f").record().code == opcode::fma);
}

TEST_CASE("parser: literals have the type that is asked for, or say it") {
  CHECK(one_operation("%r = add.i8 %x, 200").arguments() == "x, i8 -56");
  CHECK(one_operation("%r = add.i8 %x, i16 200").arguments() == "x, i16 200");
  CHECK(one_operation("%r = add.i8 undef, i64 undef").arguments() == "i8 undef, i64 undef");
  CHECK(one_operation("%r = select.f32 1, 1, inf").arguments() == "i1 1, f32 0x1p+0, f32 inf");
  CHECK(one_operation("%r = fcmp.olt.f64 -nan, nan.0x1").arguments() == "f64 -nan, f64 nan.0x1");
  CHECK(one_operation("%r = zext.i8.i64 7").arguments() == "i8 7");
  CHECK(one_operation("%r = itof.i64.f64 7").arguments() == "i64 7");
  CHECK(one_operation("%r = ld.f32 [4096]").arguments() == "ptr 4096");
  CHECK(one_operation("st.f32 1, [%a + 3*4]").arguments() == "f32 0x1p+0, a, i64 3");
  CHECK(one_operation("call @host(i32 3, %x, ptr 5)").arguments() == "i32 3, x, ptr 5");
  const one_operation guarded("%r = add.i8 %x, 1 ? 0 : 9");
  CHECK(guarded.name(guarded.p.guard(guarded.v)) == "i1 0");
  CHECK(guarded.name(guarded.p.otherwise(guarded.v)) == "i8 9");
  const procedure p = read("proc @f() -> i16 { node n: ret -1 }");
  CHECK(p.value(p.arguments(p.terminator(0))[0]).type == type::i16);
  CHECK(p.value(p.terminator(0)).operand_type == type::i16);
}

TEST_CASE("parser: arguments without a type have that of the parameter, wherever the procedure stands") {
  const parse_result r =
      parse("proc @f() { node n: call @g(1, 2) call @f() ret } proc @g(%a: i8, %b: f32) { node n: ret }");
  REQUIRE(r.diagnostics.empty());
  const procedure& p = r.program.procedures[0];
  const auto arguments = p.arguments(p.node(0).first);
  REQUIRE(arguments.size() == 2);
  CHECK(p.value(arguments[0]).type == type::i8);
  CHECK(p.value(arguments[1]).type == type::f32);
}

TEST_CASE("parser: addresses") {
  const auto access = [](std::string_view address) {
    const one_operation one("%r = ld.i32 [" + std::string(address) + "]");
    const memory_access& a = one.p.access(one.v);
    CHECK(a.indexed == (one.p.arguments(one.v).size() == 2));
    return one.arguments() + " *" + std::to_string(a.indexed ? a.scale : 0) + " +" + std::to_string(a.offset);
  };
  CHECK(access("%a") == "a *0 +0");
  CHECK(access("%a + %i") == "a, i *1 +0");
  CHECK(access("%a + %i*8") == "a, i *8 +0");
  CHECK(access("%a + %i*8 + 16") == "a, i *8 +16");
  CHECK(access("%a+%i*8-16") == "a, i *8 +-16");
  CHECK(access("%a + %i*8 - 16") == "a, i *8 +-16");
  CHECK(access("%a + 0x10") == "a *0 +16");
  CHECK(access("%a - 0x8000000000000000") == "a *0 +-9223372036854775808");
  CHECK(access("%a + -8") == "a *0 +-8");
  CHECK(access("%a + 3*4 + 5") == "a, i64 3 *4 +5");
  CHECK(access("%a + -3*4") == "a, i64 -3 *4 +0");
  CHECK(access("%a + i32 3") == "a, i32 3 *1 +0");
  CHECK(access("$v + $v*4294967295") == "v, v *4294967295 +0");
}

TEST_CASE("parser: flags stand on both sides of the guard") {
  const one_operation one("%r = ld.i32 [%a] volatile ? ~%c : 5 spec alias=B");
  CHECK(one.record().flags == attributes{.spec = true, .is_volatile = true});
  CHECK(one.record().guard_negated);
  CHECK(one.p.alias_name(one.p.access(one.v).alias) == "B");
  CHECK(one_operation("%r = add.i32 %x, 1 assoc nsw").record().flags == attributes{.nsw = true, .assoc = true});
  CHECK(one_operation("call @f2() noreturn").record().flags == attributes{.noreturn = true});
  const one_operation store("st.i32 %x, [%a] ? %c");
  CHECK(store.p.otherwise(store.v) == no_value);
  CHECK(store.p.guard(store.v) != no_value);
}

TEST_CASE("parser: calls and what they clobber") {
  const auto clobbers = [](std::string_view text) {
    const one_operation one(text);
    std::string all(1, "*-L"[static_cast<std::size_t>(one.p.call(one.v).clobbers)]);
    for (const alias_id c : one.p.clobbered(one.v)) {
      all += ' ' + std::string(one.p.alias_name(c));
    }
    return std::string(one.p.text(one.p.call(one.v).callee)) + ' ' + all;
  };
  CHECK(clobbers("call @g()") == "g *");
  CHECK(clobbers("call @g(%x, $v) clobbers=*") == "g *");
  CHECK(clobbers("%r = call.i32 @g() clobbers=none") == "g -");
  CHECK(clobbers("call.i32 @g() clobbers=A , B,A") == "g L A B A");
  CHECK(one_operation("call.i32 @g()").record().type == type::i32);
  CHECK(one_operation("call @g()").record().type == type::none);
}

TEST_CASE("parser: variables") {
  const procedure p = read("proc @f() { var $x: i32 var $y: f64 node n: $x = add.i32 $x, 1 $y = mov.f64 2 ret }");
  REQUIRE(p.variables().size() == 2);
  CHECK(p.value(p.variables()[1]).type == type::f64);
  const value_id first = p.node(0).first;
  CHECK(p.value(first).variable == p.variables()[0]);
  CHECK(p.value_name(first).empty());
  CHECK(p.operands(first)[0] == p.variables()[0]);
}

TEST_CASE("parser: profile") {
  const procedure p = read("proc @f() count=18446744073709551614 { node n count=0 hint trip=avg:20 trip=max:0x8 hint "
                           "trip=multiple:4: ret node m: hint trip=max:18446744073709551615 unreachable }");
  CHECK(p.count() == no_count - 1);
  CHECK(p.node_count(0) == 0);
  CHECK(p.hint(0) == trip_hint{20, 8, 4});
  CHECK(p.hint(1) == trip_hint{0, ~std::uint64_t{0}, 0});

  CHECK(!p.must_progress());
  CHECK(read("proc @f() mustprogress count=3 { node n: ret }").must_progress());
  CHECK(read("proc @f() -> i8 count=3 mustprogress { node n: ret 0 }").must_progress());
  const procedure q = read("proc @f() { node n hint trip=avg:20, trip=max:8 count=3 hint trip=multiple:4: ret }");
  CHECK(q.node_count(0) == 3);
  CHECK(q.hint(0) == trip_hint{20, 8, 4});
  CHECK(p.node_count(1) == no_count);
}

TEST_CASE("parser: switches and parallel edges") {
  const procedure p = read(R"(proc @f(%x: i8) {
    node n: switch.i8 %x [1: a(0.25)], [-1: a], [0x7f: b], default: a(1e-3)
    node a: %p = phi.i8 [n: 10], [b: 20], [n: 11], [n: 12]  br b
    node b: %q = phi.i8 [a: %p], [n: 30]  br %x ? a : c
    node c: switch.i8 %q default: d
    node d: unreachable
  })");
  REQUIRE(p.out_edges(0).size() == 4);
  CHECK(p.case_value(1) == 0xff);
  CHECK(p.edge(3).is_default);
  CHECK(p.probability(3) == 1e-3);
  const value_id phi = p.node(1).first;
  std::vector<std::uint64_t> inputs;
  for (const edge_id e : p.out_edges(0)) {
    if (p.edge_target(e) == 1) {
      inputs.push_back(p.literal_bits(p.phi_input(phi, e)));
    }
  }
  CHECK(inputs == std::vector<std::uint64_t>{10, 11, 12});
  CHECK(p.value(p.terminator(3)).operand_type == type::i8);
}

TEST_CASE("parser: a literal decides a branch, and a number is a node") {
  const procedure p =
      read("proc @f() { node n: br 1 ? 1 : undef node 1: br 2 node undef: br undef ? 1 : 2 node 2: ret }");
  CHECK(p.value(p.operands(p.terminator(0))[0]).kind == value_kind::constant);
  CHECK(p.value(p.operands(p.terminator(2))[0]).kind == value_kind::undefined);
  CHECK(p.node_name(1).empty());
  CHECK(p.edge_target(p.out_edges(1)[0]) == 3);
}

TEST_CASE("parser: an empty entry is put before a first node with predecessors") {
  const procedure p = read("proc @f(%c: i1) count=3 { node entry: br %c ? entry : entry.1 node entry.1: br entry }");
  REQUIRE(p.num_nodes() == 3);
  CHECK(p.node_name(0) == "entry.2");
  CHECK(p.node_count(0) == 3);
  CHECK(p.in_edges(0).empty());
  CHECK(p.edge_target(p.out_edges(0)[0]) == 1);
  CHECK(p.node_name(1) == "entry");
  CHECK(read("proc @f() { node a: br b node b: br b }").num_nodes() == 2);
}

TEST_CASE("parser: nothing asks for lines") {
  std::string joined;
  std::string one_token_a_line;
  for (const char c : spec_example) {
    joined += c == '\n' ? ' ' : c;
  }
  const std::string expected = to_text(read(spec_example));
  CHECK(to_text(read(joined)) == expected);
  for (const char c : joined) {
    if (c == ' ') {
      one_token_a_line += "\r\n\t";
    } else {
      one_token_a_line += c;
    }
  }
  one_token_a_line.replace(one_token_a_line.find("ret\r\n\t"), 6, "ret ");
  CHECK(to_text(read(one_token_a_line)) == expected);
}

// What is wrong.

TEST_CASE("parser: errors of operations") {
  const auto error = [](std::string_view line) {
    const errors all = errors_of(with_body(line));
    return all.size() == 1 ? all[0] : std::to_string(all.size()) + " errors";
  };
  CHECK(error("%r = foo.i32 %x") == "3:6: unknown operation or flag 'foo.i32'");
  CHECK(error("foo %x") == "3:1: unknown operation 'foo'");
  CHECK(error("%r = cmp.slt.i32 %x, 1") == "3:6: unknown operation or flag 'cmp.slt.i32': did you mean cmp.lt?");
  CHECK(error("%r = cmp.sge %x, 1") == "3:6: unknown operation or flag 'cmp.sge': did you mean cmp.ge?");
  CHECK(error("rte %x") == "3:1: unknown operation 'rte': did you mean ret?");
  CHECK(error("%r = add.i33 %x, 1") == "3:6: unknown type 'i33'");
  CHECK(error("%r = add %x, 1") == "3:6: 'add' takes one type, as in 'add.i32'");
  CHECK(error("%r = fadd %f, 1") == "3:6: 'fadd' takes one type, as in 'fadd.f64'");
  CHECK(error("%r = add.i32.i32 %x, 1") == "3:6: 'add.i32.i32' takes one type, as in 'add.i32'");
  CHECK(error("%r = zext.i32 %x") == "3:6: 'zext.i32' takes two types, as in 'zext.i32.i64'");
  CHECK(error("br.i32 n") == "3:1: 'br.i32' takes no type");
  CHECK(error("%r = st.i32 %x, [%a]") == "3:6: 'st.i32' has no result");
  CHECK(error("%r = call @g()") == "3:6: 'call' has no result");
  CHECK(error("$v = ret") == "3:6: 'ret' has no result");
  CHECK(error("add.i32 %x, 1") == "3:1: the result of 'add.i32' needs a name");
  CHECK(error("phi.i32") == "3:1: the result of 'phi.i32' needs a name");
  CHECK(error("%r add.i32 %x, 1") == "3:4: expected '=', found 'add.i32'");
  CHECK(error("%r = %x") == "3:6: expected an operation, found '%x'");
  CHECK(error("%r =") == "3:5: expected an operation, found the end of the line");
  CHECK(error("= 3") == "3:1: expected an operation, 'node' or '}', found '='");
  CHECK(error("%r = add.i32 %x 1") == "3:17: expected ',', found '1'");
  CHECK(error("%r = add.i32 %x,") == "3:17: expected an operand, found the end of the line");
  CHECK(error("%r = add.i32 %x,\n%s = add.i32 %x, 1") == "3:17: expected an operand, found the end of the line");
  CHECK(error("%r = add.i32 %x, foo") == "3:18: expected an operand, found 'foo'");
  CHECK(error("%r = add.i32 %x, @foo") == "3:18: expected an operand, found '@foo'");
  CHECK(error("%r = add.i32 %x, i32") == "3:21: expected an operand, found the end of the line");
  CHECK(error("%r = add.i32 %x, 1, 2") == "3:19: 'add' takes 2 operands");
  CHECK(error("%r = neg.i32 %x, 1") == "3:16: 'neg' takes 1 operand");
  CHECK(error("%r = add.i32 %x, 1 nws") == "3:20: unknown operation or flag 'nws'");
  CHECK(error("%r = add.i32 %x, 1 alias=A") == "3:20: unknown operation or flag 'alias'");
  CHECK(error("%r = ld.i32 [%a] clobbers=none") == "3:18: unknown operation or flag 'clobbers'");
  CHECK(error("%r = add.i32 %x, 1 ? %c : 2 ? %c : 3") == "3:29: a second guard");
  CHECK(error("%r = add.i32 %x, 1 ? : 2") == "3:22: expected an operand, found ':'");
  CHECK(error("%r = ld.i32 %a") == "3:13: expected '[', found '%a'");
  CHECK(error("%r = ld.i32 [%a") == "3:16: expected ']', found the end of the line");
  CHECK(error("%r = ld.i32 [%a + 8 + %i]") == "3:21: expected ']', found '+'");
  CHECK(error("%r = ld.i32 [%a - 8 - 8]") == "3:21: expected ']', found '-'");
  CHECK(error("%r = ld.i32 [%a - %i]") == "3:19: expected an offset, found '%i'");
  CHECK(error("%r = ld.i32 [%a + %i + %i]") == "3:24: expected an offset, found '%i'");
  CHECK(error("%r = ld.i32 [%a + %i*%i]") == "3:22: expected a scale, found '%i'");
  CHECK(error("%r = ld.i32 [%a + %i*4294967296]") == "3:22: '4294967296' is too large: at most 4294967295");
  CHECK(error("%r = ld.i32 [%a + 1.5]") == "3:19: '1.5' is no literal of type i64");
  CHECK(error("%r = ld.i32 [%a - 99999999999999999999]") == "3:19: '99999999999999999999' is out of the range of i64");
  CHECK(error("%r = ld.i32 [%a] alias A") == "3:24: expected '=', found 'A'");
  CHECK(error("%r = ld.i32 [%a] alias=1") == "3:24: expected the name of an alias class, found '1'");
  CHECK(error("%r = ld.i32 [%a] alias=none") == "3:24: an alias class cannot be called 'none'");
  CHECK(error("%r = ld.i32 [%a] alias=A alias=B") == "3:26: a second alias class");
  CHECK(error("%r = ld.i32 [%a] local=A") == "3:25: expected ':', found the end of the line");
  CHECK(error("%r = ld.i32 [%a] local=A:nowhere") == "3:26: unknown node 'nowhere'");
  CHECK(error("%r = ld.i32 [%a] local=none:entry") == "3:24: an alias class cannot be called 'none'");
  CHECK(error("%r = ld.i32 [%a] local=A:entry local=B:entry") == "3:32: a second local class");
  CHECK(error("%r = add.i32 %x, 1 local=A:entry") == "3:20: unknown operation or flag 'local'");
  CHECK(error("st.i32 [%a]") == "3:8: expected an operand, found '['");
  CHECK(error("call g()") == "3:6: expected the name of a procedure, found 'g'");
  CHECK(error("call @g") == "3:8: expected '(', found the end of the line");
  CHECK(error("call @g(%x") == "3:11: expected ',' or ')', found the end of the line");
  CHECK(error("call @g(,)") == "3:9: expected an operand, found ','");
  CHECK(error("call @g(3)") == "3:9: a literal needs a type here, as in 'i32 1'");
  CHECK(error("call @f(0, 0, 0, 0, 0, 0)") == "3:24: a literal needs a type here, as in 'i32 1'");
  CHECK(error("call @g() clobbers=A,") == "3:22: expected the name of an alias class, found the end of the line");
  CHECK(error("%r = ld.i32 [%a] alias=\nst.i32 %x, [%a]") ==
        "3:24: expected the name of an alias class, found the end of the line");
  CHECK(error("call @g() clobbers=A,none") == "3:22: an alias class cannot be called 'none'");
  CHECK(error("%r = add.i8 1, 256") == "3:16: '256' is out of the range of i8");
  CHECK(error("%r = add.i8 1, 1.0") == "3:16: '1.0' is no literal of type i8");
  CHECK(error("%r = add.i8 1, inf") == "3:16: 'inf' is no literal of type i8");
  CHECK(error("%r = fadd.f64 %f, 1e999") == "3:19: '1e999' is out of the range of f64");
  CHECK(error("%r = add.i32 %nope, 1") == "3:14: unknown value '%nope'");
  CHECK(error("%r = add.i32 $nope, 1") == "3:14: unknown variable '$nope'");
  CHECK(error("$nope = add.i32 %x, 1") == "3:1: unknown variable '$nope'");
  CHECK(error("%x = add.i32 %x, 1") == "3:1: '%x' is defined twice, first in line 1");
  CHECK(error("%r = neg.i32 %x\n%r = neg.i32 %x") == "4:1: '%r' is defined twice, first in line 3");
  CHECK(error("%0 = neg.i32 %x\n%0 = neg.i32 %x") == "4:1: '%0' is defined twice, first in line 3");
  CHECK(error("\x01") == "3:1: expected an operation, 'node' or '}', found '\\x01'");
  CHECK(error("\xd0\xb6") == "3:1: expected an operation, 'node' or '}', found '\\xd0\\xb6'");
  CHECK(error(std::string(50, 'a')) == "3:1: unknown operation '" + std::string(40, 'a') + "...'");
}

TEST_CASE("parser: errors of terminators and phis") {
  const auto error = [](std::string_view nodes) {
    const errors all = errors_of("proc @f(%x: i8, %c: i1) {\nnode n:\n" + std::string(nodes) + "\n}");
    return all.size() == 1 ? all[0] : std::to_string(all.size()) + " errors";
  };
  CHECK(error("br") == "3:3: expected a node or a condition, found the end of the line");
  CHECK(error("br m") == "3:4: unknown node 'm'");
  CHECK(error("br\nret") == "3:3: expected a node or a condition, found the end of the line");
  CHECK(error("br\nnode m: ret") == "3:3: expected a node or a condition, found the end of the line");
  CHECK(error("br %c m : m\nnode m: ret") == "3:7: expected '?', found 'm'");
  CHECK(error("br %c ? m\nnode m: ret") == "3:10: expected ':', found the end of the line");
  CHECK(error("br %c ? m : \nnode m: ret") == "3:12: expected the name of a node, found the end of the line");
  CHECK(error("br %c ? m : %x\nnode m: ret") == "3:13: expected the name of a node, found '%x'");
  CHECK(error("br m(2)\nnode m: ret") == "3:6: '2' is no probability: a number from 0 to 1");
  CHECK(error("br m(-0.1)\nnode m: ret") == "3:6: '-0.1' is no probability: a number from 0 to 1");
  CHECK(error("br m(0.x)\nnode m: ret") == "3:6: '0.x' is no probability: a number from 0 to 1");
  CHECK(error("br m(nan)\nnode m: ret") == "3:6: expected a probability, found 'nan'");
  CHECK(error("br m(0.5\nnode m: ret") == "3:9: expected ')', found the end of the line");
  CHECK(error("switch.i8 %x [1: m] default: m\nnode m: ret") == "3:21: expected ',', found 'default'");
  CHECK(error("switch.i8 %x [1: m],\nnode m: ret") == "3:21: expected '[' or 'default', found the end of the line");
  CHECK(error("switch.i8 %x [300: m], default: m\nnode m: ret") == "3:15: '300' is out of the range of i8");
  CHECK(error("switch.i8 %x [undef: m], default: m\nnode m: ret") == "3:15: 'undef' is no literal of type i8");
  CHECK(error("switch.i8 %x [%x: m], default: m\nnode m: ret") == "3:15: expected an operand, found '%x'");
  CHECK(error("ret 1") == "3:5: a literal needs a type here, as in 'i32 1'");
  CHECK(error("%r = neg.i8 %x") == "2:1: node 'n' has no terminator");
  CHECK(error("ret\nnode m:") == "4:1: node 'm' has no terminator");
  CHECK(error("ret\nret") == "4:1: an operation after the terminator of node 'n'");
  CHECK(error("ret\n%r = neg.i8 %x\nret") == "4:1: an operation after the terminator of node 'n'");
  CHECK(error("ret\nnode n: ret") == "4:6: 'n' is defined twice, first in line 2");
  CHECK(error("ret\nnode m: %r = neg.i8 %x %p = phi.i8 ret") == "4:24: a phi after other operations");
  CHECK(error("br m\nnode m: %p = phi.i8 [n: 1] ? %c : 2 ret") == "4:28: a phi has no guard");
  CHECK(error("br m\nnode m: %p = phi.i8 [n 1] ret") == "4:24: expected ':', found '1'");
  CHECK(error("br m\nnode m: %p = phi.i8 [n: 1 ret") == "4:27: expected ']', found 'ret'");
  CHECK(error("br m\nnode m: %p = phi.i8 [n: 1], ret") == "4:29: expected '[', found 'ret'");
  CHECK(error("br m\nnode m: %p = phi.i8 ret") == "4:9: the phi has no entry for the edge from node 'n'");
  CHECK(error("br m\nnode m: %p = phi.i8 [m: 1] ret") == "4:22: node 'm' is no predecessor of node 'm'");
  CHECK(error("br m\nnode m: %p = phi.i8 [n: 1], [k: 2] ret") == "4:30: unknown node 'k'");
  CHECK(error("br m\nnode m: %p = phi.i8 [n: 1], [n: 2] ret") == "4:30: more entries for node 'n' than edges from it");
  CHECK(error("br %c ? m : m\nnode m: %p = phi.i8 [n: 1] ret") ==
        "4:9: the phi has no entry for the edge from node 'n'");
  CHECK(error("switch.i8 %x [1: m], [2: m], default: m\nnode m: %p = phi.i8 [n: 1] ret") ==
        "4:9: the phi has no entry for the edge from node 'n', nor for 1 more");
  CHECK(error("br %c ? m : typo\nnode m: ret\nnode k: %p = phi.i8 [n: 2] ret") == "3:13: unknown node 'typo'");
  CHECK(error("br m\nnode m: br k\nnode m: br j\nnode k: %p = phi.i8 [m: 1] ret\nnode j: %q = phi.i8 [m: 2] ret") ==
        "5:6: 'm' is defined twice, first in line 4");
  CHECK(error("%p = phi.i8 [n: 1]\nbr n") ==
        "3:1: the phi has no entry for the entry of the procedure: write a node before this one");
}

TEST_CASE("parser: errors of heads") {
  CHECK(errors_of("foo") == errors{"1:1: expected 'proc', found 'foo'"});
  CHECK(errors_of("foo\nbar proc\nproc @f() { node n: ret }\n}") ==
        errors{"1:1: expected 'proc', found 'foo'", "4:1: expected 'proc', found '}'"});
  CHECK(errors_of("proc f() { node n: ret }") == errors{"1:6: expected the name of a procedure, found 'f'"});
  CHECK(errors_of("proc") == errors{"1:5: expected the name of a procedure, found the end of the file"});
  CHECK(errors_of("proc @f { node n: ret }") == errors{"1:9: expected '(', found '{'"});
  CHECK(errors_of("proc @f(%x) { node n: ret }") == errors{"1:11: expected ':', found ')'"});
  CHECK(errors_of("proc @f(x: i8) { node n: ret }") == errors{"1:9: expected a parameter, found 'x'"});
  CHECK(errors_of("proc @f(%x: i9) { node n: ret }") == errors{"1:13: expected a type, found 'i9'"});
  CHECK(errors_of("proc @f(%x: none) { node n: ret }") == errors{"1:13: expected a type, found 'none'"});
  CHECK(errors_of("proc @f(%x: i8 %y: i8) { node n: ret }") == errors{"1:16: expected ',' or ')', found '%y'"});
  CHECK(errors_of("proc @f(%x: i8, %x: i8) { node n: ret }") == errors{"1:17: '%x' is defined twice, first in line 1"});
  CHECK(errors_of("proc @f() -> { node n: ret }") == errors{"1:14: expected a type, found '{'"});
  CHECK(errors_of("proc @f() mustprogress count=1 mustprogress { node n: ret }") ==
        errors{"1:32: a second 'mustprogress'"});
  CHECK(errors_of("proc @f() count=1 mustprogress count=2 { node n: ret }") == errors{"1:32: a second count"});
  CHECK(errors_of("proc @f() must_progress { node n: ret }") == errors{"1:11: expected '{', found 'must_progress'"});
  CHECK(errors_of("proc @f() count=-1 { node n: ret }") == errors{"1:17: expected a number, found '-1'"});
  CHECK(errors_of("proc @f() count=18446744073709551615 { node n: ret }") ==
        errors{"1:17: '18446744073709551615' is too large: at most 18446744073709551614"});
  CHECK(errors_of("proc @f()\nnode n: ret }") == errors{"1:10: expected '{', found the end of the line"});
  CHECK(errors_of("proc @f() { }") == errors{"1:1: procedure '@f' has no node"});
  CHECK(errors_of("proc @f() { node n: ret") == errors{"1:24: expected '}', found the end of the file"});
  CHECK(errors_of("proc @f() { node n: foo }\nproc @g() { node n: ret }") ==
        errors{"1:21: unknown operation or flag 'foo'"});
  CHECK(errors_of("proc @f() { node n: ret\nproc @g() { node n: ret }") == errors{"2:1: expected '}', found 'proc'"});
  CHECK(errors_of("proc @f() { node n: ret }\nproc @f() { node n: br m }") ==
        errors{"2:6: a second procedure '@f'", "2:24: unknown node 'm'"});
  CHECK(errors_of("proc @0() { node n: ret } proc @0() { node n: ret }").empty());
}

TEST_CASE("parser: errors of nodes and variables") {
  const auto error = [](std::string_view lines) {
    const errors all = errors_of("proc @f() {\n" + std::string(lines) + "\n}");
    return all.size() == 1 ? all[0] : std::to_string(all.size()) + " errors";
  };
  CHECK(error("node : ret") == "2:6: expected the name of a node, found ':'");
  CHECK(error("node n\nret") == "2:7: expected ':', found the end of the line");
  CHECK(error("node n count: ret") == "2:13: expected '=', found ':'");
  CHECK(error("node n count=x: ret") == "2:14: expected a number, found 'x'");
  CHECK(error("node n count=1 hint trip=avg:3 count=2: ret") == "2:32: a second count");
  CHECK(error("node n hint trip=avg:3,: ret") == "2:24: expected 'trip', found ':'");
  CHECK(error("node n hint: ret") == "2:12: expected 'trip', found ':'");
  CHECK(error("node n hint trip=min:3: ret") == "2:18: expected 'avg', 'max' or 'multiple', found 'min'");
  CHECK(error("node n hint trip=avg 3: ret") == "2:22: expected ':', found '3'");
  CHECK(error("node n: ret\nhint trip=avg:3") == "3:1: a hint stands at the head of a node");
  CHECK(error("hint trip=avg:3\nnode n: ret") == "2:1: a hint stands at the head of a node");
  CHECK(error("ret\nnode n: ret") == "2:1: expected 'node', found 'ret'");
  CHECK(error("call @f()\ncall @f()\nnode n: ret") == "2:1: expected 'node', found 'call'");
  CHECK(error("var x: i8\nnode n: ret") == "2:5: expected the name of a variable, found 'x'");
  CHECK(error("var $x i8\nnode n: $x = mov.i8 $x ret") == "2:8: expected ':', found 'i8'");
  CHECK(error("var $x: i8\nvar $x: i8\nnode n: ret") == "3:5: '$x' is defined twice, first in line 2");
  CHECK(error("node n: ret\nvar $x: i8") == "3:1: variables are declared before the first node");
}

TEST_CASE("parser: every line that is wrong, and nothing that follows from it") {
  CHECK(errors_of(R"(proc @f(%a: i32, %b: i31) -> i32 {
  var $x i32
  node n:
    %c = add.i32 %a
    %d = addd.i32 %b, %c
    $x = add.i32 %d, 5000000000
    br %d ? n2 : n3(
  node n2 cnt=4:
    %p = phi.i32 [n: %c]
    br n4
  node n3:
    %q = phi.i32 [n: %p], [n2: 4]
    %s = add.i32 %t, %q
    br n5
  node n4:
    %u = phi.i32 [n2: 4]
    ret %e
}
)") == errors{"1:22: expected a type, found 'i31'", "2:10: expected ':', found 'i32'",
              "4:20: expected ',', found the end of the line",
              "5:10: unknown operation or flag 'addd.i32': did you mean add?",
              "6:22: '5000000000' is out of the range of i32",
              "7:21: expected a probability, found the end of the line", "8:11: expected ':', found 'cnt'",
              "13:18: unknown value '%t'", "14:8: unknown node 'n5'", "17:9: unknown value '%e'"});
  CHECK(errors_of("proc @f(%a: i8, %b: i9, %c: i8) {\nnode n: %r = add.i8 %a, %b %s = add.i8 %c, %c ret }") ==
        errors{"1:21: expected a type, found 'i9'"});
  CHECK(errors_of("proc @f() {\nvar $x: i9\nnode n:\n%r = add.i9 $x\n%s = add.i8 %r, $x\nret }") ==
        errors{"2:9: expected a type, found 'i9'", "4:6: unknown type 'i9'"});
  CHECK(errors_of("proc @f() {\nnode n: br m\nnode m foo: br k\nnode k: %p = phi.i8 [n: 1], [m: 1] br m }") ==
        errors{"3:8: expected ':', found 'foo'"});
}

TEST_CASE("parser: every name, literal and phi entry that is wrong, and nothing that follows from it") {
  CHECK(errors_of(R"(proc @f(%a: i32, %b: i1) -> i32 {
  var $x: i32
  node n:
    %c = add.i32 %a, $y
    $x = add.i32 %d, 5000000000
    br %b ? n2 : n3
  node n2:
    %p = phi.i32 [n: %c], [n3: 1]
    %c = mov.i32 1
    br n3
  node n3:
    %q = phi.i32 [n: %p], [n2: 4]
    %r = phi.i32 [n: 1]
    %s = add.i32 %t, %q
    ret %e
}
)") == errors{"4:22: unknown variable '$y'", "5:18: unknown value '%d'",
              "5:22: '5000000000' is out of the range of i32", "8:28: node 'n3' is no predecessor of node 'n2'",
              "9:5: '%c' is defined twice, first in line 4", "13:5: the phi has no entry for the edge from node 'n2'",
              "14:18: unknown value '%t'", "15:9: unknown value '%e'"});

  // An edge that is not known may lead anywhere, and so may one that stands after another terminator.
  CHECK(errors_of("proc @f(%p: i1) -> i32 {\nnode n:\nbr x\nnode x: %a = mov.i32 1\nbr %p ? m : y\n"
                  "node y: %b = mov.i32 %c\nbr %p ? n : k\nnode z: %c = phi.i32 [n: %b]\nret %a }") ==
        errors{"5:9: unknown node 'm'", "7:13: unknown node 'k'"});
  CHECK(errors_of("proc @f(%p: i1) -> i32 {\nnode n: br y\nbr x\nnode x: br y\nnode y: %c = phi.i32 [n: 1] ret %c }") ==
        errors{"3:1: an operation after the terminator of node 'n'"});
}

TEST_CASE("parser: a literal as argument of a procedure whose head is broken is no error of its own") {
  CHECK(errors_of("proc @f() { node n: call @g(1) ret }\nproc @g(%a: i33) { node n: ret }") ==
        errors{"2:13: expected a type, found 'i33'"});
  CHECK(errors_of("proc @f() { node n: call @g(1, %x) ret }\nproc @g(%a: i33) { node n: ret }") ==
        errors{"1:32: unknown value '%x'", "2:13: expected a type, found 'i33'"});
}

TEST_CASE("parser: the steps after a broken one are left out, procedure by procedure") {
  // The grammar in @a, names in @b, types in @c: types are for `verify`, which gets @c alone.
  const parse_result r = parse("proc @a() -> i32 { node n: %x = mul.i33 %i, 1 ret %x }\n"
                               "proc @b(%i: i64) -> i32 { node n: %x = add.i32 %i, %nope ret %x }\n"
                               "proc @c(%i: i64) -> i32 { node n: %x = add.i32 %i, 1 ret %x }");
  REQUIRE(r.diagnostics.size() == 2);
  CHECK(r.diagnostics[0].message == "unknown type 'i33'");
  CHECK(r.diagnostics[1].message == "unknown value '%nope'");
  REQUIRE(r.program.procedures.size() == 1);
  CHECK(r.program.procedures[0].name() == "c");
  const std::vector<diagnostic> deeper = verify(r.program);
  REQUIRE(deeper.size() == 1);
  CHECK(deeper[0].message == "%i is i64, add.i32 takes i32");
}

TEST_CASE("parser: errors of all procedures, and those without errors are there") {
  const parse_result r = parse("proc @a() { node n: ret %x }\nproc @b() { node n: ret }\nproc @c() { node n: br k }");
  REQUIRE(r.program.procedures.size() == 1);
  CHECK(r.program.procedures[0].name() == "b");
  REQUIRE(r.diagnostics.size() == 2);
  CHECK(r.diagnostics[0].location == source_location{1, 25});
  CHECK(r.diagnostics[1].location == source_location{3, 24});
}

TEST_CASE("parser: values may be used before the line that defines them") {
  const procedure p = read(R"(proc @f(%c: i1) -> i32 {
    node n: br m
    node k: %r = add.i32 %u, %v ? %g : %w  ret %r
    node m: %u = mov.i32 1 %v = mov.i32 2 %w = mov.i32 3 %g = mov.i1 %c br k
  })");
  const value_id r = value_named(p, "r");
  CHECK(p.operands(r)[0] == value_named(p, "u"));
  CHECK(p.operands(r)[1] == value_named(p, "v"));
  CHECK(p.guard(r) == value_named(p, "g"));
  CHECK(p.otherwise(r) == value_named(p, "w"));
  CHECK(p.value(p.terminator(1)).operand_type == type::i32);
  for (const char* const name : {"u", "v", "g", "w"}) {
    std::size_t users = 0;
    for (const value_id user : p.users(value_named(p, name))) {
      CHECK(user == r);
      ++users;
    }
    CHECK(users == 1);
  }
  const procedure own = read("proc @f() { node n: br m node m: %x = add.i32 %x, 1 br m }");
  CHECK(own.operands(value_named(own, "x"))[0] == value_named(own, "x"));
}

// What harms nothing.

namespace {

/// A file with each production.
constexpr std::string_view everything = R"(# each production
proc @all(%a: ptr, %x: i32, %f: f64) -> i32 count=7 {
  var $s: i32
  node entry count=7 hint trip=avg:20 trip=max:0x20:
    $s = mov.i32 -1
    %g = fma.f64 %f, 1.5e-3, nan.0x1
    %q = fcmp.olt.f64 %f, inf
    %n = ld.i32 [%a + 3*4 - 8] alias=A volatile spec
    %m = add.i32 $s, %x nsw assoc ? ~%q : undef
    st.i32 %m, [%a + %x*4 + 0x10] alias=B ? %q
    call @host(%m, i32 3, f64 -nan) clobbers=A,B noreturn ? 1
    %c = call.i32 @all(%a, 7, 0) clobbers=none
    switch.i32 %c [1: two(0.25)], [-0x2: two(0.25)], default: two(5e-1)
  node two:
    hint trip=avg:3
    %i = phi.i32 [entry: 0], [entry: %c], [entry: 1], [3: %z]
    %z = zext.i1.i32 %q
    br %q ? 3 : 4(1)
  node 3:
    br two
  node 4:
    ret %i
}
)";

/// Reads a text; whatever was read is printed and read again. Says what is wrong.
std::string trial(std::string_view text) {
  const parse_result first = parse(text);
  std::uint32_t line = 0;
  for (const diagnostic& d : first.diagnostics) {
    if (d.location.line < line || d.location.line == 0 || d.location.column == 0 || d.message.empty()) {
      return "an error without a place, or out of order: " + d.message;
    }
    line = d.location.line;
  }
  const std::string printed = to_text(first.program);
  const parse_result second = parse(printed);
  return !second.diagnostics.empty()          ? "cannot be read again: " + second.diagnostics[0].message
         : to_text(second.program) != printed ? "is printed in another way"
                                              : "";
}

std::string with_line_ends(std::string_view text, std::string_view end) {
  std::string out;
  for (const char c : text) {
    out += c == '\n' ? end : std::string_view(&c, 1);
  }
  return out;
}

} // namespace

TEST_CASE("parser: line ends, byte order mark, comments with any bytes") {
  const std::string expected = to_text(parse(everything).program);
  CHECK(to_text(parse(with_line_ends(everything, "\r\n")).program) == expected);
  CHECK(to_text(parse("\xef\xbb\xbf" + std::string(everything)).program) == expected);
  CHECK(to_text(parse(with_line_ends(everything, std::string_view(" # \0 \xff \xd0\xb6 }\n", 12))).program) ==
        expected);
  CHECK(to_text(parse(with_line_ends(everything, "\t\n\n\t")).program) == expected);
}

TEST_CASE("parser: every file that breaks off") {
  for (const std::string_view whole : {spec_example, everything}) {
    for (std::size_t length = 0; length + 2 < whole.size(); ++length) {
      const std::string_view part = whole.substr(0, length);
      CAPTURE(part);
      CHECK(trial(part) == "");
      if (part.find("proc") != std::string_view::npos) {
        CHECK(!parse(part).diagnostics.empty());
      }
    }
  }
}

TEST_CASE("parser: bytes changed, removed and doubled") {
  constexpr std::string_view bytes = " \n#%$@{}[]():=?~,.0x9aien-+*_\x80\xff\"";
  random_source random(5);
  for (int i = 0; i != 4000; ++i) {
    std::string text(everything);
    for (std::uint32_t changes = 1 + random.below(4); changes-- != 0;) {
      const std::size_t at = random.below(text.size());
      const std::size_t length = std::size_t{1} + random.below(12);
      switch (random.below(4)) {
      case 0:
        text[at] = bytes[random.below(bytes.size())];
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(random.below(text.size()), length));
        break;
      default:
        text.insert(at, 1, random.one_in(8) ? '\0' : bytes[random.below(bytes.size())]);
      }
    }
    CAPTURE(text);
    CHECK(trial(text) == "");
  }
}

TEST_CASE("parser: numbers of any length") {
  const std::string digits(100000, '9');
  CHECK(errors_of(with_body("%r = add.i32 %x, " + digits)).size() == 1);
  CHECK(errors_of(with_body("%r = fadd.f64 %f, " + digits)).size() == 1);
  CHECK(errors_of(with_body("%r = fadd.f64 %f, 0x" + digits)).size() == 1);
  CHECK(errors_of(with_body("%r = fadd.f64 %f, 0." + digits)).empty());
  CHECK(errors_of("proc @f() count=" + digits + " { node n: ret }").size() == 1);
  const std::string name(100000, 'n');
  CHECK(read("proc @f() { node " + name + ": br " + name + " }").node_name(1) == name);
}

TEST_CASE("parser: a million lines, on a small stack") {
  CHECK(midend_tests::on_a_small_stack([]() -> std::string {
          constexpr std::size_t lines = midend_tests::affordable(1'000'000);
          std::string text = "proc @f(%x: i32) -> i32 {\nnode n:\n%v0 = mov.i32 %x\n";
          for (std::size_t i = 1; i != lines; ++i) {
            text += "%v" + std::to_string(i) + " = add.i32 %v" + std::to_string(i - 1) + ", 1\n";
          }
          const parse_result r = parse(text + "ret %v" + std::to_string(lines - 1) + "\n}");
          if (!r.diagnostics.empty() || r.program.procedures[0].num_values() != lines + 3) {
            return "not what was written";
          }
          // And every tenth of them wrong.
          for (std::size_t at = text.find("0,"); at != std::string::npos; at = text.find("0,", at + 1)) {
            text[at + 1] = ';';
          }
          return parse(text + "ret %v0\n}").diagnostics.size() == lines / 10 ? "" : "not all errors";
        }) == "");
}

TEST_CASE("parser: many nodes, edges, entries, classes and procedures") {
  CHECK(midend_tests::on_a_small_stack([]() -> std::string {
          constexpr std::size_t many = midend_tests::affordable(50'000);
          std::string cases = "proc @f(%x: i32) -> i32 {\nnode n: switch.i32 %x ";
          std::string nodes;
          std::string entries = "[n: 7]";
          std::string classes;
          std::string procedures;
          for (std::size_t i = 0; i != many; ++i) {
            const std::string number = std::to_string(i);
            cases += '[' + number + ": n" + number + "], [" + std::to_string(i + many) + ": j], ";
            nodes += "node n" + number + ": br j\n";
            entries += ", [n" + std::to_string(many - 1 - i) + ": " + number + "], [n: " + number + ']';
            classes += "call @g() clobbers=A" + number + ",A" + std::to_string(i / 2) + '\n';
            procedures +=
                "proc @p" + number + "(%x: i8) { node n: call @p" + std::to_string(many - 1 - i) + "(1) ret }\n";
          }
          const std::string head = cases + "default: j\n" + nodes + "node j:\n";
          const std::string phis = "%p = phi.i32 " + entries + "\n%q = phi.i32 " + entries + '\n';
          const std::string text = head + phis + classes + "ret %p\n}\n" + procedures;
          if (const std::string wrong = trial(text); !wrong.empty() || !parse(text).diagnostics.empty()) {
            return "not what was written: " + wrong;
          }
          // As many phis without entries as edges without one.
          std::string empty_phis;
          for (std::size_t i = 0; i != many; ++i) {
            empty_phis += "%p" + std::to_string(i) + " = phi.i32\n";
          }
          return parse(head + empty_phis + "ret %p0\n}").diagnostics.size() == many ? "" : "not all errors";
        }) == "");
}
