// Which accesses of a lowered loop wait for each other: a store and a load, compared byte by byte over many passes.
#include "kit/run_text.hpp"
#include "kit/sample_bodies.hpp"

#include <doctest/doctest.h>
#include <midend/machine/dependence_graph.hpp>
#include <midend/machine/machine.hpp>

#include <cstdint>
#include <optional>
#include <string>

using namespace midend_tests;
using midend::dependence_kind;
using midend::operation_class;

namespace elbrus = midend::elbrus;

namespace {

constexpr int passes = 40;

/// A loop with a store and a load, `%o` apart from where they start; `offsets` computes it from `%i` or `%j`.
std::string loop(const std::string& offsets, const std::string& store, const std::string& load) {
  return "proc @f(%p: ptr, %n: i64, %x: i64) -> i64 {\n  node entry:\n    br loop\n  node loop:\n"
         "    %i = phi.i64 [entry: 0], [loop: %i1]\n    %j = phi.i32 [entry: 0], [loop: %j1]\n"
         "    %sum = phi.i64 [entry: 0], [loop: %sum1]\n" +
         offsets + store + load +
         "    %w = zext.i8.i64 %v\n    %sum1 = add.i64 %sum, %w\n    %j1 = add.i32 %j, 1\n    %i1 = add.i64 %i, 1\n"
         "    %c = cmp.lt.i64 %i1, %n\n    br %c ? loop : done\n  node done:\n    ret %sum1\n}\n";
}

/// The least number of passes, from `first` on, after which `bytes_b` at `apart` + passes · `step` overlap `bytes_a` at
/// 0.
std::optional<std::uint32_t> overlap(int apart, int step, int bytes_a, int bytes_b, int first) {
  for (int k = first; k != passes; ++k) {
    const int at = apart + k * step;
    if (at < bytes_a && -at < bytes_b) {
      return static_cast<std::uint32_t>(k);
    }
  }
  return std::nullopt;
}

std::string in_place(const char* code, int offset) {
  return std::string(code) + " [%p + %o*1 " + (offset < 0 ? "- " : "+ ") +
         std::to_string(offset < 0 ? -offset : offset) + "]\n";
}

} // namespace

TEST_CASE("memory order: a store and a load of a loop wait as often as they meet") {
  const midend::machine_model machine = example_machine("e2k.machine");
  std::size_t programs = 0;
  std::size_t meetings = 0;
  for (int step = -3; step <= 3; ++step) {
    const std::string by = std::to_string(step);
    const std::string opposite = std::to_string(-step);
    for (const std::string& offsets : {
             "    %o = mul.i64 %i, " + by + "\n",
             "    %o = mul.i64 " + by + ", %i\n",
             "    %n1 = neg.i64 %i\n    %o = mul.i64 %n1, " + opposite + "\n",
             "    %n1 = sub.i64 7, %i\n    %o = mul.i64 %n1, " + opposite + "\n",
             "    %o = mul.i32 %j, " + by + "\n",
             "    %n1 = neg.i32 %j\n    %o = mul.i32 %n1, " + opposite + "\n",
             "    %n1 = shl.i64 %i, 2\n    %n2 = mul.i64 %i, " + std::to_string(4 - step) +
                 "\n    %o = sub.i64 %n1, %n2\n",
         }) {
      for (int distance = -9; distance <= 9; ++distance) {
        for (const int bytes : {1, 2, 4, 8}) {
          const std::string code = bytes == 1   ? "    st.i8 5,"
                                   : bytes == 2 ? "    st.i16 5,"
                                   : bytes == 4 ? "    st.i32 5,"
                                                : "    st.i64 %x,";
          const elbrus::program program =
              program_of(loop(offsets, in_place(code.c_str(), 100), in_place("    %v = ld.i8", 100 + distance)));
          std::optional<std::uint32_t> found[3]; // store and load, load and store, store and store
          std::size_t bodies = 0;
          for_each_lowered(
              program, machine, {},
              [&](const midend::program_region& region, const midend::machine_body& body, auto&&...) {
                bodies += region.is_straight_line ? 0u : 1u;
                for (const midend::operation_dependence& d : body.graph.dependences()) {
                  if (d.kind != dependence_kind::memory && d.kind != dependence_kind::order) {
                    continue;
                  }
                  const operation_class first = body.graph.operation(d.producer).kind;
                  const operation_class second = body.graph.operation(d.consumer).kind;
                  if (first == operation_class::store || first == operation_class::load) {
                    if (second == operation_class::store || second == operation_class::load) {
                      found[first == operation_class::load ? 1 : second == operation_class::load ? 0 : 2] = d.distance;
                    }
                  }
                }
              });
          REQUIRE(bodies == 1);
          const auto store_load = overlap(distance, step, bytes, 1, 0);
          const auto load_store = overlap(-distance, step, 1, bytes, 1);
          const auto store_store = overlap(0, step, bytes, bytes, 1);
          CHECK_MESSAGE(found[0] == store_load, offsets, distance, " ", bytes);
          CHECK_MESSAGE(found[1] == load_store, offsets, distance, " ", bytes);
          CHECK_MESSAGE(found[2] == store_store, offsets, distance, " ", bytes);
          ++programs;
          meetings += (store_load ? 1u : 0u) + (load_store ? 1u : 0u) + (store_store ? 1u : 0u);
        }
      }
    }
  }
  CHECK(programs == 7 * 7 * 19 * 4);
  CHECK(meetings > programs / 2);
}
