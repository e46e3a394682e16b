// first: no matching function|call to deleted|constraints not satisfied
// expect: can_set_branches
#ifndef MIDEND_FIXED
#define WITHOUT_set_branch
#endif
#include "editor_view.hpp"

template <midend::branch_editor IR> void take(const IR&) {}

void use() {
  take(editor_view{});
}
