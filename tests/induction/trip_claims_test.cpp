// What evolutions claim about random loops of 8 bits, against their runs: several exits, conditions of two comparisons,
// steps that are values, promises, and loops that the program promises to end; masked and extended counters, range
// checks, tests of low bits and joins before the loop.
#include "kit/affordable.hpp"
#include "kit/parsed_procedure.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/induction/loop_trip_counter.hpp>
#include <midend/loops/dominators_and_loops.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace midend_tests;
using midend::trip_count_kind;
namespace elbrus = midend::elbrus;

namespace {

constexpr std::uint64_t bits = 0xff;

/// A value from before the loop, and what it is for arguments.
struct outside_value {
  std::string name;
  unsigned argument;
  char operation; ///< of the argument and the number: `&`, `-`, `m` for the minimum, `<` for the low bits, or nothing
  std::uint64_t number;
  unsigned width = 8;

  std::uint64_t value(const std::array<std::uint64_t, 3>& arguments) const {
    const std::uint64_t x = arguments[argument];
    return operation == '&'   ? x & number
           : operation == '-' ? (x - number) & bits
           : operation == 'm' ? (x < number ? x : number)
           : operation == '<' ? static_cast<std::uint64_t>(midend::as_signed(x << number & bits, 8) >> number) & bits
                              : x;
  }
};

/// A loop with three counters and one to three exits.
class random_loop {
public:
  explicit random_loop(std::uint64_t seed) : random_(seed) {
    for (unsigned i = 0; i != 3; ++i) {
      outside.push_back({std::string(1, static_cast<char>('a' + i)), i, ' ', 0});
    }
    text = "proc @f(%a: i8, %b: i8, %c: i8)" + std::string(random_.one_in(2) ? " mustprogress" : "") +
           " {\n  node entry:\n";
    for (unsigned i = 0; i != 3; ++i) {
      add_outside(i);
    }
    if (random_.one_in(2)) { // a branch before the loop
      add_guard("guard");
      text += "    br %guard ? before : exit\n  node before:\n";
      last_ = "before";
    }
    if (random_.one_in(3)) {
      add_guard("side");
      text += "    br %side ? left : right\n  node left:\n    br joined\n  node right:\n    br joined\n  node joined:\n"
              "    %join = phi.i8 [left: " +
              any_outside() + "], [right: " + any_outside() + "]\n";
      last_ = "joined";
    }
    text += "    br loop\n  node loop:\n";
    std::array<std::string, 3> starts{any_outside(), any_outside(), any_outside()};
    for (unsigned i = 0; i != 3; ++i) {
      const std::string n = std::to_string(i);
      text += "    %p" + n + " = phi.i8 [" + last_ + ": " + starts[i] + "], [latch: %n" + n + "]\n";
    }
    const unsigned exits = 1 + random_.below(3);
    for (unsigned i = 0; i != exits; ++i) {
      add_exit(i, i + 1 == exits, exits == 1 ? 2 : 5);
    }
    for (unsigned i = 0; i != 3; ++i) {
      add_step(i);
    }
    text += "    br loop\n  node exit:\n    ret\n}\n";
  }

  std::string text;
  std::vector<outside_value> outside;

private:
  void add_outside(unsigned i) {
    constexpr std::string_view kinds = "&-m<";
    const char kind = kinds[random_.below(4)];
    outside_value v{"v" + std::to_string(i), random_.below(3), kind,
                    kind == '&'   ? (2U << random_.below(7)) - 1U
                    : kind == '<' ? 1U + random_.below(5)
                                  : random_.below(kind == 'm' ? 60 : 9)};
    if (kind == '<') {
      text += "    %up" + std::to_string(i) + " = shl.i8 %" + outside[v.argument].name + ", " + number(v.number) +
              "\n    %" + v.name + " = sar.i8 %up" + std::to_string(i) + ", " + number(v.number) + "\n";
      outside.push_back(v);
      return;
    }
    text += "    %" + v.name + " = " +
            (kind == '&'   ? "and"
             : kind == '-' ? "sub"
                           : "umin") +
            ".i8 %" + outside[v.argument].name + ", " + number(v.number) + "\n";
    outside.push_back(v);
  }

