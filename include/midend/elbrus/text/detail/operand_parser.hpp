/// The productions of the grammar for operands and addresses; the grammar is at `parse`.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/diagnostic.hpp"
#include "midend/elbrus/literal.hpp"
#include "midend/elbrus/text/detail/syntax.hpp"
#include "midend/elbrus/text/detail/token_reader.hpp"
#include "midend/elbrus/text/lexer.hpp"
#include "midend/elbrus/type.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// Reads operands into a `written_procedure`. Here and in the classes built on it, functions are named after
/// productions, move behind what they read, and return false after an error.
class operand_parser : protected token_reader {
protected:
  operand_parser(std::string_view text, std::vector<diagnostic>& errors) : token_reader(text, errors) {}

  /// What is read goes to `out`.
  void begin_procedure(written_procedure& out) { out_ = &out; }

  written_procedure& out() { return *out_; }

  /// The definition of a name cannot be read; the name is known all the same.
  void lose(operand_kind kind, const spelling& name) { out_->lost_names.push_back({.kind = kind, .name = name}); }

  template <class T> static std::uint32_t size_of(const std::vector<T>& list) {
    return static_cast<std::uint32_t>(list.size());
  }

  // operand = VALUE | VARIABLE | [ type ] literal .

  bool operand() {
    written_operand o;
    if (!(at(token_kind::value) || at(token_kind::variable) ? name(o) : typed_literal(o))) {
      return false;
    }
    out_->operands.push_back(o);
    return true;
  }

  bool at_literal() const {
    return at(token_kind::number) || at_word("undef") || at_word("inf") ||
           (at(token_kind::word) && current().text.substr(0, 3) == "nan");
  }

  bool at_operand() const {
    return at(token_kind::value) || at(token_kind::variable) || at_literal() ||
           (at(token_kind::word) && type_named(current().text));
  }

  bool literal_word(written_operand& o) {
    if (!at_literal()) {
      return fail_expecting("an operand");
    }
    o.kind = at_word("undef") ? operand_kind::undefined : operand_kind::literal;
    const token t = take();
    o.name = {t.text, t.location};
    return true;
  }

  // address = "[" operand [ "+" operand [ "*" scale ] ] [ ( "+" | "-" ) offset ] "]" .

  bool address(written_access& access) { return expect('[') && operand() && index_and_offset(access) && expect(']'); }

private:
  bool name(written_operand& o) {
    if (at_next_assignment()) {
      return fail_expecting("an operand");
    }
    const token t = take();
    o.kind = t.kind == token_kind::value ? operand_kind::value : operand_kind::variable;
    o.name = {t.name(), t.location};
    return true;
  }

  bool typed_literal(written_operand& o) {
    const bool has_type = at(token_kind::word) && type_named(current().text);
    return (!has_type || expect_type(o.type)) && literal_word(o);
  }

  /// A number behind "+" is an index if a scale follows, else the offset.
  bool index_and_offset(written_access& access) {
    if (!take_if('+')) {
      return negative_offset(access);
    }
    const bool is_number = at(token_kind::number);
    if (!operand()) {
      return false;
    }
    if (is_number && !at('*')) {
      const spelling number = out_->operands.back().name;
      out_->operands.pop_back();
      return set_offset(access, {}, number);
    }
    access.indexed = true;
    if (take_if('*') && !scale(access)) {
      return false;
    }
    return take_if('+') ? offset(access, {}) : negative_offset(access);
  }

  bool scale(written_access& access) {
    std::uint64_t number = 0;
    if (!expect_natural("a scale", 0xffff'ffff, number)) {
      return false;
    }
    access.scale = static_cast<std::uint32_t>(number);
    return true;
  }

  /// If there is one. The sign may be part of the number.
  bool negative_offset(written_access& access) {
    if (take_if('-')) {
      return offset(access, "-");
    }
    return !(at(token_kind::number) && current().text[0] == '-') || offset(access, {});
  }

  bool offset(written_access& access, std::string_view sign) {
    spelling number;
    return expect(token_kind::number, "an offset", number) && set_offset(access, sign, number);
  }

  bool set_offset(written_access& access, std::string_view sign, const spelling& number) {
    const literal value = parse_literal(std::string(sign) + std::string(number.text), type::i64);
    if (value.fault != literal_fault::none) {
      return fail(number.location, message_of(value.fault, number.text, type::i64));
    }
    access.offset = static_cast<std::int64_t>(value.bits);
    return true;
  }

  written_procedure* out_ = nullptr;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
