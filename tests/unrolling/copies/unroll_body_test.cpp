// Copies of loop bodies, evaluated together: they do what the iterations do one by one, and save what the worked
// examples of the documentation say.
#include "kit/body_writer.hpp"
#include "kit/random_loop_body.hpp"
#include "kit/unrolled_simulator.hpp"

#include <doctest/doctest.h>
#include <midend/induction/count_iterations.hpp>
#include <midend/unrolling/copies/unroll_body.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

using namespace midend_tests;
using midend::body_id;
using midend::body_kind;
using midend::loop_body;
using midend::loop_counters;
using midend::operation;
using midend::saving_kind;
using midend::unroll_request;
using midend::unrolled_body;
using midend::unrolled_id;

namespace {

/// Compares unrolled bodies with what the iterations did.
class comparer {
public:
  std::size_t passes = 0;
  std::size_t exits = 0;

  comparer(const loop_body& body, const loop_counters& counters, const recorded_loop& run)
      : body_(body), counters_(counters), run_(run) {}

  /// Checks the iteration of the new loop that begins with iteration `first`. Returns what went wrong, or null.
  const char* check(const unrolled_body& unrolled, const unroll_request& request, std::size_t first) {
    const std::size_t end = std::min(first + request.copies, run_.iterations.size());
    if (first >= run_.iterations.size()) {
      return nullptr;
    }
    const iteration_record& last = run_.iterations[end - 1];
    const bool left = last.left_by.has_value();
    if (!left && end != first + request.copies) {
      return nullptr; // a program without a meaning, or one that runs too long
    }
    if (const char* const wrong = check_savings(unrolled, first, end)) {
      return wrong;
    }
    const iteration_record& at = run_.iterations[first];
    const unrolled_simulator now(unrolled, at.values, at.before);
    ++passes;
    if (now.is_without_meaning) {
      return is_dropped(request, first, end) ? nullptr : "an effect depends on what may be anything";
    }
    if (now.left_by) {
      return check_exit(unrolled, request, now, first, end);
    }
    if (left && (!request.is_straight_line || is_dropped(request, first, end))) {
      return is_dropped(request, first, end) ? nullptr : "control does not leave";
    }
    if (!has_same_effects(now, end)) {
      return "memory or calls differ after the copies";
    }
    const std::span<const midend::unrolled_operand> live(unrolled.live_out);
    if (!agree(now, live, body_.live_out, last.values)) {
      return "a value that lives on differs";
    }
    for (body_id phi = 0; !left && phi != body_.num_phis; ++phi) {
      if (!agrees(now, unrolled.next[phi], last.values[body_.next(phi)])) {
        return "a phi differs";
      }
    }
    return nullptr;
  }

private:
  /// Whether the copy does not test the exit that is taken, though it is not known that it is taken.
  bool is_dropped(const unroll_request& request, std::size_t first, std::size_t end) const {
    const auto edge = run_.iterations[end - 1].left_by;
    if (!edge || !request.drops_counted_tests || counters_.counted_exit == midend::no_body_value) {
      return false;
    }
    const midend::loop_exit& exit = counters_.exits[counters_.counted_exit];
    const auto copy = static_cast<std::uint32_t>(end - 1 - first);
    const bool is_tested = (!request.is_straight_line && copy + 1 == request.copies) || copy == request.mid_exit_copy;
    const bool has_number = exit.is_counted ? counters_.inductions[exit.induction].has_start
                                            : request.begins_at_entry || request.first_iteration != 0; // a flag
    const bool is_known = request.is_straight_line && request.knows_position && counters_.is_exact() && has_number;
    return exit.edge == *edge && !is_tested && !is_known;
  }

  const char* check_exit(const unrolled_body& unrolled, const unroll_request& request, const unrolled_simulator& now,
                         std::size_t first, std::size_t end) {
    ++exits;
    const midend::unrolled_exit& exit = unrolled.exits[*now.left_by];
    const iteration_record& last = run_.iterations[end - 1];
    if (last.left_by != exit.edge || first + exit.copy != end - 1) {
      return is_dropped(request, first, end) ? nullptr : "control leaves elsewhere";
    }
    if (!has_same_effects(now, end)) {
      return "memory or calls differ at an exit";
    }
    const std::size_t n = body_.live_out.size();
    const auto values = std::span<const midend::unrolled_operand>(unrolled.exit_values).subspan(*now.left_by * n, n);
    return agree(now, values, body_.live_out, last.values) ? nullptr : "a value differs at an exit";
  }

  bool has_same_effects(const unrolled_simulator& now, std::size_t end) const {
    return now.effects == (end == run_.iterations.size() ? run_.effects : run_.iterations[end].before);
  }

  static bool agrees(const unrolled_simulator& now, const midend::unrolled_operand& o, const maybe_number& expected) {
    return !expected || (o.node != midend::no_unrolled && now.value_of(o) == expected);
  }

  /// Values that some path does not compute have no node, and are not compared.
  template <class Values>
  bool agree(const unrolled_simulator& now, std::span<const midend::unrolled_operand> operands, const Values& values,
             const std::vector<maybe_number>& expected) const {
    for (std::size_t i = 0; i != operands.size(); ++i) {
      if (operands[i].node != midend::no_unrolled && !agrees(now, operands[i], expected[values[i]])) {
        return false;
      }
    }
    return true;
  }

  /// Values that were folded are the numbers that the iterations compute.
  const char* check_savings(const unrolled_body& unrolled, std::size_t first, std::size_t end) const {
    for (const midend::unrolling_saving& s : unrolled.savings) {
      if (first + s.copy >= end || (s.kind != saving_kind::folded && s.kind != saving_kind::folded_test)) {
        continue;
      }
      const iteration_record& at = run_.iterations[first + s.copy];
      const midend::body_value& value = body_.values[s.value];
      if (!at.runs[value.block == midend::no_body_value ? 0 : value.block]) {
        continue;
      }
      const bool is_guard = s.kind == saving_kind::folded_test && value.guard != midend::no_body_value;
      maybe_number actual = at.values[is_guard ? value.guard : s.value];
      if (is_guard && value.guard_negated && actual) {
        *actual ^= 1;
      }
      if (actual && *actual != s.result) {
        return "a saving has another result";
      }
    }
    return nullptr;
  }

