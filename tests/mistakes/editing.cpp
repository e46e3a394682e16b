// Natural mistakes in changing a program, with the editor of the Elbrus-like IR and with editors of one's own.
#include "mistakes.hpp"

#include "right_ssa.hpp"

#include "midend/dataflow/domains/strided_interval_domain.hpp"
#include "midend/elbrus/text/parser.hpp"
#include "midend/elbrus/views/cost_editor.hpp"
#include "midend/elbrus/views/cost_view.hpp"
#include "midend/elbrus/views/editor.hpp"
#include "midend/ir/frozen.hpp"
#include "midend/ir/profile.hpp"
#include "midend/machine/e2k.hpp"
#include "midend/package/managed_package.hpp"
#include "midend/package/memory_redundancy.hpp"
#include "midend/ssa/apply_sccp.hpp"
#include "midend/ssa/construct_ssa.hpp"
#include "midend/ssa/sccp.hpp"
#include "midend/ssa/sccp_plan.hpp"
#include "midend/ssa/value_numbering.hpp"
#include "midend/ssa/value_numbering_plan.hpp"
#include "midend/transform/clean_control.hpp"
#include "midend/transform/close_loops.hpp"
#include "midend/transform/hoist_invariants.hpp"
#include "midend/transform/recording_editor.hpp"
#include "midend/transform/remove_dead_code.hpp"
#include "midend/transform/rotate_loops.hpp"
#include "midend/transform/simplify_loops.hpp"
#include "midend/transform/split_critical_edges.hpp"
#include "midend/transform/unify_loop_exits.hpp"
#include "midend/transform/unroll_loops.hpp"
#include "midend/transform/verify_removal.hpp"
#include "midend/transform/verify_unfolding.hpp"
#include "midend/unrolling/advise_unrolling.hpp"
#include "midend/unrolling/apply_unrolling.hpp"
#include "midend/viz/transformation_plans.hpp"

#include <array>
#include <cstdint>
#include <string>

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

/// The flow of a procedure, whose changes nobody counts.
struct uncounted_flow {
  const midend::elbrus::procedure* p;

  std::size_t num_nodes() const { return p->num_nodes(); }

  node_id entry() const { return p->entry(); }

  auto successors(node_id n) const { return p->successors(n); }

  auto predecessors(node_id n) const { return p->predecessors(n); }

  std::size_t num_edges() const { return p->num_edges(); }

  auto out_edges(node_id n) const { return p->out_edges(n); }

  auto in_edges(node_id n) const { return p->in_edges(n); }

  node_id edge_source(edge_id e) const { return p->edge_source(e); }

  node_id edge_target(edge_id e) const { return p->edge_target(e); }

  std::uint64_t epoch() const { return 1; }
};

// mistake: `epoch()` of the graph stays as it is when an editor changes the flow
// run-time: violation: an epoch\(\) that every change of nodes and edges changes
RUN(epoch_stands_still) {
  struct my_editor : midend::elbrus::editor {
    uncounted_flow flow;

    explicit my_editor(midend::elbrus::procedure& p) : editor(p), flow{&p} {}

    const uncounted_flow& graph() const { return flow; }
  };

  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::split_critical_edges(editor));
}

// mistake: `same_operation` does not look at the numbers of literals
// run-time: violation: same_operation\(v, other, w\) that is false for literals of different constants
RUN(same_operation_without_numbers) {
  struct my_editor : midend::elbrus::editor {
    using editor::editor;

    bool same_operation(value_id v, const my_editor& other, value_id w) const {
      return operation(v).code == other.operation(w).code;
    }
  };

  edited e;
  const my_editor editor(e.program.procedures[0]);
  use(midend::verify_removal(editor, editor, midend::removal_witness()));
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

// mistake: `may_redirect` is not `const`: every edge would be redirected
// compile-time: midend: `may_redirect`
#ifdef MISTAKE_may_redirect_not_const
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  bool may_redirect(edge_id) { return false; }
};

RUN(may_redirect_not_const) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::simplify_loops(editor));
}
#endif

