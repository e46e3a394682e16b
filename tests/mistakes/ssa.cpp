// Natural mistakes in views of code in SSA form.
#include "right_ssa.hpp"

// mistake: (nothing is wrong with the view from which the mistakes depart)
// works
RUN(right_view) {
  const right_ssa ir;
  EXPECT(!midend::check_ir(ir));
  EXPECT(midend::sccp_with_branch_facts(ir, midend::number_domain(), {}).constant(5) == std::nullopt);
  EXPECT(midend::sccp(ir).is_executable(3));
}

// mistake: A phi after other values of its block
// run-time: v5 in block 1 is a phi after other values
RUN(phi_after_others) {
  right_ssa ir;
  ir.nodes[1] = {6, 5, 7};
  says(midend::check_ir(ir));
}

// mistake: Values are listed in another order than they are computed
// run-time: v11 in block 2: operand 0, v8, is not computed
RUN(values_out_of_order) {
  right_ssa ir;
  ir.v.push_back({.operands = {8, 8}, .info = {operation::add, 32, 32, {}}});
  ir.nodes[2] = {11, 8, 9};
  says(midend::check_ir(ir));
}

// mistake: The inputs of a phi are in the order of an own list of predecessors, which is not that of `in_edges`
// run-time: v5 in block 1: the input along edge 0, v8, is not computed on every path
RUN(phi_inputs_in_another_order) {
  right_ssa ir;
  ir.v[5].operands = {8, 0};
  says(midend::check_ir(ir));
}

// mistake: `phi_input` takes the number of an edge for the position of an input
// run-time: v5 in block 1: the input along edge 3
RUN(phi_input_by_edge_number) {
  struct view : right_ssa {
    value_id phi_input(value_id x, edge_id e) const { return e < v[x].operands.size() ? v[x].operands[e] : no_value; }
  };

  says(midend::check_ir(view{}));
}

// mistake: An input of a phi is missing
// run-time: v5 in block 1: the input along edge 3 is not set
RUN(phi_input_missing) {
  right_ssa ir;
  ir.v[5].operands = {0, no_value};
  says(midend::check_ir(ir));
}

// mistake: `operands` of a phi leaves out its inputs
// run-time: v5 in block 1: the input along edge 0, v0, is not in operands
RUN(phi_without_operands) {
  struct view : right_ssa {
    std::vector<value_id> operands(value_id x) const { return v[x].is_phi ? std::vector<value_id>() : v[x].operands; }
  };

  says(midend::check_ir(view{}));
}

// mistake: `operands` of a phi also lists its blocks, as numbers
// run-time: v5 in block 1: operand 2
RUN(phi_lists_blocks) {
  right_ssa ir;
  ir.v[5].operands = {0, 8, 1, 2};
  says(midend::check_ir(ir));
}

// mistake: Phis with one input for each predecessor, and parallel edges
// works
RUN(phi_input_for_each_predecessor) {
  right_ssa ir;
  const std::vector<midend::edge> edges{{0, 1}, {0, 1}, {1, 2}, {1, 3}, {2, 1}};
  ir.g = midend::csr_graph::from_edges(4, 0, edges).value();
  ir.conditions[0] = 3;
  ir.cases = {1, std::nullopt, 1, 0, std::nullopt};

  struct view : right_ssa {
    value_id phi_input(value_id x, edge_id e) const { return v[x].operands[g.edge_source(e) == 0 ? 0 : 1]; }
  };

  const view by_predecessor{ir};
  EXPECT(!midend::check_ir(by_predecessor));
  EXPECT(midend::sccp(by_predecessor).is_executable(3));
}

// mistake: A phi in the entry block
// run-time: v5 in block 0 is a phi in the entry
RUN(phi_in_the_entry) {
  right_ssa ir;
  const std::vector<midend::edge> edges{{0, 1}, {0, 2}, {1, 0}};
  ir.g = midend::csr_graph::from_edges(3, 0, edges).value();
  ir.nodes = {{5, 6, 7}, {8, 9}, {10}};
  ir.conditions = {6, no_value, no_value};
  ir.cases = {1, 0, std::nullopt};
  says(midend::check_ir(ir));
}

