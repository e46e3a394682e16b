/// The productions of the grammar for one operation; the grammar is at `parse`.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/detail/mnemonic.hpp"
#include "midend/elbrus/detail/name_index.hpp"
#include "midend/elbrus/detail/syntax.hpp"
#include "midend/elbrus/detail/token_reader.hpp"
#include "midend/elbrus/diagnostic.hpp"
#include "midend/elbrus/lexer.hpp"
#include "midend/elbrus/literal.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/type.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// Reads operations into a `written_procedure`. Each function is named after a production, moves behind it, and returns
/// false after an error.
class operation_parser : protected token_reader {
protected:
  operation_parser(std::string_view text, std::vector<diagnostic>& errors) : token_reader(text, errors) {}

  /// What is read goes to `out`.
  void begin_procedure(written_procedure& out) { out_ = &out; }

  /// The operation becomes the last one of the procedure. If it cannot be read, its result is known all the same.
  bool operation() {
    written_operation op;
    op.location = current().location;
    op.operands.first = size_of(out_->operands);
    if (!result(op) || !name_of_operation(op) || !rest(op)) {
      lose(op);
      return false;
    }
    op.operands.count = size_of(out_->operands) - op.operands.first;
    out_->operations.push_back(op);
    return true;
  }

  template <class T> static std::uint32_t size_of(const std::vector<T>& list) {
    return static_cast<std::uint32_t>(list.size());
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

  void lose(const written_operation& op) {
    if (op.result == result_kind::value) {
      out_->lost_names.push_back({.kind = operand_kind::value, .name = op.name});
    }
  }

  // The name with its types.

  bool name_of_operation(written_operation& op) {
    if (!at(token_kind::word)) {
      return fail_expecting(op.result == result_kind::none ? "an operation, 'node' or '}'" : "an operation");
    }
    const mnemonic& m = look_up(current().text);
    if (m.fault != mnemonic_fault::none) {
      return fail_at_name(m);
    }
    op.code = m.code;
    op.type = m.type;
    op.operand_type = m.operand_type;
    const token name = take();
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

  // operand = VALUE | VARIABLE | [ type ] literal .

  bool operand() {
    written_operand o;
    if (at(token_kind::value) || at(token_kind::variable)) {
      if (at_next_assignment()) {
        return fail_expecting("an operand");
      }
      o.kind = at(token_kind::value) ? operand_kind::value : operand_kind::variable;
      const token t = take();
      o.name = {t.name(), t.location};
    } else {
      if (at(token_kind::word) && type_named(current().text) && !expect_type(o.type)) {
        return false;
      }
      if (!literal_word(o)) {
        return false;
      }
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

  // tail = { flag } [ guard { flag } ] .

  bool tail(written_operation& op) {
    while (true) {
      if (at('?')) {
        if (!guard(op)) {
          return false;
        }
      } else if (at_word("alias") && info_of(op.code).form == opcode_form::memory) {
        if (!alias(op)) {
          return false;
        }
      } else if (at_word("clobbers") && op.code == opcode::call) {
        if (!clobbers(op)) {
          return false;
        }
      } else if (!flag(op.flags)) {
        return true;
      }
    }
  }

  bool flag(attributes& flags) {
    return take_flag("nsw", flags.nsw) || take_flag("assoc", flags.assoc) || take_flag("spec", flags.spec) ||
           take_flag("volatile", flags.is_volatile) || take_flag("noreturn", flags.noreturn);
  }

  bool take_flag(std::string_view name, bool& flag) {
    if (!take_if(name)) {
      return false;
    }
    flag = true;
    return true;
  }

  // guard = "?" [ "~" ] operand [ ":" operand ] .

  bool guard(written_operation& op) {
    if (op.guarded) {
      return fail(current().location, "a second guard");
    }
    take();
    op.guarded = true;
    op.guard_negated = take_if('~');
    if (!operand()) {
      return false;
    }
    op.has_otherwise = take_if(':');
    return !op.has_otherwise || operand();
  }

  // alias = "alias" "=" word .

  bool alias(written_operation& op) {
    const source_location place = take().location;
    written_access& access = out_->accesses[op.extra];
    if (!access.alias.text.empty()) {
      return fail(place, "a second alias class");
    }
    return expect('=') && class_name(access.alias);
  }

  bool class_name(spelling& out) {
    return at_word("none") ? fail(current().location, "an alias class cannot be called 'none'")
                           : expect(token_kind::word, "the name of an alias class", out);
  }

  // clobbers = "clobbers" "=" ( "none" | "*" | word { "," word } ) .

  bool clobbers(written_operation& op) {
    take();
    if (!expect('=')) {
      return false;
    }
    written_call& c = out_->calls[op.extra];
    c.classes = {size_of(out_->labels), 0};
    c.clobbers = clobber_kind::listed;
    if (take_if('*')) {
      c.clobbers = clobber_kind::anything;
      return true;
    }
    if (take_if("none")) {
      c.clobbers = clobber_kind::nothing;
      return true;
    }
    do {
      spelling name;
      if (!class_name(name)) {
        return false;
      }
      out_->labels.push_back(name);
      ++c.classes.count;
    } while (take_if(','));
    return true;
  }

  // load = "ld.T" address tail .   store = "st.T" operand "," address tail .

  bool memory(written_operation& op) {
    op.extra = size_of(out_->accesses);
    out_->accesses.emplace_back();
    return (op.code != opcode::st || (operand() && expect(','))) && address(out_->accesses.back()) && tail(op);
  }

  // address = "[" operand [ "+" operand [ "*" scale ] ] [ ( "+" | "-" ) offset ] "]" .
  // A number behind "+" is an index if a scale follows, else the offset.

  bool address(written_access& access) {
    if (!expect('[') || !operand()) {
      return false;
    }
    bool has_offset = false;
    while (!at(']')) {
      const bool signed_number = at(token_kind::number) && current().text[0] == '-';
      if (has_offset || (!at('+') && !at('-') && !signed_number)) {
        return fail_expecting(has_offset ? "']'" : "'+', '-' or ']'");
      }
      if (signed_number || at('-')) {
        has_offset = true;
        if (!negative_offset(access)) {
          return false;
        }
      } else if (!index_or_offset(access, has_offset)) {
        return false;
      }
    }
    return expect(']');
  }

  bool negative_offset(written_access& access) {
    const bool negated = take_if('-');
    return expect_offset(access, negated ? "-" : "");
  }

  bool expect_offset(written_access& access, std::string_view sign) {
    if (!at(token_kind::number)) {
      return fail_expecting("an offset");
    }
    const token number = take();
    return offset(access, sign, {number.text, number.location});
  }

  bool offset(written_access& access, std::string_view sign, const spelling& number) {
    const std::string text = std::string(sign) + std::string(number.text);
    const literal value = parse_literal(text, type::i64);
    if (value.fault != literal_fault::none) {
      return fail(number.location, message_of(value.fault, number.text, type::i64));
    }
    access.offset = static_cast<std::int64_t>(value.bits);
    return true;
  }

  bool index_or_offset(written_access& access, bool& has_offset) {
    take();
    const bool plain_number = at(token_kind::number);
    if (!operand()) {
      return false;
    }
    if (plain_number && !at('*')) {
      const spelling number = out_->operands.back().name;
      out_->operands.pop_back();
      has_offset = true;
      return offset(access, {}, number);
    }
    if (access.indexed) {
      return fail(out_->operands.back().name.location, "a second index");
    }
    access.indexed = true;
    return !take_if('*') || scale(access);
  }

  bool scale(written_access& access) {
    std::uint64_t number = 0;
    if (!expect_natural("a scale", 0xffff'ffff, number)) {
      return false;
    }
    access.scale = static_cast<std::uint32_t>(number);
    return true;
  }

  // call = "call" [ ".T" ] PROCEDURE "(" [ operand { "," operand } ] ")" tail .

  bool call(written_operation& op) {
    op.extra = size_of(out_->calls);
    out_->calls.emplace_back();
    return expect(token_kind::procedure, "the name of a procedure", out_->calls.back().callee) && expect('(') &&
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
    op.labels.first = size_of(out_->labels);
    if (at('[')) {
      do {
        if (!entry()) {
          return false;
        }
      } while (take_if(','));
    }
    op.labels.count = size_of(out_->labels) - op.labels.first;
    while (flag(op.flags)) {
    }
    return at('?') ? fail(current().location, "a phi has no guard") : true;
  }

  bool entry() {
    spelling label;
    if (!expect('[') || !expect_label(label) || !expect(':') || !operand()) {
      return false;
    }
    out_->labels.push_back(label);
    return expect(']');
  }

  // terminator = jump | branch | switch | "ret" [ operand ] | "unreachable" .

  bool terminator(written_operation& op) {
    op.targets.first = size_of(out_->targets);
    const bool ok = op.code == opcode::jump      ? jump_or_branch(op)
                    : op.code == opcode::switch_ ? switch_cases()
                    : op.code == opcode::ret     ? returned_value()
                                                 : true;
    op.targets.count = size_of(out_->targets) - op.targets.first;
    return ok;
  }

  // jump = "br" target .   branch = "br" operand "?" target ":" target .

  bool jump_or_branch(written_operation& op) {
    if (!at_label()) {
      return operand() && branch_targets(op);
    }
    const token word = take(); // a node, or a literal if a question follows
    const spelling name = {word.text, word.location};
    if (!at('?')) {
      return probability_behind(name, {});
    }
    out_->operands.push_back(
        {.kind = word.is_word("undef") ? operand_kind::undefined : operand_kind::literal, .name = name});
    return branch_targets(op);
  }

  bool branch_targets(written_operation& op) {
    op.code = opcode::branch;
    op.operand_type = type::i1;
    return expect('?') && target({.text = "1"}) && expect(':') && target({.text = "0"});
  }

  // target = label [ "(" probability ")" ] .

  bool target(spelling case_value) {
    spelling label;
    return expect_label(label) && probability_behind(label, case_value);
  }

  bool probability_behind(const spelling& label, const spelling& case_value) {
    written_target t{label, case_value};
    if (take_if('(') && !(probability(t.probability) && expect(')'))) {
      return false;
    }
    out_->targets.push_back(t);
    return true;
  }

  bool probability(double& out) {
    if (!at(token_kind::number)) {
      return fail_expecting("a probability");
    }
    const literal number = parse_literal(current().text, type::f64);
    const auto value = std::bit_cast<double>(number.bits);
    if (number.fault != literal_fault::none || !(value >= 0 && value <= 1)) {
      return fail(current().location, quoted(current().text) + " is no probability: a number from 0 to 1");
    }
    take();
    out = value;
    return true;
  }

  // switch = "switch.T" operand { "[" literal ":" target "]" "," } "default" ":" target .

  bool switch_cases() {
    if (!operand()) {
      return false;
    }
    while (at('[')) {
      if (!switch_case()) {
        return false;
      }
    }
    if (!at_word("default")) {
      return fail_expecting("'[' or 'default'");
    }
    take();
    return expect(':') && target({});
  }

  bool switch_case() {
    written_operand value;
    return expect('[') && literal_word(value) && expect(':') && target(value.name) && expect(']') && expect(',');
  }

  /// The operand stands in the same line: one of the next belongs to what follows.
  bool returned_value() { return current().first_in_line || !at_operand() || operand(); }

  written_procedure* out_ = nullptr;
  name_index mnemonic_numbers_;
  std::vector<mnemonic> mnemonics_;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