  const loop_body& body_;
  const loop_counters& counters_;
  const recorded_loop& run_;
};

/// Operands precede their users, and constants have no addend.
bool is_well_formed(const unrolled_body& u) {
  for (unrolled_id n = 0; n != u.values.size(); ++n) {
    for (const midend::unrolled_operand& o : u.operands_of(n)) {
      if (o.node >= n || (u.values[o.node].kind == body_kind::constant && o.addend != 0)) {
        return false;
      }
    }
    if (u.values[n].guard != midend::no_unrolled && u.values[n].guard >= n) {
      return false;
    }
  }
  return u.next.size() == u.phis.size();
}

/// The nodes that are used: by effects, exits, values live after the loop, and the next iteration's such.
std::vector<bool> live_nodes(const unrolled_body& u) {
  std::vector<bool> live(u.values.size(), false);
  const auto need = [&](unrolled_id n) {
    if (n != midend::no_unrolled) {
      live[n] = true;
    }
  };
  for (const midend::unrolled_exit& e : u.exits) {
    need(e.predicate);
  }
  for (const auto* list : {&u.exit_values, &u.live_out}) {
    for (const midend::unrolled_operand& o : *list) {
      need(o.node);
    }
  }
  for (std::vector<bool> before; before != live;) {
    before = live;
    for (auto n = static_cast<unrolled_id>(u.values.size()); n-- != 0;) {
      const midend::unrolled_node& node = u.values[n];
      if (!live[n] && node.kind != body_kind::store && node.kind != body_kind::call) {
        continue;
      }
      live[n] = true;
      need(node.guard);
      for (const midend::unrolled_operand& o : u.operands_of(n)) {
        need(o.node);
      }
      if (node.access != midend::no_unrolled) {
        need(u.accesses[node.access].base);
        need(u.accesses[node.access].index);
        need(u.accesses[node.access].stored.node);
      }
    }
    for (std::size_t phi = 0; phi != u.phis.size(); ++phi) {
      if (u.is_straight_line || (u.phis[phi] != midend::no_unrolled && live[u.phis[phi]])) {
        need(u.next[phi].node);
      }
    }
  }
  return live;
}

/// Live operations of an iteration of the new loop, without invariant ones.
std::size_t count(const unrolled_body& u, operation code) {
  const std::vector<bool> live = live_nodes(u);
  std::size_t n = 0;
  for (unrolled_id i = 0; i != u.values.size(); ++i) {
    const midend::unrolled_node& node = u.values[i];
    n += live[i] && node.kind == body_kind::pure && node.info.code == code && !node.is_invariant ? 1 : 0;
  }
  return n;
}

std::size_t count(const unrolled_body& u, body_kind kind) {
  const std::vector<bool> live = live_nodes(u);
  std::size_t n = 0;
  for (unrolled_id i = 0; i != u.values.size(); ++i) {
    n += live[i] && u.values[i].kind == kind ? 1 : 0;
  }
  return n;
}

std::size_t count(const unrolled_body& u, saving_kind kind, body_id value) {
  std::size_t n = 0;
  for (const midend::unrolling_saving& s : u.savings) {
    n += s.kind == kind && s.value == value ? 1 : 0;
  }
  return n;
}

/// The copies in which a test was folded to `result`.
std::vector<std::uint32_t> copies_where(const unrolled_body& u, body_id condition, std::uint64_t result) {
  std::vector<std::uint32_t> copies;
  for (const midend::unrolling_saving& s : u.savings) {
    if (s.kind == saving_kind::folded_test && s.value == condition && s.result == result) {
      copies.push_back(s.copy);
    }
  }
  return copies;
}

constexpr std::array<std::uint32_t, 9> factors = {1, 2, 3, 4, 5, 7, 8, 16, 32};

unrolled_body unrolled_by(const loop_body& body, std::uint32_t factor) {
  unroll_request request;
  request.copies = factor;
  return midend::unroll_body(body, midend::count_iterations(body), request);
}

constexpr midend::operation_flags no_signed_wrap = {true, false};

midend::body_access at(body_id base, body_id index, std::uint32_t bytes = 4) {
  return {base, index, midend::no_body_value, bytes, midend::any_memory, bytes, 0};
}

midend::body_access storing(midend::body_access a, body_id stored) {
  a.stored = stored;
  return a;
}

/// The worked examples.
struct example {
  loop_body body;
  body_id test = midend::no_body_value;     ///< inside the body
  body_id quotient = midend::no_body_value; ///< of the counter
  body_id loaded = midend::no_body_value;
  body_id invariant = midend::no_body_value;
  body_id increment = midend::no_body_value;
  body_id again = midend::no_body_value;
};

/// for i in 0..5 { sum += a[i]; sum += 2*x; if (i == 3) sum *= 2; }
example five_iterations() {
  example e;
  body_writer m;
  const body_id i = m.phi(32);
  const body_id sum = m.phi(32);
  const body_id a = m.invariant(64);
  const body_id x = m.invariant(32);
  const body_id start = m.invariant(32);
  const body_id c0 = m.constant(32, 0);
  const body_id c1 = m.constant(32, 1);
  const body_id c2 = m.constant(32, 2);
  const body_id c3 = m.constant(32, 3);
  const body_id c5 = m.constant(32, 5);
  m.block();
  e.loaded = m.load(32, at(a, i));
  const body_id s1 = m.op(operation::add, 32, {sum, e.loaded});
  e.invariant = m.op(operation::mul, 32, {x, c2});
  const body_id s2 = m.op(operation::add, 32, {s1, e.invariant});
  e.test = m.op(operation::equal, 1, {i, c3});
  const body_id twice = m.op(operation::shl, 32, {s2, c1});
  const body_id s3 = m.op(operation::select, 32, {e.test, twice, s2});
  e.increment = m.op(operation::add, 32, {i, c1}, no_signed_wrap);
  e.again = m.op(operation::less, 1, {e.increment, c5});
  m.set_phi(i, c0, e.increment);
  m.set_phi(sum, start, s3);
  m.body().live_out.push_back(s3);
  e.body = m.finish_single(e.again);
  return e;
}

/// for i in 0..1024 { sum += a[i]; sum += i/4; if (i % 16 == 0) sum *= 2; }
example quarters_and_sixteenths() {
  example e;
  body_writer m;
  const body_id i = m.phi(32);
  const body_id sum = m.phi(32);
  const body_id a = m.invariant(64);
  const body_id c0 = m.constant(32, 0);
  const body_id c1 = m.constant(32, 1);
  const body_id c4 = m.constant(32, 4);
  const body_id c16 = m.constant(32, 16);
  const body_id c1024 = m.constant(32, 1024);
  m.block();
  e.loaded = m.load(32, at(a, i));
  const body_id s1 = m.op(operation::add, 32, {sum, e.loaded});
  e.quotient = m.op(operation::div, 32, {i, c4});
  const body_id s2 = m.op(operation::add, 32, {s1, e.quotient});
  const body_id rest = m.op(operation::rem, 32, {i, c16});
  e.test = m.op(operation::equal, 1, {rest, c0});
  const body_id twice = m.op(operation::shl, 32, {s2, c1});
  const body_id s3 = m.op(operation::select, 32, {e.test, twice, s2});
  e.increment = m.op(operation::add, 32, {i, c1}, no_signed_wrap);
  e.again = m.op(operation::less, 1, {e.increment, c1024});
  m.set_phi(i, c0, e.increment);
  m.set_phi(sum, c0, s3);
  m.body().live_out.push_back(s3);
  e.body = m.finish_single(e.again);
  return e;
}

/// while (a[idx / 7] != x) { x++; idx++; }
example search() {
  example e;
  body_writer m;
  const body_id idx = m.phi(32);
  const body_id x = m.phi(32);
  const body_id a = m.invariant(64);
  const body_id x0 = m.invariant(32);
  const body_id c0 = m.constant(32, 0);
  const body_id c1 = m.constant(32, 1);
  const body_id c7 = m.constant(32, 7);
  m.block();
  e.quotient = m.op(operation::div, 32, {idx, c7});
  e.loaded = m.load(32, at(a, e.quotient));
  e.again = m.op(operation::not_equal, 1, {e.loaded, x});
  m.branch(e.again, 1, body_writer::leaves);
  m.block();
  const body_id x1 = m.op(operation::add, 32, {x, c1});
  e.increment = m.op(operation::add, 32, {idx, c1}, no_signed_wrap);
  m.jump(2);
  m.block();
  m.set_phi(idx, c0, e.increment);
  m.set_phi(x, x0, x1);
  m.body().live_out.push_back(idx);
  e.body = m.finish();
  return e;
}

} // namespace

TEST_CASE("example 1: five iterations, unrolled completely") {
  const example e = five_iterations();
  const loop_counters counters = midend::count_iterations(e.body);
  const unrolled_body rolled = unrolled_by(e.body, 1);
  CHECK(count(rolled, body_kind::load) == 1);
  CHECK(count(rolled, operation::add) == 2); // the counter is node + number
  CHECK(rolled.next[0] == midend::unrolled_operand{rolled.phis[0], 1});
  CHECK(count(rolled, operation::equal) == 1);
  CHECK(count(rolled, operation::shl) == 1); // twice x is computed before the loop
  CHECK(count(rolled, operation::less) == 1);
  CHECK(rolled.exits.size() == 1);

  const unrolled_body full = midend::unroll_body(e.body, counters, {5, true, true});
  CHECK(count(full, body_kind::load) == 5);
  CHECK(count(full, operation::add) == 10);
  CHECK(count(full, operation::shl) == 1);
  CHECK(count(full, operation::equal) + count(full, operation::less) + count(full, operation::select) == 0);
  CHECK(full.exits.empty());
  CHECK(copies_where(full, e.test, 0) == std::vector<std::uint32_t>{0, 1, 2, 4});
  CHECK(copies_where(full, e.test, 1) == std::vector<std::uint32_t>{3});
  CHECK(count(full, saving_kind::folded, e.test) == 5);
  CHECK(count(full, saving_kind::folded, e.increment) == 5);
  CHECK(count(full, saving_kind::folded, e.again) == 5);
  CHECK(count(full, saving_kind::removed_exit_test, e.again) == 5);
  CHECK(count(full, saving_kind::shared_expression, e.invariant) == 4);
}

