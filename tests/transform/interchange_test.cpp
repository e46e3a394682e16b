// Interchange: certified, run, and with seeded mistakes that the checker has to reject.
#include "kit/affordable.hpp"
#include "kit/run_text.hpp"
#include "kit/test_graph.hpp"
#include "transform/nest_checks.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using elbrus::cost_view;
using elbrus::procedure;
using midend::loop_pair_obstacle;
using midend::value_id;

namespace {

/// Interchanges what is legal, with its certificate. Returns how many nests.
std::size_t interchange(procedure& p, const midend::interchange_options& options = {}) {
  const procedure before = p;
  const midend::interchange_plan plan = planned_interchange(p, options);
  elbrus::editor editor(p);
  const midend::interchange_witness witness = midend::apply_interchange(editor, plan);
  const auto verdict = midend::verify_interchange(cost_view(before), cost_view(p), witness);
  CHECK_MESSAGE(verdict, "fault ", static_cast<int>(verdict.fault), ", node ", verdict.node, ", value ", verdict.value,
                "\n", elbrus::to_text(before), elbrus::to_text(p));
  const std::string broken = why_broken(p);
  CHECK_MESSAGE(broken.empty(), broken, "\n", elbrus::to_text(before), elbrus::to_text(p));
  return plan.nests.size();
}

loop_pair_obstacle obstacle(const procedure& p, const midend::interchange_options& options = {}) {
  const midend::interchange_plan plan = planned_interchange(p, options);
  return plan.refused.empty() ? loop_pair_obstacle::none : plan.refused[0].why;
}

loop_pair_obstacle obstacle(std::string_view text) {
  const elbrus::program all = program_of(text);
  return obstacle(all.procedures[0]);
}

/// The procedures of a shipped program.
elbrus::program sample_program() {
  std::ifstream in(MIDEND_TEST_DATA "/../../examples/programs/nests.eir");
  std::stringstream text;
  text << in.rdbuf();
  return program_of(text.str());
}

const procedure& sample(const elbrus::program& all, std::string_view name) {
  for (const procedure& p : all.procedures) {
    if (p.name() == name) {
      return p;
    }
  }
  FAIL("no procedure ", name);
  return all.procedures[0];
}

} // namespace

TEST_CASE("interchange: textbook kernels") {
  const elbrus::program all = sample_program();
  CHECK(obstacle(sample(all, "stencil")) == loop_pair_obstacle::dependence);
  CHECK(obstacle(sample(all, "prefix_sums")) == loop_pair_obstacle::dependence);
  CHECK(obstacle(sample(all, "triangle")) == loop_pair_obstacle::bounds_change);
  for (const std::string_view name : {"transpose", "sum"}) {
    procedure p = sample(all, name);
    CHECK(interchange(p) == 1);
    MESSAGE(elbrus::to_text(p));
  }
}

namespace {

/// A load and a store of bytes at a + x · i + y · j + z.
std::string accesses(int x, int y, int z, int u, int v, int w, int size = 1) {
  const std::string type = size == 1 ? "i8" : "i16";
  const auto place = [](const std::string& name, int of_i, int of_j) {
    return "    %" + name + "i = mul.i64 %i, " + std::to_string(of_i) + "\n    %" + name + "j = mul.i64 %j, " +
           std::to_string(of_j) + "\n    %" + name + " = add.i64 %" + name + "i, %" + name + "j\n";
  };
  const auto offset = [](int n) { return n < 0 ? " - " + std::to_string(-n) : " + " + std::to_string(n); };
  return place("r", x, y) + "    %x = ld." + type + " [%a + %r*1" + offset(z) + "]\n    %x3 = mul." + type +
         " %x, 3\n    %ti = trunc.i64." + type + " %ri\n    %x4 = add." + type + " %x3, %ti\n" + place("w", u, v) +
         "    st." + type + " %x4, [%a + %w*1" + offset(w) + "]\n";
}

struct counts {
  std::size_t nests = 0;
  std::size_t done = 0;
  std::size_t same = 0;
};

/// Interchanges and runs. Without verdict are runs that did not end.
void check_runs(const std::string& text, counts& c, const std::vector<std::uint64_t>& numbers = {3, 2},
                std::size_t bytes = 400, std::size_t steps = 20'000) {
  const elbrus::program before = program_of(text);
  elbrus::program after = before;
  ++c.nests;
  if (interchange(after.procedures[0]) == 0) {
    CHECK(elbrus::to_text(before) == elbrus::to_text(after));
    return;
  }
  ++c.done;
  const auto old = run_nest_program(before, numbers, bytes, steps);
  // An interchange may not make an endless loop of one that ends.
  const auto now = run_nest_program(after, numbers, bytes, 4 * steps);
  const auto result = elbrus::compare_runs(old, now);
  const bool ended = !old.trap;
  CHECK_MESSAGE(result.verdict != elbrus::run_verdict::different, text);
  CHECK_MESSAGE(!(ended && now.trap), text);
  c.same += result.verdict == elbrus::run_verdict::same ? 1 : 0;
}

} // namespace

