#include "value_numbering_tool.hpp"

#include "edit_names.hpp"
#include "program_names.hpp"
#include "sccp_tool.hpp"
#include "text.hpp"
#include "transformation_pass.hpp"

#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/dataflow/domains/interval_domain.hpp>
#include <midend/dataflow/domains/known_bits_domain.hpp>
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/dataflow/domains/strided_interval_domain.hpp>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/ir/coverage.hpp>
#include <midend/ssa/apply_value_numbering.hpp>
#include <midend/ssa/explain_congruence.hpp>
#include <midend/ssa/explain_sccp.hpp>
#include <midend/ssa/value_numbering.hpp>
#include <midend/ssa/value_numbering_plan.hpp>
#include <midend/ssa/verify_congruence.hpp>
#include <midend/ssa/verify_phis_of_operations.hpp>
#include <midend/ssa/verify_sccp_plan.hpp>
#include <midend/transform/recording_editor.hpp>
#include <midend/viz/coverage.hpp>
#include <midend/viz/edits.hpp>
#include <midend/viz/value_numbering.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace midend_tool {

using midend::value_id;
using midend::elbrus::cost_view;
using midend::elbrus::procedure;

namespace {

/// Why the plan does not follow from the classes and facts, or the changed procedure is not what the plan makes of it,
/// if so. That leaders dominate what they replace is for the verifier of the new procedure.
template <class Domain>
std::optional<std::string> why_plan_rejected(procedure before, const procedure& after,
                                             const midend::value_numbering_result<Domain>& found,
                                             const midend::value_numbering_plan<std::uint64_t>& plan) {
  if (auto why = why_rejected(before, midend::verify_phis_of_operations(cost_view(before), found, plan))) {
    return why;
  }
  if (auto why = why_rejected(before, midend::verify_sccp_plan(cost_view(before), found.facts(), plan.constants))) {
    return why;
  }
  for (const auto& change : plan.replacements) {
    const midend::elbrus::value_core& leader = before.core(change.leader);
    const midend::elbrus::value_core& value = before.core(change.value);
    if (leader.code == value.code && leader.flags.nsw && !value.flags.nsw && after.core(change.leader).flags.nsw) {
      return "a value is replaced by one that promises more; " + program_names(before).value(change.value);
    }
  }
  midend::elbrus::editor editor(before);
  for (const value_id leader : plan.dropped_promises) {
    editor.drop_promises(leader);
  }
  for (const auto& change : plan.replacements) {
    editor.replace_uses(change.value, change.leader);
  }
  return why_rejected(std::move(before), after, plan.constants);
}

bool has_variables(const procedure& p, std::string& out) {
  if (!p.variables().empty()) {
    out += "  not in SSA form: construct-ssa first\n";
  }
  return !p.variables().empty();
}

} // namespace

std::optional<std::string> why_rejected(const procedure& before, const procedure& after,
                                        const midend::value_numbering_result<midend::strided_interval_domain>& found,
                                        const midend::value_numbering_plan<std::uint64_t>& plan) {
  procedure copy = before; // in the view of a clean-up, i64 and ptr are one type
  auto why = why_rejected(before, midend::verify_congruence(midend::elbrus::cost_editor(copy), found));
  return why ? why : why_plan_rejected(before, after, found, plan);
}

template <class Domain>
void value_numbering_tool<Domain>::run(procedure& p, const pass_request& request, pass_report& report) {
  const cost_view view(p);
  const auto found = midend::value_numbering(view, Domain());
  const std::string used = midend::to_text(midend::coverage(view, found.facts()));
  const auto plan = midend::plan_value_numbering(view, found);
  std::size_t dead_edges = 0;
  for (midend::edge_id e = 0; e != found.facts().num_edges(); ++e) {
    dead_edges += p.edge_source(e) != midend::no_node && !found.is_executable_edge(e) ? 1u : 0u;
  }
  const procedure before = request.certify || request.record ? p : procedure();
  if (request.record) {
    midend::recording_editor<midend::elbrus::editor> editor(p);
    midend::apply_value_numbering(editor, plan);
    report.changes = midend::to_text(editor.log(), edit_names(before, p));
  } else {
    midend::elbrus::editor editor(p);
    midend::apply_value_numbering(editor, plan);
  }
  append(report.summary, plan.replacements.size(), " values are replaced by equal ones, ",
         plan.constants.replacements.size(), " values are constants, ", dead_edges, " edges are never taken, ",
         plan.constants.kept_edges.size(), " branches are jumps, ", plan.constants.erased_nodes.size(),
         " nodes are erased; ", used);
  if (request.certify) {
    report.fault = why_rejected(before, midend::verify_congruence(cost_view(before), found));
    if (!report.fault) {
      report.fault = why_plan_rejected(before, p, found, plan);
    }
    report.is_certified = true;
  }
}

template <class Domain> void value_numbering_tool<Domain>::append_report(const procedure& p, std::string& out) {
  if (has_variables(p, out)) {
    return;
  }
  const cost_view view(p);
  const auto found = midend::value_numbering(view, Domain());
  const program_names names(p);
  const std::string classes = midend::to_text(view, found, names);
  append(out, classes.empty() ? "  no values are equal\n" : "  equal:\n");
  std::string indented;
  append_indented(indented, classes);
  append_indented(out, indented);
  append_indented(out, midend::to_text(view, found.facts(), names));
  const std::string plan = midend::to_text(view, midend::plan_value_numbering(view, found), names);
  append(out, plan.empty() ? "  plan: nothing to do\n" : "  plan:\n");
  append_indented(out, plan);
}

template <class Domain>
void value_numbering_tool<Domain>::append_explanation(const procedure& p, value_id v, std::string& out) {
  if (has_variables(p, out)) {
    return;
  }
  const cost_view view(p);
  const auto found = midend::value_numbering(view, Domain());
  const program_names names(p);
  if (found.constant(v) || !found.is_computed(v) || found.members(v).size() == 1) {
    const auto steps = midend::explain_sccp(view, found.facts(), v);
    append_indented(out, midend::to_text(view, found.facts(), std::span<const midend::sccp_step>(steps), names));
    return;
  }
  const value_id other = found.leader(v) == v ? found.members(v)[1] : found.leader(v);
  const auto steps = midend::explain_congruence(view, found, v, other);
  append_indented(out, midend::to_text(view, found, std::span<const midend::congruence_step>(steps), names));
}

template <class Domain>
void value_numbering_tool<Domain>::append_comparison(const procedure& p, value_id v, value_id w, std::string& out) {
  if (has_variables(p, out)) {
    return;
  }
  const cost_view view(p);
  const auto found = midend::value_numbering(view, Domain());
  const auto steps = midend::explain_congruence(view, found, v, w);
  append_indented(out, midend::to_text(view, found, std::span<const midend::congruence_step>(steps), program_names(p)));
}

template struct value_numbering_tool<midend::flat_domain<>>;
template struct value_numbering_tool<midend::interval_domain>;
template struct value_numbering_tool<midend::known_bits_domain>;
template struct value_numbering_tool<midend::number_domain>;
template struct value_numbering_tool<midend::strided_interval_domain>;

} // namespace midend_tool
