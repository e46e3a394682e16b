// expect: can_create_nodes
#ifndef MIDEND_FIXED
#define WITHOUT_create_node
#endif
#include "editor_view.hpp"

template <midend::ir_editor_argument IR> void take(const IR&) {}

void use() {
  take(editor_view{});
}
