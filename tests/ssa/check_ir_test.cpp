// check_ir.hpp: one planted fault for each reason, found at its place; what is allowed; damage of any kind.
#include "kit/affordable.hpp"
#include "kit/print.hpp"
#include "kit/small_stack.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/graph/csr_graph.hpp>
#include <midend/ir/cost.hpp>
#include <midend/ir/expressions.hpp>
#include <midend/ir/ir_error.hpp>
#include <midend/ssa/check_ir.hpp>
#include <midend/viz/ir_errors.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

using namespace midend_tests;
using midend::check_ir;
using midend::ir_error;
using midend::no_edge;
using midend::no_value;
using midend::operation;
using midend::operation_info;
using midend::value_id;
using reason = ir_error::reason;

namespace {

/// A graph that says what it is told to say.
struct told_graph {
  std::vector<std::vector<node_id>> out;
  std::vector<std::vector<edge_id>> out_ids;
  std::vector<edge> ends;
  node_id first = 0;

  std::size_t num_nodes() const { return out.size(); }

  node_id entry() const { return first; }

  const std::vector<node_id>& successors(node_id n) const { return out.at(n); }

  std::size_t num_edges() const { return ends.size(); }

  const std::vector<edge_id>& out_edges(node_id n) const { return out_ids.at(n); }

  node_id edge_source(edge_id e) const { return ends.at(e).source; }

  node_id edge_target(edge_id e) const { return ends.at(e).target; }
};

struct told_value {
  std::vector<value_id> operands = {};
  bool phi = false;
  operation_info info = {operation::other, 32, 32, {}};
  std::vector<value_id> inputs = {}; ///< by edge
  std::optional<std::uint64_t> constant = {};
  std::optional<midend::number_range> bounds = {};
  bool opaque = false;
  std::optional<midend::operation_class> cost = {};
  midend::effect_kind effect = midend::effect_kind::none;
  midend::memory_reference memory = {};
  midend::guard_of_value guard = {};
  operation_info unguarded = {};
  bool never_returns = false;
  bool may_not_return = false;
  bool is_volatile = false;
  bool terminator = false;
};

struct told_statement {
  std::vector<midend::variable_id> definitions;
  std::vector<midend::variable_id> uses;
  std::vector<midend::variable_id> may_definitions;
  midend::expression_id expression = midend::no_expression;
};

/// Models every reading rung and says what it is told to say. A question that `check_ir` promises not to ask fails.
struct told_ir {
  using constant_type = std::uint64_t;

  told_graph cfg;
  std::vector<told_value> all;
  std::vector<std::vector<value_id>> code;
  std::vector<std::vector<value_id>> readers;
  std::vector<value_id> outside;
  std::vector<value_id> conditions;
  std::vector<std::optional<std::uint64_t>> cases;
  std::vector<double> probabilities;
  std::vector<told_statement> steps;
  std::vector<std::vector<midend::statement_id>> order;
  std::vector<std::vector<midend::variable_id>> expressions;
  std::size_t values_told = 0; ///< if not 0: what the counts say
  std::size_t statements_told = 0;
  std::size_t variables_told = 4;
  std::size_t expressions_told = 0;

  const told_graph& graph() const { return cfg; }

  std::size_t num_values() const { return values_told != 0 ? values_told : all.size(); }

  const std::vector<value_id>& values(node_id n) const { return code.at(n); }

  const std::vector<value_id>& parameters() const { return outside; }

  const std::vector<value_id>& operands(value_id v) const { return all.at(v).operands; }

  const std::vector<value_id>& users(value_id v) const { return readers.at(v); }

  bool is_phi(value_id v) const { return all.at(v).phi; }

  value_id phi_input(value_id v, edge_id e) const {
    REQUIRE(is_phi(v));
    const std::vector<value_id>& here = code.at(cfg.edge_target(e));
    REQUIRE(std::find(here.begin(), here.end(), v) != here.end());
    return all.at(v).inputs.at(e);
  }

  value_id condition(node_id n) const { return conditions.at(n); }

  operation_info operation(value_id v) const { return all.at(v).info; }

  std::optional<std::uint64_t> constant(value_id v) const { return all.at(v).constant; }

  std::optional<std::uint64_t> fold(value_id, midend::span<const std::uint64_t>) const { return std::nullopt; }

  std::optional<std::uint64_t> edge_case(edge_id e) const {
    REQUIRE(conditions.at(cfg.edge_source(e)) != no_value);
    return cases.at(e);
  }

  std::optional<midend::number_range> bounds(value_id v) const { return all.at(v).bounds; }

  bool is_opaque(value_id v) const { return all.at(v).opaque; }

  std::optional<midend::operation_class> cost(value_id v) const { return placed(v).cost; }

  midend::effect_kind effect(value_id v) const { return placed(v).effect; }

