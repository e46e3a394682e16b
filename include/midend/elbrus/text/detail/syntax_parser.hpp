/// `syntax_parser`: reads the grammar of the Elbrus-like IR, which is at `parse`.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/detail/messages.hpp"
#include "midend/elbrus/detail/name_index.hpp"
#include "midend/elbrus/diagnostic.hpp"
#include "midend/elbrus/identifier.hpp"
#include "midend/elbrus/literal.hpp"
#include "midend/elbrus/nearest_word.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/text/detail/mnemonic.hpp"
#include "midend/elbrus/text/detail/syntax.hpp"
#include "midend/elbrus/text/lexer.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/support/flat_array.hpp"

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// A piece of the file, in quotes.
constexpr message_part quoted(std::string_view text) {
  return message_part::quoted({}, text);
}

/// The error in a literal in words; the name of the type follows.
constexpr std::string_view words_of(literal_fault fault) {
  return fault == literal_fault::malformed ? " is no literal of type " : " is out of the range of ";
}

/// Reads a whole file by recursive descent; nothing in the language is nested, so the depth is fixed. Member functions
/// are named after productions, move past what they read, and return false after they have reported an error. Then the
/// next line is read as if nothing had happened, so that there is one error for each line that is wrong.
class syntax_parser {
public:
  syntax_parser(std::string_view text, std::vector<diagnostic>& errors) : lexer_(text), errors_(errors) {
    current_ = lexer_.next();
  }

  // program = { procedure } .

  written_program program() {
    while (!at(token_kind::end)) {
      begin_line();
      if (at_word("proc")) {
        procedure();
      } else {
        fail_expecting("'proc'");
        skip_to_procedure();
      }
    }
    return std::move(procedures_);
  }

private:
  // Procedures and nodes.

  void skip_to_procedure() {
    while (!at(token_kind::end) && !(at_word("proc") && current().first_in_line)) {
      take();
    }
  }

  // procedure = "proc" PROCEDURE parameters [ "->" type ] { "mustprogress" | count } "{" { variable | local } { node }
  // "}" .

  void procedure() {
    procedures_.emplace_back();
    out_ = &procedures_.back();
    out_->location = current().location;
    if (!head()) {
      out_->is_broken = true;
      out_->head_is_broken = true;
      skip_broken_head();
    }
    while (!at('}') && !at(token_kind::end) && !at_word("proc")) {
      line();
    }
    begin_line();
    out_->is_broken |= !expect('}');
  }

  bool head() {
    take();
    return expect(token_kind::procedure, "the name of a procedure", out_->name) && parameters() && result_type() &&
           promises_and_count() && expect('{');
  }

  bool promises_and_count() {
    while (at_word("mustprogress") || at_word("count")) {
      const bool is_count = at_word("count");
      if (is_count ? out_->count != no_count : out_->must_progress) {
        return fail(current().location, {is_count ? "a second count" : "a second 'mustprogress'"});
      }
      if (is_count) {
        if (!count(out_->count)) {
          return false;
        }
      } else {
        take();
        out_->must_progress = true;
      }
    }
    return true;
  }

  /// Remembers the values of a broken head: they may be parameters.
  void skip_broken_head() {
    while (!current().first_in_line && !at('}') && !at(token_kind::end)) {
      const token t = take();
      if (t.kind == token_kind::value) {
        lose(operand_kind::value, {t.name(), t.location});
      }
    }
  }

  /// Notes that the definition of a name cannot be read.
  void lose(operand_kind kind, const spelling& name) { out_->lost_names.push_back({.kind = kind, .name = name}); }

  // parameters = "(" [ parameter { "," parameter } ] ")" .   parameter = VALUE ":" type .

  bool parameters() {
    if (!expect('(')) {
      return false;
    }
    if (take_if(')')) {
      return true;
    }
    do {
      if (!parameter()) {
        return false;
      }
    } while (take_if(','));
    return take_if(')') || fail_expecting("',' or ')'");
  }

  bool parameter() {
    written_declaration p;
    if (!expect(token_kind::value, "a parameter", p.name)) {
      return false;
    }
    if (!type_after_colon(p)) {
      lose(operand_kind::value, p.name);
      return false;
    }
    out_->parameters.push_back(p);
    return true;
  }

  bool type_after_colon(written_declaration& d) { return expect(':') && expect_type(d.type); }

  bool result_type() {
    if (!at(token_kind::arrow)) {
      return true;
    }
    take();
    return expect_type(out_->result);
  }

  // count = "count" "=" number .

