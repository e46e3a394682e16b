// definitely_initialized: is a variable assigned on every path to its use? If not, by which path does the use come
// before any assignment?
#include <midend/dataflow/cursor.hpp>
#include <midend/dataflow/explain_fact.hpp>
#include <midend/dataflow/lattices/dual.hpp>
#include <midend/dataflow/lattices/powerset.hpp>
#include <midend/dataflow/solve.hpp>
#include <midend/graph/csr_graph.hpp>

#include <cstdio>
#include <span>
#include <string>
#include <vector>

using midend::bit_row;
using midend::node_id;
using midend::statement_id;
using midend::variable_id;

struct statement {
  std::string text;
  std::vector<variable_id> writes;
  std::vector<variable_id> reads;
};

struct function {
  midend::csr_graph graph;
  std::vector<std::string> block_names;
  std::vector<statement> code;
  std::vector<std::vector<statement_id>> blocks;

  std::span<const statement_id> statements(node_id n) const { return blocks[n]; }
};

// [problem]
struct initialized {
  static constexpr auto direction = midend::flow_direction::forward;
  using sets = midend::dual<midend::powerset<>>; // joined by intersection: on every path

  const function& f;
  std::size_t num_variables;

  sets lattice() const { return sets(midend::powerset<>(num_variables)); }

  bit_row boundary(node_id) const { return bit_row(num_variables); } // nothing is, at the entry

  const function& ir() const { return f; }

  void transfer_statement(statement_id s, bit_row& assigned) const {
    for (const variable_id v : f.code[s].writes) {
      assigned.set(v);
    }
  }
};

// [end]

static void report(const function& f, const initialized& problem, const midend::solution<bit_row>& facts, node_id n,
                   statement_id s, variable_id v) {
  std::printf("`%s` in block %s: variable %u may not have been assigned\n", f.code[s].text.c_str(),
              f.block_names[n].c_str(), v);
  // [explain]
  const midend::fact_derivation why = midend::explain_fact(f.graph, problem, facts, midend::point_in(n),
                                                           [v](const bit_row& assigned) { return !assigned.test(v); });
  std::printf("  by the path %s", f.block_names[why.node].c_str());
  for (const midend::flow_edge& e : why.path) {
    std::printf(" -> %s", f.block_names[e.target].c_str());
  }
  std::printf("\n");
  // [end]
}

int main() {
  // entry: a = read(); if (a) then: b = 1; loop: c = b + a; if (c) back: d = c, to loop; exit: print(b, d)
  const std::vector<midend::edge> edges{{0, 1}, {0, 2}, {1, 2}, {2, 3}, {2, 4}, {3, 2}};

  enum : variable_id { a, b, c, d };

  const function f{midend::csr_graph::from_edges(5, 0, edges).value(),
                   {"entry", "then", "loop", "back", "exit"},
                   {{"a = read()", {a}, {}},
                    {"b = 1", {b}, {}},
                    {"c = b + a", {c}, {b, a}},
                    {"d = c", {d}, {c}},
                    {"print(a, d)", {}, {a, d}}},
                   {{0}, {1}, {2}, {3}, {4}}};

  const initialized problem{f, 4};
  const auto facts = midend::solve(f.graph, problem);
  midend::visit_facts(problem, facts, [&](node_id n, statement_id s, const bit_row& before, const bit_row&) {
    for (const variable_id v : f.code[s].reads) {
      if (!before.test(v)) {
        report(f, problem, facts, n, s, v);
      }
    }
  });
}
