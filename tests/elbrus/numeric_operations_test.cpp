// Operations of numeric code: what folds is what runs is what the processor computes, on edge cases; the text, the
// verifier and the views know them.
#include <midend/elbrus/builder.hpp>
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/verify/verifier.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/fold.hpp>

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace midend::elbrus;
using midend::operation_class;
using midend::span;
using midend::value_id;

/// `@f(a, b)` with one operation: of `from` to `to` if it is a conversion, else of `to`.
program with_one(opcode code, type from, type to) {
  program out;
  out.procedures.resize(1);
  procedure& p = out.procedures[0];
  p.set_name("f");
  p.set_result_type(to);
  builder b(p);
  const std::array operands = {b.parameter(from, "a"), b.parameter(from, "b")};
  b.at(b.node("entry"));
  if (info_of(code).form == opcode_form::conversion) {
    b.ret(b.convert(code, to, operands[0], {.name = "r"}));
  } else {
    b.ret(b.operation(code, to, span<const value_id>(operands).first(info_of(code).operands), {.name = "r"}));
  }
  return out;
}

/// Runs and folds one operation, which must agree. Nothing if it traps.
class one_operation {
public:
  one_operation(opcode code, type from, type to) : from_(from), program_(with_one(code, from, to)), machine_(program_) {
    REQUIRE(verify(program_).empty());
    const procedure& p = program_.procedures[0];
    v_ = *p.values(0).begin();
    const auto again = parse(to_text(program_));
    CHECK(again.diagnostics.empty());
    CHECK(to_text(again.program) == to_text(program_));
  }

  std::optional<std::uint64_t> operator()(std::uint64_t a, std::uint64_t b = 0) {
    const procedure& p = program_.procedures[0];
    const std::array operands = {a, b};
    const auto folded = fold(p, v_, span<const std::uint64_t>(operands).first(p.arguments(v_).size()));
    const std::array arguments = {scalar{from_, a}, scalar{from_, b}};
    const auto run = machine_.run(0, arguments);
    CHECK(run.trap.has_value() == !folded.has_value());
    if (run.trap) {
      CHECK(run.trap->kind == trap_kind::bad_conversion);
      return std::nullopt;
    }
    REQUIRE(run.value.has_value());
    CHECK(run.value->bits == folded.value_or(0));
    return folded;
  }

private:
  type from_;
  program program_;
  interpreter machine_;
  value_id v_ = midend::no_value;
};

template <class Float> constexpr type type_for = sizeof(Float) == 4 ? type::f32 : type::f64;
template <class Float> constexpr std::uint64_t quiet_nan = sizeof(Float) == 4 ? 0x7fc0'0000 : 0x7ff8'0000'0000'0000;

template <class Float> std::uint64_t bits_of(Float x) {
  if constexpr (sizeof(Float) == 4) {
    return std::bit_cast<std::uint32_t>(x);
  } else {
    return std::bit_cast<std::uint64_t>(x);
  }
}

template <class Float> Float number_of(std::uint64_t bits) {
  if constexpr (sizeof(Float) == 4) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  } else {
    return std::bit_cast<double>(bits);
  }
}

/// Zeros, denormal numbers, ties, numbers without a fraction, infinities, quiet and signaling NaN; all with both signs.
template <class Float> std::vector<std::uint64_t> edge_cases() {
  using limits = std::numeric_limits<Float>;
  const Float whole = std::ldexp(Float{1}, limits::digits - 1); // has no fraction from here on
  std::vector<std::uint64_t> out;
  for (const Float x : {Float{0},
                        limits::denorm_min(),
                        limits::min() - limits::denorm_min(),
                        limits::min(),
                        Float(0.25),
                        std::nextafter(Float(0.5), Float{0}),
                        Float(0.5),
                        std::nextafter(Float(0.5), Float{1}),
                        Float{1},
                        Float(1.5),
                        Float(2.5),
                        Float(3.5),
                        Float(126.5),
                        Float(255.75),
                        whole / 2 - Float(0.5),
                        whole / 2 + Float(0.5),
                        whole - Float(0.5),
                        whole,
                        whole + 1,
                        std::ldexp(Float{1}, 31),
                        std::ldexp(Float{1}, 32),
                        std::ldexp(Float{1}, 63),
                        std::ldexp(Float{1}, 64),
                        limits::max(),
                        limits::infinity()}) {
    out.push_back(bits_of(x));
    out.push_back(bits_of(-x));
  }
  const std::uint64_t infinity = bits_of(limits::infinity());
  const std::uint64_t sign = bits_of(-limits::infinity()) ^ infinity;
  for (const std::uint64_t nan : {quiet_nan<Float>, quiet_nan<Float> | 5, infinity | 1, infinity | 0x123}) {
    out.push_back(nan);
    out.push_back(nan | sign);
  }
  return out;
}