TEST_CASE("example 2: quarters and sixteenths of a counter") {
  const example e = quarters_and_sixteenths();
  // By factor: quotients that differ by more than a number, and tests that are not decided.
  constexpr std::array<std::size_t, 9> quotients = {1, 1, 3, 1, 4, 4, 1, 1, 1};
  constexpr std::array<std::size_t, 9> tests = {1, 1, 3, 1, 5, 7, 1, 0, 0};
  constexpr std::array<std::size_t, 9> doublings = {1, 1, 3, 1, 5, 7, 1, 1, 2};
  for (std::size_t f = 0; f != factors.size(); ++f) {
    const std::uint32_t u = factors[f];
    CAPTURE(u);
    const unrolled_body out = unrolled_by(e.body, u);
    CHECK(count(out, body_kind::load) == u);
    CHECK(count(out, operation::add) == 2 * std::size_t{u});
    CHECK(count(out, operation::shr) == quotients[f]);
    CHECK(count(out, operation::equal) == tests[f]);
    CHECK(count(out, operation::bit_and) == tests[f]);
    CHECK(count(out, operation::select) == tests[f]);
    CHECK(count(out, operation::shl) == doublings[f]);
    CHECK(count(out, operation::less) == 1);
    CHECK(out.exits.size() == 1);
    CHECK(count(out, saving_kind::removed_exit_test, e.again) == u - 1);
    CHECK(copies_where(out, e.test, 0).size() + copies_where(out, e.test, 1).size() == u - tests[f]);
  }
  CHECK(copies_where(unrolled_by(e.body, 4), e.test, 0) == std::vector<std::uint32_t>{1, 2, 3});
  CHECK(copies_where(unrolled_by(e.body, 16), e.test, 1) == std::vector<std::uint32_t>{0});
  CHECK(copies_where(unrolled_by(e.body, 16), e.test, 0).size() == 15);
}

TEST_CASE("example 3: rotated phis are themselves again after three copies") {
  body_writer m;
  const body_id i = m.phi(32);
  const body_id sum = m.phi(32);
  const body_id a = m.phi(32);
  const body_id b = m.phi(32);
  const body_id c = m.phi(32);
  const std::array<body_id, 3> from = {m.invariant(32), m.invariant(32), m.invariant(32)};
  const body_id c0 = m.constant(32, 0);
  const body_id c1 = m.constant(32, 1);
  const body_id end = m.constant(32, 3000);
  m.block();
  const body_id s = m.op(operation::add, 32, {sum, a});
  const body_id next = m.op(operation::add, 32, {i, c1}, no_signed_wrap);
  m.set_phi(i, c0, next);
  m.set_phi(sum, c0, s);
  m.set_phi(a, from[0], b);
  m.set_phi(b, from[1], c);
  m.set_phi(c, from[2], a);
  m.body().live_out.push_back(s);
  const loop_body body = m.finish_single(m.op(operation::less, 1, {next, end}));
  for (const std::uint32_t u : factors) {
    CAPTURE(u);
    const unrolled_body out = unrolled_by(body, u);
    CHECK(count(out, operation::add) == u);
    for (std::uint32_t p = 0; p != 3; ++p) {
      CHECK(out.next[a + p] == midend::unrolled_operand{out.phis[a + (p + u) % 3], 0});
      CHECK(out.values[out.phis[a + p]].is_invariant == (u % 3 == 0));
    }
  }
}

TEST_CASE("example 4: a remainder, unrolled in turn") {
  body_writer m;
  const body_id i = m.phi(32);
  const body_id x = m.phi(32);
  const body_id a = m.invariant(64);
  const body_id c0 = m.constant(32, 0);
  const body_id c1 = m.constant(32, 1);
  const body_id end = m.constant(32, 1027);
  m.block();
  const body_id v = m.load(32, at(a, i));
  const body_id x1 = m.op(operation::bit_xor, 32, {x, v});
  const body_id next = m.op(operation::add, 32, {i, c1}, no_signed_wrap);
  m.set_phi(i, c0, next);
  m.set_phi(x, c0, x1);
  m.body().live_out.push_back(x1);
  const loop_body body = m.finish_single(m.op(operation::less, 1, {next, end}));
  const loop_counters counters = midend::count_iterations(body);
  for (const std::uint32_t u : factors) {
    const unrolled_body out = unrolled_by(body, u);
    CHECK(count(out, body_kind::load) == u);
    CHECK(count(out, operation::bit_xor) == u);
    CHECK(count(out, operation::less) == 1); // even if no iteration of the new loop ends with the last one
  }
  const unrolled_body rest = midend::unroll_body(body, counters, {3, true, false, 1024});
  CHECK(rest.phis[i] == midend::no_unrolled); // 1024
  CHECK(count(rest, body_kind::load) == 3);
  CHECK(count(rest, operation::less) == 0);
  CHECK(rest.exits.empty());
  for (const midend::unrolled_access& access : rest.accesses) {
    CHECK(access.index == midend::no_unrolled);
    CHECK(access.offset / 4 >= 1024);
  }
}

TEST_CASE("example 6: seven searches share a division and a load") {
  const example e = search();
  constexpr std::array<std::size_t, 9> divisions = {1, 2, 3, 4, 5, 1, 7, 7, 7};
  constexpr std::array<std::size_t, 9> loads = {1, 2, 3, 4, 5, 1, 8, 16, 32};
  for (std::size_t f = 0; f != factors.size(); ++f) {
    const std::uint32_t u = factors[f];
    CAPTURE(u);
    const unrolled_body out = unrolled_by(e.body, u);
    CHECK(count(out, operation::udiv) == divisions[f]);
    CHECK(count(out, body_kind::load) == loads[f]);
    CHECK(count(out, operation::not_equal) == u);
    CHECK(out.exits.size() == u);
    for (std::uint32_t k = 0; k != u; ++k) { // the counter at an exit is node + number
      CHECK(out.exit_values[k] == midend::unrolled_operand{out.phis[0], k});
    }
  }
  const unrolled_body seven = unrolled_by(e.body, 7);
  CHECK(count(seven, saving_kind::shared_expression, e.quotient) == 6);
  CHECK(count(seven, saving_kind::shared_load, e.loaded) == 6);
}

TEST_CASE("example 7: nothing is saved where nothing is common") {
  body_writer m;
  std::vector<body_id> phis;
  for (int i = 0; i != 8; ++i) {
    phis.push_back(m.phi(32));
  }
  const body_id x = m.invariant(32);
  const body_id n = m.invariant(32);
  std::vector<body_id> starts;
  for (std::uint64_t i = 0; i != 8; ++i) {
    starts.push_back(m.constant(32, i));
  }
  const body_id c0 = starts[0];
  const body_id c1 = starts[1];
  m.block();
  for (std::size_t i = 1; i != phis.size(); ++i) {
    m.set_phi(phis[i], starts[i], m.op(operation::sub, 32, {phis[i], x}));
    m.body().live_out.push_back(m.body().next(phis[i]));
  }
  const body_id next = m.op(operation::add, 32, {phis[0], c1}, no_signed_wrap);
  m.set_phi(phis[0], c0, next);
  const loop_body body = m.finish_single(m.op(operation::less, 1, {next, n}));
  for (const std::uint32_t u : factors) {
    const unrolled_body out = unrolled_by(body, u);
    CHECK(count(out, operation::sub) == 7 * std::size_t{u});
    CHECK(count(out, operation::less) == 1);
  }
}

namespace {

/// A loop that computes everything that may be known of a counter of few bits. The results go into two hashes: one of
/// those that do not use the increment, which may break its promise, and one of those that do.
class counter_battery {
public:
  loop_body body;

  struct kind {
    unsigned width;
    std::uint64_t start;
    std::uint64_t step;
    std::uint64_t bound;
    midend::operation_flags flags;
    bool has_bound;
  };

