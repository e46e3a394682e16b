// Evolutions: cases by hand, and all claims about random programs against running them.
#include "kit/affordable.hpp"
#include "kit/allocations.hpp"
#include "kit/nest_generator.hpp"
#include "kit/semantic_ir.hpp"
#include "kit/small_stack.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/strided_interval_domain.hpp>
#include <midend/dominance/dominators.hpp>
#include <midend/induction/evolutions.hpp>
#include <midend/loops/natural_loops.hpp>
#include <midend/ssa/sccp.hpp>
#include <midend/support/checked_integer.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace midend_tests;
using midend::evolution;
using midend::evolution_obstacle;
using midend::linear_form;
using midend::loop_id;
using midend::nested_evolution;
using midend::number_facts;
using midend::number_reading;
using midend::trip_count_kind;
using midend::value_evolutions;

namespace {

/// k over degree, for small k.
std::uint64_t choose(std::uint64_t k, unsigned degree) {
  std::uint64_t out = 1;
  for (unsigned i = 0; i != degree; ++i) { // k is small: exact at each step
    out = out * (k - i) / (i + 1);
    if (k <= i) {
      return 0;
    }
  }
  return out;
}

std::vector<number_facts> facts_of(const semantic_program& p) {
  const midend::strided_interval_domain domain;
  const auto known = midend::sccp_with_branch_facts(p, domain);
  std::vector<number_facts> out;
  for (value_id v = 0; v != p.num_values(); ++v) {
    const auto& fact = known.fact(v);
    out.push_back(fact.is_bottom() ? number_facts::any(p.operation(v).width) : domain.facts(fact));
  }
  return out;
}

/// Claims about a program, checked while another one runs that has the same values: usually the same one.
class claim_checker {
public:
  claim_checker(const semantic_program& p, midend::span<const number_facts> facts)
      : program_(p), dominators_(midend::dominators(p.graph())), loops_(midend::natural_loops(p.graph(), dominators_)),
        found_(midend::evolutions(p, loops_, facts)) {
    for (value_id v = 0; v != p.num_values(); ++v) {
      collect(v);
    }
  }

  const value_evolutions& found() const { return found_; }

  const midend::loop_forest& loops() const { return loops_; }

  std::uint64_t claims = 0;
  std::uint64_t after = 0;    ///< claims about values after a loop
  std::uint64_t trips = 0;    ///< claims about how often a loop runs
  std::uint64_t direct = 0;   ///< of these by a quotient
  std::uint64_t bounds = 0;   ///< of these, that a form bounds
  std::uint64_t outer = 0;    ///< claims about outer loops
  std::uint64_t changing = 0; ///< claims about what changes
  std::uint64_t curved = 0;   ///< about polynomials and powers
  std::uint64_t exact = 0;    ///< about what changes and does not wrap
  std::uint64_t missing = 0;  ///< claims that read a value that was not computed
  std::string wrong;          ///< the first wrong claim

  void run(const semantic_program& running, const std::vector<std::uint64_t>& arguments, std::size_t steps,
           random_source& random) {
    bits_.assign(running.num_values(), 0);
    has_.assign(running.num_values(), false);
    iteration_.assign(loops_.num_loops(), 0);
    interpret(
        running, arguments, steps, [&](unsigned width) { return random.next() & midend::low_ones(width); },
        [&](value_id v, std::uint64_t bits) {
          if (running.is_phi(v)) { // simultaneous: checked with the first value after them, or on the next edge
            pending_.push_back({v, bits});
            return;
          }
          settle();
          bits_[v] = bits;
          has_[v] = true;
          check(v);
        },
        [&](edge_id e) {
          settle();
          pass(e);
        });
    pending_.clear();
  }

private:
  struct claim {
    loop_id loop;
    number_reading reading;
    evolution e;
  };

  struct claims_of {
    std::vector<claim> in_loop;
    std::vector<nested_evolution> nested;
  };

  void collect(value_id v) {
    claims_.emplace_back();
    for (loop_id l = found_.home_loop(v); l != midend::no_loop; l = loops_.parent(l)) {
      if (l == found_.home_loop(v)) {
        for (const number_reading r :
             {number_reading::low_bits, number_reading::as_signed, number_reading::as_unsigned}) {
          const evolution e = found_.evolution_of(v, l, r);
          if (e.is_known() && !says_itself(e, v)) {
            claims_[v].in_loop.push_back({l, r, e});
          }
        }
      }
      const nested_evolution e = found_.in_scope(v, l);
      if (e.is_known() && !(e.num_terms == 1 && e.terms[0].value == v)) {
        claims_[v].nested.push_back(e);
      }
    }
  }

  /// "It does not change, it is itself" is no claim about a number.
  static bool says_itself(const evolution& e, value_id v) {
    return e.is_invariant() && e.start().num_terms == 1 && e.start().terms[0].value == v;
  }

  void settle() {
    for (const auto& [v, bits] : pending_) {
      bits_[v] = bits;
      has_[v] = true;
    }
    const auto now = pending_;
    pending_.clear();
    for (const auto& [v, bits] : now) {
      check(v);
    }
  }

  std::uint64_t number(value_id v, number_reading r) {
    has_all_ = has_all_ && (has_[v] || program_.constant(v));
    const std::uint64_t b = bits_[v];
    return r == number_reading::as_signed
               ? static_cast<std::uint64_t>(midend::as_signed(b, program_.operation(v).width))
               : b;
  }

  std::uint64_t evaluate(const linear_form& f) {
    return f.evaluate([&](const linear_form::term& t) { return number(t.value, t.reading); });
  }

  std::uint64_t evaluate(const evolution& e, std::uint64_t k) {
    std::uint64_t sum = 0;
    for (unsigned d = 0; d <= e.degree && d <= k; ++d) {
      sum += choose(k, d) * evaluate(e.coefficients[d]);
    }
    std::uint64_t power = 1;
    for (std::uint64_t i = 0; i != k && e.ratio != 1; ++i) {
      power *= e.ratio;
    }
    return sum + (e.ratio == 1 ? 0 : power * evaluate(e.scale));
  }

  std::uint64_t evaluate(const nested_evolution& e) {
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i != e.num_terms; ++i) {
      const nested_evolution::term& t = e.terms[i];
      std::uint64_t product = t.coefficient;
      for (std::uint32_t l = 0; l != e.num_loops; ++l) {
        product *= choose(iteration_[e.loops[l]], t.degrees[l]);
      }
      if (product != 0) {
        sum += product * (t.value == no_value ? 1 : number(t.value, t.reading));
      }
    }
    return sum;
  }

