/// Random loads and stores.
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

/// Writes accesses that are within their arrays.
class random_accesses : public random_operations {
protected:
  random_accesses(procedure& p, const random_program_options& options, random_numbers& random,
                  std::span<const random_array> arrays)
      : random_operations(p, options, random), arrays_(arrays), writes_(arrays.size(), false) {}

  void add_pointer(std::string_view name, alias_id alias, std::int64_t room) {
    known_value p;
    p.value = b_.parameter(type::ptr, name);
    p.type = type::ptr;
    p.alias = alias;
    p.room = room;
    pointers_.push_back(p);
    scope_.push(p);
  }

  std::int64_t smallest_array() const {
    return std::min_element(arrays_.begin(), arrays_.end(),
                            [](const random_array& a, const random_array& b) { return a.size < b.size; })
        ->size;
  }

  void load() {
    const type t = element_type();
    const address from = some_place(t).address;
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
    const place to = some_place(t);
    note_write(to.array);
    b_.store(t, value, to.address, more);
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

  std::span<const random_array> arrays_;
  std::vector<known_value> pointers_; ///< the parameters, which can be read everywhere
  std::vector<bool> writes_;          ///< by array
  bool writes_anything_ = false;      ///< through a pointer that may lead anywhere

private:
  type element_type() {
    const type t = random_.any_of(arrays_).element;
    return random_.one_in(8) ? random_integer_type() : t;
  }

  struct place {
    elbrus::address address;
    alias_id array = no_alias; ///< what it certainly is in
  };

  place some_place(type t) {
    const auto size = static_cast<std::int64_t>(bytes_of(t));
    const known_value p = pointer(size);
    address at;
    at.base = p.value;
    at.alias = random_.one_in(6) ? no_alias : p.alias;
    std::int64_t used = size;
    if (random_.percent(70)) {
      const std::int64_t scale = random_.one_in(5) ? std::int64_t{1} << random_.below(4) : size;
      const std::int64_t most = (p.room - size) / scale;
      if (most >= 1) {
        const known_value index =
            between(random_.one_in(3) ? type::i32 : type::i64, 0, std::min<std::int64_t>(most, 63));
        at.index = index.value;
        at.scale = static_cast<std::uint32_t>(scale);
        used += index.high * scale;
      }
    }
    at.offset = random_.between(-p.before, p.room - used) / size * size;
    return {at, p.alias};
  }

  /// For the clobbers of callers. Classes have the numbers of the arrays.
  void note_write(alias_id array) {
    if (array == no_alias) {
      writes_anything_ = true;
    } else {
      writes_[array] = true;
    }
  }
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
