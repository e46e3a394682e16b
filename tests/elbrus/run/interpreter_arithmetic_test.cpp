// The interpreter's integer operations against arithmetic in C++, on all operands of 8 bits; its floating-point ones
// against the processor's.
#include "kit/affordable.hpp"

#include <midend/elbrus/builder.hpp>
#include <midend/elbrus/run/interpreter.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace {

using namespace midend::elbrus;
using midend::value_id;

/// An operand, as both numbers that it can mean.
struct number {
  int s; ///< signed
  int u;

  explicit number(int bits) : s(bits < 128 ? bits : bits - 256), u(bits) {}
};

/// What an operation is by definition; nothing where it traps, as one of two kinds.
struct expectation {
  opcode code;
  std::optional<int> (*result)(number a, number b);
  bool nsw = false;
  trap_kind trap = trap_kind::broken_nsw;       ///< where there is no result …
  trap_kind other_trap = trap_kind::broken_nsw; ///< … and b is not 0
};

using result = std::optional<int>;

result if_it_fits(int exact) {
  return exact >= -128 && exact <= 127 ? result(exact) : std::nullopt;
}

result divided(number a, number b, bool remainder) {
  if (b.s == 0 || (a.s == -128 && b.s == -1)) {
    return std::nullopt;
  }
  return remainder ? a.s % b.s : a.s / b.s;
}

constexpr trap_kind by_zero = trap_kind::division_by_zero;
constexpr trap_kind by_minus_one = trap_kind::division_overflow;
constexpr trap_kind too_far = trap_kind::shift_too_far;

const std::array expectations = {
    expectation{opcode::mov, [](number a, number) { return result(a.u); }},
    expectation{opcode::add, [](number a, number b) { return result(a.u + b.u); }},
    expectation{opcode::sub, [](number a, number b) { return result(a.u - b.u); }},
    expectation{opcode::mul, [](number a, number b) { return result(a.u * b.u); }},
    expectation{opcode::add, [](number a, number b) { return if_it_fits(a.s + b.s); }, true},
    expectation{opcode::sub, [](number a, number b) { return if_it_fits(a.s - b.s); }, true},
    expectation{opcode::mul, [](number a, number b) { return if_it_fits(a.s * b.s); }, true},
    expectation{opcode::neg, [](number a, number) { return if_it_fits(-a.s); }, true},
    expectation{opcode::bit_and, [](number a, number b) { return result(a.u & b.u); }},
    expectation{opcode::bit_or, [](number a, number b) { return result(a.u | b.u); }},
    expectation{opcode::bit_xor, [](number a, number b) { return result(a.u ^ b.u); }},
    expectation{opcode::shl, [](number a, number b) { return b.u < 8 ? result(a.u << b.u) : std::nullopt; }, false,
                too_far, too_far},
    expectation{opcode::shr, [](number a, number b) { return b.u < 8 ? result(a.u >> b.u) : std::nullopt; }, false,
                too_far, too_far},
    expectation{opcode::sar, [](number a, number b) { return b.u < 8 ? result(a.s >> b.u) : std::nullopt; }, false,
                too_far, too_far},
    expectation{opcode::div, [](number a, number b) { return divided(a, b, false); }, false, by_zero, by_minus_one},
    expectation{opcode::rem, [](number a, number b) { return divided(a, b, true); }, false, by_zero, by_minus_one},
    expectation{opcode::udiv, [](number a, number b) { return b.u != 0 ? result(a.u / b.u) : std::nullopt; }, false,
                by_zero},
    expectation{opcode::urem, [](number a, number b) { return b.u != 0 ? result(a.u % b.u) : std::nullopt; }, false,
                by_zero},
    expectation{opcode::neg, [](number a, number) { return result(-a.u); }},
    expectation{opcode::bit_not, [](number a, number) { return result(255 - a.u); }},
    expectation{opcode::min, [](number a, number b) { return result(a.s < b.s ? a.s : b.s); }},
    expectation{opcode::max, [](number a, number b) { return result(a.s > b.s ? a.s : b.s); }},
    expectation{opcode::umin, [](number a, number b) { return result(a.u < b.u ? a.u : b.u); }},
    expectation{opcode::umax, [](number a, number b) { return result(a.u > b.u ? a.u : b.u); }},
    expectation{opcode::cmp_eq, [](number a, number b) { return result(a.u == b.u); }},
    expectation{opcode::cmp_ne, [](number a, number b) { return result(a.u != b.u); }},
    expectation{opcode::cmp_lt, [](number a, number b) { return result(a.s < b.s); }},
    expectation{opcode::cmp_le, [](number a, number b) { return result(a.s <= b.s); }},
    expectation{opcode::cmp_gt, [](number a, number b) { return result(a.s > b.s); }},
    expectation{opcode::cmp_ge, [](number a, number b) { return result(a.s >= b.s); }},
    expectation{opcode::cmp_ult, [](number a, number b) { return result(a.u < b.u); }},
    expectation{opcode::cmp_ule, [](number a, number b) { return result(a.u <= b.u); }},
    expectation{opcode::cmp_ugt, [](number a, number b) { return result(a.u > b.u); }},
    expectation{opcode::cmp_uge, [](number a, number b) { return result(a.u >= b.u); }},
};

