// elbrus_builder: a procedure of the Elbrus-like IR made in C++, analysed, and read back.
#include <midend/dominance/dominators.hpp>
#include <midend/elbrus/builder.hpp>
#include <midend/loops/natural_loops.hpp>

#include <cstdio>
#include <string>

namespace elbrus = midend::elbrus;
using elbrus::opcode;
using elbrus::type;
using midend::value_id;

// [build]
/// The sum of the positive ones among the first `n` elements of `a`: a loop, a guarded operation, phis.
elbrus::procedure sum_of_positive() {
  elbrus::procedure p;
  p.set_name("sum_of_positive");
  p.set_result_type(type::i32);

  elbrus::builder b(p);
  const value_id a = b.parameter(type::ptr, "a");
  const value_id n = b.parameter(type::i32, "n");
  const midend::node_id entry = b.node("entry");
  const midend::node_id loop = b.node("loop");
  const midend::node_id exit = b.node("exit");

  b.at(entry);
  const value_id any = b.compare(opcode::cmp_gt, type::i32, n, b.i32(0), {.name = "any"});
  const auto start = b.branch(any, loop, exit);

  b.at(loop);
  const value_id i = b.phi(type::i32, "i");
  const value_id sum = b.phi(type::i32, "sum");
  const value_id x = b.load(type::i32, {.base = a, .index = i, .scale = 4, .alias = b.alias("A")}, {.name = "x"});
  const value_id positive = b.compare(opcode::cmp_gt, type::i32, x, b.i32(0), {.name = "positive"});
  const value_id more = b.add(type::i32, sum, x, {.name = "more", .assoc = true, .guard = positive, .otherwise = sum});
  const value_id next = b.add(type::i32, i, b.i32(1), {.name = "next", .nsw = true});
  const value_id again = b.compare(opcode::cmp_lt, type::i32, next, n, {.name = "again"});
  const auto back = b.branch(again, loop, exit, 0.875);

  b.input(i, start.when_true, b.i32(0));
  b.input(i, back.when_true, next);
  b.input(sum, start.when_true, b.i32(0));
  b.input(sum, back.when_true, more);

  b.at(exit);
  const value_id result = b.phi(type::i32, "result");
  b.input(result, start.when_false, b.i32(0));
  b.input(result, back.when_false, more);
  b.ret(result);
  return p;
}

// [build]

int main() {
  const elbrus::procedure p = sum_of_positive();
  for (midend::node_id n = 0; n != p.num_nodes(); ++n) {
    std::printf("%s:", std::string(p.node_name(n)).c_str());
    for (const value_id v : p.values(n)) {
      std::printf(" %s", std::string(name_of(p.value(v).code)).c_str());
    }
    std::printf("\n");
  }

  // A procedure is a graph: every analysis takes it as it is.
  const midend::dominator_tree dominance = midend::dominators(p);
  const midend::loop_forest loops = midend::natural_loops(p, dominance);
  for (midend::node_id n = 0; n != p.num_nodes(); ++n) {
    if (n != p.entry()) {
      std::printf("%s dominates %s\n", std::string(p.node_name(dominance.immediate_dominator(n))).c_str(),
                  std::string(p.node_name(n)).c_str());
    }
  }
  for (midend::loop_id l = 0; l != loops.num_loops(); ++l) {
    std::printf("a loop with header %s\n", std::string(p.node_name(loops.header(l))).c_str());
  }
}
