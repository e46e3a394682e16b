// expect: has_bottom
#include "midend/dataflow/lattice.hpp"

struct facts {
  using element = bool;

#ifdef MIDEND_FIXED
  bool bottom() const { return false; }
#endif

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