/// One operation of two numbers of 8 bits, as `@once(a, b)` and, for all b for which `runs[b]` is 1 and with 0 for the
/// others, as `@all(a, runs, out)`.
program written(const expectation& e) {
  program out;
  out.procedures.resize(2);
  const bool compares = info_of(e.code).form == opcode_form::comparison;
  const type t = compares ? type::i1 : type::i8;
  const auto operation = [&](builder& b, value_id x, value_id y, const extras& more) {
    const std::array operands = {x, y};
    return b.operation(e.code, type::i8, std::span(operands).first(info_of(e.code).operands), more);
  };

  procedure& once = out.procedures[0];
  once.set_name("once");
  once.set_result_type(t);
  builder one(once);
  const value_id x = one.parameter(type::i8, "a");
  const value_id y = one.parameter(type::i8, "b");
  one.at(one.node("entry"));
  one.ret(operation(one, x, y, {.nsw = e.nsw}));

  procedure& all = out.procedures[1];
  all.set_name("all");
  builder b(all);
  const value_id a = b.parameter(type::i8, "a");
  const value_id runs = b.parameter(type::ptr, "runs");
  const value_id results = b.parameter(type::ptr, "out");
  const auto entry = b.node("entry"), loop = b.node("loop"), done = b.node("done");
  b.at(entry);
  const auto first = b.jump(loop);
  b.at(loop);
  const value_id i = b.phi(type::i32, "i");
  const value_id low = b.convert(opcode::trunc, type::i8, i);
  const value_id guard = b.load(type::i1, {.base = runs, .index = i});
  const value_id r =
      operation(b, a, low, {.nsw = e.nsw, .guard = guard, .otherwise = compares ? b.i1(false) : b.i8(0)});
  const value_id wide = b.convert(opcode::zext, type::i32, r); // shows bits above the width, if there are any
  b.store(type::i32, wide, {.base = results, .index = i, .scale = 4});
  const value_id next = b.add(type::i32, i, b.i32(1), {.nsw = true});
  const auto edges = b.branch(b.compare(opcode::cmp_lt, type::i32, next, b.i32(256)), loop, done);
  b.input(i, first, b.i32(0));
  b.input(i, edges.when_true, next);
  b.at(done);
  b.ret();
  return out;
}

std::vector<std::uint64_t> with_results(const expectation& e, int a) {
  std::vector<std::uint64_t> runs(256);
  for (int b = 0; b != 256; ++b) {
    runs[static_cast<std::size_t>(b)] = e.result(number(a), number(b)) ? 1 : 0;
  }
  return runs;
}

/// The number of operands for which the interpreter gives another result.
int wrong_results(const expectation& e, interpreter& all) {
  int wrong = 0;
  for (int a = 0; a < 256; a += midend_tests::tests_are_shortened ? 5 : 1) {
    memory arrays;
    const scalar arguments[] = {integer_scalar(type::i8, a),
                                {type::ptr, arrays.add("runs", type::i1, with_results(e, a))},
                                {type::ptr, arrays.add_zeros("out", 1024)}};
    const run_result done = all.run(1, arguments, arrays);
    wrong += done.trap ? 1000 : 0;
    for (int b = 0; b != 256; ++b) {
      const int mask = info_of(e.code).form == opcode_form::comparison ? 1 : 255;
      const int expected = e.result(number(a), number(b)).value_or(0) & mask;
      wrong +=
          done.memory.element(1, type::i32, static_cast<std::size_t>(b)) == integer_scalar(type::i32, expected) ? 0 : 1;
    }
  }
  return wrong;
}

