// expect: can_erase_nodes
#ifndef MIDEND_FIXED
#define WITHOUT_erase_nodes
#endif
#include "editor_view.hpp"

template <midend::ir_editor_argument IR> void take(const IR&) {}

void use() {
  take(editor_view{});
}
