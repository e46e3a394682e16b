// The clean-up of `midend unroll --verify`.
#pragma once

#include <midend/elbrus/procedure.hpp>
#include <midend/elbrus/views/cost_editor.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/elbrus/views/editor.hpp>
#include <midend/package/low_level_package.hpp>
#include <midend/package/memory_redundancy.hpp>
#include <midend/transform/realise_unrolling.hpp>

namespace midend_tests {

/// `realise_unrolling`, then redundant loads and stores, and the low-level package.
inline void clean_up(midend::elbrus::procedure& p) {
  namespace elbrus = midend::elbrus;
  elbrus::editor e(p);
  midend::realise_unrolling(e, [](const elbrus::editor& of) { return elbrus::cost_view(of.graph()); });
  midend::apply_memory_redundancy(e, midend::plan_memory_redundancy(elbrus::cost_view(p)));
  elbrus::cost_editor managed(p);
  midend::low_level_package().run(managed);
}

} // namespace midend_tests
