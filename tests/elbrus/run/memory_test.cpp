#include <midend/elbrus/run/memory.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace midend::elbrus;

constexpr std::array types = {type::i1, type::i8, type::i16, type::i32, type::i64, type::f32, type::f64, type::ptr};

} // namespace

TEST_CASE("memory: what is stored is loaded, little endian, and no byte beside it changes") {
  for (const type t : types) {
    for (std::size_t at = 0; at + bytes_of(t) <= 24; ++at) {
      memory arrays;
      const std::uint64_t address = arrays.add("a", std::vector<unsigned char>(24, 0xaa)) + at;
      const std::uint64_t bits = 0x8877'6655'4433'2211 & midend::low_ones(width_of(t));
      REQUIRE(arrays.store(t, address, 0x8877'6655'4433'2211));
      CHECK(arrays.load(t, address) == bits);
      for (std::size_t i = 0; i != 24; ++i) {
        const bool inside = i >= at && i < at + bytes_of(t);
        CHECK(arrays.bytes(0)[i] == (inside ? bits >> 8 * (i - at) & 0xff : 0xaa));
      }
    }
  }
}

TEST_CASE("memory: the definition of an address, byte by byte") {
  memory arrays;
  const std::array sizes = {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{8}, std::size_t{9}};
  std::vector<std::uint64_t> begins;
  for (const std::size_t size : sizes) {
    begins.push_back(arrays.add_zeros("a" + std::to_string(size), size));
  }
  const auto is_byte = [&](std::uint64_t address) {
    for (std::size_t i = 0; i != sizes.size(); ++i) {
      if (address - begins[i] < sizes[i]) {
        return true;
      }
    }
    return false;
  };
  const auto all_bytes = [&](std::uint64_t address, std::size_t size) {
    for (std::size_t i = 0; i != size; ++i) {
      if (!is_byte(address + i)) {
        return false;
      }
    }
    return true;
  };
  begins.push_back(begins.back() + (std::uint64_t{1} << 32)); // where the next one would be
  begins.push_back(0);
  for (const std::uint64_t begin : begins) {
    for (std::uint64_t address = begin - 12; address != begin + 12; ++address) {
      for (const type t : types) {
        CHECK(arrays.contains(address, bytes_of(t)) == all_bytes(address, bytes_of(t)));
        CHECK(arrays.load(t, address).has_value() == all_bytes(address, bytes_of(t)));
        CHECK(arrays.store(t, address, 0) == all_bytes(address, bytes_of(t)));
      }
    }
  }
}

TEST_CASE("memory: names, elements, predicates, equality") {
  memory arrays;
  const std::uint64_t a = arrays.add("a", type::i16, std::array<std::uint64_t, 2>{0x1'0001, 0xffff});
  const std::uint64_t p = arrays.add("p", std::array<unsigned char, 3>{2, 3, 0xff});
  CHECK(arrays.num_arrays() == 2);
  CHECK(arrays.find("p") == 1);
  CHECK(!arrays.find("q").has_value());
  CHECK(arrays.name(0) == "a");
  CHECK(arrays.size(0) == 4);
  CHECK(memory::address_of(1) == p);
  CHECK(arrays.element(0, type::i16, 0) == integer_scalar(type::i16, 1));
  CHECK(arrays.element(0, type::i16, 1) == integer_scalar(type::i16, -1));
  CHECK(arrays.load(type::i1, p) == 0);
  CHECK(arrays.load(type::i1, p + 1) == 1);
  CHECK(arrays.load(type::i1, p + 2) == 1);

  memory copy = arrays;
  CHECK(copy == arrays);
  CHECK(copy.store(type::i8, a, 2));
  CHECK(!(copy == arrays));
  CHECK(arrays.element(0, type::i16, 0) == integer_scalar(type::i16, 1)); // a copy of its own
}
