// SSA form while a program is being made: a small front end writes random structured programs twice, once with
// variables and once with values, and both mean the same.
#include "kit/test_graph.hpp"
#include "kit/variable_editor.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/builder.hpp>
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/verify/verifier.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/ssa/on_the_fly_ssa.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace midend_tests;
namespace ir = midend::elbrus;

TEST_CASE("on_the_fly_ssa: a loop, read before it is closed") {
  // 0 -> 1, 1 -> 1, 1 -> 2
  const statement_program source(make_csr({"loop", 3, 0, {{0, 1}, {1, 1}, {1, 2}}}), 2);
  renamed_program program(source);
  midend::on_the_fly_ssa ssa(program);
  ssa.seal(0);
  const value_id zero = program.undefined_value(0); // any value will do
  ssa.write_variable(0, 0, zero);
  CHECK(ssa.read_variable(0, 0) == zero);

  const value_id in_loop = ssa.read_variable(0, 1);
  CHECK(in_loop != zero);
  CHECK(!ssa.is_sealed(1));
  CHECK(ssa.num_phis() == 1);
  CHECK(ssa.read_variable(0, 1) == in_loop);

  SUBCASE("written in the loop") {
    const value_id next = program.undefined_value(0);
    ssa.write_variable(0, 1, next);
    ssa.seal(1);
    CHECK(ssa.num_phis() == 1);
    CHECK(ssa.resolve(in_loop) == in_loop);
    CHECK(program[in_loop].inputs == std::vector<value_id>{zero, next});
    ssa.seal(2);
    CHECK(ssa.read_variable(0, 2) == next);
  }
  SUBCASE("only read in the loop: the phi is trivial") {
    ssa.seal(1);
    CHECK(ssa.num_phis() == 0);
    CHECK(ssa.resolve(in_loop) == zero);
    CHECK(program[in_loop].kind == renamed_kind::erased);
    ssa.seal(2);
    CHECK(ssa.read_variable(0, 2) == zero);
  }
  SUBCASE("never written") {
    const value_id other = ssa.read_variable(1, 1);
    ssa.seal(1);
    CHECK(program[ssa.resolve(other)].kind == renamed_kind::undefined);
    CHECK(ssa.is_undefined(1));
    CHECK(!ssa.is_undefined(0));
  }
}

TEST_CASE("on_the_fly_ssa: nodes that nothing leads to") {
  // 1 and 2 lead to each other, 3 to itself, 4 to nothing.
  const statement_program source(make_csr({"dead", 5, 0, {{1, 2}, {2, 1}, {3, 3}}}), 1);
  renamed_program program(source);
  midend::on_the_fly_ssa ssa(program);
  for (node_id n = 0; n != 5; ++n) {
    ssa.seal(n);
  }
  for (node_id n = 0; n != 5; ++n) {
    CHECK(program[ssa.read_variable(0, n)].kind == renamed_kind::undefined);
  }
  CHECK(ssa.num_phis() == 0);
}

TEST_CASE("on_the_fly_ssa: cycles with two entries keep a phi too many until it is looked for") {
  // 0 -> 1 -> {2, 3}, 2 <-> 3: x is written in 0 only, and phis in 2 and 3 read each other.
  const statement_program source(make_csr({"irreducible", 4, 0, {{0, 1}, {1, 2}, {1, 3}, {2, 3}, {3, 2}}}), 1);
  renamed_program program(source);
  midend::on_the_fly_ssa ssa(program);
  for (node_id n = 0; n != 4; ++n) {
    ssa.seal(n);
  }
  const value_id x = program.undefined_value(0);
  ssa.write_variable(0, 0, x);
  const value_id read = ssa.read_variable(0, 3);
  CHECK(ssa.num_phis() == 2);
  ssa.remove_redundant_phis();
  CHECK(ssa.num_phis() == 0);
  CHECK(ssa.resolve(read) == x);
}

namespace {

/// Writes the same random program into a procedure with variables and into one with values.
class front_end {
public:
  static constexpr std::size_t num_variables = 4;

  explicit front_end(random_source& random) : random_(random), editor_(values), ssa_(editor_) {
    for (ir::procedure* p : {&variables, &values}) {
      p->set_name("f");
      p->set_result_type(ir::type::i32);
      p->add_parameter("a", ir::type::i32);
      for (std::size_t x = 0; x != num_variables; ++x) {
        p->add_variable(join("v", x), ir::type::i32);
      }
    }
    at_ = create_node();
    ssa_.seal(at_);
    for (std::size_t x = 0; x != num_variables; ++x) {
      write(static_cast<variable_id>(x), compute(ir::opcode::add, parameter(), literal(x)));
    }
  }

  void run(std::size_t statements) {
    block(statements, 3);
    pair sum = read(0);
    for (variable_id x = 1; x != num_variables; ++x) {
      sum = compute(ir::opcode::add, sum, read(x));
    }
    terminate(ir::opcode::ret, ir::type::i32, sum);
    values.clear_variables();
  }

  std::size_t num_phis() const { return ssa_.num_phis(); }

  ir::procedure variables;
  ir::procedure values;

private:
  /// The same operand in both.
  struct pair {
    value_id with_variables;
    value_id with_values;
  };

  pair parameter() const { return {variables.parameters()[0], values.parameters()[0]}; }

  pair literal(std::uint64_t number) {
    return {variables.constant(ir::type::i32, number), values.constant(ir::type::i32, number)};
  }

  /// Reading a variable may find out that a phi is trivial that was read before: it is an operand by then, or in
  /// `held_`.
  pair read(variable_id x) { return {variables.variables()[x], ssa_.read_variable(x, at_)}; }

