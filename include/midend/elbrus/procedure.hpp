/// `procedure`: a procedure of the Elbrus-like IR, in flat arrays.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/detail/name_table.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/detail/list_pool.hpp"
#include "midend/support/detail/operand_lists.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/range.hpp"
#include "midend/support/span.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// A procedure: nodes, edges and values with stable numbers, and the functions that change them. It is a value: copies
/// are independent, and everything in it is named by number.
///
/// **Flow**: models `edge_indexed_flow_graph` and `bidirectional_flow_graph`. Node 0 is the entry. Edges belong to the
/// terminator of their source: `out_edges(n)` are in its order, `in_edges(n)` in the order of the operands of phis.
/// `epoch()` counts the changes.
///
/// **Values**: operations, with and without a result, are in nodes; parameters, variables, local arrays and literals
/// are in none. All of them share one numbering. Operands are values; each value has a list of its users. The
/// operations of a node are a linked list: phis first, a terminator last. There is one literal for each type and bit
/// pattern.
///
/// Operand i of a phi in node n is the input for edge i of `in_edges(n)`; a change of edges changes the phis too.
/// Removing an edge moves the last one into its place, in that list and in the phis. An erased node, edge or value
/// keeps its number: an erased node is unreachable and empty, an erased edge comes from `no_node`, the kind of an
/// erased value is `erased`.
///
/// Nothing here checks types or dominance; `verify` does. Requires valid numbers of this procedure. Drafts must not
/// refer to lists of this procedure. Each step is O(1) amortised, plus the phis and edges that it touches. Members that
/// most passes read are stored apart from names, places and the profile: 32 bytes of 48 a value, with 16 an operand, 32
/// of 72 a node, and 12 of 28 an edge.
class procedure {
private:
  /// Maps a slot to the node in which its user reads the value.
  struct reading_node_of_slot {
    const procedure* of = nullptr;

    node_id operator()(std::uint32_t slot) const {
      const value_id user = of->operands_.user(slot);
      const value_core& record = of->values_[user];
      return of->is_phi(user) ? of->edge_source(of->in_edges(record.node)[slot - record.operands.first]) : record.node;
    }
  };

  /// A literal: its bits and its type.
  struct literal_key {
    std::uint64_t bits;
    elbrus::type type;

    friend bool operator==(const literal_key&, const literal_key&) = default;
  };

  struct hash_of_literal {
    std::uint64_t operator()(const literal_key& key) const {
      return midend::detail::mix_hash(key.bits, static_cast<std::uint64_t>(key.type));
    }
  };

  /// One end of an edge.
  struct end_of_edge {
    const node_id* ends = nullptr;

    node_id operator()(edge_id e) const { return ends[e]; }
  };

  /// Walks the values of a node.
  class value_iterator {
  public:
    using value_type = value_id;
    using difference_type = std::ptrdiff_t;
    using reference = value_id;
    using pointer = void;
    using iterator_category = std::input_iterator_tag; // the reference is a value
    using iterator_concept = std::forward_iterator_tag;

    value_iterator() = default;

    value_iterator(const procedure* p, value_id at) : procedure_(p), at_(at) {}

    value_id operator*() const { return at_; }

    value_iterator& operator++() {
      at_ = procedure_->values_[at_].next;
      return *this;
    }

    value_iterator operator++(int) {
      const value_iterator old = *this;
      ++*this;
      return old;
    }

    friend bool operator==(value_iterator a, value_iterator b) { return a.at_ == b.at_; }

  private:
    const procedure* procedure_ = nullptr;
    value_id at_ = no_value;
  };

public:
  // Name, type and profile.

  std::string_view name() const { return names_[name_]; }

  void set_name(std::string_view name) { name_ = names_.add(name); }

  type result_type() const { return result_type_; }

  void set_result_type(type t) { result_type_ = t; }

  /// The number of calls of this procedure.
  std::uint64_t count() const { return count_; }

  void set_count(std::uint64_t count) { count_ = count; }

  /// Whether it is `mustprogress`: staying in it for ever, without calls and volatile accesses, is undefined.
  bool must_progress() const { return must_progress_; }

  void set_must_progress(bool must_progress) { must_progress_ = must_progress; }

  source_location location() const { return location_; }

  void set_location(source_location location) { location_ = location; }

  // Reading the flow.

