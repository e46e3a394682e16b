// first: no matching function|call to deleted|constraints not satisfied
// expect: loop_machine
// expect: m\.value\(f\)
// expect: m\.is_predicated\(c\)
// expect: m\.is_speculated\(c\)
// expect: m\.literal_resource\(\)
#include "midend/machine/machine_model.hpp"

template <midend::loop_machine M> void take(const M&) {}

#ifndef MIDEND_FIXED
struct no_value : midend::machine_model {
  void value(midend::machine_field) const;
};

struct no_is_predicated : midend::machine_model {
  void is_predicated(midend::operation_class) const;
};

struct no_is_speculated : midend::machine_model {
  void is_speculated(midend::operation_class) const;
};

struct no_literal_resource : midend::machine_model {
  void literal_resource() const;
};

void use(const no_value& a, const no_is_predicated& b, const no_is_speculated& c, const no_literal_resource& d) {
  take(a);
  take(b);
  take(c);
  take(d);
}
#else
void use(const midend::machine_model& m) {
  take(m);
}
#endif
