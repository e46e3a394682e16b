// liveness: the four bit-vector analyses over a small IR of one's own, and a gen/kill problem of one's own.
#include <midend/dataflow/available_expressions.hpp>
#include <midend/dataflow/def_use_chains.hpp>
#include <midend/dataflow/live_variables.hpp>
#include <midend/dataflow/reaching_definitions.hpp>
#include <midend/dataflow/very_busy_expressions.hpp>
#include <midend/graph/csr_graph.hpp>
#include <midend/ssa/check_ir.hpp>
#include <midend/viz/ir_errors.hpp>

#include <cstdio>
#include <span>
#include <string>
#include <vector>

using midend::node_id;
using midend::statement_id;
using midend::variable_id;

// [ir]
/// Three-address code: `target = left + right`, where `right`, or both, may be missing.
struct instruction {
  std::vector<variable_id> target;
  std::vector<variable_id> sources;
  midend::expression_id expression = midend::no_expression;
};

/// The view that the analyses get. Instructions lie block after block.
struct program {
  midend::csr_graph cfg;
  std::vector<statement_id> block_begin; // one more than blocks
  std::vector<instruction> code;
  std::vector<std::vector<variable_id>> expressions;
  std::vector<std::string> names;

  const midend::csr_graph& graph() const { return cfg; }

  std::size_t num_statements() const { return code.size(); }

  midend::id_range<> statements(node_id n) const { return {block_begin[n], block_begin[n + 1]}; }

  std::size_t num_variables() const { return names.size(); }

  std::span<const variable_id> definitions(statement_id s) const { return code[s].target; }

  std::span<const variable_id> uses(statement_id s) const { return code[s].sources; }

  std::size_t num_expressions() const { return expressions.size(); }

  midend::expression_id expression(statement_id s) const { return code[s].expression; }

  std::span<const variable_id> expression_operands(midend::expression_id e) const { return expressions[e]; }
};

// [end]

static_assert(midend::expression_ir<program>);

// [problem]
/// Which blocks have been passed on every path from the entry: a must-problem of your own.
struct passed_blocks {
  static constexpr auto direction = midend::flow_direction::forward;
  static constexpr auto confluence = midend::flow_confluence::must;

  std::size_t blocks;

  std::size_t num_facts() const { return blocks; }

  template <class Effects> void effects(node_id n, Effects& e) const { e.gen(n); }
};

// [end]

enum : variable_id { a, b, i, s, t };

/// 0: i = …; s = …   1: while (…) { 2: t = a + b; s = s + t; i = i + … }   3: t = a + b; return s
static program example() {
  const std::vector<midend::edge> edges{{0, 1}, {1, 2}, {1, 3}, {2, 1}};
  return {
      midend::csr_graph::from_edges(4, 0, edges).value(),
      {0, 2, 3, 6, 8},
      {{{i}, {}}, {{s}, {}}, {{}, {i}}, {{t}, {a, b}, 0}, {{s}, {s, t}, 1}, {{i}, {i}}, {{t}, {a, b}, 0}, {{}, {s}}},
      {{a, b}, {s, t}},
      {"a", "b", "i", "s", "t"}};
}

static void print(const char* what, midend::bit_row_view facts, const std::vector<std::string>& names) {
  std::printf("%s", what);
  for (const std::uint32_t fact : facts) {
    std::printf(" %s", names[fact].c_str());
  }
  std::printf("\n");
}

int main() {
  const program p = example();
  const std::vector<std::string> expressions{"a+b", "s+t"};

  if (const auto error = midend::check_ir(p)) {
    std::printf("%s\n", midend::to_text(*error).c_str());
    return 1;
  }
  // [live]
  const auto live = midend::live_variables(p);
  print("live at the start:", live.in(0), p.names);
  print("live at the loop header:", live.in(1), p.names);
  print("live after the loop:", live.in(3), p.names);
  // [end]

  // [chains]
  const midend::definition_table definitions(p);
  const auto reaching = midend::reaching_definitions(p, definitions);
  const midend::def_use_chains chains(p, definitions, reaching);
  for (midend::use_id u = 0; u != chains.num_uses(); ++u) {
    if (chains.use(u).variable == s) {
      std::printf("statement %u reads s, written by", chains.use(u).statement);
      for (const midend::definition_id d : chains.definitions(u)) {
        std::printf(" %u", definitions[d].statement);
      }
      std::printf("\n");
    }
  }
  // [end]

  // [expressions]
  print("available after the loop:", midend::available_expressions(p).in(3), expressions);
  print("very busy before the loop:", midend::very_busy_expressions(p).out(0), expressions);
  // [end]

  // [passed]
  const auto passed = midend::gen_kill(p.graph(), passed_blocks{4});
  std::printf("on the way to 3:");
  for (const node_id n : passed.out(3)) {
    std::printf(" %u", n);
  }
  std::printf("\n");
  // [end]

  // [workspace]
  midend::gen_kill_workspace<> workspace;
  midend::flow_facts<> facts;
  midend::live_variables(p, workspace, facts); // allocates nothing from the second function on
  // [end]
  std::printf("the same again: %d\n", facts.in(0) == live.in(0));
}
