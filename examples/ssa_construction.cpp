// From variables to values: reads that nothing was written for, pruned SSA form, and values made on the fly.
#include <midend/elbrus/builder.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/initialization.hpp>
#include <midend/ssa/on_the_fly_ssa.hpp>

#include <cstdio>
#include <string>

using namespace midend::elbrus;
using midend::node_id;
using midend::value_id;

namespace {

constexpr std::string_view text = R"(
proc @sum(%n: i32) -> i32 {
  var $i: i32
  var $s: i32
  node entry:
    $i = mov.i32 0
    br loop
  node loop:
    $s = add.i32 $s, $i
    $i = add.i32 $i, 1
    %again = cmp.lt.i32 $i, %n
    br %again ? loop : exit
  node exit:
    ret $s
}
)";

/// What a front end does with `x = n; while (x < 100) x = x + x; return x`, without an assignment in the program.
procedure made_on_the_fly() {
  procedure p;
  p.set_name("doubled");
  p.set_result_type(type::i32);
  builder b(p);
  const value_id n = b.parameter(type::i32, "n");
  b.variable(type::i32, "x"); // for the types of phis
  const midend::variable_id x = 0;

  editor e(p);
  midend::on_the_fly_ssa ssa(e);
  const node_id entry = b.node("entry");
  const node_id header = b.node("header");
  const node_id body = b.node("body");
  const node_id end = b.node("end");

  b.at(entry);
  ssa.seal(entry);
  ssa.write_variable(x, entry, n);
  b.jump(header);

  b.at(header); // not sealed: the edge from the body is still to come
  b.branch(b.compare(opcode::cmp_lt, type::i32, ssa.read_variable(x, header), b.i32(100)), body, end);

  b.at(body);
  ssa.seal(body);
  const value_id read = ssa.read_variable(x, body);
  ssa.write_variable(x, body, b.add(type::i32, read, read));
  b.jump(header);
  ssa.seal(header);

  b.at(end);
  ssa.seal(end);
  b.ret(ssa.read_variable(x, end));
  p.clear_variables();
  return p;
}

} // namespace

int main() {
  program all = parse(text).program;
  procedure& p = all.procedures[0];
  for (const diagnostic& d : initialization_warnings(p)) {
    std::printf("line %u: %s\n", d.location.line, d.message.c_str());
  }
  const midend::inserted_phis result = construct_ssa(p);
  std::printf("%zu phis\n%s\n", result.num_phis(), to_text(p).c_str());
  std::printf("%s", to_text(made_on_the_fly()).c_str());
}
