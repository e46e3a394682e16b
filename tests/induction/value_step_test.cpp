// Trip counts of counters whose step is a value from before the loop, against running the loops: all starts, bounds and
// steps of four and five bits, and several exits.
#include "kit/affordable.hpp"
#include "kit/body_writer.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/induction/count_iterations.hpp>
#include <midend/induction/loop_facts.hpp>
#include <midend/viz/trip_formula.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

using namespace midend_tests;
using midend::body_id;
using midend::count_iterations;
using midend::loop_body;
using midend::loop_counters;
using midend::loop_exit;
using midend::operation;
using midend::operation_flags;
using midend::trip_count_kind;
using midend::value_bounds;

namespace {

constexpr operation comparisons[] = {operation::equal,         operation::not_equal,   operation::less,
                                     operation::less_equal,    operation::greater,     operation::greater_equal,
                                     operation::uless,         operation::uless_equal, operation::ugreater,
                                     operation::ugreater_equal};

/// What is compared.
enum class tested : std::uint8_t { phi, next, sum, phi_and_offset, next_and_offset };

constexpr std::uint64_t addend_of_sum = 3;

struct shape {
  unsigned width = 4;
  operation comparison = operation::less; ///< of counter and bound: if it `goes_on`, the loop does
  bool goes_on = true;
  bool swapped = false; ///< the bound is first
  bool step_first = false;
  bool is_subtracted = false;
  std::uint8_t shift = 0; ///< of what is added
  tested what = tested::phi;
  operation_flags flags = {};
  operation_flags sum_flags = {}; ///< of a sum that is compared
  bool subtracts_offset = false;  ///< an invariant is subtracted from the counter before it is compared; else added
  bool must_end = false;
  unsigned has_call = 0;
  std::optional<std::uint64_t> start; ///< as numbers of the program
  std::optional<std::uint64_t> bound;
};

/// Bounds as if all numbers from `low` to `high` on the circle of all numbers were possible.
value_bounds arc(std::uint64_t low, std::uint64_t high, unsigned width) {
  value_bounds out = value_bounds::all(width);
  const std::int64_t signed_low = midend::as_signed(low, width);
  const std::int64_t signed_high = midend::as_signed(high, width);
  if (low <= high) {
    out.low = low;
    out.high = high;
  }
  if (signed_low <= signed_high) {
    out.signed_low = signed_low;
    out.signed_high = signed_high;
  }
  return out;
}

bool is_in(std::uint64_t n, const value_bounds& b, unsigned width) {
  const std::int64_t as_signed = midend::as_signed(n, width);
  return b.low <= n && n <= b.high && b.signed_low <= as_signed && as_signed <= b.signed_high;
}

/// The values of the body that such facts are about.
struct bodies_values {
  body_id start;
  body_id bound;
  body_id step;
  body_id offset;
};

/// The next value of a counter.
body_id write_next(body_writer& w, const shape& s, body_id i, body_id step, body_id shift) {
  if (s.shift != 0) {
    return w.op(operation::shladd, s.width, {step, shift, i}, s.flags);
  }
  const operation code = s.is_subtracted ? operation::sub : operation::add;
  return s.step_first ? w.binary(code, step, i, s.flags) : w.binary(code, i, step, s.flags);
}

loop_body write(const shape& s, bodies_values& values) {
  body_writer w;
  const body_id i = w.phi(s.width);
  values.start = s.start ? w.constant(s.width, *s.start) : w.invariant(s.width);
  values.bound = s.bound ? w.constant(s.width, *s.bound) : w.invariant(s.width);
  values.step = w.invariant(s.width);
  values.offset = w.invariant(s.width);
  const body_id number = w.constant(s.width, addend_of_sum);
  const body_id shift = w.constant(s.width, s.shift);
  w.block();
  const body_id next = write_next(w, s, i, values.step, shift);
  if (s.has_call != 0) {
    w.call(s.width, {});
  }
  body_id seen = s.what == tested::phi || s.what == tested::phi_and_offset ? i : next;
  if (s.what == tested::sum) {
    seen = w.binary(operation::add, number, i, s.sum_flags);
  } else if (s.what == tested::phi_and_offset || s.what == tested::next_and_offset) {
    seen = s.subtracts_offset ? w.binary(operation::sub, seen, values.offset, s.sum_flags)
           : s.step_first     ? w.binary(operation::add, values.offset, seen, s.sum_flags)
                              : w.binary(operation::add, seen, values.offset, s.sum_flags);
  }
  const body_id c = s.swapped ? w.binary(midend::mirrored(s.comparison), values.bound, seen)
                              : w.binary(s.comparison, seen, values.bound);
  w.set_phi(i, values.start, next);
  loop_body body = w.finish_single(c, s.goes_on);
  body.hints.must_end = s.must_end;
  return body;
}

/// A number that keeps its promises, or none.
class checked_number {
public:
  checked_number(std::uint64_t bits, unsigned width) : bits_(bits), width_(width) {}

