/// The packages as passes of `midend opt`.
#pragma once

#include "passes.hpp"

#include <midend/elbrus/procedure.hpp>
#include <midend/ir/ssa_values.hpp>
#include <midend/machine/lowering/body_cost.hpp>
#include <midend/machine/machine_model.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace midend_tool {

/// `low-level-package`; the number of the pass has a bit for each member that is switched off.
pass_kind low_level_package_pass();

/// `control-canonicalization`; the number of the pass has a bit for each kind of change that is switched off.
pass_kind control_canonicalization_pass();

/// `clean-up`, with the costs of the reference machine; the number of the pass has a bit for each member that is left
/// out.
pass_kind clean_up_pass();

/// What the pass does. Words are added to those of the report.
void clean_up(midend::elbrus::procedure& p, const pass_request& request, pass_report& report);

/// Cleans up for a machine.
void clean_up(midend::elbrus::procedure& p, const midend::machine_model& machine,
              const midend::lowering_options& lowering = {});

} // namespace midend_tool
