/// The passes of `midend opt`.
#pragma once

#include <midend/elbrus/procedure.hpp>
#include <midend/ir/ssa_values.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace midend_tool {

/// What a pass is asked for.
struct pass_request {
  std::optional<std::size_t> number; ///< what stands after the colon, if something does
  bool certify = false;              ///< `--verify-each`: check the certificate
  bool record = false;               ///< `--print-changes`: say each change
};

/// What a pass did.
struct pass_report {
  std::string summary;              ///< a few words, for `--stats`
  std::string changes;              ///< line by line, if they are recorded
  std::optional<std::string> fault; ///< why the certificate is rejected
  bool is_certified = false;        ///< there is a certificate, and it was checked
};

/// How a pass treats a procedure that still has variables.
enum class variable_policy : std::uint8_t {
  handles, ///< it is about variables
  ignores, ///< it is right, but knows nothing about them
  refuses  ///< it is not run
};

/// A pass changes a procedure.
struct pass_kind {
  std::string_view name;
  std::string_view summary;
  void (*run)(midend::elbrus::procedure&, const pass_request&, pass_report&);
  /// Explains the facts about a value before the pass; null if the pass has none.
  void (*explain)(const midend::elbrus::procedure&, midend::value_id, std::string&) = nullptr;
  variable_policy variables = variable_policy::handles;
  bool takes_number = false; ///< `NAME:N`
  /// Reads what stands after the colon of a pass whose option is no plain number; null for others.
  std::optional<std::size_t> (*read_option)(std::string_view) = nullptr;
  std::string_view option_form = {}; ///< what such an option looks like
  std::string_view option_help = {}; ///< the same in the list of passes
  /// Says why two values are equal, or what tells them apart; null if the pass does not compare values.
  void (*compare)(const midend::elbrus::procedure&, midend::value_id, midend::value_id, std::string&) = nullptr;
};

/// All passes.
const std::vector<pass_kind>& pass_kinds();

/// A pass with its option.
struct chosen_pass {
  const pass_kind* kind = nullptr; ///< null: there is no such pass
  std::optional<std::size_t> number;
};

/// The pass that is called so in `--passes`.
chosen_pass find_pass(std::string_view name);

} // namespace midend_tool
