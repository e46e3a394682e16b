#include "kit/run_text.hpp"
#include "transform/cleaning_checks.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/run/run_equivalence.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/transform/hoist_invariants.hpp>
#include <midend/transform/remove_dead_loops.hpp>
#include <midend/transform/replace_final_values.hpp>
#include <midend/transform/verify_final_values.hpp>
#include <midend/transform/verify_loop_ends.hpp>
#include <midend/transform/verify_removal.hpp>
#include <midend/viz/change_verdict.hpp>
#include <midend/viz/final_values.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using namespace midend_tests;
namespace elbrus = midend::elbrus;
using elbrus::cost_view;
using elbrus::procedure;
using midend::final_value_obstacle;
using midend::node_id;
using midend::value_id;

namespace {

/// Both transformations on a procedure, with their certificates.
struct closed_procedure {
  procedure before;
  procedure replaced;
  procedure after; ///< without dead loops
  midend::final_value_plan plan;
  midend::final_value_witness witness;

  explicit closed_procedure(const procedure& p) : before(p), replaced(p) {
    plan = midend::plan_replace_final_values(cost_view(before));
    elbrus::editor e(replaced);
    witness = midend::apply_replace_final_values(e, plan);
    const auto verdict = midend::verify_final_values(cost_view(before), cost_view(replaced), witness);
    CHECK_MESSAGE(verdict, midend::to_text(verdict), "\n", elbrus::to_text(before), elbrus::to_text(replaced));
    CHECK(verdict.proven <= plan.reads.size()); // pointers stay, and what may read a diagnostic value
    CHECK(why_ill_formed(replaced) == "");
    after = replaced;
    elbrus::editor f(after);
    const auto removal = midend::remove_dead_loops(f);
    CHECK(midend::verify_removal(cost_view(replaced), cost_view(after), removal));
    CHECK(midend::verify_loop_ends(cost_view(replaced), removal.ending_loops));
    CHECK(why_ill_formed(after) == "");
  }

  std::size_t loops() const { return midend::dominators_and_loops(after).loops.num_loops(); }

  std::size_t operations() const {
    std::size_t count = 0;
    for (node_id n = 0; n != after.num_nodes(); ++n) {
      for (const value_id v : after.values(n)) {
        count += midend::is_terminator(cost_view(after), v) ? 0U : 1U;
      }
    }
    return count;
  }

  final_value_obstacle obstacle(const std::string& name) const {
    for (const auto& r : plan.refused) {
      if (before.value_name(r.value) == name) {
        return r.why;
      }
    }
    return final_value_obstacle::none;
  }
};

/// The loop of a procedure `f` of these parameters: phis with their starts and next values in the latch, the body, and
/// the test for which it goes on. It returns `result`, of the type of the procedure.
std::string while_loop(const std::string& head, const std::vector<std::string>& phis, const std::string& test,
                       const std::string& body, const std::string& result) {
  std::string text = "proc @f" + head + " {\n  node entry:\n    br head\n  node head:\n";
  for (const std::string& phi : phis) {
    text += "    " + phi + "\n";
  }
  return text + "    %more = " + test + "\n    br %more ? body : exit\n  node body:\n" + body +
         "    br head\n  node exit:\n    ret " + result + "\n}\n";
}

closed_procedure closed(const std::string& text) {
  return closed_procedure(program_of(text).procedures[0]);
}

/// Runs what was written and what is left.
void check_runs(const std::string& text, const std::vector<std::vector<std::int64_t>>& inputs) {
  const elbrus::program before = program_of(text);
  elbrus::program after = before;
  after.procedures[0] = closed_procedure(before.procedures[0]).after;
  for (const auto& input : inputs) {
    std::vector<elbrus::scalar> arguments;
    std::size_t i = 0;
    for (const value_id p : before.procedures[0].parameters()) {
      arguments.push_back(elbrus::integer_scalar(before.procedures[0].value(p).type, input[i++]));
    }
    const auto old = elbrus::interpreter(before).run(0, arguments, {});
    const auto now = elbrus::interpreter(after).run(0, arguments, {});
    REQUIRE(old.value);
    REQUIRE(now.value);
    CHECK_MESSAGE(*old.value == *now.value, "for ", input[0], "\n", elbrus::to_text(after.procedures[0]));
  }
}

} // namespace

TEST_CASE("replace_final_values: sum += a + b + c, 3,000 times") {
  const std::string text = while_loop(
      "(%a: i32, %b: i32, %c: i32) -> i32",
      {"%i = phi.i32 [entry: 0], [body: %i1]", "%sum = phi.i32 [entry: 0], [body: %sum3]"}, "cmp.lt.i32 %i, 3000",
      "    %sum1 = add.i32 %sum, %a\n    %sum2 = add.i32 %sum1, %b\n    %sum3 = add.i32 %sum2, %c\n"
      "    %i1 = add.i32 %i, 1\n",
      "%sum");
  const closed_procedure c = closed(text);
  CHECK(c.loops() == 0);
  CHECK(c.operations() == 3); // (a + b + c) · 3000
  check_runs(text, {{1, 2, 3}, {-1, 0, 0}, {0x7fffffff, 0x7fffffff, 5}});
}

