// contracts: a contract handler of your own, and a result that has become out of date.
#include <cstdio>

struct broken_contract {
  const char* what;
};

// [handler]
#define MIDEND_ASSERT(condition, what, ...) ((condition) ? static_cast<void>(0) : throw broken_contract{what})
#include <midend/midend.hpp>
// [end]

#include <cstdint>
#include <vector>

// [epoch]
struct editable_cfg {
  std::vector<std::vector<midend::node_id>> next;
  std::uint64_t edits = 0;

  void add_edge(midend::node_id source, midend::node_id target) {
    next[source].push_back(target);
    ++edits;
  }

  std::size_t num_nodes() const { return next.size(); }

  midend::node_id entry() const { return 0; }

  const std::vector<midend::node_id>& successors(midend::node_id n) const { return next[n]; }

  std::uint64_t epoch() const { return edits; }
};

// [end]

int main() {
  editable_cfg g{{{1}, {2}, {}}};
  // [stale]
  const auto tree = midend::dominators(g);
  g.add_edge(2, 1);
  try {
    static_cast<void>(midend::natural_loops(g, tree));
  } catch (const broken_contract& broken) {
    std::printf("required: %s\n", broken.what);
  }
  // [end]
  std::printf("%zu loop\n", midend::natural_loops(g, midend::dominators(g)).num_loops());
}