  std::uint64_t bits() const { return bits_; }

  bool has_meaning() const { return has_meaning_; }

  /// Plus a number that is shifted to the left.
  checked_number plus(std::uint64_t by, operation_flags flags, unsigned shift = 0) const {
    return with(bits_ + (by << shift), midend::as_signed(bits_, width_) + midend::as_signed(by, width_) * (1 << shift),
                static_cast<std::int64_t>(bits_ + (by << shift)), flags);
  }

  checked_number minus(std::uint64_t by, operation_flags flags) const {
    return with(bits_ - by, midend::as_signed(bits_, width_) - midend::as_signed(by, width_),
                static_cast<std::int64_t>(bits_) - static_cast<std::int64_t>(by), flags);
  }

private:
  checked_number with(std::uint64_t bits, std::int64_t as_signed, std::int64_t as_unsigned,
                      operation_flags flags) const {
    checked_number out(bits & midend::low_ones(width_), width_);
    out.has_meaning_ = has_meaning_ && !(flags.no_signed_wrap && as_signed != midend::as_signed(out.bits_, width_)) &&
                       !(flags.no_unsigned_wrap && as_unsigned != static_cast<std::int64_t>(out.bits_));
    return out;
  }

  std::uint64_t bits_;
  unsigned width_;
  bool has_meaning_ = true;
};

enum class ending : std::uint8_t { left, without_meaning, endless };

struct run_result {
  ending end;
  std::uint64_t backedges;
};

/// Of one counter: whether an iteration leaves, or has no meaning.
class running_counter {
public:
  running_counter(const shape& s, std::uint64_t start, std::uint64_t bound, std::uint64_t step,
                  std::uint64_t offset = 0)
      : s_(s), phi_(start, s.width), bound_(bound), step_(step), offset_(offset) {}

  /// The next iteration; nothing if it has no meaning.
  std::optional<bool> leaves() {
    const checked_number next = s_.is_subtracted ? phi_.minus(step_, s_.flags) : phi_.plus(step_, s_.flags, s_.shift);
    const checked_number seen = s_.what == tested::sum ? phi_.plus(addend_of_sum, s_.sum_flags)
                                : s_.what == tested::phi || s_.what == tested::phi_and_offset ? with_offset(phi_)
                                                                                              : with_offset(next);
    phi_ = next;
    if (!seen.has_meaning()) {
      return std::nullopt;
    }
    return midend::detail::comparison_holds(s_.comparison, seen.bits(), bound_, s_.width) != s_.goes_on;
  }

private:
  checked_number with_offset(const checked_number& n) const {
    const bool has_offset = s_.what == tested::phi_and_offset || s_.what == tested::next_and_offset;
    return !has_offset ? n : s_.subtracts_offset ? n.minus(offset_, s_.sum_flags) : n.plus(offset_, s_.sum_flags);
  }

