// expect: successors_are_a_range_of_nodes
// The mistake of everyone whose blocks are linked by pointers; midend::mapped makes numbers of them.
#include "midend/midend.hpp"

#include <vector>

struct block {
  midend::node_id index = 0;
  std::vector<block*> successors;
};

struct view {
  std::vector<block*> blocks;

  std::size_t num_nodes() const { return blocks.size(); }

  midend::node_id entry() const { return 0; }
#ifdef MIDEND_FIXED
  auto successors(midend::node_id n) const {
    return midend::mapped(blocks[n]->successors, [](const block* b) { return b->index; });
  }
#else
  const std::vector<block*>& successors(midend::node_id n) const { return blocks[n]->successors; }
#endif
};

void use() {
  static_cast<void>(midend::dominators(view{}));
}
