// Arithmetic of doubles by integers, against the processor's; and evaluate_float, whose answers are the same
// everywhere.
#include "kit/affordable.hpp"
#include "kit/test_graph.hpp"

#include <midend/elbrus/detail/exact_double.hpp>
#include <midend/elbrus/float_operations.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

using namespace midend::elbrus;
using midend_tests::random_source;

namespace {

bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (a != a && b != b);
}

/// Numbers of all sizes, and near each other.
std::vector<double> numbers() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> out = {0.0,
                             -0.0,
                             1.0,
                             -1.0,
                             0.1,
                             3.0,
                             0x1p-1074,
                             0x1p-1022,
                             0x1p52,
                             0x1p53,
                             infinity,
                             -infinity,
                             DBL_MAX,
                             -DBL_MAX,
                             0x1.8p-1073,
                             0x1.fffffffffffffp-1023,
                             std::numeric_limits<double>::quiet_NaN()};
  random_source random(11);
  for (int i = 0; i != 60; ++i) {
    out.push_back(std::bit_cast<double>(random.next()));
    const std::uint64_t near = std::uint64_t{1000} + random.below(60);
    out.push_back(std::bit_cast<double>((random.next() & ~(std::uint64_t{0x7ff} << 52)) | near << 52));
    out.push_back(std::bit_cast<double>(random.next() & ~(std::uint64_t{0x7f8} << 52)));
  }
  return out;
}

} // namespace

TEST_CASE("evaluate_float: numbers that a machine with wider registers rounds twice") {
  const auto evaluate = [](opcode code, double a, double b, double c = 0) {
    const volatile std::uint64_t bits[3] = {std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(b),
                                            std::bit_cast<std::uint64_t>(c)}; // volatile: computed at run time
    return std::bit_cast<double>(evaluate_float(code, type::f64, bits[0], bits[1], bits[2]));
  };
  // A little more than half of the last bit, which is exactly half after a rounding to 64 bits.
  CHECK(evaluate(opcode::fadd, 1.0, 0x1.0000000000001p-53) == 0x1.0000000000001p+0);
  CHECK(evaluate(opcode::fsub, 1.0, -0x1.0000000000001p-53) == 0x1.0000000000001p+0);
  CHECK(evaluate(opcode::fma, 0x1.0000000000001p-53, 1.0, 1.0) == 0x1.0000000000001p+0);
  CHECK(evaluate(opcode::fmul, 0x1.65cc1e737f818p-3, 0x1.02b385f1adfd6p-1) == 0x1.69929f9e856a7p-4);
  CHECK(evaluate(opcode::fdiv, 0x1.02a053647db87p+0, 0x1.f7bbe6e17dc5bp+0) == 0x1.06dec4f400ab3p-1);
  CHECK(evaluate(opcode::fsqrt, 0x1.7763d5eca948p-3, 0) == 0x1.b667e470220abp-2);
}

TEST_CASE("exact doubles: as the processor computes them") {
  if (FLT_EVAL_METHOD != 0) {
    MESSAGE("this processor rounds twice");
    return;
  }
  const std::vector<double> all = numbers();
  random_source random(12);
  [[maybe_unused]] std::size_t pairs = 0;
  for (const double a : all) {
    CHECK(same(detail::exact_square_root(a), std::sqrt(a)));
    CHECK(same(detail::exact_square_root(std::fabs(a)), std::sqrt(std::fabs(a))));
    for (const double b : all) {
      if (midend_tests::tests_are_shortened && ++pairs % 7 != 0) {
        continue;
      }
      if (!same(detail::exact_sum(a, b), a + b) || !same(detail::exact_product(a, b), a * b) ||
          !same(detail::exact_quotient(a, b), a / b)) {
        FAIL_CHECK("of ", a, " and ", b);
      }
      const double c = random.one_in(4) ? -(a * b) : all[random.below(all.size())];
      if (!same(detail::exact_fma(a, b, c), std::fma(a, b, c))) {
        FAIL_CHECK("fma of ", a, ", ", b, " and ", c);
      }
    }
  }
}
