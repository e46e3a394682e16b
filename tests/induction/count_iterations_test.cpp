// Trip counts of loop bodies against running them: loops of 8 bits of a small grammar, and random bodies with several
// exits. A count is exact or a bound or unknown, and never wrong.
#include "kit/affordable.hpp"
#include "kit/body_simulator.hpp"
#include "kit/body_writer.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/domains/number_domain.hpp>
#include <midend/dominance/dominators.hpp>
#include <midend/elbrus/builder.hpp>
#include <midend/elbrus/run/interpreter.hpp>
#include <midend/elbrus/verify/verifier.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/induction/count_iterations.hpp>
#include <midend/induction/describe_loop.hpp>
#include <midend/induction/loop_facts.hpp>
#include <midend/loops/natural_loops.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

using namespace midend_tests;
using midend::body_id;
using midend::count_iterations;
using midend::induction_variable;
using midend::loop_body;
using midend::loop_counters;
using midend::loop_exit;
using midend::operation;
using midend::operation_flags;
using midend::trip_count;
using midend::trip_count_kind;

namespace {

constexpr operation comparisons[] = {operation::equal,         operation::not_equal,   operation::less,
                                     operation::less_equal,    operation::greater,     operation::greater_equal,
                                     operation::uless,         operation::uless_equal, operation::ugreater,
                                     operation::ugreater_equal};

constexpr std::uint64_t steps[] = {1, 255, 2, 254, 3, 253, 5, 7, 64, 127, 128, 129};

std::uint64_t add(std::uint64_t a, std::uint64_t b, unsigned width = 8) {
  return (a + b) & midend::low_ones(width);
}

std::uint64_t extended(operation how, std::uint64_t bits, unsigned from, unsigned to) {
  return how == operation::sign_extend
             ? static_cast<std::uint64_t>(midend::as_signed(bits, from)) & midend::low_ones(to)
             : bits & midend::low_ones(to);
}

/// What came of running a loop.
class body_run {
public:
  enum class end { left, without_meaning, endless };

  /// `invariants` are the values of the body's invariants in their order. Endless is what has not ended after `limit`
  /// backedges.
  body_run(const loop_body& body, std::span<const std::uint64_t> invariants, std::uint64_t limit, body_world& world) {
    run(body, invariants, limit, world);
  }

  body_run(const loop_body& body, std::span<const std::uint64_t> invariants, std::uint64_t limit = 300) {
    body_world nothing;
    run(body, invariants, limit, nothing);
  }

  end status = end::endless;
  std::uint64_t backedges = 0;
  std::vector<maybe_number> phis; ///< at the top, iteration after iteration

private:
  void run(const loop_body& body, std::span<const std::uint64_t> invariants, std::uint64_t limit, body_world& world) {
    body_simulator simulator(body, world);
    simulator.enter(invariants);
    for (; backedges <= limit; ++backedges) {
      phis.insert(phis.end(), simulator.values().begin(), simulator.values().begin() + body.num_phis);
      const iteration_end ended = simulator.run_iteration();
      if (ended != iteration_end::bottom) {
        status = ended == iteration_end::left ? end::left : end::without_meaning;
        return;
      }
      simulator.begin_next();
    }
  }
};

/// Memory in which a load finds bits: never one, always, now and then.
class world_of_bits final : public body_world {
public:
  explicit world_of_bits(unsigned often) : often_(often) {}

  maybe_number load(body_id load, std::uint64_t) override {
    ++loads_;
    return often_ < 2 ? often_ : (load * 7 + loads_ * loads_) % 11 / 10;
  }

private:
  std::uint64_t often_;
  std::uint64_t loads_ = 0;
};

/// What a formula says, given the values of start and bound when the loop is entered.
std::uint64_t backedges_by_formula(const loop_body& body, const loop_counters& c, const loop_exit& x,
                                   std::uint64_t start, std::uint64_t bound) {
  const unsigned width = c.inductions[x.induction].width;
  const unsigned bits = x.formula.width;
  const std::uint64_t tested = add(start, x.addend, width);
  const bool is_wider = bits > width;
  REQUIRE(bits <= body.values[x.bound].info.width);
  return x.formula.backedges(extended(is_wider ? x.conversion : operation::copy, tested, width, bits),
                             bound & midend::low_ones(bits));
}

/// The number of wrong claims. A program without meaning makes every claim true.
int wrong_inductions(const loop_body& body, const loop_counters& c, const body_run& ran) {
  int wrong = 0;
  const std::size_t rows = body.num_phis == 0 ? 0 : ran.phis.size() / body.num_phis;
  for (const induction_variable& i : c.inductions) {
    std::optional<std::uint64_t> expected = i.has_start ? std::optional(i.start) : ran.phis[i.phi];
    for (std::size_t k = 0; k != rows; ++k) {
      const auto value = ran.phis[k * body.num_phis + i.phi];
      wrong += !value || *value == *expected ? 0 : 1; // without meaning nobody asks for it
      const auto sum = midend::detail::wrapping_add(*expected, i.step, i.width);
      wrong += value && k != 0 && k + 1 != rows && ran.phis[(k + 1) * body.num_phis + i.phi] &&
                       ((i.flags.no_signed_wrap && sum.signed_wrap) || (i.flags.no_unsigned_wrap && sum.unsigned_wrap))
                   ? 1
                   : 0;
      expected = add(*expected, i.step, i.width);
    }
  }
  return wrong;
}

bool is_wrong_count(const loop_counters& c, const body_run& ran) {
  const bool left = ran.status == body_run::end::left;
  const bool endless = ran.status == body_run::end::endless;
  switch (c.trip.kind) {
  case trip_count_kind::exact:
    return endless || (left && (ran.backedges != c.trip.backedges || (ran.backedges + 1) % c.trip_multiple != 0));
  case trip_count_kind::at_most:
    return endless || (left && ran.backedges > c.trip.backedges);
  case trip_count_kind::endless:
  case trip_count_kind::wraps_first:
    return left || (endless && c.trip.kind == trip_count_kind::wraps_first && c.exits.size() == 1);
  default:
    return false;
  }
}

struct shape {
  std::uint64_t start;
  std::uint64_t bound;
  std::uint64_t step;
  operation comparison;
  operation_flags flags;
  unsigned tested;  ///< 0 the phi, in front of the increment; 1 the sum; 2 in the middle of two increments;
                    ///< 3 a sum of its own, without a promise; 4 after a subtraction
  unsigned negated; ///< 0 … 4: how
  bool swapped;     ///< bound first
  bool goes_on;     ///< if the condition is this
  bool knows_start = true;
  bool knows_bound = true;
};

struct shaped_loop {
  loop_body body;
  std::vector<std::uint64_t> invariants;
};

/// The condition, or what says the same.
body_id negated_by(body_writer& w, unsigned how, body_id c, body_id zero, body_id one) {
  switch (how) {
  case 1:
    return w.binary(operation::bit_xor, c, one);
  case 2:
    return w.unary(operation::bit_not, c);
  case 3:
    return w.binary(operation::equal, zero, c);
  case 4:
    return w.binary(operation::not_equal, c, one);
  default:
    return c;
  }
}

shaped_loop write(const shape& s) {
  shaped_loop out;
  body_writer w;
  const body_id i = w.phi(8);
  const auto number = [&](bool is_known, std::uint64_t n) {
    if (!is_known) {
      out.invariants.push_back(n);
    }
    return is_known ? w.constant(8, n) : w.invariant(8);
  };
  const body_id start = number(s.knows_start, s.start);
  const body_id bound = number(s.knows_bound, s.bound);
  const body_id step = w.constant(8, s.step);
  const body_id less = w.constant(8, 0 - s.step);
  const body_id two = w.constant(8, 2);
  const body_id rest = w.constant(8, s.step - 2);
  const body_id zero = w.constant(1, 0);
  const body_id one = w.constant(1, 1);
  w.block();
  body_id next = i;
  body_id tested = i;
  switch (s.tested) {
  case 2:
    tested = w.binary(operation::add, i, two, s.flags);
    next = w.binary(operation::add, rest, tested, s.flags);
    break;
  case 3:
    next = w.binary(operation::add, i, step, s.flags);
    tested = w.binary(operation::add, i, two);
    break;
  case 4:
    tested = next = w.binary(operation::sub, i, less, s.flags);
    break;
  default:
    next = w.binary(operation::add, i, step, s.flags);
    tested = s.tested == 0 ? i : next;
  }
  const body_id c = s.swapped ? w.binary(mirrored(s.comparison), bound, tested) : w.binary(s.comparison, tested, bound);
  const body_id condition = negated_by(w, s.negated, c, zero, one);
  w.set_phi(i, start, next);
  out.body = w.finish_single(condition, s.goes_on);
  return out;
}

/// Mixes what does not depend on numbers into a grid of numbers: each shape meets each comparison and step.
template <class Visit> void for_each_shape(unsigned grid, Visit visit) {
  random_source random(11);
  for (const operation c : comparisons) {
    for (const std::uint64_t step : steps) {
      for (unsigned tested = 0; tested != 5; ++tested) {
        for (unsigned flags = 0; flags != 4; ++flags) {
          for (unsigned n = 0; n != grid * grid; ++n) {
            const auto edge = [&](unsigned at) { // around 0 and the middle, and anywhere
              return at < 5 ? (at + 254) % 256 : at < 10 ? at + 120 : random.below(256);
            };
            shape s{edge(n / grid),
                    edge(n % grid),
                    step,
                    c,
                    {(flags & 1) != 0, (flags & 2) != 0},
                    tested,
                    random.below(5),
                    random.one_in(2),
                    random.one_in(2)};
            visit(s);
          }
        }
      }
    }
  }
}

} // namespace

