/// What the commands need to declare their options.
#pragma once

#include "text.hpp"

#include <midend/elbrus/nearest_word.hpp>

#include <CLI/CLI.hpp>

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace midend_tool {

/// An option that may be given several times, with one value each time. The next word is not a second value.
inline CLI::Option* repeatable(CLI::Option* option) {
  return option->expected(1)->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

/// What a wrong number is told, without the number: `a whole number from 1 to 1024`.
inline CLI::Validator whole_number_between(std::uint64_t least, std::uint64_t most) {
  const auto check = [least, most](std::string& text) {
    std::uint64_t value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault != std::errc() || end != text.data() + text.size() || value < least || value > most) {
      return "'" + text + "' is not a whole number from " + std::to_string(least) + " to " + std::to_string(most);
    }
    text = std::to_string(value); // leading zeros make no octal number
    return std::string();
  };
  return CLI::Validator(check, "");
}

/// The same of numbers with fractions.
inline CLI::Validator number_between(int least, int most) {
  const auto check = [least, most](std::string& text) {
    double value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_in = value >= least && value <= most; // not a number is not
    return fault != std::errc() || end != text.data() + text.size() || !is_in
               ? "'" + text + "' is not a number from " + std::to_string(least) + " to " + std::to_string(most)
               : std::string();
  };
  return CLI::Validator(check, "");
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

/// The same as strings.
inline std::vector<std::string> split_words(std::string_view list) {
  const std::vector<std::string_view> parts = split_list(list);
  return {parts.begin(), parts.end()};
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

/// The same names, one by one.
template <class Table> std::vector<std::string> words_of_table(const Table& table) {
  std::vector<std::string> out;
  for (const auto& entry : table) {
    out.emplace_back(entry.name);
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
