/// Programs with the control flow of a given graph.
#pragma once

#include "kit/affordable.hpp"
#include "kit/test_graph.hpp"

#include "kit/random_programs.hpp"

#include <midend/elbrus/procedure.hpp>
#include <midend/elbrus/program.hpp>
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/run/run_equivalence.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace midend_tests {

/// A procedure in SSA form with the nodes and edges of a graph after an entry of its own: node n of the graph is n + 1.
/// Each node changes one of two variables and calls a host function with it, and a branch depends on the other. With
/// `has_fuel`, each node that does not return has one more edge, to a common last node, which is taken when the fuel is
/// used up, so that every run ends. The parameters are the initial values: fuel, then the two variables.
inline midend::elbrus::procedure procedure_of_graph(std::size_t num_nodes, std::span<const edge> edges, node_id entry,
                                                    bool has_fuel) {
  namespace elbrus = midend::elbrus;
  using elbrus::opcode;
  using elbrus::type;
  using midend::value_id;
  elbrus::procedure p;
  p.set_name("f");
  p.set_result_type(type::i32);
  std::array<value_id, 3> variables;
  std::array<value_id, 3> parameters;
  for (std::size_t i = 0; i != 3; ++i) {
    parameters[i] = p.add_parameter(std::array{"pf", "px", "py"}[i], type::i32);
    variables[i] = p.add_variable(std::array{"f", "x", "y"}[i], type::i32);
  }
  const auto number = [&](std::uint64_t c) { return p.constant(type::i32, c); };
  const auto append = [&](node_id n, opcode code, value_id a, value_id b, value_id variable = midend::no_value) {
    const std::array<value_id, 2> operands = {a, b};
    return p.append(n, {.code = code, .type = type::i32, .operands = operands, .variable = variable});
  };
  const auto end = [&](node_id n, opcode code, value_id v) {
    p.append(n, {.code = code, .operand_type = type::i32, .operands = std::span<const value_id>(&v, 1)});
  };
  const node_id first = p.create_node("entry");
  std::vector<std::vector<node_id>> successors(num_nodes);
  for (const edge& e : edges) {
    successors[e.source].push_back(e.target + 1);
  }
  for (node_id n = 0; n != num_nodes; ++n) {
    p.create_node({});
  }
  const node_id last = has_fuel ? p.create_node("last") : no_node;
  for (std::size_t i = 0; i != 3; ++i) {
    append(first, opcode::add, parameters[i], number(0), variables[i]);
  }
  p.append(first, {.code = opcode::jump});
  p.add_edge(first, entry + 1);
  for (node_id n = 1; n <= num_nodes; ++n) {
    const value_id changed = variables[1 + n % 2];
    const value_id other = variables[2 - n % 2];
    append(n, opcode::mul, changed, number(5), changed);
    append(n, opcode::add, changed, number(n), changed);
    const value_id noted = changed;
    p.append_call(n, {.code = opcode::call, .type = type::none, .operands = std::span<const value_id>(&noted, 1)},
                  "host_note", elbrus::clobber_kind::nothing);
    const auto& to = successors[n - 1];
    if (to.empty()) {
      end(n, opcode::ret, other);
      continue;
    }
    value_id way = append(n, opcode::urem, other, number(to.size()));
    if (has_fuel) {
      append(n, opcode::sub, variables[0], number(1), variables[0]);
      const std::array<value_id, 2> compared = {variables[0], number(0)};
      const value_id empty =
          p.append(n, {.code = opcode::cmp_lt, .type = type::i1, .operand_type = type::i32, .operands = compared});
      const std::array<value_id, 3> choice = {empty, number(to.size()), way};
      way = p.append(n, {.code = opcode::select, .type = type::i32, .operands = choice});
    }
    if (to.size() == 1 && !has_fuel) {
      p.append(n, {.code = opcode::jump});
      p.add_edge(n, to[0]);
      continue;
    }
    end(n, opcode::switch_, way);
    for (std::size_t i = 0; i + (has_fuel ? 0 : 1) != to.size(); ++i) {
      p.add_edge(n, to[i], i);
    }
    p.add_edge(n, has_fuel ? last : to.back());
  }
  if (has_fuel) {
    end(last, opcode::ret, variables[1]);
  }
  elbrus::construct_ssa(p);
  return p;
}

/// Calls `visit(num_nodes, edges, text)` for all digraphs of up to 4 nodes without parallel edges; of those with 4
/// nodes for one of `share`, or, where tests are not shortened, for all.
template <class Visit> void for_each_small_digraph(std::size_t share, Visit visit) {
#if defined(MIDEND_UNSHORTENED_TESTS)
  share = 1;
#endif
  for (std::size_t n = 1; n <= 4; ++n) {
    for (std::uint64_t bits = 0; bits < std::uint64_t{1} << (n * n); bits += n == 4 ? share : 1) {
      std::vector<edge> edges;
      for (node_id u = 0; u != n; ++u) {
        for (node_id v = 0; v != n; ++v) {
          if ((bits >> (u * n + v) & 1) != 0) {
            edges.push_back({u, v});
          }
        }
      }
      visit(n, edges, "digraph " + std::to_string(n) + ", " + std::to_string(bits));
    }
  }
}

/// Whether runs of two such procedures with fuel are the same.
inline bool run_alike(const midend::elbrus::procedure& before, const midend::elbrus::procedure& after,
                      random_source& random) {
  namespace elbrus = midend::elbrus;
  elbrus::program one;
  one.procedures.push_back(before);
  elbrus::program other;
  other.procedures.push_back(after);
  elbrus::run_options options;
  options.step_limit = 100'000;
  options.host = random_program_host;
  std::vector<elbrus::scalar> arguments;
  for (const std::uint64_t bits : {std::uint64_t{20}, random.next() & 0xffff, random.next() & 0xffff}) {
    arguments.push_back({elbrus::type::i32, bits});
  }
  const elbrus::run_result a = elbrus::interpreter(one).run(0, arguments, {}, options);
  const elbrus::run_result b = elbrus::interpreter(other).run(0, arguments, {}, options);
  return a.value && elbrus::compare_runs(a, b).verdict == elbrus::run_verdict::same;
}

} // namespace midend_tests