  std::optional<midend::memory_reference> memory(value_id v) const {
    REQUIRE((effect(v) == midend::effect_kind::reads || effect(v) == midend::effect_kind::writes));
    return placed(v).memory;
  }

  midend::guard_of_value guard(value_id v) const { return placed(v).guard; }

  operation_info unguarded(value_id v) const { return placed(v).unguarded; }

  bool never_returns(value_id v) const { return all.at(v).never_returns; }

  bool may_trap(value_id v) const { return effect(v) != midend::effect_kind::none; }

  bool may_not_return(value_id v) const { return placed(v).may_not_return; }

  bool may_duplicate(value_id) const { return true; }

  bool is_volatile(value_id v) const { return placed(v).is_volatile; }

  bool is_terminator(value_id v) const { return placed(v).terminator; }

  double probability(edge_id e) const { return probabilities.at(e); }

  std::size_t num_statements() const { return statements_told != 0 ? statements_told : steps.size(); }

  const std::vector<midend::statement_id>& statements(node_id n) const { return order.at(n); }

  std::size_t num_variables() const { return variables_told; }

  const std::vector<midend::variable_id>& definitions(midend::statement_id s) const { return steps.at(s).definitions; }

  const std::vector<midend::variable_id>& uses(midend::statement_id s) const { return steps.at(s).uses; }

  const std::vector<midend::variable_id>& may_definitions(midend::statement_id s) const {
    return steps.at(s).may_definitions;
  }

  std::size_t num_expressions() const { return expressions_told != 0 ? expressions_told : expressions.size(); }

  midend::expression_id expression(midend::statement_id s) const { return steps.at(s).expression; }

  const std::vector<midend::variable_id>& expression_operands(midend::expression_id e) const {
    return expressions.at(e);
  }

private:
  /// Of the values that a node lists and that are no phis.
  const told_value& placed(value_id v) const {
    bool listed = false;
    for (const std::vector<value_id>& here : code) {
      listed = listed || std::find(here.begin(), here.end(), v) != here.end();
    }
    REQUIRE((listed && !is_phi(v)));
    return all.at(v);
  }
};

static_assert(midend::cost_ir<told_ir> && midend::expression_ir<told_ir> && midend::effect_ir<told_ir> &&
              midend::has_users<told_ir> && midend::has_parameters<told_ir> && midend::has_guard<told_ir> &&
              midend::has_probability<told_ir> && midend::has_bounds<told_ir> && midend::has_is_opaque<told_ir>);

// The values of `right_ir`.
enum : value_id { a, p, seven, c, jump, x, ld, y, joined, st, wide, guarded, loop, end, num_values_of_right_ir };

/// Fills in the lists of users.
void list_readers(told_ir& ir) {
  ir.readers.assign(ir.all.size(), {});
  for (value_id v = 0; v != ir.all.size(); ++v) {
    for (const value_id operand : ir.all[v].operands) {
      if (operand < ir.all.size()) {
        ir.readers[operand].push_back(v);
      }
    }
  }
}

/// All right. Edges 0: 0 → 1, 1: 0 → 2, 2: 1 → 3, 3: 2 → 3, 4: 3 → 3 and 5: 3 → 4.
///
///     node 0: c = a < 7; jump on c
///     node 1: x = a + 7; ld = load p[x]
///     node 2: y = a · a
///     node 3: joined = phi [2: ld] [3: y] [4: joined]; st = store joined to p; wide = sign-extended joined
///             guarded = c ? wide + wide : wide; loop: switch on joined to 3 if it is 2, else to 4
///     node 4: end
told_ir right_ir() {
  using enum midend::operation_class;
  using enum midend::effect_kind;
  told_ir ir;
  ir.cfg = {
      {{1, 2}, {3}, {3}, {3, 4}, {}}, {{0, 1}, {2}, {3}, {4, 5}, {}}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 3}, {3, 4}}};
  ir.all.resize(num_values_of_right_ir);
  ir.all[a].bounds = midend::number_range{0, 100, true};
  ir.all[p].info.width = 64;
  ir.all[seven].constant = 7;
  ir.all[c] = {.operands = {a, seven}, .info = {operation::less, 1, 32, {}}, .cost = compare};
  ir.all[jump] = {.operands = {c}, .opaque = true, .cost = branch};
  ir.all[x] = {.operands = {a, seven}, .info = {operation::add, 32, 32, {}}, .cost = alu};
  ir.all[ld] = {.operands = {p, x}, .cost = load, .effect = reads, .memory = {.base = p, .index = x, .bytes = 4}};
  ir.all[y] = {.operands = {a, a}, .info = {operation::mul, 32, 32, {}}, .cost = integer_multiply};
  ir.all[joined] = {.operands = {ld, y, joined}, .phi = true, .inputs = {no_value, no_value, ld, y, joined, no_value}};
  ir.all[st] = {.operands = {joined, p},
                .opaque = true,
                .cost = store,
                .effect = writes,
                .memory = {.base = p, .stored = joined, .bytes = 4}};
  ir.all[wide] = {.operands = {joined}, .info = {operation::sign_extend, 64, 32, {}}};
  ir.all[guarded] = {.operands = {wide, wide, c, wide},
                     .info = {operation::other, 64, 64, {}},
                     .cost = alu,
                     .guard = {.predicate = c, .otherwise = wide, .negated = false},
                     .unguarded = {operation::add, 64, 64, {}}};
  ir.all[loop] = {.operands = {joined}, .opaque = true, .cost = branch};
  ir.all[end] = {.opaque = true, .cost = branch};
  for (const value_id v : {jump, loop, end}) {
    ir.all[v].terminator = true;
  }
  ir.code = {{c, jump}, {x, ld}, {y}, {joined, st, wide, guarded, loop}, {end}};
  ir.outside = {a, p};
  ir.conditions = {c, no_value, no_value, joined, no_value};
  ir.cases = {1, 0, {}, {}, 2, {}};
  ir.probabilities = {0.5, 0.5, 1, -1, 0.25, 0.75};
  ir.steps = {{{0}, {1, 2}, {}, 0}, {{1}, {}, {2}, 1}, {{}, {3}, {}, midend::no_expression}};
  ir.order = {{0, 1}, {}, {2}, {}, {}};
  ir.expressions = {{1, 2}, {}};
  list_readers(ir);
  return ir;
}

