// ResMII: the golden loops, and random ones against assignments found by search.
#include "kit/affordable.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/machine/e2k.hpp>
#include <midend/machine/machine_model.hpp>
#include <midend/machine/resource_bound.hpp>
#include <midend/machine/scalar_core.hpp>

#include <bit>
#include <string_view>
#include <utility>
#include <vector>

using namespace midend_tests;
using enum midend::operation_class;
using midend::e2k_reference_v6;
using midend::fraction;
using midend::machine_builder;
using midend::machine_model;
using midend::operation_class;
using midend::operation_mix;
using midend::resource_bound;
using midend::resource_limit;

namespace {

constexpr operation_mix mix_of(std::initializer_list<std::pair<operation_class, std::uint32_t>> counts) {
  operation_mix mix;
  for (const auto& [c, count] : counts) {
    mix[c] += count;
  }
  return mix;
}

constexpr auto fma_kernel =
    mix_of({{fused_multiply_add, 2}, {fp_add, 6}, {fp_divide_single, 2}, {store, 1}, {array_read, 3}});
constexpr auto iir1_run_time = mix_of({{alu, 10}, {integer_multiply, 4}, {store, 2}, {array_read, 6}});
constexpr auto iir1_table =
    mix_of({{alu, 7}, {combined_alu, 2}, {integer_multiply, 4}, {load, 8}, {store, 2}, {array_read, 2}});
constexpr auto gemm = mix_of({{fused_multiply_add, 64}, {fp_multiply, 16}, {store, 8}, {array_read, 16}});

static_assert(resource_bound(e2k_reference_v6(), fma_kernel).cycles == 4);
static_assert(resource_bound(e2k_reference_v6(), gemm).exact == fraction(88, 6));

/// The operations of a few classes with channels, one bit each; assigned one by one to cycles and channels.
class exhaustive_assignment {
public:
  exhaustive_assignment(const machine_model& m, const operation_mix& mix, std::uint32_t cycles)
      : m_(m), cycles_(cycles), taken_(cycles * m.num_channels(), 0), used_(cycles * m.num_resources(), 0),
        issued_(cycles * midend::num_operation_classes, 0) {
    for (const operation_class c : midend::all_operation_classes()) {
      todo_.insert(todo_.end(), mix[c], c);
    }
  }

  bool exists() { return place(0, 0); }

private:
  /// Operations of one class are alike: each is placed not before the one ahead of it.
  bool place(std::size_t next, std::size_t from) {
    if (next == todo_.size()) {
      return true;
    }
    const operation_class c = todo_[next];
    const std::size_t channels = m_.num_channels();
    const std::size_t begin = next != 0 && todo_[next - 1] == c ? from : 0;
    for (std::size_t slot = begin; slot != cycles_ * channels; ++slot) {
      const std::size_t row = slot / channels;
      const std::size_t channel = slot % channels;
      if ((m_.channels(c) >> channel & 1) == 0 || !is_free(c, row, channel)) {
        continue;
      }
      change(c, row, channel, 1);
      const bool found = place(next + 1, slot);
      change(c, row, channel, -1);
      if (found) {
        return true;
      }
    }
    return false;
  }

  bool is_free(operation_class c, std::size_t row, std::size_t channel) const {
    if (m_.occupancy(c) > cycles_) {
      return false;
    }
    for (std::size_t k = 0; k != m_.occupancy(c); ++k) {
      if (taken_[(row + k) % cycles_ * m_.num_channels() + channel] != 0) {
        return false;
      }
    }
    for (std::size_t r = 0; r != m_.num_resources(); ++r) {
      if (used_[row * m_.num_resources() + r] + static_cast<int>(m_.use(c, r)) > static_cast<int>(m_.capacity(r))) {
        return false;
      }
    }
    for (const operation_class other : midend::all_operation_classes()) {
      if (issued_[row * midend::num_operation_classes + static_cast<std::size_t>(other)] != 0 &&
          m_.excludes(c, other)) {
        return false;
      }
    }
    return true;
  }

  void change(operation_class c, std::size_t row, std::size_t channel, int by) {
    for (std::size_t k = 0; k != m_.occupancy(c); ++k) {
      taken_[(row + k) % cycles_ * m_.num_channels() + channel] += by;
    }
    for (std::size_t r = 0; r != m_.num_resources(); ++r) {
      used_[row * m_.num_resources() + r] += by * static_cast<int>(m_.use(c, r));
    }
    issued_[row * midend::num_operation_classes + static_cast<std::size_t>(c)] += by;
  }

