// evaluate, against its definition in integers that are wide enough to be exact.
#include <midend/ir/evaluate.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

namespace {

using midend::evaluation;
using midend::evaluation_fault;
using midend::operation;
using midend::operation_info;

__extension__ using wide = __int128;

wide power_of_two(std::uint64_t exponent) {
  return static_cast<wide>(1) << exponent;
}

/// The number that is meant, signed.
wide signed_number(std::uint64_t bits, unsigned width) {
  return bits >= static_cast<std::uint64_t>(power_of_two(width - 1)) ? static_cast<wide>(bits) - power_of_two(width)
                                                                     : static_cast<wide>(bits);
}

std::uint64_t wrapped(wide number, unsigned width) {
  const wide modulus = power_of_two(width);
  return static_cast<std::uint64_t>((number % modulus + modulus) % modulus);
}

bool fits_signed(wide number, unsigned width) {
  return number >= -power_of_two(width - 1) && number < power_of_two(width - 1);
}

bool fits_unsigned(wide number, unsigned width) {
  return number >= 0 && number < power_of_two(width);
}

wide floored_quotient(wide a, wide b) {
  const wide quotient = a / b;
  return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

/// A result that is exact in two ways, if what was promised holds.
evaluation promised(wide of_signed, wide of_unsigned, const operation_info& info) {
  if (info.flags.no_signed_wrap && !fits_signed(of_signed, info.width)) {
    return {0, evaluation_fault::signed_overflow};
  }
  if (info.flags.no_unsigned_wrap && !fits_unsigned(of_unsigned, info.width)) {
    return {0, evaluation_fault::unsigned_overflow};
  }
  return {wrapped(of_signed, info.width)};
}

/// The definition in `operation.hpp`, word for word. Products of 64 bits that do not fit 127 are avoided by the
/// callers.
evaluation by_definition(const operation_info& info, std::array<std::uint64_t, 3> args) {
  const unsigned width = info.width;
  const bool other_width = midend::is_comparison(info.code) || info.code == operation::sign_extend;
  const unsigned operand_width = other_width ? info.operand_width : width;
  const wide ua = static_cast<wide>(args[0]);
  const wide ub = static_cast<wide>(args[1]);
  const wide a = signed_number(args[0], operand_width);
  const wide b =
      midend::arity(info.code) > 1 && info.code != operation::select ? signed_number(args[1], operand_width) : 0;
  const auto truth = [](bool holds) { return evaluation{holds ? std::uint64_t{1} : 0}; };
  const bool is_shift = info.code == operation::shl || info.code == operation::shr || info.code == operation::sar ||
                        info.code == operation::shladd;
  if (is_shift && ub >= static_cast<wide>(width)) {
    return {0, evaluation_fault::shift_too_far};
  }
  const bool divides = info.code == operation::div || info.code == operation::udiv || info.code == operation::rem ||
                       info.code == operation::urem;
  if (divides && ub == 0) {
    return {0, evaluation_fault::division_by_zero};
  }
  if ((info.code == operation::div || info.code == operation::rem) && b == -1 && a == -power_of_two(width - 1)) {
    return {0, evaluation_fault::division_overflow};
  }
  switch (info.code) {
  case operation::other:
    return {0, evaluation_fault::unknown_operation};
  case operation::add:
    return promised(a + b, ua + ub, info);
  case operation::sub:
    return promised(a - b, ua - ub, info);
  case operation::mul:
    return promised(a * b, width == 64 ? 0 : ua * ub, info); // of 64 bits it may have 128
  case operation::neg:
    return promised(-a, -ua, info);
  case operation::shl:
    return promised(a * power_of_two(args[1]), ua * power_of_two(args[1]), info);
  case operation::shladd: { // a shift and an addition, each of which keeps what was promised
    const evaluation shifted = promised(a * power_of_two(args[1]), ua * power_of_two(args[1]), info);
    return shifted ? promised(signed_number(shifted.bits, width) + signed_number(args[2], width),
                              static_cast<wide>(shifted.bits) + static_cast<wide>(args[2]), info)
                   : shifted;
  }
  case operation::div:
    return {wrapped(a / b, width)}; // C++ rounds towards 0
  case operation::rem:
    return {wrapped(a - a / b * b, width)};
  case operation::udiv:
    return {wrapped(ua / ub, width)};
  case operation::urem:
    return {wrapped(ua % ub, width)};
  case operation::shr:
    return {wrapped(floored_quotient(ua, power_of_two(args[1])), width)};
  case operation::sar:
    return {wrapped(floored_quotient(a, power_of_two(args[1])), width)};
  case operation::bit_and:
    return {args[0] & args[1]};
  case operation::bit_or:
    return {args[0] | args[1]};
  case operation::bit_xor:
    return {args[0] ^ args[1]};
  case operation::bit_not:
    return {wrapped(-1 - a, width)};
  case operation::min:
    return {wrapped(a < b ? a : b, width)};
  case operation::max:
    return {wrapped(a > b ? a : b, width)};
  case operation::umin:
    return {wrapped(ua < ub ? ua : ub, width)};
  case operation::umax:
    return {wrapped(ua > ub ? ua : ub, width)};
  case operation::equal:
    return truth(a == b);
  case operation::not_equal:
    return truth(a != b);
  case operation::less:
    return truth(a < b);
  case operation::less_equal:
    return truth(a <= b);
  case operation::greater:
    return truth(a > b);
  case operation::greater_equal:
    return truth(a >= b);
  case operation::uless:
    return truth(ua < ub);
  case operation::uless_equal:
    return truth(ua <= ub);
  case operation::ugreater:
    return truth(ua > ub);
  case operation::ugreater_equal:
    return truth(ua >= ub);
  case operation::truncate:
    return {wrapped(ua, width)};
  case operation::zero_extend:
  case operation::copy:
    return {args[0]};
  case operation::sign_extend:
    return {wrapped(a, width)};
  case operation::select:
    return {args[0] == 1 ? args[1] : args[2]};
  case operation::shl_modulo:
    return {wrapped(ua * power_of_two(args[1] % info.operand_width), width)};
  case operation::shr_modulo:
    return {wrapped(floored_quotient(ua, power_of_two(args[1] % info.operand_width)), width)};
  case operation::sar_modulo:
    return {wrapped(floored_quotient(a, power_of_two(args[1] % info.operand_width)), width)};
  }
  return {};
}

constexpr int last_operation = static_cast<int>(midend::last_operation);

/// The operations that take and give numbers of one width.
bool is_of_one_width(operation code) {
  return code != operation::other && code != operation::truncate && code != operation::zero_extend &&
         code != operation::sign_extend && code != operation::select;
}

evaluation evaluated(const operation_info& info, const std::array<std::uint64_t, 3>& args) {
  return midend::evaluate(info, std::span(args).first(midend::arity(info.code)));
}

/// The number of arguments for which `evaluate` says something else, over all of `numbers`.
int disagreements(operation_info info, std::span<const std::uint64_t> numbers) {
  int wrong = 0;
  const std::span<const std::uint64_t> one = numbers.first(1);
  const unsigned operands = midend::arity(info.code);
  for (const std::uint64_t a : numbers) {
    for (const std::uint64_t b : operands > 1 ? numbers : one) {
      for (const std::uint64_t c : operands > 2 ? numbers : one) {
        wrong += evaluated(info, {a, b, c}) == by_definition(info, {a, b, c}) ? 0 : 1;
      }
    }
  }
  return wrong;
}

/// All operations of one width over these numbers, with and without promises.
void check_width(unsigned width, std::span<const std::uint64_t> numbers) {
  for (int k = 0; k <= last_operation; ++k) {
    const auto code = static_cast<operation>(k);
    if (!is_of_one_width(code)) {
      continue;
    }
    for (const bool no_signed_wrap : {false, true}) {
      for (const bool no_unsigned_wrap : {false, true}) {
        if (width == 64 && code == operation::mul && no_unsigned_wrap) {
          continue; // has a test of its own
        }
        operation_info info{code,
                            static_cast<std::uint8_t>(width),
                            static_cast<std::uint8_t>(width),
                            {no_signed_wrap, no_unsigned_wrap}};
        if (midend::is_comparison(code)) {
          info.width = 1;
        }
        CAPTURE(k);
        CAPTURE(width);
        CAPTURE(no_signed_wrap);
        CAPTURE(no_unsigned_wrap);
        CHECK(disagreements(info, numbers) == 0);
      }
    }
  }
}

std::vector<std::uint64_t> all_numbers(unsigned width) {
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t bits = 0; bits <= midend::low_ones(width); ++bits) {
    numbers.push_back(bits);
  }
  return numbers;
}

/// Numbers at which something changes.
std::vector<std::uint64_t> corners(unsigned width) {
  const std::uint64_t ones = midend::low_ones(width);
  const std::uint64_t least = std::uint64_t{1} << (width - 1);
  std::vector<std::uint64_t> numbers = {0, 1, 2, 3, 5, width - 1, width, width + 1};
  for (const std::uint64_t n : {least - 2, least - 1, least, least + 1, ones - 2, ones - 1, ones, ones / 3}) {
    numbers.push_back(n & ones);
  }
  numbers.push_back(std::uint64_t{1} << (width / 2));
  numbers.push_back((std::uint64_t{1} << (width / 2)) - 1);
  numbers.push_back((std::uint64_t{1} << (width / 2 - 1)) + 1);
  return numbers;
}

} // namespace

