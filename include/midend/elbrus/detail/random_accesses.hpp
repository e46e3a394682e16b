/// Random loads, stores and calls.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/builder.hpp"
#include "midend/elbrus/detail/random_numbers.hpp"
#include "midend/elbrus/detail/random_operations.hpp"
#include "midend/elbrus/detail/random_scope.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/records.hpp"
#include "midend/elbrus/type.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// An array of the program. All procedures get all arrays, each with an alias class of the array's name.
struct random_array {
  std::string name;
  elbrus::type element = type::i32;
  std::int64_t size = 0; ///< in bytes
};

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

/// Writes accesses that are within their arrays, and calls.
class random_accesses : public random_operations {
protected:
  random_accesses(procedure& p, const random_program_options& options, random_numbers& random,
                  std::span<const random_array> arrays, std::span<const random_signature> callees)
      : random_operations(p, options, random), arrays_(arrays), callees_(callees) {}

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
    writes_.assign(arrays_.size(), false);
    calls_left_ = options_.steps / 4;
  }

  std::int64_t smallest_array() const {
    return std::min_element(arrays_.begin(), arrays_.end(),
                            [](const random_array& a, const random_array& b) { return a.size < b.size; })
        ->size;
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

  void load() {
    const type t = element_type();
    const address from = some_address(t);
    extras more = somewhere(t);
    more.spec = options_.speculation && random_.one_in(6);
    more.is_volatile = !more.spec && random_.one_in(20);
    if (options_.guards && random_.one_in(6)) {
      more.guard = predicate();
      more.otherwise = pick(t);
    }
    see(b_.load(t, from, more));
  }

  void store() {
    const type t = element_type();
    const value_id value = random_.one_in(8) ? pick(t) : pick_computed(t);
    extras more;
    if (options_.guards && random_.one_in(4)) {
      (random_.one_in(3) ? more.unless : more.guard) = predicate();
    }
    more.is_volatile = random_.one_in(20);
    b_.store(t, value, written(some_address(t)), more);
  }

  /// A speculative load from anywhere near an array, whose result is looked at if that was inside.
  void speculative_load() {
    const std::size_t array = random_.below(arrays_.size());
    const type t = arrays_[array].element;
    const value_id other = pick(t);
    const value_id index = pick_computed(type::i64);
    const auto size = static_cast<std::int64_t>(bytes_of(t));
    extras more = somewhere_safe(t);
    more.spec = true;
    const address from = {pointers_[array].value, index, static_cast<std::uint32_t>(size), 0, pointers_[array].alias};
    const value_id loaded = read(b_.load(t, from, more));
    const value_id inside =
        see(write({opcode::cmp_ult, type::i64, {index, b_.i64(arrays_[array].size / size)}, somewhere_safe(type::i1)}))
            .value;
    see(write({opcode::select, t, {inside, loaded, other}, somewhere(t)}));
  }

  /// Another pointer into the same array, some bytes on.
  void step_pointer() {
    const known_value p = pointer(8);
    const std::int64_t most = p.room / 2;
    if (most < 1) {
      return;
    }
    const auto mask = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(most) + 1) - 1);
    const known_value by = between(type::i64, 0, mask);
    known_value moved = p;
    moved.value = read(write({opcode::add, type::ptr, {p.value, by.value}, somewhere_safe(type::ptr)}));
    moved.before = p.before + by.low;
    moved.room = p.room - by.high;
    see(moved);
  }

  /// A call at a place that runs so often, at most.
  void call(std::uint64_t runs) {
    if (callees_.empty() || random_.one_in(2)) {
      call_host();
      return;
    }
    const random_signature& callee = random_.any_of(callees_);
    if (runs * callee.step_bound > calls_left_) {
      call_host();
      return;
    }
    calls_left_ -= runs * callee.step_bound;
    callee_steps_ += runs * callee.step_bound;
    call_procedure(callee);
  }

  std::span<const random_array> arrays_;
  std::span<const random_signature> callees_;
  std::vector<known_value> pointers_; ///< the parameters, which can be read everywhere
  std::vector<bool> writes_;          ///< by array
  bool writes_anything_ = false;
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

  void add_pointer(std::string_view name, alias_id alias, std::int64_t room) {
    known_value p;
    p.value = b_.parameter(type::ptr, name);
    p.type = type::ptr;
    p.alias = alias;
    p.room = room;
    pointers_.push_back(p);
    scope_.push(p);
  }

  type element_type() {
    const type t = random_.any_of(arrays_).element;
    return random_.one_in(8) ? random_integer_type() : t;
  }

  /// A pointer to at least so many bytes; not more than any array has.
  known_value pointer(std::int64_t bytes) {
    if (random_.one_in(3)) {
      const std::optional<known_value> found = find(type::ptr);
      if (found && found->room >= bytes) {
        return *found;
      }
    }
    return random_.any_of(pointers_);
  }

  address some_address(type t) {
    const auto size = static_cast<std::int64_t>(bytes_of(t));
    const known_value p = pointer(size);
    address out;
    out.base = p.value;
    out.alias = random_.one_in(6) ? no_alias : p.alias;
    std::int64_t used = size;
    if (random_.percent(70)) {
      out.scale = static_cast<std::uint32_t>(random_.one_in(5) ? std::int64_t{1} << random_.below(4) : size);
      const std::int64_t most = (p.room - size) / out.scale;
      if (most >= 1) {
        const known_value index = between(random_.one_in(3) ? type::i32 : type::i64, 0, most < 64 ? most : 63);
        out.index = index.value;
        used += index.high * out.scale;
      }
    }
    out.scale = out.index == no_value ? 1 : out.scale;
    out.offset = random_.between(-p.before, p.room - used) / size * size;
    return out;
  }

  /// What is written is noted for the clobbers of callers.
  const address& written(const address& to) {
    for (const known_value& p : pointers_) {
      if (p.value == to.base) {
        note_write(p.alias);
        return to;
      }
    }
    for (std::size_t i = scope_.size(); i != 0; --i) {
      if (scope_[i - 1].value == to.base) {
        note_write(scope_[i - 1].alias);
        return to;
      }
    }
    note_write(no_alias);
    return to;
  }

  void note_write(alias_id alias) {
    if (alias == no_alias) {
      writes_anything_ = true;
    } else {
      writes_[alias] = true; // classes have the numbers of the arrays
    }
  }

  void call_host() {
    extras more;
    if (options_.guards && random_.one_in(5)) {
      more.guard = predicate();
    }
    const auto result = [&](type t) {
      const value_id otherwise = more.guard == no_value ? no_value : pick(t);
      const value_id guard = more.guard;
      more = somewhere(t);
      more.guard = guard;
      more.otherwise = otherwise;
      return t;
    };
    switch (random_.below(options_.floats ? 3 : 2)) {
    case 0: {
      const value_id arguments[] = {pick_computed(type::i64), pick(type::i64)};
      const type t = result(type::i64);
      see(b_.call(t, "host_mix", arguments, more, clobber_kind::nothing));
      return;
    }
    case 1: {
      const value_id arguments[] = {pick_computed(type::i32)};
      b_.call(type::none, "host_note", arguments, more, random_clobbers());
      return;
    }
    default: {
      const value_id arguments[] = {pick_computed(type::f64)};
      const type t = result(type::f64);
      see(b_.call(t, "host_scale", arguments, more, clobber_kind::nothing));
    }
    }
  }

  clobber_kind random_clobbers() { return random_.one_in(3) ? clobber_kind::anything : clobber_kind::nothing; }

  void call_procedure(const random_signature& callee) {
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
    extras more;
    if (options_.guards && random_.one_in(5)) {
      more.guard = predicate();
    }
    if (callee.result != type::none) {
      const value_id guard = more.guard;
      const value_id otherwise = guard == no_value ? no_value : pick(callee.result);
      more = somewhere(callee.result);
      more.guard = guard;
      more.otherwise = otherwise;
    }
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

  std::uint64_t calls_left_ = 0; ///< steps that callees may still take
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
