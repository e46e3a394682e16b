/// `builder`: writes procedures of the Elbrus-like IR in C++.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/support/span.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// Name, flags and guard of an operation: `b.add(type::i32, i, b.i32(1), {.name = "next", .nsw = true})`.
struct extras {
  std::string_view name = {};
  value_id into = no_value; ///< valid if the operation writes a variable: that one; the result then has no name
  bool nsw = false;
  bool assoc = false;
  bool spec = false;
  bool is_volatile = false;
  bool noreturn = false;
  value_id guard = no_value;     ///< the operation runs if this is 1 …
  value_id unless = no_value;    ///< … or if this is 0
  value_id otherwise = no_value; ///< the result of a guarded operation that does not run
  source_location location = {};
};

/// `[base + index*scale + offset] alias=…`.
struct address {
  value_id base = no_value;
  value_id index = no_value;
  std::uint32_t scale = 1;
  std::int64_t offset = 0;
  alias_id alias = no_alias;
};

/// A case of a switch and its target.
struct switch_case {
  std::uint64_t value = 0; ///< with zeros above the width
  node_id target = no_node;
};

/// The edges of a branch.
struct branch_edges {
  edge_id when_true = 0;
  edge_id when_false = 0;
};

/// Appends operations to a node of a procedure, one after the other. It is a shorthand: the procedure itself can do all
/// of this, and can be read and changed at any time. `verify` checks types and dominance.
///
///     builder b(p);
///     b.at(b.node("entry"));
///     const value_id sum = b.add(type::i32, x, b.i32(1), {.name = "sum"});
///     b.ret(sum);
class builder {
public:
  explicit builder(procedure& p) : procedure_(&p) {}

  procedure& get() const { return *procedure_; }

  // Where to write.

  /// A new node. The first one is the entry.
  node_id node(std::string_view name) { return procedure_->create_node(name); }

  /// The next operations are appended to `n`.
  void at(node_id n) { node_ = n; }

  node_id current() const { return node_; }

  // Parameters, variables, alias classes and literals.

  value_id parameter(type t, std::string_view name) { return procedure_->add_parameter(name, t); }

  value_id local(std::string_view name, std::uint32_t bytes) { return procedure_->add_local(name, bytes); }

  value_id variable(type t, std::string_view name) { return procedure_->add_variable(name, t); }

  alias_id alias(std::string_view name) { return procedure_->alias_class(name); }

  /// The literal of an integer type.
  value_id literal(type t, std::int64_t value) { return procedure_->constant(t, static_cast<std::uint64_t>(value)); }

  value_id i1(bool value) { return literal(type::i1, value ? 1 : 0); }

  value_id i8(std::int64_t value) { return literal(type::i8, value); }

  value_id i16(std::int64_t value) { return literal(type::i16, value); }

  value_id i32(std::int64_t value) { return literal(type::i32, value); }

  value_id i64(std::int64_t value) { return literal(type::i64, value); }

  value_id f32(float value) { return procedure_->constant(type::f32, std::bit_cast<std::uint32_t>(value)); }

  value_id f64(double value) { return procedure_->constant(type::f64, std::bit_cast<std::uint64_t>(value)); }

  value_id undefined(type t) { return procedure_->undefined(t); }

  // Operations. `t` is the type in the name of the operation.

  /// Any operation with operands and result of one type, or a comparison of operands of type `t`.
  value_id operation(opcode code, type t, span<const value_id> operands, const extras& more = {}) {
    const bool compares = info_of(code).form == opcode_form::comparison;
    operation_draft draft = drafted(code, operands, more);
    draft.type = compares ? type::i1 : t;
    draft.operand_type = compares ? t : type::none;
    return procedure_->append(node_, draft);
  }

  value_id operation(opcode code, type t, std::initializer_list<value_id> operands, const extras& more = {}) {
    return operation(code, t, as_span(operands), more);
  }

  value_id mov(type t, value_id a, const extras& more = {}) { return operation(opcode::mov, t, {a}, more); }

  /// `$x = mov.T a`.
  value_id assign(value_id x, value_id a) { return mov(procedure_->core(x).type, a, {.into = x}); }

  value_id add(type t, value_id a, value_id b, const extras& more = {}) {
    return operation(opcode::add, t, {a, b}, more);
  }

  value_id sub(type t, value_id a, value_id b, const extras& more = {}) {
    return operation(opcode::sub, t, {a, b}, more);
  }

  value_id mul(type t, value_id a, value_id b, const extras& more = {}) {
    return operation(opcode::mul, t, {a, b}, more);
  }

  value_id bit_and(type t, value_id a, value_id b, const extras& more = {}) {
    return operation(opcode::bit_and, t, {a, b}, more);
  }

  value_id bit_or(type t, value_id a, value_id b, const extras& more = {}) {
    return operation(opcode::bit_or, t, {a, b}, more);
  }

  value_id bit_xor(type t, value_id a, value_id b, const extras& more = {}) {
    return operation(opcode::bit_xor, t, {a, b}, more);
  }

  value_id select(type t, value_id condition, value_id a, value_id b, const extras& more = {}) {
    return operation(opcode::select, t, {condition, a, b}, more);
  }

