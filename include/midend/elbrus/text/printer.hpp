/// `to_text` writes a program in the Elbrus-like IR; `procedure_text` writes parts of a procedure.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/detail/name_index.hpp"
#include "midend/elbrus/identifier.hpp"
#include "midend/elbrus/literal.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/program.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/sort.hpp"
#include "midend/support/span.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

namespace detail {

/// The names in text. A number replaces a name that is missing, that the language does not allow, or that is already
/// used. Values, variables and nodes are numbered separately, in the order of the text.
class printed_names {
public:
  explicit printed_names(const procedure& p) : p_(p), values_(p.num_values(), named), nodes_(p.num_nodes(), named) {
    name_values();
    name_variables();
    name_nodes();
  }

  /// The name of a parameter, variable or operation with a result, without its sign.
  void append_value(std::string& text, value_id v) const { append(text, values_[v], p_.value_name(v)); }

  void append_node(std::string& text, node_id n) const { append(text, nodes_[n], p_.node_name(n)); }

private:
  static constexpr std::uint32_t named = 0xffff'ffff;

  static void append(std::string& text, std::uint32_t number, std::string_view name) {
    if (number == named) {
      text += name;
    } else {
      append_number(text, number);
    }
  }

  void name_values() {
    name_index seen;
    std::uint32_t numbered = 0;
    for (const value_id v : p_.parameters()) {
      give_name(seen, numbered, values_[v], p_.value_name(v), v);
    }
    for (const value_id v : p_.locals()) {
      give_name(seen, numbered, values_[v], p_.value_name(v), v);
    }
    for (node_id n = 0; n != p_.num_nodes(); ++n) {
      for (const value_id v : p_.values(n)) {
        if (p_.core(v).type != type::none && p_.core(v).variable == no_value) {
          give_name(seen, numbered, values_[v], p_.value_name(v), v);
        }
      }
    }
  }

  void name_variables() {
    name_index seen;
    std::uint32_t numbered = 0;
    for (const value_id v : p_.variables()) {
      give_name(seen, numbered, values_[v], p_.value_name(v), v);
    }
  }

  void name_nodes() {
    name_index seen;
    std::uint32_t numbered = 0;
    for (node_id n = 0; n != p_.num_nodes(); ++n) {
      if (!p_.node_core(n).erased) {
        give_name(seen, numbered, nodes_[n], p_.node_name(n), n);
      }
    }
  }

  static void give_name(name_index& seen, std::uint32_t& numbered, std::uint32_t& number, std::string_view name,
                        std::uint32_t owner) {
    if (!is_identifier(name) || seen.find_or_insert(name, owner) != owner) {
      number = numbered++;
    }
  }

  const procedure& p_;
  flat_array<std::uint32_t> values_;
  flat_array<std::uint32_t> nodes_;
};

/// The place of an edge in the text.
struct edge_key {
  node_id source;
  std::uint32_t position;
  edge_id edge;

  friend auto operator<=>(const edge_key&, const edge_key&) = default;
};

/// Sorts the edges into a node by source, and parallel edges as in the terminator. The order in which a procedure keeps
/// them depends on earlier changes.
class entry_order {
public:
  explicit entry_order(const procedure& p) : p_(p) {}

  /// Sorted once for consecutive phis of a node. Valid until the next call.
  span<const edge_id> of(node_id n) {
    if (n != node_) {
      node_ = n;
      sort_edges();
    }
    return edges_;
  }

private:
  void sort_edges() {
    keys_.clear();
    edges_.clear();
    for (const edge_id e : p_.in_edges(node_)) {
      keys_.push_back({p_.edge_source(e), position_in_terminator(e), e});
    }
    midend::detail::heap_sort(keys_.data(), keys_.size());
    for (const edge_key& k : keys_) {
      edges_.push_back(k.edge);
    }
  }

  std::uint32_t position_in_terminator(edge_id e) {
    if (positions_.empty()) {
      number_all();
    }
    return positions_[e];
  }

  void number_all() {
    positions_.assign(p_.num_edges(), 0);
    for (node_id n = 0; n != p_.num_nodes(); ++n) {
      std::uint32_t position = 0;
      for (const edge_id e : p_.out_edges(n)) {
        positions_[e] = position++;
      }
    }
  }

