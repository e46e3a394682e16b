// Kinds of loops that `evolutions` counts with facts about the function around them, against running the function.
#include "kit/affordable.hpp"
#include "kit/parsed_procedure.hpp"
#include "kit/program_generator.hpp"

#include <doctest/doctest.h>
#include <midend/dominance/dominators.hpp>
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/induction/loop_trip_counter.hpp>
#include <midend/induction/plain_trip_counter.hpp>
#include <midend/loops/natural_loops.hpp>
#include <midend/transform/rotate_loops.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace midend_tests;
using midend::trip_count_kind;
namespace elbrus = midend::elbrus;

namespace {

/// What is known about a loop.
struct loop_count {
  midend::trip_count trip;
  bool is_computable = false; ///< when the loop is entered, by each of its exits
  std::size_t exits = 0;
  midend::exit_trips first_exit;
};

loop_count count_of(const midend::value_evolutions& found, midend::loop_id l) {
  loop_count out;
  out.trip = found.trips(l).count;
  out.exits = found.num_exits(l);
  bool every = out.exits != 0;
  for (std::size_t i = 0; i != out.exits; ++i) {
    const midend::exit_trips x = found.exit(l, i);
    out.first_exit = i == 0 ? x : out.first_exit;
    const bool is_open =
        x.trips.count.kind == trip_count_kind::unknown || x.trips.count.kind == trip_count_kind::at_most;
    every = every && (!is_open || x.trips.has_formula || x.trips.test.is_direct);
  }
  out.is_computable = every || out.trip.kind == trip_count_kind::exact;
  return out;
}

/// The counts of the loops of a procedure.
template <class Visit> void for_each_count(const elbrus::procedure& p, Visit visit) {
  const elbrus::cost_view ir(p);
  const midend::dominator_tree tree = midend::dominators(ir.graph());
  const midend::loop_forest forest = midend::natural_loops(ir.graph(), tree);
  const midend::loop_trip_counter counter(ir, forest);
  for (const midend::loop_id l : forest.loops()) {
    visit(forest, l, count_of(counter.evolutions(), l));
  }
}

/// How often control has entered a loop.
std::uint64_t entries_of(const elbrus::procedure_profile& counts, const midend::loop_forest& forest,
                         midend::loop_id l) {
  std::uint64_t sum = 0;
  for (const midend::loop_edge& e : forest.entering_edges(l)) {
    sum += e.id < counts.edges.size() ? counts.edges[e.id] : 0;
  }
  return sum;
}

/// What is known about a loop whose test is `%q`, after operations before it. The last lines before the loop may lead
/// on to a node of their own, `before`.
struct looping {
  std::string_view arguments;
  std::string_view before;
  std::string_view body;

  std::string text() const {
    std::string out = "proc @f(";
    out += arguments;
    out += ") {\n  node entry:\n";
    out += before;
    out += "    br loop\n  node loop:\n";
    out += body;
    return out + "    br %q ? loop : exit\n  node exit:\n    ret\n}\n";
  }
};

/// The counters of the last loop.
loop_count counters_of(const looping& given) {
  const parsed_procedure parsed(given.text().c_str());
  loop_count found;
  for_each_count(parsed.procedure(),
                 [&](const midend::loop_forest&, midend::loop_id, const loop_count& c) { found = c; });
  return found;
}

} // namespace

TEST_CASE("trip kinds: random programs, against their runs") {
  random_program_options options;
  options.form = program_form::ssa;
  options.known = 25;
  options.calls = false; // nobody is there to answer
  std::array<std::size_t, 5> kinds{};
  std::size_t wrong = 0;
  for (std::uint64_t seed = 0; seed != affordable(600); ++seed) {
    const generated_program made = random_program(seed, options);
    elbrus::run_profile all;
    for (const generated_input& input : made.inputs) {
      elbrus::interpreter interpreter(made.program);
      const auto ran = interpreter.run(made.entry, input.arguments, input.memory, {.record_events = false});
      REQUIRE(!ran.trap);
      elbrus::add_profile(all, ran.profile);
    }
    for (std::size_t i = 0; i != made.program.procedures.size(); ++i) {
      const elbrus::procedure& p = made.program.procedures[i];
      for_each_count(p, [&](const midend::loop_forest& forest, midend::loop_id l, const loop_count& c) {
        kinds[static_cast<std::size_t>(c.trip.kind)] += 1;
        if (i >= all.size() || all[i].edges.empty()) {
          return;
        }
        const std::uint64_t entries = entries_of(all[i], forest, l);
        const std::uint64_t executions = elbrus::node_count(p, all[i], forest.header(l));
        const auto known = c.trip.header_executions();
        if (c.trip.kind == trip_count_kind::exact) {
          wrong += known && executions != *known * entries ? 1 : 0;
        } else if (c.trip.kind == trip_count_kind::at_most) {
          wrong += known && executions > *known * entries ? 1 : 0;
        } else if (c.trip.kind == trip_count_kind::endless || c.trip.kind == trip_count_kind::wraps_first) {
          wrong += entries != 0 ? 1 : 0;
        }
      });
    }
  }
  CHECK(wrong == 0);
  CHECK(kinds[static_cast<std::size_t>(trip_count_kind::exact)] > affordable(100));
  CHECK(kinds[static_cast<std::size_t>(trip_count_kind::at_most)] > affordable(20));
}

TEST_CASE("trip kinds: a loop that is rotated is counted as well as before, also without facts") {
  // Rotation leaves phis with one input in guards, latches and exits.
  random_program_options options;
  options.form = program_form::ssa;
  options.known = 25;
  std::array<std::size_t, 2> with_facts{};
  std::array<std::size_t, 2> without{};
  const auto is_exact = [](const midend::value_evolutions& found, midend::loop_id l) {
    return found.trips(l).count.kind == trip_count_kind::exact ? std::size_t{1} : std::size_t{0};
  };
  for (std::uint64_t seed = 0; seed != affordable(400); ++seed) {
    generated_program made = random_program(seed, options);
    for (elbrus::procedure& p : made.program.procedures) {
      for (const std::size_t rotated : {std::size_t{0}, std::size_t{1}}) {
        if (rotated == 1) {
          elbrus::editor e(p);
          midend::rotate_loops(e);
        }
        const elbrus::cost_view ir(p);
        const midend::loop_forest forest = midend::natural_loops(ir.graph(), midend::dominators(ir.graph()));
        const midend::loop_trip_counter counter(ir, forest);
        midend::plain_trip_counter_workspace workspace;
        const midend::plain_trip_counter plain(ir, forest, workspace);
        for (const midend::loop_id l : forest.loops()) {
          with_facts[rotated] += is_exact(counter.evolutions(), l);
          without[rotated] += is_exact(plain.evolutions(), l);
        }
      }
    }
  }
  MESSAGE("exact: ", with_facts[0], " and rotated ", with_facts[1], "; alone ", without[0], " and rotated ",
          without[1]);
  CHECK(with_facts[0] > affordable(200));
  CHECK(with_facts[1] >= with_facts[0]);
  CHECK(without[1] >= without[0] * 3 / 4);
}

TEST_CASE("trip kinds: phis with one input pass on start, step and bound") {
  constexpr std::string_view text = R"(
proc @f(%a: i32) -> i32 {
  node entry:
    br guard
  node guard:
    %zero = phi.i32 [entry: 0]
    %end = phi.i32 [entry: 63]
    %one = phi.i32 [entry: %a]
    br before
  node before:
    %start = phi.i32 [guard: %zero]
    br loop
  node loop:
    %i = phi.i32 [before: %start], [latch: %i2]
    %s = phi.i32 [before: %a], [latch: %s2]
    %s1 = add.i32 %s, %one
    %i1 = add.i32 %i, 1
    br latch
  node latch:
    %i2 = phi.i32 [loop: %i1]
    %s2 = phi.i32 [loop: %s1]
    %q = cmp.lt.i32 %i2, %end
    br %q ? loop : exit
  node exit:
    ret %s2
})";
  const parsed_procedure parsed(std::string(text).c_str());
  std::size_t found = 0;
  for_each_count(parsed.procedure(), [&](const midend::loop_forest&, midend::loop_id, const loop_count& c) {
    CHECK(c.trip.kind == trip_count_kind::exact);
    CHECK(c.trip.backedges == 62);
    ++found;
  });
  CHECK(found == 1);
}

TEST_CASE("trip kinds: even steps up to a number, from a multiple of a power of 2") {
  const auto exit_of = [](const char* shift, const char* bound) {
    const std::string before = std::string("    %m = shl.i8 %n, ") + shift + "\n    %s = add.i8 %m, 16\n";
    const std::string body = std::string("    %i = phi.i8 [entry: %s], [loop: %i1]\n    %i1 = sub.i8 %i, 24\n"
                                         "    %q = cmp.ne.i8 %i1, ") +
                             bound + "\n";
    const looping given{"%n: i8", before, body};
    const loop_count c = counters_of(given);
    return c.first_exit.trips.test;
  };
  CHECK(!exit_of("2", "16").is_direct);
  CHECK(!exit_of("3", "20").is_direct);
  for (const char* bound : {"16", "-8"}) {
    const midend::counter_test x = exit_of("3", bound);
    REQUIRE(x.is_direct);
    const midend::trip_formula formula = midend::direct_trip_formula(x.ends, 8, x.step);
    for (unsigned n = 0; n != 32; ++n) {
      const unsigned start = 8 * n + 16;
      std::uint64_t backedges = 0;
      for (unsigned i = start - 24; (i & 255) != (bound[0] == '-' ? 248u : 16u); i -= 24) {
        ++backedges;
      }
      CHECK(formula.backedges((start - 24) & 255, bound[0] == '-' ? 248 : 16) == backedges);
    }
  }
}

