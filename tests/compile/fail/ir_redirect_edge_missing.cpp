// expect: can_redirect_edges
#ifndef MIDEND_FIXED
#define WITHOUT_redirect_edge
#endif
#include "editor_view.hpp"

template <midend::ir_editor_argument IR> void take(const IR&) {}

void use() {
  take(editor_view{});
}
