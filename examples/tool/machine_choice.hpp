/// Machines by name, or from files.
#pragma once

#include <midend/machine/machine_model.hpp>

#include <optional>
#include <string>
#include <vector>

namespace midend_tool {

/// The names of the machines that need no file: `a, b, c`, the default first.
std::string machine_names();

/// The same, one by one.
std::vector<std::string> split_machine_names();

/// The machine with this name, or the one that this file describes. On failure, prints the reason and returns nothing.
std::optional<midend::machine_model> find_machine(const std::string& name_or_file);

} // namespace midend_tool
