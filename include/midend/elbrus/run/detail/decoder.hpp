/// `decoded_program`: procedures in the flat form that the interpreter executes, made when they are first called.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/detail/name_index.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/run/detail/decoded_procedure.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// `a > b` is executed as `b < a`.
constexpr bool is_swapped(opcode code) {
  return code == opcode::cmp_gt || code == opcode::cmp_ge || code == opcode::cmp_ugt || code == opcode::cmp_uge;
}

/// The action of an operation on numbers.
constexpr action action_of(opcode code, bool nsw) {
  switch (code) {
  case opcode::mov:
    return action::move;
  case opcode::select:
    return action::select;
  case opcode::add:
    return nsw ? action::add_nsw : action::add;
  case opcode::sub:
    return nsw ? action::evaluate : action::sub;
  case opcode::mul:
    return nsw ? action::evaluate : action::mul;
  case opcode::bit_and:
    return action::bit_and;
  case opcode::bit_or:
    return action::bit_or;
  case opcode::bit_xor:
    return action::bit_xor;
  case opcode::cmp_eq:
    return action::equal;
  case opcode::cmp_ne:
    return action::not_equal;
  case opcode::cmp_lt:
  case opcode::cmp_gt:
    return action::less;
  case opcode::cmp_le:
  case opcode::cmp_ge:
    return action::less_equal;
  case opcode::cmp_ult:
  case opcode::cmp_ugt:
    return action::uless;
  case opcode::cmp_ule:
  case opcode::cmp_uge:
    return action::uless_equal;
  case opcode::itof:
    return action::integer_to_float;
  default:
    return info_of(code).meaning != operation::other       ? action::evaluate
           : info_of(code).form == opcode_form::conversion ? action::conversion
                                                           : action::floating;
  }
}

/// The procedures of a program by name.
class callee_table {
public:
  explicit callee_table(span<const procedure> procedures) : procedures_(procedures) {
    for (std::uint32_t i = 0; i != procedures.size(); ++i) {
      by_name_.find_or_insert(procedures[i].name(), i);
    }
  }

  /// The first procedure of this name, or `no_index`.
  std::uint32_t find(std::string_view name) const {
    static_assert(name_index::missing == no_index);
    return by_name_.find(name);
  }

  const procedure& operator[](std::uint32_t number) const { return procedures_[number]; }

private:
  span<const procedure> procedures_;
  name_index by_name_;
};

/// Decodes one procedure.
class decoder {
public:
  decoder(const procedure& p, const callee_table& callees)
      : p_(p), callees_(callees), slot_of_(p.num_values(), no_index) {}

  decoded_procedure run() {
    for (const value_id v : p_.parameters()) {
      slot(v);
    }
    for (const value_id v : p_.locals()) {
      out_.locals.push_back({slot(v), p_.local_bytes(v)});
      out_.local_bytes += p_.local_bytes(v);
    }
    std::vector<std::uint32_t> first_instruction(p_.num_nodes());
    for (node_id n = 0; n != p_.num_nodes(); ++n) {
      first_instruction[n] = static_cast<std::uint32_t>(out_.code.size());
      add_node(n);
    }
    out_.scopes.read(p_);
    out_.edges.resize(p_.num_edges());
    for (edge_id e = 0; e != p_.num_edges(); ++e) {
      if (p_.edge_source(e) != no_node) {
        add_edge(e, first_instruction[p_.edge_target(e)]);
      }
    }
    out_.ready = true;
    return std::move(out_);
  }

private:
  std::uint32_t new_slot(value_id v, std::uint64_t bits, slot_state state) {
    out_.bits.push_back(bits);
    out_.states.push_back(state);
    out_.value_of.push_back(v);
    return static_cast<std::uint32_t>(out_.bits.size() - 1);
  }

  /// The slot of a value. Slots that are read before they are written are `unwritten`: in a procedure that verifies,
  /// only variables.
  std::uint32_t slot(value_id v) {
    if (v == no_value) {
      return new_slot(v, 0, slot_state::unwritten); // a phi input that is not set
    }
    if (slot_of_[v] == no_index) {
      const value_core& record = p_.core(v);
      const slot_state state = record.kind == value_kind::constant    ? slot_state::defined
                               : record.kind == value_kind::undefined ? slot_state::undefined
                                                                      : slot_state::unwritten;
      slot_of_[v] = new_slot(v, p_.literal_bits(v), state);
    }
    return slot_of_[v];
  }

  std::uint32_t result_slot(value_id v) {
    const value_core& record = p_.core(v);
    if (record.variable != no_value) {
      return slot(record.variable);
    }
    return record.type == type::none ? no_index : slot(v);
  }

