/// `bind_procedure`: makes a procedure from parsed text: resolves names and converts literals to bits.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/detail/messages.hpp"
#include "midend/elbrus/detail/name_index.hpp"
#include "midend/elbrus/diagnostic.hpp"
#include "midend/elbrus/identifier.hpp"
#include "midend/elbrus/literal.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/text/detail/syntax.hpp"
#include "midend/elbrus/text/detail/syntax_parser.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// The procedures of a file by name.
class signatures {
public:
  /// Reports second procedures of one name.
  signatures(span<const written_procedure> procedures, std::vector<diagnostic>& errors) : procedures_(procedures) {
    for (std::uint32_t i = 0; i != procedures.size(); ++i) {
      const spelling& name = procedures[i].name;
      if (!is_anonymous(name.text) && by_name_.find_or_insert(name.text, i) != i) {
        add_diagnostic(errors, name.location, {"a second procedure ", message_part::quoted("@", name.text)});
      }
    }
  }

  /// Null if there is none.
  const written_procedure* find(std::string_view name) const {
    const std::uint32_t number = by_name_.find(name);
    return number == name_index::missing ? nullptr : &procedures_[number];
  }

private:
  span<const written_procedure> procedures_;
  name_index by_name_;
};

/// The edges from one node into the node whose phis are bound.
struct edges_from_node {
  node_id target = no_node;
  std::uint32_t first = 0; ///< position among the edges into the target
  std::uint32_t phi = 0;   ///< the last phi with an entry for them …
  std::uint32_t taken = 0; ///< … and how many of them have one
};

/// Maps the entries of a phi to their edges. An entry names the source of an edge; entries with one source belong to
/// its parallel edges, in the order of the terminator. Linear in the edges of each node and in the entries.
///
/// Requires that edges were made in the order of their sources, so that parallel ones are neighbours.
class phi_matcher {
public:
  static constexpr std::uint32_t no_position = 0xffff'ffff;

  explicit phi_matcher(const procedure& p) : p_(p) { sources_.assign(p.num_nodes(), {}); }

  /// The next phis are in this node.
  void begin_node(node_id n) {
    node_ = n;
    const span<const edge_id> in = p_.in_edges(n);
    filled_.assign(in.size(), 0);
    phi_ = 0;
    for (std::size_t i = in.size(); i-- != 0;) {
      sources_[p_.edge_source(in[i])] = {.target = n, .first = static_cast<std::uint32_t>(i)};
    }
  }

  void begin_phi() {
    ++phi_;
    matched_ = 0;
  }

  bool is_predecessor(node_id source) const { return sources_[source].target == node_; }

  /// The position, among the edges into the node, of the next entry with this source; `no_position` if there are more
  /// entries than edges.
  std::uint32_t match(node_id source) {
    edges_from_node& s = sources_[source];
    if (s.phi != phi_) {
      s.phi = phi_;
      s.taken = 0;
    }
    const span<const edge_id> in = p_.in_edges(node_);
    const std::size_t position = s.first + s.taken;
    if (!is_predecessor(source) || position >= in.size() || p_.edge_source(in[position]) != source) {
      return no_position;
    }
    ++s.taken;
    ++matched_;
    filled_[position] = phi_;
    return static_cast<std::uint32_t>(position);
  }

  /// The number of edges without an entry.
  std::size_t missing() const { return p_.in_edges(node_).size() - matched_; }

  /// The first edge without an entry.
  edge_id first_missing() const {
    std::size_t position = 0;
    while (filled_[position] == phi_) {
      ++position;
    }
    return p_.in_edges(node_)[position];
  }

private:
  const procedure& p_;
  node_id node_ = no_node;
  flat_array<edges_from_node> sources_;
  flat_array<std::uint32_t> filled_; ///< by position: the last phi that has an entry for it
  std::uint32_t phi_ = 0;
  std::size_t matched_ = 0;
};

/// The number of a definition that does not exist or could not be read.
inline constexpr std::uint32_t no_definition = 0xffff'fffe;

/// An operand. One that is defined further down has a definition, but no value yet.
struct bound_operand {
  value_id value = no_value;
  std::uint32_t definition = no_definition;
};

