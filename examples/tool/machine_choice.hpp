/// Machines by name, or from files.
#pragma once

#include <midend/machine/machine_model.hpp>

#include <optional>
#include <string>

namespace midend_tool {

/// The names of the machines that need no file: `a, b, c`, the first being the one that is taken if nothing is said.
std::string machine_names();

/// The machine of that name, or the one that a file describes. If there is none, the reason is printed.
std::optional<midend::machine_model> find_machine(const std::string& name_or_file);

} // namespace midend_tool