// mistake: `may_split` takes the two nodes: every edge would be split
// compile-time: midend: `may_split`
#ifdef MISTAKE_may_split_of_two_nodes
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  bool may_split(node_id, node_id) const { return false; }
};

RUN(may_split_of_two_nodes) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::split_critical_edges(editor));
}
#endif

// mistake: The same, in a plan
// compile-time: midend: `may_split`
#ifdef MISTAKE_may_split_of_two_nodes_planned
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  bool may_split(node_id, node_id) const { return false; }
};

RUN(may_split_of_two_nodes_planned) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::plan_split_critical_edges(editor));
}
#endif

// mistake: `may_insert_phi` is not const, in an editor of `close_loops`: every value would get phis
// compile-time: midend: `may_insert_phi`
#ifdef MISTAKE_may_insert_phi_not_const
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  bool may_insert_phi(midend::value_id) { return false; }
};

RUN(may_insert_phi_not_const) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::close_loops(editor));
}
#endif

// mistake: `may_insert_phi` returns the reason as a text
// compile-time: midend: `may_insert_phi`.*may_insert_phi\(midend::
#ifdef MISTAKE_may_insert_phi_returns_a_reason
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  const char* may_insert_phi(value_id) const { return nullptr; }
};

RUN(may_insert_phi_returns_a_reason) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::close_loops(editor));
}
#endif

// mistake: `may_insert_phi` takes the node, too
// compile-time: midend: `may_insert_phi`.*may_insert_phi\(midend::
#ifdef MISTAKE_may_insert_phi_by_node
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  bool may_insert_phi(node_id, value_id) const { return false; }
};

RUN(may_insert_phi_by_node) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::unify_loop_exits(editor));
}
#endif

// mistake: `reading_nodes` returns nothing, in an editor of `clean_control`
// compile-time: midend: `reading_nodes` of an IR would never be called
#ifdef MISTAKE_reading_nodes_returns_nothing
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  void reading_nodes(value_id) const {}
};

RUN(reading_nodes_returns_nothing) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::clean_control(editor));
}
#endif

// mistake: `operand_operations` returns nothing, in an editor of `remove_dead_code`
// compile-time: midend: `operand_operations` of an IR would never be called
#ifdef MISTAKE_operand_operations_returns_nothing
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  void operand_operations(value_id) const {}
};

RUN(operand_operations_returns_nothing) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::remove_dead_code(editor));
}
#endif

// mistake: `separates_parallel_edges` is not `const`: parallel edges would get different inputs
// compile-time: midend: `separates_parallel_edges` would never be called
#ifdef MISTAKE_separates_parallel_edges_not_const
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  bool separates_parallel_edges() { return true; }
};

RUN(separates_parallel_edges_not_const) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::clean_control(editor));
}
#endif

// mistake: Loops are unrolled that were computed before an edit
// run-time: violation: a loop forest of this graph
RUN(unrolled_with_old_loops) {
  edited e;
  const auto found = midend::dominators_and_loops(e.editor.graph());
  const node_id n = e.editor.create_node(1);
  e.editor.set_jump(n, 1);
  const midend::unrolling_request twice[] = {{0, {midend::unrolling_kind::partial, 2}}};
  use(midend::unroll_loops(e.editor, found.loops, twice));
}

// mistake: A loop is unrolled that the function does not have
// run-time: violation: a loop of the forest
RUN(unrolled_loop_is_none) {
  edited e;
  const auto found = midend::dominators_and_loops(e.editor.graph());
  const midend::unrolling_request twice[] = {{1, {midend::unrolling_kind::partial, 2}}};
  use(midend::unroll_loops(e.editor, found.loops, twice));
}

// mistake: A plan of unrolling is applied twice
// run-time: violation: a plan for this graph as it is now
RUN(unrolled_twice) {
  edited e;
  const auto found = midend::dominators_and_loops(e.editor.graph());
  const midend::unrolling_request twice[] = {{0, {midend::unrolling_kind::partial, 2}}};
  const auto plan = midend::plan_unroll_loops(e.editor, found.loops, twice);
  midend::apply_unroll_loops(e.editor, plan);
  midend::apply_unroll_loops(e.editor, plan);
}

