// expect: can_replace_uses
#ifndef MIDEND_FIXED
#define WITHOUT_replace_uses
#endif
#include "editor_view.hpp"

template <midend::ir_editor_argument IR> void take(const IR&) {}

void use() {
  take(editor_view{});
}
