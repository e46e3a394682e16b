// expect: has_top_of_width
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

#ifdef MIDEND_FIXED
  element top(unsigned) const { return true; }
#endif

  element constant(unsigned, unsigned long c) const { return c != 0; }

  std::optional<unsigned long> as_constant(element) const { return std::nullopt; }
};

template <midend::value_domain_argument D> void analyse(const D&) {}

void use() {
  analyse(facts{});
}
