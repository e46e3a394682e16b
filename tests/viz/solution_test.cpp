#include "kit/statement_ir.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/constant_propagation.hpp>
#include <midend/dataflow/lattices/powerset.hpp>
#include <midend/dataflow/lattices/sign.hpp>
#include <midend/dataflow/solve.hpp>
#include <midend/viz/solution.hpp>

#include <optional>
#include <string>
#include <vector>

using namespace midend_tests;
using midend::bit_row;

namespace {

struct live {
  static constexpr midend::flow_direction direction = midend::flow_direction::backward;
  const statement_program& program;

  midend::powerset<> lattice() const { return midend::powerset<>(program.num_variables()); }

  bit_row boundary(node_id) const { return lattice().bottom(); }

  const statement_program& ir() const { return program; }

  void transfer_statement(statement_id s, bit_row& facts) const {
    for (const variable_id v : program.definitions(s)) {
      facts.reset(v);
    }
    for (const variable_id v : program.uses(s)) {
      facts.set(v);
    }
  }
};

struct sign_of_nodes {
  static constexpr midend::flow_direction direction = midend::flow_direction::forward;

  midend::sign lattice() const { return {}; }

  midend::signs boundary(node_id) const { return midend::signs::zero; }

  void transfer(node_id n, midend::signs& s) const { s = n == 1 ? midend::signs::positive : s; }
};

struct sign_of_statements : sign_of_nodes {
  const statement_program& program;
  void transfer(node_id, midend::signs&) const = delete;

  const statement_program& ir() const { return program; }

  void transfer_statement(statement_id s, midend::signs& f) const { f = s == 0 ? midend::signs::positive : f; }
};

struct letters : midend::numbered_names {
  std::string part(std::uint32_t p) const { return std::string(1, static_cast<char>('a' + p)); }

  std::string statement(statement_id s) const { return s == 0 ? "\"b\" = 1" : midend::numbered_names::statement(s); }
};

/// 0: b = …; c = b; 1: use of c. Node 2 is not reached.
statement_program program() {
  statement_program out(midend::csr_graph::from_edges(3, 0, std::vector<edge>{{0, 1}, {2, 1}}).value(), 3);
  out.add(0, {.definitions = {1}});
  out.add(0, {.definitions = {2}, .uses = {1}});
  out.add(1, {.definitions = {}, .uses = {2, 0}});
  return out;
}

} // namespace

TEST_CASE("viz solution: a table in program order, with what each statement changes against the flow") {
  const statement_program p = program();
  const live problem{p};
  CHECK(midend::to_table(problem, midend::solve(p.graph(), problem), letters()) ==
        "block 0\n"
        "  in       {0}\n"
        "  \"b\" = 1  b: out <- in\n"
        "  s1       b: in <- out, c: out <- in\n"
        "  out      {0, 2}\n"
        "block 1\n"
        "  in   {0, 2}\n"
        "  s2   a: in <- out, c: in <- out\n"
        "  out  {}\n"
        "block 2\n"
        "  in   {0, 2}\n"
        "  out  {0, 2}\n");
}

TEST_CASE("viz solution: a table with the flow, of values by variable") {
  const statement_program p = program();
  const auto fold = [](statement_id s, variable_id, const midend::variable_constants<int>& v) {
    return std::optional<int>(s == 0 ? 7 : v[1] + 1);
  };
  const midend::constant_propagation_problem<int, statement_program, decltype(fold)> problem(p, fold);
  CHECK(midend::to_table(problem, midend::solve(p.graph(), problem)) == "block 0\n"
                                                                        "  in   {}\n"
                                                                        "  s0   1: bottom -> 7\n"
                                                                        "  s1   2: bottom -> 8\n"
                                                                        "  out  {1: 7, 2: 8}\n"
                                                                        "block 1\n"
                                                                        "  in   {1: 7, 2: 8}\n"
                                                                        "  s2\n"
                                                                        "  out  {1: 7, 2: 8}\n"
                                                                        "block 2\n"
                                                                        "  not reached\n");
}

TEST_CASE("viz solution: lattices without parts, problems without statements") {
  const statement_program p = program();
  const auto nodes = midend::solve(p.graph(), sign_of_nodes());
  CHECK(midend::to_table(sign_of_nodes(), nodes) == "block 0\n"
                                                    "  in   0\n"
                                                    "  out  0\n"
                                                    "block 1\n"
                                                    "  in   0\n"
                                                    "  out  > 0\n"
                                                    "block 2\n"
                                                    "  not reached\n");
  const sign_of_statements by_statement{{}, p};
  CHECK(midend::to_table(by_statement, midend::solve(p.graph(), by_statement)) == "block 0\n"
                                                                                  "  in   0\n"
                                                                                  "  s0   0 -> > 0\n"
                                                                                  "  s1\n"
                                                                                  "  out  > 0\n"
                                                                                  "block 1\n"
                                                                                  "  in   > 0\n"
                                                                                  "  s2\n"
                                                                                  "  out  > 0\n"
                                                                                  "block 2\n"
                                                                                  "  not reached\n");
}

TEST_CASE("viz solution: the graph in the DOT language") {
  const statement_program p = program();
  const auto s = midend::solve(p.graph(), sign_of_nodes());
  CHECK(midend::to_dot(p.graph(), sign_of_nodes(), s) ==
        "digraph {\n"
        "  node [shape=\"box\", fontname=\"monospace\"];\n"
        "  n0 [label=\"block 0\\lin   0\\lout  0\\l\"];\n"
        "  n0 -> n1;\n"
        "  n1 [label=\"block 1\\lin   0\\lout  > 0\\l\"];\n"
        "  n2 [label=\"block 2\\lnot reached\\l\", color=\"gray\", fontcolor=\"gray\"];\n"
        "  n2 -> n1 [color=\"gray\"];\n"
        "}\n");
  const live problem{p};
  const std::string quoted = midend::to_dot(p.graph(), problem, midend::solve(p.graph(), problem), letters());
  CHECK(quoted.find("\\l\\\"b\\\" = 1  b: out <- in\\l") != std::string::npos);
}
