// SSA construction of the shipped functions: phis stand where the corpus says.
#include "kit/expectations.hpp"
#include "kit/test_graph.hpp"

#include <corpus/corpus.hpp>
#include <doctest/doctest.h>
#include <midend/elbrus/verify/verifier.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace midend::elbrus;
using namespace midend_tests;
using midend::no_value;
using midend::value_id;
using midend_corpus::cfg_function;

namespace {

/// Each block reads what it uses, writes what it defines, and goes where it goes.
procedure procedure_of(const cfg_function& function) {
  procedure p;
  p.set_name("f");
  const value_id on = p.add_parameter("on", type::i32);
  for (std::uint32_t x = 0; x != function.num_variables; ++x) {
    p.add_variable(join("v", x), type::i32);
  }
  for (node_id n = 0; n != function.num_nodes(); ++n) {
    p.create_node(join("b", n));
  }
  for (node_id n = 0; n != function.num_nodes(); ++n) {
    for (const std::uint32_t x : function.used_in(n)) {
      const value_id read[] = {p.variables()[x]};
      p.append(n, {.code = opcode::mov, .type = type::i32, .operands = read});
    }
    for (const std::uint32_t x : function.defined_in(n)) {
      const value_id number[] = {p.constant(type::i32, x)};
      p.append(n, {.code = opcode::mov, .type = type::i32, .operands = number, .variable = p.variables()[x]});
    }
    const auto successors = function.successors(n);
    if (successors.empty()) {
      p.append(n, {.code = opcode::ret});
    } else {
      const value_id condition[] = {on};
      p.append(n, {.code = opcode::switch_, .operand_type = type::i32, .operands = condition});
    }
    for (std::size_t i = 0; i != successors.size(); ++i) {
      if (i + 1 == successors.size()) {
        p.add_edge(n, successors[i]);
      } else {
        p.add_edge(n, successors[i], i);
      }
    }
  }
  return p;
}

expected_lists phis_of(const midend::inserted_phis& result) {
  expected_lists out;
  for (const midend::variable_phi& phi : result.phis()) {
    out[phi.variable].push_back(phi.node);
  }
  return out;
}

bool has_edges_from_unreachable_nodes(const cfg_function& function, const expected_function& expected) {
  for (node_id n = 1; n < function.num_nodes(); ++n) {
    if (expected.immediate_dominators[n] == -1 && !function.successors(n).empty()) {
      return true;
    }
  }
  return false;
}

void check_set(const std::string& set) {
  std::vector<cfg_function> functions;
  REQUIRE(!midend_corpus::read_cfg(MIDEND_TEST_DATA "/corpus/" + set + ".cfg.gz", functions).has_value());
  const std::vector<expected_function> expected = read_expectations(MIDEND_TEST_DATA "/corpus/" + set + ".expect.gz");
  REQUIRE(functions.size() == expected.size());
  std::size_t phis = 0;
  for (std::size_t i = 0; i != functions.size(); ++i) {
    INFO(set, ": ", functions[i].name);
    procedure p = procedure_of(functions[i]);
    procedure q = p;
    const midend::inserted_phis result = construct_ssa(p);
    CHECK(phis_of(result) == expected[i].phis);
    CHECK(verify(p).empty());
    const midend::inserted_phis on_the_fly = construct_ssa(q, ssa_algorithm::on_the_fly);
    CHECK(verify(q).empty());
    if (!has_edges_from_unreachable_nodes(functions[i], expected[i])) {
      CHECK(phis_of(on_the_fly) == expected[i].phis);
    }
    phis += result.num_phis();
  }
  CHECK(phis > 100);
}

} // namespace

TEST_CASE("construct_ssa: phis of the corpus") {
  check_set("lua5.4-O0");
  check_set("irreducible");
  check_set("sqlite3-O0");
}
