/// The productions of the grammar for one operation; the grammar is at `parse`.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/detail/name_index.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/text/detail/mnemonic.hpp"
#include "midend/elbrus/text/detail/syntax.hpp"
#include "midend/elbrus/text/detail/terminator_parser.hpp"
#include "midend/elbrus/text/lexer.hpp"
#include "midend/elbrus/type.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// Reads operations.
class operation_parser : protected terminator_parser {
protected:
  using terminator_parser::terminator_parser;

  /// The operation becomes the last one of the procedure. If it cannot be read, its result is known all the same.
  bool operation() {
    written_operation op;
    op.location = current().location;
    op.operands.first = size_of(out().operands);
    if (!result(op) || !name_of_operation(op) || !rest(op)) {
      if (op.result == result_kind::value) {
        lose(operand_kind::value, op.name);
      }
      return false;
    }
    op.operands.count = size_of(out().operands) - op.operands.first;
    out().operations.push_back(op);
    return true;
  }

private:
  // result = ( VALUE | VARIABLE ) "=" .

  bool result(written_operation& op) {
    if (!at(token_kind::value) && !at(token_kind::variable)) {
      return true;
    }
    const token t = take();
    op.result = t.kind == token_kind::value ? result_kind::value : result_kind::variable;
    op.name = {t.name(), t.location};
    return expect('=');
  }

  // The name with its types.

  bool name_of_operation(written_operation& op) {
    if (!at(token_kind::word)) {
      return fail_expecting(op.result == result_kind::none ? "an operation, 'node' or '}'" : "an operation");
    }
    const mnemonic& m = look_up(current().text);
    if (!m.is_right()) {
      return fail_at_name(m);
    }
    if (m.type == type::none && op.result != result_kind::none && current().first_in_line) {
      return fail_expecting("an operation"); // the next line has one of its own
    }
    op.code = m.code;
    op.type = m.type;
    op.operand_type = m.operand_type;
    return check_result(op, take());
  }

  bool check_result(const written_operation& op, const token& name) {
    if (op.type == type::none && op.result != result_kind::none) {
      return fail(name.location, quoted(name.text) + " has no result");
    }
    if (op.type != type::none && op.result == result_kind::none && op.code != opcode::call) {
      return fail(name.location, "the result of " + quoted(name.text) + " needs a name");
    }
    return true;
  }

  /// There are few different names in a file, and each is looked at once.
  const mnemonic& look_up(std::string_view word) {
    const std::uint32_t number = mnemonic_numbers_.find_or_insert(word, size_of(mnemonics_));
    if (number == mnemonics_.size()) {
      mnemonics_.push_back(parse_mnemonic(word));
    }
    return mnemonics_[number];
  }

  bool fail_at_name(const mnemonic& m) {
    const std::string_view word = current().text;
    switch (m.fault) {
    case mnemonic_fault::unknown_type:
      return fail(current().location, "unknown type " + quoted(word.substr(word.rfind('.') + 1)));
    case mnemonic_fault::wrong_number_of_types:
      return fail(current().location, quoted(word) +
                                          (m.needed == 0   ? " takes no type"
                                           : m.needed == 1 ? " takes one type, as in '"
                                                           : " takes two types, as in '") +
                                          example_of(m));
    default:
      return fail(current().location,
                  (current().first_in_line ? "unknown operation " : "unknown operation or flag ") + quoted(word));
    }
  }

  static std::string example_of(const mnemonic& m) {
    if (m.needed == 0) {
      return {};
    }
    const bool floating = info_of(m.code).form == opcode_form::floating || is_float_comparison(m.code);
    return std::string(name_of(m.code)) + (m.needed == 2 ? ".i32.i64'" : floating ? ".f64'" : ".i32'");
  }

  bool rest(written_operation& op) {
    switch (info_of(op.code).form) {
    case opcode_form::memory:
      return memory(op);
    case opcode_form::call:
      return call(op);
    case opcode_form::phi:
      return phi(op);
    case opcode_form::terminator:
      return terminator(op);
    default:
      return plain(op);
    }
  }

  // plain = name operand { "," operand } tail .

  bool plain(written_operation& op) {
    const unsigned count = info_of(op.code).operands;
    for (unsigned i = 0; i != count; ++i) {
      if ((i != 0 && !expect(',')) || !operand()) {
        return false;
      }
    }
    if (at(',')) {
      return fail(current().location, quoted(name_of(op.code)) + " takes " + std::to_string(count) +
                                          (count == 1 ? " operand" : " operands"));
    }
    return tail(op);
  }

  // load = "ld.T" address tail .   store = "st.T" operand "," address tail .

  bool memory(written_operation& op) {
    op.extra = size_of(out().accesses);
    out().accesses.emplace_back();
    return (op.code != opcode::st || (operand() && expect(','))) && address(out().accesses.back()) && tail(op);
  }

  // call = "call" [ ".T" ] PROCEDURE "(" [ operand { "," operand } ] ")" tail .

  bool call(written_operation& op) {
    op.extra = size_of(out().calls);
    out().calls.emplace_back();
    return expect(token_kind::procedure, "the name of a procedure", out().calls.back().callee) && expect('(') &&
           call_arguments() && tail(op);
  }

  bool call_arguments() {
    if (take_if(')')) {
      return true;
    }
    do {
      if (!operand()) {
        return false;
      }
    } while (take_if(','));
    return take_if(')') || fail_expecting("',' or ')'");
  }

  // phi = "phi.T" [ entry { "," entry } ] { flag } .   entry = "[" label ":" operand "]" .

  bool phi(written_operation& op) {
    op.labels.first = size_of(out().labels);
    if (at('[')) {
      do {
        if (!entry()) {
          return false;
        }
      } while (take_if(','));
    }
    op.labels.count = size_of(out().labels) - op.labels.first;
    while (flag(op.flags)) {
    }
    return at('?') ? fail(current().location, "a phi has no guard") : true;
  }

  bool entry() {
    spelling label;
    if (!expect('[') || !expect_label(label) || !expect(':') || !operand()) {
      return false;
    }
    out().labels.push_back(label);
    return expect(']');
  }

  name_index mnemonic_numbers_;
  std::vector<mnemonic> mnemonics_;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
