// Literals of the Elbrus-like IR: bits to text and back are the same, and numbers that do not fit are refused.
#include "kit/test_graph.hpp"

#include <midend/elbrus/literal.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

using namespace midend::elbrus;
using midend_tests::random_source;

namespace {

constexpr type all_types[] = {type::i1, type::i8, type::i16, type::i32, type::i64, type::f32, type::f64, type::ptr};

void check_round_trip(type t, std::uint64_t bits) {
  const std::string text = literal_text(t, bits);
  const literal again = parse_literal(text, t);
  if (again.fault != literal_fault::none || again.bits != bits) {
    FAIL_CHECK(name_of(t), " ", bits, " is written as ", text, " and read as ", again.bits);
  }
}

std::string fault_of(std::string_view text, type t) {
  switch (parse_literal(text, t).fault) {
  case literal_fault::none:
    return "none";
  case literal_fault::malformed:
    return "malformed";
  case literal_fault::out_of_range:
    break;
  }
  return "out of range";
}

} // namespace

TEST_CASE("literals: every number of up to 16 bits comes back") {
  for (const type t : {type::i1, type::i8, type::i16}) {
    for (std::uint64_t bits = 0; bits <= midend::low_ones(width_of(t)); ++bits) {
      check_round_trip(t, bits);
    }
  }
}

TEST_CASE("literals: edges and random bits of the wide types come back") {
  random_source random(1);
  for (const type t : all_types) {
    const std::uint64_t ones = midend::low_ones(width_of(t));
    for (unsigned shift = 0; shift != width_of(t); ++shift) {
      for (const std::uint64_t near : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
        check_round_trip(t, ((std::uint64_t{1} << shift) + near) & ones);
        check_round_trip(t, (~(std::uint64_t{1} << shift) + near) & ones);
      }
    }
    for (int i = 0; i != 20000; ++i) {
      check_round_trip(t, random.next() & ones);
    }
  }
}

TEST_CASE("literals: every exponent, with the edges of the fraction") {
  for (const std::uint64_t sign : {std::uint64_t{0}, std::uint64_t{1}}) {
    for (std::uint64_t exponent = 0; exponent != 2048; ++exponent) {
      for (const std::uint64_t fraction :
           {0ULL, 1ULL, 2ULL, 0x7ffffULL << 32, 0xf'ffff'ffff'ffffULL, 0x8'0000'0000'0000ULL}) {
        check_round_trip(type::f64, sign << 63 | exponent << 52 | fraction);
        if (exponent < 256) {
          check_round_trip(type::f32, sign << 31 | exponent << 23 | fraction >> 29);
        }
      }
    }
  }
}

