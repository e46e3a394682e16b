// expect: can_keep_edges
#ifndef MIDEND_FIXED
#define WITHOUT_keep_edge
#endif
#include "editor_view.hpp"

template <midend::ir_editor_argument IR> void take(const IR&) {}

void use() {
  take(editor_view{});
}