TEST_CASE("replace_final_values: sums of counters up to any bound") {
  const char* const tests[] = {"cmp.lt.i32 %i, %n", "cmp.ult.i32 %i, %n", "cmp.ne.i32 %i, %n", "cmp.le.i32 %i, %n",
                               "cmp.gt.i32 %n, %i"};
  for (const char* const test : tests) {
    for (const char* const start : {"0", "%s", "-7"}) {
      for (const char* const kind : {"i32", "i64"}) {
        const std::string added = std::string(kind) == "i32" ? "%i" : "%wide";
        const std::string text = while_loop("(%n: i32, %s: i32) -> " + std::string(kind),
                                            {"%i = phi.i32 [entry: " + std::string(start) + "], [body: %i1]",
                                             "%sum = phi." + std::string(kind) + " [entry: 5], [body: %sum1]"},
                                            test,
                                            "    %wide = mov.i64 3\n    %sum1 = add." + std::string(kind) + " %sum, " +
                                                added + "\n    %i1 = add.i32 %i, 1\n",
                                            "%sum");
        const closed_procedure c = closed(text);
        CHECK_MESSAGE(c.plan.values.size() == 1, text,
                      midend::to_text(midend::dominators_and_loops(c.before).loops, c.plan));
        // A loop up to the largest number with <= does not end.
        CHECK(c.loops() == (std::string(test).find(".le.") == std::string::npos ? 0 : 1));
        check_runs(text, {{0, 0}, {1, 0}, {2, 0}, {7, 3}, {100, -50}, {1000, 999}, {5, 5}});
      }
    }
  }
  const std::string down =
      while_loop("(%n: i16, %s: i16) -> i16",
                 {"%i = phi.i16 [entry: %s], [body: %i1]", "%sum = phi.i16 [entry: 5], [body: %sum1]"},
                 "cmp.ugt.i16 %i, %n", "    %sum1 = sub.i16 %sum, %i\n    %i1 = sub.i16 %i, 1\n", "%sum");
  CHECK(closed(down).loops() == 0);
  check_runs(down, {{0, 0}, {0, 10}, {10, 0}, {3, 1000}, {-5, -1}, {0, -1}});
}

TEST_CASE("replace_final_values: counters with larger steps, which promise not to wrap") {
  struct counter {
    const char* test;
    const char* next;
  };

  const counter counters[] = {
      {"cmp.lt.TYPE %i, %n", "add.TYPE %i, 4 nsw"},   {"cmp.lt.TYPE %i, %n", "add.TYPE %i, 3 nsw"},
      {"cmp.le.TYPE %i, %n", "add.TYPE %i, 7 nsw"},   {"cmp.gt.TYPE %n, %i", "add.TYPE %i, 2 nsw"},
      {"cmp.lt.TYPE %i, %n", "add.TYPE %i, 16 nsw"},  {"cmp.gt.TYPE %i, %n", "sub.TYPE %i, 4 nsw"},
      {"cmp.ge.TYPE %i, %n", "add.TYPE %i, -3 nsw"},  {"cmp.gt.TYPE %i, %n", "sub.TYPE %i, 6 nsw"},
      {"cmp.ne.TYPE %i, %far", "add.TYPE %i, 4 nsw"}, {"cmp.ne.TYPE %far, %i", "add.TYPE %i, 6 nsw"},
      {"cmp.ne.TYPE %i, %down", "sub.TYPE %i, 6 nsw"}};
  std::size_t closed_loops = 0;
  for (const counter& each : counters) {
    for (const char* const type : {"i8", "i16", "i32", "i64"}) {
      for (const char* const kind : {"i16", "i32", "i64"}) {
        for (const bool squares : {false, true}) {
          const auto typed = [&](std::string text) {
            for (std::size_t at = text.find("TYPE"); at != std::string::npos; at = text.find("TYPE")) {
              text.replace(at, 4, type);
            }
            return text;
          };
          const std::string sum = std::string("add.") + kind;
          std::string text =
              while_loop(typed("(%n: TYPE, %s: TYPE, %a: ") + kind + ") -> " + kind,
                         {typed("%i = phi.TYPE [entry: %s], [body: %i1]"),
                          std::string("%part = phi.") + kind + " [entry: 1], [body: %part1]",
                          std::string("%sum = phi.") + kind + " [entry: 5], [body: %sum1]"},
                         typed(each.test),
                         "    %part1 = " + sum + " %part, %a\n    %sum1 = " + sum + " %sum, " +
                             (squares ? "%part" : "%a") + typed("\n    %i1 = ") + typed(each.next) + "\n",
                         "%sum");
          text.replace(text.find("    br head"), 0,
                       typed("    %some = and.TYPE %n, 7\n    %times = mul.TYPE %some, 12\n"
                             "    %far = add.TYPE %s, %times\n    %down = sub.TYPE %s, %times\n"));
          const closed_procedure c = closed(text);
          closed_loops += c.loops() == 0 ? 1U : 0U;
          CHECK_MESSAGE(c.plan.values.size() == 1, text,
                        midend::to_text(midend::dominators_and_loops(c.before).loops, c.plan));
          std::vector<std::vector<std::int64_t>> inputs;
          for (const std::int64_t n : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 60, 100, 101, 102, 103}) {
            for (const std::int64_t start : {0, 1, 5, 20}) {
              inputs.push_back({n, start, 3});
            }
          }
          check_runs(text, inputs);
        }
      }
    }
  }
  MESSAGE(closed_loops, " loops went");
}

