#include "sccp_tool.hpp"

#include "program_names.hpp"
#include "text.hpp"

#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/dataflow/domains/interval_domain.hpp>
#include <midend/dataflow/domains/known_bits_domain.hpp>
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/elbrus/views/views.hpp>
#include <midend/ir/coverage.hpp>
#include <midend/ssa/apply_sccp.hpp>
#include <midend/ssa/explain_sccp.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/ssa/sccp_plan.hpp>
#include <midend/viz/coverage.hpp>
#include <midend/viz/sccp.hpp>

#include <span>
#include <string_view>

namespace midend_tool {
namespace {

using midend::value_id;
using midend::elbrus::procedure;

void append_indented(std::string& out, std::string_view lines) {
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    append(out, "  ", lines.substr(0, end), "\n");
    lines = end == std::string_view::npos ? std::string_view() : lines.substr(end + 1);
  }
}

} // namespace

template <class Domain> std::string sccp_tool<Domain>::run(procedure& p) {
  const midend::elbrus::semantic_view view(p);
  const auto found = midend::sccp(view, Domain());
  const std::string used = midend::to_text(midend::coverage(midend::elbrus::cost_view(p), found));
  const auto plan = midend::plan_sccp(view, found);
  midend::elbrus::editor editor(p);
  midend::apply_sccp(editor, plan);
  std::string said;
  append(said, plan.replacements.size(), " values are constants, ", plan.kept_edges.size(), " branches are jumps, ",
         plan.erased_nodes.size(), " nodes are erased; ", used);
  return said;
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

template struct sccp_tool<midend::flat_domain<>>;
template struct sccp_tool<midend::interval_domain>;
template struct sccp_tool<midend::known_bits_domain>;
template struct sccp_tool<midend::number_domain>;

} // namespace midend_tool
