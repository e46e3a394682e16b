/// The report of `midend opt --print=cost`.
#pragma once

#include <midend/elbrus/procedure.hpp>

#include <string>

namespace midend_tool {

/// Appends what a procedure in SSA form costs on `e2k_reference_v6` each time that it is entered: in all, by loop, and
/// by node outside of the loops that are measured as one body.
void append_cost_report(const midend::elbrus::procedure& p, std::string& out);

} // namespace midend_tool
