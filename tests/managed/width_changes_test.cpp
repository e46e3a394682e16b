#include "kit/run_low_level.hpp"
#include "kit/run_text.hpp"
#include "managed/evaluate_order.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/text/printer.hpp>
#include <midend/package/managed_package.hpp>
#include <midend/package/width_changes.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

using namespace midend_tests;
using midend::operation;
using midend::operation_info;
using midend::order_kind;

namespace {

constexpr operation conversions[] = {operation::truncate, operation::zero_extend, operation::sign_extend};
constexpr unsigned widths[] = {1, 3, 5, 8};

operation_info conversion(operation code, unsigned to, unsigned from) {
  return {code, static_cast<std::uint8_t>(to), static_cast<std::uint8_t>(from), {}};
}

bool is_conversion(operation code, unsigned to, unsigned from) {
  return code == operation::truncate ? to < from : to > from;
}

std::uint64_t value_of(const operation_info& info, std::uint64_t a, std::uint64_t b = 0) {
  const std::uint64_t operands[] = {a, b};
  const midend::evaluation e =
      midend::evaluate(info, midend::span<const std::uint64_t>(operands, midend::arity(info.code)));
  CHECK(e);
  return e.bits;
}

std::optional<std::uint64_t> result_of(const midend::package_order& order, std::uint64_t a, std::uint64_t b = 0) {
  const std::uint64_t values[] = {a, b};
  return evaluate_order(order, midend::span<const std::uint64_t>(values, 2));
}

} // namespace