// mistake: A loop is unrolled by factor 1
// run-time: one copy is the loop itself
RUN(unrolled_once) {
  edited e;
  const auto found = midend::dominators_and_loops(e.editor.graph());
  const midend::unrolling_request once[] = {{0, {midend::unrolling_kind::partial, 1}}};
  const auto plan = midend::plan_unroll_loops(e.editor, found.loops, once);
  std::printf("%s\n", std::string(midend::to_text(plan.refused[0].why)).c_str());
}

static midend::elbrus::cost_view cost_of(const midend::elbrus::editor& e) {
  return midend::elbrus::cost_view(e.graph());
}

static midend::unrolling_advice advised(const edited& e) {
  const auto found = midend::dominators_and_loops(e.editor.graph());
  return midend::advise_unrolling(cost_of(e.editor), found.loops, 0, midend::e2k_reference_v6());
}

// mistake: A loop is unrolled by a candidate of another advice
// run-time: violation: a candidate of this advice
RUN(unrolled_by_strange_candidate) {
  edited e;
  const auto found = midend::dominators_and_loops(e.editor.graph());
  const midend::unrolling_advice advice = advised(e);
  const midend::unrolling_advice another = advised(e);
  const midend::advised_unrolling request[] = {{&advice, &another.decision()}};
  use(midend::apply_unrolling(e.editor, found.loops, request, cost_of));
}

// mistake: A loop is to be unrolled twice at once
// run-time: violation: one request for each loop
RUN(unrolled_by_two_requests) {
  edited e;
  const auto found = midend::dominators_and_loops(e.editor.graph());
  const midend::unrolling_advice advice = advised(e);
  const midend::advised_unrolling requests[] = {{&advice}, {&advice}};
  use(midend::apply_unrolling(e.editor, found.loops, requests, cost_of));
}

// mistake: `apply_unrolling` with an observer, but without limits
// compile-time: midend: `apply_unrolling` takes limits before an observer
#ifdef MISTAKE_unrolled_without_limits
RUN(unrolled_without_limits) {
  edited e;
  const auto found = midend::dominators_and_loops(e.editor.graph());
  const midend::unrolling_advice advice = advised(e);
  const midend::advised_unrolling requests[] = {{&advice}};
  midend::unobserved observer;
  use(midend::apply_unrolling(e.editor, found.loops, requests, cost_of, observer));
}
#endif

// mistake: Values are numbered, the program is changed, and the plan is made
// run-time: violation: a result of this graph as it is now
RUN(numbered_before_an_edit) {
  edited e;
  const auto found = midend::value_numbering(e.editor);
  const node_id n = e.editor.create_node(1);
  e.editor.set_jump(n, 1);
  use(midend::plan_value_numbering(e.editor, found));
}

// mistake: `loop_ends` is not `const`: no loop would be known to end
// compile-time: midend: `loop_ends`.*loop_ends\(midend::
#ifdef MISTAKE_loop_ends_not_const
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  bool loop_ends(node_id) { return true; }
};

RUN(loop_ends_not_const) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::remove_dead_code(editor));
}
#endif

// mistake: `loop_ends` takes the forest and the loop
// compile-time: midend: `loop_ends`.*loop_ends\(midend::
#ifdef MISTAKE_loop_ends_of_a_loop
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  bool loop_ends(const midend::loop_forest&, midend::loop_id) const { return true; }
};

RUN(loop_ends_of_a_loop) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::plan_remove_dead_code(editor));
}
#endif

// mistake: `loop_ends` returns nothing
// compile-time: midend: `loop_ends`.*loop_ends\(midend::
#ifdef MISTAKE_loop_ends_returns_nothing
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  void loop_ends(node_id) const {}
};

RUN(loop_ends_returns_nothing) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::remove_dead_code(editor));
}
#endif

