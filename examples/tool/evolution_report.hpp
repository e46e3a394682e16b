/// `midend opt --print=evolutions`.
#pragma once

#include <midend/elbrus/procedure.hpp>

#include <string>

namespace midend_tool {

/// What the values of each loop are in iteration k and after it, and how often it runs.
void append_evolutions(const midend::elbrus::procedure& p, std::string& out);

} // namespace midend_tool
