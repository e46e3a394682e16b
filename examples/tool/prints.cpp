#include "prints.hpp"

#include "cost_report.hpp"
#include "dependence_report.hpp"
#include "evolution_report.hpp"
#include "loop_package_tool.hpp"
#include "sccp_tool.hpp"
#include "text.hpp"
#include "value_numbering_tool.hpp"

#include <midend/dataflow/available_expressions.hpp>
#include <midend/dataflow/definition_table.hpp>
#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/dataflow/domains/interval_domain.hpp>
#include <midend/dataflow/domains/known_bits_domain.hpp>
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/dataflow/live_variables.hpp>
#include <midend/dataflow/reaching_definitions.hpp>
#include <midend/dataflow/very_busy_expressions.hpp>
#include <midend/dominance/dominators.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/views/statement_view.hpp>
#include <midend/elbrus/views/variable_view.hpp>
#include <midend/elbrus/views/views.hpp>
#include <midend/loops/natural_loops.hpp>
#include <midend/ssa/live_values.hpp>
#include <midend/support/bit_set.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace midend_tool {
namespace {

using namespace midend::elbrus;
using midend::definition_id;
using midend::definition_table;
using midend::expression_id;
using midend::flow_facts;
using midend::loop_id;
using midend::node_id;
using midend::statement_id;
using midend::value_id;

template <class Nodes> void append_nodes(const procedure& p, const Nodes& nodes, std::string& out) {
  for (const node_id n : nodes) {
    append(out, " ", p.node_name(n));
  }
}

/// A line for the start and one for the end of each node: what `at_start(n)` and `at_end(n)` list.
template <class AtStart, class AtEnd>
void append_nodes_with(const procedure& p, std::string& out, const AtStart& at_start, const AtEnd& at_end) {
  const auto line = [&](std::string_view empty, std::string_view side, const std::vector<std::string>& facts) {
    append(out, "    ", facts.empty() ? empty : side);
    for (const std::string& fact : facts) {
      append(out, " ", fact);
    }
    out += '\n';
  };
  for (node_id n = 0; n != p.num_nodes(); ++n) {
    if (!p.node(n).erased) {
      append(out, "  ", p.node_name(n), "\n");
      line("in:", "in: ", at_start(n));
      line("out:", "out:", at_end(n));
    }
  }
}

/// Facts by ascending `rank(fact)`, as `name(rank)`.
template <class Rank, class Name>
void append_facts(const procedure& p, const flow_facts<>& facts, std::string& out, const Rank& rank, const Name& name) {
  const auto names_of = [&](const auto& row) {
    std::vector<std::size_t> ranks;
    for (const std::uint32_t fact : midend::set_bits(row)) {
      ranks.push_back(rank(fact));
    }
    std::sort(ranks.begin(), ranks.end());
    std::vector<std::string> names;
    for (const std::size_t r : ranks) {
      names.push_back(name(r));
    }
    return names;
  };
  append_nodes_with(
      p, out, [&](node_id n) { return names_of(facts.in(n)); }, [&](node_id n) { return names_of(facts.out(n)); });
}

/// Rows of facts take memory: two bits for each and each node. A report that needs more than 4 GiB is not made.
bool is_too_large(const procedure& p, std::size_t facts, std::string& out) {
  const bool is = facts != 0 && p.num_nodes() > (std::uint64_t{1} << 34) / facts;
  if (is) {
    append(out, "  not shown: ", facts, " facts in ", p.num_nodes(), " nodes\n");
  }
  return is;
}

/// Definitions of variables, numbered in the order of the text: d1, d2, …. A value has one definition anyway.
void append_reaching_definitions(const procedure& p, std::string& out) {
  procedure_text names(p);
  const variable_view view(p);
  const definition_table definitions(view);
  if (is_too_large(p, definitions.num_definitions(), out)) {
    return;
  }
  std::vector<std::size_t> number(definitions.num_definitions());
  std::size_t next = 0;
  for (node_id n = 0; n != p.num_nodes(); ++n) {
    for (const definition_id d : definitions.of_node(n)) {
      number[d] = ++next;
      append(out, "  d", next, ": ", names.operation(definitions[d].statement), "\n");
    }
  }
  if (next == 0) {
    out += "  no definitions of variables\n";
    return;
  }
  append_facts(
      p, midend::reaching_definitions(view, definitions), out, [&](definition_id d) { return number[d]; },
      [](std::size_t d) { return "d" + std::to_string(d); });
}

/// Variables, then values.
void append_liveness(const procedure& p, std::string& out) {
  procedure_text names(p);
  const variable_view variables(p);
  if (is_too_large(p, variables.num_variables(), out)) {
    return;
  }
  const flow_facts<> live = midend::live_variables(variables);
  const midend::live_value_sets live_values = midend::live_values(midend::elbrus::value_view(p));
  const auto names_of = [&](const auto& row, std::span<const value_id> values) {
    std::vector<std::string> out_names;
    for (const std::uint32_t variable : midend::set_bits(row)) {
      out_names.push_back(names.value(p.variables()[variable]));
    }
    for (const value_id v : values) {
      out_names.push_back(names.value(v));
    }
    return out_names;
  };
  append_nodes_with(
      p, out, [&](node_id n) { return names_of(live.in(n), live_values.live_in(n)); },
      [&](node_id n) { return names_of(live.out(n), live_values.live_out(n)); });
}

/// The right side of an operation, without its target.
std::string right_side(const std::string& operation) {
  const std::size_t equals = operation.find(" = ");
  return equals == std::string::npos ? operation : operation.substr(equals + 3);
}

/// Expressions are numbered in the order of the text: e1, e2, ….
void append_expressions(const statement_view& view, const flow_facts<>& facts, std::string& out) {
  const procedure& p = view.graph();
  procedure_text names(p);
  std::vector<std::size_t> number(view.num_expressions(), 0);
  std::size_t next = 0;
  for (node_id n = 0; n != p.num_nodes(); ++n) {
    for (const statement_id s : view.statements(n)) {
      const expression_id e = view.passes_to_phis(s) ? midend::no_expression : view.expression(s);
      if (e != midend::no_expression && number[e] == 0) {
        number[e] = ++next;
        append(out, "  e", next, ": ", right_side(names.operation(s)), "\n");
      }
    }
  }
  append_facts(
      p, facts, out, [&](expression_id e) { return number[e]; }, [](std::size_t e) { return "e" + std::to_string(e); });
}

void append_available_expressions(const procedure& p, std::string& out) {
  const statement_view view(p);
  if (is_too_large(p, view.num_expressions(), out)) {
    return;
  }
  append_expressions(view, midend::available_expressions(view), out);
}

void append_very_busy_expressions(const procedure& p, std::string& out) {
  const statement_view view(p);
  if (is_too_large(p, view.num_expressions(), out)) {
    return;
  }
  append_expressions(view, midend::very_busy_expressions(view), out);
}

/// Loops outermost first, each with what is inside it below, indented by depth.
void append_loops(const procedure& p, std::string& out) {
  const midend::loop_forest loops = midend::natural_loops(p, midend::dominators(p));
  if (loops.num_loops() == 0) {
    out += "  none\n";
  }
  for (loop_id l = 0; l != loops.num_loops(); ++l) {
    const node_id header = loops.header(l);
    out.append(2 * static_cast<std::size_t>(loops.depth(l)), ' ');
    append(out, "loop ", p.node_name(header), ", depth ", loops.depth(l), ", ", loops.blocks(l).size(), " nodes:");
    append_nodes(p, loops.blocks(l), out);
    out += "; latches:";
    append_nodes(p, loops.latches(l), out);
    out += "; exits to:";
    append_nodes(p, loops.exit_blocks(l), out);
    if (p.node_count(header) != no_count) {
      append(out, "; header runs ", p.node_count(header), " times");
    }
    out += '\n';
  }
}

} // namespace

