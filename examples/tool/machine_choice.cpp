#include "machine_choice.hpp"

#include "eir_file.hpp"
#include "text.hpp"

#include <midend/machine/e2k.hpp>
#include <midend/machine/machine_file.hpp>
#include <midend/machine/scalar_core.hpp>
#include <midend/viz/machine.hpp>

#include <array>
#include <cstdio>
#include <string_view>

namespace midend_tool {
namespace {

struct known_machine {
  std::string_view name;
  midend::machine_model (*make)();
};

constexpr std::array<known_machine, 3> known_machines = {{{"e2k_reference_v6", midend::e2k_reference_v6},
                                                          {"e2k_guide_v4", midend::e2k_guide_v4},
                                                          {"scalar_core", midend::scalar_core}}};

} // namespace

std::string machine_names() {
  std::string names;
  for (const known_machine& m : known_machines) {
    append(names, names.empty() ? "" : ", ", m.name);
  }
  return names;
}

std::optional<midend::machine_model> find_machine(const std::string& name_or_file) {
  for (const known_machine& m : known_machines) {
    if (m.name == name_or_file) {
      return m.make();
    }
  }
  std::string text;
  if (const auto problem = read_text(name_or_file, text)) {
    std::fprintf(stderr, "%s (known names: %s)\n", problem->c_str(), machine_names().c_str());
    return std::nullopt;
  }
  const auto read = midend::read_machine(text);
  if (!read) {
    std::fprintf(stderr, "%s\n", midend::to_text(read.error(), name_or_file).c_str());
    return std::nullopt;
  }
  return *read;
}

} // namespace midend_tool