TEST_CASE("interchange: the product of matrices, all three adjacent interchanges") {
  const elbrus::program all = sample_program();
  const procedure& original = sample(all, "product");
  const auto order_of = [](const procedure& p) { // by the factor of the counters in the address of the store
    return elbrus::to_text(p);
  };
  std::vector<elbrus::program> orders;
  const auto apply = [&](const procedure& from, midend::loop_id only) {
    elbrus::program one;
    one.procedures.push_back(from);
    midend::interchange_options options;
    options.only = only;
    CHECK(interchange(one.procedures[0], options) == 1);
    CHECK(order_of(one.procedures[0]) != order_of(from));
    orders.push_back(one);
    return orders.back().procedures[0];
  };
  // All six orders: ijk, jik, jki, kji, kij, ikj, and back to ijk.
  procedure p = original;
  for (const midend::loop_id only : {0u, 1u, 0u, 1u, 0u, 1u}) {
    p = apply(p, only);
  }
  const auto run = [](const elbrus::program& one) {
    elbrus::memory memory;
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t i = 0; i != 16; ++i) {
      numbers.push_back(i * i + 3);
    }
    std::vector<elbrus::scalar> arguments;
    for (const std::string_view name : {"c", "a", "b"}) {
      arguments.push_back({elbrus::type::ptr, memory.add(name, elbrus::type::i64, numbers)});
    }
    return elbrus::interpreter(one).run(0, arguments, std::move(memory), {});
  };
  elbrus::program first;
  first.procedures.push_back(original);
  for (const elbrus::program& one : orders) {
    CHECK(elbrus::compare_runs(run(first), run(one)) == elbrus::run_comparison{});
  }
}

TEST_CASE("interchange: all small nests of a load and a store run the same") {
  counts c;
  for (const bool rotated : {true, false}) {
    for (int x = -2; x <= 2; ++x) {
      for (int y = -2; y <= 2; ++y) {
        for (const int u : {0, 1, 2}) {
          for (const int v : {-2, 0, 1}) {
            for (const int z : {-2, -1, 0, 1}) {
              if (affordable(10) < 10 && (x + y + u + v + z) % 10 != 0) {
                continue;
              }
              const bool is_down = (x + y + z) % 2 == 0;
              counter_text outer{64, is_down ? 3 : 0, is_down ? -1 : 1, is_down ? "0" : "3", is_down ? "gt" : "lt"};
              counter_text inner{64, 1, 2, "5", "lt"};
              check_runs(nest_text(outer, inner, rotated, "", accesses(x, y, z, u, v, 0, (u + v) % 2 == 0 ? 1 : 2)), c);
            }
          }
        }
      }
    }
  }
  MESSAGE(c.nests, " nests, ", c.done, " interchanged, ", c.same, " runs the same");
  CHECK(c.same == c.done);
  CHECK(c.done > c.nests / 20);
  CHECK(c.done < c.nests);
}