TEST_CASE("trip kinds: what the function says about a step that is a value") {
  const auto counted = [](const char* before, const char* increment, const char* test) {
    const std::string body =
        std::string("    %i = phi.i32 [entry: 0], [loop: %i1]\n    %i1 = ") + increment + "\n    %q = " + test + "\n";
    const looping given{"%n: i32, %s: i32, %b: i8", before, body};
    return counters_of(given);
  };
  constexpr const char* from_byte = "    %w = zext.i8.i32 %b\n    %t = add.i32 %w, 4\n";
  const loop_count by_byte = counted(from_byte, "add.i32 %i, %t nsw", "cmp.lt.i32 %i1, 1000");
  CHECK(by_byte.is_computable);
  CHECK(by_byte.trip == midend::trip_count{trip_count_kind::at_most, 249, 1});       // by 4 each
  CHECK(counted(from_byte, "add.i32 %i, %t", "cmp.lt.i32 %i1, 1000").is_computable); // far from the end
  CHECK(!counted(from_byte, "add.i32 %i, %t", "cmp.lt.i32 %i1, %n").is_computable);
  CHECK(!counted("    %w = zext.i8.i32 %b\n", "add.i32 %i, %w nsw", "cmp.lt.i32 %i1, %n").is_computable); // or 0
  CHECK(counted("    %w = zext.i8.i32 %b\n    %t = or.i32 %w, 1\n", "add.i32 %t, %i nsw", "cmp.lt.i32 %i1, %n")
            .is_computable);
  // A branch says that it is more than 0.
  const auto guarded = [](const char* guard) {
    const std::string text = std::string("proc @f(%n: i32, %s: i32) {\n  node entry:\n    %g = ") + guard +
                             "\n    br %g ? before : exit\n  node before:\n    br loop\n  node loop:\n"
                             "    %i = phi.i32 [before: 0], [loop: %i1]\n    %i1 = add.i32 %i, %s nsw\n"
                             "    %q = cmp.lt.i32 %i1, %n\n    br %q ? loop : exit\n  node exit:\n    ret\n}\n";
    const parsed_procedure parsed(text.c_str());
    bool is_computable = false;
    for_each_count(parsed.procedure(), [&](const midend::loop_forest&, midend::loop_id, const loop_count& c) {
      is_computable = c.is_computable;
    });
    return is_computable;
  };
  CHECK(guarded("cmp.gt.i32 %s, 0"));
  CHECK(!guarded("cmp.ge.i32 %s, 0"));
  CHECK(!guarded("cmp.ugt.i32 %s, 0"));
}

TEST_CASE("trip kinds: what operations, branches and loads say about start and bound") {
  struct expectation {
    const char* why;
    looping given;
    midend::trip_count trip;
  };

  constexpr auto exact = trip_count_kind::exact;
  constexpr auto at_most = trip_count_kind::at_most;
  const expectation all[] = {
      {"numbers that operations before the loop compute",
       {"", R"(
    %s = shl.i32 1, 4
    %n = udiv.i32 %s, 3
)",
        R"(
    %i = phi.i32 [entry: 0], [loop: %i1]
    %i1 = add.i32 %i, 1
    %q = cmp.ult.i32 %i1, %n
)"},
       {exact, 4, 5}},
      {"a branch before the loop",
       {"%n: i32", R"(
    %small = cmp.ult.i32 %n, 16
    br %small ? before : exit
  node before:
    %w = add.i32 %n, 2
)",
        R"(
    %i = phi.i32 [before: 0], [loop: %i1]
    %i1 = add.i32 %i, 1
    %q = cmp.ult.i32 %i1, %w
)"},
       {at_most, 16, 1}},
      {"a branch on the low bits of the bound: they are not 0, so it is not 0",
       {"%k: i64", R"(
    %n = and.i64 %k, 1023
    %low = trunc.i64.i16 %n
    %none = cmp.eq.i16 %low, 0
    br %none ? exit : before
  node before:
)",
        R"(
    %i = phi.i64 [before: 0], [loop: %i1]
    %i1 = add.i64 %i, 1
    %q = cmp.ne.i64 %i1, %n
)"},
       {at_most, 1022, 1}},
      {"a branch on two conditions, as a select",
       {"%n: i32, %k: i32", R"(
    %a = cmp.ne.i32 %k, 7
    %b = cmp.ult.i32 %n, 16
    %both = select.i1 %a, %b, 0
    br %both ? before : exit
  node before:
)",
        R"(
    %i = phi.i32 [before: 0], [loop: %i1]
    %i1 = add.i32 %i, 1
    %q = cmp.ult.i32 %i1, %n
)"},
       {at_most, 14, 1}},
      {"a sum without its carry",
       {"%n: i16", R"(
    %two = cmp.ugt.i16 %n, 1
    br %two ? before : exit
  node before:
    %w = zext.i16.i64 %n
    %sum = add.i64 %w, 4294967295
    %m = and.i64 %sum, 4294967295
)",
        R"(
    %i = phi.i64 [before: 0], [loop: %i1]
    %i1 = add.i64 %i, 1
    %q = cmp.ne.i64 %i1, %m
)"},
       {at_most, 65533, 1}},
      {"the lesser of two numbers",
       {"%n: i32", R"(
    %less = cmp.ult.i32 %n, 9
    %w = select.i32 %less, %n, 9
)",
        R"(
    %i = phi.i32 [entry: 0], [loop: %i1]
    %i1 = add.i32 %i, 1
    %q = cmp.ult.i32 %i, %w
)"},
       {at_most, 9, 1}},
      {"a bound that is loaded again in each iteration",
       {"%a: ptr", "", R"(
    %i = phi.i32 [entry: 0], [loop: %i1]
    %v = ld.i8 [%a] alias=A
    %w = zext.i8.i32 %v
    %i1 = add.i32 %i, 1
    %q = cmp.ult.i32 %i1, %w
)"},
       {at_most, 254, 1}},
      {"start and bound lie a number apart",
       {"%n: i64", R"(
    %a = add.i64 %n, 8
    %b = add.i64 %a, 48
)",
        R"(
    %p = phi.i64 [entry: %b], [loop: %p1]
    %p1 = sub.i64 %p, 24
    %q = cmp.ne.i64 %p1, %a
)"},
       {exact, 1, 2}},
      {"the same, although some bits are known of what they are computed from",
       {"%n: i64, %k: i64", R"(
    %k8 = shl.i64 %k, 3
    %a = add.i64 %n, %k8
    %b = add.i64 %a, 48
)",
        R"(
    %p = phi.i64 [entry: %b], [loop: %p1]
    %p1 = sub.i64 %p, 24
    %q = cmp.ne.i64 %p1, %a
)"},
       {exact, 1, 2}},
      {"bits are shifted out",
       {"%n: i64", "", R"(
    %x = phi.i64 [entry: %n], [loop: %x1]
    %x1 = shr.i64 %x, 7
    %q = cmp.uge.i64 %x, 128
)"},
       {at_most, 9, 1}},
      {"two counters that meet",
       {"", "", R"(
    %i = phi.i32 [entry: 0], [loop: %i1]
    %j = phi.i32 [entry: 20], [loop: %j1]
    %i1 = add.i32 %i, 1
    %j1 = sub.i32 %j, 2
    %q = cmp.lt.i32 %i, %j
)"},
       {exact, 7, 8}},
  };
  for (const expectation& x : all) {
    CHECK_MESSAGE(counters_of(x.given).trip == x.trip, x.why);
  }
}

TEST_CASE("trip kinds: a walk back over what a loop around has passed ends at its start if the steps agree") {
  const auto is_computable = [](int around, int back) {
    const std::string before = R"(
    br outer
  node outer:
    %p = phi.i8 [entry: %a], [outer: %p1]
    %p1 = add.i8 %p, )" + std::to_string(around) +
                               R"(
    %g = cmp.ult.i8 %p1, %n
    br %g ? outer : before
  node before:
)";
    const std::string body = R"(
    %r = phi.i8 [before: %p], [loop: %r1]
    %r1 = sub.i8 %r, )" + std::to_string(back) +
                             R"(
    %q = cmp.ne.i8 %r1, %a
)";
    const looping given{"%a: i8, %n: i8", before, body};
    const bool computable = counters_of(given).is_computable;
    const elbrus::program all = program_of(given.text());
    elbrus::interpreter interpreter(all);
    std::size_t endless = 0;
    for (std::uint64_t a = 0; a < 256; a += 5) {
      for (std::uint64_t n = 0; n < 200; n += 9) {
        const std::array<elbrus::scalar, 2> arguments{{{elbrus::type::i8, a}, {elbrus::type::i8, n}}};
        const auto run = interpreter.run(0, arguments, {}, {.step_limit = 2'000, .record_events = false});
        endless += run.trap ? 1 : 0;
      }
    }
    CHECK((!computable || endless == 0));
    return computable;
  };
  CHECK(is_computable(24, 24));
  CHECK(is_computable(24, 8));
  CHECK(is_computable(24, 40));
  CHECK(!is_computable(24, 16));
  CHECK(!is_computable(4, 24));
}

TEST_CASE("trip kinds: phis with one input are what arrived, also operations of each other") {
  // %w is computed in the loop before, and the branch after it says something of %m, as loop-closed form has it.
  const auto most_of = [](const char* after) {
    const std::string text = std::string(R"(proc @f(%a: ptr) {
  node entry:
    br search
  node search:
    %m = phi.i32 [entry: 15], [next: %m1]
    %w = zext.i32.i64 %m
    %v = ld.i16 [%a + %w*2]
    %z = cmp.eq.i16 %v, 0
    br %z ? next : found
  node next:
    %m1 = sub.i32 %m, 1 nsw
    %e = cmp.eq.i32 %m1, 0
    br %e ? exit : search
  node found:
)") + after + R"(
    br %g ? before : exit
  node before:
    br loop
  node loop:
    %i = phi.i64 [before: 1], [again: %i1]
    %u = ld.i16 [%a + %i*2]
    %y = cmp.eq.i16 %u, 0
    br %y ? again : exit
  node again:
    %i1 = add.i64 %i, 1
    %q = cmp.ne.i64 %i1, %last
    br %q ? loop : exit
  node exit:
    ret
}
)";
    const parsed_procedure parsed(text.c_str());
    std::optional<std::uint64_t> most;
    for_each_count(parsed.procedure(), [&](const midend::loop_forest& forest, midend::loop_id l, const loop_count& c) {
      if (forest.header(l) == 5) { // `loop`
        most = c.trip.header_executions();
      }
    });
    return most;
  };
  CHECK(most_of("    %last = phi.i64 [search: %w]\n    %k = phi.i32 [search: %m]\n    %g = cmp.ugt.i32 %k, 1") == 14);
  CHECK(most_of("    %k = phi.i32 [search: %m]\n    %last = phi.i64 [search: %w]\n    %g = cmp.ugt.i32 %k, 7") == 14);
  // Where the bound may be 1, the counter passes it and goes all the way around.
  CHECK(!most_of("    %last = phi.i64 [search: %w]\n    %k = phi.i32 [search: %m]\n    %g = cmp.ult.i32 %k, 9"));
  CHECK(!most_of("    %last = phi.i64 [search: %w]\n    %k = phi.i64 [search: %w]\n    %g = cmp.ugt.i64 1, %k"));
}

