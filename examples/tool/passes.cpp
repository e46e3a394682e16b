#include "passes.hpp"

#include "sccp_tool.hpp"
#include "text.hpp"

#include <midend/dataflow/domains/flat_domain.hpp>
#include <midend/dataflow/domains/interval_domain.hpp>
#include <midend/dataflow/domains/known_bits_domain.hpp>
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/elbrus/views/construct_ssa.hpp>

#include <algorithm>

namespace midend_tool {
namespace {

using midend::elbrus::procedure;
using midend::elbrus::ssa_algorithm;

std::string construct(procedure& p, ssa_algorithm algorithm) {
  const std::size_t variables = p.variables().size();
  const midend::inserted_phis done = midend::elbrus::construct_ssa(p, algorithm);
  std::string summary;
  append(summary, variables, " variables, ", done.num_phis(), " phis, ", done.undefined_variables().size(),
         " variables perhaps read before they are written");
  return summary;
}

std::string construct_ssa(procedure& p) {
  return construct(p, ssa_algorithm::dominance_frontiers);
}

std::string construct_ssa_on_the_fly(procedure& p) {
  return construct(p, ssa_algorithm::on_the_fly);
}

template <class Domain> pass_kind sccp_pass(std::string_view name, std::string_view summary) {
  return {name, summary, sccp_tool<Domain>::run, sccp_tool<Domain>::append_explanation};
}

} // namespace

const std::vector<pass_kind>& pass_kinds() {
  static const std::vector<pass_kind> kinds = {
      {"construct-ssa", "turn variables into values: pruned SSA form", construct_ssa},
      {"construct-ssa:on-the-fly", "the same by the algorithm of Braun et al.", construct_ssa_on_the_fly},
      sccp_pass<midend::flat_domain<>>("sccp",
                                       "replace values that are always the same by constants, remove dead nodes"),
      sccp_pass<midend::interval_domain>("sccp:interval", "the same, with value ranges"),
      sccp_pass<midend::known_bits_domain>("sccp:known-bits", "the same, with known bits"),
      sccp_pass<midend::number_domain>("sccp:product", "the same, with value ranges and known bits"),
  };
  return kinds;
}

const pass_kind* find_pass(std::string_view name) {
  const auto& kinds = pass_kinds();
  const auto it = std::find_if(kinds.begin(), kinds.end(), [&](const pass_kind& k) { return k.name == name; });
  return it == kinds.end() ? nullptr : &*it;
}

} // namespace midend_tool