  const shape& s_;
  checked_number phi_;
  std::uint64_t bound_;
  std::uint64_t step_;
  std::uint64_t offset_;
};

run_result run(const shape& s, std::uint64_t start, std::uint64_t bound, std::uint64_t step, std::uint64_t offset = 0) {
  running_counter counter(s, start, bound, step, offset);
  for (std::uint64_t k = 0; k <= std::uint64_t{1} << s.width; ++k) {
    const std::optional<bool> leaves = counter.leaves();
    if (!leaves) {
      return {ending::without_meaning, 0};
    }
    if (*leaves) {
      return {ending::left, k};
    }
  }
  return {ending::endless, 0};
}

/// The backedges that the formula of an exit gives.
std::uint64_t by_formula(const shape& s, const loop_exit& x, std::uint64_t start, std::uint64_t bound,
                         std::uint64_t step, std::uint64_t offset = 0) {
  const std::uint64_t most = midend::low_ones(s.width);
  std::uint64_t first = x.counter.is_next ? start + (x.counter.is_subtracted ? 0 - step : step << x.counter.shift)
                                          : start + x.counter.addend;
  if (x.counter.offset != midend::no_body_value) {
    first += x.counter.subtracts_offset ? 0 - offset : offset;
  }
  return x.formula.with_step(step).backedges(first & most, bound & most);
}

struct claims {
  std::size_t wrong = 0;
  std::size_t formulas = 0;
  std::size_t needing_end = 0;
  std::size_t bounds = 0;
  std::size_t runs = 0;
};

/// Runs the loop for all numbers between the facts' bounds if there is a claim about it.
void check(const shape& s, const value_bounds& starts, const value_bounds& ends, const value_bounds& steps, claims& out,
           const value_bounds& offsets = value_bounds::exactly(0, 4)) {
  bodies_values values{};
  const loop_body body = write(s, values);
  midend::loop_facts facts;
  for (const midend::body_value& v : body.values) {
    facts.bounds.push_back(v.kind == midend::body_kind::constant ? value_bounds::exactly(v.bits, v.info.width)
                                                                 : value_bounds::all(v.info.width));
  }
  facts.bounds[values.start] = s.start ? facts.bounds[values.start] : starts;
  facts.bounds[values.bound] = s.bound ? facts.bounds[values.bound] : ends;
  facts.bounds[values.step] = steps;
  const bool has_offset = s.what == tested::phi_and_offset || s.what == tested::next_and_offset;
  facts.bounds[values.offset] = has_offset ? offsets : value_bounds::all(s.width);
  const loop_counters c = count_iterations(body, facts);
  REQUIRE(c.exits.size() == 1);
  const loop_exit& x = c.exits[0];
  CHECK(c.inductions.empty());
  CHECK(!x.is_counted);
  CHECK(!x.has_formula);
  CHECK(c.counted_exit == (c.is_exact() ? 0 : midend::no_body_value));
  CHECK((midend::exit_with_formula(c) == 0) == x.has_step_formula);
  CHECK(x.is_computable == (x.has_step_formula || c.is_exact()));
  CHECK(c.is_computable() == x.is_computable);
  out.formulas += x.has_step_formula ? 1 : 0;
  out.needing_end += x.has_step_formula && x.needs_end ? 1 : 0;
  const bool is_bounded = c.trip.kind == trip_count_kind::at_most || c.is_exact();
  out.bounds += is_bounded ? 1 : 0;
  if (!x.has_step_formula && !is_bounded) {
    return;
  }
  const std::uint64_t most = midend::low_ones(s.width);
  for (std::uint64_t start = s.start.value_or(0); start <= s.start.value_or(most); ++start) {
    for (std::uint64_t bound = s.bound.value_or(0); bound <= s.bound.value_or(most); ++bound) {
      for (std::uint64_t step = 0; step <= most; ++step) {
        if (!is_in(start, facts.bounds[values.start], s.width) || !is_in(bound, facts.bounds[values.bound], s.width) ||
            !is_in(step, steps, s.width)) {
          continue;
        }
        for (std::uint64_t offset = 0; offset <= (has_offset ? most : 0); ++offset) {
          if (has_offset && !is_in(offset, offsets, s.width)) {
            continue;
          }
          ++out.runs;
          const run_result ran = run(s, start, bound, step, offset);
          const bool may_be_endless = x.has_step_formula && x.needs_end && !is_bounded;
          if (ran.end == ending::endless) { // has no meaning if the program promises that there is no such run
            out.wrong += may_be_endless && s.must_end && s.has_call == 0 ? 0 : 1;
          } else if (ran.end == ending::left) {
            out.wrong += x.has_step_formula && by_formula(s, x, start, bound, step, offset) != ran.backedges ? 1 : 0;
            out.wrong += is_bounded && ran.backedges > c.trip.backedges ? 1 : 0;
            out.wrong += c.is_exact() && ran.backedges != c.trip.backedges ? 1 : 0;
          }
        }
      }
    }
  }
}

/// All shapes of loops whose start, bound and step are values.
template <class Visit> void for_each_shape(unsigned width, Visit visit) {
  unsigned turn = 0;
  for (const operation comparison : comparisons) {
    for (unsigned flags = 0; flags != 4; ++flags) {
      for (const tested what : {tested::phi, tested::next, tested::sum}) {
        for (unsigned how = 0; how != 8; ++how) {
          shape s;
          s.width = width;
          s.comparison = comparison;
          s.is_subtracted = (how & 1) != 0;
          s.must_end = (how & 2) != 0;
          s.goes_on = (how & 4) != 0;
          s.what = what;
          s.flags = {(flags & 1) != 0, (flags & 2) != 0};
          ++turn;
          s.swapped = turn % 3 == 0;
          s.step_first = !s.is_subtracted && turn % 2 == 0;
          s.shift = s.is_subtracted || turn % 7 > 2 ? std::uint8_t{0} : static_cast<std::uint8_t>(turn % 7);
          s.sum_flags = turn % 5 == 0 ? operation_flags{} : s.flags;
          visit(s);
        }
      }
    }
  }
}

} // namespace

