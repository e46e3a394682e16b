// expect: can_set_phi_inputs
#ifndef MIDEND_FIXED
#define WITHOUT_set_phi_input
#endif
#include "editor_view.hpp"

template <midend::ir_editor_argument IR> void take(const IR&) {}

void use() {
  take(editor_view{});
}