TEST_CASE("replace_final_values: without a promise, larger steps may pass the bound, and the value stays") {
  struct counter {
    const char* test;
    const char* next;
  };

  for (const counter& each : {counter{"cmp.lt.i32 %i, %n", "add.i32 %i, 4"},      // without a promise
                              counter{"cmp.ult.i32 %i, %n", "add.i32 %i, 4 nsw"}, // with one for another order
                              counter{"cmp.lt.i32 %i, %n", "add.i32 %j, 2 nsw"},  // where one of two sums promises
                              counter{"cmp.lt.i32 %j, %n", "add.i32 %i, 4 nsw"}}) {
    const closed_procedure c = closed(
        "proc @f(%n: i32, %a: i32, %s: i32) -> i32 {\n  node entry:\n    br head\n  node head:\n"
        "    %i = phi.i32 [entry: %s], [body: %i1]\n    %sum = phi.i32 [entry: 0], [body: %sum1]\n"
        "    %j = add.i32 %i, 2\n    %more = " +
        std::string(each.test) + "\n    br %more ? body : exit\n  node body:\n" +
        "    %sum1 = add.i32 %sum, %a\n    %i1 = " + each.next + "\n    br head\n  node exit:\n    ret %sum\n}\n");
    CHECK(c.plan.empty());
    CHECK(c.obstacle("sum") == final_value_obstacle::not_counted);
  }
}

TEST_CASE("replace_final_values: powers, polynomials, and nests with numbers as counts") {
  const std::string power = while_loop(
      "(%a: i64) -> i64", {"%i = phi.i32 [entry: 0], [body: %i1]", "%x = phi.i64 [entry: %a], [body: %x2]"},
      "cmp.ne.i32 %i, 20", "    %x1 = mul.i64 %x, 3\n    %x2 = add.i64 %x1, 2\n    %i1 = add.i32 %i, 1\n", "%x");
  CHECK(closed(power).loops() == 0);
  CHECK(closed(power).operations() == 2);
  check_runs(power, {{0}, {1}, {-100}});
  const std::string cubes = while_loop("(%a: i32) -> i32",
                                       {"%i = phi.i32 [entry: 0], [body: %i1]", "%p = phi.i32 [entry: %a], [body: %p1]",
                                        "%q = phi.i32 [entry: 0], [body: %q1]"},
                                       "cmp.lt.i32 %i, 1001",
                                       "    %square = mul.i32 %i, %i\n    %p1 = add.i32 %p, %square\n    %q1 = add.i32 "
                                       "%q, %p\n    %i1 = add.i32 %i, 2\n",
                                       "%p");
  CHECK(closed(cubes).loops() == 0);
  CHECK(closed(cubes).operations() == 1);
  check_runs(cubes, {{0}, {77}});
  const std::string nest = R"(proc @f(%a: i64, %b: i64) -> i64 {
  node entry:
    br rows
  node rows:
    %i = phi.i32 [entry: 0], [next: %i1]
    %sum = phi.i64 [entry: 0], [next: %inner]
    br columns
  node columns:
    %j = phi.i32 [rows: 0], [columns: %j1]
    %inner = phi.i64 [rows: %sum], [columns: %inner1]
    %part = add.i64 %inner, %a
    %inner1 = add.i64 %part, %b
    %j1 = add.i32 %j, 1
    %on = cmp.lt.i32 %j1, 7
    br %on ? columns : next
  node next:
    %i1 = add.i32 %i, 1
    %more = cmp.lt.i32 %i1, 9
    br %more ? rows : exit
  node exit:
    ret %sum
}
)";
  CHECK(closed(nest).loops() == 0);
  check_runs(nest, {{0, 0}, {1, 1}, {3, -100}});
}

