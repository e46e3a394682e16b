/// The productions of the grammar for procedures and nodes; the grammar is at `parse`.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/diagnostic.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/text/detail/operation_parser.hpp"
#include "midend/elbrus/text/detail/syntax.hpp"
#include "midend/elbrus/text/lexer.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// Reads a whole file. After an error the next line is read as if nothing had been, so that there is one diagnostic for
/// each line that is wrong.
class syntax_parser : operation_parser {
public:
  syntax_parser(std::string_view text, std::vector<diagnostic>& errors) : operation_parser(text, errors) {}

  // program = { procedure } .

  std::vector<written_procedure> program() {
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
  void skip_to_procedure() {
    while (!at(token_kind::end) && !(at_word("proc") && current().first_in_line)) {
      take();
    }
  }

  // procedure = "proc" PROCEDURE parameters [ "->" type ] [ count ] "{" { variable } { node } "}" .

  void procedure() {
    procedures_.emplace_back();
    begin_procedure(procedures_.back());
    out().location = current().location;
    if (!head()) {
      out().is_broken = true;
      out().head_is_broken = true;
      skip_broken_head();
    }
    while (!at('}') && !at(token_kind::end) && !at_word("proc")) {
      line();
    }
    begin_line();
    out().is_broken |= !expect('}');
  }

  bool head() {
    take();
    return expect(token_kind::procedure, "the name of a procedure", out().name) && parameters() && result_type() &&
           count(out().count) && expect('{');
  }

  /// The values that are named there may be parameters.
  void skip_broken_head() {
    while (!current().first_in_line && !at('}') && !at(token_kind::end)) {
      const token t = take();
      if (t.kind == token_kind::value) {
        lose(operand_kind::value, {t.name(), t.location});
      }
    }
  }

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
    if (!type_behind(p)) {
      lose(operand_kind::value, p.name);
      return false;
    }
    out().parameters.push_back(p);
    return true;
  }

  bool type_behind(written_declaration& d) { return expect(':') && expect_type(d.type); }

  bool result_type() {
    if (!at(token_kind::arrow)) {
      return true;
    }
    take();
    return expect_type(out().result);
  }

  // count = "count" "=" number .

  bool count(std::uint64_t& out) {
    return !take_if("count") || (expect('=') && expect_natural("a number", no_count - 1, out));
  }

  // One variable, head of a node, hint or operation.

  void line() {
    begin_line();
    const bool ok = at_word("var")    ? variable()
                    : at_word("node") ? node()
                    : at_word("hint") ? hint_in_node()
                                      : operation_in_node();
    if (!ok) {
      out().is_broken = true;
      if (!out().nodes.empty()) {
        out().nodes.back().is_broken = true;
      }
      skip_line();
    }
  }

  // variable = "var" VARIABLE ":" type .

  bool variable() {
    const token var = take();
    written_declaration v;
    const bool has_name = expect(token_kind::variable, "the name of a variable", v.name);
    if (has_name && type_behind(v) && out().nodes.empty()) {
      out().variables.push_back(v);
      return true;
    }
    if (has_name) {
      lose(operand_kind::variable, v.name);
    }
    if (!out().nodes.empty() && v.type != type::none) {
      return fail(var.location, "variables are declared before the first node");
    }
    return false;
  }

  // node = "node" label { count | hint } ":" { hint } { operation } .

  bool node() {
    written_node n;
    n.location = take().location;
    n.operations.first = size_of(out().operations);
    const bool ok = expect_label(n.name) && profile(n) && expect(':');
    out().nodes.push_back(n);
    return ok;
  }

  bool profile(written_node& n) {
    while (at_word("count") || at_word("hint")) {
      if (at_word("count") && n.count != no_count) {
        return fail(current().location, "a second count");
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
    if (out().nodes.empty() || out().nodes.back().operations.count != 0) {
      return fail(current().location, "a hint stands at the head of a node");
    }
    return hint(out().nodes.back().hint);
  }

  /// Operations before the first node are wrong once.
  bool operation_in_node() {
    if (out().nodes.empty()) {
      out().is_broken = true;
      out().nodes.push_back(
          {.location = current().location, .operations = {size_of(out().operations), 0}, .is_broken = true});
      fail_expecting("'node'");
    }
    if (!operation()) {
      return false;
    }
    ++out().nodes.back().operations.count;
    return true;
  }

  std::vector<written_procedure> procedures_;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