TEST_CASE("a step that is a value: all starts, bounds and steps of four bits, between bounds and without") {
  const value_bounds all = value_bounds::all(4);
  claims c;
  for_each_shape(4, [&](const shape& s) {
    check(s, all, all, all, c);
    for (const value_bounds& steps : {arc(1, 15, 4), arc(1, 7, 4), arc(8, 15, 4), arc(2, 3, 4), arc(13, 15, 4),
                                      arc(0, 7, 4), arc(7, 9, 4), arc(14, 2, 4)}) {
      check(s, all, all, steps, c);
      check(s, all, arc(2, 5, 4), steps, c);
      check(s, arc(0, 4, 4), arc(14, 6, 4), steps, c);
    }
  });
  CHECK(c.wrong == 0);
  CHECK(c.formulas > 4000);
  CHECK(c.needing_end > 500);
  CHECK(c.formulas - c.needing_end > 3000);
  CHECK(c.bounds > 3000);
  CHECK(c.runs > 1'000'000);
}

TEST_CASE(
    "a step that is a value: an invariant is added before the comparison, or subtracted, random bounds of four bits") {
  random_source random(11);
  claims c;
  const auto any = [&] {
    for (;;) {
      const std::uint64_t low = random.below(16);
      const value_bounds out = random.one_in(3) ? value_bounds::all(4) : arc(low, (low + random.below(7)) & 15, 4);
      if (!out.number()) {
        return out;
      }
    }
  };
  for (std::size_t round = 0; round != affordable(30); ++round) {
    for_each_shape(4, [&](shape s) {
      if (s.what != tested::sum) {
        s.what = s.what == tested::phi ? tested::phi_and_offset : tested::next_and_offset;
        s.subtracts_offset = random.one_in(2);
        s.sum_flags = random.one_in(3) ? operation_flags{} : s.flags;
        s.bound = random.one_in(2) ? std::optional<std::uint64_t>(random.below(16)) : std::nullopt;
        const value_bounds steps = any();
        const value_bounds starts = any();
        const value_bounds ends = any();
        check(s, starts, ends, steps, c, any());
      }
    });
  }
  CHECK(c.wrong == 0);
  CHECK(c.formulas > affordable(1000));
  CHECK(c.needing_end > affordable(300));
  CHECK(c.bounds > affordable(1000));
  CHECK(c.runs > affordable(1'000'000));
}

TEST_CASE("a step that is a value: random bounds of five bits, starts and bounds that are numbers, and calls") {
  random_source random(3);
  claims c;
  const auto any = [&] {
    const std::uint64_t low = random.below(32);
    return random.one_in(3) ? value_bounds::all(5) : arc(low, (low + random.below(20)) & 31, 5);
  };
  for (std::size_t round = 0; round != affordable(60); ++round) {
    for_each_shape(5, [&](shape s) {
      s.start = random.one_in(3) ? std::optional<std::uint64_t>(random.below(32)) : std::nullopt;
      s.bound = random.one_in(3) ? std::optional<std::uint64_t>(random.below(32)) : std::nullopt;
      s.has_call = random.one_in(4) ? 1 : 0;
      const value_bounds steps = any();
      if (steps.number()) { // a step that is a number
        return;
      }
      const value_bounds starts = any();
      const value_bounds ends = any();
      check(s, starts.number() ? value_bounds::all(5) : starts, ends.number() ? value_bounds::all(5) : ends, steps, c);
    });
  }
  CHECK(c.wrong == 0);
  CHECK(c.formulas > affordable(6000));
  CHECK(c.needing_end > affordable(1500));
  CHECK(c.bounds > affordable(3000));
}