  void add_node(node_id n) {
    for (const value_id v : p_.values(n)) {
      if (!p_.is_phi(v)) {
        add_guard(v);
        out_.code.push_back(operation(v));
      }
    }
    if (p_.terminator(n) == no_value) {
      out_.code.push_back({.value = p_.node_core(n).last});
    }
  }

  void add_guard(value_id v) {
    const value_core& record = p_.core(v);
    if (!record.guarded) {
      return;
    }
    const value_id otherwise = p_.otherwise(v);
    out_.code.push_back({.what = action::guard,
                         .speculative = record.flags.spec,
                         .negated = record.guard_negated,
                         .result = result_slot(v),
                         .a = slot(p_.guard(v)),
                         .b = otherwise == no_value ? no_index : slot(otherwise),
                         .value = v});
  }

  instruction operation(value_id v) {
    const value_core& record = p_.core(v);
    instruction i;
    i.speculative = record.flags.spec;
    i.is_volatile = record.flags.is_volatile;
    i.noreturn = record.flags.noreturn;
    i.code = record.code;
    i.type = record.type;
    i.operand_type = record.operand_type;
    i.result = result_slot(v);
    i.value = v;
    switch (info_of(record.code).form) {
    case opcode_form::memory:
      set_access(i);
      break;
    case opcode_form::call:
      set_call(i);
      break;
    case opcode_form::terminator:
      set_terminator(i);
      break;
    default:
      set_computation(i);
    }
    return i;
  }

  void set_computation(instruction& i) {
    const span<const value_id> arguments = p_.arguments(i.value);
    i.what = action_of(i.code, p_.core(i.value).flags.nsw);
    const bool is_extended = i.type == type::f80 || i.operand_type == type::f80;
    if (is_extended &&
        (i.what == action::floating || i.what == action::conversion || i.what == action::integer_to_float)) {
      i.what = action::extended;
    }
    i.arity = static_cast<std::uint8_t>(arguments.size());
    i.a = slot(arguments[0]);
    i.b = arguments.size() > 1 ? slot(arguments[1]) : i.a;
    i.c = arguments.size() > 2 ? slot(arguments[2]) : i.a;
    const type of_operands = i.operand_type == type::none ? i.type : i.operand_type;
    i.info = {.code = info_of(i.code).meaning,
              .width = static_cast<std::uint8_t>(width_of(i.type)),
              .operand_width = static_cast<std::uint8_t>(width_of(of_operands)),
              .flags = {.no_signed_wrap = p_.core(i.value).flags.nsw}};
    if (is_swapped(i.code)) {
      std::swap(i.a, i.b);
    }
  }

  void set_access(instruction& i) {
    const memory_access& access = p_.access(i.value);
    const span<const value_id> all = p_.arguments(i.value);
    const bool stores = i.code == opcode::st;
    const span<const value_id> address = all.subspan(stores ? 1 : 0);
    i.type = stores ? i.operand_type : i.type;
    i.what = i.is_volatile         ? action::volatile_access
             : i.type == type::f80 ? action::extended
             : stores              ? action::store
                                   : action::load;
    i.b = slot(address[0]);
    i.a = stores ? slot(all[0]) : i.b;
    i.c = access.indexed ? slot(address[1]) : i.b;
    i.info.operand_width = static_cast<std::uint8_t>(width_of(p_.core(access.indexed ? address[1] : address[0]).type));
    i.count = access.indexed ? access.scale : 0;
    i.offset = access.offset;
  }

  void set_call(instruction& i) {
    const span<const value_id> arguments = p_.arguments(i.value);
    i.first = static_cast<std::uint32_t>(out_.arguments.size());
    i.count = static_cast<std::uint32_t>(arguments.size());
    for (const value_id argument : arguments) {
      out_.arguments.push_back({slot(argument), p_.core(argument).type});
    }
    i.target = callees_.find(p_.text(p_.call(i.value).callee));
    i.what = i.target == no_index                       ? action::host_call
             : agrees(i, callees_[i.target], arguments) ? action::call
                                                        : action::bad_call;
  }

  bool agrees(const instruction& call, const procedure& callee, span<const value_id> arguments) const {
    if (arguments.size() != callee.parameters().size() ||
        (call.type != type::none && !converts_freely(callee.result_type(), call.type))) {
      return false;
    }
    for (std::size_t k = 0; k != arguments.size(); ++k) {
      if (!converts_freely(p_.core(arguments[k]).type, callee.value(callee.parameters()[k]).type)) {
        return false;
      }
    }
    return true;
  }

