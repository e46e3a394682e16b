// expect: reading_nodes` of an IR would never be called
#include "editor_view.hpp"

struct view : editor_view {
#ifdef MIDEND_FIXED
  list reading_nodes(midend::value_id) const { return {}; }
#else
  void reading_nodes(midend::value_id) const {}
#endif
};

template <midend::ir_editor_argument IR> void take(const IR&) {}

void use() {
  take(view{});
}
