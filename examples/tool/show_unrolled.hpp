/// `shown_unrolling`: a loop, unrolled on trial and cleaned up, as text.
#pragma once

#include <midend/elbrus/procedure.hpp>
#include <midend/loops/dominators_and_loops.hpp>
#include <midend/machine/lowering/body_cost.hpp>
#include <midend/machine/machine_model.hpp>
#include <midend/unrolling/apply_unrolling.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace midend_tool {

/// The form that `KIND:FACTOR` names; `rolled` has no factor. Nothing, with the problem in words, for other text.
std::optional<midend::unrolling_form> read_shown_form(std::string_view text, std::string& problem);

/// What is left of a loop of a procedure in SSA form: figures in comments, and the program. Or why there is none, in a
/// comment.
std::string shown_unrolling(midend::elbrus::procedure& p, const midend::dominators_and_loops_result& found,
                            midend::loop_id loop, const midend::unrolling_form& form,
                            const midend::machine_model& machine, const midend::lowering_options& lowering,
                            std::uint64_t assumed_trip);

} // namespace midend_tool
