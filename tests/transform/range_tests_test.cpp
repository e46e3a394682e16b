// Rows of tests for numbers next to each other: one test of the range decides them.
#include "kit/affordable.hpp"
#include "kit/parsed_procedure.hpp"
#include "kit/run_text.hpp"
#include "kit/test_graph.hpp"
#include "transform/cleaning_checks.hpp"
#include "transform/profile_checks.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/strided_interval_domain.hpp>
#include <midend/elbrus/run/profile.hpp>
#include <midend/elbrus/text/printer.hpp>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/ssa/apply_sccp.hpp>
#include <midend/ssa/check_ir.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/ssa/sccp_plan.hpp>
#include <midend/transform/clean_control.hpp>
#include <midend/transform/range_tests.hpp>
#include <midend/transform/remove_dead_code.hpp>
#include <midend/transform/verify_range_tests.hpp>
#include <midend/transform/verify_unfolding.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using elbrus::cost_view;

namespace {

/// Checks the certificate of each step.
struct checked_steps {
  elbrus::procedure before;
  std::size_t steps = 0;

  void applied(const elbrus::cost_editor& e) {
    const auto verdict = midend::verify_range_tests(cost_view(before), cost_view(e.graph()));
    CHECK_MESSAGE(verdict, "fault ", static_cast<int>(verdict.fault), ", value ", verdict.value, "\n",
                  elbrus::to_text(e.graph()));
    next(e);
  }

  void applied(const elbrus::cost_editor& e, const midend::reverse_unfolding& split) {
    const auto verdict = midend::verify_unfolding(cost_view(e.graph()), cost_view(before), split.witness);
    CHECK_MESSAGE((verdict && verdict.assumed == 0), "fault ", static_cast<int>(verdict.fault), "\n",
                  elbrus::to_text(e.graph()));
    next(e);
  }

  void applied(const elbrus::cost_editor& e, const midend::unfolding_witness& w) {
    const auto verdict = midend::verify_unfolding(cost_view(before), cost_view(e.graph()), w);
    CHECK_MESSAGE((verdict && verdict.assumed == 0), "fault ", static_cast<int>(verdict.fault), "\n",
                  elbrus::to_text(e.graph()));
    next(e);
  }

  void next(const elbrus::cost_editor& e) {
    CHECK(why_ill_formed(e.graph()).empty());
    before = e.graph();
    ++steps;
  }
};

midend::range_test_plan plan_of(const elbrus::procedure& p) {
  return midend::plan_range_tests(cost_view(p), midend::dominators_and_loops(p).loops);
}

/// Applies it, with certificates; then constants and control.
std::size_t apply(elbrus::procedure& p) {
  const midend::range_test_plan plan = plan_of(p);
  elbrus::cost_editor e(p);
  checked_steps checks{p};
  if (!plan.empty()) {
    midend::apply_range_tests(e, plan, checks);
    CHECK(checks.steps == 3);
  }
  midend::apply_sccp(e, midend::plan_sccp(e, midend::sccp_with_branch_facts(e, midend::strided_interval_domain(), {})));
  midend::clean_control(e);
  midend::remove_dead_code(e);
  return plan.rows.size();
}

std::size_t exits_of_loop(const elbrus::procedure& p) {
  const auto loops = midend::dominators_and_loops(p).loops;
  std::size_t exits = 0;
  for (const auto& e : loops.exiting_edges(0)) {
    static_cast<void>(e);
    ++exits;
  }
  return exits;
}

/// A loop over bytes that is left if a byte is one of some characters, which `tests` compare one after the other; the
/// exit says which.
std::string scanner(const std::vector<std::string>& tests) {
  std::string text = "proc @main(%x: i32, %y: i32) -> i32 {\n  node entry:\n    br test0\n";
  std::string phi = "  node exit:\n    %r = phi.i32 ";
  for (std::size_t i = 0; i != tests.size(); ++i) {
    const std::string n = std::to_string(i);
    text += "  node test" + n + ":\n";
    if (i == 0) {
      text += "    %i = phi.i32 [entry: 0], [next: %i1]\n    %v = xor.i32 %i, %x\n";
    }
    text += "    %t" + n + " = " + tests[i] + "\n    br %t" + n +
            " ? exit : " + (i + 1 == tests.size() ? "next" : "test" + std::to_string(i + 1)) + "\n";
    phi += (i == 0 ? "[test" : ", [test") + n + ": " + std::to_string(100 + i) + "]";
  }
  return text +
         "  node next:\n    %i1 = add.i32 %i, 1\n    %more = cmp.lt.i32 %i1, 40\n    br %more ? test0 : done\n"
         "  node done:\n    ret %i1\n" +
         phi + "\n    %s = add.i32 %r, %i\n    ret %s\n}\n";
}

/// What the program computes for some arguments.
std::vector<std::uint64_t> results(const elbrus::program& p) {
  std::vector<std::uint64_t> out;
  elbrus::interpreter running(p);
  for (std::int32_t x = -3; x != 42; x += 3) {
    for (std::int32_t y = -2; y != 61; y += 7) {
      const elbrus::scalar arguments[] = {{elbrus::type::i32, static_cast<std::uint32_t>(x)},
                                          {elbrus::type::i32, static_cast<std::uint32_t>(y)}};
      const auto result = running.run(0, arguments);
      REQUIRE(result.value);
      out.push_back(result.value->bits);
    }
  }
  return out;
}

} // namespace