  /// `compare(opcode::cmp_lt, type::i32, a, b)`.
  value_id compare(opcode code, type t, value_id a, value_id b, const extras& more = {}) {
    return operation(code, t, {a, b}, more);
  }

  /// `convert(opcode::zext, type::i64, a)`, from the type of `a`.
  value_id convert(opcode code, type to, value_id a, const extras& more = {}) {
    operation_draft draft = drafted(code, {&a, 1}, more);
    draft.type = to;
    draft.operand_type = type_of(a);
    return procedure_->append(node_, draft);
  }

  value_id load(type t, const address& from, const extras& more = {}) {
    const value_id operands[] = {from.base, from.index};
    operation_draft draft = drafted(opcode::ld, span(operands).first(from.index == no_value ? 1 : 2), more);
    draft.type = t;
    draft.access = access_of(from);
    return procedure_->append(node_, draft);
  }

  value_id store(type t, value_id value, const address& to, const extras& more = {}) {
    const value_id operands[] = {value, to.base, to.index};
    operation_draft draft = drafted(opcode::st, span(operands).first(to.index == no_value ? 2 : 3), more);
    draft.operand_type = t;
    draft.access = access_of(to);
    return procedure_->append(node_, draft);
  }

  /// A call; `t` is `none` if it has no result. With `clobber_kind::listed` it writes `classes` only.
  value_id call(type t, std::string_view callee, span<const value_id> arguments, const extras& more = {},
                clobber_kind clobbers = clobber_kind::anything, span<const alias_id> classes = {}) {
    operation_draft draft = drafted(opcode::call, arguments, more);
    draft.type = t;
    return procedure_->append_call(node_, draft, callee, clobbers, classes);
  }

  value_id call(type t, std::string_view callee, std::initializer_list<value_id> arguments, const extras& more = {},
                clobber_kind clobbers = clobber_kind::anything, std::initializer_list<alias_id> classes = {}) {
    return call(t, callee, as_span(arguments), more, clobbers, as_span(classes));
  }

  // Phis, after those that the node has.

  /// A phi. Set an input for each edge, also for edges that are made later.
  value_id phi(type t, std::string_view name = {}) { return procedure_->append_phi(node_, t, name); }

  /// The input of a phi along an edge.
  void input(value_id phi, edge_id e, value_id v) { procedure_->set_phi_input(phi, e, v); }

  // Terminators. They make the edges, in their order.

  edge_id jump(node_id target) {
    procedure_->append(node_, drafted(opcode::jump, {}, {}));
    return procedure_->add_edge(node_, target);
  }

  branch_edges branch(value_id condition, node_id when_true, node_id when_false) {
    operation_draft draft = drafted(opcode::branch, {&condition, 1}, {});
    draft.operand_type = type::i1;
    procedure_->append(node_, draft);
    const edge_id first = procedure_->add_edge(node_, when_true, 1);
    return {first, procedure_->add_edge(node_, when_false, 0)};
  }

  /// Makes a branch with the probability that the condition is 1.
  branch_edges branch(value_id condition, node_id when_true, node_id when_false, double probability) {
    const branch_edges edges = branch(condition, when_true, when_false);
    procedure_->set_probability(edges.when_true, probability);
    procedure_->set_probability(edges.when_false, 1 - probability);
    return edges;
  }

  /// Returns the edges of the cases, then the default edge. The span is valid until the next edge is made.
  span<const edge_id> switch_on(value_id value, span<const switch_case> cases, node_id otherwise) {
    operation_draft draft = drafted(opcode::switch_, {&value, 1}, {});
    draft.operand_type = type_of(value);
    procedure_->append(node_, draft);
    for (const switch_case& c : cases) {
      procedure_->add_edge(node_, c.target, c.value);
    }
    procedure_->add_edge(node_, otherwise);
    return procedure_->out_edges(node_);
  }

  span<const edge_id> switch_on(value_id value, std::initializer_list<switch_case> cases, node_id otherwise) {
    return switch_on(value, as_span(cases), otherwise);
  }

  void ret() { procedure_->append(node_, drafted(opcode::ret, {}, {})); }

  void ret(value_id v) {
    operation_draft draft = drafted(opcode::ret, {&v, 1}, {});
    draft.operand_type = type_of(v);
    procedure_->append(node_, draft);
  }

  void unreachable() { procedure_->append(node_, drafted(opcode::unreachable, {}, {})); }

  type type_of(value_id v) const { return procedure_->core(v).type; }

private:
  template <class T> static span<const T> as_span(std::initializer_list<T> list) { return {list.begin(), list.size()}; }

  static operation_draft drafted(opcode code, span<const value_id> operands, const extras& more) {
    operation_draft draft;
    draft.code = code;
    draft.operands = operands;
    draft.flags = {more.nsw, more.assoc, more.spec, more.is_volatile, more.noreturn};
    draft.guard = more.guard != no_value ? more.guard : more.unless;
    draft.guard_negated = more.guard == no_value && more.unless != no_value;
    draft.otherwise = more.otherwise;
    draft.variable = more.into;
    draft.name = more.name;
    draft.location = more.location;
    return draft;
  }

  static memory_access access_of(const address& a) { return {a.index != no_value, a.scale, a.offset, a.alias}; }

  procedure* procedure_;
  node_id node_ = no_node;
};

} // namespace elbrus

MIDEND_END_NAMESPACE
