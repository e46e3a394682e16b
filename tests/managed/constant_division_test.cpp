#include "kit/affordable.hpp"
#include "kit/run_low_level.hpp"
#include "kit/run_text.hpp"
#include "kit/test_graph.hpp"
#include "managed/evaluate_order.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/text/printer.hpp>
#include <midend/package/constant_division.hpp>
#include <midend/package/managed_package.hpp>

#include <cstdint>
#include <string>

using namespace midend_tests;
using midend::operation;
using midend::operation_info;

namespace {

constexpr operation divisions[] = {operation::div, operation::udiv, operation::rem, operation::urem};

/// Whether the tree for a divisor computes what the division does. Counts the trees.
bool divides(operation code, unsigned width, std::uint64_t x, std::uint64_t d, const midend::package_order& order) {
  const std::uint64_t operands[] = {x, d};
  const midend::evaluation wanted = midend::evaluate({code, static_cast<std::uint8_t>(width), 64, {}},
                                                     midend::span<const std::uint64_t>(operands, 2));
  const std::optional<std::uint64_t> is = evaluate_order(order, midend::span<const std::uint64_t>(operands, 2));
  return wanted && is == wanted.bits;
}

midend::package_order tree_for(operation code, unsigned width, std::uint64_t d) {
  return midend::divide_by_literal({code, static_cast<std::uint8_t>(width), 64, {}}, midend::order_operand::value(0),
                                   d);
}

} // namespace

TEST_CASE("divide_by_literal: all dividends and divisors of 2 to 8 bits") {
  for (const operation code : divisions) {
    for (unsigned width = 2; width <= 8; ++width) {
      std::size_t trees = 0;
      std::size_t wrong = 0;
      for (std::uint64_t d = 0; d >> width == 0; ++d) {
        const midend::package_order order = tree_for(code, width, d);
        if (order.kind == midend::order_kind::none) {
          continue;
        }
        ++trees;
        for (std::uint64_t x = 0; x >> width == 0; ++x) {
          wrong += divides(code, width, x, d, order) ? 0u : 1u;
        }
      }
      CHECK_MESSAGE(wrong == 0, "operation ", static_cast<int>(code), ", ", width, " bits: ", wrong);
      const bool is_signed = code == operation::div || code == operation::rem;
      CHECK(trees == (std::size_t{1} << width) - (is_signed ? 3 : 2)); // 0, 1, -1
    }
  }
}

TEST_CASE("divide_by_literal: numbers of 9 to 32 bits") {
  random_source random(1994);
  std::size_t with_sum = 0;
  for (const operation code : divisions) {
    for (const unsigned width : {9u, 16u, 24u, 31u, 32u}) {
      const std::uint64_t ones = midend::low_ones(width);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i != affordable(3'000); ++i) {
        const std::uint64_t any = std::uint64_t{random.below(0xffff'ffff)} + random.below(2);
        const std::uint64_t power = std::uint64_t{1} << random.below(width);
        const std::uint64_t choices[] = {any, power + random.below(5) - 2, 0 - power + random.below(3),
                                         any >> random.below(32)};
        const std::uint64_t d = choices[random.below(4)] & ones;
        const midend::package_order order = tree_for(code, width, d);
        if (order.kind == midend::order_kind::none) {
          continue;
        }
        with_sum += code == operation::udiv && order.operations[3].info.code == operation::add ? 1u : 0u;
        // Around multiples of the divisor, and at the ends.
        const std::uint64_t multiple = d * (random.below(0xffff'ffff) % (ones / d + 1));
        for (const std::uint64_t x : {multiple, multiple - 1, multiple + 1, 0 - multiple, 0 - multiple - 1, ones,
                                      ones >> 1, (ones >> 1) + 1, std::uint64_t{random.below(0xffff'ffff)}}) {
          wrong += divides(code, width, x & ones, d, order) ? 0u : 1u;
        }
      }
      CHECK_MESSAGE(wrong == 0, "operation ", static_cast<int>(code), ", ", width, " bits: ", wrong);
    }
  }
  CHECK(with_sum > 100); // m has one bit more than the number
}

TEST_CASE("divide_by_literal: what has no tree") {
  for (const operation code : divisions) {
    for (const unsigned width : {33u, 64u, 1u}) { // no wide word
      CHECK(tree_for(code, width, 7).kind == midend::order_kind::none);
    }
    CHECK(tree_for(code, 32, 0).kind == midend::order_kind::none);
    CHECK(tree_for(code, 32, 1).kind == midend::order_kind::none);
  }
  CHECK(tree_for(operation::div, 32, 0xffff'ffff).kind == midend::order_kind::none); // traps for the least number
  CHECK(tree_for(operation::udiv, 32, 0xffff'ffff).kind == midend::order_kind::tree);
  CHECK(tree_for(operation::mul, 32, 7).kind == midend::order_kind::none);
}

TEST_CASE("low_level_package: divisions become products where they cost less") {
  const std::string text = R"(
proc @f(%x: i32, %y: i64) -> i32 {
  node entry:
    %a = div.i32 %x, 7
    %b = rem.i32 %x, -10
    %c = udiv.i32 %x, 7
    %d = urem.i32 %x, 1000
    %ab = xor.i32 %a, %b
    %abc = xor.i32 %ab, %c
    %abcd = xor.i32 %abc, %d
    ret %abcd
})";
  const midend::elbrus::program before = program_of(text);
  midend::elbrus::program after = before;
  static_cast<void>(run_low_level(after.procedures[0]));
  const std::string made = midend::elbrus::to_text(after.procedures[0]);
  CHECK_MESSAGE(made.find("div") == std::string::npos, made);
  CHECK_MESSAGE(made.find("rem") == std::string::npos, made);
  for (const std::int64_t x : {0, 1, 6, 7, 999, 1000, 2147483647, -1, -7, -10, -2147483647, -2147483647 - 1}) {
    const midend::elbrus::scalar arguments[] = {midend::elbrus::integer_scalar(midend::elbrus::type::i32, x),
                                                midend::elbrus::integer_scalar(midend::elbrus::type::i64, x)};
    const midend::elbrus::run_result a = midend::elbrus::interpreter(before).run(0, arguments);
    const midend::elbrus::run_result b = midend::elbrus::interpreter(after).run(0, arguments);
    CHECK_MESSAGE((!a.trap && !b.trap && a.value == b.value), x, "\n", made);
  }
  // A machine whose divisions are as fast as that keeps them.
  midend::package_options options;
  options.costs.by_class[static_cast<std::size_t>(midend::operation_class::integer_divide)] = 7;
  midend::elbrus::program kept = before;
  const midend::package_log log = run_low_level(kept.procedures[0], options);
  CHECK(midend::elbrus::to_text(kept.procedures[0]).find("div.i32 %x, 7") != std::string::npos);
  CHECK(log.events.empty());
}
