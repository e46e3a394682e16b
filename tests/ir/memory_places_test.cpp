// Which bytes two accesses have in common: all pairs of places of 8-bit addresses, byte by byte.
#include <doctest/doctest.h>
#include <midend/ir/cost.hpp>
#include <midend/ir/memory_places.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

using midend::any_memory;
using midend::memory_reference;
using midend::place_distance;
using midend::value_id;

namespace {

constexpr unsigned most_bytes = 8;

/// Whether an access of some bytes at 0 and one at a distance have a byte in common, with 8-bit addresses.
bool meet_byte_by_byte(unsigned distance, unsigned bytes_of_first, unsigned bytes_of_second) {
  bool found = false;
  for (unsigned i = 0; i != bytes_of_first; ++i) {
    for (unsigned k = 0; k != bytes_of_second; ++k) {
      found = found || i == ((distance + k) & 0xff);
    }
  }
  return found;
}

bool covered_byte_by_byte(unsigned distance, unsigned bytes_of_first, unsigned bytes_of_second) {
  bool all = true;
  for (unsigned k = 0; k != bytes_of_second; ++k) {
    all = all && ((distance + k) & 0xff) < bytes_of_first;
  }
  return all;
}

/// A distance of 8 bits, as one of 64 bits that is near 0.
std::uint64_t extended(unsigned distance) {
  return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int8_t>(distance)});
}

} // namespace

TEST_CASE("memory places: classes are apart if both are known and differ") {
  CHECK(midend::classes_are_apart(0, 1));
  CHECK_FALSE(midend::classes_are_apart(1, 1));
  CHECK_FALSE(midend::classes_are_apart(any_memory, 1));
  CHECK_FALSE(midend::classes_are_apart(1, any_memory));
  CHECK_FALSE(midend::classes_are_apart(any_memory, any_memory));
  CHECK(midend::local_classes_are_apart(0, 7, 1, 7));
  CHECK_FALSE(midend::local_classes_are_apart(0, 7, 1, 8)); // of another loop
  CHECK_FALSE(midend::local_classes_are_apart(any_memory, 7, 1, 7));
  CHECK_FALSE(midend::local_classes_are_apart(1, 7, 1, 7));
}

TEST_CASE("memory places: common bytes and covered bytes at each distance") {
  unsigned meetings = 0;
  unsigned covered = 0;
  for (unsigned a = 1; a <= most_bytes; ++a) {
    for (unsigned b = 1; b <= most_bytes; ++b) {
      for (unsigned distance = 0; distance != 256; ++distance) {
        const bool meets = meet_byte_by_byte(distance, a, b);
        const bool covers = covered_byte_by_byte(distance, a, b);
        CHECK(midend::may_have_common_bytes(extended(distance), a, b) == meets);
        CHECK(midend::covers(extended(distance), a, b) == covers);
        meetings += meets ? 1u : 0u;
        covered += covers ? 1u : 0u;
      }
    }
  }
  CHECK(meetings == 64 * 8);                        // bytes of one and of the other, less 1: 8 on average
  CHECK(covered == 120);                            // 1 + 2 + … + bytes of the first
  CHECK(midend::may_have_common_bytes(1000, 0, 4)); // an unknown size
  CHECK(midend::may_have_common_bytes(1000, 4, 0));
  CHECK_FALSE(midend::covers(0, 4, 0));
  CHECK_FALSE(midend::covers(0, 0, 4));
  constexpr std::uint32_t largest = 0xffff'ffff;
  CHECK(midend::may_have_common_bytes(largest - 1, largest, 1));
  CHECK_FALSE(midend::may_have_common_bytes(largest, largest, 1));
  CHECK(midend::may_have_common_bytes(0 - std::uint64_t{largest - 1}, 1, largest));
  CHECK_FALSE(midend::may_have_common_bytes(0 - std::uint64_t{largest}, 1, largest));
}

