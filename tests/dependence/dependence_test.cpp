// dependence: against all iterations of small nests, and by hand.
#include "dependence/nest_kit.hpp"
#include "kit/affordable.hpp"

#include <doctest/doctest.h>
#include <midend/dependence/dependence.hpp>
#include <midend/dependence/verify_dependences.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

using namespace midend_tests;
using midend::class_scope;
using midend::dependence_answer;
using midend::dependence_case;
using midend::dependence_case_kind;
using midend::dependence_obstacle;
using midend::dependence_result;
using midend::dependence_test;
using midend::iteration_order;
using midend::only;
using midend::trip_bound;

namespace {

/// Compares answers with runs, and counts.
class comparison {
public:
  void compare(const nest_accesses& nest, access_id a, access_id b) {
    midend::dependence(nest, a, b, {}, workspace_, result_);
    results_of_pair_ = {&result_, 1};
    const auto fault = midend::verify_dependences(nest, results_of_pair_, checking_);
    if (fault) {
      CAPTURE(static_cast<int>(fault->kind));
      CAPTURE(fault->of_case);
      CAPTURE(fault->step);
      FAIL("a result that its checker refuses");
    }
    const meetings found = all_meetings(nest, a, b);
    ++pairs;
    independent += found.vectors.empty() ? 1 : 0;
    found_independent += result_.is_independent() ? 1 : 0;
    unknown += result_.answer == dependence_answer::unknown ? 1 : 0;
    exact += result_.is_exact ? 1 : 0;
    if (result_.is_independent() && !found.vectors.empty()) {
      FAIL("a wrong \"independent\"");
    }
    if (result_.answer == dependence_answer::dependent && found.vectors.empty()) {
      FAIL("a wrong \"dependent\"");
    }
    for (const std::vector<int>& v : found.vectors) {
      if (!is_possible(v)) {
        FAIL("an order of iterations is missing");
      }
    }
    for (const dependence_case& c : result_.cases) {
      if (c.has_witness && c.num_orders == result_.levels && found.vectors.count(orders_of(c)) == 0) {
        FAIL("an order of iterations that does not occur");
      }
    }
    for (std::uint32_t i = 0; i != result_.levels && !found.vectors.empty(); ++i) {
      const auto d = result_.distance(i);
      constant_distances += found.distances[i].size() == 1 ? 1 : 0;
      found_distances += d ? 1 : 0;
      if (d && (found.distances[i].size() != 1 || *found.distances[i].begin() != *d)) {
        FAIL("a wrong distance");
      }
    }
  }

  std::size_t pairs = 0;
  std::size_t independent = 0;
  std::size_t found_independent = 0;
  std::size_t unknown = 0;
  std::size_t exact = 0;
  std::size_t constant_distances = 0;
  std::size_t found_distances = 0;

  void report(const char* what) const {
    MESSAGE(what << ": " << pairs << " pairs, " << independent << " independent, found " << found_independent
                 << ", unknown " << unknown << ", all cases exact " << exact << "; " << constant_distances
                 << " constant distances, found " << found_distances);
  }

  const dependence_result& result() const { return result_; }

private:
  std::vector<int> orders_of(const dependence_case& c) const {
    std::vector<int> out;
    for (const iteration_order o : result_.orders_of(c)) {
      out.push_back(static_cast<int>(o));
    }
    return out;
  }

  bool is_possible(const std::vector<int>& v) const {
    for (const dependence_case& c : result_.cases) {
      const std::vector<int> begin = orders_of(c);
      if (c.kind == dependence_case_kind::possible && std::equal(begin.begin(), begin.end(), v.begin())) {
        return true;
      }
    }
    return false;
  }