  const procedure& p_;
  node_id node_ = no_node;
  flat_array<edge_id> edges_;
  flat_array<edge_key> keys_;
  flat_array<std::uint32_t> positions_; ///< by edge; empty until the first phi
};

/// Appends a procedure, or parts of it, to a text. Each function is named after what it writes.
class procedure_printer {
public:
  procedure_printer(const procedure& p, std::string& text) : p_(p), names_(p), text_(text), entries_(p) {}

  const printed_names& names() const { return names_; }

  /// The whole procedure; `number` replaces its name if that is not a valid name.
  void whole(std::string_view number) {
    head(number);
    for (const value_id v : p_.variables()) {
      put("  var $");
      names_.append_value(text_, v);
      put(": ", name_of(p_.core(v).type), "\n");
    }
    for (const value_id v : p_.locals()) {
      put("  local %");
      names_.append_value(text_, v);
      put(": ");
      append_number(text_, p_.local_bytes(v));
      put("\n");
    }
    for (node_id n = 0; n != p_.num_nodes(); ++n) {
      if (!p_.node_core(n).erased) {
        node(n);
      }
    }
    put("}\n");
  }

  void operation(value_id v) {
    const value_core& record = p_.core(v);
    if (record.variable != no_value) {
      reference(record.variable);
      put(" = ");
    } else if (record.type != type::none) {
      put("%");
      names_.append_value(text_, v);
      put(" = ");
    }
    put(name_of(record.code));
    switch (info_of(record.code).form) {
    case opcode_form::comparison:
    case opcode_form::conversion:
      types(record.operand_type, info_of(record.code).form == opcode_form::conversion ? record.type : type::none);
      arguments(v);
      break;
    case opcode_form::memory:
      memory(v);
      break;
    case opcode_form::call:
      call(v);
      break;
    case opcode_form::phi:
      phi(v);
      break;
    case opcode_form::terminator:
      terminator(v);
      return;
    default:
      types(record.type, type::none);
      arguments(v);
    }
    flags(record.flags);
    guard(v);
  }

  /// As an operand of type `expected`: a literal of another type is written with its type.
  void operand(value_id v, type expected) {
    if (v == no_value) {
      put("?"); // not set; the parser rejects it
      return;
    }
    const value_core& record = p_.core(v);
    if (record.kind != value_kind::constant && record.kind != value_kind::undefined) {
      reference(v);
      return;
    }
    if (record.type != expected) {
      put(name_of(record.type), " ");
    }
    if (record.kind == value_kind::undefined) {
      put("undef");
    } else {
      append_literal(text_, record.type, p_.literal_bits(v));
    }
  }

private:
  void head(std::string_view number) {
    put("proc @", is_identifier(p_.name()) ? p_.name() : number, "(");
    const char* separator = "";
    for (const value_id v : p_.parameters()) {
      put(separator, "%");
      names_.append_value(text_, v);
      put(": ", name_of(p_.core(v).type));
      separator = ", ";
    }
    put(")");
    if (p_.result_type() != type::none) {
      put(" -> ", name_of(p_.result_type()));
    }
    if (p_.must_progress()) {
      put(" mustprogress");
    }
    count(p_.count());
    put(" {\n");
  }

  void count(std::uint64_t n) {
    if (n != no_count) {
      put(" count=");
      append_number(text_, n);
    }
  }

  void node(node_id n) {
    put("  node ");
    names_.append_node(text_, n);
    count(p_.node_count(n));
    hint(p_.hint(n));
    put(":\n");
    for (const value_id v : p_.values(n)) {
      put("    ");
      operation(v);
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
      append_number(text_, n);
    }
  }

  template <class... Words> void put(const Words&... words) { (text_.append(words), ...); }

  void types(type first, type second) {
    for (const type t : {first, second}) {
      if (t != type::none) {
        put(".", name_of(t));
      }
    }
  }

