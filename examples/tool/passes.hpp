/// The passes of `midend opt`.
#pragma once

#include <midend/elbrus/procedure.hpp>
#include <midend/ir/ssa_values.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace midend_tool {

/// A pass changes a procedure and says in a few words what it did, for `--stats`.
struct pass_kind {
  std::string_view name;
  std::string_view summary;
  std::string (*run)(midend::elbrus::procedure&);
  /// Says why so much is known of a value before the pass; null if that is not a matter of the pass.
  void (*explain)(const midend::elbrus::procedure&, midend::value_id, std::string&) = nullptr;
};

/// All there are.
const std::vector<pass_kind>& pass_kinds();

/// The one with this name, or null.
const pass_kind* find_pass(std::string_view name);

} // namespace midend_tool