  void compare(value_id v, number_reading r, std::uint64_t claimed, std::uint64_t& counter, const char* what,
               std::uint64_t k) {
    const unsigned width = program_.operation(v).width;
    if (!has_all_) {
      ++missing;
      return;
    }
    ++claims;
    ++counter;
    const std::uint64_t mask = r == number_reading::low_bits ? midend::low_ones(width) : ~std::uint64_t{0};
    const std::uint64_t is = number(v, r);
    if ((claimed & mask) != (is & mask) && wrong.empty()) {
      wrong = std::string(what) + " of value " + std::to_string(v) + " in iteration " + std::to_string(k) + ": " +
              std::to_string(is & mask) + " and not " + std::to_string(claimed & mask) + ", reading " +
              std::to_string(static_cast<int>(r));
    }
  }

  void check(value_id v) {
    std::uint64_t ignored = 0;
    for (const claim& c : claims_[v].in_loop) {
      has_all_ = true;
      const std::uint64_t k = iteration_[c.loop];
      const std::uint64_t claimed = evaluate(c.e, k);
      changing += c.e.degree != 0 || c.e.has_power() ? 1 : 0;
      curved += c.e.degree > 1 || c.e.has_power() ? 1 : 0;
      exact += c.reading != number_reading::low_bits && c.e.degree != 0 ? 1 : 0;
      compare(v, c.reading, claimed, ignored, "evolution", k);
    }
    for (const nested_evolution& e : claims_[v].nested) {
      has_all_ = true;
      const std::uint64_t claimed = evaluate(e);
      compare(v, number_reading::low_bits, claimed, e.num_loops > 1 ? outer : ignored, "nested evolution",
              iteration_[e.loops[0]]);
    }
  }

  void pass(edge_id e) {
    const node_id from = program_.graph().edge_source(e);
    const node_id to = program_.graph().edge_target(e);
    for (loop_id l = loops_.innermost_loop(from); l != midend::no_loop && !loops_.contains(l, to);
         l = loops_.parent(l)) {
      leave(l, from, to);
      leave_by_exit(l, e);
    }
    const loop_id l = loops_.innermost_loop(to);
    if (l != midend::no_loop && loops_.header(l) == to) {
      iteration_[l] = loops_.contains(l, from) ? iteration_[l] + 1 : 0;
      if (found_.trips(l).count.kind == trip_count_kind::exact ||
          found_.trips(l).count.kind == trip_count_kind::at_most) {
        say(iteration_[l] <= found_.trips(l).count.backedges, l, "too many iterations");
      }
    }
  }

  void say(bool right, loop_id l, const char* what) {
    ++claims;
    ++trips;
    if (!right && wrong.empty()) {
      wrong = std::string(what) + " of the loop of node " + std::to_string(loops_.header(l)) + ", " +
              std::to_string(iteration_[l]) + " and not " + std::to_string(found_.trips(l).count.backedges);
    }
  }

  /// What is claimed of an exit if it is the only one: another one may leave before.
  void leave_by_exit(loop_id l, edge_id taken) {
    for (std::size_t i = 0; i != found_.num_exits(l); ++i) {
      const midend::exit_trips x = found_.exit(l, i);
      const bool is_taken = x.edge == taken;
      if (!x.is_always_tested) {
        say(x.trips.count.kind == trip_count_kind::unknown && !x.trips.has_formula && !x.trips.test.is_direct, l,
            "something about an exit that is not always tested");
        continue;
      }
      if (x.trips.count.kind == trip_count_kind::at_most || x.trips.count.kind == trip_count_kind::exact) {
        say(iteration_[l] <= x.trips.count.backedges, l, "too many iterations for an exit");
      }
      if (!is_taken) {
        continue;
      }
      if (x.trips.count.kind == trip_count_kind::exact) {
        say(iteration_[l] == x.trips.count.backedges, l, "not the exact count of an exit");
      }
      say((iteration_[l] + 1) % x.trips.count.multiple == 0, l, "not a multiple of header executions of an exit");
      if (x.trips.has_formula) {
        has_all_ = true;
        const std::uint64_t claimed = evaluate(x.trips.backedges);
        say(has_all_ && claimed == iteration_[l], l, "not the formula of an exit");
      }
      if (x.trips.test.is_known() && x.trips.test.is_direct) {
        leave_by_test(l, x.trips.test);
      }
    }
  }

  void leave_by_test(loop_id l, const midend::counter_test& t) {
    const unsigned width = t.first.width;
    has_all_ = true;
    const std::uint64_t first = evaluate(t.first);
    const std::uint64_t bound = evaluate(t.bound);
    const std::uint64_t step = t.step == 0 ? evaluate(t.value_step) & midend::low_ones(width) : t.step;
    ++direct;
    const std::uint64_t claimed = midend::direct_trip_formula(t.ends, width, step).backedges(first, bound);
    say(has_all_ && claimed == iteration_[l], l, "not the quotient of a counter");
  }

  void leave(loop_id l, node_id from, node_id to) {
    const midend::loop_trips& t = found_.trips(l);
    say((iteration_[l] + 1) % t.count.multiple == 0, l, "not a multiple of header executions");
    if (t.count.kind == trip_count_kind::exact) {
      say(iteration_[l] == t.count.backedges, l, "not the exact trip count");
    }
    if (t.count.kind == trip_count_kind::endless) {
      say(false, l, "the end of an endless loop");
    }
    if (t.has_formula && t.count.kind != trip_count_kind::exact) {
      has_all_ = true;
      const std::uint64_t claimed = evaluate(t.backedges);
      say(has_all_ && claimed == iteration_[l], l, "not the trip formula");
    }
    if (t.has_bound) {
      has_all_ = true;
      midend::checked_integer most = static_cast<std::int64_t>(t.bound.constant);
      for (std::uint32_t i = 0; i != t.bound.num_terms; ++i) {
        const linear_form::term& x = t.bound.terms[i];
        const std::uint64_t n = number(x.value, x.reading);
        most = most + midend::checked_integer(static_cast<std::int64_t>(x.coefficient)) *
                          (x.reading == number_reading::as_unsigned
                               ? midend::checked_integer::from_unsigned(n)
                               : midend::checked_integer(static_cast<std::int64_t>(n)));
      }
      if (has_all_ && most.is_valid() && !most.is_negative()) {
        ++bounds;
        say(most >= midend::checked_integer::from_unsigned(iteration_[l]), l, "more iterations than the bound");
      }
    }
    for (const node_id n : loops_.blocks(l)) {
      if (!dominators_.dominates(n, from)) {
        continue;
      }
      for (const value_id v : program_.values(n)) {
        const evolution e = found_.value_after(v, l);
        if (e.is_known() && !says_itself(e, v)) {
          has_all_ = true;
          const std::uint64_t claimed = evaluate(e.start());
          compare(v, number_reading::low_bits, claimed, after, "value after the loop", iteration_[l]);
        }
        const loop_id parent = loops_.parent(l);
        if (parent != midend::no_loop && loops_.contains(parent, to)) {
          const evolution around = found_.evolution_of(v, parent);
          if (around.is_known() && !says_itself(around, v)) {
            has_all_ = true;
            const std::uint64_t claimed = evaluate(around, iteration_[parent]);
            compare(v, number_reading::low_bits, claimed, outer, "evolution around", iteration_[parent]);
          }
        }
      }
    }
  }