  explicit counter_battery(const kind& k) : width_(k.width) {
    const body_id i = writer_.phi(width_);
    const std::array<body_id, 2> hashes = {writer_.phi(64), writer_.phi(64)};
    const body_id forever = writer_.invariant(1);
    for (std::uint64_t n = 0; n <= midend::low_ones(width_); ++n) {
      numbers_.push_back(writer_.constant(width_, n));
    }
    for (const std::uint64_t n : {3U, 5U, 6U, 7U, 12U, 14U}) {
      wide_numbers_.push_back(writer_.constant(2 * width_, n));
    }
    const body_id step = writer_.constant(width_, k.step);
    const body_id zero = writer_.constant(64, 0);
    writer_.block();
    hash_ = hashes[0];
    ask(i);
    ask(writer_.op(operation::add, width_, {i, numbers_[3]}));
    ask(writer_.op(operation::sar, width_, {i, numbers_[1]}));
    ask(writer_.op(operation::div, width_, {i, numbers_[3]}));
    ask(writer_.op(operation::mul, width_, {i, numbers_[3]}));
    finish_hash(hashes[0], zero);
    hash_ = hashes[1];
    const body_id next = writer_.op(operation::add, width_, {i, step}, k.flags);
    ask(next);
    ask(writer_.op(operation::sub, width_, {next, numbers_[1]}, k.flags));
    ask(writer_.op(operation::sub, width_, {next, numbers_[5]}));
    finish_hash(hashes[1], zero);
    const body_id condition = k.has_bound ? writer_.op(operation::not_equal, 1, {next, numbers_[k.bound]}) : forever;
    writer_.set_phi(i, numbers_[k.start], next);
    body = writer_.finish_single(condition);
  }

private:
  void note(body_id answer) { hash_ = writer_.other(64, 1, {hash_, answer}); }

  void finish_hash(body_id phi, body_id zero) {
    writer_.set_phi(phi, zero, hash_);
    writer_.body().live_out.push_back(hash_);
  }

  void ask(body_id x) {
    for (const std::uint64_t m : {2U, 3U, 4U, 6U}) {
      for (const operation code : {operation::div, operation::rem, operation::udiv, operation::urem}) {
        note(writer_.op(code, width_, {x, numbers_[m]}));
      }
      note(writer_.op(operation::bit_and, width_, {x, numbers_[m - 1]}));
    }
    for (const std::uint64_t by : {1U, 2U}) {
      for (const operation code : {operation::shl, operation::shr, operation::sar}) {
        note(writer_.op(code, width_, {x, numbers_[by]}));
      }
    }
    for (const operation code : {operation::sign_extend, operation::zero_extend}) {
      const body_id wide = writer_.op(code, 2 * width_, {x});
      note(wide);
      for (const body_id number : wide_numbers_) {
        note(writer_.op(operation::equal, 1, {wide, number}));
        note(writer_.op(operation::rem, 2 * width_, {wide, number}));
      }
    }
    note(writer_.op(operation::truncate, width_ - 1, {x}));
    for (std::size_t n = 0; n < numbers_.size(); n += width_ - 2) {
      note(writer_.op(operation::equal, 1, {x, numbers_[n]}));
      note(writer_.op(operation::less, 1, {x, numbers_[n]}));
      note(writer_.op(operation::uless_equal, 1, {x, numbers_[n]}));
    }
  }

  unsigned width_;
  body_writer writer_;
  body_id hash_ = 0;
  std::vector<body_id> numbers_;
  std::vector<body_id> wide_numbers_;
};

} // namespace

TEST_CASE("counters of three and four bits: the facts about them are right") {
  std::size_t passes = 0;
  std::size_t wrong = 0;
  midend::unroll_body_workspace workspace;
  unrolled_body unrolled;
  const auto nothing = [](body_id, std::span<const std::uint64_t>) { return std::optional<std::uint64_t>(); };
  const auto check = [&](const counter_battery::kind& kind) {
    const counter_battery battery(kind);
    const loop_body& body = battery.body;
    const loop_counters counters = midend::count_iterations(body);
    const std::uint64_t forever = 1;
    const recorded_loop run(body, std::span(&forever, 1), 14);
    comparer c(body, counters, run);
    for (const std::uint32_t u : {1U, 2U, 3U, 4U, 6U}) {
      const std::uint64_t peeled = (kind.start + kind.step) % 3;
      const unroll_request request{u, false, false, peeled};
      midend::unroll_body(body, counters, request, nothing, workspace, unrolled);
      for (std::size_t first = peeled; first < run.iterations.size() && wrong < 10; first += u) {
        if (const char* const what = c.check(unrolled, request, first)) {
          ++wrong;
          FAIL_CHECK(std::string(what), ": ", kind.start, " step ", kind.step, " bound ", kind.bound, "/",
                     kind.has_bound, " promise ", kind.flags.no_signed_wrap, kind.flags.no_unsigned_wrap, " factor ", u,
                     " first ", first);
        }
      }
    }
    passes += c.passes;
  };
  for (const unsigned width : {3U, 4U}) {
    const std::uint64_t ones = midend::low_ones(width);
    for (std::uint64_t start = 0; start <= ones; start += width == 3 ? 1 : 5) {
      for (std::uint64_t step = 1; step <= ones; ++step) {
        for (const midend::operation_flags flags : {midend::operation_flags{}, {true, false}, {false, true}}) {
          check({width, start, step, 0, flags, false});
          check({width, start, step, (start + step * (start + 3)) & ones, flags, true});
        }
      }
    }
  }
  CHECK(passes > 1000);
}

TEST_CASE("random bodies: unrolled copies do what the iterations do") {
  std::size_t passes = 0;
  std::size_t exits = 0;
  std::size_t wrong = 0;
  int failed = -1;
  midend::unroll_body_workspace workspace;
  unrolled_body unrolled;
  const int bodies = 700;
  for (int seed = 0; seed != bodies && wrong < 10; ++seed) {
    const random_loop_body random(static_cast<std::uint64_t>(seed));
    const loop_body& body = random.body;
    const loop_counters counters = midend::count_iterations(body);
    const recorded_loop run(body, random.invariants, 24);
    comparer c(body, counters, run);
    const auto folder = [&](body_id v, std::span<const std::uint64_t> args) -> std::optional<std::uint64_t> {
      return strange(body.values[v].identity, args[0], args[1], body.values[v].info.width);
    };
    const auto check = [&](const unroll_request& request, std::size_t first) {
      if (failed == seed) {
        return;
      }
      if (first == 0 || first == request.first_iteration) {
        midend::unroll_body(body, counters, request, folder, workspace, unrolled);
        CHECK(is_well_formed(unrolled));
      }
      if (const char* const what = c.check(unrolled, request, first)) {
        ++wrong;
        failed = seed;
        FAIL_CHECK(std::string(what), ": seed ", seed, ", copies ", request.copies, ", straight ",
                   request.is_straight_line, ", entry ", request.begins_at_entry, ", first ", first, "/",
                   request.first_iteration, ", knows ", request.knows_position, ", drops ",
                   request.drops_counted_tests);
      }
    };
    for (std::uint32_t u = 1; u <= 8; ++u) {
      for (const bool drops : {false, true}) {
        for (const std::uint64_t peeled : {0U, 1U, 3U}) {
          unroll_request loop{u, false, false, peeled, true, drops};
          loop.mid_exit_copy = drops ? static_cast<std::uint32_t>(seed) % u : static_cast<std::uint32_t>(-1);
          for (std::size_t first = peeled; first < run.iterations.size(); first += u) {
            check(loop, first);
          }
          check({u, true, false, peeled, true, drops}, peeled);
        }
        check({u, true, true, 0, true, drops}, 0);
        for (const bool straight : {false, true}) {
          const unroll_request anywhere{u, straight, false, 0, false, drops};
          for (std::size_t first = 0; first < run.iterations.size(); ++first) {
            check(anywhere, first);
          }
        }
      }
    }
    passes += c.passes;
    exits += c.exits;
  }
  MESSAGE(passes, " passes compared, ", exits, " of them left the loop");
  CHECK(passes > 1000);
}

TEST_CASE("memory: what may have changed is loaded again") {
  struct {
    const char* what;
    std::int64_t store_offset;
    std::uint32_t store_bytes;
    std::uint32_t store_memory;
    bool other_base;
    bool is_volatile;
    bool calls;
    std::size_t loads; ///< of three copies that load one place and write another
  } const cases[] = {
      {"beside it", 4, 4, midend::any_memory, false, false, false, 1},
      {"before it", -4, 4, midend::any_memory, false, false, false, 1},
      {"its last byte", 3, 1, midend::any_memory, false, false, false, 3},
      {"up to its first byte", -3, 4, midend::any_memory, false, false, false, 3},
      {"not known how many bytes", 64, 0, midend::any_memory, false, false, false, 3},
      {"elsewhere, perhaps", 0, 4, midend::any_memory, true, false, false, 3},
      {"elsewhere, surely", 0, 4, 7, true, false, false, 1},
      {"surely elsewhere, but volatile", 0, 4, 7, true, true, false, 3},
      {"a call", 4, 4, midend::any_memory, false, false, true, 3},
  };

  for (const auto& c : cases) {
    CAPTURE(c.what);
    body_writer m;
    const body_id sum = m.phi(32);
    const body_id a = m.invariant(64);
    const body_id b = m.invariant(64);
    const body_id p = m.invariant(1);
    m.block();
    midend::body_access place = at(a, midend::no_body_value);
    place.memory = 3;
    const body_id v = m.load(32, place);
    const body_id s = m.op(operation::bit_xor, 32, {sum, v});
    midend::body_access other = storing(place, s);
    other.base = c.other_base ? b : a;
    other.offset = c.store_offset;
    other.bytes = c.store_bytes;
    other.memory = c.store_memory;
    m.body().values[m.store(other)].is_volatile = c.is_volatile;
    if (c.calls) {
      m.call(32, {s});
    }
    m.set_phi(sum, s, s); // any initial value
    const loop_body body = m.finish_single(p);
    CHECK(count(unrolled_by(body, 3), body_kind::load) == c.loads);
  }
}

