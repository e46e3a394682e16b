// Numbers of 80 bits against those of the processor, where it has them, and by their text and in programs.
#include <midend/elbrus/builder.hpp>
#include <midend/elbrus/extended.hpp>
#include <midend/elbrus/literal.hpp>
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/text/parser.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/verify/verifier.hpp>
#include <midend/elbrus/views/fold.hpp>

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace midend::elbrus;

extended_number of(double x) {
  return extended_of_double(std::bit_cast<std::uint64_t>(x));
}

std::string text(const extended_number& x) {
  return scalar_text(extended_scalar(x));
}

/// Numbers of all sizes, many near ties, limits and each other; also infinities and NaN.
extended_number random_number(std::mt19937_64& random) {
  static constexpr std::uint16_t exponents[] = {0,     1,     2,     60,    63,    64,    65,    16382,
                                                16383, 16384, 16400, 16445, 16446, 16447, 16448, 32700,
                                                32765, 32766, 32767, 16360, 15359, 15360, 15361, 17406};
  const auto kind = random() % 8;
  std::uint64_t significand = random();
  if (kind < 3) { // few ones
    significand = std::uint64_t{1} << random() % 64 | std::uint64_t{1} << random() % 64;
  } else if (kind == 3) {
    significand = ~std::uint64_t{0} << random() % 64;
  } else if (kind == 4) {
    significand = ~std::uint64_t{0} >> random() % 64;
  }
  auto exponent =
      static_cast<std::uint16_t>(random() % 3 == 0 ? random() % 0x8000 : exponents[random() % std::size(exponents)]);
  if (random() % 3 == 0) {
    exponent = static_cast<std::uint16_t>(16383 + random() % 70);
  }
  if (exponent != 0 && (exponent != 0x7fff || random() % 2 == 0)) {
    significand |= std::uint64_t{1} << 63;
  }
  if (exponent == 0x7fff) {
    significand = random() % 2 == 0 ? std::uint64_t{1} << 63 : significand | std::uint64_t{1} << 63;
  }
  if (exponent == 0) {
    significand &= ~(std::uint64_t{1} << 63);
  }
  return {significand, static_cast<std::uint16_t>(exponent | (random() % 2 << 15))};
}

constexpr std::array operations = {opcode::fadd,   opcode::fsub,  opcode::fmul,      opcode::fdiv,  opcode::fsqrt,
                                   opcode::fneg,   opcode::fabs,  opcode::fcopysign, opcode::fmin,  opcode::fmax,
                                   opcode::ffloor, opcode::fceil, opcode::ftrunc,    opcode::frint, opcode::fround};

#if (defined(__x86_64__) || defined(__i386__)) && defined(__LDBL_MANT_DIG__) && __LDBL_MANT_DIG__ == 64
#define MIDEND_HAS_EXTENDED 1

long double native(const extended_number& x) {
  unsigned char bytes[sizeof(long double)] = {};
  std::memcpy(bytes, &x.significand, 8);
  std::memcpy(bytes + 8, &x.head, 2);
  long double out = 0;
  std::memcpy(&out, bytes, sizeof out);
  return out;
}

