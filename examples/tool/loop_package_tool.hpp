/// The loop package as a pass of `midend opt`.
#pragma once

#include "passes.hpp"

namespace midend_tool {

/// `loop-package`, for the reference machine; the number of the pass is the size that the procedure may have.
pass_kind loop_package_pass();

} // namespace midend_tool