TEST_CASE("memory: what was stored is not loaded") {
  body_writer m;
  const body_id i = m.phi(32);
  const body_id a = m.invariant(64);
  const body_id c0 = m.constant(32, 0);
  const body_id c1 = m.constant(32, 1);
  const body_id end = m.constant(32, 100);
  const body_id perhaps = m.invariant(1);
  m.block();
  const body_id v = m.load(32, at(a, i));
  const body_id w = m.op(operation::neg, 32, {v});
  const body_id next = m.op(operation::add, 32, {i, c1}, no_signed_wrap);
  const body_id stored = m.store(storing(at(a, next), w)); // which the next iteration loads
  m.set_phi(i, c0, next);
  loop_body body = m.finish_single(m.op(operation::less, 1, {next, end}));
  for (const std::uint32_t u : {1U, 2U, 4U}) {
    const unrolled_body out = unrolled_by(body, u);
    CHECK(count(out, body_kind::load) == 1);
    CHECK(count(out, body_kind::store) == u);
    CHECK(count(out, saving_kind::forwarded_load, v) == u - 1);
  }
  body.values[stored].guard = perhaps;
  CHECK(count(unrolled_by(body, 4), body_kind::load) == 4);
}

TEST_CASE("memory: a store that a later one overwrites is none, unless something may have read it") {
  enum class what {
    nothing,
    load_of_it,
    load_beside,
    load_elsewhere,
    unused_load,
    call,
    volatile_store,
    guard,
    changing_guard,
    exit
  };

  struct {
    what between;
    std::size_t stores; ///< of three copies
  } const cases[] = {
      {what::nothing, 1},        {what::load_of_it, 3}, {what::load_beside, 1},    {what::load_elsewhere, 3},
      {what::unused_load, 1},    {what::call, 3},       {what::volatile_store, 3}, {what::guard, 1},
      {what::changing_guard, 3}, {what::exit, 3}};

  for (const auto& c : cases) {
    CAPTURE(static_cast<int>(c.between));
    body_writer m;
    const body_id i = m.phi(32);
    const body_id sum = m.phi(32);
    const body_id a = m.invariant(64);
    const body_id b = m.invariant(64);
    const body_id c0 = m.constant(32, 0);
    const body_id c1 = m.constant(32, 1);
    const body_id end = m.constant(32, 99);
    const body_id perhaps = m.invariant(1);
    m.block();
    midend::body_access to = at(a, midend::no_body_value);
    const body_id stored = m.store(storing(to, i));
    const body_id odd = m.op(operation::truncate, 1, {i});
    m.body().values[odd].info.operand_width = 32;
    body_id total = sum;
    switch (c.between) {
    case what::load_of_it: // of its last byte: nothing says what that is
      to.offset = 3;
      to.bytes = 1;
      m.call(8, {m.load(8, to)});
      break;
    case what::load_beside:
      to.offset = 4;
      m.load(32, to);
      break;
    case what::load_elsewhere:
      total = m.op(operation::add, 32, {sum, m.load(32, at(b, midend::no_body_value))});
      break;
    case what::unused_load: // which reads no memory, therefore
      m.load(32, at(b, midend::no_body_value));
      break;
    case what::call:
      m.body().values[m.call(32, {i})].writes_nothing = true; // it may read all the same
      break;
    case what::volatile_store:
      m.body().values[stored].is_volatile = true;
      break;
    case what::guard:
      m.body().values[stored].guard = perhaps;
      break;
    case what::changing_guard:
      m.body().values[stored].guard = odd;
      break;
    default:
      break;
    }
    const body_id next = m.op(operation::add, 32, {i, c1}, no_signed_wrap);
    m.set_phi(i, c0, next);
    m.set_phi(sum, c0, total);
    const body_id again = c.between == what::exit ? m.op(operation::equal, 1, {m.op(operation::mul, 32, {i, i}), end})
                                                  : m.op(operation::less, 1, {next, end});
    loop_body body = m.finish_single(again);
    body.live_out.push_back(total);
    CHECK(count(unrolled_by(body, 1), body_kind::store) == 1);
    CHECK(count(unrolled_by(body, 3), body_kind::store) == c.stores);
    unroll_request written;
    written.as_written = true;
    CHECK(count(midend::unroll_body(body, midend::count_iterations(body), written), body_kind::store) == 1);
  }
}

TEST_CASE("memory: what is beside the loop matters to a straight line that begins and ends it, and to nothing else") {
  enum class what { nothing, in_the_way, unknown_place, wider, narrower, other_end };

  struct {
    what beside;
    std::size_t loads;  ///< of three copies that load [a], [a + 4] and [a + 8]
    std::size_t stores; ///< of those of [b], [b + 4] and [b + 8]
  } const cases[] = {{what::nothing, 2, 2}, {what::in_the_way, 3, 2}, {what::unknown_place, 3, 3},
                     {what::wider, 1, 1},   {what::narrower, 3, 3},   {what::other_end, 2, 2}};

  for (const auto& c : cases) {
    CAPTURE(static_cast<int>(c.beside));
    body_writer m;
    const body_id i = m.phi(32);
    const body_id sum = m.phi(32);
    const body_id a = m.invariant(64);
    const body_id b = m.invariant(64);
    const body_id held = m.invariant(c.beside == what::wider ? 64 : c.beside == what::narrower ? 8 : 32);
    const body_id start = m.invariant(32);
    const body_id c0 = m.constant(32, 0);
    const body_id c1 = m.constant(32, 1);
    const body_id end = m.constant(32, 3);
    m.block();
    midend::body_access from = at(a, i);
    midend::body_access to = storing(at(b, i), sum);
    from.memory = 1;
    to.memory = 2;
    const body_id s = m.op(operation::bit_xor, 32, {sum, m.load(32, from)});
    m.store(to);
    const body_id next = m.op(operation::add, 32, {i, c1}, no_signed_wrap);
    m.set_phi(i, c0, next);
    m.set_phi(sum, start, s);
    m.body().live_out.push_back(s);
    loop_body body = m.finish_single(m.op(operation::less, 1, {next, end}));
    body.is_little_endian = true;

    midend::body_access before = storing(at(a, midend::no_body_value), held);
    midend::body_access after = at(b, midend::no_body_value);
    before.memory = 1;
    after.memory = 2;
    before.bytes = after.bytes = body.values[held].info.width / 8U;
    before.offset = after.offset = c.beside == what::other_end ? 8 : 0;
    body.before.push_back({body_kind::store, before});
    if (c.beside == what::in_the_way || c.beside == what::unknown_place) {
      midend::body_access other = before;
      other.base = c.beside == what::in_the_way ? a : midend::no_body_value;
      other.offset = 3; // the last byte
      other.bytes = 1;
      other.stored = midend::no_body_value;
      body.before.push_back({body_kind::store, other});
      other.memory = 2;
      other.base = c.beside == what::in_the_way ? b : midend::no_body_value; // of [b] it is known what it loads
      body.after.push_back({body_kind::load, other});
    }
    body.after.push_back({body_kind::store, after});

    const loop_counters counters = midend::count_iterations(body);
    unroll_request request;
    request.copies = 3;
    request.is_straight_line = request.begins_at_entry = request.ends_loop = true;
    const unrolled_body line = midend::unroll_body(body, counters, request);
    CHECK(count(line, body_kind::load) == c.loads);
    CHECK(count(line, body_kind::store) == c.stores);
    CHECK(std::ranges::count_if(line.values, [](const midend::unrolled_node& n) {
            return n.info.code == operation::truncate;
          }) == (c.beside == what::wider ? 2 : 0));
    request.ends_loop = false;
    CHECK(count(midend::unroll_body(body, counters, request), body_kind::store) == 3);
    CHECK(count(unrolled_by(body, 3), body_kind::load) == 3);
    CHECK(count(unrolled_by(body, 3), body_kind::store) == 3);
    if (c.beside == what::wider) {
      body.is_little_endian = false;
      CHECK(count(midend::unroll_body(body, counters, request), body_kind::load) == 3);
    }
  }
}

