/// The kinds of records that `midend cfg` prints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace midend_tool {

/// In the order of the lines in a record. `proots` comes with `ipdom` and cannot be selected alone.
enum class kind : std::uint8_t { idom, df, ipdom, scc, loop, cycle, phi, livein };

/// A set of kinds.
class kind_set {
public:
  constexpr kind_set() = default;

  constexpr void insert(kind k) { bits_ |= bit(k); }

  constexpr bool contains(kind k) const { return (bits_ & bit(k)) != 0; }

private:
  static constexpr std::uint32_t bit(kind k) { return std::uint32_t{1} << static_cast<unsigned>(k); }

  std::uint32_t bits_ = 0;
};

kind_set all_kinds();

/// Their names, separated by commas.
std::string kind_names();

/// Reads a list like `idom,scc`. Returns an error message, if any.
std::optional<std::string> parse_kinds(std::string_view list, kind_set& out);

} // namespace midend_tool
