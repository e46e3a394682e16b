// first: no matching function|call to deleted|constraints not satisfied
// expect: machine_with_resources
// expect: m\.num_resources\(\)
// expect: m\.capacity\(resource\)
// expect: m\.use\(c, resource\)
#include "midend/machine/machine_model.hpp"

#include <cstddef>

template <midend::machine M> void take(const M&) {}

#ifndef MIDEND_FIXED
struct no_num_resources : midend::machine_model {
  void num_resources() const;
};

struct no_capacity : midend::machine_model {
  void capacity(std::size_t) const;
};

struct no_use : midend::machine_model {
  void use(midend::operation_class, std::size_t) const;
};

void use(const no_num_resources& a, const no_capacity& b, const no_use& c) {
  take(a);
  take(b);
  take(c);
}
#else
void use(const midend::machine_model& m) {
  take(m);
}
#endif