TEST_CASE("count_iterations: all starts and bounds of 8 bits") {
  midend::count_iterations_workspace workspace;
  loop_counters c;
  std::uint64_t wrong = 0;
  for (const operation comparison : comparisons) {
    for (const std::uint64_t step : {1U, 255U, 6U}) {
      for (const unsigned tested : {0U, 1U}) {
        loop_body body = write({0, 0, step, comparison, {}, tested, 0, false, true}).body;
        for (unsigned start = 0; start < 256; start += tests_are_shortened ? 7 : 1) {
          for (unsigned bound = 0; bound < 256; bound += step == 1 ? 1 : 5) {
            body.values[1].bits = start;
            body.values[2].bits = bound;
            count_iterations(body, workspace, c);
            std::uint64_t i = tested == 0 ? start : add(start, step);
            std::uint64_t backedges = 0;
            while (backedges <= 256 && midend::detail::comparison_holds(comparison, i, bound, 8)) {
              i = add(i, step);
              ++backedges;
            }
            const bool is_endless = backedges > 256;
            wrong += c.trip.kind == (is_endless ? trip_count_kind::endless : trip_count_kind::exact) &&
                             (is_endless || c.trip.backedges == backedges)
                         ? 0
                         : 1;
          }
        }
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("count_iterations: loops of 8 bits of all shapes are counted") {
  midend::count_iterations_workspace workspace;
  loop_counters c;
  std::uint64_t wrong = 0;
  std::uint64_t unknown = 0;
  std::array<std::size_t, 5> kinds{};
  unsigned turn = 0;
  for_each_shape(10, [&](const shape& s) {
    if (tests_are_shortened && turn++ % 7 != 0) {
      return;
    }
    const loop_body body = write(s).body;
    count_iterations(body, workspace, c);
    const body_run ran(body, {});
    kinds[static_cast<std::size_t>(c.trip.kind)] += 1;
    unknown += c.trip.kind == trip_count_kind::unknown || c.trip.kind == trip_count_kind::at_most ? 1 : 0;
    wrong += is_wrong_count(c, ran) || wrong_inductions(body, c, ran) != 0 ? 1 : 0;
    wrong += c.inductions.size() == 1 && c.exits.size() == 1 && c.exits[0].is_counted && c.exits[0].is_always_tested &&
                     c.exits[0].swapped == s.swapped && c.counted_exit == (c.is_exact() ? 0 : midend::no_body_value)
                 ? 0
                 : 1;
    if (s.tested <= 1) { // all promises are of the one addition
      wrong += (ran.status == body_run::end::without_meaning) == (c.trip.kind == trip_count_kind::wraps_first) ? 0 : 1;
    }
    // A run that keeps its promises has an exact count, or none because it is endless.
    wrong += ran.status == body_run::end::left && !c.is_exact() ? 1 : 0;
  });
  CHECK(wrong == 0);
  CHECK(unknown == 0);
  CHECK(kinds[static_cast<std::size_t>(trip_count_kind::exact)] > affordable(50'000));
  CHECK(kinds[static_cast<std::size_t>(trip_count_kind::wraps_first)] > affordable(10'000));
  CHECK(kinds[static_cast<std::size_t>(trip_count_kind::endless)] > affordable(10'000));
}

TEST_CASE("count_iterations: formulas of loops of 8 bits") {
  midend::count_iterations_workspace workspace;
  loop_counters c;
  std::uint64_t wrong = 0;
  std::uint64_t formulas[3] = {};
  unsigned turn = 0;
  for_each_shape(6, [&](shape s) {
    const unsigned known = turn++ % 3; // nothing, the start, the bound
    if (tests_are_shortened && turn % 7 != 0) {
      return;
    }
    s.knows_start = known == 1;
    s.knows_bound = known == 2;
    const shaped_loop loop = write(s);
    count_iterations(loop.body, workspace, c);
    const loop_exit& x = c.exits[0];
    if (!x.has_formula) {
      wrong += c.trip == trip_count{} ? 0 : 1;
      wrong += c.counted_exit == midend::no_body_value ? 0 : 1;
      return;
    }
    formulas[known] += 1;
    wrong += c.counted_exit == 0 ? 0 : 1;
    const body_run ran(loop.body, loop.invariants);
    wrong += c.trip.kind == trip_count_kind::at_most && !is_wrong_count(c, ran) ? 0 : 1;
    wrong +=
        ran.status == body_run::end::left && ran.backedges != backedges_by_formula(loop.body, c, x, s.start, s.bound)
            ? 1
            : 0;
  });
  CHECK(wrong == 0);
  CHECK(formulas[0] > affordable(3000));
  CHECK(formulas[1] > formulas[0] / 2);
  CHECK(formulas[2] > formulas[0]); // a bound says whether the counter can jump over it
}

namespace {

/// A counter of 8 bits that is compared in 12, or one of 12 in 8.
struct converted_shape {
  std::uint64_t start;
  std::uint64_t bound; ///< in the bits in which it is compared
  std::uint64_t step;
  operation comparison;
  operation conversion;
  operation_flags flags;
  bool knows_start;
  bool knows_bound;
};

shaped_loop write(const converted_shape& s) {
  shaped_loop out;
  body_writer w;
  const unsigned from = s.conversion == operation::truncate ? 12 : 8;
  const unsigned to = 20 - from;
  const body_id i = w.phi(from);
  const body_id start = s.knows_start ? w.constant(from, s.start) : w.invariant(from);
  const body_id bound = s.knows_bound ? w.constant(to, s.bound) : w.invariant(to);
  const body_id step = w.constant(from, s.step);
  out.invariants = s.knows_start   ? std::vector<std::uint64_t>{}
                   : s.knows_bound ? std::vector{s.start}
                                   : std::vector{s.start, s.bound};
  if (s.knows_start && !s.knows_bound) {
    out.invariants = {s.bound};
  }
  w.block();
  const body_id next = w.binary(operation::add, i, step, s.flags);
  const body_id seen = w.convert(s.conversion, to, next);
  w.set_phi(i, start, next);
  out.body = w.finish_single(w.binary(s.comparison, seen, bound));
  return out;
}

} // namespace

TEST_CASE("count_iterations: extended and truncated counters") {
  midend::count_iterations_workspace workspace;
  loop_counters c;
  random_source random(5);
  std::uint64_t wrong = 0;
  std::array<std::size_t, 3> exact{};
  std::array<std::size_t, 3> formulas{};
  for (std::size_t n = 0; n != affordable(20'000); ++n) {
    converted_shape s{};
    const unsigned how = random.below(3);
    s.conversion = std::array{operation::sign_extend, operation::zero_extend, operation::truncate}[how];
    const unsigned from = how == 2 ? 12 : 8;
    s.start = random.next() & midend::low_ones(from);
    s.start = random.one_in(2) ? s.start & 7 : s.start;
    s.step = random.one_in(2) ? steps[random.below(6)] : 1 + random.below(midend::low_ones(from));
    const std::uint64_t any = random.next() & midend::low_ones(20 - from);
    s.bound = random.one_in(3) ? any : extended(s.conversion, any & 255, 8, 20 - from);
    s.comparison = comparisons[random.below(10)];
    s.flags = {random.one_in(2), random.one_in(2)};
    s.knows_start = !random.one_in(3);
    s.knows_bound = !random.one_in(3);
    const shaped_loop loop = write(s);
    count_iterations(loop.body, workspace, c);
    const body_run ran(loop.body, loop.invariants, 4200);
    exact[how] += c.is_exact() ? 1 : 0;
    wrong += c.exits[0].conversion == s.conversion && c.exits[0].is_counted ? 0 : 1;
    wrong += is_wrong_count(c, ran) || wrong_inductions(loop.body, c, ran) != 0 ? 1 : 0;
    if (c.exits[0].has_formula) {
      formulas[how] += 1;
      wrong += ran.status == body_run::end::endless ? 1 : 0;
      wrong += ran.status == body_run::end::left &&
                       ran.backedges != backedges_by_formula(loop.body, c, c.exits[0], s.start, s.bound)
                   ? 1
                   : 0;
    }
  }
  CHECK(wrong == 0);
  CHECK(*std::min_element(exact.begin(), exact.end()) > affordable(500));
  CHECK(*std::min_element(formulas.begin(), formulas.end()) > affordable(150));
}

TEST_CASE("count_iterations: a mask of low bits is a truncation") {
  midend::count_iterations_workspace workspace;
  loop_counters c;
  random_source random(9);
  std::uint64_t wrong = 0;
  std::size_t exact = 0;
  std::size_t formulas = 0;
  std::size_t bounded = 0;
  for (std::size_t n = 0; n != affordable(20'000); ++n) {
    const unsigned width = 12;
    const std::uint64_t mask = midend::low_ones(1 + random.below(12));
    const std::uint64_t start = random.next() & midend::low_ones(width);
    const std::uint64_t bound = random.next() & (random.one_in(4) ? midend::low_ones(width) : mask);
    const bool knows_start = random.one_in(2);
    shaped_loop out;
    body_writer w;
    const body_id i = w.phi(width);
    const body_id first = knows_start ? w.constant(width, start) : w.invariant(width);
    const body_id limit = w.constant(width, bound);
    const body_id step = w.constant(width, random.one_in(2) ? steps[random.below(6)] : 1 + random.below(4095));
    const body_id ones = w.constant(width, mask);
    w.block();
    const body_id next = w.binary(operation::add, i, step, {random.one_in(4), random.one_in(4)});
    const bool is_swapped = random.one_in(2);
    const body_id seen = w.binary(operation::bit_and, is_swapped ? ones : next, is_swapped ? next : ones);
    w.set_phi(i, first, next);
    const loop_body body = w.finish_single(w.binary(comparisons[random.below(10)], seen, limit));
    const std::vector<std::uint64_t> invariants = knows_start ? std::vector<std::uint64_t>{} : std::vector{start};
    count_iterations(body, workspace, c);
    const body_run ran(body, invariants, 4200);
    wrong += c.exits[0].is_counted ? 0 : 1;
    wrong += is_wrong_count(c, ran) || wrong_inductions(body, c, ran) != 0 ? 1 : 0;
    exact += c.is_exact() ? 1 : 0;
    bounded += c.trip.kind == trip_count_kind::at_most ? 1 : 0;
    if (c.exits[0].has_formula) {
      formulas += 1;
      wrong += c.is_computable() ? 0 : 1;
      wrong += ran.status == body_run::end::endless ? 1 : 0;
      wrong +=
          ran.status == body_run::end::left && ran.backedges != backedges_by_formula(body, c, c.exits[0], start, bound)
              ? 1
              : 0;
    }
  }
  CHECK(wrong == 0);
  CHECK(exact > affordable(2000));
  CHECK(formulas > affordable(1000));
  CHECK(bounded == formulas); // of so few bits every formula has a largest number
}

TEST_CASE("count_iterations: the largest number of a formula of 64 bits has no bound") {
  for (const bool is_down : {false, true}) {
    body_writer w;
    const body_id i = w.phi(64);
    const body_id start = w.invariant(64);
    const body_id bound = w.invariant(64);
    const body_id step = w.constant(64, is_down ? ~std::uint64_t{0} : 1);
    w.block();
    const body_id next = w.binary(operation::add, i, step, {true, false});
    w.set_phi(i, start, next);
    const operation goes_on = is_down ? operation::greater_equal : operation::less_equal; // one more than the distance
    const loop_counters c = count_iterations(w.finish_single(w.binary(goes_on, next, bound)));
    CHECK(c.exits[0].has_formula);
    CHECK(c.trip == trip_count{});
  }
}

TEST_CASE("count_iterations: exits that are taken as soon as one of two comparisons says so") {
  midend::count_iterations_workspace workspace;
  loop_counters c;
  random_source random(11);
  std::uint64_t wrong = 0;
  std::size_t exact = 0;
  std::size_t computable = 0;
  std::size_t most = 0;
  for (std::size_t n = 0; n != affordable(20'000); ++n) {
    body_writer w;
    std::vector<std::uint64_t> invariants;
    const auto number_or_invariant = [&](bool is_known, std::uint64_t number) {
      if (is_known) {
        return w.constant(8, number);
      }
      invariants.push_back(number);
      return w.invariant(8);
    };
    const bool knows = random.one_in(2);
    const body_id i = w.phi(8);
    const body_id j = w.phi(8);
    const body_id i_start = number_or_invariant(knows || random.one_in(3), random.below(256));
    const body_id i_bound = number_or_invariant(knows || random.one_in(3), random.below(256));
    const body_id j_start = number_or_invariant(knows, random.below(256));
    const body_id j_bound = number_or_invariant(knows || random.one_in(2), random.below(256));
    const body_id i_step = w.constant(8, random.one_in(2) ? 1 : random.below(256));
    const body_id j_step = w.constant(8, random.one_in(2) ? 255 : random.below(256));
    const body_id no = w.constant(1, 0);
    const body_id yes = w.constant(1, 1);
    w.block();
    const body_id next_i = w.binary(operation::add, i, i_step, {random.one_in(3), random.one_in(3)});
    const body_id next_j = w.binary(operation::add, j, j_step, {random.one_in(3), random.one_in(3)});
    w.set_phi(i, i_start, next_i);
    w.set_phi(j, j_start, next_j);
    const body_id a = w.binary(comparisons[random.below(10)], next_i, i_bound);
    const body_id b = w.binary(comparisons[random.below(10)], random.one_in(2) ? j : next_j, j_bound);
    const bool by_select = random.one_in(2);
    const bool stays_when_both = random.one_in(2);
    const body_id condition =
        stays_when_both ? (by_select ? w.op(operation::select, 1, {a, b, no}) : w.binary(operation::bit_and, a, b))
                        : (by_select ? w.op(operation::select, 1, {a, yes, b}) : w.binary(operation::bit_or, a, b));
    const loop_body body = w.finish_single(condition, stays_when_both);
    count_iterations(body, workspace, c);
    const body_run ran(body, invariants, 300);
    wrong += is_wrong_count(c, ran) ? 1 : 0;
    exact += c.is_exact() ? 1 : 0;
    computable += c.is_computable() && !c.is_exact() ? 1 : 0;
    most += c.trip.kind == trip_count_kind::at_most ? 1 : 0;
  }
  CHECK(wrong == 0);
  CHECK(exact > affordable(5000));
  CHECK(computable > affordable(1000));
  CHECK(most > affordable(2000));
}

namespace {

/// Bodies of up to four blocks in front of the bottom, with several counters, chains of additions that keep promises or
/// not, conditions on counters, on each other and on data, exits from anywhere, and joins.
class random_body {
public:
  explicit random_body(std::uint64_t seed) : random_(seed) {
    const unsigned phis = 1 + random_.below(3);
    for (unsigned p = 0; p != phis; ++p) {
      counters_.push_back(w_.phi(8));
    }
    for (unsigned n = 0; n != 4; ++n) {
      numbers_.push_back(w_.constant(8, random_.one_in(2) ? random_.below(6) : random_.below(256)));
      bounds_.push_back(numbers_.back());
    }
    for (const std::uint64_t mask : {1U, 3U, 7U}) {
      masks_.push_back(w_.constant(8, mask));
    }
    for (unsigned p = 0; p != phis; ++p) {
      initial_.push_back(random_.one_in(9) ? outside() : numbers_[random_.below(4)]);
    }
    bounds_.push_back(outside());
    latest_ = counters_;
    const unsigned shape = random_.below(3);
    shape == 0 ? chain() : shape == 1 ? diamond() : latches();
    for (unsigned p = 0; p != phis; ++p) {
      w_.set_phi(counters_[p], initial_[p], next_[p]);
    }
    body = w_.finish();
  }

  loop_body body;
  std::vector<std::uint64_t> invariants;

private:
  body_id outside() {
    invariants.push_back(random_.below(256));
    return w_.invariant(8);
  }

  /// Additions to the counters; in the header to most of them.
  void add_some() {
    const bool is_header = w_.body().blocks.size() == 1;
    for (std::size_t n = is_header ? latest_.size() : random_.below(3); n != 0; --n) {
      body_id& c = latest_[random_.below(latest_.size())];
      const operation_flags flags{random_.one_in(2), random_.one_in(4)};
      const body_id number = numbers_[random_.below(4)];
      c = random_.one_in(3)   ? w_.binary(operation::sub, c, number, flags)
          : random_.one_in(2) ? w_.binary(operation::add, number, c, flags)
                              : w_.binary(operation::add, c, number, flags);
    }
  }

  body_id condition() {
    if (random_.one_in(8)) {
      return w_.load(1);
    }
    const bool old = random_.one_in(3);
    const std::size_t at = random_.below(counters_.size());
    const body_id c = random_.one_in(6) ? low_bits_of(latest_[at]) : old ? counters_[at] : latest_[at];
    const body_id bound = random_.one_in(9) ? counters_[random_.below(counters_.size())]
                                            : bounds_[random_.one_in(9) ? 4 : random_.below(4)];
    const operation code = comparisons[random_.below(10)];
    const body_id tested = random_.one_in(2) ? w_.binary(code, c, bound) : w_.binary(code, bound, c);
    return random_.one_in(2) ? w_.unary(operation::bit_not, tested) : tested;
  }

  /// Of a sum or difference of what grows, or a product.
  body_id low_bits_of(body_id c) {
    const body_id other = random_.one_in(3)   ? latest_[random_.below(latest_.size())]
                          : random_.one_in(3) ? counters_[random_.below(counters_.size())]
                                              : bounds_[random_.below(5)];
    const operation code = random_.one_in(3) ? operation::add : random_.one_in(4) ? operation::mul : operation::sub;
    const body_id all = random_.one_in(2) ? w_.binary(code, other, c) : w_.binary(code, c, other);
    return w_.binary(operation::bit_and, all, masks_[random_.below(3)]);
  }

  /// The block branches: it leaves, or goes on to `target`.
  void leave_or(std::uint32_t target) {
    const body_id c = condition();
    random_.one_in(2) ? w_.branch(c, target, body_writer::leaves) : w_.branch(c, body_writer::leaves, target);
  }

  void chain() {
    const unsigned blocks = 1 + random_.below(3);
    for (unsigned b = 0; b != blocks; ++b) {
      w_.block();
      add_some();
      random_.one_in(4) && b + 1 != blocks ? w_.jump(b + 1) : leave_or(b + 1);
    }
    w_.block();
    next_ = latest_;
  }

  /// 0 branches to 1 and 2; 1 may leave; both lead to 3, the bottom, or to 3 and from there.
  void diamond() {
    w_.block();
    add_some();
    const body_id c = condition();
    w_.branch(c, 1, 2);
    const std::vector<body_id> top = latest_;
    w_.block();
    add_some();
    random_.one_in(2) ? w_.jump(3) : leave_or(3);
    const std::vector<body_id> left = latest_;
    latest_ = top;
    w_.block();
    add_some();
    w_.jump(3);
    w_.block();
    for (std::size_t p = 0; p != top.size(); ++p) {
      latest_[p] = left[p] == latest_[p] ? left[p] : w_.join({left[p], latest_[p]});
    }
    add_some();
    leave_or(4);
    w_.block();
    next_ = latest_;
  }

  /// Two latches, one of which may leave; the bottom joins.
  void latches() {
    w_.block();
    add_some();
    const body_id c = condition();
    const std::vector<body_id> top = latest_;
    w_.branch(c, 2, 1);
    w_.block();
    add_some();
    leave_or(2);
    w_.block();
    for (std::size_t p = 0; p != top.size(); ++p) {
      next_.push_back(top[p] == latest_[p] ? top[p] : w_.join({top[p], latest_[p]}));
    }
  }

  random_source random_;
  body_writer w_;
  std::vector<body_id> counters_;
  std::vector<body_id> latest_;
  std::vector<body_id> numbers_;
  std::vector<body_id> bounds_;
  std::vector<body_id> masks_;
  std::vector<body_id> initial_;
  std::vector<body_id> next_;
};

} // namespace

TEST_CASE("count_iterations: random bodies with several exits") {
  midend::count_iterations_workspace workspace;
  loop_counters c;
  std::array<std::size_t, 5> kinds{};
  int wrong = 0;
  std::size_t conditional = 0;
  for (std::uint64_t seed = 0; seed != affordable(20'000); ++seed) {
    const random_body made(seed);
    count_iterations(made.body, workspace, c);
    kinds[static_cast<std::size_t>(c.trip.kind)] += 1;
    for (unsigned often = 0; often != 3; ++often) {
      world_of_bits world(often);
      const body_run ran(made.body, made.invariants, 300, world);
      wrong += is_wrong_count(c, ran) ? 1 : 0;
      wrong += wrong_inductions(made.body, c, ran);
    }
    for (const loop_exit& x : c.exits) {
      conditional += x.is_counted && !x.is_always_tested ? 1 : 0;
      wrong += x.is_always_tested || x.count == trip_count{} ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
  CHECK(conditional > affordable(1000));
  CHECK(kinds[static_cast<std::size_t>(trip_count_kind::exact)] > affordable(1000));
  CHECK(kinds[static_cast<std::size_t>(trip_count_kind::at_most)] > affordable(1000));
  CHECK(kinds[static_cast<std::size_t>(trip_count_kind::endless)] > affordable(20));
  CHECK(kinds[static_cast<std::size_t>(trip_count_kind::wraps_first)] > affordable(100));
}

namespace {

/// Makes some constants of a body numbers from outside, and says of all numbers from outside between which they are.
class bounded_body {
public:
  bounded_body(std::uint64_t seed, const loop_body& from, std::span<const std::uint64_t> invariants)
      : body(from), random_(seed) {
    std::size_t at = 0;
    for (body_id v = 0; v != body.num_values(); ++v) {
      facts.bounds.push_back(midend::value_bounds::all(body.values[v].info.width));
      if (body.values[v].kind == midend::body_kind::constant && !random_.one_in(3)) {
        body.values[v].kind = midend::body_kind::invariant;
        bound(v, body.values[v].bits);
      } else if (body.values[v].kind == midend::body_kind::invariant) {
        bound(v, invariants[at++]);
      }
    }
  }

  /// Numbers that the facts allow.
  std::vector<std::uint64_t> any() {
    std::vector<std::uint64_t> out;
    for (const midend::value_bounds& b : allowed_) {
      out.push_back(b.low + random_.below(b.high - b.low + 1));
    }
    return out;
  }

  loop_body body;
  midend::loop_facts facts;

private:
  void bound(body_id v, std::uint64_t n) {
    const std::uint64_t low = random_.one_in(3) ? n : n - random_.below(std::min<std::uint64_t>(n + 1, 9));
    const std::uint64_t high = random_.one_in(3) ? n : n + random_.below(std::min<std::uint64_t>(256 - n, 9));
    midend::number_domain::element e = midend::number_domain().constant(8, low);
    for (std::uint64_t x = low; x <= high; ++x) {
      midend::number_domain().join(e, midend::number_domain().constant(8, x));
    }
    facts.bounds[v] = {e.range.as_unsigned.low, e.range.as_unsigned.high, e.range.as_signed.low,
                       e.range.as_signed.high};
    allowed_.push_back(facts.bounds[v]);
  }

  random_source random_;
  std::vector<midend::value_bounds> allowed_;
};

} // namespace

TEST_CASE("count_iterations: random bodies with bounds of what comes from outside") {
  midend::count_iterations_workspace workspace;
  loop_counters c;
  loop_counters before;
  std::array<std::size_t, 5> kinds{};
  std::size_t more = 0;
  int wrong = 0;
  for (std::uint64_t seed = 0; seed != affordable(20'000); ++seed) {
    const random_body made(seed);
    bounded_body bounded(seed, made.body, made.invariants);
    count_iterations(bounded.body, workspace, before);
    count_iterations(bounded.body, bounded.facts, workspace, c);
    more += before.trip.kind == trip_count_kind::unknown && c.trip.kind != trip_count_kind::unknown ? 1 : 0;
    kinds[static_cast<std::size_t>(c.trip.kind)] += 1;
    for (unsigned often = 0; often != 6; ++often) {
      world_of_bits world(often % 3);
      const body_run ran(bounded.body, bounded.any(), 300, world);
      wrong += is_wrong_count(c, ran) ? 1 : 0;
      wrong += wrong_inductions(bounded.body, c, ran);
    }
  }
  CHECK(wrong == 0);
  CHECK(more > affordable(400));
  CHECK(kinds[static_cast<std::size_t>(trip_count_kind::at_most)] > affordable(1000));
}

/// A value and a number, in 8 bits.
midend::linear_form sum(midend::value_id v, std::uint64_t number) {
  midend::linear_form out = midend::linear_form::zero(8);
  out.add(v, 1);
  out.add(number);
  return out;
}

TEST_CASE("count_iterations: start and bound that are sums of one base, all bases of 8 bits") {
  std::array<std::size_t, 5> kinds{};
  int wrong = 0;
  random_source random(5);
  for_each_shape(1, [&](shape s) {
    s.knows_start = s.knows_bound = false;
    s.bound = random.below(random.one_in(2) ? 256 : 24);
    shaped_loop made = write(s);
    midend::loop_facts facts;
    facts.forms.assign(made.body.num_values(), midend::linear_form::zero(0));
    facts.forms[1] = sum(7, s.start);
    facts.forms[2] = sum(7, s.bound);
    facts.terms.push_back({7, 8, midend::number_facts::any(8)});
    const loop_counters c = count_iterations(made.body, facts);
    kinds[static_cast<std::size_t>(c.trip.kind)] += 1;
    for (std::uint64_t base = 0; base < 256; base += c.trip.kind == trip_count_kind::unknown ? 64 : 1) {
      made.invariants = {add(base, s.start), add(base, s.bound)};
      wrong += is_wrong_count(c, body_run(made.body, made.invariants)) ? 1 : 0;
    }
  });
  CHECK(wrong == 0);
  CHECK(kinds[static_cast<std::size_t>(trip_count_kind::exact)] > 200);
  CHECK(kinds[static_cast<std::size_t>(trip_count_kind::at_most)] > 100);
  CHECK(kinds[static_cast<std::size_t>(trip_count_kind::endless)] > 20);
}

namespace {

/// The number of wrong claims that a count is known when the loop is entered, and of wrong upper bounds: for all starts
/// and bounds of 8 bits on a grid, the run must have the number of the formula with this step, or be one that the
/// program promises not to have.
int wrong_promises(shape s, const loop_counters& c, std::uint64_t step) {
  int wrong = 0;
  std::uint64_t most = 0;
  const bool is_computable = c.is_computable();
  const midend::counted_exit e{8, 0, step, 0, s.comparison, !s.goes_on, s.flags};
  const auto formula = midend::trip_formula_of(e);
  for (std::uint64_t start = 0; is_computable && start < 256; start += 15) { // 0 and 255 are starts
    for (std::uint64_t n = 0; n != 40; ++n) {
      const std::uint64_t bound = n < 36 ? 7 * n : n == 36 ? 254 : n == 37 ? 255 : n - 37; // 1 and 2, too
      s.start = start;
      s.bound = bound;
      const shaped_loop made = write(s);
      const body_run ran(made.body, made.invariants);
      wrong += ran.status == body_run::end::left && (!formula || formula->backedges(start, bound) != ran.backedges);
      most = ran.status == body_run::end::left ? std::max(most, ran.backedges) : most;
    }
  }
  const bool has_bound = c.trip.kind == trip_count_kind::at_most;
  return wrong + (has_bound && most > c.trip.backedges ? 1 : 0) + (is_computable && !has_bound ? 1 : 0);
}

} // namespace

TEST_CASE("count_iterations: the program promises that the loop ends, all loops of 8 bits") {
  int wrong = 0;
  int more = 0;
  for (const operation c : comparisons) {
    for (const std::uint64_t step : steps) {
      for (const bool goes_on : {false, true}) {
        shape s{0, 0, step, c, {}, 0, 0, false, goes_on, false, false};
        shaped_loop made = write(s);
        const bool before = count_iterations(made.body).is_computable();
        made.body.hints.must_end = true;
        const loop_counters counted = count_iterations(made.body);
        const bool after = counted.is_computable();
        wrong += before && !after ? 1 : 0;
        wrong += wrong_promises(s, counted, step);
        more += after && !before ? 1 : 0;
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(more > 30);
}

TEST_CASE("count_iterations: what keeps the promise that a loop ends from saying when") {
  const auto is_computable = [](unsigned kind) {
    body_writer w;
    const body_id i = w.phi(8);
    const body_id start = w.invariant(8);
    const body_id bound = w.invariant(8);
    const body_id one = w.constant(8, 1);
    w.block();
    if (kind == 1 || kind > 3) {
      midend::body_value& call = w.body().values[w.call(8, {})];
      call.returns = kind == 4 || kind == 5;
      call.writes_nothing = kind == 4 || kind == 6;
    }
    const body_id next = w.binary(operation::add, i, one);
    const body_id goes_on = w.binary(operation::uless_equal, i, bound);
    body_id condition = goes_on;
    if (kind == 2) { // leaves by one of two comparisons
      condition = w.binary(operation::bit_and, goes_on, w.binary(operation::uless, i, bound));
    }
    if (kind == 3) { // and by another exit
      w.branch(w.load(1), 1, body_writer::leaves);
      w.block();
    }
    w.set_phi(i, start, next);
    loop_body body = w.finish_single(condition);
    body.hints.must_end = true;
    return count_iterations(body).is_computable();
  };
  CHECK(is_computable(0));
  CHECK(!is_computable(1));
  CHECK(!is_computable(2));
  CHECK(!is_computable(3));
  CHECK(is_computable(4));  // a call without effects that returns
  CHECK(!is_computable(5)); // a loop without end has effects then
  CHECK(!is_computable(6)); // may end the program
}

TEST_CASE("count_iterations: an even step up to equality, and another way to end the loop") {
  // for (i = start; i != bound; i += step, j++) if (j == 3) break;
  // None, an exit, a condition, a call, one that returns, a volatile store.
  for (const unsigned way : {0U, 1U, 2U, 3U, 4U, 5U}) {
    for (const std::uint64_t step : {1U, 2U, 3U, 252U}) {
      body_writer w;
      const body_id i = w.phi(8);
      const body_id j = w.phi(8);
      const body_id start = w.invariant(8);
      const body_id bound = w.invariant(8);
      const body_id by = w.constant(8, step);
      const body_id zero = w.constant(8, 0);
      const body_id one = w.constant(8, 1);
      const body_id three = w.constant(8, 3);
      w.block();
      const body_id goes_on = w.binary(operation::not_equal, i, bound);
      const body_id is_early = w.binary(operation::not_equal, j, three);
      if (way == 5) {
        w.body().values[w.store({})].is_volatile = true;
      } else if (way >= 3) {
        w.body().values[w.call(8, {})].returns = way == 4;
      }
      w.set_phi(i, start, w.binary(operation::add, i, by, {true, false}));
      w.set_phi(j, zero, w.binary(operation::add, j, one));
      const body_id condition = way == 2 ? w.binary(operation::bit_and, goes_on, is_early) : goes_on;
      if (way == 1) {
        w.branch(goes_on, 1, body_writer::leaves);
        w.block();
        w.branch(is_early, 2, body_writer::leaves);
        w.block();
      }
      const loop_body body = way == 1 ? w.finish() : w.finish_single(condition);
      const loop_counters c = count_iterations(body);
      CHECK(c.is_computable() == (way == 0 || way == 4 || step % 2 != 0));
      if (way == 1 || way == 2) { // the counter steps over the bound, and the other exit is taken
        CHECK(body_run(body, std::array<std::uint64_t, 2>{16, 16 + 3 * step}).backedges == 3);
        CHECK(body_run(body, std::array<std::uint64_t, 2>{16, 17 + step}).backedges == (step == 1 ? 2 : 3));
      }
    }
  }
}

TEST_CASE("count_iterations: steps up to equality that keep a promise, for starts and bounds between numbers") {
  random_source random(23);
  int wrong = 0;
  int less = 0; // than all the way around
  int computable = 0;
  for (unsigned n = 0; n != affordable(3'000); ++n) {
    const std::uint64_t step = std::array<std::uint64_t, 8>{1, 2, 4, 6, 8, 252, 248, 250}[random.below(8)];
    shape s{0, 0, step, operation::not_equal, {random.one_in(2), random.one_in(2)}, random.below(5), 0, false, true};
    s.knows_start = s.knows_bound = false;
    shaped_loop made = write(s);
    midend::loop_facts facts;
    for (body_id v = 0; v != made.body.num_values(); ++v) {
      facts.bounds.push_back(midend::value_bounds::all(made.body.values[v].info.width));
    }
    std::array<std::uint64_t, 2> low{};
    std::array<std::uint64_t, 2> high{};
    for (std::size_t at = 0; at != 2; ++at) {
      low[at] = random.below(128) + (at == 0) * random.below(100);
      high[at] = low[at] + random.below(9);
      const auto signed_low = midend::as_signed(low[at], 8);
      const auto signed_high = midend::as_signed(high[at], 8);
      facts.bounds[1 + at] = signed_low <= signed_high
                                 ? midend::value_bounds{low[at], high[at], signed_low, signed_high}
                                 : midend::value_bounds{low[at], high[at], -128, 127};
    }
    const loop_counters c = count_iterations(made.body, facts);
    computable += c.is_computable() && step % 2 == 0 ? 1 : 0;
    less += c.trip.kind == trip_count_kind::at_most && step % 2 == 0 && c.trip.backedges < 31 ? 1 : 0;
    for (std::uint64_t start = low[0]; start <= high[0]; ++start) {
      for (std::uint64_t bound = low[1]; bound <= high[1]; ++bound) {
        const body_run ran(made.body, std::array<std::uint64_t, 2>{start, bound});
        const bool is_known = ran.status != body_run::end::left || !c.is_computable() || !c.exits[0].has_formula ||
                              backedges_by_formula(made.body, c, c.exits[0], start, bound) == ran.backedges;
        wrong += is_wrong_count(c, ran) || !is_known ? 1 : 0;
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(less > static_cast<int>(affordable(100)));
  CHECK(computable > static_cast<int>(affordable(500)));
}

TEST_CASE("count_iterations: the low bits of a bound minus a counter that is cut, all starts and bounds of 8 bits") {
  // do i += step; while (((bound - (i8)i) & mask) != end);
  const auto counted = [](std::uint64_t step, std::uint64_t mask, std::uint64_t end, operation goes_on, bool swapped) {
    body_writer w;
    const body_id i = w.phi(16);
    const body_id start = w.invariant(16);
    const body_id bound = w.invariant(8);
    const body_id by = w.constant(16, step);
    const body_id low = w.constant(8, mask);
    const body_id last = w.constant(8, end);
    w.block();
    const body_id next = w.binary(operation::add, i, by, {true, false});
    const body_id cut = w.convert(operation::truncate, 8, next);
    const body_id left = w.binary(operation::bit_and, w.binary(operation::sub, bound, cut), low);
    w.set_phi(i, start, next);
    const loop_body body =
        w.finish_single(swapped ? w.binary(goes_on, last, left) : w.binary(goes_on, left, last), true);
    const loop_counters c = count_iterations(body);
    std::uint64_t most = 0;
    int wrong = 0;
    for (std::uint64_t from = 0; from < 256; from += tests_are_shortened ? 5 : 1) {
      for (std::uint64_t to = 0; to < 256; to += tests_are_shortened ? 3 : 1) {
        const body_run ran(body, std::array<std::uint64_t, 2>{from, to});
        wrong += is_wrong_count(c, ran) ? 1 : 0;
        most = std::max(most, ran.backedges);
      }
    }
    CHECK(wrong == 0);
    const bool is_sharp = c.trip.kind == trip_count_kind::at_most && c.trip.backedges == most;
    CHECK(c.is_computable() == is_sharp);
    return is_sharp;
  };
  for (const bool swapped : {false, true}) {
    CHECK(counted(1, 7, 0, operation::not_equal, swapped));
    CHECK(counted(3, 7, 5, operation::not_equal, swapped));
    CHECK(counted(255, 3, 1, operation::not_equal, swapped));
    CHECK(!counted(2, 7, 0, operation::not_equal, swapped)); // may never be
    CHECK(!counted(1, 7, 8, operation::not_equal, swapped)); // is never
    CHECK(!counted(1, 6, 0, operation::not_equal, swapped)); // no low bits
  }
  CHECK(counted(255, 7, 6, operation::uless, false));
  CHECK(counted(255, 7, 6, operation::less, false));
}

TEST_CASE("count_iterations: a pointer that goes down in bounds, by records of 16 bytes, up to equality") {
  // do { p -= 16; if (*p) use(); } while (p != end);
  const auto counted = [](operation_flags flags, bool returns, std::uint64_t more) {
    body_writer w;
    const body_id p = w.phi(64);
    const body_id start = w.invariant(64);
    const body_id end = w.invariant(64);
    const body_id size = w.constant(64, 16);
    const body_id ahead = w.constant(64, more);
    w.block();
    const body_id next = w.binary(operation::sub, p, size, flags);
    w.branch(w.load(1), 1, 2);
    w.block();
    w.body().values[w.call(8, {})].returns = returns;
    w.jump(2);
    w.block();
    w.set_phi(p, start, next);
    const body_id tested = more == 0 ? next : w.binary(operation::add, next, ahead);
    w.branch(w.binary(operation::not_equal, tested, end), 3, body_writer::leaves);
    w.block();
    return count_iterations(w.finish());
  };
  const loop_counters c = counted({false, true}, true, 0);
  REQUIRE(c.is_computable());
  CHECK(c.exits[0].formula.backedges(160 - 16, 32) == 7);
  CHECK(!counted({false, false}, true, 0).is_computable());
  CHECK(!counted({false, true}, false, 0).is_computable()); // the call may end the program before
  CHECK(!counted({false, true}, true, 8).is_computable());  // what is compared may wrap
}

TEST_CASE("count_iterations: start and bound of one base and a multiple, all bases and multiples of 8 bits") {
  constexpr unsigned not_run = 1000;
  constexpr unsigned does_not_leave = 1001;
  int wrong = 0;
  int more = 0;
  for (const std::uint64_t step : steps) {
    shape s{0, 0, step, operation::not_equal, {}, 0, 0, false, true, false, false};
    shaped_loop made = write(s);
    // Several of the facts below allow the same start and bound, which are run once.
    std::vector<std::uint64_t> runs(256 * 256, not_run);
    const auto backedges = [&](std::uint64_t start, std::uint64_t bound) {
      std::uint64_t& out = runs[start * 256 + bound];
      if (out == not_run) {
        made.invariants = {start, bound};
        const body_run ran(made.body, made.invariants);
        out = ran.status == body_run::end::left ? ran.backedges : does_not_leave;
      }
      return out;
    };
    for (unsigned bits = 1; bits != 8; ++bits) {
      for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{4}, std::uint64_t{6}}) {
        midend::loop_facts facts;
        facts.forms.assign(made.body.num_values(), midend::linear_form::zero(0));
        facts.forms[1] = sum(7, number);
        facts.forms[1].add(8, std::uint64_t{1} << bits);
        facts.forms[2] = sum(7, 0);
        facts.terms.push_back({7, 8, midend::number_facts::any(8)});
        facts.terms.push_back({8, 8, midend::number_facts::any(8)});
        const loop_counters c = count_iterations(made.body, facts);
        more += c.is_computable() && !count_iterations(made.body).is_computable() ? 1 : 0;
        for (std::uint64_t base = 0; base < 256 && c.is_computable(); base += tests_are_shortened ? 21 : 3) {
          for (std::uint64_t multiple = 0; multiple < 256; multiple += std::uint64_t{1} << bits) {
            const std::uint64_t start = add(add(base, number), multiple);
            wrong += backedges(start, base) != c.exits[0].formula.backedges(start, base);
          }
        }
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(more > 40);
}

namespace {

/// Whether a comparison holds for numbers without end.
bool holds_exactly(operation c, std::int64_t a, std::int64_t b) {
  const bool is_strict =
      c == operation::less || c == operation::uless || c == operation::greater || c == operation::ugreater;
  const bool is_less =
      c == operation::less || c == operation::uless || c == operation::less_equal || c == operation::uless_equal;
  return a == b ? !is_strict : is_less == (a < b);
}

/// A counter of 8 bits as a number without end, as `comparison` reads it.
struct endless_counter {
  endless_counter(operation comparison, std::uint64_t start, std::uint64_t step, bool is_subtracted) {
    const bool is_signed = midend::detail::is_signed_order(comparison);
    number = is_signed ? midend::as_signed(start, 8) : static_cast<std::int64_t>(start);
    by = is_signed ? midend::as_signed(step, 8) : static_cast<std::int64_t>(step);
    by = is_subtracted ? -by : by;
  }

  std::int64_t number;
  std::int64_t by;
};

} // namespace

TEST_CASE("count_iterations: two counters that keep their promises meet, all pairs of steps and starts of 8 bits") {
  int wrong = 0;
  std::array<int, 4> computable{};
  int met = 0;
  for (const operation comparison : comparisons) {
    for (const std::uint64_t step : steps) {
      for (const std::uint64_t other_step : steps) {
        // Signed and unsigned, of the one and the other; which of them is subtracted.
        for (const unsigned flags : {0u, 1u, 2u, 4u, 5u, 10u, 15u, 21u, 24u, 26u, 31u, 34u, 37u, 42u, 47u, 53u, 58u}) {
          const unsigned subtracted = flags >> 4;
          const operation code = (subtracted & 1) != 0 ? operation::sub : operation::add;
          const operation other_code = (subtracted & 2) != 0 ? operation::sub : operation::add;
          body_writer w;
          const body_id i = w.phi(8);
          const body_id j = w.phi(8);
          const body_id first = w.invariant(8);
          const body_id second = w.invariant(8);
          const body_id by = w.constant(8, step);
          const body_id other_by = w.constant(8, other_step);
          w.block();
          w.set_phi(i, first, w.binary(code, i, by, {(flags & 1) != 0, (flags & 2) != 0}));
          w.set_phi(j, second, w.binary(other_code, j, other_by, {(flags & 4) != 0, (flags & 8) != 0}));
          const loop_body body = w.finish_single(w.binary(comparison, i, j));
          const loop_counters c = count_iterations(body);
          computable[subtracted] += c.is_computable() ? 1 : 0;
          for (std::uint64_t a = 0; a < 256 && c.is_computable(); a += 23) {
            for (std::uint64_t b = 0; b < 256; b += 19) {
              const std::uint64_t invariants[] = {a, b};
              const body_run ran(body, invariants);
              wrong += ran.status == body_run::end::endless ? 1 : 0;
              endless_counter one(comparison, a, step, (subtracted & 1) != 0);
              endless_counter other(comparison, b, other_step, (subtracted & 2) != 0);
              std::uint64_t expected = 0;
              while (expected != 300 && holds_exactly(comparison, one.number, other.number)) {
                one.number += one.by;
                other.number += other.by;
                ++expected;
              }
              wrong += ran.status == body_run::end::left && ran.backedges != expected ? 1 : 0;
              met += ran.status == body_run::end::left && ran.backedges != 0 ? 1 : 0;
            }
          }
        }
      }
    }
  }
  CHECK(wrong == 0);
  for (const int n : computable) {
    CHECK(n > 300);
  }
  CHECK(met > 1000);
}

TEST_CASE("count_iterations: counters that are subtracted, shifted or added to an invariant") {
  int wrong = 0;
  std::array<int, 5> kinds{};
  int computable = 0;
  for (const operation comparison : comparisons) {
    for (const std::uint64_t step : steps) {
      for (unsigned how = 0; how != 5; ++how) {
        for (const std::uint64_t bound :
             {std::uint64_t{0}, std::uint64_t{16}, std::uint64_t{130}, std::uint64_t{250}}) {
          body_writer w;
          const body_id i = w.phi(8);
          const body_id start = w.invariant(8);
          const body_id n = w.invariant(8);
          const body_id limit = w.constant(8, bound);
          const body_id by = w.constant(8, step);
          const body_id two = w.constant(8, 2);
          w.block();
          const body_id next = w.binary(operation::add, i, by);
          const body_id tested = how == 0   ? w.binary(operation::sub, n, i)
                                 : how == 1 ? w.binary(operation::sub, i, n)
                                 : how == 2 ? w.binary(operation::add, i, n)
                                 : how == 3 ? w.binary(operation::shl, i, two)
                                            : w.binary(operation::mul, i, by);
          w.set_phi(i, start, next);
          const loop_body body = w.finish_single(w.binary(comparison, tested, limit));
          const loop_counters c = count_iterations(body);
          kinds[static_cast<std::size_t>(c.trip.kind)] += 1;
          computable += c.is_computable() ? 1 : 0;
          for (std::uint64_t s = 0; s < 256; s += 23) {
            for (std::uint64_t m = 0; m < 256; m += 51) {
              const std::uint64_t invariants[] = {s, m};
              const body_run ran(body, invariants);
              wrong += is_wrong_count(c, ran) ? 1 : 0;
              wrong += c.is_computable() && ran.status == body_run::end::endless ? 1 : 0;
            }
          }
        }
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(kinds[static_cast<std::size_t>(trip_count_kind::at_most)] > 500);
  CHECK(computable > 500);
}

namespace {

/// Whether each path from block `from` to the bottom has `through` on it.
bool every_path_passes(const loop_body& body, std::uint32_t from, std::uint32_t through) {
  if (from == through || from == body.bottom()) {
    return from == through;
  }
  bool all = true;
  for (std::uint32_t e = body.blocks[from].first_edge; e != body.blocks[from].last_edge; ++e) {
    const std::uint32_t target = body.edges[e].target;
    all = all && (target == body_writer::leaves || every_path_passes(body, target, through));
  }
  return all;
}

bool is_reached(const loop_body& body, std::uint32_t block) {
  bool found = block == 0;
  for (const std::uint32_t e : body.in_edges_of(block)) {
    found = found || is_reached(body, body.edges[e].source);
  }
  return found;
}

} // namespace

TEST_CASE("count_iterations: an exit is always tested if every path to the bottom passes it") {
  random_source random(3);
  int always = 0;
  int now_and_then = 0;
  for (int n = 0; n != 3000; ++n) {
    body_writer w;
    const body_id i = w.phi(8);
    const body_id zero = w.constant(8, 0);
    const unsigned blocks = 2 + random.below(6);
    const unsigned calling = random.below(blocks);
    for (unsigned b = 0; b != blocks; ++b) {
      w.block();
      if (b == calling) {
        w.call(32, {});
      }
      const body_id c = w.binary(operation::equal, i, zero);
      const std::uint32_t next = b + 1 + random.below(blocks - b);
      const std::uint32_t other = b + 1 + random.below(blocks - b);
      if (random.one_in(12) && b != 0) {
        w.jump(body_writer::leaves); // no way to the bottom
      } else if (random.one_in(4)) {
        w.jump(next);
      } else {
        w.branch(c, next, random.one_in(2) ? body_writer::leaves : other);
      }
    }
    w.block();
    w.set_phi(i, zero, zero);
    const loop_body body = w.finish();
    if (!is_reached(body, body.bottom())) {
      continue; // no loop
    }
    const loop_counters c = count_iterations(body);
    for (const loop_exit& x : c.exits) {
      const std::uint32_t source = body.edges[x.edge].source;
      if (is_reached(body, source)) { // else it is nobody's business
        REQUIRE(x.is_always_tested == every_path_passes(body, 0, source));
        (x.is_always_tested ? always : now_and_then) += 1;
      }
      REQUIRE(x.is_at_bottom == (source >= calling));
    }
  }
  CHECK(always > 300);
  CHECK(now_and_then > 300);
}

namespace {

namespace elbrus = midend::elbrus;

/// A loop of the Elbrus-like IR with two exits, either of which may be absent, at the top and at the bottom.
struct elbrus_shape {
  std::int64_t start;
  std::int64_t bound;
  std::int64_t step;
  std::int64_t second_bound;
  unsigned comparison;
  unsigned second;
  bool nsw;
  bool tests_top;
  bool tests_bottom;
  bool negates;
  bool widens;
};

constexpr elbrus::opcode elbrus_comparisons[] = {
    elbrus::opcode::cmp_eq,  elbrus::opcode::cmp_ne, elbrus::opcode::cmp_lt,  elbrus::opcode::cmp_le,
    elbrus::opcode::cmp_gt,  elbrus::opcode::cmp_ge, elbrus::opcode::cmp_ult, elbrus::opcode::cmp_ule,
    elbrus::opcode::cmp_ugt, elbrus::opcode::cmp_uge};

elbrus::procedure write(const elbrus_shape& s) {
  elbrus::procedure p;
  p.set_name("loop");
  elbrus::builder b(p);
  const auto entry = b.node("entry");
  const auto header = b.node("header");
  const auto latch = b.node("latch");
  const auto exit = b.node("exit");
  b.at(entry);
  const auto in = b.jump(header);
  b.at(header);
  const auto i = b.phi(elbrus::type::i8, "i");
  const auto next = s.step == -1 ? b.sub(elbrus::type::i8, i, b.i8(1), {.name = "next", .nsw = s.nsw})
                                 : b.add(elbrus::type::i8, i, b.i8(s.step), {.name = "next", .nsw = s.nsw});
  b.input(i, in, b.i8(s.start));
  if (s.tests_top) {
    const auto wide = s.widens ? b.convert(elbrus::opcode::sext, elbrus::type::i32, i, {.name = "wide"}) : i;
    const auto c = b.compare(elbrus_comparisons[s.comparison], s.widens ? elbrus::type::i32 : elbrus::type::i8, wide,
                             s.widens ? b.i32(s.bound) : b.i8(s.bound), {.name = "c"});
    b.branch(c, s.negates ? exit : latch, s.negates ? latch : exit);
  } else {
    b.jump(latch);
  }
  b.at(latch);
  midend::edge_id back = 0;
  if (s.tests_bottom) {
    const auto d = b.compare(elbrus_comparisons[s.second], elbrus::type::i8, b.i8(s.second_bound), next, {.name = "d"});
    back = b.branch(d, header, exit).when_true;
  } else {
    back = b.jump(header);
  }
  b.input(i, back, next);
  b.at(exit);
  b.ret();
  return p;
}

} // namespace

TEST_CASE("count_iterations: against the interpreter of the Elbrus-like IR") {
  random_source random(17);
  midend::count_iterations_workspace workspace;
  loop_counters c;
  std::array<int, 5> kinds{};
  int wrong = 0;
  for (int n = 0; n != 6000; ++n) {
    elbrus_shape s{};
    const auto number = [&] { return static_cast<std::int64_t>(random.below(random.one_in(2) ? 256 : 12)) - 8; };
    s.start = number();
    s.bound = number();
    s.second_bound = number();
    s.step = std::array<std::int64_t, 8>{1, -1, 2, -2, 3, -3, 7, 64}[random.below(8)];
    s.comparison = random.below(10);
    s.second = random.below(10);
    s.nsw = random.one_in(2);
    s.tests_top = !random.one_in(4);
    s.tests_bottom = !s.tests_top || random.one_in(3);
    s.negates = random.one_in(2);
    s.widens = random.one_in(4);
    elbrus::program program;
    program.procedures.push_back(write(s));
    const elbrus::procedure& p = program.procedures.back();
    if (n < 100) {
      const auto faults = elbrus::verify(p);
      REQUIRE_MESSAGE(faults.empty(), faults[0].message);
    }
    const elbrus::cost_view ir(p);
    const auto& graph = ir.graph();
    const auto forest = midend::natural_loops(graph, midend::dominators(graph));
    midend::describe_loop_workspace description;
    loop_body body;
    REQUIRE(forest.num_loops() == 1);
    REQUIRE(midend::describe_loop(ir, forest, 0, description, body) == midend::loop_obstacle::none);
    count_iterations(body, workspace, c);
    kinds[static_cast<std::size_t>(c.trip.kind)] += 1;
    elbrus::interpreter interpreter(program);
    const auto ran = interpreter.run(0, {}, {}, {.step_limit = 3000, .record_events = false});
    const bool is_endless = ran.trap && ran.trap->kind == elbrus::trap_kind::step_limit;
    const bool left = !ran.trap;
    const std::uint64_t executions = left ? elbrus::node_count(p, ran.profile[0], 1) : 0;
    switch (c.trip.kind) {
    case trip_count_kind::exact:
      wrong += is_endless || (left && executions != *c.trip.header_executions()) ? 1 : 0;
      break;
    case trip_count_kind::endless:
    case trip_count_kind::wraps_first:
      wrong += left ? 1 : 0;
      break;
    default: // no data decide, and a widened bound that is no number of 8 bits is not counted
      wrong += s.widens && s.tests_top ? 0 : 1;
      wrong += c.trip.kind == trip_count_kind::at_most && left && executions > *c.trip.header_executions() ? 1 : 0;
      break;
    }
  }
  CHECK(wrong == 0);
  CHECK(kinds[static_cast<std::size_t>(trip_count_kind::exact)] > 2000);
  CHECK(kinds[static_cast<std::size_t>(trip_count_kind::wraps_first)] > 100);
  CHECK(kinds[static_cast<std::size_t>(trip_count_kind::endless)] > 100);
}

namespace {

/// Executes what a loop becomes at run time: passes of `factor` copies, as often as `n` allows, and the rest one by
/// one, all in 8 bits. True if the copies see first, first + step, … `n` times, and the counter is what it was to be.
bool runs_as_before(std::uint64_t first, std::uint64_t step, std::uint64_t n, std::uint64_t factor) {
  std::uint64_t i = first;
  std::uint64_t expected = first;
  std::uint64_t iterations = 0;
  bool same = true;
  const auto iteration = [&](std::uint64_t seen) {
    same = same && seen == expected;
    expected = add(expected, step);
    ++iterations;
  };
  if (n >= factor) {
    std::uint64_t left = n - n % factor;
    do {
      for (std::uint64_t copy = 0; copy != factor; ++copy) {
        iteration(add(i, copy * step));
      }
      i = add(i, factor * step);
      left = add(left, 0 - factor);
    } while (left != 0);
  }
  for (std::uint64_t left = n % factor; left != 0; --left) {
    iteration(i);
    i = add(i, step);
  }
  return same && iterations == n && i == expected;
}

loop_counters counters_with_formula(const shape& s) {
  const loop_counters c = count_iterations(write(s).body);
  REQUIRE(c.counted_exit == 0);
  REQUIRE(c.exits[0].has_formula);
  return c;
}

} // namespace

TEST_CASE("count_iterations: worked example 5, unknown length, all pairs of 8 bits") {
  shape s{0, 0, 1, operation::less, {}, 0, 0, false, true, false, false};
  const loop_counters at_top = counters_with_formula(s); // while (i < len) { …; i++; }
  s.tested = 1;
  const loop_counters at_bottom = counters_with_formula(s); // if (i < len) do { …; i++; } while (i < len);
  const loop_exit& top = at_top.exits[0];
  const loop_exit& bottom = at_bottom.exits[0];
  std::uint64_t wrong = 0;
  for (std::uint64_t start = 0; start != 256; ++start) {
    for (std::uint64_t len = 0; len != 256; ++len) {
      std::uint64_t iterations = 0; // as it is written
      for (std::uint64_t i = start; midend::as_signed(i, 8) < midend::as_signed(len, 8); i = add(i, 1)) {
        ++iterations;
      }
      const std::uint64_t n = top.formula.backedges(start, len);
      const bool enters = midend::as_signed(start, 8) < midend::as_signed(len, 8);
      const std::uint64_t executions = enters ? bottom.formula.backedges(add(start, bottom.addend), len) + 1 : 0;
      wrong += n == iterations && executions == iterations ? 0 : 1;
      for (const std::uint64_t factor : {2U, 3U, 4U, 5U, 8U, 16U, 200U}) {
        wrong += runs_as_before(start, 1, n, factor) ? 0 : 1;
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("count_iterations: loops of unknown start and length that go down, or by more than one") {
  const shape shapes[] = {
      {0, 0, 255, operation::greater, {}, 0, 0, false, true, false, false},
      {0, 0, 3, operation::not_equal, {}, 0, 0, false, true, false, false},
      {0, 0, 3, operation::less, {true, false}, 0, 0, true, true, false, false},
      {0, 0, 5, operation::uless, {false, true}, 0, 3, false, false, false, false},
      {0, 0, 4, operation::not_equal, {false, true}, 0, 0, false, true, false, false}, // iterators
      {0, 0, 250, operation::equal, {true, false}, 0, 0, true, false, false, false},
      {0, 0, 251, operation::greater_equal, {true, false}, 0, 0, true, true, false, false},
  };
  for (const shape& s : shapes) {
    const loop_counters c = counters_with_formula(s);
    const loop_exit& x = c.exits[0];
    const operation goes_on = midend::negated(x.exits_when ? x.comparison : midend::negated(x.comparison));
    std::uint64_t wrong = 0;
    std::uint64_t checked = 0;
    for (std::uint64_t start = 0; start != 256; ++start) {
      for (std::uint64_t bound = 0; bound != 256; ++bound) {
        std::uint64_t i = start;
        std::uint64_t iterations = 0;
        bool keeps_promise = true;
        while (keeps_promise && midend::detail::comparison_holds(goes_on, i, bound, 8)) {
          const auto next = midend::detail::wrapping_add(i, s.step, 8);
          keeps_promise =
              !(s.flags.no_signed_wrap && next.signed_wrap) && !(s.flags.no_unsigned_wrap && next.unsigned_wrap);
          i = add(i, s.step);
          ++iterations;
        }
        if (keeps_promise) {
          ++checked;
          const std::uint64_t n = x.formula.backedges(start, bound);
          wrong +=
              n == iterations && runs_as_before(start, s.step, n, 4) && runs_as_before(start, s.step, n, 7) ? 0 : 1;
        }
      }
    }
    CHECK(wrong == 0);
    CHECK(checked > 5000);
  }
}

TEST_CASE("count_iterations: two exits, and hints") {
  using enum trip_count_kind;
  const auto counted = [](std::uint64_t first_bound, bool by_data, midend::loop_hints hints) {
    body_writer w;
    const body_id i = w.phi(32);
    const body_id zero = w.constant(32, 0);
    const body_id one = w.constant(32, 1);
    const body_id first = w.constant(32, first_bound);
    const body_id second = w.constant(32, 1024);
    w.block();
    const body_id c = by_data ? w.load(1) : w.binary(operation::equal, i, first);
    w.call(32, {});
    w.branch(c, body_writer::leaves, 1);
    w.block();
    const body_id next = w.binary(operation::add, i, one, {true, false});
    w.branch(w.binary(operation::less, next, second), 2, body_writer::leaves);
    w.block();
    w.set_phi(i, zero, next);
    loop_body body = w.finish();
    body.hints = hints;
    return count_iterations(body);
  };
  const loop_counters both = counted(100, false, {});
  CHECK(both.trip == trip_count{exact, 100, 101});
  CHECK(both.counted_exit == 0);
  CHECK(both.trip_multiple == 101);
  CHECK(both.exits[1].count == trip_count{exact, 1023, 1024});
  CHECK(both.exits[0].is_at_bottom);
  const loop_counters last = counted(5000, false, {});
  CHECK(last.trip == trip_count{exact, 1023, 1024});
  CHECK(last.counted_exit == 1);
  const loop_counters data = counted(0, true, {});
  CHECK(data.trip == trip_count{at_most, 1023, 1});
  CHECK(data.counted_exit == 1);
  CHECK_FALSE(data.exits[0].is_counted);
  CHECK(data.exits[0].is_always_tested);
  CHECK(counted(0, true, {3, 64, 4}).trip == trip_count{at_most, 63, 4});
  CHECK(counted(0, true, {3, 64, 4}).trip_multiple == 4);
  CHECK(counted(0, true, {3, 4096, 0}).trip == trip_count{at_most, 1023, 1});
  CHECK(counted(5000, false, {3, 64, 3}).trip == trip_count{exact, 1023, 1024}); // the program is wrong about itself
}

TEST_CASE("count_iterations: an exit that data decide") {
  body_writer w;
  w.block();
  const body_id c = w.load(1);
  loop_body body = w.finish_single(c);
  CHECK(count_iterations(body).trip == trip_count{});
  CHECK(count_iterations(body).counted_exit == midend::no_body_value);
  body.hints.maximum = 1;
  CHECK(count_iterations(body).trip == trip_count{trip_count_kind::at_most, 0, 1});
  body.hints = {0, 0, 4};
  CHECK(count_iterations(body).trip == trip_count{trip_count_kind::unknown, 0, 4});
}

TEST_CASE("count_iterations: loops without an exit, and conditions that are numbers") {
  using enum trip_count_kind;
  body_writer endless_loop;
  endless_loop.block();
  endless_loop.jump(1);
  endless_loop.block();
  CHECK(count_iterations(endless_loop.finish()).trip.kind == endless);
  for (const std::uint64_t goes_on : {0U, 1U}) {
    body_writer w;
    const body_id a = w.constant(8, 7);
    const body_id b = w.constant(8, 6 + goes_on);
    w.block();
    const loop_counters c = count_iterations(w.finish_single(w.binary(operation::equal, a, b)));
    CHECK(c.trip.kind == (goes_on == 1 ? endless : exact));
    CHECK(c.trip.backedges == 0);
    CHECK(c.counted_exit == (goes_on == 1 ? midend::no_body_value : 0));
  }
}

TEST_CASE("count_iterations: an exit that is certainly taken, in a block that is not always executed") {
  body_writer w;
  const body_id one = w.constant(1, 1);
  w.block();
  w.branch(w.load(1), 1, 2);
  w.block();
  w.branch(one, body_writer::leaves, 2);
  w.block();
  const loop_counters c = count_iterations(w.finish());
  REQUIRE(c.exits.size() == 1);
  CHECK(c.exits[0].count == trip_count{});
  CHECK(c.trip == trip_count{});
}

TEST_CASE("count_iterations: flags of the first iteration, all loops of two phis of one bit and of three") {
  midend::count_iterations_workspace workspace;
  loop_counters c;
  std::array<int, 5> kinds{};
  int wrong = 0;
  random_source random(29);
  for (int n = 0; n != 8000; ++n) {
    body_writer w;
    const unsigned width = random.one_in(2) ? 1 : 3;
    const body_id a = w.phi(width);
    const body_id b = w.phi(width);
    const body_id numbers[] = {w.constant(width, 0), w.constant(width, 1), w.constant(width, random.below(8))};
    w.block();
    const auto value = [&] { // a number, a phi, or one of them negated or with something added
      const body_id v = random.one_in(3) ? numbers[random.below(3)] : random.one_in(2) ? a : b;
      return random.one_in(3)   ? w.unary(operation::bit_not, v)
             : random.one_in(3) ? w.binary(operation::bit_xor, numbers[random.below(3)], v)
             : random.one_in(4) ? w.binary(operation::add, v, numbers[random.below(3)])
                                : v;
    };
    const body_id next_a = value();
    const body_id next_b = value();
    const body_id tested = value();
    const body_id other = value();
    const body_id condition =
        width == 1 && random.one_in(2) ? tested : w.binary(comparisons[random.below(10)], tested, other);
    w.set_phi(a, numbers[random.below(3)], next_a);
    w.set_phi(b, numbers[random.below(3)], next_b);
    const loop_body body = w.finish_single(condition, random.one_in(2));
    count_iterations(body, workspace, c);
    kinds[static_cast<std::size_t>(c.trip.kind)] += 1;
    wrong += is_wrong_count(c, body_run(body, {}, 70)) ? 1 : 0;
  }
  CHECK(wrong == 0);
  CHECK(kinds[static_cast<std::size_t>(trip_count_kind::exact)] > 3000);
  CHECK(kinds[static_cast<std::size_t>(trip_count_kind::endless)] > 500);
}

TEST_CASE("count_iterations: switches are not counted") {
  body_writer w;
  const body_id i = w.phi(8);
  const body_id zero = w.constant(8, 0);
  const body_id one = w.constant(8, 1);
  w.block();
  const body_id next = w.binary(operation::add, i, one);
  w.set_condition(i);
  w.edge(body_writer::leaves, true, 10);
  w.edge(1, false, 0);
  w.block();
  w.set_phi(i, zero, next);
  const loop_counters c = count_iterations(w.finish());
  CHECK(c.trip == trip_count{});
  CHECK(c.exits[0].is_always_tested);
  CHECK_FALSE(c.exits[0].is_counted);
}

TEST_CASE("count_iterations: invariant bounds") {
  body_writer w;
  const body_id i = w.phi(32);
  const body_id kept = w.phi(32);
  const body_id zero = w.constant(32, 0);
  const body_id one = w.constant(32, 1);
  const body_id length = w.invariant(32);
  const body_id divisor = w.invariant(32);
  w.block();
  const body_id same = w.unary(operation::copy, kept);
  const body_id less = w.binary(operation::sub, length, one, {true, false});
  const body_id quotient = w.binary(operation::udiv, length, divisor); // may trap before the loop, and not in it
  const body_id half = w.binary(operation::shr, length, one);
  const body_id next = w.binary(operation::add, i, one, {true, false});
  w.branch(w.binary(operation::less, i, kept), 1, body_writer::leaves);
  for (const body_id bound : {less, quotient, half}) {
    const std::uint32_t b = w.block();
    w.branch(w.binary(operation::less, i, bound), b + 1, body_writer::leaves);
  }
  w.block();
  w.set_phi(i, zero, next);
  w.set_phi(kept, length, same);
  const loop_counters c = count_iterations(w.finish());
  CHECK(c.inductions.size() == 1);
  CHECK(c.exits[0].bound == kept);
  CHECK(c.exits[0].has_formula);
  CHECK(c.exits[1].has_formula);
  CHECK_FALSE(c.exits[2].is_counted);
  CHECK(c.exits[3].has_formula);
  CHECK(c.counted_exit == 0);
  CHECK(c.trip == trip_count{});
}

TEST_CASE("count_iterations: conditions as numbers of more bits, negated and not") {
  int wrong = 0;
  int tests = 0;
  const auto count = [&](bool is_bit, auto write_condition, bool goes_on) {
    body_writer w;
    const body_id i = w.phi(8);
    const body_id zero = w.constant(8, 0);
    const body_id one = w.constant(8, 1);
    const body_id no = w.constant(1, 0);
    const body_id yes = w.constant(1, 1);
    const body_id bound = w.constant(8, 9);
    w.block();
    const body_id next = w.binary(operation::add, i, one);
    const body_id c = w.binary(operation::less, next, bound);
    const body_id condition = is_bit ? write_condition(w, c, no, yes) : write_condition(w, c, zero, one);
    w.set_phi(i, zero, next);
    const loop_body body = w.finish_single(condition, goes_on);
    const loop_counters k = count_iterations(body);
    const body_run ran(body, {});
    wrong += is_wrong_count(k, ran) ? 1 : 0;
    tests += k.exits[0].is_counted ? 1 : 0;
  };
  for (const bool goes_on : {false, true}) {
    for (const operation widen : {operation::zero_extend, operation::sign_extend}) {
      for (const operation compare : {operation::equal, operation::not_equal}) {
        for (const bool with_one : {false, true}) {
          const auto compared = [&](body_writer& w, body_id c, body_id zero, body_id one) {
            return w.binary(compare, w.convert(widen, 8, c), with_one ? one : zero);
          };
          count(false, compared, goes_on);
          const auto flipped = [&](body_writer& w, body_id c, body_id zero, body_id one) {
            const body_id wide = w.binary(operation::bit_xor, w.convert(widen, 8, c), with_one ? one : zero);
            return w.binary(compare, wide, zero);
          };
          count(false, flipped, goes_on);
          const auto inverted = [&](body_writer& w, body_id c, body_id zero, body_id one) {
            return w.binary(compare, w.unary(operation::bit_not, w.convert(widen, 8, c)), with_one ? one : zero);
          };
          count(false, inverted, goes_on);
          const auto bits = [&](body_writer& w, body_id c, body_id no, body_id yes) {
            return w.binary(compare, w.binary(operation::bit_xor, with_one ? yes : no, c), with_one ? no : yes);
          };
          count(true, bits, goes_on);
          const auto narrowed = [&](body_writer& w, body_id c, body_id no, body_id) {
            return w.binary(operation::bit_xor, w.convert(operation::truncate, 1, w.convert(widen, 8, c)), no);
          };
          count(true, narrowed, goes_on);
        }
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(tests > 50);
}

TEST_CASE("count_iterations: two conversions") {
  midend::count_iterations_workspace workspace;
  loop_counters c;
  random_source random(23);
  int wrong = 0;
  std::array<int, 5> kinds{};
  for (int n = 0; n != 5000; ++n) {
    body_writer w;
    const body_id i = w.phi(6);
    const body_id start = w.constant(6, random.below(64));
    const body_id step = w.constant(6, 1 + random.below(63));
    const operation conversions[] = {operation::truncate, operation::zero_extend, operation::sign_extend};
    const operation first = conversions[random.below(3)];
    const unsigned middle = first == operation::truncate ? 3 : 8;
    const operation second = conversions[random.below(3)];
    const unsigned last = second == operation::truncate ? middle - 1 - random.below(2) : middle + 1 + random.below(4);
    const body_id bound = w.constant(last, random.one_in(2) ? random.below(32) : random.next());
    w.block();
    const body_id next = w.binary(operation::add, i, step, {random.one_in(2), random.one_in(3)});
    const body_id seen = w.convert(second, last, w.convert(first, middle, next));
    w.set_phi(i, start, next);
    const body_id condition = w.binary(comparisons[random.below(10)], seen, bound);
    const loop_body body = w.finish_single(condition, random.one_in(2));
    count_iterations(body, workspace, c);
    kinds[static_cast<std::size_t>(c.trip.kind)] += 1;
    wrong += is_wrong_count(c, body_run(body, {})) ? 1 : 0;
  }
  CHECK(wrong == 0);
  CHECK(kinds[static_cast<std::size_t>(trip_count_kind::exact)] > 500);
}

TEST_CASE("count_iterations: a step of 4 up to equality") {
  const auto has_formula = [](operation_flags flags) {
    return count_iterations(write({0, 0, 4, operation::not_equal, flags, 1, 0, false, true, false, false}).body)
        .exits[0]
        .has_formula;
  };
  CHECK(has_formula({true, false}));
  CHECK(has_formula({false, true}));
  CHECK_FALSE(has_formula({})); // may miss the bound for ever
}

TEST_CASE("count_iterations: several additions as one") {
  struct chain {
    std::uint64_t first, second;
    operation_flags flags;
    std::uint64_t sum;
    operation_flags expected;
  };

  const chain chains[] = {
      {1, 2, {true, true}, 3, {true, true}},          {1, 2, {false, true}, 3, {false, true}},
      {5, 254, {true, false}, 3, {true, false}},      // 5 - 2: both numbers are in between
      {100, 100, {true, false}, 200, {false, false}}, // -128 + 200 is a number of 8 bits, and -128 - 56 is not
      {200, 100, {false, true}, 44, {false, false}},  {100, 100, {false, true}, 200, {false, true}},
  };
  for (const chain& x : chains) {
    body_writer w;
    const body_id i = w.phi(8);
    const body_id start = w.invariant(8);
    const body_id first = w.constant(8, x.first);
    const body_id second = w.constant(8, x.second);
    const body_id zero = w.constant(8, 0);
    w.block();
    const body_id a = w.binary(operation::add, i, first, x.flags);
    const body_id b = w.unary(operation::copy, w.binary(operation::add, second, a, x.flags));
    const body_id next = w.op(operation::shladd, 8, {b, zero, zero});
    w.set_phi(i, start, next);
    const loop_counters c = count_iterations(w.finish_single(w.binary(operation::less, i, first)));
    REQUIRE(c.inductions.size() == 1);
    CHECK(c.inductions[0].step == x.sum);
    CHECK(c.inductions[0].flags == x.expected);
  }
}

TEST_CASE("count_iterations: cycles of phis") {
  body_writer w;
  std::vector<body_id> phis;
  for (int p = 0; p != 6; ++p) {
    phis.push_back(w.phi(32));
  }
  const body_id start = w.invariant(32);
  const body_id one = w.constant(32, 1);
  w.block();
  const body_id a = w.unary(operation::copy, phis[1]);
  const body_id next = w.binary(operation::add, phis[5], one);
  const body_id stop = w.load(1);
  w.set_phi(phis[0], start, a);
  w.set_phi(phis[1], start, phis[2]);
  w.set_phi(phis[2], start, phis[0]);
  w.set_phi(phis[3], start, phis[4]);
  w.set_phi(phis[4], start, phis[3]);
  w.set_phi(phis[5], start, next);
  const loop_counters c = count_iterations(w.finish_single(stop));
  CHECK(c.phi_period == 6);
  REQUIRE(c.inductions.size() == 1);
  CHECK(c.inductions[0].phi == phis[5]);
  CHECK(c.induction_of[5] == 0);
  CHECK(c.induction_of[0] == midend::no_body_value);
}

TEST_CASE("count_iterations: phis that become each other plus a number are neither counters nor a cycle") {
  body_writer w;
  const body_id a = w.phi(32);
  const body_id b = w.phi(32);
  const body_id zero = w.constant(32, 0);
  const body_id one = w.constant(32, 1);
  const body_id nine = w.constant(32, 9);
  w.block();
  const body_id next_a = w.binary(operation::add, b, one);
  const body_id next_b = w.binary(operation::add, a, one);
  w.set_phi(a, zero, next_a);
  w.set_phi(b, one, next_b);
  const loop_counters c = count_iterations(w.finish_single(w.binary(operation::less, a, nine)));
  CHECK(c.phi_period == 1);
  CHECK(c.inductions.empty());
  CHECK(c.trip == trip_count{});
}

TEST_CASE("count_iterations: a million additions") {
  body_writer w;
  const body_id i = w.phi(64);
  const body_id zero = w.constant(64, 0);
  const body_id one = w.constant(64, 1);
  const body_id bound = w.constant(64, 7'000'000);
  w.block();
  body_id next = i;
  for (int n = 0; n != 1'000'000; ++n) {
    next = w.binary(operation::add, next, one, {true, true});
  }
  w.set_phi(i, zero, next);
  const loop_counters c = count_iterations(w.finish_single(w.binary(operation::uless, next, bound)));
  CHECK(c.trip == trip_count{trip_count_kind::exact, 6, 7});
  CHECK(c.inductions[0].flags == operation_flags{true, true});
}

TEST_CASE("count_iterations: more header executions than fit") {
  body_writer w;
  const body_id i = w.phi(64);
  const body_id zero = w.constant(64, 0);
  const body_id one = w.constant(64, 1);
  w.block();
  const body_id next = w.binary(operation::add, i, one);
  w.set_phi(i, zero, next);
  const loop_counters c = count_iterations(w.finish_single(w.binary(operation::not_equal, next, zero)));
  CHECK(c.is_exact());
  CHECK(c.trip.backedges == ~std::uint64_t{0});
  CHECK_FALSE(c.trip.header_executions().has_value());
  CHECK(c.trip_multiple == std::uint64_t{1} << 63);
}

namespace {

constexpr std::uint64_t backedges_of_ten() {
  loop_body body;
  const auto value = [&](midend::body_kind kind, const midend::operation_info& info, std::uint64_t bits) {
    midend::body_value v{};
    v.kind = kind;
    v.info = info;
    v.bits = bits;
    v.first_operand = static_cast<std::uint32_t>(body.operands.size());
    v.num_operands = kind == midend::body_kind::constant ? 0 : 2;
    body.values.push_back(v);
  };
  value(midend::body_kind::phi, {operation::other, 32}, 0);
  body.operands.push_back(1);
  body.operands.push_back(4);
  value(midend::body_kind::constant, {operation::other, 32}, 0);
  value(midend::body_kind::constant, {operation::other, 32}, 1);
  value(midend::body_kind::constant, {operation::other, 32}, 10);
  value(midend::body_kind::pure, {operation::add, 32, 32}, 0);
  body.operands.push_back(0);
  body.operands.push_back(2);
  value(midend::body_kind::pure, {operation::less, 1, 32}, 0);
  body.operands.push_back(4);
  body.operands.push_back(3);
  body.num_phis = 1;
  body.blocks.push_back({4, 6, 0, 2, 0, 0, 5, 0});
  body.blocks.push_back({6, 6, 2, 2, 0, 1, midend::no_body_value, midend::no_node});
  body.edges.push_back({0, 1, true, 1, 0});
  body.edges.push_back({0, midend::body_edge::leaves, true, 0, 0});
  body.in_edges.push_back(0);
  return count_iterations(body).trip.backedges;
}

static_assert(backedges_of_ten() == 9);

} // namespace
