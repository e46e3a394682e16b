#include "sccp_tool.hpp"

#include "edit_names.hpp"
#include "program_names.hpp"
#include "text.hpp"
#include "transformation_pass.hpp"

#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/dataflow/domains/interval_domain.hpp>
#include <midend/dataflow/domains/known_bits_domain.hpp>
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/dataflow/domains/strided_interval_domain.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/elbrus/views/views.hpp>
#include <midend/ir/coverage.hpp>
#include <midend/ssa/apply_sccp.hpp>
#include <midend/ssa/explain_sccp.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/ssa/sccp_plan.hpp>
#include <midend/ssa/verify_sccp.hpp>
#include <midend/ssa/verify_sccp_plan.hpp>
#include <midend/transform/recording_editor.hpp>
#include <midend/transform/unfolding_witness.hpp>
#include <midend/viz/coverage.hpp>
#include <midend/viz/edits.hpp>
#include <midend/viz/sccp.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace midend_tool {

using midend::value_id;
using midend::elbrus::procedure;

std::optional<std::string> why_rejected(procedure before, const procedure& after,
                                        const midend::sccp_plan<std::uint64_t>& plan) {
  midend::elbrus::editor editor(before); // literals get the numbers that `apply_sccp` gave them
  for (const auto& use : plan.uses) {
    midend::apply_decided_use(editor, use);
  }
  for (const auto& change : plan.replacements) {
    editor.replace_uses(change.value, editor.make_constant(change.value, change.constant));
  }
  midend::unfolding_witness witness;
  witness.start(before.num_nodes(), before.num_edges(), before.num_values());
  for (const midend::edge_id kept : plan.kept_edges) {
    const midend::node_id n = before.edge_source(kept);
    const value_id condition = editor.condition(n);
    const bool is_literal = editor.constant(condition).has_value();
    for (const midend::edge_id e : before.out_edges(n)) {
      if (e != kept) {
        witness.dropped.push_back(
            {n, e, is_literal ? condition : midend::no_value,
             is_literal ? midend::drop_reason::constant_condition : midend::drop_reason::assumed});
      }
    }
  }
  witness.grow(after.num_nodes(), after.num_edges(), after.num_values());
  return why_rejected(before, after, witness, assumed_edges::are_proven);
}

namespace {

/// The bits of the option: the number of the domain, then these.
constexpr std::size_t domain_bits = 7;
constexpr std::size_t with_branch_facts = 8;
constexpr std::size_t with_any_undef = 16;

constexpr std::string_view domain_names[] = {"flat", "interval", "known-bits", "product", "strided"};

midend::sccp_options options_of(std::size_t option) {
  midend::sccp_options out;
  out.lists_decided_uses = true;
  if ((option & with_any_undef) != 0) {
    out.undefined = midend::undef_policy::any_value;
  }
  return out;
}

template <class Domain> auto analyse(const midend::elbrus::semantic_view& view, std::size_t option) {
  return (option & with_branch_facts) != 0 ? midend::sccp_with_branch_facts(view, Domain(), options_of(option))
                                           : midend::sccp(view, Domain(), options_of(option));
}

/// The facts, checked by themselves.
template <class Found>
std::optional<std::string> why_facts_rejected(const procedure& p, const Found& found, std::size_t option) {
  const midend::elbrus::semantic_view view(p);
  return why_rejected(p, (option & with_branch_facts) != 0
                             ? midend::verify_sccp_with_branch_facts(view, found, options_of(option))
                             : midend::verify_sccp(view, found, options_of(option)));
}

template <class Found, class Plan>
std::optional<std::string> why_plan_rejected(const procedure& p, const Found& found, const Plan& plan,
                                             std::size_t option) {
  const midend::elbrus::semantic_view view(p);
  return why_rejected(p, (option & with_branch_facts) != 0
                             ? midend::verify_sccp_plan_with_branch_facts(view, found, plan)
                             : midend::verify_sccp_plan(view, found, plan));
}

} // namespace

