/// `verify`: checks that a program is well formed.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/diagnostic.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/program.hpp"

#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

/// All errors of a procedure. Interpreter, analyses and transformations require that there are none. Useful after
/// parsing and after each transformation.
///
/// - **Structure**: lists of operations, edges and users agree with each other. If not, nothing else is checked.
/// - **Names** are identifiers, each of one value, variable or node. Parameters and variables need one and a type.
/// - **Types** of results and operands are those of the operation; each operand is set and has a result. A `ret`
///   returns the type of the procedure. The shift of `shladd` is a literal.
/// - **Guards** are `i1` and not on phis or terminators; a guarded operation has an otherwise if it has a result.
/// - **Flags** are only where they have a meaning: `nsw` on add, sub, mul, neg, shl and shladd; `assoc` on operations
///   that contain an addition, multiplication, logic operation, minimum or maximum; `volatile` on loads and stores;
///   `noreturn` on calls; `spec` on operations without side effects, which excludes volatile loads.
/// - **Nodes**: phis first, one terminator, last. The entry has neither predecessors nor phis. Phis have an input for
///   each edge, and it is not a variable. Terminators have the edges they need; cases of a switch differ and fit.
/// - **Probabilities** are at most 1. Those of a node need not add up to 1: a profile is a guess, and transformations
///   let it drift.
/// - **Dominance**: the definition of a value dominates its uses; a phi reads at the end of the source of the edge.
///   Unreachable nodes, and inputs of phis along edges from them, are not checked.
///
/// A variable that is read before it is written is not an error here; see `elbrus/views/initialization.hpp`.
///
/// The errors are sorted by place in the file. Errors without a place are in the order of nodes and operations, check
/// by check, and their messages end with the node and the operation. O(values + operands + nodes + edges), plus the
/// dominator tree and the sorting of errors; no recursion.
MIDEND_FUNCTION std::vector<diagnostic> verify(const procedure& p);

/// All errors of all procedures, in their order. In addition, procedures have different names, and a call of a
/// procedure of the program agrees with it in arguments and result; a call may ignore the result.
MIDEND_FUNCTION std::vector<diagnostic> verify(const program& all);

} // namespace elbrus

MIDEND_END_NAMESPACE

#if MIDEND_DEFINES_FUNCTIONS

#include "midend/dominance/dominator_tree.hpp"
#include "midend/dominance/dominators.hpp"
#include "midend/elbrus/detail/messages.hpp"
#include "midend/elbrus/detail/name_index.hpp"
#include "midend/elbrus/identifier.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/elbrus/verify/detail/operand_types.hpp"
#include "midend/elbrus/verify/detail/structure_check.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/ids.hpp"
#include "midend/support/detail/hash_map.hpp"
#include "midend/support/flat_array.hpp"
#include "midend/support/span.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace elbrus {

namespace detail {

/// Names are identifiers and differ, separately for values, variables and nodes. Parameters and variables have one.
class name_check {
public:
  name_check(const procedure& p, error_list& errors) : p_(p), errors_(errors) {}

  void run() {
    if (!is_identifier(p_.name())) {
      errors_.of_procedure({"'", p_.name(), "' is no name for a procedure"});
    }
    name_index nodes;
    for (node_id n = 0; n != p_.num_nodes(); ++n) {
      if (p_.node_core(n).name != 0 && !p_.node_core(n).erased) {
        node(n, nodes);
      }
    }
    name_index values;
    name_index variables;
    for (value_id v = 0; v != p_.num_values(); ++v) {
      value(v, p_.core(v).kind == value_kind::variable ? variables : values);
    }
    for (alias_id c = 0; c != p_.num_alias_classes(); ++c) {
      if (!is_identifier(p_.alias_name(c))) {
        errors_.of_procedure({"'", p_.alias_name(c), "' is no name for an alias class"});
      }
    }
  }

private:
  void node(node_id n, name_index& seen) {
    const std::string_view name = p_.node_name(n);
    if (!is_identifier(name)) {
      errors_.of_node(n, {"'", name, "' is no name for a node"});
    } else if (seen.find_or_insert(name, n) != n) {
      errors_.of_node(n, {"there are two nodes ", name});
    }
  }

