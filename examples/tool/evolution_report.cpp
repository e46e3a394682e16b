#include "evolution_report.hpp"

#include "program_names.hpp"
#include "text.hpp"

#include <midend/elbrus/views/cost_view.hpp>
#include <midend/graph/concepts.hpp>
#include <midend/induction/evolutions.hpp>
#include <midend/ir/ids.hpp>
#include <midend/ir/number_facts.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/loops/loop_forest.hpp>
#include <midend/ssa/facts_of_numbers.hpp>
#include <midend/support/flat_array.hpp>
#include <midend/viz/explain_evolution.hpp>

#include <cstddef>
#include <string>

namespace midend_tool {
namespace {

using midend::elbrus::cost_view;
using midend::elbrus::procedure;
using midend::elbrus::type;

/// Whether the report is about a value: it is a number and no bit.
bool is_shown(const procedure& p, midend::value_id v) {
  const type t = p.value(v).type;
  return t != type::none && t != type::i1 && midend::elbrus::is_integer(t);
}

void append_value(const procedure& p, const midend::value_evolutions& found, const midend::loop_forest& loops,
                  midend::loop_id l, midend::value_id v, const std::string& indent, std::string& out) {
  const program_names names(p);
  const midend::evolution e = found.evolution_of(v, l);
  append(out, indent, "  ", names.value(v), " = ", midend::explain_evolution(e, names));
  if (e.is_known() && !e.is_invariant()) {
    const bool is_signed = found.evolution_of(v, l, midend::number_reading::as_signed).is_known();
    const bool is_unsigned = found.evolution_of(v, l, midend::number_reading::as_unsigned).is_known();
    out += is_signed ? " nsw" : "";
    out += is_unsigned ? " nuw" : "";
  }
  midend::loop_id outermost = l;
  while (loops.parent(outermost) != midend::no_loop) {
    outermost = loops.parent(outermost);
  }
  if (outermost != l) {
    if (const midend::nested_evolution nested = found.in_scope(v, outermost); nested.is_known()) {
      append(out, " = ", midend::explain_evolution(nested, loops, names));
    }
  }
  if (const midend::evolution after = found.value_after(v, l); after.is_known() && !e.is_invariant()) {
    append(out, "; at the end ", midend::explain_evolution(after, names));
  }
  out += '\n';
}

} // namespace

void append_evolutions(const procedure& p, std::string& out) {
  if (!p.variables().empty()) {
    out += "  not in SSA form: construct-ssa first\n";
    return;
  }
  const cost_view ir(p);
  const auto flow = midend::dominators_and_loops(p);
  const midend::loop_forest& loops = flow.loops;
  // [evolutions]
  const midend::flat_array<midend::number_facts> facts = midend::facts_of_numbers(ir);
  const midend::value_evolutions found = midend::evolutions(ir, loops, {facts.data(), facts.size()});
  // [end]
  const program_names names(p);
  if (loops.num_loops() == 0) {
    out += "  no loops\n";
  }
  for (const midend::loop_id l : loops.loops()) {
    const std::string indent(2 * static_cast<std::size_t>(loops.depth(l)), ' ');
    append(out, indent, "loop ", names.node(loops.header(l)), ": ", midend::loop_trips_text(found.trips(l), names),
           "\n");
    for (const midend::node_id n : loops.own_blocks(l)) {
      for (const midend::value_id v : p.values(n)) {
        if (is_shown(p, v)) {
          append_value(p, found, loops, l, v, indent, out);
        }
      }
    }
  }
}

} // namespace midend_tool
