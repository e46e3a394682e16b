/// Whether names are names, and tell things apart.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/detail/error_list.hpp"
#include "midend/elbrus/detail/name_index.hpp"
#include "midend/elbrus/detail/wording.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/text/lexer.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/graph/concepts.hpp"

#include <cstdint>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// Values, variables and nodes have names of their own each. What has none is fine but for variables and parameters.
class name_check {
public:
  name_check(const procedure& p, error_list& errors) : p_(p), errors_(errors) {}

  void run() {
    if (!is_identifier(p_.name())) {
      errors_.of_procedure({"'", p_.name(), "' is no name for a procedure"});
    }
    name_index nodes;
    for (node_id n = 0; n != p_.num_nodes(); ++n) {
      if (p_.node(n).name != 0 && !p_.node(n).erased) {
        node(n, nodes);
      }
    }
    name_index values;
    name_index variables;
    for (value_id v = 0; v != p_.num_values(); ++v) {
      value(v, p_.value(v).kind == value_kind::variable ? variables : values);
    }
    for (alias_id c = 0; c != p_.num_alias_classes(); ++c) {
      if (!is_identifier(p_.alias_name(c))) {
        errors_.of_procedure({"'", p_.alias_name(c), "' is no name for an alias class"});
      }
    }
  }

private:
  void node(node_id n, name_index& seen) {
    const std::string_view name = p_.node_name(n);
    if (!is_identifier(name)) {
      errors_.of_node(n, {"'", name, "' is no name for a node"});
    } else if (seen.find_or_insert(name, n) != n) {
      errors_.of_node(n, {"there are two nodes ", name});
    }
  }

  void value(value_id v, name_index& seen) {
    const value_record& record = p_.value(v);
    const bool declared = record.kind == value_kind::parameter || record.kind == value_kind::variable;
    if (declared && record.type == type::none) {
      errors_.of_value(v, {spelled(p_, v), " has no type"});
    }
    if (record.kind == value_kind::erased || (record.name == 0 && !declared)) {
      return;
    }
    const std::string_view name = p_.value_name(v);
    if (!is_identifier(name)) {
      errors_.of_value(v, {"'", name, "' is no name for a value"});
    } else if (seen.find_or_insert(name, v) != v) {
      errors_.of_value(v, {record.kind == value_kind::variable ? "there are two variables " : "there are two values ",
                           spelled(p_, v)});
    }
  }

  const procedure& p_;
  error_list& errors_;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
