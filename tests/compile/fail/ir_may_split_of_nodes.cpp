// expect: midend: `may_split`
#include "editor_view.hpp"

struct view : editor_view {
#ifdef MIDEND_FIXED
  bool may_split(midend::edge_id) const { return true; }
#else
  bool may_split(midend::node_id, midend::node_id) const { return true; }
#endif
};

template <midend::ir_editor_argument IR> void take(const IR&) {}

void use() {
  take(view{});
}
