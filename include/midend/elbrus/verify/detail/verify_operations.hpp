/// Whether each operation is one that there is: types, operands, guard and flags.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/detail/error_list.hpp"
#include "midend/elbrus/detail/wording.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/elbrus/verify/detail/operand_types.hpp"
#include "midend/graph/concepts.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// Looks at operations one by one. Requires a sound structure.
class operation_check {
public:
  operation_check(const procedure& p, error_list& errors) : p_(p), errors_(errors) {}

  void run() {
    run([](value_id) { return true; });
  }

  /// Looks at those operations only that `is_asked(v)` says.
  template <class Asked> void run(const Asked& is_asked) {
    for (node_id n = 0; n != p_.num_nodes(); ++n) {
      for (const value_id v : p_.values(n)) {
        if (is_asked(v)) {
          operation(v);
        }
      }
    }
  }

private:
  void operation(value_id v) {
    const value_record& record = p_.value(v);
    if (const std::string_view fault = type_fault(record); !fault.empty()) {
      errors_.of_value(v, {spelled(record), ": ", fault});
      return; // what its operands must be is not known
    }
    for (const value_id operand : p_.operands(v)) {
      if (operand != no_value || record.code == opcode::phi) { // inputs of phis are looked at edge by edge
        readable(v, operand);
      } else {
        errors_.of_value(v, {"an operand of ", spelled(record), " is not set"});
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

  /// Something that can be read stands behind the number.
  void readable(value_id v, value_id operand) {
    if (operand == no_value) {
      return;
    }
    const value_record& record = p_.value(operand);
    if (record.type == type::none) {
      errors_.of_value(v, {spelled_operation(p_, operand), " has no result that could be read"});
    } else if (record.variable != no_value) {
      errors_.of_value(v, {"what was written to ", spelled(p_, record.variable), " is read as a value"});
    }
  }

  void arguments(value_id v, const value_record& record) {
    const bool in_memory = info_of(record.code).form == opcode_form::memory;
    const std::size_t count = argument_count(record, in_memory && p_.access(v).indexed, p_.result_type());
    const std::span<const value_id> all = p_.arguments(v);
    if (record.code == opcode::ret && all.size() != count) {
      errors_.of_value(v, {count == 0 ? "ret gives a value, the procedure has no result"
                                      : "ret gives nothing, the result of the procedure is ",
                           count == 0 ? "" : name_of(p_.result_type())});
      return;
    }
    if (count != any_number && all.size() != count) {
      errors_.of_value(v, {spelled(record), " has ", std::to_string(all.size()),
                           all.size() == 1 ? " operand, not " : " operands, not ", std::to_string(count)});
      return;
    }
    for (std::size_t i = 0; i != all.size(); ++i) {
      operand_type(v, all[i], argument_need(record, i), "takes");
    }
    if (record.code == opcode::ret && !all.empty()) {
      operand_type(v, all[0], {p_.result_type()}, "has to give");
    }
    if (record.code == opcode::shladd && (all[1] == no_value || p_.value(all[1]).kind != value_kind::constant)) {
      errors_.of_value(v, {"the number of bits that shladd shifts by must be a literal"});
    }
    if (in_memory && p_.access(v).alias != no_alias && p_.access(v).alias >= p_.num_alias_classes()) {
      errors_.of_value(v, {"there is no such alias class"});
    }
  }

  void operand_type(value_id v, value_id operand, operand_need need, std::string_view verb) {
    if (operand == no_value || p_.value(operand).type == type::none || need.met_by(p_.value(operand).type)) {
      return;
    }
    errors_.of_value(v, {spelled(p_, operand), " is ", name_of(p_.value(operand).type), ", ", spelled(p_.value(v)), " ",
                         verb, " ", need.any_integer ? std::string_view("an integer") : name_of(need.type)});
  }

  /// A result goes to a value or to a variable of its type.
  void result(value_id v, const value_record& record) {
    if (record.type == type::none && (record.name != 0 || record.variable != no_value)) {
      errors_.of_value(v, {spelled(record), " has no result that could be kept"});
    } else if (record.variable != no_value) {
      assignment(v, record);
    }
  }

  void assignment(value_id v, const value_record& record) {
    if (record.variable >= p_.num_values() || p_.value(record.variable).kind != value_kind::variable) {
      errors_.of_value(v, {"what is written is no variable"});
      return;
    }
    const value_record& variable = p_.value(record.variable);
    if (record.code == opcode::phi) {
      errors_.of_value(v, {"a phi makes a value, it cannot write to ", spelled(p_, record.variable)});
    } else if (record.name != 0) {
      errors_.of_value(v, {"what is written to ", spelled(p_, record.variable), " cannot be a value, too"});
    } else if (!converts_freely(record.type, variable.type)) {
      errors_.of_value(v, {spelled(p_, record.variable), " is ", name_of(variable.type), ", ", spelled(record),
                           " gives ", name_of(record.type)});
    }
  }

  /// The predicate is an i1, and there is something that the result is if it does not hold.
  void guard(value_id v, const value_record& record) {
    if ((record.guarded || record.has_otherwise) && (record.code == opcode::phi || is_terminator(record.code))) {
      errors_.of_value(v, {spelled(record), " cannot be guarded"});
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
    if (guard != no_value && p_.value(guard).type != type::i1 && p_.value(guard).type != type::none) {
      errors_.of_value(v, {spelled(p_, guard), " is ", name_of(p_.value(guard).type), ", a guard must be an i1"});
    }
  }

  void otherwise(value_id v, value_id other, const value_record& record) {
    if (other != no_value && p_.value(other).type != type::none &&
        !converts_freely(p_.value(other).type, record.type)) {
      errors_.of_value(v, {spelled(p_, other), " is ", name_of(p_.value(other).type), ", ", spelled(record), " gives ",
                           name_of(record.type)});
    }
  }

  void flags(value_id v, const value_record& record) {
    const attributes& flags = record.flags;
    const auto forbid = [&](bool is_set, bool allowed, std::string_view flag) {
      if (is_set && !allowed) {
        errors_.of_value(v, {flag, " means nothing on ", spelled(record)});
      }
    };
    forbid(flags.nsw, can_be_nsw(record.code), "nsw");
    forbid(flags.assoc, can_be_assoc(record.code), "assoc");
    forbid(flags.is_volatile, info_of(record.code).form == opcode_form::memory, "volatile");
    forbid(flags.noreturn, record.code == opcode::call, "noreturn");
    if (flags.spec && (has_side_effects(record.code) || flags.is_volatile)) {
      errors_.of_value(v, {flags.is_volatile ? "a volatile access" : spelled(record),
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

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
