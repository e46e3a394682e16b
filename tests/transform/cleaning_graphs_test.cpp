#include "kit/small_stack.hpp"
#include "kit/test_graph.hpp"
#include "transform/cleaning_checks.hpp"

#include <doctest/doctest.h>
#include <midend/transform/hoist_invariants.hpp>
#include <midend/transform/propagate_copies.hpp>
#include <midend/transform/remove_dead_code.hpp>
#include <midend/transform/simplify_loops.hpp>
#include <midend/transform/verify_motion.hpp>
#include <midend/transform/verify_removal.hpp>
#include <midend/transform/verify_replacement.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// Cleaning on graphs that programs seldom have, and on large ones.

using namespace midend_tests;
using midend::value_id;
namespace elbrus = midend::elbrus;
using elbrus::opcode;
using elbrus::type;

namespace {

/// A procedure with the edges of a graph, renumbered so that the entry is node 0, after a node of its own. Nodes
/// compute, copy, merge, store and call as `random` says.
elbrus::procedure procedure_of(const test_graph& g, random_source& random) {
  elbrus::procedure p;
  p.set_name("f");
  p.set_result_type(type::none);
  const value_id pointer = p.add_parameter("a", type::ptr);
  const value_id number = p.add_parameter("n", type::i32);
  const node_id first = p.create_node("entry");
  std::vector<node_id> node(g.num_nodes);
  for (node_id& n : node) {
    n = p.create_node({});
  }
  std::vector<std::vector<node_id>> targets(g.num_nodes);
  for (const edge& e : g.edges) {
    targets[e.source].push_back(node[e.target]);
  }
  p.append(first, {.code = opcode::jump});
  p.add_edge(first, node[g.entry]);
  std::vector<value_id> phis;
  for (node_id i = 0; i != g.num_nodes; ++i) {
    const node_id n = node[i];
    const value_id phi = p.append_phi(n, type::i32, {});
    phis.push_back(phi);
    const std::array sum{random.one_in(2) ? phi : number, number};
    const value_id v = p.append(n, {.code = random.one_in(4) ? opcode::div : opcode::add,
                                    .type = type::i32,
                                    .operands = midend::span<const value_id>(sum)});
    const value_id w =
        p.append(n, {.code = opcode::mov, .type = type::i32, .operands = midend::span<const value_id>(&sum[0], 1)});
    if (random.one_in(3)) {
      const std::array stored{random.one_in(2) ? v : w, pointer};
      p.append(n, {.code = opcode::st, .operand_type = type::i32, .operands = midend::span<const value_id>(stored)});
    }
    const value_id condition = random.one_in(2) ? v : w;
    if (targets[i].empty()) {
      p.append(n, {.code = opcode::ret});
    } else if (targets[i].size() == 1) {
      p.append(n, {.code = opcode::jump});
      p.add_edge(n, targets[i][0]);
    } else {
      p.append(n, {.code = opcode::switch_,
                   .operand_type = type::i32,
                   .operands = midend::span<const value_id>(&condition, 1)});
      for (std::size_t k = 1; k != targets[i].size(); ++k) {
        p.add_edge(n, targets[i][k], k);
      }
      p.add_edge(n, targets[i][0]);
    }
  }
  for (const value_id phi : phis) {
    for (const edge_id e : p.in_edges(p.value(phi).node)) {
      p.set_phi_input(phi, e, random.one_in(2) ? phi : number);
      const node_id from = p.edge_source(e);
      if (from == first) {
        p.set_phi_input(phi, e, number);
      } else if (random.one_in(3)) {
        p.set_phi_input(phi, e, phis[from - 1]);
      }
    }
  }
  return p;
}

/// Phis may take only what is computed on the way.
void repair_inputs(elbrus::procedure& p) {
  const auto tree = midend::dominators(p);
  for (node_id n = 0; n != p.num_nodes(); ++n) {
    for (const value_id v : p.values(n)) {
      for (const edge_id e : p.in_edges(n)) {
        if (p.is_phi(v)) {
          const node_id home = p.value(p.phi_input(v, e)).node;
          if (p.is_operation(p.phi_input(v, e)) && !tree.dominates(home, p.edge_source(e))) {
            p.set_phi_input(v, e, p.parameters()[1]);
          }
        }
      }
    }
  }
}

/// Applies all three, in some order, twice.
void check_all(elbrus::procedure& p, random_source& random, const std::string& name) {
  for (std::uint32_t round = 0, first = random.below(3); round != 3; ++round) {
    const elbrus::procedure before = p;
    elbrus::editor e(p);
    bool certified = false;
    const auto apply = [&](elbrus::procedure& q) {
      elbrus::editor editor(q);
      const elbrus::procedure old = q;
      const elbrus::effect_view was(old);
      const elbrus::effect_view is(q);
      switch ((first + round) % 3) {
      case 0: {
        const midend::removal_witness w = midend::remove_dead_code(editor, {.loops_end = random.one_in(2)});
        return static_cast<bool>(midend::verify_removal(was, is, w));
      }
      case 1: {
        const midend::replacement_witness w = midend::propagate_copies(editor);
        return static_cast<bool>(midend::verify_replacement(was, is, w));
      }
      default:
        midend::hoist_invariants(editor);
        return static_cast<bool>(midend::verify_motion(was, is));
      }
    };
    certified = apply(p);
    CHECK_MESSAGE(certified, name, ", step ", (first + round) % 3, "\n", elbrus::to_text(before), elbrus::to_text(p));
    const std::string ill = why_ill_formed(p);
    CHECK_MESSAGE(ill.empty(), name, ", step ", (first + round) % 3, ": ", ill, "\n", elbrus::to_text(before),
                  elbrus::to_text(p));
    if ((first + round) % 3 != 0) { // options of removal are random
      elbrus::procedure again = p;
      apply(again);
      CHECK(elbrus::equal(again, p));
    }
  }
}

void check_graph_of(const test_graph& g, random_source& random) {
  elbrus::procedure p = procedure_of(g, random);
  repair_inputs(p);
  const std::string ill = why_ill_formed(p);
  REQUIRE_MESSAGE(ill.empty(), to_string(g), ill, elbrus::to_text(p));
  check_all(p, random, to_string(g));
}

} // namespace