/// Binds one procedure. Reports errors in its names and literals, its flow and the entries of its phis, and goes on.
/// Compares entries of phis with edges only if all edges are known. If lines of the procedure break the grammar, binds
/// the others for their names and literals only. A first node that has predecessors gets an empty node before it.
class procedure_binder {
public:
  procedure_binder(const written_procedure& written, const signatures& callees, std::vector<diagnostic>& errors)
      : in_(written), callees_(callees), errors_(errors) {}

  /// Nothing if there is an error, or was one in the grammar.
  std::optional<procedure> bind() {
    const std::size_t errors_before = errors_.size();
    out_.set_name(kept_name(in_.name));
    out_.set_location(in_.location);
    out_.set_result_type(in_.result);
    out_.set_must_progress(in_.must_progress);
    out_.set_count(in_.count);
    declare_values();
    declare_variables();
    declare_nodes();
    make_edges();
    make_operations();
    set_forward_references();
    return errors_.size() == errors_before && !in_.is_broken ? std::optional(std::move(out_)) : std::nullopt;
  }

private:
  struct forward_reference {
    value_id user;
    std::uint32_t operand;
    std::uint32_t definition;
  };

  template <class List> static std::uint32_t size_of(const List& list) {
    return static_cast<std::uint32_t>(list.size());
  }

  void fail(source_location place, message words) { add_diagnostic(errors_, place, words); }

  // Names. Values are known by the number of their definition: parameters come first, then local arrays, then
  // operations.

  /// Empty for names that are only digits: they stand for no name.
  static std::string_view kept_name(const spelling& name) {
    return is_anonymous(name.text) ? std::string_view() : name.text;
  }

  void declare_values() {
    for (const written_operand& name : in_.lost_names) {
      (name.kind == operand_kind::variable ? variables_ : values_).find_or_insert(name.name.text, no_definition);
    }
    value_of_.reserve(num_declared() + in_.operations.size());
    for (const written_declaration& p : in_.parameters) {
      declare(values_, "%", p.name, size_of(value_of_));
      value_of_.push_back(out_.add_parameter(kept_name(p.name), p.type, p.name.location));
    }
    for (const written_local& a : in_.locals) {
      declare(values_, "%", a.name, size_of(value_of_));
      value_of_.push_back(out_.add_local(kept_name(a.name), a.bytes, a.name.location));
    }
    for (const written_operation& op : in_.operations) {
      if (op.result == result_kind::value) {
        declare(values_, "%", op.name, size_of(value_of_));
      }
      value_of_.push_back(no_value);
    }
  }

  void declare_variables() {
    for (const written_declaration& v : in_.variables) {
      declare(variables_, "$", v.name, size_of(out_.variables()));
      out_.add_variable(kept_name(v.name), v.type, v.name.location);
    }
  }

  void declare(name_index& index, std::string_view sign, const spelling& name, std::uint32_t number) {
    const std::uint32_t first = index.find_or_insert(name.text, number);
    if (first != number && first != no_definition) {
      fail_twice(sign, name, &index == &variables_ ? in_.variables[first].name.location : place_of(first));
    }
  }

  MIDEND_SELDOM_CALLED void fail_twice(std::string_view sign, const spelling& name, source_location first) {
    fail(name.location, {message_part::quoted(sign, name.text), " is defined twice, first in line ", first.line});
  }

  std::size_t num_declared() const { return in_.parameters.size() + in_.locals.size(); }

  source_location place_of(std::uint32_t definition) const {
    const std::size_t parameters = in_.parameters.size();
    return definition < parameters       ? in_.parameters[definition].name.location
           : definition < num_declared() ? in_.locals[definition - parameters].name.location
                                         : in_.operations[definition - num_declared()].name.location;
  }

  type type_of_definition(std::uint32_t definition) const {
    return definition < in_.parameters.size() ? in_.parameters[definition].type
           : definition < num_declared()      ? type::ptr
                                              : in_.operations[definition - num_declared()].type;
  }

  /// `no_definition` after an error.
  std::uint32_t find_value(const spelling& name) {
    const std::uint32_t definition = values_.find(name.text);
    if (definition != name_index::missing) {
      return definition;
    }
    fail(name.location, {"unknown value ", message_part::quoted("%", name.text)});
    return no_definition;
  }

  /// `no_value` after an error.
  value_id find_variable(const spelling& name) {
    const std::uint32_t number = variables_.find(name.text);
    if (number == name_index::missing) {
      fail(name.location, {"unknown variable ", message_part::quoted("$", name.text)});
      return no_value;
    }
    return number == no_definition ? no_value : out_.variables()[number];
  }

