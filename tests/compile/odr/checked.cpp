#undef NDEBUG
#include "use.hpp"

static_assert(MIDEND_CHECKS == 1);

unsigned checked() {
  return use_everything();
}