TEST_CASE("replace_final_values: what is refused, and why") {
  const auto why = [](const std::string& body, const std::string& next, const std::string& name = "sum",
                      const std::string& test = "cmp.lt.i32 %i, %n") {
    return closed(
               while_loop("(%n: i32, %p: ptr) -> i32",
                          {"%i = phi.i32 [entry: 0], [body: %i1]", "%sum = phi.i32 [entry: 0], [body: " + next + "]"},
                          test, body + "    %i1 = add.i32 %i, 1\n", "%sum"))
        .obstacle(name);
  };
  CHECK(why("    %x = ld.i32 [%p + %i * 4]\n    %s1 = add.i32 %sum, %x\n", "%s1") ==
        final_value_obstacle::no_closed_form);
  CHECK(why("    %s1 = mul.i32 %sum, 3\n    %s2 = add.i32 %s1, 2\n", "%s2") == final_value_obstacle::not_expressible);
  CHECK(why("    %x = div.i32 %n, 3\n    %s1 = add.i32 %sum, %x\n", "%s1") == final_value_obstacle::changes_inside);
  CHECK(why("    %s1 = add.i32 %sum, 1\n", "%s1", "sum", "cmp.gt.i32 %i, %n") == final_value_obstacle::not_counted);
  CHECK(why("    %s1 = add.i32 %sum, 1\n", "%s1") == final_value_obstacle::none);
}

TEST_CASE("replace_final_values: a value stays if the checker does not see what evolutions see") {
  struct refused {
    const char* before; ///< the loop: computes `%s`, where the sum starts, and `%d`, which is added
    const char* step;   ///< of the counter
    final_value_obstacle why;
  };

  const auto text = [](const refused& r) {
    std::string out = while_loop(
        "(%n: i64, %a: i64, %b: i64, %c: i64, %x: i8) -> i64",
        {"%i = phi.i64 [entry: 0], [body: %i1]", "%sum = phi.i64 [entry: %s], [body: %sum1]"}, "cmp.lt.i64 %i, %n",
        std::string("    %sum1 = add.i64 %sum, %d\n    %i1 = add.i64 %i, ") + r.step + "\n", "%sum");
    out.replace(out.find("    br head"), 0, r.before);
    return out;
  };
  const refused all[] = {
      // Disjoint bits are added: both values, or the one that each iteration adds.
      {"    %h = and.i64 %a, 56\n    %l = and.i64 %b, 7\n    %s = or.i64 %h, %l\n    %d = mov.i64 %c\n", "1",
       final_value_obstacle::not_proven},
      {"    %h = and.i64 %a, 56\n    %l = and.i64 %b, 7\n    %d = or.i64 %h, %l\n    %s = mov.i64 %c\n", "1",
       final_value_obstacle::not_proven},
      {"    %h = and.i64 %a, 56\n    %l = and.i64 %b, 7\n    %o = or.i64 %h, %l\n    %d = add.i64 %o, 1\n"
       "    %s = mov.i64 %c\n",
       "1", final_value_obstacle::not_proven},
      {"    %h = and.i8 %x, 56\n    %l = and.i8 %x, 7\n    %o = or.i8 %h, %l\n    %s = zext.i8.i64 %o\n"
       "    %d = mov.i64 %c\n",
       "1", final_value_obstacle::not_proven},
      // A polynomial of the checker has six terms.
      {"    %s1 = add.i64 %a, %b\n    %s2 = add.i64 %s1, %c\n    %s3 = mul.i64 %s2, %s2\n    %s = add.i64 %s3, %n\n"
       "    %d = mov.i64 %c\n",
       "1", final_value_obstacle::not_proven},
      // A step from 2^40 on is none that the checker adds up.
      {"    %s = mov.i64 %a\n    %d = mov.i64 %c\n", "1099511627776 nsw", final_value_obstacle::not_counted},
      // The same with what the checker sees.
      {"    %o = or.i8 %x, 7\n    %s = zext.i8.i64 %o\n    %d = mov.i64 %c\n", "1", final_value_obstacle::none},
      {"    %s1 = add.i64 %a, %b\n    %s2 = sub.i64 %s1, %c\n    %s = mul.i64 %s2, 5\n    %d = mul.i64 %a, %b\n", "1",
       final_value_obstacle::none},
      {"    %s = or.i64 %a, %b\n    %d = mov.i64 %c\n", "1", final_value_obstacle::none},
      {"    %s = mov.i64 %a\n    %d = mov.i64 %c\n", "1099511627775 nsw", final_value_obstacle::none}};
  for (const refused& r : all) {
    const closed_procedure c = closed(text(r)); // accepts the certificate
    CHECK_MESSAGE(c.obstacle("sum") == r.why, r.before, static_cast<int>(c.obstacle("sum")));
    CHECK_MESSAGE(c.plan.values.size() == (r.why == final_value_obstacle::none ? 1 : 0), r.before);
  }
}

