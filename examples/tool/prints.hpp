/// The reports of `midend opt --print=…`.
#pragma once

#include <midend/elbrus/procedure.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace midend_tool {

/// A report: its name, what it is, and the function that appends it to a text.
struct report_kind {
  std::string_view name;
  std::string_view summary;
  void (*append)(const midend::elbrus::procedure&, std::string&);
};

/// All reports.
const std::vector<report_kind>& report_kinds();

/// The report with this name, or null.
const report_kind* find_report(std::string_view name);

} // namespace midend_tool
