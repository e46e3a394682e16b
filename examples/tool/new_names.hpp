/// Names of what a pass has made.
#pragma once

#include <midend/elbrus/procedure.hpp>
#include <midend/transform/unfolding_witness.hpp>

namespace midend_tool {

/// Names values and nodes that have none after what they stand for: a copy of `%x` is `%x.1`, `%x.2` and so on, a phi
/// is named like one of its inputs, a new node on the way to node `x` is `to.x`. O(size of the procedure).
void name_what_is_new(midend::elbrus::procedure& p, const midend::unfolding_witness& witness);

} // namespace midend_tool
