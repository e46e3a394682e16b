// Collapse: certified, run, and with seeded mistakes that the checker has to reject.
#include "kit/affordable.hpp"
#include "kit/run_text.hpp"
#include "kit/test_graph.hpp"
#include "transform/nest_checks.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
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

/// Collapses what is legal, with its certificate. Returns how many nests.
std::size_t collapse(procedure& p, const midend::collapse_options& options = {}) {
  const procedure before = p;
  midend::collapse_plan plan = planned_collapse(p, options);
  elbrus::editor editor(p);
  const midend::collapse_witness witness = midend::apply_collapse(editor, plan);
  const auto verdict = midend::verify_collapse(cost_view(before), cost_view(p), witness);
  CHECK_MESSAGE(verdict, "fault ", static_cast<int>(verdict.fault), ", node ", verdict.node, ", value ", verdict.value,
                "\n", elbrus::to_text(before), elbrus::to_text(p));
  const std::string broken = why_broken(p);
  CHECK_MESSAGE(broken.empty(), broken, "\n", elbrus::to_text(before), elbrus::to_text(p));
  return plan.nests.size();
}

loop_pair_obstacle obstacle(std::string_view text) {
  const elbrus::program all = program_of(text);
  const midend::collapse_plan plan = planned_collapse(all.procedures[0]);
  return plan.refused.empty() ? loop_pair_obstacle::none : plan.refused[0].why;
}

std::string collapsed(std::string_view text) {
  elbrus::program all = program_of(text);
  CHECK(collapse(all.procedures[0]) == 1);
  return elbrus::to_text(all.procedures[0]);
}

counter_text up_to(const std::string& bound) {
  counter_text c;
  c.bound = bound;
  return c;
}

struct counts {
  std::size_t nests = 0;
  std::size_t done = 0;
  std::size_t same = 0;
  std::size_t linear = 0;
};

void check_runs(const std::string& text, counts& c, std::size_t steps = 100'000) {
  const elbrus::program before = program_of(text);
  elbrus::program after = before;
  ++c.nests;
  const midend::collapse_plan plan = planned_collapse(before.procedures[0]);
  c.linear += plan.linear.empty() ? 0u : 1u;
  if (collapse(after.procedures[0]) == 0) {
    CHECK(elbrus::to_text(before) == elbrus::to_text(after));
    return;
  }
  ++c.done;
  const auto old = run_nest_program(before, {3, 2}, 600, steps);
  const auto now = run_nest_program(after, {3, 2}, 600, 4 * steps);
  const auto result = elbrus::compare_runs(old, now);
  CHECK_MESSAGE(result.verdict != elbrus::run_verdict::different, text, elbrus::to_text(after));
  CHECK_MESSAGE(!(!old.trap && now.trap), text);
  c.same += result.verdict == elbrus::run_verdict::same ? 1u : 0u;
}

} // namespace

TEST_CASE("collapse: a value that counts both loops becomes the counter") {
  const std::string text = collapsed(nest_text(up_to("3"), up_to("4"), true, "    %row = mul.i64 %i, 4\n",
                                               "    %at = add.i64 %row, %j\n    st.i64 %at, [%a + %at*8]\n"));
  MESSAGE(text);
  CHECK(text.find("select") == std::string::npos);
  CHECK(text.find("mul") == std::string::npos);
}

TEST_CASE("collapse: two counters are stepped by selections") {
  const std::string text = collapsed(nest_text(up_to("3"), up_to("4"), true, "",
                                               "    %row = mul.i64 %i, 5\n    %at = add.i64 %row, %j\n    st.i64 %at, "
                                               "[%a + %at*8]\n"));
  MESSAGE(text);
  CHECK(text.find("select") != std::string::npos);
  CHECK(text.find("div") == std::string::npos);
}

TEST_CASE("collapse: all small nests run the same") {
  counts c;
  random_source random(3);
  const std::string names[] = {"lt", "le", "gt", "ge", "ne", "ult", "ule", "ugt", "uge"};
  const char* const many = std::getenv("MIDEND_NESTS");
  const std::size_t count = many != nullptr ? std::strtoull(many, nullptr, 10) : affordable(4000);
  for (std::size_t i = 0; i != count; ++i) {
    const bool narrow = random.one_in(3);
    const auto number = [&](int low, int high) {
      return low + static_cast<int>(random.below(static_cast<std::size_t>(high - low + 1)));
    };
    const auto counter = [&] {
      counter_text t;
      t.width = narrow ? 8 : 64;
      t.start = narrow ? number(-128, 127) : number(-3, 3);
      t.step = narrow ? number(-40, 40) : number(-3, 3);
      t.bound = std::to_string(narrow ? number(-128, 127) : number(-6, 6));
      t.comparison = narrow ? names[random.below(9)] : t.step > 0 ? "lt" : "gt";
      t.inverted = random.one_in(3);
      if (t.inverted && !narrow) {
        t.comparison = t.step > 0 ? "ge" : "le";
      }
      t.tests_phi = random.one_in(3);
      t.flags = random.one_in(4) ? " nsw" : "";
      return t;
    };
    const counter_text outer = counter();
    const counter_text inner = counter();
    const bool reduces = random.one_in(2);
    const bool is_volatile = random.one_in(3);
    const std::string at = "    %oi = mul.i64 %i, " + std::to_string(number(-9, 9)) + "\n    %at = add.i64 %oi, %j\n";
    const std::string body = at +
                             "    %w = and.i64 %at, 127\n    %x = ld.i8 [%a + %w*1]\n    %z = mul.i8 %x, 3\n    "
                             "%y = add.i8 %z, 1\n    st.i8 %y, [%a + %w*1]" +
                             (is_volatile ? " volatile" : "") + "\n    %wide = sext.i8.i64 %y\n";
    check_runs(nest_text(outer, inner, true, "    %ii = mul.i64 %i, 3\n", body, reduces, "sub.i64 %wide, %t"), c,
               400'000);
  }
  MESSAGE(c.nests, " nests, ", c.done, " collapsed, ", c.linear, " with a value as counter, ", c.same,
          " runs the same");
  CHECK(c.done > c.nests / 8);
}

TEST_CASE("collapse: regression 49") {
  using enum loop_pair_obstacle;
  const std::string body = "    st.i64 %i, [%a]\n";
  CHECK(obstacle(nest_text(up_to("3"), up_to("4"), false, "", body)) == not_rotated);
  CHECK(obstacle(nest_text(up_to("%p"), up_to("4"), true, "", body)) == unknown_count);
  CHECK(obstacle(nest_text(up_to("3"), up_to("%q"), true, "", body)) == unknown_count);
  CHECK(obstacle(nest_text(up_to("5000000000"), up_to("5000000000"), true, "", body)) == product_may_wrap);
  CHECK(obstacle(nest_text(up_to("3"), up_to("4"), true, "    st.i64 %i, [%a]\n", body)) == not_perfect);
}