  void arguments(value_id v) {
    const char* separator = " ";
    const span<const value_id> all = p_.arguments(v);
    for (std::size_t i = 0; i != all.size(); ++i) {
      put(separator);
      operand(all[i], argument_type(p_.core(v), i));
      separator = ", ";
    }
  }

  /// The type of a literal that is written without one.
  static type argument_type(const value_core& record, std::size_t i) {
    if (record.code == opcode::select && i == 0) {
      return type::i1;
    }
    return record.operand_type != type::none ? record.operand_type : record.type;
  }

  void reference(value_id v) {
    put(p_.core(v).kind == value_kind::variable ? "$" : "%");
    names_.append_value(text_, v);
  }

  void flags(attributes f) {
    put(f.nsw ? " nsw" : "");
    put(f.assoc ? " assoc" : "");
    put(f.spec ? " spec" : "");
    put(f.is_volatile ? " volatile" : "");
    put(f.noreturn ? " noreturn" : "");
  }

  void guard(value_id v) {
    if (const value_id g = p_.guard(v); g != no_value) {
      put(p_.core(v).guard_negated ? " ? ~" : " ? ");
      operand(g, type::i1);
    }
    if (const value_id o = p_.otherwise(v); o != no_value) {
      put(" : ");
      operand(o, p_.core(v).type);
    }
  }

  void memory(value_id v) {
    const value_core& record = p_.core(v);
    types(record.code == opcode::st ? record.operand_type : record.type, type::none);
    span<const value_id> all = p_.arguments(v);
    if (record.code == opcode::st && !all.empty()) {
      put(" ");
      operand(all[0], record.operand_type);
      put(",");
      all = all.subspan(1);
    }
    put(" [");
    address(p_.access(v), all);
    put("]");
    if (p_.access(v).alias != no_alias) {
      put(" alias=", p_.alias_name(p_.access(v).alias));
    }
    if (const memory_access& access = p_.access(v); has_scope(access)) {
      put(" local=", p_.alias_name(access.local), ":");
      names_.append_node(text_, access.scope);
    }
  }

  bool has_scope(const memory_access& access) const { return access.local != no_alias && p_.has_scope(access.scope); }

  /// The scale 1 is left out, unless the index could then be read as an offset.
  void address(const memory_access& access, span<const value_id> parts) {
    if (!parts.empty()) {
      operand(parts[0], type::ptr);
    }
    if (access.indexed && parts.size() > 1) {
      put(" + ");
      operand(parts[1], type::i64);
      const bool is_literal = parts[1] != no_value && p_.core(parts[1]).kind == value_kind::constant;
      if (access.scale != 1 || is_literal) {
        put("*");
        append_number(text_, access.scale);
      }
    }
    if (access.offset != 0) {
      put(access.offset < 0 ? " - " : " + ");
      const auto bits = static_cast<std::uint64_t>(access.offset);
      append_number(text_, access.offset < 0 ? 0 - bits : bits);
    }
  }

  /// Literal arguments are written with their type, since the callee may be in another file.
  void call(value_id v) {
    const call_record& record = p_.call(v);
    types(p_.core(v).type, type::none);
    put(" @", record.callee == 0 ? "0" : p_.text(record.callee), "(");
    const char* separator = "";
    for (const value_id argument : p_.arguments(v)) {
      put(separator);
      operand(argument, type::none);
      separator = ", ";
    }
    put(")");
    if (record.clobbers == clobber_kind::nothing ||
        (record.clobbers == clobber_kind::listed && p_.clobbered(v).empty())) {
      put(" clobbers=none");
    } else if (record.clobbers == clobber_kind::listed) {
      separator = " clobbers=";
      for (const alias_id c : p_.clobbered(v)) {
        put(separator, p_.alias_name(c));
        separator = ",";
      }
    }
  }

  /// Entries in the order of the nodes and of their terminators.
  void phi(value_id v) {
    types(p_.core(v).type, type::none);
    const char* separator = " [";
    for (const edge_id e : entries_.of(p_.core(v).node)) {
      put(separator);
      names_.append_node(text_, p_.edge_source(e));
      put(": ");
      operand(p_.phi_input(v, e), p_.core(v).type);
      put("]");
      separator = ", [";
    }
  }