  pair compute(ir::opcode code, pair a, pair b, ir::type t = ir::type::i32, ir::type of = ir::type::none) {
    const value_id left[] = {a.with_variables, b.with_variables};
    const value_id right[] = {ssa_.resolve(a.with_values), ssa_.resolve(b.with_values)};
    return {variables.append(at_, {.code = code, .type = t, .operand_type = of, .operands = left}),
            values.append(at_, {.code = code, .type = t, .operand_type = of, .operands = right})};
  }

  /// Each write is a value of its own, so that both forms need the same phis.
  void write(variable_id x, pair v) {
    const value_id left[] = {v.with_variables};
    const value_id right[] = {ssa_.resolve(v.with_values)};
    variables.append(
        at_, {.code = ir::opcode::mov, .type = ir::type::i32, .operands = left, .variable = variables.variables()[x]});
    ssa_.write_variable(x, at_,
                        values.append(at_, {.code = ir::opcode::mov, .type = ir::type::i32, .operands = right}));
  }

  node_id create_node() {
    const std::string name = join("n", variables.num_nodes());
    variables.create_node(name);
    return values.create_node(name);
  }

  void terminate(ir::opcode code, ir::type of, pair v) {
    const value_id left[] = {v.with_variables};
    const value_id right[] = {ssa_.resolve(v.with_values)};
    variables.append(at_, {.code = code, .operand_type = of, .operands = left});
    values.append(at_, {.code = code, .operand_type = of, .operands = right});
  }

  void jump(node_id target) {
    for (ir::procedure* p : {&variables, &values}) {
      p->append(at_, {.code = ir::opcode::jump});
      p->add_edge(at_, target);
    }
  }

  void branch(pair condition, node_id yes, node_id no) {
    terminate(ir::opcode::branch, ir::type::i1, condition);
    for (ir::procedure* p : {&variables, &values}) {
      p->add_edge(at_, yes, 1);
      p->add_edge(at_, no, 0);
    }
  }

  void block(std::size_t statements, unsigned depth) {
    for (; statements != 0; --statements) {
      switch (depth == 0 ? 0 : random_.below(6)) {
      case 1:
        if_statement(statements / 2, depth - 1);
        break;
      case 2:
        loop(statements / 2, depth - 1);
        break;
      default: {
        const pair a = read(random_.below(num_variables));
        const auto target = random_.below(num_variables);
        if (random_.one_in(5)) {
          write(target, a);
        } else {
          const pair b = random_.one_in(3) ? literal(random_.below(100)) : read(random_.below(num_variables));
          write(target, compute(random_.one_in(2) ? ir::opcode::add : ir::opcode::bit_xor, a, b));
        }
      }
      }
    }
  }

  void if_statement(std::size_t statements, unsigned depth) {
    const pair tested = read(random_.below(num_variables));
    const pair condition = compute(ir::opcode::cmp_lt, tested, literal(random_.below(50)), ir::type::i1, ir::type::i32);
    const node_id yes = create_node();
    const node_id no = create_node();
    const node_id end = create_node();
    branch(condition, yes, no);
    ssa_.seal(yes);
    ssa_.seal(no);
    for (const node_id arm : {yes, no}) {
      at_ = arm;
      block(statements / 2, depth);
      jump(end);
    }
    ssa_.seal(end);
    at_ = end;
  }

  /// Runs at most three rounds, which a variable of its own counts.
  void loop(std::size_t statements, unsigned depth) {
    const auto counter = static_cast<variable_id>(variables.variables().size());
    for (ir::procedure* p : {&variables, &values}) {
      p->add_variable(join("c", counter), ir::type::i32);
    }
    write(counter, literal(random_.below(4)));
    const node_id header = create_node();
    const node_id body = create_node();
    const node_id end = create_node();
    jump(header);
    at_ = header;
    const pair condition = compute(ir::opcode::cmp_ne, read(counter), literal(0), ir::type::i1, ir::type::i32);
    branch(condition, body, end);
    ssa_.seal(body);
    at_ = body;
    block(statements, depth);
    write(counter, compute(ir::opcode::sub, read(counter), literal(1)));
    jump(header);
    ssa_.seal(header);
    ssa_.seal(end);
    at_ = end;
  }

  random_source& random_;
  ir::editor editor_;
  midend::on_the_fly_ssa<ir::editor> ssa_;
  node_id at_ = 0;
};

} // namespace

TEST_CASE("on_the_fly_ssa: a front end makes values at once") {
  random_source random(11);
  std::size_t phis = 0;
  for (int i = 0; i != 500; ++i) {
    front_end f(random);
    f.run(4 + random.below(12));
    REQUIRE_MESSAGE(ir::verify(f.values).empty(), ir::to_text(f.values));
    REQUIRE(ir::verify(f.variables).empty());

    ir::interpreter with_variables(std::span(&f.variables, 1));
    ir::interpreter with_values(std::span(&f.values, 1));
    for (const std::uint64_t a : {std::uint64_t{0}, std::uint64_t{7}, std::uint64_t{0xffff'fff0}}) {
      const ir::scalar arguments[] = {{ir::type::i32, a}};
      const ir::run_result expected = with_variables.run(0, arguments);
      REQUIRE(expected.value.has_value());
      CHECK_MESSAGE(with_values.run(0, arguments).value == expected.value, ir::to_text(f.values));
    }
    CHECK(f.num_phis() == ir::construct_ssa(f.variables).num_phis());
    phis += f.num_phis();
  }
  CHECK(phis > 1000);
}
