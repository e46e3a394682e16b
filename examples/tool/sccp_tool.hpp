/// Sparse conditional constant propagation for `midend opt`: pass, report and explanation, by domain.
#pragma once

#include "passes.hpp"

#include <midend/dataflow/domains/strided_interval_domain.hpp>
#include <midend/elbrus/procedure.hpp>
#include <midend/ir/ssa_values.hpp>
#include <midend/ssa/sccp_plan.hpp>
#include <midend/ssa/sccp_result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace midend_tool {

/// The option of the pass `sccp`: a domain, `branch-facts` and `any-undef`, with a + between them; see `sccp_with`.
std::optional<std::size_t> sccp_option(std::string_view text);

/// `sccp` with the option, if there is one: in one of the domains, with what branches say about what they compare, and
/// with `undef` as any value, so that a phi of it and a constant is the constant.
void sccp_with(midend::elbrus::procedure& p, const pass_request& request, pass_report& report);

/// Why the changed procedure is not what the plan makes of it, if so: with literals in place of the constants of the
/// plan, the new procedure is an unfolding of the old one whose branches are decided. That the plan follows from facts
/// is for `verify_sccp_plan`.
std::optional<std::string> why_rejected(midend::elbrus::procedure before, const midend::elbrus::procedure& after,
                                        const midend::sccp_plan<std::uint64_t>& plan);

/// Instantiated for `flat_domain<>`, `interval_domain`, `known_bits_domain` and `number_domain`.
template <class Domain> struct sccp_tool {
  /// Changes the procedure as the plan says. The certificate proves the facts (`verify_sccp`), the plan by them
  /// (`verify_sccp_plan`), and the change by that.
  static void run(midend::elbrus::procedure& p, const pass_request& request, pass_report& report);

  /// The facts about each value, and the plan.
  static void append_report(const midend::elbrus::procedure& p, std::string& out);

  /// Why the analysis knows what it knows about a value.
  static void append_explanation(const midend::elbrus::procedure& p, midend::value_id v, std::string& out);
};

/// Bounds and remainders of values.
using value_bounds = midend::sccp_result<midend::strided_interval_domain>;

/// Why facts that branches refine, or a plan by them, are rejected, or the changed procedure is not what the plan makes
/// of it, if so.
std::optional<std::string> why_rejected(const midend::elbrus::procedure& before, const midend::elbrus::procedure& after,
                                        const value_bounds& with_branch_facts,
                                        const midend::sccp_plan<std::uint64_t>& plan);

} // namespace midend_tool