TEST_CASE("trip kinds: a counter that is cut before it is compared starts at the low bits of its start") {
  const auto most_of = [](const char* number, const char* start) {
    const std::string before = std::string("    %n = add.i8 %x, ") + number + "\n    %s = " + start + "\n";
    const looping given{"%x: i8, %y: i16", before, R"(
    %i = phi.i16 [entry: %s], [loop: %i1]
    %i1 = add.i16 %i, 1
    %t = trunc.i16.i8 %i1
    %q = cmp.lt.i8 %t, %n
)"};
    const std::optional<std::uint64_t> most = counters_of(given).trip.header_executions();
    const elbrus::program all = program_of(given.text());
    elbrus::interpreter interpreter(all);
    for (std::uint64_t x = 0; x != 256; ++x) {
      for (const std::uint64_t y : {std::uint64_t{0}, std::uint64_t{0x7f80}, std::uint64_t{0xffff}}) {
        const std::array<elbrus::scalar, 2> arguments{{{elbrus::type::i8, x}, {elbrus::type::i16, y}}};
        const std::uint64_t limit = most ? 5 * *most + 10 : 3'000; // five operations an iteration
        const auto run = interpreter.run(0, arguments, {}, {.step_limit = limit, .record_events = false});
        CHECK(!run.trap);
      }
    }
    return most;
  };
  CHECK(most_of("19", "zext.i8.i16 %x") == 19);
  CHECK(most_of("19", "sext.i8.i16 %x") == 19);
  CHECK(most_of("19", "mov.i16 %y") != 19);
}

TEST_CASE("trip kinds: from x to x + 96, both extended, is 96 where x + 96 does not wrap") {
  const auto number_of = [](const char* limit) {
    const std::string before = std::string("    %g = cmp.ult.i8 %x, ") + limit + R"(
    br %g ? before : exit
  node before:
    %n = add.i8 %x, 96
    %s = zext.i8.i16 %x
    %e = zext.i8.i16 %n
)";
    const looping given{"%x: i8", before, R"(
    %i = phi.i16 [before: %s], [loop: %i1]
    %i1 = add.i16 %i, 1
    %q = cmp.ne.i16 %i1, %e
)"};
    const midend::trip_count found = counters_of(given).trip;
    const elbrus::program all = program_of(given.text());
    elbrus::interpreter interpreter(all);
    std::size_t others = 0;
    for (std::uint64_t x = 0; x != 256; ++x) {
      const std::array<elbrus::scalar, 1> arguments{{{elbrus::type::i8, x}}};
      others += interpreter.run(0, arguments, {}, {.step_limit = 4 * 96 + 10, .record_events = false}).trap ? 1 : 0;
    }
    const bool is_number = found.kind == trip_count_kind::exact && found.backedges == 95;
    CHECK(is_number == (others == 0));
    return is_number;
  };
  CHECK(number_of("160"));
  CHECK(number_of("17"));
  CHECK(!number_of("161")); // of 160, it is 0
  CHECK(!number_of("255"));
}

namespace {

/// What is claimed about the loops of a procedure, against its runs on a grid of arguments.
class claims_of {
public:
  /// `arguments` of 8 bits. A run that does not end is cut.
  claims_of(const std::string& text, std::size_t arguments, std::uint64_t stride, std::uint64_t step_limit)
      : program_(program_of(text)) {
    elbrus::interpreter interpreter(program_);
    midend::loop_forest forest;
    std::vector<std::pair<midend::loop_id, loop_count>> counts;
    for_each_count(procedure(), [&](const midend::loop_forest& all, midend::loop_id l, const loop_count& c) {
      forest = all;
      counts.emplace_back(l, c);
    });
    for (std::uint64_t x = 0; x < 256; x += stride) {
      for (std::uint64_t y = 0; y < (arguments > 1 ? 256U : 1U); y += stride) {
        const std::array<elbrus::scalar, 2> both{{{elbrus::type::i8, x}, {elbrus::type::i8, y}}};
        const auto run = interpreter.run(0, std::span(both).first(arguments), {},
                                         {.step_limit = step_limit, .record_events = false});
        for (const auto& [l, c] : counts) {
          check(run.profile, !run.trap, forest, l, c);
        }
      }
    }
  }

  const elbrus::procedure& procedure() const { return program_.procedures[0]; }

  bool are_right() const { return wrong_ == 0; }

  /// The count of the loop with this header.
  midend::trip_count of(std::string_view header) const { return counters_of(header).trip; }

  loop_count counters_of(std::string_view header) const {
    loop_count found;
    for_each_count(procedure(), [&](const midend::loop_forest& forest, midend::loop_id l, const loop_count& c) {
      if (procedure().node_name(forest.header(l)) == header) {
        found = c;
      }
    });
    return found;
  }

private:
  void check(const elbrus::run_profile& all, bool is_complete, const midend::loop_forest& forest, midend::loop_id l,
             const loop_count& c) {
    if (all.empty() || all[0].edges.empty()) {
      return;
    }
    const midend::trip_count& trip = c.trip;
    const std::uint64_t entries = entries_of(all[0], forest, l);
    const std::uint64_t executions = elbrus::node_count(procedure(), all[0], forest.header(l));
    const auto known = trip.header_executions();
    wrong_ += is_complete && executions % c.trip.multiple != 0 ? 1 : 0;
    if (trip.kind == trip_count_kind::exact) {
      wrong_ += known && (executions > *known * entries || (is_complete && executions != *known * entries)) ? 1 : 0;
    } else if (trip.kind == trip_count_kind::at_most) {
      wrong_ += known && executions > *known * entries ? 1 : 0;
    } else if (trip.kind != trip_count_kind::unknown) {
      wrong_ += is_complete && entries != 0 ? 1 : 0;
    }
  }

  elbrus::program program_;
  std::size_t wrong_ = 0;
};

/// The greatest number of backedges of `loop`, if claimed; checks all claims.
std::optional<std::uint64_t> most_of(const std::string& text, std::size_t arguments = 2) {
  const claims_of claims(text, arguments, 5, 30'000);
  CHECK(claims.are_right());
  const midend::trip_count trip = claims.of("loop");
  return trip.kind == trip_count_kind::exact || trip.kind == trip_count_kind::at_most ? std::optional(trip.backedges)
                                                                                      : std::nullopt;
}

/// A loop from 0 to `bound`, of 16 bits, after other nodes, the last of which is `before`.
std::string up_to(const std::string& nodes, const std::string& bound, const char* after = "exit") {
  return "proc @f(%x: i8, %n: i8) {\n" + nodes + R"(
    %w = zext.i8.i16 )" +
         bound + R"(
    br loop
  node loop:
    %i = phi.i16 [before: 0], [loop: %i1]
    %i1 = add.i16 %i, 1
    %q = cmp.ult.i16 %i, %w
    br %q ? loop : )" +
         after + "\n";
}

constexpr const char* exit_of_all = "  node exit:\n    ret\n}\n";

} // namespace

TEST_CASE("trip kinds: the counter of a loop before is bounded by the trips of that loop") {
  const auto most_after = [](const std::string& start, const std::string& next, const std::string& test) {
    return most_of(up_to(R"(
  node entry:
    br first
  node first:
    %k = phi.i8 [entry: )" + start +
                             R"(], [first: %k1]
    %v = phi.i8 [entry: %x], [first: %v1]
    %k1 = )" + next + R"(
    %v1 = shr.i8 %v, 2
    %c = )" + test + R"(
    br %c ? first : before
  node before:)",
                         "%k") +
                   exit_of_all);
  };
  // Three times, a byte has more than two bits left.
  CHECK(most_after("1", "add.i8 %k, 1", "cmp.uge.i8 %v, 4") == 4);
  CHECK(most_after("1", "add.i8 %k, 10", "cmp.uge.i8 %v, 4") == 31);
  CHECK(most_after("100", "sub.i8 %k, 10", "cmp.uge.i8 %v, 4") == 100);
  CHECK(most_after("20", "sub.i8 %k, 10", "cmp.uge.i8 %v, 4") == 254); // 20, 10, 0, 246
  CHECK(most_after("250", "add.i8 %k, 2", "cmp.uge.i8 %v, 4") == 254); // 250, 252, 254, 0
  CHECK(most_after("1", "mul.i8 %k, 3", "cmp.uge.i8 %v, 4") == 27);
  CHECK(most_after("1", "mul.i8 %k, %n", "cmp.uge.i8 %v, 4") == 255);
  CHECK(most_after("%n", "add.i8 %k, 1", "cmp.uge.i8 %v, 4") == 255);
  CHECK(most_after("1", "add.i8 %k, 1", "cmp.ne.i8 %k, %n") == 255);
}

TEST_CASE("trip kinds: unreachable edges into a loop before say nothing, and unreachable loops are no obstacle") {
  const auto first = up_to(R"(
  node entry:
    br first
  node first:
    %k = phi.i8 [entry: 1], [nowhere: 200], [first: %k1]
    %v = phi.i8 [entry: %x], [nowhere: %x], [first: %v1]
    %k1 = add.i8 %k, 1
    %v1 = shr.i8 %v, 2
    %c = cmp.uge.i8 %v, 4
    br %c ? first : before
  node before:)",
                           "%k");
  CHECK(most_of(first + R"(  node nowhere:
    br first
)" + exit_of_all) == 4);
  const auto after_unreachable = up_to(R"(
  node entry:
    br exit
  node first:
    %k = phi.i8 [first: %k1]
    %k1 = add.i8 %k, 1
    %c = cmp.ult.i8 %k, 9
    br %c ? first : before
  node before:)",
                                       "%k");
  most_of(after_unreachable + exit_of_all); // any claim is right
}

