/// Random loops whose bodies compute from a counter that wraps.
#pragma once

#include "kit/random_programs.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/procedure.hpp>
#include <midend/elbrus/run/interpreter.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace midend_tests {

/// A loop whose body computes all kinds of things from a counter of 8 bits, which wraps, and returns a hash of them. If
/// it is speculative, quotients that may be diagnostic are computed in the loop and read only where they are not.
inline std::string random_counting_loop(std::uint64_t seed, bool is_speculative = false) {
  random_source random(seed);
  static constexpr std::array<unsigned, 4> widths = {8, 16, 32, 64};
  std::array<std::vector<std::string>, 4> values; // by type
  std::string text;
  std::size_t count = 0;
  const auto type = [](std::size_t w) { return "i" + std::to_string(widths[w]); };
  const auto pick = [&](std::size_t w) { return values[w][random.below(values[w].size())]; };
  const auto define = [&](std::size_t w, const std::string& operation) {
    const std::string name = "%v" + std::to_string(count++);
    text += "    " + name + " = " + operation + "\n";
    values[w].push_back(name);
  };
  const auto number = [&](std::uint64_t most) { return std::to_string(1 + random.below(most)); };
  values[0].push_back("%i");
  for (std::size_t k = 0; k != 14; ++k) {
    for (std::size_t w = 0; k == 7 && is_speculative && w != 4; ++w) {
      const std::string divisor = "%z" + std::to_string(w);
      text += "    " + divisor + " = " + (w == 0 ? "mov.i8" : "zext.i8." + type(w)) + " %o\n";
      define(w, "div." + type(w) + " %k" + std::to_string(w) + ", " + divisor + " spec");
    }
    if (k == 7) {
      text += "    br %p ? side : latch\n  node side:\n";
    }
    std::size_t w = random.below(4);
    while (values[w].empty()) {
      w = random.below(4);
    }
    const std::string x = pick(w);
    switch (random.below(10)) {
    case 8:
      define(w, std::array{"and.", "or.", "xor."}[random.below(3)] + type(w) + " " + x + ", " + number(30));
      break;
    case 9:
      define(w, (random.below(2) == 0 ? "shr." : "sar.") + type(w) + " " + x + ", " + number(3));
      break;
    case 0:
    case 1:
      define(w, "add." + type(w) + " " + x + ", " + number(9));
      break;
    case 2:
      define(w, "sub." + type(w) + " " + x + ", " + number(5));
      break;
    case 3:
      define(w, (random.below(2) == 0 ? "mul." : "shl.") + type(w) + " " + x + ", " + number(6));
      break;
    case 4:
      define(w, (random.below(2) == 0 ? "add." : "sub.") + type(w) + " " + x + ", %k" + std::to_string(w));
      break;
    case 5:
      define(w, "sub." + type(w) + " %k" + std::to_string(w) + ", " + x);
      break;
    default:
      if (w != 3) {
        const std::size_t to = w + 1 + random.below(3 - w);
        define(to, (random.below(2) == 0 ? "sext." : "zext.") + type(w) + "." + type(to) + " " + x);
      } else {
        const std::size_t to = random.below(3);
        define(to, "trunc." + type(w) + "." + type(to) + " " + x);
      }
    }
  }
  std::string hash = "%s";
  for (std::size_t w = 0; w != 4; ++w) {
    for (const std::string& v : values[w]) {
      std::string wide = v;
      if (w != 3) {
        wide = "%w" + std::to_string(count++);
        text += "    " + wide + " = zext." + type(w) + ".i64 " + v + "\n";
      }
      const std::string scaled = "%h" + std::to_string(count++);
      const std::string next = "%h" + std::to_string(count++);
      text +=
          "    " + scaled + " = mul.i64 " + hash + ", 31\n    " + next + " = xor.i64 " + scaled + ", " + wide + "\n";
      hash = next;
    }
  }
  static constexpr std::array<int, 5> steps = {1, 2, 3, 4, -2};
  return "proc @f(%k0: i8, %k1: i16, %k2: i32, %k3: i64) -> i64 {\n  node entry:\n    br loop\n  node loop:\n"
         "    %i = phi.i8 [entry: " +
         std::to_string(random.below(3)) +
         "], [latch: %next]\n    %n = phi.i32 [entry: 0], [latch: %n1]\n    %s = phi.i64 [entry: 7], [latch: %r]\n"
         "    %o = and.i8 %i, 4\n    %p = cmp.ne.i8 %o, 0\n" +
         text + "    br latch\n  node latch:\n    %r = phi.i64 [loop: %s], [side: " + hash +
         "]\n    %next = add.i8 %i, " + std::to_string(steps[random.below(steps.size())]) +
         "\n    %n1 = add.i32 %n, 1\n    %q = cmp.ne.i32 %n1, 300\n    br %q ? loop : done\n"
         "  node done:\n    ret %r\n}\n";
}

/// What it returns.
inline std::uint64_t result_of_counting_loop(const midend::elbrus::program& all) {
  midend::elbrus::interpreter run(all);
  const std::vector<midend::elbrus::scalar> arguments = {{midend::elbrus::type::i8, 5},
                                                         {midend::elbrus::type::i16, 60'000},
                                                         {midend::elbrus::type::i32, 77},
                                                         {midend::elbrus::type::i64, ~std::uint64_t{0} - 3}};
  const auto done = run.run(0, arguments, {}, {});
  REQUIRE(done.value);
  return done.value->bits;
}

} // namespace midend_tests