  void value(value_id v, name_index& seen) {
    const value_core& record = p_.core(v);
    const bool declared = record.kind == value_kind::parameter || record.kind == value_kind::variable;
    if (declared && record.type == type::none) {
      errors_.of_value(v, {message_part::value(p_, v), " has no type"});
    }
    if (record.kind == value_kind::local && record.extra > largest_local) {
      errors_.of_value(v, {message_part::value(p_, v), " has more than 2^31 - 1 bytes"});
    }
    if (record.kind == value_kind::erased || (p_.value_name(v).empty() && !declared)) {
      return;
    }
    const std::string_view name = p_.value_name(v);
    if (!is_identifier(name)) {
      errors_.of_value(v, {"'", name, "' is no name for a value"});
    } else if (seen.find_or_insert(name, v) != v) {
      errors_.of_value(v, {record.kind == value_kind::variable ? "there are two variables " : "there are two values ",
                           message_part::value(p_, v)});
    }
  }

  const procedure& p_;
  error_list& errors_;
};

/// Each operation has types, operands, guard and flags that its opcode allows. Requires a sound structure.
class operation_check {
public:
  operation_check(const procedure& p, error_list& errors) : p_(p), errors_(errors) {}

  void run() {
    for (node_id n = 0; n != p_.num_nodes(); ++n) {
      for (const value_id v : p_.values(n)) {
        operation(v);
      }
    }
  }

private:
  void operation(value_id v) {
    const value_core& record = p_.core(v);
    if (const std::string_view fault = type_fault(record); !fault.empty()) {
      errors_.of_value(v, {message_part::instruction(p_, v), ": ", fault});
      return; // the types of its operands are not known
    }
    for (const value_id operand : p_.operands(v)) {
      if (operand != no_value || record.code == opcode::phi) { // inputs of phis are looked at edge by edge
        readable(v, operand);
      } else {
        errors_.of_value(v, {"an operand of ", message_part::instruction(p_, v), " is not set"});
      }
    }
    arguments(v, record);
    result(v, record);
    guard(v, record);
    flags(v, record);
    if (record.code == opcode::call) {
      call(v);
    }
  }

  /// The operand has a value that can be read.
  void readable(value_id v, value_id operand) {
    if (operand == no_value) {
      return;
    }
    const value_core& record = p_.core(operand);
    if (record.type == type::none) {
      errors_.of_value(v, {message_part::operation(p_, operand), " has no result that could be read"});
    } else if (record.variable != no_value) {
      errors_.of_value(v, {"what was written to ", message_part::value(p_, record.variable), " is read as a value"});
    }
  }

  void arguments(value_id v, const value_core& record) {
    const bool in_memory = info_of(record.code).form == opcode_form::memory;
    const std::size_t count = argument_count(record, in_memory && p_.access(v).indexed, p_.result_type());
    const span<const value_id> all = p_.arguments(v);
    if (record.code == opcode::ret && all.size() != count) {
      errors_.of_value(v, {count == 0 ? "ret gives a value, the procedure has no result"
                                      : "ret gives nothing, the result of the procedure is ",
                           count == 0 ? "" : name_of(p_.result_type())});
      return;
    }
    if (count != any_number && all.size() != count) {
      errors_.of_value(v, {message_part::instruction(p_, v), " has ", all.size(),
                           all.size() == 1 ? " operand, not " : " operands, not ", count});
      return;
    }
    for (std::size_t i = 0; i != all.size(); ++i) {
      operand_type(v, all[i], argument_need(record, i), "takes");
    }
    if (record.code == opcode::ret && !all.empty()) {
      operand_type(v, all[0], {p_.result_type()}, "has to give");
    }
    if (record.code == opcode::shladd && (all[1] == no_value || p_.core(all[1]).kind != value_kind::constant)) {
      errors_.of_value(v, {"the number of bits that shladd shifts by must be a literal"});
    }
    if (in_memory && p_.access(v).alias != no_alias && p_.access(v).alias >= p_.num_alias_classes()) {
      errors_.of_value(v, {"there is no such alias class"});
    }
    if (in_memory && p_.access(v).local != no_alias &&
        (p_.access(v).local >= p_.num_alias_classes() || p_.access(v).scope >= p_.num_nodes())) {
      errors_.of_value(v, {"there is no such local class, or no such loop"});
    }
  }