const std::vector<report_kind>& report_kinds() {
  static const std::vector<report_kind> kinds = {
      {"reaching-definitions", "the definitions of variables that reach each node", append_reaching_definitions},
      {"liveness", "the variables and values that are live at each node", append_liveness},
      {"available-expressions", "the expressions that every path has evaluated", append_available_expressions},
      {"very-busy-expressions", "the expressions that every path evaluates", append_very_busy_expressions},
      {"loops", "the forest of natural loops", append_loops},
      {"evolutions", "what values are in each iteration of their loops, and after them", append_evolutions},
      {"dependences", "which accesses of each nest of loops meet, in which iterations, and why not",
       append_dependences},
      {"cost", "cycles, operations and bytes on e2k_reference_v6, by loop and node", append_cost_report},
      {"loop-package", "what the loop package would do, step by step", append_loop_package},
      {"sccp", "constants, nodes that are never executed, and the plan",
       sccp_tool<midend::flat_domain<>>::append_report},
      {"sccp:interval", "the same, with value ranges", sccp_tool<midend::interval_domain>::append_report},
      {"sccp:known-bits", "the same, with known bits", sccp_tool<midend::known_bits_domain>::append_report},
      {"sccp:product", "the same, with value ranges and known bits", sccp_tool<midend::number_domain>::append_report},
      {"value-numbering", "equal values, constants, nodes that are never executed, and the plan",
       value_numbering_tool<midend::flat_domain<>>::append_report},
      {"value-numbering:interval", "the same, with value ranges",
       value_numbering_tool<midend::interval_domain>::append_report},
      {"value-numbering:known-bits", "the same, with known bits",
       value_numbering_tool<midend::known_bits_domain>::append_report},
      {"value-numbering:product", "the same, with value ranges and known bits",
       value_numbering_tool<midend::number_domain>::append_report},
  };
  return kinds;
}

const report_kind* find_report(std::string_view name) {
  const auto& kinds = report_kinds();
  const auto it = std::find_if(kinds.begin(), kinds.end(), [&](const report_kind& k) { return k.name == name; });
  return it == kinds.end() ? nullptr : &*it;
}

} // namespace midend_tool