TEST_CASE("memory: after an exit between the copies, only what was known before it is known after the loop") {
  for (const bool first : {false, true}) {
    body_writer m;
    const body_id i = m.phi(32);
    const body_id a = m.invariant(64);
    const body_id x = m.invariant(32);
    const body_id c0 = m.constant(32, 0);
    const body_id c1 = m.constant(32, 1);
    const body_id end = m.constant(32, 3);
    m.block();
    m.store(storing(at(a, i), x));
    const body_id q = m.load(1, at(x, i));
    m.branch(q, body_writer::leaves, 1);
    m.block();
    const body_id next = m.op(operation::add, 32, {i, c1}, no_signed_wrap);
    m.branch(m.op(operation::less, 1, {next, end}), 2, body_writer::leaves);
    m.block();
    m.set_phi(i, c0, next);
    loop_body body = m.finish();
    for (midend::body_access& access : body.accesses) {
      access.memory = access.base == a ? 1 : 2;
    }
    midend::body_access after = at(a, midend::no_body_value);
    after.memory = 1;
    after.offset = first ? 0 : 4;
    body.after.push_back({body_kind::load, after});
    body.after.push_back({body_kind::store, after});
    unroll_request request;
    request.copies = 3;
    request.is_straight_line = request.begins_at_entry = request.ends_loop = true;
    const unrolled_body line = midend::unroll_body(body, midend::count_iterations(body), request);
    CHECK(count(line, body_kind::store) == (first ? 2 : 3)); // else the load after the loop reads it
    CHECK(line.live_out.size() == (first ? 1 : 0));
  }
}

TEST_CASE("a mask of bits that are all known is a number") {
  body_writer m; // x doubles: from the third copy on, x & 4 is 0
  const body_id x = m.phi(32);
  const body_id s = m.phi(32);
  const body_id start = m.invariant(32);
  const body_id p = m.invariant(1);
  const body_id one = m.constant(32, 1);
  const body_id four = m.constant(32, 4);
  m.block();
  const body_id bit = m.op(operation::bit_and, 32, {x, four});
  const body_id sum = m.op(operation::bit_xor, 32, {s, bit});
  m.set_phi(x, start, m.op(operation::shl, 32, {x, one}));
  m.set_phi(s, start, sum);
  m.body().live_out.push_back(sum);
  const loop_body body = m.finish_single(p);
  CHECK(count(unrolled_by(body, 2), operation::bit_and) == 2);
  CHECK(count(unrolled_by(body, 3), operation::bit_and) == 3);
  CHECK(count(unrolled_by(body, 8), operation::bit_and) == 3);
}

TEST_CASE("memory: two stores of one value are two as they are written, and one otherwise") {
  body_writer m;
  const body_id i = m.phi(32);
  const body_id a = m.invariant(64);
  const body_id x = m.invariant(32);
  const body_id c0 = m.constant(32, 0);
  const body_id c1 = m.constant(32, 1);
  const body_id end = m.constant(32, 99);
  m.block();
  m.store(storing(at(a, midend::no_body_value), x));
  m.store(storing(at(a, midend::no_body_value), x));
  const body_id next = m.op(operation::add, 32, {i, c1}, no_signed_wrap);
  m.set_phi(i, c0, next);
  const loop_body body = m.finish_single(m.op(operation::less, 1, {next, end}));
  unroll_request written;
  written.as_written = true;
  CHECK(count(midend::unroll_body(body, midend::count_iterations(body), written), body_kind::store) == 2);
  CHECK(count(unrolled_by(body, 3), body_kind::store) == 1);
}

TEST_CASE("the least and the greatest of a value and itself is that value") {
  for (const operation code : {operation::min, operation::max, operation::umin, operation::umax}) {
    body_writer m;
    const body_id x = m.phi(32);
    const body_id y = m.phi(32);
    const body_id p = m.invariant(1);
    const body_id start = m.invariant(32);
    const body_id other = m.invariant(32);
    m.block();
    const body_id next = m.op(code, 32, {x, y});
    m.body().live_out.push_back(next);
    m.set_phi(x, start, next);
    m.set_phi(y, other, next);
    CHECK(count(unrolled_by(m.finish_single(p), 4), code) == 1);
  }
}

TEST_CASE("an operation of bits, a shift, or a sum that is done again is folded with the one before") {
  struct sample {
    operation code;
    bool by_number;
    std::size_t left; ///< of three copies
  };

  for (const sample x : {
           sample{operation::bit_and, false, 1},
           sample{operation::bit_or, false, 1},
           sample{operation::bit_xor, false, 1},
           sample{operation::sub, false, 3}, // no rule
           sample{operation::bit_and, true, 1},
           sample{operation::bit_or, true, 1},
           sample{operation::shl, true, 3},
           sample{operation::shr, true, 3},
           sample{operation::sar, true, 3},
           sample{operation::mul, true, 3},
       }) {
    body_writer m;
    const body_id v = m.phi(32);
    const body_id start = m.invariant(32);
    const body_id y = m.invariant(32);
    const body_id number = m.constant(32, 5);
    m.block();
    const body_id next = m.op(x.code, 32, {v, x.by_number ? number : y});
    m.set_phi(v, start, next);
    m.body().live_out.push_back(next);
    const unrolled_body out = unrolled_by(m.finish_single(m.op(operation::less, 1, {next, start})), 3);
    CHECK_MESSAGE(count(out, x.code) == x.left, static_cast<int>(x.code));
    if (x.by_number && out.next.size() == 1) { // each copy reads the phi itself
      const midend::unrolled_operand last = out.next[0];
      CHECK(out.operands_of(last.node)[0] == midend::unrolled_operand{out.phis[0], 0});
    }
  }
}

TEST_CASE("shifts that leave nothing are 0, and signs are shifted no further than that") {
  for (const operation code : {operation::shl, operation::shr, operation::sar}) {
    body_writer m;
    const body_id v = m.phi(32);
    const body_id start = m.invariant(32);
    const body_id p = m.invariant(1);
    const body_id number = m.constant(32, 20);
    m.block();
    const body_id next = m.op(code, 32, {v, number});
    m.set_phi(v, start, next);
    m.body().live_out.push_back(next);
    const unrolled_body out = unrolled_by(m.finish_single(p), 2);
    const midend::unrolled_node& last = out.values[out.next[0].node];
    if (code == operation::sar) {
      CHECK(out.values[out.operands_of(out.next[0].node)[1].node].bits == 31);
    } else {
      CHECK(last.kind == body_kind::constant);
      CHECK(last.bits == 0);
    }
  }
}

TEST_CASE("the low bits of what is made by `or` are known") {
  body_writer m; // s ^= (v | 1) & 1, which is 1
  const body_id v = m.phi(32);
  const body_id s = m.phi(32);
  const body_id start = m.invariant(32);
  const body_id y = m.invariant(32);
  const body_id p = m.invariant(1);
  const body_id one = m.constant(32, 1);
  m.block();
  const body_id odd = m.op(operation::bit_or, 32, {v, one});
  const body_id low = m.op(operation::bit_and, 32, {odd, one});
  const body_id sum = m.op(operation::bit_xor, 32, {s, low});
  m.set_phi(v, start, m.op(operation::mul, 32, {v, y}));
  m.set_phi(s, start, sum);
  m.body().live_out.push_back(sum);
  CHECK(count(unrolled_by(m.finish_single(p), 2), operation::bit_and) == 0);
}

