/// Random operations without side effects.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/builder.hpp"
#include "midend/elbrus/detail/random_numbers.hpp"
#include "midend/elbrus/detail/random_scope.hpp"
#include "midend/elbrus/detail/random_writer.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/type.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// Writes operations none of which can trap. What could is kept from it in different ways: masked operands, literals,
/// guards, and speculation whose result is looked at under the right predicate only.
class random_operations : public random_writer {
protected:
  using random_writer::random_writer;

  /// An operation with a result of this type, and what keeps it from trapping.
  void compute(type t) {
    if (t == type::i1) {
      compute_predicate();
    } else if (is_float(t)) {
      compute_float(t);
    } else {
      compute_integer(t);
    }
  }

  /// The result of an unsafe operation, and the predicate under which it is not a diagnostic value.
  struct hoisted_value {
    value_id condition = no_value;
    bool negated = false;
    known_value result;
  };

  /// A speculative division or shift that nothing keeps from trapping.
  hoisted_value hoist(type t) {
    hoisted_value out;
    const value_id a = pick_computed(t);
    const value_id b = pick_computed(t);
    static constexpr opcode choices[] = {opcode::div,  opcode::udiv, opcode::rem,
                                         opcode::urem, opcode::shl,  opcode::sar};
    const opcode code = random_.any_of(choices);
    const auto width = static_cast<std::int64_t>(width_of(t));
    const bool is_shift = code == opcode::shl || code == opcode::sar;
    const bool is_signed = code == opcode::div || code == opcode::rem;
    const opcode test = is_shift ? opcode::cmp_ult : is_signed ? opcode::cmp_gt : opcode::cmp_ne;
    const auto ask = [&] {
      return read(write({test, t, {b, b_.literal(t, is_shift ? width : 0)}, somewhere_safe(type::i1)}));
    };
    const bool ask_first = random_.one_in(2);
    out.condition = ask_first ? ask() : no_value;
    extras more = somewhere_safe(t);
    more.spec = true;
    out.result.value = read(write({code, t, {a, b}, more}));
    out.result.type = t;
    if (random_.one_in(2)) { // diagnostic if the first one is
      more = somewhere_safe(t);
      more.spec = true;
      out.result.value = read(write({opcode::add, t, {out.result.value, pick(t)}, more}));
    }
    out.condition = ask_first ? out.condition : ask();
    return out;
  }

private:
  // Integers.

  void compute_integer(type t) {
    const std::size_t kind = random_.below(100);
    if (kind < 42) {
      plain(t);
    } else if (kind < 54) {
      promised(t);
    } else if (kind < 64) {
      shift(t);
    } else if (kind < 72) {
      divide(t);
    } else if (kind < 80) {
      convert(t);
    } else if (kind < 86) {
      choose(t);
    } else if (kind < 90 && options_.speculation) {
      speculate(t);
    } else if (kind < 93 && options_.floats) {
      from_float(t);
    } else {
      masked(t, (std::int64_t{1} << random_.between(1, std::min(6u, width_of(t) - 2))) - 1);
    }
  }

  /// What stands behind an operation that cannot trap.
  extras more_of(opcode code, type t) {
    extras more = somewhere(t);
    more.spec = options_.speculation && random_.one_in(12);
    const bool associative = code == opcode::add || code == opcode::mul || code == opcode::bit_xor ||
                             code == opcode::fadd || code == opcode::fmul;
    more.assoc = associative && options_.promises && random_.one_in(4);
    if (options_.guards && random_.one_in(7)) {
      guard(more, t);
    }
    return more;
  }

  void guard(extras& more, type t) {
    (random_.one_in(3) ? more.unless : more.guard) = predicate();
    more.otherwise = pick(t);
  }