TEST_CASE("trip kinds: the counter of a loop around is bounded by the tests that each iteration passes") {
  const auto most_inside =
      [](const std::string& start, const std::string& step, const std::string& test,
         const std::string& ways = "    br again\n  node again:\n    br test\n", const std::string& step_of_way = "") {
        return most_of(up_to(R"(
  node entry:
    br outer
  node outer:
    %k = phi.i8 [entry: )" + start +
                                 R"(], [test: %k1])" + step_of_way + R"(
    %o = phi.i8 [entry: 0], [test: %o1])" +
                                 (step_of_way.empty() ? "" : ", [again: %o1]") + R"(
    %o1 = add.i8 %o, 1
    br before
  node before:)",
                             "%k", "after") +
                       R"(
  node after:
    %k1 = add.i8 %k, )" +
                       step + R"(
    %k2 = add.i8 %k1, 1
)" + ways + R"(  node test:
    %t = )" + test + R"(
    br %t ? outer : exit
)" + exit_of_all);
      };
  CHECK(most_inside("1", "1", "cmp.ne.i8 %k1, 9") == 8);
  CHECK(most_inside("1", "1", "cmp.ult.i8 %k, 9") == 9);
  CHECK(most_inside("1", "1", "cmp.ult.i8 %o, 9") == 10);
  CHECK(most_inside("%x", "1", "cmp.ult.i8 %o, 9") == 255);
  CHECK(most_inside("1", "3", "cmp.ult.i8 %o1, 9") == 25);
  CHECK(most_inside("1", "3", "cmp.ne.i8 %k1, 60") == 255); // passes it
  CHECK(most_inside("1", "3", "cmp.ult.i8 %k1, 254") == 253);
  CHECK(most_inside("1", "3", "cmp.ule.i8 %k1, 254") == 254); // passes it, and wraps
  CHECK(most_inside("0", "1", "cmp.lt.i8 %k1, 100") == 99);
  CHECK(most_inside("0", "1", "cmp.ult.i8 %k1, %n") == 254);
  CHECK(most_inside("200", "255", "cmp.ugt.i8 %k1, 100") == 200);
  CHECK(most_inside("1", "1", "cmp.ne.i8 %k1, %n") == 255);
  // An iteration that leads past the test.
  const char* const past = "    %h = cmp.eq.i8 %x, 7\n    br %h ? again : test\n  node again:\n    br outer\n";
  CHECK(most_inside("1", "1", "cmp.ult.i8 %k, 9", past, ", [again: %k1]") == 255);
  // A test that does not leave.
  const char* const between = R"(
    %h = cmp.ult.i8 %k, 3
    br %h ? again : test
  node again:
    br test
)";
  CHECK(most_inside("1", "1", "cmp.ne.i8 %x, 9", between) == 255);
}

TEST_CASE("trip kinds: other steps on other ways, and cycles with two entries, bound no counter") {
  const auto two_ways = [](const char* other) {
    return most_of(up_to(R"(
  node entry:
    br outer
  node outer:
    %k = phi.i8 [entry: 1], [one: %k1], [two: %k2]
    %o = phi.i8 [entry: 0], [one: %o1], [two: %o1]
    br before
  node before:)",
                         "%k", "after") +
                   R"(
  node after:
    %k1 = add.i8 %k, 1
    %k2 = add.i8 %k, )" +
                   other + R"(
    %o1 = add.i8 %o, 1
    %h = cmp.ult.i8 %o, 9
    br %h ? more : exit
  node more:
    %d = cmp.ult.i8 %k, %x
    br %d ? one : two
  node one:
    br outer
  node two:
    br outer
)" + exit_of_all);
  };
  CHECK(two_ways("1") == 10);
  CHECK(two_ways("2") == 255);
  const auto irreducible = [](const char* second) {
    return most_of(up_to(std::string(R"(
  node entry:
    %z = cmp.ult.i8 %x, 100
    br %z ? a : b
  node a:
    %k = phi.i8 [entry: 1], [b: %m1]
    %k1 = add.i8 %k, 1
    %s = cmp.ult.i8 %k, 9
    br %s ? b : before
  node b:
    %m = phi.i8 [entry: )") + second +
                             R"(], [a: %k1]
    %m1 = add.i8 %m, 1
    br a
  node before:)",
                         "%k") +
                   exit_of_all);
  };
  CHECK(irreducible("1") == 255);
  CHECK(irreducible("%n") == 255);
}

TEST_CASE("trip kinds: header phis that stay a number apart") {
  const auto of =
      [](const std::string& p, const std::string& p_step, const std::string& q, const std::string& q_step) {
        const claims_of claims(R"(proc @f(%x: i8, %n: i8) {
  node entry:
    br outer
  node outer:
    %q = phi.i8 [entry: )" + q + R"(], [after: %q1]
    %o = phi.i8 [entry: 0], [after: %o1]
    %p = phi.i8 [entry: )" + p + R"(], [after: %p1]
    %s = sext.i8.i32 %p
    br loop
  node loop:
    %i = phi.i32 [outer: %s], [loop: %i1]
    %i1 = add.i32 %i, 1
    %t = trunc.i32.i8 %i1
    %e = cmp.eq.i8 %q, %t
    br %e ? after : loop
  node after:
    %p1 = add.i8 %p, )" + p_step + R"(
    %q1 = add.i8 %q, )" + q_step + R"(
    %o1 = add.i8 %o, 1
    %c = cmp.ne.i8 %o1, %n
    br %c ? outer : exit
  node exit:
    ret
}
)",
                               2, 17, 60'000);
        CHECK(claims.are_right());
        return claims.of("loop");
      };
  const midend::trip_count sixteen{trip_count_kind::exact, 15, 16};
  CHECK(of("0", "16", "16", "16") == sixteen);
  CHECK(of("%x", "7", "%n", "7").kind != trip_count_kind::exact);
  CHECK(of("0", "16", "16", "17").kind != trip_count_kind::exact);
  CHECK(of("%x", "16", "16", "16").kind != trip_count_kind::exact);
}

TEST_CASE("trip kinds: range checks, joins and low bits that branches say something about") {
  const auto within = [](const char* sum, const char* test) {
    return most_of(up_to(std::string("  node entry:\n    %r = ") + sum + "\n    %s = cmp." + test +
                             "\n    br %s ? before : exit\n  node before:",
                         "%x") +
                   exit_of_all);
  };
  CHECK(within("add.i8 %x, 254", "ult.i8 %r, 20") == 21);
  CHECK(within("add.i8 %x, 2", "ult.i8 %r, 20") == 255); // 254 and 255, too
  CHECK(within("add.i8 %x, 254", "lt.i8 %r, 20") == 255);
  CHECK(within("add.i8 %x, %n", "ult.i8 %r, 20") == 255);

  const auto joined = [](const char* one, const char* two) {
    return most_of(up_to(std::string(R"(
  node entry:
    %a = and.i8 %x, 15
    %s = cmp.ult.i8 %n, 20
    br %s ? one : two
  node one:
    br before
  node two:
    br before
  node before:
    %j = phi.i8 [one: )") + one +
                             "], [two: " + two + "]",
                         "%j") +
                   exit_of_all);
  };
  CHECK(joined("%a", "40") == 40);
  CHECK(joined("%n", "40") == 40); // below 20
  CHECK(joined("40", "%n") == 255);

  const auto low_bits = [](const char* shift, const char* test) {
    const std::string text = std::string(R"(proc @f(%x: i8, %n: i8) {
  node entry:
    %wx = zext.i8.i32 %x
    %wn = zext.i8.i32 %n
    %hx = shl.i32 %wx, 8
    %v = or.i32 %hx, %wn
    %cut = trunc.i32.i16 %v
    %neg = )") + test + R"(
    br %neg ? exit : more
  node more:
    %none = cmp.eq.i16 %cut, 0
    br %none ? exit : before
  node before:
    %up = shl.i32 %v, )" + shift +
                             R"(
    %w = sar.i32 %up, 16
    br loop
  node loop:
    %i = phi.i32 [before: 0], [loop: %i1]
    %i1 = add.i32 %i, 1
    %q = cmp.ne.i32 %i1, %w
    br %q ? loop : exit
  node exit:
    ret
}
)";
    return most_of(text);
  };
  CHECK(low_bits("16", "cmp.lt.i16 %cut, 0") == 32766);
  CHECK(!low_bits("16", "cmp.gt.i16 %cut, 0"));
}

TEST_CASE("trip kinds: start and bound that are sums of the same two values") {
  const auto apart = [](const std::string& start, const std::string& end) {
    return most_of(R"(proc @f(%x: i8, %n: i8) {
  node entry:
    %m = xor.i8 %n, 21
    %n1 = add.i8 %n, 1
    %s = add.i8 )" +
                   start + "\n    %b = add.i8 " + end + R"(
    %e = add.i8 %b, 10
    br loop
  node loop:
    %i = phi.i8 [entry: %s], [loop: %i1]
    %i1 = add.i8 %i, 1
    %q = cmp.ne.i8 %i1, %e
    br %q ? loop : exit
  node exit:
    ret
}
)");
  };
  CHECK(apart("%x, %n", "%x, %n") == 9);
  CHECK(apart("%x, %n1", "%x, %n") == 8);
  CHECK(apart("%n1, %x", "%x, %n") == 8);
  CHECK(apart("%x, %m", "%x, %n") != 9);
  CHECK(apart("%x, %x", "%x, %n") != 9);
}

