/// Procedures given as text, whose nodes and values tests call by name.
#pragma once

#include "kit/run_text.hpp"

#include <midend/elbrus/opcode.hpp>
#include <midend/elbrus/procedure.hpp>
#include <midend/elbrus/program.hpp>
#include <midend/graph/concepts.hpp>
#include <midend/ir/ids.hpp>

#include <string>
#include <string_view>

namespace midend_tests {

/// The node of this name, or `no_node` if there is none or it was erased.
inline midend::node_id node_named(const midend::elbrus::procedure& p, std::string_view name) {
  for (midend::node_id n = 0; n != p.num_nodes(); ++n) {
    if (!p.node(n).erased && p.node_name(n) == name) {
      return n;
    }
  }
  return midend::no_node;
}

/// The operation or parameter of this name, or `no_value` if there is none or it was erased.
inline midend::value_id value_named(const midend::elbrus::procedure& p, std::string_view name) {
  for (midend::value_id v = 0; v != p.num_values(); ++v) {
    if (p.value(v).kind != midend::elbrus::value_kind::erased && p.value_name(v) == name) {
      return v;
    }
  }
  return midend::no_value;
}

/// The name of the node of an operation, or nothing if the operation was erased.
inline std::string home_of(const midend::elbrus::procedure& p, std::string_view name) {
  const midend::value_id v = value_named(p, name);
  return v == midend::no_value ? std::string() : std::string(p.node_name(p.value(v).node));
}

/// Names for what is printed of plans and results.
struct names_of {
  const midend::elbrus::procedure& p;

  std::string value(midend::value_id v) const {
    const midend::elbrus::value_record& record = p.value(v);
    return record.kind == midend::elbrus::value_kind::constant ? std::to_string(p.literal_bits(v))
           : p.value_name(v).empty()                           ? std::string(midend::elbrus::name_of(record.code))
                                                               : "%" + std::string(p.value_name(v));
  }

  std::string node(midend::node_id n) const { return std::string(p.node_name(n)); }
};

/// The first procedure of a text.
struct parsed_procedure {
  midend::elbrus::program program;

  explicit parsed_procedure(std::string_view text) : program(program_of(text)) {}

  midend::elbrus::procedure& procedure() { return program.procedures[0]; }

  const midend::elbrus::procedure& procedure() const { return program.procedures[0]; }

  midend::node_id node(std::string_view name) const { return node_named(procedure(), name); }

  midend::value_id value(std::string_view name) const { return value_named(procedure(), name); }
};

} // namespace midend_tests
