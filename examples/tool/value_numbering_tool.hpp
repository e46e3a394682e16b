/// Value numbering for `midend opt`: pass, report and explanations, by domain.
#pragma once

#include "passes.hpp"

#include <midend/dataflow/domains/strided_interval_domain.hpp>
#include <midend/elbrus/procedure.hpp>
#include <midend/ir/ssa_values.hpp>
#include <midend/ssa/value_numbering_plan.hpp>
#include <midend/ssa/value_numbering_result.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace midend_tool {

/// Instantiated for `flat_domain<>`, `interval_domain`, `known_bits_domain` and `number_domain`.
template <class Domain> struct value_numbering_tool {
  /// Changes the procedure as the plan says. The certificate proves the classes and facts (`verify_congruence`), the
  /// plan by them (`verify_phis_of_operations`, `verify_sccp_plan`), and the change by that.
  static void run(midend::elbrus::procedure& p, const pass_request& request, pass_report& report);

  /// The classes, the facts about each value, and the plan.
  static void append_report(const midend::elbrus::procedure& p, std::string& out);

  /// Why a value is in its class, and why the analysis knows what it knows about it.
  static void append_explanation(const midend::elbrus::procedure& p, midend::value_id v, std::string& out);

  /// Why two values are equal, or what tells them apart.
  static void append_comparison(const midend::elbrus::procedure& p, midend::value_id v, midend::value_id w,
                                std::string& out);
};

/// Why classes, or a plan by them, are rejected, or the changed procedure is not what the plan makes of it, if so.
std::optional<std::string> why_rejected(const midend::elbrus::procedure& before, const midend::elbrus::procedure& after,
                                        const midend::value_numbering_result<midend::strided_interval_domain>& found,
                                        const midend::value_numbering_plan<std::uint64_t>& plan);

} // namespace midend_tool
