// expect: midend: `may_insert_phi`
#include "editor_view.hpp"

struct view : editor_view {
#ifdef MIDEND_FIXED
  bool may_insert_phi(midend::value_id) const { return true; }
#else
  bool may_insert_phi(midend::node_id, midend::value_id) const { return true; }
#endif
};

template <midend::graph_of_ir_argument IR> void take(const IR&) {}

void use() {
  take(view{});
}