/// NaN as the operations make it.
extended_number from_native(long double x) {
  if (std::isnan(x)) {
    return {0xc000'0000'0000'0000, 0x7fff};
  }
  extended_number out;
  unsigned char bytes[sizeof(long double)] = {};
  std::memcpy(bytes, &x, sizeof x);
  std::memcpy(&out.significand, bytes, 8);
  std::memcpy(&out.head, bytes + 8, 2);
  return out;
}

/// Signaling NaN is a NaN like others to `fmin` and `fmax`.
long double native_result(opcode code, long double a, long double b) {
  switch (code) {
  case opcode::fadd:
    return a + b;
  case opcode::fsub:
    return a - b;
  case opcode::fmul:
    return a * b;
  case opcode::fdiv:
    return a / b;
  case opcode::fsqrt:
    return std::sqrt(a);
  case opcode::fmin:
    return std::isnan(a) ? b : a == b ? (std::signbit(a) ? a : b) : std::isnan(b) ? a : std::fmin(a, b);
  case opcode::fmax:
    return std::isnan(a) ? b : a == b ? (std::signbit(a) ? b : a) : std::isnan(b) ? a : std::fmax(a, b);
  case opcode::ffloor:
    return std::floor(a);
  case opcode::fceil:
    return std::ceil(a);
  case opcode::ftrunc:
    return std::trunc(a);
  case opcode::frint:
    return std::nearbyint(a);
  default:
    return std::round(a);
  }
}
#endif

std::optional<scalar> run_one(const std::string& operation, type result, const std::vector<scalar>& arguments) {
  std::string source = "proc @f(";
  for (std::size_t i = 0; i != arguments.size(); ++i) {
    source += (i == 0 ? "%a" : ", %b") + std::string(": ") + std::string(name_of(arguments[i].type));
  }
  source += ") -> " + std::string(name_of(result)) + " {\n  node n:\n    %r = " + operation + "\n    ret %r\n}\n";
  const auto file = parse(source);
  REQUIRE(file.diagnostics.empty());
  REQUIRE(verify(file.program).empty());
  CHECK(to_text(file.program) == source);
  interpreter machine(file.program);
  const auto run = machine.run(0, arguments);
  return run.trap ? std::nullopt : run.value;
}

} // namespace

#ifdef MIDEND_HAS_EXTENDED
TEST_CASE("extended numbers: every operation is what the processor computes") {
  volatile long double least = std::ldexp(1.0L, -63);
  if (least + 1 == 1) {
    MESSAGE("this processor computes with fewer bits"); // as valgrind does
    return;
  }
  std::mt19937_64 random(80);
  for (int i = 0; i != 200'000; ++i) {
    const extended_number a = random_number(random);
    const extended_number b = random() % 16 == 0 ? a : random_number(random);
    for (const opcode code : operations) {
      if (code == opcode::fneg || code == opcode::fabs || code == opcode::fcopysign) {
        continue;
      }
      const extended_number expected = from_native(native_result(code, native(a), native(b)));
      if (evaluate_extended(code, a, b) != expected) {
        FAIL_CHECK(std::string(name_of(code)) << " " << text(a) << " " << text(b) << ": "
                                              << text(evaluate_extended(code, a, b)) << ", not " << text(expected));
      }
    }
    const long double x = native(a);
    const long double y = native(b);
    const bool orders[] = {x == y, x < y || x > y, x<y, x <= y, x> y, x >= y, std::isnan(x) || std::isnan(y)};
    for (std::size_t k = 0; k != std::size(orders); ++k) {
      const auto code = static_cast<opcode>(static_cast<std::size_t>(opcode::fcmp_oeq) + k);
      if (compare_extended(code, a, b) != orders[k]) {
        FAIL_CHECK(std::string(name_of(code)) << " " << text(a) << " " << text(b));
      }
    }
    const auto narrow = static_cast<double>(x);
    const auto narrowest = static_cast<float>(x);
    if (!std::isnan(x) && (float_of_extended(type::f64, a) != std::bit_cast<std::uint64_t>(narrow) ||
                           float_of_extended(type::f32, a) != std::bit_cast<std::uint32_t>(narrowest))) {
      FAIL_CHECK("to float or double: " << text(a));
    }
    if (!std::isnan(narrow) && of(narrow) != from_native(static_cast<long double>(narrow))) {
      FAIL_CHECK("from double: " << narrow);
    }
    const auto signed_limit = x > -0x1p63L - 1 && x < 0x1p63L;
    const auto whole = convert_from_extended(opcode::ftoi, type::i64, a);
    if (whole.has_value() != signed_limit ||
        (whole && *whole != static_cast<std::uint64_t>(static_cast<std::int64_t>(x)))) {
      FAIL_CHECK("to i64: " << text(a));
    }
    const auto natural = convert_from_extended(opcode::ftou, type::i64, a);
    if (natural.has_value() != (x > -1 && x < 0x1p64L) ||
        (natural && *natural != (x < 0 ? 0 : static_cast<std::uint64_t>(x)))) {
      FAIL_CHECK("to an unsigned i64: " << text(a));
    }
    const std::uint64_t integer = random() >> random() % 64;
    CHECK(convert_to_extended(opcode::utof, type::i64, integer) == from_native(static_cast<long double>(integer)));
    CHECK(convert_to_extended(opcode::itof, type::i64, integer) ==
          from_native(static_cast<long double>(static_cast<std::int64_t>(integer))));
  }
}
#endif