  void terminator(value_id v) {
    const value_core& record = p_.core(v);
    const span<const edge_id> edges = p_.out_edges(record.node);
    if (record.code == opcode::switch_) {
      types(record.operand_type, type::none);
      arguments(v);
      cases(edges, record.operand_type);
      return;
    }
    if (record.code == opcode::ret) {
      for (const value_id result : p_.arguments(v)) {
        put(" ");
        operand(result, p_.result_type());
      }
      return;
    }
    arguments(v);
    const char* separator = record.code == opcode::branch ? " ? " : " ";
    for (const edge_id e : edges) {
      put(separator);
      target(e);
      separator = " : ";
    }
  }

  void cases(span<const edge_id> edges, type t) {
    put(" ");
    for (const edge_id e : edges) {
      if (p_.is_default(e)) {
        put("default: ");
        target(e);
      } else {
        put("[");
        append_literal(text_, t, p_.case_value(e));
        put(": ");
        target(e);
        put("], ");
      }
    }
  }

  void target(edge_id e) {
    names_.append_node(text_, p_.edge_target(e));
    if (p_.probability(e) >= 0) {
      put("(");
      append_number(text_, p_.probability(e));
      put(")");
    }
  }

  const procedure& p_;
  printed_names names_;
  std::string& text_;
  entry_order entries_;
};

} // namespace detail

/// Writes a procedure so that `parse` gives an equal one: equal contents, in equal order, with equal names. Numbers of
/// values and edges may differ; erased nodes and values are left out. A number replaces a name that is missing, that
/// the language does not allow, or that something earlier has (`verify` finds such names). Literals and probabilities
/// are exact. Entries of phis are in the order of the nodes; those of parallel edges are in the order of the
/// terminator.
///
/// Equal procedures give equal texts, and so does the procedure that is parsed from the text. If something is missing,
/// such as an input of a phi, the text shows `?` there and cannot be parsed. O(n log n) for phis in their edges,
/// otherwise linear.
MIDEND_FUNCTION std::string to_text(const procedure& p);

/// Writes all procedures of a program.
MIDEND_FUNCTION std::string to_text(const program& p);

/// Operations, values and nodes of a procedure as `to_text` writes them, for messages and reports. Made in O(n) for n
/// values; valid until the procedure changes.
class procedure_text {
public:
  explicit procedure_text(const procedure& p);

  ~procedure_text();

  procedure_text(const procedure_text&) = delete;
  procedure_text& operator=(const procedure_text&) = delete;

  /// The line of an operation, without indentation.
  std::string operation(value_id v);

  /// A value as an operand: `%x`, `$x` or a literal.
  std::string value(value_id v);

  /// The name of a node.
  std::string node(node_id n);

private:
  const procedure* procedure_;
  std::string text_;
  detail::procedure_printer printer_;
};

} // namespace elbrus

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

MIDEND_FUNCTION std::string to_text(const procedure& p) {
  std::string text;
  detail::procedure_printer(p, text).whole("0");
  return text;
}

MIDEND_FUNCTION std::string to_text(const program& p) {
  std::string text;
  for (std::size_t i = 0; i != p.procedures.size(); ++i) {
    text += i == 0 ? "" : "\n";
    detail::procedure_printer(p.procedures[i], text).whole(std::to_string(i));
  }
  return text;
}

MIDEND_FUNCTION std::string procedure_text::operation(value_id v) {
  text_.clear();
  printer_.operation(v);
  return text_;
}

MIDEND_FUNCTION std::string procedure_text::value(value_id v) {
  text_.clear();
  printer_.operand(v, v == no_value ? type::none : procedure_->core(v).type);
  return text_;
}

MIDEND_FUNCTION std::string procedure_text::node(node_id n) {
  text_.clear();
  printer_.names().append_node(text_, n);
  return text_;
}

MIDEND_FUNCTION procedure_text::procedure_text(const procedure& p) : procedure_(&p), printer_(p, text_) {}

MIDEND_FUNCTION procedure_text::~procedure_text() = default;

} // namespace elbrus

MIDEND_END_NAMESPACE

#endif
