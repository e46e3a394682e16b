// loop_manager.hpp: the manager alone, on loop trees made by hand, with work that decides by a script.
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/graph/csr_graph.hpp>
#include <midend/loop_package/loop_manager.hpp>
#include <midend/loops/dominators_and_loops.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

using midend::loop_forest;
using midend::loop_id;
using midend::loop_step;
using midend::node_id;

/// A graph with a loop for each node but the first and the last: (parent, weight) by loop, parents first, 0 for none.
/// The header of loop i is node i.
struct loop_tree {
  std::vector<std::pair<node_id, double>> loops;
};

/// Each loop is its header, then its children one after the other, then a latch that leads back. The latch of loop i is
/// node i + loops.
midend::csr_graph graph_of(const loop_tree& tree) {
  const auto count = static_cast<node_id>(tree.loops.size());
  std::vector<midend::edge> edges;
  std::vector<node_id> end(count + 1, 0); // where the next child is entered from
  for (node_id l = 1; l <= count; ++l) {
    end[l] = l;
  }
  const auto latch = [&](node_id l) { return l + count; };
  // Children in their order: enter each from where the one before it is left.
  for (node_id l = 1; l <= count; ++l) {
    const node_id parent = tree.loops[l - 1].first;
    edges.push_back({end[parent], l});
    end[parent] = latch(l);
  }
  for (node_id l = count; l >= 1; --l) {
    edges.push_back({end[l], latch(l)});
    edges.push_back({latch(l), l});
  }
  edges.push_back({end[0], 2 * count + 1});
  const auto g = midend::csr_graph::from_edges(2 * count + 2, 0, edges);
  REQUIRE(g);
  return *g;
}

/// Applies something to a loop as often as a script says, and writes down what it is asked.
class scripted_work {
public:
  scripted_work(const loop_tree& tree, std::map<node_id, std::uint32_t> changes)
      : tree_(tree), graph_(graph_of(tree)), changes_(std::move(changes)) {
    found_ = midend::dominators_and_loops(graph_);
    REQUIRE(found_.loops.num_loops() == tree.loops.size());
  }

  const loop_forest& loops() const { return found_.loops; }

  double weight(loop_id l) const { return tree_.loops[loops().header(l) - 1].second; }

  bool decide(loop_id l) {
    for (const loop_id other : in_sweep_) {
      CHECK_FALSE(loops().contains_loop(l, other));
      CHECK_FALSE(loops().contains_loop(other, l));
    }
    std::uint32_t& left = changes_[loops().header(l)];
    const bool applies = left != 0;
    left -= applies ? 1u : 0u;
    if (applies) {
      in_sweep_.push_back(l);
    }
    transcript_ += std::to_string(loops().header(l)) + (applies ? "+ " : "- ");
    return applies;
  }

  void carry_out() {
    transcript_ += "| ";
    in_sweep_.clear();
  }

  const std::string& transcript() const { return transcript_; }

private:
  loop_tree tree_;
  midend::csr_graph graph_;
  midend::dominators_and_loops_result found_;
  std::map<node_id, std::uint32_t> changes_; ///< by header
  std::vector<loop_id> in_sweep_;            ///< what waits
  std::string transcript_;                   ///< `header+` changed, `header-` closed, `|` rebuilt
};

midend::loop_manager_log run(scripted_work& work, std::uint32_t max_sweeps = 100, std::uint32_t max_changes = 0) {
  midend::loop_manager_log log;
  midend::run_loop_manager(work, {max_sweeps, max_changes}, log);
  return log;
}

} // namespace

TEST_CASE("manager of loops: a narrow tree is worked from inside out, one change a rebuild") {
  scripted_work work({{{0, 1}, {1, 5}, {2, 9}}}, {{1, 1}, {2, 1}, {3, 2}});
  const auto log = run(work);
  CHECK(work.transcript() == "3+ | 3+ | 3- 2+ | 2- 1+ | 1- ");
  CHECK(log.changes == 4);
  CHECK(log.rebuilds == 4);
  CHECK(log.is_complete);
}

TEST_CASE("manager of loops: on a wide tree one rebuild serves all loops, n/r is their number") {
  constexpr node_id k = 40;
  loop_tree tree;
  std::map<node_id, std::uint32_t> changes;
  for (node_id l = 1; l <= k; ++l) {
    tree.loops.push_back({0, static_cast<double>(l % 7)});
    changes[l] = 1;
  }
  scripted_work work(tree, changes);
  const auto log = run(work);
  CHECK(log.changes == k);
  CHECK(log.rebuilds == 1);
  CHECK(log.is_complete);
}

