/// The productions of the grammar for what stands behind operands: flags, guards, classes; the grammar is at `parse`.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/text/detail/operand_parser.hpp"
#include "midend/elbrus/text/detail/syntax.hpp"
#include "midend/elbrus/text/lexer.hpp"

#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// Reads the tails of operations.
class tail_parser : protected operand_parser {
protected:
  using operand_parser::operand_parser;

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

private:
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
    written_access& access = out().accesses[op.extra];
    if (!access.alias.text.empty()) {
      return fail(place, "a second alias class");
    }
    return expect('=') && class_name(access.alias);
  }

  bool class_name(spelling& out) {
    if (at_word("none")) {
      return fail(current().location, "an alias class cannot be called 'none'");
    }
    return at_plain_word() ? expect(token_kind::word, "", out) : fail_expecting("the name of an alias class");
  }

  // clobbers = "clobbers" "=" ( "none" | "*" | word { "," word } ) .

  bool clobbers(written_operation& op) {
    take();
    if (!expect('=')) {
      return false;
    }
    written_call& c = out().calls[op.extra];
    c.classes = {size_of(out().labels), 0};
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
      out().labels.push_back(name);
      ++c.classes.count;
    } while (take_if(','));
    return true;
  }
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
