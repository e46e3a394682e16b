// first_steps: three compilers, three intermediate representations, and what each of them writes to get dominators and
// loops: the lines between the marks [view] and [end].
#include <midend/dominance/dominators.hpp>
#include <midend/graph/csr_graph.hpp>
#include <midend/graph/numbered.hpp>
#include <midend/loops/natural_loops.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

// All of them compile this function, block by block:
//
//     entry; while (outer) { for (inner) { if (body) continue; latch } next } exit
namespace {

const std::array names{"entry", "outer", "inner", "body", "latch", "next", "exit"};
const std::vector<std::vector<unsigned>> targets{{1}, {2, 6}, {3, 5}, {2, 4}, {2}, {1}, {}};

// All three print the results. `name(n)` is the name of node n in their own terms.
template <class Name> void print(const midend::dominator_tree& tree, const midend::loop_forest& loops, Name name) {
  for (midend::node_id n = 0; n != tree.num_nodes(); ++n) {
    const midend::node_id idom = tree.immediate_dominator(n);
    std::printf("  %-5s is dominated by %s\n", name(n), idom == midend::no_node ? "no other block" : name(idom));
  }
  for (const midend::loop_id l : loops.loops()) {
    std::printf("  loop %s of depth %u:", name(loops.header(l)), loops.depth(l));
    for (const midend::node_id n : loops.blocks(l)) {
      std::printf(" %s", name(n));
    }
    std::printf("; leaves to");
    for (const midend::node_id n : loops.exit_blocks(l)) {
      std::printf(" %s", name(n));
    }
    std::printf("\n");
  }
}

} // namespace

// 1. Blocks that point to each other and have an index.
namespace numbered_blocks {

struct block {
  std::uint32_t index = 0;
  std::string name;
  std::vector<block*> next;
};

struct function {
  std::vector<std::unique_ptr<block>> blocks;
};

// [view]
struct cfg {
  const function* f;

  std::size_t num_nodes() const { return f->blocks.size(); }

  midend::node_id entry() const { return 0; }

  auto successors(midend::node_id n) const {
    return midend::mapped(f->blocks[n]->next, [](const block* b) { return b->index; });
  }
};

// [end]

static void run() {
  function f;
  for (const char* const name : names) {
    f.blocks.push_back(std::make_unique<block>());
    f.blocks.back()->index = static_cast<std::uint32_t>(f.blocks.size() - 1);
    f.blocks.back()->name = name;
  }
  for (std::size_t b = 0; b != targets.size(); ++b) {
    for (const unsigned target : targets[b]) {
      f.blocks[b]->next.push_back(f.blocks[target].get());
    }
  }

  const midend::csr_graph g(cfg{&f});
  const auto tree = midend::dominators(g);
  const auto loops = midend::natural_loops(g, tree);

  std::printf("blocks with an index:\n");
  print(tree, loops, [&](midend::node_id n) { return f.blocks[n]->name.c_str(); });
}

} // namespace numbered_blocks

// 2. Blocks that point to each other and have no number at all.
namespace linked_blocks {

struct block {
  const char* name = nullptr;
  std::vector<block*> next;
};

static void run() {
  std::vector<block> memory(names.size());
  for (std::size_t b = 0; b != memory.size(); ++b) {
    memory[b].name = names[b];
    for (const unsigned target : targets[b]) {
      memory[b].next.push_back(&memory[target]);
    }
  }
  const block* const entry = &memory.front();

  // [view]
  const auto g = midend::numbered(entry, [](const block* b) -> const auto& { return b->next; });
  // [end]
  const auto tree = midend::dominators(g);
  const auto loops = midend::natural_loops(g, tree);

  std::printf("blocks without a number:\n");
  print(tree, loops, [&](midend::node_id n) { return g.handle(n)->name; });
}

} // namespace linked_blocks

// 3. A table: a block is a row, with up to two targets.
namespace table {

struct row {
  std::uint32_t num_targets = 0;
  std::array<std::uint32_t, 2> target{};
};

// [view]
struct cfg {
  const std::vector<row>* rows;

  std::size_t num_nodes() const { return rows->size(); }

  midend::node_id entry() const { return 0; }

  std::span<const midend::node_id> successors(midend::node_id n) const {
    return std::span((*rows)[n].target).first((*rows)[n].num_targets);
  }
};

// [end]

static void run() {
  std::vector<row> rows(targets.size());
  for (std::size_t b = 0; b != rows.size(); ++b) {
    for (const unsigned target : targets[b]) {
      rows[b].target[rows[b].num_targets++] = target;
    }
  }

  const cfg g{&rows}; // a single analysis or two need no flat copy
  const auto tree = midend::dominators(g);
  const auto loops = midend::natural_loops(g, tree);

  std::printf("rows of a table:\n");
  print(tree, loops, [](midend::node_id n) { return names[n]; });
}

} // namespace table

int main() {
  numbered_blocks::run();
  linked_blocks::run();
  table::run();
}
