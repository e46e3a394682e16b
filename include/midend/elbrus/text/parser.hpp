/// `parse`: reads a program in the Elbrus-like IR.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/diagnostic.hpp"
#include "midend/elbrus/program.hpp"

#include <string_view>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// The program of a file, and its errors.
struct parse_result {
  elbrus::program program;             ///< the procedures without errors, in the order of the file
  std::vector<diagnostic> diagnostics; ///< in the order of the file

  explicit operator bool() const { return diagnostics.empty(); }
};

/// Reads a file. White space only separates tokens, with two exceptions: after an error, reading goes on in the next
/// line; and `local` declares an array only as the first word of its line. `#` begins a comment. The grammar, with
/// literals as in `parse_literal`:
///
///     program    = { procedure } .
///     procedure  = "proc" PROCEDURE "(" [ parameter { "," parameter } ] ")" [ "->" type ]
///                  { "mustprogress" | count } "{" { variable | local } node { node } "}" .
///     parameter  = VALUE ":" type .
///     variable   = "var" VARIABLE ":" type .
///     local      = "local" VALUE ":" number .
///     node       = "node" label { count | hint } ":" { hint } { operation } .
///     count      = "count" "=" natural .
///     hint       = "hint" trip { [ "," ] trip } .
///     trip       = "trip" "=" ( "avg" | "max" | "multiple" ) ":" natural .
///     operation  = [ ( VALUE | VARIABLE ) "=" ] ( plain | load | store | call | phi ) | terminator .
///     plain      = NAME operand { "," operand } tail .
///     load       = "ld.T" address tail .
///     store      = "st.T" operand "," address tail .
///     address    = "[" operand [ "+" operand [ "*" natural ] ] [ ( "+" | "-" ) offset ] "]" .
///     call       = "call" [ ".T" ] PROCEDURE "(" [ operand { "," operand } ] ")" tail .
///     phi        = "phi.T" [ entry { "," entry } ] { flag } .
///     entry      = "[" label ":" operand "]" .
///     tail       = { flag } [ guard { flag } ] .
///     guard      = "?" [ "~" ] operand [ ":" operand ] .
///     flag       = "nsw" | "assoc" | "spec" | "volatile" | "noreturn" | "alias" "=" class | "local" "=" class ":"
///     label
///                | "clobbers" "=" clobbers .
///     clobbers   = "none" | "*" | class { "," class } .
///     terminator = "br" target | "br" operand "?" target ":" target
///                | "switch.T" operand { "[" literal ":" target "]" "," } "default" ":" target
///                | "ret" [ operand ] | "unreachable" .
///     target     = label [ "(" probability ")" ] .
///     operand    = VALUE | VARIABLE | [ type ] ( literal | "undef" ) .
///
/// NAME is the name of the opcode with its types (`add.i32`, `cmp.lt.i64`, `zext.i8.i32`). VALUE, VARIABLE and
/// PROCEDURE are a name after `%`, `$` and `@`; labels and classes are names. A name is a letter or `_`, then letters,
/// digits, `_` and `.`; digits alone stand for something that has no name. The operand of `ret` is on the same line. A
/// number after the `+` in an address is an index if `*` follows, else the offset.
///
/// A literal without a type has the type that the operation requires; an index is an `i64`. As an argument of a call it
/// has the type of the parameter if the procedure is in the file, and otherwise must have a type. Values may be used
/// before the line that defines them. Entries of a phi that name the same node belong to its parallel edges, in the
/// order of the terminator. If the first node has predecessors, an empty node is put before it.
///
/// The file is read in three steps:
///
/// 1. The grammar. All errors of the file are found, one for each line that is wrong.
/// 2. Names, literals and flow: names are known and defined once, literals fit, each node has one terminator at
///    its end, phis are at the head with an entry for each edge. In a procedure with lines that are wrong in step
///    1, the other lines are checked for names and literals; names that a wrong line defines count as
///    known.
/// 3. Types, dominance and all other rules, in each procedure without
///    an error so far: that is `verify`, which takes the resulting
///    program.
///
/// Any bytes are a text, up to 1 GiB. Linear in its length.
MIDEND_FUNCTION parse_result parse(std::string_view text);

} // namespace elbrus

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

#include "midend/elbrus/detail/messages.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/text/detail/binder.hpp"
#include "midend/elbrus/text/detail/syntax.hpp"
#include "midend/elbrus/text/detail/syntax_parser.hpp"

#include <cstddef>
#include <optional>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

MIDEND_FUNCTION parse_result parse(std::string_view text) {
  constexpr std::size_t longest = std::size_t{1} << 30;
  parse_result out;
  if (text.size() > longest) {
    detail::add_diagnostic(out.diagnostics, {}, {"the text is longer than 1 GiB"});
    return out;
  }
  const detail::written_program written = detail::syntax_parser(text, out.diagnostics).program();
  const detail::signatures signatures(written, out.diagnostics);
  for (const detail::written_procedure& p : written) {
    std::optional<procedure> bound = detail::procedure_binder(p, signatures, out.diagnostics).bind();
    const detail::written_procedure* const first = signatures.find(p.name.text);
    if (bound && (first == nullptr || first == &p)) {
      out.program.procedures.push_back(std::move(*bound));
    }
  }
  sort_by_place(out.diagnostics);
  return out;
}

} // namespace elbrus

MIDEND_END_NAMESPACE

#endif