  std::size_t num_nodes() const { return nodes_.size(); }

  node_id entry() const { return 0; }

  auto successors(node_id n) const { return mapped(out_edges(n), end_of_edge{edge_targets_.data()}); }

  auto predecessors(node_id n) const { return mapped(in_edges(n), end_of_edge{edge_sources_.data()}); }

  std::size_t num_edges() const { return edge_targets_.size(); }

  span<const edge_id> out_edges(node_id n) const { return edge_lists_.elements(nodes_[n].out); }

  span<const edge_id> in_edges(node_id n) const { return edge_lists_.elements(nodes_[n].in); }

  node_id edge_source(edge_id e) const { return edge_sources_[e]; }

  node_id edge_target(edge_id e) const { return edge_targets_[e]; }

  std::uint64_t epoch() const { return epoch_; }

  /// The whole record. Passes that need a member of it ask for that, or for the core.
  node_record node(node_id n) const {
    const detail::node_details& more = node_details_[n];
    return {nodes_[n], more.count, more.hint, more.location};
  }

  const elbrus::node_core& node_core(node_id n) const { return nodes_[n]; }

  edge_record edge(edge_id e) const {
    return {edge_sources_[e],
            edge_targets_[e],
            edge_places_[e].position,
            edge_places_[e].is_default != 0,
            edge_details_[e].case_value,
            edge_details_[e].probability};
  }

  /// Whether the edge is the default of a switch, or the only edge of a jump.
  bool is_default(edge_id e) const { return edge_places_[e].is_default != 0; }

  /// The number of times that a node runs, or `no_count`.
  std::uint64_t node_count(node_id n) const { return node_details_[n].count; }

  const trip_hint& hint(node_id n) const { return node_details_[n].hint; }

  source_location node_location(node_id n) const { return node_details_[n].location; }

  /// The value for which an edge is taken, unless it is the default; 1 and 0 for the edges of a branch.
  std::uint64_t case_value(edge_id e) const { return edge_details_[e].case_value; }

  /// The share of its source's runs that take the edge; negative: unknown.
  double probability(edge_id e) const { return edge_details_[e].probability; }

  /// A name in the table of this procedure.
  std::string_view text(name_id name) const { return names_[name]; }

  std::string_view node_name(node_id n) const { return names_[nodes_[n].name]; }

  // Reading the values.

  std::size_t num_values() const { return values_.size(); }

  /// The whole record. Passes that need a member of it ask for that, or for the core.
  value_record value(value_id v) const {
    return {values_[v], value_details_[v].name, literal_bits(v), value_details_[v].location};
  }

  const value_core& core(value_id v) const { return values_[v]; }

  std::string_view value_name(value_id v) const { return names_[value_details_[v].name]; }

  source_location value_location(value_id v) const { return value_details_[v].location; }

  /// The bits of a constant, with zeros above its width; 0 for any other value.
  std::uint64_t literal_bits(value_id v) const {
    return values_[v].kind == value_kind::constant ? literals_[values_[v].extra] : 0;
  }

  bool is_operation(value_id v) const { return values_[v].kind == value_kind::operation; }

  bool is_phi(value_id v) const { return is_operation(v) && values_[v].code == opcode::phi; }

  bool is_terminator(value_id v) const { return is_operation(v) && elbrus::is_terminator(values_[v].code); }

  /// Operands, guard and otherwise included.
  span<const value_id> operands(value_id v) const { return operands_.operands(values_[v].operands); }

  /// Operands without guard and otherwise.
  span<const value_id> arguments(value_id v) const {
    const span<const value_id> all = operands(v);
    return all.first(all.size() - values_[v].guarded - values_[v].has_otherwise);
  }

  /// The predicate of a guarded operation, else `no_value`.
  value_id guard(value_id v) const { return values_[v].guarded ? operands(v)[arguments(v).size()] : no_value; }

  /// The result if the operation does not run, else `no_value`.
  value_id otherwise(value_id v) const { return values_[v].has_otherwise ? operands(v).back() : no_value; }

  /// The operations that read the value, once for each operand, latest first.
  auto users(value_id v) const { return operands_.users(v); }

  bool has_users(value_id v) const { return operands_.has_users(v); }

