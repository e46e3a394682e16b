// first: no matching function|call to deleted|constraints not satisfied
// expect: machine_with_latencies
// expect: m\.latency\(c\)
// expect: m\.latency\(c, c, k\)
#include "midend/machine/machine_model.hpp"

template <midend::machine M> void take(const M&) {}

#ifndef MIDEND_FIXED
struct no_latency : midend::machine_model {
  using midend::machine_model::latency;
  void latency(midend::operation_class) const;
};

struct no_latency_between : midend::machine_model {
  using midend::machine_model::latency;
  void latency(midend::operation_class, midend::operation_class, midend::dependence_kind) const;
};

void use(const no_latency& a, const no_latency_between& b) {
  take(a);
  take(b);
}
#else
void use(const midend::machine_model& m) {
  take(m);
}
#endif
