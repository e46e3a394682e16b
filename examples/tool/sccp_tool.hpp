/// Sparse conditional constant propagation for `midend opt`: pass, report and explanation, by domain.
#pragma once

#include "passes.hpp"

#include <midend/elbrus/procedure.hpp>
#include <midend/ir/ssa_values.hpp>

#include <string>

namespace midend_tool {

/// Instantiated for `flat_domain<>`, `interval_domain`, `known_bits_domain` and `number_domain`.
template <class Domain> struct sccp_tool {
  /// Changes the procedure as the plan says. The certificate proves the facts, and the change by them.
  static void run(midend::elbrus::procedure& p, const pass_request& request, pass_report& report);

  /// The facts about each value, and the plan.
  static void append_report(const midend::elbrus::procedure& p, std::string& out);

  /// Why the analysis knows what it knows about a value.
  static void append_explanation(const midend::elbrus::procedure& p, midend::value_id v, std::string& out);
};

} // namespace midend_tool