TEST_CASE("range tests: numbers that count up or down, across zero, and in a part of a row") {
  struct sample {
    std::vector<std::string> tests;
    std::size_t exits; ///< of the loop afterwards, without that of the count
  };

  const sample samples[] = {
      {{"cmp.eq.i32 %v, 7", "cmp.eq.i32 8, %v", "cmp.eq.i32 %v, 9"}, 1},
      {{"cmp.eq.i32 %v, 7", "cmp.eq.i32 %v, 9", "cmp.eq.i32 %v, 8"}, 3},
      {{"cmp.eq.i32 %v, 1", "cmp.eq.i32 %v, 0", "cmp.eq.i32 %v, -1", "cmp.eq.i32 %v, -2"}, 1},
      {{"cmp.eq.i32 %v, 7", "cmp.eq.i32 %v, 9", "cmp.eq.i32 %v, 11"}, 3},
      {{"cmp.eq.i32 %v, 7", "cmp.eq.i32 %v, 8"}, 2},
      {{"cmp.eq.i32 %v, %y", "cmp.eq.i32 %v, %x", "cmp.eq.i32 %y, %v"}, 3},
      {{"cmp.eq.i32 %v, 7", "cmp.eq.i32 %v, 8", "cmp.eq.i32 %v, 9", "cmp.eq.i32 %v, 30"}, 2},
      {{"cmp.lt.i32 %v, 7", "cmp.eq.i32 %v, 10", "cmp.eq.i32 %v, 9", "cmp.eq.i32 %v, 8"}, 2},
      {{"cmp.eq.i32 %v, 5", "cmp.eq.i32 %v, 10", "cmp.eq.i32 %v, 9", "cmp.eq.i32 %v, 8"}, 2},
  };
  for (const sample& s : samples) {
    elbrus::program p = program_of(scanner(s.tests));
    const auto before = results(p);
    apply(p.procedures[0]);
    CHECK_MESSAGE(exits_of_loop(p.procedures[0]) == s.exits + 1, elbrus::to_text(p.procedures[0]));
    CHECK(results(p) == before);
  }
}

