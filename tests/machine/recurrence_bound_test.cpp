// RecMII, critical path, register need: against the definitions on small bodies.
#include "kit/affordable.hpp"
#include "kit/small_stack.hpp"
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/machine/critical_path.hpp>
#include <midend/machine/e2k.hpp>
#include <midend/machine/recurrence_bound.hpp>
#include <midend/machine/register_need.hpp>
#include <midend/machine/scalar_core.hpp>

#include <algorithm>
#include <vector>

using namespace midend_tests;
using enum midend::operation_class;
using midend::critical_path;
using midend::dependence_graph;
using midend::dependence_kind;
using midend::fraction;
using midend::operation_dependence;
using midend::operation_id;
using midend::recurrence_bound;
using midend::recurrence_status;

namespace {

dependence_graph random_body(random_source& random, std::size_t operations, std::size_t dependences, bool sound) {
  dependence_graph g;
  for (std::size_t o = 0; o != operations; ++o) {
    g.add_operation(alu, random.below(5));
  }
  for (std::size_t i = 0; i != dependences; ++i) {
    const operation_id from = random.below(operations);
    const operation_id to = random.below(operations);
    const std::uint32_t distance = sound && from >= to ? 1 + random.below(3) : random.below(3);
    g.add_dependence({from, to, random.below(6), distance, dependence_kind::value});
  }
  return g;
}

/// All simple cycles, by search from their least operation.
class all_cycles {
public:
  explicit all_cycles(const dependence_graph& g) : g_(g), on_path_(g.num_operations(), false) {
    for (operation_id o = 0; o != g.num_operations(); ++o) {
      extend(o, o, 0, 0);
    }
  }

  bool has_impossible() const { return impossible_; }

  fraction greatest() const { return greatest_; }

private:
  void extend(operation_id start, operation_id at, std::uint64_t latency, std::uint64_t distance) {
    on_path_[at] = true;
    for (const operation_dependence& d : g_.dependences()) {
      if (d.producer != at) {
        continue;
      }
      if (d.consumer == start) {
        close(latency + d.latency, distance + d.distance);
      } else if (d.consumer > start && !on_path_[d.consumer]) {
        extend(start, d.consumer, latency + d.latency, distance + d.distance);
      }
    }
    on_path_[at] = false;
  }

  void close(std::uint64_t latency, std::uint64_t distance) {
    if (distance == 0) {
      impossible_ = true;
    } else {
      greatest_ = std::max(greatest_, fraction(latency, distance));
    }
  }

  const dependence_graph& g_;
  std::vector<bool> on_path_;
  bool impossible_ = false;
  fraction greatest_;
};

/// Whether the dependences are a closed walk; its latency and distance.
bool is_cycle(const dependence_graph& g, const midend::flat_array<std::uint32_t>& cycle, std::uint64_t& latency,
              std::uint64_t& distance) {
  latency = distance = 0;
  for (std::size_t i = 0; i != cycle.size(); ++i) {
    const operation_dependence& d = g.dependences()[cycle[i]];
    if (d.consumer != g.dependences()[cycle[(i + 1) % cycle.size()]].producer) {
      return false;
    }
    latency += d.latency;
    distance += d.distance;
  }
  return !cycle.empty();
}

constexpr bool two_combined_operations_give_four() {
  const auto m = midend::e2k_reference_v6();
  dependence_graph g;
  const operation_id a = g.add_operation(m, combined_alu);
  const operation_id b = g.add_operation(m, combined_alu);
  g.add_dependence(m, a, b, dependence_kind::value, 0);
  g.add_dependence(m, b, a, dependence_kind::value, 1);
  const auto bound = recurrence_bound(g);
  return bound.status == recurrence_status::bound && bound.exact == fraction(4) && bound.cycle.size() == 2;
}

static_assert(two_combined_operations_give_four());

} // namespace