TEST_CASE("trip kinds: a join of a counter; and what a test leaves of a counter after the first iteration") {
  const auto joined = [](const char* other) {
    return most_of(up_to(std::string(R"(
  node entry:
    %s = cmp.ult.i8 %n, 20
    br %s ? first : two
  node first:
    %k = phi.i8 [entry: 1], [first: %k1]
    %v = phi.i8 [entry: %x], [first: %v1]
    %k1 = add.i8 %k, 1
    %v1 = shr.i8 %v, 2
    %c = cmp.uge.i8 %v, 4
    br %c ? first : one
  node one:
    br before
  node two:
    br before
  node before:
    %j = phi.i8 [one: %k], [two: )") +
                             other + "]",
                         "%j") +
                   exit_of_all);
  };
  CHECK(joined("0") == 4);
  CHECK(joined("%n") == 255);

  const auto after_down_to = [](const char* test) {
    return most_of(up_to(std::string(R"(
  node entry:
    %a = or.i8 %x, 1
    br first
  node first:
    %k = phi.i8 [entry: %a], [first: %k1]
    %k1 = sub.i8 %k, 1
    %c = )") + test + R"(
    br %c ? first : before
  node before:
    %j = sub.i8 255, %k)",
                         "%j") +
                   exit_of_all);
  };
  CHECK(after_down_to("cmp.ugt.i8 %k, 1") == 254);
  CHECK(after_down_to("cmp.ugt.i8 %k, 0") == 255);
}

TEST_CASE("trip kinds: a value plus itself is not itself") {
  const claims_of claims(R"(proc @f(%x: i8, %n: i8) {
  node entry:
    %w = zext.i8.i64 %x
    %v = add.i64 %w, %w
    br loop
  node loop:
    %i = phi.i8 [entry: 0], [more: %i1]
    %e = cmp.eq.i64 %w, %v
    br %e ? exit : more
  node more:
    %i1 = add.i8 %i, 2
    %c = cmp.lt.i8 %i1, 8
    br %c ? loop : exit
  node exit:
    ret
}
)",
                         2, 5, 1'000);
  CHECK(claims.are_right());
  CHECK(claims.of("loop") == midend::trip_count{trip_count_kind::at_most, 3, 1});
}

TEST_CASE("trip kinds: an invariant minus a counter plus an invariant comes to a bound") {
  const auto is_computable = [](const char* test) {
    const std::string body = std::string(R"(
    %i = phi.i8 [entry: 0], [loop: %i1]
    %i1 = add.i8 %i, 1
    %d = sub.i8 %a, %i
    %e = add.i8 %d, %n
    %q = )") + test + "\n";
    const looping given{"%a: i8, %n: i8", "", body};
    return counters_of(given).is_computable;
  };
  CHECK(is_computable("cmp.ge.i8 %e, 1"));
  CHECK(is_computable("cmp.ne.i8 %e, 1"));
  CHECK(!is_computable("cmp.lt.i8 %e, 1"));
}

TEST_CASE("trip kinds: counters that wrap are compared in the bits that they have") {
  const auto trip_of = [](const char* start, const char* next, const std::string& test) {
    const std::string text =
        std::string("proc @f(%x: i8, %n: i8) {\n  node entry:\n    %b = and.i8 %n, 15\n    br loop\n"
                    "  node loop:\n    %i = phi.i8 [entry: ") +
        start + "], [loop: %i1]\n    %i1 = " + next + "\n" + test + "\n    br %q ? loop : exit\n" + exit_of_all;
    const claims_of claims(text, 2, 5, 3'000);
    CHECK(claims.are_right());
    return claims.counters_of("loop");
  };
  const auto exact = [](std::uint64_t backedges) {
    return midend::trip_count{trip_count_kind::exact, backedges, backedges + 1};
  };
  constexpr const char* up = "add.i8 %i, 1";
  CHECK(trip_of("40", "add.i8 %i, 3", "    %m = and.i8 %i1, 31\n    %q = cmp.ne.i8 %m, 7").trip == exact(20));
  CHECK(trip_of("40", "add.i8 %i, 3", "    %m = and.i8 31, %i1\n    %q = cmp.ne.i8 %m, 7").trip == exact(20));
  CHECK(trip_of("%x", up, "    %m = and.i8 %i1, 30\n    %q = cmp.ne.i8 %m, 6").trip.kind == trip_count_kind::unknown);
  CHECK(trip_of("200", up, "    %w = zext.i8.i32 %i\n    %q = cmp.ugt.i32 %w, 3").trip == exact(56));
  CHECK(trip_of("200", up, "    %w = zext.i8.i32 %i\n    %q = cmp.gt.i32 %w, 3").trip == exact(56));
  CHECK(trip_of("100", up, "    %w = sext.i8.i32 %i\n    %q = cmp.gt.i32 %w, 5").trip == exact(28));
  CHECK(trip_of("100", up, "    %w = sext.i8.i32 %i\n    %q = cmp.ult.i32 %w, 5000").trip == exact(28));
  CHECK(trip_of("%x", up, "    %m = and.i8 %i, 15\n    %q = cmp.ne.i8 %m, %b").trip ==
        midend::trip_count{trip_count_kind::at_most, 15, 1});
  CHECK(trip_of("%x", up, "    %m = and.i8 %i, 15\n    %q = cmp.ne.i8 %m, %b").is_computable);
  CHECK(!trip_of("%x", "add.i8 %i, 2", "    %m = and.i8 %i, 15\n    %q = cmp.ne.i8 %m, %b").is_computable);

  // An order of x and x plus a number tells whether that sum wraps.
  CHECK(trip_of("190", "sub.i8 %i, 103", "    %q = cmp.ult.i8 %i1, %i").trip == exact(1));
  CHECK(trip_of("20", "add.i8 %i, 100", "    %q = cmp.gt.i8 %i1, %i").trip == exact(1));
  CHECK(trip_of("20", "add.i8 %i, 10", "    %q = cmp.uge.i8 %i1, %i").trip == exact(23));

  // An order that holds for equal numbers holds when they are equal, if not before; an odd step leads there.
  CHECK(trip_of("%x", "add.i8 %i, 3", "    %q = cmp.lt.i8 %i, %n").trip ==
        midend::trip_count{trip_count_kind::at_most, 255, 1});
  CHECK(trip_of("%x", "add.i8 %i, 2", "    %q = cmp.lt.i8 %i, %n").trip.kind == trip_count_kind::unknown);

  // Three times the number is odd if the number is.
  CHECK(trip_of("7", "mul.i8 %i, 3", "    %m = and.i8 %i, 1\n    %q = cmp.eq.i8 %m, 1").trip.kind ==
        trip_count_kind::endless);
}

TEST_CASE("trip kinds: conditions are bits, whatever they are extended to, negated or compared with") {
  const auto trip_of = [](const std::string& condition) {
    const std::string text =
        "proc @f(%x: i8, %n: i8) {\n  node entry:\n    br loop\n  node loop:\n    %i = phi.i8 [entry: "
        "0], [loop: %i1]\n    %i1 = add.i8 %i, 1\n    %c = cmp.lt.i8 %i1, 9\n" +
        condition + "\n    br %q ? loop : exit\n" + exit_of_all;
    const claims_of claims(text, 2, 51, 1'000);
    CHECK(claims.are_right());
    return claims.of("loop");
  };
  const midend::trip_count eight{trip_count_kind::exact, 8, 9};
  const midend::trip_count none{trip_count_kind::exact, 0, 1};
  CHECK(trip_of("    %w = zext.i1.i8 %c\n    %q = cmp.ne.i8 0, %w") == eight);
  CHECK(trip_of("    %w = zext.i1.i8 %c\n    %q = cmp.eq.i8 1, %w") == eight);
  CHECK(trip_of("    %w = zext.i1.i8 %c\n    %q = cmp.eq.i8 %w, 0") == none);
  CHECK(trip_of("    %w = sext.i1.i8 %c\n    %q = cmp.ne.i8 %w, 0") == eight);
  CHECK(trip_of("    %w = sext.i1.i8 %c\n    %q = cmp.eq.i8 %w, -1") == eight);
  CHECK(trip_of("    %w = sext.i1.i8 %c\n    %q = cmp.ne.i8 -1, %w") == none);
  CHECK(trip_of("    %w = sext.i1.i8 %c\n    %q = trunc.i8.i1 %w") == eight);
  CHECK(trip_of("    %d = xor.i1 1, %c\n    %q = xor.i1 %d, 1") == eight);
  CHECK(trip_of("    %d = cmp.eq.i1 0, %c\n    %q = cmp.eq.i1 %d, 0") == eight);
}

TEST_CASE("trip kinds: an `or` or `xor` of bits that are not both there is a sum") {
  const auto up_to_bound = [](const char* start, const char* bound) {
    return most_of(std::string("proc @f(%x: i8, %n: i8) {\n  node entry:\n    %a = ") + start + "\n    %e = " + bound +
                   R"(
    br loop
  node loop:
    %i = phi.i8 [entry: %a], [loop: %i1]
    %i1 = add.i8 %i, 1
    %q = cmp.ne.i8 %i, %e
    br %q ? loop : exit
)" + exit_of_all);
  };
  CHECK(up_to_bound("shl.i8 %x, 3", "or.i8 %a, 7") == 7);
  CHECK(up_to_bound("shl.i8 %x, 3", "or.i8 5, %a") == 5);
  CHECK(up_to_bound("shl.i8 %x, 3", "xor.i8 %a, 6") == 6);
  CHECK(up_to_bound("and.i8 %x, 251", "or.i8 %a, 4") == 4);
  CHECK(up_to_bound("shl.i8 %x, 3", "or.i8 %a, 15") != 15); // or 7
  CHECK(up_to_bound("shl.i8 %x, 3", "xor.i8 %a, 8") != 8);  // or 248
  CHECK(up_to_bound("mov.i8 %x", "or.i8 %a, 7") != 7);

  // The low bits are those of the sum, where only higher bits are on both sides: enough for whole steps.
  const auto by_step = [](const char* bound, const char* step) {
    const std::string text = std::string("proc @f(%x: i8, %n: i8) {\n  node entry:\n    %a = shl.i8 %x, 2\n    %e = ") +
                             bound + R"(
    br loop
  node loop:
    %i = phi.i8 [entry: %a], [loop: %i1]
    %i1 = add.i8 %i, )" + step +
                             R"(
    %q = cmp.ne.i8 %i, %e
    br %q ? loop : exit
)" + exit_of_all;
    const claims_of claims(text, 2, 5, 30'000);
    CHECK(claims.are_right());
    return claims.counters_of("loop").is_computable;
  };
  CHECK(by_step("or.i8 %a, 12", "4"));
  CHECK(!by_step("or.i8 %a, 12", "8"));
  CHECK(!by_step("or.i8 %a, 14", "4"));
}

TEST_CASE("trip kinds: a counter that is cut starts between the bounds of what was extended") {
  const auto down_from = [](const char* start, const char* extension, const char* number) {
    return most_of(std::string("proc @f(%x: i8, %n: i8) {\n  node entry:\n    %m = ") + start +
                   "\n    %w = " + extension + ".i8.i16 %m\n    %s = add.i16 %w, " + number + R"(
    br loop
  node loop:
    %i = phi.i16 [entry: %s], [loop: %i1]
    %i1 = sub.i16 %i, 1
    %t = trunc.i16.i8 %i
    %q = cmp.gt.i8 %t, 1
    br %q ? loop : exit
)" + exit_of_all);
  };
  constexpr const char* lesser = "select.i8 %g, %x, 6";
  const auto from_lesser = [&](const char* extension, const char* number) {
    return most_of("proc @f(%x: i8, %n: i8) {\n  node entry:\n    %g = cmp.lt.i8 %x, 6\n    %m = " +
                   std::string(lesser) + "\n    %w = " + extension + ".i8.i16 %m\n    %s = add.i16 %w, " + number + R"(
    br loop
  node loop:
    %i = phi.i16 [entry: %s], [loop: %i1]
    %i1 = sub.i16 %i, 1
    %t = trunc.i16.i8 %i
    %q = cmp.gt.i8 %t, 1
    br %q ? loop : exit
)" + exit_of_all);
  };
  CHECK(from_lesser("zext", "0") == 5);
  CHECK(from_lesser("sext", "0") == 5);
  CHECK(from_lesser("zext", "4") == 9);
  CHECK(from_lesser("zext", "130") == 126); // from -126 also down to -128 and on
  CHECK(down_from("mov.i8 %x", "zext", "0") == 126);
  CHECK(down_from("sar.i8 %x, 4", "zext", "0") == 6);
}

TEST_CASE("trip kinds: a bound that is a base and what lies between numbers, from that base") {
  const auto most = [](const std::string& before, const char* start, const char* next, const char* test) {
    return most_of("proc @f(%x: i8, %n: i8) {\n  node entry:\n    %low = and.i8 %n, 15\n    %l1 = add.i8 %low, 1\n" +
                   before + "    br loop\n  node loop:\n    %i = phi.i8 [entry: " + start +
                   "], [loop: %i1]\n    %i1 = " + next + "\n    %q = " + test + "\n    br %q ? loop : exit\n" +
                   exit_of_all);
  };
  const std::string up = "    %e = add.i8 %x, %l1\n";
  CHECK(most(up, "%x", "add.i8 %i, 1", "cmp.ne.i8 %i1, %e") == 15);
  CHECK(most(up, "%x", "add.i8 %i, 1", "cmp.ne.i8 %i, %e") == 16);
  CHECK(most(up, "%e", "sub.i8 %i, 1", "cmp.ne.i8 %i1, %x") == 15);
  CHECK(most("    %e = sub.i8 %x, %l1\n", "%x", "sub.i8 %i, 1", "cmp.ne.i8 %i1, %e") == 15);
  CHECK(most("    %e = sub.i8 %x, %l1\n", "%e", "add.i8 %i, 1", "cmp.ne.i8 %i1, %x") == 15);
  CHECK(most("    %e = add.i8 %low, %x\n", "%x", "add.i8 %i, 1", "cmp.ne.i8 %i1, %e") == 255); // of 0, all around
  const std::string by_4 = "    %e = shladd.i8 %l1, 2, %x\n    %f = add.i8 %e, 8\n";
  CHECK(most(by_4, "%x", "add.i8 %i, 4", "cmp.ne.i8 %i1, %e") == 15);
  CHECK(most(by_4, "%x", "add.i8 %i, 4", "cmp.ne.i8 %i1, %f") == 17);
  CHECK(most(by_4, "%x", "add.i8 %i, 2", "cmp.ne.i8 %i1, %e") == 31);
  CHECK(most(by_4, "%e", "sub.i8 %i, 4", "cmp.ne.i8 %i1, %x") == 15);
  CHECK(most(up, "%x", "add.i8 %i, 2", "cmp.ne.i8 %i1, %e") != 7);   // an odd way: never
  CHECK(most(by_4, "%x", "add.i8 %i, 12", "cmp.ne.i8 %i, %e") != 5); // no multiple: around, and around
}

TEST_CASE("trip kinds: a join with what two shifts leave of the counter of a loop before, in loop-closed form") {
  const auto most = [](const char* left, const char* right, const char* none) {
    return most_of(std::string(R"(proc @f(%x: i8, %n: i8) {
  node entry:
    %s = cmp.ult.i8 %n, 20
    br %s ? first : skip
  node first:
    %k = phi.i16 [entry: 0], [first: %k1]
    %v = phi.i8 [entry: %x], [first: %v1]
    %k1 = add.i16 %k, 1
    %v1 = shr.i8 %v, 2
    %c = cmp.uge.i8 %v, 4
    br %c ? first : mid
  node mid:
    %l = phi.i16 [first: %k1]
    %up = shl.i16 %l, )") +
                   left + "\n    %w = sar.i16 %up, " + right + R"(
    br join
  node skip:
    br join
  node join:
    %m = phi.i16 [mid: %w], [skip: 0]
    %none = cmp.eq.i16 %m, )" +
                   none + R"(
    br %none ? exit : before
  node before:
    br loop
  node loop:
    %i = phi.i16 [before: 0], [loop: %i1]
    %i1 = add.i16 %i, 1
    %q = cmp.ne.i16 %i1, %m
    br %q ? loop : exit
)" + exit_of_all);
  };
  CHECK(most("8", "8", "0") == 3);
  CHECK(most("8", "7", "0") == 7);
  CHECK(most("8", "8", "9") == 65535);   // 0: all the way around
  CHECK(most("14", "14", "0") == 65534); // of 2 it leaves -2
}

