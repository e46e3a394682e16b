// first: no matching function|call to deleted|constraints not satisfied
// expect: can_make_operations
#ifndef MIDEND_FIXED
#define WITHOUT_make_operation
#endif
#include "editor_view.hpp"

template <midend::operation_editor IR> void take(const IR&) {}

void use() {
  take(editor_view{});
}