TEST_CASE("evaluate: all operands of 1 to 5 bits") {
  for (unsigned width = 1; width <= 5; ++width) {
    check_width(width, all_numbers(width));
  }
}

TEST_CASE("evaluate: corners of 8, 16, 32 and 64 bits") {
  for (const unsigned width : {8u, 16u, 32u, 64u}) {
    check_width(width, corners(width));
  }
}

TEST_CASE("evaluate: shifts by an amount modulo another number than the width") {
  for (const operation code : {operation::shl_modulo, operation::shr_modulo, operation::sar_modulo}) {
    for (std::uint8_t width = 1; width <= 5; ++width) {
      for (std::uint8_t modulus = 1; modulus <= 40; ++modulus) {
        CHECK(disagreements({code, width, modulus, {}}, all_numbers(width)) == 0);
      }
    }
    for (const std::uint8_t width : {std::uint8_t{8}, std::uint8_t{16}, std::uint8_t{32}}) {
      CHECK(disagreements({code, width, 32, {}}, corners(width)) == 0);
    }
    for (std::uint64_t amount = 0; amount != 600; ++amount) { // the amount is read whole
      CHECK(evaluated({code, 8, 8, {}}, {0xb5, amount, 0}) == evaluated({code, 8, 8, {}}, {0xb5, amount % 8, 0}));
      CHECK(evaluated({code, 8, 32, {}}, {0xb5, amount, 0}) == evaluated({code, 8, 32, {}}, {0xb5, amount % 32, 0}));
    }
  }
  CHECK(evaluated({operation::shl_modulo, 32, 32, {}}, {1, 33, 0}).bits == 2);     // Java, libfirm, x86
  CHECK(evaluated({operation::shl_modulo, 8, 32, {}}, {1, 9, 0}).bits == 0);       // x86's shl of 8 bits
  CHECK(evaluated({operation::sar_modulo, 8, 32, {}}, {0x80, 9, 0}).bits == 0xff); // x86's sar of 8 bits
  CHECK(evaluated({operation::shl, 32, 32, {}}, {1, 33, 0}).fault == evaluation_fault::shift_too_far); // as before
}