  dependence_result result_;
  midend::span<const dependence_result> results_of_pair_;
  midend::dependence_workspace workspace_;
  midend::verify_dependences_workspace checking_;
};

/// Each `stride`-th of all nests of two loops with 0 to 5 iterations, factors from -3 to 3, distances from -4 to 4, and
/// sizes 1 and 2.
void compare_two_levels(std::size_t stride, comparison& all) {
  std::size_t number = 0;
  nest_accesses nest;
  for (std::uint64_t rows = 0; rows <= 5; ++rows) {
    for (std::uint64_t columns = 0; columns <= 5; ++columns) {
      for (std::size_t code = 0; code != 7 * 7 * 7 * 7 * 9 * 4; ++code) {
        if (number++ % stride != 0) {
          continue;
        }
        std::size_t rest = code;
        const auto digit = [&](std::size_t base) {
          const std::size_t d = rest % base;
          rest /= base;
          return static_cast<std::int64_t>(d);
        };
        nest.clear(0);
        const counter_id inner = add_loops(nest, {rows, columns});
        const std::int64_t f[] = {digit(7) - 3, digit(7) - 3, digit(7) - 3, digit(7) - 3};
        const std::int64_t offset = digit(9) - 4;
        const auto first_bytes = static_cast<std::uint32_t>(digit(2) + 1);
        const auto second_bytes = static_cast<std::uint32_t>(digit(2) + 1);
        add_access(nest, inner, {f[0], f[1]}, 0, first_bytes, true);
        add_access(nest, inner, {f[2], f[3]}, offset, second_bytes);
        all.compare(nest, 0, 1);
        if (f[2] == 0 && f[3] == 0 && offset == 0) {
          all.compare(nest, 0, 0);
        }
      }
    }
  }
}

/// A random nest: loops in a tree of up to three levels, limits by outer counters, accesses at any depth.
void make_random_nest(std::mt19937_64& random, nest_accesses& nest, unsigned address_bits) {
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  nest.clear(address_bits);
  const counter_id outer = nest.add_counter(midend::no_counter, trip_bound::exact, random() % 5);
  std::vector<counter_id> loops = {outer};
  for (int i = 0; i != 3; ++i) {
    const counter_id parent = loops[random() % loops.size()];
    if (nest.depth_below(parent) == 3) {
      continue;
    }
    const counter_id c = nest.add_counter(parent, trip_bound::exact, random() % 5);
    if (random() % 3 == 0) {
      const nest_term term{nest.loop_at(parent, 0), false, below(5) - 2};
      nest.set_limit(c, below(5), {&term, 1});
    }
    loops.push_back(c);
  }
  for (int i = 0; i != 3; ++i) {
    const counter_id loop = loops[loops.size() - 1 - random() % (i == 0 ? 1 : loops.size())];
    std::vector<std::int64_t> factors;
    for (std::uint32_t d = 0; d != nest.depth_below(loop); ++d) {
      factors.push_back(random() % 4 == 0 ? 0 : (below(15) - 7) * (random() % 4 == 0 ? 3 : 1));
    }
    static_cast<void>(add_access(nest, loop, factors, below(41) - 20, 1U << random() % 4, i == 0));
  }
}

} // namespace

TEST_CASE("dependence: nests of two loops against all iterations") {
  comparison all;
  compare_two_levels(affordable(1) * 331, all);
  all.report("two loops");
  CHECK(all.found_independent == all.independent);
  CHECK(all.exact == all.pairs);
}

TEST_CASE("dependence: all nests of two loops against all iterations, long" * doctest::skip()) {
  comparison all;
  compare_two_levels(1, all);
  all.report("all nests of two loops");
  CHECK(all.pairs == 36 * (7 * 7 * 7 * 7 * 9 * 4 + 49 * 4));
  CHECK(100 * all.found_independent >= 99 * all.independent);
}

TEST_CASE("dependence: random trees of loops, against all iterations") {
  std::mt19937_64 random(11);
  comparison all;
  nest_accesses nest;
  for (std::size_t i = 0; i != affordable(700); ++i) {
    make_random_nest(random, nest, random() % 2 == 0 ? 0 : static_cast<unsigned>(4 + random() % 5));
    for (access_id a = 0; a != nest.num_accesses(); ++a) {
      for (access_id b = 0; b != nest.num_accesses(); ++b) {
        all.compare(nest, a, b);
      }
    }
  }
  all.report("random trees of loops");
  CHECK(100 * all.found_independent >= 99 * all.independent);
}