TEST_CASE("manager of loops: heavy loops first, equal ones by their number") {
  scripted_work work({{{0, 1}, {0, 3}, {0, 2}, {0, 3}}}, {});
  const auto log = run(work);
  CHECK(work.transcript() == "2- 4- 3- 1- ");
  CHECK(log.changes == 0);
  CHECK(log.rebuilds == 0);
  CHECK(log.is_complete);
}

TEST_CASE("manager of loops: a loop around comes into the list in the same sweep, once all loops in it are closed") {
  // 1 has 2 and 3 in it, 4 is alone and light.
  scripted_work work({{{0, 50}, {1, 9}, {1, 8}, {0, 1}}}, {{4, 1}});
  const auto log = run(work);
  CHECK(work.transcript() == "2- 3- 1- 4+ | 4- ");
  CHECK(log.changes == 1);
}

TEST_CASE("manager of loops: a loop around waits while a loop in it does") {
  scripted_work work({{{0, 50}, {1, 9}, {1, 8}, {0, 1}}}, {{3, 1}, {1, 1}});
  const auto log = run(work);
  CHECK(work.transcript() == "2- 3+ 4- | 3- 1+ | 1- ");
  CHECK(log.changes == 2);
  CHECK(log.rebuilds == 2);
}

TEST_CASE("manager of loops: events") {
  scripted_work work({{{0, 2}, {1, 1}}}, {{2, 1}});
  const auto log = run(work);
  const std::vector<midend::loop_manager_event> expected = {
      {loop_step::listed, 2, 0},   {loop_step::changed, 2, 0},  {loop_step::rebuilt, midend::no_node, 0},
      {loop_step::listed, 2, 1},   {loop_step::finished, 2, 1}, {loop_step::listed, 1, 1},
      {loop_step::finished, 1, 1},
  };
  REQUIRE(log.events.size() == expected.size());
  for (std::size_t i = 0; i != expected.size(); ++i) {
    CHECK(log.events[i] == expected[i]);
  }
}

TEST_CASE("manager of loops: sweeps are limited") {
  scripted_work work({{{0, 1}}}, {{1, 1000}});
  const auto log = run(work, 7);
  CHECK(log.changes == 7);
  CHECK(log.rebuilds == 7);
  CHECK_FALSE(log.is_complete);
}

TEST_CASE("manager of loops: with one change a sweep, n/r is 1") {
  scripted_work work({{{0, 3}, {0, 2}, {0, 1}}}, {{1, 1}, {2, 2}, {3, 1}});
  const auto log = run(work, 100, 1);
  CHECK(work.transcript() == "1+ | 1- 2+ | 2+ | 2- 3+ | 3- ");
  CHECK(log.changes == 4);
  CHECK(log.rebuilds == 4);
  CHECK(log.is_complete);
}

TEST_CASE("manager of loops: no loop, and no sweep") {
  scripted_work none({}, {});
  CHECK(run(none).is_complete);
  CHECK(none.transcript().empty());
  scripted_work one({{{0, 1}}}, {{1, 1}});
  CHECK_FALSE(run(one, 0).is_complete);
  CHECK(one.transcript().empty());
}

TEST_CASE("manager of loops: every loop of a random tree is closed, and n is what the script says") {
  midend_tests::random_source random(20261128);
  for (int round = 0; round != 300; ++round) {
    loop_tree tree;
    std::map<node_id, std::uint32_t> changes;
    std::uint32_t sum = 0;
    const auto count = 1 + random.below(30);
    for (node_id l = 1; l <= count; ++l) {
      tree.loops.push_back({random.below(l), static_cast<double>(random.below(5))});
      changes[l] = random.below(3);
      sum += changes[l];
    }
    scripted_work work(tree, changes);
    const auto log = run(work);
    CHECK(log.is_complete);
    CHECK(log.changes == sum);
    CHECK(log.rebuilds <= sum);
    std::size_t finished = 0;
    for (const auto& e : log.events) {
      finished += e.step == loop_step::finished ? 1u : 0u;
    }
    CHECK(finished == count);
  }
}

TEST_CASE("manager of loops: 10^5 loops side by side, and 2,000 in each other") {
  constexpr node_id k = 100'000;
  loop_tree wide;
  for (node_id l = 1; l <= k; ++l) {
    wide.loops.push_back({0, 1});
  }
  scripted_work flat(wide, {});
  CHECK(run(flat).is_complete);
  loop_tree deep;
  for (node_id l = 1; l <= 2000; ++l) {
    deep.loops.push_back({l - 1, 1});
  }
  scripted_work narrow(deep, {});
  CHECK(run(narrow).is_complete);
}