TEST_CASE("evaluate: conversions") {
  for (unsigned narrow = 1; narrow <= 5; ++narrow) {
    for (unsigned large = narrow + 1; large <= 7; ++large) {
      const auto low = static_cast<std::uint8_t>(narrow);
      const auto high = static_cast<std::uint8_t>(large);
      CHECK(disagreements({operation::truncate, low, high, {}}, all_numbers(large)) == 0);
      CHECK(disagreements({operation::zero_extend, high, low, {}}, all_numbers(narrow)) == 0);
      CHECK(disagreements({operation::sign_extend, high, low, {}}, all_numbers(narrow)) == 0);
    }
  }
  CHECK(evaluated({operation::sign_extend, 64, 32, {}}, {0x8000'0000, 0, 0}).bits == 0xffff'ffff'8000'0000);
  CHECK(evaluated({operation::zero_extend, 64, 32, {}}, {0x8000'0000, 0, 0}).bits == 0x8000'0000);
  CHECK(evaluated({operation::truncate, 32, 64, {}}, {0x1234'5678'9abc'def0, 0, 0}).bits == 0x9abc'def0);
  CHECK(evaluated({operation::truncate, 1, 64, {}}, {2, 0, 0}).bits == 0);
}

TEST_CASE("evaluate: operands of another width count modulo 2^read_width; shift amounts and conditions count whole") {
  int wrong = 0;
  for (int k = 1; k <= last_operation; ++k) {
    for (std::uint8_t width = 1; width <= 3; ++width) {
      for (std::uint8_t from = 1; from <= 3; ++from) {
        const operation_info info{static_cast<operation>(k), width, from, {}};
        for (std::uint64_t bits = 0; bits != 512; ++bits) { // three operands of 3 bits
          const std::array<std::uint64_t, 3> args{(bits & 7) | 0x80, (bits >> 3 & 7) | 8, bits >> 6};
          std::array<std::uint64_t, 3> low = args;
          for (unsigned i = 0; i != 3; ++i) {
            low[i] &=
                midend::reads_whole(info.code, i) ? ~std::uint64_t{0} : midend::low_ones(midend::read_width(info));
          }
          const evaluation found = evaluated(info, args);
          wrong += found == evaluated(info, low) && found.bits <= midend::low_ones(width) ? 0 : 1;
        }
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(evaluated({operation::equal, 32, 32, {}}, {0x7'0000'0005, 5, 0}).bits == 1);
  CHECK(evaluated({operation::shl, 8, 8, {}}, {1, 256, 0}).fault == evaluation_fault::shift_too_far);
  CHECK(evaluated({operation::select, 8, 8, {}}, {256, 7, 9}).bits == 7);
}

TEST_CASE("evaluate: select") {
  CHECK(evaluated({operation::select, 8, 8, {}}, {1, 7, 9}).bits == 7);
  CHECK(evaluated({operation::select, 8, 8, {}}, {0, 7, 9}).bits == 9);
}

TEST_CASE("evaluate: unsigned products of 64 bits") {
  const operation_info info{operation::mul, 64, 64, {false, true}};
  for (const std::uint64_t a : corners(64)) {
    for (const std::uint64_t b : corners(64)) {
      const bool fits = b == 0 || a <= ~std::uint64_t{0} / b;
      const evaluation expected = fits ? evaluation{a * b} : evaluation{0, evaluation_fault::unsigned_overflow};
      CHECK(evaluated(info, {a, b, 0}) == expected);
    }
  }
}

TEST_CASE("evaluate: what is not in the vocabulary has no result") {
  CHECK(midend::evaluate({}, {}).fault == evaluation_fault::unknown_operation);
}

namespace {

constexpr std::uint64_t constant_sum() {
  const std::uint64_t args[] = {200, 100};
  return midend::evaluate({operation::add, 8, 8, {}}, args).bits;
}

static_assert(constant_sum() == 44);

} // namespace
