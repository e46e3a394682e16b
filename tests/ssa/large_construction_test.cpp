// SSA construction of a million nodes on a stack of 256 KiB, and in constant expressions.
#include "kit/affordable.hpp"
#include "kit/flat_editor.hpp"
#include "kit/small_stack.hpp"

#include <doctest/doctest.h>
#include <midend/ssa/construct_ssa.hpp>
#include <midend/ssa/construct_ssa_on_the_fly.hpp>

#include <array>
#include <string>

using namespace midend_tests;
using midend::inserted_phis;
using midend::no_variable;

namespace {

/// Or, where tests are shortened, a tenth: any recursion would overflow the small stack as well.

template <class Successors> midend::csr_graph graph_by(node_id nodes, Successors successors_of) {
  std::vector<edge> edges;
  for (node_id n = 0; n != nodes; ++n) {
    for (const node_id s : successors_of(n)) {
      if (s < nodes) {
        edges.push_back({n, s});
      }
    }
  }
  return midend::csr_graph::from_edges(nodes, 0, edges).value();
}

/// Calls `check(editor, result)` after both algorithms; it gives what is wrong.
template <class Check> void check_both(flat_editor& editor, Check check) {
  const std::string wrong = on_a_small_stack([&] {
    editor.restore();
    const inserted_phis by_frontiers = midend::construct_ssa(editor);
    std::string out = check(editor, by_frontiers);
    if (out.empty()) {
      editor.restore();
      const inserted_phis on_the_fly = midend::construct_ssa_on_the_fly(editor);
      out = check(editor, on_the_fly);
      out = out.empty() ? out : "on the fly: " + out;
    }
    return out;
  });
  CHECK(wrong == "");
}

} // namespace

TEST_CASE("construct_ssa: a chain of a million nodes") {
  flat_editor editor(graph_by(million, [](node_id n) { return std::array{n + 1}; }), 1);
  editor.add(0, no_variable, 0);
  editor.add(million - 1, 0, no_variable);
  check_both(editor, [](flat_editor& e, const inserted_phis& result) -> std::string {
    if (result.num_phis() != 0 || e.done.phis != 0 || !result.undefined_variables().empty()) {
      return "phis";
    }
    return e.read(1) == 0 && e.done.renamed == 2 ? "" : "the read";
  });
}

TEST_CASE("construct_ssa: a chain of a million nodes, backwards by number") {
  // 0 leads to the last node, and on from there to 1, so that nodes are filled before their predecessors.
  flat_editor editor(
      graph_by(million, [](node_id n) { return std::array{n == 0  ? million - 1
                                                          : n > 1 ? n - 1
                                                                  : million}; }), 1);
  editor.add(0, no_variable, 0);
  for (node_id n = 1; n != million; ++n) {
    editor.add(n, 0, no_variable);
  }
  check_both(editor, [](flat_editor& e, const inserted_phis& result) -> std::string {
    if (result.num_phis() != 0 || e.done.replacements > million) {
      return "phis";
    }
    for (midend::statement_id s = 1; s != e.num_statements(); ++s) {
      if (e.read(s) != e.read(1) || e.is_phi(e.read(s))) {
        return join("statement ", s);
      }
    }
    return {};
  });
}

TEST_CASE("construct_ssa: a ladder of a million nodes, each of which writes and reads") {
  flat_editor editor(graph_by(million, [](node_id n) { return std::array{n + 1, n + 2}; }), 1);
  for (node_id n = 0; n != million; ++n) {
    editor.add(n, 0, 0);
  }
  check_both(editor, [](flat_editor& e, const inserted_phis& result) -> std::string {
    if (result.num_phis() != million - 2 || e.done.phis != million - 2 || e.done.inputs != 2 * (million - 2)) {
      return join(result.num_phis(), " phis, ", e.done.inputs, " inputs");
    }
    for (std::size_t i = 0; i != result.num_phis(); ++i) {
      if (result.phis()[i].node != i + 2 || e.read(result.phis()[i].node) != result.phis()[i].value) {
        return join("phi ", i);
      }
    }
    return {};
  });
}

TEST_CASE("construct_ssa: a ladder whose every node leads back to the second one") {
  constexpr node_id nodes = million / 4;
  flat_editor editor(graph_by(nodes, [](node_id n) { return std::array{n + 1, n == 0 ? nodes : 1U}; }), 2);
  editor.add(0, no_variable, 0);
  editor.add(0, no_variable, 1);
  editor.add(1, 1, no_variable);
  editor.add(nodes - 1, 0, 1); // variable 0 is never written in the loop, variable 1 at its end
  check_both(editor, [](flat_editor& e, const inserted_phis& result) -> std::string {
    if (result.num_phis() != 1 || result.phis()[0].node != 1 || result.phis()[0].variable != 1) {
      return join(result.num_phis(), " phis");
    }
    return e.read(2) == result.phis()[0].value && !e.is_phi(e.read(3)) && e.done.inputs <= 2 * nodes ? "" : "reads";
  });
}

TEST_CASE("construct_ssa: what becomes trivial is found with little work") {
  // Loops one in the other, the outermost first: each header gets a phi on the fly, all of them trivial in the end.
  constexpr node_id depth = 2000;
  std::vector<edge> edges{{0, 1}};
  for (node_id n = 1; n != depth; ++n) {
    edges.push_back({n, n + 1});
  }
  for (node_id n = 0; n + 1 < depth; ++n) { // the ends of loops, the innermost first
    const node_id end = depth + n;
    edges.push_back({end, end + 1});
    edges.push_back({end, depth - n});
  }
  flat_editor editor(midend::csr_graph::from_edges(2 * depth, 0, edges).value(), 1);
  editor.add(0, no_variable, 0);
  editor.add(2 * depth - 1, 0, no_variable);
  check_both(editor, [](flat_editor& e, const inserted_phis& result) -> std::string {
    if (result.num_phis() != 0 || e.is_phi(e.read(1))) {
      return "phis are left";
    }
    return e.done.phis <= 2 * depth && e.done.inputs <= 8 * depth ? "" : join(e.done.inputs, " inputs were set");
  });
}

namespace {

/// x is written on both ways, y on one, z before both.
constexpr bool constructed_at_compile_time() {
  const std::array<edge, 4> edges{{{0, 1}, {0, 2}, {1, 3}, {2, 3}}};
  flat_editor editor(midend::csr_graph::from_edges(4, 0, edges).value(), 3);
  editor.add(0, no_variable, 2);
  editor.add(1, no_variable, 0);
  editor.add(2, no_variable, 0);
  editor.add(2, no_variable, 1);
  editor.add(3, 0, no_variable);
  editor.add(3, 1, no_variable);
  editor.add(3, 2, no_variable);
  editor.restore();
  const inserted_phis result = midend::construct_ssa(editor);
  return result.num_phis() == 2 && result.phis(0).size() == 1 && result.phis(1)[0].node == 3 &&
         result.phis(2).empty() && result.undefined_variables().size() == 1 && result.undefined_variables()[0] == 1;
}

static_assert(constructed_at_compile_time());

} // namespace
