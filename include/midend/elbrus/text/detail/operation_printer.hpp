/// `operation_printer`: writes operations of the Elbrus-like IR.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/literal.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/text/detail/entry_order.hpp"
#include "midend/elbrus/text/detail/printed_names.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ssa_values.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// Appends operations of a procedure to a text. Each function is named after what it writes.
class operation_printer {
public:
  operation_printer(const procedure& p, std::string& text) : p_(p), names_(p), text_(text), entries_(p) {}

  const printed_names& names() const { return names_; }

  void operation(value_id v) {
    const value_record& record = p_.value(v);
    if (record.variable != no_value) {
      reference(record.variable);
      put(" = ");
    } else if (record.type != type::none) {
      put("%");
      names_.append_value(text_, v);
      put(" = ");
    }
    put(name_of(record.code));
    switch (info_of(record.code).form) {
    case opcode_form::comparison:
    case opcode_form::conversion:
      types(record.operand_type,
            record.code >= opcode::trunc && record.code <= opcode::ftoi ? record.type : type::none);
      arguments(v);
      break;
    case opcode_form::memory:
      memory(v);
      break;
    case opcode_form::call:
      call(v);
      break;
    case opcode_form::phi:
      phi(v);
      break;
    case opcode_form::terminator:
      terminator(v);
      return;
    default:
      types(record.type, type::none);
      arguments(v);
    }
    flags(record.flags);
    guard(v);
  }

  /// As an operand of type `expected`: a literal of another type says so.
  void operand(value_id v, type expected) {
    if (v == no_value) {
      put("?"); // not set: no text in the language
      return;
    }
    const value_record& record = p_.value(v);
    if (record.kind != value_kind::constant && record.kind != value_kind::undefined) {
      reference(v);
      return;
    }
    if (record.type != expected) {
      put(name_of(record.type), " ");
    }
    if (record.kind == value_kind::undefined) {
      put("undef");
    } else {
      append_literal(text_, record.type, record.bits);
    }
  }

private:
  template <class... Words> void put(const Words&... words) { (text_.append(words), ...); }

  void number(std::uint64_t n) { append_number(text_, n); }

  void types(type first, type second) {
    for (const type t : {first, second}) {
      if (t != type::none) {
        put(".", name_of(t));
      }
    }
  }

  void arguments(value_id v) {
    const char* separator = " ";
    const std::span<const value_id> all = p_.arguments(v);
    for (std::size_t i = 0; i != all.size(); ++i) {
      put(separator);
      operand(all[i], argument_type(p_.value(v), i));
      separator = ", ";
    }
  }

  /// What a literal is without saying so.
  static type argument_type(const value_record& record, std::size_t i) {
    if (record.code == opcode::select && i == 0) {
      return type::i1;
    }
    return record.operand_type != type::none ? record.operand_type : record.type;
  }

  void reference(value_id v) {
    put(p_.value(v).kind == value_kind::variable ? "$" : "%");
    names_.append_value(text_, v);
  }

  void flags(attributes f) {
    const std::pair<bool, std::string_view> all[] = {{f.nsw, " nsw"},
                                                     {f.assoc, " assoc"},
                                                     {f.spec, " spec"},
                                                     {f.is_volatile, " volatile"},
                                                     {f.noreturn, " noreturn"}};
    for (const auto& [is_set, word] : all) {
      if (is_set) {
        put(word);
      }
    }
  }

  void guard(value_id v) {
    if (const value_id g = p_.guard(v); g != no_value) {
      put(p_.value(v).guard_negated ? " ? ~" : " ? ");
      operand(g, type::i1);
    }
    if (const value_id o = p_.otherwise(v); o != no_value) {
      put(" : ");
      operand(o, p_.value(v).type);
    }
  }

  void memory(value_id v) {
    const value_record& record = p_.value(v);
    types(record.code == opcode::st ? record.operand_type : record.type, type::none);
    std::span<const value_id> all = p_.arguments(v);
    if (record.code == opcode::st && !all.empty()) {
      put(" ");
      operand(all[0], record.operand_type);
      put(",");
      all = all.subspan(1);
    }
    put(" [");
    address(p_.access(v), all);
    put("]");
    if (p_.access(v).alias != no_alias) {
      put(" alias=", p_.alias_name(p_.access(v).alias));
    }
  }

  /// The scale is left out if it is 1 and the index cannot be taken for an offset.
  void address(const memory_access& access, std::span<const value_id> parts) {
    if (!parts.empty()) {
      operand(parts[0], type::ptr);
    }
    if (access.indexed && parts.size() > 1) {
      put(" + ");
      operand(parts[1], type::i64);
      const bool is_literal = parts[1] != no_value && p_.value(parts[1]).kind == value_kind::constant;
      if (access.scale != 1 || is_literal) {
        put("*");
        number(access.scale);
      }
    }
    if (access.offset != 0) {
      put(access.offset < 0 ? " - " : " + ");
      const auto bits = static_cast<std::uint64_t>(access.offset);
      number(access.offset < 0 ? 0 - bits : bits);
    }
  }

  /// Arguments say their type: what the callee takes may stand elsewhere.
  void call(value_id v) {
    const call_record& record = p_.call(v);
    types(p_.value(v).type, type::none);
    put(" @", record.callee == 0 ? "0" : p_.text(record.callee), "(");
    const char* separator = "";
    for (const value_id argument : p_.arguments(v)) {
      put(separator);
      operand(argument, type::none);
      separator = ", ";
    }
    put(")");
    if (record.clobbers == clobber_kind::nothing ||
        (record.clobbers == clobber_kind::listed && p_.clobbered(v).empty())) {
      put(" clobbers=none");
    } else if (record.clobbers == clobber_kind::listed) {
      separator = " clobbers=";
      for (const alias_id c : p_.clobbered(v)) {
        put(separator, p_.alias_name(c));
        separator = ",";
      }
    }
  }

  /// Entries in the order of the nodes and of their terminators.
  void phi(value_id v) {
    types(p_.value(v).type, type::none);
    const char* separator = " [";
    for (const edge_id e : entries_.of(p_.value(v).node)) {
      put(separator);
      names_.append_node(text_, p_.edge_source(e));
      put(": ");
      operand(p_.phi_input(v, e), p_.value(v).type);
      put("]");
      separator = ", [";
    }
  }

  void terminator(value_id v) {
    const value_record& record = p_.value(v);
    const std::span<const edge_id> edges = p_.out_edges(record.node);
    if (record.code == opcode::switch_) {
      types(record.operand_type, type::none);
      arguments(v);
      cases(edges, record.operand_type);
      return;
    }
    if (record.code == opcode::ret) {
      for (const value_id result : p_.arguments(v)) {
        put(" ");
        operand(result, p_.result_type());
      }
      return;
    }
    arguments(v);
    const char* separator = record.code == opcode::branch ? " ? " : " ";
    for (const edge_id e : edges) {
      put(separator);
      target(e);
      separator = " : ";
    }
  }

  void cases(std::span<const edge_id> edges, type t) {
    put(" ");
    for (const edge_id e : edges) {
      if (p_.edge(e).is_default) {
        put("default: ");
        target(e);
      } else {
        put("[");
        append_literal(text_, t, p_.edge(e).case_value);
        put(": ");
        target(e);
        put("], ");
      }
    }
  }

  void target(edge_id e) {
    names_.append_node(text_, p_.edge_target(e));
    if (p_.edge(e).probability >= 0) {
      put("(");
      append_number(text_, p_.edge(e).probability);
      put(")");
    }
  }

  const procedure& p_;
  printed_names names_;
  std::string& text_;
  entry_order entries_;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
