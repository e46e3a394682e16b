// The sweeps of pending_set, against a set of numbers.
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/dataflow/detail/pending_set.hpp>

#include <set>
#include <vector>

using namespace midend_tests;
using midend::detail::pending_set;

namespace {

/// Empties `pending` and `model` at once; each visit inserts up to two positions while there are `insertions` left.
/// Returns in which order positions came.
std::vector<std::uint32_t> drained(pending_set& pending, std::set<std::uint32_t> model, std::size_t count,
                                   random_source& random, int insertions) {
  std::vector<std::uint32_t> order;
  std::uint32_t next = 0; // the sweep is here
  const bool all = pending.drain([&](std::uint32_t position) {
    auto expected = model.lower_bound(next);
    expected = expected == model.end() ? model.begin() : expected;
    CHECK((expected != model.end() && *expected == position));
    CHECK(!pending.contains(position));
    model.erase(position);
    next = position + 1;
    for (std::size_t i = random.below(3); i != 0 && insertions > 0; --i, --insertions) {
      const auto inserted = static_cast<std::uint32_t>(random.below(count));
      pending.insert(inserted);
      model.insert(inserted);
    }
    order.push_back(position);
    return true;
  });
  CHECK(all);
  CHECK(model.empty());
  return order;
}

} // namespace

TEST_CASE("pending_set: sweeps go upwards, and each position waits for its turn") {
  random_source random(1);
  for (const std::size_t count : {1U, 5U, 63U, 64U, 65U, 200U, 1000U}) {
    for (int round = 0; round != 30; ++round) {
      pending_set pending;
      std::set<std::uint32_t> model;
      pending.assign(count, round % 5 == 0);
      for (std::uint32_t i = 0; round % 5 == 0 && i != count; ++i) {
        model.insert(i);
      }
      for (std::size_t i = random.below(8); i != 0; --i) {
        const auto inserted = static_cast<std::uint32_t>(random.below(count));
        pending.insert(inserted);
        model.insert(inserted);
      }
      const std::size_t inserted = model.size();
      CHECK(drained(pending, model, count, random, 100).size() >= inserted);
      CHECK(pending.find(0, static_cast<std::uint32_t>(count)) == pending_set::none);
      CHECK(drained(pending, {}, count, random, 0).empty());
    }
  }
}

TEST_CASE("pending_set: giving up leaves the rest where it is") {
  pending_set pending;
  pending.assign(130, false);
  pending.insert(3);
  pending.insert(70);
  pending.insert(129);
  CHECK_FALSE(pending.drain([](std::uint32_t position) { return position != 70; }));
  CHECK((!pending.contains(3) && !pending.contains(70) && pending.contains(129)));
  pending.assign(130, false);
  CHECK(pending.drain([](std::uint32_t) { return false; }));
}

TEST_CASE("pending_set: searching between two positions, and taking out") {
  pending_set pending;
  pending.assign(130, true);
  CHECK(pending.find(0, 130) == 0);
  CHECK(pending.find(129, 130) == 129);
  CHECK(pending.find(130, 130) == pending_set::none);
  pending.erase(64);
  CHECK(pending.find(64, 65) == pending_set::none);
  CHECK(pending.find(64, 130) == 65);
  CHECK(!pending.contains(64));
}
