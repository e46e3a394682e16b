// expect: has_join
#include "midend/dataflow/lattice.hpp"

struct facts {
  using element = bool;

  bool bottom() const { return false; }

#ifdef MIDEND_FIXED
  bool join(bool& a, const bool& b) const {
    const bool before = a;
    a = a || b;
    return a != before;
  }
#endif
};

template <midend::lattice_argument L> void analyse(const L&) {}

void use() {
  analyse(facts{});
}
