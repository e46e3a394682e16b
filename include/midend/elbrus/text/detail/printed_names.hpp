/// What the parts of a procedure are called in text.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/detail/name_index.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/text/lexer.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ssa_values.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// Numbers what has no name, what has one that is none in the language, and what has that of something before it.
/// Values, variables and nodes are numbered apart, in the order of the text.
class printed_names {
public:
  explicit printed_names(const procedure& p) : p_(p), values_(p.num_values(), named), nodes_(p.num_nodes(), named) {
    name_values();
    name_variables();
    name_nodes();
  }

  /// Of a parameter, variable or operation with a result, without the sign.
  void append_value(std::string& text, value_id v) const { append(text, values_[v], p_.value_name(v)); }

  void append_node(std::string& text, node_id n) const { append(text, nodes_[n], p_.node_name(n)); }

private:
  static constexpr std::uint32_t named = 0xffff'ffff;

  static void append(std::string& text, std::uint32_t number, std::string_view name) {
    if (number == named) {
      text += name;
    } else {
      text += std::to_string(number);
    }
  }

  void name_values() {
    name_index seen;
    std::uint32_t numbered = 0;
    for (const value_id v : p_.parameters()) {
      give_name(seen, numbered, values_[v], p_.value_name(v), v);
    }
    for (node_id n = 0; n != p_.num_nodes(); ++n) {
      for (const value_id v : p_.values(n)) {
        if (p_.value(v).type != type::none && p_.value(v).variable == no_value) {
          give_name(seen, numbered, values_[v], p_.value_name(v), v);
        }
      }
    }
  }

  void name_variables() {
    name_index seen;
    std::uint32_t numbered = 0;
    for (const value_id v : p_.variables()) {
      give_name(seen, numbered, values_[v], p_.value_name(v), v);
    }
  }

  void name_nodes() {
    name_index seen;
    std::uint32_t numbered = 0;
    for (node_id n = 0; n != p_.num_nodes(); ++n) {
      if (!p_.node(n).erased) {
        give_name(seen, numbered, nodes_[n], p_.node_name(n), n);
      }
    }
  }

  static void give_name(name_index& seen, std::uint32_t& numbered, std::uint32_t& number, std::string_view name,
                        std::uint32_t owner) {
    if (!is_identifier(name) || seen.find_or_insert(name, owner) != owner) {
      number = numbered++;
    }
  }

  const procedure& p_;
  std::vector<std::uint32_t> values_;
  std::vector<std::uint32_t> nodes_;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
