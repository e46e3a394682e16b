// expect: midend: `may_redirect`
#include "editor_view.hpp"

struct view : editor_view {
#ifdef MIDEND_FIXED
  bool may_redirect(midend::edge_id) const { return true; }
#else
  bool may_redirect(midend::edge_id) { return true; }
#endif
};

template <midend::ir_editor_argument IR> void take(const IR&) {}

void use() {
  take(view{});
}