TEST_CASE("extended numbers: results by hand") {
  const extended_number one = of(1);
  const extended_number tiny{1, 0};
  const extended_number most{~std::uint64_t{0}, 0x7ffe};
  CHECK(evaluate_extended(opcode::fadd, one, of(0x1p-63)) == extended_number{0x8000'0000'0000'0001, 16383});
  CHECK(evaluate_extended(opcode::fadd, one, of(0x1p-64)) == one); // a tie
  CHECK(evaluate_extended(opcode::fadd, extended_number{0x8000'0000'0000'0001, 16383}, of(0x1p-64)) ==
        extended_number{0x8000'0000'0000'0002, 16383});
  CHECK(evaluate_extended(opcode::fsub, one, tiny) == one);
  CHECK(evaluate_extended(opcode::fsub, one, one) == of(0.0));
  CHECK(evaluate_extended(opcode::fadd, of(-0.0), of(-0.0)) == of(-0.0));
  CHECK(evaluate_extended(opcode::fadd, most, most) == of(std::numeric_limits<double>::infinity()));
  CHECK(evaluate_extended(opcode::fmul, tiny, of(0.5)) == of(0.0)); // a tie
  CHECK(evaluate_extended(opcode::fmul, tiny, of(0.75)) == tiny);
  // Below the least normal number: almost a tie, which only bits at the end of the product decide.
  const extended_number near{0x8000'0000'0000'0001, 8191};
  CHECK(evaluate_extended(opcode::fmul, near, near) == extended_number{0x2000'0000'0000'0001, 0});
  CHECK(evaluate_extended(opcode::fdiv, one, of(3)) == extended_number{0xaaaa'aaaa'aaaa'aaab, 16381});
  CHECK(evaluate_extended(opcode::fsqrt, of(2), one) == extended_number{0xb504'f333'f9de'6484, 16383});
  CHECK(evaluate_extended(opcode::fdiv, of(0), of(0)) == of(std::numeric_limits<double>::quiet_NaN()));
  // What the processor does not support any more is no number, and its bits stay.
  const extended_number invalid{1, 16383};
  CHECK(compare_extended(opcode::fcmp_uno, invalid, one));
  CHECK(evaluate_extended(opcode::fadd, invalid, one) == evaluate_extended(opcode::fdiv, of(0), of(0)));
  CHECK(evaluate_extended(opcode::fneg, invalid, one) == extended_number{1, 0xc000 - 1});
  CHECK(evaluate_extended(opcode::fabs, extended_number{7, 0xffff}, one) == extended_number{7, 0x7fff});
  CHECK(evaluate_extended(opcode::fcopysign, one, extended_number{7, 0xffff}) == of(-1));
  CHECK(evaluate_extended(opcode::fmin, of(0.0), of(-0.0)) == of(-0.0));
  CHECK(evaluate_extended(opcode::fmaximum, of(0.0), of(-0.0)) == of(0.0));
  CHECK(evaluate_extended(opcode::fminimum, of(1), invalid) == evaluate_extended(opcode::fdiv, of(0), of(0)));
  CHECK(evaluate_extended(opcode::fmin, of(1), invalid) == of(1));
}

TEST_CASE("extended numbers: text") {
  CHECK(text(of(1.5)) == "0x1.8p+0");
  CHECK(text({0x8000'0000'0000'0001, 16383}) == "0x1.0000000000000002p+0");
  CHECK(text({1, 0}) == "0x1p-16445");
  CHECK(text({~std::uint64_t{0}, 0xfffe}) == "-0x1.fffffffffffffffep+16383");
  CHECK(text({0x8000'0000'0000'0007, 0xffff}) == "-nan.0x8000000000000007");
  CHECK(text(of(std::numeric_limits<double>::quiet_NaN())) == "nan");
  CHECK(parse_literal("nan.0x1", type::f80).fault == literal_fault::out_of_range);
  CHECK(parse_literal("-nan", type::f80).fault == literal_fault::none);
  CHECK(literal_text(type::f80, parse_literal("-0.1", type::f80).bits) == "-0x1.999999999999ap-4");
  procedure p;
  CHECK(p.literal_bits(p.constant(type::f80, 0xfff8'0000'0000'0007)) == 0xfff8'0000'0000'0000);
}

TEST_CASE("extended numbers: programs, and what folds is what runs") {
  std::mt19937_64 random(81);
  for (const opcode code : operations) {
    program all;
    all.procedures.resize(1);
    procedure& p = all.procedures[0];
    p.set_name("f");
    p.set_result_type(type::f80);
    builder b(p);
    const std::array operands = {b.parameter(type::f80, "a"), b.parameter(type::f80, "b")};
    b.at(b.node("n"));
    const midend::value_id v = b.operation(code, type::f80, midend::span(operands).first(info_of(code).operands));
    b.ret(v);
    REQUIRE(verify(all).empty());
    interpreter machine(all);
    for (int i = 0; i != 200; ++i) {
      const extended_number x = random_number(random);
      const extended_number y = random_number(random);
      const std::array arguments = {extended_scalar(x), extended_scalar(y)};
      const auto run = machine.run(0, arguments);
      REQUIRE(run.value.has_value());
      const auto expected = extended_scalar(evaluate_extended(code, x, y));
      CHECK(run.value.value_or(scalar()) == expected);
      const double c = std::bit_cast<double>(random() >> random() % 12);
      const double d = std::bit_cast<double>(random());
      const std::array literals = {std::bit_cast<std::uint64_t>(std::isnan(c) ? 1.0 : c),
                                   std::bit_cast<std::uint64_t>(std::isnan(d) ? 3.0 : d), std::uint64_t{0}};
      const auto folded = fold(p, v, midend::span(literals).first(info_of(code).operands));
      const std::array again = {literal_scalar(type::f80, literals[0]), literal_scalar(type::f80, literals[1])};
      const auto computed = machine.run(0, again).value.value_or(scalar());
      CHECK((folded ? literal_scalar(type::f80, *folded) == computed : !literal_of_extended(extended_value(computed))));
    }
  }
  const scalar third = extended_scalar(evaluate_extended(opcode::fdiv, of(1), of(3)));
  CHECK(run_one("ftof.f80.f64 %a", type::f64, {third}) == float_scalar(type::f64, 1.0 / 3));
  CHECK(run_one("ftof.f64.f80 %a", type::f80, {float_scalar(type::f64, 0.1)}) ==
        literal_scalar(type::f80, std::bit_cast<std::uint64_t>(0.1)));
  CHECK(run_one("ftoi.f80.i8 %a", type::i8, {extended_scalar(of(-128.9))}) == integer_scalar(type::i8, -128));
  CHECK_FALSE(run_one("ftoi.f80.i8 %a", type::i8, {extended_scalar(of(128))}));
  CHECK(run_one("utof.i64.f80 %a", type::f80, {integer_scalar(type::i64, -1)}) ==
        extended_scalar({~std::uint64_t{0}, 16446}));
  CHECK(run_one("fcmp.olt.f80 %a, %b", type::i1, {third, extended_scalar(of(1.0 / 3))}) == integer_scalar(type::i1, 0));
  CHECK(run_one("select.f80 1, %a, 0x1p+0", type::f80, {third}) == third);
  CHECK(run_one("fadd.f80 %a, nan", type::f80, {third}) == literal_scalar(type::f80, 0x7ff8'0000'0000'0000));
}

TEST_CASE("extended numbers: memory, calls and loops") {
  const auto file = parse(R"(proc @sum(%a: ptr, %n: i64) -> f80 {
  node entry:
    br loop
  node loop:
    %i = phi.i64 [entry: 0], [loop: %i1]
    %s = phi.f80 [entry: 0x0p+0], [loop: %t]
    %x = ld.f80 [%a + %i*10] alias=A
    %q = call.f80 @inverse(%x) clobbers=none
    %t = fadd.f80 %s, %q
    st.f80 %t, [%a + %i*10] alias=A
    %i1 = add.i64 %i, 1
    %c = cmp.lt.i64 %i1, %n
    br %c ? loop : exit
  node exit:
    %h = call.f80 @host(%t) clobbers=none
    %r = fadd.f80 %h, %t
    ret %r
}

proc @inverse(%x: f80) -> f80 {
  node n:
    %r = fdiv.f80 0x1p+0, %x
    ret %r
}
)");
  REQUIRE(file.diagnostics.empty());
  REQUIRE(verify(file.program).empty());
  constexpr std::size_t count = 20'000; // more than the pool has at first
  memory arrays;
  std::vector<std::uint64_t> elements;
  for (std::size_t i = 0; i != count; ++i) {
    elements.push_back(std::bit_cast<std::uint64_t>(static_cast<double>(3 * i + 1)));
  }
  const std::uint64_t a = arrays.add("a", type::f80, elements);
  scalar seen;
  run_options options;
  options.host = [&](const host_call& call) {
    seen = call.arguments[0];
    return host_answer::of(std::bit_cast<std::uint64_t>(0.5));
  };
  interpreter machine(file.program);
  const std::array arguments = {scalar{type::ptr, a}, integer_scalar(type::i64, count)};
  const auto run = machine.run(0, arguments, arrays, options);
  REQUIRE_FALSE(run.trap);
  extended_number sum = of(0);
  for (std::size_t i = 0; i != count; ++i) {
    sum = evaluate_extended(opcode::fadd, sum,
                            evaluate_extended(opcode::fdiv, of(1), of(static_cast<double>(3 * i + 1))));
    if (run.memory.element(0, type::f80, i) != extended_scalar(sum)) {
      FAIL_CHECK("element " << i);
    }
  }
  CHECK(seen == extended_scalar(sum));
  CHECK(run.value.value_or(scalar()) == extended_scalar(evaluate_extended(opcode::fadd, of(0.5), sum)));
  const std::array too_many = {scalar{type::ptr, a}, integer_scalar(type::i64, count + 1)};
  const auto trap = machine.run(0, too_many, arrays, options).trap;
  REQUIRE(trap.has_value());
  CHECK(trap->kind == trap_kind::bad_access);
}

TEST_CASE("extended numbers: the verifier") {
  const auto fault = [](const std::string& operation) {
    const auto file =
        parse("proc @f(%x: f80, %d: f64, %l: i64) {\n  node n:\n    %r = " + operation + "\n    ret\n}\n");
    return !file.diagnostics.empty() || !verify(file.program).empty();
  };
  for (const std::string right :
       {"fadd.f80 %x, 0x1p+0 assoc", "ftof.f80.f32 %x", "ftof.f64.f80 %d", "fneg.f80 %x", "mov.f80 undef"}) {
    CAPTURE(right);
    CHECK_FALSE(fault(right));
  }
  for (const std::string wrong : {"fma.f80 %x, %x, %x", "fadd.f80 %x, %d", "fadd.f64 %x, %d", "ftof.f80.f80 %x",
                                  "bitcast.f80.i64 %x", "zext.i64.f80 %l", "add.f80 %x, %x", "fadd.f80 %x, nan.0x1"}) {
    CAPTURE(wrong);
    CHECK(fault(wrong));
  }
}
