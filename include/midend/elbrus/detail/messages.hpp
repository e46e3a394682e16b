/// Messages about programs, in parts that become text only when there is something to say.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/diagnostic.hpp"
#include "midend/elbrus/literal.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/graph/concepts.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// A part of a message: text, a number, or something of a procedure. Cheap to make: checks write
/// `{spelled(p, v), " has no type"}` where they find an error, and all strings are made in one function, out of line.
class message_part {
public:
  constexpr message_part(const char* text) : text_(text) {}

  constexpr message_part(std::string_view text) : text_(text) {}

  message_part(const std::string& text) : text_(text) {}

  template <std::integral Number>
  constexpr message_part(Number n)
      : kind_(n < 0 ? kind::negative : kind::number), number_(static_cast<std::uint64_t>(n)) {}

  /// A piece of a file in single quotes, with a sign in front of it: bytes that are not printable ASCII are shown as
  /// numbers, long pieces are cut.
  static constexpr message_part quoted(std::string_view sign, std::string_view text) {
    message_part out(text);
    out.kind_ = kind::quoted;
    out.sign_ = sign.empty() ? '\0' : sign[0];
    return out;
  }

  /// `%x`, `$x`, `-1`, `undef`; a value without a name is shown by its number.
  static message_part value(const procedure& p, value_id v) { return {kind::value, &p, v}; }

  /// The name of a node, or its number.
  static message_part node(const procedure& p, node_id n) { return {kind::node, &p, n}; }

  /// `add.i32`, `zext.i8.i32`, `st.f64`, `br`.
  static message_part instruction(const procedure& p, value_id v) { return {kind::instruction, &p, v}; }

  /// How a message names an operation: by the value that it makes, the variable that it writes, or what it does.
  static message_part operation(const procedure& p, value_id v) {
    const value_core& record = p.core(v);
    return record.variable != no_value ? value(p, record.variable)
           : !p.value_name(v).empty()  ? value(p, v)
                                       : instruction(p, v);
  }

  void append_to(std::string& out) const {
    switch (kind_) {
    case kind::text:
      out += text_;
      break;
    case kind::quoted:
      append_quoted(out);
      break;
    case kind::number:
      append_number(out, number_);
      break;
    case kind::negative:
      append_number(out, static_cast<std::int64_t>(number_));
      break;
    case kind::value:
      append_value(out, static_cast<value_id>(number_));
      break;
    case kind::node:
      append_name(out, procedure_->node_name(static_cast<node_id>(number_)));
      break;
    case kind::instruction:
      append_instruction(out, procedure_->core(static_cast<value_id>(number_)));
    }
  }

private:
  enum class kind : std::uint8_t { text, quoted, number, negative, value, node, instruction };

  message_part(kind k, const procedure* p, std::uint32_t number) : kind_(k), number_(number), procedure_(p) {}

  void append_quoted(std::string& out) const {
    constexpr std::size_t longest = 40;
    constexpr std::string_view digits = "0123456789abcdef";
    std::string whole(sign_ == '\0' ? 0 : 1, sign_);
    whole += text_;
    out += '\'';
    for (const char c : std::string_view(whole).substr(0, longest)) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20 || byte >= 0x7f) {
        out += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
      } else {
        out += c;
      }
    }
    out += whole.size() > longest ? "...'" : "'";
  }

  void append_name(std::string& out, std::string_view name) const {
    if (name.empty()) {
      out += '#';
      append_number(out, number_);
    } else {
      out += name;
    }
  }

  void append_value(std::string& out, value_id v) const {
    const value_core& record = procedure_->core(v);
    if (record.kind == value_kind::undefined) {
      out += "undef";
    } else if (record.kind == value_kind::constant) {
      append_literal(out, record.type, procedure_->literal_bits(v));
    } else {
      out += record.kind == value_kind::variable ? '$' : '%';
      append_name(out, procedure_->value_name(v));
    }
  }

  static void append_instruction(std::string& out, const value_core& record) {
    const opcode_info& info = info_of(record.code);
    out += info.name;
    if (record.operand_type != type::none && record.code != opcode::branch && record.code != opcode::ret) {
      out += '.';
      out += name_of(record.operand_type);
    }
    if (record.type != type::none && info.form != opcode_form::comparison) {
      out += '.';
      out += name_of(record.type);
    }
  }

  kind kind_ = kind::text;
  char sign_ = '\0';
  std::string_view text_ = {};
  std::uint64_t number_ = 0;
  const procedure* procedure_ = nullptr;
};

using message = std::initializer_list<message_part>;

MIDEND_SELDOM_CALLED inline std::string text_of(message words) {
  std::string all;
  for (const message_part& word : words) {
    word.append_to(all);
  }
  return all;
}

MIDEND_SELDOM_CALLED inline void add_diagnostic(std::vector<diagnostic>& all, source_location place, message words) {
  all.push_back({place, text_of(words)});
}

/// Collects the errors that the checks of one procedure find. An error from a file has its place there; any other
/// message ends with the node and the operation.
class error_list {
public:
  error_list(const procedure& p, std::vector<diagnostic>& out) : p_(p), out_(out), first_(out.size()) {}

  /// Whether there is none yet.
  bool empty() const { return out_.size() == first_; }

  MIDEND_SELDOM_CALLED void of_procedure(message words) { add(p_.location(), words, {" (in @", p_.name(), ")"}); }

  MIDEND_SELDOM_CALLED void of_node(node_id n, message words) {
    add(p_.node_location(n), words, {" (in @", p_.name(), ", node ", message_part::node(p_, n), ")"});
  }

  MIDEND_SELDOM_CALLED void of_value(value_id v, message words) {
    const value_core& record = p_.core(v);
    if (record.kind == value_kind::operation && record.node < p_.num_nodes()) {
      add(p_.value_location(v), words,
          {" (in @", p_.name(), ", node ", message_part::node(p_, record.node), ", ", message_part::operation(p_, v),
           ")"});
    } else {
      add(p_.value_location(v), words, {" (in @", p_.name(), ")"});
    }
  }

private:
  void add(source_location location, message words, message where) {
    add_diagnostic(out_, location, words);
    if (location == source_location()) {
      out_.back().message += text_of(where);
    }
  }

  const procedure& p_;
  std::vector<diagnostic>& out_;
  std::size_t first_;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
