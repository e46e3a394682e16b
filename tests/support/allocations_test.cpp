// Refilled in place, after a first round nothing allocates. This file replaces operator new of the whole program by one
// that counts.
#include "support/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/midend.hpp>
#include <support/corpus.hpp>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> allocations{0};

void* counted(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) {
    return memory;
  }
  std::abort();
}

} // namespace

void* operator new(std::size_t size) {
  return counted(size);
}

void* operator new[](std::size_t size) {
  return counted(size);
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}

void operator delete[](void* memory) noexcept {
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

using namespace midend_tests;

namespace {

/// How often `work` allocates.
template <class Work> std::size_t allocations_of(Work work) {
  const std::size_t before = allocations.load();
  work();
  return allocations.load() - before;
}

const std::vector<midend_examples::cfg_function>& lua() {
  static const std::vector<midend_examples::cfg_function> functions = [] {
    std::vector<midend_examples::cfg_function> out;
    const auto error = midend_examples::read_cfg(MIDEND_TEST_DATA "/corpus/lua5.4-O0.cfg.gz", out);
    REQUIRE_MESSAGE(!error.has_value(), (error ? error->to_string() : ""));
    return out;
  }();
  return functions;
}

/// `work` on all functions, twice: the first round allocates, the second does not.
template <class Work> void check_second_round(Work work) {
  const auto& functions = lua();
  const auto all = [&] {
    for (const auto& function : functions) {
      work(function);
    }
  };
  CHECK(allocations_of(all) > 0);
  CHECK(allocations_of(all) == 0);
}

template <class Algorithm> void check_dominators(Algorithm algorithm) {
  midend::csr_graph g;
  midend::dominators_workspace memory;
  midend::dominator_tree tree;
  check_second_round([&](const auto& function) {
    g.assign(function);
    midend::dominators(g, algorithm, memory, tree);
  });
  midend::dominators_workspace other_memory;
  midend::flat_array<node_id> alone;
  check_second_round([&](const auto& function) { // the user's own graph, without a copy
    midend::immediate_dominators(function, algorithm, other_memory, alone);
  });
}

} // namespace

TEST_CASE("allocations: the counter counts") {
  CHECK(allocations_of([] { static_cast<void>(midend::flat_array<int>(3, 0)); }) == 1);
  CHECK(allocations_of([] { delete new int(1); }) <= 1); // may be left out by the compiler
  CHECK(allocations_of([] { static_cast<void>(midend::flat_array<int>()); }) == 0);
}

TEST_CASE("allocations: flat copies") {
  midend::forward_csr_graph forward;
  check_second_round([&](const auto& function) { forward.assign(function); });
  midend::csr_graph g;
  check_second_round([&](const auto& function) { g.assign(function); });
}

TEST_CASE("allocations: depth_first_order") {
  midend::depth_first_workspace memory;
  midend::depth_first_numbering order;
  check_second_round([&](const auto& function) { midend::depth_first_order(function, memory, order); });
}

TEST_CASE("allocations: strongly_connected_components") {
  midend::component_workspace memory;
  midend::component_partition components;
  check_second_round(
      [&](const auto& function) { midend::strongly_connected_components(function, memory, components); });
}

TEST_CASE("allocations: dominators and immediate_dominators by semi_nca") {
  check_dominators(midend::semi_nca);
}

TEST_CASE("allocations: dominators and immediate_dominators by lengauer_tarjan") {
  check_dominators(midend::lengauer_tarjan);
}

TEST_CASE("allocations: dominators and immediate_dominators by lengauer_tarjan_simple") {
  check_dominators(midend::lengauer_tarjan_simple);
}

TEST_CASE("allocations: dominators and immediate_dominators by cooper_harvey_kennedy") {
  check_dominators(midend::cooper_harvey_kennedy);
}

TEST_CASE("allocations: dominators and immediate_dominators by naive_dominators") {
  check_dominators(midend::naive_dominators);
}

TEST_CASE("allocations: natural_loops on a flat copy and on a graph that is copied into the workspace") {
  midend::csr_graph g;
  midend::dominators_workspace dominators_memory;
  midend::dominator_tree tree;
  midend::loops_workspace memory;
  midend::loop_forest loops;
  check_second_round([&](const auto& function) {
    g.assign(function);
    midend::dominators(g, midend::semi_nca, dominators_memory, tree);
    midend::natural_loops(g, tree, memory, loops);
  });
  midend::loops_workspace other_memory;
  midend::loop_forest other_loops;
  check_second_round([&](const auto& function) {
    midend::dominators(function, midend::semi_nca, dominators_memory, tree);
    midend::natural_loops(function, tree, other_memory, other_loops);
  });
}

TEST_CASE("allocations: dominators_and_loops") {
  midend::csr_graph g;
  midend::dominators_and_loops_workspace memory;
  midend::dominators_and_loops_result result;
  check_second_round([&](const auto& function) {
    g.assign(function);
    midend::dominators_and_loops(g, memory, result);
  });
  midend::dominators_and_loops_workspace other_memory;
  midend::dominators_and_loops_result other_result;
  check_second_round([&](const auto& function) { midend::dominators_and_loops(function, other_memory, other_result); });
}

TEST_CASE("allocations: loops without boundaries") {
  midend::dominators_workspace dominators_memory;
  midend::dominator_tree tree;
  midend::loops_workspace memory;
  midend::loop_forest loops;
  check_second_round([&](const auto& function) {
    midend::dominators(function, midend::semi_nca, dominators_memory, tree);
    midend::natural_loops(function, tree, midend::nesting_only, memory, loops);
  });
  midend::dominators_and_loops_workspace both_memory;
  midend::dominators_and_loops_result both;
  check_second_round(
      [&](const auto& function) { midend::dominators_and_loops(function, midend::nesting_only, both_memory, both); });
}

TEST_CASE("allocations: exit_blocks refilled, and queries") {
  const auto g = make_csr({"", 5, 0, {{0, 0}, {0, 1}, {1, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}}});
  const auto tree = midend::dominators(g);
  const auto loops = midend::natural_loops(g, tree);
  midend::flat_array<node_id> exits;
  loops.exit_blocks(loops.innermost_loop(1), exits);
  CHECK(exits.size() == 2);
  std::size_t sum = 0;
  const auto ask = [&] {
    for (const midend::loop_id l : loops.loops()) {
      loops.exit_blocks(l, exits);
      for (const midend::loop_edge& e : loops.exiting_edges(l)) {
        sum += e.target;
      }
      for (const node_id n : loops.latches(l)) {
        sum += n + tree.nearest_common_dominator(n, 4);
      }
      for (const midend::loop_id child : loops.children(l)) {
        sum += child;
      }
    }
    for (const node_id n : tree.children(0)) {
      sum += n + tree.subtree(n).size();
    }
  };
  CHECK(allocations_of(ask) == 0);
  CHECK(sum != 0);
}
