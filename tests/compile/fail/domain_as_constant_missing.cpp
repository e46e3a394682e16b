// expect: has_as_constant
#include "midend/dataflow/value_domain.hpp"

#include <optional>

struct facts {
  using element = bool;
  using constant_type = unsigned long;

  element bottom() const { return false; }

  bool join(element& a, element b) const {
    const element before = a;
    a = a || b;
    return a != before;
  }

  element top(unsigned) const { return true; }

  element constant(unsigned, unsigned long c) const { return c != 0; }

#ifdef MIDEND_FIXED
  std::optional<unsigned long> as_constant(element) const { return std::nullopt; }
#endif
};

template <midend::value_domain_argument D> void analyse(const D&) {}

void use() {
  analyse(facts{});
}