/// Rounds ties to even without asking the processor's rounding mode.
template <class Float> Float rounded_to_even(Float x) {
  const Float down = std::floor(x);
  const Float rest = x - down;
  const bool up = rest > Float(0.5) || (rest == Float(0.5) && std::fmod(down, Float{2}) != 0);
  return std::copysign(up ? down + 1 : down, x);
}

template <class Float> std::uint64_t expected(opcode code, Float a, Float b) {
  const auto with_zeros = [&](bool smaller) { // what <cmath> leaves open
    const bool first = a == b ? std::signbit(a) == smaller : (a < b) == smaller;
    return first ? a : b;
  };
  const auto value = [&]() -> Float {
    switch (code) {
    case opcode::fmin:
      return std::isnan(a) ? b : std::isnan(b) ? a : a == b ? with_zeros(true) : std::fmin(a, b);
    case opcode::fmax:
      return std::isnan(a) ? b : std::isnan(b) ? a : a == b ? with_zeros(false) : std::fmax(a, b);
    case opcode::fminimum:
      return std::isnan(a) || std::isnan(b) ? std::numeric_limits<Float>::quiet_NaN() : with_zeros(true);
    case opcode::fmaximum:
      return std::isnan(a) || std::isnan(b) ? std::numeric_limits<Float>::quiet_NaN() : with_zeros(false);
    case opcode::ffloor:
      return std::floor(a);
    case opcode::fceil:
      return std::ceil(a);
    case opcode::ftrunc:
      return std::trunc(a);
    case opcode::frint:
      return rounded_to_even(a);
    case opcode::fround:
      return std::round(a);
    default:
      FAIL("no such operation");
      return 0;
    }
  }();
  return std::isnan(value) ? quiet_nan<Float> : bits_of(value);
}

template <class Float> void check_operations() {
  const std::vector<std::uint64_t> cases = edge_cases<Float>();
  const type t = type_for<Float>;
  for (const opcode code : {opcode::fmin, opcode::fmax, opcode::fminimum, opcode::fmaximum, opcode::ffloor,
                            opcode::fceil, opcode::ftrunc, opcode::frint, opcode::fround}) {
    CAPTURE(name_of(code));
    one_operation apply(code, t, t);
    for (const std::uint64_t a : cases) {
      for (const std::uint64_t b : info_of(code).operands == 1 ? std::vector<std::uint64_t>{0} : cases) {
        CAPTURE(a);
        CAPTURE(b);
        CHECK(apply(a, b) == expected(code, number_of<Float>(a), number_of<Float>(b)));
      }
    }
  }
  const std::uint64_t sign = bits_of(-Float{0});
  one_operation negate(opcode::fneg, t, t);
  one_operation absolute(opcode::fabs, t, t);
  one_operation copy(opcode::fcopysign, t, t);
  for (const std::uint64_t a : cases) {
    CHECK(negate(a) == (a ^ sign)); // of NaN, too, with all its bits
    CHECK(absolute(a) == (a & ~sign));
    for (const std::uint64_t b : cases) {
      CHECK(copy(a, b) == ((a & ~sign) | (b & sign)));
    }
  }
}

} // namespace

TEST_CASE("numeric operations: fold, run and <cmath> agree on edge cases") {
  check_operations<float>();
  check_operations<double>();
}

