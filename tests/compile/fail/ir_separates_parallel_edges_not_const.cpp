// expect: separates_parallel_edges` would never be called, and parallel edges get different inputs
#include "editor_view.hpp"

struct view : editor_view {
#ifdef MIDEND_FIXED
  bool separates_parallel_edges() const { return true; }
#else
  bool separates_parallel_edges() { return true; }
#endif
};

template <midend::ir_editor_argument IR> void take(const IR&) {}

void use() {
  take(view{});
}