// mistake: `loop_ends` is a member variable
// compile-time: midend: `loop_ends`.*loop_ends\(midend::
#ifdef MISTAKE_loop_ends_is_a_variable
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  bool loop_ends = true;
};

RUN(loop_ends_is_a_variable) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::remove_dead_code(editor));
}
#endif

// mistake: `may_trap_without_promises` is not `const`
// compile-time: midend: `may_trap_without_promises`.*may_trap_without_promises\(midend::
#ifdef MISTAKE_traps_without_promises_not_const
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  bool may_trap_without_promises(value_id) { return false; }
};

RUN(traps_without_promises_not_const) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::hoist_invariants(editor));
}
#endif

// mistake: `may_trap_without_promises` returns the reason as a text
// compile-time: midend: `may_trap_without_promises`.*may_trap_without_promises\(midend::
#ifdef MISTAKE_traps_without_promises_is_a_reason
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  const char* may_trap_without_promises(value_id) const { return nullptr; }
};

RUN(traps_without_promises_is_a_reason) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::hoist_invariants(editor));
}
#endif

// mistake: `may_trap_without_promises` takes the place, too
// compile-time: midend: `may_trap_without_promises`.*may_trap_without_promises\(midend::
#ifdef MISTAKE_traps_without_promises_of_a_place
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  bool may_trap_without_promises(value_id, midend::place) const { return false; }
};

RUN(traps_without_promises_of_a_place) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::plan_hoist_invariants(editor, midend::dominator_tree(), midend::loop_forest()));
}
#endif

// mistake: `is_repeatable` is not `const`: slots would leave loops
// compile-time: midend: `is_repeatable`.*is_repeatable\(midend::
#ifdef MISTAKE_is_repeatable_does_not_fit
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  bool is_repeatable(value_id) { return false; }
};

RUN(is_repeatable_does_not_fit) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::hoist_invariants(editor));
}
#endif

// mistake: `is_convergent` is not `const`: barriers would be copied
// compile-time: midend: `is_convergent`.*is_convergent\(midend::
#ifdef MISTAKE_is_convergent_does_not_fit
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  bool is_convergent(value_id) { return true; }
};

RUN(is_convergent_does_not_fit) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::rotate_loops(editor));
}
#endif

// mistake: `is_removable` returns the reason as a text
// compile-time: midend: `is_removable`.*is_removable\(midend::
#ifdef MISTAKE_is_removable_does_not_fit
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  const char* is_removable(value_id) const { return nullptr; }
};

RUN(is_removable_does_not_fit) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::remove_dead_code(editor));
}
#endif

// mistake: `accepts_operations` takes the value, too
// compile-time: midend: `accepts_operations`.*accepts_operations\(midend::
#ifdef MISTAKE_accepts_operations_does_not_fit
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  bool accepts_operations(node_id, value_id) const { return false; }
};

RUN(accepts_operations_does_not_fit) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::hoist_invariants(editor));
}
#endif

/// The effects rung without `is_terminator`; the operations of an IR whose branches are values.
struct without_terminators : right_ssa {
  midend::effect_kind effect(value_id) const { return midend::effect_kind::none; }

  bool may_trap(value_id) const { return false; }

  bool may_not_return(value_id) const { return false; }

  bool may_duplicate(value_id) const { return true; }

  bool is_volatile(value_id) const { return false; }
};

// mistake: `is_terminator` is forgotten: branches and returns would be dead code
// compile-time: midend: an IR with effects needs `bool is_terminator
#ifdef MISTAKE_terminators_forgotten
RUN(terminators_forgotten) {
  use(midend::plan_remove_dead_code(without_terminators{}));
}
#endif

// mistake: The same; `check_ir`
// compile-time: midend: an IR with effects needs `bool is_terminator
#ifdef MISTAKE_terminators_forgotten_checked
RUN(terminators_forgotten_checked) {
  use(midend::check_ir(without_terminators{}));
}
#endif

/// What a front end has: blocks and phis, and no statements.
struct front_end {
  midend::csr_graph g = midend::csr_graph::from_edges(3, 0, std::vector<midend::edge>{{0, 1}, {1, 1}, {1, 2}}).value();
  value_id next = 100;

