/// `midend opt --print=evolutions`.
#pragma once

#include <midend/elbrus/procedure.hpp>
#include <midend/elbrus/views/cost_view.hpp>
#include <midend/ir/number_facts.hpp>
#include <midend/support/flat_array.hpp>

#include <string>

namespace midend_tool {

/// Bounds and strides of all values.
midend::flat_array<midend::number_facts> facts_of(const midend::elbrus::cost_view& ir);

/// What the values of each loop are in iteration k and after it, and how often it runs.
void append_evolutions(const midend::elbrus::procedure& p, std::string& out);

} // namespace midend_tool