  const machine_model& m_;
  std::size_t cycles_;
  std::vector<int> taken_;
  std::vector<int> used_;
  std::vector<int> issued_;
  std::vector<operation_class> todo_;
};

std::uint32_t fewest_cycles(const machine_model& m, const operation_mix& mix) {
  std::uint32_t cycles = 1;
  while (!exhaustive_assignment(m, mix, cycles).exists()) {
    ++cycles;
  }
  return cycles;
}

const operation_class some_classes[] = {alu, shift, load, store, fp_add};

machine_model random_machine(random_source& random, std::uint32_t longest_occupancy) {
  const char* const names[] = {"a", "b", "c", "d"};
  machine_builder m("random");
  const std::uint32_t channels = 1 + random.below(4);
  for (std::uint32_t c = 0; c != channels; ++c) {
    m.channels({names[c]}, {});
  }
  for (const operation_class c : some_classes) {
    m.set({c}, midend::class_field::channels, 1 + random.below((1U << channels) - 1), {})
        .set({c}, midend::class_field::occupancy, 1 + random.below(longest_occupancy), {});
  }
  return m.model();
}

operation_mix random_mix(random_source& random) {
  operation_mix mix;
  for (std::uint32_t n = 1 + random.below(7); n != 0; --n) {
    ++mix[some_classes[random.below(5)]];
  }
  return mix;
}

} // namespace

TEST_CASE("resource_bound: the golden loops, with what determines the bound") {
  const machine_model m = e2k_reference_v6();
  const auto kernel = resource_bound(m, fma_kernel);
  CHECK(kernel.cycles == 4);
  CHECK(kernel.limit == resource_limit::channels);
  CHECK(kernel.channels == 0b100000);
  CHECK(kernel.limit_exact == fraction(4));
  const auto run_time = resource_bound(m, iir1_run_time);
  CHECK(run_time.cycles == 3);
  CHECK(run_time.limit == resource_limit::channels);
  CHECK(run_time.channels == 0b111111);
  CHECK(run_time.exact == fraction(16, 6));
  const auto table = resource_bound(m, iir1_table);
  CHECK(table.cycles == 4);
  CHECK(table.channels == 0b111111);
  CHECK(table.exact == fraction(23, 6));
  const auto matrix = resource_bound(m, gemm);
  CHECK(matrix.cycles == 15);
  CHECK(matrix.channels == 0b111111);
  CHECK(matrix.exact == fraction(88, 6));
}

TEST_CASE("resource_bound: scalar resources") {
  const machine_model m = e2k_reference_v6();
  const auto memory = resource_bound(m, mix_of({{load, 4}, {store, 3}}));
  CHECK(memory.cycles == 3);
  CHECK(memory.limit == resource_limit::scalar_resource);
  CHECK(memory.resource == midend::find_resource(m, std::string_view("MEM")));
  CHECK(memory.exact == fraction(10, 4));
  const auto logic = resource_bound(m, mix_of({{predicate_logic, 7}, {branch, 1}}));
  CHECK(logic.cycles == 3);
  CHECK(logic.exact == fraction(7, 3));
  auto literals = mix_of({{alu, 1}});
  literals.extra_uses[midend::find_resource(m, std::string_view("LIT32"))] = 9;
  CHECK(resource_bound(m, literals).cycles == 3);
}

TEST_CASE("resource_bound: edge cases") {
  const machine_model m = e2k_reference_v6();
  const auto nothing = resource_bound(m, {});
  CHECK(nothing.cycles == 0);
  CHECK(nothing.limit == resource_limit::none);
  CHECK_FALSE(nothing.is_impossible);
  const auto division = resource_bound(m, mix_of({{integer_divide, 1}}));
  CHECK(division.cycles == 2);
  CHECK(division.limit == resource_limit::channels);
  CHECK_FALSE(division.is_impossible);
  const machine_model scalar = midend::scalar_core();
  CHECK(resource_bound(scalar, mix_of({{alu, 3}, {load, 2}})).cycles == 5);
  CHECK(resource_bound(scalar, mix_of({{alu, 3}, {fused_multiply_add, 1}})).is_impossible);
  CHECK(resource_bound(scalar, mix_of({{alu, 3}, {fused_multiply_add, 1}})).cycles == 3);
  CHECK(resource_bound(scalar, mix_of({{integer_divide, 1}, {alu, 1}})).cycles == 21);
  CHECK(resource_bound(machine_model(), mix_of({{alu, 1}})).is_impossible);
}

