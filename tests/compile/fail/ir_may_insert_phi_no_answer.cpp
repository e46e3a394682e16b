// expect: midend: `may_insert_phi`
#include "editor_view.hpp"

struct view : editor_view {
#ifdef MIDEND_FIXED
  bool may_insert_phi(midend::value_id) const { return true; }
#else
  void may_insert_phi(midend::value_id) const {}
#endif
};

template <midend::ir_editor_argument IR> void take(const IR&) {}

void use() {
  take(view{});
}
