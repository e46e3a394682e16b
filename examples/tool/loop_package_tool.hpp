/// The loop package as a pass of `midend opt`.
#pragma once

#include "passes.hpp"

#include <midend/elbrus/procedure.hpp>

#include <string>

namespace midend_tool {

/// `loop-package`, for the reference machine; the number of the pass is the size that the procedure may have, or names
/// members that are twice as important as others.
pass_kind loop_package_pass();

/// What the package would do, step by step, and a table of the changes.
void append_loop_package(const midend::elbrus::procedure& p, std::string& out);

} // namespace midend_tool