  const semantic_program& program_;
  midend::dominator_tree dominators_;
  midend::loop_forest loops_;
  value_evolutions found_;
  std::vector<claims_of> claims_;
  std::vector<std::uint64_t> bits_;
  std::vector<bool> has_;
  std::vector<std::uint64_t> iteration_;
  std::vector<std::pair<value_id, std::uint64_t>> pending_;
  bool has_all_ = true;
};

struct totals {
  std::uint64_t claims = 0;
  std::uint64_t changing = 0;
  std::uint64_t curved = 0;
  std::uint64_t exact = 0;
  std::uint64_t after = 0;
  std::uint64_t trips = 0;
  std::uint64_t bounds = 0;
  std::uint64_t outer = 0;
  std::uint64_t missing = 0;
};

/// Checks claims of a program in some runs. False if one was wrong.
bool check_runs(const semantic_program& p, random_source& random, bool with_facts, totals& sum) {
  std::vector<number_facts> facts;
  if (with_facts) {
    facts = facts_of(p);
  }
  claim_checker checker(p, {facts.data(), facts.size()});
  for (int run = 0; run != 4; ++run) {
    std::vector<std::uint64_t> arguments;
    for (const value_id v : p.parameters()) {
      const std::uint64_t bits = run % 2 == 0 ? random.below(9) : random.next();
      arguments.push_back(bits & midend::low_ones(p.operation(v).width));
    }
    checker.run(p, arguments, 400, random);
    if (!checker.wrong.empty()) {
      FAIL_CHECK(checker.wrong, "\n", to_string(p));
      return false;
    }
  }
  sum.claims += checker.claims;
  sum.changing += checker.changing;
  sum.curved += checker.curved;
  sum.exact += checker.exact;
  sum.after += checker.after;
  sum.trips += checker.trips;
  sum.bounds += checker.bounds;
  sum.outer += checker.outer;
  sum.missing += checker.missing;
  return true;
}

/// How many claims random tests check: `MIDEND_EVOLUTION_CLAIMS`, or few.
std::uint64_t wanted_claims() {
  const char* const given = std::getenv("MIDEND_EVOLUTION_CLAIMS");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : affordable(150'000);
}

} // namespace

TEST_CASE("evolutions: claims about random nests hold in their runs") {
  totals sum;
  std::uint64_t seed = 0;
  for (; sum.claims < wanted_claims(); ++seed) {
    random_source random(seed);
    const unsigned depth = 1 + random.below(3);
    const semantic_program p = random_nest(random, depth, 5);
    if (!check_runs(p, random, seed % 2 == 1, sum)) {
      MESSAGE("seed ", seed);
      return;
    }
  }
  MESSAGE(seed, " nests, ", sum.claims, " claims: ", sum.changing, " about what changes, ", sum.curved,
          " polynomials and powers, ", sum.exact, " exact, ", sum.after, " after loops, ", sum.outer,
          " in outer loops, ", sum.trips, " about trips, ", sum.bounds, " about bounds; ", sum.missing, " not checked");
  CHECK(sum.after * 100 > sum.claims);
  CHECK(sum.outer * 10 > sum.claims);
  CHECK(sum.trips * 100 > sum.claims);
  CHECK(sum.missing * 100 < sum.claims);
}

namespace {

constexpr unsigned all_widths[] = {4, 8, 16, 32, 64};
constexpr std::uint64_t minus_one = ~std::uint64_t{0};

/// entry → header → body → header, header → exit; parameters `n` and `m`, and a counter that is tested in the header.
struct while_loop {
  static constexpr node_id entry = 0;
  static constexpr node_id header = 1;
  static constexpr node_id body = 2;

  semantic_program p{4, {{0, 1}, {1, 2}, {1, 3}, {2, 1}}};
  unsigned width;
  value_id n;
  value_id m;

  explicit while_loop(unsigned w) : width(w), n(p.parameter(w)), m(p.parameter(w)) {}

  value_id number(std::uint64_t c) { return p.literal(c, width); }

  value_id phi() { return p.phi(header, width); }

  void set(value_id phi, value_id start, value_id next) {
    p.set_input(phi, p.edge_of(entry), start);
    p.set_input(phi, p.edge_of(body), next);
  }

  value_id in_body(operation code, value_id a, value_id b, midend::operation_flags flags = {}) {
    return p.op(body, code, {a, b}, width, 0, flags);
  }

  /// The loop goes on while this holds.
  void while_holds(operation code, value_id a, value_id b) {
    p.branch(header, p.op(header, code, {a, b}, p.operation(a).width));
  }

  /// `phi = start; while (…) phi = phi + step`.
  value_id counter(value_id start, value_id step, midend::operation_flags flags = {}) {
    const value_id i = phi();
    set(i, start, in_body(operation::add, i, step, flags));
    return i;
  }

  value_evolutions found(midend::span<const number_facts> facts = {}) const {
    return midend::evolutions(p, midend::natural_loops(p.graph(), midend::dominators(p.graph())), facts);
  }
};

/// The coefficients of an evolution that are numbers; fails if others are there.
std::vector<std::uint64_t> numbers(const evolution& e) {
  std::vector<std::uint64_t> out;
  CHECK(e.obstacle == evolution_obstacle::none);
  for (unsigned d = 0; e.is_known() && d <= e.degree; ++d) {
    CHECK(e.coefficients[d].is_number());
    out.push_back(e.coefficients[d].constant);
  }
  return out;
}

using list = std::vector<std::uint64_t>;

bool is_sum(const linear_form& f, std::uint64_t constant, std::vector<linear_form::term> terms) {
  linear_form wanted = f.none_of();
  bool fits = wanted.add(constant);
  for (const linear_form::term& t : terms) {
    fits = fits && wanted.add(t.value, t.coefficient, t.reading);
  }
  return fits && midend::same_sum(f, wanted);
}

} // namespace