  /// The nodes that read the value, once for each operand: the nodes of its users; for an input of a phi, the edge's
  /// source.
  auto reading_nodes(value_id v) const { return mapped(operands_.slots(v), reading_node_of_slot{this}); }

  /// The address of a load or store.
  const memory_access& access(value_id v) const { return accesses_[values_[v].extra]; }

  /// Sets the alias class of a load or store.
  void set_alias(value_id v, alias_id c) { accesses_[values_[v].extra].alias = c; }

  /// Sets a class that holds within a run of the loop with header `scope`; `no_alias` for none.
  void set_local_class(value_id v, alias_id c, node_id scope) {
    accesses_[values_[v].extra].local = c;
    accesses_[values_[v].extra].scope = c == no_alias ? no_node : scope;
    has_scopes_ = has_scopes_ || c != no_alias;
  }

  /// Whether local classes of a loop hold: its header exists, and did not become the header of another loop, too.
  bool has_scope(node_id header) const {
    return header < nodes_.size() && !nodes_[header].erased && (header >= ended_.size() || ended_[header] == 0);
  }

  /// Ends the local classes of this loop.
  void end_scope(node_id header) {
    while (ended_.size() <= header) {
      ended_.push_back(0);
    }
    ended_[header] = 1;
  }

  bool has_scopes() const { return has_scopes_; }

  /// Callee and clobbers of a call.
  const call_record& call(value_id v) const { return calls_[values_[v].extra]; }

  /// The classes that a call with `clobber_kind::listed` may write.
  span<const alias_id> clobbered(value_id v) const { return class_lists_.elements(call(v).classes); }

  /// The values of a node, in order.
  auto values(node_id n) const { return iterator_range<value_iterator>({this, nodes_[n].first}, {this, no_value}); }

  /// The terminator of a node, or `no_value` if it has none yet.
  value_id terminator(node_id n) const {
    return elbrus::is_terminator(nodes_[n].last_code) ? nodes_[n].last : no_value;
  }

  span<const value_id> parameters() const { return {parameters_.data(), parameters_.size()}; }

  span<const value_id> variables() const { return {variables_.data(), variables_.size()}; }

  /// The local arrays, each the address of its first byte.
  span<const value_id> locals() const { return {locals_.data(), locals_.size()}; }

  /// The number of bytes of a local array.
  std::uint32_t local_bytes(value_id v) const { return values_[v].extra; }

  /// The input of a phi for an edge into its node.
  value_id phi_input(value_id v, edge_id e) const { return operands(v)[edge_places_[e].position]; }

  /// The place of a variable in `variables()`.
  std::uint32_t variable_number(value_id v) const { return variable_number_[v]; }

  // Changing the flow.

  node_id create_node(std::string_view name, source_location location = {}) {
    elbrus::node_core fresh;
    fresh.name = names_.add(name);
    nodes_.push_back(fresh);
    node_details_.push_back({.location = location});
    ++epoch_;
    return static_cast<node_id>(nodes_.size() - 1);
  }

  void set_node_name(node_id n, std::string_view name) { nodes_[n].name = names_.add(name); }

  void set_node_count(node_id n, std::uint64_t count) { node_details_[n].count = count; }

  void set_hint(node_id n, trip_hint hint) { node_details_[n].hint = hint; }

  void set_probability(edge_id e, double probability) { edge_details_[e].probability = probability; }

  /// Makes the edge the default: it is taken for all values that have no edge of their own.
  void clear_case(edge_id e) {
    edge_places_[e].is_default = 1;
    edge_details_[e].case_value = 0;
  }

  /// Adds an edge, last among those of its source. Phis of the target get an input that is not set.
  edge_id add_edge(node_id source, node_id target) {
    const edge_id e = begin_edge(source);
    enter_with_phis(e, target);
    return e;
  }

  /// Adds an edge that is taken if the condition has this value.
  edge_id add_edge(node_id source, node_id target, std::uint64_t case_value) {
    const edge_id e = add_edge(source, target);
    edge_places_[e].is_default = 0;
    edge_details_[e].case_value = case_value;
    return e;
  }

  /// The edge keeps its place among those of its source, and its case. Phis of the new target get an input that is not
  /// set.
  void redirect_edge(edge_id e, node_id target) {
    leave_with_phis(e);
    enter_with_phis(e, target);
  }

  void erase_edge(edge_id e) {
    leave_with_phis(e);
    end_edge(e);
  }

