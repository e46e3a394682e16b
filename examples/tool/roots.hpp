/// `--roots` and `--roots-from`: where the roots of post-dominator trees come from.
#pragma once

#include "analysis.hpp"

#include <corpus/corpus.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace midend_tool {

/// The names of the policies that `--roots` takes, separated by `separator`. The first one is the default.
std::string root_policy_names(std::string_view separator);

class root_source {
public:
  /// Chooses the policy with this name. Returns false if there is none.
  bool use_policy(std::string_view name);

  /// Takes the roots from the `proots` lines of this `.expect` file. Returns an error message, if any.
  std::optional<std::string> use_file(const std::string& path);

  /// The policy for `f`, which refers to this object. On failure returns nothing and sets `error`.
  std::optional<root_policy> policy_for(const midend_corpus::cfg_function& f, std::string& error) const;

private:
  root_policy policy_;
  std::string path_; ///< empty: the policy is used
  std::vector<midend_corpus::function_roots> roots_;
  std::unordered_map<std::string_view, const midend_corpus::function_roots*> by_name_;
};

} // namespace midend_tool