TEST_CASE("evolutions: counters and sums of them") {
  for (const unsigned w : all_widths) {
    CAPTURE(w);
    const std::uint64_t ones = midend::low_ones(w);
    while_loop l(w);
    const value_id i = l.counter(l.number(0), l.number(1));
    const value_id down = l.counter(l.n, l.number(ones)); // n - k
    const value_id sum = l.phi();
    l.set(sum, l.number(5), l.in_body(operation::add, sum, i));
    const value_id cubic = l.phi();
    l.set(cubic, l.number(0), l.in_body(operation::add, cubic, sum));
    const value_id quartic = l.phi();
    l.set(quartic, l.number(0), l.in_body(operation::add, quartic, cubic));
    const value_id square = l.in_body(operation::mul, i, i);
    l.while_holds(operation::not_equal, i, l.number(7));
    const value_evolutions found = l.found();
    CHECK(numbers(found.evolution_of(i, 0)) == list{0, 1});
    CHECK(numbers(found.evolution_of(sum, 0)) == list{5, 0, 1});
    CHECK(numbers(found.evolution_of(cubic, 0)) == list{0, 5, 0, 1});
    CHECK(found.evolution_of(quartic, 0).obstacle == evolution_obstacle::too_large);
    CHECK(numbers(found.evolution_of(square, 0)) == list{0, 1, 2});
    const evolution d = found.evolution_of(down, 0);
    CHECK(is_sum(d.start(), 0, {{l.n, 1}}));
    CHECK(is_sum(d.step(), ones, {}));
    // After it: 7 backedges.
    CHECK(found.trips(0).count == midend::trip_count{trip_count_kind::exact, 7, 8});
    CHECK(numbers(found.value_after(i, 0)) == list{7});
    CHECK(numbers(found.value_after(sum, 0)) == list{(5 + 21) & ones});
    CHECK(numbers(found.value_after(cubic, 0)) == list{(35 + 35) & ones});
    CHECK(is_sum(found.value_after(down, 0).start(), (0 - std::uint64_t{7}) & ones, {{l.n, 1}}));
    CHECK(found.value_after(square, 0).obstacle == evolution_obstacle::not_last);
    CHECK(numbers(found.value_at(cubic, 0, 3)) == list{16 & ones}); // 5 + 5 + 6
  }
}

TEST_CASE("evolutions: powers, and sums that are none") {
  for (const unsigned w : all_widths) {
    CAPTURE(w);
    const std::uint64_t ones = midend::low_ones(w);
    while_loop l(w);
    const auto multiplied = [&](std::uint64_t by, std::uint64_t add, std::uint64_t start) {
      const value_id x = l.phi();
      l.set(x, l.number(start), l.in_body(operation::add, l.in_body(operation::mul, x, l.number(by)), l.number(add)));
      return x;
    };
    const value_id triple = multiplied(3, 0, 1);
    const value_id mersenne = multiplied(2, 1, 0);
    const value_id minus = multiplied(3, 2, 0);    // 3^k - 1
    const value_id halves = multiplied(3, 1, 0);   // (3^k - 1) / 2
    const value_id flips = multiplied(ones, 6, 1); // 1, 5, 1, 5 …
    const value_id sum = l.phi();                  // of powers of 2
    const value_id two = multiplied(2, 0, 1);
    l.set(sum, l.number(0), l.in_body(operation::add, sum, two));
    const value_id fibonacci = l.phi();
    const value_id before = l.phi();
    l.set(fibonacci, l.number(1), l.in_body(operation::add, fibonacci, before));
    l.set(before, l.number(0), fibonacci);
    const value_id square = l.phi();
    l.set(square, l.number(2), l.in_body(operation::mul, square, square));
    const value_id i = l.counter(l.number(0), l.number(1));
    l.while_holds(operation::not_equal, i, l.number(6));
    const value_evolutions found = l.found();
    CHECK(found.evolution_of(triple, 0).ratio == 3);
    CHECK(numbers(found.value_after(triple, 0)) == list{729 & ones});
    CHECK(numbers(found.value_after(mersenne, 0)) == list{63 & ones});
    CHECK(numbers(found.value_after(minus, 0)) == list{728 & ones});
    CHECK(numbers(found.value_after(sum, 0)) == list{63 & ones});
    CHECK(numbers(found.value_at(flips, 0, 0)) == list{1});
    CHECK(numbers(found.value_at(flips, 0, 3)) == list{5});
    CHECK(found.evolution_of(halves, 0).obstacle == evolution_obstacle::recurrence);
    CHECK(found.evolution_of(fibonacci, 0).obstacle == evolution_obstacle::recurrence);
    CHECK(found.evolution_of(square, 0).obstacle == evolution_obstacle::recurrence);
  }
}

