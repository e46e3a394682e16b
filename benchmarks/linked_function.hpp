/// A function as compilers keep them: blocks allocated one by one that point to each other.
#pragma once

#include "datasets.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace midend_benchmarks {

struct linked_block {
  unsigned index = 0;
  std::vector<linked_block*> successors;
};

struct linked_function {
  std::vector<std::unique_ptr<linked_block>> blocks; ///< in the order of their index, the entry first
};

/// All functions of a set, built as a front end does: each block and each list of successors is an allocation.
struct linked_functions {
  explicit linked_functions(const dataset& d) {
    functions.reserve(d.functions().size());
    for (const flat_function& flat : d.functions()) {
      linked_function& f = functions.emplace_back();
      f.blocks.reserve(flat.num_nodes());
      for (unsigned i = 0; i != flat.num_nodes(); ++i) {
        f.blocks.push_back(std::make_unique<linked_block>());
        f.blocks.back()->index = i;
      }
      for (unsigned i = 0; i != flat.num_nodes(); ++i) {
        for (const std::uint32_t s : flat.successors(i)) {
          f.blocks[i]->successors.push_back(f.blocks[s].get());
        }
      }
    }
  }

  std::vector<linked_function> functions;
};

} // namespace midend_benchmarks
