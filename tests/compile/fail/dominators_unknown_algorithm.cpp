// expect: an algorithm for dominators is midend::semi_nca
#include "midend/midend.hpp"

struct my_algorithm {};

void use(const midend::csr_graph& g) {
#ifdef MIDEND_FIXED
  static_cast<void>(midend::dominators(g, midend::semi_nca));
#else
  static_cast<void>(midend::dominators(g, my_algorithm{}));
#endif
}
