// expect: can_make_constants
#ifndef MIDEND_FIXED
#define WITHOUT_make_constant
#endif
#include "editor_view.hpp"

template <midend::ir_editor_argument IR> void take(const IR&) {}

void use() {
  take(editor_view{});
}