TEST_CASE("replace_final_values: what the IR cannot compute stays, so planning again comes to an end") {
  procedure p = program_of("proc @f(%p: ptr) -> ptr {\n  node entry:\n    br loop\n  node loop:\n"
                           "    %i = phi.i32 [entry: 0], [loop: %next]\n    %q = phi.ptr [entry: %p], [loop: %r]\n"
                           "    %x = phi.f64 [entry: 0.0], [loop: %y]\n    %r = add.ptr %q, 4\n"
                           "    %y = fadd.f64 %x, 1.0\n    %next = add.i32 %i, 1\n    %more = cmp.lt.i32 %next, 100\n"
                           "    br %more ? loop : exit\n  node exit:\n    %z = ftoi.f64.i32 %y\n"
                           "    %s = add.i32 %z, %next\n    st.i32 %s, [%p]\n    ret %r\n}\n")
                    .procedures[0];
  elbrus::editor e(p);
  midend::final_value_plan first = midend::plan_replace_final_values(cost_view(p));
  CHECK(first.values.size() == 2); // the counter and the pointer
  midend::apply_replace_final_values(e, first);
  CHECK(first.values.size() == 1);
  const auto is_pointer = [](const midend::final_value_refusal& r) { return r.why == final_value_obstacle::not_made; };
  CHECK(std::count_if(first.refused.begin(), first.refused.end(), is_pointer) == 1);
  midend::final_value_plan second = midend::plan_replace_final_values(cost_view(p));
  midend::apply_replace_final_values(e, second);
  CHECK(second.empty());
  midend::apply_replace_final_values(e, midend::plan_replace_final_values(cost_view(p)));
  CHECK(why_ill_formed(p) == "");
}

TEST_CASE("mustprogress: a loop whose end nothing shows goes if it has no effects, and its final value pays") {
  // Collatz: nobody knows whether it ends.
  const auto text = [](std::string_view promise, std::string_view extra) {
    return "proc @f(%a: ptr, %n: i64, %x: i64) -> i64 " + std::string(promise) + R"( {
  node entry:
    br head
  node head:
    %i = phi.i64 [entry: %n], [latch: %next]
    %one = cmp.eq.i64 %i, 1
    br %one ? exit : body
  node body:
    %odd = and.i64 %i, 1
    %is_odd = cmp.eq.i64 %odd, 1
    %half = shr.i64 %i, 1
    br %is_odd ? up : latch
  node up:
    %triple = mul.i64 %i, 3
    %more = add.i64 %triple, 1
    br latch
  node latch:
    %next = phi.i64 [body: %half], [up: %more]
    )" + std::string(extra) +
           R"(
    br head
  node exit:
    ret %x
}
)";
  };
  const auto loops_left = [&](std::string_view promise, std::string_view extra) {
    elbrus::program all = program_of(text(promise, extra));
    const procedure before = all.procedures[0];
    elbrus::editor e(all.procedures[0]);
    const auto removal = midend::remove_dead_code(e);
    const auto verdict = midend::verify_removal(cost_view(before), cost_view(all.procedures[0]), removal);
    CHECK(verdict);
    CHECK(verdict.assumed == 0);
    CHECK(midend::verify_loop_ends(cost_view(before), removal.ending_loops));
    CHECK(all.procedures[0].must_progress() == before.must_progress());
    const std::string now = elbrus::to_text(all.procedures[0]);
    for (const std::uint64_t n : {1U, 27U, 0U}) { // of 0, an endless loop
      const std::vector<elbrus::scalar> arguments{
          elbrus::integer_scalar(elbrus::type::ptr, 0),
          elbrus::integer_scalar(elbrus::type::i64, static_cast<std::int64_t>(n)),
          elbrus::integer_scalar(elbrus::type::i64, 5)};
      const elbrus::run_options limited{.step_limit = 10'000};
      const auto old = run_text(text(promise, extra), arguments, {}, limited);
      const auto fresh = run_text(now, arguments, {}, limited);
      const bool is_endless = n == 0 && extra.empty();
      CHECK(elbrus::compare_runs(old, fresh).verdict ==
            (is_endless ? elbrus::run_verdict::no_verdict : elbrus::run_verdict::same));
    }
    return midend::dominators_and_loops(all.procedures[0]).loops.num_loops();
  };
  CHECK(loops_left("", "") == 1);
  CHECK(loops_left("mustprogress", "") == 0);
  CHECK(loops_left("mustprogress", "st.i64 %next, [%a]") == 1);
  CHECK(loops_left("mustprogress", "call @note(%next)") == 1);
  CHECK(loops_left("mustprogress", "%v = ld.i64 [%a] volatile") == 1);
}

namespace {

/// Promises an end for the edges of self loops only.
struct promising_view : cost_view {
  using cost_view::cost_view;

  bool must_end(midend::edge_id e) const { return graph().edge_source(e) == graph().edge_target(e); }
};

} // namespace

