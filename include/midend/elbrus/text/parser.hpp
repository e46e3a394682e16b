/// `parse`: reads a program in the Elbrus-like IR.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/diagnostic.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/program.hpp"
#include "midend/elbrus/text/detail/procedure_binder.hpp"
#include "midend/elbrus/text/detail/signatures.hpp"
#include "midend/elbrus/text/detail/syntax.hpp"
#include "midend/elbrus/text/detail/syntax_parser.hpp"
#include "midend/elbrus/text/detail/unfinished_calls.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// What was read, and what is wrong with it.
struct parse_result {
  elbrus::program program;             ///< the procedures without errors, in the order of the file
  std::vector<diagnostic> diagnostics; ///< in the order of the file

  explicit operator bool() const { return diagnostics.empty(); }
};

/// Reads a file. White space is only there to separate tokens, but for one thing: behind an error, reading goes on in
/// the next line. `#` begins a comment. The grammar, with literals as `parse_literal` knows them:
///
///     program    = { procedure } .
///     procedure  = "proc" PROCEDURE "(" [ parameter { "," parameter } ] ")" [ "->" type ] [ count ]
///                  "{" { variable } node { node } "}" .
///     parameter  = VALUE ":" type .
///     variable   = "var" VARIABLE ":" type .
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
///     flag       = "nsw" | "assoc" | "spec" | "volatile" | "noreturn" | "alias" "=" class | "clobbers" "=" clobbers .
///     clobbers   = "none" | "*" | class { "," class } .
///     terminator = "br" target | "br" operand "?" target ":" target
///                | "switch.T" operand { "[" literal ":" target "]" "," } "default" ":" target
///                | "ret" [ operand ] | "unreachable" .
///     target     = label [ "(" probability ")" ] .
///     operand    = VALUE | VARIABLE | [ type ] ( literal | "undef" ) .
///
/// NAME is that of the opcode with its types (`add.i32`, `cmp.lt.i64`, `zext.i8.i32`). VALUE, VARIABLE and PROCEDURE
/// are a name behind `%`, `$` and `@`; labels and classes are names. A name is a letter or `_`, then letters, digits,
/// `_` and `.`; digits alone stand for something that has no name. The operand of `ret` stands in the same line. A
/// number behind the `+` in an address is an index if `*` follows, else the offset.
///
/// A literal without a type has that which the operation asks for; an index is an `i64`, and an argument of a call has
/// the type of the parameter if the procedure is in the file, else it needs one. Values may be used before the line
/// that defines them. Entries of a phi that name the same node are for its parallel edges, in the order of the
/// terminator. Where the first node has predecessors, an empty one is put before it.
///
/// All errors are found, one in each line that breaks the grammar; what such a line would have defined is not missed
/// elsewhere. Beside the grammar, names have to be known and used once, literals have to fit, each node has one
/// terminator at its end, phis stand at the head with an entry for each edge. The rest is checked by `verify`, which a
/// procedure with errors does not get to: of such a one, what `verify` would say is said here, as far as the operands
/// are known; and what needs the whole flow, as dominance does, if all edges are known.
///
/// Any bytes are a text, but not more than 1 GiB. Linear in its length.
inline parse_result parse(std::string_view text) {
  constexpr std::size_t longest = std::size_t{1} << 30;
  parse_result out;
  if (text.size() > longest) {
    out.diagnostics.push_back({{}, "the text is longer than 1 GiB"});
    return out;
  }
  const std::vector<detail::written_procedure> written = detail::syntax_parser(text, out.diagnostics).program();
  detail::signatures signatures(written);
  std::vector<bool> is_first(written.size());
  for (std::uint32_t i = 0; i != written.size(); ++i) {
    is_first[i] = signatures.add(i);
  }
  std::vector<detail::read_procedure> read;
  for (std::size_t i = 0; i != written.size(); ++i) {
    read.push_back(detail::procedure_binder(written[i], signatures, out.diagnostics).bind());
    if (!is_first[i]) {
      const detail::spelling& name = written[i].name;
      out.diagnostics.push_back({name.location, "a second procedure " + detail::quoted("@" + std::string(name.text))});
    }
  }
  if (!out.diagnostics.empty()) {
    detail::check_unfinished_calls(read, signatures, out.diagnostics);
  }
  for (std::size_t i = 0; i != written.size(); ++i) {
    if (is_first[i] && read[i].is_right) {
      out.program.procedures.push_back(std::move(read[i].made));
    }
  }
  std::sort(out.diagnostics.begin(), out.diagnostics.end(), is_before);
  return out;
}

} // namespace elbrus

MIDEND_END_NAMESPACE
