/// The pictures of `--dot=DIR`.
#pragma once

#include "analysis.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace midend_tool {

/// One `.dot` file for each function, in a directory.
class dot_files {
public:
  /// Makes the directory if it is not there. Returns what went wrong, if anything.
  std::optional<std::string> open(const std::string& directory);

  /// Writes the picture of the function. Returns what went wrong, if anything.
  std::optional<std::string> write(std::string_view name, const analyses& answers);

private:
  /// A file name that holds nothing but letters, digits, `.`, `_` and `-`, and was not used before.
  std::string file_name(std::string_view function);

  std::string directory_;
  std::unordered_set<std::string> used_;
};

} // namespace midend_tool