TEST_CASE("mustprogress: where edges were erased, the edges of the program are asked about, not those of a copy") {
  elbrus::program all = program_of("proc @f(%c: i1) { node entry: br %c ? first : second node first: br loop "
                                   "node second: br loop node loop: br %c ? loop : exit node exit: ret }");
  procedure& p = all.procedures[0];
  elbrus::editor e(p);
  e.keep_edge(p.out_edges(p.entry())[0]);
  const midend::node_id second = 2;
  e.erase_nodes(midend::span<const midend::node_id>(&second, 1));
  const promising_view view(p);
  const auto plan = midend::plan_remove_dead_code(view);
  REQUIRE(plan.removed_loops.size() == 1);
  CHECK(plan.removed_loops[0] == 3);
  const midend::node_id loop = 3;
  CHECK(midend::verify_loop_ends(view, midend::span<const midend::node_id>(&loop, 1)));
}

TEST_CASE("mustprogress: a loop without exit stays") {
  elbrus::program all = program_of("proc @f(%c: i1) mustprogress { node entry: br %c ? forever : exit "
                                   "node forever: br forever node exit: ret }");
  elbrus::editor e(all.procedures[0]);
  CHECK(midend::remove_dead_code(e).ending_loops.empty());
  CHECK(midend::dominators_and_loops(all.procedures[0]).loops.num_loops() == 1);
}

TEST_CASE("remove_dead_loops: loops that compute nothing go, inner and outer ones, and endless ones stay") {
  const auto left = [](const std::string& test, const std::string& body, const std::string& step = "add.i32 %i, 1") {
    return closed(while_loop("(%n: i32) -> i32", {"%i = phi.i32 [entry: 0], [body: %i1]"}, test,
                             "    %x = mul.i32 %n, 3\n" + body + "    %i1 = " + step + "\n", "7"))
        .loops();
  };
  CHECK(left("cmp.lt.i32 %i, 100", "") == 0);
  CHECK(left("cmp.lt.i32 %i, %n", "") == 0);
  CHECK(left("cmp.ne.i32 %i, %n", "") == 0);
  CHECK(left("cmp.ne.i32 %i, 101", "", "add.i32 %i, 2") == 1); // it never meets 101
  CHECK(left("cmp.ne.i32 %i, 100", "", "add.i32 %i, 2") == 0);
  CHECK(left("cmp.le.i32 %i, %n", "") == 1); // %n may be the largest number
  CHECK(left("cmp.le.i32 %i, 9", "") == 0);
  CHECK(left("cmp.lt.i32 %n, %i", "") == 0); // away from the bound, and around to the least number
}

TEST_CASE("verify_loop_ends: only what ends is accepted") {
  const auto ends = [](const std::string& test, const std::string& step, const std::string& start = "0") {
    const procedure p = program_of(while_loop("(%n: i8, %m: i8) -> i8",
                                              {"%i = phi.i8 [entry: " + start + "], [body: %i1]",
                                               "%k = phi.i8 [entry: %n], [body: %k1]"},
                                              test, "    %k1 = mul.i8 %k, 3\n    %i1 = " + step + "\n", "%i"))
                            .procedures[0];
    const std::vector<node_id> headers = {1};
    return static_cast<bool>(midend::verify_loop_ends(cost_view(p), headers));
  };
  CHECK(ends("cmp.lt.i8 %i, 100", "add.i8 %i, 1"));
  CHECK(ends("cmp.lt.i8 %i, %n", "add.i8 %i, 3"));
  CHECK(ends("cmp.ne.i8 %i, 100", "add.i8 %i, 3"));
  CHECK(!ends("cmp.ne.i8 %i, 101", "add.i8 %i, 2"));
  CHECK(ends("cmp.ne.i8 %i, 100", "add.i8 %i, 4"));
  CHECK(!ends("cmp.ne.i8 %i, 102", "add.i8 %i, 4"));
  CHECK(!ends("cmp.le.i8 %i, 127", "add.i8 %i, 1"));
  CHECK(!ends("cmp.le.i8 %i, %n", "add.i8 %i, 1"));
  CHECK(ends("cmp.le.i8 %i, %n", "add.i8 %i, 1 nsw"));
  CHECK(!ends("cmp.lt.i8 %i, %n", "add.i8 %i, 2"));
  CHECK(ends("cmp.lt.i8 %i, 126", "add.i8 %i, 2"));
  CHECK(!ends("cmp.lt.i8 %i, 127", "add.i8 %i, 2")); // from 126 to -128
  CHECK(ends("cmp.lt.i8 %i, 127", "add.i8 %i, 2", "1"));
  CHECK(!ends("cmp.lt.i8 %i, %k", "add.i8 %i, 1"));
  CHECK(!ends("cmp.lt.i8 %k, %n", "add.i8 %i, 1"));
  CHECK(!ends("cmp.lt.i8 %i, 100", "add.i8 %i, %n"));
  CHECK(!ends("cmp.ne.i8 %i, undef", "add.i8 %i, 1"));
  CHECK(ends("cmp.uge.i8 %i, 1", "sub.i8 %i, 1", "%n"));
  CHECK(!ends("cmp.uge.i8 %i, 0", "sub.i8 %i, 1", "%n"));
  CHECK(ends("cmp.eq.i8 %i, %n", "add.i8 %i, 2"));
}

