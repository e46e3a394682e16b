/// The passes of `midend opt`.
#pragma once

#include <midend/elbrus/procedure.hpp>
#include <midend/ir/ssa_values.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace midend_tool {

/// A pass changes a procedure and returns a summary of a few words, for `--stats`.
struct pass_kind {
  std::string_view name;
  std::string_view summary;
  std::string (*run)(midend::elbrus::procedure&);
  /// Explains the facts about a value before the pass; null if the pass has none.
  void (*explain)(const midend::elbrus::procedure&, midend::value_id, std::string&) = nullptr;
};

/// All passes.
const std::vector<pass_kind>& pass_kinds();

/// The pass with this name, or null.
const pass_kind* find_pass(std::string_view name);

} // namespace midend_tool
