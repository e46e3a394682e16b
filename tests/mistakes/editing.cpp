// Natural mistakes in changing a program, with the editor of the Elbrus-like IR and with editors of one's own.
#include "mistakes.hpp"

#include "midend/elbrus/text/parser.hpp"
#include "midend/elbrus/views/editor.hpp"
#include "midend/ssa/construct_ssa.hpp"

using midend::edge_id;
using midend::no_value;
using midend::node_id;
using midend::statement_id;
using midend::value_id;
using midend::variable_id;

static midend::elbrus::program parsed(const char* text) {
  return midend::elbrus::parse(text).program;
}

static const char* const counting = R"(proc @count(%n: i32) -> i32 {
  node entry:
    br loop
  node loop:
    %i = phi.i32 [entry: 0], [loop: %next]
    %next = add.i32 %i, 1
    %again = cmp.lt.i32 %next, %n
    br %again ? loop : exit
  node exit:
    ret %next
}
)";

struct edited {
  midend::elbrus::program program = parsed(counting);
  midend::elbrus::editor editor{program.procedures[0]};

  /// The value at a place of the loop: the phi is the first one.
  value_id at(unsigned place) const {
    for (const value_id v : editor.values(1)) {
      if (place-- == 0) {
        return v;
      }
    }
    return no_value;
  }

  value_id phi() const { return at(0); }
};

// mistake: (nothing is wrong with the program from which the mistakes depart)
// works
RUN(right_program) {
  EXPECT(!midend::check_ir(edited().editor));
}

// mistake: An edge is redirected, and the phis of its new target get no input
// run-time: v3 in block 1: the input along edge 3 is not set
RUN(redirected_without_input) {
  edited e;
  const node_id between = e.editor.create_node(1);
  e.editor.redirect_edge(0, between);
  e.editor.set_jump(between, 1);
  says(midend::check_ir(e.editor));
}

// mistake: A value is erased although it is read
// run-time: violation: an operation without users
RUN(erased_but_read) {
  edited e;
  e.editor.erase_value(e.at(1));
  says(midend::check_ir(e.editor));
}

// mistake: An input of a phi that does not reach it
// run-time: is not computed on every path
RUN(input_does_not_reach) {
  edited e;
  e.editor.set_phi_input(e.phi(), 0, e.at(1));
  says(midend::check_ir(e.editor));
}

// mistake: A value is replaced by one that is computed later
// run-time: is not computed on every path
RUN(replaced_by_a_later_one) {
  edited e;
  e.editor.replace_uses(e.phi(), e.at(1));
  says(midend::check_ir(e.editor));
}

// mistake: A plan is applied after the program has changed
// run-time: violation: a result of this graph as it is now
RUN(plan_out_of_date) {
  edited e;
  const auto found = midend::sccp(e.editor);
  const node_id n = e.editor.create_node(1);
  e.editor.set_jump(n, 1);
  use(midend::plan_sccp(e.editor, found));
}

// mistake: Loops that were computed before an edit
// run-time: violation: a dominator tree of this graph
RUN(loops_before_an_edit) {
  edited e;
  const auto tree = midend::dominators(e.editor.graph());
  const node_id n = e.editor.create_node(1);
  e.editor.set_jump(n, 1);
  use(midend::natural_loops(e.editor.graph(), tree));
}

/// Variables in a list: an editor of one's own for SSA construction.
struct right_editor {
  midend::csr_graph g = [] {
    const std::vector<midend::edge> edges{{0, 1}, {1, 1}, {1, 2}};
    return midend::csr_graph::from_edges(3, 0, edges).value();
  }();
  // s0: x = 0; s1: x = x + 1; s2: return x
  std::vector<std::vector<statement_id>> nodes{{0}, {1}, {2}};
  std::vector<std::vector<variable_id>> written{{0}, {0}, {}};
  std::vector<std::vector<variable_id>> read{{}, {0}, {0}};
  value_id next = 0;
  std::vector<std::pair<statement_id, value_id>> reads;

  const midend::csr_graph& graph() const { return g; }

  std::size_t num_statements() const { return 3; }

  const std::vector<statement_id>& statements(node_id n) const { return nodes[n]; }

  std::size_t num_variables() const { return 1; }

  const std::vector<variable_id>& definitions(statement_id s) const { return written[s]; }

  const std::vector<variable_id>& uses(statement_id s) const { return read[s]; }

  value_id insert_variable_phi(node_id, variable_id) { return next++; }

  void set_phi_input(value_id, edge_id, value_id) {}

  void rename_use(statement_id s, variable_id, value_id v) { reads.push_back({s, v}); }

  value_id rename_definition(statement_id, variable_id) { return next++; }

  value_id undefined_value(variable_id) { return next++; }
};

// mistake: SSA construction with an editor of one's own
// works
RUN(own_editor) {
  right_editor editor;
  EXPECT(midend::construct_ssa(editor).num_phis() == 1 && editor.reads.size() == 2);
}

// mistake: SSA construction of a function whose entry is a loop header
// run-time: violation: an entry without predecessors
RUN(entry_with_predecessors) {
  right_editor editor;
  const std::vector<midend::edge> edges{{0, 0}, {0, 1}, {1, 2}};
  editor.g = midend::csr_graph::from_edges(3, 0, edges).value();
  editor.nodes = {{1}, {}, {2}};
  use(midend::construct_ssa(editor));
}

// mistake: A variable that is read before it is written: reported, with an undefined value
// works
RUN(read_before_written) {
  right_editor editor;
  editor.written[0] = {};
  EXPECT(midend::construct_ssa(editor).num_phis() == 1);
}

// mistake: A variable out of range; SSA construction
// run-time: violation:
RUN(variable_out_of_range_construct) {
  right_editor editor;
  editor.read[2] = {1};
  use(midend::construct_ssa(editor));
}

// ---- What does not compile.

// mistake: `insert_variable_phi` returns nothing
// compile-time: midend: .*insert_variable_phi|insert_variable_phi
#ifdef MISTAKE_phi_without_value
struct with_void : right_editor {
  void insert_variable_phi(node_id, variable_id) {}
};

RUN(phi_without_value) {
  with_void editor;
  use(midend::construct_ssa(editor));
}
#endif

// mistake: The editor is `const`
// compile-time: midend: .*insert_variable_phi|insert_variable_phi
#ifdef MISTAKE_editor_is_const
RUN(editor_is_const) {
  const right_editor editor;
  use(midend::construct_ssa(editor));
}
#endif

// mistake: A view instead of an editor
// compile-time: midend: .*
#ifdef MISTAKE_view_instead_of_editor
struct view {
  midend::csr_graph g;

  const midend::csr_graph& graph() const { return g; }

  std::size_t num_statements() const { return 0; }

  std::span<const statement_id> statements(node_id) const { return {}; }

  std::size_t num_variables() const { return 0; }

  std::span<const variable_id> definitions(statement_id) const { return {}; }

  std::span<const variable_id> uses(statement_id) const { return {}; }
};

RUN(view_instead_of_editor) {
  view ir;
  use(midend::construct_ssa(ir));
}
#endif
