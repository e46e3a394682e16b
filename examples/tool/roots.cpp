#include "roots.hpp"

#include "graph_file.hpp"

#include <array>
#include <utility>

namespace midend_tool {
namespace {

const std::array<std::pair<std::string_view, root_policy>, 2> policies{{
    {"virtual_edge_per_endless_region", midend::virtual_edge_per_endless_region},
    {"exits_only", midend::exits_only},
}};

} // namespace

std::string root_policy_names(std::string_view separator) {
  std::string names;
  for (const auto& [name, policy] : policies) {
    names += names.empty() ? "" : separator;
    names += name;
  }
  return names;
}

bool root_source::use_policy(std::string_view name) {
  for (const auto& [known, policy] : policies) {
    if (known == name) {
      policy_ = policy;
      return true;
    }
  }
  return false;
}

std::optional<std::string> root_source::use_file(const std::string& path) {
  std::string text;
  if (const auto error = midend_corpus::read_text(path, text)) {
    return error->to_string();
  }
  if (const auto error = midend_corpus::parse_roots(text, midend_corpus::name_in_messages(path), roots_)) {
    return with_source(*error, text);
  }
  path_ = path;
  for (const midend_corpus::function_roots& f : roots_) {
    by_name_.emplace(f.name, &f);
  }
  return std::nullopt;
}

std::optional<root_policy> root_source::policy_for(const midend_corpus::cfg_function& f, std::string& error) const {
  if (path_.empty()) {
    return policy_;
  }
  const auto found = by_name_.find(f.name);
  if (found == by_name_.end()) {
    error = path_ + ": error: there is no function '" + f.name + "'";
    return std::nullopt;
  }
  for (const std::uint32_t root : found->second->roots) {
    if (root >= f.num_nodes()) {
      error = path_ + ":" + std::to_string(found->second->line) + ": error: function '" + f.name + "' has " +
              std::to_string(f.num_nodes()) + " blocks, and no block " + std::to_string(root);
      return std::nullopt;
    }
  }
  return midend::given_roots{found->second->roots};
}

} // namespace midend_tool
