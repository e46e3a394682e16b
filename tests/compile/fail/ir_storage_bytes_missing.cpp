// first: no matching function|call to deleted|constraints not satisfied
// expect: has_storage_bytes
#ifndef MIDEND_FIXED
#define WITHOUT_storage_bytes
#endif
#include "editor_view.hpp"

template <midend::memory_editor IR> void take(const IR&) {}

void use() {
  take(editor_view{});
}