  void set_terminator(instruction& i) {
    const span<const value_id> arguments = p_.arguments(i.value);
    const node_id n = p_.core(i.value).node;
    i.a = arguments.empty() ? no_index : slot(arguments[0]);
    switch (i.code) {
    case opcode::jump:
      i.what = action::jump;
      i.first = i.target = edge_for(n, 0);
      break;
    case opcode::branch:
      i.what = action::branch;
      i.first = edge_for(n, 1);
      i.target = edge_for(n, 0);
      break;
    case opcode::switch_:
      i.what = action::switch_;
      set_cases(i, n);
      break;
    case opcode::ret:
      i.what = action::ret;
      break;
    default:
      i.what = action::unreachable;
      return;
    }
    if (i.code != opcode::ret && i.target == no_index) {
      i.what = action::unreachable; // a switch made without default
    }
  }

  edge_id edge_for(node_id n, std::uint64_t case_value) const {
    edge_id otherwise = no_index;
    for (const edge_id e : p_.out_edges(n)) {
      if (p_.is_default(e)) {
        otherwise = e;
      } else if (p_.case_value(e) == case_value) {
        return e;
      }
    }
    return otherwise;
  }

  void set_cases(instruction& i, node_id n) {
    i.first = static_cast<std::uint32_t>(out_.cases.size());
    for (const edge_id e : p_.out_edges(n)) {
      if (p_.is_default(e)) {
        i.target = e;
      } else {
        out_.cases.push_back({p_.case_value(e), e});
      }
    }
    i.count = static_cast<std::uint32_t>(out_.cases.size()) - i.first;
    std::sort(out_.cases.data() + i.first, out_.cases.data() + out_.cases.size(),
              [](const case_edge& a, const case_edge& b) { return a.bits < b.bits; });
  }

  /// The phis at the end of an edge are simultaneous: a value that an earlier move overwrites is saved first.
  void add_edge(edge_id e, std::uint32_t target) {
    decoded_edge& edge = out_.edges[e];
    edge.target = target;
    if (!out_.scopes.empty() && out_.scopes.enters(p_.edge_source(e), p_.edge_target(e))) {
      edge.scope = p_.edge_target(e);
    }
    edge.first_move = static_cast<std::uint32_t>(out_.moves.size());
    wanted_.clear();
    for (const value_id phi : p_.values(p_.edge_target(e))) {
      if (!p_.is_phi(phi)) {
        break;
      }
      edge.first_phi = edge.num_phis++ == 0 ? phi : edge.first_phi;
      wanted_.push_back({slot(phi), slot(p_.phi_input(phi, e))});
    }
    written_by_.resize(out_.bits.size(), no_index);
    std::size_t saved = 0;
    for (move& m : wanted_) {
      if (written_by_[m.from] == e && m.from != m.to) {
        const std::uint32_t copy = temporary(saved++);
        out_.moves.push_back({copy, m.from});
        m.from = copy;
      }
      written_by_[m.to] = e;
    }
    for (const move& m : wanted_) {
      if (m.from != m.to) {
        out_.moves.push_back(m);
      }
    }
    edge.num_moves = static_cast<std::uint32_t>(out_.moves.size()) - edge.first_move;
  }

  std::uint32_t temporary(std::size_t i) {
    if (i == temporaries_.size()) {
      temporaries_.push_back(new_slot(no_value, 0, slot_state::unwritten));
    }
    return temporaries_[i];
  }

  const procedure& p_;
  const callee_table& callees_;
  decoded_procedure out_;
  std::vector<std::uint32_t> slot_of_; ///< value
  std::vector<move> wanted_;
  std::vector<edge_id> written_by_; ///< slot: the last edge on which it was
  std::vector<std::uint32_t> temporaries_;
};

/// Decodes a procedure when it is first called.
class decoded_program {
public:
  explicit decoded_program(span<const procedure> procedures)
      : procedures_(procedures), callees_(procedures), decoded_(procedures.size()) {}

  std::size_t size() const { return procedures_.size(); }

  const procedure& source(std::uint32_t number) const { return procedures_[number]; }

  /// The number of a procedure, or `no_index`.
  std::uint32_t find(std::string_view name) const { return callees_.find(name); }

  /// The reference stays valid.
  const decoded_procedure& operator[](std::uint32_t number) {
    if (!decoded_[number].ready) {
      decoded_[number] = decoder(procedures_[number], callees_).run();
    }
    return decoded_[number];
  }

private:
  span<const procedure> procedures_;
  callee_table callees_;
  std::vector<decoded_procedure> decoded_;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
