// first: no matching function|call to deleted|constraints not satisfied
// expect: can_make_local_arrays
#ifndef MIDEND_FIXED
#define WITHOUT_make_local_array
#endif
#include "editor_view.hpp"

template <midend::memory_editor IR> void take(const IR&) {}

void use() {
  take(editor_view{});
}
