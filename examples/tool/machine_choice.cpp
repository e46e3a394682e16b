#include "machine_choice.hpp"

#include "eir_file.hpp"
#include "messages.hpp"
#include "text.hpp"

#include <corpus/corpus.hpp>

#include <midend/machine/e2k.hpp>
#include <midend/machine/machine_file.hpp>
#include <midend/machine/scalar_core.hpp>
#include <midend/viz/machine.hpp>

#include <array>
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

std::vector<std::string> split_machine_names() {
  std::vector<std::string> names;
  for (const known_machine& m : known_machines) {
    names.emplace_back(m.name);
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
    print_message(*problem + " (known names: " + machine_names() + ")");
    return std::nullopt;
  }
  const auto read = midend::read_machine(text);
  if (!read) {
    print_message(midend::to_text(read.error(), midend_corpus::name_in_messages(name_or_file)) +
                  source_excerpt(text, read.error().line, read.error().column));
    return std::nullopt;
  }
  return *read;
}

} // namespace midend_tool
