// workspaces: many functions one after the other, in memory that is used again.
#include <midend/midend.hpp>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

static std::size_t allocations = 0;

void* operator new(std::size_t size) {
  ++allocations;
  if (void* const p = std::malloc(size)) {
    return p;
  }
  std::abort();
}

void operator delete(void* p) noexcept {
  std::free(p);
}

void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}

// Functions of different sizes: a chain of blocks with a loop around every third one.
struct function {
  std::vector<std::vector<midend::node_id>> next;

  explicit function(midend::node_id blocks) : next(blocks) {
    for (midend::node_id b = 0; b + 1 < blocks; ++b) {
      next[b].push_back(b + 1);
      if (b % 3 == 2) {
        next[b].push_back(b - 1);
      }
    }
  }

  std::size_t num_nodes() const { return next.size(); }

  midend::node_id entry() const { return 0; }

  const std::vector<midend::node_id>& successors(midend::node_id n) const { return next[n]; }
};

int main() {
  std::vector<function> functions;
  for (const midend::node_id blocks : {1000U, 10U, 500U, 1000U, 3U}) {
    functions.emplace_back(blocks);
  }

  // [workspaces]
  midend::csr_graph g;
  midend::dominators_workspace dominators_memory;
  midend::dominator_tree tree;
  midend::natural_loops_workspace loops_memory;
  midend::loop_forest loops;
  for (const function& f : functions) {
    const std::size_t before = allocations;
    g.assign(f);
    midend::dominators(g, midend::semi_nca, dominators_memory, tree);
    midend::natural_loops(g, tree, loops_memory, loops);
    std::printf("%4zu blocks, %3zu loops: %s\n", g.num_nodes(), loops.num_loops(),
                allocations == before ? "no allocation" : "allocates");
  }
  // [end]
}
