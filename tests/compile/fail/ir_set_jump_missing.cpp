// expect: can_set_jumps
#ifndef MIDEND_FIXED
#define WITHOUT_set_jump
#endif
#include "editor_view.hpp"

template <midend::ir_editor_argument IR> void take(const IR&) {}

void use() {
  take(editor_view{});
}
