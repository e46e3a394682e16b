// expect: has_elements
#include "midend/dataflow/lattice.hpp"

struct facts {
#ifdef MIDEND_FIXED
  using element = bool;
#endif

  bool bottom() const { return false; }

  bool join(bool& a, const bool& b) const {
    const bool before = a;
    a = a || b;
    return a != before;
  }
};

template <midend::lattice_argument L> void analyse(const L&) {}

void use() {
  analyse(facts{});
}