  void plain(type t) {
    static constexpr opcode choices[] = {opcode::add,  opcode::add,     opcode::sub,     opcode::sub,
                                         opcode::mul,  opcode::bit_or,  opcode::bit_and, opcode::bit_xor,
                                         opcode::neg,  opcode::bit_not, opcode::min,     opcode::max,
                                         opcode::umin, opcode::umax,    opcode::mov};
    const opcode code = random_.any_of(choices);
    const value_id a = pick_computed(t);
    see(write({code, t, {a, pick_other(t, a)}, more_of(code, t)}));
  }

  /// `nsw` where it holds.
  void promised(type t) {
    static constexpr opcode choices[] = {opcode::add, opcode::add, opcode::sub, opcode::mul, opcode::neg, opcode::shl};
    const opcode code = random_.any_of(choices);
    const std::int64_t most = std::int64_t{1} << (std::min(width_of(t), 40u) / 2 - 1);
    const known_value a = between(t, -most, most - 1);
    const known_value b = code == opcode::shl ? known_small_literal(t) : between(t, -most, most - 1);
    extras more = somewhere_safe(t);
    more.nsw = options_.promises;
    const bounds exact = bounds_of(code, a, b);
    see_bounded(write({code, t, {a.value, b.value}, more}), exact.low, exact.high);
  }

  known_value known_small_literal(type t) {
    const std::int64_t amount = random_.between(0, width_of(t) / 4);
    return bounded_value(b_.literal(t, amount), t, amount, amount);
  }

  void shift(type t) {
    const std::int64_t last = static_cast<std::int64_t>(width_of(t)) - 1;
    const value_id a = pick_computed(t);
    const value_id amount = random_.one_in(2) ? b_.literal(t, random_.between(0, last)) : between(t, 0, last).value;
    if (random_.one_in(4)) {
      const opcode code = opcode::shladd;
      const value_id literal = b_.literal(t, random_.between(0, std::min(last, std::int64_t{4})));
      see(write({code, t, {a, literal, pick(t)}, more_of(code, t)}));
      return;
    }
    static constexpr opcode choices[] = {opcode::shl, opcode::shr, opcode::sar};
    const opcode code = random_.any_of(choices);
    see(write({code, t, {a, amount}, more_of(code, t)}));
  }

  void divide(type t) {
    static constexpr opcode choices[] = {opcode::div, opcode::udiv, opcode::rem, opcode::urem};
    const opcode code = random_.any_of(choices);
    const bool is_signed = code == opcode::div || code == opcode::rem;
    const value_id a = pick_computed(t);
    if (options_.guards && random_.one_in(3)) { // 0 and, if signed, what is less do not run
      const value_id b = pick_computed(t);
      const value_id otherwise = pick(t);
      const opcode test = is_signed ? opcode::cmp_gt : opcode::cmp_ne;
      extras more = somewhere(t);
      more.guard = see(write({test, t, {b, b_.literal(t, 0)}, somewhere_safe(type::i1)})).value;
      more.otherwise = otherwise;
      see(write({code, t, {a, b}, more}));
      return;
    }
    see(write({code, t, {a, divisor(t)}, more_of(code, t)}));
  }

  /// A number from 1 on.
  value_id divisor(type t) {
    if (random_.one_in(3)) {
      return b_.literal(t, random_.between(1, 100));
    }
    const known_value small = between(t, 0, 63);
    const step made = {opcode::bit_or, t, {small.value, b_.literal(t, 1)}, somewhere_safe(t)};
    return see_bounded(write(made), 1, small.high | 1).value;
  }

  void convert(type to) {
    static constexpr type choices[] = {type::i1, type::i8, type::i16, type::i32, type::i64};
    const type from = random_.any_of(choices);
    if (from == to) {
      plain(to);
      return;
    }
    const value_id v = pick_computed(from);
    if (width_of(from) > width_of(to)) {
      see(write({opcode::trunc, to, {v}, more_of(opcode::trunc, to)}));
      return;
    }
    const bool is_signed = random_.one_in(2);
    const value_id wide = write({is_signed ? opcode::sext : opcode::zext, to, {v}, somewhere_safe(to)});
    const auto range = std::int64_t{1} << width_of(from); // from has at most 32 bits
    see_bounded(wide, is_signed ? -(range / 2) : 0, is_signed ? range / 2 - 1 : range - 1);
  }

