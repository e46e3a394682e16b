/// The productions of the grammar for terminators; the grammar is at `parse`.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/literal.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/text/detail/syntax.hpp"
#include "midend/elbrus/text/detail/tail_parser.hpp"
#include "midend/elbrus/text/lexer.hpp"
#include "midend/elbrus/type.hpp"

#include <bit>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// Reads terminators and their edges.
class terminator_parser : protected tail_parser {
protected:
  using tail_parser::tail_parser;

  // terminator = jump | branch | switch | "ret" [ operand ] | "unreachable" .

  bool terminator(written_operation& op) {
    op.targets.first = size_of(out().targets);
    const bool ok = op.code == opcode::jump      ? jump_or_branch(op)
                    : op.code == opcode::switch_ ? switch_cases()
                    : op.code == opcode::ret     ? returned_value()
                                                 : true;
    op.targets.count = size_of(out().targets) - op.targets.first;
    return ok;
  }

private:
  // jump = "br" target .   branch = "br" operand "?" target ":" target .

  bool jump_or_branch(written_operation& op) {
    if (!at_label()) {
      return at_operand() ? operand() && branch_targets(op) : fail_expecting("a node or a condition");
    }
    const token word = take(); // a node, or a literal if a question follows
    const spelling name = {word.text, word.location};
    if (!at('?')) {
      return probability_behind(name, {});
    }
    out().operands.push_back(
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
    out().targets.push_back(t);
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
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