  /// Requires that no edge leads into it and that no other node uses its values.
  void erase_node(node_id n) {
    MIDEND_ASSERT(n != entry() && in_edges(n).empty(), "a node into which no edge leads", n);
    while (!out_edges(n).empty()) {
      erase_edge(out_edges(n).back());
    }
    for (value_id v = nodes_[n].last; v != no_value; v = values_[v].previous) {
      operands_.clear(values_[v].operands);
    }
    while (nodes_[n].last != no_value) {
      erase_value(nodes_[n].last);
    }
    nodes_[n].erased = true;
  }

  // Parameters, variables, literals and alias classes.

  value_id add_parameter(std::string_view name, type t, source_location location = {}) {
    const value_id v = add_value(value_kind::parameter, t, name, location);
    parameters_.push_back(v);
    return v;
  }

  value_id add_variable(std::string_view name, type t, source_location location = {}) {
    const value_id v = add_value(value_kind::variable, t, name, location);
    while (variable_number_.size() <= v) {
      variable_number_.push_back(0);
    }
    variable_number_[v] = static_cast<std::uint32_t>(variables_.size());
    variables_.push_back(v);
    return v;
  }

  /// Adds a local array, which each call of the procedure has for itself. Its bytes are unwritten at first.
  value_id add_local(std::string_view name, std::uint32_t bytes, source_location location = {}) {
    const value_id v = add_value(value_kind::local, type::ptr, name, location);
    values_[v].extra = bytes;
    locals_.push_back(v);
    return v;
  }

  /// Requires that nothing reads it. O(1) for the last one, else O(their number).
  void erase_local(value_id v) {
    MIDEND_ASSERT(values_[v].kind == value_kind::local && !has_users(v), "a local array without users", v);
    values_[v].kind = value_kind::erased;
    if (locals_.back() == v) {
      locals_.pop_back();
      return;
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i != locals_.size(); ++i) {
      if (locals_[i] != v) {
        locals_[kept++] = locals_[i];
      }
    }
    locals_.shrink(kept);
  }

  /// Takes back `erase_local`: puts the array back among the others, which are in the order of their numbers.
  void restore_local(value_id v) {
    MIDEND_ASSERT(values_[v].kind == value_kind::erased, "an erased local array", v);
    values_[v].kind = value_kind::local;
    std::size_t at = locals_.size();
    locals_.push_back(v);
    for (; at != 0 && locals_[at - 1] > v; --at) {
      locals_[at] = locals_[at - 1];
    }
    locals_[at] = v;
  }

  /// Erases all variables. Requires that nothing reads or writes them.
  void clear_variables() {
    for (const value_id v : variables_) {
      MIDEND_ASSERT(!has_users(v), "a variable without users", v);
      values_[v].kind = value_kind::erased;
    }
    variables_.clear();
  }

  /// The literal of a type with these bits; those above its width are dropped.
  value_id constant(type t, std::uint64_t bits) {
    bits &= ~std::uint64_t{0} >> (64 - literal_width_of(t));
    constexpr std::uint64_t infinity = 0x7ff0'0000'0000'0000;
    if (t == type::f80 && (bits & ~(std::uint64_t{1} << 63)) > infinity) { // without a payload
      bits = (bits & std::uint64_t{1} << 63) | infinity | std::uint64_t{1} << 51;
    }
    const auto fresh = static_cast<value_id>(values_.size());
    const value_id v = constants_.find_or_insert({bits, t}, fresh);
    if (v == fresh) {
      add_value(value_kind::constant, t, {}, {});
      values_[v].extra = static_cast<std::uint32_t>(literals_.size());
      literals_.push_back(bits);
    }
    return v;
  }

  /// The literal `undef` of a type.
  value_id undefined(type t) {
    value_id& v = undefined_[static_cast<std::size_t>(t)];
    if (v == 0) {
      v = add_value(value_kind::undefined, t, {}, {}) + 1;
    }
    return v - 1;
  }

  /// The number of a class of accesses; a new one if there is none with this name.
  alias_id alias_class(std::string_view name) {
    for (alias_id c = 0; c != alias_names_.size(); ++c) {
      if (names_[alias_names_[c]] == name) {
        return c;
      }
    }
    return add_alias_class(name);
  }