/// The same of the traps.
int wrong_traps(const expectation& e, interpreter& all) {
  int wrong = 0;
  for (int pair = 0; pair < 65536; pair += e.trap == trap_kind::shift_too_far ? 17 : 1) {
    const int a = pair % 256;
    const int b = pair / 256;
    if (e.result(number(a), number(b))) {
      continue;
    }
    const scalar arguments[] = {integer_scalar(type::i8, a), integer_scalar(type::i8, b)};
    const run_result done = all.run(0, arguments);
    wrong += done.trap && done.trap->kind == (b == 0 ? e.trap : e.other_trap) && !done.value ? 0 : 1;
  }
  return wrong;
}

/// `f(parameters…) = code(parameters…)`, called with these.
run_result called(opcode code, type result_type, type operand_type, std::span<const scalar> arguments,
                  const extras& more = {}) {
  program all;
  procedure& p = all.procedures.emplace_back();
  p.set_name("f");
  p.set_result_type(result_type);
  builder b(p);
  std::vector<value_id> parameters;
  for (const scalar& argument : arguments) {
    parameters.push_back(b.parameter(argument.type, ""));
  }
  b.at(b.node("entry"));
  const bool converts = info_of(code).form == opcode_form::conversion;
  b.ret(converts ? b.convert(code, result_type, parameters[0], more)
                 : b.operation(code, operand_type, parameters, more));
  return interpreter(all).run(0, arguments);
}

scalar converted(opcode code, type to, scalar from) {
  return called(code, to, from.type, std::array{from}).value.value_or(scalar{});
}

scalar floated(opcode code, type t, std::vector<double> operands) {
  std::vector<scalar> arguments;
  for (const double operand : operands) {
    arguments.push_back(float_scalar(t, operand));
  }
  const bool compares = is_float_comparison(code);
  return called(code, compares ? type::i1 : t, t, arguments).value.value_or(scalar{});
}

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

} // namespace

TEST_CASE("interpreter: integer operations on all operands of 8 bits") {
  for (const expectation& e : expectations) {
    const program all = written(e);
    interpreter in(all);
    CAPTURE(name_of(e.code));
    CAPTURE(e.nsw);
    CHECK(wrong_results(e, in) == 0);
    CHECK(wrong_traps(e, in) == 0);
  }
}

TEST_CASE("interpreter: combined operations") {
  const auto shladd = [](int a, int k, int c) {
    return called(opcode::shladd, type::i16, type::i16,
                  std::array{integer_scalar(type::i16, a), integer_scalar(type::i16, k), integer_scalar(type::i16, c)});
  };
  CHECK(shladd(5, 3, 2).value == integer_scalar(type::i16, 42));
  CHECK(shladd(-1, 15, 1).value == integer_scalar(type::i16, -32767));
  CHECK(shladd(1, 16, 0).trap->kind == trap_kind::shift_too_far);
  const auto select = [](bool c) {
    return called(opcode::select, type::i16, type::i16,
                  std::array{integer_scalar(type::i1, c), integer_scalar(type::i16, 5), integer_scalar(type::i16, 6)});
  };
  CHECK(select(true).value == integer_scalar(type::i16, 5));
  CHECK(select(false).value == integer_scalar(type::i16, 6));
}

TEST_CASE("interpreter: conversions between integers") {
  for (int bits = 0; bits != 256; ++bits) {
    const scalar byte = integer_scalar(type::i8, bits);
    CHECK(signed_value(converted(opcode::sext, type::i64, byte)) == number(bits).s);
    CHECK(converted(opcode::zext, type::i16, byte) == scalar{type::i16, byte.bits});
    CHECK(converted(opcode::trunc, type::i1, byte) == scalar{type::i1, byte.bits % 2});
  }
  CHECK(converted(opcode::sext, type::i32, {type::i1, 1}) == integer_scalar(type::i32, -1));
}