TEST_CASE("memory: under a branch, another copy finds neither what was loaded nor a store to overwrite") {
  for (const bool branches : {false, true}) {
    body_writer m;
    const body_id i = m.phi(32);
    const body_id a = m.invariant(64);
    const body_id b = m.invariant(64);
    const body_id c = m.invariant(1);
    const body_id c0 = m.constant(32, 0);
    const body_id c1 = m.constant(32, 1);
    const body_id end = m.constant(32, 99);
    midend::body_access to = at(b, midend::no_body_value);
    to.memory = 1;
    midend::body_access from = at(a, midend::no_body_value);
    from.memory = 2;
    m.block();
    if (branches) {
      m.branch(c, 1, 2);
      m.block();
    }
    const body_id loaded = m.load(32, from);
    const body_id stored = m.store(storing(to, loaded));
    if (branches) {
      m.jump(2);
      m.block();
    } else {
      m.body().values[loaded].guard = c;
      m.body().values[stored].guard = c;
    }
    const body_id next = m.op(operation::add, 32, {i, c1}, no_signed_wrap);
    m.branch(m.op(operation::less, 1, {next, end}), branches ? 3 : 1, body_writer::leaves);
    m.block();
    m.set_phi(i, c0, next);
    m.body().live_out.push_back(loaded);
    const unrolled_body out = unrolled_by(m.finish(), 3);
    CHECK(count(out, body_kind::load) == (branches ? 3 : 1));
    CHECK(count(out, body_kind::store) == (branches ? 3 : 1));
  }
}

TEST_CASE("a choice by a condition that has chosen before is made once") {
  for (const bool swaps : {false, true}) {
    body_writer m;
    const body_id x = m.phi(32);
    const body_id y = m.invariant(32);
    const body_id c = m.invariant(1);
    const body_id p = m.invariant(1);
    const body_id start = m.invariant(32);
    m.block();
    const body_id next = swaps ? m.op(operation::select, 32, {c, x, y}) : m.op(operation::select, 32, {c, y, x});
    m.body().live_out.push_back(next);
    m.set_phi(x, start, next);
    CHECK(count(unrolled_by(m.finish_single(p), 4), operation::select) == 1);
  }
  body_writer m; // conditions that differ from copy to copy choose each time
  const body_id x = m.phi(32);
  const body_id i = m.phi(32);
  const body_id y = m.invariant(32);
  const body_id p = m.invariant(1);
  const body_id start = m.invariant(32);
  m.block();
  const body_id c = m.op(operation::less, 1, {i, y});
  const body_id next = m.op(operation::select, 32, {c, y, x});
  m.body().live_out.push_back(next);
  m.set_phi(x, start, next);
  m.set_phi(i, start, m.op(operation::sub, 32, {i, x}));
  CHECK(count(unrolled_by(m.finish_single(p), 4), operation::select) == 4);
}

TEST_CASE(
    "a header phi whose next value is its first one needs no move, and equal phis are one after the first iteration") {
  body_writer m;
  const body_id i = m.phi(32);
  const body_id a = m.phi(32);
  const body_id b = m.phi(32);
  const body_id j = m.phi(32);
  const body_id y = m.invariant(32);
  const body_id z = m.invariant(32);
  const body_id c0 = m.constant(32, 0);
  const body_id c1 = m.constant(32, 1);
  const body_id end = m.constant(32, 99);
  m.block();
  const body_id next = m.op(operation::add, 32, {i, c1}, no_signed_wrap);
  m.set_phi(i, c0, next);
  m.set_phi(a, y, b); // y, z, y, y: after two copies y again
  m.set_phi(b, z, y);
  m.set_phi(j, y, next);
  for (const body_id v : {a, j}) {
    m.body().live_out.push_back(v);
  }
  const loop_body body = m.finish_single(m.op(operation::less, 1, {next, end}));
  const unrolled_body rolled = unrolled_by(body, 1);
  CHECK(rolled.next[1] == midend::unrolled_operand{rolled.phis[2], 0});
  const unrolled_body twice = unrolled_by(body, 2);
  CHECK(twice.next[1] == midend::unrolled_operand{twice.phis[1], 0});
  CHECK(twice.next[2] != midend::unrolled_operand{twice.phis[2], 0});
  unroll_request peeled;
  peeled.first_iteration = 1;
  const unrolled_body after = midend::unroll_body(body, midend::count_iterations(body), peeled);
  CHECK(after.phis[0] != midend::no_unrolled);
  CHECK(after.phis[3] == midend::no_unrolled); // it is the counter
  CHECK(twice.phis[3] != midend::no_unrolled);
}

/// while (true) { ++i; if (i >= 100) break; (or go on) if (i >= 100) break; v = -i; if (i * i == x) break; }
loop_body tested_twice(bool reads_at_last_exit) {
  body_writer m;
  const body_id i = m.phi(32);
  const body_id c0 = m.constant(32, 0);
  const body_id c1 = m.constant(32, 1);
  const body_id end = m.constant(32, 100);
  const body_id x = m.invariant(32);
  m.block();
  const body_id next = m.op(operation::add, 32, {i, c1}, no_signed_wrap);
  const body_id again = m.op(operation::less, 1, {next, end});
  m.branch(again, 1, body_writer::leaves);
  m.block();
  m.branch(again, 2, body_writer::leaves);
  m.block();
  const body_id v = m.op(operation::neg, 32, {next});
  m.branch(m.op(operation::equal, 1, {m.op(operation::mul, 32, {next, next}), x}), body_writer::leaves, 3);
  m.block();
  m.set_phi(i, c0, next);
  m.body().live_out.push_back(again);
  m.body().live_out.push_back(v);
  if (reads_at_last_exit) {
    m.body().exit_uses.push_back({again, 1}); // read after the first exit only
  }
  return m.finish();
}

TEST_CASE("a value is needed at the exits after which it is read") {
  for (const bool somewhere : {true, false}) {
    loop_body body = tested_twice(!somewhere);
    unroll_request request;
    request.copies = 3;
    request.continues_rolled = true;
    const unrolled_body out = midend::unroll_body(body, midend::count_iterations(body), request);
    std::size_t reads = 0;
    for (std::size_t e = 0; e != out.exits.size(); ++e) {
      reads += out.exit_values[2 * e].node != midend::no_unrolled ? 1U : 0U;
      const bool is_last = out.exits[e].edge == 4;
      CHECK((out.exit_values[2 * e + 1].node != midend::no_unrolled) == is_last);
    }
    CHECK(reads == (somewhere ? 3 : 0)); // by the exits that data decide
  }
}

TEST_CASE("a bit by which no copy has left is known in the copies after it, and after peeled iterations") {
  for (const bool disjunction : {false, true}) {
    for (const std::uint64_t first : {0U, 2U}) {
      body_writer m;
      const body_id i = m.phi(32);
      const body_id start = m.invariant(32);
      const body_id p = m.invariant(1);
      const body_id x = m.invariant(32);
      m.block();
      const body_id test = m.op(operation::less, 1, {m.op(operation::mul, 32, {i, i}), x});
      const body_id code = disjunction ? m.op(operation::bit_or, 1, {test, p}) : m.op(operation::bit_and, 1, {test, p});
      m.set_phi(i, start, m.op(operation::sub, 32, {i, x}));
      const loop_body body = m.finish_single(code, !disjunction); // leaves if (test || p), stays if (test && p)
      unroll_request request;
      request.copies = 3;
      request.first_iteration = first;
      const unrolled_body out = midend::unroll_body(body, midend::count_iterations(body), request);
      const std::size_t left = first == 0 ? 1 : 0;
      CHECK(count(out, disjunction ? operation::bit_or : operation::bit_and) == left);
      CHECK(out.exits.size() == 3);
    }
  }
}

TEST_CASE("a second branch on the test of the counted exit goes with it") {
  const loop_body body = tested_twice(false);
  const loop_counters counters = midend::count_iterations(body);
  for (const bool continues : {false, true}) {
    unroll_request request;
    request.copies = 3;
    request.continues_rolled = continues;
    const unrolled_body out = midend::unroll_body(body, counters, request);
    std::array<std::size_t, 3> exits{}; // by block
    for (const midend::unrolled_exit& e : out.exits) {
      ++exits[body.edges[e.edge].source];
    }
    CHECK(exits[0] == 1);
    CHECK(exits[1] == 0); // where the first one is kept, it decides the second one
    CHECK(exits[2] == 3);
  }
}

