// first: no matching function|call to deleted|constraints not satisfied
// expect: can_move_values
#ifndef MIDEND_FIXED
#define WITHOUT_move_value
#endif
#include "editor_view.hpp"

template <midend::operation_editor IR> void take(const IR&) {}

void use() {
  take(editor_view{});
}
