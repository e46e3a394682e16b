// first: no matching function|call to deleted|constraints not satisfied
// expect: can_erase_ends
#ifndef MIDEND_FIXED
#define WITHOUT_erase_end
#endif
#include "editor_view.hpp"

template <midend::branch_editor IR> void take(const IR&) {}

void use() {
  take(editor_view{});
}
