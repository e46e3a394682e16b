// expect: can_erase_values
#ifndef MIDEND_FIXED
#define WITHOUT_erase_value
#endif
#include "editor_view.hpp"

template <midend::ir_editor_argument IR> void take(const IR&) {}

void use() {
  take(editor_view{});
}