TEST_CASE("recurrence_bound: the golden loops") {
  const auto m = midend::e2k_reference_v6();
  dependence_graph g; // two additions, one after the other, from iteration to iteration
  const operation_id a = g.add_operation(m, alu);
  const operation_id b = g.add_operation(m, alu);
  const operation_id c = g.add_operation(m, load);
  g.add_dependence(m, c, a, dependence_kind::value, 0);
  g.add_dependence(m, a, b, dependence_kind::value, 0);
  g.add_dependence(m, b, a, dependence_kind::value, 1);
  const auto bound = recurrence_bound(g);
  CHECK(bound.cycles() == 2);
  CHECK(bound.cycle.size() == 2);
  CHECK(two_combined_operations_give_four());
}

TEST_CASE("recurrence_bound: without cycles, with impossible ones, with large numbers") {
  dependence_graph g;
  CHECK(recurrence_bound(g).status == recurrence_status::none);
  const operation_id a = g.add_operation(alu, 1);
  const operation_id b = g.add_operation(alu, 1);
  g.add_dependence({a, b, 7, 0, dependence_kind::value});
  CHECK(recurrence_bound(g).status == recurrence_status::none);
  g.add_dependence({b, a, 0, 2, dependence_kind::value});
  CHECK(recurrence_bound(g).exact == fraction(7, 2));
  CHECK(recurrence_bound(g).cycles() == 4);
  g.add_dependence({b, b, 9, 2, dependence_kind::value}); // on itself
  CHECK(recurrence_bound(g).exact == fraction(9, 2));
  CHECK(recurrence_bound(g).cycle.size() == 1);
  dependence_graph impossible = g;
  impossible.add_dependence({b, a, 0, 0, dependence_kind::value});
  const auto wrong = recurrence_bound(impossible);
  CHECK(wrong.status == recurrence_status::impossible);
  CHECK(wrong.cycle.size() == 2);
  dependence_graph itself;
  itself.add_operation(alu, 0);
  itself.add_dependence({0, 0, 0, 0, dependence_kind::value});
  CHECK(recurrence_bound(itself).status == recurrence_status::impossible);
  for (int i = 0; i != 4; ++i) {
    g.add_dependence({a, b, 0xffff'ffff, 0xffff'ffff, dependence_kind::value});
  }
  CHECK(recurrence_bound(g).status == recurrence_status::too_large);
}

TEST_CASE("recurrence_bound: against all cycles of random bodies") {
  random_source random(3);
  midend::recurrence_bound_workspace workspace;
  midend::recurrence_bound_result bound;
  int impossible = 0;
  for (int i = 0; i != 20000; ++i) {
    const std::size_t operations = 1 + random.below(7);
    const dependence_graph g = random_body(random, operations, random.below(3 * operations + 1), !random.one_in(4));
    const all_cycles cycles(g);
    recurrence_bound(g, workspace, bound);
    std::uint64_t latency = 0;
    std::uint64_t distance = 0;
    if (cycles.has_impossible()) {
      ++impossible;
      REQUIRE(bound.status == recurrence_status::impossible);
      REQUIRE(is_cycle(g, bound.cycle, latency, distance));
      REQUIRE(distance == 0);
      continue;
    }
    REQUIRE(bound.exact == cycles.greatest());
    REQUIRE((bound.status == recurrence_status::bound) == (bound.exact > fraction(0)));
    if (bound.status == recurrence_status::bound) {
      REQUIRE(is_cycle(g, bound.cycle, latency, distance));
      REQUIRE(fraction(latency, distance) == bound.exact);
    }
  }
  CHECK(impossible > 100);
}

TEST_CASE("recurrence_bound and critical_path: a million operations on a small stack") {
  const std::string wrong = on_a_small_stack([]() -> std::string {
    constexpr std::uint32_t count = midend_tests::million;
    dependence_graph g;
    for (std::uint32_t o = 0; o != count; ++o) {
      g.add_operation(alu, 1);
      if (o != 0) {
        g.add_dependence({o - 1, o, 1, 0, dependence_kind::value});
      }
    }
    const auto path = critical_path(g);
    g.add_dependence({count - 1, 0, 1, 1, dependence_kind::value});
    const bool right = path.cycles == count && path.path.size() == count && recurrence_bound(g).cycles() == count &&
                       midend::register_need(g, count).general == 1;
    return right ? "" : "another bound than the number of operations";
  });
  CHECK(wrong.empty());
}

