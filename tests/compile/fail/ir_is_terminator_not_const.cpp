// expect: midend: `is_terminator`
#include "editor_view.hpp"

struct view : editor_view {
#ifdef MIDEND_FIXED
  bool is_terminator(midend::value_id) const { return false; }
#else
  bool is_terminator(midend::value_id) { return false; }
#endif
};

template <midend::effect_ir_argument IR> void take(const IR&) {}

void use() {
  take(view{});
}