  static std::string number(std::uint64_t n) { return std::to_string(midend::as_signed(n, 8)); }

  std::string any_outside() {
    return last_ == "joined" && random_.one_in(4) ? "%join"
           : random_.one_in(4)                    ? number(random_.below(40))
                                                  : "%" + outside[random_.below(6)].name;
  }

  /// A comparison, a range check, or a test of low bits.
  void add_guard(const std::string& name) {
    const unsigned kind = random_.below(4);
    std::string first = any_outside();
    std::string second = any_outside();
    if (kind >= 2) {
      const unsigned mask = (2U << random_.below(3)) - 1U;
      text += "    %" + name + "_sum = " + (kind == 2 ? "add.i8 " : "and.i8 ") + first + ", " +
              (kind == 2 ? number(random_.next() & bits) : number(mask)) + "\n";
      first = "%" + name + "_sum";
      second = number(kind == 2 ? random_.below(40) : random_.below(mask + 1));
    }
    text += "    %" + name + " = cmp." + (kind == 3 ? "eq" : order()) + ".i8 " + first + ", " + second + "\n";
  }

  std::string order() {
    constexpr std::array<const char*, 10> codes{"eq", "ne", "lt", "le", "gt", "ge", "ult", "ule", "ugt", "uge"};
    return codes[random_.below(10)];
  }

  void add_comparison(const std::string& name) {
    std::string counter = "%p" + std::to_string(random_.below(3));
    std::string other = random_.one_in(5) ? "%p" + std::to_string(random_.below(3)) : any_outside();
    if (random_.one_in(6)) { // in 16 bits
      const std::string how = random_.one_in(2) ? "zext.i8.i16 " : "sext.i8.i16 ";
      text += "    %" + name + "_a = " + how + counter + "\n    %" + name +
              "_b = " + (other[0] == '%' ? how : std::string("mov.i16 ")) + other + "\n    %" + name + " = cmp." +
              order() + ".i16 %" + name + "_a, %" + name + "_b\n";
      return;
    }
    if (random_.one_in(6)) {
      const unsigned mask = (2U << random_.below(5)) - 1U;
      text += "    %" + name + "_m = and.i8 " + counter + ", " + number(mask) + "\n";
      counter = "%" + name + "_m";
      other = random_.one_in(2) ? number(random_.below(mask + 1)) : other;
    }
    const bool swaps = random_.one_in(4) && other[0] == '%';
    text += "    %" + name + " = cmp." + order() + ".i8 " + (swaps ? other : counter) + ", " +
            (swaps ? counter : other) + "\n";
  }

  /// One in so many has two comparisons.
  void add_exit(unsigned i, bool is_last, unsigned plain) {
    const std::string n = std::to_string(i);
    add_comparison("x" + n);
    std::string condition = "%x" + n;
    if (random_.one_in(plain)) {
      add_comparison("y" + n);
      text += "    %z" + n + " = " + (random_.one_in(2) ? "and" : "or") + ".i1 %x" + n + ", %y" + n + "\n";
      condition = "%z" + n;
    }
    const std::string next = is_last ? "latch" : "more" + n;
    text += "    br " + condition + (random_.one_in(2) ? " ? exit : " + next : " ? " + next + " : exit") + "\n  node " +
            next + ":\n";
  }

  void add_step(unsigned i) {
    const std::string n = std::to_string(i);
    constexpr std::array<const char*, 3> promises{"", " nsw", ""};
    const std::string step = random_.one_in(4) ? any_outside() : std::to_string(1 + random_.below(3));
    text += "    %n" + n + " = " + (random_.one_in(3) ? "sub" : "add") + ".i8 %p" + n + ", " + step +
            promises[random_.below(3)] + "\n";
  }

