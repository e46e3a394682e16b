// Liveness of SSA values, against paths and against the liveness of variables without phis.
#include "kit/affordable.hpp"
#include "kit/small_stack.hpp"
#include "kit/ssa_ir.hpp"
#include "kit/statement_ir.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/live_variables.hpp>
#include <midend/elbrus/views/views.hpp>
#include <midend/graph/forward_csr_graph.hpp>
#include <midend/ssa/live_values.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace midend_tests;
using midend::live_value_sets;
using midend::live_values;
using midend::no_value;

namespace {

using numbers = std::vector<value_id>;

numbers list(std::span<const value_id> values) {
  return numbers(values.begin(), values.end());
}

/// Where something reads a value from outside, or at its end for phis of successors.
struct reads {
  std::vector<bool> in;
  std::vector<bool> at_end;

  reads(const ssa_program& p, value_id v) : in(p.graph().num_nodes()), at_end(in) {
    for (node_id n = 0; n != in.size(); ++n) {
      for (const value_id reader : p.values(n)) {
        if (p.is_phi(reader)) {
          for (const edge_id e : p.graph().in_edges(n)) {
            if (p.phi_input(reader, e) == v) {
              at_end[p.graph().edge_source(e)] = true;
            }
          }
        } else if (std::ranges::count(p.operands(reader), v) != 0) {
          in[n] = true;
        }
      }
    }
  }
};

/// Whether a path from the start of `from` to a read of `v` avoids the node of `v`.
bool has_path_to_read(const ssa_program& p, const reads& reads_of_v, value_id v, node_id from) {
  std::vector<bool> seen(p.graph().num_nodes());
  numbers todo{from};
  while (!todo.empty()) {
    const node_id n = todo.back();
    todo.pop_back();
    if (n == p.node(v) || seen[n]) {
      continue;
    }
    seen[n] = true;
    if (reads_of_v.in[n] || reads_of_v.at_end[n]) {
      return true;
    }
    for (const node_id next : p.graph().successors(n)) {
      todo.push_back(next);
    }
  }
  return false;
}

/// The first answer that is not what paths say, or nothing.
std::string difference(const ssa_program& p, const live_value_sets& live) {
  if (live.num_nodes() != p.graph().num_nodes()) {
    return "number of nodes";
  }
  std::vector<numbers> in(live.num_nodes());
  std::vector<numbers> out(live.num_nodes());
  std::size_t places = 0;
  for (value_id v = 0; v != p.num_values(); ++v) {
    const bool is_literal = p.node(v) == no_node && p.operation(v) == ssa_operation::constant;
    const reads reads_of_v(p, v);
    for (node_id n = 0; n != live.num_nodes(); ++n) {
      bool is_out = reads_of_v.at_end[n];
      for (const node_id next : p.graph().successors(n)) {
        is_out = is_out || has_path_to_read(p, reads_of_v, v, next);
      }
      const bool is_in = has_path_to_read(p, reads_of_v, v, n);
      if (is_in && !is_literal) {
        in[n].push_back(v);
      }
      if (is_out && !is_literal) {
        out[n].push_back(v);
      }
      if (live.is_live_in(v, n) != (is_in && !is_literal) || live.is_live_out(v, n) != (is_out && !is_literal)) {
        return join("value ", v, " in node ", n);
      }
    }
  }
  for (node_id n = 0; n != live.num_nodes(); ++n) {
    places += in[n].size() + out[n].size();
    if (list(live.live_in(n)) != in[n] || list(live.live_out(n)) != out[n]) {
      return join("lists of node ", n);
    }
  }
  return live.size() == places && live.num_visits() <= places ? "" : "size or visits";
}

/// Values anywhere that read values anywhere, whether these come before or not.
ssa_program wild_program(random_source& random, const midend::csr_graph& g, std::size_t most) {
  ssa_program p(g);
  const std::size_t values = 1 + random.below(most);
  for (std::size_t left = g.num_nodes() == 0 ? 0 : values; left != 0; --left) {
    const node_id n = random.below(g.num_nodes());
    switch (random.below(6)) {
    case 0:
      p.add_parameter();
      break;
    case 1:
      p.add_literal();
      break;
    case 2:
      if (p.values(n).empty() || p.is_phi(p.values(n).back())) {
        p.add(n, ssa_operation::phi);
        break;
      }
      [[fallthrough]];
    default:
      p.add(n, ssa_operation::add);
    }
  }
  for (value_id v = 0; v != p.num_values(); ++v) {
    if (const node_id n = p.node(v); n != no_node) {
      numbers operands(p.is_phi(v) ? g.in_edges(n).size() : random.below(3));
      for (value_id& operand : operands) {
        operand = p.is_phi(v) && random.one_in(6) ? no_value : random.below(p.num_values());
      }
      p.set_operands(v, operands);
    }
  }
  return p;
}

/// The program without phis: each edge becomes a node in which all phis of its target are written at once. Variables
/// are the values.
statement_program without_phis(const ssa_program& p) {
  const midend::csr_graph& g = p.graph();
  const auto count = static_cast<node_id>(g.num_nodes());
  std::vector<edge> edges;
  for (edge_id e = 0; e != g.num_edges(); ++e) {
    edges.push_back({g.edge_source(e), count + e});
    edges.push_back({count + e, g.edge_target(e)});
  }
  statement_program out(make_csr({"", g.num_nodes() + g.num_edges(), g.entry(), edges}), p.num_values());
  for (node_id n = 0; n != count; ++n) {
    for (const value_id v : p.values(n)) {
      if (!p.is_phi(v)) {
        out.add(n, {.definitions = {v}, .uses = list(p.operands(v))});
      }
    }
  }
  for (edge_id e = 0; e != g.num_edges(); ++e) {
    numbers phis;
    numbers inputs;
    for (const value_id v : p.values(g.edge_target(e))) {
      if (p.is_phi(v)) {
        phis.push_back(v);
        inputs.push_back(p.phi_input(v, e));
      }
    }
    out.add(count + e, {.definitions = phis, .uses = inputs});
  }
  return out;
}

/// The first difference between the liveness of values and of variables.
std::string difference_to_variables(const ssa_program& p, const live_value_sets& live) {
  const midend::csr_graph& g = p.graph();
  const auto count = static_cast<node_id>(g.num_nodes());
  const auto dense = midend::live_variables(without_phis(p));
  for (node_id n = 0; n != count; ++n) {
    numbers in;
    for (const value_id v : dense.in(n)) {
      if (p.node(v) != n || !p.is_phi(v)) { // phis are written before their node there
        in.push_back(v);
      }
    }
    std::set<value_id> out;
    for (const edge_id e : g.out_edges(n)) {
      const auto row = dense.in(count + e);
      out.insert(row.begin(), row.end());
    }
    if (list(live.live_in(n)) != in || list(live.live_out(n)) != numbers(out.begin(), out.end())) {
      return join("node ", n);
    }
  }
  return "";
}

/// The same program over a graph that knows no predecessors.
struct without_predecessors {
  const ssa_program& p;
  midend::forward_csr_graph g;

