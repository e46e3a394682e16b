/// `midend opt --print=dependences`.
#pragma once

#include <midend/elbrus/procedure.hpp>

#include <string>

namespace midend_tool {

/// The accesses of each outermost loop, and which of them meet in which iterations.
void append_dependences(const midend::elbrus::procedure& p, std::string& out);

} // namespace midend_tool