TEST_CASE("range tests: random rows run as before, with certificates") {
  std::size_t rows = 0;
  for (std::uint64_t seed = 1; seed <= affordable(150); ++seed) {
    random_source random(seed);
    std::vector<std::string> tests;
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t i = 0, count = 2 + random.below(6); i != count; ++i) {
      numbers.push_back(i);
    }
    if (random.below(2) == 0) {
      std::reverse(numbers.begin(), numbers.end());
    }
    const std::uint32_t base = random.below(20) - 10;
    const bool is_relative = random.below(2) == 0;
    std::string text;
    for (std::size_t i = 0; i != numbers.size(); ++i) {
      const std::string n = std::to_string(i);
      const std::string c =
          std::to_string(static_cast<std::int32_t>(base + numbers[i] + (random.below(9) == 0 ? 1 : 0)));
      tests.push_back(!is_relative           ? "cmp.eq.i32 %v, " + c
                      : random.below(2) == 0 ? "cmp.eq.i32 %v, %a" + n + "\n    # add.i32 %y, " + c
                                             : "cmp.eq.i32 %a" + n + ", %v\n    # add.i32 %y, " + c);
    }
    text = scanner(tests);
    for (std::size_t i = 0; i != tests.size(); ++i) { // the sums that are compared come before
      const std::string comment = "\n    # add.i32 %y, ";
      const std::size_t at = text.find(comment);
      if (at == std::string::npos) {
        break;
      }
      const std::size_t end = text.find('\n', at + 1);
      const std::string c = text.substr(at + comment.size(), end - at - comment.size());
      text.erase(at, end - at);
      const std::size_t line = text.rfind("    %t", at);
      text.insert(line, "    %a" + std::to_string(i) + " = add.i32 %y, " + c + "\n");
    }
    elbrus::program p = program_of(text);
    const auto before = results(p);
    rows += apply(p.procedures[0]);
    CHECK_MESSAGE(results(p) == before, "seed ", seed, "\n", text);
  }
  CHECK(rows > affordable(150) / 4);
}

TEST_CASE("regression 52: only what leaves a row is counted in its copy, and the row never leaves") {
  elbrus::program p =
      program_of(scanner({"cmp.eq.i32 %v, 7", "cmp.eq.i32 %v, 8", "cmp.eq.i32 %v, 9", "cmp.eq.i32 %v, 10"}));
  elbrus::run_profile counts;
  for (std::uint32_t x = 0; x < 200; x += 3) {
    const elbrus::scalar arguments[] = {{elbrus::type::i32, x}, {elbrus::type::i32, 0}};
    elbrus::add_profile(counts, elbrus::interpreter(p).run(0, arguments).profile);
  }
  elbrus::write_profile(p, counts);
  const elbrus::procedure before = p.procedures[0];
  REQUIRE(why_inconsistent(before).empty());
  CHECK(before.node_count(node_named(before, "exit")) > 10);
  elbrus::cost_editor e(p.procedures[0]);
  const midend::range_test_plan plan = plan_of(before);
  REQUIRE(plan.rows.size() == 1);
  midend::apply_range_tests(e, plan);
  const elbrus::procedure& after = p.procedures[0];
  CHECK_MESSAGE(why_inconsistent(after).empty(), why_inconsistent(after), "\n", elbrus::to_text(after));
  // What each part is counted after a run of the new program.
  elbrus::run_profile run;
  for (std::uint32_t x = 0; x < 200; x += 3) {
    const elbrus::scalar arguments[] = {{elbrus::type::i32, x}, {elbrus::type::i32, 0}};
    elbrus::add_profile(run, elbrus::interpreter(p).run(0, arguments).profile);
  }
  for (const node_id n : reachable(after)) {
    CHECK_MESSAGE(after.node_count(n) == elbrus::node_count(after, run[0], n), "node ", n, "\n",
                  elbrus::to_text(after));
  }
}