  void operand_type(value_id v, value_id operand, operand_need need, std::string_view verb) {
    if (operand == no_value || p_.core(operand).type == type::none || need.met_by(p_.core(operand).type)) {
      return;
    }
    errors_.of_value(v, {message_part::value(p_, operand), " is ", name_of(p_.core(operand).type), ", ",
                         message_part::instruction(p_, v), " ", verb, " ",
                         need.any_integer ? std::string_view("an integer") : name_of(need.type)});
  }

  /// A result is a value, or is written to a variable of its type.
  void result(value_id v, const value_core& record) {
    if (record.type == type::none && (!p_.value_name(v).empty() || record.variable != no_value)) {
      errors_.of_value(v, {message_part::instruction(p_, v), " has no result that could be kept"});
    } else if (record.variable != no_value) {
      assignment(v, record);
    }
  }

  void assignment(value_id v, const value_core& record) {
    if (record.variable >= p_.num_values() || p_.core(record.variable).kind != value_kind::variable) {
      errors_.of_value(v, {"what is written is no variable"});
      return;
    }
    const value_core& variable = p_.core(record.variable);
    if (record.code == opcode::phi) {
      errors_.of_value(v, {"a phi makes a value, it cannot write to ", message_part::value(p_, record.variable)});
    } else if (!p_.value_name(v).empty()) {
      errors_.of_value(v, {"what is written to ", message_part::value(p_, record.variable), " cannot be a value, too"});
    } else if (!converts_freely(record.type, variable.type)) {
      errors_.of_value(v, {message_part::value(p_, record.variable), " is ", name_of(variable.type), ", ",
                           message_part::instruction(p_, v), " gives ", name_of(record.type)});
    }
  }

  /// The predicate is an i1, and a guarded result has a value for the case that it does not hold.
  void guard(value_id v, const value_core& record) {
    if ((record.guarded || record.has_otherwise) && (record.code == opcode::phi || is_terminator(record.code))) {
      errors_.of_value(v, {message_part::instruction(p_, v), " cannot be guarded"});
      return;
    }
    if (record.guarded) {
      predicate(v, p_.guard(v));
    }
    const bool needed = record.guarded && record.type != type::none;
    if (record.has_otherwise != needed) {
      errors_.of_value(v, {needed ? "what the result is if the guard does not hold is missing"
                                  : "there is nothing that could be otherwise"});
    } else if (needed) {
      otherwise(v, p_.otherwise(v), record);
    }
  }

  void predicate(value_id v, value_id guard) {
    if (guard != no_value && p_.core(guard).type != type::i1 && p_.core(guard).type != type::none) {
      errors_.of_value(
          v, {message_part::value(p_, guard), " is ", name_of(p_.core(guard).type), ", a guard must be an i1"});
    }
  }

  void otherwise(value_id v, value_id other, const value_core& record) {
    if (other != no_value && p_.core(other).type != type::none && !converts_freely(p_.core(other).type, record.type)) {
      errors_.of_value(v, {message_part::value(p_, other), " is ", name_of(p_.core(other).type), ", ",
                           message_part::instruction(p_, v), " gives ", name_of(record.type)});
    }
  }