TEST_CASE("memory places: the first meeting of each start, step and size in 8 bits") {
  // By distance: the sizes at which accesses meet.
  std::vector<std::array<bool, (most_bytes + 1) * (most_bytes + 1)>> meets(256);
  for (unsigned distance = 0; distance != 256; ++distance) {
    for (unsigned a = 1; a <= most_bytes; ++a) {
      for (unsigned b = 1; b <= most_bytes; ++b) {
        meets[distance][a * (most_bytes + 1) + b] = meet_byte_by_byte(distance, a, b);
      }
    }
  }
  unsigned wrong = 0;
  unsigned found = 0;
  unsigned never = 0;
  for (unsigned start = 0; start != 256; ++start) {
    for (unsigned step = 0; step != 256; ++step) {
      for (unsigned a = 1; a <= most_bytes; ++a) {
        for (unsigned b = 1; b <= most_bytes; ++b) {
          const unsigned first = (start + step + a + b) % 3;
          std::optional<std::uint64_t> expected;
          unsigned distance = (start + first * step) & 0xff;
          for (unsigned k = first; k != first + 256 && !expected; ++k, distance = (distance + step) & 0xff) {
            if (meets[distance][a * (most_bytes + 1) + b]) {
              expected = k;
            } else if (k != first && distance == ((start + first * step) & 0xff)) {
              break; // round
            }
          }
          // The bits above do not matter.
          const place_distance d{start + (std::uint64_t{b} << 32), step + (std::uint64_t{a} << 40)};
          wrong += midend::first_meeting(d, a, b, first, 8) == expected ? 0u : 1u;
          (expected ? found : never) += 1u;
        }
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(found > 3'000'000);
  CHECK(never > 100'000);
}

TEST_CASE("memory places: least multiples of 64 bits are those of 8 bits, scaled") {
  unsigned wrong = 0;
  for (std::uint64_t step = 0; step != 256; ++step) {
    for (std::uint64_t low = 1; low != 256; ++low) {
      for (const std::uint64_t span : {0u, 1u, 6u, 100u}) {
        if (low + span > 255) {
          continue;
        }
        const std::uint64_t small = midend::detail::least_multiple_between(step, low, low + span, 255);
        const std::uint64_t large =
            midend::detail::least_multiple_between(step << 56, low << 56, (low + span) << 56, ~std::uint64_t{0});
        wrong += small == large ? 0u : 1u;
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("memory places: meetings of 64-bit addresses") {
  using midend::first_meeting;
  CHECK(first_meeting({8, 0 - std::uint64_t{8}}, 8, 8, 0) == 1u);
  CHECK(first_meeting({0, 0}, 4, 4, 0) == 0u);
  CHECK(first_meeting({0, 0}, 4, 4, 1) == 1u);
  CHECK(first_meeting({4, 0}, 4, 4, 0) == std::nullopt);
  CHECK(first_meeting({4, 0}, 8, 4, 1) == 1u);
  CHECK(first_meeting({0 - std::uint64_t{24}, 8}, 8, 8, 0) == 3u);
  CHECK(first_meeting({0 - std::uint64_t{24}, 16}, 8, 8, 0) == std::nullopt); // between two of the other
  CHECK(first_meeting({0 - std::uint64_t{24}, 16}, 8, 9, 0) == 1u);
  // After the whole address space.
  CHECK(first_meeting({1, 1}, 1, 1, 0) == ~std::uint64_t{0});
  CHECK(first_meeting({0, 1}, 1, 1, 1) == ~std::uint64_t{0}); // 2^64, cut
  CHECK(first_meeting({8, 8}, 8, 8, 0) == (std::uint64_t{1} << 61) - 1);
  CHECK(first_meeting({8, 16}, 8, 8, 0) == std::nullopt);
  CHECK(first_meeting({2, 3}, 1, 1, 0) == ~std::uint64_t{0} / 3 * 2);
  CHECK(place_distance{24, 8}.reversed() == place_distance{0 - std::uint64_t{24}, 8});
  static_assert(first_meeting({0 - std::uint64_t{24}, 8}, 8, 8, 0) == 3u);
  // Of odd steps, each distance comes once.
  for (std::uint64_t seed = 1; seed != 2000; ++seed) {
    const std::uint64_t step = seed * 0x9e37'79b9'7f4a'7c15 | 1;
    const std::uint64_t start = seed * 0xbf58'476d'1ce4'e5b9;
    const auto k = first_meeting({start, step}, 4, 8, 0);
    REQUIRE(k);
    CHECK(midend::may_have_common_bytes(start + *k * step, 4, 8));
    // Of all other distances in the window, none comes earlier: k with start + k · step = distance, by the inverse.
    std::uint64_t inverse = step;
    for (int i = 0; i != 6; ++i) {
      inverse *= 2 - step * inverse;
    }
    for (std::int64_t distance = -7; distance <= 3; ++distance) {
      CHECK((static_cast<std::uint64_t>(distance) - start) * inverse >= *k);
    }
  }
}

TEST_CASE("memory places: the distance of references") {
  const auto never = [](value_id, value_id) { return false; };
  memory_reference a;
  a.base = 1;
  a.offset = 4;
  memory_reference b = a;
  b.offset = -4;
  CHECK(midend::distance_between(a, b, never) == 0 - std::uint64_t{8});
  b.index = 2;
  b.scale = 4;
  CHECK_FALSE(midend::distance_between(a, b, never));
  a.index = 2;
  a.scale = 8;
  CHECK_FALSE(midend::distance_between(a, b, never));
  a.scale = 4;
  CHECK(midend::distance_between(a, b, never) == 0 - std::uint64_t{8});
  a.base = 3;
  CHECK_FALSE(midend::distance_between(a, b, never));
  CHECK(midend::distance_between(a, b, [](value_id x, value_id y) { return x == 3 && y == 1; }));
  a.base = b.base = midend::no_value; // two accesses anywhere
  CHECK_FALSE(midend::distance_between(a, b, [](value_id, value_id) { return true; }));
}