TEST_CASE("numeric operations: literal results") {
  one_operation minimum(opcode::fmin, type::f64, type::f64);
  CHECK(minimum(bits_of(0.0), bits_of(-0.0)) == bits_of(-0.0));
  CHECK(minimum(bits_of(-0.0), bits_of(0.0)) == bits_of(-0.0));
  CHECK(minimum(0xfff8'0000'0000'0007, bits_of(2.0)) == bits_of(2.0));
  CHECK(minimum(0xfff8'0000'0000'0007, 0x7ff0'0000'0000'0001) == quiet_nan<double>);
  one_operation lower(opcode::fminimum, type::f64, type::f64);
  CHECK(lower(0xfff8'0000'0000'0007, bits_of(2.0)) == quiet_nan<double>);
  one_operation even(opcode::frint, type::f64, type::f64);
  CHECK(even(bits_of(2.5)) == bits_of(2.0));
  CHECK(even(bits_of(-0.5)) == bits_of(-0.0));
  CHECK(even(bits_of(3.5)) == bits_of(4.0));
  one_operation away(opcode::fround, type::f32, type::f32);
  CHECK(away(bits_of(2.5F)) == bits_of(3.0F));
  CHECK(away(bits_of(std::nextafter(0.5F, 0.0F))) == bits_of(0.0F)); // not by adding a half
}

TEST_CASE("numeric operations: unsigned integers to floating point, rounded once") {
  const std::uint64_t most = ~std::uint64_t{0};
  one_operation wide(opcode::utof, type::i64, type::f64);
  one_operation narrow(opcode::utof, type::i64, type::f32);
  CHECK(wide(most) == bits_of(0x1p64));
  CHECK(wide(std::uint64_t{1} << 63) == bits_of(0x1p63));
  CHECK(wide((std::uint64_t{1} << 63) + 1024) == bits_of(0x1p63));               // a tie
  CHECK(wide((std::uint64_t{1} << 63) + 1025) == bits_of(0x1.0000000000001p63)); // just above it
  CHECK(wide((std::uint64_t{1} << 63) + 3072) == bits_of(0x1.0000000000002p63));
  CHECK(narrow((std::uint64_t{1} << 63) + (std::uint64_t{1} << 39)) == bits_of(0x1p63F));
  CHECK(narrow((std::uint64_t{1} << 63) + (std::uint64_t{1} << 39) + 1) == bits_of(0x1.000002p63F));
  CHECK(narrow((std::uint64_t{1} << 60) + (std::uint64_t{1} << 36) + 1) == bits_of(0x1.000002p60F));
  CHECK(narrow(most) == bits_of(0x1p64F));
  for (const type t : {type::f32, type::f64}) {
    one_operation byte(opcode::utof, type::i8, t);
    one_operation bit(opcode::utof, type::i1, t);
    CHECK(byte(0) == float_bits(t, 0));
    CHECK(byte(255) == float_bits(t, 255));
    CHECK(bit(1) == float_bits(t, 1));
  }
}

TEST_CASE("numeric operations: floating point to unsigned integers, or a trap") {
  one_operation byte(opcode::ftou, type::f64, type::i8);
  CHECK(byte(bits_of(255.9)) == 255);
  CHECK(byte(bits_of(-0.9)) == 0);
  CHECK(byte(bits_of(-0.0)) == 0);
  for (const double bad : {256.0, -1.0, 1e300, -1e300}) {
    CHECK_FALSE(byte(bits_of(bad)));
  }
  one_operation wide(opcode::ftou, type::f64, type::i64);
  CHECK(wide(bits_of(0x1p63)) == std::uint64_t{1} << 63);
  CHECK(wide(bits_of(0x1.fffffffffffffp63)) == 0xffff'ffff'ffff'f800);
  CHECK_FALSE(wide(bits_of(0x1p64)));
  one_operation narrow(opcode::ftou, type::f32, type::i64);
  CHECK(narrow(bits_of(0x1.fffffep63F)) == 0xffff'ff00'0000'0000);
  for (const std::uint64_t x : edge_cases<double>()) {
    const double number = number_of<double>(x);
    if (!(number > -1 && number < 0x1p64)) { // among them NaN and the infinities
      CHECK_FALSE(wide(x));
    }
  }
}

TEST_CASE("numeric operations: float and double") {
  one_operation widen(opcode::ftof, type::f32, type::f64);
  one_operation narrow(opcode::ftof, type::f64, type::f32);
  for (const std::uint64_t x : edge_cases<float>()) {
    const float number = number_of<float>(x);
    CHECK(widen(x) == (std::isnan(number) ? quiet_nan<double> : bits_of(static_cast<double>(number))));
    CHECK(narrow(*widen(x)) == (std::isnan(number) ? quiet_nan<float> : x));
  }
  CHECK(narrow(bits_of(0x1.000001p0)) == bits_of(0x1p0F)); // ties
  CHECK(narrow(bits_of(0x1.000003p0)) == bits_of(0x1.000004p0F));
  CHECK(narrow(bits_of(0x1.0000010000001p0)) == bits_of(0x1.000002p0F));
  CHECK(narrow(bits_of(0x1.fffffefffffffp127)) == bits_of(std::numeric_limits<float>::max()));
  CHECK(narrow(bits_of(0x1.ffffffp127)) == bits_of(std::numeric_limits<float>::infinity()));
  CHECK(narrow(bits_of(-0x1p-150)) == bits_of(-0.0F)); // half the least number
  CHECK(narrow(bits_of(0x1.8p-149)) == bits_of(0x1p-148F));
}

TEST_CASE("numeric operations: bits pass through as they are") {
  for (const auto& [from, to] : {std::pair{type::f64, type::i64}, {type::i64, type::f64}, {type::f32, type::i32}}) {
    one_operation pass(opcode::bitcast, from, to);
    for (const std::uint64_t x : edge_cases<float>()) {
      CHECK(pass(x) == x);
    }
  }
  one_operation wide(opcode::bitcast, type::f64, type::i64);
  CHECK(wide(0xfff0'0000'0000'0001) == 0xfff0'0000'0000'0001); // a signaling NaN
}

TEST_CASE("numeric operations: the verifier") {
  const auto fault = [](const std::string& operation) {
    const auto file = parse("proc @f(%x: i32, %y: f32, %d: f64, %l: i64, %p: i1) {\n  node n:\n    %r = " + operation +
                            "\n    ret\n}\n");
    std::string out;
    for (const diagnostic& d : file.diagnostics) {
      out += d.message + "\n";
    }
    for (const diagnostic& d : verify(file.program)) {
      out += d.message + "\n";
    }
    return out;
  };
  for (const std::string right : {"fneg.f32 %y", "fabs.f64 %d spec", "fmin.f64 %d, 0x1p+0 assoc", "ftof.f32.f64 %y",
                                  "ftof.f64.f32 %d", "utof.i1.f32 %p", "ftou.f32.i1 %y spec", "bitcast.f32.i32 %y",
                                  "bitcast.i64.f64 %l", "bitcast.f64.ptr %d", "fround.f32 %y ? %p : %y"}) {
    CAPTURE(right);
    CHECK(fault(right).empty());
  }
  for (const std::string wrong : {"fneg.i32 %x",
                                  "fneg.f32 %x",
                                  "fneg.f32 %y, %y",
                                  "fcopysign.f64 %d",
                                  "fcopysign.f64 %d, %y",
                                  "fabs.i64 %l",
                                  "fmin.f64 %d",
                                  "ffloor.i32 %x",
                                  "frint.f64 %y",
                                  "ftof.f32.f32 %y",
                                  "ftof.f32.i32 %y",
                                  "ftof.i32.f32 %x",
                                  "utof.f32.f64 %y",
                                  "ftou.i32.f64 %x",
                                  "ftou.f32.f64 %y",
                                  "bitcast.f32.i64 %y",
                                  "bitcast.f32.f32 %y",
                                  "bitcast.i32.i32 %x",
                                  "bitcast.f64.f32 %d",
                                  "fneg.f64 %d nsw",
                                  "fneg.f64 %d assoc",
                                  "fmin.f64 %d, %d nsw",
                                  "fneg %d",
                                  "ftof.f32 %y",
                                  "fmin.f32.f64 %y, %y"}) {
    CAPTURE(wrong);
    CHECK_FALSE(fault(wrong).empty());
  }
}

TEST_CASE("numeric operations: no effects, and only conversions to integers trap") {
  const program all = parse(R"(proc @f(%d: f64, %s: f32, %l: i64) {
  node n:
    %a = fneg.f64 %d
    %b = fabs.f64 %d
    %c = fcopysign.f64 %d, %d
    %e = fmin.f64 %d, %d
    %g = fmaximum.f64 %d, %d
    %h = ffloor.f64 %d
    %i = fround.f64 %d
    %j = ftof.f64.f32 %d
    %k = utof.i64.f64 %l
    %m = bitcast.f64.i64 %d
    %n = fsqrt.f32 %s
    %o = fdiv.f64 %d, %d
    %q = ftou.f64.i64 %d
    %r = ftou.f64.i64 %d spec
    ret
}
)")
                          .program;
  using enum operation_class;
  const std::array classes = {
      alu,           alu,           alu,  fp_add,         fp_add,           convert_to_integer, convert_to_integer,
      convert_to_fp, convert_to_fp, move, fp_sqrt_single, fp_divide_double, convert_to_integer, convert_to_integer};
  REQUIRE(all.procedures.size() == 1);
  const cost_view view(all.procedures[0]);
  std::size_t i = 0;
  for (const value_id v : all.procedures[0].values(0)) {
    if (i == classes.size()) {
      break;
    }
    CAPTURE(i);
    CHECK(view.cost(v) == classes[i]);
    CHECK(view.effect(v) == midend::effect_kind::none);
    CHECK(view.may_trap(v) == (i == 12));
    CHECK(view.is_removable(v));
    CHECK(view.is_repeatable(v));
    ++i;
  }
  CHECK(i == classes.size());
}
