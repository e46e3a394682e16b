/// The order in which loops and cycles are listed: outermost first, then ascending by header.
#pragma once

#include <midend/loops/cycles.hpp>
#include <midend/loops/natural_loops.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace midend_tool {

/// `forest` has `depth` and `header`; `all` are its loops or cycles.
template <class Forest, class All>
void in_order_of_records(const Forest& forest, const All& all, std::vector<std::uint32_t>& out) {
  out.assign(all.begin(), all.end());
  std::sort(out.begin(), out.end(), [&](std::uint32_t a, std::uint32_t b) {
    return forest.depth(a) != forest.depth(b) ? forest.depth(a) < forest.depth(b) : forest.header(a) < forest.header(b);
  });
}

} // namespace midend_tool