  /// A new class of accesses. Requires that there is none with this name.
  alias_id add_alias_class(std::string_view name) {
    alias_names_.push_back(names_.add(name));
    return static_cast<alias_id>(alias_names_.size() - 1);
  }

  std::size_t num_alias_classes() const { return alias_names_.size(); }

  std::string_view alias_name(alias_id c) const { return names_[alias_names_[c]]; }

  // Changing operations.

  /// A new operation at the end of a node, before the terminator if there is one.
  value_id append(node_id n, const operation_draft& draft) {
    return insert(n, elbrus::is_terminator(draft.code) ? no_value : terminator(n), draft);
  }

  /// A new operation before another one.
  value_id insert_before(value_id at, const operation_draft& draft) { return insert(values_[at].node, at, draft); }

  /// A new phi, at the head of a node; its inputs are not set.
  value_id insert_phi(node_id n, type t, std::string_view name = {}, source_location location = {}) {
    return new_phi(n, nodes_[n].first, t, name, location);
  }

  /// A new phi, after the phis of the node; its inputs are not set.
  value_id append_phi(node_id n, type t, std::string_view name = {}, source_location location = {}) {
    value_id after_phis = nodes_[n].first;
    while (after_phis != no_value && is_phi(after_phis)) {
      after_phis = values_[after_phis].next;
    }
    return new_phi(n, after_phis, t, name, location);
  }

  /// Appends a call; `draft` has the arguments. With `clobber_kind::listed`, it may write `classes`.
  value_id append_call(node_id n, const operation_draft& draft, std::string_view callee,
                       clobber_kind clobbers = clobber_kind::anything, span<const alias_id> classes = {}) {
    const value_id v = append(n, draft);
    call_record& record = calls_[values_[v].extra];
    record.callee = names_.add(callee);
    record.clobbers = clobbers;
    for (const alias_id c : classes) {
      class_lists_.push_back(record.classes, c);
    }
    return v;
  }

  void set_phi_input(value_id v, edge_id e, value_id input) {
    MIDEND_ASSERT(edge_targets_[e] == values_[v].node, "an edge into the node of the phi", e, v);
    operands_.set(values_[v].operands, edge_places_[e].position, input);
  }

  void set_operand(value_id v, std::size_t i, value_id operand) { operands_.set(values_[v].operands, i, operand); }

  void set_value_name(value_id v, std::string_view name) { value_details_[v].name = names_.add(name); }

  void set_flags(value_id v, attributes flags) { values_[v].flags = flags; }

  /// The operation no longer writes a variable; its result is its value.
  void detach_variable(value_id v) { values_[v].variable = no_value; }

  void replace_uses(value_id v, value_id by) { operands_.replace_uses(v, by); }

  /// Requires an operation without users. The edges of a terminator must be erased separately.
  void erase_value(value_id v) {
    MIDEND_ASSERT(is_operation(v) && !has_users(v), "an operation without users", v);
    operands_.clear(values_[v].operands);
    unlink(v);
    values_[v].kind = value_kind::erased;
  }

  /// Moves an operation before another one of any node, or, for `no_value`, to the end of node `n`. A phi that is moved
  /// to another node has inputs that are not set. A terminator takes its edges along.
  void move_value(value_id v, node_id n, value_id before) {
    MIDEND_ASSERT(is_operation(v) && v != before, "an operation that is in a node", v);
    const node_id from = values_[v].node;
    unlink(v);
    link(v, n, before);
    if (from == n) {
      return;
    }
    if (is_phi(v)) {
      operands_.clear(values_[v].operands);
      for (std::size_t i = 0; i != in_edges(n).size(); ++i) {
        operands_.push_back(values_[v].operands, v, no_value);
      }
    } else if (is_terminator(v)) {
      MIDEND_ASSERT(out_edges(n).empty(), "a node without an end", n);
      for (const edge_id e : out_edges(from)) {
        edge_sources_[e] = n;
      }
      const midend::detail::pooled_list none = nodes_[n].out;
      nodes_[n].out = nodes_[from].out;
      nodes_[from].out = none;
      ++epoch_;
    }
  }

  /// Erases the terminator of a node and its edges.
  void erase_end(node_id n) {
    while (!out_edges(n).empty()) {
      erase_edge(out_edges(n).back());
    }
    if (terminator(n) != no_value) {
      erase_value(terminator(n));
    }
  }