// mistake: A value in two blocks
// run-time: v8 is in block 2 and in block 3
RUN(value_in_two_blocks) {
  right_ssa ir;
  ir.nodes[3] = {8, 10};
  says(midend::check_ir(ir));
}

// mistake: A value that `values` lists in no block
// run-time: v5: operand 1, v8, is computed, but values\(\) of no node lists it
RUN(value_in_no_block) {
  right_ssa ir;
  ir.nodes[2] = {9};
  says(midend::check_ir(ir));
}

// mistake: No operand is -1; `check_ir`
// run-time: v8: operand 2 is no_value: leave it out
RUN(operand_minus_1_checked) {
  right_ssa ir;
  ir.v[8].operands.push_back(no_value);
  says(midend::check_ir(ir));
}

// mistake: An operand out of range; `sccp`
// run-time: violation:
RUN(operand_out_of_range_sccp) {
  right_ssa ir;
  ir.v[10].operands = {99};
  use(midend::sccp(ir));
}

// mistake: An operand out of range; live values
// run-time: violation:
RUN(operand_out_of_range_live) {
  right_ssa ir;
  ir.v[10].operands = {99};
  use(midend::live_values(ir));
}

// mistake: `is_live_in` of the block and the value
// run-time: violation: is_live_in\(value, node\) of a node of the graph
RUN(live_in_with_the_block_first) {
  right_ssa ir;
  use(midend::live_values(ir).is_live_in(2, 8));
}

// mistake: Values are numbered from 1
// run-time: v5 in block 0 is a phi in the entry
RUN(values_counted_from_1) {
  right_ssa ir;
  ir.nodes = {{5}, {6, 7, 8}, {9, 10}, {11}};
  says(midend::check_ir(ir));
}

// mistake: A value in a block that does not exist; `sccp`
// run-time: violation:
RUN(value_out_of_range_sccp) {
  right_ssa ir;
  ir.nodes[3] = {10, 11};
  use(midend::sccp(ir));
}

// mistake: `users` forgets a reader
// run-time: v5: v10 reads it as operand 0, but users\(\) does not list it
RUN(user_missing) {
  struct view : right_ssa {
    std::vector<value_id> users(value_id x) const {
      std::vector<value_id> found;
      for (value_id reader = 0; reader != 10; ++reader) {
        for (const value_id read : v[reader].operands) {
          if (read == x) {
            found.push_back(reader);
          }
        }
      }
      return found;
    }
  };

  says(midend::check_ir(view{}));
}

// mistake: A use before its definition
// run-time: v10 in block 3: operand 0, v8, is not computed on every path
RUN(use_not_dominated) {
  right_ssa ir;
  ir.v[10].operands = {8};
  says(midend::check_ir(ir));
}

// mistake: `condition` returns the branch instead of what it reads
// run-time: v7: its width is 0
RUN(condition_is_the_branch) {
  right_ssa ir;
  ir.conditions[1] = 7;
  ir.v[7].info = {operation::other, 0, 0, {}};
  says(midend::check_ir(ir));
}

// mistake: `condition` of a jump is value 0
// run-time: block 0: the only edge, 0, has an edge_case
RUN(condition_of_a_jump) {
  right_ssa ir;
  ir.conditions[0] = 0;
  ir.cases[0] = 1;
  says(midend::check_ir(ir));
}

// mistake: A condition out of range; `sccp`
// run-time: violation:
RUN(condition_out_of_range_sccp) {
  right_ssa ir;
  ir.conditions[1] = 99;
  use(midend::sccp(ir));
}

// mistake: A condition out of range; `value_numbering`
// run-time: violation:
RUN(condition_out_of_range_numbers) {
  right_ssa ir;
  ir.conditions[1] = 99;
  use(midend::value_numbering(ir));
}