  void flags(value_id v, const value_core& record) {
    const attributes& flags = record.flags;
    const auto forbid = [&](bool is_set, bool allowed, std::string_view flag) {
      if (is_set && !allowed) {
        errors_.of_value(v, {flag, " means nothing on ", message_part::instruction(p_, v)});
      }
    };
    forbid(flags.nsw, can_be_nsw(record.code), "nsw");
    forbid(flags.assoc, can_be_assoc(record.code), "assoc");
    forbid(flags.is_volatile, info_of(record.code).form == opcode_form::memory, "volatile");
    forbid(flags.noreturn, record.code == opcode::call, "noreturn");
    if (flags.spec && (has_side_effects(record.code) || flags.is_volatile)) {
      errors_.of_value(v, {flags.is_volatile ? "a volatile access" : message_part::instruction(p_, v),
                           " has side effects, so it cannot be speculative"});
    }
  }

  void call(value_id v) {
    if (p_.call(v).callee == 0) {
      errors_.of_value(v, {"a call of nothing"});
    }
    for (const alias_id c : p_.clobbered(v)) {
      if (c >= p_.num_alias_classes()) {
        errors_.of_value(v, {"there is no such alias class"});
      }
    }
  }

  const procedure& p_;
  error_list& errors_;
};

/// Each node has phis first, then operations, then a terminator with the edges that it needs. Requires a sound
/// structure.
class node_check {
public:
  node_check(const procedure& p, error_list& errors) : p_(p), errors_(errors) {}

  void run() {
    if (!p_.in_edges(p_.entry()).empty()) {
      errors_.of_node(p_.entry(), {"the entry must not have predecessors"});
    }
    for (node_id n = 0; n != p_.num_nodes(); ++n) {
      if (!p_.node_core(n).erased) {
        order(n);
        flow(n);
      }
    }
  }

private:
  void order(node_id n) {
    bool in_head = true;
    for (const value_id v : p_.values(n)) {
      if (!p_.is_phi(v)) {
        in_head = false;
        if (p_.is_terminator(v) && v != p_.node_core(n).last) {
          errors_.of_value(v, {message_part::instruction(p_, v), " must be the last operation of its node"});
        }
      } else if (!in_head) {
        errors_.of_value(v, {"a phi must stand at the head of its node"});
      } else {
        phi(v, n);
      }
    }
  }

  /// One input for each edge into the node, none of them a variable, which has no fixed value on an edge.
  void phi(value_id v, node_id n) {
    if (n == p_.entry()) {
      errors_.of_value(v, {"there cannot be a phi in the entry"});
    }
    const span<const value_id> inputs = p_.arguments(v);
    const span<const edge_id> edges = p_.in_edges(n);
    if (inputs.size() != edges.size()) {
      errors_.of_value(v, {"the phi has ", inputs.size(), " inputs for ", edges.size(), " edges"});
      return;
    }
    for (std::size_t i = 0; i != edges.size(); ++i) {
      if (inputs[i] == no_value) {
        errors_.of_value(v,
                         {"the phi has no entry for an edge from ", message_part::node(p_, p_.edge_source(edges[i]))});
      }
    }
    variables_among(inputs, v);
  }

  void variables_among(span<const value_id> inputs, value_id v) {
    for (const value_id input : inputs) {
      if (input != no_value && p_.core(input).kind == value_kind::variable) {
        errors_.of_value(v, {"an input of a phi must be a value, ", message_part::value(p_, input), " is a variable"});
      }
    }
  }

  void flow(node_id n) {
    for (const edge_id e : p_.out_edges(n)) {
      probability(n, e);
    }
    const value_id end = p_.terminator(n);
    if (end == no_value) {
      errors_.of_node(n, {"the node does not end with a terminator"});
      return;
    }
    switch (p_.core(end).code) {
    case opcode::jump:
      number_of_edges(end, 1);
      break;
    case opcode::branch:
      branch(end, n);
      break;
    case opcode::switch_:
      cases(end, n);
      break;
    default:
      number_of_edges(end, 0);
    }
  }

  /// The comparison also rejects NaN. A negative number means unknown.
  void probability(node_id n, edge_id e) {
    if (!(p_.probability(e) <= 1)) {
      errors_.of_node(
          n, {"the probability of the edge to ", message_part::node(p_, p_.edge_target(e)), " is more than 1"});
    }
  }