std::optional<std::size_t> sccp_option(std::string_view text) {
  std::size_t option = 0;
  bool has_domain = false;
  while (true) {
    const std::size_t end = std::min(text.find('+'), text.size());
    const std::string_view word = text.substr(0, end);
    if (word == "branch-facts") {
      option |= with_branch_facts;
    } else if (word == "any-undef") {
      option |= with_any_undef;
    } else {
      const auto* const name = std::find(std::begin(domain_names), std::end(domain_names), word);
      if (has_domain || name == std::end(domain_names)) {
        return std::nullopt;
      }
      has_domain = true;
      option |= static_cast<std::size_t>(name - std::begin(domain_names));
    }
    if (end == text.size()) {
      return option;
    }
    text.remove_prefix(end + 1);
  }
}

void sccp_with(procedure& p, const pass_request& request, pass_report& report) {
  switch (request.number.value_or(0) & domain_bits) {
  case 0:
    return sccp_tool<midend::flat_domain<>>::run(p, request, report);
  case 1:
    return sccp_tool<midend::interval_domain>::run(p, request, report);
  case 2:
    return sccp_tool<midend::known_bits_domain>::run(p, request, report);
  case 3:
    return sccp_tool<midend::number_domain>::run(p, request, report);
  default:
    return sccp_tool<midend::strided_interval_domain>::run(p, request, report);
  }
}

template <class Domain> void sccp_tool<Domain>::run(procedure& p, const pass_request& request, pass_report& report) {
  const midend::elbrus::semantic_view view(p);
  // What a branch says about a variable ends where the variable is written, which the view does not see.
  const std::size_t option =
      p.variables().empty() ? request.number.value_or(0) : request.number.value_or(0) & ~with_branch_facts;
  const auto found = analyse<Domain>(view, option);
  const std::string used = midend::to_text(midend::coverage(midend::elbrus::cost_view(p), found));
  const auto plan = midend::plan_sccp(view, found);
  const procedure before = request.certify || request.record ? p : procedure();
  if (request.record) {
    midend::recording_editor<midend::elbrus::editor> editor(p);
    midend::apply_sccp(editor, plan);
    report.changes = midend::to_text(editor.log(), edit_names(before, p));
  } else {
    midend::elbrus::editor editor(p);
    midend::apply_sccp(editor, plan);
  }
  append(report.summary, plan.replacements.size(), " values are constants, ", plan.uses.size(), " uses are decided, ",
         plan.kept_edges.size(), " branches are jumps, ", plan.erased_nodes.size(), " nodes are erased; ", used);
  if (request.certify) {
    report.fault = why_facts_rejected(before, found, option);
    if (!report.fault) {
      report.fault = why_plan_rejected(before, found, plan, option);
    }
    if (!report.fault) {
      report.fault = why_rejected(before, p, plan);
    }
    report.is_certified = true;
  }
}

template <class Domain> void sccp_tool<Domain>::append_report(const procedure& p, std::string& out) {
  const midend::elbrus::semantic_view view(p);
  const auto found = midend::sccp(view, Domain());
  const program_names names(p);
  append_indented(out, midend::to_text(view, found, names));
  const std::string plan = midend::to_text(view, midend::plan_sccp(view, found), names);
  append(out, plan.empty() ? "  plan: nothing to do\n" : "  plan:\n");
  append_indented(out, plan);
}

template <class Domain> void sccp_tool<Domain>::append_explanation(const procedure& p, value_id v, std::string& out) {
  const midend::elbrus::semantic_view view(p);
  const auto found = midend::sccp(view, Domain());
  const auto steps = midend::explain_sccp(view, found, v);
  append_indented(out, midend::to_text(view, found, std::span<const midend::sccp_step>(steps), program_names(p)));
}

std::optional<std::string> why_rejected(const procedure& before, const procedure& after,
                                        const value_bounds& with_branch_facts,
                                        const midend::sccp_plan<std::uint64_t>& plan) {
  const midend::elbrus::semantic_view view(before);
  auto why = why_rejected(before, midend::verify_sccp_with_branch_facts(view, with_branch_facts));
  why = why ? why : why_rejected(before, midend::verify_sccp_plan_with_branch_facts(view, with_branch_facts, plan));
  return why ? why : why_rejected(before, after, plan);
}

template struct sccp_tool<midend::flat_domain<>>;
template struct sccp_tool<midend::interval_domain>;
template struct sccp_tool<midend::known_bits_domain>;
template struct sccp_tool<midend::number_domain>;
template struct sccp_tool<midend::strided_interval_domain>;

} // namespace midend_tool