TEST_CASE("resource_bound: an occupied channel cannot be shared by turns") {
  machine_builder m("two dividers");
  m.channels({"a", "b"}, {}).set({integer_divide}, midend::class_field::channels, 0b11, {});
  m.set({integer_divide}, midend::class_field::occupancy, 7, {});
  const auto bound = resource_bound(m.model(), mix_of({{integer_divide, 1}}));
  CHECK(bound.exact == fraction(7, 2));
  CHECK(bound.cycles == 7);
  CHECK(bound.limit == resource_limit::occupancy);
  CHECK(bound.first == integer_divide);
}

TEST_CASE("resource_bound: classes that exclude each other") {
  machine_builder m("bundles");
  m.channels({"0", "1", "2"}, {}).set({alu, load, store}, midend::class_field::channels, 0b111, {});
  m.exclude(load, store, {}).exclude(store, store, {});
  const auto bound = resource_bound(m.model(), mix_of({{load, 4}, {store, 3}}));
  CHECK(bound.cycles == 2 + 3);
  CHECK(bound.limit == resource_limit::exclusion);
  CHECK(bound.exact == fraction(4, 3) + fraction(3));
  CHECK(((bound.first == load && bound.second == store)));
  CHECK(fewest_cycles(m.model(), mix_of({{load, 4}, {store, 3}})) == 5);
}

TEST_CASE("resource_bound: the needs of two classes that exclude each other are rounded up separately") {
  machine_builder m("bundles");
  m.channels({"0", "1", "2"}, {}).set({alu, load, store}, midend::class_field::channels, 0b111, {});
  m.resource("port", 2, {}).use({store}, "port", 2, {}).exclude(load, alu, {}).exclude(load, store, {});
  const auto thirds = resource_bound(m.model(), mix_of({{load, 4}, {alu, 4}}));
  CHECK(thirds.exact == fraction(8, 3));
  CHECK(thirds.cycles == 4);
  const auto ports = resource_bound(m.model(), mix_of({{load, 1}, {store, 3}}));
  CHECK(ports.cycles == fewest_cycles(m.model(), mix_of({{load, 1}, {store, 3}})));
  CHECK(ports.exact == fraction(1, 3) + fraction(3));
}

TEST_CASE("resource_bound: of several sets that attain the bound, the smallest is reported") {
  machine_builder m("two");
  m.channels({"a", "b"}, {}).set({alu}, midend::class_field::channels, 0b01, {});
  m.set({shift}, midend::class_field::channels, 0b11, {});
  const auto bound = resource_bound(m.model(), mix_of({{alu, 2}, {shift, 2}}));
  CHECK(bound.cycles == 2);
  CHECK(bound.channels == 0b01);
}

TEST_CASE("resource_bound: exact if every operation takes its channel for one cycle") {
  random_source random(1);
  for (int i = 0; i != 3000; ++i) {
    const machine_model m = random_machine(random, 1);
    const operation_mix mix = random_mix(random);
    const auto bound = resource_bound(m, mix);
    REQUIRE(bound.cycles == fewest_cycles(m, mix));
    REQUIRE(bound.limit == resource_limit::channels);
    std::uint64_t inside = 0;
    for (const operation_class c : some_classes) {
      inside += (m.channels(c) & ~bound.channels) == 0 ? mix[c] : 0;
    }
    REQUIRE(fraction(inside, static_cast<std::uint64_t>(std::popcount(bound.channels))) == bound.limit_exact);
  }
}

TEST_CASE("resource_bound: never too high with occupancies, resources and exclusions") {
  random_source random(2);
  int exact = 0;
  constexpr int rounds = static_cast<int>(affordable(2000));
  for (int i = 0; i != rounds; ++i) {
    machine_builder m(random_machine(random, 3), "random");
    m.resource("r", 2 + random.below(2), {});
    for (const operation_class c : some_classes) {
      m.use({c}, "r", random.below(3), {});
    }
    if (random.one_in(2)) {
      m.exclude(some_classes[random.below(5)], some_classes[random.below(5)], {});
    }
    const operation_mix mix = random_mix(random);
    const auto bound = resource_bound(m.model(), mix);
    const std::uint32_t fewest = fewest_cycles(m.model(), mix);
    REQUIRE_FALSE(bound.is_impossible);
    REQUIRE(bound.cycles <= fewest);
    REQUIRE(bound.exact.ceiling() <= bound.cycles);
    exact += bound.cycles == fewest;
    operation_mix tripled = mix; // the bound before rounding is that of an average
    for (std::uint32_t& count : tripled.counts) {
      count *= 3;
    }
    REQUIRE(resource_bound(m.model(), tripled).exact / 3 == bound.exact);
  }
  MESSAGE("resource bound attained by ", exact, " of ", rounds, " mixes");
  CHECK(exact >= rounds * 8 / 10);
}