  explicit without_predecessors(const ssa_program& program) : p(program), g(program.graph()) {}

  const midend::forward_csr_graph& graph() const { return g; }

  std::size_t num_values() const { return p.num_values(); }

  auto values(node_id n) const { return p.values(n); }

  auto operands(value_id v) const { return p.operands(v); }

  auto parameters() const { return p.parameters(); }

  bool is_phi(value_id v) const { return p.is_phi(v); }

  value_id phi_input(value_id v, edge_id e) const { return p.phi_input(v, e); }

  value_id condition(node_id n) const { return p.condition(n); }
};

/// The nodes that the entry reaches, as a graph.
midend::csr_graph reachable_part(const test_graph& g) {
  const midend::csr_graph all = make_csr(g);
  const midend::dominator_tree tree = midend::dominators(all);
  std::vector<node_id> number(g.num_nodes, no_node);
  node_id count = 0;
  for (const node_id n : tree.preorder()) {
    number[n] = count++;
  }
  std::vector<edge> edges;
  for (const edge& e : g.edges) {
    if (number[e.source] != no_node) {
      edges.push_back({number[e.source], number[e.target]});
    }
  }
  return make_csr({g.name, count, 0, edges});
}

} // namespace

static_assert(midend::has_parameters<ssa_program> && midend::has_parameters<midend::elbrus::value_view>);
static_assert(!midend::bidirectional_flow_graph<midend::forward_csr_graph>);

