// expect: can_insert_phis
#ifndef MIDEND_FIXED
#define WITHOUT_insert_phi
#endif
#include "editor_view.hpp"

template <midend::ir_editor_argument IR> void take(const IR&) {}

void use() {
  take(editor_view{});
}