TEST_CASE("verify_final_values: seeded mistakes are rejected") {
  const std::string texts[] = {
      while_loop("(%a: i32, %b: i32, %n: i32) -> i32",
                 {"%i = phi.i32 [entry: 0], [body: %i1]", "%sum = phi.i32 [entry: 0], [body: %sum2]"},
                 "cmp.lt.i32 %i, 3000",
                 "    %sum1 = add.i32 %sum, %a\n    %sum2 = sub.i32 %sum1, %b\n    %i1 = add.i32 %i, 1\n", "%sum"),
      while_loop("(%a: i32, %b: i32, %n: i32) -> i32",
                 {"%i = phi.i32 [entry: 3], [body: %i1]", "%sum = phi.i32 [entry: %a], [body: %sum2]"},
                 "cmp.lt.i32 %i, %n",
                 "    %part = mul.i32 %i, %b\n    %sum2 = add.i32 %sum, %part\n    %i1 = add.i32 %i, 1\n", "%sum"),
      while_loop("(%a: i32, %b: i32, %n: i32) -> i32",
                 {"%i = phi.i32 [entry: %a], [body: %i1]", "%sum = phi.i32 [entry: %a], [body: %sum2]"},
                 "cmp.ne.i32 %i, %n", "    %sum2 = add.i32 %sum, %i\n    %i1 = add.i32 %i, 3\n", "%sum"),
      while_loop("(%a: i32, %b: i32, %n: i32) -> i32",
                 {"%i = phi.i32 [entry: %a], [body: %i1]", "%sum = phi.i32 [entry: %a], [body: %sum2]"},
                 "cmp.lt.i32 %i, %n", "    %sum2 = add.i32 %sum, %b\n    %i1 = add.i32 %i, 3 nsw\n", "%sum"),
      while_loop("(%a: i32, %b: i32, %n: i32) -> i32",
                 {"%i = phi.i32 [entry: %a], [body: %i1]", "%sum = phi.i32 [entry: %a], [body: %sum2]"},
                 "cmp.gt.i32 %i, %n", "    %sum2 = add.i32 %sum, %b\n    %i1 = sub.i32 %i, 8 nsw\n", "%sum"),
      while_loop("(%a: i32, %b: i32, %n: i32) -> i32",
                 {"%i = phi.i32 [entry: %a], [body: %i1]", "%sum = phi.i32 [entry: %a], [body: %sum2]"},
                 "cmp.ne.i32 %i, %n", "    %sum2 = add.i32 %sum, %b\n    %i1 = add.i32 %i, 6 nsw\n", "%sum")};
  std::size_t mistakes = 0;
  for (const std::string& text : texts) {
    const closed_procedure c = closed(text);
    REQUIRE_MESSAGE(!c.plan.empty(), text, midend::to_text(midend::dominators_and_loops(c.before).loops, c.plan));
    const auto rejects = [&](const procedure& wrong, const midend::final_value_witness& w, const std::string& what) {
      ++mistakes;
      CHECK_MESSAGE(!midend::verify_final_values(cost_view(c.before), cost_view(wrong), w), what, "\n", text,
                    elbrus::to_text(wrong));
    };
    const std::size_t old = c.before.num_values();
    for (value_id v = static_cast<value_id>(old); v != c.replaced.num_values(); ++v) {
      if (c.replaced.value(v).node == midend::no_node) {
        continue;
      }
      const cost_view view(c.replaced);
      const std::vector<value_id> operands(view.operands(v).begin(), view.operands(v).end());
      for (std::size_t i = 0; i != operands.size(); ++i) {
        procedure wrong = c.replaced;
        elbrus::editor e(wrong);
        if (const auto number = view.constant(operands[i])) {
          e.set_operand(v, i, e.make_number(32, *number + 1));
          rejects(wrong, c.witness, "another number");
        } else {
          e.set_operand(v, i, c.before.parameters()[operands[i] == c.before.parameters()[0] ? 1 : 0]);
          rejects(wrong, c.witness, "another operand");
        }
      }
      if (operands.size() == 2) { // another operation of the same operands
        const midend::operation_info info = view.operation(v);
        for (const midend::operation code :
             {midend::operation::add, midend::operation::sub, midend::operation::umax, midend::operation::bit_xor}) {
          if (code != info.code) {
            procedure wrong = c.replaced;
            elbrus::editor e(wrong);
            const value_id other =
                e.make_operation({code, info.width, info.operand_width, {}}, operands, midend::place_before(v));
            e.replace_uses(v, other);
            rejects(wrong, c.witness, "another operation");
          }
        }
      }
    }
    for (std::size_t i = 0; i != c.witness.evolutions.size(); ++i) {
      if (c.witness.evolutions[i].reading == midend::number_reading::low_bits) {
        for (midend::linear_form midend::claimed_evolution::* part : {&midend::claimed_evolution::scale}) {
          midend::final_value_witness w = c.witness;
          (w.evolutions[i].*part).constant += 1;
          w.evolutions[i].ratio = 2;
          rejects(c.replaced, w, "a power is claimed");
        }
        for (unsigned d = 0; d != 4; ++d) {
          midend::final_value_witness w = c.witness;
          w.evolutions[i].coefficients[d].constant += 1;
          rejects(c.replaced, w, "another coefficient is claimed");
        }
        midend::final_value_witness w = c.witness;
        w.evolutions[i].phi = static_cast<value_id>(old + 5);
        rejects(c.replaced, w, "a claim about no value");
      }
    }
    for (std::size_t i = 0; i != c.witness.counts.size(); ++i) {
      for (const std::uint64_t apart : {std::uint64_t{1}, ~std::uint64_t{0}, std::uint64_t{1} << 32}) {
        midend::final_value_witness w = c.witness;
        w.counts[i].backedges += apart;
        rejects(c.replaced, w, "another count is claimed");
      }
    }
  }
  MESSAGE(mistakes, " mistakes");
  CHECK(mistakes > 100);
}

