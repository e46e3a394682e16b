/// Words for the parts of a procedure, for messages.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/literal.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/graph/concepts.hpp"

#include <initializer_list>
#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

inline std::string joined(std::initializer_list<std::string_view> words) {
  std::string all;
  for (const std::string_view word : words) {
    all += word;
  }
  return all;
}

/// `add.i32`, `zext.i8.i32`, `st.f64`, `br`.
inline std::string spelled(const value_record& operation) {
  const opcode_info& info = info_of(operation.code);
  std::string text(info.name);
  if (operation.operand_type != type::none && operation.code != opcode::branch && operation.code != opcode::ret) {
    text += '.';
    text += name_of(operation.operand_type);
  }
  if (operation.type != type::none && info.form != opcode_form::comparison) {
    text += '.';
    text += name_of(operation.type);
  }
  return text;
}

/// `%x`, `$x`, `-1`, `undef`; what has no name goes by its number.
inline std::string spelled(const procedure& p, value_id v) {
  const value_record& record = p.value(v);
  if (record.kind == value_kind::undefined) {
    return "undef";
  }
  if (record.kind == value_kind::constant) {
    return literal_text(record.type, record.bits);
  }
  const std::string_view sign = record.kind == value_kind::variable ? "$" : "%";
  return record.name == 0 ? joined({sign, "#", std::to_string(v)}) : joined({sign, p.value_name(v)});
}

inline std::string spelled_node(const procedure& p, node_id n) {
  return p.node(n).name == 0 ? "#" + std::to_string(n) : std::string(p.node_name(n));
}

/// What an operation goes by: the value that it makes, the variable that it writes, or what it does.
inline std::string spelled_operation(const procedure& p, value_id v) {
  const value_record& record = p.value(v);
  if (record.variable != no_value) {
    return spelled(p, record.variable);
  }
  return record.name != 0 ? joined({"%", p.value_name(v)}) : spelled(record);
}

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