  // Taking back.

  /// Puts an erased operation into node `n` again, before another one or, for `no_value`, at the end. Inputs of a phi
  /// are not set, whatever `operands` says.
  void restore_value(value_id v, node_id n, value_id before, span<const value_id> operands) {
    MIDEND_ASSERT(values_[v].kind == value_kind::erased, "an erased operation", v);
    values_[v].kind = value_kind::operation;
    link(v, n, before);
    if (values_[v].code == opcode::phi) {
      for (std::size_t i = 0; i != in_edges(n).size(); ++i) {
        operands_.push_back(values_[v].operands, v, no_value);
      }
      return;
    }
    for (const value_id operand : operands) {
      operands_.push_back(values_[v].operands, v, operand);
    }
  }

  /// Makes an erased edge lead from `source`, last among its edges, to `target` again, with its case and probability.
  /// Phis of the target get an input that is not set.
  void restore_edge(edge_id e, node_id source, node_id target) {
    MIDEND_ASSERT(edge_sources_[e] == no_node, "an erased edge", e);
    edge_sources_[e] = source;
    edge_lists_.push_back(nodes_[source].out, e);
    enter_with_phis(e, target);
  }

  /// Makes an erased node exist again, without operations.
  void restore_node(node_id n) {
    nodes_[n].erased = false;
    ++epoch_;
  }

  /// Sets the case of an edge.
  void set_case(edge_id e, bool is_default, std::uint64_t case_value) {
    edge_places_[e].is_default = is_default ? 1 : 0;
    edge_details_[e].case_value = case_value;
  }

private:
  /// Adds an edge, last among those of its source, that leads nowhere yet.
  edge_id begin_edge(node_id source) {
    const auto e = static_cast<edge_id>(edge_targets_.size());
    edge_sources_.push_back(source);
    edge_targets_.push_back(no_node);
    edge_places_.push_back({});
    edge_details_.push_back({});
    edge_lists_.push_back(nodes_[source].out, e);
    return e;
  }

  void enter(edge_id e, node_id target) {
    edge_targets_[e] = target;
    edge_places_[e].position = nodes_[target].in.count;
    edge_lists_.push_back(nodes_[target].in, e);
    ++epoch_;
  }

  /// Removes an edge from the list of its target: the last edge there takes its place.
  void leave(edge_id e) {
    elbrus::node_core& target = nodes_[edge_targets_[e]];
    const span<edge_id> in = edge_lists_.elements(target.in);
    const std::uint32_t position = edge_places_[e].position;
    in[position] = in.back();
    edge_places_[in[position]].position = position & 0x7fff'ffff;
    edge_lists_.erase(target.in, in.size() - 1);
    ++epoch_;
  }

  /// Removes an edge from its source. It has left its target already.
  void end_edge(edge_id e) {
    elbrus::node_core& source = nodes_[edge_sources_[e]];
    const span<const edge_id> out = out_edges(edge_sources_[e]);
    std::size_t position = out.size() - 1; // usually edges are removed from the last one on
    while (out[position] != e) {
      --position;
    }
    edge_lists_.erase(source.out, position);
    edge_sources_[e] = no_node;
    edge_targets_[e] = no_node;
  }

  value_id add_value(value_kind kind, type t, std::string_view name, source_location location) {
    value_core fresh;
    fresh.kind = kind;
    fresh.type = t;
    values_.push_back(fresh);
    value_details_.push_back({names_.add(name), location});
    operands_.add_value();
    return static_cast<value_id>(values_.size() - 1);
  }

  value_id new_phi(node_id n, value_id before, type t, std::string_view name, source_location location) {
    const value_id v = insert(n, before, {.code = opcode::phi, .type = t, .name = name, .location = location});
    operands_.reserve(values_[v].operands, in_edges(n).size());
    for (std::size_t i = 0; i != in_edges(n).size(); ++i) {
      operands_.push_back(values_[v].operands, v, no_value);
    }
    return v;
  }

