#include "kinds.hpp"

#include <algorithm>
#include <array>

namespace midend_tool {
namespace {

struct kind_entry {
  std::string_view name;
  kind value;
};

constexpr std::array kinds{
    kind_entry{"idom", kind::idom}, kind_entry{"df", kind::df},         kind_entry{"ipdom", kind::ipdom},
    kind_entry{"scc", kind::scc},   kind_entry{"loop", kind::loop},     kind_entry{"cycle", kind::cycle},
    kind_entry{"phi", kind::phi},   kind_entry{"livein", kind::livein},
};

} // namespace

kind_set all_kinds() {
  kind_set all;
  for (const kind_entry& entry : kinds) {
    all.insert(entry.value);
  }
  return all;
}

std::string kind_names() {
  std::string names;
  for (const kind_entry& entry : kinds) {
    names += names.empty() ? "" : ",";
    names += entry.name;
  }
  return names;
}

std::optional<std::string> parse_kinds(std::string_view list, kind_set& out) {
  for (;;) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string_view name = list.substr(0, comma);
    const auto* const entry =
        std::find_if(kinds.begin(), kinds.end(), [&](const kind_entry& candidate) { return candidate.name == name; });
    if (entry == kinds.end()) {
      return "unknown kind '" + std::string(name) + "', expected one of: " + kind_names();
    }
    out.insert(entry->value);
    if (comma == list.size()) {
      return std::nullopt;
    }
    list.remove_prefix(comma + 1);
  }
}

} // namespace midend_tool