TEST_CASE("verify_final_values: a quotient is refused if nothing promises that the counter does not wrap") {
  for (const std::string test : {"cmp.lt.i32 %i, %n", "cmp.ne.i32 %n, %i"}) {
    const auto text = [&](const char* promise) {
      return while_loop("(%n: i32, %s: i32, %a: i32) -> i32",
                        {"%i = phi.i32 [entry: %s], [body: %i1]", "%sum = phi.i32 [entry: 5], [body: %sum1]"}, test,
                        std::string("    %sum1 = add.i32 %sum, %a\n    %i1 = add.i32 %i, 4") + promise + "\n", "%sum");
    };
    const closed_procedure promised = closed(text(" nsw"));
    REQUIRE(promised.plan.values.size() == 1);
    const procedure before = program_of(text("")).procedures[0];
    procedure after = before;
    elbrus::editor e(after);
    midend::final_value_plan plan = promised.plan;
    const auto witness = midend::apply_replace_final_values(e, plan);
    REQUIRE(plan.values.size() == 1);
    CHECK(midend::verify_final_values(cost_view(before), cost_view(after), witness).fault ==
          midend::change_fault::different_value);
  }
}

TEST_CASE("verify_final_values: a count of fewer bits is extended without a sign") {
  std::size_t mistakes = 0;
  for (const std::string test : {"cmp.ult.i8 %i, %n", "cmp.ne.i8 %i, %n"}) {
    const closed_procedure c = closed(while_loop(
        "(%a: i32, %n: i8) -> i32", {"%i = phi.i8 [entry: 0], [body: %i1]", "%sum = phi.i32 [entry: 0], [body: %sum1]"},
        test, "    %sum1 = add.i32 %sum, %a\n    %i1 = add.i8 %i, 1\n", "%sum"));
    REQUIRE(!c.plan.empty());
    for (auto v = static_cast<value_id>(c.before.num_values()); v != c.replaced.num_values(); ++v) {
      const midend::operation_info info = cost_view(c.replaced).operation(v);
      if (c.replaced.value(v).node != midend::no_node && info.code == midend::operation::zero_extend) {
        ++mistakes;
        procedure wrong = c.replaced;
        elbrus::editor e(wrong);
        const value_id operands[] = {*cost_view(wrong).operands(v).begin()};
        e.replace_uses(v, e.make_operation({midend::operation::sign_extend, info.width, info.operand_width, {}},
                                           operands, midend::place_before(v)));
        CHECK_MESSAGE(!midend::verify_final_values(cost_view(c.before), cost_view(wrong), c.witness),
                      elbrus::to_text(wrong));
      }
    }
  }
  CHECK(mistakes == 2);
}

TEST_CASE("replace_final_values: random programs run the same, and all certificates are accepted") {
  std::size_t replaced = 0;
  std::size_t removed = 0;
  std::size_t same = 0;
  for_each_random_program(600, all_flow(), [&](const generated_program& g, std::uint64_t seed) {
    elbrus::program all = in_ssa_form(g);
    for (procedure& p : all.procedures) {
      elbrus::editor e(p);
      midend::hoist_invariants(e);
      closed_procedure c(p);
      if (seed % 2 == 1) { // what was computed for one loop may read a value of another one
        c = closed_procedure(c.after);
      }
      replaced += c.plan.reads.size();
      removed += midend::dominators_and_loops(p).loops.num_loops() - c.loops();
      p = c.after;
    }
    comparison_counts runs;
    const std::string wrong = why_wrong(g, all, &runs);
    CHECK_MESSAGE(wrong.empty(), "seed ", seed, ": ", wrong);
    same += runs.same;
  });
  MESSAGE(replaced, " reads replaced, ", removed, " loops removed, ", same, " runs the same");
  CHECK(replaced > affordable(10));
  CHECK(removed > affordable(10));
}
