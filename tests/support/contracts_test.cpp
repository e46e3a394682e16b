// config.hpp: the default handler. Broken preconditions print place, condition and values, and abort.
#include "kit/test_graph.hpp"

#include <doctest/doctest.h>
#include <midend/midend.hpp>

#include <string>
#include <type_traits>

#if MIDEND_CHECKS && (defined(__unix__) || defined(__APPLE__))
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace midend_tests;

#if MIDEND_CHECKS

static_assert(std::is_same_v<midend::csr_graph, midend::v0_checked::csr_graph>);

#if defined(__unix__) || defined(__APPLE__)

namespace {

/// What `broken` prints to standard error in a process of its own, which must end by abort.
template <class Broken> std::string message_of(Broken broken) {
  int ends[2] = {-1, -1};
  REQUIRE(pipe(ends) == 0);
  std::fflush(nullptr);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL); // not the handler of the test framework
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    broken();
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char part[256];
  for (ssize_t got = 0; (got = read(ends[0], part, sizeof part)) > 0;) {
    text.append(part, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK_MESSAGE((WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT), "it did not abort");
  return text;
}

/// Whether all parts are in the text, in this order.
bool has(const std::string& text, std::initializer_list<const char*> parts) {
  std::size_t at = 0;
  for (const char* part : parts) {
    at = text.find(part, at);
    if (at == std::string::npos) {
      return false;
    }
  }
  return true;
}

#define CHECK_HAS(text, ...)                                                                                           \
  do {                                                                                                                 \
    const std::string message = (text);                                                                                \
    CHECK_MESSAGE(has(message, {__VA_ARGS__}), message);                                                               \
  } while (false)

struct with_epoch {
  std::vector<node_id> none;
  std::uint64_t changes;

  std::size_t num_nodes() const { return 1; }

  node_id entry() const { return 0; }

  const std::vector<node_id>& successors(node_id) const { return none; }

  std::uint64_t epoch() const { return changes; }
};

struct too_large {
  std::size_t num_nodes() const { return midend::max_nodes + 1; }

  node_id entry() const { return 0; }

  std::span<const node_id> successors(node_id) const { return {}; }
};

const test_graph pair{"", 2, 0, {{0, 1}, {1, 0}}};

} // namespace

TEST_CASE("contracts: the message names place, requirement, condition and values") {
  const std::string text = message_of([] {
    const midend::flat_array<int> array(3, 0);
    static_cast<void>(array[7]);
  });
  CHECK_HAS(text, "flat_array.hpp:", ": midend contract violation: index within the array", "required: i < size_",
            "where (i, size_) = 7 3");
  const int line = __LINE__ + 1;
  const std::string own = message_of([] { MIDEND_ASSERT(1 + 1 == 3, "arithmetic", 40 + 2); });
  CHECK_HAS(own, "contracts_test.cpp:", std::to_string(line).c_str(), "arithmetic", "1 + 1 == 3", "(40 + 2) = 42");
  CHECK_HAS(message_of([] { MIDEND_ASSERT(false, "no values"); }), "no values", "false");
}

TEST_CASE("contracts: support") {
  CHECK_HAS(message_of([] { midend::flat_array<int>().pop_back(); }), "flat_array.hpp", "pop_back");
  CHECK_HAS(message_of([] { midend::flat_array<int>(2, 0).shrink(3); }), "flat_array.hpp", "= 3 2");
  CHECK_HAS(message_of([] { static_cast<void>(midend::flat_array<int>().back()); }), "flat_array.hpp");
  CHECK_HAS(message_of([] { static_cast<void>(midend::result<int, char>('e').value()); }), "result.hpp",
            "holds a value");
  CHECK_HAS(message_of([] { static_cast<void>(midend::result<int, char>(1).error()); }), "result.hpp",
            "holds an error");
}

TEST_CASE("contracts: graphs") {
  const auto g = make_csr(pair);
  CHECK_HAS(message_of([&] { static_cast<void>(g.successors(2)); }), "forward_csr_graph.hpp", "a node of the graph",
            "= 2 2");
  CHECK_HAS(message_of([&] { static_cast<void>(g.predecessors(5)); }), "csr_graph.hpp", "= 5 2");
  CHECK_HAS(message_of([&] { static_cast<void>(g.in_edges(5)); }), "csr_graph.hpp", "= 5 2");
  CHECK_HAS(message_of([&] { static_cast<void>(g.out_edges(5)); }), "csr_graph.hpp", "= 5 2");
  CHECK_HAS(message_of([&] { static_cast<void>(g.edge_source(2)); }), "csr_graph.hpp", "an edge of the graph", "= 2 2");
  CHECK_HAS(message_of([&] { static_cast<void>(midend::forward_csr_graph(g).edge_source(2)); }),
            "forward_csr_graph.hpp", "an edge of the graph", "= 2 2");
  CHECK_HAS(message_of([] { midend::csr_graph{bit_graph(2, 0b0010, 3)}; }), "forward_csr_graph.hpp",
            "entry and successors within the graph", "= 3 2");
  CHECK_HAS(message_of([] { midend::depth_first_order(too_large()); }), "concepts.hpp", "max_nodes",
            join("= ", midend::max_nodes + 1).c_str());
  CHECK_HAS(message_of([] { midend::dominators(too_large()); }), "concepts.hpp", "max_nodes");
  CHECK_HAS(message_of([&] { midend::filtered(g, [](node_id n) { return n != 0; }); }), "filtered.hpp",
            "an entry that is kept", "= 0");
  CHECK_HAS(message_of([&] {
              const std::vector<node_id> roots{2};
              midend::with_virtual_exit(g, std::span<const node_id>(roots));
            }),
            "= 2 2");
}

TEST_CASE("contracts: results of another graph") {
  const auto g = make_csr(pair);
  const auto larger = make_csr({"", 3, 0, {}});
  CHECK_HAS(message_of([&] { midend::natural_loops(larger, midend::dominators(g)); }), "dominator_tree.hpp",
            "a dominator tree of this graph", "= 2 3");
  CHECK_HAS(message_of([&] { midend::edge_kinds(larger, midend::depth_first_order(g)); }), "edge_kinds.hpp", "= 2 3");
  CHECK_HAS(message_of([&] { midend::condensation(larger, midend::strongly_connected_components(g)); }),
            "strongly_connected_components.hpp", "= 2 3");
  CHECK_HAS(message_of([&] {
              const auto tree = midend::dominators(with_epoch{{}, 3});
              midend::natural_loops(with_epoch{{}, 4}, tree);
            }),
            "dominator_tree.hpp", "up to date", "= 3 4");
}

TEST_CASE("contracts: queries about what is not there") {
  const auto g = make_csr(pair);
  CHECK_HAS(message_of([&] { static_cast<void>(midend::dominators(g).immediate_dominator(2)); }), "= 2 2");
  CHECK_HAS(message_of([&] { static_cast<void>(midend::dominators(g).dominates(0, 2)); }), "= 2 2");
  CHECK_HAS(message_of([&] { static_cast<void>(midend::depth_first_order(g).preorder_number(2)); }), "= 2 2");
  CHECK_HAS(message_of([&] { static_cast<void>(midend::strongly_connected_components(g).component(2)); }), "= 2 2");
  CHECK_HAS(message_of([&] { static_cast<void>(midend::strongly_connected_components(g).members(1)); }),
            "strongly_connected_components.hpp", "a component", "= 1 1");
  const auto loops = midend::natural_loops(g, midend::dominators(g));
  CHECK_HAS(message_of([&] { static_cast<void>(loops.innermost_loop(2)); }), "= 2 2");
  CHECK_HAS(message_of([&] { static_cast<void>(loops.header(1)); }), "= 1 1");
  CHECK_HAS(message_of([&] { static_cast<void>(loops.blocks(1)); }), "midend contract violation");
  CHECK_HAS(message_of([&] { static_cast<void>(loops.backedges(1)); }), "midend contract violation");
  const auto nesting = midend::natural_loops(g, midend::dominators(g), midend::nesting_only);
  CHECK_FALSE(nesting.has_boundaries());
  for (const std::string& text : {message_of([&] { static_cast<void>(nesting.backedges(0)); }),
                                  message_of([&] { static_cast<void>(nesting.entering_edges(0)); }),
                                  message_of([&] { static_cast<void>(nesting.preheader(0)); }),
                                  message_of([&] { static_cast<void>(nesting.exiting_edges(0)); }),
                                  message_of([&] { static_cast<void>(nesting.exit_blocks(0)); }),
                                  message_of([&] { static_cast<void>(nesting.single_latch(0)); }),
                                  message_of([&] { static_cast<void>(nesting.has_dedicated_exits(0)); }),
                                  message_of([&] { static_cast<void>(nesting.is_statically_infinite(0)); })}) {
    CHECK_HAS(text, "loop_forest.hpp", "nesting_only");
  }
}

#endif

#else

static_assert(std::is_same_v<midend::csr_graph, midend::v0::csr_graph>);

TEST_CASE("contracts: off, they cost nothing and are not evaluated") {
  bool evaluated = false;
  MIDEND_ASSERT((evaluated = true, false), "never looked at");
  CHECK_FALSE(evaluated);
}

#endif
