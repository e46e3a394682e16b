/// The pictures of `--dot=DIR`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace midend_tool {

/// One `.dot` file for each function or procedure, in a directory.
class dot_files {
public:
  /// Makes the directory if it is not there. Returns an error message, if any.
  std::optional<std::string> open(const std::string& directory);

  /// Writes a picture of a function; `step` is appended to its name. Returns an error message, if any.
  std::optional<std::string> write(std::string_view function, std::string_view picture, std::string_view step = {});

private:
  /// A file name that holds nothing but letters, digits, `.`, `_` and `-`, and was not used before.
  std::string file_name(std::string_view function, std::string_view step);

  std::string directory_;
  std::unordered_set<std::string> used_;
};

} // namespace midend_tool
