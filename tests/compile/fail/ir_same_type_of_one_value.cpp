// expect: midend: `same_type`
#include "editor_view.hpp"

struct view : editor_view {
#ifdef MIDEND_FIXED
  bool same_type(midend::value_id, midend::value_id) const { return true; }
#else
  unsigned same_type(midend::value_id) const { return 0; }
#endif
};

template <midend::semantic_ir_argument IR> void take(const IR&) {}

void use() {
  take(view{});
}