  bool number_of_edges(value_id end, std::size_t count) {
    const std::size_t present = p_.out_edges(p_.core(end).node).size();
    if (present != count) {
      errors_.of_value(end, {message_part::instruction(p_, end), " has ", present,
                             present == 1 ? " edge, not " : " edges, not ", count});
    }
    return present == count;
  }

  void branch(value_id end, node_id n) {
    if (!number_of_edges(end, 2)) {
      return;
    }
    const edge_id taken = p_.out_edges(n)[0];
    const edge_id other = p_.out_edges(n)[1];
    if (p_.is_default(taken) || p_.case_value(taken) != 1 || p_.is_default(other) || p_.case_value(other) != 0) {
      errors_.of_value(end, {"the edges of a branch must have the cases 1 and 0"});
    }
  }

  /// Different values of its type, and the default edge last.
  void cases(value_id end, node_id n) {
    const span<const edge_id> edges = p_.out_edges(n);
    if (edges.empty() || !p_.is_default(edges.back())) {
      errors_.of_value(end, {"the last edge of a switch must be its default"});
    }
    if (!is_integer(p_.core(end).operand_type)) {
      return; // reported elsewhere
    }
    const unsigned width = width_of(p_.core(end).operand_type);
    midend::detail::hash_map<std::uint64_t> seen;
    for (std::uint32_t i = 0; i + 1 < edges.size(); ++i) {
      const std::uint64_t value = p_.case_value(edges[i]);
      if (p_.is_default(edges[i])) {
        errors_.of_value(end, {"a switch has one default, at its end"});
      } else if ((value & ~low_ones(width)) != 0) {
        errors_.of_value(end, {"case ", value, " does not fit into ", name_of(p_.core(end).operand_type)});
      } else if (seen.find_or_insert(value, i) != i) {
        errors_.of_value(end, {"the switch has two cases ", as_signed(value, width)});
      }
    }
  }

  const procedure& p_;
  error_list& errors_;
};

/// A definition dominates its uses; a phi reads at the end of the source of the edge. Unreachable nodes are not
/// checked. Requires a sound structure, and phis with one operand for each edge.
class dominance_check {
public:
  dominance_check(const procedure& p, error_list& errors) : p_(p), errors_(errors) {}

  void run() {
    tree_ = dominators(p_);
    place_.assign(p_.num_values(), 0);
    std::uint32_t place = 0;
    for (node_id n = 0; n != p_.num_nodes(); ++n) {
      for (const value_id v : p_.values(n)) {
        place_[v] = place++;
      }
    }
    for (const node_id n : tree_.preorder()) {
      for (const value_id v : p_.values(n)) {
        if (p_.is_phi(v)) {
          inputs(v, n);
        } else {
          operands(v, n);
        }
      }
    }
  }

private:
  void operands(value_id v, node_id n) {
    for (const value_id operand : p_.operands(v)) {
      if (operand == no_value || !p_.is_operation(operand)) {
        continue;
      }
      const node_id home = p_.core(operand).node;
      if (home == n ? place_[operand] >= place_[v] : !tree_.dominates(home, n)) {
        errors_.of_value(v, {message_part::value(p_, operand), " is read where it need not have been computed: ",
                             home == n ? "it stands further down" : "not all paths come by node ",
                             home == n ? "" : message_part::node(p_, home)});
      }
    }
  }

  void inputs(value_id v, node_id n) {
    const span<const value_id> inputs = p_.operands(v);
    const span<const edge_id> edges = p_.in_edges(n);
    for (std::size_t i = 0; i != edges.size() && i != inputs.size(); ++i) {
      const node_id source = p_.edge_source(edges[i]);
      if (inputs[i] == no_value || !p_.is_operation(inputs[i]) || !tree_.is_reachable(source)) {
        continue;
      }
      const node_id home = p_.core(inputs[i]).node;
      if (!tree_.dominates(home, source)) {
        errors_.of_value(v, {message_part::value(p_, inputs[i]), " need not have been computed at the end of node ",
                             message_part::node(p_, source), ": not all paths come by node ",
                             message_part::node(p_, home)});
      }
    }
  }