TEST_CASE("literals: how they are written") {
  CHECK(literal_text(type::i1, 1) == "1");
  CHECK(literal_text(type::i8, 0xff) == "-1");
  CHECK(literal_text(type::i64, 0x8000'0000'0000'0000) == "-9223372036854775808");
  CHECK(literal_text(type::ptr, 0xffff) == "65535");
  CHECK(literal_text(type::ptr, 0x10000) == "0x10000");
  CHECK(literal_text(type::f64, std::bit_cast<std::uint64_t>(3.0)) == "0x1.8p+1");
  CHECK(literal_text(type::f32, 0x8000'0000) == "-0x0p+0");
  CHECK(literal_text(type::f32, 0x7f80'0000) == "inf");
  CHECK(literal_text(type::f64, 0xfff0'0000'0000'0000) == "-inf");
  CHECK(literal_text(type::f64, 0x7ff8'0000'0000'0000) == "nan");
  CHECK(literal_text(type::f32, 0xffc0'0000) == "-nan");
  CHECK(literal_text(type::f32, 0x7f80'0001) == "nan.0x1");
}

TEST_CASE("literals: what can be read") {
  CHECK(parse_literal("0x7F", type::i8).bits == 0x7f);
  CHECK(parse_literal("255", type::i8).bits == 0xff);
  CHECK(parse_literal("-0x80", type::i8).bits == 0x80);
  CHECK(parse_literal("-1", type::i1).bits == 1);
  CHECK(parse_literal("-0", type::i32).bits == 0);
  CHECK(parse_literal("18446744073709551615", type::i64).bits == ~std::uint64_t{0});
  CHECK(parse_literal("1", type::f64).bits == std::bit_cast<std::uint64_t>(1.0));
  CHECK(parse_literal("0x10", type::f64).bits == std::bit_cast<std::uint64_t>(16.0));
  for (const char* const text :
       {"0.1", "1e10", "1.5e-3", "2.2250738585072014e-308", "4.9e-324", "1e+300", "9007199254740993"}) {
    CHECK(parse_literal(text, type::f64).bits == std::bit_cast<std::uint64_t>(std::strtod(text, nullptr)));
  }
  for (const char* const text : {"0.1", "16777217", "1e-45", "3.4028235e38"}) {
    CHECK(parse_literal(text, type::f32).bits == std::bit_cast<std::uint32_t>(std::strtof(text, nullptr)));
  }
}

TEST_CASE("literals: what cannot") {
  for (const char* const text : {"256", "-129", "0x100", "18446744073709551616", "99999999999999999999999999"}) {
    CHECK(fault_of(text, type::i8) == "out of range");
  }
  for (const char* const text :
       {"", "-", "--1", "+1", "1.0", "0x", "0xg", "1x", "inf", "nan", "1 ", " 1", "-nan", "0x-1"}) {
    CHECK(fault_of(text, type::i8) == "malformed");
  }
  for (const char* const text : {"", "-", "--1", "+1", "1e", "1.5.2", "0x", "0xinf", "0x1p", "infinity", "nan.",
                                 "nan.0xg", "nanx", "nan(1)", "x"}) {
    CHECK(fault_of(text, type::f64) == "malformed");
  }
  for (const char* const text : {"1e400", "1e-400", "0x1p+2000", "nan.0", "nan.0x10000000000000"}) {
    CHECK(fault_of(text, type::f64) == "out of range");
  }
  CHECK(fault_of("2", type::i1) == "out of range");
  CHECK(fault_of("-2", type::i1) == "out of range");
  CHECK(fault_of("nan.0x800000", type::f32) == "out of range");
  CHECK(fault_of("1", type::none) == "malformed");
}

namespace {

/// Text of a number that needs many digits: the exact value of a double, or the middle between it and the next one.
std::string exact_text(double value) {
  char text[1100];
  const int size = std::snprintf(text, sizeof text, "%.1080e", value);
  return {text, static_cast<std::size_t>(size)};
}

std::uint64_t read(std::string_view text, type t) {
  const literal number = parse_literal(text, t);
  CHECK_MESSAGE(number.fault == literal_fault::none, std::string(text));
  return number.bits;
}

void check_against_strtod(const std::string& text) {
  const double expected = std::strtod(text.c_str(), nullptr);
  const literal found = parse_literal(text, type::f64);
  if (expected == 0 || expected - expected != 0) {
    CHECK_MESSAGE(found.fault == literal_fault::out_of_range, text);
  } else {
    CHECK_MESSAGE(found.bits == std::bit_cast<std::uint64_t>(expected), text);
  }
  const float narrow = std::strtof(text.c_str(), nullptr);
  const literal found_narrow = parse_literal(text, type::f32);
  if (narrow == 0 || narrow - narrow != 0) {
    CHECK_MESSAGE(found_narrow.fault == literal_fault::out_of_range, text);
  } else {
    CHECK_MESSAGE(found_narrow.bits == std::bit_cast<std::uint32_t>(narrow), text);
  }
}

} // namespace

TEST_CASE("literals: decimal and hexadecimal numbers are rounded as strtod rounds them") {
  random_source random(3);
  for (int i = 0; i != 6000; ++i) {
    std::string text(1, static_cast<char>('1' + random.below(9)));
    const auto digits = random.below(i % 50 == 0 ? 900 : 30);
    for (std::uint64_t d = 0; d != digits; ++d) {
      text += static_cast<char>('0' + random.below(10));
    }
    text.insert(1 + random.below(static_cast<std::uint32_t>(text.size())), ".");
    text += 'e' + std::to_string(static_cast<int>(random.below(i % 2 == 0 ? 700 : 90)) - (i % 2 == 0 ? 360 : 45));
    check_against_strtod(text);
  }
  for (int i = 0; i != 4000; ++i) {
    std::string text = "0x";
    const auto digits = 1 + random.below(40);
    for (std::uint64_t d = 0; d != digits; ++d) {
      text += "0123456789abcdef"[d == 0 ? 1 + random.below(15) : random.below(16)];
    }
    text.insert(3 + random.below(static_cast<std::uint32_t>(digits)), ".");
    text += 'p' + std::to_string(static_cast<int>(random.below(2400)) - 1250);
    check_against_strtod(text);
  }
}

TEST_CASE("literals: exact decimal values, the numbers halfway between two, and what is just above") {
  for (const double value : {1.0, 1.5, 0.1, 4.9406564584124654e-324, 2.2250738585072009e-308, 2.2250738585072014e-308,
                             1.7976931348623157e308, 9007199254740993.0, 123456789.125, 5e-320}) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
    const std::string text = exact_text(value);
    CHECK(read(text, type::f64) == bits);
    std::string above = text; // a digit that a reader of few digits does not see
    above[above.find('e') - 1] = '1';
    CHECK(read(above, type::f64) == bits);
  }
  // 2^53 + 1 and 2^53 + 3 lie halfway, and go to even.
  CHECK(read("9007199254740993", type::f64) == std::bit_cast<std::uint64_t>(9007199254740992.0));
  CHECK(read("9007199254740995", type::f64) == std::bit_cast<std::uint64_t>(9007199254740996.0));
  CHECK(read("9007199254740993." + std::string(2000, '0') + "1", type::f64) ==
        std::bit_cast<std::uint64_t>(9007199254740994.0));
  CHECK(read("0x1.00000000000008p+0", type::f64) == std::bit_cast<std::uint64_t>(1.0));
  CHECK(read("0x1.00000000000018p+0", type::f64) == std::bit_cast<std::uint64_t>(0x1.0000000000002p+0));
  CHECK(read("0x1.00000000000008" + std::string(900, '0') + "1p+0", type::f64) ==
        std::bit_cast<std::uint64_t>(0x1.0000000000001p+0));
  // Half the smallest number rounds to 0, which is out of range; anything more does not.
  CHECK(fault_of("0x1p-1075", type::f64) == "out of range");
  CHECK(read("0x1.0000000000001p-1075", type::f64) == 1);
  CHECK(fault_of("0x1p-150", type::f32) == "out of range");
  CHECK(read("0x1.8p-150", type::f32) == 1);
  // The largest number and what rounds to it.
  CHECK(read("0x1.fffffffffffff7ffffffffp+1023", type::f64) == 0x7fef'ffff'ffff'ffff);
  CHECK(fault_of("0x1.fffffffffffff8p+1023", type::f64) == "out of range");
  CHECK(fault_of("179769313486231580794" + std::string(288, '0'), type::f64) == "out of range");
  CHECK(read("0." + std::string(3000, '0') + "1e3001", type::f64) == std::bit_cast<std::uint64_t>(1.0));
  CHECK(read("1" + std::string(3000, '0') + "e-3000", type::f64) == std::bit_cast<std::uint64_t>(1.0));
  CHECK(read("0e99999999999999999999", type::f64) == 0);
  CHECK(fault_of("1e99999999999999999999", type::f64) == "out of range");
  CHECK(fault_of("1e-99999999999999999999", type::f64) == "out of range");
  CHECK(fault_of("0,5", type::f64) == "malformed");
  CHECK(fault_of("1e+-1", type::f64) == "malformed");
  CHECK(fault_of("1.2.3", type::f64) == "malformed");
}
