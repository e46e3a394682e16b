#include "usage_errors.hpp"

#include "command_help.hpp"
#include "option_list.hpp"

#include <midend/elbrus/nearest_word.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <string_view>
#include <vector>

namespace midend_tool {
namespace {

std::string did_you_mean(std::string_view wrong, const std::vector<std::string>& known) {
  const std::string_view nearest =
      midend::nearest_word(wrong, known, [](const std::string& k) -> std::string_view { return k; });
  return nearest.empty() ? std::string() : ": did you mean " + std::string(nearest) + "?";
}

std::string unknown_command(const std::string& word, std::span<const command> commands) {
  std::vector<std::string> names;
  std::string list;
  for (const command& c : commands) {
    names.push_back(c.app->get_name());
    append(list, list.empty() ? "" : ", ", names.back());
  }
  const std::string meant = did_you_mean(word, names);
  return "unknown command '" + word + "'" + (meant.empty() ? ", expected one of: " + list : meant);
}

/// A word that is no option of the app, or one positional too many.
std::string unexpected(const std::string& word, const CLI::App& app) {
  if (word.size() < 2 || word.front() != '-') {
    return "unexpected argument '" + word + "'";
  }
  std::vector<std::string> names;
  for (const CLI::Option* o : app.get_options()) {
    for (const std::string& name : names_of_option(*o)) {
      names.push_back(name);
    }
  }
  const std::string option = word.substr(0, word.find('='));
  return "unknown option '" + option + "'" + did_you_mean(option, names);
}

/// The option that an error of CLI11 is about: its message begins with the name.
const CLI::Option* option_of(const std::string& message, const CLI::App& app) {
  for (const CLI::Option* o : app.get_options()) {
    const std::string name = o->get_name();
    if (message.starts_with(name + " ") || message.starts_with(name + ":")) {
      return o;
    }
  }
  return nullptr;
}

std::string wrong_value(const std::string& message, const CLI::Option& o, const CLI::ParseError& error) {
  const std::string name = o.get_name();
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError)) {
    return name + (o.get_positional() ? "" : " " + o.get_type_name()) + " is missing";
  }
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ArgumentMismatch)) {
    if (o.get_items_expected_max() == 0) {
      return name + " takes no value";
    }
    return o.count() > 1 || message.find("At ") != std::string::npos ? name + " is given more than once"
                                                                     : name + " needs a value: " + o.get_type_name();
  }
  return message;
}

} // namespace

std::string usage_error(const CLI::ParseError& error, const CLI::App& tool, std::span<const command> commands) {
  const auto parsed = std::find_if(commands.begin(), commands.end(), [](const command& c) { return c.app->parsed(); });
  const CLI::App& app = parsed == commands.end() ? tool : *parsed->app;
  const std::string head = parsed == commands.end() ? "midend: " : "midend " + app.get_name() + ": ";
  const std::vector<std::string> left = app.remaining();
  const std::string message = error.what();
  if (!left.empty() && error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    return head + (parsed == commands.end() && !left[0].starts_with('-') ? unknown_command(left[0], commands)
                                                                         : unexpected(left[0], app));
  }
  if (parsed == commands.end() && !left.empty()) { // CLI11 misses the command first
    return head + (left[0].starts_with('-') ? unexpected(left[0], app) : unknown_command(left[0], commands));
  }
  const CLI::Option* const option = option_of(message, app);
  return head + (option != nullptr ? wrong_value(message, *option, error) : message);
}

} // namespace midend_tool