  random_source random_;
  std::string last_ = "entry";
};

/// Checks the claims about the only loop of a program in one run.
class claim_checker {
public:
  claim_checker(const std::vector<outside_value>& outside, const elbrus::procedure& p, const midend::loop_forest& loops,
                const midend::value_evolutions& found)
      : p_(p), loops_(loops), found_(found) {
    for (const outside_value& v : outside) {
      values_.emplace_back(value_named(p, v.name), v);
    }
  }

  void check(const elbrus::procedure_profile& profile, const std::array<std::uint64_t, 3>& arguments) {
    arguments_ = arguments;
    const std::uint64_t headers = elbrus::node_count(p_, profile, loops_.header(0));
    if (headers == 0) {
      return;
    }
    const std::uint64_t backedges = headers - 1;
    const midend::loop_trips& trips = found_.trips(0);
    check_count(trips.count, backedges, true);
    says(headers % trips.count.multiple == 0);
    const auto bound = trips.has_bound ? evaluate(trips.bound) : std::nullopt;
    says(!bound || midend::as_signed(*bound, 64) < 0 || backedges <= *bound);
    for (std::size_t i = 0; i != found_.num_exits(0); ++i) {
      const midend::exit_trips x = found_.exit(0, i);
      const bool is_taken = profile.edges[x.edge] != 0;
      check_count(x.trips.count, backedges, is_taken);
      if (is_taken) {
        says(headers % x.trips.count.multiple == 0);
        const auto formula = x.trips.has_formula ? evaluate(x.trips.backedges) : std::nullopt;
        says(!formula || *formula == backedges);
      }
      check_quotient(x, backedges, is_taken);
    }
  }

  std::size_t wrong = 0;
  std::size_t claims = 0;
  std::size_t quotients = 0;

private:
  void says(bool right) {
    ++claims;
    wrong += right ? 0U : 1U;
  }

  void check_count(const midend::trip_count& count, std::uint64_t backedges, bool is_taken) {
    if (count.kind == trip_count_kind::exact || count.kind == trip_count_kind::at_most) {
      says(backedges <= count.backedges);
      says(!is_taken || count.kind == trip_count_kind::at_most || backedges == count.backedges);
    } else if (count.kind == trip_count_kind::endless || count.kind == trip_count_kind::wraps_first) {
      says(!is_taken);
    }
  }

  /// Of an exit that is not taken, the counter would have met its bound later.
  void check_quotient(const midend::exit_trips& x, std::uint64_t backedges, bool is_taken) {
    const midend::counter_test& t = x.trips.test;
    if (!t.is_known() || !t.is_direct) {
      return;
    }
    const auto first = evaluate(t.first);
    const auto bound = evaluate(t.bound);
    const auto step = t.step != 0 ? std::optional(t.step) : evaluate(t.value_step);
    if (first && bound && step) {
      ++quotients;
      const std::uint64_t claimed =
          midend::direct_trip_formula(t.ends, t.first.width, *step & midend::low_ones(t.first.width))
              .backedges(*first, *bound);
      says(is_taken ? backedges == claimed : backedges <= claimed);
    }
  }

  /// Nothing for values that the loop computes.
  std::optional<std::uint64_t> evaluate(const midend::linear_form& form) const {
    bool has_all = true;
    const std::uint64_t sum = form.evaluate([&](const midend::linear_form::term& t) -> std::uint64_t {
      for (const auto& [v, outside] : values_) {
        if (v == t.value) {
          const std::uint64_t x = outside.value(arguments_);
          return t.reading == midend::number_reading::as_signed
                     ? static_cast<std::uint64_t>(midend::as_signed(x, outside.width))
                     : x;
        }
      }
      has_all = false;
      return 0;
    });
    return has_all ? std::optional(sum) : std::nullopt;
  }

  const elbrus::procedure& p_;
  const midend::loop_forest& loops_;
  const midend::value_evolutions& found_;
  std::vector<std::pair<midend::value_id, outside_value>> values_;
  std::array<std::uint64_t, 3> arguments_{};
};

} // namespace

