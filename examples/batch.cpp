// batch: many functions with one set of results and workspaces. Only the first round over them allocates.
#include <corpus/corpus.hpp>

#include <midend/midend.hpp>

#include <midend/loops/cycles.hpp>
#include <midend/loops/loop_forms.hpp>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

static std::size_t allocations = 0;

static void* counted(std::size_t size) {
  ++allocations;
  if (void* const p = std::malloc(size)) {
    return p;
  }
  std::abort();
}

void* operator new(std::size_t size) {
  return counted(size);
}

void* operator new[](std::size_t size) {
  return counted(size);
}

void operator delete(void* p) noexcept {
  std::free(p);
}

void operator delete[](void* p) noexcept {
  std::free(p);
}

void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}

void operator delete[](void* p, std::size_t) noexcept {
  std::free(p);
}

// [analyses]
/// The results for one function, and the memory to compute them. One object serves all functions, one after the other;
/// each thread has its own.
struct analyses {
  midend::csr_graph graph;
  midend::component_partition components;
  midend::dominator_tree dominators;
  midend::loop_forest loops;
  midend::cycle_forest cycles;

  template <midend::flow_graph G> void run(const G& function) {
    graph.assign(function);
    midend::strongly_connected_components(graph, components_memory_, components);
    midend::dominators(graph, midend::semi_nca, dominators_memory_, dominators);
    midend::natural_loops(graph, dominators, loops_memory_, loops);
    midend::cycles(graph, cycles_memory_, cycles);
  }

private:
  midend::strongly_connected_components_workspace components_memory_;
  midend::dominators_workspace dominators_memory_;
  midend::natural_loops_workspace loops_memory_;
  midend::cycles_workspace cycles_memory_;
};

// [end]

struct totals {
  std::size_t components = 0;
  std::size_t dominated = 0;
  std::size_t loops = 0;
  std::size_t simplified = 0;
  std::size_t cycles = 0;
};

static void add(const analyses& found, totals& sum) {
  sum.components += found.components.num_reachable_components();
  sum.dominated += found.dominators.num_reachable();
  sum.loops += found.loops.num_loops();
  for (const midend::loop_id l : found.loops.loops()) {
    sum.simplified += midend::is_loop_simplify_form(found.graph, found.loops, l) ? 1 : 0;
  }
  sum.cycles += found.cycles.num_cycles();
}

int main(int argc, char** argv) {
  const char* const file = argc > 1 ? argv[1] : "tests/data/corpus/sqlite3-O2.cfg.gz";
  std::vector<midend_corpus::cfg_function> functions;
  if (const auto error = midend_corpus::read_cfg(file, functions)) {
    std::fprintf(stderr, "%s\n", error->to_string().c_str());
    return 1;
  }
  // [batch]
  analyses all;
  for (int round = 1; round != 4; ++round) {
    const std::size_t before = allocations;
    totals sum;
    for (const midend_corpus::cfg_function& function : functions) {
      all.run(function);
      add(all, sum);
    }
    std::printf("round %d: %zu functions, %zu blocks, %zu components, %zu loops (%zu simplified), %zu cycles; %s\n",
                round, functions.size(), sum.dominated, sum.components, sum.loops, sum.simplified, sum.cycles,
                allocations == before ? "no allocation" : "allocates");
  }
  // [end]
}
