// expect: check_ir needs values \(ir/ssa_values.hpp\) or statements
#include "midend/ssa/check_ir.hpp"

#include "midend/graph/check_graph.hpp"
#include "midend/graph/csr_graph.hpp"

bool use(const midend::csr_graph& g) {
#ifdef MIDEND_FIXED
  return midend::check_graph(g).has_value();
#else
  return midend::check_ir(g).has_value();
#endif
}
