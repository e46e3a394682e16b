// first: no matching function|call to deleted|constraints not satisfied
// expect: machine_with_channels
// expect: m\.num_channels\(\)
// expect: m\.channels\(c\)
// expect: m\.occupancy\(c\)
#include "midend/machine/machine_model.hpp"

template <midend::machine M> void take(const M&) {}

#ifndef MIDEND_FIXED
struct no_num_channels : midend::machine_model {
  void num_channels() const;
};

struct no_channels : midend::machine_model {
  void channels(midend::operation_class) const;
};

struct no_occupancy : midend::machine_model {
  void occupancy(midend::operation_class) const;
};

void use(const no_num_channels& a, const no_channels& b, const no_occupancy& c) {
  take(a);
  take(b);
  take(c);
}
#else
void use(const midend::machine_model& m) {
  take(m);
}
#endif
