// How often memory was asked for: allocations.cpp replaces operator new of the whole program by one that counts.
#pragma once

#include <cstddef>

namespace midend_tests {

std::size_t allocations_so_far();

/// How often `work` allocates.
template <class Work> std::size_t allocations_of(Work work) {
  const std::size_t before = allocations_so_far();
  work();
  return allocations_so_far() - before;
}

} // namespace midend_tests