  const midend::csr_graph& graph() const { return g; }

  value_id insert_variable_phi(node_id, variable_id) { return next++; }

  void set_phi_input(value_id, edge_id, value_id) {}

  value_id undefined_value(variable_id) { return next++; }

  void replace_uses(value_id, value_id) {}

  void erase_value(value_id) {}
};

// mistake: A front end builds SSA form on the fly, without statements
// works
RUN(front_end_without_statements) {
  front_end editor;
  midend::on_the_fly_ssa ssa(editor);
  ssa.seal(0);
  ssa.write_variable(0, 0, 7);
  const value_id read = ssa.read_variable(0, 1);
  ssa.write_variable(0, 1, read);
  ssa.seal(1);
  ssa.seal(2);
  EXPECT(ssa.read_variable(0, 2) == 7);
}

// mistake: The same, where `insert_variable_phi` takes a type
// compile-time: midend: an editor needs `midend::value_id insert_variable_phi
#ifdef MISTAKE_front_end_phi_of_a_type
struct typed_front_end : front_end {
  value_id insert_variable_phi(node_id, const char*) { return next++; }
};

RUN(front_end_phi_of_a_type) {
  typed_front_end editor;
  midend::on_the_fly_ssa ssa(editor);
}
#endif

// mistake: `may_redirect` returns nothing, in an editor of `apply_sccp`
// compile-time: midend: `may_redirect`
#ifdef MISTAKE_may_redirect_returns_nothing
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  void may_redirect(edge_id) const {}
};

RUN(may_redirect_returns_nothing) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  midend::apply_sccp(editor, midend::plan_sccp(editor, midend::sccp(editor)));
}
#endif

// mistake: `may_duplicate` returns the reason as a text
// compile-time: midend: .*bool may_duplicate
#ifdef MISTAKE_may_duplicate_is_a_reason
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  const char* may_duplicate(value_id) const { return nullptr; }
};

RUN(may_duplicate_is_a_reason) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::rotate_loops(editor));
}
#endif

// mistake: The same, where it is optional
// compile-time: midend: .*may_duplicate
#ifdef MISTAKE_may_duplicate_is_a_reason_optional
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  const char* may_duplicate(value_id) const { return nullptr; }
};

RUN(may_duplicate_is_a_reason_optional) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::close_loops(editor));
}
#endif

// mistake: `is_terminator` is not `const`: branches would be removed
// compile-time: midend: .*is_terminator
#ifdef MISTAKE_is_terminator_not_const
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  bool is_terminator(value_id) { return false; }
};

RUN(is_terminator_not_const) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::remove_dead_code(editor));
}
#endif

// mistake: The same, in a plan
// compile-time: midend: .*is_terminator
#ifdef MISTAKE_is_terminator_planned
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  bool is_terminator(value_id) { return false; }
};

RUN(is_terminator_planned) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::plan_remove_dead_code(editor));
}
#endif

// mistake: `set_count` takes the block: the profile would be lost
// compile-time: midend: .*void set_count
#ifdef MISTAKE_set_count_of_a_pointer
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  void set_count(void*, std::optional<std::uint64_t>) {}
};

RUN(set_count_of_a_pointer) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::simplify_loops(editor));
}
#endif

// mistake: A profile that cannot be changed: it would be wrong after the edit
// compile-time: midend: .*void set_count
#ifdef MISTAKE_counts_are_not_set
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  void set_count() {}
};

RUN(counts_are_not_set) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::rotate_loops(editor));
}
#endif

// mistake: `set_probability` without the probability
// compile-time: midend: .*void set_probability
#ifdef MISTAKE_set_probability_without_value
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  void set_probability(edge_id) {}
};

RUN(set_probability_without_value) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::simplify_loops(editor));
}
#endif