  bool count(std::uint64_t& out) {
    return !take_if("count") || (expect('=') && expect_natural("a number", no_count - 1, out));
  }

  // One variable, local array, head of a node, hint or operation.

  void line() {
    begin_line();
    const bool ok = at_word("var")                                ? variable()
                    : at_word("local") && current().first_in_line ? local()
                    : at_word("node")                             ? node()
                    : at_word("hint")                             ? hint_in_node()
                                                                  : operation_in_node();
    if (!ok) {
      out_->is_broken = true;
      skip_line();
    }
  }

  // variable = "var" VARIABLE ":" type .

  bool variable() {
    const token var = take();
    written_declaration v;
    if (!expect(token_kind::variable, "the name of a variable", v.name)) {
      return false;
    }
    const bool has_type = type_after_colon(v);
    if (has_type && out_->nodes.empty()) {
      out_->variables.push_back(v);
      return true;
    }
    lose(operand_kind::variable, v.name);
    return has_type && fail(var.location, {"variables are declared before the first node"});
  }

  // local = "local" VALUE ":" number .

  bool local() {
    const token word = take();
    written_local a;
    if (!expect(token_kind::value, "the name of a local array", a.name)) {
      return false;
    }
    std::uint64_t bytes = 0;
    const bool has_size = expect(':') && expect_natural("a number of bytes", largest_local, bytes);
    if (has_size && out_->nodes.empty()) {
      a.bytes = static_cast<std::uint32_t>(bytes);
      out_->locals.push_back(a);
      return true;
    }
    lose(operand_kind::value, a.name);
    return has_size && fail(word.location, {"local arrays are declared before the first node"});
  }

  // node = "node" label { count | hint } ":" { hint } { operation } .

  bool node() {
    written_node n;
    n.location = take().location;
    n.operations.first = size_of(out_->operations);
    const bool ok = expect_label(n.name) && profile(n) && expect(':');
    out_->nodes.push_back(n);
    return ok;
  }

  bool profile(written_node& n) {
    while (at_word("count") || at_word("hint")) {
      if (at_word("count") && n.count != no_count) {
        return fail(current().location, {"a second count"});
      }
      if (!(at_word("count") ? count(n.count) : hint(n.hint))) {
        return false;
      }
    }
    return true;
  }

  // hint = "hint" trip { [ "," ] trip } .   trip = "trip" "=" ( "avg" | "max" | "multiple" ) ":" number .

  bool hint(trip_hint& out) {
    take();
    do {
      if (!trip(out)) {
        return false;
      }
    } while (take_if(',') || at_word("trip"));
    return true;
  }

  bool trip(trip_hint& out) {
    if (!take_if("trip")) {
      return fail_expecting("'trip'");
    }
    if (!expect('=')) {
      return false;
    }
    std::uint64_t* const place = at_word("avg")        ? &out.average
                                 : at_word("max")      ? &out.maximum
                                 : at_word("multiple") ? &out.multiple
                                                       : nullptr;
    if (place == nullptr) {
      return fail_expecting("'avg', 'max' or 'multiple'");
    }
    take();
    return expect(':') && expect_natural("a number", ~std::uint64_t{0}, *place);
  }

  bool hint_in_node() {
    if (out_->nodes.empty() || out_->nodes.back().operations.count != 0) {
      return fail(current().location, {"a hint stands at the head of a node"});
    }
    return hint(out_->nodes.back().hint);
  }

  /// Operations before the first node are reported once.
  bool operation_in_node() {
    if (out_->nodes.empty()) {
      out_->is_broken = true;
      out_->nodes.push_back({.location = current().location, .operations = {size_of(out_->operations), 0}});
      fail_expecting("'node'");
    }
    if (!operation()) {
      return false;
    }
    ++out_->nodes.back().operations.count;
    return true;
  }

  // Operations.

  // operation = [ result "=" ] ( plain | load | store | call | phi ) | terminator .

