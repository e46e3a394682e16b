/// `eir_speculation`: finds the operations of a flat program that are speculative in the Elbrus-like IR.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/detail/eir_types.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/effects.hpp"
#include "midend/ir/evaluate.hpp"
#include "midend/ir/flat_program.hpp"
#include "midend/ir/ids.hpp"
#include "midend/ir/operation.hpp"
#include "midend/support/flat_array.hpp"

#include <cstdint>
#include <optional>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// Whether an operation promises not to wrap; of others, the flag has no meaning.
constexpr bool promises_no_wrap(const operation_info& info) {
  return can_wrap(info.code) && info.flags.no_signed_wrap;
}

/// Finds values that may be diagnostic, and speculative operations: those that the program promises not to trap, while
/// the Elbrus operation could trap by itself or by using a diagnostic value.
class eir_speculation {
public:
  explicit eir_speculation(const flat_program& p) : p_(p) {
    doubtful_.assign(p.num_values(), 0);
    flat_array<value_id> changed;
    for (value_id v = 0; v != p.num_values(); ++v) {
      if (p.is_undefined(v) || (is_operation(v) && becomes_doubtful(v))) {
        doubtful_[v] = 1;
        changed.push_back(v);
      }
    }
    while (!changed.empty()) {
      const value_id v = changed.back();
      changed.pop_back();
      for (const value_id user : p.users(v)) {
        if (doubtful_[user] == 0 && is_operation(user) && becomes_doubtful(user)) {
          doubtful_[user] = 1;
          changed.push_back(user);
        }
      }
    }
  }

  bool is_doubtful(value_id v) const { return doubtful_[v] != 0; }

  bool is_speculative(value_id v) const {
    const operation_info info = p_.unguarded(v);
    const bool is_load = info.code == operation::other && p_.effect(v) == effect_kind::reads && p_.memory(v);
    if ((info.code == operation::other && !is_load) || p_.may_trap(v) || p_.is_volatile(v)) {
      return false;
    }
    const value_id predicate = p_.guard(v).predicate;
    return is_load || traps_by_itself(v, info) || (predicate != no_value && is_doubtful(predicate)) ||
           any_argument(v, [&](unsigned i) { return !passes_on(info.code, i); });
  }

private:
  bool is_operation(value_id v) const { return p_.node_of(v) != no_node && !is_literal(p_, v); }

  static bool passes_on(operation code, unsigned i) {
    return code == operation::copy || (code == operation::select && i != 0);
  }

  /// Whether an argument may be diagnostic; `counts` selects the arguments by number.
  template <class Counts> bool any_argument(value_id v, Counts counts) const {
    bool found = false;
    unsigned i = 0;
    for_each_argument(p_, v, [&](value_id x) { found = found || (counts(i++) && x != no_value && is_doubtful(x)); });
    return found;
  }

  bool becomes_doubtful(value_id v) const {
    if (p_.is_phi(v)) {
      for (const value_id x : p_.operands(v)) {
        if (x != no_value && is_doubtful(x)) {
          return true;
        }
      }
      return false;
    }
    const operation code = p_.unguarded(v).code;
    const value_id otherwise = p_.guard(v).otherwise;
    return (otherwise != no_value && is_doubtful(otherwise)) ||
           any_argument(v, [&](unsigned i) { return passes_on(code, i); }) || is_speculative(v);
  }

  bool traps_by_itself(value_id v, const operation_info& info) const {
    if (promises_no_wrap(info)) {
      return true;
    }
    if (!is_partial(info.code)) {
      return false;
    }
    std::optional<std::uint64_t> second;
    unsigned i = 0;
    for_each_argument(p_, v, [&](value_id x) {
      if (i++ == 1 && x != no_value) {
        second = p_.constant(x);
      }
    });
    return !second || !is_total_with(info, *second);
  }

  const flat_program& p_;
  flat_array<unsigned char> doubtful_; ///< by value
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