// mistake: The count of an edge, of an IR without a profile
// compile-time: midend: a profile needs .*count
#ifdef MISTAKE_edge_count_of_no_profile
RUN(edge_count_of_no_profile) {
  const right_editor editor;
  use(midend::edge_count(editor, editor.graph(), 0));
}
#endif

// mistake: `set_operand` without the position
// compile-time: midend: .*void set_operand
#ifdef MISTAKE_set_operand_by_user
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  void set_operand(value_id, value_id) {}
};

RUN(set_operand_by_user) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::remove_dead_code(editor));
}
#endif

// mistake: `undefined_like` takes nothing; `repair_ssa`
// compile-time: midend: .*undefined_like
#ifdef MISTAKE_undefined_like_of_a_width
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  value_id undefined_like() { return no_value; }
};

RUN(undefined_like_of_a_width) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  midend::flat_array<value_id> inserted;
  midend::repair_ssa(editor, {}, inserted);
}
#endif

// mistake: `node_of` returns an optional
// compile-time: midend: .*node_of
#ifdef MISTAKE_node_of_is_an_optional
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  std::optional<node_id> node_of(value_id) const { return std::nullopt; }
};

RUN(node_of_is_an_optional) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::close_loops(editor));
}
#endif

// mistake: `edge_case` returns a number for each edge; `clean_control`
// compile-time: midend: .*edge_case
#ifdef MISTAKE_edge_case_always_returned_control
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  std::uint64_t edge_case(edge_id) const { return 0; }
};

RUN(edge_case_always_returned_control) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::clean_control(editor));
}
#endif

// mistake: The same, in a plan
// compile-time: midend: .*edge_case
#ifdef MISTAKE_edge_case_planned
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  std::uint64_t edge_case(edge_id) const { return 0; }
};

RUN(edge_case_planned) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::plan_clean_control(editor));
}
#endif

// mistake: `erase_end` takes node and terminator; `apply_clean_control`
// compile-time: midend: .*void erase_end
#ifdef MISTAKE_erase_end_by_terminator
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  void erase_end(node_id, value_id) {}
};

RUN(erase_end_by_terminator) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::apply_clean_control(editor, midend::control_plan()));
}
#endif

// mistake: Whole nodes are passed over, but `is_read_elsewhere` and others are missing; `clean_control`
// compile-time: midend: .*is_read_elsewhere
#ifdef MISTAKE_cleaning_without_is_read_elsewhere
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  void pass_over(node_id) {}
};

RUN(cleaning_without_is_read_elsewhere) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::clean_control(editor));
}
#endif

// mistake: `insert_phi` takes only the node; `apply_rotate_loops`
// compile-time: midend: .*insert_phi
#ifdef MISTAKE_insert_phi_without_like
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  value_id insert_phi(node_id) { return no_value; }
};

RUN(insert_phi_without_like) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::apply_rotate_loops(editor, midend::rotation_plan()));
}
#endif

// mistake: `restore_value` without the place; `recording_editor`
// compile-time: midend: .*void restore_value
#ifdef MISTAKE_restore_value_without_place
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  void restore_value(value_id) {}
};

RUN(restore_value_without_place) {
  edited e;
  midend::recording_editor<my_editor> editor(e.program.procedures[0]);
}
#endif

// mistake: `erase_nodes` takes a vector; `replay`
// compile-time: midend: .*void erase_nodes
#ifdef MISTAKE_erase_nodes_takes_a_vector
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  void erase_nodes(const std::vector<node_id>&) {}
};

RUN(erase_nodes_takes_a_vector) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  midend::replay(midend::edit_log<midend::constant_of<my_editor>>(), editor);
}
#endif

// mistake: `same_operation` compares two values of one program; `verify_unfolding`
// compile-time: midend: .*same_operation
#ifdef MISTAKE_same_operation_of_one
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  bool same_operation(value_id, value_id) const { return true; }
};

RUN(same_operation_of_one) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::verify_unfolding(editor, editor, midend::unfolding_witness()));
}
#endif

// mistake: `same_operation` is missing; `verify_removal`
// compile-time: midend: .*same_operation
#ifdef MISTAKE_same_operation_missing
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  bool same_operation(value_id, const my_editor&, value_id) const = delete;
};

