/// Random calls, and the choice among everything that does not change the flow.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/builder.hpp"
#include "midend/elbrus/detail/random_accesses.hpp"
#include "midend/elbrus/detail/random_numbers.hpp"
#include "midend/elbrus/detail/random_scope.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/type.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// What callers know of a procedure. Its parameters are the arrays, then a pointer into any of them if it has one, then
/// the others.
struct random_signature {
  std::string name;
  elbrus::type result = type::none;
  bool any_pointer = false;
  std::vector<type> others;
  std::vector<bool> writes;     ///< by array
  bool writes_anything = false; ///< through the pointer that may lead anywhere
  std::uint64_t step_bound = 0;
};

/// Writes calls of host functions and of procedures that are complete.
class random_calls : public random_accesses {
protected:
  random_calls(procedure& p, const random_program_options& options, random_numbers& random,
               std::span<const random_array> arrays, std::span<const random_signature> callees)
      : random_accesses(p, options, random, arrays), callees_(callees), called_(callees.size(), false) {}

  /// Makes the parameters, and the arrays known.
  void begin(const random_signature& self) {
    for (const random_array& a : arrays_) {
      add_pointer(a.name, b_.alias(a.name), a.size);
    }
    if (self.any_pointer) {
      add_pointer("any", no_alias, smallest_array());
    }
    for (const type t : self.others) {
      known_value v;
      v.value = b_.parameter(t, fresh('a'));
      v.type = t;
      scope_.push(v);
    }
    calls_left_ = options_.steps / 4;
  }

  /// Anything that does not change the flow, at a place that runs so often, at most.
  void simple(std::uint64_t runs) {
    const std::size_t kind = random_.below(100);
    if (kind < 12 && options_.memory) {
      load();
    } else if (kind < 22 && options_.memory) {
      store();
    } else if (kind < 24 && options_.memory) {
      step_pointer();
    } else if (kind < 26 && options_.memory && options_.speculation) {
      speculative_load();
    } else if (kind < 30 && options_.calls) {
      call(runs);
    } else if (kind < 34 && options_.traps) {
      trap_perhaps();
    } else {
      compute(random_type());
    }
  }

  /// A call at a place that runs so often, at most.
  void call(std::uint64_t runs) {
    if (callees_.empty() || random_.one_in(2)) {
      call_host();
      return;
    }
    const std::size_t callee = random_.below(callees_.size());
    if (runs * callees_[callee].step_bound > calls_left_) {
      call_host();
    } else {
      call_procedure(callee, runs);
    }
  }

  /// Calls of what nobody has called yet, at a place that runs once.
  void call_the_rest() {
    for (std::size_t i = 0; i != callees_.size(); ++i) {
      if (!called_[i] && callees_[i].step_bound <= calls_left_) {
        call_procedure(i, 1);
      }
    }
  }

  std::uint64_t callee_steps_ = 0; ///< that a run may spend in callees

private:
  /// Something that traps unless the operands happen to be right.
  void trap_perhaps() {
    const type t = random_integer_type();
    const value_id a = pick_computed(t);
    const value_id b = pick_computed(t);
    extras promise = somewhere(t);
    switch (random_.below(6)) {
    case 0:
      see(write({opcode::div, t, {a, b}, promise}));
      return;
    case 1:
      see(write({opcode::shl, t, {a, b}, promise}));
      return;
    case 2:
      promise.nsw = true;
      see(write({opcode::add, t, {a, b}, promise}));
      return;
    case 3:
      see(b_.load(t, {pointers_[0].value, a}, promise));
      return;
    case 4:
      see(write({opcode::mov, t, {hoist(t).result.value}, promise})); // may pass a diagnostic value on
      return;
    default:
      see(write({opcode::mov, t, {b_.variable(t, fresh('x'))}, promise})); // was not written
    }
  }

  extras around_call(type result) {
    const value_id guard = options_.guards && random_.one_in(5) ? predicate() : no_value;
    const value_id otherwise = guard != no_value && result != type::none ? pick(result) : no_value;
    extras more = result == type::none ? extras{} : somewhere(result);
    more.guard = guard;
    more.otherwise = otherwise;
    return more;
  }

  void call_host() {
    switch (random_.below(options_.floats ? 3 : 2)) {
    case 0: {
      const value_id arguments[] = {pick_computed(type::i64), pick(type::i64)};
      see(b_.call(type::i64, "host_mix", arguments, around_call(type::i64), clobber_kind::nothing));
      return;
    }
    case 1: {
      const value_id arguments[] = {pick_computed(type::i32)};
      const extras more = around_call(type::none);
      b_.call(type::none, "host_note", arguments, more, random_clobbers());
      return;
    }
    default: {
      const value_id arguments[] = {pick_computed(type::f64)};
      see(b_.call(type::f64, "host_scale", arguments, around_call(type::f64), clobber_kind::nothing));
    }
    }
  }

  clobber_kind random_clobbers() { return random_.one_in(3) ? clobber_kind::anything : clobber_kind::nothing; }

  void call_procedure(std::size_t number, std::uint64_t runs) {
    const random_signature& callee = callees_[number];
    called_[number] = true;
    calls_left_ -= runs * callee.step_bound;
    callee_steps_ += runs * callee.step_bound;
    std::vector<value_id> arguments;
    for (std::size_t i = 0; i != arrays_.size(); ++i) {
      arguments.push_back(pointers_[i].value);
    }
    if (callee.any_pointer) {
      const known_value p = pointer(smallest_array());
      arguments.push_back(p.room < smallest_array() ? pointers_[0].value : p.value);
    }
    for (const type t : callee.others) {
      arguments.push_back(pick_computed(t));
    }
    const extras more = around_call(callee.result);
    std::vector<alias_id> classes;
    for (alias_id c = 0; c != arrays_.size(); ++c) {
      writes_[c] = writes_[c] || callee.writes[c];
      if (callee.writes[c] || random_.one_in(6)) {
        classes.push_back(c);
      }
    }
    writes_anything_ = writes_anything_ || callee.writes_anything;
    const bool listed = !callee.writes_anything && !random_.one_in(4);
    const clobber_kind clobbers = !listed           ? clobber_kind::anything
                                  : classes.empty() ? clobber_kind::nothing
                                                    : clobber_kind::listed;
    const value_id v =
        b_.call(callee.result, callee.name, arguments, more, clobbers,
                clobbers == clobber_kind::listed ? std::span<const alias_id>(classes) : std::span<const alias_id>());
    if (callee.result != type::none) {
      see(v);
    }
  }

  std::span<const random_signature> callees_;
  std::vector<bool> called_;     ///< by callee
  std::uint64_t calls_left_ = 0; ///< steps that callees may still take
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