TEST_CASE("convert_once: all conversions of conversions of up to 8 bits") {
  std::size_t rules = 0;
  std::size_t wrong = 0;
  for (const operation outer : conversions) {
    for (const operation inner : conversions) {
      for (const unsigned from : widths) {
        for (const unsigned middle : widths) {
          for (const unsigned to : widths) {
            if (!is_conversion(inner, middle, from) || !is_conversion(outer, to, middle)) {
              continue;
            }
            const operation_info a = conversion(inner, middle, from);
            const operation_info b = conversion(outer, to, middle);
            const midend::package_order order = midend::convert_once(b, a, 0);
            rules += order.kind != order_kind::none ? 1u : 0u;
            for (std::uint64_t x = 0; order.kind != order_kind::none && x >> from == 0; ++x) {
              wrong += result_of(order, x) == value_of(b, value_of(a, x)) ? 0u : 1u;
            }
          }
        }
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(rules == 44);
}

TEST_CASE("extended_sum, extend_natural and extend_truncated: all numbers of 5 bits, all bounds, promises") {
  constexpr unsigned narrow = 5;
  constexpr unsigned wide = 8;
  const std::uint64_t all = midend::low_ones(narrow);
  std::size_t sums = 0;
  std::size_t natural = 0;
  std::size_t truncated = 0;
  for (const operation code : {operation::zero_extend, operation::sign_extend}) {
    const operation_info extension = conversion(code, wide, narrow);
    for (std::uint64_t x = 0; x <= all; ++x) {
      for (std::uint64_t bound = 0; bound <= all; ++bound) { // x to bound, or bound to x, unsigned and signed
        midend::number_facts facts = midend::number_facts::any(narrow);
        facts.least = std::min(x, bound);
        facts.most = std::max(x, bound);
        const std::int64_t s = midend::as_signed(x, narrow);
        const std::int64_t t = midend::as_signed(bound, narrow);
        facts.low = std::min(s, t);
        facts.high = std::max(s, t);
        REQUIRE(facts.contains(narrow, x));
        if (const auto order = midend::extend_natural(extension, 0, facts); order.kind != order_kind::none) {
          ++natural;
          CHECK(result_of(order, x) == value_of(extension, x));
        }
        for (std::uint64_t by = 0; by <= all; ++by) {
          for (const midend::operation_flags promises :
               {midend::operation_flags(), midend::operation_flags{true, false},
                midend::operation_flags{false, true}}) {
            const auto order = midend::extended_sum(extension, 0, by, promises, facts);
            const std::uint64_t operands[] = {x, by};
            const midend::evaluation sum = midend::evaluate({operation::add, narrow, narrow, promises},
                                                            midend::span<const std::uint64_t>(operands, 2));
            if (order.kind != order_kind::none && sum) {
              ++sums;
              const auto result = result_of(order, x);
              if (result != value_of(extension, sum.bits)) {
                CHECK_MESSAGE(false, x, " + ", by, ", bound ", bound);
              }
            }
          }
        }
      }
    }
    const operation_info truncation = conversion(operation::truncate, narrow, wide);
    for (std::uint64_t x = 0; x <= midend::low_ones(wide); ++x) {
      for (std::uint64_t bound = 0; bound <= midend::low_ones(wide); ++bound) {
        midend::number_facts facts = midend::number_facts::any(wide);
        facts.least = std::min(x, bound);
        facts.most = std::max(x, bound);
        facts.low = std::min(midend::as_signed(x, wide), midend::as_signed(bound, wide));
        facts.high = std::max(midend::as_signed(x, wide), midend::as_signed(bound, wide));
        if (const auto order = midend::extend_truncated(extension, truncation, 0, facts);
            order.kind != order_kind::none) {
          ++truncated;
          CHECK(value_of(extension, value_of(truncation, x)) == x);
        }
      }
    }
  }
  CHECK(sums > 10'000);
  CHECK(natural > 200);
  CHECK(truncated > 1000);
}

TEST_CASE("compare_narrow: all comparisons of extended numbers of up to 6 bits") {
  std::size_t rules = 0;
  std::size_t decided = 0;
  std::size_t wrong = 0;
  for (auto code = static_cast<unsigned>(operation::equal); code <= static_cast<unsigned>(operation::ugreater_equal);
       ++code) {
    for (const operation extends : {operation::zero_extend, operation::sign_extend}) {
      for (const unsigned from : {1u, 3u, 5u}) {
        const unsigned to = from + 1;
        const operation_info inner = conversion(extends, to, from);
        const operation_info comparison = conversion(static_cast<operation>(code), 1, to);
        const midend::package_order both = midend::compare_narrow(comparison, inner, 0, 1);
        REQUIRE(both.kind == order_kind::tree);
        for (std::uint64_t x = 0; x >> from == 0; ++x) {
          for (std::uint64_t y = 0; y >> from == 0; ++y) {
            wrong += result_of(both, x, y) == value_of(comparison, value_of(inner, x), value_of(inner, y)) ? 0u : 1u;
          }
        }
        for (std::uint64_t c = 0; c >> to == 0; ++c) {
          const midend::package_order order = midend::compare_narrow_with(comparison, inner, 0, c);
          rules += order.kind == order_kind::tree ? 1u : 0u;
          decided += order.kind == order_kind::constant ? 1u : 0u;
          for (std::uint64_t x = 0; order.kind != order_kind::none && x >> from == 0; ++x) {
            wrong += result_of(order, x) == value_of(comparison, value_of(inner, x), c) ? 0u : 1u;
          }
        }
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(rules == 840);
  CHECK(decided == 672);
  for (const operation code : {operation::equal, operation::not_equal}) {
    for (std::uint64_t c = 0; c != 2; ++c) {
      const operation_info comparison = conversion(code, 1, 1);
      CHECK(result_of(midend::compare_bit(comparison, 0, c), 0) == value_of(comparison, 0, c));
      CHECK(result_of(midend::compare_bit(comparison, 0, c), 1) == value_of(comparison, 1, c));
    }
  }
}

TEST_CASE("compute_narrow and mask_extended: all numbers of few bits") {
  std::size_t wrong = 0;
  std::size_t rules = 0;
  for (auto code = static_cast<unsigned>(operation::add); code <= static_cast<unsigned>(operation::bit_xor); ++code) {
    const midend::package_order order = midend::compute_narrow(
        4, static_cast<operation>(code), midend::order_operand::value(0), midend::order_operand::value(1));
    if (order.kind == order_kind::none) {
      continue;
    }
    ++rules;
    const operation_info wide{static_cast<operation>(code), 7, 7, {}};
    for (std::uint64_t x = 0; x != 128; ++x) {
      for (std::uint64_t y = 0; y != 128; ++y) {
        wrong += result_of(order, x & 15, y & 15) == (value_of(wide, x, y) & 15) ? 0u : 1u;
      }
    }
  }
  CHECK(rules == 6);
  for (const operation extends : {operation::zero_extend, operation::sign_extend}) {
    const operation_info inner = conversion(extends, 8, 5);
    for (std::uint64_t mask = 0; mask != 256; ++mask) {
      const midend::package_order order = midend::mask_extended(inner, 0, mask);
      rules += order.kind != order_kind::none ? 1u : 0u;
      for (std::uint64_t x = 0; order.kind != order_kind::none && x != 32; ++x) {
        wrong += result_of(order, x) == (value_of(inner, x) & mask) ? 0u : 1u;
      }
    }
  }
  CHECK(rules == 6 + 8 + 1);
  CHECK(wrong == 0);
}

TEST_CASE("possible_bits: the bits of all results of 3 bits, and of shifts of 8 bits") {
  const auto within = [](std::uint64_t bits, std::uint64_t x) { return (x & ~bits) == 0; };
  std::size_t wrong = 0;
  std::size_t fewer = 0;
  for (const operation code : {operation::bit_and, operation::bit_or, operation::bit_xor, operation::add}) {
    const midend::operation_info info{code, 3, 3, {}};
    for (std::uint64_t pair = 0; pair != 64; ++pair) {
      const std::uint64_t bits[3] = {pair % 8, pair / 8, 0};
      std::uint64_t seen = 0;
      for (std::uint64_t values = 0; values != 64; ++values) {
        const std::uint64_t operands[] = {values % 8, values / 8};
        if (within(bits[0], operands[0]) && within(bits[1], operands[1])) {
          seen |= midend::evaluate(info, operands).bits;
        }
      }
      const std::uint64_t possible = midend::possible_bits(info, bits);
      wrong += code == operation::add ? possible != 7 : possible != seen;
      fewer += possible != 7 ? 1U : 0U;
    }
  }
  for (const operation code : {operation::shl, operation::shr}) {
    for (std::uint64_t places = 0; places != 10; ++places) {
      for (std::uint64_t of = 0; of != 256; ++of) {
        const std::uint64_t bits[3] = {of, places, 0};
        const std::uint64_t moved = (code == operation::shl ? of << places : of >> places) & 255;
        const std::uint64_t expected = places < 8 ? moved : 255;
        wrong += midend::possible_bits({code, 8, 8, {}}, bits) != expected ? 1U : 0U;
      }
    }
  }
  CHECK(midend::possible_bits(conversion(operation::truncate, 4, 8), {0xa5, 0, 0}) == 5);
  CHECK(midend::possible_bits(conversion(operation::zero_extend, 8, 4), {0xa, 0, 0}) == 0xa);
  CHECK(midend::possible_bits(conversion(operation::sign_extend, 8, 4), {0xa, 0, 0}) == 255);
  CHECK(midend::possible_bits({operation::select, 4, 4, {}}, {1, 2, 4}) == 6);
  CHECK(wrong == 0);
  CHECK(fewer > 64);
}

TEST_CASE("low_level_package: rules that change the width") {
  struct example {
    std::string_view operations; ///< %r: i32 of %x: i8, %y: i8, %w: i32
    std::string_view made;       ///< a part of the text after the package
    std::string_view gone;
  };

  const example examples[] = {
      {"%a = zext.i8.i32 %x\n %b = trunc.i32.i8 %a\n %r = sext.i8.i32 %b", "sext.i8.i32 %x", "trunc"},
      {"%a = sext.i8.i16 %x\n %r = sext.i16.i32 %a", "sext.i8.i32 %x", "i16"},
      {"%a = zext.i8.i16 %x\n %r = sext.i16.i32 %a", "zext.i8.i32 %x", "i16"},
      {"%a = trunc.i32.i8 %w\n %r = zext.i8.i32 %a", "zext.i8.i32 %a", "and"},
      {"%a = sext.i8.i32 %x\n %r = and.i32 255, %a", "zext.i8.i32 %x", "sext"},
      {"%a = zext.i8.i32 %x\n %b = zext.i8.i32 %y\n %c = cmp.lt.i32 %a, %b\n %r = zext.i1.i32 %c", "cmp.ult.i8 %x, %y",
       "i8.i32"},
      {"%a = sext.i8.i32 %x\n %c = cmp.gt.i32 -3, %a\n %r = zext.i1.i32 %c", "cmp.lt.i8 %x, -3", "i8.i32"},
      {"%a = sext.i8.i32 %x\n %c = cmp.gt.i32 %a, 128\n %r = zext.i1.i32 %c", "ret 0", "cmp"},
      {"%a = sext.i8.i32 %x\n %c = cmp.ult.i32 %a, 300\n %r = zext.i1.i32 %c", "cmp.ult.i32 %a, 300", "cmp.ult.i8"},
      {"%p = cmp.lt.i8 %x, %y\n %a = zext.i1.i32 %p\n %c = cmp.eq.i32 %a, 0\n %r = zext.i1.i32 %c", "cmp.ge.i8 %x, %y",
       "cmp.eq"},
      {"%p = cmp.lt.i8 %x, %y\n %a = zext.i1.i32 %p\n %c = cmp.ne.i32 %a, 0\n %r = zext.i1.i32 %c", "cmp.lt.i8 %x, %y",
       "cmp.ne"},
      {"%a = zext.i8.i32 %x\n %b = sext.i8.i32 %y\n %c = mul.i32 %a, %b\n %d = trunc.i32.i8 %c\n %r = sext.i8.i32 %d",
       "mul.i8 %x, %y", "mul.i32"},
      {"%a = zext.i8.i32 %x\n %c = sub.i32 300, %a\n %d = trunc.i32.i8 %c\n %r = sext.i8.i32 %d", "sub.i8 44, %x",
       "sub.i32"},
      {"%a = shr.i32 %w, 28\n %b = trunc.i32.i8 %a\n %c = and.i8 %b, 79\n %r = zext.i8.i32 %c", "zext.i8.i32 %b",
       "and"},
      {"%a = shr.i32 %w, 27\n %b = trunc.i32.i8 %a\n %c = and.i8 15, %b\n %r = zext.i8.i32 %c", "and.i8", "and.i32"},
      {"%a = and.i32 %w, 7\n %b = trunc.i32.i8 %a\n %c = and.i8 %b, 15\n %r = zext.i8.i32 %c", "zext.i8.i32 %b",
       "and.i8"},
      {"%p = cmp.lt.i8 %x, %y\n %a = and.i32 %w, 12\n %b = select.i32 %p, 3, %a\n %r = and.i32 %b, 15", "ret %b",
       ", 15"},
      {"%p = cmp.lt.i8 %x, %y\n %a = and.i32 %w, 12\n %b = select.i32 %p, 3, %a\n %r = and.i32 %b, 14", "%b, 14",
       "ret %b"},
      {"%a = and.i32 %w, 12\n %b = or.i32 %a, 1\n %r = and.i32 13, %b", "ret %b", "13"},
      {"%a = and.i32 %w, 12\n %b = add.i32 %a, 1\n %r = and.i32 13, %b", "and.i32", "ret %b"},
      {"%a = sar.i32 %w, 28\n %b = trunc.i32.i8 %a\n %c = and.i8 15, %b\n %r = zext.i8.i32 %c", "and.i8", "and.i32"},
  };
  for (const example& e : examples) {
    std::string text = "proc @f(%x: i8, %y: i8, %w: i32) -> i32 {\n node entry:\n ";
    text += e.operations;
    text += "\n ret %r\n}";
    const midend::elbrus::program before = program_of(text);
    midend::elbrus::program after = before;
    static_cast<void>(run_low_level(after.procedures[0]));
    const std::string made = midend::elbrus::to_text(after.procedures[0]);
    CHECK_MESSAGE(made.find(e.made) != std::string::npos, text, "\n", made);
    CHECK_MESSAGE(made.find(e.gone) == std::string::npos, text, "\n", made);
    for (const std::int64_t x : {0, 1, 44, 127, -1, -3, -4, -128}) {
      const midend::elbrus::scalar arguments[] = {midend::elbrus::integer_scalar(midend::elbrus::type::i8, x),
                                                  midend::elbrus::integer_scalar(midend::elbrus::type::i8, 5 - x / 2),
                                                  midend::elbrus::integer_scalar(midend::elbrus::type::i32, x * 12345)};
      const midend::elbrus::run_result a = midend::elbrus::interpreter(before).run(0, arguments);
      const midend::elbrus::run_result b = midend::elbrus::interpreter(after).run(0, arguments);
      CHECK_MESSAGE((!a.trap && !b.trap && a.value == b.value), x, "\n", made);
    }
  }
}
