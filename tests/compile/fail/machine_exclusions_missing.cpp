// first: no matching function|call to deleted|constraints not satisfied
// expect: machine_with_exclusions
// expect: m\.excludes\(c, c\)
#include "midend/machine/machine_model.hpp"

template <midend::machine M> void take(const M&) {}

#ifndef MIDEND_FIXED
struct no_excludes : midend::machine_model {
  void excludes(midend::operation_class, midend::operation_class) const;
};

void use(const no_excludes& a) {
  take(a);
}
#else
void use(const midend::machine_model& m) {
  take(m);
}
#endif
