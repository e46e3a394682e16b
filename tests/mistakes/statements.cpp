// Natural mistakes in views of code with variables.
#include "mistakes.hpp"

using midend::node_id;
using midend::statement_id;
using midend::variable_id;

static const midend::csr_graph g = [] {
  const std::vector<midend::edge> edges{{0, 1}, {1, 2}, {1, 3}, {2, 1}};
  return midend::csr_graph::from_edges(4, 0, edges).value();
}();

/// s0: x = 0; s1: if (x < y); s2: x = x + 1; s3: return x
struct right {
  std::vector<std::vector<statement_id>> nodes{{0}, {1}, {2}, {3}};
  std::vector<std::vector<variable_id>> written{{0}, {}, {0}, {}};
  std::vector<std::vector<variable_id>> read{{}, {0, 1}, {0}, {0}};

  const midend::csr_graph& graph() const { return g; }

  std::size_t num_statements() const { return 4; }

  const std::vector<statement_id>& statements(node_id n) const { return nodes[n]; }

  std::size_t num_variables() const { return 2; }

  const std::vector<variable_id>& definitions(statement_id s) const { return written[s]; }

  const std::vector<variable_id>& uses(statement_id s) const { return read[s]; }
};

// mistake: No variable is -1 in `uses`; `check_ir`
// run-time: statement 2: use 1, 4294967295, is no variable
RUN(use_minus_1_checked) {
  right ir;
  ir.read[2] = {0, static_cast<variable_id>(-1)};
  says(midend::check_ir(ir));
}

// mistake: No variable is -1 in `uses`; live variables
// run-time: violation: variables that a statement uses or defines[\s\S]*2[\s\S]*4294967295
RUN(use_minus_1_live) {
  right ir;
  ir.read[2] = {0, static_cast<variable_id>(-1)};
  use(midend::live_variables(ir));
}

// mistake: No variable is -1 in `definitions`; reaching definitions
// run-time: violation: variables that a statement uses or defines[\s\S]*1[\s\S]*4294967295
RUN(definition_minus_1_reaching) {
  right ir;
  ir.written[1] = {static_cast<variable_id>(-1)};
  use(midend::reaching_definitions(ir, midend::definition_table(ir)));
}

// mistake: Variables are numbered from 1
// run-time: statement 1: use 1, 2, is no variable
RUN(variable_counted_from_1) {
  right ir;
  ir.read = {{}, {1, 2}, {1}, {1}};
  ir.written = {{1}, {}, {1}, {}};
  says(midend::check_ir(ir));
}

// mistake: Statements are numbered in each block from 0
// run-time: statement 0 is in block 0 and in block 1
RUN(statement_counted_by_node) {
  right ir;
  ir.nodes = {{0}, {0}, {0}, {0}};
  says(midend::check_ir(ir));
}

// mistake: A statement that does not exist; `check_ir`
// run-time: block 3: statement 0, 4, does not exist
RUN(statement_out_of_range_checked) {
  right ir;
  ir.nodes[3] = {4};
  says(midend::check_ir(ir));
}

// What has been assigned?
struct assigned {
  static constexpr auto direction = midend::flow_direction::forward;
  const right& code;

  midend::powerset<> lattice() const { return midend::powerset<>(2); }

  midend::bit_row boundary(node_id) const { return midend::bit_row(2); }

  const right& ir() const { return code; }

  void transfer_statement(statement_id s, midend::bit_row& f) const {
    for (const variable_id v : code.written[s]) {
      f.set(v);
    }
  }
};

// mistake: A statement after the last one of its block, with a cursor
// run-time: violation:
RUN(cursor_out_of_range) {
  const right code;
  const assigned p{code};
  const auto found = midend::solve(g, p);
  midend::fact_cursor cursor(p, found);
  use(cursor.after(1, 1));
}

// mistake: Variables as a `std::vector<int>` by value, as many IRs have them
// works
RUN(lists_of_int) {
  struct view : right {
    std::vector<int> uses(statement_id s) const { return {read[s].begin(), read[s].end()}; }
  };

  EXPECT(midend::live_variables(view{}).in(0).test(1));
}

// mistake: A variable that a statement names twice
// works
RUN(variable_twice) {
  right ir;
  ir.read[2] = {0, 0};
  EXPECT(!midend::check_ir(ir) && midend::live_variables(ir).in(1).test(0));
}

// mistake: An assignment under a condition is a `may_definitions`, so that the old value stays alive
// works
RUN(conditional_assignment) {
  struct view : right {
    std::vector<variable_id> may_definitions(statement_id s) const {
      return s == 0 ? std::vector<variable_id>{0} : std::vector<variable_id>();
    }
  };

  view ir;
  ir.written[0] = {};
  EXPECT(midend::live_variables(ir).in(0).test(0));
}

// ---- What does not compile.

// mistake: `uses` returns names
// compile-time: midend: .*uses
#ifdef MISTAKE_uses_are_names
struct view : right {
  std::vector<std::string> uses(statement_id) const { return {}; }
};

RUN(uses_are_names) {
  use(midend::live_variables(view{}));
}
#endif

// mistake: `definitions` returns one variable
// compile-time: midend: .*definitions
#ifdef MISTAKE_definitions_is_one
struct view : right {
  variable_id definitions(statement_id) const { return 0; }
};

RUN(definitions_is_one) {
  use(midend::live_variables(view{}));
}
#endif

// mistake: `may_definitions` is not `const`: it would never be called
// compile-time: midend: `may_definitions`
#ifdef MISTAKE_may_definitions_not_const
struct view : right {
  std::vector<variable_id> may_definitions(statement_id) { return {}; }
};

RUN(may_definitions_not_const) {
  use(midend::live_variables(view{}));
}
#endif

// mistake: The graph instead of the IR
// compile-time: no matching function for call to .*live_variables
#ifdef MISTAKE_graph_instead_of_ir
RUN(graph_instead_of_ir) {
  use(midend::live_variables(g));
}
#endif

// mistake: `available_expressions` of a view without expressions
// compile-time: midend: .*num_expressions
#ifdef MISTAKE_no_expressions
RUN(no_expressions) {
  use(midend::available_expressions(right{}));
}
#endif