RUN(same_operation_missing) {
  edited e;
  my_editor editor(e.program.procedures[0]);
  use(midend::verify_removal(editor, editor, midend::removal_witness()));
}
#endif

// mistake: `describe` is missing; a certificate with a frozen program
// compile-time: midend: an IR that is compared with a frozen program needs
#ifdef MISTAKE_frozen_without_describe
struct my_editor : midend::elbrus::editor {
  using editor::editor;

  void describe(value_id, midend::operation_description&) const = delete;
};

RUN(frozen_without_describe) {
  edited e;
  const midend::flat_program before = midend::frozen(e.editor);
  my_editor editor(e.program.procedures[0]);
  use(midend::verify_removal(before, editor, midend::removal_witness()));
}
#endif

// mistake: A plan of rotations, of an IR without effects
// compile-time: midend: .*num_values
#ifdef MISTAKE_rotation_without_effects
RUN(rotation_without_effects) {
  const right_editor editor;
  use(midend::plan_rotate_loops(editor, midend::loop_forest()));
}
#endif

// mistake: `unfolding` of a view that cannot be changed
// compile-time: midend: an editor needs
#ifdef MISTAKE_unfolding_of_a_view
RUN(unfolding_of_a_view) {
  const edited e;
  midend::unfolding<const midend::elbrus::editor> u(e.editor);
}
#endif

/// A member of a package that orders the same for each addition.
struct ordering {
  static constexpr const char* name = "ordering";
  midend::package_order order;

  template <class Context> midend::package_order visit(Context& context, value_id v) const {
    const auto& ir = context.ir();
    return !ir.is_phi(v) && ir.operation(v).code == midend::operation::add ? order : midend::package_order();
  }
};

static void run_ordering(const midend::package_order& order) {
  edited e;
  midend::elbrus::cost_editor editor(e.program.procedures[0]);
  midend::managed_package package{ordering{order}};
  use(package.run(editor));
}

// mistake: A member of a package orders a value that the program does not have
// run-time: violation: an order names a value of the program
RUN(order_of_no_value) {
  run_ordering(midend::package_order::to_existing(1000, "not there"));
}

// mistake: The same, as an operand of a tree
// run-time: violation: an order names a value of the program
RUN(tree_of_no_value) {
  auto order = midend::package_order::to_tree("not there");
  use(order.add({midend::operation::neg, 32, 32, {}}, midend::order_operand::value(1000)));
  run_ordering(order);
}

// mistake: An operation of an ordered tree reads one that is not before it
// run-time: violation: made before it is read
RUN(tree_reads_later) {
  auto order = midend::package_order::to_tree("in the wrong order");
  use(order.add({midend::operation::neg, 32, 32, {}}, midend::order_operand::made(1)));
  run_ordering(order);
}

// mistake: A tree of nine operations
// run-time: violation: a small tree
RUN(tree_too_large) {
  auto order = midend::package_order::to_tree("too many");
  auto last = midend::order_operand::number(32, 1);
  for (int i = 0; i != 9; ++i) {
    last = order.add({midend::operation::neg, 32, 32, {}}, last);
  }
}

// mistake: A plan of redundant loads and stores is applied after the program has changed
// run-time: violation: a plan for this graph as it is now
RUN(memory_plan_out_of_date) {
  edited e;
  midend::elbrus::cost_editor editor(e.program.procedures[0]);
  const auto plan = midend::plan_memory_redundancy(editor);
  const node_id n = editor.create_node(1);
  editor.set_jump(n, 1);
  use(midend::apply_memory_redundancy(editor, plan));
}

// mistake: A member of a package without a name
// compile-time: midend: a member of a package has no name; write `static constexpr const char\* name
#ifdef MISTAKE_member_without_name
struct nameless {
  template <class Context> midend::package_order visit(Context&, value_id) const { return {}; }
};

RUN(member_without_name) {
  midend::managed_package package{nameless()};
  use(package);
}
#endif