TEST_CASE("evolutions: claims about random loops with several exits hold in their runs") {
  std::size_t claims = 0;
  std::size_t quotients = 0;
  std::array<std::size_t, 5> kinds{};
  for (std::uint64_t seed = 0; seed != affordable(20'000); ++seed) {
    const random_loop made(seed);
    const parsed_procedure parsed(made.text.c_str());
    const elbrus::procedure& p = parsed.procedure();
    const elbrus::cost_view ir(p);
    const auto found = midend::dominators_and_loops(p);
    if (found.loops.num_loops() != 1) {
      continue;
    }
    const midend::loop_trip_counter counter(ir, found.loops);
    ++kinds[static_cast<std::size_t>(counter.evolutions().trips(0).count.kind)];
    claim_checker checker(made.outside, p, found.loops, counter.evolutions());
    const elbrus::program all = program_of(made.text);
    elbrus::interpreter interpreter(all);
    random_source random(seed);
    for (unsigned run = 0; run != 12; ++run) {
      std::array<std::uint64_t, 3> arguments{};
      std::array<elbrus::scalar, 3> scalars{};
      for (std::size_t i = 0; i != 3; ++i) {
        constexpr std::array<std::uint64_t, 6> ends{0, 1, 127, 128, 254, 255};
        arguments[i] = run % 2 == 0 ? random.below(24) : run % 4 == 1 ? ends[random.below(6)] : random.next() & bits;
        scalars[i] = {elbrus::type::i8, arguments[i]};
      }
      const auto ran = interpreter.run(0, scalars, {}, {.step_limit = 8'000, .record_events = false});
      if (!ran.trap && !ran.profile.empty() && !ran.profile[0].edges.empty()) { // else a promise was broken, or no end
        checker.check(ran.profile[0], arguments);
      }
    }
    claims += checker.claims;
    quotients += checker.quotients;
    CHECK_MESSAGE(checker.wrong == 0, seed, "\n", made.text);
  }
  MESSAGE(claims, " claims, ", quotients, " of them quotients; ", kinds[0], " unknown, ", kinds[1], " exact, ",
          kinds[2], " at most");
  CHECK(claims > affordable(100'000));
  CHECK(quotients > affordable(5'000));
}

TEST_CASE("evolutions: claims about counters of one bit hold in their runs") {
  const std::vector<outside_value> outside{{"s", 0, '&', 1, 1}, {"n", 1, '&', 1, 1}};
  for (const char* const test : {"ugt", "uge", "gt", "ge", "ult", "ule", "lt", "le", "eq", "ne"}) {
    for (const char* const bound : {"0", "1", "%n"}) {
      for (const char* const step : {"add.i1 %i, 1", "sub.i1 %i, 1"}) {
        const std::string text = std::string(R"(proc @f(%s: i1, %n: i1) {
  node entry:
    br loop
  node loop:
    %i = phi.i1 [entry: %s], [body: %i1]
    %c = cmp.)") + test + ".i1 %i, " +
                                 bound + "\n    br %c ? body : exit\n  node body:\n    %i1 = " + step +
                                 "\n    br loop\n  node exit:\n    ret\n}\n";
        const parsed_procedure parsed(text.c_str());
        const elbrus::procedure& p = parsed.procedure();
        const elbrus::cost_view ir(p);
        const auto found = midend::dominators_and_loops(p);
        const midend::loop_trip_counter counter(ir, found.loops);
        claim_checker checker(outside, p, found.loops, counter.evolutions());
        const elbrus::program all = program_of(text);
        elbrus::interpreter interpreter(all);
        for (std::uint64_t both = 0; both != 4; ++both) {
          const std::array<std::uint64_t, 3> arguments{both & 1, both >> 1, 0};
          const std::array<elbrus::scalar, 2> scalars{
              {{elbrus::type::i1, arguments[0]}, {elbrus::type::i1, arguments[1]}}};
          const auto ran = interpreter.run(0, scalars, {}, {.step_limit = 200, .record_events = false});
          if (!ran.trap) {
            checker.check(ran.profile[0], arguments);
          }
        }
        CHECK_MESSAGE(checker.wrong == 0, text);
      }
    }
  }
}