  const procedure& p_;
  error_list& errors_;
  dominator_tree tree_;
  flat_array<std::uint32_t> place_; ///< of an operation, in the order of nodes
};

/// Calls agree with the procedures of the program. Callees that are not in it are checked at run time.
class call_check {
public:
  explicit call_check(const program& all) : program_(all) {
    for (std::uint32_t i = 0; i != all.procedures.size(); ++i) {
      by_name_.find_or_insert(all.procedures[i].name(), i);
    }
  }

  /// Checks the calls of one procedure, whose structure is sound.
  void run(std::uint32_t number, error_list& errors) const {
    const procedure& p = program_.procedures[number];
    if (by_name_.find(p.name()) != number) {
      errors.of_procedure({"there are two procedures @", p.name()});
    }
    for (node_id n = 0; n != p.num_nodes(); ++n) {
      for (const value_id v : p.values(n)) {
        if (p.core(v).code != opcode::call) {
          continue;
        }
        const std::uint32_t callee = by_name_.find(p.text(p.call(v).callee));
        if (callee != name_index::missing) {
          call(p, v, program_.procedures[callee], errors);
        }
      }
    }
  }

  /// A call may ignore the result.
  static void call(const procedure& p, value_id v, const procedure& callee, error_list& errors) {
    const type result = p.core(v).type;
    if (result != type::none && !converts_freely(callee.result_type(), result)) {
      errors.of_value(v, {"@", callee.name(), callee.result_type() == type::none ? " gives nothing" : " gives ",
                          callee.result_type() == type::none ? "" : name_of(callee.result_type()), ", not ",
                          name_of(result)});
    }
    const span<const value_id> arguments = p.arguments(v);
    const span<const value_id> parameters = callee.parameters();
    if (arguments.size() != parameters.size()) {
      errors.of_value(v, {"@", callee.name(), " has ", parameters.size(),
                          parameters.size() == 1 ? " parameter" : " parameters", ", the call has ", arguments.size(),
                          arguments.size() == 1 ? " argument" : " arguments"});
      return;
    }
    for (std::size_t i = 0; i != arguments.size(); ++i) {
      const type wanted = callee.value(parameters[i]).type;
      const type given = arguments[i] == no_value ? type::none : p.core(arguments[i]).type;
      if (given != type::none && !converts_freely(given, wanted)) {
        errors.of_value(v,
                        {message_part::value(p, arguments[i]), " is ", name_of(given), ", parameter ",
                         message_part::value(callee, parameters[i]), " of @", callee.name(), " is ", name_of(wanted)});
      }
    }
  }

private:
  const program& program_;
  name_index by_name_;
};

/// Appends the errors of one procedure. False if its arrays disagree, so that it must not be checked any further.
inline bool verify_one(const procedure& p, error_list& errors) {
  structure_check(p, errors).run();
  if (!errors.empty()) {
    return false;
  }
  name_check(p, errors).run();
  operation_check(p, errors).run();
  node_check(p, errors).run();
  dominance_check(p, errors).run();
  return true;
}

} // namespace detail

MIDEND_FUNCTION std::vector<diagnostic> verify(const procedure& p) {
  std::vector<diagnostic> all;
  detail::error_list errors(p, all);
  detail::verify_one(p, errors);
  sort_by_place(all);
  return all;
}

MIDEND_FUNCTION std::vector<diagnostic> verify(const program& all) {
  std::vector<diagnostic> errors_of_all;
  const detail::call_check calls(all);
  for (std::uint32_t i = 0; i != all.procedures.size(); ++i) {
    const std::size_t first = errors_of_all.size();
    detail::error_list errors(all.procedures[i], errors_of_all);
    if (detail::verify_one(all.procedures[i], errors)) {
      calls.run(i, errors);
    }
    sort_by_place(errors_of_all, first);
  }
  return errors_of_all;
}

} // namespace elbrus

MIDEND_END_NAMESPACE

#endif