TEST_CASE("interchange: counters of 8 bits that wrap, with any step, test and form") {
  counts c;
  random_source random(1);
  const std::string names[] = {"lt", "le", "gt", "ge", "ne", "ult", "ule", "ugt", "uge"};
  for (std::size_t i = 0; i != affordable(4000); ++i) {
    const auto counter = [&] {
      counter_text t;
      t.width = 8;
      t.start = static_cast<int>(random.below(256)) - 128;
      t.step = static_cast<int>(random.below(9)) - 4;
      t.bound = random.one_in(3) ? "%b" : std::to_string(static_cast<int>(random.below(256)) - 128);
      t.comparison = names[random.below(9)];
      t.inverted = random.one_in(2);
      t.tests_phi = random.one_in(3);
      t.flags = random.one_in(4) ? " nsw" : "";
      return t;
    };
    const counter_text outer = counter();
    const counter_text inner = counter();
    std::string text = nest_text(outer, inner, random.one_in(2), "    %ii = mul.i64 %i, 5\n", "    %x = bit_xor_here\n",
                                 true, "add.i64 %t, %x nsw");
    text.replace(text.find("bit_xor_here"), 12, "mul.i64 %ii, %j");
    text.replace(text.find("    br rows"), 11, "    %b = trunc.i64.i8 %p\n    br rows");
    check_runs(text, c, {random.below(256), 0}, 16, 400'000);
  }
  MESSAGE(c.nests, " nests, ", c.done, " interchanged, ", c.same, " runs the same");
  CHECK(c.done > c.nests / 4);
}

TEST_CASE("interchange: random nests run the same") {
  counts c;
  random_source random(2);
  const char* const many = std::getenv("MIDEND_NESTS");
  const std::size_t count = many != nullptr ? std::strtoull(many, nullptr, 10) : affordable(3000);
  for (std::size_t i = 0; i != count; ++i) {
    const auto number = [&](int low, int high) {
      return low + static_cast<int>(random.below(static_cast<std::size_t>(high - low + 1)));
    };
    const auto counter = [&](const char* symbol) {
      counter_text t;
      t.step = number(-2, 2);
      t.step += t.step == 0 ? 1 : 0;
      t.start = t.step > 0 ? number(-2, 1) : number(2, 5);
      const bool is_symbol = random.one_in(3);
      t.bound = is_symbol ? symbol : std::to_string(t.step > 0 ? number(0, 4) : number(-1, 2));
      t.comparison = t.step > 0 ? (random.one_in(3) ? "le" : "lt") : (random.one_in(3) ? "ge" : "gt");
      if (random.one_in(4)) {
        t.inverted = true;
        t.comparison = t.step > 0 ? "ge" : "le";
      }
      t.flags = random.one_in(2) ? " nsw" : "";
      return t;
    };
    const counter_text outer = counter("%p");
    const counter_text inner = counter("%q");
    const int row = number(1, 7);
    const std::string body = random.one_in(2) ? accesses(row, 1, number(-8, 8), row, 1, 0, number(1, 2))
                                              : accesses(number(-3, 3), number(-3, 3), number(-4, 4), number(-3, 3),
                                                         number(-3, 3), number(-4, 4), number(1, 2));
    const bool reduces = random.one_in(3);
    const char* const steps[] = {"add.i64 %t, %wide", "sub.i64 %t, %wide",  "mul.i64 %t, %wide", "xor.i64 %wide, %t",
                                 "max.i64 %t, %wide", "umin.i64 %wide, %t", "and.i64 %t, %wide"};
    const std::string wide =
        std::string("    %wide = sext.") + (body.find("ld.i8") != body.npos ? "i8" : "i16") + ".i64 %x4\n";
    check_runs(nest_text(outer, inner, random.one_in(2), "", body + wide, reduces, steps[random.below(7)]), c,
               {random.below(5), random.below(5)}, 600);
  }
  MESSAGE(c.nests, " nests, ", c.done, " interchanged, ", c.same, " runs the same");
  CHECK(c.done > c.nests / 20);
}
