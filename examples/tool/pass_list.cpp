#include "pass_list.hpp"

#include "command_help.hpp"
#include "option_list.hpp"
#include "text.hpp"

#include <string_view>

namespace midend_tool {

std::optional<std::string> read_passes(const std::string& list, pass_list& out) {
  for (const std::string_view name : split_list(list)) {
    out.passes.push_back(find_pass(name));
    out.names.emplace_back(name);
    if (out.passes.back().kind != nullptr) {
      continue;
    }
    const std::string_view before_colon = name.substr(0, name.find(':'));
    const pass_kind* const meant = find_pass(before_colon).kind;
    const std::string said = "--passes: '" + std::string(name) + "': after the colon of " + std::string(before_colon);
    if (meant != nullptr && meant->takes_number) {
      return said + " stands a number";
    }
    if (meant != nullptr && meant->read_option != nullptr) {
      return said + " stands " + std::string(meant->option_form);
    }
    return "--passes: unknown pass '" + std::string(name) + "'" + meant_by(name, pass_kinds());
  }
  return std::nullopt;
}

std::string listed_passes(const char* title) {
  std::string out = title;
  out += '\n';
  for (const pass_kind& pass : pass_kinds()) {
    std::string name(pass.name);
    if (pass.takes_number || pass.read_option != nullptr) {
      append(name, "[:", pass.takes_number ? std::string_view("N") : pass.option_help, "]");
    }
    append_help_row(out, name, pass.summary);
  }
  return out;
}

} // namespace midend_tool
