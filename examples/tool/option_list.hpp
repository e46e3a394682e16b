/// What the commands need to declare their options.
#pragma once

#include "text.hpp"

#include <midend/elbrus/nearest_word.hpp>

#include <CLI/CLI.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace midend_tool {

/// An option that may be given several times, with one value each time. The next word is not a second value.
inline CLI::Option* repeatable(CLI::Option* option) {
  return option->expected(1)->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

/// The parts between commas. An empty list has no parts.
inline std::vector<std::string_view> split_list(std::string_view list) {
  std::vector<std::string_view> out;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    out.push_back(list.substr(0, comma));
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  }
  return out;
}

/// Procedures may be given as they are written, `@NAME`, or without the sign.
inline void drop_signs(std::vector<std::string>& procedures) {
  for (std::string& name : procedures) {
    name.erase(0, name.starts_with('@') ? 1 : 0);
  }
}

/// The names of the entries of a table: `a, b, c`.
template <class Table> std::string names_of(const Table& table) {
  std::string out;
  for (const auto& entry : table) {
    append(out, out.empty() ? "" : ", ", entry.name);
  }
  return out;
}

/// What to say after a name that is in no entry of the table: `: did you mean a?`, or `, expected one of: a, b, c`.
template <class Table> std::string meant_by(std::string_view wrong, const Table& table) {
  const std::string_view nearest =
      midend::nearest_word(wrong, table, [](const auto& entry) -> std::string_view { return entry.name; });
  return nearest.empty() ? ", expected one of: " + names_of(table) : ": did you mean " + std::string(nearest) + "?";
}

} // namespace midend_tool