  value_id insert(node_id n, value_id before, const operation_draft& draft) {
    const value_id v = add_value(value_kind::operation, draft.type, draft.name, draft.location);
    value_core& record = values_[v];
    record.code = draft.code;
    record.operand_type = draft.operand_type;
    record.flags = draft.flags;
    record.variable = draft.variable;
    operands_.reserve(record.operands, draft.operands.size() + (draft.guard != no_value ? 1u : 0u) +
                                           (draft.otherwise != no_value ? 1u : 0u));
    for (const value_id operand : draft.operands) {
      operands_.push_back(record.operands, v, operand);
    }
    if (draft.guard != no_value) {
      record.guarded = true;
      record.guard_negated = draft.guard_negated;
      operands_.push_back(record.operands, v, draft.guard);
    }
    if (draft.otherwise != no_value) {
      record.has_otherwise = true;
      operands_.push_back(record.operands, v, draft.otherwise);
    }
    if (info_of(draft.code).form == opcode_form::memory) {
      record.extra = static_cast<std::uint32_t>(accesses_.size());
      accesses_.push_back(draft.access);
      has_scopes_ = has_scopes_ || draft.access.local != no_alias;
    } else if (draft.code == opcode::call) {
      record.extra = static_cast<std::uint32_t>(calls_.size());
      calls_.push_back({});
    }
    link(v, n, before);
    return v;
  }

  void link(value_id v, node_id n, value_id before) {
    elbrus::node_core& home = nodes_[n];
    value_core& record = values_[v];
    record.node = n;
    record.next = before;
    record.previous = before == no_value ? home.last : values_[before].previous;
    (record.previous == no_value ? home.first : values_[record.previous].next) = v;
    (before == no_value ? home.last : values_[before].previous) = v;
    if (before == no_value) {
      home.last_code = record.code;
    }
  }

  void unlink(value_id v) {
    const value_core& record = values_[v];
    elbrus::node_core& home = nodes_[record.node];
    (record.previous == no_value ? home.first : values_[record.previous].next) = record.next;
    (record.next == no_value ? home.last : values_[record.next].previous) = record.previous;
    if (record.next == no_value) {
      home.last_code = record.previous == no_value ? opcode::mov : values_[record.previous].code;
    }
  }

  template <class Visit> void for_each_phi(node_id n, Visit visit) {
    for (value_id v = nodes_[n].first; v != no_value && is_phi(v); v = values_[v].next) {
      visit(v);
    }
  }

  void enter_with_phis(edge_id e, node_id target) {
    enter(e, target);
    for_each_phi(target, [&](value_id phi) { operands_.push_back(values_[phi].operands, phi, no_value); });
  }

  /// Phis follow the list of edges: the last input moves into the place of the removed one.
  void leave_with_phis(edge_id e) {
    const edge_record left = edge(e);
    leave(e);
    for_each_phi(left.target, [&](value_id phi) {
      operands_.set(values_[phi].operands, left.position, operands(phi).back());
      operands_.erase(values_[phi].operands, operands(phi).size() - 1);
    });
  }

  name_id name_ = 0;
  type result_type_ = type::none;
  bool must_progress_ = false;
  std::uint64_t count_ = no_count;
  source_location location_;

  detail::name_table names_;
  flat_array<elbrus::node_core> nodes_;
  flat_array<detail::node_details> node_details_; ///< by node
  flat_array<node_id> edge_sources_;              ///< by edge, as are the next three
  flat_array<node_id> edge_targets_;
  flat_array<detail::edge_place> edge_places_;
  flat_array<detail::edge_details> edge_details_;

  flat_array<value_core> values_;
  flat_array<detail::value_details> value_details_; ///< by value
  flat_array<std::uint64_t> literals_;
  midend::detail::operand_lists operands_;
  flat_array<memory_access> accesses_;
  flat_array<call_record> calls_;
  midend::detail::list_pool class_lists_;

  flat_array<value_id> parameters_;
  flat_array<value_id> variables_;
  flat_array<value_id> locals_;
  flat_array<std::uint32_t> variable_number_; ///< by value, as far as there are variables
  flat_array<name_id> alias_names_;
  flat_array<unsigned char> ended_; ///< by header of a loop whose local classes do not hold any more
  bool has_scopes_ = false;         ///< some access has, or had, a local class
  midend::detail::hash_map<literal_key, hash_of_literal> constants_;
  std::array<value_id, type_names.size()> undefined_ = {}; ///< plus 1; 0 for not made yet
  midend::detail::list_pool edge_lists_;
  std::uint64_t epoch_ = 0;
};

} // namespace elbrus

MIDEND_END_NAMESPACE