  bool operation() {
    written_operation op;
    op.location = current().location;
    op.operands.first = size_of(out_->operands);
    if (!result(op) || !name_of_operation(op) || !rest(op)) {
      if (op.result == result_kind::value) {
        lose(operand_kind::value, op.name);
      }
      return false;
    }
    op.operands.count = size_of(out_->operands) - op.operands.first;
    out_->operations.push_back(op);
    return true;
  }

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
      return fail(name.location, {quoted(name.text), " has no result"});
    }
    if (op.type != type::none && op.result == result_kind::none && op.code != opcode::call) {
      return fail(name.location, {"the result of ", quoted(name.text), " needs a name"});
    }
    return true;
  }

  /// A file has few different names of operations, and each is parsed once.
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
      return fail(current().location, {"unknown type ", quoted(word.substr(word.rfind('.') + 1))});
    case mnemonic_fault::wrong_number_of_types:
      return fail_at_types(m);
    default:
      return fail_at_unknown(word);
    }
  }

  bool fail_at_unknown(std::string_view word) {
    const std::string_view what = current().first_in_line ? "unknown operation " : "unknown operation or flag ";
    const std::string_view meant =
        nearest_word(split_types(word).stem, opcode_table, [](const opcode_info& known) { return known.name; });
    return meant.empty() ? fail(current().location, {what, quoted(word)})
                         : fail(current().location, {what, quoted(word), ": did you mean ", meant, "?"});
  }

  bool fail_at_types(const mnemonic& m) {
    if (m.needed == 0) {
      return fail(current().location, {quoted(current().text), " takes no type"});
    }
    const bool floating = info_of(m.code).form == opcode_form::floating || is_float_comparison(m.code);
    return fail(current().location,
                {quoted(current().text), m.needed == 1 ? " takes one type, as in '" : " takes two types, as in '",
                 name_of(m.code),
                 m.needed == 2 ? ".i32.i64'"
                 : floating    ? ".f64'"
                               : ".i32'"});
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
      return fail(current().location,
                  {quoted(name_of(op.code)), " takes ", count, count == 1 ? " operand" : " operands"});
    }
    return tail(op);
  }

  // load = "ld.T" address tail .   store = "st.T" operand "," address tail .

  bool memory(written_operation& op) {
    op.extra = size_of(out_->accesses);
    out_->accesses.push_back({});
    return (op.code != opcode::st || (operand() && expect(','))) && address(out_->accesses.back()) && tail(op);
  }

  // call = "call" [ ".T" ] PROCEDURE "(" [ operand { "," operand } ] ")" tail .

  bool call(written_operation& op) {
    op.extra = size_of(out_->calls);
    out_->calls.push_back({});
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
    return at('?') ? fail(current().location, {"a phi has no guard"}) : true;
  }

  bool entry() {
    spelling label;
    if (!expect('[') || !expect_label(label) || !expect(':') || !operand()) {
      return false;
    }
    out_->labels.push_back(label);
    return expect(']');
  }

  // The part after the operands.

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
      } else if (at_word("local") && info_of(op.code).form == opcode_form::memory) {
        if (!local_class(op)) {
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
    if (take_if("nsw")) {
      flags.nsw = true;
    } else if (take_if("assoc")) {
      flags.assoc = true;
    } else if (take_if("spec")) {
      flags.spec = true;
    } else if (take_if("volatile")) {
      flags.is_volatile = true;
    } else if (take_if("noreturn")) {
      flags.noreturn = true;
    } else {
      return false;
    }
    return true;
  }

  // guard = "?" [ "~" ] operand [ ":" operand ] .

  bool guard(written_operation& op) {
    if (op.guarded) {
      return fail(current().location, {"a second guard"});
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
      return fail(place, {"a second alias class"});
    }
    return expect('=') && class_name(access.alias);
  }

  // local = "local" "=" word ":" label .

  bool local_class(written_operation& op) {
    const source_location place = take().location;
    written_access& access = out_->accesses[op.extra];
    if (!access.local.text.empty()) {
      return fail(place, {"a second local class"});
    }
    return expect('=') && class_name(access.local) && expect(':') && expect_label(access.scope);
  }

  bool class_name(spelling& out) {
    if (at_word("none")) {
      return fail(current().location, {"an alias class cannot be called 'none'"});
    }
    return at_plain_word() ? expect(token_kind::word, "", out) : fail_expecting("the name of an alias class");
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

  // Terminators.

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
      return at_operand() ? operand() && branch_targets(op) : fail_expecting("a node or a condition");
    }
    const token word = take(); // a node, or a literal if a question follows
    const spelling name = {word.text, word.location};
    if (!at('?')) {
      return probability_after(name, {});
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
    return expect_label(label) && probability_after(label, case_value);
  }

  bool probability_after(const spelling& label, const spelling& case_value) {
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
      return fail(current().location, {quoted(current().text), " is no probability: a number from 0 to 1"});
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

  /// The operand must be on the same line: one on the next line belongs to what follows.
  bool returned_value() { return current().first_in_line || !at_operand() || operand(); }

  // Operands and addresses.

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

  /// A number after "+" is an index if a scale follows, else the offset.
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

  /// Reads a negative offset if there is one. The sign may be part of the number.
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
      return fail(number.location, {quoted(number.text), words_of(value.fault), name_of(type::i64)});
    }
    access.offset = static_cast<std::int64_t>(value.bits);
    return true;
  }

  // Tokens.

  const token& current() const { return current_; }

  bool at(token_kind kind) const { return current_.kind == kind; }

  bool at(char symbol) const { return current_.is_symbol(symbol); }

  bool at_word(std::string_view word) const { return current_.is_word(word); }

  token take() {
    end_of_previous_ = current_.location;
    end_of_previous_.column += static_cast<std::uint32_t>(current_.text.size());
    return std::exchange(current_, lexer_.next());
  }

  bool take_if(char symbol) {
    if (!at(symbol)) {
      return false;
    }
    take();
    return true;
  }

  bool take_if(std::string_view word) {
    if (!at_word(word)) {
      return false;
    }
    take();
    return true;
  }

  /// One error at a place is enough.
  MIDEND_SELDOM_CALLED bool fail(source_location place, message words) {
    if (errors_.empty() || errors_.back().location != place) {
      add_diagnostic(errors_, place, words);
    }
    return false;
  }

  /// Records where the current production begins.
  void begin_line() { start_ = current_.location; }

  /// Reports the next token, or the end of the line if it ends too early.
  MIDEND_SELDOM_CALLED bool fail_expecting(std::string_view what) {
    if (at(token_kind::end)) {
      return fail(current_.location, {"expected ", what, ", found the end of the file"});
    }
    if (current_.first_in_line && current_.location != start_) {
      return fail(end_of_previous_, {"expected ", what, ", found the end of the line"});
    }
    return fail(current_.location, {"expected ", what, ", found ", quoted(current_.text)});
  }

  bool expect(char symbol) {
    const char text[] = {'\'', symbol, '\''};
    return take_if(symbol) || fail_expecting({text, sizeof text});
  }

  bool expect(token_kind kind, std::string_view what, spelling& out) {
    if (!at(kind)) {
      return fail_expecting(what);
    }
    const token t = take();
    const bool has_sign = kind != token_kind::word && kind != token_kind::number;
    out = {has_sign ? t.name() : t.text, t.location};
    return true;
  }

  bool expect_type(type& out) {
    const std::optional<type> t = at(token_kind::word) ? type_named(current_.text) : std::nullopt;
    if (!t) {
      return fail_expecting("a type");
    }
    take();
    out = *t;
    return true;
  }

  /// Whether the token ahead, a name, begins the next line.
  bool at_next_assignment() const {
    lexer ahead = lexer_;
    return current_.first_in_line && ahead.next().is_symbol('=');
  }

  /// A word that does not begin a line with a node or an operation.
  bool at_plain_word() const {
    const bool begins_line = current_.first_in_line && (at_word("node") || parse_mnemonic(current_.text).is_right());
    return at(token_kind::word) && !begins_line;
  }

  /// The name of a node; digits stand for a node without a name.
  bool at_label() const { return at_plain_word() || (at(token_kind::number) && is_anonymous(current_.text)); }

  bool expect_label(spelling& out) {
    if (!at_label()) {
      return fail_expecting("the name of a node");
    }
    const token t = take();
    out = {t.text, t.location};
    return true;
  }

  /// A number without a sign that is at most `largest`.
  bool expect_natural(std::string_view what, std::uint64_t largest, std::uint64_t& out) {
    if (!at(token_kind::number)) {
      return fail_expecting(what);
    }
    const literal number = magnitude_of(current_.text);
    if (number.fault == literal_fault::malformed) {
      return fail_expecting(what);
    }
    if (number.fault != literal_fault::none || number.bits > largest) {
      return fail(current_.location, {quoted(current_.text), " is too large: at most ", largest});
    }
    take();
    out = number.bits;
    return true;
  }

  /// After an error, goes on to the next line, at least one token further, but not beyond the end of the procedure.
  void skip_line() {
    if (current_.location == start_ && !at(token_kind::end)) {
      take();
    }
    while (!current_.first_in_line && !at('}') && !at(token_kind::end)) {
      take();
    }
  }

  template <class T> static std::uint32_t size_of(const flat_array<T>& list) {
    return static_cast<std::uint32_t>(list.size());
  }

  lexer lexer_;
  std::vector<diagnostic>& errors_;
  token current_;                   ///< the next one
  source_location start_;           ///< of the line
  source_location end_of_previous_; ///< of the token before the next one
  written_program procedures_;
  written_procedure* out_ = nullptr; ///< the procedure that is read now
  name_index mnemonic_numbers_;
  flat_array<mnemonic> mnemonics_;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
