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
#include <utility>
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
  c.same += result.verdict == elbrus::run_verdict::same ? 1u : 0u;
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

namespace {

/// A legal nest, interchanged.
struct interchanged {
  elbrus::program before;
  elbrus::program after;
  midend::interchange_plan plan;
  midend::interchange_witness witness;

  explicit interchanged(const std::string& text) : before(program_of(text)), after(before) {
    plan = planned_interchange(before.procedures[0]);
    REQUIRE(plan.nests.size() == 1);
    elbrus::editor e(after.procedures[0]);
    witness = midend::apply_interchange(e, plan);
    REQUIRE(accepts(after.procedures[0], witness));
  }

  bool accepts(const procedure& p, const midend::interchange_witness& w) const {
    return static_cast<bool>(midend::verify_interchange(cost_view(before.procedures[0]), cost_view(p), w));
  }
};

counter_text up_to(const std::string& bound, int step = 1) {
  counter_text c;
  c.bound = bound;
  c.step = step;
  return c;
}

counter_text down_to(const std::string& bound) {
  counter_text c;
  c.start = 3;
  c.step = -1;
  c.bound = bound;
  c.comparison = "le";
  c.inverted = true;
  return c;
}

const std::string row_body =
    "    %row = mul.i64 %i, 4\n    %at = add.i64 %row, %j\n    %x = ld.i64 [%a + %at*8]\n    %y = add.i64 %x, 3\n    "
    "st.i64 %y, [%a + %at*8]\n";

/// A sum over a part of a matrix.
const std::string sum_body = "    %row = mul.i64 %i, 4\n    %at = add.i64 %row, %j\n    %x = ld.i64 [%a + %at*8]\n";

} // namespace

TEST_CASE("verify_interchange: what it accepts of seeded mistakes runs the same") {
  const std::string texts[] = {
      nest_text(up_to("3"), up_to("4", 2), true, "", row_body),
      nest_text(up_to("3"), down_to("0"), false, "    %k = mul.i64 %i, 2 nsw\n", row_body + "    %z = add.i64 %y, %k\n",
                true, "add.i64 %t, %z nsw"),
      nest_text(up_to("%p"), up_to("%q"), false, "", sum_body, true, "add.i64 %t, %x"),
  };
  std::size_t mistakes = 0;
  std::size_t accepted = 0;
  for (const std::string& text : texts) {
    const interchanged right(text);
    for_each_mistake(right.after.procedures[0], [&](const procedure& wrong) {
      ++mistakes;
      if (!right.accepts(wrong, right.witness)) {
        return;
      }
      ++accepted;
      elbrus::program all;
      all.procedures.push_back(wrong);
      for (const std::uint64_t p : {0u, 1u, 3u}) {
        for (const std::uint64_t q : {0u, 2u}) {
          const auto result =
              elbrus::compare_runs(run_nest_program(right.before, {p, q}, 800), run_nest_program(all, {p, q}, 800));
          CHECK_MESSAGE(result.verdict == elbrus::run_verdict::same, elbrus::to_text(right.before),
                        elbrus::to_text(wrong));
        }
      }
    });
  }
  MESSAGE(mistakes, " mistakes, ", accepted, " accepted");
  CHECK(mistakes > 500);
  CHECK(accepted * 50 < mistakes);
}