  alias_id find_class(const spelling& name) {
    const auto fresh = static_cast<alias_id>(out_.num_alias_classes());
    const alias_id c = classes_by_name_.find_or_insert(name.text, fresh);
    return c == fresh ? out_.add_alias_class(name.text) : c;
  }

  std::uint64_t bits_of(const spelling& number, type t) {
    const literal value = parse_literal(number.text, t);
    if (value.fault != literal_fault::none) {
      fail(number.location, {quoted(number.text), words_of(value.fault), name_of(t)});
    }
    return value.bits;
  }

  // Nodes and edges.

  void declare_nodes() {
    flow_is_known_ = !in_.is_broken;
    if (in_.nodes.empty() && !in_.is_broken) {
      fail(in_.location, {"procedure ", message_part::quoted("@", in_.name.text), " has no node"});
    }
    for (std::uint32_t i = 0; i != in_.nodes.size(); ++i) {
      const spelling& name = in_.nodes[i].name;
      if (name.text.empty()) {
        continue; // its head cannot be read
      }
      const std::uint32_t first = nodes_.find_or_insert(name.text, i);
      if (first != i) {
        flow_is_known_ = false;
        fail_twice({}, name, in_.nodes[first].name.location);
      }
    }
    add_entry_if_needed();
    for (const written_node& n : in_.nodes) {
      const node_id made = out_.create_node(kept_name(n.name), n.location);
      out_.set_node_count(made, n.count);
      out_.set_hint(made, n.hint);
    }
  }

  void add_entry_if_needed() {
    bool first_has_predecessors = false;
    for (const written_target& t : in_.targets) {
      first_has_predecessors |= nodes_.find(t.label.text) == 0;
    }
    if (first_has_predecessors) {
      out_.set_node_count(out_.create_node(free_node_name("entry")), in_.count);
      added_entry_ = 1;
    }
  }

  std::string free_node_name(std::string_view stem) const {
    std::string name(stem);
    for (unsigned i = 1; nodes_.find(name) != name_index::missing; ++i) {
      name = text_of({stem, ".", i});
    }
    return name;
  }

  /// The node of the procedure for a node of the text.
  node_id node_of(std::uint32_t written) const { return written + added_entry_; }

  /// `no_node` after an error.
  node_id find_node(const spelling& label) {
    const std::uint32_t found = nodes_.find(label.text);
    if (found == name_index::missing) {
      fail(label.location, {"unknown node ", quoted(label.text)});
      return no_node;
    }
    return node_of(found);
  }

  /// Adds edges in the order of the nodes and of their terminators.
  void make_edges() {
    if (added_entry_ != 0) {
      out_.add_edge(0, 1);
      out_.append(0, {.code = opcode::jump});
    }
    for (std::uint32_t i = 0; i != in_.nodes.size(); ++i) {
      if (const written_operation* const end = terminator_of(in_.nodes[i])) {
        for (const written_target& t : end->targets.of(in_.targets)) {
          make_edge(node_of(i), t, end->code == opcode::branch ? type::i1 : end->operand_type);
        }
      }
    }
  }

  /// The first one, which must be the last operation.
  const written_operation* terminator_of(const written_node& n) {
    const span<const written_operation> all = n.operations.of(in_.operations);
    std::size_t at = 0;
    while (at != all.size() && !is_terminator(all[at].code)) {
      ++at;
    }
    if (at == all.size()) {
      flow_is_known_ = false;
      if (!in_.is_broken) {
        fail(n.location, {"node ", quoted(n.name.text), " has no terminator"});
      }
      return nullptr;
    }
    if (at + 1 != all.size()) {
      flow_is_known_ = false; // the head of a node may be missing
      if (in_.is_broken) {
        return &all[at];
      }
      fail(all[at + 1].location, {"an operation after the terminator of node ", quoted(n.name.text)});
    }
    return &all[at];
  }

  void make_edge(node_id source, const written_target& t, type case_type) {
    const node_id target = find_node(t.label);
    if (target == no_node) {
      flow_is_known_ = false;
      return;
    }
    const edge_id e = t.case_value.text.empty() ? out_.add_edge(source, target)
                                                : out_.add_edge(source, target, bits_of(t.case_value, case_type));
    out_.set_probability(e, t.probability);
  }

  // Operations.

