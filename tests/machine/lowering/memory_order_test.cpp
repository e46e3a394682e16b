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

/// The least distances of a lowered loop: of store and load, load and store, store and store.
struct found_distances {
  std::optional<std::uint32_t> of[3];
  std::size_t bodies = 0;

  found_distances(const std::string& text, const midend::machine_model& machine) {
    const elbrus::program program = program_of(text);
    for_each_lowered(
        program, machine, {}, [&](const midend::program_region& region, const midend::machine_body& body, auto&&...) {
          bodies += region.is_straight_line ? 0u : 1u;
          for (const midend::operation_dependence& d : body.graph.dependences()) {
            if (d.kind == dependence_kind::memory || d.kind == dependence_kind::order) {
              add(body.graph.operation(d.producer).kind, body.graph.operation(d.consumer).kind, d.distance);
            }
          }
        });
  }

  void add(operation_class first, operation_class second, std::uint32_t distance) {
    const auto is_access = [](operation_class c) { return c == operation_class::store || c == operation_class::load; };
    if (is_access(first) && is_access(second)) {
      of[first == operation_class::load ? 1 : second == operation_class::load ? 0 : 2] = distance;
    }
  }
};

/// The numbers of passes, of `passes` from one pass on, after which two accesses first have a byte in common, if it is
/// so in any pass; `place(k)` is where the first one is, and the second one is at `apart` from it.
template <class Place>
std::optional<std::uint32_t> meeting(Place place, int apart, int bytes_a, int bytes_b, int first) {
  for (int later = first; later < 600; ++later) {
    for (int k = 0; k != 512; ++k) {
      const int at = place(k + later) + apart - place(k);
      if (at < bytes_a && -at < bytes_b) {
        return static_cast<std::uint32_t>(later);
      }
    }
  }
  return std::nullopt;
}

} // namespace

TEST_CASE("memory order: counters of 8 bits wrap, extended to an address with a sign or without") {
  struct wrapping_index {
    std::string code; ///< computes `%o` from the counter `%b`
    int (*value)(int);
    int scale;
  };

  static constexpr auto sign = [](int x) { return (x & 255) < 128 ? x & 255 : (x & 255) - 256; };
  const wrapping_index all[] = {
      {"    %o = sext.i8.i64 %b\n", [](int k) { return sign(k); }, 1},
      {"    %o = zext.i8.i64 %b\n", [](int k) { return k & 255; }, 1},
      {"    %o = zext.i8.i64 %b\n", [](int k) { return k & 255; }, 4},
      {"    %m = mul.i8 %b, 3\n    %o = sext.i8.i64 %m\n", [](int k) { return sign(3 * k); }, 2},
      {"    %z = zext.i8.i64 %b\n    %o = mul.i64 %z, 12\n", [](int k) { return 12 * (k & 255); }, 1},
      {"    %z = zext.i8.i64 %b\n    %o = add.i64 %z, %i\n", [](int k) { return (k & 255) + k; }, 1},
      {"    %o = mov.i8 %b\n", [](int k) { return sign(k); }, 8},
      {"    %t = trunc.i64.i8 %i\n    %o = sext.i8.i64 %t\n", [](int k) { return sign(k); }, 1},
      {"    %m = shl.i8 %b, 5\n    %o = zext.i8.i64 %m\n", [](int k) { return 32 * k & 255; }, 1}};
  const midend::machine_model machine = example_machine("e2k.machine");
  std::size_t wrong = 0;
  std::size_t late = 0;
  std::size_t exact = 0;
  std::size_t meetings = 0;
  for (const wrapping_index& each : all) {
    for (const int apart : {0, 1, 2, -1, 7, 100, 127, 128, 255, 256, -255, -256, -128, 510, 1020, -1020, 2048, -3060}) {
      for (const int bytes : {1, 4}) {
        const auto place = [&](const char* code, int offset) {
          return std::string(code) + " [%p + %o * " + std::to_string(each.scale) + " + " + std::to_string(offset) +
                 "]\n";
        };
        std::string text = loop(each.code, place(bytes == 1 ? "    st.i8 5," : "    st.i32 5,", 4000),
                                place("    %v = ld.i8", 4000 + apart));
        text.replace(text.find("    %sum = phi"), 0, "    %b = phi.i8 [entry: 0], [loop: %b1]\n");
        text.replace(text.find("    %i1 = add"), 0, "    %b1 = add.i8 %b, 1\n");
        const found_distances found(text, machine);
        REQUIRE(found.bodies == 1);
        const auto at = [&](int k) { return each.scale * each.value(k); };
        const std::optional<std::uint32_t> wanted[] = {
            meeting(at, apart, bytes, 1, 0), meeting(at, -apart, 1, bytes, 1), meeting(at, 0, bytes, bytes, 1)};
        for (int i = 0; i != 3; ++i) {
          meetings += wanted[i] ? 1u : 0u;
          wrong += wanted[i] && !found.of[i] ? 1u : 0u;
          late += wanted[i] && found.of[i] && *found.of[i] > *wanted[i] ? 1u : 0u;
          exact += wanted[i] == found.of[i] ? 1u : 0u;
          CHECK_MESSAGE((!wanted[i] || (found.of[i] && *found.of[i] <= *wanted[i])), each.code, apart, " ", bytes, " ",
                        i);
        }
      }
    }
  }
  MESSAGE(wrong, " missing, ", late, " late, ", exact, " exact, ", meetings, " meetings");
  CHECK(meetings > 300);
  CHECK(exact > 9 * 18 * 2 * 3 / 2);
}

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
          const found_distances found(
              loop(offsets, in_place(code.c_str(), 100), in_place("    %v = ld.i8", 100 + distance)), machine);
          REQUIRE(found.bodies == 1);
          const auto store_load = overlap(distance, step, bytes, 1, 0);
          const auto load_store = overlap(-distance, step, 1, bytes, 1);
          const auto store_store = overlap(0, step, bytes, bytes, 1);
          CHECK_MESSAGE(found.of[0] == store_load, offsets, distance, " ", bytes);
          CHECK_MESSAGE(found.of[1] == load_store, offsets, distance, " ", bytes);
          CHECK_MESSAGE(found.of[2] == store_store, offsets, distance, " ", bytes);
          ++programs;
          meetings += (store_load ? 1u : 0u) + (load_store ? 1u : 0u) + (store_store ? 1u : 0u);
        }
      }
    }
  }
  CHECK(programs == 7 * 7 * 19 * 4);
  CHECK(meetings > programs / 2);
}
