// first: no matching function|call to deleted|constraints not satisfied
// expect: can_clone_values_to_places
#ifndef MIDEND_FIXED
#define WITHOUT_clone_value_to_place
#endif
#include "editor_view.hpp"

template <midend::operation_editor IR> void take(const IR&) {}

void use() {
  take(editor_view{});
}
