// first: no matching function|call to deleted|constraints not satisfied
// expect: borrowed_range
#include "midend/midend.hpp"

#include <vector>

std::vector<int> blocks() {
  return {1, 2, 3};
}

void use() {
  const auto next = [](int b) { return static_cast<midend::node_id>(b); };
#ifdef MIDEND_FIXED
  const std::vector<int> kept = blocks();
  static_cast<void>(midend::mapped(kept, next));
#else
  static_cast<void>(midend::mapped(blocks(), next));
#endif
}
