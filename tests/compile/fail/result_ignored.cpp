// first: ignoring return
// expect: nodiscard|unused-result
// from_edges reports a bad edge in its result; ignoring it is a warning, which is an error here.
#include "midend/midend.hpp"

#include <span>

void use(std::span<const midend::edge> edges) {
#ifdef MIDEND_FIXED
  static_cast<void>(midend::csr_graph::from_edges(4, 0, edges));
#else
  midend::csr_graph::from_edges(4, 0, edges);
#endif
}