TEST_CASE("trip kinds: a join of what the branches that lead there say something about") {
  const auto most = [](bool is_direct, const char* one, const char* two) {
    return most_of(std::string(R"(proc @f(%x: i8, %n: i8) {
  node entry:
    %w = zext.i8.i16 %n
    %w3 = add.i16 %w, 3
    %g = cmp.ugt.i8 %n, 64
    br %g ? two : )") +
                   (is_direct ? "before\n" : "one\n  node one:\n    br before\n") + R"(
  node two:
    br before
  node before:
    %m = phi.i16 [)" +
                   (is_direct ? "entry: " : "one: ") + one + "], [two: " + two + R"(]
    br loop
  node loop:
    %i = phi.i16 [before: 0], [loop: %i1]
    %i1 = add.i16 %i, 1
    %q = cmp.ult.i16 %i, %m
    br %q ? loop : exit
)" + exit_of_all);
  };
  for (const bool is_direct : {false, true}) {
    CHECK(most(is_direct, "%w", "64") == 64);
    CHECK(most(is_direct, "%w3", "64") == 67);
    CHECK(most(is_direct, "64", "%w") == 255);
    CHECK(most(is_direct, "%w", "%w3") == 258);
  }

  // The value of the iteration before, of which the branch says nothing.
  const auto most_around = [](const char* value) {
    return most_of(std::string(R"(proc @f(%x: i8, %n: i8) {
  node entry:
    br outer
  node outer:
    %c = phi.i8 [entry: %n], [after: %c1]
    %p = phi.i16 [entry: 0], [after: %w]
    %w = zext.i8.i16 %c
    %g = cmp.ugt.i8 %c, 64
    br %g ? two : join
  node two:
    br join
  node join:
    %m = phi.i16 [outer: )") +
                   value + R"(], [two: 64]
    br loop
  node loop:
    %i = phi.i16 [join: 0], [loop: %i1]
    %i1 = add.i16 %i, 1
    %q = cmp.ult.i16 %i, %m
    br %q ? loop : after
  node after:
    %c1 = sub.i8 %c, 40
    %e = cmp.ne.i8 %c1, %x
    br %e ? outer : exit
)" + exit_of_all);
  };
  CHECK(most_around("%w") == 64);
  CHECK(most_around("%p") == 255);
}

TEST_CASE("trip kinds: steps of 2^k up to a bound of which the low bits are cut off") {
  const auto most = [](const char* few, const char* mask, const char* start, const char* next, const char* end) {
    return most_of(std::string("proc @f(%x: i8, %n: i8) {\n  node entry:\n    %few = cmp.ult.i8 %x, ") + few +
                   "\n    br %few ? exit : before\n  node before:\n    %w = zext.i8.i16 %x\n    %m = " + mask +
                   "\n    br loop\n  node loop:\n    %i = phi.i16 [before: " + start + "], [loop: %i1]\n    %i1 = " +
                   next + "\n    %q = cmp.ne.i16 %i1, " + end + "\n    br %q ? loop : exit\n" + exit_of_all);
  };
  constexpr const char* by_8 = "add.i16 %i, 8";
  CHECK(most("8", "and.i16 %w, 248", "0", by_8, "%m") == 30);
  CHECK(most("8", "and.i16 %w, 248", "%m", "sub.i16 %i, 8", "0") == 30);
  CHECK(most("8", "and.i16 %w, 248", "0", "add.i16 %i, 4", "%m") == 61);
  CHECK(most("100", "and.i16 %w, -8", "16", by_8, "%m") == 28);
  CHECK(most("0", "or.i16 %w, 7", "-1", by_8, "%m") == 31);
  CHECK(most("4", "and.i16 %w, 248", "0", by_8, "%m") == 8191);             // 0: all the way around
  CHECK(most("8", "and.i16 %w, 248", "8", by_8, "%m") == 8191);             // from 8 to 8
  CHECK(most("8", "and.i16 %w, 248", "0", "add.i16 %i, 24", "%m") == 8191); // no power of 2: several times around
  CHECK(!most("8", "and.i16 %w, 252", "0", by_8, "%m"));                    // 12: never
  CHECK(!most("8", "and.i16 %w, 248", "4", by_8, "%m"));
}

TEST_CASE("trip kinds: a counter of a loop around that is doubled, and a step and a test that depend on it") {
  const auto most =
      [](const char* next, const char* times, const char* step, const char* test) {
        return most_of(std::string(R"(proc @f(%x: i8, %n: i8) {
  node entry:
    br outer
  node outer:
    %o = phi.i8 [entry: 0], [after: %o1]
    %k = phi.i8 [entry: 2], [after: %k1]
    %s = )") + step + R"(
    br loop
  node loop:
    %i = phi.i8 [outer: 32], [loop: %i1]
    %t = sub.i8 %i, %k nsw
    %i1 = add.i8 %i, %s nsw
    %q = )" + test + R"(
    br %q ? loop : after
  node after:
    %k1 = )" + next + R"(
    %o1 = add.i8 %o, 1
    %c = cmp.ne.i8 %o1, )" +
                       times + R"(
    br %c ? outer : exit
)" + exit_of_all);
      };
  constexpr const char* minus = "sub.i8 0, %k";
  CHECK(most("shl.i8 %k, 1", "5", minus, "cmp.gt.i8 %t, 0") == 15); // by 2, from 30 down to 0
  CHECK(most("mul.i8 %k, 2", "5", minus, "cmp.gt.i8 %t, 0") == 15);
  CHECK(most("shl.i8 %k, 1", "5", minus, "cmp.gt.i8 %t, 1") == 15);
  CHECK(most("shl.i8 %k, 1", "5", minus, "cmp.gt.i8 %t, 2") == 14);
  CHECK(most("shl.i8 %k, 1", "7", minus, "cmp.gt.i8 %t, 0") == 15); // 32 minus 128 would wrap
  CHECK(!most("shl.i8 %k, 1", "%n", minus, "cmp.gt.i8 %t, 0"));
  CHECK(!most("shr.i8 %k, 1", "5", minus, "cmp.gt.i8 %t, 0")); // 0 is no step
  CHECK(!most("mul.i8 %k, %n", "5", minus, "cmp.gt.i8 %t, 0"));
}

TEST_CASE("trip kinds: an operation that is applied again and again may leave what it has passed before") {
  const auto most = [](const char* start, const char* next) {
    return most_of(std::string("proc @f(%x: i8, %n: i8) {\n  node entry:\n    %st = ") + start + R"(
    br outer
  node outer:
    %o = phi.i8 [entry: 0], [after: %o1]
    %k = phi.i8 [entry: %st], [after: %k1]
    br loop
  node loop:
    %i = phi.i8 [outer: 0], [loop: %i1]
    %i1 = add.i8 %i, 1
    %q = cmp.ult.i8 %i, %k
    br %q ? loop : after
  node after:
    %k1 = )" + next +
                   R"(
    %o1 = add.i8 %o, 1
    %c = cmp.ne.i8 %o1, 20
    br %c ? outer : exit
)" + exit_of_all);
  };
  CHECK(most("mov.i8 200", "shr.i8 %k, 1") == 200);
  CHECK(most("and.i8 %x, 7", "xor.i8 %k, 9") == 15);
  CHECK(most("mov.i8 3", "and.i8 %k, 6") == 3);
  CHECK(most("mov.i8 1", "mul.i8 %k, 3") == 251); // 1, 3, 9, 27, 81, 243, 217, 139, 161, 227, ...
  CHECK(most("mov.i8 %x", "shr.i8 %k, 1") == 255);
  CHECK(most("and.i8 %x, 7", "sub.i8 5, %k") == 255);
}

