#include "passes.hpp"

#include "text.hpp"

#include <midend/elbrus/construct_ssa.hpp>

#include <algorithm>

namespace midend_tool {
namespace {

using midend::elbrus::procedure;
using midend::elbrus::ssa_algorithm;

std::string construct(procedure& p, ssa_algorithm algorithm) {
  const std::size_t variables = p.variables().size();
  const midend::ssa_construction done = midend::elbrus::construct_ssa(p, algorithm);
  std::string said;
  append(said, variables, " variables, ", done.num_phis(), " phis, ", done.undefined_variables().size(),
         " variables perhaps read before they are written");
  return said;
}

std::string construct_ssa(procedure& p) {
  return construct(p, ssa_algorithm::dominance_frontiers);
}

std::string construct_ssa_on_the_fly(procedure& p) {
  return construct(p, ssa_algorithm::on_the_fly);
}

} // namespace

const std::vector<pass_kind>& pass_kinds() {
  static const std::vector<pass_kind> kinds = {
      {"construct-ssa", "variables become values: pruned SSA form", construct_ssa},
      {"construct-ssa:on-the-fly", "the same by the algorithm of Braun et al.", construct_ssa_on_the_fly},
  };
  return kinds;
}

const pass_kind* find_pass(std::string_view name) {
  const auto& kinds = pass_kinds();
  const auto it = std::find_if(kinds.begin(), kinds.end(), [&](const pass_kind& k) { return k.name == name; });
  return it == kinds.end() ? nullptr : &*it;
}

} // namespace midend_tool
