// first: no matching function|call to deleted|constraints not satisfied
// expect: machine_with_code
// expect: m\.code_bytes\(c\)
// expect: m\.code_header\(\)
// expect: m\.code_literal\(\)
// expect: m\.code_alignment\(\)
// expect: m\.longest_instruction\(\)
#include "midend/machine/machine_model.hpp"

template <midend::machine M> void take(const M&) {}

#ifndef MIDEND_FIXED
struct no_code_bytes : midend::machine_model {
  void code_bytes(midend::operation_class) const;
};

struct no_code_header : midend::machine_model {
  void code_header() const;
};

struct no_code_literal : midend::machine_model {
  void code_literal() const;
};

struct no_code_alignment : midend::machine_model {
  void code_alignment() const;
};

struct no_longest_instruction : midend::machine_model {
  void longest_instruction() const;
};

void use(const no_code_bytes& a, const no_code_header& b, const no_code_literal& c, const no_code_alignment& d,
         const no_longest_instruction& e) {
  take(a);
  take(b);
  take(c);
  take(d);
  take(e);
}
#else
void use(const midend::machine_model& m) {
  take(m);
}
#endif
