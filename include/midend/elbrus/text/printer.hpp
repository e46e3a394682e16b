/// `to_text`: writes a program in the Elbrus-like IR.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/literal.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/program.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/text/detail/operation_printer.hpp"
#include "midend/elbrus/text/lexer.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ssa_values.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

namespace detail {

/// Writes one procedure. Each function is named after what it writes.
class procedure_printer {
public:
  procedure_printer(const procedure& p, std::string_view name, std::string& text)
      : p_(p), name_(name), operations_(p, text), text_(text) {}

  void print() {
    head();
    for (const value_id v : p_.variables()) {
      put("  var $");
      operations_.names().append_value(text_, v);
      put(": ", name_of(p_.value(v).type), "\n");
    }
    for (node_id n = 0; n != p_.num_nodes(); ++n) {
      if (!p_.node(n).erased) {
        node(n);
      }
    }
    put("}\n");
  }

private:
  template <class... Words> void put(const Words&... words) { (text_.append(words), ...); }

  void number(std::uint64_t n) { append_number(text_, n); }

  void head() {
    put("proc @", name_, "(");
    const char* separator = "";
    for (const value_id v : p_.parameters()) {
      put(separator, "%");
      operations_.names().append_value(text_, v);
      put(": ", name_of(p_.value(v).type));
      separator = ", ";
    }
    put(")");
    if (p_.result_type() != type::none) {
      put(" -> ", name_of(p_.result_type()));
    }
    count(p_.count());
    put(" {\n");
  }

  void count(std::uint64_t n) {
    if (n != no_count) {
      put(" count=");
      number(n);
    }
  }

  void node(node_id n) {
    const node_record& record = p_.node(n);
    put("  node ");
    operations_.names().append_node(text_, n);
    count(record.count);
    hint(record.hint);
    put(":\n");
    for (const value_id v : p_.values(n)) {
      put("    ");
      operations_.operation(v);
      put("\n");
    }
  }

  void hint(const trip_hint& h) {
    if (h != trip_hint()) {
      put(" hint");
      trip("avg", h.average);
      trip("max", h.maximum);
      trip("multiple", h.multiple);
    }
  }

  void trip(std::string_view what, std::uint64_t n) {
    if (n != 0) {
      put(" trip=", what, ":");
      number(n);
    }
  }

  const procedure& p_;
  std::string_view name_;
  operation_printer operations_;
  std::string& text_;
};

inline void append_procedure(std::string& text, const procedure& p, std::string_view number) {
  procedure_printer(p, is_identifier(p.name()) ? p.name() : number, text).print();
}

} // namespace detail

/// Writes a procedure so that `parse` gives the same one: what is in it, in the same order, with the same names.
/// Numbers of values and edges may differ, and nodes and values that were erased are not there. What has no name is
/// written as a number, also if its name is none in the language or is that of something before it; `verify` finds such
/// names. Literals and probabilities are exact. Entries of phis stand in the order of the nodes and, of parallel edges,
/// of the terminator.
///
/// The same procedure gives the same text, and so does the one that was read from it. If something is missing in it,
/// such as an input of a phi, the text shows it but cannot be parsed. O(n log n) for phis in their edges, else linear.
inline std::string to_text(const procedure& p) {
  std::string text;
  detail::append_procedure(text, p, "0");
  return text;
}

/// The same of all procedures.
inline std::string to_text(const program& p) {
  std::string text;
  for (std::size_t i = 0; i != p.procedures.size(); ++i) {
    text += i == 0 ? "" : "\n";
    detail::append_procedure(text, p.procedures[i], std::to_string(i));
  }
  return text;
}

} // namespace elbrus

MIDEND_END_NAMESPACE