// mistake: A condition out of range; live values
// run-time: violation:
RUN(condition_out_of_range_live) {
  right_ssa ir;
  ir.conditions[1] = 99;
  use(midend::live_values(ir));
}

// mistake: An operand out of range; `value_numbering`
// run-time: violation:
RUN(operand_out_of_range_numbers) {
  right_ssa ir;
  ir.v[10].operands = {8, 99};
  use(midend::value_numbering(ir));
}

// mistake: A fact of a value that the program does not have
// run-time: violation:
RUN(fact_out_of_range) {
  use(midend::sccp(right_ssa{}).fact(11));
}

// mistake: A phi is marked in a block that nothing reaches
// works
RUN(unreachable_phi) {
  right_ssa ir;
  const std::vector<midend::edge> edges{{0, 1}, {1, 2}, {1, 3}, {2, 1}, {4, 3}};
  ir.g = midend::csr_graph::from_edges(5, 0, edges).value();
  ir.nodes.push_back({});
  ir.conditions.push_back(no_value);
  ir.cases.push_back(std::nullopt);
  EXPECT(!midend::check_ir(ir) && !midend::sccp(ir).is_executable(4));
}

// mistake: `is_phi` returns `int`, as C code does
// works
RUN(is_phi_returns_int) {
  struct view : right_ssa {
    int is_phi(value_id x) const { return v[x].is_phi ? 4 : 0; }
  };

  EXPECT(midend::sccp(view{}).is_executable(3) && !midend::check_ir(view{}));
}

// mistake: Literals are among the values of a block
// works
RUN(literals_in_blocks) {
  right_ssa ir;
  ir.nodes[0] = {0, 1, 2, 3, 4};
  EXPECT(!midend::check_ir(ir) && midend::sccp(ir).constant(2) == 10u);
}

// mistake: `values` has no terminators
// works
RUN(no_terminators) {
  right_ssa ir;
  ir.nodes = {{}, {5, 6}, {8}, {10}};
  EXPECT(!midend::check_ir(ir) && midend::sccp(ir).is_executable(3));
}

// mistake: The terminator itself compares and is the condition
// works
RUN(terminator_compares) {
  right_ssa ir;
  ir.nodes[1] = {5, 6};
  EXPECT(!midend::check_ir(ir));
}

// mistake: Lists by value
// works
RUN(lists_by_value) {
  struct view : right_ssa {
    std::vector<int> operands(value_id x) const { return {v[x].operands.begin(), v[x].operands.end()}; }

    std::vector<value_id> values(node_id n) const { return nodes[n]; }
  };

  EXPECT(!midend::check_ir(view{}) && midend::sccp(view{}).is_executable(3));
}

// ---- What does not compile.

// mistake: `phi_input` takes the predecessor's handle
// compile-time: midend: .*phi_input
#ifdef MISTAKE_phi_input_of_a_block
struct view : right_ssa {
  value_id phi_input(value_id, const value*) const { return 0; }
};

RUN(phi_input_of_a_block) {
  use(midend::sccp(view{}));
}
#endif

// mistake: `phi_input` returns an optional
// compile-time: midend: .*phi_input
#ifdef MISTAKE_phi_input_optional
struct view : right_ssa {
  std::optional<value_id> phi_input(value_id, edge_id) const { return 0; }
};

RUN(phi_input_optional) {
  use(midend::sccp(view{}));
}
#endif

// mistake: `graph` returns the blocks
// compile-time: midend: .*graph
#ifdef MISTAKE_graph_is_a_list
struct view : right_ssa {
  const std::vector<std::vector<value_id>>& graph() const { return nodes; }
};

RUN(graph_is_a_list) {
  use(midend::sccp(view{}));
}
#endif

// mistake: `num_values` is a data member
// compile-time: midend: .*num_values
#ifdef MISTAKE_num_values_is_data
struct view : right_ssa {
  std::size_t num_values = 11;
};

RUN(num_values_is_data) {
  use(midend::sccp(view{}));
}
#endif
