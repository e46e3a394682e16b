/// Picks operands and makes results for the generator of random programs.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/builder.hpp"
#include "midend/elbrus/detail/random_numbers.hpp"
#include "midend/elbrus/detail/random_scope.hpp"
#include "midend/elbrus/generated_program.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/procedure.hpp"
#include "midend/elbrus/scalar.hpp"
#include "midend/elbrus/type.hpp"
#include "midend/ir/evaluate.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// What all parts of the generator share: the procedure at its present place, what can be read there, names.
class random_writer {
protected:
  random_writer(procedure& p, const random_program_options& options, random_numbers& random)
      : options_(options), random_(random), b_(p) {}

  // Names and results.

  /// A name that there is not yet; valid until the next one.
  std::string_view fresh(char kind) {
    name_[0] = kind;
    const std::to_chars_result end = std::to_chars(name_.data() + 1, name_.data() + name_.size(), ++names_);
    return {name_.data(), static_cast<std::size_t>(end.ptr - name_.data())};
  }

  node_id new_node() {
    const node_id n = b_.node(fresh('n'));
    if (options_.profile && random_.one_in(4)) {
      b_.get().set_node_count(n, random_.below(10'000));
    }
    return n;
  }

  bool to_variable() {
    return options_.form == program_form::variables || (options_.form == program_form::mixed && random_.one_in(2));
  }

  /// Where a result may go about which nothing is promised: a value, or a variable, new or not. `read` names values.
  extras somewhere(type t) {
    if (!to_variable()) {
      return {};
    }
    std::vector<value_id>& variables = variables_[static_cast<std::size_t>(t)];
    if (variables.empty() || random_.percent(30)) {
      variables.push_back(b_.variable(t, fresh('x')));
    }
    return {.into = random_.any_of(variables)};
  }

  /// Where a result goes that nothing else overwrites, so that what is known of it stays true.
  extras somewhere_safe(type t) { return to_variable() ? extras{.into = b_.variable(t, fresh('x'))} : extras{}; }

  /// What is to be read for the result of an operation. A value gets a name.
  value_id read(value_id operation) {
    const value_id variable = b_.get().value(operation).variable;
    if (variable != no_value) {
      return variable;
    }
    b_.get().set_value_name(operation, fresh('v'));
    return operation;
  }

  /// An operation on values. As a braced list it is evaluated from left to right by every compiler, so that random
  /// numbers are drawn in the same order.
  struct step {
    opcode code;
    elbrus::type type; ///< of a conversion: the result's
    std::array<value_id, 3> operands;
    extras more;
  };

  value_id write(const step& s) {
    if (info_of(s.code).form == opcode_form::conversion) {
      return b_.convert(s.code, s.type, s.operands[0], s.more);
    }
    return b_.operation(s.code, s.type, std::span(s.operands).first(info_of(s.code).operands), s.more);
  }

  known_value see(const known_value& v) {
    if (!scope_.contains(v.value)) {
      scope_.push(v);
    }
    return v;
  }

  /// The result can be read from now on.
  known_value see(value_id operation) {
    known_value out;
    out.value = read(operation);
    out.type = b_.type_of(operation);
    return see(out);
  }

  known_value see_bounded(value_id operation, std::int64_t low, std::int64_t high) {
    return see(bounded_value(read(operation), b_.type_of(operation), low, high));
  }

  // Types.

  type random_integer_type() {
    static constexpr type choices[] = {type::i8, type::i16, type::i32, type::i32, type::i32, type::i64, type::i64};
    return random_.any_of(choices);
  }

  type random_type() {
    if (options_.floats && random_.one_in(5)) {
      return random_.one_in(2) ? type::f32 : type::f64;
    }
    return random_.one_in(10) ? type::i1 : random_integer_type();
  }

  // Literals.

  value_id literal(type t) {
    return is_float(t) ? float_literal(t) : b_.get().constant(t, interesting_bits(width_of(t)));
  }

  value_id float_literal(type t) {
    static constexpr double choices[] = {0, 1, -1, 0.5, 2, 1.5, 100, -3.25, 1e-3, 65'536};
    return float_constant(t, random_.any_of(choices));
  }

  value_id float_constant(type t, double value) { return b_.get().constant(t, float_bits(t, value)); }

  /// Small numbers, the ends of the ranges, and anything.
  std::uint64_t interesting_bits(unsigned width) {
    switch (random_.below(8)) {
    case 0:
      return low_ones(width) >> random_.below(2);
    case 1:
      return std::uint64_t{1} << (width - 1);
    case 2:
      return random_.next() & low_ones(width);
    case 3:
      return (0 - std::uint64_t{random_.below(8)}) & low_ones(width);
    default:
      return random_.below(10) & low_ones(width);
    }
  }

  // Operands.

  /// Something of a type that can be read and, if asked for, is no variable. Rather what is new and what nobody has
  /// read yet, so that little is dead.
  std::optional<known_value> find(type t, bool no_variables = false) {
    return find_among(t, no_variables, scope_.size(),
                      [this](std::size_t i) -> const known_value& { return scope_[i]; });
  }

  std::optional<known_value> find_in_tail(const arrival& a, type t) {
    return find_among(t, true, a.tail.size(), [&](std::size_t i) -> const known_value& { return a.tail[i]; });
  }

  /// The same, or a literal.
  known_value pick_known(type t, bool no_variables = false) {
    if (!random_.percent(12)) {
      if (const std::optional<known_value> found = find(t, no_variables)) {
        return *found;
      }
    }
    return known_literal(t);
  }

  value_id pick(type t) { return pick_known(t).value; }

  /// Rather not the same: `x - x` and `x < x` say little.
  value_id pick_other(type t, value_id than) {
    const value_id v = pick(t);
    return v == than ? pick(t) : v;
  }

  known_value known_literal(type t) {
    known_value out;
    out.value = literal(t);
    out.type = t;
    if (is_integer(t)) {
      const std::int64_t number = as_signed(b_.get().value(out.value).bits, width_of(t));
      return bounded_value(out.value, t, number, number);
    }
    return out;
  }

  /// Something that is no literal, converted if nothing else is there; `options.known` are the exceptions.
  value_id pick_computed(type t) {
    if (options_.known != 0 && random_.percent(options_.known)) {
      return literal(t);
    }
    if (const std::optional<known_value> found = find(t)) {
      return found->value;
    }
    if (is_integer(t)) {
      for (const type from : {type::i64, type::i32, type::i16, type::i8}) {
        if (const std::optional<known_value> found = find(from)) {
          return convert_integer(t, found->value);
        }
      }
    }
    if (is_float(t)) {
      const value_id number = masked(type::i32, 255).value;
      return see(write({opcode::itof, t, {number}, somewhere(t)})).value;
    }
    return literal(t);
  }

  value_id convert_integer(type to, value_id v) {
    const unsigned from_width = width_of(b_.type_of(v));
    const unsigned to_width = width_of(to);
    if (from_width == to_width) {
      return v;
    }
    const opcode code = from_width > to_width ? opcode::trunc : random_.one_in(2) ? opcode::zext : opcode::sext;
    return see(write({code, to, {v}, somewhere(to)})).value;
  }

  value_id predicate() {
    if (const std::optional<known_value> found = find(type::i1); found && random_.one_in(2)) {
      return found->value;
    }
    return compared(random_integer_type());
  }

  value_id compared(type t) {
    const std::size_t first = static_cast<std::size_t>(is_float(t) ? opcode::fcmp_oeq : opcode::cmp_eq);
    const auto code = static_cast<opcode>(first + random_.below(is_float(t) ? 7 : 10));
    const value_id a = pick_computed(t);
    return see(write({code, t, {a, pick_other(t, a)}, somewhere(type::i1)})).value;
  }

  /// A number 0 … most, computed from what is there. `most` is 2^k - 1 and less than the largest number.
  known_value masked(type t, std::int64_t most) {
    const value_id v = pick_computed(t);
    return see_bounded(write({opcode::bit_and, t, {v, b_.literal(t, most)}, somewhere_safe(t)}), 0, most);
  }

  /// A number between the two that is no literal if there is one, else a masked one. Requires `low <= 0 < high`.
  known_value between(type t, std::int64_t low, std::int64_t high) {
    for (int attempts = 0; attempts != 3; ++attempts) {
      if (const std::optional<known_value> found = find(t); found && found->within(low, high)) {
        return *found;
      }
    }
    return masked(t, static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(high) + 1) - 1));
  }

  const random_program_options& options_;
  random_numbers& random_;
  builder b_;
  random_scope scope_;

private:
  template <class At> std::optional<known_value> find_among(type t, bool no_variables, std::size_t size, At at) {
    const auto fits = [&](const known_value& v) {
      return v.type == t && !(no_variables && b_.get().value(v.value).kind == value_kind::variable);
    };
    constexpr std::size_t window = 16;
    const known_value* best = nullptr;
    for (std::size_t attempts = size == 0 ? 0 : 6; attempts != 0; --attempts) {
      const std::size_t recent = size < window ? size : window;
      const known_value& v = at(attempts % 2 == 0 ? size - 1 - random_.below(recent) : random_.below(size));
      if (fits(v) && (best == nullptr || !b_.get().has_users(v.value))) {
        best = &v;
      }
    }
    for (std::size_t i = size; best == nullptr && i != 0 && i + 4 * window > size; --i) {
      best = fits(at(i - 1)) ? &at(i - 1) : nullptr;
    }
    return best == nullptr ? std::nullopt : std::optional(*best);
  }

  std::array<std::vector<value_id>, type_names.size()> variables_; ///< that may be overwritten
  std::array<char, 24> name_ = {};
  std::uint64_t names_ = 0;
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