TEST_CASE("verify_range_tests rejects other tests, numbers and operations") {
  const elbrus::program written =
      program_of(scanner({"cmp.eq.i32 %v, 7", "cmp.ne.i32 %v, %y", "cmp.eq.i32 8, %v", "cmp.eq.i32 %v, 9"}));
  const elbrus::procedure& before = written.procedures[0];
  const auto value = [&](const char* name) {
    for (midend::value_id v = 0;; ++v) {
      if (before.value_name(v) == name) {
        return v;
      }
    }
  };
  const auto node_of = [&](const char* name) {
    for (midend::node_id n = 0;; ++n) {
      if (before.node_name(n) == name) {
        return n;
      }
    }
  };
  const auto end_of = [](const elbrus::procedure& p, midend::node_id n) {
    midend::value_id last = midend::no_value;
    for (const midend::value_id v : p.values(n)) {
      last = v;
    }
    return last;
  };
  // The branch of `test` reads `a code b` instead, of which the second may be a number.
  const auto fault_of = [&](const char* test, midend::operation code, const char* a, std::int64_t added, const char* b,
                            std::uint32_t number) {
    elbrus::procedure p = before;
    elbrus::cost_editor e(p);
    const midend::node_id n = node_of(test);
    const auto make = [&](midend::operation c, std::uint8_t width, midend::value_id x, midend::value_id y) {
      const midend::value_id operands[] = {x, y};
      return e.make_operation({c, width, 32, {}}, operands, midend::place_at_end(n));
    };
    const midend::value_id x =
        make(midend::operation::add, 32, value(a), e.make_number(32, static_cast<std::uint32_t>(added)));
    const midend::value_id y = b == nullptr ? e.make_number(32, number) : value(b);
    e.set_operand(end_of(p, n), 0, make(code, 1, x, y));
    return midend::verify_range_tests(cost_view(before), cost_view(p)).fault;
  };
  using enum midend::change_fault;
  using midend::operation;
  CHECK(fault_of("test0", operation::equal, "v", -3, nullptr, 4) == none);
  CHECK(fault_of("test0", operation::equal, "v", -3, nullptr, 5) == different_value);
  CHECK(fault_of("test0", operation::not_equal, "v", -3, nullptr, 4) == different_value);
  CHECK(fault_of("test0", operation::uless, "v", -3, nullptr, 4) == different_value);
  CHECK(fault_of("test0", operation::equal, "y", -3, nullptr, 4) == different_value);
  CHECK(fault_of("test1", operation::not_equal, "y", 0, "v", 0) == none);
  CHECK(fault_of("test1", operation::not_equal, "y", 1, "v", 0) == different_value);
  CHECK(fault_of("test2", operation::equal, "v", -8, nullptr, 0) == none);
  CHECK(fault_of("test2", operation::equal, "v", 8, nullptr, 0) == different_value);
  const auto fault_after = [&](auto change) {
    elbrus::procedure p = before;
    elbrus::cost_editor e(p);
    change(e, p);
    return midend::verify_range_tests(cost_view(before), cost_view(p)).fault;
  };
  CHECK(fault_after([](auto&, auto&) {}) == none);
  CHECK(fault_after([&](auto& e, auto&) { e.set_operand(value("v"), 1, value("y")); }) == wrong_operand);
  CHECK(fault_after([&](auto& e, auto& p) {
          e.set_phi_input(value("r"), p.in_edges(node_of("exit"))[0], value("y"));
        }) == wrong_operand);
  CHECK(fault_after([&](auto& e, auto& p) { e.set_operand(end_of(p, node_of("test0")), 0, value("t3")); }) != none);
  CHECK(fault_after([&](auto& e, auto& p) { e.keep_edge(p.out_edges(node_of("test0"))[0]); }) == changed_flow);
  CHECK(fault_after([&](auto& e, auto& p) { e.create_node(p.entry()); }) == wrong_size);
  CHECK(fault_after([&](auto& e, auto&) {
          const midend::value_id operands[] = {value("x"), value("y")};
          e.make_operation({operation::div, 32, 32, {}}, operands, midend::place_at_end(node_of("test0")));
        }) == extra_operation);
  CHECK(fault_after([&](auto& e, auto&) { e.move_value(value("v"), midend::place_at_end(before.entry())); }) ==
        extra_operation);
  CHECK(fault_after([&](auto& e, auto&) { e.move_value(value("i1"), midend::place_before(value("i"))); }) != none);
}

namespace {

/// Branches read what they read.
struct with_fixed_branches : cost_view {
  using cost_view::cost_view;

  bool may_replace_operand(midend::value_id user, std::size_t) const { return !is_terminator(user); }
};

} // namespace

TEST_CASE("verify_range_tests rejects another test where the operand of the branch must stay") {
  const elbrus::procedure before =
      program_of(scanner({"cmp.eq.i32 %v, 7", "cmp.eq.i32 8, %v", "cmp.eq.i32 %v, 9"})).procedures[0];
  elbrus::procedure after = before;
  const midend::node_id n = node_named(before, "test0");
  elbrus::cost_editor e(after);
  const midend::value_id operands[] = {e.make_number(32, 7), value_named(before, "v")};
  const midend::value_id test =
      e.make_operation({midend::operation::equal, 1, 32, {}}, operands, midend::place_at_end(n));
  e.set_operand(after.terminator(n), 0, test);
  CHECK(midend::verify_range_tests(cost_view(before), cost_view(after)));
  CHECK(midend::verify_range_tests(with_fixed_branches(before), with_fixed_branches(after)).fault ==
        midend::change_fault::fixed_operand);
}