  void make_operations() {
    phi_matcher matcher(out_);
    for (std::uint32_t i = 0; i != in_.nodes.size(); ++i) {
      matcher.begin_node(node_of(i));
      const array_slice all = in_.nodes[i].operations;
      bool at_head = true;
      for (std::uint32_t number = all.first; number != all.first + all.count; ++number) {
        const written_operation& op = in_.operations[number];
        bind_operands(op);
        if (op.code == opcode::phi) {
          if (!at_head) {
            fail(op.location, {"a phi after other operations"});
          }
          order_inputs(op, i, matcher);
        }
        at_head &= op.code == opcode::phi;
        make_operation(op, number, node_of(i));
      }
    }
  }

  void make_operation(const written_operation& op, std::uint32_t number, node_id node) {
    const auto v = static_cast<value_id>(out_.num_values());
    operands_.clear();
    for (const bound_operand& o : bound_) {
      operands_.push_back(o.value != no_value ? o.value : v); // itself, until it is known
    }
    operation_draft draft{.code = op.code, .type = op.type, .operand_type = operand_type_of(op)};
    draft.otherwise = take_last_if(op.has_otherwise);
    draft.guard = take_last_if(op.guarded);
    draft.operands = operands_;
    draft.guard_negated = op.guard_negated;
    draft.flags = op.flags;
    draft.location = op.location;
    if (op.result == result_kind::value) {
      draft.name = kept_name(op.name);
    } else if (op.result == result_kind::variable) {
      draft.variable = find_variable(op.name);
    }
    append(op, node, draft);
    value_of_[num_declared() + number] = v;
    for (std::uint32_t i = 0; i != bound_.size(); ++i) {
      if (bound_[i].value == no_value && bound_[i].definition != no_definition) {
        forward_.push_back({v, i, bound_[i].definition});
      }
    }
  }

  value_id take_last_if(bool there) {
    if (!there) {
      return no_value;
    }
    const value_id last = operands_.back();
    operands_.pop_back();
    return last;
  }

  void append(const written_operation& op, node_id node, operation_draft& draft) {
    if (op.code == opcode::call) {
      const written_call& call = in_.calls[op.extra];
      classes_.clear();
      for (const spelling& name : call.classes.of(in_.labels)) {
        classes_.push_back(find_class(name));
      }
      out_.append_call(node, draft, kept_name(call.callee), call.clobbers, classes_);
      return;
    }
    if (info_of(op.code).form == opcode_form::memory) {
      const written_access& a = in_.accesses[op.extra];
      draft.access = {a.indexed, a.scale, a.offset, a.alias.text.empty() ? no_alias : find_class(a.alias)};
      if (!a.local.text.empty()) {
        draft.access.local = find_class(a.local);
        draft.access.scope = find_node(a.scope);
      }
    }
    out_.append(node, draft);
  }

  void set_forward_references() {
    for (const forward_reference& f : forward_) {
      if (value_of_[f.definition] != no_value) {
        out_.set_operand(f.user, f.operand, value_of_[f.definition]);
      }
    }
  }

  // Operands.

  void bind_operands(const written_operation& op) {
    const span<const written_operand> all = op.operands.of(in_.operands);
    bound_.clear();
    for (std::size_t i = 0; i != all.size(); ++i) {
      bound_.push_back(bind_operand(op, i, all[i]));
    }
  }

  bound_operand bind_operand(const written_operation& op, std::size_t i, const written_operand& o) {
    switch (o.kind) {
    case operand_kind::value: {
      const std::uint32_t definition = find_value(o.name);
      return {definition == no_definition ? no_value : value_of_[definition], definition};
    }
    case operand_kind::variable:
      return {find_variable(o.name)};
    default:
      return {bind_literal(op, i, o)};
    }
  }

  value_id bind_literal(const written_operation& op, std::size_t i, const written_operand& o) {
    const type t = o.type != type::none ? o.type : expected_type(op, i);
    if (t != type::none) {
      return o.kind == operand_kind::undefined ? out_.undefined(t) : out_.constant(t, bits_of(o.name, t));
    }
    const written_procedure* const callee =
        op.code == opcode::call ? callees_.find(in_.calls[op.extra].callee.text) : nullptr;
    const bool is_lost = op.code == opcode::ret ? in_.head_is_broken : callee != nullptr && callee->head_is_broken;
    if (!is_lost) {
      fail(o.name.location, {"a literal needs a type here, as in 'i32 1'"});
    }
    return no_value;
  }