/// A planted fault, and what is to be found.
struct fault {
  std::function<void(told_ir&)> plant;
  ir_error expected;
};

std::vector<fault> faults() {
  using midend::operation_class;
  const auto big = std::uint64_t{1} << 32;
  return {
      {[](told_ir& ir) { ir.cfg.out[2][0] = 9; },
       {.why = reason::wrong_graph,
        .node = 2,
        .graph = {midend::graph_error::reason::successor_out_of_range, 2, 0, 9}}},

      {[=](told_ir& ir) { ir.values_told = static_cast<std::size_t>(big); },
       {.why = reason::too_many_values, .number = big}},
      {[](told_ir& ir) { ir.all[x].operands[1] = 99; },
       {.why = reason::operand_out_of_range, .value = x, .position = 1, .number = 99}},
      {[](told_ir& ir) { ir.all[x].operands[1] = no_value; },
       {.why = reason::operand_out_of_range, .value = x, .position = 1, .number = no_value}},
      {[](told_ir& ir) { ir.code[1][1] = 99; },
       {.why = reason::value_out_of_range, .node = 1, .position = 1, .number = 99}},
      {[](told_ir& ir) { ir.code[2].push_back(x); },
       {.why = reason::value_in_two_nodes, .node = 2, .value = x, .position = 1, .number = 1}},
      {[](told_ir& ir) { ir.code[3].push_back(st); },
       {.why = reason::value_twice_in_node, .node = 3, .value = st, .position = 5, .number = 1}},
      {[](told_ir& ir) { ir.code[3] = {st, joined, wide, guarded, loop}; },
       {.why = reason::phi_after_other_value, .node = 3, .value = joined, .position = 1}},
      {[](told_ir& ir) {
         ir.all.push_back({.phi = true});
         ir.code[0] = {num_values_of_right_ir, c, jump};
       },
       {.why = reason::phi_in_entry, .node = 0, .value = num_values_of_right_ir, .position = 0}},
      {[](told_ir& ir) { ir.code[1] = {ld}; },
       {.why = reason::operation_in_no_node, .node = 1, .value = ld, .position = 1, .number = x}},
      {[](told_ir& ir) { ir.outside[1] = 99; }, {.why = reason::parameter_out_of_range, .position = 1, .number = 99}},
      {[](told_ir& ir) { ir.outside.push_back(a); }, {.why = reason::parameter_twice, .value = a, .position = 2}},
      {[](told_ir& ir) { ir.outside.push_back(y); },
       {.why = reason::parameter_in_node, .node = 2, .value = y, .position = 2}},
      {[](told_ir& ir) { ir.readers[x][0] = 99; },
       {.why = reason::user_out_of_range, .value = x, .position = 0, .number = 99}},
      {[](told_ir& ir) { ir.readers[x].push_back(ld); },
       {.why = reason::extra_user, .value = x, .position = 1, .number = ld}},
      {[](told_ir& ir) { ir.readers[y].push_back(c); },
       {.why = reason::extra_user, .value = y, .position = 1, .number = c}},
      {[](told_ir& ir) { ir.readers[a].pop_back(); }, // y reads it twice
       {.why = reason::missing_user, .value = a, .position = 1, .number = y}},
      {[](told_ir& ir) { ir.all[joined].inputs[3] = no_value; },
       {.why = reason::phi_input_not_set, .node = 3, .value = joined, .edge = 3, .number = no_value}},
      {[](told_ir& ir) { ir.all[joined].inputs[3] = 99; },
       {.why = reason::phi_input_out_of_range, .node = 3, .value = joined, .edge = 3, .number = 99}},
      {[](told_ir& ir) { ir.all[joined].inputs[2] = x; },
       {.why = reason::phi_input_not_operand, .node = 3, .value = joined, .edge = 2, .number = x}},
      {[](told_ir& ir) { ir.all[joined].operands.push_back(a); },
       {.why = reason::phi_operand_not_input, .node = 3, .value = joined, .position = 3, .number = a}},
      {[](told_ir& ir) { ir.all[joined].operands.push_back(no_value); },
       {.why = reason::phi_operand_not_input, .node = 3, .value = joined, .position = 3, .number = no_value}},
      {[](told_ir& ir) { ir.all[joined].operands = {ld, y, ld, joined}; },
       {.why = reason::phi_operand_too_often, .node = 3, .value = joined, .position = 0, .number = ld}},
      {[](told_ir& ir) { ir.all[st].operands[0] = x; }, // node 1 does not dominate node 3
       {.why = reason::use_not_dominated, .node = 3, .value = st, .position = 0, .number = x}},
      {[](told_ir& ir) { ir.code[1] = {ld, x}; },
       {.why = reason::use_not_dominated, .node = 1, .value = ld, .position = 1, .number = x}},
      {[](told_ir& ir) { ir.all[x].operands[0] = x; },
       {.why = reason::use_not_dominated, .node = 1, .value = x, .position = 0, .number = x}},
      {[](told_ir& ir) { ir.all[joined].inputs[3] = ld; },
       {.why = reason::phi_input_not_available, .node = 3, .value = joined, .edge = 3, .number = ld}},

      {[](told_ir& ir) { ir.conditions[3] = 99; }, {.why = reason::condition_out_of_range, .node = 3, .number = 99}},
      {[](told_ir& ir) { ir.conditions[3] = y; }, {.why = reason::condition_not_available, .node = 3, .value = y}},
      {[](told_ir& ir) { ir.cases[0] = ir.cases[1] = {}; },
       {.why = reason::no_edge_cases, .node = 0, .value = c, .number = 2}},
      {[](told_ir& ir) { // a third edge from node 3, to node 4
         ir.cfg.out[3] = {3, 4, 4};
         ir.cfg.out_ids[3] = {4, 5, 6};
         ir.cfg.ends.push_back({3, 4});
         ir.cases.push_back({});
         ir.probabilities.push_back(0);
       },
       {.why = reason::second_default_edge, .node = 3, .edge = 6, .position = 2}},
      {[](told_ir& ir) { ir.cases[5] = 2; },
       {.why = reason::edge_case_twice, .node = 3, .edge = 5, .position = 1, .number = 2}},
      {[](told_ir& ir) { ir.cases[1] = 2; },
       {.why = reason::edge_case_too_wide, .node = 0, .value = c, .edge = 1, .position = 1, .number = 2}},
      {[](told_ir& ir) {
         ir.conditions[2] = a;
         ir.cases[3] = 1;
       },
       {.why = reason::only_edge_has_case, .node = 2, .value = a, .edge = 3}},
      {[](told_ir& ir) {
         ir.cases[4] = 1;
         ir.cases[5] = 0;
       },
       {.why = reason::cases_miss_values, .node = 3, .value = joined, .number = 32}},
      {[](told_ir& ir) { // neither is for all other values
         ir.conditions[3] = y;
         ir.code[0] = {c, y, jump};
         ir.code[2] = {};
         ir.cases[4] = 0;
         ir.cases[5] = 2;
       },
       {.why = reason::cases_leave_values, .node = 3, .value = y, .number = 1}},

      {[](told_ir& ir) { ir.all[x].info.code = static_cast<operation>(200); },
       {.why = reason::unknown_operation, .value = x, .number = 200}},
      {[](told_ir& ir) { ir.all[x].info.width = 0; }, {.why = reason::width_out_of_range, .value = x, .number = 0}},
      {[](told_ir& ir) { ir.all[p].info.width = 128; }, {.why = reason::width_out_of_range, .value = p, .number = 128}},
      {[](told_ir& ir) { ir.all[c].info.operand_width = 65; },
       {.why = reason::operand_width_out_of_range, .value = c, .number = 65}},
      {[](told_ir& ir) { ir.all[wide].info.width = 16; },
       {.why = reason::conversion_width, .value = wide, .number = 32}},
      {[](told_ir& ir) { ir.all[wide].info = {operation::truncate, 32, 16, {}}; },
       {.why = reason::conversion_width, .value = wide, .number = 16}},
      {[](told_ir& ir) { ir.all[x].info.code = operation::shladd; },
       {.why = reason::too_few_operands, .value = x, .position = 2, .number = 3}},
      {[](told_ir& ir) { ir.all[guarded].unguarded.code = operation::shladd; },
       {.why = reason::too_few_operands, .value = guarded, .position = 2, .number = 3}},
      {[](told_ir& ir) { ir.all[c].info.operand_width = 64; }, // the default: a negative number would be large
       {.why = reason::operand_too_narrow, .value = c, .position = 0, .number = 32}},
      {[](told_ir& ir) { ir.all[c].info.operand_width = 1; }, // the width of the result
       {.why = reason::compares_one_bit, .value = c, .number = 32}},
      {[](told_ir& ir) { ir.all[y].info.width = 16; },
       {.why = reason::phi_input_width, .node = 3, .value = joined, .edge = 3, .number = 16}},
      {[](told_ir& ir) { ir.all[joined].info.code = operation::copy; },
       {.why = reason::operation_of_phi, .value = joined, .number = static_cast<std::uint64_t>(operation::copy)}},
      {[](told_ir& ir) { ir.all[x].opaque = true; },
       {.why = reason::opaque_operation, .value = x, .number = static_cast<std::uint64_t>(operation::add)}},
      {[](told_ir& ir) { ir.all[seven].constant = 0xffff'ffff'ffff'fff9; }, // -7, not cut to 32 bits
       {.why = reason::constant_too_wide, .value = seven, .number = 0xffff'ffff'ffff'fff9}},
      {[](told_ir& ir) { ir.all[a].bounds = midend::number_range{9, 3, false}; },
       {.why = reason::bounds_out_of_order, .value = a, .number = 9}},
      {[](told_ir& ir) { ir.all[a].bounds = midend::number_range{3, 0xffff'ffff, true}; }, // 3 … -1
       {.why = reason::bounds_out_of_order, .value = a, .number = 3}},
      {[=](told_ir& ir) { ir.all[a].bounds = midend::number_range{0, big, false}; },
       {.why = reason::bounds_too_wide, .value = a, .number = big}},

      {[](told_ir& ir) { ir.all[x].cost = static_cast<operation_class>(99); },
       {.why = reason::unknown_class, .value = x, .number = 99}},
      {[](told_ir& ir) { ir.all[x].effect = static_cast<midend::effect_kind>(9); },
       {.why = reason::unknown_effect, .value = x, .number = 9}},
      {[](told_ir& ir) { ir.code[3] = {joined, st, wide, loop, guarded}; },
       {.why = reason::branch_not_last, .node = 3, .value = loop, .position = 3}},
      {[](told_ir& ir) { ir.all[st].never_returns = true; }, {.why = reason::return_disagrees, .value = st}},
      {[](told_ir& ir) { ir.all[loop].cost = operation_class::compare; },
       {.why = reason::terminator_class, .value = loop}},
      {[](told_ir& ir) { ir.all[ld].is_volatile = true; },
       {.why = reason::volatile_disagrees, .value = ld, .number = 0}},
      {[](told_ir& ir) { ir.all[ld].effect = midend::effect_kind::none; },
       {.why = reason::effect_of_load, .value = ld, .number = 0}},
      {[](told_ir& ir) { ir.all[st].effect = midend::effect_kind::reads; },
       {.why = reason::effect_of_store, .value = st, .number = 1}},
      {[](told_ir& ir) { ir.all[ld].memory.index = 99; },
       {.why = reason::memory_out_of_range, .value = ld, .position = 1, .number = 99}},
      {[](told_ir& ir) { ir.all[st].memory.base = y; },
       {.why = reason::memory_not_available, .node = 3, .value = st, .position = 0, .number = y}},
      {[](told_ir& ir) { ir.all[ld].memory.stored = a; }, {.why = reason::load_stores, .value = ld, .number = a}},
      {[](told_ir& ir) { ir.all[st].memory.stored = no_value; }, {.why = reason::store_without_value, .value = st}},
      {[](told_ir& ir) { ir.all[guarded].guard.otherwise = 99; },
       {.why = reason::guard_out_of_range, .value = guarded, .position = 1, .number = 99}},
      {[](told_ir& ir) { ir.all[guarded].guard.predicate = seven; },
       {.why = reason::guard_not_operand, .value = guarded, .position = 0, .number = seven}},
      {[](told_ir& ir) { ir.all[guarded].info.code = operation::add; },
       {.why = reason::guarded_operation, .value = guarded, .number = static_cast<std::uint64_t>(operation::add)}},
      {[](told_ir& ir) { ir.probabilities[4] = 25; }, {.why = reason::probability_out_of_range, .node = 3, .edge = 4}},
      {[](told_ir& ir) { ir.probabilities[2] = std::numeric_limits<double>::quiet_NaN(); },
       {.why = reason::probability_out_of_range, .node = 1, .edge = 2}},

      {[=](told_ir& ir) { ir.statements_told = static_cast<std::size_t>(big); },
       {.why = reason::too_many_statements, .number = big}},
      {[=](told_ir& ir) { ir.variables_told = static_cast<std::size_t>(big); },
       {.why = reason::too_many_variables, .number = big}},
      {[=](told_ir& ir) { ir.expressions_told = static_cast<std::size_t>(big); },
       {.why = reason::too_many_expressions, .number = big}},
      {[](told_ir& ir) { ir.order[0][1] = 3; },
       {.why = reason::statement_out_of_range, .node = 0, .position = 1, .number = 3}},
      {[](told_ir& ir) { ir.order[4] = {1}; },
       {.why = reason::statement_in_two_nodes, .node = 4, .statement = 1, .position = 0, .number = 0}},
      {[](told_ir& ir) { ir.order[0] = {0, 1, 0}; },
       {.why = reason::statement_twice_in_node, .node = 0, .statement = 0, .position = 2, .number = 0}},
      {[](told_ir& ir) { ir.steps[1].definitions[0] = 4; },
       {.why = reason::definition_out_of_range, .statement = 1, .position = 0, .number = 4}},
      {[](told_ir& ir) { ir.steps[1].may_definitions[0] = midend::no_variable; },
       {.why = reason::may_definition_out_of_range, .statement = 1, .position = 0, .number = midend::no_variable}},
      {[](told_ir& ir) { ir.steps[0].uses[1] = 4; },
       {.why = reason::use_out_of_range, .statement = 0, .position = 1, .number = 4}},
      {[](told_ir& ir) { ir.steps[2].expression = 2; },
       {.why = reason::expression_out_of_range, .statement = 2, .number = 2}},
      {[](told_ir& ir) { ir.expressions[0][1] = 4; },
       {.why = reason::expression_operand_out_of_range, .expression = 0, .position = 1, .number = 4}},
  };
}

bool is_about_users(reason why) {
  return why == reason::user_out_of_range || why == reason::extra_user || why == reason::missing_user;
}

} // namespace

TEST_CASE("check_ir: one planted fault for each reason, found with its exact place") {
  CHECK(check_ir(right_ir()) == std::nullopt);
  std::set<reason> seen;
  std::set<std::string> words;
  for (const fault& one : faults()) {
    if (one.expected.number >> 32 != 0 && sizeof(std::size_t) < 8 && one.expected.why != reason::bounds_too_wide) {
      seen.insert(one.expected.why); // there cannot be so many
      words.insert(midend::to_text(one.expected));
      continue;
    }
    told_ir ir = right_ir();
    one.plant(ir);
    if (!is_about_users(one.expected.why)) {
      list_readers(ir); // those of what was planted
    }
    const std::optional<ir_error> found = check_ir(ir);
    REQUIRE(found.has_value());
    CAPTURE(midend::to_text(*found));
    CAPTURE(midend::to_text(one.expected));
    CHECK(found->why == one.expected.why);
    CHECK(*found == one.expected);
    seen.insert(found->why);
    words.insert(midend::to_text(*found));
  }
  CHECK(seen.size() == static_cast<std::size_t>(reason::expression_operand_out_of_range) + 1);
  CHECK(words.size() == faults().size()); // each says something of its own
  CHECK(words.count("") == 0);
}

TEST_CASE("check_ir: only the end of a node without successors may be free") {
  told_ir ir = right_ir();
  ir.all[end].cost = std::nullopt;
  CHECK(check_ir(ir) == std::nullopt);
  ir.all[loop].cost = std::nullopt;
  CHECK(check_ir(ir) == ir_error{.why = reason::terminator_class, .value = loop});
}

TEST_CASE("check_ir: errors in words") {
  CHECK(
      midend::to_text(ir_error{.why = reason::use_not_dominated, .node = 3, .value = 7, .position = 1, .number = 9}) ==
      "v7 in block 3: operand 1, v9, is not computed on every path to it");
  CHECK(midend::to_text(ir_error{.why = reason::operand_out_of_range, .value = 7, .position = 1, .number = no_value}) ==
        "v7: operand 1 is no_value: leave it out");
  CHECK(midend::to_text(ir_error{.why = reason::wrong_graph,
                                 .node = 2,
                                 .graph = {midend::graph_error::reason::successor_out_of_range, 2, 1, 17}}) ==
        "block 2: successor 1, 17, is no node");
  std::set<std::string> words;
  for (unsigned why = 0; why <= static_cast<unsigned>(midend::graph_error::reason::in_edges_do_not_match); ++why) {
    words.insert(midend::to_text(midend::graph_error{static_cast<midend::graph_error::reason>(why), 1, 2, 3}));
  }
  CHECK(words.size() == static_cast<std::size_t>(midend::graph_error::reason::in_edges_do_not_match) + 1);
  CHECK(words.count("") == 0);
}

TEST_CASE("check_ir: a phi may list an input for each edge, for each predecessor, or once") {
  // Node 0 has two edges to node 1, along which a and b arrive, and node 1 loops by two edges, along which b arrives.
  told_ir ir;
  ir.cfg = {{{1, 1}, {1, 1}}, {{0, 1}, {2, 3}}, {{0, 1}, {0, 1}, {1, 1}, {1, 1}}};
  ir.all.resize(3);
  ir.all[2].phi = true;
  ir.all[2].inputs = {0, 1, 1, 1};
  ir.code = {{}, {2}};
  ir.conditions = {no_value, no_value};
  ir.cases.resize(4);
  ir.probabilities.assign(4, -1);
  ir.order.resize(2);
  const std::vector<std::vector<value_id>> right = {{0, 1}, {1, 0}, {0, 1, 1}, {1, 0, 1, 1}};
  for (const std::vector<value_id>& operands : right) {
    ir.all[2].operands = operands;
    list_readers(ir);
    CHECK(check_ir(ir) == std::nullopt);
  }
  ir.all[2].operands = {0, 0, 1};
  list_readers(ir);
  CHECK(check_ir(ir) ==
        ir_error{.why = reason::phi_operand_too_often, .node = 1, .value = 2, .position = 0, .number = 0});
}

namespace {

/// With several cases of an edge.
struct many_cases : told_ir {
  std::vector<std::vector<midend::number_range>> ranges;

  const std::vector<midend::number_range>& edge_cases(edge_id e) const { return ranges.at(e); }
};

} // namespace

TEST_CASE("check_ir: edges with several cases, as many as one likes") {
  many_cases ir{right_ir(), {{{1, 1, false}}, {{0, 0, false}}, {}, {}, {{2, 9, false}}, {}}};
  CHECK(check_ir(ir) == std::nullopt);
  ir.ranges[5] = {{10, 10, false}, {0xffff'fff0, 1, true}}; // -16 … 1
  CHECK(check_ir(ir) == std::nullopt);
  ir.ranges[5].push_back({7, 20, false});
  CHECK(check_ir(ir) == ir_error{.why = reason::edge_case_twice, .node = 3, .edge = 5, .position = 1, .number = 7});
  ir.ranges[5].pop_back();
  for (std::uint64_t i = 0; i != 200'000; ++i) {
    ir.ranges[4].push_back({1000 + 2 * i, 1000 + 2 * i, false});
  }
  CHECK(check_ir(ir) == std::nullopt);
  ir.ranges[5].push_back({5000, 5000, false});
  CHECK(check_ir(ir) == ir_error{.why = reason::edge_case_twice, .node = 3, .edge = 5, .position = 1, .number = 5000});
}

TEST_CASE("check_ir: edges with several cases leave no value out that the condition may have") {
  many_cases ir{right_ir(), {{{1, 1, false}}, {{0, 0, false}}, {}, {}, {{2, 9, false}}, {{0, 1, false}}}};
  CHECK(check_ir(ir) == std::nullopt); // a phi may have fewer values
  ir.conditions[3] = y;
  ir.code[0] = {c, y, jump};
  ir.code[2] = {};
  CHECK(check_ir(ir) == ir_error{.why = reason::cases_leave_values, .node = 3, .value = y, .number = 10});
  ir.ranges[4][0].high = 0xffff'ffff;
  CHECK(check_ir(ir) == std::nullopt);
  ir.ranges[4] = {{0xffff'fff0, 0x7fff'ffff, true}};
  ir.ranges[5] = {{0x8000'0000, 0xffff'ffef, false}};
  CHECK(check_ir(ir) == std::nullopt);
  ir.ranges[5][0].low = 0x8000'0001;
  CHECK(check_ir(ir) == ir_error{.why = reason::cases_leave_values, .node = 3, .value = y, .number = 0x8000'0000});
  ir.ranges[3] = {{4, 4, false}}; // the only edge of its node
  ir.conditions[2] = a;
  ir.ranges[5] = {};
  CHECK(check_ir(ir) == ir_error{.why = reason::only_edge_has_case, .node = 2, .value = a, .edge = 3});
}

TEST_CASE("check_ir: what is allowed") {
  CHECK(check_ir(told_ir()) == std::nullopt); // a declaration
  told_ir ir = right_ir();
  ir.all[x].operands = {a, seven, ld, y}; // an operation may have more operands than it computes with
  ir.code[1] = {ld, x};
  ir.all[ld].operands = {p};
  ir.all[ld].memory.index = no_value;
  ir.cfg.out[0] = {2, 2}; // where control never is, anything may be read
  ir.cfg.ends[0] = {0, 2};
  ir.cfg.ends[1] = {0, 2};
  list_readers(ir);
  CHECK(check_ir(ir) == std::nullopt);
  ir = right_ir();
  ir.all[c].cost = midend::operation_class::branch; // a terminator that compares and branches
  ir.all[c].terminator = true;
  ir.code[0] = {c};
  CHECK(check_ir(ir) == std::nullopt);
  ir = right_ir();
  ir.cases[0] = {}; // every number but 0 is true
  CHECK(check_ir(ir) == std::nullopt);
  ir.all[x].cost = {};
  ir.all[ld].effect = midend::effect_kind::unknown; // an atomic load
  CHECK(check_ir(ir) == std::nullopt);
}

TEST_CASE("check_ir: numbers of any kind anywhere break nothing") {
  random_source random(1);
  std::size_t found = 0;
  std::set<reason> seen;
  for (std::size_t i = 0; i != affordable(20000); ++i) {
    told_ir ir = right_ir();
    std::vector<std::uint32_t*> numbers;
    const auto add = [&](std::vector<std::uint32_t>& list) {
      for (std::uint32_t& number : list) {
        numbers.push_back(&number);
      }
    };
    for (told_value& v : ir.all) {
      add(v.operands);
      add(v.inputs);
      numbers.push_back(&v.memory.base);
      numbers.push_back(&v.memory.index);
      numbers.push_back(&v.memory.stored);
      numbers.push_back(&v.guard.predicate);
      numbers.push_back(&v.guard.otherwise);
    }
    for (auto* const lists : {&ir.cfg.out, &ir.cfg.out_ids, &ir.code, &ir.readers, &ir.order, &ir.expressions}) {
      for (std::vector<std::uint32_t>& list : *lists) {
        add(list);
      }
    }
    add(ir.outside);
    add(ir.conditions);
    numbers.push_back(&ir.cfg.first);
    for (told_statement& s : ir.steps) {
      add(s.definitions);
      add(s.uses);
      add(s.may_definitions);
      numbers.push_back(&s.expression);
    }
    for (std::size_t damages = 1 + random.below(3); damages != 0; --damages) {
      *numbers[random.below(numbers.size())] = random.one_in(4) ? no_value : random.below(20);
    }
    for (std::size_t damages = random.below(3); damages != 0; --damages) {
      told_value& v = ir.all[random.below(ir.all.size())];
      v.info = {static_cast<operation>(random.below(40)),
                static_cast<std::uint8_t>(random.below(70)),
                static_cast<std::uint8_t>(random.below(70)),
                {}};
      v.phi = random.one_in(3);
      v.inputs.resize(ir.cfg.ends.size(), no_value);
    }
    if (const std::optional<ir_error> error = check_ir(ir)) {
      ++found;
      seen.insert(error->why);
      CHECK(check_ir(ir) == error);
      CHECK(midend::to_text(*error) != "");
    }
  }
  CHECK(found >= affordable(20000) / 2);
  CHECK(seen.size() >= 25);
}

namespace {

/// A chain of nodes, each with a phi and an operation, for the length of checks; nothing is stored.
struct long_ir {
  midend::csr_graph cfg;
  value_id fault = no_value; ///< an operation that reads the next one

  const midend::csr_graph& graph() const { return cfg; }

  std::size_t num_values() const { return 2 * cfg.num_nodes() + 1; }

  midend::id_range<value_id> values(node_id n) const { return {n == 0 ? 1 : 2 * n, 2 * n + 2}; }

  midend::id_range<value_id> operands(value_id v) const { // value 0 and the last one are in no node
    const value_id first = v == fault ? v + 2 : v - 1;
    return v == 0 || v == num_values() - 1 ? midend::id_range<value_id>{0, 0}
                                           : midend::id_range<value_id>{first, first + 1};
  }

  bool is_phi(value_id v) const { return v % 2 == 0 && v != 0 && v + 1 != num_values(); }

  value_id phi_input(value_id v, edge_id) const { return v - 1; }

  value_id condition(node_id) const { return no_value; }
};

} // namespace

TEST_CASE("check_ir: a million nodes on a small stack") {
  std::vector<edge> edges;
  for (node_id n = 0; n + 1 < midend_tests::million; ++n) {
    edges.push_back({n, n + 1});
  }
  long_ir ir{make_csr({"", midend_tests::million, 0, edges})};
  CHECK(on_a_small_stack([&] { return check_ir(ir) ? "found something" : ""; }) == "");
  ir.fault = 77'777;
  CHECK(check_ir(ir) ==
        ir_error{.why = reason::use_not_dominated, .node = 38'888, .value = 77'777, .position = 0, .number = 77'779});
}