TEST_CASE("interpreter: floating point") {
  for (const type t : {type::f32, type::f64}) {
    CHECK(floated(opcode::fadd, t, {0.5, 0.25}) == float_scalar(t, 0.75));
    CHECK(floated(opcode::fsub, t, {0.5, 0.25}) == float_scalar(t, 0.25));
    CHECK(floated(opcode::fmul, t, {-3, 0.5}) == float_scalar(t, -1.5));
    CHECK(floated(opcode::fdiv, t, {1, 0}) == float_scalar(t, infinite));
    CHECK(floated(opcode::fdiv, t, {-1, infinite}) == float_scalar(t, -0.0));
    CHECK(floated(opcode::fma, t, {2, 3, 4}) == float_scalar(t, 10));
    CHECK(floated(opcode::fsqrt, t, {2.25}) == float_scalar(t, 1.5));
    const double numbers[] = {0, -0.0, 1, -1.5, infinite, -infinite, not_a_number};
    for (const double a : numbers) {
      for (const double b : numbers) {
        const auto holds = [&](opcode code) { return floated(code, t, {a, b}).bits == 1; };
        CHECK(holds(opcode::fcmp_oeq) == (a == b));
        CHECK(holds(opcode::fcmp_one) == (a < b || b < a));
        CHECK(holds(opcode::fcmp_olt) == (a < b));
        CHECK(holds(opcode::fcmp_ole) == (a <= b));
        CHECK(holds(opcode::fcmp_ogt) == (a > b));
        CHECK(holds(opcode::fcmp_oge) == (a >= b));
        CHECK(holds(opcode::fcmp_uno) == (std::isnan(a) || std::isnan(b)));
      }
    }
  }
  // each operation is rounded to its type, once
  CHECK(floated(opcode::fadd, type::f32, {16777216, 1}) == float_scalar(type::f32, 16777216));
  CHECK(floated(opcode::fadd, type::f64, {16777216, 1}) == float_scalar(type::f64, 16777217));
  const double near_one = 1 + std::ldexp(1.0, -30);
  CHECK(floated(opcode::fma, type::f64, {near_one, near_one, -1}) ==
        float_scalar(type::f64, std::ldexp(1.0, -29) + std::ldexp(1.0, -60)));
}

TEST_CASE("interpreter: a result that is no number is always the same NaN") {
  const scalar f64_nan{type::f64, 0x7ff8'0000'0000'0000};
  CHECK(floated(opcode::fsub, type::f64, {infinite, infinite}) == f64_nan);
  CHECK(floated(opcode::fdiv, type::f64, {0, 0}) == f64_nan);
  CHECK(floated(opcode::fsqrt, type::f64, {-1}) == f64_nan);
  CHECK(floated(opcode::fmul, type::f64, {-not_a_number, 1}) == f64_nan);
  CHECK(floated(opcode::fsub, type::f32, {infinite, infinite}) == scalar{type::f32, 0x7fc0'0000});
  const scalar payload{type::f64, 0xfff8'0000'0000'0007};
  CHECK(called(opcode::mov, type::f64, type::f64, std::array{payload}).value == payload); // moves keep it
}

TEST_CASE("interpreter: conversions from and to floating point") {
  CHECK(converted(opcode::itof, type::f64, integer_scalar(type::i32, -7)) == float_scalar(type::f64, -7));
  CHECK(converted(opcode::itof, type::f32, integer_scalar(type::i32, 16777217)) == float_scalar(type::f32, 16777216));
  // rounded once: through f64 it would be 2^60
  const std::int64_t just_above = (std::int64_t{1} << 60) + (std::int64_t{1} << 36) + 1;
  CHECK(converted(opcode::itof, type::f32, integer_scalar(type::i64, just_above)) ==
        float_scalar(type::f32, std::ldexp(1.0, 60) + std::ldexp(1.0, 37)));

  const auto to_i8 = [](double number) {
    return called(opcode::ftoi, type::i8, type::f64, std::array{float_scalar(type::f64, number)});
  };
  CHECK(to_i8(127.9).value == integer_scalar(type::i8, 127));
  CHECK(to_i8(-128.9).value == integer_scalar(type::i8, -128));
  CHECK(to_i8(-0.5).value == integer_scalar(type::i8, 0));
  for (const double number : {128.0, -129.0, infinite, -infinite, not_a_number}) {
    REQUIRE(to_i8(number).trap.has_value());
    CHECK(to_i8(number).trap->kind == trap_kind::bad_conversion);
  }
  const auto to_i64 = [](double number) {
    return called(opcode::ftoi, type::i64, type::f64, std::array{float_scalar(type::f64, number)});
  };
  CHECK(to_i64(std::ldexp(-1.0, 63)).value == integer_scalar(type::i64, std::numeric_limits<std::int64_t>::min()));
  CHECK(to_i64(std::ldexp(1.0, 63)).trap.has_value());
}