TEST_CASE("critical_path: against the longest of all chains") {
  random_source random(4);
  int cyclic = 0;
  for (int i = 0; i != 5000; ++i) {
    const std::size_t operations = 1 + random.below(6);
    const dependence_graph g = random_body(random, operations, random.below(2 * operations + 1), !random.one_in(4));
    const auto found = critical_path(g);
    REQUIRE(found.has_cycle == all_cycles(g).has_impossible());
    if (found.has_cycle) {
      ++cyclic;
      continue;
    }
    std::vector<std::uint64_t> start(operations, 0);
    for (std::size_t pass = 0; pass != operations; ++pass) {
      for (const operation_dependence& d : g.dependences()) {
        if (d.distance == 0) {
          start[d.consumer] = std::max(start[d.consumer], start[d.producer] + d.latency);
        }
      }
    }
    std::uint64_t longest = 0;
    for (operation_id o = 0; o != operations; ++o) {
      REQUIRE(found.start[o] == start[o]);
      longest = std::max(longest, start[o] + std::max(g.operation(o).latency, 1u)); // it is issued, at least
    }
    REQUIRE(found.cycles == longest);
    REQUIRE(std::none_of(g.dependences().begin(), g.dependences().end(), [&](const operation_dependence& d) {
      return d.distance == 0 && d.consumer == found.path[0];
    }));
    REQUIRE(start[found.path.back()] + std::max(g.operation(found.path.back()).latency, 1u) == longest);
    for (std::size_t k = 1; k < found.path.size(); ++k) {
      REQUIRE(std::any_of(g.dependences().begin(), g.dependences().end(), [&](const operation_dependence& d) {
        return d.distance == 0 && d.producer == found.path[k - 1] && d.consumer == found.path[k] &&
               start[d.producer] + d.latency == start[d.consumer];
      }));
    }
  }
  CHECK(cyclic > 50);
  CHECK(critical_path(dependence_graph()).cycles == 0);
}

