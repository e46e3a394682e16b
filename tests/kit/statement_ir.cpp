#include "kit/statement_ir.hpp"

namespace midend_tests {

statement_program random_program(random_source& random, const test_graph& g, std::size_t num_variables,
                                 std::size_t most) {
  statement_program program(make_csr(g), num_variables);
  const auto variable = [&] { return random.below(num_variables); };
  for (node_id n = 0; n != g.num_nodes; ++n) {
    for (std::size_t left = random.below(most + 1); left != 0; --left) {
      switch (random.below(6)) {
      case 0: // a constant
        program.add(n, {.definitions = {variable()}});
        break;
      case 1: // a copy
        program.add(n, {.definitions = {variable()}, .uses = {variable()}});
        break;
      case 2: // a branch, or what prints
        program.add(n, {.uses = {variable()}});
        break;
      case 3: // a call, or a store through a pointer
        program.add(n, {.definitions = {}, .uses = {variable()}, .may_definitions = {variable(), variable()}});
        break;
      default: { // an operation; its parts are drawn one by one, so that the order is the same everywhere
        const variable_id target = variable();
        const variable_id left_operand = variable();
        const variable_id right_operand = variable();
        program.assign(n, target, random.one_in(2) ? '+' : '-', left_operand, right_operand);
      }
      }
    }
  }
  return program;
}

namespace {

std::string list_of(std::span<const variable_id> variables) {
  std::string out;
  for (const variable_id v : variables) {
    out += join(out.empty() ? "v" : ", v", v);
  }
  return out;
}

} // namespace

std::string to_string(const statement_program& program) {
  std::string out;
  for (node_id n = 0; n != program.graph().num_nodes(); ++n) {
    out += join("\n", n, " ->");
    for (const node_id s : program.graph().successors(n)) {
      out += join(" ", s);
    }
    for (const statement_id s : program.statements(n)) {
      out += join("\n  ", s, ": define {", list_of(program.definitions(s)), "} perhaps {",
                  list_of(program.may_definitions(s)), "} use {", list_of(program.uses(s)), "}");
      if (program.expression(s) != no_expression) {
        const expression_id e = program.expression(s);
        out += join(" expression ", e, " ", std::string(1, program.operation(e)), "(",
                    list_of(program.expression_operands(e)), ")");
      }
    }
  }
  return out;
}

} // namespace midend_tests