TEST_CASE("a step that is a value: which formulas there are") {
  const auto formula_of = [](shape s, const value_bounds& steps, const value_bounds& ends) {
    s.width = s.width == 4 ? 32 : s.width;
    bodies_values values{};
    const loop_body body = write(s, values);
    midend::loop_facts facts;
    for (const midend::body_value& v : body.values) {
      facts.bounds.push_back(value_bounds::all(v.info.width));
    }
    facts.bounds[values.step] = steps;
    facts.bounds[values.bound] = ends;
    return count_iterations(body, facts).exits[0];
  };
  const value_bounds all = value_bounds::all(32);
  const value_bounds positive = arc(1, 0x7fffffff, 32);
  const value_bounds small = arc(1, 8, 32);
  shape s; // i < bound; i += step
  CHECK(!formula_of(s, all, all).has_step_formula);
  CHECK(!formula_of(s, positive, all).has_step_formula); // may wrap
  CHECK(formula_of(s, small, arc(0, 1000, 32)).has_step_formula);
  CHECK(!formula_of(s, small, arc(0, 0x7ffffffc, 32)).has_step_formula);
  s.flags.no_signed_wrap = true;
  CHECK(!formula_of(s, all, all).has_step_formula); // may be 0 or go down
  CHECK(formula_of(s, positive, all).has_step_formula);
  CHECK(!formula_of(s, positive, all).needs_end);
  s.must_end = true;
  CHECK(formula_of(s, all, all).has_step_formula);
  CHECK(formula_of(s, all, all).needs_end);
  CHECK(!formula_of(s, positive, all).needs_end);
  s.has_call = 1;
  CHECK(!formula_of(s, all, all).has_step_formula); // the call may end the program
  s.has_call = 0;
  s.comparison = operation::uless;
  CHECK(!formula_of(s, all, all).has_step_formula); // the promise is about signed numbers
  s.flags.no_unsigned_wrap = true;
  CHECK(formula_of(s, all, all).has_step_formula);
  s.is_subtracted = true;
  CHECK(!formula_of(s, all, all).has_step_formula); // it goes down
  s.comparison = operation::ugreater;
  CHECK(formula_of(s, all, all).has_step_formula);
  shape wide; // p < bound; p += step << 2
  wide.width = 64;
  wide.comparison = operation::uless;
  wide.shift = 2;
  const value_bounds low_half = arc(0, std::uint64_t{1} << 62, 64);
  CHECK(formula_of(wide, arc(1, std::uint64_t{1} << 20, 64), low_half).has_step_formula);
  CHECK(!formula_of(wide, arc(1, (std::uint64_t{1} << 62) + 1, 64), low_half).has_step_formula); // or by 4
}

namespace {

/// Two exits, or one with two comparisons: of a counter with a value as its step, and of one that counts to a number.
class two_tests {
public:
  two_tests(const shape& s, bool is_one_exit, bool is_first, std::uint64_t most)
      : s_(s), is_first_(is_first), most_(most) {
    body_writer w;
    const body_id i = w.phi(s.width);
    const body_id j = w.phi(8);
    const body_id start = w.invariant(s.width);
    const body_id bound = w.invariant(s.width);
    step_ = w.invariant(s.width);
    const body_id zero = w.constant(8, 0);
    const body_id one = w.constant(8, 1);
    const body_id last = w.constant(8, most);
    const body_id number = w.constant(s.width, addend_of_sum);
    const body_id shift = w.constant(s.width, s.shift);
    w.block();
    const body_id next = write_next(w, s, i, step_, shift);
    const body_id sum = w.binary(operation::add, i, number, s.sum_flags);
    const body_id seen = s.what == tested::phi ? i : s.what == tested::next ? next : sum;
    const body_id of_counter = w.binary(s.goes_on ? s.comparison : midend::negated(s.comparison), seen, bound);
    const body_id of_number = w.binary(operation::not_equal, j, last);
    const body_id first = is_first ? of_counter : of_number;
    const body_id second = is_first ? of_number : of_counter;
    const body_id next_j = w.binary(operation::add, j, one);
    w.set_phi(i, start, next);
    w.set_phi(j, zero, next_j);
    if (is_one_exit) {
      body = w.finish_single(w.binary(operation::bit_and, first, second));
    } else {
      w.branch(first, 1, body_writer::leaves);
      w.block();
      w.branch(second, 2, body_writer::leaves);
      w.block();
      body = w.finish();
    }
    body.hints.must_end = s.must_end;
  }

