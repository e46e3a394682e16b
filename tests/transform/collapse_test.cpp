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
#include <utility>
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
  CHECK(text.find("select") == std::string::npos);
  CHECK(text.find("mul") == std::string::npos);
}

TEST_CASE("collapse: two counters are stepped by selections") {
  const std::string text = collapsed(nest_text(up_to("3"), up_to("4"), true, "",
                                               "    %row = mul.i64 %i, 5\n    %at = add.i64 %row, %j\n    st.i64 %at, "
                                               "[%a + %at*8]\n"));
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

namespace {

struct collapsed_program {
  elbrus::program before;
  elbrus::program after;
  midend::collapse_plan plan;
  midend::collapse_witness witness;

  explicit collapsed_program(const std::string& text) : before(program_of(text)), after(before) {
    plan = planned_collapse(before.procedures[0]);
    REQUIRE(plan.nests.size() == 1);
    elbrus::editor e(after.procedures[0]);
    witness = midend::apply_collapse(e, plan);
    REQUIRE(accepts(after.procedures[0], witness));
  }

  bool accepts(const procedure& p, const midend::collapse_witness& w) const {
    return static_cast<bool>(midend::verify_collapse(cost_view(before.procedures[0]), cost_view(p), w));
  }
};

} // namespace

TEST_CASE("verify_collapse: what it accepts of seeded mistakes runs the same") {
  counter_text down;
  down.start = 5;
  down.step = -2;
  down.bound = "0";
  down.comparison = "le";
  down.inverted = true;
  const std::string store = "    st.i64 %at, [%a + %at*8]\n";
  const std::string texts[] = {
      nest_text(up_to("3"), up_to("4"), true, "    %row = mul.i64 %i, 4\n", "    %at = add.i64 %row, %j\n" + store),
      nest_text(down, up_to("3"), true, "    %row = mul.i64 %i, 4\n", "    %at = add.i64 %row, %j\n" + store),
      nest_text(up_to("3"), down, true, "", "    %at = add.i64 %i, %j\n" + store, true, "sub.i64 %at, %t"),
  };
  std::size_t mistakes = 0;
  std::size_t accepted = 0;
  for (const std::string& text : texts) {
    const collapsed_program right(text);
    for_each_mistake(right.after.procedures[0], [&](const procedure& wrong) {
      ++mistakes;
      if (!right.accepts(wrong, right.witness)) {
        return;
      }
      ++accepted;
      elbrus::program all;
      all.procedures.push_back(wrong);
      const auto result =
          elbrus::compare_runs(run_nest_program(right.before, {3, 2}, 800), run_nest_program(all, {3, 2}, 800));
      CHECK_MESSAGE(result.verdict == elbrus::run_verdict::same, elbrus::to_text(right.before), elbrus::to_text(wrong));
    });
    const procedure& p = right.after.procedures[0];
    const auto rejects = [&](auto damage) {
      midend::collapse_witness wrong = right.witness;
      damage(wrong);
      CHECK(!right.accepts(p, wrong));
    };
    rejects([](auto& w) { w.nests.clear(); });
    rejects([](auto& w) { w.nests.push_back(w.nests[0]); });
    rejects([](auto& w) { std::swap(w.nests[0].outer_header, w.nests[0].inner_header); });
    rejects([](auto& w) { w.nests[0].counter = midend::no_value; });
    rejects([](auto& w) { w.nests[0].counter += 1; });
    if (!right.witness.linear.empty()) {
      rejects([](auto& w) { w.linear.clear(); });
      rejects([](auto& w) { w.nests[0].last_linear = 0; });
    }
    for (std::size_t i = 0; i != right.witness.moved.size(); ++i) {
      rejects([&](auto& w) { w.moved[i].original += 1; });
      rejects([&](auto& w) { w.moved[i].copy = w.nests[0].counter; });
    }
  }
  MESSAGE(mistakes, " mistakes, ", accepted, " accepted");
  CHECK(mistakes > 300);
  CHECK(accepted * 20 < mistakes);
}

TEST_CASE("verify_collapse: no edge promises more about loops, and no access about other iterations") {
  using fault = midend::collapse_fault;
  const collapsed_program right(nest_text(up_to("3"), up_to("4"), true, "    %row = mul.i64 %i, 4\n",
                                          "    %at = add.i64 %row, %j\n    st.i64 %at, [%a + %at*8]\n"));
  const procedure& old = right.before.procedures[0];
  std::size_t edges = 0;
  for (midend::node_id n = 0; n != old.num_nodes(); ++n) {
    for (const midend::edge_id e : right.after.procedures[0].out_edges(n)) {
      const view_with_promise before(old, e);
      const view_with_promise nothing(old, midend::no_edge);
      const view_with_promise after(right.after.procedures[0], e);
      CHECK(midend::verify_collapse(before, after, right.witness));
      CHECK(midend::verify_collapse(nothing, after, right.witness).fault == fault::changed_flow);
      ++edges;
    }
  }
  CHECK(edges >= 4);

  const procedure none = right.before.procedures[0];
  const auto fault_of = [&](const procedure& before, const procedure& after) {
    return midend::verify_collapse(cost_view(before), cost_view(after), right.witness).fault;
  };
  for (const midend::node_id scope :
       {right.witness.nests[0].outer_header, right.witness.nests[0].inner_header, none.entry()}) {
    procedure before = none;
    put_into_local_class(before, scope);
    procedure after = right.after.procedures[0];
    CHECK(fault_of(before, after) == fault::none);
    put_into_local_class(after, scope);
    CHECK(fault_of(none, after) == fault::changed_operation);
    CHECK(fault_of(before, after) == (scope == none.entry() ? fault::none : fault::changed_operation));
  }
}

TEST_CASE("verify_collapse: a counter that stops too early, or too late, or twice") {
  const collapsed_program right(nest_text(up_to("3"), up_to("4"), true, "", "    st.i64 %i, [%a + %j*8]\n"));
  for (const std::uint64_t bound : {0u, 1u, 3u, 4u, 11u, 12u, 13u, 24u}) {
    procedure p = right.after.procedures[0];
    elbrus::editor e(p);
    for (value_id v = 0; v != p.num_values(); ++v) {
      if (p.is_operation(v) && midend::is_comparison(e.operation(v).code) && e.constant(p.operands(v)[1]) == 12u) {
        e.set_operand(v, 1, e.make_number(64, bound));
      }
    }
    CHECK(right.accepts(p, right.witness) == (bound == 12));
  }
}

TEST_CASE("collapse: three loops become one") {
  std::string text = nest_text(up_to("3"), up_to("4"), true, "", R"(    br planes
  node planes:
    %k = phi.i64 [columns: 0], [planes: %k1]
    %row = mul.i64 %i, 4
    %line = add.i64 %row, %j
    %plane = mul.i64 %line, 2
    %at = add.i64 %plane, %k
    st.i64 %at, [%a + %at*8]
    %k1 = add.i64 %k, 1
    %ck = cmp.lt.i64 %k1, 2
    br %ck ? planes : next_column
  node next_column:
)");
  const std::string from = "[columns: %nj1]";
  text.replace(text.find(from), from.size(), "[next_column: %nj1]");
  elbrus::program all = program_of(text);
  const elbrus::program before = all;
  procedure& p = all.procedures[0];
  CHECK(collapse(p) == 1);
  CHECK(collapse(p) == 1);
  CHECK(collapse(p) == 0);
  CHECK(midend::dominators_and_loops(p).loops.num_loops() == 1);
  CHECK(elbrus::compare_runs(run_nest_program(before, {}, 800), run_nest_program(all, {}, 800)) ==
        elbrus::run_comparison{});
}

TEST_CASE("collapse: floating-point sums stay in order, and values after the loops stay what they were") {
  std::string text = nest_text(up_to("3"), up_to("4"), true, "",
                               "    %wi = mul.i64 %i, 4\n    %w = add.i64 %wi, %j\n    %x = ld.f64 [%a + %w*8]\n", true,
                               "fadd.f64 %t, %x");
  for (const std::string_view name : {"%s = phi.", "%t = phi."}) {
    text.replace(text.find(name) + name.size(), 3, "f64");
  }
  text.replace(text.find("entry: 7"), 8, "entry: 7.0");
  text.replace(text.find("-> i64"), 6, "-> f64");
  counts c;
  check_runs(text, c);
  CHECK(c.same == 1);
  std::string last = nest_text(up_to("3"), up_to("4"), true, "", "    %x = mul.i64 %i, %j\n");
  last.replace(last.find("ret 0"), 5, "%y = add.i64 %x, %ni1\n    ret %y");
  check_runs(last, c);
  CHECK(c.same == 2);
  // What each row carries as a floating-point number has no selection: refused before anything changes.
  std::string rows =
      nest_text(up_to("3"), up_to("4"), true, "", "    %x = fadd.f64 %t, 1.0\n    st.f64 %x, [%a + %j*8]\n");
  rows.replace(rows.find("    %nj = phi"), 0, "    %t = phi.f64 [rows: 0.5], [columns: %x]\n");
  elbrus::program all = program_of(rows);
  midend::collapse_plan plan = planned_collapse(all.procedures[0]);
  CHECK(plan.nests.size() == 1);
  elbrus::editor e(all.procedures[0]);
  static_cast<void>(midend::apply_collapse(e, plan));
  CHECK(plan.empty());
  REQUIRE(plan.refused.size() == 1);
  CHECK(plan.refused[0].why == loop_pair_obstacle::not_made);
  CHECK(elbrus::to_text(all) == elbrus::to_text(program_of(rows)));
}
