// Machine files: round trips, errors with their positions, the examples, damaged text.
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/machine/e2k.hpp>
#include <midend/machine/machine_file.hpp>
#include <midend/machine/scalar_core.hpp>
#include <midend/viz/machine.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

using namespace midend_tests;
using enum midend::operation_class;
using midend::confidence;
using midend::machine_file_fault;
using midend::machine_model;
using midend::read_machine;

namespace {

machine_model read_well(const std::string& text) {
  const auto m = read_machine(text);
  REQUIRE_MESSAGE(m.has_value(), (m ? "" : midend::to_text(m.error(), "text")));
  return *m;
}

std::string example(const std::string& name) {
  std::ifstream file(MIDEND_TEST_DATA "/../../examples/machines/" + name);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

struct bad_text {
  const char* text;
  std::uint32_t line, column;
  machine_file_fault fault;
};

constexpr bool reads_in_a_constant_expression() {
  constexpr char text[] = "machine tiny\nchannels = x y\nclass alu channels = y\nclass alu latency = 3\n";
  const auto m = read_machine(std::span(text, sizeof text - 1));
  return m.has_value() && m->channels(alu) == 2 && m->latency(alu) == 3 && m->latency(load) == 1;
}

static_assert(reads_in_a_constant_expression());

} // namespace

TEST_CASE("machine_file: what is written is read as the same machine") {
  for (const machine_model& m :
       {midend::e2k_reference_v6(), midend::e2k_guide_v4(), midend::scalar_core(), machine_model()}) {
    const std::string text = to_text(m);
    const machine_model again = read_well(text);
    CHECK((again == m));
    CHECK(to_text(again) == text);
  }
}

TEST_CASE("machine_file: the examples") {
  CHECK((read_well(example("e2k.machine")) == midend::e2k_reference_v6()));
  CHECK((read_well(example("scalar.machine")) == midend::scalar_core()));
  const machine_model c6x = read_well(example("c6x.machine"));
  CHECK(c6x.num_channels() == 8);
  CHECK(c6x.channels(load) == 0b1000'1000);
  CHECK(c6x.latency(load) == 5);
  CHECK((read_well(to_text(c6x)) == c6x));
  const machine_model haswell = read_well(example("haswell.machine"));
  CHECK(haswell.value(midend::machine_field::loop_buffer) == 224);
  CHECK(haswell.value(midend::machine_field::loop_exit_penalty) == 15);
  CHECK((read_well(to_text(haswell)) == haswell));
  const machine_model hexagon = read_well(example("hexagon.machine"));
  CHECK(hexagon.num_channels() == 4);
  CHECK(hexagon.channels(load) == 0b0011);
  CHECK(hexagon.channels(midend::operation_class::integer_multiply) == 0b1100);
  CHECK(hexagon.channels(midend::operation_class::fp_divide_single) == 0);
  CHECK(hexagon.latency(load, alu, midend::dependence_kind::value) == 1);
  CHECK(hexagon.latency(load, midend::operation_class::integer_multiply, midend::dependence_kind::value) == 2);
  CHECK(hexagon.latency(midend::operation_class::compare, store, midend::dependence_kind::guard) == 0);
  CHECK(hexagon.value(midend::machine_field::hardware_loop_counter) == 1);
  CHECK((read_well(to_text(hexagon)) == hexagon));
}

TEST_CASE("machine_file: a machine that is known to have no channels") {
  const machine_model m = read_well("source A = title\nchannels = # A, low\n");
  CHECK((m.channel_provenance == midend::machine_value{0, 1, confidence::low}));
  CHECK((read_well(to_text(m)) == m));
}

TEST_CASE("machine_file: a profile is a file and some lines") {
  const machine_model m = read_well(to_text(midend::e2k_reference_v6()) + "class load latency = 3 # S4, medium\n");
  CHECK(m.latency(load) == 3);
  CHECK(m[load][midend::class_field::latency].trust == confidence::medium);
}

TEST_CASE("machine_file: the last value of a cell counts, for pairs too") {
  const machine_model m = read_well("latency load -> alu value = 1\nlatency load -> alu value = 2\n"
                                    "latency load -> * value = 3\nexclude load store = 1\nexclude store load = 0");
  CHECK(m.latency(load, alu, midend::dependence_kind::value) == 2);
  CHECK_FALSE(m.excludes(load, store));
}

TEST_CASE("machine_file: provenance, comments, blanks") {
  const machine_model m = read_well("# a comment\n\n  machine\tm   # assumed\r\nsource A = title # with a sign \n"
                                    "source B =\nloop_setup = 7 # A B, high # words\nfree_nops=2#assumed\n"
                                    "code_header = 4\nlatency load -> * value = 9\nexclude load store = 1\n"
                                    "latency load -> alu value = 8");
  CHECK(m.name == midend::short_text<31>("m"));
  CHECK(m.sources[0].title == midend::short_text<135>("title # with a sign"));
  CHECK(m[midend::machine_field::loop_setup] == midend::machine_value{7, 3, confidence::high});
  CHECK(m[midend::machine_field::free_nops] == midend::machine_value{2, 0, confidence::assumed});
  CHECK(m[midend::machine_field::code_header] == midend::machine_value{4, 0, confidence::unknown});
  CHECK(m.latency(load, shift, midend::dependence_kind::value) == 9);
  CHECK(m.latency(load, alu, midend::dependence_kind::value) == 8);
  CHECK(m.excludes(store, load));
}

TEST_CASE("machine_file: errors name line and column") {
  using enum machine_file_fault;
  const bad_text cases[] = {
      {"speed = 3", 1, 1, unknown_key},
      {"\n  class vector latency = 1", 2, 9, unknown_class},
      {"class alu weight = 1", 1, 11, unknown_field},
      {"channels = a b\nclass alu channels = a c", 2, 24, unknown_channel},
      {"class alu uses MEM = 1", 1, 16, unknown_resource},
      {"loop_setup = 1 # S1, high", 1, 18, unknown_source},
      {"latency load -> alu data = 1", 1, 21, unknown_dependence},
      {"loop_setup =", 1, 13, missing_value},
      {"loop_setup 5", 1, 12, expected_symbol},
      {"latency load alu value = 1", 1, 14, expected_symbol},
      {"loop_setup = five", 1, 14, bad_number},
      {"loop_setup = 4294967296", 1, 14, bad_number},
      {"loop_setup = -1", 1, 14, bad_number},
      {"loop_setup = 99999999999999999999999999", 1, 14, bad_number},
      {"loop_setup = 5 cycles", 1, 16, text_after_value},
      {"machine a b", 1, 11, text_after_value},
      {"machine abcdefghijklmnopqrstuvwxyzabcdefghij", 1, 9, text_too_long},
      {"machine a\xc2\x9b\x33m", 1, 9, control_character},
      {"channels = a b c d e f g h i j k l m n o p q", 1, 44, too_many},
      {"channels = a a", 1, 14, defined_twice},
      {"channels = a\nchannels = b", 2, 1, defined_twice},
      {"resource R = 1\nresource R = 2", 2, 10, defined_twice},
      {"source A = x\nloop_setup = 1 # A", 2, 19, missing_confidence},
      {"source high = x", 1, 8, reserved_name},
  };
  for (const bad_text& bad : cases) {
    CAPTURE(bad.text);
    const auto m = read_machine(std::string_view(bad.text));
    REQUIRE_FALSE(m.has_value());
    CHECK(m.error().line == bad.line);
    CHECK(m.error().column == bad.column);
    CHECK(m.error().fault == bad.fault);
    CHECK_FALSE(midend::to_text(bad.fault).empty());
  }
  CHECK(midend::to_text({3, 4, bad_number}, "my.machine") ==
        "my.machine:3:4: error: expected a decimal number below 4294967296");
}

TEST_CASE("machine_file: damaged text is an error with a position, or a machine that can be written") {
  random_source random(8);
  const std::string whole = to_text(midend::e2k_reference_v6());
  int errors = 0;
  for (int i = 0; i != 2000; ++i) {
    std::string text = whole;
    for (std::uint32_t damage = 1 + random.below(4); damage != 0; --damage) {
      const std::size_t at = random.below(text.size());
      const std::size_t size = std::min<std::size_t>(random.below(30), text.size() - at);
      const std::size_t from = random.below(text.size() - size + 1);
      switch (random.below(4)) {
      case 0:
        text[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        text.erase(at, size);
        break;
      case 2:
        text.insert(at, text.substr(from, size));
        break;
      default:
        text.resize(at + 1);
      }
    }
    const auto m = read_machine(text);
    if (m.has_value()) {
      const machine_model again = read_well(to_text(*m));
      REQUIRE((again == *m));
      continue;
    }
    ++errors;
    const auto lines = static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n') + 1);
    REQUIRE(m.error().line >= 1);
    REQUIRE(m.error().line <= lines);
    REQUIRE(m.error().column >= 1);
    REQUIRE(m.error().column <= text.size() + 1);
  }
  CHECK(errors > 1000);
  CHECK(errors < 2000);
}