  /// The second exit is not reached if the first is taken; a condition of both needs both.
  run_result run(std::uint64_t start, std::uint64_t bound, std::uint64_t step, bool is_one_exit) const {
    running_counter counter(s_, start, bound, step);
    for (std::uint64_t k = 0; k <= most_; ++k) {
      const bool by_number = k == most_;
      const std::optional<bool> by_counter = counter.leaves();
      if (by_number && !is_first_ && !is_one_exit) {
        return {ending::left, k};
      }
      if (!by_counter) {
        return {ending::without_meaning, 0};
      }
      if (*by_counter || by_number) {
        return {ending::left, k};
      }
    }
    return {ending::endless, 0};
  }

  loop_body body;

  body_id step() const { return step_; }

private:
  shape s_;
  bool is_first_;
  std::uint64_t most_;
  body_id step_ = 0;
};

} // namespace

TEST_CASE("a step that is a value: beside another exit, and beside another comparison of the same exit") {
  random_source random(8);
  std::size_t wrong = 0;
  std::array<std::size_t, 2> computable{};
  std::array<std::size_t, 2> not_computable{};
  for (std::size_t round = 0; round != affordable(10); ++round) {
    for_each_shape(4, [&](const shape& s) {
      const bool is_one_exit = random.one_in(2);
      const std::uint64_t most = random.below(24);
      const two_tests loop(s, is_one_exit, random.one_in(2), most);
      midend::loop_facts facts;
      for (const midend::body_value& v : loop.body.values) {
        facts.bounds.push_back(value_bounds::all(v.info.width));
      }
      const value_bounds steps = random.one_in(3)   ? value_bounds::all(4)
                                 : random.one_in(2) ? arc(1, 7, 4)
                                                    : arc(9, 15, 4);
      facts.bounds[loop.step()] = steps;
      const loop_counters c = count_iterations(loop.body, facts);
      (c.is_computable() ? computable : not_computable)[is_one_exit ? 1 : 0] += 1;
      const loop_exit* of_counter = nullptr;
      for (const loop_exit& x : c.exits) {
        of_counter = x.has_step_formula ? &x : of_counter;
        wrong += x.has_step_formula && x.needs_end ? 1 : 0; // the other one may be the one that is taken
      }
      wrong += !is_one_exit && c.is_computable() && of_counter == nullptr ? 1 : 0;
      for (std::uint64_t n = 0; n < 16 * 16 * 16; n += tests_are_shortened ? 5 : 1) {
        const std::uint64_t step = n % 16;
        if (!is_in(step, steps, 4)) {
          continue;
        }
        const run_result ran = loop.run(n / 256, n / 16 % 16, step, is_one_exit);
        const bool has_count = c.trip.kind == trip_count_kind::at_most;
        wrong += ran.end == ending::left && has_count && ran.backedges > c.trip.backedges ? 1 : 0;
        if (ran.end == ending::left && c.is_computable() && of_counter != nullptr) {
          const bool stays = loop.run(n / 256, n / 16 % 16, step, is_one_exit).backedges != 0;
          const std::uint64_t by_counter = by_formula(s, *of_counter, n / 256, n / 16 % 16, step);
          const std::uint64_t said = by_counter == 0 && stays ? most : std::min(most, by_counter); // 0 is 16 then
          wrong += said != ran.backedges ? 1 : 0;
        }
      }
    });
  }
  CHECK(wrong == 0);
  CHECK(computable[0] > affordable(200));
  CHECK(computable[1] > affordable(200));
  CHECK(not_computable[0] > affordable(1000));
  CHECK(not_computable[1] > affordable(1000));
}
