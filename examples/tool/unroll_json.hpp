/// The advice of `midend unroll` for other programs.
#pragma once

#include "program_names.hpp"

#include <midend/cost/machine_model.hpp>
#include <midend/cost/unrolling_advice.hpp>

#include <nlohmann/json.hpp>

#include <string_view>

namespace midend_tool {

/// One loop as an object. docs/unrolling.md says what the members are.
nlohmann::ordered_json loop_json(const midend::unrolling_advice& advice, const midend::machine_model& machine,
                                 std::string_view procedure, const program_names& names);

} // namespace midend_tool