namespace {

/// Each operation as early as its dependences allow.
std::vector<std::int64_t> earliest_starts(const dependence_graph& g, std::int64_t interval) {
  std::vector<std::int64_t> start(g.num_operations(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (const operation_dependence& d : g.dependences()) {
      const std::int64_t earliest = start[d.producer] + d.latency - interval * d.distance;
      changed = changed || earliest > start[d.consumer];
      start[d.consumer] = std::max(start[d.consumer], earliest);
    }
  }
  return start;
}

/// Each operation as late as its dependences and the end of the iteration allow, those that nothing waits for spread
/// over it; then up in their order: to the last other use of an operand that nothing else uses as late.
std::vector<std::int64_t> late_starts(const dependence_graph& g, std::int64_t interval) {
  const std::vector<std::int64_t> early = earliest_starts(g, interval);
  std::int64_t length = interval;
  std::vector<operation_id> ends;
  for (operation_id o = 0; o != g.num_operations(); ++o) {
    length = std::max(length, early[o] + g.operation(o).latency);
    if (std::none_of(g.dependences().begin(), g.dependences().end(),
                     [&](const operation_dependence& d) { return d.producer == o && d.consumer != o; })) {
      ends.push_back(o);
    }
  }
  std::vector<std::int64_t> late(g.num_operations());
  for (operation_id o = 0; o != g.num_operations(); ++o) {
    late[o] = length - g.operation(o).latency;
  }
  for (std::size_t i = 0; i != ends.size(); ++i) {
    const auto after = static_cast<std::int64_t>(ends.size() - 1 - i);
    const std::int64_t spread = late[ends[i]] - length * after / static_cast<std::int64_t>(ends.size());
    late[ends[i]] = std::max(early[ends[i]], spread);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const operation_dependence& d : g.dependences()) {
      const std::int64_t latest = late[d.consumer] - d.latency + interval * d.distance;
      changed = changed || latest < late[d.producer];
      late[d.producer] = std::min(late[d.producer], latest);
    }
  }
  std::vector<std::int64_t> start = late;
  for (operation_id o = 0; o != g.num_operations(); ++o) {
    std::int64_t to = late[o];
    for (operation_id operand = 0; operand != g.num_operations(); ++operand) {
      std::int64_t own = -1;
      std::int64_t others = -1;
      for (const operation_dependence& d : g.dependences()) {
        std::int64_t& last = d.consumer == o ? own : others;
        last = d.producer == operand ? std::max(last, late[d.consumer] + interval * d.distance) : last;
      }
      if (operand != o && own > others) {
        to = std::min(to, late[o] - (own - others));
      }
    }
    for (const operation_dependence& d : g.dependences()) {
      to = d.consumer == o ? std::max(to, start[d.producer] + d.latency - interval * d.distance) : to;
    }
    start[o] = std::max<std::int64_t>(to, 0);
  }
  return start;
}

/// The largest number of live values when the pipeline is full.
std::uint64_t count_live(const dependence_graph& g, const std::vector<std::int64_t>& start, std::int64_t interval) {
  const std::int64_t steady = 100 * interval;
  std::uint64_t most = 0;
  for (std::int64_t t = steady; t != steady + interval; ++t) {
    std::uint64_t live = 0;
    for (operation_id o = 0; o != g.num_operations(); ++o) {
      std::int64_t last = -1;
      for (const operation_dependence& d : g.dependences()) {
        last = d.producer == o ? std::max(last, start[d.consumer] + interval * d.distance) : last;
      }
      for (std::int64_t iteration = 0; last >= 0 && iteration != 200; ++iteration) {
        const std::int64_t begin = start[o] + iteration * interval;
        live += begin <= t && t < last + iteration * interval;
      }
    }
    most = std::max(most, live);
  }
  return most;
}

/// Whether the placement keeps all dependences and ends within the length.
bool is_placement(const dependence_graph& g, const std::vector<std::int64_t>& start, std::int64_t interval,
                  std::uint64_t length) {
  for (const operation_dependence& d : g.dependences()) {
    if (start[d.consumer] + interval * d.distance < start[d.producer] + d.latency) {
      return false;
    }
  }
  for (operation_id o = 0; o != g.num_operations(); ++o) {
    if (start[o] < 0 || start[o] + g.operation(o).latency > static_cast<std::int64_t>(length)) {
      return false;
    }
  }
  return true;
}

} // namespace

TEST_CASE("register_need: against counting the live values of many iterations") {
  random_source random(5);
  int compared = 0;
  int fewer = 0; // values live at once in the late placement than in the early one
  int more = 0;
  for (int i = 0; i != 3000; ++i) {
    const std::size_t operations = 1 + random.below(6);
    const dependence_graph g = random_body(random, operations, random.below(2 * operations + 1), true);
    const auto bound = recurrence_bound(g);
    const auto interval = static_cast<std::uint32_t>(std::max<std::uint64_t>(bound.cycles(), 1) + random.below(3));
    const auto need = midend::register_need(g, interval);
    REQUIRE_FALSE(need.is_infeasible);
    if (bound.cycles() > 1) {
      REQUIRE(midend::register_need(g, static_cast<std::uint32_t>(bound.cycles() - 1)).is_infeasible);
    }
    const std::vector<std::int64_t> late = late_starts(g, interval);
    REQUIRE(is_placement(g, late, interval, std::max<std::uint64_t>(need.length, interval)));
    const std::uint64_t if_early = count_live(g, earliest_starts(g, interval), interval);
    const std::uint64_t if_late = count_live(g, late, interval);
    REQUIRE(need.general == std::min(if_early, if_late));
    (if_late < if_early ? fewer : more) += if_late != if_early;
    REQUIRE(need.predicates == 0);
    ++compared;
  }
  CHECK(compared == 3000);
  CHECK(fewer > 300);
  CHECK(more > 50);
}