TEST_CASE("a new body knows no end of its counter, whether the rolled loop continues it or not") {
  body_writer m;
  const body_id i = m.phi(32);
  const body_id s = m.phi(32);
  const body_id c0 = m.constant(32, 0);
  const body_id c1 = m.constant(32, 1);
  const body_id end = m.constant(32, 102);
  m.block();
  const body_id early = m.op(operation::uless, 1, {i, end}); // always
  const body_id bit = m.op(operation::zero_extend, 32, {early});
  m.body().values[bit].info.operand_width = 1;
  const body_id sum = m.op(operation::add, 32, {s, bit});
  const body_id next = m.op(operation::add, 32, {i, c1}, no_signed_wrap);
  m.set_phi(i, c0, next);
  m.set_phi(s, c0, sum);
  m.body().live_out.push_back(sum);
  const loop_body body = m.finish_single(m.op(operation::less, 1, {next, end}));
  for (const bool continues : {false, true}) {
    unroll_request request;
    request.copies = 4;
    request.continues_rolled = continues;
    const unrolled_body out = midend::unroll_body(body, midend::count_iterations(body), request);
    CHECK(count(out, operation::uless) + count(out, operation::less) > 1);
  }
}

TEST_CASE("memory: a guarded load is shared only under the same guard") {
  for (const bool guarded : {false, true}) {
    for (const bool same : {false, true}) {
      body_writer m;
      const body_id sum = m.phi(32);
      const body_id a = m.invariant(64);
      const body_id p = m.invariant(1);
      const body_id q = m.invariant(1);
      m.block();
      const body_id first = m.load(32, at(a, midend::no_body_value));
      const body_id second = m.load(32, at(a, midend::no_body_value));
      m.body().values[first].guard = p;
      m.body().values[second].guard = guarded ? (same ? p : q) : midend::no_body_value;
      const body_id s1 = m.op(operation::select, 32, {p, first, sum});
      const body_id s2 = m.op(operation::bit_xor, 32, {s1, second});
      m.body().live_out.push_back(s2);
      m.set_phi(sum, s2, s2); // any initial value
      const loop_body body = m.finish_single(q);
      CHECK(count(unrolled_by(body, 1), body_kind::load) == (guarded && same ? 1 : 2));
    }
  }
}

TEST_CASE("blocks: predicates are conditions of branches, and joins select by them") {
  body_writer m;
  const body_id x = m.phi(32);
  const body_id p = m.invariant(1);
  const body_id q = m.invariant(1);
  const body_id y = m.invariant(32);
  const body_id a = m.invariant(64);
  const auto of_unknown_size = [&] {
    midend::body_access to = at(a, midend::no_body_value);
    to.bytes = 0; // nobody knows what it overwrites
    return to;
  };
  m.block(); // p ? (q ? 2 : 3) : 4
  m.branch(p, 1, 5);
  m.block();
  m.branch(q, 2, 3);
  m.block();
  const body_id v2 = m.op(operation::neg, 32, {x});
  m.store(storing(of_unknown_size(), v2));
  m.jump(4);
  m.block();
  const body_id v3 = m.op(operation::bit_not, 32, {x});
  m.jump(4);
  m.block(); // after 2 and 3
  const body_id v4 = m.join({v2, v3});
  m.store(storing(of_unknown_size(), v4));
  m.jump(5);
  m.block(); // after all
  const body_id v5 = m.join({x, v4});
  m.store(storing(of_unknown_size(), v5));
  m.branch(m.op(operation::less, 1, {m.op(operation::mul, 32, {v5, v5}), y}), 6, body_writer::leaves);
  m.block();
  m.set_phi(x, v5, v5); // any initial value
  m.body().live_out.assign(std::span<const body_id>(std::array{x, v2, v5}));
  const loop_body body = m.finish();
  for (const std::uint32_t u : {1U, 2U, 3U}) {
    const unrolled_body out = unrolled_by(body, u);
    CHECK(out.inner_branches == 2 * u);
    for (std::uint32_t k = 0; k != u; ++k) { // a value that some path does not compute has no node
      CHECK(out.exit_values[3 * k].node != midend::no_unrolled);
      CHECK(out.exit_values[3 * k + 1].node == midend::no_unrolled);
      CHECK(out.exit_values[3 * k + 2].node != midend::no_unrolled);
    }
    std::vector<const midend::unrolled_node*> stores;
    for (const midend::unrolled_node& n : out.values) {
      if (n.kind == body_kind::store) {
        stores.push_back(&n);
      }
    }
    REQUIRE(stores.size() == 3 * std::size_t{u});
    const midend::unrolled_node& both = out.values[stores[0]->guard];
    CHECK(both.info.code == operation::bit_and); // the conjunction of both conditions, one node for all copies
    CHECK(both.info.width == 1);
    CHECK(stores[0]->guard == stores[3 * (u - 1)]->guard);
    CHECK(out.values[stores[1]->guard].origin == p);
    CHECK(stores[2]->guard == midend::no_unrolled);
    CHECK(count(out, operation::select) == 2 * std::size_t{u}); // each by one condition, without a conjunction
    CHECK(out.exits.size() == u);
  }
}

namespace {

/// for (i = 0; i != 6; ++i) x += i / 2, in three copies: additions of how many different quotients?
constexpr std::size_t quotients_at_compile_time() {
  loop_body body;
  const auto add = [&](body_kind kind, operation code, std::initializer_list<body_id> operands, std::uint64_t bits) {
    midend::body_value v{};
    v.kind = kind;
    v.info = {code, static_cast<std::uint8_t>(midend::is_comparison(code) ? 1 : 32), 32, no_signed_wrap};
    v.block = kind == body_kind::pure ? 0 : midend::no_body_value;
    v.guard = midend::no_body_value;
    v.bits = bits;
    v.first_operand = static_cast<std::uint32_t>(body.operands.size());
    v.num_operands = static_cast<std::uint32_t>(operands.size());
    for (const body_id o : operands) {
      body.operands.push_back(o);
    }
    body.values.push_back(v);
  };
  body.num_phis = 2;
  add(body_kind::phi, operation::other, {2, 6}, 0);
  add(body_kind::phi, operation::other, {2, 8}, 0);
  for (const std::uint64_t n : {0U, 1U, 2U, 6U}) {
    add(body_kind::constant, operation::other, {}, n);
  }
  add(body_kind::pure, operation::add, {0, 3}, 0);
  add(body_kind::pure, operation::div, {0, 4}, 0);
  add(body_kind::pure, operation::add, {1, 7}, 0);
  add(body_kind::pure, operation::not_equal, {6, 5}, 0);
  body.blocks.push_back({6, 10, 0, 2, 0, 0, 9, 0});
  body.blocks.push_back({10, 10, 2, 2, 0, 1, midend::no_body_value, midend::no_node});
  body.edges.push_back({0, 1, true, 1, 0});
  body.edges.push_back({0, midend::body_edge::leaves, true, 0, 1});
  body.in_edges.push_back(0);
  body.live_out.push_back(8);
  unroll_request request;
  request.copies = 3;
  const unrolled_body out = midend::unroll_body(body, midend::count_iterations(body), request);
  std::size_t quotients = 0;
  for (const midend::unrolled_node& n : out.values) {
    quotients += n.kind == body_kind::pure && n.info.code == operation::shr ? 1 : 0;
  }
  return quotients;
}

// 3 and 2 have nothing in common: i/2 and (i+1)/2, which is not, and (i+2)/2, which is i/2 + 1.
static_assert(quotients_at_compile_time() == 2);

} // namespace

TEST_CASE("peeling: after the first iteration a phi is its loop-invariant next value") {
  body_writer m;
  const body_id first = m.phi(1);
  const body_id x = m.phi(32);
  const body_id a = m.invariant(64);
  const body_id again = m.invariant(1);
  const body_id yes = m.constant(1, 1);
  const body_id no = m.constant(1, 0);
  const body_id c5 = m.constant(32, 5);
  m.block();
  const body_id v = m.op(operation::neg, 32, {x});
  const body_id s = m.op(operation::select, 32, {first, c5, v});
  m.store(storing(at(a, midend::no_body_value), s));
  m.set_phi(first, yes, no);
  m.set_phi(x, c5, s);
  const loop_body body = m.finish_single(again);
  const loop_counters counters = midend::count_iterations(body);
  CHECK(count(midend::unroll_body(body, counters, {2, false}), operation::select) == 1);
  CHECK(count(midend::unroll_body(body, counters, {2, false, false, 1}), operation::select) == 0);
  CHECK(copies_where(midend::unroll_body(body, counters, {1, true, true}), first, 1).size() == 1);
}