TEST_CASE("trip kinds: multiples by low bits of start and bound") {
  const auto multiple = [](const std::string& before, const char* start, const char* next, const char* test) {
    const std::string text = "proc @f(%x: i8, %n: i8) {\n  node entry:\n    %m = shl.i8 %x, 2\n" + before +
                             "    br loop\n  node loop:\n    %i = phi.i8 [before: " + start +
                             "], [loop: %i1]\n    %i1 = " + next + "\n    %q = " + test +
                             "\n    br %q ? loop : exit\n" + exit_of_all;
    const claims_of claims(text, 2, 3, 30'000);
    CHECK(claims.are_right());
    return claims.counters_of("loop").trip.multiple;
  };
  const std::string plain = "    br before\n  node before:\n";
  CHECK(multiple(plain, "0", "add.i8 %i, 1", "cmp.ne.i8 %i1, %m") == 4);
  CHECK(multiple(plain, "4", "add.i8 %i, 1", "cmp.ne.i8 %i1, %m") == 4);
  CHECK(multiple(plain, "2", "add.i8 %i, 1", "cmp.ne.i8 %i1, %m") == 2);
  CHECK(multiple(plain, "0", "add.i8 %i, 2", "cmp.ne.i8 %i1, %m") == 2);
  CHECK(multiple(plain, "0", "add.i8 %i, 3", "cmp.ne.i8 %i1, %m") == 4);
  CHECK(multiple(plain, "%m", "sub.i8 %i, 1", "cmp.ne.i8 %i1, 0") == 4);
  CHECK(multiple(plain, "0", "add.i8 %i, 1", "cmp.ne.i8 %i, %m") == 1); // one test more
  CHECK(multiple(plain, "0", "add.i8 %i, 4", "cmp.ne.i8 %i1, %m") == 1);
  CHECK(multiple(plain, "0", "add.i8 %i, 8", "cmp.ne.i8 %i1, %m") == 1); // may never end
  CHECK(multiple(plain, "%n", "add.i8 %i, 1", "cmp.ne.i8 %i1, %m") == 1);
  CHECK(multiple("    %e = add.i8 %m, %n\n" + plain, "%n", "add.i8 %i, 1", "cmp.ne.i8 %i1, %e") == 4);
  // At an order, the first test may end the loop: of 0.
  constexpr const char* below = "cmp.ult.i8 %i1, %m";
  CHECK(multiple(plain, "0", "add.i8 %i, 1", below) == 1);
  const auto after = [](const char* test) {
    return std::string("    %g = ") + test + "\n    br %g ? before : exit\n  node before:\n";
  };
  CHECK(multiple(after("cmp.ne.i8 %m, 0"), "0", "add.i8 %i, 1", below) == 4);
  CHECK(multiple(after("cmp.gt.i8 %m, 0"), "0", "add.i8 %i, 2 nsw", "cmp.lt.i8 %i1, %m") == 2);
  CHECK(multiple(after("cmp.gt.i8 %m, 0"), "0", "add.i8 %i, 3 nsw", "cmp.lt.i8 %i1, %m") == 1);
  CHECK(multiple(after("cmp.ne.i8 %m, 0"), "0", "add.i8 %i, 1", "cmp.ule.i8 %i1, %m") == 1);
  CHECK(multiple(after("cmp.ne.i8 %m, 0"), "%m", "sub.i8 %i, 1", "cmp.ugt.i8 %i, 1") == 4);
  CHECK(multiple(after("cmp.gt.i8 %m, 0"), "%m", "sub.i8 %i, 1", "cmp.gt.i8 %i, 1") == 4);
  CHECK(multiple(after("cmp.ne.i8 %m, 0"), "%m", "sub.i8 %i, 1", "cmp.gt.i8 %i, 1") == 1);
  // A branch on some bits.
  CHECK(multiple("    %b = and.i8 %n, 3\n" + after("cmp.eq.i8 %b, 0"), "0", "add.i8 %i, 1", "cmp.ne.i8 %i1, %n") == 4);
  CHECK(multiple("    %b = and.i8 %n, 3\n" + after("cmp.eq.i8 %b, 1"), "1", "add.i8 %i, 1", "cmp.ne.i8 %i1, %n") == 4);
  CHECK(multiple("    %b = and.i8 %n, 6\n" + after("cmp.eq.i8 %b, 0"), "0", "add.i8 %i, 1", "cmp.ne.i8 %i1, %n") == 1);
  CHECK(multiple("    %b = and.i8 %n, 3\n" + after("cmp.ne.i8 %b, 0"), "0", "add.i8 %i, 1", "cmp.ne.i8 %i1, %n") == 1);
}

namespace {

/// A loop inside a loop, and one after them, of 8 bits, whose starts, bounds and steps are literals, arguments and
/// counters of the loops around or before.
class loops_of_counters {
public:
  explicit loops_of_counters(std::uint64_t seed) : state_(seed * 0x9e37'79b9'7f4a'7c15U + 1) {}

  std::string text() {
    std::string out = "proc @f(%x: i8, %n: i8) {\n  node entry:\n";
    out += "    %r = add.i8 %x, " + literal() + "\n    %g = " + test("%r", literal()) + "\n    br %g ? begin : exit\n";
    out += "  node begin:\n    %low = and.i8 %n, " + one_of("7", "12", "63") +
           "\n    %al = " + one_of("and.i8 %r, 252", "and.i8 %r, 248", "or.i8 %r, 3") +
           "\n    br outer\n  node outer:\n";
    out += "    %a = phi.i8 [begin: " + one_of("%x", "%n", literal()) + "], [after: %a1]\n";
    out += "    %b = phi.i8 [begin: " + one_of("%x", literal(), literal()) + "], [after: %b1]\n";
    out += "    %am = " + one_of("add", "or", "xor") + ".i8 %a, " + literal() + "\n    %bm = " +
           one_of("add.i8 %b, %n", "add.i8 %b, %low",
                  one_of("sub.i8 %b, %low", "shladd.i8 %low, 1, %b", "shladd.i8 %b, 2, %low")) +
           "\n    %bx = add.i8 %b, " + literal() + "\n";
    out += "    %h = " + test(outer_value(), outer_value()) +
           "\n    br %h ? left : right\n  node left:\n    br join\n" + "  node right:\n    br join\n  node join:\n";
    out += "    %j = phi.i8 [left: " + outer_value() + "], [right: " + outer_value() + "]\n    br loop\n";
    out += "  node loop:\n    %i = phi.i8 [join: " + one_of("%j", outer_value(), literal()) + "], [loop: %i1]\n";
    out += "    %i1 = add.i8 %i, " + step() +
           "\n    %q = " + test(one_of("%i", "%i1", "%i1"), one_of("%j", outer_value(), literal())) + "\n";
    out += "    br %q ? loop : after\n  node after:\n";
    out += "    %a1 = add.i8 %a, " + step() +
           "\n    %b1 = " + one_of("add.i8 %b, ", "sub.i8 %b, ", one_of("shl.i8 %b, ", "shr.i8 %b, ", "mul.i8 %b, ")) +
           step() + "\n";
    out += "    %c = " + test(one_of("%a1", "%b1", "%a"), one_of("%n", literal(), literal())) + "\n";
    out += "    br %c ? outer : before\n  node before:\n    %lp = phi.i8 [after: " + one_of("%i", "%i1", "%a") +
           "]\n    %up = shl.i8 %lp, " + one_of("0", "3", "4") + "\n    %lt = sar.i8 %up, " + one_of("0", "3", "4") +
           "\n    %m = add.i8 %i, " + literal() + "\n    br last\n";
    out += "  node last:\n    %k = phi.i8 [before: " + one_of("0", "%m", late_value()) + "], [last: %k1]\n";
    out += "    %k1 = add.i8 %k, " + one_of(step(), step(), late_value()) +
           "\n    %kd = " + one_of("add", "sub", "sub") + ".i8 " + one_of("%k", "%k1", "%k") + ", " + late_value() +
           "\n    %e = " + test(one_of("%k", "%k1", "%kd"), late_value()) + "\n";
    out += "    br %e ? last : exit\n  node exit:\n    ret\n}\n";
    return out;
  }

private:
  std::uint64_t next(std::uint64_t below) {
    state_ = state_ * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
    return (state_ >> 33) % below;
  }

  std::string one_of(const std::string& a, const std::string& b, const std::string& c) {
    const std::uint64_t which = next(3);
    return which == 0 ? a : which == 1 ? b : c;
  }

  std::string literal() { return std::to_string(next(4) == 0 ? next(256) : next(20)); }

  std::string step() {
    static constexpr const char* steps[] = {"1", "1", "1", "1", "2", "3", "4", "8", "16", "255", "255", "253"};
    return steps[next(std::size(steps))];
  }

  std::string outer_value() {
    static constexpr const char* values[] = {"%a", "%b", "%am", "%bm", "%bx", "%r", "%low", "%al", "%al"};
    return values[next(std::size(values))];
  }

  std::string late_value() {
    static constexpr const char* values[] = {"%a", "%b", "%a1", "%b1", "%i", "%m", "%j", "%i1", "%lt"};
    return values[next(std::size(values))];
  }

  std::string test(const std::string& a, const std::string& b) {
    static constexpr const char* tests[] = {"ult", "ult", "ne", "ne", "lt", "ule", "ugt", "gt", "uge", "le", "eq"};
    return std::string("cmp.") + tests[next(std::size(tests))] + ".i8 " + a + ", " + b;
  }

  std::uint64_t state_;
};

} // namespace

TEST_CASE("trip kinds: steps of unknown sign, one of two conditions, and other ends of a loop that must end") {
  const auto are_right = [](std::string_view text) {
    const std::string all =
        "proc @f(%a: i8, %m: i8) mustprogress {\n" + std::string(text) + "  node exit:\n    ret\n}\n";
    return claims_of(all, 2, 5, 30'000).are_right();
  };
  CHECK(are_right(R"(  node entry:
    %x = and.i8 %a, 7
    %s = sub.i8 %x, 4
    %b = and.i8 %m, 15
    br loop
  node loop:
    %i = phi.i8 [entry: 0], [body: %i1]
    %c = cmp.ge.i8 %i, %b
    br %c ? exit : body
  node body:
    %i1 = add.i8 %i, %s
    br loop
)")); // by -1, it wraps before it is there
  CHECK(are_right(R"(  node entry:
    %s = and.i8 %a, 7
    %b = and.i8 %m, 15
    br loop
  node loop:
    %i = phi.i8 [entry: 20], [body: %i1]
    %c = cmp.ule.i8 %i, %b
    br %c ? exit : body
  node body:
    %i1 = add.i8 %i, %s
    br loop
)"));
  CHECK(are_right(R"(  node entry:
    %n = and.i8 %a, 63
    br loop
  node loop:
    %i = phi.i8 [entry: 0], [body: %i1]
    %j = phi.i8 [entry: 0], [body: %j1]
    %e = cmp.eq.i8 %i, %n
    %f = cmp.eq.i8 %j, 100
    %c = or.i1 %e, %f
    br %c ? exit : body
  node body:
    %i1 = add.i8 %i, 2
    %j1 = add.i8 %j, 1
    br loop
)")); // of an odd number, the second one
  CHECK(are_right(R"(  node entry:
    %q = and.i8 %a, 3
    %w = zext.i8.i64 %q
    %v = zext.i8.i64 %m
    br loop
  node loop:
    %x = phi.i64 [entry: %w], [loop: %r]
    %k = phi.i64 [entry: %v], [loop: %k1]
    %k1 = add.i64 %k, %v
    %r = umin.i64 %k1, 50
    %c = cmp.eq.i64 %x, %r
    br %c ? exit : loop
)")); // the minimum of one iteration is not that of the next
  CHECK(are_right(R"(  node entry:
    %x = and.i8 %a, 31
    %n = umax.i8 %x, 2
    %three = mul.i8 %n, 3
    %b = sub.i8 %three, 5
    br loop
  node loop:
    %i = phi.i8 [entry: 0], [body: %i1]
    %c = cmp.ge.i8 %i, %b
    br %c ? exit : body
  node body:
    %i1 = add.i8 %i, 1
    br loop
)"));
}

TEST_CASE("trip kinds: which exits of several are known when the loop is entered") {
  const auto direct = [](const char* bound, const char* test) {
    const std::string text = std::string(R"(proc @f(%a: i8, %m: i8) {
  node entry:
    %b = )") + bound + R"(
    br loop
  node loop:
    %i = phi.i8 [entry: 0], [body: %i1]
    %j = phi.i8 [entry: 0], [body: %j1]
    %c = cmp.ge.i8 %j, 100
    br %c ? exit : more
  node more:
    %d = )" + test + R"(
    br %d ? exit : body
  node body:
    %i1 = add.i8 %i, 2 nsw
    %j1 = add.i8 %j, 1
    br loop
  node exit:
    ret
})";
    const parsed_procedure parsed(text.c_str());
    const elbrus::cost_view ir(parsed.procedure());
    const midend::dominator_tree tree = midend::dominators(ir.graph());
    const midend::loop_forest forest = midend::natural_loops(ir.graph(), tree);
    const midend::loop_trip_counter counter(ir, forest);
    REQUIRE(counter.evolutions().num_exits(0) == 2);
    return counter.evolutions().exit(0, 1).trips.test.is_direct;
  };
  CHECK(
      !direct("mov.i8 %a", "cmp.eq.i8 %i, %b")); // it passes an odd number, and keeps its promise until the other exit
  CHECK(direct("and.i8 %a, 62", "cmp.eq.i8 %i, %b"));
  CHECK(direct("mov.i8 %a", "cmp.ge.i8 %i, %b"));
  CHECK(direct("mov.i8 %a", "cmp.gt.i8 %i, %b"));   // the start is no least number
  CHECK(!direct("mov.i8 %a", "cmp.ugt.i8 %j, %b")); // of 255, never
  CHECK(direct("and.i8 %a, 127", "cmp.ugt.i8 %j, %b"));
}

TEST_CASE("trip kinds: random loops whose starts and bounds are counters of others, against their runs") {
  std::size_t bounded = 0;
  std::size_t exact = 0;
  std::size_t multiples = 0;
  std::size_t wrong = 0;
  for (std::uint64_t seed = 0; seed != affordable(2'000); ++seed) {
    const std::string text = loops_of_counters(seed).text();
    const claims_of claims(text, 2, 51, 3'000);
    wrong += claims.are_right() ? 0 : 1;
    CHECK_MESSAGE(claims.are_right(), text);
    for (const char* const header : {"loop", "last"}) {
      const midend::trip_count trip = claims.of(header);
      multiples += trip.kind != trip_count_kind::exact && trip.multiple > 1 ? 1 : 0;
      bounded += trip.kind == trip_count_kind::at_most && trip.backedges < 255 ? 1 : 0;
      exact += trip.kind == trip_count_kind::exact ? 1 : 0;
    }
  }
  CHECK(wrong == 0);
  CHECK(bounded > affordable(500));
  CHECK(exact > affordable(100));
  CHECK((midend_tests::tests_are_shortened || multiples > 8)); // there are few
}

namespace {

/// Counts how often operations are looked at.
class counting_view : public elbrus::cost_view {
public:
  explicit counting_view(const elbrus::procedure& p, std::size_t& looks) : elbrus::cost_view(p), looks_(&looks) {}

  midend::operation_info operation(midend::value_id v) const {
    ++*looks_;
    return elbrus::cost_view::operation(v);
  }

private:
  std::size_t* looks_;
};

/// The work for `count` loops, each of which goes up to the counter of the one before.
std::size_t looks_at_chain(std::size_t count) {
  std::string text = "proc @f(%x: i8, %v: i64) {\n  node entry:\n    br l0\n";
  for (std::size_t i = 0; i != count; ++i) {
    const std::string n = std::to_string(i);
    const std::string from = i == 0 ? "entry" : "l" + std::to_string(i - 1);
    const std::string bound = i == 0 ? "%x" : "%k" + std::to_string(i - 1);
    text += "  node l" + n + ":\n    %k" + n + " = phi.i8 [" + from + ": 0], [l" + n + ": %s" + n + "]\n    %s" + n +
            " = add.i8 %k" + n + ", 1\n    %c" + n + " = cmp.ult.i8 %k" + n + ", " + bound + "\n    br %c" + n +
            " ? l" + n + " : " + (i + 1 == count ? "exit" : "l" + std::to_string(i + 1)) + "\n";
  }
  const elbrus::program all = program_of(text + "  node exit:\n    ret\n}\n");
  std::size_t looks = 0;
  const counting_view ir(all.procedures[0], looks);
  const midend::dominator_tree tree = midend::dominators(ir.graph());
  const midend::loop_forest forest = midend::natural_loops(ir.graph(), tree);
  looks = 0;
  const midend::loop_trip_counter counter(ir, forest); // bounds the counters of all loops
  for (const midend::loop_id l : forest.loops()) {
    CHECK(counter.evolutions().trips(l).count.kind == trip_count_kind::at_most);
  }
  return looks;
}

} // namespace

TEST_CASE("trip kinds: the work for a chain of loops is linear, and takes no stack") {
  const std::size_t small = looks_at_chain(500);
  const std::size_t large = looks_at_chain(2'000);
  CHECK(large > 2 * small);
  CHECK(large < 5 * small);
  CHECK(looks_at_chain(affordable(20'000)) != 0);
}
