/// Whether calls agree with their callees where one of the two has errors, so that the verifier does not see both.
#pragma once

#include "midend/config.hpp"
#include "midend/elbrus/detail/error_list.hpp"
#include "midend/elbrus/detail/name_index.hpp"
#include "midend/elbrus/diagnostic.hpp"
#include "midend/elbrus/opcode.hpp"
#include "midend/elbrus/text/detail/procedure_binder.hpp"
#include "midend/elbrus/text/detail/signatures.hpp"
#include "midend/elbrus/verify/detail/verify_calls.hpp"
#include "midend/graph/concepts.hpp"
#include "midend/ir/ssa_values.hpp"

#include <cstdint>
#include <span>
#include <vector>

MIDEND_BEGIN_NAMESPACE

namespace elbrus::detail {

/// Looks at the calls of all procedures of a file, as far as arguments and parameters are known.
inline void check_unfinished_calls(std::span<const read_procedure> all, const signatures& callees,
                                   std::vector<diagnostic>& errors) {
  for (const read_procedure& caller : all) {
    error_list found(caller.made, errors);
    for (value_id v = 0; v != caller.made.num_values(); ++v) {
      const bool is_call = caller.made.is_operation(v) && caller.made.value(v).code == opcode::call;
      if (!is_call || (!caller.is_right && caller.is_incomplete[v])) {
        continue;
      }
      const std::uint32_t callee = callees.number_of(caller.made.text(caller.made.call(v).callee));
      if (callee != name_index::missing && all[callee].head_is_known && !(caller.is_right && all[callee].is_right)) {
        call_check::call(caller.made, v, all[callee].made, found);
      }
    }
  }
}

} // namespace elbrus::detail

MIDEND_END_NAMESPACE