TEST_CASE("live_values: a loop, and what is live of phis") {
  // entry: n (a parameter), zero; head: i = phi(zero, next), s = phi(zero, i); body: next = i + n; exit: i + s
  enum : node_id { entry, head, body, exit };

  ssa_program p(make_csr({"", 4, entry, {{entry, head}, {head, body}, {head, exit}, {body, head}}}));
  const value_id n = p.add_parameter();
  const value_id one = p.add_literal(1);
  const value_id zero = p.add(entry, ssa_operation::constant);
  const value_id i = p.add(head, ssa_operation::phi);
  const value_id s = p.add(head, ssa_operation::phi);
  const value_id next = p.add(body, ssa_operation::add, {i, n, one});
  p.add(exit, ssa_operation::add, {i, s});
  p.set_operands(i, {zero, next}); // in the order of the edges into head: 0, 3
  p.set_operands(s, {zero, i});
  const auto live = live_values(p);
  CHECK(list(live.live_in(entry)) == numbers{n});
  CHECK(list(live.live_out(entry)) == numbers{n, zero});
  CHECK(list(live.live_in(head)) == numbers{n}); // phis begin there; zero was read by the edge
  CHECK(list(live.live_out(head)) == numbers{n, i, s});
  CHECK(list(live.live_in(body)) == numbers{n, i});
  CHECK(list(live.live_out(body)) == numbers{n, i, next});
  CHECK(list(live.live_in(exit)) == numbers{i, s});
  CHECK(live.live_out(exit).empty());
  CHECK(live.is_live_in(i, body));
  CHECK(!live.is_live_in(one, body));
  CHECK(live.size() == 14);
  CHECK(difference(p, live) == "");
}

TEST_CASE("live_values: a phi that reads itself, one that is read by parallel edges, swapped phis") {
  enum : node_id { entry, loop, end };

  ssa_program p(make_csr({"", 3, entry, {{entry, loop}, {entry, loop}, {loop, loop}, {loop, end}}}));
  const value_id a = p.add(entry, ssa_operation::constant);
  const value_id b = p.add(entry, ssa_operation::constant);
  const value_id same = p.add(loop, ssa_operation::phi);
  const value_id x = p.add(loop, ssa_operation::phi);
  const value_id y = p.add(loop, ssa_operation::phi);
  p.set_operands(same, {a, b, same});
  p.set_operands(x, {a, a, y});
  p.set_operands(y, {a, a, x});
  const auto live = live_values(p);
  CHECK(list(live.live_out(entry)) == numbers{a, b});
  CHECK(live.live_in(loop).empty());
  CHECK(list(live.live_out(loop)) == numbers{same, x, y});
  CHECK(live.live_in(end).empty());
  CHECK(difference(p, live) == "");
}