TEST_CASE("cleaning: all digraphs of up to 4 nodes") {
#if defined(MIDEND_UNSHORTENED_TESTS)
  constexpr std::size_t share = 1;
#else
  constexpr std::size_t share = 701; // of those with 4 nodes
#endif
  random_source random(1);
  for (std::size_t nodes = 1; nodes != 5; ++nodes) {
    std::size_t number = 0;
    for_each_digraph(nodes, [&](const bit_graph& g) {
      if (number++ % (nodes == 4 ? share : tests_are_shortened ? 10 : 1) == 0) {
        check_graph_of(to_test_graph(g), random);
      }
    });
  }
}

TEST_CASE("cleaning: ugly and random graphs") {
  random_source random(2);
  for (const test_graph& g : ugly_graphs()) {
    if (g.num_nodes != 0) {
      check_graph_of(g, random);
    }
  }
  for (std::size_t i = 0; i != affordable(300); ++i) {
    check_graph_of(random_digraph(random, 4 + random.below(20), 4 + random.below(50)), random);
    check_graph_of(random_irreducible(random, 4 + random.below(20)), random);
    check_graph_of(random_reducible(random, 4 + random.below(30)), random);
  }
}

namespace {

/// A chain of blocks: in groups of four a branch that decides nothing, its arms, and a loop of one block, with copies
/// and phis through all of them.
elbrus::procedure long_chain(std::size_t groups) {
  elbrus::procedure p;
  p.set_name("f");
  p.set_result_type(type::i32);
  const value_id number = p.add_parameter("n", type::i32);
  node_id last = p.create_node("entry");
  value_id carried = number;
  const auto jump = [&](node_id from, node_id to) {
    p.append(from, {.code = opcode::jump});
    return p.add_edge(from, to);
  };
  const auto branch = [&](node_id from, value_id c, node_id then, node_id otherwise) {
    p.append(from, {.code = opcode::branch, .operand_type = type::i1, .operands = midend::span<const value_id>(&c, 1)});
    p.add_edge(from, then, 1);
    p.add_edge(from, otherwise, 0);
  };
  for (std::size_t i = 0; i != groups; ++i) {
    const std::array pair{carried, number};
    const midend::span<const value_id> operands(pair);
    const value_id c =
        p.append(last, {.code = opcode::cmp_lt, .type = type::i1, .operand_type = type::i32, .operands = operands});
    const node_id left = p.create_node({});
    const node_id right = p.create_node({});
    const node_id loop = p.create_node({});
    const node_id next = p.create_node({});
    branch(last, c, left, right);
    p.append(left, {.code = opcode::mul, .type = type::i32, .operands = operands});
    const value_id copy = p.append(
        right, {.code = opcode::mov, .type = type::i32, .operands = midend::span<const value_id>(&pair[0], 1)});
    const edge_id from_left = jump(left, loop);
    const edge_id from_right = jump(right, loop);
    const value_id phi = p.append_phi(loop, type::i32, {});
    const value_id sum = p.append(loop, {.code = opcode::add, .type = type::i32, .operands = operands});
    const std::array test{sum, phi};
    const value_id d = p.append(loop, {.code = opcode::cmp_lt,
                                       .type = type::i1,
                                       .operand_type = type::i32,
                                       .operands = midend::span<const value_id>(test)});
    branch(loop, d, loop, next);
    for (const edge_id e : p.in_edges(loop)) {
      p.set_phi_input(phi, e, e == from_left ? carried : e == from_right ? copy : phi);
    }
    carried = phi;
    last = next;
  }
  p.append(last, {.code = opcode::ret, .operands = midend::span<const value_id>(&carried, 1)});
  return p;
}

} // namespace

TEST_CASE("cleaning: a long chain, certified, takes no stack") {
#if defined(MIDEND_UNSHORTENED_TESTS)
  constexpr std::size_t groups = 250'000; // a million blocks
#else
  constexpr std::size_t groups = affordable(5000);
#endif
  CHECK(on_a_small_stack([]() -> std::string {
          elbrus::procedure p = long_chain(groups);
          if (!why_ill_formed(p).empty()) {
            return "not well formed";
          }
          elbrus::editor e(p);
          elbrus::procedure before = p;
          const auto copies = midend::propagate_copies(e);
          if (copies.same.size() != 2 * groups ||
              !midend::verify_replacement(elbrus::effect_view(before), elbrus::effect_view(p), copies)) {
            return "copies";
          }
          before = p;
          if (midend::hoist_invariants(e).refused.size() != groups) {
            return "there are no preheaders";
          }
          midend::simplify_loops(e);
          before = p;
          if (midend::hoist_invariants(e).moves.size() != 2 * groups ||
              !midend::verify_motion(elbrus::effect_view(before), elbrus::effect_view(p))) {
            return "hoisting";
          }
          before = p;
          const auto removed = midend::remove_dead_code(e, {.loops_end = true});
          if (!midend::verify_removal(elbrus::effect_view(before), elbrus::effect_view(p), removed)) {
            return "removal";
          }
          return midend::plan_remove_dead_code(e, {.loops_end = true}).empty() && p.out_edges(0).size() == 1
                     ? why_ill_formed(p)
                     : "not all is removed";
        }) == "");
}