TEST_CASE("verify_interchange: no access promises anything about other iterations") {
  using fault = midend::interchange_fault;
  const interchanged right(nest_text(up_to("3"), up_to("4", 2), true, "", row_body));
  const procedure none = right.before.procedures[0];
  const auto fault_of = [&](const procedure& before, const procedure& after) {
    return midend::verify_interchange(cost_view(before), cost_view(after), right.witness).fault;
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

TEST_CASE("verify_interchange: proofs that are missing, forged or of another nest are rejected") {
  const interchanged right(nest_text(up_to("3"), up_to("4"), true, "", row_body));
  const procedure& p = right.after.procedures[0];
  REQUIRE(right.witness.pairs.size() == 2); // load and store, store and itself
  const auto rejects = [&](auto damage) {
    midend::interchange_witness wrong = right.witness;
    damage(wrong);
    CHECK(!right.accepts(p, wrong));
  };
  rejects([](auto& w) { w.pairs.resize(1, {}); });
  rejects([](auto& w) { w.nests[0].last_pair = 1; });
  rejects([](auto& w) { w.nests[0].first_pair = 1; });
  rejects([](auto& w) { w.pairs[1] = w.pairs[0]; });
  rejects([](auto& w) { w.pairs[0].cases.clear(); });
  rejects([](auto& w) { w.nests[0].new_outer = w.nests[0].new_inner; });
  rejects([](auto& w) { std::swap(w.nests[0].new_outer, w.nests[0].new_inner); });
  rejects([](auto& w) { std::swap(w.nests[0].outer_header, w.nests[0].inner_header); });
  rejects([](auto& w) { w.nests[0].outer_counter = w.nests[0].inner_counter; });
  rejects([](auto& w) { w.nests.clear(); });
  rejects([](auto& w) { w.nests.push_back(w.nests[0]); });
  rejects([](auto& w) { w.copies.clear(); });
  for (std::size_t i = 0; i != right.witness.copies.size(); ++i) {
    rejects([&](auto& w) { w.copies[i].original = w.nests[0].outer_counter; });
    rejects([&](auto& w) { w.copies[i].copy = midend::no_value - 1; });
  }
  for (std::size_t i = 0; i != 2; ++i) { // every step of a proof counts
    for (std::size_t k = 0; k != right.witness.pairs[i].terms.size(); ++k) {
      rejects([&](auto& w) { w.pairs[i].terms[k].factor = -w.pairs[i].terms[k].factor; });
    }
    for (std::size_t k = 0; k != right.witness.pairs[i].cases.size(); ++k) {
      rejects([&](auto& w) { w.pairs[i].cases[k].kind = midend::dependence_case_kind::other_class; });
    }
  }
  // The order that the nest really needs is stated, and not kept.
  const std::string bad = nest_text(up_to("3"), up_to("4"), true, "",
                                    "    %row = mul.i64 %i, 4\n    %at = add.i64 %row, %j\n    %x = ld.i64 [%a + %at*8 "
                                    "- 24]\n    %y = add.i64 %x, 3\n    st.i64 %y, [%a + %at*8]\n");
  const elbrus::program before = program_of(bad);
  CHECK(obstacle(before.procedures[0]) == loop_pair_obstacle::dependence);
  elbrus::program after = before;
  elbrus::editor e(after.procedures[0]);
  midend::interchange_plan plan = right.plan; // values have the same numbers
  plan.epoch = midend::graph_epoch(before.procedures[0]);
  midend::interchange_witness forged = midend::apply_interchange(e, plan);
  const auto verdict = [&] {
    return midend::verify_interchange(cost_view(before.procedures[0]), cost_view(after.procedures[0]), forged);
  };
  CHECK(verdict().fault == midend::interchange_fault::wrong_proof);
  const cost_view view(before.procedures[0]);
  const auto flow = midend::dominators_and_loops(before.procedures[0]);
  const midend::function_nest nest =
      midend::read_nest(view, flow.loops, flow.dominators, midend::evolutions(view, flow.loops), {}, 0);
  for (std::size_t i = 0; i != forged.pairs.size(); ++i) {
    forged.pairs[i] = midend::dependence(nest.accesses, forged.pairs[i].first, forged.pairs[i].second);
  }
  CHECK(verdict().fault == midend::interchange_fault::unproven_order);
  CHECK(elbrus::compare_runs(run_nest_program(before, {0, 0}, 800), run_nest_program(after, {0, 0}, 800)).verdict ==
        elbrus::run_verdict::different);
}

TEST_CASE("interchange: regression 43, reductions whose order matters") {
  const auto of = [](const std::string& step, const std::string& body) {
    return obstacle(nest_text(up_to("3"), up_to("4"), true, "", body, true, step));
  };
  using enum loop_pair_obstacle;
  for (const char* const step :
       {"add.i64 %t, %i", "add.i64 %i, %t", "sub.i64 %t, %i", "mul.i64 %t, %i", "and.i64 %t, %i", "or.i64 %t, %i",
        "xor.i64 %t, %i", "min.i64 %t, %i", "max.i64 %t, %i", "umin.i64 %i, %t", "umax.i64 %t, %i"}) {
    CHECK(of(step, "") == none);
  }
  CHECK(of("sub.i64 %i, %t", "") == carried_value);
  CHECK(of("mov.i64 %i", "") == carried_value);                             // the last one
  CHECK(of("add.i64 %t, %x", "    %x = mul.i64 %t, 3\n") == carried_value); // a partial sum is read
  CHECK(of("add.i64 %t, %t", "") == carried_value);
  CHECK(of("xor.i64 %x, %j", "    %x = add.i64 %t, %i\n") == carried_value); // two kinds
  CHECK(of("add.i64 %t, %i", "    st.i64 %t, [%a]\n") == carried_value);
  CHECK(of("add.i64 %x, %j", "    %x = add.i64 %t, %i\n") == none);
  // A maximum with its index: the index of which of two equal ones depends on the order.
  CHECK(of("select.i64 %c, %i, %t", "    %c = cmp.lt.i64 %t, %i\n") == carried_value);
  // Floating point.
  std::string text = nest_text(up_to("3"), up_to("4"), true, "", "    %x = ld.f64 [%a]\n", true, "fadd.f64 %t, %x");
  for (const std::string_view name : {"%s = phi.", "%t = phi."}) {
    text.replace(text.find(name) + name.size(), 3, "f64");
  }
  text.replace(text.find("entry: 7"), 8, "entry: 7.0");
  text.replace(text.find("-> i64"), 6, "-> f64");
  CHECK(obstacle(text) == ordered_reduction);
}

TEST_CASE("interchange: regression 44, reductions promise nothing any more") {
  const interchanged nest(
      nest_text(up_to("3"), up_to("4"), true, "", "    %x = mul.i64 %i, %j\n", true, "add.i64 %t, %x nsw"));
  CHECK(elbrus::to_text(nest.before).find("%t, %x nsw") != std::string::npos);
  CHECK(elbrus::to_text(nest.after).find("%t, %x\n") != std::string::npos);
}

TEST_CASE("interchange: regression 45, what stays in order") {
  const auto of = [](const std::string& body) { return obstacle(nest_text(up_to("3"), up_to("4"), true, "", body)); };
  using enum loop_pair_obstacle;
  CHECK(of("    call @note(%i)\n") == fixed_order);
  CHECK(of("    call @note(%i) clobbers=none\n") == fixed_order);
  CHECK(of("    %x = ld.i64 [%a] volatile\n") == fixed_order);
  CHECK(of("    st.i64 %i, [%a] volatile\n") == fixed_order);
  CHECK(of("    st.i64 %i, [%a]\n") == dependence); // which is the last one?
  CHECK(of("    %x = ld.i64 [%a]\n") == none);
  CHECK(of("    %x = ld.i64 [%a]\n    st.i64 %i, [%x]\n") == maybe_dependence);
  CHECK(of("    %x = udiv.i64 %i, %p\n    st.i64 %x, [%a + %i*8]\n") == none); // it traps in both orders
}

TEST_CASE("interchange: regression 46, effects and guards around the inner loop") {
  using enum loop_pair_obstacle;
  const std::string store = "    st.i64 %i, [%a]\n";
  CHECK(obstacle(nest_text(up_to("3"), up_to("%q"), false, store, "")) == not_perfect);
  CHECK(obstacle(nest_text(up_to("3"), up_to("4"), true, store, "")) == not_perfect);
  // The inner loop is guarded: a branch between the loops.
  std::string text = nest_text(up_to("3"), up_to("%q"), true, "", "    st.i64 %j, [%a + %j*8]\n");
  text.replace(text.find("    br columns"), 14,
               "    %g = cmp.lt.i64 0, %q\n    br %g ? ahead : next_row\n  node ahead:\n    br columns");
  text.replace(text.find("[rows: 0]"), 9, "[ahead: 0]");
  CHECK(obstacle(text) == guarded);
  // No iterations of either loop, in the form that tests first.
  const elbrus::program before =
      program_of(nest_text(up_to("%p"), up_to("%q"), false, "", sum_body, true, "add.i64 %t, %x"));
  elbrus::program after = before;
  CHECK(interchange(after.procedures[0]) == 1);
  for (const std::uint64_t p : {0u, 1u, 2u}) {
    for (const std::uint64_t q : {0u, 1u, 3u}) {
      CHECK(elbrus::compare_runs(run_nest_program(before, {p, q}, 800), run_nest_program(after, {p, q}, 800)) ==
            elbrus::run_comparison{});
    }
  }
  // The inner counter would never end, and does not have to where the outer loop does not run.
  counter_text endless = up_to("7", 2);
  endless.comparison = "ne";
  CHECK(obstacle(nest_text(up_to("%p"), endless, false, "", "    %x = ld.i64 [%a]\n")) == may_not_end);
}

TEST_CASE("interchange: regression 47, a refused nest stays as it is") {
  const elbrus::program all = sample_program();
  for (const std::string_view name : {"stencil", "prefix_sums", "triangle"}) {
    procedure p = sample(all, name);
    const std::string text = elbrus::to_text(p);
    CHECK(interchange(p) == 0);
    CHECK(elbrus::to_text(p) == text);
  }
}

TEST_CASE("interchange: shapes that are refused") {
  using enum loop_pair_obstacle;
  const auto changed = [](std::string text, const std::string& from, const std::string& to) {
    REQUIRE(text.find(from) != std::string::npos);
    return text.replace(text.find(from), from.size(), to);
  };
  const std::string plain = nest_text(up_to("3"), up_to("4"), true, "", row_body);
  CHECK(obstacle(plain) == none);
  CHECK(obstacle(changed(plain, "cmp.lt.i64 %nj1, 4", "cmp.lt.i64 %nj1, %ni")) == bounds_change);
  CHECK(obstacle(changed(plain, "[rows: 0]", "[rows: %ni]")) == bounds_change);
  CHECK(obstacle(changed(plain, "ret 0", "ret %y")) == used_after);
  CHECK(obstacle(changed(plain, "ret 0", "ret %ni1")) == used_after);
  CHECK(obstacle(changed(plain, "%ci = cmp.lt.i64 %ni1", "%ci = cmp.lt.i64 %y")) == reads_inner);
  const std::string twice = changed(plain, "node next_row:",
                                    "node next_row:\n    %h = cmp.lt.i64 %p, 9\n    br %h ? go_on : "
                                    "exit\n  node go_on:");
  CHECK(obstacle(changed(twice, "next_row: %ni1", "go_on: %ni1")) == several_exits);
  std::string early =
      changed(plain, "%nj = phi.i64 [rows: 0], [columns: %nj1]",
              "%nj = phi.i64 [rows: 0], [on: %nj1]\n    %h = cmp.lt.i64 %p, 9\n    br %h ? on : exit\n  node on:");
  CHECK(obstacle(early) == several_exits);
}

TEST_CASE("interchange: regression 48, no order is preferred, and a plan changes nothing") {
  const elbrus::program all = sample_program();
  procedure p = sample(all, "transpose");
  const std::string text = elbrus::to_text(p);
  const midend::interchange_plan plan = planned_interchange(p);
  CHECK(plan.nests.size() == 1);
  CHECK(elbrus::to_text(p) == text);
  const auto operations = [](const procedure& of) {
    std::size_t count = 0;
    for (midend::node_id n = 0; n != of.num_nodes(); ++n) {
      for (const value_id v : of.values(n)) {
        count += v != midend::no_value ? 1u : 0u;
      }
    }
    return count;
  };
  const std::size_t before = operations(p);
  CHECK(interchange(p) == 1);
  CHECK(operations(p) == before);
  CHECK(interchange(p) == 1); // and back
  CHECK(operations(p) == before);
  midend::interchange_options other;
  other.only = 1; // the inner loop has none inside
  CHECK(planned_interchange(p, other).empty());
}

TEST_CASE("interchange: a symbolic bound of fewer bits needs facts") {
  const std::string text = R"(proc @f(%a: ptr, %p: i64, %q: i64) {
  node entry:
    %width = and.i64 %q, 255
    br rows
  node rows:
    %i = phi.i64 [entry: 0], [next_row: %i1]
    %more_i = cmp.ult.i64 %i, %p
    br %more_i ? row : exit
  node row:
    br columns
  node columns:
    %j = phi.i64 [row: 0], [column: %j1]
    %more_j = cmp.ult.i64 %j, %width
    br %more_j ? column : next_row
  node column:
    %x = ld.i64 [%a + %j*8]
    %y = add.i64 %x, %i
    st.i64 %y, [%a + %j*8]
    %j1 = add.i64 %j, 1
    br columns
  node next_row:
    %i1 = add.i64 %i, 1
    br rows
  node exit:
    ret
}
)";
  const elbrus::program before = program_of(text);
  elbrus::program after = before;
  // Addresses are modulo 2^64, so that the same byte comes again after 2^61 columns.
  CHECK(obstacle(before.procedures[0]) == loop_pair_obstacle::dependence);
  const cost_view view(before.procedures[0]);
  midend::flat_array<midend::number_facts> facts;
  for (value_id v = 0; v != before.procedures[0].num_values(); ++v) {
    const std::uint8_t width = view.operation(v).width;
    facts.push_back(midend::number_facts::any(width >= 1 && width <= 64 ? width : 64));
    if (before.procedures[0].value_name(v) == "width") {
      facts.back().most = 255;
      facts.back().low = 0;
      facts.back().high = 255;
    }
  }
  const midend::span<const midend::number_facts> known(facts.data(), facts.size());
  const auto flow = midend::dominators_and_loops(before.procedures[0]);
  const midend::interchange_plan plan =
      midend::plan_interchange(view, flow, midend::evolutions(view, flow.loops, known), known);
  CHECK(plan.nests.size() == 1);
  elbrus::editor e(after.procedures[0]);
  const midend::interchange_witness witness = midend::apply_interchange(e, plan);
  const cost_view now(after.procedures[0]);
  CHECK(midend::verify_interchange(view, now, witness, known));
  CHECK(!midend::verify_interchange(view, now, witness)); // without facts the proofs prove something else
  for (const std::uint64_t q : {0u, 3u}) {
    CHECK(elbrus::compare_runs(run_nest_program(before, {2, q}, 200), run_nest_program(after, {2, q}, 200)) ==
          elbrus::run_comparison{});
  }
}