TEST_CASE("live_values: paths, on all digraphs of up to 4 nodes, whatever the program") {
  random_source random(61);
  midend::live_values_workspace workspace;
  live_value_sets live;
  std::size_t failed = 0;
  std::size_t places = 0;
  const auto check = [&](const bit_graph& bits, std::size_t programs) {
    if (bits.entry() != 0) {
      return; // no matter for liveness
    }
    const midend::csr_graph g(bits);
    for (; programs != 0; --programs) {
      const ssa_program p = wild_program(random, g, 6);
      live_values(p, workspace, live);
      places += live.size();
      const std::string wrong = difference(p, live);
      if (!wrong.empty() && ++failed <= 3) {
        FAIL_CHECK(wrong << " of " << to_string(to_test_graph(bits)));
      }
    }
  };
  for (std::size_t nodes = 1; nodes != 4; ++nodes) {
    for_each_digraph(nodes, [&](const bit_graph& bits) { check(bits, 20); });
  }
  for (std::uint64_t bits = 0; bits < 1 << 16; bits += 1 + random.below(12)) {
    check(bit_graph(4, bits, 0), 1);
  }
  CHECK(failed == 0);
  CHECK(places > 50'000);
}

TEST_CASE("live_values: random programs, with and without predecessors, and with more than 64 values") {
  random_source random(62);
  std::vector<test_graph> graphs = random_graphs();
  for (const test_graph& g : ugly_graphs()) {
    graphs.push_back(g);
  }
  midend::live_values_workspace workspace;
  live_value_sets live;
  std::size_t largest = 0;
  for (const test_graph& g : graphs) {
    if (g.num_nodes > 60) {
      continue; // the paths take long
    }
    const ssa_program p = wild_program(random, make_csr(g), 200);
    live_values(p, workspace, live);
    largest = std::max(largest, live.size());
    const std::string wrong = difference(p, live);
    CHECK_MESSAGE(wrong.empty(), wrong << " of " << to_string(g));
    CHECK(live_values(without_predecessors(p)) == live);
  }
  CHECK(largest > 1000);
}

TEST_CASE("live_values: as variables are without phis") {
  random_source random(63);
  midend::live_values_workspace workspace;
  live_value_sets live;
  std::size_t programs = 0;
  for (const test_graph& g : random_graphs()) {
    const midend::csr_graph reachable = reachable_part(g);
    const ssa_program p = random_ssa_program(random, reachable, 1 + random.below(4));
    live_values(p, workspace, live);
    const std::string wrong = difference_to_variables(p, live);
    CHECK_MESSAGE(wrong.empty(), wrong << " of " << to_string(g));
    CHECK(live.live_in(reachable.entry()).empty()); // no parameters: everything is defined in nodes
    ++programs;
  }
  CHECK(programs > 100);
}

TEST_CASE("live_values: no nodes, no values") {
  CHECK(live_values(ssa_program(midend::csr_graph())).num_nodes() == 0);
  const auto live = live_values(ssa_program(make_csr({"", 2, 0, {{0, 1}}})));
  CHECK(live.num_nodes() == 2);
  CHECK(live.live_in(1).empty());
  CHECK(live.live_out(0).empty());
}

TEST_CASE("live_values: long lives and many short ones in a million nodes, on a small stack") {
  const std::string wrong = on_a_small_stack([] {
    constexpr node_id nodes = midend_tests::million;
    std::vector<edge> edges;
    for (node_id n = 1; n != nodes; ++n) {
      edges.push_back({n - 1, n});
      if (n % 3 == 0) {
        edges.push_back({n, n - 2}); // a loop
      }
    }
    ssa_program p(make_csr({"", nodes, 0, edges}));
    const value_id first = p.add_parameter();
    const value_id second = p.add(0, ssa_operation::constant);
    value_id last = second;
    for (node_id n = 5; n < nodes; n += 5) {
      last = p.add(n, ssa_operation::add, {last});
    }
    p.add(nodes - 1, ssa_operation::add, {first, second, last});
    const auto live = live_values(p);
    if (!live.is_live_in(first, 0) || live.is_live_in(second, 0) || !live.is_live_in(second, nodes - 1)) {
      return std::string("long lives");
    }
    if (live.size() > 4 * std::size_t{nodes} + 20 * nodes / 5) {
      return join("places: ", live.size());
    }
    return live.num_visits() > live.size() ? join("visits: ", live.num_visits()) : std::string();
  });
  CHECK(wrong == "");
}

TEST_CASE("live_values: values that live together walk together") {
  constexpr node_id nodes = 1000;
  std::vector<edge> edges;
  for (node_id n = 1; n != nodes; ++n) {
    edges.push_back({n - 1, n});
  }
  ssa_program p(make_csr({"", nodes, 0, edges}));
  numbers all;
  for (std::size_t i = 0; i != 640; ++i) {
    all.push_back(p.add(0, ssa_operation::constant));
  }
  p.add(nodes - 1, ssa_operation::add, all);
  const auto live = live_values(p);
  CHECK(live.size() == 2 * 640 * (nodes - 1));
  CHECK(live.num_visits() == 10 * (nodes - 1));
}
