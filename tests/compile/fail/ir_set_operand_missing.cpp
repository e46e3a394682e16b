// first: no matching function|call to deleted|constraints not satisfied
// expect: can_set_operands
#ifndef MIDEND_FIXED
#define WITHOUT_set_operand
#endif
#include "editor_view.hpp"

template <midend::operation_editor IR> void take(const IR&) {}

void use() {
  take(editor_view{});
}