TEST_CASE("evolutions: the value of the iteration before") {
  while_loop l(32);
  const value_id i = l.counter(l.number(0), l.number(3));
  const value_id before = l.phi();
  l.set(before, l.number(0xffff'fffd), i);
  const value_id other = l.phi();
  l.set(other, l.number(5), i);
  const value_id same = l.phi();
  l.set(same, l.n, l.n);
  l.while_holds(operation::uless, i, l.number(30));
  const value_evolutions found = l.found();
  CHECK(numbers(found.evolution_of(before, 0)) == list{0xffff'fffd, 3});
  CHECK(found.evolution_of(other, 0).obstacle == evolution_obstacle::first_iteration);
  CHECK(found.evolution_of(same, 0).is_invariant());
}

TEST_CASE("evolutions: formulas for the number of iterations") {
  for (const unsigned w : all_widths) {
    CAPTURE(w);
    const std::uint64_t ones = midend::low_ones(w);
    { // from n to m in steps of 3, whatever wraps: 3 has an inverse
      while_loop l(w);
      const value_id i = l.counter(l.n, l.number(3));
      l.while_holds(operation::not_equal, i, l.m);
      const value_evolutions found = l.found();
      REQUIRE(found.trips(0).has_formula);
      CHECK(!found.trips(0).backedges.is_exact);
      CHECK(is_sum(found.value_after(i, 0).start(), 0, {{l.m, 1}}));
    }
    { // 2 has none
      while_loop l(w);
      const value_id i = l.counter(l.n, l.number(2));
      l.while_holds(operation::not_equal, i, l.m);
      CHECK(!l.found().trips(0).has_formula);
    }
    { // up to n: not if n may be negative
      while_loop l(w);
      const value_id i = l.counter(l.number(0), l.number(1), {true, false});
      const value_id sum = l.counter(l.m, l.number(5));
      l.while_holds(operation::less, i, l.n);
      CHECK(!l.found().trips(0).has_formula);
      CHECK(l.found().value_after(i, 0).obstacle == evolution_obstacle::inner_loop);
      std::vector<number_facts> facts;
      for (value_id v = 0; v != l.p.num_values(); ++v) {
        facts.push_back(number_facts::any(l.p.operation(v).width));
      }
      facts[l.n].low = 0;
      facts[l.n].most = ones >> 1;
      const value_evolutions found = l.found({facts.data(), facts.size()});
      REQUIRE(found.trips(0).has_formula);
      CHECK(is_sum(found.trips(0).backedges, 0, {{l.n, 1, number_reading::as_unsigned}}));
      CHECK(is_sum(found.value_after(sum, 0).start(), 0, {{l.n, 5}, {l.m, 1}}));
    }
    { // n … n + 6, without wrapping
      while_loop l(w);
      const value_id end = l.p.op(while_loop::entry, operation::add, {l.n, l.number(6)}, w, 0, {true, false});
      const value_id i = l.counter(l.n, l.number(2), {true, false});
      l.while_holds(operation::less, i, end);
      CHECK(l.found().trips(0).count.kind == trip_count_kind::exact);
      CHECK(l.found().trips(0).count.backedges == 3);
    }
  }
}

TEST_CASE("evolutions: a branch before the loop says that it runs") {
  // entry → guard → loop ⟲ → exit, entry → exit
  for (const operation guard : {operation::greater, operation::greater_equal, operation::not_equal}) {
    const bool has_guard = guard == operation::greater; // n ≥ 0 is not enough
    semantic_program p(4, {{0, 1}, {0, 3}, {1, 2}, {2, 2}, {2, 3}});
    const value_id n = p.parameter(32);
    const value_id zero = p.literal(0, 32);
    const value_id one = p.literal(1, 32);
    p.branch(0, p.op(0, guard, {n, zero}, 32));
    const value_id i = p.phi(2, 32);
    const value_id next = p.op(2, operation::add, {i, one}, 32);
    p.set_input(i, p.edge_of(1), zero);
    p.set_input(i, p.edge_of(2, 0), next);
    p.branch(2, p.op(2, operation::less, {next, n}, 32));
    const auto loops = midend::natural_loops(p.graph(), midend::dominators(p.graph()));
    const value_evolutions found = midend::evolutions(p, loops);
    CHECK(found.trips(0).has_formula == has_guard);
    if (has_guard) {
      CHECK(is_sum(found.value_after(next, 0).start(), 0, {{n, 1}}));
      CHECK(is_sum(found.trips(0).backedges, minus_one, {{n, 1, number_reading::as_signed}}));
    }
  }
}

namespace {

/// A condition of up to four comparisons of counters with numbers and parameters, in the header of a loop.
class random_condition {
public:
  random_condition(while_loop& l, std::vector<value_id> counters, random_source& random)
      : l_(l), counters_(std::move(counters)), random_(random) {}

  value_id make(unsigned depth) {
    if (depth == 0 || random_.one_in(4)) {
      return comparison();
    }
    const value_id a = make(depth - 1);
    switch (random_.below(6)) {
    case 0:
      return bit(operation::bit_and, {a, make(depth - 1)});
    case 1:
      return bit(operation::bit_or, {a, make(depth - 1)});
    case 2:
      return bit(operation::select, {a, make(depth - 1), l_.p.literal(random_.below(2), 1)});
    case 3:
      return bit(operation::select, {a, l_.p.literal(random_.below(2), 1), make(depth - 1)});
    case 4:
      return random_.one_in(2) ? bit(operation::bit_not, {a}) : bit(operation::bit_xor, {a, l_.p.literal(1, 1)});
    default: {
      const value_id wide = l_.p.op(while_loop::header, operation::zero_extend, {a}, 8, 1);
      const operation code = random_.one_in(2) ? operation::equal : operation::not_equal;
      return l_.p.op(while_loop::header, code, {wide, l_.p.literal(random_.below(2), 8)}, 8);
    }
    }
  }

private:
  value_id bit(operation code, std::initializer_list<value_id> operands) {
    return l_.p.op(while_loop::header, code, operands, 1);
  }

  value_id comparison() {
    const auto code = static_cast<operation>(static_cast<unsigned>(operation::equal) + random_.below(10));
    const value_id counter = counters_[random_.below(counters_.size())];
    const value_id other = random_.one_in(4)   ? l_.n
                           : random_.one_in(8) ? counters_[random_.below(counters_.size())]
                                               : l_.number(random_.next() & midend::low_ones(l_.width));
    const bool is_first = random_.one_in(3);
    return l_.p.op(while_loop::header, code, {is_first ? other : counter, is_first ? counter : other}, l_.width);
  }

  while_loop& l_;
  std::vector<value_id> counters_;
  random_source& random_;
};

} // namespace

TEST_CASE("evolutions: loops that end by several comparisons or by cases of a switch, against their runs") {
  totals sum;
  std::array<std::uint64_t, 5> kinds{};
  std::uint64_t formulas = 0;
  for (std::uint64_t seed = 0; seed != affordable(6000); ++seed) {
    random_source random(seed);
    while_loop l(static_cast<unsigned>(3 + random.below(3)));
    std::vector<value_id> counters;
    const std::uint64_t num_counters = 1 + random.below(2);
    for (std::uint64_t i = 0; i != num_counters; ++i) {
      const value_id start = random.one_in(4) ? l.m : l.number(random.next() & midend::low_ones(l.width));
      counters.push_back(l.counter(start, l.number(random.next() & midend::low_ones(l.width))));
    }
    if (random.one_in(4)) {
      const std::uint64_t number = random.next() & midend::low_ones(l.width);
      const bool stays = random.one_in(4);
      l.p.switch_on(while_loop::header, counters[0],
                    stays ? std::vector<std::optional<std::uint64_t>>{number, std::nullopt}
                          : std::vector<std::optional<std::uint64_t>>{std::nullopt, number});
    } else {
      const value_id condition = random_condition(l, counters, random).make(2);
      l.p.switch_on(while_loop::header, condition,
                    random.one_in(2) ? std::vector<std::optional<std::uint64_t>>{0, 1}
                                     : std::vector<std::optional<std::uint64_t>>{1, 0});
    }
    if (!check_runs(l.p, random, random.one_in(2), sum)) {
      FAIL_CHECK("seed ", seed);
      break;
    }
    const midend::loop_trips trips = l.found().trips(0);
    kinds[static_cast<std::size_t>(trips.count.kind)] += 1;
    formulas += trips.has_formula ? 1 : 0;
  }
  MESSAGE(kinds[0], " unknown, ", kinds[1], " exact, ", kinds[2], " at most, ", kinds[3], " endless; ", formulas,
          " formulas; ", sum.trips, " claims");
  CHECK(kinds[static_cast<std::size_t>(trip_count_kind::exact)] > affordable(1000));
  CHECK(kinds[static_cast<std::size_t>(trip_count_kind::at_most)] > affordable(300));
  CHECK(kinds[static_cast<std::size_t>(trip_count_kind::endless)] > affordable(100));
  CHECK(sum.trips > affordable(10'000));
}

TEST_CASE("evolutions: extensions are looked through where nothing wraps") {
  struct one {
    operation extends;
    midend::operation_flags flags;
    std::uint64_t start;
    std::uint64_t bound;
    bool is_known;
  };

  const one cases[] = {
      {operation::sign_extend, {true, false}, 0, 0, true},  // by promise; how often is not known
      {operation::sign_extend, {false, true}, 0, 0, false}, // by another promise
      {operation::zero_extend, {false, true}, 0, 0, true},  //
      {operation::zero_extend, {}, 0, 0, true},             // it meets the bound before it is 0 again
      {operation::zero_extend, {}, 1, 0, false},            // unless the bound is 0
      {operation::zero_extend, {}, 250, 255, true},         // by the number of iterations
      {operation::zero_extend, {}, 250, 3, false},          // which wraps
      {operation::sign_extend, {}, 120, 127, true},         //
      {operation::sign_extend, {}, 120, 130, false},        //
  };
  for (const one& c : cases) {
    while_loop l(8);
    const value_id i = l.counter(l.number(c.start), l.number(1), c.flags);
    const value_id wide = l.p.op(while_loop::body, c.extends, {i}, 64, 8);
    const value_id address = l.p.op(while_loop::body, operation::mul, {wide, l.p.literal(8, 64)}, 64);
    l.while_holds(operation::not_equal, i, c.bound == 0 ? l.n : l.number(c.bound));
    const value_evolutions found = l.found();
    CAPTURE(c.start);
    CAPTURE(c.bound);
    CHECK(found.evolution_of(address, 0).is_known() == c.is_known);
    if (c.is_known) {
      CHECK(numbers(found.evolution_of(address, 0)) == list{c.start * 8, 8});
    } else {
      CHECK(found.evolution_of(address, 0).obstacle == evolution_obstacle::may_wrap);
    }
  }
}

TEST_CASE("evolutions: an operation that some iterations skip promises nothing") {
  // header 1 branches to 2 and 3, which meet in the latch 4; both bring i + 1, but only one promises that it fits.
  for (const bool both : {true, false}) {
    semantic_program p(6, {{0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 1}, {4, 5}});
    const value_id one = p.literal(1, 8);
    const value_id i = p.phi(1, 8);
    p.branch(1, p.call(1, {}, 1));
    const value_id promised = p.op(2, operation::add, {i, one}, 8, 0, {true, true});
    const value_id plain = p.op(3, operation::add, {i, one}, 8, 0, {both, both});
    const value_id next = p.phi(4, 8);
    p.set_input(next, p.edge_of(2), promised);
    p.set_input(next, p.edge_of(3), plain);
    const value_id wide = p.op(4, operation::sign_extend, {i}, 32, 8);
    p.branch(4, p.call(4, {}, 1));
    p.set_input(i, p.edge_of(0), p.literal(0, 8));
    p.set_input(i, p.edge_of(4, 0), next);
    const auto loops = midend::natural_loops(p.graph(), midend::dominators(p.graph()));
    const value_evolutions found = midend::evolutions(p, loops);
    CHECK(numbers(found.evolution_of(i, 0)) == list{0, 1});
    CHECK(found.evolution_of(wide, 0).is_known() == both);
    CHECK(found.evolution_of(i, 0, number_reading::as_signed).is_known() == both);
  }
}

TEST_CASE("evolutions: the checker finds a promise that does not hold") {
  const auto made = [](bool promises) {
    while_loop l(8);
    const value_id i = l.counter(l.number(0), l.number(1), {promises, promises});
    l.p.op(while_loop::body, operation::sign_extend, {i}, 32, 8);
    l.while_holds(operation::not_equal, i, l.n);
    return l.p;
  };
  const semantic_program believed = made(true);
  const semantic_program running = made(false); // the same values
  random_source random(1);
  claim_checker right(running, {});
  right.run(running, {200, 0}, 4'000, random);
  CHECK(right.wrong.empty());
  CHECK(right.claims > 200);
  claim_checker wrong(believed, {});
  wrong.run(running, {200, 0}, 4'000, random);
  CHECK(!wrong.wrong.empty());
}

namespace {

/// for (i = 0; i < 10; ++i) for (j = start; j < end; ++j) { k = i + j; sum += 1; }, both tested in their headers.
struct nest {
  semantic_program p{7, {{0, 1}, {1, 2}, {1, 6}, {2, 3}, {3, 4}, {3, 5}, {4, 3}, {5, 1}}};
  value_id n = p.parameter(32);
  value_id zero = p.literal(0, 32);
  value_id one = p.literal(1, 32);
  value_id i = p.phi(1, 32);
  value_id sum = p.phi(1, 32);
  value_id j = p.phi(3, 32);
  value_id inner_sum = p.phi(3, 32);
  value_id k = p.op(4, operation::add, {i, j}, 32);
  value_id next_j = p.op(4, operation::add, {j, one}, 32, 0, {true, true});
  value_id next_sum = p.op(4, operation::add, {inner_sum, one}, 32);
  value_id next_i = p.op(5, operation::add, {i, one}, 32, 0, {true, true});

  nest(bool from_i, bool to_i) {
    p.branch(1, p.op(1, operation::less, {i, p.literal(10, 32)}, 32));
    p.branch(3, p.op(3, operation::less, {j, to_i ? i : p.literal(20, 32)}, 32));
    p.set_input(i, p.edge_of(0), zero);
    p.set_input(i, p.edge_of(5), next_i);
    p.set_input(sum, p.edge_of(0), n);
    p.set_input(sum, p.edge_of(5), inner_sum);
    p.set_input(j, p.edge_of(2), from_i ? i : zero);
    p.set_input(j, p.edge_of(4), next_j);
    p.set_input(inner_sum, p.edge_of(2), sum);
    p.set_input(inner_sum, p.edge_of(4), next_sum);
  }

  value_evolutions found() const {
    const auto facts = facts_of(p);
    return midend::evolutions(p, midend::natural_loops(p.graph(), midend::dominators(p.graph())),
                              {facts.data(), facts.size()});
  }
};

/// The coefficient of a product of iterations, outer first; with no value.
std::uint64_t coefficient(const nested_evolution& e, unsigned outer, unsigned inner) {
  for (std::uint32_t i = 0; i != e.num_terms; ++i) {
    if (e.terms[i].value == no_value && e.terms[i].degrees[0] == outer && e.terms[i].degrees[1] == inner) {
      return e.terms[i].coefficient;
    }
  }
  return 0;
}

} // namespace

TEST_CASE("evolutions: nests") {
  { // a rectangle
    const nest m(false, false);
    const value_evolutions found = m.found();
    CHECK(found.trips(0).count.backedges == 10);
    CHECK(found.trips(1).count.backedges == 20);
    const nested_evolution k = found.in_scope(m.k, 0);
    REQUIRE(k.is_known());
    CHECK(k.is_affine());
    CHECK(k.num_terms == 2);
    CHECK(coefficient(k, 1, 0) == 1);
    CHECK(coefficient(k, 0, 1) == 1);
    const evolution inner = found.evolution_of(m.k, 1);
    CHECK(is_sum(inner.start(), 0, {{m.i, 1}}));
    CHECK(is_sum(found.evolution_of(m.sum, 0).start(), 0, {{m.n, 1}}));
    CHECK(is_sum(found.evolution_of(m.sum, 0).step(), 20, {}));
    CHECK(is_sum(found.value_after(m.sum, 0).start(), 200, {{m.n, 1}}));
    CHECK(is_sum(found.evolution_of(m.j, 0).start(), 20, {})); // after the inner loop
    CHECK(is_sum(found.evolution_of(m.inner_sum, 0).start(), 20, {{m.n, 1}}));
  }
  { // j from i on: a trapezium of 20 - i
    const nest m(true, false);
    const value_evolutions found = m.found();
    REQUIRE(found.trips(1).has_formula);
    CHECK(found.trips(1).count == midend::trip_count{trip_count_kind::at_most, 20, 1});
    const nested_evolution k = found.in_scope(m.k, 0);
    CHECK(coefficient(k, 1, 0) == 2);
    CHECK(coefficient(k, 0, 1) == 1);
    CHECK(is_sum(found.value_after(m.sum, 0).start(), 155, {{m.n, 1}})); // 200 - 45
  }
  { // j up to i: a triangle
    const nest m(false, true);
    const value_evolutions found = m.found();
    REQUIRE(found.trips(1).has_formula);
    CHECK(is_sum(found.value_after(m.sum, 0).start(), 45, {{m.n, 1}}));
    CHECK(found.evolution_of(m.sum, 0).degree == 2);
  }
}

TEST_CASE("evolutions: a triangle of a triangle") {
  // for (i = 0; i != 12; ++i) for (j = 0; j != i; ++j) sum += j: 12 over 3.
  nest m(false, true);
  m.p.set_operands(m.next_sum, {m.inner_sum, m.j});
  const value_evolutions found = m.found();
  CHECK(found.evolution_of(m.sum, 0).degree == 3);
  CHECK(is_sum(found.value_after(m.sum, 0).start(), 120, {{m.n, 1}})); // 10 over 3
}

TEST_CASE("evolutions: endless loops, several entries, several starts, unreachable nodes") {
  { // 1 ⟲ without exit; 2 is unreachable and leads into it
    semantic_program p(3, {{0, 1}, {1, 1}, {2, 1}});
    const value_id i = p.phi(1, 32);
    const value_id next = p.op(1, operation::add, {i, p.literal(4, 32)}, 32);
    const value_id odd = p.op(2, operation::add, {p.parameter(32), p.literal(4, 32)}, 32);
    p.set_input(i, p.edge_of(0), p.literal(0, 32));
    p.set_input(i, p.edge_of(1), next);
    p.set_input(i, p.edge_of(2), odd);
    const value_evolutions found =
        midend::evolutions(p, midend::natural_loops(p.graph(), midend::dominators(p.graph())));
    CHECK(found.trips(0).count.kind == trip_count_kind::endless);
    CHECK(numbers(found.evolution_of(next, 0)) == list{4, 4});
    CHECK(!found.value_after(next, 0).is_known());
    CHECK(found.home_loop(odd) == midend::no_loop);
  }
  { // a loop 1 with a cycle 2 ⇄ 3 of two entries inside
    semantic_program p(6, {{0, 1}, {1, 2}, {1, 3}, {2, 3}, {3, 2}, {2, 4}, {4, 1}, {4, 5}});
    const value_id i = p.phi(1, 32);
    p.branch(1, p.call(1, {}, 1));
    const value_id x = p.phi(2, 32);
    const value_id y = p.phi(3, 32);
    const value_id in_cycle = p.op(2, operation::add, {i, p.literal(7, 32)}, 32);
    const value_id more = p.op(3, operation::add, {y, p.literal(1, 32)}, 32);
    p.branch(2, p.call(2, {}, 1));
    const value_id next = p.op(4, operation::add, {i, p.literal(1, 32)}, 32);
    p.branch(4, p.op(4, operation::not_equal, {next, p.literal(9, 32)}, 32));
    p.set_input(i, p.edge_of(0), p.literal(0, 32));
    p.set_input(i, p.edge_of(4, 0), next);
    p.set_input(x, p.edge_of(1, 0), p.literal(0, 32));
    p.set_input(x, p.edge_of(3), more);
    p.set_input(y, p.edge_of(1, 1), p.literal(0, 32));
    p.set_input(y, p.edge_of(2, 0), x);
    const auto loops = midend::natural_loops(p.graph(), midend::dominators(p.graph()));
    REQUIRE(loops.num_loops() == 1);
    const value_evolutions found = midend::evolutions(p, loops);
    CHECK(found.trips(0).count.kind == trip_count_kind::exact);
    CHECK(found.trips(0).count.backedges == 8);
    CHECK(numbers(found.evolution_of(in_cycle, 0)) == list{7, 1});
    const bool is_irreducible = found.evolution_of(x, 0).obstacle == evolution_obstacle::irreducible_cycle ||
                                found.evolution_of(y, 0).obstacle == evolution_obstacle::irreducible_cycle;
    CHECK(is_irreducible);
    CHECK(!found.evolution_of(x, 0).is_known());
    CHECK(!found.evolution_of(y, 0).is_known());
  }
  { // two edges into the loop bring different starts
    semantic_program p(5, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 3}, {3, 4}});
    const value_id i = p.phi(3, 32);
    const value_id next = p.op(3, operation::add, {i, p.literal(1, 32)}, 32);
    p.branch(0, p.parameter(1));
    p.branch(3, p.call(3, {}, 1));
    p.set_input(i, p.edge_of(1), p.literal(0, 32));
    p.set_input(i, p.edge_of(2), p.literal(1, 32));
    p.set_input(i, p.edge_of(3, 0), next);
    const value_evolutions found =
        midend::evolutions(p, midend::natural_loops(p.graph(), midend::dominators(p.graph())));
    CHECK(found.evolution_of(next, 0).obstacle == evolution_obstacle::several_starts);
  }
}

TEST_CASE("evolutions: what is too large says so") {
  // A sum of seven parameters has too many terms, so it is a value of its own; in the loop it does not change.
  while_loop l(32);
  value_id sum = l.n;
  std::vector<value_id> parameters;
  for (int i = 0; i != 6; ++i) {
    parameters.push_back(l.p.parameter(32));
    sum = l.p.op(while_loop::entry, operation::add, {sum, parameters.back()}, 32);
  }
  const value_id i = l.counter(sum, l.number(1));
  l.while_holds(operation::not_equal, i, l.m);
  const value_evolutions found = l.found();
  CHECK(is_sum(found.evolution_of(i, 0).start(), 0, {{sum, 1}}));

  // Twelve loops in each other, all of one node each: node k + 1 is the header of loop k; 13 is innermost.
  constexpr node_id depth = 12;
  std::vector<midend::edge> edges;
  for (node_id k = 0; k != depth; ++k) {
    edges.push_back({k, k + 1});
  }
  for (node_id k = depth; k != 0; --k) { // latches, from inside out
    edges.push_back({k == depth ? depth : depth + depth - k, k});
    edges.push_back({k == depth ? depth : depth + depth - k, depth + depth - k + 1});
  }
  semantic_program p(2 * depth + 1, edges);
  const value_id x = p.phi(depth, 32);
  const value_id next = p.op(depth, operation::add, {x, p.literal(1, 32)}, 32);
  for (const edge_id e : p.graph().in_edges(depth)) {
    p.set_input(x, e, p.graph().edge_source(e) == depth ? next : p.literal(0, 32));
  }
  p.branch(depth, p.op(depth, operation::not_equal, {next, p.literal(3, 32)}, 32));
  for (node_id k = depth + 1; k != 2 * depth; ++k) {
    p.branch(k, p.call(k, {}, 1));
  }
  const auto loops = midend::natural_loops(p.graph(), midend::dominators(p.graph()));
  REQUIRE(loops.num_loops() == depth);
  const value_evolutions deep = midend::evolutions(p, loops);
  const loop_id inner = loops.innermost_loop(depth);
  CHECK(numbers(deep.evolution_of(x, inner)) == list{0, 1});
  CHECK(numbers(deep.evolution_of(x, inner - 7)) == list{2}); // after the loops inside
  CHECK(deep.evolution_of(x, inner - 8).obstacle == evolution_obstacle::too_large);
  CHECK(deep.in_scope(x, inner - 4).obstacle == evolution_obstacle::too_large);
}

TEST_CASE("evolutions: 10^5 phis, each of which adds the next one, on a small stack") {
  constexpr std::size_t count = 100'000;
  while_loop l(32);
  std::vector<value_id> phis;
  for (std::size_t i = 0; i != count; ++i) {
    phis.push_back(l.phi());
  }
  const value_id one = l.number(1);
  for (std::size_t i = 0; i != count; ++i) {
    l.set(phis[i], one, l.in_body(operation::add, phis[i], i + 1 == count ? one : phis[i + 1]));
  }
  l.while_holds(operation::not_equal, phis.back(), l.n);
  value_evolutions found;
  CHECK(on_a_small_stack([&] {
          found = l.found();
          return std::string();
        }).empty());
  CHECK(numbers(found.evolution_of(phis[count - 1], 0)) == list{1, 1});
  CHECK(numbers(found.evolution_of(phis[count - 3], 0)) == list{1, 1, 1, 1});
  CHECK(found.evolution_of(phis[count - 4], 0).obstacle == evolution_obstacle::too_large);
  CHECK(found.evolution_of(phis[0], 0).obstacle == evolution_obstacle::too_large);
}

TEST_CASE("evolutions: a second call allocates nothing") {
  const nest m(true, false);
  const auto loops = midend::natural_loops(m.p.graph(), midend::dominators(m.p.graph()));
  const auto facts = facts_of(m.p);
  midend::evolutions_workspace workspace;
  value_evolutions out;
  const auto work = [&] { midend::evolutions(m.p, loops, {facts.data(), facts.size()}, workspace, out); };
  CHECK(allocations_of(work) != 0);
  CHECK(allocations_of(work) == 0);
  CHECK(is_sum(out.value_after(m.sum, 0).start(), 155, {{m.n, 1}}));
}

TEST_CASE("evolutions: claims about random graphs, also irreducible ones, hold in their runs") {
  totals sum;
  for (std::uint64_t seed = 0; seed != wanted_claims() / 100; ++seed) {
    random_source random(seed);
    random_semantics options;
    options.width = all_widths[random.below(4)];
    options.wide = seed % 3 == 0 && options.width <= 32 ? 3 : 0;
    const std::size_t nodes = 5 + random.below(12);
    const test_graph g = seed % 2 == 0 ? random_reducible(random, nodes) : random_irreducible(random, nodes);
    const semantic_program p =
        seed % 5 == 0 ? random_semantic_program(random, g, options) : random_counters(random, g, options.width);
    if (!check_runs(p, random, seed % 4 < 2, sum)) {
      MESSAGE("seed ", seed);
      return;
    }
  }
  MESSAGE(sum.claims, " claims, ", sum.changing, " about what changes, ", sum.after, " after loops, ", sum.outer,
          " in outer loops");
  CHECK(sum.changing * 20 > sum.claims);
  CHECK(sum.claims > wanted_claims());
}