  /// The type of operand `i` if it is a literal without a type; `none` where any type is allowed.
  type expected_type(const written_operation& op, std::size_t i) const {
    const std::size_t arguments = op.operands.count - std::size_t{op.guarded} - std::size_t{op.has_otherwise};
    if (i >= arguments) {
      return i == arguments ? type::i1 : op.type;
    }
    switch (op.code) {
    case opcode::select:
      return i == 0 ? type::i1 : op.type;
    case opcode::ld:
      return i == 0 ? type::ptr : type::i64;
    case opcode::st:
      return i == 0 ? op.operand_type : i == 1 ? type::ptr : type::i64;
    case opcode::call:
      return parameter_type(in_.calls[op.extra].callee.text, i);
    case opcode::ret:
      return in_.result;
    default:
      return op.operand_type != type::none ? op.operand_type : op.type;
    }
  }

  type parameter_type(std::string_view callee, std::size_t i) const {
    const written_procedure* const known = callees_.find(callee);
    return known != nullptr && i < known->parameters.size() ? known->parameters[i].type : type::none;
  }

  /// The operand type of the text; for `ret`, the type of the returned value.
  type operand_type_of(const written_operation& op) const {
    if (op.code != opcode::ret || bound_.empty()) {
      return op.operand_type;
    }
    const bound_operand& o = bound_[0];
    return o.value != no_value             ? out_.core(o.value).type
           : o.definition != no_definition ? type_of_definition(o.definition)
                                           : type::none;
  }

  // Phis.

  /// Puts the entries of a phi into the order of the edges.
  void order_inputs(const written_operation& op, std::uint32_t written, phi_matcher& matcher) {
    if (!flow_is_known_) {
      return;
    }
    matcher.begin_phi();
    bool all_match = true;
    ordered_.assign(bound_.size(), {});
    const span<const spelling> labels = op.labels.of(in_.labels);
    for (std::size_t i = 0; i != labels.size(); ++i) {
      const node_id source = find_node(labels[i]);
      const std::uint32_t position = source == no_node ? phi_matcher::no_position : matcher.match(source);
      if (position < ordered_.size()) {
        ordered_[position] = bound_[i];
      }
      if (position == phi_matcher::no_position) {
        all_match = false;
        fail_entry(labels[i], source, written, matcher);
      }
    }
    if (all_match && matcher.missing() == 0) {
      bound_.swap(ordered_);
    } else if (all_match) {
      fail_missing(op, matcher);
    }
  }

  MIDEND_SELDOM_CALLED void fail_entry(const spelling& label, node_id source, std::uint32_t written,
                                       const phi_matcher& matcher) {
    if (source == no_node) {
      return; // reported
    }
    if (matcher.is_predecessor(source)) {
      fail(label.location, {"more entries for node ", quoted(label.text), " than edges from it"});
    } else {
      fail(label.location,
           {"node ", quoted(label.text), " is no predecessor of node ", quoted(in_.nodes[written].name.text)});
    }
  }

  MIDEND_SELDOM_CALLED void fail_missing(const written_operation& op, const phi_matcher& matcher) {
    const node_id source = out_.edge_source(matcher.first_missing());
    const bool from_added_entry = source < added_entry_;
    const std::string others =
        matcher.missing() == 1 ? std::string() : text_of({", nor for ", matcher.missing() - 1, " more"});
    if (from_added_entry) {
      fail(op.location, {"the phi has no entry for the entry of the procedure: write a node before this one", others});
    } else {
      fail(op.location, {"the phi has no entry for the edge from node ",
                         quoted(in_.nodes[source - added_entry_].name.text), others});
    }
  }

  const written_procedure& in_;
  const signatures& callees_;
  std::vector<diagnostic>& errors_;
  procedure out_;

  name_index values_;
  name_index variables_;
  name_index nodes_;
  name_index classes_by_name_;
  flat_array<value_id> value_of_; ///< by definition; `no_value` until it is made
  std::uint32_t added_entry_ = 0; ///< 1 if there is one
  bool flow_is_known_ = true;     ///< nodes have different names and one terminator, and targets exist

  flat_array<bound_operand> bound_;   ///< operands of the current operation
  flat_array<bound_operand> ordered_; ///< operands of a phi, in the order of the edges
  flat_array<value_id> operands_;
  flat_array<alias_id> classes_; ///< that the current operation clobbers
  flat_array<forward_reference> forward_;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