TEST_CASE("register_need: what reads a value that stays alive comes late") {
  dependence_graph g;
  const auto then = [&](operation_id from, operation_id to, std::uint32_t distance = 0) {
    g.add_dependence({from, to, 1, distance, dependence_kind::value});
  };
  const operation_id x = g.add_operation(alu, 1);
  operation_id sum = g.add_operation(alu, 1);
  for (int i = 0; i != 20; ++i) { // sum += x >> i & 1
    const operation_id shifted = g.add_operation(alu, 1);
    const operation_id bit = g.add_operation(alu, 1);
    const operation_id next = g.add_operation(alu, 1);
    then(x, shifted);
    then(shifted, bit);
    then(bit, next);
    then(sum, next);
    sum = next;
  }
  const auto need = midend::register_need(g, 24);
  CHECK(count_live(g, earliest_starts(g, 24), 24) == 21);
  CHECK(need.general == 4); // x, the sum, a bit, the next shift
  CHECK(need.length == 23);
}

TEST_CASE("register_need: exits of many copies do not all wait for the end") {
  const auto m = midend::scalar_core();
  dependence_graph g;
  const operation_id x = g.add_operation(m, alu);
  for (int i = 0; i != 50; ++i) { // if (x == i) break;
    const operation_id test = g.add_operation(m, compare);
    g.add_dependence(m, x, test, dependence_kind::value, 0);
    g.add_dependence(m, test, g.add_operation(m, branch), dependence_kind::guard, 0);
  }
  CHECK(midend::register_need(g, 3).predicates > 20);
  CHECK(midend::register_need(g, 50).predicates <= 3);
}

TEST_CASE("register_need: an operation with which its operand dies comes early") {
  dependence_graph g;
  const auto then = [&](operation_id from, operation_id to) {
    g.add_dependence({from, to, 1, 0, dependence_kind::value});
  };
  const operation_id early = g.add_operation(alu, 1);
  const operation_id a = g.add_operation(alu, 1);
  const operation_id b = g.add_operation(alu, 1);
  const operation_id both = g.add_operation(alu, 1);
  then(early, a);
  then(early, b);
  then(a, both);
  then(b, both);
  operation_id last = early;
  for (int i = 0; i != 5; ++i) {
    const operation_id next = g.add_operation(alu, 1);
    then(last, next);
    last = next;
  }
  then(both, last); // placed late, a and b would wait together with the chain
  CHECK(midend::register_need(g, 10).general == 3);
}

TEST_CASE("register_need: predicates are counted separately") {
  const auto m = midend::e2k_reference_v6();
  dependence_graph g;
  const operation_id x = g.add_operation(m, alu);
  const operation_id p = g.add_operation(m, compare);
  const operation_id y = g.add_operation(m, merge);
  g.add_dependence(m, x, p, dependence_kind::value, 0);
  g.add_dependence(m, x, y, dependence_kind::value, 0);
  g.add_dependence(m, p, y, dependence_kind::guard, 0);
  const auto need = midend::register_need(g, 1);
  CHECK(need.general == 3); // one cycle to the comparison, two from there
  CHECK(need.predicates == 2);
  CHECK(need.length == 4);
}

TEST_CASE("register_need: very long intervals take bounded memory") {
  const auto m = midend::e2k_reference_v6();
  dependence_graph g;
  const operation_id x = g.add_operation(m, alu);
  const operation_id y = g.add_operation(m, alu);
  constexpr std::uint64_t long_time = std::uint64_t{1} << 40;
  g.add_dependence(m, x, y, dependence_kind::value, 0);
  g.add_dependence(m, y, x, dependence_kind::value, 3);
  const auto need = midend::register_need(g, long_time); // a row for each cycle would be 8 TiB
  CHECK(need.general == 4); // y for three intervals, less a cycle; x for that cycle, which is rounded up
}