  void choose(type t) {
    const value_id condition = predicate();
    const value_id a = pick_computed(t);
    see(write({opcode::select, t, {condition, a, pick_other(t, a)}, more_of(opcode::select, t)}));
  }

  /// An unsafe operation, then the choice between its result and another one.
  void speculate(type t) {
    const value_id other = pick(t);
    const hoisted_value h = hoist(t);
    if (!options_.guards || random_.one_in(2)) {
      see(write({opcode::select, t, {h.condition, h.result.value, other}, somewhere(t)}));
      return;
    }
    extras more = somewhere(t);
    more.guard = h.condition;
    more.otherwise = other;
    see(write({opcode::mov, t, {h.result.value}, more}));
  }

  // Floating point.

  void compute_float(type t) {
    const std::size_t kind = random_.below(10);
    if (kind < 2) {
      const type from = random_integer_type();
      const value_id number = masked(from, (std::int64_t{1} << std::min(10u, width_of(from) - 2)) - 1).value;
      see(write({opcode::itof, t, {number}, more_of(opcode::itof, t)}));
    } else if (kind < 3) {
      choose(t);
    } else {
      static constexpr opcode choices[] = {opcode::fadd, opcode::fadd, opcode::fsub,  opcode::fmul,
                                           opcode::fdiv, opcode::fma,  opcode::fsqrt, opcode::mov};
      const opcode code = random_.any_of(choices);
      const value_id a = pick_computed(t);
      see(write({code, t, {a, pick_other(t, a), pick(t)}, more_of(code, t)}));
    }
  }

  /// A conversion of a number that fits, or that runs if it does.
  void from_float(type t) {
    const type from = random_.one_in(2) ? type::f32 : type::f64;
    const value_id v = pick_computed(from);
    const value_id otherwise = pick(t);
    const double limit = t == type::i8 ? 100 : 30'000;
    const value_id fits = is_between(from, v, -limit, limit);
    extras more = somewhere(t);
    if (options_.guards) {
      more.guard = fits;
      more.otherwise = otherwise;
      see(write({opcode::ftoi, t, {v}, more}));
      return;
    }
    const value_id zero = float_constant(from, 0);
    const value_id clamped = see(write({opcode::select, from, {fits, v, zero}, somewhere(from)})).value;
    see(write({opcode::ftoi, t, {clamped}, more}));
  }

  value_id is_between(type t, value_id v, double low, double high) {
    const value_id most = float_constant(t, high);
    const value_id below = see(write({opcode::fcmp_olt, t, {v, most}, somewhere_safe(type::i1)})).value;
    const value_id least = float_constant(t, low);
    const value_id above = see(write({opcode::fcmp_ogt, t, {v, least}, somewhere_safe(type::i1)})).value;
    return see(write({opcode::bit_and, type::i1, {below, above}, somewhere_safe(type::i1)})).value;
  }

  // Predicates.

  void compute_predicate() {
    const std::size_t kind = random_.below(10);
    if (kind < 5) {
      compared(options_.floats && random_.one_in(6) ? type::f64 : random_integer_type());
    } else if (kind < 6) {
      see(write({opcode::trunc, type::i1, {pick_computed(random_integer_type())}, somewhere(type::i1)}));
    } else {
      static constexpr opcode choices[] = {opcode::bit_and, opcode::bit_or, opcode::bit_xor, opcode::bit_not,
                                           opcode::add,     opcode::umin,   opcode::max,     opcode::mov};
      const opcode code = random_.any_of(choices);
      const value_id a = predicate();
      see(write({code, type::i1, {a, pick_other(type::i1, a)}, more_of(code, type::i1)}));
    }
  }
};

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
