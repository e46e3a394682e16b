/// The answers of `midend cfg` as JSON.
#pragma once

#include "analysis.hpp"
#include "kinds.hpp"
#include "output.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace midend_tool {

/// Writes one object a line for each function, with a member for each kind; docs/tool.md describes them.
class json_record_writer {
public:
  json_record_writer(kind_set kinds, output& out) : kinds_(kinds), out_(out) {}

  void write(std::string_view name, const analyses& answers);

private:
  void write_loops(const midend::loop_forest& loops);
  void write_cycles(const midend::cycle_forest& cycles);
  void id(std::uint32_t n); ///< `null` for none
  void key(std::string_view name);
  template <class Of> void by_block(std::string_view name, std::size_t count, Of of);
  template <class Nodes> void list(const Nodes& nodes);
  template <class Nodes> void sorted(const Nodes& nodes);
  template <class Lists> void lists(std::string_view name, std::size_t count, Lists list_of);

  kind_set kinds_;
  output& out_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> number_;
  std::vector<midend::node_id> nodes_;
};

} // namespace midend_tool
