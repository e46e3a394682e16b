// config.hpp: a handler of one's own, which is on whatever NDEBUG says.
#if !defined(NDEBUG)
#define NDEBUG
#endif

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

struct violation {
  std::string condition;
  std::string what;
  std::vector<std::uint64_t> values;
};

std::vector<violation>& violations() {
  static std::vector<violation> all;
  return all;
}

template <class... Values> void note(const char* condition, const char* what, Values... values) {
  violations().push_back({condition, what, {static_cast<std::uint64_t>(values)...}});
}

} // namespace

#define MIDEND_ASSERT(condition, what, ...)                                                                            \
  ((condition) ? static_cast<void>(0) : note(#condition, what __VA_OPT__(, ) __VA_ARGS__))

#include <midend/midend.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace {

// Instantiations with different handlers are different entities.
static_assert(std::is_same_v<midend::csr_graph, midend::v0_custom::csr_graph>);
static_assert(MIDEND_CHECKS == 1);

struct changing_graph {
  std::uint64_t changes;
  std::vector<midend::node_id> self{0};

  std::size_t num_nodes() const { return 1; }

  midend::node_id entry() const { return 0; }

  const std::vector<midend::node_id>& successors(midend::node_id) const { return self; }

  std::uint64_t epoch() const { return changes; }
};

// Contracts that hold are constant expressions with any handler.
static_assert(midend::flat_array<int>(2, 5)[1] == 5);

} // namespace

TEST_CASE("contracts: a handler of one's own is told what is broken, and may return") {
  violations().clear();
  const auto tree = midend::dominators(changing_graph{7});
  CHECK(violations().empty());
  const auto loops = midend::natural_loops(changing_graph{8}, tree);
  REQUIRE(violations().size() == 1);
  CHECK(violations()[0].what == "a dominator tree that is up to date");
  CHECK(violations()[0].condition.find("epoch") != std::string::npos);
  CHECK(violations()[0].values == std::vector<std::uint64_t>{7, 8});
  CHECK(loops.num_loops() == 1);
  violations().clear();
  midend::flat_array<int> array(4, 1);
  array.shrink(2);
  CHECK(violations().empty());
  array.shrink(3);
  REQUIRE(violations().size() == 1);
  CHECK(violations()[0].values == std::vector<std::uint64_t>{3, 2});
}
